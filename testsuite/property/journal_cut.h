/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal that ends at some line: what it knows of is replayed, and every job
 * goes as it went, those that waited or ran at that time as well.
 */
#ifndef TESTSUITE_JOURNAL_CUT_H
#define TESTSUITE_JOURNAL_CUT_H

#include "torus/placement.h"
#include "random.h"

#include <unistd.h>

#include "replay/replay.h"
#include "torus/alloc.h"
#include "trace/joined.h"

#define CUT_RECORDS 8000

struct cut {
	const struct torus_machine *m;
	const struct torus_scheduler_settings *settings;
	struct torus_trace_record record[CUT_RECORDS];
	size_t records;
	struct torus_trace_parts parts;
	uint64_t open, same; /* of the jobs */
	char path[128];
};

/* The first lines of the journal, at least those before the first record. */
static void cut_write(const char *journal, const char *path, uint32_t percent)
{
	char *line = NULL;
	size_t room = 0, lines = 0, n;
	FILE *from = fopen(journal, "r"), *to = fopen(path, "w");

	assert_true(from && to);
	while (getline(&line, &room, from) > 0)
		lines++;
	n = 2 + lines * percent / 100;
	rewind(from);
	while (n-- > 0 && getline(&line, &room, from) > 0)
		fputs(line, to);
	free(line);
	fclose(from);
	assert_int_equal(fclose(to), 0);
}

static void cut_add(struct cut *c, const struct torus_trace_record *r)
{
	struct torus_trace_record *to = &c->record[c->records++];

	assert_true(c->records < CUT_RECORDS);
	assert_int_equal(torus_trace_record_copy(to, r), 0);
}

static void cut_read(struct cut *c)
{
	const struct torus_trace_options how = { .strict = true,
						 .unsorted = true,
						 .open = true };
	const struct torus_trace_record *record;
	enum torus_trace_answer answer;
	struct torus_error err = { 0 };
	struct torus_trace *trace = torus_trace_open(c->path, &how, &err);

	assert_non_null(trace);
	while ((answer = torus_trace_next(trace, &record, &err)) ==
	       TORUS_TRACE_JOB)
		cut_add(c, record);
	if (answer != TORUS_TRACE_END)
		fail_msg("%s%s", err.text, torus_trace_bad(trace)->text);
	torus_trace_close(trace);
	assert_int_equal(torus_trace_cut(c->record, c->records, &c->parts), 0);
	for (size_t i = 0; i < c->records; i++)
		snprintf(c->record[i].id, sizeof(c->record[i].id), "%zu", i);
}

static int cut_row(void *arg, const struct torus_machine *m,
		   const struct torus_replay_row *r)
{
	struct cut *c = arg;
	const struct torus_trace_record *live =
		&c->record[strtoul(r->id, NULL, 10)];
	int64_t start_us = r->place ? r->account.start_us : TORUS_NO_TIME;
	struct torus_text text = { 0 };

	if (live->start_us != start_us)
		fail_msg("%s, line %llu: started at %lld, replayed at %lld",
			 c->settings->discipline->name,
			 (unsigned long long)live->line,
			 (long long)live->start_us, (long long)start_us);
	c->open += live->open;
	c->same++;
	if (!r->place)
		return 0;
	assert_int_equal(torus_placement_format(m, r->place, &text), 0);
	if (text.length < sizeof(live->place))
		assert_string_equal(live->place, text.data);
	torus_text_free(&text);
	return 0;
}

/* The number of its jobs. */
static uint64_t cut_replay(struct cut *c, const struct torus_trace_part *part)
{
	const struct torus_replay_hooks hooks = { .arg = c, .row = cut_row };
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_scheduler_settings settings = *c->settings;
	struct torus_replay_options how;
	struct torus_error err = { 0 };
	struct torus_trace *trace = torus_trace_open_list(c->record + part->from,
							  part->to - part->from);
	uint64_t jobs = 0;

	assert_true(metrics && trace);
	torus_replay_options_init(&how);
	how.overrun = TORUS_OVERRUN_EXTEND;
	how.until_us = part->until_us;
	how.check = true;
	settings.as_live = true;
	if (torus_replay_run(trace, c->m, &settings, &how, &hooks, metrics,
			     &err) != TORUS_REPLAY_DONE)
		fail_msg("%s", err.text);
	torus_metrics_destroy(metrics);
	torus_trace_close(trace);
	for (size_t i = part->from; i < part->to; i++)
		jobs += c->record[i].kind == TORUS_TRACE_KIND_JOB &&
			!c->record[i].begun;
	return jobs;
}

/* Cut it there: the jobs that it has, and those of them that were open. */
static uint64_t cut_check_jobs(const char *journal,
			       const struct torus_machine *m,
			       const struct torus_scheduler_settings *settings,
			       uint32_t percent, uint64_t *open)
{
	struct cut *c = calloc(1, sizeof(*c));
	uint64_t jobs = 0;

	assert_non_null(c);
	c->m = m;
	c->settings = settings;
	snprintf(c->path, sizeof(c->path), "%.100s.cut", journal);
	cut_write(journal, c->path, percent);
	cut_read(c);
	for (uint32_t k = 0; k < c->parts.count; k++)
		jobs += cut_replay(c, &c->parts.part[k]);
	assert_int_equal(c->same, jobs);
	*open = c->open;
	for (size_t i = 0; i < c->records; i++)
		torus_trace_record_free(&c->record[i]);
	torus_free(c->parts.part);
	unlink(c->path);
	free(c);
	return jobs;
}

/* The number of jobs that were open. */
RANDOM_HELPER uint64_t cut_check(const char *journal,
				 const struct torus_machine *m,
				 const struct torus_scheduler_settings *settings,
				 uint32_t percent)
{
	uint64_t open;

	cut_check_jobs(journal, m, settings, percent, &open);
	return open;
}

/* The number of jobs of all of it. */
RANDOM_HELPER uint64_t cut_jobs(const char *journal,
				const struct torus_machine *m,
				const struct torus_scheduler_settings *settings)
{
	uint64_t open;

	return cut_check_jobs(journal, m, settings, 100, &open);
}

#endif
