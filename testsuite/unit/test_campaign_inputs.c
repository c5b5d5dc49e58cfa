/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace files of a campaign in memory: cells replay them after the files are
 * gone, with the same results; what only one cell needs, or cannot be read to
 * its end, is left to the cell.
 */
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "campaign/read.h"
#include "campaign/results.h"

#define JOBS 200

static char directory[] = "/tmp/torus-campaign-XXXXXX";

static const char *file_path(const char *name)
{
	static char path[2][64];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", directory, name);
	return path[turn];
}

/* `bad`: the last line stands out of order beyond repair. */
static void jobs_write(const char *name, bool bad)
{
	FILE *out = fopen(file_path(name), "w");

	assert_non_null(out);
	fprintf(out, "id,submit,run,nodes,user\n");
	for (int i = 0; i < (bad ? 12000 : JOBS); i++)
		fprintf(out, "%d,%d,%d,%d,u%d\n", i + 1, 2000 * i,
			3000 + i * 3700 % 40000, 1 + i * 5 % 12, i % 3);
	fprintf(out, "x,%d,-1,4,u\n", bad ? 0 : 2000 * JOBS);
	if (bad)
		fprintf(out, "y,0,5,4,u\n");
	fclose(out);
}

static struct torus_campaign *campaign(const char *text)
{
	struct torus_error err = { 0 };
	struct torus_campaign *c;
	FILE *out = fopen(file_path("c.yaml"), "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	c = torus_campaign_read(file_path("c.yaml"), &err);
	if (!c)
		fail_msg("%s", err.text);
	return c;
}

static int cell_measures(struct torus_campaign *c, uint32_t i,
			 double value[TORUS_MEASURES], char **json)
{
	struct torus_cell cell = torus_campaign_cell(c, i);
	struct torus_error err = { 0 };

	if (torus_cell_run(c, &cell, json, &err))
		return -1;
	torus_results_measures(*json, value);
	return 0;
}

static const uint32_t cells[] = { 0, 1 };

/* The same results without the file as with it, the counts of skipped lines
 * among them. */
static void loaded_once(const char *trace, const char *axis)
{
	double before[2][TORUS_MEASURES], after[TORUS_MEASURES];
	struct torus_campaign *c;
	char text[256], *json;

	jobs_write("jobs.csv", false);
	snprintf(text, sizeof(text), "traces: [%s]\nmachines: [flat:16]\n%s\n",
		 trace, axis);
	c = campaign(text);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(cell_measures(c, i, before[i], &json), 0);
		free(json);
	}
	torus_campaign_load(c, cells, 2);
	unlink(file_path("jobs.csv"));
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(cell_measures(c, i, after, &json), 0);
		assert_non_null(strstr(json, "\"kept\": 200"));
		assert_int_equal(strstr(json, "\"skipped\": 1") != NULL,
				 trace[0] != '{');
		free(json);
		for (int m = 0; m < TORUS_MEASURES; m++)
			assert_true(after[m] == before[i][m] ||
				    (isnan(after[m]) && isnan(before[i][m])));
	}
	assert_true(memcmp(before[0], before[1], sizeof(before[0])) != 0);
	torus_campaign_destroy(c);
}

static void a_trace_file_is_loaded_once(void **state)
{
	(void)state;
	loaded_once("jobs.csv", "disciplines: [fcfs, easy]");
}

static void a_resampled_log_is_loaded_once(void **state)
{
	(void)state;
	loaded_once("{like: jobs.csv, by: days, jobs: 200}", "seeds: 1-2");
}

static void test_left_to_cells(void **state)
{
	struct torus_campaign *c;
	double value[TORUS_MEASURES];
	char *json;

	(void)state;
	jobs_write("jobs.csv", false);
	c = campaign(
		"traces: [jobs.csv]\nmachines: [flat:16]\ndisciplines: [fcfs, easy]\n");
	torus_campaign_load(c, cells, 1);
	assert_null(c->axis[TORUS_AXIS_TRACE].value[0].input);
	torus_campaign_destroy(c);

	jobs_write("jobs.csv", true);
	c = campaign(
		"traces: [jobs.csv]\nmachines: [flat:16]\ndisciplines: [fcfs, easy]\n");
	torus_campaign_load(c, cells, 2);
	assert_null(c->axis[TORUS_AXIS_TRACE].value[0].input);
	assert_int_equal(cell_measures(c, 0, value, &json), -1);
	torus_campaign_destroy(c);
	unlink(file_path("jobs.csv"));
}

/* Write the text, and give the file its former time of the last write. */
static void file_rewrite(const char *path, const char *text)
{
	struct timespec times[2];
	struct stat st = { 0 };
	FILE *f;

	stat(path, &st);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	if (st.st_size)
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void a_file_is_hashed_again_only_if_it_may_have_changed(void **state)
{
	const char *path = file_path("f");
	const struct campaign_file *list = NULL;
	struct campaign_file file, other;
	struct torus_error err = { 0 };
	struct arena arena = { 0 };

	(void)state;
	file_rewrite(path, "one");
	assert_non_null(campaign_file_digest(&arena, path, &list));
	file = *list;
	assert_int_equal(file.stamp, 0); /* a second write may leave no sign */
	assert_int_equal(campaign_files_unchanged(&file, &err), 0);
	file_rewrite(path, "two");
	assert_int_equal(campaign_files_unchanged(&file, &err), -1);

	sleep(3);
	list = NULL;
	assert_non_null(campaign_file_digest(&arena, path, &list));
	file = other = *list;
	assert_int_not_equal(file.stamp, 0);
	other.digest = "";
	assert_int_equal(campaign_files_unchanged(&other, &err),
			 0); /* not read */
	file_rewrite(path, "six");
	assert_int_equal(campaign_files_unchanged(&file, &err), -1);
	file_rewrite(path, "two");
	assert_int_equal(campaign_files_unchanged(&file, &err), 0);
	assert_int_equal(campaign_files_unchanged(&other, &err), -1);
	torus_arena_free(&arena);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_file_is_loaded_once),
		cmocka_unit_test(a_resampled_log_is_loaded_once),
		cmocka_unit_test(test_left_to_cells),
		cmocka_unit_test(
			a_file_is_hashed_again_only_if_it_may_have_changed),
	};
	int rc;

	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	rc = UNIT_RUN(tests);
	unlink(file_path("c.yaml"));
	rmdir(directory);
	return rc;
}
