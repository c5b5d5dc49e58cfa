/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of the simulated site (rules.c): each prints what is broken, and exits. */
#ifndef SIM_RULES_H
#define SIM_RULES_H

#include "world.h"

/* Print the broken rule and exit. */
void rule_broken(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
/* Why Slurm would refuse the order now, or NULL. */
const char *rule_forbids(const struct sim_world *w, const struct sim_job *j,
			 const struct cycle_order *o);
/* Is it a place of the job's shape? */
void rule_place(const struct sim_world *w, const struct sim_job *j,
		const struct cycle_order *o);
bool rule_is_reserved(const struct sim_world *w, const struct sim_job *j,
		      const struct cycle_order *o);
void rule_start(struct sim_world *w, const struct sim_job *j,
		const struct cycle_order *o);
void rule_another_place(const struct sim_world *w, struct sim_job *j,
			const struct cycle_order *o);
void rule_mirror(struct sim_world *w);
void rule_after_cycle(struct sim_world *w, bool idle);
void rule_promises(struct sim_world *w);
/* Note what the saved promises are; compare with what was restored, before a pass. */
void rule_saved(struct sim_world *w, bool carried);
void rule_restored(struct sim_world *w);
void rule_journal(struct sim_world *w);
bool rule_could_start(const struct sim_world *w, const struct sim_job *j,
		      bool now);

#endif
