/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The change from one torus.yaml to the next. An equal file changes nothing. Otherwise a
 * new cycle replaces the old one, with the instance's machine state (running jobs do not
 * show how a partition tree is split): running jobs keep their places, waiting jobs are
 * queued anew, and promises stay valid if the discipline is the same. They are
 * passed on as text (live/promises/saved_promises.c), also from one slurmctld to the next. If a
 * discipline does not suit the machine, the old configuration remains. A rotated journal
 * ends a cycle, too: each file begins with the scheduler's complete state. So does a policy
 * of one's own that fails (config/policy_guard.h).
 */
#include "torus/state_text.h"
#include "live/mirror/cycle_report.h"
#include "live/promises/promises.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/job_class.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_table.h"
#include "slurmctld/instance/node_map.h"
#include "slurmctld/instance/state_file.h"

#include <errno.h>

#include "config/policy_guard.h"
#include "torus/alloc.h"
#include "torus/discipline.h"

#define SCRATCH 4 /* bitmaps of functions that call each other */

/* For a machine of `words` words; `other`: claims of the former one end. -1 without memory:
 * nothing is changed. */
static int make_maps(struct host *h, uint32_t words, bool other)
{
	uint64_t *maps = torus_alloc((size_t)(2 + SCRATCH) * words,
				     sizeof(*maps));

	if (!maps || (other && claims_open(&h->claims, words))) {
		torus_free(maps);
		return -1;
	}
	torus_free(h->maps);
	h->maps = maps;
	h->words = words;
	h->unfit = maps;
	h->joined = h->unfit + words;
	h->scratch = (struct torus_scratch){ .memory = h->joined + words,
					     .words = words,
					     .room = SCRATCH };
	return 0;
}

static void cycle_setup_log_lines(struct torus_error *err)
{
	char *rest = err->text, *line;

	while (err->count && (line = strsep(&rest, "\n")))
		error("sched/torus: %s", line);
}

static bool same_names(const struct torus_config *a,
		       const struct torus_config *b, uint32_t p)
{
	for (uint32_t i = 0; i < a->machine.pod[p].torus.nodes; i++) {
		if (xstrcmp(a->names[p][i], b->names[p][i]))
			return false;
	}
	return true;
}

static bool same_options(const struct torus_options *a,
			 const struct torus_options *b)
{
	for (uint32_t i = 0; i < a->used && i < b->used; i++) {
		if (strcmp(a->item[i].key, b->item[i].key) ||
		    strcmp(a->item[i].value, b->item[i].value))
			return false;
	}
	return a->used == b->used;
}

static bool same_pod(const struct torus_pod *a, const struct torus_pod *b)
{
	char x[TORUS_STRING_SIZE], y[TORUS_STRING_SIZE];

	torus_format(&a->torus, x, sizeof(x));
	torus_format(&b->torus, y, sizeof(y));
	if (strcmp(x, y) || strcmp(a->torus.name, b->torus.name) ||
	    a->strategies != b->strategies || a->no_rotate != b->no_rotate ||
	    !same_options(&a->options, &b->options))
		return false;
	for (uint32_t i = 0; i < a->strategies; i++) {
		if (a->strategy[i] != b->strategy[i])
			return false;
	}
	return true;
}

/* Return true if both have the same nodes at the same places, placed in the
 * same way. */
static bool same_machine(const struct torus_config *a,
			 const struct torus_config *b)
{
	if (a->machine.pods != b->machine.pods)
		return false;
	for (uint32_t p = 0; p < a->machine.pods; p++) {
		if (a->machine.pod[p].links != b->machine.pod[p].links ||
		    !same_pod(&a->machine.pod[p], &b->machine.pod[p]) ||
		    !same_names(a, b, p))
			return false;
	}
	return true;
}

