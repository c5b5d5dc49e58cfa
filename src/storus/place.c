/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus place: one question on a given occupancy. Exit status 0: it fits;
 * 1: it does not, and why.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "storus/json.h"
#include "storus/site.h"
#include "storus/storus.h"
#include "torus/alloc.h"
#include "torus/config.h"

enum {
	OPT_TORUS = 1,
	OPT_BUSY,
	OPT_GEOMETRY,
	OPT_CONN_TYPE,
	OPT_NO_ROTATE,
	OPT_STRATEGY,
	OPT_JSON,
	OPT_ALL,
};

static const struct storus_option options[] = {
	{ "torus", OPT_TORUS, "FILE|STRING",
	  "the machine: a torus.yaml, or for example 8x8x8:MMM" },
	{ "busy", OPT_BUSY, "REGION",
	  "nodes in use: base+extent[/stride] or {0-3,7}; may be repeated" },
	{ "geometry", OPT_GEOMETRY, "SPEC", "what is asked for: 4x4x2, 2^3, 64" },
	{ "conn-type", OPT_CONN_TYPE, "TYPE",
	  "torus, mesh, nav, or one letter per axis (TTM)" },
	{ "no-rotate", OPT_NO_ROTATE, NULL,
	  "axis i as typed lies along dimension i" },
	{ "strategy", OPT_STRATEGY, "NAME",
	  "a strategy of `storus list strategies`" },
	{ "all", OPT_ALL, NULL, "list every place, not only the chosen one" },
	{ "json", OPT_JSON, "[=FILE]", "the answer as JSON (default: stdout)" },
	{ NULL, 0, NULL, NULL },
};

static int place_run(int argc, char **argv);

const struct storus_command storus_place = {
	.name = "place",
	.summary = "where would a shape go on a given occupancy, or why not",
	.usage = "--torus FILE|STRING --geometry SPEC [OPTION]...",
	.about = "Asks a placement strategy one question and prints the region, or the reason\n"
		 "why there is none (exit status 1).",
	.options = options,
	.examples = "  storus place --torus 8x8x8:MMM --busy 0,0,0+2x4x4 --geometry 2x1x2\n"
		    "  storus place --torus 4x4 --busy 0,0+1x4 --geometry 2x4 --all\n"
		    "  storus place --torus 8x8x8 --geometry 8x4 --conn-type TM --json\n",
	.run = place_run,
};

struct question {
	struct torus_config *config;
	struct torus_state *state;
	uint64_t *busy;
	uint64_t *one; /* scratch: a bitmap of one pod */
	struct torus_request request;
	bool all, json;
	const char *json_path;
};

struct answer {
	enum torus_answer answer;
	struct torus_placement place;
	struct torus_error why;
	json_t *list;     /* --all with --json */
	uint64_t listed;
	const struct torus_machine *machine;
};

static const char *const answers[] = { "fits", "not_now", "never" };

static json_t *numbers(const uint32_t *value, uint32_t n)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(array, json_integer(value[i]));
	return array;
}

/* A letter per axis of the granted shape: T closed ring, M open. */
static void ring_letters(const struct torus_placement *place, char *text)
{
	for (uint32_t a = 0; a < place->axes; a++)
		text[a] = place->ring >> a & 1 ? 'T' : 'M';
	text[place->axes] = '\0';
}

static void add_place(json_t *o, const struct torus_machine *m,
		      const struct torus_placement *place)
{
	const struct torus *t = &m->pod[place->pod].torus;
	char text[TORUS_ORIENTATION_SIZE], ring[TORUS_MAX_DIMS + 1];

	if (place->scattered)
		return;
	torus_orientation_format(&place->orientation, t, text, sizeof(text));
	ring_letters(place, ring);
	json_object_set_new(o, "orientation", json_string(text));
	json_object_set_new(o, "base", numbers(place->region.base, t->dims));
	json_object_set_new(o, "extent",
			    numbers(place->region.extent, t->dims));
	json_object_set_new(o, "ring", json_string(ring));
	if (m->pods > 1)
		json_object_set_new(o, "torus", json_string(t->name));
}

