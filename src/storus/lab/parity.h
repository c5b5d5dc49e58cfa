/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two halves of storus parity: the jobs of a trace with their starts, and the same
 * jobs in a replay.
 */
#ifndef STORUS_PARITY_H
#define STORUS_PARITY_H

#include "replay/replay.h"
#include "torus/config.h"
#include "trace/parts.h"

/* A job in both halves. TORUS_NO_TIME: it has no such time. */
struct parity_pair {
	char id[TORUS_TRACE_ID_SIZE];
	int64_t submit_us; /* or when it became eligible */
	int64_t live_us, live_end_us;
	int64_t replay_us, replay_end_us;
	char live[TORUS_TRACE_PLACE_SIZE]; /* region, or "" */
	char replay[TORUS_TRACE_PLACE_SIZE];
	bool replayed;
	bool taken_over; /* it ran before its part begins: nothing to compare */
	uint32_t part;   /* of the trace */
};

struct parity_counts {
	uint64_t compared, missing;
	uint64_t order; /* starts out of turn */
	uint64_t ties;  /* unclear: the clock is too coarse */
	uint64_t regions_known, regions;
	uint64_t times;
	uint64_t foreign;    /* not placed by shape: no region to compare */
	uint64_t taken_over; /* ran when a scheduler began */
	double mean_s, max_s;

	/* busy periods: from idle to idle in both halves */
	uint64_t same, unclear, different;
	uint64_t decided; /* jobs that are known to be the same */
};

struct parity {
	struct torus_config *config;
	const char *path; /* of the trace, for messages */
	struct torus_replay_options how;
	int64_t within_us; /* starts so near each other are the same */
	int64_t grain_us;  /* of the trace's clock: 0, or a second */
	struct torus_trace_counts read;
	char digest[TORUS_TRACE_DIGEST_SIZE]; /* of the trace */

	uint32_t outside; /* the most nodes that no torus had */

	/* settings that parts have of their own: those of a journal */
	const char *discipline;        /* --discipline, or NULL */
	uint32_t pieces;               /* parts with such settings */
	uint32_t other;                /* pieces that had another discipline */
	uint32_t changed;              /* with others than torus.yaml */
	char *settings;                /* the first of these; NULL: none */
	struct torus_text disciplines; /* that judged: "easy, fcfs" */
	struct torus_text had;         /* those of the cluster, if others */

	struct torus_trace_record *record; /* by parts, in order of submission */
	size_t records;
	uint32_t room;
	struct torus_trace_parts parts;
	struct parity_pair *pair; /* of each that is a job */
	size_t pairs;

	struct parity_counts is;
	struct parity_pair first; /* that is known to differ, if any is */
	bool has_first;
};

/* parity_read.c: the trace and its replay. STORUS_DONE, or another status and
 * the reason said. */
int parity_read(struct parity *p, const char *path);
int parity_replay(struct parity *p);
void parity_free(struct parity *p);

/* Report why a trace or a replay was refused: the user's input, or trouble. Return the
 * exit status. */
int parity_refused(const struct torus_error *err, bool input);

/* Return true if a scheduler's line says that it began a dry run. */
bool parity_is_dry_run(const struct torus_text *settings);

/* parity_judge.c; -1 with ENOMEM. Leaves the pairs in the order in which the
 * replay started them. */
int parity_judge(struct parity *p);
bool parity_other_time(const struct parity *p, const struct parity_pair *pair);
bool parity_other_region(const struct parity_pair *pair);

#endif
