/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A site's torus.yaml and its regions (regions.h). */
#include "storus/machine/regions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/regions.h"

const char *storus_config_path(char *buffer, size_t size)
{
	const char *conf = getenv("SLURM_CONF");
	const char *slash = conf ? strrchr(conf, '/') : NULL;

	if (conf && *conf)
		snprintf(buffer, size, "%.*storus.yaml",
			 slash ? (int)(slash - conf + 1) : 0, conf);
	else
		snprintf(buffer, size, "/etc/slurm/torus.yaml");
	return buffer;
}

int storus_regions_paint(const struct torus_machine *m, const char *region,
			 uint64_t *one, uint64_t *map, struct torus_error *err)
{
	struct torus_placement place;

	if (torus_regions_place_parse(m, region, one, &place, err))
		return -1;
	torus_placement_paint(m, &place, map);
	return 0;
}
