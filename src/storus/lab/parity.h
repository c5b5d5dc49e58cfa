/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two halves of storus parity: the jobs of a trace with their starts, and the same
 * jobs in a replay.
 */
#ifndef STORUS_PARITY_H
#define STORUS_PARITY_H

#include "replay/replay.h"
#include "torus/config.h"
#include "trace/joined.h"

/* A job in both halves. TORUS_NO_TIME: it has no such time. */
struct parity_pair {
	char id[TORUS_TRACE_ID_SIZE];
	int64_t submit_us;                 /* or when it became eligible */
	int64_t live_us, live_end_us;      /* start and end in the cluster */
	int64_t replay_us, replay_end_us;  /* the same in the replay */
	char live[TORUS_TRACE_PLACE_SIZE]; /* region, or "" */
	char replay[TORUS_TRACE_PLACE_SIZE];
	bool replayed;   /* the replay has the job */
	bool taken_over; /* it ran before its part begins; not compared */
	uint32_t part;   /* of the trace */
};

struct parity_counts {
	uint64_t compared;      /* jobs in both halves */
	uint64_t missing;       /* jobs that the replay lacks */
	uint64_t order;         /* starts out of turn */
	uint64_t ties;          /* starts whose order the clock does not show */
	uint64_t regions_known; /* jobs with a region in both halves */
	uint64_t regions;       /* those whose regions differ */
	uint64_t times;         /* jobs whose starts differ */
	uint64_t foreign;       /* jobs without a region: not placed by shape */
	uint64_t taken_over;    /* jobs that ran when a scheduler began */
	double mean_s, max_s;   /* difference of the starts */
	double median_s; /* how much later the cluster was; of half the jobs
				   more, of half less */

	/* Busy periods: from idle to idle in both halves. */
	uint64_t same, unclear, different;
	uint64_t decided; /* jobs that are known to be the same */
};

struct parity {
	struct torus_config *config;
	const char *path; /* of the trace, for messages */
	struct torus_trace_choice choice;
	struct torus_replay_options how;
	int64_t within_us; /* starts at most this far apart are the same */
	int64_t grain_us;  /* resolution of the trace's clock: 0, or a second */
	struct torus_trace_counts read;
	char digest[TORUS_TRACE_DIGEST_SIZE]; /* of the trace */

	uint32_t outside; /* the largest number of nodes in no torus */

	/* A journal has a piece for each scheduler, with its own settings. */
	const char *discipline;         /* --discipline, or NULL */
	struct torus_options of_policy; /* --option: of every piece */
	uint32_t pieces;                /* number of pieces */
	uint32_t other_pieces;          /* pieces of another discipline */
	uint32_t changed; /* pieces whose settings differ from torus.yaml */
	char *settings;   /* settings of the first of these; NULL: none */
	struct torus_text disciplines; /* disciplines that judge: "easy, fcfs" */
	struct torus_text
		cluster_disciplines; /* disciplines of the cluster, if others */

	struct torus_trace_record *record; /* by parts, in order of submission */
	size_t records;
	uint32_t room;
	struct torus_trace_parts parts;
	struct parity_pair *pair; /* one for each record that is a job */
	size_t pairs;

	struct parity_counts counts;
	struct parity_pair first; /* first job that is known to differ */
	bool has_first;           /* there is such a job */
};

/* parity_read.c: read the trace, replay it. Return STORUS_DONE, or another status
 * after a line on stderr. */
int parity_read(struct parity *p, const char *path);
int parity_replay(struct parity *p);
void parity_free(struct parity *p);

/* Report why a trace or a replay was refused: the user's input, or trouble. Return the
 * exit status. */
int parity_refused(const struct torus_error *err, bool input);

/* Return true if a scheduler's line says that it began a dry run. */
bool parity_is_dry_run(const struct torus_text *settings);

/* parity_judge.c: compare the pairs and sort them by their starts in the replay.
 * Return 0, or -1 with ENOMEM. */
int parity_judge(struct parity *p);
bool parity_other_time(const struct parity *p, const struct parity_pair *pair);
bool parity_other_region(const struct parity_pair *pair);

#endif
