/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus replay: a trace of jobs through a machine, a strategy and a
 * discipline; a summary, and the schedule on request.
 *
 * All input is looked at before an output is opened, and outputs appear
 * only when everything went well.
 */
#include "storus/storus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "replay/replay.h"
#include "report/schedule.h"
#include "report/summary.h"
#include "storus/output.h"
#include "storus/progress.h"
#include "torus/config.h"
#include "torus_build.h"

#define NAME &storus_replay

enum {
	OPT_TORUS = 1, OPT_STRATEGY, OPT_DISCIPLINE, OPT_WAIT_LIMIT,
	OPT_FORMAT, OPT_PROCESSORS, OPT_ESTIMATE, OPT_OVERRUN, OPT_SCALE,
	OPT_ROUND, OPT_RUN_SCALE, OPT_LOAD_SCALE, OPT_LAXITY, OPT_MAX_JOBS,
	OPT_SEED, OPT_CHECK, OPT_STRICT, OPT_JSON, OPT_SCHEDULE,
};

static const struct storus_option options[] = {
	{ "torus", OPT_TORUS, "FILE|MACHINE",
	  "the machine: a torus.yaml, or 8x8x8 (all dimensions wrap),\n"
	  "8x8x8:TTM (T wraps, M does not), 2^8, 16, flat:128" },
	{ "strategy", OPT_STRATEGY, "NAME",
	  "where jobs go; initially submesh, or flat on flat machines" },
	{ "discipline", OPT_DISCIPLINE, "NAME",
	  "who is next, and what may overtake; initially easy" },
	{ "wait-limit", OPT_WAIT_LIMIT, "SEC",
	  "nothing overtakes a job that waited so long (0: as fcfs)" },
	{ "format", OPT_FORMAT, "NAME",
	  "of the trace: swf or csv; initially what it looks like" },
	{ "processors", OPT_PROCESSORS, "requested|used",
	  "sizes (initially requested); a missing one takes the other" },
	{ "estimate", OPT_ESTIMATE, "requested|run",
	  "expected run times (initially requested; if missing, run)" },
	{ "overrun", OPT_OVERRUN, "raise|kill|extend",
	  "a job longer than its estimate: the estimate is raised to\n"
	  "the run time (initially), the job ends at it, or runs on" },
	{ "scale", OPT_SCALE, "F", "multiply sizes, rounding up" },
	{ "round-up-pow2", OPT_ROUND, NULL, "sizes to the next power of two" },
	{ "run-scale", OPT_RUN_SCALE, "C",
	  "multiply run times and estimates" },
	{ "load-scale", OPT_LOAD_SCALE, "F",
	  "divide the gaps between submits" },
	{ "laxity", OPT_LAXITY, "F", "deadline = submit + run x (1 + F)" },
	{ "max-jobs", OPT_MAX_JOBS, "N", "only the first N jobs of the file" },
	{ "seed", OPT_SEED, "N", "for what is random; initially 1" },
	{ "check", OPT_CHECK, NULL,
	  "check every invariant after every instant (slow)" },
	{ "strict", OPT_STRICT, NULL,
	  "refuse a trace with a line that cannot be read" },
	{ "json", OPT_JSON, "[=FILE]",
	  "the summary as JSON, to stdout instead of the table" },
	{ "schedule", OPT_SCHEDULE, "FILE.csv",
	  "one row per job, in the order in which they are over" },
	{ NULL, 0, NULL, NULL },
};

/* Known, but not built yet: refused by name rather than misunderstood. */
static const char *const later[] = {
	"contention", "mean-hold", "arrival-queue", "phase2",
	"preempt-overhead", "choice", "eat", NULL,
};

struct replay {
	const char *trace;
	const char *torus, *strategy, *discipline;
	const char *json, *schedule; /* files, "-", or NULL */
	int64_t wait_limit_us;       /* -1: not given */
	uint64_t seed;
	struct torus_trace_options input;
	struct torus_replay_options options;
};

/* What a run holds on to. */
struct session {
	const struct replay *given;
	struct torus_config *config;
	struct torus_trace *in;
	struct torus_metrics *metrics;
	struct storus_output json, csv;
	struct torus_schedule schedule;
	struct storus_progress progress;
	struct torus_error err;
	struct torus_replay_counts calls;
	int64_t begin_ns, end_ns;
};

static bool choice(const struct storus_args *args, const char *const *words,
		   int *index)
{
	*index = storus_args_choice(args, words);
	return *index >= 0;
}

