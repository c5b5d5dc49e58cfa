/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus ranks: a job's nodes in rank order, row-major in the axes of its
 * shape (last fastest), as MPI_Cart_create numbers a grid; a semitorus's axes are its
 * rings. The job is given by a region (of a schedule, of AdminComment), by a question
 * like that of `storus place`, or by the environment of the job in which the command
 * runs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/state_text.h"
#include "torus/placement.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/vendor/launch.h"
#include "storus/base/output.h"
#include "storus/machine/question.h"
#include "storus/machine/source.h"
#include "format/ranks.h"
#include "storus/setup/rank_grid.h"
#include "storus/base/table.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/regions.h"

#define NAME &storus_ranks
#define MOST_PER_NODE 4096

/* In the order of --rankfile's words. */
enum rankfile {
	RANKFILE_NONE = -1,
	RANKFILE_OPENMPI,
	RANKFILE_HYDRA,
	RANKFILE_ARBITRARY,
};

struct ranks_words {
	struct storus_question q;
	const char *region, *orientation, *ring;
	struct torus_regions regions; /* several in --region */
	const char *sub, *grid_text, *cell;
	uint64_t per_node, per_host;
	struct rank_grid grid;
	enum rankfile rankfile;
	int launch; /* enum launch_kind; -1: none */
	int order;  /* enum torus_rank_order - 1; -1: not given */
	struct storus_table table;
	const char *hostfile; /* a file, "-", or NULL */
};

#define RANKS_WORD(...)                                                        \
	STORUS_QUESTION_WORD(struct ranks_words, "", __VA_ARGS__)

static const struct storus_option options[] = {
	{ "region", "REGION", "the job's nodes: base+extent[/stride] or {0-3,7}",
	  STORUS_TO(struct ranks_words, region) },
	{ "orientation", "TEXT",
	  "its orientation, as schedules and AdminComment show it: 2,-,0 or\n"
	  "0+1,2; default: the shape's axes are the dimensions in order",
	  STORUS_TO(struct ranks_words, orientation) },
	{ "ring", "LETTERS",
	  "which axes are closed rings, as TORUS_RING and AdminComment show it:\n"
	  "TM; default: those that the extents close",
	  STORUS_TO(struct ranks_words, ring) },
	STORUS_SOURCE_OPTIONS(struct ranks_words, q.source),
	STORUS_QUESTION_GEOMETRY(struct ranks_words, q),
	TORUS_REQUEST_WORDS(RANKS_WORD)
		STORUS_QUESTION_STRATEGY(struct ranks_words, q),
	{ "per-node", "N",
	  "ranks on each node or, where a node has several vertices, on\n"
	  "each vertex; default: 1",
	  .low = 1, .high = MOST_PER_NODE,
	  STORUS_TO(struct ranks_words, per_node) },
	{ "per-host", "N",
	  "N ranks on each node, also where a node has several vertices",
	  .low = 1, .high = MOST_PER_NODE,
	  STORUS_TO(struct ranks_words, per_host) },
	{ "sub", "BASE+EXTENT",
	  "only a box of the job, in the coordinates of its shape: 0,0,1+4x4x1",
	  STORUS_TO(struct ranks_words, sub) },
	{ "grid", "AxB..",
	  "the application's grid of ranks: the ranks of a node are a block of\n"
	  "it, and neighbours are on near nodes",
	  STORUS_TO(struct ranks_words, grid_text) },
	{ "cell", "AxB..", "that block; default: the one of the fewest hops",
	  STORUS_TO(struct ranks_words, cell) },
	{ "hostfile", "[=FILE]",
	  "only the nodes' names, one per rank: for mpirun --hostfile and,\n"
	  "in SLURM_HOSTFILE, for srun --distribution=arbitrary",
	  STORUS_TO(struct ranks_words, hostfile) },
	{ "rankfile", "openmpi|hydra|arbitrary",
	  "the format of --hostfile: for mpirun --rankfile of Open MPI, for\n"
	  "mpiexec -f of MPICH, or names alone (the default)",
	  STORUS_CHOICE_TO(struct ranks_words, rankfile) },
	{ "launch", "tpu|mgd",
	  "instead of the list: a line per host with the variables of the TPU\n"
	  "runtime, or Tenstorrent's mesh graph descriptor of the region",
	  STORUS_CHOICE_TO(struct ranks_words, launch) },
	{ "order", "row-major|snake|morton|hilbert|ring",
	  "order of the ranks in the shape; default: row-major, as MPI_Cart_create;\n"
	  "snake and ring: one hop between successive ranks, and ring closes if\n"
	  "the shape has a cycle; morton and hilbert: near, not always one hop",
	  STORUS_CHOICE_TO(struct ranks_words, order) },
	STORUS_TABLE_OPTIONS(struct ranks_words, table),
	{ 0 },
};

