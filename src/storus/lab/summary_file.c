/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of a schedule, in the files beside it (summary_file.h). */
#include "storus/lab/summary_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/schedule.h"
#include "report/summary.h"

#define MOST 3

struct candidates {
	char path[MOST][PATH_MAX];
	json_t *summary[MOST];
	int n;
	char damaged[PATH_MAX]; /* "": none */
	char why[JSON_ERROR_TEXT_LENGTH];
};

/* Read the file of that name if it is a summary. x.csv.json is one, or damaged; x.json
 * may be anything. */
static void candidate_add(struct candidates *c, const char *schedule,
			  size_t length, bool certain)
{
	char *path = c->path[c->n];
	json_error_t why = { .text = "not what storus replay writes" };
	json_t *summary;

	snprintf(path, sizeof(c->path[0]), "%.*s.json", (int)length, schedule);
	summary = json_load_file(path, 0, &why);
	if (json_is_integer(json_object_get(summary, "schema")) &&
	    json_object_get(summary, "mean_wait_s")) {
		c->summary[c->n++] = summary;
		return;
	}
	if (certain && !*c->damaged && access(path, F_OK) == 0) {
		memcpy(c->damaged, path, sizeof(c->damaged));
		snprintf(c->why, sizeof(c->why), "%s", why.text);
	}
	json_decref(summary);
}

static const char *digest_of(const struct candidates *c, int i)
{
	return json_string_value(
		json_object_get(c->summary[i], "schedule_sha256"));
}

/* The first one that names this schedule; -1: none does. */
static int candidate_match(const struct candidates *c, const char *digest)
{
	for (int i = 0; i < c->n; i++)
		if (digest_of(c, i) && !strcmp(digest_of(c, i), digest))
			return i;
	return -1;
}

static int beside_choose(const struct storus_command *command,
			 const struct candidates *c, const char *schedule,
			 int *used)
{
	char digest[TORUS_TRACE_DIGEST_SIZE];

	if (torus_schedule_text_digest(schedule, digest))
		return STORUS_DONE; /* its reader says why */
	*used = candidate_match(c, digest);
	if (*used >= 0) {
		for (int i = 0; i < c->n; i++)
			if (!digest_of(c, i) || strcmp(digest_of(c, i), digest))
				storus_say(command, 0,
					   "notice: %s is the summary of another schedule; %s is used",
					   c->path[i], c->path[*used]);
		return STORUS_DONE;
	}
	if (c->n > 1 || digest_of(c, 0)) {
		/* None names the schedule. */
		if (c->n == 1)
			return storus_say(command, STORUS_USAGE,
					  "%s: its summary %s is of another schedule (schedule_sha256 differs): one of the two was changed, truncated or written again; run storus replay --schedule %s again, or remove %s",
					  schedule, c->path[0], schedule,
					  c->path[0]);
		return storus_say(command, STORUS_USAGE,
				  "%s: neither %s nor %s names it by its checksum (schedule_sha256); run storus replay --schedule %s again, or remove the summaries of other schedules",
				  schedule, c->path[0], c->path[1], schedule);
	}
	*used = 0;
	storus_say(command, 0,
		   "notice: %s is from a version that did not record the schedule's checksum: it may be of another schedule",
		   c->path[0]);
	return STORUS_DONE;
}

int storus_summary_file_read(const struct storus_command *command,
			     const char *schedule, json_t **summary)
{
	struct candidates c = { .n = 0 };
	int status = STORUS_DONE, used = -1;

	*summary = NULL;
	if (strcmp(schedule, "-") != 0) {
		size_t length = strlen(schedule), plain = length;

		/* for easy.csv.gz or easy.csv: the summary that replay wrote
		 * beside it, then easy.json */
		if (plain > 3 && !strcmp(schedule + plain - 3, ".gz"))
			plain -= 3;
		candidate_add(&c, schedule, length, true);
		if (plain < length) /* compressed later */
			candidate_add(&c, schedule, plain, true);
		if (plain > 4 && !strncmp(schedule + plain - 4, ".csv", 4))
			candidate_add(&c, schedule, plain - 4, false);
	}
	if (*c.damaged)
		status = storus_say(command, STORUS_USAGE,
				    "%s: its summary %s is damaged (%s); run storus replay --schedule %s again, or remove %s",
				    schedule, c.damaged, c.why, schedule,
				    c.damaged);
	else if (c.n)
		status = beside_choose(command, &c, schedule, &used);
	for (int i = 0; i < c.n; i++)
		if (i == used)
			*summary = c.summary[i];
		else
			json_decref(c.summary[i]);
	return status;
}

int storus_summary_file_machine(const char *schedule, const json_t *summary,
				const struct torus_machine *machine,
				struct torus_error *err)
{
	const char *was = json_string_value(json_object_get(summary, "machine"));
	char words[TORUS_MACHINE_WORDS_SIZE];

	torus_machine_words(machine, words);
	if (!was || !strcmp(was, words))
		return 0;
	errno = EINVAL;
	return torus_error_add(err,
			       "%s: computed on %s, as its summary says, not on %s; name that machine with --torus",
			       schedule, was, words);
}
