/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The papers' drawn examples, drawn by our map (report/map.h) from a run: jobs are
 * placed one after the other by the strategy, or replayed, and the picture shows who
 * got which node. What the text says of the picture is claimed beside it.
 *
 * Schedules (Mohapatra, Figs. 1 to 3) are maps of a mesh, time or tree level by
 * processors.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/ranks.h"
#include "format/stream.h"
#include "papers/experiment/claim.h"
#include "papers/experiment/papers.h"
#include "report/map.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "torus/state_text.h"
#include "torus_build.h"

/* Write the map as NAME.svg and NAME.png. 0, or -1 with errno. */
static int drawn_write(const struct torus_lab *lab,
		       const struct report_map *plain)
{
	const struct torus_experiment *e = lab->experiment;
	const struct report_map_style style = { .columns = 80 };
	char build[40], title[160];
	const struct report_origin origin = { .version = PACKAGE_VERSION,
					      .command = lab->command,
					      .more = { build } };
	struct report_map map = *plain;
	int rc = 0;

	snprintf(build, sizeof(build), "build: %s", torus_build);
	snprintf(title, sizeof(title), "%s, %s: %s", e->paper, e->number,
		 e->title);
	map.title = title;
	map.origin = &origin;
	for (size_t i = 0; report_drawers[i] && !rc; i++) {
		const struct report_drawer *d = report_drawers[i];
		char *path;
		FILE *out;

		if (strcmp(d->ending, ".svg") && strcmp(d->ending, ".png"))
			continue;
		path = torus_lab_path(lab, d->ending + 1);
		out = path ? fopen(path, "we") : NULL;
		free(path);
		if (!out)
			return -1;
		rc = d->draw(&map, &style, out);
		rc |= stream_close(out);
	}
	return rc;
}

/* Add a job on the nodes of a region, and its row of NAME.csv. */
static int drawn_add(struct report_map *map, FILE *csv, const char *label,
		     const struct torus_placement *place)
{
	const struct torus_machine *m = map->machine;
	uint64_t *nodes = calloc(m->words, sizeof(*nodes));
	struct torus_text region = { 0 };
	struct report_map_job job = { .nodes = place->granted };
	int rc = -1;

	snprintf(job.id, sizeof(job.id), "%s", label);
	if (nodes && torus_placement_format(m, place, &region) == 0) {
		torus_placement_paint(m, place, nodes);
		job.region = region.data;
		rc = report_map_add(map, &job, nodes) < 0 ? -1 : 0;
		fprintf(csv, "\"%s\",\"%s\"\n", label, region.data);
	}
	torus_text_free(&region);
	free(nodes);
	return rc;
}

/* The jobs of an example, in order. */
struct drawn_job {
	const char *shape;  /* as typed, or a number of nodes */
	const char *torus;  /* NULL: any */
	const char *region; /* the paper's; NULL: it does not say */
};

struct drawn {
	const char *name;
	const char *machine; /* torus.yaml */
	const char *says;
	const struct drawn_job *job; /* ended by shape NULL */
};

static const struct drawn_job fig1_jobs[] = {
	{ "4x4", NULL, "torus:0,0+4x4/2x2" },
	{ "4x4", NULL, "torus:1,1+4x4/2x2" },
	{ "4x4", NULL, "torus:0,1+4x4/2x2" },
	{ "4x4", NULL, "torus:1,0+4x4/2x2" },
	{ NULL, NULL, NULL },
};
static const struct drawn_job matrix_jobs[] = {
	{ "2x2", NULL, NULL }, { "2x2", NULL, NULL }, { "2x2", NULL, NULL },
	{ "2x2", NULL, NULL }, { "2x2", NULL, NULL }, { "2x2", NULL, NULL },
	{ "2x2", NULL, NULL }, { "2x2", NULL, NULL }, { "2x2", NULL, NULL },
	{ "2x2", NULL, NULL }, { "2x2", NULL, NULL }, { "2x2", NULL, NULL },
	{ "2x2", NULL, NULL }, { "2x2", NULL, NULL }, { "2x2", NULL, NULL },
	{ "2x2", NULL, NULL }, { NULL, NULL, NULL },
};
static const struct drawn_job partition_jobs[] = {
	{ "4", "ep", NULL },  { "4", "ep", NULL },  { "4", "ep", NULL },
	{ "4", "ep", NULL },  { "4", "ep", NULL },  { "4", "ep", NULL },
	{ "4", "ep", NULL },  { "4", "ep", NULL },  { "4", "nep", NULL },
	{ "4", "nep", NULL }, { "8", "nep", NULL }, { "16", "nep", NULL },
	{ NULL, NULL, NULL },
};
static const struct drawn_job bani_jobs[] = {
	{ "2x4x4", NULL, "torus:0,0,0+2x4x4" },
	{ "2x1x2", NULL, "torus:2,0,0+2x1x2" },
	{ "1x2x1", NULL, NULL },
	{ NULL, NULL, NULL },
};

