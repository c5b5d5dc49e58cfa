/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy in a shared object (doc/policy.md): a queue discipline or a placement strategy
 * that storus and slurmctld load by the path of its file. It includes this header, needs
 * nothing of the library but the inline functions of the headers, and ends with one of
 *
 *	TORUS_POLICY_DISCIPLINE(mine);
 *	TORUS_POLICY_STRATEGY(mine);
 *
 * A discipline has name and rank(), whose self has no meaning: easy backfills in this
 * order. It has rank_stays if the rank does not change with the time; if it does,
 * rank_least() keeps long queues fast. A strategy has name, create(), destroy() and
 * find(), and what else struct torus_strategy asks for; in slurmctld these alone. Its places
 * are checked. In slurmctld its functions are called under guard (doc/policy.md, Deploy).
 */
#ifndef TORUS_POLICY_H
#define TORUS_POLICY_H

#include "torus/discipline.h"

/* The number of this interface; it changes with the layout of any struct that these
 * headers define. */
#define TORUS_POLICY_ABI 4

struct torus_policy_module {
	uint32_t abi;
	uint32_t size; /* of the job, the ask and the descriptors */
	const struct torus_discipline *discipline;
	const struct torus_strategy *strategy;
	/* what is made of them when they are loaded */
	struct torus_discipline own_discipline;
	struct torus_strategy own_strategy;
};

#define TORUS_POLICY_SIZE                                                      \
	(uint32_t)(sizeof(struct torus_policy_module) +                        \
		   sizeof(struct torus_job) + sizeof(struct torus_ask) +       \
		   sizeof(struct torus_placement) + sizeof(struct torus))

#define TORUS_POLICY(what, d)                                                    \
	__attribute__((visibility(                                               \
		"default"))) struct torus_policy_module torus_policy = {         \
		.abi = TORUS_POLICY_ABI, .size = TORUS_POLICY_SIZE, .what = &(d) \
	}
#define TORUS_POLICY_DISCIPLINE(d) TORUS_POLICY(discipline, d)
#define TORUS_POLICY_STRATEGY(s) TORUS_POLICY(strategy, s)

/* Return true if a word of torus.yaml or the command line is the path of a policy. */
bool torus_policy_is_path(const char *word);

/*
 * Load a policy. With `only_in` as slurmctld does (doc/policy.md, Deploy): a list of
 * directories, separated by colons; the file must be in one of them, and file and directory
 * must belong to root, who alone may write to them. "": the directories are unknown, and
 * any will do. NULL with a line in err. The file stays loaded: a new version needs
 * a new name, or a new process.
 */
const struct torus_discipline *
torus_policy_load_discipline(const char *path, const char *only_in,
			     struct torus_error *err);
const struct torus_strategy *torus_policy_load_strategy(const char *path,
							const char *only_in,
							struct torus_error *err);

#endif
