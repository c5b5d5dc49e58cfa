/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace of a campaign whose jobs are drawn from a log (trace/models/resample.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/read.h"
#include "torus/number.h"

static void like_by(struct campaign_reader *cr, const struct tree *t,
		    struct torus_resample_options *o)
{
	const char *word;
	size_t i = 0;

	if (torus_value_word(&cr->r, t, "by", &word))
		return;
	while (torus_resample_words[i] &&
	       strcmp(word, torus_resample_words[i]) != 0)
		i++;
	o->by = TORUS_LIKE_WEEKS + (enum torus_resample_by)i;
	if (!torus_resample_words[i])
		campaign_unknown(&cr->r, t->line, "by", "way to draw jobs",
				 word, torus_resample_words, i);
}

static void like_machine(struct campaign_reader *cr, const struct tree *t,
			 struct torus_resample_options *o)
{
	struct torus_error why = { 0 };
	struct torus torus;
	const char *word;

	if (torus_value_word(&cr->r, t, "machine", &word))
		return;
	if (torus_parse(&torus, word, &why))
		campaign_wrong_lines(cr, t->line, "machine", &why);
	else
		o->nodes = torus.nodes;
}

static void like_one(struct campaign_reader *cr, const struct tree *t,
		     struct torus_resample_options *o)
{
	uint32_t jobs;

	if (!strcmp(t->key, "by"))
		like_by(cr, t, o);
	else if (!strcmp(t->key, "load")) {
		char shown[TREE_SHOWN];

		if (t->kind != TREE_SCALAR ||
		    !torus_number_decimal(t->text, &o->load) ||
		    !(o->load >= 1e-6 && o->load <= 1e6))
			torus_reader_wrong(&cr->r, t->line, "load",
					   "got \"%s\": expected a number from 1e-06 to 1e+06",
					   torus_tree_excerpt(t, shown));
	} else if (!strcmp(t->key, "machine"))
		like_machine(cr, t, o);
	else if (strcmp(t->key, "jobs"))
		torus_reader_wrong(&cr->r, t->line, t->key,
				   "unknown; beside like there are by, load, jobs and machine");
	else if (!torus_value_number(&cr->r, t, "jobs", UINT32_MAX, &jobs))
		o->jobs = jobs;
}

struct torus_log *campaign_like_log(const struct torus_axis_value *v,
				    const struct torus_trace_options *input,
				    struct torus_error *err)
{
	struct torus_trace_options options = *input;

	options.max_jobs = 0; /* of the drawn jobs */
	return torus_log_read(v->path, &options, err);
}

struct torus_trace *campaign_like_open(const struct torus_campaign_set *c,
				       const struct torus_axis_value *v,
				       uint64_t seed,
				       struct campaign_drawn *drawn,
				       struct torus_error *err)
{
	struct torus_resample_options like = *v->like;
	const struct torus_log *log = v->input ? v->input->log : NULL;

	like.seed = seed;
	like.itself = seed == CAMPAIGN_LIKE_ITSELF;
	if (!log)
		log = drawn->log = campaign_like_log(v, &c->input, err);
	drawn->like = log ? torus_resample_draw(log, &like, err) : NULL;
	if (!drawn->like)
		return NULL;
	if (c->input.max_jobs && c->input.max_jobs < drawn->like->jobs)
		drawn->like->jobs = c->input.max_jobs;
	return torus_trace_open_list(drawn->like->job, drawn->like->jobs);
}

void campaign_drawn_free(struct campaign_drawn *drawn)
{
	torus_resample_destroy(drawn->like);
	torus_log_destroy(drawn->log);
}

bool campaign_like_read(struct campaign_reader *cr, const struct tree *t,
			struct torus_axis_value *v)
{
	struct torus_resample_options *o;
	const char *word = NULL;

	for (const struct tree *c = t->first; c && !word; c = c->next) {
		if (!strcmp(c->key, "like") &&
		    torus_value_word(&cr->r, c, "like", &word))
			return true;
	}
	if (!word)
		return false;
	o = torus_arena_alloc(&cr->c->arena, sizeof(*o));
	if (!o) {
		torus_reader_no_memory(&cr->r);
		return true;
	}
	*o = (struct torus_resample_options){ .seed = 1 };
	v->like = o;
	v->path = campaign_path(cr, word);
	v->digest = campaign_file_digest(&cr->c->arena, v->path, &v->files);
	if (!v->digest)
		torus_reader_wrong(&cr->r, t->line, "like",
				   "%s cannot be read: %s", v->path,
				   strerror(errno));
	for (const struct tree *c = t->first; c; c = c->next) {
		if (strcmp(c->key, "like"))
			like_one(cr, c, o);
	}
	if (!cr->r.wrong) {
		struct campaign_drawn drawn = { 0 };
		struct torus_error why = { 0 };
		struct torus_trace *trace = campaign_like_open(cr->c->set, v, 1,
							       &drawn, &why);

		/* can jobs be drawn? */
		if (!trace)
			campaign_wrong_lines(cr, t->line, "traces", &why);
		else if (v->like->load > 0 && !v->like->nodes)
			v->nodes = drawn.like->nodes;
		torus_trace_close(trace);
		campaign_drawn_free(&drawn);
	}
	return true;
}
