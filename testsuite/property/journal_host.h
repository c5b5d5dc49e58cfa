/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host of prop_journal.c: its jobs, what it writes to the journal, the
 * begin and end of its cycle. */
#ifndef PROPERTY_JOURNAL_HOST_H
#define PROPERTY_JOURNAL_HOST_H

#include "workload.h"

#include "journal_cut.h"
#include "journal_windows.h"

#include <unistd.h>

#include "live/cycle.h"
#include "live/mirror/mirror.h"
#include "live/mirror/cycle_report.h"
#include "format/journal.h"
#include "replay/replay.h"
#include "torus/weights.h"

#define JOBS 120
#define STEPS 80
#define SECOND INT64_C(1000000)
#define OTHERS 2 /* that use nodes */
#define CUTS 5
#define FILES 8

enum {
	PENDING,
	HELD,
	RUNNING,
	OVER
};

struct host_job {
	int state;
	struct cycle_pending_job pending;
	struct torus_alternative alternative[2];
	int64_t start_us, limit_us, end_us; /* it ends, whatever its limit */
	uint32_t changes;
	bool told;   /* a snapshot has had it with these nodes */
	bool joined; /* it shares nodes with others, `got` */
	uint64_t got[WORKLOAD_WORDS];
	bool confined;
	uint64_t nodes[WORKLOAD_WORDS]; /* then: that it may use */
	uint32_t inside;                /* of that reservation, from 1; or 0 */
	struct window_list outages;     /* in the latest snapshot */
};

struct host {
	struct random r;
	struct torus_machine m;
	struct torus_scheduler_settings settings;
	struct cycle *cycle;
	struct journal *journal;
	struct torus_text promises; /* to be kept by the next cycle */
	unsigned anew;              /* per cent of the steps */
	char older[FILES][64];      /* files that were set aside */
	uint32_t files;
	struct host_job job[JOBS];
	uint32_t jobs;
	unsigned sharing; /* per cent of the jobs */
	int64_t now;
	uint64_t out[WORKLOAD_WORDS];
	unsigned failing; /* links: per cent of the steps */
	struct torus_link_list links;
	struct torus_weights *weights; /* NULL: all nodes are always alike */
	struct other {
		int64_t end_us; /* expected */
		uint64_t nodes[WORKLOAD_WORDS];
	} other[OTHERS];
	unsigned windows; /* per cent of the steps */
	struct window window[WINDOWS];
	char path[64];
	uint32_t cut_percent; /* of the steps of passes */
	uint64_t elsewhere;
	uint64_t shortened; /* starts with less than the job's limit */
	uint64_t alone;     /* jobs that a later file alone has */
	uint64_t beside;    /* starts of jobs with outages */
	uint64_t cuts;      /* passes that were cut */
	uint64_t passes;    /* that nothing but an outage called for */
	uint64_t around;    /* starts of regions beside dead links */
	uint64_t weighed;   /* changes of weights */
};

/* As a user could have typed it. */
static void make_request(struct host *h, struct torus_job_request *r)
{
	bool weak;

	r->alternatives = random_percent(&h->r, 30) ? 2 : 1;
	r->rotate = random_percent(&h->r, 80);
	weak = random_percent(&h->r, 30);
	for (uint32_t k = 0; k < r->alternatives; k++) {
		struct torus_alternative *alt = &r->alternative[k];
		struct torus_ask *ask = &alt->ask;

		*ask = workload_ask(&h->r, &h->m);
		/* as jobs without a shape: they are asked of flat */
		ask->anywhere &= r->alternatives == 1 &&
				 strcmp(h->m.pod[0].strategy[0]->name,
					"flat") == 0;
		if (ask->anywhere)
			r->alternative[0].ask.strategy = "flat";
		/* (one axis cannot be pinned in words) */
		r->rotate |= !ask->by_count && ask->shape.axes == 1;
	}
	for (uint32_t k = 0; k < r->alternatives; k++) {
		struct torus_alternative *alt = &r->alternative[k];
		struct torus_ask *ask = &alt->ask;

		ask->rotate = r->rotate || ask->by_count;
		ask->weak = weak;
		if (r->rotate && !ask->by_count)
			torus_ask_drop_ones(ask);
		for (uint32_t a = 0; a < TORUS_MAX_DIMS; a++) {
			if (a >= (ask->by_count ? 1 : ask->shape.axes) ||
			    (!ask->by_count && r->alternatives > 1))
				ask->connection[a] = TORUS_CONN_NAV;
		}
		if (ask->by_count && r->alternatives > 1)
			ask->connection[0] = TORUS_CONN_NAV;
		if (ask->by_count)
			memset(&ask->shape, 0, sizeof(ask->shape));
		else
			ask->count = 0;
		alt->after_us = k * (int64_t)random_below(&h->r, 9) * SECOND;
	}
	workload_distinct(r);
}

/* Other nodes than before, or all. */
static void confine(struct host *h, struct host_job *j, bool confined)
{
	j->confined = confined;
	workload_nodes(&h->r, &h->m, 60 + random_below(&h->r, 40), j->nodes);
}