static const struct drawn examples[] = {
	{ "gupta-fig1",
	  "toruses:\n- {name: torus, dims: [8, 8], strategy: subtorus}\n",
	  "the four 4x4 subtori of T8x8 are T(0,0), T(0,1), T(1,0) and T(1,1)",
	  fig1_jobs },
	{ "gupta-fig3",
	  "toruses:\n- {name: torus, dims: [8, 8], strategy: subtorus}\n",
	  "at the level of 2x2 the matrix has 4x4 entries", matrix_jobs },
	{ "mao-fig2",
	  "toruses:\n- {name: ep, dims: [4, 8], wrap: [false, false], strategy: semitorus-ep}\n"
	  "- {name: nep, dims: [4, 8], wrap: [false, false], strategy: semitorus-nep}\n",
	  "EP cuts a semitorus into 8 pieces of 4, NEP into pieces of 4, 4, 8 and 16",
	  partition_jobs },
	{ "bani-fig5",
	  "toruses:\n- {name: torus, dims: [4, 4, 4], wrap: [false, false, false], strategy: submesh-tbl}\n",
	  "2x4x4 gets (0,0,0,1,3,3), 2x1x2 gets (2,0,0,3,0,1), and 1x2x1 fits",
	  bani_jobs },
};

/* Place one job and draw it. Return 1 if it is where the paper has it, 0, or -1 with
 * errno. */
static int drawn_place(struct torus_state *s, const struct drawn_job *job,
		       uint64_t number, struct report_map *map, FILE *csv)
{
	const struct torus_machine *m = torus_state_machine(s);
	const struct torus_request_words words = { .geometry = job->shape };
	uint64_t *allowed = calloc(m->words, sizeof(*allowed));
	struct torus_request request = { 0 };
	struct torus_text region = { 0 };
	struct torus_placement place;
	struct torus_ask ask;
	int rc = -1;

	if (!allowed || torus_request_parse(&request, &words, NULL))
		goto out;
	for (uint32_t p = 0; p < m->pods; p++) {
		if (!job->torus || !strcmp(job->torus, m->pod[p].torus.name))
			torus_bits_set_range(allowed, m->pod[p].first_word * 64,
					     m->pod[p].torus.nodes);
	}
	ask = request.alternative[0].ask;
	ask.allowed = allowed;
	ask.end_us = TORUS_NO_TIME;
	rc = 0;
	if (torus_state_find(s, &ask, &place, NULL) != TORUS_FITS ||
	    torus_state_commit(s, &place, number, NULL, 0, TORUS_NO_TIME,
			       NULL) == TORUS_NO_SLOT)
		goto out;
	rc = torus_placement_format(m, &place, &region);
	if (!rc)
		rc = drawn_add(map, csv, job->shape, &place);
	if (!rc)
		rc = !job->region || !strcmp(job->region, region.data);
out:
	torus_text_free(&region);
	free(allowed);
	return rc;
}

static struct torus_config *drawn_config(const char *yaml)
{
	struct torus_error err = { 0 };

	return torus_config_parse("drawn", yaml, strlen(yaml), &err);
}

