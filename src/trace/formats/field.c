/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Split the fields of a CSV line in place, and find one (formats.h). O(length). */
#include "trace/formats.h"

#include <string.h>

/* Remove the quotes of "..." in place. Return the text after it, or NULL. */
static char *quoted_take(char *p)
{
	char *to = p++;

	for (; *p; p++) {
		if (*p == '"' && *++p != '"') {
			*to = '\0';
			return p + strspn(p, " \t");
		}
		*to++ = *p;
	}
	return NULL;
}

char *torus_field_take(char *p, char **field, bool *sound)
{
	char *end;

	p += strspn(p, " \t");
	*field = p;
	*sound = true;
	if (*p == '"') {
		end = quoted_take(p);
		*sound = end && (*end == ',' || !*end);
		return *sound && *end ? end + 1 : NULL;
	}
	end = p + strcspn(p, ",");
	p = *end ? end + 1 : NULL;
	while (end > *field && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	return p;
}

bool torus_field_among(const char *line, char between, const char *name)
{
	size_t length = strlen(name);
	const char *next = strcasestr(line, name);

	for (; next; next = strcasestr(next + length, name)) {
		const char *from = next, *to = next + length;

		while (from > line && strchr(" \t\"", from[-1]))
			from--;
		to += strspn(to, " \t\"\r");
		if ((from == line || from[-1] == between) &&
		    (!*to || *to == between))
			return true;
	}
	return false;
}
