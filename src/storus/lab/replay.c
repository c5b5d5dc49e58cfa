/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus replay: a trace of jobs through a machine, a strategy and a
 * discipline; a summary, and the schedule on request.
 *
 * All input is checked before an output is opened, and outputs appear only if the
 * replay succeeds.
 *
 * A schedule has fixed columns without its origin: the summary with the origin goes to
 * FILE.csv.json beside FILE.csv.
 */
#include "storus/lab/replay_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "format/journal_file.h"
#include "replay/pipe.h"
#include "replay/replay.h"
#include "replay/engine.h"
#include "report/schedule.h"
#include "report/summary.h"
#include "replay/slurm_site.h"
#include "storus/base/args.h"
#include "storus/base/notices.h"
#include "storus/base/output.h"
#include "storus/base/progress.h"
#include "torus/alloc.h"
#include "torus/config.h"
#include "torus/discipline.h"
#include "torus_build.h"
#include "trace/formats/slurm_words.h"

#define NAME &storus_replay
#define NOT_MODELLED " is not modelled"
#define STRATEGIES_SIZE 1024 /* longer ones are cut */

/* What a run holds on to. */
struct replay_session {
	const struct storus_replay_options *opts;
	struct torus_replay_options replay;
	struct torus_config *config;
	struct torus_slurm_site site; /* --slurm-conf */
	struct torus_trace *in;
	struct torus_metrics *metrics;
	struct storus_output json, csv;
	struct storus_output beside; /* the summary beside the schedule */
	char *beside_path;
	struct torus_schedule schedule;
	char schedule_digest[TORUS_TRACE_DIGEST_SIZE];
	struct torus_ledger *ledger;             /* --trim, --per-user */
	struct torus_metrics *trimmed;           /* --trim */
	struct storus_replay_outcomes *outcomes; /* or NULL */
	struct storus_progress progress;
	struct torus_error err;
	int64_t begin_ns, end_ns;
};

static int discipline_set(struct replay_session *s, const char *name)
{
	struct torus_scheduler_settings *settings = &s->config->scheduler;
	const struct torus_discipline *const *all = torus_disciplines();
	const struct torus_discipline *d = torus_discipline_find(name);
	const struct storus_args typed = { .command = s->opts->self,
					   .option = "discipline",
					   .value = name };
	const char *words[64] = { NULL };

	if (torus_policy_is_own(name))
		return torus_policy_set_discipline(name, settings, &s->replay,
						   &s->err) ?
			       storus_say_input(NAME, &s->err) :
			       STORUS_DONE;
	if (d && d != settings->discipline)
		/* The options of the file belong to another discipline. */
		settings->options = (struct torus_options){ 0 };
	if (d) {
		settings->discipline = d;
		return STORUS_DONE;
	}
	for (size_t n = 0; n < 63 && all[n]; n++)
		words[n] = all[n]->name;
	storus_args_choice(&typed, words);
	return STORUS_USAGE;
}

/* The strategy; of toruses that differ, each with the name of its torus. */
static void strategies_name(const struct torus_machine *m, char *buffer,
			    size_t size)
{
	char name[TORUS_POLICY_NAME_SIZE];
	const char *first = torus_policy_strategy_name(m->pod[0].strategy[0],
						       name);
	bool differ = false;
	size_t used = 0;

	for (uint32_t p = 1; p < m->pods; p++)
		differ |= m->pod[p].strategy[0] != m->pod[0].strategy[0];
	snprintf(buffer, size, "%s", first);
	for (uint32_t p = 0; differ && p < m->pods && used < size; p++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s: %s",
					 p ? ", " : "", m->pod[p].torus.name,
					 m->pod[p].strategy[0]->name);
}

