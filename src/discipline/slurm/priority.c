/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Priorities (priority.h).
 *
 * basic: each job or array is one below the lowest so far, less its nice; so the nice of
 * a job counts in jobs that come after it.
 *
 * multifactor: the weighted sum of age, size, partition, QOS and fair share, less the
 * nice; set at submission and every PriorityCalcPeriod. Usage is what running jobs
 * used in the period, decayed; QOS weigh it with their UsageFactor.
 *
 *	classic    2^(-effective usage / share / FairShareDampeningFactor), where the
 *	           effective usage is a mix of one's own and the account's, which is
 *	           that before the calculation
 *	fair tree  users in the order of share / usage, level by level from the root;
 *	           the first has 1, the last 1 / users; equal ones have the same
 *
 * Size: nodes over the machine's nodes; where nodes are shared the mean of that and of
 * CPUs over the machine's CPUs.
 *
 * Cost: a calculation O(associations log associations + jobs) if the fair share has
 * a weight, else O(jobs); a submission O(1).
 */
#include "discipline/slurm/priority.h"
#include "discipline/shares.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/text.h"

#define TOP_PRIORITY UINT32_C(0xffff0000)
#define KEY_SIZE (2 * TORUS_SLURM_NAME)

/* Return the number of a name in the table; a new one gets `fresh`. SLURM_NONE with
 * ENOMEM. */
static uint32_t priority_number(struct slurm_priority *p, struct name_table *t,
				const char *name, uint32_t fresh)
{
	struct name_entry *e = torus_names_find(t, name);
	char *copy;

	if (e)
		return e->index;
	if (TORUS_GROW(p->text, p->text_room, p->texts + 1))
		return SLURM_NONE;
	copy = torus_text_copy(name);
	if (!copy)
		return SLURM_NONE;
	p->text[p->texts++] = copy;
	e = torus_names_add(t, copy);
	if (!e)
		return SLURM_NONE;
	e->index = fresh;
	return fresh;
}

/* Return the share of an account (user "") or of a user in it; add it below
 * `parent` if it is new. SLURM_NONE with ENOMEM. */
static uint32_t priority_share(struct slurm_priority *p, const char *account,
			       const char *user, const struct slurm_share *fresh)
{
	uint32_t n;
	char key[KEY_SIZE];

	if (*user)
		snprintf(key, sizeof(key), "%s/%s", account, user);
	else
		snprintf(key, sizeof(key), "%s", account);
	if (TORUS_GROW(p->share, p->room, p->shares + 1))
		return SLURM_NONE;
	n = priority_number(p, &p->names, key, p->shares);
	if (n != p->shares)
		return n;
	p->share[p->shares] = *fresh;
	p->stale = true;
	return p->shares++;
}

int slurm_priority_init(struct slurm_priority *p,
			const struct torus_slurm *conf, uint32_t machine_nodes)
{
	*p = (struct slurm_priority){ .conf = conf,
				      .machine_nodes = machine_nodes,
				      .lowest = TOP_PRIORITY,
				      .open = conf->associations == 0 };
	for (uint32_t i = 0; i < conf->partitions; i++) {
		if (conf->partition[i].factor > p->most_factor)
			p->most_factor = conf->partition[i].factor;
	}
	for (uint32_t i = 0; i < conf->qoses; i++) {
		if (conf->qos[i].priority > p->most_qos)
			p->most_qos = conf->qos[i].priority;
	}
	if (priority_share(p, "root", "",
			   &(struct slurm_share){ .shares = 1 }) == SLURM_NONE)
		return -1;
	for (uint32_t i = 1; i < conf->associations; i++) {
		const struct torus_slurm_association *a = &conf->association[i];
		const struct slurm_share share = { .parent = a->parent,
						   .shares = a->shares,
						   .use_parent = a->use_parent,
						   .is_user = *a->user != 0 };

		if (priority_share(p, a->account, a->user, &share) == SLURM_NONE)
			return -1;
	}
	return 0;
}

void slurm_priority_free(struct slurm_priority *p)
{
	for (uint32_t i = 0; i < p->texts; i++)
		torus_free(p->text[i]);
	torus_free(p->text);
	torus_free(p->share);
	torus_free(p->level);
	torus_free(p->running);
	torus_names_free(&p->names);
	torus_names_free(&p->users);
}

