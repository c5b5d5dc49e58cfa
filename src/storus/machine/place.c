/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus place: find a place on a given occupancy. Exit status 0: it fits; 1: it does
 * not, and the reason is printed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "torus/state_text.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "storus/machine/question.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/base/table.h"
#include "torus/regions.h"

#define NAME &storus_place

struct place_words {
	struct storus_question q;
	bool all;
	struct storus_table table;
};

#define PLACE_WORD(...)                                                        \
	STORUS_QUESTION_WORD(struct place_words, "", __VA_ARGS__)

static const struct storus_option options[] = {
	STORUS_SOURCE_OPTIONS(struct place_words, q.source),
	STORUS_QUESTION_GEOMETRY(struct place_words, q),
	TORUS_REQUEST_WORDS(PLACE_WORD)
		STORUS_QUESTION_STRATEGY(struct place_words, q),
	{ "all", NULL, "list every place, not only the chosen one",
	  STORUS_TO(struct place_words, all) },
	STORUS_TABLE_OPTIONS(struct place_words, table),
	{ 0 },
};

struct place_answer {
	enum torus_answer answer;
	uint32_t alternative; /* that fits */
	struct torus_placement place;
	struct torus_error why;
	json_t *list; /* --all with --json */
	uint64_t listed;
	const struct torus_machine *machine;
	const struct torus_state *state;
	struct storus_table *table; /* rows are asked for; else NULL */
};

static const char *const answers[] = { "fits", "not_now", "never" };

static void place_add_place(json_t *o, const struct torus_machine *m,
			    const struct torus_placement *place)
{
	const struct torus *t = &m->pod[place->pod].torus;
	char text[TORUS_ORIENTATION_SIZE], ring[TORUS_MAX_DIMS + 1];
	struct torus_region vertices = torus_region_scaled(&place->region, t);

	if (place->regions) {
		/* "regions": what a single one has, of each. */
		json_t *list = json_array();

		for (uint32_t i = 0; i < place->regions->count; i++) {
			struct torus_placement one =
				torus_regions_item(m, place, i);
			char region[TORUS_REGION_SIZE];
			json_t *item = json_object();

			torus_region_format(&one.region, &m->pod[one.pod].torus,
					    region, sizeof(region));
			json_object_set_new(item, "region", json_string(region));
			place_add_place(item, m, &one);
			json_array_append_new(list, item);
		}
		json_object_set_new(o, "regions", list);
	}
	if (place->scattered)
		return;
	torus_orientation_format(&place->orientation, t, text, sizeof(text));
	/* a letter per axis of the granted shape: T closed ring, M open */
	for (uint32_t a = 0; a < place->axes; a++)
		ring[a] = place->ring >> a & 1 ? 'T' : 'M';
	ring[place->axes] = '\0';
	json_object_set_new(o, "orientation", json_string(text));
	json_object_set_new(o, "base",
			    storus_json_counts(vertices.base, t->dims));
	json_object_set_new(o, "extent",
			    storus_json_counts(vertices.extent, t->dims));
	json_object_set_new(o, "ring", json_string(ring));
	if (m->pods > 1)
		json_object_set_new(o, "torus", json_string(t->name));
}

/* Which alternative of a ladder it is: "8x4@2h". */
static void alternative_text(const struct place_words *r,
			     const struct place_answer *a, char *text,
			     size_t size)
{
	struct torus_request one = { .alternatives = 1 };

	one.rotate = r->q.request.rotate;
	one.alternative[0] = r->q.request.alternative[a->alternative];
	torus_request_format(&one, text, size);
}

static json_t *place_to_json(const struct place_words *r,
			     const struct place_answer *a)
{
	const struct torus_machine *m = a->machine;
	json_t *o = json_pack("{s:i, s:s}", "schema", 1, "answer",
			      answers[a->answer]);
	struct torus_text region = { 0 };
	char text[TORUS_GEOMETRY_SIZE];

	if (a->answer == TORUS_FITS && r->q.request.alternatives > 1) {
		alternative_text(r, a, text, sizeof(text));
		json_object_set_new(o, "alternative", json_string(text));
	}
	if (a->answer == TORUS_FITS) {
		torus_placement_format(m, &a->place, &region);
		json_object_set_new(o, "region", json_string(region.data));
		place_add_place(o, m, &a->place);
		if (!a->place.scattered)
			json_object_set_new(o, "stride",
					    storus_json_counts(a->place.region
								       .stride,
							       m->pod[a->place.pod]
								       .torus
								       .dims));
		json_object_set_new(o, "granted",
				    json_integer(a->place.granted));
		torus_text_free(&region);
		if (storus_contention_possible(m, &a->place))
			json_object_set_new(o, "contention",
					    storus_contention_json(a->state,
								   &a->place));
	} else {
		json_object_set_new(o, "reason", json_string(a->why.text));
	}
	if (a->list)
		json_object_set(o, "placements", a->list);
	return o;
}

