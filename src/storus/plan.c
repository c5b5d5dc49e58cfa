/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus plan: the offline schedulers of Gupta and Srimani on a list of jobs
 * that are all there from the beginning. Exit status 1: not by this deadline.
 */
#include "storus/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "storus/storus.h"
#include "torus/torus.h"

#define NAME &storus_plan

enum {
	OPT_TORUS = 1,
	OPT_JOBS,
	OPT_DEADLINE,
	OPT_ROUND_UP,
	OPT_DECIMALS,
	OPT_JSON,
};

static const struct storus_option options[] = {
	{ "torus", OPT_TORUS, "MACHINE",
	  "a square torus: 8x8; preemptive also takes its side: 8" },
	{ "jobs", OPT_JOBS, "FILE.csv",
	  "columns d (wants d x d nodes) and t (for a time: 4, 2.5, 7/3)" },
	{ "deadline", OPT_DEADLINE, "T",
	  "preemptive: can all be done by T? (default: find the least T)" },
	{ "round-up", OPT_ROUND_UP, NULL,
	  "preemptive: round each d up until it divides the next larger" },
	{ "decimals", OPT_DECIMALS, "N",
	  "cnp: round loads up to N decimals, 0 to 9 (default: exact)" },
	{ "json", OPT_JSON, "[=FILE]", "the plan as JSON (default: stdout)" },
	{ NULL, 0, NULL, NULL },
};

struct words {
	const char *verb, *torus, *jobs, *deadline, *json_path;
	bool round_up, json;
	int decimals; /* -1: exact */
};

static const char *const verbs[] = { "cnp", "preemptive", NULL };

static int verb_take(const char *word, struct words *w)
{
	const char *near;

	if (w->verb)
		return storus_say(NAME, STORUS_USAGE,
				  "\"%s\": unexpected; there is already %s",
				  word, w->verb);
	for (int i = 0; verbs[i]; i++) {
		if (!strcmp(word, verbs[i]))
			w->verb = verbs[i];
	}
	if (w->verb)
		return STORUS_DONE;
	near = storus_nearest(word, verbs);
	return storus_say(NAME, STORUS_USAGE,
			  "got \"%s\", expected cnp or preemptive%s%s%s", word,
			  near ? "; did you mean " : "", near ? near : "",
			  near ? "?" : "");
}

static bool decimals_take(const struct storus_args *args, struct words *w)
{
	uint64_t n;

	if (!storus_args_count(args, 0, 9, &n))
		return false;
	w->decimals = (int)n;
	return true;
}

static int plan_words_read(int argc, char **argv, struct words *w)
{
	struct storus_args args;
	int id;

	storus_args_begin(&args, NAME, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		switch (id) {
		case OPT_TORUS:
			w->torus = args.value;
			break;
		case OPT_JOBS:
			w->jobs = args.value;
			break;
		case OPT_DEADLINE:
			w->deadline = args.value;
			break;
		case OPT_ROUND_UP:
			w->round_up = true;
			break;
		case OPT_DECIMALS:
			if (!decimals_take(&args, w))
				return STORUS_ARGS_BAD;
			break;
		case OPT_JSON:
			w->json = true;
			w->json_path = args.value;
			break;
		case STORUS_ARGS_OPERAND:
			if (verb_take(args.value, w))
				return STORUS_ARGS_BAD;
			break;
		default:
			return id;
		}
	}
	return STORUS_ARGS_END;
}

/* What is missing, or belongs to the other verb. */
static int plan_words_check(const struct words *w)
{
	bool cnp = w->verb == verbs[0];
	const char *alien = cnp && w->deadline       ? "--deadline" :
			    cnp && w->round_up       ? "--round-up" :
			    !cnp && w->decimals >= 0 ? "--decimals" :
						       NULL;

	if (!w->verb)
		return storus_say(NAME, STORUS_USAGE,
				  "cnp or preemptive is missing; for example storus plan cnp --torus 8x8 --jobs jobs.csv");
	if (!w->torus || !w->jobs)
		return storus_say(NAME, STORUS_USAGE,
				  "--%s is missing; for example storus plan %s --torus 8x8 --jobs jobs.csv",
				  w->torus ? "jobs" : "torus", w->verb);
	if (alien)
		return storus_say(NAME, STORUS_USAGE,
				  "%s: not for storus plan %s", alien, w->verb);
	return STORUS_DONE;
}

/* The side of the square torus that was typed, or 0 after a complaint. */
static uint32_t side_read(const struct words *w)
{
	bool cnp = w->verb == verbs[0], square;
	struct torus_error err = { 0 };
	struct torus t;

	if (torus_parse(&t, w->torus, &err)) {
		storus_say_errors(NAME, 0, &err);
		return 0;
	}
	square = !t.flat && t.wrap[0] &&
		 ((t.dims == 2 && t.wrap[1] && t.size[0] == t.size[1]) ||
		  (t.dims == 1 && !cnp));
	if (!square || (cnp && (t.size[0] & (t.size[0] - 1)))) {
		storus_say(NAME, 0, "--torus: got \"%s\", expected %s", w->torus,
			   cnp ? "a square torus whose side is a power of two, for example 8x8" :
				 "a square torus or its side, for example 16x16 or 16");
		return 0;
	}
	return t.size[0];
}

