/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a sequence (state_run.h): find, commit, release, undo, nodes
 * going out of service, ends that move, save and restore.
 */
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "state_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FUTURE 6 /* steps after a restore */

/* Undo */

/* Room for one more, or NULL: it is done for good, which may be only while
 * nothing waits to be undone. */
static struct taken_back *want_undo(struct run *r, struct random *x)
{
	struct taken_back *t = &r->stack[r->undos];

	if (r->undos == 0 && random_percent(x, 85))
		return NULL;
	snapshot_take(r, r->s, &t->before, random_percent(x, 20));
	return t;
}

static bool step_undo(struct run *r)
{
	struct taken_back *t;

	if (r->undos == 0)
		return true;
	t = &r->stack[--r->undos];
	torus_state_undo(r->s, &t->undo);
	if (t->release) {
		r->held[r->helds++] = t->held;
	} else {
		for (uint32_t i = 0; i < r->helds; i++) {
			if (r->held[i].slot == t->held.slot)
				r->held[i] = r->held[--r->helds];
		}
	}
	return snapshot_same(r, r->s, &t->before,
			     t->release ? "undo of a release" :
					  "undo of a commit");
}

bool run_settle(struct run *r)
{
	bool ok = true;

	while (r->undos > 0 && ok)
		ok = step_undo(r);
	return ok;
}

/* Starting and ending */

static bool commit(struct run *r, struct random *x,
		   const struct torus_placement *place, const uint64_t *nodes,
		   bool must)
{
	struct taken_back *t = want_undo(r, x);
	struct torus_placement mine = *place;
	struct held h = { .job = ++r->jobs,
			  .end_us = random_percent(x, 10) ?
					    INT64_MAX :
					    random_below(x, 20) };
	struct snapshot before;

	if (!must)
		snapshot_take(r, r->s, &before, true);
	memcpy(h.nodes, nodes, sizeof(h.nodes));
	/* the questions of the snapshots overwrote the strategy's map */
	if (mine.scattered)
		mine.nodes = h.nodes + r->m->pod[mine.pod].first_word;
	errno = 0;
	h.slot = torus_state_commit(r->s, &mine, h.job, NULL, 0, h.end_us,
				    t ? &t->undo : NULL);
	if (h.slot == TORUS_NO_SLOT) {
		if (must || errno != EBUSY)
			return run_fault(r, "a place just found was refused");
		return snapshot_same(r, r->s, &before, "a refused commit");
	}
	r->held[r->helds++] = h;
	if (t) {
		t->release = false;
		t->held = h;
		r->undos++;
	}
	return true;
}

static bool step_start(struct run *r, struct random *x, bool restrict_nodes)
{
	uint64_t allowed[MOST_WORDS], nodes[MOST_WORDS], *map = NULL;
	const struct torus_pod *pod;
	struct torus_placement out;
	struct torus_ask ask;

	run_random_ask(x, r->m, &ask);
	if (restrict_nodes) {
		uint32_t n = 1 + random_below(x, 3);

		memset(allowed, 0, sizeof(allowed));
		for (uint32_t i = 0; i < r->m->words; i++) {
			while (n-- > 0)
				allowed[i] |= random_bits(x);
			n = 1 + random_below(x, 3);
		}
		map = allowed;
	}
	pod = &r->m->pod[random_below(x, r->m->pods)];
	if (random_percent(x, 40))
		ask.strategy =
			pod->strategy[random_below(x, pod->strategies)]->name;
	ask.allowed = map;
	if (torus_state_find(r->s, &ask, &out, NULL) != TORUS_FITS)
		return true;
	if (!run_good_place(r, &ask, map, &out, nodes))
		return false;
	if (r->helds == MOST_HOLDS)
		return true;
	if (!out.scattered && random_percent(x, 10)) {
		r->old = out;
		r->has_old = true;
	}
	return commit(r, x, &out, nodes, true);
}

static bool step_start_old(struct run *r, struct random *x)
{
	uint64_t nodes[MOST_WORDS] = { 0 };

	if (!r->has_old || r->helds == MOST_HOLDS)
		return true;
	torus_placement_paint(r->m, &r->old, nodes);
	if (torus_bits_meet(nodes, r->out, r->m->words))
		return true;
	r->has_old = false;
	return commit(r, x, &r->old, nodes, false);
}

static void step_release(struct run *r, struct random *x)
{
	struct taken_back *t;
	uint32_t i;

	if (r->helds == 0)
		return;
	i = random_below(x, r->helds);
	t = want_undo(r, x);
	if (t) {
		t->release = true;
		t->held = r->held[i];
		r->undos++;
	}
	torus_state_release(r->s, r->held[i].slot, t ? &t->undo : NULL);
	r->held[i] = r->held[--r->helds];
}

static void step_service(struct run *r, struct random *x)
{
	memset(r->out, 0, sizeof(r->out));
	for (uint32_t n = random_below(x, 4); n > 0; n--) {
		uint32_t p = random_below(x, r->m->pods);

		torus_bits_set(r->out,
			       torus_machine_bit(r->m, p,
						 random_below(x,
							      r->m->pod[p]
								      .torus
								      .nodes)));
	}
	torus_state_out(r->s,
			torus_bits_count(r->out, MOST_WORDS) ? r->out : NULL);
}

