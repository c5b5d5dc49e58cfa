/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spank/torus: the words of a request as options of sbatch, salloc and srun (--geometry
 * and others, torus/request_words.h), and each task's TORUS_COORD and
 * TORUS_RANK.
 *
 * In the command: the words are checked against the grammar at once and put into the
 * job's spank_job_env. (Only slurmctld knows whether the machine has such a shape.)
 * Defaults from the environment become the variables by which Slurm itself passes
 * options, so that they rank like all others: above the script's #SBATCH lines, below
 * the command line.
 *
 * A job does not inherit its parent's request: the variables of the parent's options
 * and placement are removed from the environment first.
 *
 * On the node: coord.c.
 */
#include <slurm/slurm.h>
#include <slurm/spank.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurmctld/names.h"
#include "coord.h"
#include "step.h"
#include "torus/request.h"
#include "torus/number.h"

TORUS_EXPORT extern const char plugin_name[];
TORUS_EXPORT extern const char plugin_type[];
TORUS_EXPORT extern const unsigned int plugin_version;
TORUS_EXPORT extern const unsigned int spank_plugin_version;
TORUS_EXPORT int slurm_spank_init(spank_t sp, int argc, char **argv);
TORUS_EXPORT int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv);
TORUS_EXPORT int slurm_spank_local_user_init(spank_t sp, int argc, char **argv);
TORUS_EXPORT int slurm_spank_task_init(spank_t sp, int argc, char **argv);
TORUS_EXPORT int slurm_spank_task_init_privileged(spank_t sp, int argc,
						  char **argv);
TORUS_EXPORT int slurm_spank_exit(spank_t sp, int argc, char **argv);

/* cppcheck-suppress unknownMacro */
SPANK_PLUGIN(torus, 1)

/* The variables from which Slurm reads an option, and in which it passes it to the
 * job. "-" in an option is "_" there. */
#define INHERITED "SLURM_SPANK__SLURM_SPANK_OPTION_torus_"
#define REMOTE "_SLURM_SPANK_OPTION_torus_"

/* The options, until the next job of the same command. */
static struct {
	bool present;
	bool typed;     /* typed by the user, not a default of the
			   environment */
	bool defaulted; /* the next value from Slurm is the environment's
			   default */
	char word[TORUS_GEOMETRY_SIZE];
} asked[TORUS_WORDS];

/*
 * End the command after a message. If the plugin returned an error instead, Slurm would
 * add lines that read like a broken installation ("slurm_spank_init_post_opt() failed").
 * The command has no job yet. scrontab must keep the user's text: there an error is
 * returned.
 */
static int spank_refuse(void)
{
	const char *status = getenv("SLURM_EXIT_ERROR");

	if (strstr(program_invocation_short_name, "scrontab"))
		return -1;
	exit(status && torus_number_of(status) ? (int)torus_number_of(status) :
						 1);
}

/* --base of a step, or "". */
static char asked_base[TORUS_MAX_DIMS * 11 + 1];

static int take_base(int option, const char *word, int remote)
{
	(void)option;
	if (remote)
		return 0;
	if (!word || !*word || strlen(word) >= sizeof(asked_base)) {
		slurm_error("torus: --base: got \"%.40s\": expected a number for each axis of the job's shape, for example 0,0,1",
			    word ? word : "");
		return spank_refuse();
	}
	strcpy(asked_base, word);
	return 0;
}

static int take_option(int option, const char *word, int remote)
{
	const char *name = torus_request_word[option].name;
	const char *choices = torus_request_word[option].choices;

	if (remote)
		return 0; /* on a node, all is decided */
	if (!choices)
		choices = option == TORUS_WORD_GEOMETRY ? "4x4x2" : "firstfit";
	/* ("--geometry --wrap=..": the next option is taken for the value) */
	if (!torus_word_is_flag(option) &&
	    (!word || !*word || strncmp(word, "--", 2) == 0)) {
		slurm_error("torus: --%s: got \"%.40s\": the value is missing; write for example --%s=%.*s",
			    name, word ? word : "", name,
			    (int)strcspn(choices, "\n"), choices);
		return spank_refuse();
	}
	if (torus_word_is_flag(option))
		word = "yes";
	if (strlen(word) >= sizeof(asked[option].word)) {
		slurm_error("torus: --%s: longer than %zu characters", name,
			    sizeof(asked[option].word) - 1);
		return spank_refuse();
	}
	asked[option].present = true;
	/* Slurm passes the environment's defaults first, and once. */
	asked[option].typed = !asked[option].defaulted;
	asked[option].defaulted = false;
	strcpy(asked[option].word, word);
	return 0;
}

/* The environment of the command */

