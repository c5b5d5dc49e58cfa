/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot on a map, the largest idle box of each torus, and what `storus map
 * --fit` asks: the machine's strategy, about the snapshot's state, so that a
 * strategy with a memory, or one that goes by links, sees its jobs as what they are.
 */
#include <stdio.h>
#include <string.h>

#include "torus/state_text.h"
#include "torus/placement.h"
#include "placement/state/free_boxes.h"
#include "questions/occupancy.h"
#include "storus/base/clock.h"
#include "storus/machine/map_source.h"
#include "torus/alloc.h"

static void map_fill_cells(struct storus_map *m, const uint64_t *nodes,
			   uint32_t shows)
{
	uint32_t words = m->config->machine.words, bit;

	for (bit = torus_bits_next(nodes, words, 0); bit != UINT32_MAX;
	     bit = torus_bits_next(nodes, words, bit + 1))
		m->map.cell[bit] = shows;
}

/* Append the links in the job's regions that are not healthy. */
static int map_job_links(const struct storus_map *m, const struct snapshot *s,
			 const struct snapshot_job *j, struct torus_text *text)
{
	const struct torus_machine *machine = &m->config->machine;
	const struct torus_link_list *list = &machine->links;
	const char *lead = "  over ";
	char link[TORUS_LINK_SIZE];
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < list->count; i++) {
		const struct torus_link *l = &list->link[i];

		if (!dead_links_under(s, j, l))
			continue;
		torus_link_format(l, &machine->pod[l->pod].torus, link,
				  sizeof(link));
		rc = torus_text_add(text, "%s%s %s", lead, link,
				    torus_link_health_name(l->health));
		lead = ", ";
	}
	return rc;
}

/* Write the region; where links may fail also its rings, which its extents do
 * not show, and the links that failed under it. */
static int map_job_region(const struct storus_map *m, const struct snapshot *s,
			  const struct snapshot_job *j, struct torus_text *text)
{
	const struct torus_machine *machine = &m->config->machine;
	bool fail = false;

	for (uint32_t p = 0; p < machine->pods; p++)
		fail |= machine->pod[p].links;
	fail &= *j->ring != '\0';
	return torus_text_add(text, "%s%s%s", j->place, fail ? "  ring " : "",
			      fail ? j->ring : "") ||
			       map_job_links(m, s, j, text) ?
		       -1 :
		       0;
}

static int map_fill_job(struct storus_map *m, const struct snapshot *s,
			const struct snapshot_job *j)
{
	struct report_map_job job = { .nodes = j->nodes };
	struct torus_text region = { 0 };
	int rc = -1;

	snprintf(job.id, sizeof(job.id), "%s", j->id);
	snprintf(job.user, sizeof(job.user), "%s", j->user);
	if (j->end_us != SNAPSHOT_NO_TIME)
		storus_clock_left(s, j->end_us, job.left, sizeof(job.left));
	torus_bits_zero(m->nodes, m->config->machine.words);
	snapshot_paint(j, m->nodes);
	if (map_job_region(m, s, j, &region) == 0) {
		job.region = region.data;
		rc = report_map_add(&m->map, &job, m->nodes) < 0 ? -1 : 0;
	}
	torus_text_free(&region);
	return rc;
}

#define MAP_LINKS 6 /* of them are named; --json has all */

/* The links that are not healthy, in a line. */
static int map_fill_links(struct storus_map *m)
{
	const struct torus_machine *machine = &m->config->machine;
	const struct torus_link_list *list = &machine->links;
	char link[TORUS_LINK_SIZE];
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < list->count && i < MAP_LINKS; i++) {
		const struct torus_link *l = &list->link[i];

		torus_link_format(l, &machine->pod[l->pod].torus, link,
				  sizeof(link));
		rc = torus_text_add(&m->links, "%s%s %s",
				    i ? ", " : "links that are not healthy: ",
				    link, torus_link_health_name(l->health));
	}
	if (rc == 0 && list->count > MAP_LINKS)
		rc = torus_text_add(&m->links, ", and %u more",
				    list->count - MAP_LINKS);
	m->map.links = m->links.data;
	return rc;
}

