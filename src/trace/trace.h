/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of jobs, read as a stream: SWF, CSV, output of sacct; plain or
 * gzipped.
 *
 * Jobs are returned in the order of their submit times. A file need not be
 * sorted: a job may stand up to TORUS_TRACE_WINDOW jobs too late and is moved
 * to its place; beyond that the trace is refused. Memory is that window,
 * whatever the length of the trace. Callers that keep all jobs in memory can
 * read them in file order (`unsorted`), and make a trace of their outcomes.
 *
 * A line that cannot be read is reported with its number and skipped (`strict`:
 * the trace is refused). Jobs that did not run or had no processors are skipped
 * and counted.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/job.h"
#include "torus/text.h"
#include "torus/number.h"
#include "torus/plan.h"

#define TORUS_TRACE_WINDOW 10000
#define TORUS_TRACE_ID_SIZE 32     /* with the NUL */
#define TORUS_TRACE_USER_SIZE 32   /* with the NUL */
#define TORUS_TRACE_PLACE_SIZE 128 /* with the NUL; longer ones are omitted */
#define TORUS_TRACE_BAD_SHOWN 10   /* bad lines reported one by one */
#define TORUS_TRACE_DIGEST_SIZE 65 /* SHA-256 in hexadecimal, with the NUL */

/* Larger values are refused: the core accepts no larger machine, and no clock
 * shows a later time (31,700 years). */
#define TORUS_TRACE_MAX_PROCESSORS TORUS_MAX_NODES
#define TORUS_TRACE_MAX_SECONDS TORUS_MAX_SECONDS

#define TORUS_TRACE_CHANGES 32 /* of a limit */

/* A change of the job's limit while it ran. */
struct torus_trace_change {
	int64_t at_us;
	int64_t limit_us;
};

/* Kind of a line. */
enum torus_trace_kind {
	TORUS_TRACE_KIND_JOB,
	TORUS_TRACE_KIND_OUT,     /* exactly these nodes are out of service from
				     submit_us on */
	TORUS_TRACE_KIND_BUSY,    /* these nodes are in use, probably for
				     limit_us; together with the other lines of
				     the instant, and no others */
	TORUS_TRACE_KIND_CUT,     /* the pass of that instant was cut after
				     `requested` jobs */
	TORUS_TRACE_KIND_PASS,    /* a pass at that instant */
	TORUS_TRACE_KIND_OUTAGES, /* numbered outages (text), to which jobs
				     refer in `only`; format/journal.h */
	TORUS_TRACE_KIND_LINK,    /* a link changes its health, or no link is
				     down or weak (text) */
	TORUS_TRACE_KIND_WEIGHTS, /* node weights, nodes asleep (text) */
	TORUS_TRACE_KIND_STATE,   /* a line of a scheduler's initial state, or
				     of a job that has nodes (text);
				     format/journal.h */
	/* Marks of a journal (format/journal.h), only with `open`: */
	TORUS_TRACE_KIND_BEGIN, /* a scheduler began; its machine has
				   `outside` nodes in no torus */
	TORUS_TRACE_KIND_UNTIL, /* the journal is complete up to submit_us */
	TORUS_TRACE_KIND_LOST,  /* lines are missing here */
	TORUS_TRACE_KIND_WOULD, /* a dry run: at submit_us the job (id) would
				   have started at `place`; "": it would have
				   been rejected */
};

/* What a site's accounting says of a job beyond its run. */
struct torus_trace_account {
	char ring[TORUS_TRACE_USER_SIZE]; /* letters of its region's axes, or "" */
	uint32_t nodes;                   /* that it had */
	int64_t end_us;                   /* or TORUS_NO_TIME */
	int64_t shape_wait_us;            /* part of its wait for the shape */
};

/* A job of the trace; times are on the input's clock. For other kinds only
 * submit_us, limit_us, only, text, requested, line and id are set. */
