/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace: lines from the input, through the format's reader, into the reorder
 * window, and out in order of submission. Models and lists produce jobs in that
 * order already. A journal for a replay is read completely first (joined.h).
 */
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/journal.h"
#include "torus/alloc.h"
#include "trace/formats.h"
#include "trace/ids.h"
#include "trace/input/input.h"
#include "trace/joined.h"
#include "trace/models/model.h"
#include "trace/select.h"

struct torus_trace {
	struct torus_input *in;
	const struct torus_trace_format *format;
	void *reader;
	struct torus_window *window;
	struct torus_joined *joined; /* a journal's records; NULL: they come in
					the order of the window */
	bool joined_finished;
	struct torus_select *select;
	struct torus_sorted *sorted; /* a history's jobs; NULL: they come in the
					order of the window */
	bool strict, unsorted, open, state;
	bool refused; /* strict: refused for a bad line; only reports further ones */
	bool ended;
	bool drained;                     /* the file has no more lines */
	struct torus_trace_record copied; /* is taken again, so often: */
	uint32_t copies, copy;
	bool journal;
	bool began;               /* a scheduler began, in a journal */
	bool headed;              /* the head of the trace has been read */
	bool links;               /* some line is about a link */
	uint32_t outside;         /* number of outside nodes */
	char *settings;           /* of a journal's first scheduler, or NULL */
	uint64_t max_jobs, taken; /* jobs of the file; copies do not count */
	uint64_t line;
	struct torus_trace_choice choice;
	struct torus_trace_header header;
	struct torus_trace_counts counts;
	struct torus_error bad;
	struct torus_ids *ids; /* NULL: no memory for them */
	struct torus_trace_repeats repeats;
	struct torus_trace_priorities priorities;

	const struct torus_trace_record *fresh; /* unsorted: the latest */
	const struct torus_trace_record *list;

	struct torus_model_run *model;    /* NULL: lines from the input */
	double submit_scale;              /* factor of submit times */
	struct torus_trace_record record; /* latest job of the model */
	struct torus_request request;
};

static const struct torus_trace_format *const formats[] = {
#define FORMATS_ENTRY(name) &torus_trace_##name,
	TORUS_TRACE_FORMATS(FORMATS_ENTRY) NULL,
};

const struct torus_trace_format *const *torus_trace_formats(void)
{
	return formats;
}

const struct torus_trace_format *torus_trace_format_find(const char *name)
{
	const struct torus_trace_format *const *f = formats;

	while (*f && strcmp((*f)->name, name) != 0)
		f++;
	return *f;
}

/* Guess the format from the first line, or else from the file name. */
static const struct torus_trace_format *format_guess(const char *path,
						     const char *first)
{
	const struct torus_trace_format *const *f;
	size_t length = strlen(path);
	bool binary;

	for (f = formats; *f; f++)
		if ((*f)->recognizes(first))
			return *f;
	if (torus_foreign_what(first, &binary))
		return NULL;
	if (length > 3 && !strcmp(path + length - 3, ".gz"))
		length -= 3;
	for (f = formats; *f; f++) {
		size_t n = strlen((*f)->ending);

		if (length > n && !strncmp(path + length - n, (*f)->ending, n))
			return *f;
	}
	return NULL;
}

/* Say what a file is that no reader reads. Return -1 with EINVAL. */
static int foreign_say(const char *name, const char *first,
		       const char *expected, struct torus_error *err)
{
	bool binary;
	const char *what = torus_foreign_what(first, &binary);

	if (what)
		return torus_error_add(err, "%s: %s", name, what);
	if (expected)
		return torus_error_add(err, "%s: expected %s", name, expected);
	return torus_error_add(err,
			       "%s: neither the first line nor the name tells the format; name it with --format, or of a file without a line of names the columns with --columns JobID,User,...",
			       name);
}

/* Choose and create the reader. Return 0, or -1 with errno and a line in
 * err. */
static int reader_begin(struct torus_trace *trace, const char *path,
			const struct torus_trace_options *options,
			struct torus_error *err)
{
	const struct torus_trace_choice *choice = &trace->choice;
	const char *format = options->format;
	const char *first = torus_input_peek(trace->in, err);
	bool binary;

