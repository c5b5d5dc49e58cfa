/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a trace, and the notices about it. */
#ifndef STORUS_NOTICES_H
#define STORUS_NOTICES_H

#include "storus/storus.h"
#include "trace/trace.h"

/*
 * Open a trace and call each() (or not, if NULL) for its records, until the end or until it
 * returns nonzero: memory ran out. Return an exit status, with the reason in err; a trace
 * that --strict refuses has its reason in torus_trace_bad(). *trace is the caller's; NULL:
 * it cannot be opened.
 */
int storus_trace_read(const char *path, const struct torus_trace_options *how,
		      int (*each)(void *arg, const struct torus_trace_record *r),
		      void *arg, struct torus_trace **trace,
		      struct torus_error *err);

void storus_trace_notices(const struct storus_command *command, const char *name,
			  const struct torus_trace *trace, bool strict);

/* STORUS_USAGE after a line on stderr if the trace, read to its end, has no job
 * that can be used; else STORUS_DONE. */
int storus_trace_usable(const struct storus_command *command, const char *name,
			const struct torus_trace_counts *counts);

/* The options that say which jobs of a trace are used, and how: rows of a table of
 * options, into a struct torus_trace_choice. */
#define STORUS_TRACE_CHOICE(type, member)                                      \
	STORUS_TRACE_CHOICE_TO(                                                \
		STORUS_TAKE_TO(type, member, storus_trace_take_choice))
#define STORUS_TRACE_CHOICE_TO(to)                                                         \
	{ "columns", "NAME,...|NAME=COLUMN,...",                                           \
	  "the names of sacct's fields in a file without them:\n"                          \
	  "JobID,User,...; of another site's CSV the columns for ours:\n"                  \
	  "id=job_id,submit=at,run=duration,nodes=node_num",                               \
	  to },                                                                            \
		{ "cluster", "NAME[,NAME]",                                                \
		  "only jobs of this cluster (sacct)", to },                               \
		{ "partition", "NAME[,NAME]|NAME=NODES",                                   \
		  "only jobs of these partitions; with NODES (debug=0-15): jobs of a\n"    \
		  "partition run on these, by number, in a replay",                        \
		  to },                                                                    \
		{ "users", "USER*FACTOR,...",                                              \
		  "users with more or fewer jobs: bob*5 takes each job of bob five\n"      \
		  "times, ann*0.5 half of ann's",                                          \
		  to },                                                                    \
		{ "arrivals", "eligible|submit",                                           \
		  "when jobs enter the queue and their waits begin; default:\n"            \
		  "eligible where the trace has it (sacct), else submit",                  \
		  to },                                                                    \
		{ "default-limit", "DURATION|PARTITION=DURATION,...",                      \
		  "time limit of jobs that have none: 24h, UNLIMITED (a year), or\n"       \
		  "debug=1h,24h; default: their run time, which no scheduler knows",       \
		  to },                                                                    \
		{ "size", "nodes|cpus|gpus",                                               \
		  "what of sacct's columns is a job's size; default: nodes",               \
		  to },                                                                    \
		{ "from", "TIME",                                                          \
		  "begin of the window that is used: 2024-01-02 or 2024-01-02T07:30:00,\n" \
		  "or seconds; jobs that run or wait then, by their own start, are in it", \
		  to },                                                                    \
	{                                                                                  \
		"to", "TIME", "jobs submitted from then on are not used", to               \
	}

int storus_trace_take_choice(const struct storus_args *args, void *choice);

/* Notices about jobs that sacct -T cut: pieces that were joined, and how many have no other
 * piece, as far as no window of time was chosen. */
void storus_trace_cut(const struct storus_command *command, const char *name,
		      const struct torus_trace_counts *counts,
		      const struct torus_trace_choice *choice);

/* Notices about a trace that is replayed on a machine of so many nodes: jobs without a
 * limit (`estimates`: limits are used), several clusters, partitions (unless `parted`:
 * each has its own nodes), shared nodes. */
void storus_trace_replayed(const struct storus_command *command,
			   const char *name, const struct torus_trace *trace,
			   const struct torus_trace_choice *choice,
			   uint32_t nodes, bool estimates, bool parted);

/* --format NAME into a const char *: a name of the registry. */
int storus_trace_take_format(const struct storus_args *args, void *format);

#endif
