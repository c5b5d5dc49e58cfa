/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What storus explain names is compared with what then happens. Random jobs are
 * replayed; a snapshot in the middle of the schedule has the jobs that run and those
 * that wait, without their starts. explain is asked about each that waits:
 *
 * - it starts when and where the rest of the schedule has it;
 * - the jobs that hold its place end when they then end, the place that is free first
 *   is free then, and no place is a microsecond before;
 * - the place that is cheapest to free is free without the jobs named;
 * - with the nodes named in service, or the links named up, it fits;
 * - a later alternative is accepted from its submission and the stated wait on;
 * - the jobs named as those whose end lets it start end when it starts;
 * - each other shape that would start now has as many nodes and a place now, and with
 *   it the whole play starts the job now.
 *
 * "Free" is asked on a state of the jobs that then still run, with nothing of
 * explain's own search.
 *
 * explain plays a pass at the time of the snapshot. The schedule has its next pass at
 * the next event only, and EASY's refusals hold until then. So starts are not compared
 * where that first pass starts a job; this is rare.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "torus/state_text.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "questions/occupancy.h"
#include "random.h"
#include "replay/replay.h"
#include "request/parts.h"
#include "snapshot_text.h"
#include "storus/machine/explain.h"
#include "storus/machine/source.h"
#include "torus/alloc.h"

#define JOBS 24
#define SECOND INT64_C(1000000)

struct run {
	int64_t submit_us, run_us, wait_us; /* wait: of the second alternative */
	int64_t start_us, end_us;
	char geometry[80], place[512];
};

struct story {
	char path[64], yaml[400], context[160];
	struct run job[JOBS];
	uint32_t asked;            /* questions */
	uint32_t told;             /* times and places that were compared */
	uint32_t open;             /* jobs that bounded plays left so */
	uint32_t shapes;           /* others that would start now */
	uint32_t snapshots, early; /* early: a job starts at once */
};

static void explain_fail(const struct story *t, const char *id, const char *what)
{
	fail_msg("%s, job %s: %s", t->context, id, what);
}

/* The workload */

static size_t draw_shape(struct random *r, const uint32_t *size, uint32_t dims,
			 char *text)
{
	size_t n = 0;

	if (random_percent(r, 15))
		return (size_t)sprintf(text, "%u", 1 + random_below(r, 8));
	for (uint32_t d = 0; d < dims; d++)
		n += (size_t)sprintf(text + n, "%s%u", d ? "x" : "",
				     1 + random_below(r, size[d]));
	if (random_percent(r, 10))
		n += (size_t)sprintf(text + n, "*2");
	return n;
}

static void draw_machine(struct story *t, struct random *r)
{
	static const uint32_t sizes[][3] = { { 6, 4 }, { 4, 3, 2 }, { 9 } };
	static const char *const strategies[] = { "submesh", "submesh-tff",
						  "submesh-ff" };
	static const char *const disciplines[] = { "easy", "fcfs", "fpfs",
						   "sjf" };
	uint32_t m = random_below(r, 3), dims = m == 0 ? 2 : m == 1 ? 3 : 1;
	struct geometry parsed[TORUS_MAX_ALTERNATIVES];
	struct torus_text text = { 0 };

	torus_text_add(&text, "| toruses:\n| - name: pod0\n|   dims: [");
	for (uint32_t d = 0; d < dims; d++)
		torus_text_add(&text, "%s%u", d ? ", " : "", sizes[m][d]);
	torus_text_add(&text, "]\n|   wrap: [");
	for (uint32_t d = 0; d < dims; d++)
		torus_text_add(&text, "%s%s", d ? ", " : "",
			       random_percent(r, 50) ? "true" : "false");
	torus_text_add(&text,
		       "]\n|   strategy: %s\n| scheduler:\n|   discipline: %s\n",
		       strategies[random_below(r, 3)],
		       disciplines[random_below(r, 4)]);
	snprintf(t->yaml, sizeof(t->yaml), "%s", text.data);
	torus_text_free(&text);
	for (int i = 0; i < JOBS; i++) {
		struct run *j = &t->job[i];
		size_t n = draw_shape(r, sizes[m], dims, j->geometry);

		j->submit_us = (i + 1) * SECOND + random_below(r, 900000);
		j->run_us = 10 * SECOND + random_below(r, 200 * 1000) * 1000;
		if (!random_percent(r, 30))
			continue;
		j->geometry[n++] = ',';
		n += draw_shape(r, sizes[m], dims, j->geometry + n);
		j->wait_us = (1 + random_below(r, 60)) * SECOND;
		sprintf(j->geometry + n, "@%llds",
			(long long)(j->wait_us / SECOND));
		if (torus_geometry_parse(j->geometry, parsed, NULL) < 0) {
			*strchr(j->geometry, ',') = '\0'; /* two equal ones */
			j->wait_us = 0;
		}
	}
}