/* Return the association of a job; SLURM_NONE: none, or no memory. */
static uint32_t priority_association(struct slurm_priority *p,
				     const struct torus_job_owner *o)
{
	struct name_entry *e;
	char key[KEY_SIZE];
	uint32_t account = 0;

	if (!p->open) {
		snprintf(key, sizeof(key), "%s/%s", o->account, o->user);
		e = torus_names_find(&p->names, key);
		return e ? e->index : SLURM_NONE;
	}
	if (*o->account && strcmp(o->account, "root"))
		account = priority_share(p, o->account, "",
					 &(struct slurm_share){ .shares = 1 });
	if (account == SLURM_NONE)
		return SLURM_NONE;
	return priority_share(p, *o->account ? o->account : "root",
			      *o->user ? o->user : "-",
			      &(struct slurm_share){ .parent = account,
						     .shares = 1,
						     .is_user = true });
}

static uint32_t priority_qos(const struct torus_slurm *conf, const char *name)
{
	for (uint32_t i = 0; i < conf->qoses; i++) {
		if (!strcmp(conf->qos[i].name, name))
			return i;
	}
	return SLURM_NONE;
}

/* The tree's links and the shares of each level. */
static void priority_link(struct slurm_priority *p)
{
	if (!p->stale)
		return;
	p->stale = false;
	for (uint32_t i = 0; i < p->shares; i++)
		p->share[i].child = p->share[i].sibling = SLURM_NONE;
	for (uint32_t i = p->shares; i-- > 1;) {
		struct slurm_share *s = &p->share[i];
		struct slurm_share *parent = &p->share[s->parent];

		s->sibling = parent->child;
		parent->child = i;
	}
	for (uint32_t i = 0; i < p->shares; i++) {
		uint32_t sum = 0;

		for (uint32_t c = p->share[i].child; c != SLURM_NONE;
		     c = p->share[c].sibling)
			sum += p->share[c].use_parent ? 0 : p->share[c].shares;
		for (uint32_t c = p->share[i].child; c != SLURM_NONE;
		     c = p->share[c].sibling)
			p->share[c].level_shares = sum;
	}
}

/* Return the association whose share counts: that of the nearest account above with
 * a share of its own. */
static uint32_t priority_own(const struct slurm_priority *p, uint32_t i)
{
	while (i && p->share[i].use_parent)
		i = p->share[i].parent;
	return i;
}

/* Classic: set the effective usage of a share below the root. */
static void priority_effective(struct slurm_priority *p, uint32_t i)
{
	struct slurm_share *s = &p->share[i];
	uint32_t up = priority_own(p, s->parent);
	const struct slurm_share *parent = &p->share[up];
	double all = p->share[0].usage, used = all > 0 ? s->usage / all : 0;

	if (s->use_parent)
		s->effective = parent->effective;
	else if (up == 0)
		s->effective = used;
	else if (!s->level_shares)
		s->effective = parent->effective;
	else
		s->effective = used + (parent->effective - used) * s->shares /
					      s->level_shares;
}

/* Classic: normalized shares, parents first, and the effective usage of accounts; that of
 * users is set when a job of theirs gets its next priority. */
static void priority_classic(struct slurm_priority *p)
{
	p->share[0].norm = 1;
	for (uint32_t i = 1; i < p->shares; i++) {
		struct slurm_share *s = &p->share[i];
		double norm = p->share[priority_own(p, s->parent)].norm;

		s->norm = s->use_parent   ? norm :
			  s->level_shares ? norm * s->shares / s->level_shares :
					    0;
		if (s->is_user)
			s->effective = NAN;
		else
			priority_effective(p, i);
	}
}

static int by_level(const void *a, const void *b)
{
	const struct slurm_level *x = a, *y = b;

	if (x->level < y->level || x->level > y->level)
		return x->level < y->level ? 1 : -1;
	if (x->is_user != y->is_user)
		return x->is_user ? -1 : 1;
	return x->share < y->share ? -1 : x->share > y->share;
}

/* Append the children of an account to the level that begins at `first`. */
static uint32_t fair_children(struct slurm_priority *p, uint32_t account,
			      uint32_t at)
{
	double all = p->share[account].usage;

	for (uint32_t c = p->share[account].child; c != SLURM_NONE;
	     c = p->share[c].sibling) {
		const struct slurm_share *s = &p->share[c];
		double used = all > 0 ? s->usage / all : 0;
		double share = s->level_shares ?
				       (double)s->shares / s->level_shares :
				       0;

		p->level[at++] = (struct slurm_level){
			.level = s->use_parent ? (s->is_user ? INFINITY : NAN) :
				 share <= 0    ? 0 :
				 used > 0      ? share / used :
						 INFINITY,
			.is_user = s->is_user,
			.share = c,
		};
		if (isnan(p->level[at - 1].level))
			p->level[at - 1].level = -1; /* compared with itself */
	}
	return at;
}

