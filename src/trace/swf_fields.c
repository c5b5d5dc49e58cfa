/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of an ordinary SWF line (swf_fields.h), in bitmaps with a bit for
 * each byte:
 *
 *	line      "  11   566129 -1 2.5 ..."
 *	text      ..xx...xxxxxx.xx.xxx
 *	digit     ..xx...xxxxxx..x.x.x
 *	changes   ..x.x..x.....xx.xx..x   where a field begins or ends
 *
 * The bitmaps tell whether the line is valid: a minus begins a field, a point
 * stands between digits. Numbers of up to 16 digits are converted eight digits
 * at a time (Mula, "SWAR itoa and atoi"). No branch depends on how long a
 * number is, so that none is mispredicted: the line costs a third of a loop
 * over its digits.
 */
#include "trace/swf_fields.h"

#ifdef __SSE2__
#include <emmintrin.h>
#include <string.h>

#define WORDS 2
#define LINE_MAX_BYTES (64 * WORDS - 1) /* the last byte is blank */
#define FRONT 16 /* bytes in front of the line that may be read */
#define NUMBER_MAX_BYTES 17

struct swf_bits {
	uint64_t text[WORDS], digit[WORDS], minus[WORDS], point[WORDS];
};

static uint64_t byte_mask(__m128i bytes)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(bytes);
}

/* Return false if there is a byte other than digits, minus, point and blanks. */
static bool bits_of(const char *p, struct swf_bits *b)
{
	uint64_t other = 0;

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

/* List where fields begin and end, in turn. Return false if there are not 18. */
static bool bounds_list(const struct swf_bits *b,
			uint32_t bound[2 * TORUS_SWF_FIELDS])
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < WORDS; w++) {
		uint64_t changes = b->text[w] ^ bits_after(b->text, w);

		for (; changes; changes &= changes - 1) {
			if (n == 2 * TORUS_SWF_FIELDS)
				return false;
			bound[n++] = 64 * w + (uint32_t)__builtin_ctzll(changes);
		}
	}
	return n == 2 * TORUS_SWF_FIELDS;
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

/* Return the value of the last n digits of the eight bytes before `end`; n is 0
 * to 8. */
static uint64_t digits_value(const char *end, uint32_t n)
{
	uint64_t v;

	memcpy(&v, end - 8, 8);
	v = n ? v & (UINT64_C(0x0f0f0f0f0f0f0f0f) << (64 - 8 * n)) : 0;
	v = (v * (1 + (10 << 8))) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
	v = (v * (1 + (100 << 16))) >> 16 & UINT64_C(0x0000ffff0000ffff);
	return (v * (1 + (UINT64_C(10000) << 32))) >> 32;
}

static int64_t number_value(const char *begin, const char *end)
{
	bool minus = *begin == '-';
	uint32_t n = (uint32_t)(end - begin) - minus;
	uint64_t v = digits_value(end, n < 8 ? n : 8);

	if (n > 8)
		v += digits_value(end - 8, n - 8) * 100000000;
	return minus ? -(int64_t)v : (int64_t)v;
}

bool torus_swf_fields(const char *line, size_t length, uint32_t used,
		      int64_t value[TORUS_SWF_FIELDS])
{
	char copy[FRONT + 64 * WORDS];
	uint32_t bound[2 * TORUS_SWF_FIELDS], point;
	struct swf_bits bits;

	if (length > LINE_MAX_BYTES)
		return false;
	memset(copy, ' ', sizeof(copy));
	memcpy(copy + FRONT, line, length);
	if (!bits_of(copy + FRONT, &bits) || !bits_valid(&bits) ||
	    !bounds_list(&bits, bound) || !swf_point_find(&bits, &point))
		return false;
	for (uint32_t i = 0; i < TORUS_SWF_FIELDS; i++) {
		uint32_t begin = bound[2 * i], end = bound[2 * i + 1];

		if (end - begin >= NUMBER_MAX_BYTES)
			return false;
		if (!(used >> i & 1))
			continue;
		if (point >= begin && point < end)
			return false;
		value[i] = number_value(copy + FRONT + begin,
					copy + FRONT + end);
	}
	return true;
}

#else

bool torus_swf_fields(const char *line, size_t length, uint32_t used,
		      int64_t value[TORUS_SWF_FIELDS])
{
	(void)line;
	(void)length;
	(void)used;
	(void)value;
	return false;
}

#endif
