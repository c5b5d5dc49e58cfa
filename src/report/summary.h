/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary of a replay: a table for people, JSON for programs.
 */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include <stdio.h>

#include "replay/ledger.h"
#include "replay/replay.h"

#define TORUS_SUMMARY_SCHEMA 1

struct torus_summary {
	const char *trace;   /* the file */
	const char *machine; /* in words */
	const char *torus;   /* operand of --torus */
	const char *strategy;
	const char *discipline;
	struct {
		const struct torus_machine *machine; /* NULL: unknown */
		const struct torus_scheduler_settings *scheduler;
		const struct torus_replay_options *replay;
		uint64_t max_jobs; /* 0: all */
	} policy;
	uint32_t nodes;
	struct torus_trace_counts counts;
	struct torus_trace_header header;
	const struct torus_metrics *metrics;
	const struct torus_metrics *trimmed;   /* measures of a window, or
						  NULL */
	const struct torus_ledger_user *users; /* or NULL */
	size_t user_count;
	const struct torus_ledger_batch *batches; /* or NULL */
	uint32_t batch_count;
	int64_t batch_us; /* length of each */
	double wall_s;
	uint64_t peak_rss_kib;
	uint64_t seed;
	const char *version;
	const char *digest;   /* SHA-256 of the trace, or NULL */
	const char *schedule; /* SHA-256 of the schedule's text, or NULL */
	const char *command;
	const char *not_modelled; /* lines: keys of slurm.conf; or NULL */
};

#define TORUS_MACHINE_WORDS_SIZE 1024

/* Write "8x8x8:TTM"; for several toruses "a 6x4x4, b 48". */
void torus_machine_words(const struct torus_machine *machine,
			 char words[TORUS_MACHINE_WORDS_SIZE]);

/* Write the summary as a table; as JSON. 0, or -1 with errno. */
int torus_summary_print(const struct torus_summary *summary, FILE *out);
/* Return the energy of the nodes by options.power_w; NAN without. */
double torus_summary_energy_kwh(const struct torus_summary *summary);

int torus_summary_json(const struct torus_summary *summary, FILE *out);

static inline uint64_t torus_summary_skipped(const struct torus_summary *s)
{
	return torus_trace_skipped(&s->counts);
}

/* Return kept jobs per second of wall time; 0 if no time passed. */
static inline double torus_summary_rate(const struct torus_summary *s)
{
	return s->wall_s > 0 ? (double)s->metrics->jobs / s->wall_s : 0;
}

#endif
