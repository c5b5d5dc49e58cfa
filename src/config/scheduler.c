/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `scheduler:` of torus.yaml: the discipline and its settings, checked against the
 * registry and the machine.
 *
 *	scheduler: {discipline: easy, wait_limit: 2h, order: arrival}
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/reader.h"
#include "request/quote.h"
#include "torus/policy.h"

#define DISCIPLINES 64
#define MOST_PLACES 1000000
#define MOST_RESERVATIONS 1000
#define MOST_OPTIONS 32

enum key {
	DISCIPLINE,
	WAIT_LIMIT,
	MEAN_HOLD,
	ORDER,
	BACKFILL_PLACES,
	RESERVATIONS,
	PASS_BUDGET,
	PLAN_FILE,
	JOURNAL,
	DRY_RUN,
	OPTIONS,
	KEYS
};

static const char *const keys[KEYS] = {
	"discipline",      "wait_limit",   "mean_hold",   "order",
	"backfill_places", "reservations", "pass_budget", "plan_file",
	"journal",         "dry_run",      "options",
};

static int read_discipline(struct reader *r, const struct tree *t,
			   const struct torus_discipline **out)
{
	const struct torus_discipline *const *all = torus_disciplines();
	const char *valid[DISCIPLINES] = { NULL }, *word = "";
	char where[512];
	size_t n = 0;

	if (torus_value_word(r, t, "discipline", &word))
		return -1;
	if (torus_policy_is_path(word)) {
		struct torus_error why = { 0 };

		*out = torus_policy_load_discipline(word, r->policies, &why);
		return *out ? 0 :
			      torus_reader_wrong(r, t->line, "discipline", "%s",
						 why.text);
	}
	*out = torus_discipline_find(word);
	if (*out)
		return 0;
	for (; n < DISCIPLINES && all[n]; n++)
		valid[n] = all[n]->name;
	r->wrong = true;
	snprintf(where, sizeof(where), "%s:%u: discipline", r->file, t->line);
	return torus_unknown_word(r->err, where, "discipline", word, valid, n);
}

static int read_wait_limit(struct reader *r, const struct tree *t, int64_t *out)
{
	if (t->kind == TREE_SCALAR && strcmp(t->text, "none") == 0) {
		*out = TORUS_NO_TIME;
		return 0;
	}
	return torus_value_duration(r, t, "wait_limit", out);
}

/* Refuse a limit that the discipline would ignore. */
static int check_wait_limit(struct reader *r, const struct tree *t,
			    const struct torus_discipline *d)
{
	if (d->limits_waiting)
		return 0;
	return torus_reader_wrong(r, t->line, "wait_limit",
				  "has no effect on the discipline %s: %s; omit it",
				  d->name, d->why_no_limit);
}

/* Read the number of blocked jobs with a reservation. */
static int read_reservations(struct reader *r, const struct tree *t,
			     struct torus_scheduler_settings *s)
{
	s->reservations_open = false;
	if (torus_value_number(r, t, "reservations", MOST_RESERVATIONS,
			       &s->reservations))
		return -1;
	if (!s->discipline || s->discipline->reserves)
		return 0;
	return torus_reader_wrong(r, t->line, "reservations",
				  "has no effect on the discipline %s; omit it",
				  s->discipline->name);
}

static int read_order(struct reader *r, const struct tree *t, bool *priority)
{
	char shown[TREE_SHOWN];

	*priority = t->kind == TREE_SCALAR && strcmp(t->text, "priority") == 0;
	if (*priority)
		return 0;
	if (t->kind == TREE_SCALAR && strcmp(t->text, "arrival") == 0) {
		torus_reader_notice(
			r, t->line, "order",
			"\"arrival\": slurmctld starts jobs in the order of submission and ignores their priorities (PriorityTier, QOS, --nice, scontrol top); write \"priority\" for their order");
		return 0;
	}
	return torus_reader_wrong(r, t->line, "order",
				  "got \"%s\": expected arrival or priority",
				  torus_tree_excerpt(t, shown));
}

static int read_mean_hold(struct reader *r, const struct tree *t,
			  const struct torus_discipline *d, int64_t *out)
{
	if (torus_value_duration(r, t, "mean_hold", out))
		return -1;
	if (*out == 0)
		return torus_reader_wrong(r, t->line, "mean_hold",
					  "got \"%s\": expected more than 0",
					  t->text);
	if (!d || d->defers)
		return 0;
	return torus_reader_wrong(
		r, t->line, "mean_hold",
		"has no effect on the discipline %s, only on one that defers its answers, such as dedf; omit it",
		d->name);
}

/* Read an absolute path. */
static int read_path(struct reader *r, const struct tree *t, const char *key,
		     char *path)
{
	const char *text = "";

	if (torus_value_word(r, t, key, &text))
		return -1;
	if (text[0] != '/' || strlen(text) >= TORUS_PATH_SIZE)
		return torus_reader_wrong(
			r, t->line, key,
			"got \"%s\": expected an absolute path of at most %d characters",
			text, TORUS_PATH_SIZE - 1);
	strcpy(path, text);
	return 0;
}