/* With --partition NAME=NODES: check that the machine, of one torus, has the nodes. */
static int confine_check(const struct replay_session *s)
{
	const struct torus_machine *m = &s->config->machine;
	const char *p = m->pods == 1 ? s->opts->options.confine : NULL;

	for (; p && *p; p += *p == ',') {
		size_t n = strcspn(p, ","), name = strcspn(p, "=,");
		const char *nodes = p + (name < n ? name + 1 : 0), *dash;

		dash = nodes + strspn(nodes, "0123456789");
		if (strtoull(*dash == '-' ? dash + 1 : nodes, NULL, 10) >=
		    m->pod[0].torus.nodes)
			return storus_say(s->opts->self, STORUS_USAGE,
					  "--partition: got \"%.*s\": the nodes of %s are 0 to %u",
					  (int)n, p, s->opts->torus,
					  m->pod[0].torus.nodes - 1);
		p += n;
	}
	return STORUS_DONE;
}

/* Report options that the machine or the discipline does not use. */
static int options_check(struct replay_session *s)
{
	const struct storus_replay_options *r = s->opts;
	const struct torus_machine *m = &s->config->machine;
	struct torus_error notices = { 0 };
	char strategies[STRATEGIES_SIZE];

	const struct torus_discipline *d = s->config->scheduler.discipline;

	if (r->wait_limit_us >= 0 && !d->limits_waiting)
		return storus_say(s->opts->self, STORUS_USAGE,
				  "--wait-limit has no effect on the discipline %s: %s; omit it",
				  d->name, d->why_no_limit);
	if (s->config->scheduler.wait_limit_us != TORUS_NO_TIME &&
	    !d->limits_waiting)
		storus_say(s->opts->self, 0,
			   "notice: wait_limit of %s has no effect on the discipline %s: %s",
			   r->torus, d->name, d->why_no_limit);
	if (confine_check(s))
		return STORUS_USAGE;
	torus_replay_options_notice(&r->options, &notices);
	storus_say_errors(s->opts->self, STORUS_DONE, &notices);
	if (!r->options.contention)
		return STORUS_DONE;
	if (torus_dilate_supports(m, &s->err))
		return storus_say_errors(s->opts->self, STORUS_USAGE, &s->err);
	strategies_name(m, strategies, sizeof(strategies));
	if (!torus_dilate_matters(m))
		storus_say(s->opts->self, 0,
			   "notice: --contention has no effect on %s, whose boxes share no links; subtorus interleaves",
			   strategies);
	return STORUS_DONE;
}

/* With --faults MTBF,MTTR,links: check that some torus has links that may fail. */
static int replay_fail_links(struct replay_session *s)
{
	if (!s->opts->options.faults[TORUS_FAULT_LINKS].mtbf_us ||
	    torus_config_fail_links(s->config, &s->err) == 0)
		return STORUS_DONE;
	return storus_say(s->opts->self, STORUS_USAGE, "--faults: links: %s",
			  s->err.text);
}

int storus_replay_set_options(struct torus_config *config,
			      const struct torus_options *o,
			      struct torus_error *err)
{
	for (uint32_t i = 0; i < o->used; i++) {
		const char *key = o->item[i].key;
		bool had;

		if (!torus_config_option(config, key, o->item[i].value, &had,
					 err) &&
		    !had)
			torus_config_option_unknown(config, key, err);
	}
	return err->count ? -1 : 0;
}

int storus_replay_anywhere(struct torus_machine *m, struct torus_error *err)
{
	const struct torus_strategy *any = torus_strategy_find("flat");

	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		uint32_t i = 0;

		while (i < pod->strategies && pod->strategy[i] != any)
			i++;
		if (i == pod->strategies && torus_machine_allow(m, p, any, err))
			return -1;
	}
	return 0;
}

int storus_replay_journal(struct torus_trace *trace,
			  struct torus_config *config, struct torus_error *err)
{
	struct torus_trace_head head;

	switch (torus_trace_head(trace, &head, err)) {
	case TORUS_TRACE_REFUSED:
		errno = EINVAL;
		return -1;
	case TORUS_TRACE_FAILED:
		errno = errno ? errno : ENOMEM;
		return -1;
	default:
		break;
	}
	if (head.links)
		torus_config_allow_links(config);
	if (!head.journal)
		return 0;
	config->scheduler.as_live = true; /* as its scheduler did */
	if (head.settings)
		journal_settings_complete(head.settings, &config->scheduler);
	return storus_replay_anywhere(&config->machine, err) ||
			       torus_config_outside(config, head.outside, NULL,
						    err) ?
		       -1 :
		       0;
}