	if (!first)
		return -1;
	if (torus_input_is_tar(trace->in))
		return torus_error_add(err,
				       "%s: this is a tar archive: tar -xOf FILE MEMBER | storus replay ... -",
				       torus_input_name(trace->in));
	if (torus_foreign_what(first, &binary) && binary)
		return foreign_say(torus_input_name(trace->in), first,
				   options->expected, err);
	if (!format && choice->columns)
		format = strchr(choice->columns, '=') ? "csv" : "sacct";
	trace->format = format ? torus_trace_format_find(format) :
				 format_guess(path, first);
	if (!trace->format && format)
		return torus_error_add(err, "trace format \"%s\" is not known",
				       format);
	if (!trace->format && !*first)
		return torus_error_add(err, "%s: the file is empty",
				       torus_input_name(trace->in));
	if (!trace->format)
		return foreign_say(torus_input_name(trace->in), first,
				   options->expected, err);
	trace->journal = strncmp(first, JOURNAL_MARK, strlen(JOURNAL_MARK)) == 0;
	trace->reader = trace->format->create(&trace->header, choice);
	return trace->reader ? 0 : -1;
}

/* Return true if the options leave out or change jobs. */
static bool choice_narrows(const struct torus_trace_choice *c)
{
	return c->cluster || c->partition || c->has_from || c->has_to ||
	       c->size || c->columns;
}

/* Report that memory ran out, once. */
__attribute__((cold)) static void trace_no_memory(const char *name,
						  struct torus_error *err)
{
	torus_error_add(err, "%s: out of memory", name);
	errno = ENOMEM;
}

struct torus_trace *torus_trace_open(const char *path,
				     const struct torus_trace_options *options,
				     struct torus_error *err)
{
	struct torus_trace *trace = torus_alloc(1, sizeof(*trace));

	if (!trace)
		goto error;
	trace->choice = options->choice;
	trace->strict = options->strict;
	trace->unsorted = options->unsorted;
	trace->open = options->open;
	trace->state = options->state;
	trace->max_jobs = options->max_jobs ? options->max_jobs : UINT64_MAX;
	trace->header = (struct torus_trace_header){ .max_nodes = -1,
						     .max_processors = -1,
						     .unix_start = -1 };
	trace->priorities = (struct torus_trace_priorities){ INFINITY,
							     -INFINITY };
	trace->ids = torus_ids_create();
	trace->window = torus_window_create();
	if (!trace->window)
		goto error;
	trace->in = torus_input_open(path, options->digest, err);
	if (!trace->in || reader_begin(trace, path, options, err))
		goto error;
	if (trace->journal && choice_narrows(&trace->choice)) {
		torus_error_add(err,
				"%s: a journal is read as a whole: --cluster, --partition, --from, --to, --size and --columns are for other traces",
				torus_input_name(trace->in));
		goto error;
	}
	trace->select = torus_select_create(&trace->choice, &trace->header,
					    trace->format->history);
	if (!trace->select)
		goto error;
	if (trace->format->history) {
		trace->sorted = torus_sorted_create(trace->unsorted);
		if (!trace->sorted)
			goto error;
	}
	if (trace->journal && trace->state && !trace->unsorted) {
		trace->joined = torus_joined_create();
		if (!trace->joined)
			goto error;
	}
	return trace;
error:
	if (errno == ENOMEM)
		trace_no_memory(path, err);
	torus_trace_close(trace);
	return NULL;
}

void torus_trace_close(struct torus_trace *trace)
{
	int saved = errno;

	if (!trace)
		return;
	torus_model_end(trace->model);
	if (trace->reader)
		trace->format->destroy(trace->reader);
	torus_free(trace->copied.request);
	torus_window_destroy(trace->window);
	torus_joined_destroy(trace->joined);
	torus_select_destroy(trace->select);
	torus_sorted_destroy(trace->sorted);
	torus_ids_destroy(trace->ids);
	torus_input_close(trace->in);
	torus_free(trace->settings);
	torus_free(trace);
	errno = saved;
}

