/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pod for the nodes of a cluster that no torus lists. It is the last pod, has no
 * topology, and only asks with `anywhere` use it. O(nodes).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/reader.h"
#include "torus/alloc.h"

#define NAME "outside"

/* Copy the list and its names, and enter them in the table of names. NULL with
 * ENOMEM. */
static char **outside_copy_names(struct config_private *priv,
				 const char *const *names, uint32_t nodes)
{
	char **copy = torus_alloc(nodes, sizeof(*copy));

	for (uint32_t i = 0; copy && i < nodes; i++) {
		struct name_entry *e = NULL;

		copy[i] = torus_arena_text(&priv->arena, names[i],
					   strlen(names[i]));
		if (copy[i])
			e = torus_names_add(&priv->table, copy[i]);
		if (!e) {
			torus_free(copy);
			return NULL;
		}
		e->pod = priv->config.machine.pods - 1;
		e->index = i;
	}
	return copy;
}

int torus_config_outside(struct torus_config *config, uint32_t nodes,
			 const char *const *names, struct torus_error *err)
{
	struct config_private *priv = (struct config_private *)config;
	struct torus_machine *m = &config->machine;
	char name[TORUS_NAME_SIZE];
	struct torus t;

	if (nodes == 0)
		return 0;
	/* a name that no torus has */
	snprintf(name, TORUS_NAME_SIZE, NAME);
	for (uint32_t i = 2; torus_machine_named(m, name) != UINT32_MAX; i++)
		snprintf(name, TORUS_NAME_SIZE, NAME "%u", i);
	if (torus_init_flat(&t, name, nodes, err))
		return -1;
	if (torus_config_reserve(priv) ||
	    torus_machine_add(m, &t, NULL, torus_config_initial_strategy(&t),
			      NULL, err))
		return -1;
	m->pod[m->pods - 1].outside = true;
	if (!names)
		return 0;
	config->names[m->pods - 1] = outside_copy_names(priv, names, nodes);
	return config->names[m->pods - 1] ? 0 : -1;
}
