/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cells of a campaign: counting and naming them, and the keys of their
 * results.
 */
#include <stdio.h>
#include <string.h>

#include "campaign/read.h"
#include "campaign/results.h"
#include "replay/replay.h"
#include "torus/discipline.h"
#include "torus_build.h"

const char *const torus_axis_names[TORUS_AXES] = {
	"trace", "machine", "strategy", "discipline",
	"scale", "options", "seed",
};

struct torus_cell torus_campaign_cell(const struct torus_campaign *c, uint32_t i)
{
	struct torus_cell cell;

	for (int a = TORUS_AXES - 1; a >= 0; a--) {
		cell.at[a] = i % c->axis[a].n;
		i /= c->axis[a].n;
	}
	return cell;
}

bool torus_cell_wanted(const struct torus_campaign *c,
		       const struct torus_cell *cell)
{
	const struct torus_axis_value *trace =
		torus_cell_value(c, cell, TORUS_AXIS_TRACE);

	if (!strcmp(torus_cell_value(c, cell, TORUS_AXIS_SEED)->word,
		    TORUS_SEED_LOG) &&
	    !trace->like)
		return false;
	/* the history is one: of files as they are, whatever the strategy */
	if (!strcmp(torus_cell_value(c, cell, TORUS_AXIS_DISCIPLINE)->word,
		    torus_discipline_recorded.name))
		return !trace->model && !trace->like &&
		       torus_cell_value(c, cell, TORUS_AXIS_SCALE)->number ==
			       1 &&
		       !cell->at[TORUS_AXIS_STRATEGY] &&
		       !torus_recorded_refuses(
			       &torus_cell_set(c, cell)->options) &&
		       !cell->at[TORUS_AXIS_SEED];
	return cell->at[TORUS_AXIS_SEED] == 0 || trace->model || trace->like ||
	       torus_cell_faults(c, cell);
}

uint32_t campaign_pair(const struct torus_campaign *c,
		       const struct torus_cell *cell)
{
	uint32_t i = cell->at[TORUS_AXIS_OPTIONS];

	for (int a = TORUS_AXIS_MACHINE; a <= TORUS_AXIS_DISCIPLINE; a++)
		i = i * c->axis[a].n + cell->at[a];
	return i;
}

uint32_t torus_cell_first(const struct torus_campaign *c, uint32_t i)
{
	struct torus_cell cell = torus_campaign_cell(c, i);
	uint32_t options = c->first ? c->first[campaign_pair(c, &cell)] :
				      cell.at[TORUS_AXIS_OPTIONS];

	_Static_assert(TORUS_AXIS_OPTIONS + 2 == TORUS_AXES,
		       "the seed alone changes faster than the options");
	return i - (cell.at[TORUS_AXIS_OPTIONS] - options) *
			   c->axis[TORUS_AXIS_SEED].n;
}

const char *torus_cell_name(const struct torus_campaign *c,
			    const struct torus_cell *cell, char *buffer,
			    size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int a = 0; a < TORUS_AXES && used < size; a++) {
		if (c->axis[a].n < 2 && a != TORUS_AXIS_TRACE)
			continue;
		used += (size_t)snprintf(buffer + used, size - used, "%s%s %s",
					 used ? ", " : "", torus_axis_names[a],
					 c->axis[a].value[cell->at[a]].word);
	}
	return buffer;
}

void torus_cell_key(const struct torus_campaign *c,
		    const struct torus_cell *cell, char key[TORUS_CELL_KEY_SIZE])
{
	const char *text[2 + 3 * TORUS_AXES] = { PACKAGE_VERSION, torus_build };
	size_t n = 2;

	for (int a = 0; a < TORUS_AXES; a++) {
		const struct torus_axis_value *v =
			torus_cell_value(c, cell, (enum torus_axis)a);

		/* a file counts by its contents, not its path */
		text[n++] = torus_axis_names[a];
		text[n++] = v->digest ? v->digest : v->word;
		if (v->like)
			text[n++] = v->word;
	}
	campaign_texts_digest(text, n, key);
}
