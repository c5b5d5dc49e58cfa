/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One cell of a campaign: the replay of its values. The summary is that of
 * storus replay; its command names the campaign and the cell.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "campaign/read.h"
#include "campaign/results.h"
#include "replay/pipe.h"
#include "replay/engine.h"
#include "replay/slurm_site.h"
#include "report/summary.h"
#include "torus/alloc.h"
#include "torus/config.h"
#include "torus/discipline.h"
#include "torus_build.h"

struct campaign_run {
	const struct torus_campaign *c;
	const struct torus_cell *cell;
	struct torus_config *config;
	struct torus_slurm_site site; /* with slurm_conf */
	struct torus_trace *trace;
	struct campaign_drawn drawn;             /* the drawn jobs, if any */
	struct torus_metrics *metrics, *trimmed; /* trimmed: or NULL */
	struct torus_ledger_batch *batches;
	uint32_t batch_count;
	struct torus_ledger *ledger; /* the same */
	int64_t begin_ns;
	bool keep; /* store the outcome of each job */
	struct torus_account *list;
	uint64_t jobs;
	uint32_t room;
};

static const struct torus_axis_value *run_value(const struct campaign_run *r,
						enum torus_axis axis)
{
	return torus_cell_value(r->c, r->cell, axis);
}

static const struct torus_campaign_set *run_set(const struct campaign_run *r)
{
	return torus_cell_set(r->c, r->cell);
}

static void discipline_put(struct torus_scheduler_settings *settings,
			   const struct torus_discipline *d)
{
	if (d != settings->discipline)
		/* options in the file belong to another discipline */
		settings->options = (struct torus_options){ 0 };
	settings->discipline = d;
}

/* Set the options of disciplines and strategies. *used: a bit for each that this
 * policy has; it must have those of `needed`. -1 with a line in err. */
static int policy_options(const struct torus_campaign_set *c,
			  struct torus_config *config, uint32_t needed,
			  uint32_t *used, struct torus_error *err)
{
	for (uint32_t i = 0; i < c->policy.used; i++) {
		const char *key = c->policy.item[i].key;
		bool had;

		if (torus_config_option(config, key, c->policy.item[i].value,
					&had, err))
			return -1;
		*used |= (uint32_t)had << i;
		if (!had && needed >> i & 1)
			return torus_config_option_unknown(config, key, err);
	}
	return 0;
}

/* Load the machine with the policy applied; `needed` and `used` as policy_options().
 * Return NULL with lines in err. */
static struct torus_config *policy_load(struct campaign_run *r, uint32_t needed,
					uint32_t *used, struct torus_error *err)
{
	const struct torus_axis_value *m = run_value(r, TORUS_AXIS_MACHINE);
	const struct torus_axis_value *s = run_value(r, TORUS_AXIS_STRATEGY);
	const struct torus_axis_value *how = run_value(r, TORUS_AXIS_DISCIPLINE);
	struct torus_replay_options unused;
	struct torus_config *config =
		torus_config_load(m->path ? m->path : m->word, err);
	const struct torus_discipline *d;

	if (!config)
		return NULL;
	if (strcmp(s->word, TORUS_AXIS_OWN) &&
	    torus_config_strategy(config, s->path ? s->path : s->word, err))
		goto refused;
	if (how->path) {
		if (torus_policy_set_discipline(how->path, &config->scheduler,
						&unused, err))
			goto refused;
	} else if (strcmp(how->word, TORUS_AXIS_OWN)) {
		discipline_put(&config->scheduler, torus_policy_find(how->word));
	}
	if ((run_set(r)->link_file &&
	     torus_config_link_file(config, run_set(r)->link_file, err)) ||
	    policy_options(run_set(r), config, needed, used, err))
		goto refused;
	d = config->scheduler.discipline;
	if (run_set(r)->slurm_conf && !strcmp(d->name, "slurm-backfill")) {
		if (torus_slurm_site_read(&r->site, run_set(r)->slurm_conf,
					  run_set(r)->shares, config,
					  run_set(r)->input.choice.size ==
						  TORUS_TRACE_SIZE_CPUS,
					  err))
			goto refused;
		config->scheduler.slurm = &r->site.slurm;
	}
	if (d == &torus_discipline_recorded &&
	    r->c->axis[TORUS_AXIS_OPTIONS].n < 2 &&
	    torus_recorded_refuses(&run_set(r)->options)) {
		torus_error_add(err,
				"the option %s contradicts the policy recorded, which keeps the trace's starts and ends",
				torus_recorded_refuses(&run_set(r)->options));
		goto refused;
	}
	if (d->supports && d != &torus_discipline_policy &&
	    d->supports(&config->machine, &config->scheduler, err))
		goto refused;
	if (run_set(r)->options.faults[TORUS_FAULT_LINKS].mtbf_us &&
	    torus_config_fail_links(config, err))
		goto refused;
	if (!run_set(r)->options.contention ||
	    !torus_dilate_supports(&config->machine, err))
		return config;
refused:
	torus_config_destroy(config);
	errno = EINVAL;
	return NULL;
}

