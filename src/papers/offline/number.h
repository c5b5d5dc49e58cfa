/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of the offline schedulers as exact text. Input: 12, 0.5 or 47/8.
 * Output: a decimal number if it has at most 9 decimals, else p/q.
 */
#ifndef OFFLINE_NUMBER_H
#define OFFLINE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include <gmp.h>

__extension__ typedef __int128 torus_i128;

#define TORUS_RATIO_WHOLE INT64_C(1000000000000) /* largest whole part */
#define TORUS_RATIO_BELOW INT64_C(1000000000)    /* largest denominator */
/* Input that torus_ratio_parse() accepts, for messages. */
#define TORUS_RATIO_EXPECTED                                                   \
	"a number above 0 and up to 1000000000000, for example 4, 2.5 or 7/3 (at most 9 decimals, 18 digits)"

/* num / den, in lowest terms, den > 0. */
struct torus_ratio {
	int64_t num, den;
};

/* Return the greatest common divisor of a and b; a if b is 0. */
int64_t torus_common_divisor(int64_t a, int64_t b);

/* Read the whole text. Return false if it is not a number above 0 in one of
 * these forms. */
bool torus_ratio_parse(const char *text, struct torus_ratio *out);

void torus_mpz_set_i128(mpz_t to, torus_i128 value); /* value >= 0 */

/* Return num / den (den > 0, num >= 0) as text, to be freed with free(); NULL:
 * no memory. */
char *torus_ratio_text(const mpz_t num, const mpz_t den);

#endif