/* Say the lines of a text about slurm.conf, from an offset on. */
static void replay_slurm_say(const struct replay_session *s,
			     const struct torus_text *text, size_t from,
			     const char *behind)
{
	const char *end;

	for (const char *line = text->data ? text->data + from : ""; *line;
	     line = end + 1) {
		end = strchr(line, '\n');
		storus_say(s->opts->self, 0, "notice: %s: %.*s%s",
			   s->opts->slurm_conf, (int)(end - line), line, behind);
	}
}

/* With --slurm-conf: read it, and say what of it is not modelled. */
static int replay_slurm_read(struct replay_session *s)
{
	const struct storus_replay_options *r = s->opts;
	struct torus_scheduler_settings *how = &s->config->scheduler;
	bool asked = strcmp(how->discipline->name, "slurm-backfill") == 0;

	if (!asked && (r->slurm_conf || r->shares))
		return storus_say(s->opts->self, STORUS_USAGE,
				  "--%s is for --discipline slurm-backfill",
				  r->slurm_conf ? "slurm-conf" : "shares");
	if (!asked)
		return STORUS_DONE;
	if (!r->slurm_conf)
		return storus_say(s->opts->self, STORUS_USAGE,
				  "--discipline slurm-backfill: --slurm-conf is missing: write for example --slurm-conf /etc/slurm/slurm.conf");
	if (torus_slurm_site_read(&s->site, r->slurm_conf, r->shares, s->config,
				  r->input.choice.size == TORUS_TRACE_SIZE_CPUS,
				  &s->err))
		return storus_say_input(s->opts->self, &s->err);
	how->slurm = &s->site.slurm;
	replay_slurm_say(s, &s->site.assumed, 0, "");
	replay_slurm_say(s, &s->site.not_modelled, 0, NOT_MODELLED);
	return STORUS_DONE;
}

/* Check the machine and the trace before the first job. */
static int replay_inputs_open(struct replay_session *s)
{
	const struct storus_replay_options *r = s->opts;
	int status;

	s->config = torus_config_load(r->torus, &s->err);
	if (!s->config)
		return storus_say_input(s->opts->self, &s->err);
	if ((r->strategy &&
	     torus_config_strategy(s->config, r->strategy, &s->err)) ||
	    (r->link_file &&
	     torus_config_link_file(s->config, r->link_file, &s->err)))
		return storus_say_input(s->opts->self, &s->err);
	if (r->discipline) {
		status = discipline_set(s, r->discipline);
		if (status)
			return status;
	}
	if (r->recorded) {
		s->config->scheduler.discipline = &torus_discipline_recorded;
		s->config->scheduler.options = (struct torus_options){ 0 };
		s->config->scheduler.wait_limit_us = TORUS_NO_TIME;
	}
	status = storus_replay_deadlines(r, &s->config->scheduler);
	if (!status)
		status = storus_replay_set_options(s->config,
						   &s->opts->of_policy,
						   &s->err) ?
				 storus_say_input(s->opts->self, &s->err) :
				 STORUS_DONE;
	if (!status)
		status = replay_slurm_read(s);
	if (status)
		return status;
	if (r->wait_limit_us >= 0)
		s->config->scheduler.wait_limit_us = r->wait_limit_us;
	status = options_check(s);
	if (status)
		return status;
	s->in = torus_trace_open(r->trace, &r->input, &s->err);
	if (!s->in || storus_replay_journal(s->in, s->config, &s->err))
		return storus_say_input(s->opts->self, &s->err);
	status = replay_fail_links(s);
	if (status)
		return status;
	s->metrics = torus_metrics_create();
	if (r->trimmed)
		s->trimmed = torus_metrics_create();
	if (r->trimmed || r->per_user)
		s->ledger = torus_ledger_create();
	if (!s->metrics || (r->trimmed && !s->trimmed) ||
	    ((r->trimmed || r->per_user) && !s->ledger))
		return storus_no_memory(s->opts->self);
	return STORUS_DONE;
}

