/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine state under random sequences of find, commit, release, undo,
 * forget, copy, save and restore, and nodes going out of service, over several
 * machines and all strategies.
 *
 * Beside the state runs a list of who holds which nodes, kept by this test.
 * After every step the state's self check must pass and its free map, holds
 * and order by end must follow from that list; an undo must bring back the
 * free map, holds, generation and the answers to a set of questions; a copy
 * must answer the same, and changing it must not change the original; so must
 * a state restored from text, and go on as a copy does. At the
 * end of a sequence all is released, and the answers must be those of the
 * empty machine. A failing sequence is shortened before it is shown.
 *
 * Non-Equal Partition runs against a model of its own as well: pieces as
 * (offset, size) with their siblings, no geometry.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "torus/state.h"

#define MOST_WORDS 8
#define MOST_HOLDS 512
#define MOST_UNDO 32
#define PROBES 6
#define STEPS 250

/* A step is a kind and a number from which it draws; what it does follows
 * from these and the state, so that any part of a sequence is one, too. */
enum kind {
	START,       /* find, commit; half of them with undo */
	START_ALLOWED,
	START_OLD,   /* commit a place that was found some time ago */
	RELEASE,
	UNDO,
	FORGET,
	SERVICE,     /* nodes go out of service, or all come back */
	SET_END,
	COPY,        /* change a copy; sometimes go on with one */
	RESTORE,     /* save, restore, and compare with a copy */
	KINDS,
};

struct step {
	enum kind kind;
	uint64_t seed;
};

struct held {
	uint32_t slot;
	uint64_t job;
	int64_t end_us;
	uint64_t nodes[MOST_WORDS];
};

/* What an undo must bring back. */
struct snapshot {
	uint64_t free[MOST_WORDS], generation, holds, answer[PROBES];
	uint32_t helds;
};

struct taken_back {
	struct torus_undo undo;
	struct snapshot before;
	bool release;
	struct held held; /* what was released or started */
};

struct run {
	const struct torus_machine *m;
	struct torus_state *s;
	struct torus_ask probe[PROBES];
	struct held held[MOST_HOLDS];
	uint32_t helds;
	uint64_t out[MOST_WORDS];
	struct taken_back stack[MOST_UNDO]; /* latest last */
	uint32_t undos;
	struct torus_placement old; /* found some steps ago */
	bool has_old;
	uint64_t jobs;
	char fault[TORUS_ERROR_TEXT];
};

static bool fault(struct run *r, const char *what)
{
	if (!r->fault[0])
		snprintf(r->fault, sizeof(r->fault), "%s", what);
	return false;
}

static uint64_t mix(uint64_t h, uint64_t value)
{
	struct random r = { h ^ value };

	return random_bits(&r);
}

/* Numbers that stand for a place. */
static uint64_t hash_place(const struct torus_machine *m,
			   const struct torus_placement *p)
{
	uint64_t nodes[MOST_WORDS] = { 0 };
	uint64_t h = mix(p->pod * 8 + p->strategy, p->granted);

	torus_placement_paint(m, p, nodes);
	for (uint32_t i = 0; i < m->words; i++)
		h = mix(h, nodes[i]);
	h = mix(h, p->ring | p->axes << 8 | (uint32_t)p->scattered << 16);
	for (int d = 0; d < TORUS_MAX_DIMS && !p->scattered; d++)
		h = mix(h, (uint64_t)(p->orientation.axis[d] + 1) << 32 |
				   p->region.base[d]);
	return h;
}

static uint64_t answer_to(struct run *r, struct torus_state *s, uint32_t probe)
{
	struct torus_placement out;
	enum torus_answer answer =
		torus_state_find(s, &r->probe[probe], NULL, NULL, &out, NULL);

	return answer == TORUS_FITS ? hash_place(r->m, &out) : answer;
}

