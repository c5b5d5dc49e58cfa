/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus parity: compare a replay with the decisions of the cluster. A trace with the
 * times and regions of its jobs (the journal of sched/torus, sacct) is replayed on
 * torus.yaml, and both are compared job by job: the order of the starts, the regions,
 * the start times. The report says which differences the trace can prove
 * (parity_judge.c).
 *
 * Live jobs that start at the same time have no order.
 *
 * Cost: the replay, and memory for every job's record.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "storus/base/notices.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/lab/parity.h"
#include "storus/lab/parity_dry.h"
#include "storus/lab/replay_options.h"
#include "storus/storus.h"
#include "torus/discipline.h"

#define NAME &storus_parity
#define SHOWN 20         /* jobs that differ */
#define LATE_S 600       /* a scheduler may be so late */
#define PARITY_COLUMNS 5 /* without the verdict of a dry run */

/* The words of the command line. */
struct parity_words {
	const char *torus, *path, *command, *discipline;
	struct storus_table table;
	bool dry_run, check;
	int64_t within_us;
	struct torus_options of_policy; /* --option */
	struct torus_trace_choice choice;
};

static const struct storus_option options[] = {
	{ "torus", "FILE",
	  "torus.yaml with the scheduler: block that the cluster had",
	  STORUS_TO(struct parity_words, torus) },
	{ "discipline", "NAME",
	  "judge with this discipline and its default options, whatever the cluster had",
	  STORUS_TO(struct parity_words, discipline) },
	STORUS_POLICY_OPTION(struct parity_words, of_policy),
	{ "within", "DURATION",
	  "starts within this time of each other count as the same; default: 2",
	  STORUS_TO(struct parity_words, within_us) },
	{ "dry-run", NULL, "TRACE is the journal of a dry run",
	  STORUS_TO(struct parity_words, dry_run) },
	{ "check", NULL, "check every invariant of the replay",
	  STORUS_TO(struct parity_words, check) },
	STORUS_TRACE_CHOICE(struct parity_words, choice),
	STORUS_TABLE_OPTIONS(struct parity_words, table),
	{ 0 },
};

/* Known to differ. A coarse clock tells the order of starts only up to ties,
 * and the start times are compared anyway. */
static bool parity_differs(const struct parity *p)
{
	return p->counts.different || p->counts.missing ||
	       (p->grain_us == 0 && p->counts.order && !p->counts.unclear);
}

/* Return true if less than half of it is known to be the same. Then nothing is
 * shown. */
static bool parity_is_open(const struct parity *p)
{
	return p->counts.compared == 0 ||
	       2 * p->counts.decided < p->counts.compared;
}

static bool is_same(const struct parity *p)
{
	return !parity_differs(p) && !parity_is_open(p);
}

/* Telling */

static const struct storus_column columns[] = {
	{ "job", 'i', "JOB", .width = -12 },
	{ "live_start", 'S', "LIVE START", .width = 20, .time = true,
	  .decimals = 6 },
	{ "other_start", 'R', "OTHER START", .width = 20, .time = true,
	  .decimals = 6 },
	{ "live_region", 'l', "LIVE REGION", .width = -12 },
	{ "other_region", 'r', "OTHER REGION", .width = -12 },
	{ "verdict", 'v', "DRY RUN", .width = -9 },
	{ 0 },
};

json_t *parity_row(const char *job, int64_t live_us, int64_t other_us,
		   const char *live, const char *other)
{
	return json_pack("{s:s, s:o, s:o, s:s?, s:s?}", "job", job,
			 "live_start", storus_clock_json(live_us),
			 "other_start", storus_clock_json(other_us),
			 "live_region", *live ? live : NULL, "other_region",
			 *other ? other : NULL);
}

