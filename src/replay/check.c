/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --check (engine.h). Cost: O(machine + running + queue) per instant. For
 * finding faults, not for long traces.
 */
#include "replay/engine.h"
#include "torus/placement.h"

static bool check_wrong(struct torus_error *err, int64_t now_us, uint64_t job,
			const char *what)
{
	torus_error_add(err, "check: at %lld.%06lld s: job %llu: %s",
			(long long)(now_us / 1000000),
			(long long)(now_us % 1000000), (unsigned long long)job,
			what);
	return false;
}

/* Check that regions lie inside the torus and have the granted size. */
static bool place_sound(const struct torus_machine *m,
			const struct torus_placement *place,
			struct torus_error *err)
{
	const struct torus *t;

	if (place->pod >= m->pods)
		return false;
	t = &m->pod[place->pod].torus;
	if (place->scattered)
		return torus_bits_count(place->nodes,
					torus_placement_words(m, place)) ==
		       place->granted;
	return !torus_region_check(&place->region, t, err) &&
	       torus_region_nodes(&place->region, t) == place->granted;
}

bool torus_check_start(struct torus_scheduler *s,
		       const struct torus_replay_job *job, int64_t now_us,
		       struct torus_error *err)
{
	const struct torus_state *state = torus_scheduler_state(s);
	const struct torus_hold *hold = torus_state_hold(state, job->job.slot);
	uint64_t id = job->job.id;

	if (job->job.start_us != now_us)
		return check_wrong(err, now_us, id, "its start is not now");
	if (job->job.submit_us > now_us)
		return check_wrong(err, now_us, id, "started before its submit");
	if (job->granted)
		return check_wrong(err, now_us, id, "started twice");
	if (!hold || hold->job != id)
		return check_wrong(err, now_us, id,
				   "has no hold on the machine");
	if (hold->place.granted < job->requested)
		return check_wrong(err, now_us, id, "got too few nodes");
	if (!place_sound(torus_state_machine(state), &hold->place, err))
		return check_wrong(err, now_us, id, "its place is not sound");
	return true;
}

bool torus_check_instant(struct torus_scheduler *s, int64_t now_us,
			 size_t running, size_t queued, uint64_t granted,
			 struct torus_error *err)
{
	const struct torus_state *state = torus_scheduler_state(s);
	const struct torus_queue *queue = torus_scheduler_queue(s);
	const struct torus_machine *m = torus_state_machine(state);
	const struct torus_job *job;
	uint64_t nodes = torus_state_free_nodes(state) + granted;
	uint32_t out = torus_bits_count(torus_state_out_map(state), m->words);
	size_t length = 0;

	if (!torus_state_check(state, err))
		return check_wrong(err, now_us, 0, "the state is not sound");
	if (torus_state_holds(state) != running)
		return check_wrong(err, now_us, 0,
				   "holds and running jobs differ");
	/* jobs may hold nodes that are out */
	if (nodes > m->nodes || nodes + out < m->nodes)
		return check_wrong(err, now_us, 0,
				   "free and granted nodes do not "
				   "make up the machine");
	for (job = queue->head; job; job = job->next, length++)
		if (job->state != TORUS_JOB_QUEUED || job->submit_us > now_us)
			return check_wrong(err, now_us, job->id,
					   "should not be queued");
	if (length != queue->length || length != queued)
		return check_wrong(err, now_us, 0,
				   "the queue's length is wrong");
	return true;
}
