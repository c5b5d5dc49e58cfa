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

bool job_request_is_in(char **env, uint32_t count)
{
	return job_request_value(env, count, REQ_GEOMETRY) != NULL;
}

bool job_request_is_shaped(const job_record_t *job)
{
	return job_request_is_in(job->spank_job_env, job->spank_job_env_size);
}

bool job_request_is_ladder(const job_record_t *job)
{
	const char *geometry = job_request_value(job->spank_job_env,
						 job->spank_job_env_size,
						 REQ_GEOMETRY);

	return geometry && strchr(geometry, ',');
}

void job_request_remove(char **env, uint32_t *count)
{
	static const char *const names[] = { REQUEST_NAMES };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *count; i++) {
		bool ours = false;

		for (size_t k = 0; k < REQ_WORDS; k++)
			ours |= job_request_value(&env[i], 1, names[k]) != NULL;
		if (ours)
			xfree(env[i]);
		else
			env[kept++] = env[i];
	}
	*count = kept;
}

uint32_t job_request_write(const struct torus_request_words *words, char **entry)
{
	static const char *const names[] = { REQUEST_NAMES };
	const char *const word[REQ_WORDS] = { words->geometry, words->conn_type,
					      words->no_rotate ? "yes" : NULL,
					      words->placement, words->links };
	uint32_t n = 0;

	for (size_t k = 0; k < REQ_WORDS; k++) {
		if (word[k])
			entry[n++] = xstrdup_printf("%s=%s", names[k], word[k]);
	}
	return n;
}

void job_request_add_comment(char **env, uint32_t count, char **comment)
{
	const char *conn_type = job_request_value(env, count, REQ_CONN_TYPE);
	const char *placement = job_request_value(env, count, REQ_PLACEMENT);
	const char *links = job_request_value(env, count, REQ_LINKS);

	xstrfmtcat(*comment, "%s" ADMIN_COMMENT_ASK "%s", *comment ? " " : "",
		   job_request_value(env, count, REQ_GEOMETRY));
	if (conn_type)
		xstrfmtcat(*comment, ";conn-type=%s", conn_type);
	if (job_request_value(env, count, REQ_NO_ROTATE))
		xstrcat(*comment, ";no-rotate");
	if (placement)
		xstrfmtcat(*comment, ";placement=%s", placement);
	if (links)
		xstrfmtcat(*comment, ";links=%s", links);
}

/* The words as one text, or false: they are too long for any request. */
static bool request_text(const struct torus_request_words *words, char *text)
{
	int n = snprintf(text, REQUEST_TEXT, "%s\n%s\n%s\n%s\n%d",
			 words->geometry ? words->geometry : "",
			 words->conn_type ? words->conn_type : "",
			 words->placement ? words->placement : "",
			 words->links ? words->links : "", words->no_rotate);

	return n >= 0 && n < REQUEST_TEXT;
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

static void parsed_store(const char *text, const struct torus_request *request)
{
	struct parsed_request **slot;

	pthread_mutex_lock(&parsed_lock);
	slot = parsed_slot(text);
	if (!*slot)
		*slot = xmalloc(sizeof(**slot));
	memcpy((*slot)->text, text, strlen(text) + 1);
	(*slot)->request = *request;
	pthread_mutex_unlock(&parsed_lock);
}

int job_request_read(char **env, uint32_t count, bool may_rotate,
		     struct torus_request *request, struct torus_error *err)
{
	const char *no_rotate = job_request_value(env, count, REQ_NO_ROTATE);
	struct torus_request_words words = {
		.geometry = job_request_value(env, count, REQ_GEOMETRY),
		.conn_type = job_request_value(env, count, REQ_CONN_TYPE),
		.placement = job_request_value(env, count, REQ_PLACEMENT),
		.links = job_request_value(env, count, REQ_LINKS),
		.no_rotate = no_rotate || !may_rotate,
	};
	char text[REQUEST_TEXT];
	bool cacheable = request_text(&words, text);

	if (cacheable && parsed_find(text, request))
		return 0;
	if (torus_request_parse(request, &words, err))
		return -1;
	if (cacheable)
		parsed_store(text, request);
	return 0;
}

int job_request_of(const job_record_t *job, bool may_rotate,
		   struct torus_request *request)
{
	return job_request_read(job->spank_job_env, job->spank_job_env_size,
				may_rotate, request, NULL);
}