struct torus_trace *
torus_trace_open_model(const struct torus_model_options *options,
		       struct torus_error *err)
{
	struct torus_trace *trace = torus_alloc(1, sizeof(*trace));

	if (!trace)
		goto error;
	if (options->jobs > TORUS_MODEL_MAX_JOBS) {
		torus_error_add(err, "jobs: got %llu, expected at most %llu",
				(unsigned long long)options->jobs,
				(unsigned long long)TORUS_MODEL_MAX_JOBS);
		goto error;
	}
	trace->max_jobs = options->jobs;
	/* The clock of a model has no date. */
	trace->header = (struct torus_trace_header){
		.max_nodes = options->torus.nodes,
		.max_processors = options->torus.nodes,
		.unix_start = -1
	};
	trace->submit_scale = 1;
	if (options->load > 0) {
		double realised, nominal;

		if (torus_model_realised(options, &realised, &nominal, err))
			goto error;
		trace->submit_scale = realised / options->load;
	}
	trace->model = torus_model_begin(options, err);
	if (trace->model)
		return trace;
error:
	if (errno == ENOMEM)
		trace_no_memory(options->model->name, err);
	torus_trace_close(trace);
	return NULL;
}

struct torus_trace *torus_trace_open_list(const struct torus_trace_record *list,
					  uint64_t count)
{
	struct torus_trace *trace = torus_alloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	trace->list = list;
	trace->max_jobs = count;
	trace->header = (struct torus_trace_header){ .max_nodes = -1,
						     .max_processors = -1,
						     .unix_start = -1 };
	return trace;
}

/* Scale the submit time; the deadline moves with it. */
static void trace_scale_submit(struct torus_trace_record *r, double factor)
{
	const double most = (double)TORUS_TRACE_MAX_SECONDS * 1e6;
	int64_t submit = r->submit_us;

	if (!(factor < 1 || factor > 1))
		return;
	r->submit_us = (int64_t)llround(fmin((double)submit * factor, most));
	if (r->deadline_us != TORUS_NO_TIME)
		r->deadline_us += r->submit_us - submit;
}

static enum torus_trace_answer
model_next(struct torus_trace *trace, const struct torus_trace_record **record,
	   struct torus_error *err)
{
	const struct torus_model *model = trace->model->options.model;
	struct torus_trace_record *r = &trace->record;
	const int64_t most = TORUS_TRACE_MAX_SECONDS * 1000000;

	if (trace->counts.jobs == trace->max_jobs)
		return TORUS_TRACE_END;
	*r = (struct torus_trace_record){ .limit_us = -1,
					  .wait_limit_us = -1,
					  .deadline_us = TORUS_NO_TIME,
					  .since_us = TORUS_NO_TIME,
					  .left_us = TORUS_NO_TIME,
					  .request = &trace->request,
					  .line = ++trace->counts.jobs };
	model->job(trace->model, r);
	trace_scale_submit(r, trace->submit_scale);
	if (r->submit_us >= most || r->run_us >= most) {
		torus_error_add(err, "%s: job %llu is beyond %lld s",
				model->name, (unsigned long long)r->line,
				(long long)TORUS_TRACE_MAX_SECONDS);
		return TORUS_TRACE_REFUSED;
	}
	r->used = r->requested;
	torus_augment_apply(&trace->model->options.vary, r);
	snprintf(r->id, sizeof(r->id), "%llu", (unsigned long long)r->line);
	*record = r;
	return TORUS_TRACE_JOB;
}

__attribute__((cold)) static void line_bad(struct torus_trace *trace,
					   uint64_t line, const char *why)
{
	if (++trace->counts.bad <= TORUS_TRACE_BAD_SHOWN)
		torus_error_add(&trace->bad, "%s:%llu: %s",
				torus_input_name(trace->in),
				(unsigned long long)line, why);
}

static bool reader_ready(const struct torus_trace *trace)
{
	return trace->format->ready && trace->format->ready(trace->reader);
}

static enum torus_trace_answer trace_ended(struct torus_trace *trace)
{
	trace->ended = true;
	return TORUS_TRACE_END;
}

