/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus import mgd: Tenstorrent's mesh graph descriptors. Every mesh that the
 * top level instantiates becomes a torus: its devices are the vertices, a host
 * is a box of them. The file counts rows before columns, last dimension
 * fastest; torus.yaml counts the other way around, so the dimensions are
 * written in reverse. Equal meshes that connections with assign_z_direction make a
 * chain or a ring, by their devices or across graphs, too, are one torus with one more
 * dimension.
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
#define MOST_DEVICES 4096 /* of a mesh whose z links are given one by one */
#define MOST_UNREAD 64    /* kinds of fields that are reported */
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
	uint32_t toruses, names; /* written so far */
	const char *name[2 * MOST_INSTANCES];
	struct mgd_instance *instance; /* a graph before what is in it */
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

static int mgd_torus(const struct mgd *m, const struct textproto *mesh,
		     struct import_torus *t)
{
	const struct textproto *devices =
		textproto_next(mesh, "device_topology", NULL);
	const struct textproto *hosts = textproto_next(mesh, "host_topology",
						       NULL);
	uint32_t host[TORUS_MAX_DIMS] = { 0 };
	static const char *const names[] = { "dim_types", "types" };
	uint32_t n = 0;

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
	/* Read RING or LINE per dimension, last first; without any: LINE. */
	for (size_t i = 0; i < 2; i++) {
		const struct textproto *f = NULL;

		while ((f = textproto_next(devices, names[i], f))) {
			bool ring = f->text && strcmp(f->text, "RING") == 0;

			if (!ring && !(f->text && strcmp(f->text, "LINE") == 0))
				return mgd_wrong(m, f,
						 "expected RING or LINE, got",
						 f->text ? f->text : "{");
			if (n == t->dims)
				return mgd_wrong(m, f, "more types than dims",
						 NULL);
			t->wrap[t->dims - ++n] = ring;
		}
	}
	return n == 0 || n == t->dims ?
		       STORUS_DONE :
		       mgd_wrong(m, devices, "fewer types than dims", NULL);
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
		for (uint32_t i = 0; i < m->names && !twice; i++)
			twice = !strcmp(m->name[i], name);
		if (twice)
			snprintf(name, sizeof(name), "%.55s-%u", text, ++n);
	}
	if (strcmp(name, text) != 0)
		torus_error_add(m->err, "notice: %s:%u: \"%s\" is called \"%s\"",
				m->file, at->line, text, name);
	m->name[m->names] = torus_arena_text(m->arena, name, strlen(name));
	return m->name[m->names++];
}

/* A mesh or a graph that the top level contains. */
struct mgd_instance {
	const struct textproto *ref, *descriptor;
	const char *id, *name;
	uint32_t parent; /* the graph around it, or NONE */
	bool mesh;       /* only then: */
	struct import_torus torus;
	uint32_t next[2];    /* meshes along z, or NONE */
	uint32_t links[2];   /* z links of the whole mesh to them, */
	uint8_t *devices[2]; /* and of each of its devices, or NULL */
	bool apart;          /* its z links make no torus */
	uint32_t torus_at;   /* number of the torus that it is part of */
};

/* Name an instance after its descriptor and id. An id is unique only within its graph,
 * so the names of what is in a graph of another graph begin with their graph's. */
static int mgd_instance_name(struct mgd *m, struct mgd_instance *i,
			     const char *name)
{
	const struct mgd_instance *graph = i->parent == NONE ?
						   NULL :
						   &m->instance[i->parent];
	bool inner = graph && graph->parent != NONE;
	char text[2 * TORUS_NAME_SIZE];

	snprintf(text, sizeof(text), "%s%s%.40s-%.10s",
		 inner ? graph->name : "", inner ? "-" : "", name, i->id);
	if (i->mesh && strlen(text) >= TORUS_NAME_SIZE)
		return mgd_wrong(m, i->ref,
				 "the names of this mesh and of the graphs around it are too long together:",
				 text);
	text[TORUS_NAME_SIZE - 1] = '\0';
	i->name = torus_arena_text(m->arena, text, strlen(text));
	return i->name ? STORUS_DONE : STORUS_TROUBLE;
}

/* List what a reference names, with all that is in it. There is a limit: a short file
 * may describe 2^32 instances, by graphs that each contain another one twice. */
