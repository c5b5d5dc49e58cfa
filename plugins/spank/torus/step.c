/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps on sub-boxes (step.h). The free nodes are those of no running step, by Slurm's
 * list of the job's steps. Between the choice and the creation of the step the command
 * holds an abstract socket, whose name only one process of a host can have, so that
 * two commands do not choose the same nodes. Should they run on different hosts, Slurm lets
 * the second step wait: steps do not share CPUs.
 *
 * Cost: O(orientations x places x nodes of the box), in srun.
 */
#include "torus_build.h" /* COMPAT_HAS_STEPS_BY_ID */

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>

#include "step.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "config/hostlist.h"
#include "format/ranks.h"
#include "request/coords.h"
#include "slurmctld/names.h"
#include "torus/alloc.h"
#include "torus/number.h"

/* Of srun and libslurmfull, by the names of options. */
extern char opt[] __attribute__((weak));
extern int slurm_option_set(void *options, const char *name, const char *value,
			    bool early) __attribute__((weak));
extern char *slurm_option_get(void *options, const char *name)
	__attribute__((weak));
extern bool slurm_option_isset(void *options, const char *name)
	__attribute__((weak));
extern bool slurm_option_set_by_cli(void *options, int value)
	__attribute__((weak));

/* A step's box in the job's coordinates. */
struct step_box {
	uint32_t axes;                   /* of the step */
	uint32_t extent[TORUS_MAX_DIMS]; /* as typed, 1s included */
	uint32_t axis[TORUS_MAX_DIMS];   /* the job's axis along it */
	uint32_t base[TORUS_MAX_DIMS], size[TORUS_MAX_DIMS]; /* per job's axis */
	uint32_t slice;
};

struct step_search {
	const struct torus_ranks *job;
	const bool *busy; /* per node of the job's list */
	bool pinned, based, fits;
	struct step_box box;
};

static const char *step_variable(void *arg, const char *name)
{
	(void)arg;
	return getenv(name);
}

static int step_refuse(const char *what, const char *value, const char *why)
{
	slurm_error("torus: --%s: got \"%s\": %s; or omit it: the step then runs on all nodes of job %s",
		    what, value, why, getenv("SLURM_JOB_ID"));
	return -1;
}

/* Return the number of the vertex of the job at `at`, in the job's list. */
static uint32_t step_vertex(const struct torus_ranks *job,
			    const struct step_box *box, const uint32_t *at)
{
	uint32_t k = 0, region = 1, regions = 1;

	for (uint32_t a = 0; a < job->axes; a++) {
		k = k * job->extent[a] + at[a];
		region *= job->extent[a];
	}
	if (job->slices)
		regions = job->rank[job->nodes - 1].slice + 1;
	return (box->slice * region + k) * (job->nodes / regions / region);
}

/* Move to the next place of a box, the last axis first. */
static bool step_advance(uint32_t *at, const uint32_t *low, const uint32_t *by,
			 const uint32_t *end, uint32_t axes)
{
	for (uint32_t a = axes; a-- > 0;) {
		at[a] += by[a];
		if (at[a] < end[a])
			return true;
		at[a] = low[a];
	}
	return false;
}

/* Return true if no step has a node of the box. */
static bool step_is_free(const struct step_search *s)
{
	const struct torus_ranks *job = s->job;
	uint32_t one[TORUS_MAX_DIMS], end[TORUS_MAX_DIMS], at[TORUS_MAX_DIMS];
	uint32_t per_vertex = 1;

	while (per_vertex < job->nodes &&
	       !memcmp(job->rank[per_vertex].coord, job->rank[0].coord,
		       sizeof(at)) &&
	       job->rank[per_vertex].slice == 0)
		per_vertex++;
	for (uint32_t a = 0; a < job->axes; a++) {
		one[a] = 1;
		at[a] = s->box.base[a];
		end[a] = s->box.base[a] + s->box.size[a];
	}
	do {
		uint32_t k = step_vertex(job, &s->box, at);

		for (uint32_t i = 0; i < per_vertex; i++) {
			if (s->busy[job->rank[k + i].host])
				return false;
		}
	} while (step_advance(at, s->box.base, one, end, job->axes));
	return true;
}

