/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes that a pending job may use, idle or not: its partition, its
 * reservation, -x, features, owners; if it asks for more than nodes (memory,
 * GRES...), also the wrapped select plugin's answer. Slurm's own functions decide
 * all of it. job_reservations.c adds the times at which some of the nodes are
 * reserved. Most jobs of a queue may use the same nodes: a hash of the job's
 * constraints names a class, computed once per snapshot.
 *
 * A job with -w that asks for one number of nodes and no shape gets one set of that
 * size. For a shape or a range the cycle chooses the place, without Slurm's locks
 * (live/mirror/required.c).
 */
#include "live/mirror/mirror.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/job_class.h"
#include "slurmctld/instance/fit.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/node_map.h"

#include "live/base/hash.h"

#define CLASS_PLACES 8

/* The wrapped plugin's TEST_ONLY. */
static int allowed_nodes_test_only(job_record_t *job, bitstr_t *nodes,
				   uint32_t min, uint32_t target, uint32_t max)
{
	int rc;

	instance_bypass(true);
	rc = compat_test_only(job, nodes, min, target, max);
	instance_bypass(false);
	return rc;
}

/* Clear the nodes that the wrapped plugin refuses even if they are idle. */
static void allowed_nodes_keep_fit(job_record_t *job, bitstr_t *nodes)
{
	uint32_t most = (uint32_t)bit_set_count(nodes);
	struct fit hidden;
	bitstr_t *fit;

	if (most == 0)
		return;
	fit = bit_copy(nodes);
	fit_begin(job, &hidden);
	if (allowed_nodes_test_only(job, fit, 1, most, most) == SLURM_SUCCESS)
		bit_and(nodes, fit);
	fit_end(job, &hidden);
	bit_free(fit);
}

/* Set those of the nodes in `keep` that have this turn, until it has `want`. Return the
 * next turn; UINT64_MAX: there is none. */
static uint64_t keep_turn(bitstr_t *nodes, uint64_t turn, uint32_t want,
			  bitstr_t *keep, uint32_t *have)
{
	uint64_t next = UINT64_MAX;

	for (bitoff_t i = 0; i < bit_size(nodes) && *have < want; i++) {
		uint64_t own;

		if (!bit_test(nodes, i) || bit_test(keep, i))
			continue;
		own = instance_weights_turn(node_record_table_ptr[i]);
		if (own == turn) {
			bit_set(keep, i);
			++*have;
		} else if (own > turn && own < next) {
			next = own;
		}
	}
	return next;
}

/* Reduce the nodes of a job with -w and without a shape to the number that the
 * job gets (`want`): the required nodes, then nodes that are idle and not reserved,
 * then other unreserved nodes (`open`; NULL: all are reserved), then others; of each
 * those that Slurm takes first. O(nodes x distinct weights). */
static void keep_required(const job_record_t *job, uint32_t want,
			  bitstr_t *open, bitstr_t *nodes)
{
	bitstr_t *required = job->details->req_node_bitmap;
	uint32_t have = (uint32_t)bit_set_count(required);
	bitstr_t *keep = bit_copy(required);

	for (int strict = open ? 2 : 0; strict >= 0; strict--) {
		bitstr_t *among = bit_copy(nodes);
		uint64_t turn = 0;

		if (strict > 0)
			bit_and(among, open);
		if (strict > 1)
			bit_and(among, idle_node_bitmap);
		while (have < want && turn != UINT64_MAX)
			turn = keep_turn(among, turn, want, keep, &have);
		bit_free(among);
	}
	bit_and(nodes, keep);
	bit_free(keep);
}

/*
 * --constraint with alternatives in brackets, of which all nodes of the job must have the
 * same one: [fast|slow], ib&[fast|slow]. Slurm tries one after the other when the job
 * starts; a plan needs one set of nodes. It is the first alternative with enough idle
 * nodes, else the first with enough nodes; each snapshot chooses anew. Node counts and
 * parentheses are not evaluated. O(alternatives x nodes / 64).
 */
struct one_feature {
	bitstr_t *nodes;  /* nodes that the job may use */
	bitstr_t *chosen; /* nodes of the chosen alternative; NULL: none yet */
	uint32_t want;
	uint8_t last_op;
	bool idle;         /* count idle nodes only */
	bool alternatives; /* the constraint has alternatives */
	bool other;        /* the constraint has a part that is not evaluated */
};

static int count_feature(void *item, void *arg)
{
	const job_feature_t *feature = item;
	struct one_feature *c = arg;
	bool one_of = feature->op_code == COMPAT_FEATURE_ONE_OF ||
		      c->last_op == COMPAT_FEATURE_ONE_OF;
	bitstr_t *set;

	c->last_op = feature->op_code;
	c->other = c->other || feature->count;
	c->alternatives = c->alternatives || one_of;
	if (!one_of || c->chosen || !feature->node_bitmap_avail)
		return 0;
	set = bit_copy(c->nodes);
	bit_and(set, feature->node_bitmap_avail);
	if ((uint32_t)(c->idle ? bit_overlap(set, idle_node_bitmap) :
				 bit_set_count(set)) >= c->want)
		c->chosen = set;
	else
		bit_free(set);
	return 0;
}

static void one_feature_keep(const job_record_t *job, uint32_t want,
			     bitstr_t *nodes)
{
	const compat_details *d = job->details;
	struct one_feature c = { .nodes = nodes, .want = want };

	if (!d->features || !strchr(d->features, '[') || !d->feature_list)
		return;
	for (int pass = 0; pass < 2 && !c.chosen; pass++) {
		c.idle = pass == 0;
		c.last_op = FEATURE_OP_AND;
		list_for_each(d->feature_list, count_feature, &c);
	}
	if (c.alternatives && !c.other) {
		if (c.chosen)
			bit_and(nodes, c.chosen);
		else
			bit_clear_all(nodes);
	}
	FREE_NULL_BITMAP(c.chosen);
}

