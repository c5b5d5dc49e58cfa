/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of the live cluster (cluster.h), from sinfo. `sinfo --Node` compares
 * each node with all others: half a minute of processor time for 32,768. Without
 * that option it joins nodes of one partition, state and reason, and their CPUs.
 * Where those do not tell which nodes have a job, and the state does not either,
 * these nodes are asked for one by one, some at a time.
 */
#include "storus/machine/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hostlist.h"
#include "format/node_state.h"
#include "storus/base/slurm.h"
#include "storus/storus.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/text.h"

#define FIELDS 6 /* before the reason */
#define FORMAT                                                                 \
	"--Format=NodeList:0|,StateCompact:0|,CPUsState:0|,PartitionName:0|,"  \
	"StateComplete:0|,Weight:0|,Reason:0"
#define NAMES_MOST 32768 /* bytes of node names in one command */

struct nodes_reader {
	struct torus_error *err;
	int (*node_fn)(void *arg, const struct storus_cluster_node *node);
	void *arg;
	struct storus_cluster_node node; /* of the line, without a name */
	bool joined;                     /* a line may be about several nodes */
	struct name_table unclear;       /* of names that the table owns */
	int status;
};

/* Return true if sinfo's short form of the state says that a job holds the node. */
static bool state_in_use(const char *state)
{
	static const char *const busy[] = { "alloc", "mix",   "comp",
					    "drng",  "failg", NULL };

	for (const char *const *word = busy; *word; word++) {
		if (strncmp(state, *word, strlen(*word)) == 0)
			return true;
	}
	return false;
}

static int nodes_no_memory(struct nodes_reader *r)
{
	torus_error_add(r->err, "out of memory");
	return STORUS_TROUBLE;
}

static int nodes_hand_on(void *arg, const char *name)
{
	struct nodes_reader *r = arg;

	r->node.name = name;
	r->status = r->node_fn(r->arg, &r->node);
	return r->status != STORUS_DONE;
}

/* Keep a name for later. A node of several partitions is kept once. */
static int nodes_keep(void *arg, const char *name)
{
	struct nodes_reader *r = arg;
	char *copy;

	if (torus_names_find(&r->unclear, name))
		return 0;
	copy = torus_text_copy(name);
	if (!copy || !torus_names_add(&r->unclear, copy)) {
		torus_free(copy);
		r->status = nodes_no_memory(r);
	}
	return r->status != STORUS_DONE;
}

/* Return the end of the node list's first expression: a comma outside of brackets,
 * or the end of the text. */
static char *list_part_end(char *list)
{
	bool inside = false;

	for (; *list && (inside || *list != ','); list++)
		inside = *list == '[' || (inside && *list != ']');
	return list;
}

/* Return why no job may start on a node, or NULL. An idle node in maintenance is
 * shown as out of service. */
static const char *state_out(const char *state, const char *complete)
{
	const struct node_state_row *row = node_state_row(
		node_state_read(complete));

	if (row->use != NODE_USABLE && row->use != NODE_ON_DEMAND)
		return row->why;
	return strncmp(state, "maint", 5) ? NULL : "maintenance";
}

/* NAMES|STATE|ALLOCATED/IDLE/OTHER/TOTAL|PARTITION|COMPLETE STATE|WEIGHT|REASON */
static int nodes_take(void *arg, char *line)
{
	struct nodes_reader *r = arg;
	char *word[FIELDS], *cursor = line, *total;
	uint64_t allocated = 0, all = 0;
	bool in_use;
	bool unclear;
	char *list;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < FIELDS; i++) {
		word[i] = strsep(&cursor, "|");
		if (!word[i] || !cursor)
			return STORUS_DONE;
	}
	torus_number_scan_whole(word[2], UINT64_MAX, &allocated);
	total = strrchr(word[2], '/');
	if (total)
		torus_number_whole(total + 1, 0, UINT64_MAX, &all);
	in_use = state_in_use(word[1]);
	r->node = (struct storus_cluster_node){
		.state = word[1],
		.in_use = in_use || allocated > 0,
		.partition = word[3],
		.out = state_out(word[1], word[4]),
		.reserved = strstr(word[4], "reserved") != NULL,
		.asleep = node_state_read(word[4]) & NODE_FLAG_POWERED_DOWN,
		.weight = (uint32_t)torus_number_of(word[5]),
		.reason = cursor,
	};
	r->status = STORUS_DONE;
	/* some of the nodes have a job, others may have none */
	/* Hand on or keep the line's nodes. A name that no torus.yaml can have is left out,
	 * and not the others of its list. */
	unclear = r->joined && !in_use && allocated > 0 && all > allocated;
	list = word[0];
	while (*list && r->status == STORUS_DONE) {
		char *end = list_part_end(list), *next = *end ? end + 1 : end;
		uint32_t count;

		*end = '\0';
		if (torus_hostlist_count(list, &count, NULL) == 0)
			torus_hostlist_each(list,
					    unclear ? nodes_keep : nodes_hand_on,
					    r);
		list = next;
	}
	return r->status;
}

