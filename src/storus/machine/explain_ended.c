/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job that has ended asked for, got and waited for (explain.h): from scontrol,
 * which knows it for MinJobAge seconds. The request and the place stand in its
 * AdminComment. Where torus.yaml cannot be read, also what is known of a job that waits
 * or runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/admin_comment.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/base/slurm.h"
#include "storus/machine/explain.h"
#include "trace/formats/slurm_words.h"

#define NAME &storus_explain
#define ENDED_WORD 256

/* Slurm's times, where no machine was read. */
static const struct snapshot ended_clock = { .dated = true,
					     .time_us = SNAPSHOT_NO_TIME };

struct ended {
	char job[32], user[64], state[32], asked[ENDED_WORD], got[ENDED_WORD];
	char nodes[16], list[16], reason[ENDED_WORD]; /* list: its begin */
	int64_t eligible_us, start_us, end_us;
	uint64_t shape_wait_s;
};

/* Copy the value of " KEY=" up to a character of `ends`. Return false if there is none. */
static bool ended_value(const char *line, const char *key, const char *ends,
			char *value, size_t size)
{
	const char *at = strstr(line, key);

	*value = '\0';
	if (!at)
		return false;
	at += strlen(key);
	snprintf(value, size, "%.*s", (int)strcspn(at, ends), at);
	return true;
}

static int64_t ended_time(const char *line, const char *key)
{
	char text[32];
	int64_t us;

	if (!ended_value(line, key, " \n", text, sizeof(text)) ||
	    !torus_slurm_time(text, 0, &us))
		return SNAPSHOT_NO_TIME;
	return us;
}

static int ended_read(void *arg, char *line)
{
	struct ended *e = arg;
	char wait[24];

	if (e->state[0] ||
	    !ended_value(line, " JobState=", " \n", e->state, sizeof(e->state)))
		return STORUS_DONE;
	ended_value(line, " UserId=", "( \n", e->user, sizeof(e->user));
	ended_value(line, " NumNodes=", "- \n", e->nodes, sizeof(e->nodes));
	ended_value(line, " NodeList=", " \n", e->list, sizeof(e->list));
	ended_value(line, ADMIN_COMMENT_ASK, " ;\n", e->asked, sizeof(e->asked));
	ended_value(line, ADMIN_COMMENT_PLACE, " ;\n", e->got, sizeof(e->got));
	ended_value(line, ADMIN_COMMENT_SHAPE_WAIT, " ;\n", wait, sizeof(wait));
	ended_value(line, " Reason=", " \n", e->reason, sizeof(e->reason));
	for (char *c = e->reason; (c = strchr(c, '_'));)
		*c = ' '; /* as scontrol has blanks */
	e->shape_wait_s = torus_number_of(wait);
	e->eligible_us = ended_time(line, " EligibleTime=");
	e->start_us = ended_time(line, " StartTime=");
	e->end_us = ended_time(line, " EndTime=");
	return STORUS_DONE;
}

static int64_t ended_between(int64_t from_us, int64_t to_us)
{
	return from_us == SNAPSHOT_NO_TIME || to_us == SNAPSHOT_NO_TIME ||
			       to_us < from_us ?
		       0 :
		       to_us - from_us;
}

static json_t *ended_json(const struct ended *e)
{
	const char *state = strcmp(e->state, "PENDING") == 0 ? "pending" :
			    strcmp(e->state, "RUNNING") == 0 ? "running" :
							       e->state;

	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:I}",
			 "schema", 1, "job", e->job, "state", state, "user",
			 e->user, "asked", e->asked, "region", e->got, "start",
			 storus_clock_json(e->start_us), "end",
			 storus_clock_json(e->end_us), "wait_s",
			 storus_clock_json(
				 ended_between(e->eligible_us, e->start_us)),
			 "wait_shape_s", (json_int_t)e->shape_wait_s);
}

static void ended_print(const struct ended *e)
{
	char at[STORUS_CLOCK_SIZE], waited[32], ran[32];
	int64_t wait_us = ended_between(e->eligible_us, e->start_us);

	storus_clock_duration(wait_us, waited, sizeof(waited));
	storus_clock_duration(ended_between(e->start_us, e->end_us), ran,
			      sizeof(ran));
	if (strcmp(e->state, "PENDING") == 0 ||
	    strcmp(e->state, "RUNNING") == 0) {
		storus_print("Job %s%s%s asked for %s%s and ", e->job,
			     *e->user ? " of " : "", e->user,
			     *e->asked ? e->asked : e->nodes,
			     *e->asked ? "" : " nodes");
		if (e->state[0] == 'R')
			storus_print("runs on %s",
				     *e->got ? e->got : "nodes anywhere");
		else
			storus_print("waits: %s", e->reason);
		if (e->start_us != SNAPSHOT_NO_TIME)
			storus_print("; %s %s",
				     e->state[0] == 'R' ?
					     "since" :
					     "estimated to start at",
				     storus_clock(&ended_clock, e->start_us,
						  at));
		storus_print(".\nMore is known where torus.yaml can be read.\n");
		return;
	}
	storus_print("Job %s%s%s has ended (%s) at %s.\n", e->job,
		     *e->user ? " of " : "", e->user, e->state,
		     storus_clock(&ended_clock, e->end_us, at));
	storus_print("It asked for %s%s, ", *e->asked ? e->asked : e->nodes,
		     *e->asked ? "" : " nodes");
	if (!*e->list || strcmp(e->list, "(null)") == 0) {
		storus_print("waited %s and never started.\n", waited);
		return;
	}
	storus_print("got %s (%s node%s), waited %s",
		     *e->got ? e->got : "nodes anywhere", e->nodes,
		     strcmp(e->nodes, "1") ? "s" : "", waited);
	if (e->shape_wait_s)
		storus_print(" (%llu s of it for its shape, with enough nodes free)",
			     (unsigned long long)e->shape_wait_s);
	storus_print(" and ran %s.\n", ran);
}

int explain_ended(struct explain *e, struct torus_error *err)
{
	const char *const scontrol[] = { "scontrol", "--oneliner", "show",
					 "job",      e->id,        NULL };
	struct ended ended = { .eligible_us = SNAPSHOT_NO_TIME,
			       .start_us = SNAPSHOT_NO_TIME,
			       .end_us = SNAPSHOT_NO_TIME };

	if (storus_slurm_lines(scontrol, err, ended_read, &ended) !=
		    STORUS_DONE ||
	    !ended.state[0] ||
	    (e->q.snapshot && strcmp(ended.state, "PENDING") == 0))
		return STORUS_GO;
	snprintf(ended.job, sizeof(ended.job), "%s", e->id);
	if (e->all)
		return json_array_append_new(e->all, ended_json(&ended)) ?
			       storus_no_memory(NAME) :
			       STORUS_DONE;
	if (e->table.json)
		return storus_json_answer(NAME, ended_json(&ended),
					  e->q.snapshot ? e->q.snapshot :
							  &ended_clock,
					  e->table.json);
	ended_print(&ended);
	return STORUS_DONE;
}
