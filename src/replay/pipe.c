/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipe (pipe.h). What does not change of a job is written once, when it is
 * submitted. A pass costs a line of the queue's length each way, and the switch to the
 * command and back. An answer has ten seconds, in which the command must also have read
 * the question.
 */
#include "replay/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/json.h"
#include "torus/alloc.h"
#include "torus/number.h"

#define PIPE_SILENCE_NS INT64_C(10000000000)
#define PIPE_GRACE_NS INT64_C(1000000000)
#define PIPE_LINE_MOST (UINT32_C(1) << 26) /* bytes of an answer */
#define PIPE_READ 65536                    /* bytes at once */
#define PIPE_SHOWN 100                     /* bytes of a line in messages */

struct torus_pipe {
	struct torus_policy_host host;
	const char *command;
	const struct torus_state *state;
	struct torus_error *err;
	pid_t pid;
	int to, from;
	struct sigaction sigpipe; /* the caller's */
	bool failed;
	uint64_t answers;
	struct torus_text question;
	char *line; /* the answer, with what follows it */
	uint32_t length, line_room;
	struct torus_job **named;
	uint32_t named_room;
	struct torus_job **table; /* the queued jobs by their ids */
	uint32_t table_room;
	uint32_t table_size; /* a power of two */
};

/* Report what is wrong with the latest line. Return false. */
__attribute__((format(printf, 2, 3))) static bool
pipe_refuse(struct torus_pipe *p, const char *format, ...)
{
	char reason[512];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	torus_error_add(p->err, "%s%s: line %llu: %s", TORUS_PIPE_PREFIX,
			p->command, (unsigned long long)p->answers + 1, reason);
	p->failed = true;
	return false;
}

/* Quote the begin of the answer for a message. */
static const char *pipe_quote(const struct torus_pipe *p, char *buffer)
{
	uint32_t n = p->length < PIPE_SHOWN ? p->length : PIPE_SHOWN;

	memcpy(buffer, p->line ? p->line : "", n);
	buffer[n] = '\0';
	buffer[strcspn(buffer, "\n")] = '\0';
	return buffer;
}

static bool pipe_no_memory(struct torus_pipe *p)
{
	return pipe_refuse(p, "%s", strerror(ENOMEM));
}

/* Return true if the command has ended. Its process group exists until pipe_reap(). */
static bool pipe_exited(const struct torus_pipe *p)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid;
}

/* End what is left of the command, and what it runs in the background. Return its status. */
static int pipe_reap(struct torus_pipe *p)
{
	int status = 0;

	kill(-p->pid, SIGKILL);
	waitpid(p->pid, &status, 0);
	p->pid = 0;
	return status;
}

/* The command has closed its `end`, input or output: say how it ended. */
static bool pipe_ended(struct torus_pipe *p, const char *end)
{
	int64_t until_ns = torus_clock_ns() + PIPE_GRACE_NS;
	char shown[PIPE_SHOWN + 1], how[64];
	int status;

	snprintf(how, sizeof(how), "it closed its %s", end);
	while (p->pid > 0 && torus_clock_ns() < until_ns) {
		if (!pipe_exited(p)) {
			poll(NULL, 0, 1);
			continue;
		}
		status = pipe_reap(p);
		if (WIFSIGNALED(status))
			snprintf(how, sizeof(how),
				 "the command was ended by signal %d",
				 WTERMSIG(status));
		else
			snprintf(how, sizeof(how),
				 "the command ended with status %d",
				 WEXITSTATUS(status));
	}
	if (p->length)
		return pipe_refuse(p,
				   "got half a line, \"%s\": %s, expected an answer that ends with a newline",
				   pipe_quote(p, shown), how);
	return pipe_refuse(p, "%s, expected an answer to each line", how);
}

/* Wait until the descriptor is ready. */
static bool pipe_wait(struct torus_pipe *p, int fd, short events,
		      int64_t until_ns)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };
	char shown[PIPE_SHOWN + 1];

	for (;;) {
		int64_t left_ns = until_ns - torus_clock_ns();
		int n = left_ns > 0 ?
				poll(&poll_fd, 1, (int)(left_ns / 1000000) + 1) :
				0;

		if (n > 0)
			return true;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pipe_refuse(p, "%s", strerror(errno));
		if (events == POLLOUT)
			return pipe_refuse(p,
					   "the command does not read its input: silent for %d s",
					   (int)(PIPE_SILENCE_NS / 1000000000));
		if (p->length)
			return pipe_refuse(p,
					   "got half a line, \"%s\", then silence for %d s",
					   pipe_quote(p, shown),
					   (int)(PIPE_SILENCE_NS / 1000000000));
		return pipe_refuse(p, "no answer for %d s",
				   (int)(PIPE_SILENCE_NS / 1000000000));
	}
}

