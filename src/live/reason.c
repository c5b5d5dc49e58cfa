/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reasons with names (reason.h). */
#include "live/reason.h"

#include <inttypes.h>
#include <time.h>

const char *reason_node_name(const struct torus_config *config, uint32_t bit)
{
	uint32_t index;
	uint32_t pod = torus_machine_pod(&config->machine, bit, &index);
	char **names = config->names[pod];

	return names && names[index] ? names[index] : "?";
}

/* ", " or, after `count` of `total` names, " and 5 more". */
static int add_not_named(struct torus_text *text, uint32_t total)
{
	return total > REASON_NAMES ?
		       torus_text_add(text, " and %" PRIu32 " more",
				      total - REASON_NAMES) :
		       0;
}

static uint32_t reason_shown(uint32_t total)
{
	return total < REASON_NAMES ? total : REASON_NAMES;
}

static int add_holders(struct torus_text *text, const struct cycle_promise *p)
{
	const struct cycle_blockers *b = p->blockers;
	int rc = 0;

	if (b->holders == 0)
		return 0;
	rc |= torus_text_add(text, "; job%s", b->holders > 1 ? "s" : "");
	for (uint32_t i = 0; i < reason_shown(b->holders); i++)
		rc |= torus_text_add(text, "%s %" PRIu32, i ? "," : "",
				     b->holder[i].job);
	rc |= add_not_named(text, b->holders);
	return rc |
	       torus_text_add(text, " hold%s %s", b->holders > 1 ? "" : "s",
			      p->place ? "its place" : "nodes that it may use");
}

static int add_outs(struct torus_text *text, const struct torus_config *config,
		    const struct cycle_blockers *b)
{
	const char *glue = ";";
	int rc = 0;

	if (b->outs == 0)
		return 0;
	for (uint32_t i = 0; i < reason_shown(b->outs); i++, glue = ",")
		rc |= torus_text_add(text, "%s %s", glue,
				     reason_node_name(config, b->out[i]));
	rc |= add_not_named(text, b->outs);
	return rc | torus_text_add(text, " %s out of service",
				   b->outs > 1 ? "are" : "is");
}

/* To the minute: squeue --start has the second. */
static int add_start(struct torus_text *text, const struct cycle_promise *p,
		     int64_t now_us)
{
	int64_t start_us = p->place ? p->start_us : p->forecast_us;
	time_t at = (time_t)(start_us / 1000000);
	char when[32];
	struct tm tm;

	if (start_us == TORUS_NO_TIME || start_us <= now_us ||
	    !localtime_r(&at, &tm) ||
	    !strftime(when, sizeof(when), "%FT%H:%M", &tm))
		return 0;
	return torus_text_add(text, "; expected %s", when);
}

int reason_format(const struct torus_config *config,
		  const struct cycle_promise *p, int64_t now_us,
		  struct torus_text *text)
{
	int rc = torus_text_add(text, "%s", p->reason);

	if (p->blockers) {
		rc |= add_holders(text, p);
		rc |= add_outs(text, config, p->blockers);
	}
	return rc | add_start(text, p, now_us);
}
