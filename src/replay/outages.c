/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of the journal's outages (jobs.h): NUMBER -[LAST] and any number of
 * NODES=[FROM]-[TO],[FROM]-[TO].. with times in seconds. LAST is the latest
 * start; FROM and TO are omitted if an outage has no begin or no end.
 *
 * Cost: O(text), two allocations per line. All outages are kept until the end
 * of the replay.
 */
#include "replay/jobs.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "trace/formats.h"

struct torus_replay_outages {
	struct torus_replay_outages *next;
	uint64_t number; /* number in the journal; o.number is the replay's own */
	struct torus_outages o;
	uint64_t *maps; /* one bitmap per NODES */
	struct torus_outage outage[];
};

struct outages_reader {
	struct torus_replay_outages *to;
	const struct torus_machine *m;
	const struct torus_replay_clock *clock;
	struct torus_error *err;
};

static int outages_refuse(struct outages_reader *r, const char *got)
{
	return torus_error_add(r->err,
			       "outages: got \"%.60s\", expected NUMBER -[LAST] NODES=[FROM]-[TO],[FROM]-[TO]..",
			       got);
}

/* Convert to the replay's clock; out of bounds counts as never. */
static int64_t outages_on_clock(const struct torus_replay_clock *clock,
				int64_t us)
{
	const double most = (double)TORUS_TRACE_MAX_SECONDS * 1e6;
	double since = (double)(us - clock->first_us) / clock->load_scale;

	if (clock->load_scale == 1)
		return us;
	return fabs(since) < most ? clock->first_us + llround(since) :
	       since < 0          ? INT64_MIN :
				    TORUS_NO_TIME;
}

/* Read a time, or `missing` if there is none; return the text after it, or
 * NULL. */
static char *outages_read_time(const struct outages_reader *r, char *text,
			       int64_t missing, int64_t *us)
{
	char *end;

	*us = missing;
	if (!isdigit((unsigned char)*text))
		return text;
	end = (char *)(uintptr_t)torus_number_scan_seconds(text, us);
	if (!end)
		return NULL;
	*us = outages_on_clock(r->clock, *us);
	return end;
}

/* Read [FROM]-[TO]: an outage keeps its length on the replay's clock. */
static int outages_read_span(struct outages_reader *r, char *text,
			     const uint64_t *nodes)
{
	struct torus_outage *out = &r->to->outage[r->to->o.count];
	char *end = outages_read_time(r, text, INT64_MIN, &out->from_us);

	if (end && *end == '-')
		end = outages_read_time(r, end + 1, TORUS_NO_TIME, &out->to_us);
	else
		end = NULL;
	if (!end || *end || out->from_us >= out->to_us)
		return outages_refuse(r, text);
	out->nodes = nodes;
	out->name = NULL;
	r->to->o.count++;
	return 0;
}

/* NODES=SPAN,SPAN.. */
static int outages_read_group(struct outages_reader *r, char *text,
			      uint64_t *nodes)
{
	char *spans = strchr(text, '='), *span;
	bool all;

	if (!spans)
		return outages_refuse(r, text);
	*spans++ = '\0';
	if (torus_replay_nodes_read(r->m, text, nodes, &all, r->err))
		return -1;
	if (all)
		return outages_refuse(r, text);
	while ((span = strsep(&spans, ","))) {
		if (outages_read_span(r, span, nodes))
			return -1;
	}
	return 0;
}

/* NUMBER -[LAST] */
static int outages_read_head(struct outages_reader *r, char **text)
{
	char *number = strsep(text, " "), *last = strsep(text, " "), *end;

	if (!torus_number_whole(number, 1, UINT64_MAX, &r->to->number) ||
	    !last || *last != '-')
		return outages_refuse(r, number);
	end = outages_read_time(r, last + 1, TORUS_NO_TIME,
				&r->to->o.last_start_us);
	return end && !*end ? 0 : outages_refuse(r, last);
}

static int outages_read(struct outages_reader *r, char *text)
{
	uint64_t *nodes = r->to->maps;
	char *group;

	if (outages_read_head(r, &text))
		return -1;
	for (; (group = strsep(&text, " ")); nodes += r->m->words) {
		if (outages_read_group(r, group, nodes))
			return -1;
	}
	return 0;
}

/* Allocate for as many outages as the text can hold. */
static struct torus_replay_outages *outages_create(const struct torus_machine *m,
						   const char *text)
{
	size_t groups = 0, spans = 1;
	struct torus_replay_outages *to;

	for (const char *c = text; *c; c++) {
		groups += *c == ' ';
		spans += *c == ' ' || *c == ',';
	}
	to = torus_alloc(1, sizeof(*to) + spans * sizeof(*to->outage));
	if (!to)
		return NULL;
	to->o.outage = to->outage;
	to->maps = torus_alloc(groups * m->words + 1, sizeof(*to->maps));
	if (to->maps)
		return to;
	torus_free(to);
	return NULL;
}

int torus_replay_outages_add(struct torus_replay_outages **list,
			     const struct torus_machine *m, char *text,
			     const struct torus_replay_clock *clock,
			     struct torus_error *err)
{
	struct outages_reader r = {
		.to = outages_create(m, text),
		.m = m,
		.clock = clock,
		.err = err,
	};

	if (!r.to)
		return -1;
	r.to->next = *list;
	r.to->o.number = *list ? (*list)->o.number + 1 : 1;
	*list = r.to;
	return outages_read(&r, text);
}

const struct torus_outages *
torus_replay_outages_find(const struct torus_replay_outages *list,
			  uint64_t number)
{
	while (list && list->number != number)
		list = list->next;
	return list && number ? &list->o : NULL;
}

void torus_replay_outages_free(struct torus_replay_outages *list)
{
	struct torus_replay_outages *next;

	for (; list; list = next) {
		next = list->next;
		torus_free(list->maps);
		torus_free(list);
	}
}