static json_t *to_json(const struct answer *a)
{
	const struct torus_machine *m = a->machine;
	json_t *o = json_pack("{s:i, s:s}", "schema", 1, "answer",
			      answers[a->answer]);
	struct torus_text region = { 0 };

	if (a->answer == TORUS_FITS) {
		torus_placement_format(m, &a->place, &region);
		json_object_set_new(o, "region", json_string(region.data));
		add_place(o, m, &a->place);
		if (!a->place.scattered)
			json_object_set_new(
				o, "stride",
				numbers(a->place.region.stride,
					m->pod[a->place.pod].torus.dims));
		json_object_set_new(o, "granted",
				    json_integer(a->place.granted));
		torus_text_free(&region);
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
	const struct torus *t = &m->pod[place->pod].torus;
	struct torus_text region = { 0 };
	char text[TORUS_ORIENTATION_SIZE], ring[TORUS_MAX_DIMS + 1];

	torus_placement_format(m, place, &region);
	printf("%s%s", lead, region.data ? region.data : "?");
	torus_text_free(&region);
	if (!place->scattered) {
		torus_orientation_format(&place->orientation, t, text,
					 sizeof(text));
		ring_letters(place, ring);
		printf("  orientation %s  ring %s", text, ring);
	}
	printf("  %u node%s\n", place->granted, place->granted == 1 ? "" : "s");
}

static bool list_one(void *arg, const struct torus_placement *place)
{
	struct answer *a = arg;

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
		add_place(o, a->machine, place);
		return json_array_append_new(a->list, o) == 0;
	}
	print_place(a->machine, place, "  ");
	return !ferror(stdout);
}

static void print_text(const struct question *q, struct answer *a)
{
	const struct torus_ask *ask = &q->request.alternative[0].ask;

	if (a->answer == TORUS_FITS)
		print_place(a->machine, &a->place, "fits: ");
	else
		printf("%s: %s\n",
		       a->answer == TORUS_NOT_NOW ? "not now" : "never",
		       a->why.text);
	if (a->answer == TORUS_FITS && a->place.granted > torus_ask_nodes(ask))
		printf("  %llu were asked for; %u is the next number that forms a region\n",
		       (unsigned long long)torus_ask_nodes(ask),
		       a->place.granted);
}

/* The busy nodes become one hold per torus. */
static int hold_busy(struct question *q)
{
	const struct torus_machine *m = &q->config->machine;

	for (uint32_t p = 0; p < m->pods; p++) {
		struct torus_placement place = { .pod = p, .scattered = true };

		place.nodes = q->busy + m->pod[p].first_word;
		place.granted = torus_bits_count(place.nodes, m->pod[p].words);
		if (place.granted &&
		    torus_state_commit(q->state, &place, p, NULL, 0, INT64_MAX,
				       NULL) == TORUS_NO_SLOT)
			return storus_say(&storus_place, -1, "--busy: %s",
					  strerror(errno));
	}
	return 0;
}

/* Any idle nodes will do: its places are as many as there are choices. */
static bool only_one(const struct torus_pod *pod)
{
	return strcmp(pod->strategy[0]->name, "flat") == 0;
}

/* May --all be asked of this machine? Looked at before anything is said. */
static int listable(const struct torus_machine *m, struct torus_error *err)
{
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_strategy *strategy = m->pod[p].strategy[0];

		if (!strategy->find_all && !(m->pods == 1 &&
					     only_one(&m->pod[p])))
			return torus_error_add(
				err, "--all: strategy %s%s%s cannot list places",
				strategy->name, m->pods > 1 ? " of torus " : "",
				m->pods > 1 ? m->pod[p].torus.name : "");
	}
	return 0;
}

static int list_all(const struct question *q, struct answer *a)
{
	const struct torus_ask *what = &q->request.alternative[0].ask;

	if (!a->machine->pod[0].strategy[0]->find_all)
		list_one(a, &a->place);
	else if (torus_state_find_all(q->state, what, NULL, NULL, list_one, a))
		return storus_say(&storus_place, -1, "--all: %s",
				  strerror(errno));
	if (!q->json)
		printf("  %llu place%s\n", (unsigned long long)a->listed,
		       a->listed == 1 ? "" : "s");
	return 0;
}

/* Ask, explain, list. */
static int ask(struct question *q, struct answer *a)
{
	const struct torus_ask *what = &q->request.alternative[0].ask;

	a->machine = &q->config->machine;
	if (hold_busy(q))
		return -1;
	a->answer = torus_state_possible(q->state, what, NULL, NULL, &a->why);
	if (a->answer == TORUS_FITS)
		a->answer = torus_state_find(q->state, what, NULL, NULL,
					     &a->place, &a->why);
	if (a->answer == TORUS_NOT_NOW)
		torus_state_explain(q->state, what, NULL, &a->why);
	if (!q->json)
		print_text(q, a);
	else if (q->all && !(a->list = json_array()))
		return -1;
	if (q->all && a->answer == TORUS_FITS && list_all(q, a))
		return -1;
	if (q->json &&
	    storus_json_write(&storus_place, to_json(a), q->json_path))
		return -1;
	return 0;
}