static bool same_settings(const struct torus_config *x,
			  const struct torus_config *y)
{
	const struct torus_scheduler_settings *a = &x->scheduler;
	const struct torus_scheduler_settings *b = &y->scheduler;

	return a->discipline == b->discipline &&
	       a->wait_limit_us == b->wait_limit_us &&
	       a->order_by_priority == b->order_by_priority &&
	       a->backfill_places == b->backfill_places &&
	       a->reservations == b->reservations &&
	       a->mean_hold_us == b->mean_hold_us &&
	       same_options(&a->options, &b->options) &&
	       x->live.tries == y->live.tries &&
	       strcmp(x->live.plan_file, y->live.plan_file) == 0 &&
	       strcmp(x->live.journal, y->live.journal) == 0;
}

const char *cycle_setup_policy_error(const struct torus_config *config)
{
	const char *why = torus_guard_failure(config->scheduler.discipline);

	for (uint32_t p = 0; p < config->machine.pods; p++) {
		const struct torus_pod *pod = &config->machine.pod[p];

		for (uint32_t i = 0; !why && i < pod->strategies; i++)
			why = torus_guard_failure(pod->strategy[i]);
	}
	return why;
}

/* Create a cycle; easy decides instead of a policy that has failed. */
static struct cycle *new_cycle(const struct torus_config *config)
{
	struct torus_scheduler_settings settings = config->scheduler;
	struct torus_error err;
	struct cycle *c;

	torus_error_clear(&err);
	if (torus_guard_failure(settings.discipline))
		settings.discipline = torus_discipline_find("easy");
	c = cycle_create(&config->machine, &settings, config->live.tries, &err);
	if (!c)
		error("sched/torus: %s: the discipline %s cannot be used: %s",
		      config->path, config->scheduler.discipline->name,
		      err.count ? "see below" : strerror(errno));
	cycle_setup_log_lines(&err);
	return c;
}

/* Create a cycle with the instance's state; if that fails, with an empty one. */
static struct cycle *informed_cycle(struct instance *in,
				    const struct torus_config *config)
{
	struct torus_text text = { 0 };
	struct cycle *c = new_cycle(config);

	if (c && job_table_sync(in) == 0 &&
	    (torus_state_save(in->state, &text) ||
	     cycle_restore(c, text.data ? text.data : ""))) {
		error("sched/torus: the machine's state cannot be taken over: %s; placements are derived from the jobs' nodes",
		      strerror(errno));
		cycle_destroy(c);
		c = new_cycle(config);
	}
	torus_text_free(&text);
	return c;
}

/*
 * Save the promises of the old cycle for the new one, and what users have used. A promise
 * stays if the discipline is the same and the plan finds its nodes free at that time, also
 * on another machine. (They include promises that the old cycle had not restored yet.)
 * Without an old cycle, use those of the previous slurmctld; a dry run has none.
 */
static void cycle_setup_retire(struct host *h, const struct torus_config *next)
{
	const struct torus_config *now = h->configuration ?
						 h->configuration->config :
						 NULL;

	if (!now && h->dry_run)
		verbose("sched/torus: dry run: the jobs that it would start are written to %s",
			next->live.journal);
	else if (!now)
		state_file_read_promises(slurm_conf.state_save_location,
					 &h->promises);
	else if (!h->promises.data &&
		 saved_promises_save(h->cycle, &h->promises))
		error("sched/torus: out of memory: queued jobs get new promises");
	cycle_destroy(h->cycle);
	instance_release_configuration(h->configuration);
	h->cycle = NULL;
	h->configuration = NULL;
}

