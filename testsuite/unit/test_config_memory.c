/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading torus.yaml with the n-th allocation failing, for every n: the
 * answer is ENOMEM with a line that says so, nothing crashes, and what was
 * allocated is given back. Linked with --wrap=torus_alloc and
 * --wrap=torus_realloc. (A build with --enable-sanitizer=address shows leaks
 * with their place; the count here finds them in any build.)
 */
#include "failing.h"
#include "unit.h"

#include "torus/config.h"

static const char *const texts[] = {
	/* every kind of block */
	"toruses:\n"
	"- {name: a, dims: [4, 4, 4], nodes: 'n[00-63]', allow: [flat]}\n"
	"- {name: b, dims: [3, 3], absent: ['0,0'], nodes: 'm[1-8]'}\n"
	"- name: c\n"
	"  dims: {x: 2, y: 2, z: 2}\n"
	"  regions:\n"
	"  - {anchor: [0, 0, 0], dims: [2, 2, 1], nodes: 'q[1-4]'}\n"
	"- {name: d, flat: 300, nodes: 'f[1-300]'}\n"
	"scheduler: {discipline: fpfs, wait_limit: 1h}\n",
	/* mistakes everywhere */
	"toruses:\n"
	"- {name: a, dims: [4, 4, 4], nodes: 'n[00-62]', allow: [flat]}\n"
	"- {name: a, dims: [3, 0], absent: ['0,0'], nodes: 'n[1-8]'}\n"
	"- name: c\n"
	"  dims: {x: 2, y: 2, z: 2}\n"
	"  regions:\n"
	"  - {anchor: [0, 0, 0], dims: [2, 2, 1], nodes: 'q[1-4]'}\n"
	"  - {anchor: [1, 1, 0], dims: [1, 1, 1], nodes: 'q[4-5]'}\n"
	"scheduler: {discipline: esay}\n",
	"a: [1\n",
};

/* One reading; true if it met the failing allocation. */
static bool read_once(const char *text, long n)
{
	struct torus_error err = { 0 };
	struct torus_config *c;
	long before = blocks;
	bool met;

	fail_at = n;
	errno = 0;
	c = torus_config_parse("torus.yaml", text, strlen(text), &err);
	met = fail_at < 0;
	fail_at = -1;
	if (met && !c) {
		assert_int_equal(errno, ENOMEM);
		assert_non_null(strstr(err.text, "torus.yaml: out of memory"));
	}
	assert_false(met && c);
	torus_config_destroy(c);
	assert_int_equal(blocks, before);
	return met;
}

static void parsing_survives_each_failed_allocation(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		long n = 0;

		while (read_once(texts[i], n))
			n++;
		print_message("# text %zu: %ld allocations\n", i, n);
		assert_true(n > 1);
	}
}

static void machine_string_survives_each_failed_allocation(void **state)
{
	bool met = true;

	(void)state;
	for (long n = 0; met; n++) {
		struct torus_error err = { 0 };
		struct torus_config *c;
		long before = blocks;

		fail_at = n;
		errno = 0;
		c = torus_config_load("8x8x8", &err);
		met = fail_at < 0;
		fail_at = -1;
		assert_true(met == !c);
		if (!c) {
			assert_int_equal(errno, ENOMEM);
			assert_string_equal(err.text, "8x8x8: out of memory");
		}
		torus_config_destroy(c);
		assert_int_equal(blocks, before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing_survives_each_failed_allocation),
		cmocka_unit_test(machine_string_survives_each_failed_allocation),
	};

	return UNIT_RUN(tests);
}
