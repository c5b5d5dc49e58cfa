/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot with the forecast of its waiting jobs (plan.h). */
#include "storus/operate/reserve.h"

#include "storus/machine/source.h"
#include "torus/alloc.h"

/* Add the nodes that a waiting job is to get; two bitmaps of the machine are
 * scratch. */
static int plan_nodes(struct reserve_plan *plan, uint32_t j, uint64_t *map,
		      uint64_t *one)
{
	const struct torus_machine *m = &plan->with.config->machine;
	struct snapshot_job *job = &plan->with.job[j];
	const char *region = plan->forward.job[j].region;
	struct torus_error err = { 0 };
	uint32_t n = 0;

	torus_bits_zero(map, m->words);
	if (!region || storus_regions_paint(m, region, one, map, &err))
		return 0;
	job->node = torus_alloc((size_t)torus_bits_count(map, m->words) + 1,
				sizeof(*job->node));
	if (!job->node)
		return -1;
	for (uint32_t b = torus_bits_next(map, m->words, 0); b != UINT32_MAX;
	     b = torus_bits_next(map, m->words, b + 1))
		job->node[n++] = b;
	job->nodes = n;
	return 0;
}

int reserve_plan_make(struct reserve_plan *plan, const struct snapshot *s)
{
	uint32_t words = s->config->machine.words;
	uint64_t *map = torus_alloc(2 * (size_t)words, sizeof(*map));
	struct torus_error err = { 0 };
	int rc = -1;

	plan->with = *s;
	plan->with.job = torus_alloc(s->jobs, sizeof(*s->job));
	if (map && plan->with.job)
		rc = forward_play(s, &s->config->scheduler,
				  &(struct forward_bound){
					  .compute_us = FORWARD_COMPUTE_US },
				  &plan->forward, &err);
	for (uint32_t j = 0; rc == 0 && j < s->jobs; j++) {
		struct snapshot_job *job = &plan->with.job[j];

		*job = s->job[j];
		job->start_us = plan->forward.job[j].start_us;
		job->end_us = plan->forward.job[j].end_us;
		if (!job->running)
			rc = plan_nodes(plan, j, map, map + words);
	}
	torus_free(map);
	return rc;
}

void reserve_plan_free(struct reserve_plan *plan)
{
	for (uint32_t j = 0; plan->with.job && j < plan->forward.jobs; j++) {
		if (plan->with.job[j].id && !plan->with.job[j].running)
			torus_free(plan->with.job[j].node);
	}
	torus_free(plan->with.job);
	forward_free(&plan->forward);
}