/* Place the jobs of the example and draw the machine. */
static int drawn_exact(struct torus_lab *lab)
{
	const struct drawn *d = examples;
	struct torus_config *config;
	struct report_map map = { 0 };
	struct torus_state *s = NULL;
	uint32_t placed = 0, same = 0;
	FILE *csv = NULL;
	int rc = -1;

	while (strcmp(d->name, lab->experiment->name))
		d++;
	config = drawn_config(d->machine);
	if (config)
		s = torus_state_create(&config->machine);
	if (s && !report_map_init(&map, &config->machine))
		csv = torus_lab_open(lab, "csv");
	if (!csv)
		goto out;
	fputs("job,region\n", csv);
	rc = 0;
	for (const struct drawn_job *j = d->job; j->shape && rc >= 0; j++) {
		rc = drawn_place(s, j, ++placed, &map, csv);
		same += rc > 0;
	}
	if (torus_lab_close(csv) || rc < 0)
		rc = -1;
	else
		rc = drawn_write(lab, &map);
	torus_lab_claim(lab, torus_lab_exactly(same == placed), NULL, d->says,
			"each job gets a place, and where the text names one it is that",
			"%u of %u", same, placed);
out:
	report_map_free(&map);
	torus_state_destroy(s);
	torus_config_destroy(config);
	return rc;
}

int torus_drawn_regions(const struct torus_lab *lab, const char *yaml,
			const struct torus_drawn_region *region)
{
	struct torus_config *config = drawn_config(yaml);
	struct report_map map = { 0 };
	FILE *sink = fopen("/dev/null", "we"); /* the caller has its own data */
	int rc = -1;

	if (config && sink && !report_map_init(&map, &config->machine))
		rc = 0;
	for (; !rc && region->label; region++) {
		const struct torus *t = &config->machine.pod[0].torus;
		struct torus_placement place = { 0 };
		bool scattered;
		uint64_t nodes[16];

		rc = torus_region_parse(&place.region, &scattered, nodes, t,
					region->region, NULL);
		place.granted = torus_region_nodes(&place.region, t);
		if (!rc)
			rc = drawn_add(&map, sink, region->label, &place);
	}
	if (!rc)
		rc = drawn_write(lab, &map);
	if (sink)
		fclose(sink);
	report_map_free(&map);
	torus_config_destroy(config);
	return rc;
}

/*
 * Mao, Fig. 1: a 4x4 mesh as a ring of 16; each node has its place on the ring.
 */
static int conversion_exact(struct torus_lab *lab)
{
	struct torus_config *config = drawn_config(
		"toruses:\n- {name: torus, dims: [4, 4], wrap: [false, false], strategy: semitorus-nep}\n");
	struct torus_ask ask = { .by_count = true,
				 .count = 16,
				 .rotate = true,
				 .end_us = TORUS_NO_TIME };
	struct torus_state *s = config ? torus_state_create(&config->machine) :
					 NULL;
	struct torus_placement place, one;
	struct torus_ranks ranks = { 0 };
	struct report_map map = { 0 };
	uint32_t adjacent = 0;
	FILE *csv = NULL;
	int rc = -1;

	if (s && !report_map_init(&map, &config->machine) &&
	    torus_state_find(s, &ask, &place, NULL) == TORUS_FITS &&
	    !torus_ranks_place(&ranks, config, &place))
		csv = torus_lab_open(lab, "csv");
	if (!csv)
		goto out;
	fputs("job,region\n", csv);
	rc = 0;
	for (uint32_t i = 0; i < ranks.nodes && !rc; i++) {
		const struct torus *t = &config->machine.pod[0].torus;
		uint32_t next[TORUS_MAX_DIMS], hops = 0;
		char label[32];

		one = (struct torus_placement){ .granted = 1 };
		torus_region_whole(&one.region, t);
		torus_coord(t, ranks.rank[i].index, one.region.base);
		torus_coord(t, ranks.rank[(i + 1) % ranks.nodes].index, next);
		for (uint32_t d = 0; d < t->dims; d++) {
			one.region.extent[d] = 1;
			hops += next[d] > one.region.base[d] ?
					next[d] - one.region.base[d] :
					one.region.base[d] - next[d];
		}
		adjacent += hops == 1;
		snprintf(label, sizeof(label), "ring %u", i);
		rc = drawn_add(&map, csv, label, &one);
	}
	if (torus_lab_close(csv) || rc)
		rc = -1;
	else
		rc = drawn_write(lab, &map);
	torus_lab_claim(lab, torus_lab_exactly(adjacent == 16), NULL,
			"a mesh whose dimensions are both open becomes one ring",
			"each node of the ring is a neighbour of the next, the last one of the first",
			"%u of 16 are", adjacent);
out:
	torus_ranks_free(&ranks);
	report_map_free(&map);
	torus_state_destroy(s);
	torus_config_destroy(config);
	return rc;
}