static bool format_choose(const struct storus_args *args, const char **format)
{
	const struct torus_trace_format *const *all = torus_trace_formats();
	const char *words[16];
	int n = 0, i;

	for (; all[n] && n < 15; n++)
		words[n] = all[n]->name;
	words[n] = NULL;
	if (!choice(args, words, &i))
		return false;
	*format = words[i];
	return true;
}

/* Options that transform the trace. */
static bool transform_take(const struct storus_args *args, int id,
			   struct torus_replay_options *o)
{
	static const char *const processors[] = { "requested", "used", NULL };
	static const char *const estimates[] = { "requested", "run", NULL };
	static const char *const overruns[] = { "raise", "kill", "extend",
						NULL };
	int i = 0;
	bool good = true;

	switch (id) {
	case OPT_PROCESSORS:
		good = choice(args, processors, &i);
		o->processors_used = i == 1;
		break;
	case OPT_ESTIMATE:
		good = choice(args, estimates, &i);
		o->estimate_run = i == 1;
		break;
	case OPT_OVERRUN:
		good = choice(args, overruns, &i);
		o->overrun = (enum torus_overrun)i;
		break;
	case OPT_SCALE:
		return storus_args_factor(args, 0, true, &o->scale);
	case OPT_RUN_SCALE:
		return storus_args_factor(args, 0, true, &o->run_scale);
	case OPT_LOAD_SCALE:
		return storus_args_factor(args, 0, true, &o->load_scale);
	case OPT_LAXITY:
		return storus_args_factor(args, 0, false, &o->laxity);
	case OPT_ROUND:
		o->round_up_pow2 = true;
		break;
	}
	return good;
}

static bool operand_take(struct replay *r, const char *value)
{
	if (r->trace) {
		storus_say(NAME, 0, "got two traces, %s and %s; one at a time",
			   r->trace, value);
		return false;
	}
	r->trace = value;
	return true;
}

static bool option_take(const struct storus_args *args, int id,
			struct replay *r)
{
	switch (id) {
	case STORUS_ARGS_OPERAND:
		return operand_take(r, args->value);
	case OPT_TORUS:
		r->torus = args->value;
		return true;
	case OPT_STRATEGY:
		r->strategy = args->value;
		return true;
	case OPT_DISCIPLINE:
		r->discipline = args->value;
		return true;
	case OPT_WAIT_LIMIT:
		return storus_args_seconds(args, &r->wait_limit_us);
	case OPT_FORMAT:
		return format_choose(args, &r->input.format);
	case OPT_MAX_JOBS:
		return storus_args_count(args, 1, INT64_MAX,
					 &r->input.max_jobs);
	case OPT_SEED:
		return storus_args_count(args, 0, INT64_MAX, &r->seed);
	case OPT_CHECK:
		r->options.check = true;
		return true;
	case OPT_STRICT:
		r->input.strict = true;
		return true;
	case OPT_JSON:
		r->json = args->value ? args->value : "-";
		return true;
	case OPT_SCHEDULE:
		r->schedule = args->value;
		return true;
	default:
		return transform_take(args, id, &r->options);
	}
}

static bool is_later(const char *argument)
{
	size_t length = strcspn(argument, "="), i;

	for (i = 0; later[i]; i++)
		if (!strncmp(argument, "--", 2) &&
		    strlen(later[i]) == length - 2 &&
		    !strncmp(argument + 2, later[i], length - 2))
			return true;
	return false;
}

/* The command line. STORUS_ARGS_END if there is something to do. */
static int arguments_read(int argc, char **argv, struct replay *r)
{
	struct storus_args args;
	int id, i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (is_later(argv[i]))
			return storus_say(NAME, STORUS_ARGS_BAD, "%.*s: not "
					  "available in this version",
					  (int)strcspn(argv[i], "="), argv[i]);
	storus_args_begin(&args, NAME, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		if (id == STORUS_ARGS_BAD || id == STORUS_ARGS_HELP)
			return id;
		if (!option_take(&args, id, r))
			return STORUS_ARGS_BAD;
	}
	if (!r->trace)
		return storus_say(NAME, STORUS_ARGS_BAD, "a trace is missing; "
				  "storus replay --help shows examples");
	if (!r->torus)
		return storus_say(NAME, STORUS_ARGS_BAD, "--torus is missing: "
				  "which machine? For example --torus 8x8x8 "
				  "or --torus flat:128");
	if (r->json && r->schedule && !strcmp(r->json, "-") &&
	    !strcmp(r->schedule, "-"))
		return storus_say(NAME, STORUS_ARGS_BAD, "--json and "
				  "--schedule cannot both go to stdout");
	return STORUS_ARGS_END;
}

