/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus defrag: the running jobs whose end would let a shape fit at the least cost.
 * Exit status 1: no set of jobs does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/placement.h"
#include "config/file.h"
#include "questions/freeing.h"
#include "torus/number.h"
#include "trace/formats.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/machine/question.h"
#include "storus/base/table.h"
#include "torus/alloc.h"

#define NAME &storus_defrag

static const struct storus_column columns[] = {
	{ "job", 'i', "JOB", .width = -10 },
	{ "user", 'u', "USER", .width = -10 },
	{ "nodes", 'D', "NODES", .width = 7 },
	{ "cost_node_s", 'c', "COST", .width = 14 },
	{ "end", 'e', "END", .width = -19, .time = true },
	{ "region", 'r', "REGION", .width = -24 },
	{ 0 },
};

struct defrag {
	struct storus_question q;
	struct storus_table table;
	const char *shape, *partition, *costs_path;
	struct storus_list keep_ids;
	enum costs_kind kind;
	uint64_t *cost, *allowed;
	bool *keep;
	struct freeing f;
};

#define DEFRAG_WORD(...) STORUS_QUESTION_WORD(struct defrag, "", __VA_ARGS__)

static const struct storus_option options[] = {
	STORUS_SOURCE_OPTIONS(struct defrag, q.source),
	{ "geometry", "SHAPE", "the same as the operand",
	  STORUS_TO(struct defrag, shape) },
	{ "cost", "elapsed|remaining|nodes",
	  "cost of a job: its nodes x the time since its start (the default), to its\n"
	  "expected end, or 1 s",
	  STORUS_CHOICE_TO(struct defrag, kind) },
	{ "costs", "FILE.csv",
	  "columns id,cost: the cost of these jobs, such as node seconds since the\n"
	  "latest checkpoint; the others as --cost says",
	  STORUS_TO(struct defrag, costs_path) },
	{ "keep", "JOB",
	  "this job must not end; may be repeated (an array: all its tasks)",
	  STORUS_TO(struct defrag, keep_ids) },
	{ "partition", "NAME", "only on the nodes of this partition",
	  STORUS_TO(struct defrag, partition) },
	TORUS_REQUEST_WORDS(DEFRAG_WORD)
		STORUS_QUESTION_STRATEGY(struct defrag, q),
	STORUS_TABLE_OPTIONS(struct defrag, table),
	{ 0 },
};

/* The running jobs of an id; one of an array names all its tasks. */
static uint32_t defrag_each(struct defrag *d, const char *id,
			    void (*each)(struct defrag *d, uint32_t j,
					 uint64_t value),
			    uint64_t value)
{
	const struct snapshot *s = d->q.snapshot;
	size_t length = strlen(id);
	uint32_t jobs = 0;

	for (uint32_t j = 0; j < s->jobs; j++) {
		const char *name = s->job[j].id;

		if (!s->job[j].running || strncmp(name, id, length) ||
		    (name[length] && name[length] != '_'))
			continue;
		each(d, j, value);
		jobs++;
	}
	return jobs;
}

static void defrag_keep(struct defrag *d, uint32_t j, uint64_t value)
{
	(void)value;
	d->keep[j] = true;
}

static void defrag_cost(struct defrag *d, uint32_t j, uint64_t value)
{
	d->cost[j] = value;
}

/* ID,COST: node seconds with at most 6 decimals. -1 after a line. */
static int defrag_line(struct defrag *d, char *line, unsigned n)
{
	char *id, *text = NULL, *next;
	int64_t cost = 0;
	bool sound, two;

	line[strcspn(line, "\n")] = '\0';
	if (*line && line[strlen(line) - 1] == '\r')
		line[strlen(line) - 1] = '\0';
	if (line[strcspn(line, "\r")])
		return storus_say(NAME, -1,
				  "%s:%u: a carriage return inside the line; lines end with a newline",
				  d->costs_path, n);
	next = torus_field_take(line, ',', &id, &sound);
	two = sound && next && !torus_field_take(next, ',', &text, &sound) &&
	      sound;
	if (n == 1 && two && !strcmp(id, "id") && !strcmp(text, "cost"))
		return 0;
	if (n == 1)
		return storus_say(NAME, -1,
				  "%s:1: got \"%.40s\", expected the heading id,cost",
				  d->costs_path, id);
	if (!two || !*id)
		return storus_say(NAME, -1,
				  "%s:%u: got \"%.40s\", expected a job and its cost, for example 17,3600",
				  d->costs_path, n, id);
	if (!torus_number_seconds(text, &cost))
		return storus_say(NAME, -1,
				  "%s:%u: cost: got \"%.40s\", expected a number of node seconds",
				  d->costs_path, n, text);
	/* jobs that have ended since do not matter */
	defrag_each(d, id, defrag_cost, (uint64_t)cost);
	return 0;
}

