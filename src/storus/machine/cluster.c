/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * squeue and scontrol (cluster.h), one call each. squeue --Format with a width
 * of 0 writes fields whole, and has AdminComment, which --format does not have.
 */
#include "storus/machine/cluster.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/admin_comment.h"
#include "storus/base/slurm.h"
#include "storus/storus.h"
#include "torus/plan.h"
#include "trace/formats/slurm_words.h"
#include "torus/number.h"

#define FIELDS 13             /* before the reason */
#define BEFORE_COMMENT "\037" /* the unit separator: no reason holds it */

struct cluster_reader {
	struct torus_error *err;
	bool job; /* a job was read: its comment may go on in the next lines */
	int (*job_fn)(void *arg, const struct storus_cluster_job *job);
	int (*lists_fn)(void *arg, const struct storus_cluster_lists *lists);
	int (*reservation_fn)(void *arg,
			      const struct storus_cluster_reservation *r);
	void *arg;
};

static char empty[] = "";

/* Return the text behind `word`, up to one of `ends`; "" if the word is missing. */
static char *comment_value(char *text, const char *word)
{
	char *at = strstr(text, word);

	while (at && at > text && at[-1] != ' ' && at[-1] != ';')
		at = strstr(at + 1, word);
	return at ? at + strlen(word) : empty;
}

/* ID|NAME|USER|STATE|PARTITION|SUBMIT|START|END|LIMIT|PRIORITY|...|REASON, and the
 * comment: reason and comment may hold any text. */
static int cluster_take_job(void *arg, char *line)
{
	struct storus_cluster_job job;
	struct cluster_reader *r = arg;
	char *word[FIELDS + 1], *cursor = line, *comment;
	int fields = 0;
	char *region;
	char *orientation;
	char *ring;
	char *ask;

	line[strcspn(line, "\n")] = '\0';
	while (fields < FIELDS && cursor)
		word[fields++] = strsep(&cursor, "|");
	comment = cursor ? strstr(cursor, BEFORE_COMMENT) : NULL;
	if (!comment && r->job)
		return STORUS_DONE; /* a comment of several lines */
	if (!comment) {
		torus_error_add(r->err,
				"squeue: got \"%.60s\", expected %d fields with | between them",
				line, FIELDS + 1);
		return STORUS_TROUBLE;
	}
	*comment++ = '\0';
	r->job = true;
	job = (struct storus_cluster_job){
		.id = (uint32_t)torus_number_of(word[0]),
		.name = word[1],
		.user = word[2],
		.state = word[3],
		.partition = word[4],
		.submit = word[5],
		.start = word[6],
		.end = word[7],
		.limit = word[8],
		.priority = word[9],
		.count = word[10],
		.reservation = word[11],
		.nodes = word[12],
		.reason = cursor,
	};
	/* the region and the request, cut out of the comment */
	region = comment_value(comment, ADMIN_COMMENT_PLACE);
	orientation = *region ? comment_value(comment, "orientation=") : empty;
	ring = *region ? comment_value(comment, "ring=") : empty;
	ask = comment_value(comment, ADMIN_COMMENT_ASK);
	region[strcspn(region, "; ")] = '\0';
	orientation[strcspn(orientation, "; ")] = '\0';
	ring[strcspn(ring, "; ")] = '\0';
	ask[strcspn(ask, " ")] = '\0';
	job.region = region;
	job.orientation = orientation;
	job.ring = ring;
	job.ask = ask;
	return r->job_fn(r->arg, &job);
}

int storus_cluster_jobs(struct torus_error *err,
			int (*job_fn)(void *arg,
				      const struct storus_cluster_job *job),
			void *arg)
{
	static const char *const squeue[] = {
		"squeue",
		"--noheader",
		"--all",
		"--array",
		"--sort=P,t,-p,i", /* its default, and equal ones by their ids */
		"--Format=JobID:0|,JobArrayID:0|,UserName:0|,State:0|,Partition:0|,"
		"SubmitTime:0|,StartTime:0|,EndTime:0|,TimeLimit:0|,PriorityLong:0|,"
		"NumNodes:0|,Reservation:0|,NodeList:0|,Reason:0" BEFORE_COMMENT
		",admin_comment:0",
		NULL
	};
	struct cluster_reader r = { .err = err, .job_fn = job_fn, .arg = arg };

	return storus_slurm_lines(squeue, err, cluster_take_job, &r);
}

/* Return a list of nodes from a line; "": none. */
static const char *lists_word(char **cursor)
{
	const char *word = strsep(cursor, "|");

	return word && strcmp(word, "(null)") ? word : empty;
}

/* ID|REQUIRED|EXCLUDED|PLANNED; --Format has no field for excluded nodes. */
static int cluster_take_lists(void *arg, char *line)
{
	struct cluster_reader *r = arg;
	struct storus_cluster_lists lists = { 0 };
	char *cursor = line;

	line[strcspn(line, "\n")] = '\0';
	lists.name = strsep(&cursor, "|");
	lists.required = lists_word(&cursor);
	lists.excluded = lists_word(&cursor);
	lists.planned = lists_word(&cursor);
	return *lists.required || *lists.excluded || *lists.planned ?
		       r->lists_fn(r->arg, &lists) :
		       STORUS_DONE;
}

int storus_cluster_lists(
	struct torus_error *err,
	int (*lists_fn)(void *arg, const struct storus_cluster_lists *lists),
	void *arg)
{
	static const char *const squeue[] = { "squeue",
					      "--noheader",
					      "--all",
					      "--array",
					      "--states=PENDING",
					      "--sort=P,t,-p,i",
					      "--format=%i|%n|%x|%Y",
					      NULL };
	struct cluster_reader r = { .err = err,
				    .lists_fn = lists_fn,
				    .arg = arg };

	return storus_slurm_lines(squeue, err, cluster_take_lists, &r);
}

/* ReservationName=x StartTime=... EndTime=... Duration=... Nodes=... */
static int cluster_take_reservation(void *arg, char *line)
{
	struct storus_cluster_reservation v = { empty, empty, empty, empty,
						empty };
	struct cluster_reader *r = arg;
	char *cursor = line, *word;

	line[strcspn(line, "\n")] = '\0';
	while ((word = strsep(&cursor, " "))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (strcmp(word, "ReservationName") == 0)
			v.name = value;
		else if (strcmp(word, "StartTime") == 0)
			v.start = value;
		else if (strcmp(word, "EndTime") == 0)
			v.end = value;
		else if (strcmp(word, "Nodes") == 0)
			v.nodes = value;
		else if (strcmp(word, "Flags") == 0)
			v.flags = value;
	}
	return *v.name && *v.nodes ? r->reservation_fn(r->arg, &v) : STORUS_DONE;
}

int storus_cluster_reservations(
	struct torus_error *err,
	int (*reservation_fn)(void *arg,
			      const struct storus_cluster_reservation *r),
	void *arg)
{
	static const char *const scontrol[] = { "scontrol", "--oneliner",
						"show", "reservation", NULL };
	struct cluster_reader r = { .err = err,
				    .reservation_fn = reservation_fn,
				    .arg = arg };

	return storus_slurm_lines(scontrol, err, cluster_take_reservation, &r);
}

int64_t storus_cluster_time(const char *text)
{
	int64_t us;

	return torus_slurm_local_date(text, &us) ? us : TORUS_NO_TIME;
}

int64_t storus_cluster_duration(const char *text)
{
	int64_t us;

	return torus_slurm_span(text, &us) ? us : TORUS_NO_TIME;
}
