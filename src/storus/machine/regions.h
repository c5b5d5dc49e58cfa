/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path of a site's torus.yaml, and regions by name on a machine of several
 * toruses.
 */
#ifndef STORUS_REGIONS_H
#define STORUS_REGIONS_H

#include "torus/config.h"

/*
 * The path of torus.yaml: beside the slurm.conf that SLURM_CONF names, else
 * /etc/slurm/torus.yaml. Written to buffer, which is returned.
 */
const char *storus_config_path(char *buffer, size_t size);

/*
 * Paint the nodes of a region's text (or scattered nodes) into a machine
 * bitmap. one: scratch of the machine's words. 0, or -1 with a line in err.
 */
int storus_regions_paint(const struct torus_machine *m, const char *region,
			 uint64_t *one, uint64_t *map, struct torus_error *err);

#endif
