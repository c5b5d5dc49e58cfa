/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a trace; notices about it: its bad lines, and values that were interpreted
 * in an unexpected way. */
#include "storus/base/args.h"
#include "storus/base/notices.h"
#include "trace/formats/slurm_words.h"
#include "trace/select.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

int storus_trace_read(const char *path, const struct torus_trace_options *how,
		      int (*each)(void *arg, const struct torus_trace_record *r),
		      void *arg, struct torus_trace **trace,
		      struct torus_error *err)
{
	const struct torus_trace_record *record;
	enum torus_trace_answer answer;

	errno = 0;
	*trace = torus_trace_open(path, how, err);
	if (!*trace)
		return errno == ENOMEM ? STORUS_TROUBLE : STORUS_USAGE;
	while ((answer = torus_trace_next(*trace, &record, err)) ==
	       TORUS_TRACE_JOB) {
		if (each && each(arg, record)) {
			torus_error_add(err, "%s: out of memory", path);
			return STORUS_TROUBLE;
		}
	}
	return answer == TORUS_TRACE_END     ? STORUS_DONE :
	       answer == TORUS_TRACE_REFUSED ? STORUS_USAGE :
					       STORUS_TROUBLE;
}

static void bad_say(const struct storus_command *command, const char *name,
		    const struct torus_trace *trace, bool strict)
{
	uint64_t bad = torus_trace_counts(trace)->bad;

	if (!bad)
		return;
	storus_say_errors(command, 0, torus_trace_bad(trace));
	storus_say(command, 0, "%s: %" PRIu64 " line%s cannot be read%s%s",
		   name, bad, bad == 1 ? "" : "s",
		   bad > TORUS_TRACE_BAD_SHOWN ? " (the first ten are above)" :
						 "",
		   strict ? "; --strict refuses the trace" : "; skipped");
}

static void repeats_say(const struct storus_command *command, const char *name,
			const struct torus_trace_repeats *r)
{
	char lines[64] = "";

	if (!r->count)
		return;
	if (r->count > 1)
		snprintf(lines, sizeof(lines),
			 " (lines %" PRIu64 " to %" PRIu64 ")", r->line[1],
			 r->last);
	storus_say(command, 0,
		   "notice: %s: %" PRIu64
		   " job%s%s the id of an earlier job, first \"%s\" of lines %" PRIu64
		   " and %" PRIu64
		   "; they are separate jobs, but results distinguish jobs by id",
		   name, r->count, r->count == 1 ? " has" : "s have", lines,
		   r->id, r->line[0], r->line[1]);
}

/* Names of clusters, partitions and users that no job has. */
static void missing_say(const struct storus_command *command, const char *name,
			const struct torus_trace *trace)
{
	struct torus_error missing = { 0 };

	torus_trace_missing(trace, &missing);
	for (const char *p = missing.text; *p; p += strcspn(p, "\n")) {
		p += *p == '\n';
		storus_say(command, 0, "notice: %s: %.*s", name,
			   (int)strcspn(p, "\n"), p);
	}
}

void storus_trace_notices(const struct storus_command *command, const char *name,
			  const struct torus_trace *trace, bool strict)
{
	const struct torus_trace_counts *counts = torus_trace_counts(trace);

	bad_say(command, name, trace, strict);
	if (counts->steps)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64 " step%s ignored; "
			   "sacct -X omits them",
			   name, counts->steps, counts->steps == 1 ? "" : "s");
	if (counts->components)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64
			   " part%s of het jobs counted as separate jobs",
			   name, counts->components,
			   counts->components == 1 ? "" : "s");
	if (counts->unfinished)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64 " job%s omitted "
			   "that still wait%s or run%s: the run time is not known",
			   name, counts->unfinished,
			   counts->unfinished == 1 ? "" : "s",
			   counts->unfinished == 1 ? "s" : "",
			   counts->unfinished == 1 ? "s" : "");
	if (counts->repeated)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64
			   " record%s in the file twice; counted once",
			   name, counts->repeated,
			   counts->repeated == 1 ? " is" : "s are");
	if (torus_trace_header(trace)->mended)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64
			   " record%s with separators or line ends in free text: the columns were recognized by their values",
			   name, torus_trace_header(trace)->mended,
			   torus_trace_header(trace)->mended == 1 ? "" : "s");
	if (torus_trace_header(trace)->wide)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64
			   " line%s more than 18 fields; the further ones are ignored",
			   name, torus_trace_header(trace)->wide,
			   torus_trace_header(trace)->wide == 1 ? " has" :
								  "s have");
	repeats_say(command, name, torus_trace_repeats(trace));
	missing_say(command, name, trace);
}

