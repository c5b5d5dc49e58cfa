/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shortage of memory: the n-th allocation fails, n = 0, 1, ... until all
 * succeed. Every failure must be told (ENOMEM), leave no block behind and no
 * half-made object. And: a warm cycle of commit, release and undo calls no
 * allocator at all.
 *
 * Linked with --wrap for torus_alloc(), torus_realloc(), torus_free() and
 * libc's malloc(), calloc(), realloc().
 */
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "failing.h"
#include "unit.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

const char *__asan_default_options(void);

/* An overflowing product is part of the test: no report, NULL. */
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

void *__wrap_malloc(size_t size)
{
	calls++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	calls++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	calls++;
	return __real_realloc(p, size);
}

/* Run with the n-th allocation failing, for every n; at least `least` of
 * them. The function says whether it succeeded; it cleans up after itself. */
static void fail_each(bool (*run)(void *arg), void *arg, long least)
{
	long before = blocks, n = -1;
	bool done = false;

	while (!done) {
		assert_true(++n < 1000);
		fail_at = n;
		errno = 0;
		done = run(arg);
		if (!done)
			assert_int_equal(errno, ENOMEM);
		/* success only if nothing failed, failure only if something */
		assert_int_equal(done, fail_at >= 0);
		fail_at = -1;
		assert_int_equal(blocks, before);
	}
	assert_true(n >= least);
}

/* Four pods, one with absent cells, several strategies. */
static bool build(struct torus_machine *m)
{
	static const struct {
		const char *torus, *strategy, *also;
	} pod[] = {
		{ "4x4x4", "submesh", "flat" },
		{ "5x13x3", "submesh", NULL },
		{ "2x2x6", "semitorus-nep", "submesh" },
		{ "flat:100", "flat", NULL },
	};
	uint64_t present[1] = { ~UINT64_C(0xff) };

	*m = (struct torus_machine){ 0 };
	for (uint32_t p = 0; p < 4; p++) {
		struct torus t;

		if (torus_parse(&t, pod[p].torus, NULL))
			return false;
		if (torus_machine_add(m, &t, p == 0 ? present : NULL,
				      torus_strategy_find(pod[p].strategy),
				      NULL, NULL) ||
		    (pod[p].also &&
		     torus_machine_allow(m, p, torus_strategy_find(pod[p].also),
					 NULL))) {
			uint32_t pods = m->pods;

			/* what was there before is whole, and may be used */
			assert_int_equal(pods, p);
			torus_machine_free(m);
			errno = ENOMEM;
			return false;
		}
	}
	return true;
}

static bool run_machine(void *arg)
{
	struct torus_machine m;

	(void)arg;
	if (!build(&m))
		return false;
	torus_machine_free(&m);
	return true;
}

static void machine_survives_each_failed_allocation(void **state)
{
	(void)state;
	fail_each(run_machine, NULL, 5);
}

static bool run_create(void *arg)
{
	struct torus_state *s = torus_state_create(arg);

	torus_state_destroy(s);
	return s != NULL;
}

/* Start jobs until nothing fits. */
static uint32_t crowd(struct torus_state *s, const struct torus_ask *of,
		      const char *strategy)
{
	struct torus_ask ask = *of;
	struct torus_placement out;
	uint32_t n = 0;

	ask.strategy = strategy;
	while (torus_state_find(s, &ask, &out, NULL) == TORUS_FITS) {
		assert_int_not_equal(torus_state_commit(s, &out, n, NULL, 0, n,
							NULL),
				     TORUS_NO_SLOT);
		n++;
	}
	return n;
}

static void state_creation_survives_each_failed_allocation(void **state)
{
	struct torus_machine m;

	(void)state;
	assert_true(build(&m));
	fail_each(run_create, &m, 15);
	torus_machine_free(&m);
	assert_int_equal(blocks, 0);
}

/* Every instance by itself: half-built ones must go away. */
struct instance {
	const struct torus_strategy *strategy;
	struct torus t;
};

static bool run_instance(void *arg)
{
	const struct torus_options none = { 0 };
	struct instance *i = arg;
	void *self = i->strategy->create(&i->t, NULL, &none);

	i->strategy->destroy(self);
	return self != NULL;
}

static void each_strategy_survives_each_failed_allocation(void **state)
{
	static const char *const on[] = { "5x13x3",  "4x4x4",     "7",
					  "flat:64", "2x2x2x6x8", "2^5" };

	(void)state;
	for (uint32_t k = 0; torus_strategies()[k]; k++) {
		for (int i = 0; i < 6; i++) {
			const struct torus_options none = { 0 };
			struct instance x = {
				.strategy = torus_strategies()[k],
				.t = unit_torus(on[i]),
			};

			if (torus_strategy_supports(x.strategy, &x.t, &none,
						    NULL))
				continue;
			fail_each(run_instance, &x, 1);
		}
	}
	assert_int_equal(blocks, 0);
}

