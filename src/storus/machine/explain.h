/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts about a job in `storus explain`, for its sentences and its JSON. */
#ifndef STORUS_EXPLAIN_H
#define STORUS_EXPLAIN_H

#include <jansson.h>

#include "questions/forward.h"
#include "questions/freeing.h"
#include "storus/machine/question.h"
#include "storus/base/table.h"
#include "torus/request.h"

#define EXPLAIN_SAME_US INT64_C(2000000) /* Slurm's times are whole seconds */
#define EXPLAIN_SHAPES 8 /* of the same size, that would start earlier */

#define EXPLAIN_NAMES 3 /* jobs that are named, of those before it */

/* One alternative of the request. */
struct explain_alternative {
	char geometry[TORUS_GEOMETRY_SIZE];
	enum torus_answer answer; /* now, whatever the queue does */
	int64_t from_us; /* accepted from then on; SNAPSHOT_NO_TIME: it is */
	char *region;    /* its place if it FITS; NULL: single nodes */
	struct freeing earliest; /* the place that is free first */
	int64_t start_us;        /* when that is */
	struct freeing cheapest; /* as storus defrag has it */
	struct torus_error why;
	char *out; /* nodes out of service without which it would fit now; NULL */
	char *links; /* dead links without which it would fit now; NULL */
};

/* Why the job starts later than a place is free for it: who has nodes of that place
 * before. */
struct explain_later {
	int64_t free_us; /* SNAPSHOT_NO_TIME: it does not start later */
	const struct snapshot_job *job;           /* or NULL */
	const struct snapshot_nodes *reservation; /* or NULL; not both */
	int64_t from_us, to_us; /* when that one has the nodes */
};

struct explain {
	struct storus_question q;
	struct storus_table table;
	struct storus_list ids; /* as typed; none: the caller's jobs */
	bool verbose;
	const char *id; /* of this answer */
	json_t *all;    /* of several jobs: the array for --json; or NULL */
	const struct snapshot_job *job;
	struct torus_request request;
	struct explain_alternative alternative[TORUS_MAX_ALTERNATIVES];
	struct forward forward;
	const struct forward_job *start; /* of the job */
	struct explain_later later;
	/* the jobs whose end frees the place of its start: the first of `lasts` */
	const struct snapshot_job *last[EXPLAIN_NAMES];
	uint32_t lasts;
	char shape[EXPLAIN_SHAPES][TORUS_MAX_DIMS * 11];
	int64_t shape_start_us[EXPLAIN_SHAPES];
	uint32_t shapes;
	uint64_t *allowed; /* nodes that it may use now */
	uint64_t *eventual; /* with those that are reserved now; `allowed` owns it */
	/* The snapshot; behind its jobs one more for each reservation in force, which
	 * holds the idle nodes. */
	struct snapshot holding;
	char *out; /* nodes out of service among the allowed ones; NULL: none */
	char *floating; /* reservations that keep nodes free of it; NULL: none */
};

/* Return the answer for the job: the best of the alternatives that it accepts now; if
 * it accepts none, the best of all. */
enum torus_answer explain_best(const struct explain *e);

/* When the job starts: Slurm's plan, else the forecast; SNAPSHOT_NO_TIME. */
int64_t explain_start(const struct explain *e);

/* Return how far two times of the job may be apart and are one: a start that Slurm plans
 * is in whole seconds. */
int64_t explain_same_us(const struct explain *e);

/* Return the alternative whose place is free first of those that have none now, or
 * UINT32_MAX. */
uint32_t explain_first(const struct explain *e);

/* Return the request in words; in `buffer` if it is a count. */
const char *explain_ask(const struct snapshot_job *j, char *buffer, size_t size);

/* Return where a job runs or is to run; NULL: unknown. */
const char *explain_where(const struct explain *e, const struct snapshot_job *j);

/* The place that is free first (explain_first.c), its holders as indices into
 * e->holding: prepare them; find it among the nodes; take the forecast's place where it
 * is free as early. 0, or -1 with ENOMEM. explain_clear() frees. */
int explain_first_prepare(struct explain *e);
int explain_first_find(struct explain *e, const struct torus_ask *ask,
		       const uint64_t *allowed, struct explain_alternative *a);
int explain_first_settle(struct explain *e);
void explain_first_free(struct explain *e);

/* Collect the facts about a waiting job. An exit status. */
int explain_pending(struct explain *e);

/* Answer for a job that has ended, from slurmctld as long as it remembers it. An exit
 * status; STORUS_GO: it knows no such job, with scontrol's reason in err. */
int explain_ended(struct explain *e, struct torus_error *err);

/* Free the facts and what the question loaded, not *e. */
void explain_clear(struct explain *e);

extern const char *const explain_answers[]; /* by enum torus_answer */

/* The text of a place; NULL: single nodes. The caller's to free. */
char *explain_region(const struct explain *e,
		     const struct torus_placement *place);

/* The table's columns: a row per alternative, or one for a running job. An exit
 * status. */
extern const struct storus_column explain_columns[];
int explain_put_table(struct explain *e);
/* The jobs marked in beside, a flag per job, as a table of their own. */
int explain_put_neighbours(const struct explain *e, const bool *beside);

void explain_print_pending(const struct explain *e);
void explain_print_running(const struct explain *e);
json_t *explain_running_json(const struct explain *e);
int explain_put_json(const struct explain *e);

#endif
