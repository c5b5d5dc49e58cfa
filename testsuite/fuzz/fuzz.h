/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a fuzz harness defines (libFuzzer calls it, and replay_corpus.c). */
#ifndef TESTSUITE_FUZZ_H
#define TESTSUITE_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A finding: unlike assert() it stays in every build. */
#define FUZZ_CHECK(x)                                                           \
	do {                                                                    \
		if (!(x)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); \
			abort();                                                \
		}                                                               \
	} while (0)

#endif
