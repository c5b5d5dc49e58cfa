/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a placement is displayed: our word in AdminComment (admin_comment.h), and
 * TORUS_* among the variables that slurmctld adds to the job's environment
 * (details->env_sup: the batch script's, and those in the answer to salloc and
 * srun), and beside the request in spank_job_env, which Slurm passes to the prologs and
 * epilogs, of slurmctld as well, with SPANK_ in front.
 */
#include "slurmctld/instance/instance.h"
#include "slurmctld/select/choose.h"

#include "request/coords.h"
#include "format/admin_comment.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/names.h"
#include "torus/alloc.h"
#include "torus/regions.h"

/* Linux takes strings of 128 KiB at most into a new program. */
#define COORDS_MAX 65536

/* AdminComment */

static void add_place_word(const struct instance *in, job_record_t *job,
			   const struct torus_placement *place)
{
	uint32_t waited = shape_wait_take(job);
	struct torus_text text = { 0 };

	if (admin_comment_write(in->machine, place, &text) == 0 &&
	    admin_comment_write_contention(in->state, place,
					   !(slurm_conf.private_data &
					     PRIVATE_DATA_JOBS),
					   &text) == 0 &&
	    (!waited || torus_text_add(&text, ADMIN_COMMENT_SHAPE_WAIT "%u",
				       waited) == 0)) {
		if (job->admin_comment)
			xstrcat(job->admin_comment, " ");
		xstrcat(job->admin_comment, text.data);
	}
	torus_text_free(&text);
}

/* Environment */

static bool display_is_one_of(const char *entry, const char *const *name,
			      size_t names)
{
	for (size_t i = 0; entry && i < names; i++) {
		size_t length = strlen(name[i]);

		if (strncmp(entry, name[i], length) == 0 && entry[length] == '=')
			return true;
	}
	return false;
}

bool job_display_is_place(const char *entry)
{
	static const char *const name[] = { PLACEMENT_NAMES };

	return display_is_one_of(entry, name, sizeof(name) / sizeof(*name));
}

/* Remove the variables of a placement. Return how many others there are. */
static uint32_t remove_variables(char **env, uint32_t count)
{
	static const char *const tasks[] = { ENV_NTASKS, ENV_NPROCS };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (job_display_is_place(env[i]) ||
		    display_is_one_of(env[i], tasks, 2))
			xfree(env[i]);
		else
			env[kept++] = env[i];
	}
	return kept;
}

static void add_variable(compat_details *details, const char *name,
			 const char *value)
{
	xrecalloc(details->env_sup, details->env_cnt + 2, sizeof(char *));
	details->env_sup[details->env_cnt++] = xstrdup_printf("%s=%s", name,
							      value);
}

/* Room for a list of numbers: 10 digits and a comma each. */
#define LIST_SIZE (TORUS_MAX_DIMS * 11 + 1)

static void job_display_write_list(const uint32_t *n, uint32_t count,
				   char between, char *buffer)
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

/* The vertices along the shape's axes, of the region (a folded axis has those of all
 * its dimensions) and of a node. */
static void axes_of(const struct torus_placement *place, const struct torus *t,
		    uint32_t *extent, uint32_t *unit)
{
	for (uint32_t a = 0; a < place->axes; a++)
		extent[a] = unit[a] = 1;
	for (uint32_t d = 0; d < t->dims; d++) {
		int8_t a = place->orientation.axis[d];

		if (a < 0 || (uint32_t)a >= place->axes)
			continue;
		extent[a] *= place->region.extent[d] * t->unit[d];
		unit[a] = t->unit[d];
	}
}

/* Return the number of regions of a placement, and the i-th. */
static uint32_t regions_of(const struct torus_placement *place)
{
	return place->regions ? place->regions->count : 1;
}

static struct torus_placement region_of(const struct instance *in,
					const struct torus_placement *place,
					uint32_t i)
{
	return place->regions ? torus_regions_item(in->machine, place, i) :
				*place;
}

/* The position of each node of a placement, per bit of a machine bitmap. */
struct node_ranks {
	uint32_t *rank;  /* in its region */
	uint32_t *slice; /* number of the node's region, from 1; 0: none */
};

static int node_ranks_make(const struct instance *in,
			   const struct torus_placement *place,
			   struct node_ranks *r)
{
	size_t bits = (size_t)in->machine->words * 64;