/* Return the nodes of the partition that its constraints leave, idle or not, for
 * bit_free(); NULL: none. */
static bitstr_t *allowed_nodes_filter(job_record_t *job,
				      const part_record_t *part)
{
	bitstr_t *required = job->details->req_node_bitmap;
	bitstr_t *nodes = bit_copy(part->node_bitmap);
	bool special = false;

	job_reservations_restrict(job, nodes);
	if (job->details->exc_node_bitmap)
		bit_and_not(nodes, job->details->exc_node_bitmap);
	filter_by_node_owner(job, nodes);
	filter_by_node_mcs(job, slurm_mcs_get_select(job), nodes);
	set_job_features_use(job->details);
	if (valid_feature_counts(job, false, nodes, &special) ||
	    (required && !bit_super_set(required, nodes))) {
		bit_free(nodes);
		return NULL;
	}
	if (special)
		one_feature_keep(job, node_count_of(job, part), nodes);
	return nodes;
}

/* Return the nodes that the job may use, or NULL if there are none. */
static bitstr_t *work_out(job_record_t *job, const part_record_t *part)
{
	bitstr_t *nodes = allowed_nodes_filter(job, part);

	if (nodes && job_class_is_picky(job))
		allowed_nodes_keep_fit(job, nodes);
	if (nodes && job->details->req_node_bitmap &&
	    !job_class_is_placed_around(job, part)) {
		bitstr_t *open = compat_unreserved(job, time(NULL));

		/* -w without a shape: one set, preferably of nodes that are not reserved */
		if (open)
			bit_and(open, nodes);
		keep_required(job, node_count_of(job, part), open, nodes);
		FREE_NULL_BITMAP(open);
	}
	return nodes;
}

/* Return the class of that key; else a free entry near the key's own entry;
 * else its own entry, which is then replaced. */
static struct allowed_class *place_of(struct host *h, uint64_t key)
{
	for (uint64_t i = 0; i < CLASS_PLACES; i++) {
		struct allowed_class *class =
			&h->allowed_classes[(key + i) &
					    (HOST_ALLOWED_CLASSES - 1)];

		if (class->key == key || class->key == 0)
			return class;
	}
	return &h->allowed_classes[key & (HOST_ALLOWED_CLASSES - 1)];
}

/* Set the required nodes of a job with -w. 0, or -1 with ENOMEM. */
static int class_require(struct host *h, const job_record_t *job,
			 const part_record_t *part, struct allowed_class *class)
{
	const bitstr_t *required = job->details->req_node_bitmap;
	uint64_t *map;
	int rc;

	if (!job_class_is_placed_around(job, part))
		return 0;
	map = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, required, map);
	if (torus_bits_count(map, h->words) <
	    (uint32_t)bit_set_count((bitstr_t *)(uintptr_t)required))
		/* some required nodes are in no torus */
		class->outside = class->none = true;
	rc = node_sets_add(h->cycle, map, &class->required);
	torus_scratch_return(&h->scratch, map);
	return rc;
}

const struct allowed_class *
allowed_nodes_class(struct host *h, job_record_t *job, part_record_t *part)
{
	uint64_t key = job_class_key(job, part);
	struct allowed_class *class = place_of(h, key);
	bitstr_t *nodes;
	uint64_t *map;
	int rc;

	if (class->key == key)
		return class;
	nodes = work_out(job, part);
	*class = (struct allowed_class){ .key = key };
	class->none = !nodes || bit_ffs(nodes) < 0;
	if (class->none) {
		FREE_NULL_BITMAP(nodes);
		return class;
	}
	map = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, nodes, map);
	class->least_cpus = limits_node_minimum(nodes).cpus;
	bit_free(nodes);
	class->outside = class->none = torus_bits_count(map, h->words) == 0;
	rc = class->none ? 0 : node_sets_add(h->cycle, map, &class->allowed);
	if (rc == 0 && !class->none)
		rc = job_reservations_outages(h, job, part, map,
					      &class->outages);
	if (rc == 0 && !class->none)
		rc = class_require(h, job, part, class);
	torus_scratch_return(&h->scratch, map);
	if (rc)
		class->key = 0;
	return rc ? NULL : class;
}

/* Return the number of nodes that select_nodes() would choose in the partition if all
 * were idle; 0: it would choose none. */
static uint32_t allowed_nodes_count(job_record_t *job, part_record_t *part)
{
	uint32_t min, target, max, n = 0;
	bitstr_t *nodes;
	assoc_mgr_lock_t locks = { .qos = READ_LOCK };
	uint32_t flags;

	assoc_mgr_lock(&locks);
	flags = job->qos_ptr ? job->qos_ptr->flags : 0;
	assoc_mgr_unlock(&locks);
	if (get_node_cnts(job, flags, part, &min, &target, &max))
		return 0;
	nodes = allowed_nodes_filter(job, part);
	if (nodes && allowed_nodes_test_only(job, nodes, min, target, max) ==
			     SLURM_SUCCESS)
		n = (uint32_t)bit_set_count(nodes);
	FREE_NULL_BITMAP(nodes);
	return n;
}

void allowed_nodes_ask_count(job_record_t *job, part_record_t *part)
{
	uint32_t *nodes = node_count_to_ask(job, part);

	if (nodes)
		*nodes = allowed_nodes_count(job, part);
}
