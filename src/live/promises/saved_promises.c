/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promises of a cycle (cycle.h) as JSON and back, so that they outlive the
 * cycle, and slurmctld. Jobs that are admitted or have a reservation:
 *
 *	{
 *	 "format": "torus-promises",
 *	 "schema": 1,
 *	 "discipline": "conservative",
 *	 "jobs": [
 *	  {"job": 17, "part": 0, "copy": 0, "key": "5f3a00", "admitted": false,
 *	   "alternative": 1, "start_us": 1704067260000000, "nodes": "pod0:{0-3}"}
 *	 ],
 *	 "usage": [
 *	  {"user": "ada", "node_s": 7200, "at_us": 1704067200000000, "nodes": 16}
 *	 ]
 *	}
 *
 * Without a reservation the last three of a job are not there; "usage" is there if the
 * discipline orders by it (torus/scheduler.h). The end follows from the job's
 * limit. The form of earlier versions is read as well: a line `discipline NAME` and one for
 * each job, with the same values.
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

#include "format/json.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/discipline.h"
#include "torus/text.h"
#include "torus/usage.h"

#define FORMAT "torus-promises"
#define SCHEMA 1
#define DISCIPLINE "discipline " /* of the older form */
#define START_MOST_US (TORUS_NO_TIME / 2)

/* As read. */
struct saved_promise {
	struct cycle_name name;
	uint64_t key;
	bool admitted, reserved;
	uint32_t alternative;
	int64_t start_us;
};

static int save_promise(struct cycle *c, const struct mirror_entry *e,
			struct json_writer *w)
{
	struct torus_placement place = { .scattered = true, .spread = true };
	const struct torus_reservation *r;
	struct torus_text list = { 0 };
	uint64_t *nodes;
	int rc = 0;

	if (e->state != ENTRY_QUEUED ||
	    (!e->job.admitted && e->job.reservation == UINT32_MAX))
		return 0;
	json_begin(w, NULL, '{');
	json_put(w, "job", "%u", e->name.job);
	json_put(w, "part", "%u", e->name.part);
	json_put(w, "copy", "%u", e->name.copy);
	json_put(w, "key", "\"%llx\"", (unsigned long long)e->key);
	json_put(w, "admitted", e->job.admitted ? "true" : "false");
	if (e->job.reservation != UINT32_MAX) {
		r = torus_plan_reservation(torus_scheduler_plan(c->scheduler),
					   e->job.reservation);
		json_put(w, "alternative", "%u", e->job.alternative);
		json_put(w, "start_us", "%lld", (long long)r->start_us);
		place.nodes = nodes = torus_scratch_take(&c->scratch);
		torus_bits_zero(nodes, c->m->words);
		torus_placement_paint(c->m, &r->place, nodes);
		rc = torus_placement_format(c->m, &place, &list);
		torus_scratch_return(&c->scratch, nodes);
		json_put_string(w, "nodes", list.data ? list.data : "");
		torus_text_free(&list);
	}
	json_end(w, '}');
	return rc;
}

static void save_usage(const struct cycle *c, struct json_writer *w)
{
	struct torus_usage usage;

	if (!torus_scheduler_usage(c->scheduler, 0, &usage))
		return;
	json_begin(w, "usage", '[');
	for (uint32_t i = 0; torus_scheduler_usage(c->scheduler, i, &usage);
	     i++) {
		json_begin(w, NULL, '{');
		json_put_string(w, "user", usage.user);
		json_put(w, "node_s", "%.0f", usage.used / 1e6);
		json_put(w, "at_us", "%lld", (long long)usage.at_us);
		json_put(w, "nodes", "%llu", (unsigned long long)usage.nodes);
		json_end(w, '}');
	}
	json_end(w, ']');
}

int saved_promises_save(struct cycle *c, struct torus_text *text)
{
	struct json_writer w = { .text = text };

	json_begin(&w, NULL, '{');
	json_put_string(&w, "format", FORMAT);
	json_put(&w, "schema", "%u", SCHEMA);
	json_put_string(&w, "discipline", c->settings.discipline->name);
	json_begin(&w, "jobs", '[');
	for (const struct mirror_entry *e = c->waiting.first; e; e = e->next) {
		if (save_promise(c, e, &w))
			return -1;
	}
	json_end(&w, ']');
	save_usage(c, &w);
	json_end(&w, '}');
	return json_finish(&w);
}

