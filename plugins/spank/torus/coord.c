/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See coord.h. The node list of the job, or of a step on a sub-box (step.h): TORUS_COORDS
 * is in its order. O(length of the list and the coordinates) per task.
 */
#include <slurm/slurm.h>

#include "coord.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "request/coords.h"
#include "slurmctld/names.h"
#include "config/hostlist.h"
#include "format/ranks.h"
#include "torus/number.h"

/* slurmctld allows no longer ones in an environment. */
#define VALUE_SIZE (128 * 1024)

/* Open MPI 4 reads it as the option --rankfile of mpirun. */
#define OPENMPI_RANK_FILE "OMPI_MCA_rmaps_rank_file_path"

struct node_search {
	const char *node;
	uint32_t at;
};

static int coord_is_node(void *arg, const char *name)
{
	struct node_search *l = arg;

	if (strcmp(name, l->node) == 0)
		return 1;
	l->at++;
	return 0;
}

/* Find the position of a node in a list such as "node[00-03,07]". Return false
 * if it is missing. */
static bool coord_position(const char *list, const char *node, uint32_t *at)
{
	struct node_search l = { .node = node };
	uint32_t count;

	if (torus_hostlist_count(list, &count, NULL) ||
	    !torus_hostlist_each(list, coord_is_node, &l))
		return false;
	*at = l.at;
	return true;
}

/* Find the position of the task's node in the job's list, and its coordinate. */
static bool find_coord(spank_t sp, char *value, uint32_t *position, char *coord,
		       size_t size)
{
	char node[256];
	uint32_t at;

	if (spank_getenv(sp, "SLURMD_NODENAME", node, sizeof(node)) !=
	    ESPANK_SUCCESS)
		return false;
	if (spank_getenv(sp, ENV_NODELIST, value, VALUE_SIZE) != ESPANK_SUCCESS &&
	    spank_getenv(sp, "SLURM_JOB_NODELIST", value, VALUE_SIZE) !=
		    ESPANK_SUCCESS)
		return false;
	if (!coord_position(value, node, &at))
		return false;
	*position = at;
	return spank_getenv(sp, ENV_COORDS, value, VALUE_SIZE) ==
		       ESPANK_SUCCESS &&
	       torus_coords_nth(value, at, coord, size) == 0;
}

/* On a node of several vertices each task has its share of them. */
static void coord_set_share(spank_t sp, const char *coord, const char *unit)
{
	struct torus_text share = { 0 };
	uint32_t task = 0, tasks = 1;

	if (spank_get_item(sp, S_TASK_ID, &task) == ESPANK_SUCCESS &&
	    spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &tasks) ==
		    ESPANK_SUCCESS &&
	    torus_coords_share(coord, unit, task, tasks, &share) == 0) {
		spank_setenv(sp, ENV_VERTICES, share.data, 1);
		share.data[strcspn(share.data, ";")] = '\0';
		spank_setenv(sp, ENV_COORD, share.data, 1);
	}
	torus_text_free(&share);
}

/* Return the n-th unit if the units differ by region, else the only one. */
static const char *unit_of_slice(char *units, uint32_t n)
{
	char *unit = units;

	for (; n > 0 && strchr(unit, '/'); n--)
		unit = strchr(unit, '/') + 1;
	unit[strcspn(unit, "/")] = '\0';
	return unit;
}

/* The task's environment, copied variable by variable. */
struct task_variables {
	spank_t sp;
	uint32_t count;
	char *text[16];
};

static const char *task_variable(void *arg, const char *name)
{
	struct task_variables *v = arg;
	char *text = v->count < 16 ? malloc(VALUE_SIZE) : NULL;

	if (!text ||
	    spank_getenv(v->sp, name, text, VALUE_SIZE) != ESPANK_SUCCESS) {
		free(text);
		return NULL;
	}
	v->text[v->count++] = text;
	return text;
}

static void task_variables_free(struct task_variables *v)
{
	while (v->count)
		free(v->text[--v->count]);
}

/* Set how many tasks are before this one in row-major order, if each node has as many
 * as this one. */
static void coord_set_rank(spank_t sp)
{
	struct task_variables v = { .sp = sp };
	const char *node = task_variable(&v, "SLURMD_NODENAME");
	struct torus_error ignored = { 0 };
	struct torus_ranks ranks = { 0 };
	uint32_t task = 0, tasks = 1, rank = 0;
	char text[16];

	if (node && spank_get_item(sp, S_TASK_ID, &task) == ESPANK_SUCCESS &&
	    spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &tasks) ==
		    ESPANK_SUCCESS &&
	    torus_ranks_job(&ranks, task_variable, &v, &ignored) == 0) {
		for (uint32_t k = 0; k < ranks.nodes; k++) {
			const struct torus_rank *vertex = &ranks.rank[k];
			uint32_t first;
			uint32_t n = torus_rank_tasks(vertex, tasks, &first);

			if (task - first < n && !strcmp(vertex->name, node)) {
				snprintf(text, sizeof(text), "%u",
					 rank + task - first);
				spank_setenv(sp, ENV_RANK, text, 1);
				break;
			}
			rank += n;
		}
	}
	torus_ranks_free(&ranks);
	task_variables_free(&v);
}

