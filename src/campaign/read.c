/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a campaign's file (campaign.h): its axes. Everything is checked here,
 * including files and policies, and all errors are reported, so that a long
 * computation does not end with a misspelt name.
 */
#include "config/file.h"
#include "campaign/read.h"
#include "campaign/results.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/pipe.h"
#include "request/quote.h"
#include "torus/alloc.h"
#include "torus/config.h"
#include "torus/number.h"
#include "torus/policy.h"

#define MOST_VALUES 100000
#define MOST_SEED UINT64_C(999999999999999)

enum campaign_key {
	TRACES,
	MACHINES,
	STRATEGIES,
	DISCIPLINES,
	SCALES,
	OPTIONS,
	SEEDS,
	KEYS
};

static const char *const keys[KEYS] = {
	"traces",      "machines", "strategies", "disciplines",
	"load_scales", "options",  "seeds",
};

/* Other names that are read, too. */
static const char *const old_keys[][2] = {
	{ "scales", "load_scales" },
};

/* The keys of the axes come first, in the order of the axes. */
_Static_assert((int)SEEDS == (int)TORUS_AXIS_SEED, "axes and keys");
_Static_assert((int)OPTIONS == (int)TORUS_AXIS_OPTIONS, "axes and keys");

struct torus_axis_value *campaign_value_add(struct campaign_reader *cr,
					    enum torus_axis axis, uint32_t line)
{
	struct torus_campaign *c = cr->c;
	uint32_t n = c->axis[axis].n;
	struct torus_axis_value *value;

	if (n == MOST_VALUES) {
		torus_reader_wrong(&cr->r, line, keys[axis],
				   "more than %d values", MOST_VALUES);
		return NULL;
	}
	if (TORUS_RESIZE(c->axis[axis].value, n + 1)) {
		torus_reader_no_memory(&cr->r);
		return NULL;
	}
	value = &c->axis[axis].value[c->axis[axis].n++];
	*value = (struct torus_axis_value){ .line = line };
	return value;
}

static const char *campaign_copy_text(struct campaign_reader *cr,
				      const char *text)
{
	const char *copy = torus_arena_text(&cr->c->arena, text, strlen(text));

	if (!copy)
		torus_reader_no_memory(&cr->r);
	return copy ? copy : "";
}

const char *campaign_path(struct campaign_reader *cr, const char *word)
{
	const char *slash = strrchr(cr->c->path, '/');
	char path[PATH_MAX];

	if (word[0] == '/' || !slash)
		return campaign_copy_text(cr, word);
	snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - cr->c->path),
		 cr->c->path, word);
	return campaign_copy_text(cr, path);
}

static void file_digest(struct campaign_reader *cr, struct torus_axis_value *v,
			const char *key)
{
	v->digest = campaign_file_digest(&cr->c->arena, v->path, &v->files);
	if (!v->digest)
		torus_reader_wrong(&cr->r, v->line, key, "%s cannot be read: %s",
				   v->path, strerror(errno));
}

void campaign_wrong_lines(struct campaign_reader *cr, uint32_t line,
			  const char *key, const struct torus_error *why)
{
	const char *p = why->text;

	while (*p) {
		size_t n = strcspn(p, "\n");

		torus_reader_wrong(&cr->r, line, key, "%.*s", (int)n, p);
		p += n + (p[n] == '\n');
	}
	if (why->count == 0)
		torus_reader_no_memory(&cr->r);
}

int campaign_unknown(struct reader *r, uint32_t line, const char *key,
		     const char *noun, const char *word,
		     const char *const *valid, size_t n)
{
	char where[PATH_MAX + 64];

	snprintf(where, sizeof(where), "%s:%u: %s", r->file, line, key);
	r->wrong = true;
	return torus_unknown_word(r->err, where, noun, word, valid, n);
}

static void campaign_check_trace(struct campaign_reader *cr,
				 struct torus_axis_value *v)
{
	struct torus_error why = { 0 };
	struct torus_trace *trace;

	v->path = campaign_path(cr, v->word);
	file_digest(cr, v, "traces");
	if (!v->digest)
		return;
	trace = torus_trace_open(v->path, &cr->c->set[0].input, &why);
	if (!trace)
		campaign_wrong_lines(cr, v->line, "traces", &why);
	torus_trace_close(trace);
}

/* Compute the digest of the machine's file and of the links files that it
 * names. */
static void links_digest(struct campaign_reader *cr, struct torus_axis_value *v,
			 const struct torus_config *config)
{
	struct torus_text all = { 0 };
	int rc = torus_text_add(&all, "%s", v->digest);

	for (uint32_t p = 0; !rc && p < config->machine.pods; p++) {
		const char *one = NULL;

		if (config->links[p])
			one = campaign_file_digest(&cr->c->arena,
						   config->links[p], &v->files);
		rc = torus_text_add(&all, " %s", one ? one : "");
	}
	v->digest = rc ? NULL :
			 torus_arena_text(&cr->c->arena, all.data, all.length);
	if (!v->digest)
		torus_reader_no_memory(&cr->r);
	torus_text_free(&all);
}