static bool cycle_setup_replace(struct host *h, struct instance *in)
{
	struct configuration *configuration = in->configuration;
	struct cycle *c;
	const char *path;

	if (h->configuration_refused == configuration->number)
		return false; /* the error was logged */
	c = informed_cycle(in, configuration->config);
	if (!c)
		h->configuration_refused = configuration->number;
	if (!c)
		return h->cycle != NULL && same_machine(h->configuration->config,
							configuration->config);
	if (make_maps(h, configuration->config->machine.words,
		      !h->configuration ||
			      !same_machine(h->configuration->config,
					    configuration->config))) {
		cycle_destroy(c);
		return false;
	}
	cycle_setup_retire(h, configuration->config);
	/* The initial state is written after the first pass; a failure is logged. */
	path = configuration->config->live.journal;
	if (h->journal_ended)
		info("sched/torus: %s was renamed, or lost lines: a new journal begins",
		     path);
	h->journal_ended = false;
	journal_destroy(h->journal);
	h->journal = *path ? journal_create(path,
					    &configuration->config->machine) :
			     NULL;
	if (h->journal && h->dry_run)
		journal_dry_run(h->journal);
	xfree(h->journal_error);
	h->is_private = slurm_conf.private_data & HOST_PRIVATE_DATA;
	if (h->journal)
		cycle_report_to(c, h->journal);
	h->cycle = c;
	h->policy_failed = torus_guard_failure(
		configuration->config->scheduler.discipline);
	h->configuration = configuration;
	h->configuration->users++;
	h->mapped = 0;
	return true;
}

bool cycle_setup_begin(struct host *h, struct instance *in)
{
	if (!in)
		return false;
	if (!h->configuration ||
	    h->configuration_used != in->configuration->number) {
		const struct torus_config *now =
			h->configuration ? h->configuration->config : NULL;

		if (!(now && same_machine(now, in->config) &&
		      same_settings(now, in->config)) &&
		    !cycle_setup_replace(h, in))
			return false;
		h->configuration_used = in->configuration->number;
		h->mapped = 0;
	}
	if ((h->journal_ended ||
	     (!h->policy_failed &&
	      torus_guard_failure(in->config->scheduler.discipline))) &&
	    !cycle_setup_replace(h, in))
		return false;
	h->may_rotate = in->may_rotate;
	node_count_note_promises(in->config->scheduler.discipline->resumed !=
				 NULL);
	if (h->mapped == in->mapped)
		return true;
	if (h->map.nodes != in->map.nodes || h->map.words != in->map.words ||
	    memcmp(h->map.bit_of, in->map.bit_of,
		   h->map.nodes * sizeof(*h->map.bit_of)))
		claims_drop_all(&h->claims); /* Slurm has other nodes now */
	leaks_forget(h); /* a reconfigure may have repaired leaked nodes */
	if (node_map_copy(&h->map, &in->map))
		return false;
	h->mapped = in->mapped;
	return true;
}

void cycle_setup_updated(void *arg, struct cycle *c)
{
	struct host *h = arg;
	struct torus_error err;

	if (!h->promises.data)
		return;
	torus_error_clear(&err);
	if (saved_promises_restore(c, h->promises.data, &err) && !err.count)
		torus_error_add(&err, "promises: %s", strerror(errno));
	if (err.count)
		error("sched/torus: some queued jobs get new promises");
	cycle_setup_log_lines(&err);
	torus_text_free(&h->promises);
}

void cycle_setup_save_promises(struct host *h, struct cycle *c)
{
	struct torus_text text = { 0 };

	h->promises_failed = false;
	if (saved_promises_save(c, &text) == 0 &&
	    xstrcmp(text.data, h->saved_promises.data) != 0) {
		h->promises_failed = state_file_write_promises(h->state_dir,
							       text.data) != 0;
		if (!h->promises_failed) {
			torus_text_free(&h->saved_promises);
			h->saved_promises = text;
			return;
		}
	}
	torus_text_free(&text);
}

/* A failure of the journal is logged when it begins. */
void cycle_setup_write_journal(struct host *h)
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

void cycle_setup_drop(struct host *h)
{
	torus_text_free(&h->promises);
	torus_text_free(&h->saved_promises);
	cycle_destroy(h->cycle);
	h->cycle = NULL;
	if (h->journal && !journal_idle(h->journal))
		cycle_setup_write_journal(h);
	journal_destroy(h->journal);
	h->journal = NULL;
	xfree(h->journal_error);
	instance_lock();
	instance_release_configuration(h->configuration);
	instance_unlock();
	h->configuration = NULL;
}
