/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent's life on the simulated site (world.h): it begins with what was saved, saves,
 * and ends by a restart, by other settings, or by a crash at a call of the host table
 * (host.c) or within a write. What the world itself knows survives, as slurmctld's own
 * state does. The linker wraps write(2): the disk may be full after some bytes.
 */
#include "life.h"
#include "rules.h"
#include "site.h"

#include <sys/types.h>
#include <unistd.h>

#include "../unit/failing.h"

#define SAVED_MOST 1000 /* bytes of a list of nodes */

#include "format/stream.h"
#include "live/mirror/cycle_report.h"
#include "format/plan_file.h"
#include "live/promises/promises.h"
#include "torus/state_find.h"
#include "torus/state_text.h"

/* The disk */

ssize_t __real_write(int fd, const void *data, size_t n);
ssize_t __wrap_write(int fd, const void *data, size_t n);

static int64_t disk_left = -1, tear_left = -1;
static struct sim_world *disk_user; /* whose cycle runs: it writes, and may crash */

/* The clocks: a look takes a moment of the world that runs. */

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __real_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);

static int64_t clock_us;

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	if (!disk_user)
		return __real_clock_gettime(id, t);
	clock_us += disk_user->tick_us;
	*t = (struct timespec){ .tv_sec = clock_us / SIM_SECOND,
				.tv_nsec = clock_us % SIM_SECOND * 1000 };
	return 0;
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	int64_t us = t->tv_sec * SIM_SECOND + t->tv_nsec / 1000;

	if (!disk_user)
		return __real_nanosleep(t, left);
	clock_us += us;
	world_pass(disk_user, us, &disk_user->slow);
	return 0;
}

ssize_t __wrap_write(int fd, const void *data, size_t n)
{
	if (disk_user && tear_left >= 0 && n > (size_t)tear_left) {
		struct sim_world *w = disk_user;
		ssize_t some = __real_write(fd, data, (size_t)tear_left);

		(void)some;
		tear_left = -1;
		disk_user = NULL;
		longjmp(w->crash, 1);
	}
	if (disk_user && tear_left >= 0)
		tear_left -= (int64_t)n;
	if (!disk_user || disk_left < 0)
		return __real_write(fd, data, n);
	if (disk_left == 0 && n > 0) {
		errno = ENOSPC;
		return -1;
	}
	n = n < (size_t)disk_left ? n : (size_t)disk_left;
	disk_left -= (int64_t)n;
	return __real_write(fd, data, n);
}

void life_disk(struct sim_world *w, int64_t bytes)
{
	disk_left = bytes;
	tear_left = -1;
	world_say(w, "  the disk has room for %lld bytes", (long long)bytes);
}

void life_tear(struct sim_world *w, int64_t bytes)
{
	tear_left = bytes;
	world_say(w, "  a crash within a write after %lld bytes",
		  (long long)bytes);
}

/* Begin and end */

void life_leave(struct sim_world *w)
{
	agent_destroy(w->agent);
	cycle_destroy(w->cycle);
	journal_destroy(w->journal);
	w->agent = NULL;
	w->cycle = NULL;
	w->journal = NULL;
	w->locked = false;
	w->disturbed = true;
	claims_drop_all(&w->claims); /* slurmctld does not save them */
}

static void life_path(const struct sim_world *w, const char *name, char path[96])
{
	snprintf(path, 96, "%s.%s", w->path, name);
}

/* What was saved last is in the file, whole. */
static void life_read(const struct sim_world *w, const char *name,
		      const char *first, const struct torus_text *saved)
{
	struct torus_error err = { 0 };
	char path[96], *text;

	if (!w->in_files || !saved->data)
		return;
	life_path(w, name, path);
	text = saved_file_read(path, first, &err);
	if (!text)
		rule_broken("the saved %s cannot be read: %s", name, err.text);
	if (strcmp(text, saved->data) != 0)
		rule_broken("the saved %s is not the latest that was written",
			    name);
	torus_free(text);
}

