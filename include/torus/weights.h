/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Node weights, as Slurm's, and which nodes power saving has switched off.
 *
 * Weights choose among places and never refuse one: a region gets the place whose
 * heaviest node weighs least, among these the one with the fewest nodes to boot,
 * among these the strategy's choice. Scattered nodes are taken as Slurm does: nodes
 * that are up before those that are asleep, and of these the lightest first.
 *
 * The text form lists the nodes of each weight, lightest first, then those asleep:
 *
 *	1=pod0:{60-61} 100=pod0:{0-59} asleep=pod0:{3,4}
 */
#ifndef TORUS_WEIGHTS_H
#define TORUS_WEIGHTS_H

#include "torus/machine.h"
#include "torus/text.h"

#define TORUS_WEIGHT_DEFAULT 1U

/* Return an object in which every node has TORUS_WEIGHT_DEFAULT and is awake; NULL
 * with ENOMEM. */
struct torus_weights *torus_weights_create(const struct torus_machine *m);
void torus_weights_destroy(struct torus_weights *w); /* NULL is fine */
/* Return a copy; NULL with ENOMEM. */
struct torus_weights *torus_weights_copy(const struct torus_weights *w);

/* Make it fit a machine bitmap of more words; -1 with ENOMEM, and *w unchanged. */
int torus_weights_extend(struct torus_weights **w, uint32_t words);

/* Give every node TORUS_WEIGHT_DEFAULT and wake it. */
void torus_weights_clear(struct torus_weights *w);

/* Set the weight of the nodes in a machine bitmap; set the nodes that are asleep. */
void torus_weights_set(struct torus_weights *w, const uint64_t *nodes,
		       uint32_t weight);
void torus_weights_set_asleep(struct torus_weights *w, const uint64_t *nodes);

/* Return per-node weights, by machine-wide bit; return the nodes asleep. */
uint32_t *torus_weights_list(struct torus_weights *w);
const uint64_t *torus_weights_asleep(const struct torus_weights *w);
static inline uint32_t torus_weights_of(const struct torus_weights *w,
					uint32_t bit)
{
	return torus_weights_list((struct torus_weights *)(uintptr_t)w)[bit];
}

/* Return true if both say the same of every node of the machine. NULL: all nodes
 * are alike. */
bool torus_weights_equal(const struct torus_machine *m,
			 const struct torus_weights *a,
			 const struct torus_weights *b);

/* Return true if the weights alone are equal. */
bool torus_weights_same_list(const struct torus_weights *a,
			     const struct torus_weights *b);

/* Append the text, or only its part about nodes asleep ("asleep=none": no node);
 * read such a text, which is overwritten: what it does not name stays. -1 with
 * ENOMEM, or with EINVAL and a line in err. */
int torus_weights_format(const struct torus_machine *m,
			 const struct torus_weights *w, bool asleep_only,
			 struct torus_text *text);
int torus_weights_parse(const struct torus_machine *m, char *text,
			struct torus_weights *w, struct torus_error *err);

#endif
