/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_test()'s question: which region does a shaped job get? (With -w it holds certain nodes.)    RUN_NOW    on candidates that are idle (choose.c). */
#ifndef SLURMCTLD_SELECT_CHOOSE_H
#define SLURMCTLD_SELECT_CHOOSE_H

#include "slurmctld/instance/instance.h"

int choose_place(struct instance *in, struct torus_choice *c);

/* Order NULL: nothing may start */
int choose_ordered(struct instance *in, struct start_order *order,
		   struct torus_choice *c);

/* Return those of the nodes that have more CPUs than the smallest. */
bitstr_t *choose_larger(const bitstr_t *nodes);

#endif
