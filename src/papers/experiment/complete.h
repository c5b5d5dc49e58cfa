/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compute the missing cells of a study's campaigns. */
#ifndef EXPERIMENT_COMPLETE_H
#define EXPERIMENT_COMPLETE_H

#include "papers/experiment/lab.h"

struct torus_complete_hooks {
	void *arg;
	bool (*tick)(void *arg, uint32_t done, uint32_t all); /* go on? */
};

/* Return 0 if all cells are in the file; 1 if tick() stopped it; -1 with lines
 * in err. */
int torus_study_complete(const struct torus_lab *lab,
			 const struct torus_study *study,
			 struct torus_result_file *file, unsigned workers,
			 const struct torus_complete_hooks *hooks,
			 struct torus_error *err);

#endif
