/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Free bases of strided boxes (subtorus.h). */
#include "placement/subtorus/subtorus.h"

/* out = in AND (in shifted down by `by` bits), for `words` words of out; in has
 * `last` words. Return true if any bit is set. */
static bool comb_pass(const uint64_t *restrict in, uint64_t *restrict out,
		      uint32_t words, uint32_t last, uint32_t by)
{
	uint32_t q = by / 64, n = by % 64;
	uint32_t whole = words + q + 1 > last ? last - q - 1 : words;
	const uint64_t *low = in + q;
	uint64_t any = 0;

	if (n == 0) {
		for (uint32_t i = 0; i < words; i++) {
			out[i] = in[i] & low[i];
			any |= out[i];
		}
		return any != 0;
	}
	for (uint32_t i = 0; i < whole; i++) {
		out[i] = in[i] & (low[i] >> n | low[i + 1] << (64 - n));
		any |= out[i];
	}
	if (whole < words) {
		out[whole] = in[whole] & low[whole] >> n;
		any |= out[whole];
	}
	return any != 0;
}

/* Return true if the bit of any base is set. */
static bool comb_any(const struct torus *t, const struct torus_region *like,
		     const uint64_t *map)
{
	uint32_t at[TORUS_MAX_DIMS] = { 0 }, first = 0, d;

	do {
		if (torus_bits_any_range(map, first, like->stride[0]))
			return true;
		for (d = 1; d < t->dims; d++) {
			first += t->stride[d];
			if (++at[d] < like->stride[d])
				break;
			first -= at[d] * t->stride[d];
			at[d] = 0;
		}
	} while (d < t->dims);
	return false;
}

const uint64_t *torus_comb_bases(const struct torus *t,
				 const struct torus_region *like,
				 const uint64_t *usable,
				 uint64_t *const spare[2])
{
	uint32_t last = torus_bits_words(t->nodes), turn = 0;
	uint32_t beyond =
		0; /* distance in bits from the first base to the last */

	for (uint32_t d = t->dims; d-- > 0;) {
		uint32_t step = like->stride[d] * t->stride[d];

		beyond += step - t->stride[d];
		for (uint32_t have = like->extent[d]; have > 1;) {
			uint32_t half = (have + 1) / 2;
			uint32_t bits = beyond + t->stride[d] +
					(half - 1) * step;

			if (!comb_pass(usable, spare[turn],
				       torus_bits_words(bits), last,
				       (have - half) * step))
				return NULL;
			last = torus_bits_words(bits);
			usable = spare[turn];
			turn = !turn;
			have = half;
		}
	}
	return comb_any(t, like, usable) ? usable : NULL;
}
