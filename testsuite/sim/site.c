/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the simulated sites (world.h) draw from their seeds: strategies and disciplines,
 * settings, and jobs with their requests.
 */
#include "site.h"

/*
 * What a site draws, by number: appending to `first` would change which sites the
 * scripts in found/ and the seeds mean. What the product gets later goes to `later`,
 * which only sites from SIM_LATER on draw, from a stream of their own.
 */
struct names {
	const char *const *first;
	uint32_t firsts;
	const char *const *later;
	uint32_t laters;
};

#define NAMES(list) list, sizeof(list) / sizeof((list)[0])

static const char *const first_strategies[] = {
	"flat",          "submesh",       "submesh-tbl",
	"submesh-bl",    "submesh-tff",   "submesh-ff",
	"semitorus-nep", "semitorus-ep",  "semitorus-buddy",
	"subtorus",      "subcube-buddy",
};
static const char *const first_disciplines[] = {
	"fcfs", "mpfs",        "lpfs",     "sjf",      "lpt",
	"fpfs", "fpmpfs",      "fplpfs",   "easy",     "conservative",
	"dedf", "dedf-replan", "buddy-rt", "stacking", "slurm-backfill",
};
static const char *const later_strategies[] = { "submesh-bf", "submesh-wf",
						"subtorus-diagonal" };
static const char *const later_disciplines[] = { "mlf" };
static const struct names sim_strategies = { NAMES(first_strategies),
					     NAMES(later_strategies) };
static const struct names sim_disciplines = { NAMES(first_disciplines),
					      NAMES(later_disciplines) };

static const char *site_name(struct sim_world *w, const struct names *names,
			     struct random *r)
{
	const char *first = names->first[random_below(r, names->firsts)];

	if (w->seed < SIM_LATER || names->laters == 0 ||
	    random_percent(&w->later, 50))
		return first;
	return names->later[random_below(&w->later, names->laters)];
}

void site_strategy(struct sim_world *w, struct random *r)
{
	w->strategy = torus_strategy_find(site_name(w, &sim_strategies, r));
}

bool site_machine(struct torus_machine *m, const char **name,
		  const struct torus_strategy **strategy, struct random *r)
{
	static const char *const like[][4] = {
		{ "flat:12", "3x2x2", "4x3:TM", "2x6:MT" },
		{ "4x4:MM", "2x2x2x2", "8x2:TM", "16" },
		{ "8", "2x4", "2x2x2:TMM", "flat:8" },
		{ "4x4+flat:5", "2x8:MM+5", "flat:16+5:M", "2x2x4+flat:5" },
		{ "4x2:MM+3x2x2", "2x4+4x3:TM", "8+6x2", "2x2x2+flat:12" },
		{ "flat:4+3x3+flat:6", "2x2+flat:9+3x2", "4+9:M+6",
		  "2x2:MM+3x3:MT+2x3" },
		{ "4x2+2x2:MM+out:5", "8+flat:4+out:5", "2x2x2+4+out:5",
		  "2x4:MT+2x2+out:5" },
	};
	const struct torus_strategy *drawn = torus_strategy_find(
		first_strategies[random_below(r,
					      sizeof(first_strategies) /
						      sizeof(*first_strategies))]);
	uint32_t at = random_below(r, 4);

	for (size_t i = 0; i < sizeof(like) / sizeof(*like); i++) {
		for (int k = 0; k < 4; k++) {
			if (strcmp(like[i][k], *name))
				continue;
			if (!workload_machine(m, like[i][at], drawn))
				return false;
			*name = like[i][at];
			*strategy = drawn;
			return true;
		}
	}
	return false;
}

static bool names_have(const struct names *names, const char *name)
{
	bool have = false;

	for (uint32_t i = 0; i < names->firsts; i++)
		have |= strcmp(names->first[i], name) == 0;
	for (uint32_t i = 0; i < names->laters; i++)
		have |= strcmp(names->later[i], name) == 0;
	return have;
}

uint32_t site_left_out(void)
{
	const struct torus_strategy *const *s = torus_strategies();
	const struct torus_discipline *const *d = torus_disciplines();
	uint32_t left = 0;

	for (; *s; s++) {
		if (names_have(&sim_strategies, (*s)->name))
			continue;
		printf("# no site draws the strategy %s\n", (*s)->name);
		left++;
	}
	for (; *d; d++) {
		if (names_have(&sim_disciplines, (*d)->name))
			continue;
		printf("# no site draws the discipline %s\n", (*d)->name);
		left++;
	}
	return left;
}