static void take_snapshot(struct run *r, struct torus_state *s,
			  struct snapshot *to)
{
	memset(to, 0, sizeof(*to));
	memcpy(to->free, torus_state_free_map(s), r->m->words * 8);
	to->generation = torus_state_generation(s);
	to->helds = torus_state_holds(s);
	for (uint32_t k = 0; k < to->helds; k++) {
		const struct torus_hold *h =
			torus_state_hold(s, torus_state_by_end(s, k));

		to->holds = mix(to->holds, h->job);
		to->holds = mix(to->holds, (uint64_t)h->end_us);
		to->holds = mix(to->holds, hash_place(r->m, &h->place));
	}
	for (uint32_t i = 0; i < PROBES; i++)
		to->answer[i] = answer_to(r, s, i);
}

static bool same_state(struct run *r, struct torus_state *s,
		       const struct snapshot *want, const char *when)
{
	struct snapshot now;
	const char *what = NULL;

	take_snapshot(r, s, &now);
	if (memcmp(now.answer, want->answer, sizeof(now.answer)) != 0)
		what = "other answers";
	if (now.helds != want->helds || now.holds != want->holds)
		what = "other holds";
	if (memcmp(now.free, want->free, sizeof(now.free)) != 0)
		what = "another free map";
	if (now.generation != want->generation && want->generation)
		what = "another generation";
	if (!what)
		return true;
	snprintf(r->fault, sizeof(r->fault), "%s: %s", when, what);
	return false;
}

/* Is the state what the test's own list says? */
static bool agrees(struct run *r)
{
	struct torus_error err = { 0 };
	uint64_t free[MOST_WORDS] = { 0 }, held[MOST_WORDS] = { 0 };
	int64_t end = INT64_MIN;
	uint32_t slot = 0, words = r->m->words;

	if (!torus_state_check(r->s, &err))
		return fault(r, err.text);
	for (uint32_t p = 0; p < r->m->pods; p++) {
		const struct torus_pod *pod = &r->m->pod[p];

		for (uint32_t i = 0; i < pod->torus.nodes; i++) {
			if (!pod->present || torus_bits_test(pod->present, i))
				torus_bits_set(free,
					       torus_machine_bit(r->m, p, i));
		}
	}
	for (uint32_t i = 0; i < r->helds; i++) {
		if (torus_bits_meet(r->held[i].nodes, held, words))
			return fault(r, "two jobs on one node");
		torus_bits_or(held, r->held[i].nodes, words);
	}
	torus_bits_andnot(free, held, words);
	torus_bits_andnot(free, r->out, words);
	if (!torus_bits_equal(free, torus_state_free_map(r->s), words))
		return fault(r, "the free map is wrong");
	if (torus_state_free_nodes(r->s) != torus_bits_count(free, words))
		return fault(r, "the number of free nodes is wrong");
	if (torus_state_holds(r->s) != r->helds)
		return fault(r, "the number of holds is wrong");
	for (uint32_t k = 0; k < r->helds; k++) {
		uint32_t now = torus_state_by_end(r->s, k);
		const struct torus_hold *h = torus_state_hold(r->s, now);

		if (h->end_us < end || (h->end_us == end && now <= slot))
			return fault(r, "holds are not in order of their ends");
		end = h->end_us;
		slot = now;
	}
	return true;
}

/* Every hold in the list is the state's. */
static bool holds_agree(struct run *r)
{
	for (uint32_t i = 0; i < r->helds; i++) {
		const struct held *mine = &r->held[i];
		const struct torus_hold *h = torus_state_hold(r->s, mine->slot);
		uint64_t nodes[MOST_WORDS] = { 0 };

		torus_hold_paint(r->s, h, nodes);
		if (h->job != mine->job || h->end_us != mine->end_us ||
		    !torus_bits_equal(nodes, mine->nodes, r->m->words))
			return fault(r, "a hold is not what it was");
	}
	return true;
}

/* Asking */

static void random_ask(struct random *x, const struct torus_machine *m,
		       struct torus_ask *ask)
{
	const struct torus *t = &m->pod[random_below(x, m->pods)].torus;
	bool small = random_percent(x, 75);