static const char *const strategy[] = {
	"submesh",         "flat",        "semitorus-nep", "semitorus-ep",
	"semitorus-buddy", "submesh-tbl", "submesh-bl",    "submesh-tff",
	"submesh-ff",      "subtorus",
};
#define EVERY_STRATEGY (sizeof(strategy) / sizeof(*strategy))

static bool run_save(void *arg)
{
	struct torus_text text = { 0 };
	int rc = torus_state_save(arg, &text);

	torus_text_free(&text);
	return rc == 0;
}

/* A restore that fails leaves the state empty and useful. */
static bool run_restore(void *arg)
{
	struct torus_state *of = arg;
	struct torus_state *s;
	struct torus_text text = { 0 };
	long at = fail_at;
	bool done;

	fail_at = -1;
	s = torus_state_create(torus_state_machine(of));
	assert_non_null(s);
	assert_int_equal(torus_state_save(of, &text), 0);
	fail_at = at;
	done = torus_state_restore(s, text.data, NULL) == 0;
	at = fail_at;
	fail_at = -1;
	assert_true(torus_state_check(s, NULL));
	assert_int_equal(torus_state_holds(s), done ? torus_state_holds(of) : 0);
	fail_at = at;
	torus_state_destroy(s);
	torus_text_free(&text);
	if (!done)
		errno = ENOMEM;
	return done;
}

/* Some jobs of every strategy, saved and restored. */
static void save_and_restore(void **state)
{
	(void)state;
	for (size_t i = 0; i < EVERY_STRATEGY; i++) {
		struct torus_machine m = unit_machine("4x4x4", strategy[i]);
		struct torus_state *s = torus_state_create(&m);
		struct torus_ask four = unit_count(4, 'N');

		assert_non_null(s);
		crowd(s, &four, NULL);
		torus_state_release(s, torus_state_by_end(s, 3), NULL);
		fail_each(run_save, s, 2);
		fail_each(run_restore, s, 5);
		torus_state_destroy(s);
		torus_machine_free(&m);
		assert_int_equal(blocks, 0);
	}
}

/* A commit that has to grow the slots fails and changes nothing; the next
 * one succeeds. */
static void commit_that_cannot_grow_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < EVERY_STRATEGY; i++) {
		struct torus_machine m = unit_machine("8x8x4", strategy[i]);
		struct torus_state *s = torus_state_create(&m);
		struct torus_ask one = unit_count(1, 'N');
		struct torus_placement out;
		uint32_t failures = 0;

		assert_non_null(s);
		for (uint32_t job = 0; job < 200; job++) {
			uint64_t generation = torus_state_generation(s);
			uint32_t slot = TORUS_NO_SLOT;

			torus_state_find(s, &one, &out, NULL);
			for (long n = 0; slot == TORUS_NO_SLOT; n++) {
				fail_at = n;
				errno = 0;
				slot = torus_state_commit(s, &out, job, NULL, 0,
							  job, NULL);
				fail_at = -1;
				if (slot != TORUS_NO_SLOT)
					break;
				failures++;
				assert_int_equal(errno, ENOMEM);
				assert_true(torus_state_check(s, NULL));
				assert_int_equal(torus_state_holds(s), job);
				assert_true(torus_state_generation(s) ==
					    generation);
			}
			assert_true(torus_state_check(s, NULL));
		}
		assert_true(failures >= (strategy[i][0] == 'f' ? 200 : 2));
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
	assert_int_equal(blocks, 0);
}

static bool run_reserve(void *arg)
{
	struct torus_state *s = torus_state_create(arg);
	bool done;

	if (!s)
		return false;
	done = torus_state_reserve(s, 100) == 0;
	assert_true(torus_state_check(s, NULL));
	torus_state_destroy(s);
	return done;
}

static void reserve_survives_each_failed_allocation(void **state)
{
	struct torus_machine m = unit_machine("4x4", "submesh");

	(void)state;
	fail_each(run_reserve, &m, 5);
	torus_machine_free(&m);
}

/* A text that cannot grow stays what it was. */
static bool run_text(void *arg)
{
	struct torus_text text = { 0 };
	bool done = true;

	(void)arg;
	for (int i = 0; i < 200 && done; i++) {
		size_t length = text.length;

		done = torus_text_add(&text, "line %d of many;", i) == 0;
		if (!done) {
			assert_int_equal(text.length, length);
			if (length)
				assert_int_equal(strlen(text.data), length);
		}
	}
	torus_text_free(&text);
	assert_null(text.data);
	return done;
}

static bool run_nodes_text(void *arg)
{
	struct torus t = unit_torus("flat:640");
	struct torus_text text = { 0 };
	uint64_t map[10];
	int rc;

	(void)arg;
	for (int i = 0; i < 10; i++)
		map[i] = UINT64_C(0x5555555555555555);
	rc = torus_nodes_format(&text, &t, map);
	torus_text_free(&text);
	return rc == 0;
}

static void state_text_survives_each_failed_allocation(void **state)
{
	(void)state;
	fail_each(run_text, NULL, 4);
	fail_each(run_nodes_text, NULL, 4);
}

