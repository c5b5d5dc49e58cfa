/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A question about a place (question.h). */
#include "config/hostlist.h"
#include "torus/state_find.h"
#include "storus/machine/question.h"
#include "questions/forward.h"
#include "questions/occupancy.h"
#include "questions/packing.h"
#include "torus/alloc.h"
#include "torus/state_text.h"
#include "placement/state/free_boxes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void storus_question_free(struct storus_question *q)
{
	torus_state_destroy(q->state);
	snapshot_destroy(q->snapshot);
	torus_free(q->one);
}

#define PLAN_SAME_US INT64_C(2000000) /* Slurm's times are whole seconds */

/* Return true if the texts have the same nodes. */
static bool question_same_nodes(const struct torus_machine *m, const char *a,
				const char *b)
{
	uint64_t *maps = torus_alloc(3 * (size_t)m->words, sizeof(*maps));
	struct torus_error err = { 0 };
	bool same = false;

	if (maps && a)
		same = storus_regions_paint(m, a, maps + 2 * m->words, maps,
					    &err) == 0 &&
		       storus_regions_paint(m, b, maps + 2 * m->words,
					    maps + m->words, &err) == 0 &&
		       torus_bits_equal(maps, maps + m->words, m->words);
	torus_free(maps);
	return same;
}

bool storus_question_plan_lacks(const struct snapshot *s,
				const struct snapshot_job *job,
				const struct forward_job *played)
{
	struct torus_request request = { 0 };
	struct torus_error err = { 0 };
	bool lacks = false;

	if (!strchr(job->words.geometry ? job->words.geometry : "", '@') ||
	    job->submit_us == SNAPSHOT_NO_TIME ||
	    played->start_us >= job->start_us - PLAN_SAME_US ||
	    torus_request_parse(&request, &job->words, &err))
		return false;
	for (uint32_t k = 0; k < request.alternatives; k++) {
		int64_t from_us =
			torus_time_after(job->submit_us,
					 request.alternative[k].after_us);

		lacks |= from_us > s->time_us && from_us <= played->start_us;
	}
	return lacks;
}

void storus_question_take_plan(const struct snapshot *s, struct forward *f,
			       bool placed)
{
	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct snapshot_job *job = &s->job[j];
		struct forward_job *to = &f->job[j];
		bool same = llabs(job->start_us - to->start_us) <= PLAN_SAME_US;

		if (job->running || job->start_us == SNAPSHOT_NO_TIME ||
		    job->start_us < s->time_us ||
		    storus_question_plan_lacks(s, job, to) ||
		    (placed && !*job->place && !same))
			continue;
		f->open -= to->open;
		to->open = false;
		to->start_us = job->start_us;
		to->end_us = torus_time_after(job->start_us, job->limit_us);
		if (same && (!*job->place ||
			     question_same_nodes(&s->config->machine,
						 to->region, job->place)))
			continue;
		torus_free(to->region);
		to->region = *job->place ? torus_text_copy(job->place) : NULL;
	}
}

int storus_question_machine(struct storus_question *q, struct torus_error *err)
{
	struct snapshot *snapshot;
	int status = storus_source_open(&q->source, &snapshot, err);

	if (status != STORUS_DONE)
		return status;
	q->snapshot = snapshot;
	q->config = snapshot->config;
	if (q->strategy &&
	    torus_config_strategy(snapshot->config, q->strategy, err))
		return STORUS_USAGE;
	if (occupancy_prepare(snapshot) == 0)
		q->state = occupancy_state(snapshot);
	q->one = torus_alloc(q->config->machine.words, sizeof(*q->one));
	if (q->state && q->one)
		return STORUS_DONE;
	torus_error_add(err, "out of memory");
	return STORUS_TROUBLE;
}

int storus_question_request(struct storus_question *q, struct torus_error *err)
{
	const struct torus_machine *m = q->config ? &q->config->machine : NULL;
	struct torus_request_words words = q->words;

	if (m && m->pods == 1 && m->pod[0].no_rotate)
		words.no_rotate = true;
	if (torus_request_parse(&q->request, &words, err))
		return -1;
	for (uint32_t k = 0; m && k < q->request.alternatives; k++)
		torus_machine_settle(m, &q->request.alternative[k].ask);
	return 0;
}

const char *storus_question_given(const struct storus_question *q)
{
	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		if (w != TORUS_WORD_GEOMETRY &&
		    torus_request_words_get(&q->words, w))
			return torus_request_word[w].name;
	}
	return q->strategy ? "strategy" : NULL;
}

const char *storus_question_links(const struct storus_question *q)
{
	return q->config->machine.links.count ? "links that are not healthy, " :
						"";
}

int storus_question_unlisted(const struct storus_command *command,
			     const char *shape)
{
	if (errno != E2BIG)
		return storus_no_memory(command);
	return storus_say(command, STORUS_TROUBLE,
			  "%s has more than %d places on this machine", shape,
			  PLACES_MOST);
}

