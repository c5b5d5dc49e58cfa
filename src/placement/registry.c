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

int torus_strategy_supports(const struct torus_strategy *strategy,
			    const struct torus *t,
			    const struct torus_options *options,
			    struct torus_error *why)
{
	if (strategy->supports && strategy->supports(strategy, t, why))
		return -1;
	if (t->flat && !strategy->scatters)
		return torus_error_add(why, "%s: %s has no topology (flat)",
				       strategy->name, t->name);
	if (strategy->most_dims && t->dims > strategy->most_dims)
		return torus_error_add(why,
				       "%s: %s has %u dimensions; it takes at most %u",
				       strategy->name, t->name, t->dims,
				       strategy->most_dims);
	return torus_options_check(options, strategy->options, strategy->name,
				   why);
}
