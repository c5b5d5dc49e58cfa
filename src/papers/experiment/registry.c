/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The experiments, by paper. */
#include "papers/experiment/papers.h"

const struct torus_experiment *torus_experiment_at(size_t i)
{
	static const struct torus_experiment *const papers[] = {
		torus_gupta_cnp,
		torus_gupta_preemptive,
		torus_gupta_theorems,
		torus_gupta_drawn,
		torus_mao_drawn,
		torus_mao_experiments,
		torus_aida_experiments,
		torus_bani_drawn,
		torus_bani_experiments,
		torus_mohapatra_drawn,
		torus_mohapatra_experiments,
	};

	for (size_t p = 0; p < sizeof(papers) / sizeof(*papers); p++) {
		for (const struct torus_experiment *e = papers[p]; e->name; e++)
			if (i-- == 0)
				return e;
	}
	return NULL;
}
