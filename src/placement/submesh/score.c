/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact and ends (score.h).
 *
 * A box with the most contact cannot be moved any further, or lies flush with
 * something. So only corners are candidates: bases that end a run of bases
 * along every dimension or, if a whole ring of bases is free, lie flush with a
 * hold. A dimension that the box covers completely has one base, 0: the others
 * of the ring are removed by a bitmap.
 */
#include "placement/submesh/score.h"

#include "placement/state/free_boxes.h"
#include "placement/state/grid.h"
#include "placement/submesh/lookahead.h"
#include "torus/alloc.h"

#define ONE 256        /* weight of full contact */
#define LATE (ONE / 5) /* subtracted for a neighbour that ends much later */

/* The orientations of three axes. Machines of many dimensions have hundreds;
 * only this many are scored in full. */
#define ORIENTATIONS 6

/* Limit on corner x hold pairs per orientation: of a shape; of a node count,
 * whose extents are chosen already and of which traces have 100,000s. */
#define TESTS_SHAPE 64
#define TESTS_LOOKAHEAD 256 /* with the look-ahead on a small machine */
#define TESTS_COUNT 64

/* On machines of at most this many nodes the coordinates are tabulated. */
#define SMALL 1024

const struct torus_option_help torus_score_options[] = {
	{ "contact", "on|off", "on",
	  "prefer places that touch other jobs and open edges" },
	{ "ends", "on|off", "on",
	  "give contact with jobs that end at the same time more weight" },
	{ "look", "on|off", "on",
	  "prefer the orientation that delays a random next shape least (up to 32768 nodes)" },
	{ NULL, NULL, NULL, NULL },
};

_Static_assert(TORUS_SCORE_HOLDS <= TORUS_CONTACT_MOST &&
		       TORUS_SCORE_HOLDS <= TORUS_LOOKAHEAD_HOLDS,
	       "room for each hold");

struct torus_score {
	const struct torus *torus;
	bool contact, ends;
	bool open;                         /* some dimension does not wrap */
	struct torus_lookahead *lookahead; /* NULL: off */
	bool ready; /* the holds of this search are listed */
	uint32_t words;

	const struct torus_state *state;
	uint32_t pod;

	struct torus_near near[TORUS_SCORE_HOLDS]; /* by end */
	int64_t weight[TORUS_SCORE_HOLDS];         /* -1: not computed */
	/* regions on the pod's grid */
	struct torus_region seen[TORUS_SCORE_HOLDS];
	int64_t scale; /* scale of the gaps between ends */
	bool timed;    /* end times count */
	uint32_t holds;
	int64_t edge;           /* weight of open edges */
	int64_t now_us, end_us; /* of the ask */
	bool by_count;
	const uint64_t *usable;
	const struct torus_free_boxes *boxes; /* maximal boxes of the usable
						 nodes; NULL: unknown */
	bool boxes_exact;    /* all nodes of the boxes are usable */
	bool rings_whole;    /* bases of a covered dimension: a ring or none */
	uint32_t most_tests; /* maximum of tests per orientation */
	uint32_t tests;      /* remaining tests of all orientations */

	struct torus_contact *near_boxes; /* the regions of near[] */

	struct torus_erode *erode; /* NULL: no contact */
	uint64_t *memory;
	uint64_t *corner, *stops, *ring, *spare; /* maps of bases */
	uint64_t *at_zero;        /* corners with coordinate 0 where covered */
	const uint64_t *doubtful; /* corners that is_corner() must test */
	uint64_t *zero[TORUS_MAX_DIMS]; /* nodes with coordinate 0, if it wraps */
	bool ringed[TORUS_MAX_DIMS];    /* a corner may be none: is_corner() */
	uint64_t *flush[TORUS_MAX_DIMS]; /* coordinates flush with a hold */
	uint16_t *coord; /* coordinates of every node on small machines,
			    where a division costs more than the lookup;
			    NULL: use torus_coord() */
};

