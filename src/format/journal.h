/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal: input and decisions of sched/torus, as lines of CSV on the clock
 * of its cycles. `storus replay` reads it as a trace; `storus parity` compares
 * it with a replay.
 *
 * A stay is the time of a job in the queue or on its nodes. It has a number,
 * and a line for each change; the latest line counts:
 *
 *	begin                      a cycle begins: stays are numbered anew; its
 *	                           initial state follows
 *	state                      a line of the initial state: the scheduler's
 *	                           settings, the machine's state (torus/state.h),
 *	                           promises, what users have used; later, a job that
 *	                           has nodes which the scheduler did not allocate
 *	waiting, running           an unfinished stay
 *	completed, rejected,
 *	withdrawn, undone, shared  a finished stay
 *	outages                    numbered times at which some jobs cannot have
 *	                           some nodes (torus/ask.h); they apply to jobs
 *	                           whose nodes end with ! and that number
 *	out, busy                  nodes that cannot be allocated from now on
 *	link                       a link is down, weak or up from now on; at the
 *	                           begin of a cycle: no link is down or weak, except
 *	                           those in the following lines
 *	weights                    node weights and nodes asleep from now on
 *	                           (torus/weights.h); what is not named stays. At
 *	                           the begin of a cycle: all nodes are alike, but
 *	                           for the following lines
 *	pass                       a pass that no other line implies
 *	would                      a dry run: the job would start there now, or,
 *	                           without a region, be rejected
 *	until                      the journal is complete up to this time
 *	lost                       this many lines could not be written here
 *
 * A cycle begins with the running jobs, whose stays have the placement "given",
 * the pending jobs, and the promises made to them. So a file that begins with a
 * cycle can be read without the files before it: the writer begins another
 * cycle if journal_ends() returns true.
 *
 * Lines are collected in memory and written together: all of them or, if the
 * write fails, none. The number of lost lines follows with the next write.
 */
#ifndef FORMAT_JOURNAL_H
#define FORMAT_JOURNAL_H

#include "torus/scheduler.h"
#include "torus/request_words.h"
#include "torus/usage.h"

/* Followed by the version: the first line. */
#define JOURNAL_MARK "# torus journal "
#define JOURNAL_VERSION JOURNAL_MARK "4"

/* Limit of times in a trace: longer job limits are written as this; later times
 * of outages are omitted. */
#define JOURNAL_MOST_US (INT64_C(1000000000000) * 1000000)

enum journal_state {
	JOURNAL_WAITING,
	JOURNAL_RUNNING,   /* a pass started it */
	JOURNAL_COMPLETED, /* it ended, and its nodes are free */
	JOURNAL_REJECTED,  /* it was not admitted */
	JOURNAL_WITHDRAWN, /* it left the queue: cancelled, held, or changed
			      and submitted again */
	JOURNAL_UNDONE,    /* a pass started it, but the host did not */
	JOURNAL_SHARED,    /* it shares nodes from now on: until it ends they
			      are in use by no job of the journal */
};

/* A change of the limit of a running job. */
struct journal_limit {
	int64_t at_us;
	int64_t limit_us;
};

/* The nodes that a pending job might use until they changed, and its outages
 * number (0: none). */
struct journal_allowed {
	int64_t until_us;
	const uint64_t *nodes; /* machine bitmap; NULL: all */
	uint64_t outages;
};

#define JOURNAL_LIMITS                                                         \
	32 /* changes of a job's limit: the first ones and the last */

struct journal_stay {
	uint64_t number;             /* since the cycle began, from 1 */
	const struct torus_job *job; /* id: the host's number */
	enum journal_state state;
	int64_t submitted_us;          /* when the scheduler learned of it */
	int64_t ended_us;              /* end of the stay */
	const struct torus_hold *hold; /* NULL: it had no nodes */
	bool host_started; /* it ran before the scheduler learned of it:
			      placement "given" */
	const struct journal_limit *limit; /* changes, in order */
	uint32_t limits;
	const uint64_t *allowed; /* nodes that it may use; NULL: all */
	uint64_t outages;        /* outages number; 0: none */
	/* earlier allowed nodes, in order */
	const struct journal_allowed *allowed_before;
	uint32_t allowed_changes;
};

struct journal;

/* The machine must outlive the journal. Return NULL with ENOMEM. */
struct journal *journal_create(const char *path, const struct torus_machine *m);
/* Lines not written are lost. */
void journal_destroy(struct journal *j);

/* Make the file readable only by its owner (or by all), from the next write
 * on. */
void journal_private(struct journal *j, bool is_private);

/* Record in the settings that the scheduler starts nothing. */
void journal_dry_run(struct journal *j);

/* Collect a line. */
void journal_begin(struct journal *j, int64_t at_us,
		   const struct torus_scheduler_settings *settings,
		   const char *state);
/* Note the promise that a pending job had when the cycle began; number: of its stay. */
void journal_promise(struct journal *j, int64_t at_us, uint64_t number,
		     uint64_t job, const struct torus_promise *promise);
/* Note what a user has used: node time in us, as the bits of a double. */
void journal_usage(struct journal *j, int64_t at_us,
		   const struct torus_usage *usage);
/* Note the hold of a job that the host started. */
void journal_host_hold(struct journal *j, int64_t at_us,
		       const struct torus_hold *hold);
/* Note outages under their number. */
void journal_outages(struct journal *j, int64_t at_us,
		     const struct torus_outages *o);
void journal_stay(struct journal *j, const struct journal_stay *s);
/*
 * Note nodes (a machine bitmap) that the scheduler cannot allocate from now on: all
 * nodes out of service, or the untracked busy nodes until one time (end_us; 0: any
 * moment). The latter are written together, one call per time, or one without nodes.
 */