static int mgd_list(struct mgd *m, const struct textproto *node,
		    uint32_t parent, uint32_t depth)
{
	const struct textproto *mesh = textproto_next(node, "mesh", NULL);
	const struct textproto *ref = mesh ? mesh :
					     textproto_next(node, "graph", NULL);
	const char *name, *id,
		*list = mesh ? "mesh_descriptors" : "graph_descriptors";
	const struct textproto *d, *in = NULL;
	struct mgd_instance *i;
	uint32_t self;
	int status;

	if (!ref) /* such as a switch: mgd_note_unread() names it */
		return parent == NONE ?
			       mgd_wrong(m, node, "expected a mesh or a graph",
					 NULL) :
			       STORUS_DONE;
	name = textproto_text(ref,
			      mesh ? "mesh_descriptor" : "graph_descriptor");
	id = textproto_text(ref, mesh ? "mesh_id" : "graph_id");
	d = mgd_descriptor(m, list, name);
	if (!d)
		return mgd_wrong(m, ref,
				 mesh ? "no mesh_descriptors with the name" :
					"no graph_descriptors with the name",
				 name ? name : "");
	if (depth > TEXTPROTO_DEPTH)
		return mgd_wrong(m, node,
				 "graphs that contain one another:", name);
	if (m->instances == MOST_INSTANCES)
		return mgd_wrong(m, ref, "more than 4,096 meshes and graphs",
				 NULL);
	self = m->instances++;
	i = &m->instance[self];
	*i = (struct mgd_instance){ .ref = ref,
				    .descriptor = d,
				    .id = id ? id : "0",
				    .parent = parent,
				    .mesh = mesh != NULL,
				    .next = { NONE, NONE },
				    .torus_at = NONE };
	status = mesh ? mgd_torus(m, d, &i->torus) : STORUS_DONE;
	if (status == STORUS_DONE)
		status = mgd_instance_name(m, i, name);
	while (!mesh && status == STORUS_DONE &&
	       (in = textproto_next(d, "instances", in)))
		status = mgd_list(m, in, self, depth + 1);
	return status;
}

/* Return whether instance i is in graph g, or in a graph of it. */
static bool mgd_is_in(const struct mgd *m, uint32_t i, uint32_t g)
{
	while (i != NONE && i != g)
		i = m->instance[i].parent;
	return i == g;
}

/* Return the mesh that an end of a connection of graph g names, or NONE: a mesh of g, of
 * a graph in it, or the only mesh of one. *device: its device, or NONE. Mark what was
 * read. */
static uint32_t mgd_end(const struct mgd *m, struct textproto *end, uint32_t g,
			uint32_t *device)
{
	struct textproto *ref = textproto_next(end, "mesh", NULL), *d;
	bool mesh = ref != NULL;
	const char *name, *id;
	uint32_t at = NONE, only = NONE;
	uint64_t number = NONE;

	end->read = true;
	if (!ref)
		ref = textproto_next(end, "graph", NULL);
	name = ref ? textproto_text(ref, mesh ? "mesh_descriptor" :
						"graph_descriptor") :
		     NULL;
	id = ref ? textproto_text(ref, mesh ? "mesh_id" : "graph_id") : NULL;
	for (uint32_t i = 0; i < m->instances && name && at == NONE; i++) {
		const struct mgd_instance *is = &m->instance[i];

		if (is->parent == g && is->mesh == mesh &&
		    !strcmp(textproto_text(is->descriptor, "name"), name) &&
		    !strcmp(is->id, id ? id : "0"))
			at = i;
	}
	if (at == NONE)
		return NONE;
	ref->read = true;
	d = mesh ? textproto_next(ref, "device_id", NULL) : NULL;
	if (d) {
		d->read = true;
		if (!d->text ||
		    !torus_number_whole(d->text, 0, MOST_DEVICES - 1, &number))
			return NONE;
		*device = (uint32_t)number;
	}
	if (mesh)
		return at;
	if (textproto_next(ref, "mesh", NULL) ||
	    textproto_next(ref, "graph", NULL))
		return mgd_end(m, ref, at, device);
	for (uint32_t i = at; i < m->instances; i++)
		if (m->instance[i].mesh && mgd_is_in(m, i, at)) {
			if (only != NONE)
				return NONE;
			only = i;
		}
	return only;
}

