/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a search costs: `submesh` beside a well-written prefix-sum first fit
 * (kept here for this purpose), submesh-tbl with its best list order and the
 * literal submesh-tff; with the score off, without its look, and on; against
 * machine size, number of jobs and dimensions.
 *
 * The score needs the state's holds, so all searches go through a state that
 * holds the boxes. All must agree whether the request fits. Times are
 * medians in ns of 5 runs (one where a run takes a millisecond or more); each
 * ratio is the median over the requests. Which order of its list suits TBL
 * best is tried out on each machine's first requests.
 *
 * `bench_strategies DIR` also writes the medians to DIR/size.dat and
 * DIR/jobs.dat, a table each, for contribs/plot-bench.
 */
#include <stdio.h>
#include <stdlib.h>

#include "torus/state.h"
#include "torus/state_find.h"
#include "bench.h"

#define MOST 200
#define REPEATS 5

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
				uint32_t c = x < p->side[0] ? x : x - p->side[0];

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
			again |= memcmp(tried[k], tried[i], sizeof(tried[i])) ==
				 0;
		if (!again && prefix_oriented(p, t, tried[i]))
			return true;
	}
	return false;
}

/* One machine with the same boxes held under several strategies. */
enum {
	PLAIN,
	CHEAP,
	SCORED,
	TBL,
	TFF,
	PREFIX,
	WAYS
};

struct field {
	struct torus t;
	struct torus_machine machine[TFF + 1];
	struct torus_state *state[TFF + 1]; /* NULL: cannot, or too slow */
	struct prefix prefix;
	bool sums;
};

