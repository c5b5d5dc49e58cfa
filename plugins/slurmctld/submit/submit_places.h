/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The place of a submitted job in the empty machine and in its partitions (submit_places.c). */
#ifndef SLURMCTLD_SUBMIT_SUBMIT_PLACES_H
#define SLURMCTLD_SUBMIT_SUBMIT_PLACES_H

#include "slurmctld/instance/instance.h"

/* The first alternative that can ever run becomes desc's. Results as in
 * submit_options.h. */
int submit_places_check(struct instance *in, bool in_charge,
			job_desc_msg_t *desc,
			const struct torus_request *request, char **err_msg);

/* A shape within one node beside --gres becomes a job of one node without a shape.
 * Return true if it is such a job. */
bool submit_places_part_of_node(const struct instance *in, job_desc_msg_t *desc,
				const struct torus_request *request,
				char **err_msg);

#endif
