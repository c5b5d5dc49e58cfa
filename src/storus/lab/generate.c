/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus generate: jobs of a workload model, jobs drawn from a trace, or those of
 * a trace with estimates or shapes added, as SWF or CSV. Memory: one job; --like keeps
 * the whole trace.
 */
#include "storus/lab/generate_options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "storus/base/notices.h"
#include "storus/base/output.h"
#include "torus_build.h"

#define NAME &storus_generate

struct generate_session {
	const struct storus_generate_options *opts;
	struct torus_trace *in;
	struct torus_log *log;       /* of --like, or NULL */
	struct torus_resample *like; /* drawn from it */
	struct torus_resample_fit fit[TORUS_LIKE_QUANTITIES];
	char fit_text[TORUS_LIKE_QUANTITIES][128];
	char digest[TORUS_TRACE_DIGEST_SIZE]; /* of --from, or "" */
	struct storus_output out;
	struct torus_writer_columns columns;
	struct torus_augment vary; /* of --from; a model has its own */
	uint64_t lost;             /* jobs with values that the format lacks */
	struct torus_error err;
};

/* The checksum stands before the jobs, so the file is read twice if it can be. */
static int digest_take(struct generate_session *s)
{
	const struct storus_generate_options *g = s->opts;
	struct torus_trace_options options = g->input;
	struct torus_trace *trace;
	int status = STORUS_DONE;

	if (!g->from || !strcmp(g->from, "-") || g->bare ||
	    !storus_output_same(g->from, g->from))
		return STORUS_DONE;
	options.digest = true;
	trace = torus_trace_open(g->from, &options, &s->err);
	if (!trace)
		return storus_say_input(NAME, &s->err);
	if (torus_trace_digest(trace, s->digest))
		status = storus_say(NAME, STORUS_TROUBLE, "%s: %s", g->from,
				    strerror(errno));
	torus_trace_close(trace);
	return status;
}

/* Four digits, and no exponent. */
static const char *mean_text(double mean, char text[32])
{
	snprintf(text, 32, fabs(mean) < 1000 ? "%.4g" : "%.0f", mean);
	return text;
}

/* Say what the jobs that were read are: their partitions are written, their clusters are
 * not. */
static void generate_read_say(const struct generate_session *s,
			      const struct torus_trace *trace)
{
	const struct storus_generate_options *g = s->opts;
	const char *name = storus_input_name(g->from);

	storus_trace_notices(NAME, name, trace, g->input.strict);
	storus_trace_replayed(NAME, name, trace, &g->input.choice,
			      g->machine_given ? g->model.torus.nodes :
						 UINT32_MAX,
			      false, true);
}

/* Draw from the log and measure the fit. NULL with errno. */
static struct torus_trace *like_open(struct generate_session *s)
{
	const struct storus_generate_options *g = s->opts;
	const struct torus_resample_options options = {
		.by = g->by,
		.seed = g->model.seed,
		.replication = g->model.replication,
		.jobs = g->jobs,
		.load = g->model.load,
		.nodes = g->machine_given ? g->model.torus.nodes : 0,
	};

	s->log = torus_log_read(g->from, &g->input, &s->err);
	if (!s->log)
		return NULL;
	generate_read_say(s, s->log->trace);
	s->like = torus_resample_draw(s->log, &options, &s->err);
	if (!s->like || torus_resample_fit(s->log, s->like, s->fit))
		return NULL;
	for (int q = 0; q < TORUS_LIKE_QUANTITIES; q++)
		snprintf(s->fit_text[q], sizeof(s->fit_text[q]),
			 "%s: mean %s, of the log %s; KS distance %.3f",
			 torus_resample_quantities[q],
			 mean_text(s->fit[q].drawn, (char[32]){ "" }),
			 mean_text(s->fit[q].log, (char[32]){ "" }),
			 s->fit[q].distance);
	return torus_trace_open_list(s->like->job, s->like->jobs);
}

