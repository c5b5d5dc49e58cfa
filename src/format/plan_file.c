/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer and the reader of a plan file (plan_file.h). The reader reads the whole
 * file, whose texts stay in place. Files of earlier versions have the same facts in
 * lines of words, begun by "torus-plan 1"; they are still read. O(length).
 */
#include "format/plan_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/json.h"
#include "format/stream.h"
#include "torus/alloc.h"
#include "torus/text.h"
#include "torus/number.h"

#define FORMAT "torus-plan"
#define SCHEMA 2
#define FIRST_LINE "torus-plan 1"    /* of the older form */
#define PLAN_FILE_LENGTH (64u << 20) /* longer files are refused */

/* The names of the members, for the writer and the reader. */
enum plan_member {
	PLAN_TIME,
	PLAN_DISCIPLINE,
	PLAN_QUEUED,
	PLAN_COUNTS,
	PLAN_JOURNAL_ERROR,
	PLAN_POLICY_ERROR,
	PLAN_CONFIG,
	PLAN_SINCE,
	PLAN_REFUSED,
	PLAN_ERRORS,
	PLAN_IGNORED,
	PLAN_USAGE,
	PLAN_JOBS,
	PLAN_MEMBERS
};

static const char *const plan_keys[] = { "time",           "discipline",
					 "queued",         "counts",
					 "journal_error",  "policy_error",
					 "config",         "config_since",
					 "config_refused", "config_errors",
					 "ignored",        "usage",
					 "jobs",           NULL };

enum job_member {
	JOB_ID,
	JOB_ARRAY,
	JOB_TASK,
	JOB_START,
	JOB_END,
	JOB_REGION,
	JOB_ALTERNATIVE,
	JOB_REASON,
	JOB_ASK,
	JOB_HOLDERS,
	JOB_HOLDER,
	JOB_OUTS,
	JOB_OUT,
	JOB_MEMBERS
};

static const char *const job_keys[] = { "job",         "array",   "task",
					"start",       "end",     "region",
					"alternative", "reason",  "ask",
					"holders",     "held_by", "out",
					"out_nodes",   NULL };

int64_t plan_file_seconds(int64_t us)
{
	return us / 1000000 + (us % 1000000 > 0);
}

void plan_file_id_format(const struct plan_file_id *id,
			 char text[PLAN_FILE_ID_SIZE])
{
	if (id->array)
		snprintf(text, PLAN_FILE_ID_SIZE, "%u_%u", id->array, id->task);
	else
		snprintf(text, PLAN_FILE_ID_SIZE, "%u", id->job);
}

/* The writer: what is unknown is left out. */

static void plan_put_text(struct json_writer *w, const char *key,
			  const char *text)
{
	if (text)
		json_put_string(w, key, text);
}

static void plan_put_time(struct json_writer *w, const char *key,
			  int64_t seconds)
{
	if (seconds != PLAN_FILE_NO_TIME)
		json_put(w, key, "%lld", (long long)seconds);
}

static void plan_put_id(struct json_writer *w, const struct plan_file_id *id)
{
	json_put(w, job_keys[JOB_ID], "%u", id->job);
	if (!id->array)
		return;
	json_put(w, job_keys[JOB_ARRAY], "%u", id->array);
	json_put(w, job_keys[JOB_TASK], "%u", id->task);
}

static void plan_put_job(struct json_writer *w, const struct plan_file_job *job)
{
	json_begin(w, NULL, '{');
	plan_put_id(w, &job->id);
	plan_put_time(w, job_keys[JOB_START], job->start_s);
	plan_put_time(w, job_keys[JOB_END], job->end_s);
	plan_put_text(w, job_keys[JOB_REGION], job->region);
	json_put(w, job_keys[JOB_ALTERNATIVE], "%u", job->alternative);
	plan_put_text(w, job_keys[JOB_REASON], job->reason);
	plan_put_text(w, job_keys[JOB_ASK], job->ask);
	if (job->holders) {
		json_put(w, job_keys[JOB_HOLDERS], "%u", job->holders);
		json_begin(w, job_keys[JOB_HOLDER], '[');
		for (uint32_t i = 0; i < job->named; i++) {
			json_begin(w, NULL, '{');
			plan_put_id(w, &job->holder[i].id);
			plan_put_time(w, job_keys[JOB_END],
				      job->holder[i].end_s);
			json_end(w, '}');
		}
		json_end(w, ']');
	}
	if (job->out) {
		json_put(w, job_keys[JOB_OUTS], "%u", job->outs);
		json_put_string(w, job_keys[JOB_OUT], job->out);
	}
	json_end(w, '}');
}

