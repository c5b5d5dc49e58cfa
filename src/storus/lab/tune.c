/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus tune: the options of easy, of the strategy and of backfill_places that suit a
 * site's jobs better than the defaults.
 *
 * Candidates are compared with EASY on the first half of the jobs, week by week: both
 * replays have the same jobs, so a week's difference is the policy's. A candidate must not
 * raise the mean wait, and the longest wait by no more than TUNE_WAIT_TRAIN; the orders
 * must also hold when the same jobs come faster, by up to a fifth, as far as EASY does not
 * saturate: the load of the past is not that of the future. Of these the one is chosen
 * whose gain in mean bounded slowdown has the highest lower end of its 95 % interval, by
 * resamples of weeks. What was chosen is judged once, on the second half.
 *
 * Cost: some sixty replays of half the trace, on all processors (a process each).
 * Memory: the records of the trace.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay/pipe.h"
#include "report/summary.h"
#include "storus/base/json.h"
#include "storus/base/notices.h"
#include "storus/base/progress.h"
#include "torus/alloc.h"
#include "torus/config.h"
#include "trace/log.h"
#include "torus_build.h"

#define NAME &storus_tune
#define TUNE_WEEK_US (7 * 86400 * INT64_C(1000000))
#define TUNE_RESAMPLES 999
#define TUNE_MOST 96 /* candidates at once */
#define TUNE_KEPT 10 /* orders that are tried at the higher load */
#define TUNE_LOADS 4 /* which is one of 1.2, 1.15, 1.1, 1.05 */
#define TUNE_SATURATED                                                         \
	4 /* mean slowdown of EASY, over that at the load of the trace */
#define TUNE_WAIT_TRAIN 1.1 /* longest wait, over that of EASY */
#define TUNE_WAIT_TEST 1.4
#define TUNE_WORKERS 16
#define TUNE_USER_JOBS 20 /* a user with fewer is not listed */
#define TUNE_LISTED 5

struct tune_candidate {
	const char *queue, *backfill, *bound;
	uint32_t places;
	const char *key; /* of the strategy; NULL: as torus.yaml says */
	char value[TORUS_OPTION_VALUE];
	double score; /* lower end of the relative gain */
};

struct tune_week {
	double wait, slowdown, jobs;
};

/* Of a replay of the first half, in memory that the workers share. */
struct tune_result {
	bool done, hopeless; /* hopeless: not replayed to the end */
	double max_wait;
	struct tune_week week[];
};

struct tune_gain {
	double value, low, high; /* above 0: better than EASY */
};

/* A replay whose jobs are kept. */
struct tune_run {
	struct torus_metrics *metrics;
	double *wait, *slowdown; /* by job; NAN: it did not complete */
	uint64_t jobs;
	double max_wait;
	json_t *summary;
};

struct tune {
	const char *trace, *torus, *strategy, *json, *command;
	struct torus_trace_options input;
	struct torus_replay_options options;
	struct torus_config *config;
	struct torus_records records;
	uint64_t half; /* jobs of the first one */
	uint32_t weeks;
	struct tune_candidate chosen;
	struct storus_progress progress; /* replays of the candidates so far */
	uint32_t replays;
	struct torus_error err;
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

/* Candidates */

static const struct tune_candidate tune_easy = { "fcfs", "fcfs", "none", 1,
						 NULL,   "",     0 };

/* Set the discipline to easy with the candidate's options. 0, or -1. */
static int tune_apply(struct tune *t, const struct tune_candidate *c)
{
	struct torus_scheduler_settings *s = &t->config->scheduler;
	bool had;

	s->discipline = torus_discipline_find("easy");
	s->options = (struct torus_options){ 0 };
	s->backfill_places = c->places;
	return torus_options_set(&s->options, "queue_order", c->queue) ||
	       torus_options_set(&s->options, "backfill_order", c->backfill) ||
	       torus_options_set(&s->options, "bound", c->bound) ||
	       (c->key && torus_config_option(t->config, c->key, c->value, &had,
					      &t->err));
}

/* List orders with bounds. */
static uint32_t tune_orders(struct tune_candidate *list)
{
	static const char *const order[][2] = {
		{ "fcfs", "sjf" },  { "fcfs", "saf" }, { "fcfs", "wfp3" },
		{ "sjf", "sjf" },   { "sjf", "saf" },  { "saf", "saf" },
		{ "saf", "fcfs" },  { "saf", "sjf" },  { "lqf", "saf" },
		{ "wfp3", "saf" },  { "wfp3", "sjf" }, { "wfp3", "wfp3" },
		{ "wfp3", "fcfs" },
	};
	static const char *const bound[] = { "none", "5h", "20h", "48h" };
	uint32_t n = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		for (size_t b = 0; b < sizeof(bound) / sizeof(*bound); b++)
			list[n++] = (struct tune_candidate){
				.queue = order[i][0],
				.backfill = order[i][1],
				.bound = bound[b],
				.places = 1,
			};
	}
	return n;
}

