/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where `storus map` gets its jobs from, and the place of one more. */
#ifndef STORUS_MAP_SOURCE_H
#define STORUS_MAP_SOURCE_H

#include "report/map.h"
#include "storus/base/json.h"
#include "storus/machine/question.h"
#include "torus/text.h"
#include "trace/trace.h"

/* What the sources need; the bitmap is scratch of the machine's words. */
struct storus_map {
	const struct torus_config *config;
	struct report_map map;
	uint64_t *nodes;
	const char *title;      /* what is shown, and when */
	struct torus_text note; /* the answer of --fit */
	struct torus_text largest;
	struct torus_text reserved; /* map.reserved */
	json_t *reserved_json;      /* the same: name, place, start, end */
	struct torus_text links;    /* that are not healthy: map.links */
	json_t *largest_json; /* per torus: region, nodes; null: no idle node */
	struct report_origin origin;
};

/* The snapshot's jobs, its nodes that are out of service, hidden or reserved, its
 * reservations, and its links that are not healthy, onto the map. -1 with ENOMEM. */
int storus_map_fill(struct storus_map *m, const struct snapshot *snapshot);
void storus_map_free(struct storus_map *m);

/*
 * Find a place for the question's request on the machine. Marks the place, and
 * writes the note. The question has the snapshot. STORUS_NO: nowhere, the note says
 * why.
 */
int storus_map_fit(struct storus_map *m, struct storus_question *q,
		   struct torus_error *err);

/* storus map --watch: the map on the whole screen, drawn anew, until q or a signal;
 * asks every `seconds`. Returns an exit status. */
int storus_map_watch(struct storus_source *source, uint32_t seconds);

/* Write the largest idle box of each torus to m->largest and m->largest_json, and
 * the idle nodes to m->nodes. -1 with ENOMEM. */
int storus_map_largest(struct storus_map *m);

#endif