static void field_create(struct field *f, const char *machine, bool slow)
{
	static const char *const name[] = { "submesh", "submesh", "submesh",
					    "submesh-tbl", "submesh-tff" };
	static const char *const off[] = { "look", "ends", "contact" };
	static const int offs[] = { 3, 1, 0, 0, 0 };

	memset(f, 0, sizeof(*f));
	if (torus_parse(&f->t, machine, NULL))
		abort();
	for (int w = 0; w <= TFF; w++) {
		struct torus_options options = { 0 };

		if (w >= TBL && (f->t.dims > 3 || !slow))
			continue;
		for (int i = 0; i < offs[w]; i++) {
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

/* Orders of the boxes, hence of TBL's list. */
static uint64_t volume(const struct torus_region *r)
{
	uint64_t v = 1;

	for (int d = 0; d < TORUS_MAX_DIMS; d++)
		v *= r->extent[d];
	return v;
}

static int low_first(const void *a, const void *b)
{
	const struct torus_region *x = a, *y = b;

	return (x->base[0] > y->base[0]) - (x->base[0] < y->base[0]);
}

static int high_first(const void *a, const void *b)
{
	return low_first(b, a);
}

static int low_z_first(const void *a, const void *b)
{
	const struct torus_region *x = a, *y = b;

	return (x->base[2] > y->base[2]) - (x->base[2] < y->base[2]);
}

static int high_z_first(const void *a, const void *b)
{
	return low_z_first(b, a);
}

static int large_first(const void *a, const void *b)
{
	uint64_t x = volume(a), y = volume(b);

	return (x < y) - (x > y);
}

static int small_first(const void *a, const void *b)
{
	return large_first(b, a);
}

static const struct {
	const char *name;
	int (*compare)(const void *a, const void *b);
} orders[] = {
	{ "as placed", NULL },
	{ "low x first", low_first },
	{ "high x first", high_first },
	{ "low z first", low_z_first },
	{ "high z first", high_z_first },
	{ "large first", large_first },
	{ "small first", small_first },
};

#define ORDERS (sizeof(orders) / sizeof(orders[0]))

/* Draw up to m random boxes with sides 1..side that are disjoint. */
static uint32_t draw_boxes(const struct torus *t, struct torus_region *r,
			   uint32_t m, uint32_t side)
{
	uint32_t words = torus_bits_words(t->nodes), n = 0;
	uint64_t *usable = malloc(words * sizeof(*usable));

	torus_bits_zero(usable, words);
	torus_bits_set_range(usable, 0, t->nodes);
	for (uint32_t tries = 0; n < m && tries < 100 * m; tries++) {
		torus_region_whole(&r[n], t);
		for (uint32_t d = 0; d < t->dims; d++) {
			uint32_t most = t->size[d] < side ? t->size[d] : side;

			r[n].extent[d] = 1 + bench_below(most);
			r[n].base[d] = bench_below(
				t->wrap[d] ? t->size[d] :
					     t->size[d] + 1 - r[n].extent[d]);
		}
		if (!torus_region_inside(&r[n], t, usable))
			continue;
		torus_region_erase(&r[n], t, usable);
		n++;
	}
	free(usable);
	return n;
}

/* Let the state hold the boxes, committed in their order. */
static void hold(struct torus_state *s, const struct torus *t,
		 const struct torus_region *r, uint32_t n)
{
	while (torus_state_holds(s) > 0)
		torus_state_release(s, torus_state_by_end(s, 0), NULL);
	for (uint32_t i = 0; i < n; i++) {
		struct torus_placement p = { .region = r[i] };

		p.granted = torus_region_nodes(&r[i], t);
		if (torus_state_commit(s, &p, i, NULL, 0, 1000 + 37 * i % 1000,
				       NULL) == TORUS_NO_SLOT)
			abort();
	}
}

static bool search(struct field *f, int w, const struct torus_ask *ask)
{
	struct torus_placement place;

	if (w == PREFIX)
		return prefix_find(&f->prefix, &f->t, ask,
				   torus_state_free_map(f->state[PLAIN]));
	return torus_state_find(f->state[w], ask, &place, NULL) == TORUS_FITS;
}

/* The processor's time for long searches, which others interrupt; to ask for
 * it takes longer than a short search, which has the wall's. */
static double time_search(struct field *f, int w, const struct torus_ask *ask,
			  bool fits)
{
	double value[REPEATS];
	int n = 0;

	while (n < REPEATS && (n == 0 || value[0] < 1e6)) {
		double used = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		double start = bench_clock_ns(CLOCK_MONOTONIC);

		if (search(f, w, ask) != fits) {
			printf("WRONG ANSWER\n");
			exit(1);
		}
		value[n] = bench_clock_ns(CLOCK_MONOTONIC) - start;
		if (value[n] > 2e5)
			value[n] = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) -
				   used;
		n++;
	}
	return bench_median(value, (size_t)n);
}

/* A request with sides 1..side. */
static struct torus_ask draw_ask(const struct torus *t, uint32_t side)
{
	struct torus_ask ask = { .rotate = true, .now_us = 500, .end_us = 1500 };

	ask.shape.axes = t->dims;
	for (uint32_t d = 0; d < t->dims; d++)
		ask.shape.extent[d] =
			1 + bench_below(side < t->size[d] ? side : t->size[d]);
	torus_shape_squeeze(&ask.shape);
	return ask;
}

/* Give TBL the list order in which the first requests take it least time. */
static void order_list(struct field *f, const struct torus_region *r,
		       uint32_t n, uint32_t ask_side)
{
	uint64_t before = bench_seed;
	struct torus_region *sorted = malloc((n + 1) * sizeof(*sorted));
	struct torus_ask ask[10];
	double least = 0, v[10];
	size_t best = 0;

	for (int i = 0; i < 10; i++)
		ask[i] = draw_ask(&f->t, ask_side);
	bench_seed = before;
	printf("    tbl's list, median of 10 requests:");
	for (size_t o = 0; o <= ORDERS; o++) {
		size_t k = o < ORDERS ? o : best;

		memcpy(sorted, r, n * sizeof(*r));
		if (orders[k].compare)
			qsort(sorted, n, sizeof(*sorted), orders[k].compare);
		hold(f->state[TBL], &f->t, sorted, n);
		if (o == ORDERS)
			break;
		for (int i = 0; i < 10; i++)
			v[i] = time_search(f, TBL, &ask[i],
					   search(f, PLAIN, &ask[i]));
		bench_median(v, 10);
		printf(" %s %.0f ns,", orders[k].name, v[5]);
		if (o == 0 || v[5] < least) {
			least = v[5];
			best = o;
		}
	}
	printf(" best: %s\n", orders[best].name);
	free(sorted);
}

static const char *const way_name[WAYS] = { "plain", "no look", "scored",
					    "tbl",   "tff",     "prefix" };

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
		printf("  %s %.0f ns", way_name[w], bench_median(v, n));
		if (w == over)
			continue;
		for (uint32_t i = 0; i < n; i++)
			v[i] = ns[w][i] / ns[over][i];
		printf(" (x%.2f)", bench_median(v, n));
	}
	printf("\n");
}

/* One machine: sides of the boxes and of the requests, how many of each, and
 * whether the slow strategies take part. */
struct node_set {
	const char *machine;
	uint32_t m, hold_side, ask_side, requests;
	bool slow;
};

static double ns[2][WAYS][MOST];