/* The trace that was read: that of the log, or what is written. */
static const struct torus_trace *generate_read(const struct generate_session *s)
{
	return s->log ? s->log->trace : s->in;
}

static int input_open(struct generate_session *s)
{
	const struct storus_generate_options *g = s->opts;
	const struct torus_model *model = g->model.model;

	errno = 0;
	s->in = g->like ? like_open(s) :
		g->from ? torus_trace_open(g->from, &g->input, &s->err) :
			  torus_trace_open_model(&g->model, &s->err);
	if (!s->in)
		return storus_say_input(NAME, &s->err);
	s->vary = g->model.vary;
	s->vary.torus = g->model.torus;
	torus_augment_seed(&s->vary, g->model.seed, g->model.replication);
	s->columns = (struct torus_writer_columns){
		.shapes = g->from || model->shapes ||
			  g->model.vary.shapes != TORUS_SHAPES_KEPT,
		.deadlines = g->from || model->deadlines,
		.users = g->from != NULL,
	};
	return STORUS_DONE;
}

/* "aida-uniform (Aida ...) on flat:256: load=0.5 mean-run=10"; NULL: memory. */
static char *origin_text(const struct generate_session *s)
{
	const struct storus_generate_options *g = s->opts;
	const struct torus_model_parameter *p;
	char machine[TORUS_STRING_SIZE];
	struct torus_text text = { 0 };
	int bad;
	size_t i;

	if (g->like &&
	    !torus_text_add(&text, "%s, %u %s drawn from %u",
			    storus_input_name(g->from), s->like->drawn,
			    torus_resample_words[s->like->by - TORUS_LIKE_WEEKS],
			    s->like->from))
		return text.data;
	if (g->from)
		return strdup(storus_input_name(g->from));
	torus_format(&g->model.torus, machine, sizeof(machine));
	bad = torus_text_add(&text, "%s (%s) on %s:", g->model.model->name,
			     g->model.model->source, machine);
	if (!bad && g->model.load > 0)
		bad = torus_text_add(&text, " load=%.15g", g->model.load);
	p = g->model.model->parameters;
	for (i = 0; !bad && p[i].key; i++)
		if (!(g->model.load > 0 &&
		      !strcmp(p[i].key, TORUS_NOMINAL_LOAD)))
			bad = torus_text_add(&text, " %s=%.15g", p[i].key,
					     g->model.value[i]);
	if (!bad)
		return text.data;
	torus_text_free(&text);
	return NULL;
}

/* "0.75 of these jobs, 0.62 in the mean of the model"; "": not known. */
static void load_text(const struct generate_session *s, char *text, size_t size)
{
	const struct storus_generate_options *g = s->opts;
	double realised, nominal, load = g->model.load;

	text[0] = '\0';
	if (s->like)
		snprintf(text, size,
			 "%.4g of these jobs, %.4g of the log's, on %u nodes",
			 s->like->load,
			 torus_log_load(s->log->job, s->log->jobs,
					s->like->nodes),
			 s->like->nodes);
	if (g->from || g->bare ||
	    torus_model_realised(&g->model, &realised, &nominal, NULL))
		return;
	if (load > 0)
		nominal *= load / realised;
	else
		load = realised;
	if (isnan(nominal))
		snprintf(text, size, "%.4g of these jobs", load);
	else
		snprintf(text, size,
			 "%.4g of these jobs, %.4g in the mean of the model",
			 load, nominal);
}

