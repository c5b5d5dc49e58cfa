/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of storus replay: its table, which is also its help, and
 * what is wrong with values. Nothing is opened here.
 */
#include "storus/replay_options.h"

#include <stdio.h>
#include <string.h>

#include "trace/formats.h"

#define NAME &storus_replay

enum {
	OPT_TORUS = 1,
	OPT_LINK_FILE,
	OPT_STRATEGY,
	OPT_DISCIPLINE,
	OPT_WAIT_LIMIT,
	OPT_FORMAT,
	OPT_PROCESSORS,
	OPT_ESTIMATE,
	OPT_OVERRUN,
	OPT_SCALE,
	OPT_ROUND,
	OPT_RUN_SCALE,
	OPT_LOAD_SCALE,
	OPT_LAXITY,
	OPT_PASS_BUDGET,
	OPT_MAX_JOBS,
	OPT_SEED,
	OPT_TRIM,
	OPT_PER_USER,
	OPT_CONTENTION,
	OPT_CHECK,
	OPT_STRICT,
	OPT_JSON,
	OPT_SCHEDULE,
	OPT_MEAN_HOLD,
	OPT_ARRIVAL_QUEUE,
	OPT_PHASE2,
	OPT_OVERHEAD,
	OPT_CHOICE,
	OPT_EAT,
};