/* Handle the end of the file. The reader may still have results. */
static enum torus_trace_answer trace_end(struct torus_trace *trace,
					 struct torus_error *err)
{
	char why[TORUS_TRACE_WHY_SIZE] = "";

	trace->drained = true;
	if (trace->format->end && trace->format->end(trace->reader, why) !=
					  TORUS_TRACE_LINE_NOTHING) {
		torus_error_add(err, "%s: %s", torus_input_name(trace->in), why);
		return TORUS_TRACE_REFUSED;
	}
	return reader_ready(trace) ? TORUS_TRACE_JOB : trace_ended(trace);
}

/* Clear the fields that a reader need not set. */
static void record_clear(struct torus_trace_record *record, uint64_t line)
{
	record->line = line;
	record->start_us = record->eligible_us = TORUS_NO_TIME;
	record->place[0] = '\0';
	*record->cluster = *record->account = *record->qos = '\0';
	record->nice = 0;
	record->featured = record->reserved = record->licensed = false;
	record->wait_limit_us = -1;
	record->held_us = record->late_us = 0;
	record->limit_used = 0;
	record->early = record->shifted = false;
	record->turn = 0;
	record->outside = 0;
	record->since_us = record->left_us = TORUS_NO_TIME;
	record->kind = TORUS_TRACE_KIND_JOB;
	record->stay = 0;
	record->open = false;
	record->changes = 0;
	record->begun = 0;
	record->only.length = record->text.length = 0;
}

/* Count lines that are valid but no jobs. */
static void line_count(struct torus_trace_counts *counts,
		       enum torus_trace_line what)
{
	counts->no_run += what == TORUS_TRACE_LINE_NO_RUN;
	counts->no_processors += what == TORUS_TRACE_LINE_NO_PROCESSORS;
	counts->partial += what == TORUS_TRACE_LINE_PARTIAL;
	counts->steps += what == TORUS_TRACE_LINE_STEP;
	counts->unfinished += what == TORUS_TRACE_LINE_UNFINISHED;
	counts->repeated += what == TORUS_TRACE_LINE_REPEATED;
	counts->other += what == TORUS_TRACE_LINE_OTHER;
}

static enum torus_trace_answer
record_take(struct torus_trace *trace, const struct torus_trace_record *record,
	    struct torus_error *err)
{
	if (trace->joined && torus_joined_add(trace->joined, record)) {
		trace_no_memory(torus_input_name(trace->in), err);
		return TORUS_TRACE_FAILED;
	}
	if (trace->joined)
		return TORUS_TRACE_JOB;
	if (trace->sorted && torus_sorted_add(trace->sorted, record)) {
		trace_no_memory(torus_input_name(trace->in), err);
		return TORUS_TRACE_FAILED;
	}
	if (trace->sorted)
		return TORUS_TRACE_JOB;
	if (trace->unsorted)
		trace->fresh = record;
	else if (!trace->refused && !torus_window_add(trace->window)) {
		torus_error_add(err,
				"%s:%llu: submitted before a job that stands more "
				"than %d lines above; sort the trace by submit time",
				torus_input_name(trace->in),
				(unsigned long long)trace->line,
				TORUS_TRACE_WINDOW);
		return TORUS_TRACE_REFUSED;
	}
	return TORUS_TRACE_JOB;
}

static enum torus_trace_answer job_take(struct torus_trace *trace,
					const struct torus_trace_record *record,
					struct torus_error *err)
{
	enum torus_trace_answer answer = record_take(trace, record, err);
	struct torus_trace_priorities *p;

	if (answer != TORUS_TRACE_JOB)
		return answer;
	p = &trace->priorities;
	p->least = fmin(p->least, record->priority);
	p->most = fmax(p->most, record->priority);
	torus_select_count(trace->select, record, &trace->counts);
	if (trace->ids)
		torus_ids_add(trace->ids, record->id, record->line,
			      &trace->repeats);
	trace->counts.components += record->component;
	trace->counts.jobs++;
	if (!trace->copies)
		trace->ended = ++trace->taken == trace->max_jobs;
	return TORUS_TRACE_JOB;
}

