/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quoted words and suggestions for messages (request/quote.h).
 *
 * torus_nearest() computes the distance with swaps of neighbours (optimal
 * string alignment) by its textbook recurrence on three rows: O(length^2) per
 * valid word, at most 32 x 32 steps, since longer words get no suggestion.
 */
#include "request/quote.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "torus/strategy.h"

#define QUOTED 60
#define SHORTENED (QUOTED - 3)
#define LONGEST_WORD 32
#define TOO_FAR 3
#define LIST_SIZE 640
#define STRATEGIES 64

/* A byte inside a UTF-8 character, which no cut may precede. */
static bool quote_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

const char *torus_quote(struct torus_quote *q, const char *word, size_t length)
{
	size_t n = length;

	if (length > QUOTED) {
		for (n = SHORTENED; n > 0 && quote_inside(word[n]); n--)
			;
	}
	memcpy(q->text, word, n);
	strcpy(q->text + n, n < length ? "..." : "");
	return q->text;
}

const char *torus_quote_end(struct torus_quote *q, const char *word,
			    size_t length)
{
	size_t from = 0, dots = 0;

	if (length > QUOTED) {
		for (from = length - SHORTENED;
		     from < length && quote_inside(word[from]); from++)
			;
		dots = 3;
		memcpy(q->text, "...", dots);
	}
	memcpy(q->text + dots, word + from, length - from);
	q->text[dots + length - from] = '\0';
	return q->text;
}

size_t torus_character(const char *p)
{
	size_t n = 1;

	if (((unsigned char)p[0] & 0xc0) == 0xc0) {
		while (n < 4 && quote_inside(p[n]))
			n++;
	}
	return n;
}

static size_t quote_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t quote_distance(const char *a, size_t la, const char *b, size_t lb)
{
	size_t rows[3][LONGEST_WORD + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= lb; j++)
		above[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *free_row = before;

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = quote_least(row[j], above[j] + 1);
			row[j] = quote_least(row[j], row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = quote_least(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = free_row;
	}
	return above[lb];
}

const char *torus_nearest(const char *word, const char *const *valid, size_t n)
{
	size_t length = strlen(word), best = TOO_FAR;
	const char *found = NULL;

	if (length == 0 || length > LONGEST_WORD)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t other = strlen(valid[i]), d;

		if (other > LONGEST_WORD)
			continue;
		d = quote_distance(word, length, valid[i], other);
		if (d < best && d < length && d < other) {
			best = d;
			found = valid[i];
		}
	}
	return found;
}

int torus_unknown_word(struct torus_error *err, const char *where,
		       const char *what, const char *word,
		       const char *const *valid, size_t n)
{
	const char *close = torus_nearest(word, valid, n);
	char list[LIST_SIZE] = "", hint[64] = "";
	struct torus_quote q;
	size_t used = 0;

	for (size_t i = 0; i < n && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 "%s%s", i ? ", " : "", valid[i]);
	if (close)
		snprintf(hint, sizeof(hint), " (did you mean \"%s\"?)", close);
	return torus_error_add(err,
			       "%s: got \"%s\": no such %s%s; expected %s%s",
			       where, torus_quote(&q, word, strlen(word)), what,
			       hint, n > 1 ? "one of " : "", list);
}

int torus_unknown_strategy(struct torus_error *err, const char *where,
			   const char *word)
{
	const struct torus_strategy *const *all = torus_strategies();
	const char *valid[STRATEGIES] = { NULL };
	size_t n = 0;

	for (; n < STRATEGIES && all[n]; n++)
		valid[n] = all[n]->name;
	return torus_unknown_word(err, where, "strategy", word, valid, n);
}
