/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The replay engine with --check on random traces: every discipline with
 * every strategy on every machine of workload.h that they support, as the
 * registries list them, so that a new one is covered by being there. Jobs have
 * counts, shapes, letters, ladders, priorities, deadlines and wrong limits.
 *
 * Whatever is checked after an instant holds; every job comes out once, none
 * starts before its submit; work is conserved: each completed job ran for its
 * run time, on at least the nodes of an alternative; and the same trace gives
 * the same schedule again. Idle node time by cause adds up to what the jobs did
 * not hold, to the microsecond, and to ask for it changes no decision.
 */
#include "replay/replay.h"
#include "torus/slurm.h"
#include "workload.h"

#include <stdlib.h>
#include <unistd.h>

#define JOBS 60

struct trace {
	char path[64];
	int64_t submit[JOBS], run[JOBS];
};

struct outcome {
	const struct trace *trace;
	uint32_t seen[JOBS];
	uint64_t hash;
	torus_node_us held; /* by jobs */
};

static char context[160]; /* the case under way, shown if it fails */

static const char *geometry(struct random *r, const struct torus_machine *m,
			    char *text, size_t size)
{
	struct torus_request request = { .alternatives = 1, .rotate = true };

	if (random_percent(r, 20))
		request.alternatives += random_below(r, 3);
	for (uint32_t k = 0; k < request.alternatives; k++) {
		struct torus_alternative *a = &request.alternative[k];

		a->ask = workload_ask(r, m);
		if (!a->ask.by_count)
			torus_ask_drop_ones(&a->ask);
		for (uint32_t i = 0; i < k; i++) /* no two are equal */
			if (torus_ask_nodes(&a->ask) ==
			    torus_ask_nodes(&request.alternative[i].ask))
				request.alternatives = k;
		a->after_us = k ? (a - 1)->after_us + random_below(r, 15) *
							      INT64_C(1000000) :
				  0;
	}
	assert_true(torus_request_format(&request, text, size) >= 0);
	return text;
}

static void write_trace(struct trace *t, struct random *r,
			const struct torus_machine *m)
{
	static const char *const letters[] = { "", "nav", "mesh", "torus" };
	char text[TORUS_GEOMETRY_SIZE];
	int64_t now = 0;
	FILE *out;
	int fd;

	snprintf(t->path, sizeof(t->path), "prop_replay-XXXXXX");
	fd = mkstemp(t->path);
	assert_true(fd >= 0);
	out = fdopen(fd, "w");
	assert_non_null(out);
	fprintf(out,
		"id,submit,run,geometry,connection,rotate,limit,deadline,priority\n");
	for (int i = 0; i < JOBS; i++) {
		now += random_below(r, 6);
		t->submit[i] = now;
		t->run[i] = random_below(r, 30);
		fprintf(out, "%d,%lld,%lld,\"%s\",%s,%s,%u,", i, (long long)now,
			(long long)t->run[i], geometry(r, m, text, sizeof(text)),
			letters[random_percent(r, 20) ? random_below(r, 4) : 0],
			random_percent(r, 85) ? "yes" : "no",
			random_below(r, 40));
		if (random_percent(r, 60))
			fprintf(out, "%lld",
				(long long)now + t->run[i] +
					random_below(r, 60));
		fprintf(out, ",%u\n", random_below(r, 4));
	}
	assert_int_equal(fclose(out), 0);
}

static int row(void *arg, const struct torus_machine *m,
	       const struct torus_replay_row *row)
{
	struct outcome *o = arg;
	const struct torus_account *a = &row->account;
	int i = atoi(row->id);

	(void)m;
	assert_true(i >= 0 && i < JOBS);
	assert_int_equal(o->seen[i]++, 0);
	assert_int_equal(a->submit_us, o->trace->submit[i] * 1000000);
	assert_int_equal(a->run_us, o->trace->run[i] * 1000000);
	if (a->granted) {
		assert_true(a->start_us >= a->submit_us);
		assert_true(a->granted >= a->requested);
		assert_int_equal(torus_account_held(a), a->run_us);
	} else {
		assert_int_equal(a->outcome, TORUS_OUTCOME_REJECTED);
	}
	if (a->granted)
		o->held += (torus_node_us)a->granted *
			   (uint64_t)torus_account_held(a);
	o->hash = (o->hash ^ (uint64_t)i) * UINT64_C(0x100000001b3);
	o->hash = (o->hash ^ (uint64_t)a->start_us) * UINT64_C(0x100000001b3);
	o->hash = (o->hash ^ a->granted) * UINT64_C(0x100000001b3);
	return 0;
}

/* The causes, their slices of time and their whole seconds add up. */
static void check_idle(const struct torus_metrics *metrics, uint32_t nodes,
		       torus_node_us held)
{
	const struct torus_idle *idle = &metrics->idle;
	uint64_t seconds[TORUS_IDLE_CAUSES], whole = 0;
	torus_node_us sum = 0;

	if (metrics->last_end_us == INT64_MIN)
		return;
	for (int c = 0; c < TORUS_IDLE_CAUSES; c++) {
		torus_node_us slices = 0;

		for (int i = 0; i < TORUS_IDLE_SLICES; i++)
			slices += idle->slice[i][c];
		assert_true(slices == idle->node_us[c]);
		sum += idle->node_us[c];
	}
	assert_true(sum + held == (torus_node_us)nodes *
					  (uint64_t)(metrics->last_end_us -
						     metrics->first_submit_us));
	assert_true(torus_idle_seconds(idle->node_us, seconds) ==
		    (uint64_t)(sum / 1000000));
	for (int c = 0; c < TORUS_IDLE_CAUSES; c++)
		whole += seconds[c];
	assert_true(whole == (uint64_t)(sum / 1000000));
}

