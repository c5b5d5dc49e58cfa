/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must hold after every event, from the world's own truth:
 *
 *   - a job starts on nodes that Slurm lets it use and that nobody else has, outside
 *     of other jobs' reservations, in a region of exactly its shape, with its rings,
 *     over no link that is dead for it;
 *   - conservative's promises, and the time of EASY's head, never move later while
 *     nothing but submissions and ends within the limits happens;
 *   - nor is an admitted job rejected then, or its deadline missed;
 *   - a job that waits alone gets the place with the least greatest weight, and none
 *     the nodes that Slurm has just refused it;
 *   - the nodes that the agent takes for used are those in use;
 *   - a job that a reason names as a holder has nodes, as many are free as it says, and a
 *     promised node is in service;
 *   - the first of the queue could not start now, nor another one that may overtake,
 *     and the queue is in the order of priorities where it should be;
 *   - a promise that was saved is restored as it was, and to the job that had it;
 *   - no job that could run waits on an idle machine;
 *   - a replay of the journal decides the same.
 */
#include "beside.h"
#include "rules.h"
#include "site.h"

#include <math.h>
#include <stdarg.h>

#include "../property/journal_cut.h"
#include "format/node_state.h"
#include "live/mirror/cycle_report.h"
#include "live/mirror/mirror.h"
#include "live/promises/promises.h"
#include "torus/state_find.h"
#include "torus/usage.h"
#include "torus/placement.h"

