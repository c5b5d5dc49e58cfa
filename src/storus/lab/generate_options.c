/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of storus generate. The model determines which parameters exist, so
 * it is read before the other options.
 */
#include "storus/lab/generate_options.h"

#include "storus/base/args.h"
#include "storus/base/notices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME &storus_generate

/* A parameter of the model, which is known in the second reading only. */
static int generate_take_parameter(const struct storus_args *args, void *words)
{
	struct storus_generate_options *g = words;
	struct torus_error err = { 0 };

	if (g->like && !strcmp(args->option, TORUS_LOAD))
		return storus_args_factor(args, 1e-6, false, &g->model.load) ?
			       STORUS_DONE :
			       STORUS_USAGE;
	if (g->from)
		return storus_say(NAME, STORUS_USAGE,
				  "--%s: belongs to a model; %s", args->option,
				  g->like ?
					  "--like takes the jobs from the trace" :
					  "--from takes the jobs as they are");
	if (!g->model.model)
		return STORUS_DONE;
	if (!torus_model_read(&g->model, args->option, args->value, &err))
		return STORUS_DONE;
	return storus_say(NAME, STORUS_USAGE, "--%s", err.text);
}

static int generate_take_vary(const struct storus_args *args, void *vary)
{
	struct torus_error err = { 0 };
	int bad = !strcmp(args->option, "shapes") ?
			  torus_augment_shapes(vary, args->value, &err) :
			  torus_augment_estimates(vary, args->value, &err);

	return bad ? storus_say_errors(NAME, STORUS_USAGE, &err) : STORUS_DONE;
}

static int generate_take_machine(const struct storus_args *args, void *words)
{
	struct storus_generate_options *g = words;
	struct torus_error err = { 0 };

	g->machine_given = true;
	if (!torus_parse(&g->model.torus, args->value, &err))
		return STORUS_DONE;
	return storus_say(NAME, STORUS_USAGE, "--torus: %s", err.text);
}

#define PARAMETER STORUS_TAKE_ALL(generate_take_parameter)

const struct storus_option storus_generate_options[] = {
	{ "seed", "N", "default: 1; the same seed, the same file",
	  .high = UINT64_MAX,
	  STORUS_TO(struct storus_generate_options, model.seed) },
	{ "replication", "N", "other jobs of the same seed; default: 0",
	  STORUS_TO(struct storus_generate_options, model.replication) },
	{ "jobs", "N", "default: as many as in the paper", .low = 1,
	  .high = TORUS_MODEL_MAX_JOBS,
	  STORUS_TO(struct storus_generate_options, jobs) },
	{ "torus", "MACHINE",
	  "the machine that the jobs are for: flat:256, 8x8x8:MMM, 2^8 ...;\n"
	  "default: the paper's",
	  STORUS_TAKE_ALL(generate_take_machine) },
	{ "load", "F",
	  "offered load of the generated jobs; submit times are scaled\n"
	  "(aida, mohapatra, lublin, --like)",
	  PARAMETER },
	{ "nominal-load", "F",
	  "expected load of the model (aida, mohapatra, lublin)", PARAMETER },
	{ "rate", "F", "jobs per time unit (bani)", PARAMETER },
	{ "mean-run", "DURATION", "mean run time (aida, bani, mohapatra)",
	  PARAMETER },
	{ "overhead", "DURATION", "constant part of every run time (aida)",
	  PARAMETER },
	{ "mean-side", "F",
	  "mean side before rounding, in sides of the mesh (bani)", PARAMETER },
	{ "rotate", "0|1", "1: shapes may be rotated (bani)", PARAMETER },
	{ "mean-dimension", "F",
	  "mean dimension of sub-cubes before truncation (mohapatra)",
	  PARAMETER },
	{ "laxity", "F", "mean laxity, in mean run times (mohapatra)",
	  PARAMETER },
	{ "deviation", "0-1",
	  "standard deviation of run times, in their mean (mohapatra)",
	  PARAMETER },
	{ "laxity-deviation", "0-1",
	  "standard deviation of laxities, in their mean (mohapatra)",
	  PARAMETER },
	{ "kinds", "1|2",
	  "one kind of jobs, or batch and interactive ones (lublin)",
	  PARAMETER },
	{ "estimate-error", "HOW",
	  "requested times: exact, factor:F (run x F), uniform:F\n"
	  "(run x (1 + F u), u uniform on 0 .. 1), round:F (the same, up\n"
	  "to the next of twenty round values)",
	  STORUS_TAKE_TO(struct storus_generate_options, model.vary,
			 generate_take_vary) },
	{ "shapes", "HOW",
	  "shapes for jobs that have a node count, on --torus: compact,\n"
	  "uniform (each box of that many nodes), weighted (by surface)",
	  STORUS_TAKE_TO(struct storus_generate_options, model.vary,
			 generate_take_vary) },
	{ "from", "TRACE",
	  "no model: the jobs of a trace, read as storus replay does",
	  STORUS_TO(struct storus_generate_options, from_trace) },
	{ "like", "TRACE",
	  "no model: jobs drawn from a trace, in whole weeks, days or users;\n"
	  "says how well they fit it",
	  STORUS_TO(struct storus_generate_options, like_trace) },
	{ "by", "weeks|days|users",
	  "what --like draws; default: weeks where the trace has four, or\n"
	  "else days, or else users",
	  STORUS_CHOICE_TO(struct storus_generate_options, pieces) },
	{ "input-format", "NAME",
	  "format of the trace; default: recognized by content",
	  STORUS_TAKE_TO(struct storus_generate_options, input.format,
			 storus_trace_take_format) },
	STORUS_TRACE_CHOICE(struct storus_generate_options, input.choice),
	{ "strict", NULL, "refuse a trace with a line that cannot be read",
	  STORUS_TO(struct storus_generate_options, input.strict) },
	{ "format", "swf|csv",
	  "default: by the ending of --output; else csv where jobs have\n"
	  "shapes or deadlines, or swf",
	  STORUS_CHOICE_TO(struct storus_generate_options, format) },
	{ "output", "FILE",
	  "default: the standard output; FILE.gz is compressed", .writes = true,
	  STORUS_TO(struct storus_generate_options, output) },
	{ "bare", NULL, "omit the comments about the origin of the jobs",
	  STORUS_TO(struct storus_generate_options, bare) },
	{ 0 },
};

