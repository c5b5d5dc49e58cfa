/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots in memory (snapshot.h). */
#include "format/snapshot.h"

#include <string.h>

#include "torus/alloc.h"
#include "torus/discipline.h"
#include "torus/text.h"

/* Return a copy without control characters: names come from users. NULL becomes "". */
static char *snapshot_copy(const char *string)
{
	char *copy = torus_text_copy(string ? string : "");

	if (copy)
		torus_error_plain(copy);
	return copy;
}

struct snapshot *snapshot_create(struct torus_config *config, const char *yaml)
{
	struct snapshot *s = torus_alloc(1, sizeof(*s));

	if (!s) {
		torus_config_destroy(config);
		return NULL;
	}
	torus_scheduler_live(&config->scheduler);
	s->config = config;
	s->time_us = SNAPSHOT_NO_TIME;
	s->hidden = torus_alloc(config->machine.words, sizeof(*s->hidden));
	s->out = torus_alloc(config->machine.words, sizeof(*s->out));
	s->source = snapshot_copy("");
	s->scheduler = snapshot_copy("");
	s->yaml = yaml ? torus_text_copy(yaml) : NULL;
	if (!s->hidden || !s->out || !s->source || !s->scheduler ||
	    (yaml && !s->yaml)) {
		snapshot_destroy(s);
		return NULL;
	}
	return s;
}

/* The strings of a job besides its words. */
#define SNAPSHOT_STRINGS(job)                                                  \
	{                                                                      \
		&(job)->id, &(job)->user, &(job)->partition, &(job)->place,    \
			&(job)->orientation, &(job)->ring,                     \
			&(job)->reservation, &(job)->reason                    \
	}

static void job_free(struct snapshot_job *job)
{
	char **string[] = SNAPSHOT_STRINGS(job);

	for (size_t i = 0; i < sizeof(string) / sizeof(*string); i++)
		torus_free(*string[i]);
	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		const char **text = torus_request_words_text(&job->words, w);

		if (text)
			torus_free((char *)(uintptr_t)*text);
	}
	torus_free(job->required);
	torus_free(job->excluded);
	torus_free(job->node);
}

static void nodes_free(struct snapshot_nodes *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		torus_free(list[i].name);
		torus_free(list[i].reason);
		torus_free(list[i].map);
	}
	torus_free(list);
}

void snapshot_destroy(struct snapshot *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->jobs; i++)
		job_free(&s->job[i]);
	torus_free(s->job);
	for (uint32_t i = 0; i < s->usages; i++)
		torus_free((char *)(uintptr_t)s->usage[i].user);
	torus_free(s->usage);
	nodes_free(s->outage, s->outages);
	nodes_free(s->partition, s->partitions);
	nodes_free(s->reservation, s->reservations);
	torus_free(s->hidden);
	torus_free(s->out);
	torus_free(s->source);
	torus_free(s->scheduler);
	torus_free(s->yaml);
	torus_config_destroy(s->config);
	torus_free(s);
}

/* List the set bits of a machine bitmap. */
static int snapshot_list_nodes(const struct snapshot *s, const uint64_t *map,
			       struct snapshot_job *job)
{
	uint32_t words = s->config->machine.words, n = 0, bit;

	job->nodes = torus_bits_count(map, words);
	job->node = torus_alloc(job->nodes, sizeof(*job->node));
	if (!job->node)
		return -1;
	for (bit = torus_bits_next(map, words, 0); bit != UINT32_MAX;
	     bit = torus_bits_next(map, words, bit + 1))
		job->node[n++] = bit;
	return 0;
}

int snapshot_copy_map(const struct snapshot *s, const uint64_t *map,
		      uint64_t **copy)
{
	uint32_t words = s->config->machine.words;

	*copy = map ? torus_alloc(words, sizeof(**copy)) : NULL;
	if (*copy)
		torus_bits_copy(*copy, map, words);
	return map && !*copy ? -1 : 0;
}

int snapshot_add_job(struct snapshot *s, const struct snapshot_job *job,
		     const uint64_t *map)
{
	struct snapshot_job *to, copy = *job;
	char **string[] = SNAPSHOT_STRINGS(&copy);
	bool lacking = TORUS_GROW(s->job, s->room, s->jobs + 1) != 0;

	copy.node = NULL;
	copy.nodes = 0;
	lacking |= snapshot_copy_map(s, job->required, &copy.required) != 0;
	lacking |= snapshot_copy_map(s, job->excluded, &copy.excluded) != 0;
	for (size_t i = 0; i < sizeof(string) / sizeof(*string); i++) {
		*string[i] = lacking ? NULL : snapshot_copy(*string[i]);
		lacking = lacking || !*string[i];
	}
	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		const char **text = torus_request_words_text(&copy.words, w);

		if (text)
			*text = lacking ? NULL : snapshot_copy(*text);
		lacking = lacking || (text && !*text);
	}
	if (lacking || (copy.running && snapshot_list_nodes(s, map, &copy))) {
		job_free(&copy);
		return -1;
	}
	to = &s->job[s->jobs++];
	*to = copy;
	s->running += copy.running;
	return 0;
}

