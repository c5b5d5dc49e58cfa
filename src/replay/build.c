/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash of the deciding sources (replay.h). */
#include "replay/replay.h"

#include "build_hash.h"

const char torus_build[] = BUILD_HASH;
