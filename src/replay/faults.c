/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults (faults.h): a heap of components by the time of their next fault or
 * repair; equal times in the order nodes, then links. And the text of fault rates,
 * MTBF,MTTR[,nodes|,links].
 *
 * Cost: O(log components) per fault; memory 36 bytes per component.
 */
#include "replay/faults.h"

#include <string.h>

#include "replay/ends.h"
#include "torus/alloc.h"
#include "torus/request.h"
#include "trace/formats.h"
#include "trace/models/random.h"

#define MOST_US                                                                \
	1e18 /* limit of one drawn time: any replay time plus it fits in 64 bits */

struct fault_component {
	uint32_t number; /* within its kind */
	uint32_t times;  /* times drawn; odd: it is up */
	uint8_t kind;
};

struct torus_faults {
	const struct torus_machine *m;
	struct torus_fault_rate rate[TORUS_FAULT_KINDS];
	uint64_t seed;
	struct torus_link *link; /* by number */
	uint32_t *bit;           /* of nodes, by number */
	uint32_t count, out;
	struct torus_ends next; /* of components */
	struct fault_component component[];
};

/* Draw and return the component's next time, counted from there. */
static int64_t faults_draw(const struct torus_faults *f,
			   struct fault_component *c, int64_t from_us)
{
	const struct torus_fault_rate *rate = &f->rate[c->kind];
	struct torus_random r;
	double us;

	torus_random_init(&r, f->seed, c->kind, TORUS_PURPOSE_FAULTS);
	r.counter[0] = c->times;
	r.counter[1] = c->number;
	us = torus_random_exponential(&r) *
	     (double)(c->times % 2 ? rate->mttr_us : rate->mtbf_us);
	c->times++;
	return from_us + 1 + (int64_t)(us < MOST_US ? us : MOST_US);
}

static void faults_draw_first(struct torus_faults *f, int64_t from_us)
{
	struct torus_end first = *torus_ends_first(&f->next);

	first.at_us = faults_draw(f, first.job, from_us);
	torus_ends_drop(&f->next);
	torus_ends_add(&f->next, first); /* there is room */
}

static uint32_t faults_add_links(struct torus_faults *f)
{
	uint32_t n = 0, at[TORUS_MAX_DIMS];

	for (uint32_t p = 0; p < f->m->pods; p++) {
		const struct torus *t = &f->m->pod[p].torus;
		struct torus_link link = { .pod = p };
		uint32_t vertices = f->m->pod[p].links ? 1 : 0;

		for (uint32_t d = 0; d < t->dims; d++)
			vertices *= t->size[d] * t->unit[d];
		for (; link.vertex < vertices; link.vertex++) {
			torus_vertex_coord(t, link.vertex, at);
			for (link.dim = 0; link.dim < t->dims; link.dim++) {
				if (!torus_link_exists(t, at, link.dim))
					continue;
				if (f->link)
					f->link[n] = link;
				n++;
			}
		}
	}
	return n;
}

static int faults_add(struct torus_faults *f, enum torus_fault_kind kind,
		      uint32_t count, int64_t from_us)
{
	for (uint32_t i = 0; i < count; i++) {
		struct fault_component *c = &f->component[f->count++];
		struct torus_end next = { .order = (uint64_t)kind << 32 | i,
					  .job = c };

		*c = (struct fault_component){ .number = i,
					       .kind = (uint8_t)kind };
		next.at_us = faults_draw(f, c, from_us);
		if (torus_ends_add(&f->next, next))
			return -1;
	}
	return 0;
}

