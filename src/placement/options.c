/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of strategies and disciplines: looked up and checked by table. */
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

/* Is value one of the words of a|b|c? */
static bool among(const char *words, const char *value)
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

/* Is value a whole number within LOW..HIGH? */
static bool within(const char *range, const char *value)
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

static int check_one(const char *key, const char *value,
		     const struct torus_option_help *help, const char *what,
		     struct torus_error *err)
{
	for (const struct torus_option_help *h = help; h && h->key; h++) {
		bool range = strstr(h->values, "..") != NULL;

		if (strcmp(h->key, key) != 0)
			continue;
		if (range ? within(h->values, value) : among(h->values, value))
			return 0;
		return torus_error_add(err, "%s: option %s: got \"%s\": expected %s",
				       what, key, value, h->values);
	}
	return torus_error_add(err, "%s: option %s: unknown here%s%s", what,
			       key, help && help->key ? "; known: " : "",
			       help && help->key ? help->key : "");
}

int torus_options_check(const struct torus_options *options,
			const struct torus_option_help *help, const char *what,
			struct torus_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < options->used; i++) {
		if (check_one(options->item[i].key, options->item[i].value,
			      help, what, err))
			rc = -1;
	}
	return rc;
}
