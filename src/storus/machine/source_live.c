/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live cluster as a snapshot (source.h), from squeue, sinfo and scontrol. A
 * node that is in use, or that Slurm does not show, without a job that its user may
 * see is hidden, not idle: with PrivateData=jobs the job table alone would call it
 * idle. So is a node of a reservation that its user may not see.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "torus/state_text.h"
#include "torus/placement.h"
#include "config/hostlist.h"
#include "storus/machine/cluster.h"
#include "storus/base/slurm.h"
#include "storus/machine/source.h"
#include "storus/operate/reservations.h"
#include "format/plan_file.h"
#include "placement/state/free_boxes.h"
#include "torus/alloc.h"
#include "torus/regions.h"
#include "torus/number.h"
#include "trace/formats/slurm_words.h"
#include "torus/weights.h"

struct live_set {
	char *name; /* a partition, or a reason; owned by the list */
	uint64_t *map;
};

struct live_source {
	struct snapshot *s;
	struct live_set *partition, *out;
	uint32_t partitions, outs;
	uint32_t listed; /* where the search for the next job with lists begins */
	uint64_t *nodes, *idle, *held, *reserved, *asleep;
	struct torus_weights *weights;
	struct torus_error *err;
};

static int live_no_memory(struct live_source *l)
{
	torus_error_add(l->err, "out of memory");
	return STORUS_TROUBLE;
}

/* Return the set of that name, made if necessary. NULL: no memory. */
static struct live_set *live_set(struct live_set **list, uint32_t *count,
				 const char *name, uint32_t words)
{
	struct live_set *set;

	for (uint32_t i = 0; i < *count; i++) {
		if (strcmp((*list)[i].name, name) == 0)
			return &(*list)[i];
	}
	if (TORUS_RESIZE(*list, *count + 1))
		return NULL;
	set = &(*list)[*count];
	set->name = strdup(name);
	set->map = torus_alloc(words, sizeof(*set->map));
	++*count; /* even if incomplete: live_sets_free() frees it */
	return set->name && set->map ? set : NULL;
}

static void live_sets_free(struct live_set *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free(list[i].name);
		torus_free(list[i].map);
	}
	torus_free(list);
}

static int live_add_node(void *arg, const struct storus_cluster_node *node)
{
	struct live_source *l = arg;
	uint32_t words = l->s->config->machine.words;
	uint32_t bit = torus_config_node(l->s->config, node->name);
	struct live_set *set;

	if (bit == UINT32_MAX)
		return STORUS_DONE;
	set = live_set(&l->partition, &l->partitions, node->partition, words);
	if (!set)
		return live_no_memory(l);
	torus_bits_set(set->map, bit);
	torus_weights_list(l->weights)[bit] = node->weight;
	if (node->asleep)
		torus_bits_set(l->asleep, bit);
	if (!node->out) {
		if (!node->in_use)
			torus_bits_set(l->idle, bit);
		if (node->reserved)
			torus_bits_set(l->reserved, bit);
		return STORUS_DONE;
	}
	/* a node in several partitions has its reason once */
	if (torus_bits_test(l->idle, bit))
		return STORUS_DONE;
	torus_bits_set(l->idle, bit);
	set = live_set(&l->out, &l->outs,
		       strcmp(node->reason, "none") ? node->reason : node->out,
		       words);
	if (!set)
		return live_no_memory(l);
	torus_bits_set(set->map, bit);
	return STORUS_DONE;
}

static int live_mark_node(void *arg, const char *name)
{
	struct live_source *l = arg;
	uint32_t bit = torus_config_node(l->s->config, name);

	if (bit != UINT32_MAX)
		torus_bits_set(l->nodes, bit);
	return 0;
}

/* Set l->nodes to the nodes of Slurm's list. Return how many the machine
 * has. */
static uint32_t live_nodes(struct live_source *l, const char *list)
{
	uint32_t words = l->s->config->machine.words, count;

	torus_bits_zero(l->nodes, words);
	if (*list && torus_hostlist_count(list, &count, NULL) == 0)
		torus_hostlist_each(list, live_mark_node, l);
	return torus_bits_count(l->nodes, words);
}