void rule_broken(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

/* Could it start if only the jobs that run were there (now) or none, on nodes of that
 * weight at most, as its alternative k? */
static bool could_start(const struct sim_world *w, const struct sim_job *j,
			uint32_t k, bool now, uint32_t weight)
{
	struct torus_state *s = torus_state_create(&w->m);
	uint64_t out[WORKLOAD_WORDS], busy[WORKLOAD_WORDS];
	struct torus_ask ask = j->pending.request.alternative[k].ask;
	struct torus_placement place;
	bool fits;

	assert_non_null(s);
	world_usable(w, out);
	for (uint32_t i = 0; i < w->m.words; i++)
		out[i] = w->present[i] & ~out[i];
	world_busy(w, busy);
	if (now)
		torus_bits_or(out, busy, w->m.words);
	beside_claimed(w, j, busy);
	if (now)
		torus_bits_or(out, busy, w->m.words);
	for (uint32_t b = 0; weight < UINT32_MAX && b < w->m.words * 64; b++) {
		if (torus_bits_test(w->present, b) &&
		    torus_weights_of(w->weights, b) > weight)
			torus_bits_set(out, b);
	}
	torus_state_out(s, out);
	assert_int_equal(torus_state_set_links(s, &w->links), 0);
	/* on several toruses a count is granted what an empty one has, whatever it
	 * may use */
	if (ask.by_count && w->m.pods > 1 &&
	    torus_state_possible(s, &ask, &place, NULL) == TORUS_FITS)
		ask.granted = place.granted;
	ask = torus_ask_among(&ask, j->confined ? j->allowed : NULL);
	if (j->requires)
		ask.required = j->required;
	fits = torus_state_find(s, &ask, &place, NULL) == TORUS_FITS;
	torus_state_destroy(s);
	return fits;
}

bool rule_could_start(const struct sim_world *w, const struct sim_job *j,
		      bool now)
{
	bool fits = false;

	for (uint32_t k = 0; k < (now ? 1 : j->pending.request.alternatives);
	     k++)
		fits |= could_start(w, j, k, now, UINT32_MAX);
	return fits;
}

/* (the paper's strategies with turned submeshes miss free ones; those that remember
 * are not as a fresh state) */
static bool recognizes_all(const struct sim_world *w)
{
	return !w->strategy->save && strncmp(w->strategy->name, "submesh-t", 9);
}

/* On the sub-cubes of a hypercube the deadline disciplines choose by their papers' rules
 * (discipline/cubes.c), in which nodes have no weights. */
static bool chooses_cubes(const struct sim_world *w)
{
	static const char *const names[] = { "dedf", "dedf-replan", "buddy-rt",
					     "stacking" };
	bool any = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		any |= !strcmp(w->settings.discipline->name, names[i]);
	return any && !strcmp(w->strategy->name, "subcube-buddy");
}

/* Is there a reservation, or will it be? */
static bool is_reserved(const struct sim_world *w)
{
	bool any = w->recurs != RECURRENCE_NONE;

	for (int i = 0; i < WINDOWS; i++)
		any |= w->window[i].times > 0;
	return any;
}

/* Does another job or a reservation have a say in where it starts? */
static bool waits_beside(const struct sim_world *w, const struct sim_job *j)
{
	if (is_reserved(w))
		return true;
	for (uint32_t i = 0; i < w->jobs; i++) {
		if (&w->job[i] != j && w->job[i].state == SIM_PENDING)
			return true;
	}
	return j->refused_cycle > 0 || j->inside || j->requires;
}

/* Starts */

static bool link_is_dead(const struct sim_world *w, uint32_t pod,
			 const uint32_t *at, uint32_t dim, bool weak)
{
	const struct torus *t = &w->m.pod[pod].torus;

	for (uint32_t i = 0; i < w->links.count; i++) {
		const struct torus_link *l = &w->links.link[i];

		if (l->pod == pod && l->dim == dim &&
		    l->vertex == torus_vertex_index(t, at) &&
		    (l->health == TORUS_LINK_DOWN || !weak))
			return true;
	}
	return false;
}

/* Walk the region's nodes with our own arithmetic: paint them, and look at the
 * links between neighbours. */
static void rule_region(const struct sim_world *w, uint32_t job,
			const struct torus_region_item *item, bool weak,
			uint64_t *map)
{
	const struct torus_region *r = &item->region;
	uint32_t pod = item->pod;
	const struct torus *t = &w->m.pod[pod].torus;
	uint32_t i[TORUS_MAX_DIMS] = { 0 }, at[TORUS_MAX_DIMS], d;

	for (d = 0; d < t->dims; d++) {
		uint32_t last = r->base[d] + (r->extent[d] - 1) * r->stride[d];

		if (r->base[d] >= t->size[d] ||
		    (!t->wrap[d] && last >= t->size[d]) ||
		    r->extent[d] * r->stride[d] > t->size[d] + r->stride[d] - 1)
			rule_broken("job %u: its region leaves the torus", job);
	}
	do {
		for (d = 0; d < t->dims; d++)
			at[d] = (r->base[d] + i[d] * r->stride[d]) % t->size[d];
		for (; d < TORUS_MAX_DIMS; d++)
			at[d] = 0;
		torus_bits_set(map, torus_machine_bit(&w->m, pod,
						      torus_index(t, at)));
		for (d = 0; d < t->dims && w->m.pod[pod].links; d++) {
			int8_t axis = item->orientation.axis[d];
			bool closed = r->extent[d] == t->size[d] && axis >= 0 &&
				      (item->ring >> axis & 1);

			if ((i[d] + 1 < r->extent[d] || closed) &&
			    r->stride[d] == 1 && t->size[d] > 2 &&
			    !w->changed && link_is_dead(w, pod, at, d, weak))
				rule_broken("job %u: a dead link in its region",
					    job);
		}
		for (d = 0; d < t->dims && ++i[d] == r->extent[d]; d++)
			i[d] = 0;
	} while (d < t->dims);
}

static int by_size(const void *a, const void *b)
{
	return (int)*(const uint32_t *)a - (int)*(const uint32_t *)b;
}

/* The sides, whatever their order, and the rings that the job insists on. */
static void rule_shape(const struct sim_world *w, uint32_t job, uint32_t pod,
		       const struct torus_region *r, bool folded,
		       const struct torus_ask *ask)
{
	const struct torus *t = &w->m.pod[pod].torus;
	uint32_t want[TORUS_MAX_DIMS], got[TORUS_MAX_DIMS], n = 0, k = 0;
	uint64_t asked = 1, has = 1;
	bool rings = true;

	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		asked *= ask->shape.extent[a];
		rings &= ask->connection[a] == TORUS_CONN_TORUS;
		if (ask->shape.extent[a] > 1)
			want[n++] = ask->shape.extent[a];
	}
	for (uint32_t d = 0; d < t->dims; d++) {
		has *= r->extent[d];
		if (r->extent[d] > 1)
			got[k++] = r->extent[d];
		if (rings && !folded && r->extent[d] > 2 &&
		    (!t->wrap[d] || r->extent[d] * r->stride[d] != t->size[d]))
			rule_broken("job %u: an axis is no ring", job);
	}
	qsort(want, n, sizeof(*want), by_size);
	qsort(got, k, sizeof(*got), by_size);
	if (has != asked ||
	    (!folded && (n != k || memcmp(want, got, n * sizeof(*want)))))
		rule_broken("job %u: its region has another shape", job);
}

