/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dilation of running jobs (engine.h): the load update of Gupta and Srimani
 * (1997), section 2.3, Theorem 1, at every start.
 *
 * When J_k begins, each running J_i that shares links with it overlaps it for
 * D_i = min(t_k, remaining time of J_i). J_i then ends later by J_k's share of
 * the line times D_i, and J_k by the sum of the others' shares times their D_i.
 *
 * D_i is fixed when the later of the two begins, from J_k's length without
 * dilation and J_i's remaining time including its loads so far. So no end moves
 * because a job ended, and none moves forward. The scheduler knows only limits:
 * expected ends follow the same rule with the limit as the job's length, so
 * they never come before the real ends unless a job exceeds its limit.
 *
 * Not modelled: J_k's own dilation makes the overlap longer, and a job with
 * much less communication is slowed less (section 2.2, note 2).
 */
#include "replay/engine.h"

#include <errno.h>

#include "torus/contention.h"

int torus_dilate_supports(const struct torus_machine *m, struct torus_error *err)
{
	int rc = 0;

	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];

		if (pod->torus.flat || pod->strategy[0]->scatters)
			rc = torus_error_add(err,
					     "--contention: %s: %s gives single nodes, of whose links the model says nothing; for example --torus 8x8 --strategy subtorus",
					     pod->torus.name,
					     pod->strategy[0]->name);
	}
	if (rc)
		errno = EINVAL;
	return rc;
}

bool torus_dilate_matters(const struct torus_machine *m)
{
	for (uint32_t p = 0; p < m->pods; p++) {
		if (m->pod[p].strategy[0]->interleaves)
			return true;
	}
	return false;
}

/* Return an end after `us` of a load along dimension d by that region; at most
 * TORUS_NO_TIME. */
static int64_t dilate_end(int64_t at_us, const struct torus *t,
			  const struct torus_region *region, int d, int64_t us)
{
	return at_us == TORUS_NO_TIME ?
		       at_us :
		       torus_time_after(at_us, torus_contention_load(t, region,
								     d, us));
}

/* Return how long a job of that length runs beside one that ends at end_us. */
static int64_t dilate_overlap(int64_t now_us, int64_t length_us, int64_t end_us)
{
	int64_t left = end_us > now_us ? end_us - now_us : 0;

	return left < length_us ? left : length_us;
}

bool torus_dilate_start(struct torus_ends *ends, struct torus_state *state,
			const struct torus_replay_job *job, int64_t now_us,
			int64_t *end_us, int64_t *latest_us)
{
	const struct torus_placement *place =
		&torus_state_hold(state, job->job.slot)->place;
	const struct torus *t =
		&torus_state_machine(state)->pod[place->pod].torus;
	int64_t expected = torus_state_hold(state, job->job.slot)->end_us;
	bool moved = false;

	*end_us = *latest_us = torus_time_after(now_us, job->run_us);
	for (size_t i = 0; i < ends->count && !place->scattered; i++) {
		struct torus_end *end = &ends->heap[i];
		const struct torus_replay_job *other = end->job;
		const struct torus_hold *h = torus_state_hold(state,
							      other->job.slot);
		int d = -1;
		int64_t real, planned;

		if (h->place.pod == place->pod && !h->place.scattered)
			d = torus_contention_along(t, &place->region,
						   &h->place.region);
		if (d < 0)
			continue;
		real = dilate_overlap(now_us, job->run_us, end->at_us);
		planned = dilate_overlap(now_us, job->job.limit_us, h->end_us);
		*end_us = dilate_end(*end_us, t, &h->place.region, d, real);
		expected = dilate_end(expected, t, &h->place.region, d, planned);
		end->at_us = dilate_end(end->at_us, t, &place->region, d, real);
		torus_state_set_end(state, other->job.slot,
				    dilate_end(h->end_us, t, &place->region, d,
					       planned));
		if (*latest_us < end->at_us)
			*latest_us = end->at_us;
		moved = true;
	}
	if (*latest_us < *end_us)
		*latest_us = *end_us;
	if (!moved)
		return false;
	torus_ends_sort(ends);
	torus_state_set_end(state, job->job.slot, expected);
	return true;
}
