/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries of slurm-torus in a job's AdminComment, beside other text. An entry
 * is one word without spaces, for programs:
 *
 *   torus:ask=4x4x2;conn-type=TTM                              the request
 *   torus:place=pod0:2,0,0+4x4x2;orientation=0,1,2;ring=TTM    the place
 *   torus:link-down=pod0:2,0,0/1                               a dead link in it
 *
 * A place has the region (torus/region.h), the orientation, a letter per axis
 * of the granted shape (T closed, M open), and `;strategy=NAME` if it is not
 * the pod's default. `;shape-wait=90` is the number of seconds that it waited for its
 * shape (slurm-torus(7)), if any. Several regions are written as in torus/regions.h. If
 * regions interleave, `;dilation=2;disturbs=17:1.5,18:1.25` has the factors of
 * run times: the job's own, and those of each job that it slows.
 */
#ifndef FORMAT_ADMIN_COMMENT_H
#define FORMAT_ADMIN_COMMENT_H

#include "torus/placement.h"
#include "torus/state.h"
#include "torus/request.h"
#include "torus/text.h"

#include <stdbool.h>

#define ADMIN_COMMENT_ASK "torus:ask="
#define ADMIN_COMMENT_PLACE "torus:place="
#define ADMIN_COMMENT_SHAPE_WAIT ";shape-wait="
#define ADMIN_COMMENT_LINK_DOWN "torus:link-down="
#define ADMIN_COMMENT_SCATTERED_MAX 512 /* longest list of single nodes shown */
#define ADMIN_COMMENT_DISTURBED_MAX                                            \
	16 /* disturbed jobs named; then ",+N" others */

/* Return the first entry that begins with this mark, or NULL (comment may be NULL). */
const char *admin_comment_entry(const char *comment, const char *mark);
/* Remove all of them, with the spaces that separate them from other text. */
void admin_comment_remove(char *comment, const char *mark);

/* Append the place to an empty text. Return 0, or -1 with ENOMEM. */
int admin_comment_write(const struct torus_machine *m,
			const struct torus_placement *place,
			struct torus_text *text);

/* Append the dilation from shared links (torus/contention.h), if the place's
 * strategy interleaves regions; s holds the other jobs, which are counted without
 * `names`. Return 0, or -1 with ENOMEM. */
int admin_comment_write_contention(const struct torus_state *s,
				   const struct torus_placement *place,
				   bool names, struct torus_text *text);

/*
 * Read the regions, rings and strategy of a place entry. Several regions go to
 * the room (nodes: a machine bitmap). Return 0, or -1 if there is no entry, if
 * it does not fit the machine, or if it has scattered nodes, which are not
 * read; *place is then undefined.
 */
int admin_comment_read(const char *comment, const struct torus_machine *m,
		       const struct torus_placement_room *room,
		       struct torus_placement *place);

#define JOB_UPDATE_MARK "torus:update="

/* Return true if the comment is such a text; false for NULL. */
bool job_update_is(const char *comment);

/* Append the text. Return 0, or -1 with ENOMEM, or with EINVAL if a word
 * contains ';' or a control character. */
int job_update_write(const struct torus_request_words *words,
		     struct torus_text *text);

/* Read the text in place; the words point into it. Return 0, or -1 with EINVAL
 * and a line in err. */
int job_update_read(char *text, struct torus_request_words *words,
		    struct torus_error *err);

#endif
