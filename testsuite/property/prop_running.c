/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What storus explain says of a running job, against brute force over vertices and
 * links, on machines with units, several nodes per vertex and links that fail:
 *
 * - along each dimension of its region a ring is closed or open;
 * - its neighbours are the jobs with a vertex one hop away, or at the same one;
 * - the links that are not healthy between its own vertices;
 *
 * and the predicted contention against what then happens: a job that begins last and
 * ends before the others has run its own time times the factor.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "torus/placement.h"
#include "questions_world.h"
#include "replay/replay.h"
#include "storus/machine/explain.h"
#include "torus/alloc.h"

#define CONTENDERS 12
#define SECOND INT64_C(1000000)

static char context[64];

static void running_fail(const char *id, const char *what, const char *told)
{
	fail_msg("%s, job %s: %s: \"%s\"", context, id, what, told);
}

/* The answer of explain about the n-th job; takes over the snapshot, not s itself. */
static json_t *ask(struct snapshot *s, uint32_t n)
{
	struct explain *e = torus_alloc(1, sizeof(*e));
	json_t *o;

	e->q.snapshot = s;
	e->q.config = s->config;
	e->q.state = occupancy_state(s);
	assert_non_null(e->q.state);
	e->job = &s->job[n];
	o = explain_running_json(e);
	e->q.snapshot = NULL;
	explain_clear(e);
	torus_free(e);
	return o;
}

