/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pen: rectangles, lines and text, as SVG or on a cairo surface. Units are
 * pixels; y of a text is its base line.
 *
 * Jobs have Okabe and Ito's colours, which colour-blind people can distinguish.
 * They repeat after eight, so letters and borders are needed too. SVG names
 * them by class, so that a page may define its own ink and paper colours.
 */
#ifndef REPORT_PEN_H
#define REPORT_PEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum report_colour {
	REPORT_PAPER,
	REPORT_INK,
	REPORT_SOFT, /* coordinates, headings */
	REPORT_IDLE,
	REPORT_DOWN,
	REPORT_WHITE, /* on cells, whatever the paper */
	REPORT_BLACK,
	REPORT_JOB, /* followed by seven more */
	REPORT_COLOURS = REPORT_JOB + 8
};

struct report_tint {
	const char *class;
	uint32_t rgb;
	bool dark; /* text on it is white */
};
extern const struct report_tint report_tints[REPORT_COLOURS];

static inline enum report_colour report_colour_of(uint32_t job)
{
	return (enum report_colour)(REPORT_JOB +
				    job % (REPORT_COLOURS - REPORT_JOB));
}

/* Return the colour of a letter on a cell. */
static inline enum report_colour report_letter_on(enum report_colour fill)
{
	return fill == REPORT_PAPER    ? REPORT_INK :
	       report_tints[fill].dark ? REPORT_WHITE :
					 REPORT_BLACK;
}

/* Alignment of text; flags. */
enum {
	REPORT_MIDDLE = 1,
	REPORT_BOLD = 2,
	REPORT_MONO = 4
};

/* Width of a character at size 1: exact with REPORT_MONO, else an upper
 * estimate. */
#define REPORT_EM 0.602

struct report_box {
	double x, y, w, h;
};

struct report_pen {
	bool titles; /* it can show titles */
	/* `words` (NULL: none) shows under the pointer; `job` (UINT32_MAX:
	 * none) says whose it is. */
	void (*rect)(struct report_pen *pen, struct report_box box,
		     enum report_colour fill, uint32_t job, const char *words);
	void (*line)(struct report_pen *pen, double x1, double y1, double x2,
		     double y2, double width);
	void (*text)(struct report_pen *pen, double x, double y, double size,
		     unsigned flags, enum report_colour colour,
		     const char *text);
	void *to;
};

/* Write text inside SVG and HTML. */
void report_xml_put(FILE *out, const char *text);

/* SVG: begin, draw, end. origin may be NULL. */
struct report_origin;
void report_svg_begin(struct report_pen *pen, FILE *out, uint32_t width,
		      uint32_t height, const char *label,
		      const struct report_origin *origin);
void report_svg_end(FILE *out);

#endif
