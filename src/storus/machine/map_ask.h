/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source that is asked in a child process, so that the watch continues if it does
 * not answer (a slurmctld that hangs). The answer is the text of the snapshot.
 */
#ifndef STORUS_MAP_ASK_H
#define STORUS_MAP_ASK_H

#include <sys/types.h>

#include "storus/machine/source.h"

/* Zero it, and set from to -1. */
struct map_ask {
	pid_t child; /* 0: nobody is asked */
	int from;    /* descriptor of the answer; -1: no question is open */
	struct torus_text answer;
};

/* Ask. -1 with errno. */
int map_ask_begin(struct map_ask *a, struct storus_source *source);

/*
 * Take what has come, once a->from is readable. Return true when the answer is
 * complete: *snapshot is the caller's, or NULL with the reason in err.
 */
bool map_ask_take(struct map_ask *a, struct snapshot **snapshot,
		  struct torus_error *err);

/* Give up, and end the child and its commands. */
void map_ask_end(struct map_ask *a);

#endif
