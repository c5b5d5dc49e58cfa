/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `storus what-if` changes in a snapshot. */
#ifndef STORUS_WHAT_IF_H
#define STORUS_WHAT_IF_H

#include "format/snapshot.h"
#include "storus/storus.h"

/* Change it. option: "drain", "up", "cancel" or "submit". An exit status, after a
 * line on stderr. number: of a job to submit, which becomes new1, new2 and so on. */
int what_if_change(struct snapshot *s, const char *option, const char *value,
		   uint32_t number);

#endif
