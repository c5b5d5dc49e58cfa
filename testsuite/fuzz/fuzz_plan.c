/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the plan file of sched/torus. A refusal names a line; what is read is
 * written, reads back, and is written again to the letter.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/plan_file.h"
#include "fuzz.h"

static void give_job(void *arg, uint32_t i, struct plan_file_job *job)
{
	const struct plan_file_read *read = arg;

	*job = read->job[i];
}

/* Write it, and read that; the length of the file. */
static long write_and_read(struct plan_file_read *from,
			   struct plan_file_read *to, const char *path)
{
	const struct plan_file_source jobs = { give_job, from };
	struct torus_error err = { 0 };
	FILE *f;
	long length;

	if (!from->plan.discipline)
		from->plan.discipline = "easy";
	FUZZ_CHECK(plan_file_write(&from->plan, &jobs, path, true) == 0);
	f = fopen(path, "r");
	FUZZ_CHECK(f);
	FUZZ_CHECK(plan_file_read(to, f, "plan", &err) == 0);
	length = ftell(f);
	fclose(f);
	return length;
}

static void check_again(struct plan_file_read *read)
{
	static char path[] = "/tmp/torus-fuzz-plan.XXXXXX";
	static bool made;
	struct plan_file_read again, third;
	long length;

	if (!made) {
		int fd = mkstemp(path);

		FUZZ_CHECK(fd >= 0);
		close(fd);
		made = true;
	}
	length = write_and_read(read, &again, path);
	FUZZ_CHECK(again.plan.jobs == read->plan.jobs);
	FUZZ_CHECK(write_and_read(&again, &third, path) == length);
	plan_file_free(&again);
	plan_file_free(&third);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct torus_error err = { 0 };
	struct plan_file_read read;
	FILE *f = fmemopen((void *)(uintptr_t)data, size ? size : 1, "r");

	FUZZ_CHECK(f);
	if (plan_file_read(&read, f, "plan", &err))
		FUZZ_CHECK(errno == EINVAL && !strncmp(err.text, "plan:", 5));
	else
		check_again(&read);
	fclose(f);
	plan_file_free(&read);
	return 0;
}
