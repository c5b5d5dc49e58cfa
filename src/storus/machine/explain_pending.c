/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits (state_find.h). Each alternative is searched on the machine now. If it
 * has no place: the place that becomes free first, the one that is cheapest to free,
 * and the nodes out of service and dead links that block it. Then other shapes of the
 * same size, and the machine played forward.
 */
#include <stdio.h>
#include <string.h>

#include "torus/placement.h"
#include "torus/state_find.h"
#include "placement/submesh/factor.h"
#include "questions/freeing.h"
#include "questions/occupancy.h"
#include "storus/machine/explain.h"
#include "storus/machine/source.h"
#include "torus/alloc.h"
#include "torus/weights.h"

#define NAME &storus_explain

int64_t explain_start(const struct explain *e)
{
	if (e->job->start_us != SNAPSHOT_NO_TIME &&
	    e->job->start_us >= e->q.snapshot->time_us &&
	    !(e->start &&
	      storus_question_plan_lacks(e->q.snapshot, e->job, e->start)))
		return e->job->start_us;
	return e->start ? e->start->start_us : SNAPSHOT_NO_TIME;
}

int64_t explain_same_us(const struct explain *e)
{
	return e->job->start_us == SNAPSHOT_NO_TIME ? 0 : EXPLAIN_SAME_US;
}

uint32_t explain_first(const struct explain *e)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t k = 0; k < e->request.alternatives; k++) {
		const struct explain_alternative *a = &e->alternative[k];

		if (a->answer == TORUS_NOT_NOW &&
		    a->earliest.answer == TORUS_FITS &&
		    (first == UINT32_MAX ||
		     a->start_us < e->alternative[first].start_us))
			first = k;
	}
	return first;
}

/* Find the place whose jobs have used the fewest node seconds. */
static int explain_cheapest(struct explain *e, const struct torus_ask *ask,
			    struct explain_alternative *a)
{
	const struct snapshot *s = e->q.snapshot;
	uint64_t *cost = torus_alloc(s->jobs, sizeof(*cost));
	const struct freeing_question question = {
		.s = s, .ask = ask, .allowed = e->allowed, .cost = cost
	};
	int rc;

	for (uint32_t j = 0; cost && j < s->jobs; j++)
		cost[j] = s->job[j].running ?
				  costs_of(s, &s->job[j], COSTS_ELAPSED) :
				  0;
	rc = cost ? freeing_find(&question, &a->cheapest) : -1;
	torus_free(cost);
	return rc;
}

/* Write the nodes of a map that are out of service as a set; NULL: none are. Changes
 * the map. -1 with ENOMEM. */
static int explain_out(const struct explain *e, uint64_t *map, char **out)
{
	const struct torus_machine *m = &e->q.config->machine;
	struct torus_placement nodes = { .scattered = true,
					 .spread = true,
					 .nodes = map };
	struct torus_text text = { 0 };
	int rc = 0;

	torus_bits_and(map, map, e->q.snapshot->out, m->words);
	if (torus_bits_count(map, m->words))
		rc = torus_placement_format(m, &nodes, &text);
	*out = text.data;
	return rc;
}

/* If it fits now without outages, find the nodes out of service that it needs. */
static int explain_service(struct explain *e, const struct torus_ask *ask,
			   struct explain_alternative *a)
{
	const struct torus_machine *m = &e->q.config->machine;
	struct torus_placement place;
	uint64_t *map = torus_alloc(m->words, sizeof(*map));
	int rc = map ? 0 : -1;

	if (map)
		torus_state_out(e->q.state, NULL);
	if (rc == 0 &&
	    torus_state_find(e->q.state, ask, &place, NULL) == TORUS_FITS) {
		torus_placement_paint(m, &place, map);
		rc = explain_out(e, map, &a->out);
	}
	torus_state_out(e->q.state, e->q.snapshot->out);
	torus_free(map);
	return rc;
}

