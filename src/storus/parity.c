/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus parity: does a replay decide as the cluster did? A trace that tells
 * when and where its jobs ran (the journal of sched/torus, a schedule, sacct)
 * is replayed on torus.yaml, and the two are compared job by job: the order of
 * the starts, the regions, the start times.
 *
 * Jobs that start at the same time live have no order among each other.
 *
 * Cost: the replay, and memory for every job's id, start and region.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "storus/json.h"
#include "storus/storus.h"
#include "torus/alloc.h"
#include "torus/config.h"

#define NAME &storus_parity
#define SHOWN 20 /* jobs that differ */

enum { OPT_TORUS = 1, OPT_WITHIN, OPT_JSON, OPT_CHECK };

static const struct storus_option options[] = {
	{ "torus", OPT_TORUS, "FILE",
	  "torus.yaml with the scheduler: block that the cluster had" },
	{ "within", OPT_WITHIN, "SEC",
	  "starts so near each other count as the same; initially 2" },
	{ "check", OPT_CHECK, NULL, "check every invariant of the replay" },
	{ "json", OPT_JSON, "[=FILE]", "the report as JSON (default: stdout)" },
	{ NULL, 0, NULL, NULL },
};

static int parity_run(int argc, char **argv);

const struct storus_command storus_parity = {
	.name = "parity",
	.summary = "a live cluster against a replay of the same jobs",
	.usage = "--torus FILE TRACE [OPTION]...",
	.about = "TRACE tells what the jobs asked for and what became of them: the journal that\n"
		 "sched/torus writes (torus.yaml, scheduler: journal), or sacct -P with Start and\n"
		 "AdminComment. Its jobs are replayed with the same torus.yaml, and compared one\n"
		 "by one. Exit status 1: they differ.",
	.options = options,
	.examples = "  storus parity --torus /etc/slurm/torus.yaml journal.csv\n"
		    "  SLURM_TIME_FORMAT=%s sacct -a -X -D -P -o JobID,Submit,Start,End,ElapsedRaw,\\\n"
		    "NNodes,TimelimitRaw,State,AdminComment >jobs.txt\n"
		    "  storus parity --torus /etc/slurm/torus.yaml --within 5 jobs.txt\n",
	.run = parity_run,
};

/* A job in both worlds. */
struct pair {
	char id[TORUS_TRACE_ID_SIZE];
	int64_t live_us, replay_us; /* starts, or TORUS_NO_TIME */
	char live[TORUS_TRACE_PLACE_SIZE]; /* region, or "" */
	char replay[TORUS_REGION_SIZE];
	bool replayed;
};

struct parity {
	struct torus_config *config;
	struct torus_replay_options how;
	struct pair *pair; /* by id */
	size_t pairs, room;
	int64_t within_us;

	/* the result */
	uint64_t compared, missing, regions, regions_known, times, order;
	double mean_s, max_s;
};

/* The live half */

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->id,
		      ((const struct pair *)b)->id);
}

static int add_pair(struct parity *p, const struct torus_trace_record *r)
{
	struct pair *list;

	if (p->pairs == p->room) {
		size_t room = p->room ? 2 * p->room : 256;

		list = torus_realloc(p->pair, room, sizeof(*list));
		if (!list)
			return -1;
		p->pair = list;
		p->room = room;
	}
	list = &p->pair[p->pairs++];
	*list = (struct pair){ .live_us = r->start_us,
			       .replay_us = TORUS_NO_TIME };
	memcpy(list->id, r->id, sizeof(list->id));
	memcpy(list->live, r->place, sizeof(list->live));
	return 0;
}

static int refused(struct torus_error *err, int saved)
{
	return storus_say_errors(NAME, saved == EINVAL ? STORUS_USAGE :
							 STORUS_TROUBLE,
				 err);
}

static int read_live(struct parity *p, const char *path)
{
	const struct torus_trace_options options_of = { .strict = true };
	const struct torus_trace_record *record;
	enum torus_trace_answer answer;
	struct torus_error err;
	struct torus_trace *trace;

	torus_error_clear(&err);
	trace = torus_trace_open(path, &options_of, &err);
	if (!trace)
		return refused(&err, errno);
	while ((answer = torus_trace_next(trace, &record, &err)) ==
	       TORUS_TRACE_JOB) {
		if (add_pair(p, record)) {
			answer = TORUS_TRACE_FAILED;
			torus_error_add(&err, "%s: out of memory", path);
			break;
		}
	}
	torus_trace_close(trace);
	if (answer != TORUS_TRACE_END)
		return refused(&err, answer == TORUS_TRACE_REFUSED ? EINVAL :
								     EIO);
	qsort(p->pair, p->pairs, sizeof(*p->pair), by_id);
	return STORUS_DONE;
}

