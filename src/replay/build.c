/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash of the deciding sources (build.h). */
#include "replay/build.h"

#include "build_hash.h"

const char torus_build[] = BUILD_HASH;
