/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal's lines (journal.h). One open and close per line: whoever rotates
 * the file need not tell us. */
#include "format/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER                                                                     \
	"id,submit,run,nodes,geometry,connection,rotate,placement,limit,deadline," \
	"priority,eligible,turn,left,limits,only,start,end,region,state\n"

/* Ends further away than a trace may tell are as good as never. */
#define MOST_US (INT64_C(1000000000000) * 1000000)

/* With 6 decimals. */
static void put_seconds(FILE *f, int64_t us)
{
	fprintf(f, "%lld.%06lld", (long long)(us / 1000000),
		(long long)(us % 1000000));
}

/* Seconds; nothing where there is no time. */
static void put_time(FILE *f, int64_t us)
{
	if (us != TORUS_NO_TIME)
		put_seconds(f, us);
	fputc(',', f);
}

/* The one connection of all axes of all alternatives, or -1. */
static int connection_of(const struct torus_request *r)
{
	uint8_t first = r->alternative[0].ask.connection[0];

	for (uint32_t k = 0; k < r->alternatives; k++) {
		const struct torus_ask *ask = &r->alternative[k].ask;
		uint32_t axes = ask->by_count ? 1 : ask->shape.axes;

		for (uint32_t a = 0; a < axes; a++) {
			if (ask->connection[a] != first)
				return -1;
		}
	}
	return first;
}

/* Axes by letter where they are not all alike. */
static void put_connection(FILE *f, const struct torus_request *r)
{
	static const char *const word[] = { "", "torus", "mesh" };
	static const char letter[] = { 'N', 'T', 'M' };
	const struct torus_ask *ask = &r->alternative[0].ask;
	int all = connection_of(r);

	if (all >= 0)
		fputs(word[all % 3], f);
	for (uint32_t a = 0; all < 0 && a < ask->shape.axes; a++)
		fputc(letter[ask->connection[a] % 3], f);
}

/* The words. */
static void put_request(FILE *f, const struct torus_request *r)
{
	const struct torus_ask *ask = &r->alternative[0].ask;
	char text[TORUS_GEOMETRY_SIZE];

	if (ask->by_count && r->alternatives == 1) {
		fprintf(f, "%u,,", ask->count);
	} else {
		torus_request_format(r, text, sizeof(text));
		fprintf(f, ",\"%s\",", text);
	}
	put_connection(f, r);
	fprintf(f, ",%s,", r->rotate ? "" : "no");
}

/* Anywhere: and how many nodes there are that no torus has. */
static void put_placement(FILE *f, const struct torus_machine *m,
			  const struct torus_request *r)
{
	const struct torus_pod *last = &m->pod[m->pods - 1];
	const struct torus_ask *ask = &r->alternative[0].ask;

	if (!ask->anywhere)
		fprintf(f, "%s,", ask->strategy ? ask->strategy : "");
	else if (last->outside)
		fprintf(f, "anywhere+%u,", last->torus.nodes);
	else
		fputs("anywhere,", f);
}

static void put_place(FILE *f, const struct torus_machine *m,
		      const struct torus_placement *place)
{
	struct torus_text text = { 0 };

	if (place && torus_placement_format(m, place, &text) == 0)
		fprintf(f, "\"%s\"", text.data);
	torus_text_free(&text);
}

/* What the limit became while it ran: WHEN=LIMIT, separated by blanks. */
static void put_changes(FILE *f, const struct cycle_over *o)
{
	for (uint32_t i = 0; i < o->changes; i++) {
		const struct cycle_change *change = &o->change[i];

		fputs(i ? " " : "", f);
		put_seconds(f, change->at_us);
		fputc('=', f);
		put_seconds(f, change->limit_us);
	}
	fputc(',', f);
}

/* Nodes as text; all of them have no map. */
static void put_nodes(FILE *f, const struct torus_machine *m,
		      const uint64_t *nodes)
{
	const struct torus_placement place = { .spread = true, .nodes = nodes };
	struct torus_text text = { 0 };

	if (!nodes)
		fputs("all", f);
	else if (torus_placement_format(m, &place, &text) == 0)
		fputs(text.length ? text.data : "none", f);
	torus_text_free(&text);
}

