/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus sweep: run a campaign (campaign/campaign.h) on all cores or as a Slurm
 * job array. Each result goes into an SQLite file when it is finished, so that the
 * same command continues an interrupted sweep.
 */
#include "storus/lab/sweep.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/campaign.h"
#include "replay/replay.h"

#define NAME &storus_sweep
#define FAILURES_SHOWN 10

static const struct storus_option options[] = {
	{ "output", "FILE.db",
	  "the result file (SQLite); default: the campaign's name with .db",
	  .writes = true, STORUS_TO(struct sweep_options, output) },
	{ "workers", "N", "processes; default: one per core", .low = 1,
	  .high = 4096, STORUS_TO(struct sweep_options, workers) },
	{ "show", NULL, "only print the table of the results so far",
	  STORUS_TO(struct sweep_options, show) },
	{ "compare", NULL,
	  "paired differences between two policies, for example\n"
	  "--compare easy fcfs or --compare submesh/easy flat/fcfs",
	  STORUS_TO(struct sweep_options, compare) },
	{ "common", "PERCENT",
	  "--compare compares waits if at least PERCENT of the jobs\n"
	  "completed under both policies; default: 90",
	  STORUS_TO(struct sweep_options, common) },
	{ "percentiles", NULL,
	  "percentiles (50, 90, 99) of wait, response and slowdown, not means",
	  STORUS_TO(struct sweep_options, percentiles) },
	STORUS_TABLE_OPTIONS(struct sweep_options, table),
	{ "report", "FILE.html",
	  "a page of the results: load curves with intervals, and the paired\n"
	  "differences of every two policies",
	  .writes = true, STORUS_TO(struct sweep_options, report) },
	{ "dry-run", NULL,
	  "check the campaign and list the cells that would be computed",
	  STORUS_TO(struct sweep_options, dry_run) },
	{ "slurm", NULL,
	  "compute the remaining cells as one Slurm job array, wait for it\n"
	  "and collect the results (needs a directory that the nodes share)",
	  STORUS_TO(struct sweep_options, slurm) },
	{ "tasks", "N", "tasks of the job array at most; default: 100",
	  .low = 1, .high = 100000, STORUS_TO(struct sweep_options, tasks) },
	{ "sbatch", "WORDS",
	  "more options for sbatch, for example \"-p short -t 30\"",
	  STORUS_TO(struct sweep_options, tasks_words) },
	{ "task", "LIST", "used by the tasks of --slurm",
	  STORUS_TO(struct sweep_options, list) },
	{ 0 },
};

/* With --compare two operands are policies: those that are no file. */
static int sweep_operand_take(struct sweep_options *g, const char *word)
{
	if (!g->file && (!g->compare || access(word, F_OK) == 0)) {
		g->file = word;
		return STORUS_GO;
	}
	for (int i = 0; g->compare && i < 2; i++) {
		if (!g->policy[i]) {
			g->policy[i] = word;
			return STORUS_GO;
		}
	}
	return storus_say(NAME, STORUS_USAGE,
			  "got \"%s\" after %s; one campaign at a time", word,
			  g->file);
}

static int sweep_operands(struct sweep_options *g)
{
	int status = STORUS_GO;

	for (uint32_t i = 0; status == STORUS_GO && i < g->operand.count; i++)
		status = sweep_operand_take(g, g->operand.word[i]);
	if (status != STORUS_GO)
		return status;
	if (!g->file)
		return storus_say(NAME, STORUS_USAGE,
				  "a campaign is missing; storus sweep --help shows one");
	if (g->compare && g->table.format)
		return storus_say(NAME, STORUS_USAGE,
				  "-o chooses columns of the table of means; --compare has its own, in --csv");
	if (g->compare && !g->policy[1])
		return storus_say(NAME, STORUS_USAGE,
				  "--compare needs two policies, for example --compare easy fcfs");
	return STORUS_GO;
}

/* campaign.yaml -> campaign.db; a result file stands for itself. */
static void output_name(struct sweep_options *g, char *buffer, size_t size)
{
	size_t length = strlen(g->file);

	if (g->output)
		return;
	if (length > 5 && !strcmp(g->file + length - 5, ".yaml"))
		length -= 5;
	else if (length > 4 && !strcmp(g->file + length - 4, ".yml"))
		length -= 4;
	if (length > 3 && !strcmp(g->file + length - 3, ".db"))
		snprintf(buffer, size, "%s", g->file);
	else
		snprintf(buffer, size, "%.*s.db", (int)length, g->file);
	g->output = buffer;
}

