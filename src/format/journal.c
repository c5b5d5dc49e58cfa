/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal's lines (journal.h): first those of stays and nodes, then those whose
 * region is a text, which continues on the next line if it is too long for one.
 */
#include "torus/state_text.h"
#include "torus/placement.h"
#include "format/journal.h"
#include "format/journal_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "request/words.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "torus/number.h"
#include "torus/outage.h"
#include "torus/text.h"
#include "torus/weights.h"

#define HEADER                                                                  \
	JOURNAL_VERSION                                                         \
	"\n"                                                                    \
	"id,submit,run,nodes,geometry,connection,rotate,placement,links,limit," \
	"deadline,priority,eligible,turn,left,limits,only,start,end,region,"    \
	"state,stay\n"

#define NO_JOB_COUNTED ",,,,,,,,,,,,,,,," /* empty fields from nodes to state */

/* Empty fields of lines that are not about a job, from submit to region. */
#define NO_JOB ",,,,,,,,,,,,,,,,,,"
/* Empty fields behind the placement. */
#define NO_JOB_BEHIND_PLACEMENT ",,,,,,,,,,,,"

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

static void journal_put_seconds(FILE *f, int64_t us)
{
	fprintf(f, "%lld.%06lld", (long long)(us / 1000000),
		(long long)(us % 1000000));
}

/* Write seconds; nothing if there is no time. */
static void journal_put_time(FILE *f, int64_t us)
{
	if (us != TORUS_NO_TIME)
		journal_put_seconds(f, us);
	fputc(',', f);
}

/* Return the connection common to all axes of all alternatives, or -1. */
static int connection_of(const struct torus_job_request *r)
{
	uint8_t first = r->alternative[0].ask.connection[0];

	for (uint32_t k = 0; k < r->alternatives; k++) {
		const struct torus_ask *ask = &r->alternative[k].ask;
		uint32_t axes = ask->by_count ? 1 : ask->shape.axes;

		for (uint32_t a = 0; a < axes; a++) {
			if (ask->connection[a] != first)
				return -1;
		}
	}
	return first;
}

/* Write the connection letters per axis if the axes differ. */
static void put_connection(FILE *f, const struct torus_job_request *r)
{
	static const char *const word[] = { "", "torus", "mesh" };
	static const char letter[] = { 'N', 'T', 'M' };
	const struct torus_ask *ask = &r->alternative[0].ask;
	int all = connection_of(r);

	if (all >= 0)
		fputs(word[all % 3], f);
	for (uint32_t a = 0; all < 0 && a < ask->shape.axes; a++)
		fputc(letter[ask->connection[a] % 3], f);
}

/* Write the words of the request. */
static void put_request(FILE *f, const struct torus_job_request *r)
{
	const struct torus_ask *ask = &r->alternative[0].ask;
	char text[TORUS_GEOMETRY_SIZE];

	if (ask->by_count && r->alternatives == 1) {
		fprintf(f, "%u,,", ask->count);
	} else {
		torus_job_request_format(r, text, sizeof(text));
		fprintf(f, ",\"%s\",", text);
	}
	put_connection(f, r);
	fprintf(f, ",%s,", r->rotate ? "" : "no");
}

/* Write `anywhere` with the number of outside nodes, and the accepted links. */
static void put_placement(FILE *f, const struct torus_machine *m,
			  const struct torus_job_request *r)
{
	const struct torus_pod *last = &m->pod[m->pods - 1];
	const struct torus_ask *ask = &r->alternative[0].ask;

	if (!ask->anywhere)
		fprintf(f, "%s,", ask->strategy ? ask->strategy : "");
	else if (last->outside)
		fprintf(f, "anywhere+%u,", last->torus.nodes);
	else
		fputs("anywhere,", f);
	fputs(ask->weak ? "weak," : ",", f);
}

/* Write the place; nothing without one. */
static void put_place(FILE *f, const struct torus_machine *m,
		      const struct torus_placement *place)
{
	struct torus_text text = { 0 };

	if (place && torus_placement_format(m, place, &text) == 0)
		fprintf(f, "\"%s\"", text.data);
	torus_text_free(&text);
}

/* Write the changes of the limit during the run: WHEN=LIMIT, separated by
 * blanks. */