static int discipline_set(struct torus_scheduler_settings *settings,
			  const char *name)
{
	const struct torus_discipline *const *all = torus_disciplines();
	const struct torus_discipline *d = torus_discipline_find(name);
	const char *words[64], *near;
	char list[512] = "";
	size_t n = 0;

	if (d && d != settings->discipline)
		/* Those of the file are another discipline's. */
		settings->options = (struct torus_options){ 0 };
	if (d) {
		settings->discipline = d;
		return STORUS_DONE;
	}
	for (; all[n] && n < 63; n++) {
		words[n] = all[n]->name;
		snprintf(list + strlen(list), sizeof(list) - strlen(list),
			 "%s%s", n ? ", " : "", words[n]);
	}
	words[n] = NULL;
	near = storus_nearest(name, words);
	return storus_say(NAME, STORUS_USAGE, "--discipline: got \"%s\", "
			  "expected one of %s%s%s%s", name, list,
			  near ? "; did you mean " : "", near ? near : "",
			  near ? "?" : "");
}

static int status_of_errno(void)
{
	return errno == ENOMEM ? STORUS_TROUBLE : STORUS_USAGE;
}

/* The machine and the trace: all that can be wrong before the first job. */
static int inputs_open(struct session *s)
{
	const struct replay *r = s->given;
	int status;

	s->config = torus_config_load(r->torus, &s->err);
	if (!s->config)
		return storus_say_errors(NAME, status_of_errno(), &s->err);
	storus_say_errors(NAME, 0, &s->config->notices);
	if (r->strategy &&
	    torus_config_strategy(s->config, r->strategy, &s->err))
		return storus_say_errors(NAME, status_of_errno(), &s->err);
	if (r->discipline) {
		status = discipline_set(&s->config->scheduler, r->discipline);
		if (status)
			return status;
	}
	if (r->wait_limit_us >= 0)
		s->config->scheduler.wait_limit_us = r->wait_limit_us;
	s->in = torus_trace_open(r->trace, &r->input, &s->err);
	if (!s->in)
		return storus_say_errors(NAME, status_of_errno(), &s->err);
	s->metrics = torus_metrics_create();
	if (!s->metrics)
		return storus_say(NAME, STORUS_TROUBLE, "out of memory");
	return STORUS_DONE;
}

static int output_failed(const char *path)
{
	return storus_say(NAME, STORUS_TROUBLE, "%s: cannot be written: %s",
			  path, strerror(errno));
}

static int outputs_open(struct session *s)
{
	const struct replay *r = s->given;

	if (r->json && storus_output_open(&s->json, r->json))
		return output_failed(r->json);
	if (!r->schedule)
		return STORUS_DONE;
	if (storus_output_open(&s->csv, r->schedule) ||
	    torus_schedule_begin(&s->schedule, s->csv.stream))
		return output_failed(r->schedule);
	return STORUS_DONE;
}

static int on_row(void *arg, const struct torus_machine *m,
		  const struct torus_replay_row *row)
{
	struct session *s = arg;

	return torus_schedule_row(&s->schedule, m, row);
}

static void on_tick(void *arg, uint64_t jobs)
{
	struct session *s = arg;
	uint64_t read, size;

	torus_trace_progress(s->in, &read, &size);
	storus_progress_update(&s->progress, read, size, jobs);
}

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The first bad lines, and how many there were. */
static void bad_lines_say(const struct session *s)
{
	uint64_t bad = torus_trace_counts(s->in)->bad;

	if (!bad)
		return;
	storus_say_errors(NAME, 0, torus_trace_bad(s->in));
	storus_say(NAME, 0, "%s: %llu line%s cannot be read%s%s",
		   s->given->trace, (unsigned long long)bad,
		   bad == 1 ? "" : "s",
		   bad > TORUS_TRACE_BAD_SHOWN ? " (the first ten are above)" :
		   "", s->given->input.strict ? "; --strict refuses the trace" :
		   "; skipped");
}

static int replay_run(struct session *s)
{
	static const int status[] = {
		[TORUS_REPLAY_DONE] = STORUS_DONE,
		[TORUS_REPLAY_REFUSED] = STORUS_USAGE,
		[TORUS_REPLAY_FAILED] = STORUS_TROUBLE,
		[TORUS_REPLAY_VIOLATION] = STORUS_TROUBLE,
	};
	struct torus_replay_hooks hooks = {
		.arg = s, .row = s->given->schedule ? on_row : NULL
	};
	enum torus_replay_answer answer;

	if (storus_progress_begin(&s->progress))
		hooks.tick = on_tick;
	answer = torus_replay_run(s->in, &s->config->machine,
				  &s->config->scheduler, &s->given->options,
				  &hooks, s->metrics, &s->calls, &s->err);
	storus_progress_end(&s->progress);
	s->end_ns = clock_ns();
	bad_lines_say(s);
	if (answer == TORUS_REPLAY_FAILED && !s->err.count)
		return storus_say(NAME, STORUS_TROUBLE, "%s", strerror(errno));
	return storus_say_errors(NAME, status[answer], &s->err);
}

