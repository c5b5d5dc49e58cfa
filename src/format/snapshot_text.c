/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer and the reader of snapshots (snapshot.h), around one table of a job's keys.
 * The reader checks everything: unknown keys, invalid numbers, nodes that the machine does
 * not have. It reports all errors, a line each. It also reads the form of earlier
 * versions, lines of KEY=VALUE words:
 *
 *	torus-snapshot 1
 *	time 1764000000
 *	machine /etc/slurm/torus.yaml        its lines follow, "| " before each
 *	| toruses:
 *	out pod0:{3,4} Not responding
 *	running id=17 user=ada place=pod0:0,0+2x2 geometry=2x2
 *
 * In such a value, a space, a control character and '%' are written %XX.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/state_text.h"
#include "torus/placement.h"
#include "config/link_file.h"
#include "format/json.h"
#include "format/plan_file.h"
#include "format/snapshot.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/regions.h"
#include "torus/request.h"
#include "torus/text.h"
#include "torus/weights.h"

#define FORMAT "torus-snapshot"
#define SCHEMA 2

/* The keys of a job, a partition and a reservation, and the members of struct
 * snapshot_job that they go to. */
/* The keys of a request's words. */
#define SNAPSHOT_KIND_SHAPE WORD
#define SNAPSHOT_KIND_TEXT WORD
#define SNAPSHOT_KIND_STRATEGY WORD
#define SNAPSHOT_KIND_FLAG FLAG
#define SNAPSHOT_KIND_NOT FLAG
#define SNAPSHOT_WORD(member, kind, name, ...)                                 \
	{ name, SNAPSHOT_KIND_##kind,                                          \
	  offsetof(struct snapshot_job, words.member) },

static const struct snapshot_key {
	const char *name;
	enum {
		WORD,
		TIME,
		PRIORITY,
		NODES,
		LEAST,
		FLAG,
		MAP
	} kind;
	size_t member;
} snapshot_keys[] = {
	{ "id", WORD, offsetof(struct snapshot_job, id) },
	{ "user", WORD, offsetof(struct snapshot_job, user) },
	{ "partition", WORD, offsetof(struct snapshot_job, partition) },
	{ "submit", TIME, offsetof(struct snapshot_job, submit_us) },
	{ "start", TIME, offsetof(struct snapshot_job, start_us) },
	{ "end", TIME, offsetof(struct snapshot_job, end_us) },
	{ "limit", TIME, offsetof(struct snapshot_job, limit_us) },
	{ "priority", PRIORITY, offsetof(struct snapshot_job, priority) },
	{ "place", WORD, offsetof(struct snapshot_job, place) },
	{ "orientation", WORD, offsetof(struct snapshot_job, orientation) },
	{ "ring", WORD, offsetof(struct snapshot_job, ring) },
	TORUS_REQUEST_WORDS(SNAPSHOT_WORD){
		"nodes", NODES, offsetof(struct snapshot_job, count) },
	{ "nodes-min", LEAST, offsetof(struct snapshot_job, least) },
	{ "required", MAP, offsetof(struct snapshot_job, required) },
	{ "excluded", MAP, offsetof(struct snapshot_job, excluded) },
	{ "reservation", WORD, offsetof(struct snapshot_job, reservation) },
	{ "reason", WORD, offsetof(struct snapshot_job, reason) },
};

#define SNAPSHOT_KEYS (sizeof(snapshot_keys) / sizeof(*snapshot_keys))

/* The writer */

/* Write nodes; nothing for an empty list. */
static void snapshot_put_nodes(struct json_writer *w, const char *key,
			       const struct snapshot *s, const uint64_t *map)
{
	const struct torus_machine *m = &s->config->machine;
	const struct torus_placement place = { .scattered = true,
					       .spread = true,
					       .nodes = map };
	struct torus_text text = { 0 };

	if (torus_bits_next(map, m->words, 0) == UINT32_MAX)
		return;
	if (torus_placement_format(m, &place, &text))
		w->failed = true;
	else
		json_put_string(w, key, text.data);
	torus_text_free(&text);
}

