/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's headers, and one name for each interface that differs between its versions.
 * No other file depends on the version: elsewhere SLURM_VERSION_NUMBER is only passed
 * on, as a plugin's version (Slurm requires that) and to refuse a library of another
 * build (api.c, torus_slurm.c).
 *
 * For 22.05, 24.11 and 26.05. Between them select plugins lost the packing of job and
 * node records and gained reservation exclusions, headers moved from src/common to
 * src/interfaces, List became list_t *, and from 26.05 on a wrapper of
 * select/cons_tres must have its plugin_id.
 */
#ifndef SLURMCTLD_SLURM_COMPAT_H
#define SLURMCTLD_SLURM_COMPAT_H

#include "config.h" /* Slurm's */

#include <dlfcn.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "slurm/slurm_version.h"

#include "src/common/slurm_xlator.h"

#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/hostlist.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/slurmctld.h"

#define COMPAT_2411 (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0))
#define COMPAT_2605 (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0))

#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/state_save.h"

#if COMPAT_2411
#include "src/common/job_features.h"
#include "src/common/run_in_daemon.h"
#include "src/interfaces/burst_buffer.h"
#include "src/interfaces/mcs.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/select.h"
#include "src/slurmctld/proc_req.h"
#include "src/stepmgr/srun_comm.h"
typedef list_t *compat_list;
typedef hostlist_t *compat_hostlist;
typedef job_details_t compat_details;
#else
#include "src/common/select.h"
#include "src/common/slurm_mcs.h"
#include "src/slurmctld/burst_buffer.h"
#include "src/slurmctld/preempt.h"
#include "src/slurmctld/srun_comm.h"
typedef List compat_list;
typedef hostlist_t compat_hostlist;
typedef struct job_details compat_details;
#endif

/* Between features in brackets: all nodes have the same one of them. */
#if COMPAT_2411
#define COMPAT_FEATURE_ONE_OF FEATURE_OP_MOR
#else
#define COMPAT_FEATURE_ONE_OF FEATURE_OP_XOR
#endif

/* The last parameters of job_test(), and how to pass them on. */
#if COMPAT_2411
#define COMPAT_JOB_TEST_TAIL                                                   \
	compat_list preemptees, compat_list *preempted, resv_exc_t *exclude,   \
		will_run_data_t *will_run
#define COMPAT_JOB_TEST_PASS preemptees, preempted, exclude, will_run
#else
#define COMPAT_JOB_TEST_TAIL                                                   \
	compat_list preemptees, compat_list *preempted, bitstr_t *exclude
#define COMPAT_JOB_TEST_PASS preemptees, preempted, exclude
#endif

/* Locks of a scheduler's thread. */
#if COMPAT_2605
#define COMPAT_SCHED_LOCKS                                                     \
	{                                                                      \
		.conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK,      \
		.part = READ_LOCK, .fed = READ_LOCK, .select_node = WRITE_LOCK \
	}
#else
#define COMPAT_SCHED_LOCKS                                                     \
	{                                                                      \
		.conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK,      \
		.part = READ_LOCK, .fed = READ_LOCK                            \
	}
#endif

/* Start a job on the nodes that the select plugin chooses. */
static inline int compat_select_nodes(job_record_t *job)
{
#if COMPAT_2411
	job_node_select_t select = { .job_ptr = job };

	return select_nodes(&select, false, false, SLURMDB_JOB_FLAG_SCHED);
#else
	return select_nodes(job, false, NULL, NULL, false,
			    SLURMDB_JOB_FLAG_SCHED);
#endif
}

/* A job's priority in the n-th of its partitions. */
static inline uint32_t compat_priority(const job_record_t *job, uint32_t n)
{
#if COMPAT_2605
	if (job->part_ptr_list && job->prio_mult &&
	    job->prio_mult->priority_array)
		return job->prio_mult->priority_array[n];
#elif COMPAT_2411
	if (job->part_ptr_list && job->part_prio &&
	    job->part_prio->priority_array)
		return job->part_prio->priority_array[n];
#else
	if (job->part_ptr_list && job->priority_array)
		return job->priority_array[n];
#endif
	return job->priority;
}

/* End a pending job that has not run. */
static inline void compat_set_state(job_record_t *job, uint32_t state)
{
#if COMPAT_2411
	job_state_set(job, state);
#else
	job->job_state = state;
#endif
}

/* Split the task in the array's record from the array. It becomes a job and keeps the
 * record; the rest of the array gets another. */
static inline void compat_array_split(job_record_t *job)
{
#if COMPAT_2411
	job_array_post_sched(job, true);
#else
	job_array_post_sched(job);
#endif
}

/* As in job_test_resv(): return true if a job takes whole nodes; if a reservation may
 * be postponed. */
#if COMPAT_2411
#define COMPAT_WHOLE_NODE(whole_node) ((whole_node)&WHOLE_NODE_REQUIRED)
#else
#define COMPAT_WHOLE_NODE(whole_node) ((whole_node) == 1)
#endif
#if COMPAT_2605
#define COMPAT_MAY_DELAY(r) ((r)->max_start_delay > 0)
#else
#define COMPAT_MAY_DELAY(r) true
#endif

