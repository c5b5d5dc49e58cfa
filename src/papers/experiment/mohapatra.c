/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mohapatra: real-time jobs on hypercubes. Section 4: an 8-cube, hold times of
 * mean 3, three distributions of sub-cubes; 4000 jobs per run (the paper does
 * not state the number). All policies have their second phase (sections 2.2 and
 * 3.1), with the paper's overhead of 2, which hardly ever changes an answer;
 * Table 1 has no second phase. Fig. 10 stops at the 8-cube,
 * because a torus has at most eight dimensions here. The paper claims "similar
 * trends" for the sizes that Figs. 6 and 10 do not show, and for the work miss
 * ratio; these have figures of their own (mohapatra-fig6-uniform, ...).
 *
 * Each policy has a machine file with the mean hold time and the options.
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/claim.h"
#include "papers/experiment/papers.h"

#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "torus/placement.h"
#include "trace/models/model.h"

#define PAPER "Mohapatra"
#define JOBS "4000"
/* Section 4.2: the figures are those with an overhead of 2 time units. */
#define PHASE2 "phase2: true, preempt_overhead: 2"

struct mohapatra_policy {
	const char *name, *scheduler;
};

static const struct mohapatra_policy policies[] = {
	{ "buddy-rt", "{discipline: buddy-rt, options: {" PHASE2 "}}" },
	{ "stacking", "{discipline: stacking, options: {" PHASE2 "}}" },
	{ "dedf-eat",
	  "{discipline: dedf, mean_hold: 3s, options: {eat: true, " PHASE2
	  "}}" },
	{ "dedf", "{discipline: dedf, mean_hold: 3s, options: {" PHASE2 "}}" },
	{ "deferral",
	  "{discipline: dedf, mean_hold: 3s, options: {eat: true, choice: first-fit, " PHASE2
	  "}}" },
	{ "replan",
	  "{discipline: dedf-replan, mean_hold: 3s, options: {" PHASE2 "}}" },
};

#define POLICIES (sizeof(policies) / sizeof(*policies))

/* Write a machine file. Return mohapatra-8-dedf.yaml, to be freed with free();
 * NULL: it could not be written. */
static char *machine_write(const struct torus_lab *lab, uint32_t n,
			   const struct mohapatra_policy *p)
{
	char *path;
	FILE *out;

	if (asprintf(&path, "%s/mohapatra-%u-%s.yaml", lab->directory, n,
		     p->name) < 0)
		return NULL;
	out = fopen(path, "we");
	if (out) {
		fprintf(out, "toruses:\n- {name: cube, dims: [2");
		for (uint32_t d = 1; d < n; d++)
			fprintf(out, ", 2");
		fprintf(out, "], strategy: subcube-buddy}\nscheduler: %s\n",
			p->scheduler);
		if (!torus_lab_close(out))
			return path;
	}
	free(path);
	return NULL;
}

static void mohapatra_trace(FILE *out, const char *sizes, uint32_t n,
			    double laxity, double load)
{
	fprintf(out,
		"- {model: mohapatra-%s, machine: \"2^%u\", jobs: " JOBS
		", laxity: %g, nominal-load: %g}\n",
		sizes, n, laxity, load);
}

/* Machines that cannot be written are reported when the campaign is read. */
static void mohapatra_machines(FILE *out, const struct torus_lab *lab,
			       uint32_t n, const char *seeds)
{
	fprintf(out, "machines:\n");
	for (int i = 0; i < (int)POLICIES; i++) {
		free(machine_write(lab, n, &policies[i]));
		fprintf(out, "- mohapatra-%u-%s.yaml\n", n, policies[i].name);
	}
	fprintf(out, "seeds: %s\n", seeds);
}

static const char *const sizes[] = { "geometric", "uniform", "reverse" };

static void loads_write(FILE *out, const struct torus_lab *lab, uint32_t part,
			const char *seeds)
{
	fprintf(out, "traces:\n");
	for (int tenths = lab->quick ? 4 : 1; tenths <= 10;
	     tenths += lab->quick ? 2 : 1)
		mohapatra_trace(out, sizes[part], 8, 1.5, tenths / 10.0);
	mohapatra_machines(out, lab, 8, seeds);
}

