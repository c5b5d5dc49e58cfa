/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus import tpu: pods of Google's TPUs, and AWS's Trainium. Vertices are chips; a
 * host has a box of them. A slice of a pod in three dimensions has wrap-around links
 * if it is made of whole cubes of 4x4x4 chips, whose faces optical switches connect;
 * a slice of one in two dimensions along those that it has whole. Others are meshes.
 */
#include "storus/vendor/import.h"
#include "torus/number.h"

#include <stdlib.h>
#include <string.h>

struct tpu_type {
	const char *name;
	uint32_t dims;
	uint32_t size[3]; /* chips of a whole pod */
	uint32_t host[3]; /* chips of a host */
	bool cubes;       /* wraps in whole cubes; else in whole dimensions */
};

static const struct tpu_type tpu_types[] = {
	{ "v4", 3, { 16, 16, 16 }, { 2, 2, 1 }, true },
	{ "v5p", 3, { 16, 20, 28 }, { 2, 2, 1 }, true },
	{ "7x", 3, { 16, 24, 24 }, { 2, 2, 1 }, true },
	{ "v5e", 2, { 16, 16, 1 }, { 2, 2, 1 }, false },
	{ "v6e", 2, { 16, 16, 1 }, { 2, 2, 1 }, false },
	{ "trn2", 2, { 4, 4, 1 }, { 4, 4, 1 }, false },
	{ "trn2u", 3, { 4, 4, 4 }, { 4, 4, 1 }, false },
};

/* Other names of the types: of slices, and of machine types. */
static const char *const tpu_aliases[][2] = {
	{ "tpu7x", "7x" },
	{ "v7x", "7x" },
	{ "ironwood", "7x" },
	{ "v5litepod", "v5e" },
	{ "v5lite", "v5e" },
	{ "ct5lp", "v5e" },
	{ "ct6e", "v6e" },
	{ "ct4p", "v4" },
	{ "ct5p", "v5p" },
	{ "trn2.48xlarge", "trn2" },
	{ "trn2u.48xlarge", "trn2u" },
};

/* Slices in two dimensions by their number of chips. */
static const struct {
	uint32_t chips;
	const char *dims;
} tpu_slices[] = {
	{ 4, "2x2" },  { 8, "2x4" },    { 16, "4x4" },    { 32, "4x8" },
	{ 64, "8x8" }, { 128, "8x16" }, { 256, "16x16" },
};

#define TPU_TYPES (sizeof(tpu_types) / sizeof(*tpu_types))
#define TPU_ALIASES (sizeof(tpu_aliases) / sizeof(*tpu_aliases))
#define TPU_SLICES (sizeof(tpu_slices) / sizeof(*tpu_slices))
#define TPU_NAMES "v4, v5p, tpu7x, v5e (v5litepod), v6e, trn2 or trn2u"
#define CUBE 4

/* Return the type of such a name of n bytes, or NULL. */
static const struct tpu_type *tpu_named(const char *name, size_t n)
{
	for (size_t i = 0; i < TPU_ALIASES; i++)
		if (strlen(tpu_aliases[i][0]) == n &&
		    !strncmp(tpu_aliases[i][0], name, n))
			return tpu_named(tpu_aliases[i][1],
					 strlen(tpu_aliases[i][1]));
	for (size_t i = 0; i < TPU_TYPES; i++)
		if (strlen(tpu_types[i].name) == n &&
		    !strncmp(tpu_types[i].name, name, n))
			return &tpu_types[i];
	return NULL;
}

/* Return whether the name is that of hosts with 2x4 chips. */
static bool tpu_eight(const struct tpu_type *type, const char *name)
{
	size_t n = strlen(name);

	return type->dims == 2 && type->host[0] == 2 && n > 3 &&
	       !strcmp(name + n - 3, "-8t");
}

/* Read the "-256" of a slice in three dimensions: the usual box of that many cores. */
static bool tpu_read_cores(const char *text, uint32_t *box)
{
	uint64_t cores;

	if (*text != '-' || !torus_number_whole(text + 1, 8, 8192, &cores) ||
	    cores & (cores - 1))
		return false;
	box[0] = box[1] = 2;
	box[2] = 1;
	for (uint64_t chips = 4; chips < cores / 2; chips *= 2) {
		int least = box[1] < box[2] ? 1 : 2;

		box[box[0] < box[least] ? 0 : least] *= 2;
	}
	return true;
}

/* Find the type. A number behind the name of one in two dimensions is that of the
 * chips of a slice: *dims. */
static const struct tpu_type *tpu_find(const char *name, const char **dims,
				       struct torus_error *err)
{
	size_t n = strcspn(name, "-");
	const struct tpu_type *type = tpu_named(name, n);
	uint32_t box[3];
	uint64_t chips;

	/* a machine type of hosts with four chips names no slice, one with eight chips a
	 * slice of one host */
	if (type && (!name[n] || !strcmp(name + n, "-standard-4t") ||
		     !strcmp(name + n, "-hightpu-4t")))
		return type;
	if (type && tpu_eight(type, name)) {
		*dims = *dims ? *dims : "2x4";
		return type;
	}
	for (size_t i = 0; type && type->dims == 2 && i < TPU_SLICES; i++)
		if (torus_number_whole(name + n + 1, 1, 256, &chips) &&
		    tpu_slices[i].chips == chips && type->size[0] == 16) {
			*dims = *dims ? *dims : tpu_slices[i].dims;
			return type;
		}
	if (type && type->dims == 3 && tpu_read_cores(name + n, box))
		torus_error_add(err,
				"unknown type \"%s\": this counts cores, two a chip, and chips go into --dims: %s --dims %ux%ux%u",
				name, type->name, box[0], box[1], box[2]);
	else if (type)
		torus_error_add(err,
				"unknown type \"%s\"; the chips of a slice go into --dims: %s --dims %s",
				name, type->name,
				type->dims == 2 ? "4x4" : "4x4x8");
	else
		torus_error_add(err, "unknown type \"%s\"; expected %s", name,
				TPU_NAMES);
	return NULL;
}

