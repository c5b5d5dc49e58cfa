/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus windows: when each place of a shape is free, the available time windows of
 * Mohapatra (sections 3.1 and 3.2). A place is one that the strategy gives on the empty
 * machine: with subcube-buddy the nodes of one level of the paper's tree. Its windows are
 * the times from now on at which no running job, no waiting job with a planned start, and
 * no reservation has one of its nodes; the last one is open, unless a node is out of
 * service. Waiting jobs start as the site's scheduler decides if no other jobs come.
 *
 * Cost: O(places x (jobs x words + jobs log jobs)), and the forward simulation.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "questions/forward.h"
#include "questions/occupancy.h"
#include "questions/packing.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/base/table.h"
#include "storus/machine/question.h"
#include "torus/alloc.h"
#include "torus/placement.h"
#include "torus/state.h"

#define NAME &storus_windows

/* Nodes that are taken for a time. */
struct windows_use {
	int64_t from_us, to_us; /* TORUS_NO_TIME: for ever */
	uint64_t *map;          /* machine bitmap */
};

struct windows {
	struct storus_question q;
	struct storus_table table;
	struct windows_use *use; /* by begin */
	uint32_t uses, room;
	uint64_t *place, *one; /* machine bitmaps: scratch */
	json_t *json;
};

static const struct storus_column columns[] = {
	{ "region", 'r', "REGION", .width = -24 },
	{ "from_time", 'F', "FROM", .width = -19 },
	{ "to_time", 'T', "TO", .width = -19 },
	{ 0 },
};

#define WINDOWS_WORD(...) STORUS_QUESTION_WORD(struct windows, "", __VA_ARGS__)

static const struct storus_option options[] = {
	STORUS_SOURCE_OPTIONS(struct windows, q.source),
	STORUS_QUESTION_GEOMETRY(struct windows, q),
	TORUS_REQUEST_WORDS(WINDOWS_WORD)
		STORUS_QUESTION_STRATEGY(struct windows, q),
	STORUS_TABLE_OPTIONS(struct windows, table),
	{ 0 },
};

/* Return the map of another use, zeroed; NULL: no memory. */
static uint64_t *windows_use_add(struct windows *w, int64_t from_us,
				 int64_t to_us)
{
	uint64_t *map = torus_alloc(w->q.config->machine.words, sizeof(*map));

	if (!map || TORUS_GROW(w->use, w->room, w->uses + 1)) {
		torus_free(map);
		return NULL;
	}
	w->use[w->uses++] = (struct windows_use){ from_us, to_us, map };
	return map;
}

/* Add what the snapshot has: running jobs, reservations, what is out or hidden. */
static int windows_add_present(struct windows *w)
{
	const struct snapshot *s = w->q.snapshot;
	uint32_t words = w->q.config->machine.words;
	uint64_t *map = windows_use_add(w, s->time_us, TORUS_NO_TIME);

	if (!map)
		return -1;
	torus_bits_or(map, s->out, words);
	torus_bits_or(map, s->hidden, words);
	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct snapshot_job *job = &s->job[j];

		if (!job->running)
			continue;
		map = windows_use_add(w, s->time_us, job->end_us);
		if (!map)
			return -1;
		snapshot_paint(job, map);
	}
	for (uint32_t i = 0; i < s->reservations; i++) {
		const struct snapshot_nodes *r = &s->reservation[i];

		if (r->start_us == SNAPSHOT_NO_TIME)
			continue; /* floating: never begins */
		map = windows_use_add(w, r->start_us, r->end_us);
		if (!map)
			return -1;
		torus_bits_or(map, r->map, words);
	}
	return 0;
}

static int windows_before(const void *a, const void *b)
{
	const struct windows_use *x = a, *y = b;

	return x->from_us < y->from_us ? -1 : x->from_us > y->from_us;
}

static void windows_row(struct windows *w, const char *region, json_t *list,
			int64_t from_us, int64_t to_us)
{
	const struct snapshot *s = w->q.snapshot;
	char from[STORUS_CLOCK_SIZE], to[STORUS_CLOCK_SIZE] = "open";

	json_array_append_new(list, json_pack("{s:o, s:o}", "from",
					      storus_clock_json(from_us), "to",
					      storus_clock_json(to_us)));
	if (w->table.json)
		return;
	if (to_us != TORUS_NO_TIME)
		storus_clock(s, to_us, to);
	storus_table_row(&w->table,
			 json_pack("{s:s, s:s, s:s}", "region", region,
				   "from_time", storus_clock(s, from_us, from),
				   "to_time", to));
}

