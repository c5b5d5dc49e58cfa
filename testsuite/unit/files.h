/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files for tests: written to a directory of their own, gone with it. */
#ifndef TESTSUITE_FILES_H
#define TESTSUITE_FILES_H

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "unit.h"

static char files_directory[64];

/* For cmocka's group set-up and tear-down. */
UNIT_HELPER int files_begin(void **state)
{
	(void)state;
	strcpy(files_directory, "/tmp/torus-unit.XXXXXX");
	return mkdtemp(files_directory) ? 0 : -1;
}

/* PATH of a file of the directory, in one of a few static buffers. */
UNIT_HELPER const char *files_path(const char *name)
{
	static char path[4][384];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", files_directory, name);
	return p;
}

UNIT_HELPER int files_end(void **state)
{
	DIR *dir = opendir(files_directory);
	struct dirent *entry;

	(void)state;
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlink(files_path(entry->d_name));
	if (dir)
		closedir(dir);
	return rmdir(files_directory);
}

/* How many files there are. */
UNIT_HELPER size_t files_count(void)
{
	DIR *dir = opendir(files_directory);
	struct dirent *entry;
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

UNIT_HELPER const char *files_write(const char *name, const void *data,
				    size_t size)
{
	const char *path = files_path(name);
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	return path;
}

UNIT_HELPER const char *files_text(const char *name, const char *text)
{
	return files_write(name, text, strlen(text));
}

/* All of a file, NUL-terminated; to be freed. */
UNIT_HELPER char *files_read(const char *path, size_t *size)
{
	char *data = malloc(1 << 20);
	FILE *f = fopen(path, "rb");
	size_t n;

	assert_non_null(data);
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	n = fread(data, 1, (1 << 20) - 1, f);
	fclose(f);
	data[n] = '\0';
	if (size)
		*size = n;
	return data;
}

/* One gzip member of the text; returns its bytes. */
UNIT_HELPER size_t files_gzip(const char *text, unsigned char *to, size_t room)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)text,
		       .avail_in = (unsigned)strlen(text),
		       .next_out = to,
		       .avail_out = (unsigned)room };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

#endif
