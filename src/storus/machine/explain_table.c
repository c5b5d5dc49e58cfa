/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of `storus explain`: alternatives, neighbours (base/table.h). */

#include "storus/base/clock.h"
#include "storus/machine/explain.h"
#include "torus/alloc.h"

const struct storus_column explain_columns[] = {
	{ "geometry", 'g', "ALTERNATIVE", .width = -16 },
	{ "answer", 'a', "ANSWER", .width = -8 },
	{ "free_first", 'r', "FREE_FIRST", .width = -24 },
	{ "start", 't', "START", .width = -19, .time = true },
	{ "jobs", 'j', "JOBS", .width = -12 },
	{ "reason", 0, "REASON", .width = -1, .more = true },
	{ 0 },
};

int explain_put_table(struct explain *e)
{
	const struct snapshot_job *job = e->job;
	struct storus_table *t = &e->table;
	char ask[32];

	t->dated = e->q.snapshot->dated;
	/* of a running job its own region and start */
	if (job->running)
		storus_table_row(t, json_pack("{s:s, s:s, s:s, s:o, s:[s]}",
					      "geometry",
					      explain_ask(job, ask, sizeof(ask)),
					      "answer", "runs", "free_first",
					      job->place, "start",
					      storus_clock_json(job->start_us),
					      "jobs", job->id));
	for (uint32_t k = 0; !job->running && k < e->request.alternatives; k++) {
		/* An alternative with the place that is free first. */
		const struct explain_alternative *a = &e->alternative[k];
		json_t *jobs = json_array(), *o;
		char *region = a->earliest.answer == TORUS_FITS ?
				       explain_region(e, &a->earliest.place) :
				       NULL;

		for (uint32_t i = 0; i < a->earliest.jobs; i++)
			json_array_append_new(jobs,
					      json_string(
						      e->holding
							      .job[a->earliest.job[i]]
							      .id));
		o = json_pack("{s:s, s:s, s:s?, s:o, s:o, s:s}", "geometry",
			      a->geometry, "answer", explain_answers[a->answer],
			      "free_first", region, "start",
			      storus_clock_json(a->start_us), "jobs", jobs,
			      "reason", a->why.text);
		torus_free(region);
		storus_table_row(t, o);
	}
	return storus_table_end(&storus_explain, t);
}

int explain_put_neighbours(const struct explain *e, const bool *beside)
{
	static const struct storus_column columns[] = {
		{ "neighbour", 0, "NEIGHBOUR", .width = -10 },
		{ "user", 0, "USER", .width = -10 },
		{ "nodes", 0, "NODES", .width = 7 },
		{ "end", 0, "END", .width = -19, .time = true },
		{ "region", 0, "REGION", .width = -1 },
		{ 0 },
	};
	const struct snapshot *s = e->q.snapshot;
	struct storus_table t = { .column = columns, .dated = s->dated };

	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct snapshot_job *job = &s->job[j];

		if (beside[j])
			storus_table_row(&t,
					 json_pack("{s:s, s:s, s:i, s:o, s:s}",
						   "neighbour", job->id, "user",
						   job->user, "nodes",
						   (int)job->nodes, "end",
						   storus_clock_json(job->end_us),
						   "region", job->place));
	}
	return storus_table_end(&storus_explain, &t);
}
