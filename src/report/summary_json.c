/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary of a replay as JSON. Undefined values (a mean of no jobs) are
 * null. Numbers have 15 digits, which a double always holds.
 */
#include "report/summary.h"
#include "format/stream.h"
#include "replay/replay.h"
#include "torus/discipline.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The options of a replay as JSON: those that differ from the default, with the
 * names of torus.yaml and of a campaign; durations in seconds. Options of the
 * strategy and of the discipline have an object each.
 */

struct torus_summary;

/* Add the option unless it has its default value. */
static void summary_options_factor(json_t *o, const char *key, double value,
				   double initial)
{
	if (value < initial || value > initial)
		json_object_set_new(o, key, json_real(value));
}

static void summary_options_words(json_t *o, const char *key,
				  const struct torus_options *from)
{
	json_t *all = json_object();

	for (uint32_t i = 0; i < from->used; i++)
		json_object_set_new(all, from->item[i].key,
				    json_string(from->item[i].value));
	if (from->used)
		json_object_set_new(o, key, all);
	else
		json_decref(all);
}

static void summary_options_replay(json_t *o,
				   const struct torus_replay_options *r)
{
	static const char *const overruns[] = { "raise", "kill", "extend" };

	if (r->processors_used)
		json_object_set_new(o, "processors", json_string("used"));
	if (r->estimate_run)
		json_object_set_new(o, "estimate", json_string("run"));
	if (r->overrun != TORUS_OVERRUN_RAISE)
		json_object_set_new(o, "overrun",
				    json_string(overruns[r->overrun]));
	summary_options_factor(o, "scale", r->scale, 1);
	if (r->round_up_pow2)
		json_object_set_new(o, "round_up_pow2", json_true());
	summary_options_factor(o, "run_scale", r->run_scale, 1);
	summary_options_factor(o, "load_scale", r->load_scale, 1);
	if (r->laxity >= 0)
		json_object_set_new(o, "laxity", json_real(r->laxity));
	if (r->pass_budget_us)
		json_object_set_new(o, "pass_budget",
				    json_real((double)r->pass_budget_us * 1e-6));
	if (r->pass_jobs)
		json_object_set_new(o, "pass_jobs",
				    json_integer((json_int_t)r->pass_jobs));
	for (int k = 0; k < TORUS_FAULT_KINDS; k++) {
		static const char *const keys[] = { "faults", "link_faults" };
		const struct torus_fault_rate *f = &r->faults[k];

		if (f->mtbf_us)
			json_object_set_new(o, keys[k],
					    json_pack("[f,f]",
						      (double)f->mtbf_us * 1e-6,
						      (double)f->mttr_us *
							      1e-6));
	}
	if (r->contention)
		json_object_set_new(o, "contention", json_true());
	summary_options_factor(o, "limit_max", (double)r->limit_max_us * 1e-6,
			       0);
	for (uint32_t i = 0; i < r->outages; i++) {
		if (i == 0)
			json_object_set_new(o, "outage", json_array());
		json_array_append_new(json_object_get(o, "outage"),
				      json_string(r->outage[i]));
	}
	summary_options_factor(o, "checkpoint", (double)r->checkpoint_us * 1e-6,
			       0);
	summary_options_factor(o, "slowdown_bound",
			       (double)r->slowdown_bound_us * 1e-6, 0);
	summary_options_factor(o, "deadline_share", r->deadline_share, 0);
}

static void summary_options_scheduler(json_t *o,
				      const struct torus_scheduler_settings *s)
{
	if (s->wait_limit_us != TORUS_NO_TIME)
		json_object_set_new(o, "wait_limit",
				    json_real((double)s->wait_limit_us * 1e-6));
	if (s->mean_hold_us > 0)
		json_object_set_new(o, "mean_hold",
				    json_real((double)s->mean_hold_us * 1e-6));
	if (s->order_by_priority)
		json_object_set_new(o, "order", json_string("priority"));
	if (s->backfill_places != 1)
		json_object_set_new(o, "backfill_places",
				    json_integer(s->backfill_places));
	if (s->discipline->reserves && s->reservations != 1)
		json_object_set_new(o, "reservations",
				    json_integer(s->reservations));
	summary_options_words(o, "discipline", &s->options);
}

/* Return a new object; null if the summary has no policy; NULL without
 * memory. */