/* Return the nodes that reservations allow the job if it starts now; NULL: none. */
static inline bitstr_t *compat_unreserved(job_record_t *job, time_t now)
{
	bitstr_t *nodes = NULL;
	bool overlap;
	int rc;
#if COMPAT_2411
	resv_exc_t exclude = { 0 };

	rc = job_test_resv(job, &now, false, &nodes, &exclude, &overlap, false);
	reservation_delete_resv_exc_parts(&exclude);
#else
	bitstr_t *exclude = NULL;

	rc = job_test_resv(job, &now, false, &nodes, &exclude, &overlap, false);
	FREE_NULL_BITMAP(exclude);
#endif
	if (rc != SLURM_SUCCESS)
		FREE_NULL_BITMAP(nodes);
	return nodes;
}

/* The nodes of a list of names; 0, or an error number if one is unknown. */
static inline int compat_nodes_named(char *names, bitstr_t **nodes)
{
#if COMPAT_2411
	return node_name2bitmap(names, false, nodes, NULL);
#else
	return node_name2bitmap(names, false, nodes);
#endif
}

/* Ask the select plugin which of these nodes the job could use if they were free: from
 * min to max, preferably `target` of them. The plugin removes the others from the map. */
static inline int compat_test_only(job_record_t *job, bitstr_t *nodes,
				   uint32_t min, uint32_t target, uint32_t max)
{
#if COMPAT_2411
	return select_g_job_test(job, nodes, min, max, target,
				 SELECT_MODE_TEST_ONLY, NULL, NULL, NULL, NULL);
#else
	return select_g_job_test(job, nodes, min, max, target,
				 SELECT_MODE_TEST_ONLY, NULL, NULL, NULL);
#endif
}

/* Ask it for these n nodes now. If it accepts, the job's record has its result. */
static inline int compat_run_now(job_record_t *job, bitstr_t *nodes, uint32_t n)
{
#if COMPAT_2411
	return select_g_job_test(job, nodes, n, n, n, SELECT_MODE_RUN_NOW, NULL,
				 NULL, NULL, NULL);
#else
	return select_g_job_test(job, nodes, n, n, n, SELECT_MODE_RUN_NOW, NULL,
				 NULL, NULL);
#endif
}

/* A node that a job with an exclusive topology blocks. */
#ifdef NODE_STATE_BLOCKED
#define COMPAT_NODE_STATE_BLOCKED NODE_STATE_BLOCKED
#else
#define COMPAT_NODE_STATE_BLOCKED 0
#endif

/* A cycle went through the whole queue. */
static inline void compat_diag_end(diag_stats_t *stats)
{
#if COMPAT_2411
	stats->schedule_exit[SCHEDULE_EXIT_END]++;
	stats->bf_exit[BF_EXIT_END]++;
#else
	(void)stats;
#endif
}

/* SelectTypeParameters that allocate less than a node. */
#if COMPAT_2605
#define COMPAT_CR_PARTS (SELECT_CPU | SELECT_CORE | SELECT_SOCKET)
#else
#define COMPAT_CR_PARTS (CR_CPU | CR_CORE | CR_SOCKET)
#endif

/* job_modify() of a job_submit plugin. */
#if COMPAT_2411
#define COMPAT_JOB_MODIFY_TAIL , char **err_msg
#define COMPAT_JOB_MODIFY_MESSAGE err_msg
#else
#define COMPAT_JOB_MODIFY_TAIL
#define COMPAT_JOB_MODIFY_MESSAGE NULL
#endif

/* True if Slurm tells a select plugin when to save its state. */
#define COMPAT_SELECT_SAVES (!COMPAT_2605)

/*
 * The symbols of a select plugin that only pass a call on: X(type, name,
 * (parameters), (arguments)). plugins/select/torus/table.h has the others.
 */
#if COMPAT_2605
#define COMPAT_SELECT_STATE(                                                   \
	X) /* removed: see slurmctld/instance/state_saver.h */
#define COMPAT_SELECT_FORWARDS(X)                                              \
	X(int, job_ready, (job_record_t * job), (job))                         \
	X(int, job_resized, (job_record_t * job, node_record_t * node),        \
	  (job, node))                                                         \
	X(void, job_mem_reduce, (job_record_t * job), (job))                   \
	X(int, job_suspend, (job_record_t * job, bool indefinite),             \
	  (job, indefinite))                                                   \
	X(int, job_resume, (job_record_t * job, bool indefinite),              \
	  (job, indefinite))                                                   \
	X(int, select_nodeinfo_set_all, (void), ())                            \
	X(int, select_nodeinfo_set, (job_record_t * job), (job))
#else
#define COMPAT_SELECT_STATE(X)                                                 \
	X(int, state_save, (char *directory), (directory))
