/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Join the lines of several schedulers about one job. Each scheduler numbers its
 * stays from 1, and first lists the jobs that exist: the running ones as `given`,
 * the pending ones as submitted.
 *
 *	begin  7 waiting  8 waiting  8 running | begin  8 given  7 waiting ...
 *	                                             8 completed  7 completed
 *
 * Here 7 waited under the first scheduler and ran under the second; 8 began under
 * the first and ended under the second. So the first line about a job of a later
 * scheduler is joined with its latest line of the earlier one, if that was open:
 *
 *	before    here       together
 *	running   given      it ran from then on until it ended here
 *	waiting   given      the same: it began meanwhile
 *	waiting   waiting    it waited since then
 *	running   waiting    it was requeued: it ran until here, and waits again
 *	waiting   -          withdrawn when the later scheduler began
 *	running   -          ended when it began
 *
 * The state of a later scheduler is dropped, except for jobs that have nodes and
 * no earlier line. Cost: O(n log n) time, and memory for each job's record.
 */
#include "trace/joined.h"

#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/number.h"

struct joined_entry {
	struct torus_trace_record r; /* latest line of its stay */
	bool dropped;
};

struct torus_joined {
	struct joined_entry *entry;
	size_t entries;
	uint32_t room;
	size_t *stay; /* 1 + the entry of each stay of the present scheduler; or
			 0: none */
	size_t stays;
	uint64_t crossed;
	struct torus_trace_record **order; /* entries that remain */
	size_t count, next;
};

struct torus_joined *torus_joined_create(void)
{
	return torus_alloc(1, sizeof(struct torus_joined));
}

void torus_joined_destroy(struct torus_joined *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->entries; i++)
		torus_trace_record_free(&j->entry[i].r);
	torus_free(j->entry);
	torus_free(j->stay);
	torus_free(j->order);
	torus_free(j);
}

uint64_t torus_joined_crossed(const struct torus_joined *j)
{
	return j->crossed;
}

/* A stay number beyond all lines is invalid and ignored. */
int torus_joined_add(struct torus_joined *j, const struct torus_trace_record *r)
{
	uint64_t stay = !r->kind && r->stay <= r->line ? r->stay : 0;
	struct joined_entry *e;

	/* room for one more entry, and that stay */
	if (TORUS_GROW(j->entry, j->room, j->entries + 1))
		return -1;
	if (stay >= j->stays) {
		size_t stays = stay < 128 ? 256 : 2 * (size_t)stay;

		if (TORUS_RESIZE(j->stay, stays))
			return -1;
		memset(j->stay + j->stays, 0,
		       (stays - j->stays) * sizeof(*j->stay));
		j->stays = stays;
	}
	if (r->kind == TORUS_TRACE_KIND_BEGIN)
		memset(j->stay, 0, j->stays * sizeof(*j->stay));
	if (stay && j->stay[stay]) {
		e = &j->entry[j->stay[stay] - 1];
		torus_trace_record_free(&e->r);
	} else {
		e = &j->entry[j->entries++];
		*e = (struct joined_entry){ .dropped = false };
		if (stay)
			j->stay[stay] = j->entries;
	}
	return torus_trace_record_copy(&e->r, r);
}

/* Joining */

static bool joined_runs(const struct torus_trace_record *r)
{
	return r->start_us != TORUS_NO_TIME;
}

static void joined_set_end(struct torus_trace_record *r, int64_t end_us)
{
	r->run_us = end_us > r->start_us ? end_us - r->start_us : 0;
}

/* Close a job that ended, or was withdrawn, between two schedulers. */
static void joined_close(struct torus_joined *j, struct torus_trace_record *r,
			 int64_t at_us)
{
	r->open = false;
	if (joined_runs(r))
		joined_set_end(r, at_us);
	else
		r->left_us = at_us;
	j->crossed += !r->begun;
}

/* Join the lines of one job, listed by a later scheduler at its begin. Return
 * -1 with ENOMEM. */
static int joined_join(struct torus_joined *j, struct joined_entry *before,
		       struct joined_entry *here, int64_t at_us)
{
	if (here->r.begun) {
		struct torus_trace_record r = before->r, *record = &here->r;
		int64_t end_us = record->start_us + record->run_us;

		/* Join a job that continued to run or began between the schedulers. The later
		 * entry replaces the earlier one. */
		if (!joined_runs(&r)) {
			r.start_us = record->start_us;
			memcpy(r.place, record->place, sizeof(r.place));
		}
		joined_set_end(&r, end_us);
		for (uint32_t i = 0; i < record->changes; i++) {
			r.changes -= r.changes == TORUS_TRACE_CHANGES;
			r.change[r.changes++] = record->change[i];
		}
		r.open = record->open;
		j->crossed += !r.open && !r.begun;
		before->r = *record;
		before->dropped = true;
		here->r = r;
	} else if (joined_runs(&before->r)) { /* requeued */
		joined_close(j, &before->r, at_us);
	} else {
		struct torus_text only = { 0 };
		int rc;

		before->dropped = true;
		here->r.submit_us = before->r.submit_us;
		here->r.since_us = before->r.since_us;
		here->r.stay = before->r.stay;
		/* Join the nodes that the job might use before and after the change of
		 * schedulers. */
		if (!before->r.only.length && !here->r.only.length)
			return 0;
		rc = torus_text_add(&only, "%s %lld.%06lld=%s",
				    before->r.only.length ? before->r.only.data :
							    "all",
				    (long long)(at_us / 1000000),
				    (long long)(at_us % 1000000),
				    here->r.only.length ? here->r.only.data :
							  "all");
		torus_text_free(&here->r.only);
		here->r.only = only;
		return rc;
	}
	return 0;
}

