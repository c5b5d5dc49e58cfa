/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Promises, copied and written (plan_file.h). */
#include "format/plan_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/stream.h"
#include "torus/alloc.h"

#define PATH_SIZE 4096

static void empty(struct told_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		torus_text_free(&list->told[i].region);
		torus_text_free(&list->told[i].reason);
	}
	list->count = 0;
}

void told_free(struct told_list *list)
{
	empty(list);
	torus_free(list->told);
	torus_free(list->nodes);
	*list = (struct told_list){ 0 };
}

static int make_room(struct told_list *list)
{
	uint32_t room = list->room ? list->room * 2 : 32;
	struct told *told;
	uint64_t *nodes;

	if (list->count < list->room)
		return 0;
	told = torus_realloc(list->told, room, sizeof(*told));
	if (!told)
		return -1;
	list->told = told;
	nodes = torus_realloc(list->nodes, (size_t)room * list->words,
			      sizeof(*nodes));
	if (!nodes)
		return -1;
	list->nodes = nodes;
	list->room = room;
	return 0;
}

struct gathering {
	struct told_list *list;
	const struct torus_machine *m;
};

static bool add(void *arg, const struct cycle_promise *p)
{
	struct gathering *g = arg;
	struct told_list *list = g->list;
	struct told *t;

	if (make_room(list))
		return false;
	t = &list->told[list->count];
	*t = (struct told){ .promise = *p, .placed = p->place != NULL };
	if ((p->place && torus_placement_format(g->m, p->place, &t->region)) ||
	    (p->reason && torus_text_add(&t->reason, "%s", p->reason))) {
		torus_text_free(&t->region);
		torus_text_free(&t->reason);
		return false;
	}
	if (p->place)
		torus_bits_copy(list->nodes + (size_t)list->count * list->words,
				p->nodes, list->words);
	list->count++;
	return true;
}

void told_gather(struct told_list *list, const struct torus_machine *m,
		 struct cycle *c)
{
	struct gathering g = { .list = list, .m = m };

	if (list->words != m->words)
		told_free(list);
	list->words = m->words;
	empty(list);
	cycle_promises(c, TOLD_MOST, TOLD_EXPLAINED, add, &g);
	for (uint32_t i = 0; i < list->count; i++)
		list->told[i].promise.nodes = list->nodes +
					      (size_t)i * list->words;
}

/* The file */

static void write_counts(const struct agent_counts *n, FILE *f)
{
	const struct agent_cycle *l = &n->latest, *max = &n->longest;
	const struct {
		const char *name;
		int64_t value;
	} count[] = {
		{ "cycles", (int64_t)n->cycles },
		{ "orders", (int64_t)n->orders },
		{ "started", (int64_t)n->started },
		{ "unfit", (int64_t)n->unfit },
		{ "joined", (int64_t)n->joined },
		{ "later", (int64_t)n->later },
		{ "cycle_us", l->us },
		{ "cycle_max_us", max->us },
		{ "plan_us", l->plan_us },
		{ "plan_max_us", n->plan_max_us },
		{ "commit_us", l->commit_us },
		{ "commit_max_us", n->commit_max_us },
		{ "longest_plan_us", max->plan_us },
		{ "longest_look_us", max->look_us },
		{ "longest_commit_us", max->commit_us },
		{ "longest_tell_us", max->tell_us },
		{ "longest_wait_us", max->wait_us },
		{ "longest_orders", (int64_t)max->orders },
		{ "stretches", (int64_t)n->stretches },
		{ "long_stretches", (int64_t)n->long_stretches },
		{ "stretch_max_us", n->stretch_max.us },
		{ "stretch_max_cpu_us", n->stretch_max.cpu_us },
		{ "stretch_max_core_us", n->stretch_max.core_us },
		{ "stretch_max_step_us", n->stretch_max.step_us },
		{ "wait_max_us", n->wait_max_us },
		{ "locked_us", n->locked_us },
		{ "cut_passes", (int64_t)n->cut },
		{ "left_jobs", n->left },
	};

	for (size_t i = 0; i < sizeof(count) / sizeof(*count); i++)
		fprintf(f, "%s %lld\n", count[i].name,
			(long long)count[i].value);
	fprintf(f, "stretch_max_step %s\n",
		n->stretch_max.step ? n->stretch_max.step : "-");
}

/* Rounded up, as slurmctld shows the start. */
static long long seconds(int64_t us)
{
	return (us + 999999) / 1000000;
}

static void write_job(const struct told *t, FILE *f)
{
	const struct cycle_promise *p = &t->promise;

	fprintf(f, "job %u ", p->name.job);
	if (t->placed)
		fprintf(f, "%lld %lld %s", seconds(p->start_us),
			seconds(p->end_us), t->region.data);
	else if (p->forecast_us != TORUS_NO_TIME)
		fprintf(f, "%lld - -", seconds(p->forecast_us));
	else
		fprintf(f, "- - -");
	fprintf(f, " %u %s\n", p->alternative,
		t->reason.data ? t->reason.data : "");
}

static void write_all(const struct told_list *list,
		      const struct told_about *about, FILE *f)
{
	fprintf(f, "torus-plan 1\ntime %lld\ndiscipline %s\nqueued %u\n",
		seconds(about->at_us), about->discipline, about->queued);
	write_counts(about->counts, f);
	if (about->journal_error)
		fprintf(f, "journal_error %s\n", about->journal_error);
	for (uint32_t i = 0; i < list->count; i++)
		write_job(&list->told[i], f);
}

/* Whatever the umask. */
static FILE *create_file(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
	FILE *f = fd < 0 || fchmod(fd, mode) ? NULL : fdopen(fd, "w");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

int told_write(const struct told_list *list, const struct told_about *about,
	       const char *path)
{
	char fresh[PATH_SIZE];
	int saved;
	FILE *f;

	if ((size_t)snprintf(fresh, sizeof(fresh), "%s.new", path) >=
	    sizeof(fresh)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	unlink(fresh); /* never write through what somebody put there */
	f = create_file(fresh, about->is_private ? 0600 : 0644);
	if (!f)
		return -1;
	write_all(list, about, f);
	if (stream_close(f)) {
		saved = errno;
		unlink(fresh);
		errno = saved;
		return -1;
	}
	return rename(fresh, path);
}