/* Try all places of a turned box. */
static bool step_try_places(struct step_search *s)
{
	const struct torus_ranks *job = s->job;
	struct step_box *box = &s->box;
	static const uint32_t zero[TORUS_MAX_DIMS];
	uint32_t end[TORUS_MAX_DIMS], slices = 1;

	for (uint32_t a = 0; a < job->axes; a++) {
		if (box->size[a] > job->extent[a] ||
		    box->size[a] % job->unit[a] ||
		    (s->based && (box->base[a] > job->extent[a] - box->size[a] ||
				  box->base[a] % job->unit[a])))
			return false;
		end[a] = job->extent[a] - box->size[a] + 1;
	}
	s->fits = true;
	if (job->slices)
		slices = job->rank[job->nodes - 1].slice + 1;
	for (box->slice = 0; box->slice < slices; box->slice++) {
		if (!s->based)
			memset(box->base, 0, sizeof(box->base));
		do {
			if (step_is_free(s))
				return true;
		} while (!s->based && step_advance(box->base, zero, job->unit,
						   end, job->axes));
	}
	return false;
}

/* Give the step's axes from `i` on axes of the job, in order first. */
static bool step_try_turns(struct step_search *s, uint32_t i, uint32_t used)
{
	struct step_box *box = &s->box;

	if (i == box->axes)
		return step_try_places(s);
	for (uint32_t a = 0; a < s->job->axes; a++) {
		uint32_t axis = (i + a) % s->job->axes;

		if (used >> axis & 1)
			continue;
		box->axis[i] = axis;
		box->size[axis] = box->extent[i];
		if (step_try_turns(s, i + 1, used | 1u << axis))
			return true;
		box->size[axis] = 1;
		if (s->pinned)
			break;
	}
	return false;
}

/* Mark the job's nodes that running steps have. */
static int step_list_mark(void *arg, const char *name)
{
	struct step_search *s = arg;

	for (uint32_t k = 0; k < s->job->nodes; k++) {
		if (strcmp(s->job->rank[k].name, name) == 0)
			((bool *)(uintptr_t)s->busy)[s->job->rank[k].host] =
				true;
	}
	return 0;
}

static int step_list(uint32_t job, job_step_info_response_msg_t **steps)
{
#ifdef COMPAT_HAS_STEPS_BY_ID
	slurm_step_id_t all = { .job_id = job,
				.step_id = NO_VAL,
				.step_het_comp = NO_VAL };

	return slurm_get_job_steps(&all, steps, SHOW_ALL);
#else
	return slurm_get_job_steps(0, job, NO_VAL, steps, SHOW_ALL);
#endif
}

static int step_mark_busy(struct step_search *s)
{
	job_step_info_response_msg_t *steps = NULL;
	uint32_t id = (uint32_t)torus_number_of(getenv("SLURM_JOB_ID"));

	memset((void *)(uintptr_t)s->busy, 0, s->job->nodes * sizeof(bool));
	if (step_list(id, &steps)) {
		if (errno == ESLURM_INVALID_JOB_ID)
			return 0; /* it has no step */
		slurm_error("torus: --geometry: the steps of job %u cannot be read: %s",
			    id, slurm_strerror(errno));
		return -1;
	}
	for (uint32_t i = 0; i < steps->job_step_count; i++) {
		const job_step_info_t *step = &steps->job_steps[i];

		if (step->step_id.step_id < SLURM_MAX_NORMAL_STEP_ID &&
		    step->nodes)
			torus_hostlist_each(step->nodes, step_list_mark, s);
	}
	slurm_free_job_step_info_response_msg(steps);
	return 0;
}

/* Only one command on a host chooses for a job at a time. */
static int step_lock = -1;

void step_created(void)
{
	if (step_lock >= 0)
		close(step_lock);
	step_lock = -1;
}

static void step_take_turn(void)
{
	static bool watched; /* srun's children must not keep it */
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
			      "slurm-torus-step-%s", getenv("SLURM_JOB_ID"));

	watched = watched || pthread_atfork(NULL, NULL, step_created) == 0;
	step_lock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	for (int i = 0; i < 600 && step_lock >= 0; i++) {
		if (bind(step_lock, (struct sockaddr *)&name,
			 (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				     1 + (size_t)length)) == 0 ||
		    errno != EADDRINUSE)
			return;
		usleep(100000);
	}
}

