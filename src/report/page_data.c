/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A schedule in the format of the page's script: an array per column, times in
 * seconds, null for missing values.
 *
 * The jobs are in the order of submission, so that the schedules of one trace share the
 * columns that do not depend on the policy. Words that repeat (states, regions, reasons)
 * stand once, and are named by number.
 *
 * Cost: O(n log n) for n jobs; memory for the rows and columns, about 200 bytes per job.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/hostlist.h"
#include "config/tree.h"
#include "torus/alloc.h"
#include "torus/state_text.h"
#include "replay/metrics.h"
#include "report/layout.h"
#include "torus/number.h"
#include "report/page.h"
#include "report/summary.h"
#include "torus/regions.h"
#include "torus/text.h"
#include "torus_build.h"

#define MACHINE_HEIGHT 640 /* approximate, for all toruses */
#define MOST_LABELS 4096   /* more labels would be illegible */

enum {
	ID,
	GAP,  /* from the submission before; the first: its time */
	WAIT, /* from submit to start */
	RUN,  /* from start to end */
	STATE,
	REQUESTED,
	GRANTED,
	REGION,
	REASON,
	RING, /* where links may fail */
	USER,
	PARTITION,
	ACCOUNT,
	LIMIT,
	COLUMNS
};

static const char *const titles[COLUMNS] = {
	"id",     "gap",    "wait", "run",  "state",     "requested", "granted",
	"region", "reason", "ring", "user", "partition", "account",   "limit",
};

/* Words that repeat, by number. */
struct page_words {
	struct name_table table;
	struct torus_text list; /* as JSON */
};

struct page_row {
	int64_t submit_us, start_us, end_us;
	const char *id;
	uint32_t requested, granted;
	uint32_t word[RING - STATE + 1]; /* of STATE, REGION, REASON, RING */
};

struct torus_report_columns {
	char *text[COLUMNS];
	size_t length[COLUMNS];
};

struct page_columns {
	const struct torus_owners *owners; /* NULL: without USER to LIMIT */
	bool rings;                        /* a job has some */
	struct arena arena;                /* ids and words */
	struct page_words words[RING - STATE + 1];
	struct page_row *row;
	uint32_t rows, room;
};

/* Write a JSON string; invalid UTF-8 becomes '?'. */
static void put_string(FILE *out, const char *s)
{
	putc('"', out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			putc(c < 0x80 ? c : '?', out);
	}
	putc('"', out);
}

static void page_data_put_time(FILE *out, int64_t us)
{
	char buffer[TORUS_SECONDS_SIZE];

	if (us == TORUS_NO_TIME) {
		fputs("null", out);
		return;
	}
	torus_seconds_format(us, buffer);
	fputs(buffer, out);
}

/* Return the number of a word, or UINT32_MAX without memory. */
static uint32_t page_word(struct page_columns *c, int column, const char *text)
{
	struct page_words *w = &c->words[column - STATE];
	struct name_entry *e = torus_names_find(&w->table, text);
	size_t length;
	char *json;
	FILE *out;

	if (e)
		return e->index;
	text = torus_arena_text(&c->arena, text, strlen(text));
	e = text ? torus_names_add(&w->table, text) : NULL;
	out = e ? open_memstream(&json, &length) : NULL;
	if (!out)
		return UINT32_MAX;
	e->index = w->table.used - 1;
	if (e->index)
		putc(',', out);
	put_string(out, text);
	if (fclose(out))
		return UINT32_MAX;
	length = (size_t)torus_text_add(&w->list, "%s", json);
	free(json);
	return length ? UINT32_MAX : e->index;
}

/* Keep a row. 0, or -1 without memory. */
static int page_row_keep(struct page_columns *c,
			 const struct torus_schedule_fields *f)
{
	static const int from[] = { TORUS_COLUMN_STATE,
				    -1,
				    -1,
				    TORUS_COLUMN_REGION,
				    TORUS_COLUMN_REASON,
				    TORUS_COLUMN_RING };
	const char *id = f->field[TORUS_COLUMN_ID];
	struct page_row *r;

	if (TORUS_GROW(c->row, c->room, c->rows + 1))
		return -1;
	r = &c->row[c->rows++];
	*r = (struct page_row){ .submit_us = f->submit_us,
				.start_us = f->start_us,
				.end_us = f->end_us,
				.id = torus_arena_text(&c->arena, id,
						       strlen(id)),
				.requested = f->requested,
				.granted = f->granted };
	for (int k = 0; k <= RING - STATE; k++) {
		if (from[k] < 0)
			continue;
		r->word[k] = page_word(c, STATE + k, f->field[from[k]]);
		if (r->word[k] == UINT32_MAX)
			return -1;
	}
	c->rings |= *f->field[TORUS_COLUMN_RING] != '\0';
	return r->id ? 0 : -1;
}