	*ask = (struct torus_ask){ .rotate = random_percent(x, 80),
				   .end_us = INT64_MAX };
	ask->by_count = t->flat || random_percent(x, 60);
	if (random_percent(x, 15))
		ask->connection[0] = (uint8_t)random_below(x, 3);
	if (ask->by_count) {
		ask->count = 1 + random_below(x, 1 + random_below(x, t->nodes) /
							     (small ? 8 : 1));
		return;
	}
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t e = 1 + random_below(x, small && t->size[d] > 2 ?
							 2 :
							 t->size[d]);

		if (e > 1 || !ask->rotate)
			ask->shape.extent[ask->shape.axes++] = e;
	}
	if (ask->shape.axes == 0)
		ask->shape.extent[ask->shape.axes++] = 1;
}

/* A place found must be inside what is free and allowed, and big enough. */
static bool good_place(struct run *r, const struct torus_ask *ask,
		       const uint64_t *allowed,
		       const struct torus_placement *out, uint64_t *nodes)
{
	uint64_t want = torus_ask_nodes(ask);

	memset(nodes, 0, MOST_WORDS * sizeof(*nodes));
	torus_placement_paint(r->m, out, nodes);
	if (out->pod >= r->m->pods)
		return fault(r, "a place in no pod");
	if (!torus_bits_subset(nodes, torus_state_free_map(r->s), r->m->words))
		return fault(r, "a place that is not free");
	if (allowed && !torus_bits_subset(nodes, allowed, r->m->words))
		return fault(r, "a place that is not allowed");
	if (torus_bits_count(nodes, r->m->words) != out->granted)
		return fault(r, "a place of another size than granted");
	if (ask->by_count ? out->granted < want : out->granted != want)
		return fault(r, "a place of the wrong size");
	return true;
}

/* Undo */

/* What cannot be undone comes next: make all that waits final. */
static void settle(struct run *r)
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
		settle(r);
		return NULL;
	}
	take_snapshot(r, r->s, &t->before);
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
	return same_state(r, r->s, &t->before,
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
		take_snapshot(r, r->s, &before);
	memcpy(h.nodes, nodes, sizeof(h.nodes));
	/* the questions of the snapshots overwrote the strategy's map */
	if (mine.scattered)
		mine.nodes = h.nodes + r->m->pod[mine.pod].first_word;
	errno = 0;
	h.slot = torus_state_commit(r->s, &mine, h.job, NULL, 0, h.end_us,
				    t ? &t->undo : NULL);
	if (h.slot == TORUS_NO_SLOT) {
		if (must || errno != EBUSY)
			return fault(r, "a place just found was refused");
		return same_state(r, r->s, &before, "a refused commit");
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
	const char *strategy = NULL;
	struct torus_placement out;
	struct torus_ask ask;

	random_ask(x, r->m, &ask);
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
		strategy = pod->strategy[random_below(x, pod->strategies)]->name;
	if (torus_state_find(r->s, &ask, strategy, map, &out, NULL) !=
	    TORUS_FITS)
		return true;
	if (!good_place(r, &ask, map, &out, nodes))
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
	settle(r);
	memset(r->out, 0, sizeof(r->out));
	for (uint32_t n = random_below(x, 4); n > 0; n--) {
		uint32_t p = random_below(x, r->m->pods);

		torus_bits_set(r->out,
			       torus_machine_bit(
				       r->m, p,
				       random_below(x,
						    r->m->pod[p].torus.nodes)));
	}
	torus_state_out(r->s,
			torus_bits_count(r->out, MOST_WORDS) ? r->out : NULL);
}

static void step_set_end(struct run *r, struct random *x)
{
	uint32_t i;

	if (r->helds == 0)
		return;
	settle(r);
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
		return fault(r, "no copy");
	take_snapshot(r, r->s, &before);
	ok = same_state(r, copy, &before, "a copy");
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
		random_ask(x, r->m, &ask);
		if (torus_state_find(spare, &ask, NULL, NULL, &out, NULL) ==
		    TORUS_FITS)
			torus_state_commit(spare, &out, 1, NULL, 0, i, NULL);
	}
	torus_state_out(spare, NULL);
	if (!torus_state_check(spare, &err))
		ok = fault(r, err.text);
	ok = ok && same_state(r, r->s, &before, "after changing its twin");
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
		job = torus_state_hold(a, torus_state_by_end(
						  a, random_below(x, ends)))
			      ->job;
	random_ask(x, r->m, &ask);
	for (int i = 0; i < 2; i++) {
		struct torus_placement out;

		if (ends)
			torus_state_release(both[i], slot_of(both[i], job),
					    NULL);
		if (torus_state_find(both[i], &ask, NULL, NULL, &out, NULL) ==
		    TORUS_FITS)
			torus_state_commit(both[i], &out, r->jobs + (uint64_t)end,
					   NULL, 0, end, NULL);
		if (!torus_state_check(both[i], &err))
			return fault(r, err.text);
	}
	take_snapshot(r, a, &after);
	after.generation = 0;
	return same_state(r, b, &after, "a restored state, later");
}

