/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `options:` of a campaign, named like the options of storus replay. Other keys are
 * options of disciplines and strategies, as in torus.yaml: of those that have them. A
 * list of values is a dimension; of the options that take lists themselves (faults,
 * trim, partition) a list of lists is one. All combinations make the values of one
 * axis, the last key changes fastest.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/read.h"
#include "config/tree.h"
#include "replay/faults.h"
#include "replay/slurm_conf.h"
#include "torus/alloc.h"
#include "trace/formats.h"
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
	MEAN_HOLD,
	PASS_BUDGET,
	LIMIT_MAX,
	CHECKPOINT,
	SLOWDOWN_BOUND,
	DEADLINE_SHARE,
	NODE_POWER,
	OUTAGE,
	FORMAT,
	STRICT,
	CHECK,
	LINK_FILE,
	SLURM_CONF,
	SHARES,
	CHOICE, /* and the next ones: torus_trace_choice_keys */
	ARRIVALS = CHOICE + 4,
	SIZE = CHOICE + 6,
	FROM,
	TO,
	KEYS
};

static const char *const keys[KEYS] = {
	"processors",    "estimate",       "overrun",        "scale",
	"round_up_pow2", "run_scale",      "laxity",         "wait_limit",
	"max_jobs",      "contention",     "faults",         "trim",
	"batches",       "mean_hold",      "pass_budget",    "limit_max",
	"checkpoint",    "slowdown_bound", "deadline_share", "node_power",
	"outage",        "format",         "strict",         "check",
	"link_file",     "slurm_conf",     "shares",         "columns",
	"cluster",       "partition",      "users",          "arrivals",
	"default_limit", "size",           "from",           "to",
};

#define MOST_SETS 4096
#define TRACE_KEYS                                                             \
	(UINT64_C(1) << MAX_JOBS | UINT64_C(1) << FORMAT |                     \
	 UINT64_C(1) << STRICT | UINT64_C(0x1ff) << CHOICE)

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

/* Return "first second" in the arena. */
static const char *campaign_join(struct campaign_reader *cr, const char *first,
				 const char *second)
{
	struct torus_text text = { 0 };
	const char *joined = NULL;

	if (!torus_text_add(&text, "%s %s", first ? first : "", second))
		joined = torus_arena_text(&cr->c->arena, text.data, text.length);
	if (!joined)
		torus_reader_no_memory(&cr->r);
	torus_text_free(&text);
	return joined;
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
				 struct torus_campaign_set *c,
				 struct arena *arena)
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
		kept = torus_arena_text(arena, text.data, text.length);
	if (rc || !text.length)
		torus_reader_wrong(r, t->line, keys[key], "expected a word");
	else if (!kept)
		torus_reader_no_memory(r);
	else if (torus_trace_choice_set(&c->input.choice, keys[key], kept, &why))
		torus_reader_wrong(r, t->line, keys[key], "%s", why.text);
	c->options.confine = c->input.choice.confine;
	torus_text_free(&text);
}

/* Read "10%" or "3600,0"; a list is A,B. */
static void read_trim(struct reader *r, const struct tree *t,
		      struct torus_campaign_set *c)
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

/* Read an option that storus replay reads as a text; a list is A,B. */
static void read_text(struct reader *r, const struct tree *t,
		      enum campaign_option key, struct torus_replay_options *o)
{
	struct torus_error why = { 0 };
	const char *word;

	for (const struct tree *item = torus_value_first(t); item;
	     item = torus_value_next(t, item))
		if (torus_value_word(r, item, keys[key], &word) == 0 &&
		    torus_replay_option_set(o, keys[key], word, &why))
			torus_reader_wrong(r, item->line, keys[key], "%s",
					   why.text);
}

static void read_format(struct reader *r, const struct tree *t,
			struct torus_trace_options *input)
{
	const struct torus_trace_format *const *all = torus_trace_formats();
	const char *words[16] = { NULL };
	int format = 0;

	for (int n = 0; n < 15 && all[n]; n++)
		words[n] = all[n]->name;
	if (read_choice(r, t, FORMAT, words, &format) == 0)
		input->format = words[format];
}

/* Add a setting of slurm.conf, or of a file that it includes. */
static int conf_add(void *text, const struct torus_slurm_pair *pair,
		    struct torus_error *err)
{
	(void)err;
	return torus_text_add(text, "%s%s=%s\n", pair->first ? "\n" : "",
			      pair->key, pair->value);
}

