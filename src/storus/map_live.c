/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map out of the live cluster (cluster.h). A node that is in use, or that
 * Slurm does not show, without a job that its user may see is marked as not
 * visible: with PrivateData=jobs the job table alone would call it idle.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config/hostlist.h"
#include "storus/cluster.h"
#include "storus/map_source.h"
#include "storus/storus.h"

struct live {
	struct storus_map *m;
	struct torus_error *err;
};

/* Set the bit of a node, if the machine has it. */
static int mark_node(void *arg, const char *name)
{
	struct storus_map *m = arg;
	uint32_t bit = torus_config_node(m->config, name);

	if (bit != UINT32_MAX)
		torus_bits_set(m->nodes, bit);
	return 0;
}

/* Time until the end, as 1-02:03:04 or 03:04; "" where it has none. */
static void time_left(const char *end, char *buffer, size_t size)
{
	struct tm tm = { .tm_isdst = -1 };
	long left;

	buffer[0] = '\0';
	if (!strptime(end, "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	left = (long)(mktime(&tm) - time(NULL));
	if (left < 0)
		left = 0;
	if (left >= 86400)
		snprintf(buffer, size, "%ld-%02ld:%02ld:%02ld", left / 86400,
			 left / 3600 % 24, left / 60 % 60, left % 60);
	else
		snprintf(buffer, size, "%02ld:%02ld:%02ld", left / 3600,
			 left / 60 % 60, left % 60);
}

static int map_live_add_job(void *arg, const struct storus_cluster_job *j)
{
	struct live *l = arg;
	struct storus_map *m = l->m;
	struct report_map_job job = { 0 };
	struct hostlist_error why;
	uint32_t count;

	snprintf(job.id, sizeof(job.id), "%s", j->name);
	snprintf(job.user, sizeof(job.user), "%s", j->user);
	time_left(j->end, job.left, sizeof(job.left));
	job.region = (char *)(uintptr_t)(*j->region ? j->region : j->nodes);
	torus_bits_zero(m->nodes, m->config->machine.words);
	if (torus_hostlist_count(j->nodes, &count, &why) == 0)
		torus_hostlist_each(j->nodes, mark_node, m);
	job.nodes = torus_bits_count(m->nodes, m->config->machine.words);
	if (job.nodes == 0)
		return STORUS_DONE; /* elsewhere in the cluster */
	/* select/torus_cons_tres lets jobs share a node. */
	if (report_map_add_shared(&m->map, &job, m->nodes) >= 0)
		return STORUS_DONE;
	torus_error_add(l->err, "%s", strerror(errno));
	return STORUS_TROUBLE;
}

static int map_live_add_node(void *arg, const struct storus_cluster_node *node)
{
	struct live *l = arg;
	uint32_t bit = torus_config_node(l->m->config, node->name);
	uint32_t *cell = &l->m->map.cell[bit];

	if (bit == UINT32_MAX)
		return STORUS_DONE;
	if (storus_cluster_out(node->state))
		*cell = REPORT_MAP_DOWN;
	else if (*cell == REPORT_MAP_HIDDEN && !storus_cluster_in_use(node))
		*cell = REPORT_MAP_IDLE;
	return STORUS_DONE;
}

int storus_map_live(struct storus_map *m, struct torus_error *err)
{
	struct live l = { .m = m, .err = err };
	const struct torus_machine *machine = &m->config->machine;
	time_t now = time(NULL);
	struct tm tm;
	int status;

	/* until Slurm says that it is idle, or shows its job */
	for (uint32_t p = 0; p < machine->pods; p++) {
		for (uint32_t i = 0; i < machine->pod[p].torus.nodes; i++) {
			uint32_t bit = torus_machine_bit(machine, p, i);

			if (m->map.cell[bit] == REPORT_MAP_IDLE)
				m->map.cell[bit] = REPORT_MAP_HIDDEN;
		}
	}
	status = storus_cluster_nodes(err, map_live_add_node, &l);
	if (status == STORUS_DONE)
		status = storus_cluster_jobs(err, map_live_add_job, &l);
	if (localtime_r(&now, &tm))
		strftime(m->title, sizeof(m->title),
			 "the cluster at %Y-%m-%dT%H:%M:%S", &tm);
	return status;
}
