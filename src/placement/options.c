/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of strategies and disciplines, checked against their tables. */
#include "torus/strategy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const char *torus_options_get(const struct torus_options *options,
			      const char *key)
{
	for (uint32_t i = 0; i < options->used; i++) {
		if (strcmp(options->item[i].key, key) == 0)
			return options->item[i].value;
	}
	return NULL;
}

bool torus_options_is(const struct torus_options *options, const char *key,
		      const char *value)
{
	const char *got = torus_options_get(options, key);

	return got && strcmp(got, value) == 0;
}

/* Return true if value is one of the words of a|b|c. */
static bool options_among(const char *words, const char *value)
{
	size_t length = strlen(value);

	for (const char *p = words; *p;) {
		size_t n = strcspn(p, "|");

		if (n == length && strncmp(p, value, n) == 0)
			return true;
		p += n + (p[n] == '|');
	}
	return false;
}

/* Return true if value is a whole number within LOW..HIGH. */
static bool options_within(const char *range, const char *value)
{
	long low, high, n;
	char *end;

	if (sscanf(range, "%ld..%ld", &low, &high) != 2)
		return false;
	errno = 0;
	n = strtol(value, &end, 10);
	return errno == 0 && end != value && *end == '\0' && n >= low &&
	       n <= high;
}

/* Parse a decimal like 1.2 with at most 6 digits after the point, in
 * millionths. */
static bool options_decimal(const char *text, int64_t *millionths)
{
	int64_t n = 0;
	int digits = 0, after = 0;

	for (; *text >= '0' && *text <= '9' && digits < 9; digits++)
		n = n * 10 + (*text++ - '0');
	if (digits == 0)
		return false;
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9' && after < 6; after++)
			n = n * 10 + (*text++ - '0');
		if (after == 0)
			return false;
	}
	for (; after < 6; after++)
		n *= 10;
	*millionths = n;
	return *text == '\0';
}

/* Return true if value is a decimal within LOW..HIGH, both of which have a
 * point. */
static bool decimal_within(const char *range, const char *value)
{
	char low[32], high[32];
	int64_t from, to, n;

	snprintf(low, sizeof(low), "%.*s", (int)(strstr(range, "..") - range),
		 range);
	snprintf(high, sizeof(high), "%s", strstr(range, "..") + 2);
	return options_decimal(low, &from) && options_decimal(high, &to) &&
	       options_decimal(value, &n) && n >= from && n <= to;
}

/* Return true if LOW..HIGH has decimals, not whole numbers. */
static bool is_decimal(const char *range)
{
	const char *dots = strstr(range, "..");

	return memchr(range, '.', (size_t)(dots - range)) != NULL;
}

int64_t torus_options_millionths(const struct torus_options *options,
				 const char *key, int64_t initial)
{
	const char *value = torus_options_get(options, key);
	int64_t n;

	return value && options_decimal(value, &n) ? n : initial;
}

static bool value_ok(const char *values, const char *value)
{
	if (!strstr(values, ".."))
		return options_among(values, value);
	return is_decimal(values) ? decimal_within(values, value) :
				    options_within(values, value);
}

/* List the keys of a table, separated by ", ", as many as fit. */
static void list_keys(const struct torus_option_help *help, char *text,
		      size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (; help && help->key && used + strlen(help->key) + 3 < size; help++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 used ? ", " : "", help->key);
}

static int options_check_one(const char *key, const char *value,
			     const struct torus_option_help *help,
			     const char *what, struct torus_error *err)
{
	char keys[256];

	for (const struct torus_option_help *h = help; h && h->key; h++) {
		if (strcmp(h->key, key) != 0)
			continue;
		if (value_ok(h->values, value))
			return 0;
		return torus_error_add(err,
				       "%s: option %s: got \"%s\": expected %s",
				       what, key, value, h->values);
	}
	list_keys(help, keys, sizeof(keys));
	return torus_error_add(err, "%s: option %s: unknown here%s%s", what,
			       key, keys[0] ? "; known: " : "", keys);
}

int torus_options_check(const struct torus_options *options,
			const struct torus_option_help *help, const char *what,
			struct torus_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < options->used; i++) {
		if (options_check_one(options->item[i].key,
				      options->item[i].value, help, what, err))
			rc = -1;
	}
	return rc;
}
