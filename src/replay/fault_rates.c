/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of fault rates (faults.h): MTBF,MTTR[,nodes|,links]. */
#include <string.h>

#include "replay/faults.h"
#include "torus/request.h"
#include "trace/formats.h"
#include "trace/trace.h"

/* Read seconds, or a number and its unit, above 0, followed by a comma or the
 * end. Return the text after it, or NULL. */
static const char *fault_rate_time(const char *text, int64_t *us)
{
	size_t length = strcspn(text, ",");
	struct torus_number n;
	const char *end;
	char word[32];

	if (length >= sizeof(word))
		return NULL;
	memcpy(word, text, length);
	word[length] = '\0';
	if (torus_duration_parse(word, us, NULL)) {
		end = *word == '-' ? NULL : torus_number_scan(word, &n);
		if (!end || *end || n.decimals > 6 || !torus_number_us(&n, us))
			return NULL;
	}
	return *us > 0 && *us <= TORUS_TRACE_MAX_SECONDS * 1000000 ?
		       text + length :
		       NULL;
}

int torus_fault_rate_parse(const char *string,
			   struct torus_fault_rate faults[TORUS_FAULT_KINDS],
			   struct torus_error *err)
{
	enum torus_fault_kind kind = TORUS_FAULT_NODES;
	struct torus_fault_rate rate = { 0 };
	const char *text = fault_rate_time(string, &rate.mtbf_us);

	text = text && *text ? fault_rate_time(text + 1, &rate.mttr_us) : NULL;
	if (text && !strcmp(text, ",links"))
		kind = TORUS_FAULT_LINKS;
	else if (text && *text && strcmp(text, ",nodes") != 0)
		text = NULL;
	if (!text)
		return torus_error_add(err,
				       "got \"%.60s\", expected MTBF,MTTR or MTBF,MTTR,links, times above 0 in seconds or with a unit, for example 30d,4h or 90d,12h,links",
				       string);
	if (faults[kind].mtbf_us)
		return torus_error_add(err,
				       "got \"%.60s\" after another for %s: expected at most one for nodes and one for links",
				       string,
				       kind == TORUS_FAULT_LINKS ? "links" :
								   "nodes");
	faults[kind] = rate;
	return 0;
}
