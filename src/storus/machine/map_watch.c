/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus map --watch: the terminal's other screen shows the planes, or the jobs in the
 * order of their ids, users or time left. A source that is lost, or does not answer,
 * leaves the latest picture, and the last line says so and how old it is; keys work
 * meanwhile. A resize draws anew. Every end of the watch restores the terminal.
 */
#include "storus/machine/map_source.h"
#include "storus/base/clock.h"
#include "torus/alloc.h"
#include "storus/machine/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/*
 * Asks a source in a child process. The child leads a process group, so
 * that Slurm's commands that it runs end with it. Its first byte says what follows: a
 * snapshot or the reason why there is none.
 */

/* Zero it, and set from to -1. */
struct map_ask {
	pid_t child; /* 0: nobody is asked */
	int from;    /* descriptor of the answer; -1: no question is open */
	struct torus_text answer;
};

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

/* Ask. -1 with errno. */
static int map_ask_begin(struct map_ask *a, struct storus_source *source)
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

/* Give up, and end the child and its commands. */
static void map_ask_end(struct map_ask *a)
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

/*
 * Take what has come, once a->from is readable. Return true when the answer is
 * complete: *snapshot is the caller's, or NULL with the reason in err.
 */
static bool map_ask_take(struct map_ask *a, struct snapshot **snapshot,
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

#define NAME &storus_map
#define SLOW_MS 3000 /* after that the source does not answer */

enum watch_view {
	WATCH_PLANES,
	WATCH_JOBS,
	WATCH_USERS,
	WATCH_LEFT
};

struct watch {
	struct storus_source *source;
	struct snapshot *s; /* the latest that answered; NULL: none yet */
	struct map_ask ask; /* the next one */
	char trouble[160];  /* why the source does not answer; "": it does */
	int64_t asked_ms, answered_ms; /* the latest time; 0: never */
	enum watch_view view;
	uint32_t top;           /* first line shown, below fixed ones */
	uint32_t lines;         /* of the latest picture */
	uint32_t rows, columns; /* of the terminal */
};

static volatile sig_atomic_t watch_over;

static void watch_signal(int number)
{
	watch_over = number != SIGWINCH ? 1 : watch_over;
}

static int64_t watch_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int watch_by_user(const void *a, const void *b)
{
	const struct snapshot_job *const *x = a, *const *y = b;

	return strcmp((*x)->user, (*y)->user);
}

static int watch_by_end(const void *a, const void *b)
{
	const struct snapshot_job *const *x = a, *const *y = b;

	return ((*x)->end_us > (*y)->end_us) - ((*x)->end_us < (*y)->end_us);
}

static void watch_jobs(const struct watch *w, FILE *out)
{
	const struct snapshot_job **list = torus_alloc(w->s->jobs,
						       sizeof(*list));
	int id = 3, user = 4; /* widths: as wide as what is in them */
	char left[32];
	uint32_t n = 0;

	for (uint32_t j = 0; list && j < w->s->jobs; j++) {
		const struct snapshot_job *job = &w->s->job[j];

		if (!job->running)
			continue;
		list[n++] = job;
		if ((int)strlen(job->id) > id)
			id = (int)strlen(job->id);
		if ((int)strlen(job->user) > user)
			user = (int)strlen(job->user);
	}
	if (n > 1 && w->view != WATCH_JOBS)
		qsort(list, n, sizeof(*list),
		      w->view == WATCH_USERS ? watch_by_user : watch_by_end);
	fprintf(out, "%-*s %-*s %5s %10s %s\n", id, "JOB", user, "USER",
		"NODES", "LEFT", "REGION");
	for (uint32_t i = 0; i < n; i++) {
		snprintf(left, sizeof(left), "-");
		if (list[i]->end_us != SNAPSHOT_NO_TIME)
			storus_clock_left(w->s, list[i]->end_us, left,
					  sizeof(left));
		fprintf(out, "%-*s %-*s %5u %10s %s\n", id, list[i]->id, user,
			list[i]->user, list[i]->nodes, left, list[i]->place);
	}
	torus_free(list);
}

/* Print a line, cut to the terminal, without control characters. */
static void watch_put_line(const struct watch *w, const char *line,
			   size_t length)
{
	for (size_t i = 0; i < length && i < w->columns; i++)
		putchar(line[i] >= ' ' && line[i] <= '~' ? line[i] : '?');
	fputs("\033[K\r\n", stdout);
}

/* Return the help for the keys, as long as there is room next to `left`. */
static const char *watch_keys_text(const struct watch *w, size_t left)
{
	static const char *const keys[] = {
		"p planes j jobs u users t time left, arrows, q quit",
		"p planes j jobs u users t left q quit",
		"p j u t q",
	};
	size_t i = 0;

	while (i < 2 && left + 2 + strlen(keys[i]) > w->columns)
		i++;
	return keys[i];
}

/* How much of a line goes into one row; sentences end a row at a blank. */
static size_t watch_row(const struct watch *w, const char *line, size_t length)
{
	size_t n = length;

	if (length <= w->columns || w->view != WATCH_PLANES)
		return length;
	for (n = w->columns; n > 0 && line[n] != ' '; n--)
		;
	return n ? n : w->columns;
}

/* Put rows [top, top + rows - 1) of a text; the first row stays where it is a
 * heading. Returns how many rows there are. */
static uint32_t watch_put_text(const struct watch *w, const char *at)
{
	uint32_t fixed = w->view != WATCH_PLANES, row = 0, shown = 0;

	while (at && *at) {
		size_t length = strcspn(at, "\n"), n = watch_row(w, at, length);

		if ((row < fixed || row >= fixed + w->top) &&
		    shown + 1 < w->rows) {
			watch_put_line(w, at, n);
			shown++;
		}
		row++;
		at += n;
		if (n < length)
			at += strspn(at, " ");
		else
			at += *at == '\n';
	}
	for (; shown + 1 < w->rows; shown++)
		watch_put_line(w, "", 0);
	return row;
}

static void watch_draw(struct watch *w)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	uint32_t most;
	char line[512], silence[64], part[48] = "";
	const char *trouble;
	const char *source, *keys;
	long long old;
	int room, n;
	int64_t ms;

	if (!out)
		return;
	if (w->s && w->view == WATCH_PLANES) {
		const struct report_map_style style = { .columns = w->columns };
		const struct torus_machine *m = &w->s->config->machine;
		struct storus_map map = { .config = w->s->config };

		map.nodes = torus_alloc(m->words, sizeof(*map.nodes));
		if (map.nodes && report_map_init(&map.map, m) == 0 &&
		    storus_map_fill(&map, w->s) == 0 &&
		    storus_map_largest(&map) == 0) {
			map.map.largest = map.largest.data;
			report_map_text(&map.map, &style, out);
		}
		storus_map_free(&map);
	} else if (w->s)
		watch_jobs(w, out);
	fclose(out);
	fputs("\033[H", stdout);
	w->lines = watch_put_text(w, text);
	most = w->lines + 1 > w->rows ? w->lines + 1 - w->rows : 0;
	if (w->top > most) { /* not beyond the end */
		w->top = most;
		fputs("\033[H", stdout);
		watch_put_text(w, text);
	}
	/* What is shown and which part of it, or why it is old ("": it is not); the keys on
	 * the right. */
	ms = w->ask.child ? watch_now() - w->asked_ms : 0;
	if (ms < SLOW_MS) {
		trouble = w->trouble;
	} else {
		snprintf(silence, sizeof(silence), "no answer for %lld s",
			 (long long)(ms / 1000));
		trouble = silence;
	}
	source = w->s ? w->s->source : "no picture yet";
	old = (watch_now() - w->answered_ms) / 1000;
	if (w->lines + 1 > w->rows)
		snprintf(part, sizeof(part), "%u-%u of %u  ", w->top + 1,
			 w->top + w->rows - 1, w->lines);
	if (*trouble && w->s)
		n = snprintf(line, sizeof(line), "%s; this is %s, %lld s old",
			     trouble, source, old);
	else
		n = snprintf(line, sizeof(line), "%s",
			     *trouble ? trouble : source);
	keys = watch_keys_text(w, (n > 0 ? (size_t)n : 0) + strlen(part));
	room = (int)w->columns - (int)(strlen(part) + strlen(keys)) - 2;
	printf("\033[7m%-*.*s  %s%s\033[0m\033[K", room > 0 ? room : 0,
	       room > 0 ? room : 0, n > 0 ? line : "", part, keys);
	fflush(stdout);
	free(text);
}

