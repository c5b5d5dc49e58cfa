/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A schedule in the format of the page's script: an array per column, times in
 * seconds, null for missing values.
 *
 * Cost: O(file) time; memory for the columns, about 100 bytes per job.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "torus/state_text.h"
#include "replay/metrics.h"
#include "report/layout.h"
#include "torus/number.h"
#include "report/page.h"
#include "report/summary.h"
#include "torus/regions.h"
#include "torus_build.h"

#define MACHINE_HEIGHT 640 /* approximate, for all toruses */
#define MOST_LABELS 4096   /* more labels would be illegible */

enum {
	ID,
	SUBMIT,
	START,
	END,
	STATE,
	REQUESTED,
	GRANTED,
	REGION,
	REASON,
	RING, /* where links may fail */
	USER,
	PARTITION,
	COLUMNS
};

static const char *const titles[COLUMNS] = {
	"id",      "submit", "start",  "end",  "state", "requested",
	"granted", "region", "reason", "ring", "user",  "partition",
};

struct page_columns {
	const struct torus_owners *owners; /* NULL: without USER, PARTITION */
	bool rings;                        /* a job has some */
	FILE *out[COLUMNS];
	char *text[COLUMNS];
	size_t length[COLUMNS];
	uint64_t rows;
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

/* Write the numbers of the names; null for a job that the trace does not
 * have. */
static void put_owner(struct page_columns *c, const char *id)
{
	const struct torus_owner *owner = torus_owners_find(c->owners, id);

	if (owner) {
		fprintf(c->out[USER], "%u", owner->user);
		fprintf(c->out[PARTITION], "%u", owner->partition);
	} else {
		fputs("null", c->out[USER]);
		fputs("null", c->out[PARTITION]);
	}
}

static void page_data_put_row(struct page_columns *c,
			      const struct torus_schedule_fields *r)
{
	for (int i = 0; c->rows && i < COLUMNS; i++)
		putc(',', c->out[i]);
	c->rows++;
	put_string(c->out[ID], r->field[TORUS_COLUMN_ID]);
	page_data_put_time(c->out[SUBMIT], r->submit_us);
	page_data_put_time(c->out[START], r->start_us);
	page_data_put_time(c->out[END], r->end_us);
	put_string(c->out[STATE], r->field[TORUS_COLUMN_STATE]);
	fprintf(c->out[REQUESTED], "%u", r->requested);
	fprintf(c->out[GRANTED], "%u", r->granted);
	put_string(c->out[REGION], r->field[TORUS_COLUMN_REGION]);
	put_string(c->out[REASON], r->field[TORUS_COLUMN_REASON]);
	put_string(c->out[RING], r->field[TORUS_COLUMN_RING]);
	c->rings |= *r->field[TORUS_COLUMN_RING] != '\0';
	if (c->owners)
		put_owner(c, r->field[TORUS_COLUMN_ID]);
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
		page_data_put_row(c, &row);
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

static void put_layouts(FILE *out, const struct torus *t, uint32_t pods)
{
	static const uint32_t widths[] = { 330, 680, 1160 };

	fputs(",\"layouts\":[", out);
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		if (i)
			putc(',', out);
		put_layout(out, t, widths[i], MACHINE_HEIGHT / pods);
	}
	putc(']', out);
}

static void put_pods(FILE *out, const struct torus_machine *m)
{
	uint32_t first = 0; /* the page's own numbers, consecutive */

	fputs("\"pods\":[", out);
	for (uint32_t p = 0; m && p < m->pods; p++) {
		const struct torus *t = &m->pod[p].torus;

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
		put_layouts(out, t, m->pods);
		putc('}', out);
	}
	fprintf(out, "],\"nodes\":%u,", m ? m->nodes : 0);
}

/* Write the summary computed from the rows. */
static int put_summary(FILE *out, const struct torus_metrics *metrics,
		       const struct torus_machine *m)
{
	const struct torus_summary summary = {
		.nodes = m ? m->nodes : 0,
		.metrics = metrics,
		.version = PACKAGE_VERSION,
	};

	fputs("\"derived\":true,\"summary\":", out);
	return torus_summary_json(&summary, out);
}

static int columns_open(struct page_columns *c)
{
	for (int i = 0; i < COLUMNS; i++) {
		c->out[i] = open_memstream(&c->text[i], &c->length[i]);
		if (!c->out[i])
			return -1;
	}
	return 0;
}

static bool columns_has(const struct page_columns *c, int i)
{
	return i == RING ? c->rings : i < USER || c->owners;
}

/* Write the columns (out NULL: only free them). */
static int columns_close(struct page_columns *c, FILE *out)
{
	int rc = 0;

	for (int i = 0; i < COLUMNS; i++) {
		if (c->out[i] && fclose(c->out[i]))
			rc = -1;
		if (out && !rc && columns_has(c, i)) {
			fprintf(out, "%s\"%s\":[", i ? "," : "\"jobs\":{",
				titles[i]);
			fwrite(c->text[i], 1, c->length[i], out);
			fputs("]", out);
		}
		free(c->text[i]);
	}
	if (out)
		fputs("},", out);
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

/* Write the object's fields before the columns. */
static void put_about(FILE *out, const struct torus_report_about *about)
{
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
	}
}

int torus_report_schedule(FILE *out, struct torus_schedule_file *file,
			  const struct torus_report_about *about,
			  struct torus_error *err)
{
	struct torus_metrics *metrics = torus_metrics_create();
	char digest[TORUS_TRACE_DIGEST_SIZE];
	struct page_columns c = { .owners = about->owners };
	int rc = -1, saved;

	if (!metrics || columns_open(&c))
		torus_error_add(err, "%s: out of memory", about->name);
	else
		rc = page_data_read_rows(&c, metrics, file, about->machine, err);
	saved = errno;
	put_about(out, about);
	if (!rc && !torus_schedule_digest(file, digest))
		fprintf(out, "\"sha256\":\"%s\",", digest);
	put_pods(out, about->machine);
	if (columns_close(&c, rc ? NULL : out))
		rc = -1;
	if (!rc && about->summary)
		fprintf(out, "\"summary\":%s", about->summary);
	else if (!rc)
		rc = put_summary(out, metrics, about->machine);
	putc('}', out);
	torus_metrics_destroy(metrics);
	errno = saved;
	return rc;
}