static void print_place(const struct torus_machine *m,
			const struct torus_placement *place, const char *lead)
{
	struct torus_text text = { 0 };

	torus_placement_format(m, place, &text);
	if (!place->scattered || place->regions) {
		torus_text_add(&text, "  orientation ");
		torus_placement_orientation(m, place, &text);
		torus_text_add(&text, "  ring ");
		torus_placement_rings(place, &text);
	}
	storus_print("%s%s", lead, text.data ? text.data : "?");
	torus_text_free(&text);
	storus_print("  %u node%s\n", place->granted,
		     place->granted == 1 ? "" : "s");
}

static const struct storus_column columns[] = {
	{ "answer", 'a', "ANSWER", .width = -8 },
	{ "region", 'r', "REGION", .width = -24 },
	{ "orientation", 'o', "ORIENTATION", .width = -12 },
	{ "ring", 'l', "RING", .width = -6 },
	{ "granted", 'D', "NODES", .width = 7 },
	{ "reason", 'R', "REASON", .width = -1 },
	{ 0 },
};

/* place NULL: there is none. */
static json_t *place_row(const struct place_answer *a,
			 const struct torus_placement *place)
{
	struct torus_text region = { 0 }, turn = { 0 }, ring = { 0 };
	json_t *o;

	if (!place)
		return json_pack("{s:s, s:s}", "answer", answers[a->answer],
				 "reason", a->why.text);
	torus_placement_format(a->machine, place, &region);
	if (!place->scattered || place->regions) {
		torus_placement_orientation(a->machine, place, &turn);
		torus_placement_rings(place, &ring);
	}
	o = json_pack("{s:s, s:s?, s:s?, s:s?, s:i}", "answer",
		      answers[a->answer], "region", region.data, "orientation",
		      turn.data, "ring", ring.data, "granted",
		      (int)place->granted);
	torus_text_free(&region);
	torus_text_free(&turn);
	torus_text_free(&ring);
	return o;
}

static bool place_list_one(void *arg, const struct torus_placement *place)
{
	struct place_answer *a = arg;

	a->listed++;
	if (a->list) {
		json_t *o = json_object();
		struct torus_text region = { 0 };

		if (place->scattered) {
			torus_placement_format(a->machine, place, &region);
			json_object_set_new(o, "region",
					    json_string(region.data));
			torus_text_free(&region);
		}
		place_add_place(o, a->machine, place);
		return json_array_append_new(a->list, o) == 0;
	}
	if (a->table)
		storus_table_row(a->table, place_row(a, place));
	else
		print_place(a->machine, place, "  ");
	return !ferror(stdout);
}

/* Check that --all is possible on this machine, before anything is printed. */
static int place_listable(const struct torus_machine *m, struct torus_error *err)
{
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_strategy *strategy = m->pod[p].strategy[0];

		if (!strategy->find_all &&
		    !(m->pods == 1 && m->pod[p].strategy[0]->scatters))
			return torus_error_add(err,
					       "--all: strategy %s%s%s cannot list places",
					       strategy->name,
					       m->pods > 1 ? " of torus " : "",
					       m->pods > 1 ?
						       m->pod[p].torus.name :
						       "");
	}
	return 0;
}

static int place_list_all(const struct place_words *r, struct place_answer *a)
{
	const struct torus_ask *ask =
		&r->q.request.alternative[a->alternative].ask;

	if (!a->machine->pod[0].strategy[0]->find_all)
		place_list_one(a, &a->place);
	else if (torus_state_find_all(r->q.state, ask, place_list_one, a))
		return storus_say(NAME, -1, "--all: %s", strerror(errno));
	if (!r->table.json && !a->table)
		storus_print("  %llu place%s\n", (unsigned long long)a->listed,
			     a->listed == 1 ? "" : "s");
	return 0;
}

