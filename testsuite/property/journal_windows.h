/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reservations of a host, as Slurm has them: nodes that jobs outside must not
 * hold from a time to a time, once or several times; jobs inside have these
 * nodes alone, as long as the reservation is there.
 */
#ifndef TESTSUITE_JOURNAL_WINDOWS_H
#define TESTSUITE_JOURNAL_WINDOWS_H

#include "workload.h"

#include "torus/ask.h"

#define WINDOWS 3
#define WINDOW_TIMES 3
#define WINDOW_SECOND INT64_C(1000000)

struct window {
	uint32_t times; /* 0: it is not there */
	int64_t from_us, to_us, every_us;
	uint64_t nodes[WORKLOAD_WORDS];
};

/* The outages of a job. */
struct window_list {
	struct torus_outages o;
	struct torus_outage outage[(WINDOWS + 1) * WINDOW_TIMES]; /* (and one more) */
	uint64_t nodes[WINDOWS][WORKLOAD_WORDS];
};

/* Create one, active or to come; or release one. */
RANDOM_HELPER void windows_change(struct random *r,
				  const struct torus_machine *m,
				  struct window *window, int64_t now_us)
{
	struct window *w = &window[random_below(r, WINDOWS)];

	w->times = random_percent(r, 30) ? 0 :
		   random_percent(r, 70) ? 1 :
					   WINDOW_TIMES;
	w->from_us = now_us + (random_below(r, 20) - INT64_C(5)) * WINDOW_SECOND;
	w->to_us = w->from_us + (1 + random_below(r, 20)) * WINDOW_SECOND;
	if (random_percent(r, 10))
		w->from_us = INT64_MIN;
	w->every_us = (25 + random_below(r, 20)) * WINDOW_SECOND;
	workload_nodes(r, m, 20 + random_below(r, 60), w->nodes);
}

/* One that has ended is gone, or comes again. */
/* Return true if one has ended. */
RANDOM_HELPER bool windows_end(struct window *window, int64_t now_us)
{
	bool any = false;

	for (int i = 0; i < WINDOWS; i++) {
		struct window *w = &window[i];

		while (w->times > 0 && w->to_us <= now_us) {
			w->times--;
			w->from_us = w->to_us + w->every_us;
			w->to_us = w->from_us + w->every_us / 2;
			any = true;
		}
	}
	return any;
}

RANDOM_HELPER void windows_add(struct window_list *l, const struct window *w,
			       const uint64_t *nodes)
{
	for (uint32_t k = 0; k < w->times; k++) {
		int64_t later_us = (int64_t)k * 2 * w->every_us;

		l->outage[l->o.count++] = (struct torus_outage){
			.from_us = w->from_us + (k ? later_us : 0),
			.to_us = w->to_us + later_us,
			.nodes = nodes,
			.name = "window",
		};
	}
}

/* Of a job that may use these nodes (without those outside of its own
 * reservation, which are taken off) and is inside of one (0: of none). */
RANDOM_HELPER void windows_list(struct window_list *l,
				const struct torus_machine *m,
				const struct window *window, uint32_t inside,
				uint64_t *allowed)
{
	const struct window *own = inside ? &window[inside - 1] : NULL;

	l->o = (struct torus_outages){ .outage = l->outage,
				       .last_start_us = INT64_MAX };
	if (own && own->times) {
		torus_bits_and(allowed, allowed, own->nodes, m->words);
		l->o.last_start_us = own->to_us;
	}
	for (int i = 0; i < WINDOWS; i++) {
		if (&window[i] == own || !window[i].times)
			continue;
		memcpy(l->nodes[i], window[i].nodes, sizeof(l->nodes[i]));
		torus_bits_and(l->nodes[i], l->nodes[i], allowed, m->words);
		if (torus_bits_next(l->nodes[i], m->words, 0) != UINT32_MAX)
			windows_add(l, &window[i], l->nodes[i]);
	}
}

/* It starts where and when it may. */
RANDOM_HELPER void windows_check(const struct window_list *l,
				 const struct torus_machine *m, int64_t from_us,
				 int64_t limit_us, const uint64_t *nodes)
{
	if (!torus_outages_allow(&l->o, from_us, from_us + limit_us, nodes,
				 m->words))
		fail_msg("a start at %lld runs into a reservation",
			 (long long)from_us);
}

#endif
