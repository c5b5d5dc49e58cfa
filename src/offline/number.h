/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of the offline schedulers: exact, as people write them. They come in
 * as 12, 0.5 or 47/8 and go out as a decimal where that ends within 9 digits,
 * else as p/q.
 */
#ifndef OFFLINE_NUMBER_H
#define OFFLINE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include <gmp.h>

__extension__ typedef __int128 torus_i128;

#define TORUS_RATIO_WHOLE INT64_C(1000000000000) /* largest whole part */
#define TORUS_RATIO_BELOW INT64_C(1000000000)    /* largest denominator */
/* What torus_ratio_parse() takes, for messages. */
#define TORUS_RATIO_EXPECTED                                                   \
	"a number above 0 and up to 1000000000000, for example 4, 2.5 or 7/3 (at most 9 decimals, 18 digits)"

/* num / den, in lowest terms, den > 0. */
struct torus_ratio {
	int64_t num, den;
};

/* Read all of text: false where it is no number above 0 of these forms. */
bool torus_ratio_parse(const char *text, struct torus_ratio *out);

void torus_mpz_set_i128(mpz_t to, torus_i128 value); /* value >= 0 */

/* num / den (den > 0, num >= 0) as text; malloc()ed, NULL: no memory. */
char *torus_ratio_text(const mpz_t num, const mpz_t den);

#endif
