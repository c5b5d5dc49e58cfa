/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pen (pen.h) that writes SVG 1.1, reproducible to the byte, and the .svg of a
 * map. */
#include "format/stream.h"
#include "report/map_picture.h"
#include "report/origin.h"

const struct report_tint report_tints[REPORT_COLOURS] = {
	{ "m-paper", 0xffffff, false }, { "m-ink", 0x1a1c1f, true },
	{ "m-soft", 0x5b626b, true },   { "m-idle", 0xe4e8ec, false },
	{ "m-down", 0x6b7178, true },   { "m-white", 0xffffff, false },
	{ "m-black", 0x1a1c1f, true },  { "m-1", 0x0072b2, true },
	{ "m-2", 0xe69f00, false },     { "m-3", 0x009e73, false },
	{ "m-4", 0xcc79a7, false },     { "m-5", 0x56b4e9, false },
	{ "m-6", 0xd55e00, false },     { "m-7", 0xf0e442, false },
	{ "m-8", 0x8c8c8c, false },
};

void report_xml_put(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			putc(*text, out);
		}
	}
}

static void svg_rect(struct report_pen *pen, struct report_box box,
		     enum report_colour fill, uint32_t job, const char *words)
{
	FILE *out = pen->to;

	fprintf(out, "<rect class=\"%s", report_tints[fill].class);
	if (job != UINT32_MAX)
		fprintf(out, " j%u", job);
	fprintf(out, "\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"", box.x,
		box.y, box.w, box.h);
	if (!words) {
		fputs(" pointer-events=\"none\"/>\n", out);
		return;
	}
	fputs("><title>", out);
	report_xml_put(out, words);
	fputs("</title></rect>\n", out);
}

static void svg_line(struct report_pen *pen, double x1, double y1, double x2,
		     double y2, double width)
{
	fprintf(pen->to,
		"<path class=\"m-line\" stroke-width=\"%g\" d=\"M%g %gL%g %g\"/>\n",
		width, x1, y1, x2, y2);
}

static void svg_text(struct report_pen *pen, double x, double y, double size,
		     unsigned flags, enum report_colour colour, const char *text)
{
	FILE *out = pen->to;

	fprintf(out,
		"<text class=\"%s%s%s%s\" x=\"%g\" y=\"%g\" font-size=\"%g\">",
		report_tints[colour].class,
		flags & REPORT_MIDDLE ? " m-mid" : "",
		flags & REPORT_BOLD ? " m-bold" : "",
		flags & REPORT_MONO ? " m-mono" : "", x, y, size);
	report_xml_put(out, text);
	fputs("</text>\n", out);
}

void report_svg_begin(struct report_pen *pen, FILE *out, uint32_t width,
		      uint32_t height, const char *label,
		      const struct report_origin *origin)
{
	*pen = (struct report_pen){ .titles = true,
				    .rect = svg_rect,
				    .line = svg_line,
				    .text = svg_text,
				    .to = out };
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"",
		width, height, width, height);
	report_xml_put(out, label);
	fputs("\">\n", out);
	report_origin_svg(out, origin);
	fputs("<style>\n", out);
	for (int i = 0; i < REPORT_COLOURS; i++)
		fprintf(out, ".%s{fill:#%06x}\n", report_tints[i].class,
			report_tints[i].rgb);
	fputs(".m-line{stroke:#1a1c1f;stroke-linecap:square;pointer-events:none}\n"
	      "text{font-family:\"DejaVu Sans\",Verdana,sans-serif;pointer-events:none;white-space:pre}\n"
	      "text.m-mono{font-family:\"DejaVu Sans Mono\",Menlo,Consolas,monospace}\n"
	      ".m-mid{text-anchor:middle}\n.m-bold{font-weight:bold}\n"
	      "rect:hover{stroke:#1a1c1f;stroke-width:2}\n</style>\n",
	      out);
}

void report_svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}

static int pen_svg_draw(const struct report_map *map,
			const struct report_map_style *style, FILE *out)
{
	char words[REPORT_MAP_WORDS];
	struct report_picture picture;
	struct report_pen pen;

	if (report_picture_init(&picture, map, style, true))
		return -1;
	report_map_totals_words(map, words);
	report_svg_begin(&pen, out, picture.width, picture.height, words,
			 map->origin);
	if (map->title) {
		fputs("<title>", out);
		report_xml_put(out, map->title);
		fputs("</title>\n", out);
	}
	report_picture_draw(&picture, &pen);
	report_svg_end(out);
	report_picture_free(&picture);
	return stream_failed(out) ? -1 : 0;
}

const struct report_drawer report_drawer_svg = {
	.ending = ".svg",
	.summary = "a picture with the job of the cell under the pointer",
	.draw = pen_svg_draw,
};
