/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads an experiment's points from the result file and writes its data files
 * (lab.h). Intervals are 95 %, by Student's t over the replications.
 */
#include "papers/experiment/lab.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/stream.h"
#include "replay/replay.h"
#include "report/spread.h"
#include "torus/alloc.h"
#include "torus/config.h"
#include "torus_build.h"

const char *const torus_verdicts[] = { "reproduced", "undecided",
				       "not reproduced" };

void torus_lab_begin(struct torus_lab *lab,
		     const struct torus_experiment *experiment)
{
	lab->experiment = experiment;
	lab->points = lab->claims = lab->surprises = 0;
}

int torus_lab_trace(struct torus_lab *lab, struct torus_error *err)
{
	const struct torus_experiment *e = lab->experiment;
	const struct torus_trace_options options = { .digest = true };
	struct torus_trace *trace;
	char *path;
	int rc = -1;

	*lab->digest = '\0';
	if (!e->study || !e->study->traces)
		return 0;
	if (asprintf(&path, "%s/%s", lab->traces, e->trace) < 0)
		return torus_error_add(err, "out of memory");
	trace = torus_trace_open(path, &options, err);
	free(path);
	if (trace)
		rc = torus_trace_digest(trace, lab->digest);
	torus_trace_close(trace);
	return rc;
}

void torus_lab_end(struct torus_lab *lab)
{
	torus_free(lab->point);
	torus_free(lab->claim);
	lab->point = NULL;
	lab->claim = NULL;
	lab->points = lab->points_room = lab->claims = lab->claims_room = 0;
	torus_arena_free(&lab->arena);
}

uint32_t torus_lab_first(const struct torus_lab *lab)
{
	const struct torus_study *study = lab->experiment->study;

	return !lab->first_seed || (study && study->traces) ? 1 :
							      lab->first_seed;
}

uint32_t torus_lab_seeds(const struct torus_lab *lab, uint32_t full,
			 uint32_t quick)
{
	if (lab->first_seed)
		return lab->last_seed - lab->first_seed + 1;
	return lab->quick ? quick : full;
}

const char *torus_lab_range(const struct torus_lab *lab,
			    char buffer[TORUS_LAB_RANGE])
{
	const struct torus_study *study = lab->experiment->study;
	uint32_t first = torus_lab_first(lab);
	uint64_t most = 0;

	if (study && !study->traces)
		most = torus_lab_seeds(lab, study->seeds, study->seeds_quick);
	for (uint32_t i = 0; !study && i < lab->points; i++) {
		if (lab->point[i].y.n > most)
			most = lab->point[i].y.n;
	}
	*buffer = '\0';
	if (most)
		snprintf(buffer, TORUS_LAB_RANGE, "%u-%u", first,
			 first + (uint32_t)most - 1);
	return buffer;
}

double torus_lab_half(const struct torus_moments *m)
{
	return m->n < 2 ? 0 : torus_moments_half_width(m);
}

/* Return the number after "key=" in words separated by blanks; NAN: missing. */
static double number_in(const char *words, const char *key)
{
	size_t length = strlen(key);
	char number[40];
	double value;

	for (const char *p = words; p && *p; p = strchr(p, ' ')) {
		p += *p == ' ';
		if (strncmp(p, key, length) || p[length] != '=')
			continue;
		p += length + 1;
		if (!strncmp(p, "2^", 2)) /* of machine=2^8 the dimension */
			p += 2;
		snprintf(number, sizeof(number), "%.*s", (int)strcspn(p, " "),
			 p);
		return torus_number_decimal(number, &value) ? value : NAN;
	}
	return NAN;
}

static bool lab_agrees(const char *wanted, const char *word)
{
	return !wanted || !strcmp(wanted, word);
}

static bool lab_ends_with(const char *wanted, const char *word)
{
	size_t n = strlen(word), k = wanted ? strlen(wanted) : 0;

	return !wanted || (n >= k && !strcmp(word + n - k, wanted));
}

