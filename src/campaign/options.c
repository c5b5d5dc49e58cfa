/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `options:` of a campaign: settings for all its cells, named like the options
 * of storus replay. Other keys are options of disciplines and strategies, as in
 * torus.yaml: of those that have them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/read.h"
#include "config/tree.h"
#include "replay/faults.h"
#include "request/quote.h"
#include "torus/discipline.h"
#include "torus/number.h"

enum campaign_option {
	PROCESSORS,
	ESTIMATE,
	OVERRUN,
	SCALE,
	ROUND,
	RUN_SCALE,
	LAXITY,
	WAIT_LIMIT,
	MAX_JOBS,
	CONTENTION,
	FAULTS,
	TRIM,
	BATCHES,
	CHOICE, /* and the next ones: torus_trace_choice_keys */
	KEYS = CHOICE + 8
};

static const char *const keys[KEYS] = {
	"processors", "estimate", "overrun",       "scale",    "round_up_pow2",
	"run_scale",  "laxity",   "wait_limit",    "max_jobs", "contention",
	"faults",     "trim",     "batches",       "columns",  "cluster",
	"partition",  "arrivals", "default_limit", "size",     "from",
	"to",
};

static int read_choice(struct reader *r, const struct tree *t,
		       enum campaign_option key, const char *const *words,
		       int *out)
{
	const char *word;
	int n = 0;

	if (torus_value_word(r, t, keys[key], &word))
		return -1;
	for (; words[n]; n++) {
		if (!strcmp(words[n], word)) {
			*out = n;
			return 0;
		}
	}
	return campaign_unknown(r, t->line, keys[key], "value", word, words,
				(size_t)n);
}

static int read_factor(struct reader *r, const struct tree *t,
		       enum campaign_option key, bool above, double *out)
{
	char shown[TREE_SHOWN];
	double f;

	if (t->kind == TREE_SCALAR && torus_number_decimal(t->text, &f) &&
	    isfinite(f) && (above ? f > 0 : f >= 0)) {
		*out = f;
		return 0;
	}
	return torus_reader_wrong(r, t->line, keys[key],
				  "got \"%s\": expected a number %s 0",
				  torus_tree_excerpt(t, shown),
				  above ? "above" : "from");
}

/* Read one fault rate, or a list of two: of nodes and of links. */
static void read_faults(struct reader *r, const struct tree *t,
			struct torus_replay_options *o)
{
	for (const struct tree *item = torus_value_first(t); item;
	     item = torus_value_next(t, item)) {
		struct torus_error why = { 0 };
		const char *word;

		if (torus_value_word(r, item, keys[FAULTS], &word) == 0 &&
		    torus_fault_rate_parse(word, o->faults, &why))
			torus_reader_wrong(r, item->line, keys[FAULTS], "%s",
					   why.text);
	}
}

/* Append KEY=VALUE; the values of a list are separated by '+'. */
static size_t options_append(char *text, size_t used, size_t size,
			     const char *key, const struct tree *t)
{
	const char *lead = key;

	for (const struct tree *item = torus_value_first(t);
	     item && used < size; item = torus_value_next(t, item)) {
		if (item->kind != TREE_SCALAR)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s%s%s",
					 lead == key && used ? " " : "",
					 lead == key ? key : "",
					 lead == key ? "=" : "+", item->text);
		lead = "+";
	}
	return used;
}

/* Read an option that says which jobs of the traces are used; a list is A,B. */
static void read_choice_of_trace(struct reader *r, const struct tree *t,
				 enum campaign_option key,
				 struct torus_campaign *c)
{
	struct torus_text text = { 0 };
	struct torus_error why = { 0 };
	const char *kept = NULL;
	int rc = 0;

	for (const struct tree *item = torus_value_first(t); item && !rc;
	     item = torus_value_next(t, item))
		rc = item->kind != TREE_SCALAR ?
			     -1 :
			     torus_text_add(&text, "%s%s",
					    text.length ? "," : "", item->text);
	if (!rc && text.length)
		kept = torus_arena_text(&c->arena, text.data, text.length);
	if (rc || !text.length)
		torus_reader_wrong(r, t->line, keys[key], "expected a word");
	else if (!kept)
		torus_reader_no_memory(r);
	else if (torus_trace_choice_set(&c->choice, keys[key], kept, &why))
		torus_reader_wrong(r, t->line, keys[key], "%s", why.text);
	torus_text_free(&text);
}

/* Read "10%" or "3600,0"; a list is A,B. */
static void read_trim(struct reader *r, const struct tree *t,
		      struct torus_campaign *c)
{
	char text[64] = "", shown[TREE_SHOWN];

	for (const struct tree *item = torus_value_first(t); item;
	     item = torus_value_next(t, item))
		if (item->kind == TREE_SCALAR && strlen(item->text) < 30 &&
		    strlen(text) < 32)
			sprintf(text + strlen(text), "%s%s", *text ? "," : "",
				item->text);
	c->trimmed = torus_trim_parse(text, &c->trim);
	if (!c->trimmed)
		torus_reader_wrong(r, t->line, keys[TRIM],
				   "got \"%s\": expected seconds or per cent, for example 3600, 10%% or \"3600,0\"",
				   torus_tree_excerpt(t, shown));
}

