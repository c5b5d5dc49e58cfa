/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus metrics: the machine as Prometheus text, for node_exporter's textfile
 * collector. One snapshot, and the plan file of sched/torus. O(nodes + jobs), and the
 * largest free box of each torus.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/state/free_boxes.h"
#include "questions/occupancy.h"
#include "questions/packing.h"
#include "storus/base/json.h"
#include "storus/operate/metrics.h"
#include "storus/base/output.h"
#include "torus/alloc.h"

#define NAME &storus_metrics
static const struct storus_option options[] = {
	STORUS_SOURCE_OPTIONS(struct metrics, q.source),
	{ "output", "FILE",
	  "write to this file, completely or not at all (default: stdout)",
	  .letter = 'o', .writes = true, STORUS_TO(struct metrics, output) },
	{ "shape", "SHAPE",
	  "also count how many jobs of this shape fit; may be repeated",
	  STORUS_TO(struct metrics, shape) },
	{ "geometry", "SHAPE", "the same as --shape; may be repeated",
	  STORUS_TO(struct metrics, shape) },
	{ "plan", "FILE",
	  "the plan file of sched/torus; default: plan_file of torus.yaml, else\n"
	  "in StateSaveLocation of the live cluster",
	  STORUS_TO(struct metrics, plan) },
	{ "json", "[=FILE]", "as JSON (default: stdout)",
	  STORUS_TO(struct metrics, json) },
	{ 0 },
};

/* Nodes */

/* The nodes that exist, into m->present. */
static void metrics_present(struct metrics *m)
{
	const struct torus_machine *machine = &m->q.config->machine;

	for (uint32_t p = 0; p < machine->pods; p++) {
		const struct torus_pod *pod = &machine->pod[p];
		uint64_t *map = m->present + pod->first_word;

		if (pod->present)
			torus_bits_copy(map, pod->present, pod->words);
		else
			torus_bits_set_range(map, 0, pod->torus.nodes);
	}
}

static void metrics_state(struct metrics *m, uint32_t p, const char *state,
			  uint32_t nodes)
{
	metrics_put(m, "nodes",
		    &(struct metrics_labels){
			    { "torus", "state" },
			    { m->q.config->machine.pod[p].torus.name, state } },
		    nodes);
}

/* Each node is in one state: out of service goes before in use. */
static void metrics_nodes(struct metrics *m)
{
	const struct torus_machine *machine = &m->q.config->machine;
	const struct snapshot *s = m->q.snapshot;
	uint32_t words = machine->words;

	for (uint32_t j = 0; j < s->jobs; j++)
		snapshot_paint(&s->job[j], m->busy);
	for (uint32_t i = 0; i < s->reservations; i++) {
		if (s->reservation[i].start_us <= s->time_us &&
		    s->time_us < s->reservation[i].end_us)
			torus_bits_or(m->reserved, s->reservation[i].map, words);
	}
	torus_bits_andnot(m->busy, s->out, words);
	metrics_present(m);
	torus_bits_copy(m->map, m->present, words);
	torus_bits_andnot(m->map, s->out, words);
	torus_bits_andnot(m->map, m->busy, words);
	torus_bits_andnot(m->map, s->hidden, words);
	torus_bits_and(m->reserved, m->reserved, m->map, words);
	torus_bits_andnot(m->map, m->reserved, words);
	metrics_family(m, "nodes", "gauge", "Nodes by state.");
	for (uint32_t p = 0; p < machine->pods; p++) {
		const struct torus_pod *pod = &machine->pod[p];
		uint32_t at = pod->first_word;

		metrics_state(m, p, "idle",
			      torus_bits_count(m->map + at, pod->words));
		metrics_state(m, p, "reserved",
			      torus_bits_count(m->reserved + at, pod->words));
		metrics_state(m, p, "busy",
			      torus_bits_count(m->busy + at, pod->words));
		metrics_state(m, p, "hidden",
			      torus_bits_count(s->hidden + at, pod->words));
		metrics_state(m, p, "out",
			      torus_bits_count(s->out + at, pod->words));
	}
}

