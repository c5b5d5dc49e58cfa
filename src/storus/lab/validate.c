/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus validate: may a replay of this trace be trusted? The trace is run twice, as its
 * jobs really started (the policy `recorded`) and under the site's policy, and the waits of
 * the jobs that both have are compared: mean and percentiles, the distance of their
 * distributions (Kolmogorov, Smirnov), sizes, users, and how many starts are near.
 *
 * Causes that no replay knows show in the history alone: more nodes in use than the
 * machine has, and hours in which a job waited that would have fitted on idle nodes
 * (outages, partitions, limits, reservations). Nodes are counted; places are not looked
 * at.
 *
 * Cost: two replays, O(n log n) time, about 200 bytes per job.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storus/base/json.h"
#include "storus/base/table.h"
#include "storus/lab/replay_options.h"
#include "torus/alloc.h"
#include "trace/formats/slurm_words.h"

#define NAME &storus_validate
#define HALVES 2 /* the history, the replay */
#define QUANTILES 4
#define SIZES 33 /* 1, 2, 3-4, 5-8, ... */
#define USERS_SHOWN 10
#define HOUR_US 3.6e9
#define SPELL_US                                                               \
	INT64_C(600000000) /* shorter idle times are a scheduler's interval */

/* A start is near if it is within both of the recorded one: 10 minutes, or 10 % of its
 * wait. A replay is trusted up to these distances. */
#define NEAR_US INT64_C(600000000)
#define NEAR_SHARE 0.1
#define TRUST_NEAR 0.75
#define TRUST_KS 0.1
#define TRUST_FEW 100 /* with fewer jobs one of them decides */
#define TRUST_MEAN 0.25
#define TRUST_MEAN_S 60.0
#define TRUST_BEYOND 0.001 /* of the time */

static const double quantiles[QUANTILES] = { 0.5, 0.9, 0.95, 0.99 };
static const char *const quantile_names[QUANTILES] = { "p50", "p90", "p95",
						       "p99" };
static const char *const half_names[HALVES] = { "history", "replay" };

/* A group of jobs: those of a size, those of a user. */
struct validate_group {
	char name[TORUS_TRACE_USER_SIZE];
	uint64_t jobs, near;
	double wait_s[HALVES]; /* sums */
};

/* What the starts and ends of a half say about the machine. */
struct validate_use {
	uint64_t most_nodes;
	double beyond_us; /* more nodes in use than the machine has */
	double span_us;
	double idle_us; /* a queued job would have fitted on idle nodes */
	int64_t longest_us, longest_from_us; /* the longest such spell */
};

struct validate {
	struct storus_replay_outcomes half[HALVES];
	uint64_t jobs, compared, near;
	uint64_t lost[HALVES]; /* jobs that did not complete in that half only */
	double *wait[HALVES];  /* of the compared jobs, sorted in the end */
	double mean[HALVES], ks;
	double ks_late; /* of waits that differ by more than TRUST_MEAN_S */
	struct validate_group size[SIZES];
	struct validate_group *user;
	uint32_t users, user_room;
	struct validate_use use[HALVES];
	struct torus_text why; /* why not to trust it; empty: trusted */
};

/* Jobs in both halves */

static double validate_wait(const struct torus_account *a)
{
	return (double)torus_account_wait(a) * 1e-6;
}

static bool validate_completed(const struct storus_replay_outcomes *half,
			       uint64_t i)
{
	return i < half->jobs && half->job[i].known &&
	       half->job[i].account.granted > 0;
}

static void group_add(struct validate_group *g, bool near, double was, double is)
{
	g->jobs++;
	g->near += near;
	g->wait_s[0] += was;
	g->wait_s[1] += is;
}

/* Jobs come user by user (user_order()). NULL: no memory. */
static struct validate_group *user_group(struct validate *v, const char *name)
{
	if (v->users && !strcmp(v->user[v->users - 1].name, name))
		return &v->user[v->users - 1];
	if (TORUS_GROW(v->user, v->user_room, v->users + 1))
		return NULL;
	v->user[v->users] = (struct validate_group){ .jobs = 0 };
	snprintf(v->user[v->users].name, sizeof(v->user->name), "%s", name);
	return &v->user[v->users++];
}

static int user_order(const void *a, const void *b)
{
	const struct storus_replay_outcome *const *x = a, *const *y = b;
	int by_name = strcmp((*x)->user, (*y)->user);

	return by_name ? by_name : *x < *y ? -1 : *x > *y;
}

