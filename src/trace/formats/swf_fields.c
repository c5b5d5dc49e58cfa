/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of an ordinary SWF line (swf_fields.h), in bitmaps with a bit for
 * each byte:
 *
 *	line      "  11   566129 -1 2.5 ..."
 *	text      ..xx...xxxxxx.xx.xxx
 *	digit     ..xx...xxxxxx..x.x.x
 *	starts    ..x....x......x..x..
 *
 * The bitmaps tell whether the line is valid: a minus begins a field, a point
 * stands between digits. Numbers of up to 16 digits are converted eight digits
 * at a time (Mula, "SWAR itoa and atoi"). No branch depends on how long a
 * number is, so that none is mispredicted: the line costs a fifth of a loop
 * over its digits.
 */
#include "trace/formats/swf_fields.h"

#ifdef __SSE2__
#include <emmintrin.h>
#include <string.h>

#define WORDS 2
#define LINE_MAX_BYTES (64 * WORDS - 1) /* the last byte is blank */
#define FRONT 16            /* bytes in front of the line that may be read */
#define NUMBER_MAX_BYTES 16 /* a power of two */
#define MOST_FIELDS (32 * WORDS) /* of one byte each */

struct swf_bits {
	uint64_t text[WORDS + 1]; /* the last one is 0 */
	uint64_t digit[WORDS], minus[WORDS], point[WORDS];
};

static uint64_t byte_mask(__m128i bytes)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(bytes);
}

/* Return false if there is a byte other than digits, minus, point and blanks. */
static bool bits_of(const char *p, struct swf_bits *b)
{
	uint64_t other = 0;

	b->text[WORDS] = 0;
	for (uint32_t w = 0; w < WORDS; w++) {
		b->text[w] = b->digit[w] = b->minus[w] = b->point[w] = 0;
		for (uint32_t i = 0; i < 64; i += 16, p += 16) {
			__m128i c = _mm_loadu_si128(
				(const __m128i *)(const void *)p);
			__m128i blank =
				_mm_or_si128(_mm_cmpeq_epi8(c,
							    _mm_set1_epi8(' ')),
					     _mm_cmpeq_epi8(c, _mm_set1_epi8(
								       '\t')));
			__m128i above = _mm_sub_epi8(c, _mm_set1_epi8('0'));
			__m128i digit =
				_mm_cmpeq_epi8(_mm_min_epu8(above,
							    _mm_set1_epi8(9)),
					       above);

			b->text[w] |= (byte_mask(blank) ^ 0xffff) << i;
			b->digit[w] |= byte_mask(digit) << i;
			b->minus[w] |=
				byte_mask(_mm_cmpeq_epi8(c, _mm_set1_epi8('-')))
				<< i;
			b->point[w] |=
				byte_mask(_mm_cmpeq_epi8(c, _mm_set1_epi8('.')))
				<< i;
		}
		other |= b->text[w] ^ b->digit[w] ^ b->minus[w] ^ b->point[w];
	}
	return other == 0;
}

/* Shift by one byte of the line: towards its end, or its begin. */
static uint64_t bits_after(const uint64_t *bits, uint32_t w)
{
	return bits[w] << 1 | (w ? bits[w - 1] >> 63 : 0);
}

static uint64_t bits_before(const uint64_t *bits, uint32_t w)
{
	return bits[w] >> 1 | (w + 1 < WORDS ? bits[w + 1] << 63 : 0);
}

/* Return true if a field has more than NUMBER_MAX_BYTES bytes. */
static bool bits_long(const struct swf_bits *b)
{
	uint64_t run[WORDS], longer = 0; /* bit i: n bytes of text from i on */

	memcpy(run, b->text, sizeof(run));
	for (uint32_t n = 1; n < NUMBER_MAX_BYTES; n *= 2)
		for (uint32_t w = 0; w < WORDS; w++)
			run[w] &= run[w] >> n |
				  (w + 1 < WORDS ? run[w + 1] << (64 - n) : 0);
	for (uint32_t w = 0; w < WORDS; w++)
		longer |= run[w] & bits_before(run, w);
	return longer != 0;
}

/* Return true if each minus begins a field and precedes a digit, and each point
 * stands between digits. */