/* Return true if the text has several regions that are the job's nodes. */
static bool live_regions(struct live_source *l, const char *text)
{
	const struct torus_machine *m = &l->s->config->machine;
	struct torus_regions regions;

	if (!torus_regions_several(text) ||
	    torus_regions_parse(m, text, NULL, &regions, NULL))
		return false;
	torus_bits_zero(l->held, m->words);
	torus_regions_paint(m, &regions, l->held);
	return torus_bits_equal(l->held, l->nodes, m->words);
}

/* Write the region of AdminComment if it has exactly these nodes, else the
 * nodes. */
static int live_place(struct live_source *l, const char *region,
		      struct snapshot_job *job, struct torus_text *text)
{
	const struct torus_machine *m = &l->s->config->machine;
	const struct torus_placement scattered = { .scattered = true,
						   .spread = true,
						   .nodes = l->nodes };
	const char *colon = strchr(region, ':');
	char name[TORUS_NAME_SIZE];
	struct torus_region r;
	bool nodes = false;
	uint32_t p;

	snprintf(name, sizeof(name), "%.*s", colon ? (int)(colon - region) : 0,
		 region);
	p = colon && colon[1] != '{' ? torus_machine_named(m, name) : UINT32_MAX;
	if (live_regions(l, region)) {
		job->place = (char *)(uintptr_t)region;
		return 0;
	}
	if (p != UINT32_MAX &&
	    torus_region_parse(&r, &nodes, l->held, &m->pod[p].torus, region,
			       NULL) == 0 &&
	    !nodes && torus_region_nodes(&r, &m->pod[p].torus) == job->nodes &&
	    torus_region_inside(&r, &m->pod[p].torus,
				l->nodes + m->pod[p].first_word)) {
		job->place = (char *)(uintptr_t)region;
		return 0;
	}
	job->orientation = job->ring = NULL;
	if (torus_placement_format(m, &scattered, text))
		return -1;
	job->place = text->data;
	return 0;
}

static int live_add_job(void *arg, const struct storus_cluster_job *j)
{
	struct live_source *l = arg;
	struct torus_text place = { 0 };
	struct snapshot_job job = {
		.id = (char *)(uintptr_t)j->name,
		.user = (char *)(uintptr_t)j->user,
		.partition = (char *)(uintptr_t)j->partition,
		.running = strcmp(j->state, "PENDING") != 0,
		.submit_us = storus_cluster_time(j->submit),
		.start_us = storus_cluster_time(j->start),
		.end_us = storus_cluster_time(j->end),
		.limit_us = storus_cluster_duration(j->limit),
	};
	int rc;
	uint8_t bits[TORUS_MAX_REGIONS];
	uint32_t axes;

	if (!torus_number_decimal(j->priority, &job.priority))
		job.priority = 0;
	if (!torus_slurm_nodes(j->count, &job.least, &job.count))
		job.count = 0;

	if (strcmp(j->reservation, "(null)"))
		job.reservation = (char *)(uintptr_t)j->reservation;
	if (*j->ask)
		torus_request_words_read_ask(&job.words,
					     (char *)(uintptr_t)j->ask);
	job.nodes = live_nodes(l, j->nodes);
	if (job.running && job.nodes == 0)
		return STORUS_DONE; /* not on this machine, or ended */
	if (!job.running)
		job.reason = (char *)(uintptr_t)j->reason;
	job.orientation = (char *)(uintptr_t)j->orientation;
	job.ring = torus_rings_parse((char *)(uintptr_t)j->ring,
				     torus_regions_count(j->region), bits,
				     &axes) ?
			   NULL :
			   (char *)(uintptr_t)j->ring;
	rc = job.running ? live_place(l, j->region, &job, &place) : 0;
	if (rc == 0)
		rc = snapshot_add_job(l->s, &job, l->nodes);
	torus_text_free(&place);
	return rc ? live_no_memory(l) : STORUS_DONE;
}