/* The environment of the step */

static void step_set(const char *name, struct torus_text *text)
{
	if (text->data)
		setenv(name, text->data, 1);
	torus_text_free(text);
}

/* Name the hosts and their coordinates, row-major in the step's axes. */
static int step_write_nodes(const struct torus_ranks *job,
			    const struct step_box *box, const uint32_t *axes,
			    uint32_t count)
{
	struct torus_coords_writer w = { .axes = count };
	struct torus_text names = { 0 };
	uint32_t at[TORUS_MAX_DIMS] = { 0 }, end[TORUS_MAX_DIMS];
	uint32_t by[TORUS_MAX_DIMS], per_vertex = 1;
	static const uint32_t zero[TORUS_MAX_DIMS];
	int rc = 0;

	while (per_vertex < job->nodes && job->rank[per_vertex].slice == 0 &&
	       !memcmp(job->rank[per_vertex].coord, job->rank[0].coord,
		       sizeof(at)))
		per_vertex++;
	for (uint32_t i = 0; i < count; i++) {
		end[i] = box->size[axes[i]];
		by[i] = job->unit[axes[i]];
	}
	do {
		uint32_t place[TORUS_MAX_DIMS], k;

		memcpy(place, box->base, sizeof(place));
		for (uint32_t i = 0; i < count; i++)
			place[axes[i]] += at[i];
		k = step_vertex(job, box, place);
		for (uint32_t i = 0; i < per_vertex; i++) {
			rc |= torus_coords_add(&w, at);
			rc |= torus_text_add(&names, "%s%s",
					     names.length ? "," : "",
					     job->rank[k + i].name);
		}
	} while (rc == 0 && step_advance(at, zero, by, end, count));
	rc |= torus_coords_end(&w);
	step_set(ENV_COORDS, &w.text);
	step_set(ENV_NODELIST, &names);
	return rc;
}

static int step_write_place(const struct torus_ranks *job,
			    const struct step_box *box)
{
	struct torus_text shape = { 0 }, ring = { 0 }, unit = { 0 }, sub = { 0 };
	uint32_t axes[TORUS_MAX_DIMS], count = 0;
	int rc = 0;

	for (uint32_t i = 0; i < box->axes; i++) {
		if (box->extent[i] > 1)
			axes[count++] = box->axis[i];
	}
	if (count == 0)
		axes[count++] = box->axis[0];
	for (uint32_t i = 0; i < count; i++) {
		uint32_t a = axes[i], n = box->size[a];

		rc |= torus_text_add(&shape, "%s%u", i ? "x" : "", n);
		rc |= torus_text_add(&unit, "%s%u", i ? "x" : "", job->unit[a]);
		rc |= torus_text_add(&ring, "%c",
				     n == job->extent[a] && job->closed >> a & 1 ?
					     'T' :
					     'M');
	}
	for (uint32_t a = 0; a < job->axes; a++)
		rc |= torus_text_add(&sub, "%s%u", a ? "," : "", box->base[a]);
	for (uint32_t a = 0; a < job->axes; a++)
		rc |= torus_text_add(&sub, "%s%u", a ? "x" : "+", box->size[a]);
	rc |= step_write_nodes(job, box, axes, count);
	step_set(ENV_GEOMETRY, &shape);
	step_set(ENV_RING, &ring);
	step_set(ENV_SUB, &sub);
	if (getenv(ENV_UNIT))
		step_set(ENV_UNIT, &unit);
	torus_text_free(&unit);
	/* of the job's region: not known for the box */
	unsetenv(ENV_BASE);
	unsetenv(ENV_ORIENTATION);
	unsetenv(ENV_SLICES);
	return rc;
}

/* The tasks */

static uint32_t step_number(const char *name)
{
	char *text = slurm_option_isset(opt, name) ?
			     slurm_option_get(opt, name) :
			     NULL;

	return text ? (uint32_t)torus_number_of(text) : 0; /* (kept) */
}

/* Name the node of each task to srun; n tasks on `hosts` nodes, the first ones get one
 * more if it does not divide. */
