/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links files (link_file.h). O(lines x log lines). */
#include "config/link_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request/quote.h"
#include "torus/alloc.h"

#define LINE_SIZE 512

/* A link and its line. */
struct link_file_entry {
	struct torus_link link;
	uint32_t line;
};

struct link_reader {
	const struct torus_machine *m;
	const char *name;
	struct torus_error *err;
	uint32_t line;
	bool wrong;
	struct link_file_entry *entry;
	uint32_t count, room;
};

/* A line without its comment, split into words. */
struct link_file_words {
	char text[LINE_SIZE];
	char *word[4];
	uint32_t words;
};

static const char spaces[] = " \t\r";

#define LINK_EXAMPLE_SIZE (TORUS_NAME_SIZE + 2 * TORUS_MAX_DIMS + 4)

/* Write a link of the first torus, "pod0:0,0,0 1". */
static const char *link_example(const struct torus_machine *m, char *text)
{
	const struct torus *t = &m->pod[0].torus;
	int used = snprintf(text, LINK_EXAMPLE_SIZE, "%s", t->name);

	for (uint32_t d = 0; d < t->dims; d++)
		used += snprintf(text + used, LINK_EXAMPLE_SIZE - (size_t)used,
				 "%c0", d ? ',' : ':');
	snprintf(text + used, LINK_EXAMPLE_SIZE - (size_t)used, " %d",
		 t->dims > 1);
	return text;
}

/* Read NAME:COORD. */
static int link_read_vertex(const struct torus_machine *m, char *text,
			    struct torus_link *link, uint32_t *at,
			    struct torus_error *err)
{
	char *colon = strchr(text, ':'), machine[TORUS_STRING_SIZE];
	char example[LINK_EXAMPLE_SIZE];
	const char *p;
	const struct torus *t;
	uint32_t d = 0;

	if (!colon)
		return torus_error_add(err,
				       "expected NAME:COORD DIM, for example %s",
				       link_example(m, example));
	*colon = '\0';
	link->pod = torus_machine_named(m, text);
	if (link->pod == UINT32_MAX || m->pod[link->pod].outside) {
		char names[256] = "";
		size_t used = 0;

		for (uint32_t j = 0; j < m->pods && used < sizeof(names); j++) {
			if (!m->pod[j].outside)
				used += (size_t)snprintf(names + used,
							 sizeof(names) - used,
							 "%s%s",
							 used ? ", " : "",
							 m->pod[j].torus.name);
		}
		return torus_error_add(err,
				       "\"%.63s\" is no torus of this machine (%s)",
				       text, names);
	}
	t = &m->pod[link->pod].torus;
	if (t->flat)
		return torus_error_add(err, "%s is flat: it has no links",
				       t->name);
	torus_format(t, machine, sizeof(machine));
	for (p = colon + 1; d < t->dims; d++) {
		if (!torus_text_number(&p, &at[d]) ||
		    at[d] >= torus_vertices(t, d) ||
		    *p != (d + 1 < t->dims ? ',' : '\0'))
			return torus_error_add(err,
					       "%s (%s) has no vertex %.60s",
					       t->name, machine, colon + 1);
		p++;
	}
	link->vertex = torus_vertex_index(t, at);
	return 0;
}

static int link_read_words(const struct torus_machine *m,
			   struct link_file_words *w, struct torus_link *link,
			   struct torus_error *err)
{
	uint32_t at[TORUS_MAX_DIMS] = { 0 };
	const struct torus *t;
	char machine[TORUS_STRING_SIZE];
	const char *end;
	uint32_t n;

	*link = (struct torus_link){ .health = TORUS_LINK_UP };
	if (link_read_vertex(m, w->word[0], link, at, err))
		return -1;
	t = &m->pod[link->pod].torus;
	end = w->word[1];
	torus_format(t, machine, sizeof(machine));
	if (!torus_text_number(&end, &n) || *end || n >= t->dims)
		return torus_error_add(err,
				       "got \"%.20s\": %s (%s) has the dimensions 0 to %u",
				       w->word[1], t->name, machine,
				       t->dims - 1);
	link->dim = (uint8_t)n;
	if (!torus_link_exists(t, at, link->dim)) {
		return torus_error_add(err,
				       "the vertex has no + neighbour along dimension %u of %s (%s), which %s",
				       link->dim, t->name, machine,
				       torus_vertices(t, link->dim) == 1 ?
					       "has one vertex" :
					       "does not wrap");
	}
	if (w->words < 3)
		return 0;
	if (strcmp(w->word[2], "down") == 0)
		link->health = TORUS_LINK_DOWN;
	else if (strcmp(w->word[2], "weak") == 0)
		link->health = TORUS_LINK_WEAK;
	else
		return torus_error_add(err,
				       "got \"%.20s\": expected down or weak",
				       w->word[2]);
	return 0;
}

