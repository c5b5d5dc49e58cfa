/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Launch files (launch.h). */
#include "storus/vendor/launch.h"

#include <stdlib.h>
#include <string.h>

#include "storus/base/json.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/regions.h"

#define TPU_DIMS 3
#define TPU_PORT 8476u /* the runtime's own default */

#define LAUNCH_NO_BOX "--launch: %s are not a box of the machine"

/* Boxes */

int launch_box_place(struct launch_box *box, const struct torus_machine *m,
		     const struct torus_placement *place, uint32_t i,
		     struct torus_error *err)
{
	struct torus_placement one = place->regions ?
					     torus_regions_item(m, place, i) :
					     *place;
	const struct torus *t = &m->pod[one.pod].torus;
	bool strided = false;

	*box = (struct launch_box){ .dims = t->dims };
	for (uint32_t d = 0; d < t->dims && !one.scattered; d++)
		strided |= one.region.extent[d] > 1 && one.region.stride[d] > 1;
	if (one.scattered || one.orientation.folded || strided)
		return torus_error_add(err, LAUNCH_NO_BOX,
				       one.scattered ?
					       "scattered nodes" :
				       strided ?
					       "nodes with others between them" :
					       "folded rings");
	for (uint32_t d = 0; d < t->dims; d++) {
		int8_t a = one.orientation.axis[d];

		box->axis[d] = a;
		box->extent[d] = one.region.extent[d] * t->unit[d];
		box->unit[d] = t->unit[d];
		box->ring[d] = a >= 0 && one.ring >> a & 1 && box->extent[d] > 2;
	}
	return 0;
}

/* The i-th of the entries with '/' between them, or the one for all. */
static const char *launch_entry(const char *name, uint32_t i, char *text,
				size_t size)
{
	const char *at = getenv(name);

	if (!at)
		return NULL;
	for (; i > 0 && strchr(at, '/'); i--)
		at = strchr(at, '/') + 1;
	snprintf(text, size, "%.*s", (int)strcspn(at, "/"), at);
	return text;
}

/* "1,-,0" */
static int launch_read_orientation(struct launch_box *box, const char *text,
				   uint32_t axes)
{
	const char *p = text;

	if (!p)
		return -1;
	for (box->dims = 0; box->dims < TORUS_MAX_DIMS; box->dims++) {
		uint64_t a = 0;
		bool none = *p == '-';

		p = none ? p + 1 : torus_number_scan_whole(p, axes - 1, &a);
		if (!p)
			return -1;
		box->axis[box->dims] = none ? -1 : (int8_t)a;
		if (*p == '\0') {
			box->dims++;
			return 0;
		}
		if (*p++ != ',')
			return -1;
	}
	return -1;
}

/* Return true if "1,2,1" has other numbers than 1 along the shape's axes. */
static bool launch_reads_stride(const struct launch_box *box, const char *text)
{
	for (uint32_t d = 0; text && d < box->dims; d++) {
		if (box->axis[d] >= 0 && torus_number_of(text) > 1)
			return true;
		text = strchr(text, ',');
		text += text != NULL;
	}
	return false;
}

int launch_box_job(struct launch_box *box, const struct torus_ranks *ranks,
		   uint32_t i, struct torus_error *err)
{
	char turn[64], rings[64], units[128];
	uint32_t unit[TORUS_MAX_DIMS], closed = 0;
	const char *letters = launch_entry("TORUS_RING", i, rings,
					   sizeof(rings));
	const char *text;

	*box = (struct launch_box){ 0 };
	if (!launch_entry("TORUS_ORIENTATION", i, turn, sizeof(turn)) ||
	    launch_read_orientation(box, turn, ranks->axes))
		return torus_error_add(
			err,
			"TORUS_ORIENTATION: --launch needs the axis along each dimension of the machine, for example 2,-,0");
	if (launch_reads_stride(box, launch_entry("TORUS_STRIDE", i, turn,
						  sizeof(turn))))
		return torus_error_add(err, LAUNCH_NO_BOX,
				       "nodes with others between them");
	text = launch_entry("TORUS_UNIT", i, units, sizeof(units));
	for (uint32_t a = 0; a < ranks->axes; a++) { /* "2x2x1" */
		uint64_t n = 0;
		const char *end =
			text ? torus_number_scan_whole(text, UINT32_MAX, &n) :
			       NULL;

		unit[a] = n ? (uint32_t)n : 1;
		text = end && *end == 'x' ? end + 1 : NULL;
	}
	for (uint32_t a = 0; letters && a < strlen(letters) && a < 8; a++)
		closed |= (uint32_t)(letters[a] == 'T') << a;
	for (uint32_t d = 0; d < box->dims; d++) {
		int8_t a = box->axis[d];

		box->extent[d] = a < 0 ? 1 : ranks->extent[a];
		box->unit[d] = a < 0 ? 1 : unit[a];
		box->ring[d] = a >= 0 && closed >> a & 1 && box->extent[d] > 2;
	}
	return 0;
}

