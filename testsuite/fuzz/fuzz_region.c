/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the texts of placements: regions and nodes, orientations, holds. Input:
 * one text, tried as each of them. What is accepted reads back from what is
 * written of it; what is refused has a reason.
 */
#include "torus/state_text.h"
#include "fuzz_machine.h"

#define WORDS 8

static void region(const struct torus *t, const char *text)
{
	char again[TORUS_REGION_SIZE];
	uint64_t nodes[WORDS], more[WORDS];
	struct torus_error err = { 0 };
	struct torus_region r, second;
	struct torus_text list = { 0 };
	bool scattered, too;

	if (torus_region_parse(&r, &scattered, nodes, t, text, &err)) {
		FUZZ_CHECK(err.count > 0);
		return;
	}
	if (scattered) {
		FUZZ_CHECK(torus_nodes_format(&list, t, nodes) == 0);
		FUZZ_CHECK(torus_region_parse(&second, &too, more, t, list.data,
					      &err) == 0);
		FUZZ_CHECK(too && more[0] == nodes[0]);
		torus_text_free(&list);
		return;
	}
	FUZZ_CHECK(torus_region_check(&r, t, NULL) == 0);
	torus_region_format(&r, t, again, sizeof(again));
	FUZZ_CHECK(torus_region_parse(&second, &too, more, t, again, &err) == 0);
	FUZZ_CHECK(!too && torus_region_equal(&r, &second, t));
}

static void orientation(const struct torus *t, const char *text)
{
	char first[TORUS_ORIENTATION_SIZE], again[TORUS_ORIENTATION_SIZE];
	struct torus_orientation o, second;
	struct torus_error err = { 0 };

	if (torus_orientation_parse(&o, t, text, &err)) {
		FUZZ_CHECK(err.count > 0);
		return;
	}
	torus_orientation_format(&o, t, first, sizeof(first));
	FUZZ_CHECK(torus_orientation_parse(&second, t, first, &err) == 0);
	torus_orientation_format(&second, t, again, sizeof(again));
	FUZZ_CHECK(strcmp(first, again) == 0);
}

static void hold(const struct torus_machine *m, const char *given)
{
	char *text = strdup(given);
	uint64_t nodes[WORDS], more[WORDS];
	struct torus_regions regions[2];
	const struct torus_placement_room room = { .nodes = nodes,
						   .regions = &regions[0] };
	const struct torus_placement_room again_room = {
		.nodes = more, .regions = &regions[1]
	};
	struct torus_text first = { 0 }, again = { 0 };
	struct torus_error err = { 0 };
	struct torus_hold h, second;

	FUZZ_CHECK(text);
	if (torus_hold_parse(m, text, &h, &room, &err)) {
		FUZZ_CHECK(err.count > 0);
	} else {
		FUZZ_CHECK(torus_hold_format(m, &h, &first) == 0);
		FUZZ_CHECK(torus_text_add(&again, "%s", first.data) == 0);
		FUZZ_CHECK(torus_hold_parse(m, again.data, &second, &again_room,
					    &err) == 0);
		again.length = 0;
		FUZZ_CHECK(torus_hold_format(m, &second, &again) == 0);
		FUZZ_CHECK(strcmp(first.data, again.data) == 0);
	}
	torus_text_free(&first);
	torus_text_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct torus_config *config = fuzz_machine();
	const struct torus_machine *m = &config->machine;
	char *text = fuzz_text(data, size);

	FUZZ_CHECK(m->words <= WORDS);
	for (uint32_t p = 0; p < m->pods; p++) {
		region(&m->pod[p].torus, text);
		orientation(&m->pod[p].torus, text);
	}
	hold(m, text);
	free(text);
	torus_config_destroy(config);
	return 0;
}