static void plan_put_config(struct json_writer *w, const struct plan_file *plan)
{
	const char *line = plan->config_errors;
	char text[1024];

	if (!plan->config)
		return;
	json_put_string(w, plan_keys[PLAN_CONFIG], plan->config);
	plan_put_time(w, plan_keys[PLAN_SINCE], plan->config_s);
	if (!line)
		return;
	plan_put_time(w, plan_keys[PLAN_REFUSED], plan->refused_s);
	json_begin(w, plan_keys[PLAN_ERRORS], '[');
	while (*line) {
		size_t length = strcspn(line, "\n");

		snprintf(text, sizeof(text), "%.*s", (int)length, line);
		json_put_string(w, NULL, text);
		line += length + (line[length] == '\n');
	}
	json_end(w, ']');
}

void plan_file_put_usage(struct json_writer *w, const struct torus_usage *usage,
			 uint32_t count)
{
	if (!count)
		return;
	json_begin(w, "usage", '[');
	for (uint32_t i = 0; i < count; i++) {
		json_begin(w, NULL, '{');
		json_put_string(w, "user", usage[i].user);
		json_put(w, "node_s", "%.17g", usage[i].used / 1e6);
		json_put(w, "since", "%.17g", (double)usage[i].at_us / 1e6);
		json_put(w, "nodes", "%llu", (unsigned long long)usage[i].nodes);
		json_end(w, '}');
	}
	json_end(w, ']');
}

static int plan_put(struct json_writer *w, const struct plan_file *plan,
		    const struct plan_file_source *jobs)
{
	json_begin(w, NULL, '{');
	json_put_string(w, "format", FORMAT);
	json_put(w, "schema", "%u", SCHEMA);
	plan_put_time(w, plan_keys[PLAN_TIME], plan->time_s);
	plan_put_text(w, plan_keys[PLAN_DISCIPLINE], plan->discipline);
	json_put(w, plan_keys[PLAN_QUEUED], "%u", plan->queued);
	json_begin(w, plan_keys[PLAN_COUNTS], '{');
	for (uint32_t i = 0; i < plan->counts; i++) {
		const struct plan_file_count *c = &plan->count[i];

		if (c->text)
			json_put_string(w, c->name, c->text);
		else
			json_put(w, c->name, "%lld", (long long)c->value);
	}
	json_end(w, '}');
	plan_put_text(w, plan_keys[PLAN_JOURNAL_ERROR], plan->journal_error);
	plan_put_text(w, plan_keys[PLAN_POLICY_ERROR], plan->policy_error);
	plan_put_config(w, plan);
	plan_put_text(w, plan_keys[PLAN_IGNORED], plan->ignored);
	plan_file_put_usage(w, plan->usage, plan->usages);
	json_begin(w, plan_keys[PLAN_JOBS], '[');
	for (uint32_t i = 0; i < plan->jobs; i++) {
		struct plan_file_job job = { 0 };

		jobs->job(jobs->arg, i, &job);
		plan_put_job(w, &job);
	}
	json_end(w, ']');
	json_end(w, '}');
	return json_finish(w);
}

int plan_file_write(const struct plan_file *plan,
		    const struct plan_file_source *jobs, const char *path,
		    bool is_private)
{
	struct torus_text text = { 0 };
	struct json_writer w = { .text = &text };
	int rc = plan_put(&w, plan, jobs), saved;

	if (rc == 0)
		rc = stream_replace(path,
				    (const char *const[]){ text.data, NULL },
				    is_private ? 0600 : 0644, false);
	saved = errno;
	torus_text_free(&text);
	errno = saved;
	return rc;
}

/* The older form, a line per fact */

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

/* The reader */

static int plan_take_whole(struct json *json, const struct json_value *value,
			   uint32_t *number)
{
	if (!value || (value->type == JSON_NUMBER &&
		       plan_file_natural(value->text, number)))
		return 0;
	return json_refuse(json, value, "a whole number from 0 on");
}

static int plan_take_time(struct json *json, const struct json_value *value,
			  int64_t *seconds)
{
	*seconds = PLAN_FILE_NO_TIME;
	if (!value || (value->type == JSON_NUMBER &&
		       plan_file_number(value->text, seconds)))
		return 0;
	return json_refuse(json, value, "whole seconds since 1970");
}

