/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Confidence intervals (spread.h), by the GNU Scientific Library. */
#include "report/spread.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

double torus_moments_half_width(const struct torus_moments *moments)
{
	double n = (double)moments->n;

	if (moments->n < 2)
		return NAN;
	return gsl_cdf_tdist_Pinv(0.975, n - 1) *
	       sqrt(torus_moments_variance(moments) / n);
}