/* Into text and back: the same state, the same text, and the same future. */
static bool step_restore(struct run *r, struct random *x)
{
	struct torus_state *copy, *back = torus_state_create(r->m);
	struct torus_text text = { 0 }, again = { 0 };
	struct torus_error err = { 0 };
	struct snapshot now;
	bool ok;

	settle(r);
	copy = torus_state_copy(r->s);
	take_snapshot(r, r->s, &now);
	now.generation = 0;
	if (!copy || !back || torus_state_save(r->s, &text))
		return fault(r, "no memory");
	ok = torus_state_restore(back, text.data, &err) == 0 ||
	     fault(r, err.text);
	ok = ok && same_state(r, back, &now, "a restored state");
	if (ok && (torus_state_save(back, &again) ||
		   strcmp(text.data, again.data) != 0))
		ok = fault(r, "another text after restoring");
	for (int i = 0; i < 6 && ok; i++)
		ok = go_on(r, x, copy, back, 1000 + i);
	torus_text_free(&text);
	torus_text_free(&again);
	torus_state_destroy(copy);
	torus_state_destroy(back);
	return ok;
}

static bool run_step(struct run *r, const struct step *step)
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

/* End everything; the machine must answer as the empty one. */
static bool wind_up(struct run *r, const struct snapshot *empty)
{
	settle(r);
	torus_state_out(r->s, NULL);
	memset(r->out, 0, sizeof(r->out));
	while (r->helds > 0) {
		torus_state_release(r->s, r->held[--r->helds].slot, NULL);
		if (!agrees(r))
			return false;
	}
	return same_state(r, r->s, empty, "after all was released");
}

/* Run a sequence; false, and the fault, if it breaks something. */
static bool run_steps(struct run *r, const struct torus_machine *m,
		      const struct step *step, uint32_t n, uint64_t probes)
{
	struct random x = { probes };
	struct snapshot empty;
	bool ok = true;

	r->m = m;
	r->helds = r->undos = 0;
	r->has_old = false;
	r->jobs = 0;
	r->fault[0] = '\0';
	memset(r->out, 0, sizeof(r->out));
	r->s = torus_state_create(m);
	if (!r->s)
		return fault(r, "no state");
	for (uint32_t i = 0; i < PROBES; i++)
		random_ask(&x, m, &r->probe[i]);
	take_snapshot(r, r->s, &empty);
	empty.generation = 0; /* a number is not given twice */
	for (uint32_t i = 0; i < n && ok; i++)
		ok = run_step(r, &step[i]) && agrees(r) &&
		     (i % 8 || holds_agree(r));
	ok = ok && wind_up(r, &empty);
	torus_state_destroy(r->s);
	return ok;
}

/* Machines */

struct pod_text {
	const char *torus;
	const char *strategy[3]; /* the first with options: NAME KEY=VALUE ... */
	uint64_t absent; /* cells of the first word without a node */
};

