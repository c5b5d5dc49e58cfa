/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that only a journal of sched/torus has beside its jobs: limits that changed while
 * jobs ran (engine_journal.c).
 */
#ifndef REPLAY_ENGINE_JOURNAL_H
#define REPLAY_ENGINE_JOURNAL_H

#include "replay/engine.h"

/* Withhold nodes that are out or busy; torus_scheduler_change() must follow. */
enum torus_replay_answer
torus_engine_withhold(struct engine *e, const struct torus_replay_job *withheld);

/* Apply a line about a link; set the links after all lines of this instant. */
enum torus_replay_answer torus_engine_link(struct engine *e,
					   const struct torus_replay_job *line);
enum torus_replay_answer torus_engine_set_links(struct engine *e);

/* Apply a line about node weights; the same for them. */
enum torus_replay_answer
torus_engine_weights(struct engine *e, const struct torus_replay_job *line);
enum torus_replay_answer torus_engine_set_weights(struct engine *e);

/* Make the outages of the options' rules; apply a line about outages; attach to a job to
 * be submitted the outages that it names, or those of the rules. */
enum torus_replay_answer torus_engine_outages_begin(struct engine *e);
enum torus_replay_answer torus_engine_outages(struct engine *e,
					      const struct torus_text *text);
void torus_engine_restrict(const struct engine *e, struct torus_replay_job *job);

/* Wait for the next change of a job that has changes or only_now (0, or -1 with
 * ENOMEM), cancel the wait, or apply what is due now. */
int torus_engine_await_change(struct engine *e, struct torus_replay_job *job);
void torus_engine_forget_changes(struct engine *e, struct torus_replay_job *job);
enum torus_replay_answer torus_engine_change_all(struct engine *e);
int torus_engine_await_move(struct engine *e, struct torus_replay_job *job);
void torus_engine_forget_moves(struct engine *e, struct torus_replay_job *job);
enum torus_replay_answer torus_engine_move_all(struct engine *e);

#endif
