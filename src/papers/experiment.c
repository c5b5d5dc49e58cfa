/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus experiment: compute published tables and figures again. Exit status 1: a
 * claim has a worse verdict than the recorded one, whatever its reason says.
 */
#include "storus/storus.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/read.h"
#include "format/stream.h"
#include "papers/experiment/complete.h"
#include "papers/experiment/page.h"
#include "papers/experiment/plot.h"
#include "storus/base/json.h"
#include "storus/base/progress.h"
#include "storus/base/table.h"

#define NAME &storus_experiment
#define SEED_MOST 1000000000

struct experiment_session {
	const char *output, *traces, *seeds; /* as given */
	char *directory, *logs;              /* the same as paths */
	const char *command;
	struct storus_list name;
	uint32_t workers, first_seed, last_seed;
	bool quick, list, undrawn, latex, pixels;
	struct storus_table table;
	struct torus_result_file *results;
	struct storus_progress progress;
	uint32_t surprises;
};

static const struct storus_option options[] = {
	{ "output", "DIR",
	  "where data, pictures and results go (default: experiments);\n"
	  "the page is DIR.md",
	  STORUS_TO(struct experiment_session, output) },
	{ "quick", NULL,
	  "fewer points and seeds: takes a minute, with wider intervals",
	  STORUS_TO(struct experiment_session, quick) },
	{ "seeds", "A-B",
	  "these seeds, 2 to 100, for what has random numbers;\n"
	  "default: 1-N, as the page says",
	  STORUS_TO(struct experiment_session, seeds) },
	{ "traces", "DIR",
	  "logs of the Parallel Workloads Archive (for mao-*):\n"
	  "NASA-iPSC-1993-3.1-cln.swf.gz, SDSC-SP2-1998-4.2-cln.swf.gz",
	  STORUS_TO(struct experiment_session, traces) },
	{ "workers", "N", "processes; default: one per core", .low = 1,
	  .high = 4096, STORUS_TO(struct experiment_session, workers) },
	{ "latex", NULL,
	  "tables and figures as LaTeX and PDF, too: DIR.tex includes them, and\n"
	  "pdflatex makes it DIR.pdf",
	  STORUS_TO(struct experiment_session, latex) },
	{ "list", NULL, "list the experiments",
	  STORUS_TO(struct experiment_session, list) },
	STORUS_TABLE_OPTIONS(struct experiment_session, table),
	{ 0 },
};

#define LISTED 4 /* columns of --list */

static const struct storus_column columns[] = {
	{ "experiment", 'n', "EXPERIMENT", .width = -16 },
	{ "paper", 'p', "PAPER", .width = -24 },
	{ "number", 'f', "NUMBER", .width = -10 },
	{ "title", 't', "TITLE", .width = -30 },
	{ "verdict", 'v', "VERDICT", .width = -14 },
	{ "claim", 'c', "CLAIM", .width = -40 },
	{ "test", 'r', "REPRODUCED IF", .width = -20 },
	{ "got", 'g', "GOT", .width = -20 },
	{ "why", 'w', "WHY", .width = -1 },
	{ 0 },
};

/* Return true if rows are printed instead of sentences. */
static bool experiment_rows(const struct experiment_session *s)
{
	return s->table.json || storus_table_asked(&s->table);
}

/* The row of a claim, or with NULL of the experiment alone. */
static json_t *experiment_row(const struct torus_experiment *e,
			      const struct torus_claim *c)
{
	json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "experiment", e->name,
				"paper", e->paper, "number", e->number, "title",
				e->title);

	if (row && c)
		json_object_update_new(row,
				       json_pack("{s:s, s:s, s:s, s:s, s:s?}",
						 "verdict",
						 torus_verdicts[c->verdict],
						 "claim", c->says, "test",
						 c->test, "got", c->got, "why",
						 c->why));
	return row;
}

static int experiment_list(struct experiment_session *s)
{
	const struct torus_experiment *e;
	char text[256];

	s->table.only = LISTED;
	for (size_t i = 0; (e = torus_experiment_at(i)); i++) {
		if (experiment_rows(s)) {
			storus_table_row(&s->table, experiment_row(e, NULL));
			continue;
		}
		printf(strlen(e->name) < 26 ? "%-26s" : "%s\n%26s", e->name, "");
		snprintf(text, sizeof(text), "%s, %s: %s", e->paper, e->number,
			 e->title);
		storus_table_fold(text, 26);
	}
	return experiment_rows(s) ?
		       storus_table_end_rows(NAME, &s->table, "experiments",
					     SNAPSHOT_NO_TIME) :
		       STORUS_DONE;
}

