/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine of several toruses for harnesses: one whose trees are remembered, a
 * mesh with busy lists, and nodes of no shape. */
#ifndef TESTSUITE_FUZZ_MACHINE_H
#define TESTSUITE_FUZZ_MACHINE_H

#include <string.h>

#include "fuzz.h"
#include "torus/config.h"

#define FUZZ_WORDS 4 /* of its bitmaps, at most */

static inline struct torus_config *fuzz_machine(void)
{
	static const char yaml[] =
		"toruses:\n"
		"  - {name: a, dims: [4, 4], nodes: 'n[0-15]', strategy: semitorus-nep}\n"
		"  - {name: b, dims: [3, 2], wrap: [false, false], nodes: 'm[0-5]', strategy: submesh-tbl}\n"
		"  - {name: c, dims: [5], nodes: 'f[0-4]', strategy: flat}\n";
	struct torus_error err = { 0 };
	struct torus_config *config = torus_config_parse("fuzz", yaml,
							 strlen(yaml), &err);

	if (!config)
		fprintf(stderr, "%s\n", err.text);
	FUZZ_CHECK(config);
	return config;
}

/* With a NUL behind it; the caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