#define COMPAT_SELECT_FORWARDS_BOTH(X)                                          \
	X(int, state_restore, (char *directory), (directory))                   \
	X(int, job_init, (compat_list jobs), (jobs))                            \
	X(int, job_ready, (job_record_t * job), (job))                          \
	X(int, job_resized, (job_record_t * job, node_record_t * node),         \
	  (job, node))                                                          \
	X(int, job_suspend, (job_record_t * job, bool indefinite),              \
	  (job, indefinite))                                                    \
	X(int, job_resume, (job_record_t * job, bool indefinite),               \
	  (job, indefinite))                                                    \
	X(bitstr_t *, step_pick_nodes,                                          \
	  (job_record_t * job, select_jobinfo_t * info, uint32_t count,         \
	   bitstr_t * *available),                                              \
	  (job, info, count, available))                                        \
	X(int, step_start, (step_record_t * step), (step))                      \
	X(int, step_finish, (step_record_t * step, bool killing),               \
	  (step, killing))                                                      \
	X(int, select_nodeinfo_pack,                                            \
	  (select_nodeinfo_t * info, buf_t * buffer, uint16_t protocol),        \
	  (info, buffer, protocol))                                             \
	X(int, select_nodeinfo_unpack,                                          \
	  (select_nodeinfo_t * *info, buf_t * buffer, uint16_t protocol),       \
	  (info, buffer, protocol))                                             \
	X(select_nodeinfo_t *, select_nodeinfo_alloc, (void), ())               \
	X(int, select_nodeinfo_free, (select_nodeinfo_t * info), (info))        \
	X(int, select_nodeinfo_set_all, (void), ())                             \
	X(int, select_nodeinfo_set, (job_record_t * job), (job))                \
	X(int, select_nodeinfo_get,                                             \
	  (select_nodeinfo_t * info, enum select_nodedata_type type,            \
	   enum node_states state, void *data),                                 \
	  (info, type, state, data))                                            \
	X(select_jobinfo_t *, select_jobinfo_alloc, (void), ())                 \
	X(int, select_jobinfo_free, (select_jobinfo_t * info), (info))          \
	X(int, select_jobinfo_set,                                              \
	  (select_jobinfo_t * info, enum select_jobdata_type type, void *data), \
	  (info, type, data))                                                   \
	X(int, select_jobinfo_get,                                              \
	  (select_jobinfo_t * info, enum select_jobdata_type type, void *data), \
	  (info, type, data))                                                   \
	X(select_jobinfo_t *, select_jobinfo_copy, (select_jobinfo_t * info),   \
	  (info))                                                               \
	X(int, select_jobinfo_pack,                                             \
	  (select_jobinfo_t * info, buf_t * buffer, uint16_t protocol),         \
	  (info, buffer, protocol))                                             \
	X(int, select_jobinfo_unpack,                                           \
	  (select_jobinfo_t * *info, buf_t * buffer, uint16_t protocol),        \
	  (info, buffer, protocol))                                             \
	X(int, get_info_from_plugin,                                            \
	  (enum select_plugindata_info type, job_record_t * job, void *data),   \
	  (type, job, data))
#if COMPAT_2411
#define COMPAT_SELECT_FORWARDS(X) COMPAT_SELECT_FORWARDS_BOTH(X)
#else
#define COMPAT_SELECT_FORWARDS(X)                                              \
	COMPAT_SELECT_FORWARDS_BOTH(X)                                         \
	X(int, job_signal, (job_record_t * job, int signal), (job, signal))    \
	X(char *, select_jobinfo_sprint,                                       \
	  (select_jobinfo_t * info, char *buffer, size_t size, int mode),      \
	  (info, buffer, size, mode))                                          \
	X(char *, select_jobinfo_xstrdup, (select_jobinfo_t * info, int mode), \
	  (info, mode))                                                        \
	X(int, update_node_config, (int index), (index))                       \
	X(bitstr_t *, resv_test,                                               \
	  (resv_desc_msg_t * resv_msg, uint32_t count, bitstr_t * available,   \
	   bitstr_t * *cores),                                                 \
	  (resv_msg, count, available, cores))
#endif
#endif

/*
 * The number of a select plugin in saved states and messages. It never changes; from
 * 26.05 on Slurm requires 109 for "cons_tres".
 */
#define COMPAT_SELECT_ID_LINEAR 200
#if COMPAT_2605
#define COMPAT_SELECT_ID_CONS_TRES 109
#else
#define COMPAT_SELECT_ID_CONS_TRES 201
#endif

/*
 * Return true inside slurmctld. Before 26.05 Slurm tests the program's name, which a
 * distribution may have changed (slurmctld-wlm). So test also for a symbol that only
 * slurmctld has.
 */
static inline bool compat_in_slurmctld(void)
{
	return running_in_slurmctld() ||
	       dlsym(RTLD_DEFAULT, "slurmctld_config") != NULL;
}

/*
 * Create a job's record by the function of the running program; NULL if it exports
 * none (22.05). The record is not freed: its destructor needs tables that do not exist
 * yet.
 */
static inline const job_record_t *compat_sample_job(void)
{
#if COMPAT_2411
	static const job_record_t *sample;

	if (!sample)
		sample = job_record_create();
	return sample;
#else
	return NULL;
#endif
}

#endif
