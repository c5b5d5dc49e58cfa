/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated site (world.h): what its events do. */
#include "beside.h"
#include "life.h"
#include "rules.h"
#include "site.h"

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "format/node_state.h"
#include "live/mirror/cycle_report.h"
#include "live/mirror/mirror.h"
#include "live/mirror/outages.h"
#include "live/mirror/waiting.h"
#include "live/promises/promises.h"
#include "live/orders.h"
#include "torus/state_text.h"

#define POLL_US 250000
#define RESTS_US (10 * SIM_SECOND)
#define SIM_BURST_MOST 270 /* the mirror's tables grow */

static const struct {
	const char *name;
	uint32_t weight;
} kinds[SIM_KINDS] = {
	[SIM_CYCLE] = { "cycle", 60 },
	[SIM_ADVANCE] = { "advance", 50 },
	[SIM_SUBMIT] = { "submit", 40 },
	[SIM_CANCEL] = { "cancel", 4 },
	[SIM_HOLD] = { "hold", 3 },
	[SIM_RELEASE] = { "release", 4 },
	[SIM_REQUEUE] = { "requeue", 3 },
	[SIM_SUSPEND] = { "suspend", 2 },
	[SIM_LIMIT] = { "limit", 3 },
	[SIM_PRIORITY] = { "priority", 3 },
	[SIM_ALLOWED] = { "allowed", 3 },
	[SIM_ELSEWHERE] = { "elsewhere", 2 },
	[SIM_NODE] = { "node", 6 },
	[SIM_LINK] = { "link", 3 },
	[SIM_WEIGHT] = { "weight", 2 },
	[SIM_RESERVE] = { "reserve", 3 },
	[SIM_REFUSE] = { "refuse", 3 },
	[SIM_DURING] = { "during", 4 },
	[SIM_MEMORY] = { "memory", 3 },
	[SIM_SAVE] = { "save", 8 },
	[SIM_CRASH] = { "crash", 2 },
	[SIM_RESTART] = { "restart", 2 },
	[SIM_SETTINGS] = { "settings", 1 },
	[SIM_CLOCK] = { "clock", 1 },
	[SIM_PAUSE] = { "pause", 3 },
	[SIM_RANK] = { "rank", 3 },
	[SIM_DISK] = { "disk", 4 },
	[SIM_AGAIN] = { "again", 2 },
	[SIM_TORN] = { "torn", 2 },
	[SIM_SLOW] = { "slow", 4 },
	[SIM_BURST] = { "burst", 2 },
	[SIM_OLDER] = { "older", 1 },
	[SIM_DAMAGED] = { "damaged", 1 },
	[SIM_MACHINE] = { "machine", 2 },
};

bool sim_trace;

void world_say(const struct sim_world *w, const char *format, ...)
{
	va_list args;

	if (!sim_trace)
		return;
	printf("%.6f ", (double)w->now_us / 1e6);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

const char *world_kind(enum sim_kind kind)
{
	return kinds[kind].name;
}

bool world_is_calm(uint64_t seed)
{
	return seed % 5 == 4;
}

bool world_calm(enum sim_kind kind)
{
	return kind <= SIM_SUBMIT || kind == SIM_SAVE || kind == SIM_RESTART ||
	       kind == SIM_OLDER;
}

struct sim_event world_draw(uint64_t seed, struct random *r)
{
	int last = seed < SIM_LATER  ? SIM_FIRST_KINDS :
		   seed < SIM_WIDER  ? SIM_LATER_KINDS :
		   seed < SIM_WIDEST ? SIM_WIDER_KINDS :
				       SIM_KINDS;
	struct sim_event e = { SIM_CYCLE, 0 };
	uint32_t sum = 0, at;

	for (int k = 0; k < last; k++)
		sum += kinds[k].weight;
	at = random_below(r, sum);
	while (at >= kinds[e.kind].weight)
		at -= kinds[e.kind++].weight;
	e.seed = random_bits(r) >> 16;
	return e;
}

/* Nodes */

void world_busy(const struct sim_world *w, uint64_t *map)
{
	torus_bits_zero(map, w->m.words);
	for (uint32_t i = 0; i < w->jobs; i++) {
		const struct sim_job *j = &w->job[i];

		if (j->state == SIM_RUNNING || j->state == SIM_COMPLETING)
			torus_bits_or(map, j->nodes, w->m.words);
	}
}

bool world_is_idle(const struct sim_world *w)
{
	uint64_t busy[WORKLOAD_WORDS];

	world_busy(w, busy);
	return torus_bits_next(busy, w->m.words, 0) == UINT32_MAX;
}

void world_usable(const struct sim_world *w, uint64_t *map)
{
	torus_bits_zero(map, w->m.words);
	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		if (torus_bits_test(w->present, b) &&
		    !(w->node[b] & SIM_UNUSABLE))
			torus_bits_set(map, b);
	}
}

