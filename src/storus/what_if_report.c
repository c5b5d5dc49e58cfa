/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storus what-if --report: the answer as one self-contained HTML page. */
#include "storus/json.h"
#include "storus/page.h"
#include "storus/what_if.h"
#include "torus_build.h"

int what_if_report(const char *path, const char *command, json_t *data)
{
	const struct report_origin origin = { .version = PACKAGE_VERSION,
					      .command = command };

	storus_json_origin(data, command);
	return storus_page_put_json(&storus_what_if, path, torus_report_what_if,
				    &(struct torus_report_page){
					    .title = "storus what-if",
					    .origin = &origin },
				    data);
}
