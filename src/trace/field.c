/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Split the fields of a CSV line in place (formats.h). O(length). */
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