static void put_limits(FILE *f, const struct journal_stay *s)
{
	for (uint32_t i = 0; i < s->limits; i++) {
		const struct journal_limit *change = &s->limit[i];

		fputs(i ? " " : "", f);
		journal_put_seconds(f, change->at_us);
		fputc('=', f);
		journal_put_seconds(f, change->limit_us);
	}
	fputc(',', f);
}

/* Write nodes as text; NULL means all. */
static void put_nodes(FILE *f, const struct torus_machine *m,
		      const uint64_t *nodes)
{
	const struct torus_placement place = { .spread = true, .nodes = nodes };
	struct torus_text text = { 0 };

	if (!nodes)
		fputs("all", f);
	else if (torus_placement_format(m, &place, &text) == 0)
		fputs(text.length ? text.data : "none", f);
	torus_text_free(&text);
}

/* Write NODES, or NODES!NUMBER with the outages number. */
static void put_allowed(FILE *f, const struct torus_machine *m,
			const uint64_t *nodes, uint64_t outages)
{
	put_nodes(f, m, nodes);
	if (outages)
		fprintf(f, "!%llu", (unsigned long long)outages);
}

/* Write the nodes that the job might use over time: NODES WHEN=NODES ... */
static void put_only(FILE *f, const struct torus_machine *m,
		     const struct journal_stay *s)
{
	if (s->allowed_changes == 0 && !s->allowed && !s->outages) {
		fputc(',', f);
		return;
	}
	fputc('"', f);
	for (uint32_t i = 0; i < s->allowed_changes; i++) {
		const struct journal_allowed *a = &s->allowed_before[i];

		put_allowed(f, m, a->nodes, a->outages);
		fputc(' ', f);
		journal_put_seconds(f, a->until_us);
		fputc('=', f);
	}
	put_allowed(f, m, s->allowed, s->outages);
	fputs("\",", f);
}

