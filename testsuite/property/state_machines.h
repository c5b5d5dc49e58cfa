/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machines of the property tests on states, by strategy. */
#ifndef TESTSUITE_STATE_MACHINES_H
#define TESTSUITE_STATE_MACHINES_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/machine.h"

#define MOST_WORDS 8 /* of a machine bitmap */
#define MOST_PODS 3

struct pod_text {
	const char *torus;
	const char *strategy[3]; /* the first with options: NAME KEY=VALUE ... */
	uint64_t absent;         /* cells of the first word without a node */
};

/* Ended by one without a torus. */
extern const struct pod_text state_machines[][MOST_PODS];

/* Which strategy the machine is there for: its first pod's. */
const struct torus_strategy *machine_strategy(const struct pod_text *pod);

/* The texts of the k-th machine that the strategy serves, of those for a
 * strategy that the table does not list; false after the last. */
bool machine_for_any(const struct torus_strategy *strategy, uint32_t k,
		     struct pod_text *pod);

void machine_build(struct torus_machine *m, const struct pod_text *pod);

#endif