/* Take a job that its user's factor multiplies, for the first time: keep it. */
static enum torus_trace_answer
copies_begin(struct torus_trace *trace, const struct torus_trace_record *record,
	     uint32_t copies, struct torus_error *err)
{
	struct torus_request *request = trace->copied.request;

	trace->copied = *record;
	trace->copied.request = request;
	trace->copied.only = trace->copied.text = (struct torus_text){ 0 };
	if (record->shaped) {
		if (!request)
			request = torus_alloc(1, sizeof(*request));
		trace->copied.request = request;
		if (!request) {
			trace_no_memory(torus_input_name(trace->in), err);
			return TORUS_TRACE_FAILED;
		}
		torus_request_copy(request, record->request);
	}
	trace->copies = copies - 1;
	trace->copy = 1;
	return job_take(trace, record, err);
}

/* Take it again, under a name of its own. */
static enum torus_trace_answer copies_next(struct torus_trace *trace,
					   struct torus_error *err)
{
	struct torus_trace_record *record = torus_window_blank(trace->window);
	struct torus_trace_record own = *record;

	*record = trace->copied;
	record->request = own.request;
	record->only = own.only;
	record->text = own.text;
	record->only.length = record->text.length = 0;
	if (record->shaped && !record->request)
		record->request = torus_alloc(1, sizeof(*record->request));
	if (record->shaped && !record->request) {
		trace_no_memory(torus_input_name(trace->in), err);
		return TORUS_TRACE_FAILED;
	}
	if (record->shaped)
		torus_request_copy(record->request, trace->copied.request);
	torus_select_name_copy(record, trace->copied.id, ++trace->copy);
	trace->copies--;
	return job_take(trace, record, err);
}

/* Return true if the record is wanted although it is no finished job. */
static bool other_wanted(struct torus_trace *trace, enum torus_trace_line what,
			 const struct torus_trace_record *record)
{
	bool begins = record->kind == TORUS_TRACE_KIND_STATE || record->begun;

	if (what == TORUS_TRACE_LINE_OPEN &&
	    record->kind == TORUS_TRACE_KIND_BEGIN) {
		trace->began = true;
		trace->outside = record->outside;
	}
	return what == TORUS_TRACE_LINE_NODES ||
	       (trace->state && begins &&
		(what == TORUS_TRACE_LINE_OPEN ||
		 what == TORUS_TRACE_LINE_JOB)) ||
	       (trace->joined && what == TORUS_TRACE_LINE_OPEN) ||
	       (trace->open && (what == TORUS_TRACE_LINE_OPEN ||
				what == TORUS_TRACE_LINE_LOST));
}

/* Note whether the head of the trace has been read. In a journal the links, if
 * any can fail, follow the state. */
static void head_note(struct torus_trace *trace, enum torus_trace_line what,
		      const struct torus_trace_record *record)
{
	if (what == TORUS_TRACE_LINE_NOTHING)
		return;
	trace->links |= record->kind == TORUS_TRACE_KIND_LINK;
	if (record->kind == TORUS_TRACE_KIND_STATE && !trace->headed &&
	    !trace->settings && record->text.length)
		trace->settings = torus_text_copy(record->text.data);
	trace->headed |= !trace->journal ||
			 (trace->began &&
			  record->kind != TORUS_TRACE_KIND_STATE);
}

/* Read one line into the window or the counts. JOB: success, whether it was a
 * job or not. */
static enum torus_trace_answer trace_line_take(struct torus_trace *trace,
					       struct torus_error *err)
{
	struct torus_trace_record *record = torus_window_blank(trace->window);
	char why[TORUS_TRACE_WHY_SIZE];
	enum torus_trace_line what = TORUS_TRACE_LINE_BAD;
	bool whole = true;
	char *line = NULL;
	size_t length = 0;
	int got = 1;