bool life_enter(struct sim_world *w)
{
	struct torus_error err = { 0 };

	life_read(w, "state", SAVED_FILE_STATE, &w->saved_state);
	life_read(w, "promises", SAVED_FILE_PROMISES, &w->saved_promises);

	w->cycle = cycle_create(&w->m, &w->settings, SIM_TRIES, &err);
	if (!w->cycle)
		return false;
	if (cycle_restore(w->cycle,
			  w->saved_state.data ? w->saved_state.data : "")) {
		cycle_destroy(w->cycle); /* then without */
		w->cycle = cycle_create(&w->m, &w->settings, SIM_TRIES, &err);
		assert_non_null(w->cycle);
	}
	torus_text_free(&w->promises_left);
	w->carried = false;
	if (w->saved_promises.data)
		assert_int_equal(torus_text_add(&w->promises_left, "%s",
						w->saved_promises.data),
				 0);
	w->journal = journal_create(w->path, &w->m);
	assert_non_null(w->journal);
	if (journal_write(w->journal, &err) && disk_left < 0)
		rule_broken("%s", err.text);
	cycle_report_to(w->cycle, w->journal);
	w->agent = w->threaded ? agent_create(w->threaded, w) :
		   w->dry      ? agent_open(&sim_dry_host, w) :
				 agent_open(&sim_host, w);
	assert_non_null(w->agent);
	return true;
}

/* Let w->saving be what was saved, unless the disk is full. Return false then. */
static bool life_saved(struct sim_world *w, const char *name, const char *first,
		       struct torus_text *saved)
{
	char path[96];

	life_path(w, name, path);
	if (w->in_files &&
	    saved_file_write(path, first, w->saving.data ? w->saving.data : "",
			     false)) {
		if (disk_left < 0)
			rule_broken("the %s cannot be saved", name);
		torus_text_free(&w->saving);
		return false;
	}
	torus_text_free(saved);
	*saved = w->saving;
	w->saving = (struct torus_text){ 0 };
	return true;
}

static bool life_save_both(struct sim_world *w)
{
	const struct torus_state *s = torus_scheduler_state(
		cycle_scheduler(w->cycle));
	bool all;

	assert_int_equal(torus_state_save(s, &w->saving), 0);
	all = life_saved(w, "state", SAVED_FILE_STATE, &w->saved_state);
	if (w->promises_left.data)
		return all; /* (no cycle has read them yet) */
	assert_int_equal(saved_promises_save(w->cycle, &w->saving), 0);
	if (!life_saved(w, "promises", SAVED_FILE_PROMISES, &w->saved_promises))
		return false;
	rule_saved(w, false);
	return all;
}

/* slurmctld has crashed. */
static void life_crash(struct sim_world *w)
{
	disk_user = NULL;
	w->counts.crashes++;
	world_say(w, "  a crash");
	torus_text_free(&w->saving);
	fail_at = -1;
	life_leave(w);
	assert_true(life_enter(w));
}

bool life_save(struct sim_world *w)
{
	bool all;

	disk_user = w;
	if (setjmp(w->crash) != 0) {
		life_crash(w);
		return false;
	}
	all = life_save_both(w);
	disk_user = NULL;
	return all;
}

void life_restart(struct sim_world *w)
{
	bool disturbed = w->disturbed;
	bool all = life_save(w);

	life_leave(w);
	assert_true(life_enter(w));
	w->disturbed = disturbed || !all;
	w->saved_now = all;
}

/* As version 1.3 saved them: a line for each. */
static void older_promises(const struct sim_world *w, struct torus_text *text)
{
	char *line = w->saved_promises.data;

	torus_text_add(text, "discipline %s\n", w->settings.discipline->name);
	while (line && (line = strstr(line, "{\"job\": "))) {
		unsigned job, part, copy, alternative;
		char key[20], admitted[8], nodes[SAVED_MOST] = "";
		long long start_us;
		int n = sscanf(line,
			       "{\"job\": %u, \"part\": %u, \"copy\": %u, \"key\": \"%19[0-9a-f]\", \"admitted\": %7[a-z], \"alternative\": %u, \"start_us\": %lld, \"nodes\": \"%999[^\"]",
			       &job, &part, &copy, key, admitted, &alternative,
			       &start_us, nodes);

		torus_text_add(text, "job %u %u %u %s %d ", job, part, copy,
			       key, strcmp(admitted, "true") == 0);
		if (n == 8)
			torus_text_add(text, "%u %lld %s\n", alternative,
				       start_us, nodes);
		else
			torus_text_add(text, "- - -\n");
		line++;
	}
}