const struct storus_option storus_replay_options[] = {
	{ "torus", OPT_TORUS, "FILE|MACHINE",
	  "the machine: a torus.yaml, or 8x8x8 (all dimensions wrap),\n"
	  "8x8x8:TTM (T wraps, M does not), 2^8, 16, flat:128" },
	{ "link-file", OPT_LINK_FILE, "FILE",
	  "links that are not healthy, instead of torus.yaml's" },
	{ "strategy", OPT_STRATEGY, "NAME",
	  "where jobs go; default: submesh, or flat on flat machines" },
	{ "discipline", OPT_DISCIPLINE, "NAME",
	  "who is next, and what may overtake; default: easy" },
	{ "wait-limit", OPT_WAIT_LIMIT, "SEC",
	  "nothing overtakes a job that waited so long (0: as fcfs); for\n"
	  "disciplines without a reservation for the head" },
	{ "format", OPT_FORMAT, "NAME",
	  "of the trace: swf, csv or sacct; default: as its content says" },
	{ "processors", OPT_PROCESSORS, "requested|used",
	  "sizes (default: requested); a missing one takes the other" },
	{ "estimate", OPT_ESTIMATE, "requested|run",
	  "expected run times (default: requested; if missing, run)" },
	{ "overrun", OPT_OVERRUN, "raise|kill|extend",
	  "a job longer than its estimate: the estimate is raised to\n"
	  "the run time (the default), the job ends at it, or runs on" },
	{ "scale", OPT_SCALE, "F", "multiply sizes, rounding up" },
	{ "round-up-pow2", OPT_ROUND, NULL, "sizes to the next power of two" },
	{ "run-scale", OPT_RUN_SCALE, "C", "multiply run times and estimates" },
	{ "load-scale", OPT_LOAD_SCALE, "F", "divide the gaps between submits" },
	{ "laxity", OPT_LAXITY, "F", "deadline = submit + run x (1 + F)" },
	{ "mean-hold", OPT_MEAN_HOLD, "SEC",
	  "dedf, dedf-replan: how long jobs run on average, and so how long\n"
	  "before the latest start the answer comes (default: 0)" },
	{ "arrival-queue", OPT_ARRIVAL_QUEUE, "N",
	  "dedf, dedf-replan: N jobs that wait for an answer get it" },
	{ "phase2", OPT_PHASE2, NULL,
	  "disciplines with deadlines: a job that does not fit otherwise\n"
	  "may preempt those that run" },
	{ "preempt-overhead", OPT_OVERHEAD, "SEC",
	  "with --phase2: they run again after so long (default: 0)" },
	{ "choice", OPT_CHOICE, "stacking|first-fit|earliest",
	  "dedf, dedf-replan: which place; stacking and first-fit need the\n"
	  "strategy subcube-buddy, with which stacking is the initial one" },
	{ "eat", OPT_EAT, NULL,
	  "dedf: only places free for good, no windows between others" },
	{ "pass-budget", OPT_PASS_BUDGET, "DURATION|N",
	  "end a pass after so long (0.5s of processor time), or N jobs, and\n"
	  "go on a second later, as sched/torus does; N gives the same on\n"
	  "every machine, DURATION does not; default: no budget" },
	{ "max-jobs", OPT_MAX_JOBS, "N", "only the first N jobs of the file" },
	{ "seed", OPT_SEED, "N", "for what is random; default: 1" },
	{ "contention", OPT_CONTENTION, NULL,
	  "jobs that share links take longer, by the model of Gupta and\n"
	  "Srimani (strategy subtorus)" },
	{ "trim", OPT_TRIM, "A[,B]",
	  "means and utilization without the first A and the last B seconds\n"
	  "of submits, or per cent of them (10%); B is A if left out" },
	{ "per-user", OPT_PER_USER, NULL, "means for each user, too" },
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

static bool replay_options_choice(const struct storus_args *args,
				  const char *const *words, int *index)
{
	*index = storus_args_choice(args, words);
	return *index >= 0;
}

static bool replay_options_format_choose(const struct storus_args *args,
					 const char **format)
{
	const struct torus_trace_format *const *all = torus_trace_formats();
	const char *words[16];
	int n = 0, i;

	for (; n < 15 && all[n]; n++)
		words[n] = all[n]->name;
	words[n] = NULL;
	if (!replay_options_choice(args, words, &i))
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
		good = replay_options_choice(args, processors, &i);
		o->processors_used = i == 1;
		break;
	case OPT_ESTIMATE:
		good = replay_options_choice(args, estimates, &i);
		o->estimate_run = i == 1;
		break;
	case OPT_OVERRUN:
		good = replay_options_choice(args, overruns, &i);
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

static bool replay_options_operand_take(struct storus_replay_options *r,
					const char *value)
{
	if (r->trace) {
		storus_say(NAME, 0, "got two traces, %s and %s; one at a time",
			   r->trace, value);
		return false;
	}
	r->trace = value;
	return true;
}

static bool option_add(struct storus_replay_options *r, const char *key,
		       const char *value)
{
	struct torus_options *o = &r->of_discipline;
	uint32_t i = 0;

	while (i < o->used && strcmp(o->item[i].key, key))
		i++;
	snprintf(o->item[i].key, sizeof(o->item[i].key), "%s", key);
	snprintf(o->item[i].value, sizeof(o->item[i].value), "%s", value);
	o->used += i == o->used;
	return true;
}

/* Options of the disciplines with deadlines; written as torus.yaml would. */
static bool replay_options_deadline_take(const struct storus_args *args, int id,
					 struct storus_replay_options *r)
{
	static const char *const choices[] = { "stacking", "first-fit",
					       "earliest", NULL };
	uint64_t n;
	int64_t us;
	char text[TORUS_OPTION_VALUE];
	int i;

	switch (id) {
	case OPT_ARRIVAL_QUEUE:
		if (!storus_args_count(args, 1, 1000000, &n))
			return false;
		snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
		return option_add(r, "arrival_queue", text);
	case OPT_OVERHEAD:
		if (!storus_args_seconds(args, &us))
			return false;
		snprintf(text, sizeof(text), "%lld.%06lld",
			 (long long)(us / 1000000), (long long)(us % 1000000));
		return option_add(r, "preempt_overhead", text);
	case OPT_CHOICE:
		return replay_options_choice(args, choices, &i) &&
		       option_add(r, "choice", choices[i]);
	case OPT_PHASE2:
		return option_add(r, "phase2", "true");
	default: /* OPT_EAT */
		return option_add(r, "windows", "eat");
	}
}

/* "3600", "0,3600", "10%", "10%,0" */
static bool trim_take(const struct storus_args *args,
		      struct storus_replay_options *r)
{
	const char *p = args->value;
	struct torus_number n;
	int i;

	for (i = 0; i < 2; i++) {
		p = *p == '-' ? NULL : torus_number_scan(p, &n);
		if (!p || n.whole > TORUS_TRACE_MAX_SECONDS)
			break;
		r->trim.amount[i] = (double)n.whole * 1e6 + n.micro;
		r->trim.share[i] = *p == '%';
		if (*p == '%') {
			r->trim.amount[i] *= 1e-8;
			p++;
		}
		if (*p != ',' || i)
			break;
		p++;
	}
	if (p && !*p) {
		if (!i) {
			r->trim.amount[1] = r->trim.amount[0];
			r->trim.share[1] = r->trim.share[0];
		}
		r->trimmed = true;
		return true;
	}
	storus_say(NAME, STORUS_USAGE,
		   "--trim: got \"%s\", expected seconds "
		   "or per cent, for example 3600, 10%% or 3600,0",
		   args->value);
	return false;
}

/* A duration, or a number of jobs. */
static bool pass_budget_take(const struct storus_args *args,
			     struct torus_replay_options *o)
{
	const char *text = args->value;
	struct torus_error err;

	o->pass_budget_us = 0;
	o->pass_jobs = 0;
	if (*text && strspn(text, "0123456789") == strlen(text))
		return storus_args_count(args, 1, INT64_MAX, &o->pass_jobs);
	torus_error_clear(&err);
	if (torus_duration_parse(text, &o->pass_budget_us, &err) == 0 &&
	    o->pass_budget_us > 0)
		return true;
	storus_say(NAME, STORUS_USAGE,
		   "--pass-budget: got \"%s\", expected a duration above 0 with its unit, for example 0.5s, or a number of jobs",
		   text);
	return false;
}

static bool replay_options_option_take(const struct storus_args *args, int id,
				       struct storus_replay_options *r)
{
	switch (id) {
	case STORUS_ARGS_OPERAND:
		return replay_options_operand_take(r, args->value);
	case OPT_TORUS:
		r->torus = args->value;
		return true;
	case OPT_LINK_FILE:
		r->link_file = args->value;
		return true;
	case OPT_STRATEGY:
		r->strategy = args->value;
		return true;
	case OPT_DISCIPLINE:
		r->discipline = args->value;
		return true;
	case OPT_WAIT_LIMIT:
		return storus_args_seconds(args, &r->wait_limit_us);
	case OPT_MEAN_HOLD:
		return storus_args_seconds(args, &r->mean_hold_us);
	case OPT_ARRIVAL_QUEUE:
	case OPT_OVERHEAD:
	case OPT_CHOICE:
	case OPT_PHASE2:
	case OPT_EAT:
		return replay_options_deadline_take(args, id, r);
	case OPT_FORMAT:
		return replay_options_format_choose(args, &r->input.format);
	case OPT_PASS_BUDGET:
		return pass_budget_take(args, &r->options);
	case OPT_MAX_JOBS:
		return storus_args_count(args, 1, INT64_MAX, &r->input.max_jobs);
	case OPT_SEED:
		return storus_args_count(args, 0, INT64_MAX, &r->seed);
	case OPT_TRIM:
		return trim_take(args, r);
	case OPT_PER_USER:
		r->per_user = true;
		return true;
	case OPT_CONTENTION:
		r->options.contention = true;
		return true;
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

int storus_replay_read(int argc, char **argv, struct storus_replay_options *r)
{
	struct storus_args args;
	int id;

	*r = (struct storus_replay_options){ .wait_limit_us = -1,
					     .mean_hold_us = -1,
					     .seed = 1 };
	torus_replay_options_init(&r->options);
	storus_args_begin(&args, NAME, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		if (id == STORUS_ARGS_BAD || id == STORUS_ARGS_HELP)
			return id;
		if (!replay_options_option_take(&args, id, r))
			return STORUS_ARGS_BAD;
	}
	if (!r->trace)
		return storus_say(NAME, STORUS_ARGS_BAD,
				  "a trace is missing; "
				  "storus replay --help shows examples");
	if (!r->torus)
		return storus_say(NAME, STORUS_ARGS_BAD,
				  "--torus is missing: "
				  "which machine? For example --torus 8x8x8 "
				  "or --torus flat:128");
	if (r->json && r->schedule && !strcmp(r->json, "-") &&
	    !strcmp(r->schedule, "-"))
		return storus_say(NAME, STORUS_ARGS_BAD,
				  "--json and "
				  "--schedule cannot both go to stdout");
	return STORUS_ARGS_END;
}
