/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a queued job's reason (promises.h). */
#include "live/promises/promises.h"
#include "live/base/saturate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *reason_node_name(const struct torus_config *config, uint32_t bit)
{
	uint32_t index;
	uint32_t pod = torus_machine_pod(&config->machine, bit, &index);
	char **names = config->names[pod];

	return names && names[index] ? names[index] : "?";
}

/* Names of jobs or nodes. */
struct reason_names {
	const char *noun;
	bool says_noun;        /* before the names: "jobs 1, 2" */
	bool hidden;           /* only the number may be told */
	uint32_t total, known; /* of `total`, so many have a name here */
	const struct cycle_holder *holder;
	const uint32_t *node;
	const struct torus_config *config; /* of nodes */
};

/* Write the i-th name. */
static void reason_name(const struct reason_names *n, uint32_t i, char *text,
			size_t size)
{
	char id[PLAN_FILE_ID_SIZE];

	if (n->node) {
		snprintf(text, size, "%s",
			 reason_node_name(n->config, n->node[i]));
		return;
	}
	plan_file_id_format(&n->holder[i].id, id);
	snprintf(text, size, "%s", id);
}

/* Write the first names and how many more there are. Return the length, also of what has
 * no room. */
static size_t reason_list(const struct reason_names *n, uint32_t names,
			  char *list, size_t size)
{
	char name[REASON_MOST];
	size_t used = 0;

	for (uint32_t i = 0; i < names && used < size; i++) {
		reason_name(n, i, name, sizeof(name));
		used += (size_t)snprintf(list + used, size - used, "%s%s",
					 i ? ", " : "", name);
	}
	if (n->total > names && used < size)
		used += (size_t)snprintf(list + used, size - used,
					 " and %" PRIu32 " more",
					 n->total - names);
	return used;
}

/* Append "; jobs 1, 2, 3 and 5 more" and what they do, within `room` characters: as many
 * complete names as fit, at most REASON_NAMES; if none fits, or they are hidden, "; 8
 * jobs"; nothing without room for that. */
static int reason_add_names(struct torus_text *text, size_t room,
			    const struct reason_names *n, const char *does)
{
	char list[REASON_MOST + 1];
	size_t fixed = strlen(n->noun) + strlen(does) + sizeof("; s  ");
	uint32_t shown = n->known < REASON_NAMES ? n->known : REASON_NAMES;

	if (n->total == 0)
		return 0;
	if (n->hidden)
		shown = 0;
	while (shown > 0 &&
	       fixed + reason_list(n, shown, list, sizeof(list)) > room)
		shown--;
	if (shown)
		return torus_text_add(text, "; %s%s%s%s %s",
				      n->says_noun ? n->noun : "",
				      n->says_noun && n->total > 1 ? "s" : "",
				      n->says_noun ? " " : "", list, does);
	if (fixed + sizeof("4294967295") > room)
		return 0;
	return torus_text_add(text, "; %" PRIu32 " %s%s %s", n->total, n->noun,
			      n->total > 1 ? "s" : "", does);
}

#define REASON_CUT " ..."
#define REASON_NAMES_ROOM                                                      \
	34 /* "; jobs 12, 13, 14 hold its place" and one more digit */

/* Return how many characters of the words, of which not all fit in `room`, stay before
 * REASON_CUT: complete words; of one long word its begin. */
static size_t reason_words_that_fit(const char *words, size_t room)
{
	size_t most = room - strlen(REASON_CUT), length = most;

	while (length > 0 && words[length] != ' ')
		length--;
	return length ? length : most;
}

void reason_bound(char *text)
{
	if (strlen(text) > REASON_MOST)
		strcpy(text + reason_words_that_fit(text, REASON_MOST),
		       REASON_CUT);
}

/* Append the words, as many complete ones as fit in `room` characters; without the
 * details behind their first clause if these would not fit. */
static int reason_add_words(struct torus_text *text, size_t room,
			    const char *words)
{
	const char *but = strstr(words, ", but "), *detail = strstr(words, " (");

	if (!but || (detail && detail < but))
		but = detail;
	if (strlen(words) > room && but && (size_t)(but - words) <= room + 16)
		return torus_text_add(text, "%.*s", (int)(but - words), words);
	if (strlen(words) <= room)
		return torus_text_add(text, "%s", words);
	return torus_text_add(text, "%.*s" REASON_CUT,
			      (int)reason_words_that_fit(words, room), words);
}

/* Write when it starts. Minutes suffice: squeue --start has the second. */
static void reason_start(const struct cycle_promise *p, int64_t now_us,
			 char *text, size_t size)
{
	int64_t start_us = p->place ? p->start_us : p->forecast_us;
	time_t at = (time_t)seconds_from_us(start_us);
	struct tm tm;

	if (start_us == TORUS_NO_TIME || start_us <= now_us ||
	    !localtime_r(&at, &tm) ||
	    !strftime(text, size, "; expected %FT%H:%M", &tm))
		*text = '\0';
}

int reason_format(const struct torus_config *config,
		  const struct cycle_promise *p, int64_t now_us, unsigned hides,
		  struct torus_text *text)
{
	const struct cycle_blockers *b = p->blockers;
	size_t from = text->length, room;
	char start[40], does[48];
	bool named;
	int rc;

	reason_start(p, now_us, start, sizeof(start));
	named = b && b->holders > 0;
	room = (named ? REASON_NAMED_MOST : REASON_MOST) - strlen(start);
	rc = reason_add_words(text, room - (named ? REASON_NAMES_ROOM : 0),
			      p->reason);
	if (b) {
		struct reason_names jobs = { .noun = "job",
					     .says_noun = true,
					     .hidden = hides & REASON_HIDES_JOBS,
					     .total = b->holders,
					     .known = b->holders,
					     .holder = b->holder };
		/* those that do not respond come first in the list, which may end
		 * before the others */
		uint32_t listed = b->outs < CYCLE_BLOCKERS ? b->outs :
							     CYCLE_BLOCKERS;
		struct reason_names nodes = { .noun = "node",
					      .hidden = hides &
							REASON_HIDES_NODES,
					      .total = b->silents,
					      .known = b->silents,
					      .node = b->out,
					      .config = config };

		snprintf(does, sizeof(does), "hold%s %s",
			 b->holders > 1 ? "" : "s",
			 p->place || b->place ? "its place" : "its nodes");
		rc |= reason_add_names(text, room - (text->length - from),
				       &jobs, does);
		rc |= reason_add_names(text, room - (text->length - from),
				       &nodes,
				       b->silents > 1 ? "are not responding" :
							"is not responding");
		nodes.total = b->outs - b->silents;
		nodes.known = listed > b->silents ? listed - b->silents : 0;
		nodes.node = b->out + b->silents;
		rc |= reason_add_names(text, room - (text->length - from),
				       &nodes,
				       nodes.total > 1 ? "are out of service" :
							 "is out of service");
	}
	return rc | torus_text_add(text, "%s", start);
}
