/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults (faults.h): a heap of components by the time of their next fault or
 * repair; equal times in the order nodes, then links.
 *
 * Cost: O(log components) per fault; memory 24 bytes per component.
 */
#include "replay/faults.h"

#include "torus/alloc.h"
#include "trace/random.h"

#define MOST_US                                                                \
	1e18 /* limit of one drawn time: any replay time plus it fits in 64 bits */

struct fault_component {
	int64_t at_us;
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
	struct fault_component heap[];
};

static bool faults_before(const struct fault_component *a,
			  const struct fault_component *b)
{
	if (a->at_us != b->at_us)
		return a->at_us < b->at_us;
	return a->kind != b->kind ? a->kind < b->kind : a->number < b->number;
}

/* Put `c` into the hole at the root, or below it. */
static void faults_sink(struct torus_faults *f, uint32_t at,
			struct fault_component c)
{
	uint32_t child;

	while ((child = 2 * at + 1) < f->count) {
		if (child + 1 < f->count &&
		    faults_before(&f->heap[child + 1], &f->heap[child]))
			child++;
		if (!faults_before(&f->heap[child], &c))
			break;
		f->heap[at] = f->heap[child];
		at = child;
	}
	f->heap[at] = c;
}

/* Draw the component's next time, counted from there. */
static void faults_draw(const struct torus_faults *f, struct fault_component *c,
			int64_t from_us)
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
	c->at_us = from_us + 1 + (int64_t)(us < MOST_US ? us : MOST_US);
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

/* Add every node of the machine. */
static uint32_t faults_add_nodes(struct torus_faults *f, const uint64_t *present)
{
	uint32_t n = 0, words = f->m->words;
	uint32_t b = torus_bits_next(present, words, 0);

	for (; b != UINT32_MAX; b = torus_bits_next(present, words, b + 1))
		f->bit[n++] = b;
	return n;
}

static void faults_add(struct torus_faults *f, enum torus_fault_kind kind,
		       uint32_t count, int64_t from_us)
{
	for (uint32_t i = 0; i < count; i++) {
		struct fault_component *c = &f->heap[f->count++];

		*c = (struct fault_component){ .number = i,
					       .kind = (uint8_t)kind };
		faults_draw(f, c, from_us);
	}
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
	f = torus_alloc(1, sizeof(*f) +
				   (nodes + (size_t)links) * sizeof(*f->heap));
	if (!f)
		return -1;
	f->m = m;
	f->seed = options->seed;
	for (int k = 0; k < TORUS_FAULT_KINDS; k++)
		f->rate[k] = rate[k];
	f->link = torus_alloc(links + 1, sizeof(*f->link));
	f->bit = torus_alloc(nodes + 1, sizeof(*f->bit));
	if (!f->link || !f->bit) {
		torus_faults_destroy(f);
		return -1;
	}
	if (nodes)
		nodes = faults_add_nodes(f, present);
	if (links)
		faults_add_links(f);
	faults_add(f, TORUS_FAULT_NODES, nodes, from_us);
	faults_add(f, TORUS_FAULT_LINKS, links, from_us);
	for (uint32_t at = f->count / 2; at-- > 0;)
		faults_sink(f, at, f->heap[at]);
	*made = f;
	return 0;
}

void torus_faults_destroy(struct torus_faults *f)
{
	if (!f)
		return;
	torus_free(f->link);
	torus_free(f->bit);
	torus_free(f);
}

int64_t torus_faults_next(const struct torus_faults *f)
{
	return f->count ? f->heap[0].at_us : TORUS_NO_TIME;
}

uint32_t torus_faults_out(const struct torus_faults *f)
{
	return f->out;
}

bool torus_faults_take(struct torus_faults *f, int64_t now_us,
		       struct torus_fault *fault)
{
	struct fault_component c = f->heap[0];

	if (!f->count || c.at_us > now_us)
		return false;
	*fault = (struct torus_fault){ .kind = (enum torus_fault_kind)c.kind,
				       .failed = c.times % 2 };
	if (c.kind == TORUS_FAULT_NODES) {
		fault->bit = f->bit[c.number];
	} else {
		fault->link = f->link[c.number];
		fault->link.health = fault->failed ? TORUS_LINK_DOWN :
						     TORUS_LINK_UP;
	}
	f->out += fault->failed ? 1 : -1;
	faults_draw(f, &c, now_us);
	faults_sink(f, 0, c);
	return true;
}

void torus_faults_spare(struct torus_faults *f, int64_t now_us)
{
	struct fault_component c;

	while (f->count && (c = f->heap[0]).at_us <= now_us && c.times % 2) {
		c.times--; /* draw the same time again, from a later start */
		faults_draw(f, &c, now_us);
		faults_sink(f, 0, c);
	}
}
