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

#include "torus/error.h"
#include "torus/plan.h"
#include "torus/request.h"
#include "torus/text.h"

#define TORUS_TRACE_WINDOW 10000
#define TORUS_TRACE_ID_SIZE 32     /* with the NUL */
#define TORUS_TRACE_USER_SIZE 32   /* with the NUL */
#define TORUS_TRACE_PLACE_SIZE 128 /* with the NUL; longer ones are omitted */
#define TORUS_TRACE_BAD_SHOWN 10   /* bad lines reported one by one */
#define TORUS_TRACE_DIGEST_SIZE 65 /* SHA-256 in hexadecimal, with the NUL */

/* Lines beyond these are refused: no machine is as large (nor does the core
 * accept it), and no clock shows such a time (31,700 years). */
#define TORUS_TRACE_MAX_PROCESSORS TORUS_MAX_NODES
#define TORUS_TRACE_MAX_SECONDS INT64_C(1000000000000)

#define TORUS_TRACE_CHANGES 4

/* A change of the job's limit while it ran. */
struct torus_trace_change {
	int64_t at_us;
	int64_t limit_us;
};

/* Kind of a line. */
enum torus_trace_kind {
	TORUS_TRACE_KIND_JOB,
	TORUS_TRACE_KIND_OUT,  /* these nodes, and no others, are out of service
				  from submit_us on */
	TORUS_TRACE_KIND_BUSY, /* these are in use, for limit_us as far as is
				  known; together with all of that instant, and
				  no others */
	TORUS_TRACE_KIND_CUT,  /* the pass of that instant looked at so many
				  jobs (requested), and ended */
	TORUS_TRACE_KIND_PASS, /* a pass at that instant */
	TORUS_TRACE_KIND_OUTAGES, /* outages under a number (text), which jobs
				     name in `only`; format/journal.h */
	TORUS_TRACE_KIND_LINK,  /* a link has another health from then on, or no
				  link is down or weak (text) */
	TORUS_TRACE_KIND_STATE, /* a line of what a scheduler begins with, or of
				   what it finds (text); format/journal.h */
	/* Marks of a journal (format/journal.h), only with `open`: */
	TORUS_TRACE_KIND_BEGIN, /* a scheduler began: with what comes now, on a
				   machine with so many nodes `outside` */
	TORUS_TRACE_KIND_UNTIL, /* complete up to submit_us */
	TORUS_TRACE_KIND_LOST,  /* lines are missing here */
	TORUS_TRACE_KIND_WOULD, /* a dry run: at submit_us the job (id) would
				   have started there (place; "": been turned
				   down) */
};

/* A job of the trace; times on the input's clock. For other kinds only
 * submit_us, limit_us, only, text, requested, line and id are set. */
struct torus_trace_record {
	int64_t submit_us;
	int64_t run_us;      /* >= 0 */
	int64_t limit_us;    /* requested run time, or -1 */
	int64_t deadline_us; /* on the submit clock, or TORUS_NO_TIME */
	double priority;
	int64_t turn;     /* order among equals: least first */
	int64_t since_us; /* waits count from there, or TORUS_NO_TIME:
				    from submission */
	int64_t left_us;  /* withdrawn if it has not begun by then, or
				    TORUS_NO_TIME */
	enum torus_trace_kind kind;
	uint64_t stay;  /* of a journal: lines with the same number are about
			  the same job, the last one counts; 0: none */
	bool open;      /* pending or running: its end is unknown */
	uint64_t begun; /* it had nodes when the scheduler heard of it: its
			   number; 0: it had not */
	uint32_t changes;
	struct torus_trace_change change[TORUS_TRACE_CHANGES]; /* in order */
	uint32_t requested; /* processors; 0: unknown */
	uint32_t stated;    /* beside a shape: nodes as the trace has them, or
			       0 */
	uint32_t used;      /* the same; one of the two is known unless: */
	bool component; /* part of a het job: its other parts are separate */
	bool shaped;    /* *request has the words of the job */
	struct torus_request *request; /* the trace's own memory */
	uint64_t line;                 /* of the input, from 1 */
	char id[TORUS_TRACE_ID_SIZE];
	char user[TORUS_TRACE_USER_SIZE];      /* or "" */
	char partition[TORUS_TRACE_USER_SIZE]; /* or "" */
	struct torus_text only; /* the nodes that it may use, and what they
				    become while it waits: NODES[ WHEN=NODES]..
				    with WHEN on the input's clock, NODES also
				    all or none, with the number of outages
				    behind it as in all!7; "": all. The
				    trace's own, too */
	struct torus_text text; /* owned by the trace */