static bool pipe_send(struct torus_pipe *p, int64_t until_ns)
{
	size_t sent = 0;

	while (sent < p->question.length) {
		ssize_t n = write(p->to, p->question.data + sent,
				  p->question.length - sent);

		if (n > 0)
			sent += (size_t)n;
		else if (n < 0 && errno == EPIPE)
			return pipe_ended(p, "input");
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			return pipe_refuse(p, "%s", strerror(errno));
		else if (!pipe_wait(p, p->to, POLLOUT, until_ns))
			return false;
	}
	return true;
}

/* Read the answer; p->length is its length without the newline, which becomes a NUL. */
static bool pipe_receive(struct torus_pipe *p, int64_t until_ns)
{
	char shown[PIPE_SHOWN + 1], *end = NULL;

	p->length = 0;
	while (!end) {
		ssize_t n;

		if (p->length > PIPE_LINE_MOST)
			return pipe_refuse(p, "got a line above %u bytes",
					   PIPE_LINE_MOST);
		if (TORUS_GROW(p->line, p->line_room, p->length + PIPE_READ + 1))
			return pipe_no_memory(p);
		if (!pipe_wait(p, p->from, POLLIN, until_ns))
			return false;
		n = read(p->from, p->line + p->length, PIPE_READ);
		if (n == 0)
			return pipe_ended(p, "output");
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n < 0)
			return pipe_refuse(p, "%s", strerror(errno));
		end = memchr(p->line + p->length, '\n', (size_t)n);
		p->length += (uint32_t)n;
	}
	if (end + 1 != p->line + p->length)
		return pipe_refuse(p,
				   "got \"%s\" and more after it, expected one line for each line",
				   pipe_quote(p, shown));
	p->length = (uint32_t)(end - p->line);
	*end = '\0';
	if (strlen(p->line) != p->length)
		return pipe_refuse(p, "got a NUL byte, expected JSON");
	return true;
}

/* Questions */

static int put_seconds(struct torus_text *text, const char *lead, int64_t us)
{
	char number[TORUS_SECONDS_SIZE];

	torus_seconds_format(us, number);
	return torus_text_append(text, lead, strlen(lead)) ||
	       torus_text_append(text, number, strlen(number));
}

static int put_string(struct torus_text *text, const char *lead,
		      const char *value)
{
	struct json_writer w = { .text = text };

	if (torus_text_append(text, lead, strlen(lead)))
		return -1;
	if (!*value)
		return torus_text_append(text, "null", 4);
	json_put_string(&w, NULL, value);
	return w.failed ? -1 : 0;
}

int torus_pipe_describe(struct torus_replay_job *job,
			const struct torus_trace_record *record)
{
	char geometry[TORUS_GEOMETRY_SIZE] = "";
	struct torus_text *text = &job->text;

	torus_request_word[TORUS_WORD_GEOMETRY].write(&job->job.request,
						      geometry,
						      sizeof(geometry));
	text->length = 0;
	return put_string(text, "{\"id\":", job->id) ||
	       put_seconds(text, ",\"submit_s\":", job->job.submit_us) ||
	       torus_text_add(text, ",\"nodes\":%u", job->requested) ||
	       put_string(text, ",\"geometry\":", geometry) ||
	       put_seconds(text, ",\"limit_s\":", job->job.limit_us) ||
	       put_string(text, ",\"user\":", record->user) ||
	       put_string(text, ",\"partition\":", record->partition) ||
	       torus_text_add(text, ",\"priority\":%.15g}", job->job.priority);
}

static int question_running(struct torus_pipe *p)
{
	struct torus_text *q = &p->question;
	const char *comma = "";

	for (uint32_t k = 0; k < torus_state_holds(p->state); k++) {
		const struct torus_hold *h =
			torus_state_hold(p->state,
					 torus_state_by_end(p->state, k));
		const struct torus_job *job = h->owner;
		const struct torus_replay_job *mine = job ? job->host : NULL;

		if (!mine)
			continue;
		if (torus_text_append(q, comma, strlen(comma)) ||
		    put_string(q, "{\"id\":", mine->id) ||
		    torus_text_add(q, ",\"nodes\":%u", h->place.granted) ||
		    put_seconds(q, ",\"end_s\":", h->end_us) ||
		    torus_text_append(q, "}", 1))
			return -1;
		comma = ",";
	}
	return 0;
}

/* Answers */

static uint32_t id_hash(const char *id)
{
	uint32_t h = 2166136261u;

	while (*id)
		h = (h ^ (unsigned char)*id++) * 16777619u;
	return h ^ h >> 15;
}