	r->rank = torus_alloc(bits, sizeof(*r->rank));
	r->slice = torus_alloc(bits, sizeof(*r->slice));
	if (!r->rank || !r->slice)
		return -1;
	for (uint32_t i = 0; i < regions_of(place); i++) {
		struct torus_placement one = region_of(in, place, i);
		const struct torus *t = &in->machine->pod[one.pod].torus;

		for (uint32_t k = 0; k < one.granted; k++) {
			uint32_t index = torus_region_rank_node(&one.region, t,
								&one.orientation,
								one.axes, k,
								NULL);
			uint32_t bit = torus_machine_bit(in->machine, one.pod,
							 index);

			r->rank[bit] = k;
			r->slice[bit] = i + 1;
		}
	}
	return 0;
}

/* The words of each node, in the order of the job's node list. */
struct node_words {
	struct torus_coords_writer coords;
	struct torus_text slices; /* "0(x4),1(x4)" */
	uint32_t slice, run;      /* not yet written */
};

static int node_words_slice(struct node_words *w, uint32_t slice)
{
	int rc = 0;

	if (w->run && slice != w->slice) {
		rc = torus_text_add(&w->slices, "%s%u",
				    w->slices.length ? "," : "", w->slice - 1);
		if (rc == 0 && w->run > 1)
			rc = torus_text_add(&w->slices, "(x%u)", w->run);
		w->run = 0;
	}
	w->slice = slice;
	w->run++;
	return rc;
}

static int node_words_add(const struct instance *in,
			  const struct torus_placement *place,
			  const struct node_ranks *r, const char *name,
			  struct node_words *w)
{
	uint32_t bit = torus_config_node(in->config, name);
	uint32_t coord[TORUS_MAX_DIMS];
	struct torus_placement one;

	if (bit == UINT32_MAX || !r->slice[bit])
		return -1;
	one = region_of(in, place, r->slice[bit] - 1);
	torus_region_rank_node(&one.region, &in->machine->pod[one.pod].torus,
			       &one.orientation, one.axes, r->rank[bit], coord);
	return torus_coords_add(&w->coords, coord) ||
			       node_words_slice(w, r->slice[bit]) ?
		       -1 :
		       0;
}

static int node_words_make(const struct instance *in, const char *nodes,
			   const struct torus_placement *place,
			   struct node_words *w)
{
	compat_hostlist list = hostlist_create(nodes);
	struct node_ranks r = { 0 };
	int rc = list ? node_ranks_make(in, place, &r) : -1;
	char *name;

	while (rc == 0 && (name = hostlist_shift(list))) {
		rc = node_words_add(in, place, &r, name, w);
		free(name);
	}
	if (list)
		hostlist_destroy(list);
	torus_free(r.rank);
	torus_free(r.slice);
	return rc || torus_coords_end(&w->coords) || node_words_slice(w, 0) ?
		       -1 :
		       0;
}

static void add_coords(const struct instance *in, job_record_t *job,
		       const struct torus_placement *place)
{
	struct node_words w = { .coords = { .axes = place->axes } };

	if (!job->job_resrcs || !job->job_resrcs->nodes ||
	    node_words_make(in, job->job_resrcs->nodes, place, &w))
		error("torus: %pJ: no coordinates for its environment", job);
	else if (w.coords.text.length > COORDS_MAX)
		info("torus: %pJ: the list of its %u coordinates is too long for the environment; name the nodes in the order of a dimension",
		     job, place->granted);
	else
		add_variable(job->details, ENV_COORDS, w.coords.text.data);
	if (place->regions && w.slices.length && w.slices.length <= COORDS_MAX)
		add_variable(job->details, ENV_SLICES, w.slices.data);
	torus_text_free(&w.coords.text);
	torus_text_free(&w.slices);
}

/* One list of numbers for each region, '/' between them, or one for all where
 * they are equal. */
struct region_lists {
	struct torus_text text;
	char last[LIST_SIZE];
	bool equal;
};

static int region_lists_add(struct region_lists *l, const uint32_t *n,
			    uint32_t count, char between)
{
	char text[LIST_SIZE];

	job_display_write_list(n, count, between, text);
	l->equal = l->text.length == 0 ||
		   (l->equal && strcmp(text, l->last) == 0);
	memcpy(l->last, text, sizeof(text));
	return torus_text_add(&l->text, "%s%s", l->text.length ? "/" : "", text);
}

static void region_lists_end(struct region_lists *l, compat_details *details,
			     const char *name)
{
	if (l->text.length)
		add_variable(details, name, l->equal ? l->last : l->text.data);
	torus_text_free(&l->text);
}

/* The toruses' names; one where all regions are on it. */
static void add_names(const struct instance *in, compat_details *details,
		      const struct torus_placement *place)
{
	struct torus_text text = { 0 };
	uint32_t before = UINT32_MAX;

	for (uint32_t i = 0; i < regions_of(place); i++) {
		struct torus_placement one = region_of(in, place, i);

		if (one.pod != before)
			torus_text_add(&text, "%s%s", i ? "," : "",
				       in->machine->pod[one.pod].torus.name);
		before = one.pod;
	}
	if (text.data)
		add_variable(details, ENV_NAME, text.data);
	torus_text_free(&text);
}