/* Links of each torus that has any, and the jobs over those that are not up. */
static void metrics_links(struct metrics *m)
{
	const struct torus_machine *machine = &m->q.config->machine;
	uint32_t jobs[TORUS_LINK_DOWN + 1];

	metrics_family(m, "links", "gauge", "Links by state.");
	for (uint32_t p = 0; p < machine->pods; p++) {
		const struct torus *t = &machine->pod[p].torus;
		uint64_t links[TORUS_LINK_DOWN + 1] = { dead_links_all(t) };

		if (!links[TORUS_LINK_UP])
			continue;
		for (uint32_t i = 0; i < machine->links.count; i++) {
			links[machine->links.link[i].health] +=
				machine->links.link[i].pod == p;
			links[TORUS_LINK_UP] -= machine->links.link[i].pod == p;
		}
		for (int h = TORUS_LINK_UP; h <= TORUS_LINK_DOWN; h++)
			metrics_put(m, "links",
				    &(struct metrics_labels){
					    { "torus", "state" },
					    { t->name,
					      torus_link_health_name(h) } },
				    (double)links[h]);
	}
	m->lacking = m->lacking || dead_links_jobs(m->q.snapshot, jobs);
	if (m->lacking)
		return;
	metrics_family(m, "jobs_over_links", "gauge",
		       "Running jobs over a link that is weak, or over one that is down.");
	for (int h = TORUS_LINK_WEAK; h <= TORUS_LINK_DOWN; h++)
		metrics_of(m, "jobs_over_links", "state",
			   torus_link_health_name(h), jobs[h]);
}

/* Shapes */

static int metrics_shape(struct metrics *m, const char *shape, double *places,
			 double *slots)
{
	const struct torus_machine *machine = &m->q.config->machine;
	struct torus_error err = { 0 };
	struct torus_ask ask;
	struct places list;
	uint32_t pod, i = 0, regions;
	int rc;

	m->q.words.geometry = shape;
	if (storus_question_request(&m->q, &err))
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	ask = torus_ask_among(&m->q.request.alternative[0].ask, m->map);
	regions = torus_ask_several(&ask) ? ask.regions : 1;
	ask.regions = 0; /* of several: one's places, and sets of them */
	rc = places_find(m->q.state, &ask, &list, &pod);
	if (rc && errno == ENOSYS)
		return storus_say(NAME, STORUS_USAGE,
				  "--shape %s: strategy %s of torus %s cannot list places",
				  shape, machine->pod[pod].strategy[0]->name,
				  machine->pod[pod].torus.name);
	if (rc)
		return storus_question_unlisted(NAME, shape);
	*places = list.count;
	*slots = 0;
	for (uint32_t p = 0; p < machine->pods; p++) {
		uint32_t first = i;
		struct packing packing = { 0, 0 };

		while (i < list.count && list.place[i].pod == p)
			i++;
		m->lacking = m->lacking ||
			     packing_solve(&machine->pod[p].torus,
					   list.count ? list.place + first :
							NULL,
					   i - first, &packing);
		*slots += packing.disjoint;
	}
	*slots = floor(*slots / regions);
	places_free(&list);
	return STORUS_DONE;
}

static int metrics_collect(struct metrics *m)
{
	const struct snapshot *s = m->q.snapshot;
	int status;
	const struct torus_machine *machine;
	double *value;

	metrics_family(m, "snapshot_time_seconds", "gauge",
		       "When Slurm was asked.");
	metrics_put(m, "snapshot_time_seconds", NULL,
		    s->time_us == SNAPSHOT_NO_TIME ? 0 :
						     (double)s->time_us * 1e-6);
	metrics_nodes(m);
	machine = &m->q.config->machine;
	metrics_family(m, "largest_box_nodes", "gauge",
		       "Nodes of the largest box of idle nodes.");
	for (uint32_t p = 0; p < machine->pods && !m->lacking; p++) {
		const struct torus_pod *pod = &machine->pod[p];
		struct torus_region box;
		uint32_t nodes = 0;

		m->lacking = torus_largest_region(machine, p,
						  m->map + pod->first_word,
						  &box, &nodes) != 0;
		metrics_of(m, "largest_box_nodes", "torus", pod->torus.name,
			   nodes);
	}
	metrics_links(m);
	metrics_jobs(m);
	value = torus_alloc(2 * (size_t)m->shape.count + 1, sizeof(*value));
	status = value ? STORUS_DONE : STORUS_TROUBLE;
	m->lacking = m->lacking || !value;
	for (uint32_t i = 0; status == STORUS_DONE && i < m->shape.count; i++)
		status = metrics_shape(m, m->shape.word[i], &value[2 * i],
				       &value[2 * i + 1]);
	if (status == STORUS_DONE && m->shape.count) {
		metrics_family(m, "places", "gauge",
			       "Places of a shape on idle nodes.");
		for (uint32_t i = 0; i < m->shape.count; i++)
			metrics_of(m, "places", "shape", m->shape.word[i],
				   value[2 * i]);
		metrics_family(m, "slots", "gauge",
			       "Jobs of a shape that fit at the same time.");
		for (uint32_t i = 0; i < m->shape.count; i++)
			metrics_of(m, "slots", "shape", m->shape.word[i],
				   value[2 * i + 1]);
	}
	torus_free(value);
	metrics_read_plan(m);
	return status;
}

