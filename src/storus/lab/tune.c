/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus tune: the options of easy, of the strategy and of backfill_places that suit a
 * site's jobs better than the defaults.
 *
 * They are chosen on the first half of the jobs (tune_choose.c) and judged once, on the
 * second half, by the gains in waits and in bounded slowdown and by the longest wait.
 * Memory: the records of the trace.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storus/lab/tune.h"

#include "report/summary.h"
#include "storus/base/json.h"
#include "storus/base/notices.h"
#include "storus/base/table.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "torus_build.h"

#define NAME &storus_tune
#define TUNE_WAIT_TEST 1.4
#define TUNE_USER_JOBS 20 /* a user with fewer is not listed */
#define TUNE_LISTED 5

/* A replay whose jobs are kept. */
struct tune_run {
	struct torus_metrics *metrics;
	double *wait, *slowdown; /* by job; NAN: it did not complete */
	uint64_t jobs;
	double max_wait;
	json_t *summary;
};

static const struct storus_option options[] = {
	{ "torus", "FILE|MACHINE",
	  "the machine, as for storus replay; its strategy is kept",
	  STORUS_TO(struct tune, torus) },
	{ "strategy", "NAME", "the placement strategy",
	  STORUS_TO(struct tune, strategy) },
	{ "format", "NAME", "format of the trace; default: by content",
	  STORUS_TAKE_TO(struct tune, input.format, storus_trace_take_format) },
	STORUS_TRACE_CHOICE(struct tune, input.choice),
	{ "scale", "F", "multiply sizes, rounding up", .above = true,
	  STORUS_TO(struct tune, options.scale) },
	{ "max-jobs", "N", "only the first N jobs of the file", .low = 1,
	  STORUS_TO(struct tune, input.max_jobs) },
	{ "json", "[=FILE]", "write the answer as JSON (default: stdout)",
	  STORUS_TO(struct tune, json) },
	{ 0 },
};

/* Judging */

static int tune_keep_row(void *arg, const struct torus_machine *m,
			 const struct torus_replay_row *row)
{
	struct tune_run *run = arg;
	double wait_s = (double)torus_account_wait(&row->account) * 1e-6;

	(void)m;
	if (row->account.outcome != TORUS_OUTCOME_COMPLETED)
		return 0;
	run->wait[row->number - 1] = wait_s;
	run->slowdown[row->number - 1] = torus_account_slowdown(&row->account);
	if (wait_s > run->max_wait)
		run->max_wait = wait_s;
	return 0;
}

/* Return the counts of a half, of what its records tell. */
static struct torus_trace_counts tune_counts(const struct tune *t,
					     uint64_t from, uint64_t jobs)
{
	struct torus_trace_counts counts = { .jobs = jobs };

	for (uint64_t i = from; i < from + jobs; i++) {
		const struct torus_trace_record *r = &t->records.record[i];

		counts.no_limit += r->limit_us < 0;
		if (r->limit_us > 0) {
			counts.limited++;
			counts.limit_used += (double)r->run_us /
					     (double)r->limit_us;
		}
	}
	return counts;
}

static json_t *tune_summary(const struct tune *t, const struct tune_run *run,
			    uint64_t from)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	json_t *json = NULL;
	struct torus_summary summary = {
		.trace = t->trace,
		.machine = t->torus,
		.strategy = t->config->machine.pod[0].strategy[0]->name,
		.discipline = t->config->scheduler.discipline->name,
		.policy = { &t->config->machine, &t->config->scheduler,
			    &t->options, t->input.max_jobs },
		.nodes = t->config->machine.nodes,
		.metrics = run->metrics,
		.counts = tune_counts(t, from, run->jobs),
		.seed = 1,
		.version = PACKAGE_VERSION,
		.command = t->command,
	};

	if (out && torus_summary_json(&summary, out) == 0 && fclose(out) == 0)
		json = json_loads(text, 0, NULL);
	free(text);
	return json;
}

