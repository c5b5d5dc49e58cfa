/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace files in memory: a file that several cells replay is parsed once,
 * before the workers are forked, and the workers share the pages. O(jobs)
 * memory, bounded by INPUTS_BYTES for all files that are replayed unchanged.
 * Each cell itself parses files that exceed the bound or cannot be read, and
 * reports the error.
 */
#include "campaign/read.h"
#include "torus/alloc.h"

#include <errno.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define INPUTS_BYTES (UINT64_C(512) << 20)
#define FILE_YOUNG_S 2

/* Copy the remaining jobs of `trace`. Return false if they exceed `bytes`, if
 * lines are not plain jobs or cannot be read, or without memory. */
static bool campaign_input_read(struct campaign_input *input,
				struct torus_trace *trace, uint64_t bytes)
{
	const uint64_t most = bytes / (2 * sizeof(*input->records.record));
	const struct torus_trace_record *record;
	enum torus_trace_answer answer;

	while ((answer = torus_trace_next(trace, &record, NULL)) ==
	       TORUS_TRACE_JOB) {
		if (record->kind || record->only.length ||
		    input->records.count >= most ||
		    !torus_records_add(&input->records, record))
			return false;
	}
	input->counts = *torus_trace_counts(trace);
	return answer == TORUS_TRACE_END;
}

static struct campaign_input *
campaign_input_load(const struct torus_campaign *c,
		    const struct torus_axis_value *v, uint64_t bytes)
{
	struct campaign_input *input = torus_alloc(1, sizeof(*input));
	struct torus_trace *trace = NULL;
	struct torus_error why = { 0 };
	bool good = false;

	if (!input)
		return NULL;
	if (v->like) {
		input->log = campaign_like_log(v, &c->set[0].input, NULL);
		good = input->log;
	} else {
		trace = torus_trace_open(v->path, &c->set[0].input, NULL);
		good = trace && campaign_input_read(input, trace, bytes);
	}
	torus_trace_close(trace);
	/* if it has changed, each cell says so */
	if (good && !campaign_files_unchanged(v->files, &why))
		return input;
	campaign_input_free(input);
	return NULL;
}

void campaign_input_free(struct campaign_input *input)
{
	if (!input)
		return;
	torus_log_destroy(input->log);
	torus_records_free(&input->records);
	torus_free(input);
}

void torus_campaign_load(struct torus_campaign *c, const uint32_t *cells,
			 uint32_t n)
{
	struct torus_axis_value *values = c->axis[TORUS_AXIS_TRACE].value;
	uint32_t traces = c->axis[TORUS_AXIS_TRACE].n;
	uint32_t *uses = torus_alloc(traces, sizeof(*uses));
	uint64_t bytes = INPUTS_BYTES;

	for (uint32_t i = 0; uses && c->readings == 1 && i < n; i++)
		uses[torus_campaign_cell(c, cells[i]).at[TORUS_AXIS_TRACE]]++;
	for (uint32_t i = 0; uses && i < traces; i++) {
		struct torus_axis_value *v = &values[i];

		if (uses[i] < 2 || v->input || v->model)
			continue;
		v->input = campaign_input_load(c, v, bytes);
		if (v->input)
			bytes -= v->input->records.room *
				 sizeof(*v->input->records.record);
	}
	torus_free(uses);
}

/* SHA-256 of texts and of a file, by Nettle. */

void campaign_texts_digest(const char *const *text, size_t n,
			   char hex[TORUS_CELL_KEY_SIZE])
{
	uint8_t sum[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	for (size_t i = 0; i < n; i++)
		sha256_update(&sha, strlen(text[i]) + 1,
			      (const uint8_t *)text[i]);
	sha256_digest(&sha, sizeof(sum), sum);
	base16_encode_update(hex, sizeof(sum), sum);
	hex[TORUS_CELL_KEY_SIZE - 1] = '\0';
}

/* Return a hash of what changes when a file is written: its device, inode, size, time of the
 * last change and of the last write. 0: it was changed less than FILE_YOUNG_S ago, and may be
 * changed again without a sign, or does not exist. */
static uint64_t file_stamp(const char *path)
{
	struct stat st;
	struct timespec now;
	uint64_t h = TORUS_HASH_START;

	if (stat(path, &st) || clock_gettime(CLOCK_REALTIME, &now) ||
	    st.st_ctim.tv_sec + FILE_YOUNG_S > now.tv_sec)
		return 0;
	const uint64_t part[] = { st.st_dev,
				  st.st_ino,
				  (uint64_t)st.st_size,
				  (uint64_t)st.st_ctim.tv_sec,
				  (uint64_t)st.st_ctim.tv_nsec,
				  (uint64_t)st.st_mtim.tv_sec,
				  (uint64_t)st.st_mtim.tv_nsec };

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
		h = (h ^ part[i]) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 33;
	}
	return h | 1;
}

static int file_digest(const char *path, char hex[TORUS_CELL_KEY_SIZE])
{
	uint8_t sum[SHA256_DIGEST_SIZE], block[16384];
	FILE *f = fopen(path, "re");
	struct sha256_ctx sha;
	size_t n;

	if (!f)
		return -1;
	sha256_init(&sha);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		sha256_update(&sha, n, block);
	if (ferror(f)) {
		int saved = errno;

		fclose(f);
		errno = saved;
		return -1;
	}
	fclose(f);
	sha256_digest(&sha, sizeof(sum), sum);
	base16_encode_update(hex, sizeof(sum), sum);
	hex[TORUS_CELL_KEY_SIZE - 1] = '\0';
	return 0;
}

const char *campaign_file_digest(struct arena *arena, const char *path,
				 const struct campaign_file **files)
{
	struct campaign_file *file = torus_arena_alloc(arena, sizeof(*file));
	char hex[TORUS_CELL_KEY_SIZE];

	if (!file)
		return NULL;
	file->stamp = file_stamp(path); /* before it is read */
	if (file_digest(path, hex))
		return NULL;
	file->path = torus_arena_text(arena, path, strlen(path));
	file->digest = torus_arena_text(arena, hex, strlen(hex));
	if (!file->path || !file->digest)
		return NULL;
	if (files) {
		file->next = *files;
		*files = file;
	}
	return file->digest;
}

int campaign_files_unchanged(const struct campaign_file *files,
			     struct torus_error *err)
{
	char hex[TORUS_CELL_KEY_SIZE];

	for (; files; files = files->next)
		if ((!files->stamp || file_stamp(files->path) != files->stamp) &&
		    (file_digest(files->path, hex) ||
		     strcmp(hex, files->digest) != 0))
			return torus_error_add(err,
					       "%s: the file has changed since the campaign was read",
					       files->path);
	return 0;
}
