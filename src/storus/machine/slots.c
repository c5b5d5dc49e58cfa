/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus slots: how many places a shape has now, how many at the same time, the
 * largest free box of each torus, and what fragmentation costs. Reserved nodes and
 * those out of service are left out.
 *
 * External fragmentation of a torus: the share of its free nodes that is not in its
 * largest free box. Internal: the share of the nodes held by jobs that they did not
 * ask for.
 */
#include <errno.h>
#include <stdio.h>

#include "questions/occupancy.h"
#include "questions/packing.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/machine/question.h"
#include "storus/base/table.h"
#include "torus/alloc.h"
#include "torus/state_find.h"

#define NAME &storus_slots

static const struct storus_column columns[] = {
	{ "shape", 's', "SHAPE", .width = -12 },
	{ "torus", 't', "TORUS", .width = -12 },
	{ "partition", 'P', "PARTITION", .width = -10 },
	{ "places", 'p', "PLACES", .width = 8 },
	{ "disjoint", 'n', "DISJOINT", .width = 8 },
	{ "disjoint_at_most", 'm', "AT_MOST", .width = 8 },
	{ "free", 'f', "FREE", .width = 8 },
	{ "largest", 'l', "LARGEST", .width = -28 },
	{ 0 },
};

/* Nodes of a torus that jobs hold; of them, those not asked for. */
struct slots_held {
	uint32_t nodes, unasked;
};

struct slots {
	struct storus_question q;
	struct storus_table table;
	struct storus_list shape;
	const char *partition;
	uint64_t *allowed;
	struct largest_free *torus; /* an entry per torus */
	uint32_t free;              /* nodes of all */
	struct slots_held *held;
	json_t *json; /* of the machine as a whole */
};

#define SLOTS_WORD(...) STORUS_QUESTION_WORD(struct slots, "", __VA_ARGS__)

static const struct storus_option options[] = {
	STORUS_SOURCE_OPTIONS(struct slots, q.source),
	{ "geometry", "SHAPE", "the same as an operand; may be repeated",
	  STORUS_TO(struct slots, shape) },
	{ "partition", "NAME",
	  "only the nodes of this partition; default: each partition",
	  STORUS_TO(struct slots, partition) },
	TORUS_REQUEST_WORDS(SLOTS_WORD)
		STORUS_QUESTION_STRATEGY(struct slots, q),
	STORUS_TABLE_OPTIONS(struct slots, table),
	{ 0 },
};

/* The places of one shape on one torus. */
struct slots_row {
	uint32_t places;
	struct packing packing;
};

/* Count a row per torus and one of all. Exit status. For several regions
 * (4x4*2) the places are those of one region; the sets are counted that fit at
 * the same time. */
static int count_shape(struct slots *s, const char *shape, struct slots_row *row)
{
	struct places list;
	struct torus_ask ask;
	uint32_t pod, regions;
	int rc;

	s->q.words.geometry = shape;
	if (storus_question_request(&s->q, NULL))
		return STORUS_USAGE; /* slots_check_shapes() has said it */
	ask = torus_ask_among(&s->q.request.alternative[0].ask, s->allowed);
	regions = torus_ask_several(&ask) ? ask.regions : 1;
	ask.regions = 0;
	rc = places_find(s->q.state, &ask, &list, &pod);
	if (rc && errno == ENOSYS)
		return storus_say(NAME, STORUS_USAGE,
				  "strategy %s of torus %s cannot list places; ask with --strategy submesh",
				  s->q.config->machine.pod[pod].strategy[0]->name,
				  s->q.config->machine.pod[pod].torus.name);
	if (rc)
		return storus_question_unlisted(NAME, shape);
	if (list.scattered) {
		const struct torus_machine *m = &s->q.config->machine;

		/* a count takes any nodes: one place at a time, as `storus place
		 * --all` counts */
		for (uint32_t q = 0; q < m->pods; q++) {
			uint32_t n = s->torus[q].free /
				     (uint32_t)torus_ask_nodes(&ask);

			row[q].places = n > 0;
			row[q].packing = (struct packing){ n, n };
		}
	} else {
		const struct torus_machine *m;
		uint32_t i = 0;

		m = &s->q.config->machine;
		rc = 0;
		for (uint32_t p = 0; rc == 0 && p < m->pods; p++) {
			uint32_t first = i;

			while (i < list.count && list.place[i].pod == p)
				i++;
			row[p].places = i - first;
			rc = packing_solve(&m->pod[p].torus,
					   list.count ? list.place + first :
							NULL,
					   i - first, &row[p].packing);
		}
	}
	places_free(&list);
	if (rc == 0) {
		/* Add the row of all toruses behind theirs. Then divide by the regions of a
		 * set; a set may have regions in several toruses. */
		uint32_t pods = s->q.config->machine.pods;

		row[pods] = (struct slots_row){ 0 };
		for (uint32_t p = 0; p < pods; p++) {
			row[pods].places += row[p].places;
			row[pods].packing.disjoint += row[p].packing.disjoint;
			row[pods].packing.disjoint_at_most +=
				row[p].packing.disjoint_at_most;
		}
		for (uint32_t p = 0; p <= pods; p++) {
			row[p].packing.disjoint /= regions;
			row[p].packing.disjoint_at_most /= regions;
		}
	}
	return rc ? storus_no_memory(NAME) : STORUS_DONE;
}