void rule_place(const struct sim_world *w, const struct sim_job *j,
		const struct cycle_order *o)
{
	const struct torus_ask *ask =
		&j->pending.request.alternative[o->alternative].ask;
	const struct torus_placement *p = &o->place;
	uint32_t job = o->name.job,
		 regions = ask->regions > 1 ? ask->regions : 1;
	uint64_t map[WORKLOAD_WORDS] = { 0 };
	uint32_t nodes = torus_bits_count(o->nodes, w->m.words);

	if (ask->by_count && nodes < ask->count)
		rule_broken("job %u: %u nodes instead of %u", job, nodes,
			    ask->count);
	if (p->scattered && !p->regions) {
		if (!ask->by_count &&
		    strcmp(w->m.pod[p->pod].strategy[0]->name, "flat") != 0)
			rule_broken("job %u: a shape on scattered nodes", job);
		return;
	}
	if (p->scattered && p->regions->count != regions)
		rule_broken("job %u: %u regions instead of %u", job,
			    p->regions->count, regions);
	for (uint32_t k = 0; k < regions; k++) {
		const struct torus_region_item one = { .pod = p->pod,
						       .region = p->region,
						       .orientation =
							       p->orientation,
						       .ring = p->ring },
					       *i = p->scattered ?
							    &p->regions->item[k] :
							    &one;

		rule_region(w, job, i, ask->weak, map);
		if (!ask->by_count)
			rule_shape(w, job, i->pod, &i->region,
				   i->orientation.folded, ask);
	}
	if (!torus_bits_equal(map, o->nodes, w->m.words))
		rule_broken("job %u: its nodes are not those of its region",
			    job);
	if (!ask->by_count && nodes != regions * torus_shape_volume(&ask->shape))
		rule_broken("job %u: %u nodes for its shape", job, nodes);
}

/* Does the reservation that comes again come within that time? (In UTC.) */
static bool recurs_within(const struct sim_world *w, int64_t from_us,
			  int64_t to_us)
{
	const int64_t day = 86400, week = 7 * day;
	int64_t from = w->recurs_from, to = w->recurs_to;

	while (w->recurs && from * SIM_SECOND < to_us) {
		int64_t by = w->recurs == RECURRENCE_HOURLY ? 3600 :
			     w->recurs == RECURRENCE_WEEKLY ? week :
							      day;
		bool at_weekend; /* (1970 began on a Thursday) */

		if (to * SIM_SECOND > from_us)
			return true;
		do {
			from += by;
			to += by;
			at_weekend = (to + 5 * day) % week < 2 * day;
		} while (w->recurs == (at_weekend ? RECURRENCE_WEEKDAY :
						    RECURRENCE_WEEKEND));
	}
	return false;
}

/* Jobs outside of a reservation must be over when it begins, and jobs inside stay on
 * its nodes. (Its end has passed though the clock was set back since.) */
bool rule_is_reserved(const struct sim_world *w, const struct sim_job *j,
		      const struct cycle_order *o)
{
	if (torus_bits_meet(o->nodes, w->recurs_on, w->m.words) &&
	    recurs_within(w, w->now_us, w->now_us + o->limit_us))
		return true;
	for (uint32_t i = 0; i < WINDOWS; i++) {
		const struct window *v = &w->window[i];

		if (v->times == 0)
			continue;
		if (j->inside == i + 1) {
			if (!torus_bits_subset(o->nodes, v->nodes, w->m.words))
				return true;
		} else if (torus_bits_meet(o->nodes, v->nodes, w->m.words) &&
			   w->now_us + w->back_us < v->to_us &&
			   w->now_us + o->limit_us > v->from_us) {
			return true;
		}
	}
	return false;
}