struct torus_trace_record {
	int64_t submit_us;
	int64_t run_us;        /* >= 0 */
	int64_t limit_us;      /* requested run time, or -1 */
	int64_t deadline_us;   /* on the submit clock, or TORUS_NO_TIME */
	int64_t wait_limit_us; /* its own WaitLimit, or -1 */
	double priority;
	int64_t turn;     /* order among equals: least first */
	int64_t since_us; /* begin of the wait for alternatives;
			     TORUS_NO_TIME: submission */
	int64_t left_us;  /* time of withdrawal if the job has not begun by
			     then, or TORUS_NO_TIME */
	enum torus_trace_kind kind;
	uint64_t stay; /* of a journal: lines with the same number are about
			   the same job, and the last one counts; 0: none */
	bool open; /* pending or running: its end is unknown; of sacct -T: it was
			   running at the end of the file's window of time */
	uint64_t begun; /* its number if it had nodes before the scheduler
			   learned of it; else 0 */
	uint32_t changes;
	uint32_t requested; /* processors; 0: unknown */
	uint32_t stated;    /* if it has a shape: node count stated in the
			       trace, or 0 */
	uint32_t used;      /* processors used; 0: unknown. Unless `shaped`,
			       requested or used is known */
	bool component; /* part of a het job: its other parts are separate */
	bool shaped;    /* *request has the job's request */
	struct torus_request *request; /* owned by the trace */
	uint64_t line;                 /* line of the input, from 1 */
	/* nodes that the job may use, with changes during its wait: NODES[
	 * WHEN=NODES].. WHEN is on the input's clock. NODES may be all or none,
	 * and may end with the number of outages, as in all!7. "": all. Owned
	 * by the trace */
	struct torus_text only;
	struct torus_text text; /* owned by the trace */

	/* Outcome, if the trace has it: for storus parity. */
	int64_t eligible_us; /* earliest possible start, or TORUS_NO_TIME */
	int64_t start_us;    /* or TORUS_NO_TIME */
	int64_t held_us;     /* submit_us is so much later than the submission:
				the job became eligible then */
	int64_t late_us;     /* the same before a window of time was applied */
	bool early;          /* it had started before it was submitted */
	bool shifted; /* it has an hour more or less between start and end */
	double limit_used; /* run time / limit of its own; 0: it has none */
	uint32_t outside;  /* cluster nodes in no torus */

	char id[TORUS_TRACE_ID_SIZE];
	char user[TORUS_TRACE_USER_SIZE];      /* or "" */
	char partition[TORUS_TRACE_USER_SIZE]; /* or "" */
	char account[TORUS_TRACE_USER_SIZE];   /* or ""; of SWF the group */
	char qos[TORUS_TRACE_USER_SIZE];       /* or "" */
	int64_t nice; /* what the user takes off the priority */
	/* it asked for features, a reservation, licenses */
	bool featured, reserved, licensed;

	struct torus_job_parts parts; /* with TORUS_TRACE_SIZE_CPUS */

	/* What few traces have stands last: thousands of records wait for
	 * their turn, and the rest of each is six lines of the cache. */
	char place[TORUS_TRACE_PLACE_SIZE]; /* its region; "": none */
	struct torus_trace_change change[TORUS_TRACE_CHANGES]; /* in order */
	char cluster[TORUS_TRACE_USER_SIZE];   /* of sacct, or "" */
	struct torus_trace_account accounting; /* of sacct; else unset */
};

/* What the trace states about itself; -1: unknown. */
struct torus_trace_header {
	int64_t max_nodes;
	int64_t max_processors;
	int64_t unix_start;
	bool states;     /* lines may be about nodes and links */
	bool eligible;   /* the trace says when jobs became eligible */
	uint64_t mended; /* records with separators or line ends in free text */
	uint64_t wide;   /* lines with more fields than the format has */
};

struct torus_trace_counts {
	uint64_t jobs;          /* valid jobs, without skipped ones */
	uint64_t no_run;        /* skipped: run time <= 0 */
	uint64_t no_processors; /* skipped: neither requested nor used
				   processors are known */
	uint64_t partial;       /* skipped: parts of a job that has its own
				   record */
	uint64_t unfinished;    /* skipped: pending or running */
	uint64_t repeated;      /* skipped: the same run again */
	uint64_t other;         /* skipped: not of the chosen clusters,
				   partitions or window of time */
	uint64_t bad;           /* lines that cannot be read */
	uint64_t steps;         /* ignored: steps are no jobs */
	uint64_t components;    /* valid jobs that are parts of het jobs */
	uint64_t lost;          /* lines that could not be written to the
				   journal */
	/* of the valid jobs: */
	uint64_t no_limit;     /* have no time limit, also no default one */
	uint64_t limited;      /* have one of their own; */
	double limit_used;     /* sum of their run times / limits */
	uint64_t wait_limited; /* have a WaitLimit of their own */
	uint64_t held;         /* became eligible after their submission; */
	double held_s;         /* sum of these times */
	uint32_t clusters, partitions; /* different ones, if none was chosen */
	/* asked for features, a reservation, licenses, which no replay knows */
	uint64_t featured, reserved, licensed;
	uint64_t early;   /* started before they were submitted */
	uint64_t shifted; /* the clock was changed while they ran */
	uint64_t joined;  /* pieces that belong to another record (sacct -T) */
	bool truncated; /* sacct -T wrote it: there are pieces, or running jobs with an end */
	/* jobs that begin at the first second or end at the last one, though -T cut nothing
	 * for certain unless `truncated`; the seconds */
	uint64_t cut_begin, cut_end;
	int64_t first_us, last_us;
	uint32_t in_use; /* nodes in use at once, by the trace's own
				   starts and ends; 0: unknown */
};

