/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact times as text (number.h). GMP ends the program if memory runs out, so
 * the callers bound the size of the numbers.
 */
#include "papers/offline/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIMALS 9
#define NUM_MAX INT64_C(1000000000000000000)

int64_t torus_common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Read digits from *p on. Return false if there are none, or if the value
 * exceeds `most`. */
static bool number_digits(const char **p, int64_t most, int64_t *value)
{
	const char *start = *p;

	for (*value = 0; **p >= '0' && **p <= '9'; (*p)++) {
		*value = *value * 10 + (**p - '0');
		if (*value > most)
			return false;
	}
	return *p > start;
}

/* Read the digits after a point: append them to num, and multiply den by 10 for
 * each. */
static bool number_fraction(const char **p, int64_t *num, int64_t *den)
{
	const char *start = *p;

	for (; **p >= '0' && **p <= '9'; (*p)++) {
		if (*p - start == DECIMALS || *num > NUM_MAX / 10 - 1)
			return false;
		*num = *num * 10 + (**p - '0');
		*den *= 10;
	}
	return *p > start;
}

bool torus_ratio_parse(const char *text, struct torus_ratio *out)
{
	int64_t num, den = 1, shared;
	const char *p = text;

	if (!number_digits(&p, TORUS_RATIO_WHOLE, &num))
		return false;
	if (*p == '.' && (p++, !number_fraction(&p, &num, &den)))
		return false;
	if (*p == '/' && den == 1 &&
	    (p++, !number_digits(&p, TORUS_RATIO_BELOW, &den)))
		return false;
	if (*p || !num || !den)
		return false;
	shared = torus_common_divisor(num, den);
	*out = (struct torus_ratio){ num / shared, den / shared };
	return true;
}

void torus_mpz_set_i128(mpz_t to, torus_i128 value)
{
	mpz_set_ui(to, (unsigned long)(uint32_t)(value >> 96));
	for (int shift = 64; shift >= 0; shift -= 32) {
		mpz_mul_2exp(to, to, 32);
		mpz_add_ui(to, to, (unsigned long)(uint32_t)(value >> shift));
	}
}

/* Return the number of decimals of 1 / den, or -1 if it is more than
 * DECIMALS. */
static int decimals_of(const mpz_t den)
{
	mpz_t power;
	int k;

	mpz_init_set_ui(power, 1);
	for (k = 0; k <= DECIMALS && !mpz_divisible_p(power, den); k++)
		mpz_mul_ui(power, power, 10);
	mpz_clear(power);
	return k <= DECIMALS ? k : -1;
}

/* Write num / den, which has k decimals. */
static char *decimal_text(const mpz_t num, const mpz_t den, int k)
{
	char *text = NULL, *whole;
	mpz_t scaled;
	int length;

	mpz_init(scaled);
	mpz_ui_pow_ui(scaled, 10, (unsigned long)k);
	mpz_mul(scaled, scaled, num);
	mpz_divexact(scaled, scaled, den);
	whole = mpz_get_str(NULL, 10, scaled);
	mpz_clear(scaled);
	if (!k || !whole)
		return whole;
	length = (int)strlen(whole);
	if (length <= k) /* 0.0625 is 625 with k 4 */
		length = asprintf(&text, "0.%.*s%s", k - length, "000000000",
				  whole);
	else
		length = asprintf(&text, "%.*s.%s", length - k, whole,
				  whole + length - k);
	free(whole);
	return length < 0 ? NULL : text;
}

char *torus_ratio_text(const mpz_t num, const mpz_t den)
{
	char *text = NULL;
	mpz_t p, q, shared;
	int k;

	mpz_inits(p, q, shared, NULL);
	mpz_gcd(shared, num, den);
	mpz_divexact(p, num, shared);
	mpz_divexact(q, den, shared);
	k = decimals_of(q);
	if (k >= 0)
		text = decimal_text(p, q, k);
	else if (gmp_asprintf(&text, "%Zd/%Zd", p, q) < 0)
		text = NULL;
	mpz_clears(p, q, shared, NULL);
	return text;
}