static void put_stay(FILE *f, const struct torus_machine *m,
		     const struct journal_stay *s)
{
	static const char *const state[] = { "waiting",   "running",
					     "completed", "rejected",
					     "withdrawn", "undone",
					     "shared" };
	const struct torus_job *job = s->job;
	bool ran = s->hold != NULL;
	bool over = ran && s->state != JOURNAL_RUNNING;
	int64_t limit_us = job->limit_us < JOURNAL_MOST_US ? job->limit_us :
							     JOURNAL_MOST_US;

	fprintf(f, "%llu,", (unsigned long long)job->id);
	journal_put_time(f, s->submitted_us);
	journal_put_time(f, over ? s->ended_us - job->start_us : limit_us);
	if (s->host_started) {
		fprintf(f, "%u,,,,given,,", s->hold->place.granted);
	} else {
		put_request(f, &job->request);
		put_placement(f, m, &job->request);
	}
	journal_put_time(f, limit_us);
	journal_put_time(f, job->deadline_us);
	fprintf(f, "%.0f,", job->priority);
	journal_put_time(f, job->submit_us);
	fprintf(f, "%lld,", (long long)job->turn);
	journal_put_time(f, s->state == JOURNAL_WITHDRAWN ? s->ended_us :
							    TORUS_NO_TIME);
	put_limits(f, s);
	put_only(f, m, s);
	journal_put_time(f, ran ? job->start_us : TORUS_NO_TIME);
	journal_put_time(f, over ? s->ended_us : TORUS_NO_TIME);
	put_place(f, m, ran ? &s->hold->place : NULL);
	fprintf(f, ",%s,%llu\n", state[s->state], (unsigned long long)s->number);
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

/* Return the stream for the next line; NULL: it is lost. */
static FILE *journal_next(struct journal *j)
{
	if (!j->f)
		j->f = open_memstream(&j->text, &j->length);
	if (j->f)
		j->lines++;
	else
		j->lost++;
	return j->f;
}

/* Write a line of job (0: none), time, region and state. */
__attribute__((format(printf, 5, 6))) static void
journal_put_line(struct journal *j, uint32_t job, int64_t at_us,
		 const char *state, const char *region, ...)
{
	FILE *f = journal_next(j);
	va_list args;

	if (!f)
		return;
	if (job)
		fprintf(f, "%u", job);
	fputc(',', f);
	journal_put_seconds(f, at_us);
	fputs(NO_JOB, f);
	va_start(args, region);
	vfprintf(f, region, args);
	va_end(args);
	fprintf(f, ",%s,\n", state);
}

void journal_pass(struct journal *j, int64_t at_us)
{
	journal_put_line(j, 0, at_us, "pass", "%s", "");
}

void journal_until(struct journal *j, int64_t at_us)
{
	journal_put_line(j, 0, at_us, "until", "%s", "");
}

void journal_would(struct journal *j, int64_t at_us, uint32_t job,
		   const struct torus_placement *place)
{
	struct torus_text text = { 0 };

	if (place && torus_placement_format(j->m, place, &text) == 0)
		journal_put_line(j, job, at_us, "would", "\"%s\"", text.data);
	else
		journal_put_line(j, job, at_us, "would", "%s", "");
	torus_text_free(&text);
}

void journal_stay(struct journal *j, const struct journal_stay *s)
{
	FILE *f = journal_next(j);

	if (f)
		put_stay(f, j->m, s);
}

void journal_nodes(struct journal *j, bool out, int64_t at_us, int64_t end_us,
		   const uint64_t *nodes)
{
	int64_t limit_us = end_us - at_us;
	FILE *f = journal_next(j);

	if (!f)
		return;
	fputc(',', f);
	journal_put_time(f, at_us);
	fputs(",,,,,,,", f);
	if (end_us && limit_us > JOURNAL_MOST_US)
		limit_us = JOURNAL_MOST_US;
	journal_put_time(f, end_us ? limit_us : TORUS_NO_TIME);
	fputs(",,,,,,,,,\"", f);
	put_nodes(f, j->m, nodes);
	fprintf(f, "\",%s,\n", out ? "out" : "busy");
}

void journal_link(struct journal *j, int64_t at_us,
		  const struct torus_link *link)
{
	char text[TORUS_LINK_SIZE];

	if (!link) {
		journal_put_line(j, 0, at_us, "link", "none");
		return;
	}
	torus_link_format(link, &j->m->pod[link->pod].torus, text, sizeof(text));
	journal_put_line(j, 0, at_us, "link", "\"%s %s\"", text,
			 torus_link_health_name(
				 (enum torus_link_health)link->health));
}

void journal_cut(struct journal *j, int64_t at_us, uint64_t jobs)
{
	FILE *f = journal_next(j);

	if (!f)
		return;
	fputc(',', f);
	journal_put_time(f, at_us);
	fprintf(f, ",%llu" NO_JOB_COUNTED ",cut,\n", (unsigned long long)jobs);
}

/* Lines with a text */

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
	if (settings->discipline->reserves && settings->reservations &&
	    torus_text_add(text, " reservations=%u", settings->reservations))
		return -1;
	for (uint32_t i = 0; i < o->used; i++) {
		if (torus_text_add(text, " %s=%s", o->item[i].key,
				   o->item[i].value))
			return -1;
	}
	return 0;
}

static int settings_refuse(const char *where, const char *got,
			   const char *expected, struct torus_error *err)
{
	struct torus_quote q;

	return torus_error_add(err,
			       "%s: settings of a scheduler: got \"%s\", expected %s",
			       where, torus_quote(&q, got, strlen(got)),
			       expected);
}

