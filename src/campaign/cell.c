/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cells of a campaign: counting and naming them, and the keys of their
 * results.
 */
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

#include "campaign/campaign.h"
#include "replay/build.h"
#include "torus_build.h"

const char *const torus_axis_names[TORUS_AXES] = {
	"trace", "machine", "strategy", "discipline", "scale", "seed",
};

struct torus_cell torus_campaign_cell(const struct torus_campaign *c, uint32_t i)
{
	struct torus_cell cell;

	for (int a = TORUS_AXES - 1; a >= 0; a--) {
		cell.at[a] = i % c->axis[a].n;
		i /= c->axis[a].n;
	}
	return cell;
}

bool torus_cell_wanted(const struct torus_campaign *c,
		       const struct torus_cell *cell)
{
	const struct torus_axis_value *trace =
		torus_cell_value(c, cell, TORUS_AXIS_TRACE);

	return cell->at[TORUS_AXIS_SEED] == 0 || trace->model || trace->like ||
	       torus_campaign_faults(c);
}

const char *torus_cell_name(const struct torus_campaign *c,
			    const struct torus_cell *cell, char *buffer,
			    size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int a = 0; a < TORUS_AXES && used < size; a++) {
		if (c->axis[a].n < 2 && a != TORUS_AXIS_TRACE)
			continue;
		used += (size_t)snprintf(buffer + used, size - used, "%s%s %s",
					 used ? ", " : "", torus_axis_names[a],
					 c->axis[a].value[cell->at[a]].word);
	}
	return buffer;
}

static void hash_text(struct sha256_ctx *sha, const char *text)
{
	/* with the NUL, so that "ab", "c" differs from "a", "bc" */
	sha256_update(sha, strlen(text) + 1, (const uint8_t *)text);
}

void torus_cell_key(const struct torus_campaign *c,
		    const struct torus_cell *cell, char key[TORUS_CELL_KEY_SIZE])
{
	uint8_t sum[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	hash_text(&sha, PACKAGE_VERSION);
	hash_text(&sha, torus_build);
	hash_text(&sha, c->option_text);
	for (int a = 0; a < TORUS_AXES; a++) {
		const struct torus_axis_value *v =
			torus_cell_value(c, cell, (enum torus_axis)a);

		/* a file counts by its contents, not its path */
		hash_text(&sha, torus_axis_names[a]);
		hash_text(&sha, v->digest ? v->digest : v->word);
		if (v->like)
			hash_text(&sha, v->word);
	}
	sha256_digest(&sha, sizeof(sum), sum);
	base16_encode_update(key, sizeof(sum), sum);
	key[TORUS_CELL_KEY_SIZE - 1] = '\0';
}
