/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus import mgd: Tenstorrent's mesh graph descriptors. Every mesh that the
 * top level instantiates becomes a torus: its devices are the vertices, a host
 * is a box of them. The file counts rows before columns, last dimension
 * fastest; torus.yaml counts the other way around, so the dimensions are
 * written in reverse. Equal meshes of a graph that connections with
 * assign_z_direction make a chain or a ring are one torus with one more dimension.
 * Every other field, and descriptors that no instance uses, are reported.
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
#define MOST_UNREAD 64 /* kinds of fields that are reported */
#define NONE UINT32_MAX
#define NAME_LETTERS                                                           \
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-."

struct mgd {
	const char *file;
	const struct textproto *root;
	const struct import_words *words;
	FILE *out;
	struct torus_error *err;
	struct arena *arena;
	uint32_t toruses; /* written so far */
	const char *names[MOST_INSTANCES];
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

/* Make a name legal and unlike those before, in the arena. NULL without memory. */
static const char *mgd_name(struct mgd *m, const struct textproto *at,
			    const char *text)
{
	char name[TORUS_NAME_SIZE];
	uint32_t n = 1;
	bool twice = true;

	snprintf(name, sizeof(name), "%s", text);
	for (char *p = name; *p; p++)
		if (!strchr(NAME_LETTERS, *p) ||
		    (p == name && strchr("_-.", *p)))
			*p = p == name ? 'm' : '-';
	while (twice) {
		twice = false;
		for (uint32_t i = 0; i < m->toruses && !twice; i++)
			twice = !strcmp(m->names[i], name);
		if (twice)
			snprintf(name, sizeof(name), "%.55s-%u", text, ++n);
	}
	if (strcmp(name, text) != 0)
		torus_error_add(m->err, "notice: %s:%u: \"%s\" is called \"%s\"",
				m->file, at->line, text, name);
	return torus_arena_text(m->arena, name, strlen(name));
}

/* A mesh of a graph, or of the top level. */
struct mgd_mesh {
	const struct textproto *ref;
	const char *name; /* from its descriptor and id */
	struct import_torus torus;
	uint32_t next[2]; /* meshes along z, or NONE */
	bool twice;       /* two links lead to next[0] */
	bool branched;    /* more than two meshes, or unlike ones */
	bool written;
};

/* path: what its name begins with: "POD-1-" in instance 1 of the graph POD; "" in
 * the graph of the top level. */
static int mgd_mesh_read(struct mgd *m, const struct textproto *ref,
			 const char *path, struct mgd_mesh *mesh)
{
	const char *name = textproto_text(ref, "mesh_descriptor");
	const char *id = textproto_text(ref, "mesh_id");
	const struct textproto *d = mgd_descriptor(m, "mesh_descriptors", name);
	char text[TORUS_NAME_SIZE];
	int status;

	*mesh = (struct mgd_mesh){ .ref = ref, .next = { NONE, NONE } };
	if (!d)
		return mgd_wrong(m, ref, "no mesh_descriptors with the name",
				 name ? name : "");
	status = mgd_use(m, ref, d);
	if (status == STORUS_DONE)
		status = mgd_torus(m, d, &mesh->torus);
	if (status != STORUS_DONE)
		return status;
	if (snprintf(text, sizeof(text), "%s%.40s-%.10s", path, name,
		     id ? id : "0") >= (int)sizeof(text))
		return mgd_wrong(m, ref,
				 "the names of this mesh and of the graphs around it are too long together:",
				 text);
	mesh->name = torus_arena_text(m->arena, text, strlen(text));
	return mesh->name ? STORUS_DONE : STORUS_TROUBLE;
}

/* Write meshes along z, or one, as a torus with that name. */
static int mgd_write_torus(struct mgd *m, struct mgd_mesh *const *mesh,
			   uint32_t count, const char *name, bool wrap)
{
	struct import_torus t = mesh[0]->torus;
	struct torus_text nodes = { 0 };
	int status = STORUS_DONE;
	char text[128];

	if (count > 1) {
		t.size[t.dims] = count;
		t.unit[t.dims] = 1;
		t.wrap[t.dims++] = wrap;
	}
	t.name = mgd_name(m, mesh[0]->ref, name);
	if (!t.name)
		return STORUS_TROUBLE;
	if (import_torus_nodes(&t, m->err) == 0)
		return STORUS_USAGE;
	m->names[m->toruses++] = t.name;
	if (m->words->nodes && m->toruses > 1)
		return mgd_wrong(m, mesh[0]->ref,
				 "--nodes names the nodes of one mesh; there are more: edit the names in the output",
				 NULL);
	for (uint32_t i = 0; i < count && status == STORUS_DONE; i++) {
		struct import_torus one = mesh[i]->torus;

		one.name = count > 1 ?
				   mgd_name(m, mesh[i]->ref, mesh[i]->name) :
				   t.name;
		mesh[i]->written = true;
		if (!one.name)
			status = STORUS_TROUBLE;
		else
			import_default_nodes(&one, text, sizeof(text));
		if (status == STORUS_DONE &&
		    torus_text_add(&nodes, "%s%s", i ? "," : "", text))
			status = STORUS_TROUBLE;
	}
	if (status == STORUS_DONE)
		import_torus_write(m->out, &t,
				   m->words->nodes ? m->words->nodes :
						     nodes.data);
	torus_text_free(&nodes);
	return status;
}

/* Return the mesh that an end of a connection names, or NONE. */
static uint32_t mgd_mesh_find(const struct textproto *end,
			      const struct mgd_mesh *mesh, uint32_t n)
{
	const struct textproto *ref = textproto_next(end, "mesh", NULL);
	const char *name = ref ? textproto_text(ref, "mesh_descriptor") : NULL;
	const char *id = ref ? textproto_text(ref, "mesh_id") : NULL;

	for (uint32_t i = 0; i < n && name; i++) {
		const char *is = textproto_text(mesh[i].ref, "mesh_id");

		if (!strcmp(textproto_text(mesh[i].ref, "mesh_descriptor"),
			    name) &&
		    !strcmp(is ? is : "0", id ? id : "0"))
			return i;
	}
	return NONE;
}

static bool mgd_mesh_equal(const struct import_torus *a,
			   const struct import_torus *b)
{
	bool equal = a->dims == b->dims && a->dims < TORUS_MAX_DIMS;

	for (uint32_t d = 0; equal && d < a->dims; d++)
		equal = a->size[d] == b->size[d] && a->unit[d] == b->unit[d] &&
			a->wrap[d] == b->wrap[d];
	return equal;
}

/* Note that mesh a has b beside it along z. */
static void mgd_beside(struct mgd_mesh *mesh, uint32_t a, uint32_t b)
{
	struct mgd_mesh *m = &mesh[a];

	if (m->next[0] == b)
		m->twice = true;
	else if (m->next[1] != b && m->next[1] == NONE)
		m->next[m->next[0] != NONE] = b;
	else if (m->next[1] != b)
		m->branched = true;
	m->branched |= a == b || !mgd_mesh_equal(&m->torus, &mesh[b].torus);
}

/* Find the chain or ring of a mesh: its meshes in order. Return how many; 1 if it is
 * none. */
static uint32_t mgd_chain(struct mgd_mesh *mesh, uint32_t i,
			  struct mgd_mesh **chain, bool *wrap)
{
	uint32_t first = i, last = NONE, n = 0, next;

