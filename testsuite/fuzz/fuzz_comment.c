/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes what is read from comments of jobs: our word of an AdminComment, and a
 * new shape in a Comment. Anybody may write such a text. What is accepted is
 * written again, and reads back as the same.
 */
#include "format/admin_comment.h"
#include "fuzz_machine.h"

static void admin_comment(const struct torus_machine *m, const char *text)
{
	struct torus_text written = { 0 }, twice = { 0 };
	struct torus_regions regions, others;
	uint64_t nodes[FUZZ_WORDS], other_nodes[FUZZ_WORDS];
	const struct torus_placement_room room = { .nodes = nodes,
						   .regions = &regions },
					  other = { .nodes = other_nodes,
						    .regions = &others };
	struct torus_placement place, again;
	char *rest = strdup(text);

	admin_comment_remove(rest, ADMIN_COMMENT_PLACE);
	FUZZ_CHECK(!admin_comment_entry(rest, ADMIN_COMMENT_PLACE));
	free(rest);
	FUZZ_CHECK(m->words <= FUZZ_WORDS);
	if (admin_comment_read(text, m, &room, &place))
		return;
	FUZZ_CHECK(place.pod < m->pods && place.scattered == !!place.regions);
	FUZZ_CHECK(place.scattered ||
		   torus_region_check(&place.region, &m->pod[place.pod].torus,
				      NULL) == 0);
	FUZZ_CHECK(admin_comment_write(m, &place, &written) == 0);
	FUZZ_CHECK(admin_comment_read(written.data, m, &other, &again) == 0);
	FUZZ_CHECK(admin_comment_write(m, &again, &twice) == 0);
	FUZZ_CHECK(strcmp(written.data, twice.data) == 0);
	FUZZ_CHECK(again.pod == place.pod && again.strategy == place.strategy &&
		   again.axes == place.axes && again.granted == place.granted);
	torus_text_free(&written);
	torus_text_free(&twice);
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void job_update(char *text)
{
	struct torus_request_words words, again;
	struct torus_text written = { 0 };
	struct torus_error err = { 0 };

	if (!job_update_is(text))
		return;
	if (job_update_read(text, &words, &err)) {
		FUZZ_CHECK(err.count > 0);
		return;
	}
	if (job_update_write(&words, &written) == 0) {
		FUZZ_CHECK(job_update_is(written.data));
		FUZZ_CHECK(job_update_read(written.data, &again, &err) == 0);
		FUZZ_CHECK(same(words.geometry, again.geometry) &&
			   same(words.conn_type, again.conn_type) &&
			   same(words.placement, again.placement) &&
			   words.no_rotate == again.no_rotate);
	}
	torus_text_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct torus_config *config = fuzz_machine();
	char *text = fuzz_text(data, size);

	admin_comment(&config->machine, text);
	job_update(text);
	free(text);
	torus_config_destroy(config);
	return 0;
}