const char *rule_forbids(const struct sim_world *w, const struct sim_job *j,
			 const struct cycle_order *o)
{
	uint64_t map[WORKLOAD_WORDS];

	if (j->state != SIM_PENDING || j->pending.key != o->key)
		return "does not wait so";
	if (o->reject_reason)
		return NULL;
	world_busy(w, map);
	if (torus_bits_meet(map, o->nodes, w->m.words))
		return "would share nodes";
	world_usable(w, map);
	if (!torus_bits_subset(o->nodes, map, w->m.words))
		return "would start on nodes that are out of service";
	beside_claimed(w, j, map);
	if (torus_bits_meet(map, o->nodes, w->m.words))
		return "would get nodes that are cleared for another";
	if (j->confined && !torus_bits_subset(o->nodes, j->allowed, w->m.words))
		return "would leave the nodes that it may use";
	if (rule_is_reserved(w, j, o))
		return "would start in a reservation that is not its own";
	return NULL;
}

/* Slurm has said since the snapshot which nodes do not fit the job. */
void rule_another_place(const struct sim_world *w, struct sim_job *j,
			const struct cycle_order *o)
{
	if (j->refused_look != w->looks)
		torus_bits_zero(j->unfit, w->m.words);
	/* (one that is offered a shorter limit starts anew: live/shorten.c) */
	if (!j->pending.least_us &&
	    torus_bits_meet(j->unfit, o->nodes, w->m.words))
		rule_broken("job %u is offered nodes %llx, of which Slurm has just refused %llx",
			    o->name.job, (unsigned long long)*o->nodes,
			    (unsigned long long)*j->unfit);
}

/* A job that waits alone gets the place with the least greatest weight. (A reservation that
 * was made before weights changed is kept.) */
static void rule_weight(struct sim_world *w, const struct sim_job *j,
			const struct cycle_order *o)
{
	const struct torus_ask *ask =
		&j->pending.request.alternative[o->alternative].ask;
	uint32_t greatest = 0;

	/* (of single nodes, also for a shape on a flat torus, those that are awake come
	 * first) */
	if (!w->weights || w->changed || w->failing ||
	    ((w->strategy->scatters || o->place.scattered) &&
	     torus_bits_next(torus_weights_asleep(w->weights), w->m.words, 0) !=
		     UINT32_MAX) ||
	    (j->weighed != w->weighed &&
	     !strcmp(w->settings.discipline->name, "conservative")) ||
	    w->offered != 1 || ask->by_count || ask->regions > 1 ||
	    !recognizes_all(w) || chooses_cubes(w) || waits_beside(w, j))
		return;
	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		if (torus_bits_test(o->nodes, b) &&
		    torus_weights_of(w->weights, b) > greatest)
			greatest = torus_weights_of(w->weights, b);
	}
	for (uint32_t most = 0; most < greatest; most++) {
		if (could_start(w, j, o->alternative, true, most))
			rule_broken("job %u: a node of weight %u, though a place of weight %u is free",
				    o->name.job, greatest, most);
	}
}

void rule_start(struct sim_world *w, const struct sim_job *j,
		const struct cycle_order *o)
{
	const struct torus_alternative *alternative =
		&j->pending.request.alternative[o->alternative];

	if (o->limit_us > j->pending.limit_us ||
	    (o->limit_us < j->pending.limit_us &&
	     (!j->pending.least_us || o->limit_us < j->pending.least_us)))
		rule_broken("job %u gets another time limit", o->name.job);
	/* (the clock may have been set back since; a cycle has the time before it got
	 * the locks) */
	if (w->now_us + SIM_SECOND + w->waited_us <
	    j->pending.eligible_us + alternative->after_us)
		rule_broken("job %u: an alternative before its time",
			    o->name.job);
	if (j->requires && !torus_bits_subset(j->required, o->nodes, w->m.words))
		rule_broken("job %u lacks nodes that it requires", o->name.job);
	rule_place(w, j, o);
	rule_weight(w, j, o);
}

/* What the agent takes for free and for used is so. */
void rule_mirror(struct sim_world *w)
{
	const uint64_t *free = torus_state_free_map(
		torus_scheduler_state(cycle_scheduler(w->cycle)));
	uint64_t busy[WORKLOAD_WORDS], claimed[WORKLOAD_WORDS];

	world_busy(w, busy);
	beside_claimed(w, NULL, claimed);
	torus_bits_or(busy, claimed, w->m.words);
	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		if (!torus_bits_test(w->present, b))
			continue;
		if (torus_bits_test(busy, b) && torus_bits_test(free, b))
			rule_broken("node %u is in use, and counts as free", b);
		if (!torus_bits_test(busy, b) && !torus_bits_test(free, b) &&
		    !w->node[b])
			rule_broken("node %u is free, and counts as in use", b);
	}
}

