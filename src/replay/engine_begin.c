/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The initial state of a journal's scheduler (engine.h): a machine state as
 * text, jobs that have nodes, and promises to pending jobs. The replay gives it
 * to its scheduler as live/mirror/cycle_report.c gives it to the cluster's.
 *
 * A replay takes over one state, at its beginning: the initial states of later
 * schedulers follow from the replay itself. Jobs that got their nodes without
 * the scheduler are taken over at any time, if the nodes are idle here.
 *
 * Cost: O(text), and O(holds) per job that has nodes.
 */
#include "torus/state_text.h"
#include "replay/engine.h"
#include "replay/engine_journal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/discipline.h"
#include "torus/number.h"
#include "torus/weights.h"
#include "torus/usage.h"

/* Return the text after the word if the text begins with it, or NULL. */
static const char *begin_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) == 0 ? text + n : NULL;
}

/* Read BITS USER. The first one of a begin says that all others have used nothing. */
static enum torus_replay_answer begin_usage(struct engine *e, const char *text)
{
	struct torus_usage usage = { .at_us = e->now_us };
	char *end;
	uint64_t bits = strtoull(text, &end, 16);
	int rc = 0;

	if (e->instants > 0 && e->options->other_machine)
		return TORUS_REPLAY_DONE;
	if (!e->usage_begun)
		rc = torus_scheduler_take_usage(e->scheduler, &usage, e->now_us);
	e->usage_begun = true;
	memcpy(&usage.used, &bits, sizeof(usage.used));
	if (end - text != 16 || *end != ' ' || !(usage.used >= 0) ||
	    isinf(usage.used)) {
		torus_error_add(e->err,
				"usage: got \"%.60s\", expected 16 hexadecimal digits and a user",
				text);
		return TORUS_REPLAY_REFUSED;
	}
	usage.user = end + 1;
	return rc || torus_scheduler_take_usage(e->scheduler, &usage,
						e->now_us) ?
		       torus_engine_no_memory(e, "usage") :
		       TORUS_REPLAY_DONE;
}

/* A long line comes in pieces, with a backslash after each but the last. */
enum torus_replay_answer torus_engine_begin_line(struct engine *e,
						 const struct torus_text *text)
{
	const char *line = text->length ? text->data : "";
	size_t n = strlen(line);
	bool more = n > 0 && line[n - 1] == '\\';
	struct torus_text *to = begin_word(line, "promised ") ? &e->promised :
								&e->begun_with;

	if (e->begin_more)
		to = e->begin_more;
	if (begin_word(line, "scheduler ") && !e->begin_more) {
		const char *name = begin_word(line, "scheduler ");
		size_t length = strcspn(name, " ");
		const char *ours = e->settings->discipline->name;

		e->no_promises = strlen(ours) != length ||
				 strncmp(name, ours, length) != 0;
		torus_weights_clear(e->weights);
		e->weights_changed = true;
		e->usage_begun = false;
		return TORUS_REPLAY_DONE;
	}
	if (begin_word(line, "usage ") && !e->begin_more)
		return begin_usage(e, begin_word(line, "usage "));
	e->begin_more = more ? to : NULL;
	return torus_text_add(to, "%.*s%s", (int)(n - more), line,
			      more ? "" : "\n") ?
		       torus_engine_no_memory(e, "state") :
		       TORUS_REPLAY_DONE;
}

static enum torus_replay_answer begin_commit(struct engine *e,
					     const struct torus_hold *h)
{
	if (torus_state_commit(e->state, &h->place, h->job, NULL, h->start_us,
			       h->end_us, NULL) == TORUS_NO_SLOT &&
	    errno == ENOMEM)
		return torus_engine_failed(e, "state");
	e->changed = true;
	return TORUS_REPLAY_DONE;
}

