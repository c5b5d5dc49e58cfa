/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine state: which nodes are free, which jobs hold which regions until
 * when, and what the strategies remember.
 *
 * Nodes can be out of service or fenced as busy (torus_state_out()); such
 * nodes are never usable.
 *
 * Cost: find is the strategy's; commit and release are O(region) plus
 * O(running) for the list ordered by expected end. After
 * torus_state_reserve() or once as many jobs ran at a time, a cycle of
 * commit, release and undo calls no malloc.
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

/* To take a commit or release back, latest first. */
struct torus_undo {
	uint32_t slot;
	uint64_t generation; /* of the state before */
	struct torus_memo memo;
};

/* m must outlive the state. NULL with ENOMEM. */
struct torus_state *torus_state_create(const struct torus_machine *m);
void torus_state_destroy(struct torus_state *s);
const struct torus_machine *torus_state_machine(const struct torus_state *s);

/* Room for n holds at a time. (A slot's first scattered placement allocates
 * its node bitmap all the same.) */
int torus_state_reserve(struct torus_state *s, uint32_t n);

/*
 * Ask the pods in order; if none of them has a place and the ask says
 * anywhere, all of them together (anywhere.c of src/placement). A pod that
 * does not allow the ask's strategy is passed over. FITS: *out is filled.
 * NEVER: why (may be NULL) gets a line.
 */
enum torus_answer torus_state_find(struct torus_state *s,
				   const struct torus_ask *ask,
				   struct torus_placement *out,
				   struct torus_error *why);

/*
 * The same against any set of nodes taken as usable (machine bitmap) instead of
 * the ask's allowed nodes, however busy they are now. Only for machines whose strategies are all
 * occupancy_only (torus_state_timeless()).
 */
enum torus_answer torus_state_find_in(struct torus_state *s,
				      const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why);
bool torus_state_timeless(const struct torus_state *s);

/* Could the machine serve it with every present node free and allowed? NOT_NOW:
 * the ask's limit has ended the search before that was known. */
enum torus_answer torus_state_possible(struct torus_state *s,
				       const struct torus_ask *ask,
				       struct torus_placement *out,
				       struct torus_error *why);

/* One sentence on what blocks a request that got NOT_NOW: jobs, nodes out of
 * service, or fragmentation. */
void torus_state_explain(const struct torus_state *s,
			 const struct torus_ask *ask, struct torus_error *why);

/*
 * Every place now, in lexicographic order of (orientation, base) within each
 * pod; each() returns false to stop. -1 with ENOSYS if the strategy does not
 * list places.
 */
int torus_state_find_all(struct torus_state *s, const struct torus_ask *ask,
			 bool (*each)(void *arg,
				      const struct torus_placement *place),
			 void *arg);

/*
 * Give a place to a job. Returns its slot, or TORUS_NO_SLOT with ENOMEM, or
 * EBUSY if a node is taken or the strategy can no longer grant the place. The
 * state is unchanged then. u may be NULL.
 */
uint32_t torus_state_commit(struct torus_state *s,
			    const struct torus_placement *place, uint64_t job,
			    void *owner, int64_t start_us, int64_t end_us,
			    struct torus_undo *u);

/*
 * Hold these nodes (a machine bitmap) for nobody: one hold of job 0 per torus
 * that has some of them. Their slots are added to slots[*count], unless slots
 * is NULL; at most one per torus. -1 with errno as torus_state_commit(); what
 * was held by then stays.
 */
int torus_state_hold_nodes(struct torus_state *s, const uint64_t *nodes,
			   int64_t end_us, uint32_t *slots, uint32_t *count);

#define TORUS_NODE_IDLE INT64_MIN /* in until_us[]: not in use */

/* Nodes in use that belong to no tracked job. */
struct torus_untracked {
	const int64_t *until_us; /* per bit of a machine bitmap */
	uint32_t *slots, *count; /* as of torus_state_hold_nodes() */
	/* Told of each time and its nodes; or NULL. */
	void (*held)(void *arg, int64_t end_us, const uint64_t *nodes);
	void *arg;
};

/* Hold the free ones of these nodes, those with the same end together. -1 with
 * errno; what was held by then stays. */
int torus_state_hold_until(struct torus_state *s,
			   const struct torus_untracked *u);

/*
 * Take it back. With u the slot stays the job's until torus_state_undo(), which
 * must follow; without, it may be used again at once.
 */
void torus_state_release(struct torus_state *s, uint32_t slot,
			 struct torus_undo *u);

/* Undo the latest commit or release that is not yet undone. */
void torus_state_undo(struct torus_state *s, const struct torus_undo *u);

/* The host has another number for the job by now (a task of an array gets its own
 * when it starts). */
void torus_state_renumber(struct torus_state *s, uint32_t slot, uint64_t job);

