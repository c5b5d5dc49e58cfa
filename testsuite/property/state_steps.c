/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a sequence (state_run.h): find, commit, release, undo, forget,
 * nodes going out of service, ends that move, copies, save and restore.
 */
#include "state_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Undo */

/* What cannot be undone comes next: make all that waits final. */
void run_settle(struct run *r)
{
	for (uint32_t i = 0; i < r->undos; i++) {
		if (r->stack[i].release)
			torus_state_forget(r->s, &r->stack[i].undo);
	}
	r->undos = 0;
}

/* Room for one more, or NULL: then all before is settled. */
static struct taken_back *want_undo(struct run *r, struct random *x)
{
	struct taken_back *t = &r->stack[r->undos];

	if (r->undos == MOST_UNDO || random_percent(x, 15)) {
		run_settle(r);
		return NULL;
	}
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

/* Only the oldest: those after it can still be undone. */
static void step_forget(struct run *r)
{
	if (r->undos == 0)
		return;
	if (r->stack[0].release)
		torus_state_forget(r->s, &r->stack[0].undo);
	memmove(r->stack, r->stack + 1, --r->undos * sizeof(*r->stack));
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
	run_settle(r);
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
	run_settle(r);
	i = random_below(x, r->helds);
	r->held[i].end_us = random_below(x, 20);
	torus_state_set_end(r->s, r->held[i].slot, r->held[i].end_us);
}

/* A copy equals; a few jobs more or fewer on the copy, and the original is
 * what it was. Or the other way round: go on with the copy. */
static bool step_copy(struct run *r, struct random *x)
{
	struct snapshot before;
	struct torus_state *copy = torus_state_copy(r->s), *spare;
	struct torus_error err = { 0 };
	struct torus_placement out;
	struct torus_ask ask;
	bool ok;

	if (!copy)
		return run_fault(r, "no copy");
	snapshot_take(r, r->s, &before, true);
	ok = snapshot_same(r, copy, &before, "a copy");
	if (random_percent(x, 50)) {
		spare = r->s;
		r->s = copy;
	} else {
		spare = copy;
	}
	for (uint32_t i = 0; i < r->helds; i++) {
		if (random_percent(x, 50))
			torus_state_release(spare, r->held[i].slot, NULL);
	}
	for (int i = 0; i < 4; i++) {
		run_random_ask(x, r->m, &ask);
		if (torus_state_find(spare, &ask, &out, NULL) == TORUS_FITS)
			torus_state_commit(spare, &out, 1, NULL, 0, i, NULL);
	}
	torus_state_out(spare, NULL);
	if (!torus_state_check(spare, &err))
		ok = run_fault(r, err.text);
	ok = ok && snapshot_same(r, r->s, &before, "after changing its twin");
	torus_state_destroy(spare);
	return ok;
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

/* End one job and ask and start another in both; equal afterwards? */
static bool go_on(struct run *r, struct random *x, struct torus_state *a,
		  struct torus_state *b, int64_t end)
{
	struct torus_state *both[] = { a, b };
	uint32_t ends = random_percent(x, 60) ? torus_state_holds(a) : 0;
	struct torus_error err = { 0 };
	struct snapshot after;
	struct torus_ask ask;
	uint64_t job = 0;

	if (ends)
		job = torus_state_hold(a,
				       torus_state_by_end(a,
							  random_below(x, ends)))
			      ->job;
	run_random_ask(x, r->m, &ask);
	for (int i = 0; i < 2; i++) {
		struct torus_placement out;

		if (ends)
			torus_state_release(both[i], slot_of(both[i], job),
					    NULL);
		if (torus_state_find(both[i], &ask, &out, NULL) == TORUS_FITS)
			torus_state_commit(both[i], &out,
					   r->jobs + (uint64_t)end, NULL, 0,
					   end, NULL);
		if (!torus_state_check(both[i], &err))
			return run_fault(r, err.text);
	}
	snapshot_take(r, a, &after, true);
	after.generation = 0;
	return snapshot_same(r, b, &after, "a restored state, later");
}

/* Into text and back: the same state, the same text, and the same future. */
static bool step_restore(struct run *r, struct random *x)
{
	struct torus_state *copy, *back = torus_state_create(r->m);
	struct torus_text text = { 0 }, again = { 0 };
	struct torus_error err = { 0 };
	struct snapshot now;
	bool ok;

	run_settle(r);
	copy = torus_state_copy(r->s);
	snapshot_take(r, r->s, &now, true);
	now.generation = 0;
	if (!copy || !back || torus_state_save(r->s, &text))
		return run_fault(r, "no memory");
	ok = torus_state_restore(back, text.data, &err) == 0 ||
	     run_fault(r, err.text);
	ok = ok && snapshot_same(r, back, &now, "a restored state");
	if (ok && (torus_state_save(back, &again) ||
		   strcmp(text.data, again.data) != 0))
		ok = run_fault(r, "another text after restoring");
	for (int i = 0; i < 6 && ok; i++)
		ok = go_on(r, x, copy, back, 1000 + i);
	torus_text_free(&text);
	torus_text_free(&again);
	torus_state_destroy(copy);
	torus_state_destroy(back);
	return ok;
}

bool run_step(struct run *r, const struct step *step)
{
	struct random x = { step->seed };

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
	case FORGET:
		step_forget(r);
		return true;
	case SERVICE:
		step_service(r, &x);
		return true;
	case SET_END:
		step_set_end(r, &x);
		return true;
	case RESTORE:
		return step_restore(r, &x);
	default:
		return step_copy(r, &x);
	}
}
