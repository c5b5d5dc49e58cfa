/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader of snapshots (snapshot.h). It checks everything: unknown words,
 * invalid numbers, nodes that the machine does not have. It reports all errors,
 * a line each.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "torus/region_text.h"
#include "torus/placement.h"
#include "config/link_file.h"
#include "format/snapshot.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/regions.h"
#include "torus/request.h"
#include "torus/text.h"
#include "torus/weights.h"

struct snapshot_reader {
	const char *name;
	unsigned line;
	struct torus_error *err;
	struct snapshot *s; /* NULL: the machine is not complete yet */
	int64_t time_us;
	bool dated;
	char *source;
	struct torus_text machine, yaml;
	unsigned machine_line;
	uint64_t *map; /* of s */
	bool begun, wrong, no_memory, weights;
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
	r->map = torus_alloc(config->machine.words, sizeof(*r->map));
	if (!r->s || !r->map ||
	    snapshot_set_source(r->s, r->source ? r->source : ""))
		return snapshot_no_memory(r);
	r->s->time_us = r->time_us;
	r->s->dated = r->dated;
	return 0;
}

/* Records of KEY=VALUE words */

static int snapshot_take_text(struct snapshot_reader *r, struct snapshot_job *j,
			      const char *key, char *value)
{
	const struct {
		const char *key;
		char **to;
	} text[] = {
		{ "id", &j->id },
		{ "user", &j->user },
		{ "partition", &j->partition },
		{ "geometry", &j->geometry },
		{ "conn-type", &j->conn_type },
		{ "placement", &j->placement },
		{ "links", &j->links },
		{ "place", &j->place },
		{ "orientation", &j->orientation },
		{ "ring", &j->ring },
		{ "reservation", &j->reservation },
		{ "reason", &j->reason },
	};

	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++) {
		if (strcmp(text[i].key, key))
			continue;
		*text[i].to = value;
		return snapshot_read_escapes(r, key, value);
	}
	return 1;
}

static int snapshot_take_time(struct snapshot_reader *r, struct snapshot_job *j,
			      const char *key, const char *value)
{
	if (strcmp(key, "submit") == 0)
		return snapshot_read_seconds(r, key, value, &j->submit_us);
	if (strcmp(key, "start") == 0)
		return snapshot_read_seconds(r, key, value, &j->start_us);
	if (strcmp(key, "end") == 0)
		return snapshot_read_seconds(r, key, value, &j->end_us);
	if (strcmp(key, "limit") == 0)
		return snapshot_read_seconds(r, key, value, &j->limit_us);
	return 1;
}

static int snapshot_take_number(struct snapshot_reader *r,
				struct snapshot_job *j, const char *key,
				const char *value)
{
	const char *end;
	uint64_t n, least;

	if (strcmp(key, "priority") == 0)
		return torus_number_decimal(value, &j->priority) ?
			       0 :
			       snapshot_wrong(r, key, value, "a number");
	if (strcmp(key, "nodes") == 0) {
		end = torus_number_scan_whole(value, TORUS_MAX_NODES, &least);
		n = least;
		if (end && *end == '-')
			end = torus_number_scan_whole(end + 1, TORUS_MAX_NODES,
						      &n);
		if (!end || *end || least < 1 || least > n)
			return snapshot_wrong(r, key, value,
					      "a number of nodes");
		j->count = (uint32_t)n;
		j->least = (uint32_t)least;
		return 0;
	}
	if (strcmp(key, "no-rotate") == 0) {
		j->no_rotate = strcmp(value, "1") == 0;
		return j->no_rotate ? 0 : snapshot_wrong(r, key, value, "1");
	}
	return 1;
}

static int snapshot_read_record(struct snapshot_reader *r, char *line,
				struct snapshot_job *j)
{
	char *key;
	int rc = 0;

