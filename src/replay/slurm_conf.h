/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm.conf and the files that it includes, as settings one by one; and what storus
 * check-config reads of it: the node names, and the settings that name the plugins. */
#ifndef REPLAY_SLURM_CONF_H
#define REPLAY_SLURM_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torus/text.h"

enum {
	SLURM_CONF_SELECT,
	SLURM_CONF_SUBMIT,
	SLURM_CONF_SCHEDULER,
	SLURM_CONF_PARAMETERS,
	SLURM_CONF_PLUGSTACK,
	SLURM_CONF_USER,
	SLURM_CONF_PLUGINS,
	SLURM_CONF_SETTINGS
};

/* A setting as the latest line has it. value NULL: not set. */
struct torus_slurm_setting {
	char *value, *file;
	unsigned line;
};

/* May be zeroed. */
struct torus_slurm_conf {
	char **name; /* of the nodes, sorted */
	size_t names;
	uint32_t room;
	struct torus_slurm_setting setting[SLURM_CONF_SETTINGS];
};

/* The file that Slurm's commands would read: $SLURM_CONF, else
 * /etc/slurm/slurm.conf. */
const char *torus_slurm_conf_path(void);

/* Write the path of a file that slurm.conf names: relative to its directory. */
void torus_slurm_conf_beside(const char *conf, const char *name, char *path,
			     size_t size);

/* A setting, KEY=VALUE, of a line. */
struct torus_slurm_pair {
	const char *file;
	unsigned line;
	bool first; /* in its line: NodeName and PartitionName say what that is */
	const char *key, *value; /* with a NUL behind each */
};

/* Call each() for every setting in order, until it returns nonzero; return that. -1
 * with errno, and lines in err, also where the file cannot be read. */
typedef int torus_slurm_each(void *arg, const struct torus_slurm_pair *pair,
			     struct torus_error *err);
int torus_slurm_conf_each(const char *path, torus_slurm_each *each, void *arg,
			  struct torus_error *err);

/* Read it. 0, or -1 with errno, and lines in err: FILE:LINE: what is wrong. */
int torus_slurm_conf_read(struct torus_slurm_conf *c, const char *path,
			  struct torus_error *err);
bool torus_slurm_conf_has(const struct torus_slurm_conf *c, const char *name);
void torus_slurm_conf_free(struct torus_slurm_conf *c);

/*
 * slurm_plugins.c: check that SelectType, JobSubmitPlugins, SchedulerType,
 * SchedulerParameters and plugstack.conf agree. conf: the path that was read. own: it is
 * the one of this host's Slurm; otherwise plugstack.conf is read only from the directory
 * of `conf`. Lines in err.
 */
void torus_slurm_conf_check(const struct torus_slurm_conf *c, const char *conf,
			    bool own, struct torus_error *err);

#endif
