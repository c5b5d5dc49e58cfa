/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading node lists (config/hostlist.h) without expanding them in memory: an
 * expression is split into fixed texts and brackets, and each bracket is a
 * counter over its ranges.
 *
 *	r[0-1]c[2,4-5]     fixed "r", bracket 0-1, fixed "c", bracket 2,4-5
 *
 * Cost: O(length) to check, O(1) brackets per name to list.
 */
#include "config/hostlist.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "request/quote.h"
#include "torus/torus.h"

#define BRACKETS 8
#define DIGITS 15 /* of a number, so that it is far below 2^63 */
#define SPACE " \t\r\n"

struct span {
	const char *p;
	size_t n;
};

/* One bracket and its counter. */
struct bracket {
	struct span inside; /* without the brackets */
	const char *next;   /* the range after the current one */
	uint64_t at, last;
	int width;
};

struct expression {
	int brackets;
	struct span fixed[BRACKETS + 1]; /* before, between, behind them */
	struct bracket bracket[BRACKETS];
};

/* Read digits into *value. Return their number, 0 for none, -1 for too many. */
static int hostlist_scan_digits(const char **p, const char *end, uint64_t *value)
{
	int n = 0;

	for (*value = 0; *p < end && isdigit((unsigned char)**p); (*p)++) {
		if (++n > DIGITS)
			return -1;
		*value = *value * 10 + (uint64_t)(**p - '0');
	}
	return n;
}

/* Set the counter to the range at b->next, and b->next to the one after it. False
 * if it is not a range. */
static bool hostlist_enter_range(struct bracket *b)
{
	const char *end = b->inside.p + b->inside.n;
	int digits = hostlist_scan_digits(&b->next, end, &b->at);

	if (digits < 1)
		return false;
	b->width = digits;
	b->last = b->at;
	if (b->next < end && *b->next == '-') {
		b->next++;
		if (hostlist_scan_digits(&b->next, end, &b->last) < 1)
			return false;
	}
	if (b->next == end)
		return true;
	return *b->next++ == ',' && b->next < end;
}

static void hostlist_rewind(struct bracket *b)
{
	b->next = b->inside.p;
	hostlist_enter_range(b);
}

/* Advance the counter. Return true if it is back at its first number. */
static bool hostlist_advance(struct bracket *b)
{
	if (b->at < b->last) {
		b->at++;
		return false;
	}
	if (b->next < b->inside.p + b->inside.n) {
		hostlist_enter_range(b);
		return false;
	}
	hostlist_rewind(b);
	return true;
}

/* Check a bracket. *count: how many numbers; *digits: the longest one's. */
static int hostlist_check_bracket(struct bracket *b, uint64_t *count,
				  size_t *digits, struct torus_error *why)
{
	const char *end = b->inside.p + b->inside.n;
	struct torus_quote q;

	*count = 0;
	*digits = 0;
	b->next = b->inside.p;
	do {
		size_t n;

		if (!hostlist_enter_range(b))
			return torus_error_add(why,
					       "\"[%s]\" is not a list of numbers and ranges such as [0-7,12]",
					       torus_quote(&q, b->inside.p,
							   b->inside.n));
		if (b->last < b->at)
			return torus_error_add(why,
					       "the range %" PRIu64 "-%" PRIu64
					       " runs backwards",
					       b->at, b->last);
		*count += b->last - b->at + 1;
		if (*count > TORUS_MAX_NODES)
			return torus_error_add(why, "more than %u names",
					       TORUS_MAX_NODES);
		n = (size_t)snprintf(NULL, 0, "%0*" PRIu64, b->width, b->last);
		*digits = n > *digits ? n : *digits;
	} while (b->next < end);
	return 0;
}

/* Split an expression into its parts. */
static int hostlist_split(const char *p, size_t length, struct expression *e,
			  struct torus_error *why)
{
	const char *end = p + length;

	for (e->brackets = 0;; e->brackets++) {
		const char *open = memchr(p, '[', (size_t)(end - p)), *close;

		e->fixed[e->brackets].p = p;
		e->fixed[e->brackets].n = (size_t)((open ? open : end) - p);
		if (!open)
			return 0;
		if (e->brackets == BRACKETS)
			return torus_error_add(why,
					       "more than %d brackets in a name",
					       BRACKETS);
		close = memchr(open, ']', (size_t)(end - open));
		if (!close)
			return torus_error_add(why, "\"[\" without \"]\"");
		e->bracket[e->brackets].inside.p = open + 1;
		e->bracket[e->brackets].inside.n = (size_t)(close - open - 1);
		p = close + 1;
	}
}