/* Return true if the wanted part is in the words; "": if there are no words. */
static bool lab_has_series(const char *wanted, const char *words)
{
	if (!wanted)
		return true;
	return *wanted ? strstr(words, wanted) != NULL : !*words;
}

static bool lab_in_series(const struct torus_series *s,
			  const struct torus_result *row)
{
	return lab_ends_with(s->machine, row->word[TORUS_AXIS_MACHINE]) &&
	       lab_agrees(s->strategy, row->word[TORUS_AXIS_STRATEGY]) &&
	       lab_agrees(s->discipline, row->word[TORUS_AXIS_DISCIPLINE]) &&
	       lab_has_series(s->trace, row->word[TORUS_AXIS_TRACE]) &&
	       lab_has_series(s->options, row->word[TORUS_AXIS_OPTIONS]);
}

static struct torus_point *lab_point_find(struct torus_lab *lab,
					  const struct torus_series *series,
					  double key)
{
	struct torus_point *p;

	for (uint32_t i = 0; i < lab->points; i++) {
		p = &lab->point[i];
		if (p->series == series && fabs(p->key - key) < 1e-9)
			return p;
	}
	if (TORUS_GROW(lab->point, lab->points_room, lab->points + 1))
		return NULL;
	p = &lab->point[lab->points++];
	*p = (struct torus_point){ .series = series, .key = key };
	for (uint32_t i = 0; i < TORUS_LAB_SEEDS; i++)
		p->value[i] = NAN;
	return p;
}

static double lab_measure(const json_t *summary, const char *key)
{
	const json_t *v;
	const char *dot = strchr(key, '.');
	char outer[64];

	if (dot) { /* placement_us.median */
		snprintf(outer, sizeof(outer), "%.*s", (int)(dot - key), key);
		v = json_object_get(json_object_get(summary, outer), dot + 1);
	} else {
		v = json_object_get(summary, key);
	}
	return json_is_number(v) ? json_number_value(v) : NAN;
}

int torus_lab_add(struct torus_lab *lab, const struct torus_series *series,
		  double key, uint32_t seed, double x, double y)
{
	struct torus_point *p = lab_point_find(lab, series, key);

	if (!p)
		return -1;
	seed -= torus_lab_first(lab);
	if (isnan(y) || seed >= TORUS_LAB_SEEDS)
		return 0;
	p->value[seed] = y;
	torus_moments_add(&p->y, y);
	torus_moments_add(&p->x, x);
	return 0;
}

static int lab_row_take(void *arg, const struct torus_result *row)
{
	struct torus_lab *lab = arg;
	const struct torus_experiment *e = lab->experiment;
	const char *trace = row->word[TORUS_AXIS_TRACE];
	uint64_t seed = torus_number_of(row->word[TORUS_AXIS_SEED]);
	double key = number_in(trace, e->key);

	if (!strstr(trace, e->trace) || seed < torus_lab_first(lab) ||
	    seed - torus_lab_first(lab) >=
		    torus_lab_seeds(lab, e->study->seeds, e->study->seeds_quick))
		return 0;
	if (isnan(key))
		key = number_in(row->word[TORUS_AXIS_OPTIONS], e->key);
	for (const struct torus_series *s = e->series; s->label; s++) {
		json_t *summary;
		double x, y;

		if (!lab_in_series(s, row) || isnan(key))
			continue;
		summary = json_loads(row->summary, 0, NULL);
		y = lab_measure(summary, e->y);
		x = e->x ? lab_measure(summary, e->x) : key;
		json_decref(summary);
		if (torus_lab_add(lab, s, key, (uint32_t)seed, x, y))
			return -1;
	}
	return 0;
}

