/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus weekly: what the cluster did this week, as one page for cron. Runs the
 * other subcommands in processes of their own, on files in a directory that is
 * removed afterwards:
 *
 *	TRACE -> cluster.csv	what the cluster did
 *	parity			how much of it a replay reproduces
 *	replay			the site's policy and two others
 *	report			all of them, with the section of the week
 *
 * Idle nodes by cause are the replay's of the site's own policy: a trace does not
 * tell which nodes a waiting job could have used.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "config/policy_watch.h"
#include "report/schedule.h"
#include "storus/base/args.h"
#include "torus/alloc.h"
#include "storus/base/notices.h"
#include "storus/base/output.h"
#include "torus/config.h"
#include "torus/discipline.h"
#include "torus/text.h"
#include "trace/formats/slurm_words.h"
#include "trace/trace.h"

#define NAME &storus_weekly
#define POLICIES 3 /* the site's own is the first */
#define CHOICES 8  /* options of struct torus_trace_choice */
#define MOST_ARGUMENTS (24 + 2 * CHOICES)

struct weekly {
	const char *torus, *output, *trace, *tz, *chart;
	struct storus_list compared; /* --policy */
	struct torus_trace_choice choice;
	const char *value[CHOICES]; /* the same as words, for the subcommands */
	const char *policy[POLICIES];
	int policies;
	int64_t until_us;   /* TORUS_NO_TIME: the trace's last time */
	int64_t shift_us;   /* from the trace's clock to 1970's */
	int64_t first_us;   /* of the trace: the first submit */
	uint64_t jobs;      /* that started */
	int64_t *submit_us; /* of these */
	uint32_t room;
	const char *command;
	char directory[1024];
	DIR *listed; /* the directory, open: it is emptied without another descriptor */
	FILE *messages; /* what the subcommands say, on their standard error */
	struct torus_text passed; /* the lines of it that were passed on, each after
				     and before a line feed */
};

/* The options are also passed on; the last one of a name counts. */
static const char *const choice_options[] = {
	"--columns",       "--cluster", "--partition", "--arrivals",
	"--default-limit", "--size",    "--from",      "--to",
};

static int weekly_take_choice(const struct storus_args *args, void *words)
{
	struct weekly *w = words;
	int k = 0, status = storus_trace_take_choice(args, &w->choice);

	while (k < CHOICES - 1 && strcmp(choice_options[k] + 2, args->option))
		k++;
	w->value[k] = args->value;
	return status;
}

#define CHOICE STORUS_TAKE_ALL(weekly_take_choice)

static const struct storus_option options[] = {
	STORUS_TRACE_CHOICE_TO(CHOICE),
	{ "torus", "FILE",
	  "torus.yaml with the scheduler: block that the cluster had",
	  STORUS_TO(struct weekly, torus) },
	{ "output", "FILE.html", "the page", .writes = true,
	  STORUS_TO(struct weekly, output) },
	{ "policy", "DISCIPLINE",
	  "a policy to compare with, at most twice; default: two of easy, fcfs\nand conservative",
	  STORUS_TO(struct weekly, compared) },
	{ "until", "TIME",
	  "end of the week, a date or seconds on the trace's clock; default:\nthe trace's last time",
	  STORUS_TAKE_TO(struct weekly, until_us, storus_args_take_time) },
	{ "tz", "ZONE",
	  "time zone of dates: UTC (the default), Europe/Berlin, +02:00...",
	  STORUS_TO(struct weekly, tz) },
	{ "chart", "FILE",
	  "Chart.js 3; default: Debian's, of the package libjs-chart.js",
	  STORUS_TO(struct weekly, chart) },
	{ 0 },
};

/* Check a word of --policy: a discipline that is not compared yet. */
static int policy_check(const struct weekly *w, const char *word)
{
	if (!strcmp(word, torus_discipline_recorded.name))
		return storus_say(NAME, STORUS_USAGE,
				  "--policy recorded: what the cluster did is on the page in any case");
	if (!torus_discipline_find(word))
		return storus_say(NAME, STORUS_USAGE,
				  "--policy: got \"%s\"; storus list disciplines names them",
				  word);
	if (!strcmp(word, w->policy[0]))
		return storus_say(NAME, STORUS_USAGE,
				  "--policy %s: this is the policy of %s, which is compared in any case",
				  word, w->torus);
	for (int i = 1; i < w->policies; i++)
		if (!strcmp(word, w->policy[i]))
			return storus_say(NAME, STORUS_USAGE,
					  "--policy %s: given twice", word);
	return STORUS_DONE;
}