struct ranks_result {
	const struct torus_config *config; /* NULL: inside of a job */
	struct torus_placement place;
	struct torus_ranks ranks;
};

/* Where from */

/* Every axis below the highest must be there, and every dimension of more than
 * one node must have one. */
static int orient_from_text(struct torus_placement *place, const struct torus *t,
			    const char *text, struct torus_error *err)
{
	uint32_t seen = 0;

	if (torus_orientation_parse(&place->orientation, t, text, err))
		return -1;
	for (uint32_t d = 0; d < t->dims; d++) {
		int8_t a = place->orientation.axis[d];

		uint32_t extent = place->region.extent[d] * t->unit[d];

		if (a < 0 && extent > 1)
			return torus_error_add(err,
					       "orientation: got \"%.40s\": the region has %u nodes along dimension %u, which needs an axis",
					       text, extent, d);
		if (a >= 0)
			seen |= 1u << a;
		if (a >= (int)place->axes)
			place->axes = (uint32_t)a + 1;
	}
	if (seen == (1u << place->axes) - 1 && seen)
		return 0;
	return torus_error_add(err,
			       "orientation: got \"%.40s\": its axes must be numbered from 0 without a gap",
			       text);
}

static int ranks_wrong_ring(const struct ranks_words *r, uint32_t axes)
{
	return storus_say(NAME, STORUS_USAGE,
			  "--ring: got \"%.60s\", expected T or M for each of %u axes, for example %.*s",
			  r->ring, axes, (int)axes, "TMTMTMTM");
}

static int from_region(struct ranks_words *r, struct torus_placement *place)
{
	struct torus_error err = { 0 };
	const struct torus *t;
	uint32_t axes;

	if (torus_regions_several(r->region)) {
		struct torus_error why = { 0 };
		uint32_t dims;

		if (torus_regions_parse(&r->q.config->machine, r->region,
					r->orientation, &r->regions, &why))
			return storus_say_errors(NAME, STORUS_USAGE, &why);
		*place = torus_regions_place(&r->q.config->machine, &r->regions,
					     r->q.one);
		if (place->axes == 0) /* a node each */
			place->axes = 1;
		torus_regions_axes(&r->regions, place->axes);
		if (r->ring &&
		    (torus_regions_rings(&r->regions, r->ring, &dims) ||
		     dims != place->axes))
			return ranks_wrong_ring(r, place->axes);
		return STORUS_DONE;
	}
	if (torus_regions_place_parse(&r->q.config->machine, r->region,
				      r->q.one, place, &err))
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	t = &r->q.config->machine.pod[place->pod].torus;
	place->nodes = place->scattered ? r->q.one : NULL;
	if (place->scattered && (r->orientation || r->ring))
		return storus_say(NAME, STORUS_USAGE,
				  "--%s: scattered nodes have none",
				  r->orientation ? "orientation" : "ring");
	if (place->scattered)
		return STORUS_DONE;
	if (!r->orientation) {
		/* Without an orientation: the dimensions of more than one node, in order. */
		place->orientation.folded = false;
		memset(place->orientation.axis, -1,
		       sizeof(place->orientation.axis));
		for (uint32_t d = 0; d < t->dims; d++) {
			if (place->region.extent[d] * t->unit[d] > 1)
				place->orientation.axis[d] =
					(int8_t)place->axes++;
		}
		if (place->axes == 0)
			place->orientation.axis[place->axes++] = 0;
	} else if (orient_from_text(place, t, r->orientation, &err))
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	/* An axis is closed if its dimension is. (The text does not show folded ones.) */
	for (uint32_t d = 0; d < t->dims && !place->orientation.folded; d++) {
		if (place->orientation.axis[d] >= 0 &&
		    torus_region_closed(&place->region, t, d))
			place->ring |= (uint8_t)(1u
						 << place->orientation.axis[d]);
	}
	if (r->ring && (torus_rings_parse(r->ring, 1, &place->ring, &axes) ||
			axes != place->axes))
		return ranks_wrong_ring(r, place->axes);
	return STORUS_DONE;
}

