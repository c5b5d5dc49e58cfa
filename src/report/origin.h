/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Provenance of a picture or a page, stored invisibly in the file: the version
 * and command that made it, and further lines ("seed: 1").
 *
 *	.svg   an element <metadata>
 *	.png   a text chunk "Comment" (iTXt, UTF-8)
 *	.html  <meta name="storus" ...> and so on, a line each
 *	.txt   the last lines
 *
 * There is no date: the same command gives the same bytes.
 */
#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

#include <stddef.h>
#include <stdio.h>

struct report_origin {
	const char *version; /* of storus */
	const char *command;
	/* "name: value" each; NULL ends them */
	const char *more[4];
};

/* Write it; NULL: nothing. In .svg and .html this follows the start tag of svg
 * and of head. */
void report_origin_text(FILE *out, const struct report_origin *o);
void report_origin_svg(FILE *out, const struct report_origin *o);
void report_origin_html(FILE *out, const struct report_origin *o);

/* Write a complete PNG with the chunk. Return 0, or -1 with errno (EINVAL: no
 * PNG). */
int report_origin_png(FILE *out, const struct report_origin *o, const void *png,
		      size_t length);

/* Insert it into an .svg or .png written by another program. Return 0, or -1
 * with errno (EINVAL: another format). */
int report_origin_stamp(const char *path, const struct report_origin *o);

#endif
