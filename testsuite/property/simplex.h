/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An exact linear program for tests: maximize c y subject to A y <= 1, y >= 0
 * by the simplex method on a dense tableau of rationals, with Bland's rule (it
 * cannot cycle). y = 0 is a first corner, so one phase is enough.
 */
#ifndef TESTSUITE_SIMPLEX_H
#define TESTSUITE_SIMPLEX_H

#include <stdbool.h>
#include <stdint.h>

#include <gmp.h>

#define SIMPLEX_ROWS 64
#define SIMPLEX_COLUMNS 8

/* Rows: constraints, then the objective; columns: y, then the right side.
 * Basic variables are swapped in place (Tucker's form). */
struct simplex {
	uint32_t rows, columns;
	mpq_t cell[SIMPLEX_ROWS + 1][SIMPLEX_COLUMNS + 1];
	uint32_t basic[SIMPLEX_ROWS]; /* names: y 0.., slacks columns.. */
	uint32_t free[SIMPLEX_COLUMNS];
};

static void simplex_pivot(struct simplex *s, uint32_t r, uint32_t c)
{
	uint32_t name = s->basic[r];
	mpq_t p, x;

	mpq_inits(p, x, NULL);
	mpq_inv(p, s->cell[r][c]);
	for (uint32_t i = 0; i <= s->rows; i++) {
		for (uint32_t j = 0; i != r && j <= s->columns; j++) {
			if (j == c)
				continue;
			mpq_mul(x, s->cell[i][c], s->cell[r][j]);
			mpq_mul(x, x, p);
			mpq_sub(s->cell[i][j], s->cell[i][j], x);
		}
	}
	for (uint32_t i = 0; i <= s->rows; i++) {
		if (i != r) {
			mpq_mul(s->cell[i][c], s->cell[i][c], p);
			mpq_neg(s->cell[i][c], s->cell[i][c]);
		}
	}
	for (uint32_t j = 0; j <= s->columns; j++) {
		if (j != c)
			mpq_mul(s->cell[r][j], s->cell[r][j], p);
	}
	mpq_set(s->cell[r][c], p);
	s->basic[r] = s->free[c];
	s->free[c] = name;
	mpq_clears(p, x, NULL);
}

/* The column to enter: the first name that gains (Bland). */
static uint32_t simplex_enter(const struct simplex *s)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t j = 0; j < s->columns; j++) {
		if (mpq_sgn(s->cell[s->rows][j]) > 0 &&
		    (best == UINT32_MAX || s->free[j] < s->free[best]))
			best = j;
	}
	return best;
}

static uint32_t simplex_leave(const struct simplex *s, uint32_t c)
{
	uint32_t best = UINT32_MAX;
	mpq_t ratio, least;

	mpq_inits(ratio, least, NULL);
	for (uint32_t i = 0; i < s->rows; i++) {
		int order;

		if (mpq_sgn(s->cell[i][c]) <= 0)
			continue;
		mpq_div(ratio, s->cell[i][s->columns], s->cell[i][c]);
		order = best == UINT32_MAX ? -1 : mpq_cmp(ratio, least);
		if (order < 0 || (!order && s->basic[i] < s->basic[best])) {
			mpq_set(least, ratio);
			best = i;
		}
	}
	mpq_clears(ratio, least, NULL);
	return best;
}

static void simplex_init(struct simplex *s, uint32_t rows, uint32_t columns)
{
	s->rows = rows;
	s->columns = columns;
	for (uint32_t i = 0; i <= rows; i++) {
		for (uint32_t j = 0; j <= columns; j++)
			mpq_init(s->cell[i][j]);
	}
	for (uint32_t i = 0; i < rows; i++) {
		mpq_set_ui(s->cell[i][columns], 1, 1);
		s->basic[i] = columns + i;
	}
	for (uint32_t j = 0; j < columns; j++)
		s->free[j] = j;
}

/* Into optimum; false: unbounded. */
static bool simplex_maximize(struct simplex *s, mpq_t optimum)
{
	uint32_t r, c;

	while ((c = simplex_enter(s)) != UINT32_MAX) {
		r = simplex_leave(s, c);
		if (r == UINT32_MAX)
			return false;
		simplex_pivot(s, r, c);
	}
	mpq_neg(optimum, s->cell[s->rows][s->columns]);
	return true;
}

static void simplex_free(struct simplex *s)
{
	for (uint32_t i = 0; i <= s->rows; i++) {
		for (uint32_t j = 0; j <= s->columns; j++)
			mpq_clear(s->cell[i][j]);
	}
}

#endif
