/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus map: the machine as planes of letters, live or out of a schedule.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "storus/map_source.h"
#include "storus/site.h"
#include "storus/storus.h"
#include "torus/alloc.h"

enum { OPT_TORUS = 1, OPT_SCHEDULE, OPT_AT };

static const struct storus_option options[] = {
	{ "torus", OPT_TORUS, "FILE|STRING",
	  "the machine (default: torus.yaml beside slurm.conf)" },
	{ "schedule", OPT_SCHEDULE, "FILE.csv",
	  "a schedule of storus replay, instead of the live cluster" },
	{ "at", OPT_AT, "SEC", "the time to show, on the schedule's clock" },
	{ NULL, 0, NULL, NULL },
};

static int map_run(int argc, char **argv);

const struct storus_command storus_map = {
	.name = "map",
	.summary = "the machine with a letter per job, live or at a time of a schedule",
	.usage = "[OPTION]...",
	.about = "Without --schedule, scontrol and sinfo are asked about the live cluster.",
	.options = options,
	.examples = "  storus map\n"
		    "  storus replay --torus 8x8x8 --schedule s.csv trace.swf\n"
		    "  storus map --torus 8x8x8 --schedule s.csv --at 3600\n",
	.run = map_run,
};

struct words {
	const char *torus, *schedule;
	int64_t at_us;
	bool at;
};

static int read_words(int argc, char **argv, struct words *w)
{
	struct storus_args args;
	int id;

	storus_args_begin(&args, &storus_map, argc, argv);
	while ((id = storus_args_next(&args)) != STORUS_ARGS_END) {
		switch (id) {
		case OPT_TORUS:
			w->torus = args.value;
			break;
		case OPT_SCHEDULE:
			w->schedule = args.value;
			break;
		case OPT_AT:
			if (!storus_args_seconds(&args, &w->at_us))
				return STORUS_ARGS_BAD;
			w->at = true;
			break;
		case STORUS_ARGS_OPERAND:
			storus_say(&storus_map, 0,
				   "\"%s\": unexpected; a schedule is given by --schedule",
				   args.value);
			return STORUS_ARGS_BAD;
		default:
			return id;
		}
	}
	if (!w->schedule == !w->at)
		return STORUS_ARGS_END;
	storus_say(&storus_map, 0, "--schedule and --at go together");
	return STORUS_ARGS_BAD;
}

static uint32_t columns(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	long n = text ? strtol(text, NULL, 10) : 0;

	if (n >= 20 && n <= 10000)
		return (uint32_t)n;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	return 80;
}

static int draw(struct storus_map *m, const struct words *w)
{
	struct report_map_style style = { .columns = columns() };
	struct torus_error err = { 0 };
	uint32_t words = m->config->machine.words;
	int status;

	m->nodes = torus_alloc(words, sizeof(*m->nodes));
	m->one = torus_alloc(words, sizeof(*m->one));
	if (!m->nodes || !m->one ||
	    report_map_init(&m->map, &m->config->machine))
		return storus_say(&storus_map, STORUS_TROUBLE, "out of memory");
	status = w->schedule ?
			 storus_map_schedule(m, w->schedule, w->at_us, &err) :
			 storus_map_live(m, &err);
	if (status != STORUS_DONE)
		return storus_say_errors(&storus_map, status, &err);
	style.colour = storus_may_colour(STDOUT_FILENO);
	report_map_terminal(&m->map, &style, stdout);
	return STORUS_DONE;
}

static int map_run(int argc, char **argv)
{
	struct torus_error err = { 0 };
	struct storus_map m = { 0 };
	struct words w = { 0 };
	char path[4096];
	int status, id = read_words(argc, argv, &w);

	if (id != STORUS_ARGS_END)
		return id == STORUS_ARGS_HELP ? STORUS_DONE : STORUS_USAGE;
	m.config = torus_config_load(
		w.torus ? w.torus : storus_site_file(path, sizeof(path)), &err);
	if (!m.config)
		return storus_say_errors(&storus_map, STORUS_USAGE, &err);
	status = draw(&m, &w);
	report_map_free(&m.map);
	torus_free(m.nodes);
	torus_free(m.one);
	torus_config_destroy(m.config);
	return status;
}
