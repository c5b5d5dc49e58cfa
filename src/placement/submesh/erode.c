/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of free nodes (erode.h). */
#include "placement/submesh/erode_words.h"

#include "torus/alloc.h"

/* From runs(have) to runs(want). */
struct erode_run {
	uint32_t have, want;
};

struct torus_erode {
	uint32_t words;
	/* torus_erode_runs() for the current processor */
	bool (*runs)(const struct erode_line *a, uint32_t words,
		     struct erode_run r, const uint64_t *in, uint64_t *out,
		     uint64_t *spare);
	/* torus_erode_and() for the current processor */
	bool (*both)(const uint64_t *a, const uint64_t *b, uint64_t *out,
		     uint32_t words);
	/* torus_erode_ends() for the current processor */
	erode_ends_fn *ends;
	struct erode_line along[TORUS_MAX_DIMS];
};

static void erode_prepare(struct erode_line *a, const struct torus *t,
			  uint32_t d)
{
	a->size = t->size[d];
	a->wrap = t->wrap[d];
	a->unit = t->stride[d];
	a->block = a->unit * a->size;
	if (a->unit % 64 == 0) {
		a->kind = WORDS;
		return;
	}
	a->kind = a->block <= 64 && 64 % a->block == 0 ? LANE :
		  a->block % 64 == 0                   ? SPAN :
							 ODD;
	for (uint32_t k = 1; a->kind == LANE && k < a->size; k++)
		a->low[k] = erode_below(a, k, 0);
}

struct torus_erode *torus_erode_create(const struct torus *t)
{
	struct torus_erode *e = torus_alloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->words = torus_bits_words(t->nodes);
	for (uint32_t d = 0; d < t->dims; d++)
		erode_prepare(&e->along[d], t, d);
	torus_erode_wide(e, true);
	return e;
}

void torus_erode_destroy(struct torus_erode *e)
{
	torus_free(e);
}

/* out = a AND b; out may be a or b. Return nonzero if any bit is set. */
ERODE_INLINE uint64_t pass_and(const uint64_t *a, const uint64_t *b,
			       uint64_t *out, uint32_t n)
{
	four any = { 0 }, any2 = { 0 };
	uint64_t some = 0;
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		four w = *(const four *)(a + i) & *(const four *)(b + i);
		four v = *(const four *)(a + i + 4) & *(const four *)(b + i + 4);

		*(four *)(out + i) = w;
		*(four *)(out + i + 4) = v;
		any |= w;
		any2 |= v;
	}
	for (; i < n; i++) {
		out[i] = a[i] & b[i];
		some |= out[i];
	}
	any |= any2;
	return some | any[0] | any[1] | any[2] | any[3];
}

/* One block of the WORDS kind: `in` AND itself shifted by `shift` words, over
 * `length` words. Words past the end come from the block's start. */
ERODE_INLINE uint64_t pass_block(const uint64_t *in, uint64_t *restrict out,
				 uint32_t length, uint32_t shift, bool wrap)
{
	uint32_t inner = length - shift;
	uint64_t any = pass_and(in, in + shift, out, inner);

	if (wrap)
		return any | pass_and(in + inner, in, out + inner, shift);
	memset(out + inner, 0, shift * sizeof(*out));
	return any;
}

/* The same for blocks of 2, 4 or 8 words in a bitmap of at most 16 words,
 * without inner loops: their overhead would exceed the work. */
ERODE_INLINE bool pass_short(const struct erode_line *a, uint32_t words,
			     uint32_t k, const uint64_t *restrict in,
			     uint64_t *restrict out)
{
	uint32_t last = a->block / 64 - 1, shift = k * (a->unit / 64);
	uint64_t any = 0;

	for (uint32_t i = 0; i < words && a->wrap; i++) {
		out[i] = in[i] & in[(i & ~last) | ((i + shift) & last)];
		any |= out[i];
	}
	for (uint32_t i = 0; i < words && !a->wrap; i++) {
		uint64_t w = (i & last) + shift <= last ? in[i] : 0;

		out[i] = w & in[(i & ~last) | ((i + shift) & last)];
		any |= out[i];
	}
	return any != 0;
}

ERODE_INLINE bool pass_words(const struct erode_line *a, uint32_t words,
			     uint32_t k, const uint64_t *in, uint64_t *out)
{
	uint32_t length = a->block / 64, shift = k * (a->unit / 64);
	uint64_t any = 0;

	if (words <= 16 && (length & (length - 1)) == 0)
		return pass_short(a, words, k, in, out);
	for (uint32_t i = 0; i < words; i += length)
		any |= pass_block(in + i, out + i, length, shift, a->wrap);
	return any != 0;
}

