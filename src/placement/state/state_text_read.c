/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restores a machine state from text (state_text.c has the format). A new state
 * is built, and replaces the old one only if the whole text is valid.
 *
 * Cost: O(text), and a self check.
 */
#include "torus/state_text.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "placement/state/state.h"

#include <errno.h>
#include <stdlib.h>

#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/regions.h"
#include "torus/text.h"

struct state_text_reader {
	struct torus_state *s; /* NULL: only a hold is read */
	const struct torus_machine *m;
	uint64_t *nodes;               /* scratch: a machine bitmap */
	struct torus_regions *regions; /* scratch */
	uint32_t line;
	uint32_t pods; /* lines of strategies read */
	char *unread;  /* rest of the current line */
	struct torus_error *err;
};

static int state_text_wrong(struct state_text_reader *r, const char *got,
			    const char *expected)
{
	return torus_error_add(r->err,
			       "state: line %u: got \"%.60s\": expected %s",
			       r->line, got, expected);
}

/* Return the next word of the line, "" at its end. */
static char *state_text_word(struct state_text_reader *r)
{
	char *start = r->unread;
	size_t n = strcspn(start, " ");

	r->unread = start + n;
	if (*r->unread)
		*r->unread++ = '\0';
	return start;
}

static int state_text_whole(struct state_text_reader *r, int64_t low,
			    int64_t high, int64_t *value)
{
	const char *text = state_text_word(r);

	if (torus_number_signed(text, low, high, value))
		return 0;
	return state_text_wrong(r, text, "a whole number in its range");
}

/* Read the next strategy of the machine, in order. */
static int state_text_read_pod(struct state_text_reader *r)
{
	const struct torus_machine *m = r->m;
	uint32_t p = 0, i = r->pods++;
	const char *name = state_text_word(r), *torus = state_text_word(r),
		   *strategy = state_text_word(r);
	char machine[TORUS_STRING_SIZE];

	while (p < m->pods && i >= m->pod[p].strategies)
		i -= m->pod[p++].strategies;
	if (p == m->pods)
		return state_text_wrong(r, name, "no more strategies");
	torus_format(&m->pod[p].torus, machine, sizeof(machine));
	if (strcmp(name, m->pod[p].torus.name) != 0)
		return state_text_wrong(r, name, m->pod[p].torus.name);
	if (strcmp(torus, machine) != 0)
		return state_text_wrong(r, torus, machine);
	if (strcmp(strategy, m->pod[p].strategy[i]->name) != 0)
		return state_text_wrong(r, strategy,
					m->pod[p].strategy[i]->name);
	if (m->pod[p].strategy[i]->restore)
		return m->pod[p].strategy[i]->restore(state_instance(r->s, p, i),
						      r->unread, r->err);
	return strcmp(r->unread, "-") == 0 ?
		       0 :
		       state_text_wrong(r, r->unread, "\"-\"");
}

static int state_text_read_job(struct state_text_reader *r, struct torus_hold *h)
{
	const char *job = state_text_word(r), *end;

	if (!torus_number_whole(job, 0, UINT64_MAX, &h->job))
		return state_text_wrong(r, job, "a job number");
	if (state_text_whole(r, INT64_MIN, INT64_MAX, &h->start_us))
		return -1;
	end = r->unread;
	h->end_us = INT64_MAX;
	if (strncmp(end, "- ", 2) != 0)
		return state_text_whole(r, INT64_MIN, INT64_MAX, &h->end_us);
	state_text_word(r);
	return 0;
}

/* File a hold in several toruses under the first torus's strategy. */
static void state_text_spread(struct state_text_reader *r,
			      struct torus_placement *place)
{
	const char *name = r->m->pod[place->pod].strategy[place->strategy]->name;
	int i = torus_pod_strategy(&r->m->pod[0], name);

	place->pod = 0;
	place->strategy = i > 0 ? (uint8_t)i : 0;
	place->scattered = place->spread = true;
}

/* Read the nodes of several toruses into the scratch map. */
static int state_text_read_spread(struct state_text_reader *r, char *text,
				  struct torus_placement *place)
{
	if (torus_nodes_parse(r->m, text, r->nodes, r->err))
		return -1;
	state_text_spread(r, place);
	return 0;
}

/* Read several regions into the scratch. */
static int state_text_read_regions(struct state_text_reader *r,
				   const char *orientation, const char *text,
				   struct torus_placement *place)
{
	struct torus_placement all;
	int rc = 0;

	if (torus_regions_parse(r->m, text, orientation, r->regions, r->err))
		return -1;
	torus_regions_axes(r->regions, place->axes);
	all = torus_regions_place(r->m, r->regions, r->nodes);
	if (all.granted != place->granted || all.axes > place->axes)
		rc = state_text_wrong(r, text, "as many nodes as were granted");
	if (all.spread)
		state_text_spread(r, place);
	place->pod = all.pod;
	place->scattered = true;
	place->nodes = all.nodes;
	place->regions = r->regions;
	return rc;
}

