/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal's lines (journal.h). One open and close per job that is over:
 * whoever rotates the file need not tell us. */
#include "common/journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER                                                                 \
	"id,submit,run,nodes,geometry,connection,rotate,limit,deadline,priority,start,end,region,state\n"

/* Seconds with 6 decimals; nothing where there is no time. */
static void put_time(FILE *f, int64_t us)
{
	if (us == TORUS_NO_TIME)
		fputc(',', f);
	else
		fprintf(f, "%lld.%06lld,", (long long)(us / 1000000),
			(long long)(us % 1000000));
}

/* The words: axes by letter where one is not the usual N. */
static void put_request(FILE *f, const struct torus_request *r)
{
	static const char letter[] = { 'N', 'T', 'M' };
	const struct torus_ask *ask = &r->alternative[0].ask;
	char text[TORUS_GEOMETRY_SIZE];
	bool plain = true;

	if (ask->by_count && r->alternatives == 1) {
		fprintf(f, "%u,,", ask->granted ? ask->granted : ask->count);
	} else {
		torus_request_format(r, text, sizeof(text));
		fprintf(f, ",\"%s\",", text);
	}
	for (uint32_t a = 0; !ask->by_count && a < ask->shape.axes; a++)
		plain &= ask->connection[a] == TORUS_CONN_NAV;
	for (uint32_t a = 0; !plain && a < ask->shape.axes; a++)
		fputc(letter[ask->connection[a] % 3], f);
	fprintf(f, ",%s,", ask->by_count || r->rotate ? "" : "no");
}

static void put_place(FILE *f, const struct torus_machine *m,
		      const struct torus_placement *place)
{
	struct torus_text text = { 0 };

	if (place && !place->scattered &&
	    torus_placement_format(m, place, &text) == 0)
		fprintf(f, "\"%s\"", text.data);
	torus_text_free(&text);
}

static void put_line(FILE *f, const struct torus_machine *m,
		     const struct cycle_over *o)
{
	const struct torus_job *job = o->job;
	bool ran = o->place != NULL;

	fprintf(f, "%llu,", (unsigned long long)job->id);
	put_time(f, o->told_us);
	put_time(f, ran ? o->end_us - job->start_us : job->limit_us);
	put_request(f, &job->request);
	put_time(f, job->limit_us);
	put_time(f, job->deadline_us);
	fprintf(f, "%.0f,", job->priority);
	put_time(f, ran ? job->start_us : TORUS_NO_TIME);
	put_time(f, ran ? o->end_us : TORUS_NO_TIME);
	put_place(f, m, o->place);
	fprintf(f, ",%s\n", ran ? "completed" : "rejected");
}

int journal_add(const char *path, const struct torus_machine *m,
		const struct cycle_over *o)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	struct stat st;
	FILE *f;

	if (fd < 0)
		return -1;
	f = fdopen(fd, "a");
	if (!f) {
		close(fd);
		return -1;
	}
	if (fstat(fd, &st) == 0 && st.st_size == 0)
		fputs(HEADER, f);
	put_line(f, m, o);
	return fclose(f);
}
