/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of `storus explain` (state_find.h): sentences, tables, JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/placement.h"
#include "storus/base/clock.h"
#include "storus/machine/explain.h"
#include "storus/base/json.h"
#include "torus/discipline.h"
#include "torus/alloc.h"
#include "torus/number.h"

#define NAME &storus_explain

const char *const explain_answers[] = { "fits", "not_now", "never" };

const char *explain_ask(const struct snapshot_job *job, char *buffer,
			size_t size)
{
	if (*job->words.geometry)
		return job->words.geometry;
	snprintf(buffer, size, "%u node%s", job->count ? job->count : job->nodes,
		 (job->count ? job->count : job->nodes) == 1 ? "" : "s");
	return buffer;
}

/* Return the cause of the wait if it is not nodes; else NULL. */
static const char *explain_hold(const struct snapshot_job *job)
{
	switch (forward_hold(job)) {
	case FORWARD_DEPENDENCY:
		return "another job that it depends on has to end first";
	case FORWARD_HELD:
		return "it is held; scontrol release releases it";
	case FORWARD_LIMIT:
		return "a limit on its user, account, QOS or licenses is reached";
	case FORWARD_BEGIN:
		return "its begin time has not come";
	case FORWARD_PARTITION:
		return "its partition does not start such jobs now";
	case FORWARD_RESERVATION:
		return "the reservation that it asked for has not begun";
	case FORWARD_NONE:
		break;
	}
	return NULL;
}

enum torus_answer explain_best(const struct explain *e)
{
	enum torus_answer best = TORUS_NEVER;

	for (uint32_t k = 0; k < e->request.alternatives; k++) {
		const struct explain_alternative *a = &e->alternative[k];
		bool later = a->from_us != SNAPSHOT_NO_TIME &&
			     a->answer == TORUS_FITS;
		enum torus_answer answer = later ? TORUS_NOT_NOW : a->answer;

		if (answer < best)
			best = answer;
	}
	return best;
}

char *explain_region(const struct explain *e,
		     const struct torus_placement *place)
{
	struct torus_text text = { 0 };

	if (!place->scattered || place->regions)
		torus_placement_format(&e->q.config->machine, place, &text);
	return text.data;
}

static void explain_print_alternative(const struct explain *e,
				      const struct explain_alternative *a)
{
	const struct snapshot *s = e->q.snapshot;
	char *region = explain_region(e, &a->earliest.place);
	char at[STORUS_CLOCK_SIZE];
	const struct freeing *f;
	char cost[32], *place;

	storus_print("%s: %s%s\n", a->geometry,
		     a->answer == TORUS_FITS ?
			     "has a place now" :
		     a->answer == TORUS_NOT_NOW ?
			     "no place now: " :
			     "no place even on the empty machine: ",
		     a->answer == TORUS_FITS ? "" : a->why.text);
	if (a->answer == TORUS_FITS && a->why.count)
		storus_print("  %s\n", a->why.text);
	if (a->from_us != SNAPSHOT_NO_TIME)
		storus_print("  accepted from %s on\n",
			     storus_clock(s, a->from_us, at));
	if (a->answer == TORUS_NOT_NOW && a->earliest.answer == TORUS_NOT_NOW)
		storus_print("  %snodes that are out of service, reserved or of hidden jobs block every place\n",
			     storus_question_links(&e->q));
	if (a->answer == TORUS_NOT_NOW && a->earliest.answer == TORUS_FITS)
		storus_print("  free first%s%s: %s\n", region ? ": " : "",
			     region ? region : "",
			     storus_clock(s, a->start_us, at));
	for (uint32_t i = 0; a->answer == TORUS_NOT_NOW && i < a->earliest.jobs;
	     i++) {
		const struct snapshot_job *j =
			&e->holding.job[a->earliest.job[i]];

		storus_print("  held by %s %s%s%s until %s%s%s\n",
			     a->earliest.job[i] < s->jobs ? "job" :
							    "reservation",
			     j->id, *j->user ? " of " : "", j->user,
			     j->end_us == SNAPSHOT_NO_TIME ?
				     "an unknown time" :
				     storus_clock(s, j->end_us, at),
			     *j->place ? ", on " : "", j->place);
	}
	f = &a->cheapest;
	if (a->answer == TORUS_NOT_NOW && f->answer == TORUS_FITS && f->jobs) {
		place = explain_region(e, &f->place);
		torus_number_format((double)f->cost * 1e-6, 6, cost,
				    sizeof(cost));
		storus_print("  cheapest to free%s%s: by ending job%s",
			     place ? ": " : "", place ? place : "",
			     f->jobs == 1 ? "" : "s");
		for (uint32_t i = 0; i < f->jobs; i++)
			storus_print("%s %s", i ? "," : "",
				     e->q.snapshot->job[f->job[i]].id);
		storus_print(" (%s node s since %s start)\n", cost,
			     f->jobs == 1 ? "its" : "their");
		torus_free(place);
	}
	if (a->out)
		storus_print("  it would fit now if %s were in service\n",
			     a->out);
	if (a->links)
		storus_print("  it would fit now if these links were up: %s\n",
			     a->links);
	torus_free(region);
}

