/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that jobs share: select/cons_tres by counts of free CPUs, memory and GPUs of each
 * node. The CPUs are the machine's nodes, so that a job holds those that it got; what the
 * running jobs hold of memory and GPUs follows from their CPUs and what they asked for.
 *
 *	node      n0           n1           n2
 *	machine   0 1 2 3      4 5 6 7      8 9 10 11
 *	held by   a a b .      . . . .      c c c c
 *
 * A job fits in a node as far as CPUs are free (whole cores or sockets), each with its
 * memory; where it may have one node only, all its CPUs must be. Of the runs of
 * consecutive nodes with room the one with the least free CPUs that suffice is taken, else
 * the one with the most, then others; in a run one node alone that suffices, the tightest,
 * else the nodes in order. With LLN the nodes with the largest free share come first. If
 * that fails because the job may have few nodes, nodes with little room are left out,
 * more and more. A job of an exclusive partition, and one that asked for it, has whole
 * nodes. All CPUs of a task are on one node.
 *
 * Not modelled: which cores, sockets and GPUs of a node belong together; GPUs counted over
 * all nodes of a job.
 *
 * Cost: O(nodes + words of the nodes) for a fit, O(nodes x CPUs of a node) for one that
 * must leave out nodes; after each change O(running jobs + their words). No memory is
 * allocated after the start.
 */
#include "discipline/slurm/loops.h"

#include <string.h>

#include "torus/alloc.h"
#include "torus/placement.h"

int slurm_parts_init(struct slurm *m)
{
	struct slurm_parts *p = &m->parts;
	uint32_t n = m->conf->nodes;

	p->now = torus_alloc(n, sizeof(*p->now));
	p->then = torus_alloc(n, sizeof(*p->then));
	p->free = torus_alloc(m->words, sizeof(*p->free));
	p->taken = torus_alloc(m->words, sizeof(*p->taken));
	p->holder = torus_alloc(n, sizeof(*p->holder));
	p->alone = torus_alloc(n, sizeof(*p->alone));
	p->idle = torus_alloc(n, sizeof(*p->idle));
	p->room = torus_alloc(n, sizeof(*p->room));
	p->left = torus_alloc(n, sizeof(*p->left));
	p->give = torus_alloc(n, sizeof(*p->give));
	p->run = torus_alloc(n, sizeof(*p->run));
	p->generation = UINT64_MAX;
	return p->now && p->then && p->free && p->taken && p->holder &&
			       p->alone && p->idle && p->room && p->left &&
			       p->give && p->run ?
		       0 :
		       -1;
}

void slurm_parts_free(struct slurm *m)
{
	struct slurm_parts *p = &m->parts;

	torus_free(p->now);
	torus_free(p->then);
	torus_free(p->free);
	torus_free(p->taken);
	torus_free(p->holder);
	torus_free(p->alone);
	torus_free(p->idle);
	torus_free(p->room);
	torus_free(p->left);
	torus_free(p->give);
	torus_free(p->run);
}

/* Return true if a job that got `cpus` had all CPUs of nodes, for fewer that it asked for,
 * and the partition has also nodes of other sizes: it may get only a part of one. */
static bool parts_had_whole(const struct slurm *m,
			    const struct torus_slurm_partition *part,
			    const struct torus_job_parts *p, uint32_t cpus)
{
	bool same = false, other = false;

	if (p->whole || !p->asked || p->asked >= cpus || cpus % p->most_nodes)
		return false;
	for (uint32_t i = 0; i < m->conf->nodes; i++) {
		const struct torus_slurm_node *node = &m->conf->node[i];

		if (part->nodes && !torus_bits_test(part->nodes, node->first))
			continue;
		if (node->cpus == cpus / p->most_nodes)
			same = true;
		else
			other = true;
	}
	return same && other;
}

void slurm_parts_settle(const struct slurm *m, struct slurm_job *j)
{
	const struct torus_slurm_partition *part =
		&m->conf->partition[j->partition];
	struct torus_job_parts *p = &j->parts;
	uint32_t most = part->max_nodes < m->conf->nodes ? part->max_nodes :
							   m->conf->nodes;

	*p = j->job->owner ? j->job->owner->parts :
			     (struct torus_job_parts){ 0 };
	if (p->nodes < part->min_nodes)
		p->nodes = part->min_nodes;
	if (p->nodes < 1)
		p->nodes = 1;
	if (p->nodes > j->job->nodes) /* each node gives a CPU */
		p->nodes = j->job->nodes;
	if (!p->most_nodes || p->most_nodes > most)
		p->most_nodes = most;
	if (p->most_nodes < p->nodes)
		p->most_nodes = p->nodes;
	if (!p->memory_mb) {
		p->memory_mb = part->memory_mb;
		p->per_cpu = part->per_cpu;
	}
	p->whole |= part->exclusive;
	m->s->stats.unequal += p->unequal;
	m->s->stats.wholes += parts_had_whole(m, part, p, j->job->nodes);
}

