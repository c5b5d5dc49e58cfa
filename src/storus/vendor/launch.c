/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Launch files (launch.h). */
#include "storus/vendor/launch.h"

#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/regions.h"

#define TPU_DIMS 3
#define TPU_PORT 8476u /* the runtime's own default */

#define LAUNCH_NO_BOX "--launch: %s are not a box of the machine"

/* Boxes */

static void launch_box_axes(struct launch_box *box, const uint32_t *extent,
			    const uint32_t *unit, uint32_t rings)
{
	for (uint32_t d = 0; d < box->dims; d++) {
		int8_t a = box->axis[d];

		box->extent[d] = a < 0 ? 1 : extent[a];
		box->unit[d] = a < 0 ? 1 : unit[a];
		box->ring[d] = a >= 0 && rings >> a & 1 && extent[a] > 2;
	}
}

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

static void launch_read_unit(const char *text, uint32_t axes, uint32_t *unit)
{
	for (uint32_t a = 0; a < axes; a++) {
		char *end = NULL;
		unsigned long n = text ? strtoul(text, &end, 10) : 0;

		unit[a] = n ? (uint32_t)n : 1;
		text = end && *end == 'x' ? end + 1 : NULL;
	}
}

/* Return true if "1,2,1" has other numbers than 1 along the shape's axes. */
static bool launch_reads_stride(const struct launch_box *box, const char *text)
{
	for (uint32_t d = 0; text && d < box->dims; d++) {
		char *end;
		unsigned long n = strtoul(text, &end, 10);

		if (box->axis[d] >= 0 && n > 1)
			return true;
		text = *end == ',' ? end + 1 : NULL;
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
	launch_read_unit(launch_entry("TORUS_UNIT", i, units, sizeof(units)),
			 ranks->axes, unit);
	for (uint32_t a = 0; letters && a < strlen(letters) && a < 8; a++)
		closed |= (uint32_t)(letters[a] == 'T') << a;
	launch_box_axes(box, ranks->extent, unit, closed);
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

static void launch_bounds(FILE *out, const char *name, const uint32_t *n)
{
	fprintf(out, " %s=%u,%u,%u", name, n[0], n[1], n[2]);
}

static void tpu_line(FILE *out, const struct torus_rank **host, uint32_t hosts,
		     uint32_t k, const uint32_t *bounds, const uint32_t *chips)
{
	uint32_t n = chips[0] * chips[1] * chips[2];

	fprintf(out, "%s CLOUD_TPU_TASK_ID=%u", host[k]->name, k);
	launch_bounds(out, "TPU_PROCESS_BOUNDS", bounds);
	launch_bounds(out, "TPU_CHIPS_PER_PROCESS_BOUNDS", chips);
	fprintf(out, " TPU_VISIBLE_CHIPS=");
	for (uint32_t c = 0; c < n; c++)
		fprintf(out, "%s%u", c ? "," : "", c);
	fprintf(out, " TPU_PROCESS_PORT=%u TPU_PROCESS_ADDRESSES=", TPU_PORT);
	for (uint32_t h = 0; h < hosts; h++)
		fprintf(out, "%s%s:%u", h ? "," : "", host[h]->name, TPU_PORT);
	fputc('\n', out);
}

static int launch_tpu(FILE *out, const struct launch_box *box,
		      const struct torus_rank *rank, uint32_t count,
		      struct torus_error *err)
{
	uint32_t bounds[TPU_DIMS] = { 1, 1, 1 }, chips[TPU_DIMS] = { 1, 1, 1 };
	const struct torus_rank **host;
	uint32_t hosts;
	int rc = 0;

	if (box->dims > TPU_DIMS)
		return torus_error_add(err,
				       "--launch tpu: the machine has %u dimensions, a TPU at most 3",
				       box->dims);
	for (uint32_t d = 0; d < box->dims; d++) {
		bounds[d] = box->extent[d] / box->unit[d];
		chips[d] = box->unit[d];
	}
	host = launch_hosts(box, rank, count, &hosts);
	for (uint32_t k = 0; host && rc == 0 && k < hosts; k++) {
		if (!host[k] || !host[k]->name)
			rc = torus_error_add(
				err,
				"--launch tpu: a host has no name; give a torus.yaml that lists the nodes");
	}
	for (uint32_t k = 0; host && rc == 0 && k < hosts; k++)
		tpu_line(out, host, hosts, k, bounds, chips);
	if (!host)
		rc = torus_error_add(err, "out of memory");
	torus_free(host);
	return rc;
}

/* Rows before columns: the machine's dimensions in reverse. */
static void mgd_list(FILE *out, const struct launch_box *box, bool hosts)
{
	fprintf(out, "dims: [");
	for (uint32_t d = box->dims; d-- > 0;)
		fprintf(out, "%s %u", d + 1 < box->dims ? "," : "",
			hosts ? box->extent[d] / box->unit[d] : box->extent[d]);
	fprintf(out, " ]");
}

static void launch_mgd(FILE *out, const struct launch_box *box, uint32_t i)
{
	fprintf(out,
		"mesh_descriptors {\n  name: \"M%u\"\n"
		"  arch: WORMHOLE_B0\n  device_topology { ",
		i);
	mgd_list(out, box, false);
	fprintf(out, " dim_types: [");
	for (uint32_t d = box->dims; d-- > 0;)
		fprintf(out, "%s %s", d + 1 < box->dims ? "," : "",
			box->ring[d] ? "RING" : "LINE");
	fprintf(out, " ] }\n  host_topology { ");
	mgd_list(out, box, true);
	fprintf(out, " }\n  channels { count: 4 policy: STRICT }\n}\n");
}

int launch_write(FILE *out, enum launch_kind kind, const struct launch_box *box,
		 const struct torus_rank *rank, uint32_t count, uint32_t i,
		 struct torus_error *err)
{
	uint64_t vertices = 1;

	for (uint32_t d = 0; d < box->dims; d++)
		vertices *= box->extent[d];
	if (vertices != count)
		return torus_error_add(err,
				       "--launch %s: several nodes stand at a vertex, a host here is a box of vertices",
				       kind == LAUNCH_TPU ? "tpu" : "mgd");
	if (kind == LAUNCH_TPU)
		return launch_tpu(out, box, rank, count, err);
	if (i == 0)
		fprintf(out,
			"# The job's own part of the machine. Edit arch and channels to your boards.\n");
	launch_mgd(out, box, i);
	return 0;
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
