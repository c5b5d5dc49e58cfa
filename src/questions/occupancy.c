/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot as a machine state (occupancy.h). */
#include "torus/state_text.h"
#include "torus/placement.h"
#include "questions/occupancy.h"

#include <string.h>

#include "torus/alloc.h"
#include "torus/regions.h"

/* Adds a stateless strategy that holds regions which the torus's own strategy
 * cannot have given (their links count too) and lists places for one that
 * cannot; and one for jobs without a shape. */
int occupancy_prepare(struct snapshot *s)
{
	struct torus_machine *m = &s->config->machine;

	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_strategy *own = m->pod[p].strategy[0];

		if ((own->interleaves || (!own->find_all && own->complete)) &&
		    !own->scatters &&
		    torus_machine_allow(m, p, torus_strategy_find("submesh"),
					NULL))
			return -1;
		if (torus_machine_allow(m, p, torus_strategy_find("flat"), NULL))
			return -1;
	}
	return 0;
}

bool occupancy_place(const struct snapshot *s, const struct snapshot_job *job,
		     struct torus_regions *several,
		     struct torus_placement *place)
{
	const struct torus_machine *m = &s->config->machine;
	const char *colon = strchr(job->place, ':');
	uint64_t nodes[1]; /* never written: a list is not parsed */
	const struct torus *t;
	bool scattered;

	if (torus_regions_several(job->place)) {
		uint32_t axes = 0;

		if (torus_regions_parse(m, job->place, job->orientation,
					several, NULL))
			return false;
		if (!*job->ring ||
		    torus_regions_rings(several, job->ring, &axes))
			torus_regions_axes(several, 0);
		*place = (struct torus_placement){ .pod = several->item[0].pod,
						   .scattered = true,
						   .axes = axes,
						   .regions = several };
		return true;
	}
	*place = (struct torus_placement){
		.pod = torus_machine_prefix(m, job->place)
	};
	if (place->pod == UINT32_MAX || colon[1] == '{')
		return false;
	t = &m->pod[place->pod].torus;
	if (torus_region_parse(&place->region, &scattered, nodes, t, job->place,
			       NULL))
		return false;
	place->granted = torus_region_nodes(&place->region, t);
	if (*job->orientation)
		torus_orientation_parse(&place->orientation, t,
					job->orientation, NULL);
	else
		memset(place->orientation.axis, -1,
		       sizeof(place->orientation.axis));
	if (*job->ring)
		torus_rings_parse(job->ring, 1, &place->ring, &place->axes);
	return true;
}

struct occupancy {
	const struct snapshot *s;
	struct torus_state *state;
	uint64_t *nodes;
};

static bool occupancy_commit(struct occupancy *o, uint32_t j,
			     struct torus_placement *place, uint32_t strategy)
{
	const struct snapshot_job *job = &o->s->job[j];

	place->strategy = (uint8_t)strategy;
	return torus_state_commit(o->state, place, j + 1, NULL,
				  job->start_us == SNAPSHOT_NO_TIME ?
					  0 :
					  job->start_us,
				  job->end_us, NULL) != TORUS_NO_SLOT;
}

/* Hold a job as a region: of the torus's own strategy or, if links are shared,
 * of a strategy by nodes. A stateless strategy needs no regions of jobs that
 * never end. */
static bool occupancy_hold_region(struct occupancy *o, uint32_t j)
{
	struct torus_placement place;
	struct torus_regions several;
	const struct torus_pod *pod;

	if (!occupancy_place(o->s, &o->s->job[j], &several, &place) ||
	    place.regions)
		return false;
	pod = &o->s->config->machine.pod[place.pod];
	if (pod->strategy[0]->occupancy_only &&
	    o->s->job[j].end_us == SNAPSHOT_NO_TIME)
		return false;
	if (occupancy_commit(o, j, &place, 0))
		return true;
	for (uint32_t i = 1; i < pod->strategies; i++) {
		if (pod->strategy[0]->interleaves &&
		    pod->strategy[i]->occupancy_only &&
		    !pod->strategy[i]->scatters)
			return occupancy_commit(o, j, &place, i);
	}
	return false;
}

/* Hold the free nodes in o->nodes for a job, one hold per torus. */
static int occupancy_hold_nodes(struct occupancy *o, uint32_t j)
{
	const struct torus_machine *m = &o->s->config->machine;

	torus_bits_and(o->nodes, o->nodes, torus_state_free_map(o->state),
		       m->words);
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		struct torus_placement place = {
			.pod = p,
			.scattered = true,
			.nodes = o->nodes + pod->first_word,
			.granted = torus_bits_count(o->nodes + pod->first_word,
						    pod->words),
		};

		if (place.granted && !occupancy_commit(o, j, &place, 0))
			return -1;
	}
	return 0;
}

