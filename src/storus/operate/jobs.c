/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus jobs: what jobs asked for, what they were granted, and what they waited for,
 * from the site's accounting alone: the output of sacct, run here or in a file. Sums
 * per account and user. O(jobs x users).
 *
 * A job waits from the time at which it is eligible. The part in which it waits for its
 * shape is measured in slurmctld (plugins/slurmctld/select/shape_wait.c) and stands in
 * AdminComment, which Slurm sends to the accounting storage at the job's end.
 */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "storus/base/args.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "storus/base/notices.h"
#include "storus/base/slurm.h"
#include "storus/base/table.h"
#include "torus/alloc.h"
#include "torus/request.h"
#include "torus/text.h"
#include "trace/formats/slurm_words.h"

#define NAME &storus_jobs
#define JOBS_EXPECTED "the output of sacct -P or sacct --json"
#define SACCT_FIELDS                                                            \
	"JobID,User,Account,Submit,Eligible,Start,End,ElapsedRaw,NNodes,State," \
	"AdminComment"

static json_t *jobs_duration(const json_t *row, const char *key, bool csv)
{
	const json_t *value = json_object_get(row, key);
	char text[32];

	if (csv || !json_is_number(value))
		return json_incref((json_t *)(uintptr_t)value);
	storus_clock_duration((int64_t)(json_number_value(value) * 1e6), text,
			      sizeof(text));
	return json_string(text);
}

static json_t *jobs_nodes_value(const json_t *row, bool csv)
{
	return jobs_duration(row, "wait_nodes_s", csv);
}

static json_t *jobs_shape_value(const json_t *row, bool csv)
{
	return jobs_duration(row, "wait_shape_s", csv);
}

static const struct storus_column columns[] = {
	{ "job", 'i', "JOB", .width = -10 },
	{ "user", 'u', "USER", .width = -10 },
	{ "account", 'a', "ACCOUNT", .width = -10 },
	{ "asked", 'g', "ASKED", .width = -10 },
	{ "granted", 'n', "GRANTED", .width = 7 },
	{ "region", 'r', "REGION", .width = -20 },
	{ "ring", 'R', "RING", .width = -4 },
	{ "start", 'S', "START", .width = -19, .time = true },
	{ "end", 'e', "END", .width = -19, .time = true },
	{ "wait_nodes_s", 'w', "WAIT_NODES", .width = 10,
	  .value = jobs_nodes_value },
	{ "wait_shape_s", 'W', "WAIT_SHAPE", .width = 10,
	  .value = jobs_shape_value },
	{ "excess_node_s", 'x', "EXCESS_NODE_S", .width = 13 },
	{ 0 },
};

static const struct storus_column sum_columns[] = {
	{ "account", 'a', "ACCOUNT", .width = -12 },
	{ "user", 'u', "USER", .width = -12 },
	{ "jobs", 'j', "JOBS", .width = 6 },
	{ "node_s", 'n', "NODE_S", .width = 12 },
	{ "wait_nodes_s", 'w', "WAIT_NODES", .width = 12,
	  .value = jobs_nodes_value },
	{ "wait_shape_s", 'W', "WAIT_SHAPE", .width = 12,
	  .value = jobs_shape_value },
	{ "excess_node_s", 'x', "EXCESS_NODE_S", .width = 14 },
	{ 0 },
};

/* What one user's jobs of one account come to. */
struct jobs_sum {
	char account[TORUS_TRACE_USER_SIZE], user[TORUS_TRACE_USER_SIZE];
	uint32_t jobs;
	int64_t node_us, wait_nodes_us, wait_shape_us, excess_us;
};

struct jobs {
	const char *user, *account, *since, *file;
	bool sums_only;
	struct torus_trace_choice choice; /* columns alone */
	struct storus_table table;
	int64_t since_us; /* of a file; TORUS_NO_TIME: all */
	struct jobs_sum *sum;
	uint32_t sums, room;
};

static const struct storus_option options[] = {
	{ "user", "USER", "only jobs of this user",
	  STORUS_TO(struct jobs, user) },
	{ "account", "ACCOUNT", "only jobs of this account, of all users",
	  STORUS_TO(struct jobs, account) },
	{ "since", "TIME",
	  "only jobs that ended since then: 2026-11-20, now-30days,\n"
	  "today, 08:00; default: now-7days; of a file: all",
	  STORUS_TO(struct jobs, since) },
	{ "sums", NULL, "a row per account and user, not per job",
	  STORUS_TO(struct jobs, sums_only) },
	{ "columns", "NAME,...",
	  "the names of sacct's fields in a FILE without them (sacct -n):\n"
	  "JobID,User,...",
	  STORUS_TO(struct jobs, choice.columns) },
	STORUS_TABLE_OPTIONS(struct jobs, table),
	{ 0 },
};

