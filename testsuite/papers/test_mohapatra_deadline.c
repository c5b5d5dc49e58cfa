/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mohapatra: Table 1 with the schedules that sections 3.1 and 2.2 work out for
 * it, and the orders among the miss ratios of section 4.3 that hold.
 *
 * Not asserted, since it does not hold: dedf below Stacking for uniform and
 * reverse geometric sizes.
 */
#include "../bench/mohapatra.h"
#include "../bench/paired.h"
#include "../unit/unit.h"
#include "torus/discipline.h"

static struct torus_scheduler_settings settings_of(const char *discipline,
						   double mean_hold)
{
	struct torus_scheduler_settings how;

	torus_scheduler_defaults(&how);
	how.discipline = torus_discipline_find(discipline);
	assert_non_null(how.discipline);
	how.mean_hold_us = (int64_t)(mean_hold * MOHAPATRA_UNIT);
	return how;
}

/* "key=value key=value" */
static void add_options(struct torus_scheduler_settings *how, const char *text)
{
	struct torus_options *o = &how->options;
	int length;

	for (; sscanf(text, " %31[^=]=%63s%n", o->item[o->used].key,
		      o->item[o->used].value, &length) == 2;
	     text += length)
		o->used++;
}

/* Table 1 */

struct watch {
	char text[4][40]; /* "0-3 at 0"; "" if it did not start */
};

/* A host of its own, since places are looked at. */
static void note_starts(struct watch *w, struct torus_state *s, int64_t now)
{
	for (uint32_t k = 0; k < torus_state_holds(s); k++) {
		const struct torus_hold *h =
			torus_state_hold(s, torus_state_by_end(s, k));
		uint64_t map[4] = { 0 };
		uint32_t first;

		if (h->start_us != now)
			continue;
		torus_hold_paint(s, h, map);
		first = torus_bits_next(map, 4, 0);
		snprintf(w->text[h->job], sizeof(w->text[0]), "%u-%u at %d",
			 first, first + h->place.granted - 1,
			 (int)(now / MOHAPATRA_UNIT));
	}
}

static void table1_jobs(struct torus_job *job,
			struct torus_alternative *alternative)
{
	static const struct {
		int submit, dimension, run, deadline;
	} row[] = {
		{ 0, 2, 4, 4 }, { 0, 3, 7, 7 }, { 1, 3, 2, 8 }, { 2, 2, 2, 4 }
	};

	memset(job, 0, 4 * sizeof(*job));
	for (uint32_t i = 0; i < 4; i++) {
		job[i].id = i;
		job[i].submit_us = row[i].submit * MOHAPATRA_UNIT;
		job[i].limit_us = row[i].run * MOHAPATRA_UNIT;
		job[i].deadline_us = row[i].deadline * MOHAPATRA_UNIT;
		job[i].request = torus_job_request_count(&alternative[i],
							 1u << row[i].dimension);
	}
}

static void play_table1(const struct torus_scheduler_settings *how,
			struct watch *w)
{
	struct torus_machine m = unit_machine("2^4", "subcube-buddy");
	struct torus_state *s = torus_state_create(&m);
	struct torus_error err = { 0 };
	struct torus_scheduler *scheduler = torus_scheduler_create(s, how, &err);
	struct torus_job job[4];
	struct torus_alternative alternative[4];
	uint32_t next = 0;
	int64_t wake;

