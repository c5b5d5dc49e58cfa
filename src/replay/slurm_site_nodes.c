/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of slurm.conf: what NodeName lines say of them, the CPUs, memory and GPUs that
 * jobs share with select/cons_tres, and the nodes of each partition on the machine, by
 * name or in the order of slurm.conf. A name may be that of a NodeSet.
 */
#include "replay/slurm_site_nodes.h"

#include <stdio.h>
#include <string.h>

#include "config/hostlist.h"
#include "torus/alloc.h"
#include "torus/bits.h"
#include "torus/number.h"

static const struct site_lack node_lacks[] = {
	{ "State", "|unknown|idle|up|cloud|" },
	{ "Weight", "|1|" },
	{ NULL, NULL },
};

/* Where jobs share nodes, also these. */
static const struct site_lack parts_node_lacks[] = {
	{ "CoreSpecCount", "|0|" },
	{ "CpuSpecList", "||" },
	{ "RestrictedCoresPerGPU", "|0|" },
	{ NULL, NULL },
};

/* Copy a value, until the reader is freed. -1 with ENOMEM. */
static int site_keep(struct site_reader *r, const char *value, const char **to)
{
	if (TORUS_GROW(r->text, r->text_room, r->texts + 1))
		return -1;
	*to = r->text[r->texts] = strdup(value);
	return *to ? (r->texts++, 0) : -1;
}

static int site_name(void *arg, const char *name)
{
	struct site_reader *r = arg;

	if (TORUS_GROW(r->name, r->name_room, r->names + 1))
		return -1;
	r->name[r->names] = strdup(name);
	return r->name[r->names] ? (r->names++, 0) : -1;
}

int slurm_site_nodes_begin(struct site_reader *r,
			   const struct torus_slurm_pair *pair,
			   struct torus_error *err)
{
	struct torus_error why = { 0 };
	uint32_t count;

	if (TORUS_GROW(r->line, r->line_room, r->lines + 1))
		return -1;
	r->line[r->lines] = r->line_default;
	r->line[r->lines].first = r->line[r->lines].end = r->names;
	r->lines++;
	if (!strcasecmp(pair->value, "DEFAULT"))
		return 0;
	if (torus_hostlist_count(pair->value, &count, &why))
		return torus_error_add(err, "%s:%u: NodeName: %s", pair->file,
				       pair->line, why.text);
	if (torus_hostlist_each(pair->value, site_name, r))
		return -1;
	r->line[r->lines - 1].end = r->names;
	return 0;
}

/* Count the GPUs of Gres=gpu:a100:4,gpu:2(S:0-1). Return true if something of it is not
 * modelled: whole nodes, other resources, several types of GPUs. */
static bool site_gres(struct site_reader *r, const char *text, uint64_t *gpus)
{
	bool other = !r->by_cpus;

	*gpus = 0;
	for (const char *p = text; p && *p; p = strchr(p, ',')) {
		char word[64], *at, *parts[3] = { NULL };
		uint32_t n = 0;
		uint64_t count = 1;

		p += *p == ',';
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(p, ",("), p);
		at = word;
		while (n < 3 && (parts[n] = strsep(&at, ":")))
			n++;
		if (strcasecmp(word, "gpu")) {
			other = true;
			continue;
		}
		if (n > 1 &&
		    torus_number_whole(parts[n - 1], 0, UINT16_MAX, &count))
			n--;
		*gpus += count;
		if (n > 1 && !*r->gpu_type)
			snprintf(r->gpu_type, sizeof(r->gpu_type), "%.31s",
				 parts[1]);
		other |= n > 1 && strcmp(r->gpu_type, parts[1]) != 0;
	}
	return other;
}

int slurm_site_nodes_set(struct site_reader *r,
			 const struct torus_slurm_pair *pair,
			 struct torus_error *err)
{
	struct site_node *n = &r->line[r->lines - 1];
	const struct {
		const char *name;
		uint64_t most, *to;
	} keys[] = {
		{ "CPUs", UINT16_MAX, &n->cpus },
		{ "Procs", UINT16_MAX, &n->cpus },
		{ "Boards", UINT16_MAX, &n->boards },
		{ "Sockets", UINT16_MAX, &n->sockets },
		{ "SocketsPerBoard", UINT16_MAX, &n->sockets_per_board },
		{ "CoresPerSocket", UINT16_MAX, &n->cores },
		{ "ThreadsPerCore", UINT16_MAX, &n->threads },
		{ "RealMemory", UINT32_MAX, &n->memory_mb },
		{ "MemSpecLimit", UINT32_MAX, &n->kept_mb },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strcasecmp(keys[i].name, pair->key) != 0)
			continue;
		if (slurm_site_number(pair->value, keys[i].most, keys[i].to))
			*keys[i].to += !*keys[i].to &&
				       keys[i].most == UINT16_MAX;
		else if (r->by_cpus)
			rc = slurm_site_wrong(pair, pair->key, pair->value,
					      "a whole number", err);
	}
	if ((!strcasecmp(pair->key, "Feature") ||
	     !strcasecmp(pair->key, "Features")) &&
	    site_keep(r, pair->value, &n->features))
		return -1;
	if (!strcasecmp(pair->key, "Gres") && *pair->value &&
	    site_gres(r, pair->value, &n->gpus))
		rc = slurm_site_lacks(r, "NodeName ", "Gres");
	if (n->first == n->end)
		r->line_default = *n;
	if (rc == 0 && r->by_cpus)
		rc = slurm_site_check_lacks(r, parts_node_lacks, "NodeName ",
					    pair);
	return rc ? rc :
		    slurm_site_check_lacks(r, node_lacks, "NodeName ", pair);
}