static uint64_t replay(const struct trace *t, const struct torus_machine *m,
		       const struct torus_scheduler_settings *settings,
		       bool idle)
{
	struct torus_trace_options input = { 0 };
	struct torus_replay_options options;
	struct torus_error err = { 0 };
	struct outcome o = { .trace = t };
	struct torus_replay_hooks hooks = { .arg = &o, .row = row };
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_trace *trace = torus_trace_open(t->path, &input, &err);

	if (!trace)
		fail_msg("%s", err.text);
	torus_replay_options_init(&options);
	options.check = true;
	options.idle = idle;
	/* conservative plans for jobs that are overdue microsecond by
	 * microsecond: true, but too slow for here */
	options.overrun = strcmp(settings->discipline->name, "conservative") ?
				  TORUS_OVERRUN_EXTEND :
				  TORUS_OVERRUN_RAISE;
	if (torus_replay_run(trace, m, settings, &options, &hooks, metrics,
			     &err) != TORUS_REPLAY_DONE)
		fail_msg("%s", err.text);
	if (torus_trace_counts(trace)->bad)
		fail_msg("%s", torus_trace_bad(trace)->text);
	for (int i = 0; i < JOBS; i++)
		assert_int_equal(o.seen[i], 1);
	if (idle)
		check_idle(metrics, m->nodes, o.held);
	torus_metrics_destroy(metrics);
	torus_trace_close(trace);
	return o.hash;
}

/* On a flat machine, stock Slurm's jobs may share nodes, whose CPUs its nodes are. */
static void share_nodes(struct torus_slurm *slurm,
			const struct torus_machine *m, struct random *r)
{
	if (m->pods > 1 || !m->pod[0].torus.flat || !random_percent(r, 60))
		return;
	slurm->node = calloc(m->nodes, sizeof(*slurm->node));
	assert_non_null(slurm->node);
	slurm->consumable = true;
	slurm->memory = random_percent(r, 70);
	for (uint32_t cpus = 0; cpus < m->nodes;) {
		struct torus_slurm_node *n = &slurm->node[slurm->nodes++];

		n->first = cpus;
		n->cpus = 1 + random_below(r, 8);
		if (n->cpus > m->nodes - cpus)
			n->cpus = m->nodes - cpus;
		n->together = n->cpus % 2 ? 1 : 1 + random_below(r, 2);
		n->memory_mb = 100 * random_below(r, 10);
		cpus += n->cpus;
	}
}

static void run_disciplines(const struct trace *t,
			    const struct torus_machine *m, struct random *r)
{
	const struct torus_discipline *const *d;
	struct torus_scheduler_settings settings;
	struct torus_slurm slurm;
	struct torus_slurm_partition partition = {
		.name = "main",
		.max_nodes = UINT32_MAX,
		.max_minutes = TORUS_SLURM_NO_LIMIT,
		.default_minutes = TORUS_SLURM_NO_LIMIT,
		.up = true,
	};
	uint64_t hash;

	torus_scheduler_defaults(&settings);
	settings.slurm = &slurm;
	torus_slurm_defaults(&slurm);
	slurm.partition = &partition;
	slurm.partitions = 1;
	slurm.multifactor = slurm.consumable = random_percent(r, 50);
	slurm.weight_age = slurm.weight_fairshare = 1000;
	slurm.bf_interval = 1 + random_below(r, 30);
	slurm.bf_max_job_test = 1 + random_below(r, 40);
	share_nodes(&slurm, m, r);
	partition.memory_mb = 100 * random_below(r, 4);
	partition.per_cpu = random_percent(r, 50);
	partition.exclusive = random_percent(r, 20);
	partition.exclusive_user = random_percent(r, 20);
	partition.least_loaded = random_percent(r, 30);
	settings.order_by_priority = random_percent(r, 30);
	settings.index_at = random_below(r, 3);
	if (random_percent(r, 40))
		settings.wait_limit_us = random_below(r, 30) * INT64_C(1000000);
	for (d = torus_disciplines(); *d; d++) {
		settings.discipline = *d;
		settings.mean_hold_us = (*d)->defers ? 10000000 : 0;
		if ((*d)->supports && (*d)->supports(m, &settings, NULL))
			continue;
		snprintf(context + 80, 80, "%s", (*d)->name);
		hash = replay(t, m, &settings, false);
		assert_true(replay(t, m, &settings, true) == hash);
	}
	free(slurm.node);
}

static void each_discipline_replays_soundly(void **state)
{
	uint64_t seed = random_seed("prop_replay");
	uint32_t cases = random_effort(2, 50);
	const struct torus_strategy *const *s;
	struct torus_machine m;
	struct trace t;

	(void)state;
	for (uint32_t i = 0; i < cases * WORKLOAD_MACHINES; i++) {
		const char *string = workload_machines[i % WORKLOAD_MACHINES];

		for (s = torus_strategies(); *s; s++) {
			struct random r = { seed + i };

			if (!workload_machine(&m, string, *s))
				continue;
			snprintf(context, 80, "%s %s seed %llu", string,
				 (*s)->name, (unsigned long long)seed);
			write_trace(&t, &r, &m);
			run_disciplines(&t, &m, &r);
			unlink(t.path);
			torus_machine_free(&m);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_discipline_replays_soundly),
	};

	if (cmocka_run_group_tests(tests, NULL, NULL) == 0)
		return EXIT_SUCCESS;
	printf("# failed in: %s %s\n", context, context + 80);
	return EXIT_FAILURE;
}
