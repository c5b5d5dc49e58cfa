/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the machine state, shared by the files state*.c. */
#ifndef PLACEMENT_STATE_H
#define PLACEMENT_STATE_H

#include "placement/state/free_boxes.h"
#include "placement/state/link_map.h"
#include "torus/placement.h"
#include "torus/state.h"

enum slot_use {
	SLOT_FREE,
	SLOT_LIVE,     /* a job holds its nodes */
	SLOT_RELEASED, /* released, but the release can still be undone */
};

struct slot {
	struct torus_hold hold;
	uint64_t sequence; /* sequence number of the commit */
	enum slot_use use;
	uint32_t next_free;
	struct torus_placement_room room; /* allocated when needed */
};

struct by_end {
	int64_t end_us;
	uint32_t slot;
};

/* The maximal free boxes of a pod, and the regions released since the list was
 * built (more than STATE_RELEASES: unknown regions). With many small jobs the
 * list overflows repeatedly and costs more than it saves. It is then not
 * rebuilt for the next `idle` releases, doubling each time. */
#define STATE_RELEASES 4
#define STATE_BOXES_IDLE 255
struct state_boxes {
	struct torus_free_boxes *list; /* NULL: no strategy asks for them */
	uint32_t overflows;            /* number of consecutive overflows */
	uint32_t idle;
	uint32_t releases;
	struct torus_region released[STATE_RELEASES];
};

struct torus_state {
	const struct torus_machine *machine;
	uint64_t generation;
	uint64_t last_generation; /* highest number assigned */
	uint64_t last_sequence;

	/* machine bitmaps */
	uint64_t *present;
	uint64_t *busy;     /* held by a job */
	uint64_t *out;      /* out of service */
	uint64_t *free;     /* present, neither busy nor out */
	uint64_t *usable;   /* scratch of find */
	uint64_t *cells;    /* scratch of find: usable cells of a pod's grid */
	uint64_t *required; /* scratch of find: cells to hold */
	uint64_t *spread;   /* the latest answer with nodes of several pods */
	uint64_t *maps;     /* memory of all bitmaps */
	uint32_t *share;    /* scratch: usable nodes per pod */
	struct several *several; /* scratch: searches for several regions */
	const char *wrong_strategy, *wrong_why; /* torus_state_wrong() */
	bool any_out;
	uint32_t free_nodes;
	uint32_t free_from; /* no word before it has a free node */

	/* per pod */
	struct state_boxes *boxes;
	struct torus_link_map **link_map; /* NULL: all links were always up */

	struct torus_link_list links;  /* unhealthy links */
	struct state_weights *weights; /* NULL: all nodes are alike */

	/* strategy instances [pod * TORUS_POD_STRATEGIES + i]; pristine ones
	 * (of the empty machine) only for strategies with internal state */
	void **self;
	void **pristine;

	struct slot *slot;
	uint32_t slots, room;
	uint32_t first_free; /* TORUS_NO_SLOT: none */

	struct by_end *by_end;
	uint32_t holds;
	uint32_t scattered; /* holds of scattered nodes */
	uint32_t *nearest;  /* scratch of state_boxes(): lists of holds; for
			       `room` */
};

/* Return the instance of strategy i of pod p. */
static inline void *state_instance(const struct torus_state *s, uint32_t p,
				   uint32_t i)
{
	return s->self[p * TORUS_POD_STRATEGIES + i];
}

/*
 * Return the strategy whose internal state a hold changes. Scattered nodes
 * change none: only stateless strategies give them, or a host that withholds
 * nodes.
 */
static inline const struct torus_strategy *
state_strategy(const struct torus_state *s, const struct torus_placement *place)
{
	static const struct torus_strategy none;

	return place->scattered ?
		       &none :
		       s->machine->pod[place->pod].strategy[place->strategy];
}

/* Return a word of the pod before which none has a free node. Amortized O(1) for
 * each word that a release has freed. */
uint32_t state_free_from(struct torus_state *s, const struct torus_pod *pod);

/* Return a placement of the pod's torus as its strategy sees it, in *room if it
 * must be converted; NULL if it begins or ends within a cell of the grid. */