static void read_check_machine(struct campaign_reader *cr,
			       struct torus_axis_value *v)
{
	const char *path = campaign_path(cr, v->word);
	struct torus_error why = { 0 };
	struct torus_config *config;

	if (access(path, F_OK) == 0) {
		v->path = path;
		file_digest(cr, v, "machines");
		if (!v->digest)
			return;
	}
	config = torus_config_load(v->path ? v->path : v->word, &why);
	if (!config)
		campaign_wrong_lines(cr, v->line, "machines", &why);
	else if (v->digest)
		links_digest(cr, v, config);
	v->nodes = config ? config->machine.nodes : 0;
	torus_config_destroy(config);
}

/* A policy of one's own: its word becomes its name with the hash of its file, so that
 * another version has other results. */
static void campaign_own_policy(struct campaign_reader *cr,
				struct torus_axis_value *v, bool strategy)
{
	struct torus_scheduler_settings settings = { 0 };
	struct torus_replay_options options = { 0 };
	char name[TORUS_POLICY_NAME_SIZE];
	const struct torus_strategy *s = NULL;
	struct torus_error why = { 0 };

	v->path = torus_policy_is_path(v->word) &&
				  strncmp(v->word, TORUS_PIPE_PREFIX,
					  strlen(TORUS_PIPE_PREFIX)) ?
			  campaign_path(cr, v->word) :
			  v->word;
	if (strategy)
		s = torus_policy_load_strategy(v->path, NULL, &why);
	else
		torus_policy_set_discipline(v->path, &settings, &options, &why);
	if (s)
		v->word = campaign_copy_text(cr,
					     torus_policy_strategy_name(s,
									name));
	else if (settings.discipline)
		v->word =
			campaign_copy_text(cr,
					   torus_policy_discipline_name(settings.discipline,
									&options,
									name));
	else
		campaign_wrong_lines(cr, v->line,
				     strategy ? "strategies" : "disciplines",
				     &why);
}

static void campaign_check_strategy(struct campaign_reader *cr,
				    struct torus_axis_value *v)
{
	char where[PATH_MAX + 64];

	if (torus_policy_is_path(v->word)) {
		campaign_own_policy(cr, v, true);
		return;
	}
	if (!strcmp(v->word, TORUS_AXIS_OWN) || torus_strategy_find(v->word))
		return;
	snprintf(where, sizeof(where), "%s:%u: strategies", cr->r.file, v->line);
	cr->r.wrong = true;
	torus_unknown_strategy(cr->r.err, where, v->word);
}

static void campaign_check_discipline(struct campaign_reader *cr,
				      struct torus_axis_value *v)
{
	const struct torus_discipline *const *all = torus_disciplines();
	const char *names[64] = { NULL };
	size_t n = 0;

	if (torus_policy_is_own(v->word)) {
		campaign_own_policy(cr, v, false);
		return;
	}
	if (!strcmp(v->word, TORUS_AXIS_OWN) || torus_policy_find(v->word))
		return;
	for (; n < 63 && all[n]; n++)
		names[n] = all[n]->name;
	names[n++] = torus_discipline_recorded.name;
	campaign_unknown(&cr->r, v->line, "disciplines", "discipline", v->word,
			 names, n);
}

static void campaign_check_scale(struct campaign_reader *cr,
				 struct torus_axis_value *v)
{
	if (!torus_number_decimal(v->word, &v->number) || v->number <= 0)
		torus_reader_wrong(&cr->r, v->line, "load_scales",
				   "got \"%s\": expected a number above 0, for example 0.9",
				   v->word);
	for (const struct torus_axis_value *other =
		     cr->c->axis[TORUS_AXIS_SCALE].value;
	     other < v; other++)
		if (v->number > 0 && other->number == v->number)
			torus_reader_wrong(&cr->r, v->line, "load_scales",
					   "%s and %s are the same",
					   other->word, v->word);
}

/* A repeated value would only be computed twice. Return true for one; the word lives as
 * long as the reader. */
static bool campaign_is_repeated(struct campaign_reader *cr,
				 enum torus_axis axis, const char *word)
{
	if (torus_names_find(&cr->words[axis], word))
		return true;
	if (!torus_names_add(&cr->words[axis], word))
		torus_reader_no_memory(&cr->r);
	return false;
}

