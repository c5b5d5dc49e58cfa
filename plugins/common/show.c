/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job and those who look at it see of its placement: our word in
 * AdminComment (mark.h), and TORUS_* among the variables that slurmctld adds
 * to the job's environment (details->env_sup: the batch script's, and those in
 * the answer to salloc and srun).
 */
#include "common/instance.h"

#include "common/coords.h"
#include "common/mark.h"
#include "common/names.h"

/* Linux takes strings of 128 KiB at most into a new program. */
#define COORDS_MAX 65536

/* AdminComment */

static void remove_mark(job_record_t *job)
{
	char *comment = job->admin_comment;
	size_t begin, length;

	while (mark_find(comment, &begin, &length))
		memmove(comment + begin, comment + begin + length,
			strlen(comment + begin + length) + 1);
	if (comment && !*comment)
		xfree(job->admin_comment);
}

static void add_mark(const struct instance *in, job_record_t *job,
		     const struct torus_placement *place)
{
	struct torus_text text = { 0 };

	if (mark_write(in->machine, place, &text) == 0) {
		if (job->admin_comment)
			xstrcat(job->admin_comment, " ");
		xstrcat(job->admin_comment, text.data);
	}
	torus_text_free(&text);
}

/* Environment */

static bool is_ours(const char *entry)
{
	static const char *const name[] = { PLACEMENT_NAMES, ENV_NTASKS,
					    ENV_NPROCS };

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		size_t length = strlen(name[i]);

		if (strncmp(entry, name[i], length) == 0 &&
		    entry[length] == '=')
			return true;
	}
	return false;
}

static void remove_variables(compat_details *details)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < details->env_cnt; i++) {
		if (is_ours(details->env_sup[i]))
			xfree(details->env_sup[i]);
		else
			details->env_sup[kept++] = details->env_sup[i];
	}
	details->env_cnt = (uint16_t)kept;
}

static void add_variable(compat_details *details, const char *name,
			 const char *value)
{
	xrecalloc(details->env_sup, details->env_cnt + 2, sizeof(char *));
	details->env_sup[details->env_cnt++] =
		xstrdup_printf("%s=%s", name, value);
}

/* What the text of a list of numbers needs: 10 digits and a comma each. */
#define LIST_SIZE (TORUS_MAX_DIMS * 11 + 1)

static void write_list(const uint32_t *n, uint32_t count, char between,
		       char *buffer)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			buffer[used++] = between;
		used += (size_t)snprintf(buffer + used, LIST_SIZE - used, "%u",
					 n[i]);
	}
}

/*
 * The extents of the granted shape's axes, and for each axis the machine's
 * dimension that it lies along (UINT32_MAX: none, an axis of 1). A folded
 * place's axes are those of its box.
 */
static uint32_t shape_of(const struct torus_placement *place,
			 const struct torus *t, uint32_t *extent,
			 uint32_t *dimension)
{
	const struct torus_orientation *o = &place->orientation;
	uint32_t axes = 0;

	for (uint32_t a = 0; !o->folded && a < place->axes; a++) {
		extent[a] = 1;
		dimension[a] = UINT32_MAX;
		axes = place->axes;
	}
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t a = o->folded ? axes : (uint32_t)o->axis[d];

		if (o->axis[d] < 0)
			continue;
		if (o->folded)
			axes++;
		extent[a] = place->region.extent[d];
		dimension[a] = d;
	}
	return axes;
}

/* Coordinate of a machine bit; false if it is not in the place. */
static bool coord_of(const struct instance *in,
		     const struct torus_placement *place, uint32_t bit,
		     uint32_t axes, const uint32_t *dimension,
		     uint32_t *coord)
{
	uint32_t offset[TORUS_MAX_DIMS], index;
	uint32_t pod = torus_machine_pod(in->machine, bit, &index);

	if (pod != place->pod ||
	    !torus_region_locate(&place->region,
				 &in->machine->pod[pod].torus, index, offset))
		return false;
	for (uint32_t a = 0; a < axes; a++)
		coord[a] = dimension[a] == UINT32_MAX ? 0 :
							offset[dimension[a]];
	return true;
}

