/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A site's torus.yaml and its regions (regions.h). */
#include "torus/state_text.h"
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

/* The torus that the text of a region names, or the only one. UINT32_MAX with
 * a line in err. */
static uint32_t pod_of(const struct torus_machine *m, const char *region,
		       struct torus_error *err)
{
	const char *colon = strchr(region, ':');
	char name[TORUS_NAME_SIZE];
	uint32_t p;

	if (!colon && m->pods == 1)
		return 0;
	if (!colon) {
		torus_error_add(err,
				"region: got \"%s\": this machine has %u toruses, so its name must come first, for example %s:%s",
				region, m->pods, m->pod[0].torus.name, region);
		return UINT32_MAX;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(colon - region), region);
	p = torus_machine_named(m, name);
	if (p == UINT32_MAX)
		torus_error_add(err,
				"region: got \"%s\": there is no torus named \"%s\"%s%s",
				region, name,
				m->pods == 1 ? "; this one is " : "",
				m->pods == 1 ? m->pod[0].torus.name : "");
	return p;
}

int storus_regions_place(const struct torus_machine *m, const char *region,
			 uint64_t *one, struct torus_placement *place,
			 struct torus_error *err)
{
	const struct torus_pod *pod;

	if (torus_regions_several(region)) {
		struct torus_regions regions;

		if (torus_regions_parse(m, region, NULL, &regions, err))
			return -1;
		*place = torus_regions_place(m, &regions, one);
		place->regions = NULL;
		return 0;
	}
	*place = (struct torus_placement){ .nodes = one };
	place->pod = pod_of(m, region, err);
	if (place->pod == UINT32_MAX)
		return -1;
	pod = &m->pod[place->pod];
	if (torus_region_parse(&place->region, &place->scattered, one,
			       &pod->torus, region, err))
		return -1;
	place->granted = place->scattered ?
				 torus_bits_count(one, pod->words) :
				 torus_region_nodes(&place->region, &pod->torus);
	return 0;
}

int storus_regions_paint(const struct torus_machine *m, const char *region,
			 uint64_t *one, uint64_t *map, struct torus_error *err)
{
	struct torus_placement place;

	if (storus_regions_place(m, region, one, &place, err))
		return -1;
	torus_placement_paint(m, &place, map);
	return 0;
}
