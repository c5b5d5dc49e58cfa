/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine state under random sequences of find, commit, release, undo,
 * save and restore, and nodes going out of service: a test for every strategy of the
 * registry, on all machines that are there for it.
 *
 * Beside the state runs a list of who holds which nodes, kept by this test.
 * After every step the free map, the holds and their order by end must follow
 * from that list; after every few the state's self check must pass, too. An
 * undo must bring back the free map, holds, generation and, of some, the
 * answers to a set of questions; a state restored from text must answer the
 * same, and go on as the original does. At the end of a sequence all is released, and the answers
 * must be those of the empty machine. A failing sequence is shortened before it
 * is shown.
 *
 * A million steps for each strategy, with TORUS_TEST_LONG a hundred millions;
 * TORUS_STRATEGY=NAME runs one of them alone. Every half a minute a line tells
 * how far it is.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "state_run.h"

#define STEPS 1000 /* of a sequence */
#define STRATEGY_STEPS 600000
#define WHOLE_EVERY 16 /* steps between self checks */
#define TELL_EVERY 30  /* seconds */
#define MOST_STRATEGIES 32

/* End everything; the machine must answer as the empty one. */
static bool wind_up(struct run *r, const struct snapshot *empty)
{
	if (!run_settle(r))
		return false;
	torus_state_out(r->s, NULL);
	memset(r->out, 0, sizeof(r->out));
	while (r->helds > 0) {
		torus_state_release(r->s, r->held[--r->helds].slot, NULL);
		if (!run_agrees(r, true))
			return false;
	}
	return snapshot_same(r, r->s, empty, "after all was released");
}

/* Run a sequence; false, and the fault, if it breaks something. */
static bool run_steps(struct run *r, const struct torus_machine *m,
		      const struct step *step, uint32_t n, uint64_t probes,
		      uint32_t whole_every)
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
		return run_fault(r, "no state");
	for (uint32_t i = 0; i < PROBES; i++)
		run_random_ask(&x, m, &r->probe[i]);
	snapshot_take(r, r->s, &empty, true);
	empty.generation = 0; /* a number is not given twice */
	for (uint32_t i = 0; i < n && ok; i++)
		ok = run_step(r, &step[i]) &&
		     run_agrees(r, i % whole_every == 0);
	ok = ok && wind_up(r, &empty);
	torus_state_destroy(r->s);
	return ok;
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
			if (run_steps(r, m, fewer, n - part, probes, 1)) {
				at += part;
				continue;
			}
			n -= part;
			memcpy(step, fewer, n * sizeof(*step));
		}
	}
	run_steps(r, m, step, n, probes, 1);
	return n;
}

static enum kind random_kind(struct random *x, uint32_t ending)
{
	/* weights out of 1000; `ending` moves between starting and ending */
	uint32_t n = random_below(x, 1000);

	if (n < 780)
		return random_percent(x, ending) ? RELEASE :
		       random_percent(x, 30)     ? START_ALLOWED :
						   START;
	if (n < 940)
		return UNDO;
	if (n < 970)
		return START_OLD;
	if (n < 990)
		return SET_END;
	if (n < 992)
		return RESTORE;
	return SERVICE;
}

static void sequence(struct random *x, struct run *r,
		     const struct torus_machine *m, const struct pod_text *pod)
{
	static const char *const name[KINDS] = {
		"start", "start-allowed", "start-old", "release",
		"undo",  "service",       "set-end",   "restore",
	};
	struct step step[STEPS];
	uint64_t probes = random_bits(x);
	uint32_t n = STEPS, ending = 20 + random_below(x, 30);

	for (uint32_t i = 0; i < n; i++)
		step[i] = (struct step){ .kind = random_kind(x, ending),
					 .seed = random_bits(x) };
	if (run_steps(r, m, step, n, probes, WHOLE_EVERY))
		return;
	n = shorten(r, m, step, n, probes);
	print_error("%s, %s: %s, after\n", pod->torus, pod->strategy[0],
		    r->fault);
	for (uint32_t i = 0; i < n; i++)
		print_error("  %s %llx\n", name[step[i].kind],
			    (unsigned long long)step[i].seed);
	fail();
}

