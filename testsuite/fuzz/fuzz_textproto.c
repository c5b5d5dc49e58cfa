/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes protocol buffers in text form (storus import mgd): the input is a
 * whole file. Every field has a name and a line; what is refused has a reason.
 */
#include "fuzz.h"
#include "storus/vendor/textproto.h"

static void check_message(const struct textproto *m, uint32_t depth)
{
	const struct textproto *last = NULL;

	FUZZ_CHECK(depth <= TEXTPROTO_DEPTH + 1);
	for (const struct textproto *f = m->first; f; f = f->next) {
		FUZZ_CHECK(f->name[0] && f->line > 0);
		FUZZ_CHECK(!f->text || !f->first);
		FUZZ_CHECK(textproto_next(m, f->name, NULL));
		check_message(f, depth + 1);
		last = f;
	}
	FUZZ_CHECK(last == m->last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct torus_error err = { .count = 0 };
	const struct textproto *root =
		textproto_read(&arena, "input", (const char *)data, size, &err);

	FUZZ_CHECK(!root == (err.count > 0));
	if (root)
		check_message(root, 0);
	torus_arena_free(&arena);
	return 0;
}