/* If it fits now with all links healthy, find the dead links that it needs. */
static int explain_dead_links(struct explain *e, const struct torus_ask *ask,
			      struct explain_alternative *a)
{
	struct torus_ask any = *ask;
	struct torus_placement place;
	struct torus_text text = { 0 };
	int rc = 0;

	any.any_link = true;
	if (torus_state_links(e->q.state)->count &&
	    torus_state_find(e->q.state, &any, &place, NULL) == TORUS_FITS) {
		/* the unhealthy links in the place: "pod0:2,0,4 1 down, ..."; for a job that
		 * takes weak ones, those are healthy */
		const struct torus_machine *m = &e->q.config->machine;
		const struct torus_link_list *list = torus_state_links(
			e->q.state);
		char link[TORUS_LINK_SIZE];

		for (uint32_t i = 0; rc == 0 && i < list->count; i++) {
			const struct torus_link *l = &list->link[i];

			if ((ask->weak && l->health == TORUS_LINK_WEAK) ||
			    !torus_placement_has_link(m, &place, l))
				continue;
			torus_link_format(l, &m->pod[l->pod].torus, link,
					  sizeof(link));
			rc = torus_text_add(&text, "%s%s %s",
					    text.length ? ", " : "", link,
					    torus_link_health_name(l->health));
		}
	}
	a->links = text.data;
	return rc;
}

/* Paint the place; return its greatest weight. *asleep: its nodes switched off. */
static uint32_t explain_weigh(const struct explain *e,
			      const struct torus_placement *place,
			      uint64_t *nodes, uint32_t *asleep)
{
	const struct torus_machine *m = &e->q.config->machine;
	const struct torus_weights *w = torus_state_weights(e->q.state);
	uint32_t most = 0, bit;

	torus_bits_zero(nodes, m->words);
	torus_placement_paint(m, place, nodes);
	*asleep = torus_bits_count_both(nodes, torus_weights_asleep(w),
					m->words);
	for (bit = torus_bits_next(nodes, m->words, 0); bit != UINT32_MAX;
	     bit = torus_bits_next(nodes, m->words, bit + 1)) {
		if (torus_weights_of(w, bit) > most)
			most = torus_weights_of(w, bit);
	}
	return most;
}

/* The ask has a place: say which one is passed over for the weight of its nodes, or
 * since they are switched off. -1 with ENOMEM. */
static int explain_passed_over(struct explain *e, const struct torus_ask *ask,
			       const struct torus_placement *place,
			       struct explain_alternative *a)
{
	const struct torus_machine *m = &e->q.config->machine;
	uint64_t *nodes = torus_alloc(2 * (size_t)m->words, sizeof(*nodes));
	struct torus_text text = { 0 }, instead = { 0 };
	struct torus_ask any = *ask;
	uint32_t weight, other, asleep, others;
	struct torus_placement heavy;
	int rc = nodes ? torus_placement_format(m, place, &text) : -1;

	any.any_weight = true;
	if (rc == 0 && torus_state_weights(e->q.state)) {
		weight = explain_weigh(e, place, nodes, &asleep);
		if (torus_state_find(e->q.state, &any, &heavy, NULL) ==
		    TORUS_FITS)
			rc = torus_placement_format(m, &heavy, &instead);
		other = instead.data ?
				explain_weigh(e, &heavy, nodes + m->words,
					      &others) :
				weight;
		if (other > weight)
			torus_error_add(&a->why,
					"%s is passed over: its nodes have weights up to %u, those of %s up to %u",
					instead.data, other, text.data, weight);
		else if (instead.data && others > asleep)
			torus_error_add(&a->why,
					"%s is passed over: %u of its nodes are switched off, %u of %s",
					instead.data, others, asleep, text.data);
	}
	torus_text_free(&text);
	torus_text_free(&instead);
	torus_free(nodes);
	return rc;
}

