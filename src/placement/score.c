/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact and ends (score.h).
 *
 * The contact of a box at p with a hold is separable. Per dimension, let o be
 * the overlap of the two arcs and f how many of the box's two faces lie flush
 * against the hold; then the shared surface is the sum over the dimensions of
 * f times the overlaps in all others. Going through the dimensions from the
 * last to the first,
 *
 *     overlap' = overlap x o        surface' = surface x o + overlap x f
 *
 * is worked out once per plane, row and so on; holds for which both are 0
 * drop out, and rows without a base are not visited.
 */
#include "placement/score.h"

#include "placement/look.h"
#include "torus/alloc.h"

#define ONE 256       /* the weight of full contact */
#define LATE (ONE / 5) /* lost by a neighbour that ends much later */

/* Row x hold pairs worked out per orientation of a shape; for a node count,
 * where one extent is chosen already and traces ask by the 100,000. */
#define TESTS_SHAPE 2048
#define TESTS_COUNT 64

const struct torus_option_help torus_score_options[] = {
	{ "contact", "on|off", "on",
	  "prefer places that touch other jobs and open edges" },
	{ "ends", "on|off", "on",
	  "count contact with jobs that end together more" },
	{ "look", "on|off", "on",
	  "prefer the orientation that delays a random next shape least (up to 1024 nodes)" },
	{ NULL, NULL, NULL, NULL },
};

/* What remains of a hold at one level of the walk. */
struct share {
	uint32_t hold;
	int64_t overlap, surface;
};

struct torus_score {
	const struct torus *torus;
	bool contact, ends;
	bool open; /* some dimension does not wrap */
	struct torus_look *look; /* NULL: off */
	bool ready; /* the holds of this search are listed */
	uint32_t words;

	const struct torus_state *state;
	uint32_t pod;

	struct torus_near near[TORUS_SCORE_HOLDS]; /* by end */
	int64_t weight[TORUS_SCORE_HOLDS];
	uint32_t holds;
	int64_t edge; /* weight of open edges */
	int64_t now_us, end_us; /* of the ask */
	bool by_count;
	const uint64_t *usable;
	uint32_t most_tests;

	struct share share[TORUS_MAX_DIMS + 1][TORUS_SCORE_HOLDS];
};

static bool is_on(const struct torus_options *options, const char *key)
{
	const char *value = torus_options_get(options, key);

	return !value || strcmp(value, "on") == 0;
}

static struct torus_score *create(const struct torus *t, bool contact,
				  bool ends, bool look)
{
	struct torus_score *s = torus_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->torus = t;
	s->contact = contact;
	s->ends = ends;
	s->words = torus_bits_words(t->nodes);
	for (uint32_t d = 0; d < t->dims; d++)
		s->open |= !t->wrap[d];
	if (look && t->nodes <= TORUS_SCORE_LOOK) {
		s->look = torus_look_create(t);
		if (!s->look) {
			torus_score_destroy(s);
			return NULL;
		}
	}
	return s;
}

struct torus_score *torus_score_create(const struct torus *t,
				       const struct torus_options *options)
{
	return create(t, is_on(options, "contact"), is_on(options, "ends"),
		      is_on(options, "look"));
}

struct torus_score *torus_score_copy(const struct torus_score *s)
{
	return create(s->torus, s->contact, s->ends, s->look != NULL);
}

void torus_score_destroy(struct torus_score *s)
{
	if (!s)
		return;
	torus_look_destroy(s->look);
	torus_free(s);
}

void torus_score_see(struct torus_score *s, const struct torus_state *state,
		     uint32_t pod)
{
	s->state = state;
	s->pod = pod;
}

/* List the holds that this question sees, by end. Returns the sum of their
 * lengths, as far as known. */
