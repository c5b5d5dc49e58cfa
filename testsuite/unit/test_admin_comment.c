/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our word in AdminComment: among others' words, written, read, taken out. */
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "unit.h"

#include "format/admin_comment.h"
#include "torus/regions.h"

static uint64_t room_nodes[16];
static struct torus_regions room_regions;
static const struct torus_placement_room room = { .nodes = room_nodes,
						  .regions = &room_regions };

static const struct {
	const char *comment, *rest; /* rest NULL: there is no mark */
} comments[] = {
	{ "torus:place=pod0:0,0+2x2;ring=TT", "" },
	{ "ticket torus:place=pod0:0,0+2x2", "ticket" },
	{ "torus:place=pod0:0,0+2x2 ticket", "ticket" },
	{ "a b torus:place=x;y=z c d", "a b c d" },
	{ "a  torus:place=x  b", "a   b" },
	{ "torus:place=", "" },
	{ "", NULL },
	{ "ticket", NULL },
	{ "xtorus:place=pod0:0,0+2x2", NULL },
	{ "torus:ask=4x4 torus:other", NULL },
	{ "torus:place", NULL },
};

static void found_and_taken_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(comments) / sizeof(*comments); i++) {
		const char *comment = comments[i].comment;
		bool has = comments[i].rest != NULL;
		char rest[64];

		assert_int_equal(has, admin_comment_entry(comment,
							  ADMIN_COMMENT_PLACE) !=
					      NULL);
		snprintf(rest, sizeof(rest), "%s", comment);
		admin_comment_remove(rest, ADMIN_COMMENT_PLACE);
		assert_string_equal(rest, has ? comments[i].rest : comment);
	}
	assert_null(admin_comment_entry(NULL, ADMIN_COMMENT_PLACE));
	admin_comment_remove(NULL, ADMIN_COMMENT_PLACE);
}

/* Where the machine would put it, written and read back. */
static struct torus_placement place_of(const struct torus_machine *m,
				       struct torus_ask ask,
				       const char *strategy)
{
	struct torus_state *s = torus_state_create(m);
	struct torus_placement place = { 0 };

	assert_non_null(s);
	ask.strategy = strategy;
	assert_int_equal(torus_state_find(s, &ask, &place, NULL), TORUS_FITS);
	torus_state_destroy(s);
	return place;
}

static void written_and_read(void **state)
{
	struct torus_machine m = unit_machine("8x4x4:TTM", "submesh");
	struct torus_placement place, back;
	struct torus_text text = { 0 };

	(void)state;
	place = place_of(&m, unit_shape("3x4", NULL, false), NULL);
	assert_int_equal(admin_comment_write(&m, &place, &text), 0);
	assert_string_equal(text.data,
			    "torus:place=torus:0,0,0+3x4x1;orientation=0,1,-;ring=MT");
	assert_int_equal(admin_comment_read(text.data, &m, &room, &back), 0);
	assert_true(torus_region_equal(&place.region, &back.region,
				       &m.pod[0].torus));
	assert_int_equal(back.granted, 12);
	assert_int_equal(back.strategy, 0);
	assert_int_equal(back.axes, 2);
	assert_int_equal(back.ring, place.ring);
	assert_memory_equal(back.orientation.axis, place.orientation.axis,
			    m.pod[0].torus.dims);
	torus_text_free(&text);
	torus_machine_free(&m);
}

