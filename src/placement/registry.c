/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All placement strategies, as strategies.h lists them. */
#include <string.h>

#include "placement/strategies.h"

#define ENTRY(name) &torus_strategy_##name,

static const struct torus_strategy *const strategies[] = {
	TORUS_STRATEGIES(ENTRY) NULL,
};

const struct torus_strategy *const *torus_strategies(void)
{
	return strategies;
}

const struct torus_strategy *torus_strategy_find(const char *name)
{
	for (uint32_t i = 0; strategies[i]; i++) {
		if (strcmp(strategies[i]->name, name) == 0)
			return strategies[i];
		if (strategies[i]->alias &&
		    strcmp(strategies[i]->alias, name) == 0)
			return strategies[i];
	}
	return NULL;
}