/* By submission, so that schedules of one trace have their jobs in one order. */
static int page_rows_compare(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;

	if (x->submit_us != y->submit_us)
		return x->submit_us < y->submit_us ? -1 : 1;
	if (strcmp(x->id, y->id) != 0)
		return strcmp(x->id, y->id);
	return x->start_us < y->start_us ? -1 : x->start_us > y->start_us;
}

static void page_put_cell(const struct page_columns *c, FILE *out, int column,
			  const struct page_row *r)
{
	const struct torus_owner *owner =
		column >= USER ? torus_owners_find(c->owners, r->id) : NULL;
	bool started = r->start_us != TORUS_NO_TIME;

	if (column == ID)
		put_string(out, r->id);
	else if (column == GAP)
		page_data_put_time(out,
				   r->submit_us -
					   (r == c->row ? 0 : r[-1].submit_us));
	else if (column == WAIT)
		page_data_put_time(out, started ? r->start_us - r->submit_us :
						  TORUS_NO_TIME);
	else if (column == RUN)
		page_data_put_time(out, started && r->end_us != TORUS_NO_TIME ?
						r->end_us - r->start_us :
						TORUS_NO_TIME);
	else if (column == REQUESTED || column == GRANTED)
		fprintf(out, "%u",
			column == REQUESTED ? r->requested : r->granted);
	else if (column < USER)
		fprintf(out, "%u", r->word[column - STATE]);
	else if (!owner || (column == LIMIT && owner->limit_us < 0))
		fputs("null", out);
	else if (column == LIMIT)
		page_data_put_time(out, owner->limit_us);
	else
		fprintf(out, "%u",
			column == USER      ? owner->user :
			column == PARTITION ? owner->partition :
					      owner->account);
}

/* Write a column as a list, of words by their numbers. 0, or -1 without memory. */
static int page_put_column(const struct page_columns *c, int column,
			   char **text, size_t *length)
{
	bool words = column == STATE || (column >= REGION && column <= RING);
	FILE *out = open_memstream(text, length);

	if (!out)
		return -1;
	if (words) {
		const char *list = c->words[column - STATE].list.data;

		fprintf(out, "{\"words\":[%s],\"at\":", list ? list : "");
	}
	putc('[', out);
	for (uint32_t i = 0; i < c->rows; i++) {
		if (i)
			putc(',', out);
		page_put_cell(c, out, column, &c->row[i]);
	}
	fputs(words ? "]}" : "]", out);
	return fclose(out) ? -1 : 0;
}

static int outcome_of(const struct torus_schedule_file *f, const char *state,
		      struct torus_error *err)
{
	for (int i = 0; i < TORUS_OUTCOMES; i++) {
		if (!strcmp(state, torus_outcome_names[i]))
			return i;
	}
	return torus_schedule_wrong(
		f, err,
		"state: expected completed, rejected, missed, failed or unfinished",
		state);
}

static int count_row(struct torus_metrics *m,
		     const struct torus_schedule_file *f,
		     const struct torus_schedule_fields *r,
		     struct torus_error *err)
{
	bool ran = r->granted > 0 && r->start_us != TORUS_NO_TIME &&
		   r->end_us != TORUS_NO_TIME;
	int outcome = outcome_of(f, r->field[TORUS_COLUMN_STATE], err);
	struct torus_account a = {
		.requested = r->requested,
		.granted = ran ? r->granted : 0,
		.submit_us = r->submit_us,
		.start_us = ran ? r->start_us : r->submit_us,
		.end_us = ran ? r->end_us : r->submit_us,
		.run_us = ran ? r->end_us - r->start_us : 0,
	};

	if (outcome < 0)
		return -1;
	if (r->submit_us == TORUS_NO_TIME)
		return torus_schedule_wrong(f, err, "submit: expected seconds",
					    "");
	a.outcome = (enum torus_outcome)outcome;
	torus_metrics_submit(m, a.submit_us);
	torus_metrics_add(m, &a);
	return 0;
}