/* Choose the policies: the site's discipline, and two others unless --policy
 * names them. */
static int policies_choose(struct weekly *w)
{
	static const char *const others[] = { "easy", "fcfs", "conservative" };
	struct torus_error err = { 0 };
	struct torus_config *config = torus_config_load(w->torus, &err);

	if (!config)
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	w->policy[0] = config->scheduler.discipline->name;
	torus_config_destroy(config);
	for (uint32_t i = 0; i < w->compared.count; i++) {
		if (policy_check(w, w->compared.word[i]))
			return STORUS_USAGE;
		w->policy[w->policies++] = w->compared.word[i];
	}
	for (int i = 0; i < 3 && w->policies < POLICIES; i++)
		if (strcmp(others[i], w->policy[0]) != 0 &&
		    (w->policies < 2 || strcmp(others[i], w->policy[1]) != 0))
			w->policy[w->policies++] = others[i];
	return STORUS_DONE;
}

/* Files */

static char *weekly_path(const struct weekly *w, const char *name,
			 char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", w->directory, name);
	return path;
}

static void weekly_remove(const struct weekly *w)
{
	const struct dirent *entry;
	char path[PATH_MAX];

	for (rewinddir(w->listed); (entry = readdir(w->listed));)
		unlink(weekly_path(w, entry->d_name, path));
	closedir(w->listed);
	rmdir(w->directory);
}

/* Report if the trace does not cover the week and the one before. */
static int weeks_check(const struct weekly *w, int64_t last_us)
{
	int64_t week_us = 7 * 86400 * INT64_C(1000000);
	char until[TORUS_SLURM_DAY_SIZE], first[TORUS_SLURM_DAY_SIZE],
		last[TORUS_SLURM_DAY_SIZE];

	torus_slurm_day_text(w->until_us + w->shift_us, until);
	torus_slurm_day_text(w->first_us + w->shift_us, first);
	torus_slurm_day_text(last_us + w->shift_us, last);
	if (w->until_us <= w->first_us || w->until_us - week_us >= last_us)
		return storus_say(NAME, STORUS_USAGE,
				  "--until %s: %s covers %s to %s, no part of the seven days before",
				  until, w->trace, first, last);
	if (w->until_us - 2 * week_us + week_us / 7 < w->first_us)
		storus_say(NAME, 0,
			   "notice: %s begins %.1f days before the week's end: the week before is incomplete",
			   w->trace,
			   (double)(w->until_us - w->first_us) / 864e8);
	return STORUS_DONE;
}

static int weekly_times_compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Choose the end of the week: the trace's last time; if the week to it has few of the
 * jobs that weeks have, since a straggler ran or came long after all others, the last
 * submission whose week has half of them or more. */
static void week_choose(struct weekly *w, int64_t last_us)
{
	const int64_t week_us = 7 * 86400 * INT64_C(1000000);
	uint64_t n = w->jobs, first = n, in_last;
	char end[TORUS_SLURM_DAY_SIZE], chosen[TORUS_SLURM_DAY_SIZE];
	double median;

	w->until_us = last_us;
	qsort(w->submit_us, n, sizeof(*w->submit_us), weekly_times_compare);
	/* a job's week as the week of the median job has it */
	for (first = n / 2; first > 0 && w->submit_us[first - 1] >
						 w->submit_us[n / 2] - week_us;)
		first--;
	median = (double)(n / 2 + 1 - first);
	for (in_last = 0;
	     in_last < n && w->submit_us[n - 1 - in_last] >= last_us - week_us;)
		in_last++;
	if ((double)in_last >= median / 10 && (in_last > 1 || median < 4))
		return;
	for (uint64_t last = n, k = n; last > 0; last--) {
		while (k > 0 &&
		       w->submit_us[k - 1] > w->submit_us[last - 1] - week_us)
			k--;
		if ((double)(last - k) < median / 2)
			continue;
		w->until_us = w->submit_us[last - 1] + 1000000;
		break;
	}
	torus_slurm_day_text(last_us + w->shift_us, end);
	torus_slurm_day_text(w->until_us + w->shift_us, chosen);
	storus_say(NAME, 0,
		   "notice: %s: of the week to %s, the trace's last time, %llu job%s submitted: the page is of the last full week, to %s; --until chooses another",
		   w->trace, end, (unsigned long long)in_last,
		   in_last == 1 ? " was" : "s were", chosen);
}