static void time_text(struct torus_text *text, int64_t us)
{
	torus_text_add(text, "%lld.%06lld", (long long)(us / SECOND),
		       (long long)(us % SECOND));
}

static void write_jobs(struct story *t)
{
	struct torus_text text = { 0 };
	int fd;

	snprintf(t->path, sizeof(t->path), "prop_explain-XXXXXX");
	fd = mkstemp(t->path);
	assert_true(fd >= 0);
	torus_text_add(&text, "id,submit,run,geometry\n");
	for (int i = 0; i < JOBS; i++) {
		torus_text_add(&text, "%d,", i);
		time_text(&text, t->job[i].submit_us);
		torus_text_add(&text, ",");
		time_text(&text, t->job[i].run_us);
		torus_text_add(&text, ",\"%s\"\n", t->job[i].geometry);
	}
	assert_int_equal(write(fd, text.data, text.length),
			 (ssize_t)text.length);
	assert_int_equal(close(fd), 0);
	torus_text_free(&text);
}

static int take_row(void *arg, const struct torus_machine *m,
		    const struct torus_replay_row *row)
{
	struct story *t = arg;
	struct run *j = &t->job[atoi(row->id)];
	struct torus_text text = { 0 };

	j->start_us = j->end_us = SNAPSHOT_NO_TIME;
	if (!row->account.granted)
		return 0;
	j->start_us = row->account.start_us;
	j->end_us = row->account.start_us + row->account.run_us;
	assert_int_equal(torus_placement_format(m, row->place, &text), 0);
	snprintf(j->place, sizeof(j->place), "%s", text.data);
	torus_text_free(&text);
	return 0;
}

/* The whole schedule. */
static void replay(struct story *t)
{
	struct torus_text head = { 0 };
	struct torus_trace_options input = { 0 };
	struct torus_replay_options options;
	struct torus_replay_hooks hooks = { .arg = t, .row = take_row };
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_error err = { 0 };
	struct torus_trace *trace;
	struct snapshot *s;

	write_jobs(t);
	trace = torus_trace_open(t->path, &input, &err);
	torus_text_add(&head, "torus-snapshot 1\ntime 0\nmachine torus.yaml\n%s",
		       t->yaml);
	s = snapshot_of_text(&head);
	torus_replay_options_init(&options);
	if (!trace || torus_replay_run(trace, &s->config->machine,
				       &s->config->scheduler, &options, &hooks,
				       metrics, &err) != TORUS_REPLAY_DONE)
		fail_msg("%s", err.text);
	torus_trace_close(trace);
	torus_metrics_destroy(metrics);
	snapshot_destroy(s);
	torus_text_free(&head);
	unlink(t->path);
}

/* The machine at a time */

/* At that time of the schedule, with some nodes out of service and links that are
 * not healthy if `hurt`. */
