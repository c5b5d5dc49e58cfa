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

static int hello_run(int argc, char **argv);

const struct storus_command storus_hello = {
	.name = "hello",
	.summary = "greet",
	.usage = "[--name NAME]",
	.options = options,
	.examples = "  storus hello --name torus\n",
	.run = hello_run,
};

static int hello_run(int argc, char **argv)
{
	struct hello h = { .name = "world" };
	int status = storus_args_read(&storus_hello, argc, argv, &h);

	if (status != STORUS_GO)
		return status;
	printf("hello %s\n", h.name);
	return STORUS_DONE;
}
