/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages (page.h). */
#include "config/file.h"
#include "storus/base/output.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_CHART (4u << 20)
#define ZONES "/usr/share/zoneinfo/"

char *storus_page_chart(const struct storus_command *command, const char *path,
			size_t *length)
{
	char *text = torus_file_read(path, MOST_CHART, length);

	if (!text)
		storus_say(command, 0,
			   "%s cannot be read: %s; install the package libjs-chart.js, or name a copy of Chart.js 3 with --chart",
			   path, strerror(errno));
	return text;
}

/* +02:00, up to 24:00: others are UTC to the C library, without a word. */
static bool zone_is_offset(const char *zone)
{
	return (*zone == '+' || *zone == '-') && strlen(zone) == 6 &&
	       isdigit((unsigned char)zone[1]) &&
	       isdigit((unsigned char)zone[2]) && zone[3] == ':' &&
	       zone[4] >= '0' && zone[4] <= '5' &&
	       isdigit((unsigned char)zone[5]) &&
	       strncmp(zone + 1, "24:00", 5) <= 0;
}

bool storus_page_zone(const struct storus_command *command, const char *zone)
{
	char path[PATH_MAX];

	if (!strcmp(zone, "UTC") || zone_is_offset(zone))
		return true;
	/* A file of the system's zones, e.g. Europe/Berlin. */
	if (isupper((unsigned char)*zone) && !strstr(zone, "..") &&
	    !zone[strspn(zone, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz0123456789_+-/")]) {
		snprintf(path, sizeof(path), ZONES "%s", zone);
		if (access(path, R_OK) == 0)
			return true;
	}
	storus_say(command, 0,
		   "--tz: got \"%s\", expected UTC, an offset as +02:00, or a name as Europe/Berlin that " ZONES
		   " has",
		   zone);
	return false;
}

int storus_page_put(const struct storus_command *command, const char *path,
		    storus_page_writer *writer,
		    const struct torus_report_page *page)
{
	struct storus_output out = { .stream = NULL };

	errno = 0;
	if (storus_output_open(&out, path) == 0 &&
	    writer(out.stream, page) == 0 && storus_output_commit(&out) == 0)
		return STORUS_DONE;
	storus_output_discard(&out);
	return storus_output_failed(command, path);
}

int storus_page_put_json(const struct storus_command *command, const char *path,
			 storus_page_writer *writer,
			 const struct torus_report_page *page,
			 const json_t *data)
{
	char *text = json_dumps(data, JSON_ENSURE_ASCII | JSON_COMPACT);
	struct torus_report_page with = *page;
	int status;

	if (!text)
		return storus_no_memory(command);
	with.data = text;
	with.length = strlen(text);
	status = storus_page_put(command, path, writer, &with);
	free(text);
	return status;
}