/*
 * Mohapatra, Figs. 1 to 3: Table 1 on a 4-cube, in units of time.
 */

#define TABLE_JOBS 4
#define TABLE_TIME 9
#define TABLE_CUBE 16u
#define TABLE_LEVELS 5
#define SECOND INT64_C(1000000)

/* The job on each processor at each time: job + 1; 0: idle. */
struct table_run {
	uint32_t job[TABLE_TIME][TABLE_CUBE];
	char text[160]; /* "J1 0-3 0-4, ..", by job */
	struct {
		uint32_t first, last;
		int from, to; /* to 0: rejected */
	} of[TABLE_JOBS];
};

static int table_row(void *arg, const struct torus_machine *m,
		     const struct torus_replay_row *row)
{
	struct table_run *run = arg;
	uint64_t nodes[1] = { 0 };
	uint32_t j = (uint32_t)row->number - 1;

	if (j >= TABLE_JOBS || !row->place ||
	    row->account.outcome != TORUS_OUTCOME_COMPLETED)
		return 0;
	torus_placement_paint(m, row->place, nodes);
	run->of[j].from = (int)(row->account.start_us / SECOND);
	run->of[j].to = (int)(row->account.end_us / SECOND);
	run->of[j].first = torus_bits_next(nodes, 1, 0);
	for (uint32_t p = 0; p < TABLE_CUBE; p++) {
		if (!torus_bits_test(nodes, p))
			continue;
		run->of[j].last = p;
		for (int t = run->of[j].from;
		     t < run->of[j].to && t < TABLE_TIME; t++)
			run->job[t][p] = j + 1;
	}
	return 0;
}

/* Replay Table 1 under the discipline. 0, or -1 with errno. */
static int table_replay(struct table_run *run, const char *scheduler)
{
	static const struct {
		int submit;
		uint32_t nodes;
		int run, deadline;
	} table[TABLE_JOBS] = {
		{ 0, 4, 4, 4 }, { 0, 8, 7, 7 }, { 1, 8, 2, 8 }, { 2, 4, 2, 4 }
	};
	struct torus_trace_record record[TABLE_JOBS];
	const struct torus_replay_hooks hooks = { .arg = run, .row = table_row };
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_error err = { 0 };
	struct torus_replay_options options;
	struct torus_config *config;
	struct torus_trace *in;
	char yaml[256];
	size_t used = 0;
	int rc = -1;

	memset(run, 0, sizeof(*run));
	memset(record, 0, sizeof(record));
	for (uint32_t i = 0; i < TABLE_JOBS; i++) {
		record[i] = (struct torus_trace_record){
			.submit_us = table[i].submit * SECOND,
			.run_us = table[i].run * SECOND,
			.limit_us = table[i].run * SECOND,
			.deadline_us = table[i].deadline * SECOND,
			.wait_limit_us = -1,
			.since_us = TORUS_NO_TIME,
			.left_us = TORUS_NO_TIME,
			.requested = table[i].nodes,
			.line = i + 1,
		};
		snprintf(record[i].id, sizeof(record[i].id), "%u", i + 1);
	}
	snprintf(yaml, sizeof(yaml),
		 "toruses:\n- {name: cube, dims: [2, 2, 2, 2], strategy: subcube-buddy}\nscheduler: %s\n",
		 scheduler);
	config = drawn_config(yaml);
	in = torus_trace_open_list(record, TABLE_JOBS);
	torus_replay_options_init(&options);
	if (in && config && metrics &&
	    torus_replay_run(in, &config->machine, &config->scheduler, &options,
			     &hooks, metrics, &err) == TORUS_REPLAY_DONE)
		rc = 0;
	else if (!errno)
		errno = EINVAL;
	for (uint32_t j = 0; j < TABLE_JOBS; j++)
		used += (size_t)snprintf(run->text + used,
					 sizeof(run->text) - used,
					 run->of[j].to ? "%sJ%u %u-%u at %d-%d" :
							 "%sJ%u rejected",
					 j ? ", " : "", j + 1, run->of[j].first,
					 run->of[j].last, run->of[j].from,
					 run->of[j].to);
	torus_trace_close(in);
	torus_config_destroy(config);
	torus_metrics_destroy(metrics);
	return rc;
}

