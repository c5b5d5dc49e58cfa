/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes a trace reader: the input is a whole file, plain or gzipped. What
 * comes out must be in order and within the documented bounds; every line is
 * accounted for; what is refused has a reason.
 */
#ifndef TESTSUITE_FUZZ_TRACE_H
#define TESTSUITE_FUZZ_TRACE_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/trace.h"

static void check_record(const struct torus_trace_record *r)
{
	FUZZ_CHECK(memchr(r->id, '\0', sizeof(r->id)) && r->id[0]);
	FUZZ_CHECK(r->submit_us >= 0 && r->run_us >= 0);
	FUZZ_CHECK(r->limit_us >= -1 && r->deadline_us >= 0);
	FUZZ_CHECK(r->submit_us / 1000000 <= TORUS_TRACE_MAX_SECONDS);
	FUZZ_CHECK(r->run_us / 1000000 <= TORUS_TRACE_MAX_SECONDS);
	FUZZ_CHECK(r->kind || r->requested || r->used);
	FUZZ_CHECK(r->requested <= TORUS_TRACE_MAX_PROCESSORS);
	FUZZ_CHECK(r->used <= TORUS_TRACE_MAX_PROCESSORS);
	if (r->shaped)
		FUZZ_CHECK(torus_ask_nodes(&r->request->alternative[0].ask) ==
			   r->requested);
}

static void check_trace(struct torus_trace *trace, bool strict)
{
	const struct torus_trace_counts *c = torus_trace_counts(trace);
	const struct torus_trace_record *r;
	struct torus_error err = { .count = 0 };
	enum torus_trace_answer answer;
	char hex[TORUS_TRACE_DIGEST_SIZE];
	int64_t before = 0;
	uint64_t jobs = 0;

	while ((answer = torus_trace_next(trace, &r, &err)) == TORUS_TRACE_JOB) {
		check_record(r);
		FUZZ_CHECK(r->submit_us >= before);
		before = r->submit_us;
		jobs += !r->kind;
	}
	if (answer == TORUS_TRACE_END)
		FUZZ_CHECK(jobs == c->jobs && !(strict && c->bad));
	else
		FUZZ_CHECK(err.count || (strict && c->bad));
	FUZZ_CHECK((torus_trace_bad(trace)->count > 0) == (c->bad > 0));
	FUZZ_CHECK(torus_trace_digest(trace, hex) == 0 && strlen(hex) == 64);
}

static int fuzz_trace(const char *format, const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[64];

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int strict = 0; strict < 2; strict++) {
		struct torus_trace_options options = { .format = format,
						       .strict = strict,
						       .digest = true };
		struct torus_error err = { .count = 0 };
		struct torus_trace *trace = torus_trace_open(path, &options,
							     &err);

		if (trace)
			check_trace(trace, strict);
		else
			FUZZ_CHECK(err.count > 0);
		torus_trace_close(trace);
	}
	close(fd);
	return 0;
}

#endif
