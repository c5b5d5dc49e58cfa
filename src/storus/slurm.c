/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs Slurm's commands (slurm.h). */
#include "storus/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storus/storus.h"

/* The environment without what changes which jobs squeue and sinfo show, or how
 * they write times and lists. NULL with ENOMEM; the strings are environ's. */
static char **plain_environment(void)
{
	static const char *const left_out[] = {
		"SQUEUE_", "SINFO_",
		"SLURM_TIME_FORMAT=", "SLURM_BITSTR_LEN=", "SLURM_CLUSTERS="
	};
	size_t count = 0, kept = 0;
	char **env;

	while (environ[count])
		count++;
	env = calloc(count + 1, sizeof(*env));
	for (size_t i = 0; env && i < count; i++) {
		bool keep = true;

		for (size_t w = 0; w < sizeof(left_out) / sizeof(*left_out); w++)
			keep = keep && strncmp(environ[i], left_out[w],
					       strlen(left_out[w])) != 0;
		if (keep)
			env[kept++] = environ[i];
	}
	return env;
}

/* Start it; its output comes from *from. -1 with a line in err. */
static pid_t slurm_start(const char *const *command, FILE **from,
			 struct torus_error *err)
{
	char **env = plain_environment();
	posix_spawn_file_actions_t actions;
	int pipes[2], rc;
	pid_t pid;

	*from = NULL;
	if (!env || pipe2(pipes, O_CLOEXEC)) {
		free(env);
		return torus_error_add(err, "%s: %s", command[0],
				       strerror(errno));
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	rc = posix_spawnp(&pid, command[0], &actions, NULL,
			  (char *const *)(uintptr_t)command, env);
	free(env);
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[1]);
	*from = rc ? NULL : fdopen(pipes[0], "r");
	if (*from)
		return pid;
	close(pipes[0]);
	return torus_error_add(err,
			       "cannot run %s: %s; Slurm's commands are needed for this",
			       command[0], strerror(rc ? rc : errno));
}

int storus_slurm_lines(const char *const *command, struct torus_error *err,
		       int (*line_fn)(void *arg, char *line), void *arg)
{
	int rc = 0, status = STORUS_DONE;
	char *line = NULL;
	size_t room = 0;
	FILE *from = NULL;
	pid_t pid = slurm_start(command, &from, err);

	if (pid < 0)
		return STORUS_TROUBLE;
	while (status == STORUS_DONE && getline(&line, &room, from) > 0)
		status = line_fn(arg, line);
	free(line);
	fclose(from);
	while (waitpid(pid, &rc, 0) < 0 && errno == EINTR)
		;
	if (status == STORUS_DONE && (!WIFEXITED(rc) || WEXITSTATUS(rc))) {
		torus_error_add(err,
				"%s failed: is SLURM_CONF right and slurmctld running?",
				command[0]);
		status = STORUS_TROUBLE;
	}
	return status;
}