/* Return the vertices of the regions of a place, pod0:2,0+4x4/1x2,pod1:..; 0: these are
 * scattered nodes. */
static uint64_t jobs_vertices(const char *place)
{
	uint64_t all = 0;

	if (strchr(place, '{'))
		return 0;
	while ((place = strchr(place, '+'))) {
		uint64_t volume = 1, extent;

		do {
			place = torus_number_scan_whole(place + 1,
							TORUS_TRACE_MAX_PROCESSORS -
								1,
							&extent);
			volume *= place ? extent : 0;
			if (!place || volume > TORUS_TRACE_MAX_PROCESSORS)
				return 0;
		} while (*place == 'x');
		all += volume;
	}
	return all;
}

/* Return the nodes of the largest alternative that the granted nodes hold. A shape has
 * vertices, of which a node may have several; counts are of nodes. */
static uint32_t jobs_asked_nodes(const struct torus_trace_record *r)
{
	uint64_t vertices = jobs_vertices(r->place), best = 0;
	uint32_t granted = r->accounting.nodes;

	for (uint32_t k = 0; r->shaped && k < r->request->alternatives; k++) {
		const struct torus_ask *ask = &r->request->alternative[k].ask;
		uint64_t nodes = torus_ask_nodes(ask);

		if (!ask->by_count && vertices)
			nodes = nodes * granted / vertices;
		if (nodes <= granted && nodes > best)
			best = nodes;
	}
	return best ? (uint32_t)best : granted;
}

static struct jobs_sum *jobs_sum_of(struct jobs *j,
				    const struct torus_trace_record *r)
{
	struct jobs_sum *s;

	for (uint32_t i = 0; i < j->sums; i++) {
		if (!strcmp(j->sum[i].account, r->account) &&
		    !strcmp(j->sum[i].user, r->user))
			return &j->sum[i];
	}
	if (TORUS_GROW(j->sum, j->room, j->sums + 1))
		return NULL;
	s = &j->sum[j->sums++];
	memset(s, 0, sizeof(*s));
	strcpy(s->account, r->account);
	strcpy(s->user, r->user);
	return s;
}

static json_t *jobs_text(const char *text)
{
	return *text ? json_string(text) : json_null();
}

/* Add a job to its sum, and its row to the table. */
static int jobs_add(struct jobs *j, const struct torus_trace_record *r)
{
	int64_t from_us = r->eligible_us != TORUS_NO_TIME ? r->eligible_us :
							    r->submit_us;
	int64_t wait_us = r->start_us == TORUS_NO_TIME || r->start_us < from_us ?
				  0 :
				  r->start_us - from_us;
	int64_t shape_us = r->accounting.shape_wait_us < wait_us ?
				   r->accounting.shape_wait_us :
				   wait_us;
	uint32_t granted = r->accounting.nodes;
	int64_t excess_us = (granted - jobs_asked_nodes(r)) * r->run_us;
	char asked[TORUS_GEOMETRY_SIZE];
	struct jobs_sum *s = jobs_sum_of(j, r);

	if (!s)
		return storus_no_memory(NAME);
	s->jobs++;
	s->node_us += granted * r->run_us;
	s->wait_nodes_us += wait_us - shape_us;
	s->wait_shape_us += shape_us;
	s->excess_us += excess_us;
	if (j->sums_only)
		return STORUS_DONE;
	if (r->shaped)
		torus_request_format(r->request, asked, sizeof(asked));
	else
		snprintf(asked, sizeof(asked), "%u", granted);
	storus_table_row(&j->table,
			 json_pack("{s:s, s:o, s:o, s:s, s:I, s:o, s:o, s:o, "
				   "s:o, s:o, s:o, s:o}",
				   "job", r->id, "user", jobs_text(r->user),
				   "account", jobs_text(r->account), "asked",
				   asked, "granted", (json_int_t)granted,
				   "region", jobs_text(r->place), "ring",
				   jobs_text(r->accounting.ring), "start",
				   storus_clock_json(r->start_us), "end",
				   storus_clock_json(r->accounting.end_us),
				   "wait_nodes_s",
				   storus_clock_json(wait_us - shape_us),
				   "wait_shape_s", storus_clock_json(shape_us),
				   "excess_node_s",
				   storus_clock_json(excess_us)));
	return STORUS_DONE;
}

