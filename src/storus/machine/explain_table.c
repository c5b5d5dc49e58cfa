/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of `storus explain` (table.h). */

#include "storus/base/clock.h"
#include "storus/machine/explain.h"
#include "torus/alloc.h"

const struct storus_column explain_columns[] = {
	{ 'g', "ALTERNATIVE", -16 }, { 'a', "ANSWER", -8 },
	{ 'r', "FREE_FIRST", -24 },  { 't', "START", -19 },
	{ 'j', "JOBS", -12 },        { 0, NULL, 0 },
};

/* Of a running job: its own region and start. */
static int explain_row_running(const struct explain *e,
			       const struct storus_table *t)
{
	char ask[32], at[STORUS_CLOCK_SIZE];

	STORUS_TABLE_ROW(t, explain_ask(e->job, ask, sizeof(ask)), "runs",
			 e->job->place,
			 storus_clock(e->q.snapshot, e->job->start_us, at),
			 e->job->id);
	return 0;
}

/* The jobs that hold the place, with commas; "-": none. -1 with ENOMEM. */
static int explain_jobs(const struct explain *e, const struct freeing *f,
			struct torus_text *text)
{
	int rc = f->jobs ? 0 : torus_text_add(text, "-");

	for (uint32_t i = 0; rc == 0 && i < f->jobs; i++)
		rc = torus_text_add(text, "%s%s", i ? "," : "",
				    e->q.snapshot->job[f->job[i]].id);
	return rc;
}

static int explain_row(const struct explain *e,
		       const struct explain_alternative *a,
		       const struct storus_table *t)
{
	struct torus_text jobs = { 0 };
	char at[STORUS_CLOCK_SIZE], *region = NULL;
	int rc = explain_jobs(e, &a->earliest, &jobs);

	if (a->earliest.answer == TORUS_FITS)
		region = explain_region(e, &a->earliest.place);
	if (rc == 0)
		STORUS_TABLE_ROW(t, a->geometry, explain_answers[a->answer],
				 region ? region : "-",
				 storus_clock(e->q.snapshot, a->start_us, at),
				 jobs.data);
	torus_free(region);
	torus_text_free(&jobs);
	return rc;
}

int explain_put_table(const struct explain *e)
{
	const struct storus_table *t = &e->table;
	int rc = 0;

	storus_table_begin(t);
	if (e->job->running)
		rc = explain_row_running(e, t);
	for (uint32_t k = 0; rc == 0 && k < e->request.alternatives; k++)
		rc = explain_row(e, &e->alternative[k], t);
	return rc ? storus_no_memory(&storus_explain) : STORUS_DONE;
}