static int occupancy_hold_jobs(struct occupancy *o)
{
	const struct snapshot *s = o->s;
	uint32_t words = s->config->machine.words;
	int rc = torus_state_reserve(o->state, s->running + 1);

	for (uint32_t j = 0; rc == 0 && j < s->jobs; j++) {
		if (!s->job[j].running || occupancy_hold_region(o, j) ||
		    s->job[j].end_us == SNAPSHOT_NO_TIME)
			continue;
		torus_bits_zero(o->nodes, words);
		snapshot_paint(&s->job[j], o->nodes);
		rc = occupancy_hold_nodes(o, j);
	}
	torus_bits_copy(o->nodes, s->hidden, words);
	for (uint32_t j = 0; j < s->jobs; j++) {
		if (s->job[j].running && s->job[j].end_us == SNAPSHOT_NO_TIME)
			snapshot_paint(&s->job[j], o->nodes);
	}
	torus_bits_and(o->nodes, o->nodes, torus_state_free_map(o->state),
		       words);
	return rc ? rc :
		    torus_state_hold_nodes(o->state, o->nodes, INT64_MAX, NULL,
					   NULL);
}

struct torus_state *occupancy_state(const struct snapshot *s)
{
	const struct torus_machine *m = &s->config->machine;
	struct occupancy o = { .s = s,
			       .state = torus_state_create(m),
			       .nodes = torus_alloc(m->words,
						    sizeof(*o.nodes)) };

	if (!o.state || !o.nodes || occupancy_hold_jobs(&o)) {
		torus_state_destroy(o.state);
		o.state = NULL;
	} else {
		torus_state_out(o.state, s->out);
	}
	torus_free(o.nodes);
	return o.state;
}

int occupancy_request(const struct snapshot *s, const struct snapshot_job *job,
		      struct torus_request *request, struct torus_error *err)
{
	const struct torus_machine *m = &s->config->machine;
	struct torus_request_words words = job->words;

	words.no_rotate |= m->pods == 1 && m->pod[0].no_rotate;
	if (*words.geometry) {
		if (torus_request_parse(request, &words, err))
			return -1;
		for (uint32_t k = 0; k < request->alternatives; k++)
			torus_machine_settle(m, &request->alternative[k].ask);
		return 0;
	}
	torus_request_range(request,
			    job->least ? job->least :
			    job->count ? job->count :
					 1,
			    job->count ? job->count : 1);
	for (uint32_t k = 0; *job->partition && k < request->alternatives; k++) {
		struct torus_ask *ask = &request->alternative[k].ask;

		/* Slurm's job: any nodes */
		ask->strategy = torus_strategy_find("flat")->name;
		ask->anywhere = true;
	}
	return 0;
}

void occupancy_clear_reserved(const struct snapshot *s, const char *own,
			      uint64_t *map)
{
	for (uint32_t i = 0; i < s->reservations; i++) {
		const struct snapshot_nodes *r = &s->reservation[i];

		if (r->start_us <= s->time_us && s->time_us < r->end_us &&
		    !(own && strcmp(own, r->name) == 0))
			torus_bits_andnot(map, r->map, s->config->machine.words);
	}
}

/* No limit, and no floating reservation, is SNAPSHOT_NO_TIME, the largest time. */
bool occupancy_floats(const struct snapshot_nodes *reservation,
		      const struct snapshot_job *job)
{
	return job->limit_us > reservation->limit_us &&
	       strcmp(job->reservation, reservation->name) != 0;
}

void occupancy_allowed(const struct snapshot *s, const struct snapshot_job *job,
		       uint64_t *map)
{
	uint32_t words = s->config->machine.words;
	const char *at = job->partition;

	torus_bits_zero(map, words);
	while (*at) {
		size_t length = strcspn(at, ",");

		for (uint32_t i = 0; i < s->partitions; i++) {
			const struct snapshot_nodes *p = &s->partition[i];

			if (strlen(p->name) == length &&
			    memcmp(p->name, at, length) == 0)
				torus_bits_or(map, p->map, words);
		}
		at += length + (at[length] == ',');
	}
	if (!*job->partition || s->partitions == 0)
		memset(map, 0xff, words * sizeof(*map));
	for (uint32_t i = 0; i < s->reservations; i++) {
		if (*job->reservation &&
		    strcmp(s->reservation[i].name, job->reservation) == 0)
			torus_bits_and(map, map, s->reservation[i].map, words);
	}
	if (job->excluded)
		torus_bits_andnot(map, job->excluded, words);
}
