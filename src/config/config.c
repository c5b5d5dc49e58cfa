/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torus.yaml as a whole (torus/config.h): its two forms, files and machine
 * strings, the table of node names. O(size of the file + nodes).
 *
 * The file is a map with `toruses:`, `weights:`, `scheduler:` and `node_comment:`; or
 * Slurm's topology.yaml as it is, a list with one topology that has a torus3d
 * block.
 */
#include "torus/config.h"
#include "torus/policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "config/file.h"
#include "config/reader.h"
#include "request/quote.h"
#include "torus/alloc.h"

#define MOST_TORUSES 4096

const struct torus_strategy *torus_config_initial_strategy(const struct torus *t)
{
	return torus_strategy_find(t->flat ? "flat" : "submesh");
}

static struct config_private *config_create(const char *path)
{
	struct config_private *priv = torus_alloc(1, sizeof(*priv));

	if (!priv)
		return NULL;
	priv->config.path = torus_arena_text(&priv->arena, path, strlen(path));
	if (!priv->config.path) {
		torus_config_destroy(&priv->config);
		return NULL;
	}
	torus_error_plain(priv->config.path);
	torus_scheduler_defaults(&priv->config.scheduler);
	return priv;
}

void torus_config_destroy(struct torus_config *config)
{
	struct config_private *priv = (struct config_private *)config;

	if (!config)
		return;
	for (uint32_t p = 0; config->names && p < config->machine.pods; p++)
		torus_free(config->names[p]);
	torus_free(config->names);
	torus_free(config->links);
	torus_machine_free(&config->machine);
	torus_names_free(&priv->table);
	torus_arena_free(&priv->arena);
	torus_free(priv);
}

int torus_config_reserve(struct config_private *priv)
{
	struct torus_config *c = &priv->config;
	uint32_t pods = c->machine.pods;

	if (TORUS_RESIZE(c->names, pods + 1))
		return -1;
	c->names[pods] = NULL;
	if (TORUS_RESIZE(c->links, pods + 1))
		return -1;
	c->links[pods] = NULL;
	return 0;
}

/* Let the table's entries point to nodes instead of lines. */
static void index_names(struct config_private *priv)
{
	const struct torus_config *c = &priv->config;

	for (uint32_t p = 0; p < c->machine.pods; p++) {
		for (uint32_t i = 0;
		     c->names[p] && i < c->machine.pod[p].torus.nodes; i++) {
			struct name_entry *e;

			if (!c->names[p][i])
				continue;
			e = torus_names_find(&priv->table, c->names[p][i]);
			e->pod = p;
			e->index = i;
		}
	}
}

static void read_toruses(struct reader *r, const struct tree *t)
{
	for (const struct tree *c = torus_value_first(t); c && !r->no_memory;
	     c = torus_value_next(t, c)) {
		if (r->toruses == MOST_TORUSES) {
			torus_reader_wrong(r, c->line, "toruses",
					   "more than %d toruses", MOST_TORUSES);
			return;
		}
		torus_block_read(r, c);
	}
	if (!torus_value_first(t))
		torus_reader_wrong(r, t->line, "toruses", "the list is empty");
}

static void read_map(struct reader *r, const struct tree *root)
{
	static const char *const keys[] = { "toruses", "scheduler",
					    "node_comment", "weights",
					    "rank_order" };
	const struct tree *value[5];

	if (torus_value_map(r, root, "torus.yaml", keys, 5, value))
		return;
	if (value[4]) {
		char shown[TREE_SHOWN];
		struct torus_error ignored = { 0 };

		if (value[4]->kind != TREE_SCALAR ||
		    torus_rank_order_parse("", value[4]->text,
					   &r->priv->config.live.rank_order,
					   &ignored)) {
			torus_reader_wrong(r, value[4]->line, "rank_order",
					   "got \"%s\": expected row-major, snake, morton or hilbert",
					   torus_tree_excerpt(value[4], shown));
		}
	}
	if (value[2])
		torus_value_bool(r, value[2], "node_comment",
				 &r->priv->config.live.node_comment);
	if (value[0])
		read_toruses(r, value[0]);
	else
		torus_reader_wrong(r, root->line, "toruses",
				   "missing; it lists the machine's toruses, each with name, dims and nodes");
	if (value[3] && !r->no_memory) {
		if (!r->wrong)
			index_names(r->priv);
		torus_config_read_weights(r, value[3], !r->wrong);
	}
	if (!r->no_memory)
		torus_scheduler_read(r, value[1]);
}

/* Return the value of a key of a map, or NULL. */
static const struct tree *config_lookup(const struct tree *map, const char *key)
{
	if (map->kind != TREE_MAP)
		return NULL;
	for (const struct tree *c = map->first; c; c = c->next) {
		if (strcmp(c->key, key) == 0)
			return c;
	}
	return NULL;
}

