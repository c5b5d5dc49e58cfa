/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines out of a file, a gzip file or the standard input.
 *
 *	unpack.c --(input.c, in a thread)--> text --memchr()--> lines
 *
 * No allocation per line, and lines returned without copying.
 */
#include "trace/input/input.h"
#include "config/file.h"
#include "torus/alloc.h"
#include "trace/input/unpack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

/*
 * A thread that unpacks: a ring of chunks of text between it and the
 * reader.
 *
 *	  taken                                    made
 *	[ read ]  [ full ]  [ full ]  [ being filled ]
 *
 * Unpacking takes a twelfth of a replay's time where each job is decided in a
 * microsecond.
 */

struct torus_ahead;

#define CHUNK_SIZE (64 * 1024)
#define CHUNKS 8

struct ahead_chunk {
	size_t used;
	char text[CHUNK_SIZE];
};

struct torus_ahead {
	pthread_t thread;
	pthread_mutex_t lock; /* for all members but `source` and `at` */
	pthread_cond_t changed;
	struct torus_unpack *source; /* the thread's */
	size_t at;                   /* the reader's, in the oldest chunk */
	uint32_t made, taken;        /* chunks */
	bool ended;                  /* nothing comes after the chunks made */
	bool stop;                   /* the reader wants no more */
	int failed;                  /* errno of the end; 0: the text's end */
	struct torus_error err;
	uint64_t read, size; /* of the file */
	struct ahead_chunk chunk[CHUNKS];
};

/* Wait for a free chunk. Once all are full, wait until half of them are free: waking
 * a thread costs more than unpacking one chunk. Return NULL if the reader wants no
 * more. */
static struct ahead_chunk *chunk_to_fill(struct torus_ahead *a)
{
	struct ahead_chunk *chunk;

	pthread_mutex_lock(&a->lock);
	if (a->made - a->taken == CHUNKS)
		while (a->made - a->taken > CHUNKS / 2 && !a->stop)
			pthread_cond_wait(&a->changed, &a->lock);
	chunk = a->stop ? NULL : &a->chunk[a->made % CHUNKS];
	pthread_mutex_unlock(&a->lock);
	return chunk;
}