	if (!scheduler)
		fail_msg("%s", err.text);
	memset(w, 0, sizeof(*w));
	table1_jobs(job, alternative);
	/* All that happens in Table 1 happens at whole times. */
	for (int64_t now = 0; now < 20 * MOHAPATRA_UNIT; now += MOHAPATRA_UNIT) {
		mohapatra_instant(scheduler, job, 4, &next, now, &wake);
		note_starts(w, s, now);
	}
	assert_int_equal(torus_state_holds(s), 0);
	torus_scheduler_destroy(scheduler);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void table1_is_reproduced_by_each_discipline(void **state)
{
	static const struct {
		const char *discipline;
		double mean_hold;
		const char *options;
		const char *j4;
	} row[] = {
		/* section 2.2 and 3.1: answered on arrival, EAT */
		{ "buddy-rt", 0, "", "" },
		{ "stacking", 0, "", "" },
		/* "the preemption overhead will prohibit" phase 2 */
		{ "buddy-rt", 0, "phase2=true preempt_overhead=2", "" },
		{ "stacking", 0, "phase2=true preempt_overhead=0.000001", "" },
		/* deferred: J4 before J3, whatever the windows */
		{ "dedf", 3, "", "4-7 at 2" },
		{ "dedf", 3, "eat=true", "4-7 at 2" },
		{ "dedf", 3, "choice=first-fit", "4-7 at 2" },
		{ "dedf", 3, "choice=earliest", "4-7 at 2" },
		{ "dedf", 0, "", "4-7 at 2" },
		/* the queue is full at t + 1: the window 2-4 is left */
		{ "dedf", 3, "arrival_queue=1", "4-7 at 2" },
		{ "dedf", 3, "arrival_queue=1 eat=true", "" },
		{ "dedf", 3,
		  "arrival_queue=1 eat=true phase2=true preempt_overhead=2",
		  "" },
		{ "dedf", 3, "arrival_queue=1 choice=first-fit", "4-7 at 2" },
		/* so does a mean hold time that triggers at t + 1 */
		{ "dedf", 5, "", "4-7 at 2" },
		{ "dedf", 5, "eat=true", "" },
		{ "dedf-replan", 3, "", "4-7 at 2" },
		{ "dedf-replan", 3, "arrival_queue=1", "4-7 at 2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_scheduler_settings how =
			settings_of(row[i].discipline, row[i].mean_hold);
		struct watch w;

		add_options(&how, row[i].options);
		play_table1(&how, &w);
		assert_string_equal(w.text[0], "0-3 at 0");
		assert_string_equal(w.text[1], "8-15 at 0");
		assert_string_equal(w.text[2], "0-7 at 4");
		assert_string_equal(w.text[3], row[i].j4);
	}
}

/* Were preemption free, phase 2 would admit J4: at 2 everything is planned
 * anew, J1 and J2 with what is left of them. */
static void table1_free_preemption(void **state)
{
	struct torus_scheduler_settings how = settings_of("buddy-rt", 0);
	struct watch w;

	(void)state;
	add_options(&how, "phase2=true");
	play_table1(&how, &w);
	assert_string_equal(w.text[0], "0-3 at 2");
	assert_string_equal(w.text[1], "8-15 at 2");
	assert_string_equal(w.text[2], "0-7 at 4");
	assert_string_equal(w.text[3], "4-7 at 2");
}

/* Section 4 */

#define RUNS 6
#define JOBS 4000
#define CLAIM_RUNS 15

static void play(const char *discipline, const char *options,
		 enum mohapatra_sizes sizes, double load, uint32_t runs,
		 double *miss)
{
	struct torus_machine m = unit_machine("2^8", "subcube-buddy");
	static struct torus_job job[JOBS];
	static struct torus_alternative alternative[JOBS];

	for (uint32_t run = 0; run < runs; run++) {
		struct torus_scheduler_settings how =
			settings_of(discipline, MOHAPATRA_HOLD);
		struct mohapatra w = { .sizes = sizes,
				       .load = load,
				       .laxity = 1.5,
				       .alternative = alternative,
				       .seed = run * UINT64_C(1000003) + 17 };
		struct mohapatra_result result;

		add_options(&how, options);
		mohapatra_draw(&w, job, JOBS);
		assert_true(mohapatra_play(&m, &how, job, JOBS, &result));
		for (uint32_t i = 0; i < JOBS; i++)
			assert_true(job[i].state == TORUS_JOB_REJECTED ||
				    job[i].start_us + job[i].limit_us <=
					    job[i].deadline_us);
		miss[run] = result.miss;
		if (strcmp(discipline, "dedf-replan") == 0)
			assert_true(result.batch > 1.2);
	}
	torus_machine_free(&m);
}

/* The mean sizes that the captions of Figs. 6 to 9 give. */
static void mean_sizes_match_the_captions(void **state)
{
	double share[MOHAPATRA_DIMENSION];

	(void)state;
	assert_true(fabs(mohapatra_sizes(MOHAPATRA_GEOMETRIC, share) - 9.36) <
		    0.01);
	assert_true(fabs(mohapatra_sizes(MOHAPATRA_UNIFORM, share) - 32) < 0.2);
	assert_true(fabs(mohapatra_sizes(MOHAPATRA_REVERSE, share) - 66.67) <
		    0.2);
}

static void miss_ratios_match_the_figures(void **state)
{
	(void)state;
	for (int s = 0; s < 3; s++) {
		enum mohapatra_sizes of = (enum mohapatra_sizes)s;
		double before[3] = { 0 };

		for (int step = 1; step <= 5; step++) {
			double load = 0.2 * step, miss[RUNS], mean[3];

			play("dedf", "", of, load, RUNS, miss);
			mean[0] = paired_mean(miss, RUNS);
			play("dedf", "eat=true", of, load, RUNS, miss);
			mean[1] = paired_mean(miss, RUNS);
			play("buddy-rt", "", of, load, RUNS, miss);
			mean[2] = paired_mean(miss, RUNS);
			assert_true(mean[0] <= mean[1]);
			if (of != MOHAPATRA_REVERSE && step > 1)
				assert_true(mean[0] < mean[2]);
			for (int i = 0; i < 3; i++) {
				assert_true(mean[i] > before[i]);
				before[i] = mean[i];
			}
		}
	}
}

/* Our variant: no worse than Stacking at load .8 with 95 % confidence, at load
 * .4 by no more than 0.2 points; and it still defers. */
static void replanning_is_no_worse_than_stacking(void **state)
{
	static double stacking[CLAIM_RUNS], ours[CLAIM_RUNS];
	double half, difference;

	(void)state;
	for (int s = 0; s < 3; s++) {
		for (int step = 1; step <= 2; step++) {
			play("stacking", "", (enum mohapatra_sizes)s,
			     0.4 * step, CLAIM_RUNS, stacking);
			play("dedf-replan", "", (enum mohapatra_sizes)s,
			     0.4 * step, CLAIM_RUNS, ours);
			difference = paired_difference(ours, stacking,
						       CLAIM_RUNS, &half);
			assert_true(difference + half <= (step == 1 ? 0.2 : 0));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table1_is_reproduced_by_each_discipline),
		cmocka_unit_test(table1_free_preemption),
		cmocka_unit_test(mean_sizes_match_the_captions),
		cmocka_unit_test(miss_ratios_match_the_figures),
		cmocka_unit_test(replanning_is_no_worse_than_stacking),
	};

	return UNIT_RUN(tests);
}
