/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus map: which job holds which node, live, from a schedule or from --busy; on the
 * terminal, or as a file by its ending; and the place of one more job. Exit status 1:
 * that job has no place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "storus/base/args.h"
#include "storus/base/clock.h"
#include "storus/machine/map_source.h"
#include "storus/base/output.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus_build.h"

#define NAME &storus_map
#define FILE_COLUMNS 80 /* of a .txt: the same everywhere */

struct map_words {
	struct storus_question q;
	const char *output, *json; /* files, "-", or NULL */
	const char *command;
	const struct report_drawer *drawer;
	uint32_t block;
	uint32_t watch; /* seconds; 0: once */
};

static int map_take_watch(const struct storus_args *args, void *seconds);

#define MAP_WORD(...)                                                          \
	STORUS_QUESTION_WORD(struct map_words, "with --fit: ", __VA_ARGS__)

static const struct storus_option options[] = {
	STORUS_SOURCE_OPTIONS(struct map_words, q.source),
	{ "fit", "SPEC",
	  "mark the place of this shape: 4x4x2, 2^3, 64; exit status 1: none",
	  STORUS_TO(struct map_words, q.words.geometry) },
	{ "geometry", "SPEC", "the same as --fit, or as an operand",
	  STORUS_TO(struct map_words, q.words.geometry) },
	TORUS_REQUEST_WORDS(MAP_WORD){ "strategy", "NAME",
				       "with --fit; default: the machine's own",
				       STORUS_TO(struct map_words, q.strategy) },
	{ "output", "FILE",
	  "draw to this file, by its ending: .txt, .svg, .png or .html",
	  .writes = true, STORUS_TO(struct map_words, output) },
	{ "block", "N",
	  "a cell stands for N nodes along each dimension; default: 1, or more\n"
	  "on a large machine",
	  .low = 1, .high = TORUS_MAX_NODES,
	  STORUS_TO(struct map_words, block) },
	{ "json", "[=FILE]",
	  "the idle nodes and the largest idle box of each torus as JSON, no map",
	  STORUS_TO(struct map_words, json) },
	{ "watch", "[=DURATION]",
	  "draw on the whole screen, again after DURATION (default: 5 s); keys:\n"
	  "p planes, j jobs, u users, t time left, arrows and pages, q quit",
	  STORUS_TAKE_TO(struct map_words, watch, map_take_watch) },
	{ 0 },
};

static int map_take_watch(const struct storus_args *args, void *seconds)
{
	int64_t us = 5000000;

	if (args->value && !storus_args_seconds(args, &us))
		return STORUS_USAGE;
	if (us < 1000000 || us > 86400 * INT64_C(1000000))
		return storus_say(NAME, STORUS_USAGE,
				  "--watch: got \"%s\", expected 1s to 24h",
				  args->value);
	*(uint32_t *)seconds = (uint32_t)(us / 1000000);
	return STORUS_DONE;
}

/* What goes with what. */
static int map_check(struct map_words *w)
{
	const struct storus_question *q = &w->q;

	if (w->output)
		w->drawer = report_drawer_of(w->output);
	if (w->output && !w->drawer) {
		char list[200] = "";

		for (size_t i = 0; report_drawers[i]; i++) {
			const struct report_drawer *d = report_drawers[i];
			size_t used = strlen(list);

			snprintf(list + used, sizeof(list) - used, "%s%s (%s)",
				 used ? ", " : "", d->ending, d->summary);
		}
		return storus_say(NAME, STORUS_USAGE,
				  "--output: got \"%s\", expected a name that ends with one of %s",
				  w->output, list);
	}
	if (q->words.geometry && strchr(q->words.geometry, '.'))
		return storus_say(NAME, STORUS_USAGE,
				  "\"%s\": expected a shape; name a schedule with --schedule",
				  q->words.geometry);
	if (!q->words.geometry && storus_question_given(q))
		return storus_say(NAME, STORUS_USAGE, "--%s needs --fit",
				  storus_question_given(q));
	if (w->watch && (w->output || w->json || q->words.geometry))
		return storus_say(NAME, STORUS_USAGE,
				  "--watch cannot be combined with --output, --json or --fit");
	return STORUS_GO;
}

static uint32_t map_columns(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	uint64_t n;

	if (text && torus_number_whole(text, 20, 10000, &n))
		return (uint32_t)n;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	return 80;
}

static int draw_file(struct storus_map *m, const struct map_words *w)
{
	const struct report_map_style style = { .columns = FILE_COLUMNS,
						.block = w->block };
	struct storus_output out;

	m->origin = (struct report_origin){
		.version = PACKAGE_VERSION,
		.command = w->command,
		.more = { *w->q.source.digest ? w->q.source.digest : NULL },
	};
	m->map.origin = &m->origin;

	if (storus_output_open(&out, w->output) == 0 &&
	    w->drawer->draw(&m->map, &style, out.stream) == 0 &&
	    storus_output_commit(&out) == 0)
		return STORUS_DONE;
	storus_output_discard(&out);
	if (errno == EFBIG)
		return storus_say(NAME, STORUS_USAGE,
				  "--block %u: the picture would be too large; omit --block or use a larger number",
				  w->block);
	if (errno == ELIBACC)
		return storus_say(NAME, STORUS_TROUBLE,
				  "%s: the library libcairo.so.2 cannot be loaded; install it (Debian: libcairo2), or write .svg",
				  w->output);
	return storus_output_failed(NAME, w->output);
}

