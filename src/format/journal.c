/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal's lines (journal.h). A line is written by the table of the columns
 * (journal.h); a text that is too long for one continues on the next.
 */
#include "torus/state_text.h"
#include "torus/placement.h"
#include "format/journal.h"
#include "format/journal_file.h"
#include "format/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "torus/alloc.h"
#include "torus/ask.h"
#include "torus/text.h"
#include "torus/weights.h"

/* longer texts are continued on further lines */
#define TEXT_MOST 8000

struct journal {
	const struct torus_machine *m;
	char *path;
	struct journal_file file;
	bool is_private;
	bool dry_run;
	bool mended;   /* lines were lost, and this has been written */
	uint64_t lost; /* lost lines not yet counted in the file */
	uint64_t lines;
	char *text; /* of f */
	size_t length;
	FILE *f; /* in memory; NULL: nothing was collected */
};

/* What the columns of a line are written from. Zeroed members are not in the line. */
struct journal_line {
	const struct torus_machine *m;
	const struct journal_stay *stay;
	const struct torus_job_request *request; /* of the stay's job */
	uint64_t job;
	int64_t at_us, limit_us; /* TORUS_NO_TIME: none */
	uint64_t nodes;
	bool counted; /* it has `nodes` */
	bool begin;   /* it has the number of outside nodes */
	const char *state;
	const char *region;
	size_t length; /* of region */
	bool continued;
};

static void journal_put_seconds(FILE *f, int64_t us)
{
	if (us != TORUS_NO_TIME)
		fprintf(f, "%lld.%06lld", (long long)(us / 1000000),
			(long long)(us % 1000000));
}

/* Return true if the stay's job had nodes and has none now. */
static bool stay_over(const struct journal_stay *s)
{
	return s->hold && s->state != JOURNAL_RUNNING;
}

/* The writers of the columns (journal.h): each writes its field or nothing. */

static void put_id(FILE *f, const struct journal_line *line)
{
	if (line->job)
		fprintf(f, "%llu", (unsigned long long)line->job);
}

static void put_submit(FILE *f, const struct journal_line *line)
{
	journal_put_seconds(f, line->at_us);
}

static void put_run(FILE *f, const struct journal_line *line)
{
	const struct journal_stay *s = line->stay;

	if (s)
		journal_put_seconds(f, stay_over(s) ?
					       s->ended_us - s->job->start_us :
					       line->limit_us);
}

static void put_nodes(FILE *f, const struct journal_line *line)
{
	if (line->counted)
		fprintf(f, "%llu", (unsigned long long)line->nodes);
}

/* Write `given`, or `anywhere` with the number of outside nodes. Return false if neither
 * applies. */
static bool put_no_strategy(FILE *f, const struct journal_line *line)
{
	const struct torus_pod *last = &line->m->pod[line->m->pods - 1];
	bool anywhere =
		line->begin ?
			last->outside :
			line->request &&
				line->request->alternative[0].ask.anywhere;

	if (line->stay && line->stay->host_started)
		fputs("given", f);
	else if (anywhere && last->outside)
		fprintf(f, "anywhere+%u", last->torus.nodes);
	else if (anywhere)
		fputs("anywhere", f);
	else
		return false;
	return true;
}

/* Write a word of the request. */
static void put_word(FILE *f, const struct journal_line *line, enum torus_word w)
{
	const struct torus_request_word *word = &torus_request_word[w];
	const char *quote = word->kind == TORUS_KIND_SHAPE ? "\"" : "";
	char text[TORUS_GEOMETRY_SIZE];

	if ((word->kind == TORUS_KIND_STRATEGY && put_no_strategy(f, line)) ||
	    !line->request)
		return;
	word->write(line->request, text, sizeof(text));
	if (*text)
		fprintf(f, "%s%s%s", quote, text, quote);
}