static int ranks_refuse(const struct ranks_words *r, enum torus_answer answer,
			const struct torus_error *why)
{
	json_t *o;

	storus_say(NAME, 0, "%s: %s",
		   answer == TORUS_NOT_NOW ? "not now" : "never", why->text);
	if (!r->table.json)
		return STORUS_NO;
	o = json_pack("{s:i, s:s, s:s}", "schema", 1, "answer",
		      answer == TORUS_NOT_NOW ? "not_now" : "never", "reason",
		      why->text);
	return storus_json_write(NAME, o, r->table.json) ? STORUS_TROUBLE :
							   STORUS_NO;
}

/* Return true if the nodes come from a machine, not from the job's environment. */
static bool ranks_of_machine(const struct ranks_words *r)
{
	const struct storus_question *q = &r->q;

	return q->source.torus || q->source.snapshot || q->source.busy.count ||
	       q->words.geometry || storus_question_given(q) || r->region ||
	       r->orientation || r->ring;
}

static const char *ranks_getenv(void *arg, const char *name)
{
	(void)arg;
	return getenv(name);
}

static int find_ranks(struct ranks_words *r, struct ranks_result *a)
{
	struct torus_error err = { 0 };
	int status;

	if (!ranks_of_machine(r))
		return torus_ranks_job(&a->ranks, ranks_getenv, NULL, &err) ?
			       storus_say_errors(NAME, STORUS_USAGE, &err) :
			       STORUS_DONE;
	/* Inside a job --geometry asks for other nodes than the job's. */
	if (r->q.words.geometry && !r->q.source.torus && !r->q.source.snapshot &&
	    getenv("TORUS_COORDS") && getenv("SLURM_JOB_ID"))
		storus_say(NAME, 0,
			   "--geometry asks the whole machine, whose nodes may belong to other jobs; for the nodes of job %s omit it, or write for example --sub 0,0+2x1",
			   getenv("SLURM_JOB_ID"));
	status = storus_question_machine(&r->q, &err);
	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	a->config = r->q.config;
	if (r->region)
		status = from_region(r, &a->place);
	else {
		struct torus_error why = { 0 };
		enum torus_answer answer;

		if (storus_question_request(&r->q, &why)) {
			status = storus_say_errors(NAME, STORUS_USAGE, &why);
		} else {
			answer = storus_question_ask(&r->q, NULL, &a->place,
						     &why);
			status = answer == TORUS_FITS ?
					 STORUS_DONE :
					 ranks_refuse(r, answer, &why);
		}
	}
	if (!status && torus_ranks_place(&a->ranks, a->config, &a->place))
		return storus_no_memory(NAME);
	return status;
}

/* Other ranks than one for each vertex */

/* Read "0,0,1+4x4x1": `axes` numbers each. */
static const char *ranks_read_numbers(const char *p, char between,
				      uint32_t axes, uint32_t *n)
{
	for (uint32_t a = 0; p && a < axes; a++) {
		uint64_t value;

		if (a > 0 && *p++ != between)
			return NULL;
		p = torus_number_scan_whole(p, TORUS_MAX_NODES, &value);
		n[a] = (uint32_t)value;
	}
	return p;
}

static int ranks_wrong_sub(const struct ranks_words *r,
			   const struct torus_ranks *ranks, const char *why)
{
	struct torus_text shape = { 0 };

	for (uint32_t a = 0; a < ranks->axes; a++)
		torus_text_add(&shape, "%s%u", a ? "x" : "", ranks->extent[a]);
	storus_say(NAME, 0,
		   "--sub: got \"%.60s\": %s, expected a box BASE+EXTENT inside %s",
		   r->sub, why, shape.data ? shape.data : "the shape");
	torus_text_free(&shape);
	return STORUS_USAGE;
}

