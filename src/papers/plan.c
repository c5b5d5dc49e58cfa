/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus plan: the offline schedulers of Gupta and Srimani on a list of jobs that are
 * all submitted at time 0. Exit status 1: the deadline cannot be met.
 */
#include "papers/plan.h"

#include <errno.h>
#include <string.h>

#include "torus/torus.h"

#define NAME &storus_plan

/* In the order of the verb's words. */
enum plan_verb {
	PLAN_NONE = -1,
	PLAN_CNP,
	PLAN_PREEMPTIVE
};

struct plan_words {
	const char *typed; /* the verb */
	const char *command;
	const char *torus, *jobs, *deadline;
	struct storus_table table;
	bool round_up, steps;
	enum plan_verb verb;
	uint32_t decimals; /* EXACT: exact */
};
#define EXACT 10

static const struct storus_option options[] = {
	{ "torus", "MACHINE",
	  "a square torus: 8x8; preemptive also takes its side: 8",
	  STORUS_TO(struct plan_words, torus) },
	{ "jobs", "FILE.csv",
	  "columns d (the job needs d x d nodes) and t (its time: 4, 2.5, 7/3)",
	  STORUS_TO(struct plan_words, jobs) },
	{ "deadline", "T",
	  "preemptive: can all jobs finish by T? (default: find the least T)",
	  STORUS_TO(struct plan_words, deadline) },
	{ "round-up", NULL,
	  "preemptive: round each d up until it divides the next larger",
	  STORUS_TO(struct plan_words, round_up) },
	{ "decimals", "N",
	  "cnp: round loads up to N decimals, 0 to 9 (default: exact)",
	  .high = EXACT - 1, STORUS_TO(struct plan_words, decimals) },
	{ "steps", NULL,
	  "what happens job by job, too: the matrices and loads of cnp, the\n"
	  "profiles of preemptive",
	  STORUS_TO(struct plan_words, steps) },
	STORUS_TABLE_OPTIONS(struct plan_words, table),
	{ 0 },
};

static int plan_verb_read(struct plan_words *w)
{
	static const char *const verbs[] = { "cnp", "preemptive", NULL };
	const char *near;

	if (!w->typed)
		return storus_say(NAME, STORUS_USAGE,
				  "cnp or preemptive is missing; for example storus plan cnp --torus 8x8 --jobs jobs.csv");
	for (int i = 0; verbs[i]; i++) {
		if (!strcmp(w->typed, verbs[i]))
			w->verb = (enum plan_verb)i;
	}
	if (w->verb != PLAN_NONE)
		return STORUS_GO;
	near = storus_nearest(w->typed, verbs);
	return storus_say(NAME, STORUS_USAGE,
			  "got \"%s\", expected cnp or preemptive%s%s%s",
			  w->typed, near ? "; did you mean " : "",
			  near ? near : "", near ? "?" : "");
}

/* Report a missing option, or one of the other verb. */
static int plan_words_check(const struct plan_words *w)
{
	bool cnp = w->verb == PLAN_CNP;
	const char *alien = cnp && w->deadline           ? "--deadline" :
			    cnp && w->round_up           ? "--round-up" :
			    !cnp && w->decimals != EXACT ? "--decimals" :
							   NULL;

	if (!w->torus || !w->jobs)
		return storus_say(NAME, STORUS_USAGE,
				  "--%s is missing; for example storus plan %s --torus 8x8 --jobs jobs.csv",
				  w->torus ? "jobs" : "torus", w->typed);
	if (alien)
		return storus_say(NAME, STORUS_USAGE,
				  "%s: not for storus plan %s", alien, w->typed);
	if (w->steps && storus_table_asked(&w->table))
		return storus_say(NAME, STORUS_USAGE,
				  "--steps: no row has them; omit --csv, --noheader and -o");
	return STORUS_GO;
}

