/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs of a history in memory (trace/select.h): records without what few of
 * them have, and pointers to them, which are sorted.
 *
 * sacct -T writes a job that runs beyond the window of time as if it had ended there, or
 * begun; monthly files of it have each such job in pieces, with the same id and submission:
 *
 *	January   |  start -----------|
 *	February                      |------- end
 *
 * They are one job. (A requeued job begins later than its run before ended, by seconds.) The
 * first piece is RUNNING if January was written before the job ended; no other record of a
 * running job has an end. What is cut at the first or last second of all files has no other
 * piece: several jobs begin, or end, at once then.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "trace/select.h"

#define USUAL offsetof(struct torus_trace_record, place)

/* A record up to its place; its place, of which most have none. */
struct sorted_entry {
	char usual[USUAL] __attribute__((aligned(8)));
	uint64_t cluster; /* hash of its name: each cluster numbers its own jobs */
	struct torus_trace_account *accounting; /* by_line; else NULL */
	char place[];
};

struct torus_sorted {
	bool by_line;
	struct sorted_entry **entry;
	uint32_t room;
	uint64_t count, next;
	bool finished;
	struct torus_trace_record record; /* the latest that was returned */
};

struct torus_sorted *torus_sorted_create(bool by_line)
{
	struct torus_sorted *s = torus_alloc(1, sizeof(*s));

	if (s)
		s->by_line = by_line;
	return s;
}

static struct torus_trace_record *entry_record(struct sorted_entry *e)
{
	return (struct torus_trace_record *)(void *)e->usual;
}

static void entry_free(struct sorted_entry *e)
{
	torus_free(entry_record(e)->request);
	torus_free(e->accounting);
	torus_free(e);
}

void torus_sorted_destroy(struct torus_sorted *s)
{
	if (!s)
		return;
	for (uint64_t i = 0; i < s->count; i++)
		if (s->entry[i])
			entry_free(s->entry[i]);
	torus_free(s->entry);
	torus_free(s);
}

int torus_sorted_add(struct torus_sorted *s, const struct torus_trace_record *r)
{
	size_t place = strlen(r->place) + 1;
	struct torus_trace_record *to;
	struct sorted_entry *e;

	if (TORUS_GROW(s->entry, s->room, s->count + 1))
		return -1;
	e = torus_alloc(1, sizeof(*e) + place);
	if (!e)
		return -1;
	memcpy(e->usual, r, USUAL);
	memcpy(e->place, r->place, place);
	e->cluster = torus_hash_text(TORUS_HASH_START, r->cluster);
	to = entry_record(e);
	to->request = NULL;
	to->only = to->text = (struct torus_text){ 0 };
	if (r->shaped)
		to->request = torus_alloc(1, sizeof(*to->request));
	if (s->by_line)
		e->accounting = torus_alloc(1, sizeof(*e->accounting));
	if ((r->shaped && !to->request) || (s->by_line && !e->accounting)) {
		entry_free(e);
		return -1;
	}
	if (r->shaped)
		torus_request_copy(to->request, r->request);
	if (s->by_line)
		*e->accounting = r->accounting;
	s->entry[s->count++] = e;
	return 0;
}

