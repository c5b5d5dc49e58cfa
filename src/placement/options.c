/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of strategies and disciplines, checked against their tables. */
#include "torus/strategy.h"

#include <stdio.h>

#include "torus/request.h"

const char *torus_options_get(const struct torus_options *options,
			      const char *key)
{
	for (uint32_t i = 0; i < options->used; i++) {
		if (strcmp(options->item[i].key, key) == 0)
			return options->item[i].value;
	}
	return NULL;
}

/* Old names with their values, and what they are now. */
static const struct {
	const char *key, *value, *now, *is;
} old_options[] = {
	{ "windows", "eat", "eat", "true" },
	{ "windows", "atw", "eat", "false" },
};

#define OLD_OPTIONS (sizeof(old_options) / sizeof(*old_options))

const char *torus_option_renamed(const char *key)
{
	for (size_t k = 0; k < OLD_OPTIONS; k++)
		if (!strcmp(old_options[k].key, key))
			return old_options[k].now;
	return NULL;
}

int torus_options_set(struct torus_options *options, const char *key,
		      const char *value)
{
	uint32_t i = 0;

	for (size_t k = 0; k < OLD_OPTIONS; k++)
		if (!strcmp(old_options[k].key, key) &&
		    !strcmp(old_options[k].value, value)) {
			key = old_options[k].now;
			value = old_options[k].is;
			break;
		}
	while (i < options->used && strcmp(options->item[i].key, key) != 0)
		i++;
	if (i == TORUS_OPTIONS_MAX || strlen(key) >= TORUS_OPTION_KEY ||
	    strlen(value) >= TORUS_OPTION_VALUE)
		return -1;
	strcpy(options->item[i].key, key);
	strcpy(options->item[i].value, value);
	options->used += i == options->used;
	return 0;
}

bool torus_options_is(const struct torus_options *options, const char *key,
		      const char *value)
{
	const char *got = torus_options_get(options, key);

	return got && strcmp(got, value) == 0;
}

/* Return true if value is one of the words of a|b|c; DURATION is any duration. */
static bool options_among(const char *words, const char *value)
{
	size_t length = strlen(value);
	int64_t us;

	for (const char *p = words; *p;) {
		size_t n = strcspn(p, "|");

		if (n == 8 && strncmp(p, "DURATION", n) == 0) {
			if (torus_duration_read(value, &us, NULL) == 0)
				return true;
		} else if (n == length && strncmp(p, value, n) == 0) {
			return true;
		}
		p += n + (p[n] == '|');
	}
	return false;
}

/* Read a number such as 12 or 1.2, with at most 12 digits before the point and 6
 * after it, in millionths. Return the text behind it, or NULL. */
static const char *options_number(const char *text, int64_t *millionths)
{
	int64_t n = 0;
	int digits = 0, after = 0;

	for (; *text >= '0' && *text <= '9' && digits < 12; digits++)
		n = n * 10 + (*text++ - '0');
	if (digits == 0)
		return NULL;
	if (*text == '.' && text[1] != '.') {
		for (text++; *text >= '0' && *text <= '9' && after < 6; after++)
			n = n * 10 + (*text++ - '0');
		if (after == 0)
			return NULL;
	}
	for (; after < 6; after++)
		n *= 10;
	*millionths = n;
	return text;
}

/* Return true if value is a number within LOW..HIGH: whole, unless LOW has a
 * point. */
static bool options_within(const char *range, const char *value)
{
	bool whole = range[strcspn(range, ".") + 1] == '.';
	int64_t low = 0, high = 0, n = 0;
	const char *dots = options_number(range, &low);
	const char *end = options_number(value, &n);

	return dots && options_number(dots + 2, &high) && end && *end == '\0' &&
	       !(whole && strchr(value, '.')) && n >= low && n <= high;
}

int64_t torus_options_millionths(const struct torus_options *options,
				 const char *key, int64_t initial)
{
	const char *value = torus_options_get(options, key);
	int64_t n;

	return value && options_number(value, &n) ? n : initial;
}

int64_t torus_options_whole(const struct torus_options *options,
			    const char *key, int64_t initial)
{
	return torus_options_millionths(options, key, initial * 1000000) /
	       1000000;
}

int64_t torus_options_duration(const struct torus_options *options,
			       const char *key, int64_t initial)
{
	const char *value = torus_options_get(options, key);
	int64_t us;

	return value && torus_duration_read(value, &us, NULL) == 0 ? us :
								     initial;
}

void torus_options_list(const struct torus_option_help *help, char *text,
			size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (; help && help->key && used + strlen(help->key) + 3 < size; help++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 used ? ", " : "", help->key);
}

const struct torus_option_help *
torus_option_find(const struct torus_option_help *help, const char *key)
{
	for (; help && help->key; help++) {
		if (strcmp(help->key, key) == 0)
			return help;
	}
	return NULL;
}

static int options_check_one(const char *key, const char *value,
			     const struct torus_option_help *help,
			     const char *what, struct torus_error *err)
{
	const struct torus_option_help *h = torus_option_find(help, key);
	char keys[256];

	if (h && (strstr(h->values, "..") ? options_within(h->values, value) :
					    options_among(h->values, value)))
		return 0;
	if (h)
		return torus_error_add(err,
				       "%s: option %s: got \"%s\": expected %s",
				       what, key, value, h->values);
	torus_options_list(help, keys, sizeof(keys));
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
