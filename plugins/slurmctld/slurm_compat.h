/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's headers, and one name for each interface that differs between its releases.
 * No other file depends on the release: elsewhere SLURM_VERSION_NUMBER is only passed
 * on, as a plugin's version (Slurm requires that) and to refuse a library of another
 * build (api.c, torus_slurm.c).
 *
 * What a release has is asked of its headers: by configure, which compiles a line against
 * the headers below for each COMPAT_HAS_* (SLURM_COMPAT_PROBE), and by the preprocessor.
 * So a release builds that nobody has tried, if it has the parts. Known: 22.05, 23.02,
 * 23.11, 24.05, 24.11, 25.05, 25.11 and 26.05. Between them select plugins lost the
 * packing of job and node records and gained reservation exclusions, and headers moved
 * from src/common to src/interfaces.
 */
#ifndef SLURMCTLD_SLURM_COMPAT_H
#define SLURMCTLD_SLURM_COMPAT_H

#ifndef SLURM_COMPAT_PROBE
#include "torus_build.h" /* before Slurm's config.h */
#endif
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

#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/state_save.h"

#if __has_include("src/common/job_features.h")
#include "src/common/job_features.h"
#endif
#if __has_include("src/common/run_in_daemon.h")
#include "src/common/run_in_daemon.h"
#endif
#if __has_include("src/slurmctld/proc_req.h")
#include "src/slurmctld/proc_req.h"
#endif
#if __has_include("src/interfaces/select.h")
#include "src/interfaces/burst_buffer.h"
#include "src/interfaces/mcs.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/select.h"
#else
#include "src/common/select.h"
#include "src/common/slurm_mcs.h"
#include "src/slurmctld/burst_buffer.h"
#include "src/slurmctld/preempt.h"
#endif
#if __has_include("src/stepmgr/srun_comm.h")
#include "src/stepmgr/srun_comm.h"
#else
#include "src/slurmctld/srun_comm.h"
#endif

#ifndef SLURM_COMPAT_PROBE

/* List and hostlist_t were pointers; list_t has no name in 22.05, job_details_t none
 * before 23.02. */
typedef struct xlist *compat_list;
typedef struct hostlist *compat_hostlist;
typedef __typeof__(*((job_record_t *)NULL)->details) compat_details;

/* Between features in brackets: all nodes have the same one of them. */
#ifdef FEATURE_OP_MOR
#define COMPAT_FEATURE_ONE_OF FEATURE_OP_MOR
#else
#define COMPAT_FEATURE_ONE_OF FEATURE_OP_XOR
#endif

/* What reservations exclude: cores, later a structure. */
#ifdef COMPAT_HAS_RESV_EXC
typedef resv_exc_t compat_exclude;
#else
typedef bitstr_t compat_exclude;
#endif

/* The last parameters of job_test(), how to pass them on, and none of them. */
#ifdef COMPAT_HAS_WILL_RUN_DATA
#define COMPAT_JOB_TEST_TAIL                                                   \
	compat_list preemptees, compat_list *preempted,                        \
		compat_exclude *exclude, will_run_data_t *will_run
#define COMPAT_JOB_TEST_PASS preemptees, preempted, exclude, will_run
#define COMPAT_JOB_TEST_NONE NULL, NULL, NULL, NULL
#else
#define COMPAT_JOB_TEST_TAIL                                                   \
	compat_list preemptees, compat_list *preempted, compat_exclude *exclude
#define COMPAT_JOB_TEST_PASS preemptees, preempted, exclude
#define COMPAT_JOB_TEST_NONE NULL, NULL, NULL
#endif

/* Locks of a scheduler's thread. */
#ifdef COMPAT_HAS_SELECT_NODE_LOCK
#define COMPAT_SELECT_NODE_LOCK , .select_node = WRITE_LOCK
#else
#define COMPAT_SELECT_NODE_LOCK
#endif
#define COMPAT_SCHED_LOCKS                                                     \
	{                                                                      \
		.conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK,      \
		.part = READ_LOCK, .fed = READ_LOCK COMPAT_SELECT_NODE_LOCK    \
	}

