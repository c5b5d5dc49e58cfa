/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of a replay as a table: name, number and a remark. */
#include "report/summary.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "format/stream.h"

static void summary_line(FILE *out, const char *name, const char *value,
			 const char *about)
{
	fprintf(out, "%-24s %18s%s%s\n", name, value, *about ? "  " : "", about);
}

static void summary_count(FILE *out, const char *name, uint64_t n,
			  const char *about)
{
	char value[32];

	snprintf(value, sizeof(value), "%" PRIu64, n);
	summary_line(out, name, value, about);
}

/* Write a number with all its decimals, so that decimal points are aligned. */
static void summary_number(FILE *out, const char *name, double n, int decimals,
			   const char *unit)
{
	char value[64];

	if (isnan(n))
		snprintf(value, sizeof(value), "-");
	else
		snprintf(value, sizeof(value), "%.*f", decimals, n);
	summary_line(out, name, value, unit);
}

static void summary_skipped(FILE *out, const struct torus_summary *s)
{
	char about[256];

	torus_trace_skipped_words(&s->counts, about, sizeof(about));
	summary_count(out, "skipped", torus_summary_skipped(s), about);
}

static double summary_mean(const struct torus_moments *moments)
{
	return moments->n ? moments->mean : NAN;
}

/* Write the median, followed by the other percentiles. */
static void summary_percentiles(FILE *out, const char *name,
				const struct torus_histogram *h, int decimals,
				const char *unit)
{
	char about[128];

	if (!h->total)
		return;
	snprintf(about, sizeof(about), "%s(90 %%: %.*f, 99 %%: %.*f)", unit,
		 decimals, torus_histogram_quantile(h, 0.9) * 1e-6, decimals,
		 torus_histogram_quantile(h, 0.99) * 1e-6);
	summary_number(out, name, torus_histogram_quantile(h, 0.5) * 1e-6,
		       decimals, about);
}

double torus_summary_energy_kwh(const struct torus_summary *s)
{
	const struct torus_metrics *m = s->trimmed ? s->trimmed : s->metrics;
	const struct torus_replay_options *o = s->policy.replay;
	double busy_s = m->granted_us * 1e-6;
	double all_s = torus_metrics_span(m) * s->nodes;

	if (!o || o->power_w[0] == 0)
		return NAN;
	return (busy_s * o->power_w[0] + (all_s - busy_s) * o->power_w[1]) /
	       3.6e6;
}

static void summary_measures(FILE *out, const struct torus_summary *s)
{
	const struct torus_metrics *m = s->trimmed ? s->trimmed : s->metrics;
	const struct torus_replay_options *o = s->policy.replay;
	int64_t bound_us = o && o->slowdown_bound_us ? o->slowdown_bound_us :
						       TORUS_SLOWDOWN_BOUND_US;
	double bound_s = (double)bound_us * 1e-6;
	uint32_t nodes = s->nodes;
	char bound[80];

	snprintf(bound, sizeof(bound), "(runs below %g s count as %g s)",
		 bound_s, bound_s);
	summary_number(out, "utilization",
		       torus_metrics_utilization(m, nodes, false), 4,
		       "of the nodes, as requested");
	if (!s->trimmed) {
		summary_number(out, "utilization, submitting",
			       torus_metrics_utilization_submitting(m, nodes),
			       4, "between the first and the last submit");
		summary_number(out, "offered load",
			       torus_metrics_offered(m, nodes), 4,
			       "work submitted, of the nodes in that time");
	}
	summary_number(out, "utilization granted",
		       torus_metrics_utilization(m, nodes, true), 4,
		       "of the nodes, as granted");
	if (!isnan(torus_summary_energy_kwh(s)))
		summary_number(out, "energy", torus_summary_energy_kwh(s), 1,
			       "kWh, of busy and idle nodes");
	summary_number(out, "mean wait", summary_mean(&m->wait), 2, "s");
	summary_number(out, "mean response", summary_mean(&m->response), 2, "s");
	summary_number(out, "variance of response",
		       torus_moments_variance(&m->response), 0, "s^2");
	summary_number(out, "mean bounded slowdown", summary_mean(&m->slowdown),
		       3, bound);
	summary_percentiles(out, "median wait", &m->wait_us, 2, "s ");
	summary_percentiles(out, "median response", &m->response_us, 2, "s ");
	summary_percentiles(out, "median bounded slowdown",
			    &m->slowdown_millionths, 3, "");
	summary_number(out, "limit accuracy",
		       torus_trace_limit_accuracy(&s->counts), 4,
		       "mean of run / time limit");
	summary_number(out, "last end", torus_metrics_span(s->metrics), 2,
		       "s after the first submit");
	if (m->deadlines) {
		summary_number(out, "jobs missed", torus_metrics_miss(m, false),
			       4,
			       "of those with a deadline, rejected ones included");
		summary_number(out, "work missed", torus_metrics_miss(m, true),
			       4, "");
	}
	summary_number(out, "mean queue length", torus_metrics_queue(m), 2,
		       "jobs");
	summary_number(out, "mean running jobs", torus_metrics_running(m), 2,
		       "");
}

/* Write which part of the trace the measures below cover, if not all of it. */
static void summary_trimmed(FILE *out, const struct torus_summary *s)
{
	const struct torus_metrics *t = s->trimmed;
	int64_t first = s->metrics->first_submit_us;
	char about[128];

	if (!t)
		return;
	snprintf(about, sizeof(about),
		 "submitted %.0f to %.0f s after the "
		 "first; the measures are of these",
		 (double)(t->first_submit_us - first) * 1e-6,
		 (double)(t->last_end_us - first) * 1e-6);
	summary_count(out, "jobs in the window", t->jobs, about);
}

