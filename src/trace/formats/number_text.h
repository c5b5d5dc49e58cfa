/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for output: no trailing zeros, no exponent. */
#ifndef TRACE_NUMBER_TEXT_H
#define TRACE_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define TORUS_SECONDS_SIZE 32 /* longest text of a time, with the NUL */

/* Format microseconds as seconds: 90, 0.5, -1.25. Return the length. */
int torus_seconds_format(int64_t us, char buffer[TORUS_SECONDS_SIZE]);

/* Format with at most `decimals` digits after the point; "-" for NAN. */
int torus_number_format(double value, int decimals, char *buffer, size_t size);

#endif