static void laxities_write(FILE *out, const struct torus_lab *lab,
			   uint32_t part, const char *seeds)
{
	static const double laxity[] = { 1.5, 0.5, 3, 0.25, 1, 2, 4, 5 };

	fprintf(out, "traces:\n");
	for (int i = 0; i < (lab->quick ? 3 : 8); i++)
		mohapatra_trace(out, sizes[part], 8, laxity[i], 0.4);
	mohapatra_machines(out, lab, 8, seeds);
}

static void cubes_write(FILE *out, const struct torus_lab *lab, uint32_t part,
			const char *seeds)
{
	uint32_t n = 4 + part % 5;

	fprintf(out, "traces:\n");
	mohapatra_trace(out, sizes[part / 5], n, 1.5, 0.4);
	mohapatra_machines(out, lab, n, seeds);
}

/* Section 4.2: "several values of the preemption overhead"; the campaign's options
 * replace those of the machine files. */
static void overheads_write(FILE *out, const struct torus_lab *lab,
			    uint32_t part, const char *seeds)
{
	static const int overhead[] = { 2, 0, 1, 4, 8 };

	fprintf(out, "traces:\n");
	mohapatra_trace(out, sizes[0], 8, 1.5, 0.8);
	fprintf(out, "machines:\n");
	for (int i = 0; i < (int)POLICIES; i++) {
		if (strcmp(policies[i].name, "buddy-rt") &&
		    strcmp(policies[i].name, "stacking") &&
		    strcmp(policies[i].name, "dedf"))
			continue;
		free(machine_write(lab, 8, &policies[i]));
		fprintf(out, "- mohapatra-8-%s.yaml\n", policies[i].name);
	}
	fprintf(out, "seeds: %s\noptions: {preempt_overhead: %d}\n", seeds,
		overhead[part]);
}

static const struct mohapatra_policy holds[] = {
	{ "hold-1.5",
	  "{discipline: dedf, mean_hold: 1.5s, options: {" PHASE2 "}}" },
	/* as in the other figures, with which it shares its cells */
	{ "dedf", "{discipline: dedf, mean_hold: 3s, options: {" PHASE2 "}}" },
	{ "hold-6", "{discipline: dedf, mean_hold: 6s, options: {" PHASE2 "}}" },
};

static void holds_write(FILE *out, const struct torus_lab *lab, uint32_t part,
			const char *seeds)
{
	(void)part;
	fprintf(out, "traces:\n");
	for (int tenths = 4; tenths <= 10; tenths += lab->quick ? 3 : 2)
		mohapatra_trace(out, sizes[0], 8, 1.5, tenths / 10.0);
	fprintf(out, "machines:\n");
	for (int i = 0; i < 3; i++) {
		free(machine_write(lab, 8, &holds[i]));
		fprintf(out, "- mohapatra-8-%s.yaml\n", holds[i].name);
	}
	fprintf(out, "seeds: %s\n", seeds);
}

static const struct torus_study overheads = {
	"mohapatra-overheads", 5, overheads_write, 50, 5, false, 2,
};
static const struct torus_study hold_times = {
	"mohapatra-holds", 1, holds_write, 50, 5, false, 0,
};
static const struct torus_study loads = {
	"mohapatra-loads", 3, loads_write, 50, 5, false, 0,
};
static const struct torus_study laxities = {
	"mohapatra-laxities", 3, laxities_write, 50, 5, false, 0,
};
static const struct torus_study cubes = {
	"mohapatra-cubes", 15, cubes_write, 50, 5, false, 0,
};

#define CUBE_8 "machine=2^8"
#define LINE(name, file, part)                                                 \
	{                                                                      \
		.label = name, .machine = "-" file ".yaml", .trace = part,     \
		.options = ""                                                  \
	}