/* "SBATCH_" + "GEOMETRY", and the like; buffer is long enough for ours. */
#define NAME_SIZE 96

static void spank_join(char *buffer, const char *a, const char *b)
{
	snprintf(buffer, NAME_SIZE, "%s%s", a, b);
	for (char *c = buffer; *c; c++) {
		if (*c == '-')
			*c = '_';
	}
}

/* Return true if this is a step in a running job, not a job of its own. */
static bool is_step(void)
{
	return spank_context() == S_CTX_LOCAL && getenv("SLURM_JOB_ID");
}

static void wipe_options(void)
{
	char name[NAME_SIZE];

	for (enum torus_word i = 0; i < TORUS_WORDS; i++) {
		spank_join(name, INHERITED, torus_request_word[i].name);
		unsetenv(name);
		spank_join(name, REMOTE, torus_request_word[i].name);
		unsetenv(name);
		spank_join(name, REQ_PARENT, torus_request_word[i].entry);
		unsetenv(name);
	}
}

static const char *spank_prefix(void)
{
	if (spank_context() == S_CTX_LOCAL)
		return "SLURM_";
	return strstr(program_invocation_short_name, "salloc") ? "SALLOC_" :
								 "SBATCH_";
}

/* A flag's variable: set means yes, unless it says no. */
static bool says_no(const char *word)
{
	return strcmp(word, "0") == 0 || strcasecmp(word, "no") == 0 ||
	       strcasecmp(word, "false") == 0 || strcasecmp(word, "off") == 0;
}

static bool says_yes(const char *word)
{
	return strcmp(word, "1") == 0 || strcasecmp(word, "yes") == 0 ||
	       strcasecmp(word, "true") == 0 || strcasecmp(word, "on") == 0;
}

static void take_defaults(void)
{
	char variable[NAME_SIZE], inherited[NAME_SIZE];

	for (enum torus_word i = 0; i < TORUS_WORDS; i++) {
		const char *word;

		spank_join(variable, spank_prefix(),
			   torus_request_word[i].variable);
		word = getenv(variable);
		if (!word || !*word || (torus_word_is_flag(i) && says_no(word)))
			continue;
		asked[i].defaulted = true;
		spank_join(inherited, INHERITED, torus_request_word[i].name);
		setenv(inherited, word, 1);
	}
}

/* Slurm copies an option's texts, which it could write to. */
static char *spank_text(const char *text)
{
	return (char *)(uintptr_t)text;
}

int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	spank_context_t context = spank_context();

	(void)argc;
	(void)argv;
	if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR &&
	    context != S_CTX_REMOTE)
		return ESPANK_SUCCESS;
	for (enum torus_word i = 0; i < TORUS_WORDS; i++) {
		const struct torus_request_word *word = &torus_request_word[i];
		struct spank_option option = {
			.name = spank_text(word->name),
			.arginfo = spank_text(word->value),
			.usage = spank_text(word->help),
			.has_arg = !torus_word_is_flag(i),
			.val = (int)i,
			.cb = take_option,
		};

		if (spank_option_register(sp, &option) != ESPANK_SUCCESS) {
			slurm_error("torus: --%s cannot be registered",
				    word->name);
			return ESPANK_ERROR;
		}
	}
	if (context != S_CTX_ALLOCATOR) {
		struct spank_option base = {
			.name = spank_text("base"),
			.arginfo = spank_text("X,Y,.."),
			.usage = spank_text(
				"of a step with --geometry: where it begins in the job"),
			.has_arg = 1,
			.val = TORUS_WORDS,
			.cb = take_base,
		};

		/* An option of srun alone: where a step on a sub-box begins. */
		if (spank_option_register(sp, &base) != ESPANK_SUCCESS) {
			slurm_error("torus: --base cannot be registered");
			return ESPANK_ERROR;
		}
	}
	if (context == S_CTX_REMOTE)
		return ESPANK_SUCCESS;
	wipe_options();
	if (!is_step()) {
		static const char *const placement[] = { PLACEMENT_NAMES };

		for (size_t i = 0; i < sizeof(placement) / sizeof(*placement);
		     i++)
			unsetenv(placement[i]);
		take_defaults();
	}
	return ESPANK_SUCCESS;
}

/* Checking the options */

/* Print a line of the form "--NAME: TEXT"; if the word came from the environment, name
 * the variable. */
static void say_line(const char *line)
{
	char variable[NAME_SIZE];

	for (enum torus_word i = 0; i < TORUS_WORDS; i++) {
		const char *name = torus_request_word[i].name;
		size_t length = strlen(name);

		if (!asked[i].present || asked[i].typed ||
		    strncmp(line, "--", 2) != 0 ||
		    strncmp(line + 2, name, length) != 0 ||
		    line[2 + length] != ':')
			continue;
		spank_join(variable, spank_prefix(),
			   torus_request_word[i].variable);
		slurm_error("torus: %s in the environment%s", variable,
			    line + 2 + length);
		return;
	}
	slurm_error("torus: %s", line);
}