int storus_question_named(const struct storus_command *command,
			  const char *option, const char *value,
			  const struct snapshot_nodes *list, uint32_t count)
{
	struct torus_text names = { 0 };
	int status;

	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(list[i].name, value))
			return STORUS_GO;
		torus_text_add(&names, "%s%s", i ? ", " : "", list[i].name);
	}
	status = storus_say(command, STORUS_USAGE,
			    "--%s: got \"%s\": there is no such %s here%s%s",
			    option, value, option,
			    names.data ? "; expected one of " : ", and no other",
			    names.data ? names.data : "");
	torus_text_free(&names);
	return status;
}

int storus_question_allow(const struct storus_command *command,
			  const struct storus_question *q,
			  const char *partition, uint64_t *allowed)
{
	const struct snapshot_nodes *p =
		partition ? snapshot_partition(q->snapshot, partition) : NULL;
	uint32_t words = q->config->machine.words;

	if (partition && !p)
		return storus_question_named(command, "partition", partition,
					     q->snapshot->partition,
					     q->snapshot->partitions);
	if (p)
		torus_bits_copy(allowed, p->map, words);
	else
		memset(allowed, 0xff, words * sizeof(*allowed));
	occupancy_clear_reserved(q->snapshot, NULL, allowed);
	return STORUS_DONE;
}

enum torus_answer storus_question_ask(struct storus_question *q,
				      uint32_t *alternative,
				      struct torus_placement *place,
				      struct torus_error *why)
{
	enum torus_answer best = TORUS_NEVER;

	for (uint32_t k = 0; k < q->request.alternatives; k++) {
		enum torus_answer answer;
		const struct torus_ask *asked;
		struct torus_ask ask;

		/* Nodes of reservations that have begun are for their users alone. */
		asked = &q->request.alternative[k].ask;
		ask = *asked;
		if (q->snapshot->reservations) {
			torus_bits_set_range(q->one, 0,
					     q->config->machine.nodes);
			occupancy_clear_reserved(q->snapshot, NULL, q->one);
			ask = torus_ask_among(asked, q->one);
		}
		answer = torus_state_possible(q->state, asked, NULL, why);
		if (answer == TORUS_FITS) {
			answer = torus_state_find(q->state, &ask, place, why);
			if (answer == TORUS_NOT_NOW)
				torus_state_explain(q->state, &ask, why);
		}
		if (answer == TORUS_FITS) {
			torus_error_clear(why);
			if (alternative)
				*alternative = k;
			return answer;
		}
		if (answer == TORUS_NOT_NOW)
			best = answer;
	}
	return best;
}

/*
 * What could start now: the free nodes of each torus, all or those of a
 * partition, and the largest box of them. Nodes that are reserved now and those
 * out of service are left out.
 */

int largest_free_find(const struct storus_question *q, const uint64_t *allowed,
		      struct largest_free *list)
{
	const struct torus_machine *m = &q->config->machine;
	uint64_t *free = torus_alloc(m->words, sizeof(*free));
	int rc = free ? 0 : -1;

	if (free)
		torus_bits_and(free, torus_state_free_map(q->state), allowed,
			       m->words);
	for (uint32_t p = 0; rc == 0 && p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		struct largest_free *f = &list[p];
		struct torus_region box;

		f->free = torus_bits_count(free + pod->first_word, pod->words);
		rc = torus_largest_region(m, p, free + pod->first_word, &box,
					  &f->nodes);
		f->box[0] = '\0';
		if (rc == 0 && f->nodes)
			torus_region_format(&box, &pod->torus, f->box,
					    sizeof(f->box));
	}
	torus_free(free);
	return rc;
}

json_t *largest_free_json(const struct storus_question *q, uint32_t pod,
			  const struct largest_free *f)
{
	json_t *largest = f->nodes ? json_pack("{s:s, s:i}", "region", f->box,
					       "nodes", (int)f->nodes) :
				     json_null();

	return json_pack("{s:s, s:i, s:o}", "torus",
			 q->config->machine.pod[pod].torus.name, "free",
			 (int)f->free, "largest", largest);
}

struct question_nodes {
	const struct torus_config *config;
	uint64_t *map;
	bool set; /* else clear */
};

static int question_mark(void *arg, const char *name)
{
	struct question_nodes *n = arg;
	uint32_t bit = torus_config_node(n->config, name);

	if (bit == UINT32_MAX)
		return -1;
	if (n->set)
		torus_bits_set(n->map, bit);
	else
		torus_bits_clear(n->map, bit);
	return 0;
}

int storus_question_nodes(const struct torus_config *config, const char *list,
			  uint64_t *map, bool set)
{
	struct question_nodes n = { .config = config, .map = map, .set = set };
	uint32_t count;

	return torus_hostlist_count(list, &count, NULL) ||
			       torus_hostlist_each(list, question_mark, &n) ?
		       -1 :
		       0;
}