	*j = (struct snapshot_job){ .submit_us = SNAPSHOT_NO_TIME,
				    .start_us = SNAPSHOT_NO_TIME,
				    .end_us = SNAPSHOT_NO_TIME,
				    .limit_us = SNAPSHOT_NO_TIME };
	while (rc == 0 && (key = strsep(&line, " "))) {
		char *value = strchr(key, '=');

		if (!value)
			return snapshot_wrong(r, "record", key, "KEY=VALUE");
		*value++ = '\0';
		rc = snapshot_take_text(r, j, key, value);
		if (rc > 0)
			rc = snapshot_take_time(r, j, key, value);
		if (rc > 0)
			rc = snapshot_take_number(r, j, key, value);
		if (rc > 0)
			rc = snapshot_wrong(r, "record", key, "a known key");
	}
	if (rc == 0 && (!j->id || !*j->id))
		rc = snapshot_wrong(r, "record", "", "id=...");
	return rc;
}

/* Check the request of a record as strictly as at submission. */
static int snapshot_check_request(struct snapshot_reader *r,
				  const struct snapshot_job *j)
{
	const struct torus_request_words words = {
		.geometry = j->geometry,
		.conn_type = j->conn_type,
		.placement = j->placement,
		.links = j->links,
		.no_rotate = j->no_rotate,
	};
	struct torus_error why = { 0 };
	struct torus_request request;

	if (!j->geometry || torus_request_parse(&request, &words, &why) == 0)
		return 0;
	r->wrong = true;
	return torus_error_add(r->err, "%s:%u: %s", r->name, r->line, why.text);
}

/* Check that there is a letter per axis of each region. */
static int snapshot_check_ring(struct snapshot_reader *r,
			       const struct snapshot_job *j)
{
	uint8_t ring[TORUS_MAX_REGIONS];
	uint32_t axes;

	return j->ring && torus_rings_parse(j->ring,
					    torus_regions_count(j->place), ring,
					    &axes) ?
		       snapshot_wrong(r, "ring", j->ring,
				      "T or M for each axis, for example TM") :
		       0;
}

static int add_job(struct snapshot_reader *r, struct snapshot_job *j)
{
	if (snapshot_check_request(r, j))
		return -1;
	if (j->running && !j->place)
		return snapshot_wrong(r, "record", j->id, "place=...");
	if (j->running && (snapshot_read_nodes(r, "place", j->place) ||
			   snapshot_check_ring(r, j)))
		return -1;
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

static int snapshot_read_out(struct snapshot_reader *r, char *line)
{
	char *nodes = strsep(&line, " ");

	if (snapshot_read_nodes(r, "out", nodes))
		return -1;
	return snapshot_add_out(r->s, r->map, line ? line : "") ?
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
	if (strcmp(key, "out") == 0)
		return snapshot_read_out(r, rest);
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
		       add_job(r, &j) :
		       snapshot_add_named(r, key, &j);
}

/* Return true if the following lines cannot be read: no memory, an invalid
 * machine or a wrong first line. */
static bool snapshot_hopeless(const struct snapshot_reader *r)
{
	return r->no_memory || !r->begun || (r->wrong && !r->s);
}

struct snapshot *snapshot_read(const char *name, const char *text,
			       size_t length, struct torus_error *err)
{
	struct snapshot_reader r = { .name = name,
				     .err = err,
				     .time_us = SNAPSHOT_NO_TIME };
	char *copy = torus_alloc(length + 1, 1), *rest = copy, *line;

	if (copy)
		memcpy(copy, text, length);
	while (rest && *rest && (line = strsep(&rest, "\n"))) {
		r.line++;
		snapshot_read_line(&r, line);
		if (snapshot_hopeless(&r))
			break;
	}
	if (!copy)
		r.no_memory = true;
	else if (!snapshot_hopeless(&r))
		snapshot_read_machine(&r);
	else if (!r.begun && !r.wrong)
		snapshot_wrong(&r, "snapshot", "", "torus-snapshot 1");
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
