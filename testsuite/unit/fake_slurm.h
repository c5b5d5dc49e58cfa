/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of slurmctld for a test without it (fake_slurm.c). */
#ifndef TESTSUITE_FAKE_SLURM_H
#define TESTSUITE_FAKE_SLURM_H

#include <stdint.h>

#define FAKE_LIST_ROOM 16
#define FAKE_ERROR_SIZE 512

struct fake_list {
	unsigned count;
	void *item[FAKE_LIST_ROOM];
};

/* The latest line of error(), with its conversions as they are, and its jobs. */
extern char fake_error[FAKE_ERROR_SIZE];
extern const void *fake_error_job[2];
extern int (*fake_preempt_mode)(void *job);

void fake_list_add(struct fake_list *list, void *item);

#endif