bool saved_promises_any(const char *text)
{
	return strstr(text, "{\"job\": ") || strstr(text, "\njob ");
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
	const char *end = torus_number_scan_hex(*cursor, key);

	if (!end || *end != ' ')
		return false;
	*cursor += end - *cursor + 1;
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

/* A member that is a whole number up to `most`. */
static int saved_whole(struct json *json, const struct json_value *value,
		       uint64_t most, uint64_t *number)
{
	const char *end = value && value->type == JSON_NUMBER ?
				  torus_number_scan_whole(value->text, most,
							  number) :
				  NULL;

	return end && *end == '\0' ?
		       0 :
		       json_refuse(json, value, "a whole number, not too large");
}

/* Read an element of "jobs"; *nodes is its list, or NULL. */
static int saved_read_job(struct json *json, const struct json_value *object,
			  struct saved_promise *p, char **nodes)
{
	static const char *const keys[] = {
		"job",         "part",     "copy",  "key", "admitted",
		"alternative", "start_us", "nodes", NULL
	};
	const struct json_value *v[8];
	uint64_t number[5] = { 0 };
	const char *key, *end;

	if (json_members(json, object, keys, false, v))
		return -1;
	p->reserved = v[7] != NULL;
	for (int i = 0; i < 3; i++) {
		if (saved_whole(json, v[i] ? v[i] : object, UINT32_MAX,
				&number[i]))
			return -1;
	}
	if (p->reserved &&
	    (saved_whole(json, v[5] ? v[5] : object, TORUS_MAX_ALTERNATIVES - 1,
			 &number[3]) ||
	     saved_whole(json, v[6] ? v[6] : object, START_MOST_US, &number[4]) ||
	     json_check(json, v[7], JSON_STRING)))
		return -1;
	key = v[3] && v[3]->type == JSON_STRING ? v[3]->text : "";
	end = torus_number_scan_hex(key, &p->key);
	if (!end || *end)
		return json_refuse(json, v[3] ? v[3] : object,
				   "1 to 16 hexadecimal digits as \"key\"");
	p->name = (struct cycle_name){ (uint32_t)number[0], (uint32_t)number[1],
				       (uint32_t)number[2] };
	p->admitted = v[4] && v[4]->type == JSON_TRUE;
	p->alternative = (uint32_t)number[3];
	p->start_us = (int64_t)number[4];
	*nodes = v[7] ? v[7]->text : NULL;
	return 0;
}

/* A job of the text, and when it is to start. */
struct saved_turn {
	int64_t start_us;
	const struct json_value *job;
};

static int saved_by_start(const void *a, const void *b)
{
	const struct saved_turn *x = a, *y = b;

	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

/*
 * Restore the jobs of a list. The earliest start comes first: a promise may begin up to a
 * second earlier than it was saved (promised_window()), and that second may be the end of
 * another promise for the same nodes.
 */
static int restore_jobs(struct cycle *c, struct json *json,
			const struct json_value *list, struct saved_turn *turn,
			struct torus_error *err)
{
	struct saved_promise p = { 0 };
	const struct json_value *job = json_first(json, list);
	uint64_t *map;
	char *nodes = NULL;
	uint32_t n = 0;
	int rc = 0;

	for (; job; job = json_next(json, list, job)) {
		if (saved_read_job(json, job, &p, &nodes))
			return -1;
		turn[n++] = (struct saved_turn){ p.start_us, job };
	}
	if (n > 1)
		qsort(turn, n, sizeof(*turn), saved_by_start);
	map = torus_scratch_take(&c->scratch);
	for (uint32_t i = 0; i < n; i++) {
		/* nodes of another machine: the other promises stay */
		if (saved_read_job(json, turn[i].job, &p, &nodes) ||
		    (nodes && torus_nodes_parse(c->m, nodes, map, err)))
			rc = -1;
		else
			saved_keep_promise(c, &p, map);
	}
	torus_scratch_return(&c->scratch, map);
	cycle_report_waiting(c);
	return rc;
}

static int restore_usage(struct cycle *c, struct json *json,
			 const struct json_value *list)
{
	static const char *const keys[] = { "user", "node_s", "at_us", "nodes",
					    NULL };
	const struct json_value *v[4],
		*item = list ? json_first(json, list) : NULL;
	uint64_t number[4] = { 0 };

	for (; item; item = json_next(json, list, item)) {
		struct torus_usage usage;

		if (json_members(json, item, keys, false, v))
			return -1;
		if (!v[0])
			return json_refuse(json, item,
					   "a user's name as \"user\"");
		if (json_check(json, v[0], JSON_STRING))
			return -1;
		for (int i = 1; i < 4; i++) {
			if (saved_whole(json, v[i] ? v[i] : item,
					i < 3 ? START_MOST_US : UINT32_MAX,
					&number[i]))
				return -1;
		}
		usage = (struct torus_usage){ .user = v[0]->text,
					      .used = (double)number[1] * 1e6,
					      .at_us = (int64_t)number[2],
					      .nodes = number[3] };
		if (torus_scheduler_take_usage(c->scheduler, &usage, c->now_us))
			return -1;
	}
	return 0;
}

/* Restore those of a JSON text, which is overwritten. */
static int restore_json(struct cycle *c, char *text, struct torus_error *err)
{
	static const char *const keys[] = { "discipline", "jobs", "usage",
					    NULL };
	struct torus_error unheard = { 0 };
	struct json json = { .name = "promises", .err = err ? err : &unheard };
	const struct json_value *v[3];
	struct saved_turn *turn;
	int rc = json_read(&json, text, strlen(text));

	rc = rc || json_check_format(&json, json.value, FORMAT, SCHEMA) ||
	     json_members(&json, json.value, keys, false, v) ||
	     json_check(&json, v[0] ? v[0] : json.value, JSON_STRING) ||
	     json_check(&json, v[1], JSON_ARRAY) ||
	     json_check(&json, v[2], JSON_ARRAY);
	if (rc == 0 && strcmp(v[0]->text, c->settings.discipline->name) == 0) {
		turn = torus_alloc(json.count, sizeof(*turn));
		rc = !turn || restore_usage(c, &json, v[2]) ||
		     restore_jobs(c, &json, v[1], turn, err);
		torus_free(turn);
	}
	json_free(&json);
	return rc ? -1 : 0;
}

static int refuse_line(uint32_t line, const char *text, const char *expected,
		       struct torus_error *err)
{
	return torus_error_add(err,
			       "promises: line %u: got \"%.60s\": expected %s",
			       line, text, expected);
}

/* The older form. Overwrites `nodes`. */
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
	if (json_is(copy, strlen(copy))) {
		rc = restore_json(c, copy, err);
		torus_free(copy);
		return rc;
	}
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