static int metrics_answer(struct metrics *m)
{
	struct torus_error err = { 0 };
	int status;
	const char *path;
	struct storus_output out = { 0 };
	json_t *o;

	/* a state is needed for shapes alone, and takes time */
	if (m->shape.count) {
		status = storus_question_machine(&m->q, &err);
	} else {
		status = storus_source_open(&m->q.source, &m->q.snapshot, &err);
		m->q.config = m->q.snapshot ? m->q.snapshot->config : NULL;
		if (status == STORUS_DONE && occupancy_prepare(m->q.snapshot))
			status = STORUS_TROUBLE;
	}
	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	m->map = torus_alloc(4 * (size_t)m->q.config->machine.words,
			     sizeof(*m->map));
	if (m->json)
		m->list = json_array();
	if (!m->map || (m->json && !m->list))
		return storus_no_memory(NAME);
	m->reserved = m->map + m->q.config->machine.words;
	m->busy = m->reserved + m->q.config->machine.words;
	m->present = m->busy + m->q.config->machine.words;
	status = metrics_collect(m);
	if (status == STORUS_DONE && m->lacking)
		status = storus_no_memory(NAME);
	if (status != STORUS_DONE)
		return status;
	path = m->output ? m->output : "-";
	if (m->json) {
		o = json_pack("{s:i, s:O}", "schema", 1, "metrics", m->list);
		return storus_json_answer(NAME, o, m->q.snapshot, m->json);
	}
	if (storus_output_open(&out, path) == 0 &&
	    fwrite(m->text.data, 1, m->text.length, out.stream) ==
		    m->text.length &&
	    storus_output_commit(&out) == 0)
		return STORUS_DONE;
	storus_output_discard(&out);
	return storus_output_failed(NAME, path);
}

static int metrics_run(void *words)
{
	struct metrics *m = words;
	int status;

	if (m->output && strchr(m->output, '%'))
		return storus_say(NAME, STORUS_USAGE,
				  "--output: got \"%s\", expected a file: %s",
				  m->output, storus_metrics.no_table);
	status = metrics_answer(m);
	json_decref(m->list);
	torus_text_free(&m->text);
	torus_free(m->map);
	storus_question_free(&m->q);
	return status;
}

const struct storus_command storus_metrics = {
	.name = "metrics",
	.summary = "print the state of the machine as Prometheus text",
	.usage = "[OPTION]...",
	.about =
		"Nodes and links by state, the largest free box, idle nodes by cause, jobs by state\n"
		"and reason with their waits, and the cycles and locks of sched/torus, for the textfile\n"
		"collector of node_exporter. contribs/monitoring has a dashboard and alert rules.",
	.options = options,
	STORUS_WORDS(struct metrics, .output = NULL),
	.operand = { .value = "shape", STORUS_TO(struct metrics, shape) },
	.no_table =
		"Prometheus text has no headings and no columns; --json has the same samples",
	.examples =
		"  storus metrics -o /var/lib/prometheus/node-exporter/torus.prom\n"
		"  storus metrics --shape 4x4x4 --shape 8x8x8\n"
		"  storus metrics --snapshot now.snap --json\n",
	.run = metrics_run,
};

/* Samples as Prometheus text, and as JSON (metrics.h). */

void metrics_family(struct metrics *m, const char *name, const char *type,
		    const char *help)
{
	m->lacking = m->lacking ||
		     torus_text_add(&m->text,
				    "# HELP torus_%s %s\n# TYPE torus_%s %s\n",
				    name, help, name, type);
}

void metrics_put(struct metrics *m, const char *name,
		 const struct metrics_labels *l, double value)
{
	json_t *labels = m->list ? json_object() : NULL;

	m->lacking = m->lacking || torus_text_add(&m->text, "torus_%s", name);
	for (int i = 0; l && i < 2 && l->key[i]; i++) {
		const char *text = l->value[i];

		/* A label's value, escaped as the exposition format wants. */
		m->lacking = m->lacking ||
			     torus_text_add(&m->text, "%s%s=\"", i ? "," : "{",
					    l->key[i]);
		for (; *text && !m->lacking; text++)
			m->lacking = *text == '\n' ?
					     torus_text_add(&m->text, "\\n") :
				     *text == '"' || *text == '\\' ?
					     torus_text_add(&m->text, "\\%c",
							    *text) :
					     torus_text_add(&m->text, "%c",
							    *text);
		m->lacking = m->lacking || torus_text_add(&m->text, "\"");
		if (labels)
			json_object_set_new(labels, l->key[i],
					    json_string(l->value[i]));
	}
	m->lacking = m->lacking || torus_text_add(&m->text, "%s %.15g\n",
						  l ? "}" : "", value);
	if (m->list)
		json_array_append_new(m->list,
				      json_pack("{s:s, s:o, s:f}", "name", name,
						"labels", labels, "value",
						value));
}

void metrics_of(struct metrics *m, const char *name, const char *key,
		const char *label, double value)
{
	metrics_put(m, name,
		    &(struct metrics_labels){ { key, NULL }, { label, NULL } },
		    value);
}
