/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The node names of a slurm.conf: its NodeName lines and those of the files that
 * it includes. Everything else of it is skipped. */
#ifndef STORUS_SLURM_CONF_H
#define STORUS_SLURM_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torus/error.h"

struct storus_node_names {
	char **name; /* sorted; may be zeroed */
	size_t names;
	uint32_t room;
};

/* The file that Slurm's commands would read: $SLURM_CONF, else
 * /etc/slurm/slurm.conf. */
const char *storus_slurm_conf_path(void);

/* Read the names. 0, or -1 with errno, and lines in err: FILE:LINE: what is
 * wrong. */
int storus_slurm_conf_read(struct storus_node_names *n, const char *path,
			   struct torus_error *err);
bool storus_slurm_conf_has(const struct storus_node_names *n, const char *name);
void storus_slurm_conf_free(struct storus_node_names *n);

#endif