ERODE_INLINE bool pass_lane(const struct erode_line *a, uint32_t words,
			    uint32_t k, const uint64_t *restrict in,
			    uint64_t *restrict out)
{
	uint64_t low = a->low[a->size - k], high = a->wrap ? ~low : 0;
	uint32_t right = k * a->unit, left = (a->size - k) * a->unit;
	four all = { 0 };
	uint64_t any = 0;
	uint32_t i = 0;

	for (; i + 8 <= words; i += 8) {
		four w = *(const four *)(in + i),
		     v = *(const four *)(in + i + 4);

		w &= (w >> right & low) | (w << left & high);
		v &= (v >> right & low) | (v << left & high);
		*(four *)(out + i) = w;
		*(four *)(out + i + 4) = v;
		all |= w | v;
	}
	for (; i < words; i++) {
		uint64_t w = in[i];

		out[i] = w & ((w >> right & low) | (w << left & high));
		any |= out[i];
	}
	return (any | all[0] | all[1] | all[2] | all[3]) != 0;
}

/* out = a AND (low >> n, filled from high). Return nonzero if any bit is set. 0
 * < n < 64. */
ERODE_INLINE uint64_t pass_funnel(const uint64_t *a, const uint64_t *low,
				  const uint64_t *high, uint32_t n,
				  uint64_t *restrict out, uint32_t words)
{
	four any = { 0 };
	uint64_t some = 0;
	uint32_t i = 0;

	for (; i + 4 <= words; i += 4) {
		four w = *(const four *)(low + i) >> n;

		w |= *(const four *)(high + i) << (64 - n);
		w &= *(const four *)(a + i);
		*(four *)(out + i) = w;
		any |= w;
	}
	for (; i < words; i++) {
		out[i] = a[i] & (low[i] >> n | high[i] << (64 - n));
		some |= out[i];
	}
	return some | any[0] | any[1] | any[2] | any[3];
}

/* One block of the SPAN kind: `length` words, shifted by `by` bits. The last
 * words take their bits from the block's start, or zeros on an open edge. */
ERODE_INLINE uint64_t pass_span_block(const uint64_t *in, uint64_t *restrict out,
				      uint32_t length, uint32_t by, bool wrap)
{
	uint32_t q = by / 64, n = by % 64, inner = length - q - 1;
	uint64_t any = pass_funnel(in, in + q, in + q + 1, n, out, inner);

	for (uint32_t i = inner; i < length; i++) {
		uint32_t low = i + q, high = low + 1;
		uint64_t w = 0;

		if (low < length)
			w = in[low] >> n;
		else if (wrap)
			w = in[low - length] >> n;
		if (wrap)
			w |= in[high - length] << (64 - n);
		out[i] = in[i] & w;
		any |= out[i];
	}
	return any;
}

/* Set *out to words q, q + 1, ... of *w in turn, after the last one the first.
 * (How a vector is passed by value depends on the processor.) */
ERODE_INLINE void four_turn(const four *w, uint32_t q, four *out)
{
	const uint32_t at[4] = { q % 4, (q + 1) % 4, (q + 2) % 4, (q + 3) % 4 };

	*out = (four){ (*w)[at[0]], (*w)[at[1]], (*w)[at[2]], (*w)[at[3]] };
}

/* Blocks of four words (16x16 nodes), each in one vector; q: the whole words of
 * the shift, a constant for the compiler. */
ERODE_INLINE bool pass_four_turned(const struct erode_line *a, uint32_t words,
				   uint32_t k, const uint64_t *restrict in,
				   uint64_t *restrict out, uint32_t q)
{
	uint32_t n = k * a->unit % 64, kept = a->wrap ? a->size : a->size - k;
	four any = { 0 }, keep = { 0 };

	for (uint32_t i = 0; i < 4; i++)
		keep[i] = erode_below(a, kept, i * 64);
	for (uint32_t i = 0; i < words; i += 4) {
		four w = *(const four *)(in + i), low, high;

		four_turn(&w, q, &low);
		four_turn(&w, q + 1, &high);
		/* two shifts: n may be 0 */
		w &= keep & (low >> n | high << 1 << (63 - n));
		*(four *)(out + i) = w;
		any |= w;
	}
	return (any[0] | any[1] | any[2] | any[3]) != 0;
}

ERODE_INLINE bool pass_four(const struct erode_line *a, uint32_t words,
			    uint32_t k, const uint64_t *in, uint64_t *out)
{
	switch (k * a->unit / 64) {
	case 0:
		return pass_four_turned(a, words, k, in, out, 0);
	case 1:
		return pass_four_turned(a, words, k, in, out, 1);
	case 2:
		return pass_four_turned(a, words, k, in, out, 2);
	default:
		return pass_four_turned(a, words, k, in, out, 3);
	}
}

ERODE_INLINE bool pass_span(const struct erode_line *a, uint32_t words,
			    uint32_t k, const uint64_t *in, uint64_t *out)
{
	uint32_t length = a->block / 64, by = k * a->unit;
	uint64_t any = 0;

	if (length == 4)
		return pass_four(a, words, k, in, out);
	for (uint32_t i = 0; i < words; i += length)
		any |= by % 64 == 0 ? pass_block(in + i, out + i, length,
						 by / 64, a->wrap) :
				      pass_span_block(in + i, out + i, length,
						      by, a->wrap);
	return any != 0;
}

