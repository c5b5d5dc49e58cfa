/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Confidence intervals, against values of a table of Student's t. */
#include "unit.h"

#include <math.h>

#include "report/spread.h"

static double half_width(const double *x, int n)
{
	struct torus_moments m = { 0 };

	for (int i = 0; i < n; i++)
		torus_moments_add(&m, x[i]);
	return torus_moments_half_width(&m);
}

static void by_hand(void **state)
{
	/* deviation 1, t of 2 degrees of freedom 4.302653 */
	const double three[] = { 1, 2, 3 };
	/* deviation sqrt(2.5), t of 4 degrees of freedom 2.776445 */
	const double five[] = { 1, 2, 3, 4, 5 };

	(void)state;
	assert_true(fabs(half_width(three, 3) - 4.302653 / sqrt(3)) < 1e-5);
	assert_true(fabs(half_width(five, 5) - 2.776445 * sqrt(2.5) / sqrt(5)) <
		    1e-5);
}

static void too_few(void **state)
{
	const double one[] = { 7 };

	(void)state;
	assert_true(isnan(half_width(one, 0)));
	assert_true(isnan(half_width(one, 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(too_few),
	};

	return UNIT_RUN(tests);
}
