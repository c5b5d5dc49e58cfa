/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a trace that can be replayed separately, and their order. Jobs
 * are sorted by the time at which they could start, and within one instant by
 * turn or number, as assigned by slurmctld. A journal has the order in which they came:
 * changes of the machine and the jobs that had nodes, then the stays by number. (An update
 * without time for all its jobs does not submit them by turn.)
 *
 * A journal (format/journal.h) has several lines per job, of which the last one
 * counts, and is cut into parts:
 *
 *	begin  a1 a2 b1  until  b2 c1  until  c2 | begin ...
 *	[----------------------------------]  not all of it is here: left out
 *
 * After lost lines, or if the journal continues an earlier file, nothing is known
 * until the next scheduler begins. A journal of an older version has no marks, and
 * is one part. Cost: O(n log n) time.
 */
#include "trace/joined.h"

#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

#define SECOND_US INT64_C(1000000)

/* Compare digits by value, everything else by character: 9 < 12 < 12_3 <
 * 12_10. */
static int compare_ids(const char *a, const char *b)
{
	while (*a && *b) {
		uint64_t x, y;
		const char *after_a = torus_number_scan_whole(a, UINT64_MAX, &x);
		const char *after_b = torus_number_scan_whole(b, UINT64_MAX, &y);

		if (!after_a || !after_b) {
			if (*a != *b)
				return *a < *b ? -1 : 1;
			a++;
			b++;
			continue;
		}
		if (x != y)
			return x < y ? -1 : 1;
		a = after_a;
		b = after_b;
	}
	return (*a != '\0') - (*b != '\0');
}

int torus_trace_by_submission(const struct torus_trace_record *x,
			      const struct torus_trace_record *y)
{
	int ids;

	if (x->submit_us != y->submit_us)
		return x->submit_us < y->submit_us ? -1 : 1;
	if ((x->turn == INT64_MIN) != (y->turn == INT64_MIN))
		return x->turn < y->turn ? -1 : 1;
	if (x->stay != y->stay)
		return x->stay < y->stay ? -1 : 1;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	ids = compare_ids(x->id, y->id);
	if (ids)
		return ids;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int parts_by_submission(const void *a, const void *b)
{
	return torus_trace_by_submission(a, b);
}

/* Sort the lines of a job together; those without a number first. */
static int parts_by_stay(const void *a, const void *b)
{
	const struct torus_trace_record *x = a, *y = b;

	if (x->stay != y->stay)
		return x->stay < y->stay ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void part_add(struct torus_trace_parts *all,
		     struct torus_trace_record *record,
		     struct torus_trace_part part)
{
	size_t kept;

	if (part.from == part.to)
		return;
	/* Keep the last line per job in the records from..to. */
	kept = part.from;
	if (part.to > part.from)
		qsort(record + part.from, part.to - part.from, sizeof(*record),
		      parts_by_stay);
	for (size_t i = part.from; i < part.to; i++) {
		struct torus_trace_record r = record[i];

		memset(&record[i], 0, sizeof(r));
		if (r.kind >= TORUS_TRACE_KIND_BEGIN ||
		    (r.stay && i + 1 < part.to && record[i + 1].stay == r.stay))
			torus_trace_record_free(&r);
		else
			record[kept++] = r;
	}
	part.to = kept;
	for (size_t i = part.from;
	     part.until_us != TORUS_NO_TIME && i < part.to; i++) {
		/* A job that runs at the end of a part continues. */
		if (record[i].open && record[i].start_us != TORUS_NO_TIME)
			record[i].run_us = part.until_us + SECOND_US -
					   record[i].start_us;
	}
	if (part.from < part.to)
		qsort(record + part.from, part.to - part.from, sizeof(*record),
		      parts_by_submission);
	all->part[all->count++] = part;
}

int torus_trace_cut(struct torus_trace_record *record, size_t records,
		    struct torus_trace_parts *all)
{
	struct torus_trace_part part = { .until_us = TORUS_NO_TIME };
	bool begun = false, marked = false, lost = false;
	uint32_t most = 1;

	for (size_t i = 0; i < records; i++)
		most += record[i].kind == TORUS_TRACE_KIND_BEGIN;
	*all = (struct torus_trace_parts){
		.part = torus_alloc(most, sizeof(*all->part))
	};
	if (!all->part)
		return -1;
	for (size_t i = 0; i < records; i++) {
		if (record[i].stay && !begun && !marked)
			all->headless++;
		switch (record[i].kind) {
		case TORUS_TRACE_KIND_BEGIN:
			if (!marked && !all->headless)
				part.to = i;
			part_add(all, record, part);
			part = (struct torus_trace_part){ i + 1, i + 1,
							  TORUS_NO_TIME };
			begun = marked = true;
			lost = false;
			break;
		case TORUS_TRACE_KIND_UNTIL:
			if (lost || !begun)
				break;
			part.until_us = record[i].submit_us;
			part.to = i;
			marked = true;
			break;
		case TORUS_TRACE_KIND_LOST:
			lost = true;
			break;
		default:
			break;
		}
	}
	if (!marked && !all->headless)
		part.to = records;
	part_add(all, record, part);
	return 0;
}
