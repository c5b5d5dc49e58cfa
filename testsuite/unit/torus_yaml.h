/* SPDX-License-Identifier: GPL-2.0-or-later */
/* torus.yaml from a text of the test. */
#ifndef TESTSUITE_TORUS_YAML_H
#define TESTSUITE_TORUS_YAML_H

#include "torus/config.h"
#include "unit.h"

/* A file without a mistake, for others to add one. */
#define WHOLE "toruses:\n- {name: a, dims: [4, 4], nodes: 'n[0-15]'}\n"

UNIT_HELPER struct torus_config *parse(const char *text, struct torus_error *err)
{
	return torus_config_parse("torus.yaml", text, strlen(text), err);
}

UNIT_HELPER struct torus_config *parse_good(const char *text)
{
	struct torus_error err = { 0 };
	struct torus_config *c = parse(text, &err);

	assert_string_equal(err.text, "");
	assert_non_null(c);
	return c;
}

#endif