static const struct pod_text machines[][3] = {
	{ { "flat:70", { "flat" }, 0 } },
	{ { "4x4x4", { "submesh" }, 0 } },
	{ { "3x5x2:TMT", { "submesh" }, 0 } },
	{ { "5x13:MT", { "submesh", "flat" }, 0 } },
	{ { "4x4x4", { "semitorus-nep" }, 0 } },
	{ { "2x4x4x8", { "semitorus-nep" }, 0 } },
	{ { "2x2x2x6x2", { "semitorus-nep" }, 0 } },
	{ { "64", { "semitorus-nep" }, 0 } },
	{ { "8x8", { "submesh", "semitorus-nep", "flat" }, 0 } },
	{ { "4x4x4", { "submesh" }, 0x8000400020001 } },
	{ { "8x4", { "semitorus-nep", "submesh" }, 0x10200 } },
	{ { "flat:10", { "flat" }, 0 }, { "flat:200", { "flat" }, 0x700 } },
	{ { "4x4", { "submesh", "flat" }, 0 },
	  { "2x2x6", { "semitorus-nep", "submesh" }, 0 },
	  { "flat:66", { "flat" }, 0 } },
	{ { "2x4x4x8", { "semitorus-ep" }, 0 } },
	{ { "2x2x2x6x2", { "semitorus-ep identify=largest convert=pair" }, 0 } },
	{ { "2x4x4x8", { "semitorus-nep identify=largest convert=pair" }, 0 } },
	{ { "2x4x4x8", { "semitorus-buddy" }, 0 } },
	{ { "7x8", { "semitorus-buddy", "semitorus-ep", "semitorus-nep" },
	    0x1000200 } },
	{ { "4x4x4", { "submesh-tbl" }, 0 } },
	{ { "5x4x3:MTM", { "submesh-tbl", "submesh-bl", "flat" }, 0 } },
	{ { "4x4x4:MMM", { "submesh-bl" }, 0x20000001 } },
	{ { "4x6x3", { "submesh-tff", "submesh-ff" }, 0 } },
	{ { "8x8", { "subtorus" }, 0 } },
	{ { "4x6x4:TMT", { "subtorus" }, 0x40100 } },
	{ { "8x8", { "subtorus link_disjoint=true" }, 0 } },
	{ { "4x4x4", { "subtorus max_dilation=1.25", "submesh" }, 0 } },
	{ { "2^7", { "subcube-buddy", "submesh" }, 0 } },
	{ { "4x4x4", { "submesh", "submesh-tbl", "subtorus" }, 0 } },
};

#define MACHINES (sizeof(machines) / sizeof(*machines))

static const struct torus_strategy *read_strategy(const char *text,
						  struct torus_options *options)
{
	char name[64];
	int used;

	*options = (struct torus_options){ 0 };
	assert_int_equal(sscanf(text, "%63s%n", name, &used), 1);
	text += used;
	while (sscanf(text, " %31[^=]=%63s%n",
		      options->item[options->used].key,
		      options->item[options->used].value, &used) == 2) {
		options->used++;
		text += used;
	}
	return torus_strategy_find(name);
}

static void build_machine(struct torus_machine *m, const struct pod_text *pod)
{
	*m = (struct torus_machine){ 0 };
	for (int p = 0; p < 3 && pod[p].torus; p++) {
		uint64_t present[MOST_WORDS] = { 0 };
		struct torus_options options;
		const struct torus_strategy *first =
			read_strategy(pod[p].strategy[0], &options);
		struct torus t;

		assert_int_equal(torus_parse(&t, pod[p].torus, NULL), 0);
		snprintf(t.name, sizeof(t.name), "pod%d", p);
		torus_bits_set_range(present, 0, t.nodes);
		present[0] &= ~pod[p].absent;
		assert_int_equal(
			torus_machine_add(m, &t, pod[p].absent ? present : NULL,
					  first, &options, NULL),
			0);
		for (int i = 1; i < 3 && pod[p].strategy[i]; i++)
			assert_int_equal(
				torus_machine_allow(
					m, (uint32_t)p,
					torus_strategy_find(
						pod[p].strategy[i]),
					NULL),
				0);
	}
	assert_true(m->words <= MOST_WORDS);
}

/* Drop parts of a failing sequence as long as it still fails. */
static uint32_t shorten(struct run *r, const struct torus_machine *m,
			struct step *step, uint32_t n, uint64_t probes)
{
	struct step fewer[STEPS];