/* The links that are not healthy. */
static json_t *map_links_json(const struct torus_machine *machine)
{
	json_t *list = json_array();
	char name[TORUS_LINK_SIZE];

	for (uint32_t i = 0; i < machine->links.count; i++) {
		const struct torus_link *l = &machine->links.link[i];

		torus_link_format(l, &machine->pod[l->pod].torus, name,
				  sizeof(name));
		json_array_append_new(list, json_pack("{s:s, s:s}", "link",
						      name, "state",
						      torus_link_health_name(
							      l->health)));
	}
	return list;
}

/* The snapshot onto the map, and the place asked for. */
static int map_build(struct storus_map *m, struct storus_question *q,
		     int *answer, struct torus_error *err)
{
	int status = storus_question_machine(q, err);

	if (status != STORUS_DONE)
		return status;
	m->config = q->config;
	m->title = q->snapshot->source;
	m->nodes = torus_alloc(m->config->machine.words, sizeof(*m->nodes));
	if (!m->nodes || report_map_init(&m->map, &m->config->machine) ||
	    storus_map_fill(m, q->snapshot)) {
		torus_error_add(err, "out of memory");
		return STORUS_TROUBLE;
	}
	*answer = q->words.geometry ? storus_map_fit(m, q, err) : STORUS_DONE;
	if (*answer != STORUS_DONE && *answer != STORUS_NO)
		return *answer;
	if (storus_map_largest(m) == 0)
		return STORUS_DONE;
	torus_error_add(err, "out of memory");
	return STORUS_TROUBLE;
}

static int map_draw(struct storus_map *m, struct map_words *w)
{
	struct torus_error err = { 0 };
	int answer = STORUS_DONE, status = map_build(m, &w->q, &answer, &err);

	if (status != STORUS_DONE)
		return storus_say_errors(NAME, status, &err);
	if (w->json) {
		const struct torus_machine *machine = &m->config->machine;
		json_t *list = json_array(), *o;

		/* The idle nodes (m->nodes) and the largest idle box of each torus; the
		 * reservations and the links. */
		for (uint32_t p = 0; p < machine->pods; p++) {
			const struct torus_pod *pod = &machine->pod[p];

			json_array_append_new(
				list,
				json_pack("{s:s, s:i, s:O}", "name",
					  pod->torus.name, "idle",
					  (int)torus_bits_count(m->nodes +
									pod->first_word,
								pod->words),
					  "largest",
					  json_array_get(m->largest_json, p)));
		}
		o = json_pack("{s:i, s:s, s:o, s:O, s:o}", "schema", 1, "title",
			      m->title, "toruses", list, "reservations",
			      m->reserved_json, "links",
			      map_links_json(machine));
		status = storus_json_answer(NAME, o, w->q.snapshot, w->json);
		return status == STORUS_DONE ? answer : status;
	}
	m->map.title = m->title;
	m->map.note = m->note.data;
	m->map.largest = m->largest.data;
	if (w->output)
		status = draw_file(m, w);
	else {
		const struct report_map_style style = {
			.columns = map_columns(),
			.colour = storus_may_colour(STDOUT_FILENO),
			.block = w->block,
		};

		/* main() looks at stdout */
		status = report_map_text(&m->map, &style, stdout) &&
					 errno == ENOMEM ?
				 storus_no_memory(NAME) :
				 STORUS_DONE;
	}
	if (w->output && status == STORUS_DONE && m->note.data)
		printf("%s\n", m->note.data);
	if (!w->output && status == STORUS_DONE)
		storus_age_print("Snapshot", storus_age_time_us(w->q.snapshot));
	return status == STORUS_DONE ? answer : status;
}

static int map_run(void *words)
{
	struct storus_map m = { 0 };
	struct map_words *w = words;
	int status = map_check(w);

	if (status != STORUS_GO)
		return status;
	if (w->watch)
		return storus_map_watch(&w->q.source, w->watch);
	status = map_draw(&m, w);
	storus_map_free(&m);
	storus_question_free(&w->q);
	return status;
}

const struct storus_command storus_map = {
	.name = "map",
	.summary =
		"draw the machine with a letter per job, live or at a time of a schedule",
	.usage = "[SHAPE] [OPTION]...",
	.about =
		"Draws the live cluster (through squeue and sinfo), or the machine of --snapshot,\n"
		"--schedule or --busy; a machine whose nodes have no names is idle.\n"
		"Dimension 0 runs across, 1 down; further dimensions place planes next to and below\n"
		"each other, with their coordinates; the place of SHAPE is marked. Below the totals are the largest box of idle nodes\n"
		"of each torus, and the links that are down or weak.",
	.options = options,
	STORUS_WORDS(struct map_words, .q.source.live = true),
	.line = { STORUS_TO(struct map_words, command) },
	.no_table =
		"a map is a picture, not a table; --output FILE draws it, --json has its numbers",
	.operand = { .value = "shape",
		     STORUS_TO(struct map_words, q.words.geometry) },
	.examples =
		"  storus map\n"
		"  storus map 4x4x2\n"
		"  storus map --output now.html\n"
		"  storus replay --torus 8x8x8 --schedule s.csv trace.swf\n"
		"  storus map --torus 8x8x8 --schedule s.csv --at 3600 --output s.svg\n"
		"  storus map --torus 8x8x8:MMM --busy 0,0,0+2x4x4 --fit 2x1x2\n",
	.run = map_run,
};
