/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus import mgd: Tenstorrent's mesh graph descriptors. Every mesh that the
 * top level instantiates becomes a torus: its devices are the vertices, a host
 * is a box of them. The file counts rows before columns, last dimension
 * fastest; torus.yaml counts the other way around, so the dimensions are
 * written in reverse. Links between meshes, express connections, pinnings and
 * descriptors that no instance uses are reported, not translated.
 */
#include "config/file.h"
#include "storus/vendor/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "storus/vendor/textproto.h"
#include "torus/alloc.h"
#include "torus/number.h"

#define MOST_INSTANCES 4096

struct mgd {
	const char *file;
	const struct textproto *root;
	const struct import_words *words;
	FILE *out;
	struct torus_error *err;
	uint32_t meshes; /* written so far */
	/* the descriptor of each instance so far, of a mesh or a graph */
	const struct textproto *used[MOST_INSTANCES];
	uint32_t instances;
};

static int mgd_wrong(const struct mgd *m, const struct textproto *at,
		     const char *what, const char *got)
{
	const char *open = got ? " \"" : "", *close = got ? "\"" : "";

	got = got ? got : "";
	if (at->line) /* the file as a whole has none */
		torus_error_add(m->err, "%s:%u: %s%s%s%s", m->file, at->line,
				what, open, got, close);
	else
		torus_error_add(m->err, "%s: %s%s%s%s", m->file, what, open,
				got, close);
	return STORUS_USAGE;
}

/* The descriptor of that name, in a list of them. */
static const struct textproto *mgd_descriptor(const struct mgd *m,
					      const char *list, const char *name)
{
	const struct textproto *d = NULL;

	while ((d = textproto_next(m->root, list, d))) {
		const char *is = textproto_text(d, "name");

		if (is && name && strcmp(is, name) == 0)
			return d;
	}
	return NULL;
}

/* Note an instance. There is a limit: a short file may describe 2^32 of them, by
 * graphs that each contain another one twice. */
static int mgd_use(struct mgd *m, const struct textproto *instance,
		   const struct textproto *descriptor)
{
	if (m->instances == MOST_INSTANCES)
		return mgd_wrong(m, instance,
				 "more than 4,096 meshes and graphs", NULL);
	m->used[m->instances++] = descriptor;
	return STORUS_DONE;
}

static bool mgd_is_used(const struct mgd *m, const struct textproto *descriptor)
{
	for (uint32_t i = 0; i < m->instances; i++) {
		if (m->used[i] == descriptor)
			return true;
	}
	return false;
}

/* Its numbers, last first; how many, or 0 where one is none or too large. */
static uint32_t mgd_dims(const struct textproto *topology, uint32_t *size)
{
	const struct textproto *f = NULL;
	uint32_t n = 0;

	while (topology && (f = textproto_next(topology, "dims", f))) {
		const char *digits = f->text ? f->text : "";
		uint64_t v;

		if (*digits == '0' ||
		    !torus_number_whole(digits, 1, 65536, &v) ||
		    n == TORUS_MAX_DIMS)
			return 0;
		memmove(size + 1, size, n * sizeof(*size));
		size[0] = (uint32_t)v;
		n++;
	}
	return n;
}

/* Read RING or LINE per dimension, last first; without any: LINE. */
static int mgd_wraps(const struct mgd *m, const struct textproto *topology,
		     uint32_t dims, bool *wrap)
{
	static const char *const names[] = { "dim_types", "types" };
	uint32_t n = 0;

	for (size_t i = 0; i < 2; i++) {
		const struct textproto *f = NULL;

		while ((f = textproto_next(topology, names[i], f))) {
			bool ring = f->text && strcmp(f->text, "RING") == 0;

			if (!ring && !(f->text && strcmp(f->text, "LINE") == 0))
				return mgd_wrong(m, f,
						 "expected RING or LINE, got",
						 f->text ? f->text : "{");
			if (n == dims)
				return mgd_wrong(m, f, "more types than dims",
						 NULL);
			wrap[dims - ++n] = ring;
		}
	}
	return n == 0 || n == dims ?
		       STORUS_DONE :
		       mgd_wrong(m, topology, "fewer types than dims", NULL);
}