static int defrag_prepare(struct defrag *d)
{
	const struct snapshot *s = d->q.snapshot;
	uint32_t words = s->config->machine.words;
	int status;
	struct torus_error err = { 0 };
	size_t length;
	char *text;
	char *rest, *line;
	unsigned n = 0;
	int rc = 0;

	d->cost = torus_alloc(s->jobs, sizeof(*d->cost));
	d->keep = torus_alloc(s->jobs, sizeof(*d->keep));
	d->allowed = torus_alloc(words, sizeof(*d->allowed));
	if (!d->cost || !d->keep || !d->allowed)
		return storus_no_memory(NAME);
	for (uint32_t j = 0; j < s->jobs; j++)
		d->cost[j] = s->job[j].running ?
				     costs_of(s, &s->job[j], d->kind) :
				     0;
	status = storus_question_allow(NAME, &d->q, d->partition, d->allowed);
	if (status != STORUS_DONE)
		return status;
	for (uint32_t k = 0; k < d->keep_ids.count; k++) {
		if (!defrag_each(d, d->keep_ids.word[k], defrag_keep, 0))
			return storus_say(
				NAME, STORUS_USAGE,
				"--keep: got \"%s\": there is no such running job, or it is hidden from you%s",
				d->keep_ids.word[k],
				strchr(d->keep_ids.word[k], ',') ?
					"; --keep takes one job and may be repeated" :
					"");
	}
	if (!d->costs_path)
		return STORUS_DONE;
	text = torus_file_text(d->costs_path, &length, &err);
	rest = text;
	if (!text)
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	while (rc == 0 && *rest && (line = strsep(&rest, "\n"))) {
		rc = defrag_line(d, line, ++n);
		if (!rest)
			break;
	}
	torus_free(text);
	return rc ? STORUS_USAGE : STORUS_DONE;
}

static const char blocked[] =
	"kept or hidden jobs, reserved nodes or nodes out of service block every place";

/* Node seconds. */
static json_t *defrag_cost_json(uint64_t cost)
{
	if (cost % 1000000 == 0)
		return json_integer((json_int_t)(cost / 1000000));
	return json_real((double)cost * 1e-6);
}

static char *defrag_region(const struct defrag *d)
{
	const struct torus_machine *m = &d->q.config->machine;
	struct torus_text text = { 0 };

	if (d->f.answer != TORUS_FITS ||
	    (d->f.place.scattered && !d->f.place.regions))
		return NULL;
	torus_placement_format(m, &d->f.place, &text);
	return text.data;
}

static void defrag_sentence(const struct defrag *d, const char *region)
{
	char cost[32], least[32];

	torus_number_format((double)d->f.cost * 1e-6, 6, cost, sizeof(cost));
	torus_number_format((double)d->f.at_least * 1e-6, 6, least,
			    sizeof(least));
	if (d->f.answer == TORUS_NEVER)
		storus_print("%s: never: %s\n", d->shape, d->f.why.text);
	else if (d->f.answer == TORUS_NOT_NOW)
		storus_print("%s: not now: %s%s\n", d->shape,
			     storus_question_links(&d->q), blocked);
	else if (!d->f.jobs)
		storus_print("%s fits now%s%s\n", d->shape, region ? ": " : "",
			     region ? region : "");
	else
		storus_print("%s fits%s%s once %s, at a cost of %s node s%s%s\n",
			     d->shape, region ? " on " : "",
			     region ? region : "",
			     d->f.jobs == 1 ? "this job has ended" :
					      "these jobs have ended",
			     cost,
			     d->f.at_least == d->f.cost ?
				     " (no set costs less)" :
				     "; no set costs less than ",
			     d->f.at_least == d->f.cost ? "" : least);
}

