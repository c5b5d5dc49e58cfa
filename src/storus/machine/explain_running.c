/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running job in `storus explain`: its region and rings, its neighbours, and the cost
 * of shared links.
 */
#include <stdio.h>
#include <string.h>

#include "torus/placement.h"
#include "questions/occupancy.h"
#include "storus/base/clock.h"
#include "storus/machine/question.h"
#include "storus/machine/explain.h"
#include "torus/alloc.h"
#include "torus/contention.h"
#include "torus/regions.h"

/* All nodes at a vertex. */
static void explain_near(const struct torus_machine *m, uint32_t p,
			 const uint32_t *x, uint64_t *near)
{
	const struct torus *t = &m->pod[p].torus;
	uint32_t node = torus_index(t, x);

	for (uint32_t k = 0; k < t->per_vertex; k++)
		torus_bits_set(near, torus_machine_bit(m, p, node + k));
}

/* Find the jobs with a node next to one of this job's, or at the same vertex. */
static void explain_neighbours(const struct explain *e, bool *beside)
{
	const struct snapshot *s = e->q.snapshot;
	const struct torus_machine *m = &s->config->machine;
	uint64_t *near = torus_alloc(m->words, sizeof(*near));

	for (uint32_t i = 0; near && i < e->job->nodes; i++) {
		uint32_t index, x[TORUS_MAX_DIMS];
		uint32_t p = torus_machine_pod(m, e->job->node[i], &index);
		const struct torus *t = &m->pod[p].torus;

		torus_coord(t, index, x);
		explain_near(m, p, x, near);
		for (uint32_t d = 0; d < t->dims && !t->flat; d++) {
			uint32_t own = x[d];

			for (int way = -1; way <= 1; way += 2) {
				uint32_t at = own + (uint32_t)way;

				if (at >= t->size[d] && !t->wrap[d])
					continue;
				x[d] = at == t->size[d] ? 0 :
				       at > t->size[d]  ? t->size[d] - 1 :
							  at;
				explain_near(m, p, x, near);
			}
			x[d] = own;
		}
	}
	for (uint32_t j = 0; near && j < s->jobs; j++) {
		for (uint32_t i = 0; i < s->job[j].nodes; i++)
			beside[j] = beside[j] ||
				    (&s->job[j] != e->job &&
				     torus_bits_test(near, s->job[j].node[i]));
	}
	torus_free(near);
}

/* Return true if a link that closes the place along dimension d is down. */
static bool explain_opened(const struct explain *e,
			   struct torus_placement place, uint32_t d)
{
	const struct torus_machine *m = &e->q.config->machine;
	bool opened = false;

	place.orientation.axis[d] = (int8_t)d;
	place.ring = (uint8_t)(1u << d);
	for (uint32_t i = 0; i < m->links.count; i++) {
		const struct torus_link *l = &m->links.link[i];

		opened = opened ||
			 (l->dim == d && l->health == TORUS_LINK_DOWN &&
			  torus_placement_has_link(m, &place, l));
	}
	return opened;
}

/* A letter per dimension of more than one vertex: T closed, M open; of several regions
 * with '/' between them. NULL: none. The caller's to free. */
static char *explain_rings(const struct explain *e)
{
	const struct torus_machine *m = &e->q.config->machine;
	struct torus_text text = { 0 };
	struct torus_regions several;
	struct torus_placement place;
	uint32_t n;

	if (!occupancy_place(e->q.snapshot, e->job, &several, &place))
		return NULL;
	n = place.regions ? several.count : 1;
	for (uint32_t i = 0; i < n; i++) {
		struct torus_placement one =
			place.regions ? torus_regions_item(m, &place, i) : place;
		const struct torus *t = &m->pod[one.pod].torus;

		if (i && text.length)
			torus_text_add(&text, "/");
		for (uint32_t d = 0; d < t->dims; d++) {
			int8_t axis = one.orientation.axis[d];
			bool closed = axis < 0 || axis >= (int)one.axes ||
				      one.ring >> axis & 1;

			if (one.region.extent[d] * t->unit[d] <= 1)
				continue;
			/* as granted, and now */
			closed = closed &&
				 torus_region_closed(&one.region, t, d) &&
				 !explain_opened(e, one, d);
			torus_text_add(&text, "%c", closed ? 'T' : 'M');
		}
	}
	return text.data;
}

/* The links that are not healthy in the job's regions; NULL: none. The caller's to
 * free. */
