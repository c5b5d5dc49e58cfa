/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus import tpu: pods of Google's TPUs with a three-dimensional network.
 * Vertices are chips; a host has 2x2x1 of them. A slice has wrap-around links
 * along a dimension if it is made of whole cubes of 4x4x4 chips, whose faces
 * optical switches connect; smaller ones are meshes.
 */
#include "storus/vendor/import.h"
#include "torus/number.h"

#include <stdlib.h>
#include <string.h>

struct tpu_type {
	const char *name;
	uint32_t size[3]; /* chips of a whole pod */
};

static const struct tpu_type tpu_types[] = {
	{ "v4", { 16, 16, 16 } },
	{ "v5p", { 16, 20, 28 } },
	{ "7x", { 16, 24, 24 } },
};

#define TPU_TYPES (sizeof(tpu_types) / sizeof(*tpu_types))
#define CUBE 4

static const struct tpu_type *tpu_find(const char *name, struct torus_error *err)
{
	for (size_t i = 0; i < TPU_TYPES; i++) {
		if (strcmp(tpu_types[i].name, name) == 0)
			return &tpu_types[i];
	}
	torus_error_add(err, "unknown type \"%s\"; expected v4, v5p or 7x%s",
			name,
			strchr(name, '-') ?
				"; the chips of a slice go into --dims: v4 --dims 4x4x8" :
				"");
	return NULL;
}

/* --dims: three numbers of chips. */
static bool tpu_read_dims(const char *text, uint32_t *size,
			  struct torus_error *err)
{
	const char *at = text;

	for (int d = 0; d < 3; d++) {
		uint64_t n;
		const char *end = torus_number_scan_whole(at, 4096, &n);

		if (*at == '0' || !end || *end != (d < 2 ? 'x' : '\0')) {
			torus_error_add(err,
					"--dims: got \"%s\"; expected chips along x, y and z: 8x8x16",
					text);
			return false;
		}
		size[d] = (uint32_t)n;
		at = end + 1;
	}
	return true;
}

static bool tpu_pod_holds(const struct tpu_type *type, const uint32_t *size,
			  struct torus_error *err)
{
	uint64_t slice = 1, pod = 1;

	for (int d = 0; d < 3; d++) {
		slice *= size[d];
		pod *= type->size[d];
	}
	if (slice > pod)
		torus_error_add(err,
				"--dims: %ux%ux%u is %llu chips; a %s pod has %llu",
				size[0], size[1], size[2],
				(unsigned long long)slice, type->name,
				(unsigned long long)pod);
	return slice <= pod;
}

static bool tpu_torus(const struct import_words *words, struct import_torus *t,
		      struct torus_error *err)
{
	const struct tpu_type *type = tpu_find(words->operand, err);
	bool whole = true;

	if (!type)
		return false;
	*t = (struct import_torus){ .name = type->name,
				    .dims = 3,
				    .unit = { 2, 2, 1 } };
	memcpy(t->size, type->size, sizeof(type->size));
	if (words->dims && (!tpu_read_dims(words->dims, t->size, err) ||
			    !tpu_pod_holds(type, t->size, err)))
		return false;
	for (uint32_t d = 0; d < 3; d++)
		whole &= t->size[d] % CUBE == 0;
	for (uint32_t d = 0; d < 3; d++) {
		t->wrap[d] = whole;
		t->grain[d] = words->cubes ? CUBE : 0;
	}
	if (words->cubes && !whole)
		torus_error_add(err,
				"--cubes: %ux%ux%u chips are not whole cubes of 4x4x4",
				t->size[0], t->size[1], t->size[2]);
	return err->text[0] == '\0' && import_torus_nodes(t, err) > 0;
}

static int tpu_run(const struct import_words *words, FILE *out,
		   struct torus_error *err)
{
	struct import_torus t;
	char nodes[64];

	if (!tpu_torus(words, &t, err))
		return STORUS_USAGE;
	import_default_nodes(&t, nodes, sizeof(nodes));
	fprintf(out,
		"# TPU %s, %ux%ux%u chips. Shapes and coordinates are in chips; a node is a\n"
		"# host of 2x2x1 chips, and --geometry=4x4x4 asks for 16 hosts.\n",
		t.name, t.size[0], t.size[1], t.size[2]);
	if (!t.wrap[0])
		fputs("# Less than whole cubes of 4x4x4 chips: a mesh.\n", out);
	fputs("toruses:\n", out);
	import_torus_write(out, &t, words->nodes ? words->nodes : nodes);
	torus_error_add(err,
			"notice: a twisted torus and slices that optical switches connect across the pod are not described; regions are boxes");
	return STORUS_DONE;
}

const struct importer import_tpu = {
	.name = "tpu",
	.operand = "TYPE (v4, v5p or 7x)",
	.summary = "a TPU pod",
	.takes_nodes = true,
	.takes_dims = true,
	.run = tpu_run,
};
