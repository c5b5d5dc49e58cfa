/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of sched/torus (format/journal.h): what the cycle reports becomes
 * lines in memory, which are written without Slurm's locks at the end of the cycle.
 * The cycle decides what is reported (live/watch.c).
 */
#include "torus_build.h" /* before Slurm's config.h */

#include "format/journal.h"
#include "slurmctld/host.h"

static void note_begin(void *arg, int64_t now_us, const char *state)
{
	struct host *h = arg;

	journal_begin(h->journal, now_us, &h->configuration->config->scheduler,
		      state);
}

static void note_stay(void *arg, const struct journal_stay *s)
{
	struct host *h = arg;

	journal_stay(h->journal, s);
}

static void note_nodes(void *arg, const struct journal_nodes *n)
{
	struct host *h = arg;

	journal_nodes(h->journal, n);
}

static void note_cut(void *arg, const struct cycle_cut *cut)
{
	struct host *h = arg;

	journal_cut(h->journal, cut->at_us, cut->steps);
}

static void note_promise(void *arg, const struct journal_promise *p)
{
	struct host *h = arg;

	journal_promise(h->journal, p);
}

static void note_outages(void *arg, int64_t now, const struct torus_outages *o)
{
	struct host *h = arg;

	journal_outages(h->journal, now, o);
}

static void note_pass(void *arg, int64_t now)
{
	struct host *h = arg;

	journal_pass(h->journal, now);
}

static void note_host_hold(void *arg, int64_t now, const struct torus_hold *hold)
{
	struct host *h = arg;

	journal_host_hold(h->journal, now, hold);
}

static void note_link(void *arg, int64_t now_us, const struct torus_link *link)
{
	struct host *h = arg;

	journal_link(h->journal, now_us, link);
}

static void note_would(void *arg, int64_t now_us, uint32_t job,
		       const struct torus_placement *place)
{
	struct host *h = arg;

	journal_would(h->journal, now_us, job, place);
}

void host_watch(struct host *h, struct cycle *c)
{
	if (h->journal)
		cycle_watch(c, &(struct cycle_watch){
				       .begin = note_begin,
				       .stay = note_stay,
				       .nodes = note_nodes,
				       .arg = h,
				       .cut = note_cut,
				       .promise = note_promise,
				       .host_hold = note_host_hold,
				       .outages = note_outages,
				       .pass = note_pass,
				       .would = note_would,
				       .link = note_link,
			       });
}

/* A failure of the journal is logged when it begins. */
void host_write_journal(struct host *h)
{
	struct torus_error err;

	torus_error_clear(&err);
	journal_private(h->journal, h->is_private);
	if (journal_write(h->journal, &err) == 0) {
		if (h->journal_error)
			info("sched/torus: the journal can be written again");
		xfree(h->journal_error);
		return;
	}
	if (xstrcmp(h->journal_error, err.text))
		error("sched/torus: %s", err.text);
	xfree(h->journal_error);
	h->journal_error = xstrdup(err.text);
}

void host_end_journal(struct host *h, const struct cycle *c)
{
	if (!h->journal || journal_idle(h->journal))
		return;
	journal_until(h->journal, cycle_now(c));
	host_write_journal(h);
}
