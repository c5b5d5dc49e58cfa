/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a check at submission (submit_check.c). Each answers with one of Slurm's
 * error codes and adds lines to *err_msg (may be NULL); with SLURM_SUCCESS a line is a
 * notice.
 */
#ifndef SLURMCTLD_SUBMIT_SUBMIT_CHECK_H
#define SLURMCTLD_SUBMIT_SUBMIT_CHECK_H

#include "slurmctld/instance/instance.h"

/* submit_check.c: add a line, or every line of err (which is overwritten), to what the user
 * sees: a refusal or a notice. */
__attribute__((format(printf, 2, 3))) void
submit_message(char **err_msg, const char *format, ...);
void submit_message_lines(char **err_msg, struct torus_error *err);

static inline bool submit_has_option(uint32_t n)
{
	return n != NO_VAL && n != 0;
}

/* submit_options.c: check options that contradict any shape; -N and the number of
 * nodes of -w; tasks. */
int submit_options_check(const job_desc_msg_t *desc, char **err_msg);
int submit_options_check_nodes(const job_desc_msg_t *desc, const char *shape,
			       uint32_t nodes, char **err_msg);
int submit_options_check_tasks(const job_desc_msg_t *desc, const char *shape,
			       uint32_t nodes, char **err_msg);
/* Check NumCPUs of an update against the job's nodes. */
int submit_options_check_cpus(const job_desc_msg_t *desc,
			      const job_record_t *job, const char *shape,
			      char **err_msg);
/* Set the node count to the shape's. */
void submit_options_set_nodes(job_desc_msg_t *desc, uint32_t nodes);

/* submit_partitions.c: remove partitions that force jobs to share nodes from
 * desc->partition, which desc owns. fallback: the partition if none is named; or
 * NULL. */
int submit_options_check_partitions(job_desc_msg_t *desc,
				    const part_record_t *fallback,
				    char **err_msg);
bool submit_options_force_sharing(const part_record_t *part);
#define SUBMIT_FORCED                                                          \
	"makes jobs share nodes (OverSubscribe=FORCE), which shapes never do"

/* submit_places.c: the first alternative that can ever run becomes desc's. */
int submit_places_check(struct instance *in, bool in_charge,
			job_desc_msg_t *desc,
			const struct torus_request *request, char **err_msg);

/* submit_part.c: a shape within one node beside --gres becomes a job of one node
 * without a shape. Return true if it is such a job. */
bool submit_places_part_of_node(const struct instance *in, job_desc_msg_t *desc,
				const struct torus_request *request,
				char **err_msg);

/* ; in NULL: no configuration; in_charge: sched/torus starts the jobs. */
int submit_check(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		 char **err_msg);
int submit_check_update(struct instance *in, bool in_charge,
			job_desc_msg_t *desc, job_record_t *job, char **err_msg);

#endif