/* Return true if the start that is told is the forecast's, which has a place: Slurm's own
 * start is in whole seconds, after the end of a job. */
static bool explain_is_forecast(const struct explain *e)
{
	return e->start && e->start->start_us != SNAPSHOT_NO_TIME &&
	       llabs(explain_start(e) - e->start->start_us) <= EXPLAIN_SAME_US;
}

static void explain_print_start(const struct explain *e)
{
	int64_t start_us = explain_start(e);
	char at[STORUS_CLOCK_SIZE];

	if (explain_hold(e->job)) {
		storus_print("It cannot start yet: %s.\n", explain_hold(e->job));
		return;
	}
	if (start_us == SNAPSHOT_NO_TIME) {
		if (e->start && e->start->open)
			storus_print("No start is known before %s, where the forecast ended after %.6g s of computing.\n",
				     storus_clock(e->q.snapshot,
						  e->forward.until_us, at),
				     FORWARD_COMPUTE_US * 1e-6);
		else
			storus_print("No start is known.\n");
		return;
	}
	storus_clock(e->q.snapshot, start_us, at);
	if (explain_is_forecast(e))
		storus_print("It is estimated to start at %s%s%s (if every job runs to its time limit).\n",
			     at, e->start->region ? " on " : "",
			     e->start->region ? e->start->region : "");
	else if (*e->q.snapshot->scheduler)
		storus_print("It is estimated to start at %s, by the plan of %s (if every job runs to its time limit).\n",
			     at, e->q.snapshot->scheduler);
	else
		storus_print("It is planned to start at %s.\n", at);
}

static bool explain_shape_is_now(const struct explain *e, uint32_t i)
{
	const struct snapshot *s = e->q.snapshot;

	return e->shape_start_us[i] <=
	       (s->time_us == SNAPSHOT_NO_TIME ? 0 : s->time_us);
}

static void explain_print_shapes(const struct explain *e)
{
	char at[STORUS_CLOCK_SIZE];
	uint32_t now = 0, later = 0;

	for (uint32_t i = 0; i < e->shapes; i++) {
		if (explain_shape_is_now(e, i))
			storus_print("%s %s",
				     now++ ? "," :
					     "Shapes of the same size that would start now:",
				     e->shape[i]);
	}
	if (now)
		storus_print(".\n");
	for (uint32_t i = 0; i < e->shapes; i++) {
		if (!explain_shape_is_now(e, i))
			storus_print("%s %s at %s",
				     later++ ?
					     "," :
					     "Shapes of the same size that would start earlier:",
				     e->shape[i],
				     storus_clock(e->q.snapshot,
						  e->shape_start_us[i], at));
	}
	if (later)
		storus_print(".\n");
}

/* Return the job at the head of the queue, which keeps a job from starting in the place
 * that it has, or will have; NULL: none does. */