/* The other half */

static int row(void *arg, const struct torus_machine *m,
	       const struct torus_replay_row *r)
{
	struct parity *p = arg;
	struct torus_text text = { 0 };
	struct pair key = { .replayed = false }, *pair;

	snprintf(key.id, sizeof(key.id), "%s", r->id);
	pair = bsearch(&key, p->pair, p->pairs, sizeof(key), by_id);
	if (!pair)
		return 0;
	pair->replayed = true;
	if (!r->place)
		return 0;
	pair->replay_us = r->account.start_us;
	if (!r->place->scattered &&
	    torus_placement_format(m, r->place, &text) == 0)
		snprintf(pair->replay, sizeof(pair->replay), "%s", text.data);
	torus_text_free(&text);
	return 0;
}

static int replay(struct parity *p, const char *path)
{
	const struct torus_trace_options options_of = { .strict = true };
	const struct torus_replay_hooks hooks = { .arg = p, .row = row };
	struct torus_replay_counts counts = { 0 };
	enum torus_replay_answer answer;
	struct torus_metrics *metrics;
	struct torus_trace *trace;
	struct torus_error err;

	torus_error_clear(&err);
	trace = torus_trace_open(path, &options_of, &err);
	if (!trace)
		return refused(&err, errno);
	metrics = torus_metrics_create();
	if (!metrics) {
		torus_trace_close(trace);
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	}
	answer = torus_replay_run(trace, &p->config->machine,
				  &p->config->scheduler, &p->how, &hooks,
				  metrics, &counts, &err);
	torus_metrics_destroy(metrics);
	torus_trace_close(trace);
	if (answer == TORUS_REPLAY_DONE)
		return STORUS_DONE;
	return refused(&err, answer == TORUS_REPLAY_REFUSED ? EINVAL : EIO);
}

/* Comparing */

static int by_replay(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->replay_us != y->replay_us)
		return x->replay_us < y->replay_us ? -1 : 1;
	if (x->live_us != y->live_us)
		return x->live_us < y->live_us ? -1 : 1;
	return strcmp(x->id, y->id);
}

static bool both_started(const struct pair *pair)
{
	return pair->live_us != TORUS_NO_TIME &&
	       pair->replay_us != TORUS_NO_TIME;
}

static bool other_time(const struct parity *p, const struct pair *pair)
{
	int64_t apart = pair->live_us - pair->replay_us;

	return !both_started(pair) ? pair->live_us != pair->replay_us :
				     (apart < 0 ? -apart : apart) >
					     p->within_us;
}

static bool other_region(const struct pair *pair)
{
	return *pair->live && *pair->replay && strcmp(pair->live, pair->replay);
}

static void compare(struct parity *p)
{
	int64_t latest = INT64_MIN;
	uint64_t started = 0;

	qsort(p->pair, p->pairs, sizeof(*p->pair), by_replay);
	for (size_t i = 0; i < p->pairs; i++) {
		const struct pair *pair = &p->pair[i];
		double apart;

		if (!pair->replayed) {
			p->missing++;
			continue;
		}
		p->compared++;
		p->times += other_time(p, pair);
		p->regions_known += *pair->live && *pair->replay;
		p->regions += other_region(pair);
		if (!both_started(pair))
			continue;
		p->order += pair->live_us < latest;
		if (pair->live_us > latest)
			latest = pair->live_us;
		apart = fabs((double)(pair->live_us - pair->replay_us)) * 1e-6;
		p->mean_s += apart;
		started++;
		if (apart > p->max_s)
			p->max_s = apart;
	}
	if (started)
		p->mean_s /= (double)started;
}

static bool differs(const struct parity *p)
{
	return p->times || p->regions || p->order || p->missing ||
	       p->compared == 0;
}

/* Telling */

static void print_time(int64_t us)
{
	if (us == TORUS_NO_TIME)
		printf("  %20s", "-");
	else
		printf("  %20.6f", (double)us * 1e-6);
}