/* Ask for some nodes one by one. */
static int nodes_ask_each(struct nodes_reader *r, const char *names)
{
	const char *sinfo[] = { "sinfo", "--noheader", "--noconvert", "--Node",
				"--all", NULL,         FORMAT,        NULL };
	char *option = NULL;
	int status;

	if (asprintf(&option, "--nodes=%s", names) < 0)
		return nodes_no_memory(r);
	sinfo[5] = option;
	status = storus_slurm_lines(sinfo, r->err, nodes_take, r);
	free(option);
	return status;
}

int storus_cluster_nodes(struct torus_error *err,
			 int (*node_fn)(void *arg,
					const struct storus_cluster_node *node),
			 void *arg)
{
	/* exact: nodes of different weights are not joined */
	static const char *const sinfo[] = { "sinfo",       "--noheader",
					     "--noconvert", "--all",
					     "--exact",     FORMAT,
					     NULL };
	struct nodes_reader r = {
		.err = err, .node_fn = node_fn, .arg = arg, .joined = true
	};
	int status = storus_slurm_lines(sinfo, err, nodes_take, &r);

	if (status == STORUS_DONE) {
		/* Ask for all nodes that are unclear. */
		struct torus_text names = { 0 };

		r.joined = false;
		for (uint32_t i = 0;
		     i < r.unclear.size && status == STORUS_DONE; i++) {
			const char *name = r.unclear.entry[i].name;

			if (name &&
			    torus_text_add(&names, "%s%s",
					   names.length ? "," : "", name))
				status = nodes_no_memory(&r);
			else if (names.length > NAMES_MOST) {
				status = nodes_ask_each(&r, names.data);
				names.length = 0;
			}
		}
		if (names.length && status == STORUS_DONE)
			status = nodes_ask_each(&r, names.data);
		torus_text_free(&names);
	}
	for (uint32_t i = 0; i < r.unclear.size; i++)
		torus_free((void *)(uintptr_t)r.unclear.entry[i].name);
	torus_names_free(&r.unclear);
	return status;
}

/* Hardware */

struct hardware_reader {
	int (*hardware_fn)(void *arg,
			   const struct storus_cluster_hardware *node);
	void *arg;
	struct storus_cluster_hardware node;
	int status;
};

static int hardware_hand_on(void *arg, const char *name)
{
	struct hardware_reader *r = arg;

	r->node.name = name;
	r->status = r->hardware_fn(r->arg, &r->node);
	return r->status != STORUS_DONE;
}

/* CPUS|NAMES|FEATURES */
static int hardware_take(void *arg, char *line)
{
	struct hardware_reader *r = arg;
	char *cpus, *names;
	uint32_t count;

	line[strcspn(line, "\n")] = '\0';
	cpus = strsep(&line, "|");
	names = strsep(&line, "|");
	if (!line)
		return STORUS_DONE;
	r->node = (struct storus_cluster_hardware){
		.cpus = (uint32_t)torus_number_of(cpus),
		.features = strcmp(line, "(null)") ? line : "",
	};
	while (*names && r->status == STORUS_DONE) {
		char *end = list_part_end(names), *next = *end ? end + 1 : end;

		*end = '\0';
		if (torus_hostlist_count(names, &count, NULL) == 0)
			torus_hostlist_each(names, hardware_hand_on, r);
		names = next;
	}
	return r->status;
}

int storus_cluster_hardware(
	struct torus_error *err,
	int (*hardware_fn)(void *arg,
			   const struct storus_cluster_hardware *node),
	void *arg)
{
	static const char *const sinfo[] = {
		"sinfo",       "--noheader",
		"--noconvert", "--all",
		"--exact",     "--Format=CPUs:0|,NodeList:0|,Features:0",
		NULL
	};
	struct hardware_reader r = { .hardware_fn = hardware_fn,
				     .arg = arg,
				     .status = STORUS_DONE };

	return storus_slurm_lines(sinfo, err, hardware_take, &r);
}