/* Write seconds without trailing zeros; nothing if there is no time. */
static void snapshot_put_time(struct json_writer *w, const char *key, int64_t us)
{
	uint64_t whole = (uint64_t)llabs((long long)us), rest = whole % 1000000;
	const char *minus = us < 0 ? "-" : "";
	int digits = 6;

	if (us == SNAPSHOT_NO_TIME)
		return;
	for (; rest && rest % 10 == 0; digits--)
		rest /= 10;
	whole /= 1000000;
	if (rest)
		json_put(w, key, "%s%llu.%0*llu", minus,
			 (unsigned long long)whole, digits,
			 (unsigned long long)rest);
	else
		json_put(w, key, "%s%llu", minus, (unsigned long long)whole);
}

static void snapshot_put_job(struct json_writer *w, const struct snapshot *s,
			     const struct snapshot_job *j)
{
	json_begin(w, NULL, '{');
	json_put_string(w, "state", j->running ? "running" : "pending");
	for (size_t i = 0; i < SNAPSHOT_KEYS; i++) {
		const struct snapshot_key *key = &snapshot_keys[i];
		const void *from = (const char *)j + key->member;

		if (key->kind == WORD && **(char *const *)from)
			json_put_string(w, key->name, *(char *const *)from);
		else if (key->kind == TIME)
			snapshot_put_time(w, key->name, *(const int64_t *)from);
		else if (key->kind == PRIORITY)
			json_put(w, key->name, "%.17g", j->priority);
		else if (key->kind == FLAG && *(const bool *)from)
			json_put(w, key->name, "true");
		else if (key->kind == MAP && *(uint64_t *const *)from)
			snapshot_put_nodes(w, key->name, s,
					   *(uint64_t *const *)from);
		else if ((key->kind == NODES && j->count) ||
			 (key->kind == LEAST && j->least < j->count && j->least))
			json_put(w, key->name, "%u", *(const uint32_t *)from);
	}
	json_end(w, '}');
}

/* Write partitions or reservations: lists of named nodes, with times if `timed`. */
static void snapshot_put_named(struct json_writer *w, const char *key,
			       const struct snapshot *s,
			       const struct snapshot_nodes *list, uint32_t count)
{
	if (!count)
		return;
	json_begin(w, key, '[');
	for (uint32_t i = 0; i < count; i++) {
		json_begin(w, NULL, '{');
		json_put_string(w, "id", list[i].name);
		if (list == s->reservation) {
			snapshot_put_time(w, "start", list[i].start_us);
			snapshot_put_time(w, "end", list[i].end_us);
			snapshot_put_time(w, "limit", list[i].limit_us);
		}
		snapshot_put_nodes(w, "place", s, list[i].map);
		json_end(w, '}');
	}
	json_end(w, ']');
}

static void snapshot_put_machine(struct json_writer *w, const struct snapshot *s)
{
	const char *line = s->yaml;

	json_put_string(w, "machine", s->config->path);
	if (!line)
		return;
	json_begin(w, "config", '[');
	while (*line) {
		size_t length = strcspn(line, "\n");
		struct torus_text text = { 0 };

		w->failed |= torus_text_add(&text, "%.*s", (int)length, line) !=
			     0;
		json_put_string(w, NULL, text.data ? text.data : "");
		torus_text_free(&text);
		line += length + (line[length] == '\n');
	}
	json_end(w, ']');
}

/* Write the nodes and links that are out of service, and the weights. */
static void snapshot_put_service(struct json_writer *w, const struct snapshot *s)
{
	const struct torus_machine *m = &s->config->machine;
	struct torus_text weights = { 0 };
	char link[TORUS_LINK_SIZE + 16];

	if (s->outages)
		json_begin(w, "out", '[');
	for (uint32_t i = 0; i < s->outages; i++) {
		if (torus_bits_next(s->outage[i].map, m->words, 0) == UINT32_MAX)
			continue;
		json_begin(w, NULL, '{');
		snapshot_put_nodes(w, "place", s, s->outage[i].map);
		if (*s->outage[i].reason)
			json_put_string(w, "reason", s->outage[i].reason);
		json_end(w, '}');
	}
	if (s->outages)
		json_end(w, ']');
	if (m->links.count)
		json_begin(w, "links", '[');
	for (uint32_t i = 0; i < m->links.count; i++) {
		const struct torus_link *l = &m->links.link[i];
		size_t length;

		torus_link_format(l, &m->pod[l->pod].torus, link,
				  TORUS_LINK_SIZE);
		length = strlen(link);
		snprintf(link + length, sizeof(link) - length, " %s",
			 torus_link_health_name(l->health));
		json_put_string(w, NULL, link);
	}
	if (m->links.count)
		json_end(w, ']');
	if (m->weights &&
	    torus_weights_format(m, m->weights, false, &weights) == 0)
		json_put_string(w, "weights", weights.data ? weights.data : "");
	else
		w->failed |= m->weights != NULL;
	torus_text_free(&weights);
}

