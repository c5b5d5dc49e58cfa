/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus sweep --slurm: the remaining cells as one job array.
 *
 * The tasks deliver results in the directory FILE.db.tasks/. Its file `cells` lists
 * the cells to compute, one per line; task k of T takes the lines k, k+T, k+2T...
 * A task writes each result as KEY.json and renames it into place when it is
 * complete. While the array is in the queue, the sweep moves the results into the
 * result file. The array's number is stored in the result file, so that a sweep that
 * was interrupted waits for its array instead of submitting the cells again. A task
 * that is killed loses only its own cells.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file.h"
#include "storus/base/output.h"
#include "storus/base/slurm.h"
#include "storus/lab/sweep.h"
#include "torus/alloc.h"
#include "torus/number.h"

#define NAME &storus_sweep
#define NOTE "array"
#define POLL_S 1
#define MOST_WORDS 64
#define RESULT_MOST 65536

struct box {
	struct sweep *s;
	char directory[PATH_MAX - 128];
	char array[64]; /* the job's number; "": none */
	bool queued;
};

static bool is_key(const char *name)
{
	return strspn(name, "0123456789abcdef") == TORUS_CELL_KEY_SIZE - 1 &&
	       !strcmp(name + TORUS_CELL_KEY_SIZE - 1, ".json");
}

/* Return the cell of a key among those still missing, or UINT32_MAX. */
static uint32_t cell_of_key(const struct sweep *s, const char *key)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (!memcmp(s->key[i], key, TORUS_CELL_KEY_SIZE - 1))
			return s->todo[i];
	}
	return UINT32_MAX;
}

/* Move a result into the result file. 1 to stop. */
static int collect_one(struct box *b, const char *name)
{
	char path[PATH_MAX], *text;
	uint32_t cell = cell_of_key(b->s, name);
	size_t length;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/%s", b->directory, name);
	text = torus_file_read(path, RESULT_MOST, &length);
	/* A result of another campaign, or one that the file has, is only
	 * removed. */
	if (text && cell != UINT32_MAX)
		rc = sweep_keep(b->s, cell, text, NULL);
	if (text && rc == 0)
		unlink(path);
	torus_free(text);
	return rc;
}

static int sweep_array_collect(struct box *b)
{
	DIR *dir = opendir(b->directory);
	struct dirent *entry;
	int rc = 0;

	while (dir && !rc && (entry = readdir(dir)))
		if (is_key(entry->d_name))
			rc = collect_one(b, entry->d_name);
	if (dir)
		closedir(dir);
	return rc;
}

/* Any line of squeue is a task that has not ended. */
static int any_line(void *arg, char *line)
{
	struct box *b = arg;

	b->queued |= line[0] != '\0' && line[0] != '\n';
	return STORUS_DONE;
}

/* Return true if the array is still in the queue. squeue fails for an array
 * that ended long ago. */
static bool still_queued(struct box *b)
{
	const char *const command[] = { "squeue",      "--noheader",
					"--format=%i", "--states=all",
					"--jobs",      b->array,
					NULL };
	const char *const active[] = { "squeue", "--noheader", "--format=%i",
				       "--jobs", b->array,     NULL };
	struct torus_error err = { 0 };

	b->queued = false;
	if (storus_slurm_lines(active, &err, any_line, b) == STORUS_DONE)
		return b->queued;
	torus_error_clear(&err);
	return storus_slurm_lines(command, &err, any_line, b) == STORUS_DONE &&
	       b->queued;
}

static int sweep_array_write_list(struct box *b)
{
	struct sweep *s = b->s;
	char path[PATH_MAX];
	struct storus_output out;

	snprintf(path, sizeof(path), "%s/cells", b->directory);
	if ((mkdir(b->directory, 0777) && errno != EEXIST) ||
	    storus_output_open(&out, path))
		return storus_output_failed(NAME, path);
	for (uint32_t i = 0; i < s->n; i++)
		fprintf(out.stream, "%u %s\n", s->todo[i], s->key[i]);
	if (storus_output_commit(&out))
		return storus_output_failed(NAME, path);
	return STORUS_DONE;
}