static void read_one(struct reader *r, const struct tree *t,
		     enum campaign_option key, struct torus_campaign *c)
{
	static const char *const processors[] = { "requested", "used", NULL };
	static const char *const estimates[] = { "requested", "run", NULL };
	static const char *const overruns[] = { "raise", "kill", "extend",
						NULL };
	struct torus_replay_options *o = &c->options;
	uint32_t jobs = 0;
	int word = 0;

	switch (key) {
	case PROCESSORS:
		read_choice(r, t, key, processors, &word);
		o->processors_used = word == 1;
		break;
	case ESTIMATE:
		read_choice(r, t, key, estimates, &word);
		o->estimate_run = word == 1;
		break;
	case OVERRUN:
		read_choice(r, t, key, overruns, &word);
		o->overrun = (enum torus_overrun)word;
		break;
	case SCALE:
		read_factor(r, t, key, true, &o->scale);
		break;
	case RUN_SCALE:
		read_factor(r, t, key, true, &o->run_scale);
		break;
	case LAXITY:
		read_factor(r, t, key, false, &o->laxity);
		break;
	case ROUND:
		torus_value_bool(r, t, keys[key], &o->round_up_pow2);
		break;
	case CONTENTION:
		torus_value_bool(r, t, keys[key], &o->contention);
		break;
	case FAULTS:
		read_faults(r, t, o);
		break;
	case TRIM:
		read_trim(r, t, c);
		break;
	case BATCHES:
		torus_value_duration(r, t, keys[key], &c->batch_us);
		if (c->batch_us < 3600 * INT64_C(1000000))
			torus_reader_wrong(r, t->line, keys[key],
					   "expected at least an hour, for example 7d");
		break;
	case WAIT_LIMIT:
		torus_value_duration(r, t, keys[key], &c->wait_limit_us);
		break;
	case MAX_JOBS:
		torus_value_number(r, t, keys[key], UINT32_MAX, &jobs);
		c->max_jobs = jobs;
		break;
	default:
		read_choice_of_trace(r, t, key, c);
		break;
	}
}

/* Read an option of disciplines or strategies. */
static void policy_add(struct reader *r, const struct tree *t,
		       struct torus_options *policy)
{
	const char *word;

	if (torus_options_get(policy, t->key))
		torus_reader_wrong(r, t->key_line, "options",
				   "\"%s\" is written twice", t->key);
	else if (torus_value_word(r, t, "options", &word) == 0 &&
		 torus_options_set(policy, t->key, word))
		torus_reader_wrong(r, t->key_line, "options",
				   "\"%.40s: %.40s\" is too long for an option, or one of more than %d",
				   t->key, word, TORUS_OPTIONS_MAX);
}

/* Return true if some discipline or strategy has the option. */
static bool policy_has(const char *key)
{
	const struct torus_discipline *const *d = torus_disciplines();
	const struct torus_strategy *const *s = torus_strategies();

	while (*d && !torus_option_find((*d)->options, key))
		d++;
	while (*s && !torus_option_find((*s)->options, key))
		s++;
	return *d || *s;
}

/* Distribute the keys of `options:`. A key that resembles one of a campaign's is a
 * mistake; any other that no policy has is refused beside those that it has. */
static void options_sort_out(struct campaign_reader *cr, const struct tree *t,
			     const struct tree **value)
{
	for (const struct tree *c = t->first; c; c = c->next) {
		int k = 0;

		while (k < KEYS && strcmp(keys[k], c->key))
			k++;
		if (k == KEYS && !policy_has(c->key) &&
		    torus_nearest(c->key, keys, KEYS))
			torus_reader_wrong(&cr->r, c->key_line, c->key,
					   "unknown key in options; did you mean \"%s\"?",
					   torus_nearest(c->key, keys, KEYS));
		else if (k == KEYS)
			policy_add(&cr->r, c, &cr->c->policy);
		else if (value[k])
			torus_reader_wrong(&cr->r, c->key_line, c->key,
					   "written twice in options, first on line %u",
					   value[k]->key_line);
		else if (!torus_tree_null(c))
			value[k] = c;
	}
}

void campaign_options_read(struct campaign_reader *cr, const struct tree *t)
{
	const struct tree *value[KEYS] = { NULL };
	const struct torus_options *policy = &cr->c->policy;
	char text[4096] = "", *kept;
	size_t used = 0;

	if (t->kind != TREE_MAP) {
		torus_value_map(&cr->r, t, "options", keys, KEYS, value);
		return;
	}
	options_sort_out(cr, t, value);
	for (int k = 0; k < KEYS; k++) {
		if (!value[k])
			continue;
		read_one(&cr->r, value[k], (enum campaign_option)k, cr->c);
		used = options_append(text, used, sizeof(text), keys[k],
				      value[k]);
	}
	for (uint32_t i = 0; i < policy->used && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s=%s", used ? " " : "",
					 policy->item[i].key,
					 policy->item[i].value);
	kept = torus_arena_text(&cr->c->arena, text, strlen(text));
	if (kept)
		cr->c->option_text = kept;
	else
		torus_reader_no_memory(&cr->r);
}