static void machine_name(const struct torus_config *config, char *buffer,
			 size_t size)
{
	if (config->machine.pods == 1)
		torus_format(&config->machine.pod[0].torus, buffer, size);
	else
		snprintf(buffer, size, "%s", config->path);
}

static uint64_t peak_rss_kib(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss;
}

/* Write what was asked for, then let all of it appear. */
static int results_write(struct session *s, struct torus_summary *summary,
			 char *digest)
{
	const struct replay *r = s->given;
	bool table = !(r->json && !strcmp(r->json, "-")) &&
		     !(r->schedule && !strcmp(r->schedule, "-"));

	if (r->json) {
		if (torus_trace_digest(s->in, digest))
			return storus_say(NAME, STORUS_TROUBLE, "%s: %s",
					  r->trace, strerror(errno));
		summary->digest = digest;
		if (torus_summary_json(summary, s->json.stream) ||
		    storus_output_finish(&s->json))
			return output_failed(r->json);
	}
	if (r->schedule && storus_output_finish(&s->csv))
		return output_failed(r->schedule);
	if (r->json && storus_output_commit(&s->json))
		return output_failed(r->json);
	if (r->schedule && storus_output_commit(&s->csv))
		return output_failed(r->schedule);
	if (table && torus_summary_print(summary, stdout))
		return output_failed("stdout");
	return STORUS_DONE;
}

static int results(struct session *s, int argc, char **argv)
{
	const struct torus_config *config = s->config;
	char digest[TORUS_TRACE_DIGEST_SIZE], machine[256];
	char *command = storus_command_line(argc, argv);
	struct torus_summary summary = {
		.trace = s->given->trace,
		.machine = machine,
		.strategy = config->machine.pod[0].strategy[0]->name,
		.discipline = config->scheduler.discipline->name,
		.nodes = config->machine.nodes,
		.counts = *torus_trace_counts(s->in),
		.metrics = s->metrics,
		.calls = s->calls,
		.wall_s = (double)(s->end_ns - s->begin_ns) * 1e-9,
		.peak_rss_kib = peak_rss_kib(),
		.seed = s->given->seed,
		.version = PACKAGE_VERSION,
		.command = command,
	};
	int status;

	machine_name(config, machine, sizeof(machine));
	status = command ? results_write(s, &summary, digest) :
			   storus_say(NAME, STORUS_TROUBLE, "out of memory");
	free(command);
	return status;
}

static int run(int argc, char **argv)
{
	struct replay given = { .wait_limit_us = -1, .seed = 1 };
	struct session s = { .given = &given, .begin_ns = clock_ns() };
	int status;

	torus_replay_options_init(&given.options);
	status = arguments_read(argc, argv, &given);
	if (status != STORUS_ARGS_END)
		return status == STORUS_ARGS_HELP ? STORUS_DONE : STORUS_USAGE;
	given.input.digest = given.json != NULL;
	status = inputs_open(&s);
	if (!status)
		status = outputs_open(&s);
	if (!status)
		status = replay_run(&s);
	if (!status)
		status = results(&s, argc, argv);
	storus_output_discard(&s.json);
	storus_output_discard(&s.csv);
	torus_schedule_end(&s.schedule);
	torus_metrics_destroy(s.metrics);
	torus_trace_close(s.in);
	torus_config_destroy(s.config);
	return status;
}

const struct storus_command storus_replay = {
	.name = "replay",
	.summary = "Replay a trace of jobs on a machine, under a policy",
	.usage = "TRACE --torus FILE|MACHINE [OPTION]...",
	.about =
	"TRACE is a file in the Standard Workload Format or CSV, plain or "
	"gzipped; - is\nthe standard input. CSV columns: id, submit, run, "
	"nodes, geometry, connection,\nrotate, limit, deadline, user, "
	"partition, priority; needed are submit, run and\nnodes or geometry.",
	.options = options,
	.examples =
	"  storus replay --torus flat:128 --discipline fcfs trace.swf.gz\n"
	"  storus replay --torus 8x8x16 --json=summary.json trace.swf.gz\n"
	"  storus replay --torus torus.yaml --schedule schedule.csv jobs.csv\n"
	"  zcat trace.swf.gz | storus replay --torus 8x8x8:TTM -",
	.run = run,
};