/* "all", a name, or the beginning of several names ("aida"). */
static bool experiment_nearest(const char *word, const char *name)
{
	size_t n = strlen(word);

	return !strcmp(word, "all") ||
	       (!strncmp(word, name, n) && (!name[n] || name[n] == '-'));
}

static bool experiment_wanted(const struct experiment_session *s,
			      const char *name)
{
	for (uint32_t i = 0; i < s->name.count; i++) {
		if (experiment_nearest(s->name.word[i], name))
			return true;
	}
	return false;
}

/* Check that every word names an experiment that can run. */
static int experiment_words_check(const struct experiment_session *s)
{
	const struct torus_experiment *e;
	const char *names[128], *near;
	size_t n = 0;

	for (; (e = torus_experiment_at(n)); n++) {
		assert(n + 1 < sizeof(names) / sizeof(*names));
		names[n] = e->name;
	}
	names[n] = NULL;
	for (uint32_t i = 0; i < s->name.count; i++) {
		size_t k = 0;

		while (names[k] &&
		       !experiment_nearest(s->name.word[i], names[k]))
			k++;
		if (!names[k]) {
			near = storus_nearest(s->name.word[i], names);
			return storus_say(NAME, STORUS_USAGE,
					  "got \"%s\", expected an experiment, a paper (gupta, mao, aida, bani, mohapatra) or all%s%s%s; storus experiment --list shows them",
					  s->name.word[i],
					  near ? "; did you mean " : "",
					  near ? near : "", near ? "?" : "");
		}
		e = torus_experiment_at(k);
		if (e->study && e->study->traces && !s->traces &&
		    strcmp(s->name.word[i], "all"))
			return storus_say(NAME, STORUS_USAGE,
					  "%s needs logs: --traces DIR, with NASA-iPSC-1993-3.1-cln.swf.gz and SDSC-SP2-1998-4.2-cln.swf.gz in it",
					  s->name.word[i]);
	}
	return STORUS_DONE;
}

static bool experiment_tick(void *arg, uint32_t done, uint32_t all)
{
	struct experiment_session *s = arg;

	storus_progress_update(&s->progress, done, all, done);
	return !storus_interrupted;
}

/* The absolute path of the logs, as campaigns resolve paths by their own. */
static int traces_find(struct experiment_session *s)
{
	if (!s->traces)
		return STORUS_DONE;
	s->logs = realpath(s->traces, NULL);
	if (s->logs)
		return STORUS_DONE;
	return storus_say(NAME, STORUS_USAGE, "--traces: got \"%s\": %s",
			  s->traces, strerror(errno));
}

/* Read --seeds: "101-200"; one run has no interval, and is not enough. */
static int seeds_read(struct experiment_session *s)
{
	uint64_t first, last = 0;
	const char *p = s->seeds;

	if (!p)
		return STORUS_DONE;
	p = torus_number_scan_whole(p, SEED_MOST, &first);
	if (p && *p == '-')
		p = torus_number_scan_whole(p + 1, SEED_MOST, &last);
	if (!p || *p || !first || last <= first ||
	    last - first >= TORUS_LAB_SEEDS)
		return storus_say(NAME, STORUS_USAGE,
				  "--seeds: got \"%s\", expected first-last of 2 to %d seeds from 1 on, such as 101-200",
				  s->seeds, TORUS_LAB_SEEDS);
	s->first_seed = (uint32_t)first;
	s->last_seed = (uint32_t)last;
	return STORUS_DONE;
}

static int directory_make(struct experiment_session *s)
{
	struct torus_error err = { 0 };
	size_t n = strlen(s->output);
	char *path;

	/* The page is called after the directory: DIR.md, for DIR/ as well. */
	while (n > 1 && s->output[n - 1] == '/')
		n--;
	s->directory = strndup(s->output, n);
	if (!s->directory || asprintf(&path, "%s/results.db", s->directory) < 0)
		return storus_no_memory(NAME);
	if (mkdir(s->directory, 0777) && errno != EEXIST)
		torus_error_add(&err, "%s: %s", s->output, strerror(errno));
	else
		s->results = torus_result_file_open(path, true, &err);
	free(path);
	return s->results ? STORUS_DONE :
			    storus_say_errors(NAME, STORUS_TROUBLE, &err);
}

/* The cells, then the points. 0, 1: stopped, -1 with lines in err. */
static int experiment_compute(struct experiment_session *s,
			      struct torus_lab *lab, struct torus_error *err)
{
	const struct torus_experiment *e = lab->experiment;
	const struct torus_complete_hooks hooks = { .arg = s,
						    .tick = experiment_tick };
	int rc;

