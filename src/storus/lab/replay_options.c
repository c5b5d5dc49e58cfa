/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of storus replay: its table, which is also its help, and the checks
 * of its values. No file is opened here.
 */
#include "storus/lab/replay_options.h"

#include <stdio.h>
#include <string.h>

#include "replay/faults.h"
#include "storus/base/args.h"
#include "storus/base/notices.h"
#include "trace/formats.h"

/* Options of the disciplines with deadlines, as in torus.yaml. */
static int replay_take_deadline(const struct storus_args *args, void *options)
{
	static const char *const choices[] = { "stacking", "first-fit",
					       "earliest", NULL };
	const char *key = args->option;
	char text[TORUS_OPTION_VALUE] = "true"; /* phase2, eat */
	uint64_t n;
	int64_t us;
	int i;

	if (!strcmp(key, "choice")) {
		i = storus_args_choice(args, choices);
		if (i < 0)
			return STORUS_USAGE;
		snprintf(text, sizeof(text), "%s", choices[i]);
	} else if (!strcmp(key, "arrival-queue")) {
		key = "arrival_queue";
		if (!storus_args_count(args, 1, 1000000, &n))
			return STORUS_USAGE;
		snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	} else if (!strcmp(key, "preempt-overhead")) {
		key = "preempt_overhead";
		if (!storus_args_seconds(args, &us))
			return STORUS_USAGE;
		snprintf(text, sizeof(text), "%lld.%06lld",
			 (long long)(us / 1000000), (long long)(us % 1000000));
	}
	return torus_options_set(options, key, text) ? STORUS_USAGE :
						       STORUS_DONE;
}

/* "queue_order=sjf" */
int storus_replay_take_option(const struct storus_args *args, void *options)
{
	const char *equals = strchr(args->value, '=');
	char key[TORUS_OPTION_KEY];

	if (!equals || equals == args->value)
		return storus_say(args->command, STORUS_USAGE,
				  "--option: got \"%s\", expected KEY=VALUE, for example queue_order=sjf",
				  args->value);
	snprintf(key, sizeof(key), "%.*s", (int)(equals - args->value),
		 args->value);
	if (torus_option_renamed(key))
		storus_say(args->command, 0,
			   "notice: --option: %s is called %s now", key,
			   torus_option_renamed(key));
	if (torus_options_set(options, key, equals + 1) == 0)
		return STORUS_DONE;
	return storus_say(args->command, STORUS_USAGE,
			  "--option: \"%s\" is too long, or one of more than %d options",
			  args->value, TORUS_OPTIONS_MAX);
}

/* A row's last part: into the options of the discipline. */
#define DEADLINE                                                               \
	STORUS_TAKE_TO(struct storus_replay_options, of_discipline,            \
		       replay_take_deadline)

static int replay_take_trim(const struct storus_args *args, void *words)
{
	struct storus_replay_options *r = words;

	r->trimmed = torus_trim_parse(args->value, &r->trim);
	if (r->trimmed)
		return STORUS_DONE;
	return storus_say(args->command, STORUS_USAGE,
			  "--trim: got \"%s\", expected a duration "
			  "or per cent, for example 1h, 10%% or 3600,0",
			  args->value);
}

/* An option in words, which campaigns have, too. */
static int replay_take_words(const struct storus_args *args, void *options)
{
	struct torus_error why = { 0 };
	char name[32];

	snprintf(name, sizeof(name), "%s", args->option);
	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	return torus_replay_option_set(options, name, args->value, &why) ?
		       storus_say(args->command, STORUS_USAGE, "--%s: %s",
				  args->option, why.text) :
		       STORUS_DONE;
}

static int replay_take_faults(const struct storus_args *args, void *options)
{
	struct torus_replay_options *o = options;
	struct torus_error why = { 0 };

	return torus_fault_rate_parse(args->value, o->faults, &why) ?
		       storus_say(args->command, STORUS_USAGE, "--faults: %s",
				  why.text) :
		       STORUS_DONE;
}