static int mgd_torus(const struct mgd *m, const struct textproto *mesh,
		     struct import_torus *t)
{
	const struct textproto *devices =
		textproto_next(mesh, "device_topology", NULL);
	const struct textproto *hosts = textproto_next(mesh, "host_topology",
						       NULL);
	uint32_t host[TORUS_MAX_DIMS] = { 0 };

	t->dims = mgd_dims(devices, t->size);
	if (t->dims == 0)
		return mgd_wrong(m, mesh,
				 "device_topology: expected dims: [ 8, 4 ]",
				 NULL);
	if (mgd_dims(hosts, host) != t->dims)
		return mgd_wrong(m, mesh,
				 "host_topology: expected as many dims as device_topology has",
				 NULL);
	for (uint32_t d = 0; d < t->dims; d++) {
		if (t->size[d] % host[d])
			return mgd_wrong(m, mesh,
					 "host_topology: the hosts do not divide the devices",
					 NULL);
		t->unit[d] = t->size[d] / host[d];
	}
	return mgd_wraps(m, devices, t->dims, t->wrap);
}

/* path: what its name begins with: "POD-1-" in instance 1 of the graph POD; "" in
 * the graph of the top level. */
static int mgd_mesh(struct mgd *m, const struct textproto *ref, const char *path)
{
	const char *name = textproto_text(ref, "mesh_descriptor");
	const char *id = textproto_text(ref, "mesh_id");
	const struct textproto *mesh = mgd_descriptor(m, "mesh_descriptors",
						      name);
	struct import_torus t = { 0 };
	char torus[TORUS_NAME_SIZE], nodes[128];
	int status, used;

	if (!mesh)
		return mgd_wrong(m, ref, "no mesh_descriptors with the name",
				 name ? name : "");
	m->meshes++;
	status = mgd_use(m, ref, mesh);
	if (status == STORUS_DONE)
		status = mgd_torus(m, mesh, &t);
	if (status != STORUS_DONE)
		return status;
	used = snprintf(torus, sizeof(torus), "%s%.40s-%.10s", path, name,
			id ? id : "0");
	if (used >= (int)sizeof(torus))
		return mgd_wrong(m, ref,
				 "the names of this mesh and of the graphs around it are too long together:",
				 torus);
	t.name = torus;
	if (import_torus_nodes(&t, m->err) == 0)
		return STORUS_USAGE;
	import_default_nodes(&t, nodes, sizeof(nodes));
	if (m->words->nodes && m->meshes > 1)
		return mgd_wrong(m, ref,
				 "--nodes names the nodes of one mesh; there are more: edit the names in the output",
				 NULL);
	import_torus_write(m->out, &t,
			   m->words->nodes ? m->words->nodes : nodes);
	if (textproto_next(mesh, "express_connections", NULL))
		torus_error_add(m->err,
				"notice: the express connections of %s are not described in torus.yaml",
				torus);
	return STORUS_DONE;
}

static int mgd_instance(struct mgd *m, const struct textproto *instance,
			const char *path, uint32_t depth);

/* All meshes of a graph. An id is unique only within its graph, so the names of
 * meshes in a graph of another graph begin with the name and id of their graph. */
static int mgd_graph(struct mgd *m, const struct textproto *ref,
		     const struct textproto *graph, const char *path,
		     uint32_t depth)
{
	const struct textproto *i = NULL;
	const char *id = textproto_text(ref, "graph_id");
	char inner[TORUS_NAME_SIZE] = "";
	int status = mgd_use(m, ref, graph);

	if (depth > 0)
		snprintf(inner, sizeof(inner), "%s%.40s-%.10s-", path,
			 textproto_text(graph, "name"), id ? id : "0");
	while (status == STORUS_DONE &&
	       (i = textproto_next(graph, "instances", i)))
		status = mgd_instance(m, i, inner, depth + 1);
	return status;
}

