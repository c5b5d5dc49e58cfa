/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources of a machine question (source.h): files, --busy, the choice. */
#include "storus/base/args.h"
#include "torus/regions.h"
#include "torus/placement.h"
#include "config/file.h"
#include "storus/machine/source.h"
#include "torus/alloc.h"
#include "trace/formats/slurm_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The path of a site's torus.yaml, and regions by name on a machine of several
 * toruses.
 */

const char *storus_config_path(char *buffer, size_t size)
{
	const char *conf = getenv("SLURM_CONF");
	const char *slash = conf ? strrchr(conf, '/') : NULL;

	if (conf && *conf)
		snprintf(buffer, size, "%.*storus.yaml",
			 slash ? (int)(slash - conf + 1) : 0, conf);
	else
		snprintf(buffer, size, "/etc/slurm/torus.yaml");
	return buffer;
}

int storus_regions_paint(const struct torus_machine *m, const char *region,
			 uint64_t *one, uint64_t *map, struct torus_error *err)
{
	struct torus_placement place;

	if (torus_regions_place_parse(m, region, one, &place, err))
		return -1;
	torus_placement_paint(m, &place, map);
	return 0;
}

int storus_source_take_at(const struct storus_args *args, void *source)
{
	struct storus_source *s = source;

	s->command = args->command;
	s->at = storus_args_take_time(args, &s->at_us) == STORUS_DONE;
	return s->at ? STORUS_DONE : STORUS_USAGE;
}

/* Check that the options go together. 0, or -1 with a line in err. */
static int source_check(const struct storus_source *s, struct torus_error *err)
{
	if (!s->schedule != !s->at)
		return torus_error_add(err, "--schedule and --at go together");
	if (s->schedule && s->busy.count)
		return torus_error_add(
			err,
			"--busy and --schedule exclude each other: both say which nodes are in use");
	if (s->snapshot &&
	    (s->busy.count || s->schedule || s->torus || s->link_file))
		return torus_error_add(err,
				       "--snapshot and --%s exclude each other: a snapshot has its machine and its jobs",
				       s->busy.count ? "busy" :
				       s->schedule   ? "schedule" :
				       s->link_file  ? "link-file" :
						       "torus");
	return 0;
}

/* Each of its cells must have a node. */
static int source_covers_nodes(const struct torus_machine *m,
			       const struct torus_placement *place,
			       const char *region, struct torus_error *err)
{
	const uint64_t *nodes = place->nodes;
	bool covers = true;

	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];

		if (!pod->present || (!place->spread && p != place->pod))
			continue;
		covers =
			covers &&
			(place->scattered ?
				 torus_bits_subset(place->spread ?
							   nodes + pod->first_word :
							   nodes,
						   pod->present, pod->words) :
				 torus_region_inside(&place->region,
						     &pod->torus, pod->present));
	}
	if (covers)
		return 0;
	return torus_error_add(err,
			       "--busy: got \"%s\": it covers a cell that has no node",
			       region);
}

/* Each --busy is a job: 1, 2, and so on. */
static int source_busy(const struct storus_source *source, struct snapshot *s,
		       struct torus_error *err)
{
	const struct torus_machine *m = &s->config->machine;
	uint64_t *one = torus_alloc(2 * (size_t)m->words, sizeof(*one));
	uint64_t *nodes = one ? one + m->words : NULL;
	int status = one ? STORUS_DONE : STORUS_TROUBLE;

	for (uint32_t i = 0; one && i < source->busy.count; i++) {
		struct torus_placement place;
		struct torus_text text = { 0 };
		struct snapshot_job job = { .running = true,
					    .submit_us = SNAPSHOT_NO_TIME,
					    .start_us = SNAPSHOT_NO_TIME,
					    .end_us = SNAPSHOT_NO_TIME,
					    .limit_us = SNAPSHOT_NO_TIME };
		char id[16];

		torus_bits_zero(one, m->words);
		torus_bits_zero(nodes, m->words);
		if (torus_regions_place_parse(m, source->busy.word[i], one,
					      &place, err) ||
		    source_covers_nodes(m, &place, source->busy.word[i], err)) {
			status = STORUS_USAGE;
			continue;
		}
		torus_placement_paint(m, &place, nodes);
		snprintf(id, sizeof(id), "%u", i + 1);
		job.id = id;
		if (torus_placement_format(m, &place, &text) == 0)
			job.place = text.data;
		if (!job.place || snapshot_add_job(s, &job, nodes))
			status = STORUS_TROUBLE;
		torus_text_free(&text);
	}
	torus_free(one);
	if (status == STORUS_TROUBLE)
		torus_error_add(err, "out of memory");
	return status;
}

/* Return true if any torus names its nodes. Without names there is no cluster
 * to ask. */
static bool source_named(const struct torus_config *config)
{
	bool named = false;

	for (uint32_t p = 0; p < config->machine.pods; p++)
		named = named || config->names[p];
	return named;
}

/* Make a snapshot of the machine alone. Its text, if any, is stored for
 * snapshot_write(). */
static struct snapshot *source_machine(const char *torus, const char *links,
				       struct torus_error *err)
{
	struct torus_config *config = torus_config_load(torus, err);
	struct snapshot *s;
	size_t length;
	char *text;

	if (!config)
		return NULL;
	if (links && torus_config_link_file(config, links, err)) {
		torus_config_destroy(config);
		return NULL;
	}
	text = torus_file_text(torus, &length, NULL);
	s = snapshot_create(config, text);
	torus_free(text);
	if (!s)
		torus_error_add(err, "out of memory");
	return s;
}

int storus_config_check(const char *path, struct torus_error *err)
{
	if (access(path, R_OK) == 0)
		return 0;
	return torus_error_add(err,
			       "%s: %s; ask the administrators for the file, or for a --snapshot FILE; without it storus ranks answers inside a job and, while slurmctld responds, storus explain JOB, jobs, reservations and update",
			       path, strerror(errno));
}

int storus_source_open(struct storus_source *s, struct snapshot **snapshot,
		       struct torus_error *err)
{
	char path[4096];
	bool site = !s->torus;
	int status;

	*snapshot = NULL;
	if (source_check(s, err))
		return STORUS_USAGE;
	if (s->snapshot) {
		size_t length;
		char *text = torus_file_text(s->snapshot, &length, err);

		if (!text)
			return STORUS_USAGE;
		*snapshot = snapshot_read(s->snapshot, text, length, err);
		torus_free(text);
		return *snapshot       ? STORUS_DONE :
		       errno == ENOMEM ? STORUS_TROUBLE :
					 STORUS_USAGE;
	}
	if (site &&
	    storus_config_check(storus_config_path(path, sizeof(path)), err))
		return STORUS_USAGE;
	*snapshot = source_machine(site ? storus_config_path(path, sizeof(path)) :
					  s->torus,
				   s->link_file, err);
	if (!*snapshot)
		return errno == ENOMEM ? STORUS_TROUBLE : STORUS_USAGE;
	if (s->schedule)
		status = storus_source_schedule(s, *snapshot, err);
	else if (s->busy.count || (!site && !s->live) ||
		 !source_named((*snapshot)->config))
		status = source_busy(s, *snapshot, err);
	else
		status = storus_source_live(*snapshot, err);
	if (status == STORUS_DONE && (s->busy.count || !*(*snapshot)->source) &&
	    snapshot_set_source(*snapshot, s->busy.count ? "nodes in use" :
							   "the idle machine"))
		status = STORUS_TROUBLE;
	if (status != STORUS_DONE) {
		snapshot_destroy(*snapshot);
		*snapshot = NULL;
	}
	return status;
}
