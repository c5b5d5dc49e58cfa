/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A site's Slurm as the discipline slurm-backfill needs it, from slurm.conf and the
 * output of sacctmgr. */
#ifndef REPLAY_SLURM_SITE_H
#define REPLAY_SLURM_SITE_H

#include "torus/config.h"
#include "torus/slurm.h"
#include "torus/text.h"

struct torus_metrics;

/* Zeroed = empty. */
struct torus_slurm_site {
	struct torus_slurm slurm;
	struct torus_text not_modelled; /* keys, each with a line end */
	struct torus_text assumed;      /* sentences, the same */
};

/*
 * Read slurm.conf for this machine, and the shares of users, unless NULL (slurm_shares.c).
 * Partitions have nodes by name if torus.yaml names the machine's, else in the order in
 * which slurm.conf lists the nodes. by_cpus: sizes of jobs are CPUs; the machine's nodes
 * are then the CPUs of slurm.conf's nodes, which jobs share with select/cons_tres. 0,
 * or -1 with errno and lines in err.
 */
int torus_slurm_site_read(struct torus_slurm_site *site, const char *conf,
			  const char *shares, const struct torus_config *config,
			  bool by_cpus, struct torus_error *err);

/* After the replay: add what its jobs needed and is not modelled. -1 with ENOMEM. */
int torus_slurm_site_replayed(struct torus_slurm_site *site,
			      const struct torus_metrics *metrics);
void torus_slurm_site_free(struct torus_slurm_site *site);

/* slurm_shares.c: read `sacctmgr -P show assoc`, and of `show qos` if it follows. */
int torus_slurm_shares_read(struct torus_slurm *slurm, const char *path,
			    struct torus_error *err);

#endif