/* It is neither suspended nor told to end any more. */
static void world_leave_nodes(struct sim_job *j)
{
	j->paused_us = 0;
	j->told_to_end = j->has_place = false;
}

void world_requeue(struct sim_world *w, struct sim_job *j)
{
	world_say(w, "  job %u is requeued", j->pending.name.job);
	j->state = SIM_PENDING;
	world_leave_nodes(j);
	/* (Slurm lets it rest, so that its end is known everywhere) */
	j->pending.eligible_us = w->now_us / SIM_SECOND * SIM_SECOND + RESTS_US;
	j->pending.key += 100000;
}

/* Jobs on a node that fails are requeued. */
static void requeue_on(struct sim_world *w, uint32_t bit)
{
	for (uint32_t i = 0; i < w->jobs; i++) {
		struct sim_job *j = &w->job[i];

		if (j->state == SIM_RUNNING && torus_bits_test(j->nodes, bit))
			world_requeue(w, j);
	}
}

static void change_nodes(struct sim_world *w, struct random *r)
{
	static const uint32_t states[] = {
		NODE_FLAG_DRAIN,
		NODE_FLAG_DOWN,
		NODE_FLAG_FAIL,
		NODE_FLAG_NOT_RESPONDING,
		NODE_FLAG_POWERED_DOWN,
		NODE_FLAG_POWERING_UP,
		NODE_FLAG_POWERING_DOWN,
		NODE_FLAG_REBOOT_ISSUED,
		NODE_FLAG_INVALID_REG,
		NODE_FLAG_UNKNOWN,
		NODE_FLAG_POWER_DOWN,
		NODE_FLAG_REBOOT_REQUESTED,
		NODE_FLAG_NOT_RESPONDING,
		0,
		NODE_FLAG_DRAIN | NODE_FLAG_NOT_RESPONDING,
		NODE_FLAG_POWERED_DOWN | NODE_FLAG_NOT_RESPONDING,
	};
	uint32_t state =
		states[random_below(r, sizeof(states) / sizeof(*states))];
	uint64_t nodes[WORKLOAD_WORDS];

	if (random_percent(r, 40))
		state = 0;
	workload_nodes(r, &w->m, state ? 8 : 60, nodes);
	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		if (!torus_bits_test(nodes, b))
			continue;
		w->node[b] = state;
		world_say(w, "  node %u: flags %#x", b, state);
		w->silent_us[b] = w->now_us;
		w->returns_us[b] = w->now_us + random_below(r, 60) * SIM_SECOND;
		if (state & NODE_FLAG_DOWN)
			requeue_on(w, b);
	}
}

/* Those that boot or go to sleep are done in their time. */
static bool return_nodes(struct sim_world *w)
{
	bool any = false;

	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		if (w->node[b] && w->returns_us[b] <= w->now_us &&
		    node_state_row(w->node[b])->use == NODE_RETURNS) {
			w->node[b] = w->node[b] & NODE_FLAG_POWERING_DOWN ?
					     NODE_FLAG_POWERED_DOWN :
					     0;
			any = true;
		}
	}
	return any;
}