/* What the keys do. An arrow is ESC [ A or B, a page ESC [ 5 ~ or ESC [ 6 ~. */
static void watch_keys(struct watch *w, const char *key, size_t n)
{
	static const char views[] = "pjut";
	const uint32_t page = w->rows - 2;

	for (size_t i = 0; i < n; i++) {
		const char *view = key[i] ? strchr(views, key[i]) : NULL;

		if (view) {
			w->view = (enum watch_view)(view - views);
			w->top = 0;
		}
		watch_over = watch_over || key[i] == 'q' || key[i] == 3;
		if (i < 2 || key[i - 2] != '\033')
			continue;
		if (key[i] == 'B' || key[i] == '6')
			w->top += key[i] == 'B' ? 1 : page;
		else if (key[i] == 'A' || key[i] == '5')
			w->top -= key[i] == 'A' ? w->top > 0 :
				  w->top > page ? page :
						  w->top;
	}
}

/* Wait for a key, the answer, or the time of the next question: a second at most, so
 * that an age is right. */
static void watch_wait(struct watch *w, int64_t next)
{
	struct pollfd in[] = { { .fd = STDIN_FILENO, .events = POLLIN },
			       { .fd = w->ask.from, .events = POLLIN } };
	int64_t ms = next - watch_now();

	if (w->ask.child || ms > 1000)
		ms = 1000;
	if (poll(in, 2, ms > 0 ? (int)ms : 0) <= 0)
		return;
	if (in[0].revents) {
		char key[64];
		ssize_t n = read(STDIN_FILENO, key, sizeof(key));

		if (n > 0)
			watch_keys(w, key, (size_t)n);
		else
			watch_over = 1;
	}
	while (in[1].revents && w->ask.child) {
		struct torus_error err = { 0 };
		struct snapshot *s;

		/* all that is there */
		if (map_ask_take(&w->ask, &s, &err)) {
			if (s) {
				snapshot_destroy(w->s);
				w->s = s;
				w->answered_ms = w->asked_ms;
				w->trouble[0] = '\0';
			} else {
				snprintf(w->trouble, sizeof(w->trouble), "%.*s",
					 (int)strcspn(err.text, "\n"), err.text);
			}
		}
		in[1].fd = w->ask.from;
		if (poll(&in[1], 1, 0) <= 0)
			break;
	}
}