static bool is_on(const struct torus_options *options, const char *key)
{
	const char *value = torus_options_get(options, key);

	return !value || strcmp(value, "on") == 0;
}

static inline void score_coord_of(const struct torus_score *s, uint32_t node,
				  uint32_t *x)
{
	uint32_t dims = s->torus->dims;

	if (!s->coord) {
		torus_coord(s->torus, node, x);
		return;
	}
	for (uint32_t d = 0; d < dims; d++)
		x[d] = s->coord[node * dims + d];
}

/* Create the maps for the corners. Return false without memory. */
static bool score_create_maps(struct torus_score *s)
{
	uint32_t used = 5 * s->words, words = used;
	uint32_t x[TORUS_MAX_DIMS], dims;

	for (uint32_t d = 0; d < s->torus->dims; d++)
		words += torus_bits_words(s->torus->size[d]) +
			 (s->torus->wrap[d] ? s->words : 0);
	s->memory = torus_alloc(words, sizeof(*s->memory));
	s->erode = torus_erode_create(s->torus);
	s->near_boxes = torus_contact_create(s->torus);
	if (s->torus->nodes <= SMALL)
		s->coord = torus_alloc((size_t)s->torus->nodes * s->torus->dims,
				       sizeof(*s->coord));
	if (!s->memory || !s->erode || !s->near_boxes ||
	    (!s->coord && s->torus->nodes <= SMALL))
		return false;
	dims = s->torus->dims;
	for (uint32_t i = 0; s->coord && i < s->torus->nodes; i++) {
		torus_coord(s->torus, i, x);
		for (uint32_t d = 0; d < dims; d++)
			s->coord[i * dims + d] = (uint16_t)x[d];
	}
	s->corner = s->memory;
	s->stops = s->corner + s->words;
	s->ring = s->stops + s->words;
	s->spare = s->ring + s->words;
	s->at_zero = s->spare + s->words;
	for (uint32_t d = 0; d < s->torus->dims; d++) {
		uint32_t block;

		s->flush[d] = s->memory + used;
		used += torus_bits_words(s->torus->size[d]);
		if (!s->torus->wrap[d])
			continue;
		s->zero[d] = s->memory + used;
		used += s->words;
		/* Set the nodes whose coordinate along d is 0. */
		block = s->torus->stride[d] * s->torus->size[d];
		for (uint32_t i = 0; i < s->torus->nodes; i += block)
			torus_bits_set_range(s->zero[d], i, s->torus->stride[d]);
	}
	return true;
}

struct torus_score *torus_score_create(const struct torus *t,
				       const struct torus_options *options)
{
	struct torus_score *s = torus_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->torus = t;
	s->contact = is_on(options, "contact");
	s->ends = is_on(options, "ends");
	s->words = torus_bits_words(t->nodes);
	for (uint32_t d = 0; d < t->dims; d++)
		s->open |= !t->wrap[d];
	if (s->contact && !score_create_maps(s))
		goto error;
	if (is_on(options, "look") && t->nodes <= TORUS_SCORE_LOOKAHEAD) {
		s->lookahead = torus_lookahead_create(t);
		if (!s->lookahead)
			goto error;
	}
	return s;
error:
	torus_score_destroy(s);
	return NULL;
}

void torus_score_destroy(struct torus_score *s)
{
	if (!s)
		return;
	torus_lookahead_destroy(s->lookahead);
	torus_erode_destroy(s->erode);
	torus_contact_destroy(s->near_boxes);
	torus_free(s->memory);
	torus_free(s->coord);
	torus_free(s);
}

void torus_score_see(struct torus_score *s, const struct torus_state *state,
		     uint32_t pod)
{
	s->state = state;
	s->pod = pod;
}

/* List the holds that are busy in this question, by end. Return the sum of
 * their known lengths, 0 if ends do not count. */
