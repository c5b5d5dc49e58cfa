/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promises of a cycle (cycle.h) as text and back, so that they outlive the
 * cycle, and slurmctld. A line per job that is admitted or has a reservation:
 *
 *	discipline conservative
 *	job 17 0 0 5f3a00 0 1 1704067260000000 pod0:{0-3}
 *
 * A job is: number, partition, copy, key (hexadecimal), admitted (0 or 1),
 * alternative, start, nodes; `- - -` instead of the last three where nothing is
 * reserved. The end follows from the job's limit.
 *
 * The text is not trusted: a reservation is made only if the plan finds these nodes
 * free at that time for as long as the job may run: a window search among the nodes
 * of one promise at one time.
 */
#include "torus/plan.h"
#include "torus/placement.h"
#include "live/mirror/mirror.h"
#include "live/promises/promises.h"
#include "live/mirror/waiting.h"
#include "live/mirror/cycle_report.h"

#include <errno.h>
#include <stdlib.h>

#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/discipline.h"
#include "torus/text.h"

#define DISCIPLINE "discipline "
#define START_MOST_US (TORUS_NO_TIME / 2)

/* A line as read. */
struct saved_promise {
	struct cycle_name name;
	uint64_t key;
	bool admitted, reserved;
	uint32_t alternative;
	int64_t start_us;
};

static int save_promise(struct cycle *c, const struct mirror_entry *e,
			struct torus_text *text)
{
	const struct torus_reservation *r;
	struct torus_placement place = { .scattered = true, .spread = true };
	uint64_t *nodes;
	int rc;

	if (e->state != ENTRY_QUEUED ||
	    (!e->job.admitted && e->job.reservation == UINT32_MAX))
		return 0;
	if (torus_text_add(text, "job %u %u %u %llx %d ", e->name.job,
			   e->name.part, e->name.copy,
			   (unsigned long long)e->key, e->job.admitted))
		return -1;
	if (e->job.reservation == UINT32_MAX)
		return torus_text_add(text, "- - -\n");
	r = torus_plan_reservation(torus_scheduler_plan(c->scheduler),
				   e->job.reservation);
	if (torus_text_add(text, "%u %lld ", e->job.alternative,
			   (long long)r->start_us))
		return -1;
	place.nodes = nodes = torus_scratch_take(&c->scratch);
	torus_bits_zero(nodes, c->m->words);
	torus_placement_paint(c->m, &r->place, nodes);
	rc = torus_placement_format(c->m, &place, text);
	torus_scratch_return(&c->scratch, nodes);
	return rc ? rc : torus_text_add(text, "\n");
}

int saved_promises_save(struct cycle *c, struct torus_text *text)
{
	if (torus_text_add(text, DISCIPLINE "%s\n",
			   c->settings.discipline->name))
		return -1;
	for (const struct mirror_entry *e = c->waiting.first; e; e = e->next) {
		if (save_promise(c, e, text))
			return -1;
	}
	return 0;
}

/* Read a whole number and the blank after it. */
static bool saved_read_number(char **cursor, uint64_t most, uint64_t *value)
{
	const char *end = torus_number_scan_whole(*cursor, most, value);

	if (!end || *end != ' ')
		return false;
	*cursor += end - *cursor + 1;
	return true;
}

/* Read hexadecimal digits, as "%llx" writes them, and the blank after them. */
static bool saved_read_key(char **cursor, uint64_t *key)
{
	size_t digits = strspn(*cursor, "0123456789abcdef");

	if (digits < 1 || digits > 16 || (*cursor)[digits] != ' ')
		return false;
	*key = strtoull(*cursor, NULL, 16);
	*cursor += digits + 1;
	return true;
}

/* Read a line; *cursor ends at its nodes. */
static bool saved_read_promise(char **cursor, struct saved_promise *p)
{
	uint64_t job, part, copy, admitted, alternative, start;

	if (strncmp(*cursor, "job ", 4) != 0)
		return false;
	*cursor += 4;
	if (!saved_read_number(cursor, UINT32_MAX, &job) ||
	    !saved_read_number(cursor, UINT32_MAX, &part) ||
	    !saved_read_number(cursor, UINT32_MAX, &copy) ||
	    !saved_read_key(cursor, &p->key) ||
	    !saved_read_number(cursor, 1, &admitted))
		return false;
	p->name = (struct cycle_name){ (uint32_t)job, (uint32_t)part,
				       (uint32_t)copy };
	p->admitted = admitted;
	p->reserved = strcmp(*cursor, "- - -") != 0;
	if (!p->reserved)
		return true;
	if (!saved_read_number(cursor, TORUS_MAX_ALTERNATIVES - 1,
			       &alternative) ||
	    !saved_read_number(cursor, START_MOST_US, &start))
		return false;
	p->alternative = (uint32_t)alternative;
	p->start_us = (int64_t)start;
	return true;
}