int snapshot_write(const struct snapshot *s, struct torus_text *text)
{
	struct json_writer w = { .text = text };

	json_begin(&w, NULL, '{');
	json_put_string(&w, "format", FORMAT);
	json_put(&w, "schema", "%u", SCHEMA);
	snapshot_put_time(&w, "time", s->time_us);
	if (s->dated)
		json_put_string(&w, "clock", "date");
	json_put_string(&w, "source", s->source);
	if (*s->scheduler)
		json_put_string(&w, "scheduler", s->scheduler);
	snapshot_put_machine(&w, s);
	snapshot_put_named(&w, "partitions", s, s->partition, s->partitions);
	snapshot_put_service(&w, s);
	snapshot_put_nodes(&w, "hidden", s, s->hidden);
	plan_file_put_usage(&w, s->usage, s->usages);
	snapshot_put_named(&w, "reservations", s, s->reservation,
			   s->reservations);
	json_begin(&w, "jobs", '[');
	for (uint32_t i = 0; i < s->jobs; i++)
		snapshot_put_job(&w, s, &s->job[i]);
	json_end(&w, ']');
	json_end(&w, '}');
	return json_finish(&w);
}

/* The reader */

struct snapshot_reader {
	const char *name;
	unsigned line;
	struct torus_error *err;
	struct snapshot *s; /* NULL: the machine is not complete yet */
	int64_t time_us;
	bool dated;
	char *source, *scheduler;
	struct torus_text machine, yaml;
	unsigned machine_line;
	uint64_t *map; /* of s; behind it those of a job's lists */
	bool begun, wrong, no_memory, weights;
	struct json *json;
	const char *keys[SNAPSHOT_KEYS + 2]; /* of a job: "state", then all */
};

static int snapshot_wrong(struct snapshot_reader *r, const char *key,
			  const char *got, const char *expected)
{
	r->wrong = true;
	return torus_error_add(r->err, "%s:%u: %s: got \"%.60s\", expected %s",
			       r->name, r->line, key, got, expected);
}

static int snapshot_no_memory(struct snapshot_reader *r)
{
	r->no_memory = true;
	return -1;
}

/* Read [-]DIGITS[.1 to 6 DIGITS]. */
static int snapshot_read_seconds(struct snapshot_reader *r, const char *key,
				 const char *text, int64_t *us)
{
	bool minus = *text == '-';

	if (!torus_number_seconds(text + minus, us))
		return snapshot_wrong(r, key, text,
				      "seconds with at most 6 decimals");
	*us = minus ? -*us : *us;
	return 0;
}

/* Decode %XX in place. */
static int snapshot_read_escapes(struct snapshot_reader *r, const char *key,
				 char *text)
{
	char *to = text, hex[3] = "", *end, c;

	for (const char *at = text; *at; at++) {
		if (*at != '%') {
			*to++ = *at;
			continue;
		}
		hex[0] = at[1];
		hex[1] = at[1] ? at[2] : '\0';
		c = (char)strtoul(hex, &end, 16);
		if (end != hex + 2 || hex[0] == '+' || hex[0] == '-' ||
		    hex[0] == ' ' || !c)
			return snapshot_wrong(r, key, at,
					      "two hexadecimal digits after %");
		*to++ = c;
		at += 2;
	}
	*to = '\0';
	return 0;
}

