/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a question to a machine gets its answer from: the live cluster, a file of
 * `storus snapshot`, regions given by --busy, or a schedule at a time. All become
 * one snapshot (format/snapshot.h), so that all questions take all of them.
 */
#ifndef STORUS_SOURCE_H
#define STORUS_SOURCE_H

#include "format/snapshot.h"
#include "storus/storus.h"

/* Options; a command's own ones are numbered from STORUS_SOURCE_END. */
enum {
	STORUS_SOURCE_TORUS = 1,
	STORUS_SOURCE_BUSY,
	STORUS_SOURCE_SNAPSHOT,
	STORUS_SOURCE_SCHEDULE,
	STORUS_SOURCE_AT,
	STORUS_SOURCE_LINK_FILE,
	STORUS_SOURCE_END,
};

/* Their lines of a command's table, --torus and --busy apart. */
#define STORUS_SOURCE_FILES                                                    \
	{ "snapshot", STORUS_SOURCE_SNAPSHOT, "FILE",                          \
	  "ask this file of storus snapshot, not the live cluster" },          \
		{ "schedule", STORUS_SOURCE_SCHEDULE, "FILE.csv",              \
		  "ask a schedule of storus replay, with --at" },              \
		{ "link-file", STORUS_SOURCE_LINK_FILE, "FILE",                \
		  "links that are not healthy, instead of torus.yaml's" },     \
	{                                                                      \
		"at", STORUS_SOURCE_AT, "SEC",                                 \
			"the time to look at, on the schedule's clock"         \
	}

#define STORUS_SOURCE_OPTIONS                                                         \
	{ "torus", STORUS_SOURCE_TORUS, "FILE|STRING",                                \
	  "the machine (default: torus.yaml beside slurm.conf)" },                    \
		{ "busy", STORUS_SOURCE_BUSY, "REGION",                               \
		  "nodes in use: base+extent[/stride] or {0-3,7}; may be repeated" }, \
		STORUS_SOURCE_FILES

struct storus_source {
	const struct storus_command *command;
	const char *torus, *snapshot, *schedule, *link_file;
	const char **busy;
	int busies;
	int64_t at_us;
	bool at;
	bool live; /* with --torus alone too, where its nodes have names */
	/* of a schedule, once opened: "schedule_sha256: ..." */
	char digest[128];
};

/* argc: of the command line, which bounds the number of --busy. -1 with
 * ENOMEM. */
int storus_source_init(struct storus_source *s,
		       const struct storus_command *command, int argc);
void storus_source_free(struct storus_source *s);

/* Take an option; 0: it is none of these; 1: taken; STORUS_ARGS_BAD after a
 * line on stderr. */
int storus_source_take(struct storus_source *s, const struct storus_args *args,
		       int id);

/* Do the options go together? STORUS_ARGS_END, or STORUS_ARGS_BAD after a line
 * on stderr. */
int storus_source_check(const struct storus_source *s);

/*
 * Open it: *snapshot is the caller's. Returns an exit status, lines in err.
 */
int storus_source_open(struct storus_source *s, struct snapshot **snapshot,
		       struct torus_error *err);

/* The parts: each fills a snapshot of the machine. */
int storus_source_live(struct snapshot *s, struct torus_error *err);
int storus_source_schedule(struct storus_source *source, struct snapshot *s,
			   struct torus_error *err);

#endif
