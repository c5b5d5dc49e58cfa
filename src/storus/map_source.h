/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where `storus map` gets its jobs from. */
#ifndef STORUS_MAP_SOURCE_H
#define STORUS_MAP_SOURCE_H

#include "report/map.h"
#include "torus/config.h"

/* What the sources need; the bitmaps are scratch of the machine's words. */
struct storus_map {
	struct torus_config *config;
	struct report_map map;
	uint64_t *nodes, *one;
};

/*
 * Jobs that a schedule (storus replay --schedule) has running at `at_us`
 * (start <= at < end). Returns an exit status, lines in err.
 */
int storus_map_schedule(struct storus_map *m, const char *path, int64_t at_us,
			struct torus_error *err);

/*
 * Jobs and nodes of the live cluster, as scontrol and sinfo tell. Returns an
 * exit status, lines in err.
 */
int storus_map_live(struct storus_map *m, struct torus_error *err);

#endif
