/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest free box of each torus and partition (largest_free.h). */
#include "torus/state_text.h"
#include "storus/machine/largest_free.h"

#include "placement/state/free_boxes.h"
#include "torus/alloc.h"

int largest_free_find(const struct storus_question *q, const uint64_t *allowed,
		      struct largest_free *list)
{
	const struct torus_machine *m = &q->config->machine;
	uint64_t *free = torus_alloc(m->words, sizeof(*free));
	int rc = free ? 0 : -1;

	if (free)
		torus_bits_and(free, torus_state_free_map(q->state), allowed,
			       m->words);
	for (uint32_t p = 0; rc == 0 && p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		struct largest_free *f = &list[p];
		struct torus_region box;

		f->free = torus_bits_count(free + pod->first_word, pod->words);
		rc = torus_largest_region(m, p, free + pod->first_word, &box,
					  &f->nodes);
		f->box[0] = '\0';
		if (rc == 0 && f->nodes)
			torus_region_format(&box, &pod->torus, f->box,
					    sizeof(f->box));
	}
	torus_free(free);
	return rc;
}

json_t *largest_free_json(const struct storus_question *q, uint32_t pod,
			  const struct largest_free *f)
{
	json_t *largest = f->nodes ? json_pack("{s:s, s:i}", "region", f->box,
					       "nodes", (int)f->nodes) :
				     json_null();

	return json_pack("{s:s, s:i, s:o}", "torus",
			 q->config->machine.pod[pod].torus.name, "free",
			 (int)f->free, "largest", largest);
}
