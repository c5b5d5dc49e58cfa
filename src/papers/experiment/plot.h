/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures by gnuplot: NAME.gp, and NAME.svg and NAME.png drawn by it. */
#ifndef EXPERIMENT_PLOT_H
#define EXPERIMENT_PLOT_H

#include "papers/experiment/lab.h"

/* How many curves differ by colour and mark. */
#define TORUS_PLOT_STYLES 10

/* Create NAME.gp; the caller writes commands up to one `plot`. NULL with
 * errno. */
FILE *torus_plot_begin(const struct torus_lab *lab);

/* Close it and run gnuplot. 0: drawn; 1: gnuplot is missing; -1 with errno. */
int torus_plot_end(const struct torus_lab *lab, FILE *script);

/* Run a program in the directory. 0; 1: it is missing; -1 with errno. */
int torus_plot_command(const char *directory, char *const *command);

/* Draw the points of the experiment as the paper does: begin and end. */
int torus_plot_points(const struct torus_lab *lab);

#endif