/* Return the i-th choice of options, machine, strategy and discipline. */
static struct torus_cell policy_at(const struct torus_campaign *c, uint32_t i)
{
	struct torus_cell cell = { { 0 } };

	for (int a = TORUS_AXIS_DISCIPLINE; a >= TORUS_AXIS_MACHINE; a--) {
		cell.at[a] = i % c->axis[a].n;
		i /= c->axis[a].n;
	}
	cell.at[TORUS_AXIS_OPTIONS] = i;
	return cell;
}

/* Add what of slurm.conf is not modelled to the campaign's notices, once. */
static void slurm_say(struct campaign_reader *cr, const struct campaign_run *r)
{
	struct torus_error *notices = &cr->c->notices;
	const char *line = r->site.not_modelled.data, *end;
	char text[512];

	for (; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		snprintf(text, sizeof(text), "notice: %s: %.*s is not modelled",
			 run_set(r)->slurm_conf, (int)(end - line), line);
		if (!strstr(notices->text, text))
			torus_error_add(notices, "%s", text);
	}
	for (line = r->site.assumed.data; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		snprintf(text, sizeof(text), "notice: %s: %.*s",
			 run_set(r)->slurm_conf, (int)(end - line), line);
		if (!strstr(notices->text, text))
			torus_error_add(notices, "%s", text);
	}
}

/* Return true if the cell's policy does not have this option. used: a bit for each of
 * the options of policies that it has. */
static bool option_unused(const struct campaign_run *r, const char *name,
			  uint32_t used)
{
	const struct torus_options *policy = &run_set(r)->policy;

	if (!strcmp(name, "slurm_conf") || !strcmp(name, "shares"))
		return !r->config->scheduler.slurm;
	for (uint32_t i = 0; i < policy->used; i++)
		if (!strcmp(policy->item[i].key, name))
			return !(used >> i & 1);
	return false;
}

/* Return the options, with each that the policy does not have at its first value. */
static uint32_t options_first(const struct campaign_run *r, uint32_t used)
{
	uint32_t options = r->cell->at[TORUS_AXIS_OPTIONS], first = options;

	for (uint32_t k = 0; k < r->c->dimensions; k++) {
		const struct campaign_dimension *d = &r->c->dimension[k];

		if (d->name && option_unused(r, d->name, used))
			first -= options / d->stride % d->values * d->stride;
	}
	return first;
}

/* Check each pair, which must have the `needed` options. Return the options that one
 * has, a bit each. */
static uint32_t pairs_check(struct campaign_reader *cr, uint32_t needed)
{
	struct torus_campaign *c = cr->c;
	bool slurm = false, conf = false;
	uint32_t used = 0;
	uint32_t n = c->axis[TORUS_AXIS_MACHINE].n *
		     c->axis[TORUS_AXIS_STRATEGY].n *
		     c->axis[TORUS_AXIS_DISCIPLINE].n *
		     c->axis[TORUS_AXIS_OPTIONS].n;

	if (!c->first)
		c->first = torus_arena_alloc(&c->arena, n * sizeof(*c->first));
	if (!c->first)
		torus_reader_no_memory(&cr->r);
	for (uint32_t i = 0; i < n && !cr->r.no_memory; i++) {
		struct torus_cell cell = policy_at(c, i);
		struct campaign_run r = { .c = c, .cell = &cell };
		struct torus_error why = { 0 };
		uint32_t own = 0;

		r.config = policy_load(&r, needed, &own, &why);
		used |= own;
		c->first[i] = r.config ? options_first(&r, own) :
					 cell.at[TORUS_AXIS_OPTIONS];
		if (!r.config && why.count == 0)
			torus_reader_no_memory(&cr->r);
		else if (!r.config)
			torus_reader_wrong(&cr->r,
					   run_value(&r, TORUS_AXIS_MACHINE)->line,
					   "machines", "%s with %s and %s: %s",
					   run_value(&r, TORUS_AXIS_MACHINE)->word,
					   run_value(&r, TORUS_AXIS_STRATEGY)
						   ->word,
					   run_value(&r, TORUS_AXIS_DISCIPLINE)
						   ->word,
					   why.text);
		else
			slurm_say(cr, &r);
		slurm |= r.config && r.config->scheduler.slurm;
		conf |= run_set(&r)->slurm_conf || run_set(&r)->shares;
		torus_slurm_site_free(&r.site);
		torus_config_destroy(r.config);
	}
	if (conf && !slurm && !cr->r.wrong && !cr->r.no_memory)
		torus_reader_wrong(&cr->r,
				   c->axis[TORUS_AXIS_OPTIONS].value[0].line,
				   "options",
				   "slurm_conf and shares are for the discipline slurm-backfill, which no cell has");
	return used;
}

