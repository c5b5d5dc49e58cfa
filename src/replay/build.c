/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash of the deciding sources (replay.h), and policies of one's own (pipe.h). */
#include "replay/pipe.h"

#include <dlfcn.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "build_hash.h"
#include "torus/policy.h"

const char torus_build[] = BUILD_HASH;

bool torus_policy_is_own(const char *word)
{
	return strncmp(word, TORUS_PIPE_PREFIX, strlen(TORUS_PIPE_PREFIX)) ==
		       0 ||
	       torus_policy_is_path(word);
}

int torus_policy_set_discipline(const char *word,
				struct torus_scheduler_settings *settings,
				struct torus_replay_options *options,
				struct torus_error *err)
{
	size_t n = strlen(TORUS_PIPE_PREFIX);
	const struct torus_discipline *d;

	if (strncmp(word, TORUS_PIPE_PREFIX, n) != 0) {
		d = torus_policy_load_discipline(word, NULL, err);
	} else if (word[n]) {
		d = &torus_discipline_policy;
		options->pipe = word + n;
	} else {
		return torus_error_add(err,
				       "%s: a command is missing, for example pipe:./policy.py",
				       word);
	}
	if (!d)
		return -1;
	if (d != settings->discipline) /* options of another discipline */
		settings->options = (struct torus_options){ 0 };
	settings->discipline = d;
	return 0;
}

/* Add the contents of a regular file; false: it is none. */
static bool hash_file(struct sha256_ctx *sha, const char *path)
{
	uint8_t block[16384];
	struct stat st;
	size_t n;
	FILE *f;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !(f = fopen(path, "re")))
		return false;
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		sha256_update(sha, n, block);
	fclose(f);
	return true;
}

/* Add a command, and the files that its words name. */
static void hash_command(struct sha256_ctx *sha, const char *command)
{
	char words[1024], *next = words, *word;

	sha256_update(sha, strlen(command), (const uint8_t *)command);
	snprintf(words, sizeof(words), "%s", command);
	while ((word = strsep(&next, " \t;|&<>()'\"")))
		hash_file(sha, word);
}

static const char *hash_name(struct sha256_ctx *sha, const char *name,
			     char *buffer)
{
	char hex[BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE)];
	uint8_t sum[SHA256_DIGEST_SIZE];

	sha256_digest(sha, sizeof(sum), sum);
	base16_encode_update(hex, sizeof(sum), sum);
	snprintf(buffer, TORUS_POLICY_NAME_SIZE, "%.200s@%.*s", name,
		 TORUS_POLICY_HASH, hex);
	return buffer;
}

/* Name a descriptor by the object that it lies in. */
static const char *hash_object(const void *descriptor, const char *name,
			       char *buffer)
{
	struct sha256_ctx sha;
	Dl_info info;

	sha256_init(&sha);
	if (dladdr(descriptor, &info) && info.dli_fname)
		hash_file(&sha, info.dli_fname);
	return hash_name(&sha, name, buffer);
}

const char *
torus_policy_discipline_name(const struct torus_discipline *d,
			     const struct torus_replay_options *options,
			     char buffer[TORUS_POLICY_NAME_SIZE])
{
	struct sha256_ctx sha;
	char name[TORUS_POLICY_NAME_SIZE];

	if (d == &torus_discipline_policy && options->pipe) {
		sha256_init(&sha);
		hash_command(&sha, options->pipe);
		snprintf(name, sizeof(name), "%s%s", TORUS_PIPE_PREFIX,
			 options->pipe);
		return hash_name(&sha, name, buffer);
	}
	return d->own ? hash_object(d, d->name, buffer) : d->name;
}

const char *torus_policy_strategy_name(const struct torus_strategy *s,
				       char buffer[TORUS_POLICY_NAME_SIZE])
{
	return s->checked ? hash_object(s, s->name, buffer) : s->name;
}