/* List the candidate with other places and other words of the strategy's options. */
static uint32_t tune_variants(const struct tune *t,
			      const struct tune_candidate *base,
			      struct tune_candidate *list)
{
	const struct torus_pod *pod = &t->config->machine.pod[0];
	const struct torus_option_help *help = pod->strategy[0]->options;
	uint32_t n = 0;

	list[n++] = *base;
	for (uint32_t places = 2; places <= 4 && !pod->torus.flat; places *= 2) {
		list[n] = *base;
		list[n++].places = places;
	}
	for (; help && help->key; help++) {
		const char *word = help->values;

		for (; *word && n < TUNE_MOST; word += *word == '|') {
			size_t length = strcspn(word, "|");
			struct tune_candidate *c = &list[n];

			*c = *base;
			c->key = help->key;
			snprintf(c->value, sizeof(c->value), "%.*s",
				 (int)length, word);
			word += length;
			n += strspn(c->value, "abcdefghijklmnopqrstuvwxyz-") ==
				     strlen(c->value) &&
			     strcmp(c->value, help->initial) != 0;
		}
	}
	return n;
}

/* Replays */

static enum torus_replay_answer
tune_replay(struct tune *t, uint64_t from, uint64_t jobs, double load,
	    const struct torus_replay_hooks *hooks,
	    struct torus_metrics *metrics)
{
	struct torus_replay_options how = t->options;
	struct torus_trace *trace =
		torus_trace_open_list(t->records.record + from, jobs);
	enum torus_replay_answer answer;

	if (!trace)
		return TORUS_REPLAY_FAILED;
	how.load_scale = load;
	answer = torus_replay_run(trace, &t->config->machine,
				  &t->config->scheduler, &how, hooks, metrics,
				  &t->err);
	torus_trace_close(trace);
	return answer;
}

struct tune_week_sum {
	const struct tune *t;
	struct tune_result *result;
	const struct tune_result *bar; /* of EASY, or NULL */
	double wait, most_wait;        /* so far; of EASY */
	bool hopeless;                 /* tune_score() will be below 0 */
};

/* Add a job to the week of its submission in the trace. Stop a replay that can no longer
 * be a choice: its queue may be so long that it would take minutes. */
static int tune_week_row(void *arg, const struct torus_machine *m,
			 const struct torus_replay_row *row)
{
	struct tune_week_sum *sum = arg;
	const struct torus_trace_record *r = sum->t->records.record;
	double wait_s = (double)torus_account_wait(&row->account) * 1e-6;
	struct tune_week *week;

	(void)m;
	if (row->account.outcome != TORUS_OUTCOME_COMPLETED)
		return 0;
	week = &sum->result->week[(r[row->number - 1].submit_us - r->submit_us) /
				  TUNE_WEEK_US];
	week->wait += wait_s;
	week->slowdown += torus_account_slowdown(&row->account);
	week->jobs++;
	if (wait_s > sum->result->max_wait)
		sum->result->max_wait = wait_s;
	sum->wait += wait_s;
	sum->hopeless = sum->bar &&
			(sum->wait > sum->most_wait ||
			 wait_s > TUNE_WAIT_TRAIN * sum->bar->max_wait);
	return sum->hopeless ? -1 : 0;
}

static size_t tune_result_size(const struct tune *t)
{
	return sizeof(struct tune_result) + t->weeks * sizeof(struct tune_week);
}

static struct tune_result *tune_result_at(const struct tune *t, void *memory,
					  uint32_t i)
{
	return (struct tune_result *)((char *)memory + i * tune_result_size(t));
}

