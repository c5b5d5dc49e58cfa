/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of jobs and of idle nodes (metrics.h). */
#include "storus/operate/metrics.h"

#include <stdio.h>
#include <string.h>

#define REASONS 64     /* of them, one for all others */
#define REASON_SIZE 64 /* of a word */

struct metrics_reason {
	char reason[REASON_SIZE];
	uint32_t jobs, shaped;
	int64_t longest_us, sum_us;
};

static void metrics_count(const struct snapshot *s,
			  const struct snapshot_job *job,
			  struct metrics_reason *list, uint32_t *count)
{
	char word[REASON_SIZE];
	int64_t wait_us = job->submit_us == SNAPSHOT_NO_TIME ||
					  s->time_us == SNAPSHOT_NO_TIME ?
				  0 :
				  s->time_us - job->submit_us;
	uint32_t i = 0;
	const char *reason = job->reason;
	size_t length = strcspn(reason, ", ");

	/* Slurm's word. A sentence, which names jobs, nodes and times, would be a series
	 * of its own: sched/torus writes one where Slurm's word is "Resources". */
	if (!*reason)
		reason = "none";
	else if (reason[length] == ' ')
		reason = "Resources";
	snprintf(word, REASON_SIZE, "%.*s", (int)strcspn(reason, ","), reason);
	while (i < *count && strcmp(list[i].reason, word))
		i++;
	if (i == REASONS) { /* the last one is all others */
		strcpy(list[--i].reason, "other");
	} else if (i == *count) {
		list[*count] = (struct metrics_reason){ .jobs = 0 };
		strcpy(list[(*count)++].reason, word);
	}
	list[i].jobs++;
	list[i].shaped += *job->words.geometry != '\0';
	list[i].sum_us += wait_us;
	if (wait_us > list[i].longest_us)
		list[i].longest_us = wait_us;
}

void metrics_jobs(struct metrics *m)
{
	const struct snapshot *s = m->q.snapshot;
	struct metrics_reason list[REASONS];
	uint32_t count = 0, shaped = 0;
	const struct torus_machine *machine;
	struct metrics_idle idle;

	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct snapshot_job *job = &s->job[j];

		if (job->running) {
			shaped += *job->words.geometry != '\0';
			continue;
		}
		metrics_count(s, job, list, &count);
	}
	metrics_family(m, "jobs_running", "gauge", "Running jobs.");
	metrics_of(m, "jobs_running", "shaped", "yes", shaped);
	metrics_of(m, "jobs_running", "shaped", "no", s->running - shaped);
	metrics_family(m, "jobs_pending", "gauge",
		       "Waiting jobs by Slurm's reason.");
	for (uint32_t i = 0; i < count; i++)
		metrics_of(m, "jobs_pending", "reason", list[i].reason,
			   list[i].jobs);
	metrics_family(m, "jobs_pending_shaped", "gauge",
		       "Waiting jobs with a shape by Slurm's reason.");
	for (uint32_t i = 0; i < count; i++)
		metrics_of(m, "jobs_pending_shaped", "reason", list[i].reason,
			   list[i].shaped);
	metrics_family(m, "pending_wait_seconds", "gauge",
		       "Mean time since submission of waiting jobs.");
	for (uint32_t i = 0; i < count; i++)
		metrics_of(m, "pending_wait_seconds", "reason", list[i].reason,
			   (double)(list[i].sum_us / list[i].jobs) * 1e-6);
	metrics_family(m, "pending_wait_max_seconds", "gauge",
		       "Longest time since submission of waiting jobs.");
	for (uint32_t i = 0; i < count; i++)
		metrics_of(m, "pending_wait_max_seconds", "reason",
			   list[i].reason, (double)list[i].longest_us * 1e-6);
	/* Idle nodes; what waits for them is asked of the strategies. */
	machine = &m->q.config->machine;
	m->lacking = m->lacking || metrics_idle_find(m->q.snapshot, m->map,
						     m->present, &idle);
	if (m->lacking)
		return;
	idle.cause[TORUS_IDLE_OUT] = torus_bits_count(m->q.snapshot->out,
						      machine->words);
	metrics_family(m, "idle_nodes", "gauge",
		       "Idle nodes by cause; over time, idle node seconds.");
	for (int c = 0; c < TORUS_IDLE_CAUSES; c++)
		metrics_of(m, "idle_nodes", "cause", torus_idle_names[c],
			   idle.cause[c]);
	metrics_of(m, "idle_nodes", "cause", "held_back", idle.held_back);
	metrics_of(m, "idle_nodes", "cause", "slurm_reservation",
		   torus_bits_count(m->reserved, machine->words));
}
