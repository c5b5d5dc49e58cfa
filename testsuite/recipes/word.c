/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugins do with a word of a request, without a cluster (recipes.t):
 *
 *	word options PLUGIN	the options that spank/torus registers in sbatch
 *	word comment WORDS	a job update's words as the entry of AdminComment
 *	word journal WORDS	the journal of a job with these words, on a torus 4x2
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/admin_comment.h"
#include "format/journal.h"
#include "torus/config.h"

/* As in slurm/spank.h. */
struct spank_option {
	char *name, *arginfo, *usage;
	int has_arg, val;
	int (*cb)(int val, const char *optarg, int remote);
};

int spank_option_register(void *sp, struct spank_option *option);
int spank_context(void);

int spank_option_register(void *sp, struct spank_option *option)
{
	(void)sp;
	printf("--%s%s%s  %s\n", option->name, option->has_arg ? "=" : "",
	       option->arginfo ? option->arginfo : "", option->usage);
	return 0;
}

int spank_context(void)
{
	return 2; /* S_CTX_ALLOCATOR: sbatch */
}

static int options(const char *path)
{
	void *plugin = dlopen(path, RTLD_LAZY);
	int (*init)(void *sp, int argc, char **argv) =
		plugin ? (int (*)(void *, int,
				  char **))dlsym(plugin, "slurm_spank_init") :
			 NULL;

	if (!init)
		fprintf(stderr, "%s\n", dlerror());
	return init ? init(NULL, 0, NULL) : 1;
}

static int comment(const struct torus_request_words *words)
{
	struct torus_text text = { 0 };

	if (torus_request_words_write(words, &text))
		return 1;
	printf(ADMIN_COMMENT_ASK "%s%s\n", words->geometry,
	       text.data ? text.data : "");
	torus_text_free(&text);
	return 0;
}

static int journal(const struct torus_request_words *words)
{
	struct torus_error err = { 0 };
	struct torus_config *config = torus_config_string("4x2", &err);
	struct journal *j = config ? journal_create("word.journal",
						    &config->machine) :
				     NULL;
	struct torus_request request;
	struct torus_job job = { .id = 7,
				 .limit_us = 60000000,
				 .deadline_us = TORUS_NO_TIME };

	if (!j || torus_request_parse(&request, words, &err))
		return 1;
	job.request = torus_job_request_of(&request);
	journal_stay(j, &(struct journal_stay){ .number = 1,
						.job = &job,
						.state = JOURNAL_WAITING });
	if (journal_write(j, &err))
		return 1;
	journal_destroy(j);
	torus_config_destroy(config);
	return 0;
}

int main(int argc, char **argv)
{
	struct torus_request_words words;
	struct torus_error err = { 0 };
	char text[256];

	if (argc == 3 && strcmp(argv[1], "options") == 0)
		return options(argv[2]);
	if (argc != 3)
		return 2;
	snprintf(text, sizeof(text), JOB_UPDATE_MARK "1;%s", argv[2]);
	if (job_update_read(text, &words, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return strcmp(argv[1], "journal") == 0 ? journal(&words) :
						 comment(&words);
}