/* When jobs enter the queue: of a history that says it, or does not. */
static void arrivals_say(const struct storus_command *command, const char *name,
			 const struct torus_trace *trace,
			 const struct torus_trace_choice *choice)
{
	const struct torus_trace_counts *n = torus_trace_counts(trace);

	if (choice->eligible && !strcmp(torus_trace_format(trace)->name, "swf"))
		storus_say(command, 0,
			   "notice: %s: --arrivals eligible: SWF does not say when jobs became eligible; waits count from the submission",
			   name);
	else if (n->held)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64
			   " job%s eligible later than submitted, by %.0f s on average; waits count from then; --arrivals submit counts from the submission",
			   name, n->held, n->held == 1 ? " was" : "s were",
			   n->held_s / (double)n->held);
	else if (torus_trace_format(trace) &&
		 torus_trace_format(trace)->history && !choice->by_submit &&
		 !torus_trace_header(trace)->eligible)
		storus_say(command, 0,
			   "notice: %s: the column Eligible is missing: jobs with a begin time or a dependency enter the queue when they are submitted",
			   name);
}

/* Jobs whose times contradict each other. */
static void early_say(const struct storus_command *command, const char *name,
		      const struct torus_trace_counts *n)
{
	if (n->early)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64
			   " job%s started before %s submitted, by a wrong clock or as the rest of a resized job: the start counts as the submission",
			   name, n->early, n->early == 1 ? "" : "s",
			   n->early == 1 ? "it was" : "they were");
	if (n->shifted)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64
			   " job%s exactly an hour more or less from Start to End than the run time: summer time began or ended; SLURM_TIME_FORMAT=%%s writes times without it",
			   name, n->shifted,
			   n->shifted == 1 ? " has" : "s have");
}

/* What jobs asked for that a replay knows nothing of. */
static void unknown_say(const struct storus_command *command, const char *name,
			const struct torus_trace_counts *n)
{
	const struct {
		uint64_t jobs;
		const char *what;
	} asked[] = {
		{ n->featured, "features (Constraints)" },
		{ n->reserved, "a reservation" },
		{ n->licensed, "licenses" },
	};
	char text[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		if (asked[i].jobs)
			used += (size_t)snprintf(text + used,
						 sizeof(text) - used,
						 "%s%" PRIu64
						 " job%s asked for %s",
						 used ? ", " : "", asked[i].jobs,
						 asked[i].jobs == 1 ? "" : "s",
						 asked[i].what);
	if (used)
		storus_say(command, 0,
			   "notice: %s: %s: a replay lets each use any node at any time",
			   name, text);
}

/* Return true at the full quarter of an hour, in any time zone, where windows of time begin
 * and end, or a second before. */
static bool cut_is_edge(int64_t us)
{
	int64_t s = us / 1000000 % 900;

	return s == 0 || s == 899;
}

void storus_trace_cut(const struct storus_command *command, const char *name,
		      const struct torus_trace_counts *n,
		      const struct torus_trace_choice *choice)
{
	/* two at once are no chance in a file that sacct -T wrote; in another one that is
	 * said of three, where windows begin and end */
	bool begin = n->cut_begin > 1 &&
		     (n->truncated ||
		      (n->cut_begin > 2 && cut_is_edge(n->first_us)));
	bool end = n->cut_end > 1 &&
		   (n->truncated || (n->cut_end > 2 && cut_is_edge(n->last_us)));
	char text[2][80] = { "", "" }, day[TORUS_SLURM_DAY_SIZE];

	if (n->joined)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64
			   " record%s the end of a job that sacct -T cut, joined to its begin",
			   name, n->joined, n->joined == 1 ? " is" : "s are");
	if (choice->has_from || choice->has_to || choice->users ||
	    (!begin && !end))
		return;
	if (begin)
		snprintf(text[0], sizeof(text[0]),
			 "%" PRIu64 " jobs begin at %s", n->cut_begin,
			 torus_slurm_day_text(n->first_us, day));
	if (end)
		snprintf(text[1], sizeof(text[1]), "%" PRIu64 " jobs end at %s",
			 n->cut_end, torus_slurm_day_text(n->last_us, day));
	storus_say(command, 0,
		   "notice: %s: %s%s%s, the %s second of the file: sacct -T %s, so their run times are too short; write it without -T",
		   name, text[0], begin && end ? " and " : "", text[1],
		   begin && end ? "first and last" :
		   begin        ? "first" :
				  "last",
		   n->truncated ? "cut them" : "seems to have cut them");
}