static int most_jobs(const void *a, const void *b)
{
	const struct validate_group *x = a, *y = b;

	return x->jobs != y->jobs ? (x->jobs < y->jobs ? 1 : -1) :
				    strcmp(x->name, y->name);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Return by how much more of a than of b is at most some value, where b may be larger by
 * slack. Both are sorted. */
static double validate_ahead(const double *a, const double *b, uint64_t n,
			     double slack)
{
	double most = 0;

	for (uint64_t i = 0, k = 0; i < n; i++) {
		while (k < n && b[k] <= a[i] + slack)
			k++;
		most = fmax(most, ((double)i + 1 - (double)k) / (double)n);
	}
	return most;
}

/* Return the largest distance of two distributions (Kolmogorov, Smirnov), of values that
 * differ by more than slack. O(n). */
static double validate_distance(double *const wait[HALVES], uint64_t n,
				double slack)
{
	return fmax(validate_ahead(wait[0], wait[1], n, slack),
		    validate_ahead(wait[1], wait[0], n, slack));
}

/* Compare the jobs that ran in both halves. 0, or -1 without memory. */
static int validate_compare(struct validate *v)
{
	const struct storus_replay_outcomes *was = &v->half[0],
					    *is = &v->half[1];
	const struct storus_replay_outcome **order =
		torus_alloc(v->jobs + 1, sizeof(*order));
	bool good = order != NULL;

	for (int h = 0; h < HALVES; h++) {
		v->wait[h] = torus_alloc(v->jobs + 1, sizeof(**v->wait));
		good &= v->wait[h] != NULL;
	}
	for (uint64_t i = 0; good && i < v->jobs; i++) {
		bool ran[HALVES] = { validate_completed(was, i),
				     validate_completed(is, i) };

		v->lost[0] += !ran[0];
		v->lost[1] += ran[0] && !ran[1];
		if (ran[0] && ran[1])
			order[v->compared++] = &was->job[i];
	}
	if (good)
		qsort(order, v->compared, sizeof(*order), user_order);
	for (uint64_t k = 0; good && k < v->compared; k++) {
		const struct torus_account *a = &order[k]->account,
					   *b = &is->job[order[k] - was->job]
							 .account;
		int64_t apart = llabs(a->start_us - b->start_us);
		bool near = apart <= NEAR_US ||
			    (double)apart <=
				    NEAR_SHARE * (double)torus_account_wait(a);
		struct validate_group *user = user_group(v, order[k]->user);
		uint32_t size = 0;

		v->wait[0][k] = validate_wait(a);
		v->wait[1][k] = validate_wait(b);
		v->mean[0] += v->wait[0][k] / (double)v->compared;
		v->mean[1] += v->wait[1][k] / (double)v->compared;
		v->near += near;
		while (size < SIZES - 1 && a->requested > UINT64_C(1) << size)
			size++;
		group_add(&v->size[size], near, v->wait[0][k], v->wait[1][k]);
		good = user != NULL;
		if (user)
			group_add(user, near, v->wait[0][k], v->wait[1][k]);
	}
	for (int h = 0; good && h < HALVES; h++)
		qsort(v->wait[h], v->compared, sizeof(**v->wait), by_value);
	if (good && v->compared)
		v->ks = validate_distance(v->wait, v->compared, 0);
	if (v->users)
		qsort(v->user, v->users, sizeof(*v->user), most_jobs);
	torus_free(order);
	return good ? 0 : -1;
}

/* The value that a share q of all are not above, as in summaries and pages. */
static double validate_quantile(const double *sorted, uint64_t n, double q)
{
	uint64_t rank = (uint64_t)ceil(q * (double)n);

	return n ? sorted[rank ? rank - 1 : 0] : NAN;
}

/* The machine over time */

/* Something that happens to a job. */
struct validate_event {
	int64_t at_us;
	enum {
		VALIDATE_END,
		VALIDATE_START,
		VALIDATE_ARRIVAL
	} what;
	uint32_t nodes;
};

static int event_order(const void *a, const void *b)
{
	const struct validate_event *x = a, *y = b;

	if (x->at_us != y->at_us)
		return x->at_us < y->at_us ? -1 : 1;
	return (int)x->what - (int)y->what;
}

/* The queue by size, as counts; `least` is its least size. */
struct validate_queue {
	uint32_t *jobs;
	uint32_t least, nodes;
};

/* Fill `use` in from events in order: what holds after the last event of an instant. */
static void validate_walk(struct validate_use *use, struct validate_queue *q,
			  const struct validate_event *e, uint64_t n)
{
	uint64_t used = 0;
	int64_t idle_from_us = INT64_MAX; /* begin of the present spell */

	use->span_us = n ? (double)(e[n - 1].at_us - e[0].at_us) : 0;
	for (uint64_t i = 0; i < n; i++) {
		bool idle;
		uint32_t nodes = e[i].nodes < q->nodes ? e[i].nodes : q->nodes;

		if (e[i].what == VALIDATE_END) {
			used -= e[i].nodes;
		} else if (e[i].what == VALIDATE_ARRIVAL) {
			q->jobs[nodes]++;
			q->least = nodes < q->least ? nodes : q->least;
		} else {
			used += e[i].nodes;
			q->jobs[nodes]--;
		}
		while (q->least <= q->nodes && !q->jobs[q->least])
			q->least++;
		if (i + 1 < n && e[i + 1].at_us == e[i].at_us)
			continue;
		use->most_nodes = used > use->most_nodes ? used :
							   use->most_nodes;
		if (i + 1 < n && used > q->nodes)
			use->beyond_us += (double)(e[i + 1].at_us - e[i].at_us);
		idle = q->least <= q->nodes && used + q->least <= q->nodes;
		if (idle && idle_from_us == INT64_MAX)
			idle_from_us = e[i].at_us;
		if (idle || idle_from_us == INT64_MAX)
			continue;
		if (e[i].at_us - idle_from_us >= SPELL_US)
			use->idle_us += (double)(e[i].at_us - idle_from_us);
		if (e[i].at_us - idle_from_us > use->longest_us) {
			use->longest_us = e[i].at_us - idle_from_us;
			use->longest_from_us = idle_from_us;
		}
		idle_from_us = INT64_MAX;
	}
}

/* Return the nodes of a job that ran; of the history also of one that is larger than the
 * machine and so not compared. */
static uint32_t validate_nodes(const struct storus_replay_outcomes *half,
			       uint64_t i)
{
	const struct torus_account *a = &half->job[i].account;

	if (!half->job[i].known)
		return 0;
	if (!a->granted && half->recorded && a->start_us >= a->submit_us &&
	    a->requested > half->nodes)
		return a->requested;
	return a->granted;
}

/* 0, or -1 without memory. */
static int validate_machine(const struct storus_replay_outcomes *half,
			    struct validate_use *use)
{
	struct validate_event *event = torus_alloc(3 * half->jobs + 1,
						   sizeof(*event));
	struct validate_queue q = { .jobs = torus_alloc((size_t)half->nodes + 2,
							sizeof(*q.jobs)),
				    .least = half->nodes + 1,
				    .nodes = half->nodes };
	uint64_t n = 0;

	for (uint64_t i = 0; event && q.jobs && i < half->jobs; i++) {
		const struct torus_account *a = &half->job[i].account;
		uint32_t nodes = validate_nodes(half, i);
		int64_t end_us = a->granted ? a->end_us :
					      a->start_us + a->run_us;

		if (!nodes)
			continue;
		event[n++] = (struct validate_event){ a->submit_us,
						      VALIDATE_ARRIVAL, nodes };
		event[n++] = (struct validate_event){ a->start_us,
						      VALIDATE_START, nodes };
		event[n++] = (struct validate_event){ end_us, VALIDATE_END,
						      nodes };
	}
	if (event && q.jobs) {
		qsort(event, n, sizeof(*event), event_order);
		validate_walk(use, &q, event, n);
	}
	torus_free(q.jobs);
	torus_free(event);
	return event && q.jobs ? 0 : -1;
}

/* The verdict */

static void validate_because(struct validate *v, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void validate_because(struct validate *v, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	torus_text_add(&v->why, "%s%s", v->why.length ? "; " : "", text);
}

static double validate_share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : NAN;
}

static void validate_judge(struct validate *v)
{
	double apart = v->mean[1] - v->mean[0];
	const struct validate_use *was = &v->use[0];

	if (!v->compared)
		validate_because(v, "no job ran in both");
	if (v->compared && fabs(apart) > TRUST_MEAN_S &&
	    fabs(apart) > TRUST_MEAN * v->mean[0])
		validate_because(v,
				 "the mean wait is %.0f s in the replay and was %.0f s (%+.0f %%)",
				 v->mean[1], v->mean[0],
				 100 * apart / v->mean[0]);
	/* a scheduler that runs at intervals is late by less than a minute */
	v->ks_late = v->compared ? validate_distance(v->wait, v->compared,
						     TRUST_MEAN_S) :
				   0;
	/* of few jobs, one may differ */
	if (v->ks_late > TRUST_KS && v->ks_late * (double)v->compared > 1.5)
		validate_because(v,
				 "the waits are distributed otherwise (KS distance %.2f, at most %.2f)",
				 v->ks, TRUST_KS);
	if (validate_share(v->near, v->compared) < TRUST_NEAR)
		validate_because(v,
				 "%.0f %% of the starts are within 10 %% of the wait or 10 minutes, at least %.0f %% should be",
				 100 * validate_share(v->near, v->compared),
				 100 * TRUST_NEAR);
	if (was->beyond_us > TRUST_BEYOND * was->span_us)
		validate_because(v,
				 "the history had up to %llu nodes in use, the machine has %u",
				 (unsigned long long)was->most_nodes,
				 v->half[0].nodes);
}

static bool validate_trusted(const struct validate *v)
{
	return v->why.length == 0;
}

/* Write the first sentence. */
static void validate_sentence(const struct validate *v, struct torus_text *text)
{
	if (validate_trusted(v))
		torus_text_add(text,
			       "The replay may be trusted for this site: the mean wait is %.0f s and was %.0f s, the KS distance of the waits is %.2f%s, and %.0f %% of the starts are within 10 %% of the wait or 10 minutes.",
			       v->mean[1], v->mean[0], v->ks,
			       v->ks_late > TRUST_KS ? ", that of one job" :
			       v->ks > TRUST_KS ? " by less than a minute" :
						  "",
			       100 * validate_share(v->near, v->compared));
	else
		torus_text_add(text,
			       "The replay may not be trusted for this site: %s.",
			       v->why.data ? v->why.data : "");
	if (v->compared && v->compared < TRUST_FEW)
		torus_text_add(text,
			       " Only %llu job%s compared: one moves the KS distance by %.2f; a longer trace says more.",
			       (unsigned long long)v->compared,
			       v->compared == 1 ? " was" : "s were",
			       1 / (double)v->compared);
}

/* Output */

static void validate_print_groups(const struct validate_group *g, uint32_t n,
				  const char *head)
{
	printf("\n%-20s %9s %13s %13s %10s\n", head, "jobs", "waited s",
	       "in replay s", "starts near");
	for (uint32_t i = 0; i < n; i++) {
		char name[TORUS_TRACE_USER_SIZE];

		if (!g[i].jobs)
			continue;
		if (*g[i].name)
			snprintf(name, sizeof(name), "%s", g[i].name);
		else
			snprintf(name, sizeof(name), "-");
		printf("%-20s %9llu %13.0f %13.0f %9.0f %%\n", name,
		       (unsigned long long)g[i].jobs,
		       g[i].wait_s[0] / (double)g[i].jobs,
		       g[i].wait_s[1] / (double)g[i].jobs,
		       100 * validate_share(g[i].near, g[i].jobs));
	}
}

static void validate_print_line(const char *name, double was, double is,
				int decimals, const char *unit)
{
	printf("%-30s %13.*f %13.*f  %s\n", name, decimals, was, decimals, is,
	       unit);
}

/* Print causes that a replay of this trace does not know. */
static void validate_print_causes(const struct validate *v)
{
	const struct validate_use *was = &v->use[0], *is = &v->use[1];
	char from[TORUS_SLURM_DAY_SIZE];

	if (v->half[0].growing || v->half[1].growing)
		printf("\ngrowing: the queue grows to the end of the trace in %s:\n"
		       "waits depend on its length\n",
		       !v->half[0].growing ? "the replay" :
		       v->half[1].growing  ? "history and replay" :
					     "the history");
	if (was->beyond_us > 0)
		printf("\nThe history had more nodes in use than the machine has for %.1f h: nodes were\n"
		       "shared (--size cpus), or the machine was larger (--torus, --partition).\n",
		       was->beyond_us / HOUR_US);
	if (was->idle_us > 2 * is->idle_us && was->longest_us >= SPELL_US)
		printf("\nJobs waited beside idle nodes that would have held them, longest %.1f h from\n"
		       "%s on: an outage, a partition, a limit or a reservation, which\n"
		       "the trace does not have (--partition, --from, --to).\n",
		       (double)was->longest_us / HOUR_US,
		       torus_slurm_day_text(was->longest_from_us, from));
}

static void validate_print(const struct validate *v)
{
	const struct validate_use *was = &v->use[0], *is = &v->use[1];
	struct torus_text sentence = { 0 };

	validate_sentence(v, &sentence);
	storus_table_fold(sentence.data ? sentence.data : "", 0);
	torus_text_free(&sentence);
	printf("\n%-30s %13s %13s\n", "", half_names[0], half_names[1]);
	validate_print_line("mean wait", v->mean[0], v->mean[1], 0, "s");
	for (int q = 0; q < QUANTILES; q++) {
		char name[32];

		snprintf(name, sizeof(name), "wait, %.0f %% of the jobs",
			 100 * quantiles[q]);
		validate_print_line(name,
				    validate_quantile(v->wait[0], v->compared,
						      quantiles[q]),
				    validate_quantile(v->wait[1], v->compared,
						      quantiles[q]),
				    0, "s or less");
	}
	validate_print_line("nodes in use, at most", (double)was->most_nodes,
			    (double)is->most_nodes, 0, "");
	validate_print_line("hours beyond the machine", was->beyond_us / HOUR_US,
			    is->beyond_us / HOUR_US, 1, "h");
	validate_print_line("idle beside a queue", was->idle_us / HOUR_US,
			    is->idle_us / HOUR_US, 1, "h, though a job fits");
	printf("%-30s %13llu\n%-30s %13.3f\n%-30s %13.1f  %% within 10 %% or 10 min\n",
	       "jobs compared", (unsigned long long)v->compared,
	       "KS distance of the waits", v->ks, "starts that are near",
	       100 * validate_share(v->near, v->compared));
	if (v->lost[0] || v->lost[1])
		printf("not compared: without a start, or larger than the machine: %llu;\n"
		       "not run in the replay: %llu\n",
		       (unsigned long long)v->lost[0],
		       (unsigned long long)v->lost[1]);
	validate_print_causes(v);
	validate_print_groups(v->size, SIZES, "nodes");
	validate_print_groups(v->user,
			      v->users < USERS_SHOWN ? v->users : USERS_SHOWN,
			      v->users > USERS_SHOWN ? "user (most jobs)" :
						       "user");
}

static json_t *validate_groups_json(const struct validate_group *g, uint32_t n,
				    const char *key)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		if (g[i].jobs)
			json_array_append_new(list,
					      json_pack("{s:s, s:I, s:f, s:f, s:f}",
							key, g[i].name, "jobs",
							(json_int_t)g[i].jobs,
							"history_mean_wait_s",
							g[i].wait_s[0] /
								(double)g[i].jobs,
							"replay_mean_wait_s",
							g[i].wait_s[1] /
								(double)g[i].jobs,
							"near",
							validate_share(g[i].near,
								       g[i].jobs)));
	return list;
}

