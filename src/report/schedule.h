/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A schedule as CSV, one row per job in the order of their ends (an order by
 * submission would need to buffer every job that an earlier one delays):
 *
 *	id,submit,start,end,state,requested,granted,region,orientation,
 *	strategy,wait,bounded_slowdown,reason
 *
 * On a machine whose links may fail there is also a column ring, because the
 * region does not show which rings a dead link opens.
 *
 * Times are seconds on the input's clock without trailing zeros. Unknown fields
 * are empty. The text is hashed before compression, so that the summary can
 * contain the schedule's digest.
 */
#ifndef REPORT_SCHEDULE_H
#define REPORT_SCHEDULE_H

#include <nettle/sha2.h>
#include <stdio.h>

#include "replay/replay.h"

struct torus_schedule {
	FILE *out; /* stream for rows; it hashes them and writes them to `to` */
	FILE *to;
	struct sha256_ctx sha;
	int write_errno;        /* errno of a failed write to `to`; 0: none */
	struct torus_text text; /* scratch */
	bool rings;             /* the column ring is written */
};

/* Write the header. The struct must not move afterwards. 0, or -1 with
 * errno. */
int torus_schedule_begin(struct torus_schedule *schedule,
			 const struct torus_machine *m, FILE *out);
int torus_schedule_row(struct torus_schedule *schedule,
		       const struct torus_machine *m,
		       const struct torus_replay_row *row);
/* After all rows: flush, and get the SHA-256 in hexadecimal. Return 0, or -1
 * with errno. */
int torus_schedule_finish(struct torus_schedule *schedule,
			  char hex[TORUS_TRACE_DIGEST_SIZE]);
void torus_schedule_end(struct torus_schedule *schedule);

#endif
