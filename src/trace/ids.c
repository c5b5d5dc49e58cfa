/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detection of repeated job ids (ids.h). Most traces number their jobs in order,
 * so that an id is the one after the last: such ids are kept as runs.
 *
 *	runs:  1 .. 5000 (lines 20 ..)   5003 .. 9000 (lines 5025 ..)   ...
 *	slots: every other id; a hash table, open addressing, at most half full
 */
#include "trace/ids.h"

#include <stdio.h>

#include "torus/alloc.h"

#define FIRST_ROOM 1024u
#define MOST (1u << 20)

struct slot {
	uint64_t hash; /* of a number: itself; 0: empty */
	uint64_t line;
};

/* The ids first_id, first_id + 1 .. at first_line, first_line + 1 .. */
struct run {
	uint64_t first_id, first_line;
	uint64_t ids;
};

struct torus_ids {
	struct slot *slot;
	uint32_t room, used; /* room: a power of two */
	struct run *run;     /* ids grow */
	uint32_t run_room, runs;
};

struct torus_ids *torus_ids_create(void)
{
	struct torus_ids *ids = torus_alloc(1, sizeof(*ids));

	if (!ids)
		return NULL;
	ids->room = FIRST_ROOM;
	ids->slot = torus_alloc(ids->room, sizeof(*ids->slot));
	if (ids->slot && !TORUS_GROW(ids->run, ids->run_room, 1))
		return ids;
	torus_ids_destroy(ids);
	return NULL;
}

void torus_ids_destroy(struct torus_ids *ids)
{
	if (!ids)
		return;
	torus_free(ids->slot);
	torus_free(ids->run);
	torus_free(ids);
}

/* Return the value of a number of up to 18 digits; 0 for another id. */
static uint64_t ids_number(const char *id)
{
	uint64_t n = 0;
	uint32_t digits = 0;

	if (*id == '0')
		return 0;
	for (; *id >= '0' && *id <= '9' && digits <= 18; id++, digits++)
		n = n * 10 + (uint64_t)(*id - '0');
	return *id || digits > 18 ? 0 : n;
}

/* Return the slot of the hash, or the empty one where it belongs. */
static struct slot *ids_seek(const struct torus_ids *ids, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
		      (ids->room - 1);

	while (ids->slot[at].hash && ids->slot[at].hash != hash)
		at = (at + 1) & (ids->room - 1);
	return &ids->slot[at];
}

/* Double the table; without memory no more ids are added. */
static bool ids_grow(struct torus_ids *ids)
{
	struct torus_ids more = *ids;

	if (ids->used >= MOST)
		return false;
	more.room = ids->room * 2;
	more.slot = torus_alloc(more.room, sizeof(*more.slot));
	if (!more.slot)
		return false;
	for (uint32_t i = 0; i < ids->room; i++)
		if (ids->slot[i].hash)
			*ids_seek(&more, ids->slot[i].hash) = ids->slot[i];
	torus_free(ids->slot);
	*ids = more;
	return true;
}

static void repeat_note(struct torus_trace_repeats *r, const char *id,
			uint64_t first_line, uint64_t line)
{
	if (!r->count++) {
		snprintf(r->id, sizeof(r->id), "%s", id);
		r->line[0] = first_line;
		r->line[1] = line;
	}
	r->last = line;
}

/* Return the line of a number in a run, or 0. */
static uint64_t runs_line(const struct torus_ids *ids, uint64_t number)
{
	uint32_t low = 0, high = ids->runs;

	while (low < high) { /* run[low - 1].first_id <= number */
		uint32_t middle = low + (high - low) / 2;

		if (ids->run[middle].first_id <= number)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || number - ids->run[low - 1].first_id >= ids->run[low - 1].ids)
		return 0;
	return ids->run[low - 1].first_line + number -
	       ids->run[low - 1].first_id;
}

void torus_ids_add(struct torus_ids *ids, const char *id, uint64_t line,
		   struct torus_trace_repeats *r)
{
	uint64_t number = ids_number(id), hash, first_line;
	struct slot *slot;

	if (number) {
		struct run *last = ids->runs ? &ids->run[ids->runs - 1] : NULL;

		/* a number above all runs continues the last one or begins another */
		if (!last || number >= last->first_id + last->ids) {
			if (last && number == last->first_id + last->ids &&
			    line == last->first_line + last->ids)
				last->ids++;
			else if (ids->runs < MOST &&
				 !TORUS_GROW(ids->run, ids->run_room,
					     ids->runs + 1))
				ids->run[ids->runs++] = (struct run){ number,
								      line, 1 };
			return;
		}
	}
	first_line = number ? runs_line(ids, number) : 0;
	if (first_line) {
		repeat_note(r, id, first_line, line);
		return;
	}
	if (number)
		hash = number;
	else {
		/* FNV-1a, then mixed (Murmur3's finalizer); never a number of 18 digits. */
		uint64_t h = torus_hash_text(TORUS_HASH_START, id);

		h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 33;
		hash = h | UINT64_C(1) << 63;
	}
	slot = ids_seek(ids, hash);
	if (slot->hash) {
		repeat_note(r, id, slot->line, line);
		return;
	}
	if (2 * ids->used >= ids->room) {
		if (!ids_grow(ids))
			return;
		slot = ids_seek(ids, hash);
	}
	*slot = (struct slot){ hash, line };
	ids->used++;
}
