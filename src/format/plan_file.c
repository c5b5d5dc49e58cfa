/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer and the reader of a plan file (plan_file.h). The reader reads the whole
 * file and splits it into lines and words in place. O(length).
 */
#include "format/plan_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/stream.h"
#include "torus/alloc.h"
#include "torus/text.h"
#include "torus/number.h"

#define PLAN_FILE_LENGTH (64u << 20) /* longer files are refused */

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

void plan_file_id_format(const struct plan_file_id *id,
			 char text[PLAN_FILE_ID_SIZE])
{
	if (id->array)
		snprintf(text, PLAN_FILE_ID_SIZE, "%u_%u", id->array, id->task);
	else
		snprintf(text, PLAN_FILE_ID_SIZE, "%u", id->job);
}

static void plan_file_write_id(const struct plan_file_id *id, FILE *f)
{
	fprintf(f, "%u", id->job);
	if (id->array)
		fprintf(f, "=%u_%u", id->array, id->task);
}

/* Write the details of the job above, for queries about a single job. */
static void plan_file_write_details(const struct plan_file_job *job, FILE *f)
{
	plan_file_write_words(f, "ask", job->ask);
	if (job->holders)
		fprintf(f, "holders %u", job->holders);
	for (uint32_t i = 0; i < job->named; i++) {
		const struct plan_file_holder *h = &job->holder[i];

		fputc(' ', f);
		plan_file_write_id(&h->id, f);
		fputc(' ', f);
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
	fputs("job ", f);
	plan_file_write_id(&job->id, f);
	fputc(' ', f);
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

/* The reader */

static int plan_file_bad(void)
{
	errno = EINVAL;
	return -1;
}

/* Return true if the whole word is a number. */
static bool plan_file_number(const char *word, int64_t *value)
{
	return word && torus_number_signed(word, INT64_MIN, INT64_MAX, value);
}

/* Read "123", or "-" for none. */
static bool plan_file_time(const char *word, int64_t *seconds)
{
	*seconds = PLAN_FILE_NO_TIME;
	return word &&
	       (strcmp(word, "-") == 0 || plan_file_number(word, seconds));
}

static bool plan_file_natural(const char *word, uint32_t *value)
{
	int64_t n;

	if (!plan_file_number(word, &n) || n < 0 || n > UINT32_MAX)
		return false;
	*value = (uint32_t)n;
	return true;
}

/* Read "12" or "12=5_0". */
static bool plan_file_read_id(char *word, struct plan_file_id *id)
{
	char *name = word, *array;

	*id = (struct plan_file_id){ 0 };
	if (!plan_file_natural(strsep(&name, "="), &id->job))
		return false;
	array = strsep(&name, "_");
	return !array || (plan_file_natural(array, &id->array) && id->array &&
			  plan_file_natural(name, &id->task));
}

/* ID START END REGION ALTERNATIVE REASON... */
static int plan_file_read_job(struct plan_file_read *read, char *line)
{
	struct plan_file_job job = { 0 };
	char *word[5];

	for (int i = 0; i < 5; i++) {
		word[i] = strsep(&line, " ");
		if (!word[i])
			return plan_file_bad();
	}
	if (!plan_file_read_id(word[0], &job.id) ||
	    !plan_file_time(word[1], &job.start_s) ||
	    !plan_file_time(word[2], &job.end_s) ||
	    !plan_file_natural(word[4], &job.alternative))
		return plan_file_bad();
	job.region = strcmp(word[3], "-") ? word[3] : NULL;
	job.reason = line && *line ? line : NULL;
	if (TORUS_GROW(read->job, read->job_room, read->plan.jobs + 1))
		return -1;
	read->job[read->plan.jobs++] = job;
	return 0;
}

/* NUMBER JOB END JOB END... */
static int plan_file_read_holders(struct plan_file_job *job, char *value)
{
	if (!plan_file_natural(strsep(&value, " "), &job->holders))
		return plan_file_bad();
	for (job->named = 0; value; job->named++) {
		struct plan_file_holder h;

		if (job->named == PLAN_FILE_HOLDERS ||
		    !plan_file_read_id(strsep(&value, " "), &h.id) ||
		    !plan_file_time(strsep(&value, " "), &h.end_s))
			return plan_file_bad();
		job->holder[job->named] = h;
	}
	return 0;
}

/* Read a line about the job before it. Return 1 if it is no such line. */
static int plan_file_read_detail(struct plan_file_job *job, const char *name,
				 char *value)
{
	if (strcmp(name, "ask") == 0) {
		job->ask = value;
		return 0;
	}
	if (strcmp(name, "holders") == 0)
		return plan_file_read_holders(job, value);
	if (strcmp(name, "out"))
		return 1;
	if (!plan_file_natural(strsep(&value, " "), &job->outs) || !value)
		return plan_file_bad();
	job->out = value;
	return 0;
}

/* Append a line with a mistake of torus.yaml. */
static int plan_add_error(struct plan_file_read *read, const char *line)
{
	size_t old = read->errors ? strlen(read->errors) : 0, n = strlen(line);

	if (TORUS_RESIZE(read->errors, old + n + 2))
		return -1;
	if (old)
		read->errors[old++] = '\n';
	memcpy(read->errors + old, line, n + 1);
	read->plan.config_errors = read->errors;
	return 0;
}

/* Return the present name of a count; files of older versions have other
 * names. */
static const char *count_name(const char *name)
{
	static const struct {
		const char *former, *name;
	} renamed[] = {
		{ "longest_look_us", "longest_snapshot_us" },
		{ "longest_tell_us", "longest_publish_us" },
		{ "stretches", "lock_holds" },
		{ "long_stretches", "long_lock_holds" },
		{ "stretch_max_us", "lock_hold_max_us" },
		{ "stretch_max_cpu_us", "lock_hold_max_cpu_us" },
		{ "stretch_max_core_us", "lock_hold_max_core_us" },
		{ "stretch_max_step_us", "lock_hold_max_step_us" },
		{ "stretch_max_step", "lock_hold_max_step" },
		{ "stretch_work_max_us", "lock_hold_work_max_us" },
		{ "stretch_work_max_step", "lock_hold_work_max_step" },
	};

	for (size_t i = 0; i < sizeof(renamed) / sizeof(*renamed); i++) {
		if (strcmp(name, renamed[i].former) == 0)
			return renamed[i].name;
	}
	return name;
}

static int plan_add_count(struct plan_file_read *read, const char *name,
			  const char *value)
{
	struct plan_file_count count = { .name = count_name(name) };

	if (!plan_file_number(value, &count.value))
		count.text = value;
	if (TORUS_GROW(read->count, read->count_room, read->plan.counts + 1))
		return -1;
	read->plan.count = read->count;
	read->count[read->plan.counts++] = count;
	return 0;
}

/* Return the member for a line of words; NULL if `name` is none. */
static const char **word_line(struct plan_file *plan, const char *name)
{
	return strcmp(name, "discipline") == 0    ? &plan->discipline :
	       strcmp(name, "journal_error") == 0 ? &plan->journal_error :
	       strcmp(name, "config") == 0        ? &plan->config :
	       strcmp(name, "ignored") == 0       ? &plan->ignored :
						    NULL;
}

/* Return the member for a line with a time; NULL if `name` is none. */
static int64_t *time_line(struct plan_file *plan, const char *name)
{
	return strcmp(name, "time") == 0           ? &plan->time_s :
	       strcmp(name, "config_since") == 0   ? &plan->config_s :
	       strcmp(name, "config_refused") == 0 ? &plan->refused_s :
						     NULL;
}

static int plan_file_read_line(struct plan_file_read *read, char *line)
{
	struct plan_file *plan = &read->plan;
	char *value = line, *name = strsep(&value, " ");
	int64_t *seconds = time_line(plan, name);
	const char **words = word_line(plan, name);
	int rc;

	if (!value)
		return plan_file_bad();
	torus_error_plain(value);
	if (strcmp(name, "job") == 0)
		return plan_file_read_job(read, value);
	if (plan->jobs) {
		rc = plan_file_read_detail(&read->job[plan->jobs - 1], name,
					   value);
		return rc < 0 ? -1 : 0; /* (unknown details are ignored) */
	}
	if (words) {
		*words = value;
		return 0;
	}
	if (seconds)
		return plan_file_time(value, seconds) ? 0 : plan_file_bad();
	if (strcmp(name, "queued") == 0)
		return plan_file_natural(value, &plan->queued) ?
			       0 :
			       plan_file_bad();
	if (strcmp(name, "config_error") == 0)
		return plan_add_error(read, value);
	return plan_add_count(read, name, value);
}

static int plan_file_read_lines(struct plan_file_read *read, size_t length)
{
	const char *end = read->text + length;
	char *rest = read->text, *line = strsep(&rest, "\n");

	read->line = 1;
	if (strcmp(line, PLAN_FILE_FIRST_LINE) || !rest)
		return plan_file_bad();
	while ((line = strsep(&rest, "\n"))) {
		read->line++;
		if (!rest && line + strlen(line) < end) /* a NUL byte */
			return plan_file_bad();
		if (!rest && !*line)
			break;
		if (plan_file_read_line(read, line))
			return -1;
	}
	return 0;
}

/* Read the whole file, of that many bytes, and add a NUL. */
static char *plan_file_read_text(FILE *f, size_t *read)
{
	size_t room = 65536, length = 0, n;
	char *text = torus_alloc(room, 1), *grown;

	while (text && (n = fread(text + length, 1, room - length - 1, f)) > 0) {
		length += n;
		if (length + 1 < room)
			continue;
		errno = EFBIG;
		grown = room < PLAN_FILE_LENGTH ?
				torus_realloc(text, room *= 2, 1) :
				NULL;
		if (!grown)
			torus_free(text);
		text = grown;
	}
	if (!text)
		return NULL;
	text[length] = '\0';
	if (!ferror(f)) {
		*read = length;
		return text;
	}
	torus_free(text);
	return NULL;
}

int plan_file_read(struct plan_file_read *read, FILE *f)
{
	size_t length;

	*read = (struct plan_file_read){
		.plan = { .time_s = PLAN_FILE_NO_TIME,
			  .config_s = PLAN_FILE_NO_TIME,
			  .refused_s = PLAN_FILE_NO_TIME },
	};
	read->text = plan_file_read_text(f, &length);
	return read->text ? plan_file_read_lines(read, length) : -1;
}

void plan_file_free(struct plan_file_read *read)
{
	torus_free(read->count);
	torus_free(read->job);
	torus_free(read->text);
	torus_free(read->errors);
	*read = (struct plan_file_read){ 0 };
}

const struct plan_file_count *plan_file_count(const struct plan_file *plan,
					      const char *name)
{
	for (uint32_t i = 0; i < plan->counts; i++) {
		if (strcmp(plan->count[i].name, name) == 0)
			return &plan->count[i];
	}
	return NULL;
}