/* Read nodes or a region into r->map; text is not changed. */
static int snapshot_read_nodes(struct snapshot_reader *r, const char *key,
			       const char *text)
{
	const struct torus_machine *m = &r->s->config->machine;
	char *copy = torus_text_copy(text), *colon;
	struct torus_error why = { 0 };
	struct torus_region region;
	bool scattered = false;
	uint32_t p = UINT32_MAX;
	int rc = -1;

	if (!copy)
		return snapshot_no_memory(r);
	torus_bits_zero(r->map, m->words);
	if (torus_regions_several(text)) {
		struct torus_regions regions;

		rc = torus_regions_parse(m, text, NULL, &regions, &why);
		if (rc == 0)
			torus_regions_paint(m, &regions, r->map);
		*copy = '\0';
	}
	colon = strchr(copy, ':');
	if (colon && colon[1] == '{') {
		rc = *text ? torus_nodes_parse(m, copy, r->map, &why) : 0;
	} else if (colon) {
		*colon = '\0';
		p = torus_machine_named(m, copy);
		*colon = ':';
	}
	if (p != UINT32_MAX) {
		uint64_t *map = r->map + m->pod[p].first_word;

		rc = torus_region_parse(&region, &scattered, map,
					&m->pod[p].torus, copy, &why);
		if (rc == 0 && !scattered)
			torus_region_paint(&region, &m->pod[p].torus, map);
	}
	torus_free(copy);
	return rc ? snapshot_wrong(r, key, text,
				   "nodes or a region of this machine") :
		    0;
}

/* Create the machine from its text, or from a machine string. */
static int snapshot_read_machine(struct snapshot_reader *r)
{
	struct torus_error why = { 0 };
	struct torus_config *config;

	if (r->s)
		return 0;
	if (!r->machine.data)
		return snapshot_wrong(r, "machine", "", "a line that names it");
	config = r->yaml.data ?
			 torus_config_parse(r->machine.data, r->yaml.data,
					    r->yaml.length, &why) :
			 torus_config_string(r->machine.data, &why);
	if (!config) {
		r->wrong = true;
		return torus_error_add(r->err, "%s:%u: machine: %s", r->name,
				       r->machine_line, why.text);
	}
	r->s = snapshot_create(config, r->yaml.data);
	r->map = torus_alloc(3 * (size_t)config->machine.words, sizeof(*r->map));
	if (!r->s || !r->map ||
	    snapshot_set_source(r->s, r->source ? r->source : "") ||
	    snapshot_set_scheduler(r->s, r->scheduler ? r->scheduler : ""))
		return snapshot_no_memory(r);
	r->s->time_us = r->time_us;
	r->s->dated = r->dated;
	return 0;
}

/* Records of KEY=VALUE words */

/* Take the value of a key. Words stay where they are. */
static int snapshot_take(struct snapshot_reader *r, struct snapshot_job *j,
			 const struct snapshot_key *key, char *value)
{
	void *to = (char *)j + key->member;
	uint64_t n, least = 0, *list;
	uint32_t words;
	const char *end;

	switch (key->kind) {
	case WORD:
		*(char **)to = value;
		return 0;
	case TIME:
		return snapshot_read_seconds(r, key->name, value, to);
	case PRIORITY:
		return torus_number_decimal(value, &j->priority) ?
			       0 :
			       snapshot_wrong(r, key->name, value, "a number");
	case FLAG:
		*(bool *)to = strcmp(value, "1") == 0 ||
			      strcmp(value, "true") == 0;
		return *(bool *)to || strcmp(value, "false") == 0 ?
			       0 :
			       snapshot_wrong(r, key->name, value, "1");
	case MAP:
		if (snapshot_read_nodes(r, key->name, value))
			return -1;
		words = r->s->config->machine.words;
		list = r->map + words;
		if (to == &j->excluded)
			list += words;
		torus_bits_copy(list, r->map, words);
		*(uint64_t **)to = list;
		return 0;
	case NODES:
	case LEAST:
		break;
	}
	end = torus_number_scan_whole(value, TORUS_MAX_NODES, &n);
	if (end && *end == '-' && key->kind == NODES) { /* LEAST-MOST */
		least = n;
		end = torus_number_scan_whole(end + 1, TORUS_MAX_NODES, &n);
	}
	if (!end || *end || n < 1 || least > n)
		return snapshot_wrong(r, key->name, value, "a number of nodes");
	*(uint32_t *)to = (uint32_t)n;
	if (least)
		j->least = (uint32_t)least;
	return 0;
}