static void change_link(struct sim_world *w, struct random *r)
{
	struct torus_link link = { .pod = random_below(r, w->m.pods) };
	const struct torus *t = &w->m.pod[link.pod].torus;
	uint32_t at[TORUS_MAX_DIMS];

	if (!w->m.pod[link.pod].links)
		return;
	link.vertex = random_below(r, t->nodes);
	link.dim = (uint8_t)random_below(r, t->dims);
	link.health = (uint8_t)random_below(r, 3);
	torus_vertex_coord(t, link.vertex, at);
	if (w->links.count > 3)
		w->links.count = 0; /* all is well again */
	if (torus_link_exists(t, at, link.dim))
		assert_int_equal(torus_link_list_set(&w->links, &link), 0);
}

static void change_weights(struct sim_world *w, struct random *r)
{
	uint64_t nodes[WORKLOAD_WORDS];

	if (!w->weights)
		return;
	w->weighed++;
	workload_nodes(r, &w->m, random_below(r, 101), nodes);
	if (random_percent(r, 40))
		torus_weights_set(w->weights, nodes, random_below(r, 4));
	else if (random_percent(r, 80))
		torus_weights_set_asleep(w->weights, nodes);
	else
		torus_weights_clear(w->weights);
}

/* Jobs */

struct sim_job *world_job(struct sim_world *w, uint32_t number)
{
	uint32_t i = number % SIM_TASKS;

	return i == 0 || i > w->jobs ? NULL : &w->job[i - 1];
}

/* One of that state, or NULL. */
static struct sim_job *some_job(struct sim_world *w, struct random *r,
				enum sim_state state)
{
	uint32_t first = w->jobs ? random_below(r, w->jobs) : 0;

	for (uint32_t i = 0; i < w->jobs; i++) {
		struct sim_job *j = &w->job[(first + i) % w->jobs];

		if (j->state == state)
			return j;
	}
	return NULL;
}

void world_begin_job(struct sim_world *w, struct sim_job *j, int64_t limit_us,
		     const uint64_t *nodes, bool ours)
{
	j->state = SIM_RUNNING;
	j->ours = ours;
	j->start_us = w->now_us;
	j->limit_us = limit_us;
	j->end_us = w->now_us + j->run_us;
	if (j->run_us >= limit_us && j->run_us < j->pending.limit_us)
		j->end_us = w->now_us + limit_us + SIM_SECOND;
	torus_bits_copy(j->nodes, nodes, w->m.words);
	w->counts.starts++;
	world_say(w, "  job %u starts%s: nodes %llx, limit %.3f, ends at %.6f",
		  j->pending.name.job, ours ? "" : " elsewhere",
		  (unsigned long long)*nodes, (double)limit_us / 1e6,
		  (double)j->end_us / 1e6);
}

/* It keeps its nodes; how long, nobody knows. */
static void world_pause(struct sim_world *w, struct sim_job *j, int64_t us)
{
	j->paused_us = w->now_us;
	j->resumes_us = w->now_us + us;
	j->left_us = j->end_us - w->now_us;
	j->end_us = INT64_MAX;
	world_say(w, "  job %u is suspended", j->pending.name.job);
}

/* Its limit begins again where it was. */
static void world_resume(struct sim_world *w, struct sim_job *j)
{
	j->limit_us += w->now_us - j->paused_us;
	j->end_us = w->now_us + j->left_us;
	j->paused_us = 0;
	w->disturbed = true;
	world_say(w, "  job %u resumes", j->pending.name.job);
}

static void cut_nodes(uint64_t *nodes, uint32_t most, uint32_t words)
{
	for (uint32_t b = torus_bits_next(nodes, words, 0); b != UINT32_MAX;
	     b = torus_bits_next(nodes, words, b + 1)) {
		if (most == 0)
			torus_bits_clear(nodes, b);
		else
			most--;
	}
}

/* Slurm starts it without us, on nodes that are idle. */
static void start_job_elsewhere(struct sim_world *w, struct random *r,
				struct sim_job *j)
{
	uint64_t nodes[WORKLOAD_WORDS] = { 0 }, busy[WORKLOAD_WORDS];