int storus_map_watch(struct storus_source *source, uint32_t seconds)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH };
	struct watch w = { .source = source, .ask.from = -1 };
	const struct sigaction action = { .sa_handler = watch_signal };
	struct termios before, raw;
	int null;

	if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before))
		return storus_say(NAME, STORUS_USAGE,
				  "--watch needs a terminal; --output FILE draws once");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null >= 0) /* what squeue complains of is in the last line */
		dup2(null, STDERR_FILENO);
	fputs("\033[?1049h\033[?25l\033[2J", stdout);
	while (!watch_over) {
		int64_t next = w.asked_ms + (int64_t)seconds * 1000;
		struct winsize size;

		if (!w.ask.child && (!w.asked_ms || watch_now() >= next)) {
			w.asked_ms = watch_now();
			if (map_ask_begin(&w.ask, w.source))
				snprintf(w.trouble, sizeof(w.trouble), "%s",
					 strerror(errno));
		}
		w.rows = 24;
		w.columns = 80;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
		    size.ws_row > 2 && size.ws_col > 10) {
			w.rows = size.ws_row;
			w.columns = size.ws_col;
		}
		if (w.asked_ms)
			watch_draw(&w);
		watch_wait(&w, next);
	}
	map_ask_end(&w.ask);
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	if (null >= 0)
		close(null);
	snapshot_destroy(w.s);
	return STORUS_DONE;
}
