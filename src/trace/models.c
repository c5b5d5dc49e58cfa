/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of workload models: one line each. */
#include "trace/models.h"

#include <string.h>

static const struct torus_model *const models[] = {
	&torus_model_aida_uniform,
	&torus_model_aida_real,
	&torus_model_bani_uniform,
	&torus_model_bani_exponential,
	&torus_model_mohapatra_geometric,
	&torus_model_mohapatra_uniform,
	&torus_model_mohapatra_reverse,
	&torus_model_lublin,
	NULL,
};

const struct torus_model *const *torus_models(void)
{
	return models;
}

const struct torus_model *torus_model_find(const char *name)
{
	size_t i;

	for (i = 0; models[i]; i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}