/*
 * Find a window among the ask's nodes at the promised start, or up to
 * CYCLE_CLOCK_ERROR_US earlier if the nodes become free then. A restarted host
 * knows the ends of running jobs in whole seconds only; without this the next
 * pass would move the job to another place to gain a second. Return false if
 * there is no window.
 */
static bool promised_window(struct cycle *c, const struct mirror_entry *e,
			    const struct torus_ask *ask, int64_t *start_us,
			    struct torus_placement *place)
{
	struct torus_plan *plan = torus_scheduler_plan(c->scheduler);
	struct torus_window_bounds bounds = {
		.now_us = c->now_us,
		.from_us = *start_us,
		.latest_us = *start_us,
		.length_us = e->job.limit_us,
	};
	int64_t earlier_us;

	if (torus_plan_window(plan, ask, &bounds, NULL, start_us, place) !=
	    TORUS_FITS)
		return false;
	bounds.from_us -= CYCLE_CLOCK_ERROR_US;
	if (bounds.from_us < c->now_us)
		bounds.from_us = c->now_us;
	if (torus_plan_window(plan, ask, &bounds, NULL, &earlier_us, place) ==
		    TORUS_FITS &&
	    earlier_us > bounds.from_us)
		*start_us = earlier_us;
	return true;
}

/* Make the reservation again if the job may use the nodes. */
static void reserve_again(struct cycle *c, struct mirror_entry *e,
			  const struct saved_promise *p, const uint64_t *nodes)
{
	struct torus_promise promise = { .admitted = p->admitted,
					 .alternative = p->alternative,
					 .start_us = p->start_us };
	struct torus_placement place;
	struct torus_ask ask;

	if (p->alternative >= e->job.request.alternatives ||
	    (e->allowed && !torus_bits_subset(nodes, e->allowed, c->m->words)))
		return;
	ask = torus_ask_among(&e->job.request.alternative[p->alternative].ask,
			      nodes);
	ask.outages = e->outages;
	ask.now_us = c->now_us;
	ask.end_us = torus_time_after(c->now_us, e->job.limit_us);
	if (!promised_window(c, e, &ask, &promise.start_us, &place))
		return;
	promise.end_us = torus_time_after(promise.start_us, e->job.limit_us);
	promise.place = &place;
	torus_scheduler_resume(c->scheduler, &e->job, &promise);
}

/* Restore a promise. The job is submitted if the first update had no time for it: the
 * text is used once. An admitted job stays admitted: if its reservation cannot be
 * made, the next pass gives it another. */
static void saved_keep_promise(struct cycle *c, const struct saved_promise *p,
			       const uint64_t *nodes)
{
	struct mirror_entry *e = mirror_table_find(&c->waiting, &p->name);

	if (!e || e->key != p->key)
		return;
	waiting_submit_missed(c, e);
	if (e->state != ENTRY_QUEUED)
		return;
	e->job.admitted = p->admitted;
	if (p->reserved && p->start_us > c->now_us &&
	    e->job.reservation == UINT32_MAX)
		reserve_again(c, e, p, nodes);
}

static int refuse_line(uint32_t line, const char *text, const char *expected,
		       struct torus_error *err)
{
	return torus_error_add(err,
			       "promises: line %u: got \"%.60s\": expected %s",
			       line, text, expected);
}

/* Overwrites `nodes`. */
static int restore_lines(struct cycle *c, char *text, uint64_t *nodes,
			 struct torus_error *err)
{
	struct saved_promise p = { 0 };
	char *line, *cursor;

	for (uint32_t n = 2; (line = strsep(&text, "\n")) && *line; n++) {
		cursor = line;
		if (!saved_read_promise(&cursor, &p))
			return refuse_line(n, line,
					   "job, number, partition, copy, key, admitted, alternative, start, nodes",
					   err);
		if (p.reserved && torus_nodes_parse(c->m, cursor, nodes, err))
			return -1;
		saved_keep_promise(c, &p, nodes);
	}
	return 0;
}

int saved_promises_restore(struct cycle *c, const char *text,
			   struct torus_error *err)
{
	char *copy = torus_text_copy(text), *cursor = copy, *first;
	uint64_t *nodes;
	int rc = 0;

	if (!copy)
		return -1;
	first = strsep(&cursor, "\n");
	if (strncmp(first, DISCIPLINE, strlen(DISCIPLINE)) != 0)
		rc = refuse_line(1, first, DISCIPLINE "and its name", err);
	else if (cursor && strcmp(first + strlen(DISCIPLINE),
				  c->settings.discipline->name) == 0) {
		nodes = torus_scratch_take(&c->scratch);
		rc = restore_lines(c, cursor, nodes, err);
		torus_scratch_return(&c->scratch, nodes);
		cycle_report_waiting(c);
	}
	torus_free(copy);
	return rc;
}