static void add_region(const struct instance *in, job_record_t *job,
		       const struct torus_placement *place)
{
	struct region_lists bases = { 0 }, units = { 0 };
	struct torus_placement first = region_of(in, place, 0);
	const struct torus *t = &in->machine->pod[first.pod].torus;
	struct torus_text orientation = { 0 }, ring = { 0 };
	uint32_t extent[TORUS_MAX_DIMS], base[TORUS_MAX_DIMS];
	uint32_t unit[TORUS_MAX_DIMS];
	char text[LIST_SIZE];

	axes_of(&first, t, extent, unit);
	job_display_write_list(extent, place->axes, 'x', text);
	add_variable(job->details, ENV_GEOMETRY, text);
	for (uint32_t i = 0; i < regions_of(place); i++) {
		struct torus_placement one = region_of(in, place, i);
		const struct torus *own = &in->machine->pod[one.pod].torus;

		for (uint32_t d = 0; d < own->dims; d++)
			base[d] = one.region.base[d] * own->unit[d];
		region_lists_add(&bases, base, own->dims, ',');
		axes_of(&one, own, extent, unit);
		if (torus_node_vertices(own) > 1)
			region_lists_add(&units, unit, one.axes, 'x');
	}
	region_lists_end(&bases, job->details, ENV_BASE);
	job_display_write_list(first.region.stride, t->dims, ',', text);
	add_variable(job->details, ENV_STRIDE, text);
	if (torus_placement_orientation(in->machine, place, &orientation) == 0 &&
	    torus_placement_rings(place, &ring) == 0) {
		add_variable(job->details, ENV_ORIENTATION, orientation.data);
		add_variable(job->details, ENV_RING, ring.data ? ring.data : "");
	}
	torus_text_free(&orientation);
	torus_text_free(&ring);
	region_lists_end(&units, job->details, ENV_UNIT);
	add_coords(in, job, place);
}

/* No topology: a line of nodes in the order of the node list. */
static void job_display_add_scattered(job_record_t *job,
				      const struct torus_placement *place)
{
	char text[LIST_SIZE];

	job_display_write_list(&place->granted, 1, 'x', text);
	add_variable(job->details, ENV_GEOMETRY, text);
	snprintf(text, sizeof(text), place->granted > 1 ? "0-%u" : "0",
		 place->granted - 1);
	add_variable(job->details, ENV_COORDS, text);
}

/* sbatch computed the tasks of --ntasks-per-node for a single node. submit_check.c
 * corrected the record; correct the script's environment, too. */
static void add_tasks(compat_details *details)
{
	char text[LIST_SIZE];

	if (!details->ntasks_per_node || !details->num_tasks)
		return;
	job_display_write_list(&details->num_tasks, 1, ',', text);
	add_variable(details, ENV_NTASKS, text);
	add_variable(details, ENV_NPROCS, text);
}

void job_display_place(const struct instance *in, job_record_t *job,
		       const struct torus_placement *place)
{
	const char *order;

	add_place_word(in, job, place);
	if (!job->details)
		return;
	add_tasks(job->details);
	add_names(in, job->details, place);
	if (place->scattered && !place->regions)
		job_display_add_scattered(job, place);
	else
		add_region(in, job, place);
	/* the order in which step_layout.c lays out the tasks, if one is asked for */
	order = job_request_word(job, TORUS_WORD_RANK_ORDER);
	if (!order)
		order = torus_rank_order_name[in->config->live.rank_order];
	if (*order)
		add_variable(job->details, ENV_RANK_ORDER, order);
	/* the prologs have them, too */
	xrecalloc(job->spank_job_env,
		  job->spank_job_env_size + job->details->env_cnt + 1,
		  sizeof(char *));
	for (uint32_t i = 0; i < job->details->env_cnt; i++) {
		if (job_display_is_place(job->details->env_sup[i]))
			job->spank_job_env[job->spank_job_env_size++] = xstrdup(
				job->details->env_sup[i]);
	}
}

void job_display_clear(job_record_t *job)
{
	admin_comment_remove(job->admin_comment, ADMIN_COMMENT_PLACE);
	if (job->admin_comment && !*job->admin_comment)
		xfree(job->admin_comment);
	if (job->details)
		job->details->env_cnt =
			(uint16_t)remove_variables(job->details->env_sup,
						   job->details->env_cnt);
	job->spank_job_env_size = remove_variables(job->spank_job_env,
						   job->spank_job_env_size);
}