#define LINES(part)                                                            \
	LINE("Buddy/RT", "buddy-rt", part),                                    \
		LINE("Stacking", "stacking", part),                            \
		LINE("DEDF, no ATW", "dedf-eat", part),                        \
		LINE("DEDF", "dedf", part),                                    \
		LINE("deferral alone, first fit", "deferral", part),           \
		LINE("dedf-replan (ours)", "replan", part)
#define SERIES(part)                                                           \
	{                                                                      \
		LINES(part),                                                   \
		{                                                              \
			.label = NULL                                          \
		}                                                              \
	}

#define HIDDEN(name, file, part)                                               \
	{                                                                      \
		.label = name, .machine = "-" file ".yaml", .trace = part,     \
		.options = "", .undrawn = true                                 \
	}
#define OTHER_SIZES(name, file)                                                \
	HIDDEN(name ", uniform", file, "mohapatra-uniform " CUBE_8),           \
		HIDDEN(name ", reverse", file, "mohapatra-reverse " CUBE_8)

static const struct torus_series by_load[] = SERIES("laxity=1.5");
static const struct torus_series by_laxity[] = SERIES("nominal-load=0.4");
/* Fig. 7, with Figs. 8 and 9 for the claim that compares the sizes. */
static const struct torus_series all_sizes[] = {
	LINES("mohapatra-geometric " CUBE_8),
	OTHER_SIZES("Buddy/RT", "buddy-rt"),
	OTHER_SIZES("Stacking", "stacking"),
	OTHER_SIZES("DEDF", "dedf"),
	{ .label = NULL },
};
static const struct torus_series by_cube[] = SERIES(
	"laxity=1.5 nominal-load=0.4");
#define OVERHEADS(name, file)                                                  \
	{                                                                      \
		.label = name, .machine = "-" file ".yaml",                    \
		.options = "preempt_overhead"                                  \
	}
static const struct torus_series by_overhead[] = {
	OVERHEADS("Buddy/RT", "buddy-rt"),
	OVERHEADS("Stacking", "stacking"),
	OVERHEADS("DEDF", "dedf"),
	{ .label = NULL },
};
static const struct torus_series by_hold[] = {
	LINE("S_t = 1.5", "hold-1.5", "laxity=1.5"),
	LINE("S_t = 3", "dedf", "laxity=1.5"),
	LINE("S_t = 6", "hold-6", "laxity=1.5"),
	{ .label = NULL },
};
static const struct torus_series by_size[] = SERIES(NULL);

/*
 * Figs. 11 to 13: results by dimension, which the summary of a replay does not
 * have.
 */

struct by_dimension {
	uint32_t all[9], missed[9];
};

static int row_count(void *arg, const struct torus_machine *m,
		     const struct torus_replay_row *row)
{
	struct by_dimension *by = arg;
	uint32_t k = (uint32_t)__builtin_ctz(row->account.requested);

	(void)m;
	if (k > 8 || !row->account.deadline)
		return 0;
	by->all[k]++;
	by->missed[k] += row->account.outcome != TORUS_OUTCOME_COMPLETED;
	return 0;
}

/* Replay on a policy's machine. 0, or -1 with errno. */
static int mohapatra_replay(const struct torus_lab *lab, uint32_t n,
			    const struct mohapatra_policy *p,
			    struct torus_trace *in,
			    const struct torus_replay_hooks *hooks)
{
	char *path = machine_write(lab, n, p);
	int rc = torus_lab_replay(path, in, hooks);

	free(path);
	return rc;
}

/* Replay the model that the trace names. */
static int by_dimension(struct torus_lab *lab)
{
	uint32_t seeds = torus_lab_seeds(lab, 50, 5);

	for (uint32_t i = 0; i < POLICIES * seeds; i++) {
		struct by_dimension by = { 0 };
		const struct torus_replay_hooks hooks = { .arg = &by,
							  .row = row_count };
		struct torus_model_options o;

		torus_model_options_init(&o, torus_model_find(
						     lab->experiment->trace));
		o.seed = torus_lab_first(lab) + i / POLICIES;
		o.jobs = 4000;
		if (mohapatra_replay(lab, 8, &policies[i % POLICIES],
				     torus_trace_open_model(&o, NULL), &hooks))
			return -1;
		for (uint32_t k = 0; k < 8; k++) {
			double ratio = by.missed[k];

			if (by.all[k] &&
			    torus_lab_add(lab, &by_size[i % POLICIES], k,
					  (uint32_t)o.seed, k,
					  ratio / by.all[k]))
				return -1;
		}
	}
	torus_lab_sort(lab);
	return 0;
}