static const struct snapshot_job *explain_head(const struct explain *e)
{
	const struct snapshot *s = e->q.snapshot;
	const struct snapshot_job *head;

	if (e->forward.first >= s->jobs || explain_hold(e->job) ||
	    explain_start(e) == s->time_us || e->later.reservation ||
	    (explain_best(e) != TORUS_FITS &&
	     (e->later.job || e->later.free_us == SNAPSHOT_NO_TIME)))
		return NULL;
	head = &s->job[e->forward.first];
	return head == e->job ? NULL : head;
}

/* Return true if the job is among those that hold the places which are free first. */
static bool explain_is_holder(const struct explain *e, uint32_t job)
{
	for (uint32_t k = 0; k < e->request.alternatives; k++) {
		const struct freeing *f = &e->alternative[k].earliest;

		for (uint32_t i = 0; i < f->jobs; i++) {
			if (f->job[i] == job)
				return true;
		}
	}
	return false;
}

/* Whose end lets it start then, where it starts later than a place is free. */
static void explain_print_last(const struct explain *e)
{
	const struct snapshot *s = e->q.snapshot;
	char from[STORUS_CLOCK_SIZE], to[STORUS_CLOCK_SIZE];

	if (e->later.free_us == SNAPSHOT_NO_TIME || !explain_is_forecast(e))
		return;
	for (uint32_t i = 0; i < e->lasts && i < EXPLAIN_NAMES; i++) {
		const struct snapshot_job *j = e->last[i];
		const struct forward_job *f = &e->forward.job[j - s->job];
		const char *where = explain_where(e, j);

		if (explain_is_holder(e, (uint32_t)(j - s->job)))
			continue;
		storus_print("  last held by job %s%s%s", j->id,
			     *j->user ? " of " : "", j->user);
		if (!j->running)
			storus_print(" from %s",
				     storus_clock(s, f->start_us, from));
		storus_print(" until %s%s%s\n",
			     storus_clock(s, j->running ? j->end_us : f->end_us,
					  to),
			     where ? ", on " : "", where ? where : "");
	}
	if (e->lasts > EXPLAIN_NAMES)
		storus_print("  and by %u more\n", e->lasts - EXPLAIN_NAMES);
}

/* Why it starts later than a place is free for it, unless the head is the reason. */
static void explain_print_later(const struct explain *e)
{
	const struct explain_later *l = &e->later;
	const struct snapshot *s = e->q.snapshot;
	char at[STORUS_CLOCK_SIZE], from[STORUS_CLOCK_SIZE];
	char to[STORUS_CLOCK_SIZE];
	const char *where = l->job ? explain_where(e, l->job) : NULL;
	bool known = l->job || l->reservation;

	/* of a start that was planned elsewhere only a known reason is told */
	if (l->free_us == SNAPSHOT_NO_TIME || explain_head(e) ||
	    (!known && (!e->start || e->start->start_us != explain_start(e))))
		return;
	storus_print("It does not start at %s: ",
		     storus_clock(s, l->free_us, at));
	if (!known) {
		storus_print("%s plans it later.\n",
			     e->q.config->scheduler.discipline->name);
		return;
	}
	if (l->job)
		storus_print("job %s%s%s", l->job->id,
			     *l->job->user ? " of " : "", l->job->user);
	else
		storus_print("reservation %s", l->reservation->name);
	storus_print(" has nodes of that place from %s to %s%s%s.\n",
		     storus_clock(s, l->from_us, from),
		     storus_clock(s, l->to_us, to), where ? ", on " : "",
		     where ? where : "");
}

