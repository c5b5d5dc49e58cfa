/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures (plot.h). The script contains its data, so that it can be sent and
 * changed alone. It draws PNG and SVG.
 */
#include "papers/experiment/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/stream.h"
#include "replay/replay.h"
#include "report/origin.h"
#include "report/pen.h"
#include "torus_build.h"

extern char **environ;

/* Points and lines that differ in print, too. Every other line is dashed and
 * its points are hollow. Where curves lie on each other, they take turns
 * (plot_marked()). */
static const struct plot_style {
	const char *colour, *more;
} plot_styles[] = {
	{ "#1b6ca8", "pt 7 ps 0.8 lw 1.5" },
	{ "#c0392b", "pt 4 ps 1.1 lw 1.5 dt (8,6)" },
	{ "#2e8b57", "pt 9 ps 0.9 lw 1.5" },
	{ "#8e44ad", "pt 10 ps 1.2 lw 1.5 dt (8,6)" },
	{ "#d68910", "pt 13 ps 0.9 lw 1.5" },
	{ "#555555", "pt 6 ps 1.1 lw 1.5 dt (8,6)" },
	{ "#16a085", "pt 5 ps 0.7 lw 1.5" },
	{ "#7b3f00", "pt 8 ps 1.1 lw 1.5 dt (8,6)" },
	{ "#d81b60", "pt 11 ps 0.9 lw 1.5" },
	{ "#7f8c00", "pt 12 ps 1.2 lw 1.5 dt (8,6)" },
};
#define PLOT_STYLES ((int)(sizeof(plot_styles) / sizeof(*plot_styles)))
_Static_assert(PLOT_STYLES == TORUS_PLOT_STYLES, "plot.h has their number");

/* Marks nearer than this part of both axes hide each other. */
#define TOGETHER 0.015

FILE *torus_plot_begin(const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	FILE *out = torus_lab_open(lab, "gp");

	if (!out)
		return NULL;
	fprintf(out,
		"set terminal pngcairo size 960,640 fontscale 1.1\nset output '%s.png'\n",
		e->name);
	for (int i = 0; i < PLOT_STYLES; i++)
		fprintf(out, "set style line %d lc rgb '%s' %s\n", i + 1,
			plot_styles[i].colour, plot_styles[i].more);
	fputs("set border 3\nset tics nomirror\n"
	      "set grid lc rgb '#dddddd' lt 1\n"
	      "set key bmargin center horizontal Left reverse samplen 3 width 1 height 0.7\n",
	      out);
	fprintf(out, "set title \"%s, %s: %s\" noenhanced\n", e->paper,
		e->number, e->title);
	return out;
}

