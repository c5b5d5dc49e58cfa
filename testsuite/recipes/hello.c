/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storus hello: the smallest subcommand; for recipes.t. */
#include "storus/storus.h"

#include <stdio.h>

struct hello {
	const char *name;
};

static const struct storus_option options[] = {
	{ "name", "NAME", "whom to greet", STORUS_TO(struct hello, name) },
	{ 0 },
};

static int hello_run(void *words)
{
	const struct hello *h = words;

	printf("hello %s\n", h->name);
	return STORUS_DONE;
}

const struct storus_command storus_hello = {
	.name = "hello",
	.summary = "greet",
	.usage = "[--name NAME]",
	.options = options,
	STORUS_WORDS(struct hello, .name = "world"),
	.examples = "  storus hello --name torus\n",
	.run = hello_run,
};