/* Half of the wider sites with easy have orders of their own; a stream of their own, too. */
static void site_orders(struct sim_world *w)
{
	static const char *const keys[] = { "queue_order", "backfill_order" };
	static const char *const orders[] = { "sjf", "saf", "lqf", "wfp3",
					      "fairshare" };
	struct torus_options *o = &w->settings.options;
	struct random r = { w->seed ^ 0x0bde75 };

	for (int i = 0; i < 2; i++) {
		if (random_percent(&r, 50))
			torus_options_set(o, keys[i],
					  orders[random_below(&r, 5)]);
	}
	if (random_percent(&r, 30))
		torus_options_set(o, "half_life", SIM_HALF_LIFE);
	if (random_percent(&r, 20))
		torus_options_set(o, "bound", "00:00:40");
	for (uint32_t i = 0; i < o->used; i++)
		world_say(w, "  %s: %s", o->item[i].key, o->item[i].value);
	w->settings.order_by_priority &= !torus_discipline_sorts(&w->settings);
}

void site_settings(struct sim_world *w, struct random *r)
{
	torus_scheduler_defaults(&w->settings);
	w->settings.discipline = torus_discipline_find(
		site_name(w, &sim_disciplines, r));
	w->settings.no_preemption = true;
	w->settings.mean_hold_us = (1 + random_below(r, 20)) * SIM_SECOND;
	w->settings.order_by_priority = random_percent(r, 40);
	w->settings.backfill_places = 1 + random_below(r, 3);
	w->settings.reservations = random_below(r, 4);
	if (random_percent(r, 30) && w->settings.discipline->limits_waiting)
		w->settings.wait_limit_us = random_below(r, 30) * SIM_SECOND;
	if (w->seed >= SIM_WIDER &&
	    strcmp(w->settings.discipline->name, "easy") == 0)
		site_orders(w);
}

/* Jobs */

/* As a user could have typed it. */
static void draw_request(struct sim_world *w, struct random *r,
			 struct torus_job_request *q)
{
	bool weak = random_percent(r, 30);

	q->alternatives = random_percent(r, 30) ? 2 : 1;
	q->rotate = random_percent(r, 80);
	for (uint32_t k = 0; k < q->alternatives; k++) {
		struct torus_ask *ask = &q->alternative[k].ask;

		*ask = workload_ask(r, &w->m);
		ask->anywhere &= q->alternatives == 1 &&
				 strcmp(w->m.pod[0].strategy[0]->name,
					"flat") == 0;
		if (ask->anywhere)
			ask->strategy = "flat";
		/* (one axis cannot be pinned in words) */
		q->rotate |= !ask->by_count && ask->shape.axes == 1;
	}
	for (uint32_t k = 0; k < q->alternatives; k++) {
		struct torus_ask *ask = &q->alternative[k].ask;
		bool words = q->alternatives > 1;

		ask->rotate = q->rotate || ask->by_count;
		ask->weak = weak;
		if (q->rotate)
			torus_shape_squeeze(&ask->shape);
		for (uint32_t a = 0; a < TORUS_MAX_DIMS; a++) {
			if (words || a >= (ask->by_count ? 1 : ask->shape.axes))
				ask->connection[a] = TORUS_CONN_NAV;
		}
		if (ask->by_count)
			memset(&ask->shape, 0, sizeof(ask->shape));
		else
			ask->count = 0;
		q->alternative[k].after_us = k * (int64_t)random_below(r, 9) *
					     SIM_SECOND;
	}
	workload_distinct(q);
}

static uint32_t site_node(const struct sim_world *w, struct random *r)
{
	uint32_t b = random_below(r, w->m.words * 64);

	while (!torus_bits_test(w->present, b))
		b = (b + 1) % (w->m.words * 64);
	return b;
}

/* It insists on one or two nodes (-w). */
static void require_nodes(const struct sim_world *w, struct random *r,
			  struct sim_job *j)
{
	uint32_t nodes = 1 + random_below(r, 2);

	for (uint32_t k = 0; k < j->pending.request.alternatives; k++) {
		if (torus_ask_nodes(&j->alternative[k].ask) < nodes)
			nodes = 1;
	}
	j->requires = true;
	while (nodes-- > 0)
		torus_bits_set(j->required, site_node(w, r));
	world_say(w, "  job %u requires nodes %llx", j->pending.name.job,
		  (unsigned long long)*j->required);
}

