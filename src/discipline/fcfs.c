/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First come, first served (Aida, Kasahara, Narita 1998, section 3.1): the
 * head of the queue starts when it has a place; nobody overtakes it.
 *
 * Cost: a pass looks at the jobs that it starts and the one that blocks, and
 * at that one only if nodes became free.
 */
#include "discipline/disciplines.h"

void *torus_plain_create(struct torus_scheduler *s)
{
	return s;
}

void torus_plain_destroy(void *self)
{
	(void)self;
}

int64_t torus_plain_pass(void *self, int64_t now)
{
	struct torus_scheduler *s = self;

	while (s->queue.head && torus_scheduler_try(s, s->queue.head, now))
		;
	return s->queue.head ? torus_job_next_alternative(s->queue.head, now) :
			       TORUS_NO_TIME;
}

const struct torus_discipline torus_discipline_fcfs = {
	.name = "fcfs",
	.summary = "first come, first served: nobody overtakes the head",
	.source = "Aida, Kasahara, Narita 1998, section 3.1",
	.limits_waiting = true,
	.create = torus_plain_create,
	.destroy = torus_plain_destroy,
	.pass = torus_plain_pass,
};