/* An option that no pair has is an error of each pair, which names those it has. */
void campaign_pairs_check(struct campaign_reader *cr)
{
	uint32_t all = (UINT32_C(1) << cr->c->set[0].policy.used) - 1;
	uint32_t missing = all & ~pairs_check(cr, 0);

	if (missing && !cr->r.wrong && !cr->r.no_memory)
		pairs_check(cr, missing);
}

static struct torus_trace *trace_open(struct campaign_run *r,
				      struct torus_error *err)
{
	const struct torus_trace_options *options = &run_set(r)->input;
	const struct torus_axis_value *v = run_value(r, TORUS_AXIS_TRACE);
	uint64_t seed = run_value(r, TORUS_AXIS_SEED)->seed;
	struct torus_model_options model;

	if (v->like)
		return campaign_like_open(run_set(r), v,
					  strcmp(run_value(r, TORUS_AXIS_SEED)
							 ->word,
						 TORUS_SEED_LOG) ?
						  seed :
						  CAMPAIGN_LIKE_ITSELF,
					  &r->drawn, err);
	if (v->input)
		return torus_trace_open_list(v->input->records.record,
					     v->input->records.count);
	if (!v->model)
		return torus_trace_open(v->path, options, err);
	model = *v->model;
	model.seed = seed;
	if (options->max_jobs && options->max_jobs < model.jobs)
		model.jobs = options->max_jobs;
	return torus_trace_open_model(&model, err);
}

/* Return the length of batches, 0: none. They are of the log's own time, of jobs as they
 * are; of a log beside its resamples, days (torus_resample_interval()). */
static int64_t run_batch_us(const struct campaign_run *r)
{
	const struct torus_axis_value *v = run_value(r, TORUS_AXIS_TRACE);

	if (v->like)
		return strcmp(run_value(r, TORUS_AXIS_SEED)->word,
			      TORUS_SEED_LOG) ?
			       0 :
			       INT64_C(86400000000);
	return v->model ? 0 : run_set(r)->batch_us;
}

static int run_inputs_open(struct campaign_run *r, struct torus_error *err)
{
	uint32_t used = 0;

	r->config = policy_load(r, 0, &used, err);
	if (!r->config)
		return -1;
	if (run_set(r)->wait_limit_us >= 0)
		r->config->scheduler.wait_limit_us = run_set(r)->wait_limit_us;
	if (run_set(r)->mean_hold_us >= 0)
		r->config->scheduler.mean_hold_us = run_set(r)->mean_hold_us;
	r->trace = trace_open(r, err);
	if (!r->trace)
		return -1;
	r->metrics = torus_metrics_create();
	if (!r->metrics)
		return -1;
	if (run_set(r)->trimmed) {
		r->trimmed = torus_metrics_create();
		if (!r->trimmed)
			return -1;
	}
	if (!run_set(r)->trimmed && !run_batch_us(r))
		return 0;
	r->ledger = torus_ledger_create();
	return r->ledger ? 0 : -1;
}

static struct torus_replay_options options_of(const struct campaign_run *r)
{
	struct torus_replay_options options = run_set(r)->options;
	const char *policy = run_value(r, TORUS_AXIS_DISCIPLINE)->path;

	if (policy &&
	    r->config->scheduler.discipline == &torus_discipline_policy)
		options.pipe = policy + strlen(TORUS_PIPE_PREFIX);
	options.load_scale = run_value(r, TORUS_AXIS_SCALE)->number;
	options.seed = run_value(r, TORUS_AXIS_SEED)->seed;
	return options;
}

static int keep_row(void *arg, const struct torus_machine *m,
		    const struct torus_replay_row *row)
{
	struct campaign_run *r = arg;

	(void)m;
	if (r->ledger && torus_ledger_add(r->ledger, &row->account, ""))
		return -1;
	if (!r->keep)
		return 0;
	if (TORUS_GROW(r->list, r->room, row->number))
		return -1;
	while (r->jobs < row->number)
		r->list[r->jobs++].outcome = TORUS_OUTCOME_UNFINISHED;
	r->list[row->number - 1] = row->account;
	return 0;
}

