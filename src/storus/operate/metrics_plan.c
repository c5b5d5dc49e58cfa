/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of the plan file (metrics.h). */
#include "storus/operate/metrics.h"

#include <stdio.h>
#include <string.h>

#include "format/plan_file.h"
#include "storus/operate/reservations.h"

struct metrics_plan {
	const char *line, *name, *type, *help;
	double factor;
};

static const struct metrics_plan plan_lines[] = {
	{ "time", "plan_time_seconds", "gauge", "When the plan was made.", 1 },
	{ "queued", "plan_queued_jobs", "gauge", "Jobs in the plan's queue.",
	  1 },
	{ "cycles", "cycles_total", "counter", "Cycles of sched/torus.", 1 },
	{ "started", "started_jobs_total", "counter",
	  "Jobs that sched/torus started.", 1 },
	{ "unfit", "unfit_orders_total", "counter",
	  "Start orders whose nodes Slurm found unfit.", 1 },
	{ "cycle_us", "cycle_seconds", "gauge", "The latest cycle.", 1e-6 },
	{ "cycle_max_us", "cycle_max_seconds", "gauge", "The longest cycle.",
	  1e-6 },
	{ "locked_us", "lock_seconds_total", "counter",
	  "Time in which slurmctld's locks were held.", 1e-6 },
	{ "lock_hold_max_us", "lock_hold_max_seconds", "gauge",
	  "The longest lock hold.", 1e-6 },
	{ "wait_max_us", "lock_wait_max_seconds", "gauge",
	  "The longest wait for slurmctld's locks.", 1e-6 },
	{ "cut_passes", "cut_passes_total", "counter",
	  "Passes that the pass budget cut.", 1 },
};

static void metrics_plan_put(struct metrics *m, const char *line, int64_t value)
{
	for (size_t i = 0; i < sizeof(plan_lines) / sizeof(*plan_lines); i++) {
		const struct metrics_plan *p = &plan_lines[i];

		if (strcmp(p->line, line))
			continue;
		metrics_family(m, p->name, p->type, p->help);
		metrics_put(m, p->name, NULL, (double)value * p->factor);
	}
}

void metrics_read_plan(struct metrics *m)
{
	const char *path = m->plan ? m->plan : m->q.config->live.plan_file;
	const struct storus_source *source = &m->q.source;
	char found[RESERVATIONS_PATH_SIZE] = "";
	struct torus_error err = { 0 };
	struct plan_file_read read = { 0 };
	bool readable;
	FILE *f;

	/* of a live cluster: where slurmctld writes it by default */
	if (!*path && !source->snapshot && !source->schedule &&
	    reservations_find_file(found, &err) == STORUS_DONE)
		path = found;
	f = *path ? fopen(path, "re") : NULL;
	readable = f && plan_file_read(&read, f, path, &err) == 0;

	metrics_family(m, "plan_readable", "gauge",
		       "1 if the plan file of sched/torus was read.");
	metrics_put(m, "plan_readable", NULL, readable);
	if (readable) {
		if (read.plan.time_s != PLAN_FILE_NO_TIME)
			metrics_plan_put(m, "time", read.plan.time_s);
		metrics_plan_put(m, "queued", read.plan.queued);
		for (uint32_t i = 0; i < read.plan.counts; i++) {
			if (!read.plan.count[i].text)
				metrics_plan_put(m, read.plan.count[i].name,
						 read.plan.count[i].value);
		}
	}
	plan_file_free(&read);
	if (f)
		fclose(f);
}
