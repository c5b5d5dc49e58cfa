/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of storus reservations, and the whole plan as an object. */
#include "storus/operate/reservations.h"

#include <string.h>

#include "storus/base/clock.h"

static json_t *time_or_null(int64_t seconds)
{
	return seconds == PLAN_FILE_NO_TIME ? json_null() :
					      json_integer(seconds);
}

/* (jansson takes UTF-8 only) */
static json_t *text_or_null(const char *text)
{
	json_t *o = text ? json_string(text) : NULL;

	return o ? o : json_null();
}

static void reservations_put_text(json_t *o, const char *key, const char *text)
{
	if (text)
		json_object_set_new(o, key, json_string(text));
}

/* The pieces between separators. */
static json_t *reservations_pieces(const char *text, const char *separator)
{
	json_t *list = json_array();

	for (const char *next; text; text = next) {
		size_t length = strcspn(text, separator);

		json_array_append_new(list, json_stringn(text, length));
		next = text[length] ? text + length + 1 : NULL;
	}
	return list;
}

static json_t *reservations_config(const struct plan_file *plan)
{
	json_t *o = json_object();

	if (!plan->config)
		return o;
	reservations_put_text(o, "file", plan->config);
	json_object_set_new(o, "since", time_or_null(plan->config_s));
	if (!plan->config_errors)
		return o;
	json_object_set_new(o, "refused", time_or_null(plan->refused_s));
	json_object_set_new(o, "errors",
			    reservations_pieces(plan->config_errors, "\n"));
	return o;
}

/* "5_0" of a task of an array; else NULL. */
static json_t *reservations_task(const struct plan_file_id *id)
{
	char name[PLAN_FILE_ID_SIZE];

	plan_file_id_format(id, name);
	return id->array ? json_string(name) : NULL;
}

json_t *reservations_row(const struct plan_file_job *job)
{
	bool estimate = !job->region && job->start_s != PLAN_FILE_NO_TIME;
	json_t *o = json_pack("{s:I, s:o, s:o, s:o, s:I, s:b, s:o, s:o*}",
			      "job", (json_int_t)job->id.job, "start",
			      time_or_null(job->start_s), "end",
			      time_or_null(job->end_s), "region",
			      text_or_null(job->region), "alternative",
			      (json_int_t)job->alternative, "estimate",
			      estimate, "reason", text_or_null(job->reason),
			      "task", reservations_task(&job->id));

	reservations_put_text(o, "ask", job->ask);
	if (job->holders) {
		json_t *list = json_array();

		json_object_set_new(o, "holders_count",
				    json_integer(job->holders));
		for (uint32_t i = 0; i < job->named; i++) {
			const struct plan_file_holder *h = &job->holder[i];

			json_array_append_new(list,
					      json_pack("{s:I, s:o, s:o*}",
							"job",
							(json_int_t)h->id.job,
							"end",
							time_or_null(h->end_s),
							"task",
							reservations_task(
								&h->id)));
		}
		json_object_set_new(o, "holders", list);
	}
	if (job->out) {
		json_object_set_new(o, "out_count", json_integer(job->outs));
		json_object_set_new(o, "out",
				    reservations_pieces(job->out, " "));
	}
	return o;
}

int64_t reservations_time_us(const struct plan_file *plan)
{
	return plan->time_s == PLAN_FILE_NO_TIME ? SNAPSHOT_NO_TIME :
						   plan->time_s * 1000000;
}

/* The number of the job, or 5_0 of a task of an array. */
static json_t *reservations_id(const json_t *row, bool csv)
{
	json_t *task = json_object_get(row, "task");

	(void)csv;
	return json_incref(task ? task : json_object_get(row, "job"));
}

static json_t *reservations_region(const json_t *row, bool csv)
{
	if (!csv && json_is_true(json_object_get(row, "estimate")))
		return json_string("(estimate)");
	return json_incref(json_object_get(row, "region"));
}

const struct storus_column reservations_columns[] = {
	{ "job", 'i', "JOB", .width = -10, .value = reservations_id },
	{ "start", 'S', "START", .width = -19, .time = true },
	{ "end", 'e', "END", .width = -19, .time = true },
	{ "region", 'R', "REGION", .width = -24, .value = reservations_region },
	{ "reason", 'r', "REASON", .width = -10 },
	{ "estimate", 0, "ESTIMATE", .width = -8, .more = true },
	{ "ask", 0, "ASK", .width = -14, .more = true },
	{ 0 },
};

json_t *reservations_json(const struct plan_file *plan, json_t *rows)
{
	json_t *o = json_pack("{s:i, s:o}", "schema", 1, "time",
			      time_or_null(plan->time_s));
	json_t *counts;

	reservations_put_text(o, "discipline", plan->discipline);
	json_object_set_new(o, "queued", json_integer(plan->queued));
	json_object_set_new(o, "configuration", reservations_config(plan));
	counts = json_object();
	for (uint32_t i = 0; i < plan->counts; i++) {
		const struct plan_file_count *c = &plan->count[i];

		json_object_set_new(counts, c->name,
				    c->text ? json_string(c->text) :
					      json_integer(c->value));
	}
	reservations_put_text(counts, "journal_error", plan->journal_error);
	reservations_put_text(counts, "policy_error", plan->policy_error);
	reservations_put_text(counts, "ignored", plan->ignored);
	json_object_set_new(o, "cycle", counts);
	json_object_set_new(o, "plan", rows);
	return storus_age_json(o, reservations_time_us(plan));
}
