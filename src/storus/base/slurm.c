/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs Slurm's commands (slurm.h). */
#include "storus/base/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storus/storus.h"
#include "torus/text.h"

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

/* Start the command. *from reads its output; its errors go to `complaints` (-1:
 * stderr). -1 with a line in err. */
static pid_t slurm_start(const char *const *command, FILE **from,
			 int complaints, struct torus_error *err)
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
	if (complaints >= 0)
		posix_spawn_file_actions_adddup2(&actions, complaints,
						 STDERR_FILENO);
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
			       "cannot run %s: %s; this needs Slurm's commands",
			       command[0], strerror(rc ? rc : errno));
}

/* Report a command that failed: one line with all its error messages. */
static void slurm_failed(const char *name, int complaints,
			 struct torus_error *err)
{
	char text[1024] = "", *next = text, *line;
	struct torus_text all = { 0 };
	size_t length = strlen(name);
	ssize_t n = complaints < 0 ?
			    -1 :
			    pread(complaints, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	while ((line = strsep(&next, "\n"))) {
		if (strncmp(line, name, length) == 0 && line[length] == ':')
			line += length + 1 + (line[length + 1] == ' ');
		if (strncmp(line, "error: ", 7) == 0)
			line += 7;
		if (*line &&
		    torus_text_add(&all, "%s%s", all.length ? "; " : "", line))
			break;
	}
	torus_error_add(err, "%s failed: %s", name,
			all.length ?
				all.data :
				"is SLURM_CONF right and slurmctld running?");
	torus_text_free(&all);
}

int storus_slurm_lines(const char *const *command, struct torus_error *err,
		       int (*line_fn)(void *arg, char *line), void *arg)
{
	int rc = 0, status = STORUS_DONE;
	char *line = NULL;
	size_t room = 0;
	FILE *from = NULL;
	int complaints = memfd_create("complaints", MFD_CLOEXEC);
	pid_t pid = slurm_start(command, &from, complaints, err);

	if (pid < 0) {
		if (complaints >= 0)
			close(complaints);
		return STORUS_TROUBLE;
	}
	while (status == STORUS_DONE && getline(&line, &room, from) > 0)
		status = line_fn(arg, line);
	free(line);
	fclose(from);
	while (waitpid(pid, &rc, 0) < 0 && errno == EINTR)
		;
	if (status == STORUS_DONE && (!WIFEXITED(rc) || WEXITSTATUS(rc))) {
		slurm_failed(command[0], complaints, err);
		status = STORUS_TROUBLE;
	} else {
		char text[4096];
		off_t at = 0;
		ssize_t n;

		/* Pass on the error messages of a command that succeeded. */
		while (complaints >= 0 &&
		       (n = pread(complaints, text, sizeof(text), at)) > 0) {
			fwrite(text, 1, (size_t)n, stderr);
			at += n;
		}
	}
	if (complaints >= 0)
		close(complaints);
	return status;
}

struct setting {
	const char *name;
	char *value;
	size_t size;
};

/* NAME    = VALUE */
static int setting_take(void *arg, char *line)
{
	struct setting *s = arg;
	size_t length = strlen(s->name);
	char *at = line + length;

	if (strncmp(line, s->name, length) != 0)
		return STORUS_DONE;
	at += strspn(at, " \t");
	if (*at != '=')
		return STORUS_DONE;
	at++;
	at += strspn(at, " \t");
	snprintf(s->value, s->size, "%.*s", (int)strcspn(at, " \t\n"), at);
	return STORUS_DONE;
}

int storus_slurm_setting(const char *name, char *value, size_t size,
			 struct torus_error *err)
{
	static const char *const command[] = { "scontrol", "show", "config",
					       NULL };
	struct setting s = { name, value, size };

	value[0] = '\0';
	return storus_slurm_lines(command, err, setting_take, &s);
}