/* A flag from the environment is neither yes nor no: refuse it. */
static int check_flag(enum torus_word i)
{
	char variable[NAME_SIZE];
	const char *word;

	if (!torus_word_is_flag(i) || asked[i].typed)
		return 0;
	spank_join(variable, spank_prefix(), torus_request_word[i].variable);
	word = getenv(variable);
	if (!word || says_yes(word))
		return 0;
	slurm_error("torus: %s in the environment: got \"%.40s\": expected yes or no",
		    variable, word);
	return -1;
}

static int check_words(void)
{
	struct torus_request_words words = { 0 };
	struct torus_request request;
	struct torus_error err;
	char *rest = err.text, *line;

	for (enum torus_word i = 0; i < TORUS_WORDS; i++) {
		if (asked[i].present)
			torus_request_words_set(&words, i, asked[i].word);
		if (asked[i].present && check_flag(i))
			return -1;
	}
	torus_error_clear(&err);
	if (torus_request_parse(&request, &words, &err) == 0)
		return 0;
	while ((line = strsep(&rest, "\n")))
		say_line(line);
	return -1;
}

/* Of libslurmfull, which sbatch, salloc and srun are linked with. */
extern slurm_conf_t slurm_conf __attribute__((weak));

/*
 * Count a job of the command, or a part of a heterogeneous job: the command calls
 * slurm_spank_init_post_opt() for each. With sched/torus slurmctld refuses such jobs
 * before its plugins see them, without a reason, so give it here. The command has
 * loaded its configuration; with --clusters that is the local cluster's, so name it.
 */
static void count_het_part(void)
{
	static unsigned int parts;

	if (++parts != 2 || !&slurm_conf || !slurm_conf.schedtype ||
	    strcmp(slurm_conf.schedtype, "sched/torus") != 0)
		return;
	slurm_error("torus: cluster %s has SchedulerType=sched/torus, and slurmctld takes heterogeneous jobs (\":\") with sched/backfill only: ask the administrator for SchedulerType=sched/backfill, which works with select/torus, or submit the parts as separate jobs with --dependency",
		    slurm_conf.cluster_name);
}

/* Return true if the command may submit to another cluster, whose slurm.conf is not
 * known here. */
static bool is_for_other_cluster(void)
{
	static const char *const variable[] = { "SLURM_CLUSTERS",
						"SBATCH_CLUSTERS",
						"SALLOC_CLUSTERS" };
	FILE *f = fopen("/proc/self/cmdline", "re");
	char *word = NULL;
	size_t size = 0;
	bool other = false;

	for (size_t i = 0; i < sizeof(variable) / sizeof(*variable); i++)
		other |= getenv(variable[i]) != NULL;
	while (f && getdelim(&word, &size, '\0', f) > 0)
		other |= strncmp(word, "-M", 2) == 0 ||
			 strncmp(word, "--cluster", 9) == 0;
	free(word);
	if (f)
		fclose(f);
	return other;
}

/* Return true if `list`, of words with commas, has the word. */
static bool spank_lists(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list && *list; list += strcspn(list, ","), list += *list == ',') {
		if (strcspn(list, ",") == length &&
		    strncmp(list, word, length) == 0)
			return true;
	}
	return false;
}

/*
 * Refuse a shape where no plugin of slurmctld would read it: the job would run on some
 * nodes, without a word. (After a rollback of slurm.conf, with plugstack.conf left as it
 * was.) For other clusters, and jobs that waited then, slurm_spank_task_init() does.
 */
static int check_cluster(void)
{
	bool selects, submits;

	if (!&slurm_conf || !slurm_conf.select_type || is_for_other_cluster())
		return 0;
	selects = strcmp(slurm_conf.select_type, "select/torus") == 0 ||
		  strcmp(slurm_conf.select_type, "select/torus_cons_tres") == 0;
	submits = spank_lists(slurm_conf.job_submit_plugins, "torus") ||
		  spank_lists(slurm_conf.job_submit_plugins, "job_submit/torus");
	if (selects && submits)
		return 0;
	slurm_error("torus: cluster %s does not allocate shapes: its slurm.conf has SelectType=%s%s; submit without --geometry, or ask the administrator for SelectType=select/torus (or select/torus_cons_tres) and JobSubmitPlugins=torus",
		    slurm_conf.cluster_name, slurm_conf.select_type,
		    submits ? "" : " and no JobSubmitPlugins=torus");
	return -1;
}

