/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sentences of storus reservations. */
#include "storus/base/table.h"
#include "storus/operate/reservations.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* A time as local time in the buffer, or "-". */
static const char *reservations_clock(int64_t seconds, char *buffer, size_t size)
{
	time_t at = (time_t)seconds;
	struct tm tm;

	if (seconds == PLAN_FILE_NO_TIME || !localtime_r(&at, &tm) ||
	    !strftime(buffer, size, "%FT%T", &tm))
		return "-";
	return buffer;
}

static const char *reservations_text(const char *text)
{
	return text ? text : "-";
}

/* One job */

/* Print how many more there are than those named. */
static void print_not_named(uint32_t all, uint32_t named)
{
	if (all > named)
		storus_print(" and %u more", all - named);
	storus_print("\n");
}

static void print_out(const struct plan_file_job *job)
{
	uint32_t named = 0;

	if (!job->out)
		return;
	storus_print("out         ");
	for (const char *name = job->out, *next; name; name = next) {
		size_t length = strcspn(name, " ");

		storus_print("%s%.*s", named++ ? ", " : "", (int)length, name);
		next = name[length] ? name + length + 1 : NULL;
	}
	print_not_named(job->outs, named);
}

void reservations_print_job(const struct plan_file_job *job)
{
	char at[32], name[PLAN_FILE_ID_SIZE];
	char end[32], holder[PLAN_FILE_ID_SIZE];

	plan_file_id_format(&job->id, name);
	storus_print("job         %s\n", name);
	storus_print("ask         %s", reservations_text(job->ask));
	if (job->region && job->ask && strchr(job->ask, ','))
		storus_print(" (alternative %u)", job->alternative + 1);
	storus_print("\nstart       %s%s\n",
		     reservations_clock(job->start_s, at, sizeof(at)),
		     !job->region && job->start_s != PLAN_FILE_NO_TIME ?
			     " (estimate)" :
		     job->region ? " (promised)" :
				   "");
	storus_print("end         %s\n",
		     reservations_clock(job->end_s, at, sizeof(at)));
	storus_print("region      %s\n", reservations_text(job->region));
	storus_print("reason      %s\n",
		     job->reason ? job->reason : "jobs before it in the queue");
	if (job->holders != 0) {
		storus_print("held by     ");
		for (uint32_t i = 0; i < job->named; i++) {
			const struct plan_file_holder *h = &job->holder[i];

			plan_file_id_format(&h->id, holder);
			storus_print("%sjob %s", i ? ", " : "", holder);
			if (h->end_s == PLAN_FILE_NO_TIME)
				storus_print(", without a time limit");
			else
				storus_print(" until %s",
					     reservations_clock(h->end_s, end,
								sizeof(end)));
		}
		print_not_named(job->holders, job->named);
	}
	print_out(job);
}

/* What the cycles took */

static long long count_of(const struct plan_file *plan, const char *name)
{
	const struct plan_file_count *c = plan_file_count(plan, name);

	return c ? (long long)c->value : 0;
}

static double reservations_ms(const struct plan_file *plan, const char *name)
{
	return (double)count_of(plan, name) * 1e-3;
}

static const char *count_text(const struct plan_file *plan, const char *name)
{
	const struct plan_file_count *c = plan_file_count(plan, name);

	return reservations_text(c ? c->text : NULL);
}

void reservations_print_counts(const struct plan_file *plan)
{
	char at[32];
	double snapshot, commit, publish;
	const char *line;
	char since[32];

	storus_print("discipline %s, %u queued, planned %s\n",
		     reservations_text(plan->discipline), plan->queued,
		     reservations_clock(plan->time_s, at, sizeof(at)));
	storus_print("%lld cycles: the latest %.1f ms (%.1f ms planning, %.1f ms in Slurm's functions), the longest %.1f ms\n",
		     count_of(plan, "cycles"), reservations_ms(plan, "cycle_us"),
		     reservations_ms(plan, "plan_us"),
		     reservations_ms(plan, "commit_us"),
		     reservations_ms(plan, "cycle_max_us"));
	/* the parts of the longest cycle */
	snapshot = reservations_ms(plan, "longest_snapshot_us");
	commit = reservations_ms(plan, "longest_commit_us");
	publish = reservations_ms(plan, "longest_publish_us");
	if (plan_file_count(plan, "longest_plan_us"))
		storus_print("the longest cycle, %lld orders: %.1f ms planning, %.1f ms in Slurm's functions (%.1f ms snapshot, %.1f ms starting, %.1f ms publishing), %.1f ms waiting for locks; %.1f ms of CPU time\n",
			     count_of(plan, "longest_orders"),
			     reservations_ms(plan, "longest_plan_us"),
			     snapshot + commit + publish, snapshot, commit,
			     publish, reservations_ms(plan, "longest_wait_us"),
			     reservations_ms(plan, "longest_cpu_us"));
	storus_print("%lld orders: %lld started, %lld on unfit nodes, %lld too late; %lld jobs started beside others\n",
		     count_of(plan, "orders"), count_of(plan, "started"),
		     count_of(plan, "unfit"), count_of(plan, "later"),
		     count_of(plan, "joined"));
	storus_print("%lld passes were cut by pass_budget; the latest pass left %lld jobs to the next\n",
		     count_of(plan, "cut_passes"), count_of(plan, "left_jobs"));
	storus_print("locks: held %lld times, the longest %.1f ms, %lld above 50 ms, %.1f s in all\n",
		     count_of(plan, "lock_holds"),
		     reservations_ms(plan, "lock_hold_max_us"),
		     count_of(plan, "long_lock_holds"),
		     reservations_ms(plan, "locked_us") * 1e-3);
	if (plan_file_count(plan, "lock_hold_max_cpu_us"))
		storus_print("the longest lock hold: %.1f ms of CPU time, %.1f ms waiting for a core, most in %s (%.1f ms); the longest wait for locks %.1f ms\n",
			     reservations_ms(plan, "lock_hold_max_cpu_us"),
			     reservations_ms(plan, "lock_hold_max_core_us"),
			     count_text(plan, "lock_hold_max_step"),
			     reservations_ms(plan, "lock_hold_max_step_us"),
			     reservations_ms(plan, "wait_max_us"));
	if (plan_file_count(plan, "lock_hold_work_max_us"))
		storus_print("the most work in a lock hold: %.1f ms of CPU time, most in %s\n",
			     reservations_ms(plan, "lock_hold_work_max_us"),
			     count_text(plan, "lock_hold_work_max_step"));
	if (plan->journal_error)
		storus_print("%s\n", plan->journal_error);
	if (plan->policy_error)
		storus_print("%s\n", plan->policy_error);
	/* which torus.yaml is in force, and the errors of a later one */
	line = plan->config_errors;
	storus_print("configuration %s, in force since %s\n",
		     reservations_text(plan->config),
		     reservations_clock(plan->config_s, since, sizeof(since)));
	while (line && *line) {
		size_t length = strcspn(line, "\n");

		storus_print("the file of %s is not used: %.*s\n",
			     reservations_clock(plan->refused_s, since,
						sizeof(since)),
			     (int)length, line);
		line += length + (line[length] == '\n');
	}
	if (plan->ignored)
		storus_print("%s\n", plan->ignored);
	storus_print("\n");
}