static int64_t gather(struct torus_score *s)
{
	uint32_t n = torus_state_holds(s->state);
	int64_t sum = 0;

	s->holds = 0;
	for (uint32_t k = 0; k < n; k++) {
		const struct torus_hold *h = torus_state_hold(
			s->state, torus_state_by_end(s->state, k));
		const struct torus_placement *place = &h->place;

		if (place->pod != s->pod || place->scattered ||
		    torus_bits_test(s->usable,
				    torus_index(s->torus, place->region.base)))
			continue;
		s->near[s->holds++] = (struct torus_near){
			.region = &place->region, .end_us = h->end_us
		};
		if (h->end_us != INT64_MAX)
			sum += (h->end_us - h->start_us) / n;
	}
	return sum;
}

/* Part of `whole` that is lost when the ends lie `gap` apart. */
static int64_t lost(int64_t whole, int64_t gap, int64_t scale)
{
	return (int64_t)((double)whole * (double)gap /
			 ((double)gap + (double)scale));
}

/* A quarter of a running job's mean length is half of a job's: the longer a
 * job, the likelier it is seen. */
static void weigh(struct torus_score *s, int64_t mean_us)
{
	int64_t scale = mean_us / 4 + 1, me = s->end_us;
	bool ends = s->ends && me != INT64_MAX;

	s->edge = ends ? ONE / 2 : ONE;
	for (uint32_t i = 0; i < s->holds; i++) {
		int64_t end = s->near[i].end_us;

		s->weight[i] = ONE;
		if (!ends)
			continue;
		if (end == INT64_MAX)
			s->weight[i] -= LATE;
		else if (end < me)
			s->weight[i] -= lost(ONE, me - end, scale);
		else
			s->weight[i] -= lost(LATE, end - me, scale);
	}
}

bool torus_score_begin(struct torus_score *s, const struct torus_ask *ask,
		       const uint64_t *usable)
{
	if (!s->state || (!s->contact && !s->look) ||
	    torus_state_holds(s->state) > TORUS_SCORE_HOLDS)
		return false;
	if (torus_state_holds(s->state) == 0 && !s->open)
		return false;
	s->ready = false;
	s->by_count = ask->by_count;
	s->now_us = ask->now_us;
	s->end_us = ask->by_count ? INT64_MAX : ask->end_us;
	s->usable = usable;
	s->most_tests = ask->by_count ? TESTS_COUNT : TESTS_SHAPE;
	return true;
}

/* Most searches fail; so the holds are listed when the first place is found. */
static void prepare(struct torus_score *s)
{
	if (s->ready)
		return;
	s->ready = true;
	weigh(s, gather(s));
}

/* Overlap of the arcs [x, x + e) and [c, c + f) on n nodes. */
static uint32_t overlap(uint32_t x, uint32_t e, uint32_t c, uint32_t f,
			uint32_t n, bool wrap)
{
	uint32_t ahead = c >= x ? c - x : wrap ? c + n - x : 0;
	uint32_t common = 0;

	if (!wrap) {
		uint32_t low = c > x ? c : x;
		uint32_t high = c + f < x + e ? c + f : x + e;

		return high > low ? high - low : 0;
	}
	if (ahead < e)
		common = e - ahead < f ? e - ahead : f;
	if (ahead + f > n)
		common += ahead + f - n < e ? ahead + f - n : e;
	return common;
}

/* Faces of [x, x + e) that lie flush against [c, c + f). */
static uint32_t flush(uint32_t x, uint32_t e, uint32_t c, uint32_t f,
		      uint32_t n, bool wrap)
{
	if (!wrap)
		return (x + e == c) + (c + f == x);
	if (e == n || f == n)
		return 0;
	return (x + e == c || x + e == c + n) + (c + f == x || c + f == x + n);
}

/* A walk over the bases. */
struct walk {
	struct torus_score *s;
	const uint64_t *bases;
	const uint32_t *extent;
	int64_t volume;
	uint32_t tests;
	uint32_t base; /* the best so far */
	int64_t best;  /* -1: none */
};

