/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of a replay as a table: a name, a number, a word about it. */
#include "report/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/number.h"

static void line(FILE *out, const char *name, const char *value,
		 const char *about)
{
	fprintf(out, "%-24s %18s%s%s\n", name, value, *about ? "  " : "",
		about);
}

static void count(FILE *out, const char *name, uint64_t n, const char *about)
{
	char value[32];

	snprintf(value, sizeof(value), "%" PRIu64, n);
	line(out, name, value, about);
}

/* A number with its decimals in full, so that points stand in a column. */
static void number(FILE *out, const char *name, double n, int decimals,
		   const char *unit)
{
	char value[64];

	if (isnan(n))
		snprintf(value, sizeof(value), "-");
	else
		snprintf(value, sizeof(value), "%.*f", decimals, n);
	line(out, name, value, unit);
}

static void skipped(FILE *out, const struct torus_summary *s)
{
	char about[256];

	torus_trace_skipped_words(&s->counts, about, sizeof(about));
	count(out, "skipped", torus_summary_skipped(s), about);
}

static double mean(const struct torus_moments *moments)
{
	return moments->n ? moments->mean : NAN;
}

static void measures(FILE *out, const struct torus_metrics *m, uint32_t nodes)
{
	number(out, "utilization", torus_metrics_utilization(m, nodes, false),
	       4, "of the nodes, as requested");
	number(out, "utilization granted",
	       torus_metrics_utilization(m, nodes, true), 4,
	       "of the nodes, as granted");
	number(out, "mean wait", mean(&m->wait), 2, "s");
	number(out, "mean response", mean(&m->response), 2, "s");
	number(out, "variance of response",
	       torus_moments_variance(&m->response), 0, "s^2");
	number(out, "mean bounded slowdown", mean(&m->slowdown), 3,
	       "(runs below 10 s count as 10 s)");
	number(out, "last end", torus_metrics_span(m), 2,
	       "s after the first submit");
	if (m->deadlines) {
		number(out, "jobs missed", torus_metrics_miss(m, false), 4,
		       "of those with a deadline, rejected ones included");
		number(out, "work missed", torus_metrics_miss(m, true), 4, "");
	}
	number(out, "mean queue length", torus_metrics_queue(m), 2, "jobs");
	number(out, "mean running jobs", torus_metrics_running(m), 2, "");
}

int torus_summary_print(const struct torus_summary *s, FILE *out)
{
	const struct torus_metrics *m = s->metrics;
	const struct torus_histogram *h = &m->placement_ns;

	fprintf(out, "%s on %s (%" PRIu32 " nodes), strategy %s, discipline "
		"%s\n\n", s->trace, s->machine, s->nodes, s->strategy,
		s->discipline);
	count(out, "jobs", m->jobs + torus_summary_skipped(s), "");
	count(out, "kept", m->jobs, "");
	skipped(out, s);
	count(out, "completed", m->outcome[TORUS_OUTCOME_COMPLETED], "");
	count(out, "rejected", m->outcome[TORUS_OUTCOME_REJECTED], "");
	count(out, "missed", m->outcome[TORUS_OUTCOME_MISSED], "");
	if (m->outcome[TORUS_OUTCOME_UNFINISHED])
		count(out, "unfinished", m->outcome[TORUS_OUTCOME_UNFINISHED],
		      "never started");
	measures(out, m, s->nodes);
	count(out, "placement calls", s->calls.searches, "");
	if (h->total) {
		number(out, "placement time, median",
		       torus_histogram_quantile(h, 0.5) * 1e-3, 3,
		       "us (one pass in 16 is timed)");
		number(out, "placement time, 99 %",
		       torus_histogram_quantile(h, 0.99) * 1e-3, 3, "us");
		number(out, "placement time, most", (double)h->max * 1e-3, 3,
		       "us");
	}
	number(out, "wall time", s->wall_s, 3, "s");
	number(out, "jobs per second", torus_summary_rate(s), 0, "");
	count(out, "peak memory", s->peak_rss_kib, "KiB");
	if (!ferror(out))
		return 0;
	errno = errno ? errno : EIO;
	return -1;
}