void storus_trace_replayed(const struct storus_command *command,
			   const char *name, const struct torus_trace *trace,
			   const struct torus_trace_choice *choice,
			   uint32_t nodes, bool estimates, bool parted)
{
	const struct torus_trace_counts *n = torus_trace_counts(trace);
	char clusters[48] = "", partitions[48] = "";

	if (!torus_trace_format(trace)) /* of a model */
		return;
	/* "jobs of 2 clusters and 3 partitions are replayed on one machine" */
	if (n->clusters > 1)
		snprintf(clusters, sizeof(clusters), "%" PRIu32 " clusters",
			 n->clusters);
	if (n->partitions > 1 && !parted)
		snprintf(partitions, sizeof(partitions),
			 "%" PRIu32 " partitions", n->partitions);
	if (*clusters || *partitions)
		storus_say(command, 0,
			   "notice: %s: jobs of %s%s%s are replayed on one machine; %s chooses",
			   name, clusters,
			   *clusters && *partitions ? " and " : "", partitions,
			   *clusters ? "--cluster" : "--partition");
	/* (under slurm.conf it says what jobs share) */
	if (choice->size != TORUS_TRACE_SIZE_NODES && !parted &&
	    !torus_trace_format(trace)->history)
		storus_say(command, 0,
			   "notice: %s: --size chooses among columns of sacct; the jobs have the sizes of the trace",
			   name);
	early_say(command, name, n);
	arrivals_say(command, name, trace, choice);
	unknown_say(command, name, n);
	if (torus_trace_format(trace)->history)
		storus_trace_cut(command, name, n, choice);
	if (n->no_limit && estimates)
		storus_say(command, 0,
			   "notice: %s: %" PRIu64 " of %" PRIu64
			   " jobs have no time limit: their run time is used as the estimate, which no scheduler knows; --default-limit sets one",
			   name, n->no_limit, n->jobs);
	if (n->in_use > nodes && choice->size == TORUS_TRACE_SIZE_NODES)
		storus_say(command, 0,
			   "notice: %s: by their own starts and ends the jobs had %" PRIu32
			   " nodes in use at once, this machine has %" PRIu32
			   ": nodes were shared, or the machine was larger; for shared nodes count cores: --size cpus",
			   name, n->in_use, nodes);
}

/* Nodes of partitions need a replay with them (a report accepts the words of its
 * replay); jobs that were multiplied have no history to compare with. */
int storus_trace_take_choice(const struct storus_args *args, void *words)
{
	struct torus_trace_choice *choice = words;
	const struct storus_command *by = args->command;
	struct torus_error err = { 0 };
	int failed = torus_trace_choice_set(choice, args->option, args->value,
					    &err);

	if (!failed && choice->confine && by != &storus_replay &&
	    by != &storus_validate && by != &storus_report)
		return storus_say(by, STORUS_USAGE,
				  "--partition: got \"%s\": storus %s does not confine jobs to nodes, storus replay and campaigns do; write the names alone",
				  args->value, by->name);
	if (!failed && choice->users &&
	    (by == &storus_parity || by == &storus_validate ||
	     by == &storus_weekly))
		return storus_say(by, STORUS_USAGE,
				  "--users: storus %s compares with the history, which has each job once; omit it",
				  by->name);
	if (!failed)
		return STORUS_DONE;
	return storus_say(args->command, STORUS_USAGE, "--%s: %s", args->option,
			  err.text);
}

int storus_trace_usable(const struct storus_command *command, const char *name,
			const struct torus_trace_counts *counts)
{
	char words[256];

	if (counts->jobs)
		return STORUS_DONE;
	torus_trace_skipped_words(counts, words, sizeof(words));
	return storus_say(command, STORUS_USAGE,
			  "%s: no job can be used%s%s; expected a trace with at least one job that ran",
			  name, *words ? ": " : ": there is none", words);
}

int storus_trace_take_format(const struct storus_args *args, void *format)
{
	const struct torus_trace_format *const *all = torus_trace_formats();
	const char *words[16];
	int n = 0, i;

	for (; n < 15 && all[n]; n++)
		words[n] = all[n]->name;
	words[n] = NULL;
	i = storus_args_choice(args, words);
	if (i < 0)
		return STORUS_USAGE;
	*(const char **)format = words[i];
	return STORUS_DONE;
}