static void campaign_read_word(struct campaign_reader *cr, enum torus_axis axis,
			       const struct tree *t)
{
	static void (*const check[TORUS_AXES])(struct campaign_reader *,
					       struct torus_axis_value *) = {
		[TORUS_AXIS_TRACE] = campaign_check_trace,
		[TORUS_AXIS_MACHINE] = read_check_machine,
		[TORUS_AXIS_STRATEGY] = campaign_check_strategy,
		[TORUS_AXIS_DISCIPLINE] = campaign_check_discipline,
		[TORUS_AXIS_SCALE] = campaign_check_scale,
	};
	struct torus_axis_value *v;
	const char *word;

	if (torus_value_word(&cr->r, t, keys[axis], &word))
		return;
	v = campaign_value_add(cr, axis, t->line);
	if (!v)
		return;
	v->word = campaign_copy_text(cr, word);
	if (campaign_is_repeated(cr, axis, v->word))
		torus_reader_wrong(&cr->r, t->line, keys[axis],
				   "\"%s\" is written twice", word);
	else
		check[axis](cr, v);
}

/* Read a trace that is drawn from a model or a log. */
static void campaign_read_model(struct campaign_reader *cr, const struct tree *t)
{
	struct torus_axis_value *v = campaign_value_add(cr, TORUS_AXIS_TRACE,
							t->line);
	char text[1024] = "";
	size_t used = 0;

	if (!v)
		return;
	for (const struct tree *c = t->first; c && used < sizeof(text);
	     c = c->next) {
		char shown[TREE_SHOWN];

		bool name = !strcmp(c->key, "model");

		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s%s%s", used ? " " : "",
					 name ? "" : c->key, name ? "" : "=",
					 torus_tree_excerpt(c, shown));
	}
	v->word = campaign_copy_text(cr, text);
	if (campaign_is_repeated(cr, TORUS_AXIS_TRACE, v->word))
		torus_reader_wrong(&cr->r, t->line, "traces",
				   "\"%s\" is written twice", text);
	if (!campaign_like_read(cr, t, v))
		campaign_model_read(cr, t, v);
}

/* "7" or "1-10" */
static void campaign_read_seed(struct campaign_reader *cr, const struct tree *t)
{
	const char *p = t->kind == TREE_SCALAR ? t->text : "";
	char shown[TREE_SHOWN];
	uint64_t first, last;

	p = torus_number_scan_whole(p, MOST_SEED, &first);
	last = first;
	if (p && *p == '-')
		p = torus_number_scan_whole(p + 1, MOST_SEED, &last);
	if (!p || *p || last < first || last - first >= MOST_VALUES) {
		torus_reader_wrong(&cr->r, t->line, "seeds",
				   "got \"%s\": expected a whole number, or first-last such as 1-10",
				   torus_tree_excerpt(t, shown));
		return;
	}
	for (; first <= last && !cr->r.no_memory; first++) {
		struct torus_axis_value *v =
			campaign_value_add(cr, TORUS_AXIS_SEED, t->line);
		char word[24];

		if (!v)
			continue;
		snprintf(word, sizeof(word), "%llu", (unsigned long long)first);
		v->seed = first;
		v->word = campaign_copy_text(cr, word);
		if (campaign_is_repeated(cr, TORUS_AXIS_SEED, v->word))
			torus_reader_wrong(&cr->r, t->line, "seeds",
					   "%s is written twice", word);
	}
}

static void campaign_read_axis(struct campaign_reader *cr, enum torus_axis axis,
			       const struct tree *t)
{
	const struct tree *item = torus_value_first(t);

	if (!item)
		torus_reader_wrong(&cr->r, t->line, keys[axis],
				   "the list is empty; omit the key, or give at least one value");
	for (; item && !cr->r.no_memory; item = torus_value_next(t, item)) {
		if (axis == TORUS_AXIS_SEED)
			campaign_read_seed(cr, item);
		else if (axis == TORUS_AXIS_TRACE && item->kind == TREE_MAP)
			campaign_read_model(cr, item);
		else
			campaign_read_word(cr, axis, item);
	}
}

/* Set the default of an axis that the file omits. */
static void axis_initial(struct campaign_reader *cr, enum torus_axis axis,
			 uint32_t line)
{
	static const char *const example[] = { "[trace.swf.gz]", "[8x8x8]" };
	struct torus_axis_value *v;

	if (axis <= TORUS_AXIS_MACHINE) {
		torus_reader_wrong(&cr->r, line, keys[axis],
				   "missing; expected for example %s: %s",
				   keys[axis], example[axis]);
		return;
	}
	v = campaign_value_add(cr, axis, line);
	if (!v)
		return;
	v->word = axis <= TORUS_AXIS_DISCIPLINE ? TORUS_AXIS_OWN : "1";
	v->number = 1;
	v->seed = 1;
}