/* Start a job on the nodes that the select plugin chooses. */
static inline int compat_select_nodes(job_record_t *job)
{
#ifdef COMPAT_HAS_JOB_NODE_SELECT
	job_node_select_t select = { .job_ptr = job };

	return select_nodes(&select, false, false, SLURMDB_JOB_FLAG_SCHED);
#else
	return select_nodes(job, false, NULL, NULL, false,
			    SLURMDB_JOB_FLAG_SCHED);
#endif
}

/* The QOS that a job names, one of which it will have; NULL: one or none. */
#ifdef COMPAT_HAS_QOS_LIST
#define COMPAT_QOS_LIST(job) ((job)->qos_list)
#else
#define COMPAT_QOS_LIST(job) ((void)(job), (compat_list)NULL)
#endif

/* A job's priorities in its partitions, in each with each of its QOS; NULL: none. */
#ifdef COMPAT_HAS_PRIO_MULT
#define COMPAT_PRIORITIES(job)                                                 \
	((job)->prio_mult ? (job)->prio_mult->priority_array : NULL)
#elif defined(COMPAT_HAS_PART_PRIO)
#define COMPAT_PRIORITIES(job)                                                 \
	((job)->part_prio ? (job)->part_prio->priority_array : NULL)
#else
#define COMPAT_PRIORITIES(job) ((job)->priority_array)
#endif

/* The n-th of them. (After an update they may be too few for a while.) */
static inline uint32_t compat_priority(const job_record_t *job, uint32_t n)
{
	uint32_t *priorities = job->part_ptr_list || COMPAT_QOS_LIST(job) ?
				       COMPAT_PRIORITIES(job) :
				       NULL;

	return priorities && n < xsize(priorities) / sizeof(*priorities) ?
		       priorities[n] :
		       job->priority;
}

/* End a pending job that has not run. */
static inline void compat_set_state(job_record_t *job, uint32_t state)
{
#ifdef COMPAT_HAS_JOB_STATE_SET
	job_state_set(job, state);
#else
	job->job_state = state;
#endif
}

/* Split the task in the array's record from the array. It becomes a job and keeps the
 * record; the rest of the array gets another. */
static inline void compat_array_split(job_record_t *job)
{
#ifdef COMPAT_HAS_ARRAY_LIST_ADD
	job_array_post_sched(job, true);
#else
	job_array_post_sched(job);
#endif
}

/* As in job_test_resv(): return true if a job takes whole nodes (once a number, now
 * bits); if a reservation may be postponed. */
#if WHOLE_NODE_MCS & WHOLE_NODE_REQUIRED
#define COMPAT_WHOLE_NODE(whole_node) ((whole_node) == WHOLE_NODE_REQUIRED)
#else
#define COMPAT_WHOLE_NODE(whole_node) ((whole_node)&WHOLE_NODE_REQUIRED)
#endif
#ifdef COMPAT_HAS_RESV_DELAY_TEST
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
#ifdef COMPAT_HAS_RESV_EXC
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

/* The nodes of a list of names, of the known ones with best_effort; 0, or an error number if
 * one is unknown. */
static inline int compat_nodes_named(char *names, bool best_effort,
				     bitstr_t **nodes)
{
#ifdef COMPAT_HAS_INVALID_NAMES
	return node_name2bitmap(names, best_effort, nodes, NULL);
#else
	return node_name2bitmap(names, best_effort, nodes);
#endif
}

/* Ask the select plugin which of these nodes the job could use if they were free: from
 * min to max, preferably `target` of them. The plugin removes the others from the map. */