/* Ask, explain, list. */
static int place_ask(struct place_words *r, struct place_answer *a)
{
	a->machine = &r->q.config->machine;
	a->state = r->q.state;
	a->answer = storus_question_ask(&r->q, &a->alternative, &a->place,
					&a->why);
	if (r->table.json && r->all && !(a->list = json_array()))
		return -1;
	if (!r->table.json && storus_table_asked(&r->table)) {
		a->table = &r->table;
		if (!r->all || a->answer != TORUS_FITS)
			storus_table_row(a->table,
					 place_row(a, a->answer == TORUS_FITS ?
							      &a->place :
							      NULL));
	} else if (!r->table.json) {
		const struct torus_ask *ask =
			&r->q.request.alternative[a->alternative].ask;
		char text[TORUS_GEOMETRY_SIZE];

		if (a->answer == TORUS_FITS)
			print_place(a->machine, &a->place, "fits: ");
		else
			storus_print("%s: %s\n",
				     a->answer == TORUS_NOT_NOW ? "not now" :
								  "never",
				     a->why.text);
		if (a->answer == TORUS_FITS && r->q.request.alternatives > 1) {
			alternative_text(r, a, text, sizeof(text));
			storus_print("  as alternative %s\n", text);
		}
		if (a->answer == TORUS_FITS && ask->by_count &&
		    a->place.granted > torus_ask_nodes(ask))
			storus_print("  the request is for %llu; %u is the next number that forms a region\n",
				     (unsigned long long)torus_ask_nodes(ask),
				     a->place.granted);
		if (a->answer == TORUS_FITS &&
		    storus_contention_possible(a->machine, &a->place))
			storus_contention_print(a->state, &a->place);
	}
	if (r->all && a->answer == TORUS_FITS && place_list_all(r, a))
		return -1;
	if (r->table.json && storus_json_answer(NAME, place_to_json(r, a),
						r->q.snapshot, r->table.json))
		return -1;
	if (a->table)
		return storus_table_end(NAME, a->table) ? -1 : 0;
	if (!r->table.json)
		storus_age_print("Snapshot", storus_age_time_us(r->q.snapshot));
	return 0;
}

static int place_answer(struct place_words *r)
{
	struct torus_error err = { 0 };
	struct place_answer a = { 0 };
	int rc = storus_question_machine(&r->q, &err);

	if (r->q.state && r->all && place_listable(&r->q.config->machine, &err))
		rc = STORUS_USAGE;
	if (rc != STORUS_TROUBLE && storus_question_request(&r->q, &err))
		rc = STORUS_USAGE;
	for (uint32_t k = 0; !rc && r->all && k < r->q.request.alternatives; k++)
		if (torus_ask_several(&r->q.request.alternative[k].ask)) {
			const struct torus_ask *ask =
				&r->q.request.alternative[k].ask;
			char shape[96];

			/* of k regions there are up to places^k sets */
			torus_shape_format(&ask->shape, shape, sizeof(shape));
			rc = storus_say(NAME, STORUS_USAGE,
					"--all: %s*%u: sets of places are too many to list; --geometry=%s --all lists the places of one region, \"storus slots '%s*%u'\" counts sets that fit at the same time",
					shape, ask->regions, shape, shape,
					ask->regions);
		}
	if (rc)
		return err.count ? storus_say_errors(NAME, rc, &err) : rc;
	rc = place_ask(r, &a);
	json_decref(a.list);
	if (rc)
		return STORUS_TROUBLE;
	return a.answer == TORUS_FITS ? STORUS_DONE : STORUS_NO;
}

static int place_run(void *request)
{
	struct place_words *r = request;
	int status;

	if (!r->q.words.geometry)
		return storus_say(NAME, STORUS_USAGE,
				  "--geometry is missing; for example storus place --torus 8x8x8 --geometry 4x4x2");
	status = place_answer(r);
	storus_question_free(&r->q);
	return status;
}

const struct storus_command storus_place = {
	.name = "place",
	.summary = "find a place for a shape, or say why there is none",
	.usage = "[--torus FILE|STRING] SHAPE [OPTION]...",
	.about = "Asks a placement strategy for a place and prints the region, or the reason why there\n"
		 "is none (exit status 1). The machine is the live cluster, a snapshot, a schedule at a\n"
		 "time, or the machine of --torus and --busy.",
	.options = options,
	STORUS_WORDS(struct place_words, .table.column = columns),
	.operand = { .value = "shape",
		     STORUS_TO(struct place_words, q.words.geometry) },
	.examples =
		"  storus place 4x4x2 --torus 8x8x8\n"
		"  storus place --torus 8x8x8:MMM --busy 0,0,0+2x4x4 --geometry 2x1x2\n"
		"  storus place --torus 4x4 --busy 0,0+1x4 --geometry 2x4 --all\n"
		"  storus place --torus 4x4 --geometry 2x4 --noheader -o '%a %r'\n"
		"  storus place --torus 8x8x8 --geometry 8x4 --conn-type TM --json\n"
		"  storus place --torus 8x8x8 --geometry 8x8x8,16x8x2,256@2h\n",
	.run = place_run,
};
