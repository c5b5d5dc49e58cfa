/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A replay with the n-th allocation failing, for every n: it ends as a
 * failure with ENOMEM and a line that says so, never with a schedule that
 * lacks something, and all memory is given back. Linked with --wrap.
 */
#include "failing.h"
#include "files.h"

#include "discipline/class.h"
#include "replay/ledger.h"
#include "replay/replay.h"
#include "torus/discipline.h"
#include "trace/models/model.h"

#define JOBS 200

static char text[64 * 1024];
static uint32_t jobs = JOBS; /* of the text */
static bool strict; /* the replay needs each allocation but that of a class */

/* Many jobs at a time, so that everything has to grow. */
static void text_write(void)
{
	char *p = text;

	p += sprintf(p, "submit,run,nodes,geometry\n");
	for (int i = 0; i < JOBS; i++)
		p += i % 3 ? sprintf(p, "%d,%d,1,\n", i / 9, 50 + i) :
			     sprintf(p, "%d,%d,,2x%d\n", i, 9, i % 4 + 1);
}

/* As a journal has it: jobs may use some nodes, and then others; more and more
 * nodes are in use by others, or out, and at the end none. */
static void text_write_journal(void)
{
	char *p = text;

	p += sprintf(p, "submit,run,nodes,limit,only,region,state\n");
	for (int i = 0; i < JOBS; i++) {
		p += sprintf(p, "%d,%d,%d,,%s,,\n", i / 9, 50 + i, 1 + i % 7,
			     i % 5 ? "" :
				     "\"torus:{0-99} 60=all 80=torus:{9-255}\"");
		if (i % 40 == 0)
			p += sprintf(p, "%d,,,,,torus:{0-%d},out\n", i / 9,
				     i / 9);
		for (int k = 0; i % 80 == 0 && k < i / 20; k++)
			p += sprintf(p, "%d,,,%d,,torus:{%d},busy\n", i / 9,
				     10 + k, 40 + k);
	}
	p += sprintf(p, "60,,,,,none,busy\n60,,,,,none,out\n");
}

/* What the jobs waited in all when nothing failed; below 0: not known yet.
 * Queue and classes do without memory that they cannot have, at the cost of
 * time; the schedule must be the same then. */
static double queued;

static enum torus_replay_answer run(struct torus_trace *trace,
				    struct torus_machine *m,
				    const char *discipline,
				    struct torus_error *err)
{
	struct torus_scheduler_settings settings;
	struct torus_replay_options options;
	struct torus_replay_hooks hooks = { .arg = NULL };
	struct torus_metrics *metrics = torus_metrics_create();
	enum torus_replay_answer answer;
	int saved;

	if (!metrics)
		return TORUS_REPLAY_FAILED;
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find(discipline);
	torus_replay_options_init(&options);
	answer = torus_replay_run(trace, m, &settings, &options, &hooks,
				  metrics, err);
	saved = errno;
	if (!answer) {
		assert_int_equal(metrics->outcome[TORUS_OUTCOME_COMPLETED],
				 jobs);
		if (queued < 0)
			queued = metrics->queued_us;
		assert_true(metrics->queued_us == queued);
	}
	if (answer && !err->count)
		fail_msg("failed without a word");
	torus_metrics_destroy(metrics);
	errno = saved;
	return answer;
}

/* True if nothing failed. */
static bool replay_once(long n, struct torus_machine *m, const char *path,
			const char *discipline)
{
	struct torus_trace_options input = { .digest = true };
	enum torus_replay_answer answer = TORUS_REPLAY_FAILED;
	struct torus_error err = { 0 };
	struct torus_trace *trace;
	long before = blocks;

	fail_at = strict ? -1 : n;
	errno = 0;
	trace = torus_trace_open(path, &input, &err);
	if (strict)
		fail_at = n;
	if (trace)
		answer = run(trace, m, discipline, &err);
	else if (!err.count)
		fail_msg("allocation %ld failed without a word", n);
	if (answer == TORUS_REPLAY_DONE) {
		assert_true(!strict || fail_at >= 0 ||
			    failed_size == sizeof(struct torus_class));
	} else {
		assert_int_equal(answer, TORUS_REPLAY_FAILED);
		assert_int_equal(errno, ENOMEM);
	}
	torus_trace_close(trace);
	if (blocks != before)
		fail_msg("allocation %ld: %ld blocks lost", n, blocks - before);
	return fail_at >= 0;
}

