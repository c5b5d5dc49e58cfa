/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test needs: cmocka and short ways to toruses, asks and
 * machines. Failures to set up are test failures. */
#ifndef TESTSUITE_UNIT_H
#define TESTSUITE_UNIT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/state_text.h"
#include "torus/request.h"
#include "torus/state.h"

/* Silences "unused" where a program needs only some of the helpers. */
#define UNIT_HELPER static inline __attribute__((unused))

/* How many rows a table has. */
#define UNIT_ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define UNIT_RUN(tests)                                                        \
	(cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :            \
						     EXIT_SUCCESS)

/* Two requests are the same; only the alternatives that there are have contents. */
UNIT_HELPER void unit_same_request(const struct torus_request *a,
				   const struct torus_request *b)
{
	assert_int_equal(a->alternatives, b->alternatives);
	assert_int_equal(a->rotate, b->rotate);
	assert_memory_equal(a->alternative, b->alternative,
			    a->alternatives * sizeof(*a->alternative));
}

UNIT_HELPER struct torus unit_torus(const char *string)
{
	struct torus_error err = { 0 };
	struct torus t;

	if (torus_parse(&t, string, &err))
		fail_msg("%s: %s", string, err.text);
	return t;
}

/* A shape from text 4x4x2; letters (T, M, N per axis) may be NULL. */
UNIT_HELPER struct torus_ask unit_shape(const char *text, const char *letters,
					bool rotate)
{
	struct torus_ask ask = { .rotate = rotate, .end_us = INT64_MAX };
	char *end;

	for (const char *p = text;; p = end + 1) {
		uint32_t a = ask.shape.axes++;

		ask.shape.extent[a] = (uint32_t)strtoul(p, &end, 10);
		if (letters)
			ask.connection[a] = letters[a] == 'T' ?
						    TORUS_CONN_TORUS :
					    letters[a] == 'M' ?
						    TORUS_CONN_MESH :
						    TORUS_CONN_NAV;
		if (*end != 'x')
			return ask;
	}
}

UNIT_HELPER struct torus_ask unit_count(uint32_t n, char letter)
{
	struct torus_ask ask = { .by_count = true,
				 .rotate = true,
				 .count = n,
				 .end_us = INT64_MAX };

	ask.connection[0] = letter == 'T' ? TORUS_CONN_TORUS :
			    letter == 'M' ? TORUS_CONN_MESH :
					    TORUS_CONN_NAV;
	return ask;
}

UNIT_HELPER const struct torus_strategy *unit_strategy(const char *name)
{
	const struct torus_strategy *s = torus_strategy_find(name);

	assert_non_null(s);
	return s;
}

/* Append a pod to a machine (zeroed: the first one), called `name`. */
UNIT_HELPER void unit_pod(struct torus_machine *m, const char *name,
			  const char *string, const char *strategy,
			  const uint64_t *present)
{
	struct torus t = unit_torus(string);
	struct torus_error err = { 0 };

	snprintf(t.name, sizeof(t.name), "%s", name);
	if (torus_machine_add(m, &t, present, unit_strategy(strategy), NULL,
			      &err))
		fail_msg("%s: %s", string, err.text);
}

UNIT_HELPER struct torus_machine unit_machine(const char *string,
					      const char *strategy)
{
	struct torus_machine m = { 0 };

	unit_pod(&m, "torus", string, strategy, NULL);
	return m;
}

/* A state of the machine from what another saved. */
UNIT_HELPER struct torus_state *unit_restored(const struct torus_machine *m,
					      const char *text)
{
	struct torus_state *s = torus_state_create(m);

	assert_non_null(s);
	assert_int_equal(torus_state_restore(s, text, NULL), 0);
	return s;
}

/* The text of a placement's region, in a static buffer. */
UNIT_HELPER const char *unit_region(const struct torus *t,
				    const struct torus_placement *place)
{
	static char text[TORUS_REGION_SIZE];

	assert_false(place->scattered);
	torus_region_format(&place->region, t, text, sizeof(text));
	return text;
}

UNIT_HELPER const char *unit_orientation(const struct torus *t,
					 const struct torus_orientation *o)
{
	static char text[TORUS_ORIENTATION_SIZE];

	torus_orientation_format(o, t, text, sizeof(text));
	return text;
}

/* Set (or clear) a region given as text in a bitmap. */
UNIT_HELPER void unit_paint(const struct torus *t, const char *text, bool set,
			    uint64_t *map)
{
	struct torus_error err = { 0 };
	struct torus_region r;
	uint64_t *nodes = calloc(torus_bits_words(t->nodes), sizeof(*nodes));
	bool scattered;

	assert_non_null(nodes);
	if (torus_region_parse(&r, &scattered, nodes, t, text, &err))
		fail_msg("%s", err.text);
	if (!scattered)
		torus_region_paint(&r, t, nodes);
	if (set)
		torus_bits_or(map, nodes, torus_bits_words(t->nodes));
	else
		torus_bits_andnot(map, nodes, torus_bits_words(t->nodes));
	free(nodes);
}

#endif
