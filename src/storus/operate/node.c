/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus node: where nodes lie in their torus, which node a coordinate is, and
 * in the live cluster its state and its jobs. O(nodes + what squeue and sinfo
 * print).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/hostlist.h"
#include "storus/base/clock.h"
#include "storus/machine/cluster.h"
#include "storus/base/json.h"
#include "storus/machine/source.h"
#include "storus/base/table.h"
#include "torus/alloc.h"
#include "torus/config.h"
#include "torus/number.h"
#include "torus/text.h"

#define NAME &storus_node

struct node_options {
	const char *torus, *job;
	struct storus_table table;
	struct storus_list word;
};

static const struct storus_option options[] = {
	{ "job", "JOB", "the nodes of this job: 17, 17_4",
	  STORUS_TO(struct node_options, job) },
	{ "torus", "FILE|MACHINE",
	  "this torus.yaml or machine, such as 8x8x8; do not ask the cluster for states and jobs",
	  STORUS_TO(struct node_options, torus) },
	STORUS_TABLE_OPTIONS(struct node_options, table),
	{ 0 },
};

struct nodes {
	const struct torus_config *config;
	uint32_t *bit; /* in the order asked for */
	size_t count;
	int32_t *at;       /* per machine bit: in state[], jobs[]; -1 */
	char (*state)[24]; /* "": Slurm does not show the node */
	bool *in_use;
	struct torus_text *jobs; /* "17,18" */
	const char *job;         /* --job; NULL: none */
	bool job_found;
	int64_t time_us; /* when the cluster was asked */
	struct torus_error *err;
};

static int add_bit(struct nodes *n, uint32_t bit)
{
	if (n->at[bit] >= 0)
		return 0; /* asked for twice */
	if (TORUS_RESIZE(n->bit, n->count + 1))
		return -1;
	n->at[bit] = (int32_t)n->count;
	n->bit[n->count++] = bit;
	return 0;
}

static int node_add_node(void *arg, const char *name)
{
	struct nodes *n = arg;
	uint32_t bit = torus_config_node(n->config, name);

	if (bit == UINT32_MAX)
		return storus_say(NAME, STORUS_NO, "%s is in no torus of %s",
				  name, n->config->path);
	return add_bit(n, bit) ? storus_no_memory(NAME) : STORUS_DONE;
}

/* "1,0,1" of t: the cell's index, or UINT32_MAX. */
static uint32_t index_of(const struct torus *t, const char *text)
{
	uint32_t coord[TORUS_MAX_DIMS] = { 0 };

	for (uint32_t d = 0; d < t->dims; d++) {
		uint64_t x;

		text = torus_number_scan_whole(text,
					       (uint64_t)t->size[d] * t->unit[d] -
						       1,
					       &x);
		if (!text || *text++ != (d + 1 < t->dims ? ',' : '\0'))
			return UINT32_MAX;
		coord[d] = (uint32_t)x / t->unit[d];
	}
	return torus_index(t, coord);
}

/* Add all nodes of a vertex, of which `index` is the first. */
static int add_vertex(struct nodes *n, uint32_t p, uint32_t index,
		      const char *word)
{
	const struct torus_machine *m = &n->config->machine;
	char **names = n->config->names[p];
	bool any = false;

	for (uint32_t i = 0; i < m->pod[p].torus.per_vertex; i++) {
		if (names && !names[index + i])
			continue;
		any = true;
		if (add_bit(n, torus_machine_bit(m, p, index + i)))
			return storus_no_memory(NAME);
	}
	return any ? STORUS_DONE :
		     storus_say(NAME, STORUS_NO, "%s has no node", word);
}

/* TORUS:COORD */
static int add_coord(struct nodes *n, const char *word)
{
	const struct torus_machine *m = &n->config->machine;
	size_t length = strcspn(word, ":");

	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus *t = &m->pod[p].torus;
		char machine[TORUS_STRING_SIZE];
		uint32_t index;

		if (strlen(t->name) != length ||
		    strncmp(t->name, word, length) != 0)
			continue;
		index = index_of(t, word + length + 1);
		torus_format(t, machine, sizeof(machine));
		if (index == UINT32_MAX)
			return storus_say(NAME, STORUS_USAGE,
					  "\"%s\": expected a coordinate of %s: %u number%s below its sizes, with commas between them",
					  word, machine, t->dims,
					  t->dims == 1 ? "" : "s");
		return add_vertex(n, p, index, word);
	}
	return storus_say(NAME, STORUS_USAGE, "\"%s\": there is no torus %.*s",
			  word, (int)length, word);
}

/* The live cluster */

/* Nodes that the machine does not have are not our business. */
static int skip_others(void *arg, const char *name)
{
	struct nodes *n = arg;
	uint32_t bit = torus_config_node(n->config, name);

	return bit != UINT32_MAX && add_bit(n, bit) ? -1 : 0;
}