static bool table_build(struct torus_pipe *p, struct torus_job *const *queue,
			uint32_t jobs)
{
	for (p->table_size = 16; p->table_size < 2 * jobs;)
		p->table_size *= 2;
	if (TORUS_GROW(p->table, p->table_room, p->table_size) ||
	    TORUS_GROW(p->named, p->named_room, jobs))
		return pipe_no_memory(p);
	memset(p->table, 0, p->table_size * sizeof(struct torus_job *));
	for (uint32_t i = 0; i < jobs; i++) {
		const struct torus_replay_job *job = queue[i]->host;
		uint32_t at = id_hash(job->id);

		while (p->table[at & (p->table_size - 1)])
			at++;
		p->table[at & (p->table_size - 1)] = queue[i];
	}
	return true;
}

/* Return the first job of that id that is not named yet; *twice: one is. */
static struct torus_job *table_find(const struct torus_pipe *p, const char *id,
				    bool *twice)
{
	struct torus_job *job;

	*twice = false;
	for (uint32_t at = id_hash(id);
	     (job = p->table[at & (p->table_size - 1)]) != NULL; at++) {
		const struct torus_replay_job *mine = job->host;

		if (strcmp(mine->id, id) != 0)
			continue;
		if (!job->policy_rank)
			return job;
		*twice = true;
	}
	return NULL;
}

/* Take the ids of an answer. A job is marked by its rank, which the discipline sets. */
static bool answer_names(struct torus_pipe *p, const struct json *json,
			 const struct json_value *ids,
			 struct torus_policy_answer *answer)
{
	for (const struct json_value *v = json_first(json, ids); v;
	     v = json_next(json, ids, v)) {
		bool text = v->type == JSON_STRING || v->type == JSON_NUMBER;
		bool twice = false;
		struct torus_job *job = text ? table_find(p, v->text, &twice) :
					       NULL;

		if (!text)
			return pipe_refuse(p, "%s: got an element that is no id",
					   ids->key);
		if (!job)
			return pipe_refuse(
				p,
				twice ? "%s: the id \"%.60s\" is named twice" :
					"%s: got the unknown id \"%.60s\", expected ids of the queue",
				ids->key, v->text);
		job->policy_rank = 1;
		answer->named[answer->count++] = job;
	}
	return true;
}

static bool answer_wake(struct torus_pipe *p, const struct json_value *wake,
			int64_t now_us, struct torus_policy_answer *answer)
{
	char now[TORUS_SECONDS_SIZE];
	struct torus_number n;
	const char *end;

	if (!wake)
		return true;
	end = wake->type == JSON_NUMBER ? torus_number_scan(wake->text, &n) :
					  NULL;
	torus_seconds_format(now_us, now);
	if (!end || *end || !torus_number_us(&n, &answer->wake_us) ||
	    answer->wake_us <= now_us)
		return pipe_refuse(p,
				   "wake_s: got \"%.40s\", expected a time in seconds after now_s, which is %s",
				   wake->text, now);
	return true;
}

static bool answer_read(struct torus_pipe *p, struct torus_job *const *queue,
			uint32_t jobs, int64_t now_us,
			struct torus_policy_answer *answer)
{
	static const char *const keys[] = { "order", "start", "wake_s", NULL };
	const struct json_value *member[3] = { NULL };
	struct torus_error why = { 0 };
	struct json json = { .name = "answer", .err = &why };
	char shown[PIPE_SHOWN + 1];
	bool ok;

	pipe_quote(p, shown); /* reading overwrites it */
	if (!table_build(p, queue, jobs))
		return false;
	answer->named = p->named;
	if (json_read(&json, p->line, p->length) ||
	    json_members(&json, json.value, keys, true, member) ||
	    json_check(&json, member[0], JSON_ARRAY) ||
	    json_check(&json, member[1], JSON_ARRAY))
		ok = json.no_memory ?
			     pipe_no_memory(p) :
			     pipe_refuse(p, "got \"%s\": %s", shown, why.text);
	else if (!member[0] == !member[1])
		ok = pipe_refuse(p, "got \"%s\", expected either order or start",
				 shown);
	else
		ok = answer_names(p, &json, member[0] ? member[0] : member[1],
				  answer) &&
		     answer_wake(p, member[2], now_us, answer);
	answer->start = member[1] != NULL;
	json_free(&json);
	return ok;
}

