/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `storus what-if` costs with a long queue: a snapshot of a full machine with
 * 10,000 pending jobs is played forward (questions/forward.h) on four machines, by
 * fcfs, easy and conservative, for the computing time that `storus what-if` has. The
 * goal is 2 s for the whole command, which plays twice.
 *
 * The jobs want boxes, up to a sixteenth of the machine (one of 20 up to half of it),
 * for 15 minutes to 18 hours; extents are powers of two, for one job of ten any number.
 * Checked: all jobs but the open ones start, and no node is in use twice at a time.
 *
 *	bench_what_if                     the table
 *	bench_what_if MACHINE DISCIPLINE  one play until all jobs have started
 *	bench_what_if MACHINE JOBS FILE   writes such a snapshot, for `storus what-if
 *	                                  --snapshot FILE`
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/state_text.h"
#include "questions/forward.h"
#include "questions/occupancy.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "bench.h"

#define PENDING 10000
#define MINUTE (INT64_C(60) * 1000000)
#define NOW (INT64_C(1764000000) * 1000000)

static void die(const char *what)
{
	fprintf(stderr, "bench_what_if: %s\n", what);
	exit(EXIT_FAILURE);
}

/* Extents of a box of at most `most` nodes. */
static void draw_extents(const struct torus *t, uint64_t most, uint32_t *extent)
{
	uint64_t nodes;

	do {
		bool powers = bench_below(10) > 0;

		nodes = 1;
		for (uint32_t d = 0; d < t->dims; d++) {
			uint32_t log = 0;

			while (2u << log <= t->size[d])
				log++;
			extent[d] = powers ? 1u << bench_below(log + 1) :
					     1 + bench_below(t->size[d]);
			nodes *= extent[d];
		}
	} while (nodes > most);
}

static uint64_t draw_most(const struct torus *t)
{
	return bench_below(20) ? t->nodes / 16 : t->nodes / 2;
}

static void add_running(struct snapshot *s, uint64_t *busy, uint64_t *map)
{
	const struct torus *t = &s->config->machine.pod[0].torus;
	uint32_t words = s->config->machine.words;
	char id[16], place[TORUS_REGION_SIZE];
	struct torus_region region;
	struct snapshot_job job = { .running = true, .id = id, .place = place };

	torus_region_whole(&region, t);
	torus_coord(t, bench_below(t->nodes), region.base);
	draw_extents(t, draw_most(t), region.extent);
	if (torus_region_check(&region, t, NULL))
		return;
	torus_bits_zero(map, words);
	torus_region_paint(&region, t, map);
	if (torus_bits_meet(busy, map, words))
		return;
	torus_bits_or(busy, map, words);
	snprintf(id, sizeof(id), "%u", s->jobs + 1);
	torus_region_format(&region, t, place, sizeof(place));
	job.limit_us = (1 + bench_below(72)) * 15 * MINUTE;
	job.start_us = job.submit_us = NOW -
				       bench_below(1000) * job.limit_us / 1000;
	job.end_us = job.start_us + job.limit_us;
	if (snapshot_add_job(s, &job, map))
		die("out of memory");
}

static void add_pending(struct snapshot *s, uint32_t i, uint32_t pending)
{
	const struct torus *t = &s->config->machine.pod[0].torus;
	struct torus_shape shape = { .axes = t->dims };
	char id[16], geometry[64] = "";
	struct snapshot_job job = { .id = id, .words.geometry = geometry };
	size_t used = 0;

	draw_extents(t, draw_most(t), shape.extent);
	for (uint32_t d = 0; d < t->dims; d++)
		used += (size_t)snprintf(geometry + used,
					 sizeof(geometry) - used, "%s%u",
					 d ? "x" : "", shape.extent[d]);
	snprintf(id, sizeof(id), "%u", s->jobs + 1);
	job.start_us = job.end_us = SNAPSHOT_NO_TIME;
	job.submit_us = NOW - (int64_t)(pending - i) * MINUTE;
	job.limit_us = (1 + bench_below(72)) * 15 * MINUTE;
	if (snapshot_add_job(s, &job, NULL))
		die("out of memory");
}

static struct snapshot *generate(const char *machine, uint32_t pending)
{
	struct torus_error err = { 0 };
	struct torus_config *config = torus_config_string(machine, &err);
	struct snapshot *s = config ? snapshot_create(config, NULL) : NULL;
	uint32_t words = s ? config->machine.words : 1;
	uint64_t *busy = torus_alloc(words, sizeof(*busy));
	uint64_t *map = torus_alloc(words, sizeof(*map));

	if (!s || !busy || !map)
		die(err.count ? err.text : "out of memory");
	s->time_us = NOW;
	s->dated = true;
	for (uint32_t i = 0; i < 20000; i++)
		add_running(s, busy, map);
	for (uint32_t i = 0; i < pending; i++)
		add_pending(s, i, pending);
	torus_free(busy);
	torus_free(map);
	return s;
}

