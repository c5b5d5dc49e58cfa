/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes slurm.conf, as check-config and the discipline slurm-backfill read it: the
 * input is a whole file without Include. What is accepted is whole: names are sorted and
 * found; what is refused has a reason.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "replay/slurm_conf.h"
#include "replay/slurm_site.h"

static const char machine[] =
	"toruses:\n- {name: t, dims: [4, 4], nodes: 'n[01-16]'}\n";

static bool includes(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + 7 <= size; i++) {
		if (strncasecmp((const char *)data + i, "include", 7) == 0)
			return true;
	}
	return false;
}

static void check_names(const char *path)
{
	struct torus_slurm_conf conf = { 0 };
	struct torus_error err = { .count = 0 };
	int rc = torus_slurm_conf_read(&conf, path, &err);

	FUZZ_CHECK((rc != 0) == (err.count > 0));
	for (size_t i = 0; rc == 0 && i < conf.names; i++) {
		FUZZ_CHECK(i == 0 ||
			   strcmp(conf.name[i - 1], conf.name[i]) <= 0);
		FUZZ_CHECK(torus_slurm_conf_has(&conf, conf.name[i]));
	}
	torus_slurm_conf_free(&conf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct torus_slurm_site site = { .not_modelled = { 0 } };
	struct torus_error err = { .count = 0 };
	struct torus_config *config;
	char path[64];
	int fd;

	if (includes(data, size))
		return 0;
	fd = memfd_create("slurm.conf", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_names(path);
	config = torus_config_parse("torus.yaml", machine, strlen(machine),
				    &err);
	FUZZ_CHECK(config != NULL);
	for (int by_cpus = 0; by_cpus < 2; by_cpus++) {
		int rc = torus_slurm_site_read(&site, path, NULL, config,
					       by_cpus, &err);

		FUZZ_CHECK((rc != 0) == (err.count > 0));
		torus_slurm_site_free(&site);
		site = (struct torus_slurm_site){ .not_modelled = { 0 } };
		err = (struct torus_error){ .count = 0 };
	}
	torus_config_destroy(config);
	close(fd);
	return 0;
}