/* Check that the region lies in the machine; the page only draws. */
static int page_data_check_region(const struct torus_schedule_file *f,
				  const struct torus_machine *m, uint64_t *nodes,
				  const char *region, struct torus_error *err)
{
	struct torus_error why = { 0 };
	struct torus_placement place;

	if (!m || !*region ||
	    torus_regions_place_parse(m, region, nodes, &place, &why) == 0)
		return 0;
	return torus_schedule_wrong(f, err,
				    "region: not one of the machine of --torus",
				    region);
}

static int page_data_read_rows(struct page_columns *c,
			       struct torus_metrics *metrics,
			       struct torus_schedule_file *f,
			       const struct torus_machine *m,
			       struct torus_error *err)
{
	uint64_t *nodes = m ? calloc(m->words, sizeof(*nodes)) : NULL;
	struct torus_schedule_fields row;
	int got;

	if (m && !nodes)
		return torus_error_add(err, "out of memory");
	while ((got = torus_schedule_next(f, &row, err)) > 0) {
		if (page_data_check_region(f, m, nodes,
					   row.field[TORUS_COLUMN_REGION], err) ||
		    count_row(metrics, f, &row, err)) {
			got = -1;
			break;
		}
		if (page_row_keep(c, &row)) {
			got = torus_error_add(err, "out of memory");
			break;
		}
	}
	free(nodes);
	metrics->beyond_us = NAN; /* needs rows in the order of time */
	return got;
}

static void put_numbers(FILE *out, const char *key, const uint32_t *value,
			uint32_t n)
{
	fprintf(out, ",\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++)
		fprintf(out, "%s%u", i ? "," : "", value[i]);
	putc(']', out);
}

/* Write the positions of the cells, for pages that offer this width. */
static void put_layout(FILE *out, const struct torus *t, uint32_t width,
		       uint32_t height)
{
	const struct report_canvas canvas = {
		.width = width,
		.height = height,
		/* rather too high than with cells too small to point at */
		.cell_least = t->nodes <= 4096 ? 8 : 2,
		.cell_most = 22,
		.gap_x = 10,
		.gap_y = 8,
		.letter = 7,
		.line = 16,
		.block = 1,
	};
	struct report_label label;
	struct report_layout l;
	uint32_t k = 0;

	report_layout_make(&l, t, &canvas);
	fprintf(out, "{\"cell\":%u,\"x\":%u,\"y\":%u,\"width\":%u,\"height\":%u",
		l.cell, l.x, l.y, l.width, l.height);
	put_numbers(out, "across", l.across, t->dims);
	put_numbers(out, "stepX", l.step_x, t->dims);
	put_numbers(out, "stepY", l.step_y, t->dims);
	fputs(",\"labels\":[", out);
	while (k < MOST_LABELS && report_layout_label(&l, t, &k, &label))
		fprintf(out, "%s[%u,%u,\"%s\"]", k > 1 ? "," : "", label.x,
			label.y, label.text);
	fputs("]}", out);
}

static void put_pods(FILE *out, const struct torus_machine *m)
{
	uint32_t first = 0; /* the page's own numbers, consecutive */

	fputs("\"pods\":[", out);
	for (uint32_t p = 0; m && p < m->pods; p++) {
		const struct torus *t = &m->pod[p].torus;
		static const uint32_t widths[] = { 330, 680, 1160 };

		fprintf(out, "%s{\"name\":", p ? "," : "");
		put_string(out, t->name);
		fprintf(out, ",\"flat\":%s,\"first\":%u",
			t->flat ? "true" : "false", first);
		first += t->nodes / t->per_vertex;
		put_numbers(out, "dims", t->size, t->dims);
		if (torus_node_vertices(t) > 1)
			put_numbers(out, "unit", t->unit, t->dims);
		if (t->per_vertex > 1)
			fprintf(out, ",\"perVertex\":%u", t->per_vertex);
		fputs(",\"layouts\":[", out);
		for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
			if (i)
				putc(',', out);
			put_layout(out, t, widths[i], MACHINE_HEIGHT / m->pods);
		}
		putc(']', out);
		putc('}', out);
	}
	fprintf(out, "],\"nodes\":%u,", m ? m->nodes : 0);
}

