/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the pages together (page.h). Their parts under page/, sweep/ and what_if/
 * become string literals when this is built (page_parts.h).
 */
#include "report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "format/stream.h"
#include "report/pen.h"

#include "page_parts.h"

#define PACKED_FROM                                                            \
	1000000 /* bytes of data that are packed; less can be read */

/* Write the data deflated, in characters (1-base.js unpacks them). 0, or -1 with errno. */
static int put_packed(FILE *out, const char *data, size_t length)
{
	z_stream z = { 0 };
	uLong room = compressBound(length) + 4;
	unsigned char *packed = calloc(room, 1);
	int rc = packed ? deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
				       -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) :
			  Z_MEM_ERROR;

	if (rc == Z_OK) {
		z.next_in = (Bytef *)(uintptr_t)data;
		z.avail_in = (uInt)length;
		z.next_out = packed;
		z.avail_out = (uInt)room;
		rc = deflate(&z, Z_FINISH) == Z_STREAM_END ? Z_OK : Z_MEM_ERROR;
		deflateEnd(&z);
	}
	for (size_t at = 0; rc == Z_OK && at < z.total_out; at += 4) {
		/* Write four bytes, the first lowest, as five characters, the lowest first:
		 * '#' to 'w', with '{' for '<'. */
		const unsigned char *byte = packed + at;
		uint32_t v = byte[0] | (uint32_t)byte[1] << 8 |
			     (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;

		for (int i = 0; i < 5; i++, v /= 85)
			putc(v % 85 + '#' == '<' ? '{' : (int)(v % 85) + '#',
			     out);
	}
	free(packed);
	errno = ENOMEM;
	return rc == Z_OK ? 0 : -1;
}

static void put_parts(FILE *out, const char *const *part)
{
	for (; *part; part++)
		fputs(*part, out);
}

void torus_report_begin(FILE *out, const char *title,
			const struct report_origin *origin)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<title>",
	      out);
	report_xml_put(out, title);
	fputs("</title>\n", out);
	report_origin_html(out, origin);
	fputs("<style>\n", out);
	put_parts(out, page_css);
	fputs("</style>\n</head>\n<body>\n", out);
}

static int put_page(FILE *out, const struct torus_report_page *page,
		    const char *const *html, const char *const *script)
{
	torus_report_begin(out, page->title, page->origin);
	put_parts(out, html);
	/* the chart library, then the scripts shared by all pages */
	if (page->chart) {
		fputs("<script>\n", out);
		fwrite(page->chart, 1, page->chart_length, out);
		fputs("\n</script>\n", out);
	}
	fputs("<script>\n", out);
	put_parts(out, page_base);
	fputs("</script>\n", out);
	if (page->length > PACKED_FROM && page->length < UINT32_MAX / 2) {
		fprintf(out,
			"<script type=\"text/plain\" id=\"data\" data-size=\"%zu\">",
			page->length);
		if (put_packed(out, page->data, page->length))
			return -1;
	} else {
		const char *data, *end;

		fputs("<script type=\"application/json\" id=\"data\">", out);
		/* '<' occurs only in strings, where it is escaped so that no text can
		 * end the element. */
		data = page->data;
		end = data + page->length;
		while (data < end) {
			const char *less = memchr(data, '<',
						  (size_t)(end - data));
			size_t n = (size_t)((less ? less : end) - data);

			fwrite(data, 1, n, out);
			if (less)
				fputs("\\u003c", out);
			data += n + (less != NULL);
		}
	}
	fputs("</script>\n<script>\n", out);
	put_parts(out, script);
	fputs("</script>\n</body>\n</html>\n", out);
	return stream_failed(out) ? -1 : 0;
}

int torus_report_write(FILE *out, const struct torus_report_page *page)
{
	return put_page(out, page, page_html, page_js);
}

int torus_report_sweep(FILE *out, const struct torus_report_page *page)
{
	return put_page(out, page, sweep_html, sweep_js);
}

int torus_report_what_if(FILE *out, const struct torus_report_page *page)
{
	return put_page(out, page, what_if_html, what_if_js);
}
