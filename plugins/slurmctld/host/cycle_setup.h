/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The change from one torus.yaml to the next (cycle_setup.c). */
#ifndef SLURMCTLD_HOST_CYCLE_SETUP_H
#define SLURMCTLD_HOST_CYCLE_SETUP_H

#include "slurmctld/host/host.h"

/* Create or renew the cycle for the instance's torus.yaml.
 * The caller has locked the instance. Return false if no configuration is in
 * force. */
bool cycle_setup_begin(struct host *h, struct instance *in);
void cycle_setup_updated(void *arg, struct cycle *c);

/* Save the promises of the cycle if they have changed. */
void cycle_setup_save_promises(struct host *h, struct cycle *c);

/* Leave the host without a cycle. */
void cycle_setup_drop(struct host *h);

/* Write the lines of the journal. */
void cycle_setup_write_journal(struct host *h);

#endif