/* Rows of storus replay and storus validate: the machine, the policy, the trace. */
#define REPLAY_ROWS                                                                      \
	{ "torus", "FILE|MACHINE",                                                       \
	  "the machine: a torus.yaml, or 8x8x8 (all dimensions wrap),\n"                 \
	  "8x8x8:TTM (T wraps, M does not), 2^8, 16, flat:128",                          \
	  STORUS_TO(struct storus_replay_options, torus) },                              \
		{ "link-file", "FILE",                                                   \
		  "the links that are down or weak, in place of torus.yaml's file",      \
		  STORUS_TO(struct storus_replay_options, link_file) },                  \
		{ "strategy", "NAME",                                                    \
		  "the placement strategy, or the path of one's own (./mine.so);\n"      \
		  "default: submesh, or flat on flat machines",                          \
		  STORUS_TO(struct storus_replay_options, strategy) },                   \
		{ "discipline", "NAME",                                                  \
		  "the queue discipline, or one's own: pipe:COMMAND, ./mine.so\n"        \
		  "(doc/policy.md); default: easy",                                      \
		  STORUS_TO(struct storus_replay_options, discipline) },                 \
		{ "slurm-conf", "FILE",                                                  \
		  "slurm-backfill: the slurm.conf of the Slurm that is replayed",        \
		  STORUS_TO(struct storus_replay_options, slurm_conf) },                 \
		{ "shares", "FILE",                                                      \
		  "slurm-backfill: shares of accounts and users, from\n"                 \
		  "sacctmgr -P show assoc; default: one share each",                     \
		  STORUS_TO(struct storus_replay_options, shares) },                     \
		STORUS_POLICY_OPTION(struct storus_replay_options, of_policy),           \
		{ "wait-limit", "DURATION",                                              \
		  "no job overtakes a job that has waited this long (0: as fcfs); for\n" \
		  "disciplines without a reservation for the head",                      \
		  STORUS_TO(struct storus_replay_options, wait_limit_us) },              \
		{ "format", "NAME",                                                      \
		  "format of the trace: swf, csv, sacct or sacct-json; default:\n"       \
		  "recognized by content",                                               \
		  STORUS_TAKE_TO(struct storus_replay_options, input.format,             \
				 storus_trace_take_format) },                            \
		STORUS_TRACE_CHOICE(struct storus_replay_options,                        \
				    input.choice),                                       \
		{ "processors", "requested|used",                                        \
		  "the sizes to use (default: requested); if one is missing, the other", \
		  STORUS_CHOICE_TO(struct storus_replay_options, processors) },          \
		{ "estimate", "requested|run",                                           \
		  "expected run times (default: requested; if missing, run)",            \
		  STORUS_CHOICE_TO(struct storus_replay_options, estimate) },            \
		{ "overrun", "raise|kill|extend",                                        \
		  "a job longer than its estimate: the estimate is raised to\n"          \
		  "the run time (the default), the job ends at it, or continues",        \
		  STORUS_CHOICE_TO(struct storus_replay_options,                         \
				   options.overrun) },                                   \
		{ "scale", "F", "multiply sizes, rounding up", .above = true,            \
		  STORUS_TO(struct storus_replay_options, options.scale) },              \
	{                                                                                \
		"round-up-pow2", NULL,                                                   \
			"round sizes up to the next power of two",                       \
			STORUS_TO(struct storus_replay_options,                          \
				  options.round_up_pow2)                                 \
	}

const struct storus_option storus_replay_options[] = {
	REPLAY_ROWS,
	{ "recorded", NULL,
	  "no policy: starts and ends as the trace has them, and its places if\n"
	  "it has them",
	  STORUS_TO(struct storus_replay_options, recorded) },
	{ "run-scale", "C", "multiply run times and estimates", .above = true,
	  STORUS_TO(struct storus_replay_options, options.run_scale) },
	{ "load-scale", "F", "divide the gaps between submits", .above = true,
	  STORUS_TO(struct storus_replay_options, options.load_scale) },
	{ "laxity", "F", "deadline = submit + run x (1 + F)",
	  STORUS_TO(struct storus_replay_options, options.laxity) },
	{ "deadline-share", "F",
	  "with --laxity: only this share of the jobs, drawn by --seed, have\n"
	  "a deadline: 0.3",
	  STORUS_TAKE_TO(struct storus_replay_options, options,
			 replay_take_words) },
	{ "limit-max", "DURATION",
	  "the longest time limit: longer ones are cut, and jobs that ran\n"
	  "longer end there: 24h",
	  STORUS_TAKE_TO(struct storus_replay_options, options,
			 replay_take_words) },
	{ "slowdown-bound", "DURATION",
	  "shorter jobs count as this long in their slowdown (default: 10s)",
	  STORUS_TAKE_TO(struct storus_replay_options, options,
			 replay_take_words) },
	{ "outage", "WHEN +DURATION [NODES]",
	  "nodes are out of service, and jobs end before: 'first Tue 08:00 +8h',\n"
	  "'every day 02:00 +1h 0-15', '2024-01-02T08:00:00 +8h'; once for each",
	  STORUS_TAKE_TO(struct storus_replay_options, options,
			 replay_take_words) },
	{ "mean-hold", "DURATION",
	  "dedf, dedf-replan: how long jobs run on average; jobs are answered\n"
	  "this long before the first latest start (default: 0)",
	  STORUS_TO(struct storus_replay_options, mean_hold_us) },
	{ "arrival-queue", "N",
	  "dedf, dedf-replan: as soon as N jobs wait, they are answered",
	  DEADLINE },
	{ "phase2", NULL,
	  "disciplines with deadlines: a job that does not fit otherwise\n"
	  "may preempt running jobs",
	  DEADLINE },
	{ "preempt-overhead", "DURATION",
	  "with --phase2: how long before preempted jobs run (default: 0)",
	  DEADLINE },
	{ "choice", "stacking|first-fit|earliest",
	  "dedf, dedf-replan: the choice of the place; stacking and first-fit\n"
	  "need the strategy subcube-buddy, where stacking is the default",
	  DEADLINE },
	{ "eat", NULL,
	  "dedf: only places that stay free, no windows between jobs",
	  DEADLINE },
	{ "pass-budget", "DURATION|N",
	  "end a pass after DURATION of processor time (0.5s) or after N jobs;\n"
	  "the next one continues a second later, as in sched/torus. N gives\n"
	  "the same on every machine, DURATION does not; default: no budget",
	  STORUS_TAKE_TO(struct storus_replay_options, options,
			 replay_take_words) },
	{ "faults", "MTBF,MTTR[,links]",
	  "nodes (links) fail at random, each after MTBF on average, and are\n"
	  "repaired after MTTR: 30d,4h; once for nodes, once for links; a\n"
	  "job whose node fails is requeued, at most 5 times",
	  STORUS_TAKE_TO(struct storus_replay_options, options,
			 replay_take_faults) },
	{ "checkpoint", "DURATION",
	  "with --faults: a requeued job goes on from the last multiple of\n"
	  "DURATION of its run; default: it begins again",
	  STORUS_TAKE_TO(struct storus_replay_options, options,
			 replay_take_words) },
	{ "node-power", "BUSY,IDLE",
	  "also print the energy of busy and idle nodes: 400W,120W",
	  STORUS_TAKE_TO(struct storus_replay_options, options,
			 replay_take_words) },
	{ "max-jobs", "N", "only the first N jobs of the file", .low = 1,
	  STORUS_TO(struct storus_replay_options, input.max_jobs) },
	{ "seed", "N", "seed of random choices; default: 1",
	  STORUS_TO(struct storus_replay_options, seed) },
	{ "contention", NULL,
	  "jobs that share links take longer, by the model of Gupta and\n"
	  "Srimani (strategy subtorus)",
	  STORUS_TO(struct storus_replay_options, options.contention) },
	{ "trim", "A[,B]",
	  "means and utilization without the first A and the last B of the\n"
	  "submits: a duration, or per cent of them (10%); B defaults to A",
	  STORUS_TAKE_ALL(replay_take_trim) },
	{ "per-user", NULL, "also print means for each user",
	  STORUS_TO(struct storus_replay_options, per_user) },
	{ "check", NULL, "check every invariant after every instant (slow)",
	  STORUS_TO(struct storus_replay_options, options.check) },
	{ "strict", NULL, "refuse a trace with a line that cannot be read",
	  STORUS_TO(struct storus_replay_options, input.strict) },
	{ "json", "[=FILE]",
	  "write the summary as JSON (default: stdout, in place of the table)",
	  STORUS_TO(struct storus_replay_options, json) },
	{ "schedule", "FILE.csv",
	  "one row per job, in the order in which they end", .writes = true,
	  STORUS_TO(struct storus_replay_options, schedule) },
	{ 0 },
};