static json_t *validate_half_json(const struct validate *v, int h)
{
	const struct validate_use *use = &v->use[h];
	json_t *wait = json_object();

	for (int q = 0; q < QUANTILES; q++)
		json_object_set_new(wait, quantile_names[q],
				    storus_json_real(
					    validate_quantile(v->wait[h],
							      v->compared,
							      quantiles[q])));
	return json_pack("{s:o, s:b, s:o, s:I, s:f, s:f, s:f, s:o}",
			 "mean_wait_s",
			 storus_json_real(v->compared ? v->mean[h] : NAN),
			 "growing", v->half[h].growing, "wait_s", wait,
			 "most_nodes", (json_int_t)use->most_nodes,
			 "beyond_machine_h", use->beyond_us / HOUR_US,
			 "idle_beside_queue_h", use->idle_us / HOUR_US,
			 "longest_idle_beside_queue_h",
			 (double)use->longest_us / HOUR_US,
			 "longest_idle_beside_queue_s",
			 use->longest_us ?
				 storus_json_real((double)use->longest_from_us *
						  1e-6) :
				 json_null());
}

static int validate_write_json(const struct validate *v,
			       const struct storus_replay_options *opts)
{
	struct torus_text sentence = { 0 };
	json_t *o;

	validate_sentence(v, &sentence);
	o = json_pack("{s:i, s:b, s:s?, s:I, s:I, s:o, s:o, s:o, s:o}",
		      "schema", 1, "trusted", validate_trusted(v), "sentence",
		      sentence.data, "jobs", (json_int_t)v->jobs, "compared",
		      (json_int_t)v->compared, "ks_wait",
		      storus_json_real(v->compared ? v->ks : NAN), "starts_near",
		      storus_json_real(validate_share(v->near, v->compared)),
		      half_names[0], validate_half_json(v, 0), half_names[1],
		      validate_half_json(v, 1));
	torus_text_free(&sentence);
	json_object_set_new(o, "sizes",
			    validate_groups_json(v->size, SIZES, "nodes"));
	json_object_set_new(o, "users",
			    validate_groups_json(v->user, v->users, "user"));
	json_object_set_new(o, "nodes", json_integer(v->half[1].nodes));
	json_object_set_new(o, "machine", json_string(v->half[1].machine));
	json_object_set_new(o, "discipline", json_string(v->half[1].discipline));
	json_object_set_new(o, "trace_sha256", json_string(v->half[1].digest));
	return storus_json_write(NAME, storus_json_origin(o, opts->command),
				 opts->json);
}

