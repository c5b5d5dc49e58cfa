/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus suggest: which shapes of so many nodes a job may ask for, and of the nearest
 * numbers of nodes; their rings and bisection, and when each would start. For each of
 * them the snapshot with that one job more is played forward (questions/forward.h), so
 * that the answer is the site's own scheduler's, behind all jobs that wait now; under
 * sched/backfill it is the earliest window beside the places that Slurm plans for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hostlist.h"
#include "placement/submesh/factor.h"
#include "questions/forward.h"
#include "questions/occupancy.h"
#include "storus/base/clock.h"
#include "storus/base/table.h"
#include "storus/machine/cluster.h"
#include "storus/machine/question.h"
#include "torus/alloc.h"
#include "trace/formats/slurm_words.h"

#define NAME &storus_suggest
#define SUGGEST_MOST 24  /* shapes that are played */
#define SUGGEST_EXACT 10 /* of the number asked for, on a torus */
#define SUGGEST_NEAR 3   /* of each number beside it */

static json_t *suggest_start_value(const json_t *row, bool csv)
{
	json_t *start = json_object_get(row, "start");

	return json_is_null(start) && !csv ? json_string("unknown") :
					     json_incref(start);
}

static const struct storus_column columns[] = {
	{ "geometry", 'g', "GEOMETRY", .width = -14 },
	{ "nodes", 'n', "NODES", .width = 8 },
	{ "ring", 'r', "RING", .width = -6 },
	{ "bisection", 'b', "BISECTION", .width = 9 },
	{ "start", 's', "START", .width = -19, .time = true,
	  .value = suggest_start_value },
	{ "region", 'R', "REGION", .width = -24 },
	{ 0 },
};

struct suggestion {
	char geometry[TORUS_MAX_DIMS * 11];
	uint32_t nodes, bisection;
	char ring[TORUS_MAX_DIMS + 1];
	int64_t start_us; /* SNAPSHOT_NO_TIME: unknown */
	char *region;     /* or NULL */
};

struct suggest {
	struct storus_question q;
	struct storus_table table;
	const char *nodes; /* as typed: a number, or a shape of that many */
	const char *limit, *partition, *exclude, *reservation, *account;
	const char *nodelist, *features;
	uint32_t tasks; /* 0: not given */
	double aspect;
	uint32_t bisection;
	bool ring;

	uint32_t count; /* nodes */
	struct snapshot_job job;
	uint64_t *required, *allowed; /* machine bitmaps */
	uint32_t cpus;                /* most of a node; 0: unknown */
	struct suggestion *list;
	uint32_t listed;
};

static const struct storus_option options[] = {
	{ "time", "LIMIT", "the job's time limit: " TORUS_SLURM_DURATION,
	  .letter = 't', STORUS_TO(struct suggest, limit) },
	{ "max-aspect", "R",
	  "no box whose longest side is more than R times its shortest (sides of 1 count)",
	  .low = 1, STORUS_TO(struct suggest, aspect) },
	{ "min-bisection", "N", "no box with fewer links between two halves",
	  .low = 1, STORUS_TO(struct suggest, bisection) },
	{ "ring", NULL, "only boxes whose axes are all closed rings",
	  STORUS_TO(struct suggest, ring) },
	{ "geometry", "SPEC", "the same as the operand",
	  STORUS_TO(struct suggest, nodes) },
	{ "partition", "NAME", "as sbatch", .letter = 'p',
	  STORUS_TO(struct suggest, partition) },
	{ "exclude", "NODES", "as sbatch", .letter = 'x',
	  STORUS_TO(struct suggest, exclude) },
	{ "reservation", "NAME", "as sbatch",
	  STORUS_TO(struct suggest, reservation) },
	{ "account", "NAME",
	  "as sbatch; the forecast takes the job as the last of the queue,\n"
	  "whatever its account",
	  .letter = 'A', STORUS_TO(struct suggest, account) },
	{ "ntasks", "N",
	  "as sbatch: only shapes that so many tasks fill and fit on", .low = 1,
	  .letter = 'n', STORUS_TO(struct suggest, tasks) },
	{ "nodelist", "NODES", "as sbatch: only places that have all of these",
	  .letter = 'w', STORUS_TO(struct suggest, nodelist) },
	{ "constraint", "LIST",
	  "as sbatch: features joined by & or by |, of the live cluster",
	  .letter = 'C', STORUS_TO(struct suggest, features) },
	STORUS_SOURCE_OPTIONS(struct suggest, q.source),
	STORUS_TABLE_OPTIONS(struct suggest, table),
	{ 0 },
};

