/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reorder window (input.h): a sorted ring of pointers to records.
 *
 *	  taken                                          added
 *	<--------  [5 s] [7 s] [7 s] [9 s] ... [80 s]  <--------
 *	           first                     inserted from the back
 *
 * Cost per job: O(1) if the trace is in order, O(k) moves of a pointer for a
 * job that is k places too late. The records are reused in turn, so that memory
 * accesses are sequential.
 */
#include "trace/input/input.h"

#include <stddef.h>

#include "torus/alloc.h"

/* Number of records in the window before the first is taken. Further ones are
 * read in batches, so that the code that reads lines and the code that replays
 * jobs do not drive each other out of the cache (0.97 of a replay's time). Two
 * more are in use: one is being filled, one belongs to the caller. */
#define HELD (TORUS_TRACE_WINDOW + 1)
#define BATCH 64
#define RECORDS (HELD + BATCH + 2)
#define RING 16384
#define AT(i) ((i) & (RING - 1))
#define SOON 4
#define CACHE_LINE 64
#define USUAL offsetof(struct torus_trace_record, place) /* few have more */

_Static_assert(RING >= RECORDS, "the ring holds every record");

struct torus_window {
	uint32_t first, count;
	bool filling;                  /* a batch is being read */
	uint32_t spares, spares_least; /* so many were never used */
	int64_t taken_us;              /* the latest submit time taken */
	struct torus_trace_record *current;
	struct torus_trace_record *spare[RECORDS];
	struct torus_trace_record *ring[RING];
	struct torus_trace_record record[RECORDS];
};

struct torus_window *torus_window_create(void)
{
	struct torus_window *w = torus_alloc_large(sizeof(*w));
	uint32_t i;

	if (!w)
		return NULL;
	w->taken_us = INT64_MIN;
	for (i = 0; i < RECORDS; i++)
		w->spare[i] = &w->record[RECORDS - 1 - i];
	w->spares = w->spares_least = RECORDS;
	return w;
}

void torus_window_destroy(struct torus_window *w)
{
	/* one more was blank */
	for (uint32_t i = 0; w && i < RECORDS && i <= RECORDS - w->spares_least;
	     i++) {
		torus_free(w->record[i].request);
		torus_text_free(&w->record[i].only);
		torus_text_free(&w->record[i].text);
	}
	torus_free(w);
}

bool torus_window_full(struct torus_window *w)
{
	w->filling = w->count < (w->filling ? HELD + BATCH : HELD);
	return !w->filling;
}

struct torus_trace_record *torus_window_blank(struct torus_window *w)
{
	return w->spare[w->spares - 1];
}

static bool window_before(const struct torus_trace_record *a,
			  const struct torus_trace_record *b)
{
	return a->submit_us != b->submit_us ? a->submit_us < b->submit_us :
					      a->turn < b->turn;
}

/* Return true if more than TORUS_TRACE_WINDOW earlier lines have a later submit time.
 * The window may have given the first of them to the caller already. */
static bool window_too_late(const struct torus_window *w,
			    const struct torus_trace_record *record)
{
	uint32_t most = w->first + w->count - 1 - TORUS_TRACE_WINDOW;

	return record->submit_us < w->taken_us ||
	       (w->count > TORUS_TRACE_WINDOW &&
		record->submit_us < w->ring[AT(most)]->submit_us);
}

bool torus_window_add(struct torus_window *w)
{
	struct torus_trace_record *record = torus_window_blank(w);
	uint32_t at = w->first + w->count;

	if (window_too_late(w, record))
		return false;
	while (at != w->first && window_before(record, w->ring[AT(at - 1)])) {
		w->ring[AT(at)] = w->ring[AT(at - 1)];
		at--;
	}
	w->ring[AT(at)] = record;
	w->count++;
	w->spares--;
	if (w->spares < w->spares_least)
		w->spares_least = w->spares;
	return true;
}

const struct torus_trace_record *torus_window_take(struct torus_window *w)
{
	const char *record;

	if (w->current)
		w->spare[w->spares++] = w->current;
	w->current = NULL;
	if (!w->count)
		return NULL;
	w->current = w->ring[AT(w->first)];
	/* Fetch a record that is taken soon: it was written thousands of jobs ago, and waiting
	 * for it would take a twentieth of a replay's time. */
	record = (const char *)w->ring[AT(w->first + SOON)];
	if (w->count > SOON) {
		for (size_t i = 0; i < USUAL; i += CACHE_LINE)
			__builtin_prefetch(record + i);
	}
	w->first++;
	w->count--;
	w->taken_us = w->current->submit_us;
	return w->current;
}