static int header_write(struct generate_session *s)
{
	const struct storus_generate_options *g = s->opts;
	const struct torus_trace_header *header = torus_trace_header(
		generate_read(s));
	const char *fit[TORUS_LIKE_QUANTITIES + 1] = { NULL };
	char *what = origin_text(s);
	char seed[64], load[128];
	struct torus_origin origin = {
		.version = PACKAGE_VERSION,
		.command = g->command,
		.seed = seed,
		.what = what,
		.jobs = s->like ? (int64_t)s->like->jobs :
			g->from ? -1 :
				  (int64_t)g->model.jobs,
		.fit = fit,
		.digest = *s->digest ? s->digest : NULL,
		.nodes = header->max_nodes,
		.unix_start = header->unix_start,
	};
	int status = STORUS_DONE;

	for (int q = 0; s->like && q < TORUS_LIKE_QUANTITIES; q++)
		fit[q] = s->fit_text[q];
	load_text(s, load, sizeof(load));
	origin.load = *load ? load : NULL;
	snprintf(seed, sizeof(seed), "%" PRIu64 " replication %" PRIu32,
		 g->model.seed, g->model.replication);
	if (!what)
		status = storus_no_memory(NAME);
	else if (g->writer->begin(s->out.stream, g->bare ? NULL : &origin,
				  &s->columns))
		status = storus_output_failed(NAME, g->output);
	free(what);
	return status;
}

/* Write the header with the first job: the trace's own header is known then, and a
 * refused trace leaves no header behind. */
static int all_write(struct generate_session *s)
{
	const struct torus_trace_record *record;
	enum torus_trace_answer answer = torus_trace_next(s->in, &record,
							  &s->err);
	int status = STORUS_DONE;

	if (answer == TORUS_TRACE_END) {
		const struct storus_generate_options *g = s->opts;

		storus_trace_notices(NAME, storus_input_name(g->from),
				     generate_read(s), g->input.strict);
		return storus_trace_usable(NAME, storus_input_name(g->from),
					   torus_trace_counts(generate_read(s)));
	}
	if (answer == TORUS_TRACE_JOB)
		status = header_write(s);
	while (!status && answer == TORUS_TRACE_JOB) {
		if (!record->kind) { /* else it is about nodes */
			const struct storus_generate_options *g = s->opts;
			struct torus_trace_record job = *record;

			if (g->from)
				torus_augment_apply(&s->vary, &job);
			s->lost += torus_writer_loses(g->writer, &job);
			status = g->writer->job(s->out.stream, &job,
						&s->columns) ?
					 storus_output_failed(NAME, g->output) :
					 STORUS_DONE;
		}
		if (!status)
			answer = torus_trace_next(s->in, &record, &s->err);
	}
	if (status || answer == TORUS_TRACE_END)
		return status;
	return storus_say_errors(NAME,
				 answer == TORUS_TRACE_REFUSED ? STORUS_USAGE :
								 STORUS_TROUBLE,
				 &s->err);
}

/* Report what may be unexpected. */
static void notices_say(const struct generate_session *s)
{
	const struct storus_generate_options *g = s->opts;
	const struct torus_augment *vary = g->from ? &s->vary :
						     torus_trace_vary(s->in);
	const struct torus_trace_counts *counts = torus_trace_counts(
		generate_read(s));
	char words[256];

	if (g->from && !g->like) /* of a log they were said */
		generate_read_say(s, generate_read(s));
	torus_trace_skipped_words(counts, words, sizeof(words));
	if (*words)
		storus_say(NAME, 0, "notice: skipped %" PRIu64 " job%s: %s",
			   torus_trace_skipped(counts),
			   torus_trace_skipped(counts) == 1 ? "" : "s", words);
	if (vary->counts)
		storus_say(NAME, 0,
			   "notice: %" PRIu64
			   " job%s no shape, only a node count: no box has exactly that many nodes",
			   vary->counts, vary->counts == 1 ? " gets" : "s get");
	if (s->lost)
		storus_say(NAME, 0,
			   "notice: SWF has no fields for the shapes, "
			   "deadlines, priorities, QOS or names of %" PRIu64
			   " job%s; --format csv keeps them",
			   s->lost, s->lost == 1 ? "" : "s");
}