/* Write the jobs that differ; in a report the first ones. */
static int parity_write_jobs(const struct parity *p, struct storus_table *t)
{
	bool all = storus_table_asked(t);
	uint32_t shown = 0;

	for (size_t i = 0; i < p->pairs && (all || shown < SHOWN); i++) {
		const struct parity_pair *pair = &p->pair[i];

		if (pair->taken_over ||
		    (!parity_other_time(p, pair) && !parity_other_region(pair)))
			continue;
		if (shown++ == 0 && !all)
			storus_print("\n");
		storus_table_row(t, parity_row(pair->id, pair->live_us,
					       pair->replay_us, pair->live,
					       pair->replay));
	}
	return shown || all ? storus_table_end(NAME, t) : STORUS_DONE;
}

/* Print what the trace does not contain. */
static void parity_print_limits(const struct parity *p)
{
	char words[256];

	torus_trace_skipped_words(&p->read, words, sizeof(words));
	if (*words)
		storus_print("not replayed: %s; they may have delayed other jobs\n",
			     words);
	if (p->parts.headless)
		storus_print("not judged: %llu lines of a scheduler that began in an earlier file; give both: cat OLDER FILE | storus parity --torus TORUS -\n",
			     (unsigned long long)p->parts.headless);
	if (p->settings)
		storus_print("settings: %u of %u pieces had other settings than %s, first \"%s\"\n",
			     p->changed, p->pieces, p->config->path,
			     p->settings);
	if (p->other_pieces)
		storus_print("discipline: the cluster had %s; --discipline %s differs from that of %u of %u pieces\n",
			     p->cluster_disciplines.data, p->discipline,
			     p->other_pieces, p->pieces);
	if (p->counts.taken_over)
		storus_print("taken over: %llu jobs that ran when a scheduler began\n",
			     (unsigned long long)p->counts.taken_over);
	if (p->counts.foreign)
		storus_print("without a region: %llu jobs that were not placed by shape\n",
			     (unsigned long long)p->counts.foreign);
	if (p->grain_us && p->counts.compared)
		storus_print("the trace's clock has whole seconds: the order of %llu starts is not known\n",
			     (unsigned long long)p->counts.ties);
}

/* Print how certain the verdict is. */
static void parity_print_certain(const struct parity *p)
{
	const struct parity_counts *counts = &p->counts;

	if (counts->compared)
		storus_print("certain: %.1f %% of the jobs started within %g s of the replay on the same nodes, before any difference in their busy period (%llu of %llu); %s\n",
			     100.0 * (double)counts->decided /
				     (double)counts->compared,
			     (double)p->within_us * 1e-6,
			     (unsigned long long)counts->decided,
			     (unsigned long long)counts->compared,
			     parity_differs(p) ? "some differ" :
			     parity_is_open(p) ? "too few to judge by" :
						 "none is known to differ");
}

/* The disciplines that judged. */
static const char *parity_disciplines(const struct parity *p)
{
	return p->disciplines.length ? p->disciplines.data :
				       p->config->scheduler.discipline->name;
}

