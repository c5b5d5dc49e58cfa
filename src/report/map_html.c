/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map as a self-contained page: the picture in the style of storus report's
 * page, dark or light, and all jobs as a table. Pointing at a row highlights
 * its job, and at a cell its row.
 */
#include "format/stream.h"
#include "report/map_picture.h"
#include "report/page.h"

/* Ink and paper follow the page; the colours of jobs do not. */
static const char style_text[] =
	"<style>\n"
	".m-paper{fill:var(--back)}\n.m-ink{fill:var(--ink)}\n"
	"text.m-soft{fill:var(--soft)}\n.m-idle{fill:var(--idle)}\n"
	".m-line{stroke:var(--ink)}\n"
	"rect:hover{stroke:var(--ink)}\n"
	"svg.one rect:not(.now):not(.m-idle):not(.m-paper){opacity:.25}\n"
	"tbody tr.now{background:var(--panel);outline:2px solid var(--accent)}\n"
	"td:first-child{padding-right:8px}\n"
	"td:last-child,th:last-child{text-align:left;white-space:normal;overflow-wrap:anywhere}\n"
	".letter{display:inline-block;width:1.5em;text-align:center;font-weight:bold;border-radius:3px}\n"
	"</style>\n";

#define TH "<th scope=\"col\">"

static const char script_text[] =
	"<script>\n"
	"\"use strict\";\n"
	"const svg = document.querySelector(\"svg\");\n"
	"const rows = Array.from(document.querySelectorAll(\"tbody tr\"));\n"
	"function show(job) {\n"
	"\tfor (const e of document.querySelectorAll(\".now\"))\n"
	"\t\te.classList.remove(\"now\");\n"
	"\tsvg.classList.toggle(\"one\", job !== null);\n"
	"\tif (job === null)\n"
	"\t\treturn;\n"
	"\tfor (const e of svg.getElementsByClassName(\"j\" + job))\n"
	"\t\te.classList.add(\"now\");\n"
	"\trows[job].classList.add(\"now\");\n"
	"}\n"
	"rows.forEach((row, job) => {\n"
	"\trow.onpointerenter = row.onfocus = () => show(job);\n"
	"\trow.onpointerleave = row.onblur = () => show(null);\n"
	"});\n"
	"svg.addEventListener(\"pointerover\", (e) => {\n"
	"\tconst job = /(?:^| )j([0-9]+)/.exec(e.target.getAttribute(\"class\") || \"\");\n"
	"\tshow(job ? Number(job[1]) : null);\n"
	"});\n"
	"svg.addEventListener(\"pointerleave\", () => show(null));\n"
	"</script>\n";

static void put_element(FILE *out, const char *before, const char *text,
			const char *after)
{
	fputs(before, out);
	report_xml_put(out, text);
	fputs(after, out);
}

static void put_cell(FILE *out, const char *text)
{
	put_element(out, "<td>", text, "</td>");
}

/* Columns that are not empty for all jobs. */
struct map_html_columns {
	bool user, left;
};

static void put_table(const struct report_map *map, FILE *out)
{
	struct map_html_columns shown = { false, false };

	if (map->jobs == 0)
		return;
	for (uint32_t j = 0; j < map->jobs; j++) {
		shown.user = shown.user || map->job[j].user[0];
		shown.left = shown.left || map->job[j].left[0];
	}
	fprintf(out,
		"<section>\n<h2>Jobs</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n"
		"<thead><tr>" TH "letter</th>" TH "job</th>%s%s" TH
		"nodes</th>" TH "region</th></tr></thead>\n<tbody>\n",
		shown.user ? TH "user</th>" : "",
		shown.left ? TH "left</th>" : "");
	for (uint32_t j = 0; j < map->jobs; j++) {
		const struct report_map_job *job = &map->job[j];
		const struct report_tint *tint =
			&report_tints[report_colour_of(j)];

		fprintf(out,
			"<tr tabindex=\"0\"><td><span class=\"letter\" "
			"style=\"background:#%06x;color:%s\">%c</span></td>",
			tint->rgb, tint->dark ? "#fff" : "#1a1c1f", job->letter);
		put_cell(out, job->id);
		if (shown.user)
			put_cell(out, job->user);
		if (shown.left)
			put_cell(out, job->left);
		fprintf(out, "<td>%u</td>", job->nodes);
		put_cell(out, job->region);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n</section>\n", out);
}

static int map_draw_html(const struct report_map *map,
			 const struct report_map_style *style, FILE *out)
{
	const char *title = map->title ? map->title : "storus map";
	char words[REPORT_MAP_WORDS], label[REPORT_MAP_WORDS + 32];
	struct report_picture picture;
	struct report_pen pen;

	if (report_picture_init(&picture, map, style, false))
		return -1;
	report_map_totals_words(map, words);
	torus_report_begin(out, title, map->origin);
	put_element(out, "<header><h1>", title, "</h1>\n");
	put_element(out, "<p>", words, ".</p>\n");
	if (map->links)
		put_element(out, "<p>", map->links, ".</p>\n");
	if (map->note)
		put_element(out, "<p><strong>", map->note, "</strong></p>\n");
	fputs("</header>\n<section>\n<h2>The machine</h2>\n"
	      "<div class=\"scroll\">\n",
	      out);
	snprintf(label, sizeof(label), "%s; the jobs are in the table", words);
	report_svg_begin(&pen, out, picture.width, picture.height, label, NULL);
	report_picture_draw(&picture, &pen);
	report_svg_end(out);
	fputs("</div>\n</section>\n", out);
	fputs(style_text, out);
	put_table(map, out);
	fputs(script_text, out);
	fputs("</body>\n</html>\n", out);
	report_picture_free(&picture);
	return stream_failed(out) ? -1 : 0;
}

const struct report_drawer report_drawer_html = {
	.ending = ".html",
	.summary = "a page: the picture, and the jobs as a table",
	.draw = map_draw_html,
};
