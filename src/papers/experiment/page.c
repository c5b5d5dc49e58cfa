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

#include "torus_build.h"

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

static void page_claims(FILE *out, const struct torus_lab *lab)
{
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
}

/* Links are relative to the page, which is beside the directory. */
static void page_part(FILE *out, const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	const char *slash = strrchr(lab->directory, '/');
	const char *base = slash && slash[1] ? slash + 1 : lab->directory;
	char *picture = torus_lab_path(lab, "svg");

	fprintf(out, "### %s: %s\n\n", e->number, e->title);
	if (picture && !access(picture, F_OK))
		fprintf(out, "![%s](%s/%s.svg)\n\n", e->title, base, e->name);
	free(picture);
	if (e->note)
		fprintf(out, "%s\n\n", e->note);
	if (e->study && !e->x_title)
		page_points(out, lab);
	page_claims(out, lab);
	fprintf(out, "`storus experiment %s%s`", e->name,
		lab->quick ? " --quick" : "");
	if (torus_lab_replications(lab))
		fprintf(out, "; seeds 1-%u", torus_lab_replications(lab));
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

static void page_copy(FILE *in, FILE *out)
{
	char buffer[4096];
	size_t n;

	while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0)
		fwrite(buffer, 1, n, out);
}

static int page_parts(FILE *out, const char *directory)
{
	const struct torus_experiment *e;
	const char *paper = "";

	for (size_t i = 0; (e = torus_experiment_at(i)); i++) {
		char *path;
		FILE *in;

		if (asprintf(&path, "%s/%s.md", directory, e->name) < 0)
			return -1;
		in = fopen(path, "re");
		free(path);
		if (!in)
			continue;
		if (strcmp(paper, e->paper))
			fprintf(out, "\n## %s\n", e->paper);
		paper = e->paper;
		fputc('\n', out);
		page_copy(in, out);
		fclose(in);
	}
	return 0;
}

int torus_page_write(const char *directory, const char *command)
{
	char *path;
	FILE *out;
	int rc;

	if (asprintf(&path, "%s.md", directory) < 0)
		return -1;
	out = fopen(path, "we");
	free(path);
	if (!out)
		return -1;
	fprintf(out,
		"# The papers' experiments\n\n"
		"This page compares the papers' results with ours. `%s` with storus %s wrote it. "
		"Numbers after +- are half the width of 95 %% intervals over the seeds (a log is replayed once and has no interval). Two policies are compared on the same jobs. "
		"A claim is *reproduced* if its test holds; if the paper gives no test, ours was chosen before the numbers were seen. A claim is *undecided* if the interval contains the bound of the test. "
		"The papers were read as text: stars, dotted lines and shaded ranges in the plots are values that the text states, with its last digit, or the precision of reading a figure, as the error. The curves of the papers' figures are not compared. "
		"Where curves lie on each other, each point has the mark of one of them in turn, with its interval. "
		"`storus list strategies` and `storus list disciplines` explain the names. "
		"The papers are Gupta and Srimani (1997), Mao, Chen and Watson (2005), Aida, Kasahara and Narita (1998), "
		"Bani-Mohammad, Ould-Khaoua, Ababneh and Mackenzie, and Mohapatra.\n",
		command, PACKAGE_VERSION);
	rc = page_parts(out, directory);
	return torus_lab_close(out) || rc ? -1 : 0;
}
