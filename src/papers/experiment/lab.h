/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One experiment: its points, its claims, its files.
 *
 *	NAME.csv          the data, with intervals and provenance
 *	NAME.claims.csv   a row per claim
 *	NAME.gp .svg .png the picture, and the script that draws it
 */
#ifndef EXPERIMENT_LAB_H
#define EXPERIMENT_LAB_H

#include <math.h>

#include "config/tree.h"
#include "papers/experiment/experiment.h"
#include "replay/replay.h"
#include "replay/metrics.h"
#include "trace/trace.h"

#define TORUS_LAB_SEEDS 100 /* maximum replications of a point */

/* A point of a series: the mean over seeds. */
struct torus_point {
	const struct torus_series *series;
	double key; /* value of the parameter that varies */
	struct torus_moments x, y;
	double value[TORUS_LAB_SEEDS]; /* y by seed - first; NAN: none */
};

enum torus_verdict {
	TORUS_CLAIM_REPRODUCED,
	TORUS_CLAIM_UNDECIDED, /* the interval is too wide to decide */
	TORUS_CLAIM_NOT,
};
extern const char *const torus_verdicts[];

struct torus_claim {
	enum torus_verdict verdict;
	const char *says, *test, *got;
	const char *why; /* NULL, or why the claim is not reproduced */
};

struct torus_lab {
	const struct torus_experiment *experiment;
	const char *directory;                /* for all files */
	const char *traces;                   /* directory of logs, or NULL */
	const char *command;                  /* for provenance */
	char digest[TORUS_TRACE_DIGEST_SIZE]; /* of the replayed log; "":
						 none */
	uint32_t first_seed, last_seed; /* 0, 0: as many as the experiment has,
					   from 1 on */
	bool quick;
	bool latex; /* NAME.tex and NAME.pdf, too */
	struct torus_point *point;
	uint32_t points, points_room;
	struct torus_claim *claim;
	uint32_t claims, claims_room;
	uint32_t surprises; /* claims with a worse verdict than the recorded one */
	bool no_memory;
	struct arena arena; /* texts of claims */
};

void torus_lab_begin(struct torus_lab *lab,
		     const struct torus_experiment *experiment);
/* Get the checksum of the replayed log, if there is one. 0, or -1 with a line
 * in err or errno. */
int torus_lab_trace(struct torus_lab *lab, struct torus_error *err);
void torus_lab_end(struct torus_lab *lab);

/* The first seed, and how many of an experiment that has `full` of them, `quick`
 * with --quick. */
uint32_t torus_lab_first(const struct torus_lab *lab);
uint32_t torus_lab_seeds(const struct torus_lab *lab, uint32_t full,
			 uint32_t quick);

/* Write the seeds of the points, "1-50"; "" without random numbers. Return
 * buffer. */
#define TORUS_LAB_RANGE 24
const char *torus_lab_range(const struct torus_lab *lab,
			    char buffer[TORUS_LAB_RANGE]);

/* Add a run's y (and x) at the key; NAN: missing. -1 with ENOMEM. */
int torus_lab_add(struct torus_lab *lab, const struct torus_series *series,
		  double key, uint32_t seed, double x, double y);
/* Sort the points by series, in the order of the declaration, then by key. */
void torus_lab_sort(struct torus_lab *lab);

/* Load the experiment's points from the file. 0, or -1 with a line in err. */
int torus_lab_load(struct torus_lab *lab, struct torus_result_file *file,
		   struct torus_error *err);

/* Replay the jobs on a machine's file, with its scheduler; closes the trace. 0, or -1
 * with errno (machine or trace NULL: it could not be opened). */
int torus_lab_replay(const char *machine, struct torus_trace *in,
		     const struct torus_replay_hooks *hooks);

/* Return DIRECTORY/NAME.ending, to be freed with free(); or NULL. */
char *torus_lab_path(const struct torus_lab *lab, const char *ending);

/* Create that file and write its provenance. NULL with errno. Close it: 0, or
 * -1 if not all data could be written. */
FILE *torus_lab_open(const struct torus_lab *lab, const char *ending);
int torus_lab_close(FILE *out);

/* Write the points as CSV; the claims as CSV. 0, or -1 with errno. */
int torus_lab_data(const struct torus_lab *lab);
int torus_lab_claims(const struct torus_lab *lab);

/* Return half the width of the interval; 0 if there is one run only. */
double torus_lab_half(const struct torus_moments *m);

/* A value and its tolerance. */
struct torus_lab_band {
	double value, tolerance;
};
#define TORUS_BAND(...) ((struct torus_lab_band){ __VA_ARGS__ })

/*
 * Claims about every key at which both series have a point, from first to last
 * (every_claim.c). Not reproduced if one key is not; undecided if one key is.
 */
struct torus_range {
	double first, last;
};
#define TORUS_RANGE(...) ((struct torus_range){ __VA_ARGS__ })
#define TORUS_LAB_ALL TORUS_RANGE(-INFINITY, INFINITY)

/* Claim that a lies below b. */
void torus_lab_every_less(struct torus_lab *lab, const char *a, const char *b,
			  struct torus_range keys, const char *why,
			  const char *says);

/* Claim that a over b lies within low .. high. */
void torus_lab_every_ratio(struct torus_lab *lab, const char *a, const char *b,
			   struct torus_range keys, struct torus_range within,
			   const char *why, const char *says);

/* Claim that a series grows from each key to the next. */
void torus_lab_every_growth(struct torus_lab *lab, const char *label,
			    struct torus_range keys, const char *says);

/*
 * For other claims: the moments over the seeds of a weighted sum of points, and
 * the verdict on an interval within low .. high.
 */
struct torus_term {
	const struct torus_point *point;
	double factor;
};
#define TORUS_TERMS(...)                                                       \
	(const struct torus_term[]){ __VA_ARGS__ },                            \
		(int)(sizeof((const struct torus_term[]){ __VA_ARGS__ }) /     \
		      sizeof(struct torus_term))

#endif