/* A new expected end. No earlier commit or release may be undone after it. */
void torus_state_set_end(struct torus_state *s, uint32_t slot, int64_t end_us);

/* Nodes out of service or fenced; replaces the previous set. NULL: none. */
void torus_state_out(struct torus_state *s, const uint64_t *out);

/*
 * The links that are not healthy from now on: regions that are found hold none
 * that is dead for the ask. Holds stay. A change makes a new generation. -1
 * with ENOMEM, or EINVAL if one is of a torus whose links may not fail
 * (torus_machine_links()); the state is as it was.
 */
int torus_state_set_links(struct torus_state *s,
			  const struct torus_link_list *links);
const struct torus_link_list *torus_state_links(const struct torus_state *s);

/* Return true if the link joins two neighbours of one of its regions, or closes
 * a ring of it. */
bool torus_placement_has_link(const struct torus_machine *m,
			      const struct torus_placement *place,
			      const struct torus_link *link);

/* Free, present nodes in service (machine bitmap), and how many. */
const uint64_t *torus_state_free_map(const struct torus_state *s);
uint32_t torus_state_free_nodes(const struct torus_state *s);
const uint64_t *torus_state_out_map(const struct torus_state *s);

/* A new number with every commit, release and change of service; undo brings
 * the old number back. Equal numbers mean equal states. */
uint64_t torus_state_generation(const struct torus_state *s);

/* Holds by slot, and the slots of all holds ordered by (end, slot). */
const struct torus_hold *torus_state_hold(const struct torus_state *s,
					  uint32_t slot);
uint32_t torus_state_holds(const struct torus_state *s);
uint32_t torus_state_by_end(const struct torus_state *s, uint32_t k);

/* Return true if the expected end of a hold has passed. */
static inline bool torus_state_overdue(const struct torus_state *s,
				       int64_t now_us)
{
	return torus_state_holds(s) > 0 &&
	       torus_state_hold(s, torus_state_by_end(s, 0))->end_us <= now_us;
}

/* How long the bitmap of scattered nodes is. (It begins at the first word of
 * place->pod, which is also the machine's where the nodes are spread.) */
static inline uint32_t torus_placement_words(const struct torus_machine *m,
					     const struct torus_placement *place)
{
	return place->spread ? m->words : m->pod[place->pod].words;
}

/* Which of its words may have nodes: from place->from_word on, so many. */
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

/* Where a copy of a placement keeps its scattered nodes (machine-sized) and its
 * regions. */
struct torus_placement_room {
	uint64_t *nodes;
	struct torus_regions *regions; /* NULL: the copy has none */
};

/* *to = *place with what it points at copied to the room; both may be the
 * same. */
void torus_placement_copy(const struct torus_machine *m,
			  struct torus_placement *to,
			  const struct torus_placement *place,
			  const struct torus_placement_room *room);

/* Region or scattered nodes with the torus's name, appended; where they are
 * spread, each torus's nodes, with commas between them. */
int torus_placement_format(const struct torus_machine *m,
			   const struct torus_placement *place,
			   struct torus_text *text);

/* Nodes so written (text is cut up) into a machine bitmap. 0, or -1 with
 * EINVAL and a line in err. */
int torus_nodes_parse(const struct torus_machine *m, char *text, uint64_t *map,
		      struct torus_error *err);

/*
 * As text, one line per pod's strategy and one per hold; and back into a
 * fresh state of the same machine. What does not match is an error. A pod
 * outside is left out, and with it who holds nodes there: it may have other
 * nodes then.
 */
int torus_state_save(const struct torus_state *s, struct torus_text *text);
int torus_state_restore(struct torus_state *s, const char *text,
			struct torus_error *err);

/*
 * Append the state's text, the pod outside included, and make the state what
 * torus_state_restore() makes of that text: whoever restores it goes on exactly
 * as this state does. Slots are others then, owners are NULL. -1 with errno: the
 * state is as it was.
 */
int torus_state_renew(struct torus_state *s, struct torus_text *text);

/* A hold as text, and back: text is cut up, scattered nodes and several regions
 * go to the room, which has both. 0, or -1 with errno (and a line in err). */
int torus_hold_format(const struct torus_machine *m, const struct torus_hold *h,
		      struct torus_text *text);
int torus_hold_parse(const struct torus_machine *m, char *text,
		     struct torus_hold *hold,
		     const struct torus_placement_room *room,
		     struct torus_error *err);

/* Another state with the same holds, those outside included, and the same
 * nodes out of service; slots and owners are its own. NULL with errno. */
struct torus_state *torus_state_twin(const struct torus_state *s);

/* Invariants: holds disjoint, present, counted; the strategies' own. */
bool torus_state_check(const struct torus_state *s, struct torus_error *err);

#endif