/* Name a topology of another kind, which is not read. */
static void topology_notice(struct reader *r, const struct tree *topology)
{
	const struct tree *name = config_lookup(topology, "topology");

	torus_reader_notice(r, topology->line, "topology",
			    "\"%s\" is not read: it has no torus3d block",
			    name && name->text ? name->text : "");
}

/* Read topology.yaml: only its torus3d blocks are read. */
static void read_topologies(struct reader *r, const struct tree *root)
{
	static const char *const keys[] = { "toruses" };
	const struct tree *value[1];
	uint32_t blocks = 0;

	for (const struct tree *c = root->first; c; c = c->next)
		blocks += config_lookup(c, "torus3d") != NULL;
	if (!blocks) {
		for (const struct tree *c = root->first; c; c = c->next)
			topology_notice(r, c);
		torus_reader_wrong(r, root->line, "torus3d",
				   "missing; expected a map with toruses: or, as in topology.yaml, a list with a torus3d: block");
		return;
	}
	r->several = blocks > 1;
	for (const struct tree *c = root->first; c && !r->no_memory;
	     c = c->next) {
		const struct tree *block = config_lookup(c, "torus3d");

		if (!block) {
			topology_notice(r, c);
			continue;
		}
		for (const struct tree *k = c->first; k; k = k->next)
			if (k != block && strcmp(k->key, "topology") != 0 &&
			    strcmp(k->key, "cluster_default") != 0)
				torus_reader_notice(r, k->key_line, k->key,
						    "is not read");
		if (torus_value_map(r, block, "torus3d", keys, 1, value))
			continue;
		if (value[0])
			read_toruses(r, value[0]);
		else
			torus_reader_wrong(r, block->line, "toruses",
					   "missing in torus3d");
	}
	if (!r->no_memory)
		torus_scheduler_read(r, NULL);
}

static struct torus_config *config_parse(const char *name, const char *text,
					 size_t length, const char *policies,
					 struct torus_error *err)
{
	struct reader r = { .file = name,
			    .policies = policies,
			    .err = err,
			    .priv = config_create(name) };
	size_t before = err ? err->used : 0;

	if (!r.priv)
		r.no_memory = true;
	else {
		const struct tree *root = torus_tree_read(&r.scratch, r.file,
							  text, length, r.err);

		if (!root) {
			r.no_memory = errno == ENOMEM;
			r.wrong = true;
		} else if (root->kind == TREE_LIST) {
			read_topologies(&r, root);
		} else {
			read_map(&r, root);
		}
	}
	torus_names_free(&r.torus_names);
	torus_arena_free(&r.scratch);
	torus_errors_order(err, before, name);
	if (r.no_memory)
		torus_error_add(err, "%s: out of memory", name);
	if (r.no_memory || r.wrong) {
		if (r.priv)
			torus_config_destroy(&r.priv->config);
		errno = r.no_memory ? ENOMEM : EINVAL;
		return NULL;
	}
	index_names(r.priv);
	for (uint32_t p = 0; p < r.priv->config.machine.pods; p++) {
		if (r.priv->config.links[p])
			torus_config_allow_links(&r.priv->config);
	}
	return &r.priv->config;
}

struct torus_config *torus_config_parse(const char *name, const char *text,
					size_t length, struct torus_error *err)
{
	return config_parse(name, text, length, NULL, err);
}

struct torus_config *torus_config_read(const char *path, struct torus_error *err)
{
	return torus_config_read_live(path, NULL, err);
}

struct torus_config *torus_config_read_live(const char *path,
					    const char *policies,
					    struct torus_error *err)
{
	struct torus_config *config;
	size_t length;
	char *text = torus_file_text(path, &length, err);

	if (!text)
		return NULL;
	config = config_parse(path, text, length, policies, err);
	torus_free(text);
	if (config &&
	    torus_config_read_links(config, &config->machine.links, err)) {
		torus_config_destroy(config);
		return NULL;
	}
	return config;
}

struct torus_config *torus_config_string(const char *machine,
					 struct torus_error *err)
{
	struct config_private *priv;
	struct torus t;

	if (torus_parse(&t, machine, err))
		return NULL;
	priv = config_create(machine);
	if (!priv)
		return NULL;
	if (torus_config_reserve(priv) ||
	    torus_machine_init(&priv->config.machine, &t,
			       torus_config_initial_strategy(&t), NULL, err)) {
		torus_config_destroy(&priv->config);
		return NULL;
	}
	return &priv->config;
}

struct torus_config *torus_config_load(const char *what, struct torus_error *err)
{
	struct torus_config *config;
	struct torus_error why = { 0 };
	struct stat st;

	if (stat(what, &st) == 0)
		return torus_config_read(what, err);
	config = torus_config_string(what, &why);
	if (config)
		return config;
	if (why.count == 0)
		torus_error_add(err, "%s: out of memory", what);
	else if (strpbrk(what, "/.") || !strpbrk(what, "0123456789"))
		torus_error_add(err,
				"%s: no such file, nor a machine such as 8x8x8, 8x8x8:TTM, 2^8 or flat:128",
				what);
	else
		torus_error_add(err, "%s", why.text);
	errno = why.count ? EINVAL : ENOMEM;
	return NULL;
}