static json_t *torus_summary_options(const struct torus_summary *s)
{
	json_t *o;
	const struct torus_machine *m;
	json_t *all;

	if (!s->policy.machine)
		return json_null();
	o = json_object();
	if (s->policy.replay)
		summary_options_replay(o, s->policy.replay);
	if (s->policy.max_jobs)
		json_object_set_new(o, "max_jobs",
				    json_integer((json_int_t)s->policy.max_jobs));
	summary_options_scheduler(o, s->policy.scheduler);
	/* Add the options of the strategy; on several toruses an object per torus. */
	m = s->policy.machine;
	all = json_object();
	if (m->pods == 1)
		summary_options_words(o, "strategy", &m->pod[0].options);
	else
		for (uint32_t p = 0; p < m->pods; p++)
			summary_options_words(all, m->pod[p].torus.name,
					      &m->pod[p].options);
	if (json_object_size(all))
		json_object_set_new(o, "strategy", all);
	else
		json_decref(all);
	return o;
}

static json_t *summary_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *summary_json_mean(const struct torus_moments *moments)
{
	return moments->n ? json_real(moments->mean) : json_null();
}

/* Return a number of the trace's header; null if it is negative (unknown). */
static json_t *summary_json_stated(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static json_t *summary_json_whole(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* Return the text as a JSON string. If it is not UTF-8, as a path on the
 * command line may be, bytes above 127 become '?'. */
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

/* The JSON object under construction. */
struct summary_json {
	json_t *top;
	bool failed;
};

/* Set a key. A NULL value (no memory, invalid UTF-8) sets `failed`. */
static void summary_put(struct summary_json *j, const char *key, json_t *value)
{
	j->failed |= json_object_set_new(j->top, key, value) != 0;
}

static void summary_put_whole(struct summary_json *j, const char *key,
			      uint64_t value)
{
	summary_put(j, key, summary_json_whole(value));
}

static void summary_put_real(struct summary_json *j, const char *key,
			     double value)
{
	summary_put(j, key, summary_json_real(value));
}

static void summary_put_mean(struct summary_json *j, const char *key,
			     const struct torus_moments *moments)
{
	summary_put(j, key, summary_json_mean(moments));
}

static void summary_put_text(struct summary_json *j, const char *key,
			     const char *value)
{
	summary_put(j, key, summary_json_text(value));
}

static void counts_set(struct summary_json *j, const struct torus_summary *s)
{
	const struct torus_metrics *m = s->metrics;

	summary_put_whole(j, "schema", TORUS_SUMMARY_SCHEMA);
	summary_put_whole(j, "jobs", m->jobs + torus_summary_skipped(s));
	summary_put_whole(j, "kept", m->jobs);
	summary_put_whole(j, "skipped", torus_summary_skipped(s));
	summary_put(j, "skipped_by_reason",
		    json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "run",
			      (json_int_t)s->counts.no_run, "processors",
			      (json_int_t)s->counts.no_processors, "partial",
			      (json_int_t)s->counts.partial, "unfinished",
			      (json_int_t)s->counts.unfinished, "repeated",
			      (json_int_t)s->counts.repeated, "other",
			      (json_int_t)s->counts.other, "unreadable",
			      (json_int_t)s->counts.bad));
	summary_put_whole(j, "estimates_missing", s->counts.no_limit);
	summary_put_real(j, "limit_accuracy",
			 torus_trace_limit_accuracy(&s->counts));
	for (int i = 0; i < TORUS_OUTCOMES; i++)
		summary_put_whole(j, torus_outcome_names[i], m->outcome[i]);
}

static json_t *summary_json_quantile(const struct torus_histogram *h, double q,
				     double unit)
{
	return summary_json_real(
		h->total ? torus_histogram_quantile(h, q) * unit : NAN);
}

/* Return the values that 50, 90 and 99 % of the jobs do not exceed. */
static json_t *summary_json_percentiles(const struct torus_histogram *h)
{
	return json_pack("{s:o,s:o,s:o}", "p50",
			 summary_json_quantile(h, 0.5, 1e-6), "p90",
			 summary_json_quantile(h, 0.9, 1e-6), "p99",
			 summary_json_quantile(h, 0.99, 1e-6));
}

static void measures_set(struct summary_json *j, const struct torus_summary *s)
{
	const struct torus_metrics *m = s->trimmed ? s->trimmed : s->metrics;
	uint32_t nodes = s->nodes;

	summary_put_real(j, "utilization",
			 torus_metrics_utilization(m, nodes, false));
	summary_put_real(j, "utilization_granted",
			 torus_metrics_utilization(m, nodes, true));
	summary_put_real(j, "utilization_submitting",
			 s->trimmed ?
				 NAN :
				 torus_metrics_utilization_submitting(m, nodes));
	summary_put_real(j, "offered_load",
			 s->trimmed ? NAN : torus_metrics_offered(m, nodes));
	summary_put(j, "growing",
		    json_boolean(torus_metrics_growing(s->metrics, nodes)));
	if (!isnan(torus_summary_energy_kwh(s)))
		summary_put_real(j, "energy_kwh", torus_summary_energy_kwh(s));
	summary_put_mean(j, "mean_wait_s", &m->wait);
	summary_put_mean(j, "mean_response_s", &m->response);
	summary_put_real(j, "var_response_s2",
			 torus_moments_variance(&m->response));
	summary_put_mean(j, "mean_bounded_slowdown", &m->slowdown);
	summary_put(j, "wait_s", summary_json_percentiles(&m->wait_us));
	summary_put(j, "response_s", summary_json_percentiles(&m->response_us));
	summary_put(j, "bounded_slowdown",
		    summary_json_percentiles(&m->slowdown_millionths));
	summary_put_real(j, "last_end_s", torus_metrics_span(s->metrics));
	summary_put_real(j, "last_submit_s",
			 s->metrics->jobs ?
				 (double)(s->metrics->last_submit_us -
					  s->metrics->first_submit_us) *
					 1e-6 :
				 NAN);
	summary_put_real(j, "job_miss_ratio", torus_metrics_miss(m, false));
	summary_put_real(j, "work_miss_ratio", torus_metrics_miss(m, true));
	summary_put_whole(j, "preemptions", m->preemptions);
	summary_put_real(j, "mean_queue_length", torus_metrics_queue(m));
	summary_put_real(j, "mean_running_jobs", torus_metrics_running(m));
}

/* Return whole node seconds by cause, and their sum. */
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

/* Return node seconds by cause and slice of time. */
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

/* Add the sums of each batch of time. */
static void batches_set(struct summary_json *j, const struct torus_summary *s)
{
	json_t *list = s->batches ? json_array() : NULL;

	for (uint32_t i = 0; s->batches && i < s->batch_count; i++) {
		const struct torus_ledger_batch *b = &s->batches[i];

		j->failed |= json_array_append_new(list,
						   json_pack("[I,f,f,f]",
							     (json_int_t)b->jobs,
							     b->wait_s,
							     b->response_s,
							     b->slowdown)) != 0;
	}
	if (s->batches)
		summary_put(j, "batches",
			    json_pack("{s:f, s:o}", "length_s",
				      (double)s->batch_us * 1e-6,
				      "jobs_wait_response_slowdown", list));
}

/* Add totals of faults, if fault rates are set. */
static void faults_set(struct summary_json *j, const struct torus_summary *s)
{
	const struct torus_fault_rate *rate = s->policy.replay ?
						      s->policy.replay->faults :
						      NULL;
	const struct torus_fault_sums *f = &s->metrics->faults;

	if (!rate || (!rate[TORUS_FAULT_NODES].mtbf_us &&
		      !rate[TORUS_FAULT_LINKS].mtbf_us))
		return;
	summary_put(j, "faults",
		    json_pack("{s:I,s:I,s:I,s:I,s:I,s:f,s:I}", "nodes",
			      (json_int_t)f->nodes, "links",
			      (json_int_t)f->links, "runs_ended",
			      (json_int_t)f->hits, "requeued",
			      (json_int_t)f->requeued, "failed",
			      (json_int_t)
				      s->metrics->outcome[TORUS_OUTCOME_FAILED],
			      "lost_node_s", f->lost_us * 1e-6,
			      "runs_over_failed_links", (json_int_t)f->over));
}

/* Return the window of the measures, in seconds after the first submission. */
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

static json_t *placement_us(const struct torus_histogram *h)
{
	return json_pack("{s:o,s:o,s:o,s:o}", "mean",
			 summary_json_real(torus_histogram_mean(h) * 1e-3),
			 "median", summary_json_quantile(h, 0.5, 1e-3), "p99",
			 summary_json_quantile(h, 0.99, 1e-3), "max",
			 summary_json_real(h->total ? (double)h->max * 1e-3 :
						      NAN));
}

static void summary_json_run(struct summary_json *j,
			     const struct torus_summary *s)
{
	char words[TORUS_MACHINE_WORDS_SIZE];

	summary_put_whole(j, "placement_calls", s->metrics->searches);
	summary_put(j, "placement_us", placement_us(&s->metrics->placement_ns));
	summary_put_real(j, "replay_wall_s", s->wall_s);
	summary_put_real(j, "jobs_per_s", torus_summary_rate(s));
	summary_put_whole(j, "peak_rss_kib", s->peak_rss_kib);
	summary_put_text(j, "discipline", s->discipline);
	summary_put_text(j, "strategy", s->strategy);
	summary_put(j, "options", torus_summary_options(s));
	if (s->not_modelled) {
		/* The lines of a text as a list. */
		const char *text = s->not_modelled;
		json_t *list = json_array();

		for (const char *end; *text; text = end + 1) {
			end = strchr(text, '\n');
			json_array_append_new(list,
					      json_stringn(text,
							   (size_t)(end - text)));
		}
		summary_put(j, "not_modelled", list);
	}
	summary_put_whole(j, "seed", s->seed);
	summary_put_text(j, "version", s->version);
	summary_put_text(j, "build", torus_build);
	summary_put_text(j, "trace_sha256", s->digest);
	if (s->schedule) {
		summary_put_text(j, "schedule_sha256", s->schedule);
		summary_put_text(j, "trace", s->trace);
	}
	summary_put(j, "trace_header",
		    json_pack("{s:o,s:o,s:o}", "max_nodes",
			      summary_json_stated(s->header.max_nodes),
			      "max_processors",
			      summary_json_stated(s->header.max_processors),
			      "unix_start_time",
			      summary_json_stated(s->header.unix_start)));
	if (s->policy.machine) {
		torus_machine_words(s->policy.machine, words);
		summary_put_text(j, "machine", words);
	}
	summary_put_text(j, "torus", s->torus);
	summary_put_text(j, "command", s->command);
}

/* The outages that were never in effect while the replay lasted. */
static void unmet_set(struct summary_json *j, const struct torus_summary *s)
{
	const struct torus_replay_options *r = s->policy.replay;
	json_t *list;

	if (!r || !s->metrics->outages_unmet)
		return;
	list = json_array();
	for (uint32_t i = 0; i < r->outages; i++)
		if (s->metrics->outages_unmet >> i & 1)
			json_array_append_new(list, json_string(r->outage[i]));
	summary_put(j, "outages_unmet", list);
}

int torus_summary_json(const struct torus_summary *s, FILE *out)
{
	struct summary_json j = { .top = json_object() };

	j.failed = !j.top;
	if (!j.failed) {
		const struct torus_idle *idle;
		json_t *users;
		size_t i;

		counts_set(&j, s);
		measures_set(&j, s);
		/* Add the window and the totals of users, if set. */
		users = s->users ? json_array() : NULL;
		if (s->trimmed)
			summary_put(&j, "trim", trim_json(s));
		for (i = 0; s->users && i < s->user_count; i++)
			j.failed |=
				json_array_append_new(users,
						      user_json(&s->users[i])) !=
				0;
		if (s->users)
			summary_put(&j, "users", users);
		unmet_set(&j, s);
		batches_set(&j, s);
		/* Add idle time. The course over time is for pages, so only with a schedule. */
		idle = &s->metrics->idle;
		if (idle->measured) {
			summary_put(&j, "idle_node_s", idle_json(idle));
			if (s->schedule)
				summary_put(&j, "idle_over_time",
					    idle_course_json(idle));
		}
		faults_set(&j, s);
		summary_json_run(&j, s);
	}
	if (!j.failed)
		j.failed = json_dumpf(j.top, out,
				      JSON_INDENT(2) | JSON_REAL_PRECISION(15)) ||
			   putc('\n', out) == EOF;
	json_decref(j.top);
	return stream_failed(out) || j.failed ? -1 : 0;
}