/* Fill in the window and the batches. */
static int run_ledger(struct campaign_run *r, struct torus_error *err)
{
	int64_t from_us = r->metrics->first_submit_us,
		to_us = r->metrics->last_submit_us;

	if (r->trimmed) {
		if (torus_ledger_trim(r->ledger, &run_set(r)->trim, r->trimmed,
				      err))
			return -1;
		from_us = r->trimmed->first_submit_us;
		to_us = r->trimmed->last_end_us;
	}
	return run_batch_us(r) ?
		       torus_ledger_batches(r->ledger, from_us, to_us,
					    run_batch_us(r), &r->batches,
					    &r->batch_count) :
		       0;
}

static int run_replay(struct campaign_run *r, struct torus_error *err)
{
	const struct torus_replay_options options = options_of(r);
	struct torus_replay_hooks hooks = {
		.arg = r, .row = r->keep || r->ledger ? keep_row : NULL
	};

	if (torus_replay_run(r->trace, &r->config->machine,
			     &r->config->scheduler, &options, &hooks,
			     r->metrics, err) == TORUS_REPLAY_DONE)
		return r->ledger ? run_ledger(r, err) : 0;
	if (!err->count)
		torus_error_add(err, "%s", strerror(errno));
	return -1;
}

/* Write the campaign and the cell's number. */
static void command_of(const struct campaign_run *r, char *buffer, size_t size)
{
	snprintf(buffer, size,
		 "storus sweep %s (%s, machine %s, strategy %s, discipline %s, scale %s, seed %s%s%s)",
		 r->c->path, run_value(r, TORUS_AXIS_TRACE)->word,
		 run_value(r, TORUS_AXIS_MACHINE)->word,
		 run_value(r, TORUS_AXIS_STRATEGY)->word,
		 run_value(r, TORUS_AXIS_DISCIPLINE)->word,
		 run_value(r, TORUS_AXIS_SCALE)->word,
		 run_value(r, TORUS_AXIS_SEED)->word,
		 *run_value(r, TORUS_AXIS_OPTIONS)->word ? ", " : "",
		 run_value(r, TORUS_AXIS_OPTIONS)->word);
}

/* Return the counts of the trace. */
static const struct torus_trace_counts *run_counts(const struct campaign_run *r)
{
	const struct torus_axis_value *v = run_value(r, TORUS_AXIS_TRACE);

	return v->input && !v->like ? &v->input->counts :
				      torus_trace_counts(r->trace);
}

static int run_summarize(const struct campaign_run *r, char **json)
{
	const struct torus_config *config = r->config;
	struct torus_replay_options options = options_of(r);
	struct rusage usage;
	char command[1024], strategy[TORUS_POLICY_NAME_SIZE];
	char discipline[TORUS_POLICY_NAME_SIZE];
	struct torus_summary summary = {
		.trace = run_value(r, TORUS_AXIS_TRACE)->word,
		.machine = run_value(r, TORUS_AXIS_MACHINE)->word,
		.strategy =
			config->scheduler.discipline ==
					&torus_discipline_recorded ?
				torus_discipline_recorded.name :
				torus_policy_strategy_name(config->machine
								   .pod[0]
								   .strategy[0],
							   strategy),
		.discipline =
			torus_policy_discipline_name(config->scheduler.discipline,
						     &options, discipline),
		.policy = { &config->machine, &config->scheduler, &options,
			    run_set(r)->input.max_jobs },
		.nodes = config->machine.nodes,
		.counts = *run_counts(r),
		.metrics = r->metrics,
		.trimmed = r->trimmed,
		.batches = r->batches,
		.batch_count = r->batch_count,
		.batch_us = run_batch_us(r),
		.wall_s = (double)(torus_clock_ns() - r->begin_ns) * 1e-9,
		.peak_rss_kib = getrusage(RUSAGE_SELF, &usage) ?
					0 :
					(uint64_t)usage.ru_maxrss,
		.seed = run_value(r, TORUS_AXIS_SEED)->seed,
		.version = PACKAGE_VERSION,
		.digest = run_value(r, TORUS_AXIS_TRACE)->digest,
		.command = command,
		.not_modelled = !config->scheduler.slurm ?
					NULL :
				r->site.not_modelled.data ?
					r->site.not_modelled.data :
					"",
	};
	size_t length;
	FILE *out = open_memstream(json, &length);
	int rc;

	if (!out)
		return -1;
	command_of(r, command, sizeof(command));
	rc = torus_summary_json(&summary, out);
	if (fclose(out) == 0 && rc == 0)
		return 0;
	free(*json);
	*json = NULL;
	return -1;
}