	*wrap = false;
	do { /* to one end, or around */
		next = mesh[i].next[mesh[i].next[0] == last];
		last = i;
		i = next == last ? NONE : next;
	} while (i != NONE && i != first);
	*wrap = i == first;
	i = *wrap ? first : last;
	for (first = i, last = NONE; i != NONE && (n == 0 || i != first);) {
		if (mesh[i].branched)
			return 1;
		chain[n++] = &mesh[i];
		next = mesh[i].next[mesh[i].next[0] == last];
		last = i;
		i = next;
	}
	*wrap |= n == 2 && mesh[first].twice;
	return n;
}

/* Read the connections of a graph along z, and mark those that are. */
static void mgd_read_z(const struct textproto *graph, struct mgd_mesh *mesh,
		       uint32_t n)
{
	struct textproto *c = NULL;

	while ((c = textproto_next(graph, "connections", c))) {
		const char *z = textproto_text(c, "assign_z_direction");
		const struct textproto *end[3] = { 0 };
		uint32_t a, b;

		for (int i = 0; i < 3 && (i == 0 || end[i - 1]); i++)
			end[i] = textproto_next(c, "nodes",
						i ? end[i - 1] : NULL);
		if (!z || strcmp(z, "true") != 0 || !end[1] || end[2])
			continue;
		a = mgd_mesh_find(end[0], mesh, n);
		b = mgd_mesh_find(end[1], mesh, n);
		if (a == NONE || b == NONE)
			continue;
		mgd_beside(mesh, a, b);
		if (a != b)
			mgd_beside(mesh, b, a);
		c->read = !mesh[a].branched && !mesh[b].branched;
	}
}

static int mgd_instance(struct mgd *m, const struct textproto *instance,
			const char *path, uint32_t depth);

/* All meshes of a graph. An id is unique only within its graph, so the names of
 * meshes in a graph of another graph begin with the name and id of their graph. */
static int mgd_graph(struct mgd *m, const struct textproto *ref,
		     const struct textproto *graph, const char *path,
		     uint32_t depth)
{
	const struct textproto *i = NULL, *at;
	const char *id = textproto_text(ref, "graph_id");
	char inner[TORUS_NAME_SIZE] = "", name[TORUS_NAME_SIZE];
	int status = mgd_use(m, ref, graph);
	struct mgd_mesh *mesh, **chain;
	uint32_t n = 0, count, k = 0;
	bool wrap;

	snprintf(name, sizeof(name), "%.20s%.30s-%.10s", path,
		 textproto_text(graph, "name"), id ? id : "0");
	if (depth > 0)
		snprintf(inner, sizeof(inner), "%s%.40s-%.10s-", path,
			 textproto_text(graph, "name"), id ? id : "0");
	while ((i = textproto_next(graph, "instances", i)))
		n += textproto_next(i, "mesh", NULL) != NULL;
	if (n > MOST_INSTANCES)
		return mgd_wrong(m, graph, "more than 4,096 meshes", NULL);
	mesh = torus_arena_alloc(m->arena, (n + 1) * sizeof(*mesh));
	chain = torus_arena_alloc(m->arena, (n + 1) * sizeof(*chain));
	if (!mesh || !chain)
		return STORUS_TROUBLE;
	while (status == STORUS_DONE &&
	       (i = textproto_next(graph, "instances", i))) {
		at = textproto_next(i, "mesh", NULL);
		if (at)
			status = mgd_mesh_read(m, at, inner, &mesh[k++]);
	}
	if (status == STORUS_DONE)
		mgd_read_z(graph, mesh, n);
	for (i = NULL, k = 0; status == STORUS_DONE &&
			      (i = textproto_next(graph, "instances", i));) {
		at = textproto_next(i, "mesh", NULL);
		if (!at) {
			status = mgd_instance(m, i, inner, depth + 1);
			continue;
		}
		if (mesh[k].written) {
			k++;
			continue;
		}
		count = mgd_chain(mesh, k, chain, &wrap);
		chain[0] = count > 1 ? chain[0] : &mesh[k];
		status = mgd_write_torus(m, chain, count,
					 count > 1 ? name : mesh[k].name, wrap);
		k++;
	}
	return status;
}

/* A mesh, or all meshes of a graph. */
static int mgd_instance(struct mgd *m, const struct textproto *instance,
			const char *path, uint32_t depth)
{
	const struct textproto *at = textproto_next(instance, "mesh", NULL);
	const struct textproto *ref = textproto_next(instance, "graph", NULL);
	const char *name = ref ? textproto_text(ref, "graph_descriptor") : NULL;
	const struct textproto *graph;
	struct mgd_mesh mesh, *one = &mesh;
	int status;

	if (at) {
		status = mgd_mesh_read(m, at, path, one);
		return status ? status :
				mgd_write_torus(m, &one, 1, one->name, false);
	}
	graph = mgd_descriptor(m, "graph_descriptors", name);
	if (!graph || depth > TEXTPROTO_DEPTH)
		return mgd_wrong(m, instance,
				 graph ? "graphs that contain one another:" :
					 "no graph_descriptors with the name",
				 name ? name : "");
	return mgd_graph(m, ref, graph, path, depth);
}

/* The fields that are read, and what the others say. */
static const char *const mgd_read[] = {
	".mesh_descriptors",
	".graph_descriptors",
	".top_level_instance",
	"mesh_descriptors.name",
	"mesh_descriptors.device_topology",
	"mesh_descriptors.host_topology",
	"device_topology.dims",
	"device_topology.dim_types",
	"device_topology.types",
	"host_topology.dims",
	"graph_descriptors.name",
	"graph_descriptors.instances",
	"instances.mesh",
	"instances.graph",
	"top_level_instance.mesh",
	"top_level_instance.graph",
	"mesh.mesh_descriptor",
	"mesh.mesh_id",
	"graph.graph_descriptor",
	"graph.graph_id",
};
static const char *const mgd_unread[][2] = {
	{ "express_links", " a region may have shorter ways than its axes" },
	{ "express_connections",
	  " a region may have shorter ways than its axes" },
	{ "connections",
	  " the links between meshes; a region lies in one mesh" },
	{ "graph_topology",
	  " the links between meshes; a region lies in one mesh" },
	{ "channels", " the number of channels of a link" },
	{ "pinnings", " which devices are on which trays" },
};

struct mgd_unread {
	const char *message, *name;
	uint32_t line, count;
};

/* Collect the fields that were not read, by name. */
static void mgd_collect_unread(const struct mgd *m, const struct textproto *in,
			       struct mgd_unread *list)
{
	for (const struct textproto *f = in->first; f; f = f->next) {
		uint32_t k = 0;
		char name[128];
		bool known = f->read;

		snprintf(name, sizeof(name), "%s.%s", in->name, f->name);
		for (size_t i = 0; i < sizeof(mgd_read) / sizeof(*mgd_read); i++)
			known |= !strcmp(name, mgd_read[i]);
		if (in == m->root && f->first && known && f->text == NULL &&
		    strcmp(f->name, "top_level_instance") != 0 &&
		    !mgd_is_used(m, f))
			continue;
		if (known && !f->read)
			mgd_collect_unread(m, f, list);
		if (known)
			continue;
		while (k < MOST_UNREAD && list[k].name &&
		       (strcmp(list[k].name, f->name) ||
			strcmp(list[k].message, in->name)))
			k++;
		if (k == MOST_UNREAD)
			continue;
		if (!list[k].count++)
			list[k].line = f->line;
		list[k].message = in->name;
		list[k].name = f->name;
	}
}

/* Name the fields that were not read, with their first lines. */
static void mgd_note_unread(const struct mgd *m)
{
	struct mgd_unread list[MOST_UNREAD] = { 0 };
	char times[32];

	mgd_collect_unread(m, m->root, list);
	for (uint32_t k = 0; k < MOST_UNREAD && list[k].name; k++) {
		const char *what = "";

		for (size_t i = 0; i < sizeof(mgd_unread) / sizeof(*mgd_unread);
		     i++)
			if (!strcmp(mgd_unread[i][0], list[k].name))
				what = mgd_unread[i][1];
		snprintf(times, sizeof(times), ", and %u more",
			 list[k].count - 1);
		torus_error_add(m->err,
				"notice: %s:%u: %s%s: torus.yaml cannot say this%s%s",
				m->file, list[k].line, list[k].name,
				list[k].count > 1 ? times : "",
				*what ? ":" : "", what);
	}
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
	      "# the hosts, columns fastest: replace their names by those of slurm.conf.\n"
	      "toruses:\n",
	      m->out);
	status = mgd_instance(m, top, "", 0);
	if (status == STORUS_DONE) {
		mgd_note_unread(m);
		mgd_note_unused(m);
	}
	return status;
}

static int mgd_run(const struct import_words *words, FILE *out,
		   struct torus_error *err)
{
	struct arena arena = { 0 };
	struct mgd m = {
		.file = words->operand,
		.words = words,
		.arena = &arena,
		.out = out,
		.err = err,
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