static int defrag_print(struct defrag *d)
{
	const struct snapshot *s = d->q.snapshot;
	bool asked = storus_table_asked(&d->table);
	char *region = defrag_region(d);
	int status = STORUS_DONE;

	if (d->table.json) {
		json_t *jobs = json_array(), *o;

		for (uint32_t i = 0; i < d->f.jobs; i++)
			json_array_append_new(jobs,
					      json_string(
						      s->job[d->f.job[i]].id));
		o = json_pack("{s:i, s:s, s:s?, s:o, s:o}", "schema", 1,
			      "answer",
			      d->f.answer == TORUS_NEVER   ? "never" :
			      d->f.answer == TORUS_NOT_NOW ? "not_now" :
			      d->f.jobs                    ? "by_ending" :
							     "fits",
			      "region", region, "jobs", jobs, "cost_node_s",
			      defrag_cost_json(d->f.cost));
		json_object_set_new(o, "exact",
				    json_boolean(d->f.at_least == d->f.cost));
		json_object_set_new(o, "cost_at_least_node_s",
				    defrag_cost_json(d->f.at_least));
		if (d->f.answer != TORUS_FITS)
			json_object_set_new(o, "reason",
					    d->f.answer == TORUS_NEVER ?
						    json_string(d->f.why.text) :
						    json_sprintf("%s%s",
								 storus_question_links(
									 &d->q),
								 blocked));
		status = storus_json_answer(NAME, o, s, d->table.json);
	} else {
		if (!asked)
			defrag_sentence(d, region);
		d->table.dated = s->dated;
		for (uint32_t i = 0; i < d->f.jobs; i++) {
			uint32_t j = d->f.job[i];
			const struct snapshot_job *job = &s->job[j];

			storus_table_row(&d->table,
					 json_pack("{s:s, s:s, s:i, s:o, s:o, s:s}",
						   "job", job->id, "user",
						   job->user, "nodes",
						   (int)job->nodes,
						   "cost_node_s",
						   defrag_cost_json(d->cost[j]),
						   "end",
						   storus_clock_json(job->end_us),
						   "region", job->place));
		}
		if (d->f.jobs || d->table.csv)
			status = storus_table_end(NAME, &d->table);
		if (!asked)
			storus_age_print("Snapshot", storus_age_time_us(s));
	}
	torus_free(region);
	if (status != STORUS_DONE)
		return status;
	return d->f.answer == TORUS_FITS ? STORUS_DONE : STORUS_NO;
}

static int defrag_answer(struct defrag *d)
{
	struct torus_error err = { 0 };
	int status = storus_question_machine(&d->q, &err);
	struct torus_ask *ask = &d->q.request.alternative[0].ask;

	if (status == STORUS_DONE && storus_question_request(&d->q, &err))
		status = STORUS_USAGE;
	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	if (d->q.request.alternatives > 1)
		return storus_say(NAME, STORUS_USAGE,
				  "\"%s\": expected one shape, for example 4x4x4",
				  d->shape);
	status = defrag_prepare(d);
	if (status != STORUS_DONE)
		return status;
	if (freeing_find(&(struct freeing_question){ .s = d->q.snapshot,
						     .ask = ask,
						     .allowed = d->allowed,
						     .cost = d->cost,
						     .keep = d->keep },
			 &d->f))
		return storus_question_unlisted(NAME, d->shape);
	return defrag_print(d);
}

static int defrag_run(void *words)
{
	struct defrag *d = words;
	int status;

	if (!d->shape)
		return storus_say(NAME, STORUS_USAGE,
				  "expected a shape; write for example storus defrag 4x4x4");
	d->q.words.geometry = d->shape;
	status = defrag_answer(d);
	freeing_free(&d->f);
	torus_free(d->cost);
	torus_free(d->keep);
	torus_free(d->allowed);
	storus_question_free(&d->q);
	return status;
}

const struct storus_command storus_defrag = {
	.name = "defrag",
	.summary =
		"find the cheapest running jobs whose end would let a shape fit",
	.usage = "SHAPE [OPTION]...",
	.about =
		"Says whether the shape fits now; if not, which jobs must end for it, at the least\n"
		"cost, and its region then. It ends no job. Exit status 1: kept jobs or nodes out of\n"
		"service block every place, or there is none even on the empty machine.",
	.options = options,
	STORUS_WORDS(struct defrag, .table.column = columns),
	.operand = { .value = "shape", STORUS_TO(struct defrag, shape) },
	.examples = "  storus defrag 8x8x4\n"
		    "  storus defrag 8x8x4 --cost remaining --keep 17 --keep 18\n"
		    "  storus defrag 8x8x4 --costs checkpoints.csv --json\n"
		    "  storus defrag 4x4 --snapshot now.snap -o '%i %c'\n",
	.run = defrag_run,
};
