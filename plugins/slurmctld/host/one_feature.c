/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --constraint with alternatives in brackets, of which all nodes of the job must
 * have the same one: [fast|slow], ib&[fast|slow]. Slurm tries one after the other
 * when the job starts; a plan needs one set of nodes. It is the first alternative
 * with enough idle nodes, else the first with enough nodes; each snapshot chooses
 * anew.
 *
 * Node counts and parentheses are not evaluated. O(alternatives x nodes / 64).
 */
#include "torus_build.h" /* before Slurm's config.h */

#include "slurmctld/host/host.h"
#include "slurmctld/host/one_feature.h"

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

void one_feature_keep(const job_record_t *job, uint32_t want, bitstr_t *nodes)
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
