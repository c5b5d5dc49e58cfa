/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in Slurm's StateSaveLocation (format/stream.h): the machine state
 * (torus_state_save()), and the promises of sched/torus (saved_promises_save())
 * (state_file.c).
 */
#ifndef SLURMCTLD_INSTANCE_STATE_FILE_H
#define SLURMCTLD_INSTANCE_STATE_FILE_H

#include "slurmctld/instance/instance.h"

/* The state as text in a file of that directory.
 * state_file_write(): 0, or -1 with the reason logged. state_file_restore():
 * read it into a state without jobs; an invalid file is logged and ignored. */
int state_file_write(const char *directory, const char *text);
void state_file_restore(struct instance *in, const char *directory);

/* The same for sched/torus's promises; reading appends to `text`. */
int state_file_write_promises(const char *directory, const char *text);
void state_file_read_promises(const char *directory,
			      struct torus_text *promises);

#endif