static int replace_strategy(struct torus_pod *pod,
			    const struct torus_strategy *s,
			    struct torus_error *err)
{
	static const struct torus_options none;
	struct torus_error why = { 0 };
	char machine[TORUS_STRING_SIZE];

	if (pod->strategy[0] == s)
		return 0;
	if (torus_machine_able(s, &pod->torus, &none, &why)) {
		torus_format(&pod->torus, machine, sizeof(machine));
		return torus_error_add(err,
				       "strategy: \"%s\" cannot serve %s (%s): %s",
				       s->name, pod->torus.name, machine,
				       why.text);
	}
	if (pod->links && torus_machine_links_able(s, &pod->torus, &why))
		return torus_error_add(err, "strategy: %s", why.text);
	/* Each strategy occurs once: swap if it was allowed already. */
	for (uint32_t i = 1; i < pod->strategies; i++) {
		if (pod->strategy[i] == s)
			pod->strategy[i] = pod->strategy[0];
	}
	pod->strategy[0] = s;
	pod->options = none;
	return 0;
}

int torus_config_strategy(struct torus_config *config, const char *name,
			  struct torus_error *err)
{
	bool path = torus_policy_is_path(name);
	const struct torus_strategy *s =
		path ? torus_policy_load_strategy(name, NULL, err) :
		       torus_strategy_find(name);
	int rc = 0;

	if (!s)
		return path ? -1 : torus_unknown_strategy(err, "strategy", name);
	for (uint32_t p = 0; p < config->machine.pods; p++)
		rc |= replace_strategy(&config->machine.pod[p], s, err);
	return rc;
}

/* Set an option that the help table has. */
static int option_put(struct torus_options *options,
		      const struct torus_option_help *help, const char *owner,
		      const char *key, const char *value,
		      struct torus_error *err)
{
	struct torus_options one = { 0 };

	if (torus_options_set(&one, key, value))
		return torus_error_add(err,
				       "%s: option %s: \"%.40s\" is too long",
				       owner, key, value);
	if (torus_options_check(&one, help, owner, err))
		return -1;
	return torus_options_set(options, key, value) ?
		       torus_error_add(err, "%s: more than %d options", owner,
				       TORUS_OPTIONS_MAX) :
		       0;
}

int torus_config_option(struct torus_config *config, const char *key,
			const char *value, bool *had, struct torus_error *err)
{
	struct torus_scheduler_settings *s = &config->scheduler;
	const struct torus_discipline *d = s->discipline;
	struct torus_options reserved = { 0 };
	int rc = 0;

	*had = torus_option_find(d->options, key) != NULL;
	if (*had && strcmp(key, "reservations") == 0) { /* a setting, too */
		rc = option_put(&reserved, d->options, d->name, key, value, err);
		s->reservations = (uint32_t)torus_options_whole(&reserved, key,
								1);
		s->reservations_open = false;
	} else if (*had) {
		rc = option_put(&s->options, d->options, d->name, key, value,
				err);
	}
	for (uint32_t p = 0; p < config->machine.pods; p++) {
		struct torus_pod *pod = &config->machine.pod[p];
		const struct torus_strategy *strategy = pod->strategy[0];

		if (!torus_option_find(strategy->options, key))
			continue;
		*had = true;
		rc |= option_put(&pod->options, strategy->options,
				 strategy->name, key, value, err);
	}
	if (rc)
		errno = EINVAL;
	return rc;
}

int torus_config_option_unknown(const struct torus_config *config,
				const char *key, struct torus_error *err)
{
	const struct torus_discipline *d = config->scheduler.discipline;
	const struct torus_machine *m = &config->machine;
	char text[1024], keys[512];
	size_t used;

	torus_options_list(d->options, keys, sizeof(keys));
	used = (size_t)snprintf(text, sizeof(text), "%s has %s", d->name,
				*keys ? keys : "none");
	for (uint32_t p = 0; p < m->pods && used < sizeof(text); p++) {
		const struct torus_strategy *strategy = m->pod[p].strategy[0];

		if (p > 0 && strategy == m->pod[p - 1].strategy[0])
			continue;
		torus_options_list(strategy->options, keys, sizeof(keys));
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "; %s has %s", strategy->name,
					 *keys ? keys : "none");
	}
	errno = EINVAL;
	return torus_error_add(err,
			       "option \"%.64s\" is unknown to discipline and strategy: %s",
			       key, text);
}

uint32_t torus_config_node(const struct torus_config *config, const char *name)
{
	const struct config_private *priv =
		(const struct config_private *)config;
	const struct name_entry *e = torus_names_find(&priv->table, name);

	return e ? torus_machine_bit(&config->machine, e->pod, e->index) :
		   UINT32_MAX;
}