/* A mesh, or all meshes of a graph. */
static int mgd_instance(struct mgd *m, const struct textproto *instance,
			const char *path, uint32_t depth)
{
	const struct textproto *mesh = textproto_next(instance, "mesh", NULL);
	const struct textproto *ref = textproto_next(instance, "graph", NULL);
	const char *name = ref ? textproto_text(ref, "graph_descriptor") : NULL;
	const struct textproto *graph;

	if (mesh)
		return mgd_mesh(m, mesh, path);
	graph = mgd_descriptor(m, "graph_descriptors", name);
	if (!graph || depth > TEXTPROTO_DEPTH)
		return mgd_wrong(m, instance,
				 graph ? "graphs that contain one another:" :
					 "no graph_descriptors with the name",
				 name ? name : "");
	return mgd_graph(m, ref, graph, path, depth);
}

/* Report what the top level does not use. */
static void mgd_note_unused(const struct mgd *m)
{
	static const char *const lists[][2] = {
		{ "mesh_descriptors", "mesh" },
		{ "graph_descriptors", "graph" },
	};

	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		const struct textproto *d = NULL;

		while ((d = textproto_next(m->root, lists[k][0], d))) {
			const char *name = textproto_text(d, "name");

			if (!mgd_is_used(m, d))
				torus_error_add(m->err,
						"notice: the %s \"%s\" of line %u is in no instance of the top level: it is not described",
						lists[k][1], name ? name : "",
						d->line);
		}
	}
}

static int mgd_write(struct mgd *m)
{
	const struct textproto *top =
		textproto_next(m->root, "top_level_instance", NULL);
	int status;

	if (!top)
		return mgd_wrong(m, m->root,
				 "no top_level_instance; expected for example: top_level_instance { mesh { mesh_descriptor: \"M0\" mesh_id: 0 } }",
				 NULL);
	fputs("# From a mesh graph descriptor. Shapes and coordinates are in devices, columns\n"
	      "# before rows; a node is a host with a box of them. Nodes stand in the order of\n"
	      "# the hosts, columns fastest: replace their names by those of slurm.conf. The\n"
	      "# number of channels of a link and their policy are not described.\n"
	      "toruses:\n",
	      m->out);
	if (textproto_next(m->root, "pinnings", NULL))
		torus_error_add(m->err,
				"notice: the pinnings of devices to trays are not described");
	status = mgd_instance(m, top, "", 0);
	if (status == STORUS_DONE && !textproto_next(top, "mesh", NULL))
		torus_error_add(m->err,
				"notice: the links between meshes are not described; a region lies in one mesh");
	if (status == STORUS_DONE)
		mgd_note_unused(m);
	return status;
}

static int mgd_run(const struct import_words *words, FILE *out,
		   struct torus_error *err)
{
	struct arena arena = { 0 };
	struct mgd m = {
		.file = words->operand, .words = words, .out = out, .err = err
	};
	size_t length = 0;
	char *text = torus_file_text(words->operand, &length, err);
	int status = STORUS_USAGE;

	if (!text)
		return status;
	m.root = textproto_read(&arena, words->operand, text, length, err);
	if (m.root)
		status = mgd_write(&m);
	else if (errno == ENOMEM)
		status = STORUS_TROUBLE;
	torus_arena_free(&arena);
	torus_free(text);
	return status;
}

const struct importer import_mgd = {
	.name = "mgd",
	.operand = "FILE (a mesh graph descriptor)",
	.summary = "Tenstorrent's mesh graph descriptor, as .textproto",
	.takes_nodes = true,
	.run = mgd_run,
};
