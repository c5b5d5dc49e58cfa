/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers of the single options, put together by request.c. */
#ifndef TORUS_REQUEST_PARTS_H
#define TORUS_REQUEST_PARTS_H

#include "torus/request.h"

/* One ALT as typed: 1s are still there. axes 0: a node count. */
struct geometry {
	uint32_t axes;
	uint32_t extent[TORUS_MAX_DIMS];
	uint32_t count;
	uint32_t regions; /* 0: one */
	int64_t after_us;
};

/*
 * Read a SPEC. Returns the number of alternatives, or -1 with a line in err.
 * Without `ladder`, "," and "@" are refused by name.
 */
int torus_geometry_parse(const char *spec, bool ladder,
			 struct geometry out[TORUS_MAX_ALTERNATIVES],
			 struct torus_error *err);

/* Shape or count as text, with E^1 for a single axis: E alone is a count
 * (but one node is 1). */
int torus_geometry_format(const struct torus_ask *ask, char *buffer,
			  size_t size);

/* What --conn-type says: one word for all axes, or a letter for each. */
struct connection {
	const char *typed;
	uint32_t letters; /* 0: a word */
	enum torus_connection word;
};

/* Read the word or letters; NULL or "": nav. -1 with a line in err. */
int torus_connection_parse(const char *typed, struct connection *out,
			   struct torus_error *err);

/*
 * Write one enum torus_connection per axis of g as typed to out (the first
 * only for a count). -1 with a line in err if the letters do not match.
 */
int torus_connection_apply(const struct connection *c, const struct geometry *g,
			   uint8_t *out, struct torus_error *err);

#endif
