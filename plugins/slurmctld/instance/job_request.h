/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's request: the words that spank/torus put into its spank_job_env (job_request.c). */
#ifndef SLURMCTLD_INSTANCE_JOB_REQUEST_H
#define SLURMCTLD_INSTANCE_JOB_REQUEST_H

#include "slurmctld/instance/instance.h"

/* The job's request, from its spank_job_env. */
bool job_request_is_in(char **env, uint32_t count);
bool job_request_is_shaped(const job_record_t *job);

/* Return a word as typed, or NULL. */
const char *job_request_word(const job_record_t *job, enum torus_word w);

/* Return true if there is more than one alternative. */
bool job_request_is_ladder(const job_record_t *job);

/* Remove the request from an environment. */
void job_request_remove(char **env, uint32_t *count);

/* Read the request. 0, or -1 with EINVAL and lines in err. The latest requests
 * are cached by their text, so that equal texts are parsed once. */
int job_request_read(char **env, uint32_t count, bool may_rotate,
		     struct torus_request *request, struct torus_error *err);

/* Read the request of a job in Slurm's table. */
int job_request_of(const job_record_t *job, bool may_rotate,
		   struct torus_request *request);

/* Return the job's time limit, or the partition's (NULL: the job's own); TORUS_NO_TIME if
 * there is none. */
int64_t job_request_limit_us(const job_record_t *job, const part_record_t *part);

/* Write the words as entries of a spank_job_env, for xfree(). Return their number,
 * at most TORUS_WORDS. */
uint32_t job_request_write(const struct torus_request_words *words,
			   char **entry);

/* Add the request, which was valid at submission, to an AdminComment:
 * torus:ask=4x4x2;conn-type=TTM;no-rotate;placement=submesh */
void job_request_add_comment(char **env, uint32_t count, char **comment);

#endif
