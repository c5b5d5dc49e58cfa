/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registry of placement strategies, in listing order. A new strategy is its
 * file and a line here: torus_strategy_NAME.
 */
#ifndef PLACEMENT_STRATEGIES_H
#define PLACEMENT_STRATEGIES_H

#include "torus/strategy.h"

#define TORUS_STRATEGIES(X)                                                    \
	X(flat)                                                                \
	X(submesh)                                                             \
	X(submesh_tbl)                                                         \
	X(submesh_bl)                                                          \
	X(submesh_tff)                                                         \
	X(submesh_ff)                                                          \
	X(submesh_bf)                                                          \
	X(submesh_wf)                                                          \
	X(semitorus_nep)                                                       \
	X(semitorus_ep)                                                        \
	X(semitorus_buddy)                                                     \
	X(subtorus)                                                            \
	X(subtorus_diagonal)                                                   \
	X(subcube_buddy)

#define TORUS_STRATEGY_DECLARE(name)                                           \
	extern const struct torus_strategy torus_strategy_##name;
TORUS_STRATEGIES(TORUS_STRATEGY_DECLARE)

#endif