	for (uint32_t part = n / 2; part > 0; part /= 2) {
		for (uint32_t at = 0; at + part <= n;) {
			memcpy(fewer, step, at * sizeof(*step));
			memcpy(fewer + at, step + at + part,
			       (n - at - part) * sizeof(*step));
			if (run_steps(r, m, fewer, n - part, probes)) {
				at += part;
				continue;
			}
			n -= part;
			memcpy(step, fewer, n * sizeof(*step));
		}
	}
	run_steps(r, m, step, n, probes);
	return n;
}

static enum kind random_kind(struct random *x, uint32_t ending)
{
	/* weights out of 100; `ending` moves between starting and ending */
	uint32_t n = random_below(x, 100);

	if (n < 72)
		return random_percent(x, ending) ? RELEASE :
		       random_percent(x, 30)     ? START_ALLOWED :
						   START;
	if (n < 88)
		return UNDO;
	if (n < 92)
		return FORGET;
	if (n < 95)
		return START_OLD;
	if (n < 97)
		return SET_END;
	if (n < 98)
		return random_percent(x, 50) ? COPY : RESTORE;
	return SERVICE;
}

static void sequence(struct random *x, struct run *r, size_t machine)
{
	static const char *const name[KINDS] = {
		"start", "start-allowed", "start-old", "release", "undo",
		"forget", "service", "set-end", "copy", "restore",
	};
	struct step step[STEPS];
	struct torus_machine m;
	uint64_t probes = random_bits(x);
	uint32_t n = STEPS, ending = 20 + random_below(x, 30);

	build_machine(&m, machines[machine]);
	for (uint32_t i = 0; i < n; i++)
		step[i] = (struct step){ .kind = random_kind(x, ending),
					 .seed = random_bits(x) };
	if (!run_steps(r, &m, step, n, probes)) {
		n = shorten(r, &m, step, n, probes);
		print_error("machine %zu (%s %s): %s, after\n", machine,
			    machines[machine][0].torus,
			    machines[machine][0].strategy[0], r->fault);
		for (uint32_t i = 0; i < n; i++)
			print_error("  %s %llx\n", name[step[i].kind],
				    (unsigned long long)step[i].seed);
		fail();
	}
	torus_machine_free(&m);
}

static void sequences(void **state)
{
	struct random x = { *(uint64_t *)*state };
	uint32_t rounds = random_effort(620, 10);
	struct run *r = malloc(sizeof(*r));

	assert_non_null(r);
	for (uint32_t i = 0; i < rounds; i++) {
		for (size_t machine = 0; machine < MACHINES; machine++)
			sequence(&x, r, machine);
	}
	printf("# %u steps\n", (unsigned)(rounds * MACHINES * STEPS));
	free(r);
}

/* The model of Non-Equal Partition */

struct piece {
	uint32_t offset, size;
	int parent;
	enum { FREE, SPLIT, TAKEN, GONE } use;
};

struct model {
	struct piece piece[4096];
	int pieces;
};

/* Smallest free piece that holds it, lowest first; -1: none. */
static int model_find(const struct model *o, uint32_t size)
{
	int best = -1;

	for (int i = 0; i < o->pieces; i++) {
		const struct piece *p = &o->piece[i];
		const struct piece *b = &o->piece[best < 0 ? i : best];

		if (p->use == FREE && p->size >= size &&
		    (best < 0 || p->size < b->size ||
		     (p->size == b->size && p->offset < b->offset)))
			best = i;
	}
	return best;
}

static int model_new(struct model *o, uint32_t offset, uint32_t size,
		     int parent)
{
	assert_true(o->pieces < 4096);
	o->piece[o->pieces] = (struct piece){ offset, size, parent, FREE };
	return o->pieces++;
}

/* Into the job's part, then m, 2m, 4m ... */
static int model_take(struct model *o, int id, uint32_t size)
{
	uint32_t offset = o->piece[id].offset, whole = o->piece[id].size;
	int job = id;

	if (whole > size) {
		o->piece[id].use = SPLIT;
		job = model_new(o, offset, size, id);
		for (uint32_t s = size; s < whole; s *= 2)
			model_new(o, offset + s, s, id);
	}
	o->piece[job].use = TAKEN;
	return job;
}