/* Replay a half with a candidate, and keep its jobs. */
static int tune_judge_run(struct tune *t, const struct tune_candidate *c,
			  bool second, struct tune_run *run)
{
	const struct torus_replay_hooks hooks = { .arg = run,
						  .row = tune_keep_row };
	struct torus_options had = t->config->machine.pod[0].options;
	uint64_t from = second ? t->half : 0;

	run->jobs = second ? t->records.count - t->half : t->half;
	run->metrics = torus_metrics_create();
	run->wait = torus_alloc(run->jobs, sizeof(*run->wait));
	run->slowdown = torus_alloc(run->jobs, sizeof(*run->slowdown));
	if (!run->metrics || !run->wait || !run->slowdown)
		return storus_no_memory(NAME);
	for (uint64_t i = 0; i < run->jobs; i++)
		run->wait[i] = NAN;
	if (tune_choose_apply(t, c) ||
	    tune_choose_replay(t, from, run->jobs, 1, &hooks, run->metrics))
		return storus_say_errors(NAME, STORUS_TROUBLE, &t->err);
	run->summary = tune_summary(t, run, from);
	t->config->machine.pod[0].options = had;
	return run->summary ? STORUS_DONE : storus_no_memory(NAME);
}

static void tune_run_free(struct tune_run *run)
{
	torus_metrics_destroy(run->metrics);
	torus_free(run->wait);
	torus_free(run->slowdown);
	json_decref(run->summary);
}

/* Sum the jobs of a run of the second half by weeks. */
static struct tune_week *tune_weeks(const struct tune *t,
				    const struct tune_run *run, uint32_t *weeks)
{
	const struct torus_trace_record *r = t->records.record + t->half;
	struct tune_week *week;

	*weeks = (uint32_t)((r[run->jobs - 1].submit_us - r->submit_us) /
			    TUNE_WEEK_US) +
		 1;
	week = torus_alloc(*weeks, sizeof(*week));
	for (uint64_t i = 0; week && i < run->jobs; i++) {
		struct tune_week *w =
			&week[(r[i].submit_us - r->submit_us) / TUNE_WEEK_US];

		if (isnan(run->wait[i]))
			continue;
		w->wait += run->wait[i];
		w->slowdown += run->slowdown[i];
		w->jobs++;
	}
	return week;
}

struct tune_verdict {
	struct tune_gain wait, slowdown;
	double max_wait_ratio;
	uint32_t weeks; /* that were judged */
	bool better;
};

/* Judge the second half. */
static int tune_judge(const struct tune *t, const struct tune_run *easy,
		      const struct tune_run *chosen, struct tune_verdict *v)
{
	uint32_t weeks;
	struct tune_week *a = tune_weeks(t, easy, &weeks);
	struct tune_week *b = tune_weeks(t, chosen, &weeks);

	if (a && b) {
		v->wait = tune_choose_gain(a, b, weeks, false);
		v->slowdown = tune_choose_gain(a, b, weeks, true);
	}
	if (a && b && weeks < 2) /* nothing to resample */
		v->wait.low = v->wait.high = v->slowdown.low =
			v->slowdown.high = NAN;
	v->weeks = weeks;
	torus_free(a);
	torus_free(b);
	if (!a || !b)
		return storus_no_memory(NAME);
	v->max_wait_ratio = easy->max_wait > 0 ?
				    chosen->max_wait / easy->max_wait :
			    chosen->max_wait > 0 ? INFINITY :
						   1;
	v->better = v->slowdown.value > 0 && v->wait.value >= 0 &&
		    v->max_wait_ratio <= TUNE_WAIT_TEST;
	return STORUS_DONE;
}

/* Who loses */

struct tune_group {
	char name[TORUS_TRACE_USER_SIZE];
	double easy, chosen, jobs; /* sums of waits */
};

