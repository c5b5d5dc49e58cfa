/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that saves the machine state soon after each change, for versions of Slurm
 * that do not tell a select plugin when to save.
 */
#ifndef SLURMCTLD_INSTANCE_STATE_SAVER_H
#define SLURMCTLD_INSTANCE_STATE_SAVER_H

/* Start the thread, which calls save(); a second start does nothing. Stop it after it
 * has saved all noted changes; if a save lasts, stop returns after 4 s, with ETIMEDOUT,
 * and the thread ends after that save. Do not call both at a time. 0, or -1 with
 * errno. */
int state_saver_start(int (*save)(void));
int state_saver_stop(void);

/* Note a change. Costs a mutex; does nothing if no thread runs. */
void state_saver_note(void);

#endif