/* The file beside the schedule may not replace an input. */
static int beside_check(struct replay_session *s)
{
	const struct storus_replay_options *r = s->opts;
	const struct {
		const char *file, *what;
	} input[] = { { r->trace, "trace" },
		      { r->torus, "file of --torus" },
		      { r->link_file, "file of --link-file" },
		      { r->slurm_conf, "file of --slurm-conf" },
		      { r->shares, "file of --shares" } };

	if (!r->schedule)
		return STORUS_DONE;
	if (asprintf(&s->beside_path, "%s.json", r->schedule) < 0) {
		s->beside_path = NULL;
		return storus_no_memory(NAME);
	}
	for (size_t i = 0; i < sizeof(input) / sizeof(*input); i++)
		if (input[i].file &&
		    storus_output_replaces(s->beside_path, input[i].file))
			return storus_say(NAME, STORUS_USAGE,
					  "--schedule: the summary beside it goes to \"%s\", which is the %s; it would be overwritten",
					  s->beside_path, input[i].what);
	return STORUS_DONE;
}

/* Write the summary of a schedule to its own file, unless --json writes that file. */
static int beside_open(struct replay_session *s)
{
	const struct storus_replay_options *r = s->opts;

	if (!s->csv.temporary) /* the standard output, a pipe, a device */
		return 0;
	if (r->json && (!strcmp(r->json, s->beside_path) ||
			storus_output_same(r->json, s->beside_path)))
		return 0;
	return storus_output_open(&s->beside, s->beside_path);
}

static int outputs_open(struct replay_session *s)
{
	const struct storus_replay_options *r = s->opts;

	if (r->json && storus_output_open(&s->json, r->json))
		return storus_output_failed(NAME, r->json);
	if (!r->schedule)
		return STORUS_DONE;
	if (storus_output_open(&s->csv, r->schedule) ||
	    torus_schedule_begin(&s->schedule, &s->config->machine,
				 s->csv.stream))
		return storus_output_failed(NAME, r->schedule);
	return beside_open(s) ? storus_output_failed(NAME, s->beside_path) :
				STORUS_DONE;
}

static int on_row(void *arg, const struct torus_machine *m,
		  const struct torus_replay_row *row)
{
	struct replay_session *s = arg;

	if (s->outcomes) {
		struct storus_replay_outcome *job;

		if (TORUS_GROW(s->outcomes->job, s->outcomes->room, row->number))
			return -1;
		while (s->outcomes->jobs < row->number)
			s->outcomes->job[s->outcomes->jobs++].known = false;
		job = &s->outcomes->job[row->number - 1];
		job->account = row->account;
		job->known = true;
		snprintf(job->user, sizeof(job->user), "%s", row->user);
		return 0;
	}

	if (s->ledger && torus_ledger_add(s->ledger, &row->account, row->user))
		return -1;
	if (!s->opts->schedule || !torus_schedule_row(&s->schedule, m, row))
		return 0;
	return torus_error_add(&s->err, "%s: cannot be written: %s",
			       strcmp(s->opts->schedule, "-") ?
				       s->opts->schedule :
				       "standard output",
			       strerror(errno));
}

static void on_tick(void *arg, uint64_t jobs)
{
	struct replay_session *s = arg;
	uint64_t read, size;

	torus_trace_progress(s->in, &read, &size);
	storus_progress_update(&s->progress, read, size, jobs);
}

/* Report that the machine is too small for some jobs of the trace. */
static void machine_compare(const struct replay_session *s)
{
	int64_t processors = torus_trace_header(s->in)->max_processors;
	int64_t theirs = torus_trace_header(s->in)->max_nodes;
	uint32_t nodes = s->config->machine.nodes;

	if (processors <= nodes || s->opts->options.scale < 1)
		return;
	if (theirs > 0 && theirs < processors)
		storus_say(s->opts->self, 0,
			   "notice: %s is of a machine with %lld processors on %lld nodes, this one has %u nodes; --scale %.6g converts processors to nodes",
			   storus_input_name(s->opts->trace),
			   (long long)processors, (long long)theirs, nodes,
			   (double)theirs / (double)processors);
	else
		storus_say(s->opts->self, 0,
			   "notice: %s is of a machine with %lld processors, this one has %u nodes; --scale below 1 makes jobs smaller",
			   storus_input_name(s->opts->trace),
			   (long long)processors, nodes);
}