/*
 * Table 1
 */

struct mohapatra_table {
	FILE *out;
	const char *policy;
	char got[4][48]; /* by job: "[0..3] 0-4", "rejected" */
};

static int row_note(void *arg, const struct torus_machine *m,
		    const struct torus_replay_row *row)
{
	struct mohapatra_table *t = arg;
	int job = (int)torus_number_of(row->id) - 1;
	uint64_t nodes = 0;

	if (job < 0 || job > 3)
		return 0;
	snprintf(t->got[job], sizeof(t->got[job]), "rejected");
	if (row->place && row->account.outcome == TORUS_OUTCOME_COMPLETED) {
		torus_placement_paint(m, row->place, &nodes);
		snprintf(t->got[job], sizeof(t->got[job]), "[%d..%d] %g-%g",
			 __builtin_ctzll(nodes), 63 - __builtin_clzll(nodes),
			 (double)row->account.start_us / 1e6,
			 (double)row->account.end_us / 1e6);
	}
	fprintf(t->out, "%s,J%d,%s\n", t->policy, job + 1, t->got[job]);
	return 0;
}

/* Return Table 1's jobs as a trace. */
static struct torus_trace *table_open(const struct torus_lab *lab)
{
	const struct torus_trace_options options = { .format = "csv" };
	FILE *out = torus_lab_open(lab, "jobs.csv");
	char *path = out ? torus_lab_path(lab, "jobs.csv") : NULL;
	struct torus_trace *in = NULL;

	if (out) {
		fprintf(out, "id,submit,run,nodes,deadline\n1,0,4,4,4\n"
			     "2,0,7,8,7\n3,1,2,8,8\n4,2,2,4,4\n");
		if (!torus_lab_close(out) && path)
			in = torus_trace_open(path, &options, NULL);
	}
	free(path);
	return in;
}

static int table1_exact(struct torus_lab *lab)
{
	static const struct {
		struct mohapatra_policy policy;
		const char *j4, *says;
	} row[] = {
		{ { "buddy-rt-phase1", "{discipline: buddy-rt}" },
		  "rejected",
		  "Buddy/RT rejects J4" },
		{ { "stacking-phase1", "{discipline: stacking}" },
		  "rejected",
		  "Stacking rejects J4" },
		{ { "dedf-phase1", "{discipline: dedf, mean_hold: 3s}" },
		  "[4..7] 2-4",
		  "DEDF runs J4 on {5-8} (here 4..7) from t+2 to t+4" },
		{ { "full-phase1",
		    "{discipline: dedf, mean_hold: 3s, options: {arrival_queue: 1}}" },
		  "[4..7] 2-4",
		  "with the queue full at t+1, the window t+2 to t+4 is still found" },
		{ { "full-eat-phase1",
		    "{discipline: dedf, mean_hold: 3s, options: {arrival_queue: 1, eat: true}}" },
		  "rejected",
		  "with EAT instead of ATW it is not" },
	};
	static const char *const others[] = { "[0..3] 0-4", "[8..15] 0-7",
					      "[0..7] 4-6" };
	struct mohapatra_table t = { .out = torus_lab_open(lab, "csv") };
	int rc = 0;

	if (!t.out)
		return -1;
	fprintf(t.out, "policy,job,what\n");
	for (int i = 0; i < 5 && !rc; i++) {
		const struct torus_replay_hooks hooks = { .arg = &t,
							  .row = row_note };
		bool same;

		t.policy = row[i].policy.name;
		rc = mohapatra_replay(lab, 4, &row[i].policy, table_open(lab),
				      &hooks);
		same = !strcmp(t.got[3], row[i].j4);
		for (int k = 0; k < 3; k++)
			same &= !strcmp(t.got[k], others[k]);
		torus_lab_claim(lab, torus_lab_exactly(same), NULL, row[i].says,
				"every job has the paper's processors and times",
				"J1 %s, J2 %s, J3 %s, J4 %s", t.got[0],
				t.got[1], t.got[2], t.got[3]);
	}
	return torus_lab_close(t.out) ? -1 : rc;
}

