/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of slurm.conf: what NodeName lines say of them, the CPUs, memory and GPUs that
 * jobs share with select/cons_tres, and the nodes of each partition on the machine, by
 * name or in the order of slurm.conf.
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
	{ NULL, NULL },
};

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
		uint64_t *to;
	} keys[] = {
		{ "CPUs", &n->cpus },
		{ "Procs", &n->cpus },
		{ "Boards", &n->boards },
		{ "Sockets", &n->sockets },
		{ "SocketsPerBoard", &n->sockets },
		{ "CoresPerSocket", &n->cores },
		{ "ThreadsPerCore", &n->threads },
		{ "RealMemory", &n->memory_mb },
		{ "MemSpecLimit", &n->kept_mb },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!strcasecmp(keys[i].name, pair->key) &&
		    !torus_number_whole(pair->value, 0, UINT32_MAX, keys[i].to) &&
		    r->by_cpus)
			rc = slurm_site_wrong(pair, pair->key, pair->value,
					      "a whole number", err);
	}
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

/* Nodes of partitions */

struct site_map {
	const struct torus_config *config;
	const struct name_table *order; /* node -> its position in slurm.conf */
	const struct torus_slurm_node *node; /* by position, if jobs share them */
	uint64_t *nodes;
	uint32_t set;
};

static int site_map_name(void *arg, const char *name)
{
	struct site_map *m = arg;
	uint32_t bit;

	if (m->order) {
		const struct name_entry *e = torus_names_find(m->order, name);

		bit = e ? e->index : UINT32_MAX;
		if (e && m->node) {
			torus_bits_set_range(m->nodes, m->node[bit].first,
					     m->node[bit].cpus);
			m->set++;
			return 0;
		}
	} else {
		bit = torus_config_node(m->config, name);
	}
	if (bit != UINT32_MAX && !torus_bits_test(m->nodes, bit)) {
		torus_bits_set(m->nodes, bit);
		m->set++;
	}
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
	struct site_map m = { .config = r->config,
			      .order = site_in_order(r->config) ? order : NULL,
			      .node = r->site->slurm.node };
	uint32_t count;

	if (!p->nodes || !strcasecmp(p->nodes, "ALL"))
		return 0;
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
	if (m.set)
		return 0;
	return torus_error_add(err,
			       "%s:%u: Nodes: got \"%.60s\": the machine has none of these nodes",
			       p->file, p->line, p->nodes);
}

int slurm_site_nodes_share(struct site_reader *r, const char *conf,
			   struct torus_error *err)
{
	const struct torus_machine *machine = &r->config->machine;
	struct torus_slurm *s = &r->site->slurm;
	uint64_t cpus = 0;

	if (!r->by_cpus || !s->consumable || !r->parts || !r->names)
		return 0;
	s->node = torus_alloc(r->names, sizeof(*s->node));
	if (!s->node)
		return -1;
	for (uint32_t k = 0; k < r->lines; k++) {
		struct site_node n = r->line[k];
		uint64_t sockets, cores;

		n.boards += !n.boards;
		n.cores += !n.cores;
		n.threads += !n.threads;
		sockets = n.sockets ? n.boards * n.sockets :
			  n.cpus > n.cores * n.threads ?
				      n.cpus / (n.cores * n.threads) :
				      1;
		cores = sockets * n.cores;
		n.cpus = n.cpus ? n.cpus : cores * n.threads;
		n.memory_mb += !n.memory_mb; /* Slurm's default: 1 */
		for (uint32_t i = n.first; i < n.end; i++) {
			uint64_t units = r->by_socket ? sockets : cores;

			s->node[i] = (struct torus_slurm_node){
				.first = (uint32_t)cpus,
				.cpus = (uint32_t)n.cpus,
				.together = n.cpus > units ?
						    (uint32_t)(n.cpus / units) :
						    1,
				.gpus = (uint32_t)n.gpus,
				.memory_mb = n.memory_mb > n.kept_mb ?
						     n.memory_mb - n.kept_mb :
						     0,
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