/* Replay candidates one after another, until none is left. */
static int tune_work(struct tune *t, const struct tune_candidate *c, uint32_t n,
		     double load, const struct tune_result *bar, void *memory,
		     uint32_t *next)
{
	double most_wait = 0;
	uint32_t i;

	for (uint32_t w = 0; bar && w < t->weeks; w++)
		most_wait += bar->week[w].wait;
	most_wait *= 1 + 1e-9; /* sums in another order */

	while ((i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < n) {
		struct tune_result *result = tune_result_at(t, memory, i);
		struct tune_week_sum sum = { .t = t,
					     .result = result,
					     .bar = bar,
					     .most_wait = most_wait };
		const struct torus_replay_hooks hooks = { .arg = &sum,
							  .row = tune_week_row };
		struct torus_metrics *metrics = torus_metrics_create();
		struct torus_pod pod = t->config->machine.pod[0];

		if (!metrics || tune_apply(t, &c[i]) ||
		    (tune_replay(t, 0, t->half, load, &hooks, metrics) &&
		     !sum.hopeless))
			return storus_say_errors(NAME, STORUS_TROUBLE, &t->err);
		t->err = (struct torus_error){ 0 };
		t->config->machine.pod[0].options = pod.options;
		torus_metrics_destroy(metrics);
		result->hopeless = sum.hopeless;
		result->done = true;
	}
	return STORUS_DONE;
}

/* The replays of a search: one of EASY per load and rank, the orders, those that are
 * tried at the higher load and the variants. */
#define TUNE_REPLAYS 72

/* Wait for a worker; show how many candidates they have begun. */
static void tune_wait(struct tune *t, pid_t pid, const uint32_t *next,
		      uint32_t n)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	int hang = t->progress.shown ? WNOHANG : 0;

	while (waitpid(pid, NULL, hang) == 0) {
		uint32_t begun = __atomic_load_n(next, __ATOMIC_RELAXED);
		uint32_t over = t->replays + (begun < n ? begun : n);

		storus_progress_update(&t->progress, over,
				       over < TUNE_REPLAYS ? TUNE_REPLAYS :
							     over + 1,
				       over);
		nanosleep(&pause, NULL);
	}
}

/* Replay n candidates on the first half; with `bar`, the result of EASY, only as far as
 * they may be a choice. Return their results, in mapped memory, or NULL after a line on
 * stderr. */
static void *tune_evaluate(struct tune *t, const struct tune_candidate *c,
			   uint32_t n, double load,
			   const struct tune_result *bar)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t size = 64 + n * tune_result_size(t);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), pid[TUNE_WORKERS];
	uint32_t workers = processors < 1            ? 1 :
			   processors > TUNE_WORKERS ? TUNE_WORKERS :
						       (uint32_t)processors;

	if (memory == MAP_FAILED) {
		storus_no_memory(NAME);
		return NULL;
	}
	fflush(NULL);
	for (uint32_t w = 0; w < workers; w++) {
		pid[w] = fork();
		if (pid[w] == 0)
			_exit(prctl(PR_SET_PDEATHSIG, SIGKILL) ||
			      getppid() != parent ||
			      tune_work(t, c, n, load, bar, memory + 64,
					(uint32_t *)(void *)memory));
	}
	for (uint32_t w = 0; w < workers; w++) {
		if (pid[w] > 0)
			tune_wait(t, pid[w], (uint32_t *)(void *)memory, n);
	}
	t->replays += n;
	for (uint32_t i = 0; i < n; i++) {
		if (tune_result_at(t, memory + 64, i)->done)
			continue;
		storus_progress_end(&t->progress);
		storus_say(NAME, STORUS_TROUBLE, "a replay did not end");
		munmap(memory, size);
		return NULL;
	}
	return memory + 64;
}

static void tune_results_free(const struct tune *t, void *results, uint32_t n)
{
	if (results)
		munmap((char *)results - 64, 64 + n * tune_result_size(t));
}

/* Gains */

static int tune_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Compare weeks in pairs: the difference of the means, with the interval that holds 95 %
 * of resamples of the weeks. The resamples are the same each time. */
static struct tune_gain tune_gain_of(const struct tune_week *easy,
				     const struct tune_week *other,
				     uint32_t weeks, bool slowdown)
{
	double drawn[TUNE_RESAMPLES], sum = 0, jobs = 0;
	uint64_t random = 88172645463325252u;
	struct tune_gain gain;

	for (uint32_t w = 0; w < weeks; w++) {
		sum += slowdown ? easy[w].slowdown - other[w].slowdown :
				  easy[w].wait - other[w].wait;
		jobs += easy[w].jobs;
	}
	gain.value = jobs > 0 ? sum / jobs : 0;
	for (int i = 0; i < TUNE_RESAMPLES; i++) {
		sum = jobs = 0;
		for (uint32_t k = 0; k < weeks; k++) {
			uint32_t w;

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			w = (uint32_t)((random >> 32) * weeks >> 32);
			sum += slowdown ? easy[w].slowdown - other[w].slowdown :
					  easy[w].wait - other[w].wait;
			jobs += easy[w].jobs;
		}
		drawn[i] = jobs > 0 ? sum / jobs : 0;
	}
	qsort(drawn, TUNE_RESAMPLES, sizeof(*drawn), tune_compare);
	gain.low = drawn[TUNE_RESAMPLES / 40];
	gain.high = drawn[TUNE_RESAMPLES - 1 - TUNE_RESAMPLES / 40];
	return gain;
}

