/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes torus.yaml. A configuration that is accepted must be whole: every
 * name found at its place, the discipline set, the present nodes counted;
 * one that is refused must say why.
 */
#include <string.h>

#include "fuzz.h"
#include "torus/config.h"

static void check_pod(const struct torus_config *c, uint32_t p)
{
	const struct torus_pod *pod = &c->machine.pod[p];
	uint32_t n = 0;

	FUZZ_CHECK(pod->strategies >= 1);
	FUZZ_CHECK(pod->present_nodes >= 1);
	FUZZ_CHECK(torus_machine_named(&c->machine, pod->torus.name) == p);
	for (uint32_t i = 0; c->names[p] && i < pod->torus.nodes; i++) {
		const char *name = c->names[p][i];
		bool present = !pod->present || torus_bits_test(pod->present, i);

		FUZZ_CHECK(present == (name != NULL));
		if (!name)
			continue;
		n++;
		FUZZ_CHECK(torus_config_node(c, name) ==
			   torus_machine_bit(&c->machine, p, i));
	}
	FUZZ_CHECK(!c->names[p] || n == pod->present_nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct torus_error err = { 0 };
	struct torus_config *c = torus_config_parse("torus.yaml",
						    (const char *)data, size,
						    &err);

	if (!c) {
		FUZZ_CHECK(err.count > 0 && err.used > 0);
		return 0;
	}
	FUZZ_CHECK(err.count == 0);
	FUZZ_CHECK(c->scheduler.discipline != NULL);
	FUZZ_CHECK(c->machine.pods >= 1);
	for (uint32_t p = 0; p < c->machine.pods; p++)
		check_pod(c, p);
	torus_config_destroy(c);
	return 0;
}