static inline int compat_test_only(job_record_t *job, bitstr_t *nodes,
				   uint32_t min, uint32_t target, uint32_t max)
{
	return select_g_job_test(job, nodes, min, max, target,
				 SELECT_MODE_TEST_ONLY, COMPAT_JOB_TEST_NONE);
}

/* Ask it for these n nodes now. If it accepts, the job's record has its result. */
static inline int compat_run_now(job_record_t *job, bitstr_t *nodes, uint32_t n)
{
	return select_g_job_test(job, nodes, n, n, n, SELECT_MODE_RUN_NOW,
				 COMPAT_JOB_TEST_NONE);
}

/* A node that a job with an exclusive topology blocks. */
#ifdef NODE_STATE_BLOCKED
#define COMPAT_NODE_STATE_BLOCKED NODE_STATE_BLOCKED
#else
#define COMPAT_NODE_STATE_BLOCKED 0
#endif

/* PreemptMode=..,PRIORITY (25.05): a job preempts those of lower priority alone. */
#ifdef PREEMPT_MODE_PRIORITY
#define COMPAT_PREEMPTS_BY_PRIORITY(mode) (((mode)&PREEMPT_MODE_PRIORITY) != 0)
#else
#define COMPAT_PREEMPTS_BY_PRIORITY(mode) ((void)(mode), false)
#endif

/* How a select plugin refuses a job without its licences (22.05: the schedulers do, before
 * they ask it); if those who hold them may be preempted. */
#ifdef COMPAT_HAS_RECLAIM_LICENSES
#define COMPAT_NO_LICENSES ESLURM_LICENSES_UNAVAILABLE
#define COMPAT_RECLAIMS_LICENSES()                                             \
	(xstrcasestr(slurm_conf.preempt_params, "reclaim_licenses") != NULL)
#else
#define COMPAT_NO_LICENSES EAGAIN
#define COMPAT_RECLAIMS_LICENSES() false
#endif

/* A job that is requeued with --requeue=expedite: before all others. */
#ifdef JOB_EXPEDITING
#define COMPAT_JOB_EXPEDITED(job) IS_JOB_EXPEDITING(job)
#else
#define COMPAT_JOB_EXPEDITED(job) false
#endif

/* A cycle went through the whole queue. */
static inline void compat_diag_end(diag_stats_t *stats)
{
#ifdef COMPAT_HAS_SCHEDULE_EXIT
	stats->schedule_exit[SCHEDULE_EXIT_END]++;
	stats->bf_exit[BF_EXIT_END]++;
#else
	(void)stats;
#endif
}

/* SelectTypeParameters that allocate less than a node. */
#ifdef CR_SOCKET
#define COMPAT_CR_PARTS (CR_CPU | CR_CORE | CR_SOCKET)
#else
#define COMPAT_CR_PARTS (SELECT_CPU | SELECT_CORE | SELECT_SOCKET)
#endif

/* job_modify() of a job_submit plugin. */
#ifdef COMPAT_HAS_MODIFY_MESSAGE
#define COMPAT_JOB_MODIFY_TAIL , char **err_msg
#define COMPAT_JOB_MODIFY_MESSAGE err_msg
#else
#define COMPAT_JOB_MODIFY_TAIL
#define COMPAT_JOB_MODIFY_MESSAGE NULL
#endif

/* True if Slurm tells a select plugin when to save its state; else see
 * slurmctld/state_saver.h. The same releases tell it of each step. */
#ifdef COMPAT_HAS_SELECT_STATE
#define COMPAT_SELECT_SAVES 1
#define COMPAT_SELECT_STATE(X)                                                 \
	X(int, state_save, (char *directory), (directory))                     \
	X(int, step_start, (step_record_t * step), (step))
#else
#define COMPAT_SELECT_SAVES 0
#define COMPAT_SELECT_STATE(X)
#endif

/*
 * The symbols of a select plugin that only pass a call on: X(type, name,
 * (parameters), (arguments)). plugins/select/torus/table.h has the others.
 */

