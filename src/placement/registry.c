/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All placement strategies. A new one is its file and a line here. */
#include "placement/strategies.h"

static const struct torus_strategy *const strategies[] = {
	&torus_strategy_flat,
	&torus_strategy_submesh,
	&torus_strategy_submesh_tbl,
	&torus_strategy_submesh_bl,
	&torus_strategy_submesh_tff,
	&torus_strategy_submesh_ff,
	&torus_strategy_semitorus_nep,
	&torus_strategy_semitorus_ep,
	&torus_strategy_semitorus_buddy,
	&torus_strategy_subtorus,
	&torus_strategy_subcube_buddy,
	NULL,
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