static const char *word(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* Vertices */

/* The n-th vertex, first dimension fastest. */
static void vertex(const struct units_torus *u, uint32_t n, uint32_t *at)
{
	for (uint32_t d = 0; d < u->dims; d++) {
		at[d] = n % u->size[d];
		n /= u->size[d];
	}
}

/* The nodes at a vertex, as a word. */
static uint64_t nodes_at(const struct units_torus *u, const uint32_t *at)
{
	return torus_bits_low(u->per_vertex) << units_node(u, at);
}

/* The vertex behind `at` along d; false: the machine ends there. */
static bool next_vertex(const struct units_torus *u, const uint32_t *at,
			uint32_t d, uint32_t *next)
{
	memcpy(next, at, sizeof(*at) * u->dims);
	next[d] = at[d] + 1 < u->size[d] ? at[d] + 1 : 0;
	return u->size[d] > 1 && (next[d] || u->wrap[d]);
}

static uint64_t nodes_of(const struct snapshot_job *j)
{
	uint64_t nodes = 0;

	for (uint32_t i = 0; i < j->nodes; i++)
		nodes |= UINT64_C(1) << j->node[i];
	return nodes;
}

/* One hop away from `nodes`, or at the same vertex. */
static uint64_t near_to(const struct units_torus *u, uint64_t nodes)
{
	uint32_t at[DIMS], next[DIMS];
	uint64_t near = 0;

	for (uint32_t v = 0; v < u->vertices; v++) {
		vertex(u, v, at);
		if (nodes & nodes_at(u, at))
			near |= nodes_at(u, at);
		for (uint32_t d = 0; d < u->dims; d++) {
			if (!next_vertex(u, at, d, next))
				continue;
			if (nodes & nodes_at(u, at))
				near |= nodes_at(u, next);
			if (nodes & nodes_at(u, next))
				near |= nodes_at(u, at);
		}
	}
	return near;
}

static void check_neighbours(const struct world *w,
			     const struct snapshot_job *job, const json_t *list)
{
	uint64_t near = near_to(&w->u, nodes_of(job));
	size_t n = 0;

	for (uint32_t j = 0; j < w->s->jobs; j++) {
		const struct snapshot_job *other = &w->s->job[j];

		if (other == job || !(nodes_of(other) & near))
			continue;
		if (n == json_array_size(list) ||
		    strcmp(json_string_value(json_array_get(list, n)),
			   other->id))
			running_fail(job->id, "a neighbour is missing",
				     other->id);
		n++;
	}
	if (n != json_array_size(list))
		running_fail(job->id, "too many neighbours", "");
}

/* Rings and links of a job on a box */

/* Grant a ring along some of the dimensions that the box could close when it began;
 * links may have failed since. */
static uint32_t grant(const struct units_torus *u, struct random *r,
		      struct snapshot_job *job, const struct torus_region *box)
{
	char orientation[2 * DIMS + 1] = "", ring[DIMS + 1] = "";
	uint32_t granted = 0;

	for (uint32_t d = 0; d < u->dims; d++) {
		bool closed = units_ring(u, d, box->extent[d] * u->unit[d]) &&
			      random_percent(r, 70);

		sprintf(orientation + strlen(orientation), "%s%u", d ? "," : "",
			d);
		ring[d] = closed ? 'T' : 'M';
		granted |= (uint32_t)closed << d;
	}
	torus_free(job->orientation);
	torus_free(job->ring);
	job->orientation = torus_text_copy(orientation);
	job->ring = torus_text_copy(ring);
	return granted;
}

static void check_rings(const struct world *w, const struct snapshot_job *job,
			const struct torus_region *box, uint32_t granted,
			const char *told)
{
	const struct units_torus *u = &w->u;
	uint32_t base[DIMS], extent[DIMS];
	char rings[DIMS + 1] = "";
	size_t n = 0;

	for (uint32_t d = 0; d < u->dims; d++) {
		base[d] = box->base[d] * u->unit[d];
		extent[d] = box->extent[d] * u->unit[d];
	}
	for (uint32_t d = 0; d < u->dims; d++) {
		bool closing, dead = units_line_dead(u, true, d, base, extent,
						     &closing);

		if (extent[d] > 1)
			rings[n++] = granted >> d & 1 && !dead && !closing ?
					     'T' :
					     'M';
	}
	if (strcmp(rings, told))
		running_fail(job->id, rings, told);
}

/* Does the link from `at` along d lead from the last vertices to the first? */
static bool closes(const struct units_torus *u, const struct torus_region *box,
		   const uint32_t *at, uint32_t d)
{
	uint32_t last = (box->base[d] + box->extent[d]) * u->unit[d] - 1;

	return at[d] == last % u->size[d];
}

/* The links between its own vertices; those that close a line, of rings alone. */
static void check_links(const struct world *w, const struct snapshot_job *job,
			const struct torus_region *box, uint32_t granted,
			const char *told)
{
	static const char *const health[] = { "up", "weak", "down" };
	const struct units_torus *u = &w->u;
	uint64_t nodes = nodes_of(job);
	struct torus_text all = { 0 };
	uint32_t at[DIMS], next[DIMS];

	for (uint32_t v = 0; v < u->vertices; v++) {
		vertex(u, v, at);
		for (uint32_t d = 0; d < u->dims; d++) {
			if (u->health[v][d] == TORUS_LINK_UP ||
			    !next_vertex(u, at, d, next) ||
			    !(nodes & nodes_at(u, at)) ||
			    !(nodes & nodes_at(u, next)) ||
			    (closes(u, box, at, d) && !(granted >> d & 1)))
				continue;
			torus_text_add(&all, "%storus:", all.length ? ", " : "");
			for (uint32_t e = 0; e < u->dims; e++)
				torus_text_add(&all, "%s%u", e ? "," : "",
					       at[e]);
			torus_text_add(&all, " %u %s", d,
				       health[u->health[v][d]]);
		}
	}
	if (strcmp(all.data ? all.data : "", told))
		running_fail(job->id, all.data ? all.data : "no links", told);
	torus_text_free(&all);
}

static void check_job(struct world *w, struct random *r, uint32_t n)
{
	struct snapshot_job *job = &w->s->job[n];
	struct torus_regions several;
	struct torus_placement place;
	uint32_t granted = 0;
	bool box = occupancy_place(w->s, job, &several, &place);
	json_t *o;

	if (box)
		granted = grant(&w->u, r, job, &place.region);
	o = ask(w->s, n);

	if (strcmp(word(o, "region"), job->place))
		running_fail(job->id, job->place, word(o, "region"));
	check_neighbours(w, job, json_object_get(o, "neighbours"));
	if (box) {
		check_rings(w, job, &place.region, granted, word(o, "rings"));
		check_links(w, job, &place.region, granted, word(o, "links"));
	} else if (*word(o, "rings")) {
		running_fail(job->id, "rings of single nodes", word(o, "rings"));
	}
	json_decref(o);
}

static void a_running_job_is_explained(void **state)
{
	uint64_t seed = random_seed("running");
	uint32_t rounds = random_effort(4000, 30), jobs = 0;

	(void)state;
	for (uint32_t k = 0; k < rounds; k++) {
		struct random r = { seed + k };
		struct world w;

		snprintf(context, sizeof(context), "TORUS_SEED=%llu",
			 (unsigned long long)r.state);
		world_create(&w, &r, random_below(&r, 4000), "", false);
		world_draw_jobs(&w, &r, 1 + random_below(&r, 8));
		assert_int_equal(occupancy_prepare(w.s), 0);
		for (uint32_t j = 0; j < w.s->jobs; j++, jobs++)
			check_job(&w, &r, j);
		snapshot_destroy(w.s);
	}
	printf("# %u running jobs\n", jobs);
}

/* Contention */

/* A job of the replay: its own run time, and where and until when it ran. */
struct contender {
	int64_t run_us, start_us, end_us;
	char place[128];
};

static int take_row(void *arg, const struct torus_machine *m,
		    const struct torus_replay_row *row)
{
	struct contender *c = (struct contender *)arg + atoi(row->id);
	struct torus_text text = { 0 };

	assert_int_equal(row->account.outcome, TORUS_OUTCOME_COMPLETED);
	c->start_us = row->account.start_us;
	c->end_us = row->account.end_us;
	assert_int_equal(torus_placement_format(m, row->place, &text), 0);
	snprintf(c->place, sizeof(c->place), "%s", text.data);
	torus_text_free(&text);
	return 0;
}

/* The last one comes after the others and is much shorter. */
static void write_contenders(struct contender *c, struct random *r,
			     const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "id,submit,run,geometry\n");
	for (uint32_t i = 0; i < CONTENDERS; i++) {
		bool last = i == CONTENDERS - 1;

		c[i].run_us = (1 + random_below(r, 100) + (last ? 0 : 5000)) *
			      SECOND;
		fprintf(f, "%u,%u,%lld,%ux%u\n", i, last,
			(long long)(c[i].run_us / SECOND),
			1u << random_below(r, 4), 1u << random_below(r, 4));
	}
	assert_int_equal(fclose(f), 0);
}

