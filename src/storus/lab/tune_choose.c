/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Candidates are compared with EASY on the first half of the jobs, week by week: both
 * replays have the same jobs, so a week's difference is the policy's. A candidate must not
 * raise the mean wait, and the longest wait by no more than TUNE_WAIT_TRAIN; the orders
 * must also hold when the same jobs come faster, by up to a fifth, as far as EASY does not
 * saturate: the load of the past is not that of the future. Of these the one is chosen
 * whose gain in mean bounded slowdown has the highest lower end of the range of 95 % of the
 * resamples of weeks: a penalty on gains that rest on single weeks, no confidence interval.
 *
 * Cost: some sixty replays of half the trace, on all processors (a process each).
 */
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

#include "config/policy_watch.h"
#include "storus/lab/tune.h"
#include "torus/discipline.h"

#define NAME &storus_tune
#define TUNE_RESAMPLES 999
#define TUNE_MOST 96 /* candidates at once */
#define TUNE_KEPT 10 /* orders that are tried at the higher load */
#define TUNE_LOADS 4 /* which is one of 1.2, 1.15, 1.1, 1.05 */
/* Mean slowdown of EASY, over that at the load of the trace. */
#define TUNE_SATURATED 4
#define TUNE_WORKERS 16

/* Of a replay of the first half, in memory that the workers share. */
struct tune_result {
	bool done, hopeless; /* hopeless: not replayed to the end */
	double max_wait;
	struct tune_week week[];
};

/* Candidates */

const struct tune_candidate tune_choose_easy = { "fcfs", "fcfs", "none", 1,
						 NULL,   "",     0 };

int tune_choose_apply(struct tune *t, const struct tune_candidate *c)
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

enum torus_replay_answer
tune_choose_replay(struct tune *t, uint64_t from, uint64_t jobs, double load,
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

		if (!metrics || tune_choose_apply(t, &c[i]) ||
		    (tune_choose_replay(t, 0, t->half, load, &hooks, metrics) &&
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
		if (pid[w] == 0 &&
		    (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
			_exit(STORUS_TROUBLE);
		if (pid[w] == 0) {
			torus_watch_process();
			_exit(torus_watch_done(
				tune_work(t, c, n, load, bar, memory + 64,
					  (uint32_t *)(void *)memory)));
		}
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

struct tune_gain tune_choose_gain(const struct tune_week *easy,
				  const struct tune_week *other, uint32_t weeks,
				  bool slowdown)
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
	wait = tune_choose_gain(easy->week, other->week, t->weeks, false);
	if (wait.value < 0 || other->max_wait > TUNE_WAIT_TRAIN * easy->max_wait)
		return -1;
	return tune_choose_gain(easy->week, other->week, t->weeks, true).low /
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
	void *easy = tune_evaluate(t, &tune_choose_easy, 1, load, NULL);
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
		result = tune_evaluate(t, &tune_choose_easy, 1, *load, NULL);
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

int tune_choose(struct tune *t)
{
	struct tune_candidate list[TUNE_MOST], best = tune_choose_easy;
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
