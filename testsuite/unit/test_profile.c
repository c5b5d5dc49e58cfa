/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Availability over time: giving and taking nodes between two times. */
#include "unit.h"

#include "planning/profile.h"

/* "t:map t:map ..." of a one-word profile, in a static buffer. */
static const char *show(const struct torus_profile *p)
{
	static char text[512];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < p->spans; i++) {
		uint64_t map = torus_profile_map(p, i)[0];

		assert_int_equal(p->span[i].usable, torus_bits_count(&map, 1));
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%lld:%llx", i ? " " : "",
					 (long long)p->span[i].from_us,
					 (unsigned long long)map);
	}
	return text;
}

struct move {
	bool give;
	int64_t from, to;
	uint64_t map;
	bool twice; /* what take() should say */
	const char *then;
};

static const struct move moves[] = {
	{ true, 20, INT64_MAX, 0x30, false, "10:f 20:3f" },
	{ false, 12, 25, 0x3, false, "10:f 12:c 20:3c 25:3f" },
	{ false, 12, 20, 0xc, false, "10:f 12:0 20:3c 25:3f" },
	/* nothing between equal times, nor before the beginning */
	{ true, 15, 15, 0xff, false, "10:f 12:0 20:3c 25:3f" },
	{ true, 0, 10, 0xff, false, "10:f 12:0 20:3c 25:3f" },
	/* what is the same before and after is one span */
	{ true, 12, 20, 0x30, false, "10:f 12:30 20:3c 25:3f" },
	{ true, 12, 15, 0xc, false, "10:f 12:3c 15:30 20:3c 25:3f" },
	{ true, 15, 20, 0xc, false, "10:f 12:3c 25:3f" },
	{ true, 15, 15, 0xff, false, "10:f 12:3c 25:3f" },
	{ false, 15, 18, 0x30, false, "10:f 12:3c 15:c 18:3c 25:3f" },
	{ true, 15, 18, 0x30, false, "10:f 12:3c 25:3f" },
	{ false, 12, 25, 0x30, false, "10:f 12:c 25:3f" },
	/* from before the beginning */
	{ false, 5, 12, 0x1, false, "10:e 12:c 25:3f" },
	/* what is not there, wholly or in part, is taken twice */
	{ false, 12, 15, 0x3, true, "10:e 12:c 25:3f" },
	{ false, 12, 20, 0x6, true, "10:e 12:8 20:c 25:3f" },
	/* giving what is there already changes no count */
	{ true, 12, 15, 0xc, false, "10:e 12:c 15:8 20:c 25:3f" },
	{ false, 25, INT64_MAX, 0x3f, false, "10:e 12:c 15:8 20:c 25:0" },
	/* as many nodes, but not the same */
	{ true, 25, INT64_MAX, 0x3, false, "10:e 12:c 15:8 20:c 25:3" },
};

static void given_and_taken_nodes_move_between_spans(void **state)
{
	struct torus_profile p = { 0 };
	uint64_t begin = 0xf;

	(void)state;
	assert_int_equal(torus_profile_begin(&p, 1, 10, &begin), 0);
	assert_string_equal(show(&p), "10:f");
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		const struct move *m = &moves[i];
		bool twice = false;

		if (m->give)
			torus_profile_give(&p, m->from, m->to, &m->map);
		else
			torus_profile_take(&p, m->from, m->to, &m->map, &twice);
		assert_string_equal(show(&p), m->then);
		assert_int_equal(twice, m->twice);
	}
	torus_profile_free(&p);
}