	if (trace->copies)
		return copies_next(trace, err);
	if (!reader_ready(trace)) {
		if (trace->drained)
			return trace_ended(trace);
		got = torus_input_line(trace->in, &line, &length, &whole, err);
		trace->line++;
	}
	if (got < 0)
		return errno == EINVAL ? TORUS_TRACE_REFUSED :
					 TORUS_TRACE_FAILED;
	if (!got)
		return trace_end(trace, err);
	record_clear(record, trace->line);
	if (whole)
		what = trace->format->line(trace->reader, line, length, record,
					   why);
	if (!trace->journal && !record->kind)
		what = torus_select_take(trace->select, what, record,
					 &trace->counts);
	if (what == TORUS_TRACE_LINE_LOST)
		trace->counts.lost += record->requested;
	head_note(trace, what, record);
	if (other_wanted(trace, what, record))
		return record_take(trace, record, err);
	if (what == TORUS_TRACE_LINE_JOB && !record->kind && !trace->journal &&
	    !trace->sorted) { /* (its jobs: torus_sorted_finish()) */
		uint32_t copies = torus_select_copies(trace->select, record);

		if (copies > 1)
			return copies_begin(trace, record, copies, err);
		if (!copies) {
			what = TORUS_TRACE_LINE_OTHER;
			trace->ended = ++trace->taken == trace->max_jobs;
		}
	}
	if (what == TORUS_TRACE_LINE_JOB)
		return job_take(trace, record, err);
	if (what == TORUS_TRACE_LINE_BAD)
		line_bad(trace, record->line,
			 whole ? why : "the line is too long");
	if (what == TORUS_TRACE_LINE_REFUSED) {
		torus_error_add(err, "%s:%llu: %s", torus_input_name(trace->in),
				(unsigned long long)trace->line, why);
		return TORUS_TRACE_REFUSED;
	}
	if (what == TORUS_TRACE_LINE_FAILED) {
		trace_no_memory(torus_input_name(trace->in), err);
		return TORUS_TRACE_FAILED;
	}
	line_count(&trace->counts, what);
	return what == TORUS_TRACE_LINE_UNFINISHED && record->open &&
			       trace->sorted ?
		       record_take(trace, record, err) :
		       TORUS_TRACE_JOB;
}

enum torus_trace_answer torus_trace_head(struct torus_trace *trace,
					 struct torus_trace_head *head,
					 struct torus_error *err)
{
	enum torus_trace_answer answer = TORUS_TRACE_JOB;

	while (trace->in && answer == TORUS_TRACE_JOB && !trace->ended &&
	       !trace->headed && !trace->unsorted &&
	       (trace->sorted || !torus_window_full(trace->window)))
		answer = trace_line_take(trace, err);
	trace->refused = trace->strict && trace->counts.bad;
	*head = (struct torus_trace_head){
		.journal = trace->journal,
		.outside = trace->outside,
		.settings = trace->settings,
		.links = trace->journal ? trace->links : trace->header.states,
	};
	return answer == TORUS_TRACE_END ? TORUS_TRACE_JOB : answer;
}

/* Return the next record of the joined ones, after all lines have been read. */
static enum torus_trace_answer
joined_next(struct torus_trace *trace, const struct torus_trace_record **record,
	    struct torus_error *err)
{
	if (!trace->joined_finished && torus_joined_finish(trace->joined)) {
		trace_no_memory(torus_input_name(trace->in), err);
		return TORUS_TRACE_FAILED;
	}
	if (!trace->joined_finished)
		trace->counts.jobs += torus_joined_crossed(trace->joined);
	trace->joined_finished = true;
	*record = torus_joined_next(trace->joined);
	return *record ? TORUS_TRACE_JOB : TORUS_TRACE_END;
}

enum torus_trace_answer torus_trace_next(struct torus_trace *trace,
					 const struct torus_trace_record **record,
					 struct torus_error *err)
{
	enum torus_trace_answer answer;

