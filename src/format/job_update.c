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

int job_update_write(const struct torus_request_words *words,
		     struct torus_text *text)
{
	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		if (!job_update_plain(torus_request_words_get(words, w))) {
			errno = EINVAL;
			return -1;
		}
	}
	if (torus_text_add(text, JOB_UPDATE_MARK VERSION) ||
	    (words->geometry && *words->geometry &&
	     torus_text_add(text, ";geometry=%s", words->geometry)))
		return -1;
	return torus_request_words_write(words, text);
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
		if (!torus_request_words_read(words, item))
			return torus_error_add(err,
					       "update: unexpected \"%.60s\"",
					       item);
	}
	if (!words->geometry)
		return torus_error_add(err, "update: geometry is missing");
	return 0;
}
