/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placements: their nodes, their copies and their text form (placement.c). */
#ifndef TORUS_PLACEMENT_H
#define TORUS_PLACEMENT_H

#include "torus/state.h"

/* Return the words of the bitmap of scattered nodes. It begins at the first word
 * of place->pod, which is the machine's if the nodes are spread. */
static inline uint32_t torus_placement_words(const struct torus_machine *m,
					     const struct torus_placement *place)
{
	return place->spread ? m->words : m->pod[place->pod].words;
}

/* Return the number of words, from place->from_word on, that may have nodes. */
static inline uint32_t torus_placement_span(const struct torus_machine *m,
					    const struct torus_placement *place)
{
	uint32_t to = place->to_word ? place->to_word :
				       torus_placement_words(m, place);

	return to - place->from_word;
}

/* Set the hold's nodes in a machine bitmap. */
void torus_hold_paint(const struct torus_state *s, const struct torus_hold *h,
		      uint64_t *map);
void torus_placement_paint(const struct torus_machine *m,
			   const struct torus_placement *place, uint64_t *map);

/* Memory for a copied placement's scattered nodes (machine-sized) and regions. */
struct torus_placement_room {
	uint64_t *nodes;
	struct torus_regions *regions; /* NULL: the copy has none */
	/* set by torus_placement_copy(): all other words of `nodes` are 0;
	 * to_word 0: unknown. Other writers of `nodes` must set to_word to 0 */
	uint32_t from_word, to_word;
};

/* Copy a placement, and its nodes and regions into the room. `to` may be
 * `place`. */
void torus_placement_copy(const struct torus_machine *m,
			  struct torus_placement *to,
			  const struct torus_placement *place,
			  struct torus_placement_room *room);

/* The same into a room of the caller's own, a zeroed one at first: allocate the
 * memory that it lacks. 0, or -1 with ENOMEM and `to` unchanged. */
int torus_placement_keep(const struct torus_machine *m,
			 struct torus_placement *to,
			 const struct torus_placement *place,
			 struct torus_placement_room *room);
void torus_placement_room_free(struct torus_placement_room *room);

/* Append the region or the scattered nodes with the torus's name; of spread nodes
 * each torus's, separated by commas. */
int torus_placement_format(const struct torus_machine *m,
			   const struct torus_placement *place,
			   struct torus_text *text);

/* Read such a text into a machine bitmap; the text is overwritten. 0, or -1
 * with EINVAL and a line in err. */
int torus_nodes_parse(const struct torus_machine *m, char *text, uint64_t *map,
		      struct torus_error *err);

/* hold_nodes.c: untracked busy nodes: scattered holds of job 0, one per torus that has
 * some. */

#define TORUS_NODE_IDLE INT64_MIN /* in until_us[]: not in use */

/* Nodes in use that belong to no tracked job. */
struct torus_untracked {
	const int64_t *until_us; /* per bit of a machine bitmap */
	uint32_t *slots, *count; /* as of torus_state_hold_nodes() */
	/* Called for each end and its nodes; may be NULL. */
	void (*held)(void *arg, int64_t end_us, const uint64_t *nodes);
	void *arg;
};

/*
 * Hold nodes (a machine bitmap) without a job: one hold of job 0 per torus with
 * such nodes. Append the slots, at most one per torus, to slots[*count], unless
 * slots is NULL. -1 with errno as torus_state_commit(); holds made before the
 * error stay.
 */
int torus_state_hold_nodes(struct torus_state *s, const uint64_t *nodes,
			   int64_t end_us, uint32_t *slots, uint32_t *count);

/* Hold those of the nodes that are free, one hold per torus and end. -1 with
 * errno; holds made before the error stay. */
int torus_state_hold_until(struct torus_state *s,
			   const struct torus_untracked *u);

/* state_links.c: the links of a machine state (torus/state.h). */

/*
 * Replace the list of links that are down or weak. Searches then find only
 * regions without a link that is dead for the ask. Holds stay. A change makes a
 * new generation. -1 with the state unchanged: ENOMEM, or EINVAL if a link is of a
 * torus whose links cannot be listed (torus_machine_links()).
 */
int torus_state_set_links(struct torus_state *s,
			  const struct torus_link_list *links);
const struct torus_link_list *torus_state_links(const struct torus_state *s);

/* Return true if the link joins two neighbours in one of the place's regions, or
 * closes a ring of it. */
bool torus_placement_has_link(const struct torus_machine *m,
			      const struct torus_placement *place,
			      const struct torus_link *link);

/* Return true if the place has such a link that is dead now. `weak`: weak links
 * are not dead. */
bool torus_state_has_dead_link(const struct torus_state *s,
			       const struct torus_placement *place, bool weak);

#endif