/* Begin a record without values. */
static void snapshot_clear(struct snapshot_job *j)
{
	*j = (struct snapshot_job){ .submit_us = SNAPSHOT_NO_TIME,
				    .start_us = SNAPSHOT_NO_TIME,
				    .end_us = SNAPSHOT_NO_TIME,
				    .limit_us = SNAPSHOT_NO_TIME };
}

/* Check a record that is complete. */
static int snapshot_end_record(struct snapshot_reader *r, struct snapshot_job *j)
{
	if (!j->least)
		j->least = j->count;
	if (j->least > j->count)
		return snapshot_wrong(r, "nodes-min", j->id ? j->id : "",
				      "at most as many as nodes");
	return j->id && *j->id ? 0 : snapshot_wrong(r, "record", "", "id=...");
}

/* Check a job as strictly as at submission, with a letter per axis of each region in
 * `ring`, and add it. */
static int snapshot_read_job(struct snapshot_reader *r, struct snapshot_job *j)
{
	struct torus_error why = { 0 };
	struct torus_request request;
	uint8_t ring[TORUS_MAX_REGIONS];
	uint32_t axes;

	if (j->words.geometry && torus_request_parse(&request, &j->words, &why)) {
		r->wrong = true;
		return torus_error_add(r->err, "%s:%u: %s", r->name, r->line,
				       why.text);
	}
	if (j->running && !j->place)
		return snapshot_wrong(r, "record", j->id, "place=...");
	if (j->running && snapshot_read_nodes(r, "place", j->place))
		return -1;
	if (j->running && j->ring &&
	    torus_rings_parse(j->ring, torus_regions_count(j->place), ring,
			      &axes))
		return snapshot_wrong(r, "ring", j->ring,
				      "T or M for each axis, for example TM");
	if (j->running &&
	    torus_bits_meet(r->map, r->s->hidden, r->s->config->machine.words))
		return snapshot_wrong(r, "place", j->place,
				      "nodes that are not hidden");
	return snapshot_add_job(r->s, j, r->map) ? snapshot_no_memory(r) : 0;
}

static int snapshot_add_named(struct snapshot_reader *r, const char *kind,
			      const struct snapshot_job *j)
{
	int rc;

	if (!j->place)
		torus_bits_zero(r->map, r->s->config->machine.words);
	else if (snapshot_read_nodes(r, "place", j->place))
		return -1;
	rc = *kind == 'p' ?
		     snapshot_add_partition(r->s, j->id, r->map) :
		     snapshot_add_reservation(r->s, j->id, j->start_us,
					      j->end_us, j->limit_us, r->map);
	return rc ? snapshot_no_memory(r) : 0;
}

static int snapshot_read_out(struct snapshot_reader *r, const char *nodes,
			     const char *reason)
{
	if (snapshot_read_nodes(r, "out", nodes))
		return -1;
	return snapshot_add_out(r->s, r->map, reason ? reason : "") ?
		       snapshot_no_memory(r) :
		       0;
}

/* Read a link. Links of a torus may fail here even if torus.yaml is only a
 * machine string without them. */
static int snapshot_read_link(struct snapshot_reader *r, const char *line)
{
	struct torus_machine *m = &r->s->config->machine;
	uint32_t before = m->links.count;
	struct torus_error why = { 0 };

	if (torus_link_file_parse(m, "link", line, strlen(line), &m->links,
				  &why)) {
		if (why.count == 0)
			return snapshot_no_memory(r);
		r->wrong = true;
		return torus_error_add(r->err, "%s:%u: %s", r->name, r->line,
				       why.text);
	}
	if (m->links.count == before)
		return snapshot_wrong(r, "link", line, "a link, once");
	for (uint32_t i = 0; i < m->links.count; i++)
		torus_machine_links(m, m->links.link[i].pod, NULL);
	return 0;
}

/* Read the node weights, once. */
static int snapshot_read_weights(struct snapshot_reader *r, char *line)
{
	struct torus_machine *m = &r->s->config->machine;
	struct torus_error why = { 0 };
	struct torus_weights *w;

	if (r->weights)
		return snapshot_wrong(r, "weights", line, "one such line");
	r->weights = true;
	w = torus_weights_create(m);
	if (!w)
		return snapshot_no_memory(r);
	torus_weights_destroy(m->weights);
	m->weights = w;
	if (torus_weights_parse(m, line, w, &why) == 0)
		return 0;
	if (why.count == 0)
		return snapshot_no_memory(r);
	r->wrong = true;
	return torus_error_add(r->err, "%s:%u: %s", r->name, r->line, why.text);
}

