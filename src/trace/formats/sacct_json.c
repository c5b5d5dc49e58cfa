/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of `sacct --json` (Slurm's data_parser, every version): one document or several
 * behind each other, of which it fills in the columns of sacct.c. Memory: the file and its
 * documents.
 *
 *	{ "jobs": [ { "job_id": 12, "time": { "submission": 1709287200, ...
 *
 * Values that may be unset are numbers, or { "set", "infinite", "number" }; a
 * state is a word or a list of words.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "config/file.h"
#include "torus/alloc.h"
#include "trace/formats/sacct.h"

#define FIELD_SIZE 64

struct sacct_json {
	struct torus_sacct_record *records;
	struct torus_text text;
	json_t *jobs; /* of all documents */
	size_t next;
};

static void *json_create(struct torus_trace_header *header,
			 const struct torus_trace_choice *choice)
{
	struct sacct_json *j = torus_alloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->records = torus_sacct_record_create(choice);
	header->unix_start = 0;
	header->eligible = true;
	if (j->records)
		return j;
	torus_free(j);
	return NULL;
}

static void json_destroy(void *self)
{
	struct sacct_json *j = self;

	torus_sacct_record_destroy(j->records);
	torus_text_free(&j->text);
	json_decref(j->jobs);
	torus_free(j);
}

/* A record's texts. */
struct json_row {
	struct torus_sacct_row row;
	char text[SACCT_COLUMNS][FIELD_SIZE];
};

/* Return the member at a path such as "time/submission", or NULL. */
static const json_t *json_at(const json_t *job, const char *path)
{
	char key[FIELD_SIZE];

	while (job && *path) {
		size_t n = strcspn(path, "/");

		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		job = json_object_get(job, key);
		path += n + (path[n] == '/');
	}
	return job;
}

/* Read a number, or one that may be unset or infinite. Return false if it is. */
static bool json_number_at(const json_t *job, const char *path, int64_t *n)
{
	const json_t *v = json_at(job, path);

	if (json_is_object(v)) {
		if (!json_is_true(json_object_get(v, "set")) ||
		    json_is_true(json_object_get(v, "infinite")))
			return false;
		v = json_object_get(v, "number");
	}
	if (json_is_string(v)) /* of a converter */
		return torus_number_whole(json_string_value(v), 0, INT64_MAX,
					  (uint64_t *)n);
	*n = json_is_integer(v) ? json_integer_value(v) :
	     json_is_real(v) && json_real_value(v) >= 0 &&
			     json_real_value(v) < 1e18 ?
				  (int64_t)json_real_value(v) :
				  -1;
	return *n >= 0;
}

static void json_put_number(struct json_row *r, enum torus_sacct_column column,
			    const json_t *job, const char *path, bool zero)
{
	int64_t n;

	if (*r->row.field[column] || !json_number_at(job, path, &n) ||
	    (!n && !zero))
		return;
	snprintf(r->text[column], FIELD_SIZE, "%" PRId64, n);
	r->row.field[column] = r->text[column];
}

static void json_put_text(struct json_row *r, enum torus_sacct_column column,
			  const json_t *job, const char *path)
{
	const json_t *v = json_at(job, path);

	if (json_is_array(v))
		v = json_array_get(v, 0);
	if (json_is_string(v) && !*r->row.field[column])
		r->row.field[column] = json_string_value(v);
}

/* 12; 12_3 of an array; 12+1 of a het job */
static void json_put_id(struct json_row *r, const json_t *job)
{
	int64_t id = 0, part, array, het;
	char *text = r->text[SACCT_JOBID];

	json_number_at(job, "job_id", &id);
	if (json_number_at(job, "array/job_id", &array) && array > 0 &&
	    json_number_at(job, "array/task_id", &part))
		snprintf(text, FIELD_SIZE, "%" PRId64 "_%" PRId64, array, part);
	else if (json_number_at(job, "het/job_id", &het) && het > 0 &&
		 json_number_at(job, "het/job_offset", &part))
		snprintf(text, FIELD_SIZE, "%" PRId64 "+%" PRId64, het, part);
	else
		snprintf(text, FIELD_SIZE, "%" PRId64, id);
	if (json_at(job, "job_id"))
		r->row.field[SACCT_JOBID] = text;
}

/* Put the counts of a list of resources as cpu=64,node=2. */
static void json_put_tres(struct json_row *r, enum torus_sacct_column column,
			  const json_t *job, const char *path)
{
	const json_t *list = json_at(job, path), *one;
	size_t used = 0, i;
	int64_t n;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		const char *type = json_string_value(
			json_object_get(one, "type"));
		const char *name = json_string_value(
			json_object_get(one, "name"));
		bool gres = type && !strcmp(type, "gres");

		if (!type || !json_number_at(one, "count", &n) ||
		    (strcmp(type, "cpu") != 0 && strcmp(type, "node") != 0 &&
		     strcmp(type, "mem") != 0 &&
		     !(gres && name && !strncmp(name, "gpu", 3))) ||
		    used >= FIELD_SIZE)
			continue;
		used += (size_t)snprintf(r->text[column] + used,
					 FIELD_SIZE - used, "%s%s%s%s=%" PRId64,
					 used ? "," : "", type, gres ? "/" : "",
					 gres ? name : "", n);
		if (used >= FIELD_SIZE) /* too many kinds of GPUs */
			return;
		r->row.field[column] = r->text[column];
	}
}

static enum torus_trace_line json_job(struct sacct_json *j, const json_t *job,
				      struct torus_trace_record *record,
				      char *why)
{
	struct json_row r = { 0 };

	for (int i = 0; i <= SACCT_COLUMNS; i++)
		r.row.field[i] = "";
	json_put_id(&r, job);
	json_put_text(&r, SACCT_CLUSTER, job, "cluster");
	json_put_text(&r, SACCT_PARTITION, job, "partition");
	json_put_text(&r, SACCT_USER, job, "user");
	json_put_text(&r, SACCT_USER, job, "association/user");
	json_put_text(&r, SACCT_ACCOUNT, job, "account");
	json_put_text(&r, SACCT_QOS, job, "qos");
	json_put_text(&r, SACCT_ADMINCOMMENT, job, "comment/administrator");
	json_put_text(&r, SACCT_STATE, job, "state/current");
	json_put_text(&r, SACCT_STATE, job, "state");
	json_put_number(&r, SACCT_SUBMIT, job, "time/submission", true);
	json_put_number(&r, SACCT_ELIGIBLE, job, "time/eligible", false);
	json_put_number(&r, SACCT_START, job, "time/start", false);
	json_put_number(&r, SACCT_END, job, "time/end", false);
	json_put_number(&r, SACCT_ELAPSEDRAW, job, "time/elapsed", true);
	json_put_number(&r, SACCT_TIMELIMITRAW, job, "time/limit", false);
	json_put_number(&r, SACCT_PRIORITY, job, "priority", true);
	json_put_number(&r, SACCT_NNODES, job, "allocation_nodes", false);
	json_put_number(&r, SACCT_REQCPUS, job, "required/CPUs", false);
	json_put_tres(&r, SACCT_ALLOCTRES, job, "tres/allocated");
	json_put_tres(&r, SACCT_REQTRES, job, "tres/requested");
	json_put_text(&r, SACCT_CONSTRAINTS, job, "constraints");
	json_put_text(&r, SACCT_RESERVATION, job, "reservation/name");
	json_put_text(&r, SACCT_LICENSES, job, "licenses");
	json_put_text(&r, SACCT_SUBMITLINE, job, "submit_line");
	return torus_sacct_record_read(j->records, 0, &r.row, record, why);
}

static enum torus_trace_line json_line(void *self, char *line, size_t length,
				       struct torus_trace_record *record,
				       char *why)
{
	struct sacct_json *j = self;

	if (!line) {
		record->line = ++j->next; /* there are no lines: jobs */
		return json_job(j, json_array_get(j->jobs, j->next - 1), record,
				why);
	}
	if (strlen(line) != length) {
		snprintf(why, TORUS_TRACE_WHY_SIZE, TORUS_FILE_NUL);
		return TORUS_TRACE_LINE_REFUSED;
	}
	return torus_text_add(&j->text, "%s\n", line) ?
		       TORUS_TRACE_LINE_FAILED :
		       TORUS_TRACE_LINE_NOTHING;
}

static bool json_ready(const void *self)
{
	const struct sacct_json *j = self;

	return j->jobs && j->next < json_array_size(j->jobs);
}

/* Take the jobs of a document. Return false with why. */
static bool json_take(struct sacct_json *j, json_t *document, char *why)
{
	json_t *jobs = json_object_get(document, "jobs");
	const json_t *failed =
		json_array_get(json_object_get(document, "errors"), 0);
	const char *error = json_string_value(json_at(failed, "error"));
	const char *about = json_string_value(json_at(failed, "description"));

	if (failed && !json_array_size(jobs)) {
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "sacct has written an error instead of jobs: %.100s%s%.100s",
			 error ? error : "", error && about ? ": " : "",
			 about ? about : "");
		torus_error_plain(why);
	} else if (!json_is_array(jobs))
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "\"jobs\" is missing; expected the output of sacct --json");
	else if (json_at(json_array_get(jobs, 0), "submit_time"))
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "this is the output of squeue or scontrol, which has no ended jobs; expected that of sacct --json");
	else if (json_array_extend(j->jobs, jobs))
		snprintf(why, TORUS_TRACE_WHY_SIZE, "out of memory");
	else
		return true;
	return false;
}

static enum torus_trace_line json_end(void *self, char *why)
{
	struct sacct_json *j = self;
	const char *text = j->text.data ? j->text.data : "";
	size_t left = j->text.length;
	json_error_t error = { 0 };
	bool good = (j->jobs = json_array()) != NULL;

	do {
		json_t *one = json_loadb(text, left,
					 JSON_REJECT_DUPLICATES |
						 JSON_DISABLE_EOF_CHECK,
					 &error);

		if (!one)
			snprintf(why, TORUS_TRACE_WHY_SIZE,
				 "line %d: %.120s; expected the output of sacct --json",
				 error.line, error.text);
		good = good && one && json_take(j, one, why);
		json_decref(one);
		text += good ? error.position : 0;
		left -= good ? (size_t)error.position : 0;
		while (left && isspace((unsigned char)*text)) {
			text++;
			left--;
		}
	} while (good && left);
	torus_text_free(&j->text);
	if (good)
		return TORUS_TRACE_LINE_NOTHING;
	json_decref(j->jobs);
	j->jobs = NULL;
	return TORUS_TRACE_LINE_REFUSED;
}

static bool json_recognizes(const char *line)
{
	return *line == '{';
}

const struct torus_trace_format torus_trace_sacct_json = {
	.name = "sacct-json",
	.summary = "output of sacct --json",
	.ending = ".json",
	.history = true,
	.recognizes = json_recognizes,
	.create = json_create,
	.destroy = json_destroy,
	.line = json_line,
	.ready = json_ready,
	.end = json_end,
};
