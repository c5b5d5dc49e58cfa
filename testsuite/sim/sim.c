/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim - sched/torus on simulated sites (world.h), by seeds.
 *
 *	sim [--seeds A-B] [--events N] [--jobs N]   these sites
 *	sim --seeds A-B --first                     until the first that breaks a rule
 *	sim --twins --seeds A-B                     each with threads (twin.c)
 *	sim [--trace] FILE                          the history of a script, step by step
 *	sim                                         as a test: found/, then seeds for a time
 *
 * A seed is a site and a list of events. Each runs in a process of its own; where a
 * rule is broken (rules.c) or it crashes, the list is made shorter as long as the same
 * rule breaks, and written as a script SEED.sim, one event a line. With the mend it
 * goes to found/, under a name that says what happened.
 *
 * Cost: about 20 us an event. Shrinking: O(events log events) runs.
 */
#include "site.h"
#include "twin.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS 300
/* As a test: the same ones always, so that it fails for a change alone */
#define SEEDS 2400
#define LATER_SEEDS 300
#define WIDER_SEEDS 200
#define WIDEST_SEEDS 200
#define TWINS 4
#define TWIN_EVENTS 100
#define SECONDS 40
#define RUN_MOST_S 60
#define SAID 4096

struct list {
	uint64_t seed;
	uint32_t events;
	struct sim_event event[SIM_EVENTS];
};

struct outcome {
	bool broken;
	char said[SAID]; /* the rule */
	struct sim_counts counts;
};

static void draw(struct list *l, uint64_t seed, uint32_t events)
{
	struct random r = { seed ^ 0x5eed };

	l->seed = seed;
	l->events = events;
	for (uint32_t i = 0; i < events; i++) {
		do
			l->event[i] = world_draw(seed, &r);
		while (world_is_calm(seed) && !world_calm(l->event[i].kind));
	}
}

/* In a child: what it says goes to fd 2, its counts to fd 3. */
static void live(const struct list *l, bool threaded, int counts)
{
	struct sim_world *w = calloc(1, sizeof(*w));

	alarm(RUN_MOST_S);
	if (!w)
		_exit(2);
	if (world_open(w, l->seed)) {
		fprintf(stderr, "%s %s: ", w->machine, w->strategy->name);
		if (threaded)
			twin_live(w, l->event, l->events);
		for (uint32_t i = 0; i < l->events && !threaded; i++)
			world_event(w, &l->event[i]);
		world_drain(w);
		world_close(w);
	}
	fflush(stdout);
	if (write(counts, &w->counts, sizeof(w->counts)) < 0)
		_exit(2);
	free(w);
	_exit(0);
}

static struct outcome run_as(const struct list *l, bool threaded)
{
	static const char *const ends[] = { "",          ".cut",
					    ".state",    ".state.new",
					    ".promises", ".promises.new",
					    ".plan",     ".plan.new" };
	struct outcome o = { 0 };
	int said[2], counts[2], status;
	char path[64];
	ssize_t n;
	size_t length = 0;
	pid_t pid;

	if (pipe(said) || pipe(counts) || (fflush(NULL), pid = fork()) < 0) {
		perror("sim");
		exit(2);
	}
	if (pid == 0) {
		dup2(said[1], 1);
		dup2(said[1], 2);
		close(said[0]);
		close(counts[0]);
		live(l, threaded, counts[1]);
	}
	close(said[1]);
	close(counts[1]);
	while ((n = read(said[0], o.said + length, SAID - 1 - length)) > 0)
		length += (size_t)n;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	o.broken = status != 0;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(path, sizeof(path), "sim.%d%s", (int)pid, ends[i]);
		unlink(path);
	}
	if (WIFSIGNALED(status) && length + 40 < SAID)
		length += (size_t)sprintf(o.said + length, "signal %d",
					  WTERMSIG(status));
	n = read(counts[0], &o.counts, sizeof(o.counts));
	(void)n;
	close(said[0]);
	close(counts[0]);
	for (size_t i = 0; i < length; i++)
		o.said[i] = o.said[i] == '\n' ? ' ' : o.said[i];
	return o;
}

static struct outcome run(const struct list *l)
{
	return run_as(l, false);
}

/* Numbers differ from list to list; the words are the rule. */
static bool same_rule(const char *a, const char *b)
{
	for (;;) {
		while (*a && strchr("0123456789", *a))
			a++;
		while (*b && strchr("0123456789", *b))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++, b++;
	}
}