static int in_order(const void *a, const void *b)
{
	const struct torus_point *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

void torus_lab_sort(struct torus_lab *lab)
{
	if (lab->points)
		qsort(lab->point, lab->points, sizeof(*lab->point), in_order);
}

int torus_lab_load(struct torus_lab *lab, struct torus_result_file *file,
		   struct torus_error *err)
{
	if (torus_result_file_each(file, lab_row_take, lab, err)) {
		if (!err->count)
			torus_error_add(err, "out of memory");
		return -1;
	}
	torus_lab_sort(lab);
	for (uint32_t i = 0; lab->experiment->place && i < lab->points; i++) {
		struct torus_point *p = &lab->point[i];

		p->x = (struct torus_moments){
			1, lab->experiment->place(lab, p->key), 0
		};
	}
	return 0;
}

int torus_lab_replay(const char *machine, struct torus_trace *in,
		     const struct torus_replay_hooks *hooks)
{
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_error err = { 0 };
	struct torus_config *config = machine ?
					      torus_config_load(machine, &err) :
					      NULL;
	struct torus_replay_options options;
	int rc = -1;

	torus_replay_options_init(&options);
	if (in && config && metrics &&
	    torus_replay_run(in, &config->machine, &config->scheduler, &options,
			     hooks, metrics, &err) == TORUS_REPLAY_DONE)
		rc = 0;
	else if (!errno)
		errno = EINVAL;
	torus_trace_close(in);
	torus_config_destroy(config);
	torus_metrics_destroy(metrics);
	return rc;
}

char *torus_lab_path(const struct torus_lab *lab, const char *ending)
{
	char *path;

	if (asprintf(&path, "%s/%s.%s", lab->directory, lab->experiment->name,
		     ending) < 0)
		return NULL;
	return path;
}

FILE *torus_lab_open(const struct torus_lab *lab, const char *ending)
{
	char *path = torus_lab_path(lab, ending);
	FILE *out = path ? fopen(path, "we") : NULL;

	free(path);
	if (out) {
		/* Write the provenance lines. */
		const struct torus_experiment *e = lab->experiment;
		char seeds[TORUS_LAB_RANGE];

		fprintf(out, "# %s, %s: %s\n# storus %s, build %s; %s\n",
			e->paper, e->number, e->title, PACKAGE_VERSION,
			torus_build, lab->command);
		if (*torus_lab_range(lab, seeds))
			fprintf(out,
				"# seeds %s; means with half 95 %% intervals\n",
				seeds);
		if (*lab->digest)
			fprintf(out, "# %s, trace_sha256 %s\n", e->trace,
				lab->digest);
		if (e->study)
			fprintf(out,
				"# campaigns %s-*.yaml, cells in results.db\n",
				e->study->name);
	}
	return out;
}

int torus_lab_close(FILE *out)
{
	return stream_close(out);
}

/* Write a text as a CSV field, in quotes if needed or empty. */
static void lab_field(FILE *out, const char *text, char after)
{
	bool empty = !text || !*text;

	stream_put_field(out, empty ? "" : text, empty);
	fputc(after, out);
}

int torus_lab_data(const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	FILE *out = torus_lab_open(lab, "csv");

	if (!out)
		return -1;
	fprintf(out, "series,%s,x,x_half_width,%s,half_width,runs\n", e->key,
		e->y);
	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		lab_field(out, p->series->label, ',');
		fprintf(out, "%.10g,%.10g,%.4g,%.10g,%.4g,%llu\n", p->key,
			p->x.mean, e->x ? torus_lab_half(&p->x) : 0, p->y.mean,
			torus_lab_half(&p->y), (unsigned long long)p->y.n);
	}
	return torus_lab_close(out);
}

int torus_lab_claims(const struct torus_lab *lab)
{
	FILE *out = torus_lab_open(lab, "claims.csv");

	if (!out)
		return -1;
	fprintf(out, "experiment,says,test,got,verdict,why\n");
	for (uint32_t i = 0; i < lab->claims; i++) {
		const struct torus_claim *c = &lab->claim[i];

		fprintf(out, "%s,", lab->experiment->name);
		lab_field(out, c->says, ',');
		lab_field(out, c->test, ',');
		lab_field(out, c->got, ',');
		lab_field(out, torus_verdicts[c->verdict], ',');
		lab_field(out,
			  c->verdict == TORUS_CLAIM_REPRODUCED ? "" : c->why,
			  '\n');
	}
	return torus_lab_close(out);
}