int campaign_conf_text(const char *path, struct torus_text *text,
		       struct torus_error *err)
{
	return torus_slurm_conf_each(path, conf_add, text, err);
}

/* Read the name of a file; its contents, of slurm.conf with those that it includes,
 * become part of the set's digest. */
static void read_file(struct campaign_reader *cr, const struct tree *t,
		      enum campaign_option key, struct torus_campaign_set *c,
		      const char **path)
{
	struct torus_text text = { 0 };
	struct torus_error why = { 0 };
	const char *word, *digest = NULL;

	if (torus_value_word(&cr->r, t, keys[key], &word))
		return;
	*path = campaign_path(cr, word);
	if (key != SLURM_CONF)
		digest = campaign_file_digest(&cr->c->arena, *path, &c->files);
	else if (campaign_conf_text(*path, &text, &why) == 0) {
		digest = c->conf_text = torus_arena_text(&cr->c->arena,
							 text.data ? text.data :
								     "",
							 text.length);
		if (!digest) {
			torus_reader_no_memory(&cr->r);
			digest = "";
		}
	}
	if (!digest)
		torus_reader_wrong(&cr->r, t->line, keys[key], "%s%s%s",
				   why.count ? why.text : *path,
				   why.count ? "" : " cannot be read: ",
				   why.count ? "" : strerror(errno));
	else
		c->digest = campaign_join(cr, c->digest, digest);
	torus_text_free(&text);
}

static void read_batches(struct reader *r, const struct tree *t,
			 struct torus_campaign_set *c)
{
	torus_value_duration(r, t, keys[BATCHES], &c->batch_us);
	if (c->batch_us < 3600 * INT64_C(1000000))
		torus_reader_wrong(r, t->line, keys[BATCHES],
				   "expected at least an hour, for example 7d");
}

static const char *const processors[] = { "requested", "used", NULL };
static const char *const estimates[] = { "requested", "run", NULL };
static const char *const overruns[] = { "raise", "kill", "extend", NULL };

static void read_one(struct campaign_reader *cr, const struct tree *t,
		     enum campaign_option key, struct torus_campaign_set *c)
{
	struct reader *r = &cr->r;
	struct torus_replay_options *o = &c->options;
	uint32_t jobs = 0;
	int word = 0;

	bool *flag = key == ROUND      ? &o->round_up_pow2 :
		     key == CONTENTION ? &o->contention :
		     key == CHECK      ? &o->check :
		     key == STRICT     ? &c->input.strict :
					 NULL;
	const char **file = key == LINK_FILE  ? &c->link_file :
			    key == SLURM_CONF ? &c->slurm_conf :
			    key == SHARES     ? &c->shares :
						NULL;
	int64_t *us = key == MEAN_HOLD  ? &c->mean_hold_us :
		      key == WAIT_LIMIT ? &c->wait_limit_us :
					  NULL;

	if (flag)
		torus_value_bool(r, t, keys[key], flag);
	if (file)
		read_file(cr, t, key, c, file);
	if (us)
		torus_value_duration(r, t, keys[key], us);
	if (flag || file || us)
		return;
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
	case FORMAT:
		read_format(r, t, &c->input);
		break;
	case FAULTS:
		read_faults(r, t, o);
		break;
	case TRIM:
		read_trim(r, t, c);
		break;
	case BATCHES:
		read_batches(r, t, c);
		break;
	case MAX_JOBS:
		torus_value_number(r, t, keys[key], UINT32_MAX, &jobs);
		c->input.max_jobs = jobs;
		break;
	default:
		if (key < CHOICE)
			read_text(r, t, key, o);
		else
			read_choice_of_trace(r, t, key, c, &cr->c->arena);
		break;
	}
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

/* An option of the file: its values. */
struct dimension {
	int key; /* enum campaign_option, or KEYS: of a policy */
	const char *name;
	const struct tree *tree;
	uint32_t values, at;
};

/* Return true if a list is one value of the option, A,B, and only a list of lists is a
 * dimension. */
static bool dimension_joins(const struct dimension *d)
{
	return d->key == FAULTS || d->key == TRIM || d->key == NODE_POWER ||
	       (d->key >= CHOICE && d->key < SIZE && d->key != ARRIVALS);
}

