/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owners of a trace's jobs (page.h): an array that is sorted once. */
#include "report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

/* Return the name's number; UINT32_MAX with ENOMEM. Searches the latest names
 * first: jobs of one user come together. */
static uint32_t owners_name(struct torus_owner_names *n, const char *text)
{
	for (uint32_t i = n->count; i > 0; i--)
		if (!strcmp(n->name[i - 1], text))
			return i - 1;
	if (TORUS_GROW(n->name, n->room, n->count + 1))
		return UINT32_MAX;
	strcpy(n->name[n->count], text);
	return n->count++;
}

static int owners_order(const void *a, const void *b)
{
	const struct torus_owner *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static int owners_read_jobs(struct torus_owners *o, struct torus_trace *trace,
			    struct torus_error *err)
{
	const struct torus_trace_record *job;
	enum torus_trace_answer answer;

	while ((answer = torus_trace_next(trace, &job, err)) == TORUS_TRACE_JOB)
		if (job->kind == TORUS_TRACE_KIND_JOB) {
			struct torus_owner *owner;

			if (TORUS_GROW(o->owner, o->room, o->count + 1))
				return torus_error_add(err, "out of memory");
			owner = &o->owner[o->count];
			strcpy(owner->id, job->id);
			owner->user = owners_name(&o->users, job->user);
			owner->partition = owners_name(&o->partitions,
						       job->partition);
			owner->account = owners_name(&o->accounts, job->account);
			owner->limit_us = job->limit_us;
			o->limits |= job->limit_us >= 0;
			if (owner->user == UINT32_MAX ||
			    owner->partition == UINT32_MAX ||
			    owner->account == UINT32_MAX)
				return torus_error_add(err, "out of memory");
			o->count++;
		}
	if (answer == TORUS_TRACE_REFUSED)
		errno = EINVAL;
	if (answer != TORUS_TRACE_END)
		return -1;
	o->unix_start = torus_trace_header(trace)->unix_start;
	return torus_trace_digest(trace, o->digest);
}

int torus_owners_read(struct torus_owners *o, const char *path,
		      const struct torus_trace_choice *choice,
		      struct torus_error *err)
{
	const struct torus_trace_options how = { .unsorted = true,
						 .digest = true,
						 .choice = *choice };
	struct torus_trace *trace = torus_trace_open(path, &how, err);
	int rc = -1, saved;

	if (trace)
		rc = owners_read_jobs(o, trace, err);
	if (o->count)
		qsort(o->owner, o->count, sizeof(*o->owner), owners_order);
	saved = errno;
	if (trace)
		torus_trace_close(trace);
	if (rc)
		torus_owners_free(o);
	errno = saved;
	return rc;
}

void torus_owners_free(struct torus_owners *o)
{
	torus_free(o->owner);
	torus_free(o->users.name);
	torus_free(o->partitions.name);
	torus_free(o->accounts.name);
	*o = (struct torus_owners){ 0 };
}

const struct torus_owner *torus_owners_find(const struct torus_owners *o,
					    const char *id)
{
	struct torus_owner key = { 0 };

	if (!o->count || strlen(id) >= sizeof(key.id))
		return NULL;
	strcpy(key.id, id);
	return bsearch(&key, o->owner, o->count, sizeof(key), owners_order);
}