static void model_release(struct model *o, int id)
{
	o->piece[id].use = FREE;
	for (int up = o->piece[id].parent; up >= 0; up = o->piece[up].parent) {
		for (int i = 0; i < o->pieces; i++) {
			if (o->piece[i].parent == up &&
			    o->piece[i].use != FREE &&
			    o->piece[i].use != GONE)
				return;
		}
		for (int i = 0; i < o->pieces; i++) {
			if (o->piece[i].parent == up)
				o->piece[i].use = GONE;
		}
		o->piece[up].use = FREE;
	}
}

/* The roots: the odd dimension cut into powers of two, largest first. */
static void model_create(struct model *o, const struct torus *t)
{
	uint32_t odd = 0, rest, offset = 0;

	o->pieces = 0;
	for (uint32_t d = 0; d < t->dims; d++) {
		if (t->size[d] & (t->size[d] - 1))
			odd = d;
	}
	rest = t->nodes / t->size[odd];
	for (int b = 31; b >= 0; b--) {
		if (t->size[odd] >> b & 1) {
			model_new(o, offset, rest << b, -1);
			offset += rest << b;
		}
	}
}

static void compare_with_model(struct random *x, const char *machine)
{
	struct torus_machine m;
	struct model *o = malloc(sizeof(*o));
	struct pod_text pod[3] = { { machine, { "semitorus-nep" }, 0 } };
	struct torus_state *s;
	int piece[512];
	uint32_t slot[512], jobs = 0, roots_nodes = 0;

	assert_non_null(o);
	build_machine(&m, pod);
	s = torus_state_create(&m);
	assert_non_null(s);
	model_create(o, &m.pod[0].torus);
	for (int i = 0; i < o->pieces; i++)
		roots_nodes += o->piece[i].size;
	assert_int_equal(roots_nodes, m.nodes);
	for (int step = 0; step < 300; step++) {
		if (random_percent(x, 55)) {
			uint32_t log = random_below(x, 8), n = 1u << log;
			int id = model_find(o, n);
			struct torus_ask ask = { .by_count = true,
						 .rotate = true,
						 .count = n - random_below(
								  x, n / 2 + 1),
						 .end_us = INT64_MAX };
			struct torus_placement out;

			if (ask.count == n / 2 && n > 1)
				ask.count++;
			if ((torus_state_find(s, &ask, NULL, NULL, &out,
					      NULL) == TORUS_FITS) != (id >= 0))
				fail_msg("%s: %u nodes at step %d: expected %s",
					 machine, ask.count, step,
					 id >= 0 ? "a place" : "none");
			if (id < 0 || jobs == 512)
				continue;
			assert_int_equal(out.granted, n);
			piece[jobs] = model_take(o, id, n);
			slot[jobs] = torus_state_commit(s, &out, 1, NULL, 0, 1,
							NULL);
			assert_int_not_equal(slot[jobs++], TORUS_NO_SLOT);
		} else if (jobs > 0) {
			uint32_t i = random_below(x, jobs);

			torus_state_release(s, slot[i], NULL);
			model_release(o, piece[i]);
			jobs--;
			piece[i] = piece[jobs];
			slot[i] = slot[jobs];
		}
		assert_true(torus_state_check(s, NULL));
	}
	torus_state_destroy(s);
	torus_machine_free(&m);
	free(o);
}

static void partition_model(void **state)
{
	static const char *const machine[] = {
		"2x4x4x8", "4x4x4", "2x2x2x6x8", "128", "7x8", "2^7",
	};
	struct random x = { *(uint64_t *)*state + 1 };
	uint32_t rounds = random_effort(40, 20);

	for (uint32_t i = 0; i < rounds; i++) {
		for (size_t k = 0; k < sizeof(machine) / sizeof(*machine); k++)
			compare_with_model(&x, machine[k]);
	}
}

int main(void)
{
	uint64_t seed = random_seed("prop_state");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(sequences, &seed),
		cmocka_unit_test_prestate(partition_model, &seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