/* Take over a job that got its nodes without the scheduler. */
static enum torus_replay_answer begin_hold(struct engine *e, char *text)
{
	uint64_t *nodes = torus_scratch_take(&e->scratch);
	struct torus_regions regions;
	const struct torus_placement_room room = { .nodes = nodes,
						   .regions = &regions };
	enum torus_replay_answer answer;
	struct torus_hold h;

	if (torus_hold_parse(e->machine, text, &h, &room, e->err))
		answer = errno == EINVAL ? TORUS_REPLAY_REFUSED :
					   torus_engine_failed(e, "state");
	else
		answer = begin_commit(e, &h);
	torus_scratch_return(&e->scratch, nodes);
	return answer;
}

/* Read NAME:REGION into `nodes`, as scattered nodes of a torus here. */
static bool begin_read_nodes(const struct engine *e, const char *name,
			     char *region, uint64_t *nodes,
			     struct torus_placement *place)
{
	uint32_t p = torus_machine_named(e->machine, name);
	struct torus_error why = { 0 };
	struct torus_region box;
	const struct torus *t;
	bool scattered;

	if (p == UINT32_MAX || strstr(region, "},"))
		return false;
	t = &e->machine->pod[p].torus;
	torus_bits_zero(nodes, e->machine->words);
	if (torus_region_parse(&box, &scattered, nodes, t, region, &why))
		return false;
	if (!scattered)
		torus_region_paint(&box, t, nodes);
	*place = (struct torus_placement){ .pod = p,
					   .scattered = true,
					   .nodes = nodes };
	place->granted = torus_bits_count(nodes, e->machine->pod[p].words);
	return place->granted > 0;
}

/* Read JOB START END TORUS STRATEGY GRANTED AXES RING ORIENTATION REGION of
 * another machine or strategy. Return true if this machine has its nodes. */
static bool begin_read_hold(const struct engine *e, char *text, uint64_t *nodes,
			    struct torus_hold *h)
{
	char *word[10];

	for (int i = 0; i < 10; i++) {
		word[i] = strsep(&text, " ");
		if (!word[i])
			return false;
	}
	h->end_us = TORUS_NO_TIME;
	return torus_number_whole(word[0], 1, UINT64_MAX, &h->job) &&
	       torus_number_signed(word[1], INT64_MIN, INT64_MAX,
				   &h->start_us) &&
	       (strcmp(word[2], "-") == 0 ||
		torus_number_signed(word[2], INT64_MIN, INT64_MAX, &h->end_us)) &&
	       begin_read_nodes(e, word[3], word[9], nodes, &h->place);
}

/* Hold the nodes of such a job, if they exist here and are idle. */
static enum torus_replay_answer begin_hold_nodes(struct engine *e, char *text)
{
	uint64_t *nodes = torus_scratch_take(&e->scratch);
	struct torus_hold h = { 0 };
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;

	if (begin_read_hold(e, text, nodes, &h))
		answer = begin_commit(e, &h);
	torus_scratch_return(&e->scratch, nodes);
	return answer;
}

static bool begin_suits(const struct engine *e, const char *text)
{
	struct torus_state *s = torus_state_create(e->machine);
	struct torus_error why = { 0 };
	bool suits = !s || torus_state_restore(s, text, &why) == 0 ||
		     errno != EINVAL;

	torus_state_destroy(s);
	return suits;
}

/* Return the number of jobs that hold nodes in a state's text. */
static uint64_t begin_count(const char *text)
{
	uint64_t jobs = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *hold;

		line += *line == '\n';
		hold = begin_word(line, "hold ");
		jobs += hold && strtoull(hold, NULL, 10) > 0;
	}
	return jobs;
}

static enum torus_replay_answer begin_anew(struct engine *e, char *text)
{
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;
	char *line;
	uint32_t holds;

