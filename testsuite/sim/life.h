/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's life on the simulated site (life.c). */
#ifndef SIM_LIFE_H
#define SIM_LIFE_H

#include "world.h"

/* Begin with what was saved, as slurmctld does. False: the machine does not suit. */
bool life_enter(struct sim_world *w);
void life_leave(struct sim_world *w);
/* Return false if not all could be saved, or if it crashed. */
bool life_save(struct sim_world *w);
/* Nothing is lost by a restart in order: promises are as they were. */
void life_restart(struct sim_world *w);
/* Restart with saved promises in an older version's form, or damaged ones. */
void life_older(struct sim_world *w);
void life_damaged(struct sim_world *w, struct random *r);
void life_other_settings(struct sim_world *w, struct random *r);
/* The same nodes in another order, or with another strategy. */
void life_other_machine(struct sim_world *w, struct random *r);
void life_run_cycle(struct sim_world *w);
/* A cycle in which the n-th allocation fails. */
void life_without_memory(struct sim_world *w, uint32_t n);
/* In a snapshot: if the journal's file has ended, begin another cycle and journal. */
void life_renew_journal(struct sim_world *w);
/* Note what the plan file will say; write it. */
void life_note_plan(struct sim_world *w);
void life_write_plan(struct sim_world *w, const struct agent_counts *counts);
/* The disk has room for so many bytes (-1: for all); slurmctld crashes within a write after
 * so many. */
void life_disk(struct sim_world *w, int64_t bytes);
void life_tear(struct sim_world *w, int64_t bytes);
/* Remove its files. */
void life_unlink(const struct sim_world *w);
/* After life_leave(): nothing is left in memory. */
void life_check_memory(void);

#endif