	if (trace->model)
		return model_next(trace, record, err);
	if (!trace->in) {
		if (trace->counts.jobs == trace->max_jobs)
			return TORUS_TRACE_END;
		*record = &trace->list[trace->counts.jobs++];
		return TORUS_TRACE_JOB;
	}
	trace->fresh = NULL;
	while (!trace->ended &&
	       (trace->sorted || !torus_window_full(trace->window)) &&
	       (!trace->fresh || trace->refused)) {
		answer = trace_line_take(trace, err);
		if (answer != TORUS_TRACE_JOB && answer != TORUS_TRACE_END)
			return answer;
		trace->refused = trace->strict && trace->counts.bad;
	}
	if (trace->refused)
		return TORUS_TRACE_REFUSED;
	if (trace->joined)
		return joined_next(trace, record, err);
	if (trace->sorted) {
		/* all lines of a history have been read */
		uint64_t joined = trace->counts.joined;

		if (torus_sorted_finish(trace->sorted, trace->select,
					&trace->counts)) {
			trace_no_memory(torus_input_name(trace->in), err);
			return TORUS_TRACE_FAILED;
		}
		joined = trace->counts.joined - joined;
		trace->repeats.count -= joined < trace->repeats.count ?
						joined :
						trace->repeats.count;
		*record = torus_sorted_next(trace->sorted);
		return *record ? TORUS_TRACE_JOB : TORUS_TRACE_END;
	}
	*record = trace->unsorted ? trace->fresh :
				    torus_window_take(trace->window);
	return *record ? TORUS_TRACE_JOB : TORUS_TRACE_END;
}

const struct torus_trace_format *
torus_trace_format(const struct torus_trace *trace)
{
	return trace->format;
}

const struct torus_trace_header *
torus_trace_header(const struct torus_trace *trace)
{
	return &trace->header;
}

const struct torus_trace_counts *
torus_trace_counts(const struct torus_trace *trace)
{
	return &trace->counts;
}

uint64_t torus_trace_skipped(const struct torus_trace_counts *counts)
{
	return counts->no_run + counts->no_processors + counts->partial +
	       counts->unfinished + counts->repeated + counts->other +
	       counts->bad;
}

double torus_trace_limit_accuracy(const struct torus_trace_counts *counts)
{
	return counts->limited ? counts->limit_used / (double)counts->limited :
				 NAN;
}

void torus_trace_skipped_words(const struct torus_trace_counts *counts,
			       char *text, size_t size)
{
	const struct {
		uint64_t n;
		const char *why;
	} part[] = {
		{ counts->no_run, "without run time" },
		{ counts->no_processors, "without processors" },
		{ counts->partial, counts->partial == 1 ? "part of another" :
							  "parts of another" },
		{ counts->unfinished, "still waiting or running" },
		{ counts->repeated, "in the file twice" },
		{ counts->other, "not chosen" },
		{ counts->bad, counts->bad == 1 ? "line that cannot be read" :
						  "lines that cannot be read" },
		{ counts->lost, counts->lost == 1 ?
					"line that the journal lost" :
					"lines that the journal lost" },
	};
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < sizeof(part) / sizeof(*part) && used < size; i++)
		if (part[i].n)
			used += (size_t)snprintf(text + used, size - used,
						 "%s%" PRIu64 " %s",
						 used ? ", " : "", part[i].n,
						 part[i].why);
}

const struct torus_trace_repeats *
torus_trace_repeats(const struct torus_trace *trace)
{
	return &trace->repeats;
}

const struct torus_trace_priorities *
torus_trace_priorities(const struct torus_trace *trace)
{
	return &trace->priorities;
}

const struct torus_augment *torus_trace_vary(const struct torus_trace *trace)
{
	return trace->model ? &trace->model->options.vary : NULL;
}

void torus_trace_missing(const struct torus_trace *trace,
			 struct torus_error *err)
{
	if (trace->select)
		torus_select_missing(trace->select, err);
}

const struct torus_error *torus_trace_bad(const struct torus_trace *trace)
{
	return &trace->bad;
}

void torus_trace_progress(const struct torus_trace *trace, uint64_t *read,
			  uint64_t *size)
{
	if (!trace->in) {
		*read = trace->counts.jobs;
		*size = trace->max_jobs;
		return;
	}
	torus_input_progress(trace->in, read, size);
}

int torus_trace_digest(struct torus_trace *trace,
		       char hex[TORUS_TRACE_DIGEST_SIZE])
{
	if (!trace->in) {
		errno = ENOTSUP;
		return -1;
	}
	return torus_input_digest(trace->in, hex);
}