	e->metrics->begun = begin_count(text);
	if (e->options->other_machine && !begin_suits(e, text)) {
		e->no_promises = e->weights_kept = true;
		while (!answer && (line = strsep(&text, "\n"))) {
			const char *hold = begin_word(line, "hold ");

			if (hold)
				answer = begin_hold_nodes(e,
							  line + (hold - line));
		}
		return answer;
	}
	if (torus_state_restore(e->state, text, e->err))
		return errno == EINVAL ? TORUS_REPLAY_REFUSED :
					 torus_engine_failed(e, "state");
	e->changed = true;
	holds = torus_state_holds(e->state);
	/* a state may come again at this instant */
	torus_free(e->untracked_slots);
	e->untracked_room = e->untracked = e->untracked_count = 0;
	e->untracked_slots = torus_alloc(holds + 2 * e->machine->pods,
					 sizeof(*e->untracked_slots));
	if (!e->untracked_slots)
		return torus_engine_no_memory(e, "state");
	e->untracked_room = holds + 2 * e->machine->pods;
	e->untracked_us = e->now_us;
	for (uint32_t k = 0; k < holds; k++) {
		uint32_t slot = torus_state_by_end(e->state, k);
		const struct torus_hold *h = torus_state_hold(e->state, slot);

		if (h->job != 0)
			continue;
		e->untracked_slots[e->untracked++] = slot;
		e->untracked_count += h->place.granted;
	}
	return TORUS_REPLAY_DONE;
}

enum torus_replay_answer torus_engine_begin_state(struct engine *e, bool jobs)
{
	enum torus_replay_answer answer;
	char *text;
	char *line;

	if (e->begun_with.length == 0 ||
	    (!jobs && !begin_word(e->begun_with.data, "pod ")))
		return TORUS_REPLAY_DONE;
	text = e->begun_with.data;
	answer = TORUS_REPLAY_DONE;
	if (begin_word(text, "pod ")) {
		answer = e->instants > 0 ? TORUS_REPLAY_DONE :
					   begin_anew(e, text);
	} else {
		while (!answer && (line = strsep(&text, "\n"))) {
			const char *hold = begin_word(line, "hold ");

			if (hold)
				answer = begin_hold(e, line + (hold - line));
		}
	}
	e->begun_with.length = 0;
	return answer;
}

/* Return the slot of a hold that belongs to no job of the replay yet. */
static uint32_t begin_slot(const struct engine *e, uint64_t number)
{
	for (uint32_t k = 0; k < torus_state_holds(e->state); k++) {
		uint32_t slot = torus_state_by_end(e->state, k);
		const struct torus_hold *h = torus_state_hold(e->state, slot);

		if (h->job == number && !h->owner)
			return slot;
	}
	return TORUS_NO_SLOT;
}

/* Return the job that was taken over under that number, or NULL. */
static struct torus_replay_job *begin_taken(const struct engine *e,
					    uint64_t number)
{
	for (size_t i = 0; i < e->ends.count; i++) {
		struct torus_replay_job *job = e->ends.heap[i].job;

		if (job->begun == number)
			return job;
	}
	return NULL;
}

enum torus_replay_answer torus_engine_adopt(struct engine *e,
					    struct torus_replay_job *job)
{
	enum torus_replay_answer answer = torus_engine_begin_state(e, true);
	struct torus_replay_job *taken = begin_taken(e, job->begun);
	struct torus_end end = { .order = e->starts++, .job = job };
	uint32_t slot = answer ? TORUS_NO_SLOT : begin_slot(e, job->begun);
	int64_t start_us = job->job.start_us;