static int suggest_count(struct suggest *g)
{
	const struct torus_alternative *asked = g->q.request.alternative;
	const struct torus_box_limits *limits = &asked->ask.limits;
	struct torus_error err = { 0 };

	g->q.words.geometry = g->nodes;
	if (!g->nodes)
		return storus_say(NAME, STORUS_USAGE,
				  "expected a number of nodes; write for example storus suggest 64 -t 2:00:00");
	if (storus_question_request(&g->q, &err))
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	if (g->q.request.alternatives > 1 || asked->after_us ||
	    torus_ask_several(&asked->ask))
		return storus_say(NAME, STORUS_USAGE,
				  "\"%s\": expected one number of nodes or one shape, without @ and *",
				  g->nodes);
	g->count = (uint32_t)torus_ask_nodes(&asked->ask);
	if (limits->aspect && !(g->aspect * 1000 <= limits->aspect && g->aspect))
		g->aspect = limits->aspect / 1000.;
	if (limits->bisection > g->bisection)
		g->bisection = limits->bisection;
	return STORUS_GO;
}

/* Set or clear the nodes of an option's list. */
static int suggest_mark_list(struct suggest *g, const char *option,
			     const char *list, uint64_t *map, bool set)
{
	return storus_question_nodes(g->q.config, list, map, set) ?
		       storus_say(NAME, STORUS_USAGE,
				  "--%s: got \"%s\", expected nodes of this machine, for example node[00-03]",
				  option, list) :
		       STORUS_GO;
}

static bool suggest_has_feature(const char *features, const char *word,
				size_t length)
{
	for (; *features; features += *features == ',') {
		size_t n = strcspn(features, ",");

		if (n == length && strncmp(features, word, n) == 0)
			return true;
		features += n;
	}
	return false;
}

/* Return true if a node with these features serves --constraint: "big&fast", and the
 * same as "big,fast"; or "big|fast". */
static bool suggest_serves(const char *constraint, const char *features)
{
	bool any = strchr(constraint, '|');

	for (; *constraint; constraint += *constraint != '\0') {
		size_t n = strcspn(constraint, "&,|");

		if (suggest_has_feature(features, constraint, n) == any)
			return any;
		constraint += n;
	}
	return !any;
}

/* Take a node of the live cluster: its CPUs, and whether it has the features. */
static int suggest_take_hardware(void *arg,
				 const struct storus_cluster_hardware *node)
{
	struct suggest *g = arg;
	uint32_t bit = torus_config_node(g->q.config, node->name);

	if (bit == UINT32_MAX)
		return STORUS_DONE;
	if (node->cpus > g->cpus)
		g->cpus = node->cpus;
	if (g->features && !suggest_serves(g->features, node->features))
		torus_bits_clear(g->allowed, bit);
	return STORUS_DONE;
}

/* -C and -n: read what the nodes have. A snapshot does not say it. */
static int suggest_hardware(struct suggest *g)
{
	const struct storus_source *source = &g->q.source;
	bool live = !source->snapshot && !source->schedule &&
		    !source->busy.count && (!source->torus || source->live);
	const char *words = g->features ? g->features : "";
	struct torus_error err = { 0 };
	int status;

	if (g->features && !live)
		return storus_say(NAME, STORUS_USAGE,
				  "--constraint: only the live cluster knows the features of its nodes; omit --snapshot, --torus and --schedule, or exclude the nodes with --exclude");
	if (strpbrk(words, "[]()*!:") || (g->features && !*words) ||
	    (strchr(words, '|') && strpbrk(words, "&,")))
		return storus_say(NAME, STORUS_USAGE,
				  "--constraint: got \"%s\", expected features joined by & or by |, for example big&fast; or exclude the nodes with --exclude",
				  words);
	if (!live || (!g->features && !g->tasks))
		return STORUS_GO;
	status = storus_cluster_hardware(&err, suggest_take_hardware, g);
	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	if (g->features &&
	    torus_bits_count(g->allowed, g->q.config->machine.words) == 0)
		return storus_say(NAME, STORUS_NO,
				  "--constraint=%s: no node that the job may use has these features; sinfo -o \"%%N %%f\" lists them",
				  words);
	return STORUS_GO;
}

/* -w, -x, -C, -n: the nodes that the job must have and may have. The latter become the
 * job's partition. */
