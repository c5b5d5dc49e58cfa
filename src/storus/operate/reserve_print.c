/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of `storus reserve` (plan.h). */
#include <stdio.h>

#include "storus/base/table.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/operate/reserve.h"

#define NAME &storus_reserve

const struct storus_column reserve_columns[] = {
	{ "region", 'r', "REGION", .width = -24 },
	{ "start", 'S', "START", .width = -19, .time = true },
	{ "end", 'e', "END", .width = -19, .time = true },
	{ "jobs", 'j', "JOBS", .width = -12 },
	{ "planned", 'p', "PLANNED", .width = -12 },
	{ "nodes", 'N', "NODES", .width = -24 },
	{ "overlap_node_s", 0, "OVERLAP", .width = 14, .more = true },
	{ "reservation", 0, "RESERVATION", .width = -16, .more = true },
	{ 0 },
};

int reserve_put_row(struct reserve *r, const char *region, const char *nodes)
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
	if (r->table.json)
		return storus_json_answer(NAME, o, r->q.snapshot, r->table.json);
	r->table.dated = r->q.snapshot->dated;
	storus_table_row(&r->table, o);
	return storus_table_end(NAME, &r->table);
}

void reserve_print(const struct reserve *r, const char *region)
{
	const struct snapshot *s = r->q.snapshot;
	char start[STORUS_CLOCK_SIZE], end[STORUS_CLOCK_SIZE];

	storus_print("%s on %s from %s to %s\n", r->shape, region,
		     storus_clock(s, r->start_us, start),
		     storus_clock(s, r->end_us, end));
	for (uint32_t i = 0; i < r->f.jobs; i++) {
		const struct snapshot_job *j = &r->plan.with.job[r->f.job[i]];

		if (!r->cost[r->f.job[i]])
			continue;
		if (j->running)
			storus_print("job %s may still run there until %s\n",
				     j->id, storus_clock(s, j->end_us, end));
		else
			storus_print("job %s was to start there at %s\n", j->id,
				     storus_clock(s, j->start_us, start));
	}
	if (r->plan.forward.open)
		storus_print("the forecast ends at %s, after %.6g s of computing: %u waiting job%s not in it and may be disturbed\n",
			     storus_clock(s, r->plan.forward.until_us, end),
			     FORWARD_COMPUTE_US * 1e-6, r->plan.forward.open,
			     r->plan.forward.open == 1 ? " is" : "s are");
	if (*r->answer)
		printf("%s\n", r->answer);
	storus_age_print("Snapshot", storus_age_time_us(s));
}
