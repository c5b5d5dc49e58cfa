/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the journal (journal.h) whose region is a text: what a scheduler
 * begins with, and the outages of jobs. A text too long for one line continues
 * on the next.
 */
#include "format/journal_lines.h"

#include <string.h>

#include "torus/discipline.h"
#include "torus/outage.h"

/* Empty fields behind the placement. */
#define NO_JOB_BEHIND_PLACEMENT ",,,,,,,,,,,,"

/* longer texts are continued on further lines */
#define TEXT_MOST 8000

/* Write a long text in pieces, each but the last followed by a backslash. */
static void put_text(struct journal *j, int64_t at_us, const char *state,
		     const char *text, size_t length)
{
	do {
		size_t n = length < TEXT_MOST ? length : TEXT_MOST;

		journal_put_line(j, 0, at_us, state, "\"%.*s%s\"", (int)n, text,
				 n < length ? "\\" : "");
		text += n;
		length -= n;
	} while (length > 0);
}

/* Write and free a text; rc: result of building it. */
static void put_made_text(struct journal *j, int64_t at_us, const char *state,
			  struct torus_text *text, int rc)
{
	if (rc == 0)
		put_text(j, at_us, state, text->data, text->length);
	else
		j->lost++;
	torus_text_free(text);
}

int journal_settings(const struct torus_scheduler_settings *settings,
		     struct torus_text *text)
{
	const struct torus_options *o = &settings->options;
	char wait[32] = "none";

	if (settings->wait_limit_us != TORUS_NO_TIME)
		snprintf(wait, sizeof(wait), "%lld",
			 (long long)settings->wait_limit_us);
	if (torus_text_add(text,
			   "scheduler %s order=%s wait_limit=%s backfill_places=%u mean_hold=%lld",
			   settings->discipline->name,
			   settings->order_by_priority ? "priority" : "arrival",
			   wait, settings->backfill_places,
			   (long long)settings->mean_hold_us))
		return -1;
	for (uint32_t i = 0; i < o->used; i++) {
		if (torus_text_add(text, " %s=%s", o->item[i].key,
				   o->item[i].value))
			return -1;
	}
	return 0;
}

/* Write the number of outside nodes. */
static void put_begin(struct journal *j, int64_t at_us)
{
	const struct torus_pod *last = &j->m->pod[j->m->pods - 1];
	FILE *f = journal_next(j);

	if (!f)
		return;
	fputc(',', f);
	journal_put_seconds(f, at_us);
	fputs(",,,,,,", f);
	if (last->outside)
		fprintf(f, "anywhere+%u", last->torus.nodes);
	fputs(NO_JOB_BEHIND_PLACEMENT ",begin,\n", f);
}

void journal_begin(struct journal *j, int64_t at_us,
		   const struct torus_scheduler_settings *settings,
		   const char *state)
{
	struct torus_text text = { 0 };

	put_begin(j, at_us);
	if (journal_settings(settings, &text) == 0 &&
	    torus_text_add(&text, "%s", j->dry_run ? JOURNAL_DRY_RUN : "") == 0)
		put_text(j, at_us, "state", text.data, text.length);
	torus_text_free(&text);
	while (state && *state) {
		size_t length = strcspn(state, "\n");

		put_text(j, at_us, "state", state, length);
		state += length + (state[length] == '\n');
	}
}

void journal_promise(struct journal *j, int64_t at_us, uint64_t number,
		     uint64_t job, const struct torus_promise *promise)
{
	struct torus_hold hold = { .job = job,
				   .start_us = promise->start_us,
				   .end_us = promise->end_us };
	struct torus_text text = { 0 };
	int rc = torus_text_add(&text, "promised %llu %s",
				(unsigned long long)number,
				promise->admitted ? "admitted" : "-");

	if (promise->place) {
		hold.place = *promise->place;
		rc |= torus_text_add(&text, " %u ", promise->alternative) ||
		      torus_hold_format(j->m, &hold, &text);
	}
	put_made_text(j, at_us, "state", &text, rc);
}

void journal_host_hold(struct journal *j, int64_t at_us,
		       const struct torus_hold *hold)
{
	struct torus_text text = { 0 };
	int rc = torus_text_add(&text, "hold ") ||
		 torus_hold_format(j->m, hold, &text);

	put_made_text(j, at_us, "state", &text, rc);
}

/* Add a time of an outage; nothing if it has no begin or no end. */
static int add_bound(struct torus_text *text, int64_t us)
{
	if (us < 0 || us > JOURNAL_MOST_US)
		return 0;
	return torus_text_add(text, "%lld.%06lld", (long long)(us / 1000000),
			      (long long)(us % 1000000));
}

/* " NODES=" */
static int add_outage_nodes(const struct torus_machine *m,
			    const uint64_t *nodes, struct torus_text *text)
{
	const struct torus_placement place = { .spread = true, .nodes = nodes };
	size_t before;

	if (torus_text_add(text, " "))
		return -1;
	before = text->length;
	if (torus_placement_format(m, &place, text) ||
	    (text->length == before && torus_text_add(text, "none")))
		return -1;
	return torus_text_add(text, "=");
}

/* Add outages of the same nodes together, as of a recurring reservation:
 * NODES=FROM-TO,FROM-TO.. */
static int add_outage(const struct torus_machine *m,
		      const struct torus_outage *out, bool again,
		      struct torus_text *text)
{
	int rc = again ? torus_text_add(text, ",") :
			 add_outage_nodes(m, out->nodes, text);

	return rc || add_bound(text, out->from_us) ||
			       torus_text_add(text, "-") ||
			       add_bound(text, out->to_us) ?
		       -1 :
		       0;
}

void journal_outages(struct journal *j, int64_t at_us,
		     const struct torus_outages *o)
{
	struct torus_text text = { 0 };
	int rc = torus_text_add(&text, "%llu -", (unsigned long long)o->number);

	if (rc == 0)
		rc = add_bound(&text, o->last_start_us);
	for (uint32_t i = 0; rc == 0 && i < o->count; i++) {
		const struct torus_outage *out = &o->outage[i];
		bool again = i > 0 && torus_bits_equal(out->nodes, out[-1].nodes,
						       j->m->words);

		rc = add_outage(j->m, out, again, &text);
	}
	put_made_text(j, at_us, "outages", &text, rc);
}