static int tune_compare_names(const void *a, const void *b)
{
	const struct tune_group *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int tune_compare_loss(const void *a, const void *b)
{
	const struct tune_group *x = a, *y = b;
	double p = (x->chosen - x->easy) / x->jobs;
	double q = (y->chosen - y->easy) / y->jobs;

	return (p < q) - (p > q);
}

/* Group the jobs of the second half by user, or by size up to the next power of two;
 * print those who wait longer, by how much. */
static int tune_print_losers(const struct tune *t, const struct tune_run *easy,
			     const struct tune_run *chosen, bool users)
{
	struct tune_group *g = torus_alloc(easy->jobs, sizeof(*g));
	uint64_t n = 0, kept = 0, lose = 0;

	if (!g)
		return storus_no_memory(NAME);
	for (uint64_t i = 0; i < easy->jobs; i++) {
		const struct torus_trace_record *r =
			&t->records.record[t->half + i];
		uint64_t nodes =
			r->shaped ? torus_ask_nodes(
					    &r->request->alternative[0].ask) :
			r->requested ? r->requested :
				       r->used;
		uint64_t size = 1;

		if (isnan(easy->wait[i]) || isnan(chosen->wait[i]))
			continue;
		while (size < nodes)
			size *= 2;
		g[n] = (struct tune_group){ .easy = easy->wait[i],
					    .chosen = chosen->wait[i],
					    .jobs = 1 };
		if (users)
			memcpy(g[n].name, r->user, sizeof(g[n].name));
		else
			snprintf(g[n].name, sizeof(g[n].name), "%llu",
				 (unsigned long long)size);
		n++;
	}
	qsort(g, n, sizeof(*g), tune_compare_names);
	for (uint64_t i = 0; i < n; i++) {
		if (kept && strcmp(g[kept - 1].name, g[i].name) == 0) {
			g[kept - 1].easy += g[i].easy;
			g[kept - 1].chosen += g[i].chosen;
			g[kept - 1].jobs++;
		} else {
			g[kept++] = g[i];
		}
	}
	for (uint64_t i = n = 0; i < kept; i++) {
		if (users && (g[i].jobs < TUNE_USER_JOBS || !*g[i].name))
			continue;
		lose += g[i].chosen > g[i].easy;
		g[n++] = g[i];
	}
	qsort(g, n, sizeof(*g), tune_compare_loss);
	storus_print("%llu of %llu %s wait longer on average%s\n",
		     (unsigned long long)lose, (unsigned long long)n,
		     users ? "users" : "sizes", lose ? ":" : "");
	for (uint64_t i = 0; i < lose && i < TUNE_LISTED; i++)
		storus_print("  %s%-12s %8.0f jobs: mean wait %.0f s, with easy %.0f s\n",
			     users ? "user " : "up to ", g[i].name, g[i].jobs,
			     g[i].chosen / g[i].jobs, g[i].easy / g[i].jobs);
	torus_free(g);
	return STORUS_DONE;
}

/* Answers */

/* "(LOW to HIGH)"; "(-)": there is none. */
static void tune_print_range(const struct tune_gain *g, int decimals,
			     char text[80])
{
	if (isnan(g->low))
		snprintf(text, 80, "(-)");
	else
		snprintf(text, 80, "(%.*f to %.*f)", decimals, g->low, decimals,
			 g->high);
}

/* Say what the gains and their ranges show, and what not. */
static void tune_print_claim(const struct tune_verdict *v)
{
	struct torus_text text = { 0 };
	int rc;

	if (v->weeks < 2)
		rc = torus_text_add(
			&text,
			"The gains are those of these jobs, of one week: how much other weeks would differ is not known.");
	else
		rc = torus_text_add(
			&text,
			"The gains are those of these jobs. The ranges hold 95 %% of the gains of resamples of their %u weeks: they show how far a gain rests on single weeks, and are no confidence intervals for weeks to come.%s",
			v->weeks,
			v->wait.low <= 0 || v->slowdown.low <= 0 ?
				" A range that reaches 0 is a gain of some weeks only." :
				"");
	if (!rc)
		storus_table_fold(text.data, 0);
	putchar('\n');
	torus_text_free(&text);
}

/* Return true if the queue grows to the end of a half under a policy. */
static bool tune_grows(const struct tune *t, const struct tune_run *run)
{
	for (int i = 0; i < 4; i++)
		if (torus_metrics_growing(run[i].metrics,
					  t->config->machine.nodes))
			return true;
	return false;
}

static int tune_print(const struct tune *t, const struct tune_run *run,
		      const struct tune_verdict *v,
		      const struct tune_candidate *tried)
{
	const struct tune_candidate *c = &t->chosen;
	uint64_t rejected = run[0].metrics->outcome[TORUS_OUTCOME_REJECTED] +
			    run[2].metrics->outcome[TORUS_OUTCOME_REJECTED];
	char wait[80], slowdown[80];
	int status;

	storus_table_words("%s on %s: chosen on %llu jobs, judged on the %llu after them",
			   t->trace, t->torus, (unsigned long long)t->half,
			   (unsigned long long)(t->records.count - t->half));
	putchar('\n');
	if (rejected)
		storus_table_words("rejected: %llu of the jobs, which the machine cannot hold; no mean has them",
				   (unsigned long long)rejected);
	if (tune_grows(t, run))
		storus_print(
			"growing: the queue grows to the end; the gains depend on the trace's length\n");
	if (rejected || tune_grows(t, run))
		storus_print("\n");
	if (!v->better && tried->score > 0)
		storus_table_words("queue_order %s, backfill_order %s, bound %s was best on the first half and does not hold on the second: mean wait %+.0f s, mean bounded slowdown %+.2f, longest wait x %.2f",
				   tried->queue, tried->backfill, tried->bound,
				   -v->wait.value, -v->slowdown.value,
				   v->max_wait_ratio);
	if (!v->better) {
		storus_print("nothing better found: easy with its defaults\n");
		return STORUS_DONE;
	}
	tune_print_range(&v->wait, 0, wait);
	tune_print_range(&v->slowdown, 2, slowdown);
	printf("                        easy     chosen       gain  (95 %% of resampled weeks)\n"
	       "mean wait         %10.0f %10.0f %10.0f  %s s\n"
	       "mean slowdown     %10.2f %10.2f %10.2f  %s\n"
	       "longest wait      %10.0f %10.0f     x %.2f\n\n",
	       run[2].metrics->wait.mean, run[3].metrics->wait.mean,
	       v->wait.value, wait, run[2].metrics->slowdown.mean,
	       run[3].metrics->slowdown.mean, v->slowdown.value, slowdown,
	       run[2].max_wait, run[3].max_wait, v->max_wait_ratio);
	tune_print_claim(v);
	status = tune_print_losers(t, &run[2], &run[3], false);
	if (!status)
		status = tune_print_losers(t, &run[2], &run[3], true);
	printf("\nin torus.yaml:\n\nscheduler:\n  discipline: easy\n");
	if (c->places != 1)
		printf("  backfill_places: %u\n", c->places);
	printf("  options: {queue_order: %s, backfill_order: %s, bound: %s}\n",
	       c->queue, c->backfill, c->bound);
	if (c->key)
		printf("# and for the torus:\n#  options: {%s: %s}\n", c->key,
		       c->value);
	return status;
}

static json_t *tune_json_gain(const struct tune_gain *g)
{
	return json_pack("{s:o,s:o,s:o}", "value", storus_json_real(g->value),
			 "low", storus_json_real(g->low), "high",
			 storus_json_real(g->high));
}

static json_t *tune_json_options(const struct tune_candidate *c)
{
	json_t *o = json_object();

	if (strcmp(c->queue, "fcfs") != 0)
		json_object_set_new(o, "queue_order", json_string(c->queue));
	if (strcmp(c->backfill, "fcfs") != 0)
		json_object_set_new(o, "backfill_order",
				    json_string(c->backfill));
	if (strcmp(c->bound, "none") != 0)
		json_object_set_new(o, "bound", json_string(c->bound));
	if (c->places != 1)
		json_object_set_new(o, "backfill_places",
				    json_integer(c->places));
	if (c->key)
		json_object_set_new(o, c->key, json_string(c->value));
	return o;
}

static int tune_write_json(const struct tune *t, const struct tune_run *run,
			   const struct tune_verdict *v)
{
	json_t *o =
		json_pack("{s:i,s:{s:s,s:o},s:{s:O,s:O},s:{s:O,s:O},s:{s:o,s:o},s:o}",
			  "schema", 1, "chosen", "discipline", "easy",
			  "options", tune_json_options(&t->chosen), "train",
			  "easy", run[0].summary, "chosen", run[1].summary,
			  "test", "easy", run[2].summary, "chosen",
			  run[3].summary, "gain", "mean_wait_s",
			  tune_json_gain(&v->wait), "mean_bounded_slowdown",
			  tune_json_gain(&v->slowdown), "max_wait_ratio",
			  storus_json_real(v->max_wait_ratio));

	return storus_json_write(NAME, storus_json_origin(o, t->command),
				 t->json);
}

static int tune_add(void *arg, const struct torus_trace_record *r)
{
	struct tune *t = arg;

	return r->kind || r->begun || torus_records_add(&t->records, r) ? 0 : -1;
}

/* Read the trace into memory. */
static int tune_read(struct tune *t)
{
	struct torus_trace *in;
	int status = storus_trace_read(t->trace, &t->input, tune_add, t, &in,
				       &t->err);

	if (in)
		storus_trace_notices(NAME, t->trace, in, false);
	if (in && !status)
		storus_trace_replayed(NAME, t->trace, in, &t->input.choice,
				      t->config->machine.nodes, true, false);
	torus_trace_close(in);
	if (status)
		return storus_say_errors(NAME, status, &t->err);
	if (t->records.count < 4)
		return storus_say(NAME, STORUS_USAGE,
				  "%s: %llu job%s: expected jobs for two halves",
				  t->trace, (unsigned long long)t->records.count,
				  t->records.count == 1 ? "" : "s");
	t->half = t->records.count / 2;
	t->weeks = (uint32_t)((t->records.record[t->half - 1].submit_us -
			       t->records.record[0].submit_us) /
			      TUNE_WEEK_US) +
		   1;
	return STORUS_DONE;
}

static int tune_answer(struct tune *t)
{
	struct tune_run run[4] = { { 0 } }; /* train, then test: easy, chosen */
	struct tune_candidate tried;
	struct tune_verdict v = { 0 };
	int status;

	storus_progress_begin(&t->progress);
	t->progress.unit = "replays";
	status = tune_choose(t);
	storus_progress_end(&t->progress);
	tried = t->chosen;
	for (int i = 0; i < 4 && !status; i++)
		status = tune_judge_run(t,
					i % 2 ? &t->chosen : &tune_choose_easy,
					i / 2, &run[i]);
	if (!status)
		status = tune_judge(t, &run[2], &run[3], &v);
	if (!status && !v.better && tried.score > 0 && t->json) {
		/* it does not hold: easy is the choice */
		t->chosen = tune_choose_easy;
		for (int i = 1; i < 4 && !status; i += 2) {
			tune_run_free(&run[i]);
			run[i] = (struct tune_run){ 0 };
			status = tune_judge_run(t, &tune_choose_easy, i / 2,
						&run[i]);
		}
		if (!status)
			status = tune_judge(t, &run[2], &run[3], &v);
	}
	if (!status)
		status = t->json ? tune_write_json(t, run, &v) :
				   tune_print(t, run, &v, &tried);
	for (int i = 0; i < 4; i++)
		tune_run_free(&run[i]);
	return status;
}

static int tune_do_run(void *words)
{
	struct tune *t = words;
	int status;

	if (!t->trace || !t->torus)
		return storus_say(NAME, STORUS_USAGE,
				  "expected a trace and --torus; storus tune --help has examples");
	t->config = torus_config_load(t->torus, &t->err);
	if (!t->config ||
	    (t->strategy &&
	     torus_config_strategy(t->config, t->strategy, &t->err)))
		status = storus_say_input(NAME, &t->err);
	else
		status = tune_read(t);
	if (!status)
		status = tune_answer(t);
	torus_records_free(&t->records);
	torus_config_destroy(t->config);
	return status;
}

const struct storus_command storus_tune = {
	.name = "tune",
	.summary = "find options of easy that suit a trace better",
	.usage = "TRACE --torus FILE|MACHINE [OPTION]...",
	.about = "Orders of the queue and of backfilling, bounds on waits, backfill_places and the\n"
		 "strategy's options are compared with easy on the first half of the jobs. The\n"
		 "best is judged on the second half.",
	.options = options,
	STORUS_WORDS(struct tune, .options = TORUS_REPLAY_OPTIONS),
	.line = { STORUS_TO(struct tune, command) },
	.operand = { .value = "trace", STORUS_TO(struct tune, trace) },
	.examples =
		"  storus tune --torus flat:128 trace.swf.gz\n"
		"  storus tune --torus torus.yaml --json=tune.json jobs.csv\n",
	.run = tune_do_run,
};
