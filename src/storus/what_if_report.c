/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storus what-if --report: the answer as one self-contained HTML page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "storus/json.h"
#include "storus/output.h"
#include "storus/what_if.h"
#include "torus_build.h"

#define NAME &storus_what_if

int what_if_report(const char *path, const char *command, json_t *data)
{
	const struct report_origin origin = { .version = PACKAGE_VERSION,
					      .command = command };
	struct storus_output out = { .stream = NULL };
	int status = STORUS_DONE;
	char *text;

	storus_json_origin(data, command);
	text = json_dumps(data, JSON_ENSURE_ASCII | JSON_COMPACT);
	if (!text)
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	errno = 0;
	if (storus_output_open(&out, path) ||
	    torus_report_what_if(out.stream, "storus what-if", &origin, text,
				 strlen(text)) ||
	    storus_output_commit(&out))
		status = storus_say(NAME, STORUS_TROUBLE,
				    "%s cannot be written: %s", path,
				    strerror(errno));
	storus_output_discard(&out);
	free(text);
	return status;
}
