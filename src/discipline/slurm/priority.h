/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's priorities of pending jobs: priority/basic and priority/multifactor, whose
 * fair share follows from the usage of the replayed jobs. */
#ifndef DISCIPLINE_SLURM_PRIORITY_H
#define DISCIPLINE_SLURM_PRIORITY_H

#include "config/hostlist.h"
#include "torus/job.h"
#include "torus/slurm.h"

#define SLURM_NONE UINT32_MAX

/* What the discipline keeps of a job. */
struct slurm_job {
	struct torus_job *job;
	struct slurm_job *spare;
	uint32_t partition, association, qos; /* SLURM_NONE: unknown */
	uint32_t user;                        /* a number per name */
	uint32_t priority;
	uint32_t running; /* index in the list; SLURM_NONE */
	int64_t submit;   /* seconds */
	int64_t start;
	int64_t minutes;              /* limit */
	bool tried;                   /* the submission's own attempt is over */
	struct torus_job_parts parts; /* where nodes are shared: settled */
};

/* An association with its usage, in node seconds. */
struct slurm_share {
	uint32_t parent, shares;
	bool use_parent, is_user;
	bool granted; /* listed by the site, or made for a user of the trace */
	double usage;
	double norm;      /* share of its level; of the machine: classic */
	double effective; /* classic; NAN: not yet */
	double level;     /* fair tree */
	double factor;    /* fair tree */
	uint32_t child, sibling; /* SLURM_NONE: none */
	uint32_t level_shares;   /* of its siblings and itself */
};

/* A user or account among its siblings in the fair tree. */
struct slurm_level {
	double level; /* highest first; */
	bool is_user; /* then users */
	uint32_t share;
};

struct slurm_priority {
	const struct torus_slurm *conf;
	struct slurm_share *share; /* [0]: root */
	uint32_t shares, room;
	bool open;               /* users of the trace get a share each */
	bool stale;              /* shares were added */
	struct name_table names; /* "ACCOUNT" and "ACCOUNT/USER" -> share */
	struct name_table users; /* USER -> number */
	uint32_t user_numbers;
	char **text; /* of both tables */
	uint32_t texts, text_room;
	struct slurm_level *level; /* scratch of the fair tree */
	uint32_t level_room;
	uint32_t lowest; /* basic: lowest priority so far */
	uint64_t array;  /* basic: latest array, and its priority */
	uint32_t array_priority;
	uint32_t most_factor, most_qos;
	uint32_t machine_nodes;
	int64_t last; /* latest calculation, seconds */
	bool begun;
	struct slurm_job **running;
	uint32_t count, running_room;
};

/* -1 with ENOMEM. Zeroed = empty. */
int slurm_priority_init(struct slurm_priority *p,
			const struct torus_slurm *conf, uint32_t machine_nodes);
void slurm_priority_free(struct slurm_priority *p);

/* Find out about a new job, and set its first priority. -1 with ENOMEM. */
int slurm_priority_submit(struct slurm_priority *p, struct slurm_job *j);

/* Compute everything that is due up to now. Return true if a calculation was: the
 * priorities of pending jobs are then to be set again. */
bool slurm_priority_advance(struct slurm_priority *p, int64_t now);
/* Set the priority at the latest calculation. */
void slurm_priority_set(struct slurm_priority *p, struct slurm_job *j);
/* Return the time of the next calculation; INT64_MAX: none. */
int64_t slurm_priority_next(const struct slurm_priority *p);

/* A job begins and ends to use nodes. -1 with ENOMEM: its usage is not counted. */
int slurm_priority_start(struct slurm_priority *p, struct slurm_job *j,
			 int64_t now);
void slurm_priority_end(struct slurm_priority *p, struct slurm_job *j,
			int64_t now);

#endif