/* DEDF improves on Buddy/RT by 25 to 150 % and on Stacking by 10 to 75 %: y is its miss
 * ratio as a share of theirs, 0.4 to 0.8 and 0.57 to 0.91. */
static const struct torus_reading improvement[] = {
	{ "Buddy/RT", NAN, 0.6, 0.2, "Buddy/RT" },
	{ "Stacking", NAN, 0.74, 0.169, "Stacking" },
	{ .series = NULL },
};

#define PHASES                                                                 \
	"All with the second phase, with a preemption overhead of 2 time units (section 4.2)."
#define JMR .y = "job_miss_ratio", .y_title = "job miss ratio"
#define RANGES                                                                 \
	" The shaded ranges are where DEDF would lie if it improved on Buddy/RT by 25 % to 150 %, and on Stacking by 10 % to 75 %."
#define MISS JMR, .note = PHASES RANGES
#define MISS_LOG JMR, .y_log = true, .note = PHASES RANGES
#define MISS_CUBE                                                              \
	JMR, .gnuplot = "set xtics 1\n",                                       \
	     .note = PHASES RANGES                                             \
	     " It stops at the 8-cube, as a torus has at most eight dimensions here; the paper's text does not state its largest cube."
#define MISS_BY_SIZE JMR, .y_log = true, .note = PHASES
#define WORK_MISS                                                              \
	.y = "work_miss_ratio", .y_title = "work miss ratio",                  \
	.note = PHASES                                                         \
		" The paper computed this ratio but shows no figure of it."
#define WORK_MISS_CUBE WORK_MISS, .gnuplot = "set xtics 1\n"
#define BY_LOAD(sizes)                                                         \
	.study = &loads, .trace = "mohapatra-" sizes " " CUBE_8,               \
	.series = by_load, .key = "nominal-load", .x_title = "offered load"
#define AT_LAXITIES                                                            \
	.key = "laxity", .x_title = "mean laxity (mean hold times)",           \
	.readings = improvement
#define BY_LAXITY(sizes)                                                       \
	.study = &laxities, .trace = "mohapatra-" sizes " " CUBE_8,            \
	.series = by_laxity, AT_LAXITIES,                                      \
	.claims = torus_mohapatra_laxity_claims
#define BY_CUBE(sizes)                                                         \
	.study = &cubes, .trace = "mohapatra-" sizes " machine=2^",            \
	.series = by_cube, .key = "machine",                                   \
	.x_title = "dimension of the hypercube",                               \
	.claims = torus_mohapatra_cube_claims, .readings = improvement
#define BY_LAXITY_WORK(sizes)                                                  \
	.study = &laxities, .trace = "mohapatra-" sizes " " CUBE_8,            \
	.series = by_laxity, .key = "laxity",                                  \
	.x_title = "mean laxity (mean hold times)", WORK_MISS,                 \
	.claims = torus_mohapatra_laxity_claims
#define BY_CUBE_WORK(sizes)                                                    \
	.study = &cubes, .trace = "mohapatra-" sizes " machine=2^",            \
	.series = by_cube, .key = "machine",                                   \
	.x_title = "dimension of the hypercube", WORK_MISS_CUBE,               \
	.claims = torus_mohapatra_cube_claims
#define BY_SIZE(sizes)                                                         \
	.exact = by_dimension, .trace = "mohapatra-" sizes, .series = by_size, \
	.key = "dimension", .x_title = "dimension of the sub-cube",            \
	.claims = torus_mohapatra_sizes_claims

