/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus reservations -v: the largest free box per partition and torus, like `storus
 * slots` of the live cluster.
 */
#include "storus/machine/question.h"
#include "storus/operate/reservations.h"

#include <stdio.h>

#include "torus/alloc.h"

/* An array of a row per partition and torus; NULL: out of memory. */
static json_t *free_rows(const struct storus_question *q)
{
	const struct torus_machine *m = &q->config->machine;
	const struct snapshot *snap = q->snapshot;
	struct largest_free *list = torus_alloc(m->pods, sizeof(*list));
	json_t *rows = list ? json_array() : NULL;

	for (uint32_t i = 0; rows && i < snap->partitions; i++) {
		const struct snapshot_nodes *partition = &snap->partition[i];

		storus_question_allow(&storus_reservations, q, partition->name,
				      q->one);
		if (largest_free_find(q, q->one, list)) {
			json_decref(rows);
			rows = NULL;
		}
		for (uint32_t p = 0; rows && p < m->pods; p++) {
			if (torus_bits_count(partition->map +
						     m->pod[p].first_word,
					     m->pod[p].words) > 0) {
				json_t *o = largest_free_json(q, p, &list[p]);

				json_object_set_new(o, "partition",
						    json_string(partition->name));
				json_array_append_new(rows, o);
			}
		}
	}
	torus_free(list);
	return rows;
}

json_t *reservations_free(struct torus_error *err)
{
	struct storus_question q = { 0 };
	json_t *rows = NULL;

	if (storus_question_machine(&q, err) == STORUS_DONE)
		rows = free_rows(&q);
	if (!rows && !err->count)
		torus_error_add(err, "out of memory");
	storus_question_free(&q);
	return rows;
}

int reservations_print_free(const json_t *rows)
{
	static const struct storus_column columns[] = {
		{ "partition", 0, "PARTITION", .width = -12 },
		{ "torus", 0, "TORUS", .width = -12 },
		{ "free", 0, "FREE", .width = 8 },
		{ "largest", 0, "LARGEST", .width = -1, .at = "largest.region" },
		{ 0 },
	};
	struct storus_table t = { .column = columns };
	int status;

	for (size_t i = 0; i < json_array_size(rows); i++)
		storus_table_row(&t, json_incref(json_array_get(rows, i)));
	status = storus_table_end(&storus_reservations, &t);
	printf("\n");
	return status;
}
