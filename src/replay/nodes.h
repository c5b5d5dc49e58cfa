/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of nodes named in a journal, as machine bitmaps. */
#ifndef REPLAY_NODES_H
#define REPLAY_NODES_H

#include "torus/state.h"
#include "trace/trace.h"

/* Read NODES, all or none, as a bitmap (zero for all); the text is modified.
 * Return 0, or -1 with EINVAL and a line in err. */
int torus_replay_nodes_read(const struct torus_machine *m, char *text,
			    uint64_t *map, bool *all, struct torus_error *err);

/* Equal sets are stored once, because the scheduler compares them by pointer.
 * Zeroed = empty. */
#define TORUS_REPLAY_SETS 256

struct torus_replay_set {
	struct torus_replay_set *next;
	struct torus_replay_sets *home;
	uint64_t hash, users;
	uint64_t map[];
};

struct torus_replay_sets {
	struct torus_replay_set *bucket[TORUS_REPLAY_SETS];
};

/* The nodes that a job may use from a time on, until the next entry. */
struct torus_replay_only {
	struct torus_replay_only *next;
	int64_t at_us;
	uint64_t outages; /* outages number in the journal; 0: none */
	bool all;
	struct torus_replay_set *set;
};

/* Read record->only, with an offset added to its times. Return 0, or -1 with
 * ENOMEM, or with EINVAL and a line in err. */
int torus_replay_only_make(struct torus_replay_only **list,
			   struct torus_replay_sets *sets,
			   const struct torus_machine *m,
			   const struct torus_trace_record *record,
			   int64_t shift_us, struct torus_error *err);
void torus_replay_only_free(struct torus_replay_only *list);

/* Return the nodes as in struct torus_job: NULL for all. */
static inline const uint64_t *
torus_replay_only_map(const struct torus_replay_only *only)
{
	return only->all ? NULL : only->set->map;
}

#endif