	if (e->exact) {
		rc = e->exact(lab);
	} else {
		storus_progress_begin(&s->progress);
		s->progress.unit = "cells";
		rc = torus_study_complete(lab, e->study, s->results, s->workers,
					  &hooks, err);
		if (!rc && e->also)
			rc = torus_study_complete(lab, e->also, s->results,
						  s->workers, &hooks, err);
		storus_progress_end(&s->progress);
		if (!rc)
			rc = torus_lab_load(lab, s->results, err);
	}
	if (rc || !e->series)
		return rc;
	if (torus_lab_data(lab))
		return -1;
	if (e->x_title) {
		rc = torus_plot_points(lab);
		s->undrawn |= rc > 0;
	}
	return rc < 0 ? -1 : 0;
}

/* Print the claims: as rows, or what was reproduced and what was not. */
static void experiment_progress(struct experiment_session *s,
				const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	bool rows = experiment_rows(s);
	uint32_t count[3] = { 0 };

	for (uint32_t i = 0; i < lab->claims; i++)
		count[lab->claim[i].verdict]++;
	if (!rows)
		printf("%-16s %2u reproduced, %u undecided, %u not\n", e->name,
		       count[TORUS_CLAIM_REPRODUCED],
		       count[TORUS_CLAIM_UNDECIDED], count[TORUS_CLAIM_NOT]);
	for (uint32_t i = 0; i < lab->claims; i++) {
		const struct torus_claim *c = &lab->claim[i];

		if (rows)
			storus_table_row(&s->table, experiment_row(e, c));
		else if (c->verdict != TORUS_CLAIM_REPRODUCED)
			printf("  %s: %s; reproduced if %s; we get %s%s%s%s\n",
			       torus_verdicts[c->verdict], c->says, c->test,
			       c->got, c->why ? " (" : "", c->why ? c->why : "",
			       c->why ? ")" : "");
	}
	if (e->verdicts && strlen(e->verdicts) != lab->claims) {
		fprintf(rows ? stderr : stdout,
			"  %zu verdicts are recorded for %u claims\n",
			strlen(e->verdicts), lab->claims);
		s->surprises++;
	}
	fflush(stdout);
	s->surprises += lab->surprises;
}

static int experiment_run_one(struct experiment_session *s,
			      const struct torus_experiment *e)
{
	struct torus_lab lab = { .directory = s->directory,
				 .traces = s->logs,
				 .command = s->command,
				 .first_seed = s->first_seed,
				 .last_seed = s->last_seed,
				 .quick = s->quick,
				 .latex = s->latex };
	struct torus_error err = { 0 };
	int rc;

	torus_lab_begin(&lab, e);
	errno = 0;
	if (torus_lab_trace(&lab, &err))
		return storus_say_input(NAME, &err);
	rc = experiment_compute(s, &lab, &err);
	if (!rc && e->claims)
		e->claims(&lab);
	if (!rc && !lab.no_memory)
		rc = torus_lab_claims(&lab) || torus_page_part(&lab) ? -1 : 0;
	if (!rc && s->latex) {
		rc = torus_latex_part(&lab);
		s->pixels |= rc > 0;
		rc = rc < 0 ? -1 : 0;
	}
	if (lab.no_memory)
		rc = torus_error_add(&err, "out of memory");
	if (!rc)
		experiment_progress(s, &lab);
	torus_lab_end(&lab);
	if (rc > 0)
		return storus_say(NAME, STORUS_TROUBLE,
				  "interrupted; the same command continues");
	if (rc && err.count)
		return storus_say_errors(NAME, STORUS_TROUBLE, &err);
	return rc ? storus_say(NAME, STORUS_TROUBLE,
			       "%s/%s.*: cannot be written: %s", s->directory,
			       e->name, strerror(errno)) :
		    STORUS_DONE;
}

static int all_of_them(struct experiment_session *s)
{
	const struct torus_experiment *e;
	bool skipped = false;
	int status = STORUS_DONE;

	storus_catch_interrupts();
	for (size_t i = 0; !status && (e = torus_experiment_at(i)); i++) {
		if (!experiment_wanted(s, e->name))
			continue;
		if (e->study && e->study->traces && !s->traces)
			skipped = true;
		else
			status = experiment_run_one(s, e);
	}
	if (!status && torus_page_write(s->directory, s->command))
		status = storus_say(NAME, STORUS_TROUBLE, "%s.md: %s",
				    s->directory, strerror(errno));
	if (!status && s->latex) {
		/* DIR.tex, and DIR.pdf if pdflatex is installed. */
		int rc = torus_latex_write(s->directory, s->command);

		if (rc < 0) {
			status = storus_say(NAME, STORUS_TROUBLE, "%s.tex: %s",
					    s->directory,
					    errno == EIO ?
						    "pdflatex failed; its log is beside it" :
						    strerror(errno));
		} else {
			if (rc > 0)
				storus_say(NAME, 0,
					   "notice: %s.tex is written, %s.pdf is not, because pdflatex is not installed",
					   s->directory, s->directory);
			status = STORUS_DONE;
		}
	}
	if (skipped)
		storus_say(NAME, 0,
			   "notice: mao-* are left out: they need logs (--traces DIR)");
	if (s->pixels)
		storus_say(NAME, 0,
			   "notice: LaTeX gets pictures as PNG, because this gnuplot has no terminal pdfcairo");
	if (s->undrawn)
		storus_say(NAME, 0,
			   "notice: no pictures, because gnuplot is not installed; with it, the same command draws them");
	if (!status && s->surprises)
		status = storus_say(NAME, STORUS_NO,
				    "%u claim%s a worse verdict than the one recorded in the sources",
				    s->surprises,
				    s->surprises == 1 ? " has" : "s have");
	return status;
}

