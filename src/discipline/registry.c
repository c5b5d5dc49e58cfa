/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All queue disciplines, as disciplines.h lists them. */
#include <string.h>

#include "discipline/disciplines.h"

#define ENTRY(name) &torus_discipline_##name,

static const struct torus_discipline *const disciplines[] = {
	TORUS_DISCIPLINES(ENTRY) NULL,
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
