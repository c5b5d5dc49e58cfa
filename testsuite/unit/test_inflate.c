/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip members, whole, in pieces and damaged, by each library. */
#include "files.h"

#include "trace/input/unpack.h"

#define TEXT 200000

static const struct torus_inflate *const libraries[] = {
	&torus_inflate_zlib,
#ifdef HAVE_ISAL
	&torus_inflate_isal,
#endif
};

static uint32_t next_random(uint32_t *x, uint32_t below)
{
	*x = *x * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)*x * below >> 32);
}

/* Lines of numbers, some random bytes, some repeated. */
static char *text_new(uint32_t *x)
{
	char *text = malloc(TEXT + 1);

	assert_non_null(text);
	for (size_t i = 0; i < TEXT; i++) {
		size_t back = 1 + next_random(x, 100);

		text[i] = i > 40000 && back <= i && next_random(x, 8) ?
				  text[i - back] :
				  (char)('0' + next_random(x, 70));
	}
	text[TEXT] = '\0';
	return text;
}

/* What was written, of which room is TEXT + 1 bytes, and how much was read. */
struct unpacked {
	char *text;
	size_t made, used;
};

/* Unpack n bytes in pieces. The answer is that of the last call. */
static enum torus_inflate_answer unpack(const struct torus_inflate *library,
					void *self, const unsigned char *data,
					size_t n, size_t piece,
					struct unpacked *got)
{
	enum torus_inflate_answer answer = TORUS_INFLATE_MORE;
	struct torus_inflate_part part = { .in = data, .out = got->text };
	const unsigned char *before_in;
	const char *before_out;

	library->begin(self);
	do {
		size_t left = n - (size_t)(part.in - data);
		size_t room = TEXT + 1 - (size_t)(part.out - got->text);

		before_in = part.in;
		before_out = part.out;
		part.in_left = left < piece ? left : piece;
		part.out_left = room < piece ? room : piece;
		answer = library->unpack(self, &part);
	} while (answer == TORUS_INFLATE_MORE &&
		 (part.in != before_in || part.out != before_out));
	got->made = (size_t)(part.out - got->text);
	got->used = (size_t)(part.in - data);
	return answer;
}

/* The text comes back whatever the size of the pieces, and nothing behind the
 * member is read. */
static void text_is_the_same_in_pieces_of_any_size(void **state)
{
	static const size_t piece[] = { 1, 7, 100, 4096, 65536, TEXT * 2 };
	unsigned char *data = malloc(2 * TEXT);
	struct unpacked got = { .text = malloc(TEXT + 1) };
	uint32_t x = 1;
	char *text = text_new(&x);
	size_t n;

	(void)state;
	assert_true(data && got.text);
	n = files_gzip(text, data, TEXT);
	memcpy(data + n, data, 1000);
	for (size_t l = 0; l < sizeof(libraries) / sizeof(*libraries); l++) {
		void *self = libraries[l]->create();

		assert_non_null(self);
		for (size_t i = 0; i < sizeof(piece) / sizeof(*piece); i++) {
			assert_int_equal(unpack(libraries[l], self, data,
						n + 1000, piece[i], &got),
					 TORUS_INFLATE_END);
			assert_int_equal(got.made, TEXT);
			assert_int_equal(got.used, n);
			assert_memory_equal(got.text, text, TEXT);
		}
		libraries[l]->destroy(self);
	}
	free(text);
	free(got.text);
	free(data);
}

/* One member of the text, with those of the header's parts. */
static size_t gzip_with(const char *text, unsigned parts, unsigned char *to,
			size_t room)
{
	unsigned char extra[] = "extra", name[] = "log.swf", comment[] = "why";
	gz_header header = { .extra = parts & 1 ? extra : NULL,
			     .extra_len = parts & 1 ? sizeof(extra) : 0,
			     .name = parts & 2 ? name : NULL,
			     .comment = parts & 4 ? comment : NULL,
			     .hcrc = parts >> 3 & 1 };
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)text,
		       .avail_in = (unsigned)strlen(text),
		       .next_out = to,
		       .avail_out = (unsigned)room };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
	assert_int_equal(deflateSetHeader(&z, &header), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

/* Leave other bytes on the stack than the library may expect. */
static void soil_stack(void)
{
	volatile unsigned char bytes[4096];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0xff;
}

/* A header with any of its parts may come in two pieces, cut anywhere. */
static void a_header_may_be_cut_anywhere(void **state)
{
	unsigned char data[512];
	char got[64];

	(void)state;
	for (size_t l = 0; l < sizeof(libraries) / sizeof(*libraries); l++) {
		void *self = libraries[l]->create();

		assert_non_null(self);
		for (unsigned parts = 0; parts < 16; parts++) {
			size_t n = gzip_with("one\ntwo\n", parts, data,
					     sizeof(data));

			for (size_t cut = 1; cut < n; cut++) {
				struct torus_inflate_part part = { .in = data,
								   .out = got };

				libraries[l]->begin(self);
				part.in_left = cut;
				part.out_left = sizeof(got);
				assert_int_equal(libraries[l]->unpack(self,
								      &part),
						 TORUS_INFLATE_MORE);
				assert_int_equal(part.in_left, 0);
				soil_stack();
				part.in_left = n - cut;
				assert_int_equal(libraries[l]->unpack(self,
								      &part),
						 TORUS_INFLATE_END);
				assert_int_equal(part.out - got, 8);
				assert_memory_equal(got, "one\ntwo\n", 8);
			}
		}
		libraries[l]->destroy(self);
	}
}

/* A member that is cut off anywhere is not at its end. One with a wrong bit is
 * damaged or cut off, unless the bit says nothing about the text: in the date, or
 * behind the last code. */
static void damaged_members_are_found(void **state)
{
	unsigned char *data = malloc(TEXT), *wrong = malloc(TEXT);
	struct unpacked got = { .text = malloc(TEXT + 1) };
	uint32_t x = 2;
	char *text = text_new(&x);
	size_t n;

	(void)state;
	assert_true(data && wrong && got.text);
	text[3000] = '\0';
	n = files_gzip(text, data, TEXT);
	for (size_t l = 0; l < sizeof(libraries) / sizeof(*libraries); l++) {
		void *self = libraries[l]->create();

		assert_non_null(self);
		for (size_t cut = 0; cut < n; cut++)
			assert_int_equal(unpack(libraries[l], self, data, cut,
						64, &got),
					 TORUS_INFLATE_MORE);
		for (size_t bit = 0; bit < 8 * n; bit++) {
			memcpy(wrong, data, n);
			wrong[bit / 8] ^= (unsigned char)(1 << bit % 8);
			if (unpack(libraries[l], self, wrong, n, 64, &got) ==
			    TORUS_INFLATE_END) {
				assert_int_equal(got.made, 3000);
				assert_memory_equal(got.text, text, 3000);
			}
		}
		libraries[l]->destroy(self);
	}
	free(text);
	free(got.text);
	free(wrong);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_the_same_in_pieces_of_any_size),
		cmocka_unit_test(a_header_may_be_cut_anywhere),
		/* expected failures */
		cmocka_unit_test(damaged_members_are_found),
	};

	return UNIT_RUN(tests);
}
