/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the real-time disciplines (deadline.h), and the checks that they
 * are possible on this machine and host. */
#include <string.h>

#include "discipline/deadline.h"

const struct torus_option_help torus_deadline_phase2[] = {
	TORUS_DEADLINE_PHASE2,
	{ NULL, NULL, NULL, NULL },
};

static const char *const choices[] = {
	[TORUS_CHOICE_EARLIEST] = "earliest",
	[TORUS_CHOICE_FIRST_FIT] = "first-fit",
	[TORUS_CHOICE_STACKING] = "stacking",
};

void torus_deadline_read(struct torus_deadline_rules *rules,
			 const struct torus_scheduler *s)
{
	const struct torus_options *o = &s->settings.options;
	const char *word = torus_options_get(o, "choice");

	if (rules->defers)
		rules->choice = torus_cubes_suit(torus_state_machine(s->state)) ?
					TORUS_CHOICE_STACKING :
					TORUS_CHOICE_EARLIEST;
	for (uint32_t i = 0; word && i < 3; i++) {
		if (strcmp(word, choices[i]) == 0)
			rules->choice = (enum torus_choice)i;
	}
	rules->takes = torus_options_is(o, "best_effort", "takes");
	rules->eat |= torus_options_is(o, "eat", "true");
	rules->preempts = torus_options_is(o, "phase2", "true");
	rules->overhead_us = torus_options_duration(o, "preempt_overhead", 0);
	rules->windows = (uint32_t)torus_options_whole(o, "windows_per_pass",
						       s->settings.windows);
	rules->arrivals = (uint32_t)torus_options_whole(o, "arrival_queue", 0);
}

int torus_deadline_supports(const struct torus_machine *m,
			    const struct torus_scheduler_settings *settings,
			    struct torus_error *why)
{
	const struct torus_options *o = &settings->options;
	const char *choice = torus_options_get(o, "choice");
	bool phase2 = torus_options_is(o, "phase2", "true");
	int rc = 0;

	if (choice && strcmp(choice, "earliest") != 0 && !torus_cubes_suit(m))
		rc = torus_error_add(why,
				     "option choice: got \"%s\", which is among sub-cubes: expected earliest, or one torus 2x2x..x2 with the strategy subcube-buddy and no other",
				     choice);
	if (phase2 && settings->no_preemption)
		rc = torus_error_add(
			why,
			"option phase2: running jobs cannot be preempted here; omit it");
	if (!phase2 && torus_options_get(o, "preempt_overhead"))
		rc = torus_error_add(
			why,
			"option preempt_overhead: has no effect without phase2: true");
	return rc;
}

int torus_deadline_supports_cubes(const struct torus_machine *m,
				  const struct torus_scheduler_settings *settings,
				  struct torus_error *why)
{
	int rc = torus_deadline_supports(m, settings, why);

	if (torus_cubes_suit(m))
		return rc;
	return torus_error_add(why,
			       "%s chooses among sub-cubes: it needs one torus 2x2x..x2 with the strategy subcube-buddy and no other",
			       settings->discipline->name);
}