static bool bits_valid(const struct swf_bits *b)
{
	uint64_t wrong = 0;

	for (uint32_t w = 0; w < WORDS; w++) {
		wrong |= b->minus[w] &
			 (bits_after(b->text, w) | ~bits_before(b->digit, w));
		wrong |= b->point[w] &
			 ~(bits_after(b->digit, w) & bits_before(b->digit, w));
	}
	return wrong == 0;
}

/* List where fields start. Return false if there are not 18. */
static bool starts_list(const struct swf_bits *b, uint32_t start[MOST_FIELDS])
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < WORDS; w++) {
		uint64_t starts = b->text[w] & ~bits_after(b->text, w);

		for (; starts; starts &= starts - 1)
			start[n++] = 64 * w + (uint32_t)__builtin_ctzll(starts);
	}
	return n == TORUS_SWF_FIELDS;
}

/* Return the length of the field that begins there. */
static uint32_t field_length(const struct swf_bits *b, uint32_t begin)
{
	uint64_t text;

	memcpy(&text, (const char *)b->text + begin / 8, sizeof(text));
	return (uint32_t)__builtin_ctzll(~(text >> begin % 8));
}

/* Return where the only point is; UINT32_MAX: none. False if there are more. */
static bool swf_point_find(const struct swf_bits *b, uint32_t *at)
{
	*at = UINT32_MAX;
	for (uint32_t w = 0; w < WORDS; w++) {
		uint64_t point = b->point[w];

		if (!point)
			continue;
		if (*at != UINT32_MAX || (point & (point - 1)))
			return false;
		*at = 64 * w + (uint32_t)__builtin_ctzll(point);
	}
	return true;
}

/* The last n of eight digits; all of them above 8. */
#define LAST(n) (UINT64_C(0x0f0f0f0f0f0f0f0f) << (64 - 8 * (n)))

static const uint64_t last[] = { 0,       LAST(1), LAST(2), LAST(3), LAST(4),
				 LAST(5), LAST(6), LAST(7), LAST(8), LAST(8),
				 LAST(8), LAST(8), LAST(8), LAST(8), LAST(8),
				 LAST(8), LAST(8) };

/* Return the value of the last n digits, up to eight, before `end`. */
static uint64_t digits_value(const char *end, uint32_t n)
{
	uint64_t v;

	memcpy(&v, end - 8, 8);
	v &= last[n];
	v = (v * (1 + (10 << 8))) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
	v = (v * (1 + (100 << 16))) >> 16 & UINT64_C(0x0000ffff0000ffff);
	return (v * (1 + (UINT64_C(10000) << 32))) >> 32;
}

static int64_t number_value(const char *begin, uint32_t length)
{
	int64_t minus = *begin == '-';
	const char *end = begin + length;
	uint32_t n = length - (uint32_t)minus;
	int64_t v = (int64_t)digits_value(end, n);

	if (n > 8)
		v += (int64_t)digits_value(end - 8, n - 8) * 100000000;
	return (v ^ -minus) + minus;
}

bool torus_swf_fields(const char *line, size_t length, uint32_t used,
		      struct torus_number v[TORUS_SWF_FIELDS])
{
	char copy[FRONT + 64 * WORDS];
	uint32_t start[MOST_FIELDS], point;
	struct swf_bits bits;

	if (length > LINE_MAX_BYTES)
		return false;
	memset(copy, ' ', sizeof(copy));
	memcpy(copy + FRONT, line, length);
	if (!bits_of(copy + FRONT, &bits) || !bits_valid(&bits) ||
	    bits_long(&bits) || !starts_list(&bits, start) ||
	    !swf_point_find(&bits, &point))
		return false;
	for (; used; used &= used - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(used);
		uint32_t n = field_length(&bits, start[i]);

		if (point - start[i] < n) /* not of one before, nor of none */
			return false;
		v[i] = (struct torus_number){
			.whole = number_value(copy + FRONT + start[i], n)
		};
	}
	return true;
}

#else

bool torus_swf_fields(const char *line, size_t length, uint32_t used,
		      struct torus_number v[TORUS_SWF_FIELDS])
{
	(void)line;
	(void)length;
	(void)used;
	(void)v;
	return false;
}

#endif