/* --dims: numbers of chips. */
static bool tpu_read_dims(const char *text, struct import_torus *t,
			  struct torus_error *err)
{
	const char *at = text;

	for (uint32_t d = 0; d < t->dims; d++) {
		uint64_t n;
		const char *end = torus_number_scan_whole(at, 4096, &n);

		if (*at == '0' || !end ||
		    *end != (d + 1 < t->dims ? 'x' : '\0')) {
			torus_error_add(err,
					"--dims: got \"%s\"; expected chips along x%s: %s",
					text,
					t->dims == 2 ? " and y" : ", y and z",
					t->dims == 2 ? "8x16" : "8x8x16");
			return false;
		}
		t->size[d] = (uint32_t)n;
		at = end + 1;
	}
	return true;
}

/* Check that a pod holds the slice: by its chips where switches connect cubes. */
static bool tpu_pod_holds(const struct tpu_type *type,
			  const struct import_torus *t, struct torus_error *err)
{
	uint64_t slice = 1, pod = 1;
	bool holds = true;
	char text[64] = "";

	for (uint32_t d = 0; d < t->dims; d++) {
		size_t used = strlen(text);

		slice *= t->size[d];
		pod *= type->size[d];
		holds &= type->cubes || t->size[d] <= type->size[d];
		snprintf(text + used, sizeof(text) - used, "%s%u", d ? "x" : "",
			 t->size[d]);
	}
	if (slice > pod || !holds)
		torus_error_add(err,
				"--dims: %s is %llu chips; a %s pod has %llu%s",
				text, (unsigned long long)slice, type->name,
				(unsigned long long)pod,
				holds ? "" : ", and fewer along a dimension");
	return slice <= pod && holds;
}

static bool tpu_torus(const struct import_words *words, struct import_torus *t,
		      struct torus_error *err)
{
	const char *dims = words->dims;
	const struct tpu_type *type = tpu_find(words->operand, &dims, err);
	bool whole = true;

	if (!type)
		return false;
	*t = (struct import_torus){ .name = type->name, .dims = type->dims };
	memcpy(t->size, type->size, sizeof(type->size));
	memcpy(t->unit, type->host, sizeof(type->host));
	if (tpu_eight(type, words->operand))
		t->unit[1] = 4;
	if (dims &&
	    (!tpu_read_dims(dims, t, err) || !tpu_pod_holds(type, t, err)))
		return false;
	for (uint32_t d = 0; d < t->dims; d++)
		whole &= t->size[d] % CUBE == 0;
	for (uint32_t d = 0; d < t->dims; d++) {
		t->wrap[d] = type->cubes ? whole : t->size[d] == type->size[d];
		t->grain[d] = words->cubes ? CUBE : 0;
	}
	if (words->cubes && !type->cubes)
		torus_error_add(err, "--cubes: a %s has none", type->name);
	else if (words->cubes && !whole)
		torus_error_add(err,
				"--cubes: %ux%ux%u chips are not whole cubes of 4x4x4",
				t->size[0], t->size[1], t->size[2]);
	return err->text[0] == '\0' && import_torus_nodes(t, err) > 0;
}

static int tpu_run(const struct import_words *words, FILE *out,
		   struct torus_error *err)
{
	struct import_torus t;
	char nodes[64], chips[64] = "", host[64] = "";
	uint32_t hosts;
	bool wrap = false;

	if (!tpu_torus(words, &t, err))
		return STORUS_USAGE;
	import_default_nodes(&t, nodes, sizeof(nodes));
	for (uint32_t d = 0; d < t.dims; d++) {
		size_t used = strlen(chips), at = strlen(host);

		snprintf(chips + used, sizeof(chips) - used, "%s%u",
			 d ? "x" : "", t.size[d]);
		snprintf(host + at, sizeof(host) - at, "%s%u", d ? "x" : "",
			 t.unit[d]);
		wrap |= t.wrap[d];
	}
	hosts = (t.dims == 2 ? 16 : 64) / (t.unit[0] * t.unit[1]);
	fprintf(out,
		"# %s %s, %s chips. Shapes and coordinates are in chips; a node is a\n"
		"# host of %s chips, and --geometry=%s asks for %u host%s.\n",
		t.name[0] == 't' ? "Trainium" : "TPU", t.name, chips, host,
		t.dims == 2 ? "4x4" : "4x4x4", hosts, hosts == 1 ? "" : "s");
	if (!wrap && t.dims == 2)
		fputs("# No whole dimension of a pod: a mesh.\n", out);
	else if (!wrap)
		fputs("# Less than whole cubes of 4x4x4 chips: a mesh.\n", out);
	fputs("toruses:\n", out);
	import_torus_write(out, &t, words->nodes ? words->nodes : nodes);
	if (t.dims == 3 && t.unit[0] == 2)
		torus_error_add(err,
				"notice: a twisted torus and slices that optical switches connect across the pod are not described; regions are boxes");
	return STORUS_DONE;
}

const struct importer import_tpu = {
	.name = "tpu",
	.operand = "TYPE (" TPU_NAMES ")",
	.summary = "a pod of TPUs or Trainium",
	.takes_nodes = true,
	.takes_dims = true,
	.run = tpu_run,
};