static char *explain_under(const struct explain *e)
{
	const struct torus_machine *m = &e->q.config->machine;
	struct torus_text text = { 0 };
	char link[TORUS_LINK_SIZE];

	for (uint32_t i = 0; i < m->links.count; i++) {
		const struct torus_link *l = &m->links.link[i];

		if (!dead_links_under(e->q.snapshot, e->job, l))
			continue;
		torus_link_format(l, &m->pod[l->pod].torus, link, sizeof(link));
		torus_text_add(&text, "%s%s %s", text.length ? ", " : "", link,
			       torus_link_health_name(l->health));
	}
	return text.data;
}

/* Find the hold of the job: its own links do not count as shared. */
static uint32_t explain_slot(const struct explain *e)
{
	uint64_t id = (uint64_t)(e->job - e->q.snapshot->job) + 1;

	for (uint32_t k = 0; k < torus_state_holds(e->q.state); k++) {
		uint32_t slot = torus_state_by_end(e->q.state, k);

		if (torus_state_hold(e->q.state, slot)->job == id)
			return slot;
	}
	return TORUS_NO_SLOT;
}

/* Compute the factor of its run time; false: links are never shared here. */
static bool explain_dilation(const struct explain *e, double *factor)
{
	uint32_t slot = explain_slot(e);
	const struct torus_hold *h;

	if (slot == TORUS_NO_SLOT)
		return false;
	h = torus_state_hold(e->q.state, slot);
	if (!storus_contention_possible(&e->q.config->machine, &h->place))
		return false;
	*factor = 1 + (double)torus_contention_rate(e->q.state, &h->place, NULL,
						    NULL) /
			      (double)TORUS_CONTENTION_ONE;
	return true;
}

void explain_print_running(const struct explain *e)
{
	const struct snapshot *s = e->q.snapshot;
	const struct snapshot_job *j = e->job;
	bool *beside = torus_alloc(s->jobs, sizeof(*beside));
	bool asked = *j->words.geometry || j->count;
	char at[STORUS_CLOCK_SIZE], ask[32];
	char *rings = explain_rings(e), *under;
	double factor;

	storus_print("Job %s%s%s runs on %s (%u node%s%s%s)", j->id,
		     *j->user ? " of " : "", j->user, j->place, j->nodes,
		     j->nodes == 1 ? "" : "s", asked ? ", asked for " : "",
		     asked ? explain_ask(j, ask, sizeof(ask)) : "");
	if (j->start_us != SNAPSHOT_NO_TIME)
		storus_print(" from %s", storus_clock(s, j->start_us, at));
	if (j->end_us != SNAPSHOT_NO_TIME)
		storus_print(" until %s at the latest",
			     storus_clock(s, j->end_us, at));
	storus_print(".\n");
	if (rings)
		storus_print("Rings along its dimensions: %s (T closed, M open).\n",
			     rings);
	torus_free(rings);
	under = explain_under(e);
	if (under)
		storus_print("It runs over links that are not healthy: %s.\n",
			     under);
	torus_free(under);
	if (explain_dilation(e, &factor))
		storus_print("Sharing links with other jobs makes it take %.6g times as long while they run.\n",
			     factor);
	else
		storus_print("It shares no links with other jobs' regions.\n");
	if (beside) {
		const char *lead = "Its neighbours:";

		explain_neighbours(e, beside);
		for (uint32_t k = 0; k < s->jobs; k++) {
			if (!beside[k])
				continue;
			storus_print("%s job %s", lead, s->job[k].id);
			lead = ",";
		}
		storus_print("%s\n",
			     *lead == ',' ? "." : "No job is adjacent to it.");
		if (e->verbose) {
			storus_print("\n");
			explain_put_neighbours(e, beside);
		}
	}
	torus_free(beside);
}

json_t *explain_running_json(const struct explain *e)
{
	const struct snapshot *s = e->q.snapshot;
	bool *beside = torus_alloc(s->jobs, sizeof(*beside));
	json_t *list = json_array(), *o;
	char *rings = explain_rings(e), *under = explain_under(e);
	double factor;

	if (beside)
		explain_neighbours(e, beside);
	for (uint32_t j = 0; beside && j < s->jobs; j++) {
		if (beside[j])
			json_array_append_new(list, json_string(s->job[j].id));
	}
	torus_free(beside);
	o = json_pack("{s:i, s:s, s:s, s:s, s:s, s:[], s:[], s:o, s:[], s:s, s:o, s:s, s:o, s:s*}",
		      "schema", 1, "job", e->job->id, "state", "running",
		      "answer", "fits", "reason", "it runs", "alternatives",
		      "blockers", "start", storus_clock_json(e->job->start_us),
		      "would_start_now", "region", e->job->place, "end",
		      storus_clock_json(e->job->end_us), "rings",
		      rings ? rings : "", "neighbours", list, "links", under);
	torus_free(rings);
	torus_free(under);
	if (explain_dilation(e, &factor))
		json_object_set_new(o, "dilation", json_real(factor));
	return o;
}
