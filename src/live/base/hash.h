/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes of records and texts, to detect changes and to find equal ones. */
#ifndef LIVE_BASE_HASH_H
#define LIVE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline void hash_number(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*hash ^= *hash >> 29;
}

/* Eight bytes at a time, since this is much of the work for a long queue. */
static inline void hash_bytes(uint64_t *hash, const void *from, size_t n)
{
	const unsigned char *byte = from;
	uint64_t word;

	hash_number(hash, n);
	for (; n >= sizeof(word); n -= sizeof(word), byte += sizeof(word)) {
		memcpy(&word, byte, sizeof(word));
		hash_number(hash, word);
	}
	word = 0;
	memcpy(&word, byte, n);
	hash_number(hash, word);
}

/* NULL and "" give different hashes, and texts are separated. */
static inline void hash_text(uint64_t *hash, const char *text)
{
	hash_number(hash, text ? 1 : 2);
	if (text)
		hash_bytes(hash, text, strlen(text));
}

static inline uint64_t hash_map(const uint64_t *map, uint32_t words)
{
	uint64_t hash = HASH_START;

	for (uint32_t i = 0; i < words; i++)
		hash_number(&hash, map[i]);
	return hash;
}

#endif