static int sorted_by_arrival(const void *a, const void *b)
{
	const struct torus_trace_record *x = entry_record(
		*(struct sorted_entry *const *)a);
	const struct torus_trace_record *y = entry_record(
		*(struct sorted_entry *const *)b);

	if (x->submit_us != y->submit_us)
		return x->submit_us < y->submit_us ? -1 : 1;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int sorted_by_line(const void *a, const void *b)
{
	const struct torus_trace_record *x = entry_record(
		*(struct sorted_entry *const *)a);
	const struct torus_trace_record *y = entry_record(
		*(struct sorted_entry *const *)b);

	return x->line < y->line ? -1 : x->line > y->line;
}

/* A start or an end. */
struct sorted_event {
	int64_t at_us;
	int64_t nodes; /* below 0: given back */
};

/* Order by time; ends first. */
static int sorted_by_time(const void *a, const void *b)
{
	const struct sorted_event *x = a, *y = b;

	if (x->at_us != y->at_us)
		return x->at_us < y->at_us ? -1 : 1;
	return x->nodes < y->nodes ? -1 : x->nodes > y->nodes;
}

static int64_t entry_start_us(struct sorted_entry *e)
{
	const struct torus_trace_record *r = entry_record(e);

	/* a job that was cut by a window still has its start */
	return r->start_us < r->submit_us ? r->submit_us : r->start_us;
}

/* A record that has a start. */
struct sorted_piece {
	uint64_t hash; /* of its id, cluster and arrival */
	int64_t start_us;
	uint64_t index;
};

static int sorted_by_job(const void *a, const void *b)
{
	const struct sorted_piece *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Return true if the second piece begins when the first one ends, which is open or has
 * ended as the second one has. */
static bool sorted_follows(struct sorted_entry *first,
			   const struct sorted_piece *next,
			   struct sorted_entry *second)
{
	const struct torus_trace_record *a = entry_record(first);
	const struct torus_trace_record *b = entry_record(second);

	return (a->open || !b->open) && !strcmp(a->id, b->id) &&
	       a->submit_us == b->submit_us &&
	       first->cluster == second->cluster && !strcmp(a->user, b->user) &&
	       a->requested == b->requested &&
	       entry_start_us(first) + a->run_us == next->start_us;
}

/* Make one job of the two. Return the piece that goes: the second one, or one that is open,
 * which has neither shape nor place yet. */
static struct sorted_entry *sorted_join_two(struct sorted_entry *first,
					    struct sorted_entry *second,
					    struct torus_trace_counts *counts)
{
	struct torus_trace_record *a = entry_record(first);
	struct torus_trace_record *b = entry_record(second);

	counts->joined++;
	if (a->open) {
		counts->unfinished--;
		counts->limit_used += b->open ? 0 : a->limit_used;
		b->start_us = a->start_us;
		b->run_us += a->run_us;
		b->limit_us = a->limit_us;
		b->limit_used += a->limit_used;
		b->turn = a->turn;
		b->held_us = a->held_us;
		return first;
	}
	torus_select_uncount(b, counts);
	a->run_us += b->run_us;
	a->limit_used += b->limit_used;
	if (first->accounting)
		first->accounting->end_us = second->accounting->end_us;
	return second;
}

/* Join pieces. Return 0, or -1 with ENOMEM. */
static int sorted_join(struct torus_sorted *s, struct torus_trace_counts *counts)
{
	struct sorted_piece *piece = torus_alloc(s->count + 1, sizeof(*piece));
	uint64_t n = 0, kept = 0;

	if (!piece)
		return -1;
	for (uint64_t i = 0; i < s->count; i++) {
		const struct torus_trace_record *r = entry_record(s->entry[i]);

		if (r->start_us == TORUS_NO_TIME)
			continue;
		piece[n++] = (struct sorted_piece){
			torus_hash_text(s->entry[i]->cluster, r->id) ^
				(uint64_t)r->submit_us,
			entry_start_us(s->entry[i]), i
		};
	}
	qsort(piece, n, sizeof(*piece), sorted_by_job);
	for (uint64_t i = 1, first = 0; i < n; i++) {
		struct sorted_entry **a = &s->entry[piece[first].index];
		struct sorted_entry **b = &s->entry[piece[i].index], *gone;

		if (piece[i].hash != piece[first].hash ||
		    !sorted_follows(*a, &piece[i], *b)) {
			first = i;
			continue;
		}
		gone = sorted_join_two(*a, *b, counts);
		if (gone == *a) {
			*a = NULL;
			first = i;
		} else {
			*b = NULL;
		}
		entry_free(gone);
	}
	counts->truncated = counts->joined > 0;
	for (uint64_t i = 0; i < s->count; i++) {
		struct sorted_entry *e = s->entry[i];

		if (e && entry_record(e)->open) {
			counts->truncated = true;
			entry_free(e);
		} else if (e) {
			s->entry[kept++] = e;
		}
	}
	s->count = kept;
	torus_free(piece);
	return 0;
}

/* Return copy `number` of a job, under a name of its own; NULL with ENOMEM. */
static struct sorted_entry *entry_copy(struct sorted_entry *e, uint32_t number)
{
	size_t size = sizeof(*e) + strlen(e->place) + 1;
	struct sorted_entry *copy = torus_alloc(1, size);
	const struct torus_trace_record *r = entry_record(e);
	struct torus_trace_record *to;

	if (!copy)
		return NULL;
	memcpy(copy, e, size);
	to = entry_record(copy);
	torus_select_name_copy(to, r->id, number);
	to->request = r->request ? torus_alloc(1, sizeof(*to->request)) : NULL;
	copy->accounting = e->accounting ?
				   torus_alloc(1, sizeof(*e->accounting)) :
				   NULL;
	if ((r->request && !to->request) ||
	    (e->accounting && !copy->accounting)) {
		entry_free(copy);
		return NULL;
	}
	if (r->request)
		torus_request_copy(to->request, r->request);
	if (e->accounting)
		*copy->accounting = *e->accounting;
	return copy;
}

/* Multiply the jobs by their users' factors. Return 0, or -1 with ENOMEM. */
static int sorted_multiply(struct torus_sorted *s, struct torus_select *select,
			   struct torus_trace_counts *counts)
{
	uint64_t jobs = s->count, kept = 0;

	for (uint64_t i = 0; i < jobs; i++) {
		struct torus_trace_record *r = entry_record(s->entry[i]);
		uint32_t copies = torus_select_copies(select, r);

		for (uint32_t k = 2; k <= copies; k++) {
			if (TORUS_GROW(s->entry, s->room, s->count + 1))
				return -1;
			s->entry[s->count] = entry_copy(s->entry[i], k);
			if (!s->entry[s->count])
				return -1;
			s->count++;
			torus_select_count(select, r, counts);
			counts->components += r->component;
			counts->jobs++;
		}
		if (copies == 0) {
			torus_select_uncount(r, counts);
			counts->limit_used -= r->limit_used;
			counts->other++;
			entry_free(s->entry[i]);
			s->entry[i] = NULL;
		}
	}
	for (uint64_t i = 0; i < s->count; i++)
		if (s->entry[i])
			s->entry[kept++] = s->entry[i];
	s->count = kept;
	return 0;
}

/* Count the jobs that begin at the first second, though they could begin before, or end at the
 * last one. */
static void sorted_note_cut(const struct torus_sorted *s,
			    struct torus_trace_counts *counts)
{
	counts->first_us = INT64_MAX;
	counts->last_us = INT64_MIN;
	for (uint64_t i = 0; i < s->count; i++) {
		const struct torus_trace_record *r = entry_record(s->entry[i]);
		int64_t end_us;

		if (r->start_us == TORUS_NO_TIME)
			continue;
		end_us = entry_start_us(s->entry[i]) + r->run_us;
		if (r->start_us < counts->first_us) {
			counts->first_us = r->start_us;
			counts->cut_begin = 0;
		}
		if (end_us > counts->last_us) {
			counts->last_us = end_us;
			counts->cut_end = 0;
		}
		counts->cut_begin += r->start_us == counts->first_us &&
				     r->submit_us < r->start_us;
		counts->cut_end += end_us == counts->last_us;
	}
}

int torus_sorted_finish(struct torus_sorted *s, struct torus_select *select,
			struct torus_trace_counts *counts)
{
	struct sorted_event *event;
	int64_t nodes = 0, most = 0;
	uint64_t n = 0;

	if (s->finished)
		return 0;
	s->finished = true;
	if (sorted_join(s, counts) || sorted_multiply(s, select, counts))
		return -1;
	sorted_note_cut(s, counts);
	if (s->count)
		qsort(s->entry, s->count, sizeof(*s->entry),
		      s->by_line ? sorted_by_line : sorted_by_arrival);
	/* Count the nodes in use at once. */
	event = torus_alloc(2 * s->count + 1, sizeof(*event));
	if (!event)
		return -1;
	for (uint64_t i = 0; i < s->count; i++) {
		const struct torus_trace_record *r = entry_record(s->entry[i]);
		int64_t from_us = entry_start_us(s->entry[i]);

		if (r->start_us == TORUS_NO_TIME)
			continue;
		event[n++] = (struct sorted_event){ from_us, r->used };
		event[n++] = (struct sorted_event){ from_us + r->run_us,
						    -(int64_t)r->used };
	}
	qsort(event, n, sizeof(*event), sorted_by_time);
	for (uint64_t i = 0; i < n; i++) {
		nodes += event[i].nodes;
		if (nodes > most)
			most = nodes;
	}
	torus_free(event);
	counts->in_use = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
	return 0;
}

const struct torus_trace_record *torus_sorted_next(struct torus_sorted *s)
{
	struct sorted_entry *e;

	if (s->next == s->count)
		return NULL;
	e = s->entry[s->next++];
	memcpy(&s->record, e->usual, USUAL);
	strcpy(s->record.place, e->place);
	if (e->accounting)
		s->record.accounting = *e->accounting;
	return &s->record;
}
