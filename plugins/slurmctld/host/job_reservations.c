/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's reservations as outages of a pending job: on which nodes and when it must
 * not run. The rules are those of Slurm's own job_test_resv(), which decides at the
 * start, so that Slurm allows what is planned.
 *
 *   - A job that names a reservation may use only its nodes, until it ends (FLEX:
 *     all nodes, at any time). Other reservations may overlap it; those for
 *     maintenance mostly do.
 *   - If Slurm uses another run time than the plan (for a job without a limit the
 *     partition's longest), an outage begins earlier by the difference.
 *   - A recurring reservation is listed OCCURRENCES times; promises do not regard
 *     later ones.
 *   - A floating reservation always begins a fixed time after now: a longer job never
 *     gets its nodes.
 *   - Reserved cores are left to Slurm, unless the job takes whole nodes.
 */
#include "live/mirror/outages.h"

#include "live/base/hash.h"
#include "live/base/recurrence.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/job_class.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/instance/node_map.h"

#include "torus/alloc.h"

#define OCCURRENCES 16
#define YEAR (365 * 24 * 3600)

struct outage_listing {
	struct host *h;
	job_record_t *job;
	const uint64_t *nodes; /* nodes that the job may use */
	int64_t length;        /* seconds: the run time that Slurm uses */
	int64_t longer_us;     /* than as we do */
	time_t now;
	struct torus_outage *outage;
	uint64_t *maps; /* of the reservations listed so far */
	uint32_t count, room, used;
	bool failed;
};

/* Return the run time that Slurm uses for the job. */
static int64_t reservations_length_of(const job_record_t *job,
				      const part_record_t *part)
{
	uint32_t minutes = job->time_limit;
	uint16_t slices = part->max_share & ~SHARED_FORCE;

	if (minutes == NO_VAL)
		minutes = part->max_time;
	if (minutes == INFINITE)
		return YEAR;
	if (slices < 2 || !(slurm_conf.preempt_mode & PREEMPT_MODE_GANG))
		slices = 1;
	return minutes * INT64_C(60) * slices;
}

void job_reservations_hash(uint64_t *hash, const job_record_t *job,
			   const part_record_t *part)
{
	if (!resv_list || list_count(resv_list) == 0)
		return;
	hash_number(hash, (uint64_t)reservations_length_of(job, part));
	hash_number(hash, (uint64_t)limits_time_us(job, part));
	hash_number(hash, (uint64_t)job->warn_time << 16 | job->warn_flags);
}

/* A search among the reservations that a job names. */
struct own_search {
	bitstr_t *nodes; /* nodes of the partition */
	uint32_t want;
	bool in_force, idle;
	slurmctld_resv_t *reservation;
};

static int own_search_visit(void *object, void *arg)
{
	slurmctld_resv_t *r = object;
	struct own_search *s = arg;
	bitstr_t *nodes;

	if (s->reservation || !r->node_bitmap ||
	    (s->in_force && r->start_time > time(NULL)))
		return 0;
	nodes = bit_copy(r->node_bitmap);
	bit_and(nodes, s->nodes);
	if (s->idle)
		bit_and(nodes, idle_node_bitmap);
	if ((uint32_t)bit_set_count(nodes) >= s->want)
		s->reservation = r;
	bit_free(nodes);
	return 0;
}

void job_reservations_choose(job_record_t *job, const part_record_t *part,
			     uint32_t nodes)
{
	struct own_search s = { .nodes = part->node_bitmap, .want = nodes };

	for (int strict = 2; strict >= 0 && !s.reservation; strict--) {
		s.idle = strict > 1;
		s.in_force = strict > 0;
		list_for_each(job->resv_list, own_search_visit, &s);
	}
	if (!s.reservation)
		return;
	job->resv_ptr = s.reservation;
	job->resv_id = s.reservation->resv_id;
}

/* Return true if the job must not use the reservation's nodes. */
static bool must_avoid(const job_record_t *job, const slurmctld_resv_t *r)
{
	const slurmctld_resv_t *own = job->resv_name ? job->resv_ptr : NULL;
	bool full = r->ctld_flags & RESV_CTLD_FULL_NODE;

	if (!r->node_bitmap || r == own)
		return false;
	if (own)
		return full && !(own->flags & RESERVE_FLAG_MAINT) &&
		       (!(own->flags & RESERVE_FLAG_OVERLAP) ||
			(r->flags & RESERVE_FLAG_MAINT));
	if ((job->warn_flags & KILL_JOB_RESV) && COMPAT_MAY_DELAY(r) &&
	    job->warn_time <= r->max_start_delay)
		return false;
	return full || COMPAT_WHOLE_NODE(job->details->whole_node);
}

static enum recurrence reservations_recurrence(const slurmctld_resv_t *r)
{
	if (r->flags & RESERVE_FLAG_HOURLY)
		return RECURRENCE_HOURLY;
	if (r->flags & RESERVE_FLAG_DAILY)
		return RECURRENCE_DAILY;
	if (r->flags & RESERVE_FLAG_WEEKDAY)
		return RECURRENCE_WEEKDAY;
	if (r->flags & RESERVE_FLAG_WEEKEND)
		return RECURRENCE_WEEKEND;
	return r->flags & RESERVE_FLAG_WEEKLY ? RECURRENCE_WEEKLY :
						RECURRENCE_NONE;
}

static void outage_add(struct outage_listing *l, const slurmctld_resv_t *r,
		       uint64_t *map, int64_t from_us, int64_t to_us)
{
	bool floats = r->flags & RESERVE_FLAG_TIME_FLOAT && r->start_time > 0;

	if (TORUS_GROW(l->outage, l->room, l->count + 1)) {
		l->failed = true;
		return;
	}
	l->outage[l->count++] = (struct torus_outage){
		.from_us = from_us,
		.to_us = to_us,
		.nodes = map,
		.name = slurm_conf.private_data & PRIVATE_DATA_RESERVATIONS ?
				"(not shown)" :
				r->name,
		.longest_us = floats ? seconds_to_us(r->start_time) : 0,
	};
}

static void add_fixed(struct outage_listing *l, const slurmctld_resv_t *r,
		      uint64_t *map)
{
	enum recurrence how = reservations_recurrence(r);
	time_t from = r->start_time_first, to = r->end_time;
	int n = how == RECURRENCE_NONE ? 1 : OCCURRENCES;

	while (how != RECURRENCE_NONE && to <= l->now)
		recurrence_next(how, &from, &to);
	if (to <= l->now)
		return;
	for (; n > 0; n--) {
		bool last = n == 1 && how != RECURRENCE_NONE;

		outage_add(l, r, map, seconds_to_us(from) - l->longer_us,
			   last ? TORUS_NO_TIME : seconds_to_us(to));
		recurrence_next(how, &from, &to);
	}
}

static int add_reservation(void *object, void *arg)
{
	const slurmctld_resv_t *r = object;
	struct outage_listing *l = arg;
	uint64_t *map = l->maps + (size_t)l->used * l->h->words;

	if (!must_avoid(l->job, r))
		return 0;
	node_map_from_slurm(&l->h->map, r->node_bitmap, map);
	torus_bits_and(map, map, l->nodes, l->h->words);
	if (torus_bits_count(map, l->h->words) == 0)
		return 0;
	l->used++;
	if (r->flags & RESERVE_FLAG_TIME_FLOAT) {
		bool lasts = r->duration && r->duration != NO_VAL;

		if (l->length > r->start_time && (lasts || r->end_time > l->now))
			outage_add(l, r, map, INT64_MIN,
				   lasts ? TORUS_NO_TIME :
					   seconds_to_us(r->end_time));
	} else
		add_fixed(l, r, map);
	return 0;
}

int job_reservations_outages(struct host *h, job_record_t *job,
			     const part_record_t *part, const uint64_t *nodes,
			     const struct torus_outages **out)
{
	struct outage_listing l = {
		.h = h, .job = job, .nodes = nodes, .now = time(NULL)
	};
	struct torus_outages o = { .last_start_us = TORUS_NO_TIME };
	int rc;

	*out = NULL;
	if (!resv_list || list_count(resv_list) == 0)
		return 0;
	l.maps = torus_alloc((size_t)list_count(resv_list) * h->words,
			     sizeof(*l.maps));
	if (!l.maps)
		return -1;
	l.length = reservations_length_of(job, part);
	l.longer_us = seconds_to_us(l.length) - limits_time_us(job, part);
	if (l.longer_us < 0)
		l.longer_us = 0;
	list_for_each(resv_list, add_reservation, &l);
	o.outage = l.outage;
	o.count = l.count;
	if (job->resv_name && job->resv_ptr &&
	    !(job->resv_ptr->flags & RESERVE_FLAG_FLEX))
		o.last_start_us = seconds_to_us(job->resv_ptr->end_time);
	rc = l.failed ? -1 : outages_add(h->cycle, &o, out);
	torus_free(l.maps);
	torus_free(l.outage);
	return rc;
}

void job_reservations_restrict(const job_record_t *job, bitstr_t *nodes)
{
	const slurmctld_resv_t *own = job->resv_name ? job->resv_ptr : NULL;

	if (own && own->node_bitmap &&
	    !(own->flags & (RESERVE_FLAG_FLEX | RESERVE_FLAG_ANY_NODES)))
		bit_and(nodes, own->node_bitmap);
}