	if (taken) {
		job->job.share = taken->job.share;
		job->job.charged = taken->job.charged;
		/* Remove the earlier entry of a job: a later line has more about it. */
		torus_ends_remove(&e->ends, taken);
		if (taken->changes)
			torus_engine_forget_changes(e, taken);
		e->granted -= taken->granted;
		torus_replay_job_drop(&e->jobs, taken);
	}
	if (slot == TORUS_NO_SLOT) { /* other jobs hold its nodes here */
		torus_replay_job_drop(&e->jobs, job);
		return answer;
	}
	if (!taken)
		e->metrics->taken += e->instants == 0;
	job->job.state = TORUS_JOB_RUNNING;
	job->job.slot = slot;
	job->job.reservation = UINT32_MAX;
	torus_scheduler_adopt(e->scheduler, &job->job, e->now_us);
	job->started_us = start_us;
	job->granted = torus_state_hold(e->state, slot)->place.granted;
	job->left_us = TORUS_NO_TIME;
	e->granted += job->granted;
	end.at_us = start_us + job->run_us;
	if (end.at_us < e->now_us)
		end.at_us = e->now_us + 1;
	if (torus_ends_add(&e->ends, end) ||
	    (job->changes && torus_engine_await_change(e, job)))
		return torus_engine_failed(e, "a running job");
	return TORUS_REPLAY_DONE;
}

/* Promises */

static struct torus_replay_job *begin_queued(const struct engine *e,
					     uint64_t stay)
{
	struct torus_job *job = torus_scheduler_queue(e->scheduler)->head;

	for (; job; job = job->next) {
		struct torus_replay_job *mine = job->host;

		if (mine->stay == stay)
			return mine;
	}
	return NULL;
}

/* Read NUMBER admitted|- [ALTERNATIVE HOLD]. */
static int begin_read_promise(struct engine *e, char *text, uint64_t *stay,
			      struct torus_promise *p, struct torus_hold *hold,
			      const struct torus_placement_room *room)
{
	char *word = strsep(&text, " "), *admitted = strsep(&text, " ");
	bool number = torus_number_whole(word, 0, UINT64_MAX, stay);
	const char *end;
	uint64_t n;

	p->admitted = admitted && strcmp(admitted, "admitted") == 0;
	if (!number || !admitted || (!p->admitted && strcmp(admitted, "-") != 0))
		return torus_error_add(e->err,
				       "promised: got \"%.60s\", expected NUMBER admitted|- [ALTERNATIVE HOLD]",
				       word);
	if (!text)
		return 0;
	end = torus_number_scan_whole(text, TORUS_MAX_ALTERNATIVES - 1, &n);
	if (!end || *end != ' ')
		return torus_error_add(e->err,
				       "promised: got \"%.60s\", expected an alternative",
				       text);
	p->alternative = (uint32_t)n;
	if (torus_hold_parse(e->machine, text + (end - text) + 1, hold, room,
			     e->err))
		return -1;
	p->place = &hold->place;
	p->start_us = hold->start_us;
	p->end_us = hold->end_us;
	return 0;
}

/* Read a "promised" line: the job keeps its promise. */
static enum torus_replay_answer begin_resume(struct engine *e, char *line)
{
	uint64_t *nodes = torus_scratch_take(&e->scratch);
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;
	struct torus_regions regions;
	const struct torus_placement_room room = { .nodes = nodes,
						   .regions = &regions };
	struct torus_promise p = { 0 };
	struct torus_replay_job *job;
	struct torus_hold hold;
	uint64_t stay;

	if (begin_read_promise(e, line + strlen("promised "), &stay, &p, &hold,
			       &room)) {
		answer = errno == EINVAL ? TORUS_REPLAY_REFUSED :
					   torus_engine_failed(e, "promised");
	} else {
		job = begin_queued(e, stay);
		if (job && (!p.place ||
			    p.alternative < job->job.request.alternatives)) {
			torus_scheduler_resume(e->scheduler, &job->job, &p);
			if (torus_scheduler_lacked_memory(e->scheduler))
				answer = torus_engine_no_memory(e, "promised");
		}
	}
	torus_scratch_return(&e->scratch, nodes);
	return answer;
}

enum torus_replay_answer torus_engine_resume(struct engine *e)
{
	char *text = e->promised.length ? e->promised.data : NULL, *line;
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;

	e->promised.length = 0;
	while (!answer && e->instants == 0 && !e->no_promises &&
	       (line = strsep(&text, "\n")) && *line)
		answer = begin_resume(e, line);
	return answer;
}
