/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign: many replays, the cross product of the axes in a file.
 *
 *	traces:                              # required: files, or models
 *	- sdsc.swf.gz
 *	- {model: aida-uniform, jobs: 5000, load: 0.9, machine: flat:128}
 *	- {like: sdsc.swf.gz, by: weeks, load: 0.9}
 *	machines: [flat:128, 8x4x4]          # required: a string or torus.yaml
 *	strategies: [submesh, submesh-tbl]   # default: the machine's own
 *	disciplines: [fcfs, easy, recorded]  # default: the machine's own
 *	                                     # (or pipe:COMMAND, ./mine.so)
 *	load_scales: [0.9, 1.0, 1.1]         # of the load; default: 1
 *	seeds: 1-10                          # or a list; default: 1
 *	options: {estimate: [requested, run], max_jobs: 5000, faults: "30d,4h"}
 *
 * A cell is one choice from every axis; the lists of options make one axis together.
 * Paths are relative to the file. Seeds apply to models, to jobs drawn like a log and to
 * faults. Without faults the jobs of a file are the same for each seed, so only the first
 * seed is computed for it.
 */
#ifndef CAMPAIGN_CAMPAIGN_H
#define CAMPAIGN_CAMPAIGN_H

#include "config/tree.h"
#include "replay/ledger.h"
#include "replay/replay.h"
#include "trace/models/resample.h"
#include "trace/models/model.h"

enum torus_axis {
	TORUS_AXIS_TRACE,
	TORUS_AXIS_MACHINE,
	TORUS_AXIS_STRATEGY,
	TORUS_AXIS_DISCIPLINE,
	TORUS_AXIS_SCALE,
	TORUS_AXIS_OPTIONS,
	TORUS_AXIS_SEED,
	TORUS_AXES
};

/* Names of the axes, "trace" ... "seed", as in the columns of the result
 * file. */
extern const char *const torus_axis_names[TORUS_AXES];

#define TORUS_CAMPAIGN_MAX_CELLS (1u << 20)
#define TORUS_AXIS_OWN "default" /* the machine's own strategy, discipline */

/* A file that a cell depends on, as the campaign has read it. */
struct campaign_file {
	const char *path, *digest; /* SHA-256 */
	uint64_t stamp; /* hash of inode, size, times; 0: too young to tell by them */
	const struct campaign_file *next;
};

/* A value of an axis. */
struct torus_axis_value {
	const char *word;   /* as written */
	const char *path;   /* of a file; of a policy of one's own the word as
			       written, or its path; or NULL */
	const char *digest; /* SHA-256 of that file, or NULL */
	const struct campaign_file *files;
	struct torus_model_options *model; /* trace drawn from a model, or NULL */
	struct torus_resample_options *like; /* trace drawn like a log, or NULL */
	struct campaign_input *input;        /* trace in memory, or NULL */
	double number;                       /* scales */
	uint64_t seed;
	/* of a machine: its size; of a trace that is drawn with a load, but for
	 * no stated machine: the size that the load refers to; else 0 */
	uint32_t nodes;
	uint32_t line;
};

/* A choice of `options:`; its text is the word of the axis. */
struct torus_campaign_set {
	struct torus_replay_options options; /* load_scale is the cell's */
	int64_t wait_limit_us;               /* -1: the machine's setting */
	int64_t mean_hold_us;                /* the same */
	const char *link_file, *slurm_conf, *shares; /* paths, or NULL */
	const char *conf_text; /* settings of slurm_conf */
	const char *digest;    /* of these files; NULL without one */
	const struct campaign_file *files; /* without slurm_conf */
	int64_t batch_us;                  /* batch means of files; 0: none */
	bool trimmed;
	struct torus_trim trim;      /* of each cell: warm-up and cool-down */
	struct torus_options policy; /* of disciplines and strategies */
	struct torus_trace_options input;
	uint32_t reading; /* sets of one number have the same input */
};

/* A dimension of the options: sets whose numbers differ by `stride` differ in its value. */
struct campaign_dimension {
	const char *name;
	uint32_t values, stride;
};

struct torus_campaign {
	const char *path;
	struct {
		struct torus_axis_value *value;
		uint32_t n;
	} axis[TORUS_AXES];
	uint32_t cells; /* all combinations, including unwanted ones */
	struct torus_campaign_set *set; /* of each value of the axis of options */
	const struct campaign_dimension *dimension;
	uint32_t dimensions;
	uint32_t *first;   /* of each pair: torus_cell_first()'s options */
	uint32_t readings; /* how many ways sets read the traces */
	struct torus_error notices; /* old names */
	struct arena arena;
};