/* Report priorities that the order of the queue does not use, or misses. */
static void priorities_compare(const struct replay_session *s)
{
	const struct torus_trace_priorities *p = torus_trace_priorities(s->in);

	if (p->least < p->most && !s->config->scheduler.order_by_priority)
		storus_say(s->opts->self, 0,
			   "notice: %s has priorities from %.15g to %.15g, which have no effect: the queue is ordered by arrival; set scheduler: {order: priority} in torus.yaml to use them",
			   storus_input_name(s->opts->trace), p->least, p->most);
	/* a job without a priority has 0 */
	if (!(p->least < 0) && !(p->most > 0) &&
	    s->config->scheduler.order_by_priority)
		storus_say(s->opts->self, 0,
			   "notice: no job of %s has a priority: the queue, which %s orders by priority, is in order of arrival",
			   storus_input_name(s->opts->trace), s->opts->torus);
}

/* Report jobs with a WaitLimit of their own that the discipline does not use. */
static void wait_limits_compare(const struct replay_session *s)
{
	const struct torus_discipline *d = s->config->scheduler.discipline;
	uint64_t jobs = torus_trace_counts(s->in)->wait_limited;

	if (jobs && !d->limits_waiting)
		storus_say(s->opts->self, 0,
			   "notice: %llu jobs of %s have a wait_limit, which has no effect on the discipline %s: %s",
			   (unsigned long long)jobs,
			   storus_input_name(s->opts->trace), d->name,
			   d->why_no_limit ? d->why_no_limit :
					     "it does not limit waits");
}

/* Of a journal: jobs that ran when it begins. */
static void begun_say(const struct replay_session *s)
{
	const struct torus_metrics *m = s->metrics;

	if (m->taken)
		storus_say(s->opts->self, 0,
			   "notice: %s: %llu job%s that ran when the journal begins ha%s their nodes from the beginning",
			   storus_input_name(s->opts->trace),
			   (unsigned long long)m->taken,
			   m->taken == 1 ? "" : "s", m->taken == 1 ? "s" : "ve");
	if (m->begun > m->taken)
		storus_say(s->opts->self, 0,
			   "notice: %s: %llu job%s that ran when the journal begins cannot be taken over: this machine lacks their nodes",
			   storus_input_name(s->opts->trace),
			   (unsigned long long)(m->begun - m->taken),
			   m->begun - m->taken == 1 ? "" : "s");
}

/* With --pass-budget: report the passes that it cut. */
static void cut_say(const struct replay_session *s)
{
	const struct torus_metrics *m = s->metrics;

	if (m->cut)
		storus_say(s->opts->self, 0,
			   "notice: --pass-budget: %llu pass%s ended early; the longest took %.3f s",
			   (unsigned long long)m->cut, m->cut == 1 ? "" : "es",
			   (double)m->pass_max_ns * 1e-9);
}

/* Report each --outage that was not in effect while the replay lasted. */
static void outages_say(const struct replay_session *s)
{
	int64_t shift_us = torus_trace_header(s->in)->unix_start * 1000000;
	char from[TORUS_SLURM_DAY_SIZE], to[TORUS_SLURM_DAY_SIZE];

	if (s->metrics->last_end_us <= s->metrics->first_submit_us)
		return;
	shift_us = shift_us > 0 ? shift_us : 0;
	for (uint32_t k = 0; k < s->opts->options.outages; k++)
		if (s->metrics->outages_unmet >> k & 1)
			storus_say(s->opts->self, 0,
				   "notice: --outage: \"%s\" is never while the replay lasts, from %s to %s; write a time within it",
				   s->opts->options.outage[k],
				   torus_slurm_day_text(s->metrics->first_submit_us +
								shift_us,
							from),
				   torus_slurm_day_text(s->metrics->last_end_us +
								shift_us,
							to));
}