/* Where the jobs are from: a model, or a trace. */
static int generate_source(struct storus_generate_options *g)
{
	g->like = g->like_trace != NULL;
	g->from = g->like ? g->like_trace : g->from_trace;
	if (g->from_trace && g->like_trace)
		return storus_say(NAME, STORUS_USAGE,
				  "--from and --like exclude each other");
	if (g->from && g->name)
		return storus_say(NAME, STORUS_USAGE,
				  "the model %s and --%s %s exclude each other",
				  g->name, g->like ? "like" : "from", g->from);
	if (!g->from && (!g->name || !torus_model_find(g->name))) {
		const struct torus_model *const *all = torus_models();
		const char *words[64], *near;
		char list[512] = "";
		size_t n = 0;

		for (; n < 63 && all[n]; n++) {
			words[n] = all[n]->name;
			snprintf(list + strlen(list),
				 sizeof(list) - strlen(list), "%s%s",
				 n ? ", " : "", words[n]);
		}
		words[n] = NULL;
		if (!g->name)
			return storus_say(NAME, STORUS_USAGE,
					  "a model is missing: "
					  "%s; or --like TRACE, or --from TRACE",
					  list);
		near = storus_nearest(g->name, words);
		return storus_say(NAME, STORUS_USAGE,
				  "%s: no such model%s%s%s; "
				  "the models are %s",
				  g->name, near ? "; did you mean " : "",
				  near ? near : "", near ? "?" : "", list);
	}
	return STORUS_GO;
}

static bool generate_options_ends_with(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);

	return n > m && !strcmp(text + n - m, ending);
}

int storus_generate_first(void *opts)
{
	struct storus_generate_options *g = opts;
	int status = generate_source(g);

	if (status != STORUS_GO)
		return status;
	if (g->from)
		g->model = (struct torus_model_options){ .seed = 1 };
	else
		torus_model_options_init(&g->model, torus_model_find(g->name));
	g->name = NULL;
	return STORUS_GO;
}

int storus_generate_check(struct storus_generate_options *g)
{
	bool rich;

	if (g->from && g->model.vary.shapes != TORUS_SHAPES_KEPT &&
	    !g->machine_given)
		return storus_say(NAME, STORUS_USAGE,
				  "--shapes needs a machine; write for example "
				  "--torus 8x8x16");
	if (g->model.vary.shapes != TORUS_SHAPES_KEPT && g->model.torus.flat)
		return storus_say(NAME, STORUS_USAGE,
				  "--shapes: a flat "
				  "machine has none; give --torus, for "
				  "example 8x8x4");
	if (g->pieces >= 0 && !g->like)
		return storus_say(NAME, STORUS_USAGE,
				  "--by is for --like TRACE");
	if (g->pieces >= 0)
		g->by = TORUS_LIKE_WEEKS + (enum torus_resample_by)g->pieces;
	if (g->jobs)
		g->model.jobs = g->jobs;
	if (g->from && g->jobs && !g->like)
		g->input.max_jobs = g->jobs;
	/* The format, if it was not named. */
	rich = g->model.vary.shapes != TORUS_SHAPES_KEPT || g->from ||
	       g->model.model->shapes || g->model.model->deadlines;
	if (g->format >= 0)
		g->writer = g->format ? &torus_writer_csv : &torus_writer_swf;
	else if (generate_options_ends_with(g->output, ".csv") ||
		 generate_options_ends_with(g->output, ".csv.gz"))
		g->writer = &torus_writer_csv;
	else if (generate_options_ends_with(g->output, ".swf") ||
		 generate_options_ends_with(g->output, ".swf.gz"))
		g->writer = &torus_writer_swf;
	else
		g->writer = rich ? &torus_writer_csv : &torus_writer_swf;
	return STORUS_GO;
}
