/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates and shapes added to jobs (augment.h). O(1) per job beside the shape.
 *
 * The boxes of n nodes on a machine: sides are tried largest first, each a divisor
 * of the remaining nodes and within the machine's sizes, so each set of sides
 * occurs once. Sorted sides fit in some orientation if and only if each is at most
 * the machine's size of the same rank:
 *
 *	machine 8x4x2, sorted		8 4 2
 *	12 nodes			6 2 1, 4 3 1, 3 2 2
 *
 * Two passes: the sum of the weights, then the box selected by the random number,
 * one per job whatever the outcome. Cost O(sides to the power of the dimensions),
 * in practice some microseconds.
 */
#include "torus/number.h"
#include "trace/models/augment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "request/quote.h"

/* Read a number above `least` after "word:". */
static bool factor_read(const char *text, const char *word, double least,
			double *factor)
{
	size_t length = strlen(word);

	if (strncmp(text, word, length) || text[length] != ':')
		return false;
	return torus_number_decimal(text + length + 1, factor) &&
	       *factor >= least && *factor <= 1e6;
}

int torus_augment_estimates(struct torus_augment *vary, const char *text,
			    struct torus_error *err)
{
	struct torus_quote quote;

	if (!strcmp(text, "exact"))
		vary->estimates = TORUS_ESTIMATES_EXACT;
	else if (factor_read(text, "factor", 1e-6, &vary->factor))
		vary->estimates = TORUS_ESTIMATES_FACTOR;
	else if (factor_read(text, "uniform", 0, &vary->factor))
		vary->estimates = TORUS_ESTIMATES_UNIFORM;
	else if (factor_read(text, "round", 0, &vary->factor))
		vary->estimates = TORUS_ESTIMATES_ROUND;
	else
		return torus_error_add(err,
				       "--estimate-error: got \"%s\", "
				       "expected exact, factor:F, uniform:F or "
				       "round:F with a number F, for example uniform:3",
				       torus_quote(&quote, text, strlen(text)));
	return 0;
}

int torus_augment_shapes(struct torus_augment *vary, const char *text,
			 struct torus_error *err)
{
	static const char *const words[] = { "compact", "uniform", "weighted" };
	const size_t n = sizeof(words) / sizeof(*words);
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(text, words[i])) {
			vary->shapes = TORUS_SHAPES_COMPACT +
				       (enum torus_shapes)i;
			return 0;
		}
	return torus_unknown_word(err, "--shapes", "way to draw shapes", text,
				  words, n);
}

void torus_augment_seed(struct torus_augment *vary, uint64_t seed,
			uint32_t replication)
{
	torus_random_init(&vary->estimate_random, seed, replication,
			  TORUS_PURPOSE_ESTIMATES);
	torus_random_init(&vary->shape_random, seed, replication,
			  TORUS_PURPOSE_SHAPES);
}

/* Return the next round estimate, in microseconds. */
static double round_up(double us)
{
	static const uint16_t minutes[] = {
		1,   5,   10,  15,  20,  30,  60,   120,  180,  240,
		300, 360, 480, 600, 720, 900, 1080, 1440, 2160, 2880,
	};
	const double minute = 60e6, day = 1440 * minute;

	for (size_t i = 0; i < sizeof(minutes) / sizeof(*minutes); i++) {
		if (us <= minutes[i] * minute)
			return minutes[i] * minute;
	}
	return ceil(us / day) * day;
}

/* Shapes */

struct walk {
	uint32_t dims;
	uint32_t most[TORUS_MAX_DIMS]; /* the machine's sizes, largest first */
	enum torus_shapes way;
	uint32_t nodes;
	uint32_t side[TORUS_MAX_DIMS];
	double sum;    /* of weights so far */
	double stop;   /* take the first that reaches this sum */
	uint64_t best; /* compact: the smallest surface */
	bool taken;
	struct torus_shape *out;
};

