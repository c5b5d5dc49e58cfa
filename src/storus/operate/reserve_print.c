/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of `storus reserve` (reserve.h). */
#include <stdio.h>

#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/operate/reserve.h"

#define NAME &storus_reserve

const struct storus_column reserve_columns[] = {
	{ 'r', "REGION", -24 }, { 'S', "START", -19 },   { 'e', "END", -19 },
	{ 'j', "JOBS", -12 },   { 'p', "PLANNED", -12 }, { 'N', "NODES", -24 },
	{ 0, NULL, 0 },
};

int reserve_put_json(const struct reserve *r, const char *region,
		     const char *nodes)
{
	json_t *jobs = json_array(), *planned = json_array(), *o;

	for (uint32_t i = 0; i < r->f.jobs; i++) {
		const struct snapshot_job *j = &r->plan.with.job[r->f.job[i]];

		if (r->cost[r->f.job[i]])
			json_array_append_new(j->running ? jobs : planned,
					      json_string(j->id));
	}
	o = json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:f, s:i, s:s}",
		      "schema", 1, "region", region, "nodes", nodes, "start",
		      storus_clock_json(r->start_us), "end",
		      storus_clock_json(r->end_us), "jobs", jobs, "planned",
		      planned, "overlap_node_s", (double)r->f.cost * 1e-6,
		      "open", (int)r->plan.forward.open, "reservation",
		      r->answer);
	return storus_json_answer(NAME, o, r->q.snapshot, r->table.json);
}

/* The blocking jobs, running or planned, separated by commas; "-": none. */
static int reserve_jobs(const struct reserve *r, bool running,
			struct torus_text *text)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < r->f.jobs; i++) {
		const struct snapshot_job *j = &r->plan.with.job[r->f.job[i]];

		if (r->cost[r->f.job[i]] && j->running == running)
			rc = torus_text_add(text, "%s%s",
					    text->length ? "," : "", j->id);
	}
	return rc == 0 && !text->length ? torus_text_add(text, "-") : rc;
}

int reserve_put_table(const struct reserve *r, const char *region,
		      const char *nodes)
{
	struct torus_text jobs = { 0 }, planned = { 0 };
	char start[STORUS_CLOCK_SIZE], end[STORUS_CLOCK_SIZE];
	int rc = reserve_jobs(r, true, &jobs) ||
		 reserve_jobs(r, false, &planned);

	if (!rc) {
		storus_table_begin(&r->table);
		STORUS_TABLE_ROW(&r->table, region,
				 storus_clock(r->q.snapshot, r->start_us, start),
				 storus_clock(r->q.snapshot, r->end_us, end),
				 jobs.data, planned.data, nodes);
	}
	torus_text_free(&jobs);
	torus_text_free(&planned);
	return rc ? storus_no_memory(NAME) : STORUS_DONE;
}

void reserve_print(const struct reserve *r, const char *region)
{
	const struct snapshot *s = r->q.snapshot;
	char start[STORUS_CLOCK_SIZE], end[STORUS_CLOCK_SIZE];

	printf("%s on %s from %s to %s\n", r->shape, region,
	       storus_clock(s, r->start_us, start),
	       storus_clock(s, r->end_us, end));
	for (uint32_t i = 0; i < r->f.jobs; i++) {
		const struct snapshot_job *j = &r->plan.with.job[r->f.job[i]];

		if (!r->cost[r->f.job[i]])
			continue;
		if (j->running)
			printf("job %s may still run there until %s\n", j->id,
			       storus_clock(s, j->end_us, end));
		else
			printf("job %s was to start there at %s\n", j->id,
			       storus_clock(s, j->start_us, start));
	}
	if (r->plan.forward.open)
		printf("the forecast ends at %s, after %.6g s of computing: %u waiting job%s not in it and may be disturbed\n",
		       storus_clock(s, r->plan.forward.until_us, end),
		       FORWARD_COMPUTE_US * 1e-6, r->plan.forward.open,
		       r->plan.forward.open == 1 ? " is" : "s are");
	if (*r->answer)
		printf("%s\n", r->answer);
	storus_age_print("Snapshot", storus_age_time_us(s));
}