	/* Outcome, if the trace has it: for storus parity. */
	int64_t eligible_us; /* it might start from then on, or TORUS_NO_TIME */
	int64_t start_us;    /* or TORUS_NO_TIME */
	char place[TORUS_TRACE_PLACE_SIZE]; /* its region, or "" */
	uint32_t outside;                   /* nodes that existed in no torus */
};

/* What the trace states about itself; -1: unknown. */
struct torus_trace_header {
	int64_t max_nodes;
	int64_t max_processors;
	int64_t unix_start;
	bool states; /* lines may be about nodes and links */
};

struct torus_trace_counts {
	uint64_t jobs;          /* read and good, skipped ones not included */
	uint64_t no_run;        /* skipped: run time <= 0 */
	uint64_t no_processors; /* skipped: neither requested nor used known */
	uint64_t partial;       /* skipped: parts of a job, which has a record
				   of its own */
	uint64_t unfinished;    /* skipped: still waiting or running */
	uint64_t bad;           /* lines that cannot be read */
	uint64_t steps;         /* passed over: they are no jobs */
	uint64_t components;    /* of het jobs, among the good ones */
	uint64_t lost;          /* lines that a journal could not take */
};

/* The skipped ones, also in words with the lost lines: "3 without run time, 1
 * parts of another"; "" if there are none. */
uint64_t torus_trace_skipped(const struct torus_trace_counts *counts);
void torus_trace_skipped_words(const struct torus_trace_counts *counts,
			       char *text, size_t size);

/* Ids that occur again. */
struct torus_trace_repeats {
	uint64_t count; /* lines with an id that was there before */
	char id[TORUS_TRACE_ID_SIZE]; /* the first of them */
	uint64_t line[2];             /* where it is first, and again */
	uint64_t last;                /* the last line of all */
};

/* Priorities of the jobs; least > most: there are none. */
struct torus_trace_priorities {
	double least, most;
};

enum torus_trace_answer {
	TORUS_TRACE_JOB,
	TORUS_TRACE_END,
	TORUS_TRACE_REFUSED, /* wrong input: lines in err */
	TORUS_TRACE_FAILED,  /* errno: memory, I/O; a line in err */
};

struct torus_trace_options {
	const char *format; /* of the registry; NULL: find out */
	bool strict;        /* bad lines refuse the trace */
	bool digest;        /* SHA-256 of the bytes as given will be wanted */
	bool unsorted;      /* jobs come in the order of the lines, however the
			       trace is sorted */
	bool open;          /* of a journal: stays that are not over, too,
			       and its marks */
	bool state;         /* of a journal: what schedulers begin with: lines
			       of state, and jobs that have nodes, whether they
			       end here or not. A job that several schedulers
			       tell of is one (joined.h), so the whole trace is
			       in memory */
	uint64_t max_jobs;  /* stop after so many good ones; 0: read all */
};

