/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which build of the deciding code this is: the first 16 digits of the SHA-256
 * of the sources of libtorus, src/replay and src/trace, made by the build. Two
 * builds with the same hash give the same answer to the same input; what only
 * shows results does not change it.
 */
#ifndef REPLAY_BUILD_H
#define REPLAY_BUILD_H

extern const char torus_build[];

#endif