/* Refuse a result if a file is not what the campaign has read; of a trace in memory that is
 * known. */
static int files_unchanged(const struct campaign_run *r, struct torus_error *err)
{
	const struct torus_axis_value *trace = run_value(r, TORUS_AXIS_TRACE);

	return (!trace->input && campaign_files_unchanged(trace->files, err)) ||
			       campaign_files_unchanged(run_value(r,
								  TORUS_AXIS_MACHINE)
								->files,
							err) ||
			       campaign_files_unchanged(run_set(r)->files, err) ?
		       -1 :
		       0;
}

/* Refuse a result if slurm.conf is not what the campaign has read. -1 with a line in err. */
static int slurm_unchanged(const struct campaign_run *r, struct torus_error *err)
{
	const struct torus_campaign_set *set = run_set(r);
	struct torus_text text = { 0 };
	int rc;

	if (!r->config->scheduler.slurm)
		return 0;
	rc = campaign_conf_text(set->slurm_conf, &text, err);
	if (rc == 0 && strcmp(text.data ? text.data : "", set->conf_text) != 0)
		rc = torus_error_add(err,
				     "%s: the file has changed since the campaign was read",
				     set->slurm_conf);
	torus_text_free(&text);
	return rc;
}

/* Refuse the result of a policy of one's own whose file is not that of the cell's name any
 * more. -1 with a line in err. */
static int policies_unchanged(const struct campaign_run *r,
			      struct torus_error *err)
{
	struct torus_replay_options options = options_of(r);
	char discipline[TORUS_POLICY_NAME_SIZE],
		strategy[TORUS_POLICY_NAME_SIZE];
	const struct {
		const struct torus_axis_value *named;
		const char *now;
	} policy[] = {
		{ run_value(r, TORUS_AXIS_DISCIPLINE),
		  torus_policy_discipline_name(r->config->scheduler.discipline,
					       &options, discipline) },
		{ run_value(r, TORUS_AXIS_STRATEGY),
		  torus_policy_strategy_name(r->config->machine.pod[0].strategy[0],
					     strategy) },
	};

	for (size_t i = 0; i < sizeof(policy) / sizeof(*policy); i++) {
		if (policy[i].named->path &&
		    strcmp(policy[i].named->word, policy[i].now) != 0)
			return torus_error_add(err,
					       "%s: the file has changed since the campaign was read; it is %s now",
					       policy[i].named->word,
					       policy[i].now);
	}
	return 0;
}

static int cell_run(struct campaign_run *r, char **json, struct torus_error *err)
{
	int rc;

	r->begin_ns = torus_clock_ns();
	*json = NULL;
	rc = run_inputs_open(r, err);
	if (!rc)
		rc = run_replay(r, err);
	if (!rc)
		rc = policies_unchanged(r, err);
	if (!rc)
		rc = slurm_unchanged(r, err);
	if (!rc)
		rc = files_unchanged(r, err);
	if (!rc)
		rc = torus_slurm_site_replayed(&r->site, r->metrics);
	if (!rc)
		rc = run_summarize(r, json);
	if (rc && !err->count)
		torus_error_add(err, "%s", strerror(errno));
	torus_metrics_destroy(r->metrics);
	torus_metrics_destroy(r->trimmed);
	torus_ledger_destroy(r->ledger);
	torus_free(r->batches);
	torus_trace_close(r->trace);
	campaign_drawn_free(&r->drawn);
	torus_slurm_site_free(&r->site);
	torus_config_destroy(r->config);
	return rc;
}

int torus_cell_run(const struct torus_campaign *c, const struct torus_cell *cell,
		   char **json, struct torus_error *err)
{
	struct campaign_run r = { .c = c, .cell = cell };

	return cell_run(&r, json, err);
}

int torus_cell_accounts(const struct torus_campaign *c,
			const struct torus_cell *cell, char **json,
			struct torus_account **list, uint64_t *jobs,
			struct torus_error *err)
{
	struct campaign_run r = { .c = c, .cell = cell, .keep = true };
	int rc = cell_run(&r, json, err);

	*list = r.list;
	*jobs = r.jobs;
	if (rc) {
		torus_free(r.list);
		*list = NULL;
	}
	return rc;
}
