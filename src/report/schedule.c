/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A schedule as CSV (schedule.h). */
#include "torus/placement.h"
#include "report/schedule.h"

#include <errno.h>
#include <nettle/base16.h>
#include <string.h>

#include "format/stream.h"
#include "torus/regions.h"
#include "torus/number.h"

static const char header[] =
	"id,submit,start,end,state,requested,granted,region,orientation,"
	"strategy,wait,bounded_slowdown,reason";

static ssize_t hashed_write(void *cookie, const char *text, size_t n)
{
	struct torus_schedule *schedule = cookie;

	sha256_update(&schedule->sha, n, (const uint8_t *)text);
	if (fwrite(text, 1, n, schedule->to) == n)
		return (ssize_t)n;
	schedule->write_errno = errno;
	return 0;
}

/* Return -1 with errno if anything could not be written. */
static int schedule_failed(const struct torus_schedule *schedule)
{
	if (!stream_failed(schedule->out) && !schedule->write_errno)
		return 0;
	if (schedule->write_errno)
		errno = schedule->write_errno;
	return -1;
}

static bool schedule_has_links(const struct torus_machine *m)
{
	for (uint32_t p = 0; p < m->pods; p++) {
		if (m->pod[p].links)
			return true;
	}
	return false;
}

int torus_schedule_begin(struct torus_schedule *schedule,
			 const struct torus_machine *m, FILE *out)
{
	const cookie_io_functions_t functions = { .write = hashed_write };

	*schedule = (struct torus_schedule){ .to = out,
					     .rings = schedule_has_links(m) };
	sha256_init(&schedule->sha);
	schedule->out = fopencookie(schedule, "w", functions);
	if (!schedule->out)
		return -1;
	return fprintf(schedule->out, "%s%s\n", header,
		       schedule->rings ? ",ring" : "") < 0 ?
		       -1 :
		       0;
}

int torus_schedule_finish(struct torus_schedule *schedule,
			  char hex[TORUS_TRACE_DIGEST_SIZE])
{
	uint8_t sum[SHA256_DIGEST_SIZE];

	fflush(schedule->out);
	if (schedule_failed(schedule))
		return -1;
	sha256_digest(&schedule->sha, sizeof(sum), sum);
	base16_encode_update(hex, sizeof(sum), sum);
	hex[TORUS_TRACE_DIGEST_SIZE - 1] = '\0';
	return 0;
}

void torus_schedule_end(struct torus_schedule *schedule)
{
	if (schedule->out)
		fclose(schedule->out);
	torus_text_free(&schedule->text);
}

/* Write a CSV field, in quotes if needed; line breaks become blanks. */
static void schedule_put_text(FILE *out, const char *text)
{
	bool quote = strpbrk(text, ",\"\n\r") != NULL;

	if (quote)
		putc_unlocked('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc_unlocked('"', out);
		putc_unlocked(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	}
	if (quote)
		putc_unlocked('"', out);
}

/* Write a comma, and the time if there is one. */
static void schedule_put_time(FILE *out, int64_t us, bool there)
{
	char buffer[TORUS_SECONDS_SIZE];

	putc_unlocked(',', out);
	if (!there)
		return;
	torus_seconds_format(us, buffer);
	fputs_unlocked(buffer, out);
}

/* Write region,orientation,strategy. */
static int schedule_put_place(struct torus_schedule *schedule,
			      const struct torus_machine *m,
			      const struct torus_replay_row *row)
{
	const struct torus_placement *place = row->place;

	if (!place) {
		putc_unlocked(',', schedule->out);
		if (row->region)
			schedule_put_text(schedule->out, row->region);
		fputs_unlocked(",,", schedule->out);
		return 0;
	}
	schedule->text.length = 0;
	if (torus_placement_format(m, place, &schedule->text))
		return -1;
	putc_unlocked(',', schedule->out);
	schedule_put_text(schedule->out, schedule->text.data);
	putc_unlocked(',', schedule->out);
	schedule->text.length = 0;
	if (torus_placement_orientation(m, place, &schedule->text))
		return -1;
	if (schedule->text.length)
		schedule_put_text(schedule->out, schedule->text.data);
	putc_unlocked(',', schedule->out);
	schedule_put_text(schedule->out, row->strategy);
	return 0;
}

int torus_schedule_row(struct torus_schedule *schedule,
		       const struct torus_machine *m,
		       const struct torus_replay_row *row)
{
	const struct torus_account *a = &row->account;
	bool ran = a->granted > 0;
	FILE *out = schedule->out;
	int64_t wait;
	char buffer[64];

	schedule_put_text(out, row->id);
	schedule_put_time(out, a->submit_us - a->held_us, true);
	schedule_put_time(out, a->start_us, ran);
	schedule_put_time(out, a->end_us, ran);
	fprintf(out, ",%s,%u,", torus_outcome_names[a->outcome], a->requested);
	if (ran)
		fprintf(out, "%u", a->granted);
	if (schedule_put_place(schedule, m, row))
		return -1;
	/* wait,bounded_slowdown */
	wait = torus_account_wait(a);
	schedule_put_time(out, wait, ran);
	putc_unlocked(',', out);
	if (ran) {
		torus_number_format(torus_account_slowdown(a), 6, buffer,
				    sizeof(buffer));
		fputs_unlocked(buffer, out);
	}
	putc_unlocked(',', out);
	if (row->reason)
		schedule_put_text(out, row->reason);
	if (schedule->rings) {
		/* A region's rings follow from its extents, unless a dead link opened one. */
		putc_unlocked(',', schedule->out);
		if (row->place &&
		    (!row->place->scattered || row->place->regions)) {
			schedule->text.length = 0;
			if (torus_placement_rings(row->place, &schedule->text))
				return -1;
			if (schedule->text.length)
				schedule_put_text(schedule->out,
						  schedule->text.data);
		}
	}
	putc_unlocked('\n', out);
	return schedule_failed(schedule);
}