/* A text of strangers: its control characters become '?'. */
static int plan_take_text(struct json *json, const struct json_value *value,
			  const char **text)
{
	if (json_check(json, value, JSON_STRING))
		return -1;
	if (value)
		torus_error_plain(value->text);
	*text = value ? value->text : NULL;
	return 0;
}

static int plan_take_id(struct json *json, const struct json_value *const *v,
			struct plan_file_id *id)
{
	return plan_take_whole(json, v[JOB_ID], &id->job) ||
	       plan_take_whole(json, v[JOB_ARRAY], &id->array) ||
	       plan_take_whole(json, v[JOB_TASK], &id->task);
}

static int plan_take_holders(struct json *json, const struct json_value *list,
			     struct plan_file_job *job)
{
	const struct json_value *v[JOB_MEMBERS], *element;
	struct plan_file_holder *h;

	if (json_check(json, list, JSON_ARRAY))
		return -1;
	for (element = json_first(json, list); element;
	     element = json_next(json, list, element)) {
		if (job->named == PLAN_FILE_HOLDERS)
			return json_refuse(json, list, "at most 16 jobs");
		h = &job->holder[job->named++];
		if (json_members(json, element, job_keys, false, v) ||
		    plan_take_id(json, v, &h->id) ||
		    plan_take_time(json, v[JOB_END], &h->end_s))
			return -1;
	}
	return 0;
}

static int plan_take_job(struct json *json, const struct json_value *object,
			 struct plan_file_job *job)
{
	const struct json_value *v[JOB_MEMBERS];

	*job = (struct plan_file_job){ 0 };
	if (json_members(json, object, job_keys, false, v))
		return -1;
	if (!v[JOB_ID])
		return json_refuse(json, object, "a member \"job\"");
	return plan_take_id(json, v, &job->id) ||
			       plan_take_time(json, v[JOB_START],
					      &job->start_s) ||
			       plan_take_time(json, v[JOB_END], &job->end_s) ||
			       plan_take_text(json, v[JOB_REGION],
					      &job->region) ||
			       plan_take_whole(json, v[JOB_ALTERNATIVE],
					       &job->alternative) ||
			       plan_take_text(json, v[JOB_REASON],
					      &job->reason) ||
			       plan_take_text(json, v[JOB_ASK], &job->ask) ||
			       plan_take_whole(json, v[JOB_HOLDERS],
					       &job->holders) ||
			       plan_take_holders(json, v[JOB_HOLDER], job) ||
			       plan_take_whole(json, v[JOB_OUTS], &job->outs) ||
			       plan_take_text(json, v[JOB_OUT], &job->out) ?
		       -1 :
		       0;
}

int plan_file_take_usage(struct json *json, const struct json_value *list,
			 struct torus_usage **usage, uint32_t *count)
{
	uint32_t room = 0;

	if (json_check(json, list, JSON_ARRAY))
		return -1;
	for (const struct json_value *each = json_first(json, list); each;
	     each = json_next(json, list, each)) {
		static const char *const keys[] = { "user", "node_s", "since",
						    "nodes", NULL };
		const struct json_value *v[4];
		double used = 0, since = 0;
		uint32_t nodes = 0;

		if (TORUS_GROW(*usage, room, *count + 1))
			return -1;
		if (json_members(json, each, keys, false, v) ||
		    plan_take_text(json, v[0], &(*usage)[*count].user) ||
		    plan_take_whole(json, v[3], &nodes))
			return -1;
		if (!(*usage)[*count].user)
			return json_refuse(json, each, "a member \"user\"");
		if (v[1] && (v[1]->type != JSON_NUMBER ||
			     !torus_number_decimal(v[1]->text, &used) ||
			     used < 0 || used > 1e15))
			return json_refuse(json, v[1], "node seconds from 0 on");
		if (v[2] && (v[2]->type != JSON_NUMBER ||
			     !torus_number_decimal(v[2]->text, &since) ||
			     since < -1e12 || since > 1e12))
			return json_refuse(json, v[2], "seconds");
		(*usage)[*count].used = used * 1e6;
		(*usage)[*count].at_us = (int64_t)(since * 1e6 +
						   (since < 0 ? -0.5 : 0.5));
		(*usage)[*count].nodes = nodes;
		++*count;
	}
	return 0;
}

