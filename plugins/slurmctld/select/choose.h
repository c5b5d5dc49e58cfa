/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What job_test() asks: which region does a shaped job get (choose.c), and whose nodes may
 * it use?
 */
#ifndef SLURMCTLD_SELECT_CHOOSE_H
#define SLURMCTLD_SELECT_CHOOSE_H

#include "slurmctld/instance/instance.h"

int choose_place(struct instance *in, struct torus_choice *c);

/* Order NULL: nothing may start */
int choose_ordered(struct instance *in, struct start_order *order,
		   struct torus_choice *c);

/* Return those of the nodes that have more CPUs than the smallest. */
bitstr_t *choose_larger(const bitstr_t *nodes);

/*
 * shape_wait.c: how long a job waits for its shape: while as many nodes are free as it
 * needs, but they form no place for it. For AdminComment, and from there for accounting.
 *
 * Note what a pending job waits for from now on. The first note of a second counts: its
 * search is the one for a start now. Return the seconds for a job that begins, and
 * forget them.
 */
void shape_wait_note(uint32_t job, bool for_shape);
uint32_t shape_wait_take(const job_record_t *job);

/* victims.c: whose nodes a start may use. */

/* Jobs that Slurm may end for a start, by their ids. `candidates` is Slurm's
 * list of jobs that may be preempted, or NULL. */
struct victims {
	uint32_t *id; /* sorted */
	uint32_t count, room;
};

void victims_open(struct victims *v, compat_list candidates);
void victims_close(struct victims *v);

/* Clear the nodes of all jobs but the victims; of suspended jobs, whose nodes Slurm
 * calls idle. */
void victims_keep_off(const struct victims *v, bitstr_t *nodes);
void victims_keep_off_suspended(bitstr_t *nodes);

/* The exports of torus_slurm.h: keep_off_shapes, users, start. */
void victims_keep_off_shapes(const job_record_t *job, bitstr_t *nodes,
			     uint16_t mode, compat_list candidates);
enum place_users victims_of_place(const job_record_t *job, const bitstr_t *place,
				  compat_list candidates, compat_list *ended);
int victims_check_start(job_record_t *job);

/* job_display.c: how a placement is displayed. */

/* Set AdminComment and environment of a job. job_display_place()
 * does so only if the job shows no place yet. */
void job_display_place(const struct instance *in, job_record_t *job,
		       const struct torus_placement *place);
void job_display_clear(job_record_t *job);

/* Return true if an entry of an environment, NAME=VALUE, is of a placement. */
bool job_display_is_place(const char *entry);

/*
 * Number the tasks of a new step over all nodes of its job in the order of
 * TORUS_RANK_ORDER, if the job has one. Each node keeps its count of tasks. A step whose
 * user chose another distribution (cyclic with more tasks than nodes, plane, arbitrary)
 * stays as it is. Needs the job lock.
 */
void step_layout_order(step_record_t *step); /* step_layout.c */

#endif
