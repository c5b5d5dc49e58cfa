/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of a scheduler as a line of the journal (journal_file.h). */
#include "format/journal_file.h"

#include <stdio.h>
#include <string.h>

#include "request/quote.h"
#include "torus/discipline.h"
#include "torus/number.h"
#include "torus/text.h"

#define SETTINGS_MOST 8000 /* bytes of a line that is read */

int journal_settings(const struct torus_scheduler_settings *settings,
		     struct torus_text *text)
{
	const struct torus_options *o = &settings->options;
	char wait[32] = "none";

	if (settings->wait_limit_us != TORUS_NO_TIME)
		snprintf(wait, sizeof(wait), "%lld",
			 (long long)settings->wait_limit_us);
	if (torus_text_add(text,
			   "scheduler %s order=%s wait_limit=%s backfill_places=%u mean_hold=%lld",
			   settings->discipline->name,
			   settings->order_by_priority ? "priority" : "arrival",
			   wait, settings->backfill_places,
			   (long long)settings->mean_hold_us))
		return -1;
	if (settings->discipline->reserves && settings->reservations &&
	    torus_text_add(text, " reservations=%u", settings->reservations))
		return -1;
	for (uint32_t i = 0; i < o->used; i++) {
		if (torus_text_add(text, " %s=%s", o->item[i].key,
				   o->item[i].value))
			return -1;
	}
	return 0;
}

static int settings_refuse(const char *where, const char *got,
			   const char *expected, struct torus_error *err)
{
	struct torus_quote q;

	return torus_error_add(err,
			       "%s: settings of a scheduler: got \"%s\", expected %s",
			       where, torus_quote(&q, got, strlen(got)),
			       expected);
}

/* Read KEY=VALUE; what is no setting of all disciplines is an option. */
static int settings_read_one(struct torus_scheduler_settings *s,
			     const char *where, const char *key,
			     const char *value, struct torus_error *err)
{
	struct torus_options *o = &s->options;
	uint64_t places;

	if (strcmp(key, "order") == 0) {
		s->order_by_priority = strcmp(value, "priority") == 0;
		return s->order_by_priority || strcmp(value, "arrival") == 0 ?
			       0 :
			       settings_refuse(where, value,
					       "priority or arrival", err);
	}
	if (strcmp(key, "wait_limit") == 0) {
		s->wait_limit_us = TORUS_NO_TIME;
		return strcmp(value, "none") == 0 ||
				       torus_number_signed(value, 0, INT64_MAX,
							   &s->wait_limit_us) ?
			       0 :
			       settings_refuse(where, value, "a wait_limit",
					       err);
	}
	if (strcmp(key, "backfill_places") == 0) {
		if (!torus_number_whole(value, 1, UINT32_MAX, &places))
			return settings_refuse(where, value, "backfill_places",
					       err);
		s->backfill_places = (uint32_t)places;
		return 0;
	}
	if (strcmp(key, "reservations") == 0) {
		if (!torus_number_whole(value, 0, UINT32_MAX, &places))
			return settings_refuse(where, value, "reservations",
					       err);
		s->reservations = (uint32_t)places;
		return 0;
	}
	if (strcmp(key, "mean_hold") == 0)
		return torus_number_signed(value, INT64_MIN, INT64_MAX,
					   &s->mean_hold_us) ?
			       0 :
			       settings_refuse(where, value, "a mean_hold", err);
	return torus_options_set(o, key, value) ?
		       settings_refuse(where, key, "shorter or fewer options",
				       err) :
		       0;
}

int journal_settings_read(const char *line, const char *where,
			  struct torus_scheduler_settings *settings,
			  struct torus_error *err)
{
	char copy[SETTINGS_MOST + 1], *next = copy, *word;
	int rc = 0;

	if (strlen(line) >= sizeof(copy))
		return settings_refuse(where, line, "a shorter line", err);
	strcpy(copy, line);
	word = strsep(&next, " ");
	if (strcmp(word, "scheduler") != 0 || !next)
		return settings_refuse(where, line,
				       "scheduler NAME KEY=VALUE..", err);
	word = strsep(&next, " ");
	if (!settings->discipline || /* (it may be of a file: torus/policy.h) */
	    strcmp(settings->discipline->name, word) != 0)
		settings->discipline = torus_discipline_find(word);
	if (!settings->discipline)
		return settings_refuse(where, word,
				       "a discipline of this storus", err);
	settings->options = (struct torus_options){ 0 };
	if (settings->discipline->reserves)
		settings->reservations = 0; /* older versions: the head's */
	while (rc == 0 && (word = strsep(&next, " "))) {
		char *value = strchr(word, '=');

		if (!value && strcmp(word, &JOURNAL_DRY_RUN[1]) == 0)
			continue;
		if (!value)
			return settings_refuse(where, word, "KEY=VALUE", err);
		*value++ = '\0';
		rc = settings_read_one(settings, where, word, value, err);
	}
	return rc ? rc :
		    torus_options_check(&settings->options,
					settings->discipline->options, where,
					err);
}

bool journal_settings_complete(const char *line,
			       struct torus_scheduler_settings *settings)
{
	struct torus_scheduler_settings journal = *settings;
	struct torus_error err = { 0 };

	if (strncmp(line, "scheduler ", 10) != 0 ||
	    journal_settings_read(line, "journal", &journal, &err))
		return false;
	/* another discipline, which sorts the queue, has its own default */
	if (settings->order_open)
		settings->order_by_priority =
			journal.order_by_priority &&
			(settings->discipline == journal.discipline ||
			 !torus_discipline_sorts(settings));
	if (settings->reservations_open &&
	    settings->discipline == journal.discipline)
		settings->reservations = journal.reservations;
	settings->order_open = settings->reservations_open = false;
	return true;
}