/* Read orientation and region, or nodes, which go to the scratch map. */
static int state_text_read_region(struct state_text_reader *r,
				  struct torus_placement *place)
{
	const struct torus_pod *pod = &r->m->pod[place->pod];
	const char *orientation = state_text_word(r);
	uint64_t *nodes = r->nodes + pod->first_word;
	char *region = state_text_word(r);
	uint32_t count;

	if (torus_regions_several(region))
		return state_text_read_regions(r, orientation, region, place);
	if (strstr(region, "},") ?
		    state_text_read_spread(r, region, place) :
		    torus_region_parse(&place->region, &place->scattered, nodes,
				       &pod->torus, region, r->err))
		return -1;
	if (place->spread)
		nodes = r->nodes;
	place->nodes = place->scattered ? nodes : NULL;
	count = place->scattered ?
			torus_bits_count(nodes,
					 torus_placement_words(r->m, place)) :
			torus_region_nodes(&place->region, &pod->torus);
	if (count != place->granted)
		return state_text_wrong(r, region,
					"as many nodes as were granted");
	if (place->scattered)
		return strcmp(orientation, "-") == 0 ?
			       0 :
			       state_text_wrong(r, orientation, "\"-\"");
	if (torus_orientation_parse(&place->orientation, &pod->torus,
				    orientation, r->err))
		return -1;
	for (uint32_t d = 0; d < pod->torus.dims; d++) {
		if (place->orientation.axis[d] >= (int)place->axes)
			return state_text_wrong(r, orientation,
						"no more axes than told");
	}
	return 0;
}

/* Read the bits for each region, or once for all of them. */
static int state_text_read_rings(struct state_text_reader *r, const char *text,
				 struct torus_placement *place)
{
	uint32_t n = place->regions ? r->regions->count : 1;
	const char *at = text;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t ring;
		const char *end =
			torus_number_scan_whole(at,
						(UINT64_C(1) << place->axes) - 1,
						&ring);

		if (!end || (*end && (*end != '/' || i + 1 == n)))
			return state_text_wrong(r, text,
						"the axes that are rings, as bits");
		if (i == 0)
			place->ring = (uint8_t)ring;
		for (uint32_t k = i; place->regions && k < n; k++)
			r->regions->item[k].ring = (uint8_t)ring;
		if (!*end && (i == 0 || i + 1 == n))
			return 0;
		at = end + 1;
	}
	return state_text_wrong(r, text, "rings of each region");
}

static int state_text_read_hold(struct state_text_reader *r,
				struct torus_hold *h)
{
	int64_t granted, axes;
	char *rings;
	const struct torus_machine *m;
	const char *name, *strategy;
	int i;

	*h = (struct torus_hold){ 0 };
	if (state_text_read_job(r, h))
		return -1;
	m = r->m;
	name = state_text_word(r);
	strategy = state_text_word(r);
	h->place.pod = torus_machine_named(m, name);
	if (h->place.pod == UINT32_MAX)
		return state_text_wrong(r, name, "a torus of this machine");
	i = torus_pod_strategy(&m->pod[h->place.pod], strategy);
	if (i < 0)
		return state_text_wrong(r, strategy, "a strategy of this torus");
	h->place.strategy = (uint8_t)i;
	if (state_text_whole(r, 1, TORUS_MAX_NODES, &granted) ||
	    state_text_whole(r, 0, TORUS_MAX_DIMS, &axes))
		return -1;
	rings = state_text_word(r);
	h->place.granted = (uint32_t)granted;
	h->place.axes = (uint32_t)axes;
	h->place.end_us = h->end_us;
	if (state_text_read_region(r, &h->place) ||
	    state_text_read_rings(r, rings, &h->place))
		return -1;
	return *r->unread ?
		       state_text_wrong(r, r->unread, "the end of the line") :
		       0;
}

int torus_hold_parse(const struct torus_machine *m, char *text,
		     struct torus_hold *hold,
		     const struct torus_placement_room *room,
		     struct torus_error *err)
{
	struct state_text_reader r = { .m = m,
				       .nodes = room->nodes,
				       .regions = room->regions,
				       .line = 1,
				       .unread = text,
				       .err = err };

	return state_text_read_hold(&r, hold);
}

static int state_text_read_line(struct state_text_reader *r)
{
	const char *kind = state_text_word(r);

	if (strcmp(kind, "pod") == 0)
		return state_text_read_pod(r);
	if (strcmp(kind, "hold") == 0) {
		struct torus_hold h;

		if (state_text_read_hold(r, &h))
			return -1;
		if (torus_state_adopt(r->s, &h) != TORUS_NO_SLOT)
			return 0;
		if (errno != EBUSY)
			return -1;
		return torus_error_add(r->err,
				       "state: line %u: job %llu: a node is taken by a job above, or there is no such node",
				       r->line, (unsigned long long)h.job);
	}
	if (strcmp(kind, "out") == 0) {
		uint32_t p = torus_machine_prefix(r->m, r->unread);
		const struct torus_pod *pod =
			&r->m->pod[p == UINT32_MAX ? 0 : p];
		uint64_t *nodes = r->nodes + pod->first_word;
		struct torus_region region;
		bool scattered = false;

		if (p != UINT32_MAX &&
		    torus_region_parse(&region, &scattered, nodes, &pod->torus,
				       r->unread, r->err))
			return -1;
		if (!scattered)
			return state_text_wrong(r, r->unread,
						"nodes of a torus of this machine");
		torus_bits_or(r->s->out + pod->first_word, nodes, pod->words);
		return 0;
	}
	return state_text_wrong(r, kind, "pod, hold or out");
}