/* Report jobs whose partition slurm.conf does not have. */
static void strangers_say(const struct replay_session *s)
{
	if (s->metrics->strangers)
		storus_say(s->opts->self, 0,
			   "notice: %s: %llu job%s of partitions that %s does not have %s in its default partition",
			   storus_input_name(s->opts->trace),
			   (unsigned long long)s->metrics->strangers,
			   s->metrics->strangers == 1 ? "" : "s",
			   s->opts->slurm_conf,
			   s->metrics->strangers == 1 ? "is" : "are");
}

/* Report that no job completed: means are then empty. */
static void completed_say(const struct replay_session *s)
{
	const uint64_t *n = s->metrics->outcome;

	if (n[TORUS_OUTCOME_COMPLETED])
		return;
	storus_say(s->opts->self, 0,
		   "notice: no job completed: %" PRIu64 " rejected, %" PRIu64
		   " missed, %" PRIu64 " failed, %" PRIu64 " never started",
		   n[TORUS_OUTCOME_REJECTED], n[TORUS_OUTCOME_MISSED],
		   n[TORUS_OUTCOME_FAILED], n[TORUS_OUTCOME_UNFINISHED]);
}

static int replay_run(struct replay_session *s)
{
	static const int status[] = {
		[TORUS_REPLAY_DONE] = STORUS_DONE,
		[TORUS_REPLAY_REFUSED] = STORUS_USAGE,
		[TORUS_REPLAY_FAILED] = STORUS_TROUBLE,
		[TORUS_REPLAY_VIOLATION] = STORUS_TROUBLE,
	};
	struct torus_replay_hooks hooks = {
		.arg = s,
		.row = s->opts->schedule || s->ledger || s->outcomes ? on_row :
								       NULL
	};
	size_t named = s->site.not_modelled.length;
	enum torus_replay_answer answer;

	if (storus_progress_begin(&s->progress))
		hooks.tick = on_tick;
	answer = torus_replay_run(s->in, &s->config->machine,
				  &s->config->scheduler, &s->replay, &hooks,
				  s->metrics, &s->err);
	storus_progress_end(&s->progress);
	s->end_ns = torus_clock_ns();
	if (torus_slurm_site_replayed(&s->site, s->metrics))
		return storus_no_memory(s->opts->self);
	if (answer == TORUS_REPLAY_DONE && s->opts->quiet)
		return STORUS_DONE;
	storus_trace_notices(s->opts->self, storus_input_name(s->opts->trace),
			     s->in, s->opts->input.strict);
	storus_trace_replayed(s->opts->self, storus_input_name(s->opts->trace),
			      s->in, &s->opts->input.choice,
			      s->config->machine.nodes,
			      !s->opts->options.estimate_run &&
				      !s->opts->recorded && !s->opts->slurm_conf,
			      s->opts->slurm_conf != NULL);
	if (s->metrics->untimed)
		storus_say(s->opts->self, 0,
			   "notice: %s: %" PRIu64 " of %" PRIu64
			   " jobs have no start and are unfinished",
			   storus_input_name(s->opts->trace),
			   s->metrics->untimed, s->metrics->jobs);
	if (answer == TORUS_REPLAY_DONE &&
	    storus_trace_usable(s->opts->self, storus_input_name(s->opts->trace),
				torus_trace_counts(s->in)))
		return STORUS_USAGE;
	machine_compare(s);
	if (!s->opts->recorded)
		priorities_compare(s);
	wait_limits_compare(s);
	begun_say(s);
	cut_say(s);
	strangers_say(s);
	replay_slurm_say(s, &s->site.not_modelled, named, NOT_MODELLED);
	outages_say(s);
	if (answer == TORUS_REPLAY_DONE)
		completed_say(s);
	if (answer == TORUS_REPLAY_FAILED && !s->err.count)
		return storus_say(s->opts->self, STORUS_TROUBLE, "%s",
				  strerror(errno));
	return storus_say_errors(s->opts->self, status[answer], &s->err);
}

