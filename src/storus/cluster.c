/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * squeue and sinfo (cluster.h). Two calls of squeue: --format (%N, %i: of any
 * length) and --Format (AdminComment, which --format does not have, in the last
 * column of a fixed width). The second comes first: a job that starts in
 * between has no region yet, but is not lost.
 */
#include "storus/cluster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/admin_comment.h"
#include "storus/slurm.h"
#include "storus/storus.h"
#include "torus/region.h"

#define ID_WIDTH 20 /* of the first column of --Format */

struct region {
	uint32_t id;
	char text[TORUS_REGION_SIZE];
};

struct reader {
	struct region *region;
	size_t regions;
	struct torus_error *err;
	int (*job_fn)(void *arg, const struct storus_cluster_job *job);
	int (*node_fn)(void *arg, const struct storus_cluster_node *node);
	void *arg;
};

static int cluster_no_memory(struct reader *r)
{
	torus_error_add(r->err, "out of memory");
	return STORUS_TROUBLE;
}

/* "ID<padding>COMMENT": keep the region. A word that the column's width has cut
 * ends without a separator and is left out. */
static int take_region(void *arg, char *line)
{
	struct reader *r = arg;
	size_t begin, length;
	struct region *more;
	const char *word;

	if (strlen(line) <= ID_WIDTH ||
	    !admin_comment_find(line + ID_WIDTH, &begin, &length))
		return STORUS_DONE;
	word = strstr(line + ID_WIDTH + begin, ADMIN_COMMENT_PLACE) +
	       strlen(ADMIN_COMMENT_PLACE);
	length = strcspn(word, "; \n");
	if (length >= TORUS_REGION_SIZE || !word[length] || word[length] == '\n')
		return STORUS_DONE;
	if ((r->regions & (r->regions - 1)) == 0) {
		size_t room = r->regions ? r->regions * 2 : 1;

		more = realloc(r->region, room * sizeof(*more));
		if (!more)
			return cluster_no_memory(r);
		r->region = more;
	}
	more = &r->region[r->regions++];
	more->id = (uint32_t)strtoul(line, NULL, 10);
	memcpy(more->text, word, length);
	more->text[length] = '\0';
	return STORUS_DONE;
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = ((const struct region *)a)->id;
	uint32_t y = ((const struct region *)b)->id;

	return (x > y) - (x < y);
}

static const char *region_of(const struct reader *r, uint32_t id)
{
	const struct region key = { .id = id };
	const struct region *found = r->regions ? bsearch(&key, r->region,
							  r->regions,
							  sizeof(*r->region),
							  by_id) :
						  NULL;

	return found ? found->text : "";
}

/* ID|NAME|USER|STATE|END|NODES */
static int cluster_take_job(void *arg, char *line)
{
	struct reader *r = arg;
	char *word[6], *rest = line;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 6; i++) {
		word[i] = strsep(&rest, "|");
		if (!word[i] || (i == 5) != !rest) {
			torus_error_add(r->err,
					"squeue: got \"%.60s\", expected 6 fields with | between them",
					line);
			return STORUS_TROUBLE;
		}
	}
	if (!*word[5] || strcmp(word[3], "PENDING") == 0)
		return STORUS_DONE;
	return r->job_fn(r->arg,
			 &(struct storus_cluster_job){
				 .id = (uint32_t)strtoul(word[0], NULL, 10),
				 .name = word[1],
				 .user = word[2],
				 .state = word[3],
				 .end = word[4],
				 .nodes = word[5],
				 .region = region_of(r,
						     (uint32_t)strtoul(word[0],
								       NULL, 10)),
			 });
}

int storus_cluster_jobs(struct torus_error *err,
			int (*job_fn)(void *arg,
				      const struct storus_cluster_job *job),
			void *arg)
{
	static const char *const regions[] = {
		"squeue", "--noheader", "--all",
		"--Format=JobID:20,admin_comment:2048", NULL
	};
	static const char *const jobs[] = { "squeue", "--noheader", "--all",
					    "--format=%A|%i|%u|%T|%e|%N", NULL };
	struct reader r = { .err = err, .job_fn = job_fn, .arg = arg };
	int status = storus_slurm_lines(regions, err, take_region, &r);

	if (status == STORUS_DONE) {
		if (r.regions)
			qsort(r.region, r.regions, sizeof(*r.region), by_id);
		status = storus_slurm_lines(jobs, err, cluster_take_job, &r);
	}
	free(r.region);
	return status;
}

/* NAME STATE ALLOCATED/IDLE/OTHER/TOTAL */
static int take_node(void *arg, char *line)
{
	struct reader *r = arg;
	const char *name = strtok(line, " \n"), *state = strtok(NULL, " \n");
	const char *cpus = strtok(NULL, " \n");

	if (!name || !state || !cpus)
		return STORUS_DONE;
	return r->node_fn(r->arg,
			  &(struct storus_cluster_node){
				  .name = name,
				  .state = state,
				  .allocated_cpus = (uint32_t)strtoul(cpus,
								      NULL, 10),
			  });
}

int storus_cluster_nodes(struct torus_error *err,
			 int (*node_fn)(void *arg,
					const struct storus_cluster_node *node),
			 void *arg)
{
	static const char *const sinfo[] = {
		"sinfo", "--noheader",        "--Node",
		"--all", "--format=%N %t %C", NULL
	};
	struct reader r = { .err = err, .node_fn = node_fn, .arg = arg };

	return storus_slurm_lines(sinfo, err, take_node, &r);
}

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

bool storus_cluster_in_use(const struct storus_cluster_node *node)
{
	static const char *const busy[] = { "alloc", "mix", "comp", NULL };

	return node->allocated_cpus > 0 || begins_with_one_of(node->state, busy);
}