static int generate(struct generate_session *s)
{
	const char *path = s->opts->output;
	int status = digest_take(s);

	if (!status)
		status = input_open(s);
	if (status)
		return status;
	if (storus_output_open(&s->out, path))
		return storus_output_failed(NAME, path);
	status = all_write(s);
	if (!status && storus_output_commit(&s->out))
		status = storus_output_failed(NAME, path);
	if (!status && s->like) {
		char load[128];
		uint64_t n;
		double chance;

		/* Report what was drawn, and how well it fits. */
		load_text(s, load, sizeof(load));
		storus_say(NAME, 0,
			   "%" PRIu64 " jobs like the %" PRIu64
			   " of %s: %u %s drawn from %u; load %s",
			   s->like->jobs, s->log->jobs,
			   storus_input_name(s->opts->from), s->like->drawn,
			   torus_resample_words[s->like->by - TORUS_LIKE_WEEKS],
			   s->like->from, load);
		for (int q = 0; q < TORUS_LIKE_QUANTITIES; q++)
			storus_say(NAME, 0, "fit: %s", s->fit_text[q]);
		/* Report a fit that few jobs cannot show. 1.36 / sqrt(n) is the 95 % quantile
		 * of the KS distance of n independent draws (Kolmogorov). */
		n = s->like->jobs < s->log->jobs ? s->like->jobs : s->log->jobs;
		chance = n ? fmin(1.36 / sqrt((double)n), 1) : 1;
		if (chance > 0.1)
			storus_say(NAME, 0,
				   "notice: %" PRIu64
				   " job%s few for a fit: %" PRIu64
				   " independent jobs of the same workload have KS distances up to %.2f by chance (95 %%)",
				   n, n == 1 ? " is" : "s are", n, chance);
	}
	if (!status)
		notices_say(s);
	return status;
}

static int generate_run(void *words)
{
	struct generate_session s = { .opts = words };
	int status = storus_generate_check(words);

	if (status == STORUS_GO)
		status = generate(&s);
	storus_output_discard(&s.out);
	torus_trace_close(s.in);
	torus_resample_destroy(s.like);
	torus_log_destroy(s.log);
	return status;
}

const struct storus_command storus_generate = {
	.name = "generate",
	.summary =
		"write jobs of a workload model, or drawn from a log, as SWF or CSV",
	.usage = "MODEL|--like TRACE|--from TRACE [OPTION]...",
	.about =
		"MODEL is one of aida-uniform, aida-real, bani-uniform, bani-exponential,\n"
		"mohapatra-geometric, mohapatra-uniform, mohapatra-reverse, lublin; storus\n"
		"list models explains them. The same command gives the same bytes on every machine.\n"
		"Arrivals, sizes and times have separate random numbers: another --load keeps the jobs\n"
		"and changes only the time between them. --like draws weeks, days or users of a log,\n"
		"and says how far the distributions are from the log's.",
	.options = storus_generate_options,
	STORUS_WORDS(struct storus_generate_options, .output = "-",
		     .pieces = -1, .format = -1, .model.seed = 1),
	.line = { STORUS_TO(struct storus_generate_options, command) },
	.first = storus_generate_first,
	.operand = { .value = "model",
		     STORUS_TO(struct storus_generate_options, name) },
	.examples =
		"  storus generate aida-uniform --load 0.9 --seed 7 --output jobs.swf\n"
		"  storus generate bani-uniform --rate 4.6 | storus replay "
		"--torus 8x8x8:MMM -\n"
		"  storus generate mohapatra-geometric --load 0.4 --laxity 1.5 "
		"--jobs 20000\n"
		"  storus generate --like site.sacct --load 0.8 --seed 3 --output jobs.csv\n"
		"  storus generate --from trace.swf.gz --torus 8x8x16 --shapes compact "
		"\\\n      --estimate-error uniform:3 --output jobs.csv\n",
	.run = generate_run,
};