static int explain_one(struct explain *e, uint32_t k)
{
	struct explain_alternative *a = &e->alternative[k];
	struct torus_request one = { .alternatives = 1,
				     .rotate = e->request.rotate };
	struct torus_ask ask = torus_ask_among(&e->request.alternative[k].ask,
					       e->allowed);
	struct torus_ask later = torus_ask_among(&ask, e->eventual);
	struct torus_placement place;
	const struct snapshot *s = e->q.snapshot;
	int64_t after_us;

	ask.required = e->job->required;
	one.alternative[0] = e->request.alternative[k];
	/* when the job accepts an alternative with a duration */
	after_us = one.alternative[0].after_us;
	if (!after_us || e->job->submit_us == SNAPSHOT_NO_TIME ||
	    torus_time_after(e->job->submit_us, after_us) <= s->time_us)
		a->from_us = SNAPSHOT_NO_TIME;
	else
		a->from_us = torus_time_after(e->job->submit_us, after_us);
	one.alternative[0].after_us = 0;
	torus_request_format(&one, a->geometry, sizeof(a->geometry));
	later.required = e->job->required;
	a->answer = torus_state_possible(e->q.state, &later, NULL, &a->why);
	if (a->answer == TORUS_FITS) {
		a->answer = torus_state_find(e->q.state, &ask, &place, &a->why);
		if (a->answer == TORUS_NOT_NOW && ask.required &&
		    !torus_bits_subset(ask.required,
				       torus_state_free_map(e->q.state),
				       e->q.config->machine.words)) {
			torus_error_clear(&a->why);
			torus_error_add(&a->why,
					"nodes that it must have are in use or out of service");
		} else if (a->answer == TORUS_NOT_NOW) {
			torus_state_explain(e->q.state, &ask, &a->why);
		}
		if (a->answer == TORUS_FITS &&
		    explain_passed_over(e, &ask, &place, a))
			return -1;
		if (a->answer == TORUS_FITS)
			a->region = explain_region(e, &place);
	}
	if (explain_first_find(e, &later, e->eventual, a))
		return -1;
	if (a->answer != TORUS_NOT_NOW)
		return 0;
	return explain_cheapest(e, &ask, a) || explain_service(e, &ask, a) ||
			       explain_dead_links(e, &ask, a) ?
		       -1 :
		       0;
}

/* The extents as a shape, the longest axis first. */
static struct torus_shape explain_shape(const uint32_t *extent,
					const uint32_t *unit, uint32_t axes)
{
	struct torus_shape shape = { .axes = axes };

	for (uint32_t d = 0; d < axes; d++) {
		uint32_t a = d, e = extent[d] * (unit ? unit[d] : 1);

		for (; a > 0 && shape.extent[a - 1] < e; a--)
			shape.extent[a] = shape.extent[a - 1];
		shape.extent[a] = e;
	}
	torus_shape_squeeze(&shape);
	return shape;
}

/* The shape of an ask in words; of several regions with their number. */
static void explain_shape_words(const struct torus_ask *ask,
				const struct torus_shape *shape, char *text,
				size_t size)
{
	size_t used;

	torus_shape_format(shape, text, size);
	used = strlen(text);
	if (shape->axes == 1) /* a number alone is a count of nodes */
		used += (size_t)snprintf(text + used, size - used, "^1");
	if (torus_ask_several(ask))
		snprintf(text + used, size - used, "*%u", ask->regions);
}

/* Return when the job would start with this shape and any connection;
 * SNAPSHOT_NO_TIME: unknown. */
static int64_t explain_shape_start(const struct explain *e, char *shape)
{
	const struct snapshot *s = e->q.snapshot;
	uint32_t j = (uint32_t)(e->job - s->job);
	struct snapshot with = *s;
	struct torus_error err = { 0 };
	struct forward f = { 0 };
	int64_t start_us = SNAPSHOT_NO_TIME;

	with.job = torus_alloc(s->jobs, sizeof(*with.job));
	if (!with.job)
		return start_us;
	memcpy(with.job, s->job, s->jobs * sizeof(*with.job));
	with.job[j].words.geometry = shape;
	with.job[j].words.conn_type = NULL;
	with.job[j].words.no_rotate = false;
	if (forward_play(&with, &s->config->scheduler,
			 &(struct forward_bound){
				 .compute_us = FORWARD_COMPUTE_US /
					       EXPLAIN_SHAPES,
				 .job = &with.job[j] },
			 &f, &err) == 0)
		start_us = f.job[j].start_us;
	forward_free(&f);
	torus_free(with.job);
	return start_us;
}