/* Return the number of skipped jobs. Write them as words, with the lost lines:
 * "3 without run time, 1 parts of another"; "" if there are none. */
uint64_t torus_trace_skipped(const struct torus_trace_counts *counts);
void torus_trace_skipped_words(const struct torus_trace_counts *counts,
			       char *text, size_t size);

/* Return the mean of run / limit of the jobs that have a limit of their own; NAN:
 * none has. */
double torus_trace_limit_accuracy(const struct torus_trace_counts *counts);

/* Repeated ids. */
struct torus_trace_repeats {
	uint64_t count;               /* lines with an id of an earlier line */
	char id[TORUS_TRACE_ID_SIZE]; /* the first repeated id */
	uint64_t line[2];             /* its first and its second line */
	uint64_t last;                /* last line with a repeated id */
};

/* Range of the jobs' priorities; least > most: no job has one. */
struct torus_trace_priorities {
	double least, most;
};

enum torus_trace_answer {
	TORUS_TRACE_JOB,
	TORUS_TRACE_END,
	TORUS_TRACE_REFUSED, /* invalid input: lines in err */
	TORUS_TRACE_FAILED,  /* errno: memory, I/O; a line in err */
};

/* What a job's size counts. */
enum torus_trace_size {
	TORUS_TRACE_SIZE_NODES,
	TORUS_TRACE_SIZE_CPUS,
	TORUS_TRACE_SIZE_GPUS,
};

/* Which jobs of a trace are used, and how; all 0: as the trace has them. Texts
 * outlive the trace. */
struct torus_trace_choice {
	const char *columns; /* of a file without names: JobID,User,..; of
				another site's CSV: NAME=COLUMN,.. */
	const char *cluster, *partition; /* only these: A,B; NULL: all */
	const char *confine; /* nodes of partitions: A=0-15,B=16-31,40; or NULL */
	const char *users;   /* how often jobs of users are taken: A*5,B*0.5 */
	const char *default_limit; /* DURATION and PARTITION=DURATION,.., of
				      jobs without a limit; or NULL */
	bool by_submit; /* jobs enter the queue when they are submitted, else
			   when they are eligible, where the trace has it */
	bool eligible;  /* demand the latter */
	enum torus_trace_size size;
	bool has_from, has_to;
	int64_t from_us, to_us;        /* window of time on the trace's clock */
	bool from_is_date, to_is_date; /* it is since 1970 */
};

/* The options that set them, ended by NULL. */
extern const char *const torus_trace_choice_keys[];
/* Set one: "default-limit" or "default_limit". Return 0, or -1 with EINVAL and
 * a line in err, without the key. */
int torus_trace_choice_set(struct torus_trace_choice *choice, const char *key,
			   const char *value, struct torus_error *err);

struct torus_trace_options {
	struct torus_trace_choice choice;
	const char *format; /* name in the registry; NULL: detect it */
	/* What the caller reads, to be named where a file is none of it; NULL: any trace,
	 * whose format may be named with --format */
	const char *expected;
	bool strict;   /* refuse a trace with bad lines */
	bool digest;   /* compute the SHA-256 of the file's bytes */
	bool unsorted; /* return jobs in the order of the lines */
	bool open;     /* of a journal: return also unfinished stays and
			       the marks */
	/* of a journal: return also the initial state of schedulers: state
	 * lines, and jobs that have nodes, whether or not they end in the
	 * journal. Lines of several schedulers about one job are joined
	 * (joined.h), so the whole trace is in memory */
	bool state;
	uint64_t max_jobs; /* stop after this many valid jobs of the file, before
			      choice->users; 0: read all */
};

/* A reader's result for one line. */
enum torus_trace_line {
	TORUS_TRACE_LINE_JOB,
	TORUS_TRACE_LINE_NODES,   /* another kind */
	TORUS_TRACE_LINE_OPEN,    /* an unfinished job, or a mark */
	TORUS_TRACE_LINE_LOST,    /* a mark: `requested` lines were lost */
	TORUS_TRACE_LINE_NOTHING, /* a comment, a header or an empty line */
	TORUS_TRACE_LINE_NO_RUN,
	TORUS_TRACE_LINE_NO_PROCESSORS,
	TORUS_TRACE_LINE_PARTIAL,
	TORUS_TRACE_LINE_STEP,
	TORUS_TRACE_LINE_UNFINISHED,
	TORUS_TRACE_LINE_REPEATED,
	TORUS_TRACE_LINE_OTHER,
	TORUS_TRACE_LINE_BAD,     /* invalid line; the reason is in `why` */
	TORUS_TRACE_LINE_REFUSED, /* invalid line that makes the following
				     lines unusable */
	TORUS_TRACE_LINE_FAILED,  /* no memory */
};

