/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between the two select plugins: linear.c or cons_tres.c is linked
 * with the common files.
 */
#ifndef SELECT_TORUS_WRAPS_H
#define SELECT_TORUS_WRAPS_H

#include <stdint.h>

#include "slurmctld/names.h"

TORUS_EXPORT extern const char plugin_name[];
TORUS_EXPORT extern const char plugin_type[];
TORUS_EXPORT extern const uint32_t plugin_id;

/* The stock plugin's type; not const, since older Slurm takes a char *. */
extern char select_wrapped_type[];

#endif