static int parity_print_report(const struct parity *p, struct storus_table *t)
{
	const struct parity_counts *counts = &p->counts;

	parity_print_certain(p);
	storus_print("%llu jobs compared (%s, %s)\n",
		     (unsigned long long)counts->compared, p->config->path,
		     parity_disciplines(p));
	if (p->pieces)
		storus_print("pieces: %u, each begins with a start of the scheduler and is judged with %s\n",
			     p->pieces,
			     p->discipline ? "the discipline of --discipline" :
					     "its settings");
	if (counts->missing)
		storus_print("%llu jobs are not in the replay\n",
			     (unsigned long long)counts->missing);
	if (counts->compared == 0) {
		storus_print("there is nothing to compare\n");
		parity_print_limits(p);
		return STORUS_DONE;
	}
	storus_print("order of starts: %s (%llu out of turn)\n",
		     counts->order ? "differs" : "identical",
		     (unsigned long long)counts->order);
	storus_print("regions: %llu of %llu differ\n",
		     (unsigned long long)counts->regions,
		     (unsigned long long)counts->regions_known);
	storus_print("starts: %llu differ by more than %g s; mean difference %.6f s, largest %.6f s\n",
		     (unsigned long long)counts->times,
		     (double)p->within_us * 1e-6, counts->mean_s, counts->max_s);
	if (2 * counts->times > counts->compared && counts->max_s <= LATE_S)
		storus_print("late: half the starts are %g s %s than in the replay, none differs by more than %g s, as with a scheduler that runs at intervals; --within %g counts them as the same\n",
			     fabs(counts->median_s),
			     counts->median_s < 0 ? "earlier" : "later",
			     counts->max_s, ceil(counts->max_s));
	parity_print_limits(p);
	storus_print("busy periods: %llu the same, %llu differ, %llu unclear; %llu of %llu jobs are known to be the same\n",
		     (unsigned long long)p->counts.same,
		     (unsigned long long)p->counts.different,
		     (unsigned long long)p->counts.unclear,
		     (unsigned long long)p->counts.decided,
		     (unsigned long long)p->counts.compared);
	if (p->has_first)
		storus_print("first difference: job %s\n", p->first.id);
	return parity_write_jobs(p, t);
}

static int parity_write_json(const struct parity *p, const char *path,
			     const char *command)
{
	const struct parity_counts *counts = &p->counts;
	json_t *o =
		json_pack("{s:i, s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f}",
			  "schema", 1, "same", is_same(p), "discipline",
			  parity_disciplines(p), "compared",
			  (json_int_t)counts->compared, "missing",
			  (json_int_t)counts->missing, "out_of_turn",
			  (json_int_t)counts->order, "regions",
			  (json_int_t)counts->regions_known, "regions_differ",
			  (json_int_t)counts->regions, "starts_differ",
			  (json_int_t)counts->times, "mean_difference_s",
			  counts->mean_s, "max_difference_s", counts->max_s);
	json_t *more =
		json_pack("{s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:I, s:s, s:I, s:I}",
			  "clock_s", (double)p->grain_us * 1e-6, "ties",
			  (json_int_t)counts->ties, "without_region",
			  (json_int_t)counts->foreign, "not_replayed",
			  (json_int_t)torus_trace_skipped(&p->read),
			  "periods_same", (json_int_t)counts->same,
			  "periods_differ", (json_int_t)counts->different,
			  "periods_unclear", (json_int_t)counts->unclear,
			  "known_same", (json_int_t)counts->decided,
			  "trace_sha256", p->digest, "lost",
			  (json_int_t)p->read.lost, "not_judged",
			  (json_int_t)p->parts.headless, "taken_over",
			  (json_int_t)p->counts.taken_over, "settings",
			  p->settings ? p->settings : "", "pieces",
			  (json_int_t)p->pieces, "other_discipline",
			  (json_int_t)p->other_pieces);

	if (o && more) {
		json_object_set_new(o, "median_difference_s",
				    json_real(counts->median_s));
		json_object_set_new(o, "within_s",
				    json_real((double)p->within_us * 1e-6));
		json_object_update(o, more);
	}
	json_decref(more);
	return storus_json_write(NAME, storus_json_origin(o, command), path);
}

static int parity_of(struct parity *p, const char *torus, const char *path)
{
	struct torus_error err;
	int status;

	torus_error_clear(&err);
	p->config = torus_config_load(torus, &err);
	if (!p->config || storus_replay_anywhere(&p->config->machine, &err))
		return parity_refused(&err, errno == EINVAL);
	status = parity_read(p, path);
	if (status == STORUS_DONE &&
	    torus_config_outside(p->config, p->outside, NULL, &err))
		return parity_refused(&err, errno == EINVAL);
	if (status == STORUS_DONE)
		status = parity_replay(p);
	if (status == STORUS_DONE && parity_judge(p))
		status = storus_no_memory(NAME);
	return status;
}

