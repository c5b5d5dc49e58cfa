/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal: what sched/torus was told and did, as lines of CSV on the clock
 * of its cycles. `storus replay` reads it as a trace, `storus parity` compares.
 *
 * A stay is the time of a job in the queue or on its nodes. It has a number and
 * a line each time that something about it changes; the latest line counts:
 *
 *	begin                      a cycle begins: stays are counted anew, and what
 *	                           it begins with follows
 *	state                      a line of that: the scheduler's settings, the
 *	                           machine's state (torus/state.h), what was promised;
 *	                           later, that a job has nodes that were not given to
 *	                           it by the scheduler
 *	waiting, running           stays that are not over
 *	completed, rejected,
 *	withdrawn, undone, shared  stays that are over
 *	outages                    times at which some jobs cannot have some nodes
 *	                           (torus/outage.h), under a number: jobs whose
 *	                           nodes end in ! and that number have them
 *	out, busy                  nodes that jobs cannot have from now on
 *	link                       a link is down, weak or up from now on; or none is
 *	                           down or weak, where a cycle begins: those that are follow
 *	pass                       a pass, which nothing else here calls for
 *	would                      a dry run: the job would start there now, or,
 *	                           without a region, be turned down
 *	until                      all that happened up to this time is above
 *	lost                       so many lines could not be written here
 *
 * A cycle begins with jobs that run, whose stays have "given" for a placement,
 * jobs that wait, and what was promised to them. So a file is as good alone as
 * with those before it, if a cycle begins where the file does: whoever writes
 * the journal begins another cycle when journal_ends() says so.
 *
 * Lines are collected in memory and written together: all of them, or, where
 * the file cannot take them, none. What is lost so is counted in the file as
 * soon as it can be written again.
 */
#ifndef FORMAT_JOURNAL_H
#define FORMAT_JOURNAL_H

#include "torus/scheduler.h"

#define JOURNAL_MARK "# torus journal " /* and the version: the first line */
#define JOURNAL_VERSION JOURNAL_MARK "4"

/* Times further away than a trace may tell are as good as never. */
#define JOURNAL_MOST_US (INT64_C(1000000000000) * 1000000)

enum journal_state {
	JOURNAL_WAITING,
	JOURNAL_RUNNING,   /* a pass started it */
	JOURNAL_COMPLETED, /* it ended, and its nodes are free */
	JOURNAL_REJECTED,  /* it was not admitted */
	JOURNAL_WITHDRAWN, /* it left the queue: cancelled, held, or changed,
			      and then it was told anew */
	JOURNAL_UNDONE,    /* a pass started it, but the host did not */
	JOURNAL_SHARED,    /* it shares nodes from now on: they are in use by
			      no job of the journal until it ends */
};

/* Its limit was changed while it ran. */
struct journal_limit {
	int64_t at_us;
	int64_t limit_us;
};

/* The nodes that it might use while it waited, and the number of its outages (0:
 * none), until they became others. */
struct journal_allowed {
	int64_t until_us;
	const uint64_t *nodes; /* machine bitmap; NULL: all */
	uint64_t outages;
};

struct journal_stay {
	uint64_t number;             /* since the cycle began, from 1 */
	const struct torus_job *job; /* id: the host's number */
	enum journal_state state;
	int64_t submitted_us;          /* the scheduler heard of it */
	int64_t ended_us;              /* and that it is over */
	const struct torus_hold *hold; /* NULL: it had no nodes */
	bool given; /* it had them before the scheduler heard of it */
	const struct journal_limit *limit; /* changes, in their order */
	uint32_t limits;
	const uint64_t *allowed; /* the nodes that it might use; NULL: all */
	uint64_t outages;        /* their number; 0: none */
	const struct journal_allowed *allowed_before; /* that, in their order */
	uint32_t allowed_changes;
};

/*
 * Nodes that the scheduler cannot give from now on: all that are out of
 * service, or those in use by none of its jobs until one time. The latter are
 * told together, a call for each time, or one without nodes.
 */
struct journal_nodes {
	bool out; /* of service */
	int64_t at_us;
	int64_t end_us; /* in use: expected to end then; 0: at any moment */
	const uint64_t *nodes; /* machine bitmap */
};

/* What a waiting job has been promised when a cycle begins. */
struct journal_promised {
	uint64_t number; /* of its stay */
	int64_t at_us;
	uint64_t job;
	struct torus_promised promised;
};

struct journal;

/* The machine must outlive it. NULL with ENOMEM. */
struct journal *journal_create(const char *path, const struct torus_machine *m);
/* What was not written is lost. */
void journal_destroy(struct journal *j);

/* Only its owner may read the file (or all may); as of the next write. */
void journal_private(struct journal *j, bool is_private);

/* The scheduler starts nothing: its settings say so. */
void journal_dry_run(struct journal *j);

/* Collect a line. */
void journal_begin(struct journal *j, int64_t at_us,
		   const struct torus_scheduler_settings *settings,
		   const char *state);
void journal_promised(struct journal *j, const struct journal_promised *p);
/* A job has nodes that the scheduler did not give to it. */
void journal_came(struct journal *j, int64_t at_us,
		  const struct torus_hold *hold);
/* Outages that jobs have from now on, under their number. */
void journal_outages(struct journal *j, int64_t at_us,
		     const struct torus_outages *o);
void journal_stay(struct journal *j, const struct journal_stay *s);
void journal_nodes(struct journal *j, const struct journal_nodes *n);
/* The link's health from now on; NULL: no link is down or weak. */
void journal_link(struct journal *j, int64_t at_us,
		  const struct torus_link *link);
/* The pass of that instant ended when it had looked at so many jobs. */
void journal_cut(struct journal *j, int64_t at_us, uint64_t jobs);
void journal_pass(struct journal *j, int64_t at_us);
/* A job would start there, or (NULL) be turned down. */
void journal_would(struct journal *j, int64_t at_us, uint32_t job,
		   const struct torus_placement *place);
void journal_until(struct journal *j, int64_t at_us);
/* Return true if there is nothing to write. */
bool journal_idle(const struct journal *j);

/*
 * Append what was collected to the file, which is made if it is not there. One
 * that an older version began becomes PATH.old. 0, or -1 with errno and a line
 * in err: what was collected is lost, and the file as it was. Anything but a
 * regular file that begins as a journal is left alone (EINVAL).
 */
int journal_write(struct journal *j, struct torus_error *err);

/*
 * Is this the end of the file? It has another name now, is shorter than it was,
 * or lost lines: then a cycle is to begin, with a journal of its own. O(1), a
 * system call.
 */
bool journal_ends(const struct journal *j);

/* Behind the settings of a scheduler that starts nothing. */
#define JOURNAL_DRY_RUN " dry_run"

/* The settings of a scheduler in one line, to compare them. */
int journal_settings(const struct torus_scheduler_settings *settings,
		     struct torus_text *text);

/* journal_file.c: the file, which stays open so that what belongs into it goes
 * there under whatever name it has. */
struct journal_file {
	int fd;      /* -1: not yet */
	int64_t end; /* its size */
};

/* Append text[1] and text[2] to the journal at PATH, all or none; text[0] is how
 * it begins. */
int journal_append(struct journal_file *file, const char *path, bool is_private,
		   const char *const text[3], struct torus_error *err);
bool journal_file_ended(const struct journal_file *file, const char *path);

#endif
