/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine: one or more toruses ("pods"), each with its strategies.
 *
 * Bitmaps of the whole machine hold the pods one after the other, each
 * starting at a word boundary: node i of pod p is bit
 * machine.pod[p].first_word * 64 + i. Padding bits are 0.
 */
#ifndef TORUS_MACHINE_H
#define TORUS_MACHINE_H

#include "torus/links.h"
#include "torus/strategy.h"

#define TORUS_POD_STRATEGIES 9 /* 8 of torus.yaml, one of a host's own */

struct torus_pod {
	struct torus torus;
	uint32_t first_word; /* of its part of a machine bitmap */
	uint32_t words;
	uint64_t *present; /* NULL: every cell has a node */
	uint32_t present_nodes;
	/* [0] is the default; the others may be asked for by name */
	uint32_t strategies;
	const struct torus_strategy *strategy[TORUS_POD_STRATEGIES];
	struct torus_options options; /* of strategy[0] */
	bool outside;   /* in no torus: only for asks that say anywhere; the
			   last pod, and flat */
	bool no_rotate; /* axis i of every job lies along dimension i */
	bool links;     /* its links may fail: torus_machine_links() */
	/* What strategies search (src/placement/grid.h): the torus itself where
	 * a cell of it has one node. */
	struct torus grid;
	uint32_t cell_nodes;    /* nodes of a grid cell */
	uint32_t *cell;         /* of each node; NULL: cell_nodes is 1 */
	uint64_t *cell_present; /* cells that have all nodes; NULL: every one */
};

struct torus_machine {
	uint32_t pods;
	uint32_t words; /* of a machine bitmap */
	uint32_t nodes; /* present ones, all pods */
	struct torus_pod *pod;
	/* Those that are not healthy when a state is made. */
	struct torus_link_list links;
};

/*
 * A machine of one pod. The strategy must support the torus (-1, EINVAL and
 * a line in err otherwise). torus_machine_add() appends a further pod;
 * present may be NULL and is copied. torus_machine_free() empties it.
 */
int torus_machine_init(struct torus_machine *m, const struct torus *t,
		       const struct torus_strategy *strategy,
		       const struct torus_options *options,
		       struct torus_error *err);
int torus_machine_add(struct torus_machine *m, const struct torus *t,
		      const uint64_t *present,
		      const struct torus_strategy *strategy,
		      const struct torus_options *options,
		      struct torus_error *err);
void torus_machine_free(struct torus_machine *m);

/* Let jobs ask for a further strategy in pod p by name. */
int torus_machine_allow(struct torus_machine *m, uint32_t p,
			const struct torus_strategy *strategy,
			struct torus_error *err);

/* The links of pod p may fail from now on. -1 with a line in err: one of its
 * strategies cannot go around them, or it has no links. */
int torus_machine_links(struct torus_machine *m, uint32_t p,
			struct torus_error *err);

/* Can the strategy go around dead links of a torus? 0, or -1 with the reason in
 * why. */
int torus_machine_links_able(const struct torus_strategy *strategy,
			     const struct torus *t, struct torus_error *why);

/* Can the strategy serve a torus? 0, or -1 with the reason in why. */
int torus_machine_able(const struct torus_strategy *strategy,
		       const struct torus *t,
		       const struct torus_options *options,
		       struct torus_error *why);

/* Set ask->shape_nodes: how many nodes the shape takes at least on this machine. */
void torus_machine_settle(const struct torus_machine *m, struct torus_ask *ask);
uint32_t torus_pod_shape_nodes(const struct torus_pod *pod,
			       const struct torus_ask *ask);

/* Machine-wide bit of node `index` of pod p, and back. */
static inline uint32_t torus_machine_bit(const struct torus_machine *m,
					 uint32_t p, uint32_t index)
{
	return m->pod[p].first_word * 64 + index;
}

/* Which pod a machine-wide bit belongs to; its index there in *index. */
uint32_t torus_machine_pod(const struct torus_machine *m, uint32_t bit,
			   uint32_t *index);

/* The pod of that torus name, or UINT32_MAX. */
uint32_t torus_machine_named(const struct torus_machine *m, const char *name);

#endif