/* A cell: the index into each axis. */
struct torus_cell {
	uint32_t at[TORUS_AXES];
};

/*
 * Read and check a campaign's file: every key, every file it names, every pair
 * of machine and policy. Return NULL with lines in err; errno EINVAL for
 * invalid input, else of the failed open, read or allocation.
 */
struct torus_campaign *torus_campaign_read(const char *path,
					   struct torus_error *err);
void torus_campaign_destroy(struct torus_campaign *c);

/*
 * Read the trace files that at least two of cells[0..n) replay into memory, so
 * that each is parsed once; processes forked later share them. Files that are
 * too large for that, or cannot be read, are left to each cell.
 */
void torus_campaign_load(struct torus_campaign *c, const uint32_t *cells,
			 uint32_t n);

/* Return cell i of c->cells, in row-major order of the axes; the seed changes
 * fastest. */
struct torus_cell torus_campaign_cell(const struct torus_campaign *c,
				      uint32_t i);

static inline const struct torus_axis_value *
torus_cell_value(const struct torus_campaign *c, const struct torus_cell *cell,
		 enum torus_axis axis)
{
	return &c->axis[axis].value[cell->at[axis]];
}

static inline const struct torus_campaign_set *
torus_cell_set(const struct torus_campaign *c, const struct torus_cell *cell)
{
	return &c->set[cell->at[TORUS_AXIS_OPTIONS]];
}

/* Return true if nodes or links fail: then a seed is one of faults, too, the same
 * for every policy. */
static inline bool torus_cell_faults(const struct torus_campaign *c,
				     const struct torus_cell *cell)
{
	const struct torus_replay_options *o = &torus_cell_set(c, cell)->options;

	return o->faults[TORUS_FAULT_NODES].mtbf_us ||
	       o->faults[TORUS_FAULT_LINKS].mtbf_us;
}

/* Return true if the cell's result differs from that of other cells. */
bool torus_cell_wanted(const struct torus_campaign *c,
		       const struct torus_cell *cell);

/* Return the number of the first cell that differs from cell i at most in options that its
 * strategy and discipline do not have: both have one result. */
uint32_t torus_cell_first(const struct torus_campaign *c, uint32_t i);

#define TORUS_CELL_KEY_SIZE 65

/*
 * Compute the key of a cell's result, SHA-256 in hexadecimal of all that it
 * depends on: its values, the contents of its files, the options, our version
 * and build. A result with the same key is reused.
 */
void torus_cell_key(const struct torus_campaign *c,
		    const struct torus_cell *cell,
		    char key[TORUS_CELL_KEY_SIZE]);

/* Write "trace sdsc.swf.gz, machine flat:128, ...": the axes with several
 * values, for messages. Return buffer. */
const char *torus_cell_name(const struct torus_campaign *c,
			    const struct torus_cell *cell, char *buffer,
			    size_t size);

/*
 * Replay the cell. Return 0 with the summary as JSON in *json (malloc()ed), or
 * -1 with lines in err.
 */
int torus_cell_run(const struct torus_campaign *c, const struct torus_cell *cell,
		   char **json, struct torus_error *err);

/*
 * Replay the cell again: as above, with the outcome of job i (from 0, in the
 * order of the trace) in (*list)[i], freed with torus_free(). Memory: 64 bytes
 * per job.
 */
int torus_cell_accounts(const struct torus_campaign *c,
			const struct torus_cell *cell, char **json,
			struct torus_account **list, uint64_t *jobs,
			struct torus_error *err);

/*
 * Cells on all cores: worker processes that compute one cell after another.
 *
 * Processes instead of threads: a cell that crashes or is killed ends only its
 * own worker, and its memory is measured separately.
 */

struct torus_pool_hooks {
	void *arg;
	/* Called when a cell is finished, with its summary as JSON, or failed,
	 * with summary NULL and the reason. Returns 0 to continue. */
	int (*done)(void *arg, uint32_t cell, const char *summary,
		    const char *why);
	/* Called about ten times per second, and after every event. Returns
	 * false to stop. */
	bool (*tick)(void *arg);
};

/*
 * Load the traces that several of the cells replay (torus_campaign_load()), and
 * compute cells[0..n) with `workers` workers. Return 0 if all were passed to
 * done(), 1 if done() or tick() stopped it, -1 with a line in err. No worker
 * outlives the call.
 */
int torus_pool_run(struct torus_campaign *c, const uint32_t *cells, uint32_t n,
		   unsigned workers, const struct torus_pool_hooks *hooks,
		   struct torus_error *err);

#endif