static double tune_mean_slowdown(const struct tune_result *r, uint32_t weeks)
{
	double sum = 0, jobs = 0;

	for (uint32_t w = 0; w < weeks; w++) {
		sum += r->week[w].slowdown;
		jobs += r->week[w].jobs;
	}
	return jobs > 0 ? sum / jobs : 1;
}

/* Score a candidate: the lower end of its relative gain; below 0: it is no choice. */
static double tune_score(const struct tune *t, const struct tune_result *easy,
			 const struct tune_result *other)
{
	struct tune_gain wait;

	if (other->hopeless)
		return -1;
	wait = tune_gain_of(easy->week, other->week, t->weeks, false);
	if (wait.value < 0 || other->max_wait > TUNE_WAIT_TRAIN * easy->max_wait)
		return -1;
	return tune_gain_of(easy->week, other->week, t->weeks, true).low /
	       tune_mean_slowdown(easy, t->weeks);
}

static int tune_compare_scores(const void *a, const void *b)
{
	const struct tune_candidate *x = a, *y = b;

	return (x->score < y->score) - (x->score > y->score);
}

/* Lower the scores of candidates to those at this load, and put the best first. */
static int tune_rank(struct tune *t, struct tune_candidate *list, uint32_t n,
		     double load)
{
	void *easy = tune_evaluate(t, &tune_easy, 1, load, NULL);
	void *results = easy ? tune_evaluate(t, list, n, load, easy) : NULL;

	for (uint32_t i = 0; results && i < n; i++)
		list[i].score = fmin(list[i].score,
				     tune_score(t, easy,
						tune_result_at(t, results, i)));
	tune_results_free(t, easy, 1);
	tune_results_free(t, results, n);
	if (!results)
		return STORUS_TROUBLE;
	qsort(list, n, sizeof(*list), tune_compare_scores);
	return STORUS_DONE;
}

/* Find the higher load, the highest at which the machine does not saturate; 1: none. */
static int tune_find_load(struct tune *t, double *load)
{
	double slowdown = 0, first = 0;

	for (int i = TUNE_LOADS + 1; i > 0; i--) {
		void *result;

		*load = i > TUNE_LOADS ? 1 : 1 + 0.05 * i;
		result = tune_evaluate(t, &tune_easy, 1, *load, NULL);
		if (!result)
			return STORUS_TROUBLE;
		slowdown = tune_mean_slowdown(result, t->weeks);
		tune_results_free(t, result, 1);
		if (i > TUNE_LOADS)
			first = slowdown;
		else if (slowdown <= TUNE_SATURATED * first)
			return STORUS_DONE;
	}
	*load = 1;
	return STORUS_DONE;
}

/* Choose on the first half: orders first, then the rest. */
static int tune_choose(struct tune *t)
{
	struct tune_candidate list[TUNE_MOST], best = tune_easy;
	uint32_t n = tune_orders(list), kept = 0;
	double load = 1;
	int status = tune_find_load(t, &load);

	for (uint32_t i = 0; i < n; i++)
		list[i].score = INFINITY;
	if (!status)
		status = tune_rank(t, list, n, 1);
	while (kept < TUNE_KEPT && kept < n && list[kept].score > 0)
		kept++;
	if (!status && kept)
		status = tune_rank(t, list, kept, load);
	if (!status && kept && list[0].score > 0)
		best = list[0];
	n = tune_variants(t, &best, list);
	for (uint32_t i = 0; i < n; i++)
		list[i].score = INFINITY;
	if (!status && n > 1)
		status = tune_rank(t, list, n, 1);
	if (!status && n > 1 && list[0].score > 0)
		best = list[0];
	t->chosen = best;
	return status;
}

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