/* The jobs come in the same order, so the search goes on behind the last one. */
static int live_take_lists(void *arg, const struct storus_cluster_lists *lists)
{
	struct live_source *l = arg;
	uint32_t j = l->listed;
	struct snapshot_job *job;

	while (j < l->s->jobs && strcmp(l->s->job[j].id, lists->name))
		j++;
	if (j == l->s->jobs || l->s->job[j].running)
		return STORUS_DONE; /* it came or began in between */
	l->listed = j + 1;
	job = &l->s->job[j];
	if (live_nodes(l, lists->required) &&
	    snapshot_copy_map(l->s, l->nodes, &job->required))
		return live_no_memory(l);
	if (live_nodes(l, lists->excluded) &&
	    snapshot_copy_map(l->s, l->nodes, &job->excluded))
		return live_no_memory(l);
	if (live_nodes(l, lists->planned)) {
		const struct torus_machine *m = &l->s->config->machine;
		const struct torus_placement scattered = { .scattered = true,
							   .spread = true,
							   .nodes = l->nodes };
		uint32_t count = torus_bits_count(l->nodes, m->words), index,
			 nodes = 0;
		uint32_t p = torus_machine_pod(m,
					       torus_bits_next(l->nodes,
							       m->words, 0),
					       &index);
		const struct torus_pod *pod = &m->pod[p];
		char region[TORUS_REGION_SIZE];
		struct torus_text text = { 0 };
		struct torus_region box;

		/* Write the box that l->nodes are, or the nodes: where Slurm plans to start
		 * the job. */
		if (*job->words.geometry && !pod->outside && !pod->torus.flat &&
		    torus_largest_region(m, p, l->nodes + pod->first_word, &box,
					 &nodes))
			return live_no_memory(l);
		if (nodes == count)
			torus_region_format(&box, &pod->torus, region,
					    sizeof(region));
		if (nodes == count ?
			    torus_text_add(&text, "%s", region) :
			    torus_placement_format(m, &scattered, &text))
			return live_no_memory(l);
		torus_free(job->place);
		job->place = text.data;
	}
	return STORUS_DONE;
}

/* A floating reservation begins at any time so long after now. scontrol shows when it
 * would begin, a second or two ago: its length is a whole minute if nearly one. */
#define FLOAT_ERROR_US INT64_C(3000000)
#define MINUTE_US INT64_C(60000000)

static int live_add_reservation(void *arg,
				const struct storus_cluster_reservation *r)
{
	struct live_source *l = arg;
	int64_t start_us = storus_cluster_time(r->start);
	int64_t end_us = storus_cluster_time(r->end);
	int64_t limit_us = SNAPSHOT_NO_TIME;

	if (!live_nodes(l, r->nodes))
		return STORUS_DONE;
	if (strstr(r->flags, "TIME_FLOAT") && start_us != TORUS_NO_TIME) {
		int64_t us = start_us - (int64_t)time(NULL) * 1000000;
		int64_t whole = (us + MINUTE_US / 2) / MINUTE_US * MINUTE_US;

		if (us < FLOAT_ERROR_US) {
			limit_us = 0;
		} else {
			limit_us = llabs(us - whole) <= FLOAT_ERROR_US ? whole :
									 us;
		}
		start_us = end_us = SNAPSHOT_NO_TIME;
	}
	return snapshot_add_reservation(l->s, r->name, start_us, end_us,
					limit_us, l->nodes) ?
		       live_no_memory(l) :
		       STORUS_DONE;
}

/* Hide the nodes that are neither idle, nor out of service, nor held by a visible
 * job. A node that is reserved, but by no visible reservation, is not idle. */
static void live_hide(struct live_source *l)
{
	const struct torus_machine *m = &l->s->config->machine;

	for (uint32_t i = 0; i < l->s->reservations; i++)
		torus_bits_andnot(l->reserved, l->s->reservation[i].map,
				  m->words);
	torus_bits_andnot(l->idle, l->reserved, m->words);
	torus_bits_zero(l->held, m->words);
	for (uint32_t j = 0; j < l->s->jobs; j++)
		snapshot_paint(&l->s->job[j], l->held);
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		uint64_t *hidden = l->s->hidden + pod->first_word;

		if (pod->present)
			torus_bits_copy(hidden, pod->present, pod->words);
		else
			torus_bits_set_range(hidden, 0, pod->torus.nodes);
	}
	torus_bits_andnot(l->s->hidden, l->held, m->words);
	torus_bits_andnot(l->s->hidden, l->idle, m->words);
}