static int snapshot_read_hidden(struct snapshot_reader *r, const char *line)
{
	if (snapshot_read_nodes(r, "hidden", line))
		return -1;
	torus_bits_or(r->s->hidden, r->map, r->s->config->machine.words);
	return 0;
}

/* Read a line before the machine is complete; 1: it is something else. */
static int snapshot_read_head(struct snapshot_reader *r, const char *key,
			      char *rest)
{
	if (strcmp(key, "time") == 0 && strcmp(rest, "-") == 0)
		return 0;
	if (strcmp(key, "time") == 0)
		return snapshot_read_seconds(r, key, rest, &r->time_us);
	if (strcmp(key, "clock") == 0) {
		r->dated = strcmp(rest, "date") == 0;
		return r->dated ? 0 : snapshot_wrong(r, key, rest, "date");
	}
	if (strcmp(key, "source") == 0) {
		r->source = rest; /* of the text, which outlives the reader */
		return 0;
	}
	if (strcmp(key, "scheduler") == 0) {
		r->scheduler = rest;
		return 0;
	}
	if (strcmp(key, "|") == 0 && r->machine.data)
		return torus_text_add(&r->yaml, "%s\n", rest) ?
			       snapshot_no_memory(r) :
			       0;
	if (strcmp(key, "machine") || r->machine.data)
		return 1;
	r->machine_line = r->line;
	return torus_text_add(&r->machine, "%s", rest) ? snapshot_no_memory(r) :
							 0;
}

/* Read a record of KEY=VALUE words. */
static int snapshot_read_record(struct snapshot_reader *r, char *line,
				struct snapshot_job *j)
{
	char *name;
	int rc = 0;

	snapshot_clear(j);
	while (rc == 0 && (name = strsep(&line, " "))) {
		char *value = strchr(name, '=');
		size_t i = 0;

		if (!value)
			return snapshot_wrong(r, "record", name, "KEY=VALUE");
		*value++ = '\0';
		while (i < SNAPSHOT_KEYS && strcmp(snapshot_keys[i].name, name))
			i++;
		if (i == SNAPSHOT_KEYS)
			return snapshot_wrong(r, "record", name, "a known key");
		if (snapshot_keys[i].kind == WORD)
			rc = snapshot_read_escapes(r, name, value);
		if (rc == 0)
			rc = snapshot_take(r, j, &snapshot_keys[i], value);
	}
	return rc ? rc : snapshot_end_record(r, j);
}

/* Read a line of an earlier version. */
static int snapshot_read_line(struct snapshot_reader *r, char *line)
{
	struct snapshot_job j;
	char *rest = line, *key = strsep(&rest, " ");
	int rc;

	if (!rest)
		rest = line + strlen(line);
	if (!r->begun) {
		r->begun = strcmp(key, "torus-snapshot") == 0 &&
			   strcmp(rest, "1") == 0;
		return r->begun ? 0 :
				  snapshot_wrong(r, "snapshot", key,
						 "torus-snapshot 1");
	}
	rc = r->s ? 1 : snapshot_read_head(r, key, rest);
	if (rc <= 0)
		return rc;
	if (snapshot_read_machine(r))
		return -1;
	if (strcmp(key, "out") == 0) {
		char *nodes = strsep(&rest, " ");

		return snapshot_read_out(r, nodes, rest);
	}
	if (strcmp(key, "link") == 0)
		return snapshot_read_link(r, rest);
	if (strcmp(key, "weights") == 0)
		return snapshot_read_weights(r, rest);
	if (strcmp(key, "hidden") == 0)
		return snapshot_read_hidden(r, rest);
	if (strcmp(key, "running") && strcmp(key, "pending") &&
	    strcmp(key, "partition") && strcmp(key, "reservation"))
		return snapshot_wrong(r, "snapshot", key, "a known record");
	if (snapshot_read_record(r, rest, &j))
		return -1;
	j.running = *key == 'r' && key[1] == 'u';
	return j.running || strcmp(key, "pending") == 0 ?
		       snapshot_read_job(r, &j) :
		       snapshot_add_named(r, key, &j);
}