/* Sets of nodes */

int slurm_site_set_begin(struct site_reader *r,
			 const struct torus_slurm_pair *pair)
{
	if (TORUS_GROW(r->set, r->set_room, r->sets + 1))
		return -1;
	r->set[r->sets] = (struct site_set){ 0 };
	return site_keep(r, pair->value, &r->set[r->sets++].name);
}

int slurm_site_set_set(struct site_reader *r,
		       const struct torus_slurm_pair *pair)
{
	struct site_set *set = &r->set[r->sets - 1];

	if (!strcasecmp(pair->key, "Nodes"))
		return site_keep(r, pair->value, &set->nodes);
	if (!strcasecmp(pair->key, "Feature"))
		return site_keep(r, pair->value, &set->feature);
	return 0;
}

/* Return true if the word is one of the list. */
static bool site_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list && *list; list += strspn(list, ",")) {
		size_t n = strcspn(list, ",");

		if (n == length && !strncmp(list, word, n))
			return true;
		list += n;
	}
	return false;
}

/* Nodes of partitions */

struct site_map {
	const struct site_reader *reader;
	const struct torus_config *config;
	const struct name_table *order; /* node -> its position in slurm.conf */
	const struct torus_slurm_node *node; /* by position, if jobs share them */
	uint64_t *nodes;
	uint32_t set;
	char missing[80]; /* first name that slurm.conf does not have, or "" */
};

/* Return false if slurm.conf has no such node. */
static bool site_map_node(struct site_map *m, const char *name)
{
	uint32_t bit;

	if (m->order) {
		const struct name_entry *e = torus_names_find(m->order, name);

		bit = e ? e->index : UINT32_MAX;
		if (e && m->node) {
			torus_bits_set_range(m->nodes, m->node[bit].first,
					     m->node[bit].cpus);
			m->set++;
			return true;
		}
	} else {
		bit = torus_config_node(m->config, name);
	}
	if (bit != UINT32_MAX && !torus_bits_test(m->nodes, bit)) {
		torus_bits_set(m->nodes, bit);
		m->set++;
	}
	return bit != UINT32_MAX || !m->order;
}

static int site_map_plain(void *arg, const char *name)
{
	site_map_node(arg, name);
	return 0;
}

/* A node or a NodeSet. */
static int site_map_name(void *arg, const char *name)
{
	struct site_map *m = arg;
	const struct site_reader *r = m->reader;

	for (uint32_t k = 0; k < r->sets; k++) {
		const struct site_set *set = &r->set[k];

		if (strcmp(set->name, name) != 0)
			continue;
		if (set->nodes)
			torus_hostlist_each(set->nodes, site_map_plain, m);
		for (uint32_t i = 0; set->feature && i < r->lines; i++) {
			const struct site_node *line = &r->line[i];

			if (!site_has(line->features, set->feature))
				continue;
			for (uint32_t n = line->first; n < line->end; n++)
				site_map_node(m, r->name[n]);
		}
		return 0;
	}
	if (!site_map_node(m, name) && !*m->missing)
		snprintf(m->missing, sizeof(m->missing), "%s", name);
	return 0;
}

/* Return true if slurm.conf's nodes are the machine's, in order. */
static bool site_in_order(const struct torus_config *c)
{
	return !c->names || !c->names[0];
}