/* Keep the ranks of a box, with coordinates relative to its base; axes of 1 go. */
static int ranks_cut(const struct ranks_words *r, struct torus_ranks *ranks)
{
	uint32_t base[TORUS_MAX_DIMS], extent[TORUS_MAX_DIMS];
	const char *p = ranks_read_numbers(r->sub, ',', ranks->axes, base);
	uint32_t kept = 0, axes = 0, closed = 0;

	p = p && *p == '+' ?
		    ranks_read_numbers(p + 1, 'x', ranks->axes, extent) :
		    NULL;
	if (!p || *p)
		return ranks_wrong_sub(r, ranks,
				       "not a number for each axis of the shape");
	for (uint32_t a = 0; a < ranks->axes; a++) {
		if (extent[a] == 0 || extent[a] > ranks->extent[a] ||
		    base[a] > ranks->extent[a] - extent[a])
			return ranks_wrong_sub(r, ranks, "outside the shape");
		if (base[a] % ranks->unit[a] || extent[a] % ranks->unit[a])
			return ranks_wrong_sub(r, ranks,
					       "it divides a node's vertices");
	}
	for (uint32_t k = 0; k < ranks->nodes; k++) {
		struct torus_rank rank = ranks->rank[k];
		bool inside = true;
		uint32_t n = 0;

		for (uint32_t a = 0; a < ranks->axes; a++) {
			uint32_t c = rank.coord[a] - base[a];

			inside &= c < extent[a];
			if (extent[a] > 1)
				rank.coord[n++] = c;
		}
		if (n == 0)
			rank.coord[n] = 0;
		if (inside)
			ranks->rank[kept++] = rank;
	}
	for (uint32_t a = 0; a < ranks->axes; a++) {
		if (extent[a] == 1)
			continue;
		if (extent[a] == ranks->extent[a])
			closed |= (ranks->closed >> a & 1) << axes;
		ranks->unit[axes] = ranks->unit[a];
		ranks->extent[axes++] = extent[a];
	}
	if (axes == 0)
		ranks->extent[axes++] = 1;
	ranks->axes = axes;
	ranks->closed = closed;
	ranks->nodes = kept;
	return STORUS_DONE;
}

/* Keep an entry for each node, the first of its vertices. */
static void ranks_keep_hosts(struct torus_ranks *ranks)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < ranks->nodes; k++) {
		if (ranks->rank[k].at == 0)
			ranks->rank[kept++] = ranks->rank[k];
	}
	ranks->nodes = kept;
}

static int ranks_arrange(struct ranks_words *r, struct torus_ranks *ranks)
{
	uint32_t order = (uint32_t)r->order + 1;
	int status = STORUS_DONE;

	if (r->order < 0)
		order = TORUS_ORDER_ROW_MAJOR;
	if (r->sub && ranks->slices)
		return storus_say(NAME, STORUS_USAGE,
				  "--sub: the job has several regions, expected one");
	if (r->sub)
		status = ranks_cut(r, ranks);
	if (status)
		return status;
	if (r->grid_text) {
		struct torus_error err = { 0 };
		int rc;

		/* Lay the grid out on the nodes: the coordinates count nodes while the hops
		 * are measured. */
		if (ranks->slices)
			return storus_say(NAME, STORUS_USAGE,
					  "--grid: the job has several regions, expected one");
		if (rank_grid_parse(&r->grid, r->grid_text, r->cell, &err))
			return storus_say_errors(NAME, STORUS_USAGE, &err);
		ranks_keep_hosts(ranks);
		if (r->per_host && r->grid.ranks != r->per_host * ranks->nodes)
			return storus_say(NAME, STORUS_USAGE,
					  "--grid: %u ranks, expected %llu on each of %u nodes",
					  r->grid.ranks,
					  (unsigned long long)r->per_host,
					  ranks->nodes);
		for (uint32_t a = 0; a < ranks->axes; a++) {
			ranks->extent[a] /= ranks->unit[a];
			for (uint32_t k = 0; k < ranks->nodes; k++)
				ranks->rank[k].coord[a] /= ranks->unit[a];
		}
		rc = rank_grid_lay_out(ranks, &r->grid, &err);
		for (uint32_t a = 0; a < ranks->axes; a++) {
			ranks->extent[a] *= ranks->unit[a];
			for (uint32_t k = 0; k < ranks->nodes; k++)
				ranks->rank[k].coord[a] *= ranks->unit[a];
		}
		r->per_node = 1;
		return rc ? storus_say_errors(NAME, STORUS_USAGE, &err) :
			    STORUS_DONE;
	}
	if (r->per_host) {
		ranks_keep_hosts(ranks);
		r->per_node = r->per_host;
	}
	if (order == TORUS_ORDER_RING && !torus_ranks_ring_closes(ranks))
		storus_say(NAME, 0,
			   "--order ring: the shape has no cycle: a snake, whose ends are no neighbours");
	if (torus_ranks_sort(ranks, order))
		status = storus_say(NAME, STORUS_TROUBLE, "--order: %s",
				    strerror(errno));
	return status;
}