/* sbatch --parsable prints ID or ID;CLUSTER. */
static int array_id(void *arg, char *line)
{
	struct box *b = arg;

	snprintf(b->array, sizeof(b->array), "%.*s",
		 (int)strspn(line, "0123456789"), line);
	return STORUS_DONE;
}

/* Append the words of --sbatch, which blanks separate, from command[n] on. */
static void add_words(const char **command, int n, char *words)
{
	char *word;

	while (words && n < MOST_WORDS - 1 && (word = strsep(&words, " \t")))
		if (*word)
			command[n++] = word;
	command[n] = NULL;
}

/* The relocatable storus is started by a script, which names itself in
 * STORUS_PROGRAM (contribs/lib/tarball.sh): /proc/self/exe is the loader. */
static char *task_command(struct box *b)
{
	char self[PATH_MAX], file[PATH_MAX], list[PATH_MAX];
	const char *script = getenv("STORUS_PROGRAM");
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *argv[] = { (char[]){ "sweep" }, file, (char[]){ "--task" }, list };

	if (n < 0 || !realpath(b->s->opts->file, file))
		return NULL;
	self[n] = '\0';
	snprintf(list, sizeof(list), "%s/cells", b->directory);
	return storus_shell_line(script ? script : self, 4, argv);
}

static int sweep_array_submit(struct box *b)
{
	const struct sweep_options *g = b->s->opts;
	uint32_t tasks = b->s->n < g->tasks ? b->s->n : g->tasks;
	char range[64], output[PATH_MAX + 16], *wrap = NULL;
	char *words = g->tasks_words ? strdup(g->tasks_words) : NULL;
	const char *command[MOST_WORDS] = { "sbatch", "--parsable",
					    "--job-name=storus-sweep" };
	char *line = task_command(b);
	int status = STORUS_TROUBLE;

	snprintf(range, sizeof(range), "--array=0-%u", tasks - 1);
	snprintf(output, sizeof(output), "--output=%s/task-%%a.log",
		 b->directory);
	if (line && asprintf(&wrap, "--wrap=exec %s", line) > 0) {
		command[3] = range;
		command[4] = output;
		command[5] = wrap;
		add_words(command, 6, words);
		status = storus_slurm_lines(command, &b->s->err, array_id, b);
	}
	if (status == STORUS_DONE && b->array[0] &&
	    torus_result_file_note(b->s->results, NOTE, b->array, &b->s->err) ==
		    0)
		storus_say(NAME, 0, "job array %s: %u tasks for %u cells",
			   b->array, tasks, b->s->n);
	else
		status = storus_say_errors(NAME, STORUS_TROUBLE, &b->s->err);
	free(wrap);
	free(line);
	free(words);
	return status;
}

/* Collect results while the array runs. 1: stopped. */
static int wait_for_array(struct box *b)
{
	bool queued;

	do {
		queued = still_queued(b);
		/* the queue first: results of the last tasks may come until
		 * they are gone */
		if (sweep_array_collect(b))
			return 1;
		sweep_progress(b->s);
		if (queued && b->s->done < b->s->n)
			sleep(POLL_S);
	} while (queued && b->s->done < b->s->n && !storus_interrupted);
	return storus_interrupted != 0;
}

/* Remove the cells that have a result from the list. */
static int forget_done(struct sweep *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		int has = torus_result_file_has(s->results, s->key[i], &s->err);

		if (has < 0)
			return storus_say_errors(NAME, STORUS_TROUBLE, &s->err);
		if (has)
			continue;
		s->todo[n] = s->todo[i];
		memmove(s->key[n++], s->key[i], sizeof(*s->key));
	}
	s->n = n;
	s->done = 0;
	return STORUS_DONE;
}