/* Split a line, without its comment, into at most four words. */
static void link_split(const char *line, size_t length,
		       struct link_file_words *w)
{
	const char *comment = memchr(line, '#', length);
	char *rest = w->text;

	if (comment)
		length = (size_t)(comment - line);
	w->words = 4; /* too long: more words than any line has */
	if (length >= sizeof(w->text))
		return;
	memcpy(w->text, line, length);
	w->text[length] = '\0';
	for (size_t i = 0; i < length; i++) {
		if (w->text[i] == '\0')
			w->text[i] = '?';
	}
	w->words = 0;
	while (w->words < 4) {
		char *word = rest + strspn(rest, spaces);

		if (!*word)
			break;
		rest = word + strcspn(word, spaces);
		if (*rest)
			*rest++ = '\0';
		w->word[w->words++] = word;
	}
}

int torus_link_parse(const struct torus_machine *m, const char *text,
		     struct torus_link *link, struct torus_error *err)
{
	char example[LINK_EXAMPLE_SIZE];
	struct link_file_words w = { 0 };

	link_split(text, strlen(text), &w);
	if (w.words != 2)
		return torus_error_add(err,
				       "expected NAME:COORD DIM, for example %s",
				       link_example(m, example));
	return link_read_words(m, &w, link, err);
}

int torus_link_parse_change(const struct torus_machine *m, const char *text,
			    struct torus_link *link, struct torus_error *err)
{
	char example[LINK_EXAMPLE_SIZE];
	struct link_file_words w = { 0 };

	link_split(text, strlen(text), &w);
	if (w.words != 3)
		return torus_error_add(err,
				       "expected NAME:COORD DIM down|weak|up, for example %s down",
				       link_example(m, example));
	if (strcmp(w.word[2], "up") == 0)
		w.words = 2; /* a link without a state is up */
	return link_read_words(m, &w, link, err);
}

/* Check that every strategy of the link's torus avoids dead links. */
static int link_check_strategies(const struct torus_machine *m, uint32_t pod,
				 struct torus_error *err)
{
	const struct torus_pod *p = &m->pod[pod];

	for (uint32_t i = 0; i < p->strategies; i++) {
		if (torus_machine_links_able(p->strategy[i], &p->torus, err))
			return -1;
	}
	return 0;
}

/* Read a line. -1 with ENOMEM only. */
static int link_file_line(struct link_reader *r, const char *line, size_t length)
{
	char example[LINK_EXAMPLE_SIZE];
	struct torus_error why = { 0 };
	struct torus_link link;
	struct link_file_words w = { 0 };
	struct torus_quote q;

	while (length && strchr(spaces, line[length - 1]) && line[length - 1])
		length--;
	link_split(line, length, &w);
	if (w.words == 0)
		return 0;
	if (w.words != 3)
		torus_error_add(&why,
				"expected NAME:COORD DIM down|weak, for example %s down",
				link_example(r->m, example));
	else if (!link_read_words(r->m, &w, &link, &why) &&
		 !link_check_strategies(r->m, link.pod, &why)) {
		if (TORUS_GROW(r->entry, r->room, r->count + 1))
			return -1;
		r->entry[r->count++] = (struct link_file_entry){
			.link = link, .line = r->line
		};
		return 0;
	}
	r->wrong = true;
	torus_error_add(r->err, "%s:%u: got \"%s\": %s", r->name, r->line,
			torus_quote(&q, line, length), why.text);
	return 0;
}

static int link_file_compare(const void *a, const void *b)
{
	const struct link_file_entry *x = a, *y = b;
	int order = torus_link_compare(&x->link, &y->link);

	return order ? order : (x->line < y->line ? -1 : x->line > y->line);
}