/* One instant of the play. */
struct event {
	int64_t at_us;
	uint32_t job;
	bool begins;
};

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->at_us != y->at_us)
		return x->at_us < y->at_us ? -1 : 1;
	return (int)x->begins - (int)y->begins; /* ends first */
}

/* The nodes of a job: its region in the play, or what it holds. */
static void paint(const struct snapshot *s, const struct forward *f, uint32_t j,
		  uint64_t *map)
{
	const struct torus *t = &s->config->machine.pod[0].torus;
	struct torus_region region;
	bool scattered;

	torus_bits_zero(map, s->config->machine.words);
	if (s->job[j].running)
		snapshot_paint(&s->job[j], map);
	else if (torus_region_parse(&region, &scattered, map, t,
				    f->job[j].region, NULL))
		die(f->job[j].region);
	else
		torus_region_paint(&region, t, map);
}

/* Wrong answers: jobs that do not start, and pairs that share a node. */
static uint32_t check(const struct snapshot *s, const struct forward *f)
{
	struct event *e = torus_alloc(2 * (size_t)s->jobs, sizeof(*e));
	uint32_t words = s->config->machine.words, n = 0, wrong = 0;
	uint64_t *busy = torus_alloc(words, sizeof(*busy));
	uint64_t *map = torus_alloc(words, sizeof(*map));

	if (!e || !busy || !map)
		die("out of memory");
	for (uint32_t j = 0; j < s->jobs; j++) {
		if (f->job[j].start_us == SNAPSHOT_NO_TIME) {
			wrong += !f->job[j].open;
			continue;
		}
		e[n++] = (struct event){ f->job[j].start_us, j, true };
		e[n++] = (struct event){ f->job[j].end_us, j, false };
	}
	qsort(e, n, sizeof(*e), by_time);
	for (uint32_t i = 0; i < n; i++) {
		paint(s, f, e[i].job, map);
		if (e[i].begins) {
			wrong += torus_bits_meet(busy, map, words);
			torus_bits_or(busy, map, words);
		} else {
			torus_bits_andnot(busy, map, words);
		}
	}
	torus_free(e);
	torus_free(busy);
	torus_free(map);
	return wrong;
}

static uint32_t run(struct snapshot *s, const char *discipline,
		    int64_t compute_us)
{
	struct torus_scheduler_settings settings;
	struct torus_error err = { 0 };
	struct forward f;
	double begin = bench_cpu_ms() / 1e3, took;
	uint32_t wrong;

	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find(discipline);
	if (forward_play(s, &settings,
			 &(struct forward_bound){ .compute_us = compute_us },
			 &f, &err))
		die(err.count ? err.text : "out of memory");
	took = bench_cpu_ms() / 1e3 - begin;
	wrong = check(s, &f);
	printf(" %.3f s, %u open%s", took, f.open, wrong ? ", WRONG" : "");
	fflush(stdout);
	forward_free(&f);
	return wrong;
}

static int write_snapshot(const char *machine, const char *jobs,
			  const char *path)
{
	struct snapshot *s = generate(machine, (uint32_t)atoi(jobs));
	struct torus_text text = { 0 };
	FILE *f = fopen(path, "we");

	if (!f || snapshot_write(s, &text) ||
	    fwrite(text.data, 1, text.length, f) != text.length || fclose(f))
		die(path);
	torus_text_free(&text);
	snapshot_destroy(s);
	return EXIT_SUCCESS;
}

/* One machine by each of the disciplines, up to a NULL. */
static uint32_t run_machine(const char *machine, const char *const *discipline,
			    int64_t compute_us)
{
	struct snapshot *s = generate(machine, PENDING);
	uint32_t wrong = 0;

	if (occupancy_prepare(s))
		die("out of memory");
	printf("%-9s %4u running, %u pending:", machine, s->jobs - PENDING,
	       PENDING);
	for (; *discipline; discipline++) {
		printf("  %s", *discipline);
		wrong += run(s, *discipline, compute_us);
	}
	printf("\n");
	snapshot_destroy(s);
	return wrong;
}

int main(int argc, char **argv)
{
	static const char *const machine[] = { "8x8x8", "16x16x16", "32x32x32",
					       "64x32x32" };
	static const char *const discipline[] = { "fcfs", "easy",
						  "conservative", NULL };
	uint32_t wrong = 0;

	bench_seed = 88172645463325252u;
	if (argc == 3)
		return run_machine(argv[1],
				   (const char *const[]){ argv[2], NULL },
				   0) > 0;
	if (argc == 4)
		return write_snapshot(argv[1], argv[2], argv[3]);
	for (size_t m = 0; m < 4; m++)
		wrong += run_machine(machine[m], discipline, FORWARD_COMPUTE_US);
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
