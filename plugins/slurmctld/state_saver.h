/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that saves the machine state soon after each change, for versions
 * of Slurm that do not say when to.
 */
#ifndef SLURMCTLD_STATE_SAVER_H
#define SLURMCTLD_STATE_SAVER_H

/* Has save(directory) called from now on; starting twice is once. Stopping
 * saves what has been noted. Not both at a time. 0, or -1 with errno. */
int state_saver_start(int (*save)(const char *directory), const char *directory);
void state_saver_stop(void);

/* Something has changed. Costs a mutex; nothing where no thread runs. */
void state_saver_note(void);

#endif