static struct snapshot *snapshot_at(const struct story *t, int64_t at_us,
				    bool hurt)
{
	struct torus_text text = { 0 };
	struct snapshot *s;

	torus_text_add(&text, "torus-snapshot 1\ntime ");
	time_text(&text, at_us);
	torus_text_add(&text, "\nmachine torus.yaml\n%s", t->yaml);
	if (hurt)
		torus_text_add(&text,
			       "out pod0:{1,4} disk\nlink pod0:%s 0 down\n",
			       strstr(t->yaml, "[9]")         ? "2" :
			       strstr(t->yaml, "dims: [4, 3") ? "2,1,0" :
								"2,1");
	for (int i = 0; i < JOBS; i++) {
		const struct run *j = &t->job[i];
		bool runs = j->start_us <= at_us;

		if (j->start_us == SNAPSHOT_NO_TIME || j->submit_us > at_us ||
		    j->end_us <= at_us)
			continue;
		torus_text_add(&text,
			       "%s id=%d submit=", runs ? "running" : "pending",
			       i);
		time_text(&text, j->submit_us);
		if (runs) {
			torus_text_add(&text, " start=");
			time_text(&text, j->start_us);
			torus_text_add(&text, " end=");
			time_text(&text, j->end_us);
			torus_text_add(&text, " place=%s", j->place);
		}
		torus_text_add(&text, " limit=");
		time_text(&text, j->run_us);
		torus_text_add(&text, " priority=0 geometry=%s\n", j->geometry);
	}
	s = snapshot_of_text(&text);
	torus_text_free(&text);
	return s;
}

/* Does the ask have a place once the jobs of `ended` (by index in the snapshot), and
 * those that end by at_us, have ended? Its nodes that are free then, to `free`. */
static bool fits_then(struct snapshot *s, const struct torus_ask *ask,
		      int64_t at_us, const bool *ended, uint64_t *free)
{
	struct snapshot then = *s;
	struct torus_placement place;
	struct torus_state *state;
	bool fits;

	then.job = torus_alloc(s->jobs, sizeof(*then.job));
	then.jobs = 0;
	torus_bits_set_range(free, 0, s->config->machine.nodes);
	torus_bits_andnot(free, s->out, s->config->machine.words);
	for (uint32_t j = 0; j < s->jobs; j++) {
		if (!s->job[j].running || s->job[j].end_us <= at_us ||
		    (ended && ended[j]))
			continue;
		then.job[then.jobs++] = s->job[j];
		for (uint32_t n = 0; n < s->job[j].nodes; n++)
			torus_bits_clear(free, s->job[j].node[n]);
	}
	state = occupancy_state(&then);
	assert_non_null(state);
	fits = torus_state_find(state, ask, &place, NULL) == TORUS_FITS;
	torus_state_destroy(state);
	torus_free(then.job);
	return fits;
}

/* Is the place that is named free? */
static bool free_place(const struct explain *e,
		       const struct torus_placement *place, const uint64_t *free)
{
	const struct torus_machine *m = &e->q.config->machine;
	uint64_t nodes[4] = { 0 }, one[4] = { 0 };
	char *region = explain_region(e, place);
	struct torus_error err = { 0 };

	if (!region)
		return true; /* any nodes */
	assert_int_equal(storus_regions_paint(m, region, one, nodes, &err), 0);
	torus_free(region);
	return torus_bits_subset(nodes, free, m->words);
}

static void check_first(struct story *t, struct explain *e,
			const struct explain_alternative *a,
			const struct torus_ask *ask)
{
	struct snapshot *s = e->q.snapshot;
	uint64_t free[4] = { 0 };

	if (a->answer != TORUS_NOT_NOW || a->start_us == SNAPSHOT_NO_TIME)
		return;
	t->told++;
	if (fits_then(s, ask, a->start_us - 1, NULL, free))
		explain_fail(t, e->job->id, "it has a place before");
	if (!fits_then(s, ask, a->start_us, NULL, free))
		explain_fail(t, e->job->id, "it has no place then");
	if (!free_place(e, &a->earliest.place, free))
		explain_fail(t, e->job->id, "the place is not free then");
	for (uint32_t i = 0; i < a->earliest.jobs; i++) {
		const struct snapshot_job *j = &s->job[a->earliest.job[i]];
		const struct run *then = &t->job[atoi(j->id)];

		if (j->end_us != then->end_us ||
		    strcmp(j->place, then->place) || j->end_us > a->start_us)
			explain_fail(t, e->job->id, "a holder ends otherwise");
	}
}

