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
 * They are one job. (A requeued job begins later than its run before ended, by seconds.)
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
	char place[];
};

struct torus_sorted {
	struct sorted_entry **entry;
	uint32_t room;
	uint64_t count, next;
	bool finished;
	struct torus_trace_record record; /* the latest that was returned */
};

struct torus_sorted *torus_sorted_create(void)
{
	return torus_alloc(1, sizeof(struct torus_sorted));
}

static struct torus_trace_record *entry_record(struct sorted_entry *e)
{
	return (struct torus_trace_record *)(void *)e->usual;
}

void torus_sorted_destroy(struct torus_sorted *s)
{
	if (!s)
		return;
	for (uint64_t i = 0; i < s->count; i++) {
		torus_free(entry_record(s->entry[i])->request);
		torus_free(s->entry[i]);
	}
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
	if (r->shaped) {
		to->request = torus_alloc(1, sizeof(*to->request));
		if (!to->request) {
			torus_free(e);
			return -1;
		}
		torus_request_copy(to->request, r->request);
	}
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

/* Add the run of a piece to that of the one before, if it begins when that one ends. */
static bool sorted_join_two(struct sorted_entry *first,
			    const struct sorted_piece *next,
			    struct sorted_entry *second)
{
	struct torus_trace_record *a = entry_record(first);
	const struct torus_trace_record *b = entry_record(second);

	if (strcmp(a->id, b->id) != 0 || a->submit_us != b->submit_us ||
	    first->cluster != second->cluster ||
	    strcmp(a->user, b->user) != 0 || a->requested != b->requested ||
	    entry_start_us(first) + a->run_us != next->start_us)
		return false;
	a->run_us += b->run_us;
	return true;
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
		struct sorted_entry *e = s->entry[piece[i].index];

		if (piece[i].hash != piece[first].hash ||
		    !sorted_join_two(s->entry[piece[first].index], &piece[i],
				     e)) {
			first = i;
			continue;
		}
		torus_select_uncount(entry_record(e), counts);
		counts->joined++;
		torus_free(entry_record(e)->request);
		torus_free(e);
		s->entry[piece[i].index] = NULL;
	}
	for (uint64_t i = 0; i < s->count; i++)
		if (s->entry[i])
			s->entry[kept++] = s->entry[i];
	s->count = kept;
	torus_free(piece);
	return 0;
}

int torus_sorted_finish(struct torus_sorted *s,
			struct torus_trace_counts *counts)
{
	struct sorted_event *event;
	int64_t nodes = 0, most = 0;
	uint64_t n = 0;

	if (s->finished)
		return 0;
	s->finished = true;
	if (sorted_join(s, counts))
		return -1;
	if (s->count)
		qsort(s->entry, s->count, sizeof(*s->entry), sorted_by_arrival);
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
	return &s->record;
}
