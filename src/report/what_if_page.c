/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the page of `storus what-if` together (page.h). Its parts under what_if/
 * become string literals when this is built; the style is that of all pages.
 */
#include "format/stream.h"
#include "report/page.h"

#include "what_if_parts.h"

static void what_if_parts_put(FILE *out, const char *const *part)
{
	for (; *part; part++)
		fputs(*part, out);
}

int torus_report_what_if(FILE *out, const char *title,
			 const struct report_origin *origin, const char *data,
			 size_t length)
{
	torus_report_begin(out, title, origin);
	what_if_parts_put(out, page_html);
	torus_report_data(out, data, length);
	fputs("<script>\n", out);
	what_if_parts_put(out, page_js);
	fputs("</script>\n</body>\n</html>\n", out);
	return stream_failed(out) ? -1 : 0;
}