static void link_report_duplicates(struct link_reader *r)
{
	char text[TORUS_LINK_SIZE];

	for (uint32_t i = 1; i < r->count; i++) {
		const struct link_file_entry *a = &r->entry[i - 1],
					     *b = &r->entry[i];

		if (torus_link_compare(&a->link, &b->link))
			continue;
		torus_link_format(&b->link, &r->m->pod[b->link.pod].torus, text,
				  sizeof(text));
		torus_error_add(r->err,
				"%s:%u: got \"%s\": line %u already has this link",
				r->name, b->line, text, a->line);
		r->wrong = true;
	}
}

/* Add the sorted entries to the list, which keeps its own. */
static int link_file_merge(const struct link_reader *r,
			   struct torus_link_list *list)
{
	struct torus_link_list sum = { 0 };

	if (torus_link_list_copy(&sum, list))
		return -1;
	for (uint32_t i = 0; i < r->count; i++) {
		if (torus_link_list_set(&sum, &r->entry[i].link)) {
			torus_link_list_free(&sum);
			return -1;
		}
	}
	torus_link_list_free(list);
	*list = sum;
	return 0;
}

int torus_link_file_parse(const struct torus_machine *m, const char *name,
			  const char *text, size_t length,
			  struct torus_link_list *list, struct torus_error *err)
{
	struct link_reader r = { .m = m, .name = name, .err = err };
	int rc = 0;

	while (length > 0 && rc == 0) {
		const char *end = memchr(text, '\n', length);
		size_t n = end ? (size_t)(end - text) : length;

		r.line++;
		rc = link_file_line(&r, text, n);
		n += end != NULL;
		text += n;
		length -= n;
	}
	if (r.count)
		qsort(r.entry, r.count, sizeof(*r.entry), link_file_compare);
	link_report_duplicates(&r);
	if (rc == 0 && !r.wrong)
		rc = link_file_merge(&r, list);
	if (rc)
		errno = ENOMEM;
	if (r.wrong) {
		errno = EINVAL;
		rc = -1;
	}
	torus_free(r.entry);
	return rc;
}

/* Return true if the line has this link. */
static bool link_line_is(const struct torus_machine *m, const char *line,
			 size_t length, const struct torus_link *link)
{
	struct torus_link other;
	struct link_file_words w = { 0 };

	link_split(line, length, &w);
	return w.words == 3 && !link_read_words(m, &w, &other, NULL) &&
	       torus_link_compare(&other, link) == 0;
}

/* Write the link's line with the end of the old one. */
static int link_edit_line(const struct torus_machine *m,
			  const struct torus_link *link, const char *comment,
			  size_t length, struct torus_text *out)
{
	char text[TORUS_LINK_SIZE];

	torus_link_format(link, &m->pod[link->pod].torus, text, sizeof(text));
	return torus_text_add(out, "%s %s%.*s\n", text,
			      torus_link_health_name(link->health), (int)length,
			      comment);
}

/* Return the text after the words: spaces and a comment, or the line's end. */
static const char *link_comment(const char *line, size_t length)
{
	const char *comment = memchr(line, '#', length);

	if (!comment)
		return line + length;
	while (comment > line && strchr(spaces, comment[-1]))
		comment--;
	return comment;
}

int torus_link_file_edit(const struct torus_machine *m, const char *text,
			 size_t length, const struct torus_link *link,
			 struct torus_text *out)
{
	bool done = link->health == TORUS_LINK_UP;
	int rc = torus_text_add(out, "%s", "");

	while (length > 0 && rc == 0) {
		const char *end = memchr(text, '\n', length);
		size_t n = end ? (size_t)(end - text) : length;

		if (!link_line_is(m, text, n, link)) {
			rc = torus_text_add(out, "%.*s\n", (int)n, text);
		} else if (link->health != TORUS_LINK_UP) {
			const char *comment = link_comment(text, n);

			rc = link_edit_line(m, link, comment,
					    (size_t)(text + n - comment), out);
			done = true;
		}
		n += end != NULL;
		text += n;
		length -= n;
	}
	return rc || done ? rc : link_edit_line(m, link, "", 0, out);
}