static int find_job(void *arg, const struct storus_cluster_job *job)
{
	struct nodes *n = arg;
	uint32_t count;
	char id[16];

	snprintf(id, sizeof(id), "%u", job->id);
	if (!*job->nodes)
		return STORUS_DONE;
	if (strcmp(job->name, n->job) && strcmp(id, n->job))
		return STORUS_DONE;
	n->job_found = true;
	if (torus_hostlist_count(job->nodes, &count, NULL) == 0 &&
	    torus_hostlist_each(job->nodes, skip_others, n)) {
		torus_error_add(n->err, "out of memory");
		return STORUS_TROUBLE;
	}
	return STORUS_DONE;
}

static int node_note_state(void *arg, const struct storus_cluster_node *node)
{
	struct nodes *n = arg;
	uint32_t bit = torus_config_node(n->config, node->name);

	if (bit == UINT32_MAX || n->at[bit] < 0)
		return STORUS_DONE;
	snprintf(n->state[n->at[bit]], sizeof(*n->state), "%s", node->state);
	n->in_use[n->at[bit]] = node->in_use;
	return STORUS_DONE;
}

struct holder {
	struct nodes *n;
	const char *job;
};

static int node_note_holder(void *arg, const char *name)
{
	struct holder *h = arg;
	uint32_t bit = torus_config_node(h->n->config, name);
	struct torus_text *jobs;

	if (bit == UINT32_MAX || h->n->at[bit] < 0)
		return 0;
	jobs = &h->n->jobs[h->n->at[bit]];
	return torus_text_add(jobs, "%s%s", jobs->length ? "," : "", h->job);
}

static int node_note_job(void *arg, const struct storus_cluster_job *job)
{
	struct holder h = { .n = arg, .job = job->name };
	uint32_t count;

	if (torus_hostlist_count(job->nodes, &count, NULL) == 0 &&
	    torus_hostlist_each(job->nodes, node_note_holder, &h)) {
		torus_error_add(h.n->err, "out of memory");
		return STORUS_TROUBLE;
	}
	return STORUS_DONE;
}

/* Output */

static json_t *node_row(const struct nodes *n, size_t i, bool live)
{
	const struct torus_machine *m = &n->config->machine;
	uint32_t index, p = torus_machine_pod(m, n->bit[i], &index);
	uint32_t vertex[TORUS_MAX_DIMS];
	char **names = n->config->names[p];
	const struct torus *t = &m->pod[p].torus;
	json_t *o, *list;
	char *next, *x;

	torus_coord(t, index, vertex);
	for (uint32_t d = 0; d < t->dims; d++)
		vertex[d] *= t->unit[d];
	/* (a machine without a torus.yaml has no names) */
	o = json_pack("{s:s?, s:s, s:o}", "node", names ? names[index] : NULL,
		      "torus", t->name, "coord",
		      storus_json_counts(vertex, t->dims));
	if (o && torus_node_vertices(t) > 1)
		json_object_set_new(o, "extent",
				    storus_json_counts(t->unit, t->dims));
	if (!o || !live)
		return o;
	json_object_set_new(o, "state",
			    n->state[i][0] ? json_string(n->state[i]) :
					     json_null());
	list = json_array();
	next = n->jobs[i].data;
	while ((x = strsep(&next, ",")))
		json_array_append_new(list, json_string(x));
	json_object_set_new(o, "hidden",
			    json_boolean(n->in_use[i] && !n->jobs[i].length));
	json_object_set_new(o, "jobs", list);
	return o;
}

/* "2,2,0", or of a node that is a box of vertices "2,2,0+2x2x1". */
static json_t *node_coord(const json_t *row, bool csv)
{
	const json_t *coord = json_object_get(row, "coord");
	const json_t *extent = json_object_get(row, "extent");
	char text[TORUS_MAX_DIMS * 22] = "";
	size_t used = 0;

	(void)csv;
	for (size_t d = 0; d < json_array_size(coord); d++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%d", d ? "," : "",
					 (int)json_integer_value(
						 json_array_get(coord, d)));
	for (size_t d = 0; d < json_array_size(extent); d++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%c%d", d ? 'x' : '+',
					 (int)json_integer_value(
						 json_array_get(extent, d)));
	return json_string(text);
}

static json_t *node_state(const json_t *row, bool csv)
{
	json_t *state = json_object_get(row, "state");

	return json_is_null(state) && !csv ? json_string("unknown") :
					     json_incref(state);
}

/* The jobs; "?": one that is not shown. */
static json_t *node_jobs(const json_t *row, bool csv)
{
	if (!csv && json_is_true(json_object_get(row, "hidden")))
		return json_string("?");
	return json_incref(json_object_get(row, "jobs"));
}

#define OFFLINE                                                                \
	3 /* columns of a torus.yaml alone; with -o the others are "-" */

static const struct storus_column columns[] = {
	{ "node", 'N', "NODE", .width = -16 },
	{ "torus", 't', "TORUS", .width = -12 },
	{ "coord", 'c', "COORD", .width = -16, .value = node_coord },
	{ "state", 'T', "STATE", .width = -10, .value = node_state },
	{ "jobs", 'j', "JOBS", .width = -1, .value = node_jobs },
	{ "hidden", 0, "HIDDEN", .width = -6, .more = true },
	{ 0 },
};