/* Return the i-th value. */
static const struct tree *dimension_value(const struct dimension *d, uint32_t i)
{
	const struct tree *item = d->tree;

	if (d->tree->kind == TREE_LIST && d->tree->first &&
	    (!dimension_joins(d) || d->tree->first->kind == TREE_LIST))
		for (item = d->tree->first; item && i; i--)
			item = item->next;
	return item;
}

/* Return how many values it has. */
static uint32_t dimension_count(const struct dimension *d)
{
	uint32_t n = 1;

	while (dimension_value(d, n) && dimension_value(d, n) != d->tree)
		n++;
	return n;
}

/* Options of storus replay that are lists of the campaign. */
static const char *const axes[][2] = {
	{ "torus", "machines" },
	{ "strategy", "strategies" },
	{ "discipline", "disciplines" },
	{ "load_scale", "load_scales" },
	{ "seed", "seeds" },
	{ "recorded", "disciplines" },
};

/* Return the list of the campaign that an option is, or NULL. */
static const char *option_axis(const char *key)
{
	for (size_t i = 0; i < sizeof(axes) / sizeof(*axes); i++)
		if (!strcmp(axes[i][0], key))
			return axes[i][1];
	return NULL;
}

/* Distribute the keys of `options:`. A key that resembles one of a campaign's is a
 * mistake; any other that no policy has is refused beside those that it has. Return
 * how many there are. */
static uint32_t options_sort_out(struct campaign_reader *cr,
				 const struct tree *t, struct dimension *list,
				 uint32_t most)
{
	uint32_t n = 0, of_policies = 0;

	for (const struct tree *c = t->first; c && n < most; c = c->next) {
		struct dimension d = { .name = c->key, .tree = c };
		uint32_t twice = 0;

		if (torus_option_renamed(c->key))
			torus_error_add(&cr->c->notices,
					"notice: %s:%u: %s is called %s now",
					cr->r.file, c->key_line, c->key,
					torus_option_renamed(c->key));
		while (d.key < KEYS && strcmp(keys[d.key], c->key))
			d.key++;
		while (twice < n && strcmp(list[twice].name, c->key))
			twice++;
		if (option_axis(c->key))
			torus_reader_wrong(&cr->r, c->key_line, c->key,
					   "no key of options, but a list of the campaign: %s",
					   option_axis(c->key));
		else if (d.key == KEYS && !policy_has(c->key) &&
			 torus_nearest(c->key, keys, KEYS))
			torus_reader_wrong(&cr->r, c->key_line, c->key,
					   "unknown key in options; did you mean \"%s\"?",
					   torus_nearest(c->key, keys, KEYS));
		else if (twice < n)
			torus_reader_wrong(&cr->r, c->key_line, c->key,
					   "written twice in options, first on line %u",
					   list[twice].tree->key_line);
		else if (d.key == KEYS && of_policies++ == TORUS_OPTIONS_MAX)
			torus_reader_wrong(&cr->r, c->key_line, "options",
					   "more than %d options of policies",
					   TORUS_OPTIONS_MAX);
		else if (!torus_tree_null(c))
			list[n++] = d;
	}
	return n;
}

/* The campaign's keys come first, in their order. */
static int dimension_compare(const void *a, const void *b)
{
	const struct dimension *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->tree->key_line < y->tree->key_line ? -1 : 1;
}

/* Report a value that an earlier one repeats: its cells would only be computed twice. */
static void dimension_check(struct campaign_reader *cr,
			    const struct dimension *d, uint32_t i)
{
	char text[1024], other[1024];
	size_t used = options_append(text, 0, sizeof(text), d->name,
				     dimension_value(d, i));

	for (uint32_t k = 0; k < i; k++)
		if (options_append(other, 0, sizeof(other), d->name,
				   dimension_value(d, k)) == used &&
		    used && used < sizeof(text) && !strcmp(text, other)) {
			torus_reader_wrong(&cr->r, dimension_value(d, i)->line,
					   d->name, "\"%s\" is written twice",
					   text + strlen(d->name) + 1);
			return;
		}
}

static void set_init(struct torus_campaign_set *set)
{
	*set = (struct torus_campaign_set){ .wait_limit_us = -1,
					    .mean_hold_us = -1 };
	torus_replay_options_init(&set->options);
}

