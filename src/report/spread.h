/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Means of independent runs and how sure they are. */
#ifndef REPORT_SPREAD_H
#define REPORT_SPREAD_H

#include "replay/metrics.h"

/* Half the width of the two-sided 95 % confidence interval of the mean, by
 * Student's t; NAN below two values. */
double torus_moments_half_width(const struct torus_moments *moments);

#endif