static bool pipe_ask(void *arg, struct torus_job *const *queue, uint32_t jobs,
		     int64_t now_us, struct torus_policy_answer *answer)
{
	struct torus_pipe *p = arg;
	int64_t until_ns = torus_clock_ns() + PIPE_SILENCE_NS;
	struct torus_text *q;

	p->length = 0;
	if (p->failed)
		return false;
	q = &p->question;
	q->length = 0;
	if (put_seconds(q, "{\"now_s\":", now_us) ||
	    torus_text_add(q, ",\"free\":%u,\"queue\":[",
			   torus_state_free_nodes(p->state)))
		return pipe_no_memory(p);
	for (uint32_t i = 0; i < jobs; i++) {
		const struct torus_replay_job *job = queue[i]->host;

		if ((i && torus_text_append(q, ",", 1)) ||
		    torus_text_append(q, job->text.data, job->text.length))
			return pipe_no_memory(p);
	}
	if (torus_text_append(q, "],\"running\":[", 13) ||
	    question_running(p) || torus_text_append(q, "]}\n", 3))
		return pipe_no_memory(p);
	if (!pipe_send(p, until_ns) || !pipe_receive(p, until_ns) ||
	    !answer_read(p, queue, jobs, now_us, answer))
		return false;
	p->answers++;
	return true;
}

/* The process */

/* Start the command in a process group of its own. 0, or -1 with errno. */
static int pipe_spawn(struct torus_pipe *p, int input, int output)
{
	char shell[] = "sh", option[] = "-c";
	char *const argv[] = { shell, option, (char *)(uintptr_t)p->command,
			       NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t set;
	int rc;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	posix_spawnattr_setsigdefault(&how, &set);
	posix_spawnattr_setpgroup(&how, 0);
	posix_spawnattr_setflags(&how,
				 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	rc = posix_spawn(&p->pid, "/bin/sh", &files, &how, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	if (rc)
		p->pid = 0;
	errno = rc;
	return rc ? -1 : 0;
}

/* Write the first line. */
static int pipe_introduce(struct torus_pipe *p, uint64_t seed)
{
	const struct torus_machine *m = torus_state_machine(p->state);
	struct torus_text *q = &p->question;
	char machine[TORUS_STRING_SIZE];

	if (torus_text_add(q, "{\"schema\":1,\"machine\":\""))
		return -1;
	for (uint32_t i = 0; i < m->pods; i++) {
		torus_format(&m->pod[i].torus, machine, sizeof(machine));
		if (torus_text_add(q, "%s%s", i ? "," : "", machine))
			return -1;
	}
	if (torus_text_add(q, "\",\"nodes\":%u,\"seed\":%llu}\n", m->nodes,
			   (unsigned long long)seed))
		return -1;
	pipe_send(p, torus_clock_ns() + PIPE_SILENCE_NS);
	return 0;
}

struct torus_pipe *torus_pipe_open(const char *command,
				   const struct torus_state *state,
				   uint64_t seed, struct torus_error *err)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct torus_pipe *p = torus_alloc(1, sizeof(*p));
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, saved;

	if (!p)
		return NULL;
	*p = (struct torus_pipe){ .host = { .arg = p, .ask = pipe_ask },
				  .command = command,
				  .state = state,
				  .err = err,
				  .to = -1,
				  .from = -1 };
	sigaction(SIGPIPE, &ignore, &p->sigpipe);
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ||
	    pipe_spawn(p, in[0], out[1]))
		goto error;
	close(in[0]);
	close(out[1]);
	p->to = in[1];
	p->from = out[0];
	if (fcntl(p->to, F_SETFL, O_NONBLOCK) == 0 &&
	    fcntl(p->from, F_SETFL, O_NONBLOCK) == 0 &&
	    pipe_introduce(p, seed) == 0)
		return p;
	torus_pipe_close(p);
	return NULL;
error:
	saved = errno;
	for (int i = 0; i < 2; i++) {
		if (in[i] >= 0)
			close(in[i]);
		if (out[i] >= 0)
			close(out[i]);
	}
	torus_pipe_close(p);
	errno = saved;
	return NULL;
}

void torus_pipe_close(struct torus_pipe *p)
{
	int64_t until_ns = torus_clock_ns() + PIPE_GRACE_NS;

	if (!p)
		return;
	if (p->to >= 0)
		close(p->to);
	if (p->from >= 0)
		close(p->from);
	while (p->pid > 0 && !p->failed && torus_clock_ns() < until_ns &&
	       !pipe_exited(p))
		poll(NULL, 0, 1);
	if (p->pid > 0)
		pipe_reap(p);
	sigaction(SIGPIPE, &p->sigpipe, NULL);
	torus_text_free(&p->question);
	torus_free(p->line);
	torus_free(p->named);
	torus_free(p->table);
	torus_free(p);
}

const struct torus_policy_host *torus_pipe_host(struct torus_pipe *p)
{
	return &p->host;
}

bool torus_pipe_failed(const struct torus_pipe *p)
{
	return p->failed;
}