void torus_report_columns_free(struct torus_report_columns *c)
{
	for (int i = 0; c && i < COLUMNS; i++)
		free(c->text[i]);
	torus_free(c);
}

static bool columns_has(const struct page_columns *c, int i)
{
	const struct torus_owners *o = c->owners;

	return i == RING ? c->rings :
	       i < USER  ? true :
	       !o        ? false :
	       i == USER ? o->users.count > 1 || *o->users.name[0] :
	       i == PARTITION ?
			   o->partitions.count > 1 || *o->partitions.name[0] :
	       i == ACCOUNT ? o->accounts.count > 1 || *o->accounts.name[0] :
			      o->limits;
}

/* Write the columns; 0 for one that the first schedule has, too. */
static int columns_put(struct page_columns *c, FILE *out,
		       struct torus_report_columns **first)
{
	struct torus_report_columns *own = torus_alloc(1, sizeof(*own));
	int rc = own ? 0 : -1;

	if (c->rows)
		qsort(c->row, c->rows, sizeof(*c->row), page_rows_compare);
	for (int i = 0; !rc && i < COLUMNS; i++) {
		const struct torus_report_columns *f = *first;

		if (!columns_has(c, i))
			continue;
		rc = page_put_column(c, i, &own->text[i], &own->length[i]);
		if (rc)
			break;
		fprintf(out, "%s\"%s\":", i ? "," : "\"jobs\":{", titles[i]);
		if (f && f->text[i] && f->length[i] == own->length[i] &&
		    !memcmp(f->text[i], own->text[i], own->length[i]))
			putc('0', out);
		else
			fwrite(own->text[i], 1, own->length[i], out);
	}
	fputs("},", out);
	if (*first || rc)
		torus_report_columns_free(own);
	else
		*first = own;
	return rc;
}

static void put_names(FILE *out, const char *key,
		      const struct torus_owner_names *names)
{
	fprintf(out, "\"%s\":[", key);
	for (uint32_t i = 0; i < names->count; i++) {
		if (i)
			putc(',', out);
		put_string(out, names->name[i]);
	}
	fputs("],", out);
}

int torus_report_schedule(FILE *out, struct torus_schedule_file *file,
			  const struct torus_report_about *about,
			  struct torus_report_columns **first,
			  struct torus_error *err)
{
	struct torus_metrics *metrics = torus_metrics_create();
	char digest[TORUS_TRACE_DIGEST_SIZE];
	struct page_columns c = { .owners = about->owners };
	int rc = -1, saved;

	if (!metrics)
		torus_error_add(err, "%s: out of memory", about->name);
	else
		rc = page_data_read_rows(&c, metrics, file, about->machine, err);
	saved = errno;
	/* Write the object's fields before the columns. */
	fputs("{\"name\":", out);
	put_string(out, about->name);
	fputs(",\"epoch\":", out);
	if (about->unix_start < 0)
		fputs("null,", out);
	else
		fprintf(out, "%lld,", (long long)about->unix_start);
	if (about->owners) {
		put_names(out, "users", &about->owners->users);
		put_names(out, "partitions", &about->owners->partitions);
		put_names(out, "accounts", &about->owners->accounts);
	}
	if (!rc && !torus_schedule_digest(file, digest))
		fprintf(out, "\"sha256\":\"%s\",", digest);
	put_pods(out, about->machine);
	if (!rc && columns_put(&c, out, first))
		rc = torus_error_add(err, "%s: out of memory", about->name);
	for (int k = 0; k <= RING - STATE; k++) {
		torus_names_free(&c.words[k].table);
		torus_text_free(&c.words[k].list);
	}
	torus_arena_free(&c.arena);
	torus_free(c.row);
	if (!rc && about->summary)
		fprintf(out, "\"summary\":%s", about->summary);
	else if (!rc) {
		const struct torus_summary summary = {
			.nodes = about->machine ? about->machine->nodes : 0,
			.metrics = metrics,
			.version = PACKAGE_VERSION,
		};

		/* Write the summary computed from the rows. */
		fputs("\"derived\":true,\"summary\":", out);
		rc = torus_summary_json(&summary, out);
	}
	putc('}', out);
	torus_metrics_destroy(metrics);
	errno = saved;
	return rc;
}