static uint32_t mgd_devices(const struct import_torus *t)
{
	uint64_t n = 1;

	for (uint32_t d = 0; d < t->dims && n <= MOST_DEVICES; d++)
		n *= t->size[d];
	return n <= MOST_DEVICES ? (uint32_t)n : 0;
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

/* Note a z link of mesh a to mesh b: of each of its devices to the same one of b, or of
 * `device` alone. */
static int mgd_beside(struct mgd *m, uint32_t a, uint32_t b, uint32_t device,
		      bool same)
{
	struct mgd_instance *i = &m->instance[a];
	uint32_t k = i->next[0] == b || i->next[0] == NONE ? 0 : 1;
	uint32_t devices = mgd_devices(&i->torus);

	if (a == b || (i->next[k] != NONE && i->next[k] != b) || !same ||
	    !mgd_mesh_equal(&i->torus, &m->instance[b].torus) ||
	    (device != NONE && device >= devices)) {
		i->apart = true;
		return STORUS_DONE;
	}
	i->next[k] = b;
	if (device == NONE) {
		i->links[k]++;
		return STORUS_DONE;
	}
	if (!i->devices[k]) {
		i->devices[k] = torus_arena_alloc(m->arena, devices);
		if (!i->devices[k])
			return STORUS_TROUBLE;
		memset(i->devices[k], 0, devices);
	}
	i->devices[k][device] += i->devices[k][device] < 2;
	return STORUS_DONE;
}

/* Return the two ends of a connection along z, if it is one: meshes, by number. */
static bool mgd_z(const struct mgd *m, const struct textproto *c, uint32_t g,
		  uint32_t end[2], uint32_t device[2])
{
	const char *z = textproto_text(c, "assign_z_direction");
	const char *directed = textproto_text(c, "directional");
	struct textproto *node = NULL;
	uint32_t ends = 0;

	if (!z || strcmp(z, "true") != 0 ||
	    (directed && strcmp(directed, "true") == 0))
		return false;
	while ((node = textproto_next(c, "nodes", node))) {
		if (ends == 2)
			return false;
		device[ends] = NONE;
		end[ends] = mgd_end(m, node, g, &device[ends]);
		if (end[ends++] == NONE)
			return false;
	}
	return ends == 2;
}

/* Read the connections along z of all graphs. Meshes that they do not make a chain or a
 * ring of whole meshes are apart. */
static int mgd_read_z(struct mgd *m)
{
	uint32_t end[2], device[2];
	bool changed = true;

	for (uint32_t g = 0; g < m->instances; g++) {
		const struct textproto *c = NULL;

		while ((c = textproto_next(m->instance[g].descriptor,
					   "connections", c)) &&
		       !m->instance[g].mesh) {
			if (!mgd_z(m, c, g, end, device))
				continue;
			for (int k = 0; k < 2; k++)
				if (mgd_beside(m, end[k], end[!k], device[k],
					       device[0] == device[1]))
					return STORUS_TROUBLE;
		}
	}
	for (uint32_t a = 0; a < m->instances; a++) {
		struct mgd_instance *i = &m->instance[a];

		for (int k = 0; k < 2 && i->next[k] != NONE; k++) {
			uint32_t least = 2;

			for (uint32_t d = mgd_devices(&i->torus);
			     i->devices[k] && d-- > 0;)
				if (i->devices[k][d] < least)
					least = i->devices[k][d];
			i->links[k] += i->devices[k] ? least : 0;
			i->apart |= i->links[k] == 0;
		}
	}
	while (changed) { /* beside a mesh that is apart, all are */
		changed = false;
		for (uint32_t a = 0; a < m->instances; a++) {
			struct mgd_instance *i = &m->instance[a];

			for (int k = 0; k < 2 && !i->apart; k++)
				if (i->next[k] != NONE &&
				    m->instance[i->next[k]].apart)
					i->apart = changed = true;
		}
	}
	return STORUS_DONE;
}

/* Return the next mesh along z of one that was reached from `last`, or NONE. */
static uint32_t mgd_next(const struct mgd *m, uint32_t i, uint32_t last)
{
	const struct mgd_instance *is = &m->instance[i];

	return is->next[is->next[0] == last && last != NONE];
}

/* Find the chain or ring of mesh i: its meshes in order. Return how many; 1 if it is
 * none. */
static uint32_t mgd_chain(const struct mgd *m, uint32_t i, uint32_t *chain,
			  bool *wrap)
{
	uint32_t at = i, last = NONE, next, n = 0;

	chain[0] = i;
	*wrap = false;
	if (m->instance[i].apart || m->instance[i].next[0] == NONE)
		return 1;
	if (m->instance[i].next[1] != NONE) { /* to an end, or around */
		while ((next = mgd_next(m, at, last)) != NONE && next != i) {
			last = at;
			at = next;
		}
		*wrap = next == i;
		at = *wrap ? i : at;
	}
	for (last = NONE; at != NONE && (n == 0 || at != i || !*wrap);) {
		chain[n++] = at;
		next = mgd_next(m, at, last);
		last = at;
		at = next;
	}
	*wrap |= n == 2 && m->instance[i].links[0] > 1;
	return n;
}

/* Write meshes along z, or one, as a torus with that name. */
static int mgd_write_torus(struct mgd *m, const uint32_t *mesh, uint32_t count,
			   const char *name, bool wrap)
{
	const struct textproto *at = m->instance[mesh[0]].ref;
	struct import_torus t = m->instance[mesh[0]].torus;
	struct torus_text nodes = { 0 };
	int status = STORUS_DONE;
	char text[128];

	if (count > 1) {
		t.size[t.dims] = count;
		t.unit[t.dims] = 1;
		t.wrap[t.dims++] = wrap;
	}
	t.name = mgd_name(m, at, name);
	if (!t.name)
		return STORUS_TROUBLE;
	if (import_torus_nodes(&t, m->err) == 0)
		return STORUS_USAGE;
	if (m->words->nodes && m->toruses > 0)
		return mgd_wrong(m, at,
				 "--nodes names the nodes of one mesh; there are more: edit the names in the output",
				 NULL);
	for (uint32_t i = 0; i < count && status == STORUS_DONE; i++) {
		struct mgd_instance *is = &m->instance[mesh[i]];
		struct import_torus one = is->torus;

		is->torus_at = m->toruses;
		one.name = count > 1 ? mgd_name(m, is->ref, is->name) : t.name;
		if (!one.name) {
			status = STORUS_TROUBLE;
			break;
		}
		import_default_nodes(&one, text, sizeof(text));
		if (torus_text_add(&nodes, "%s%s", i ? "," : "", text))
			status = STORUS_TROUBLE;
	}
	m->toruses++;
	if (status == STORUS_DONE)
		import_torus_write(m->out, &t,
				   m->words->nodes ? m->words->nodes :
						     nodes.data);
	torus_text_free(&nodes);
	return status;
}

/* Write all meshes; those of a chain or ring in the place of the first one. */
static int mgd_write_toruses(struct mgd *m, const struct textproto *top,
			     uint32_t *chain)
{
	int status = STORUS_DONE;
	bool wrap, any = false;

	for (uint32_t i = 0; i < m->instances && status == STORUS_DONE; i++) {
		uint32_t count, g = m->instance[i].parent;

		if (!m->instance[i].mesh || m->instance[i].torus_at != NONE)
			continue;
		count = mgd_chain(m, i, chain, &wrap);
		for (uint32_t k = 0; k < count; k++) /* the graph of all */
			while (!mgd_is_in(m, chain[k], g))
				g = m->instance[g].parent;
		status = mgd_write_torus(m, chain, count,
					 m->instance[count > 1 ? g : i].name,
					 wrap);
		any = true;
	}
	if (!any)
		return mgd_wrong(m, top,
				 "no mesh in it; expected `mesh` in the instances of its graphs",
				 NULL);
	return status;
}

/* Mark the connections along z that became part of a torus, in each instance of their
 * graph. */
static void mgd_mark_z(struct mgd *m)
{
	uint32_t end[2], device[2];

	for (uint32_t g = 0; g < m->instances; g++) {
		struct textproto *c = NULL;
		bool first = true;

		for (uint32_t i = 0; i < g && first; i++)
			first = m->instance[i].descriptor !=
				m->instance[g].descriptor;
		while ((c = textproto_next(m->instance[g].descriptor,
					   "connections", c)))
			c->read = (first || c->read) &&
				  mgd_z(m, c, g, end, device) &&
				  m->instance[end[0]].torus_at ==
					  m->instance[end[1]].torus_at &&
				  !m->instance[end[0]].apart;
	}
}

static bool mgd_is_used(const struct mgd *m, const struct textproto *descriptor)
{
	for (uint32_t i = 0; i < m->instances; i++) {
		if (m->instance[i].descriptor == descriptor)
			return true;
	}
	return false;
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
	"connections.assign_z_direction",
	"connections.directional",
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
		if (known)
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
	uint32_t *chain = torus_arena_alloc(m->arena,
					    MOST_INSTANCES * sizeof(*chain));
	int status;

	m->instance = torus_arena_alloc(m->arena,
					MOST_INSTANCES * sizeof(*m->instance));
	if (!m->instance || !chain)
		return STORUS_TROUBLE;
	if (!top)
		return mgd_wrong(m, m->root,
				 "no top_level_instance; expected for example: top_level_instance { mesh { mesh_descriptor: \"M0\" mesh_id: 0 } }",
				 NULL);
	if (textproto_next(m->root, "top_level_instance", top))
		return mgd_wrong(m,
				 textproto_next(m->root, "top_level_instance",
						top),
				 "a second top_level_instance", NULL);
	fputs("# From a mesh graph descriptor. Shapes and coordinates are in devices, columns\n"
	      "# before rows; a node is a host with a box of them. Nodes stand in the order of\n"
	      "# the hosts, columns fastest: replace their names by those of slurm.conf.\n"
	      "toruses:\n",
	      m->out);
	status = mgd_list(m, top, NONE, 0);
	if (status == STORUS_DONE)
		status = mgd_read_z(m);
	if (status == STORUS_DONE)
		status = mgd_write_toruses(m, top, chain);
	if (status == STORUS_DONE) {
		mgd_mark_z(m);
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