/* One strategy's share of the work. */
struct share {
	const struct torus_strategy *strategy;
	struct random x;
	uint32_t machines;
	uint64_t done, all; /* steps */
	time_t told;
};

/* Now and then how far it is, and at the end what was done. */
static void tell(struct share *s)
{
	time_t now = time(NULL);

	if (s->done < s->all && now - s->told < TELL_EVERY)
		return;
	s->told = now;
	printf("# %s: %llu of %llu steps on %u machines\n", s->strategy->name,
	       (unsigned long long)s->done, (unsigned long long)s->all,
	       s->machines);
	fflush(stdout);
}

static uint32_t count_machines(const struct torus_strategy *strategy)
{
	uint32_t n = 0;

	for (size_t i = 0; state_machines[i][0].torus; i++)
		n += machine_strategy(state_machines[i]) == strategy;
	return n;
}

static uint32_t count_any(const struct torus_strategy *strategy)
{
	struct pod_text pod[MOST_PODS] = { { 0 } };
	uint32_t n = 0;

	while (machine_for_any(strategy, n, pod))
		n++;
	return n;
}

static void on_machine(struct share *s, struct run *r,
		       const struct pod_text *pod)
{
	uint64_t until = s->done + s->all / s->machines;
	struct torus_machine m;

	machine_build(&m, pod);
	while (s->done < until) {
		sequence(&s->x, r, &m, pod);
		s->done += STEPS;
		tell(s);
	}
	torus_machine_free(&m);
}

/* A strategy that the table does not list. */
static void on_any_machine(struct share *s, struct run *r)
{
	struct pod_text pod[MOST_PODS] = { { 0 } };

	for (uint32_t k = 0; machine_for_any(s->strategy, k, pod); k++)
		on_machine(s, r, pod);
}

static void random_sequences_keep_the_state_sound(void **state)
{
	struct share *s = *state;
	const char *only = getenv("TORUS_STRATEGY");
	bool listed;
	struct run *r;
	uint64_t each;

	if (only && strcmp(only, s->strategy->name) != 0)
		return;
	s->machines = count_machines(s->strategy);
	listed = s->machines > 0;
	if (!listed)
		s->machines = count_any(s->strategy);
	if (s->machines == 0)
		fail_msg("no machine for %s", s->strategy->name);
	/* whole sequences on each machine */
	each = (uint64_t)s->machines * STEPS;
	s->all = (random_effort(STRATEGY_STEPS, 160) + each - 1) / each * each;
	s->told = time(NULL);
	r = malloc(sizeof(*r));
	assert_non_null(r);
	if (!listed)
		on_any_machine(s, r);
	for (size_t i = 0; state_machines[i][0].torus; i++) {
		if (machine_strategy(state_machines[i]) == s->strategy)
			on_machine(s, r, state_machines[i]);
	}
	free(r);
}

int main(void)
{
	const struct torus_strategy *const *all = torus_strategies();
	uint64_t seed = random_seed("prop_state");
	struct CMUnitTest tests[MOST_STRATEGIES] = { { 0 } };
	struct share share[MOST_STRATEGIES] = { { 0 } };
	size_t n = 0;

	for (; all[n] && n < MOST_STRATEGIES; n++) {
		share[n].strategy = all[n];
		share[n].x.state = seed + n;
		tests[n] = (struct CMUnitTest)
			cmocka_unit_test_prestate(random_sequences_keep_the_state_sound,
						  &share[n]);
		tests[n].name = all[n]->name;
	}
	return _cmocka_run_group_tests("strategies", tests, n, NULL, NULL) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
