/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running jobs over unhealthy links (occupancy.h). */
#include "questions/occupancy.h"

#include "torus/alloc.h"
#include "torus/state.h"
#include "torus/placement.h"

bool dead_links_under(const struct snapshot *s, const struct snapshot_job *job,
		      const struct torus_link *link)
{
	struct torus_placement place;
	struct torus_regions several;

	return occupancy_place(s, job, &several, &place) &&
	       torus_placement_has_link(&s->config->machine, &place, link);
}

/* Return the worst health among the links in a job's regions. */
static uint8_t dead_links_worst(const struct snapshot *s,
				const struct snapshot_job *job,
				const uint64_t *ends)
{
	const struct torus_link_list *list = &s->config->machine.links;
	uint8_t worst = TORUS_LINK_UP;
	bool near = false;

	for (uint32_t i = 0; i < job->nodes && !near; i++)
		near = torus_bits_test(ends, job->node[i]);
	for (uint32_t i = 0; near && i < list->count; i++) {
		if (list->link[i].health > worst &&
		    dead_links_under(s, job, &list->link[i]))
			worst = list->link[i].health;
	}
	return worst;
}

int dead_links_jobs(const struct snapshot *s, uint32_t *jobs)
{
	const struct torus_machine *m = &s->config->machine;
	uint64_t *ends = torus_alloc(m->words, sizeof(*ends));

	jobs[TORUS_LINK_UP] = jobs[TORUS_LINK_WEAK] = jobs[TORUS_LINK_DOWN] = 0;
	if (!ends)
		return -1;
	for (uint32_t i = 0; i < m->links.count; i++) {
		/* the first node of the link's vertex */
		const struct torus *t = &m->pod[m->links.link[i].pod].torus;
		uint32_t at[TORUS_MAX_DIMS];

		torus_vertex_coord(t, m->links.link[i].vertex, at);
		for (uint32_t d = 0; d < t->dims; d++)
			at[d] /= t->unit[d];
		torus_bits_set(ends, torus_machine_bit(m, m->links.link[i].pod,
						       torus_index(t, at)));
	}
	for (uint32_t j = 0; j < s->jobs; j++) {
		if (s->job[j].running)
			jobs[dead_links_worst(s, &s->job[j], ends)]++;
	}
	torus_free(ends);
	return 0;
}

uint64_t dead_links_all(const struct torus *t)
{
	uint64_t vertices = 1, links = 0;

	for (uint32_t d = 0; d < t->dims; d++)
		vertices *= torus_vertices(t, d);
	for (uint32_t d = 0; d < t->dims && !t->flat; d++) {
		uint64_t n = torus_vertices(t, d);

		if (n > 1)
			links += vertices / n * (t->wrap[d] ? n : n - 1);
	}
	return links;
}