/* What jobs have on later sites: ranks, and nodes that they share. */
static void site_later_job(const struct sim_world *w, struct random *r,
			   struct sim_job *j)
{
	const struct torus_job_request *q = &j->pending.request;

	j->rank = random_below(r, 3);
	j->requeues = random_percent(r, 50);
	j->grace_us = random_percent(r, 40) ? random_below(r, 8) * SIM_SECOND :
					      0;
	j->pending.shares = random_percent(r, w->sharing) &&
			    q->alternatives == 1 &&
			    q->alternative[0].ask.by_count;
	j->pending.spreads = random_percent(r, 20);
	if (w->seed < SIM_WIDER)
		return;
	j->confined |= random_percent(r, w->confining);
	if (!j->pending.shares && random_percent(r, w->requiring))
		require_nodes(w, r, j);
}

/* What the widest sites have: another scheduler, jobs that insist on nodes, many sets of
 * nodes, a reservation that comes again (from a minute before its first end on). */
static void site_wider(struct sim_world *w, struct random *r)
{
	w->dry = random_percent(r, 8);
	w->requiring = random_percent(r, 40) ? 25 : 0;
	w->confining = random_percent(r, 30) ? 80 : 0;
	if (random_percent(r, 85))
		return;
	w->recurs = 1 + random_below(r, RECURRENCE_WEEKLY);
	w->recurs_from = 1000 + random_below(r, 300);
	w->recurs_to = w->recurs_from + 1 + random_below(r, 120);
	workload_nodes(r, &w->m, 20 + random_below(r, 60), w->recurs_on);
}

void site_later(struct sim_world *w)
{
	if (w->seed < SIM_LATER)
		return;
	w->preempts = random_percent(&w->later, 50);
	w->sharing = random_percent(&w->later, 40) ? 60 : 0;
	w->in_files = random_percent(&w->later, 60);
	if (w->seed >= SIM_WIDER)
		site_wider(w, &w->later);
}

void site_outages(struct sim_world *w, struct sim_job *j, uint64_t *allowed)
{
	time_t from = w->recurs_from, to = w->recurs_to;
	struct torus_outages *o = &j->outages.o;

	windows_list(&j->outages, &w->m, w->window, j->inside, allowed);
	torus_bits_and(j->recurs_on, w->recurs_on, allowed, w->m.words);
	if (!w->recurs ||
	    torus_bits_next(j->recurs_on, w->m.words, 0) == UINT32_MAX)
		return;
	while (to <= w->now_us / SIM_SECOND)
		recurrence_next(w->recurs, &from, &to);
	for (int n = WINDOW_TIMES; n > 0; n--) {
		j->outages.outage[o->count++] = (struct torus_outage){
			.from_us = from * SIM_SECOND,
			.to_us = n > 1 ? to * SIM_SECOND : TORUS_NO_TIME,
			.nodes = j->recurs_on,
			.name = "again",
		};
		recurrence_next(w->recurs, &from, &to);
	}
}

void site_submit(struct sim_world *w, struct random *r)
{
	struct sim_job *j = &w->job[w->jobs];
	struct cycle_pending_job *p = &j->pending;

	if (w->jobs == SIM_JOBS)
		return;
	j->state = SIM_PENDING;
	p->name.job = ++w->jobs;
	j->weighed = w->weighed;
	p->key = w->jobs;
	p->eligible_us = w->now_us / SIM_SECOND * SIM_SECOND;
	p->limit_us = (1 + random_below(r, 60)) * SIM_SECOND;
	/* Slurm ends a job up to half a minute after its limit */
	j->run_us = random_percent(r, 20) ?
			    p->limit_us + random_below(r, 30000) * 1000 :
			    1 + (int64_t)(random_bits(r) %
					  (uint64_t)p->limit_us);
	if (random_percent(r, 20))
		p->least_us = (1 + random_below(r, 10)) * SIM_SECOND;
	p->step_us = SIM_SECOND;
	p->deadline_us = random_percent(r, 30) ?
				 w->now_us + p->limit_us *
						     (1 + random_below(r, 5)) :
				 TORUS_NO_TIME;
	p->priority = random_below(r, 4);
	p->request.alternative = j->alternative;
	draw_request(w, r, &p->request);
	j->confined = random_percent(r, 15);
	workload_nodes(r, &w->m, 60 + random_below(r, 40), j->allowed);
	if (random_percent(r, 15))
		j->inside = 1 + random_below(r, WINDOWS);
	j->task = random_percent(r, 15);
	if (w->seed >= SIM_LATER)
		site_later_job(w, r, j);
}