static void *ahead_run(void *arg)
{
	struct torus_ahead *a = arg;
	struct torus_error err = { 0 };
	struct ahead_chunk *chunk;
	ssize_t got = 1;

	while (got > 0 && (chunk = chunk_to_fill(a))) {
		int failed;

		got = torus_unpack_read(a->source, chunk->text, CHUNK_SIZE,
					&err);
		/* Give the reader a chunk, or the end. */
		failed = got < 0 ? errno : 0;
		pthread_mutex_lock(&a->lock);
		if (got > 0) {
			chunk->used = (size_t)got;
			a->made++;
		} else {
			a->ended = true;
			a->failed = failed;
			a->err = err;
		}
		torus_unpack_progress(a->source, &a->read, &a->size);
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

/* Begin to unpack; u belongs to the thread until the end. NULL with errno. */
static struct torus_ahead *torus_ahead_begin(struct torus_unpack *u)
{
	struct torus_ahead *a = torus_alloc(1, sizeof(*a));
	sigset_t all, before;
	int failed;

	if (!a)
		return NULL;
	a->source = u;
	torus_unpack_progress(u, &a->read, &a->size);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are others' */
	failed = pthread_create(&a->thread, NULL, ahead_run, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		torus_free(a);
		errno = failed;
		return NULL;
	}
	return a;
}

/* End the thread, wherever it is. */
static void torus_ahead_end(struct torus_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	torus_free(a);
}

/* Wait for a chunk to read. Return NULL at the end. */
static struct ahead_chunk *chunk_to_read(struct torus_ahead *a)
{
	struct ahead_chunk *chunk;

	pthread_mutex_lock(&a->lock);
	while (a->made == a->taken && !a->ended)
		pthread_cond_wait(&a->changed, &a->lock);
	chunk = a->made == a->taken ? NULL : &a->chunk[a->taken % CHUNKS];
	pthread_mutex_unlock(&a->lock);
	return chunk;
}

/* As torus_unpack_read(). */
static ssize_t torus_ahead_read(struct torus_ahead *a, char *to, size_t room,
				struct torus_error *err)
{
	struct ahead_chunk *chunk = chunk_to_read(a);
	size_t n;

	if (!chunk) { /* the thread writes nothing any more */
		if (!a->failed)
			return 0;
		torus_error_add(err, "%s", a->err.text);
		errno = a->failed;
		return -1;
	}
	n = chunk->used - a->at < room ? chunk->used - a->at : room;
	memcpy(to, chunk->text + a->at, n);
	a->at += n;
	if (a->at == chunk->used) {
		a->at = 0;
		pthread_mutex_lock(&a->lock);
		a->taken++;
		if (a->made - a->taken == CHUNKS / 2)
			pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	return (ssize_t)n;
}

#define TEXT_CHUNK (128 * 1024) /* read at a time */
#define TEXT_SIZE (TORUS_TRACE_LINE_MAX + TEXT_CHUNK + 1)

struct torus_input {
	struct torus_unpack *source;
	struct torus_ahead *ahead; /* NULL: none, or ended */
	bool text_end;             /* text is complete */
	bool discard;              /* drop text up to the next newline */
	bool begun;                /* the first line was checked */
	size_t at, used;           /* in text: the next line; its end */
	char text[TEXT_SIZE];
};

/* Append more text after the unread part. Return 0, or -1 with errno. */
static int text_fill(struct torus_input *in, struct torus_error *err)
{
	ssize_t made;

	memmove(in->text, in->text + in->at, in->used - in->at);
	in->used -= in->at;
	in->at = 0;
	made = in->ahead ? torus_ahead_read(in->ahead, in->text + in->used,
					    TEXT_SIZE - 1 - in->used, err) :
			   torus_unpack_read(in->source, in->text + in->used,
					     TEXT_SIZE - 1 - in->used, err);
	if (made < 0)
		return -1;
	in->text_end = made == 0;
	in->used += (size_t)made;
	in->text[in->used] = '\0';
	return 0;
}

/* Skip the rest of a line that was too long. Return 0, or -1 with errno. */
__attribute__((cold)) static int discard_line(struct torus_input *in,
					      struct torus_error *err)
{
	char *newline;

	for (;;) {
		newline = memchr(in->text + in->at, '\n', in->used - in->at);
		in->at = newline ? (size_t)(newline + 1 - in->text) : in->used;
		if (newline || in->text_end)
			break;
		if (text_fill(in, err))
			return -1;
	}
	in->discard = false;
	return 0;
}

const char *torus_input_peek(struct torus_input *in, struct torus_error *err)
{
	const char *first;

	in->begun = true;
	do {
		if (!in->text_end && text_fill(in, err))
			return NULL;
		if (!in->at)
			in->at = torus_file_mark(in->text, in->used);
		if (in->at == SIZE_MAX) {
			in->at = 0;
			torus_error_add(err, "%s: %s", torus_input_name(in),
					TORUS_FILE_FOREIGN);
			return NULL;
		}
		first = in->text + in->at;
		first += strspn(first, " \t\r\n");
	} while (!in->text_end && !strchr(first, '\n') &&
		 in->used - in->at < TORUS_TRACE_LINE_MAX);
	return first;
}

bool torus_input_is_tar(const struct torus_input *in)
{
	return in->used - in->at >= 262 &&
	       !memcmp(in->text + in->at + 257, "ustar", 5);
}

int torus_input_line(struct torus_input *in, char **line, size_t *length,
		     bool *whole, struct torus_error *err)
{
	char *newline;
	size_t n;

	if (!in->begun && !torus_input_peek(in, err))
		return -1;
	if (in->discard && discard_line(in, err))
		return -1;
	for (;;) {
		n = in->used - in->at;
		newline = memchr(in->text + in->at, '\n', n);
		if (newline || in->text_end || n >= TORUS_TRACE_LINE_MAX)
			break;
		if (text_fill(in, err))
			return -1;
	}
	if (!n)
		return 0;
	if (newline)
		n = (size_t)(newline - (in->text + in->at));
	/* the mark of the next of several files (cat) */
	if (n >= 3 && in->text[in->at] == '\xef' &&
	    torus_file_mark(in->text + in->at, n) == 3) {
		in->at += 3;
		n -= 3;
	}
	*whole = n < TORUS_TRACE_LINE_MAX;
	if (!*whole)
		n = TORUS_TRACE_LINE_MAX - 1;
	in->discard = !*whole;
	*line = in->text + in->at;
	in->at += n + (*whole && newline);
	if (*whole && n && (*line)[n - 1] == '\r')
		n--;
	(*line)[n] = '\0';
	*length = n;
	return 1;
}

void torus_input_progress(const struct torus_input *in, uint64_t *read,
			  uint64_t *size)
{
	if (in->ahead) {
		/* As torus_unpack_progress(). */
		pthread_mutex_lock(&in->ahead->lock);
		*read = in->ahead->read;
		*size = in->ahead->size;
		pthread_mutex_unlock(&in->ahead->lock);
	} else
		torus_unpack_progress(in->source, read, size);
}

const char *torus_input_name(const struct torus_input *in)
{
	return torus_unpack_name(in->source);
}

int torus_input_digest(struct torus_input *in, char hex[TORUS_TRACE_DIGEST_SIZE])
{
	if (in->ahead)
		torus_ahead_end(in->ahead);
	in->ahead = NULL;
	return torus_unpack_digest(in->source, hex);
}

struct torus_input *torus_input_open(const char *path, bool digest,
				     struct torus_error *err)
{
	struct torus_input *in = torus_alloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->source = torus_unpack_open(path, digest, err);
	if (!in->source) {
		torus_input_close(in);
		return NULL;
	}
	if (torus_unpack_worth_ahead(in->source))
		in->ahead = torus_ahead_begin(in->source);
	return in;
}

void torus_input_close(struct torus_input *in)
{
	int saved = errno;

	if (!in)
		return;
	if (in->ahead)
		torus_ahead_end(in->ahead);
	torus_unpack_close(in->source);
	torus_free(in);
	errno = saved;
}
