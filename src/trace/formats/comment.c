/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the entries of slurm-torus in a job's AdminComment (doc/slurm-torus.7)
 * from a site's accounting records: the requested shape, or else the granted
 * one, and the region. O(length of the comment). `placement=` is ignored,
 * because a replay may try another policy.
 */
#include "trace/formats.h"

#include <stdio.h>
#include <string.h>

#include "format/admin_comment.h"
#include "torus/alloc.h"

#define WORDS 1024 /* longest request in an AdminComment */

/* Copy the text after `mark` up to one of `ends`; false if it is missing or too
 * long. */
static bool word_copy(const char *comment, const char *mark, const char *ends,
		      char *to)
{
	const char *at = admin_comment_entry(comment, mark);
	size_t length;

	if (!at)
		return false;
	at += strlen(mark);
	length = strcspn(at, ends);
	if (length >= WORDS)
		return false;
	memcpy(to, at, length);
	to[length] = '\0';
	return true;
}

/* Split torus:place=pod0:2,0,0+4x4x2/1x1x2;... into the shape; false for
 * scattered nodes. */
static bool place_split(char *place, struct torus_request_words *words)
{
	char *extents = strchr(place, '+');

	if (!extents || strchr(place, '{'))
		return false;
	extents++;
	extents[strcspn(extents, "/;")] = '\0';
	words->geometry = extents;
	return true;
}

enum torus_trace_line torus_words_read(struct torus_trace_record *record,
				       const struct torus_request_words *words,
				       struct torus_error *scratch,
				       const char *before, char *why)
{
	if (!record->request)
		record->request = torus_alloc(1, sizeof(*record->request));
	if (!record->request)
		return TORUS_TRACE_LINE_FAILED;
	torus_error_clear(scratch);
	if (torus_request_parse(record->request, words, scratch) == 0)
		return TORUS_TRACE_LINE_JOB;
	scratch->text[strcspn(scratch->text, "\n")] = '\0';
	snprintf(why, TORUS_TRACE_WHY_SIZE, "%s%.240s", before, scratch->text);
	return TORUS_TRACE_LINE_BAD;
}

enum torus_trace_line torus_comment_read(const char *comment,
					 struct torus_trace_record *record,
					 struct torus_error *scratch, char *why)
{
	struct torus_request_words words = { 0 };
	enum torus_trace_line what;
	char text[WORDS];
	uint64_t volume;

	if (word_copy(comment, ADMIN_COMMENT_PLACE, " ", text)) {
		/* Read the rings and the wait for the shape of a place. */
		const char *ring = strstr(text, ";ring=");
		const char *wait = strstr(text, ADMIN_COMMENT_SHAPE_WAIT);
		int64_t us;

		if (ring)
			snprintf(record->accounting.ring,
				 sizeof(record->accounting.ring), "%.*s",
				 (int)strcspn(ring + 6, ";"), ring + 6);
		if (wait &&
		    torus_number_scan_seconds(wait + strlen(ADMIN_COMMENT_SHAPE_WAIT),
					      &us))
			record->accounting.shape_wait_us = us;
	}

	if (word_copy(comment, ADMIN_COMMENT_PLACE, " ;", text) &&
	    strlen(text) < sizeof(record->place))
		strcpy(record->place, text);
	if (word_copy(comment, ADMIN_COMMENT_ASK, " ", text)) {
		torus_request_words_read_ask(&words, text);
		words.placement = NULL;
	} else if (!word_copy(comment, ADMIN_COMMENT_PLACE, " ", text) ||
		   !place_split(text, &words)) {
		return TORUS_TRACE_LINE_JOB;
	}
	what = torus_words_read(record, &words, scratch, "AdminComment: ", why);
	if (what != TORUS_TRACE_LINE_JOB)
		return what;
	volume = torus_ask_nodes(&record->request->alternative[0].ask);
	if (volume > TORUS_TRACE_MAX_PROCESSORS) {
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "AdminComment: got "
			 "\"%.60s\", expected fewer nodes",
			 comment);
		return TORUS_TRACE_LINE_BAD;
	}
	record->shaped = true;
	record->requested = record->used = (uint32_t)volume;
	return TORUS_TRACE_LINE_JOB;
}