static void each_allocation(const char *machine, const char *strategy,
			    const char *discipline)
{
	struct torus_machine m = unit_machine(machine, strategy);
	const char *path;
	long n = 0;

	path = files_text("m.csv", text);
	queued = -1;
	replay_once(1000000, &m, path, discipline);
	assert_true(queued >= 0);
	while (!replay_once(n, &m, path, discipline))
		n++;
	assert_true(n > 20);
	fail_at = -1;
	torus_machine_free(&m);
}

static void flat_fcfs(void **state)
{
	(void)state;
	text_write();
	each_allocation("flat:200", "flat", "fcfs");
}

static void submesh_easy(void **state)
{
	(void)state;
	text_write();
	each_allocation("16x16", "submesh", "easy");
}

static void journal_replay_survives_each_failed_allocation(void **state)
{
	(void)state;
	text_write_journal();
	each_allocation("16x16", "submesh-tff", "conservative");
}

/* Other nodes for a job that waits, with and without a reservation that suits
 * them. The queue is too short for an index: each allocation that fails is
 * reported, unless a class that no job uses takes the place of a new one. */
static void moved_jobs_survive_each_failed_allocation(void **state)
{
	(void)state;
	strcpy(text, "submit,run,nodes,only\n"
		     "0,100,16,\n"
		     "1,10,4,\"torus:{0-7} 20=torus:{8-15} 30=all\"\n");
	jobs = 2;
	strict = true;
	each_allocation("4x4", "submesh-tff", "fcfs");
	strict = false; /* reservations do without an index of free nodes */
	each_allocation("4x4", "submesh-tff", "conservative");
	jobs = JOBS;
}

/* A model's trace, and the ledger of its jobs; true if nothing failed. */
static bool model_once(long n)
{
	struct torus_model_options o;
	const struct torus_trace_record *record;
	const struct torus_ledger_user *users;
	struct torus_account account = { 0 };
	struct torus_error err = { 0 };
	struct torus_ledger *ledger;
	struct torus_trace *trace;
	long before = blocks;
	bool good;
	char name[32];
	size_t count;

	torus_model_options_init(&o, torus_model_find("lublin"));
	fail_at = n;
	trace = torus_trace_open_model(&o, &err);
	if (!trace && !err.count)
		fail_msg("allocation %ld failed without a word", n);
	ledger = torus_ledger_create();
	good = trace && ledger;
	for (int i = 0; good && i < 1500; i++) {
		assert_int_equal(torus_trace_next(trace, &record, &err),
				 TORUS_TRACE_JOB);
		snprintf(name, sizeof(name), "%d", i % 100);
		good = !torus_ledger_add(ledger, &account, name);
	}
	good = good && !torus_ledger_users(ledger, 0, 0, &users, &count);
	if (!good)
		assert_int_equal(errno, ENOMEM);
	torus_ledger_destroy(ledger);
	torus_trace_close(trace);
	if (blocks != before)
		fail_msg("allocation %ld: %ld blocks lost", n, blocks - before);
	return good;
}

static void model_and_ledger(void **state)
{
	long n = 0;

	(void)state;
	while (!model_once(n))
		n++;
	assert_true(n > 8);
	fail_at = -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flat_fcfs),
		cmocka_unit_test(submesh_easy),
		cmocka_unit_test(journal_replay_survives_each_failed_allocation),
		cmocka_unit_test(moved_jobs_survive_each_failed_allocation),
		cmocka_unit_test(model_and_ledger),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
