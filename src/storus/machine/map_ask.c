/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks a source in a child process (map_ask.h). The child leads a process group, so
 * that Slurm's commands that it runs end with it. Its first byte says what follows: a
 * snapshot or the reason why there is none.
 */
#include "storus/machine/map_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER 'A'
#define REASON 'R'

static int ask_put(int to, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t n = write(to, data, length);

		if (n < 0 && errno != EINTR)
			return -1;
		data += n > 0 ? n : 0;
		length -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* In the child. */
static int ask_answer(struct storus_source *source, int to)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH };
	struct torus_error err = { 0 };
	struct torus_text text = { 0 };
	struct snapshot *s;
	bool done;

	setpgid(0, 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		signal(numbers[i], SIG_DFL);
	done = storus_source_open(source, &s, &err) == STORUS_DONE &&
	       snapshot_write(s, &text) == 0;
	if (done)
		return ask_put(to, &(const char){ ANSWER }, 1) ||
		       ask_put(to, text.data, text.length);
	return ask_put(to, &(const char){ REASON }, 1) ||
	       ask_put(to, err.text, strlen(err.text));
}

int map_ask_begin(struct map_ask *a, struct storus_source *source)
{
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	a->child = fork();
	if (a->child == 0)
		_exit(ask_answer(source, pipes[1]));
	close(pipes[1]);
	if (a->child < 0) {
		close(pipes[0]);
		a->child = 0;
		return -1;
	}
	setpgid(a->child, a->child); /* whoever comes first */
	a->from = pipes[0];
	a->answer.length = 0;
	return 0;
}

void map_ask_end(struct map_ask *a)
{
	if (a->child > 0) {
		kill(-a->child, SIGKILL);
		while (waitpid(a->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (a->from >= 0)
		close(a->from);
	torus_text_free(&a->answer);
	*a = (struct map_ask){ .from = -1 };
}

static struct snapshot *ask_read(const struct torus_text *answer,
				 struct torus_error *err)
{
	if (answer->length && answer->data[0] == ANSWER)
		return snapshot_read("the answer", answer->data + 1,
				     answer->length - 1, err);
	torus_error_add(err, "%s",
			answer->length > 1 ? answer->data + 1 : "no answer");
	return NULL;
}

bool map_ask_take(struct map_ask *a, struct snapshot **snapshot,
		  struct torus_error *err)
{
	char part[4096];
	ssize_t n = read(a->from, part, sizeof(part));

	if (n < 0 && errno == EINTR)
		return false;
	if (n > 0 && torus_text_add(&a->answer, "%.*s", (int)n, part) == 0)
		return false;
	*snapshot = NULL;
	if (n == 0)
		*snapshot = ask_read(&a->answer, err);
	else
		torus_error_add(err, "%s", strerror(errno));
	map_ask_end(a);
	return true;
}