static double slots_share(uint32_t part, uint32_t whole)
{
	return whole ? (double)part / whole : 0;
}

static json_t *slots_row_json(const struct slots_row *row)
{
	return json_pack("{s:i, s:i, s:i}", "places", (int)row->places,
			 "disjoint", (int)row->packing.disjoint,
			 "disjoint_at_most", (int)row->packing.disjoint_at_most);
}

/* All toruses together, and each. */
static json_t *shape_json(const struct slots *s, const char *shape,
			  const struct slots_row *row)
{
	const struct torus_machine *m = &s->q.config->machine;
	json_t *o, *list = json_array();

	for (uint32_t p = 0; p < m->pods; p++) {
		json_t *one = slots_row_json(&row[p]);

		json_object_set_new(one, "torus",
				    json_string(m->pod[p].torus.name));
		json_array_append_new(list, one);
	}
	o = slots_row_json(&row[m->pods]);
	json_object_set_new(o, "shape", json_string(shape));
	json_object_set_new(o, "toruses", list);
	return o;
}

/* Write the row of torus p, or of all (p == pods). shape NULL: of none. */
static void slots_write_row(struct slots *s, const char *shape, uint32_t p,
			    const struct slots_row *row)
{
	const struct torus_machine *m = &s->q.config->machine;
	bool all = p == m->pods;
	json_t *o = row ? slots_row_json(row) : json_object();
	json_t *more =
		json_pack("{s:s?, s:s, s:s?, s:i, s:s?}", "shape", shape,
			  "torus", all ? "all" : m->pod[p].torus.name,
			  "partition", s->partition, "free",
			  (int)(all ? s->free : s->torus[p].free), "largest",
			  !all && s->torus[p].nodes ? s->torus[p].box : NULL);

	json_object_update(o, more);
	json_decref(more);
	storus_table_row(&s->table, o);
}

/* Answer for the nodes that are allowed: rows, or an object with shapes and
 * toruses. */
static int slots_of(struct slots *s, json_t **json)
{
	const struct torus_machine *m = &s->q.config->machine;
	struct slots_row *row = torus_alloc((size_t)m->pods + 1, sizeof(*row));
	json_t *shapes = json_array(), *toruses = json_array();
	int status = row && shapes && toruses &&
				     largest_free_find(&s->q, s->allowed,
						       s->torus) == 0 ?
			     STORUS_DONE :
			     storus_no_memory(NAME);

	s->free = 0;
	for (uint32_t p = 0; p < m->pods; p++)
		s->free += s->torus[p].free;
	for (uint32_t i = 0; status == STORUS_DONE && i < s->shape.count; i++) {
		status = count_shape(s, s->shape.word[i], row);
		if (status == STORUS_DONE)
			json_array_append_new(shapes,
					      shape_json(s, s->shape.word[i],
							 row));
		for (uint32_t p = 0; status == STORUS_DONE && p < m->pods; p++) {
			if (!s->table.json)
				slots_write_row(s, s->shape.word[i], p, &row[p]);
		}
		if (status == STORUS_DONE && !s->table.json && m->pods > 1 &&
		    torus_ask_several(&s->q.request.alternative[0].ask))
			slots_write_row(s, s->shape.word[i], m->pods,
					&row[m->pods]);
	}
	for (uint32_t p = 0; status == STORUS_DONE && p < m->pods; p++) {
		const struct largest_free *f = &s->torus[p];
		const struct slots_held *held = &s->held[p];
		json_t *o = largest_free_json(&s->q, p, f);

		json_object_set_new(o, "fragmentation",
				    json_pack("{s:f, s:f}", "external",
					      slots_share(f->free - f->nodes,
							  f->free),
					      "internal",
					      slots_share(held->unasked,
							  held->nodes)));
		json_array_append_new(toruses, o);
		if (!s->table.json && !s->shape.count)
			slots_write_row(s, NULL, p, NULL);
	}
	torus_free(row);
	*json = json_pack("{s:o, s:o}", "shapes", shapes, "toruses", toruses);
	return status;
}

/* Answer for the whole machine, then for each partition if there are
 * several. */