/* Counting what jobs hold */

/* Return the number of set bits of a word in both maps; most words have none. */
static inline uint32_t parts_count_word(const uint64_t *a, const uint64_t *b,
					uint32_t first, uint32_t n)
{
	uint64_t both = a[first / 64] & b[first / 64] &
			(UINT64_MAX >> (64 - n)) << first % 64;

	return both ? torus_bits_ones(both) : 0;
}

/* Return the number of set bits from `first` on, of n, in both maps. */
static inline uint32_t parts_count(const uint64_t *a, const uint64_t *b,
				   uint32_t first, uint32_t n)
{
	uint32_t count = 0;

	while (n > 64 - first % 64) {
		uint32_t here = 64 - first % 64;

		count += parts_count_word(a, b, first, here);
		first += here;
		n -= here;
	}
	return n ? count + parts_count_word(a, b, first, n) : count;
}

/* Return the index of the node with this CPU. */
static uint32_t parts_node(const struct torus_slurm *conf, uint32_t cpu)
{
	uint32_t low = 0, high = conf->nodes - 1;

	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;

		if (conf->node[middle].first > cpu)
			high = middle - 1;
		else
			low = middle;
	}
	return low;
}

/* Count a hold's memory and GPUs in `room`: it takes them, or gives them back. Return
 * the first node behind it. *first: its first node. */
static uint32_t parts_hold(const struct slurm *m, const struct torus_hold *h,
			   struct slurm_room *room, bool takes, uint32_t *first)
{
	const struct torus_slurm *conf = m->conf;
	const struct torus_job *job = h->owner;
	const struct slurm_job *j = job ? job->memo : NULL;
	uint32_t end = (h->place.from_word +
			torus_placement_span(m->machine, &h->place)) *
		       64;
	uint32_t i = parts_node(conf, h->place.from_word * 64);

	*first = i;
	for (; i < conf->nodes && conf->node[i].first < end; i++) {
		const struct torus_slurm_node *node = &conf->node[i];
		uint32_t cpus = parts_count(h->place.nodes, h->place.nodes,
					    node->first, node->cpus);
		uint64_t mb = !j               ? 0 :
			      j->parts.per_cpu ? j->parts.memory_mb * cpus :
						 j->parts.memory_mb;
		uint32_t gpus = j ? j->parts.gpus : 0;

		if (!cpus)
			continue;
		if (j && !j->parts.memory_mb) /* all */
			mb = node->memory_mb;
		if (takes) {
			room[i].jobs++;
			room[i].gpus -= gpus < room[i].gpus ? gpus :
							      room[i].gpus;
			room[i].memory_mb -= mb < room[i].memory_mb ?
						     mb :
						     room[i].memory_mb;
		} else {
			room[i].jobs--;
			room[i].gpus += gpus;
			room[i].memory_mb += mb;
		}
	}
	return i;
}

/* Count what running jobs hold, if that has changed. */
static void parts_refresh(struct slurm *m)
{
	const struct torus_slurm *conf = m->conf;
	const struct torus_state *s = m->s->state;
	struct slurm_parts *p = &m->parts;

	if (p->generation == torus_state_generation(s))
		return;
	p->generation = torus_state_generation(s);
	p->upto = p->painted = UINT32_MAX;
	for (uint32_t i = 0; i < conf->nodes; i++) {
		p->now[i] = (struct slurm_room){
			.memory_mb = conf->node[i].memory_mb,
			.gpus = conf->node[i].gpus
		};
		p->holder[i] = SLURM_NONE;
		p->alone[i] = false;
	}
	for (uint32_t k = 0; k < torus_state_holds(s); k++) {
		const struct torus_hold *h = torus_state_ending(s, k);
		const struct torus_job *job = h->owner;
		const struct slurm_job *j = job ? job->memo : NULL;
		uint32_t user = j ? j->user : SLURM_MIXED, i, end;

		for (end = parts_hold(m, h, p->now, true, &i); i < end; i++) {
			if (!parts_count(h->place.nodes, h->place.nodes,
					 conf->node[i].first,
					 conf->node[i].cpus))
				continue;
			if (p->holder[i] != user)
				p->holder[i] = p->holder[i] == SLURM_NONE ?
						       user :
						       SLURM_MIXED;
			p->alone[i] |=
				j &&
				conf->partition[j->partition].exclusive_user;
		}
	}
}