/* What it prints */

/* A line without headings, which scripts read. */
static void print_rank(uint64_t rank, const struct torus_ranks *ranks,
		       const struct torus_rank *node)
{
	char coord[TORUS_MAX_DIMS * 11 + 16] = "", index[16] = "-";
	const char *name = node->name ? node->name : "";
	size_t used = 0;

	if (ranks->slices)
		used = (size_t)snprintf(coord, sizeof(coord),
					"%u:", node->slice);
	for (uint32_t a = 0; a < ranks->axes && used < sizeof(coord); a++)
		used += (size_t)snprintf(coord + used, sizeof(coord) - used,
					 "%s%u", a ? "," : "", node->coord[a]);
	if (node->index != UINT32_MAX)
		snprintf(index, sizeof(index), "%u", node->index);
	printf("%llu %s %s%s%s\n", (unsigned long long)rank, coord, index,
	       *name ? " " : "", name);
}

/* "1,0,1"; of several regions "0:1,0,1". */
static json_t *ranks_coord(const json_t *row, bool csv)
{
	const json_t *coord = json_object_get(row, "coord");
	const json_t *slice = json_object_get(row, "slice");
	char text[TORUS_MAX_DIMS * 11 + 16] = "";
	size_t used = 0;

	if (slice && !csv)
		used = (size_t)snprintf(text, sizeof(text),
					"%d:", (int)json_integer_value(slice));
	for (size_t a = 0; a < json_array_size(coord); a++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%d", a ? "," : "",
					 (int)json_integer_value(
						 json_array_get(coord, a)));
	return json_string(text);
}

static const struct storus_column columns[] = {
	{ "rank", 'r', "RANK", .width = 6 },
	{ "coord", 'c', "COORD", .width = -12, .value = ranks_coord },
	{ "index", 'i', "INDEX", .width = 8 },
	{ "node", 'N', "NODE", .width = -16 },
	{ "slice", 0, "SLICE", .width = 6, .more = true },
	/* of --launch */
	{ "host", 'h', "HOST", .width = -16 },
	{ "CLOUD_TPU_TASK_ID", 0, "TASK", .width = 6 },
	{ "TPU_PROCESS_BOUNDS", 0, "PROCESSES", .width = -10 },
	{ "TPU_CHIPS_PER_PROCESS_BOUNDS", 0, "CHIPS", .width = -8 },
	{ "TPU_VISIBLE_CHIPS", 0, "VISIBLE", .width = -8 },
	{ "TPU_PROCESS_PORT", 0, "PORT", .width = 5 },
	{ "TPU_PROCESS_ADDRESSES", 0, "ADDRESSES", .width = -1 },
	{ "mesh", 'm', "MESH", .width = -6 },
	{ "dims", 0, "DIMS", .width = -10 },
	{ "dim_types", 0, "TYPES", .width = -16 },
	{ "host_dims", 0, "HOST_DIMS", .width = -1 },
	{ 0 },
};

/* The first columns of each kind of rows; those of ranks begin with 0. */
enum {
	OF_TPU = 5,
	OF_MGD = 12,
	OF_NONE = 16
};