int torus_faults_create(struct torus_faults **made,
			const struct torus_machine *m,
			const struct torus_replay_options *options,
			const uint64_t *present, int64_t from_us)
{
	const struct torus_fault_rate *rate = options->faults;
	uint32_t nodes = rate[TORUS_FAULT_NODES].mtbf_us ? m->nodes : 0;
	struct torus_faults counting = { .m = m }, *f;
	uint32_t links = 0;

	*made = NULL;
	if (rate[TORUS_FAULT_LINKS].mtbf_us)
		links = faults_add_links(&counting);
	if (nodes + links == 0)
		return 0;
	f = torus_alloc(1, sizeof(*f) + (nodes + (size_t)links) *
						sizeof(*f->component));
	if (!f)
		return -1;
	f->m = m;
	f->seed = options->seed;
	for (int k = 0; k < TORUS_FAULT_KINDS; k++)
		f->rate[k] = rate[k];
	f->link = torus_alloc(links + 1, sizeof(*f->link));
	f->bit = torus_alloc(nodes + 1, sizeof(*f->bit));
	if (!f->link || !f->bit)
		goto error;
	if (nodes) {
		uint32_t n = 0, words = f->m->words;
		uint32_t b = torus_bits_next(present, words, 0);

		for (; b != UINT32_MAX;
		     b = torus_bits_next(present, words, b + 1))
			f->bit[n++] = b;
		nodes = n;
	}
	if (links)
		faults_add_links(f);
	if (faults_add(f, TORUS_FAULT_NODES, nodes, from_us) ||
	    faults_add(f, TORUS_FAULT_LINKS, links, from_us))
		goto error;
	*made = f;
	return 0;
error:
	torus_faults_destroy(f);
	return -1;
}

void torus_faults_destroy(struct torus_faults *f)
{
	if (!f)
		return;
	torus_free(f->link);
	torus_free(f->bit);
	torus_ends_free(&f->next);
	torus_free(f);
}

int64_t torus_faults_next(const struct torus_faults *f)
{
	const struct torus_end *first = torus_ends_first(&f->next);

	return first ? first->at_us : TORUS_NO_TIME;
}

uint32_t torus_faults_out(const struct torus_faults *f)
{
	return f->out;
}

bool torus_faults_take(struct torus_faults *f, int64_t now_us,
		       struct torus_fault *fault)
{
	const struct torus_end *first = torus_ends_first(&f->next);
	const struct fault_component *c;

	if (!first || first->at_us > now_us)
		return false;
	c = first->job;
	*fault = (struct torus_fault){ .kind = (enum torus_fault_kind)c->kind,
				       .failed = c->times % 2 };
	if (c->kind == TORUS_FAULT_NODES) {
		fault->bit = f->bit[c->number];
	} else {
		fault->link = f->link[c->number];
		fault->link.health = fault->failed ? TORUS_LINK_DOWN :
						     TORUS_LINK_UP;
	}
	f->out += fault->failed ? 1 : -1;
	faults_draw_first(f, now_us);
	return true;
}

void torus_faults_spare(struct torus_faults *f, int64_t now_us)
{
	const struct torus_end *first;

	while ((first = torus_ends_first(&f->next)) && first->at_us <= now_us) {
		struct fault_component *c = first->job;

		if (c->times % 2 == 0)
			break;
		c->times--; /* draw the same time again, from a later start */
		faults_draw_first(f, now_us);
	}
}

/* Read seconds, or a number and its unit, above 0, followed by a comma or the
 * end. Return the text after it, or NULL. */
static const char *fault_rate_time(const char *text, int64_t *us)
{
	size_t length = strcspn(text, ",");
	char word[32];

	if (length >= sizeof(word))
		return NULL;
	memcpy(word, text, length);
	word[length] = '\0';
	if (torus_duration_read(word, us, NULL))
		return NULL;
	return *us > 0 && *us <= TORUS_TRACE_MAX_SECONDS * 1000000 ?
		       text + length :
		       NULL;
}

int torus_fault_rate_parse(const char *string,
			   struct torus_fault_rate faults[TORUS_FAULT_KINDS],
			   struct torus_error *err)
{
	enum torus_fault_kind kind = TORUS_FAULT_NODES;
	struct torus_fault_rate rate = { 0 };
	const char *text = fault_rate_time(string, &rate.mtbf_us);

	text = text && *text ? fault_rate_time(text + 1, &rate.mttr_us) : NULL;
	if (text && !strcmp(text, ",links"))
		kind = TORUS_FAULT_LINKS;
	else if (text && *text && strcmp(text, ",nodes") != 0)
		text = NULL;
	if (!text)
		return torus_error_add(err,
				       "got \"%.60s\", expected MTBF,MTTR or MTBF,MTTR,links, times above 0 in seconds or with a unit, for example 30d,4h or 90d,12h,links",
				       string);
	if (faults[kind].mtbf_us)
		return torus_error_add(err,
				       "got \"%.60s\" after another for %s: expected at most one for nodes and one for links",
				       string,
				       kind == TORUS_FAULT_LINKS ? "links" :
								   "nodes");
	faults[kind] = rate;
	return 0;
}