/* Check that --dry-run has its options, and no others. */
static int parity_check(const struct parity_words *w)
{
	if (w->dry_run && (w->torus || w->check))
		return storus_say(NAME, STORUS_USAGE,
				  "--dry-run replays nothing: omit %s",
				  w->torus ? "--torus" : "--check");
	if (w->dry_run && w->discipline)
		return storus_say(NAME, STORUS_USAGE,
				  "--dry-run replays nothing: omit --discipline");
	if (w->dry_run && w->of_policy.used)
		return storus_say(NAME, STORUS_USAGE,
				  "--dry-run replays nothing: omit --option");
	if (w->discipline && !torus_discipline_find(w->discipline))
		return storus_say(NAME, STORUS_USAGE,
				  "--discipline: got \"%s\"; storus list disciplines names them",
				  w->discipline);
	if (!w->path || (!w->torus && !w->dry_run))
		return storus_say(NAME, STORUS_USAGE,
				  "expected --torus FILE or --dry-run, and a trace's file; storus parity --help has examples");
	return STORUS_GO;
}

static int parity_run(void *words)
{
	struct parity_words *w = words;
	struct parity p = { .within_us = w->within_us,
			    .discipline = w->discipline,
			    .of_policy = w->of_policy,
			    .choice = w->choice };
	int status = parity_check(w);

	if (status != STORUS_GO)
		return status;
	if (w->dry_run)
		return storus_parity_dry(w->path, w->within_us, &w->table,
					 w->command);
	torus_replay_options_init(&p.how);
	p.how.overrun = TORUS_OVERRUN_EXTEND; /* who knew? */
	p.how.check = w->check;
	status = parity_of(&p, w->torus, w->path);
	if (status == STORUS_DONE) {
		w->table.gap = 2;
		w->table.only = PARITY_COLUMNS;
		if (w->table.json)
			status = parity_write_json(&p, w->table.json,
						   w->command);
		else if (storus_table_asked(&w->table))
			status = parity_write_jobs(&p, &w->table);
		else
			status = parity_print_report(&p, &w->table);
		if (status == STORUS_DONE && !is_same(&p))
			status = STORUS_NO;
	}
	parity_free(&p);
	return status;
}

const struct storus_command storus_parity = {
	.name = "parity",
	.summary = "compare a live cluster with a replay of its jobs",
	.usage = "{--torus FILE | --dry-run} TRACE [OPTION]...",
	.about =
		"TRACE has the requests of the jobs and their starts: the journal of sched/torus\n"
		"(torus.yaml, scheduler: journal), or sacct -P with Start and AdminComment, in any\n"
		"order. Its jobs are replayed with the same torus.yaml, those of a journal with the\n"
		"settings of each scheduler that it has, and\n"
		"compared one by one, in busy periods, up to the first difference of each. Exit\n"
		"status 1: they differ, or less than half of the jobs are known to be the same.\n"
		"A difference is unclear, and does not count, if the\n"
		"trace does not contain what the cluster saw: several events in one second of its\n"
		"clock, jobs without a region.\n"
		"With --dry-run nothing is replayed: the journal of a cluster with dry_run: true\n"
		"in torus.yaml says where sched/torus would have started each job, and is compared with\n"
		"what the cluster's own scheduler did. Exit status 1: some\n"
		"job would have started at another time or on other nodes.",
	.options = options,
	STORUS_WORDS(struct parity_words, .table.column = columns,
		     .within_us = 2000000),
	.line = { STORUS_TO(struct parity_words, command) },
	.operand = { .value = "trace", STORUS_TO(struct parity_words, path) },
	.examples = "  storus parity --torus /etc/slurm/torus.yaml journal.csv\n" STORUS_SACCT_LINES(
		"2026-01-01",
		"jobs.sacct") "\n"
			      "  storus parity --torus /etc/slurm/torus.yaml --within 5 jobs.sacct\n"
			      "  storus parity --dry-run /var/spool/slurm-torus/journal.csv\n",
	.run = parity_run,
};
