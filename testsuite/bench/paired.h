/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences of paired samples with their 95 % intervals. */
#ifndef BENCH_PAIRED_H
#define BENCH_PAIRED_H

#include <math.h>
#include <stdint.h>

#define PAIRED_MOST 64 /* samples */

/* Two-sided 95 % quantile of Student's t with n - 1 degrees of freedom
 * (Cornish and Fisher's expansion; within 0.01 from n = 5 on). */
static inline double paired_student(uint32_t n)
{
	double z = 1.959964, v = n - 1, z3 = z * z * z, z5 = z3 * z * z;

	return z + (z3 + z) / (4 * v) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
	       (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

static inline double paired_mean(const double *x, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

/* Mean and half width of the interval of x - y. */
static inline double paired_difference(const double *x, const double *y,
				       uint32_t n, double *half)
{
	double d[PAIRED_MOST], m, square = 0;

	for (uint32_t i = 0; i < n; i++)
		d[i] = x[i] - y[i];
	m = paired_mean(d, n);
	for (uint32_t i = 0; i < n; i++)
		square += (d[i] - m) * (d[i] - m);
	*half = paired_student(n) * sqrt(square / (n - 1) / n);
	return m;
}

#endif
