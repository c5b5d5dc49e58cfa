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
#include "torus/config.h"

/* Their options; `member` is the command's struct storus_source. */
#define STORUS_SOURCE_OPTIONS(type, member)                                         \
	{ "torus", "FILE|STRING",                                                   \
	  "the machine (default: torus.yaml beside slurm.conf)",                    \
	  STORUS_TO(type, member.torus) },                                          \
		{ "busy", "REGION",                                                 \
		  "nodes in use: base+extent[/stride] or {0-3,7}; may be repeated", \
		  STORUS_TO(type, member.busy) },                                   \
		{ "snapshot", "FILE",                                               \
		  "ask this file of storus snapshot, not the live cluster",         \
		  STORUS_TO(type, member.snapshot) },                               \
		{ "schedule", "FILE.csv",                                           \
		  "ask a schedule of storus replay, with --at",                     \
		  STORUS_TO(type, member.schedule) },                               \
		{ "link-file", "FILE",                                              \
		  "links that are not healthy, instead of torus.yaml's",            \
		  STORUS_TO(type, member.link_file) },                              \
	{                                                                           \
		"at", "TIME", "the time to look at, on the schedule's clock",       \
			STORUS_TAKE_TO(type, member, storus_source_take_at)         \
	}

struct storus_source {
	const char *torus, *snapshot, *schedule, *link_file;
	struct storus_list busy;
	const struct storus_command *command; /* with --at: who asks */
	int64_t at_us;
	bool at;
	bool live; /* with --torus alone too, where its nodes have names */
	/* of a schedule, once opened: "schedule_sha256: ...", and its waiting jobs */
	char digest[128];
	uint32_t waiting;
};

/* --at TIME into a struct storus_source. */
int storus_source_take_at(const struct storus_args *args, void *source);

/*
 * Open it: *snapshot is the caller's. Returns an exit status, lines in err;
 * STORUS_USAGE if the options do not go together.
 */
int storus_source_open(struct storus_source *s, struct snapshot **snapshot,
		       struct torus_error *err);

/* For answers about waiting jobs: a notice where their shapes are not known. */
void storus_source_say_shapes(const struct storus_source *s);

/* The parts: each fills a snapshot of the machine. */
int storus_source_live(struct snapshot *s, struct torus_error *err);
int storus_source_schedule(struct storus_source *source, struct snapshot *s,
			   struct torus_error *err);

/*
 * The path of torus.yaml: beside the slurm.conf that SLURM_CONF names, else
 * /etc/slurm/torus.yaml. Written to buffer, which is returned.
 */
const char *storus_config_path(char *buffer, size_t size);

/* Return 0 if the caller may read torus.yaml, or -1 with a line in err that says whom
 * to ask. */
int storus_config_check(const char *path, struct torus_error *err);

/*
 * Paint the nodes of a region's text (or scattered nodes) into a machine
 * bitmap. one: scratch of the machine's words. 0, or -1 with a line in err.
 */
int storus_regions_paint(const struct torus_machine *m, const char *region,
			 uint64_t *one, uint64_t *map, struct torus_error *err);

/* what_if_change.c: change a snapshot. option: "drain", "up", "cancel" or "submit". An exit
 * status, after a line on stderr. number: of a job to submit, which becomes new1, new2 and
 * so on. */
int what_if_change(struct snapshot *s, const char *option, const char *value,
		   uint32_t number);

#endif
