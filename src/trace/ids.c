/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detection of repeated job ids (ids.h): open addressing, at most half full. */
#include "trace/ids.h"

#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"

#define FIRST_ROOM 1024u
#define MOST (1u << 20)
#define RUN 8 /* slots that consecutive numbers share: two cache lines */

struct slot {
	uint64_t hash; /* 0: empty */
	uint64_t line;
};

struct torus_ids {
	struct slot *slot;
	uint32_t room, used; /* room: a power of two */
};

struct torus_ids *torus_ids_create(void)
{
	struct torus_ids *ids = torus_alloc(1, sizeof(*ids));

	if (!ids)
		return NULL;
	ids->room = FIRST_ROOM;
	ids->slot = torus_alloc(ids->room, sizeof(*ids->slot));
	if (ids->slot)
		return ids;
	torus_free(ids);
	return NULL;
}

void torus_ids_destroy(struct torus_ids *ids)
{
	if (!ids)
		return;
	torus_free(ids->slot);
	torus_free(ids);
}

/* Most ids are numbers of up to 18 digits: such an id is its own hash, so that
 * ids that follow each other lie side by side. Return 0 for another id. */
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

/* The number; or FNV-1a, then mixed (Murmur3's finalizer), and never a number
 * of 18 digits. */
static uint64_t ids_hash_of(const char *id)
{
	uint64_t h = ids_number(id);

	if (h)
		return h;
	h = UINT64_C(14695981039346656037);
	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * UINT64_C(1099511628211);
	h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 33;
	return h | UINT64_C(1) << 63;
}

/* Return where the search for a hash begins: its run is spread, its place in the
 * run is not. */
static uint32_t ids_home(const struct torus_ids *ids, uint64_t hash)
{
	uint64_t run = (hash / RUN * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	return (uint32_t)(run * RUN + hash % RUN) & (ids->room - 1);
}

/* Return the slot of the hash, or the empty one where it belongs. */
static struct slot *ids_seek(const struct torus_ids *ids, uint64_t hash)
{
	uint32_t at = ids_home(ids, hash);

	while (ids->slot[at].hash && ids->slot[at].hash != hash)
		at = (at + 1) & (ids->room - 1);
	return &ids->slot[at];
}

/* Double the table; without memory no more ids are added. */
static bool ids_grow(struct torus_ids *ids)
{
	struct torus_ids more = { .room = ids->room * 2, .used = ids->used };

	if (ids->used >= MOST)
		return false;
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

void torus_ids_add(struct torus_ids *ids, const char *id, uint64_t line,
		   struct torus_trace_repeats *r)
{
	uint64_t hash = ids_hash_of(id);
	struct slot *slot = ids_seek(ids, hash);

	if (slot->hash) {
		if (!r->count++) {
			snprintf(r->id, sizeof(r->id), "%s", id);
			r->line[0] = slot->line;
			r->line[1] = line;
		}
		r->last = line;
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
