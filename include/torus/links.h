/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links that are not healthy. A link joins a vertex to its + neighbour along
 * one dimension:
 *
 *     o---o-x-o---o---     the link 1 along dimension 0 is down: x joins the
 *     0   1   2   3        vertices 1 and 2; the last one closes the ring
 *
 * An open dimension has one link fewer than vertices, a wrapped one as many:
 * two where it has two vertices, none where it has one.
 */
#ifndef TORUS_LINKS_H
#define TORUS_LINKS_H

#include "torus/torus.h"

enum torus_link_health {
	TORUS_LINK_UP,
	TORUS_LINK_WEAK, /* as down, but for jobs that accept weak links */
	TORUS_LINK_DOWN,
};

struct torus_link {
	uint32_t pod;    /* which torus of the machine */
	uint32_t vertex; /* torus_vertex_index() */
	uint8_t dim;
	uint8_t health; /* enum torus_link_health */
};

/* By pod, vertex and dimension, each link once, none of them up. Zeroed:
 * empty. */
struct torus_link_list {
	struct torus_link *link;
	uint32_t count, room;
};

/* Return the index of a vertex, the first dimension fastest; set its
 * coordinates. Coordinates have TORUS_MAX_DIMS entries, in vertices; entries
 * from dims on are 0. */
uint32_t torus_vertex_index(const struct torus *t, const uint32_t *coord);
void torus_vertex_coord(const struct torus *t, uint32_t vertex, uint32_t *coord);

/* Return true if the vertex has a + neighbour other than itself along the
 * dimension. */
bool torus_link_exists(const struct torus *t, const uint32_t *coord,
		       uint32_t dim);

/* Return <0, 0 or >0 if a comes before b in a list, is the same link, or comes
 * after b. */
int torus_link_compare(const struct torus_link *a, const struct torus_link *b);

/* Return the link's entry in the list, or NULL. O(log count). */
const struct torus_link *torus_link_find(const struct torus_link_list *list,
					 const struct torus_link *link);

/* Set the health of a link in the list; a link that is up is removed. 0, or -1
 * with ENOMEM. */
int torus_link_list_set(struct torus_link_list *list,
			const struct torus_link *link);

/* Make `to` a copy. 0, or -1 with ENOMEM and `to` unchanged. */
int torus_link_list_copy(struct torus_link_list *to,
			 const struct torus_link_list *from);
bool torus_link_list_equal(const struct torus_link_list *a,
			   const struct torus_link_list *b);
void torus_link_list_free(struct torus_link_list *list);

/* Write a link as in a links file: "pod0:2,0,4 1". Return the length, as
 * snprintf(). */
#define TORUS_LINK_SIZE 160
int torus_link_format(const struct torus_link *link, const struct torus *t,
		      char *buffer, size_t size);

/* Return "up", "weak" or "down". */
const char *torus_link_health_name(enum torus_link_health health);

#endif