static void summary_faults(FILE *out, const struct torus_summary *s)
{
	const struct torus_fault_rate *rate = s->policy.replay ?
						      s->policy.replay->faults :
						      NULL;
	const struct torus_fault_sums *f = &s->metrics->faults;

	if (rate && rate[TORUS_FAULT_NODES].mtbf_us) {
		char about[64];

		snprintf(about, sizeof(about), "(%" PRIu64 " waited again)",
			 f->requeued);
		summary_count(out, "faults of nodes", f->nodes, "");
		summary_count(out, "runs ended by them", f->hits, about);
		summary_number(out, "node hours lost", f->lost_us / 3.6e9, 2,
			       "of these runs");
	}
	if (rate && rate[TORUS_FAULT_LINKS].mtbf_us) {
		summary_count(out, "faults of links", f->links, "");
		summary_count(out, "runs over them", f->over,
			      "when they failed; these runs continued");
	}
}

static void summary_users(FILE *out, const struct torus_summary *s)
{
	size_t i;

	if (!s->users)
		return;
	fprintf(out, "\n%-20s %9s %9s %14s %12s %14s %10s\n", "user", "jobs",
		"completed", "node hours", "mean wait", "mean response",
		"slowdown");
	for (i = 0; i < s->user_count; i++) {
		const struct torus_ledger_user *u = &s->users[i];

		fprintf(out, "%-20s %9" PRIu64 " %9" PRIu64 " %14.2f",
			*u->name ? u->name : "-", u->jobs, u->completed,
			u->node_s / 3600);
		if (u->completed)
			fprintf(out, " %12.2f %14.2f %10.3f\n", u->wait.mean,
				u->response.mean, u->slowdown.mean);
		else
			fprintf(out, " %12s %14s %10s\n", "-", "-", "-");
	}
}

void torus_machine_words(const struct torus_machine *machine,
			 char words[TORUS_MACHINE_WORDS_SIZE])
{
	char one[TORUS_STRING_SIZE];
	size_t used = 0;

	words[0] = '\0';
	for (uint32_t p = 0;
	     p < machine->pods && used < TORUS_MACHINE_WORDS_SIZE; p++) {
		const struct torus *t = &machine->pod[p].torus;

		torus_format(t, one, sizeof(one));
		used += (size_t)snprintf(words + used,
					 TORUS_MACHINE_WORDS_SIZE - used,
					 "%s%s%s%s", p ? ", " : "",
					 machine->pods > 1 ? t->name : "",
					 machine->pods > 1 ? " " : "", one);
	}
}

int torus_summary_print(const struct torus_summary *s, FILE *out)
{
	const struct torus_metrics *m = s->metrics;
	const struct torus_histogram *h = &m->placement_ns;
	char trace[PATH_MAX];

	snprintf(trace, sizeof(trace), "%s", s->trace);
	torus_error_plain(trace);
	fprintf(out,
		"%s on %s (%" PRIu32 " nodes), strategy %s, discipline "
		"%s\n\n",
		trace, s->machine, s->nodes, s->strategy, s->discipline);
	if (torus_metrics_growing(m, s->nodes))
		fputs("growing: the queue grows to the end of the trace; waits depend on its length\n\n",
		      out);
	summary_count(out, "jobs", m->jobs + torus_summary_skipped(s), "");
	summary_count(out, "kept", m->jobs, "");
	summary_skipped(out, s);
	summary_count(out, "completed", m->outcome[TORUS_OUTCOME_COMPLETED], "");
	summary_count(out, "rejected", m->outcome[TORUS_OUTCOME_REJECTED], "");
	summary_count(out, "missed", m->outcome[TORUS_OUTCOME_MISSED], "");
	if (m->preemptions)
		summary_count(out, "preemptions", m->preemptions,
			      "each ran on later");
	if (m->outcome[TORUS_OUTCOME_FAILED])
		summary_count(out, "failed", m->outcome[TORUS_OUTCOME_FAILED],
			      "a node failed in each of their runs");
	if (m->outcome[TORUS_OUTCOME_UNFINISHED])
		summary_count(out, "unfinished",
			      m->outcome[TORUS_OUTCOME_UNFINISHED],
			      "never started");
	summary_faults(out, s);
	summary_trimmed(out, s);
	summary_measures(out, s);
	summary_count(out, "placement calls", s->metrics->searches, "");
	if (h->total) {
		summary_number(out, "placement time, mean",
			       torus_histogram_mean(h) * 1e-3, 3,
			       "us (one pass in 16 is timed)");
		summary_number(out, "placement time, median",
			       torus_histogram_quantile(h, 0.5) * 1e-3, 3, "us");
		summary_number(out, "placement time, 99 %",
			       torus_histogram_quantile(h, 0.99) * 1e-3, 3,
			       "us");
		summary_number(out, "placement time, most",
			       (double)h->max * 1e-3, 3, "us");
	}
	summary_number(out, "wall time", s->wall_s, 3, "s");
	summary_number(out, "jobs per second", torus_summary_rate(s), 0, "");
	summary_count(out, "peak memory", s->peak_rss_kib, "KiB");
	summary_users(out, s);
	return stream_failed(out) ? -1 : 0;
}
