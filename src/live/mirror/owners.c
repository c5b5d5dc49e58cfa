/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who submitted the jobs of a cycle, each user in an account once: jobs point at these
 * records, which live as long as the cycle. A name is as the journal's column has it: at
 * most 31 characters, none of which ends a field of CSV.
 *
 * Cost: O(1) expected. Memory: a record per user and account that had a job.
 */
#include "live/mirror/mirror.h"

#include <ctype.h>
#include <stdio.h>

#include "torus/alloc.h"

struct owner {
	struct torus_job_owner o;
	char key[2 * TORUS_OWNER_NAME];
};

static void owner_name(char *to, const char *from)
{
	snprintf(to, TORUS_OWNER_NAME, "%s", from ? from : "");
	for (; *to; to++) {
		if (iscntrl((unsigned char)*to) || strchr(",\"\\", *to))
			*to = '_';
	}
}

const struct torus_job_owner *owners_add(struct cycle *c, const char *user,
					 const char *account)
{
	struct owner new = { .key = "" }, *owner;
	struct name_entry *e;

	owner_name(new.o.user, user);
	owner_name(new.o.account, account);
	snprintf(new.key, sizeof(new.key), "%s\n%s", new.o.user, new.o.account);
	e = torus_names_find(&c->owner_names, new.key);
	if (e)
		return &c->owner[e->index]->o;
	owner = TORUS_GROW(c->owner, c->owner_room, c->owners + 1) ?
			NULL :
			torus_alloc(1, sizeof(*owner));
	if (!owner)
		return NULL;
	*owner = new;
	e = torus_names_add(&c->owner_names, owner->key);
	if (!e) {
		torus_free(owner);
		return NULL;
	}
	e->index = c->owners;
	c->owner[c->owners++] = owner;
	return &owner->o;
}

void owners_free(struct cycle *c)
{
	for (uint32_t i = 0; i < c->owners; i++)
		torus_free(c->owner[i]);
	torus_free(c->owner);
	torus_names_free(&c->owner_names);
}