/* Of several regions each ring, those that dead links opened among them. */
static void several_written_and_read(void **state)
{
	static const char *const mark[] = {
		"torus:place=torus:0,0+8x2,torus:0,2+8x2;orientation=0,1;ring=TT/MT",
		"torus:place=torus:0,0+8x2,torus:0,2+8x2;orientation=0,1;ring=MT",
		"torus:place=torus:0,0+8x1,torus:3,1+8x1;orientation=0,-;ring=T/M",
		"torus:place=torus:0,0+2x3,torus:2,0+3x2;orientation=0,1/1,0;ring=TM;strategy=submesh",
	};
	static const char *const wrong[] = {
		"torus:place=torus:0,0+8x2,torus:0,2+8x2;orientation=0,1;ring=TT/MT/TT",
		"torus:place=torus:0,0+8x2,torus:0,2+8x2;orientation=0,1;ring=TT/M",
		"torus:place=torus:0,0+8x2,torus:0,2+8x2;orientation=0,1;ring=T",
		"torus:place=torus:0,0+8x2,torus:0,2+8x2;orientation=0,1;ring=TX",
		"torus:place=torus:0,0+8x2,torus:0,2+8x2;orientation=0,1;ring=",
		"torus:place=torus:0,0+8x2,torus:0,2+8x2;orientation=0,1;ring=TTTTTTTTT",
		"torus:place=torus:0,0+8x2,torus:0,2+8x2;ring=TT",
		"torus:place=torus:0,0+8x2,torus:0,1+8x2;orientation=0,1;ring=TT",
		"torus:place=torus:0,0+8x2,other:0,2+8x2;orientation=0,1;ring=TT",
	};
	struct torus_machine m = unit_machine("8x4", "submesh");
	struct torus_placement place;

	(void)state;
	for (size_t i = 0; i < sizeof(mark) / sizeof(*mark); i++) {
		struct torus_text text = { 0 };

		assert_int_equal(admin_comment_read(mark[i], &m, &room, &place),
				 0);
		assert_int_equal(place.granted,
				 torus_bits_count(room_nodes, m.words));
		assert_int_equal(admin_comment_write(&m, &place, &text), 0);
		/* a default strategy is not written */
		assert_int_equal(strncmp(mark[i], text.data, text.length), 0);
		assert_true(strlen(mark[i]) == text.length || i == 3);
		torus_text_free(&text);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(admin_comment_read(wrong[i], &m, &room, &place),
				 -1);
	torus_machine_free(&m);
}

/* The longest: 64 regions, turned and ringed each in its own way. */
static void most_regions(void **state)
{
	struct torus_machine m = unit_machine("16x16x2", "submesh");
	struct torus_regions all = { .count = TORUS_MAX_REGIONS };
	uint64_t nodes[8];
	struct torus_text text = { 0 }, again = { 0 };
	struct torus_placement place;

	(void)state;
	for (uint32_t i = 0; i < all.count; i++) {
		struct torus_region_item *item = &all.item[i];

		torus_region_whole(&item->region, &m.pod[0].torus);
		item->region.base[0] = i % 8 * 2;
		item->region.base[1] = i / 8 * 2;
		item->region.extent[0] = item->region.extent[1] = 2;
		item->region.extent[2] = 1;
		memset(item->orientation.axis, -1,
		       sizeof(item->orientation.axis));
		item->orientation.axis[0] = (int8_t)(i & 1);
		item->orientation.axis[1] = (int8_t)(~i & 1);
		item->ring = i % 3;
	}
	place = torus_regions_place(&m, &all, nodes);
	assert_int_equal(admin_comment_write(&m, &place, &text), 0);
	assert_true(text.length > 1024);
	assert_int_equal(admin_comment_read(text.data, &m, &room, &place), 0);
	assert_int_equal(admin_comment_write(&m, &place, &again), 0);
	assert_string_equal(text.data, again.data);
	torus_text_free(&text);
	torus_text_free(&again);
	torus_machine_free(&m);
}

/* What is read back can be saved and restored, whatever it said of axes. */
static void read_and_saved(void **state)
{
	static const char *const mark[] = {
		"torus:place=torus:0,0,0+3x4x1;orientation=0,1,-;ring=MT",
		"torus:place=torus:0,0,0+3x4x1",
		"torus:place=torus:0,0,0+3x4x1;orientation=0,7,-;ring=MT",
		"torus:place=torus:0,0,0+3x4x1;orientation=0,1,-;ring=M",
		"torus:place=torus:0,0,0+3x4x1;orientation=;ring=",
	};
	struct torus_machine m = unit_machine("8x4x4:TTM", "submesh");

	(void)state;
	for (size_t i = 0; i < sizeof(mark) / sizeof(*mark); i++) {
		struct torus_state *s = torus_state_create(&m);
		struct torus_text text = { 0 };
		struct torus_placement place;

		assert_non_null(s);
		assert_int_equal(admin_comment_read(mark[i], &m, &room, &place),
				 0);
		assert_int_not_equal(torus_state_commit(s, &place, 7, NULL, 0,
							1, NULL),
				     TORUS_NO_SLOT);
		assert_int_equal(torus_state_save(s, &text), 0);
		torus_state_destroy(s);
		s = unit_restored(&m, text.data);
		assert_int_equal(torus_state_holds(s), 1);
		torus_state_destroy(s);
		torus_text_free(&text);
	}
	torus_machine_free(&m);
}

static void another_strategy_and_pod(void **state)
{
	struct torus_machine m = { 0 };
	struct torus_placement place, back;
	struct torus_text text = { 0 };

	(void)state;
	unit_pod(&m, "a", "2x2", "submesh", NULL);
	unit_pod(&m, "b", "4x4", "submesh", NULL);
	assert_int_equal(torus_machine_allow(&m, 1, unit_strategy("submesh-ff"),
					     NULL),
			 0);
	place = place_of(&m, unit_shape("4x2", NULL, false), "submesh-ff");
	assert_int_equal(admin_comment_write(&m, &place, &text), 0);
	assert_string_equal(
		text.data,
		"torus:place=b:0,0+4x2;orientation=0,1;ring=TT;strategy=submesh-ff");
	assert_int_equal(admin_comment_read(text.data, &m, &room, &back), 0);
	assert_int_equal(back.pod, 1);
	assert_int_equal(back.strategy, 1);
	torus_text_free(&text);
	torus_machine_free(&m);
}

/* 2x32: both rows, every 16th column; 8 neighbours hold 2 of 32 each. */
static void contention_counts_the_shared_lines_of_neighbours(void **state)
{
	struct torus_machine m = unit_machine("2x32", "subtorus");
	struct torus_state *s = torus_state_create(&m);
	struct torus_placement place = { .granted = 4 };
	struct torus_text text = { 0 };

	(void)state;
	torus_region_whole(&place.region, &m.pod[0].torus);
	place.region.extent[1] = 2;
	place.region.stride[1] = 16;
	assert_int_equal(admin_comment_write_contention(s, &place, true, &text),
			 0);
	assert_string_equal(text.data, ";dilation=1");
	torus_text_free(&text);
	for (uint32_t i = 0; i < 8; i++) {
		place.region.base[1] = i;
		assert_int_not_equal(torus_state_commit(s, &place, 100 + i,
							NULL, 0, 1, NULL),
				     TORUS_NO_SLOT);
	}
	place.region.base[1] = 8;
	assert_int_equal(admin_comment_write_contention(s, &place, true, &text),
			 0);
	assert_string_equal(
		text.data,
		";dilation=1.5;disturbs=100:1.5,101:1.5,102:1.5,103:1.5,104:1.5,105:1.5,106:1.5,107:1.5");
	torus_text_free(&text);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* A row of 64, every 32nd node each: 31 others, 16 are named. */
static void contention_of_many(void **state)
{
	struct torus_machine m = unit_machine("64", "subtorus");
	struct torus_state *s = torus_state_create(&m);
	struct torus_placement place = { .granted = 2, .axes = 1 }, back;
	struct torus_text text = { 0 };

	(void)state;
	torus_region_whole(&place.region, &m.pod[0].torus);
	place.region.extent[0] = 2;
	place.region.stride[0] = 32;
	for (uint32_t i = 0; i < 31; i++) {
		place.region.base[0] = i;
		assert_int_not_equal(torus_state_commit(s, &place, i, NULL, 0,
							1, NULL),
				     TORUS_NO_SLOT);
	}
	place.region.base[0] = 31;
	assert_int_equal(admin_comment_write(&m, &place, &text), 0);
	assert_int_equal(admin_comment_write_contention(s, &place, true, &text),
			 0);
	assert_non_null(strstr(text.data, ";dilation=1.969;disturbs=0:1.969,"));
	assert_non_null(strstr(text.data, ",15:1.969,+15"));
	assert_int_equal(admin_comment_read(text.data, &m, &room, &back), 0);
	assert_true(torus_region_equal(&place.region, &back.region,
				       &m.pod[0].torus));
	torus_text_free(&text);
	assert_int_equal(admin_comment_write_contention(s, &place, false, &text),
			 0);
	assert_string_equal(text.data, ";dilation=1.969;disturbs=+31");
	torus_text_free(&text);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* Single nodes: shown while they are few, never read back. */
static void scattered_nodes_are_shown_while_few_and_never_read_back(void **state)
{
	struct torus_machine m = unit_machine("flat:20000", "flat");
	uint64_t nodes[20000 / 64 + 1] = { 0 };
	struct torus_placement place = { .scattered = true,
					 .nodes = nodes,
					 .granted = 3 };
	struct torus_text text = { 0 };

	(void)state;
	torus_bits_set_range(nodes, 4, 2);
	torus_bits_set(nodes, 9);
	assert_int_equal(admin_comment_write(&m, &place, &text), 0);
	assert_string_equal(text.data, "torus:place=torus:{4-5,9}");
	assert_int_equal(admin_comment_read(text.data, &m, &room, &place), -1);
	torus_text_free(&text);

	for (uint32_t i = 0; i < 20000; i += 2)
		torus_bits_set(nodes, i);
	place = (struct torus_placement){ .scattered = true,
					  .nodes = nodes,
					  .granted = 10001 };
	assert_int_equal(admin_comment_write(&m, &place, &text), 0);
	assert_string_equal(text.data, "torus:place=torus;nodes=10001");
	torus_text_free(&text);
	torus_machine_free(&m);
}

/* Expected failures: marks that do not suit the machine. */
static void comments_that_do_not_suit_the_machine_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"ticket",
		"torus:place=",
		"torus:place=other:0,0+2x2",
		"torus:place=torus:0,0,0+2x2x2",
		"torus:place=torus:0,0+9x9",
		"torus:place=torus:9,9+1x1",
		"torus:place=torus:0,0+2x2x",
		"torus:place=torus:0,0+0x2",
		"torus:place=torus",
		"torus:place=torus:{0-99999999}",
		"torus:place=torus:0,0+2x2;strategy=tetris",
		"torus:place=torus:0,0+2x2;strategy=submesh-tff",
		"torus:place=0,0+2x2",
	};
	struct torus_machine m = unit_machine("4x4", "submesh");
	struct torus_placement place;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(admin_comment_read(wrong[i], &m, &room, &place),
				 -1);
	assert_int_equal(admin_comment_read(NULL, &m, &room, &place), -1);
	torus_machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_and_taken_out),
		cmocka_unit_test(written_and_read),
		cmocka_unit_test(several_written_and_read),
		cmocka_unit_test(most_regions),
		cmocka_unit_test(read_and_saved),
		cmocka_unit_test(another_strategy_and_pod),
		cmocka_unit_test(
			contention_counts_the_shared_lines_of_neighbours),
		cmocka_unit_test(contention_of_many),
		cmocka_unit_test(
			scattered_nodes_are_shown_while_few_and_never_read_back),
		cmocka_unit_test(
			comments_that_do_not_suit_the_machine_are_refused),
	};

	return UNIT_RUN(tests);
}