static void machine_name(const struct torus_config *config, char *buffer,
			 size_t size)
{
	if (config->machine.pods == 1)
		torus_format(&config->machine.pod[0].torus, buffer, size);
	else
		snprintf(buffer, size, "%s", config->path);
}

static uint64_t peak_rss_kib(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss;
}

/* Write all outputs, then commit them. */
static int results_write(struct replay_session *s,
			 struct torus_summary *summary, char *digest)
{
	const struct storus_replay_options *r = s->opts;
	bool table = !(r->json && !strcmp(r->json, "-")) &&
		     !(r->schedule && !strcmp(r->schedule, "-"));

	if (s->opts->input.digest) {
		if (torus_trace_digest(s->in, digest))
			return storus_say(NAME, STORUS_TROUBLE, "%s: %s",
					  r->trace, strerror(errno));
		summary->digest = digest;
	}
	if (r->schedule) {
		if (torus_schedule_finish(&s->schedule, s->schedule_digest))
			return storus_output_failed(NAME, r->schedule);
		summary->schedule = s->schedule_digest;
	}
	if (r->json && (torus_summary_json(summary, s->json.stream) ||
			storus_output_finish(&s->json)))
		return storus_output_failed(NAME, r->json);
	if (s->beside.stream && (torus_summary_json(summary, s->beside.stream) ||
				 storus_output_finish(&s->beside)))
		return storus_output_failed(NAME, s->beside_path);
	if (r->schedule && storus_output_finish(&s->csv))
		return storus_output_failed(NAME, r->schedule);
	if (r->json && storus_output_commit(&s->json))
		return storus_output_failed(NAME, r->json);
	if (s->beside.path && storus_output_commit(&s->beside))
		return storus_output_failed(NAME, s->beside_path);
	if (r->schedule && storus_output_commit(&s->csv))
		return storus_output_failed(NAME, r->schedule);
	if (table && torus_summary_print(summary, stdout))
		return storus_output_failed(NAME, "-");
	return STORUS_DONE;
}

/* The window, and the users of it. */
static int ledger_ask(struct replay_session *s, struct torus_summary *summary)
{
	int64_t from_us = INT64_MIN, to_us = INT64_MAX;

	if (s->trimmed) {
		if (torus_ledger_trim(s->ledger, &s->opts->trim, s->trimmed,
				      &s->err))
			return storus_say_errors(NAME, STORUS_USAGE, &s->err);
		summary->trimmed = s->trimmed;
		from_us = s->trimmed->first_submit_us;
		to_us = s->trimmed->last_end_us;
	}
	if (s->opts->per_user &&
	    torus_ledger_users(s->ledger, from_us, to_us, &summary->users,
			       &summary->user_count))
		return storus_no_memory(NAME);
	return STORUS_DONE;
}

static int replay_results(struct replay_session *s)
{
	const struct torus_config *config = s->config;
	char digest[TORUS_TRACE_DIGEST_SIZE], machine[256];
	char strategies[STRATEGIES_SIZE], discipline[TORUS_POLICY_NAME_SIZE];
	struct torus_summary summary = {
		.trace = storus_input_name(s->opts->trace),
		.machine = machine,
		.torus = s->opts->torus,
		.strategy = strategies,
		.discipline =
			torus_policy_discipline_name(config->scheduler.discipline,
						     &s->replay, discipline),
		.policy = { &config->machine, &config->scheduler, &s->replay,
			    s->opts->input.max_jobs },
		.nodes = config->machine.nodes,
		.counts = *torus_trace_counts(s->in),
		.header = *torus_trace_header(s->in),
		.metrics = s->metrics,
		.wall_s = (double)(s->end_ns - s->begin_ns) * 1e-9,
		.peak_rss_kib = peak_rss_kib(),
		.seed = s->opts->seed,
		.version = PACKAGE_VERSION,
		.command = s->opts->command,
		.not_modelled = s->opts->slurm_conf ?
					s->site.not_modelled.data ?
					s->site.not_modelled.data :
					"" :
					NULL,
	};
	int status;

	machine_name(config, machine, sizeof(machine));
	if (s->opts->recorded)
		snprintf(strategies, sizeof(strategies), "recorded");
	else
		strategies_name(&config->machine, strategies,
				sizeof(strategies));
	status = ledger_ask(s, &summary);
	return status ? status : results_write(s, &summary, digest);
}