static json_t *ranks_to_json(const struct ranks_words *r,
			     const struct ranks_result *a, json_t *rows)
{
	const struct torus_ranks *ranks = &a->ranks;
	json_t *o = json_pack("{s:i}", "schema", 1);

	if (a->config) {
		/* The place of the job, as far as it is known. */
		char text[TORUS_ORIENTATION_SIZE], ring[TORUS_MAX_DIMS + 1];
		const struct torus_machine *m = &a->config->machine;
		struct torus_text region = { 0 };

		if (torus_placement_format(m, &a->place, &region) == 0)
			json_object_set_new(o, "region",
					    json_string(region.data));
		torus_text_free(&region);
		if (a->place.regions) {
			struct torus_text turns = { 0 };

			if (torus_placement_orientation(m, &a->place, &turns) ==
			    0)
				json_object_set_new(o, "orientation",
						    json_string(turns.data));
			turns.length = 0;
			if (torus_placement_rings(&a->place, &turns) == 0)
				json_object_set_new(o, "ring",
						    json_string(turns.data));
			torus_text_free(&turns);
		}
		if (!a->place.scattered) {
			torus_orientation_format(&a->place.orientation,
						 &m->pod[a->place.pod].torus,
						 text, sizeof(text));
			json_object_set_new(o, "orientation", json_string(text));
			for (uint32_t i = 0; i < a->place.axes; i++)
				ring[i] = a->place.ring >> i & 1 ? 'T' : 'M';
			ring[a->place.axes] = '\0';
			if (!a->place.orientation.folded || a->place.ring)
				json_object_set_new(o, "ring",
						    json_string(ring));
		}
	}
	json_object_set_new(o, "shape",
			    storus_json_counts(ranks->extent, ranks->axes));
	if (r->grid_text) {
		json_object_set_new(o, "grid",
				    storus_json_counts(r->grid.extent,
						       r->grid.axes));
		json_object_set_new(o, "cell",
				    storus_json_counts(r->grid.cell,
						       r->grid.axes));
		json_object_set_new(o, "hops",
				    json_integer((json_int_t)r->grid.hops));
		json_object_set_new(o, "hops_in_order",
				    json_integer(
					    (json_int_t)r->grid.hops_in_order));
	}
	json_object_set_new(o, "ranks", rows);
	return r->q.snapshot ?
		       storus_age_json(o, storus_age_time_us(r->q.snapshot)) :
		       o;
}

/* An entry of the list, sorted by its node. */
struct host_entry {
	const char *name;
	uint32_t at;
};

