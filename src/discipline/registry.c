/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All queue disciplines. A new one is its file and a line here. */
#include <string.h>

#include "discipline/disciplines.h"

static const struct torus_discipline *const disciplines[] = {
	&torus_discipline_fcfs,
	&torus_discipline_mpfs,
	&torus_discipline_lpfs,
	&torus_discipline_sjf,
	&torus_discipline_lpt,
	&torus_discipline_fpfs,
	&torus_discipline_fpmpfs,
	&torus_discipline_fplpfs,
	&torus_discipline_easy,
	&torus_discipline_conservative,
	&torus_discipline_dedf,
	&torus_discipline_dedf_replan,
	&torus_discipline_buddy_rt,
	&torus_discipline_stacking,
	NULL,
};

const struct torus_discipline *const *torus_disciplines(void)
{
	return disciplines;
}

const struct torus_discipline *torus_discipline_find(const char *name)
{
	for (uint32_t i = 0; disciplines[i]; i++) {
		if (strcmp(disciplines[i]->name, name) == 0)
			return disciplines[i];
	}
	return NULL;
}
