/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A study's campaigns: each part is written as STUDY-N.yaml into the
 * experiments' directory, in the format of storus sweep, and its missing cells
 * are computed on all cores.
 */
#include "papers/experiment/complete.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/campaign.h"

struct progress {
	const struct torus_complete_hooks *hooks;
	struct torus_campaign *c;
	struct torus_result_file *file;
	struct torus_error *err;
	uint32_t done, all;
	bool failed;
};

static int complete_store(void *arg, uint32_t i, const char *summary,
			  const char *why)
{
	struct progress *p = arg;
	struct torus_cell cell = torus_campaign_cell(p->c, i);
	char name[512];

	if (!summary)
		torus_error_add(p->err, "%s: %s: %s", p->c->path,
				torus_cell_name(p->c, &cell, name, sizeof(name)),
				why);
	else if (!torus_result_file_put(p->file, p->c, &cell, summary, p->err)) {
		p->done++;
		return 0;
	}
	p->failed = true;
	return 1;
}

static bool complete_tick(void *arg)
{
	struct progress *p = arg;

	return !p->hooks->tick || p->hooks->tick(p->hooks->arg, p->done, p->all);
}

/* List the cells that are missing in the file. Return their number, or -1. */
static int64_t complete_missing(struct progress *p, uint32_t *todo)
{
	char key[TORUS_CELL_KEY_SIZE];
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->c->cells; i++) {
		struct torus_cell cell = torus_campaign_cell(p->c, i);
		int has;

		if (!torus_cell_wanted(p->c, &cell))
			continue;
		torus_cell_key(p->c, &cell, key);
		has = torus_result_file_has(p->file, key, p->err);
		if (has < 0)
			return -1;
		if (!has)
			todo[n++] = i;
	}
	return n;
}

static int part_run(struct progress *p, unsigned workers)
{
	const struct torus_pool_hooks hooks = { .arg = p,
						.done = complete_store,
						.tick = complete_tick };
	uint32_t *todo = calloc(p->c->cells, sizeof(*todo));
	int64_t n = todo ? complete_missing(p, todo) : -1;
	int rc = n < 0 ? -1 : 0;

	if (!todo)
		torus_error_add(p->err, "out of memory");
	p->done = 0;
	p->all = (uint32_t)n;
	if (n > 0)
		rc = torus_pool_run(p->c, todo, p->all, workers, &hooks, p->err);
	free(todo);
	return p->failed ? -1 : rc;
}

static int complete_file_write(const struct torus_lab *lab,
			       const struct torus_study *study, uint32_t part,
			       const char *path)
{
	uint32_t first = torus_lab_first(lab);
	FILE *out = fopen(path, "we");
	char seeds[TORUS_LAB_RANGE];

	if (!out)
		return -1;
	snprintf(seeds, sizeof(seeds), "%u-%u", first,
		 first + torus_lab_seeds(lab, study->seeds, study->seeds_quick) -
			 1);
	fprintf(out, "# storus experiment: study %s, part %u\n", study->name,
		part + 1);
	study->write(out, lab, part, seeds);
	return torus_lab_close(out);
}

int torus_study_complete(const struct torus_lab *lab,
			 const struct torus_study *study,
			 struct torus_result_file *file, unsigned workers,
			 const struct torus_complete_hooks *hooks,
			 struct torus_error *err)
{
	struct progress p = { .hooks = hooks, .file = file, .err = err };
	uint32_t parts = lab->quick && study->parts_quick ? study->parts_quick :
							    study->parts;
	int rc = 0;

	for (uint32_t part = 0; part < parts && !rc; part++) {
		char *path;

		if (asprintf(&path, "%s/%s-%u.yaml", lab->directory,
			     study->name, part + 1) < 0)
			return torus_error_add(err, "out of memory");
		if (complete_file_write(lab, study, part, path)) {
			rc = torus_error_add(err, "%s: %s", path,
					     strerror(errno));
		} else {
			p.c = torus_campaign_read(path, err);
			rc = p.c ? part_run(&p, workers) : -1;
			torus_campaign_destroy(p.c);
		}
		free(path);
	}
	return rc;
}
