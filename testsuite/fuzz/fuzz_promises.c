/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the saved promises of queued jobs. Three jobs wait behind one on all
 * nodes of a torus and flat nodes. Whatever is read, the cycle stays sound, a
 * refusal says why, and what is promised then reads back as the same.
 */
#include <string.h>

#include "fuzz.h"
#include "live/mirror/mirror.h"
#include "live/cycle.h"
#include "live/promises/promises.h"
#include "live/orders.h"
#include "live/mirror/waiting.h"
#include "torus/config.h"

#define SECOND INT64_C(1000000)
#define JOBS 3

static const char yaml[] = "toruses:\n"
			   "  - {name: a, dims: [4, 2], nodes: 'n[0-7]'}\n"
			   "  - {name: b, dims: [2, 2], nodes: 'm[0-3]'}\n"
			   "scheduler: {discipline: conservative}\n";

static void add_jobs(struct cycle *c)
{
	static const char *const geometry[JOBS] = { "2x2", "4,2x1", "3" };

	for (uint32_t i = 0; i < JOBS; i++) {
		struct torus_request_words words = { .geometry = geometry[i] };
		struct torus_request request;
		struct cycle_pending_job job = {
			.name = { .job = i + 2, .part = i == 1 },
			.key = 10 + i,
			.eligible_us = SECOND,
			.limit_us = (i + 1) * 60 * SECOND,
			.deadline_us = TORUS_NO_TIME,
		};

		FUZZ_CHECK(torus_request_parse(&request, &words, NULL) == 0);
		job.request = torus_job_request_of(&request);
		FUZZ_CHECK(waiting_add(c, &job) == 0);
	}
}

/* A cycle that has seen its first snapshot and nothing else. */
static struct cycle *begin(const struct torus_config *config)
{
	struct cycle *c = cycle_create(&config->machine, &config->scheduler, 4,
				       NULL);
	uint64_t all[2] = { 0xff, 0xf };

	FUZZ_CHECK(c && config->machine.words == 2);
	cycle_begin(c, 10 * SECOND);
	untracked_add(c, all, 100 * SECOND);
	add_jobs(c);
	FUZZ_CHECK(cycle_update(c) == 0);
	return c;
}

static void check_again(const struct torus_config *config, struct cycle *c)
{
	struct torus_text text = { 0 }, again = { 0 };
	struct cycle *second = begin(config);

	FUZZ_CHECK(saved_promises_save(c, &text) == 0);
	FUZZ_CHECK(saved_promises_restore(second, text.data, NULL) == 0);
	FUZZ_CHECK(saved_promises_save(second, &again) == 0);
	FUZZ_CHECK(strcmp(text.data, again.data) == 0);
	torus_text_free(&text);
	torus_text_free(&again);
	cycle_destroy(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct torus_config *config =
		torus_config_parse("torus.yaml", yaml, sizeof(yaml) - 1, NULL);
	struct torus_error err = { 0 };
	char *text = malloc(size + 1);
	struct cycle *c;

	FUZZ_CHECK(config && text);
	memcpy(text, data, size);
	text[size] = '\0';
	c = begin(config);
	if (saved_promises_restore(c, text, &err))
		FUZZ_CHECK(err.count > 0); /* (each key that is there twice) */
	else
		FUZZ_CHECK(err.count == 0);
	FUZZ_CHECK(cycle_check(c, &err));
	check_again(config, c);
	orders_plan(c, 11 * SECOND);
	FUZZ_CHECK(cycle_check(c, &err));
	cycle_destroy(c);
	torus_config_destroy(config);
	free(text);
	return 0;
}