/* Hosts */

/* The hosts of a region, first dimension fastest; NULL with ENOMEM. */
static const struct torus_rank **launch_hosts(const struct launch_box *box,
					      const struct torus_rank *rank,
					      uint32_t count, uint32_t *hosts)
{
	const struct torus_rank **host;
	uint32_t stride[TORUS_MAX_DIMS] = { 0 };

	*hosts = 1;
	for (uint32_t d = 0; d < box->dims; d++) {
		stride[d] = *hosts;
		*hosts *= box->extent[d] / box->unit[d];
	}
	host = torus_alloc(*hosts, sizeof(*host));
	for (uint32_t k = 0; host && k < count; k++) {
		uint32_t at = 0;

		for (uint32_t d = 0; d < box->dims; d++) {
			uint32_t c = box->axis[d] < 0 ?
					     0 :
					     rank[k].coord[box->axis[d]];

			at += c / box->unit[d] * stride[d];
		}
		if (at < *hosts && !host[at])
			host[at] = &rank[k];
	}
	return host;
}

/* A row per host: its name, then the variables. Return -1 with a line in err. */
static int launch_tpu(json_t *rows, const struct launch_box *box,
		      const struct torus_rank *rank, uint32_t count,
		      struct torus_error *err)
{
	uint32_t bounds[TPU_DIMS] = { 1, 1, 1 }, chips[TPU_DIMS] = { 1, 1, 1 };
	json_t *visible = json_array(), *addresses = json_array();
	const struct torus_rank **host;
	uint32_t hosts;
	int rc = 0;

	for (uint32_t d = 0; d < box->dims; d++) {
		bounds[d] = box->extent[d] / box->unit[d];
		chips[d] = box->unit[d];
	}
	host = launch_hosts(box, rank, count, &hosts);
	for (uint32_t c = 0; c < chips[0] * chips[1] * chips[2]; c++)
		json_array_append_new(visible, json_integer(c));
	for (uint32_t k = 0; host && rc == 0 && k < hosts; k++) {
		if (!host[k] || !host[k]->name)
			rc = torus_error_add(
				err,
				"--launch tpu: a host has no name; give a torus.yaml that lists the nodes");
		else
			json_array_append_new(addresses,
					      json_sprintf("%s:%u",
							   host[k]->name,
							   TPU_PORT));
	}
	for (uint32_t k = 0; host && rc == 0 && k < hosts; k++)
		json_array_append_new(rows,
				      json_pack("{s:s, s:i, s:o, s:o, s:O, s:i, s:O}",
						"host", host[k]->name,
						"CLOUD_TPU_TASK_ID", k,
						"TPU_PROCESS_BOUNDS",
						storus_json_counts(bounds,
								   TPU_DIMS),
						"TPU_CHIPS_PER_PROCESS_BOUNDS",
						storus_json_counts(chips,
								   TPU_DIMS),
						"TPU_VISIBLE_CHIPS", visible,
						"TPU_PROCESS_PORT", TPU_PORT,
						"TPU_PROCESS_ADDRESSES",
						addresses));
	json_decref(visible);
	json_decref(addresses);
	if (!host || (rc == 0 && json_array_size(rows) < hosts))
		rc = torus_error_add(err, "out of memory");
	torus_free(host);
	return rc;
}

