/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Provenance stored in pictures and pages (origin.h). */
#include "report/origin.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "config/file.h"
#include "format/stream.h"
#include "report/pen.h"
#include "torus/alloc.h"

#define PNG_START 33 /* signature and IHDR, which comes first */

/* Call put() for every line, a name and a value. */
static void origin_each_line(FILE *out, const struct report_origin *o,
			     void (*put)(FILE *out, const char *name,
					 size_t length, const char *value))
{
	put(out, "storus", 6, o->version);
	put(out, "command", 7, o->command);
	for (const char *const *line = o->more; *line; line++) {
		const char *colon = strstr(*line, ": ");

		if (colon)
			put(out, *line, (size_t)(colon - *line), colon + 2);
	}
}

static void origin_put_text(FILE *out, const char *name, size_t length,
			    const char *value)
{
	fprintf(out, "%.*s: %s\n", (int)length, name, value);
}

static void put_xml(FILE *out, const char *name, size_t length,
		    const char *value)
{
	fprintf(out, "%.*s: ", (int)length, name);
	report_xml_put(out, value);
	putc('\n', out);
}

static void put_meta(FILE *out, const char *name, size_t length,
		     const char *value)
{
	fprintf(out, "<meta name=\"%.*s\" content=\"", (int)length, name);
	report_xml_put(out, value);
	fputs("\">\n", out);
}

void report_origin_text(FILE *out, const struct report_origin *o)
{
	if (o)
		origin_each_line(out, o, origin_put_text);
}

void report_origin_svg(FILE *out, const struct report_origin *o)
{
	if (!o)
		return;
	fputs("<metadata>\n", out);
	origin_each_line(out, o, put_xml);
	fputs("</metadata>\n", out);
}

void report_origin_html(FILE *out, const struct report_origin *o)
{
	if (o)
		origin_each_line(out, o, put_meta);
}

static void put_number(FILE *out, uint32_t n)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		putc((int)(n >> shift & 255), out);
}

/* The chunk: its keyword, no compression, no language, the text. */
static int put_chunk(FILE *out, const struct report_origin *o)
{
	static const char start[] = "iTXtComment\0\0\0\0";
	size_t length;
	char *text;
	FILE *chunk = open_memstream(&text, &length);

	if (!chunk)
		return -1;
	fwrite(start, 1, sizeof(start), chunk);
	report_origin_text(chunk, o);
	if (fclose(chunk)) {
		free(text);
		return -1;
	}
	put_number(out, (uint32_t)length - 4);
	fwrite(text, 1, length, out);
	put_number(out, (uint32_t)crc32(0, (const Bytef *)text, (uInt)length));
	free(text);
	return 0;
}

int report_origin_png(FILE *out, const struct report_origin *o, const void *png,
		      size_t length)
{
	const char *bytes = png;

	if (length < PNG_START || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8)) {
		errno = EINVAL;
		return -1;
	}
	fwrite(bytes, 1, PNG_START, out);
	if (o && put_chunk(out, o))
		return -1;
	fwrite(bytes + PNG_START, 1, length - PNG_START, out);
	return stream_failed(out) ? -1 : 0;
}

/* Insert after the start tag. */
static int stamp_svg(FILE *out, const struct report_origin *o, const char *text,
		     size_t length)
{
	const char *tag = memmem(text, length, "<svg", 4);
	const char *end = tag ? memchr(tag, '>', length - (size_t)(tag - text)) :
				NULL;

	if (!end) {
		errno = EINVAL;
		return -1;
	}
	fwrite(text, 1, (size_t)(end - text) + 1, out);
	putc('\n', out);
	report_origin_svg(out, o);
	fwrite(end + 1, 1, length - (size_t)(end - text) - 1, out);
	return stream_failed(out) ? -1 : 0;
}

int report_origin_stamp(const char *path, const struct report_origin *o)
{
	const char *dot = strrchr(path, '.');
	size_t length;
	char *text = torus_file_read(path, SIZE_MAX, &length);
	FILE *out = text ? fopen(path, "we") : NULL;
	int rc = -1;

	if (out && dot && !strcmp(dot, ".png"))
		rc = report_origin_png(out, o, text, length);
	else if (out)
		rc = stamp_svg(out, o, text, length);
	if (out && stream_close(out))
		rc = -1;
	torus_free(text);
	return rc;
}