static int validate_halves(struct storus_replay_options *opts,
			   struct validate *v)
{
	struct storus_replay_options history = *opts;
	int status = storus_replay_outcomes(opts, &v->half[1]);

	history.discipline = history.strategy = NULL;
	history.of_policy.used = 0;
	history.wait_limit_us = -1;
	history.options.overrun = TORUS_OVERRUN_RAISE;
	history.recorded = history.quiet = true;
	if (!status)
		status = storus_replay_outcomes(&history, &v->half[0]);
	v->jobs = v->half[0].jobs > v->half[1].jobs ? v->half[0].jobs :
						      v->half[1].jobs;
	return status;
}

static int validate_run(void *words)
{
	struct storus_replay_options *opts = words;
	struct validate v = { .jobs = 0 };
	int status;

	opts->self = NAME;
	status = storus_replay_check(opts);
	if (status != STORUS_GO)
		return status;
	if (opts->recorded)
		return storus_say(NAME, STORUS_USAGE,
				  "--discipline recorded: this is the history, with which a discipline is compared");
	if (!strcmp(opts->trace, "-"))
		return storus_say(NAME, STORUS_USAGE,
				  "the trace is read twice: expected a file, not the standard input");
	opts->input.digest = opts->input.state = true;
	opts->options.other_machine = true;
	status = validate_halves(opts, &v);
	for (uint32_t k = 0; k < SIZES; k++) {
		struct validate_group *g = &v.size[k];
		unsigned long long to = 1ull << k, from = to / 2 + 1;

		if (k < 2)
			snprintf(g->name, sizeof(g->name), "%llu", to);
		else
			snprintf(g->name, sizeof(g->name), "%llu-%llu", from,
				 to);
	}
	if (!status &&
	    (validate_compare(&v) || validate_machine(&v.half[0], &v.use[0]) ||
	     validate_machine(&v.half[1], &v.use[1])))
		status = storus_no_memory(NAME);
	if (!status) {
		validate_judge(&v);
		if (opts->json)
			status = validate_write_json(&v, opts);
		else
			validate_print(&v);
		if (!status && !validate_trusted(&v))
			status = STORUS_NO;
	}
	torus_free(v.half[0].job);
	torus_free(v.half[1].job);
	torus_free(v.wait[0]);
	torus_free(v.wait[1]);
	torus_free(v.user);
	torus_text_free(&v.why);
	return status;
}

const struct storus_command storus_validate = {
	.name = "validate",
	.summary =
		"compare a replay with what really happened, before you trust it",
	.usage = "TRACE --torus FILE|MACHINE [OPTION]...",
	.about = "TRACE has the starts of its jobs: sacct -P with Start, SWF with wait times, or the\n"
		 "journal of sched/torus. It is replayed under the policy that the site had, and the\n"
		 "waits are compared with the real ones. The first sentence says whether a replay may\n"
		 "be trusted for this site; exit status 1: it may not.",
	.options = storus_validate_options,
	STORUS_WORDS(struct storus_replay_options, .wait_limit_us = -1,
		     .mean_hold_us = -1, .seed = 1,
		     .options = TORUS_REPLAY_OPTIONS),
	.line = { STORUS_TO(struct storus_replay_options, command) },
	.operand = { .value = "trace",
		     STORUS_TO(struct storus_replay_options, trace) },
	.examples =
		"  storus validate --torus /etc/slurm/torus.yaml jobs.sacct\n"
		"  storus validate --torus flat:32 --discipline fcfs jobs.sacct\n"
		"  storus validate --torus 8x8x8 --json=validate.json jobs.sacct\n",
	.run = validate_run,
};
