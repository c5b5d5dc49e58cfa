/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The new shape of a pending job, as `storus update` sends it to slurmctld. Job
 * updates have no field for it, so it travels in the Comment:
 *
 *   torus:update=1;geometry=4x4x2;conn-type=TTM;no-rotate;placement=submesh
 *
 * Only geometry is required. job_submit/torus removes the text from the update,
 * so the job's own comment is unchanged. Any user may send such a text: it is
 * parsed strictly, and proves nothing about its sender.
 */
#ifndef FORMAT_JOB_UPDATE_H
#define FORMAT_JOB_UPDATE_H

#include <stdbool.h>

#include "torus/request.h"
#include "torus/text.h"

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
