/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload models: jobs drawn from published distributions, as a trace.
 *
 *	struct torus_model_options o;
 *
 *	torus_model_options_init(&o, torus_model_find("aida-uniform"));
 *	o.seed = 7;
 *	torus_model_set(&o, "load", 0.9, &err); // of these very jobs
 *	trace = torus_trace_open_model(&o, &err);
 *
 * The trace is then read or replayed like any other (trace.h), in O(1) memory.
 * The same options give the same jobs on every machine. Arrivals, sizes, times
 * and so on are drawn from separate streams: another load moves the same jobs
 * closer together and changes nothing else.
 */
#ifndef TRACE_MODEL_H
#define TRACE_MODEL_H

#include "torus/torus.h"
#include "trace/models/random.h"
#include "trace/trace.h"
#include "trace/models/augment.h"

#define TORUS_MODEL_PARAMETERS 24

/* The parameter of the load that a model has in the mean. Few jobs of a heavy
 * tail are far from it: the key "load", which every model with this parameter
 * has as well, scales the submit times so that the very jobs have that load:
 *
 *	sum(run x nodes) / (machine's nodes x (last submit - first submit))
 */
#define TORUS_NOMINAL_LOAD "nominal-load"
#define TORUS_LOAD "load"

/* More jobs are refused: their numbers would not fit a trace. */
#define TORUS_MODEL_MAX_JOBS UINT64_C(1000000000000)

struct torus_model_parameter {
	const char *key;
	double initial; /* the paper's value */
	double minimum, maximum;
	const char *summary;
};

struct torus_model_options {
	const struct torus_model *model;
	uint64_t seed;
	uint32_t replication; /* replication number within the seed */
	uint64_t jobs;
	double load;        /* exact load of these jobs; 0: unscaled */
	struct torus torus; /* the machine that the jobs are for */
	double value[TORUS_MODEL_PARAMETERS]; /* in the model's order */
	struct torus_augment
		vary; /* estimates and shapes; seed and torus are set at the beginning */
};

struct torus_model_run;

/* A model: one file here and one line in model.h. */
struct torus_model {
	const char *name;
	const char *summary; /* one line */
	const char *source;  /* author and section */
	const char *torus;   /* the paper's machine */
	uint64_t jobs;       /* the paper's number */
	bool shapes;         /* jobs have shapes, not counts */
	bool deadlines;
	const struct torus_model_parameter *parameters; /* ends with key NULL */
	size_t own; /* size of run->own in bytes, zeroed at the beginning */

	/* Derive what job() needs. Return 0, or -1 with EINVAL and a line in
	 * err: the machine or a parameter is invalid. */
	int (*begin)(struct torus_model_run *run, struct torus_error *err);

	/* Fill in submit, run, size, and other known fields; the rest is preset
	 * to "unknown". */
	void (*job)(struct torus_model_run *run,
		    struct torus_trace_record *record);
};

/* The registry, ending with NULL; a model by name, or NULL. */
const struct torus_model *const *torus_models(void);
const struct torus_model *torus_model_find(const char *name);

/* The paper's values, seed 1, replication 0. */
void torus_model_options_init(struct torus_model_options *options,
			      const struct torus_model *model);

/* Set a parameter. Return 0, or -1 with EINVAL and a line in err: unknown
 * parameter, or value out of bounds. The later one of load and nominal-load
 * counts. */
int torus_model_set(struct torus_model_options *options, const char *key,
		    double value, struct torus_error *err);

/* The same of a text: a number, of a time also a duration. The key may have '_' for '-'. */
int torus_model_read(struct torus_model_options *options, const char *key,
		     const char *text, struct torus_error *err);

/* Return NULL with errno and lines in err: EINVAL, ENOMEM. Close with
 * torus_trace_close(). */
struct torus_trace *
torus_trace_open_model(const struct torus_model_options *options,
		       struct torus_error *err);

/*
 * Compute the load of the jobs with the model's parameters, before
 * options->load scales it, and its mean (NAN: unknown). Return 0, or -1 with
 * EINVAL and a line in err if there are fewer than two jobs, or with ENOMEM.
 * Draws all jobs.
 */
int torus_model_realised(const struct torus_model_options *options,
			 double *realised, double *nominal,
			 struct torus_error *err);

/* For the models themselves. */
struct torus_model_run {
	struct torus_model_options options;
	struct torus_random random[8]; /* by enum torus_purpose */
	double gap_us;                 /* mean time between arrivals */
	double nominal;                /* mean load; 0: unknown */
	double arrived;                /* current time, in mean gaps */
	void *own;
};

struct torus_model_run *
torus_model_begin(const struct torus_model_options *options,
		  struct torus_error *err);
void torus_model_end(struct torus_model_run *run);

/* Return the next arrival of a Poisson process with that mean gap. */
int64_t torus_model_arrival(struct torus_model_run *run);

/* Convert seconds to microseconds, at least 1, at most the maximum of a
 * trace. */
int64_t torus_model_us(double seconds);

/* Set the mean gap such that load = mean nodes x mean run / (gap x nodes). */
void torus_model_load(struct torus_model_run *run, double load,
		      double mean_nodes, double mean_run);

/* The workload models: a file and a line here each. */

#define TORUS_MODELS(X)                                                        \
	X(aida_uniform)                                                        \
	X(aida_real)                                                           \
	X(bani_uniform)                                                        \
	X(bani_exponential)                                                    \
	X(mohapatra_geometric)                                                 \
	X(mohapatra_uniform)                                                   \
	X(mohapatra_reverse)                                                   \
	X(lublin)

#define TORUS_MODEL_DECLARE(name)                                              \
	extern const struct torus_model torus_model_##name;
TORUS_MODELS(TORUS_MODEL_DECLARE)

#endif