static int suggest_restrict(struct suggest *g)
{
	static char name[] = "of the options", none[] = "";
	uint32_t words = g->q.config->machine.words;
	const struct snapshot_job like = {
		.partition = g->job.partition ? g->job.partition : none,
		.reservation = g->job.reservation ? g->job.reservation : none,
	};
	int status = STORUS_GO;

	g->allowed = torus_alloc(2 * (size_t)words, sizeof(*g->allowed));
	if (!g->allowed)
		return storus_no_memory(NAME);
	occupancy_allowed(g->q.snapshot, &like, g->allowed);
	if (g->exclude)
		status = suggest_mark_list(g, "exclude", g->exclude, g->allowed,
					   false);
	if (status == STORUS_GO && g->nodelist) {
		g->required = g->allowed + words;
		status = suggest_mark_list(g, "nodelist", g->nodelist,
					   g->required, true);
	}
	if (status == STORUS_GO)
		status = suggest_hardware(g);
	if (status != STORUS_GO)
		return status;
	if (g->required && !torus_bits_subset(g->required, g->allowed, words))
		return storus_say(NAME, STORUS_NO,
				  "--nodelist=%s: not all of these nodes are in the job's partition and reservation, have its features and are not excluded",
				  g->nodelist);
	if (g->account)
		storus_say(NAME, 0,
			   "notice: --account does not change the answer: the job is taken as the last of the queue; sprio shows what an account's share is worth");
	if (!g->exclude && !g->features)
		return STORUS_GO;
	if (snapshot_add_partition(g->q.snapshot, name, g->allowed))
		return storus_no_memory(NAME);
	g->job.partition = name;
	return STORUS_GO;
}

/* Fill in the job but for its shape. STORUS_GO, or an exit status. */
static int suggest_job(struct suggest *g)
{
	static char id[] = "new1";
	char hint[TORUS_SLURM_HINT_SIZE];
	struct snapshot *s = g->q.snapshot;
	int status = STORUS_GO;

	g->job = (struct snapshot_job){ .id = id,
					.submit_us = s->time_us,
					.start_us = SNAPSHOT_NO_TIME,
					.end_us = SNAPSHOT_NO_TIME,
					.limit_us = SNAPSHOT_NO_TIME };
	if (g->limit && !torus_slurm_duration(g->limit, &g->job.limit_us))
		return storus_say(NAME, STORUS_USAGE,
				  "--time: got \"%s\", expected " TORUS_SLURM_DURATION
				  "%s",
				  g->limit,
				  torus_slurm_duration_hint(g->limit, hint));
	if (g->job.limit_us == 0) /* sbatch: no limit */
		g->job.limit_us = SNAPSHOT_NO_TIME;
	if (g->partition)
		status = storus_question_named(NAME, "partition", g->partition,
					       s->partition, s->partitions);
	if (status == STORUS_GO && g->reservation)
		status = storus_question_named(NAME, "reservation",
					       g->reservation, s->reservation,
					       s->reservations);
	if (status != STORUS_GO)
		return status;
	if (g->partition)
		g->job.partition = snapshot_partition(s, g->partition)->name;
	else if (s->partitions)
		g->job.partition = s->partition[0].name;
	g->job.reservation = (char *)(uintptr_t)g->reservation;
	return suggest_restrict(g);
}

/* Return true if sbatch takes --ntasks for so many nodes: each has a task, and each
 * task a CPU. */
static bool suggest_tasks_fit(const struct suggest *g, uint32_t nodes)
{
	return !g->tasks ||
	       (g->tasks >= nodes &&
		(!g->cpus || g->tasks <= (uint64_t)nodes * g->cpus));
}

/* Add a box of a torus unless its shape is listed, or the tasks do not fit. */
static void suggest_add(struct suggest *g, const struct torus_pod *pod,
			const uint32_t *extent, uint32_t cells)
{
	const struct torus *t = &pod->grid;
	struct suggestion *one = &g->list[g->listed];
	uint32_t side[TORUS_MAX_DIMS] = { 0 }, ring[TORUS_MAX_DIMS];
	struct torus_shape shape = { .axes = t->dims };

	if (!suggest_tasks_fit(g, cells * pod->cell_nodes))
		return;
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t i = d, e = extent[d] * t->unit[d];
		bool closed = e <= 2 || (t->wrap[d] && extent[d] == t->size[d]);

		for (; i > 0 && side[i - 1] < e; i--) {
			side[i] = side[i - 1];
			ring[i] = ring[i - 1];
		}
		side[i] = e;
		ring[i] = closed;
	}
	memcpy(shape.extent, side, sizeof(shape.extent));
	torus_shape_squeeze(&shape);
	torus_shape_format(&shape, one->geometry, sizeof(one->geometry));
	if (shape.axes == 1) /* a number alone is a count of nodes */
		strcat(one->geometry, side[0] == 1 ? "x1" : "^1");
	for (uint32_t i = 0; i < g->listed; i++) {
		if (strcmp(g->list[i].geometry, one->geometry) == 0)
			return;
	}
	for (uint32_t a = 0; a < shape.axes; a++)
		one->ring[a] = ring[a] ? 'T' : 'M';
	one->ring[shape.axes] = '\0';
	one->nodes = cells * pod->cell_nodes;
	one->bisection = torus_factor_bisection(t, extent);
	one->start_us = SNAPSHOT_NO_TIME;
	g->listed++;
}

