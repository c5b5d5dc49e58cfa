/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place of a job by its nodes: from the recent answers of job_test(), a ring of
 * INSTANCE_RECENT_PLACES entries; else from AdminComment; else the shape is
 * recognized in the nodes.
 *
 * job_begin() follows its job_test() under the same lock, but a task of an array
 * gets its number between the two. So a place is identified by its nodes; the number
 * only makes the search shorter.
 */
#include "torus/state_find.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/node_map.h"
#include "slurmctld/instance/job_table.h"
#include "format/admin_comment.h"

void recent_places_add(struct instance *in, uint32_t job,
		       const struct torus_placement *place)
{
	struct recent_place *f =
		&in->recent[in->next_recent++ % INSTANCE_RECENT_PLACES];

	f->job = job;
	f->place = *place;
	instance_paint(in, place, f->nodes);
	instance_keep(in, &f->place, f->nodes, &f->regions);
}

bool recent_places_take(struct instance *in, const job_record_t *job,
			struct torus_placement *place)
{
	struct recent_place *best = NULL;
	uint64_t *nodes;

	if (!job->node_bitmap)
		return false;
	nodes = torus_scratch_take(&in->scratch);
	node_map_from_slurm(&in->map, job->node_bitmap, nodes);
	for (uint32_t i = 0; i < INSTANCE_RECENT_PLACES; i++) {
		struct recent_place *f = &in->recent[i];

		if (!f->job ||
		    !torus_bits_equal(f->nodes, nodes, in->machine->words))
			continue;
		if (f->job == job->job_id) {
			best = f;
			break;
		}
		if (f->job == job->array_job_id)
			best = f;
	}
	torus_scratch_return(&in->scratch, nodes);
	if (!best)
		return false;
	*place = best->place;
	best->job = 0;
	return true;
}

/* Read the place from AdminComment if it has these nodes. A strategy with a memory
 * must find its piece itself. */
static bool from_comment(struct instance *in, const job_record_t *job,
			 const uint64_t *nodes, struct torus_placement *place)
{
	const struct torus_placement_room room = { .nodes = in->commented_nodes,
						   .regions = &in->commented };
	const struct torus_pod *pod;

	if (admin_comment_read(job->admin_comment, in->machine, &room, place))
		return false;
	pod = &in->machine->pod[place->pod];
	if (!pod->strategy[place->strategy]->occupancy_only ||
	    torus_bits_count(nodes, in->machine->words) != place->granted)
		return false;
	if (place->regions)
		return torus_bits_equal(nodes, in->commented_nodes,
					in->machine->words);
	return torus_region_inside(&place->region, &pod->torus,
				   nodes + pod->first_word);
}

/* Recognize the shape of the first alternative that makes exactly the job's nodes. */
static bool from_nodes(const struct instance *in, struct torus_state *s,
		       const job_record_t *job, const uint64_t *nodes,
		       struct torus_placement *place)
{
	uint32_t count = torus_bits_count(nodes, in->machine->words);
	struct torus_request request;

	if (job_request_of(job, in->may_rotate, &request))
		return false;
	for (uint32_t k = 0; k < request.alternatives; k++) {
		struct torus_ask *ask = &request.alternative[k].ask;

		if (ask->by_count)
			ask->granted = count;
		ask->allowed = nodes;
		ask->any_link = true;   /* it runs there */
		ask->any_weight = true; /* it uses all of the nodes */
		if (torus_state_find(s, ask, place, NULL) == TORUS_FITS &&
		    place->granted == count)
			return true;
	}
	return false;
}

bool recent_places_recognize(struct instance *in, struct torus_state *s,
			     const job_record_t *job,
			     struct torus_placement *place)
{
	uint64_t *nodes;
	bool is;

	if (!job->node_bitmap)
		return false;
	nodes = torus_scratch_take(&in->scratch);
	node_map_from_slurm(&in->map, job->node_bitmap, nodes);
	is = from_comment(in, job, nodes, place) ||
	     from_nodes(in, s, job, nodes, place);
	torus_scratch_return(&in->scratch, nodes);
	return is;
}