/* A mesh. Rows before columns: the machine's dimensions in reverse. */
static json_t *launch_mgd(const struct launch_box *box, uint32_t i)
{
	json_t *dims = json_array(), *types = json_array(),
	       *hosts = json_array();

	for (uint32_t d = box->dims; d-- > 0;) {
		json_array_append_new(dims, json_integer(box->extent[d]));
		json_array_append_new(types, json_string(box->ring[d] ? "RING" :
									"LINE"));
		json_array_append_new(hosts, json_integer(box->extent[d] /
							  box->unit[d]));
	}
	return json_pack("{s:o, s:o, s:o, s:o}", "mesh", json_sprintf("M%u", i),
			 "dims", dims, "dim_types", types, "host_dims", hosts);
}

json_t *launch_rows(enum launch_kind kind, const struct launch_box *box,
		    const struct torus_rank *rank, uint32_t count, uint32_t i,
		    struct torus_error *err)
{
	json_t *rows = json_array();
	uint64_t vertices = 1;
	int rc = 0;

	for (uint32_t d = 0; d < box->dims; d++)
		vertices *= box->extent[d];
	if (vertices != count)
		rc = torus_error_add(err,
				     "--launch %s: several nodes stand at a vertex, a host here is a box of vertices",
				     kind == LAUNCH_TPU ? "tpu" : "mgd");
	else if (kind == LAUNCH_TPU && box->dims > TPU_DIMS)
		rc = torus_error_add(err,
				     "--launch tpu: the machine has %u dimensions, a TPU at most 3",
				     box->dims);
	else if (kind == LAUNCH_TPU)
		rc = launch_tpu(rows, box, rank, count, err);
	else if (json_array_append_new(rows, launch_mgd(box, i)))
		rc = torus_error_add(err, "out of memory");
	if (rc) {
		json_decref(rows);
		rows = NULL;
	}
	return rows;
}

/* Write the items of a list, or a single value. */
static void launch_put_values(FILE *out, const json_t *value, const char *glue)
{
	size_t n = json_is_array(value) ? json_array_size(value) : 1;

	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_is_array(value) ?
					     json_array_get(value, i) :
					     value;

		fputs(i ? glue : "", out);
		if (json_is_string(item))
			fputs(json_string_value(item), out);
		else
			fprintf(out, "%lld",
				(long long)json_integer_value(item));
	}
}

void launch_put(FILE *out, enum launch_kind kind, json_t *row)
{
	static const char *const mesh[][2] = {
		{ "mesh_descriptors {\n  name: \"", "mesh" },
		{ "\"\n  arch: WORMHOLE_B0\n  device_topology { dims: [ ",
		  "dims" },
		{ " ] dim_types: [ ", "dim_types" },
		{ " ] }\n  host_topology { dims: [ ", "host_dims" },
	};
	const char *key;
	json_t *value;

	if (kind == LAUNCH_TPU) {
		json_object_foreach(row, key, value)
		{
			if (strcmp(key, "host") != 0)
				fprintf(out, " %s=", key);
			launch_put_values(out, value, ",");
		}
		fputc('\n', out);
		return;
	}
	for (size_t i = 0; i < sizeof(mesh) / sizeof(*mesh); i++) {
		fputs(mesh[i][0], out);
		launch_put_values(out, json_object_get(row, mesh[i][1]), ", ");
	}
	fputs(" ] }\n  channels { count: 4 policy: STRICT }\n}\n", out);
}

void launch_begin(FILE *out, enum launch_kind kind)
{
	if (kind == LAUNCH_MGD)
		fputs("# The job's own part of the machine. Edit arch and channels to your boards.\n",
		      out);
}

void launch_end(FILE *out, enum launch_kind kind, uint32_t regions)
{
	if (kind != LAUNCH_MGD)
		return;
	if (regions == 1) {
		fprintf(out,
			"top_level_instance { mesh { mesh_descriptor: \"M0\" mesh_id: 0 } }\n");
		return;
	}
	fprintf(out, "graph_descriptors {\n  name: \"G0\" type: \"JOB\"\n");
	for (uint32_t i = 0; i < regions; i++)
		fprintf(out,
			"  instances { mesh { mesh_descriptor: \"M%u\" mesh_id: %u } }\n",
			i, i);
	fprintf(out,
		"}\ntop_level_instance { graph { graph_descriptor: \"G0\" graph_id: 0 } }\n");
}