/* The schedule that the cluster made, as it is written. */
struct cluster_schedule {
	struct weekly *w;
	struct torus_schedule csv;
	int64_t last_us; /* the last end so far */
};

/* Write a row for a job that started, and note its submission. */
static int cluster_add(void *arg, const struct torus_trace_record *r)
{
	static const struct torus_machine none; /* regions are texts */
	struct cluster_schedule *to = arg;
	struct weekly *w = to->w;
	uint64_t nodes = r->used ? r->used : r->requested;
	struct torus_replay_row row = { .id = r->id, .region = r->place };

	if (r->kind || r->start_us == TORUS_NO_TIME)
		return 0;
	if (!nodes && r->shaped)
		nodes = torus_ask_nodes(&r->request->alternative[0].ask);
	row.account = (struct torus_account){
		.submit_us = r->submit_us,
		.start_us = r->start_us,
		.end_us = r->start_us + r->run_us,
		.outcome = TORUS_OUTCOME_COMPLETED,
		.requested = (uint32_t)nodes,
		.granted = (uint32_t)nodes,
		.run_us = r->run_us,
	};
	if (TORUS_GROW(w->submit_us, w->room, w->jobs + 1))
		return -1;
	w->submit_us[w->jobs] = r->submit_us;
	if (!w->jobs++ || r->submit_us < w->first_us)
		w->first_us = r->submit_us;
	if (row.account.end_us > to->last_us)
		to->last_us = row.account.end_us;
	/* whoever closes the file sees that a row could not be written */
	torus_schedule_row(&to->csv, &none, &row);
	return 0;
}

/* Write cluster.csv: the jobs of the trace. */
static int cluster_write(struct weekly *w)
{
	const struct torus_trace_options how = { .unsorted = true,
						 .strict = true,
						 .choice = w->choice };
	static const struct torus_machine none;
	struct cluster_schedule to = { .w = w };
	char path[PATH_MAX], digest[TORUS_TRACE_DIGEST_SIZE];
	FILE *out = fopen(weekly_path(w, "cluster.csv", path), "we");
	struct torus_error err = { 0 };
	struct torus_trace *trace;
	int status;

	if (!out || torus_schedule_begin(&to.csv, &none, out))
		return storus_output_failed(NAME, path);
	status = storus_trace_read(w->trace, &how, cluster_add, &to, &trace,
				   &err);
	if (status && trace && !err.count)
		err = *torus_trace_bad(trace);
	if (!status && !w->jobs) {
		storus_trace_notices(NAME, w->trace, trace, true);
		status = storus_trace_usable(NAME, w->trace,
					     torus_trace_counts(trace));
	}
	if (!status && torus_trace_header(trace)->unix_start > 0)
		w->shift_us = torus_trace_header(trace)->unix_start * 1000000;
	torus_trace_close(trace);
	if (err.count)
		storus_say_errors(NAME, status, &err);
	else if (!status && torus_schedule_finish(&to.csv, digest))
		status = storus_output_failed(NAME, path);
	torus_schedule_end(&to.csv);
	if (fclose(out) && !status)
		status = storus_output_failed(NAME, path);
	if (status)
		return status;
	if (!w->jobs)
		return storus_say(NAME, STORUS_USAGE,
				  "%s: no job with a start: expected the journal of sched/torus, or sacct with the column Start",
				  w->trace);
	if (w->until_us == TORUS_NO_TIME)
		week_choose(w, to.last_us);
	else if (w->until_us >= w->shift_us) /* a date */
		w->until_us -= w->shift_us;
	return weeks_check(w, to.last_us);
}

/* Processes */

/* Pass on the messages of a subcommand after the first `from` bytes of the file, each
 * line once: each subcommand reads the same trace. */
static int messages_pass(struct weekly *w, long from)
{
	struct torus_text text = { 0 };
	char *line = NULL;
	size_t room = 0;
	int rc = fseek(w->messages, from, SEEK_SET);

	while (!rc && getline(&line, &room, w->messages) > 0) {
		const char *colon = strstr(line, ": ");
		const char *words = colon && !strncmp(line, "storus ", 7) ?
					    colon + 2 :
					    line;

		text.length = 0;
		rc = torus_text_add(&text, "\n%s", words);
		if (rc || (w->passed.data && strstr(w->passed.data, text.data)))
			continue;
		fprintf(stderr, "storus %s: %s", storus_weekly.name, words);
		rc = torus_text_add(&w->passed, "%s", text.data);
	}
	torus_text_free(&text);
	free(line);
	return rc;
}

