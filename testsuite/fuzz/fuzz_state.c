/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the text of a machine state, as it is saved and as it is at the head of
 * a journal. What is accepted is sound and is written as a text that reads back
 * as the same; what is refused has a reason, and leaves the state empty.
 */
#include "torus/state_text.h"
#include "fuzz_machine.h"

static void check_again(const struct torus_config *config, struct torus_state *s)
{
	struct torus_text text = { 0 }, again = { 0 };
	struct torus_state *second = torus_state_create(&config->machine);

	FUZZ_CHECK(second && torus_state_save(s, &text) == 0);
	FUZZ_CHECK(torus_state_restore(second, text.data, NULL) == 0);
	FUZZ_CHECK(torus_state_save(second, &again) == 0);
	FUZZ_CHECK(strcmp(text.data, again.data) == 0);
	again.length = 0;
	FUZZ_CHECK(torus_state_renew(s, &again) == 0);
	FUZZ_CHECK(strcmp(text.data, again.data) == 0);
	torus_text_free(&text);
	torus_text_free(&again);
	torus_state_destroy(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct torus_config *config = fuzz_machine();
	struct torus_state *s = torus_state_create(&config->machine);
	char *text = fuzz_text(data, size);
	struct torus_error err = { 0 };

	FUZZ_CHECK(s);
	if (torus_state_restore(s, text, &err) == 0) {
		FUZZ_CHECK(torus_state_check(s, &err));
		check_again(config, s);
	} else {
		FUZZ_CHECK(err.count > 0 && torus_state_holds(s) == 0);
	}
	free(text);
	torus_state_destroy(s);
	torus_config_destroy(config);
	return 0;
}