static int step_name_tasks(const struct torus_ranks *ranks, uint32_t n,
			   uint32_t hosts)
{
	struct torus_text list = { 0 };
	char number[16];
	int rc = 0;

	for (uint32_t k = 0; k < ranks->nodes && rc == 0; k++) {
		const struct torus_rank *vertex = &ranks->rank[k];
		uint32_t tasks = n / hosts + (vertex->host < n % hosts), first;
		uint32_t count = torus_rank_tasks(vertex, tasks, &first);

		while (rc == 0 && count-- > 0)
			rc = torus_text_add(&list, "%s%s",
					    list.length ? "," : "",
					    vertex->name);
	}
	snprintf(number, sizeof(number), "%u", hosts);
	rc |= slurm_option_set(opt, "nodes", number, false);
	snprintf(number, sizeof(number), "%u", n);
	rc |= slurm_option_set(opt, "ntasks", number, false);
	rc |= slurm_option_set(opt, "distribution", "arbitrary", false);
	if (list.data)
		rc |= slurm_option_set(opt, "nodelist", list.data, false);
	torus_text_free(&list);
	if (rc)
		slurm_error("torus: the step's tasks cannot be laid out");
	return rc ? -1 : 0;
}

/* Order the tasks over the nodes of TORUS_NODELIST, or the job's. */
static int step_order_tasks(const char *word, bool whole)
{
	struct torus_ranks ranks = { 0 };
	enum torus_rank_order order = TORUS_ORDER_ROW_MAJOR;
	struct torus_error err = { 0 };
	uint32_t hosts = 0, tasks = 0, per_node = step_number("ntasks-per-node");
	int rc = -1;

	if ((word &&
	     torus_rank_order_parse("--rank-order", word, &order, &err)) ||
	    torus_ranks_job(&ranks, step_variable, NULL, &err) ||
	    torus_ranks_sort(&ranks, order)) {
		slurm_error("torus: %s", err.text);
	} else {
		for (uint32_t k = 0; k < ranks.nodes; k++)
			hosts += ranks.rank[k].at == 0;
		if (slurm_option_set_by_cli(opt, 'n') || whole)
			tasks = step_number("ntasks");
		if (tasks == 0)
			tasks = hosts * (per_node ? per_node : 1);
		if (tasks < hosts)
			slurm_error("torus: -n %u: expected at least a task on each of the step's %u nodes; write -n %u, or omit -n",
				    tasks, hosts, hosts);
		else if (!whole && slurm_option_set_by_cli(opt, 'N') &&
			 step_number("nodes") != hosts)
			slurm_error("torus: -N (--nodes) contradicts --geometry of the step, which is %u node%s; omit -N",
				    hosts, hosts == 1 ? "" : "s");
		else
			rc = step_name_tasks(&ranks, tasks, hosts);
	}
	torus_ranks_free(&ranks);
	return rc;
}

/* A step on a sub-box */

static int step_read_words(const struct step_words *words, struct step_search *s)
{
	struct torus_request_words only = { .geometry = words->geometry,
					    .no_rotate = true };
	struct torus_request request = { 0 };
	struct torus_coords_reader base = { .text = words->base };
	struct torus_error err = { 0 };
	const struct torus_ask *ask = &request.alternative[0].ask;
	struct step_box *box = &s->box;

	if (torus_request_parse(&request, &only, &err)) {
		slurm_error("torus: %s", err.text);
		return -1;
	}
	if (request.alternatives > 1 || ask->by_count || ask->regions ||
	    request.alternative[0].after_us)
		return step_refuse("geometry", words->geometry,
				   "a step in a job needs one shape, for example 4x4x1");
	s->pinned = words->no_rotate;
	for (uint32_t i = 0; i < ask->shape.axes; i++) {
		if (ask->shape.axes <= s->job->axes || ask->shape.extent[i] > 1)
			box->extent[box->axes++] = ask->shape.extent[i];
	}
	for (uint32_t a = 0; a < TORUS_MAX_DIMS; a++)
		box->size[a] = 1;
	s->based = words->base != NULL;
	if (s->based &&
	    (torus_coords_next(&base, box->base) != s->job->axes || *base.text))
		return step_refuse("base", words->base,
				   "expected a number for each axis of the job's shape, for example 0,0,1");
	if (box->axes > s->job->axes || (box->axes == 0 && !box->axes++))
		return step_refuse("geometry", words->geometry,
				   "the job's shape has fewer axes");
	return 0;
}