/* When a reservation is in force, or whom a floating one keeps away. */
static int map_say_reserved(struct storus_map *m, const struct snapshot *s,
			    const struct snapshot_nodes *r)
{
	char from[STORUS_CLOCK_SIZE], to[STORUS_CLOCK_SIZE];

	if (r->limit_us == SNAPSHOT_NO_TIME)
		return torus_text_add(&m->reserved, " from %s to %s",
				      storus_clock(s, r->start_us, from),
				      storus_clock(s, r->end_us, to));
	torus_duration_words(r->limit_us, from, sizeof(from));
	return torus_text_add(&m->reserved,
			      " (floating: free of jobs longer than %s)", from);
}

/* The reservations that are not over, in a line; the idle nodes of those that have
 * begun. */
static int map_fill_reservations(struct storus_map *m, const struct snapshot *s)
{
	struct torus_placement nodes = { .scattered = true, .spread = true };
	int rc = 0;

	m->reserved_json = json_array();
	for (uint32_t i = 0; rc == 0 && i < s->reservations; i++) {
		const struct snapshot_nodes *r = &s->reservation[i];
		size_t place;

		if (r->end_us <= s->time_us)
			continue;
		if (r->start_us <= s->time_us)
			map_fill_cells(m, r->map, REPORT_MAP_RESERVED);
		nodes.nodes = r->map;
		rc = torus_text_add(&m->reserved, "%s %s ",
				    m->reserved.length ? "," : "reservations:",
				    r->name);
		place = m->reserved.length;
		if (rc == 0)
			rc = torus_placement_format(&m->config->machine, &nodes,
						    &m->reserved);
		if (rc == 0)
			rc = json_array_append_new(
				     m->reserved_json,
				     json_pack("{s:s, s:s, s:o, s:o, s:o*}",
					       "name", r->name, "place",
					       m->reserved.data + place, "start",
					       storus_clock_json(r->start_us),
					       "end",
					       storus_clock_json(r->end_us),
					       "longest_job",
					       r->limit_us == SNAPSHOT_NO_TIME ?
						       NULL :
						       json_integer(r->limit_us /
								    1000000))) |
			     map_say_reserved(m, s, r);
	}
	m->map.reserved = m->reserved.data;
	return rc;
}

int storus_map_fill(struct storus_map *m, const struct snapshot *s)
{
	int rc = map_fill_links(m) | map_fill_reservations(m, s);

	map_fill_cells(m, s->hidden, REPORT_MAP_HIDDEN);
	map_fill_cells(m, s->out, REPORT_MAP_DOWN);
	for (uint32_t j = 0; rc == 0 && j < s->jobs; j++) {
		if (s->job[j].running)
			rc = map_fill_job(m, s, &s->job[j]);
	}
	return rc;
}

void storus_map_free(struct storus_map *m)
{
	report_map_free(&m->map);
	torus_text_free(&m->note);
	torus_text_free(&m->largest);
	torus_text_free(&m->links);
	torus_text_free(&m->reserved);
	json_decref(m->reserved_json);
	json_decref(m->largest_json);
	torus_free(m->nodes);
}

/* Append the largest box of pod p to the line and to the array. */
static int add_largest(struct storus_map *m, uint32_t p)
{
	const struct torus_pod *pod = &m->config->machine.pod[p];
	char region[TORUS_REGION_SIZE];
	struct torus_region box;
	uint32_t nodes;

	if (torus_largest_region(&m->config->machine, p,
				 m->nodes + pod->first_word, &box, &nodes))
		return -1;
	if (nodes == 0)
		return torus_text_add(&m->largest, "%s none in %s",
				      p ? "," : "", pod->torus.name) |
		       json_array_append_new(m->largest_json, json_null());
	torus_region_format(&box, &pod->torus, region, sizeof(region));
	return torus_text_add(&m->largest, "%s %s (%u node%s)", p ? "," : "",
			      region, nodes, nodes == 1 ? "" : "s") |
	       json_array_append_new(m->largest_json,
				     json_pack("{s:s, s:i}", "region", region,
					       "nodes", (int)nodes));
}