/* Shares at coordinate x of dimension d, from those of d + 1. */
static uint32_t narrow(struct walk *w, uint32_t d, uint32_t x, uint32_t n)
{
	struct torus_score *s = w->s;
	const struct torus *t = s->torus;
	const struct share *from = s->share[d + 1];
	struct share *to = s->share[d];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct torus_region *r = s->near[from[i].hold].region;
		int64_t o = overlap(x, w->extent[d], r->base[d], r->extent[d],
				    t->size[d], t->wrap[d]);
		int64_t f = flush(x, w->extent[d], r->base[d], r->extent[d],
				  t->size[d], t->wrap[d]);

		to[kept].hold = from[i].hold;
		to[kept].overlap = from[i].overlap * o;
		to[kept].surface = from[i].surface * o + from[i].overlap * f;
		kept += to[kept].overlap || to[kept].surface;
	}
	w->tests += n + 1;
	return kept;
}

/* Surface at open edges in dimension d. */
static int64_t edge(const struct walk *w, uint32_t d, uint32_t x)
{
	const struct torus *t = w->s->torus;

	if (t->wrap[d])
		return 0;
	return ((x == 0) + (x + w->extent[d] == t->size[d])) *
	       (w->volume / w->extent[d]) * w->s->edge;
}

static void note_base(struct walk *w, uint32_t base, int64_t edges, uint32_t n)
{
	const struct share *share = w->s->share[0];
	int64_t sum = edges;

	for (uint32_t i = 0; i < n; i++)
		sum += share[i].surface * w->s->weight[share[i].hold];
	if (sum > w->best) {
		w->best = sum;
		w->base = base;
	}
}

/* Bases whose index begins at `first`, dimensions up to d still free; n
 * shares stand at level d + 1. False: enough tests. */
static bool visit(struct walk *w, uint32_t d, uint32_t first, int64_t edges,
		  uint32_t n)
{
	const struct torus *t = w->s->torus;
	bool whole = t->wrap[d] && w->extent[d] == t->size[d];
	uint32_t last = whole ? 1 : t->size[d];

	for (uint32_t x = 0; x < last; x++) {
		uint32_t at = first + x * t->stride[d], kept;
		int64_t more = edges + edge(w, d, x);

		if (!torus_bits_any_range(w->bases, at, t->stride[d]))
			continue;
		if (w->tests > w->s->most_tests && w->best >= 0)
			return false;
		kept = narrow(w, d, x, n);
		if (d == 0)
			note_base(w, at, more, kept);
		else if (!visit(w, d - 1, at, more, kept))
			return false;
	}
	return true;
}

uint32_t torus_score_base(struct torus_score *s, const uint64_t *bases,
			  const uint32_t *extent, int64_t *contact)
{
	struct walk w = { .s = s, .bases = bases, .extent = extent,
			  .volume = 1, .best = -1 };
	uint32_t dims = s->torus->dims;

	*contact = 0;
	if (!s->contact)
		return torus_bits_next(bases, s->words, 0);
	prepare(s);
	for (uint32_t d = 0; d < dims; d++)
		w.volume *= extent[d];
	for (uint32_t i = 0; i < s->holds; i++)
		s->share[dims][i] = (struct share){ .hold = i, .overlap = 1 };
	visit(&w, dims - 1, 0, 0, s->holds);
	*contact = w.best;
	return w.base;
}

uint32_t torus_score_choose(struct torus_score *s,
			    const struct torus_score_place *place, uint32_t n)
{
	int64_t least = INT64_MAX;
	uint32_t best = 0;

	if (!s->look || s->by_count || s->end_us == INT64_MAX || n == 1)
		return 0;
	prepare(s);
	for (uint32_t i = 0; i < n; i++) {
		int64_t delay = torus_look_delay(s->look, s->usable,
						 &place[i].region, s->now_us,
						 s->end_us, s->near, s->holds);

		if (delay < least) {
			least = delay;
			best = i;
		}
	}
	return best;
}