/* Return true if the following lines cannot be read: no memory, an invalid
 * machine or a wrong first line. */
static bool snapshot_hopeless(const struct snapshot_reader *r)
{
	return r->no_memory || !r->begun || (r->wrong && !r->s);
}

static void snapshot_read_lines(struct snapshot_reader *r, char *rest)
{
	char *line;

	while (rest && *rest && (line = strsep(&rest, "\n"))) {
		r->line++;
		snapshot_read_line(r, line);
		if (snapshot_hopeless(r))
			return;
	}
	if (r->begun)
		snapshot_read_machine(r);
	else
		snapshot_wrong(r, "snapshot", "", "torus-snapshot 1");
}

/* Members of the whole, in the order in which they are read. */
static const char *const snapshot_members[] = {
	"format",  "schema", "time",         "clock", "source", "scheduler",
	"machine", "config", "partitions",   "out",   "links",  "hidden",
	"weights", "usage",  "reservations", "jobs",  NULL
};
enum {
	TOP_FORMAT,
	TOP_SCHEMA,
	TOP_TIME,
	TOP_CLOCK,
	TOP_SOURCE,
	TOP_SCHEDULER,
	TOP_MACHINE,
	TOP_CONFIG,
	TOP_PARTITIONS,
	TOP_OUT,
	TOP_LINKS,
	TOP_HIDDEN,
	TOP_WEIGHTS,
	TOP_USAGE,
	TOP_RESERVATIONS,
	TOP_JOBS,
	TOPS
};

/* Read an object of a list into a record; state: of a job, else NULL. */
static int snapshot_read_object(struct snapshot_reader *r,
				const struct json_value *object, int list,
				struct snapshot_job *j)
{
	static const enum json_type type[] = {
		[WORD] = JSON_STRING,     [TIME] = JSON_NUMBER,
		[PRIORITY] = JSON_NUMBER, [NODES] = JSON_NUMBER,
		[LEAST] = JSON_NUMBER,    [FLAG] = JSON_TRUE,
		[MAP] = JSON_STRING,
	};
	const struct json_value *member[SNAPSHOT_KEYS + 1] = { NULL }, *state;

	snapshot_clear(j);
	if (json_members(r->json, object,
			 list == TOP_JOBS ? r->keys : r->keys + 1, true,
			 list == TOP_JOBS ? member : member + 1))
		return -1;
	for (size_t i = 0; i < SNAPSHOT_KEYS; i++) {
		const struct json_value *v = member[i + 1];

		if (!v)
			continue;
		r->line = v->line;
		if (json_check(r->json, v,
			       v->type == JSON_FALSE &&
					       snapshot_keys[i].kind == FLAG ?
				       JSON_FALSE :
				       type[snapshot_keys[i].kind]) ||
		    snapshot_take(r, j, &snapshot_keys[i], v->text))
			return -1;
	}
	r->line = object->line;
	if (list == TOP_OUT)
		return j->place ? 0 : snapshot_wrong(r, "out", "", "place");
	if (snapshot_end_record(r, j))
		return -1;
	state = list == TOP_JOBS ? member[0] : NULL;
	if (!state)
		return list == TOP_JOBS ? snapshot_wrong(r, "state", "",
							 "running or pending") :
					  0;
	j->running = strcmp(state->text, "running") == 0;
	return j->running || strcmp(state->text, "pending") == 0 ?
		       0 :
		       json_refuse(r->json, state, "running or pending");
}

/* Read an element of a list. */
static int snapshot_read_element(struct snapshot_reader *r,
				 const struct json_value *v, int list)
{
	struct snapshot_job j;

	r->line = v->line;
	if (list == TOP_CONFIG)
		return json_check(r->json, v, JSON_STRING) ?
			       -1 :
		       torus_text_add(&r->yaml, "%s\n", v->text) ?
			       snapshot_no_memory(r) :
			       0;
	if (list == TOP_LINKS)
		return json_check(r->json, v, JSON_STRING) ?
			       -1 :
			       snapshot_read_link(r, v->text);
	if (snapshot_read_object(r, v, list, &j))
		return -1;
	if (list == TOP_OUT)
		return snapshot_read_out(r, j.place, j.reason);
	if (list == TOP_JOBS)
		return snapshot_read_job(r, &j);
	return snapshot_add_named(r, snapshot_members[list], &j);
}