void sweep_progress(struct sweep *s)
{
	uint64_t over = s->done + s->failed;

	storus_progress_update(&s->progress, over, s->n, over);
}

/* Keep the result of a cell and of those that have the same. -1 with a line in s->err. */
static int sweep_put(struct sweep *s, uint32_t i, const char *summary)
{
	const struct torus_campaign *c = s->c;
	uint32_t seeds = c->axis[TORUS_AXIS_SEED].n;
	uint32_t end = i - i % (c->axis[TORUS_AXIS_OPTIONS].n * seeds) +
		       c->axis[TORUS_AXIS_OPTIONS].n * seeds;

	for (uint32_t k = i; k < end; k += seeds) {
		struct torus_cell cell = torus_campaign_cell(c, k);

		if (!s->lacks[k] || (k != i && torus_cell_first(c, k) != i))
			continue;
		if (torus_result_file_put(s->results, c, &cell, summary,
					  &s->err))
			return -1;
		s->lacks[k] = false;
		s->missing--;
	}
	return 0;
}

int sweep_keep(struct sweep *s, uint32_t i, const char *summary, const char *why)
{
	struct torus_cell cell = torus_campaign_cell(s->c, i);
	char name[512];

	if (!summary) {
		if (s->failed++ < FAILURES_SHOWN) {
			storus_progress_end(&s->progress);
			storus_say(NAME, 0, "failed: %s: %s",
				   torus_cell_name(s->c, &cell, name,
						   sizeof(name)),
				   why);
		}
	} else if (sweep_put(s, i, summary)) {
		s->broken = true;
		return 1;
	} else {
		s->done++;
	}
	return 0;
}

static int sweep_store(void *arg, uint32_t cell, const char *summary,
		       const char *why)
{
	return sweep_keep(arg, cell, summary, why);
}

static bool sweep_tick(void *arg)
{
	sweep_progress(arg);
	return !storus_interrupted;
}

/* Return true if the first cell that has the result of cell i is among those to compute. */
static bool sweep_lacks(const struct sweep *s, uint32_t i)
{
	uint32_t first = torus_cell_first(s->c, i);

	for (uint32_t k = s->n; k-- > 0 && s->todo[k] >= first;)
		if (s->todo[k] == first)
			return true;
	return false;
}

/* Find the campaign's cells that the result file lacks. Exit status. */
static int find_todo(struct sweep *s)
{
	s->todo = calloc(s->c->cells, sizeof(*s->todo));
	s->key = calloc(s->c->cells, sizeof(*s->key));
	s->lacks = calloc(s->c->cells, sizeof(*s->lacks));
	if (!s->todo || !s->key || !s->lacks)
		return storus_no_memory(NAME);
	for (uint32_t i = 0; i < s->c->cells; i++) {
		struct torus_cell cell = torus_campaign_cell(s->c, i);
		int has = 0;

		if (!torus_cell_wanted(s->c, &cell))
			continue;
		s->wanted++;
		torus_cell_key(s->c, &cell, s->key[s->n]);
		if (s->results)
			has = torus_result_file_has(s->results, s->key[s->n],
						    &s->err);
		if (has < 0)
			return storus_say_errors(NAME, STORUS_TROUBLE, &s->err);
		if (has)
			continue;
		s->lacks[i] = true;
		s->missing++;
		/* of those that have one result the first is computed */
		if (torus_cell_first(s->c, i) != i && sweep_lacks(s, i))
			s->twins++;
		else
			s->todo[s->n++] = i;
	}
	if (s->twins)
		storus_say(NAME, 0,
			   "notice: %u of %u cells differ from others only in options that their strategy and discipline do not have: they get the results of those",
			   s->twins, s->wanted);
	return STORUS_DONE;
}

static int on_all_cores(struct sweep *s)
{
	const struct torus_pool_hooks hooks = { .arg = s,
						.done = sweep_store,
						.tick = sweep_tick };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned workers = s->opts->workers;

	if (!workers)
		workers = cores > 0 ? (unsigned)cores : 1;
	if (torus_pool_run(s->c, s->todo, s->n, workers, &hooks, &s->err) < 0)
		s->broken = true;
	return STORUS_DONE;
}