	workload_nodes(r, &w->m, 30, nodes);
	world_busy(w, busy);
	if (j->start_us && random_percent(r, 50))
		torus_bits_copy(nodes, w->present, w->m.words); /* (cut below) */
	torus_bits_andnot(nodes, busy, w->m.words);
	world_usable(w, busy);
	torus_bits_and(nodes, nodes, busy, w->m.words);
	if (j->start_us) /* as many as it had before */
		cut_nodes(nodes, torus_bits_count(j->nodes, w->m.words),
			  w->m.words);
	if (j->requires && !torus_bits_subset(j->required, nodes, w->m.words))
		return;
	if (torus_bits_next(nodes, w->m.words, 0) != UINT32_MAX)
		world_begin_job(w, j, j->pending.limit_us, nodes, false);
}

static void start_elsewhere(struct sim_world *w, struct random *r)
{
	struct sim_job *j = some_job(w, r, SIM_PENDING);

	if (j && j->pending.eligible_us <= w->now_us)
		start_job_elsewhere(w, r, j);
}

/* The agent polls Slurm's tables: it sees the change soon. */
static void world_changes(struct sim_world *w)
{
	if (w->poll_us == INT64_MAX)
		w->poll_us = w->now_us + POLL_US;
}

void world_end(struct sim_world *w, struct sim_job *j, struct random *r)
{
	world_leave_nodes(j);
	j->state = random_percent(r, 20) ? SIM_COMPLETING : SIM_OVER;
	/* (until the agent sees it, the job seems to overrun its limit) */
	w->disturbed |= w->now_us + POLL_US >= j->start_us + j->limit_us;
	j->completed_us = w->now_us + random_below(r, 8000) * 1000;
	w->counts.ends++;
	world_changes(w);
	world_say(w, "  job %u ends%s", j->pending.name.job,
		  j->state == SIM_OVER ? "" : ", its epilog runs");
}

/* The next thing that happens by itself, at most `until`. */
static int64_t next_time(const struct sim_world *w, int64_t until_us)
{
	int64_t next_us = until_us;

	for (uint32_t i = 0; i < w->jobs; i++) {
		const struct sim_job *j = &w->job[i];
		int64_t us = j->state == SIM_RUNNING && j->paused_us ?
				     j->resumes_us :
			     j->state == SIM_RUNNING    ? j->end_us :
			     j->state == SIM_COMPLETING ? j->completed_us :
							  INT64_MAX;

		if (us < next_us)
			next_us = us > w->now_us ? us : w->now_us;
	}
	return next_us;
}

static void happen(struct sim_world *w, struct random *r)
{
	for (uint32_t i = 0; i < w->jobs; i++) {
		struct sim_job *j = &w->job[i];

		if (j->state == SIM_RUNNING && j->paused_us &&
		    j->resumes_us <= w->now_us)
			world_resume(w, j);
		if (j->state == SIM_RUNNING && j->end_us <= w->now_us)
			beside_end(w, j, r);
		if (j->state != SIM_COMPLETING || j->completed_us > w->now_us)
			continue;
		j->state = SIM_OVER;
		w->disturbed |= w->now_us + POLL_US >= j->start_us + j->limit_us;
		world_say(w, "  job %u has left its nodes", j->pending.name.job);
		world_changes(w);
	}
	w->disturbed |= return_nodes(w);
	w->disturbed |= windows_end(w->window, w->now_us);
	if (w->dry && random_percent(r, 40))
		start_elsewhere(w, r);
}

void world_pass(struct sim_world *w, int64_t us, struct random *r)
{
	w->now_us += us;
	w->changed = w->disturbed = true; /* what was decided is old */
	happen(w, r);
}

/* The events */

static void change_some(struct sim_world *w, enum sim_kind kind,
			struct random *r);

void world_change_during(struct sim_world *w)
{
	static const enum sim_kind some[] = { SIM_CANCEL,    SIM_HOLD,
					      SIM_NODE,      SIM_REQUEUE,
					      SIM_ELSEWHERE, SIM_SUBMIT };
	struct random r;

	if (!w->during || !w->told)
		return;
	r.state = w->during->seed;
	w->during = NULL;
	w->told = false;
	change_some(w, some[random_below(&r, 6)], &r);
	w->changed = true;
	w->disturbed = true;
}

