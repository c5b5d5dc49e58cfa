/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The descriptors that registry.c lists, one per strategy file. */
#ifndef PLACEMENT_STRATEGIES_H
#define PLACEMENT_STRATEGIES_H

#include "torus/strategy.h"

extern const struct torus_strategy torus_strategy_flat;
extern const struct torus_strategy torus_strategy_submesh;
extern const struct torus_strategy torus_strategy_submesh_tbl;
extern const struct torus_strategy torus_strategy_submesh_bl;
extern const struct torus_strategy torus_strategy_submesh_tff;
extern const struct torus_strategy torus_strategy_submesh_ff;
extern const struct torus_strategy torus_strategy_semitorus_nep;
extern const struct torus_strategy torus_strategy_semitorus_ep;
extern const struct torus_strategy torus_strategy_semitorus_buddy;
extern const struct torus_strategy torus_strategy_subtorus;
extern const struct torus_strategy torus_strategy_subcube_buddy;

#endif