static int slots_parts(struct slots *s)
{
	const struct snapshot *snap = s->q.snapshot;
	bool named = s->partition != NULL;
	json_t *part, *list = json_array();
	int status = storus_question_allow(NAME, &s->q, s->partition,
					   s->allowed);

	if (status == STORUS_DONE)
		status = slots_of(s, &s->json);
	for (uint32_t i = 0; !named && status == STORUS_DONE &&
			     snap->partitions > 1 && i < snap->partitions;
	     i++) {
		s->partition = snap->partition[i].name;
		status = storus_question_allow(NAME, &s->q, s->partition,
					       s->allowed);
		if (status == STORUS_DONE)
			status = slots_of(s, &part);
		if (status != STORUS_DONE)
			break;
		json_object_set_new(part, "partition",
				    json_string(s->partition));
		json_array_append_new(list, part);
	}
	if (s->json) {
		json_object_set_new(s->json, "schema", json_integer(1));
		json_object_set(s->json, "partitions", list);
	}
	json_decref(list);
	return status;
}

/* Refuse wrong shapes before a row is printed, and name those that can never be. */
static int slots_check_shapes(struct slots *s)
{
	for (uint32_t i = 0; i < s->shape.count; i++) {
		struct torus_error err = { 0 };

		s->q.words.geometry = s->shape.word[i];
		if (storus_question_request(&s->q, &err))
			return storus_say_errors(NAME, STORUS_USAGE, &err);
		if (s->q.request.alternatives > 1)
			return storus_say(NAME, STORUS_USAGE,
					  "\"%s\": expected one shape per operand, for example 4x4x4 8x8x8",
					  s->shape.word[i]);
		if (torus_state_possible(s->q.state,
					 &s->q.request.alternative[0].ask, NULL,
					 &err) == TORUS_NEVER)
			storus_say_errors(NAME, 0, &err);
	}
	return STORUS_DONE;
}

static int slots_answer(struct slots *s)
{
	struct torus_error err = { 0 };
	int status = storus_question_machine(&s->q, &err);
	const struct torus_machine *m;
	const struct snapshot *snap;

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	s->allowed = torus_alloc(s->q.config->machine.words,
				 sizeof(*s->allowed));
	s->torus = torus_alloc(s->q.config->machine.pods, sizeof(*s->torus));
	s->held = torus_alloc(s->q.config->machine.pods, sizeof(*s->held));
	if (!s->allowed || !s->torus || !s->held)
		return storus_no_memory(NAME);
	/* Count the nodes that jobs hold, and those of them that they did not ask for. */
	m = &s->q.config->machine;
	snap = s->q.snapshot;
	for (uint32_t j = 0; j < snap->jobs; j++) {
		const struct snapshot_job *job = &snap->job[j];
		struct torus_request request;
		uint32_t index, p;
		uint64_t asked;

		if (!job->running || !job->nodes || !*job->words.geometry ||
		    occupancy_request(snap, job, &request, NULL))
			continue;
		p = torus_machine_pod(m, job->node[0], &index);
		asked = torus_ask_nodes(&request.alternative[0].ask);
		s->held[p].nodes += job->nodes;
		if (request.alternatives == 1 && asked < job->nodes)
			s->held[p].unasked += job->nodes - (uint32_t)asked;
	}
	status = slots_check_shapes(s);
	if (status == STORUS_DONE)
		status = slots_parts(s);
	if (status == STORUS_DONE && s->table.json) {
		status = storus_json_answer(NAME, json_incref(s->json),
					    s->q.snapshot, s->table.json);
	} else if (status == STORUS_DONE) {
		status = storus_table_end(NAME, &s->table);
		if (!storus_table_asked(&s->table))
			storus_age_print("Snapshot",
					 storus_age_time_us(s->q.snapshot));
	}
	return status;
}

static int slots_run(void *words)
{
	struct slots *s = words;
	int status = slots_answer(s);

	json_decref(s->json);
	torus_free(s->torus);
	torus_free(s->held);
	torus_free(s->allowed);
	storus_question_free(&s->q);
	return status;
}

const struct storus_command storus_slots = {
	.name = "slots",
	.summary =
		"count the places of a shape now, and how many fit at the same time",
	.usage = "[SHAPE]... [OPTION]...",
	.about = "Prints a line per shape, torus and partition: the places that the shape has now, how\n"
		 "many jobs of it fit at the same time (the most that were found, and a proven bound),\n"
		 "and the free nodes and the largest free box of the torus. Nodes of active\n"
		 "reservations are not counted.",
	.options = options,
	STORUS_WORDS(struct slots, .table.column = columns),
	.operand = { .value = "shape", STORUS_TO(struct slots, shape) },
	.examples = "  storus slots 4x4x4 8x8x8\n"
		    "  storus slots --snapshot now.snap 4x4x4 --json\n"
		    "  storus slots --torus 8x8x8 --busy 0,0,0+4x4x4 2x2x2\n"
		    "  storus slots 4x4x4 -o '%s %n'\n",
	.run = slots_run,
};
