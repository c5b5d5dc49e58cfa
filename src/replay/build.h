/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identifies the build of the deciding code: the first 16 digits of the SHA-256
 * of the sources of libtorus, src/replay and src/trace, computed by the build.
 * Two builds with the same hash give the same answer to the same input. Code
 * that only displays results does not change the hash.
 */
#ifndef REPLAY_BUILD_H
#define REPLAY_BUILD_H

extern const char torus_build[];

#endif