/* Rank the users below the siblings level[first .. end-1]. *rank: of the next user
 * that ties with the latest; *next: of one that does not. tied: the first ties. */
static void fair_rank(struct slurm_priority *p, uint32_t first, uint32_t end,
		      uint32_t users, uint32_t rank[2], bool tied)
{
	qsort(p->level + first, end - first, sizeof(*p->level), by_level);
	for (uint32_t i = first; i < end; i++) {
		const struct slurm_level l = p->level[i];
		uint32_t last = i, to = end;

		if (i > first)
			tied = !(p->level[i - 1].level < l.level ||
				 p->level[i - 1].level > l.level);
		if (l.is_user) {
			if (!tied)
				rank[0] = rank[1];
			p->share[l.share].factor = (double)rank[0] / users;
			rank[1]--;
			continue;
		}
		/* accounts that tie are one */
		while (last + 1 < end && !(p->level[last + 1].level < l.level))
			last++;
		for (uint32_t k = i; k <= last; k++)
			to = fair_children(p, p->level[k].share, to);
		fair_rank(p, end, to, users, rank, tied);
		i = last;
	}
}

/* The fair tree; without memory the factors stay. */
static void priority_fair_tree(struct slurm_priority *p)
{
	uint32_t users = 0, rank[2];

	if (TORUS_GROW(p->level, p->level_room, p->shares))
		return;
	for (uint32_t i = 0; i < p->shares; i++)
		users += p->share[i].is_user;
	rank[0] = rank[1] = users;
	fair_rank(p, 0, fair_children(p, 0, 0), users, rank, false);
}

/* Add the usage of a running job from the latest calculation to `now`. */
static void priority_use(struct slurm_priority *p, const struct slurm_job *j,
			 int64_t now)
{
	const struct torus_slurm *conf = p->conf;
	int64_t from = j->start > p->last ? j->start : p->last;
	double decay = conf->half_life > 0 ? 1 - 0.693 / conf->half_life : 1;
	int64_t ran = now > from ? now - from : 0;
	double used = (double)ran * torus_shares_power(decay, ran) *
		      j->job->nodes;

	if (j->qos != SLURM_NONE && conf->qos[j->qos].usage_factor >= 0)
		used *= conf->qos[j->qos].usage_factor;
	for (uint32_t i = j->association; i != SLURM_NONE;
	     i = i ? p->share[i].parent : SLURM_NONE)
		p->share[i].usage += used;
}

int slurm_priority_start(struct slurm_priority *p, struct slurm_job *j,
			 int64_t now)
{
	j->start = now;
	if (TORUS_GROW(p->running, p->running_room, p->count + 1))
		return -1;
	j->running = p->count;
	p->running[p->count++] = j;
	return 0;
}

void slurm_priority_end(struct slurm_priority *p, struct slurm_job *j,
			int64_t now)
{
	if (j->running == SLURM_NONE)
		return;
	priority_use(p, j, now);
	p->running[j->running] = p->running[--p->count];
	p->running[j->running]->running = j->running;
	j->running = SLURM_NONE;
}

/* One calculation at `now`. */
static void priority_calculate(struct slurm_priority *p, int64_t now)
{
	const struct torus_slurm *conf = p->conf;
	double decay = conf->half_life > 0 ? 1 - 0.693 / conf->half_life : 1;

	if (conf->weight_fairshare > 0) {
		priority_link(p);
		if (!conf->fair_tree) /* of the usage until now */
			priority_classic(p);
		decay = torus_shares_power(decay, now - p->last);
		for (uint32_t i = 0; i < p->shares; i++)
			p->share[i].usage *= decay;
		for (uint32_t i = 0; i < p->count; i++)
			priority_use(p, p->running[i], now);
		if (conf->fair_tree)
			priority_fair_tree(p);
	}
	p->last = now;
}

