/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of the live cluster (cluster.h), from sinfo. `sinfo --Node` compares
 * each node with all others: half a minute of processor time for 32,768. Without
 * that option it joins nodes of one partition, state and reason, and their CPUs.
 * Where those do not tell which nodes have a job, and the state does not either,
 * these nodes are asked for one by one, some at a time.
 */
#include "storus/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hostlist.h"
#include "storus/slurm.h"
#include "storus/storus.h"
#include "torus/text.h"

#define NAMES_MOST 32768 /* bytes of node names in one command */

struct nodes_reader {
	struct torus_error *err;
	int (*node_fn)(void *arg, const struct storus_cluster_node *node);
	void *arg;
	struct storus_cluster_node node; /* of the line, without a name */
	bool joined;                     /* a line may be about several nodes */
	struct torus_text unclear;       /* names: a,b,c */
	int status;
};

static bool begins_with_one_of(const char *state, const char *const *words)
{
	for (; *words; words++) {
		if (strncmp(state, *words, strlen(*words)) == 0)
			return true;
	}
	return false;
}

bool storus_cluster_out(const char *state)
{
	static const char *const out[] = { "down",  "drain",   "drng",
					   "fail",  "maint",   "unk",
					   "inval", "power",   "pow_",
					   "futr",  "boot",    "reboot",
					   "error", "no_resp", NULL };

	return begins_with_one_of(state, out);
}

bool storus_cluster_reserved(const char *state)
{
	static const char *const reserved[] = { "resv", "reserved", NULL };

	return begins_with_one_of(state, reserved);
}

bool storus_cluster_in_use(const struct storus_cluster_node *node)
{
	static const char *const busy[] = { "alloc", "mix", "comp", NULL };

	return node->allocated_cpus > 0 || begins_with_one_of(node->state, busy);
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

static int nodes_keep(void *arg, const char *name)
{
	struct nodes_reader *r = arg;

	if (torus_text_add(&r->unclear, "%s%s", r->unclear.length ? "," : "",
			   name))
		r->status = nodes_no_memory(r);
	return r->status != STORUS_DONE;
}

/* Return true if some of the line's nodes have a job and others may have none. */
static bool nodes_unclear(const struct nodes_reader *r, const char *cpus)
{
	struct storus_cluster_node idle = r->node;
	const char *total = strrchr(cpus, '/');

	idle.allocated_cpus = 0;
	return r->joined && r->node.allocated_cpus > 0 &&
	       !storus_cluster_in_use(&idle) && total &&
	       strtoul(total + 1, NULL, 10) > r->node.allocated_cpus;
}

/* NAMES|STATE|ALLOCATED/IDLE/OTHER/TOTAL|PARTITION|REASON */
static int nodes_take(void *arg, char *line)
{
	struct nodes_reader *r = arg;
	char *word[4], *cursor = line;
	uint32_t count;
	bool unclear;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 4; i++) {
		word[i] = strsep(&cursor, "|");
		if (!word[i] || !cursor)
			return STORUS_DONE;
	}
	if (torus_hostlist_count(word[0], &count, NULL))
		return STORUS_DONE;
	r->node = (struct storus_cluster_node){
		.state = word[1],
		.allocated_cpus = (uint32_t)strtoul(word[2], NULL, 10),
		.partition = word[3],
		.reason = cursor,
	};
	r->status = STORUS_DONE;
	unclear = count > 1 && nodes_unclear(r, word[2]);
	torus_hostlist_each(word[0], unclear ? nodes_keep : nodes_hand_on, r);
	return r->status;
}

/* Ask for some nodes one by one. */
static int nodes_ask_each(struct nodes_reader *r, char *names)
{
	char *option = NULL;
	int status;

	if (asprintf(&option, "--nodes=%s", names) < 0)
		return nodes_no_memory(r);
	{
		const char *const sinfo[] = {
			"sinfo", "--noheader", "--Node",
			"--all", option,       "--format=%N|%t|%C|%R|%E",
			NULL
		};

		status = storus_slurm_lines(sinfo, r->err, nodes_take, r);
	}
	free(option);
	return status;
}

static int nodes_ask_unclear(struct nodes_reader *r)
{
	char *names = r->unclear.length ? r->unclear.data : NULL;
	int status = STORUS_DONE;

	r->joined = false;
	while (names && status == STORUS_DONE) {
		char *end = NULL;

		if (strlen(names) > NAMES_MOST)
			end = strchr(names + NAMES_MOST, ',');
		if (end)
			*end = '\0';
		status = nodes_ask_each(r, names);
		names = end ? end + 1 : NULL;
	}
	return status;
}

int storus_cluster_nodes(struct torus_error *err,
			 int (*node_fn)(void *arg,
					const struct storus_cluster_node *node),
			 void *arg)
{
	static const char *const sinfo[] = { "sinfo", "--noheader", "--all",
					     "--format=%N|%t|%C|%R|%E", NULL };
	struct nodes_reader r = {
		.err = err, .node_fn = node_fn, .arg = arg, .joined = true
	};
	int status = storus_slurm_lines(sinfo, err, nodes_take, &r);

	if (status == STORUS_DONE)
		status = nodes_ask_unclear(&r);
	torus_text_free(&r.unclear);
	return status;
}