/* Return the side of the square torus, or 0 after a line on stderr. */
static uint32_t side_read(const struct plan_words *w)
{
	bool cnp = w->verb == PLAN_CNP, square;
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

static int plan_trouble(const struct torus_error *err)
{
	if (err->count)
		return storus_say_errors(NAME,
					 errno == ENOMEM ? STORUS_TROUBLE :
							   STORUS_USAGE,
					 err);
	return storus_say(NAME, STORUS_TROUBLE, "%s", strerror(errno));
}

static int cnp_run(struct plan_words *w, uint32_t m,
		   struct torus_offline_jobs *jobs)
{
	struct storus_plan_steps steps = { 0 };
	struct storus_plan_result r = { .jobs = jobs,
					.command = w->command,
					.steps = w->steps ? &steps : NULL };
	struct torus_error err = { 0 };
	struct torus_cnp *plan;
	int status;

	if (torus_cnp_check(jobs, storus_input_name(w->jobs), &err))
		return plan_trouble(&err);
	plan = torus_cnp_plan(jobs, m,
			      w->decimals == EXACT ? -1 : (int)w->decimals,
			      w->steps ? storus_plan_cnp_step : NULL, &steps,
			      &err);
	r.cnp = plan;
	status = plan ? storus_plan_print(&r, &w->table) : plan_trouble(&err);
	torus_cnp_destroy(plan);
	torus_text_free(&steps.lines);
	torus_text_free(&steps.json);
	return status;
}

static int preemptive_run(struct plan_words *w, uint32_t m,
			  struct torus_offline_jobs *jobs)
{
	struct storus_plan_steps steps = { 0 };
	struct storus_plan_result r = { .jobs = jobs,
					.command = w->command,
					.deadline = w->deadline,
					.steps = w->steps ? &steps : NULL };
	struct torus_error err = { 0 };
	struct torus_ratio deadline;
	struct torus_preemptive *p;
	int status;

	if (w->deadline && !torus_ratio_parse(w->deadline, &deadline))
		return storus_say(NAME, STORUS_USAGE,
				  "--deadline: got \"%s\", expected " TORUS_RATIO_EXPECTED,
				  w->deadline);
	if (w->round_up && torus_preemptive_round(jobs, m))
		return plan_trouble(&err);
	if (torus_preemptive_check(jobs, m, storus_input_name(w->jobs), &err))
		return plan_trouble(&err);
	p = torus_preemptive_plan(jobs, m, w->deadline ? &deadline : NULL,
				  w->steps ? storus_plan_preemptive_step : NULL,
				  &steps, &err);
	r.preemptive = p;
	status = p ? storus_plan_print(&r, &w->table) : plan_trouble(&err);
	if (!status && !p->feasible)
		status = STORUS_NO;
	torus_preemptive_destroy(p);
	torus_text_free(&steps.lines);
	torus_text_free(&steps.json);
	return status;
}

static int plan_answer(struct plan_words *w)
{
	struct torus_error err = { 0 };
	struct torus_offline_jobs *jobs;
	uint32_t m = side_read(w);
	int status;

	if (!m)
		return STORUS_USAGE;
	jobs = torus_offline_jobs_read(w->jobs, m, &err);
	if (!jobs)
		return plan_trouble(&err);
	if (w->verb == PLAN_CNP)
		status = cnp_run(w, m, jobs);
	else
		status = preemptive_run(w, m, jobs);
	torus_offline_jobs_destroy(jobs);
	return status;
}

static int plan_run(void *words)
{
	int status = plan_verb_read(words);

	if (status == STORUS_GO)
		status = plan_words_check(words);
	return status == STORUS_GO ? plan_answer(words) : status;
}

const struct storus_command storus_plan = {
	.name = "plan",
	.summary = "schedule a list of jobs offline, by one of two algorithms",
	.usage = "cnp|preemptive --torus MACHINE --jobs FILE.csv [OPTION]...",
	.about =
		"cnp: every job starts as early as it can, on the interleaved subtorus where it\n"
		"shares links for the least time; the finish times include the delay by sharing.\n"
		"preemptive: subtori that share no links, each job in at most two parts; the least\n"
		"finish time, or whether a deadline can be met (exit status 1: it cannot).\n"
		"Times are exact: a decimal where it ends within 9 digits, else p/q.",
	.options = options,
	STORUS_WORDS(struct plan_words, .table.column = storus_plan_columns,
		     .verb = PLAN_NONE, .decimals = EXACT),
	.line = { STORUS_TO(struct plan_words, command) },
	.operand = { .value = "algorithm", STORUS_TO(struct plan_words, typed) },
	.examples =
		"  storus plan cnp --torus 8x8 --jobs jobs.csv\n"
		"  storus plan preemptive --torus 16 --jobs jobs.csv\n"
		"  storus plan preemptive --torus 16x16 --jobs jobs.csv --deadline 7/2\n"
		"  printf 'd,t\\n8,2\\n4,2.5\\n' | storus plan cnp --torus 8x8 --jobs - --json\n",
	.run = plan_run,
};