/* A line of the medians for the plots: x, then each way's, fails and fits. */
static void write_row(FILE *data, uint32_t x, const uint32_t *n,
		      const bool *asked)
{
	static double v[MOST];

	if (!data)
		return;
	fprintf(data, "%u", x);
	for (int fits = 0; fits < 2; fits++) {
		for (int w = 0; w < WAYS; w++) {
			memcpy(v, ns[fits][w], n[fits] * sizeof(*v));
			if (asked[w] && n[fits])
				fprintf(data, " %.0f", bench_median(v, n[fits]));
			else
				fprintf(data, " -");
		}
	}
	fprintf(data, "\n");
}

static void bench(const struct node_set *b, FILE *data, bool by_jobs)
{
	static struct torus_region r[8192];
	bool asked[WAYS] = { false };
	uint32_t n[2] = { 0, 0 }, m;
	struct field f;

	bench_seed = 88172645463325252u;
	field_create(&f, b->machine, b->slow);
	m = draw_boxes(&f.t, r, b->m, b->hold_side);
	for (int w = 0; w <= TFF; w++) {
		if (f.state[w])
			hold(f.state[w], &f.t, r, m);
	}
	printf("%s, %u boxes, %u %% free\n", b->machine, m,
	       100 * torus_state_free_nodes(f.state[PLAIN]) / f.t.nodes);
	if (f.state[TBL])
		order_list(&f, r, m, b->ask_side);
	for (int w = 0; w < WAYS; w++)
		asked[w] = w == PREFIX ? f.sums : f.state[w] != NULL;
	for (uint32_t i = 0; i < 20 * b->requests; i++) {
		struct torus_ask ask = draw_ask(&f.t, b->ask_side);
		bool fits = search(&f, PLAIN, &ask);

		if (n[fits] == b->requests)
			continue;
		for (int w = 0; w < WAYS; w++) {
			if (asked[w])
				ns[fits][w][n[fits]] = time_search(&f, w, &ask,
								   fits);
		}
		n[fits]++;
	}
	print_row(ns[0], n[0], PLAIN, asked, "fails");
	print_row(ns[1], n[1], PLAIN, asked, "fits");
	write_row(data, by_jobs ? m : f.t.nodes, n, asked);
	fflush(stdout);
	field_destroy(&f);
}

static FILE *open_data(const char *dir, const char *name, const char *x)
{
	char path[4096];
	FILE *file;

	if (!dir)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(2);
	}
	fprintf(file, "# %s; ns of failing, then of fitting searches, each:", x);
	for (int w = 0; w < WAYS; w++)
		fprintf(file, " %s%s", way_name[w], w + 1 < WAYS ? "," : "\n");
	return file;
}

static void against_size(const char *dir)
{
	static const struct node_set sets[] = {
		{ "8x8x8", 4, 8, 20, 40, true },
		{ "16x16x16", 31, 8, 20, 40, true },
		{ "32x32x32", 250, 8, 20, 12, true },
		{ "64x64x64", 2000, 8, 20, 10, true },
		{ "128x128x64", 8000, 8, 20, 10, false },
	};
	FILE *data = open_data(dir, "size.dat", "nodes");

	puts("Machine size, boxes 1..8 on a third of it");
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		bench(&sets[i], data, false);
	if (data)
		fclose(data);
}

static void against_jobs(const char *dir)
{
	static const uint32_t jobs[] = { 3, 5, 10, 20, 50, 100, 200 };
	FILE *data = open_data(dir, "jobs.dat", "jobs on 8x8x8");

	puts("8x8x8 against the number of jobs (goal: nothing below x1)");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		struct node_set b = { "8x8x8:MMM", jobs[i], 2, 8, 60, true };

		b.hold_side = jobs[i] <= 5  ? 6 :
			      jobs[i] <= 20 ? 4 :
			      jobs[i] <= 50 ? 3 :
					      2;
		bench(&b, NULL, true);
		b.machine = "8x8x8";
		bench(&b, data, true);
	}
	if (data)
		fclose(data);
}

int main(int argc, char **argv)
{
	static const struct node_set sets[] = {
		{ "64x64x64:MMM", 2000, 8, 20, 12, true },
		{ "64x64x64", 200, 20, 40, 30, false },
		{ "2x2x2x4x4x8", 40, 4, 8, 100, false },
		{ "4x4x4x4x2", 30, 3, 4, 100, false },
	};
	const char *dir = argc > 1 ? argv[1] : NULL;

	puts("Ratios are to plain `submesh` (score off). Goals on 64x64x64, failing: prefix x15, scored at most x3. tbl rules out by an erosion what fits nowhere.");
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		bench(&sets[i], NULL, false);
	against_size(dir);
	against_jobs(dir);
	return 0;
}
