/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ends of runs of set bits (torus_erode_ends()). O(words). */
#include "placement/submesh/erode_words.h"

/* out = in AND NOT (back AND ahead), over n words. */
ERODE_INLINE void ends_between(const uint64_t *in, const uint64_t *back,
			       const uint64_t *ahead, uint64_t *restrict out,
			       uint32_t n)
{
	uint32_t i = 0;

	for (; i + 4 <= n; i += 4)
		*(four *)(out + i) = *(const four *)(in + i) &
				     ~(*(const four *)(back + i) &
				       *(const four *)(ahead + i));
	for (; i < n; i++)
		out[i] = in[i] & ~(back[i] & ahead[i]);
}

/* One block: its first and last steps have a neighbour across the wrap, or
 * none. */
ERODE_INLINE void ends_block(const struct erode_line *a, const uint64_t *in,
			     uint64_t *restrict out)
{
	uint32_t step = a->unit / 64, last = a->block / 64 - step;

	if (a->wrap) {
		ends_between(in, in + last, in + step, out, step);
		ends_between(in + last, in + last - step, in, out + last, step);
	} else {
		torus_bits_copy(out, in, step);
		torus_bits_copy(out + last, in + last, step);
	}
	ends_between(in + step, in, in + 2 * (size_t)step, out + step,
		     last - step);
}

ERODE_INLINE void ends_lane(const struct erode_line *a, uint32_t words,
			    const uint64_t *restrict in, uint64_t *restrict out)
{
	uint32_t one = a->unit, around = a->block - a->unit, i = 0;
	uint64_t last = a->low[a->size - 1], first = a->low[1];
	uint64_t over = a->wrap ? ~UINT64_C(0) : 0;

	for (; i + 4 <= words; i += 4) {
		four w = *(const four *)(in + i);
		four ahead = (w >> one & last) | (w << around & (~last & over));
		four back = (w << one & ~first) | (w >> around & (first & over));

		*(four *)(out + i) = w & ~(back & ahead);
	}
	for (; i < words; i++) {
		uint64_t w = in[i];
		uint64_t ahead = (w >> one & last) |
				 (w << around & ~last & over);
		uint64_t back = (w << one & ~first) |
				(w >> around & first & over);

		out[i] = w & ~(back & ahead);
	}
}

/* One word, whose neighbours may lie in the adjacent words. */
ERODE_INLINE uint64_t ends_word(uint64_t before, uint64_t w, uint64_t after,
				uint32_t n)
{
	return w &
	       ~((w >> n | after << (64 - n)) & (w << n | before >> (64 - n)));
}

ERODE_INLINE void ends_span_block(const struct erode_line *a,
				  const uint64_t *in, uint64_t *restrict out)
{
	uint32_t n = a->unit, last = a->block / 64 - 1, i = 1;
	uint64_t over = a->wrap ? ~UINT64_C(0) : 0;

	out[0] = ends_word(in[last] & over, in[0], in[1], n);
	for (; i + 4 <= last; i += 4) {
		four w = *(const four *)(in + i);
		four ahead = *(const four *)(in + i + 1) << (64 - n);
		four back = *(const four *)(in + i - 1) >> (64 - n);

		ahead |= w >> n;
		back |= w << n;
		*(four *)(out + i) = w & ~(back & ahead);
	}
	for (; i < last; i++)
		out[i] = ends_word(in[i - 1], in[i], in[i + 1], n);
	out[last] = ends_word(in[last - 1], in[last], in[0] & over, n);
}

ERODE_INLINE void ends_odd(const struct erode_line *a, uint32_t words,
			   const uint64_t *restrict in, uint64_t *restrict out)
{
	uint32_t one = a->unit, around = a->block - a->unit;
	uint64_t over = a->wrap ? ~UINT64_C(0) : 0;

	for (uint32_t i = 0, at = 0; i < words; i++) {
		uint64_t last, first, ahead, back;

		out[i] = 0;
		if (in[i]) {
			last = erode_below(a, a->size - 1, at);
			first = erode_below(a, 1, at);
			ahead = (erode_down(in, words, i, one) & last) |
				(erode_up(in, i, around) & ~last & over);
			back = (erode_up(in, i, one) & ~first) |
			       (erode_down(in, words, i, around) & first & over);
			out[i] = in[i] & ~(back & ahead);
		}
		at = (at + 64) % a->block;
	}
}

ERODE_INLINE void ends_find(const struct erode_line *a, uint32_t words,
			    const uint64_t *in, uint64_t *restrict out)
{
	bool span = a->kind == SPAN && a->unit < 64;

	if (a->size == 1)
		torus_bits_copy(out, in, words);
	else if (a->kind == LANE)
		ends_lane(a, words, in, out);
	else if (a->kind != WORDS && !span)
		ends_odd(a, words, in, out);
	else {
		for (uint32_t i = 0; i < words; i += a->block / 64) {
			if (span)
				ends_span_block(a, in + i, out + i);
			else
				ends_block(a, in + i, out + i);
		}
	}
}

void erode_ends_plain(const struct erode_line *a, uint32_t words,
		      const uint64_t *in, uint64_t *restrict out)
{
	ends_find(a, words, in, out);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) void erode_ends_avx2(const struct erode_line *a,
						     uint32_t words,
						     const uint64_t *in,
						     uint64_t *restrict out)
{
	ends_find(a, words, in, out);
}
#endif
