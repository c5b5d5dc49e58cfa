/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace of a campaign that is drawn from a workload model. */
#include <stdlib.h>
#include <string.h>

#include "campaign/read.h"
#include "torus/number.h"

static const struct torus_model *model_find(struct campaign_reader *cr,
					    const struct tree *t)
{
	const struct torus_model *const *all = torus_models();
	const struct torus_model *model;
	const char *valid[64] = { NULL }, *word;
	size_t n = 0;

	if (torus_value_word(&cr->r, t, "model", &word))
		return NULL;
	model = torus_model_find(word);
	if (model)
		return model;
	for (; n < 64 && all[n]; n++)
		valid[n] = all[n]->name;
	campaign_unknown(&cr->r, t->line, "model", "model", word, valid, n);
	return NULL;
}

static void model_one(struct campaign_reader *cr, const struct tree *t,
		      struct torus_model_options *o)
{
	struct torus_error why = { 0 };
	uint32_t jobs;
	const char *word;

	if (!strcmp(t->key, "model"))
		return;
	if (!strcmp(t->key, "jobs")) {
		if (!torus_value_number(&cr->r, t, "jobs", UINT32_MAX, &jobs))
			o->jobs = jobs;
	} else if (!strcmp(t->key, "machine")) {
		if (!torus_value_word(&cr->r, t, "machine", &word) &&
		    torus_parse(&o->torus, word, &why))
			campaign_wrong_lines(cr, t->line, "machine", &why);
	} else {
		struct torus_error wrong = { 0 };
		char shown[TREE_SHOWN];

		if (t->kind != TREE_SCALAR)
			torus_reader_wrong(&cr->r, t->line, t->key,
					   "got \"%s\": expected a number",
					   torus_tree_excerpt(t, shown));
		else if (torus_model_read(o, t->key, t->text, &wrong))
			campaign_wrong_lines(cr, t->line, "traces", &wrong);
	}
}

void campaign_model_read(struct campaign_reader *cr, const struct tree *t,
			 struct torus_axis_value *v)
{
	const struct torus_model *model = NULL;
	bool load = false, machine = false;

	for (const struct tree *c = t->first; c; c = c->next) {
		if (strcmp(c->key, "model"))
			continue;
		model = model_find(cr, c);
		if (!model)
			return;
	}
	if (!model) {
		torus_reader_wrong(&cr->r, t->line, "traces",
				   "model is missing; expected a file, or for example {model: aida-uniform, jobs: 5000}");
		return;
	}
	v->model = torus_arena_alloc(&cr->c->arena, sizeof(*v->model));
	if (!v->model) {
		torus_reader_no_memory(&cr->r);
		return;
	}
	torus_model_options_init(v->model, model);
	for (const struct tree *c = t->first; c; c = c->next) {
		model_one(cr, c, v->model);
		load |= !strcmp(c->key, TORUS_LOAD) ||
			!strcmp(c->key, TORUS_NOMINAL_LOAD);
		machine |= !strcmp(c->key, "machine");
	}
	if (load && !machine)
		v->nodes = v->model->torus.nodes;
	if (!cr->r.wrong) {
		struct torus_error why = { 0 };
		struct torus_trace *trace = torus_trace_open_model(v->model,
								   &why);

		/* can jobs be drawn? */
		if (!trace)
			campaign_wrong_lines(cr, t->line, "traces", &why);
		torus_trace_close(trace);
	}
}