#define TORUS_TRACE_WHY_SIZE 320

/* A format: one file here and one line in formats.h. */
struct torus_trace_format {
	const char *name;
	const char *summary; /* one line */
	const char *ending;  /* ending of file names, before .gz */

	/* Return true if this is the first line of such a file. Leading blanks
	 * and empty lines are removed. */
	bool (*recognizes)(const char *line);

	bool history; /* a record is a run of a job that is over: it may stand
			 in the file twice, and in any order */

	/* Create a reader. NULL with errno. header and choice outlive the
	 * reader. */
	void *(*create)(struct torus_trace_header *header,
			const struct torus_trace_choice *choice);
	void (*destroy)(void *self);

	/* Read one line; a NUL replaces its newline, and the reader may modify
	 * it. The caller sets line and request of the record; the reader sets
	 * the other members. why: TORUS_TRACE_WHY_SIZE bytes. */
	enum torus_trace_line (*line)(void *self, char *line, size_t length,
				      struct torus_trace_record *record,
				      char *why);

	/* Return true if the reader has another result before the next line:
	 * line() is then called with NULL. May be NULL. */
	bool (*ready)(const void *self);

	/* Handle the end of the file, such as a missing header. What remains to
	 * be returned is then ready(). May be NULL. */
	enum torus_trace_line (*end)(void *self, char *why);
};

/* Return the registry, ended by NULL; return a format by name, or NULL. */
const struct torus_trace_format *const *torus_trace_formats(void);
const struct torus_trace_format *torus_trace_format_find(const char *name);

struct torus_trace;

/* Open a trace; path "-": standard input. NULL with lines in err and errno:
 * EINVAL for invalid input, ENOMEM, else as open() and read(). */
struct torus_trace *torus_trace_open(const char *path,
				     const struct torus_trace_options *options,
				     struct torus_error *err);
/* Open a list of records in order of submission. The list must outlive the
 * trace. NULL with ENOMEM. */
struct torus_trace *torus_trace_open_list(const struct torus_trace_record *list,
					  uint64_t count);
void torus_trace_close(struct torus_trace *trace);

/* Facts about the cluster in the first lines of a journal. */
struct torus_trace_head {
	bool journal;         /* the trace is a journal */
	uint32_t outside;     /* nodes in no torus */
	bool links;           /* links of the cluster fail or may fail */
	const char *settings; /* of the scheduler (format/journal.h), or NULL;
				 valid as long as the trace */
};

/* Read the head of the trace. Call it before the first torus_trace_next().
 * Return JOB; or REFUSED or FAILED with lines in err. */
enum torus_trace_answer torus_trace_head(struct torus_trace *trace,
					 struct torus_trace_head *head,
					 struct torus_error *err);

/* Get the next job in order of submission; jobs with the same submit time in
 * order of turn, then of lines. A record of another kind comes before the jobs
 * of its instant. *record is valid until the next call. */
enum torus_trace_answer torus_trace_next(struct torus_trace *trace,
					 const struct torus_trace_record **record,
					 struct torus_error *err);

/* Return the trace's format; NULL for a model or a list. */
const struct torus_trace_format *
torus_trace_format(const struct torus_trace *trace);
/* Complete only at the end of the trace. */
const struct torus_trace_header *
torus_trace_header(const struct torus_trace *trace);
const struct torus_trace_counts *
torus_trace_counts(const struct torus_trace *trace);
const struct torus_trace_repeats *
torus_trace_repeats(const struct torus_trace *trace);
const struct torus_trace_priorities *
torus_trace_priorities(const struct torus_trace *trace);
/* Return how a model's jobs were varied; NULL: no model. */
struct torus_augment;
const struct torus_augment *torus_trace_vary(const struct torus_trace *trace);
/* Return the first bad lines, as FILE:LINE: error. */
const struct torus_error *torus_trace_bad(const struct torus_trace *trace);

/* Get the bytes read so far and the size of the file (0: unknown); for a model
 * or a list, jobs instead of bytes. */
void torus_trace_progress(const struct torus_trace *trace, uint64_t *read,
			  uint64_t *size);

/* Read the file to its end and get the SHA-256 of its bytes (without
 * decompression). 0, or -1 with errno (ENOTSUP: no file). Needs
 * options.digest. */
int torus_trace_digest(struct torus_trace *trace,
		       char hex[TORUS_TRACE_DIGEST_SIZE]);

#endif
