/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nearest larger shapes that a torus with units can hold. */
#ifndef PLACEMENT_NEAREST_H
#define PLACEMENT_NEAREST_H

#include "torus/machine.h"

/* If only units or the grain exclude every orientation of the ask's shape from
 * the pod, add a line that says so and names the nearest larger shapes. */
bool torus_nearest_explain(const struct torus_pod *pod,
			   const struct torus_ask *ask, struct torus_error *why);

#endif
