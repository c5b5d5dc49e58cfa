/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that only a journal of sched/torus has beside its jobs: limits that changed
 * while jobs ran; nodes that they might use while they waited; nodes out of service or
 * in use by others; links that are down or weak; passes that were cut. Cost: O(nodes +
 * holds) for busy nodes, else O(log jobs) per change.
 */
#include "torus/plan.h"
#include "torus/state_find.h"
#include "torus/placement.h"
#include "replay/engine.h"
#include "replay/engine_journal.h"

#include <errno.h>
#include <string.h>

#include "config/link_file.h"
#include "torus/alloc.h"
#include "torus/weights.h"

enum torus_replay_answer torus_engine_failed(struct engine *e, const char *what)
{
	int saved = errno ? errno : ENOMEM;

	torus_error_add(e->err, "%s: %s", what, strerror(saved));
	errno = saved;
	return TORUS_REPLAY_FAILED;
}

enum torus_replay_answer torus_engine_no_memory(struct engine *e,
						const char *what)
{
	errno = ENOMEM;
	return torus_engine_failed(e, what);
}

int torus_engine_await_change(struct engine *e, struct torus_replay_job *job)
{
	struct torus_end change = { .order = e->order++, .job = job };

	while (job->changed < job->changes &&
	       job->change[job->changed].at_us <= e->now_us)
		job->changed++;
	if (job->changed == job->changes)
		return 0;
	change.at_us = job->change[job->changed].at_us;
	return torus_ends_add(&e->changes, change);
}

void torus_engine_forget_changes(struct engine *e, struct torus_replay_job *job)
{
	if (job->changed < job->changes)
		torus_ends_remove(&e->changes, job);
}

/* Report changed limits to the scheduler; the real run times stay. */
enum torus_replay_answer torus_engine_change_all(struct engine *e)
{
	const struct torus_end *first;

	while ((first = torus_ends_first(&e->changes)) &&
	       first->at_us == e->now_us) {
		struct torus_replay_job *job = first->job;
		int64_t limit_us = job->change[job->changed].limit_us;

		torus_ends_drop(&e->changes);
		torus_state_set_end(e->state, job->job.slot,
				    torus_time_after(job->job.start_us,
						     limit_us));
		e->changed = true;
		if (torus_engine_await_change(e, job))
			return torus_engine_failed(e, "limit");
	}
	return TORUS_REPLAY_DONE;
}

/* Mark nodes busy for others from now on, for the given time (-1: unknown). */
static enum torus_replay_answer
engine_hold_untracked(struct engine *e, const uint64_t *nodes, int64_t limit_us)
{
	uint64_t *idle = torus_scratch_take(&e->scratch);
	int64_t until_us = limit_us < 0 ? 0 :
					  torus_time_after(e->now_us, limit_us);
	int rc;
	uint32_t words = e->machine->words;

	/* those of the nodes that the machine has and no job holds: jobs may have other
	 * nodes here than in the journal */
	torus_bits_zero(idle, words);
	for (uint32_t k = 0; k < torus_state_holds(e->state); k++)
		torus_hold_paint(e->state,
				 torus_state_hold(e->state,
						  torus_state_by_end(e->state,
								     k)),
				 idle);
	for (uint32_t w = 0; w < words; w++)
		idle[w] = nodes[w] & ~idle[w];
	torus_bits_and(idle, idle, e->present, words);
	rc = TORUS_GROW(e->untracked_slots, e->untracked_room,
			e->untracked + e->machine->pods) ||
	     torus_state_hold_nodes(e->state, idle, until_us,
				    e->untracked_slots, &e->untracked);
	if (!rc)
		e->untracked_count += torus_bits_count(idle, e->machine->words);
	torus_scratch_return(&e->scratch, idle);
	return rc ? torus_engine_failed(e, "nodes in use") : TORUS_REPLAY_DONE;
}

enum torus_replay_answer
torus_engine_withhold(struct engine *e, const struct torus_replay_job *withheld)
{
	int64_t limit_us = withheld->job.limit_us;
	const uint64_t *nodes;

	if (withheld->kind == TORUS_TRACE_KIND_PASS)
		return TORUS_REPLAY_DONE; /* every instant has one */
	if (withheld->kind == TORUS_TRACE_KIND_CUT) {
		e->limit = (struct torus_pass_limit){
			.limited = true, .steps = withheld->requested
		};
		return TORUS_REPLAY_DONE;
	}
	nodes = withheld->only->set->map;
	e->changed = true;
	if (withheld->kind == TORUS_TRACE_KIND_OUT) {
		torus_bits_copy(e->out, nodes, e->machine->words);
		torus_engine_set_out(e);
		return TORUS_REPLAY_DONE;
	}
	while (e->untracked_us != e->now_us && e->untracked > 0)
		torus_state_release(e->state,
				    e->untracked_slots[--e->untracked], NULL);
	if (e->untracked == 0)
		e->untracked_count = 0;
	e->untracked_us = e->now_us;
	return engine_hold_untracked(e, nodes, limit_us);
}