static void print_jobs(const struct parity *p)
{
	uint32_t shown = 0;

	for (size_t i = 0; i < p->pairs && shown < SHOWN; i++) {
		const struct pair *pair = &p->pair[i];

		if (!other_time(p, pair) && !other_region(pair))
			continue;
		if (shown++ == 0)
			printf("\n%-12s  %20s  %20s  live region, replayed region\n",
			       "JOB", "LIVE START", "REPLAYED START");
		printf("%-12s", pair->id);
		print_time(pair->live_us);
		print_time(pair->replay_us);
		printf("  %s %s\n", *pair->live ? pair->live : "-",
		       *pair->replay ? pair->replay : "-");
	}
}

static void print_report(const struct parity *p)
{
	printf("%llu jobs compared (%s, %s)\n", (unsigned long long)p->compared,
	       p->config->path, p->config->scheduler.discipline->name);
	if (p->missing)
		printf("%llu jobs are not in the replay\n",
		       (unsigned long long)p->missing);
	if (p->compared == 0)
		printf("there is nothing to compare\n");
	printf("order of starts: %s (%llu out of turn)\n",
	       p->order ? "differs" : "identical",
	       (unsigned long long)p->order);
	printf("regions: %llu of %llu differ\n",
	       (unsigned long long)p->regions,
	       (unsigned long long)p->regions_known);
	printf("starts: %llu differ by more than %g s; mean difference %.6f s, largest %.6f s\n",
	       (unsigned long long)p->times, (double)p->within_us * 1e-6,
	       p->mean_s, p->max_s);
	print_jobs(p);
}

static int write_json(const struct parity *p, const char *path,
		      const char *command)
{
	json_t *o = json_pack("{s:i, s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f}",
			      "schema", 1, "same", !differs(p), "discipline",
			      p->config->scheduler.discipline->name,
			      "compared", (json_int_t)p->compared, "missing",
			      (json_int_t)p->missing, "out_of_turn",
			      (json_int_t)p->order, "regions",
			      (json_int_t)p->regions_known, "regions_differ",
			      (json_int_t)p->regions, "starts_differ",
			      (json_int_t)p->times, "mean_difference_s",
			      p->mean_s, "max_difference_s", p->max_s);

	return storus_json_write(NAME, storus_json_origin(o, command), path);
}

static int report(const struct parity *p, bool json, const char *json_path,
		  const char *command)
{
	int status = STORUS_DONE;

	if (json)
		status = write_json(p, json_path, command);
	else
		print_report(p);
	if (status == STORUS_DONE && differs(p))
		status = STORUS_NO;
	return status;
}

static int parity_of(struct parity *p, const char *torus, const char *path)
{
	struct torus_error err;
	int status;

	torus_error_clear(&err);
	p->config = torus_config_load(torus, &err);
	if (!p->config)
		return refused(&err, errno);
	status = read_live(p, path);
	if (status == STORUS_DONE)
		status = replay(p, path);
	if (status == STORUS_DONE)
		compare(p);
	return status;
}

static int parity_run(int argc, char **argv)
{
	const char *torus = NULL, *path = NULL, *json_path = NULL;
	struct parity p = { .within_us = 2000000 };
	struct storus_args args;
	char *command;
	bool json = false;
	int id, status;

	torus_replay_options_init(&p.how);
	storus_args_begin(&args, NAME, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		switch (id) {
		case STORUS_ARGS_HELP:
			return STORUS_DONE;
		case STORUS_ARGS_BAD:
			return STORUS_USAGE;
		case OPT_TORUS:
			torus = args.value;
			break;
		case OPT_WITHIN:
			if (!storus_args_seconds(&args, &p.within_us))
				return STORUS_USAGE;
			break;
		case OPT_CHECK:
			p.how.check = true;
			break;
		case OPT_JSON:
			json = true;
			json_path = args.value;
			break;
		default:
			if (path)
				return storus_say(NAME, STORUS_USAGE, "one trace, please: \"%s\" is another", args.value);
			path = args.value;
		}
	}
	if (!torus || !path || strcmp(path, "-") == 0)
		return storus_say(NAME, STORUS_USAGE, "expected --torus FILE and a trace's file, which is read twice; storus parity --help has examples");
	status = parity_of(&p, torus, path);
	command = storus_command_line(argc, argv);
	if (!command)
		status = storus_say(NAME, STORUS_TROUBLE, "out of memory");
	if (status == STORUS_DONE)
		status = report(&p, json, json_path, command);
	free(command);
	torus_config_destroy(p.config);
	torus_free(p.pair);
	return status;
}