static int plan_trouble(const struct torus_error *err, int wrong)
{
	if (err->count)
		return storus_say_errors(NAME,
					 errno == ENOMEM ? STORUS_TROUBLE :
							   wrong,
					 err);
	return storus_say(NAME, STORUS_TROUBLE, "%s", strerror(errno));
}

static int plan_print_result(const struct words *w,
			     struct storus_plan_result *r, int argc, char **argv)
{
	char *command = storus_command_line(argc, argv);
	int status = STORUS_DONE;

	r->command = command;
	if (!command)
		status = storus_say(NAME, STORUS_TROUBLE, "out of memory");
	else if (w->json)
		status = storus_plan_json(r, w->json_path);
	/* A table on a standard output that is JSON already would spoil it. */
	if (!status &&
	    !(w->json && (!w->json_path || !strcmp(w->json_path, "-"))) &&
	    storus_plan_table(r))
		status = storus_say(NAME, STORUS_TROUBLE,
				    "the standard output cannot be written: %s",
				    strerror(errno));
	free(command);
	return status;
}

/* For messages. */
static const char *input_name(const struct words *w)
{
	return strcmp(w->jobs, "-") ? w->jobs : "standard input";
}

static int cnp_run(const struct words *w, uint32_t m,
		   struct torus_offline_jobs *jobs, int argc, char **argv)
{
	struct storus_plan_result r = { .jobs = jobs };
	struct torus_error err = { 0 };
	struct torus_cnp *plan;
	int status;

	if (torus_cnp_check(jobs, input_name(w), &err))
		return plan_trouble(&err, STORUS_USAGE);
	plan = torus_cnp_plan(jobs, m, w->decimals, NULL, NULL, &err);
	if (!plan)
		return plan_trouble(&err, STORUS_USAGE);
	r.cnp = plan;
	status = plan_print_result(w, &r, argc, argv);
	torus_cnp_destroy(plan);
	return status;
}

static int preemptive_run(const struct words *w, uint32_t m,
			  struct torus_offline_jobs *jobs, int argc, char **argv)
{
	struct storus_plan_result r = { .jobs = jobs, .deadline = w->deadline };
	struct torus_error err = { 0 };
	struct torus_ratio deadline;
	struct torus_preemptive *p;
	int status;

	if (w->deadline && !torus_ratio_parse(w->deadline, &deadline))
		return storus_say(NAME, STORUS_USAGE,
				  "--deadline: got \"%s\", expected " TORUS_RATIO_EXPECTED,
				  w->deadline);
	if (w->round_up && torus_preemptive_round(jobs, m))
		return plan_trouble(&err, STORUS_USAGE);
	if (torus_preemptive_check(jobs, m, input_name(w), &err))
		return plan_trouble(&err, STORUS_USAGE);
	p = torus_preemptive_plan(jobs, m, w->deadline ? &deadline : NULL, NULL,
				  NULL, &err);
	if (!p)
		return plan_trouble(&err, STORUS_USAGE);
	r.preemptive = p;
	status = plan_print_result(w, &r, argc, argv);
	if (!status && !p->feasible)
		status = STORUS_NO;
	torus_preemptive_destroy(p);
	return status;
}

static int plan_run(int argc, char **argv)
{
	struct words w = { .decimals = -1 };
	struct torus_offline_jobs *jobs;
	struct torus_error err = { 0 };
	int id = plan_words_read(argc, argv, &w), status;
	uint32_t m;

	if (id != STORUS_ARGS_END)
		return id == STORUS_ARGS_HELP ? STORUS_DONE : STORUS_USAGE;
	status = plan_words_check(&w);
	if (status)
		return status;
	m = side_read(&w);
	if (!m)
		return STORUS_USAGE;
	jobs = torus_offline_jobs_read(w.jobs, m, &err);
	if (!jobs)
		return plan_trouble(&err, STORUS_USAGE);
	if (w.verb == verbs[0])
		status = cnp_run(&w, m, jobs, argc, argv);
	else
		status = preemptive_run(&w, m, jobs, argc, argv);
	torus_offline_jobs_destroy(jobs);
	return status;
}

const struct storus_command storus_plan = {
	.name = "plan",
	.summary = "an offline schedule of a list of jobs, by two algorithms",
	.usage = "cnp|preemptive --torus MACHINE --jobs FILE.csv [OPTION]...",
	.about =
		"cnp: every job starts as early as it can, on the interleaved subtorus "
		"where it\nshares links for the least time; what sharing costs is in the "
		"finish times.\npreemptive: subtori that share no links, each job in at "
		"most two parts; the least\nfinish time, or whether a deadline can be "
		"met (exit status 1: it cannot).\nTimes are exact: a decimal where it "
		"ends within 9 digits, else p/q.",
	.options = options,
	.examples =
		"  storus plan cnp --torus 8x8 --jobs jobs.csv\n"
		"  storus plan preemptive --torus 16 --jobs jobs.csv\n"
		"  storus plan preemptive --torus 16x16 --jobs jobs.csv --deadline 7/2\n"
		"  printf 'd,t\\n8,2\\n4,2.5\\n' | storus plan cnp --torus 8x8 --jobs - --json\n",
	.run = plan_run,
};
