/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The links files of torus.yaml, read again when one of them changes (instance_links.c). */
#ifndef SLURMCTLD_INSTANCE_INSTANCE_LINKS_H
#define SLURMCTLD_INSTANCE_INSTANCE_LINKS_H

#include "slurmctld/instance/instance.h"

/* instance_links_any(): return true if torus.yaml names links files.
 * instance_links_begin(): note the state of these files when torus.yaml is
 * read. instance_links_reread(): read changed files; needs Slurm's job write
 * lock. Return 1 if files had changed; 0 if not; -1 with lines in err if a file
 * is invalid: then nothing changes. */
bool instance_links_any(const struct instance *in);
int instance_links_begin(struct instance *in, struct torus_error *err);
int instance_links_reread(struct instance *in, struct torus_error *err);

#endif