static void set_read(struct campaign_reader *cr, const struct dimension *d,
		     uint32_t i, struct torus_campaign_set *set)
{
	const struct tree *value = dimension_value(d, i);

	if (d->key < KEYS)
		read_one(cr, value, (enum campaign_option)d->key, set);
	else {
		const char *word;

		/* an option of disciplines or strategies */
		if (torus_value_word(&cr->r, value, "options", &word) == 0 &&
		    torus_options_set(&set->policy, d->name, word))
			torus_reader_wrong(&cr->r, value->line, "options",
					   "\"%.40s: %.40s\" is too long for an option, or one of more than %d",
					   d->name, word, TORUS_OPTIONS_MAX);
	}
}

/* Make the set of the chosen values, and its text. */
static void set_make(struct campaign_reader *cr, const struct dimension *list,
		     uint32_t n, uint32_t line)
{
	struct torus_axis_value *v = campaign_value_add(cr, TORUS_AXIS_OPTIONS,
							line);
	uint32_t sets = cr->c->axis[TORUS_AXIS_OPTIONS].n;
	uint32_t reading = 0;
	char text[4096] = "";
	size_t used = 0;

	if (!v || TORUS_RESIZE(cr->c->set, sets)) {
		torus_reader_no_memory(&cr->r);
		return;
	}
	set_init(&cr->c->set[sets - 1]);
	for (uint32_t k = 0; k < n; k++) {
		set_read(cr, &list[k], list[k].at, &cr->c->set[sets - 1]);
		if (list[k].key < KEYS && TRACE_KEYS >> list[k].key & 1)
			reading = reading * list[k].values + list[k].at;
		used = options_append(text, used, sizeof(text), list[k].name,
				      dimension_value(&list[k], list[k].at));
	}
	cr->c->set[sets - 1].reading = reading;
	cr->c->readings = reading >= cr->c->readings ? reading + 1 :
						       cr->c->readings;
	v->word = torus_arena_text(&cr->c->arena, text, strlen(text));
	if (cr->c->set[sets - 1].digest)
		v->digest = campaign_join(cr, text, cr->c->set[sets - 1].digest);
	if (!v->word)
		torus_reader_no_memory(&cr->r);
}

/* Keep the dimensions, the last of which changes fastest. */
static void dimensions_keep(struct campaign_reader *cr,
			    const struct dimension *list, uint32_t n)
{
	struct campaign_dimension *to =
		torus_arena_alloc(&cr->c->arena, (n + 1) * sizeof(*to));

	if (!to) {
		torus_reader_no_memory(&cr->r);
		return;
	}
	cr->c->dimension = to;
	cr->c->dimensions = n;
	for (uint32_t k = n, stride = 1; k-- > 0; stride *= list[k].values)
		to[k] = (struct campaign_dimension){
			torus_arena_text(&cr->c->arena, list[k].name,
					 strlen(list[k].name)),
			list[k].values, stride
		};
	for (uint32_t k = 0; k < n; k++)
		if (!to[k].name)
			torus_reader_no_memory(&cr->r);
}

void campaign_options_read(struct campaign_reader *cr, const struct tree *t)
{
	struct dimension list[KEYS + TORUS_OPTIONS_MAX] = { { 0 } };
	struct torus_campaign_set scratch;
	const struct tree *value[KEYS];
	uint32_t n = 0, k;
	uint64_t sets = 1;

	if (t && t->kind != TREE_MAP)
		torus_value_map(&cr->r, t, "options", keys, KEYS, value);
	else if (t)
		n = options_sort_out(cr, t, list, KEYS + TORUS_OPTIONS_MAX);
	qsort(list, n, sizeof(*list), dimension_compare);
	/* each value is read alone first: an error is reported once */
	for (k = 0; k < n; k++) {
		list[k].values = dimension_count(&list[k]);
		sets *= list[k].values;
		if (sets > MOST_SETS) {
			torus_reader_wrong(&cr->r, t->line, "options",
					   "more than %d combinations",
					   MOST_SETS);
			sets = 1;
			n = k;
		}
		for (uint32_t i = 0; i < list[k].values; i++) {
			set_init(&scratch);
			set_read(cr, &list[k], i, &scratch);
			dimension_check(cr, &list[k], i);
		}
	}
	if (cr->r.wrong)
		n = 0;
	dimensions_keep(cr, list, n);
	do {
		set_make(cr, list, n, t ? t->line : 1);
		for (k = n; k > 0 && ++list[k - 1].at == list[k - 1].values; k--)
			list[k - 1].at = 0;
	} while (k > 0 && !cr->r.no_memory);
}