int torus_plot_command(const char *directory, char *const *command)
{
	posix_spawn_file_actions_t actions;
	int status, rc;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addchdir_np(&actions, directory);
	rc = posix_spawnp(&pid, command[0], &actions, NULL, command, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc == ENOENT)
		return 1;
	if (rc) {
		errno = rc;
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return 1;
	errno = EIO;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

/* Run gnuplot on the script, in its directory. */
static int gnuplot_run(const struct torus_lab *lab)
{
	char gnuplot[] = "gnuplot", *command[] = { gnuplot, NULL, NULL };
	int rc;

	if (asprintf(&command[1], "%s.gp", lab->experiment->name) < 0)
		return -1;
	rc = torus_plot_command(lab->directory, command);
	free(command[1]);
	return rc;
}

/* Add the provenance to a picture, because gnuplot cannot. */
static int plot_stamp(const struct torus_lab *lab, const char *ending)
{
	char build[40], seeds[40], range[TORUS_LAB_RANGE];
	char digest[40 + TORUS_TRACE_DIGEST_SIZE];
	struct report_origin origin = { .version = PACKAGE_VERSION,
					.command = lab->command };
	char *path = torus_lab_path(lab, ending);
	int n = 0, rc;

	if (!path)
		return -1;
	snprintf(build, sizeof(build), "build: %s", torus_build);
	origin.more[n++] = build;
	if (*torus_lab_range(lab, range)) {
		snprintf(seeds, sizeof(seeds), "seeds: %s", range);
		origin.more[n++] = seeds;
	}
	if (*lab->digest) {
		snprintf(digest, sizeof(digest), "trace_sha256: %s",
			 lab->digest);
		origin.more[n] = digest;
	}
	rc = report_origin_stamp(path, &origin);
	free(path);
	return rc;
}

/* Replace the title that gnuplot gives every SVG. 0, or -1 with errno. */
static int plot_title(const struct torus_lab *lab)
{
	static const char theirs[] = "<title>Gnuplot</title>";
	const struct torus_experiment *e = lab->experiment;
	char *path = torus_lab_path(lab, "svg"), *text = NULL, *at;
	FILE *in = path ? fopen(path, "re") : NULL, *out = NULL;
	size_t room = 0;
	ssize_t n = in ? getdelim(&text, &room, '\0', in) : -1;

	if (n > 0)
		out = fopen(path, "we");
	if (in)
		fclose(in);
	free(path);
	if (!out) {
		free(text);
		return -1;
	}
	at = strstr(text, theirs);
	if (at) {
		fprintf(out, "%.*s<title>", (int)(at - text), text);
		report_xml_put(out, e->paper);
		fputs(", ", out);
		report_xml_put(out, e->number);
		fputs(": ", out);
		report_xml_put(out, e->title);
		fputs("</title>", out);
	}
	fputs(at ? at + strlen(theirs) : text, out);
	free(text);
	return stream_close(out);
}

int torus_plot_end(const struct torus_lab *lab, FILE *script)
{
	int rc;

	fprintf(script,
		"set terminal svg size 720,480 font 'sans-serif,12' background rgb '#ffffff'\n"
		"set output '%s.svg'\nreplot\n",
		lab->experiment->name);
	if (lab->latex)
		fprintf(script,
			"if (strstrt(GPVAL_TERMINALS, ' pdfcairo ') > 0) {\n"
			"set terminal pdfcairo size 15cm,10cm\n"
			"set output '%s.pdf'\nreplot\n}\n",
			lab->experiment->name);
	if (torus_lab_close(script))
		return -1;
	rc = gnuplot_run(lab);
	if (rc)
		return rc;
	return plot_title(lab) || plot_stamp(lab, "svg") ||
			       plot_stamp(lab, "png") ?
		       -1 :
		       0;
}

static bool is_drawn(const struct torus_point *p)
{
	return !p->series->undrawn && p->y.n;
}

static bool has_points(const struct torus_lab *lab, const struct torus_series *s)
{
	for (uint32_t i = 0; i < lab->points; i++) {
		if (lab->point[i].series == s && is_drawn(&lab->point[i]))
			return true;
	}
	return false;
}

/* What the axes show. */
struct plot_frame {
	double left, right, low, top;
};

static struct plot_frame plot_frame_of(const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	struct plot_frame f = { INFINITY, -INFINITY, e->y_log ? INFINITY : 0,
				e->y_top };

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (!is_drawn(p))
			continue;
		f.left = fmin(f.left, p->x.mean);
		f.right = fmax(f.right, p->x.mean);
		f.low = fmin(f.low, p->y.mean);
		if (!(e->y_top > 0))
			f.top = fmax(f.top, p->y.mean);
	}
	return f;
}

/* Return how far from each other two values are, as a part of their axis; NaN if
 * the axis shows a single value. */
static double plot_distance(double a, double b, double low, double high,
			    bool logarithmic)
{
	return logarithmic ? fabs(log(a / b)) / log(high / low) :
			     fabs(a - b) / (high - low);
}

/* Return how many keys below this one the figure has. */
static uint32_t plot_keys_below(const struct torus_lab *lab, double key)
{
	uint32_t keys = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];
		uint32_t k = 0;

		if (!is_drawn(p) || !(p->key < key))
			continue;
		while (!is_drawn(&lab->point[k]) ||
		       fabs(lab->point[k].key - p->key) > 1e-9)
			k++;
		keys += k == i; /* the first with its key */
	}
	return keys;
}

/* Return true if the point gets a mark. Marks of several curves in one place hide
 * each other: there each curve has the mark at every n-th key. */
