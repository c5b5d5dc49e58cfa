/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes links files. What is accepted is a list whose links exist, each once and
 * in order; setting a link in the text and reading it again gives the list with
 * that link set, and setting it up again takes it out. What is refused has a
 * reason and leaves the list alone.
 */
#include "config/link_file.h"
#include "fuzz_machine.h"

static struct torus_config *links_machine(void)
{
	static const char yaml[] =
		"toruses:\n"
		"  - {name: a, dims: [4, 2, 1], links: none}\n"
		"  - {name: b, dims: [6, 4], wrap: TM, unit: [2, 1], links: none}\n"
		"  - {name: c, flat: 5}\n"
		"  - {name: d, dims: [3], strategy: submesh-tbl}\n";
	struct torus_config *config = torus_config_parse("fuzz", yaml,
							 strlen(yaml), NULL);

	FUZZ_CHECK(config);
	return config;
}

static void check_list(const struct torus_machine *m,
		       const struct torus_link_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct torus_link *l = &list->link[i];
		uint32_t at[TORUS_MAX_DIMS];

		FUZZ_CHECK(l->pod < 2 && l->health != TORUS_LINK_UP);
		torus_vertex_coord(&m->pod[l->pod].torus, l->vertex, at);
		FUZZ_CHECK(torus_link_exists(&m->pod[l->pod].torus, at, l->dim));
		FUZZ_CHECK(i == 0 || torus_link_compare(l - 1, l) < 0);
		FUZZ_CHECK(torus_link_find(list, l) == l);
	}
}

/* Set the link in the text, and in the list; they must agree. */
static void check_edit(const struct torus_machine *m, struct torus_text *text,
		       struct torus_link_list *list, struct torus_link link)
{
	struct torus_link_list again = { 0 };
	struct torus_text edited = { 0 };

	FUZZ_CHECK(torus_link_file_edit(m, text->data, text->length, &link,
					&edited) == 0);
	FUZZ_CHECK(torus_link_list_set(list, &link) == 0);
	FUZZ_CHECK(torus_link_file_parse(m, "edited", edited.data,
					 edited.length, &again, NULL) == 0);
	FUZZ_CHECK(torus_link_list_equal(list, &again));
	torus_link_list_free(&again);
	torus_text_free(text);
	*text = edited;
}

static void check_edits(const struct torus_machine *m, const uint8_t *data,
			size_t size, struct torus_link_list *list)
{
	struct torus_link link = { .pod = 1, .vertex = 7, .dim = 1 };
	struct torus_text text = { 0 };

	for (size_t i = 0; i < size; i++) {
		if (data[i] == '\0')
			return; /* the text form stops there */
	}
	FUZZ_CHECK(torus_text_add(&text, "%.*s", (int)size, data) == 0);
	for (size_t i = 0; i < 3; i++) {
		static const uint8_t health[] = { TORUS_LINK_DOWN,
						  TORUS_LINK_WEAK,
						  TORUS_LINK_UP };

		link.health = health[i];
		check_edit(m, &text, list, link);
	}
	if (list->count) {
		link = list->link[list->count / 2];
		link.health = TORUS_LINK_UP;
		check_edit(m, &text, list, link);
	}
	torus_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct torus_config *config = links_machine();
	struct torus_link_list list = { 0 };
	struct torus_error err = { 0 };

	if (torus_link_file_parse(&config->machine, "links", (const char *)data,
				  size, &list, &err)) {
		FUZZ_CHECK(err.count > 0 && list.count == 0);
	} else {
		FUZZ_CHECK(err.count == 0);
		check_list(&config->machine, &list);
		check_edits(&config->machine, data, size, &list);
	}
	torus_link_list_free(&list);
	torus_config_destroy(config);
	return 0;
}