/* Read the accounting records of a file; `name` is what messages call it. */
static int jobs_read(struct jobs *j, const char *path, const char *name)
{
	const struct torus_trace_options how = {
		.choice = j->choice,
		.expected = JOBS_EXPECTED
		"; a file without a line of names needs --columns JobID,User,...",
		.unsorted = true
	};
	const struct torus_trace_record *r;
	struct torus_error err = { 0 };
	enum torus_trace_answer answer;
	int status = STORUS_DONE;
	struct torus_trace *trace = torus_trace_open(path, &how, &err);

	if (!trace)
		return storus_say_input(NAME, &err);
	if (strncmp(torus_trace_format(trace)->name, "sacct", 5) != 0)
		status = storus_say(NAME, STORUS_USAGE,
				    "%s: expected " JOBS_EXPECTED, name);
	while (status == STORUS_DONE &&
	       (answer = torus_trace_next(trace, &r, &err)) != TORUS_TRACE_END) {
		if (answer != TORUS_TRACE_JOB)
			status = storus_say_input(NAME, &err);
		else if (r->kind == TORUS_TRACE_KIND_JOB &&
			 (!j->user || !strcmp(j->user, r->user)) &&
			 (!j->account || !strcmp(j->account, r->account)) &&
			 (j->since_us == TORUS_NO_TIME ||
			  r->accounting.end_us >= j->since_us))
			status = jobs_add(j, r);
	}
	if (status == STORUS_DONE) {
		const struct torus_trace_counts *counts = torus_trace_counts(
			trace);

		storus_say_errors(NAME, 0, torus_trace_bad(trace));
		if (counts->unfinished)
			storus_say(NAME, 0,
				   "notice: %llu pending or running job%s left out: Slurm stores a job's shape when it ends",
				   (unsigned long long)counts->unfinished,
				   counts->unfinished == 1 ? " is" : "s are");
		if (counts->repeated)
			storus_say(NAME, 0,
				   "notice: %llu record%s in the file twice; counted once",
				   (unsigned long long)counts->repeated,
				   counts->repeated == 1 ? " is" : "s are");
		storus_trace_cut(NAME, name, counts, &j->choice);
		if (counts->no_run)
			storus_say(NAME, 0,
				   "notice: %llu job%s left out: less than a second between start and end, or never started",
				   (unsigned long long)counts->no_run,
				   counts->no_run == 1 ? " is" : "s are");
	}
	torus_trace_close(trace);
	return status;
}

static int jobs_take_line(void *arg, char *line)
{
	fputs(line, arg);
	return STORUS_DONE;
}

/* Run sacct into a file in memory, and read that. */
static int jobs_live(struct jobs *j)
{
	const char *command[20] = { "sacct", "-X",
				    "-D",    "-P",
				    "-o",    SACCT_FIELDS,
				    "-S",    j->since ? j->since : "now-7days" };
	struct torus_error err = { 0 };
	int fd = memfd_create("sacct", MFD_CLOEXEC), n = 8, status;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	char path[40];

	if (!out) {
		if (fd >= 0)
			close(fd);
		return storus_no_memory(NAME);
	}
	command[n++] = j->user ? "-u" : j->account ? "-a" : NULL;
	if (j->user)
		command[n++] = j->user;
	if (j->account) {
		command[n++] = "-A";
		command[n++] = j->account;
	}
	status = storus_slurm_lines(command, &err, jobs_take_line, out);
	if (status != STORUS_DONE)
		status = storus_say_errors(NAME, status, &err);
	else if (fflush(out))
		status = storus_no_memory(NAME);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (status == STORUS_DONE)
		status = jobs_read(j, path, "sacct");
	if (status == STORUS_DONE) {
		/* Asked for jobs of others: say who sees them. */
		const struct passwd *me = getpwuid(geteuid());
		struct torus_error why = { 0 };
		char hides[256];

		if ((j->user || j->account) && geteuid() != 0 &&
		    (!j->user || !me || strcmp(me->pw_name, j->user) != 0)) {
			if (storus_slurm_setting("PrivateData", hides,
						 sizeof(hides),
						 &why) == STORUS_DONE &&
			    (strstr(hides, "jobs") || strstr(hides, "all")))
				storus_say(NAME, 0,
					   "notice: PrivateData in slurm.conf hides the jobs of other users from you; ask an operator of the cluster for them");
		}
	}
	fclose(out);
	return status;
}

static json_t *jobs_sum_json(const struct jobs_sum *s)
{
	return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "account",
			 jobs_text(s->account), "user", jobs_text(s->user),
			 "jobs", (json_int_t)s->jobs, "node_s",
			 storus_clock_json(s->node_us), "wait_nodes_s",
			 storus_clock_json(s->wait_nodes_us), "wait_shape_s",
			 storus_clock_json(s->wait_shape_us), "excess_node_s",
			 storus_clock_json(s->excess_us));
}

static int jobs_by_account(const void *a, const void *b)
{
	const struct jobs_sum *x = a, *y = b;
	int order = strcmp(x->account, y->account);

	return order ? order : strcmp(x->user, y->user);
}