static void check_cheapest(struct story *t, struct explain *e,
			   const struct explain_alternative *a,
			   const struct torus_ask *ask)
{
	struct snapshot *s = e->q.snapshot;
	uint64_t free[4] = { 0 };
	bool ended[JOBS] = { false };

	if (a->answer != TORUS_NOT_NOW || a->cheapest.answer != TORUS_FITS)
		return;
	t->told++;
	for (uint32_t i = 0; i < a->cheapest.jobs; i++)
		ended[a->cheapest.job[i]] = true;
	if (!fits_then(s, ask, s->time_us, ended, free) ||
	    !free_place(e, &a->cheapest.place, free))
		explain_fail(t, e->job->id, "not free without these jobs");
}

/* With the nodes of `out` in service, or the links of `links` up. */
static void check_mended(struct story *t, struct explain *e,
			 const struct explain_alternative *a,
			 const struct torus_ask *ask)
{
	struct snapshot *s = e->q.snapshot;
	struct torus_machine *m = &s->config->machine;
	uint64_t free[4], out[4], back[4] = { 0 };
	struct torus_ask any = *ask;
	struct torus_region region;
	bool nodes;

	if (a->out) {
		t->told++;
		torus_bits_copy(out, s->out, m->words);
		if (torus_region_parse(&region, &nodes, back, &m->pod[0].torus,
				       a->out, NULL))
			explain_fail(t, e->job->id, a->out);
		torus_bits_andnot(s->out, back, m->words);
		if (!fits_then(s, ask, s->time_us, NULL, free))
			explain_fail(t, e->job->id, a->out);
		torus_bits_copy(s->out, out, m->words);
	}
	if (a->links) { /* there is but one */
		t->told++;
		any.any_link = true;
		if (strchr(a->links, '\n') || !strstr(a->links, " 0 down") ||
		    !fits_then(s, &any, s->time_us, NULL, free) ||
		    fits_then(s, ask, s->time_us, NULL, free))
			explain_fail(t, e->job->id, a->links);
	}
}

/* The job at the head starts when the play has it, or the first pass expects it. */
static void check_head(struct story *t, struct explain *e)
{
	const struct forward *f = &e->forward;
	const struct run *then;

	if (f->first >= e->q.snapshot->jobs || f->first_us == SNAPSHOT_NO_TIME)
		return;
	t->told++;
	then = &t->job[atoi(e->q.snapshot->job[f->first].id)];
	if (then->start_us != f->first_us)
		explain_fail(t, e->q.snapshot->job[f->first].id,
			     "the head starts at another time");
}

/* A job that is named as the reason of a later start has its nodes when it says. */
static void check_later(struct story *t, struct explain *e)
{
	const struct explain_later *l = &e->later;
	const struct run *then;

	if (l->free_us != SNAPSHOT_NO_TIME && explain_start(e) <= l->free_us)
		explain_fail(t, e->job->id, "it does not start later");
	if (!l->job)
		return;
	t->told++;
	then = &t->job[atoi(l->job->id)];
	if (then->start_us != l->from_us || l->from_us > explain_start(e) ||
	    l->to_us <= l->free_us)
		explain_fail(t, l->job->id, "it has the place otherwise");
}

static void check_start(struct story *t, struct explain *e)
{
	const struct run *then = &t->job[atoi(e->job->id)];

	t->told++;
	if (!e->start || explain_start(e) != then->start_us)
		explain_fail(t, e->job->id, "it starts at another time");
	check_head(t, e);
	check_later(t, e);
	for (uint32_t i = 0; i < e->lasts && i < EXPLAIN_NAMES; i++) {
		t->told++;
		if (t->job[atoi(e->last[i]->id)].end_us != then->start_us)
			explain_fail(t, e->last[i]->id,
				     "its end lets none start");
	}
	if (e->forward.first == (uint32_t)(e->job - e->q.snapshot->job) &&
	    explain_best(e) == TORUS_FITS)
		explain_fail(t, e->job->id, "first in the queue, with a place");
	if (!e->start->region || strcmp(e->start->region, then->place))
		explain_fail(t, e->job->id, "it starts at another place");
	if (e->alternative[1].from_us != SNAPSHOT_NO_TIME &&
	    e->request.alternatives > 1 &&
	    e->alternative[1].from_us != then->submit_us + then->wait_us)
		explain_fail(t, e->job->id, "accepted from another time on");
}