/* List the places on an empty machine and ask for each. An exit status. */
static int windows_list(struct windows *w)
{
	struct torus_state *empty = torus_state_create(&w->q.config->machine);
	const struct torus_ask *ask = &w->q.request.alternative[0].ask;
	struct places list = { 0 };
	uint32_t pod = UINT32_MAX;
	int rc = empty ? places_find(empty, ask, &list, &pod) : -1;

	torus_state_destroy(empty);
	if (rc && errno == ENOSYS)
		return storus_say(NAME, STORUS_USAGE,
				  pod == UINT32_MAX ?
					  "%s: ask for one region" :
					  "%s: the strategy cannot list places; ask with --strategy submesh",
				  w->q.words.geometry);
	if (rc)
		return storus_question_unlisted(NAME, w->q.words.geometry);
	if (list.scattered) {
		places_free(&list);
		return storus_say(NAME, STORUS_USAGE,
				  "%s: any nodes are a place on a flat machine; storus suggest has the earliest start",
				  w->q.words.geometry);
	}
	w->json = json_array();
	for (uint32_t i = 0; i < list.count; i++) {
		/* The windows of one place: the gaps between the uses of its nodes. */
		const struct torus_machine *m = &w->q.config->machine;
		int64_t free_us = w->q.snapshot->time_us;
		struct torus_text region = { 0 };
		json_t *sublist = json_array();

		torus_bits_zero(w->place, m->words);
		torus_placement_paint(m, &list.place[i], w->place);
		torus_placement_format(m, &list.place[i], &region);
		for (uint32_t j = 0; j < w->uses && free_us != TORUS_NO_TIME;
		     j++) {
			const struct windows_use *use = &w->use[j];

			if (use->to_us <= free_us ||
			    !torus_bits_meet(use->map, w->place, m->words))
				continue;
			if (use->from_us > free_us)
				windows_row(w, region.data, sublist, free_us,
					    use->from_us);
			free_us = use->to_us;
		}
		if (free_us != TORUS_NO_TIME)
			windows_row(w, region.data, sublist, free_us,
				    TORUS_NO_TIME);
		json_array_append_new(w->json, json_pack("{s:s, s:o}", "region",
							 region.data, "windows",
							 sublist));
		torus_text_free(&region);
	}
	places_free(&list);
	return STORUS_DONE;
}

static int windows_answer(struct windows *w)
{
	struct torus_error err = { 0 };
	int status = storus_question_machine(&w->q, &err);
	const struct torus_config *c;
	struct forward f = { 0 };
	int rc;

	if (status == STORUS_DONE && storus_question_request(&w->q, &err))
		status = STORUS_USAGE;
	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	if (w->q.request.alternatives > 1)
		return storus_say(NAME, STORUS_USAGE,
				  "\"%s\": expected one shape, for example 4x4x4",
				  w->q.words.geometry);
	w->place = torus_alloc(w->q.config->machine.words, sizeof(*w->place));
	w->one = torus_alloc(w->q.config->machine.words, sizeof(*w->one));
	if (!w->place || !w->one || windows_add_present(w))
		return storus_no_memory(NAME);
	/* Add the waiting jobs at their planned places. */
	c = w->q.config;
	rc = forward_play(w->q.snapshot, &c->scheduler,
			  &(struct forward_bound){
				  .compute_us = FORWARD_COMPUTE_US },
			  &f, &err);
	for (uint32_t j = 0; rc == 0 && j < f.jobs; j++) {
		uint64_t *map;

		if (w->q.snapshot->job[j].running || !f.job[j].region)
			continue;
		map = windows_use_add(w, f.job[j].start_us, f.job[j].end_us);
		if (!map)
			errno = ENOMEM;
		rc = map ? storus_regions_paint(&c->machine, f.job[j].region,
						w->one, map, &err) :
			   -1;
	}
	forward_free(&f);
	if (rc)
		return err.count ? storus_say_errors(NAME, STORUS_USAGE, &err) :
				   storus_no_memory(NAME);
	qsort(w->use, w->uses, sizeof(*w->use), windows_before);
	status = windows_list(w);
	if (status == STORUS_DONE && w->table.json)
		return storus_json_answer(NAME,
					  json_pack("{s:i, s:s, s:O}", "schema",
						    1, "shape",
						    w->q.words.geometry,
						    "places", w->json),
					  w->q.snapshot, w->table.json);
	return status == STORUS_DONE ? storus_table_end(NAME, &w->table) :
				       status;
}

static int windows_run(void *words)
{
	struct windows *w = words;
	int status = windows_answer(w);

	for (uint32_t i = 0; i < w->uses; i++)
		torus_free(w->use[i].map);
	torus_free(w->use);
	torus_free(w->place);
	torus_free(w->one);
	json_decref(w->json);
	storus_question_free(&w->q);
	return status;
}

const struct storus_command storus_windows = {
	.name = "windows",
	.summary = "when each place of a shape is free, and until when",
	.usage = "[SHAPE] [OPTION]...",
	.about =
		"Prints the available time windows of each place that the strategy gives a shape on the\n"
		"empty machine: the times at which no running job, no waiting job with a planned start\n"
		"and no reservation has one of its nodes. With subcube-buddy and the semitorus\n"
		"strategies the places are the nodes of one level of the tree.",
	.options = options,
	STORUS_WORDS(struct windows, .table.column = columns),
	.operand = { .value = "shape",
		     STORUS_TO(struct windows, q.words.geometry) },
	.examples =
		"  storus windows --torus 2^4 --strategy subcube-buddy --busy 0,0,0,0+2x2x1x1 2x2\n"
		"  storus windows --snapshot now.snap 2x2x2 --json\n",
	.run = windows_run,
};
