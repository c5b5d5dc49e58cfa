/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See coord.h. The node list of the job, not the step's: TORUS_COORDS is in
 * its order. O(length of the list and the coordinates) per task.
 */
#include "coord.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request/coords.h"
#include "slurmctld/names.h"
#include "config/hostlist.h"

/* slurmctld allows no longer ones in an environment. */
#define VALUE_SIZE (128 * 1024)

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
		    ESPANK_SUCCESS ||
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

/* Set which region the node is in, if the job has several. */
static void coord_set_slice(spank_t sp, char *value, uint32_t position,
			    uint32_t *slice)
{
	char text[16];

	if (spank_getenv(sp, ENV_SLICES, value, VALUE_SIZE) != ESPANK_SUCCESS ||
	    torus_counts_nth(value, position, slice))
		return;
	snprintf(text, sizeof(text), "%u", *slice);
	spank_setenv(sp, ENV_SLICE, text, 1);
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

void coord_of_task(spank_t sp)
{
	char coord[TORUS_MAX_DIMS * 11 + 1];
	char *value = malloc(VALUE_SIZE);
	uint32_t position, slice = 0;

	spank_unsetenv(sp, ENV_COORD);
	spank_unsetenv(sp, ENV_VERTICES);
	spank_unsetenv(sp, ENV_SLICE);
	if (value && find_coord(sp, value, &position, coord, sizeof(coord))) {
		coord_set_slice(sp, value, position, &slice);
		if (spank_getenv(sp, ENV_UNIT, value, VALUE_SIZE) ==
		    ESPANK_SUCCESS)
			coord_set_share(sp, coord, unit_of_slice(value, slice));
		else
			spank_setenv(sp, ENV_COORD, coord, 1);
	}
	free(value);
}
