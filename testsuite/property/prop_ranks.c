/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rank order: jobs come and go on machines of several strategies, semitori of
 * both conversions above all. Of every place the ranks must name each of its
 * nodes once, count their coordinates up row by row, and step along an axis
 * from neighbour to neighbour (one stride for interleaved regions); where the
 * axis is said to be closed, from its last to its first as well.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "torus/state.h"
#include "torus/state_find.h"

#define MOST_NODES 512
#define MOST_JOBS 64

static const struct {
	const char *torus, *strategy, *convert;
} machines[] = {
	{ "4x8x2x4:MMTT", "semitorus-nep", "combine" },
	{ "4x8x2x4:MMTT", "semitorus-ep", "pair" },
	{ "2x2x2x6x8", "semitorus-nep", "pair" },
	{ "2x2x2x6x8", "semitorus-buddy", "combine" },
	{ "8x8x8", "semitorus-nep", "combine" },
	{ "8x8x8:TMM", "semitorus-buddy", "pair" },
	{ "7x8:MM", "semitorus-ep", "combine" },
	{ "2x4x4x8", "semitorus-ep", "combine" },
	{ "8x8", "subtorus", NULL },
	{ "6x4x4:TMT", "subtorus", NULL },
	{ "5x4x3:TMT", "submesh", NULL },
	{ "2^7", "subcube-buddy", NULL },
};

static const char *machine; /* of the failure */

/* Extents of the axes; those of a ring multiply. */
static void shape_of(const struct torus *t, const struct torus_placement *p,
		     uint32_t *extent)
{
	for (uint32_t a = 0; a < p->axes; a++)
		extent[a] = 1;
	for (uint32_t d = 0; d < t->dims; d++) {
		if (p->orientation.axis[d] >= 0)
			extent[p->orientation.axis[d]] *= p->region.extent[d];
	}
}

/* One step of the region's stride along one dimension? */
static bool adjacent(const struct torus *t, const struct torus_region *r,
		     uint32_t a, uint32_t b)
{
	uint32_t x[TORUS_MAX_DIMS], y[TORUS_MAX_DIMS], steps = 0;

	torus_coord(t, a, x);
	torus_coord(t, b, y);
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t up = (x[d] + r->stride[d]) % t->size[d];
		uint32_t down = (y[d] + r->stride[d]) % t->size[d];

		if (x[d] == y[d])
			continue;
		steps++;
		if (!(up == y[d] && (t->wrap[d] || x[d] < y[d])) &&
		    !(down == x[d] && (t->wrap[d] || y[d] < x[d])))
			return false;
	}
	return steps == 1;
}

/* Nodes by rank, each of them once. */
static void number(const struct torus *t, const struct torus_placement *p,
		   const uint32_t *extent, uint32_t *node)
{
	uint64_t seen[MOST_NODES / 64] = { 0 }, all[MOST_NODES / 64] = { 0 };

	torus_region_paint(&p->region, t, all);
	for (uint32_t k = 0; k < p->granted; k++) {
		uint32_t coord[TORUS_MAX_DIMS] = { 0 }, rank = 0;

		node[k] = torus_region_rank_node(&p->region, t, &p->orientation,
						 p->axes, k, coord);
		for (uint32_t a = 0; a < p->axes; a++)
			rank = rank * extent[a] + coord[a];
		if (rank != k)
			fail_msg("%s: rank %u has the coordinate of %u",
				 machine, k, rank);
		assert_false(torus_bits_test(seen, node[k]));
		torus_bits_set(seen, node[k]);
	}
	assert_true(torus_bits_equal(seen, all, MOST_NODES / 64));
}

static void check_place(const struct torus *t, const struct torus_placement *p)
{
	uint32_t node[MOST_NODES], extent[TORUS_MAX_DIMS], step = p->granted;

	shape_of(t, p, extent);
	number(t, p, extent, node);
	for (uint32_t a = 0; a < p->axes; a++) {
		step /= extent[a];
		for (uint32_t k = 0; k < p->granted; k++) {
			bool last = k / step % extent[a] == extent[a] - 1;
			uint32_t next = last ? k - (extent[a] - 1) * step :
					       k + step;

			if (extent[a] == 1 || (last && !(p->ring >> a & 1)))
				continue;
			if (!adjacent(t, &p->region, node[k], node[next]))
				fail_msg("%s: axis %u: ranks %u and %u are on %u and %u",
					 machine, a, k, next, node[k],
					 node[next]);
		}
	}
}

static void build(struct torus_machine *m, size_t i)
{
	struct torus_options options = { 0 };
	struct torus t;

	machine = machines[i].torus;
	assert_int_equal(torus_parse(&t, machine, NULL), 0);
	assert_true(t.nodes <= MOST_NODES);
	if (machines[i].convert) {
		options.used = 1;
		strcpy(options.item[0].key, "convert");
		strcpy(options.item[0].value, machines[i].convert);
	}
	assert_int_equal(torus_machine_init(m, &t,
					    torus_strategy_find(
						    machines[i].strategy),
					    &options, NULL),
			 0);
}

/* Random jobs on one machine; returns how many places were looked at. */
static uint32_t jobs_on(struct random *x, size_t i)
{
	struct torus_machine m;
	struct torus_state *s;
	uint32_t slot[MOST_JOBS], jobs = 0, looked = 0;

	build(&m, i);
	s = torus_state_create(&m);
	assert_non_null(s);
	for (int step = 0; step < 200; step++) {
		struct torus_ask ask = { .by_count = true,
					 .rotate = true,
					 .end_us = INT64_MAX };
		struct torus_placement place;

		ask.count = 1u << random_below(x, 8);
		if (jobs == MOST_JOBS || (jobs && random_percent(x, 45))) {
			uint32_t at = random_below(x, jobs);

			torus_state_release(s, slot[at], NULL);
			slot[at] = slot[--jobs];
			continue;
		}
		if (torus_state_find(s, &ask, &place, NULL) != TORUS_FITS)
			continue;
		check_place(&m.pod[0].torus, &place);
		looked++;
		slot[jobs] = torus_state_commit(s, &place, 1, NULL, 0, 1, NULL);
		assert_int_not_equal(slot[jobs++], TORUS_NO_SLOT);
	}
	torus_state_destroy(s);
	torus_machine_free(&m);
	return looked;
}

static void consecutive_ranks_follow_the_rings(void **state)
{
	struct random x = { *(uint64_t *)*state };
	uint32_t rounds = random_effort(60, 50), looked = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		for (size_t k = 0; k < sizeof(machines) / sizeof(*machines); k++)
			looked += jobs_on(&x, k);
	}
	printf("# %u places\n", looked);
}

int main(void)
{
	uint64_t seed = random_seed("prop_ranks");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(consecutive_ranks_follow_the_rings,
					  &seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
