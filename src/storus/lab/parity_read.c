/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two halves of storus parity: the jobs of a trace with their starts, and a replay
 * of them. All jobs are kept and sorted (trace/joined.h). Jobs are replayed under their
 * position, since a requeued job appears in sacct's output several times with its
 * number.
 *
 * Cost: O(n log n) time; memory for every job's record.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/placement.h"
#include "format/journal_file.h"
#include "storus/base/notices.h"
#include "storus/lab/parity.h"
#include "storus/lab/replay_options.h"
#include "storus/storus.h"
#include "torus/alloc.h"
#include "torus/discipline.h"

#define NAME &storus_parity
#define SECOND_US INT64_C(1000000)

int parity_refused(const struct torus_error *err, bool input)
{
	return storus_say_errors(NAME, input ? STORUS_USAGE : STORUS_TROUBLE,
				 err);
}

/* The live half */

static int parity_read_add(void *arg, const struct torus_trace_record *r)
{
	struct parity *p = arg;
	struct torus_trace_record *to;

	if (TORUS_GROW(p->record, p->room, p->records + 1))
		return -1;
	to = &p->record[p->records++];
	if (torus_trace_record_copy(to, r))
		return -1;
	if (r->outside > p->outside)
		p->outside = r->outside;
	if (r->kind || r->begun)
		return 0;
	/* it started, so it was submitted */
	if (r->start_us != TORUS_NO_TIME && to->submit_us > r->start_us)
		to->submit_us = r->start_us;
	return 0;
}

static void make_pair(struct parity *p, struct torus_trace_record *r,
		      uint32_t part)
{
	struct parity_pair *pair = &p->pair[p->pairs];

	pair->submit_us = r->submit_us;
	pair->live_us = r->start_us;
	pair->live_end_us = r->start_us == TORUS_NO_TIME ?
				    TORUS_NO_TIME :
				    r->start_us + r->run_us;
	pair->replay_us = pair->replay_end_us = TORUS_NO_TIME;
	pair->part = part;
	pair->taken_over = r->begun != 0;
	memcpy(pair->id, r->id, sizeof(pair->id));
	memcpy(pair->live, r->place, sizeof(pair->live));
	snprintf(r->id, sizeof(r->id), "%zu", p->pairs++);
}

static int make_pairs(struct parity *p)
{
	p->pair = torus_alloc(p->records ? p->records : 1, sizeof(*p->pair));
	if (!p->pair)
		return storus_no_memory(NAME);
	for (uint32_t k = 0; k < p->parts.count; k++) {
		const struct torus_trace_part *part = &p->parts.part[k];

		for (size_t i = part->from; i < part->to; i++) {
			if (!p->record[i].kind)
				make_pair(p, &p->record[i], k);
		}
	}
	return STORUS_DONE;
}

static bool parity_of_scheduler(const struct torus_text *settings)
{
	return settings->length && !strncmp(settings->data, "scheduler ", 10);
}

bool parity_is_dry_run(const struct torus_text *settings)
{
	size_t n = strlen(JOURNAL_DRY_RUN);

	return parity_of_scheduler(settings) && settings->length > n &&
	       strcmp(settings->data + settings->length - n, JOURNAL_DRY_RUN) ==
		       0;
}

/* Refuse the journal of a dry run. */
static int parity_check_dry_run(const struct parity *p)
{
	for (size_t i = 0; i < p->records; i++) {
		if (p->record[i].kind == TORUS_TRACE_KIND_STATE &&
		    parity_is_dry_run(&p->record[i].text))
			return storus_say(NAME, STORUS_USAGE,
					  "this is the journal of a dry run, which started nothing; storus parity --dry-run judges it");
	}
	return STORUS_DONE;
}

/* Add a name to a list that does not have it. */
static int parity_add_name(struct torus_text *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *p = list->data; p; p = strchr(p, ',')) {
		p += *p == ',' ? 2 : 0;
		if (strncmp(p, name, length) == 0 &&
		    (p[length] == ',' || p[length] == '\0'))
			return 0;
	}
	return torus_text_add(list, "%s%s", list->length ? ", " : "", name);
}