/* Set p->free to the CPUs that are free after the first k ends. */
static void parts_paint(struct slurm *m, uint32_t k)
{
	const struct torus_state *s = m->s->state;
	struct slurm_parts *p = &m->parts;

	parts_refresh(m);
	if (p->painted > k) {
		torus_bits_copy(p->free, torus_state_free_map(s), m->words);
		p->painted = 0;
	}
	for (; p->painted < k; p->painted++)
		torus_hold_paint(s, torus_state_ending(s, p->painted), p->free);
}

/* Set p->then to what is free of the nodes after the first k ends. */
static void parts_advance(struct slurm *m, uint32_t k)
{
	const struct torus_state *s = m->s->state;
	struct slurm_parts *p = &m->parts;
	uint32_t first;

	if (p->upto > k) {
		memcpy(p->then, p->now, m->conf->nodes * sizeof(*p->then));
		p->upto = 0;
	}
	for (; p->upto < k; p->upto++)
		parts_hold(m, torus_state_ending(s, p->upto), p->then, false,
			   &first);
}

bool slurm_parts_meet(const struct slurm *m, const struct torus_hold *h,
		      const uint64_t *among)
{
	return torus_bits_meet(h->place.nodes + h->place.from_word,
			       among + h->place.from_word,
			       torus_placement_span(m->machine, &h->place));
}

void slurm_parts_narrow(struct slurm *m, const struct slurm_job *j)
{
	const struct torus_slurm *conf = m->conf;
	const struct slurm_parts *p = &m->parts;
	bool alone = conf->partition[j->partition].exclusive_user;

	parts_refresh(m);
	for (uint32_t i = 0; i < conf->nodes; i++) {
		if ((alone || p->alone[i]) && p->holder[i] != SLURM_NONE &&
		    p->holder[i] != j->user)
			torus_bits_clear_range(m->avail, conf->node[i].first,
					       conf->node[i].cpus);
	}
}

/* Choosing nodes */

/* Return how many CPUs of `idle` free ones the job can use with its memory. */
static uint32_t parts_within_memory(const struct slurm *m,
				    const struct slurm_job *j, uint32_t i,
				    uint32_t idle)
{
	const struct torus_slurm_node *node = &m->conf->node[i];
	uint64_t free_mb = m->parts.then[i].memory_mb;
	const struct torus_job_parts *need = &j->parts;

	if (!m->conf->memory)
		return idle;
	if (!need->memory_mb)
		return free_mb == node->memory_mb ? idle : 0;
	if (!need->per_cpu)
		return need->memory_mb <= free_mb ? idle : 0;
	if (need->memory_mb * idle <= free_mb)
		return idle;
	if (need->whole)
		return 0;
	idle = (uint32_t)(free_mb / need->memory_mb);
	return idle - idle % node->together;
}

/* Return the CPUs that the job can use of `idle` free ones. */
static uint32_t parts_room(const struct slurm *m, const struct slurm_job *j,
			   uint32_t i, uint32_t idle)
{
	const struct slurm_room *r = &m->parts.then[i];
	const struct torus_job_parts *need = &j->parts;
	bool single = need->most_nodes == 1;
	uint32_t cpus = m->parts.cpus, most;

	if (idle == 0 || r->gpus < need->gpus || (need->whole && r->jobs > 0) ||
	    (single && idle < cpus))
		return 0;
	idle = parts_within_memory(m, j, i, idle);
	/* with GPUs no more count than its tasks on the node can use */
	most = single ? cpus : 1;
	if (need->gpus && !need->whole && idle > most &&
	    (single || cpus == 1 ||
	     (cpus == need->nodes && cpus == need->most_nodes)))
		idle = most;
	return need->whole || need->task < 2 ? idle : idle - idle % need->task;
}

/* Give the job CPUs of a node: all of `cpus` for whole nodes, else as many as are
 * missing, but for one (core, task) on each other node that it must have. Return how many. */
static uint32_t parts_give(struct slurm *m, const struct slurm_job *j,
			   uint32_t i, uint32_t cpus, int64_t missing,
			   int64_t nodes)
{
	const struct torus_slurm_node *node = &m->conf->node[i];

	const struct torus_job_parts *need = &j->parts;
	uint32_t least = need->task > 1 ? need->task : 1;

	if (nodes > 1)
		missing -= (nodes - 1) *
			   (node->together > least ? node->together : least);
	if (!need->whole && cpus > missing) {
		cpus = missing < least ? least : (uint32_t)missing;
		m->parts.room[i] = cpus; /* also in later trials */
	}
	m->parts.give[i] = cpus;
	return cpus;
}