int storus_map_largest(struct storus_map *m)
{
	const struct torus_machine *machine = &m->config->machine;
	int rc = torus_text_add(&m->largest, "largest idle box:");

	m->largest_json = json_array();
	torus_bits_zero(m->nodes, machine->words);
	for (uint32_t p = 0; p < machine->pods; p++) {
		for (uint32_t i = 0; i < machine->pod[p].torus.nodes; i++) {
			uint32_t bit = torus_machine_bit(machine, p, i);

			if (m->map.cell[bit] == REPORT_MAP_IDLE ||
			    m->map.cell[bit] == REPORT_MAP_FIT)
				torus_bits_set(m->nodes, bit);
		}
	}
	for (uint32_t p = 0; rc == 0 && p < machine->pods; p++)
		rc = add_largest(m, p);
	return rc;
}

static int map_fit_paint_region(struct storus_map *m,
				const struct torus_placement *place,
				const char *asked)
{
	const struct torus_machine *machine = &m->config->machine;
	const struct torus *t = &machine->pod[place->pod].torus;
	char region[TORUS_REGION_SIZE];

	torus_bits_zero(m->nodes, machine->words);
	torus_placement_paint(machine, place, m->nodes);
	for (uint32_t bit = torus_bits_next(m->nodes, machine->words, 0);
	     bit != UINT32_MAX;
	     bit = torus_bits_next(m->nodes, machine->words, bit + 1))
		m->map.cell[bit] = REPORT_MAP_FIT;
	if (place->regions)
		return torus_text_add(&m->note, "%s fits: ", asked) |
		       torus_placement_format(machine, place, &m->note) |
		       torus_text_add(&m->note, " (*)");
	if (place->scattered)
		return torus_text_add(&m->note, "%s fits: %u nodes of %s (*)",
				      asked, place->granted, t->name);
	torus_region_format(&place->region, t, region, sizeof(region));
	return torus_text_add(&m->note, "%s fits: %s (*)", asked, region);
}

static int map_fit_ask(struct storus_map *m, struct storus_question *q,
		       struct torus_error *err)
{
	const char *asked = q->words.geometry;
	struct torus_placement place;
	struct torus_error why = { 0 };
	enum torus_answer answer = storus_question_ask(q, NULL, &place, &why);
	int rc;

	if (answer == TORUS_FITS)
		rc = map_fit_paint_region(m, &place, asked);
	else
		rc = torus_text_add(&m->note, "%s does not fit%s: %.*s", asked,
				    answer == TORUS_NOT_NOW ? " now" : "",
				    (int)strcspn(why.text, "\n"), why.text);
	if (rc) {
		torus_error_add(err, "out of memory");
		return STORUS_TROUBLE;
	}
	return answer == TORUS_FITS ? STORUS_DONE : STORUS_NO;
}

int storus_map_fit(struct storus_map *m, struct storus_question *q,
		   struct torus_error *err)
{
	static const char theirs[] = "--geometry:", ours[] = "--fit:";
	int status = STORUS_USAGE;
	char *at;

	if (storus_question_request(q, err) == 0)
		status = map_fit_ask(m, q, err);
	/* What is asked for was typed as --fit here. */
	while ((at = strstr(err->text, theirs))) {
		memcpy(at, ours, sizeof(ours) - 1);
		memmove(at + sizeof(ours) - 1, at + sizeof(theirs) - 1,
			strlen(at + sizeof(theirs) - 1) + 1);
	}
	return status;
}
