/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outages of a replay (jobs.h): by the rules of --outage, and the journal's.
 *
 * Rules: WHEN +DURATION [NODES]. WHEN is a date (2024-01-02T07:30:00, or seconds on the
 * trace's clock), or [first|second|third|fourth|last|every] DAY HH:MM with the days
 * Mon .. Sun and `day`; NODES are numbers (0-15,32), without them all nodes. Recurring
 * outages are listed for a century, at most OUTAGES_MOST; no job starts after the last.
 * Cost: O(their number) once.
 *
 * Reader of the journal's outages: NUMBER -[LAST] and any number of
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "torus/alloc.h"
#include "trace/formats.h"
#include "trace/formats/slurm_words.h"

#define OUTAGES_MOST 10000
#define OUTAGES_DAYS 36525 /* a century */
#define DAY_US (INT64_C(86400) * 1000000)
#define EVERY_DAY 7

struct torus_replay_outages {
	struct torus_replay_outages *next;
	uint64_t number; /* number in the journal; o.number is the replay's own */
	struct torus_outages o;
	uint64_t *maps;     /* one bitmap per NODES; of rules: per rule */
	uint32_t words;     /* of rules: of a bitmap */
	int64_t longest_us; /* of rules: between two outages of all nodes */
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
		struct torus_outage *out = &r->to->outage[r->to->o.count];
		char *end = outages_read_time(r, span, INT64_MIN, &out->from_us);

		/* Read [FROM]-[TO]: an outage keeps its length on the replay's clock. */
		if (end && *end == '-')
			end = outages_read_time(r, end + 1, TORUS_NO_TIME,
						&out->to_us);
		else
			end = NULL;
		if (!end || *end || out->from_us >= out->to_us)
			return outages_refuse(r, span);
		out->nodes = nodes;
		out->name = NULL;
		r->to->o.count++;
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
	uint64_t *nodes;
	char *group;
	char *number, *last, *end;

	if (!r.to)
		return -1;
	r.to->next = *list;
	r.to->o.number = *list ? (*list)->o.number + 1 : 1;
	*list = r.to;
	nodes = r.to->maps;
	/* NUMBER -[LAST] */
	number = strsep(&text, " ");
	last = strsep(&text, " ");
	if (!torus_number_whole(number, 1, UINT64_MAX, &r.to->number) ||
	    !last || *last != '-')
		return outages_refuse(&r, number);
	end = outages_read_time(&r, last + 1, TORUS_NO_TIME,
				&r.to->o.last_start_us);
	if (!end || *end)
		return outages_refuse(&r, last);
	for (; (group = strsep(&text, " ")); nodes += r.m->words) {
		if (outages_read_group(&r, group, nodes))
			return -1;
	}
	return 0;
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

/* A rule of --outage. */
struct outage_rule {
	bool recurs;
	int nth;       /* of the month: 1 to 4, -1: the last, 0: every */
	int weekday;   /* 0: Sunday; EVERY_DAY */
	int64_t at_us; /* since midnight; of a date: since 1970, or on the trace's
			    clock */
	int64_t length_us;
	char nodes[TORUS_REPLAY_OUTAGE_TEXT]; /* "": all */
};

static bool outage_rule_day(const char *word, int *weekday)
{
	static const char *const days[] = { "Sunday",    "Monday",   "Tuesday",
					    "Wednesday", "Thursday", "Friday",
					    "Saturday",  "day" };
	size_t n = strlen(word);

	for (*weekday = 0; *weekday <= EVERY_DAY; ++*weekday)
		if (n >= 3 && !strncasecmp(word, days[*weekday], n))
			return true;
	return false;
}

static bool outage_rule_nth(const char *word, int *nth)
{
	static const char *const words[] = { "every", "first",  "second",
					     "third", "fourth", "last" };

	for (*nth = 0; *nth < 6; ++*nth)
		if (!strcasecmp(word, words[*nth])) {
			*nth = *nth == 5 ? -1 : *nth;
			return true;
		}
	*nth = 0;
	return false;
}

/* A date, or its day and then its time, or seconds. */
static bool outage_rule_date(const char *word, char **save, int64_t *us)
{
	char date[TORUS_REPLAY_OUTAGE_TEXT];
	const char *time;

	if (torus_number_seconds(word, us))
		return true;
	if (!torus_slurm_day(word, us))
		return false;
	*save += strspn(*save, " \t");
	if (strchr(word, ':') || !isdigit((unsigned char)**save))
		return true;
	time = strtok_r(NULL, " \t", save);
	snprintf(date, sizeof(date), "%.40sT%.40s", word, time);
	return torus_slurm_day(date, us);
}

static bool outage_rule_read(const char *text, struct outage_rule *rule)
{
	char copy[TORUS_REPLAY_OUTAGE_TEXT], *save = NULL, *word;
	uint64_t hour, minute = 0;
	const char *p;

	*rule = (struct outage_rule){ 0 };
	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	word = strtok_r(copy, " \t", &save);
	if (word && outage_rule_nth(word, &rule->nth))
		word = strtok_r(NULL, " \t", &save);
	else if (word && outage_rule_date(word, &save, &rule->at_us))
		goto length;
	rule->recurs = true;
	if (!word || !outage_rule_day(word, &rule->weekday) ||
	    (rule->nth && rule->weekday == EVERY_DAY))
		return false;
	word = strtok_r(NULL, " \t", &save);
	if (!word)
		return false;
	/* HH:MM */
	p = torus_number_scan_whole(word, 23, &hour);
	if (!p || p - word > 2 || *p != ':' || strlen(p + 1) > 2 ||
	    !torus_number_whole(p + 1, 0, 59, &minute))
		return false;
	rule->at_us = (int64_t)(hour * 60 + minute) * INT64_C(60000000);
length:
	word = strtok_r(NULL, " \t", &save);
	if (!word || *word != '+' ||
	    torus_duration_read(word + 1, &rule->length_us, NULL) ||
	    rule->length_us <= 0)
		return false;
	word = strtok_r(NULL, " \t", &save);
	if (word)
		strcpy(rule->nodes, word);
	return strspn(rule->nodes, "0123456789-,") == strlen(rule->nodes) &&
	       !strtok_r(NULL, " \t", &save);
}

int torus_replay_outage_rule_add(struct torus_replay_options *options,
				 const char *text, struct torus_error *err)
{
	struct outage_rule rule;

	if (!outage_rule_read(text, &rule))
		return torus_error_add(err,
				       "got \"%.95s\": expected WHEN +DURATION [NODES], for example \"first Tue 08:00 +8h\", \"every Sun 22:00 +2h 0-15\" or \"2024-01-02T08:00:00 +8h\"",
				       text);
	if (options->outages == TORUS_REPLAY_OUTAGES)
		return torus_error_add(err, "more than %d outages",
				       TORUS_REPLAY_OUTAGES);
	strcpy(options->outage[options->outages++], text);
	return 0;
}

/* Return true if the rule has an outage that begins on this day since 1970. */
static bool outage_rule_on(const struct outage_rule *rule, int64_t day)
{
	time_t noon = (time_t)(day * 86400 + 43200), later = noon + 7 * 86400;
	struct tm t, week;

	gmtime_r(&noon, &t);
	gmtime_r(&later, &week);
	return rule->recurs &&
	       (rule->weekday == EVERY_DAY || t.tm_wday == rule->weekday) &&
	       (!rule->nth || (rule->nth > 0 ? (t.tm_mday + 6) / 7 == rule->nth :
					       week.tm_mon != t.tm_mon));
}

/* Add an outage that has not ended at first_us. */
static void outages_put(struct torus_replay_outages *to,
			const struct outage_rule *rule, const uint64_t *nodes,
			int64_t at_us, int64_t first_us)
{
	if (to->o.count < OUTAGES_MOST && at_us + rule->length_us > first_us)
		to->outage[to->o.count++] =
			(struct torus_outage){ .from_us = at_us,
					       .to_us = at_us + rule->length_us,
					       .nodes = nodes };
}

static int outages_compare(const void *a, const void *b)
{
	const struct torus_outage *x = a, *y = b;

	if (x->from_us != y->from_us)
		return x->from_us < y->from_us ? -1 : 1;
	return (x->to_us > y->to_us) - (x->to_us < y->to_us);
}

/* Find the longest time between outages of all nodes. */
static void outages_measure(struct torus_replay_outages *to,
			    const uint64_t *all, uint32_t words)
{
	int64_t end_us = INT64_MIN;

	to->longest_us = 0;
	for (uint32_t i = 0; i < to->o.count; i++) {
		const struct torus_outage *o = &to->outage[i];

		if (!torus_bits_equal(o->nodes, all, words))
			continue;
		if (end_us != INT64_MIN && o->from_us - end_us > to->longest_us)
			to->longest_us = o->from_us - end_us;
		if (o->to_us > end_us)
			end_us = o->to_us;
	}
	if (to->o.last_start_us == TORUS_NO_TIME || end_us == INT64_MIN)
		to->longest_us = TORUS_NO_TIME;
}

/* Set the nodes of a rule. Return 0, or -1 with EINVAL and a line in err. */
static int outage_rule_nodes(const struct torus_machine *m,
			     const struct outage_rule *rule,
			     const uint64_t *all_nodes, uint64_t *map,
			     struct torus_error *err)
{
	char text[TORUS_NAME_SIZE + TORUS_REPLAY_OUTAGE_TEXT + 4];
	struct torus_error why = { 0 };
	bool all;

	torus_bits_copy(map, all_nodes, m->words);
	if (!*rule->nodes)
		return 0;
	if (m->pods > 1)
		return torus_error_add(err,
				       "--outage: nodes have numbers on a machine of one torus, and this has %u",
				       m->pods);
	snprintf(text, sizeof(text), "%s:{%s}", m->pod[0].torus.name,
		 rule->nodes);
	return torus_replay_nodes_read(m, text, map, &all, &why) ?
		       torus_error_add(err,
				       "--outage: nodes: got \"%s\": expected numbers of nodes of this machine, 0 to %u, in ascending order, for example 0-15,32",
				       rule->nodes, m->pod[0].torus.nodes - 1) :
		       0;
}

int torus_replay_outages_create(struct torus_replay_outages **list,
				const struct torus_machine *m,
				const struct torus_replay_options *options,
				int64_t first_us, int64_t unix_start,
				struct torus_error *err)
{
	struct outage_rule rule[TORUS_REPLAY_OUTAGES];
	const int64_t shift_us = unix_start > 0 ? unix_start * 1000000 : 0;
	int64_t day = (first_us + shift_us) / DAY_US, last = day + OUTAGES_DAYS;
	struct torus_replay_outages *to =
		torus_alloc(1, sizeof(*to) + OUTAGES_MOST * sizeof(*to->outage));
	uint64_t *all;
	bool recurs = false;

	if (to)
		to->maps = torus_alloc((TORUS_REPLAY_OUTAGES + 1) * m->words,
				       sizeof(*to->maps));
	*list = to;
	if (!to || !to->maps)
		return -1;
	all = to->maps + TORUS_REPLAY_OUTAGES * m->words;
	torus_bits_set_range(all, 0, m->words * 64);
	to->words = m->words;
	to->o = (struct torus_outages){ .number = 1,
					.last_start_us = TORUS_NO_TIME,
					.sorted = true,
					.outage = to->outage };
	for (uint32_t k = 0; k < options->outages; k++) {
		uint64_t *map = to->maps + k * m->words;

		outage_rule_read(options->outage[k], &rule[k]);
		if (outage_rule_nodes(m, &rule[k], all, map, err))
			return -1;
		recurs |= rule[k].recurs;
		if (!rule[k].recurs)
			outages_put(to, &rule[k], map,
				    rule[k].at_us >= shift_us ?
					    rule[k].at_us - shift_us :
					    rule[k].at_us,
				    first_us);
		else if (day >
			 (first_us + shift_us - rule[k].length_us) / DAY_US - 1)
			day = (first_us + shift_us - rule[k].length_us) /
				      DAY_US -
			      1;
	}
	for (; recurs && day < last && to->o.count < OUTAGES_MOST; day++)
		for (uint32_t k = 0; k < options->outages; k++)
			if (outage_rule_on(&rule[k], day))
				outages_put(to, &rule[k],
					    to->maps + k * m->words,
					    day * DAY_US + rule[k].at_us -
						    shift_us,
					    first_us);
	if (recurs)
		to->o.last_start_us = day * DAY_US - shift_us;
	qsort(to->outage, to->o.count, sizeof(*to->outage), outages_compare);
	outages_measure(to, all, m->words);
	return 0;
}

void torus_replay_outages_pass(struct torus_replay_outages *to, int64_t now_us)
{
	while (to->o.count && to->o.outage->to_us <= now_us) {
		to->o.outage++;
		to->o.count--;
	}
}

const struct torus_outages *
torus_replay_outages_all(const struct torus_replay_outages *to)
{
	return to ? &to->o : NULL;
}

uint32_t torus_replay_outages_unmet(const struct torus_replay_outages *to,
				    uint32_t rules, int64_t last_us)
{
	/* those that ended are before to->o.outage */
	const struct torus_outage *end = to->o.outage + to->o.count;
	uint32_t unmet = (1U << rules) - 1;

	for (const struct torus_outage *o = to->outage;
	     o < end && o->from_us < last_us; o++)
		unmet &= ~(1U << (uint32_t)((o->nodes - to->maps) / to->words));
	return unmet;
}

int64_t torus_replay_outages_longest(const struct torus_replay_outages *to)
{
	return to ? to->longest_us : TORUS_NO_TIME;
}