const struct torus_placement *
state_seen_place(const struct torus_state *s,
		 const struct torus_placement *place,
		 struct torus_placement *room);

/* Convert a placement found by strategy i of the pod to the pod's torus. */
void state_place_finish(const struct torus_pod *pod, uint32_t i,
			struct torus_placement *place);

/* List the free boxes of each pod with at least `nodes` nodes (by default
 * STATE_BOXES_NODES, where this pays). Return -1 with ENOMEM. */
#define STATE_BOXES_NODES 512
#define STATE_BOXES_COUNT_WORDS 16 /* counts on fewer words get none rebuilt */
int state_list_boxes(struct torus_state *s, uint32_t nodes);

/* Return the maximal free boxes of a pod, or NULL. */
const struct torus_free_boxes *state_boxes(struct torus_state *s, uint32_t pod);

/* Return true if the pod's free nodes are exactly those of its boxes from
 * state_boxes(). */
bool state_boxes_exact(const struct torus_state *s, uint32_t pod);

/* Note that a region was released. */
void state_boxes_released(struct torus_state *s, uint32_t pod,
			  const struct torus_region *r);

/* Which nodes a question treats as usable. */
enum state_usable {
	USABLE_SOME, /* any nodes */
	USABLE_FREE, /* free nodes */
	USABLE_EVER, /* every node and link of the machine */
};

/* One question to the pods of a state. */
struct state_question {
	struct torus_state *s;
	void **instances; /* of the strategies: s->self or s->pristine */
	const struct torus_ask *ask;
	const uint64_t *usable; /* machine bitmap of usable nodes */
	enum state_usable kind;
	bool narrowed; /* USABLE_FREE: usable lacks some of the free and allowed
			  nodes */
};

/* Ask the pods in order, then all together. Ask for the reason only after all have
 * refused: one pod's NEVER is no reason if another pod can. */
enum torus_answer state_find_among(const struct state_question *q,
				   struct torus_placement *out,
				   struct torus_error *why);

/* Replace a place that state_find_among() has found by the lightest one. The state
 * has weights. */
void state_choose_light(const struct state_question *q,
			struct torus_placement *out);
void state_weights_destroy(struct state_weights *w);

/* Return the index of the pod's strategy that the question is for, or -1 if the
 * pod is skipped. */
int state_pod_strategy(const struct state_question *q, uint32_t p);

/* Ask strategy i of pod p for one region; usable is q->usable. */
enum torus_answer state_ask_pod(const struct state_question *q, uint32_t p,
				uint32_t i, struct torus_placement *out,
				struct torus_error *why);

/* List the strategy's places. each() returns false to stop; then this returns
 * false too. */
bool state_list_pod(const struct state_question *q, uint32_t p, uint32_t i,
		    bool (*each)(void *arg, const struct torus_placement *place),
		    void *arg);

/* Return the links of a pod, or NULL if none is dead for this ask. */
static inline struct torus_link_map *state_links(const struct torus_state *s,
						 uint32_t pod, bool weak)
{
	struct torus_link_map *m = s->link_map[pod];

	return m && torus_link_map_any(m, weak) ? m : NULL;
}

/* Place a count over all pods. NEVER: not even if all nodes were usable. */
enum torus_answer state_spread(struct torus_state *s,
			       const struct torus_ask *ask,
			       const uint64_t *usable,
			       struct torus_placement *out);

/* Place several regions of a shape (several.c); explain why the empty machine
 * has no place for them. */
enum torus_answer state_find_several(const struct state_question *q,
				     struct torus_placement *out,
				     struct torus_error *why);
enum torus_answer state_several_never(const struct state_question *q,
				      struct torus_error *why);

/* Add a hold that its strategy's restored internal state contains already:
 * torus_state_commit() without calling the strategy's commit(). */
uint32_t torus_state_adopt(struct torus_state *s, const struct torus_hold *hold);

/* Append the first `pods` pods of a state with their holds (state_text.c). Return
 * -1 with ENOMEM. */
int state_text_save(const struct torus_state *s, uint32_t pods,
		    struct torus_text *text);

/* Return how many pods torus_state_save() writes: all but that of outside nodes. */
uint32_t state_text_pods(const struct torus_machine *m);

#endif