/* Open MPI's rank file */

/* Name the file beside the batch script, which Slurm makes for it on the first node. */
static bool rank_file_path(spank_t sp, char *path, size_t size)
{
	uint32_t step = 0;
	char **argv = NULL;
	int argc = 0;
	const char *slash;

	if (spank_get_item(sp, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
	    step != SLURM_BATCH_SCRIPT ||
	    spank_get_item(sp, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS ||
	    argc < 1 || !argv[0] || argv[0][0] != '/')
		return false;
	slash = strrchr(argv[0], '/');
	return snprintf(path, size, "%.*s/torus_ranks", (int)(slash - argv[0]),
			argv[0]) < (int)size;
}

static int rank_file_write(FILE *out, const struct torus_ranks *ranks,
			   const char *tasks, uint32_t cpus)
{
	uint32_t rank = 0;

	for (uint32_t k = 0; k < ranks->nodes; k++) {
		const struct torus_rank *vertex = &ranks->rank[k];
		uint32_t n, task, end;

		if (torus_counts_nth(tasks, vertex->host, &n))
			return -1;
		end = torus_rank_tasks(vertex, n, &task);
		for (end += task; task < end; task++) {
			fprintf(out, "rank %u=%s slot=%u", rank++, vertex->name,
				task * cpus);
			if (cpus > 1)
				fprintf(out, "-%u", task * cpus + cpus - 1);
			fputc('\n', out);
		}
	}
	return ferror(out) ? -1 : 0;
}

void coord_rank_file(spank_t sp)
{
	struct task_variables v = { .sp = sp };
	const char *word = task_variable(&v, ENV_RANK_ORDER);
	const char *tasks = word ? task_variable(&v, "SLURM_TASKS_PER_NODE") :
				   NULL;
	const char *cpus = tasks ? task_variable(&v, "SLURM_CPUS_PER_TASK") :
				   NULL;
	struct torus_error ignored = { 0 };
	struct torus_ranks ranks = { 0 };
	enum torus_rank_order order;
	char path[1024];
	FILE *out = NULL;
	bool written;

	if (tasks && !task_variable(&v, OPENMPI_RANK_FILE) &&
	    rank_file_path(sp, path, sizeof(path)) &&
	    torus_rank_order_parse("", word, &order, &ignored) == 0 &&
	    torus_ranks_job(&ranks, task_variable, &v, &ignored) == 0 &&
	    ranks.nodes > 1 && torus_ranks_sort(&ranks, order) == 0)
		out = fopen(path, "wxe");
	if (out) {
		written = rank_file_write(out, &ranks, tasks,
					  cpus ? (uint32_t)torus_number_of(cpus) :
						 1) == 0;
		written &= fchmod(fileno(out), 0644) == 0;
		written &= fclose(out) == 0;
		if (written)
			spank_setenv(sp, OPENMPI_RANK_FILE, path, 1);
	}
	torus_ranks_free(&ranks);
	task_variables_free(&v);
}

void coord_rank_file_remove(spank_t sp)
{
	char path[1024];

	if (rank_file_path(sp, path, sizeof(path)))
		unlink(path);
}

void coord_of_task(spank_t sp)
{
	char coord[TORUS_MAX_DIMS * 11 + 1];
	char *value = malloc(VALUE_SIZE);
	uint32_t position, slice = 0, step = 0;

	spank_unsetenv(sp, ENV_RANK);
	spank_unsetenv(sp, ENV_COORD);
	spank_unsetenv(sp, ENV_VERTICES);
	spank_unsetenv(sp, ENV_SLICE);
	if (value && find_coord(sp, value, &position, coord, sizeof(coord))) {
		char text[16];

		/* which region the node is in, of several */
		if (spank_getenv(sp, ENV_SLICES, value, VALUE_SIZE) ==
			    ESPANK_SUCCESS &&
		    !torus_counts_nth(value, position, &slice)) {
			snprintf(text, sizeof(text), "%u", slice);
			spank_setenv(sp, ENV_SLICE, text, 1);
		}
		if (spank_getenv(sp, ENV_UNIT, value, VALUE_SIZE) ==
		    ESPANK_SUCCESS)
			coord_set_share(sp, coord, unit_of_slice(value, slice));
		else
			spank_setenv(sp, ENV_COORD, coord, 1);
		/* (mpirun's tasks would inherit that of the script) */
		if (spank_get_item(sp, S_JOB_STEPID, &step) == ESPANK_SUCCESS &&
		    step != SLURM_BATCH_SCRIPT)
			coord_set_rank(sp);
	}
	free(value);
}
