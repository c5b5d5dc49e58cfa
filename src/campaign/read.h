/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of a campaign's parts share. */
#ifndef CAMPAIGN_READ_H
#define CAMPAIGN_READ_H

#include "campaign/campaign.h"
#include "config/reader.h"

struct campaign_reader {
	struct reader r; /* messages; it builds no configuration */
	struct torus_campaign *c;
};

/* `options:` into the campaign. */
void campaign_options_read(struct campaign_reader *cr, const struct tree *t);

/* {model: NAME, jobs: N, machine: M, PARAMETER: X} as a value of `traces:`. */
void campaign_model_read(struct campaign_reader *cr, const struct tree *t,
			 struct torus_axis_value *v);

/* Each line of `why` as a message about `key`. */
void campaign_wrong_lines(struct campaign_reader *cr, uint32_t line,
			  const char *key, const struct torus_error *why);

/* After all axes: do the policies suit the machines? */
void campaign_pairs_check(struct campaign_reader *cr);

/* SHA-256 of a file in hexadecimal, in the arena. NULL with errno. */
const char *campaign_file_digest(struct arena *arena, const char *path);

#endif