int sweep_array(struct sweep *s)
{
	struct box b = { .s = s };
	char real[PATH_MAX];
	int status;
	char *noted;

	errno = ENAMETOOLONG;
	if (!realpath(s->opts->output, real) ||
	    snprintf(b.directory, sizeof(b.directory), "%s.tasks", real) >=
		    (int)sizeof(b.directory))
		return storus_say(NAME, STORUS_TROUBLE, "%s: %s",
				  s->opts->output, strerror(errno));
	/* Collect the array of an interrupted sweep. */
	noted = torus_result_file_read_note(b.s->results, NOTE);
	if (noted) {
		snprintf(b.array, sizeof(b.array), "%s", noted);
		free(noted);
		storus_say(NAME, 0, "job array %s of an earlier run: collecting",
			   b.array);
		if (wait_for_array(&b))
			return STORUS_DONE;
		torus_result_file_note(b.s->results, NOTE, NULL, NULL);
	}
	if (sweep_array_collect(&b))
		return STORUS_DONE; /* sweep_outcome() reports missing cells */
	status = forget_done(s);
	if (status || s->n == 0)
		return status;
	status = sweep_array_write_list(&b);
	if (!status)
		status = sweep_array_submit(&b);
	if (!status && !wait_for_array(&b)) {
		/* Forget the array. Keep the directory if cells are missing: its logs say why. */
		char path[PATH_MAX];

		torus_result_file_note(b.s->results, NOTE, NULL, NULL);
		if (b.s->done >= b.s->n) {
			snprintf(path, sizeof(path), "%s/cells", b.directory);
			unlink(path);
			for (uint32_t i = 0; i < b.s->opts->tasks; i++) {
				snprintf(path, sizeof(path), "%s/task-%u.log",
					 b.directory, i);
				unlink(path);
			}
			rmdir(b.directory);
		}
	}
	return status;
}

static int task_number(const char *name, uint32_t *value)
{
	const char *text = getenv(name);
	uint64_t n;

	if (!text || !*text)
		return storus_say(NAME, STORUS_USAGE,
				  "--task: %s is not set; it is for the tasks of --slurm",
				  name);
	if (!torus_number_whole(text, 0, UINT32_MAX, &n))
		return storus_say(NAME, STORUS_USAGE,
				  "--task: %s: got \"%s\", expected a whole number",
				  name, text);
	*value = (uint32_t)n;
	return STORUS_DONE;
}

/* Compute a cell and leave its result beside the list. */
static int task_cell(struct torus_campaign *c, uint32_t i, const char *list,
		     const char *key)
{
	struct torus_cell cell = torus_campaign_cell(c, i);
	struct torus_error err = { 0 };
	const char *slash = strrchr(list, '/');
	struct storus_output out;
	char path[PATH_MAX], *json;

	if (torus_cell_run(c, &cell, &json, &err))
		return storus_say_errors(NAME, STORUS_TROUBLE, &err);
	snprintf(path, sizeof(path), "%.*s%s.json",
		 slash ? (int)(slash - list + 1) : 0, list, key);
	if (storus_output_open(&out, path) || fputs(json, out.stream) < 0 ||
	    storus_output_commit(&out)) {
		free(json);
		return storus_output_failed(NAME, path);
	}
	free(json);
	return STORUS_DONE;
}

/* A line of the list: the cell's number and its key. */
static int task_line(struct torus_campaign *c, const char *list, char *line)
{
	char own[TORUS_CELL_KEY_SIZE], *key = line + strcspn(line, " ");
	uint32_t i = (uint32_t)torus_number_of(line);
	struct torus_cell cell;

	key += strspn(key, " ");
	key[strcspn(key, "\n")] = '\0';
	if (i < c->cells) {
		cell = torus_campaign_cell(c, i);
		torus_cell_key(c, &cell, own);
		if (!strcmp(own, key))
			return task_cell(c, i, list, key);
	}
	return storus_say(NAME, STORUS_USAGE,
			  "%s: the campaign, a trace or a machine file changed since the array was submitted; submit it again",
			  c->path);
}

int sweep_task(struct torus_campaign *c, const char *list)
{
	uint32_t at = 0, task = 0, tasks = 0;
	char line[128];
	int status = task_number("SLURM_ARRAY_TASK_ID", &task);
	FILE *f;

	if (!status)
		status = task_number("SLURM_ARRAY_TASK_COUNT", &tasks);
	if (status)
		return status;
	f = fopen(list, "re");
	if (!f)
		return storus_say(NAME, STORUS_USAGE, "%s: cannot be read: %s",
				  list, strerror(errno));
	for (; !status && fgets(line, sizeof(line), f); at++) {
		if (tasks && at % tasks == task)
			status = task_line(c, list, line);
	}
	fclose(f);
	return status;
}