/* Find boxes of the same number of nodes with which it would start earlier. */
static void explain_shapes(struct explain *e)
{
	const struct torus *t = &e->q.config->machine.pod[0].torus;
	const struct torus_ask *own = &e->request.alternative[0].ask;
	uint64_t cells = torus_ask_nodes(own) / t->per_vertex;
	struct torus_factor_box box = { 0 };
	char asked[sizeof(*e->shape)];
	uint32_t tried = 0;
	struct torus_shape shape;

	if (explain_best(e) == TORUS_FITS ||
	    forward_hold(e->job) != FORWARD_NONE || own->by_count || t->flat ||
	    cells > t->nodes / t->per_vertex)
		return;
	cells /= torus_ask_several(own) ? own->regions : 1;
	shape = explain_shape(own->shape.extent, NULL, own->shape.axes);
	explain_shape_words(own, &shape, asked, sizeof(asked));
	while (tried < EXPLAIN_SHAPES &&
	       torus_factor_box_next(t, (uint32_t)cells, NULL, &box)) {
		char *text = e->shape[e->shapes];
		bool listed;
		struct torus_ask ask;

		shape = explain_shape(box.extent, t->unit, t->dims);
		explain_shape_words(own, &shape, text, sizeof(*e->shape));
		listed = strcmp(text, asked) == 0;
		for (uint32_t i = 0; i < e->shapes; i++)
			listed = listed || strcmp(e->shape[i], text) == 0;
		if (listed)
			continue;
		/* as many nodes as the job's own shape has */
		ask = *own;
		ask.rotate = true;
		ask.shape = shape;
		torus_machine_settle(&e->q.config->machine, &ask);
		if (torus_ask_nodes(&ask) != torus_ask_nodes(own))
			continue;
		tried++;
		e->shape_start_us[e->shapes] = explain_shape_start(e, text);
		e->shapes += e->shape_start_us[e->shapes] <
			     explain_start(e) - EXPLAIN_SAME_US;
	}
}

/* Return from when on an alternative has a place and is accepted, whatever the queue
 * does; SNAPSHOT_NO_TIME: unknown. */
static int64_t explain_free(const struct explain *e,
			    const struct explain_alternative *a)
{
	int64_t free_us = a->answer == TORUS_FITS    ? e->q.snapshot->time_us :
			  a->answer == TORUS_NOT_NOW ? a->start_us :
						       SNAPSHOT_NO_TIME;

	return a->from_us != SNAPSHOT_NO_TIME && a->from_us > free_us ?
		       a->from_us :
		       free_us;
}

/* Note who has nodes of the place between two times, if it is the first. */
static bool explain_meets(struct explain_later *l, int64_t end_us,
			  int64_t from_us, int64_t to_us)
{
	if (from_us >= end_us || to_us <= l->free_us ||
	    (l->from_us != SNAPSHOT_NO_TIME && from_us >= l->from_us))
		return false;
	l->from_us = from_us;
	l->to_us = to_us;
	l->job = NULL;
	l->reservation = NULL;
	return true;
}

/* Find which job or reservation has nodes of `place` first, while the job would run
 * there. maps: the place's nodes and two bitmaps as scratch. -1 with ENOMEM. */
