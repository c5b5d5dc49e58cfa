/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access to the words of a request by their rows (torus/request_words.h). */
#include "torus/request_words.h"

#include <string.h>

const char **torus_request_words_text(struct torus_request_words *words,
				      enum torus_word w)
{
	char *at = (char *)words + torus_request_word[w].at;

	return torus_word_is_flag(w) ? NULL : (const char **)(void *)at;
}

static bool *words_flag(struct torus_request_words *words, enum torus_word w)
{
	return (bool *)((char *)words + torus_request_word[w].at);
}

const char *torus_request_words_get(const struct torus_request_words *words,
				    enum torus_word w)
{
	struct torus_request_words copy = *words;
	const char **text = torus_request_words_text(&copy, w);

	if (!text)
		return *words_flag(&copy, w) ? "yes" : NULL;
	return *text && **text ? *text : NULL;
}

void torus_request_words_set(struct torus_request_words *words,
			     enum torus_word w, const char *value)
{
	const char **text = torus_request_words_text(words, w);

	if (text)
		*text = value;
	else
		*words_flag(words, w) = value != NULL;
}

int torus_request_words_write(const struct torus_request_words *words,
			      struct torus_text *text)
{
	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		const struct torus_request_word *word = &torus_request_word[w];
		const char *value = torus_request_words_get(words, w);
		bool flag = torus_word_is_flag(w);

		if (word->kind != TORUS_KIND_SHAPE && value &&
		    torus_text_add(text, ";%s%s%s", word->name, flag ? "" : "=",
				   flag ? "" : value))
			return -1;
	}
	return 0;
}

bool torus_request_words_read(struct torus_request_words *words, char *item)
{
	size_t length = strcspn(item, "=");

	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		const char *name = torus_request_word[w].name;
		bool flag = torus_word_is_flag(w);

		if (strncmp(item, name, length) != 0 || name[length])
			continue;
		if (flag ? item[length] : !item[length] || !item[length + 1])
			return false;
		if (torus_request_words_get(words, w))
			return false;
		torus_request_words_set(words, w,
					flag ? item : item + length + 1);
		return true;
	}
	return false;
}

void torus_request_words_read_ask(struct torus_request_words *words, char *ask)
{
	char *item;

	words->geometry = strsep(&ask, ";");
	while ((item = strsep(&ask, ";")))
		torus_request_words_read(words, item);
}
