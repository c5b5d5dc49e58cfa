/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The writer of a plan file (plan_file.h); plan_file_read.c reads it. */
#include "format/plan_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/stream.h"

int64_t plan_file_seconds(int64_t us)
{
	return us / 1000000 + (us % 1000000 > 0);
}

/* Write untrusted text on one line: control characters become blanks. */
static void plan_file_put(FILE *f, const char *text, size_t length)
{
	for (; length > 0; text++, length--)
		fputc(iscntrl((unsigned char)*text) ? ' ' : *text, f);
}

/* Write a line, unless its text is NULL. */
static void plan_file_write_words(FILE *f, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(f, "%s ", name);
	plan_file_put(f, text, strlen(text));
	fputc('\n', f);
}

/* Write "123 ", or "- ". */
static void plan_file_write_time(FILE *f, int64_t seconds)
{
	if (seconds == PLAN_FILE_NO_TIME)
		fputs("- ", f);
	else
		fprintf(f, "%lld ", (long long)seconds);
}

static void plan_file_write_counts(const struct plan_file *plan, FILE *f)
{
	for (uint32_t i = 0; i < plan->counts; i++) {
		const struct plan_file_count *c = &plan->count[i];

		if (c->text)
			plan_file_write_words(f, c->name, c->text);
		else
			fprintf(f, "%s %lld\n", c->name, (long long)c->value);
	}
}

/* Write the details of the job above, for queries about a single job. */
static void plan_file_write_details(const struct plan_file_job *job, FILE *f)
{
	plan_file_write_words(f, "ask", job->ask);
	if (job->holders)
		fprintf(f, "holders %u", job->holders);
	for (uint32_t i = 0; i < job->named; i++) {
		const struct plan_file_holder *h = &job->holder[i];

		fprintf(f, " %u ", h->job);
		if (h->end_s == PLAN_FILE_NO_TIME) /* unlimited */
			fputc('-', f);
		else
			fprintf(f, "%lld", (long long)h->end_s);
	}
	if (job->holders)
		fputc('\n', f);
	if (!job->out)
		return;
	fprintf(f, "out %u ", job->outs);
	plan_file_put(f, job->out, strlen(job->out));
	fputc('\n', f);
}

static void plan_file_write_job(const struct plan_file_job *job, FILE *f)
{
	fprintf(f, "job %u ", job->job);
	plan_file_write_time(f, job->start_s);
	plan_file_write_time(f, job->end_s);
	fprintf(f, "%s %u ", job->region ? job->region : "-", job->alternative);
	if (job->reason)
		plan_file_put(f, job->reason, strlen(job->reason));
	fputc('\n', f);
	plan_file_write_details(job, f);
}

static void plan_file_write_config(const struct plan_file *plan, FILE *f)
{
	const char *line = plan->config_errors;

	if (!plan->config)
		return;
	plan_file_write_words(f, "config", plan->config);
	fprintf(f, "config_since %lld\n", (long long)plan->config_s);
	if (!line)
		return;
	fprintf(f, "config_refused %lld\n", (long long)plan->refused_s);
	while (*line) {
		size_t length = strcspn(line, "\n");

		fputs("config_error ", f);
		plan_file_put(f, line, length);
		fputc('\n', f);
		line += length + (line[length] == '\n');
	}
}

static void plan_file_write_all(const struct plan_file *plan,
				const struct plan_file_source *jobs, FILE *f)
{
	fprintf(f,
		PLAN_FILE_FIRST_LINE "\ntime %lld\ndiscipline %s\nqueued %u\n",
		(long long)plan->time_s, plan->discipline, plan->queued);
	plan_file_write_counts(plan, f);
	plan_file_write_words(f, "journal_error", plan->journal_error);
	plan_file_write_config(plan, f);
	plan_file_write_words(f, "ignored", plan->ignored);
	for (uint32_t i = 0; i < plan->jobs; i++) {
		struct plan_file_job job = { 0 };

		jobs->job(jobs->arg, i, &job);
		plan_file_write_job(&job, f);
	}
}

int plan_file_write(const struct plan_file *plan,
		    const struct plan_file_source *jobs, const char *path,
		    bool is_private)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	int rc = -1, saved;

	if (!f)
		return -1;
	plan_file_write_all(plan, jobs, f);
	if (stream_close(f) == 0)
		rc = stream_replace(path, (const char *const[]){ text, NULL },
				    is_private ? 0600 : 0644, false);
	saved = errno;
	free(text);
	errno = saved;
	return rc;
}
