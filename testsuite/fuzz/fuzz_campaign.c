/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes a campaign: the input is a whole file that names no other one. What is accepted
 * has a value on each axis and as many cells as their product; what is refused has a
 * reason.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "campaign/campaign.h"
#include "fuzz.h"

/* Return true if it may name a file, a program or a library. */
static bool names_files(const uint8_t *data, size_t size)
{
	return memchr(data, '/', size) || memmem(data, size, "pipe", 4) ||
	       memmem(data, size, ".so", 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct torus_error err = { .count = 0 };
	struct torus_campaign *c;
	char path[64], key[TORUS_CELL_KEY_SIZE], name[512];
	uint64_t cells = 1;
	int fd;

	if (names_files(data, size))
		return 0;
	fd = memfd_create("campaign", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	c = torus_campaign_read(path, &err);
	FUZZ_CHECK(!c == (err.count > 0));
	for (int a = 0; c && a < TORUS_AXES; a++) {
		FUZZ_CHECK(c->axis[a].n > 0);
		cells *= c->axis[a].n;
	}
	if (c) {
		struct torus_cell last = torus_campaign_cell(c, c->cells - 1);

		FUZZ_CHECK(cells == c->cells &&
			   cells <= TORUS_CAMPAIGN_MAX_CELLS);
		for (int a = 0; a < TORUS_AXES; a++)
			FUZZ_CHECK(last.at[a] + 1 == c->axis[a].n);
		torus_cell_key(c, &last, key);
		FUZZ_CHECK(strlen(key) + 1 == sizeof(key));
		torus_cell_name(c, &last, name, sizeof(name));
	}
	torus_campaign_destroy(c);
	close(fd);
	return 0;
}