/* The elements of the lists. */
static int plan_take_lists(struct json *json, const struct json_value *const *v,
			   struct plan_file_read *read)
{
	const struct json_value *each;
	const char *line = NULL;

	if (json_check(json, v[PLAN_COUNTS], JSON_OBJECT) ||
	    json_check(json, v[PLAN_ERRORS], JSON_ARRAY) ||
	    json_check(json, v[PLAN_JOBS], JSON_ARRAY))
		return -1;
	for (each = json_first(json, v[PLAN_COUNTS]); each;
	     each = json_next(json, v[PLAN_COUNTS], each)) {
		if (each->type != JSON_NUMBER && each->type != JSON_STRING)
			return json_refuse(json, each, "a number or a text");
		torus_error_plain(each->text);
		if (plan_add_count(read, each->key, each->text))
			return -1;
	}
	for (each = json_first(json, v[PLAN_ERRORS]); each;
	     each = json_next(json, v[PLAN_ERRORS], each)) {
		if (plan_take_text(json, each, &line) ||
		    plan_add_error(read, line))
			return -1;
	}
	for (each = json_first(json, v[PLAN_JOBS]); each;
	     each = json_next(json, v[PLAN_JOBS], each)) {
		if (TORUS_GROW(read->job, read->job_room, read->plan.jobs + 1) ||
		    plan_take_job(json, each, &read->job[read->plan.jobs]))
			return -1;
		read->plan.jobs++;
	}
	return 0;
}

static int plan_file_read_json(struct plan_file_read *read, size_t length,
			       const char *name, struct torus_error *err)
{
	struct json json = { .name = name, .err = err };
	struct plan_file *plan = &read->plan;
	const struct json_value *v[PLAN_MEMBERS];
	int rc = json_read(&json, read->text, length) ||
		 json_check_format(&json, json.value, FORMAT, SCHEMA) ||
		 json_members(&json, json.value, plan_keys, false, v) ||
		 plan_take_time(&json, v[PLAN_TIME], &plan->time_s) ||
		 plan_take_text(&json, v[PLAN_DISCIPLINE], &plan->discipline) ||
		 plan_take_whole(&json, v[PLAN_QUEUED], &plan->queued) ||
		 plan_take_text(&json, v[PLAN_JOURNAL_ERROR],
				&plan->journal_error) ||
		 plan_take_text(&json, v[PLAN_POLICY_ERROR],
				&plan->policy_error) ||
		 plan_take_text(&json, v[PLAN_CONFIG], &plan->config) ||
		 plan_take_time(&json, v[PLAN_SINCE], &plan->config_s) ||
		 plan_take_time(&json, v[PLAN_REFUSED], &plan->refused_s) ||
		 plan_take_text(&json, v[PLAN_IGNORED], &plan->ignored) ||
		 plan_file_take_usage(&json, v[PLAN_USAGE], &read->usage,
				      &plan->usages) ||
		 plan_take_lists(&json, v, read);

	plan->usage = read->usage;
	json_free(&json);
	return rc ? -1 : 0;
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

int plan_file_read(struct plan_file_read *read, FILE *f, const char *name,
		   struct torus_error *err)
{
	size_t length;
	const char *end;
	char *rest, *line;
	uint32_t number = 1;
	int rc;

	*read = (struct plan_file_read){
		.plan = { .time_s = PLAN_FILE_NO_TIME,
			  .config_s = PLAN_FILE_NO_TIME,
			  .refused_s = PLAN_FILE_NO_TIME },
	};
	read->text = plan_file_read_text(f, &length);
	if (!read->text)
		return -1;
	if (json_is(read->text, length))
		return plan_file_read_json(read, length, name, err);
	end = read->text + length;
	rest = read->text;
	line = strsep(&rest, "\n");
	rc = strcmp(line, FIRST_LINE) || !rest ? plan_file_bad() : 0;
	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		number++;
		if (!rest && line + strlen(line) < end) /* a NUL byte */
			rc = plan_file_bad();
		else if (!rest && !*line)
			break;
		else
			rc = plan_file_read_line(read, line);
	}
	if (rc && errno == EINVAL)
		torus_error_add(err,
				"%s:%u: not a plan file of sched/torus (expected JSON with \"format\": \"" FORMAT
				"\", or \"" FIRST_LINE "\")",
				name, number);
	return rc;
}

void plan_file_free(struct plan_file_read *read)
{
	torus_free(read->count);
	torus_free(read->job);
	torus_free(read->usage);
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
