/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select/torus: wraps select/linear (whole nodes). */
#include "select/torus/table.h"

#include "slurmctld/slurm_compat.h"

const char plugin_name[] = "Shapes on a torus, around select/linear";
const char plugin_type[] = "select/torus";
const uint32_t plugin_id = COMPAT_SELECT_ID_LINEAR;

char select_wrapped_type[] = "select/linear";
