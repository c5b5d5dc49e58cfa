/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choice of storus tune on the first half of the jobs (tune_choose.c), and its judgement
 * on the second (tune.c). */
#ifndef STORUS_TUNE_H
#define STORUS_TUNE_H

#include "replay/replay.h"
#include "storus/base/progress.h"
#include "storus/storus.h"
#include "torus/config.h"
#include "trace/log.h"

#define TUNE_WEEK_US (7 * 86400 * INT64_C(1000000))
#define TUNE_WAIT_TRAIN 1.1 /* longest wait, over that of EASY */

struct tune_candidate {
	const char *queue, *backfill, *bound;
	uint32_t places;
	const char *key; /* of the strategy; NULL: as torus.yaml says */
	char value[TORUS_OPTION_VALUE];
	double score; /* lower end of the relative gain */
};

struct tune_week {
	double wait, slowdown, jobs;
};

struct tune_gain {
	double value, low, high; /* above 0: better than EASY */
};

struct tune {
	const char *trace, *torus, *strategy, *json, *command;
	struct torus_trace_options input;
	struct torus_replay_options options;
	struct torus_config *config;
	struct torus_records records;
	uint64_t half; /* jobs of the first one */
	uint32_t weeks;
	struct tune_candidate chosen;
	struct storus_progress progress; /* replays of the candidates so far */
	uint32_t replays;
	struct torus_error err;
};

/* EASY with its defaults. */
extern const struct tune_candidate tune_choose_easy;

/* Set the discipline to easy with the candidate's options. 0, or -1. */
int tune_choose_apply(struct tune *t, const struct tune_candidate *c);

/* Replay `jobs` jobs of the records, with their arrivals faster by `load`. */
enum torus_replay_answer
tune_choose_replay(struct tune *t, uint64_t from, uint64_t jobs, double load,
		   const struct torus_replay_hooks *hooks,
		   struct torus_metrics *metrics);

/* Compare weeks in pairs: the difference of the means, with the interval that holds 95 %
 * of resamples of the weeks. The resamples are the same each time. */
struct tune_gain tune_choose_gain(const struct tune_week *easy,
				  const struct tune_week *other, uint32_t weeks,
				  bool slowdown);

/* Choose on the first half: orders first, then the rest. An exit status, after a line on
 * stderr. */
int tune_choose(struct tune *t);

#endif