/* Check that links of the torus may fail. Return 0, or -1 with the reason in
 * `why`. */
static int engine_link_check(const struct engine *e,
			     const struct torus_link *link,
			     struct torus_error *why)
{
	const struct torus_pod *pod = &e->machine->pod[link->pod];

	if (pod->links)
		return 0;
	for (uint32_t i = 0; i < pod->strategies; i++) {
		if (torus_machine_links_able(pod->strategy[i], &pod->torus, why))
			return -1;
	}
	return torus_error_add(why, "torus.yaml has no links: for %s",
			       pod->torus.name);
}

enum torus_replay_answer torus_engine_link(struct engine *e,
					   const struct torus_replay_job *line)
{
	struct torus_error why = { 0 };
	struct torus_link link;

	e->links_changed = e->changed = true;
	if (strcmp(line->text.data, "none") == 0) {
		e->links.count = 0;
		return TORUS_REPLAY_DONE;
	}
	if (torus_link_parse_change(e->machine, line->text.data, &link, &why) ||
	    engine_link_check(e, &link, &why)) {
		torus_error_add(e->err, "line %llu: link: got \"%.60s\": %s",
				(unsigned long long)line->line, line->text.data,
				why.text);
		return TORUS_REPLAY_REFUSED;
	}
	return torus_link_list_set(&e->links, &link) ?
		       torus_engine_no_memory(e, "links") :
		       TORUS_REPLAY_DONE;
}

enum torus_replay_answer torus_engine_set_links(struct engine *e)
{
	const struct torus_link_list *links = &e->links;

	e->links_changed = false;
	if (e->links_failed.count > 0) {
		links = &e->links_all;
		if (torus_link_list_copy(&e->links_all, &e->links_failed))
			return torus_engine_no_memory(e, "links");
	}
	for (uint32_t i = 0; links != &e->links && i < e->links.count; i++) {
		const struct torus_link *l = &e->links.link[i];

		if (!torus_link_find(&e->links_failed, l) &&
		    torus_link_list_set(&e->links_all, l))
			return torus_engine_no_memory(e, "links");
	}
	return torus_state_set_links(e->state, links) ?
		       torus_engine_failed(e, "links") :
		       TORUS_REPLAY_DONE;
}

enum torus_replay_answer torus_engine_outages_begin(struct engine *e)
{
	if (torus_replay_outages_create(&e->outage_rules, e->machine,
					e->options, e->next->submitted_us,
					torus_trace_header(e->trace)->unix_start,
					e->err) == 0)
		return TORUS_REPLAY_DONE;
	return errno == EINVAL ? TORUS_REPLAY_REFUSED :
				 torus_engine_no_memory(e, "outages");
}

/* A long line comes in pieces, with a backslash after each but the last. */
enum torus_replay_answer
torus_engine_weights(struct engine *e, const struct torus_replay_job *line)
{
	struct torus_text *text = &e->weights_text;
	int n = (int)line->text.length;
	bool more = n > 0 && line->text.data[n - 1] == '\\';
	struct torus_error why = { 0 };
	int rc = 0;

	if (torus_text_add(text, "%.*s", n - more, n ? line->text.data : ""))
		return torus_engine_no_memory(e, "weights");
	if (more)
		return TORUS_REPLAY_DONE;
	if (!e->weights_kept)
		rc = torus_weights_parse(e->machine, text->data, e->weights,
					 &why);
	text->length = 0;
	e->weights_changed = true;
	if (rc == 0)
		return TORUS_REPLAY_DONE;
	if (why.count == 0)
		return torus_engine_no_memory(e, "weights");
	torus_error_add(e->err, "line %llu: %s", (unsigned long long)line->line,
			why.text);
	return TORUS_REPLAY_REFUSED;
}

enum torus_replay_answer torus_engine_set_weights(struct engine *e)
{
	uint64_t before = torus_state_generation(e->state);

	e->weights_changed = false;
	if (e->weights_kept)
		return TORUS_REPLAY_DONE;
	if (torus_state_set_weights(e->state, e->weights))
		return torus_engine_no_memory(e, "weights");
	e->changed |= torus_state_generation(e->state) != before;
	return TORUS_REPLAY_DONE;
}

