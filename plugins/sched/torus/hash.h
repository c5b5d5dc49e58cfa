/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of what was looked at, to be compared with the last time's. */
#ifndef SCHED_TORUS_HASH_H
#define SCHED_TORUS_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline void hash_number(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*hash ^= *hash >> 29;
}

/* NULL and "" differ from each other and from the next text. */
static inline void hash_text(uint64_t *hash, const char *text)
{
	hash_number(hash, text ? 1 : 2);
	for (; text && *text; text++)
		*hash = (*hash ^ (unsigned char)*text) *
			UINT64_C(0x100000001b3);
}

static inline void hash_bytes(uint64_t *hash, const void *from, size_t n)
{
	const unsigned char *byte = from;

	while (n-- > 0)
		*hash = (*hash ^ *byte++) * UINT64_C(0x100000001b3);
}

static inline uint64_t hash_map(const uint64_t *map, uint32_t words)
{
	uint64_t hash = HASH_START;

	for (uint32_t i = 0; i < words; i++)
		hash_number(&hash, map[i]);
	return hash;
}

#endif
