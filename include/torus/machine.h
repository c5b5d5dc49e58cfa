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

#define TORUS_POD_STRATEGIES 9 /* 8 of torus.yaml, one of the host */

struct torus_pod {
	struct torus torus;
	uint32_t first_word; /* first word in a machine bitmap */
	uint32_t words;
	uint64_t *present; /* NULL: every cell has a node */
	uint32_t present_nodes;
	/* [0] is the default; asks select the others by name */
	uint32_t strategies;
	const struct torus_strategy *strategy[TORUS_POD_STRATEGIES];
	struct torus_options options; /* of strategy[0] */
	bool outside;   /* in no torus: only for asks with `anywhere`; the
			   last pod, and flat */
	bool no_rotate; /* axis i of every job lies along dimension i */
	bool links;     /* its links may fail: torus_machine_links() */
	/* The torus that strategies search (src/placement/state/grid.h). Equal to the
	 * torus itself if each cell has one node. */
	struct torus grid;
	uint32_t cell_nodes;    /* nodes of a grid cell */
	uint32_t *cell;         /* cell of each node; NULL: cell_nodes is 1 */
	uint64_t *cell_present; /* cells with all their nodes; NULL: all
				   cells */
};

struct torus_weights;

struct torus_machine {
	uint32_t pods;
	uint32_t words; /* words of a machine bitmap */
	uint32_t nodes; /* present nodes of all pods */
	struct torus_pod *pod;
	/* Unhealthy links at the creation of a state. */
	struct torus_link_list links;
	/* Node weights at the creation of a state (torus/weights.h); NULL: all
	 * nodes are alike. The machine's own. */
	struct torus_weights *weights;
};

/*
 * Set up a machine of one pod; append a further pod; free the machine. The
 * strategy must support the torus, else -1 with EINVAL and a line in err.
 * `present` may be NULL and is copied.
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

/* Let jobs select a further strategy in pod p by name. */
int torus_machine_allow(struct torus_machine *m, uint32_t p,
			const struct torus_strategy *strategy,
			struct torus_error *err);

/* Let the links of pod p fail. -1 with a line in err if one of its strategies
 * cannot avoid dead links, or if the torus has no links. */
int torus_machine_links(struct torus_machine *m, uint32_t p,
			struct torus_error *err);

/* Return 0 if the strategy can avoid dead links of the torus, or -1 with the
 * reason in why. */
int torus_machine_links_able(const struct torus_strategy *strategy,
			     const struct torus *t, struct torus_error *why);

/* Return 0 if the strategy supports the torus, or -1 with the reason in why. */
int torus_machine_able(const struct torus_strategy *strategy,
		       const struct torus *t,
		       const struct torus_options *options,
		       struct torus_error *why);

/* Set ask->shape_nodes, the least number of nodes for the shape on this
 * machine. */
void torus_machine_settle(const struct torus_machine *m, struct torus_ask *ask);
uint32_t torus_pod_shape_nodes(const struct torus_pod *pod,
			       const struct torus_ask *ask);

/* Return the machine-wide bit of node `index` of pod p. */
static inline uint32_t torus_machine_bit(const struct torus_machine *m,
					 uint32_t p, uint32_t index)
{
	return m->pod[p].first_word * 64 + index;
}

/* Return the pod of a machine-wide bit; *index gets the node's index in the
 * pod. */
uint32_t torus_machine_pod(const struct torus_machine *m, uint32_t bit,
			   uint32_t *index);

/* Return the pod of the torus with this name, or of the one named before the ':'
 * of a text; UINT32_MAX: none. */
uint32_t torus_machine_named(const struct torus_machine *m, const char *name);
uint32_t torus_machine_prefix(const struct torus_machine *m, const char *text);

/* Return the index of the named strategy (or alias; NULL: the default) in a pod,
 * or -1. */
int torus_pod_strategy(const struct torus_pod *pod, const char *name);

#endif