static json_t *tune_summary(const struct tune *t, const struct tune_run *run)
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
	if (tune_apply(t, c) ||
	    tune_replay(t, from, run->jobs, 1, &hooks, run->metrics))
		return storus_say_errors(NAME, STORUS_TROUBLE, &t->err);
	run->summary = tune_summary(t, run);
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
		v->wait = tune_gain_of(a, b, weeks, false);
		v->slowdown = tune_gain_of(a, b, weeks, true);
	}
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
	printf("%llu of %llu %s wait longer on average%s\n",
	       (unsigned long long)lose, (unsigned long long)n,
	       users ? "users" : "sizes", lose ? ":" : "");
	for (uint64_t i = 0; i < lose && i < TUNE_LISTED; i++)
		printf("  %s%-12s %8.0f jobs: mean wait %.0f s, with easy %.0f s\n",
		       users ? "user " : "up to ", g[i].name, g[i].jobs,
		       g[i].chosen / g[i].jobs, g[i].easy / g[i].jobs);
	torus_free(g);
	return STORUS_DONE;
}

/* Answers */

static void tune_print_block(const struct tune_candidate *c)
{
	printf("scheduler:\n  discipline: easy\n");
	if (c->places != 1)
		printf("  backfill_places: %u\n", c->places);
	printf("  options: {queue_order: %s, backfill_order: %s, bound: %s}\n",
	       c->queue, c->backfill, c->bound);
	if (c->key)
		printf("# and for the torus:\n#  options: {%s: %s}\n", c->key,
		       c->value);
}

static int tune_print(const struct tune *t, const struct tune_run *run,
		      const struct tune_verdict *v,
		      const struct tune_candidate *tried)
{
	int status;

	printf("%s on %s: chosen on %llu jobs, judged on the %llu after them\n\n",
	       t->trace, t->torus, (unsigned long long)t->half,
	       (unsigned long long)(t->records.count - t->half));
	if (!v->better && tried->score > 0)
		printf("queue_order %s, backfill_order %s, bound %s was best on the first half and does not hold on the second: mean wait %+.0f s, mean bounded slowdown %+.2f, longest wait x %.2f\n",
		       tried->queue, tried->backfill, tried->bound,
		       -v->wait.value, -v->slowdown.value, v->max_wait_ratio);
	if (!v->better) {
		puts("nothing better found: easy with its defaults");
		return STORUS_DONE;
	}
	printf("                          easy     chosen       gain  (95 %% of resampled weeks)\n"
	       "mean wait           %10.0f %10.0f %10.0f  (%.0f to %.0f) s\n"
	       "mean slowdown       %10.2f %10.2f %10.2f  (%.2f to %.2f)\n"
	       "longest wait        %10.0f %10.0f     x %.2f\n\n",
	       run[2].metrics->wait.mean, run[3].metrics->wait.mean,
	       v->wait.value, v->wait.low, v->wait.high,
	       run[2].metrics->slowdown.mean, run[3].metrics->slowdown.mean,
	       v->slowdown.value, v->slowdown.low, v->slowdown.high,
	       run[2].max_wait, run[3].max_wait, v->max_wait_ratio);
	status = tune_print_losers(t, &run[2], &run[3], false);
	if (!status)
		status = tune_print_losers(t, &run[2], &run[3], true);
	printf("\nin torus.yaml:\n\n");
	tune_print_block(&t->chosen);
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

/* Read the trace into memory. */
static int tune_read(struct tune *t)
{
	const struct torus_trace_record *r;
	enum torus_trace_answer answer;
	struct torus_trace *in = torus_trace_open(t->trace, &t->input, &t->err);

	if (!in)
		return storus_say_input(NAME, &t->err);
	while ((answer = torus_trace_next(in, &r, &t->err)) == TORUS_TRACE_JOB) {
		if (!r->kind && !r->begun && !torus_records_add(&t->records, r))
			break;
	}
	storus_trace_notices(NAME, t->trace, in, false);
	torus_trace_close(in);
	if (answer == TORUS_TRACE_JOB)
		return storus_no_memory(NAME);
	if (answer != TORUS_TRACE_END)
		return storus_say_input(NAME, &t->err);
	if (t->records.count < 4)
		return storus_say(NAME, STORUS_USAGE,
				  "%s: %llu jobs: expected jobs for two halves",
				  t->trace,
				  (unsigned long long)t->records.count);
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
		status = tune_judge_run(t, i % 2 ? &t->chosen : &tune_easy,
					i / 2, &run[i]);
	if (!status)
		status = tune_judge(t, &run[2], &run[3], &v);
	if (!status && !v.better && tried.score > 0 && t->json) {
		/* it does not hold: easy is the choice */
		t->chosen = tune_easy;
		for (int i = 1; i < 4 && !status; i += 2) {
			tune_run_free(&run[i]);
			run[i] = (struct tune_run){ 0 };
			status = tune_judge_run(t, &tune_easy, i / 2, &run[i]);
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