/* Return the number of runs. */
static uint32_t parts_runs(struct slurm *m)
{
	struct slurm_parts *p = &m->parts;
	uint32_t runs = 0;
	bool open = false;

	for (uint32_t i = 0; i < m->conf->nodes; i++) {
		if (p->left[i] && !open)
			p->run[runs++] = (struct slurm_run){ .first = i };
		open = p->left[i] > 0;
		if (!open)
			continue;
		p->run[runs - 1].last = i;
		p->run[runs - 1].nodes++;
		p->run[runs - 1].cpus += p->left[i];
	}
	return runs;
}

/* Return the run to take next, which has nodes, or UINT32_MAX. */
static uint32_t parts_best_run(const struct slurm_parts *p, uint32_t runs,
			       int64_t cpus, int64_t nodes)
{
	uint32_t best = UINT32_MAX;
	bool best_does = false;

	for (uint32_t k = 0; k < runs; k++) {
		const struct slurm_run *r = &p->run[k];
		bool does = (int64_t)r->cpus >= cpus &&
			    (int64_t)r->nodes >= nodes;

		if (!r->nodes)
			continue;
		if (best == UINT32_MAX || (does && !best_does) ||
		    (does && r->cpus < p->run[best].cpus) ||
		    (!does && r->cpus > p->run[best].cpus)) {
			best = k;
			best_does = does;
		}
	}
	return best;
}

/* Leave in the run only the tightest node that has the CPUs, if one has. */
static void parts_single(struct slurm_parts *p, const struct slurm_run *r,
			 int64_t cpus)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = r->first; i <= r->last; i++) {
		if (!p->give[i] && (int64_t)p->left[i] >= cpus && p->left[i] &&
		    (best == UINT32_MAX || p->left[i] < p->left[best]))
			best = i;
	}
	for (uint32_t i = r->first; best != UINT32_MAX && i <= r->last; i++) {
		if (i != best)
			p->left[i] = 0;
	}
}

/* Try consecutive nodes, of those in p->left. */
static bool parts_try_runs(struct slurm *m, const struct slurm_job *j)
{
	struct slurm_parts *p = &m->parts;
	int64_t cpus = p->cpus, nodes = j->parts.nodes;
	int64_t most = j->parts.most_nodes;
	uint32_t runs = parts_runs(m), k;

	while (most > 0 &&
	       (k = parts_best_run(p, runs, cpus, nodes)) != UINT32_MAX) {
		struct slurm_run *r = &p->run[k];

		if (nodes <= 1)
			parts_single(p, r, cpus);
		for (uint32_t i = r->first; i <= r->last; i++) {
			if (most == 0 || (nodes <= 0 && cpus <= 0))
				break;
			if (!p->left[i] || (most == 1 && p->left[i] < cpus))
				continue;
			cpus -= parts_give(m, j, i, p->left[i], cpus, nodes);
			nodes--;
			most--;
		}
		if (nodes <= 0 && cpus <= 0)
			return true;
		r->nodes = 0;
		r->cpus = 0;
	}
	return nodes <= 0 && cpus <= 0;
}

/* Try the nodes with the largest free share, of those in p->left. */
static bool parts_try_least_loaded(struct slurm *m, const struct slurm_job *j)
{
	const struct torus_slurm_node *node = m->conf->node;
	struct slurm_parts *p = &m->parts;
	int64_t cpus = p->cpus, nodes = j->parts.nodes;
	int64_t most = j->parts.most_nodes;

	while (most > 0 && (nodes > 0 || cpus > 0)) {
		uint32_t best = UINT32_MAX;

		for (uint32_t i = 0; i < m->conf->nodes; i++) {
			if (p->left[i] && !p->give[i] &&
			    (best == UINT32_MAX ||
			     (uint64_t)p->idle[best] * node[i].cpus <
				     (uint64_t)p->idle[i] * node[best].cpus))
				best = i;
		}
		if (best == UINT32_MAX)
			return false;
		cpus -= parts_give(m, j, best, p->left[best], cpus, nodes);
		nodes--;
		most--;
	}
	return nodes <= 0 && cpus <= 0;
}

static bool parts_try(struct slurm *m, const struct slurm_job *j)
{
	struct slurm_parts *p = &m->parts;

	memset(p->give, 0, m->conf->nodes * sizeof(*p->give));
	return m->conf->partition[j->partition].least_loaded ?
		       parts_try_least_loaded(m, j) :
		       parts_try_runs(m, j);
}

