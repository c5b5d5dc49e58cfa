/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of a campaign in memory: measures to compare, over which seeds.
 */
#ifndef CAMPAIGN_RESULTS_H
#define CAMPAIGN_RESULTS_H

#include <string.h>

#include "campaign/result_file.h"

/* Which jobs a measure covers. */
enum torus_measure_kind {
	TORUS_MEASURE_MACHINE,    /* all jobs */
	TORUS_MEASURE_MEAN,       /* completed jobs */
	TORUS_MEASURE_PERCENTILE, /* the same */
};

struct torus_measure {
	const char *key;  /* key in the summary */
	const char *part; /* key within that object, or NULL */
	const char *title;
	int decimals;
	enum torus_measure_kind kind;
};

/* The measures: ALL and MEAN(key, title, decimals), PART(key, part, title, decimals). */
#define TORUS_MEASURE_LIST(ALL, MEAN, PART)                                    \
	ALL("utilization", "utilization", 4)                                   \
	MEAN("mean_wait_s", "wait s", 1)                                       \
	MEAN("mean_response_s", "response s", 1)                               \
	MEAN("mean_bounded_slowdown", "slowdown", 2)                           \
	ALL("job_miss_ratio", "missed", 4)                                     \
	PART("wait_s", "p50", "wait 50 %", 1)                                  \
	PART("wait_s", "p90", "wait 90 %", 1)                                  \
	PART("wait_s", "p99", "wait 99 %", 1)                                  \
	PART("response_s", "p50", "response 50 %", 1)                          \
	PART("response_s", "p90", "response 90 %", 1)                          \
	PART("response_s", "p99", "response 99 %", 1)                          \
	PART("bounded_slowdown", "p50", "slowdown 50 %", 2)                    \
	PART("bounded_slowdown", "p90", "slowdown 90 %", 2)                    \
	PART("bounded_slowdown", "p99", "slowdown 99 %", 2)

#define TORUS_MEASURES 14
extern const struct torus_measure torus_measures[TORUS_MEASURES];

/* Numbers of jobs by outcome. */
enum torus_count {
	TORUS_COUNT_KEPT,
	TORUS_COUNT_COMPLETED,
	TORUS_COUNT_REJECTED,
	TORUS_COUNT_MISSED,
	TORUS_COUNT_UNFINISHED,
	TORUS_COUNTS
};

/* "kept" ... "unfinished", as in the summary. */
extern const char *const torus_count_names[TORUS_COUNTS];

struct torus_results_row {
	const char *word[TORUS_AXES];
	const char *build;            /* "": unknown */
	double value[TORUS_MEASURES]; /* NAN: none */
	uint64_t count[TORUS_COUNTS];
	bool growing;       /* the queue grows to the end of the trace */
	const char **unmet; /* outages that were never in effect */
	uint32_t unmets;
	double last_submit_s; /* after the first; NAN: unknown */
	const struct torus_ledger_batch *batch; /* options: {batches: ..}; of a log
						   beside resamples: days */
	uint32_t batches;
	double batch_s;
	uint64_t order; /* of torus_results_order() */
};

/* The seed of the cell that replays the log itself, beside resamples of it. */
#define TORUS_SEED_LOG "log"

/* Return true for a row of resamples of a log, and of the log itself. */
static inline bool torus_results_like(const struct torus_results_row *row)
{
	return !strncmp(row->word[TORUS_AXIS_TRACE], "like=", 5);
}
static inline bool torus_results_log(const struct torus_results_row *row)
{
	return torus_results_like(row) &&
	       !strcmp(row->word[TORUS_AXIS_SEED], TORUS_SEED_LOG);
}

/* Return the days of the log, and of how many pieces its resamples are drawn (0: many, or
 * unknown), by the row of the log. */
double torus_results_days(const struct torus_results_row *log);
uint32_t torus_results_pieces(const struct torus_results_row *log);

/* Fill in a measure's batches. A batch counts by its jobs, so that the mean of the values
 * is the mean of the jobs: sum of the batch / mean number of jobs of a batch. Return their
 * number; 0: the row has none, or not of this measure. */
uint32_t torus_results_batches(const struct torus_results_row *row, int measure,
			       double *value);

struct torus_results {
	struct torus_results_row *row;
	uint32_t n, room;
	struct arena arena;
};

/* Load all rows of the file. Return 0, or -1 with a line in err. */
int torus_results_load(struct torus_results *results,
		       struct torus_result_file *file, struct torus_error *err);
void torus_results_free(struct torus_results *results);
/* Sort the rows by the order of the campaign's values; others stand last. */
void torus_results_order(struct torus_results *results,
			 const struct torus_campaign *c);

/* The measures of a summary. */
void torus_results_measures(const char *summary, double value[TORUS_MEASURES]);

/* Return true if rows have different builds. */
bool torus_results_mixed(const struct torus_results *results);

/* Return true if an axis has more than one value in these rows. */
bool torus_results_vary(const struct torus_results *results,
			enum torus_axis axis);

/* Return true if two rows agree on all axes outside the mask (bit 1 << axis)
 * and have the same options. */
bool torus_results_same(const struct torus_results_row *a,
			const struct torus_results_row *b, uint32_t but);

#endif