/* Promises */

/* Is nothing under way that may delay what was promised? */
static bool is_calm(const struct sim_world *w)
{
	if (w->disturbed || w->changed || w->settings.order_by_priority ||
	    w->strategy->save || w->dry || cycle_left(w->cycle))
		return false;
	if (is_reserved(w))
		return false;
	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		if (w->node[b])
			return false;
	}
	for (uint32_t i = 0; i < w->jobs; i++) {
		/* (one that was refused comes back before those behind it) */
		if (w->job[i].state == SIM_PENDING &&
		    (w->job[i].refused_cycle || w->job[i].requires))
			return false;
		if (w->job[i].state == SIM_COMPLETING ||
		    (w->job[i].state == SIM_RUNNING &&
		     (w->job[i].late || w->job[i].start_us + w->job[i].limit_us <=
						w->now_us + SIM_SECOND)))
			return false; /* (the agent may date its end earlier) */
	}
	return true;
}

struct promises {
	struct sim_world *w;
	bool calm, all;
	int64_t head_us;
};

/* Return the time of the snapshot: who has become eligible since is not in it. (The agent's
 * time does not go back with the clock.) */
static int64_t looked_us(const struct sim_world *w)
{
	int64_t agent_us = cycle_report_now(w->cycle);

	return agent_us < w->now_us ? agent_us : w->now_us;
}

/* Does no reservation and no failed allocation explain what a job waits for? */
static bool is_plain(const struct sim_world *w, const struct sim_job *j)
{
	if (w->changed || w->counts.failures || w->strategy->save ||
	    j->inside || w->dry || cycle_left(w->cycle) || j->requires ||
	    j->refused_cycle == w->cycle_number || beside_has_claim(w, j))
		return false;
	if (is_reserved(w))
		return false;
	return true;
}

/* The first of the queue could not start now, and has the highest priority. */
static void rule_head(struct sim_world *w, const struct sim_job *head)
{
	const struct torus_discipline *d = w->settings.discipline;
	bool in_order = strcmp(d->name, "easy") == 0 ||
			strcmp(d->name, "fcfs") == 0;

	if (!in_order || !is_plain(w, head))
		return;
	if (w->refused < AGENT_ROUNDS && recognizes_all(w) &&
	    head->refused_cycle == 0 && rule_could_start(w, head, true))
		rule_broken("%s: job %u is first and could start now", d->name,
			    head->pending.name.job);
	for (uint32_t i = 0; i < w->jobs && w->settings.order_by_priority &&
			     !torus_options_get(&w->settings.options, "bound") &&
			     w->settings.wait_limit_us == TORUS_NO_TIME;
	     i++) {
		const struct sim_job *j = &w->job[i];

		if (j->state == SIM_PENDING && is_plain(w, j) &&
		    j->refused_cycle == 0 &&
		    j->pending.eligible_us <= looked_us(w) &&
		    j->pending.priority > head->pending.priority &&
		    rule_could_start(w, j, false))
			rule_broken("job %u is first, and job %u has a higher priority",
				    head->pending.name.job, j->pending.name.job);
	}
}

/* No job could start now that may overtake the others: with fpfs and its like any, with
 * easy those that end before the head's start. (A fourth of the jobs in each cycle.) */
static void rule_overtakes(const struct sim_world *w, int64_t head_us)
{
	const struct torus_scheduler_settings *s = &w->settings;
	bool any = strncmp(s->discipline->name, "fp", 2) == 0 &&
		   s->wait_limit_us == TORUS_NO_TIME;

	if ((!any &&
	     (strcmp(s->discipline->name, "easy") || s->options.used > 0 ||
	      s->reservations > 0 || head_us == TORUS_NO_TIME)) ||
	    w->refused >= AGENT_ROUNDS || !recognizes_all(w))
		return;
	for (uint32_t i = w->cycle_number % 4; i < w->jobs; i += 4) {
		const struct sim_job *j = &w->job[i];

		if (j->state == SIM_PENDING && j->refused_cycle == 0 &&
		    j->pending.eligible_us <= looked_us(w) && is_plain(w, j) &&
		    (any ||
		     w->now_us + j->pending.limit_us + SIM_SECOND <= head_us) &&
		    rule_could_start(w, j, true))
			rule_broken("%s: job %u could start now, and delays nobody",
				    s->discipline->name, j->pending.name.job);
	}
}