/* Beside resamples the log itself is replayed: their interval is around its value. */
static void add_log_seed(struct campaign_reader *cr, uint32_t line)
{
	struct torus_axis_value *v = NULL;

	for (uint32_t i = 0; i < cr->c->axis[TORUS_AXIS_TRACE].n && !v; i++)
		if (cr->c->axis[TORUS_AXIS_TRACE].value[i].like) {
			v = campaign_value_add(cr, TORUS_AXIS_SEED, line);
			if (v)
				v->word = TORUS_SEED_LOG;
			break;
		}
}

/* Note options that have no effect in any cell. */
static void options_notice(struct torus_campaign *c)
{
	struct torus_error first = { 0 };
	char *lines = first.text, *line;

	for (uint32_t i = 0; i < c->axis[TORUS_AXIS_OPTIONS].n; i++) {
		struct torus_error own = { 0 };

		torus_replay_options_notice(&c->set[i].options, &own);
		if (i && strcmp(own.text, first.text))
			return;
		first = own;
	}
	while (first.count && (line = strsep(&lines, "\n")))
		torus_error_add(&c->notices, "%s", line);
}

static void campaign_read_root(struct campaign_reader *cr, struct tree *root)
{
	const struct tree *value[KEYS];
	uint64_t cells = 1;

	for (struct tree *k = root->kind == TREE_MAP ? root->first : NULL; k;
	     k = k->next)
		for (size_t i = 0; i < sizeof(old_keys) / sizeof(*old_keys); i++)
			if (!strcmp(k->key, old_keys[i][0])) {
				k->key = old_keys[i][1];
				torus_error_add(&cr->c->notices,
						"notice: %s:%u: %s is called %s now",
						cr->r.file, k->key_line,
						old_keys[i][0], old_keys[i][1]);
			}
	if (torus_value_map(&cr->r, root, "the campaign", keys, KEYS, value))
		return;
	/* first: they say how the traces are read */
	campaign_options_read(cr, value[OPTIONS]);
	if (cr->r.no_memory || !cr->c->set)
		return;
	for (int a = 0; a < TORUS_AXES; a++) {
		if (a == TORUS_AXIS_OPTIONS)
			continue;
		if (value[a])
			campaign_read_axis(cr, (enum torus_axis)a, value[a]);
		else
			axis_initial(cr, (enum torus_axis)a, root->line);
	}
	if (cr->r.wrong || cr->r.no_memory)
		return;
	add_log_seed(cr, root->line);
	for (int a = 0; a < TORUS_AXES && cells <= TORUS_CAMPAIGN_MAX_CELLS; a++)
		cells *= cr->c->axis[a].n;
	cr->c->cells = (uint32_t)cells;
	if (cells > TORUS_CAMPAIGN_MAX_CELLS)
		torus_reader_wrong(&cr->r, root->line, "campaign",
				   "more than %u cells; split it",
				   TORUS_CAMPAIGN_MAX_CELLS);
	campaign_pairs_check(cr);
	options_notice(cr->c);
}

static struct torus_campaign *campaign_create(const char *path)
{
	struct torus_campaign *c = torus_alloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->path = torus_arena_text(&c->arena, path, strlen(path));
	if (c->path)
		return c;
	torus_campaign_destroy(c);
	return NULL;
}

void torus_campaign_destroy(struct torus_campaign *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->axis[TORUS_AXIS_TRACE].n; i++)
		campaign_input_free(c->axis[TORUS_AXIS_TRACE].value[i].input);
	for (int a = 0; a < TORUS_AXES; a++)
		torus_free(c->axis[a].value);
	torus_free(c->set);
	torus_arena_free(&c->arena);
	torus_free(c);
}

struct torus_campaign *torus_campaign_read(const char *path,
					   struct torus_error *err)
{
	struct campaign_reader cr = { .r = { .file = path, .err = err } };
	size_t before = err ? err->used : 0, length;
	char *text = torus_file_text(path, &length, err);

	if (!text)
		return NULL;
	cr.c = campaign_create(path);
	if (cr.c) {
		struct tree *root = torus_tree_read(&cr.r.scratch, cr.r.file,
						    text, length, cr.r.err);

		cr.r.wrong = !root;
		if (root)
			campaign_read_root(&cr, root);
		else
			cr.r.no_memory = errno == ENOMEM;
	}
	free(text);
	torus_arena_free(&cr.r.scratch);
	for (int a = 0; a < TORUS_AXES; a++)
		torus_names_free(&cr.words[a]);
	torus_errors_order(err, before, path);
	if (cr.c && !cr.r.wrong && !cr.r.no_memory)
		return cr.c;
	if (!cr.c || cr.r.no_memory)
		torus_error_add(err, "%s: out of memory", path);
	torus_campaign_destroy(cr.c);
	errno = !cr.c || cr.r.no_memory ? ENOMEM : EINVAL;
	return NULL;
}
