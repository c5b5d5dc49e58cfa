/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 of texts and of a file, by Nettle. */
#include <errno.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

#include "campaign/read.h"

void campaign_texts_digest(const char *const *text, size_t n,
			   char hex[TORUS_CELL_KEY_SIZE])
{
	uint8_t sum[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	for (size_t i = 0; i < n; i++)
		sha256_update(&sha, strlen(text[i]) + 1,
			      (const uint8_t *)text[i]);
	sha256_digest(&sha, sizeof(sum), sum);
	base16_encode_update(hex, sizeof(sum), sum);
	hex[TORUS_CELL_KEY_SIZE - 1] = '\0';
}

const char *campaign_file_digest(struct arena *arena, const char *path)
{
	char hex[BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE)];
	uint8_t sum[SHA256_DIGEST_SIZE], block[16384];
	FILE *f = fopen(path, "re");
	struct sha256_ctx sha;
	size_t n;

	if (!f)
		return NULL;
	sha256_init(&sha);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		sha256_update(&sha, n, block);
	if (ferror(f)) {
		int saved = errno;

		fclose(f);
		errno = saved;
		return NULL;
	}
	fclose(f);
	sha256_digest(&sha, sizeof(sum), sum);
	base16_encode_update(hex, sizeof(sum), sum);
	return torus_arena_text(arena, hex, sizeof(hex));
}