static int64_t score_gather(struct torus_score *s)
{
	const struct torus_pod *pod =
		&torus_state_machine(s->state)->pod[s->pod];
	uint32_t n = torus_state_holds(s->state);
	int64_t sum = 0;

	s->holds = 0;
	if (s->near_boxes)
		torus_contact_clear(s->near_boxes);
	for (uint32_t k = 0; k < n; k++) {
		const struct torus_hold *h =
			torus_state_hold(s->state,
					 torus_state_by_end(s->state, k));
		const struct torus_placement *place = &h->place;
		const struct torus_region *region = &place->region;

		if (place->pod != s->pod || place->scattered)
			continue;
		if (pod->cell_nodes > 1) {
			torus_grid_cover(pod, region, &s->seen[s->holds]);
			region = &s->seen[s->holds];
		}
		if (torus_bits_test(s->usable,
				    torus_index(s->torus, region->base)))
			continue;
		if (s->near_boxes)
			torus_contact_add(s->near_boxes, region);
		s->weight[s->holds] = -1;
		s->near[s->holds++] = (struct torus_near){ .region = region,
							   .end_us = h->end_us };
		if (s->timed && h->end_us != INT64_MAX)
			sum += (h->end_us - h->start_us) / n;
	}
	return sum;
}

/* Return the part of `whole` that is lost if the ends lie `gap` apart. */
static int64_t score_lost_contact(int64_t whole, int64_t gap, int64_t scale)
{
	return (int64_t)((double)whole * (double)gap /
			 ((double)gap + (double)scale));
}

/* Return the weight of contact with hold i, computed on first use. A quarter of
 * a running job's mean length is half of a job's: longer jobs are more likely
 * to be observed running. */
static int64_t score_weight(struct torus_score *s, uint32_t i)
{
	int64_t end = s->near[i].end_us, me = s->end_us;

	if (s->weight[i] >= 0)
		return s->weight[i];
	if (!s->timed)
		s->weight[i] = ONE;
	else if (end == INT64_MAX)
		s->weight[i] = ONE - LATE;
	else if (end < me)
		s->weight[i] = ONE - score_lost_contact(ONE, me - end, s->scale);
	else
		s->weight[i] = ONE -
			       score_lost_contact(LATE, end - me, s->scale);
	return s->weight[i];
}

/* Return true if the look-ahead applies to this search. */
static bool score_looks_ahead(const struct torus_score *s)
{
	return s->lookahead && !s->by_count && s->end_us != INT64_MAX;
}

bool torus_score_begin(struct torus_score *s, const struct torus_ask *ask,
		       const uint64_t *usable)
{
	if (ask->any_place || !s->state || (!s->contact && !s->lookahead) ||
	    torus_state_holds(s->state) > TORUS_SCORE_HOLDS)
		return false;
	if (torus_state_holds(s->state) == 0 && !s->open)
		return false;
	s->ready = false;
	s->by_count = ask->by_count;
	s->now_us = ask->now_us;
	s->end_us = ask->by_count ? INT64_MAX : ask->end_us;
	s->usable = usable;
	s->boxes = ask->boxes;
	s->boxes_exact = ask->boxes_exact;
	s->rings_whole = !ask->links && !ask->required;
	s->most_tests = ask->by_count                    ? TESTS_COUNT :
			s->coord && score_looks_ahead(s) ? TESTS_LOOKAHEAD :
							   TESTS_SHAPE;
	s->tests = ORIENTATIONS * s->most_tests;
	return true;
}

/* List the holds when the first place is found: most searches fail. */
static void score_prepare(struct torus_score *s)
{
	if (s->ready)
		return;
	s->ready = true;
	s->timed = s->ends && s->end_us != INT64_MAX;
	s->edge = s->timed ? ONE / 2 : ONE;
	s->scale = score_gather(s) / 4 + 1;
}

/* A box to be placed. */
struct score_box {
	const uint32_t *extent;
	int64_t face[TORUS_MAX_DIMS]; /* nodes of one face */
};