/* Read the discipline's options, `reservations`, which is also a key, and `tries`,
 * an option of the live host. */
static int read_options(struct reader *r, const struct tree *t,
			struct torus_scheduler_settings *s, uint32_t *tries_out)
{
	static const struct torus_option_help tries = {
		"tries", "1..64", "4",
		"in slurmctld: places that are tried for a job whose nodes Slurm refuses"
	};
	struct torus_option_help valid[MOST_OPTIONS + 2] = { { 0 } };
	const struct torus_option_help *own = s->discipline->options;
	struct torus_options *o = &s->options;
	uint32_t n = 0;
	int rc;

	for (; own && own[n].key && n < MOST_OPTIONS; n++)
		valid[n] = own[n];
	valid[n] = tries;
	rc = torus_value_options(r, t, valid, s->discipline->name, o);
	for (n = 0; n < o->used;) {
		const char *key = o->item[n].key;

		if (strcmp(key, tries.key) == 0) {
			*tries_out = (uint32_t)torus_options_whole(o, key, 4);
		} else if (strcmp(key, "reservations") == 0) {
			s->reservations = (uint32_t)torus_options_whole(o, key,
									1);
			s->reservations_open = false;
		} else {
			n++;
			continue;
		}
		o->item[n] = o->item[--o->used];
	}
	return rc;
}

static int read_pass_budget(struct reader *r, const struct tree *t, int64_t *out)
{
	if (t->kind == TREE_SCALAR && strcmp(t->text, "none") == 0) {
		*out = 0;
		return 0;
	}
	if (torus_value_duration(r, t, "pass_budget", out))
		return -1;
	if (*out > 0)
		return 0;
	return torus_reader_wrong(r, t->line, "pass_budget",
				  "got \"%s\": expected more than 0, or none",
				  t->text);
}

/* Check that a dry run has a journal, its only output. */
static int read_dry_run(struct reader *r, const struct tree *t,
			struct torus_live_settings *live)
{
	if (torus_value_bool(r, t, "dry_run", &live->dry_run))
		return -1;
	if (!live->dry_run || *live->journal)
		return 0;
	return torus_reader_wrong(r, t->line, "dry_run",
				  "has no journal to write to: add journal: FILE");
}

static int read_settings(struct reader *r, const struct tree *const *value,
			 struct torus_scheduler_settings *s,
			 struct torus_live_settings *live)
{
	int rc = 0;

	if (value[DISCIPLINE])
		rc |= read_discipline(r, value[DISCIPLINE], &s->discipline);
	if (value[WAIT_LIMIT])
		rc |= read_wait_limit(r, value[WAIT_LIMIT], &s->wait_limit_us);
	if (value[MEAN_HOLD])
		rc |= read_mean_hold(r, value[MEAN_HOLD], s->discipline,
				     &s->mean_hold_us);
	s->order_open = !value[ORDER];
	if (value[ORDER])
		rc |= read_order(r, value[ORDER], &s->order_by_priority);
	if (value[BACKFILL_PLACES])
		rc |= torus_value_number(r, value[BACKFILL_PLACES],
					 "backfill_places", MOST_PLACES,
					 &s->backfill_places);
	if (value[RESERVATIONS])
		rc |= read_reservations(r, value[RESERVATIONS], s);
	if (value[PASS_BUDGET])
		rc |= read_pass_budget(r, value[PASS_BUDGET],
				       &s->pass_budget_us);
	if (value[WAIT_LIMIT] && s->wait_limit_us != TORUS_NO_TIME &&
	    s->discipline)
		rc |= check_wait_limit(r, value[WAIT_LIMIT], s->discipline);
	if (value[OPTIONS] && s->discipline)
		rc |= read_options(r, value[OPTIONS], s, &live->tries);
	if (value[PLAN_FILE])
		rc |= read_path(r, value[PLAN_FILE], "plan_file",
				live->plan_file);
	if (value[JOURNAL])
		rc |= read_path(r, value[JOURNAL], "journal", live->journal);
	if (value[DRY_RUN])
		rc |= read_dry_run(r, value[DRY_RUN], live);
	return rc;
}

void torus_scheduler_read(struct reader *r, const struct tree *t)
{
	struct torus_scheduler_settings *s = &r->priv->config.scheduler;
	struct torus_live_settings *live = &r->priv->config.live;
	const struct torus_machine *m = &r->priv->config.machine;
	const struct tree *value[KEYS] = { NULL };
	struct torus_error why = { 0 };
	uint32_t line;

	torus_scheduler_defaults(s);
	s->order_open = s->reservations_open = true;
	live->tries = 4;
	if (t && (torus_value_map(r, t, "scheduler", keys, KEYS, value) ||
		  read_settings(r, value, s, live)))
		return;
	/* after an error the machine is incomplete */
	if (r->wrong || r->no_memory || !s->discipline->supports)
		return;
	line = value[DISCIPLINE] ? value[DISCIPLINE]->line : t ? t->line : 1;
	if (s->discipline->supports(m, s, &why))
		torus_reader_wrong(r, line, "discipline",
				   "\"%s\" cannot be used: %s",
				   s->discipline->name, why.text);
}