/* Steps and the packing of job and node records. */
#ifdef COMPAT_HAS_SELECT_STATE
#define COMPAT_SELECT_RECORDS(X)                                                \
	X(int, state_restore, (char *directory), (directory))                   \
	X(int, job_init, (compat_list jobs), (jobs))                            \
	X(bitstr_t *, step_pick_nodes,                                          \
	  (job_record_t * job, select_jobinfo_t * info, uint32_t count,         \
	   bitstr_t * *available),                                              \
	  (job, info, count, available))                                        \
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
#else
#define COMPAT_SELECT_RECORDS(X)
#endif

#ifdef COMPAT_HAS_SELECT_JOB_SIGNAL
#define COMPAT_SELECT_SIGNAL(X)                                                \
	X(int, job_signal, (job_record_t * job, int signal), (job, signal))    \
	X(char *, select_jobinfo_sprint,                                       \
	  (select_jobinfo_t * info, char *buffer, size_t size, int mode),      \
	  (info, buffer, size, mode))                                          \
	X(char *, select_jobinfo_xstrdup, (select_jobinfo_t * info, int mode), \
	  (info, mode))                                                        \
	X(int, update_node_config, (int index), (index))
#else
#define COMPAT_SELECT_SIGNAL(X)
#endif

#ifdef COMPAT_HAS_SELECT_RESV_TEST
#define COMPAT_SELECT_RESV(X)                                                  \
	X(bitstr_t *, resv_test,                                               \
	  (resv_desc_msg_t * resv_msg, uint32_t count, bitstr_t * available,   \
	   bitstr_t * *cores),                                                 \
	  (resv_msg, count, available, cores))
#else
#define COMPAT_SELECT_RESV(X)
#endif

#ifdef COMPAT_HAS_SELECT_MEM_REDUCE
#define COMPAT_SELECT_MEM(X)                                                   \
	X(void, job_mem_reduce, (job_record_t * job), (job))
#else
#define COMPAT_SELECT_MEM(X)
#endif

#define COMPAT_SELECT_FORWARDS(X)                                              \
	X(int, job_ready, (job_record_t * job), (job))                         \
	X(int, job_resized, (job_record_t * job, node_record_t * node),        \
	  (job, node))                                                         \
	X(int, job_suspend, (job_record_t * job, bool indefinite),             \
	  (job, indefinite))                                                   \
	X(int, job_resume, (job_record_t * job, bool indefinite),              \
	  (job, indefinite))                                                   \
	X(int, select_nodeinfo_set_all, (void), ())                            \
	X(int, select_nodeinfo_set, (job_record_t * job), (job))               \
	COMPAT_SELECT_RECORDS(X)                                               \
	COMPAT_SELECT_SIGNAL(X)                                                \
	COMPAT_SELECT_RESV(X)                                                  \
	COMPAT_SELECT_MEM(X)

/*
 * The number of a select plugin in saved states and messages. It never changes.
 * Where running_cons_tres() tests the number, "cons_tres" must have 109.
 */
#define COMPAT_SELECT_ID_LINEAR 200
#ifdef COMPAT_HAS_RUNNING_CONS_TRES
#define COMPAT_SELECT_ID_CONS_TRES 109
#else
#define COMPAT_SELECT_ID_CONS_TRES 201
#endif

/*
 * Return true inside slurmctld. Older releases test the program's name, which a
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
 * none. The record is not freed: its destructor needs tables that do not exist
 * yet.
 */
static inline const job_record_t *compat_sample_job(void)
{
#ifdef COMPAT_HAS_JOB_RECORD_CREATE
	static const job_record_t *sample;

	if (!sample)
		sample = job_record_create();
	return sample;
#else
	return NULL;
#endif
}

#endif /* SLURM_COMPAT_PROBE */
/* instance/record_layout.c: return SLURM_ERROR, and log the reason, if the layout of Slurm's
 * records differs from the headers. */
int record_layout_check(void);

#endif