static int is_raw(const struct dirent *entry)
{
	const char *ending = strrchr(entry->d_name, '.');

	return ending &&
	       (strcmp(ending, ".csv") == 0 || strcmp(ending, ".svg") == 0 ||
		strcmp(entry->d_name, "results.db") == 0);
}

/* DIR/SHA256SUMS: the data, the pictures and results.db, which is closed, as
 * sha256sum(1) writes and checks them. */
static int sums_write(const struct experiment_session *s)
{
	int dir = open(s->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int to = dir < 0 ?
			 -1 :
			 openat(dir, "SHA256SUMS",
				O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	FILE *out = to < 0 ? NULL : fdopen(to, "w");
	struct arena arena = { 0 };
	struct dirent **name = NULL;
	int n = out ? scandir(s->directory, &name, is_raw, alphasort) : -1;
	int rc = n < 0 ? -1 : 0;

	for (int i = 0; i < n; i++) {
		const char *digest = NULL;
		char *path;

		if (!rc && asprintf(&path, "%s/%s", s->directory,
				    name[i]->d_name) >= 0) {
			digest = campaign_file_digest(&arena, path, NULL);
			free(path);
		}
		rc = digest ? rc : -1;
		if (!rc)
			fprintf(out, "%s  %s\n", digest, name[i]->d_name);
		free(name[i]);
	}
	free(name);
	torus_arena_free(&arena);
	if (out)
		rc |= stream_close(out);
	if (dir >= 0)
		close(dir);
	return rc ? storus_say(NAME, STORUS_TROUBLE,
			       "%s/SHA256SUMS: cannot be written: %s",
			       s->directory, strerror(errno)) :
		    STORUS_DONE;
}

static int experiment_run(void *session)
{
	struct experiment_session *s = session;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int status;

	if (s->list)
		return experiment_list(s);
	if (!s->name.count)
		return storus_say(NAME, STORUS_USAGE,
				  "a name is missing; for example storus experiment aida-fig2; --list shows them");
	if (!s->workers)
		s->workers = cores > 0 ? (uint32_t)cores : 1;
	status = experiment_words_check(s);
	if (!status)
		status = seeds_read(s);
	if (!status)
		status = traces_find(s);
	if (!status)
		status = directory_make(s);
	if (!status)
		status = all_of_them(s);
	if (experiment_rows(s) && (!status || status == STORUS_NO)) {
		int rows = storus_table_end_rows(NAME, &s->table, "claims",
						 SNAPSHOT_NO_TIME);

		status = rows ? rows : status;
	}
	torus_result_file_close(s->results);
	if (!status || status == STORUS_NO)
		status = sums_write(s) ? STORUS_TROUBLE : status;
	free(s->directory);
	free(s->logs);
	return status;
}

const struct storus_command storus_experiment = {
	.name = "experiment",
	.summary = "reproduce published tables and figures",
	.usage = "NAME... [OPTION]...",
	.about = "NAME is an experiment, a paper (gupta, mao, aida, bani, mohapatra) or all. Each\n"
		 "writes its data (CSV), its picture (SVG and PNG, by gnuplot) and a row per claim of\n"
		 "the paper: the claim, our result, reproduced or not, and why not. The same command\n"
		 "continues an interrupted run.",
	.options = options,
	STORUS_WORDS(struct experiment_session, .output = "experiments",
		     .table.column = columns),
	.line = { STORUS_TO(struct experiment_session, command) },
	.operand = { .value = "name",
		     STORUS_TO(struct experiment_session, name) },
	.examples = "  storus experiment --list\n"
		    "  storus experiment aida-fig2\n"
		    "  storus experiment all --quick\n"
		    "  storus experiment mao --traces logs --output results\n",
	.run = experiment_run,
};