static int jobs_write(struct jobs *j)
{
	struct storus_table sums = { .column = sum_columns };
	bool asked = storus_table_asked(&j->table);
	json_t *list;
	int status;

	if (j->sums)
		qsort(j->sum, j->sums, sizeof(*j->sum), jobs_by_account);
	if (j->table.json) {
		list = json_array();
		for (uint32_t i = 0; i < j->sums; i++)
			json_array_append_new(list, jobs_sum_json(&j->sum[i]));
		return storus_json_write(NAME,
					 json_pack("{s:i, s:o, s:o}", "schema",
						   1, "jobs",
						   storus_table_rows(&j->table),
						   "sums", list),
					 j->table.json);
	}
	if (j->sums_only) {
		for (uint32_t i = 0; i < j->sums; i++)
			storus_table_row(&j->table, jobs_sum_json(&j->sum[i]));
		return storus_table_end(NAME, &j->table);
	}
	status = storus_table_end(NAME, &j->table);
	if (status != STORUS_DONE || asked || j->sums == 0)
		return status;
	putchar('\n');
	for (uint32_t i = 0; i < j->sums; i++)
		storus_table_row(&sums, jobs_sum_json(&j->sum[i]));
	status = storus_table_end(NAME, &sums);
	storus_table_free(&sums);
	return status;
}

/* Return "; write now-168hours" for a duration such as 7d, else "". */
static const char *jobs_since_hint(const char *since, char hint[48])
{
	int64_t us;

	hint[0] = '\0';
	if (torus_duration_parse(since, &us, NULL) == 0)
		snprintf(hint, 48, "; write now-%lld%s",
			 (long long)(us / 1000000 /
				     (us % 86400000000 ? 60 : 86400)),
			 us % 86400000000 ? "minutes" : "days");
	return hint;
}

static int jobs_run(void *words)
{
	struct jobs *j = words;
	int64_t now_us;
	char hint[48];
	int status;

	j->table.dated = true;
	status = storus_table_choose(NAME, &j->table,
				     j->sums_only ? sum_columns : columns);
	if (status != STORUS_DONE)
		return status;
	now_us = (int64_t)time(NULL) * 1000000;
	if (j->since && !torus_slurm_past_time(j->since, now_us, &j->since_us))
		return storus_say(NAME, STORUS_USAGE,
				  "--since: got \"%s\", expected a time such as 2026-11-20, now-7days or 2026-11-20T12:00:00%s",
				  j->since, jobs_since_hint(j->since, hint));
	if (j->since && !j->file && j->since_us > now_us)
		return storus_say(NAME, STORUS_USAGE,
				  "--since: \"%s\" is in the future; a time of day is today's",
				  j->since);
	if (j->file && storus_args_is_job(j->file) && access(j->file, F_OK))
		return storus_say(NAME, STORUS_USAGE,
				  "got \"%s\", expected a file of sacct; of one job: storus explain %s, or storus jobs | grep %s",
				  j->file, j->file, j->file);
	if (j->choice.columns && !j->file)
		return storus_say(NAME, STORUS_USAGE,
				  "--columns is for a FILE; sacct, run here, names its fields");
	status = j->file ? jobs_read(j, j->file, storus_input_name(j->file)) :
			   jobs_live(j);
	if (status == STORUS_DONE && j->sums == 0)
		storus_say(NAME, 0, "notice: no job%s%s ended%s%s",
			   j->user    ? " of user " :
			   j->account ? " of account " :
					"",
			   j->user    ? j->user :
			   j->account ? j->account :
					"",
			   j->file && !j->since ? "" : " since ",
			   j->since ? j->since :
			   !j->file ? "now-7days" :
				      "");
	if (status == STORUS_DONE)
		status = jobs_write(j);
	torus_free(j->sum);
	return status;
}

const struct storus_command storus_jobs = {
	.name = "jobs",
	.summary = "show what ended jobs asked for, were granted and waited for",
	.usage = "[OPTION]... [FILE]",
	.about =
		"From Slurm's accounting alone: runs sacct, or reads FILE (the output of sacct -P or\n"
		"sacct --json; \"-\": standard input). A row per job, then the sums of each account and\n"
		"user. Without --user and --account: the jobs that sacct shows by default.",
	.options = options,
	STORUS_WORDS(struct jobs, .table.column = columns, .table.chosen = true,
		     .since_us = TORUS_NO_TIME),
	.operand = { .value = "file", STORUS_TO(struct jobs, file) },
	.examples =
		"  storus jobs --since 2026-11-01\n"
		"  storus jobs --account physics --since now-30days --sums\n"
		"  storus jobs --account physics --since today --sums --csv -o user,excess_node_s\n"
		"  storus jobs --user ada --csv=ada.csv\n"
		"  " STORUS_SACCT "2026-11-01 \\\n"
		"    -o JobID,User,Account,Submit,Eligible,Start,End \\\n"
		"    -o ElapsedRaw,NNodes,State,AdminComment >site.sacct\n"
		"  storus jobs --sums site.sacct\n",
	.run = jobs_run,
};
