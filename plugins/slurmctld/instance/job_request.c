/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's request: the words that spank/torus put into its spank_job_env. They are
 * checked as strictly as at the command, since a client can send any text.
 *
 * Submission, each test of select_nodes() and each cycle read it. A table of parsed
 * requests, by the hash of their text, saves all but the first parse: jobs with
 * equal words share an entry, and a job whose words change has another text. A new
 * text replaces an older one in its slot.
 */
#include "slurmctld/instance/job_request.h"
#include "slurmctld/names.h"

#include <pthread.h>

#include "format/admin_comment.h"
#include "live/base/hash.h"
#include "live/base/saturate.h"

#define PARSED_REQUESTS 256 /* of some 2 kB each, allocated when needed */
#define REQUEST_TEXT (TORUS_GEOMETRY_SIZE + 128)

struct parsed_request {
	char text[REQUEST_TEXT];
	struct torus_request request;
};

static pthread_mutex_t parsed_lock = PTHREAD_MUTEX_INITIALIZER;
static struct parsed_request *parsed[PARSED_REQUESTS];

/* Value of NAME in an environment of NAME=value, or NULL. */
static const char *job_request_value(char **env, uint32_t count,
				     const char *name)
{
	size_t length = strlen(name);

	for (uint32_t i = 0; i < count; i++) {
		if (env[i] && strncmp(env[i], name, length) == 0 &&
		    env[i][length] == '=')
			return env[i] + length + 1;
	}
	return NULL;
}

/* Return the geometry as typed, or NULL. */
static const char *job_request_geometry(char **env, uint32_t count)
{
	return job_request_value(env, count,
				 torus_request_word[TORUS_WORD_GEOMETRY].entry);
}

bool job_request_is_in(char **env, uint32_t count)
{
	return job_request_geometry(env, count) != NULL;
}

bool job_request_is_shaped(const job_record_t *job)
{
	return job_request_is_in(job->spank_job_env, job->spank_job_env_size);
}

const char *job_request_word(const job_record_t *job, enum torus_word w)
{
	return job_request_value(job->spank_job_env, job->spank_job_env_size,
				 torus_request_word[w].entry);
}

bool job_request_is_ladder(const job_record_t *job)
{
	const char *geometry = job_request_geometry(job->spank_job_env,
						    job->spank_job_env_size);

	return geometry && strchr(geometry, ',');
}

void job_request_remove(char **env, uint32_t *count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *count; i++) {
		bool ours = false;

		for (enum torus_word w = 0; w < TORUS_WORDS; w++)
			ours |= job_request_value(&env[i], 1,
						  torus_request_word[w].entry) !=
				NULL;
		if (ours)
			xfree(env[i]);
		else
			env[kept++] = env[i];
	}
	*count = kept;
}

uint32_t job_request_write(const struct torus_request_words *words, char **entry)
{
	uint32_t n = 0;

	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		const char *value = torus_request_words_get(words, w);

		if (value)
			entry[n++] = xstrdup_printf("%s=%s",
						    torus_request_word[w].entry,
						    value);
	}
	return n;
}

static struct torus_request_words job_request_words(char **env, uint32_t count)
{
	struct torus_request_words words = { 0 };

	for (enum torus_word w = 0; w < TORUS_WORDS; w++)
		torus_request_words_set(&words, w,
					job_request_value(env, count,
							  torus_request_word[w]
								  .entry));
	return words;
}

void job_request_add_comment(char **env, uint32_t count, char **comment)
{
	struct torus_request_words words = job_request_words(env, count);
	struct torus_text text = { 0 };

	if (torus_request_words_write(&words, &text))
		error("torus: out of memory: AdminComment has the geometry alone");
	xstrfmtcat(*comment, "%s" ADMIN_COMMENT_ASK "%s%s", *comment ? " " : "",
		   words.geometry, text.data ? text.data : "");
	torus_text_free(&text);
}

/* The words as one text, or false: they are too long for any request. */
static bool request_text(const struct torus_request_words *words, char *text)
{
	size_t used = 0;

	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		const char *value = torus_request_words_get(words, w);
		int n = snprintf(text + used, REQUEST_TEXT - used, "%s\n",
				 value ? value : "");

		if (n < 0 || (size_t)n >= REQUEST_TEXT - used)
			return false;
		used += (size_t)n;
	}
	return true;
}

static struct parsed_request **parsed_slot(const char *text)
{
	uint64_t hash = HASH_START;

	hash_text(&hash, text);
	return &parsed[hash % PARSED_REQUESTS];
}

static bool parsed_find(const char *text, struct torus_request *request)
{
	const struct parsed_request *entry;
	bool found;

	pthread_mutex_lock(&parsed_lock);
	entry = *parsed_slot(text);
	found = entry && strcmp(entry->text, text) == 0;
	if (found)
		*request = entry->request;
	pthread_mutex_unlock(&parsed_lock);
	return found;
}

int job_request_read(char **env, uint32_t count, bool may_rotate,
		     struct torus_request *request, struct torus_error *err)
{
	struct torus_request_words words = job_request_words(env, count);
	char text[REQUEST_TEXT];
	bool cacheable;

	words.no_rotate |= !may_rotate;
	cacheable = request_text(&words, text);
	if (cacheable && parsed_find(text, request))
		return 0;
	if (torus_request_parse(request, &words, err))
		return -1;
	if (cacheable) {
		struct parsed_request **slot;

		pthread_mutex_lock(&parsed_lock);
		slot = parsed_slot(text);
		if (!*slot)
			*slot = xmalloc(sizeof(**slot));
		memcpy((*slot)->text, text, strlen(text) + 1);
		(*slot)->request = *request;
		pthread_mutex_unlock(&parsed_lock);
	}
	return 0;
}

int job_request_of(const job_record_t *job, bool may_rotate,
		   struct torus_request *request)
{
	return job_request_read(job->spank_job_env, job->spank_job_env_size,
				may_rotate, request, NULL);
}

int64_t job_request_limit_us(const job_record_t *job, const part_record_t *part)
{
	uint32_t minutes = job->time_limit;

	if (minutes == NO_VAL && part)
		minutes = part->default_time;
	if (minutes == NO_VAL && part)
		minutes = part->max_time;
	return minutes == NO_VAL || minutes == INFINITE ?
		       TORUS_NO_TIME :
		       seconds_to_us(minutes * INT64_C(60));
}