void journal_nodes(struct journal *j, bool out, int64_t at_us, int64_t end_us,
		   const uint64_t *nodes);
/* Note the link's health; NULL: no link is down or weak. */
void journal_link(struct journal *j, int64_t at_us,
		  const struct torus_link *link);
/* Note the node weights, or only which nodes are asleep. */
void journal_weights(struct journal *j, int64_t at_us,
		     const struct torus_weights *weights, bool asleep_only);
/* Note that the pass at that instant ended after this many jobs. */
void journal_cut(struct journal *j, int64_t at_us, uint64_t jobs);
void journal_pass(struct journal *j, int64_t at_us);
/* Note where a job would start, or (NULL) that it would be rejected. */
void journal_would(struct journal *j, int64_t at_us, uint32_t job,
		   const struct torus_placement *place);
void journal_until(struct journal *j, int64_t at_us);
/* Return true if there is nothing to write. */
bool journal_idle(const struct journal *j);

/*
 * Append the collected lines to the file, which is created if missing. A file
 * of an older version is renamed to PATH.old. Return 0, or -1 with errno and a
 * line in err: the collected lines are lost and the file is unchanged. Anything
 * but a regular file that begins as a journal is not touched (EINVAL).
 */
int journal_write(struct journal *j, struct torus_error *err);

/*
 * Return true if the file has ended: it was renamed, is shorter than before, or
 * lost lines. Then a cycle must begin with a new journal. O(1), a system call.
 */
bool journal_ends(const struct journal *j);

/* journal_file.c: the file. It stays open, so that lines go to it even if it is
 * renamed. */
struct journal_file {
	int fd;      /* -1: not open */
	int64_t end; /* its size */
};

/*
 * The columns of jobs as CSV, in the order of the journal: one row each. The writer
 * (journal.c), the reader (trace/formats/csv.c) and both headers walk this table. A row:
 *
 *	enumerator    COLUMN_ID of the reader
 *	name          in the first line of a file
 *	kind          ANY: of any trace; JOURNAL: a file with such a column is a
 *	              journal; OUTCOME: what became of the job
 *	writer        in journal.c; NULL: the journal does not have the column
 *	reader        in csv.c or csv_journal.c; NULL: read together with others
 *	member        of struct torus_trace_record, which the reader fills in
 *
 * A further column is one row, and the two functions that it names. The words of a request
 * have their own table, whose rows become rows of this one.
 */

/* clang-format off */
#define JOURNAL_WORD(member, kind, name, variable, column, ...) \
	COLUMN(variable, column, ANY, put_##member, read_word, request)
#define JOURNAL_COLUMNS(COLUMN) \
	COLUMN(ID,         id,         ANY,     put_id,         read_name,         id) \
	COLUMN(SUBMIT,     submit,     ANY,     put_submit,     read_seconds,      submit_us) \
	COLUMN(RUN,        run,        ANY,     put_run,        read_duration,     run_us) \
	COLUMN(NODES,      nodes,      ANY,     put_nodes,      read_nodes,        requested) \
	TORUS_REQUEST_WORDS(JOURNAL_WORD) \
	COLUMN(LIMIT,      limit,      ANY,     put_limit,      read_limit,        limit_us) \
	COLUMN(DEADLINE,   deadline,   ANY,     put_deadline,   read_time,         deadline_us) \
	COLUMN(USER,       user,       ANY,     put_user,       read_name,         user) \
	COLUMN(PARTITION,  partition,  ANY,     NULL,           read_name,         partition) \
	COLUMN(PRIORITY,   priority,   ANY,     put_priority,   read_priority,     priority) \
	COLUMN(NICE,       nice,       ANY,     NULL,           read_nice,         nice) \
	COLUMN(ACCOUNT,    account,    ANY,     put_account,    read_name,         account) \
	COLUMN(QOS,        qos,        ANY,     NULL,           read_name,         qos) \
	COLUMN(WAIT_LIMIT, wait_limit, ANY,     NULL,           read_limit,        wait_limit_us) \
	COLUMN(CPUS,       cpus,       ANY,     NULL,           read_nodes,        used) \
	COLUMN(MEMORY,     memory,     ANY,     NULL,           read_memory,       parts) \
	COLUMN(GPUS,       gpus,       ANY,     NULL,           read_small,        parts.gpus) \
	COLUMN(CPUS_PER_TASK, cpus_per_task, ANY, NULL,         read_small,        parts.task) \
	COLUMN(EXCLUSIVE,  exclusive,  ANY,     NULL,           read_exclusive,    parts.whole) \
	COLUMN(ELIGIBLE,   eligible,   JOURNAL, put_eligible,   read_time,         since_us) \
	COLUMN(TURN,       turn,       JOURNAL, put_turn,       read_whole,        turn) \
	COLUMN(LEFT,       left,       JOURNAL, put_left,       read_time,         left_us) \
	COLUMN(LIMITS,     limits,     JOURNAL, put_limits,     torus_csv_limits,  change) \
	COLUMN(ONLY,       only,       JOURNAL, put_only,       torus_csv_only,    only) \
	COLUMN(START,      start,      OUTCOME, put_start,      read_time,         start_us) \
	COLUMN(END,        end,        OUTCOME, put_end,        NULL,              start_us) \
	COLUMN(REGION,     region,     OUTCOME, put_region,     read_place,        place) \
	COLUMN(STATE,      state,      OUTCOME, put_state,      NULL,              kind) \
	COLUMN(STAY,       stay,       JOURNAL, put_stay,       read_whole,        stay)
/* clang-format on */

#endif