/* Compare the settings of a piece with those of torus.yaml, and note them. */
static int parity_note_piece(struct parity *p, const char *line)
{
	struct torus_scheduler_settings settings = p->config->scheduler;
	struct torus_text ours = { 0 };
	int rc;

	journal_settings_complete(line, &settings);
	rc = journal_settings(&settings, &ours);

	p->pieces++;
	if (rc == 0 && strcmp(line, ours.data) != 0 && p->changed++ == 0) {
		p->settings = strdup(line);
		rc = p->settings ? 0 : -1;
	}
	torus_text_free(&ours);
	return rc;
}

/* Set the options of --option in a part's settings. */
static int parity_set_options(struct parity *p,
			      struct torus_scheduler_settings *settings)
{
	const struct torus_scheduler_settings saved = p->config->scheduler;
	struct torus_error err = { 0 };
	int rc;

	p->config->scheduler = *settings;
	rc = storus_replay_set_options(p->config, &p->of_policy, &err);
	*settings = p->config->scheduler;
	p->config->scheduler = saved;
	return rc ? parity_refused(&err, true) : STORUS_DONE;
}

/* Set the settings of a part: those that its journal begins with, or those of
 * torus.yaml; with the discipline of --discipline and the options of --option. */
static int parity_settings(struct parity *p, const struct torus_trace_part *part,
			   struct torus_scheduler_settings *settings)
{
	const struct torus_discipline *wanted;
	struct torus_error err = { 0 };
	const char *line = NULL;
	char where[PATH_MAX + 32];

	*settings = p->config->scheduler;
	settings->as_live = true;
	for (size_t i = part->from; i < part->to && !line; i++) {
		if (p->record[i].kind == TORUS_TRACE_KIND_STATE &&
		    parity_of_scheduler(&p->record[i].text))
			line = p->record[i].text.data;
		snprintf(where, sizeof(where), "%s:%llu", p->path,
			 (unsigned long long)p->record[i].line);
	}
	if (line && journal_settings_read(line, where, settings, &err))
		return parity_refused(&err, true);
	if (line && (parity_note_piece(p, line) ||
		     parity_add_name(&p->cluster_disciplines,
				     settings->discipline->name)))
		return storus_no_memory(NAME);
	wanted = p->discipline ? torus_discipline_find(p->discipline) :
				 settings->discipline;
	if (wanted != settings->discipline) {
		p->other_pieces += line != NULL;
		settings->discipline = wanted;
		settings->options = (struct torus_options){ 0 };
		if (torus_discipline_sorts(settings)) /* its default order */
			settings->order_by_priority = false;
	}
	return parity_add_name(&p->disciplines, wanted->name) ?
		       storus_no_memory(NAME) :
		       parity_set_options(p, settings);
}

/* Refuse requests without starts: there is nothing to compare. A journal may be
 * of a cluster that started none. */
static int parity_check_starts(const struct parity *p, const char *path)
{
	if (!p->pairs || p->records > p->pairs)
		return STORUS_DONE;
	for (size_t i = 0; i < p->pairs; i++) {
		if (p->pair[i].live_us != TORUS_NO_TIME)
			return STORUS_DONE;
	}
	return storus_say(NAME, STORUS_USAGE,
			  "%s: no job with a start: expected the journal of sched/torus, or sacct with the column Start",
			  path);
}