/* A reason tells how many of the nodes that the job may use are free: "5 are free (7 held by
 * jobs", "7 nodes are free, but". (With -w it is about the nodes around them.) */
static void rule_reason(struct sim_world *w, struct sim_job *j,
			const char *reason)
{
	const struct torus_pod *last = &w->m.pod[w->m.pods - 1];
	const char *at = reason ? strstr(reason, " are free") : NULL;
	uint64_t free[WORKLOAD_WORDS], map[WORKLOAD_WORDS];
	uint32_t words = w->m.words;

	if (!at || w->changed || w->failing || w->refused || j->requires)
		return;
	if (at - reason > 6 && strncmp(at - 6, " nodes", 6) == 0)
		at -= 6;
	while (at > reason && at[-1] >= '0' && at[-1] <= '9')
		at--;
	world_usable(w, free);
	if (j->confined)
		torus_bits_and(free, free, j->allowed, words);
	site_outages(w, j, free);
	world_busy(w, map);
	torus_bits_andnot(free, map, words);
	beside_claimed(w, NULL, map);
	torus_bits_andnot(free, map, words);
	if (last->outside && !j->pending.request.alternative[0].ask.anywhere)
		words = last->first_word;
	if ((uint32_t)atoi(at) != torus_bits_count(free, words))
		rule_broken("job %u is told \"%s\", and %u nodes are free",
			    j->pending.name.job, reason,
			    torus_bits_count(free, words));
}

static bool rule_promise(void *arg, const struct cycle_promise *p)
{
	struct promises *q = arg;
	struct sim_world *w = q->w;
	struct sim_job *j = world_job(w, p->name.job);
	char ask[TORUS_GEOMETRY_SIZE];

	if (!w->changed && j->state != SIM_PENDING)
		rule_broken("job %u is promised a start, and does not wait",
			    p->name.job);
	for (uint32_t i = 0; p->blockers && !w->changed &&
			     i < p->blockers->holders && i < CYCLE_BLOCKERS;
	     i++) {
		uint32_t job = p->blockers->holder[i].id.job;
		const struct sim_job *holder = world_job(w, job);

		if (holder && holder->refused_cycle != w->cycle_number &&
		    holder->state != SIM_RUNNING &&
		    holder->state != SIM_COMPLETING)
			rule_broken("job %u holds no nodes, but the reason of %u names it",
				    job, p->name.job);
		if (holder && holder->pending.name.job != job)
			rule_broken("the reason of %u names job %u, which is called %u now",
				    p->name.job, job, holder->pending.name.job);
	}
	torus_job_request_format(p->request, ask, sizeof(ask));
	world_say(w, "  job %u (%s, %.3f s) is promised %.6f, nodes %llx: %s",
		  p->name.job, ask, (double)j->pending.limit_us / 1e6,
		  (double)p->start_us / 1e6,
		  p->nodes ? (unsigned long long)*p->nodes : 0,
		  p->reason ? p->reason : "its turn");
	rule_reason(w, j, p->reason);
	if (p->head) {
		rule_head(w, j);
		q->head_us = p->start_us;
	}
	for (uint32_t b = 0; p->nodes && !w->changed && b < w->m.words * 64;
	     b++) {
		if (torus_bits_test(p->nodes, b) && w->node[b] &&
		    node_state_row(w->node[b])->use == NODE_OUT)
			rule_broken("job %u is promised node %u, which is out of service",
				    p->name.job, b);
	}
	if (p->start_us == TORUS_NO_TIME || !(q->all || p->head))
		return true;
	/* (one that is offered a shorter limit may lose its place: live/shorten.c) */
	if (q->calm && j->promised_cycle && !j->pending.least_us &&
	    j->promised_cycle + 1 == w->cycle_number &&
	    p->start_us > j->promised_us + AGENT_ROUNDS &&
	    p->start_us > w->now_us)
		rule_broken("%s: job %u: its start moves from %lld to %lld",
			    w->settings.discipline->name, p->name.job,
			    (long long)j->promised_us, (long long)p->start_us);
	j->promised_us = p->start_us;
	j->promised_cycle = q->calm ? w->cycle_number : 0;
	return true;
}

/* No job is behind one of a lower priority, where that counts, or behind one that came
 * later: in Slurm's seconds, then by number. */