/* Choose among the nodes with room. */
static bool parts_choose(struct slurm *m, const struct slurm_job *j,
			 uint32_t nodes)
{
	struct slurm_parts *p = &m->parts;
	uint32_t most = 0;
	size_t size = m->conf->nodes * sizeof(*p->room);

	memcpy(p->left, p->room, size);
	if (parts_try(m, j))
		return true;
	for (uint32_t i = 0; i < m->conf->nodes; i++)
		most = p->room[i] > most ? p->room[i] : most;
	for (uint32_t low = 1; low < most && nodes > j->parts.nodes; low++) {
		bool changed = low == 1;

		for (uint32_t i = 0; i < m->conf->nodes; i++) {
			if (!p->room[i] || p->room[i] > low)
				continue;
			p->room[i] = 0;
			changed = true;
			if (--nodes <= j->parts.nodes)
				break;
		}
		if (!changed)
			continue;
		memcpy(p->left, p->room, size);
		if (parts_try(m, j))
			return true;
	}
	return false;
}

/* Fit the job in what p->then and p->free have, of `among`. */
static bool parts_fit(struct slurm *m, const struct slurm_job *j,
		      const uint64_t *among)
{
	const struct torus_slurm *conf = m->conf;
	struct slurm_parts *p = &m->parts;
	uint64_t cpus = 0;
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < conf->nodes; i++) {
		const struct torus_slurm_node *node = &conf->node[i];
		uint32_t idle = parts_count(among, p->free, node->first,
					    node->cpus);

		p->idle[i] = p->room[i] = 0;
		if (!idle)
			continue;
		p->idle[i] = idle - idle % node->together;
		p->room[i] = parts_room(m, j, i, p->idle[i]);
		cpus += p->room[i];
		nodes += p->room[i] > 0;
	}
	if (cpus < p->cpus || nodes < j->parts.nodes ||
	    !parts_choose(m, j, nodes))
		return false;
	torus_bits_zero(m->picked, m->words);
	for (uint32_t i = 0; i < conf->nodes; i++) {
		uint32_t part = p->give[i] % conf->node[i].together;

		if (p->give[i])
			torus_bits_set_range(m->picked, conf->node[i].first,
					     conf->node[i].cpus);
		if (part) /* the whole core or socket */
			p->give[i] += conf->node[i].together - part;
	}
	return true;
}

bool slurm_parts_fit(struct slurm *m, const struct slurm_job *j, uint32_t cpus,
		     const uint64_t *among, uint32_t k)
{
	parts_paint(m, k);
	if (torus_bits_count_both(among, m->parts.free, m->words) < cpus)
		return false;
	parts_advance(m, k);
	m->parts.cpus = cpus;
	return parts_fit(m, j, among);
}

bool slurm_parts_fit_empty(struct slurm *m, const struct slurm_job *j,
			   const uint64_t *among)
{
	struct slurm_parts *p = &m->parts;

	for (uint32_t i = 0; i < m->conf->nodes; i++)
		p->then[i] = (struct slurm_room){
			.memory_mb = m->conf->node[i].memory_mb,
			.gpus = m->conf->node[i].gpus
		};
	torus_bits_copy(p->free, torus_state_present_map(m->s->state), m->words);
	p->upto = p->painted = UINT32_MAX;
	p->cpus = j->job->nodes;
	return parts_fit(m, j, among);
}

void slurm_parts_place(struct slurm *m, const uint64_t *among,
		       struct torus_placement *place)
{
	const struct torus_slurm *conf = m->conf;
	struct slurm_parts *p = &m->parts;
	uint32_t granted = 0, from = 0, to = 0;

	torus_bits_zero(p->taken, m->words);
	for (uint32_t i = 0; i < conf->nodes; i++) {
		const struct torus_slurm_node *node = &conf->node[i];
		uint32_t end = node->first + node->cpus, give = p->give[i];

		if (!give)
			continue;
		if (!granted)
			from = node->first / 64;
		to = (end - 1) / 64 + 1;
		for (uint32_t c = node->first; c < end && give; c++) {
			if (!torus_bits_test(among, c) ||
			    !torus_bits_test(p->free, c))
				continue;
			torus_bits_set(p->taken, c);
			give--;
			granted++;
		}
	}
	*place = (struct torus_placement){
		.scattered = true,
		.granted = granted,
		.axes = 1,
		.nodes = p->taken,
		.from_word = from,
		.to_word = to,
	};
}
