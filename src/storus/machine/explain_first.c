/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place of a waiting job that is free first (explain.h): the one whose jobs and
 * reservations end first, whatever the queue does. A reservation in force holds its idle
 * nodes like a job that runs until it ends. If the forecast starts the job at that time,
 * the forecast's place is taken: one time has one place.
 */
#include <string.h>

#include "questions/occupancy.h"
#include "storus/machine/explain.h"
#include "storus/machine/source.h"
#include "torus/alloc.h"

static bool first_is_in_force(const struct explain *e,
			      const struct snapshot_nodes *r)
{
	const struct snapshot *s = e->q.snapshot;

	return r->start_us <= s->time_us && s->time_us < r->end_us &&
	       strcmp(r->name, e->job->reservation) != 0;
}

/* Add a reservation as a running job on its nodes that no job holds. -1 with ENOMEM. */
static int first_add(struct explain *e, const struct snapshot_nodes *r,
		     uint64_t *map)
{
	static char none[] = "";
	uint32_t words = e->q.config->machine.words;
	struct snapshot_job *job = &e->holding.job[e->holding.jobs];

	torus_bits_copy(map, r->map, words);
	for (uint32_t j = 0; j < e->q.snapshot->jobs; j++) {
		const struct snapshot_job *other = &e->q.snapshot->job[j];

		for (uint32_t i = 0; other->running && i < other->nodes; i++)
			torus_bits_clear(map, other->node[i]);
	}
	*job = (struct snapshot_job){ .running = true,
				      .id = r->name,
				      .user = none,
				      .place = none,
				      .orientation = none,
				      .ring = none,
				      .start_us = r->start_us,
				      .end_us = r->end_us };
	job->node = torus_alloc(torus_bits_count(map, words),
				sizeof(*job->node));
	if (!job->node)
		return -1;
	for (uint32_t b = torus_bits_next(map, words, 0); b != UINT32_MAX;
	     b = torus_bits_next(map, words, b + 1))
		job->node[job->nodes++] = b;
	e->holding.jobs++;
	e->holding.running++;
	return 0;
}

int explain_first_prepare(struct explain *e)
{
	const struct snapshot *s = e->q.snapshot;
	uint64_t *map = torus_alloc(s->config->machine.words, sizeof(*map));
	int rc;

	e->holding = *s;
	e->holding.job = torus_alloc((size_t)s->jobs + s->reservations,
				     sizeof(*e->holding.job));
	rc = map && e->holding.job ? 0 : -1;
	if (rc == 0)
		memcpy(e->holding.job, s->job, s->jobs * sizeof(*s->job));
	for (uint32_t i = 0; rc == 0 && i < s->reservations; i++) {
		if (first_is_in_force(e, &s->reservation[i]))
			rc = first_add(e, &s->reservation[i], map);
	}
	torus_free(map);
	return rc;
}

void explain_first_free(struct explain *e)
{
	for (uint32_t j = e->q.snapshot ? e->q.snapshot->jobs : 0;
	     e->holding.job && j < e->holding.jobs; j++)
		torus_free(e->holding.job[j].node);
	torus_free(e->holding.job);
}

/* Return when the nodes of a running job are free: the reservations in force that have
 * nodes of it, too, must have ended. */
static int64_t first_end(const struct explain *e, const struct snapshot_job *job)
{
	const struct snapshot *s = e->q.snapshot;
	int64_t end_us = job->end_us;

	for (uint32_t i = 0; i < s->reservations; i++) {
		const struct snapshot_nodes *r = &s->reservation[i];

		for (uint32_t n = 0; r->end_us > end_us && n < job->nodes; n++) {
			if (torus_bits_test(r->map, job->node[n]) &&
			    first_is_in_force(e, r))
				end_us = r->end_us;
		}
	}
	return end_us;
}

/* Use the expected end of each holder as its cost; the latest one counts. */
static uint64_t *first_ends(const struct explain *e)
{
	const struct snapshot *s = &e->holding;
	uint64_t *cost = torus_alloc(s->jobs, sizeof(*cost));

	for (uint32_t j = 0; cost && j < s->jobs; j++) {
		int64_t end_us;

		if (!s->job[j].running)
			continue;
		end_us = first_end(e, &s->job[j]);
		cost[j] = end_us == SNAPSHOT_NO_TIME ? UINT64_MAX :
			  end_us > s->time_us ? (uint64_t)(end_us - s->time_us) :
						1;
	}
	return cost;
}

int explain_first_find(struct explain *e, const struct torus_ask *ask,
		       const uint64_t *allowed, struct explain_alternative *a)
{
	const struct snapshot *s = &e->holding;
	uint64_t *cost = first_ends(e);
	const struct freeing_question question = {
		.s = s, .ask = ask, .allowed = allowed, .cost = cost
	};
	int rc = cost ? freeing_earliest(&question, &a->earliest) : -1;

	a->start_us = SNAPSHOT_NO_TIME;
	if (rc == 0 && a->earliest.answer == TORUS_FITS &&
	    a->earliest.cost != UINT64_MAX)
		a->start_us = (s->time_us == SNAPSHOT_NO_TIME ? 0 : s->time_us) +
			      (int64_t)a->earliest.cost;
	torus_free(cost);
	return rc;
}

/* Search again within the place of the forecast; take the answer if it is as early. */
static int first_settle(struct explain *e, uint32_t k, const uint64_t *place)
{
	struct explain_alternative *a = &e->alternative[k];
	struct explain_alternative there = { .start_us = SNAPSHOT_NO_TIME };
	struct torus_ask ask = torus_ask_among(&e->request.alternative[k].ask,
					       place);

	ask.required = e->job->required;
	if (explain_first_find(e, &ask, place, &there)) {
		freeing_free(&there.earliest);
		return -1;
	}
	if (there.earliest.answer != TORUS_FITS ||
	    there.start_us > e->start->start_us + explain_same_us(e)) {
		freeing_free(&there.earliest);
		return 0;
	}
	freeing_free(&a->earliest);
	a->earliest = there.earliest;
	a->start_us = there.start_us;
	return 0;
}

int explain_first_settle(struct explain *e)
{
	const struct torus_machine *m = &e->q.config->machine;
	struct torus_error err = { 0 };
	uint64_t *maps;
	int rc = -1;

	if (!e->start || !e->start->region)
		return 0;
	maps = torus_alloc(2 * (size_t)m->words, sizeof(*maps));
	if (maps)
		rc = storus_regions_paint(m, e->start->region, maps + m->words,
					  maps, &err);
	for (uint32_t k = 0; rc == 0 && k < e->request.alternatives; k++) {
		const struct explain_alternative *a = &e->alternative[k];

		if (a->answer == TORUS_NOT_NOW &&
		    a->earliest.answer == TORUS_FITS &&
		    e->start->start_us <= a->start_us + explain_same_us(e))
			rc = first_settle(e, k, maps);
	}
	torus_free(maps);
	return rc;
}
