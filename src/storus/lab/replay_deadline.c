/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of storus replay that belong to a discipline: they are set like those of
 * torus.yaml, unless the discipline does not have them.
 */
#include <stdio.h>
#include <string.h>

#include "storus/lab/replay_options.h"
#include "torus/discipline.h"

/* mean_hold is a separate setting; all others are in the tables. */
static bool replay_discipline_has(const struct torus_discipline *d,
				  const char *key)
{
	if (!strcmp(key, "mean_hold"))
		return d->defers;
	return torus_option_find(d->options, key) != NULL;
}

static int replay_deadline_refuse(const struct storus_replay_options *opts,
				  const struct torus_discipline *d,
				  const char *key)
{
	const struct torus_discipline *const *all = torus_disciplines();
	char list[256] = "", option[TORUS_OPTION_KEY];

	for (; *all; all++) {
		if (!replay_discipline_has(*all, key))
			continue;
		snprintf(list + strlen(list), sizeof(list) - strlen(list),
			 "%s%s", *list ? ", " : "", (*all)->name);
	}
	snprintf(option, sizeof(option), "%s", key);
	for (char *p = option; *p; p++)
		*p = *p == '_' ? '-' : *p;
	return storus_say(opts->self, STORUS_USAGE,
			  "--%s: has no effect on the discipline %s, only on %s; add for example --discipline dedf",
			  option, d->name, list);
}

int storus_replay_deadlines(const struct storus_replay_options *opts,
			    struct torus_scheduler_settings *settings)
{
	const struct torus_options *o = &opts->of_discipline;
	const struct torus_discipline *d = settings->discipline;

	if (opts->mean_hold_us >= 0 && !d->defers)
		return replay_deadline_refuse(opts, d, "mean_hold");
	for (uint32_t i = 0; i < o->used; i++) {
		const char *key = o->item[i].key;

		if (!replay_discipline_has(d, key))
			return replay_deadline_refuse(opts, d, key);
		torus_options_set(&settings->options, key, o->item[i].value);
	}
	if (opts->mean_hold_us >= 0)
		settings->mean_hold_us = opts->mean_hold_us;
	else if (!d->defers)
		settings->mean_hold_us = 0; /* was for the file's discipline */
	if (d->defers && settings->mean_hold_us <= 0 && opts->mean_hold_us < 0)
		storus_say(opts->self, 0,
			   "notice: without --mean-hold (or mean_hold in torus.yaml) %s answers each job only at its latest start",
			   d->name);
	return STORUS_DONE;
}