/* Add cells [x, x + width) x [y, y + height) of the mesh. */
static int table_add(struct report_map *map, FILE *csv, const char *label,
		     const uint32_t at[4])
{
	struct torus_placement place = { .granted = at[2] * at[3] };

	torus_region_whole(&place.region, &map->machine->pod[0].torus);
	for (uint32_t d = 0; d < 2; d++) {
		place.region.base[d] = at[d];
		place.region.extent[d] = at[d + 2];
	}
	return drawn_add(map, csv, label, &place);
}

/* A column per time, a row per processor. */
static int table_draw(const struct torus_lab *lab, const struct table_run *run)
{
	struct torus_config *config = drawn_config(
		"toruses:\n- {name: time-by-processor, dims: [9, 16], wrap: [false, false]}\n");
	struct report_map map = { 0 };
	FILE *csv = NULL;
	int rc = -1;

	if (config && !report_map_init(&map, &config->machine))
		csv = torus_lab_open(lab, "csv");
	if (csv) {
		fputs("job,region\n", csv);
		rc = 0;
	}
	for (uint32_t j = 0; j < TABLE_JOBS && !rc; j++) {
		char label[16];

		if (!run->of[j].to)
			continue;
		snprintf(label, sizeof(label), "J%u", j + 1);
		rc = table_add(&map, csv, label,
			       (const uint32_t[]){
				       (uint32_t)run->of[j].from,
				       run->of[j].first,
				       (uint32_t)(run->of[j].to -
						  run->of[j].from),
				       run->of[j].last - run->of[j].first + 1 });
	}
	if (csv)
		rc |= torus_lab_close(csv);
	if (!rc)
		rc = drawn_write(lab, &map);
	report_map_free(&map);
	torus_config_destroy(config);
	return rc;
}

static int table_claim(struct torus_lab *lab, const char *scheduler,
		       const char *says, const char *expected)
{
	struct table_run run;

	if (table_replay(&run, scheduler))
		return -1;
	torus_lab_claim(lab, torus_lab_exactly(!strcmp(run.text, expected)),
			NULL, says, "every place and time is the same", "%s",
			run.text);
	return table_draw(lab, &run);
}

static int buddy_exact(struct torus_lab *lab)
{
	return table_claim(
		lab, "{discipline: buddy-rt}",
		"Buddy/RT: J1 on {1-4}, J2 on {9-16}, J3 on {1-8} from t + 4, J4 is rejected",
		"J1 0-3 at 0-4, J2 8-15 at 0-7, J3 0-7 at 4-6, J4 rejected");
}

#define DEFERRED "{discipline: dedf, mean_hold: 3s}"

static int deferred_exact(struct torus_lab *lab)
{
	return table_claim(lab, DEFERRED,
			   "DEDF: J4 on {5-8} from t + 2, J3 on {1-8} from t + 4",
			   "J1 0-3 at 0-4, J2 8-15 at 0-7, J3 0-7 at 4-6, J4 4-7 at 2-4");
}