static int snapshot_add_nodes(const struct snapshot *s,
			      struct snapshot_nodes **list, uint32_t *count,
			      const struct snapshot_nodes *nodes)
{
	uint32_t words = s->config->machine.words;
	struct snapshot_nodes copy = *nodes;

	if (TORUS_RESIZE(*list, *count + 1))
		return -1;
	copy.name = snapshot_copy(nodes->name);
	copy.reason = snapshot_copy(nodes->reason);
	copy.map = torus_alloc(words, sizeof(*copy.map));
	if (!copy.name || !copy.reason || !copy.map) {
		torus_free(copy.name);
		torus_free(copy.reason);
		torus_free(copy.map);
		return -1;
	}
	torus_bits_copy(copy.map, nodes->map, words);
	(*list)[(*count)++] = copy;
	return 0;
}

int snapshot_add_usage(struct snapshot *s, const struct torus_usage *usage)
{
	struct torus_usage copy = *usage;

	if (TORUS_RESIZE(s->usage, s->usages + 1))
		return -1;
	copy.user = snapshot_copy(usage->user);
	if (!copy.user)
		return -1;
	s->usage[s->usages++] = copy;
	return 0;
}

int snapshot_add_out(struct snapshot *s, const uint64_t *map, const char *reason)
{
	const struct snapshot_nodes nodes = {
		.reason = (char *)(uintptr_t)reason,
		.map = (uint64_t *)(uintptr_t)map,
	};

	torus_bits_or(s->out, map, s->config->machine.words);
	return snapshot_add_nodes(s, &s->outage, &s->outages, &nodes);
}

int snapshot_add_partition(struct snapshot *s, const char *name,
			   const uint64_t *map)
{
	const struct snapshot_nodes nodes = {
		.name = (char *)(uintptr_t)name,
		.map = (uint64_t *)(uintptr_t)map,
	};

	return snapshot_add_nodes(s, &s->partition, &s->partitions, &nodes);
}

int snapshot_add_reservation(struct snapshot *s, const char *name,
			     int64_t start_us, int64_t end_us, int64_t limit_us,
			     const uint64_t *map)
{
	const struct snapshot_nodes nodes = {
		.name = (char *)(uintptr_t)name,
		.start_us = start_us,
		.end_us = end_us,
		.limit_us = limit_us,
		.map = (uint64_t *)(uintptr_t)map,
	};

	return snapshot_add_nodes(s, &s->reservation, &s->reservations, &nodes);
}

int snapshot_set_source(struct snapshot *s, const char *source)
{
	char *copy = snapshot_copy(source);

	if (!copy)
		return -1;
	torus_free(s->source);
	s->source = copy;
	return 0;
}

int snapshot_set_scheduler(struct snapshot *s, const char *scheduler)
{
	const char *like = !strcmp(scheduler, "sched/backfill") ?
				   "conservative" :
			   !strcmp(scheduler, "sched/builtin") ? "fcfs" :
								 NULL;
	struct torus_scheduler_settings *settings = &s->config->scheduler;
	char *copy = snapshot_copy(scheduler);

	if (!copy)
		return -1;
	torus_free(s->scheduler);
	s->scheduler = copy;
	if (!like)
		return 0;
	torus_scheduler_defaults(settings);
	torus_scheduler_live(settings);
	settings->discipline = torus_discipline_find(like);
	settings->order_by_priority = true;
	return 0;
}

struct snapshot_job *snapshot_job_find(const struct snapshot *s, const char *id)
{
	for (uint32_t i = 0; i < s->jobs; i++) {
		if (strcmp(s->job[i].id, id) == 0)
			return &s->job[i];
	}
	return NULL;
}

const struct snapshot_nodes *snapshot_partition(const struct snapshot *s,
						const char *name)
{
	for (uint32_t i = 0; i < s->partitions; i++) {
		if (strcmp(s->partition[i].name, name) == 0)
			return &s->partition[i];
	}
	return NULL;
}

void snapshot_remove_job(struct snapshot *s, struct snapshot_job *job)
{
	size_t after = (size_t)(s->job + s->jobs - (job + 1));

	s->running -= job->running;
	job_free(job);
	memmove(job, job + 1, after * sizeof(*job));
	s->jobs--;
}

void snapshot_paint(const struct snapshot_job *job, uint64_t *map)
{
	for (uint32_t i = 0; i < job->nodes; i++)
		torus_bits_set(map, job->node[i]);
}