/* Which spans have gained nodes, and when. */
static void gained_nodes_are_reported_with_their_spans(void **state)
{
	struct torus_profile p = { 0 };
	uint64_t begin = 0x3, other = 0xc, stamp;
	bool twice = false;

	(void)state;
	assert_int_equal(torus_profile_begin(&p, 1, 10, &begin), 0);
	stamp = p.stamp;
	assert_int_equal(p.span[0].gained, stamp);
	/* taking and giving nothing is no gain */
	torus_profile_take(&p, 20, 40, &begin, &twice);
	torus_profile_give(&p, 30, 30, &other);
	assert_int_equal(p.stamp, stamp);
	assert_string_equal(show(&p), "10:3 20:0 40:3");
	torus_profile_give(&p, 30, 50, &other);
	assert_string_equal(show(&p), "10:3 20:0 30:c 40:f 50:3");
	assert_true(p.stamp > stamp);
	assert_int_equal(p.span[1].gained, stamp);
	assert_int_equal(p.span[2].gained, p.stamp);
	assert_int_equal(p.span[3].gained, p.stamp);
	assert_int_equal(p.span[4].gained, stamp);
	/* both parts of what is split have; and what is joined */
	torus_profile_take(&p, 35, 40, &other, &twice);
	torus_profile_take(&p, 40, 45, &other, &twice);
	assert_string_equal(show(&p), "10:3 20:0 30:c 35:0 40:3 45:f 50:3");
	assert_int_equal(p.span[3].gained, p.stamp);
	assert_int_equal(p.span[5].gained, p.stamp);
	torus_profile_take(&p, 45, 50, &other, &twice);
	assert_string_equal(show(&p), "10:3 20:0 30:c 35:0 40:3");
	assert_int_equal(p.span[4].gained, p.stamp);
	assert_false(twice);
	/* a profile begun again is new, all of it */
	stamp = p.stamp;
	assert_int_equal(torus_profile_begin(&p, 1, 10, &begin), 0);
	assert_true(p.span[0].gained > stamp);
	torus_profile_free(&p);
}

static void a_time_is_found_in_its_span(void **state)
{
	static const int64_t times[][2] = {
		/* t, span */
		{ INT64_MIN, 0 }, { 9, 0 },  { 10, 0 }, { 11, 0 },
		{ 20, 1 },        { 29, 1 }, { 30, 2 }, { INT64_MAX, 2 },
	};
	struct torus_profile p = { 0 };
	uint64_t none = 0, map = 1;

	(void)state;
	assert_int_equal(torus_profile_begin(&p, 1, 10, &none), 0);
	torus_profile_give(&p, 20, 30, &map);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_int_equal(torus_profile_at(&p, times[i][0]), times[i][1]);
	torus_profile_free(&p);
}

/* Spans that are over go, and their bitmaps are used again. */
static void past_spans_are_freed(void **state)
{
	struct torus_profile p = { 0 };
	uint64_t map[3] = { 0, 0, 1 }, *maps;
	uint32_t room;

	(void)state;
	assert_int_equal(torus_profile_begin(&p, 3, 0, map), 0);
	room = p.room;
	maps = p.maps;
	for (int64_t t = 1; t < 1000; t++) {
		map[0] = (uint64_t)t;
		torus_profile_give(&p, t, t + 1, map);
		torus_profile_forward(&p, t);
		assert_int_equal(p.spans, 2);
		assert_int_equal(p.span[0].from_us, t);
		assert_int_equal(torus_profile_map(&p, 0)[0], t);
		assert_int_equal(torus_profile_map(&p, 1)[0], 0);
	}
	assert_int_equal(p.room, room);
	assert_ptr_equal(p.maps, maps);
	/* the last span never ends */
	torus_profile_forward(&p, INT64_MAX);
	assert_int_equal(p.spans, 1);
	assert_int_equal(torus_profile_map(&p, 0)[2], 1);
	torus_profile_free(&p);
}

/* More spans than there is room for at first. */
static void a_profile_grows_beyond_its_first_room(void **state)
{
	struct torus_profile p = { 0 };
	uint64_t none = 0, one = 1;

	(void)state;
	assert_int_equal(torus_profile_begin(&p, 1, 0, &none), 0);
	for (int64_t t = 999; t > 0; t -= 2)
		assert_int_equal(torus_profile_give(&p, t, t + 1, &one), 0);
	assert_int_equal(p.spans, 1001);
	for (uint32_t i = 0; i < p.spans; i++) {
		assert_int_equal(p.span[i].from_us, i);
		assert_int_equal(torus_profile_map(&p, i)[0], i % 2);
	}
	/* begun again, it is one span */
	assert_int_equal(torus_profile_begin(&p, 1, 7, &one), 0);
	assert_string_equal(show(&p), "7:1");
	torus_profile_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_and_taken_nodes_move_between_spans),
		cmocka_unit_test(gained_nodes_are_reported_with_their_spans),
		cmocka_unit_test(a_time_is_found_in_its_span),
		cmocka_unit_test(past_spans_are_freed),
		cmocka_unit_test(a_profile_grows_beyond_its_first_room),
	};

	return UNIT_RUN(tests);
}
