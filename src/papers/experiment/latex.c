/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page as LaTeX (page.h): NAME.tex has an experiment's picture (NAME.pdf of gnuplot,
 * or the PNG of a map), its points if it has no picture, and its claims as a table. The
 * document DIRECTORY.tex includes the parts that exist; pdflatex makes it a PDF.
 */
#include "papers/experiment/claim.h"
#include "papers/experiment/page.h"
#include "papers/experiment/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/stream.h"
#include "torus_build.h"

/* Write a text with LaTeX's own characters escaped. */
static void latex_put(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (text[0] == '+' && text[1] == '-') {
			fputs("$\\pm$", out);
			text++;
		} else if (strchr("&%$#_{}", *text)) {
			fprintf(out, "\\%c", *text);
		} else if (strchr("<>|*", *text)) {
			fprintf(out, "$%c$", *text);
		} else if (*text == '\\') {
			fputs("\\textbackslash{}", out);
		} else if (*text == '~' || *text == '^') {
			fprintf(out, "\\%c{}", *text);
		} else {
			fputc(*text, out);
		}
	}
}

/* Return true if DIRECTORY/NAME.ending is there. */
static bool latex_has(const struct torus_lab *lab, const char *ending)
{
	char *path = torus_lab_path(lab, ending);
	bool has = path && access(path, F_OK) == 0;

	free(path);
	return has;
}

static void latex_claims(FILE *out, const struct torus_lab *lab)
{
	static const char *const width[] = { "0.27", "0.21", "0.25", "0.13" };

	fputs("\\begin{longtable}{", out);
	for (int k = 0; k < 4; k++)
		fprintf(out, ">{\\raggedright\\arraybackslash}p{%s\\textwidth}",
			width[k]);
	fputs("}\nthe paper says & reproduced if & we get & \\\\\n\\hline\n\\endhead\n",
	      out);
	for (uint32_t i = 0; i < lab->claims; i++) {
		const struct torus_claim *c = &lab->claim[i];
		const char *const cell[] = { c->says, c->test, c->got,
					     torus_verdicts[c->verdict] };

		for (int k = 0; k < 4; k++) {
			latex_put(out, cell[k]);
			fputs(k < 3 ? " & " : " \\\\\n", out);
		}
	}
	fputs("\\end{longtable}\n", out);
}

int torus_latex_part(const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	const char *picture = latex_has(lab, "pdf") ? "pdf" :
			      latex_has(lab, "png") ? "png" :
						      NULL;
	char *path = torus_lab_path(lab, "tex");
	FILE *out = path ? fopen(path, "we") : NULL;

	free(path);
	if (!out)
		return -1;
	fprintf(out, "%% storus %s, build %s\n\\subsection*{", PACKAGE_VERSION,
		torus_build);
	latex_put(out, e->number);
	fputs(": ", out);
	latex_put(out, e->title);
	fputs("}\n\n", out);
	if (picture)
		fprintf(out,
			"\\noindent\\includegraphics[width=0.9\\textwidth,height=0.8\\textheight,keepaspectratio]{%s.%s}\n\n",
			e->name, picture);
	if (e->study && !e->x_title) {
		fputs("\\begin{tabular}{lr}\n & ", out);
		latex_put(out, lab->experiment->y_title);
		fputs(" \\\\\n\\hline\n", out);
		for (uint32_t i = 0; i < lab->points; i++) {
			const struct torus_point *p = &lab->point[i];
			char half[48], text[96];

			snprintf(text, sizeof(text), "%.5g%s", p->y.mean,
				 torus_lab_spread(&p->y, half));
			latex_put(out, p->series->label);
			fputs(" & ", out);
			latex_put(out, text);
			fputs(" \\\\\n", out);
		}
		fputs("\\end{tabular}\n\n", out);
	}
	if (lab->claims)
		latex_claims(out, lab);
	if (stream_close(out))
		return -1;
	return latex_has(lab, "gp") && picture && strcmp(picture, "pdf") != 0;
}

int torus_latex_write(const char *directory, const char *command)
{
	const struct torus_experiment *e;
	const char *slash = strrchr(directory, '/');
	const char *base = slash ? slash + 1 : directory, *paper = "";
	char pdflatex[] = "pdflatex", mode[] = "-interaction=batchmode";
	char *path = NULL, *parent = NULL, *file = NULL;
	FILE *out = NULL;
	int rc = -1;

	if (asprintf(&path, "%s.tex", directory) < 0)
		return -1;
	out = fopen(path, "we");
	if (!out)
		goto end;
	fprintf(out,
		"%% %s\n\\documentclass{article}\n\\usepackage{array,graphicx,longtable}\n"
		"\\graphicspath{{%s/}}\n\\begin{document}\n"
		"\\section*{The papers' experiments}\n",
		command, base);
	for (size_t i = 0; (e = torus_experiment_at(i)); i++) {
		char *part;
		bool exists;

		if (asprintf(&part, "%s/%s.tex", directory, e->name) < 0)
			goto end;
		exists = access(part, F_OK) == 0;
		free(part);
		if (!exists)
			continue;
		if (strcmp(paper, e->paper)) {
			fputs("\\section*{", out);
			latex_put(out, e->paper);
			fputs("}\n", out);
		}
		paper = e->paper;
		fprintf(out, "\\input{%s/%s}\n", base, e->name);
	}
	fputs("\\end{document}\n", out);
	rc = stream_close(out);
	out = NULL;
	if (!rc &&
	    (asprintf(&parent, "%.*s", slash ? (int)(slash - directory) : 1,
		      slash ? directory : ".") < 0 ||
	     asprintf(&file, "%s.tex", base) < 0))
		rc = -1;
	if (!rc)
		rc = torus_plot_command(*parent ? parent : "/",
					(char *const[]){ pdflatex, mode, file,
							 NULL });
end:
	if (out)
		fclose(out);
	free(path);
	free(parent);
	free(file);
	return rc;
}