/* Add shapes of a number of cells, the most compact first. */
static void suggest_boxes(struct suggest *g, const struct torus_pod *pod,
			  const struct torus_ask *rule, uint32_t cells,
			  uint32_t most)
{
	struct torus_factor_box box = { 0 };
	uint32_t first = g->listed;

	while (cells && g->listed - first < most && g->listed < SUGGEST_MOST &&
	       torus_factor_box_next(&pod->grid, cells, rule, &box))
		suggest_add(g, pod, box.extent, cells);
}

/* List the shapes of the number asked for, and of the next below and above. */
static void suggest_list(struct suggest *g)
{
	const struct torus_machine *m = &g->q.config->machine;
	struct torus_ask rule = {
		.by_count = true,
		.connection = { g->ring ? TORUS_CONN_TORUS : TORUS_CONN_NAV },
		.limits = { .aspect = (uint32_t)(g->aspect * 1000),
			    .bisection = g->bisection },
	};

	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		uint32_t n, at, below;

		if (pod->outside || pod->torus.flat)
			continue;
		n = (g->count - 1) / pod->cell_nodes + 1;
		if (n > pod->grid.nodes)
			continue;
		at = torus_factor_next(&pod->grid, n, &rule);
		suggest_boxes(g, pod, &rule, at,
			      at == n ? SUGGEST_EXACT : SUGGEST_NEAR);
		below = torus_factor_previous(&pod->grid, n - 1, &rule);
		if (below > n / 2)
			suggest_boxes(g, pod, &rule, below, SUGGEST_NEAR);
		if (at == n)
			suggest_boxes(g, pod, &rule,
				      torus_factor_next(&pod->grid, n + 1,
							&rule),
				      SUGGEST_NEAR);
	}
}

/* Play the machine with the job in this shape. Return 1 if it has a place, 0 if it is
 * refused, -1 with ENOMEM. */
static int suggest_play(struct suggest *g, struct suggestion *one)
{
	struct snapshot *s = g->q.snapshot;
	struct torus_error err = { 0 };
	struct forward f = { 0 };
	struct snapshot_job job = g->job;
	const struct forward_job *j;
	int rc;

	job.words.geometry = one->geometry;
	job.words.conn_type = g->ring ? "torus" : NULL;
	if (snapshot_add_job(s, &job, NULL))
		return -1;
	rc = forward_play(s, &s->config->scheduler,
			  &(struct forward_bound){
				  .compute_us = 4 * FORWARD_COMPUTE_US /
						SUGGEST_MOST,
				  .job = &s->job[s->jobs - 1],
				  .required = g->required,
				  .beside = !strcmp(s->scheduler,
						    "sched/backfill") },
			  &f, &err);
	if (rc == 0) {
		j = &f.job[s->jobs - 1];
		rc = j->why ? 0 : 1;
		one->start_us = j->start_us;
		one->region = torus_text_copy(j->region ? j->region : "");
	}
	forward_free(&f);
	snapshot_remove_job(s, &s->job[s->jobs - 1]);
	return rc;
}

static uint32_t suggest_apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

static bool suggest_before(const struct suggest *g, const struct suggestion *a,
			   const struct suggestion *b)
{
	uint32_t x = suggest_apart(a->nodes, g->count);
	uint32_t y = suggest_apart(b->nodes, g->count);

	if (a->start_us != b->start_us)
		return a->start_us < b->start_us;
	if (x != y)
		return x < y;
	return a->bisection > b->bisection;
}

/* Find when each starts, and put the earliest first. */
static int suggest_order(struct suggest *g)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < g->listed; k++) {
		struct suggestion one = g->list[k];
		int rc = suggest_play(g, &one);
		uint32_t i = kept;

		if (rc < 0)
			return storus_no_memory(NAME);
		if (rc == 0) {
			torus_free(one.region);
			continue;
		}
		for (; i > 0 && suggest_before(g, &one, &g->list[i - 1]); i--)
			g->list[i] = g->list[i - 1];
		g->list[i] = one;
		kept++;
	}
	g->listed = kept;
	return STORUS_GO;
}

