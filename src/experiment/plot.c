/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures (plot.h). The script holds its data, so that it can be sent around
 * and changed. What is drawn as PNG is drawn once more as SVG.
 */
#include "experiment/plot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/origin.h"
#include "torus_build.h"

extern char **environ;

/* Points and lines that can be told apart in print as well. Every other one is
 * dashed and its points are hollow: where two curves are the same, as those of
 * BL and FF are, both show. */
static const char styles[] =
	"set style line 1 lc rgb '#1b6ca8' pt 7 ps 0.8 lw 1.5\n"
	"set style line 2 lc rgb '#c0392b' pt 4 ps 0.9 lw 1.5 dt (8,6)\n"
	"set style line 3 lc rgb '#2e8b57' pt 9 ps 0.9 lw 1.5\n"
	"set style line 4 lc rgb '#8e44ad' pt 10 ps 1.0 lw 1.5 dt (8,6)\n"
	"set style line 5 lc rgb '#d68910' pt 13 ps 0.9 lw 1.5\n"
	"set style line 6 lc rgb '#555555' pt 6 ps 0.9 lw 1.5 dt (8,6)\n"
	"set style line 7 lc rgb '#16a085' pt 5 ps 0.7 lw 1.5\n"
	"set style line 8 lc rgb '#7b3f00' pt 8 ps 0.9 lw 1.5 dt (8,6)\n"
	"set border 3\nset tics nomirror\n"
	"set grid lc rgb '#dddddd' lt 1\n"
	"set key outside right top samplen 3\n";

FILE *torus_plot_begin(const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	FILE *out = torus_lab_open(lab, "gp");

	if (!out)
		return NULL;
	fprintf(out,
		"set terminal pngcairo size 960,600 fontscale 1.1\nset output '%s.png'\n",
		e->name);
	fputs(styles, out);
	fprintf(out, "set title \"%s, %s: %s\" noenhanced\n", e->paper,
		e->number, e->title);
	return out;
}

/* gnuplot on the script, in its directory. */
static int gnuplot_run(const struct torus_lab *lab)
{
	char gnuplot[] = "gnuplot", *command[] = { gnuplot, NULL, NULL };
	posix_spawn_file_actions_t actions;
	int status, rc;
	pid_t pid;

	if (asprintf(&command[1], "%s.gp", lab->experiment->name) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, lab->directory);
	rc = posix_spawnp(&pid, gnuplot, &actions, NULL, command, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(command[1]);
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

/* gnuplot cannot say where a picture comes from. */
static int plot_stamp(const struct torus_lab *lab, const char *ending)
{
	char seeds[40], digest[40 + TORUS_TRACE_DIGEST_SIZE];
	struct report_origin origin = { .version = PACKAGE_VERSION,
					.command = lab->command };
	char *path = torus_lab_path(lab, ending);
	int n = 0, rc;

	if (!path)
		return -1;
	if (torus_lab_replications(lab)) {
		snprintf(seeds, sizeof(seeds), "seeds: 1-%u",
			 torus_lab_replications(lab));
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

int torus_plot_end(const struct torus_lab *lab, FILE *script)
{
	int rc;

	fprintf(script,
		"set terminal svg size 720,440 font 'sans-serif,12' background rgb '#ffffff'\n"
		"set output '%s.svg'\nreplot\n",
		lab->experiment->name);
	if (torus_lab_close(script))
		return -1;
	rc = gnuplot_run(lab);
	return rc                                               ? rc :
	       plot_stamp(lab, "svg") || plot_stamp(lab, "png") ? -1 :
								  0;
}

static bool has_points(const struct torus_lab *lab, const struct torus_series *s)
{
	for (uint32_t i = 0; i < lab->points; i++) {
		if (lab->point[i].series == s && lab->point[i].y.n)
			return true;
	}
	return false;
}

static void plot_block(FILE *out, const struct torus_lab *lab,
		       const struct torus_series *s, int n)
{
	fprintf(out, "$s%d << end\n", n);
	for (uint32_t i = 0; i < lab->points; i++) {
		const struct torus_point *p = &lab->point[i];

		if (p->series == s && p->y.n)
			fprintf(out, "%.8g %.8g %.4g\n", p->x.mean, p->y.mean,
				torus_lab_half(&p->y));
	}
	fprintf(out, "end\n");
}

int torus_plot_points(const struct torus_lab *lab)
{
	const struct torus_experiment *e = lab->experiment;
	FILE *out = torus_plot_begin(lab);
	const char *lead = "plot", *how = "1:2:3 with yerrorlines";
	int n = 0;

	if (e->study && e->study->traces) /* a run each: no intervals */
		how = "1:2 with linespoints";
	if (!out)
		return -1;
	for (const struct torus_series *s = e->series; s->label; s++) {
		n++;
		if (has_points(lab, s))
			plot_block(out, lab, s, n);
	}
	fprintf(out, "set xlabel \"%s\"\nset ylabel \"%s\"\n%s", e->x_title,
		e->y_title, e->gnuplot ? e->gnuplot : "");
	n = 0;
	for (const struct torus_series *s = e->series; s->label; s++) {
		n++;
		if (!has_points(lab, s))
			continue;
		fprintf(out, "%s $s%d using %s ls %d title \"%s\"", lead, n,
			how, n, s->label);
		lead = ", \\\n    ";
	}
	fputc('\n', out);
	return torus_plot_end(lab, out);
}