/* Take over what users have used, where the queue's order counts it. Without the plan file
 * all have used nothing. */
static int live_take_usage(struct live_source *l)
{
	const struct torus_config *config = l->s->config;
	const struct torus_options *options = &config->scheduler.options;
	const char *order = "fairshare", *path = config->live.plan_file;
	char found[RESERVATIONS_PATH_SIZE] = "";
	struct torus_error err = { 0 };
	struct plan_file_read read = { 0 };
	int rc = 0;
	FILE *f;

	if (!torus_options_is(options, "queue_order", order) &&
	    !torus_options_is(options, "backfill_order", order))
		return STORUS_DONE;
	if (!*path && reservations_find_file(found, &err) == STORUS_DONE)
		path = found;
	f = *path ? fopen(path, "re") : NULL;
	if (f && plan_file_read(&read, f, path, &err) == 0) {
		for (uint32_t i = 0; rc == 0 && i < read.plan.usages; i++)
			rc = snapshot_add_usage(l->s, &read.plan.usage[i]);
	}
	plan_file_free(&read);
	if (f)
		fclose(f);
	return rc ? live_no_memory(l) : STORUS_DONE;
}

int storus_source_live(struct snapshot *s, struct torus_error *err)
{
	size_t words = s->config->machine.words;
	struct live_source l = { .s = s, .err = err };
	int status = STORUS_DONE;
	char title[64], scheduler[64];
	time_t now;
	struct tm tm;

	l.nodes = torus_alloc(5 * words, sizeof(*l.nodes));
	l.weights = torus_weights_create(&s->config->machine);
	if (!l.nodes || !l.weights) {
		torus_weights_destroy(l.weights);
		torus_free(l.nodes);
		return live_no_memory(&l);
	}
	l.idle = l.nodes + words;
	l.held = l.idle + words;
	l.reserved = l.held + words;
	l.asleep = l.reserved + words;
	status = storus_cluster_nodes(err, live_add_node, &l);
	now = time(NULL);
	s->time_us = (int64_t)now * 1000000;
	s->dated = true;
	title[0] = '\0';
	if (localtime_r(&now, &tm))
		strftime(title, sizeof(title),
			 "the cluster at %Y-%m-%dT%H:%M:%S", &tm);
	if (status == STORUS_DONE)
		status = storus_cluster_jobs(err, live_add_job, &l);
	if (status == STORUS_DONE && l.s->jobs > l.s->running)
		status = storus_cluster_lists(err, live_take_lists, &l);
	if (status == STORUS_DONE)
		status = storus_cluster_reservations(err, live_add_reservation,
						     &l);
	if (status == STORUS_DONE)
		status = storus_slurm_setting("SchedulerType", scheduler,
					      sizeof(scheduler), err);
	if (status == STORUS_DONE && *scheduler &&
	    snapshot_set_scheduler(s, scheduler))
		status = live_no_memory(&l);
	if (status == STORUS_DONE)
		status = live_take_usage(&l);
	if (status == STORUS_DONE) {
		int rc = 0;
		struct torus_machine *m = &l.s->config->machine;

		/* Slurm's node weights replace those of torus.yaml. */
		torus_weights_set_asleep(l.weights, l.asleep);
		if (m->weights || !torus_weights_equal(m, l.weights, NULL)) {
			torus_weights_destroy(m->weights);
			m->weights = l.weights;
			l.weights = NULL;
		}
		for (uint32_t i = 0; i < l.partitions; i++)
			rc |= snapshot_add_partition(l.s, l.partition[i].name,
						     l.partition[i].map);
		for (uint32_t i = 0; i < l.outs; i++)
			rc |= snapshot_add_out(l.s, l.out[i].map, l.out[i].name);
		live_hide(&l);
		status = rc ? live_no_memory(&l) : STORUS_DONE;
	}
	if (status == STORUS_DONE && snapshot_set_source(s, title))
		status = live_no_memory(&l);
	live_sets_free(l.partition, l.partitions);
	live_sets_free(l.out, l.outs);
	torus_weights_destroy(l.weights);
	torus_free(l.nodes);
	return status;
}