/* Report failures and missing cells. Exit status. */
static int sweep_outcome(const struct sweep *s)
{
	if (s->broken)
		storus_say_errors(NAME, 0, &s->err);
	if (s->failed > FAILURES_SHOWN)
		storus_say(NAME, 0, "%u cells failed; the first %d are above",
			   s->failed, FAILURES_SHOWN);
	if (!s->missing)
		return STORUS_DONE;
	storus_say(NAME, 0,
		   "%s: %u of %u cells have results; the same command computes the other %u",
		   storus_interrupted ? "interrupted" : "not complete",
		   s->wanted - s->missing, s->wanted, s->missing);
	return STORUS_TROUBLE;
}

static int sweep_compute(struct sweep *s)
{
	int status = STORUS_DONE;

	if (s->n)
		storus_say(NAME, 0, "%u of %u cells to compute, results in %s",
			   s->n, s->wanted, s->opts->output);
	storus_catch_interrupts();
	storus_progress_begin(&s->progress);
	s->progress.unit = "cells";
	if (s->opts->slurm)
		status = sweep_array(s);
	else if (s->n)
		status = on_all_cores(s);
	storus_progress_end(&s->progress);
	return status ? status : sweep_outcome(s);
}

static int sweep_dry_run(const struct sweep *s)
{
	char name[512];

	for (uint32_t i = 0; i < s->n; i++) {
		struct torus_cell cell = torus_campaign_cell(s->c, s->todo[i]);

		printf("%s\n", torus_cell_name(s->c, &cell, name, sizeof(name)));
	}
	storus_say(NAME, 0, "%u of %u cells to compute, results in %s", s->n,
		   s->wanted, s->opts->output);
	return STORUS_DONE;
}

static int open_status(void)
{
	return errno == EINVAL || errno == ENOENT || errno == EBUSY ?
		       STORUS_USAGE :
		       STORUS_TROUBLE;
}

/* Read the campaign. *c is NULL if the operand is a result file or does not
 * exist. */
static int sweep_campaign_read(const struct sweep_options *opts,
			       struct torus_campaign **c)
{
	size_t length = strlen(opts->file);
	struct torus_error err = { 0 };

	*c = NULL;
	if ((length > 3 && !strcmp(opts->file + length - 3, ".db")) ||
	    access(opts->file, R_OK))
		return STORUS_DONE;
	*c = torus_campaign_read(opts->file, &err);
	if (*c)
		storus_say_errors(NAME, STORUS_DONE, &(*c)->notices);
	return *c ? STORUS_DONE : storus_say_errors(NAME, STORUS_USAGE, &err);
}

/* Report cells that are missing, or whose campaign files have changed since. */
static int missing_say(struct sweep *s)
{
	int status = find_todo(s);

	if (!status && s->missing)
		storus_say(NAME, 0,
			   "notice: %u of the campaign's %u cells are not computed, or were with other files, options or another build; storus sweep %s computes them",
			   s->missing, s->wanted, s->opts->file);
	return status;
}

static bool outage_is_unmet(const struct torus_results_row *row,
			    const char *rule)
{
	uint32_t k = 0;

	while (k < row->unmets && strcmp(row->unmet[k], rule))
		k++;
	return k < row->unmets;
}

/* Report an outage, at its first cell, that is never in effect while replays last. */
static void outage_say(const struct torus_results *r, uint32_t row,
		       const char *rule)
{
	uint32_t first = 0, cells = 0;

	while (!outage_is_unmet(&r->row[first], rule))
		first++;
	for (uint32_t i = first; first == row && i < r->n; i++)
		cells += outage_is_unmet(&r->row[i], rule);
	if (cells)
		storus_say(NAME, 0,
			   "notice: outage: \"%s\" is never while the replay lasts in %u of %u cells, the first of trace %s; write a time within it",
			   rule, cells, r->n,
			   r->row[row].word[TORUS_AXIS_TRACE]);
}

