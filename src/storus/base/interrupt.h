/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ctrl-C and SIGTERM during a long computation whose results are kept. */
#ifndef STORUS_INTERRUPT_H
#define STORUS_INTERRUPT_H

#include <signal.h>

/* Set by the first of them; the second one ends the program at once. */
extern volatile sig_atomic_t storus_interrupted;

void storus_catch_interrupts(void);

#endif
