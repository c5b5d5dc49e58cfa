/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Node weights (torus/weights.h). Set: O(words). Text: O(nodes x distinct weights).
 */
#include "torus/weights.h"

#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/state.h"
#include "torus/placement.h"

struct torus_weights {
	uint32_t words;
	uint32_t *weight; /* per machine-wide bit */
	uint64_t asleep[];
};

static struct torus_weights *weights_alloc(uint32_t words)
{
	struct torus_weights *w =
		torus_alloc(1, sizeof(*w) + words * sizeof(*w->asleep));

	if (!w)
		return NULL;
	w->words = words;
	w->weight = torus_alloc((size_t)words * 64, sizeof(*w->weight));
	if (w->weight)
		return w;
	torus_free(w);
	return NULL;
}

struct torus_weights *torus_weights_create(const struct torus_machine *m)
{
	struct torus_weights *w = weights_alloc(m->words);

	if (w)
		torus_weights_clear(w);
	return w;
}

void torus_weights_clear(struct torus_weights *w)
{
	for (uint32_t b = 0; b < w->words * 64; b++)
		w->weight[b] = TORUS_WEIGHT_DEFAULT;
	torus_bits_zero(w->asleep, w->words);
}

struct torus_weights *torus_weights_copy(const struct torus_weights *of)
{
	struct torus_weights *w = weights_alloc(of->words);

	if (!w)
		return NULL;
	memcpy(w->weight, of->weight,
	       (size_t)of->words * 64 * sizeof(*w->weight));
	torus_bits_copy(w->asleep, of->asleep, of->words);
	return w;
}

int torus_weights_extend(struct torus_weights **w, uint32_t words)
{
	struct torus_weights *more = weights_alloc(words), *of = *w;

	if (!more)
		return -1;
	torus_weights_clear(more);
	memcpy(more->weight, of->weight,
	       (size_t)of->words * 64 * sizeof(*of->weight));
	torus_bits_copy(more->asleep, of->asleep, of->words);
	torus_weights_destroy(of);
	*w = more;
	return 0;
}

void torus_weights_destroy(struct torus_weights *w)
{
	if (w)
		torus_free(w->weight);
	torus_free(w);
}

void torus_weights_set(struct torus_weights *w, const uint64_t *nodes,
		       uint32_t weight)
{
	uint32_t b = torus_bits_next(nodes, w->words, 0);

	for (; b != UINT32_MAX; b = torus_bits_next(nodes, w->words, b + 1))
		w->weight[b] = weight;
}

void torus_weights_set_asleep(struct torus_weights *w, const uint64_t *nodes)
{
	torus_bits_copy(w->asleep, nodes, w->words);
}

uint32_t *torus_weights_list(struct torus_weights *w)
{
	return w->weight;
}

const uint64_t *torus_weights_asleep(const struct torus_weights *w)
{
	return w->asleep;
}

/* Return true if the machine has such a node. */
static bool weights_has_node(const struct torus_pod *pod, uint32_t i)
{
	return !pod->present || torus_bits_test(pod->present, i);
}

bool torus_weights_equal(const struct torus_machine *m,
			 const struct torus_weights *a,
			 const struct torus_weights *b)
{
	const struct torus_weights *any = a ? a : b;
	uint32_t first = UINT32_MAX;

	for (uint32_t p = 0; any && p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];

		for (uint32_t i = 0; i < pod->torus.nodes; i++) {
			uint32_t bit = torus_machine_bit(m, p, i);

			if (!weights_has_node(pod, i))
				continue;
			if (first == UINT32_MAX)
				first = bit;
			if (any->weight[bit] != (a && b ? b->weight[bit] :
							  any->weight[first]) ||
			    torus_bits_test(any->asleep, bit) !=
				    (a && b && torus_bits_test(b->asleep, bit)))
				return false;
		}
	}
	return true;
}

bool torus_weights_same_list(const struct torus_weights *a,
			     const struct torus_weights *b)
{
	return memcmp(a->weight, b->weight,
		      (size_t)a->words * 64 * sizeof(*a->weight)) == 0;
}