/* Return when it would start if it had asked for the shape. */
static int64_t start_with(const struct snapshot *s, uint32_t n, char *shape)
{
	struct snapshot with = *s;
	struct torus_error err = { 0 };
	struct forward f;
	int64_t start_us;

	with.job = torus_alloc(s->jobs, sizeof(*with.job));
	memcpy(with.job, s->job, s->jobs * sizeof(*with.job));
	with.job[n].words.geometry = shape;
	assert_int_equal(forward_play(&with, &s->config->scheduler,
				      &(struct forward_bound){ 0 }, &f, &err),
			 0);
	start_us = f.job[n].start_us;
	forward_free(&f);
	torus_free(with.job);
	return start_us;
}

static void check_shapes(struct story *t, struct explain *e)
{
	struct snapshot *s = e->q.snapshot;
	const struct torus_ask *own = &e->request.alternative[0].ask;

	for (uint32_t i = 0; i < e->shapes; i++) {
		struct torus_request_words words = { .geometry = e->shape[i] };
		struct torus_error err = { 0 };
		struct torus_request request;
		uint64_t free[4];

		t->told++;
		t->shapes++;
		assert_int_equal(torus_request_parse(&request, &words, &err), 0);
		torus_machine_settle(&s->config->machine,
				     &request.alternative[0].ask);
		if (torus_ask_nodes(&request.alternative[0].ask) !=
			    torus_ask_nodes(own) ||
		    (e->shape_start_us[i] == s->time_us &&
		     !fits_then(s, &request.alternative[0].ask, s->time_us,
				NULL, free)) ||
		    e->shape_start_us[i] >= explain_start(e) ||
		    e->shape_start_us[i] !=
			    start_with(s, (uint32_t)(e->job - s->job),
				       e->shape[i]))
			explain_fail(t, e->job->id, e->shape[i]);
	}
}

/* About the n-th job of the snapshot; `starts`: compare its start. */
static void ask(struct story *t, int64_t at_us, bool hurt, bool starts,
		uint32_t n)
{
	struct explain *e = torus_alloc(1, sizeof(*e));

	e->q.snapshot = snapshot_at(t, at_us, hurt);
	e->q.config = e->q.snapshot->config;
	assert_int_equal(occupancy_prepare(e->q.snapshot), 0);
	e->q.state = occupancy_state(e->q.snapshot);
	assert_non_null(e->q.state);
	e->job = &e->q.snapshot->job[n];
	assert_int_equal(explain_pending(e), STORUS_DONE);
	t->asked++;
	if (starts)
		check_start(t, e);
	check_shapes(t, e);
	for (uint32_t k = 0; k < e->request.alternatives; k++) {
		const struct explain_alternative *a = &e->alternative[k];
		const struct torus_ask *ask = &e->request.alternative[k].ask;

		check_first(t, e, a, ask);
		check_cheapest(t, e, a, ask);
		check_mended(t, e, a, ask);
	}
	explain_clear(e);
	torus_free(e);
}

/* Does a pass at the snapshot's time start a job? */
static bool starts_now(const struct snapshot *s)
{
	struct torus_error err = { 0 };
	struct forward f;
	bool starts = false;

	assert_int_equal(forward_play(s, &s->config->scheduler,
				      &(struct forward_bound){ .now = true },
				      &f, &err),
			 0);
	for (uint32_t j = 0; j < s->jobs; j++)
		starts |= !s->job[j].running && f.job[j].start_us == s->time_us;
	forward_free(&f);
	return starts;
}

