/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the machine state follow Slurm's job table, which is the truth.
 *
 * Each time the state is wanted, the active jobs (running, suspended,
 * completing) and the idle nodes are summed up in a hash; where it differs
 * from the last one the holds are made anew:
 *
 *   - a shaped job holds its region until its expected end;
 *   - every other node in use becomes free when the last job on it ends; nodes
 *     that become free together form one hold of scattered nodes;
 *   - nodes that are not idle though no job is on them (an epilog, a boot) and
 *     those of completing jobs: any moment now.
 *
 * Cost: O(jobs) for the hash; anew: O(jobs + nodes log nodes).
 */
#include "common/instance.h"

#include <stdlib.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)
#define US INT64_C(1000000)

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * FNV_PRIME;
	*hash ^= *hash >> 29;
}

static bool is_active(const job_record_t *job)
{
	return IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job) ||
	       IS_JOB_COMPLETING(job);
}

static int hash_job(void *object, void *arg)
{
	job_record_t *job = object;
	uint64_t *hash = arg;

	if (!is_active(job))
		return 0;
	mix(hash, job->job_id);
	mix(hash, (uint64_t)job->end_time);
	mix(hash, (uint64_t)job->job_state << 32 | job->node_cnt);
	if (IS_JOB_COMPLETING(job) && job->node_bitmap_cg)
		mix(hash, (uint64_t)bit_set_count(job->node_bitmap_cg));
	return 0;
}

/* Leaves the idle nodes in in->usable. */
static uint64_t hash_table(struct instance *in)
{
	uint64_t hash = FNV_START;

	instance_from_slurm(in, idle_node_bitmap, in->usable);
	for (uint32_t w = 0; w < in->machine->words; w++)
		mix(&hash, in->usable[w]);
	list_for_each(job_list, hash_job, &hash);
	return hash;
}

/* Note in until[] that the nodes in map are in use until then (seconds). */
static void use_until(struct instance *in, const uint64_t *map, time_t end)
{
	uint32_t words = in->machine->words;
	uint32_t bit = torus_bits_next(map, words, 0);

	while (bit != UINT32_MAX) {
		if (in->until[bit] < end * US)
			in->until[bit] = end * US;
		bit = torus_bits_next(map, words, bit + 1);
	}
}

/* A shaped job's region; false where it cannot be held as such. */
static bool hold_region(struct instance *in, job_record_t *job)
{
	struct torus_placement place;

	if (!request_given(job->spank_job_env, job->spank_job_env_size) ||
	    !found_running(in, in->state, job, &place))
		return false;
	return torus_state_commit(in->state, &place, job->job_id, NULL,
				  job->start_time * US, job->end_time * US,
				  NULL) != TORUS_NO_SLOT;
}

static int hold_job(void *object, void *arg)
{
	job_record_t *job = object;
	struct instance *in = arg;

	if (!is_active(job))
		return 0;
	if (IS_JOB_COMPLETING(job)) {
		if (job->node_bitmap_cg) {
			instance_from_slurm(in, job->node_bitmap_cg,
					    in->paint);
			use_until(in, in->paint, 0);
		}
		return 0;
	}
	if (!job->node_bitmap || hold_region(in, job))
		return 0;
	instance_from_slurm(in, job->node_bitmap, in->paint);
	use_until(in, in->paint, job->end_time);
	return 0;
}

struct use {
	int64_t end_us;
	uint32_t bit;
};

static int by_end(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->end_us != y->end_us)
		return x->end_us < y->end_us ? -1 : 1;
	return x->bit < y->bit ? -1 : x->bit > y->bit;
}

/* One hold per pod for the nodes set in in->paint. */
static int hold_scattered(struct instance *in, int64_t end_us)
{
	for (uint32_t p = 0; p < in->machine->pods; p++) {
		const struct torus_pod *pod = &in->machine->pod[p];
		struct torus_placement place = {
			.pod = p,
			.scattered = true,
			.nodes = in->paint + pod->first_word,
		};

		place.granted = torus_bits_count(place.nodes, pod->words);
		if (place.granted == 0)
			continue;
		if (torus_state_commit(in->state, &place, 0, NULL, 0, end_us,
				       NULL) == TORUS_NO_SLOT)
			return -1;
	}
	return 0;
}

/* Hold what until[] says, less what regions hold already. */
static int hold_rest(struct instance *in)
{
	uint32_t words = in->machine->words, n = 0;
	const uint64_t *free_map = torus_state_free_map(in->state);
	struct use *use = xcalloc((size_t)words * 64, sizeof(*use));
	int rc = 0;

	for (uint32_t bit = 0; bit < words * 64; bit++) {
		if (in->until[bit] != INSTANCE_IDLE &&
		    torus_bits_test(free_map, bit))
			use[n++] = (struct use){ in->until[bit], bit };
	}
	qsort(use, n, sizeof(*use), by_end);
	for (uint32_t i = 0; i < n && rc == 0;) {
		int64_t end_us = use[i].end_us;

		torus_bits_zero(in->paint, words);
		for (; i < n && use[i].end_us == end_us; i++)
			torus_bits_set(in->paint, use[i].bit);
		rc = hold_scattered(in, end_us);
	}
	xfree(use);
	return rc;
}

static void drop_holds(struct torus_state *s)
{
	while (torus_state_holds(s) > 0)
		torus_state_release(
			s, torus_state_by_end(s, torus_state_holds(s) - 1),
			NULL);
}

/* Nodes that are not idle, whoever has them: at least until any moment now. */
static void use_not_idle(struct instance *in)
{
	const uint64_t *present = torus_state_free_map(in->empty);
	uint32_t words = in->machine->words;

	torus_bits_copy(in->paint, present, words);
	torus_bits_andnot(in->paint, in->usable, words);
	use_until(in, in->paint, 0);
}

/* until[] of the nodes that regions hold, too. */
static void note_regions(struct instance *in)
{
	for (uint32_t k = torus_state_holds(in->state); k-- > 0;) {
		const struct torus_hold *h = torus_state_hold(
			in->state, torus_state_by_end(in->state, k));

		if (h->place.scattered)
			continue;
		instance_paint(in, &h->place, in->paint);
		use_until(in, in->paint, (time_t)(h->end_us / US));
	}
}

int follow_jobs(struct instance *in)
{
	uint64_t hash = hash_table(in);

	if (!in->stale && hash == in->followed)
		return 0;
	drop_holds(in->state);
	for (uint32_t bit = 0; bit < in->machine->words * 64; bit++)
		in->until[bit] = INSTANCE_IDLE;
	use_not_idle(in);
	list_for_each(job_list, hold_job, in);
	if (hold_rest(in)) {
		error("torus: out of memory while following the job table");
		in->stale = true;
		return -1;
	}
	note_regions(in);
	in->followed = hash;
	in->stale = false;
	return 0;
}