/* Append KEY=NODES; nothing if there are none. */
static int weights_put(const struct torus_machine *m, const uint64_t *nodes,
		       const char *key, struct torus_text *text)
{
	const struct torus_placement place = { .spread = true,
					       .scattered = true,
					       .nodes = nodes };

	if (torus_bits_next(nodes, m->words, 0) == UINT32_MAX)
		return 0;
	return torus_text_add(text, "%s%s=", text->length ? " " : "", key) ||
			       torus_placement_format(m, &place, text) ?
		       -1 :
		       0;
}

/* Set the present nodes of weight `at` (asleep: those asleep) in `nodes`. Return
 * the next larger weight; UINT64_MAX: none. */
static uint64_t weights_paint(const struct torus_machine *m,
			      const struct torus_weights *w, uint64_t at,
			      uint64_t *nodes)
{
	uint64_t next = UINT64_MAX;

	torus_bits_zero(nodes, m->words);
	for (uint32_t p = 0; p < m->pods; p++) {
		for (uint32_t i = 0; i < m->pod[p].torus.nodes; i++) {
			uint32_t bit = torus_machine_bit(m, p, i);

			if (!weights_has_node(&m->pod[p], i))
				continue;
			if (w->weight[bit] == at)
				torus_bits_set(nodes, bit);
			else if (w->weight[bit] > at && w->weight[bit] < next)
				next = w->weight[bit];
		}
	}
	return next;
}

int torus_weights_format(const struct torus_machine *m,
			 const struct torus_weights *w, bool asleep_only,
			 struct torus_text *text)
{
	struct torus_text own = { 0 };
	uint64_t *nodes = torus_alloc(m->words, sizeof(*nodes));
	char key[16];
	int rc = nodes ? 0 : -1;

	for (uint64_t at = asleep_only ? UINT64_MAX : 0, next;
	     rc == 0 && at != UINT64_MAX; at = next) {
		next = weights_paint(m, w, at, nodes);
		snprintf(key, sizeof(key), "%u", (uint32_t)at);
		rc = weights_put(m, nodes, key, &own);
	}
	if (rc == 0 && torus_bits_next(w->asleep, m->words, 0) == UINT32_MAX)
		rc = torus_text_add(&own, "%sasleep=none",
				    own.length ? " " : "");
	else if (rc == 0)
		rc = weights_put(m, w->asleep, "asleep", &own);
	if (rc == 0)
		rc = torus_text_add(text, "%s", own.data ? own.data : "");
	torus_text_free(&own);
	torus_free(nodes);
	return rc;
}

/* Read a weight up to the '='. */
static bool weights_read_number(const char *text, const char *end,
				uint32_t *weight)
{
	uint64_t n = 0;

	if (text == end || (*text == '0' && end - text > 1) || end - text > 10)
		return false;
	for (; text < end; text++) {
		if (*text < '0' || *text > '9')
			return false;
		n = n * 10 + (uint64_t)(*text - '0');
	}
	*weight = (uint32_t)n;
	return n <= UINT32_MAX;
}

int torus_weights_parse(const struct torus_machine *m, char *text,
			struct torus_weights *w, struct torus_error *err)
{
	uint64_t *nodes = torus_alloc(m->words, sizeof(*nodes));
	char *word;
	int rc = nodes ? 0 : -1;

	while (rc == 0 && (word = strsep(&text, " "))) {
		char *equals = strchr(word, '=');
		uint32_t weight = 0;
		bool asleep = equals &&
			      strncmp(word, "asleep=", sizeof("asleep=") - 1) ==
				      0;

		if (!equals ||
		    (!asleep && !weights_read_number(word, equals, &weight))) {
			rc = torus_error_add(err,
					     "weights: got \"%.60s\", expected WEIGHT=NODES or asleep=NODES",
					     word);
		} else if (asleep && strcmp(equals, "=none") == 0) {
			torus_bits_zero(w->asleep, w->words);
		} else if (torus_nodes_parse(m, equals + 1, nodes, err)) {
			rc = -1;
		} else if (asleep) {
			torus_weights_set_asleep(w, nodes);
		} else {
			torus_weights_set(w, nodes, weight);
		}
	}
	torus_free(nodes);
	return rc;
}
