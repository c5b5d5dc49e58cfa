/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots in memory, and their writer (snapshot.h). */
#include "torus/placement.h"
#include "format/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/error.h"
#include "torus/text.h"
#include "torus/weights.h"

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
	s->yaml = yaml ? torus_text_copy(yaml) : NULL;
	if (!s->hidden || !s->out || !s->source || (yaml && !s->yaml)) {
		snapshot_destroy(s);
		return NULL;
	}
	return s;
}

static void job_free(struct snapshot_job *job)
{
	char *string[] = { job->id,       job->user,        job->partition,
			   job->geometry, job->conn_type,   job->placement,
			   job->links,    job->place,       job->orientation,
			   job->ring,     job->reservation, job->reason };

	for (size_t i = 0; i < sizeof(string) / sizeof(*string); i++)
		torus_free(string[i]);
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
	nodes_free(s->outage, s->outages);
	nodes_free(s->partition, s->partitions);
	nodes_free(s->reservation, s->reservations);
	torus_free(s->hidden);
	torus_free(s->out);
	torus_free(s->source);
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

int snapshot_add_job(struct snapshot *s, const struct snapshot_job *job,
		     const uint64_t *map)
{
	struct snapshot_job *to, copy = *job;
	char **string[] = { &copy.id,          &copy.user,
			    &copy.partition,   &copy.geometry,
			    &copy.conn_type,   &copy.placement,
			    &copy.links,       &copy.place,
			    &copy.orientation, &copy.ring,
			    &copy.reservation, &copy.reason };
	bool lacking = TORUS_GROW(s->job, s->room, s->jobs + 1) != 0;

	copy.node = NULL;
	copy.nodes = 0;
	for (size_t i = 0; i < sizeof(string) / sizeof(*string); i++) {
		*string[i] = lacking ? NULL : snapshot_copy(*string[i]);
		lacking = lacking || !*string[i];
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

/* The writer */

/* Write "LEAD{nodes}"; nothing for an empty list. */
static int snapshot_write_nodes(const struct snapshot *s, const char *lead,
				const uint64_t *map, struct torus_text *text)
{
	const struct torus_machine *m = &s->config->machine;
	const struct torus_placement place = { .scattered = true,
					       .spread = true,
					       .nodes = map };

	if (torus_bits_next(map, m->words, 0) == UINT32_MAX)
		return 0;
	return torus_text_add(text, "%s", lead) |
	       torus_placement_format(m, &place, text);
}

/* Write seconds without trailing zeros. */
static int snapshot_write_time(struct torus_text *text, const char *lead,
			       int64_t us)
{
	uint64_t whole = (uint64_t)llabs((long long)us), rest = whole % 1000000;
	int digits = 6;

	if (us == SNAPSHOT_NO_TIME)
		return 0;
	if (torus_text_add(text, "%s%s%llu", lead, us < 0 ? "-" : "",
			   (unsigned long long)(whole / 1000000)))
		return -1;
	for (; rest && rest % 10 == 0; digits--)
		rest /= 10;
	return rest ? torus_text_add(text, ".%0*llu", digits,
				     (unsigned long long)rest) :
		      0;
}

/* Write KEY=VALUE, escaped; nothing for an empty value. */
static int snapshot_write_word(struct torus_text *text, const char *key,
			       const char *value)
{
	int rc = *value ? torus_text_add(text, " %s=", key) : 0;

	for (; rc == 0 && *value; value++) {
		unsigned char c = (unsigned char)*value;

		rc = c <= ' ' || c == '%' || c == 127 ?
			     torus_text_add(text, "%%%02X", c) :
			     torus_text_add(text, "%c", c);
	}
	return rc;
}

static int snapshot_write_job(const struct snapshot_job *j,
			      struct torus_text *text)
{
	int rc = torus_text_add(text, j->running ? "running" : "pending");

	rc |= snapshot_write_word(text, "id", j->id);
	rc |= snapshot_write_word(text, "user", j->user);
	rc |= snapshot_write_word(text, "partition", j->partition);
	rc |= snapshot_write_time(text, " submit=", j->submit_us);
	rc |= snapshot_write_time(text, " start=", j->start_us);
	rc |= snapshot_write_time(text, " end=", j->end_us);
	rc |= snapshot_write_time(text, " limit=", j->limit_us);
	rc |= torus_text_add(text, " priority=%.17g", j->priority);
	rc |= snapshot_write_word(text, "place", j->place);
	rc |= snapshot_write_word(text, "orientation", j->orientation);
	rc |= snapshot_write_word(text, "ring", j->ring);
	rc |= snapshot_write_word(text, "geometry", j->geometry);
	rc |= snapshot_write_word(text, "conn-type", j->conn_type);
	rc |= j->no_rotate ? torus_text_add(text, " no-rotate=1") : 0;
	rc |= snapshot_write_word(text, "placement", j->placement);
	rc |= snapshot_write_word(text, "links", j->links);
	if (j->count && j->least && j->least < j->count)
		rc |= torus_text_add(text, " nodes=%u-%u", j->least, j->count);
	else if (j->count)
		rc |= torus_text_add(text, " nodes=%u", j->count);
	rc |= snapshot_write_word(text, "reservation", j->reservation);
	rc |= snapshot_write_word(text, "reason", j->reason);
	return rc | torus_text_add(text, "\n");
}

static int snapshot_write_machine(const struct snapshot *s,
				  struct torus_text *text)
{
	const char *line = s->yaml ? s->yaml : "";
	int rc = torus_text_add(text, "machine %s\n", s->config->path);

	while (rc == 0 && *line) {
		int length = (int)strcspn(line, "\n");

		rc = torus_text_add(text, "| %.*s\n", length, line);
		line += length + (line[length] == '\n');
	}
	return rc;
}

static int snapshot_write_sets(const struct snapshot *s, struct torus_text *text)
{
	const struct torus_link_list *links = &s->config->machine.links;
	char link[TORUS_LINK_SIZE];
	uint32_t words = s->config->machine.words;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < s->partitions; i++) {
		rc |= torus_text_add(text, "partition");
		rc |= snapshot_write_word(text, "id", s->partition[i].name);
		rc |= snapshot_write_nodes(s, " place=", s->partition[i].map,
					   text);
		rc |= torus_text_add(text, "\n");
	}
	for (uint32_t i = 0; rc == 0 && i < s->outages; i++) {
		if (torus_bits_next(s->outage[i].map, words, 0) == UINT32_MAX)
			continue;
		rc |= snapshot_write_nodes(s, "out ", s->outage[i].map, text);
		rc |= torus_text_add(text, " %s\n", s->outage[i].reason);
	}
	for (uint32_t i = 0; rc == 0 && i < links->count; i++) {
		const struct torus_link *l = &links->link[i];

		torus_link_format(l, &s->config->machine.pod[l->pod].torus,
				  link, sizeof(link));
		rc |= torus_text_add(text, "link %s %s\n", link,
				     torus_link_health_name(l->health));
	}
	if (rc == 0 && s->config->machine.weights) {
		rc |= torus_text_add(text, "weights ");
		rc |= torus_weights_format(&s->config->machine,
					   s->config->machine.weights, false,
					   text);
		rc |= torus_text_add(text, "\n");
	}
	if (rc == 0 && torus_bits_next(s->hidden, words, 0) != UINT32_MAX) {
		rc |= snapshot_write_nodes(s, "hidden ", s->hidden, text);
		rc |= torus_text_add(text, "\n");
	}
	for (uint32_t i = 0; rc == 0 && i < s->reservations; i++) {
		rc |= torus_text_add(text, "reservation");
		rc |= snapshot_write_word(text, "id", s->reservation[i].name);
		rc |= snapshot_write_time(text,
					  " start=", s->reservation[i].start_us);
		rc |= snapshot_write_time(text,
					  " end=", s->reservation[i].end_us);
		rc |= snapshot_write_time(text,
					  " limit=", s->reservation[i].limit_us);
		rc |= snapshot_write_nodes(s, " place=", s->reservation[i].map,
					   text);
		rc |= torus_text_add(text, "\n");
	}
	return rc;
}

int snapshot_write(const struct snapshot *s, struct torus_text *text)
{
	int rc = torus_text_add(text, "torus-snapshot 1\ntime ");

	rc |= s->time_us == SNAPSHOT_NO_TIME ?
		      torus_text_add(text, "-") :
		      snapshot_write_time(text, "", s->time_us);
	rc |= torus_text_add(text, "\n%ssource %s\n",
			     s->dated ? "clock date\n" : "", s->source);
	rc |= snapshot_write_machine(s, text);
	if (rc == 0)
		rc = snapshot_write_sets(s, text);
	for (uint32_t i = 0; rc == 0 && i < s->jobs; i++)
		rc = snapshot_write_job(&s->job[i], text);
	return rc ? -1 : 0;
}
