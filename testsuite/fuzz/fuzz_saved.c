/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the file around a saved state (format/stream.h): the text that is cut out
 * of it gives, between the same lines, the file again.
 */
#include <string.h>

#include "format/stream.h"
#include "fuzz.h"

static void check_text(const char *file, size_t size, const char *first)
{
	char *copy = malloc(size + 1), *again = malloc(size + 1), *text;

	FUZZ_CHECK(copy && again);
	memcpy(copy, file, size + 1);
	text = saved_file_text(copy, size, first);
	if (text) {
		FUZZ_CHECK(!*text || text[strlen(text) - 1] == '\n');
		FUZZ_CHECK(snprintf(again, size + 1, "%s\n%send\n", first,
				    text) == (int)size);
		FUZZ_CHECK(strcmp(again, file) == 0);
	}
	free(copy);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *file = malloc(size + 1);

	FUZZ_CHECK(file);
	memcpy(file, data, size);
	file[size] = '\0';
	check_text(file, size, SAVED_FILE_STATE);
	check_text(file, size, SAVED_FILE_PROMISES);
	free(file);
	return 0;
}