static void ask_at(struct story *t, int64_t at_us, bool hurt)
{
	struct snapshot *s = snapshot_at(t, at_us, hurt);
	bool early;

	assert_int_equal(occupancy_prepare(s), 0);
	early = !hurt && starts_now(s);
	t->snapshots += !hurt;
	t->early += early;
	for (uint32_t n = 0; n < s->jobs; n++) {
		if (!s->job[n].running)
			ask(t, at_us, hurt, !hurt && !early, n);
	}
	snapshot_destroy(s);
}

/* A play that ends at its bound says nothing else than the whole one, and the jobs
 * that it leaves open start no earlier than it came. */
static void check_bound(struct story *t, int64_t at_us, int64_t compute_us)
{
	struct snapshot *s = snapshot_at(t, at_us, false);
	const struct torus_scheduler_settings *settings = &s->config->scheduler;
	struct torus_error err = { 0 };
	struct forward whole, cut;
	uint32_t open = 0;

	assert_int_equal(occupancy_prepare(s), 0);
	assert_int_equal(forward_play(s, settings, &(struct forward_bound){ 0 },
				      &whole, &err),
			 0);
	assert_int_equal(forward_play(s, settings,
				      &(struct forward_bound){
					      .compute_us = compute_us },
				      &cut, &err),
			 0);
	assert_int_equal(whole.open, 0);
	assert_true(whole.until_us == SNAPSHOT_NO_TIME);
	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct forward_job *w = &whole.job[j], *c = &cut.job[j];

		open += c->open;
		if (c->open && (c->start_us != SNAPSHOT_NO_TIME ||
				w->start_us < cut.until_us))
			explain_fail(t, s->job[j].id, "open, but decided");
		if (!c->open && c->start_us != w->start_us)
			explain_fail(t, s->job[j].id, "starts otherwise");
		if (!c->open && c->region && strcmp(c->region, w->region))
			explain_fail(t, s->job[j].id, "is elsewhere");
	}
	assert_int_equal(cut.open, open);
	t->open += open;
	forward_free(&whole);
	forward_free(&cut);
	snapshot_destroy(s);
}

/* A machine, its jobs and the schedule that they get; r is fresh from its seed. */
static void draw_story(struct story *t, struct random *r)
{
	snprintf(t->context, sizeof(t->context), "TORUS_SEED=%llu",
		 (unsigned long long)r->state);
	memset(t->job, 0, sizeof(t->job));
	draw_machine(t, r);
	replay(t);
}

static void a_bounded_forecast_agrees_with_the_whole_one(void **state)
{
	uint64_t seed = random_seed("bound");
	uint32_t rounds = random_effort(60, 30);
	struct story t = { .open = 0 };

	(void)state;
	for (uint32_t k = 0; k < rounds; k++) {
		struct random r = { seed + k };

		draw_story(&t, &r);
		for (uint32_t i = 0; i < 5; i++)
			check_bound(&t, (JOBS + 1 + 10 * i) * SECOND,
				    1 + random_below(&r, 300));
	}
	printf("# %u jobs left open\n", t.open);
	/* a short test may have none */
	assert_true(t.open > 0 || random_wanted("TORUS_TEST_SHORT"));
}

static void a_job_starts_when_explain_says(void **state)
{
	uint64_t seed = random_seed("explain");
	uint32_t rounds = random_effort(60, 30);
	struct story t = { .asked = 0 };

	(void)state;
	for (uint32_t k = 0; k < rounds; k++) {
		struct random r = { seed + k };

		draw_story(&t, &r);
		/* all have been submitted */
		for (uint32_t i = 0; i < 3; i++) {
			int64_t at_us = (JOBS + 1 + random_below(&r, 200)) *
					SECOND;

			ask_at(&t, at_us, false);
			ask_at(&t, at_us, true);
		}
	}
	printf("# %u questions, %u answers compared, %u of other shapes\n",
	       t.asked, t.told, t.shapes);
	assert_true(t.told > t.asked);
	/* a short test may have none of these: they come in clusters */
	assert_true(t.shapes > 0 || random_wanted("TORUS_TEST_SHORT"));
	assert_true(t.early <= 1 + t.snapshots / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_starts_when_explain_says),
		cmocka_unit_test(a_bounded_forecast_agrees_with_the_whole_one)
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