/* A running job is suspended and resumed. */
static void suspend_some(struct sim_world *w, struct random *r)
{
	struct sim_job *j = some_job(w, r, SIM_RUNNING);
	int64_t us;

	if (!j || j->paused_us)
		return;
	/* (a second is what whole seconds hide) */
	us = (2 + random_below(r, 20)) * SIM_SECOND;
	j->limit_us += us;
	j->end_us += us;
}

static void change_limit(struct sim_world *w, struct random *r)
{
	struct sim_job *j = some_job(w, r,
				     random_percent(r, 50) ? SIM_PENDING :
							     SIM_RUNNING);

	if (j && j->state == SIM_PENDING) {
		j->pending.limit_us += SIM_SECOND;
		j->pending.key += 1000;
	} else if (j) {
		j->limit_us = (1 + random_below(r, 60)) * SIM_SECOND;
	}
}

static void change_some(struct sim_world *w, enum sim_kind kind,
			struct random *r)
{
	struct sim_job *j;
	uint32_t at;

	switch (kind) {
	case SIM_SUBMIT:
		site_submit(w, r);
		break;
	case SIM_BURST:
		at = random_below(r, 500) ? random_below(r, 9) : SIM_BURST_MOST;
		while (at-- > 0)
			site_submit(w, r);
		break;
	case SIM_CANCEL:
		j = some_job(w, r,
			     random_percent(r, 50) ? SIM_PENDING : SIM_RUNNING);
		if (j && j->state == SIM_RUNNING)
			world_end(w, j, r);
		else if (j)
			j->state = SIM_OVER;
		break;
	case SIM_HOLD:
		if ((j = some_job(w, r, SIM_PENDING)))
			j->state = SIM_HELD;
		break;
	case SIM_RELEASE:
		if ((j = some_job(w, r, SIM_HELD)))
			j->state = SIM_PENDING;
		break;
	case SIM_REQUEUE:
		if ((j = some_job(w, r, SIM_RUNNING)))
			world_requeue(w, j);
		break;
	case SIM_SUSPEND:
		suspend_some(w, r);
		break;
	case SIM_LIMIT:
		change_limit(w, r);
		break;
	case SIM_PRIORITY:
		if ((j = some_job(w, r, SIM_PENDING)))
			j->pending.priority = random_below(r, 9);
		break;
	case SIM_ALLOWED:
		if ((j = some_job(w, r, SIM_PENDING))) {
			j->confined = random_percent(r, 80);
			workload_nodes(r, &w->m, 60 + random_below(r, 40),
				       j->allowed);
		}
		break;
	case SIM_ELSEWHERE:
		start_elsewhere(w, r);
		break;
	case SIM_NODE:
		change_nodes(w, r);
		break;
	case SIM_LINK:
		change_link(w, r);
		break;
	case SIM_WEIGHT:
		change_weights(w, r);
		break;
	case SIM_RESERVE:
		windows_change(r, &w->m, w->window, w->now_us);
		break;
	case SIM_PAUSE:
		if ((j = some_job(w, r, SIM_RUNNING)) && !j->paused_us)
			world_pause(w, j,
				    (2 + random_below(r, 20)) * SIM_SECOND);
		break;
	case SIM_RANK:
		if ((j = some_job(w, r, SIM_PENDING)))
			j->rank = random_below(r, 3);
		break;
	default:
		break;
	}
}

/* Let time pass. in_time: the agent wakes when it wants to, and soon after a job has
 * ended, as it polls Slurm's tables. */
static void advance(struct sim_world *w, int64_t until_us, bool in_time,
		    struct random *r)
{
	w->disturbed |= !in_time;
	while (w->now_us < until_us) {
		int64_t next_us = next_time(w, until_us),
			wake_us = agent_wakes_at(w->agent);

		if (w->poll_us < wake_us)
			wake_us = w->poll_us > w->now_us ? w->poll_us :
							   w->now_us + 1;
		if (in_time && wake_us <= next_us && wake_us > w->now_us) {
			w->now_us = wake_us;
			happen(w, r);
			life_run_cycle(w);
			continue;
		}
		w->now_us = next_us;
		happen(w, r);
	}
}