static void sizes_that_overflow_are_no_memory(void **state)
{
	void *p;

	(void)state;
	errno = 0;
	assert_null(torus_alloc(SIZE_MAX / 2, 3));
	assert_int_equal(errno, ENOMEM);
	errno = 0;
	assert_null(torus_realloc(NULL, SIZE_MAX / 2, 3));
	assert_int_equal(errno, ENOMEM);
	p = torus_alloc(0, 8);
	assert_non_null(p);
	p = torus_realloc(p, 0, 8);
	assert_non_null(p);
	errno = 7;
	torus_free(p);
	torus_free(NULL);
	assert_int_equal(errno, 7);
	assert_int_equal(blocks, 0);
}

/* Two jobs start, one ends and is brought back, and so on: no allocator. */
static void cycle(struct torus_state *s, const struct torus_ask *ask)
{
	struct torus_placement out;
	struct torus_undo undo[3];
	uint32_t a, b;

	assert_int_equal(torus_state_find(s, ask, &out, NULL), TORUS_FITS);
	a = torus_state_commit(s, &out, 1, NULL, 0, 9, NULL);
	assert_int_not_equal(a, TORUS_NO_SLOT);
	assert_int_equal(torus_state_find(s, ask, &out, NULL), TORUS_FITS);
	b = torus_state_commit(s, &out, 2, NULL, 0, 8, &undo[0]);
	assert_int_not_equal(b, TORUS_NO_SLOT);
	torus_state_release(s, a, &undo[1]);
	assert_int_equal(torus_state_find(s, ask, &out, NULL), TORUS_FITS);
	assert_int_not_equal(torus_state_commit(s, &out, 3, NULL, 0, 7,
						&undo[2]),
			     TORUS_NO_SLOT);
	torus_state_undo(s, &undo[2]);
	torus_state_undo(s, &undo[1]);
	torus_state_undo(s, &undo[0]);
	torus_state_set_end(s, a, 3);
	torus_state_release(s, a, NULL);
}

static void warm_cycle(void **state)
{
	(void)state;
	for (size_t i = 0; i < EVERY_STRATEGY; i++) {
		struct torus_machine m = unit_machine("4x4x4", strategy[i]);
		struct torus_state *s = torus_state_create(&m);
		struct torus_ask ask = unit_count(8, 'N');
		unsigned long before = calls;

		cycle(s, &ask); /* warms the slots */
		assert_true(calls > before);
		before = calls;
		for (int k = 0; k < 1000; k++)
			cycle(s, &ask);
		assert_int_equal(calls, before);
		assert_true(torus_state_check(s, NULL));
		torus_state_destroy(s);
		/* with room reserved (regions only), not even the first */
		s = torus_state_create(&m);
		assert_int_equal(torus_state_reserve(s, 3), 0);
		before = calls;
		cycle(s, &ask);
		if (strcmp(strategy[i], "flat") != 0)
			assert_int_equal(calls, before);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

/* The same with a shape whose times are known, so that submesh's score works
 * with all its terms; and the other strategies with theirs. */
static void warm_shapes(void **state)
{
	static const struct {
		const char *torus, *strategy;
	} on[] = {
		{ "4x4x4", "submesh" },       { "8x8x8:MMM", "submesh" },
		{ "8x8x8", "submesh" },       { "5x7x3:TMT", "submesh" },
		{ "2x2x2x4x4x8", "submesh" }, { "16x16x16", "submesh" },
		{ "8x8x8", "submesh-tbl" },   { "8x8x8", "submesh-tff" },
		{ "8x8x8", "subtorus" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(on) / sizeof(*on); i++) {
		struct torus_machine m = unit_machine(on[i].torus,
						      on[i].strategy);
		struct torus_state *s = torus_state_create(&m);
		struct torus_ask ask = { .rotate = true,
					 .now_us = 1,
					 .end_us = 6 };
		unsigned long before;

		ask.shape.axes = 2;
		ask.shape.extent[0] = 4;
		ask.shape.extent[1] = 2;
		assert_non_null(s);
		assert_int_equal(torus_state_reserve(s, 3), 0);
		before = calls;
		for (int k = 0; k < 100; k++)
			cycle(s, &ask);
		assert_int_equal(calls, before);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
	assert_int_equal(blocks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine_survives_each_failed_allocation),
		cmocka_unit_test(state_creation_survives_each_failed_allocation),
		cmocka_unit_test(each_strategy_survives_each_failed_allocation),
		cmocka_unit_test(save_and_restore),
		cmocka_unit_test(commit_that_cannot_grow_changes_nothing),
		cmocka_unit_test(reserve_survives_each_failed_allocation),
		cmocka_unit_test(state_text_survives_each_failed_allocation),
		cmocka_unit_test(sizes_that_overflow_are_no_memory),
		cmocka_unit_test(warm_cycle),
		cmocka_unit_test(warm_shapes),
	};

	return UNIT_RUN(tests);
}