static int host_compare(const void *a, const void *b)
{
	const struct host_entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Return how many entries before each one have its node: a node of several
 * vertices has one for each. NULL with ENOMEM; the caller frees it. */
static uint32_t *hosts_before(const struct torus_ranks *ranks)
{
	struct host_entry *host = torus_alloc(ranks->nodes, sizeof(*host));
	uint32_t *before = torus_alloc(ranks->nodes, sizeof(*before));

	if (!host || !before) {
		torus_free(host);
		torus_free(before);
		return NULL;
	}
	for (uint32_t k = 0; k < ranks->nodes; k++)
		host[k] = (struct host_entry){ ranks->rank[k].name, k };
	qsort(host, ranks->nodes, sizeof(*host), host_compare);
	for (uint32_t k = 1; k < ranks->nodes; k++) {
		if (strcmp(host[k].name, host[k - 1].name) == 0)
			before[host[k].at] = before[host[k - 1].at] + 1;
	}
	torus_free(host);
	return before;
}

static int write_hostfile(const struct ranks_words *r,
			  const struct torus_ranks *ranks)
{
	const char *path = r->hostfile;
	struct storus_output out = { 0 };
	int status = STORUS_DONE;
	uint32_t *before;

	for (uint32_t k = 0; k < ranks->nodes; k++) {
		if (!ranks->rank[k].name)
			return storus_say(NAME, STORUS_USAGE,
					  "--hostfile: node %u has no name; give a torus.yaml that lists the nodes",
					  ranks->rank[k].index);
	}
	before = hosts_before(ranks);
	if (!before)
		return storus_no_memory(NAME);
	errno = 0;
	if (storus_output_open(&out, path))
		status = storus_output_failed(NAME, path);
	for (uint64_t k = 0;
	     status == STORUS_DONE && k < ranks->nodes * r->per_node; k++) {
		/* A rank's line. before: entries of its node before its own. hydra counts
		 * ranks of a node that follow each other. */
		const char *name = ranks->rank[k / r->per_node].name;
		uint64_t slot = k % r->per_node;

		if (r->rankfile == RANKFILE_ARBITRARY)
			fprintf(out.stream, "%s\n", name);
		else if (r->rankfile == RANKFILE_OPENMPI)
			fprintf(out.stream, "rank %llu=%s slot=%llu\n",
				(unsigned long long)k, name,
				(unsigned long long)(before[k / r->per_node] *
							     r->per_node +
						     slot));
		else if (slot == 0)
			fprintf(out.stream, "%s:%llu\n", name,
				(unsigned long long)r->per_node);
	}
	if (status == STORUS_DONE && storus_output_commit(&out))
		status = storus_output_failed(NAME, path);
	storus_output_discard(&out);
	torus_free(before);
	return status;
}

/* Print the hosts or meshes as the runtime reads them, or as rows. */
static int ranks_launch(struct ranks_words *r, const struct ranks_result *a)
{
	enum launch_kind kind = (enum launch_kind)r->launch;
	const struct torus_ranks *ranks = &a->ranks;
	struct storus_table *t = &r->table;
	bool table = t->json || storus_table_asked(t);
	struct torus_error err = { 0 };
	uint32_t regions = 1;

	if (ranks->slices)
		regions = ranks->rank[ranks->nodes - 1].slice + 1;
	for (uint8_t c = kind == LAUNCH_TPU ? OF_TPU : OF_MGD;
	     !t->format && c < (kind == LAUNCH_TPU ? OF_MGD : OF_NONE); c++)
		t->field[t->fields++] = c;
	for (uint32_t i = 0; i < regions; i++) {
		uint32_t count = ranks->nodes / regions;
		json_t *rows = NULL, *row;
		struct launch_box box;
		size_t k;

		if ((a->config ? launch_box_place(&box, &a->config->machine,
						  &a->place, i, &err) :
				 launch_box_job(&box, ranks, i, &err)) == 0)
			rows = launch_rows(kind, &box,
					   ranks->rank + (size_t)i * count,
					   count, i, &err);
		if (!rows)
			return storus_say_errors(NAME, STORUS_USAGE, &err);
		if (!table && i == 0)
			launch_begin(stdout, kind);
		json_array_foreach(rows, k, row)
		{
			if (table)
				storus_table_row(t, json_incref(row));
			else
				launch_put(stdout, kind, row);
		}
		json_decref(rows);
	}
	if (table)
		return storus_table_end_rows(NAME, t,
					     kind == LAUNCH_TPU ? "hosts" :
								  "meshes",
					     TORUS_NO_TIME);
	launch_end(stdout, kind, regions);
	return ferror(stdout) ? STORUS_TROUBLE : STORUS_DONE;
}

/* The command line */

/* Check which options go together. NULL, or the error. */
static const char *ranks_mismatch(const struct ranks_words *r)
{
	const struct storus_question *q = &r->q;
	bool asks = q->words.geometry || storus_question_given(q) ||
		    q->source.busy.count;

	if (r->region && asks)
		return "--region and --geometry exclude each other: --region names the nodes, --geometry asks for a place";
	if ((r->orientation || r->ring) && !r->region)
		return r->orientation ? "--orientation goes with --region" :
					"--ring goes with --region";
	if (ranks_of_machine(r) && !r->region && !q->words.geometry)
		return "--region or --geometry is missing; for example storus ranks --torus 8x8x8 --region 0,0,0+4x4x2";
	if (r->launch >= 0 && (r->hostfile || r->per_node > 1 ||
			       r->per_host > 1 || r->order > 0 || r->grid_text))
		return "--launch has its own order and format: omit --hostfile, --per-node, --per-host, --grid and --order";
	if (r->cell && !r->grid_text)
		return "--cell goes with --grid";
	if (r->grid_text && (r->order >= 0 || r->per_node > 1))
		return "--grid has its own order and number of ranks: omit --order and --per-node";
	if (r->per_host && r->per_node > 1)
		return "--per-host and --per-node exclude each other";
	if (r->hostfile && storus_table_asked(&r->table))
		return "--hostfile has its own format: omit --csv, --noheader and -o";
	if (r->hostfile && r->table.json && !strcmp(r->hostfile, "-") &&
	    !strcmp(r->table.json, "-"))
		return "--hostfile and --json cannot both go to stdout";
	return NULL;
}

static int ranks_answer(struct ranks_words *r, struct ranks_result *a)
{
	const char *wrong;
	int status;
	struct storus_table *t;
	bool rows;

	if (r->q.words.rank_order) { /* the job's option: the same */
		struct torus_error err = { 0 };
		enum torus_rank_order order;

		if (torus_rank_order_parse("--rank-order",
					   r->q.words.rank_order, &order, &err))
			return storus_say_errors(NAME, STORUS_USAGE, &err);
		r->order = r->order < 0 ? (int)order - 1 : r->order;
		r->q.words.rank_order = NULL;
	}
	if (r->rankfile != RANKFILE_NONE && !r->hostfile)
		r->hostfile = "-";
	if (r->rankfile == RANKFILE_NONE)
		r->rankfile = RANKFILE_ARBITRARY;
	wrong = ranks_mismatch(r);
	if (wrong)
		return storus_say(NAME, STORUS_USAGE, "%s", wrong);
	status = find_ranks(r, a);
	if (status == STORUS_DONE)
		status = ranks_arrange(r, &a->ranks);
	if (status != STORUS_DONE)
		return status;
	t = &r->table;
	rows = t->json || t->csv || t->format;
	status = STORUS_DONE;
	if (r->launch >= 0)
		return ranks_launch(r, a);
	if (r->hostfile)
		status = write_hostfile(r, &a->ranks);
	if (status || (r->hostfile && !rows))
		return status;
	for (uint8_t c = 0; !t->format && c < (t->csv ? OF_TPU : OF_TPU - 1);
	     c++)
		t->field[t->fields++] = c;
	for (uint64_t k = 0; k < a->ranks.nodes * r->per_node; k++) {
		const struct torus_rank *node = &a->ranks.rank[k / r->per_node];

		if (rows)
			storus_table_row(t,
					 json_pack("{s:I, s:o, s:o*, s:o*, s:s*}",
						   "rank", (json_int_t)k,
						   "coord",
						   storus_json_counts(node->coord,
								      a->ranks.axes),
						   "slice",
						   a->ranks.slices ?
							   json_integer(
								   node->slice) :
							   NULL,
						   "index",
						   node->index != UINT32_MAX ?
							   json_integer(
								   node->index) :
							   NULL,
						   "node", node->name));
		else
			print_rank(k, &a->ranks, node);
	}
	if (t->json)
		return storus_json_write(NAME,
					 ranks_to_json(r, a,
						       storus_table_rows(t)),
					 t->json);
	return rows           ? storus_table_end(NAME, t) :
	       ferror(stdout) ? STORUS_TROUBLE :
				STORUS_DONE;
}

static int ranks_run(void *request)
{
	struct ranks_words *r = request;
	struct ranks_result a = { 0 };
	int status = ranks_answer(r, &a);

	torus_ranks_free(&a.ranks);
	storus_question_free(&r->q);
	return status;
}

const struct storus_command storus_ranks = {
	.name = "ranks",
	.summary = "print a job's nodes in rank order, for MPI",
	.usage = "[SHAPE | --geometry SHAPE | --region REGION] [OPTION]...",
	.about =
		"One line per rank: the rank, its coordinate in the job's shape, the node's\n"
		"index in its torus and its name, if torus.yaml has one. Neighbours along an\n"
		"axis are one stride apart in the machine, and so are the ends of a closed ring.\n"
		"Of several regions (4x4*3) one follows the other; SLICE: comes before the\n"
		"coordinate.\n"
		"Inside a job with a shape no option is needed.",
	.options = options,
	STORUS_WORDS(struct ranks_words, .table.column = columns, .per_node = 1,
		     .rankfile = RANKFILE_NONE, .launch = -1, .order = -1),
	.operand = { .value = "shape",
		     STORUS_TO(struct ranks_words, q.words.geometry) },
	.examples =
		"  storus ranks --torus 8x8x8 --region 6,0,0+4x4x1 --orientation 1,0,-\n"
		"  storus ranks --torus 4x4x4 --busy 0,0,0+4x4x1 --geometry 2x2x2 --json\n"
		"  storus ranks --torus 4x8x2x4:MMTT --strategy semitorus-nep --geometry 256\n"
		"in a batch script, 4 ranks on each node:\n"
		"  storus ranks --per-node 4 --hostfile=hosts\n"
		"  SLURM_HOSTFILE=hosts srun -n $((4 * SLURM_NNODES)) -m arbitrary ./app\n"
		"in a batch script with --geometry=4x2, a grid of 8x4 ranks, 4 on each node:\n"
		"  storus ranks --grid 8x4 --hostfile=hosts\n"
		"  SLURM_HOSTFILE=hosts srun -n 32 -m arbitrary ./app\n"
		"on TPU hosts, one process each:\n"
		"  storus ranks --launch tpu >launch\n"
		"  srun --ntasks-per-node=1 sh -c \\\n"
		"    'export $(sed -n \"s/^$SLURMD_NODENAME //p\" launch) && exec ./app'\n",
	.run = ranks_run,
};