/* Coordinates in the order in which the job's node list names its nodes. */
static int write_coords(const struct instance *in, const job_record_t *job,
			const struct torus_placement *place, uint32_t axes,
			const uint32_t *dimension, struct coords_writer *w)
{
	compat_hostlist list = hostlist_create(job->job_resrcs->nodes);
	uint32_t coord[TORUS_MAX_DIMS];
	char *name;
	int rc = list ? 0 : -1;

	while (rc == 0 && (name = hostlist_shift(list))) {
		uint32_t bit = torus_config_node(in->config, name);

		free(name);
		if (bit == UINT32_MAX ||
		    !coord_of(in, place, bit, axes, dimension, coord) ||
		    coords_add(w, coord))
			rc = -1;
	}
	if (list)
		hostlist_destroy(list);
	return rc ? rc : coords_end(w);
}

static void add_coords(const struct instance *in, job_record_t *job,
		       const struct torus_placement *place, uint32_t axes,
		       const uint32_t *dimension)
{
	struct coords_writer w = { .axes = axes };

	if (!job->job_resrcs || !job->job_resrcs->nodes ||
	    write_coords(in, job, place, axes, dimension, &w))
		error("torus: %pJ: no coordinates for its environment", job);
	else if (w.text.length > COORDS_MAX)
		info("torus: %pJ: its %u coordinates are too long for the environment; name the nodes in the order of a dimension",
		     job, place->granted);
	else
		add_variable(job->details, ENV_COORDS, w.text.data);
	torus_text_free(&w.text);
}

static void add_region(const struct instance *in, job_record_t *job,
		       const struct torus_placement *place)
{
	const struct torus *t = &in->machine->pod[place->pod].torus;
	uint32_t extent[TORUS_MAX_DIMS], dimension[TORUS_MAX_DIMS];
	uint32_t axes = shape_of(place, t, extent, dimension);
	char text[LIST_SIZE], orientation[TORUS_ORIENTATION_SIZE];

	write_list(extent, axes, 'x', text);
	add_variable(job->details, ENV_GEOMETRY, text);
	write_list(place->region.base, t->dims, ',', text);
	add_variable(job->details, ENV_BASE, text);
	write_list(place->region.stride, t->dims, ',', text);
	add_variable(job->details, ENV_STRIDE, text);
	torus_orientation_format(&place->orientation, t, orientation,
				 sizeof(orientation));
	add_variable(job->details, ENV_ORIENTATION, orientation);
	mark_ring(place, text);
	add_variable(job->details, ENV_RING, text);
	add_coords(in, job, place, axes, dimension);
}

/* No topology: a line of nodes in the order of the node list. */
static void add_scattered(job_record_t *job,
			  const struct torus_placement *place)
{
	char text[LIST_SIZE];

	write_list(&place->granted, 1, 'x', text);
	add_variable(job->details, ENV_GEOMETRY, text);
	snprintf(text, sizeof(text), place->granted > 1 ? "0-%u" : "0",
		 place->granted - 1);
	add_variable(job->details, ENV_COORDS, text);
}

/* sbatch has told the job how many tasks --ntasks-per-node makes on a single
 * node; submit.c has put it right for Slurm, this does so for the script. */
static void add_tasks(compat_details *details)
{
	char text[LIST_SIZE];

	if (!details->ntasks_per_node || !details->num_tasks)
		return;
	write_list(&details->num_tasks, 1, ',', text);
	add_variable(details, ENV_NTASKS, text);
	add_variable(details, ENV_NPROCS, text);
}

void show_place(const struct instance *in, job_record_t *job,
		const struct torus_placement *place)
{
	show_nothing(job);
	add_mark(in, job, place);
	if (!job->details)
		return;
	add_tasks(job->details);
	add_variable(job->details, ENV_NAME,
		     in->machine->pod[place->pod].torus.name);
	if (place->scattered)
		add_scattered(job, place);
	else
		add_region(in, job, place);
}

void show_nothing(job_record_t *job)
{
	remove_mark(job);
	if (job->details)
		remove_variables(job->details);
}