ERODE_INLINE bool pass_odd(const struct erode_line *a, uint32_t words,
			   uint32_t k, const uint64_t *restrict in,
			   uint64_t *restrict out)
{
	uint32_t inner = a->size - k, at = 0, ahead = 64 % a->block;
	uint32_t right = k * a->unit, left = (a->size - k) * a->unit;
	uint64_t any = 0;

	for (uint32_t i = 0; i < words; i++) {
		uint64_t low = in[i] ? erode_below(a, inner, at) : 0, w;

		w = in[i] ? erode_down(in, words, i, right) & low : 0;
		if (a->wrap && in[i])
			w |= erode_up(in, i, left) & ~low;
		out[i] = in[i] & w;
		any |= out[i];
		at += ahead;
		if (at >= a->block)
			at -= a->block;
	}
	return any != 0;
}

ERODE_INLINE bool erode_pass(const struct erode_line *a, uint32_t words,
			     uint32_t k, const uint64_t *in, uint64_t *out)
{
	switch (a->kind) {
	case WORDS:
		return pass_words(a, words, k, in, out);
	case LANE:
		return pass_lane(a, words, k, in, out);
	case SPAN:
		return pass_span(a, words, k, in, out);
	default:
		return pass_odd(a, words, k, in, out);
	}
}

ERODE_INLINE bool erode_doubling(const struct erode_line *a, uint32_t words,
				 struct erode_run r, const uint64_t *in,
				 uint64_t *out, uint64_t *spare)
{
	uint32_t steps = 0;
	bool any = true;

	for (uint32_t n = r.have; n < r.want;
	     n += n < r.want - n ? n : r.want - n)
		steps++;
	/* The last pass must end in out, so an even number of passes starts in
	 * spare. */
	for (; r.have < r.want && any; steps--) {
		uint32_t k = r.have < r.want - r.have ? r.have : r.want - r.have;
		uint64_t *to = steps % 2 ? out : spare;

		any = erode_pass(a, words, k, in, to);
		r.have += k;
		in = to;
	}
	return any;
}

/* Specialized for the most common small numbers of words, where loop overhead
 * dominates. */
ERODE_INLINE bool erode_sized(const struct erode_line *a, uint32_t words,
			      struct erode_run r, const uint64_t *in,
			      uint64_t *out, uint64_t *spare)
{
	switch (words) {
	case 1:
		return erode_doubling(a, 1, r, in, out, spare);
	case 8:
		return erode_doubling(a, 8, r, in, out, spare);
	case 16:
		return erode_doubling(a, 16, r, in, out, spare);
	default:
		return erode_doubling(a, words, r, in, out, spare);
	}
}

static bool erode_plain(const struct erode_line *a, uint32_t words,
			struct erode_run r, const uint64_t *in, uint64_t *out,
			uint64_t *spare)
{
	return erode_sized(a, words, r, in, out, spare);
}

static bool erode_and_plain(const uint64_t *a, const uint64_t *b, uint64_t *out,
			    uint32_t words)
{
	return pass_and(a, b, out, words) != 0;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool
erode_avx2(const struct erode_line *a, uint32_t words, struct erode_run r,
	   const uint64_t *in, uint64_t *out, uint64_t *spare)
{
	return erode_sized(a, words, r, in, out, spare);
}

__attribute__((target("avx2"))) static bool erode_and_avx2(const uint64_t *a,
							   const uint64_t *b,
							   uint64_t *out,
							   uint32_t words)
{
	return pass_and(a, b, out, words) != 0;
}
#endif

void torus_erode_wide(struct torus_erode *e, bool wide)
{
	e->runs = erode_plain;
	e->both = erode_and_plain;
	e->ends = erode_ends_plain;
#ifdef __x86_64__
	if (wide && __builtin_cpu_supports("avx2")) {
		e->runs = erode_avx2;
		e->both = erode_and_avx2;
		e->ends = erode_ends_avx2;
	}
#else
	(void)wide;
#endif
}

bool torus_erode_and(const struct torus_erode *e, const uint64_t *a,
		     const uint64_t *b, uint64_t *out)
{
	return e->both(a, b, out, e->words);
}

bool torus_erode_runs(struct torus_erode *e, uint32_t d, uint32_t have,
		      uint32_t want, const uint64_t *in, uint64_t *out,
		      uint64_t *spare)
{
	return e->runs(&e->along[d], e->words,
		       (struct erode_run){ .have = have, .want = want }, in,
		       out, spare);
}

void torus_erode_ends(const struct torus_erode *e, uint32_t d,
		      const uint64_t *restrict in, uint64_t *restrict out)
{
	e->ends(&e->along[d], e->words, in, out);
}