static void step_set_end(struct run *r, struct random *x)
{
	uint32_t i;

	if (r->helds == 0)
		return;
	i = random_below(x, r->helds);
	r->held[i].end_us = random_below(x, 20);
	torus_state_set_end(r->s, r->held[i].slot, r->held[i].end_us);
}

/* The slot of a job in any state. */
static uint32_t slot_of(const struct torus_state *s, uint64_t job)
{
	for (uint32_t k = 0; k < torus_state_holds(s); k++) {
		uint32_t slot = torus_state_by_end(s, k);

		if (torus_state_hold(s, slot)->job == job)
			return slot;
	}
	return TORUS_NO_SLOT;
}

/* End one job and ask and start another in both, in r->s with undo; equal
 * afterwards? */
static bool go_on(struct run *r, struct random *x, struct torus_state *twin,
		  uint64_t job, struct torus_undo *undo, uint32_t *undos)
{
	struct torus_state *both[] = { r->s, twin };
	int64_t end = 15 + random_below(x, 6); /* with others, older and new */
	uint32_t ends = random_percent(x, 60) ? torus_state_holds(r->s) : 0;
	struct torus_error err = { 0 };
	struct snapshot after;
	struct torus_ask ask;
	uint64_t over = 0;

	if (ends)
		over = torus_state_hold(r->s,
					torus_state_by_end(r->s,
							   random_below(x, ends)))
			       ->job;
	run_random_ask(x, r->m, &ask);
	for (int i = 0; i < 2; i++) {
		struct torus_state *s = both[i];
		struct torus_placement out;

		if (ends)
			torus_state_release(s, slot_of(s, over),
					    i ? NULL : &undo[(*undos)++]);
		if (torus_state_find(s, &ask, &out, NULL) == TORUS_FITS &&
		    torus_state_commit(s, &out, r->jobs + job, NULL, 0, end,
				       i ? NULL : &undo[*undos]) !=
			    TORUS_NO_SLOT)
			*undos += !i;
		if (!torus_state_check(s, &err))
			return run_fault(r, err.text);
	}
	snapshot_take(r, r->s, &after, true);
	after.generation = 0;
	return snapshot_same(r, twin, &after, "a restored state, later");
}

/* The same jobs' slots in r->s. */
static void find_slots(struct run *r)
{
	for (uint32_t i = 0; i < r->helds; i++)
		r->held[i].slot = slot_of(r->s, r->held[i].job);
}

/* Both go on; the one that remains is undone to what it was. */
static bool compare_futures(struct run *r, struct random *x,
			    struct torus_state *twin)
{
	struct torus_undo undo[2 * FUTURE];
	uint32_t undos = 0;
	struct snapshot before;
	bool ok = true;

	snapshot_take(r, r->s, &before, true);
	for (int i = 0; i < FUTURE && ok; i++)
		ok = go_on(r, x, twin, 1000 + (uint64_t)i, undo, &undos);
	while (undos > 0)
		torus_state_undo(r->s, &undo[--undos]);
	return ok && snapshot_same(r, r->s, &before, "undo of a future");
}

/* Into text and back: the same state, the same text, and the same future. Go
 * on with the one or the other. */
static bool step_restore(struct run *r, struct random *x)
{
	struct torus_state *twin = torus_state_create(r->m), *was = r->s;
	struct torus_text text = { 0 }, again = { 0 };
	struct torus_error err = { 0 };
	struct snapshot now;
	bool ok;

	snapshot_take(r, r->s, &now, true);
	now.generation = 0;
	if (!twin || torus_state_save(r->s, &text))
		return run_fault(r, "no memory");
	ok = torus_state_restore(twin, text.data, &err) == 0 ||
	     run_fault(r, err.text);
	ok = ok && snapshot_same(r, twin, &now, "a restored state");
	if (ok && (torus_state_save(twin, &again) ||
		   strcmp(text.data, again.data) != 0))
		ok = run_fault(r, "another text after restoring");
	torus_text_free(&text);
	torus_text_free(&again);
	if (ok && random_percent(x, 50)) {
		r->s = twin;
		twin = was;
		find_slots(r);
	}
	ok = ok && compare_futures(r, x, twin);
	torus_state_destroy(twin);
	return ok;
}

/* Steps that cannot be undone come when nothing waits to be undone; so now
 * and then it all is, before a step that could be one more. */
static bool must_settle(const struct run *r, enum kind kind, struct random *x)
{
	return kind == SERVICE || kind == SET_END || kind == RESTORE ||
	       (kind != UNDO &&
		(r->undos == MOST_UNDO || random_percent(x, 15)));
}

bool run_step(struct run *r, const struct step *step)
{
	struct random x = { step->seed };

	if (must_settle(r, step->kind, &x) && !run_settle(r))
		return false;
	switch (step->kind) {
	case START:
	case START_ALLOWED:
		return step_start(r, &x, step->kind == START_ALLOWED);
	case START_OLD:
		return step_start_old(r, &x);
	case RELEASE:
		step_release(r, &x);
		return true;
	case UNDO:
		return step_undo(r);
	case SERVICE:
		step_service(r, &x);
		return true;
	case SET_END:
		step_set_end(r, &x);
		return true;
	default:
		return step_restore(r, &x);
	}
}
