/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where `storus map` gets its jobs from, and the place of one more. */
#ifndef STORUS_MAP_SOURCE_H
#define STORUS_MAP_SOURCE_H

#include "report/map.h"
#include "storus/json.h"
#include "storus/question.h"
#include "torus/text.h"
#include "trace/trace.h"

/* What the sources need; the bitmaps are scratch of the machine's words. */
struct storus_map {
	struct torus_config *config;
	struct report_map map;
	uint64_t *nodes, *one;
	char title[300];        /* what is shown, and when */
	struct torus_text note; /* the answer of --fit */
	struct torus_text largest;
	json_t *largest_json; /* per torus: region, nodes; null: no idle node */
	struct report_origin origin;
	char digest[32 + TORUS_TRACE_DIGEST_SIZE]; /* "schedule_sha256: ...";
						      "": no schedule */
};

/*
 * Jobs that a schedule (storus replay --schedule) has running at `at_us`
 * (start <= at < end). Returns an exit status, lines in err.
 */
int storus_map_schedule(struct storus_map *m, const char *path, int64_t at_us,
			struct torus_error *err);

/*
 * Jobs and nodes of the live cluster, as squeue and sinfo show them. Returns an
 * exit status, lines in err.
 */
int storus_map_live(struct storus_map *m, struct torus_error *err);

/* Jobs as --busy lists them, on an otherwise idle machine. */
int storus_map_busy(struct storus_map *m, const struct storus_question *q,
		    struct torus_error *err);

/*
 * Where would the question's request go on the map's idle nodes? Marks the
 * place, and writes the note. STORUS_NO: nowhere, the note says why.
 */
int storus_map_fit(struct storus_map *m, struct storus_question *q,
		   struct torus_error *err);

/* Write the largest idle box of each torus to m->largest and m->largest_json, and
 * the idle nodes to m->nodes. -1 with ENOMEM. */
int storus_map_largest(struct storus_map *m);

#endif