void explain_print_pending(const struct explain *e)
{
	const struct snapshot_job *j = e->job;
	char count[32], at[STORUS_CLOCK_SIZE];
	const struct snapshot_job *first[EXPLAIN_NAMES];
	uint32_t before, i;
	const struct snapshot *s;
	const struct snapshot_job *head;
	int64_t start_us;
	char when[STORUS_CLOCK_SIZE];

	storus_print("Job %s%s%s waits for %s since %s%s%s%s.\n", j->id,
		     *j->user ? " of " : "", j->user,
		     explain_ask(j, count, sizeof(count)),
		     storus_clock(e->q.snapshot, j->submit_us, at),
		     *j->reason ? "; Slurm says " : "", j->reason, "");
	for (uint32_t k = 0; k < e->request.alternatives; k++)
		explain_print_alternative(e, &e->alternative[k]);
	if (e->out && explain_best(e) != TORUS_FITS)
		storus_print("Out of service among the nodes that it may use: %s.\n",
			     e->out);
	if (e->floating && explain_best(e) != TORUS_FITS)
		storus_print("%s", e->floating);
	/* the waiting jobs of a higher priority that are not held back: how many, and the
	 * first EXPLAIN_NAMES of them, the highest first. */
	s = e->q.snapshot;
	before = 0;
	for (uint32_t m = 0; m < s->jobs; m++) {
		const struct snapshot_job *job = &s->job[m];
		uint32_t place = before < EXPLAIN_NAMES ? before : EXPLAIN_NAMES;

		if (job->running || forward_hold(job) != FORWARD_NONE ||
		    job->priority <= e->job->priority)
			continue;
		before++;
		for (; place > 0 && first[place - 1]->priority < job->priority;
		     place--) {
			if (place < EXPLAIN_NAMES)
				first[place] = first[place - 1];
		}
		if (place < EXPLAIN_NAMES)
			first[place] = job;
	}
	if (before != 0) {
		storus_print("%u waiting job%s %s a higher priority: ", before,
			     before == 1 ? "" : "s",
			     before == 1 ? "has" : "have");
		for (i = 0; i < before && i < EXPLAIN_NAMES; i++)
			storus_print("%s%s", i ? ", " : "", first[i]->id);
		if (before > i)
			storus_print(" and %u more", before - i);
		storus_print(".\n");
	}
	head = explain_head(e);
	start_us = e->forward.first_us;
	if (head) {
		if (start_us == SNAPSHOT_NO_TIME)
			start_us = e->forward.job[e->forward.first].start_us;
		storus_print("Job %s%s%s is before it in the queue and must not be delayed",
			     head->id, *head->user ? " of " : "", head->user);
		if (start_us != SNAPSHOT_NO_TIME)
			storus_print("; it is expected to start at %s",
				     storus_clock(e->q.snapshot, start_us,
						  when));
		if (start_us != SNAPSHOT_NO_TIME && explain_where(e, head))
			storus_print(" on %s", explain_where(e, head));
		storus_print(".\n");
	}
	explain_print_later(e);
	explain_print_start(e);
	explain_print_last(e);
	explain_print_shapes(e);
}

/* JSON */

/* As in storus defrag. */
static json_t *explain_cheapest_json(const struct explain *e,
				     const struct freeing *f)
{
	char *region = f->jobs ? explain_region(e, &f->place) : NULL;
	json_t *jobs = json_array(), *o;

	for (uint32_t i = 0; i < f->jobs; i++)
		json_array_append_new(jobs,
				      json_string(
					      e->q.snapshot->job[f->job[i]].id));
	o = json_pack("{s:s?, s:o, s:f}", "region", region, "jobs", jobs,
		      "cost_node_s", (double)f->cost * 1e-6);
	torus_free(region);
	return o;
}

static json_t *explain_alternatives_json(const struct explain *e)
{
	json_t *list = json_array();

	for (uint32_t k = 0; k < e->request.alternatives; k++) {
		const struct explain_alternative *a = &e->alternative[k];
		bool from = a->from_us != SNAPSHOT_NO_TIME;
		bool cheapest = a->answer == TORUS_NOT_NOW &&
				a->cheapest.answer == TORUS_FITS &&
				a->cheapest.jobs;
		json_t *o =
			json_pack("{s:s, s:s, s:s, s:o, s:o*, s:s*, s:s*, s:o*}",
				  "geometry", a->geometry, "answer",
				  explain_answers[a->answer], "reason",
				  a->why.text, "start",
				  storus_clock_json(a->start_us),
				  "accepted_from",
				  from ? storus_clock_json(a->from_us) : NULL,
				  "out", a->out, "links", a->links, "cheapest",
				  cheapest ?
					  explain_cheapest_json(e, &a->cheapest) :
					  NULL);

		json_array_append_new(list, o);
	}
	return list;
}

