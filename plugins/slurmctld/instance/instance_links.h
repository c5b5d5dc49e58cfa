/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The links files of torus.yaml, read again when one of them changes (instance_links.c). */
#ifndef SLURMCTLD_INSTANCE_INSTANCE_LINKS_H
#define SLURMCTLD_INSTANCE_INSTANCE_LINKS_H

#include "slurmctld/instance/instance.h"

/* Return true if torus.yaml names links files. */
bool instance_links_any(const struct instance *in);

/* Note the state of these files when torus.yaml is read. -1 with lines in err. */
int instance_links_begin(struct instance *in, struct torus_error *err);

/* Read changed links files. Needs the instance's lock and Slurm's job write lock. */
void instance_links_reread(void);

#endif
