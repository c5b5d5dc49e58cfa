/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a queued job's reason (reason.h). */
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
static int reason_add_not_named(struct torus_text *text, uint32_t total)
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

/* "; 3 jobs" */
static int reason_add_count(struct torus_text *text, uint32_t count,
			    const char *what)
{
	return torus_text_add(text, "; %" PRIu32 " %s%s", count, what,
			      count > 1 ? "s" : "");
}

static int name_holders(struct torus_text *text, const struct cycle_blockers *b)
{
	int rc = torus_text_add(text, "; job%s", b->holders > 1 ? "s" : "");

	for (uint32_t i = 0; i < reason_shown(b->holders); i++)
		rc |= torus_text_add(text, "%s %" PRIu32, i ? "," : "",
				     b->holder[i].job);
	return rc | reason_add_not_named(text, b->holders);
}

static int reason_add_holders(struct torus_text *text,
			      const struct cycle_promise *p, bool hidden)
{
	const struct cycle_blockers *b = p->blockers;
	int rc;

	if (b->holders == 0)
		return 0;
	rc = hidden ? reason_add_count(text, b->holders, "job") :
		      name_holders(text, b);
	return rc |
	       torus_text_add(text, " hold%s %s", b->holders > 1 ? "" : "s",
			      p->place ? "its place" : "nodes that it may use");
}

/* "; node05, node06 are out of service": `count` nodes, listed up to CYCLE_BLOCKERS;
 * without a config their number. */
static int reason_add_outs(struct torus_text *text,
			   const struct torus_config *config,
			   const uint32_t *out, uint32_t count, const char *why)
{
	const char *glue = ";";
	int rc = 0;

	if (count == 0)
		return 0;
	if (!config)
		rc |= reason_add_count(text, count, "node");
	for (uint32_t i = 0; config && i < reason_shown(count); i++, glue = ",")
		rc |= torus_text_add(text, "%s %s", glue,
				     reason_node_name(config, out[i]));
	if (config)
		rc |= reason_add_not_named(text, count);
	return rc |
	       torus_text_add(text, " %s %s", count > 1 ? "are" : "is", why);
}

/* Minutes suffice: squeue --start has the second. */
static int reason_add_start(struct torus_text *text,
			    const struct cycle_promise *p, int64_t now_us)
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
		  const struct cycle_promise *p, int64_t now_us, unsigned hides,
		  struct torus_text *text)
{
	const struct cycle_blockers *b = p->blockers;
	int rc = torus_text_add(text, "%s", p->reason);

	if (b) {
		const struct torus_config *names = hides & REASON_HIDES_NODES ?
							   NULL :
							   config;

		rc |= reason_add_holders(text, p, hides & REASON_HIDES_JOBS);
		rc |= reason_add_outs(text, names, b->out, b->silents,
				      "not responding");
		if (b->silents + REASON_NAMES > CYCLE_BLOCKERS)
			names = NULL; /* the list ends before the others */
		rc |= reason_add_outs(text, names, b->out + b->silents,
				      b->outs - b->silents, "out of service");
	}
	return rc | reason_add_start(text, p, now_us);
}