static bool plot_marked(const struct torus_lab *lab, const struct plot_frame *f,
			const struct torus_point *p)
{
	uint32_t before = 0, together = 0;

	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *q = &lab->point[i];
		const struct torus_experiment *e;

		if (!is_drawn(q))
			continue;
		e = lab->experiment;
		if (fabs(q->key - p->key) >= 1e-9 ||
		    plot_distance(p->x.mean, q->x.mean, f->left, f->right,
				  false) > TOGETHER ||
		    plot_distance(p->y.mean, q->y.mean, f->low, f->top,
				  e->y_log) > TOGETHER)
			continue;
		together++;
		before += q->series < p->series;
	}
	return plot_keys_below(lab, p->key) % together == before;
}

static void plot_block(FILE *out, const struct torus_lab *lab,
		       const struct torus_series *s, int n)
{
	struct plot_frame f = plot_frame_of(lab);

	fprintf(out, "$s%d << end\n", n);
	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (p->series == s && p->y.n)
			fprintf(out, "%.8g %.8g %.4g %d\n", p->x.mean, p->y.mean,
				torus_lab_half(&p->y), plot_marked(lab, &f, p));
	}
	fprintf(out, "end\n");
}

/* Write the curve of series n: its line, its marks, its entry of the key. */
static void plot_curve(FILE *out, const char *lead, const char *marks, int n,
		       const char *label)
{
	int style = 1 + (n - 1) % PLOT_STYLES;

	fprintf(out, "%s $s%d using 1:2 with lines ls %d notitle, \\\n", lead,
		n, style);
	fprintf(out,
		"    $s%d using 1:($4 > 0 ? $2 : NaN)%s ls %d notitle, \\\n", n,
		marks, style);
	fprintf(out, "    NaN with linespoints ls %d title \"%s\"", style,
		label);
}

/*
 * The paper's own values (struct torus_reading).
 */

/* Return the colour of a series; black: none of them, a value of all. */
static const char *plot_colour_of(const struct torus_experiment *e,
				  const char *label)
{
	int n = 0;

	while (e->series[n].label && strcmp(e->series[n].label, label))
		n++;
	return e->series[n].label ? plot_styles[n % PLOT_STYLES].colour :
				    "#000000";
}

/* Write "0.6, graph 0 to 0.7, graph 1"; upright: a vertical span. */
static void plot_span(FILE *out, bool upright, double low, double high)
{
	if (upright)
		fprintf(out, "%g, graph 0 to %g, graph 1", low, high);
	else
		fprintf(out, "graph 0, first %g to graph 1, first %g", low,
			high);
}

/* Draw a line across the whole figure, with its tolerance. */
static void plot_across(FILE *out, const struct torus_reading *r,
			const char *colour)
{
	bool upright = isnan(r->y);
	double at = upright ? r->x : r->y;

	fprintf(out, "set object rect from ");
	plot_span(out, upright, at - r->error, at + r->error);
	fprintf(out,
		" fc rgb '%s' fs transparent solid 0.10 noborder behind\nset arrow from ",
		colour);
	plot_span(out, upright, at, at);
	fprintf(out, " nohead lc rgb '%s' dt (2,3) lw 1.5 back\n", colour);
}

/* Write the points of a reading: its own, or a factor of ours. */
static void plot_reading_block(FILE *out, const struct torus_lab *lab,
			       const struct torus_reading *r, int n)
{
	fprintf(out, "$r%d << end\n", n);
	if (!r->of)
		fprintf(out, "%.8g %.8g %.8g\n", r->x, r->y, r->error);
	for (uint32_t i = 0; r->of && i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (strcmp(p->series->label, r->of) ||
		    !(isnan(r->x) || fabs(p->key - r->x) < 1e-9))
			continue;
		fprintf(out, "%.8g %.8g %.8g\n", p->x.mean, r->y * p->y.mean,
			r->error * p->y.mean);
	}
	fprintf(out, "end\n");
}

/* How a reading is drawn. */
enum plot_reading {
	PLOT_POINT,
	PLOT_ACROSS,
	PLOT_BAND
};

