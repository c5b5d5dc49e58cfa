/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates and shapes added to jobs (vary.h): words, streams, estimates.
 * O(1) per job beside the shape. */
#include "trace/vary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "request/words.h"

/* Read a number above `least` after "word:". */
static bool factor_read(const char *text, const char *word, double least,
			double *factor)
{
	size_t length = strlen(word);
	char *end;

	if (strncmp(text, word, length) || text[length] != ':')
		return false;
	text += length + 1;
	if (!*text || strspn(text, "0123456789.") != strlen(text))
		return false;
	*factor = strtod(text, &end);
	return !*end && *factor >= least && *factor <= 1e6;
}

int torus_vary_estimates(struct torus_vary *vary, const char *text,
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

int torus_vary_shapes(struct torus_vary *vary, const char *text,
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

void torus_vary_seed(struct torus_vary *vary, uint64_t seed,
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

static void estimate_draw(struct torus_vary *vary,
			  struct torus_trace_record *record)
{
	const double most = (double)TORUS_TRACE_MAX_SECONDS * 1e6;
	double factor = vary->factor, us;

	record->limit_us = record->run_us;
	if (vary->estimates == TORUS_ESTIMATES_EXACT)
		return;
	if (vary->estimates != TORUS_ESTIMATES_FACTOR)
		factor = 1 + factor * torus_random_unit(&vary->estimate_random);
	us = (double)record->run_us * factor;
	if (vary->estimates == TORUS_ESTIMATES_ROUND)
		us = round_up(us);
	record->limit_us = us < most ? (int64_t)llround(us) : (int64_t)most;
}

static void shape_draw(struct torus_vary *vary,
		       struct torus_trace_record *record)
{
	uint32_t n = record->requested ? record->requested : record->used;
	struct torus_ask *ask = &vary->request.alternative[0].ask;
	struct torus_shape shape;

	if (!torus_vary_shape(vary, n, &shape)) {
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

void torus_vary_apply(struct torus_vary *vary, struct torus_trace_record *record)
{
	if (vary->estimates != TORUS_ESTIMATES_KEPT)
		estimate_draw(vary, record);
	if (vary->shapes != TORUS_SHAPES_KEPT && !record->shaped)
		shape_draw(vary, record);
}