int slurm_site_nodes_of(struct site_reader *r, struct site_partition *p,
			const struct name_table *order, struct torus_error *err)
{
	const struct torus_machine *machine = &r->config->machine;
	struct torus_error why = { 0 };
	struct site_map m = { .reader = r,
			      .config = r->config,
			      .order = site_in_order(r->config) ? order : NULL,
			      .node = r->site->slurm.node };
	uint32_t count;

	if (p->nodes && !strcasecmp(p->nodes, "ALL"))
		return 0;
	if (!p->nodes || !*p->nodes) {
		p->is.nodes = torus_alloc(machine->words, sizeof(uint64_t));
		return !p->is.nodes ?
			       -1 :
			       torus_text_add(&r->site->assumed,
					      "PartitionName %s has no Nodes: none of its jobs starts\n",
					      p->is.name);
	}
	if (torus_hostlist_count(p->nodes, &count, &why))
		return torus_error_add(err, "%s:%u: Nodes: %s", p->file,
				       p->line, why.text);
	if (m.order && !m.node &&
	    (r->names != machine->nodes || machine->pods != 1))
		return torus_error_add(err,
				       "%s:%u: Nodes: slurm.conf has %u nodes, the machine of --torus %u: they must be as many, or --torus a file that names its nodes",
				       p->file, p->line, r->names,
				       machine->nodes);
	m.nodes = torus_alloc(machine->words, sizeof(*m.nodes));
	if (!m.nodes)
		return -1;
	torus_hostlist_each(p->nodes, site_map_name, &m);
	p->is.nodes = m.nodes;
	if (*m.missing)
		return torus_error_add(err,
				       "%s:%u: Nodes: got \"%.60s\": slurm.conf has no node %s",
				       p->file, p->line, p->nodes, m.missing);
	if (m.set)
		return 0;
	return torus_error_add(err,
			       "%s:%u: Nodes: got \"%.60s\": the machine has none of these nodes",
			       p->file, p->line, p->nodes);
}

/* Set what a node's line does not state, as Slurm does. Return true if it states CPUs that
 * match neither its sockets, cores nor threads: Slurm then takes its threads. */
static bool site_node_complete(struct site_node *n)
{
	uint64_t core, cpus = n->cpus;

	n->boards += !n->boards;
	n->cores += !n->cores;
	n->threads += !n->threads;
	core = n->cores * n->threads; /* of a socket */
	if (n->sockets_per_board)
		n->sockets = n->boards * n->sockets_per_board;
	else if (!n->sockets)
		n->sockets = cpus && cpus % core == 0 ? cpus / core : n->boards;
	if (cpus != n->sockets && cpus != n->sockets * n->cores)
		n->cpus = n->sockets * core;
	n->memory_mb += !n->memory_mb; /* Slurm's default: 1 */
	if (n->kept_mb >= n->memory_mb)
		n->kept_mb = 0;
	return cpus && cpus != n->cpus;
}

bool slurm_site_shares(const struct site_reader *r)
{
	const struct torus_slurm *s = &r->site->slurm;
	bool shares = false;

	for (uint32_t i = 0; i < s->partitions; i++)
		shares |= !s->partition[i].exclusive;
	for (uint32_t k = 0; shares && k < r->lines; k++) {
		struct site_node n = r->line[k];

		site_node_complete(&n);
		if (n.cpus > 1 && n.end > n.first)
			return true;
	}
	return false;
}

int slurm_site_nodes_share(struct site_reader *r, const char *conf,
			   struct torus_error *err)
{
	const struct torus_machine *machine = &r->config->machine;
	struct torus_slurm *s = &r->site->slurm;
	uint64_t cpus = 0;

	if (!r->by_cpus)
		return 0;
	if (!r->names)
		return torus_error_add(err,
				       "%s: NodeName: expected the nodes, whose CPUs jobs share with --size cpus",
				       conf);
	s->node = torus_alloc(r->names, sizeof(*s->node));
	if (!s->node)
		return -1;
	for (uint32_t k = 0; k < r->lines; k++) {
		struct site_node n = r->line[k];
		bool reset = site_node_complete(&n);
		uint64_t cores = n.sockets * n.cores;

		if (reset && n.end > n.first &&
		    torus_text_add(&r->site->assumed,
				   "NodeName %s: CPUs=%llu match no Sockets, cores or threads: Slurm takes %llu\n",
				   r->name[n.first],
				   (unsigned long long)r->line[k].cpus,
				   (unsigned long long)n.cpus))
			return -1;
		for (uint32_t i = n.first; i < n.end; i++) {
			uint64_t units = r->by_socket ? n.sockets : cores;

			s->node[i] = (struct torus_slurm_node){
				.first = (uint32_t)cpus,
				.cpus = (uint32_t)n.cpus,
				.together = n.cpus > units ?
						    (uint32_t)(n.cpus / units) :
						    1,
				.gpus = (uint32_t)n.gpus,
				.memory_mb = n.memory_mb - n.kept_mb,
			};
			cpus += n.cpus;
		}
	}
	s->nodes = r->names;
	if (cpus == machine->nodes && machine->pods == 1 &&
	    machine->pod[0].torus.flat)
		return 0;
	return torus_error_add(err,
			       "%s: its %u nodes have %llu CPUs, which jobs share with --size cpus: write --torus flat:%llu, or omit --size cpus",
			       conf, r->names, (unsigned long long)cpus,
			       (unsigned long long)cpus);
}