/* The nodes that it might use, and what they became: NODES WHEN=NODES ... */
static void put_only(FILE *f, const struct torus_machine *m,
		     const struct cycle_over *o)
{
	if (o->weres == 0 && !o->only) {
		fputc(',', f);
		return;
	}
	fputc('"', f);
	for (uint32_t i = 0; i < o->weres; i++) {
		put_nodes(f, m, o->were[i].nodes);
		fputc(' ', f);
		put_seconds(f, o->were[i].until_us);
		fputc('=', f);
	}
	put_nodes(f, m, o->only);
	fputs("\",", f);
}

static void put_line(FILE *f, const struct torus_machine *m,
		     const struct cycle_over *o)
{
	static const char *const state[] = { "completed", "rejected",
					     "withdrawn", "undone", "shared" };
	const struct torus_job *job = o->job;
	bool ran = o->place != NULL;

	fprintf(f, "%llu,", (unsigned long long)job->id);
	put_time(f, o->told_us);
	put_time(f, ran ? o->over_us - job->start_us : job->limit_us);
	put_request(f, &job->request);
	put_placement(f, m, &job->request);
	put_time(f, job->limit_us);
	put_time(f, job->deadline_us);
	fprintf(f, "%.0f,", job->priority);
	put_time(f, job->submit_us);
	fprintf(f, "%lld,", (long long)job->turn);
	put_time(f, o->fate == CYCLE_WITHDRAWN ? o->over_us : TORUS_NO_TIME);
	put_changes(f, o);
	put_only(f, m, o);
	put_time(f, ran ? job->start_us : TORUS_NO_TIME);
	put_time(f, ran ? o->over_us : TORUS_NO_TIME);
	put_place(f, m, o->place);
	fprintf(f, ",%s\n", state[o->fate]);
}

/* Jobs are not to have these nodes from now on. */
static void put_kept(FILE *f, const struct torus_machine *m,
		     const struct cycle_kept *k)
{
	int64_t limit_us = k->end_us - k->at_us;

	fputc(',', f);
	put_time(f, k->at_us);
	fputs(",,,,,,", f);
	if (k->end_us && limit_us > MOST_US)
		limit_us = MOST_US;
	put_time(f, k->end_us ? limit_us : TORUS_NO_TIME);
	fputs(",,,,,,,,,\"", f);
	put_nodes(f, m, k->nodes);
	fprintf(f, "\",%s\n", k->out ? "out" : "busy");
}

/* The pass of that instant ended after so many jobs (nodes). */
static void put_cut(FILE *f, const struct cycle_cut *cut)
{
	fputc(',', f);
	put_time(f, cut->at_us);
	fprintf(f, ",%llu,,,,,,,,,,,,,,,,cut\n", (unsigned long long)cut->steps);
}

static bool is_empty(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size == 0;
}

/* Does the file begin with other columns, as an older version wrote them? */
static bool is_older(int fd)
{
	char first[sizeof(HEADER)] = "";

	return pread(fd, first, sizeof(first) - 1, 0) > 0 &&
	       strcmp(first, HEADER) != 0;
}

static int open_fd(const char *path)
{
	return open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
}

/* Lines of both in one file could not be read: it becomes PATH.old. */
static int set_aside(const char *path, int fd)
{
	char old[PATH_MAX];

	close(fd);
	if ((size_t)snprintf(old, sizeof(old), "%s.old", path) >= sizeof(old)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return rename(path, old) ? -1 : open_fd(path);
}

/* The journal, to add a line; NULL with errno. */
static FILE *open_end(const char *path)
{
	int fd = open_fd(path);
	FILE *f;

	if (fd >= 0 && is_older(fd))
		fd = set_aside(path, fd);
	if (fd < 0)
		return NULL;
	f = fdopen(fd, "a");
	if (!f) {
		close(fd);
		return NULL;
	}
	if (is_empty(fd))
		fputs(HEADER, f);
	return f;
}

int journal_add(const char *path, const struct torus_machine *m,
		const struct cycle_over *o)
{
	FILE *f = open_end(path);

	if (!f)
		return -1;
	put_line(f, m, o);
	return fclose(f);
}

int journal_add_kept(const char *path, const struct torus_machine *m,
		     const struct cycle_kept *k)
{
	FILE *f = open_end(path);

	if (!f)
		return -1;
	put_kept(f, m, k);
	return fclose(f);
}

int journal_add_cut(const char *path, const struct cycle_cut *cut)
{
	FILE *f = open_end(path);

	if (!f)
		return -1;
	put_cut(f, cut);
	return fclose(f);
}