/* Return the total contact of the box at x. */
static int64_t contact_at(struct torus_score *s, const struct score_box *box,
			  const uint32_t *x)
{
	const struct torus *t = s->torus;
	const int32_t *surface;
	int64_t sum = 0;

	for (uint32_t d = 0; d < t->dims && s->open; d++) {
		if (!t->wrap[d])
			sum += ((x[d] == 0) +
				(x[d] + box->extent[d] == t->size[d])) *
			       box->face[d] * s->edge;
	}
	surface = torus_contact_of(s->near_boxes, x, box->extent);
	for (uint32_t i = 0; i < s->holds; i++) {
		if (surface[i])
			sum += surface[i] * score_weight(s, i);
	}
	return sum;
}

/* Return x - e on a ring of n. */
static inline uint32_t score_step_back(uint32_t x, uint32_t e, uint32_t n)
{
	return x < e ? x + n - e : x - e;
}

/* Mark the coordinates at which the box would be flush with a hold along d,
 * outside or inside of it; all, if there are more holds than coordinates. */
static void mark_flush(struct torus_score *s, uint32_t d, uint32_t e)
{
	uint32_t n = s->torus->size[d];

	torus_bits_zero(s->flush[d], torus_bits_words(n));
	if (s->holds >= n) {
		torus_bits_set_range(s->flush[d], 0, n);
		return;
	}
	for (uint32_t i = 0; i < s->holds; i++) {
		const struct torus_region *r = s->near[i].region;
		uint32_t c = r->base[d], end;

		if (r->extent[d] == n)
			continue;
		end = c + r->extent[d] - (c + r->extent[d] < n ? 0 : n);
		torus_bits_set(s->flush[d], c);
		torus_bits_set(s->flush[d], end);
		torus_bits_set(s->flush[d], score_step_back(c, e, n));
		torus_bits_set(s->flush[d], score_step_back(end, e, n));
	}
}

/* Return true if bases of these extents may form a ring along d. The nodes that
 * they cover are then a free box. */
static bool score_may_ring(const struct torus_score *s, uint32_t d,
			   const uint32_t *extent)
{
	uint32_t whole[TORUS_MAX_DIMS];

	if (!s->torus->wrap[d])
		return false;
	memcpy(whole, extent, s->torus->dims * sizeof(*whole));
	whole[d] = s->torus->size[d];
	return torus_free_boxes_hold(s->boxes, whole, s->torus->dims, 1);
}

/* Set s->corner to the bases that end a run along every dimension, or lie in a
 * ring of bases. Set s->doubtful to those that is_corner() must test. */
static void find_corners(struct torus_score *s, const uint64_t *bases,
			 const uint32_t *extent)
{
	const struct torus *t = s->torus;

	torus_bits_copy(s->corner, bases, s->words);
	for (uint32_t d = 0; d < t->dims; d++) {
		s->ringed[d] = t->wrap[d];
		if (extent[d] == t->size[d])
			continue;
		torus_erode_ends(s->erode, d, bases, s->stops);
		/* Along a wrapped dimension, keep corners that lie in a ring of bases;
		 * is_corner() filters them later. */
		s->ringed[d] = false;
		if (score_may_ring(s, d, extent) &&
		    !torus_bits_subset(s->corner, s->stops, s->words) &&
		    torus_erode_runs(s->erode, d, 1, s->torus->size[d], bases,
				     s->ring, s->spare)) {
			s->ringed[d] = true;
			mark_flush(s, d, extent[d]);
			torus_bits_or(s->stops, s->ring, s->words);
		}
		torus_bits_and(s->corner, s->corner, s->stops, s->words);
	}
	s->doubtful = s->corner;
	for (uint32_t d = 0; d < t->dims && s->rings_whole; d++) {
		if (!t->wrap[d] || extent[d] < t->size[d])
			continue;
		torus_bits_and(s->at_zero, s->doubtful, s->zero[d], s->words);
		s->doubtful = s->at_zero;
	}
}

/* In a ring of bases, only a base flush with a hold or next to an unusable node
 * is a corner. A dimension that is covered completely has one base, 0, or the
 * base behind a dead link. */