static int explain_blocker(struct explain *e, uint64_t *maps)
{
	const struct torus_machine *m = &e->q.config->machine;
	const struct snapshot *s = e->q.snapshot;
	uint64_t *nodes = maps + m->words, *one = nodes + m->words;
	struct explain_later *l = &e->later;
	int64_t end_us = torus_time_after(l->free_us, e->job->limit_us);
	struct torus_error err = { 0 };

	for (uint32_t i = 0; i < s->reservations; i++) {
		const struct snapshot_nodes *r = &s->reservation[i];

		if (strcmp(r->name, e->job->reservation) &&
		    torus_bits_meet(maps, r->map, m->words) &&
		    explain_meets(l, end_us, r->start_us, r->end_us))
			l->reservation = r;
	}
	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct forward_job *f = &e->forward.job[j];

		if (s->job[j].running || &s->job[j] == e->job || !f->region ||
		    f->start_us == SNAPSHOT_NO_TIME ||
		    f->start_us > explain_start(e))
			continue;
		torus_bits_zero(nodes, m->words);
		if (storus_regions_paint(m, f->region, one, nodes, &err))
			return -1;
		if (torus_bits_meet(maps, nodes, m->words) &&
		    explain_meets(l, end_us, f->start_us, f->end_us))
			l->job = &s->job[j];
	}
	return 0;
}

/* Find why it starts later than a place is free for it. -1 with ENOMEM. */
static int explain_late(struct explain *e)
{
	const struct torus_machine *m = &e->q.config->machine;
	const struct explain_alternative *first = NULL;
	struct explain_later *l = &e->later;
	struct torus_error err = { 0 };
	uint64_t *maps;
	char *region;
	int rc = -1;

	l->free_us = l->from_us = SNAPSHOT_NO_TIME;
	for (uint32_t k = 0; k < e->request.alternatives; k++) {
		const struct explain_alternative *a = &e->alternative[k];

		if (explain_free(e, a) < l->free_us) {
			l->free_us = explain_free(e, a);
			first = a;
		}
	}
	if (!first || forward_hold(e->job) != FORWARD_NONE ||
	    explain_start(e) == SNAPSHOT_NO_TIME ||
	    explain_start(e) <= l->free_us + explain_same_us(e) ||
	    explain_start(e) / 1000000 == l->free_us / 1000000) {
		l->free_us = SNAPSHOT_NO_TIME;
		return 0;
	}
	maps = torus_alloc(3 * (size_t)m->words, sizeof(*maps));
	region = first->answer == TORUS_FITS ?
			 torus_text_copy(first->region ? first->region : "") :
			 explain_region(e, &first->earliest.place);
	if (maps)
		rc = region && *region ?
			     storus_regions_paint(m, region, maps + m->words,
						  maps, &err) :
			     0;
	if (rc == 0)
		rc = explain_blocker(e, maps);
	torus_free(region);
	torus_free(maps);
	return rc;
}

const char *explain_where(const struct explain *e, const struct snapshot_job *j)
{
	const char *region =
		j->running ? j->place :
			     e->forward.job[j - e->q.snapshot->job].region;

	return region && *region ? region : NULL;
}

/* Return true if the job holds nodes of the map, now or in the forecast. maps: scratch,
 * two bitmaps. */
static bool explain_holds(const struct explain *e, uint32_t j,
			  const uint64_t *map, uint64_t *maps)
{
	const struct torus_machine *m = &e->q.config->machine;
	const struct snapshot_job *job = &e->q.snapshot->job[j];
	const char *region = explain_where(e, job);
	struct torus_error err = { 0 };

	torus_bits_zero(maps, m->words);
	for (uint32_t i = 0; job->running && i < job->nodes; i++)
		torus_bits_set(maps, job->node[i]);
	return (job->running ||
		(region && storus_regions_paint(m, region, maps + m->words,
						maps, &err) == 0)) &&
	       torus_bits_meet(map, maps, m->words);
}

/* Find the jobs whose end frees the place of the forecast start: of those that hold its
 * nodes the last to end, if they end as it starts. -1 with ENOMEM. */