struct words {
	const char *torus, *strategy;
	const char **busy;
	int busies;
	struct torus_request_words request;
};

/* Nodes of one --busy join the others; each of its cells must have one. */
static int paint_busy(struct question *q, const char *region,
		      struct torus_error *err)
{
	const struct torus_machine *m = &q->config->machine;

	if (storus_site_paint(m, region, q->one, q->busy, err))
		return -1;
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		const uint64_t *busy = q->busy + pod->first_word;

		for (uint32_t w = 0; pod->present && w < pod->words; w++) {
			if (busy[w] & ~pod->present[w])
				return torus_error_add(err, "--busy: got \"%s\": it covers a cell that has no node",
						       region);
		}
	}
	return 0;
}

static int prepare(struct question *q, const struct words *w,
		   struct torus_error *err)
{
	struct torus_request_words words;
	const struct torus_machine *m;
	int rc = 0;

	q->config = torus_config_load(w->torus, err);
	if (!q->config ||
	    (w->strategy && torus_config_strategy(q->config, w->strategy, err)))
		return -1;
	m = &q->config->machine;
	words = w->request;
	if (m->pods == 1 && m->pod[0].no_rotate)
		words.no_rotate = true;
	q->state = torus_state_create(m);
	q->busy = torus_alloc(m->words, sizeof(*q->busy));
	q->one = torus_alloc(m->words, sizeof(*q->one));
	if (!q->state || !q->busy || !q->one)
		return torus_error_add(err, "out of memory");
	for (int i = 0; i < w->busies; i++)
		rc |= paint_busy(q, w->busy[i], err);
	if (q->all)
		rc |= listable(m, err);
	return rc | torus_request_parse(&q->request, &words, false, err);
}

static int read_words(int argc, char **argv, struct words *w,
		      struct question *q)
{
	struct storus_args args;
	int id;

	storus_args_begin(&args, &storus_place, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		switch (id) {
		case OPT_TORUS:
			w->torus = args.value;
			break;
		case OPT_BUSY:
			w->busy[w->busies++] = args.value;
			break;
		case OPT_GEOMETRY:
			w->request.geometry = args.value;
			break;
		case OPT_CONN_TYPE:
			w->request.conn_type = args.value;
			break;
		case OPT_NO_ROTATE:
			w->request.no_rotate = true;
			break;
		case OPT_STRATEGY:
			w->strategy = args.value;
			break;
		case OPT_ALL:
			q->all = true;
			break;
		case OPT_JSON:
			q->json = true;
			q->json_path = args.value;
			break;
		case STORUS_ARGS_OPERAND:
			storus_say(&storus_place, 0,
				   "\"%s\": unexpected; every word of this command is an option",
				   args.value);
			return STORUS_ARGS_BAD;
		default:
			return id;
		}
	}
	if (!w->torus || !w->request.geometry) {
		storus_say(&storus_place, 0,
			   "--%s is missing; for example storus place --torus 8x8x8 --geometry 4x4x2",
			   w->torus ? "geometry" : "torus");
		return STORUS_ARGS_BAD;
	}
	return STORUS_ARGS_END;
}

static int answer(struct question *q, const struct words *w)
{
	struct torus_error err = { 0 };
	struct answer a = { 0 };
	int rc;

	if (prepare(q, w, &err))
		return storus_say_errors(&storus_place, STORUS_USAGE, &err);
	rc = ask(q, &a);
	json_decref(a.list);
	if (rc)
		return STORUS_TROUBLE;
	return a.answer == TORUS_FITS ? STORUS_DONE : STORUS_NO;
}

static int place_run(int argc, char **argv)
{
	struct words w = { 0 };
	struct question q = { 0 };
	int id, status = STORUS_DONE;

	w.busy = torus_alloc((size_t)argc, sizeof(*w.busy));
	if (!w.busy)
		return storus_say(&storus_place, STORUS_TROUBLE,
				  "out of memory");
	id = read_words(argc, argv, &w, &q);
	if (id == STORUS_ARGS_BAD)
		status = STORUS_USAGE;
	else if (id == STORUS_ARGS_END)
		status = answer(&q, &w);
	torus_state_destroy(q.state);
	torus_config_destroy(q.config);
	torus_free(q.busy);
	torus_free(q.one);
	torus_free(w.busy);
	return status;
}
