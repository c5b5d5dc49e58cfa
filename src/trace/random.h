/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers that are the same on every machine.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): block number n of a stream
 * is a fixed function of (seed, replication, purpose, n). So streams need no
 * set-up, never overlap, and what one purpose draws moves no other: a changed
 * load leaves all sizes as they were.
 *
 * The distributions use +, -, *, / and square roots only, which IEEE 754
 * fixes to the last bit; the C library's log() and exp() differ between
 * machines, so there are our own.
 */
#ifndef TRACE_RANDOM_H
#define TRACE_RANDOM_H

#include <stdint.h>

/* One block: four words from a counter and a key. */
void torus_philox4x32(const uint32_t counter[4], const uint32_t key[2],
		      uint32_t out[4]);

/* What numbers are for: each purpose is a stream of its own. The numbers are
 * part of what a seed means: never change them. */
enum torus_purpose {
	TORUS_PURPOSE_ARRIVALS = 1,
	TORUS_PURPOSE_SIZES = 2,
	TORUS_PURPOSE_TIMES = 3,
	TORUS_PURPOSE_LAXITIES = 4,
	TORUS_PURPOSE_ESTIMATES = 5,
	TORUS_PURPOSE_SHAPES = 6,
	TORUS_PURPOSE_KINDS = 7,
	TORUS_PURPOSE_PIECES = 8,
	TORUS_PURPOSE_FAULTS = 9,
};

struct torus_random {
	uint32_t key[2];
	uint32_t counter[4]; /* block (two words), purpose, replication */
	uint32_t word[4];
	unsigned left; /* words not used yet */
};

/* Replications of one seed share nothing. */
void torus_random_init(struct torus_random *r, uint64_t seed,
		       uint32_t replication, enum torus_purpose purpose);

uint64_t torus_random_bits(struct torus_random *r);

/* Uniform within (0, 1), both ends excluded. */
double torus_random_unit(struct torus_random *r);

/* Uniform on 0 .. n-1, every one exactly as likely; n > 0. */
uint32_t torus_random_below(struct torus_random *r, uint32_t n);

/* Exponential with mean 1. */
double torus_random_exponential(struct torus_random *r);

/* Normal with mean 0 and deviation 1. */
double torus_random_normal(struct torus_random *r);

/* The same with mean and deviation, redrawn until it is within low..high,
 * which must be likely enough. */
double torus_random_normal_within(struct torus_random *r, double mean,
				  double deviation, double low, double high);

/* Gamma of that shape (> 0), scale 1. */
double torus_random_gamma(struct torus_random *r, double shape);

/* An index below n, as likely as its share of the weights' sum (> 0). */
uint32_t torus_random_weighted(struct torus_random *r, const double *weight,
			       uint32_t n);

/* Natural logarithm of a normal number x > 0; exponential function. Errors
 * are below two units in the last place for results of ordinary size. */
double torus_exact_log(double x);
double torus_exact_exp(double x);

#endif
