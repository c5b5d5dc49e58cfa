/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sort messages by the file's lines. */
#ifndef TORUS_CONFIG_ORDER_H
#define TORUS_CONFIG_ORDER_H

#include "torus/text.h"

/*
 * Sort the lines FILE:NUMBER: ... of err from byte `from` on by number; lines
 * of equal number keep their order, other lines stay at the end.
 * O(lines^2), of at most TORUS_ERROR_TEXT bytes.
 */
void torus_errors_order(struct torus_error *err, size_t from, const char *file);

#endif