/* A job runs on other nodes before the agent looks again, which slept. */
static void start_again(struct sim_world *w, struct random *r)
{
	struct sim_job *j = some_job(w, r, SIM_RUNNING);

	if (!j)
		return;
	world_requeue(w, j);
	advance(w, j->pending.eligible_us, false, r);
	if (j->state == SIM_PENDING)
		start_job_elsewhere(w, r, j);
}

/* By days where a reservation recurs, by hours, or back: at most by what Slurm's seconds
 * hide. */
static void change_clock(struct sim_world *w, struct random *r)
{
	int64_t former_us;

	if (w->recurs && random_percent(r, 50))
		w->now_us += random_below(r, 4) * 86400 * SIM_SECOND;
	former_us = w->now_us;
	w->now_us += random_percent(r, 50) ?
			     random_below(r, 3600) * SIM_SECOND :
			     -(int64_t)random_below(r, 1000000);
	w->back_us = former_us > w->now_us ? former_us - w->now_us : 0;
}

void world_event(struct sim_world *w, const struct sim_event *e)
{
	static const enum cycle_result results[] = { CYCLE_UNFIT, CYCLE_LATER,
						     CYCLE_NEVER };
	struct random r = { e->seed };
	int64_t most_us;
	uint32_t at;

	w->counts.events++;
	world_say(w, "%s", kinds[e->kind].name);
	w->disturbed |= !world_calm(e->kind);
	switch (e->kind) {
	case SIM_CYCLE:
		w->now_us += random_below(&r, 300000);
		happen(w, &r);
		life_run_cycle(w);
		break;
	case SIM_ADVANCE:
		most_us = random_percent(&r, 30) ?
				  SIM_ADVANCE_MOST * SIM_SECOND :
				  2 * SIM_SECOND;
		advance(w, w->now_us + random_below(&r, (uint32_t)most_us),
			random_percent(&r, 70), &r);
		break;
	case SIM_REFUSE:
		w->refuse = 1 + random_below(&r, 6);
		w->refusal = results[random_below(&r, 3)];
		w->refuse_how = r;
		break;
	case SIM_DURING:
		w->during = e;
		break;
	case SIM_MEMORY:
		at = random_below(&r, 40);
		w->failing = true;
		w->counts.failures++;
		happen(w, &r);
		life_without_memory(w, at);
		w->failing = false;
		break;
	case SIM_SAVE:
		life_save(w);
		break;
	case SIM_CRASH:
		w->crash_in = 1 + random_below(&r, 30);
		break;
	case SIM_RESTART:
		life_restart(w);
		break;
	case SIM_SETTINGS:
		life_other_settings(w, &r);
		break;
	case SIM_CLOCK:
		change_clock(w, &r);
		happen(w, &r);
		break;
	case SIM_AGAIN:
		start_again(w, &r);
		break;
	case SIM_DISK:
		at = random_below(&r, 3000);
		life_disk(w, random_percent(&r, 70) ? (int64_t)at : -1);
		break;
	case SIM_TORN:
		life_tear(w, random_below(&r, 400));
		break;
	case SIM_SLOW:
		w->tick_us = random_percent(&r, 60) ?
				     random_below(&r, random_percent(&r, 70) ?
							      6000 :
							      300000) :
				     0;
		w->lock_us = random_percent(&r, 40) ?
				     random_below(&r, 6) * SIM_SECOND :
				     0;
		w->slow = r;
		break;
	case SIM_OLDER:
		life_older(w);
		break;
	case SIM_DAMAGED:
		life_damaged(w, &r);
		break;
	case SIM_MACHINE:
		life_other_machine(w, &r);
		break;
	default:
		change_some(w, e->kind, &r);
	}
}

