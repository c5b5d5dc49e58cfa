/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The campaigns of a study, computed as far as they are not yet. */
#ifndef EXPERIMENT_COMPLETE_H
#define EXPERIMENT_COMPLETE_H

#include "experiment/lab.h"

struct torus_complete_hooks {
	void *arg;
	bool (*tick)(void *arg, uint32_t done, uint32_t all); /* go on? */
};

/* 0: all cells are in the book; 1: tick() stopped it; -1 with lines in err. */
int torus_study_complete(const struct torus_lab *lab,
			 const struct torus_study *study,
			 struct torus_book *book, unsigned workers,
			 const struct torus_complete_hooks *hooks,
			 struct torus_error *err);

#endif