const struct storus_option storus_validate_options[] = {
	REPLAY_ROWS,
	{ "max-jobs", "N", "only the first N jobs of the file", .low = 1,
	  STORUS_TO(struct storus_replay_options, input.max_jobs) },
	{ "strict", NULL, "refuse a trace with a line that cannot be read",
	  STORUS_TO(struct storus_replay_options, input.strict) },
	{ "json", "[=FILE]",
	  "write the numbers as JSON (default: stdout, in place of the table)",
	  STORUS_TO(struct storus_replay_options, json) },
	{ 0 },
};

/* --recorded decides nothing: refuse the options that would change what the trace says. */
static int replay_refused_beside_recorded(const struct storus_replay_options *r)
{
	const char *option = torus_recorded_refuses(&r->options);
	char name[32];

	if (r->discipline)
		option = "discipline";
	if (r->strategy)
		option = "strategy";
	if (r->of_policy.used)
		option = "option";
	if (!option)
		return STORUS_DONE;
	snprintf(name, sizeof(name), "%s", option);
	for (char *p = name; *p; p++)
		*p = *p == '_' ? '-' : *p;
	return storus_say(r->self, STORUS_USAGE,
			  "--%s has no effect with --recorded, which keeps the trace's starts and ends; omit it",
			  name);
}

int storus_replay_check(struct storus_replay_options *r)
{
	r->options.processors_used = r->processors == 1;
	r->options.estimate_run = r->estimate == 1;
	r->options.seed = r->seed;
	r->options.confine = r->input.choice.confine;
	if (!r->trace)
		return storus_say(r->self, STORUS_USAGE,
				  "a trace is missing; storus %s --help shows examples",
				  r->self->name);
	if (!r->torus)
		return storus_say(r->self, STORUS_USAGE,
				  "--torus is missing: "
				  "write for example --torus 8x8x8 "
				  "or --torus flat:128");
	if (r->discipline && !strcmp(r->discipline, "recorded")) {
		r->discipline = NULL;
		r->recorded = true;
	}
	if (r->recorded && replay_refused_beside_recorded(r))
		return STORUS_USAGE;
	if (r->json && r->schedule && !strcmp(r->json, "-") &&
	    !strcmp(r->schedule, "-"))
		return storus_say(r->self, STORUS_USAGE,
				  "--json and "
				  "--schedule cannot both go to stdout");
	return STORUS_GO;
}
