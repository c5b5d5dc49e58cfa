/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that unpacks (ahead.h): a ring of chunks of text between it and the
 * reader.
 *
 *	  taken                                    made
 *	[ read ]  [ full ]  [ full ]  [ being filled ]
 *
 * Unpacking takes a twelfth of a replay's time where each job is decided in a
 * microsecond.
 */
#include "trace/input/ahead.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "torus/alloc.h"

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

/* Give the reader a chunk, or the end. */
static void chunk_give(struct torus_ahead *a, struct ahead_chunk *chunk,
		       ssize_t got, const struct torus_error *err)
{
	int failed = got < 0 ? errno : 0;

	pthread_mutex_lock(&a->lock);
	if (got > 0) {
		chunk->used = (size_t)got;
		a->made++;
	} else {
		a->ended = true;
		a->failed = failed;
		a->err = *err;
	}
	torus_unpack_progress(a->source, &a->read, &a->size);
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

static void *ahead_run(void *arg)
{
	struct torus_ahead *a = arg;
	struct torus_error err = { 0 };
	struct ahead_chunk *chunk;
	ssize_t got = 1;

	while (got > 0 && (chunk = chunk_to_fill(a))) {
		got = torus_unpack_read(a->source, chunk->text, CHUNK_SIZE,
					&err);
		chunk_give(a, chunk, got, &err);
	}
	return NULL;
}

struct torus_ahead *torus_ahead_begin(struct torus_unpack *u)
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

void torus_ahead_end(struct torus_ahead *a)
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

static void chunk_return(struct torus_ahead *a)
{
	a->at = 0;
	pthread_mutex_lock(&a->lock);
	a->taken++;
	if (a->made - a->taken == CHUNKS / 2)
		pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

ssize_t torus_ahead_read(struct torus_ahead *a, char *to, size_t room,
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
	if (a->at == chunk->used)
		chunk_return(a);
	return (ssize_t)n;
}

void torus_ahead_progress(struct torus_ahead *a, uint64_t *read, uint64_t *size)
{
	pthread_mutex_lock(&a->lock);
	*read = a->read;
	*size = a->size;
	pthread_mutex_unlock(&a->lock);
}
