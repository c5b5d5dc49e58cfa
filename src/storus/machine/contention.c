/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared links in `storus place` (question.h): the factor by which the new job is
 * slowed while all jobs run, and each job that it slows, before and after. The model
 * is that of Gupta and Srimani (1997).
 */
#include "torus/placement.h"
#include "storus/machine/question.h"

#include <stdio.h>

#include "torus/number.h"
#include "torus/contention.h"

/* A job that the new one slows. */
struct contention_dilation {
	double before, after; /* factors */
};

struct contention_list {
	const struct torus_state *s;
	json_t *list; /* NULL: print */
};

static double contention_factor(int64_t millionths)
{
	return (double)(TORUS_CONTENTION_ONE + millionths) /
	       (double)TORUS_CONTENTION_ONE;
}

bool storus_contention_possible(const struct torus_machine *m,
				const struct torus_placement *place)
{
	return !place->scattered && m->pod[place->pod].strategy[0]->interleaves;
}

static void contention_print(void *arg, uint32_t slot, int64_t millionths)
{
	struct contention_list *t = arg;
	const struct torus_hold *h = torus_state_hold(t->s, slot);
	int64_t before = torus_contention_rate(t->s, &h->place, NULL, NULL);
	struct contention_dilation d = { .before = contention_factor(before),
					 .after = contention_factor(
						 before + millionths) };
	struct torus_text region = { 0 };

	if (torus_placement_format(torus_state_machine(t->s), &h->place,
				   &region) == 0) {
		if (t->list) {
			json_array_append_new(t->list,
					      json_pack("{s:s, s:f, s:f}",
							"region", region.data,
							"before", d.before,
							"dilation", d.after));
		} else {
			char earlier[32], after[32];

			torus_number_format(d.before, 6, earlier,
					    sizeof(earlier));
			torus_number_format(d.after, 6, after, sizeof(after));
			printf("    %s: %s instead of %s times as long\n",
			       region.data, after, earlier);
		}
	}
	torus_text_free(&region);
}

json_t *storus_contention_json(const struct torus_state *s,
			       const struct torus_placement *place)
{
	struct contention_list t = { .s = s, .list = json_array() };
	int64_t rate;

	if (!t.list)
		return NULL;
	rate = torus_contention_rate(s, place, contention_print, &t);
	return json_pack("{s:f, s:o}", "dilation", contention_factor(rate),
			 "disturbed", t.list);
}

void storus_contention_print(const struct torus_state *s,
			     const struct torus_placement *place)
{
	int64_t rate = torus_contention_rate(s, place, NULL, NULL);
	struct contention_list t = { .s = s };
	char text[32];

	torus_number_format(contention_factor(rate), 6, text, sizeof(text));
	if (rate == 0) {
		printf("  no shared links\n");
		return;
	}
	printf("  shared links: it takes %s times as long while all run, and slows down\n",
	       text);
	torus_contention_rate(s, place, contention_print, &t);
}
