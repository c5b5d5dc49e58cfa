/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of nodes named in a trace (jobs.h). Outside nodes are ignored if the
 * machine has none: no job could use them.
 *
 * Cost: O(text), an allocation per set.
 */
#include "torus/placement.h"
#include "replay/jobs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live/base/hash.h"
#include "torus/alloc.h"
#include "trace/formats.h"

#define OUTSIDE "outside"

/* Cut off the outside nodes, which come last, if the machine has none. */
static void cut_outside(const struct torus_machine *m, char *text)
{
	char *last = strrchr(text, ':'), *name = last;

	while (name && name > text && name[-1] != ',')
		name--;
	if (!name || last - name != (int)strlen(OUTSIDE) ||
	    strncmp(name, OUTSIDE, strlen(OUTSIDE)) != 0 ||
	    torus_machine_named(m, OUTSIDE) != UINT32_MAX)
		return;
	if (name > text)
		name--;
	*name = '\0';
}

int torus_replay_nodes_read(const struct torus_machine *m, char *text,
			    uint64_t *map, bool *all, struct torus_error *err)
{
	torus_bits_zero(map, m->words);
	*all = strcmp(text, "all") == 0;
	if (*all || strcmp(text, "none") == 0)
		return 0;
	cut_outside(m, text);
	return *text ? torus_nodes_parse(m, text, map, err) : 0;
}

static void set_drop(struct torus_replay_set *set)
{
	struct torus_replay_set **link;

	if (!set || --set->users > 0)
		return;
	link = &set->home->bucket[set->hash % TORUS_REPLAY_SETS];
	while (*link != set)
		link = &(*link)->next;
	*link = set->next;
	torus_free(set);
}

/* Return an equal set if there is one, and free this one; else keep it. */
static struct torus_replay_set *set_keep(struct torus_replay_sets *sets,
					 struct torus_replay_set *set,
					 uint32_t words)
{
	struct torus_replay_set *same;

	set->hash = hash_map(set->map, words);
	set->home = sets;
	same = sets->bucket[set->hash % TORUS_REPLAY_SETS];
	while (same && (same->hash != set->hash ||
			!torus_bits_equal(same->map, set->map, words)))
		same = same->next;
	if (same) {
		torus_free(set);
		set = same;
	} else {
		set->next = sets->bucket[set->hash % TORUS_REPLAY_SETS];
		sets->bucket[set->hash % TORUS_REPLAY_SETS] = set;
	}
	set->users++;
	return set;
}

void torus_replay_only_free(struct torus_replay_only *list)
{
	struct torus_replay_only *next;

	for (; list; list = next) {
		next = list->next;
		set_drop(list->set);
		torus_free(list);
	}
}

/* Read NODES or NODES!NUMBER; text is modified. */
static int nodes_read_only(struct torus_replay_only *only,
			   struct torus_replay_sets *sets,
			   const struct torus_machine *m, char *text,
			   struct torus_error *err)
{
	char *number = strchr(text, '!');
	struct torus_replay_set *set;

	if (number) {
		*number++ = '\0';
		if (!torus_number_whole(number, 0, UINT64_MAX, &only->outages))
			return torus_error_add(err,
					       "got \"%s\", expected NODES!NUMBER",
					       number);
	}
	set = torus_alloc(1, sizeof(*set) + m->words * sizeof(*set->map));
	if (!set)
		return -1;
	if (torus_replay_nodes_read(m, text, set->map, &only->all, err)) {
		torus_free(set);
		return -1;
	}
	only->set = set_keep(sets, set, m->words);
	return 0;
}

/* Read WHEN, which the trace's reader has checked; return the text after it. */
static char *nodes_read_when(char *text, int64_t *us)
{
	char *end = text + strcspn(text, "=");

	torus_number_scan_seconds(text, us);
	return *end ? end + 1 : end;
}

static int nodes_read_list(struct torus_replay_only **link,
			   struct torus_replay_sets *sets,
			   const struct torus_machine *m, char *text,
			   int64_t at_us, int64_t shift_us,
			   struct torus_error *err)
{
	while (text) {
		struct torus_replay_only *only = torus_alloc(1, sizeof(*only));
		char *next = strchr(text, ' ');

		if (!only)
			return -1;
		*link = only;
		link = &only->next;
		only->at_us = at_us + shift_us;
		if (next)
			*next++ = '\0';
		if (nodes_read_only(only, sets, m, text, err))
			return -1;
		text = next ? nodes_read_when(next, &at_us) : NULL;
	}
	return 0;
}

int torus_replay_only_make(struct torus_replay_only **list,
			   struct torus_replay_sets *sets,
			   const struct torus_machine *m,
			   const struct torus_trace_record *record,
			   int64_t shift_us, struct torus_error *err)
{
	struct torus_text text = { 0 };
	struct torus_error why = { 0 };
	int rc = torus_text_add(&text, "%s", record->only.data), saved;

	*list = NULL;
	if (rc == 0)
		rc = nodes_read_list(list, sets, m, text.data,
				     record->submit_us, shift_us, &why);
	saved = errno;
	torus_text_free(&text);
	if (rc == 0)
		return 0;
	torus_replay_only_free(*list);
	*list = NULL;
	if (why.count)
		torus_error_add(err, "line %llu: only: %s",
				(unsigned long long)record->line, why.text);
	errno = saved;
	return -1;
}