const struct torus_experiment torus_mohapatra_experiments[] = {
	EXPERIMENT("mohapatra-table1", "Table 1", "four jobs on a 4-cube",
		   .exact = table1_exact),
	EXPERIMENT("mohapatra-fig6", "Fig. 6",
		   "miss ratio by load, geometric sizes", .verdicts = "ruuurun",
		   BY_LOAD("geometric"), MISS_LOG,
		   .claims = torus_mohapatra_load_claims,
		   .readings = improvement),
	EXPERIMENT("mohapatra-fig6-uniform", "Fig. 6 (similar trends)",
		   "miss ratio by load, uniform sizes", .verdicts = "nnnrrnn",
		   BY_LOAD("uniform"), MISS_LOG,
		   .claims = torus_mohapatra_load_claims,
		   .readings = improvement),
	EXPERIMENT("mohapatra-fig6-reverse", "Fig. 6 (similar trends)",
		   "miss ratio by load, reverse geometric sizes",
		   .verdicts = "nnnrrnn", BY_LOAD("reverse"), MISS_LOG,
		   .claims = torus_mohapatra_load_claims,
		   .readings = improvement),
	EXPERIMENT("mohapatra-fig6-work", "Fig. 6 (work miss ratio)",
		   "work miss ratio by load, geometric sizes",
		   .verdicts = "nnuur", BY_LOAD("geometric"), WORK_MISS,
		   .claims = torus_mohapatra_work_claims),
	EXPERIMENT("mohapatra-fig6-uniform-work", "Fig. 6 (work miss ratio)",
		   "work miss ratio by load, uniform sizes",
		   .verdicts = "nnnur", BY_LOAD("uniform"), WORK_MISS,
		   .claims = torus_mohapatra_work_claims),
	EXPERIMENT("mohapatra-fig6-reverse-work", "Fig. 6 (work miss ratio)",
		   "work miss ratio by load, reverse geometric sizes",
		   .verdicts = "nnnur", BY_LOAD("reverse"), WORK_MISS,
		   .claims = torus_mohapatra_work_claims),
	EXPERIMENT("mohapatra-overhead", "section 4.2",
		   "miss ratio by preemption overhead, load 0.8, geometric sizes",
		   .verdicts = "ru", .study = &overheads,
		   .trace = "nominal-load=0.8", .series = by_overhead,
		   .key = "preempt_overhead",
		   .x_title = "preemption overhead (time units)", JMR,
		   .claims = torus_mohapatra_overhead_claims),
	EXPERIMENT("mohapatra-hold", "section 3.1",
		   "miss ratio of DEDF by load and S_t, geometric sizes",
		   .verdicts = "uu", .study = &hold_times,
		   .trace = "mohapatra-geometric " CUBE_8, .series = by_hold,
		   .key = "nominal-load", .x_title = "offered load", JMR,
		   .claims = torus_mohapatra_hold_claims),
	EXPERIMENT("mohapatra-preemptions", "sections 1, 3",
		   "preemptions by load, uniform sizes", .verdicts = "nn",
		   BY_LOAD("uniform"), .y = "preemptions",
		   .y_title = "preemptions of 4000 jobs", .note = PHASES,
		   .claims = torus_mohapatra_effort_claims),
	EXPERIMENT("mohapatra-calls", "section 3",
		   "questions for a place by load, uniform sizes",
		   .verdicts = "nn", BY_LOAD("uniform"), .y = "placement_calls",
		   .y_title = "questions for 4000 jobs", .note = PHASES,
		   .claims = torus_mohapatra_effort_claims),
	EXPERIMENT("mohapatra-complexity", "sections 3.2, 5",
		   "time of a search by the size of the cube, uniform sizes",
		   .verdicts = "rnn", .study = &cubes,
		   .trace = "mohapatra-uniform machine=2^", .series = by_cube,
		   .key = "machine", .x_title = "dimension of the hypercube",
		   .y = "placement_us.median",
		   .y_title = "processor time of a search (us, median)",
		   .gnuplot = "set xtics 1\n",
		   .note = PHASES " Times of one machine.",
		   .claims = torus_mohapatra_complexity_claims),
	EXPERIMENT("mohapatra-fig7", "Fig. 7",
		   "miss ratio by laxity, geometric sizes",
		   .verdicts = "nnnnnnrrrnrrrr", .study = &laxities,
		   .trace = "nominal-load=0.4", .series = all_sizes, AT_LAXITIES,
		   .claims = torus_mohapatra_geometric_claims, MISS),
	EXPERIMENT("mohapatra-fig8", "Fig. 8",
		   "miss ratio by laxity, uniform sizes",
		   .verdicts = "nnnnrnrr", BY_LAXITY("uniform"), MISS),
	EXPERIMENT("mohapatra-fig9", "Fig. 9",
		   "miss ratio by laxity, reverse geometric sizes",
		   .verdicts = "rnnnrrrr", BY_LAXITY("reverse"), MISS),
	EXPERIMENT("mohapatra-fig7-work", "Fig. 7 (work miss ratio)",
		   "work miss ratio by laxity, geometric sizes",
		   .verdicts = "nnnnnrrr", BY_LAXITY_WORK("geometric")),
	EXPERIMENT("mohapatra-fig8-work", "Fig. 8 (work miss ratio)",
		   "work miss ratio by laxity, uniform sizes",
		   .verdicts = "nnnnrrrr", BY_LAXITY_WORK("uniform")),
	EXPERIMENT("mohapatra-fig9-work", "Fig. 9 (work miss ratio)",
		   "work miss ratio by laxity, reverse geometric sizes",
		   .verdicts = "unnnrrrr", BY_LAXITY_WORK("reverse")),
	EXPERIMENT("mohapatra-fig10", "Fig. 10",
		   "miss ratio by the size of the cube, uniform sizes",
		   .verdicts = "rnunnn", BY_CUBE("uniform"), MISS_CUBE),
	EXPERIMENT("mohapatra-fig10-geometric", "Fig. 10 (similar trends)",
		   "miss ratio by the size of the cube, geometric sizes",
		   .verdicts = "rnrnnn", BY_CUBE("geometric"), MISS_CUBE),
	EXPERIMENT("mohapatra-fig10-reverse", "Fig. 10 (similar trends)",
		   "miss ratio by the size of the cube, reverse geometric sizes",
		   .verdicts = "rnnnnn", BY_CUBE("reverse"), MISS_CUBE),
	EXPERIMENT("mohapatra-fig10-work", "Fig. 10 (work miss ratio)",
		   "work miss ratio by the size of the cube, uniform sizes",
		   .verdicts = "rnnnru", BY_CUBE_WORK("uniform")),
	EXPERIMENT("mohapatra-fig10-geometric-work", "Fig. 10 (work miss ratio)",
		   "work miss ratio by the size of the cube, geometric sizes",
		   .verdicts = "unnnnr", BY_CUBE_WORK("geometric")),
	EXPERIMENT("mohapatra-fig10-reverse-work", "Fig. 10 (work miss ratio)",
		   "work miss ratio by the size of the cube, reverse geometric sizes",
		   .verdicts = "nnnnru", BY_CUBE_WORK("reverse")),
	EXPERIMENT("mohapatra-fig11", "Fig. 11",
		   "miss ratio by sub-cube, geometric sizes",
		   .verdicts = "rrrnu", BY_SIZE("geometric"), MISS_BY_SIZE),
	EXPERIMENT("mohapatra-fig12", "Fig. 12",
		   "miss ratio by sub-cube, uniform sizes", .verdicts = "rrrrn",
		   BY_SIZE("uniform"), MISS_BY_SIZE),
	EXPERIMENT("mohapatra-fig13", "Fig. 13",
		   "miss ratio by sub-cube, reverse geometric sizes",
		   .verdicts = "rrrrn", BY_SIZE("reverse"), MISS_BY_SIZE),
	{ .name = NULL },
};