static int explain_last(struct explain *e)
{
	const struct torus_machine *m = &e->q.config->machine;
	const struct snapshot *s = e->q.snapshot;
	struct torus_error err = { 0 };
	int64_t last_us = INT64_MIN;
	uint64_t *maps;
	int rc = -1;

	if (!e->start || !e->start->region)
		return 0;
	maps = torus_alloc(3 * (size_t)m->words, sizeof(*maps));
	if (maps)
		rc = storus_regions_paint(m, e->start->region, maps + m->words,
					  maps, &err);
	for (uint32_t j = 0; rc == 0 && j < s->jobs; j++) {
		int64_t end_us = s->job[j].running ? s->job[j].end_us :
						     e->forward.job[j].end_us;

		if (&s->job[j] == e->job || end_us < last_us ||
		    end_us > e->start->start_us ||
		    !explain_holds(e, j, maps, maps + m->words))
			continue;
		if (end_us > last_us)
			e->lasts = 0;
		last_us = end_us;
		if (e->lasts < EXPLAIN_NAMES)
			e->last[e->lasts] = &s->job[j];
		e->lasts++;
	}
	if (last_us < e->start->start_us - explain_same_us(e))
		e->lasts = 0; /* something else keeps it from starting then */
	torus_free(maps);
	return rc;
}

/* Name the floating reservations whose nodes it could use, were it shorter, and clear
 * these nodes. -1 with ENOMEM. */
static int explain_floating(struct explain *e)
{
	const struct snapshot *s = e->q.snapshot;
	uint32_t words = s->config->machine.words;
	struct torus_text text = { 0 };
	char longest[40];
	int rc = 0;

	for (uint32_t i = 0; i < s->reservations; i++) {
		const struct snapshot_nodes *r = &s->reservation[i];

		if (!occupancy_floats(r, e->job) ||
		    !torus_bits_meet(e->allowed, r->map, words))
			continue;
		torus_bits_andnot(e->allowed, r->map, words);
		torus_bits_andnot(e->eventual, r->map, words);
		torus_duration_words(r->limit_us, longest, sizeof(longest));
		rc |= torus_text_add(&text,
				     "Reservation %s is floating: it keeps its nodes free of jobs longer than %s.\n",
				     r->name, longest);
	}
	e->floating = text.data;
	return rc;
}

int explain_pending(struct explain *e)
{
	struct torus_error err = { 0 };
	uint32_t words = e->q.config->machine.words;
	int status;
	uint64_t *map;
	int rc = -1;
	struct torus_error why = { 0 };

	e->allowed = torus_alloc(2 * (size_t)words, sizeof(*e->allowed));
	e->eventual = e->allowed ? e->allowed + words : NULL;
	if (!e->allowed || explain_first_prepare(e))
		return storus_no_memory(NAME);
	if (occupancy_request(e->q.snapshot, e->job, &e->request, &err))
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	occupancy_allowed(e->q.snapshot, e->job, e->allowed);
	torus_bits_copy(e->eventual, e->allowed, words);
	occupancy_clear_reserved(e->q.snapshot, e->job->reservation, e->allowed);
	if (explain_floating(e))
		return storus_no_memory(NAME);
	for (uint32_t k = 0; k < e->request.alternatives; k++) {
		if (explain_one(e, k))
			return storus_question_unlisted(NAME, e->alternative[k]
								      .geometry);
	}
	/* Find the nodes out of service that the job could use. */
	map = torus_alloc(words, sizeof(*map));
	if (map) {
		torus_bits_copy(map, e->allowed, words);
		rc = explain_out(e, map, &e->out);
	}
	torus_free(map);
	if (rc)
		return storus_no_memory(NAME);
	if (forward_play(e->q.snapshot, &e->q.config->scheduler,
			 &(struct forward_bound){
				 .compute_us = FORWARD_COMPUTE_US,
				 .job = e->job },
			 &e->forward, &why)) {
		status = why.count ?
				 storus_say_errors(NAME, STORUS_USAGE, &why) :
				 storus_no_memory(NAME);
	} else {
		storus_question_take_plan(e->q.snapshot, &e->forward, true);
		e->start = &e->forward.job[e->job - e->q.snapshot->job];
		status = STORUS_DONE;
	}
	if (status == STORUS_DONE)
		explain_shapes(e);
	if (status == STORUS_DONE &&
	    (explain_first_settle(e) || explain_late(e) || explain_last(e)))
		status = storus_no_memory(NAME);
	return status;
}
