/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do the plugins that slurm.conf and plugstack.conf name work together (slurm_conf.h)?
 * The rules for sched/torus are those of slurmctld (plugins/slurmctld/host/parameters.c).
 * plugstack.conf is read as Slurm reads it: # begins a comment, "include" has a pattern
 * of files, in the directory of the file that includes them; a file that is not there is
 * an empty one.
 */
#include "replay/slurm_conf.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/file.h"
#include "torus/alloc.h"

#define SPANK "spank_torus.so"
#define INCLUDES 8 /* depth */

/* Return true if `word` is one of the comma-separated words, with KIND/ before it or
 * without. */
static bool plugins_have(const char *list, const char *kind, const char *word)
{
	size_t before = strlen(kind), length = strlen(word);

	while (list && *list) {
		size_t n = strcspn(list, ",");
		bool named = before && n > before + 1 && list[before] == '/' &&
			     strncmp(list, kind, before) == 0;
		const char *at = named ? list + before + 1 : list;

		if (n - (size_t)(at - list) == length &&
		    strncasecmp(at, word, length) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* Report a setting: where it is, what it is, what is expected and what to do. */
static void plugins_report(const struct torus_slurm_conf *c, int setting,
			   const char *key, const char *conf,
			   const char *expected, struct torus_error *err)
{
	const struct torus_slurm_setting *s = &c->setting[setting];

	if (s->value)
		torus_error_add(err, "%s:%u: %s: got \"%.200s\", expected %s",
				s->file, s->line, key, s->value, expected);
	else
		torus_error_add(err, "%s: %s: not set, expected %s", conf, key,
				expected);
}

/* plugstack.conf */

struct plugstack {
	struct torus_error *err;
	bool required;           /* a line that requires SPANK */
	char optional[PATH_MAX]; /* FILE:LINE of one that does not; "": none */
	char first[PATH_MAX];    /* of the first line of either kind */
};

static int plugstack_read(struct plugstack *p, const char *path, int depth);

static int plugstack_take_line(struct plugstack *p, char *line,
			       const char *path, unsigned number, int depth)
{
	char *rest, *word, *name;
	const char *slash;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, " \t\r", &rest);
	name = word ? strtok_r(NULL, " \t\r", &rest) : NULL;
	if (!name)
		return 0;
	if (strcmp(word, "include") == 0) {
		char named[PATH_MAX];
		glob_t found;
		int rc = 0;

		torus_slurm_conf_beside(path, name, named, sizeof(named));
		if (glob(named, 0, NULL, &found))
			return 0;
		for (size_t i = 0; i < found.gl_pathc && rc == 0; i++)
			rc = plugstack_read(p, found.gl_pathv[i], depth + 1);
		globfree(&found);
		return rc;
	}
	slash = strrchr(name, '/');
	if (strcmp(slash ? slash + 1 : name, SPANK) != 0 ||
	    (strcmp(word, "required") != 0 && strcmp(word, "optional") != 0))
		return 0;
	if (!*p->first)
		snprintf(p->first, sizeof(p->first), "%s:%u", path, number);
	if (strcmp(word, "required") == 0)
		p->required = true;
	else if (!*p->optional)
		snprintf(p->optional, sizeof(p->optional), "%s:%u", path,
			 number);
	return 0;
}

static int plugstack_read(struct plugstack *p, const char *path, int depth)
{
	char *text, *rest, *line;
	unsigned number = 0;
	size_t length;
	int rc = 0;

	if (depth == INCLUDES)
		return torus_error_add(p->err, "%s: %s", path, strerror(ELOOP));
	text = rest = torus_file_text(path, &length, p->err);
	if (!text)
		return -1;
	while (rc == 0 && (line = strsep(&rest, "\n")))
		rc = plugstack_take_line(p, line, path, ++number, depth);
	torus_free(text);
	return rc;
}

/* uses: slurm.conf has a plugin that reads shapes. */
static void plugins_check_plugstack(const char *path, const char *conf,
				    bool uses, struct torus_error *err)
{
	struct plugstack p = { .err = err };

	if (plugstack_read(&p, path, 0))
		return;
	if (!uses && *p.first)
		torus_error_add(err,
				"%s: " SPANK
				": %s has neither SelectType=select/torus nor JobSubmitPlugins=torus: --geometry is refused; remove the line, or set both",
				p.first, conf);
	if (uses && *p.optional && !p.required)
		torus_error_add(err,
				"%s: " SPANK
				": got \"optional\", expected \"required " SPANK
				"\": an optional plugin that cannot be loaded is left out, and scripts with --geometry run without their shape",
				p.optional);
	if (uses && !*p.first)
		torus_error_add(err,
				"%s: " SPANK
				": no such line, expected \"required " SPANK
				"\": without it sbatch has no --geometry; add the line on submit hosts and compute nodes",
				path);
}

static bool plugins_same_directory(const char *a, const char *b)
{
	const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
	size_t n = x ? (size_t)(x - a) : 0;

	return n == (y ? (size_t)(y - b) : 0) && strncmp(a, b, n) == 0;
}

void torus_slurm_conf_check(const struct torus_slurm_conf *c, const char *conf,
			    bool own, struct torus_error *err)
{
	const char *type = c->setting[SLURM_CONF_SELECT].value;
	const char *stack = c->setting[SLURM_CONF_PLUGSTACK].value;
	bool select = plugins_have(type, "select", "torus") ||
		      plugins_have(type, "select", "torus_cons_tres");
	bool submit = plugins_have(c->setting[SLURM_CONF_SUBMIT].value,
				   "job_submit", "torus");
	bool sched = plugins_have(c->setting[SLURM_CONF_SCHEDULER].value,
				  "sched", "torus");
	char path[PATH_MAX];

	if (!select && (submit || sched))
		plugins_report(c, SLURM_CONF_SELECT, "SelectType", conf,
			       sched ? "select/torus or select/torus_cons_tres with SchedulerType=sched/torus: slurmctld refuses to start without it" :
				       "select/torus (in place of select/linear) or select/torus_cons_tres (of select/cons_tres) with JobSubmitPlugins=torus: shapes run on any nodes without it",
			       err);
	if (!submit && (select || sched))
		plugins_report(c, SLURM_CONF_SUBMIT, "JobSubmitPlugins", conf,
			       select ?
				       "\"torus\" in it with SelectType=select/torus: shapes have no node count and never start without it; write JobSubmitPlugins=torus" :
				       "\"torus\" in it with SchedulerType=sched/torus: shapes have no node count and never start without it; write JobSubmitPlugins=torus",
			       err);
	if (sched) {
		const char *value = c->setting[SLURM_CONF_PARAMETERS].value;

		if (!plugins_have(value, "", "sched_interval=-1"))
			plugins_report(c, SLURM_CONF_PARAMETERS,
				       "SchedulerParameters", conf,
				       "\"sched_interval=-1\" with SchedulerType=sched/torus, so that slurmctld's main loop starts no jobs; write SchedulerParameters=sched_interval=-1,defer",
				       err);
		if (!plugins_have(value, "", "defer"))
			plugins_report(c, SLURM_CONF_PARAMETERS,
				       "SchedulerParameters", conf,
				       "\"defer\" with SchedulerType=sched/torus, so that no job starts during submission; write SchedulerParameters=sched_interval=-1,defer",
				       err);
	}
	torus_slurm_conf_beside(conf, stack ? stack : "plugstack.conf", path,
				sizeof(path));
	if (access(path, F_OK) == 0 &&
	    (own || plugins_same_directory(path, conf)))
		plugins_check_plugstack(path, conf, select || submit || sched,
					err);
}