/* Begin again with w->saving for the saved promises. */
static void life_begin_with(struct sim_world *w)
{
	life_saved(w, "promises", SAVED_FILE_PROMISES, &w->saved_promises);
	w->usages[false] = 0; /* (an older version saved none) */
	life_leave(w);
	assert_true(life_enter(w));
}

void life_older(struct sim_world *w)
{
	bool disturbed = w->disturbed;

	if (!life_save(w) || w->promises_left.data)
		return;
	older_promises(w, &w->saving);
	life_begin_with(w);
	w->disturbed = disturbed;
	w->saved_now = true;
}

void life_damaged(struct sim_world *w, struct random *r)
{
	static const char other[] = "0123456789-\"{}[]:,x \n";
	struct torus_text *text = &w->saving;
	uint32_t bytes = 1 + random_below(r, 4);

	if (!life_save(w) || w->promises_left.data)
		return;
	if (random_percent(r, 40))
		older_promises(w, text);
	else
		torus_text_add(text, "%s", w->saved_promises.data);
	while (bytes-- > 0)
		text->data[random_below(r, (uint32_t)text->length - 1)] =
			other[random_below(r, sizeof(other) - 1)];
	w->promises_damaged = true;
	life_begin_with(w);
}

void life_renew_journal(struct sim_world *w)
{
	const struct torus_state *s = torus_scheduler_state(
		cycle_scheduler(w->cycle));
	bool had = w->promises_left.data != NULL;
	struct torus_text text = { 0 };
	struct cycle *c = NULL;

	if (!journal_ends(w->journal))
		return;
	if (torus_state_save(s, &text) == 0 &&
	    (had || saved_promises_save(w->cycle, &w->promises_left) == 0))
		c = cycle_create(&w->m, &w->settings, SIM_TRIES, NULL);
	if (c && cycle_restore(c, text.data ? text.data : "")) {
		cycle_destroy(c);
		c = NULL;
	}
	torus_text_free(&text);
	if (!c) { /* (without memory: with the next snapshot) */
		if (!had)
			torus_text_free(&w->promises_left);
		return;
	}
	world_say(w, "  a new journal begins");
	if (!had) {
		rule_saved(w, true);
		w->carried = true;
	}
	cycle_destroy(w->cycle);
	w->cycle = c;
	journal_destroy(w->journal);
	w->journal = journal_create(w->path, &w->m);
	assert_non_null(w->journal);
	cycle_report_to(w->cycle, w->journal);
	w->saved_now |= !had;
}

/* The plan file */

void life_note_plan(struct sim_world *w)
{
	if (!w->in_files)
		return;
	w->config.machine = w->m;
	w->config.names = w->no_names;
	plan_listing_collect(&w->listing, &w->config, 0, w->cycle);
}

/* Whom it lists waits, or has started in this cycle. */
static void life_check_plan(struct sim_world *w, const char *path)
{
	struct plan_file_read read = { 0 };
	struct torus_error err = { 0 };
	FILE *f = fopen(path, "r");

	if (!f || plan_file_read(&read, f, path, &err))
		rule_broken("the plan file cannot be read: %s", err.text);
	fclose(f);
	if (read.plan.jobs != w->listing.written)
		rule_broken("the plan file lists %u jobs instead of %u",
			    read.plan.jobs, w->listing.written);
	for (uint32_t i = 0; i < read.plan.jobs && !w->changed; i++) {
		const struct sim_job *j = world_job(w, read.job[i].id.job);

		if (!j || (j->state != SIM_PENDING && j->start_us < w->now_us))
			rule_broken("the plan file lists job %u, which does not wait",
				    read.job[i].id.job);
	}
	plan_file_free(&read);
}

void life_write_plan(struct sim_world *w, const struct agent_counts *counts)
{
	const struct plan_file about = {
		.discipline = w->settings.discipline->name,
		.queued = cycle_queued(w->cycle),
	};
	int64_t tear = tear_left;
	char path[96];
	int failed;

	if (!w->in_files)
		return;
	life_path(w, "plan", path);
	tear_left = -1; /* (what it allocates would be lost) */
	failed = plan_listing_write(&w->listing, &about, counts, path, false);
	tear_left = tear;
	if (!failed)
		life_check_plan(w, path);
	else if (disk_left < 0)
		rule_broken("the plan file cannot be written");
}

