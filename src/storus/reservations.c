/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus reservations: what sched/torus in slurmctld plans now. It reads the
 * file that slurmctld writes after each of its cycles (src/format/plan_file.h),
 * so it asks nothing of slurmctld itself; where that file is, torus.yaml
 * (plan_file) or `scontrol show config` (StateSaveLocation) tell.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storus/json.h"
#include "storus/reservations.h"
#include "storus/regions.h"
#include "storus/slurm.h"
#include "storus/storus.h"
#include "torus/config.h"

#define NAME &storus_reservations
#define FILE_NAME "torus_plan"
#define PATH_SIZE 4096

enum {
	OPT_FILE = 1,
	OPT_VERBOSE,
	OPT_JSON
};

static const struct storus_option options[] = {
	{ "file", OPT_FILE, "FILE",
	  "the plan's file; default: where torus.yaml or slurm.conf say" },
	{ "verbose", OPT_VERBOSE, NULL,
	  "also what slurmctld's cycles and locks took (or -v)" },
	{ "json", OPT_JSON, "[=FILE]", "everything as JSON (default: stdout)" },
	{ NULL, 0, NULL, NULL },
};

static int reservations_run(int argc, char **argv);

const struct storus_command storus_reservations = {
	.name = "reservations",
	.summary = "the plan of sched/torus now: job, region, start",
	.usage = "[OPTION]... [JOB]",
	.about =
		"One line per queued job, in the order of the queue: when it will start and where,\n"
		"as far as the discipline settles that ahead, and what blocks it. The plan is\n"
		"written to StateSaveLocation, which only Slurm's own user may look into; with\n"
		"plan_file in torus.yaml everybody may read it. An \"(estimate)\" is no promise: the\n"
		"plan played forward, every job running as long as it may.\n"
		"With JOB all of that job: its alternatives, its place, the jobs in its way and\n"
		"when they end, and the nodes in its way that are out of service.",
	.options = options,
	.examples =
		"  storus reservations\n"
		"  storus reservations -v\n"
		"  storus reservations 4711\n"
		"  storus reservations --json | jq '.plan[] | select(.region)'\n",
	.run = reservations_run,
};

/* Where the file is */

static int take_directory(void *arg, char *line)
{
	char *path = arg, value[PATH_SIZE];

	if (sscanf(line, "StateSaveLocation = %4095s", value) == 1)
		snprintf(path, PATH_SIZE, "%.4080s/" FILE_NAME, value);
	return STORUS_DONE;
}

/* torus.yaml's plan_file, if there is a readable torus.yaml. */
static bool path_from_config(char *path)
{
	struct torus_config *config;
	struct torus_error err;
	bool found;

	torus_error_clear(&err);
	config = torus_config_read(storus_config_path(path, PATH_SIZE), &err);
	found = config && *config->live.plan_file;
	if (found)
		snprintf(path, PATH_SIZE, "%s", config->live.plan_file);
	torus_config_destroy(config);
	return found;
}

static int find_file(char *path)
{
	static const char *const scontrol[] = { "scontrol", "show", "config",
						NULL };
	struct torus_error err;
	int status;

	if (path_from_config(path))
		return STORUS_DONE;
	torus_error_clear(&err);
	path[0] = '\0';
	status = storus_slurm_lines(scontrol, &err, take_directory, path);
	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	return *path ? STORUS_DONE :
		       storus_say(NAME, STORUS_TROUBLE,
				  "scontrol show config does not tell StateSaveLocation; name the file with --file");
}

static int read_plan(struct plan_file_read *read, const char *path)
{
	FILE *f = fopen(path, "re");
	int rc;

	if (!f && errno == EACCES)
		return storus_say(NAME, STORUS_TROUBLE,
				  "%s: %s; ask as Slurm's own user, or have plan_file set in torus.yaml",
				  path, strerror(errno));
	if (!f)
		return storus_say(NAME, STORUS_TROUBLE,
				  "%s: %s; is slurmctld running with SchedulerType=sched/torus?",
				  path, strerror(errno));
	rc = plan_file_read(read, f);
	fclose(f);
	if (rc == 0)
		return STORUS_DONE;
	if (errno != EINVAL)
		return storus_say(NAME, STORUS_TROUBLE, "%s: %s", path,
				  strerror(errno));
	return storus_say(NAME, STORUS_USAGE,
			  "%s:%u: this is no plan of this version's sched/torus (expected \"%s\" and what follows)",
			  path, read->line, PLAN_FILE_FIRST_LINE);
}

/* What is asked for. */
struct words {
	const char *file, *json_path;
	bool verbose, json;
	uint32_t job; /* 0: all */
};

/* That job; one in several partitions, and a task of an array, has several
 * entries. */
static int print_job(const struct plan_file_read *read, uint32_t id)
{
	bool any = false;

	for (uint32_t i = 0; i < read->plan.jobs; i++) {
		if (read->job[i].job != id)
			continue;
		if (any)
			printf("\n");
		any = true;
		reservations_print_job(&read->job[i]);
	}
	return any ? STORUS_DONE :
		     storus_say(NAME, STORUS_NO,
				"job %u is not in the plan: it does not wait in the queue of sched/torus (squeue -j %u)",
				id, id);
}

static int reservations_write(const struct plan_file_read *read,
			      const struct words *w)
{
	if (w->json)
		return storus_json_write(NAME, reservations_json(read),
					 w->json_path);
	if (w->verbose)
		reservations_print_counts(&read->plan);
	if (w->job)
		return print_job(read, w->job);
	reservations_print_plan(read);
	return STORUS_DONE;
}

static int reservations_answer(const char *path, const struct words *w)
{
	struct plan_file_read read = { 0 };
	int status = read_plan(&read, path);

	if (status == STORUS_DONE)
		status = reservations_write(&read, w);
	plan_file_free(&read);
	return status;
}

/* The one short option. */
static void spell_out(int argc, char **argv)
{
	static char verbose[] = "--verbose";

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-v") == 0)
			argv[i] = verbose;
	}
}

static int reservations_take_job(struct words *w, const char *word)
{
	char *end;
	unsigned long id = strtoul(word, &end, 10);

	if (w->job || *word < '0' || *word > '9' || *end || id == 0 ||
	    id >= UINT32_MAX)
		return storus_say(NAME, STORUS_USAGE,
				  "unexpected operand \"%s\": expected one job number",
				  word);
	w->job = (uint32_t)id;
	return STORUS_DONE;
}

static int reservations_run(int argc, char **argv)
{
	struct words w = { 0 };
	char path[PATH_SIZE];
	struct storus_args args;
	int id;

	spell_out(argc, argv);
	storus_args_begin(&args, NAME, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		switch (id) {
		case STORUS_ARGS_HELP:
			return STORUS_DONE;
		case STORUS_ARGS_BAD:
			return STORUS_USAGE;
		case OPT_FILE:
			w.file = args.value;
			break;
		case OPT_VERBOSE:
			w.verbose = true;
			break;
		case OPT_JSON:
			w.json = true;
			w.json_path = args.value;
			break;
		default:
			if (reservations_take_job(&w, args.value))
				return STORUS_USAGE;
		}
	}
	if (!w.file) {
		id = find_file(path);
		if (id != STORUS_DONE)
			return id;
		w.file = path;
	}
	return reservations_answer(w.file, &w);
}