static enum plot_reading plot_reading_kind(const struct torus_reading *r)
{
	return isnan(r->y) || (isnan(r->x) && !r->of) ? PLOT_ACROSS :
	       isnan(r->x)                            ? PLOT_BAND :
							PLOT_POINT;
}

/* Draw readings behind the curves; the key has each kind once. */
static void plot_readings_end(FILE *out, const struct torus_lab *lab)
{
	const struct torus_reading *r = lab->experiment->readings;
	bool keyed[] = { [PLOT_POINT] = false, [PLOT_ACROSS] = false };

	for (int n = 0; r && r[n].series; n++) {
		const char *colour = plot_colour_of(lab->experiment,
						    r[n].series);
		enum plot_reading kind = plot_reading_kind(&r[n]);

		if (kind == PLOT_BAND)
			fprintf(out,
				", \\\n    $r%d using 1:($2-$3):($2+$3) with filledcurves fs transparent solid 0.15 lc rgb '%s' notitle",
				n, colour);
		else if (kind == PLOT_POINT)
			fprintf(out,
				", \\\n    $r%d using 1:2:3 with yerrorbars pt 3 ps 1.4 lw 1.5 lc rgb '%s' notitle",
				n, colour);
		if (kind == PLOT_BAND || !keyed[kind]) {
			/* End the list of curves with an entry of the key: points and lines
			 * have the colours of their series, bands by what they are a factor
			 * of. */
			switch (plot_reading_kind(&r[n])) {
			case PLOT_BAND:
				fprintf(out,
					", \\\n    NaN with filledcurves fs transparent solid 0.15 lc rgb '%s' title \"the paper's text, from %s\"",
					colour, r[n].of);
				break;
			case PLOT_ACROSS:
				fputs(", \\\n    NaN with lines lc rgb '#000000' dt (2,3) lw 1.5 title \"the paper's text\"",
				      out);
				break;
			case PLOT_POINT:
				fputs(", \\\n    NaN with points lc rgb '#000000' pt 3 ps 1.4 title \"the paper's text\"",
				      out);
			}
		}
		if (kind != PLOT_BAND)
			keyed[kind] = true;
	}
}

int torus_plot_points(const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	FILE *out = torus_plot_begin(lab);
	const char *lead = "plot", *marks = ":3 with yerrorbars";
	int n = 0;
	const struct torus_reading *r;

	if (e->study && e->study->traces) /* one run per point: no intervals */
		marks = " with points";
	if (!out)
		return -1;
	for (const struct torus_series *s = e->series; s->label; s++) {
		n++;
		if (has_points(lab, s))
			plot_block(out, lab, s, n);
	}
	fprintf(out, "set xlabel \"%s\" offset 0,0.3\nset ylabel \"%s\"\n",
		e->x_title, e->y_title);
	/* Set the ranges: y from 0 or by powers of ten, x from the first to the last point,
	 * with room for their marks. The experiment's own settings prevail. */
	fputs("set autoscale xfix\nset offsets graph 0.025, graph 0.025, 0, 0\n",
	      out);
	if (e->y_log)
		fputs("set logscale y\nset format y \"10^{%L}\"\n", out);
	else if (e->y_top > 0)
		fprintf(out, "set yrange [0:%g]\n", e->y_top);
	else
		fputs("set yrange [0:*]\n", out);
	if (e->gnuplot)
		fputs(e->gnuplot, out);
	r = lab->experiment->readings;
	for (int k = 0; r && r[k].series; k++) {
		if (plot_reading_kind(&r[k]) == PLOT_ACROSS)
			plot_across(out, &r[k],
				    plot_colour_of(lab->experiment,
						   r[k].series));
		else
			plot_reading_block(out, lab, &r[k], k);
	}
	n = 0;
	for (const struct torus_series *s = e->series; s->label; s++) {
		n++;
		if (!has_points(lab, s))
			continue;
		plot_curve(out, lead, marks, n, s->label);
		lead = ", \\\n    ";
	}
	plot_readings_end(out, lab);
	fputc('\n', out);
	return torus_plot_end(lab, out);
}
