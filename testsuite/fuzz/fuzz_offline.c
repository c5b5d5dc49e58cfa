/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the job lists of `storus plan`: the input is a whole file. What is
 * accepted is within its documented bounds; what is refused has a reason.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "papers/offline/jobs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("jobs", MFD_CLOEXEC);
	struct torus_error err = { .count = 0 };
	struct torus_offline_jobs *jobs;
	char path[64];

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	jobs = torus_offline_jobs_read(path, 64, &err);
	FUZZ_CHECK(!jobs == (err.count > 0));
	for (uint32_t i = 0; jobs && i < jobs->n; i++) {
		FUZZ_CHECK(jobs->job[i].d >= 1 && jobs->job[i].d <= 64);
		FUZZ_CHECK(jobs->job[i].t >= 1);
		FUZZ_CHECK(jobs->job[i].t <= TORUS_OFFLINE_TIME_MAX);
	}
	if (jobs)
		FUZZ_CHECK(jobs->n > 0 && jobs->unit > 0 &&
			   strlen(jobs->digest) == 64);
	torus_offline_jobs_destroy(jobs);
	close(fd);
	return 0;
}
