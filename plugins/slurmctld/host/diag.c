/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched/torus in sdiag: Slurm's own counters, so that exporters and dashboards that
 * read sdiag show sched/torus like sched/backfill.
 *
 *   Main schedule   the part of each cycle that held Slurm's locks
 *   Backfilling     each cycle as a whole, planning without locks included
 *   depth           jobs of the queue; "try sched": orders to start a job
 *   queue length    the jobs of the queue
 *   table size      jobs with a planned start
 *   backfilled      jobs that started before an earlier one of the queue
 *
 * slurmctld's own scheduling thread is idle then (sched_interval=-1), so it does
 * not write these counters. `sdiag -r` sets them to 0.
 */
#include "live/orders.h"

#include "slurmctld/host/host.h"

static uint32_t diag_us32(int64_t us)
{
	return us < 0 ? 0 : us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

void diag_started(const struct cycle_order *o)
{
	if (!o->backfilled)
		return;
	slurmctld_diag_stats.backfilled_jobs++;
	slurmctld_diag_stats.last_backfilled_jobs++;
}

void diag_cycle(const struct host *h, uint32_t queued,
		const struct agent_cycle *cycle)
{
	diag_stats_t *s = &slurmctld_diag_stats;
	uint32_t locked = diag_us32(cycle->locked_us),
		 whole = diag_us32(cycle->us);
	uint32_t n = 0;

	s->schedule_cycle_last = locked;
	s->schedule_cycle_sum += locked;
	if (locked > s->schedule_cycle_max)
		s->schedule_cycle_max = locked;
	s->schedule_cycle_counter++;
	s->schedule_cycle_depth += queued;
	s->schedule_queue_len = queued;

	s->bf_when_last_cycle = time(NULL);
	s->bf_cycle_last = whole;
	s->bf_cycle_sum += whole;
	if (whole > s->bf_cycle_max)
		s->bf_cycle_max = whole;
	s->bf_cycle_counter++;
	s->bf_last_depth = queued;
	s->bf_depth_sum += queued;
	s->bf_last_depth_try = diag_us32((int64_t)cycle->orders);
	s->bf_depth_try_sum += s->bf_last_depth_try;
	s->bf_queue_len = queued;
	s->bf_queue_len_sum += queued;
	for (uint32_t i = 0; i < h->listing.count; i++)
		n += h->listing.job[i].placed;
	s->bf_table_size = n;
	s->bf_table_size_sum += s->bf_table_size;
	compat_diag_end(s);
}