static int state_text_read_all(struct state_text_reader *r, char *text)
{
	const struct torus_machine *m = r->m;
	uint32_t pods = 0, all = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");
		bool last = text[n] == '\0';

		text[n] = '\0';
		r->line++;
		r->unread = text;
		if (state_text_read_line(r))
			return -1;
		text += n + !last;
	}
	for (uint32_t p = 0; p < m->pods; p++) {
		pods += p < state_text_pods(m) ? m->pod[p].strategies : 0;
		all += m->pod[p].strategies;
	}
	if (r->pods != pods && r->pods != all)
		return torus_error_add(r->err,
				       "state: got %u lines of strategies: expected %u",
				       r->pods, pods);
	return 0;
}

/* Check that each strategy's internal state contains only its own holds.
 * (torus_state_check() checks the reverse.) */
static bool remembers_holds_only(struct torus_state *s, struct torus_error *err)
{
	const struct torus_machine *m = s->machine;

	for (uint32_t p = 0; p < m->pods; p++) {
		for (uint32_t i = 0; i < m->pod[p].strategies; i++) {
			const struct torus_strategy *strategy =
				m->pod[p].strategy[i];

			torus_bits_zero(s->usable, m->words);
			for (uint32_t k = 0; k < s->slots; k++) {
				const struct torus_hold *h = &s->slot[k].hold;

				if (h->place.pod == p &&
				    h->place.strategy == i &&
				    !h->place.scattered)
					torus_hold_paint(s, h, s->usable);
			}
			if (strategy->check &&
			    !strategy->check(state_instance(s, p, i),
					     s->usable + m->pod[p].first_word,
					     err))
				return false;
		}
	}
	return true;
}

static int state_text_restore(struct torus_state *s, const char *text,
			      struct torus_error *err)
{
	struct torus_regions regions;
	struct state_text_reader r = { .s = s,
				       .m = s->machine,
				       .nodes = s->usable,
				       .regions = &regions,
				       .err = err };
	char *copy = torus_text_copy(text);
	int rc;

	if (!copy)
		return -1;
	rc = state_text_read_all(&r, copy);
	torus_free(copy);
	if (rc)
		return rc;
	torus_bits_copy(s->usable, s->out, s->machine->words);
	torus_state_out(s, s->usable);
	if (remembers_holds_only(s, err) && torus_state_check(s, err))
		return 0;
	errno = EINVAL;
	return -1;
}

/* Replace the state by the one in the text. */
static int state_text_become(struct torus_state *s, const char *text,
			     struct torus_error *err)
{
	struct torus_state *fresh, old;
	uint64_t generation = s->last_generation + 1;
	struct state_weights *weights;

	fresh = torus_state_create(s->machine);
	if (!fresh)
		return -1;
	if (torus_state_set_links(fresh, &s->links) ||
	    state_text_restore(fresh, text, err)) {
		torus_state_destroy(fresh);
		return -1;
	}
	weights = fresh->weights;
	old = *s;
	*s = *fresh;
	*fresh = old;
	s->weights = old.weights;
	fresh->weights = weights;
	s->generation = s->last_generation = generation;
	torus_state_destroy(fresh);
	return 0;
}

int torus_state_restore(struct torus_state *s, const char *text,
			struct torus_error *err)
{
	if (s->holds > 0)
		return torus_error_add(err,
				       "state: expected a state without jobs to restore into, got one with %u",
				       s->holds);
	return state_text_become(s, text, err);
}

int torus_state_renew(struct torus_state *s, struct torus_text *text)
{
	if (state_text_save(s, s->machine->pods, text))
		return -1;
	return state_text_become(s, text->data ? text->data : "", NULL);
}

struct torus_state *torus_state_twin(const struct torus_state *of)
{
	struct torus_state *s = torus_state_create(of->machine);
	struct torus_text text = { 0 };
	int rc;

	if (!s)
		return NULL;
	rc = torus_state_set_links(s, &of->links) ||
			     torus_state_set_weights(s,
						     torus_state_weights(of)) ||
			     state_text_save(of, of->machine->pods, &text) ?
		     -1 :
		     0;
	if (!rc && text.data)
		rc = torus_state_restore(s, text.data, NULL);
	torus_text_free(&text);
	if (!rc)
		return s;
	torus_state_destroy(s);
	return NULL;
}