static void come(struct host *h)
{
	struct host_job *j = &h->job[h->jobs];
	struct cycle_pending_job *w = &j->pending;

	w->name.job = ++h->jobs;
	w->key = h->jobs;
	/* (it may have come since the cycle looked at its clock) */
	w->eligible_us = (h->now + random_below(&h->r, 2) * SECOND) / SECOND *
			 SECOND;
	w->limit_us = (1 + random_below(&h->r, 20)) * SECOND;
	if (random_percent(&h->r, 40))
		w->least_us = (1 + random_below(&h->r, 10)) * SECOND;
	w->step_us = SECOND;
	w->deadline_us = random_percent(&h->r, 40) ?
				 h->now + w->limit_us *
						  (1 + random_below(&h->r, 5)) :
				 TORUS_NO_TIME;
	w->priority = random_below(&h->r, 4);
	w->shares = random_percent(&h->r, h->sharing);
	w->spreads = random_percent(&h->r, 20);
	w->request.alternative = j->alternative;
	make_request(h, &w->request);
	confine(h, j, random_percent(&h->r, 20));
	if (h->windows && random_percent(&h->r, 20))
		j->inside = 1 + random_below(&h->r, WINDOWS);
}

/* As the plugin does after a cycle. */
static void write_down(struct host *h)
{
	struct torus_error err = { 0 };

	if (journal_idle(h->journal))
		return;
	journal_until(h->journal, cycle_report_now(h->cycle));
	if (journal_write(h->journal, &err))
		fail_msg("%s", err.text);
}

/* Passes are cut now and then, wherever they are. */
static bool pass_over(void *arg, uint32_t budgets)
{
	struct host *h = arg;

	(void)budgets;
	return random_percent(&h->r, h->cut_percent);
}

static void open_journal(struct host *h)
{
	struct torus_error err = { 0 };

	journal_destroy(h->journal);
	h->journal = journal_create(h->path, &h->m);
	assert_non_null(h->journal);
	assert_int_equal(journal_write(h->journal, &err), 0);
	cycle_report_to(h->cycle, h->journal);
}

static void begin_cycle(struct host *h)
{
	h->cycle = cycle_create(&h->m, &h->settings, 4, NULL);
	if (!h->cycle)
		return;
	if (random_percent(&h->r, 30)) /* one submission in an update */
		h->cycle->submit_us = 0;
	cycle_limit(h->cycle,
		    &(struct torus_pass_limit){ .over = pass_over, .arg = h });
}

/* Those of the toruses whose strategies go around dead ones. */
static bool links_may_fail(struct host *h)
{
	bool some = false;

	for (uint32_t p = 0; p < h->m.pods; p++)
		some |= torus_machine_links(&h->m, p, NULL) == 0;
	return some;
}

static bool create(struct host *h, const struct workload_pairs *p)
{
	bool may_fail;
	int fd;

	memset(h, 0, sizeof(*h));
	h->r.state = p->seed;
	if (!workload_machine(&h->m, p->machine, *p->strategy))
		return false;
	torus_scheduler_defaults(&h->settings);
	h->settings.discipline = *p->discipline;
	h->settings.no_preemption = true;
	h->settings.mean_hold_us = (1 + random_below(&h->r, 20)) * SECOND;
	h->settings.order_by_priority = random_percent(&h->r, 40);
	h->settings.backfill_places = 1 + random_below(&h->r, 3);
	h->settings.reservations = random_below(&h->r, 4);
	if (random_percent(&h->r, 30))
		h->settings.wait_limit_us = random_below(&h->r, 30) * SECOND;
	workload_orders(&h->r, &h->settings);
	h->sharing = random_percent(&h->r, 60) ? 60 : 0;
	h->now = 1000 * SECOND;
	may_fail = links_may_fail(h);
	begin_cycle(h);
	if (!h->cycle)
		return false;
	h->anew = random_percent(&h->r, 50) ? 6 : 0;
	h->failing = may_fail ? 60 : 0;
	h->windows = random_percent(&h->r, 50) ? 15 : 0;
	if (random_percent(&h->r, 50)) {
		h->weights = torus_weights_create(&h->m);
		assert_non_null(h->weights);
	}
	snprintf(h->path, sizeof(h->path), "prop_journal.XXXXXX");
	fd = mkstemp(h->path);
	assert_true(fd >= 0);
	close(fd);
	open_journal(h);
	h->cut_percent = random_percent(&h->r, 50) ? random_below(&h->r, 60) : 0;
	return true;
}

static void destroy(struct host *h)
{
	if (*h->path && !getenv("KEEP"))
		unlink(h->path);
	for (uint32_t i = 0; i < h->files; i++)
		unlink(h->older[i]);
	torus_text_free(&h->promises);
	torus_link_list_free(&h->links);
	torus_weights_destroy(h->weights);
	cycle_destroy(h->cycle);
	journal_destroy(h->journal);
	torus_machine_free(&h->m);
}

#endif