static void snapshot_read_usage(struct snapshot_reader *r,
				const struct json_value *list)
{
	struct torus_usage *usage = NULL;
	uint32_t count = 0;

	if (plan_file_take_usage(r->json, list, &usage, &count) &&
	    errno == ENOMEM)
		r->no_memory = true;
	for (uint32_t i = 0; i < count && !r->no_memory; i++)
		r->no_memory |= snapshot_add_usage(r->s, &usage[i]) != 0;
	torus_free(usage);
}

static void snapshot_read_json(struct snapshot_reader *r, char *text,
			       size_t length)
{
	static const enum json_type type[TOPS] = {
		[TOP_FORMAT] = JSON_STRING,    [TOP_SCHEMA] = JSON_NUMBER,
		[TOP_TIME] = JSON_NUMBER,      [TOP_CLOCK] = JSON_STRING,
		[TOP_SOURCE] = JSON_STRING,    [TOP_SCHEDULER] = JSON_STRING,
		[TOP_MACHINE] = JSON_STRING,   [TOP_CONFIG] = JSON_ARRAY,
		[TOP_PARTITIONS] = JSON_ARRAY, [TOP_OUT] = JSON_ARRAY,
		[TOP_LINKS] = JSON_ARRAY,      [TOP_HIDDEN] = JSON_STRING,
		[TOP_WEIGHTS] = JSON_STRING,   [TOP_RESERVATIONS] = JSON_ARRAY,
		[TOP_USAGE] = JSON_ARRAY,      [TOP_JOBS] = JSON_ARRAY,
	};
	const struct json_value *top[TOPS];
	struct json *json = r->json;

	if (json_read(json, text, length) ||
	    json_check_format(json, json->value, FORMAT, SCHEMA) ||
	    json_members(json, json->value, snapshot_members, true, top))
		return;
	r->keys[0] = "state";
	for (size_t i = 0; i < SNAPSHOT_KEYS; i++)
		r->keys[i + 1] = snapshot_keys[i].name;
	for (int i = 0; i < TOPS; i++) {
		if (json_check(json, top[i], type[i]))
			return;
	}
	for (int i = TOP_TIME; i < TOPS && !snapshot_hopeless(r); i++) {
		const struct json_value *v = top[i];

		if (i == TOP_PARTITIONS && snapshot_read_machine(r))
			return;
		if (!v)
			continue;
		r->line = v->line;
		if (i <= TOP_MACHINE)
			snapshot_read_head(r, v->key, v->text);
		else if (i == TOP_HIDDEN)
			snapshot_read_hidden(r, v->text);
		else if (i == TOP_WEIGHTS)
			snapshot_read_weights(r, v->text);
		else if (i == TOP_USAGE)
			snapshot_read_usage(r, v);
		else
			for (const struct json_value *e = json_first(json, v);
			     e && !r->no_memory; e = json_next(json, v, e))
				snapshot_read_element(r, e, i);
	}
}

struct snapshot *snapshot_read(const char *name, const char *text,
			       size_t length, struct torus_error *err)
{
	struct json json = { .name = name, .err = err };
	struct snapshot_reader r = { .name = name,
				     .err = err,
				     .json = &json,
				     .time_us = SNAPSHOT_NO_TIME };
	char *copy = torus_alloc(length + 1, 1);

	if (!copy) {
		r.no_memory = true;
	} else {
		memcpy(copy, text, length);
		r.begun = json_is(copy, length);
		if (r.begun)
			snapshot_read_json(&r, copy, length);
		else
			snapshot_read_lines(&r, copy);
	}
	r.no_memory |= json.no_memory;
	r.wrong |= json.wrong;
	json_free(&json);
	torus_free(r.map);
	torus_text_free(&r.machine);
	torus_text_free(&r.yaml);
	torus_free(copy);
	if (!r.no_memory && !r.wrong)
		return r.s;
	snapshot_destroy(r.s);
	if (r.no_memory)
		torus_error_add(err, "%s: out of memory", name);
	errno = r.no_memory ? ENOMEM : EINVAL;
	return NULL;
}