static bool is_corner(const struct torus_score *s, const uint64_t *bases,
		      const uint32_t *extent, const uint32_t *x, uint32_t at)
{
	const struct torus *t = s->torus;

	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t n = t->size[d], step = t->stride[d];

		if (!s->ringed[d])
			continue;
		if (extent[d] == n) {
			if (x[d] > 0 && torus_bits_test(bases, at - x[d] * step))
				return false;
			continue;
		}
		if (!torus_bits_test(s->flush[d], x[d]) &&
		    torus_bits_test(bases, x[d] + 1 < n ? at + step :
							  at - (n - 1) * step) &&
		    torus_bits_test(bases,
				    x[d] > 0 ? at - step : at + (n - 1) * step))
			return false;
	}
	return true;
}

/* Return the number of tests after n corners that are none: each is one test,
 * up to the limit. */
static uint32_t tests_skip(const struct torus_score *s, uint32_t tests,
			   uint32_t n)
{
	return n < s->most_tests - tests ? tests + n : s->most_tests;
}

static uint32_t best_corner(struct torus_score *s, const uint64_t *bases,
			    const struct score_box *box, int64_t *contact)
{
	uint32_t best = UINT32_MAX, tests = 0, x[TORUS_MAX_DIMS];

	for (uint32_t w = 0; w < s->words && tests < s->most_tests; w++) {
		uint64_t left = s->corner[w];

		if (!left)
			continue;
		for (uint64_t doubtful = s->doubtful[w]; doubtful;
		     doubtful &= doubtful - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(doubtful);
			uint32_t at = w * 64 + bit;
			uint64_t skipped = left & torus_bits_low(bit);
			int64_t sum;

			tests = tests_skip(s, tests, torus_bits_ones(skipped));
			if (tests == s->most_tests)
				break;
			left &= ~torus_bits_low(bit + 1);
			tests++;
			score_coord_of(s, at, x);
			if (is_corner(s, bases, box->extent, x, at)) {
				sum = contact_at(s, box, x);
				tests += s->holds;
				if (sum > *contact) {
					*contact = sum;
					best = at;
				}
			}
			if (tests >= s->most_tests)
				break;
		}
		if (left && tests < s->most_tests)
			tests = tests_skip(s, tests, torus_bits_ones(left));
	}
	s->tests -= tests < s->tests ? tests : s->tests;
	return best;
}

uint32_t torus_score_base(struct torus_score *s, const uint64_t *bases,
			  const uint32_t *extent, int64_t *contact)
{
	uint32_t at, first = torus_bits_next(bases, s->words, 0);
	struct score_box box = { .extent = extent };
	int64_t volume = 1;

	*contact = 0;
	if (!s->contact)
		return first;
	score_prepare(s);
	for (uint32_t d = 0; d < s->torus->dims; d++)
		volume *= extent[d];
	for (uint32_t d = 0; d < s->torus->dims; d++)
		box.face[d] = volume / extent[d];
	find_corners(s, bases, extent);
	*contact = -1;
	at = best_corner(s, bases, &box, contact);
	if (at == UINT32_MAX) {
		*contact = 0;
		return first;
	}
	return at;
}

bool torus_score_spent(const struct torus_score *s)
{
	return s->tests == 0;
}

uint32_t torus_score_choose(struct torus_score *s,
			    const struct torus_score_place *place, uint32_t n)
{
	int64_t least = INT64_MAX;
	uint32_t best = 0;

	if (n == 1 || !score_looks_ahead(s))
		return 0;
	score_prepare(s);
	if (!torus_lookahead_begin(s->lookahead,
				   s->boxes_exact ? NULL : s->usable, s->now_us,
				   s->near, s->holds))
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		struct torus_near here = { .region = &place[i].region,
					   .end_us = s->end_us };
		int64_t delay = torus_lookahead_delay(s->lookahead, &here,
						      least);

		if (delay < least) {
			least = delay;
			best = i;
		}
	}
	return best;
}