/* What a reader says about one line. */
enum torus_trace_line {
	TORUS_TRACE_LINE_JOB,
	TORUS_TRACE_LINE_NODES,   /* another kind */
	TORUS_TRACE_LINE_OPEN,    /* a job that is not over, or a mark */
	TORUS_TRACE_LINE_LOST,    /* a mark: so many as `requested` */
	TORUS_TRACE_LINE_NOTHING, /* a comment, a header, empty */
	TORUS_TRACE_LINE_NO_RUN,
	TORUS_TRACE_LINE_NO_PROCESSORS,
	TORUS_TRACE_LINE_PARTIAL,
	TORUS_TRACE_LINE_STEP,
	TORUS_TRACE_LINE_UNFINISHED,
	TORUS_TRACE_LINE_BAD,     /* `why` says what is wrong */
	TORUS_TRACE_LINE_REFUSED, /* the same, and nothing below makes sense */
	TORUS_TRACE_LINE_FAILED,  /* no memory */
};

#define TORUS_TRACE_WHY_SIZE 256

/*
 * A format: one file here and one line in registry.c.
 */
struct torus_trace_format {
	const char *name;
	const char *summary; /* one line */
	const char *ending;  /* of file names, before .gz */

	/* Is this the first line of such a file (leading blanks and empty
	 * lines dropped)? */
	bool (*recognizes)(const char *line);

	/* NULL with errno. header outlives the reader. */
	void *(*create)(struct torus_trace_header *header);
	void (*destroy)(void *self);

	/* One line, NUL-terminated in place of its newline; the reader may
	 * write into it. record comes with id, line and request set: the
	 * reader fills the rest. why: TORUS_TRACE_WHY_SIZE bytes. */
	enum torus_trace_line (*line)(void *self, char *line, size_t length,
				      struct torus_trace_record *record,
				      char *why);

	/* No line came any more; e.g. a header is missing. May be NULL. */
	enum torus_trace_line (*end)(void *self, char *why);
};

/* The registry, ended by NULL; by name, or NULL. */
const struct torus_trace_format *const *torus_trace_formats(void);
const struct torus_trace_format *torus_trace_format_find(const char *name);

struct torus_trace;

/* path "-": the standard input. NULL with lines in err; errno EINVAL: wrong
 * input, ENOMEM: memory, else as open() and read(). */
struct torus_trace *torus_trace_open(const char *path,
				     const struct torus_trace_options *options,
				     struct torus_error *err);
/* These records, which outlive the trace, in this order, which is that of
 * their submit times. NULL with ENOMEM. */
struct torus_trace *torus_trace_open_list(const struct torus_trace_record *list,
					  uint64_t count);
void torus_trace_close(struct torus_trace *trace);

/* What the first lines of a journal tell of the cluster. */
struct torus_trace_head {
	bool journal;     /* it is one */
	uint32_t outside; /* nodes in no torus */
	bool links;       /* it tells of links that fail, or may */
};

/* Before the first torus_trace_next(). JOB; or REFUSED, FAILED with lines in
 * err. */
enum torus_trace_answer torus_trace_head(struct torus_trace *trace,
					 struct torus_trace_head *head,
					 struct torus_error *err);

/* The next job in order of submission, the same submit time by turn and in the
 * order of lines; a record of another kind comes before the jobs of its
 * instant. *record is valid until the next call. */
enum torus_trace_answer torus_trace_next(struct torus_trace *trace,
					 const struct torus_trace_record **record,
					 struct torus_error *err);

/* NULL if the jobs come from a model or a list. */
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
/* What a model's jobs were varied with, and how often; NULL: no model. */
struct torus_vary;
const struct torus_vary *torus_trace_vary(const struct torus_trace *trace);
/* The first bad lines, FILE:LINE: what is wrong. */
const struct torus_error *torus_trace_bad(const struct torus_trace *trace);

/* Bytes of the file read so far, and its size (0: not known); of a model or a
 * list jobs. */
void torus_trace_progress(const struct torus_trace *trace, uint64_t *read,
			  uint64_t *size);

/* SHA-256 of the file as it lies there (compressed as it is), which is read
 * to its end first. 0, or -1 with errno (ENOTSUP: no file). Needs
 * options.digest. */
int torus_trace_digest(struct torus_trace *trace,
		       char hex[TORUS_TRACE_DIGEST_SIZE]);

#endif