/* The words of a step: the others ask for a job's nodes. */
static int prepare_step(void)
{
	struct step_words words = { .base = *asked_base ? asked_base : NULL };
	struct torus_error err = { 0 };
	enum torus_rank_order order;

	for (enum torus_word i = 0; i < TORUS_WORDS; i++) {
		if (!asked[i].present)
			continue;
		if (i == TORUS_WORD_GEOMETRY) {
			words.geometry = asked[i].word;
		} else if (i == TORUS_WORD_RANK_ORDER) {
			words.rank_order = asked[i].word;
		} else if (i == TORUS_WORD_NO_ROTATE) {
			words.no_rotate = true;
		} else {
			slurm_error("torus: --%s asks for nodes of a job, but this srun runs a step on the nodes of job %s: omit it",
				    torus_request_word[i].name,
				    getenv("SLURM_JOB_ID"));
			return -1;
		}
	}
	if (words.rank_order &&
	    torus_rank_order_parse("--rank-order", words.rank_order, &order,
				   &err)) {
		slurm_error("torus: %s", err.text);
		return -1;
	}
	return step_prepare(&words);
}

int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	spank_context_t context = spank_context();
	bool any = false;
	int rc = 0;

	(void)argc;
	(void)argv;
	if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR)
		return ESPANK_SUCCESS;
	if (!is_step())
		count_het_part();
	/* Defaults of the environment that need a shape do not apply to a job without one: it
	 * runs as under stock Slurm. */
	if (!asked[TORUS_WORD_GEOMETRY].present) {
		for (enum torus_word i = 0; i < TORUS_WORDS; i++) {
			if (!asked[i].typed)
				asked[i].present = false;
		}
	}
	for (enum torus_word i = 0; i < TORUS_WORDS; i++)
		any |= asked[i].present;
	if (is_step()) {
		if (any || *asked_base)
			rc = prepare_step();
		any = false;
	} else if (*asked_base) {
		slurm_error(
			"torus: --base is where a step begins in its job's shape: omit it, or use srun inside a job");
		return spank_refuse();
	}
	if (any)
		rc = check_words();
	if (rc == 0 && any)
		rc = check_cluster();
	if (rc)
		return spank_refuse();
	for (enum torus_word i = 0; i < TORUS_WORDS; i++) {
		if (asked[i].present)
			spank_job_control_setenv(sp, torus_request_word[i].entry,
						 asked[i].word, 1);
		else
			spank_job_control_unsetenv(sp,
						   torus_request_word[i].entry);
	}
	wipe_options(); /* or the job would inherit the defaults */
	memset(asked, 0, sizeof(asked));
	asked_base[0] = '\0';
	return ESPANK_SUCCESS;
}

/* srun has its nodes. Without PrologFlags=Alloc their prologs get what srun passes, not
 * what slurmctld has: pass the place from the answer of slurmctld. */
int slurm_spank_local_user_init(spank_t sp, int argc, char **argv)
{
	static const char *const placement[] = { PLACEMENT_NAMES };

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < sizeof(placement) / sizeof(*placement); i++) {
		const char *value = getenv(placement[i]);

		if (value)
			spank_job_control_setenv(sp, placement[i], value, 1);
	}
	step_created();
	return ESPANK_SUCCESS;
}

int slurm_spank_task_init(spank_t sp, int argc, char **argv)
{
	char name[NAME_SIZE], text[TORUS_GEOMETRY_SIZE];
	uint32_t step = 0;

	(void)argc;
	(void)argv;
	spank_join(name, REQ_PARENT,
		   torus_request_word[TORUS_WORD_GEOMETRY].entry);
	/* (a step of srun may begin without the job's environment) */
	if (spank_get_item(sp, S_JOB_STEPID, &step) == ESPANK_SUCCESS &&
	    step == SLURM_BATCH_SCRIPT &&
	    spank_getenv(sp, name, text, sizeof(text)) == ESPANK_SUCCESS &&
	    spank_getenv(sp, ENV_GEOMETRY, text, sizeof(text)) ==
		    ESPANK_ENV_NOEXIST) {
		slurm_error(
			"torus: the job asked for a shape but got nodes that form none: slurmctld ran without select/torus when it started; the script is not run");
		return -1;
	}
	coord_of_task(sp);
	return ESPANK_SUCCESS;
}

int slurm_spank_task_init_privileged(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	coord_rank_file(sp);
	return ESPANK_SUCCESS;
}

int slurm_spank_exit(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (spank_context() == S_CTX_REMOTE)
		coord_rank_file_remove(sp);
	return ESPANK_SUCCESS;
}
