/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pen (pen.h) that paints on a cairo surface, and the .png of a map.
 *
 * cairo is loaded when a picture is made: with its 20 libraries it would cost
 * the start of each command 2 ms and 140 page faults.
 */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <cairo.h>

#include "report/map_picture.h"

#define CAIRO_FUNCTIONS(F)                                                     \
	F(create)                                                              \
	F(destroy)                                                             \
	F(fill)                                                                \
	F(image_surface_create)                                                \
	F(line_to)                                                             \
	F(move_to)                                                             \
	F(rectangle)                                                           \
	F(scale)                                                               \
	F(select_font_face)                                                    \
	F(set_font_size)                                                       \
	F(set_line_cap)                                                        \
	F(set_line_width)                                                      \
	F(set_source_rgb)                                                      \
	F(show_text)                                                           \
	F(status)                                                              \
	F(stroke)                                                              \
	F(surface_destroy)                                                     \
	F(surface_write_to_png_stream)                                         \
	F(text_extents)

#define CAIRO_MEMBER(name) __typeof__(cairo_##name) *name;
struct cairo_functions {
	CAIRO_FUNCTIONS(CAIRO_MEMBER)
};

/* A surface to paint on. */
struct cairo_canvas {
	struct cairo_functions cairo;
	cairo_t *cr;
};

/* Load the library, which stays loaded. -1 with ELIBACC: it is not installed. */
static int cairo_load(struct cairo_functions *cairo)
{
	void *library = dlopen("libcairo.so.2", RTLD_LAZY | RTLD_NODELETE);
	bool complete = library != NULL;

#define CAIRO_FIND(name)                                                       \
	if (complete)                                                          \
		*(void **)&cairo->name = dlsym(library, "cairo_" #name);       \
	complete = complete && cairo->name;
	CAIRO_FUNCTIONS(CAIRO_FIND)
#undef CAIRO_FIND
	if (library)
		dlclose(library);
	if (complete)
		return 0;
	errno = ELIBACC;
	return -1;
}

static void pen_cairo_set_colour(const struct cairo_canvas *c,
				 enum report_colour colour)
{
	uint32_t rgb = report_tints[colour].rgb;

	c->cairo.set_source_rgb(c->cr, (rgb >> 16) / 255.0,
				(rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

static void cairo_rect(struct report_pen *pen, struct report_box box,
		       enum report_colour fill, uint32_t job, const char *words)
{
	const struct cairo_canvas *c = pen->to;

	(void)job;
	(void)words;
	pen_cairo_set_colour(c, fill);
	c->cairo.rectangle(c->cr, box.x, box.y, box.w, box.h);
	c->cairo.fill(c->cr);
}

static void cairo_line(struct report_pen *pen, double x1, double y1, double x2,
		       double y2, double width)
{
	const struct cairo_canvas *c = pen->to;

	pen_cairo_set_colour(c, REPORT_INK);
	c->cairo.set_line_width(c->cr, width);
	c->cairo.set_line_cap(c->cr, CAIRO_LINE_CAP_SQUARE);
	c->cairo.move_to(c->cr, x1, y1);
	c->cairo.line_to(c->cr, x2, y2);
	c->cairo.stroke(c->cr);
}

static void cairo_text(struct report_pen *pen, double x, double y, double size,
		       unsigned flags, enum report_colour colour,
		       const char *text)
{
	const struct cairo_canvas *c = pen->to;
	cairo_text_extents_t e = { 0 };

	c->cairo.select_font_face(c->cr,
				  flags & REPORT_MONO ? "DejaVu Sans Mono" :
							"DejaVu Sans",
				  CAIRO_FONT_SLANT_NORMAL,
				  flags & REPORT_BOLD ?
					  CAIRO_FONT_WEIGHT_BOLD :
					  CAIRO_FONT_WEIGHT_NORMAL);
	c->cairo.set_font_size(c->cr, size);
	if (flags & REPORT_MIDDLE)
		c->cairo.text_extents(c->cr, text, &e);
	pen_cairo_set_colour(c, colour);
	c->cairo.move_to(c->cr, x - e.x_advance / 2, y);
	c->cairo.show_text(c->cr, text);
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
	struct cairo_canvas c;
	cairo_surface_t *surface;
	cairo_status_t status;

	if (cairo_load(&c.cairo) ||
	    report_picture_init(&picture, map, style, true))
		return -1;
	surface = c.cairo.image_surface_create(CAIRO_FORMAT_RGB24,
					       (int)picture.width * SCALE,
					       (int)picture.height * SCALE);
	c.cr = c.cairo.create(surface);
	c.cairo.scale(c.cr, SCALE, SCALE);
	pen.to = &c;
	report_picture_draw(&picture, &pen);
	status = c.cairo.status(c.cr);
	c.cairo.destroy(c.cr);
	if (status == CAIRO_STATUS_SUCCESS)
		status = c.cairo.surface_write_to_png_stream(surface, put_bytes,
							     out);
	c.cairo.surface_destroy(surface);
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