/* The jobs' whole lives, with links that they share. */
static void replay(const struct snapshot *s, struct contender *c,
		   const char *path)
{
	struct torus_trace_options input = { 0 };
	struct torus_replay_options options;
	struct torus_replay_hooks hooks = { .arg = c, .row = take_row };
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_error err = { 0 };
	struct torus_trace *trace = torus_trace_open(path, &input, &err);

	torus_replay_options_init(&options);
	options.contention = true;
	if (!trace || torus_replay_run(trace, &s->config->machine,
				       &s->config->scheduler, &options, &hooks,
				       metrics, &err) != TORUS_REPLAY_DONE)
		fail_msg("%s", err.text);
	torus_trace_close(trace);
	torus_metrics_destroy(metrics);
}

/* Returns the factor; 0: the last job did not begin at once. */
static double check_contention(struct random *r)
{
	struct contender c[CONTENDERS] = { { 0 } }, *last = &c[CONTENDERS - 1];
	char path[] = "prop_running-XXXXXX";
	struct torus_text text = { 0 };
	double factor = 0, ran;
	struct snapshot *s;
	json_t *o;

	torus_text_add(&text, "torus-snapshot 1\ntime 1\nmachine torus.yaml\n"
			      "| toruses:\n| - name: torus\n|   dims: [8, 8]\n"
			      "|   strategy: subtorus\n"
			      "| scheduler:\n|   discipline: easy\n");
	s = snapshot_of_text(&text);
	assert_int_equal(close(mkstemp(path)), 0);
	write_contenders(c, r, path);
	replay(s, c, path);
	unlink(path);
	snapshot_destroy(s);
	for (uint32_t i = 0; i < CONTENDERS; i++) {
		if (c[i].start_us <= SECOND)
			torus_text_add(&text,
				       "running id=%u start=0 end=9000 limit=9000 "
				       "priority=0 place=%s\n",
				       i, c[i].place);
	}
	s = snapshot_of_text(&text);
	assert_int_equal(occupancy_prepare(s), 0);
	if (last->start_us == SECOND) {
		o = ask(s, s->jobs - 1);
		factor = json_real_value(json_object_get(o, "dilation"));
		ran = (double)(last->end_us - SECOND) / (double)last->run_us;
		if (fabs(ran - factor) > 2e-6)
			fail_msg("%s, on %s: told %.7f, ran %.7f times as long",
				 context, last->place, factor, ran);
		json_decref(o);
	}
	snapshot_destroy(s);
	torus_text_free(&text);
	return factor;
}

static void contention_agrees_with_counting(void **state)
{
	uint64_t seed = random_seed("contention");
	uint32_t rounds = random_effort(400, 30), shared = 0;

	(void)state;
	for (uint32_t k = 0; k < rounds; k++) {
		struct random r = { seed + k };

		snprintf(context, sizeof(context), "TORUS_SEED=%llu",
			 (unsigned long long)r.state);
		shared += check_contention(&r) > 1;
	}
	printf("# %u of %u jobs share links\n", shared, rounds);
	assert_true(shared > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_running_job_is_explained),
		cmocka_unit_test(contention_agrees_with_counting)
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
