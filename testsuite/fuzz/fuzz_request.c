/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the words of a request. Input: geometry, connection type, placement
 * and flags ("n": no-rotate), one per line. What is accepted must
 * read back from its canonical text; what is refused must say why.
 */
#include <string.h>

#include "fuzz.h"
#include "torus/request.h"

#define WORDS 4

static char *copy(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static void check_ask(const struct torus_ask *ask)
{
	uint32_t axes = ask->by_count ? 1 : ask->shape.axes;

	FUZZ_CHECK(torus_ask_nodes(ask) >= 1);
	FUZZ_CHECK(torus_ask_nodes(ask) <= TORUS_MAX_NODES);
	FUZZ_CHECK(axes >= 1 && axes <= TORUS_MAX_DIMS);
	for (uint32_t a = 0; a < axes; a++)
		FUZZ_CHECK(ask->connection[a] <= TORUS_CONN_MESH);
}

static void check_good(const struct torus_request *r)
{
	struct torus_request_words words = { .no_rotate = !r->rotate };
	char text[TORUS_GEOMETRY_SIZE], again[TORUS_GEOMETRY_SIZE];
	struct torus_error err = { 0 };
	struct torus_request second;
	int length = torus_request_format(r, text, sizeof(text));

	FUZZ_CHECK(r->alternatives >= 1);
	FUZZ_CHECK(r->alternatives <= TORUS_MAX_ALTERNATIVES);
	for (uint32_t i = 0; i < r->alternatives; i++)
		check_ask(&r->alternative[i].ask);
	FUZZ_CHECK(length > 0 && (size_t)length < sizeof(text));
	words.geometry = text;
	FUZZ_CHECK(torus_request_parse(&second, &words, &err) == 0);
	torus_request_format(&second, again, sizeof(again));
	FUZZ_CHECK(strcmp(text, again) == 0);
}

static void check_duration(const char *text)
{
	struct torus_error err = { 0 };
	char again[64];
	int64_t us, second;

	if (torus_duration_parse(text, &us, &err)) {
		FUZZ_CHECK(err.count == 1);
		return;
	}
	FUZZ_CHECK(us >= 0);
	torus_duration_format(us, again, sizeof(again));
	FUZZ_CHECK(torus_duration_parse(again, &second, &err) == 0);
	FUZZ_CHECK(second == us);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = copy(data, size), *word[WORDS] = { NULL }, *p = text;
	struct torus_request_words words = { 0 };
	struct torus_error err = { 0 };
	struct torus_request r;

	for (int i = 0; i < WORDS; i++)
		word[i] = p ? strsep(&p, "\n") : NULL;
	words.geometry = word[0];
	words.conn_type = word[1];
	words.placement = word[2];
	words.no_rotate = word[3] && strchr(word[3], 'n');
	if (torus_request_parse(&r, &words, &err)) {
		FUZZ_CHECK(err.count > 0 && err.used > 0);
		FUZZ_CHECK(torus_request_parse(&r, &words, NULL) == -1);
	} else {
		FUZZ_CHECK(err.count == 0);
		check_good(&r);
	}
	check_duration(word[0]);
	free(text);
	return 0;
}