/* Cycles */

void life_run_cycle(struct sim_world *w)
{
	bool idle = world_is_idle(w);

	/* (late: what should have started by now delays the others) */
	w->disturbed |= agent_wakes_at(w->agent) < w->now_us;
	w->offered = 0;
	w->refused = 0;
	w->poll_us = INT64_MAX;
	w->changed = true; /* until the snapshot */
	w->cycle_number++;
	world_say(w, "  cycle");
	w->counts.cycles++;
	disk_user = w;
	if (setjmp(w->crash) == 0) {
		agent_run_cycle(w->agent);
		if (w->locked)
			rule_broken("the locks are kept");
		if (fail_at < 0)
			rule_after_cycle(w, idle && world_is_idle(w));
	} else {
		life_crash(w);
	}
	disk_user = NULL;
	if (fail_at >= 0)
		fail_at = -1;
}

void life_without_memory(struct sim_world *w, uint32_t n)
{
	fail_at = n;
	life_run_cycle(w);
}

void life_other_settings(struct sim_world *w, struct random *r)
{
	const struct torus_scheduler_settings before = w->settings;

	life_save(w);
	life_leave(w);
	if (!w->counts.failures)
		rule_journal(w);
	unlink(w->path);
	site_settings(w, r);
	if (life_enter(w))
		return;
	w->settings = before; /* refused: as it was */
	assert_true(life_enter(w));
}

/* Its place in a machine where nobody else is, as slurmctld finds it: from the nodes. */
static void life_recognize(const struct sim_world *w, struct sim_job *j)
{
	const struct torus_job_request *q = &j->pending.request;
	uint32_t nodes = torus_bits_count(j->nodes, w->m.words);

	j->has_place = false;
	for (uint32_t k = 0; k < q->alternatives && !j->has_place; k++) {
		struct torus_ask ask = q->alternative[k].ask;

		if (ask.anywhere)
			continue;
		if (ask.by_count)
			ask.granted = nodes;
		ask.allowed = j->nodes;
		ask.any_link = ask.any_weight = true;
		j->has_place = torus_state_find(w->empty, &ask, &j->place,
						NULL) == TORUS_FITS &&
			       j->place.granted == nodes && !j->place.scattered;
	}
}

void life_other_machine(struct sim_world *w, struct random *r)
{
	struct torus_machine m;
	bool flat;

	life_save(w);
	if (!site_machine(&m, &w->machine, &w->strategy, r))
		return;
	world_say(w, "  %s with %s", w->machine, w->strategy->name);
	life_leave(w);
	if (!w->counts.failures)
		rule_journal(w);
	unlink(w->path);
	torus_state_destroy(w->empty);
	torus_machine_free(&w->m);
	w->m = m;
	for (uint32_t p = 0; p < w->m.pods; p++)
		torus_machine_links(&w->m, p, NULL);
	w->links.count = 0; /* (named by their places) */
	w->empty = torus_state_create(&w->m);
	assert_non_null(w->empty);
	flat = strcmp(w->m.pod[0].strategy[0]->name, "flat") == 0;
	for (uint32_t i = 0; i < w->jobs; i++) {
		struct torus_ask *ask = &w->job[i].alternative[0].ask;

		if (ask->anywhere && !flat) { /* (the name of another strategy) */
			ask->anywhere = false;
			ask->strategy = NULL;
		}
		if (w->job[i].state == SIM_RUNNING)
			life_recognize(w, &w->job[i]);
	}
	if (random_percent(r, 30)) /* the file is not read again */
		torus_text_free(&w->saved_state);
	if (life_enter(w))
		return;
	w->settings.discipline = torus_discipline_find("easy"); /* suits all */
	w->settings.options.used = 0;
	assert_true(life_enter(w));
}

void life_unlink(const struct sim_world *w)
{
	char path[96];

	unlink(w->path);
	life_path(w, "state", path);
	unlink(path);
	life_path(w, "promises", path);
	unlink(path);
	life_path(w, "plan", path);
	unlink(path);
}

void life_check_memory(void)
{
	if (blocks != 0)
		rule_broken("%ld blocks of memory are never freed", blocks);
}