bool slurm_priority_advance(struct slurm_priority *p, int64_t now)
{
	int64_t period = p->conf->calc_period, before = p->last;

	if (!p->begun)
		p->last = before = now;
	p->begun = true;
	if (!p->conf->multifactor || now - p->last < period)
		return false;
	if (p->conf->weight_fairshare > 0 && (p->count || p->share[0].usage > 0))
		while (now - p->last >= period)
			priority_calculate(p, p->last + period);
	p->last += (now - p->last) / period * period;
	return p->last != before;
}

int64_t slurm_priority_next(const struct slurm_priority *p)
{
	return p->conf->multifactor ? p->last + p->conf->calc_period : INT64_MAX;
}

static double priority_fairshare(struct slurm_priority *p,
				 const struct slurm_job *j)
{
	const struct slurm_share *s;

	if (j->association == SLURM_NONE)
		return 0;
	s = &p->share[j->association];
	if (p->conf->fair_tree)
		return s->factor;
	if (isnan(s->effective))
		priority_effective(p, j->association);
	return s->norm > 0 ? torus_shares_halved(s->effective / s->norm /
						 p->conf->damping) :
			     0;
}

static void priority_set_at(struct slurm_priority *p, struct slurm_job *j,
			    int64_t now)
{
	const struct torus_slurm *conf = p->conf;
	int64_t age = now - j->submit;
	double nodes = (double)j->job->nodes / p->machine_nodes, sum;

	if (conf->nodes)
		nodes = (nodes + (double)j->parts.nodes / conf->nodes) / 2;
	sum = conf->weight_age *
	      (age < 0             ? 0 :
	       age < conf->max_age ? (double)age / (double)conf->max_age :
				     1);
	if (nodes > 1)
		nodes = 1;
	sum += conf->weight_size * (conf->favor_small ? 1 - nodes : nodes);
	if (conf->weight_fairshare > 0)
		sum += conf->weight_fairshare * priority_fairshare(p, j);
	if (p->most_factor)
		sum += conf->weight_partition *
		       conf->partition[j->partition].factor /
		       (conf->no_normal_part ? 1 : p->most_factor);
	if (j->qos != SLURM_NONE && p->most_qos)
		sum += conf->weight_qos * conf->qos[j->qos].priority /
		       (conf->no_normal_qos ? 1 : p->most_qos);
	if (j->job->owner)
		sum -= (double)j->job->owner->nice;
	sum = sum < 1 ? 1 : sum > UINT32_MAX ? UINT32_MAX : sum;
	if (!conf->incr_only || j->priority < (uint32_t)sum)
		j->priority = (uint32_t)sum;
}

void slurm_priority_set(struct slurm_priority *p, struct slurm_job *j)
{
	priority_set_at(p, j, p->last);
}

/* basic: one less than the lowest before, less the nice. An array is one job. */
static void priority_basic(struct slurm_priority *p, struct slurm_job *j)
{
	const struct torus_job_owner *o = j->job->owner;
	uint64_t array = o ? o->array : 0;
	int64_t nice = o ? o->nice : 0;
	int64_t next = p->lowest >= 2 ? (int64_t)p->lowest - 1 : 1;
	int64_t mine = nice <= 0 || next > nice + 1 ? next - nice : next;

	if (array && array == p->array) {
		j->priority = p->array_priority;
		return;
	}
	j->priority = mine < 1          ? 1 :
		      mine > UINT32_MAX ? UINT32_MAX :
					  (uint32_t)mine;
	p->array = array;
	p->array_priority = j->priority;
	if (mine + nice < p->lowest)
		p->lowest = mine + nice < 1 ? 1 : (uint32_t)(mine + nice);
}

int slurm_priority_submit(struct slurm_priority *p, struct slurm_job *j)
{
	const struct torus_job_owner *o = j->job->owner;

	j->running = SLURM_NONE;
	j->association = j->qos = SLURM_NONE;
	j->priority = 0;
	j->user = 0;
	if (o) {
		j->user = priority_number(p, &p->users, o->user,
					  p->user_numbers);
		if (j->user == SLURM_NONE)
			return -1;
		p->user_numbers += j->user == p->user_numbers;
		j->qos = priority_qos(p->conf, o->qos);
	}
	if (!p->conf->multifactor) {
		priority_basic(p, j);
		return 0;
	}
	if (o && p->conf->weight_fairshare > 0) {
		uint32_t shares = p->shares;

		j->association = priority_association(p, o);
		if (p->shares != shares) {
			priority_link(p);
			if (p->conf->fair_tree)
				priority_fair_tree(p);
			else
				priority_classic(p);
		}
	}
	priority_set_at(p, j, j->submit);
	return 0;
}