/* Report cells without a job: the choice of the trace left none. */
static void empty_say(const struct torus_results *r)
{
	uint32_t cells = 0, first = 0;

	for (uint32_t i = r->n; i-- > 0;)
		if (!r->row[i].count[TORUS_COUNT_KEPT]) {
			first = i;
			cells++;
		}
	if (cells)
		storus_say(NAME, 0,
			   "notice: %u of %u cells have no job, the first of trace %s%s%s",
			   cells, r->n, r->row[first].word[TORUS_AXIS_TRACE],
			   *r->row[first].word[TORUS_AXIS_OPTIONS] ? " with " :
								     "",
			   r->row[first].word[TORUS_AXIS_OPTIONS]);
}

/* Report cells whose trace is too short for the batches that the campaign asks for. */
static void batches_say(const struct torus_results *r)
{
	uint32_t cells = 0, first = 0;

	for (uint32_t i = r->n; i-- > 0;) {
		const struct torus_results_row *row = &r->row[i];

		if (strstr(row->word[TORUS_AXIS_OPTIONS], "batches=") &&
		    strncmp(row->word[TORUS_AXIS_TRACE], "like=", 5) != 0 &&
		    row->batch_s > 0 && row->batches < 2 &&
		    row->count[TORUS_COUNT_KEPT]) {
			first = i;
			cells++;
		}
	}
	if (cells)
		storus_say(NAME, 0,
			   "notice: batches: %u of %u cells have no batch means: trace %s, of %.3g days, has no two pieces of %.3g days",
			   cells, r->n, r->row[first].word[TORUS_AXIS_TRACE],
			   torus_results_days(&r->row[first]),
			   r->row[first].batch_s / 86400);
}

/* Print the results as a table or as differences, and write the page. */
static int sweep_print(const struct sweep *s)
{
	struct torus_error err = { 0 };
	struct torus_results r;
	int status;

	if (torus_results_load(&r, s->results, &err))
		return storus_say_errors(NAME, STORUS_TROUBLE, &err);
	if (torus_results_mixed(&r))
		storus_say(NAME, 0,
			   "notice: the results are of several builds of storus; storus sweep CAMPAIGN.yaml computes those of other builds again");
	else if (r.n && strcmp(r.row[0].build, torus_build) != 0)
		storus_say(NAME, 0,
			   "notice: the results are of another build of storus, %s, and this is %s; storus sweep CAMPAIGN.yaml computes them again",
			   *r.row[0].build ? r.row[0].build : "not known",
			   torus_build);
	if (s->c)
		torus_results_order(&r, s->c);
	empty_say(&r);
	batches_say(&r);
	for (uint32_t i = 0; i < r.n; i++)
		for (uint32_t k = 0; k < r.row[i].unmets; k++)
			outage_say(&r, i, r.row[i].unmet[k]);
	status = s->opts->compare ? sweep_compare(&r, s->c, s->opts) :
				    sweep_table(&r, s->opts);
	if (!status && s->opts->report)
		status = sweep_report(&r, s->c, s->opts);
	torus_results_free(&r);
	return status;
}

/* The page may not replace a file that the campaign names. */
static int sweep_report_check(const struct sweep *s)
{
	const char *page = s->opts->report, *found = NULL;

	for (int a = 0; page && s->c && a < TORUS_AXES; a++)
		for (uint32_t i = 0; i < s->c->axis[a].n; i++) {
			const char *file = s->c->axis[a].value[i].path;

			if (file && storus_output_replaces(page, file))
				found = file;
		}
	for (uint32_t i = 0;
	     page && s->c && i < s->c->axis[TORUS_AXIS_OPTIONS].n; i++) {
		const struct torus_campaign_set *set = &s->c->set[i];
		const char *file[] = { set->link_file, set->slurm_conf,
				       set->shares };

		for (int k = 0; k < 3; k++)
			if (file[k] && storus_output_replaces(page, file[k]))
				found = file[k];
	}
	return found ? storus_say(NAME, STORUS_USAGE,
				  "--report: got \"%s\", which the campaign reads; it would be overwritten",
				  page) :
		       STORUS_DONE;
}

/* Print results without computing any. */
static int sweep_show(struct sweep *s)
{
	int status;

	s->results = torus_result_file_open(s->opts->output, false, &s->err);
	if (!s->results)
		return storus_say_errors(NAME, open_status(), &s->err);
	status = sweep_campaign_read(s->opts, &s->c);
	if (!status)
		status = sweep_report_check(s);
	if (!status && s->c)
		status = missing_say(s);
	return status ? status : sweep_print(s);
}