/* Read KEY=VALUE; what is no setting of all disciplines is an option. */
static int settings_read_one(struct torus_scheduler_settings *s,
			     const char *where, const char *key,
			     const char *value, struct torus_error *err)
{
	struct torus_options *o = &s->options;
	uint64_t places;

	if (strcmp(key, "order") == 0) {
		s->order_by_priority = strcmp(value, "priority") == 0;
		return s->order_by_priority || strcmp(value, "arrival") == 0 ?
			       0 :
			       settings_refuse(where, value,
					       "priority or arrival", err);
	}
	if (strcmp(key, "wait_limit") == 0) {
		s->wait_limit_us = TORUS_NO_TIME;
		return strcmp(value, "none") == 0 ||
				       torus_number_signed(value, 0, INT64_MAX,
							   &s->wait_limit_us) ?
			       0 :
			       settings_refuse(where, value, "a wait_limit",
					       err);
	}
	if (strcmp(key, "backfill_places") == 0) {
		if (!torus_number_whole(value, 1, UINT32_MAX, &places))
			return settings_refuse(where, value, "backfill_places",
					       err);
		s->backfill_places = (uint32_t)places;
		return 0;
	}
	if (strcmp(key, "reservations") == 0) {
		if (!torus_number_whole(value, 0, UINT32_MAX, &places))
			return settings_refuse(where, value, "reservations",
					       err);
		s->reservations = (uint32_t)places;
		return 0;
	}
	if (strcmp(key, "mean_hold") == 0)
		return torus_number_signed(value, INT64_MIN, INT64_MAX,
					   &s->mean_hold_us) ?
			       0 :
			       settings_refuse(where, value, "a mean_hold", err);
	if (o->used == TORUS_OPTIONS_MAX || strlen(key) >= TORUS_OPTION_KEY ||
	    strlen(value) >= TORUS_OPTION_VALUE)
		return settings_refuse(where, key, "shorter or fewer options",
				       err);
	strcpy(o->item[o->used].key, key);
	strcpy(o->item[o->used++].value, value);
	return 0;
}

int journal_settings_read(const char *line, const char *where,
			  struct torus_scheduler_settings *settings,
			  struct torus_error *err)
{
	char copy[TEXT_MOST + 1], *next = copy, *word;
	int rc = 0;

	if (strlen(line) >= sizeof(copy))
		return settings_refuse(where, line, "a shorter line", err);
	strcpy(copy, line);
	word = strsep(&next, " ");
	if (strcmp(word, "scheduler") != 0 || !next)
		return settings_refuse(where, line,
				       "scheduler NAME KEY=VALUE..", err);
	word = strsep(&next, " ");
	settings->discipline = torus_discipline_find(word);
	if (!settings->discipline)
		return settings_refuse(where, word,
				       "a discipline of this storus", err);
	settings->options = (struct torus_options){ 0 };
	if (settings->discipline->reserves)
		settings->reservations = 0; /* older versions: the head's */
	while (rc == 0 && (word = strsep(&next, " "))) {
		char *value = strchr(word, '=');

		if (!value && strcmp(word, &JOURNAL_DRY_RUN[1]) == 0)
			continue;
		if (!value)
			return settings_refuse(where, word, "KEY=VALUE", err);
		*value++ = '\0';
		rc = settings_read_one(settings, where, word, value, err);
	}
	return rc ? rc :
		    torus_options_check(&settings->options,
					settings->discipline->options, where,
					err);
}

bool journal_settings_complete(const char *line,
			       struct torus_scheduler_settings *settings)
{
	struct torus_scheduler_settings journal = *settings;
	struct torus_error err = { 0 };

	if (strncmp(line, "scheduler ", 10) != 0 ||
	    journal_settings_read(line, "journal", &journal, &err))
		return false;
	/* another discipline, which sorts the queue, has its own default */
	if (settings->order_open)
		settings->order_by_priority = journal.order_by_priority &&
					      (settings->discipline ==
						       journal.discipline ||
					       !settings->discipline->rank);
	if (settings->reservations_open &&
	    settings->discipline == journal.discipline)
		settings->reservations = journal.reservations;
	settings->order_open = settings->reservations_open = false;
	return true;
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

void journal_weights(struct journal *j, int64_t at_us,
		     const struct torus_weights *weights, bool asleep_only)
{
	struct torus_text text = { 0 };
	int rc = torus_weights_format(j->m, weights, asleep_only, &text);

	put_made_text(j, at_us, "weights", &text, rc);
}

int journal_write(struct journal *j, struct torus_error *err)
{
	char lost[128] = "";
	int rc = -1;

	if (j->lost) /* counted in the file */
		snprintf(lost, sizeof(lost), ",,,%llu" NO_JOB_COUNTED ",lost,\n",
			 (unsigned long long)j->lost);
	errno = ENOMEM;
	if (j->f && (fflush(j->f) || ferror(j->f)))
		torus_error_add(err, "journal: %s: out of memory", j->path);
	else
		rc = journal_append(&j->file, j->path, j->is_private,
				    (const char *[]){ HEADER, lost,
						      j->text ? j->text : "" },
				    err);
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