static void replay_session_free(struct replay_session *s)
{
	free(s->beside_path);
	torus_ledger_destroy(s->ledger);
	torus_metrics_destroy(s->trimmed);
	torus_metrics_destroy(s->metrics);
	torus_trace_close(s->in);
	torus_slurm_site_free(&s->site);
	torus_config_destroy(s->config);
}

static int replay_do_run(void *words)
{
	struct storus_replay_options *opts = words;
	struct replay_session s = { .opts = opts, .begin_ns = torus_clock_ns() };
	int status;

	opts->self = NAME;
	status = storus_replay_check(opts);

	if (status != STORUS_GO)
		return status;
	opts->input.digest = opts->json || opts->schedule;
	opts->input.state = true;
	opts->options.other_machine = true;
	opts->options.idle = (opts->json || opts->schedule) && !opts->recorded;
	s.replay = opts->options;
	status = replay_inputs_open(&s);
	if (!status)
		status = beside_check(&s);
	if (!status)
		status = outputs_open(&s);
	if (!status)
		status = replay_run(&s);
	if (!status)
		status = replay_results(&s);
	torus_schedule_end(&s.schedule);
	storus_output_discard(&s.json);
	storus_output_discard(&s.csv);
	storus_output_discard(&s.beside);
	replay_session_free(&s);
	return status;
}

int storus_replay_outcomes(const struct storus_replay_options *opts,
			   struct storus_replay_outcomes *out)
{
	struct replay_session s = { .opts = opts,
				    .outcomes = out,
				    .replay = opts->options,
				    .begin_ns = torus_clock_ns() };
	int status = replay_inputs_open(&s);

	if (!status)
		status = replay_run(&s);
	if (!status && torus_trace_digest(s.in, out->digest))
		status = storus_say(opts->self, STORUS_TROUBLE, "%s: %s",
				    opts->trace, strerror(errno));
	if (!status) {
		out->nodes = s.config->machine.nodes;
		out->recorded = opts->recorded;
		out->growing = torus_metrics_growing(s.metrics, out->nodes);
		out->discipline = s.config->scheduler.discipline->name;
		machine_name(s.config, out->machine, sizeof(out->machine));
	}
	replay_session_free(&s);
	return status;
}

const struct storus_command storus_replay = {
	.name = "replay",
	.summary = "replay a trace of jobs on a machine under a policy",
	.usage = "TRACE --torus FILE|MACHINE [OPTION]...",
	.about = "TRACE is a file in the Standard Workload Format, CSV or the output of "
		 "sacct -P,\nplain or gzipped; - is the standard input. CSV columns: "
		 "id, submit, run, nodes,\n" TORUS_REQUEST_COLUMNS "limit,\n"
		 "deadline, user, partition, priority, nice, account, qos, wait_limit;\nneeded are submit, "
		 "run and nodes or geometry.",
	.options = storus_replay_options,
	STORUS_WORDS(struct storus_replay_options, .wait_limit_us = -1,
		     .mean_hold_us = -1, .seed = 1,
		     .options = TORUS_REPLAY_OPTIONS),
	.line = { STORUS_TO(struct storus_replay_options, command) },
	.operand = { .value = "trace",
		     STORUS_TO(struct storus_replay_options, trace) },
	.examples =
		"  storus replay --torus flat:128 --discipline fcfs trace.swf.gz\n"
		"  storus replay --torus 8x8x16 --json=summary.json trace.swf.gz\n"
		"  storus replay --torus torus.yaml --schedule schedule.csv jobs.csv\n"
		"  storus generate lublin | storus replay --torus flat:128 "
		"--trim 10% -\n"
		"  storus replay --torus 8x8x16 --faults 90d,4h --faults "
		"30d,12h,links jobs.csv\n"
		"  zcat trace.swf.gz | storus replay --torus 8x8x8:TTM -\n",
	.run = replay_do_run,
};