static int sweep_work(struct sweep *s)
{
	bool there = access(s->opts->output, F_OK) == 0;
	int status = sweep_report_check(s);

	if (status)
		return status;
	if (!s->opts->dry_run || there) {
		s->results = torus_result_file_open(s->opts->output, true,
						    &s->err);
		if (!s->results)
			return storus_say_errors(NAME, open_status(), &s->err);
	}
	status = find_todo(s);
	if (status)
		return status;
	status = sweep_traces(s);
	if (status)
		return status;
	if (s->opts->dry_run)
		return sweep_dry_run(s);
	status = sweep_compute(s);
	if (s->wanted > s->missing) {
		int shown = sweep_print(s);

		status = status ? status : shown;
	}
	return status;
}

static int sweep_campaign(struct sweep *s)
{
	s->c = torus_campaign_read(s->opts->file, &s->err);
	if (!s->c)
		return storus_say_input(NAME, &s->err);
	if (!s->opts->list)
		storus_say_errors(NAME, STORUS_DONE, &s->c->notices);
	return s->opts->list ? sweep_task(s->c, s->opts->list) : sweep_work(s);
}

/* No other output may replace the result file, which has a name by default. */
static int sweep_outputs_check(const struct sweep_options *opts)
{
	const char *other[] = { opts->report, opts->table.json,
				opts->table.csv };

	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
		if (other[i] && storus_output_same(other[i], opts->output))
			return storus_say(NAME, STORUS_USAGE,
					  "%s is the result file; write a page or rows to another",
					  other[i]);
	return STORUS_DONE;
}

static int sweep_run(void *words)
{
	struct sweep_options *opts = words;
	struct sweep s = { .opts = opts };
	char output[PATH_MAX];
	int status = sweep_operands(opts);

	if (status != STORUS_GO)
		return status;
	output_name(opts, output, sizeof(output));
	status = sweep_outputs_check(opts);
	if (status == STORUS_DONE)
		status = opts->compare || opts->show ? sweep_show(&s) :
						       sweep_campaign(&s);
	torus_result_file_close(s.results);
	free(s.todo);
	free(s.key);
	free(s.lacks);
	torus_campaign_destroy(s.c);
	return status;
}

const struct storus_command storus_sweep = {
	.name = "sweep",
	.summary = "run a campaign: traces x machines x policies x loads x seeds",
	.usage = "CAMPAIGN.yaml [OPTION]...",
	.about =
		"A campaign is a cross product of lists; a cell is one replay:\n"
		"\n"
		"  traces:                            # files, relative to this one,\n"
		"  - sdsc.swf.gz                      # or workload models\n"
		"  - {model: aida-uniform, jobs: 5000, load: 0.9, machine: flat:128}\n"
		"  - {like: sdsc.swf.gz, by: weeks} # drawn from a log, seed by seed\n"
		"  machines: [flat:128, site.yaml]    # strings or torus.yaml files\n"
		"  strategies: [submesh, submesh-tbl] # absent: the machine's own\n"
		"  disciplines: [fcfs, easy]          # absent: the machine's own\n"
		"  load_scales: [0.8, 1.0]            # of the load; absent: 1\n"
		"  seeds: 1-10                        # of what is drawn; absent: 1\n"
		"  options: {estimate: [requested, run], max_jobs: 5000}   # as of replay; a\n"
		"                                     # list of values is a dimension\n"
		"\n"
		"Results are kept cell by cell; the same command continues an interrupted sweep.\n"
		"A cell is computed again when its trace, machine file, options or the build\n"
		"of storus changed. Means over seeds have 95 % confidence intervals; decide\n"
		"on the number of seeds before you see results.",
	.options = options,
	STORUS_WORDS(struct sweep_options, .table.column = sweep_columns,
		     .tasks = 100, .common = 90),
	.line = { STORUS_TO(struct sweep_options, command) },
	.operand = { .value = "campaign",
		     STORUS_TO(struct sweep_options, operand) },
	.examples =
		"  storus sweep campaign.yaml\n"
		"  storus sweep campaign.yaml --dry-run\n"
		"  storus sweep campaign.yaml --compare easy fcfs\n"
		"  storus sweep campaign.yaml --report campaign.html\n"
		"  storus sweep campaign.yaml --slurm --tasks 50 --sbatch \"-t 30\"\n"
		"  sqlite3 campaign.db 'select * from results'\n",
	.run = sweep_run,
};
