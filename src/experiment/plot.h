/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures by gnuplot: NAME.gp, then NAME.svg and NAME.png out of it. */
#ifndef EXPERIMENT_PLOT_H
#define EXPERIMENT_PLOT_H

#include "experiment/lab.h"

/* Begin NAME.gp; commands up to one `plot` follow. NULL with errno. */
FILE *torus_plot_begin(const struct torus_lab *lab);

/* Close it and run gnuplot. 0 drawn; 1 there is no gnuplot; -1 with errno. */
int torus_plot_end(const struct torus_lab *lab, FILE *script);

/* The points of the experiment as the paper draws them: both. */
int torus_plot_points(const struct torus_lab *lab);

#endif