int torus_engine_await_move(struct engine *e, struct torus_replay_job *job)
{
	struct torus_end move = { .order = e->order++, .job = job };

	if (!job->only_now->next)
		return 0;
	move.at_us = job->only_now->next->at_us;
	return torus_ends_add(&e->moves, move);
}

void torus_engine_forget_moves(struct engine *e, struct torus_replay_job *job)
{
	if (job->only_now->next)
		torus_ends_remove(&e->moves, job);
	job->only_now = NULL;
}

/* A long line comes in pieces, with a backslash after each but the last. */
enum torus_replay_answer torus_engine_outages(struct engine *e,
					      const struct torus_text *line)
{
	const struct torus_replay_clock clock = { e->jobs.first_submit_us,
						  e->options->load_scale };
	struct torus_text *text = &e->outage_text;
	int n = (int)line->length, rc;
	bool more = n > 0 && line->data[n - 1] == '\\';

	if (e->outage_rules) {
		torus_error_add(e->err,
				"--outage: this journal has outages of its own; omit --outage");
		return TORUS_REPLAY_REFUSED;
	}
	if (torus_text_add(text, "%.*s", n - more, n ? line->data : ""))
		return torus_engine_no_memory(e, "outages");
	if (more)
		return TORUS_REPLAY_DONE;
	rc = torus_replay_outages_add(&e->outages, e->machine, text->data,
				      &clock, e->err);
	text->length = 0;
	if (rc == 0)
		return TORUS_REPLAY_DONE;
	return errno == EINVAL ? TORUS_REPLAY_REFUSED :
				 torus_engine_failed(e, "outages");
}

/* If the journal lost the line, the job has no outages. */
void torus_engine_restrict(const struct engine *e, struct torus_replay_job *job)
{
	job->job.outages = torus_replay_outages_all(e->outage_rules);
	if (job->only_now && !e->outage_rules)
		job->job.outages =
			torus_replay_outages_find(e->outages,
						  job->only_now->outages);
}

/* Return true if the job's reservation may stay. */
static bool engine_place_suits(struct engine *e, const struct torus_job *job,
			       const uint64_t *allowed,
			       const struct torus_outages *outages)
{
	uint32_t words = e->machine->words;
	const struct torus_reservation *r;
	uint64_t *map;
	bool suits;

	if (job->reservation == UINT32_MAX)
		return false;
	map = torus_scratch_take(&e->scratch);
	r = torus_plan_reservation(torus_scheduler_plan(e->scheduler),
				   job->reservation);
	torus_bits_zero(map, words);
	torus_placement_paint(e->machine, &r->place, map);
	suits = (!allowed || torus_bits_subset(map, allowed, words)) &&
		(!outages || torus_outages_allow(outages, r->start_us,
						 r->end_us, map, words));
	torus_scratch_return(&e->scratch, map);
	return suits;
}

/* Apply other allowed nodes or outages: the job keeps its queue position. If
 * its reservation does not fit them, it is submitted again. */
static enum torus_replay_answer engine_move(struct engine *e,
					    struct torus_replay_job *job)
{
	enum torus_answer answer = TORUS_FITS;
	const uint64_t *allowed = torus_replay_only_map(job->only_now);
	const struct torus_outages *outages =
		e->outage_rules ?
			torus_replay_outages_all(e->outage_rules) :
			torus_replay_outages_find(e->outages,
						  job->only_now->outages);

	torus_error_clear(&e->why);
	if (engine_place_suits(e, &job->job, allowed, outages)) {
		torus_scheduler_readmit(e->scheduler, &job->job, allowed,
					outages, e->now_us);
	} else {
		torus_scheduler_remove(e->scheduler, &job->job, e->now_us);
		job->job.allowed = allowed;
		job->job.outages = outages;
		answer = torus_scheduler_submit(e->scheduler, &job->job,
						e->now_us, &e->why);
	}
	if (answer == TORUS_NEVER)
		return torus_engine_reject_queued(e, job, e->why.text);
	return torus_scheduler_lacked_memory(e->scheduler) ?
		       torus_engine_no_memory(e, "nodes") :
		       TORUS_REPLAY_DONE;
}

enum torus_replay_answer torus_engine_move_all(struct engine *e)
{
	enum torus_replay_answer answer = TORUS_REPLAY_DONE;
	const struct torus_end *first;

	while (!answer && (first = torus_ends_first(&e->moves)) &&
	       first->at_us == e->now_us) {
		struct torus_replay_job *job = first->job;

		torus_ends_drop(&e->moves);
		job->only_now = job->only_now->next;
		answer = torus_engine_await_move(e, job) ?
				 torus_engine_failed(e, "nodes") :
				 engine_move(e, job);
	}
	return answer;
}