/* Write the windows of processors first .. last from time 2 on: "[6,". */
static void table_windows(const struct table_run *run, uint32_t first,
			  uint32_t last, char *text, size_t size)
{
	int from = -1;
	size_t used = 0;

	*text = '\0';
	for (int t = 2; t < TABLE_TIME; t++) {
		bool idle = true;

		for (uint32_t p = first; p <= last; p++)
			idle = idle && !run->job[t][p];
		if (idle && from < 0)
			from = t;
		if (!idle && from >= 0) {
			used += (size_t)snprintf(text + used, size - used,
						 " [%d,%d]", from, t);
			from = -1;
		}
	}
	if (from >= 0)
		snprintf(text + used, size - used, " [%d,open]", from);
}

/* A row per level of the tree: the windows of each sub-cube at t + 2. */
static int tree_exact(struct torus_lab *lab)
{
	struct torus_config *config = drawn_config(
		"toruses:\n- {name: processor-by-level, dims: [16, 5], wrap: [false, false]}\n");
	struct report_map map = { 0 };
	struct table_run run;
	char text[64], got[160] = "";
	FILE *csv = NULL;
	int rc = -1;

	if (!table_replay(&run, DEFERRED) && config &&
	    !report_map_init(&map, &config->machine))
		csv = torus_lab_open(lab, "csv");
	if (csv) {
		fputs("job,region\n", csv);
		rc = 0;
	}
	for (uint32_t i = 0; i < 31 && !rc; i++) {
		uint32_t level = 4, k = i, width;
		char label[96];

		for (; k >= TABLE_CUBE >> level; level--)
			k -= TABLE_CUBE >> level;
		width = 1u << level;
		table_windows(&run, k * width, (k + 1) * width - 1, text,
			      sizeof(text));
		snprintf(label, sizeof(label), "%u%u%s", level, k + 1, text);
		rc = table_add(&map, csv, label,
			       (const uint32_t[]){ k * width, 4 - level, width,
						   1 });
		if (level == 2)
			snprintf(got + strlen(got), sizeof(got) - strlen(got),
				 "%s%s", k ? ";" : "", text);
	}
	if (csv)
		rc |= torus_lab_close(csv);
	if (!rc)
		rc = drawn_write(lab, &map);
	torus_lab_claim(lab,
			torus_lab_exactly(
				!strcmp(got,
					" [6,open]; [6,open]; [7,open]; [7,open]")),
			NULL,
			"each node has the windows of its sub-cube: with J4 on {5-8}, 2-cubes from t + 6 and t + 7",
			"the windows of the four 2-cubes are these", "%s", got);
	report_map_free(&map);
	torus_config_destroy(config);
	return rc;
}

#define PAPER "Gupta, Srimani 1997"
const struct torus_experiment torus_gupta_drawn[] = {
	EXPERIMENT("gupta-fig1", "Fig. 1", "T8x8 as four 4x4 subtori",
		   .exact = drawn_exact),
	EXPERIMENT("gupta-fig3", "Fig. 3",
		   "the entries of an availability matrix of T8x8",
		   .exact = drawn_exact),
	{ .name = NULL },
};
#undef PAPER
#define PAPER "Mao, Chen, Watson 2005"
const struct torus_experiment torus_mao_drawn[] = {
	EXPERIMENT("mao-fig1", "Fig. 1", "a mesh becomes a ring",
		   .exact = conversion_exact),
	EXPERIMENT("mao-fig2", "Fig. 2", "Equal and Non-Equal Partition",
		   .exact = drawn_exact),
	{ .name = NULL },
};
#undef PAPER
#define PAPER "Bani-Mohammad et al."
const struct torus_experiment torus_bani_drawn[] = {
	EXPERIMENT("bani-fig5", "Fig. 5", "an allocation by TBL",
		   .exact = drawn_exact),
	{ .name = NULL },
};
#undef PAPER
#define PAPER "Mohapatra"
const struct torus_experiment torus_mohapatra_drawn[] = {
	EXPERIMENT("mohapatra-fig1", "Fig. 1", "Table 1 by Buddy/RT",
		   .exact = buddy_exact),
	EXPERIMENT("mohapatra-fig2", "Fig. 2", "Table 1 by DEDF",
		   .exact = deferred_exact),
	EXPERIMENT("mohapatra-fig3", "Fig. 3",
		   "the windows of the tree at t + 2", .exact = tree_exact),
	{ .name = NULL },
};
