/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a search costs: `submesh` beside a well-written prefix-sum first fit
 * (kept here for this purpose), submesh-tbl with its best list order and the
 * literal submesh-tff; with the score on and off; against machine size, number
 * of jobs and dimensions.
 *
 * The score needs the state's holds, so all searches go through a state that
 * holds the boxes. All must agree whether the request fits. Times are
 * medians of 5 in ns; each ratio is the median over the requests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "torus/state.h"

#define MOST 200
#define REPEATS 5

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 11) % n);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *value, size_t n)
{
	if (n == 0)
		return 0;
	qsort(value, n, sizeof(*value), ascending);
	return value[n / 2];
}

/*
 * Prefix-sum first fit, 3 dimensions. One pass over the nodes sums the busy
 * ones (over the machine and, where it wraps, once more around); then a box is
 * free iff its 8 corners say so. Orientations share the sums; equal ones are
 * tried once; the scan skips the rest of the run that a busy node spoils, by
 * looking for the last busy node of the row: the box's next base lies behind.
 */
struct prefix {
	uint32_t side[3], span[3];
	uint32_t *sum; /* (span + 1) ^ 3 */
};

static uint32_t *at(const struct prefix *p, uint32_t x, uint32_t y, uint32_t z)
{
	return p->sum + ((size_t)z * (p->span[1] + 1) + y) * (p->span[0] + 1) +
	       x;
}

static void prefix_create(struct prefix *p, const struct torus *t)
{
	for (uint32_t d = 0; d < 3; d++) {
		p->side[d] = t->size[d];
		p->span[d] = t->wrap[d] ? 2 * t->size[d] - 1 : t->size[d];
	}
	p->sum = calloc((size_t)(p->span[0] + 1) * (p->span[1] + 1) *
				(p->span[2] + 1),
			sizeof(*p->sum));
	if (!p->sum)
		abort();
}

static void prefix_fill(struct prefix *p, const struct torus *t,
			const uint64_t *usable)
{
	for (uint32_t z = 0; z < p->span[2]; z++) {
		for (uint32_t y = 0; y < p->span[1]; y++) {
			uint32_t row = z % p->side[2] * t->stride[2] +
				       y % p->side[1] * t->stride[1];
			uint32_t *to = at(p, 1, y + 1, z + 1), busy = 0;
			const uint32_t *low = at(p, 1, y, z + 1);
			const uint32_t *back = at(p, 1, y + 1, z);
			const uint32_t *both = at(p, 1, y, z);

			for (uint32_t x = 0; x < p->span[0]; x++) {
				uint32_t c = x < p->side[0] ? x :
							      x - p->side[0];

				busy += !torus_bits_test(usable, row + c);
				to[x] = busy + low[x] + back[x] - both[x];
			}
		}
	}
}

static bool prefix_oriented(const struct prefix *p, const struct torus *t,
			    const uint32_t *e)
{
	uint32_t last[3];

	for (uint32_t d = 0; d < 3; d++) {
		if (e[d] > t->size[d])
			return false;
		last[d] = t->wrap[d] && e[d] < t->size[d] ? t->size[d] - 1 :
							    t->size[d] - e[d];
	}
	for (uint32_t z = 0; z <= last[2]; z++) {
		for (uint32_t y = 0; y <= last[1]; y++) {
			const uint32_t *a = at(p, 0, y, z);
			const uint32_t *b = at(p, 0, y + e[1], z);
			const uint32_t *c = at(p, 0, y, z + e[2]);
			const uint32_t *f = at(p, 0, y + e[1], z + e[2]);

			for (uint32_t x = 0; x <= last[0]; x++) {
				uint32_t h = x + e[0];

				if (f[h] - c[h] - b[h] + a[h] ==
				    f[x] - c[x] - b[x] + a[x])
					return true;
			}
		}
	}
	return false;
}

