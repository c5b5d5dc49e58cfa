/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs of a history in memory (trace/select.h): records without what few of
 * them have, and pointers to them, which are sorted. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "trace/select.h"

#define USUAL offsetof(struct torus_trace_record, place)

/* A record up to its place; its place, of which most have none. */
struct sorted_entry {
	char usual[USUAL] __attribute__((aligned(8)));
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

int torus_sorted_finish(struct torus_sorted *s, uint32_t *in_use)
{
	struct sorted_event *event;
	int64_t nodes = 0, most = 0;
	uint64_t n = 0;

	if (s->finished)
		return 0;
	s->finished = true;
	if (s->count)
		qsort(s->entry, s->count, sizeof(*s->entry), sorted_by_arrival);
	/* Count the nodes in use at once; a job that was cut by a window still has its start. */
	event = torus_alloc(2 * s->count + 1, sizeof(*event));
	if (!event)
		return -1;
	for (uint64_t i = 0; i < s->count; i++) {
		const struct torus_trace_record *r = entry_record(s->entry[i]);
		int64_t from_us = r->start_us;

		if (from_us == TORUS_NO_TIME)
			continue;
		if (from_us < r->submit_us)
			from_us = r->submit_us;
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
	*in_use = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
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
