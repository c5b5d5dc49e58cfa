/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine state: free nodes, the regions that jobs hold with their expected
 * ends, and the strategies' memories.
 *
 * Nodes that are out of service or fenced (torus_state_out()) are never usable.
 *
 * Cost: find is the strategy's; commit and release are O(region) plus
 * O(running) for the list ordered by expected end. Commit, release and undo do
 * not allocate after torus_state_reserve(), or once as many jobs have run at the
 * same time.
 */
#ifndef TORUS_STATE_H
#define TORUS_STATE_H

#include "torus/machine.h"

#define TORUS_NO_SLOT UINT32_MAX

struct torus_state;

/* One running (or reserved) job's hold on the machine. Read only. */
struct torus_hold {
	uint64_t job; /* the host's number */
	void *owner;  /* the host's pointer, e.g. its struct torus_job */
	int64_t start_us;
	int64_t end_us;               /* expected end; INT64_MAX: unknown */
	struct torus_placement place; /* nodes points into the state */
};

/* Record for the undo of a commit or release. Undo the latest first. */
struct torus_undo {
	uint32_t slot;
	uint64_t generation; /* generation before the operation */
	struct torus_memo memo;
};

/* m must outlive the state. NULL with ENOMEM. */
struct torus_state *torus_state_create(const struct torus_machine *m);
void torus_state_destroy(struct torus_state *s);
const struct torus_machine *torus_state_machine(const struct torus_state *s);

/* Allocate room for n holds. (A slot's first scattered placement still allocates
 * its node bitmap.) 0, or -1 with ENOMEM. */
int torus_state_reserve(struct torus_state *s, uint32_t n);

/*
 * Search the pods in order; if none has a place and ask->anywhere is set, search
 * all of them together (src/placement/anywhere.c). Pods that do not allow the
 * ask's strategy are skipped. FITS: *out is filled. NEVER: why (may be NULL) gets
 * a line.
 */
enum torus_answer torus_state_find(struct torus_state *s,
				   const struct torus_ask *ask,
				   struct torus_placement *out,
				   struct torus_error *why);

/*
 * As torus_state_find(), with `usable` (a machine bitmap) as the usable nodes,
 * busy or not, and without the ask's allowed nodes. Only if all strategies of
 * the machine are occupancy_only (torus_state_timeless()).
 */
enum torus_answer torus_state_find_in(struct torus_state *s,
				      const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out);
bool torus_state_timeless(const struct torus_state *s);

/* The searches for several regions from now on belong to one pass, which bounds
 * their work together; or no longer. */
void torus_state_pass(struct torus_state *s, bool begins);

/* Search with every present node free and allowed: FITS or NEVER. NOT_NOW: the
 * ask's limit ended the search before an answer. */
enum torus_answer torus_state_possible(struct torus_state *s,
				       const struct torus_ask *ask,
				       struct torus_placement *out,
				       struct torus_error *why);

/* Name the links that the ask must avoid: "link pod0:2,0,4 1 (down)", or "links A
 * (down), B (weak) and 3 more"; as many as fit. False: there are none. */
bool torus_links_name(const struct torus_state *s, const struct torus_ask *ask,
		      char *text, size_t size);

/* Return the toruses that can hold the ask when empty, a bit each. All bits are
 * set where it does not matter: one torus, more than 64, nodes of several. */
uint64_t torus_state_possible_pods(struct torus_state *s,
				   const struct torus_ask *ask);

/* Write one sentence on what blocks an ask that got NOT_NOW: jobs, nodes out of
 * service, or fragmentation. */
void torus_state_explain(const struct torus_state *s,
			 const struct torus_ask *ask, struct torus_error *why);

/*
 * Call each() for every place now, in lexicographic order of (orientation, base)
 * within each pod, until it returns false. -1 with ENOSYS if the strategy does
 * not list places.
 */
int torus_state_find_all(struct torus_state *s, const struct torus_ask *ask,
			 bool (*each)(void *arg,
				      const struct torus_placement *place),
			 void *arg);

/*
 * Give a place to a job. Return its slot, or TORUS_NO_SLOT with the state
 * unchanged: ENOMEM, or EBUSY if a node is in use or the strategy can no longer
 * grant the place. u may be NULL.
 */
uint32_t torus_state_commit(struct torus_state *s,
			    const struct torus_placement *place, uint64_t job,
			    void *owner, int64_t start_us, int64_t end_us,
			    struct torus_undo *u);

/*
 * Hold nodes (a machine bitmap) without a job: one hold of job 0 per torus with
 * such nodes. Append the slots, at most one per torus, to slots[*count], unless
 * slots is NULL. -1 with errno as torus_state_commit(); holds made before the
 * error stay.
 */
int torus_state_hold_nodes(struct torus_state *s, const uint64_t *nodes,
			   int64_t end_us, uint32_t *slots, uint32_t *count);

#define TORUS_NODE_IDLE INT64_MIN /* in until_us[]: not in use */

/* Nodes in use that belong to no tracked job. */
struct torus_untracked {
	const int64_t *until_us; /* per bit of a machine bitmap */
	uint32_t *slots, *count; /* as of torus_state_hold_nodes() */
	/* Called for each end and its nodes; may be NULL. */
	void (*held)(void *arg, int64_t end_us, const uint64_t *nodes);
	void *arg;
};

/* Hold those of the nodes that are free, one hold per torus and end. -1 with
 * errno; holds made before the error stay. */
int torus_state_hold_until(struct torus_state *s,
			   const struct torus_untracked *u);