static int step_choose(const struct step_words *words, struct step_search *s)
{
	bool told = false;

	if (step_read_words(words, s))
		return -1;
	for (;;) {
		struct step_box typed = s->box;

		step_take_turn();
		if (step_mark_busy(s))
			return -1;
		if (step_try_turns(s, 0, 0))
			return 0;
		step_created();
		s->box = typed;
		if (!s->fits && words->base) {
			struct step_search all = *s;

			/* does the box lie in the job without its --base? */
			all.based = false;
			step_try_turns(&all, 0, 0);
			if (all.fits)
				return step_refuse("base", words->base,
						   "no box of that shape begins there inside the job's shape; write another base");
		}
		if (!s->fits) {
			slurm_error("torus: --geometry: got \"%s\"%s%s: job %s has the shape %s%s, and a box of a step lies inside; write a smaller shape, or omit it: the step then runs on all nodes",
				    words->geometry, words->base ? " at " : "",
				    words->base ? words->base : "",
				    getenv("SLURM_JOB_ID"), getenv(ENV_GEOMETRY),
				    getenv(ENV_UNIT) ? " of larger units" : "");
			return -1;
		}
		if (!told)
			slurm_info("torus: other steps of job %s have nodes of every box of %s: waiting",
				   getenv("SLURM_JOB_ID"), words->geometry);
		told = true;
		sleep(1);
	}
}

static int step_on_box(const struct step_words *words)
{
	static const struct {
		int value;
		const char *name;
	} others[] = {
		{ 'w', "-w (--nodelist)" },
		{ 'x', "-x (--exclude)" },
		{ 'r', "-r (--relative)" },
	};
	struct torus_ranks job = { 0 };
	struct torus_error err = { 0 };
	struct step_search s = { .job = &job };
	bool *busy = NULL;
	int rc = -1;

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (slurm_option_set_by_cli(opt, others[i].value)) {
			slurm_error("torus: %s chooses nodes, and so does --geometry of the step: omit one of them; --base=0,0,0 says where the step begins",
				    others[i].name);
			return -1;
		}
	}
	if (!getenv(ENV_GEOMETRY) || !getenv(ENV_COORDS))
		return step_refuse("geometry", words->geometry,
				   "it asks for nodes, but this srun runs a step in a job that has no shape");
	if (torus_ranks_job(&job, step_variable, NULL, &err)) {
		slurm_error("torus: %s", err.text);
		return -1;
	}
	busy = calloc(job.nodes, sizeof(*busy));
	s.busy = busy;
	if (busy && step_choose(words, &s) == 0 &&
	    step_write_place(&job, &s.box) == 0)
		rc = step_order_tasks(words->rank_order ? words->rank_order :
							  getenv(ENV_RANK_ORDER),
				      false);
	free(busy);
	torus_ranks_free(&job);
	return rc;
}

int step_prepare(const struct step_words *words)
{
	uint32_t nodes;

	if (!opt || !slurm_option_set || !slurm_option_get ||
	    !slurm_option_isset || !slurm_option_set_by_cli) {
		slurm_error(
			"torus: this srun has no options that a plugin can set: --geometry, --base and --rank-order do not work in a job; omit them");
		return -1;
	}
	if (words->geometry)
		return step_on_box(words);
	if (words->base)
		return step_refuse("base", words->base,
				   "it goes with --geometry");
	nodes = step_number("nodes");
	if (slurm_option_isset(opt, "nodelist") ||
	    slurm_option_isset(opt, "exclude") ||
	    (nodes && getenv("SLURM_JOB_NUM_NODES") &&
	     nodes != torus_number_of(getenv("SLURM_JOB_NUM_NODES")))) {
		slurm_info("torus: --rank-order: this step does not have all nodes of job %s: its tasks stay as Slurm lays them out",
			   getenv("SLURM_JOB_ID"));
		return 0;
	}
	return step_order_tasks(words->rank_order, true);
}
