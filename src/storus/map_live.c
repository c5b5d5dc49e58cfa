/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map out of the live cluster: scontrol tells the jobs (nodes, and in
 * AdminComment the region), sinfo the nodes that are out of service. scontrol's
 * one-line form is used because squeue of Slurm 22.05 does not show
 * AdminComment; its keys are the same in all versions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/hostlist.h"
#include "storus/map_source.h"
#include "storus/slurm.h"
#include "storus/storus.h"

#define MARK "torus:place="

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

/* The word after KEY= in one of scontrol's lines, copied; "" if none. */
static void word(const char *line, const char *key, const char *ends,
		 char *buffer, size_t size)
{
	const char *at = strstr(line, key);
	size_t length = 0;

	if (at) {
		at += strlen(key);
		length = strcspn(at, ends);
	}
	if (length >= size)
		length = size - 1;
	memcpy(buffer, at ? at : "", length);
	buffer[length] = '\0';
}

/* Does the job hold nodes in this state? */
static bool holds_nodes(const char *state)
{
	static const char *const with[] = { "RUNNING", "SUSPENDED", "STOPPED",
					    "COMPLETING", "CONFIGURING" };

	for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++) {
		if (strcmp(state, with[i]) == 0)
			return true;
	}
	return false;
}

/* Time until the end, as 1-02:03:04 or 03:04; "" where it has none. */
static void time_left(const char *line, char *buffer, size_t size)
{
	char end[32];
	struct tm tm = { .tm_isdst = -1 };
	long left;

	buffer[0] = '\0';
	word(line, " EndTime=", " \n", end, sizeof(end));
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

static void describe(const char *line, struct report_map_job *job)
{
	char array[16], task[12];

	word(line, " ArrayJobId=", " \n", array, sizeof(array));
	word(line, " ArrayTaskId=", " \n", task, sizeof(task));
	if (array[0] && task[0])
		snprintf(job->id, sizeof(job->id), "%s_%s", array, task);
	else
		word(line, "JobId=", " \n", job->id, sizeof(job->id));
	word(line, " UserId=", "( \n", job->user, sizeof(job->user));
	time_left(line, job->left, sizeof(job->left));
}

static int add_job(void *arg, char *line)
{
	struct live *l = arg;
	struct storus_map *m = l->m;
	char region[TORUS_REGION_SIZE], state[24];
	struct report_map_job job = { .region = region };
	const char *comment = strstr(line, " AdminComment=");
	char *nodes = strstr(line, " NodeList=");
	struct hostlist_error why;
	uint32_t count;

	word(line, " JobState=", " \n", state, sizeof(state));
	if (!nodes || !holds_nodes(state))
		return STORUS_DONE;
	describe(line, &job);
	word(comment ? comment : "", MARK, "; \n", region, sizeof(region));
	nodes += strlen(" NodeList=");
	nodes[strcspn(nodes, " \n")] = '\0';
	if (!region[0])
		job.region = nodes;
	torus_bits_zero(m->nodes, m->config->machine.words);
	if (torus_hostlist_count(nodes, &count, &why) == 0)
		torus_hostlist_each(nodes, mark_node, m);
	job.nodes = torus_bits_count(m->nodes, m->config->machine.words);
	if (job.nodes == 0)
		return STORUS_DONE; /* elsewhere in the cluster */
	/* select/torus_cons_tres lets jobs share a node. */
	if (report_map_add_shared(&m->map, &job, m->nodes) >= 0)
		return STORUS_DONE;
	torus_error_add(l->err, "%s", strerror(errno));
	return STORUS_TROUBLE;
}

/* "NAME STATE" */
static int add_node(void *arg, char *line)
{
	static const char *const out[] = { "down",  "drain", "drng",   "fail",
					   "maint", "unk",   "inval",  "power",
					   "futr",  "boot",  "reboot", "error" };
	struct live *l = arg;
	struct storus_map *m = l->m;
	const char *name = strtok(line, " \n"), *state = strtok(NULL, " \n");
	uint32_t bit = UINT32_MAX;

	if (name && state)
		bit = torus_config_node(m->config, name);

	for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++) {
		if (bit != UINT32_MAX &&
		    strncmp(state, out[i], strlen(out[i])) == 0)
			m->map.cell[bit] = REPORT_MAP_DOWN;
	}
	return STORUS_DONE;
}

int storus_map_live(struct storus_map *m, struct torus_error *err)
{
	static const char *const sinfo[] = { "sinfo",          "--noheader",
					     "--Node",         "--all",
					     "--format=%N %t", NULL };
	static const char *const scontrol[] = { "scontrol", "--oneliner",
						"--all",    "show",
						"jobs",     NULL };
	struct live l = { .m = m, .err = err };
	time_t now = time(NULL);
	struct tm tm;
	int status = storus_slurm_lines(sinfo, err, add_node, &l);

	if (status == STORUS_DONE)
		status = storus_slurm_lines(scontrol, err, add_job, &l);
	if (localtime_r(&now, &tm))
		strftime(m->title, sizeof(m->title),
			 "the cluster at %Y-%m-%dT%H:%M:%S", &tm);
	return status;
}
