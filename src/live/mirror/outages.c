/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lists of outages (torus/ask.h) of a cycle's jobs (cycle.h). Each list is
 * stored once, so that the scheduler compares lists by their pointers. A list is
 * dropped when the latest snapshot does not have it and no job uses it.
 *
 * Cost: O(lists) comparisons of a hash per list of a snapshot.
 */
#include "live/base/hash.h"
#include "live/mirror/mirror.h"
#include "live/mirror/outages.h"

#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/state_find.h"

/* Reservations named in a reason: so many, in so many characters. */
#define OUTAGES_NAMED 3
#define OUTAGES_TEXT 120

struct outage_set {
	struct torus_outages o;
	uint64_t hash;
	uint64_t seen; /* number of the latest snapshot with it */
	bool reported; /* to the journal */
	struct outage_set *next;
	uint64_t *maps;
	char *names;
	struct torus_outage outage[];
};

static const char *name_of(const struct torus_outage *o)
{
	return o->name ? o->name : "";
}

static uint64_t outages_hash_of(const struct cycle *c,
				const struct torus_outages *o)
{
	uint64_t h = HASH_START;

	hash_number(&h, (uint64_t)o->last_start_us);
	for (uint32_t i = 0; i < o->count; i++) {
		const struct torus_outage *out = &o->outage[i];

		hash_number(&h, (uint64_t)out->from_us);
		hash_number(&h, (uint64_t)out->to_us);
		hash_number(&h, (uint64_t)out->longest_us);
		hash_number(&h, hash_map(out->nodes, c->m->words));
		hash_text(&h, name_of(out));
	}
	return h;
}

static bool outages_same(const struct cycle *c, const struct torus_outages *a,
			 const struct torus_outages *b)
{
	if (a->count != b->count || a->last_start_us != b->last_start_us)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		const struct torus_outage *x = &a->outage[i];
		const struct torus_outage *y = &b->outage[i];

		if (x->from_us != y->from_us || x->to_us != y->to_us ||
		    x->longest_us != y->longest_us ||
		    strcmp(name_of(x), name_of(y)) ||
		    !torus_bits_equal(x->nodes, y->nodes, c->m->words))
			return false;
	}
	return true;
}

static void outage_set_free(struct outage_set *s)
{
	torus_free(s->maps);
	torus_free(s->names);
	torus_free(s);
}

/* A copy, or NULL with ENOMEM. */
static struct outage_set *outage_set_create(const struct cycle *c,
					    const struct torus_outages *o)
{
	uint32_t words = c->m->words;
	struct outage_set *s;
	size_t length = 1;
	char *name;

	for (uint32_t i = 0; i < o->count; i++)
		length += strlen(name_of(&o->outage[i])) + 1;
	s = torus_alloc(1, sizeof(*s) + o->count * sizeof(*s->outage));
	if (!s)
		return NULL;
	s->maps = torus_alloc((size_t)o->count * words + 1, sizeof(*s->maps));
	s->names = name = torus_alloc(length, 1);
	if (!s->maps || !s->names) {
		outage_set_free(s);
		return NULL;
	}
	s->o = *o;
	s->o.outage = s->outage;
	for (uint32_t i = 0; i < o->count; i++) {
		uint64_t *map = s->maps + (size_t)i * words;

		s->outage[i] = o->outage[i];
		torus_bits_copy(map, o->outage[i].nodes, words);
		s->outage[i].nodes = map;
		strcpy(name, name_of(&o->outage[i]));
		s->outage[i].name = name;
		name += strlen(name) + 1;
	}
	return s;
}

int outages_add(struct cycle *c, const struct torus_outages *o,
		const struct torus_outages **out)
{
	struct outage_set *s = c->outages;
	uint64_t hash;

	*out = NULL;
	if (o->count == 0 && o->last_start_us == TORUS_NO_TIME)
		return 0;
	hash = outages_hash_of(c, o);
	while (s && (s->hash != hash || !outages_same(c, &s->o, o)))
		s = s->next;
	if (!s) {
		s = outage_set_create(c, o);
		if (!s)
			return -1;
		s->hash = hash;
		s->o.number = ++c->outage_number;
		s->next = c->outages;
		c->outages = s;
	}
	s->seen = c->number;
	*out = &s->o;
	return 0;
}