/* Check a split expression. *count: how many names. */
static int hostlist_check(struct expression *e, uint64_t *count,
			  struct torus_error *why)
{
	size_t length = 0;

	*count = 1;
	for (int i = 0; i <= e->brackets; i++) {
		for (size_t j = 0; j < e->fixed[i].n; j++) {
			if (e->fixed[i].p[j] == ']')
				return torus_error_add(why,
						       "\"]\" without \"[\"");
			if (!isalnum((unsigned char)e->fixed[i].p[j]) &&
			    !strchr("_-.", e->fixed[i].p[j]))
				return torus_error_add(why,
						       "\"%.*s\" cannot be in a node name",
						       (int)torus_character(
							       e->fixed[i].p +
							       j),
						       e->fixed[i].p + j);
		}
		length += e->fixed[i].n;
	}
	for (int i = 0; i < e->brackets; i++) {
		uint64_t n;
		size_t digits;

		if (hostlist_check_bracket(&e->bracket[i], &n, &digits, why))
			return -1;
		*count *= n;
		length += digits;
		if (*count > TORUS_MAX_NODES)
			return torus_error_add(why, "more than %u names",
					       TORUS_MAX_NODES);
	}
	if (length >= HOSTLIST_NAME_SIZE)
		return torus_error_add(why, "a name of more than %d characters",
				       HOSTLIST_NAME_SIZE - 1);
	return 0;
}

/* Find the next expression at *text; false at the end. */
static bool hostlist_next_expression(const char **text, size_t *length)
{
	bool inside = false;
	size_t n;

	*text += strspn(*text, "," SPACE);
	/* Find the end of an expression: a comma or space outside of brackets. */
	for (n = 0; (*text)[n]; n++) {
		if (!inside && ((*text)[n] == ',' || strchr(SPACE, (*text)[n])))
			break;
		if ((*text)[n] == '[')
			inside = true;
		else if ((*text)[n] == ']')
			inside = false;
	}
	*length = n;
	return *length > 0;
}

int torus_hostlist_count(const char *text, uint32_t *count,
			 struct torus_error *why)
{
	uint64_t total = 0, n;
	struct expression e;
	size_t length;

	for (; hostlist_next_expression(&text, &length); text += length) {
		if (hostlist_split(text, length, &e, why) ||
		    hostlist_check(&e, &n, why))
			return -1;
		total += n;
		if (total > TORUS_MAX_NODES)
			return torus_error_add(why, "more than %u names",
					       TORUS_MAX_NODES);
	}
	*count = (uint32_t)total;
	return 0;
}

static void hostlist_write_name(const struct expression *e, char *name)
{
	for (int i = 0; i <= e->brackets; i++) {
		memcpy(name, e->fixed[i].p, e->fixed[i].n);
		name += e->fixed[i].n;
		if (i < e->brackets)
			name += sprintf(name, "%0*" PRIu64, e->bracket[i].width,
					e->bracket[i].at);
	}
	*name = '\0';
}

/* Advance to the next name: the last bracket runs fastest, then the first. */
static bool hostlist_next_name(struct expression *e)
{
	int last = e->brackets - 1;

	if (last < 0)
		return false;
	if (!hostlist_advance(&e->bracket[last]))
		return true;
	for (int i = 0; i < last; i++) {
		if (!hostlist_advance(&e->bracket[i]))
			return true;
	}
	return false;
}

int torus_hostlist_each(const char *text,
			int (*each)(void *arg, const char *name), void *arg)
{
	char name[HOSTLIST_NAME_SIZE];
	struct expression e;
	size_t length;

	for (; hostlist_next_expression(&text, &length); text += length) {
		if (hostlist_split(text, length, &e, NULL))
			return -1;
		for (int i = 0; i < e.brackets; i++)
			hostlist_rewind(&e.bracket[i]);
		do {
			int rc;

			hostlist_write_name(&e, name);
			rc = each(arg, name);
			if (rc)
				return rc;
		} while (hostlist_next_name(&e));
	}
	return 0;
}