/* Run storus with these arguments (ended by NULL), its standard output
 * discarded. Its exit status. */
static int weekly_call(struct weekly *w, const char *const *argument)
{
	long from = ftell(w->messages);
	char *copy[MOST_ARGUMENTS + 1] = { NULL };
	int count = 0, status;
	pid_t pid;

	while (argument[count])
		count++;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		if (null < 0 || dup2(null, STDOUT_FILENO) < 0 ||
		    dup2(fileno(w->messages), STDERR_FILENO) < 0)
			_exit(STORUS_TROUBLE);
		for (int i = 0; i < count; i++)
			copy[i] = strdup(argument[i]);
		for (int k = 0; k < CHOICES; k++) {
			if (!w->value[k])
				continue;
			copy[count++] = strdup(choice_options[k]);
			copy[count++] = strdup(w->value[k]);
		}
		/* the commands on the page are without it, so that users can type them */
		storus_main_omit(w->directory);
		status = storus_main(count, copy);
		fflush(NULL);
		_exit(torus_watch_done(status));
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || messages_pass(w, from) ||
	    !WIFEXITED(status))
		return storus_say(NAME, STORUS_TROUBLE, "storus %s failed",
				  argument[1]);
	return WEXITSTATUS(status);
}

/* Check that a subcommand has written its answer: the disk may be full. */
static int answer_check(const char *path)
{
	json_error_t why;
	json_t *top = json_load_file(path, 0, &why);
	int status = STORUS_DONE;

	if (!json_object_get(top, "command"))
		status = storus_say(NAME, STORUS_TROUBLE,
				    "%s: expected the answer of a subcommand, with \"command\"%s%s",
				    path, top ? "" : ": ", top ? "" : why.text);
	json_decref(top);
	return status;
}

/* Run parity. Its exit status 1 (differences) is an answer, too. */
static int parity_ask(struct weekly *w)
{
	char path[PATH_MAX], json[PATH_MAX + 8];
	const char *argument[] = { "storus", "parity", "--torus", w->torus,
				   json,     w->trace, NULL };
	int status;

	snprintf(json, sizeof(json), "--json=%s",
		 weekly_path(w, "parity.json", path));
	status = weekly_call(w, argument);
	return status == STORUS_DONE || status == STORUS_NO ?
		       answer_check(path) :
		       status;
}

static int policy_replay(struct weekly *w, const char *policy)
{
	char name[NAME_MAX], path[PATH_MAX];
	const char *argument[] = { "storus",     "replay",       "--torus",
				   w->torus,     "--discipline", policy,
				   "--schedule", path,           w->trace,
				   NULL };

	int status;

	snprintf(name, sizeof(name), "%s.csv", policy);
	weekly_path(w, name, path);
	status = weekly_call(w, argument);
	snprintf(name, sizeof(name), "%s.csv.json", policy);
	return status ? status : answer_check(weekly_path(w, name, path));
}

/* Write weekly.json: the other data of the page's section. */
static int week_write(const struct weekly *w)
{
	char path[PATH_MAX];
	json_t *parity = json_load_file(weekly_path(w, "parity.json", path), 0,
					NULL);
	json_t *week = json_pack("{s:s, s:s, s:f, s:o?}", "command", w->command,
				 "site", w->policy[0], "until",
				 (double)w->until_us * 1e-6, "parity", parity);
	int rc = week ? json_dump_file(week,
				       weekly_path(w, "weekly.json", path), 0) :
			-1;

	json_decref(week);
	return rc ? storus_output_failed(NAME, path) : STORUS_DONE;
}

static int week_report(struct weekly *w)
{
	char schedule[POLICIES + 1][PATH_MAX], week[PATH_MAX];
	const char *argument[MOST_ARGUMENTS] = {
		"storus",  "report",    "--torus", w->torus, "--trace",
		w->trace,  "--output",  w->output, "--tz",   w->tz,
		"--title", "The week",  "--chart", w->chart, "--weekly",
		week,      schedule[0],
	};
	int count = 17;

	weekly_path(w, "weekly.json", week);
	weekly_path(w, "cluster.csv", schedule[0]);
	for (int i = 0; i < w->policies; i++) {
		snprintf(schedule[i + 1], PATH_MAX, "%s/%s.csv", w->directory,
			 w->policy[i]);
		argument[count++] = schedule[i + 1];
	}
	return weekly_call(w, argument);
}

