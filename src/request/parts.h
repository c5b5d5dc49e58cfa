/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers of the single options; request.c combines their results. */
#ifndef TORUS_REQUEST_PARTS_H
#define TORUS_REQUEST_PARTS_H

#include "torus/request.h"

/* One ALT as typed, with axes of 1. axes 0: a node count. */
struct geometry {
	uint32_t axes;
	uint32_t extent[TORUS_MAX_DIMS];
	uint32_t count;
	uint32_t regions;               /* 0: one */
	struct torus_box_limits limits; /* of a count */
	int64_t after_us;
};

/* Read a SPEC. Return the number of alternatives, or -1 with a line in err. */
int torus_geometry_parse(const char *spec,
			 struct geometry out[TORUS_MAX_ALTERNATIVES],
			 struct torus_error *err);

#define TORUS_MEANT_SIZE 128

/* Write what a refused SPEC meant, for "write ...". Return false if nothing that is
 * legal is near it. */
bool torus_geometry_meant(const char *spec, char out[TORUS_MEANT_SIZE]);

/* Write a shape or count, with E^1 for a single axis, since E alone is a count
 * (but one node is 1). */
int torus_geometry_format(const struct torus_ask *ask, char *buffer,
			  size_t size);

/* A --conn-type: one word for all axes, or a letter for each. */
struct connection {
	const char *typed;
	uint32_t letters; /* 0: a word */
	enum torus_connection word;
};

/* Return the word that another system's word means (ring, open), or NULL. */
const char *torus_connection_word(const char *typed);

/* Read the word or letters; NULL or "" is nav. -1 with a line in err. */
int torus_connection_parse(const char *typed, struct connection *out,
			   struct torus_error *err);

/*
 * Write an enum torus_connection to out for each axis of g as typed (for a count
 * only the first). -1 with a line in err if the number of letters is wrong.
 */
int torus_connection_apply(const struct connection *c, const struct geometry *g,
			   uint8_t *out, struct torus_error *err);

#endif
