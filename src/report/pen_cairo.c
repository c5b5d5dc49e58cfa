/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pen (pen.h) that paints on a cairo surface, and the .png of a map. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <cairo.h>

#include "report/map_picture.h"

static void pen_cairo_set_colour(cairo_t *cr, enum report_colour colour)
{
	uint32_t rgb = report_tints[colour].rgb;

	cairo_set_source_rgb(cr, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0,
			     (rgb & 255) / 255.0);
}

static void cairo_rect(struct report_pen *pen, struct report_box box,
		       enum report_colour fill, uint32_t job, const char *words)
{
	(void)job;
	(void)words;
	pen_cairo_set_colour(pen->to, fill);
	cairo_rectangle(pen->to, box.x, box.y, box.w, box.h);
	cairo_fill(pen->to);
}

static void cairo_line(struct report_pen *pen, double x1, double y1, double x2,
		       double y2, double width)
{
	pen_cairo_set_colour(pen->to, REPORT_INK);
	cairo_set_line_width(pen->to, width);
	cairo_set_line_cap(pen->to, CAIRO_LINE_CAP_SQUARE);
	cairo_move_to(pen->to, x1, y1);
	cairo_line_to(pen->to, x2, y2);
	cairo_stroke(pen->to);
}

static void cairo_text(struct report_pen *pen, double x, double y, double size,
		       unsigned flags, enum report_colour colour,
		       const char *text)
{
	cairo_text_extents_t e = { 0 };

	cairo_select_font_face(pen->to,
			       flags & REPORT_MONO ? "DejaVu Sans Mono" :
						     "DejaVu Sans",
			       CAIRO_FONT_SLANT_NORMAL,
			       flags & REPORT_BOLD ? CAIRO_FONT_WEIGHT_BOLD :
						     CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(pen->to, size);
	if (flags & REPORT_MIDDLE)
		cairo_text_extents(pen->to, text, &e);
	pen_cairo_set_colour(pen->to, colour);
	cairo_move_to(pen->to, x - e.x_advance / 2, y);
	cairo_show_text(pen->to, text);
}

static cairo_status_t put_bytes(void *out, const unsigned char *data,
				unsigned int length)
{
	return fwrite(data, 1, length, out) == length ?
		       CAIRO_STATUS_SUCCESS :
		       CAIRO_STATUS_WRITE_ERROR;
}

/* Twice the size: sharp on high-resolution screens and in print. */
#define SCALE 2

/* Make the picture as a PNG without an origin. */
static int pen_cairo_fill(const struct report_map *map,
			  const struct report_map_style *style, FILE *out)
{
	struct report_picture picture;
	struct report_pen pen = { .rect = cairo_rect,
				  .line = cairo_line,
				  .text = cairo_text };
	cairo_surface_t *surface;
	cairo_status_t status;
	cairo_t *cr;

	if (report_picture_init(&picture, map, style, true))
		return -1;
	surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
					     (int)picture.width * SCALE,
					     (int)picture.height * SCALE);
	cr = cairo_create(surface);
	cairo_scale(cr, SCALE, SCALE);
	pen.to = cr;
	report_picture_draw(&picture, &pen);
	status = cairo_status(cr);
	cairo_destroy(cr);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_write_to_png_stream(surface, put_bytes,
							   out);
	cairo_surface_destroy(surface);
	report_picture_free(&picture);
	if (status == CAIRO_STATUS_SUCCESS)
		return 0;
	errno = status == CAIRO_STATUS_NO_MEMORY ? ENOMEM : EIO;
	return -1;
}

static int pen_cairo_draw(const struct report_map *map,
			  const struct report_map_style *style, FILE *out)
{
	char *png = NULL;
	size_t length;
	FILE *to = open_memstream(&png, &length);
	int rc, saved;

	if (!to)
		return -1;
	rc = pen_cairo_fill(map, style, to);
	saved = errno;
	if (fclose(to))
		rc = -1;
	if (!rc)
		rc = report_origin_png(out, map->origin, png, length);
	else
		errno = saved;
	free(png);
	return rc;
}

const struct report_drawer report_drawer_png = {
	.ending = ".png",
	.summary = "a picture",
	.draw = pen_cairo_draw,
};
