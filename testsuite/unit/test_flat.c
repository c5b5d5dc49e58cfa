/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `flat`: the lowest usable nodes, whatever lies between them. */
#include "torus/state_text.h"
#include "unit.h"

struct flat {
	struct torus t;
	void *self;
	uint64_t usable[4];
};

static struct flat flat_of(const char *machine)
{
	struct flat f = { .t = unit_torus(machine) };

	torus_bits_set_range(f.usable, 0, f.t.nodes);
	return f;
}

/* Ask; the answer's nodes as text, or the answer. */
static const char *ask_flat(struct flat *f, const struct torus_ask *ask)
{
	const struct torus_strategy *s = unit_strategy("flat");
	static char text[512];
	struct torus_text nodes = { 0 };
	struct torus_placement out = { 0 };
	struct torus_error why = { 0 };
	uint64_t before[4];
	enum torus_answer answer;

	memcpy(before, f->usable, sizeof(before));
	f->self = s->create(&f->t, NULL, &(struct torus_options){ 0 });
	assert_non_null(f->self);
	answer = s->find(f->self, ask, f->usable, &out, &why);
	assert_memory_equal(before, f->usable, sizeof(before));
	assert_int_equal(why.count, answer == TORUS_NEVER);
	snprintf(text, sizeof(text), "%s",
		 answer == TORUS_NEVER ? "never" : "not now");
	if (answer == TORUS_FITS) {
		assert_true(out.scattered);
		assert_int_equal(out.granted, torus_ask_nodes(ask));
		assert_int_equal(torus_bits_count(out.nodes,
						  torus_bits_words(f->t.nodes)),
				 out.granted);
		torus_nodes_format(&nodes, &f->t, out.nodes);
		snprintf(text, sizeof(text), "%s", nodes.data);
		torus_text_free(&nodes);
	}
	s->destroy(f->self);
	return text;
}

static const char *count_flat(struct flat *f, uint32_t n)
{
	struct torus_ask ask = unit_count(n, 'N');

	return ask_flat(f, &ask);
}

static void lowest_first(void **state)
{
	struct flat f = flat_of("flat:200");

	(void)state;
	assert_string_equal(count_flat(&f, 1), "torus:{0}");
	assert_string_equal(count_flat(&f, 200), "torus:{0-199}");
	assert_string_equal(count_flat(&f, 64), "torus:{0-63}");
	assert_string_equal(count_flat(&f, 65), "torus:{0-64}");
	torus_bits_clear_range(f.usable, 3, 5);
	torus_bits_clear(f.usable, 64);
	assert_string_equal(count_flat(&f, 4), "torus:{0-2,8}");
	assert_string_equal(count_flat(&f, 60), "torus:{0-2,8-63,65}");
	assert_string_equal(count_flat(&f, 194), "torus:{0-2,8-63,65-199}");
	assert_string_equal(count_flat(&f, 195), "not now");
	assert_string_equal(count_flat(&f, 200), "not now");
	assert_string_equal(count_flat(&f, 201), "never");
	assert_string_equal(count_flat(&f, UINT32_MAX), "never");
	torus_bits_zero(f.usable, 4);
	assert_string_equal(count_flat(&f, 1), "not now");
}

static void shapes_by_volume(void **state)
{
	struct flat f = flat_of("flat:64");
	struct torus_ask ask = unit_shape("4x4x2", NULL, true);

	(void)state;
	assert_string_equal(ask_flat(&f, &ask), "torus:{0-31}");
	ask = unit_shape("4x4x2", "MNM", true);
	assert_string_equal(ask_flat(&f, &ask), "torus:{0-31}");
	ask = unit_shape("2x2x2", "TTT", true); /* rings of two are lines */
	assert_string_equal(ask_flat(&f, &ask), "torus:{0-7}");
	ask = unit_shape("4x4x2", "NTN", true);
	assert_string_equal(ask_flat(&f, &ask), "never");
	ask = unit_count(3, 'T');
	assert_string_equal(ask_flat(&f, &ask), "never");
	ask = unit_shape("65536x65536x65536x65536", NULL, true);
	assert_string_equal(ask_flat(&f, &ask), "never");
}

/* A machine with topology: it is ignored. */
static void on_a_torus(void **state)
{
	struct flat f = flat_of("4x4x4:TMM");

	(void)state;
	torus_bits_clear_range(f.usable, 1, 2);
	assert_string_equal(count_flat(&f, 3), "torus:{0,3-4}");
}

static void takes_no_options(void **state)
{
	const struct torus_strategy *s = unit_strategy("flat");
	struct torus_options options = { .used = 1 };
	struct torus t = unit_torus("flat:8");
	struct torus_error err = { 0 };

	(void)state;
	strcpy(options.item[0].key, "choice");
	strcpy(options.item[0].value, "lowest");
	assert_int_equal(torus_strategy_supports(s, &t, &options, &err), -1);
	assert_non_null(strstr(err.text, "choice"));
	options.used = 0;
	assert_int_equal(torus_strategy_supports(s, &t, &options, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lowest_first),
		cmocka_unit_test(shapes_by_volume),
		cmocka_unit_test(on_a_torus),
		cmocka_unit_test(takes_no_options),
	};

	return UNIT_RUN(tests);
}
