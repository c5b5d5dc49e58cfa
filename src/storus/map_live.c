/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map out of the live cluster: squeue tells the jobs (nodes, and in
 * AdminComment the region), sinfo the nodes that are out of service. Only the
 * commands' fixed-width output is used, which is the same in all versions.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/hostlist.h"
#include "storus/map_source.h"
#include "storus/storus.h"

/* Widths of the columns that we ask for. */
enum {
	WIDTH_ID = 48,
	WIDTH_USER = 48,
	WIDTH_LEFT = 24,
	WIDTH_COMMENT = 2048,
	WIDTH_NODES = 8192,
	WIDTH_NAME = 80,
	WIDTH_STATE = 24,
};

#define MARK "torus:place="

/* Run a command and hand each line of its output on. Exit status. */
static int each_line(const char *const *command, struct torus_error *err,
		     int (*line_fn)(void *arg, char *line), void *arg)
{
	posix_spawn_file_actions_t actions;
	int pipes[2], rc, status = STORUS_DONE;
	char *line = NULL;
	size_t room = 0;
	FILE *from;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC)) {
		torus_error_add(err, "pipe: %s", strerror(errno));
		return STORUS_TROUBLE;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	rc = posix_spawnp(&pid, command[0], &actions, NULL,
			  (char *const *)(uintptr_t)command, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[1]);
	from = fdopen(pipes[0], "r");
	if (rc || !from) {
		torus_error_add(err, "cannot run %s (%s): Slurm's commands are needed for the live map; a schedule can be drawn with --schedule",
				command[0], strerror(rc ? rc : errno));
		if (from)
			fclose(from);
		else
			close(pipes[0]);
		return STORUS_TROUBLE;
	}
	while (status == STORUS_DONE && getline(&line, &room, from) > 0)
		status = line_fn(arg, line);
	free(line);
	fclose(from);
	while (waitpid(pid, &rc, 0) < 0 && errno == EINTR)
		;
	if (status == STORUS_DONE && (!WIFEXITED(rc) || WEXITSTATUS(rc))) {
		torus_error_add(err, "%s failed: is SLURM_CONF right and slurmctld running?",
				command[0]);
		status = STORUS_TROUBLE;
	}
	return status;
}

/* The next column of `width` characters, without its padding. */
static char *column(char **line, size_t width)
{
	char *text = *line;
	size_t length = strlen(text);

	if (length > width)
		length = width;
	*line = text + length;
	while (length > 0 && strchr(" \n", text[length - 1]))
		length--;
	/* The next column begins at *line: ending this one early is safe, and
	 * a full one is cut by one character, which its widths allow for. */
	if (text + length == *line && length > 0)
		length--;
	text[length] = '\0';
	return text;
}

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

/* Our part of an AdminComment, NUL-terminated in place; or NULL. */
static char *placement_in(char *comment)
{
	char *place = strstr(comment, MARK);

	if (!place)
		return NULL;
	place += strlen(MARK);
	place[strcspn(place, "; \t")] = '\0';
	return place;
}

static int add_job(void *arg, char *line)
{
	struct live *l = arg;
	struct storus_map *m = l->m;
	struct report_map_job job = { 0 };
	struct hostlist_error why;
	char *comment, *nodes;
	uint32_t count;

	snprintf(job.id, sizeof(job.id), "%s", column(&line, WIDTH_ID));
	snprintf(job.user, sizeof(job.user), "%s", column(&line, WIDTH_USER));
	snprintf(job.left, sizeof(job.left), "%s", column(&line, WIDTH_LEFT));
	comment = column(&line, WIDTH_COMMENT);
	nodes = column(&line, WIDTH_NODES);
	job.region = placement_in(comment);
	if (!job.region)
		job.region = nodes;
	torus_bits_zero(m->nodes, m->config->machine.words);
	if (torus_hostlist_count(nodes, &count, &why) == 0)
		torus_hostlist_each(nodes, mark_node, m);
	job.nodes = torus_bits_count(m->nodes, m->config->machine.words);
	if (job.nodes == 0)
		return STORUS_DONE; /* elsewhere in the cluster */
	if (report_map_add(&m->map, &job, m->nodes) >= 0 || errno == EBUSY)
		return STORUS_DONE; /* EBUSY: shares nodes; the first shows */
	torus_error_add(l->err, "%s", strerror(errno));
	return STORUS_TROUBLE;
}

static int add_node(void *arg, char *line)
{
	static const char *const out[] = { "down", "drain", "drng", "fail",
					   "maint", "unk", "inval", "power",
					   "futr", "boot", "reboot", "error" };
	struct live *l = arg;
	struct storus_map *m = l->m;
	const char *name = column(&line, WIDTH_NAME);
	const char *state = column(&line, WIDTH_STATE);
	uint32_t bit = torus_config_node(m->config, name);

	for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++) {
		if (bit != UINT32_MAX &&
		    strncmp(state, out[i], strlen(out[i])) == 0)
			m->map.cell[bit] = REPORT_MAP_DOWN;
	}
	return STORUS_DONE;
}

int storus_map_live(struct storus_map *m, struct torus_error *err)
{
	static const char *const sinfo[] = {
		"sinfo", "--noheader", "--Node", "--all",
		"--Format=NodeList:80,StateCompact:24", NULL
	};
	static const char *const squeue[] = {
		"squeue", "--noheader", "--all", "--states=R,S,CG,CF,ST",
		"--sort=i",
		"--Format=JobArrayID:48,UserName:48,TimeLeft:24,AdminComment:2048,NodeList:8192",
		NULL
	};
	struct live l = { .m = m, .err = err };
	int status = each_line(sinfo, err, add_node, &l);

	if (status == STORUS_DONE)
		status = each_line(squeue, err, add_job, &l);
	return status;
}
