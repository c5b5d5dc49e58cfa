/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers that are the same on every machine.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): block number n of a stream
 * is a fixed function of (seed, replication, purpose, n). So streams need no
 * set-up, never overlap, and are independent of each other: a changed load
 * leaves all sizes as they were.
 *
 * The distributions use only +, -, *, / and square roots, which IEEE 754
 * defines to the last bit. The C library's log() and exp() differ between
 * machines, so this module has its own.
 */
#ifndef TRACE_RANDOM_H
#define TRACE_RANDOM_H

#include <stdint.h>

/* One block: four words from a counter and a key. */
void torus_philox4x32(const uint32_t counter[4], const uint32_t key[2],
		      uint32_t out[4]);

/* Purposes: each has its own stream. The numbers define the meaning of a seed:
 * never change them. */
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
	unsigned left; /* unused words of the block */
};

/* Replications of one seed are independent. */
void torus_random_init(struct torus_random *r, uint64_t seed,
		       uint32_t replication, enum torus_purpose purpose);

uint64_t torus_random_bits(struct torus_random *r);

/* Return a uniform number in (0, 1), both ends excluded. */
double torus_random_unit(struct torus_random *r);

/* Return a number in 0 .. n-1, all exactly equally likely; n > 0. */
uint32_t torus_random_below(struct torus_random *r, uint32_t n);

/* Exponential with mean 1. */
double torus_random_exponential(struct torus_random *r);

/* Normal with mean 0 and deviation 1. */
double torus_random_normal(struct torus_random *r);

/* Return a normal number with mean and deviation, redrawn until it lies within
 * low..high. That range must be likely enough. */
double torus_random_normal_within(struct torus_random *r, double mean,
				  double deviation, double low, double high);

/* Return a gamma number with that shape (> 0), scale 1. */
double torus_random_gamma(struct torus_random *r, double shape);

/* Return an index below n with probability proportional to its weight; the
 * weights' sum must be > 0. */
uint32_t torus_random_weighted(struct torus_random *r, const double *weight,
			       uint32_t n);

/* Natural logarithm of a normal number x > 0, and exponential function. Errors
 * are below two units in the last place for results of ordinary size. */
double torus_exact_log(double x);
double torus_exact_exp(double x);

#endif