static bool prefix_find(struct prefix *p, const struct torus *t,
			const struct torus_ask *ask, const uint64_t *usable)
{
	static const int turn[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	uint32_t s[3] = { 1, 1, 1 }, tried[6][3];

	memcpy(s, ask->shape.extent, ask->shape.axes * sizeof(*s));
	prefix_fill(p, t, usable);
	for (int i = 0; i < 6; i++) {
		bool again = false;

		for (int d = 0; d < 3; d++)
			tried[i][d] = s[turn[i][d]];
		for (int k = 0; k < i; k++)
			again |= memcmp(tried[k], tried[i],
					sizeof(tried[i])) == 0;
		if (!again && prefix_oriented(p, t, tried[i]))
			return true;
	}
	return false;
}

/* One machine with the same boxes held under several strategies. */
enum { PLAIN, SCORED, TBL, TFF, PREFIX, WAYS };

struct field {
	struct torus t;
	struct torus_machine machine[TFF + 1];
	struct torus_state *state[TFF + 1]; /* NULL: cannot, or too slow */
	struct prefix prefix;
	bool sums;
};

static void field_create(struct field *f, const char *machine, bool slow)
{
	static const char *const name[] = { "submesh", "submesh",
					    "submesh-tbl", "submesh-tff" };
	static const char *const off[] = { "contact", "ends", "look" };

	memset(f, 0, sizeof(*f));
	if (torus_parse(&f->t, machine, NULL))
		abort();
	for (int w = 0; w <= TFF; w++) {
		struct torus_options options = { 0 };

		if (w >= TBL && (f->t.dims > 3 || !slow))
			continue;
		for (int i = 0; i < 3 && w == PLAIN; i++) {
			snprintf(options.item[i].key, TORUS_OPTION_KEY, "%s",
				 off[i]);
			snprintf(options.item[i].value, TORUS_OPTION_VALUE,
				 "off");
			options.used++;
		}
		if (torus_machine_init(&f->machine[w], &f->t,
				       torus_strategy_find(name[w]), &options,
				       NULL))
			abort();
		f->state[w] = torus_state_create(&f->machine[w]);
		if (!f->state[w])
			abort();
	}
	f->sums = f->t.dims == 3;
	if (f->sums)
		prefix_create(&f->prefix, &f->t);
}

static void field_destroy(struct field *f)
{
	for (int w = 0; w <= TFF; w++) {
		if (!f->state[w])
			continue;
		torus_state_destroy(f->state[w]);
		torus_machine_free(&f->machine[w]);
	}
	if (f->sums)
		free(f->prefix.sum);
}

/* The list order that suits TBL best: ascending first coordinate, so that
 * planes near the low edge are looked at first; the boxes are committed so. */
static int by_base(const void *a, const void *b)
{
	const struct torus_region *x = a, *y = b;

	return (x->base[0] > y->base[0]) - (x->base[0] < y->base[0]);
}

/* Hold random boxes with sides 1..side; fewer than m if no more fit. */
static uint32_t fill(struct field *f, uint32_t m, uint32_t side)
{
	static struct torus_region r[4096];
	uint64_t *usable = malloc(torus_bits_words(f->t.nodes) * 8);
	uint32_t n = 0;

	torus_bits_zero(usable, torus_bits_words(f->t.nodes));
	torus_bits_set_range(usable, 0, f->t.nodes);
	for (uint32_t tries = 0; n < m && tries < 100 * m; tries++) {
		torus_region_whole(&r[n], &f->t);
		for (uint32_t d = 0; d < f->t.dims; d++) {
			uint32_t most = f->t.size[d] < side ? f->t.size[d] :
							      side;

			r[n].extent[d] = 1 + below(most);
			r[n].base[d] = below(f->t.size[d]);
			if (!f->t.wrap[d])
				r[n].base[d] = below(f->t.size[d] + 1 -
						     r[n].extent[d]);
		}
		if (!torus_region_inside(&r[n], &f->t, usable))
			continue;
		torus_region_erase(&r[n], &f->t, usable);
		n++;
	}
	free(usable);
	qsort(r, n, sizeof(*r), by_base);
	for (int w = 0; w <= TFF; w++) {
		for (uint32_t i = 0; i < n && f->state[w]; i++) {
			struct torus_placement p = { .region = r[i] };

			p.granted = torus_region_nodes(&r[i], &f->t);
			if (torus_state_commit(f->state[w], &p, i, NULL, 0,
					       1000 + 37 * i % 1000,
					       NULL) == TORUS_NO_SLOT)
				abort();
		}
	}
	return n;
}

static bool search(struct field *f, int w, const struct torus_ask *ask)
{
	struct torus_placement place;

	if (w == PREFIX)
		return prefix_find(&f->prefix, &f->t, ask,
				   torus_state_free_map(f->state[PLAIN]));
	return torus_state_find(f->state[w], ask, NULL, NULL, &place, NULL) ==
	       TORUS_FITS;
}

static double time_search(struct field *f, int w, const struct torus_ask *ask,
			  bool fits)
{
	double value[REPEATS];

	for (int i = 0; i < REPEATS; i++) {
		double start = now_ns();

		if (search(f, w, ask) != fits) {
			printf("WRONG ANSWER\n");
			exit(1);
		}
		value[i] = now_ns() - start;
	}
	return median(value, REPEATS);
}

static const char *const way_name[WAYS] = { "plain", "scored", "tbl", "tff",
					    "prefix" };

/* Times of requests that fit (or do not) and their ratios to `over`. */
static void print_row(double ns[WAYS][MOST], uint32_t n, int over,
		      const bool *asked, const char *which)
{
	static double v[MOST];

	printf("    %-8s %3u:", which, n);
	for (int w = 0; w < WAYS && n > 0; w++) {
		if (!asked[w])
			continue;
		for (uint32_t i = 0; i < n; i++)
			v[i] = ns[w][i];
		printf("  %s %.0f ns", way_name[w], median(v, n));
		if (w == over)
			continue;
		for (uint32_t i = 0; i < n; i++)
			v[i] = ns[w][i] / ns[over][i];
		printf(" (x%.2f)", median(v, n));
	}
	printf("\n");
}

/* One machine; requests with sides 1..ask_side. */
static void bench(const char *machine, uint32_t m, uint32_t hold_side,
		  uint32_t ask_side, uint32_t requests, bool slow)
{
	static double ns[2][WAYS][MOST];
	bool asked[WAYS] = { false };
	uint32_t n[2] = { 0, 0 }, words;
	struct field f;

	seed = 88172645463325252u;
	field_create(&f, machine, slow);
	words = torus_bits_words(f.t.nodes);
	m = fill(&f, m, hold_side);
	for (int w = 0; w < WAYS; w++)
		asked[w] = w == PREFIX ? f.sums : f.state[w] != NULL;
	for (uint32_t i = 0; i < 20 * requests; i++) {
		struct torus_ask ask = { .rotate = true, .now_us = 500,
					 .end_us = 1500 };
		bool fits;

		ask.shape.axes = f.t.dims;
		for (uint32_t d = 0; d < f.t.dims; d++)
			ask.shape.extent[d] =
				1 + below(ask_side < f.t.size[d] ?
						  ask_side :
						  f.t.size[d]);
		torus_shape_squeeze(&ask.shape);
		fits = search(&f, PLAIN, &ask);
		if (n[fits] == requests)
			continue;
		for (int w = 0; w < WAYS; w++) {
			if (asked[w])
				ns[fits][w][n[fits]] =
					time_search(&f, w, &ask, fits);
		}
		n[fits]++;
	}
	printf("%s, %u boxes, %u %% free\n", machine, m,
	       100 * torus_bits_count(torus_state_free_map(f.state[PLAIN]),
				      words) / f.t.nodes);
	print_row(ns[0], n[0], PLAIN, asked, "fails");
	print_row(ns[1], n[1], PLAIN, asked, "fits");
	field_destroy(&f);
}

int main(void)
{
	static const uint32_t jobs[] = { 3, 5, 10, 20, 50, 100, 200 };

	puts("Ratios are to plain `submesh` (score off). Goals on 64x64x64, failing: prefix x15, tbl x200, scored at most x3.");
	bench("64x64x64:MMM", 2000, 8, 20, 12, true);
	bench("64x64x64", 2000, 8, 20, 12, true);
	bench("64x64x64", 200, 20, 40, 30, false);
	puts("8x8x8 against the number of jobs (goal: nothing below x1)");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		uint32_t side = jobs[i] <= 5 ? 6 : jobs[i] <= 20 ? 4 :
				jobs[i] <= 50 ? 3 : 2;

		bench("8x8x8:MMM", jobs[i], side, 8, 60, true);
		bench("8x8x8", jobs[i], side, 8, 60, true);
	}
	puts("Machine size");
	bench("16x16x16", 30, 8, 16, 50, true);
	bench("32x32x32", 200, 8, 20, 12, true);
	bench("128x128x64", 4000, 8, 24, 10, false);
	puts("5 and 6 dimensions");
	bench("2x2x2x4x4x8", 40, 4, 8, 100, false);
	bench("4x4x4x4x2", 30, 3, 4, 100, false);
	return 0;
}