void outages_sweep(struct cycle *c)
{
	struct outage_set **link = &c->outages, *s;

	while ((s = *link)) {
		if (s->seen == c->number) {
			link = &s->next;
			continue;
		}
		*link = s->next;
		outage_set_free(s);
	}
}

void outages_free(struct cycle *c)
{
	for (struct outage_set *s = c->outages, *next; s; s = next) {
		next = s->next;
		outage_set_free(s);
	}
	c->outages = NULL;
}

void outages_report(struct cycle *c, const struct torus_outages *o)
{
	struct outage_set *s = c->outages;

	while (s && &s->o != o)
		s = s->next;
	if (!s || s->reported)
		return;
	s->reported = true;
	journal_outages(c->journal, c->now_us, o);
}

/* Return true if an earlier outage has the same name: occurrences of one
 * reservation do. */
static bool outage_is_named(const struct torus_outages *o, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (strcmp(o->outage[k].name, o->outage[i].name) == 0)
			return true;
	}
	return false;
}

/* Write what a reservation that floats does; nothing of one that begins. */
static void outages_float(const struct torus_outage *o, char *text, size_t size)
{
	char longest[40];

	*text = '\0';
	if (o->from_us != INT64_MIN)
		return;
	torus_duration_words(o->longest_us, longest, sizeof(longest));
	snprintf(text, size,
		 " (floating: it keeps its nodes free of jobs longer than %s)",
		 longest);
}

char *outages_sentence(struct mirror_entry *e)
{
	if (!e->outage_text)
		e->outage_text = torus_alloc(ENTRY_SENTENCE, 1);
	return e->outage_text;
}

const char *outages_say(const struct cycle *c, struct mirror_entry *e,
			int64_t until_us, const char *what)
{
	const struct torus_outages *o = e->job.outages;
	const uint64_t *nodes = e->job.allowed ? e->job.allowed : c->present;
	const char *glue = " outside the nodes that are reserved: ";
	uint32_t named = 0, more = 0;
	char floats[100];
	size_t used;

	if (!o)
		return what;
	if (!outages_sentence(e))
		return what;
	used = (size_t)snprintf(e->outage_text, ENTRY_SENTENCE, "%s", what);
	for (uint32_t i = 0; i < o->count && used < ENTRY_SENTENCE; i++) {
		const struct torus_outage *out = &o->outage[i];

		if (!*out->name || out->from_us >= until_us ||
		    out->to_us <= c->now_us || outage_is_named(o, i) ||
		    !torus_bits_meet(out->nodes, nodes, c->m->words))
			continue;
		if (more || named == OUTAGES_NAMED ||
		    (named && used + strlen(out->name) > OUTAGES_TEXT)) {
			more++;
			continue;
		}
		outages_float(out, floats, sizeof(floats));
		used += (size_t)snprintf(e->outage_text + used,
					 ENTRY_SENTENCE - used, "%s%s%s", glue,
					 out->name, floats);
		glue = ", ";
		named++;
	}
	if (more && used < ENTRY_SENTENCE)
		snprintf(e->outage_text + used, ENTRY_SENTENCE - used,
			 " and %u more", more);
	return e->outage_text;
}

bool outages_leave_place(struct cycle *c, const struct torus_job *job,
			 const uint64_t *usable, bool any_link)
{
	struct torus_placement place;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		struct torus_ask ask =
			torus_ask_among(&job->request.alternative[k].ask,
					usable);

		ask.any_link |= any_link;
		if (torus_state_find(c->empty, &ask, &place, NULL) == TORUS_FITS)
			return true;
	}
	return false;
}

void outages_usable(const struct cycle *c, const struct torus_job *job,
		    uint64_t *usable)
{
	torus_bits_copy(usable, job->allowed ? job->allowed : c->present,
			c->m->words);
	torus_bits_andnot(usable, c->out, c->m->words);
}

bool outages_forbid(struct cycle *c, const struct torus_job *job)
{
	uint64_t *usable = torus_scratch_take(&c->scratch);
	int64_t limit_us = job->limit_us > 0 ? job->limit_us : 1;
	bool fits;

	outages_usable(c, job, usable);
	fits = !job->outages ||
	       (torus_outages_clear(job->outages, c->now_us,
				    torus_time_after(c->now_us, limit_us),
				    usable, c->m->words) &&
		outages_leave_place(c, job, usable, false));
	torus_scratch_return(&c->scratch, usable);
	return !fits;
}
