/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page (page.h): each experiment writes its part as a file, and the page is
 * assembled from the parts that exist. So one experiment can be repeated
 * without the others.
 */
#include "papers/experiment/claim.h"
#include "papers/experiment/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/replay.h"
#include "torus_build.h"

/* The first line of a part: its build, and its verdicts for the summary. */
#define PART "<!-- build %s: %u reproduced, %u undecided, %u not -->\n"
#define PART_READ "<!-- build %16[0-9a-f]: %u reproduced, %u undecided, %u not"
#define PAPERS 8

/* The verdicts of a paper, in the order of enum torus_verdict. */
struct page_paper {
	const char *name;
	uint32_t experiments, count[3];
};

struct page_summary {
	struct page_paper paper[PAPERS];
	uint32_t papers;
	char build[17];
	bool mixed; /* the parts are of several builds */
};

/* Return the paper's value of a point; NAN: none. */
static double page_reading(const struct torus_experiment *e,
			   const struct torus_point *p)
{
	const struct torus_reading *r = e->readings;

	for (; r && r->series; r++) {
		if (!r->of && !strcmp(r->series, p->series->label) &&
		    r->x == p->key)
			return r->y;
	}
	return NAN;
}

/* Write the points of a table, if there is no picture. */
static void page_points(FILE *out, const struct torus_lab *lab)
{
	fprintf(out, "| | %s | the paper |\n| --- | --- | --- |\n",
		lab->experiment->y_title);
	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];
		double paper = page_reading(lab->experiment, p);
		char half[48], number[32];

		fprintf(out, "| %s | %.5g%s | %s |\n", p->series->label,
			p->y.mean, torus_lab_spread(&p->y, half),
			isnan(paper) ? "" : torus_lab_number(paper, 4, number));
	}
	fputc('\n', out);
}

/* Links are relative to the page, which is beside the directory. */
static void page_part(FILE *out, const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	const char *slash = strrchr(lab->directory, '/');
	const char *base = slash && slash[1] ? slash + 1 : lab->directory;
	char *picture = torus_lab_path(lab, "svg");
	char seeds[TORUS_LAB_RANGE];
	uint32_t count[3] = { 0 };

	for (uint32_t i = 0; i < lab->claims; i++)
		count[lab->claim[i].verdict]++;
	fprintf(out, PART, torus_build, count[TORUS_CLAIM_REPRODUCED],
		count[TORUS_CLAIM_UNDECIDED], count[TORUS_CLAIM_NOT]);
	fprintf(out, "### %s: %s\n\n", e->number, e->title);
	if (picture && !access(picture, F_OK))
		fprintf(out, "![%s](%s/%s.svg)\n\n", e->title, base, e->name);
	free(picture);
	if (e->note)
		fprintf(out, "%s\n\n", e->note);
	if (e->study && !e->x_title)
		page_points(out, lab);
	fprintf(out,
		"| the paper says | reproduced if | we get | |\n| --- | --- | --- | --- |\n");
	for (uint32_t i = 0; i < lab->claims; i++) {
		const struct torus_claim *c = &lab->claim[i];
		bool why = c->verdict != TORUS_CLAIM_REPRODUCED && c->why;

		fprintf(out, "| %s | %s | %s | %s%s%s |\n", c->says, c->test,
			c->got, torus_verdicts[c->verdict], why ? ": " : "",
			why ? c->why : "");
	}
	fputc('\n', out);
	fprintf(out, "`storus experiment %s%s`", e->name,
		lab->quick ? " --quick" : "");
	if (*torus_lab_range(lab, seeds))
		fprintf(out, "; seeds %s", seeds);
	fputc('\n', out);
}

int torus_page_part(const struct torus_lab *lab)
{
	char *path = torus_lab_path(lab, "md");
	FILE *out = path ? fopen(path, "we") : NULL;

	free(path);
	if (!out)
		return -1;
	page_part(out, lab);
	return torus_lab_close(out);
}