/*
 * Release a hold. With u the slot stays reserved until torus_state_undo(), which
 * must follow; without u it may be used again at once.
 */
void torus_state_release(struct torus_state *s, uint32_t slot,
			 struct torus_undo *u);

/* Undo the latest commit or release that is not yet undone. */
void torus_state_undo(struct torus_state *s, const struct torus_undo *u);

/* Change the job number of a hold (a task of an array gets its own number when it
 * starts). */
void torus_state_renumber(struct torus_state *s, uint32_t slot, uint64_t job);

/* Set a new expected end. No earlier commit or release may be undone then. */
void torus_state_set_end(struct torus_state *s, uint32_t slot, int64_t end_us);

/* Replace the set of nodes that are out of service or fenced. NULL: none. */
void torus_state_out(struct torus_state *s, const uint64_t *out);

/*
 * Replace the list of links that are down or weak. Searches then find only
 * regions without a link that is dead for the ask. Holds stay. A change makes a
 * new generation. -1 with the state unchanged: ENOMEM, or EINVAL if a link is of a
 * torus whose links cannot be listed (torus_machine_links()).
 */
int torus_state_set_links(struct torus_state *s,
			  const struct torus_link_list *links);
const struct torus_link_list *torus_state_links(const struct torus_state *s);

/*
 * Replace the node weights (torus/weights.h), of which a copy is made; NULL: all nodes
 * are alike. Searches that choose a place (not ask->any_place) then prefer light
 * nodes. A change makes a new generation. -1 with ENOMEM and the state unchanged.
 */
int torus_state_set_weights(struct torus_state *s,
			    const struct torus_weights *weights);
const struct torus_weights *torus_state_weights(const struct torus_state *s);

/* Keep those of the nodes that Slurm would not take later than the last of `than`;
 * both are machine bitmaps. */
void torus_state_keep_lighter(struct torus_state *s, const uint64_t *than,
			      uint64_t *nodes);

/* Return true if the link joins two neighbours in one of the place's regions, or
 * closes a ring of it. */
bool torus_placement_has_link(const struct torus_machine *m,
			      const struct torus_placement *place,
			      const struct torus_link *link);

/* Return true if the place has such a link that is dead now. `weak`: weak links
 * are not dead. */
bool torus_state_has_dead_link(const struct torus_state *s,
			       const struct torus_placement *place, bool weak);

/* Return the machine bitmap of free, present nodes in service; return their
 * number. */
const uint64_t *torus_state_free_map(const struct torus_state *s);
uint32_t torus_state_free_nodes(const struct torus_state *s);
const uint64_t *torus_state_out_map(const struct torus_state *s);
/* Return the machine bitmap of the nodes that exist. */
const uint64_t *torus_state_present_map(const struct torus_state *s);

/* Return a number that is new after every commit, release and change of service;
 * undo restores the old one. Equal numbers mean equal states. */
uint64_t torus_state_generation(const struct torus_state *s);

/* Return a hold by its slot, or the slot of a hold in order of end. Holds with
 * equal ends are in order of their commits, which save and restore keep. */
const struct torus_hold *torus_state_hold(const struct torus_state *s,
					  uint32_t slot);
uint32_t torus_state_holds(const struct torus_state *s);
uint32_t torus_state_by_end(const struct torus_state *s, uint32_t k);

/* Return the k-th hold in order of end. */
static inline const struct torus_hold *
torus_state_ending(const struct torus_state *s, uint32_t k)
{
	return torus_state_hold(s, torus_state_by_end(s, k));
}

/* Return the first expected end; INT64_MAX: unknown, or no hold. */
static inline int64_t torus_state_next_end_us(const struct torus_state *s)
{
	return torus_state_holds(s) > 0 ? torus_state_ending(s, 0)->end_us :
					  INT64_MAX;
}

/* Return true if the expected end of a hold has passed. */
static inline bool torus_state_overdue(const struct torus_state *s,
				       int64_t now_us)
{
	return torus_state_holds(s) > 0 && torus_state_next_end_us(s) <= now_us;
}

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

/*
 * Write the state as text, one line per pod's strategy and one per hold in the
 * order of the commits; read it into a new state of the same machine, whose slots
 * 0, 1, ... get the holds in that order. A mismatch is an error. The outside pod
 * and the holds with nodes there are omitted, since that pod may have other nodes
 * when the text is read.
 */
int torus_state_save(const struct torus_state *s, struct torus_text *text);
int torus_state_restore(struct torus_state *s, const char *text,
			struct torus_error *err);

/*
 * Append the state's text, with the outside pod, and replace the state by what
 * torus_state_restore() makes of that text, so that a reader continues exactly as
 * this state does. Slots change, owners become NULL. -1 with errno and the state
 * unchanged.
 */
int torus_state_renew(struct torus_state *s, struct torus_text *text);

/* Append a hold as text; read a hold. Reading overwrites the text and fills the
 * room, which must have nodes and regions. 0, or -1 with errno (and a line in
 * err). */
int torus_hold_format(const struct torus_machine *m, const struct torus_hold *h,
		      struct torus_text *text);
int torus_hold_parse(const struct torus_machine *m, char *text,
		     struct torus_hold *hold,
		     const struct torus_placement_room *room,
		     struct torus_error *err);

/* Create another state with the same holds, those of the outside pod too, and the
 * same nodes out of service. Slots and owners are its own. NULL with errno. */
struct torus_state *torus_state_twin(const struct torus_state *s);

/* Check that holds are disjoint, present and counted, and the strategies. */
bool torus_state_check(const struct torus_state *s, struct torus_error *err);

#endif
