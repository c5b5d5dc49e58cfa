/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary of a replay as JSON. What does not exist (a mean of no jobs) is
 * null. Numbers have 15 digits, which is what a double holds for certain.
 */
#include "report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "format/stream.h"
#include "replay/build.h"
#include "report/summary_options.h"

static json_t *summary_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *summary_json_mean(const struct torus_moments *moments)
{
	return moments->n ? json_real(moments->mean) : json_null();
}

/* What a trace says about itself, if it does. */
static json_t *summary_json_string(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static json_t *summary_json_whole(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* A path on the command line need not be UTF-8; JSON must be. */
static json_t *summary_json_text(const char *value)
{
	json_t *string = value ? json_string(value) : json_null();
	char *ascii, *p;

	if (string)
		return string;
	ascii = strdup(value);
	for (p = ascii; p && *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	string = ascii ? json_string(ascii) : NULL;
	free(ascii);
	return string;
}

/* NULL values (no memory, text that is not UTF-8) make `set` fail. */
static int counts_set(json_t *top, const struct torus_summary *s)
{
	const struct torus_metrics *m = s->metrics;
	int bad = 0;

	bad |= json_object_set_new(top, "schema",
				   summary_json_whole(TORUS_SUMMARY_SCHEMA));
	bad |= json_object_set_new(top, "jobs",
				   summary_json_whole(
					   m->jobs + torus_summary_skipped(s)));
	bad |= json_object_set_new(top, "kept", summary_json_whole(m->jobs));
	bad |= json_object_set_new(top, "skipped",
				   summary_json_whole(torus_summary_skipped(s)));
	bad |= json_object_set_new(top, "skipped_by_reason",
				   json_pack("{s:I,s:I,s:I,s:I,s:I}", "run",
					     (json_int_t)s->counts.no_run,
					     "processors",
					     (json_int_t)s->counts.no_processors,
					     "partial",
					     (json_int_t)s->counts.partial,
					     "unfinished",
					     (json_int_t)s->counts.unfinished,
					     "unreadable",
					     (json_int_t)s->counts.bad));
	bad |= json_object_set_new(top, "completed",
				   summary_json_whole(
					   m->outcome[TORUS_OUTCOME_COMPLETED]));
	bad |= json_object_set_new(top, "rejected",
				   summary_json_whole(
					   m->outcome[TORUS_OUTCOME_REJECTED]));
	bad |= json_object_set_new(top, "missed",
				   summary_json_whole(
					   m->outcome[TORUS_OUTCOME_MISSED]));
	return bad;
}

/* Half, nine tenths and 99 % of the jobs are no worse off. */
static json_t *summary_json_percentiles(const struct torus_histogram *h)
{
	double unit = h->total ? 1e-6 : NAN;

	return json_pack("{s:o,s:o,s:o}", "p50",
			 summary_json_real(torus_histogram_quantile(h, 0.5) *
					   unit),
			 "p90",
			 summary_json_real(torus_histogram_quantile(h, 0.9) *
					   unit),
			 "p99",
			 summary_json_real(torus_histogram_quantile(h, 0.99) *
					   unit));
}

static int percentiles_set(json_t *top, const struct torus_metrics *m)
{
	return json_object_set_new(top, "wait_s",
				   summary_json_percentiles(&m->wait_us)) |
	       json_object_set_new(top, "response_s",
				   summary_json_percentiles(&m->response_us)) |
	       json_object_set_new(top, "bounded_slowdown",
				   summary_json_percentiles(
					   &m->slowdown_millionths));
}

static int measures_set(json_t *top, const struct torus_summary *s)
{
	const struct torus_metrics *m = s->trimmed ? s->trimmed : s->metrics;
	uint32_t nodes = s->nodes;
	int bad = 0;

	bad |= json_object_set_new(top, "utilization",
				   summary_json_real(
					   torus_metrics_utilization(m, nodes,
								     false)));
	bad |= json_object_set_new(top, "utilization_granted",
				   summary_json_real(
					   torus_metrics_utilization(m, nodes,
								     true)));
	bad |= json_object_set_new(top, "mean_wait_s",
				   summary_json_mean(&m->wait));
	bad |= json_object_set_new(top, "mean_response_s",
				   summary_json_mean(&m->response));
	bad |= json_object_set_new(top, "var_response_s2",
				   summary_json_real(torus_moments_variance(
					   &m->response)));
	bad |= json_object_set_new(top, "mean_bounded_slowdown",
				   summary_json_mean(&m->slowdown));
	bad |= percentiles_set(top, m);
	bad |= json_object_set_new(top, "last_end_s",
				   summary_json_real(
					   torus_metrics_span(s->metrics)));
	bad |= json_object_set_new(top, "job_miss_ratio",
				   summary_json_real(
					   torus_metrics_miss(m, false)));
	bad |= json_object_set_new(top, "work_miss_ratio",
				   summary_json_real(
					   torus_metrics_miss(m, true)));
	bad |= json_object_set_new(top, "mean_queue_length",
				   summary_json_real(torus_metrics_queue(m)));
	bad |= json_object_set_new(top, "mean_running_jobs",
				   summary_json_real(torus_metrics_running(m)));
	return bad;
}

/* Whole node seconds by cause, with their sum. */
static json_t *idle_json(const struct torus_idle *idle)
{
	uint64_t node_s[TORUS_IDLE_CAUSES];
	uint64_t total = torus_idle_seconds(idle->node_us, node_s);
	json_t *o = json_pack("{s:I}", "total", (json_int_t)total);

	for (int c = 0; o && c < TORUS_IDLE_CAUSES; c++)
		if (json_object_set_new(o, torus_idle_names[c],
					summary_json_whole(node_s[c]))) {
			json_decref(o);
			o = NULL;
		}
	return o;
}

/* Node seconds by cause and slice of time. */
static json_t *idle_course_json(const struct torus_idle *idle)
{
	int64_t span = idle->until_us - idle->from_us;
	int64_t slices = (span + idle->slice_us - 1) / idle->slice_us;
	json_t *o = json_pack("{s:f}", "slice_s", (double)idle->slice_us * 1e-6);

	for (int c = 0; o && c < TORUS_IDLE_CAUSES; c++) {
		json_t *list = json_array();

		for (int64_t i = 0; list && i < slices; i++)
			json_array_append_new(list,
					      summary_json_real(
						      (double)idle->slice[i][c] *
						      1e-6));
		json_object_set_new(o, torus_idle_names[c], list);
	}
	return o;
}

/* The course is for pages: beside a schedule only. */
static int idle_set(json_t *top, const struct torus_summary *s)
{
	const struct torus_idle *idle = &s->metrics->idle;
	int bad = 0;

	if (!idle->measured)
		return 0;
	bad |= json_object_set_new(top, "idle_node_s", idle_json(idle));
	if (s->schedule)
		bad |= json_object_set_new(top, "idle_over_time",
					   idle_course_json(idle));
	return bad;
}

/* Only where they were asked for. */
static int faults_set(json_t *top, const struct torus_summary *s)
{
	const struct torus_fault_rate *rate = s->policy.replay ?
						      s->policy.replay->faults :
						      NULL;
	const struct torus_fault_sums *f = &s->metrics->faults;

	if (!rate || (!rate[TORUS_FAULT_NODES].mtbf_us &&
		      !rate[TORUS_FAULT_LINKS].mtbf_us))
		return 0;
	return json_object_set_new(top, "faults",
				   json_pack("{s:I,s:I,s:I,s:I,s:I,s:f,s:I}",
					     "nodes", (json_int_t)f->nodes,
					     "links", (json_int_t)f->links,
					     "runs_ended", (json_int_t)f->hits,
					     "requeued",
					     (json_int_t)f->requeued, "failed",
					     (json_int_t)s->metrics->outcome
						     [TORUS_OUTCOME_FAILED],
					     "lost_node_s", f->lost_us * 1e-6,
					     "runs_over_failed_links",
					     (json_int_t)f->over));
}

/* The window that the measures are of, in seconds after the first submit. */
static json_t *trim_json(const struct torus_summary *s)
{
	const struct torus_metrics *t = s->trimmed;
	int64_t first = s->metrics->first_submit_us;

	return json_pack("{s:f,s:f,s:I}", "from_s",
			 (double)(t->first_submit_us - first) * 1e-6, "to_s",
			 (double)(t->last_end_us - first) * 1e-6, "jobs",
			 (json_int_t)t->jobs);
}

static json_t *user_json(const struct torus_ledger_user *u)
{
	return json_pack("{s:o,s:I,s:I,s:o,s:o,s:o,s:o}", "user",
			 summary_json_text(u->name), "jobs", (json_int_t)u->jobs,
			 "completed", (json_int_t)u->completed, "node_s",
			 summary_json_real(u->node_s), "mean_wait_s",
			 summary_json_mean(&u->wait), "mean_response_s",
			 summary_json_mean(&u->response),
			 "mean_bounded_slowdown",
			 summary_json_mean(&u->slowdown));
}

/* Both keys are there only where they were asked for. */
static int window_set(json_t *top, const struct torus_summary *s)
{
	json_t *users = s->users ? json_array() : NULL;
	int bad = 0;
	size_t i;

	if (s->trimmed)
		bad |= json_object_set_new(top, "trim", trim_json(s));
	for (i = 0; s->users && i < s->user_count; i++)
		bad |= json_array_append_new(users, user_json(&s->users[i]));
	if (s->users)
		bad |= json_object_set_new(top, "users", users);
	return bad;
}

static json_t *placement_us(const struct torus_histogram *h)
{
	double none = h->total ? 1e-3 : NAN;

	return json_pack("{s:o,s:o,s:o}", "median",
			 summary_json_real(torus_histogram_quantile(h, 0.5) *
					   none),
			 "p99",
			 summary_json_real(torus_histogram_quantile(h, 0.99) *
					   none),
			 "max", summary_json_real((double)h->max * none));
}

static int summary_json_set_rest(json_t *top, const struct torus_summary *s)
{
	int bad = 0;

	bad |= json_object_set_new(top, "placement_calls",
				   summary_json_whole(s->metrics->searches));
	bad |= json_object_set_new(top, "placement_us",
				   placement_us(&s->metrics->placement_ns));
	bad |= json_object_set_new(top, "replay_wall_s",
				   summary_json_real(s->wall_s));
	bad |= json_object_set_new(top, "jobs_per_s",
				   summary_json_real(torus_summary_rate(s)));
	bad |= json_object_set_new(top, "peak_rss_kib",
				   summary_json_whole(s->peak_rss_kib));
	bad |= json_object_set_new(top, "discipline",
				   summary_json_text(s->discipline));
	bad |= json_object_set_new(top, "strategy",
				   summary_json_text(s->strategy));
	bad |= json_object_set_new(top, "options", torus_summary_options(s));
	bad |= json_object_set_new(top, "seed", summary_json_whole(s->seed));
	bad |= json_object_set_new(top, "version",
				   summary_json_text(s->version));
	bad |= json_object_set_new(top, "build", summary_json_text(torus_build));
	bad |= json_object_set_new(top, "trace_sha256",
				   summary_json_text(s->digest));
	if (s->schedule)
		bad |= json_object_set_new(top, "schedule_sha256",
					   summary_json_text(s->schedule));
	bad |= json_object_set_new(top, "trace_header",
				   json_pack("{s:o,s:o,s:o}", "max_nodes",
					     summary_json_string(
						     s->header.max_nodes),
					     "max_processors",
					     summary_json_string(
						     s->header.max_processors),
					     "unix_start_time",
					     summary_json_string(
						     s->header.unix_start)));
	bad |= json_object_set_new(top, "torus", summary_json_text(s->torus));
	bad |= json_object_set_new(top, "command",
				   summary_json_text(s->command));
	return bad;
}

int torus_summary_json(const struct torus_summary *s, FILE *out)
{
	json_t *top = json_object();
	int bad = !top;

	if (!bad)
		bad = counts_set(top, s) | measures_set(top, s) |
		      window_set(top, s) | idle_set(top, s) |
		      faults_set(top, s) | summary_json_set_rest(top, s);
	if (!bad)
		bad = json_dumpf(top, out,
				 JSON_INDENT(2) | JSON_REAL_PRECISION(15)) ||
		      putc('\n', out) == EOF;
	json_decref(top);
	return stream_failed(out) || bad ? -1 : 0;
}
