/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of idle node time (idle.h). Spells are buffered until a job ends,
 * because time after the last end does not count. Slices double their width
 * when the time exceeds them, so memory is fixed.
 */
#include "replay/idle.h"

#include <string.h>

#include "torus/alloc.h"

#define FIRST_SLICE_US 1000000

const char *const torus_idle_names[TORUS_IDLE_CAUSES] = {
	"fragmentation", "shape", "reservation", "out_of_service", "no_demand",
};

void torus_idle_free(struct torus_idle *idle)
{
	torus_free(idle->spell);
}

static bool idle_continues(const struct torus_idle_spell *last,
			   const struct torus_idle_spell *spell)
{
	return last->until_us == spell->from_us &&
	       !memcmp(last->nodes, spell->nodes, sizeof(last->nodes));
}

int torus_idle_add(struct torus_idle *idle, const struct torus_idle_spell *spell)
{
	if (!idle->measured) {
		idle->measured = true;
		idle->from_us = idle->until_us = spell->from_us;
		idle->slice_us = FIRST_SLICE_US;
	}
	if (idle->spells &&
	    idle_continues(&idle->spell[idle->spells - 1], spell)) {
		idle->spell[idle->spells - 1].until_us = spell->until_us;
		return 0;
	}
	if (TORUS_GROW(idle->spell, idle->room, idle->spells + 1))
		return -1;
	idle->spell[idle->spells++] = *spell;
	return 0;
}

/* Double the width of the slices. */
static void slices_widen(struct torus_idle *idle)
{
	for (uint32_t i = 0; i < TORUS_IDLE_SLICES; i++)
		for (int c = 0; c < TORUS_IDLE_CAUSES; c++) {
			torus_node_us sum =
				2 * i < TORUS_IDLE_SLICES ?
					idle->slice[2 * i][c] +
						idle->slice[2 * i + 1][c] :
					0;

			idle->slice[i][c] = sum;
		}
	idle->slice_us *= 2;
}

static void slices_add(struct torus_idle *idle, const struct torus_idle_spell *s)
{
	int64_t at = s->from_us;

	while (s->until_us - idle->from_us > TORUS_IDLE_SLICES * idle->slice_us)
		slices_widen(idle);
	while (at < s->until_us) {
		int64_t i = (at - idle->from_us) / idle->slice_us;
		int64_t end = idle->from_us + (i + 1) * idle->slice_us;

		end = end < s->until_us ? end : s->until_us;
		for (int c = 0; c < TORUS_IDLE_CAUSES; c++)
			idle->slice[i][c] += (torus_node_us)s->nodes[c] *
					     (uint64_t)(end - at);
		at = end;
	}
}

void torus_idle_commit(struct torus_idle *idle)
{
	for (uint32_t i = 0; i < idle->spells; i++) {
		const struct torus_idle_spell *s = &idle->spell[i];

		for (int c = 0; c < TORUS_IDLE_CAUSES; c++)
			idle->node_us[c] += (torus_node_us)s->nodes[c] *
					    (uint64_t)(s->until_us - s->from_us);
		slices_add(idle, s);
		idle->until_us = s->until_us;
	}
	idle->spells = 0;
}

void torus_idle_begin(struct torus_idle *idle, int64_t first_submit_us,
		      uint32_t nodes)
{
	torus_node_us before;

	if (!idle->measured || first_submit_us >= idle->from_us)
		return;
	before = (torus_node_us)nodes *
		 (uint64_t)(idle->from_us - first_submit_us);
	idle->node_us[TORUS_IDLE_NO_DEMAND] += before;
	idle->slice[0][TORUS_IDLE_NO_DEMAND] += before;
}

uint64_t torus_idle_seconds(const torus_node_us node_us[TORUS_IDLE_CAUSES],
			    uint64_t node_s[TORUS_IDLE_CAUSES])
{
	torus_node_us sum = 0;
	uint64_t total = 0;

	for (int c = 0; c < TORUS_IDLE_CAUSES; c++) {
		uint64_t up_to;

		sum += node_us[c];
		up_to = (uint64_t)(sum / 1000000);
		node_s[c] = up_to - total;
		total = up_to;
	}
	return total;
}
