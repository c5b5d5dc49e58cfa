/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a machine at one instant: its torus.yaml, the running jobs with
 * nodes and ends, the pending jobs with requests, the nodes out of service or
 * reserved. `storus snapshot` writes it as JSON; every question to a machine reads it.
 * Members may come in any order, and are omitted if they are empty:
 *
 *	{ "format": "torus-snapshot", "schema": 2,
 *	  "time": 1764000000,                seconds
 *	  "clock": "date",                   times are seconds since 1970; without
 *	                                     it, of a schedule's clock
 *	  "source": "cluster",               for people
 *	  "scheduler": "sched/backfill",     Slurm's; omitted: torus.yaml's
 *	  "machine": "/etc/slurm/torus.yaml", or a machine string without config
 *	  "config": ["toruses:", ..],        its lines
 *	  "partitions": [{"id": "main", "place": "pod0:{0-63}"}],
 *	  "out": [{"place": "pod0:{3,4}", "reason": "Not responding"}],
 *	  "links": ["pod0:2,0,4 1 down"],    as in a links file
 *	  "weights": "1=pod0:{60-63} 100=pod0:{0-59} asleep=none",
 *	                                     instead of torus.yaml's
 *	                                     (torus/weights.h)
 *	  "hidden": "pod0:{5}",              in use; the job is not shown
 *	  "usage": [{"user": "ada", "node_s": 7200.5, "since": .., "nodes": 4}],
 *	                                     as in a plan file
 *	  "reservations": [
 *	    {"id": "maint", "start": .., "end": .., "place": "pod0:{0-7}"},
 *	    {"id": "float", "limit": 720, "place": "pod0:{8-9}"}],
 *	  "jobs": [
 *	    {"state": "running", "id": "17", "user": "ada", "partition": "main",
 *	     "submit": .., "start": .., "end": .., "limit": .., "priority": 5,
 *	     "place": "pod0:0,0+2x2", "orientation": "0,1", "ring": "TT",
 *	     "geometry": "2x2"},
 *	    {"state": "pending", "id": "18", .., "geometry": "4x4",
 *	     "conn-type": "TM", "no-rotate": true, "placement": "submesh",
 *	     "links": "weak", "nodes": 16, "nodes-min": 8,
 *	     "required": "pod0:{5}", "excluded": "pod0:{7,8}",
 *	                                     sbatch's -w and -x
 *	     "reservation": "maint", "reason": "Priority"}] }
 *
 * Times are seconds with at most 6 decimals. Nodes are lists of indices, or a region
 * (torus/region.h). The form of earlier versions, torus-snapshot 1, is read, too
 * (snapshot_text.c).
 *
 * Cost: O(nodes + jobs + text), and O(words of the machine) per job.
 */
#ifndef FORMAT_SNAPSHOT_H
#define FORMAT_SNAPSHOT_H

#include "torus/config.h"
#include "torus/request_words.h"
#include "torus/usage.h"

#define SNAPSHOT_NO_TIME TORUS_NO_TIME

/* A job. Strings are never NULL. */
struct snapshot_job {
	bool running;
	char *id; /* as squeue shows it: 12, 12_3 */
	char *user, *partition;
	struct torus_request_words words; /* "": not requested; the job's own */
	char *place; /* region or nodes; pending: those of the planned start, or "" */
	char *orientation; /* "": not known */
	char *ring; /* letters of its axes (torus/regions.h); "": not known */
	char *reservation; /* asked for */
	char *reason;      /* pending: Slurm's; "": none */
	int64_t submit_us;
	int64_t start_us; /* pending: planned start; SNAPSHOT_NO_TIME: unknown */
	int64_t end_us;   /* expected */
	int64_t limit_us;
	double priority;
	uint32_t count; /* requested nodes without a geometry; 0: unknown */
	uint32_t least; /* of a range up to count; 0: count */
	uint64_t *required, *excluded; /* pending: machine bitmaps; NULL: none */
	uint32_t *node; /* machine bits of its nodes, ascending */
	uint32_t nodes;
};

struct snapshot_nodes {
	char *name;               /* partition, reservation; else "" */
	char *reason;             /* out of service; else "" */
	int64_t start_us, end_us; /* reservation */
	/* of a floating reservation, which always begins so long after now: jobs
	 * with a longer limit must not use the nodes. Else SNAPSHOT_NO_TIME. Its
	 * start and end are SNAPSHOT_NO_TIME. */
	int64_t limit_us;
	uint64_t *map;
};

struct snapshot {
	struct torus_config *config;
	char *yaml; /* text of config; NULL: config->path is a machine string */
	char *source;
	char *scheduler; /* SchedulerType; "": unknown */
	int64_t time_us;
	bool dated; /* times are dates */
	uint64_t *hidden,
		*out; /* machine bitmaps; out: union of all lists below */
	struct snapshot_nodes *outage, *partition, *reservation;
	struct torus_usage *usage; /* with their names */
	uint32_t outages, partitions, reservations, usages;
	struct snapshot_job *job; /* running and pending, in the order of adding */
	uint32_t jobs, room, running;
};

/* Create an empty snapshot of a machine, which it owns from then on, also on
 * failure. yaml: text of the configuration, copied; NULL: a machine string.
 * Return NULL with ENOMEM. */
struct snapshot *snapshot_create(struct torus_config *config, const char *yaml);
void snapshot_destroy(struct snapshot *s);

/*
 * Add a job. Strings and maps of `job` are copied (NULL: ""); `node` is ignored. For a
 * running job, `map` (machine bitmap) has the nodes. Return -1 with ENOMEM.
 */
int snapshot_add_job(struct snapshot *s, const struct snapshot_job *job,
		     const uint64_t *map);

/* Copy a machine bitmap; NULL: NULL. Return -1 with ENOMEM. */
int snapshot_copy_map(const struct snapshot *s, const uint64_t *map,
		      uint64_t **copy);

/* Add nodes; strings and map are copied. Return -1 with ENOMEM. */
int snapshot_add_out(struct snapshot *s, const uint64_t *map,
		     const char *reason);
int snapshot_add_partition(struct snapshot *s, const char *name,
			   const uint64_t *map);
int snapshot_add_reservation(struct snapshot *s, const char *name,
			     int64_t start_us, int64_t end_us, int64_t limit_us,
			     const uint64_t *map);
int snapshot_add_usage(struct snapshot *s, const struct torus_usage *usage);
int snapshot_set_source(struct snapshot *s, const char *source);

/* Set Slurm's SchedulerType. The configuration's discipline becomes the one that is most
 * like it: conservative for sched/backfill, fcfs for sched/builtin; that of torus.yaml is
 * sched/torus's. Return -1 with ENOMEM. */
int snapshot_set_scheduler(struct snapshot *s, const char *scheduler);

/* Return the job with that id, or NULL. */
struct snapshot_job *snapshot_job_find(const struct snapshot *s, const char *id);
const struct snapshot_nodes *snapshot_partition(const struct snapshot *s,
						const char *name);

/* Remove a job; the others keep their order. */
void snapshot_remove_job(struct snapshot *s, struct snapshot_job *job);

/* Set the nodes of a job in a machine bitmap. */
void snapshot_paint(const struct snapshot_job *job, uint64_t *map);

/* Append the text. Return 0, or -1 with ENOMEM. */
int snapshot_write(const struct snapshot *s, struct torus_text *text);

/* Read text. Messages are NAME:LINE: key: error. Return NULL with ENOMEM, or
 * with EINVAL and lines in err. */
struct snapshot *snapshot_read(const char *name, const char *text,
			       size_t length, struct torus_error *err);

#endif