static int node_collect(struct nodes *n, const struct node_options *r)
{
	int status = STORUS_DONE;

	for (uint32_t i = 0; i < r->word.count && status == STORUS_DONE; i++) {
		if (strchr(r->word.word[i], ':'))
			status = add_coord(n, r->word.word[i]);
		else {
			struct torus_error why = { 0 };
			uint32_t count;

			if (torus_hostlist_count(r->word.word[i], &count, &why)) {
				status = storus_say(NAME, STORUS_USAGE,
						    "\"%s\": %s",
						    r->word.word[i], why.text);
			} else {
				status = torus_hostlist_each(r->word.word[i],
							     node_add_node, n);
			}
		}
	}
	n->job = r->job;
	if (status != STORUS_DONE || !r->job)
		return status;
	status = storus_cluster_jobs(n->err, find_job, n);
	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, n->err);
	return n->job_found ?
		       STORUS_DONE :
		       storus_say(NAME, STORUS_NO,
				  "job %s holds no nodes, or is hidden from you",
				  r->job);
}

static int node_answer(struct nodes *n, struct node_options *r)
{
	int status = node_collect(n, r);

	if (status != STORUS_DONE)
		return status;
	n->state = torus_alloc(n->count + 1, sizeof(*n->state));
	n->in_use = torus_alloc(n->count + 1, sizeof(*n->in_use));
	n->jobs = torus_alloc(n->count + 1, sizeof(*n->jobs));
	if (!n->state || !n->in_use || !n->jobs)
		return storus_no_memory(NAME);
	if (!r->torus) {
		status = storus_cluster_nodes(n->err, node_note_state, n);
		if (status == STORUS_DONE)
			status = storus_cluster_jobs(n->err, node_note_job, n);
		status = storus_say_errors(NAME, status, n->err);
	}
	if (status != STORUS_DONE)
		return status;
	r->table.only = r->torus ? OFFLINE : 0;
	for (size_t i = 0; i < n->count; i++)
		storus_table_row(&r->table, node_row(n, i, !r->torus));
	status = storus_table_end_rows(NAME, &r->table, "nodes", n->time_us);
	if (storus_table_asked(&r->table) || r->table.json)
		return status;
	for (size_t i = 0; i < n->count; i++) {
		if (!n->in_use[i] || n->jobs[i].length)
			continue;
		puts("?: a job that is not visible to you (PrivateData in slurm.conf); ask the administrators");
		break;
	}
	storus_age_print("Snapshot", n->time_us);
	return status;
}

static int node_look_up(struct node_options *r)
{
	struct torus_error err = { 0 };
	struct nodes n = { .err = &err,
			   .time_us = r->torus ? SNAPSHOT_NO_TIME :
						 (int64_t)time(NULL) * 1000000 };
	char path[4096];
	int status = STORUS_TROUBLE;
	struct torus_config *config;
	size_t bits;

	if (r->torus)
		config = torus_config_load(r->torus, &err);
	else if (storus_config_check(storus_config_path(path, sizeof(path)),
				     &err))
		config = NULL;
	else
		config = torus_config_read(path, &err);
	if (!config)
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	n.config = config;
	bits = (size_t)config->machine.words * 64;
	n.at = torus_alloc(bits, sizeof(*n.at));
	for (size_t b = 0; n.at && b < bits; b++)
		n.at[b] = -1;
	status = n.at ? node_answer(&n, r) : storus_no_memory(NAME);
	for (size_t i = 0; n.jobs && i < n.count; i++)
		torus_text_free(&n.jobs[i]);
	torus_free(n.jobs);
	torus_free(n.in_use);
	torus_free(n.state);
	torus_free(n.at);
	torus_free(n.bit);
	torus_config_destroy(config);
	return status;
}

static int node_run(void *request)
{
	struct node_options *r = request;

	if (r->torus && r->job)
		return storus_say(NAME, STORUS_USAGE,
				  "--job needs the cluster; omit --torus");
	if (!r->word.count && !r->job)
		return storus_say(NAME, STORUS_USAGE,
				  "expected nodes or coordinates; write for example storus node node17, or storus node --job 17");
	return node_look_up(r);
}

const struct storus_command storus_node = {
	.name = "node",
	.summary = "show the coordinates, states and jobs of nodes",
	.usage = "NODES|TORUS:COORD... [OPTION]...",
	.about = "Prints a line per node: its name, torus, coordinate, state and jobs. NODES is a node\n"
		 "list in Slurm's syntax; a coordinate has a number for each dimension. Exit status 1:\n"
		 "a node is in no torus, or a cell has no node. Jobs that Slurm hides from you are\n"
		 "shown as \"?\".",
	.options = options,
	STORUS_WORDS(struct node_options, .table.column = columns),
	.operand = { .value = "node", STORUS_TO(struct node_options, word) },
	.examples = "  storus node node17\n"
		    "  storus node 'node[16-19]' pod0:1,0,1\n"
		    "  storus node --job 17 --json\n"
		    "  storus node pod0:1,0,1 --torus torus.yaml\n"
		    "  storus node 'node[16-19]' --noheader -o '%N %c'\n",
	.run = node_run,
};