static void rule_order(const struct sim_world *w)
{
	const char *name = w->settings.discipline->name;
	const struct torus_job *job =
		torus_scheduler_queue(cycle_scheduler(w->cycle))->head;
	const struct sim_job *before = NULL;

	if (w->changed || torus_options_get(&w->settings.options, "bound") ||
	    torus_options_get(&w->settings.options, "queue_order") ||
	    w->settings.wait_limit_us != TORUS_NO_TIME ||
	    (strcmp(name, "fcfs") && strcmp(name, "easy") &&
	     strcmp(name, "conservative")))
		return;
	for (; job; job = job->next) {
		const struct mirror_entry *e = job->host;
		const struct sim_job *j =
			world_job((struct sim_world *)(uintptr_t)w, e->name.job);
		int64_t later_s;

		if (j->state != SIM_PENDING)
			continue;
		if (before && w->settings.order_by_priority &&
		    j->pending.priority != before->pending.priority) {
			if (j->pending.priority > before->pending.priority)
				rule_broken("job %u waits behind one of a lower priority",
					    e->name.job);
			before = j;
			continue;
		}
		later_s = before ? before->pending.eligible_us / SIM_SECOND -
					   j->pending.eligible_us / SIM_SECOND :
				   0;
		if (later_s > 0 ||
		    (before && later_s == 0 &&
		     before->pending.name.job > j->pending.name.job))
			rule_broken("job %u waits behind job %u, which came later",
				    e->name.job, before->pending.name.job);
		before = j;
	}
}

/* An admitted job stays so, and is done before its deadline. */
static void rule_deadlines(struct sim_world *w, bool calm)
{
	const struct torus_job *job =
		torus_scheduler_queue(cycle_scheduler(w->cycle))->head;

	for (; job; job = job->next) {
		const struct mirror_entry *e = job->host;
		struct sim_job *j = world_job(w, e->name.job);
		int64_t deadline_us = j->pending.deadline_us;
		bool safe = job->admitted && job->reservation != UINT32_MAX &&
			    job->start_us + j->pending.limit_us <=
				    deadline_us + AGENT_ROUNDS;
		bool was_safe = j->safe_cycle &&
				j->safe_cycle + 1 == w->cycle_number;

		if (deadline_us == TORUS_NO_TIME || j->state != SIM_PENDING)
			continue;
		if (calm && !safe &&
		    (was_safe || (job->admitted && !j->admitted)))
			rule_broken("%s: job %u is admitted, and misses its deadline, %lld",
				    w->settings.discipline->name, e->name.job,
				    (long long)deadline_us);
		j->admitted = job->admitted;
		j->safe_cycle = calm && safe ? w->cycle_number : 0;
	}
}

/* Promises over a restart */

static void rule_usage_saved(struct sim_world *w, bool carried)
{
	struct torus_usage u;
	uint32_t n = 0;

	for (; torus_scheduler_usage(cycle_scheduler(w->cycle), n, &u); n++) {
		struct sim_usage *s = &w->usage[carried][n];

		assert_true(n < SIM_USERS);
		snprintf(s->user, sizeof(s->user), "%s", u.user);
		s->used = u.used;
		s->at_us = u.at_us;
		s->nodes = u.nodes;
	}
	w->usages[carried] = n;
}

/* What somebody had used when it was saved has been halved since, and not forgotten. */
static void rule_usage_restored(const struct sim_world *w)
{
	bool soon = torus_options_get(&w->settings.options, "half_life");
	double half_s = soon ? SIM_HALF_LIFE_S : 7 * 86400.0;
	bool orders_by_it = torus_options_is(&w->settings.options,
					     "queue_order", "fairshare") ||
			    torus_options_is(&w->settings.options,
					     "backfill_order", "fairshare");
	struct torus_usage u;

	for (uint32_t i = 0; orders_by_it && i < w->usages[w->carried]; i++) {
		const struct sim_usage *s = &w->usage[w->carried][i];
		double used = 0, least_s;
		uint32_t n = 0;

		while (torus_scheduler_usage(cycle_scheduler(w->cycle), n++,
					     &u)) {
			if (strcmp(u.user, s->user) == 0)
				used = u.used;
		}
		least_s = s->used / 1e6 *
			  exp2((double)(s->at_us - w->now_us) / 1e6 / half_s);
		if (used / 1e6 < least_s * 0.99 - 2)
			rule_broken("user %s has used %.0f node seconds, and %.0f after a restart",
				    s->user, least_s, used / 1e6);
	}
}

