/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who holds which node on a map: alone, shared; and its drawing. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/map.h"
#include "torus/machine.h"
#include "torus/strategy.h"

struct fixture {
	struct torus_machine machine;
	struct report_map map;
	uint64_t *nodes;
};

/* A mesh of 4x2. */
static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct torus_error err = { 0 };
	struct torus t;

	assert_non_null(f);
	assert_int_equal(torus_parse(&t, "4x2:MM", &err), 0);
	assert_int_equal(torus_machine_init(&f->machine, &t,
					    torus_strategy_find("submesh"),
					    NULL, &err),
			 0);
	assert_int_equal(report_map_init(&f->map, &f->machine), 0);
	f->nodes = calloc(f->machine.words, sizeof(*f->nodes));
	assert_non_null(f->nodes);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	report_map_free(&f->map);
	torus_machine_free(&f->machine);
	free(f->nodes);
	free(f);
	return 0;
}

typedef int add_fn(struct report_map *map, const struct report_map_job *job,
		   const uint64_t *nodes);

static int add(struct fixture *f, add_fn *how, const char *id, uint64_t nodes)
{
	struct report_map_job job = { .nodes = torus_bits_count(&nodes, 1) };

	snprintf(job.id, sizeof(job.id), "%s", id);
	f->nodes[0] = nodes;
	return how(&f->map, &job, f->nodes);
}

static char *drawn(const struct fixture *f)
{
	static const struct report_map_style plain = { .columns = 80 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(report_map_text(&f->map, &plain, out), 0);
	fclose(out);
	return text;
}

static void a_shared_node_is_drawn_as_shared(void **state)
{
	struct fixture *f = *state;
	char *text;

	assert_int_equal(add(f, report_map_add, "first", 0x0f), 0);
	assert_int_equal(add(f, report_map_add, "second", 0x3c), 1);
	assert_int_equal(add(f, report_map_add, "third", 0x04), 2);
	assert_int_equal(f->map.cell[1], 1);
	assert_int_equal(f->map.cell[2], REPORT_MAP_SHARED);
	assert_int_equal(f->map.cell[4], 2);
	text = drawn(f);
	assert_non_null(strstr(text, "AA++\nBB..\n"));
	assert_non_null(
		strstr(text,
		       "3 jobs; 6 nodes busy, 2 of them shared (+), 2 idle"));
	assert_non_null(strstr(text, "A  first"));
	assert_non_null(strstr(text, "B  second"));
	assert_non_null(strstr(text, "C  third"));
	free(text);
}

/* Cells that nobody held: out of service, and without a node. */
static void no_holder(void **state)
{
	struct fixture *f = *state;

	f->map.cell[0] = REPORT_MAP_DOWN;
	f->map.cell[1] = REPORT_MAP_ABSENT;
	assert_int_equal(add(f, report_map_add, "job", 0x03), 0);
	assert_int_equal(f->map.cell[0], 1);
	assert_int_equal(f->map.cell[1], REPORT_MAP_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_shared_node_is_drawn_as_shared,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_holder, set_up, tear_down),
	};

	return UNIT_RUN(tests);
}
