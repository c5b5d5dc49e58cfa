/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of a step's tasks (choose.h). slurmctld tells srun which task runs
 * where by this list, so srun, its launch, and the PMI libraries need nothing else, and
 * no file. O(tasks + nodes x log nodes).
 */
#include "slurmctld/select/choose.h"

#include "format/ranks.h"
#include "slurmctld/names.h"

/* The place stands beside the request in spank_job_env (job_display.c). */
static const char *step_layout_variable(void *arg, const char *name)
{
	const job_record_t *job = arg;
	size_t length = strlen(name);

	if (strcmp(name, "SLURM_JOB_NODELIST") == 0)
		return job->job_resrcs ? job->job_resrcs->nodes : NULL;
	for (uint32_t i = 0; i < job->spank_job_env_size; i++) {
		const char *entry = job->spank_job_env[i];

		if (strncmp(entry, name, length) == 0 && entry[length] == '=')
			return entry + length + 1;
	}
	return NULL;
}

/* Slurm distributes a step by blocks unless told otherwise; with a task or less on each
 * node that is the same as cyclic. */
static bool step_layout_is_default(const slurm_step_layout_t *layout)
{
	uint32_t dist = layout->task_dist & SLURM_DIST_NODEMASK & 0xf;

	return dist != (SLURM_DIST_ARBITRARY & 0xf) &&
	       dist != (SLURM_DIST_PLANE & 0xf) &&
	       (dist != (SLURM_DIST_CYCLIC & 0xf) ||
		layout->task_cnt <= layout->node_cnt);
}

void step_layout_order(step_record_t *step)
{
	slurm_step_layout_t *layout = step->step_layout;
	job_record_t *job = step->job_ptr;
	const char *word = step_layout_variable(job, ENV_RANK_ORDER);
	enum torus_rank_order order;
	struct torus_ranks ranks;
	struct torus_error err = { 0 };

	if (!word || !layout || !layout->tids || !job->job_resrcs ||
	    step->step_id.step_id >= SLURM_MAX_NORMAL_STEP_ID ||
	    layout->node_cnt != job->job_resrcs->nhosts ||
	    xstrcmp(layout->node_list, job->job_resrcs->nodes) != 0 ||
	    !step_layout_is_default(layout))
		return;
	if (torus_rank_order_parse(ENV_RANK_ORDER, word, &order, &err) == 0 &&
	    torus_ranks_job(&ranks, step_layout_variable, job, &err) == 0 &&
	    torus_ranks_sort(&ranks, order) == 0) {
		uint32_t next = 0;

		for (uint32_t k = 0; k < ranks.nodes; k++) {
			const struct torus_rank *vertex = &ranks.rank[k];
			uint32_t task, n = layout->tasks[vertex->host];
			uint32_t end = torus_rank_tasks(vertex, n, &task);

			for (end += task; task < end; task++)
				layout->tids[vertex->host][task] = next++;
		}
		layout->task_dist = (layout->task_dist & SLURM_DIST_STATE_FLAGS) |
				    SLURM_DIST_ARBITRARY;
		debug("torus: %pS: its tasks are laid out in %s order", step,
		      word);
	} else {
		error("torus: %pS: its tasks cannot be laid out in %s order: %s",
		      step, word, err.text);
	}
	torus_ranks_free(&ranks);
}