/*
 * Make the page in a process group of its own, and remove the directory after it. A signal
 * that ends the program ends the group first: no child goes on, and no file stays.
 */
static int weekly_guard(struct weekly *w)
{
	sigset_t awaited, before;
	int number = SIGCHLD, status = 0;
	pid_t pid;

	storus_signals_ending(&awaited);
	sigaddset(&awaited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &awaited, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* its children become ours */
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		sigprocmask(SIG_SETMASK, &before, NULL);
		status = cluster_write(w);
		if (!status)
			status = parity_ask(w);
		for (int i = 0; i < w->policies && !status; i++)
			status = policy_replay(w, w->policy[i]);
		if (!status)
			status = week_write(w);
		status = status ? status : week_report(w);
		fflush(NULL);
		_exit(status);
	}
	if (pid > 0) {
		setpgid(pid, pid);
		while (number == SIGCHLD && waitpid(pid, &status, WNOHANG) == 0)
			number = sigwaitinfo(&awaited, NULL);
		if (number != SIGCHLD)
			kill(-pid, SIGTERM);
		while (waitpid(-pid, NULL, 0) > 0 || errno == EINTR)
			;
	}
	weekly_remove(w);
	if (pid > 0 && number == SIGCHLD && WIFEXITED(status)) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return WEXITSTATUS(status);
	}
	if (pid > 0 && number != SIGCHLD) {
		storus_say(NAME, 0, "%s: %s is not written",
			   storus_signal_name(number), w->output);
		raise(number);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return storus_say(NAME, STORUS_TROUBLE, "%s cannot be made", w->output);
}

static int weekly_run(void *words)
{
	struct weekly *w = words;
	const char *base;
	int status;
	char path[PATH_MAX];

	if (w->compared.count > POLICIES - 1)
		return storus_say(NAME, STORUS_USAGE, "--policy: more than two");
	if (!w->torus || !w->output || !w->trace || !strcmp(w->trace, "-"))
		return storus_say(NAME, STORUS_USAGE,
				  "expected --torus FILE, --output FILE.html and the file of a trace, which is read several times; storus weekly --help has examples");
	if (!storus_page_zone(NAME, w->tz))
		return STORUS_USAGE;
	/* Do all of it in a temporary directory. */
	base = getenv("TMPDIR");
	status = policies_choose(w);
	if (status)
		return status;
	errno = ENAMETOOLONG;
	if (snprintf(w->directory, sizeof(w->directory), "%s/storus-XXXXXX",
		     base ? base : "/tmp") >= (int)sizeof(w->directory) ||
	    !mkdtemp(w->directory))
		return storus_say(NAME, STORUS_TROUBLE,
				  "%s: no directory can be made there: %s",
				  base ? base : "/tmp", strerror(errno));
	w->listed = opendir(w->directory);
	if (!w->listed) {
		status = storus_output_failed(NAME, w->directory);
		rmdir(w->directory);
		return status;
	}
	w->messages = fopen(weekly_path(w, "messages.txt", path), "w+e");
	if (!w->messages) {
		status = storus_output_failed(NAME, path);
		weekly_remove(w);
		return status;
	}
	status = weekly_guard(w);
	fclose(w->messages);
	torus_free(w->submit_us);
	return status;
}

const struct storus_command storus_weekly = {
	.name = "weekly",
	.summary = "write a page about the cluster's week, for cron",
	.usage = "--torus FILE --output FILE.html TRACE [OPTION]...",
	.about =
		"TRACE is the journal of sched/torus, or sacct -P with Start and AdminComment, of\n"
		"two weeks or more. The page compares the last seven days with the seven before:\n"
		"which users waited, why nodes were idle, and the results of two other policies, with\n"
		"the share of starts that a replay of the site's own policy reproduces.",
	.options = options,
	STORUS_WORDS(struct weekly, .tz = "UTC", .chart = STORUS_PAGE_CHART,
		     .policies = 1, .until_us = TORUS_NO_TIME),
	.line = { STORUS_TO(struct weekly, command) },
	.operand = { .value = "trace", STORUS_TO(struct weekly, trace) },
	.examples = "  storus weekly --torus /etc/slurm/torus.yaml --output week.html journal.csv\n" STORUS_SACCT_LINES(
		"now-15days",
		"jobs.sacct") " &&\n"
			      "  storus weekly --torus /etc/slurm/torus.yaml --output week.html jobs.sacct\n",
	.run = weekly_run,
};