/* Leave out halves, quarters, ... and single events as long as the rule breaks. */
static void shrink(struct list *l, const char *said)
{
	struct list *less = malloc(sizeof(*less));

	if (!less)
		return;
	for (uint32_t size = l->events / 2; size > 0; size /= 2) {
		for (uint32_t at = 0; at + size <= l->events;) {
			struct outcome o;

			*less = *l;
			memmove(less->event + at, l->event + at + size,
				(l->events - at - size) * sizeof(*l->event));
			less->events -= size;
			o = run(less);
			if (o.broken && same_rule(o.said, said))
				*l = *less;
			else
				at += size;
		}
	}
	free(less);
}

static void write_script(const struct list *l, const char *said)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%llu.sim", (unsigned long long)l->seed);
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "# %s\nworld %llu\n", said, (unsigned long long)l->seed);
	for (uint32_t i = 0; i < l->events; i++)
		fprintf(f, "%s %llu\n", world_kind(l->event[i].kind),
			(unsigned long long)l->event[i].seed);
	fclose(f);
	printf("# %s: %u events\n", path, l->events);
}

static bool read_script(const char *path, struct list *l)
{
	FILE *f = fopen(path, "r");
	char line[256], word[32];
	unsigned long long seed;

	if (!f)
		return false;
	l->events = 0;
	while (fgets(line, sizeof(line), f)) {
		int k = 0;

		if (*line == '#' || sscanf(line, "%31s %llu", word, &seed) != 2)
			continue;
		if (strcmp(word, "world") == 0) {
			l->seed = seed;
			continue;
		}
		while (k < SIM_KINDS &&
		       strcmp(world_kind((enum sim_kind)k), word) != 0)
			k++;
		if (k == SIM_KINDS || l->events == SIM_EVENTS) {
			fprintf(stderr, "%s: \"%s\" is no event\n", path, word);
			break;
		}
		l->event[l->events++] = (struct sim_event){ (enum sim_kind)k,
							    seed };
	}
	fclose(f);
	return true;
}

static void add(struct sim_counts *sum, const struct sim_counts *n)
{
	sum->events += n->events;
	sum->cycles += n->cycles;
	sum->starts += n->starts;
	sum->ends += n->ends;
	sum->refusals += n->refusals;
	sum->crashes += n->crashes;
	sum->failures += n->failures;
}

static bool first_only; /* end with the first broken rule, as it is */

/* Return the number of seeds that broke a rule. */
static uint32_t run_seeds(uint64_t from, uint64_t to, uint32_t events,
			  time_t until, struct sim_counts *sum)
{
	struct list *l = malloc(sizeof(*l));
	uint32_t broken = 0;

	if (!l)
		return 1;
	for (uint64_t seed = from; seed <= to; seed++) {
		struct outcome o;

		if (until && time(NULL) >= until)
			break;
		draw(l, seed, events);
		o = run(l);
		add(sum, &o.counts);
		if (!o.broken)
			continue;
		broken++;
		printf("# seed %llu: %s\n", (unsigned long long)seed, o.said);
		fflush(stdout);
		if (!first_only)
			shrink(l, o.said);
		write_script(l, o.said);
		fflush(stdout);
		if (first_only)
			break;
	}
	free(l);
	return broken;
}

/* Some of the seeds with threads (twin.c). Return the number that broke a rule. */
static uint32_t run_twins(uint64_t from, uint64_t to, uint32_t events)
{
	struct list *l = malloc(sizeof(*l));
	uint32_t broken = 0;

	for (uint64_t seed = from; l && seed <= to; seed++) {
		struct outcome o;

		draw(l, seed, events);
		o = run_as(l, true);
		if (o.broken)
			printf("# seed %llu: %s\n", (unsigned long long)seed,
			       o.said);
		broken += o.broken;
	}
	free(l);
	return l ? broken : 1;
}

/* The seeds in `jobs` parts, at the same time. */
static uint32_t run_parts(uint64_t from, uint64_t to, uint32_t events,
			  uint32_t jobs, struct sim_counts *sum)
{
	uint64_t each = (to - from) / jobs + 1;
	uint32_t broken = 0;
	int fd[2], status;

	if (pipe(fd))
		return 1;
	for (uint32_t i = 0; i < jobs; i++) {
		struct sim_counts part = { 0 };
		uint64_t first = from + i * each, last = first + each - 1;

		fflush(NULL);
		if (fork() != 0)
			continue;
		broken = run_seeds(first, last < to ? last : to, events, 0,
				   &part);
		if (write(fd[1], &part, sizeof(part)) < 0)
			_exit(2);
		_exit(broken > 0);
	}
	close(fd[1]);
	while (wait(&status) > 0) {
		struct sim_counts part;

		broken += status != 0;
		if (read(fd[0], &part, sizeof(part)) == sizeof(part))
			add(sum, &part);
	}
	close(fd[0]);
	return broken;
}