void world_meanwhile(struct sim_world *w, const struct sim_event *e, int64_t us)
{
	struct random r = { e->seed };

	w->counts.events++;
	change_some(w, e->kind, &r);
	if (e->kind == SIM_ADVANCE)
		us += random_below(&r, 9000000);
	world_pass(w, us, &r);
}

/* Those that no machine in this state can hold leave. */
static uint32_t still_waiting(struct sim_world *w, bool leave)
{
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < w->jobs; i++) {
		struct sim_job *j = &w->job[i];

		if (j->state == SIM_HELD)
			j->state = SIM_PENDING;
		if (j->state == SIM_PENDING && leave &&
		    !rule_could_start(w, j, false))
			j->state = SIM_OVER;
		waiting += j->state == SIM_PENDING;
	}
	return waiting;
}

void world_drain(struct sim_world *w)
{
	struct random r = { 1 };
	int64_t bound_us = w->now_us + 7200 * SIM_SECOND;

	memset(w->node, 0, w->m.words * 64 * sizeof(*w->node));
	w->links.count = 0;
	memset(w->window, 0, sizeof(w->window));
	w->recurs = RECURRENCE_NONE;
	w->tick_us = w->lock_us = 0;
	w->refuse = 0;
	w->during = NULL;
	w->crash_in = 0;
	life_disk(w, -1);
	w->disturbed = true;
	for (uint32_t i = 0; i < w->jobs; i++)
		w->job[i].inside = 0;
	for (uint32_t left = still_waiting(w, true); left > 0 && !w->dry;
	     left = still_waiting(w, w->preempts)) {
		if (w->now_us > bound_us)
			rule_broken("%u jobs wait though nothing else happens for two hours",
				    left);
		life_run_cycle(w);
		advance(w, w->now_us + 5 * SIM_SECOND, true, &r);
	}
}

bool world_open(struct sim_world *w, uint64_t seed)
{
	struct random r = { seed };
	int fd;

	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->later.state = seed ^ 0x1a7e4;
	w->machine = workload_machines[random_below(&r, WORKLOAD_MACHINES)];
	site_strategy(w, &r);
	if (!workload_machine(&w->m, w->machine, w->strategy))
		return false;
	for (uint32_t p = 0; p < w->m.pods; p++)
		torus_machine_links(&w->m, p, NULL); /* where it may */
	workload_nodes(&r, &w->m, 100, w->present);
	w->node = calloc(w->m.words * 64, sizeof(*w->node));
	w->silent_us = calloc(w->m.words * 64, sizeof(*w->silent_us));
	w->returns_us = calloc(w->m.words * 64, sizeof(*w->returns_us));
	assert_true(w->node && w->silent_us && w->returns_us);
	if (random_percent(&r, 50)) {
		w->weights = torus_weights_create(&w->m);
		assert_non_null(w->weights);
	}
	site_settings(w, &r);
	site_later(w);
	w->empty = torus_state_create(&w->m);
	assert_non_null(w->empty);
	assert_int_equal(claims_open(&w->claims, w->m.words), 0);
	if (world_is_calm(seed)) {
		w->settings.discipline = torus_discipline_find(
			random_percent(&r, 50) ? "easy" : "conservative");
		w->settings.order_by_priority = false;
		w->settings.options.used = 0;
	}
	w->now_us = 1000 * SIM_SECOND;
	w->poll_us = INT64_MAX;
	snprintf(w->path, sizeof(w->path), "sim.%d", (int)getpid());
	fd = open(w->path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	if (life_enter(w))
		return true;
	world_close(w);
	return false;
}

void world_close(struct sim_world *w)
{
	if (w->agent) {
		life_leave(w);
		if (!w->counts.failures)
			rule_journal(w);
	}
	life_unlink(w);
	torus_text_free(&w->saved_state);
	torus_text_free(&w->saved_promises);
	torus_text_free(&w->promises_left);
	torus_state_destroy(w->empty);
	claims_close(&w->claims);
	plan_listing_free(&w->listing);
	torus_link_list_free(&w->links);
	torus_weights_destroy(w->weights);
	torus_machine_free(&w->m);
	free(w->node);
	free(w->silent_us);
	free(w->returns_us);
	life_check_memory();
}
