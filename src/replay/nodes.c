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

int torus_replay_nodes_read(const struct torus_machine *m, char *text,
			    uint64_t *map, bool *all, struct torus_error *err)
{
	char *last, *name;

	torus_bits_zero(map, m->words);
	*all = strcmp(text, "all") == 0;
	if (*all || strcmp(text, "none") == 0)
		return 0;
	/* Cut off the outside nodes, which come last, if the machine has none. */
	last = strrchr(text, ':');
	name = last;
	while (name && name > text && name[-1] != ',')
		name--;
	if (name && last - name == (int)strlen(OUTSIDE) &&
	    strncmp(name, OUTSIDE, strlen(OUTSIDE)) == 0 &&
	    torus_machine_named(m, OUTSIDE) == UINT32_MAX) {
		if (name > text)
			name--;
		*name = '\0';
	}
	return *text ? torus_nodes_parse(m, text, map, err) : 0;
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
		struct torus_replay_set **link;

		next = list->next;
		if (list->set && --list->set->users <= 0) {
			link = &list->set->home->bucket[list->set->hash %
							TORUS_REPLAY_SETS];
			while (*link != list->set)
				link = &(*link)->next;
			*link = list->set->next;
			torus_free(list->set);
		}
		torus_free(list);
	}
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
		char *number;
		struct torus_replay_set *set;

		if (!only)
			return -1;
		*link = only;
		link = &only->next;
		only->at_us = at_us + shift_us;
		if (next)
			*next++ = '\0';
		/* Read NODES or NODES!NUMBER; text is modified. */
		number = strchr(text, '!');
		if (number) {
			*number++ = '\0';
			if (!torus_number_whole(number, 0, UINT64_MAX,
						&only->outages))
				return torus_error_add(err,
						       "got \"%s\", expected NODES!NUMBER",
						       number);
		}
		set = torus_alloc(1,
				  sizeof(*set) + m->words * sizeof(*set->map));
		if (!set)
			return -1;
		if (torus_replay_nodes_read(m, text, set->map, &only->all, err)) {
			torus_free(set);
			return -1;
		}
		only->set = set_keep(sets, set, m->words);
		if (next) {
			/* Read WHEN, which the trace's reader has checked; return the text
			 * after it. */
			char *end = next + strcspn(next, "=");

			torus_number_scan_seconds(next, &at_us);
			text = *end ? end + 1 : end;
		} else
			text = NULL;
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