static json_t *explain_blockers_json(const struct explain *e)
{
	const struct snapshot *s = e->q.snapshot;
	uint32_t first = explain_first(e);
	json_t *list = json_array();

	for (uint32_t i = 0;
	     first != UINT32_MAX && i < e->alternative[first].earliest.jobs;
	     i++) {
		uint32_t at = e->alternative[first].earliest.job[i];
		const struct snapshot_job *j = &e->holding.job[at];

		json_array_append_new(list,
				      json_pack("{s:s, s:s?, s:o}",
						at < s->jobs ? "job" :
							       "reservation",
						j->id, "region",
						at < s->jobs ? j->place : NULL,
						"end",
						storus_clock_json(j->end_us)));
	}
	return list;
}

/* The jobs whose end lets it start then. */
static json_t *explain_last_json(const struct explain *e)
{
	const struct snapshot *s = e->q.snapshot;
	json_t *list = json_array();

	for (uint32_t i = 0; i < e->lasts && i < EXPLAIN_NAMES; i++) {
		const struct snapshot_job *j = e->last[i];
		const struct forward_job *f = &e->forward.job[j - s->job];

		json_array_append_new(list,
				      json_pack("{s:s, s:s?, s:o, s:o}", "job",
						j->id, "region",
						explain_where(e, j), "start",
						storus_clock_json(
							j->running ?
								j->start_us :
								f->start_us),
						"end",
						storus_clock_json(
							j->running ?
								j->end_us :
								f->end_us)));
	}
	return list;
}

static json_t *explain_pending_json(const struct explain *e)
{
	json_t *o = json_pack("{s:i, s:s, s:s}", "schema", 1, "job", e->job->id,
			      "state", "pending");
	const char *hold = explain_hold(e->job);
	const struct snapshot_job *head = explain_head(e);
	enum torus_answer best = explain_best(e);
	uint32_t first = explain_first(e);
	json_t *shapes = json_array(), *earlier = json_array();

	for (uint32_t i = 0; i < e->shapes; i++) {
		if (explain_shape_is_now(e, i))
			json_array_append_new(shapes, json_string(e->shape[i]));
		else
			json_array_append_new(earlier,
					      json_pack("{s:s, s:o}", "geometry",
							e->shape[i], "start",
							storus_clock_json(
								e->shape_start_us
									[i])));
	}
	json_object_set_new(o, "answer", json_string(explain_answers[best]));
	json_object_set_new(o, "reason",
			    json_string(hold ? hold :
					best == TORUS_FITS ?
					       *e->job->reason ?
					       e->job->reason :
					       "jobs before it" :
					       e->alternative[0].why.text));
	json_object_set_new(o, "alternatives", explain_alternatives_json(e));
	json_object_set_new(o, "blockers", explain_blockers_json(e));
	json_object_set_new(o, "start",
			    hold ? json_null() :
				   storus_clock_json(explain_start(e)));
	json_object_set_new(o, "would_start_now", shapes);
	json_object_set_new(o, "would_start_earlier", earlier);
	json_object_set_new(o, "slurm_reason", json_string(e->job->reason));
	if (e->out)
		json_object_set_new(o, "out_of_service", json_string(e->out));
	if (head)
		json_object_set_new(o, "behind", json_string(head->id));
	if (first != UINT32_MAX) {
		char *region =
			explain_region(e, &e->alternative[first].earliest.place);

		json_object_set_new(o, "free_first",
				    region ? json_string(region) : json_null());
		torus_free(region);
	}
	if (explain_is_forecast(e) && e->start->region) {
		json_object_set_new(o, "region", json_string(e->start->region));
		json_object_set_new(o, "held_before_by", explain_last_json(e));
	}
	return o;
}

int explain_put_json(const struct explain *e)
{
	json_t *o = e->job->running ? explain_running_json(e) :
				      explain_pending_json(e);

	if (e->all)
		return json_array_append_new(e->all, o) ?
			       storus_no_memory(NAME) :
			       STORUS_DONE;
	return storus_json_answer(NAME, o, e->q.snapshot, e->table.json);
}
