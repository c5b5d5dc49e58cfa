/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workload of Lublin and Feitelson (2003) against its published
 * parameters, on 128 nodes: sizes, run times of the serial jobs, the daily
 * cycle. What is expected is integrated here by Simpson's rule. Seeds are
 * fixed; bounds are five standard errors.
 */
#include "models.h"

/* As published; low, medium and high are log2 of sizes. */
struct kind {
	const char *user; /* NULL: the only kind */
	double serial, power, low, medium, high, first;
	double a1, b1, a2, b2, pa, pb;
	double an, bn;
};

static const struct kind every = {
	NULL, 0.244, 0.576, 0.8,     4.5,  7,      0.86,   4.2,
	0.94, 312,   0.03,  -0.0054, 0.78, 8.1737, 3.9631,
};
static const struct kind interactive = {
	"1",    0.1541, 0.625,  1,       3,      5.5,    0.705,  3.8351,
	0.6605, 7.073,  0.6856, -0.0118, 0.9156, 8.9186, 3.6680,
};
static const struct kind batch = {
	"2",   0.2927, 0.6686, 1.2,    5,      7,      0.875,  6.57,
	0.823, 639.1,  0.0156, -0.003, 0.6986, 6.1271, 5.2740,
};

/* The integral of x^k times the density of gamma(a, b). */
static double gamma_moment(double a, double b, double from, double to, int k)
{
	double h = (to - from) / 400, sum = 0;

	for (int i = 0; i <= 400; i++) {
		double x = from + i * h;

		sum += (i == 0 || i == 400 ? 1 :
			i % 2              ? 4 :
					     2) *
		       pow(x, k) *
		       exp((a - 1) * log(x) - x / b - lgamma(a) - a * log(b));
	}
	return sum * h / 3;
}

/* E(ln run ^ k) of a serial job: a mixture, drawn again above 12. */
static double log_run(const struct kind *kind, int k)
{
	double p = kind->pa + kind->pb;

	return p * gamma_moment(kind->a1, kind->b1, 0, 12, k) +
	       (1 - p) * gamma_moment(kind->a2, kind->b2, 0, 12, k);
}

static bool is_power(double n)
{
	return n > 1 && exp2(round(log2(n))) == n;
}

/* The mean size, and the share of sizes that are a power of two above 1. */
static void sizes(const struct kind *kind, double *mean, double *powers)
{
	const double stage[] = { kind->low, kind->medium, kind->high };
	double rounded = kind->power / (1 - kind->serial);

	*mean = kind->serial;
	*powers = 0;
	for (int i = 0; i < 20000; i++) {
		int s = i >= 10000;
		double u = stage[s] + (stage[s + 1] - stage[s]) *
					      (i % 10000 + 0.5) / 10000;
		double weight = (s ? 1 - kind->first : kind->first) *
				(1 - kind->serial) / 10000;
		double power = exp2(floor(u + 0.5));
		double any = floor(exp2(u) + 0.5);

		*mean += weight * (rounded * power + (1 - rounded) * any);
		*powers += weight * (rounded * is_power(power) +
				     (1 - rounded) * is_power(any));
	}
}

struct sums {
	double n, serial, power, size, logs, squares, day[48];
};

static void sums_add(struct sums *s, const struct torus_trace_record *r)
{
	double l = log((double)r->run_us * 1e-6);

	assert_true(r->requested >= 1 && r->requested <= 128 && l <= 12.0001);
	s->n++;
	s->size += r->requested;
	s->power += is_power(r->requested);
	s->day[r->submit_us / 1800000000 % 48]++;
	if (r->requested > 1)
		return;
	s->serial++;
	s->logs += l;
	s->squares += l * l;
}

static void day_check(const struct kind *kind, const struct sums *s)
{
	double weight[48], sum = 0;

	for (int i = 11; i < 59; i++) {
		weight[(i - 1) % 48] = gamma_moment(kind->an, kind->bn, i - 0.5,
						    i + 0.5, 0);
		sum += weight[(i - 1) % 48];
	}
	for (int i = 0; i < 48; i++) /* arrivals come in bursts: 3 x */
		near_of("day", s->n, s->day[i] / s->n, weight[i] / sum,
			3 * sqrt(weight[i] / sum));
}

static void kind_check(const struct kind *kind, int kinds)
{
	struct torus_model_options o = options_of("lublin");
	double mean, powers, all = log_run(kind, 0);
	const struct torus_trace_record *r;
	struct torus_trace *trace;
	struct sums s = { 0 };

	set(&o, "kinds", kinds);
	trace = opened(&o);
	while ((r = next(trace)))
		if (!kind->user || !strcmp(r->user, kind->user))
			sums_add(&s, r);
	torus_trace_close(trace);
	sizes(kind, &mean, &powers);
	assert_true(s.n > JOBS / 10.0);
	near_of("serial", s.n, s.serial / s.n, kind->serial, 0.5);
	near_of("powers of two", s.n, s.power / s.n, powers, 0.5);
	near_of("size", s.n, s.size / s.n, mean, 35);
	near_of("ln run", s.serial, s.logs / s.serial, log_run(kind, 1) / all,
		3.5);
	near_of("ln run, squared", s.serial, s.squares / s.serial,
		log_run(kind, 2) / all, 40);
	day_check(kind, &s);
}

static void both_kinds_have_the_published_parameters(void **state)
{
	(void)state;
	kind_check(&every, 1);
	kind_check(&interactive, 2);
	kind_check(&batch, 2);
}

/* The load that was asked for comes, whatever the machine. */
static void lublin_load(void **state)
{
	static const char *const machine[] = { "flat:128", "8x8x16", "flat:32",
					       "flat:2" };

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		struct torus_model_options o = options_of("lublin");
		const struct torus_trace_record *r;
		struct torus_trace *trace;
		double work = 0, first = -1, last = 0;

		assert_int_equal(torus_parse(&o.torus, machine[i / 2], NULL), 0);
		set(&o, "load", 0.7);
		set(&o, "kinds", 1 + i % 2);
		trace = opened(&o);
		while ((r = next(trace))) {
			work += r->requested * (double)r->run_us;
			last = (double)r->submit_us;
			first = first < 0 ? last : first;
			assert_true(r->requested <= o.torus.nodes);
			assert_string_equal(r->user,
					    *r->user == '2' ? "2" : "1");
		}
		torus_trace_close(trace);
		work /= (last - first) * o.torus.nodes;
		if (fabs(work - 0.7) > 1e-6)
			fail_msg("%s, kinds %zu: load %g", machine[i / 2],
				 1 + i % 2, work);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_kinds_have_the_published_parameters),
		cmocka_unit_test(lublin_load),
	};

	return UNIT_RUN(tests);
}