static int suggest_none(const struct suggest *g)
{
	const struct torus_machine *m = &g->q.config->machine;
	uint32_t most = 0;

	if (!suggest_tasks_fit(g, g->count))
		return storus_say(NAME, STORUS_NO,
				  "-n (--ntasks) asks for %u task%s, and %u node%s %s; %s",
				  g->tasks, g->tasks == 1 ? "" : "s", g->count,
				  g->count == 1 ? "" : "s",
				  g->tasks < g->count ?
					  "need at least one task each" :
					  "have too few CPUs for them",
				  g->tasks < g->count ?
					  "omit -n" :
					  "ask for fewer tasks or more nodes");
	for (uint32_t p = 0; p < m->pods; p++) {
		if (!m->pod[p].outside && m->pod[p].torus.nodes > most)
			most = m->pod[p].torus.nodes;
	}
	if (g->count > most)
		return storus_say(NAME, STORUS_NO,
				  "%u nodes are more than a torus has here; ask for %u at most",
				  g->count, most);
	return storus_say(NAME, STORUS_NO,
			  "no box of %u nodes or a number near it is possible here%s%s%s%s",
			  g->count,
			  g->aspect || g->bisection || g->ring ?
				  "; omit or relax" :
				  "",
			  g->aspect ? " --max-aspect" : "",
			  g->bisection ? " --min-bisection" : "",
			  g->ring ? " --ring" : "");
}

static int suggest_answer(struct suggest *g)
{
	struct torus_error err = { 0 };
	struct snapshot *snapshot;
	int status = storus_source_open(&g->q.source, &snapshot, &err);
	const struct snapshot *s;
	bool asked;

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	g->q.snapshot = snapshot;
	g->q.config = snapshot->config;
	status = suggest_count(g);
	if (status == STORUS_GO)
		status = suggest_job(g);
	if (status != STORUS_GO)
		return status;
	storus_source_say_shapes(&g->q.source);
	g->list = torus_alloc(SUGGEST_MOST + 1, sizeof(*g->list));
	if (!g->list || occupancy_prepare(snapshot))
		return storus_no_memory(NAME);
	suggest_list(g);
	status = suggest_order(g);
	if (status != STORUS_GO)
		return status;
	s = g->q.snapshot;
	asked = storus_table_asked(&g->table);
	if (!g->listed && !asked && !g->table.json)
		return suggest_none(g);
	g->table.dated = s->dated;
	for (uint32_t k = 0; k < g->listed; k++) {
		const struct suggestion *one = &g->list[k];
		bool known = one->region && *one->region;

		storus_table_row(&g->table,
				 json_pack("{s:s, s:i, s:s, s:i, s:o, s:o}",
					   "geometry", one->geometry, "nodes",
					   (int)one->nodes, "ring", one->ring,
					   "bisection",
					   one->bisection == UINT32_MAX ?
						   0 :
						   (int)one->bisection,
					   "start",
					   storus_clock_json(one->start_us),
					   "region",
					   known ? json_string(one->region) :
						   json_null()));
	}
	status = storus_table_end_rows(NAME, &g->table, "suggestions",
				       storus_age_time_us(s));
	if (status == STORUS_DONE && !asked && !g->table.json)
		storus_age_print("Snapshot", storus_age_time_us(s));
	return status == STORUS_DONE && !g->listed ? suggest_none(g) : status;
}

static int suggest_run(void *words)
{
	struct suggest *g = words;
	int status = suggest_answer(g);

	for (uint32_t k = 0; g->list && k < g->listed; k++)
		torus_free(g->list[k].region);
	torus_free(g->list);
	torus_free(g->allowed);
	storus_question_free(&g->q);
	return status;
}

const struct storus_command storus_suggest = {
	.name = "suggest",
	.summary =
		"suggest shapes for a number of nodes, the earliest start first",
	.usage = "NODES [OPTION]...",
	.about =
		"Prints a line per shape of so many nodes, and of the nearest numbers below and above:\n"
		"its rings, the links between its halves, and when and where a job of that shape,\n"
		"submitted now, would start behind the waiting jobs if every job runs to its time\n"
		"limit. A shape in place of the number stands for its number of nodes.",
	.options = options,
	STORUS_WORDS(struct suggest, .table.column = columns),
	.operand = { .value = "number of nodes",
		     STORUS_TO(struct suggest, nodes) },
	.examples = "  storus suggest 64 -t 2:00:00\n"
		    "  storus suggest 64 --max-aspect 2 --min-bisection 16\n"
		    "  storus suggest 48 --ring --json\n"
		    "  storus suggest 16 --torus 4x4x4 --busy 0,0,0+4x4x2\n",
	.run = suggest_run,
};
