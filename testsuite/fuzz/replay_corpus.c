/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz harness over files: those named as arguments, or all of
 * testsuite/fuzz/corpus/CORPUS (a macro of the build). Prints TAP, one test
 * per file; a finding ends the program (sanitizer, FUZZ_CHECK).
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "fuzz.h"

static int count;

static int bail_out(const char *path)
{
	printf("Bail out! %s: %s\n", path, strerror(errno));
	return -1;
}

/* The file in a block of just its size, so that ASan sees reads past it. */
static uint8_t *slurp(FILE *f, size_t *size)
{
	uint8_t *data;
	long end;

	if (fseek(f, 0, SEEK_END) || (end = ftell(f)) < 0)
		return NULL;
	rewind(f);
	*size = (size_t)end;
	data = malloc(*size ? *size : 1);
	if (data && fread(data, 1, *size, f) != *size) {
		free(data);
		return NULL;
	}
	return data;
}

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size;

	if (f)
		data = slurp(f, &size);
	if (!data)
		return bail_out(path);
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	printf("ok %d - %s\n", ++count, path);
	fflush(stdout);
	return 0;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay_directory(const char *directory)
{
	struct dirent **list;
	int n = scandir(directory, &list, visible, alphasort), rc = 0;

	if (n < 0)
		return bail_out(directory);
	for (int i = 0; i < n; i++) {
		char *path = NULL;

		if (rc == 0 &&
		    asprintf(&path, "%s/%s", directory, list[i]->d_name) < 0)
			rc = -1;
		if (rc == 0)
			rc = replay(path);
		free(path);
		free(list[i]);
	}
	free(list);
	return rc;
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	int rc = 0;

	snprintf(path, sizeof(path), "%s/testsuite/fuzz/corpus/" CORPUS,
		 top ? top : ".");
	if (argc < 2)
		rc = replay_directory(path);
	for (int i = 1; i < argc && rc == 0; i++)
		rc = replay(argv[i]);
	printf("1..%d\n", count);
	return rc || count == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
