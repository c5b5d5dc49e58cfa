/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the journal: the input is a file, its lines are cut into parts, and each
 * part is replayed with all invariants checked, as `storus parity` does, on a
 * machine of several toruses and on one whose links may fail. What is refused has a
 * reason.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_machine.h"
#include "replay/replay.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "trace/joined.h"

#define RECORDS 200

static void replay(const struct torus_config *config,
		   const struct torus_trace_record *record, size_t records,
		   int64_t until_us)
{
	static const struct torus_replay_hooks hooks;
	struct torus_scheduler_settings settings = config->scheduler;
	struct torus_trace *trace = torus_trace_open_list(record, records);
	struct torus_metrics *metrics = torus_metrics_create();
	struct torus_replay_options how;
	struct torus_error err = { 0 };
	enum torus_replay_answer answer;

	FUZZ_CHECK(trace && metrics);
	torus_replay_options_init(&how);
	how.overrun = TORUS_OVERRUN_EXTEND;
	how.until_us = until_us;
	settings.discipline = torus_discipline_find("conservative");
	answer = torus_replay_run(trace, &config->machine, &settings, &how,
				  &hooks, metrics, &err);
	FUZZ_CHECK(answer == TORUS_REPLAY_DONE || err.count > 0);
	torus_metrics_destroy(metrics);
	torus_trace_close(trace);
}

static size_t read_all(struct torus_trace *trace,
		       struct torus_trace_record *record)
{
	const struct torus_trace_record *r;
	struct torus_error err = { 0 };
	size_t n = 0;

	while (n < RECORDS &&
	       torus_trace_next(trace, &r, &err) == TORUS_TRACE_JOB)
		FUZZ_CHECK(torus_trace_record_copy(&record[n++], r) == 0);
	return n;
}

static void check_file(const struct torus_config *config,
		       struct torus_trace *trace)
{
	static struct torus_trace_record record[RECORDS];
	struct torus_trace_parts parts;
	size_t n = read_all(trace, record);

	FUZZ_CHECK(torus_trace_cut(record, n, &parts) == 0);
	for (uint32_t k = 0; k < parts.count; k++) {
		const struct torus_trace_part *part = &parts.part[k];

		FUZZ_CHECK(part->from <= part->to && part->to <= n);
		replay(config, record + part->from, part->to - part->from,
		       part->until_us);
	}
	torus_free(parts.part);
	for (size_t i = 0; i < n; i++)
		torus_trace_record_free(&record[i]);
}

static void check_journal(struct torus_config *config, const char *path)
{
	const struct torus_trace_options options = { .format = "csv",
						     .unsorted = true,
						     .open = true };
	struct torus_error err = { 0 };
	struct torus_trace *trace = torus_trace_open(path, &options, &err);

	FUZZ_CHECK(config);
	torus_config_allow_links(config);
	if (trace)
		check_file(config, trace);
	else
		FUZZ_CHECK(err.count > 0);
	torus_trace_close(trace);
	torus_config_destroy(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("journal", MFD_CLOEXEC);
	char path[64];

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_journal(fuzz_machine(), path);
	check_journal(torus_config_string("4x4", NULL), path);
	close(fd);
	return 0;
}