static void say(const struct sim_counts *n)
{
	printf("# %llu events, %llu cycles, %llu starts, %llu ends, %llu refused starts, %llu crashes, %llu failed allocations\n",
	       (unsigned long long)n->events, (unsigned long long)n->cycles,
	       (unsigned long long)n->starts, (unsigned long long)n->ends,
	       (unsigned long long)n->refusals, (unsigned long long)n->crashes,
	       (unsigned long long)n->failures);
}

/* The histories in which rules were broken once. Return how many break now. */
static uint32_t run_found(void)
{
	const char *top = getenv("top_srcdir");
	struct list *l = calloc(1, sizeof(*l));
	char pattern[PATH_MAX];
	uint32_t broken = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/testsuite/sim/found/*.sim",
		 top ? top : ".");
	if (!l || glob(pattern, 0, NULL, &found) != 0) {
		printf("# there is no %s\n", pattern);
		free(l);
		return 1;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct outcome o = { .broken = true };

		if (read_script(found.gl_pathv[i], l))
			o = run(l);
		if (o.broken)
			printf("# %s: %s\n", found.gl_pathv[i], o.said);
		broken += o.broken;
	}
	globfree(&found);
	free(l);
	return broken;
}

static int run_script(const char *path)
{
	struct list *l = calloc(1, sizeof(*l));
	struct outcome o;

	if (!l || !read_script(path, l)) {
		fprintf(stderr, "sim: %s: %s\n", path, strerror(errno));
		return 2;
	}
	if (sim_trace)
		live(l, false, open("/dev/null", O_WRONLY));
	o = run(l);
	if (o.broken)
		printf("%s\n", o.said);
	else
		say(&o.counts);
	free(l);
	return o.broken;
}

static int run_as_test(uint32_t events)
{
	static const struct {
		uint64_t first;
		uint32_t seeds, times, seconds;
	} sites[] = { { 1, SEEDS, 1000, SECONDS },
		      { SIM_LATER, LATER_SEEDS, 10, SECONDS },
		      { SIM_WIDER, WIDER_SEEDS, 10, SECONDS / 2 },
		      { SIM_WIDEST, WIDEST_SEEDS, 10, SECONDS / 2 } };
	struct sim_counts sum = { 0 };
	uint32_t broken;
	bool failed;

	printf("1..4\n");
	broken = run_found();
	failed = broken > 0;
	printf("%s 1 - histories that broke a rule once hold now\n",
	       broken ? "not ok" : "ok");
	broken = 0;
	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++)
		broken += run_seeds(sites[i].first,
				    sites[i].first +
					    random_effort(sites[i].seeds,
							  sites[i].times),
				    events,
				    time(NULL) + random_effort(sites[i].seconds,
							       1000),
				    &sum);
	say(&sum);
	printf("%s 2 - no rule is broken on simulated sites\n",
	       broken ? "not ok" : "ok");
	failed |= broken > 0;
	broken = site_left_out();
	printf("%s 3 - sites draw each strategy and discipline of the product\n",
	       broken ? "not ok" : "ok");
	failed |= broken > 0;
	broken = run_twins(SIM_WIDER, SIM_WIDER + TWINS - 1, TWIN_EVENTS);
	printf("%s 4 - no rule is broken where the agent has its thread\n",
	       broken ? "not ok" : "ok");
	return failed || broken > 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seeds", required_argument, NULL, 's' },
		{ "events", required_argument, NULL, 'e' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "first", no_argument, NULL, 'f' },
		{ "trace", no_argument, NULL, 't' },
		{ "twins", no_argument, NULL, 'w' },
		{ 0 },
	};
	unsigned long long from = 0, to = 0;
	uint32_t events = EVENTS, jobs = 1, broken;
	struct sim_counts sum = { 0 };
	bool twins = false;
	int c;

	setenv("TZ", "UTC", 1); /* (rules.c counts days) */

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's' && sscanf(optarg, "%llu-%llu", &from, &to) == 2 &&
		    from <= to)
			continue;
		if (c == 'e' && sscanf(optarg, "%u", &events) == 1 &&
		    events <= SIM_EVENTS)
			continue;
		if (c == 'j' && sscanf(optarg, "%u", &jobs) == 1 && jobs > 0)
			continue;
		first_only |= c == 'f';
		sim_trace |= c == 't';
		twins |= c == 'w';
		if (c == 'f' || c == 't' || c == 'w')
			continue;
		fprintf(stderr,
			"usage: sim [--seeds A-B] [--events N] [--jobs N] [--first | --twins] | [--trace] FILE\n");
		return 2;
	}
	if (optind < argc)
		return run_script(argv[optind]);
	if (to > 0 && twins)
		return run_twins(from, to, events) > 0;
	if (to > 0) {
		broken = run_parts(from, to, events, jobs, &sum);
		say(&sum);
		return broken > 0;
	}
	return run_as_test(events);
}