#define PUT_WORD(member, kind, name, variable, ...)                            \
	static void put_##member(FILE *f, const struct journal_line *line)     \
	{                                                                      \
		put_word(f, line, TORUS_WORD_##variable);                      \
	}
TORUS_REQUEST_WORDS(PUT_WORD)

static void put_limit(FILE *f, const struct journal_line *line)
{
	journal_put_seconds(f, line->limit_us);
}

static void put_deadline(FILE *f, const struct journal_line *line)
{
	if (line->stay)
		journal_put_seconds(f, line->stay->job->deadline_us);
}

static void put_user(FILE *f, const struct journal_line *line)
{
	if (line->stay && line->stay->job->owner)
		fputs(line->stay->job->owner->user, f);
}

static void put_account(FILE *f, const struct journal_line *line)
{
	if (line->stay && line->stay->job->owner)
		fputs(line->stay->job->owner->account, f);
}

static void put_priority(FILE *f, const struct journal_line *line)
{
	if (line->stay)
		fprintf(f, "%.0f", line->stay->job->priority);
}

static void put_eligible(FILE *f, const struct journal_line *line)
{
	if (line->stay)
		journal_put_seconds(f, line->stay->job->submit_us);
}

static void put_turn(FILE *f, const struct journal_line *line)
{
	if (line->stay)
		fprintf(f, "%lld", (long long)line->stay->job->turn);
}

static void put_left(FILE *f, const struct journal_line *line)
{
	if (line->stay && line->stay->state == JOURNAL_WITHDRAWN)
		journal_put_seconds(f, line->stay->ended_us);
}

/* Write the changes of the limit during the run: WHEN=LIMIT, separated by blanks. */
static void put_limits(FILE *f, const struct journal_line *line)
{
	const struct journal_stay *s = line->stay;

	for (uint32_t i = 0; s && i < s->limits; i++) {
		fputs(i ? " " : "", f);
		journal_put_seconds(f, s->limit[i].at_us);
		fputc('=', f);
		journal_put_seconds(f, s->limit[i].limit_us);
	}
}

/* Write NODES, or NODES!NUMBER with the outages number. NULL: all nodes. */
static void put_allowed(FILE *f, const struct torus_machine *m,
			const uint64_t *nodes, uint64_t outages)
{
	const struct torus_placement place = { .spread = true, .nodes = nodes };
	struct torus_text text = { 0 };

	if (!nodes)
		fputs("all", f);
	else if (torus_placement_format(m, &place, &text) == 0)
		fputs(text.length ? text.data : "none", f);
	torus_text_free(&text);
	if (outages)
		fprintf(f, "!%llu", (unsigned long long)outages);
}

/* Write the nodes that the job might use over time: NODES WHEN=NODES ... */
static void put_only(FILE *f, const struct journal_line *line)
{
	const struct journal_stay *s = line->stay;

	if (!s || (s->allowed_changes == 0 && !s->allowed && !s->outages))
		return;
	fputc('"', f);
	for (uint32_t i = 0; i < s->allowed_changes; i++) {
		const struct journal_allowed *a = &s->allowed_before[i];

		put_allowed(f, line->m, a->nodes, a->outages);
		fputc(' ', f);
		journal_put_seconds(f, a->until_us);
		fputc('=', f);
	}
	put_allowed(f, line->m, s->allowed, s->outages);
	fputc('"', f);
}

static void put_start(FILE *f, const struct journal_line *line)
{
	if (line->stay && line->stay->hold)
		journal_put_seconds(f, line->stay->job->start_us);
}

static void put_end(FILE *f, const struct journal_line *line)
{
	if (line->stay && stay_over(line->stay))
		journal_put_seconds(f, line->stay->ended_us);
}

/* Write the place of the stay, or the text of the line. */
static void put_region(FILE *f, const struct journal_line *line)
{
	const struct journal_stay *s = line->stay;
	struct torus_text text = { 0 };

	if (s && s->hold &&
	    torus_placement_format(line->m, &s->hold->place, &text) == 0)
		fprintf(f, "\"%s\"", text.data);
	torus_text_free(&text);
	if (line->region)
		fprintf(f, "\"%.*s%s\"", (int)line->length, line->region,
			line->continued ? "\\" : "");
}

static void put_state(FILE *f, const struct journal_line *line)
{
	fputs(line->state, f);
}

static void put_stay(FILE *f, const struct journal_line *line)
{
	if (line->stay)
		fprintf(f, "%llu", (unsigned long long)line->stay->number);
}

static const struct journal_column {
	const char *name;
	void (*put)(FILE *f, const struct journal_line *line);
} columns[] = {
#define COLUMN(ENUMERATOR, NAME, KIND, WRITER, READER, MEMBER)                 \
	{ #NAME, WRITER },
	JOURNAL_COLUMNS(COLUMN)
#undef COLUMN
};

/* Write the names of the columns, or (line) their fields. */
static void put_columns(FILE *f, const struct journal_line *line)
{
	const char *comma = "";

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		if (!columns[i].put)
			continue;
		fputs(comma, f);
		comma = ",";
		if (line)
			columns[i].put(f, line);
		else
			fputs(columns[i].name, f);
	}
	fputc('\n', f);
}

struct journal *journal_create(const char *path, const struct torus_machine *m)
{
	struct journal *j = torus_alloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->m = m;
	j->path = torus_text_copy(path);
	if (!j->path) {
		torus_free(j);
		return NULL;
	}
	j->file.fd = -1;
	return j;
}

/* Drop all collected lines. */
static void journal_empty(struct journal *j)
{
	if (j->f)
		fclose(j->f);
	free(j->text);
	j->f = NULL;
	j->text = NULL;
	j->length = 0;
	j->lines = 0;
}

void journal_destroy(struct journal *j)
{
	if (!j)
		return;
	journal_empty(j);
	if (j->file.fd >= 0)
		close(j->file.fd);
	torus_free(j->path);
	torus_free(j);
}

void journal_private(struct journal *j, bool is_private)
{
	j->is_private = is_private;
}

void journal_dry_run(struct journal *j)
{
	j->dry_run = true;
}

bool journal_idle(const struct journal *j)
{
	return j->lines == 0;
}

/* Collect a line. */
static void journal_put(struct journal *j, struct journal_line line)
{
	if (!j->f)
		j->f = open_memstream(&j->text, &j->length);
	if (!j->f) {
		j->lost++;
		return;
	}
	j->lines++;
	line.m = j->m;
	put_columns(j->f, &line);
}

/* Collect lines of a long text, each but the last followed by a backslash. */
static void journal_put_text(struct journal *j, int64_t at_us,
			     const char *state, const char *text, size_t length)
{
	struct journal_line line = { .at_us = at_us,
				     .limit_us = TORUS_NO_TIME,
				     .state = state,
				     .region = text };

	for (; length > TEXT_MOST; length -= TEXT_MOST) {
		line.length = TEXT_MOST;
		line.continued = true;
		journal_put(j, line);
		line.region += TEXT_MOST;
	}
	line.length = length;
	line.continued = false;
	journal_put(j, line);
}

/* Collect the lines of a text and free it; rc: result of building it. */
static void journal_take_text(struct journal *j, int64_t at_us,
			      const char *state, struct torus_text *text, int rc)
{
	if (rc == 0)
		journal_put_text(j, at_us, state, text->data, text->length);
	else
		j->lost++;
	torus_text_free(text);
}

/* Collect a line of a time only. */
static void journal_put_time(struct journal *j, int64_t at_us, const char *state)
{
	journal_put(j, (struct journal_line){ .at_us = at_us,
					      .limit_us = TORUS_NO_TIME,
					      .state = state });
}

void journal_pass(struct journal *j, int64_t at_us)
{
	journal_put_time(j, at_us, "pass");
}

void journal_until(struct journal *j, int64_t at_us)
{
	journal_put_time(j, at_us, "until");
}

void journal_would(struct journal *j, int64_t at_us, uint32_t job,
		   const struct torus_placement *place)
{
	struct torus_text text = { 0 };
	struct journal_line line = { .job = job,
				     .at_us = at_us,
				     .limit_us = TORUS_NO_TIME,
				     .state = "would" };

	if (place && torus_placement_format(j->m, place, &text) == 0) {
		line.region = text.data;
		line.length = text.length;
	}
	journal_put(j, line);
	torus_text_free(&text);
}

void journal_stay(struct journal *j, const struct journal_stay *s)
{
	static const char *const state[] = { "waiting",   "running",
					     "completed", "rejected",
					     "withdrawn", "undone",
					     "shared" };
	const struct torus_job_request *r = &s->job->request;
	struct journal_line line = { .stay = s,
				     .job = s->job->id,
				     .at_us = s->submitted_us,
				     .limit_us = s->job->limit_us,
				     .state = state[s->state] };

	if (line.limit_us > JOURNAL_MOST_US)
		line.limit_us = JOURNAL_MOST_US;
	if (s->host_started) {
		line.nodes = s->hold->place.granted;
		line.counted = true;
	} else {
		line.request = r;
		line.nodes = r->alternative[0].ask.count;
		line.counted = torus_job_request_is_number(r);
	}
	journal_put(j, line);
}

void journal_nodes(struct journal *j, bool out, int64_t at_us, int64_t end_us,
		   const uint64_t *nodes)
{
	const struct torus_placement place = { .spread = true, .nodes = nodes };
	struct torus_text text = { 0 };
	struct journal_line line = { .at_us = at_us,
				     .limit_us = TORUS_NO_TIME,
				     .state = out ? "out" : "busy",
				     .region = "none" };

	if (end_us)
		line.limit_us = end_us - at_us < JOURNAL_MOST_US ?
					end_us - at_us :
					JOURNAL_MOST_US;
	if (torus_placement_format(j->m, &place, &text)) {
		j->lost++;
	} else {
		if (text.length)
			line.region = text.data;
		line.length = strlen(line.region);
		journal_put(j, line);
	}
	torus_text_free(&text);
}

void journal_link(struct journal *j, int64_t at_us,
		  const struct torus_link *link)
{
	char name[TORUS_LINK_SIZE];
	struct torus_text text = { 0 };
	int rc;

	if (!link) {
		rc = torus_text_add(&text, "none");
	} else {
		torus_link_format(link, &j->m->pod[link->pod].torus, name,
				  sizeof(name));
		rc = torus_text_add(&text, "%s %s", name,
				    torus_link_health_name(
					    (enum torus_link_health)
						    link->health));
	}
	journal_take_text(j, at_us, "link", &text, rc);
}

void journal_cut(struct journal *j, int64_t at_us, uint64_t jobs)
{
	journal_put(j, (struct journal_line){ .at_us = at_us,
					      .limit_us = TORUS_NO_TIME,
					      .nodes = jobs,
					      .counted = true,
					      .state = "cut" });
}

void journal_begin(struct journal *j, int64_t at_us,
		   const struct torus_scheduler_settings *settings,
		   const char *state)
{
	struct torus_text text = { 0 };

	journal_put(j, (struct journal_line){ .at_us = at_us,
					      .limit_us = TORUS_NO_TIME,
					      .begin = true,
					      .state = "begin" });
	if (journal_settings(settings, &text) == 0 &&
	    torus_text_add(&text, "%s", j->dry_run ? JOURNAL_DRY_RUN : "") == 0)
		journal_put_text(j, at_us, "state", text.data, text.length);
	torus_text_free(&text);
	while (state && *state) {
		size_t length = strcspn(state, "\n");

		journal_put_text(j, at_us, "state", state, length);
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
	journal_take_text(j, at_us, "state", &text, rc);
}

void journal_usage(struct journal *j, int64_t at_us,
		   const struct torus_usage *usage)
{
	struct torus_text text = { 0 };
	uint64_t bits;
	int rc;

	memcpy(&bits, &usage->used, sizeof(bits));
	rc = torus_text_add(&text, "usage %016llx %s", (unsigned long long)bits,
			    usage->user);
	journal_take_text(j, at_us, "state", &text, rc);
}

void journal_host_hold(struct journal *j, int64_t at_us,
		       const struct torus_hold *hold)
{
	struct torus_text text = { 0 };
	int rc = torus_text_add(&text, "hold ") ||
		 torus_hold_format(j->m, hold, &text);

	journal_take_text(j, at_us, "state", &text, rc);
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

		/* Add outages of the same nodes together, as of a recurring reservation:
		 * NODES=FROM-TO,FROM-TO.. */
		rc = again ? torus_text_add(&text, ",") :
			     add_outage_nodes(j->m, out->nodes, &text);
		rc = rc || add_bound(&text, out->from_us) ||
				     torus_text_add(&text, "-") ||
				     add_bound(&text, out->to_us) ?
			     -1 :
			     0;
	}
	journal_take_text(j, at_us, "outages", &text, rc);
}

void journal_weights(struct journal *j, int64_t at_us,
		     const struct torus_weights *weights, bool asleep_only)
{
	struct torus_text text = { 0 };
	int rc = torus_weights_format(j->m, weights, asleep_only, &text);

	journal_take_text(j, at_us, "weights", &text, rc);
}

/* Write the first lines of a file into text[0], and into text[1] the line that counts
 * lost lines. Return -1 with ENOMEM. */
static int journal_head(const struct journal *j, char *text[2])
{
	const struct journal_line lost = { .at_us = TORUS_NO_TIME,
					   .limit_us = TORUS_NO_TIME,
					   .m = j->m,
					   .nodes = j->lost,
					   .counted = true,
					   .state = "lost" };
	size_t length;
	int rc = 0;

	for (int i = 0; i < 2; i++) {
		FILE *f = open_memstream(&text[i], &length);

		if (!f)
			return -1;
		if (i == 0)
			fputs(JOURNAL_VERSION "\n", f);
		if (i == 0 || j->lost)
			put_columns(f, i ? &lost : NULL);
		rc |= stream_close(f);
	}
	return rc;
}

int journal_write(struct journal *j, struct torus_error *err)
{
	char *head[2] = { NULL, NULL };
	int rc = -1;

	errno = ENOMEM;
	if ((j->f && (fflush(j->f) || ferror(j->f))) || journal_head(j, head))
		torus_error_add(err, "journal: %s: out of memory", j->path);
	else
		rc = journal_append(&j->file, j->path, j->is_private,
				    (const char *[]){ head[0], head[1],
						      j->text ? j->text : "" },
				    err);
	free(head[0]);
	free(head[1]);
	if (rc) {
		j->lost += j->lines;
	} else {
		j->mended |= j->lost > 0;
		j->lost = 0;
	}
	journal_empty(j);
	return rc;
}

bool journal_ends(const struct journal *j)
{
	return j->mended || journal_file_ended(&j->file, j->path);
}