int parity_read(struct parity *p, const char *path)
{
	const struct torus_trace_options options = {
		.expected =
			"the journal of sched/torus, or the output of sacct; a file without a line of names needs --columns JobID,User,...",
		.strict = true,
		.unsorted = true,
		.digest = true,
		.open = true,
		.choice = p->choice
	};
	struct torus_error err = { 0 };
	struct torus_trace *trace;
	int status = storus_trace_read(path, &options, parity_read_add, p,
				       &trace, &err);

	p->path = path;
	if (trace)
		p->read = *torus_trace_counts(trace);
	if (!trace && errno != EINVAL) /* it cannot be opened */
		status = STORUS_TROUBLE;
	if (status && trace && err.count == 0)
		err = *torus_trace_bad(trace);
	if (!status && torus_trace_digest(trace, p->digest))
		status = STORUS_TROUBLE;
	/* do its times have fractions of seconds? A journal's have. */
	p->grain_us = SECOND_US;
	for (size_t i = 0; i < p->records; i++) {
		const struct torus_trace_record *r = &p->record[i];

		if (r->stay || r->submit_us % SECOND_US ||
		    (r->start_us != TORUS_NO_TIME && r->start_us % SECOND_US))
			p->grain_us = 0;
	}
	if (!status && p->grain_us) {
		storus_trace_notices(NAME, path, trace, true);
		storus_trace_replayed(NAME, path, trace, &options.choice,
				      p->config->machine.nodes, true, false);
	}
	torus_trace_close(trace);
	if (status)
		return storus_say_errors(NAME, status, &err);
	status = parity_check_dry_run(p);
	if (status != STORUS_DONE)
		return status;
	if (torus_trace_cut(p->record, p->records, &p->parts))
		return storus_no_memory(NAME);
	status = make_pairs(p);
	return status == STORUS_DONE ? parity_check_starts(p, path) : status;
}

/* The other half */

static int parity_read_row(void *arg, const struct torus_machine *m,
			   const struct torus_replay_row *r)
{
	struct parity *p = arg;
	struct torus_text text = { 0 };
	struct parity_pair *pair = &p->pair[torus_number_of(r->id)];

	pair->replayed = true;
	if (!r->place)
		return 0;
	pair->replay_us = r->account.start_us;
	pair->replay_end_us = r->account.end_us;
	if (torus_placement_format(m, r->place, &text) == 0 &&
	    text.length < sizeof(pair->replay))
		snprintf(pair->replay, sizeof(pair->replay), "%s", text.data);
	torus_text_free(&text);
	return 0;
}

static int replay_part(struct parity *p, const struct torus_trace_part *part)
{
	const struct torus_replay_hooks hooks = { .arg = p,
						  .row = parity_read_row };
	enum torus_replay_answer answer;
	struct torus_scheduler_settings settings;
	struct torus_metrics *metrics;
	struct torus_trace *trace;
	struct torus_error err;
	int status = parity_settings(p, part, &settings);

	if (status != STORUS_DONE)
		return status;
	torus_error_clear(&err);
	metrics = torus_metrics_create();
	trace = torus_trace_open_list(p->record + part->from,
				      part->to - part->from);
	if (!metrics || !trace) {
		torus_metrics_destroy(metrics);
		torus_trace_close(trace);
		return storus_no_memory(NAME);
	}
	p->how.until_us = part->until_us;
	answer = torus_replay_run(trace, &p->config->machine, &settings,
				  &p->how, &hooks, metrics, &err);
	torus_metrics_destroy(metrics);
	torus_trace_close(trace);
	if (answer == TORUS_REPLAY_DONE)
		return STORUS_DONE;
	return parity_refused(&err, answer == TORUS_REPLAY_REFUSED);
}

int parity_replay(struct parity *p)
{
	int status = STORUS_DONE;

	for (uint32_t k = 0; k < p->parts.count && status == STORUS_DONE; k++)
		status = replay_part(p, &p->parts.part[k]);
	return status;
}

void parity_free(struct parity *p)
{
	for (size_t i = 0; i < p->records; i++)
		torus_trace_record_free(&p->record[i]);
	torus_free(p->record);
	torus_free(p->parts.part);
	torus_free(p->pair);
	free(p->settings);
	torus_text_free(&p->disciplines);
	torus_text_free(&p->cluster_disciplines);
	torus_config_destroy(p->config);
}
