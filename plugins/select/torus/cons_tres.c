/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select/torus_cons_tres: wraps select/cons_tres (cores, memory, GRES). */
#include "select/torus/table.h"

#include "slurmctld/slurm_compat.h"

const char plugin_name[] = "Shapes on a torus, around select/cons_tres";
const char plugin_type[] = "select/torus_cons_tres";
const uint32_t plugin_id = COMPAT_SELECT_ID_CONS_TRES;

char select_wrapped_type[] = "select/cons_tres";