static void shapes_take(struct walk *w)
{
	uint32_t d;

	*w->out = (struct torus_shape){ .axes = w->dims };
	for (d = 0; d < w->dims; d++)
		w->out->extent[d] = w->side[d];
	torus_shape_squeeze(w->out);
	w->taken = true;
}

static void shapes_candidate(struct walk *w)
{
	uint64_t s = 0;
	uint32_t d;

	/* Count each pair of sides once. */
	for (d = 0; d < w->dims; d++)
		s += w->nodes / w->side[d];
	if (w->way == TORUS_SHAPES_COMPACT) {
		if (s >= w->best)
			return;
		w->best = s;
		shapes_take(w);
		return;
	}
	w->sum += w->way == TORUS_SHAPES_WEIGHTED ? 1 / (double)s : 1;
	if (w->sum >= w->stop && !w->taken)
		shapes_take(w);
}

/* Choose sides d and on for the remaining nodes. */
static void shapes_descend(struct walk *w, uint32_t d, uint32_t left)
{
	uint32_t side = d && w->side[d - 1] < w->most[d] ? w->side[d - 1] :
							   w->most[d];

	if (side > left)
		side = left;
	for (; side >= 1; side--) {
		if (left % side)
			continue;
		w->side[d] = side;
		/* the second bound helps compilers that unroll the recursion */
		if (d + 1 < w->dims && d + 1 < TORUS_MAX_DIMS)
			shapes_descend(w, d + 1, left / side);
		else if (left == side)
			shapes_candidate(w);
		if (side == 1)
			break;
	}
}

bool torus_augment_shape(struct torus_augment *vary, uint32_t n,
			 struct torus_shape *shape)
{
	double u = torus_random_unit(&vary->shape_random);
	struct walk w = { .way = vary->shapes,
			  .nodes = n,
			  .best = UINT64_MAX,
			  .stop = 1e300,
			  .out = shape };
	uint32_t i, k;

	if (n < 1 || n > vary->torus.nodes || vary->torus.flat)
		return false;
	for (i = 0; i < vary->torus.dims; i++) {
		for (k = i; k && w.most[k - 1] < vary->torus.size[i]; k--)
			w.most[k] = w.most[k - 1];
		w.most[k] = vary->torus.size[i];
	}
	w.dims = vary->torus.dims;
	shapes_descend(&w, 0, n);
	if (w.way == TORUS_SHAPES_COMPACT || !(w.sum > 0))
		return w.taken;
	/* at most the sum, despite rounding */
	w.stop = u * w.sum;
	w.sum = 0;
	shapes_descend(&w, 0, n);
	return w.taken;
}

static void shape_draw(struct torus_augment *vary,
		       struct torus_trace_record *record)
{
	uint32_t n = record->requested ? record->requested : record->used;
	struct torus_ask *ask = &vary->request.alternative[0].ask;
	struct torus_shape shape;

	if (!torus_augment_shape(vary, n, &shape)) {
		vary->counts++;
		return;
	}
	torus_request_count(&vary->request, n);
	ask->by_count = false;
	ask->count = 0;
	ask->shape = shape;
	record->requested = record->used = n;
	record->shaped = true;
	record->request = &vary->request;
}

void torus_augment_apply(struct torus_augment *vary,
			 struct torus_trace_record *record)
{
	if (vary->estimates != TORUS_ESTIMATES_KEPT) {
		const double most = (double)TORUS_TRACE_MAX_SECONDS * 1e6;
		double factor = vary->factor, us;

		record->limit_us = record->run_us;
		if (vary->estimates != TORUS_ESTIMATES_EXACT) {
			if (vary->estimates != TORUS_ESTIMATES_FACTOR)
				factor = 1 +
					 factor *
						 torus_random_unit(
							 &vary->estimate_random);
			us = (double)record->run_us * factor;
			if (vary->estimates == TORUS_ESTIMATES_ROUND)
				us = round_up(us);
			record->limit_us = us < most ? (int64_t)llround(us) :
						       (int64_t)most;
		}
	}
	if (vary->shapes != TORUS_SHAPES_KEPT && !record->shaped)
		shape_draw(vary, record);
}
