/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of all experiments, in Markdown. */
#ifndef EXPERIMENT_PAGE_H
#define EXPERIMENT_PAGE_H

#include "papers/experiment/lab.h"

/* Write the experiment's part, NAME.md in the directory. 0, or -1 with
 * errno. */
int torus_page_part(const struct torus_lab *lab);

/* Assemble the existing parts, in the registry's order, as DIRECTORY.md. */
int torus_page_write(const char *directory, const char *command);

/* latex.c: the same as NAME.tex, and as DIRECTORY.tex, from which pdflatex makes
 * DIRECTORY.pdf. torus_latex_part() returns 1 if gnuplot drew no PDF, torus_latex_write()
 * 1 if pdflatex is missing. */
int torus_latex_part(const struct torus_lab *lab);
int torus_latex_write(const char *directory, const char *command);

#endif
