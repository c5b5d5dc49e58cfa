/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of job_update.h, written and read. O(its length). */
#include "format/job_update.h"

#include <errno.h>
#include <string.h>

#define VERSION "1"

bool job_update_is(const char *comment)
{
	return comment &&
	       strncmp(comment, JOB_UPDATE_MARK, strlen(JOB_UPDATE_MARK)) == 0;
}

static bool job_update_plain(const char *word)
{
	for (; word && *word; word++) {
		if (*word == ';' || (unsigned char)*word < ' ')
			return false;
	}
	return true;
}

static int job_update_add(struct torus_text *text, const char *key,
			  const char *word)
{
	return word && *word ? torus_text_add(text, ";%s=%s", key, word) : 0;
}

int job_update_write(const struct torus_request_words *words,
		     struct torus_text *text)
{
	if (!job_update_plain(words->geometry) ||
	    !job_update_plain(words->conn_type) ||
	    !job_update_plain(words->placement) ||
	    !job_update_plain(words->links)) {
		errno = EINVAL;
		return -1;
	}
	if (torus_text_add(text, JOB_UPDATE_MARK VERSION) ||
	    job_update_add(text, "geometry", words->geometry) ||
	    job_update_add(text, "conn-type", words->conn_type) ||
	    (words->no_rotate && torus_text_add(text, ";no-rotate")) ||
	    job_update_add(text, "placement", words->placement) ||
	    job_update_add(text, "links", words->links))
		return -1;
	return 0;
}

/* Read KEY=WORD into *word, once only. */
static bool job_update_take(char *item, const char *key, const char **word)
{
	size_t length = strlen(key);

	if (strncmp(item, key, length) != 0 || item[length] != '=' ||
	    !item[length + 1] || *word)
		return false;
	*word = item + length + 1;
	return true;
}

int job_update_read(char *text, struct torus_request_words *words,
		    struct torus_error *err)
{
	char *rest = text + strlen(JOB_UPDATE_MARK), *item;

	*words = (struct torus_request_words){ 0 };
	item = strsep(&rest, ";");
	if (strcmp(item, VERSION) != 0)
		return torus_error_add(
			err,
			"update: got version \"%.20s\", expected " VERSION
			"; storus and slurmctld's plugins differ in their version",
			item);
	while ((item = strsep(&rest, ";"))) {
		if (job_update_take(item, "geometry", &words->geometry) ||
		    job_update_take(item, "conn-type", &words->conn_type) ||
		    job_update_take(item, "placement", &words->placement) ||
		    job_update_take(item, "links", &words->links))
			continue;
		if (strcmp(item, "no-rotate") || words->no_rotate)
			return torus_error_add(err,
					       "update: unexpected \"%.60s\"",
					       item);
		words->no_rotate = true;
	}
	if (!words->geometry)
		return torus_error_add(err, "update: geometry is missing");
	return 0;
}