void rule_saved(struct sim_world *w, bool carried)
{
	const struct torus_job *job =
		torus_scheduler_queue(cycle_scheduler(w->cycle))->head;

	for (uint32_t i = 0; i < w->jobs; i++)
		w->job[i].saved[carried].key = 0;
	for (; job; job = job->next) {
		const struct mirror_entry *e = job->host;
		struct sim_job *j = world_job(w, e->name.job);

		if (job->reservation == UINT32_MAX)
			continue;
		j->saved[carried].key = e->key;
		j->saved[carried].start_us = job->start_us;
	}
	rule_usage_saved(w, carried);
}

void rule_restored(struct sim_world *w)
{
	const struct torus_job *job =
		torus_scheduler_queue(cycle_scheduler(w->cycle))->head;
	bool calm = w->saved_now && is_calm(w) &&
		    w->settings.discipline->resumed;

	if (w->changed || !w->told || w->failing || w->promises_damaged) {
		w->promises_damaged = false;
		return;
	}
	rule_usage_restored(w);
	for (; job; job = job->next) {
		struct sim_job *j =
			world_job(w,
				  ((struct mirror_entry *)job->host)->name.job);
		bool has = job->reservation != UINT32_MAX;
		bool had = j->saved[w->carried].key == j->pending.key;
		int64_t start_us = j->saved[w->carried].start_us;

		if (has && !had)
			rule_broken("job %u gets a saved promise that was not made to it",
				    j->pending.name.job);
		if (has && job->start_us > start_us)
			rule_broken("job %u was promised %lld, and %lld after a restart",
				    j->pending.name.job, (long long)start_us,
				    (long long)job->start_us);
		if (calm && !has && had && start_us > w->now_us)
			rule_broken("job %u has lost its promise by a restart",
				    j->pending.name.job);
	}
}

void rule_promises(struct sim_world *w)
{
	const char *name = w->settings.discipline->name;
	struct promises q = { w, is_calm(w), strcmp(name, "conservative") == 0,
			      TORUS_NO_TIME };

	rule_order(w);
	rule_deadlines(w, q.calm);
	/* (with an order of its own, another job may be easy's head each time) */
	q.calm &= q.all ||
		  (strcmp(name, "easy") == 0 && w->settings.options.used == 0);
	promises_list(w->cycle, UINT32_MAX, UINT32_MAX, rule_promise, &q);
	rule_overtakes(w, q.head_us);
	w->disturbed = false;
}

/* Waiting */

/* Does the discipline start whatever it can? */
static bool is_eager(const struct sim_world *w)
{
	const struct torus_discipline *d = w->settings.discipline;

	return !d->defers &&
	       (d->limits_waiting || strcmp(d->name, "easy") == 0 ||
		strcmp(d->name, "conservative") == 0);
}

void rule_after_cycle(struct sim_world *w, bool idle)
{
	const struct sim_job *waiting = NULL;
	struct torus_error err = { 0 };

	if (w->cycle && !cycle_check(w->cycle, &err))
		rule_broken("%s", err.text);
	if (!idle || w->offered || w->changed || w->counts.failures ||
	    !is_eager(w) || w->dry || cycle_left(w->cycle))
		return;
	if (is_reserved(w))
		return;
	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		enum node_use use = node_state_row(w->node[b])->use;

		if (w->node[b] && use != NODE_OUT &&
		    (use != NODE_SILENT ||
		     w->now_us <= w->silent_us[b] + 10 * SIM_SECOND))
			return; /* a job may wait for it */
	}
	for (uint32_t i = 0; i < w->jobs; i++) {
		const struct sim_job *j = &w->job[i];

		if (j->state != SIM_PENDING ||
		    j->pending.eligible_us > looked_us(w))
			continue;
		if (j->refused_cycle || j->inside || j->requires)
			return; /* it may keep the others waiting */
		if (rule_could_start(w, j, true))
			waiting = j;
		else if (rule_could_start(w, j, false))
			return; /* (another of its alternatives, later) */
	}
	if (waiting)
		rule_broken("job %u could start, and the machine is idle",
			    waiting->pending.name.job);
}

void rule_journal(struct sim_world *w)
{
	if (w->dry) /* (it is another scheduler's) */
		return;
	cut_check(w->path, &w->m, &w->settings, 100);
}