static int joined_by_id(const void *a, const void *b)
{
	const struct joined_entry *x = *(struct joined_entry *const *)a;
	const struct joined_entry *y = *(struct joined_entry *const *)b;

	return strcmp(x->r.id, y->r.id);
}

/* The jobs that were open when a scheduler ended, by id. */
struct joined_open {
	struct joined_entry **list;
	size_t count;
};

/* Return true for a state line with the job's nodes, or for its
 * continuation. */
static bool joined_is_hold(const struct torus_text *text, uint64_t job)
{
	uint64_t n;

	return text->length && strncmp(text->data, "hold ", 5) == 0 &&
	       torus_number_scan_whole(text->data + 5, UINT64_MAX, &n) &&
	       n == job;
}

/* Join two schedulers: one began at entry `part`, the one before it at `from`.
 * Return -1 with ENOMEM. */
static int joined_cross(struct torus_joined *j, size_t from, size_t part,
			size_t to, struct joined_open *open)
{
	int64_t at_us = j->entry[part].r.submit_us;
	int rc = 0;
	bool kept = false, more = false;

	open->count = 0;
	for (size_t i = from; i < part; i++) {
		struct joined_entry *e = &j->entry[i];

		if (!e->r.kind && e->r.open && !e->dropped)
			open->list[open->count++] = e;
	}
	qsort(open->list, open->count, sizeof(*open->list), joined_by_id);
	for (size_t i = part; i < to && open->count; i++) {
		struct joined_entry *here = &j->entry[i], **before;

		if (here->r.kind || here->r.submit_us != at_us)
			continue;
		before = bsearch(&here, open->list, open->count,
				 sizeof(*open->list), joined_by_id);
		if (before && (*before)->r.open && !(*before)->dropped)
			rc |= joined_join(j, *before, here, at_us);
	}
	for (size_t i = 0; i < open->count; i++) {
		if (open->list[i]->r.open && !open->list[i]->dropped)
			joined_close(j, &open->list[i]->r, at_us);
	}
	/* In the states at this time, keep only the lines about new jobs. */
	for (size_t i = part; i < to; i++) {
		struct torus_trace_record *r = &j->entry[i].r;
		size_t n = r->text.length;

		if (r->kind != TORUS_TRACE_KIND_STATE || r->submit_us != at_us)
			continue;
		for (size_t k = i; !more && k < to; k++) {
			const struct joined_entry *e = &j->entry[k];

			if (e->r.submit_us > at_us)
				break;
			kept = e->r.begun && e->r.submit_us == at_us &&
			       joined_is_hold(&r->text, e->r.begun);
			if (kept)
				break;
		}
		j->entry[i].dropped = !kept;
		more = n && r->text.data[n - 1] == '\\';
	}
	return rc;
}

static size_t joined_next_begin(const struct torus_joined *j, size_t from)
{
	while (from < j->entries &&
	       j->entry[from].r.kind != TORUS_TRACE_KIND_BEGIN)
		from++;
	return from;
}

static int joined_in_order(const void *a, const void *b)
{
	return torus_trace_by_submission(*(struct torus_trace_record *const *)a,
					 *(struct torus_trace_record *const *)b);
}

/* A job that is not over at the end is not part of the trace. */
static bool joined_is_left(const struct joined_entry *e)
{
	return !e->dropped && e->r.kind < TORUS_TRACE_KIND_BEGIN &&
	       (!e->r.open || e->r.begun);
}

int torus_joined_finish(struct torus_joined *j)
{
	size_t from = 0, part = joined_next_begin(j, 0), to;
	struct joined_open open = { 0 };
	int rc = 0;

	j->order = torus_alloc(j->entries + 1,
			       sizeof(struct torus_trace_record *));
	open.list = torus_alloc(j->entries + 1, sizeof(*open.list));
	if (!j->order || !open.list) {
		torus_free(open.list);
		return -1;
	}
	for (; part < j->entries; from = part, part = to) {
		to = joined_next_begin(j, part + 1);
		if (part > 0)
			rc |= joined_cross(j, from, part, to, &open);
	}
	torus_free(open.list);
	for (size_t i = 0; i < j->entries; i++) {
		if (joined_is_left(&j->entry[i]))
			j->order[j->count++] = &j->entry[i].r;
	}
	qsort(j->order, j->count, sizeof(*j->order), joined_in_order);
	return rc;
}

const struct torus_trace_record *torus_joined_next(struct torus_joined *j)
{
	return j->next < j->count ? j->order[j->next++] : NULL;
}