/* Return the part of an experiment, or NULL. */
static FILE *page_part_open(const char *directory,
			    const struct torus_experiment *e)
{
	char *path;
	FILE *in;

	if (asprintf(&path, "%s/%s.md", directory, e->name) < 0)
		return NULL;
	in = fopen(path, "re");
	free(path);
	return in;
}

/* Read the first lines of all parts. */
static void page_count(struct page_summary *s, const char *directory)
{
	const struct torus_experiment *e;

	for (size_t i = 0; (e = torus_experiment_at(i)); i++) {
		FILE *in = page_part_open(directory, e);
		struct page_paper *p;
		uint32_t count[3];
		char build[17];

		if (!in)
			continue;
		if (fscanf(in, PART_READ, build, &count[0], &count[1],
			   &count[2]) == 4) {
			if (!s->papers ||
			    strcmp(s->paper[s->papers - 1].name, e->paper))
				s->paper[s->papers++].name = e->paper;
			p = &s->paper[s->papers - 1];
			p->experiments++;
			for (int k = 0; k < 3; k++)
				p->count[k] += count[k];
			s->mixed |= *s->build && strcmp(s->build, build);
			memcpy(s->build, build, sizeof(build));
		}
		fclose(in);
	}
}

static void page_parts(FILE *out, const char *directory)
{
	const struct torus_experiment *e;
	const char *paper = "";

	for (size_t i = 0; (e = torus_experiment_at(i)); i++) {
		FILE *in = page_part_open(directory, e);
		char buffer[4096];
		size_t n;

		if (!in)
			continue;
		if (strcmp(paper, e->paper))
			fprintf(out, "\n## %s\n", e->paper);
		paper = e->paper;
		fputc('\n', out);
		while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0)
			fwrite(buffer, 1, n, out);
		fclose(in);
	}
}

int torus_page_write(const char *directory, const char *command)
{
	struct page_summary s = { .papers = 0 };
	char *path;
	FILE *out;
	struct page_paper all = { .name = "all" };

	if (asprintf(&path, "%s.md", directory) < 0)
		return -1;
	out = fopen(path, "we");
	free(path);
	if (!out)
		return -1;
	page_count(&s, directory);
	fprintf(out,
		"# The papers' experiments\n\n"
		"This page compares the papers' results with ours. `%s` with storus %s, build %s, wrote it%s.\n",
		command, PACKAGE_VERSION, s.mixed ? "(several)" : s.build,
		s.mixed ? ", but some of its parts are of other runs" :
			  ", its data and its pictures");
	/* Write the table of verdicts per paper. */
	fprintf(out,
		"\n| paper | tables and figures | claims | reproduced | undecided | not reproduced |\n"
		"| --- | --- | --- | --- | --- | --- |\n");
	for (uint32_t i = 0; i <= s.papers; i++) {
		const struct page_paper *p = i < s.papers ? &s.paper[i] : &all;

		fprintf(out, "| %s | %u | %u | %u | %u | %u |\n", p->name,
			p->experiments, p->count[0] + p->count[1] + p->count[2],
			p->count[0], p->count[1], p->count[2]);
		if (p == &all)
			break;
		all.experiments += p->experiments;
		for (int k = 0; k < 3; k++)
			all.count[k] += p->count[k];
	}
	fprintf(out,
		"\nNumbers after +- are half the width of 95 %% intervals over the seeds (a log is replayed once and has no interval). Two policies are compared on the same jobs. "
		"A claim is *reproduced* if its test holds, *undecided* if the interval contains the bound of the test. "
		"Few papers give a test. Ours have one threshold per word and paper; `claims.md` lists them, each claim with its row or the reason why it has none, and the claims whose test was changed after a result. "
		"The papers were read as text: stars, dotted lines and shaded ranges in the plots are values that the text states, with the tolerance of the test as the error. The curves of the papers' figures are not compared. "
		"Where curves lie on each other, each point has the mark of one of them in turn, with its interval. "
		"`storus list strategies` and `storus list disciplines` explain the names; `reproduce.md` has the references, and how to repeat all this.\n");
	page_parts(out, directory);
	return torus_lab_close(out);
}
