/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the importers of machine descriptions: the input is a whole file, of each of
 * them. What one writes is a torus.yaml that is accepted; what it refuses has a reason.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "storus/vendor/import.h"
#include "torus/config.h"

static void check_importer(const struct importer *importer, const char *path)
{
	const struct import_words words = { .operand = path };
	struct torus_error err = { .count = 0 };
	struct torus_config *config;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int status;

	FUZZ_CHECK(out);
	status = importer->run(&words, out, &err);
	FUZZ_CHECK(fclose(out) == 0);
	if (status == 0) {
		err = (struct torus_error){ .count = 0 };
		config = torus_config_parse("imported", text, length, &err);
		FUZZ_CHECK(config && err.count == 0);
		torus_config_destroy(config);
	} else {
		FUZZ_CHECK(err.count > 0);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("import", MFD_CLOEXEC);
	char path[64];

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_importer(&import_torus3d, path);
	check_importer(&import_mgd, path);
	close(fd);
	return 0;
}
