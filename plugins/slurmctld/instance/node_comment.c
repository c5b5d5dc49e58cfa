/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coordinates as comments of Slurm's nodes (`scontrol show node`), for
 * node_comment: true in torus.yaml: Comment=torus:pod0:1,0,1. A comment without
 * that prefix is an administrator's and stays. O(nodes).
 */
#include "slurmctld/instance/instance.h"

#define PREFIX "torus:"

/* The node's comment; NULL if it lies in no torus. The caller frees it. */
static char *comment_of(const struct instance *in, uint32_t bit)
{
	const struct torus_machine *m = in->machine;
	uint32_t coord[TORUS_MAX_DIMS], p = 0;
	const struct torus *t;
	char *text = NULL;

	if (bit == UINT32_MAX)
		return NULL;
	while (p + 1 < m->pods && bit / 64 >= m->pod[p + 1].first_word)
		p++;
	if (m->pod[p].outside)
		return NULL;
	t = &m->pod[p].torus;
	torus_coord(t, bit - m->pod[p].first_word * 64, coord);
	xstrfmtcat(text, PREFIX "%s:", t->name);
	for (uint32_t d = 0; d < t->dims; d++)
		xstrfmtcat(text, "%s%u", d ? "," : "", coord[d] * t->unit[d]);
	return text;
}

void instance_comment_nodes(const struct instance *in)
{
	if (!in->config->live.node_comment)
		return;
	for (uint32_t i = 0; i < in->map.nodes; i++) {
		node_record_t *node = node_record_table_ptr[i];

		if (!node ||
		    (node->comment && node->comment[0] &&
		     xstrncmp(node->comment, PREFIX, sizeof(PREFIX) - 1) != 0))
			continue;
		xfree(node->comment);
		node->comment = comment_of(in, in->map.bit_of[i]);
	}
}
