/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus check-config: read a torus.yaml like slurmctld, report every error (a line
 * each: FILE:LINE: KEY: ...), or summarize the machine.
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file.h"
#include "config/hostlist.h"
#include "storus/base/json.h"
#include "storus/base/table.h"
#include "storus/machine/source.h"
#include "replay/slurm_conf.h"
#include "torus/config.h"
#include "torus/discipline.h"

struct check_config_words {
	const char *path, *conf;
	struct storus_table table;
	bool own_conf; /* conf is the one of this host's Slurm */
};

static const struct storus_option options[] = {
	{ "slurm-conf", "FILE",
	  "the slurm.conf that must have all nodes of the toruses; default:\n"
	  "$SLURM_CONF, else /etc/slurm/slurm.conf if it exists",
	  STORUS_TO(struct check_config_words, conf) },
	STORUS_TABLE_OPTIONS(struct check_config_words, table),
	{ 0 },
};

static json_t *check_config_rotate(const json_t *row, bool csv)
{
	json_t *rotate = json_object_get(row, "rotate");

	return csv ? json_incref(rotate) :
		     json_string(json_is_true(rotate) ? "yes" : "no");
}

static const struct storus_column columns[] = {
	{ "name", 'N', "torus", .width = -5 },
	{ "machine", 'm', "machine", .width = -7 },
	{ "nodes", 'D', "nodes", .width = 8 },
	{ "strategy", 's', "strategy", .width = -8 },
	/* the other strategies that a job may ask for */
	{ "allow", 'a', "allowed", .width = -7 },
	{ "rotate", 'r', "rotate", .width = -6, .value = check_config_rotate },
	{ "cells", 'c', "cells", .width = 8, .more = true },
	{ "named", 'n', "named", .width = -5, .more = true },
	{ 0 },
};

static void print_box(const char *before, const uint32_t *extent, uint32_t dims)
{
	storus_print("%s", before);
	for (uint32_t d = 0; d < dims; d++)
		storus_print("%s%u", d ? "x" : "", extent[d]);
}

static json_t *options_json(const struct torus_options *set)
{
	json_t *o = json_object();

	for (uint32_t i = 0; i < set->used; i++)
		json_object_set_new(o, set->item[i].key,
				    json_string(set->item[i].value));
	return o;
}

/* Describe the pod, with its unit, grain and nodes per vertex if it has any. */
static json_t *divided_pod_json(const struct torus_config *c, uint32_t p)
{
	const struct torus *t = &c->machine.pod[p].torus;
	json_t *pod;
	const struct torus_pod *shape;
	char machine[TORUS_STRING_SIZE];
	json_t *allow;

	shape = &c->machine.pod[p];
	allow = json_array();
	for (uint32_t i = 1; i < shape->strategies; i++)
		json_array_append_new(allow,
				      json_string(shape->strategy[i]->name));
	torus_format(&shape->torus, machine, sizeof(machine));
	pod = json_pack("{s:s, s:s, s:I, s:I, s:b, s:s, s:o, s:o, s:b}", "name",
			shape->torus.name, "machine", machine, "cells",
			(json_int_t)shape->torus.nodes, "nodes",
			(json_int_t)shape->present_nodes, "named",
			c->names[p] != NULL, "strategy",
			shape->strategy[0]->name, "options",
			options_json(&shape->options), "allow", allow, "rotate",
			!shape->no_rotate);
	if (torus_plain(t))
		return pod;
	json_object_set_new(pod, "unit", storus_json_counts(t->unit, t->dims));
	json_object_set_new(pod, "grain", storus_json_counts(t->grain, t->dims));
	json_object_set_new(pod, "per_vertex", json_integer(t->per_vertex));
	return pod;
}

/* Seconds, whole ones as an integer. */
static json_t *check_config_seconds(int64_t us)
{
	return us % 1000000 ? json_real((double)us / 1e6) :
			      json_integer(us / 1000000);
}

static json_t *check_config_json(const struct torus_config *c, json_t *toruses)
{
	json_t *notices = json_array();
	const char *line = c->notices.text;

	while (*line) {
		size_t n = strcspn(line, "\n");

		json_array_append_new(notices, json_stringn(line, n));
		line += n + (line[n] == '\n');
	}
	return json_pack("{s:i, s:s, s:I, s:o, s:o, s:o}", "schema", 1, "file",
			 c->path, "nodes", (json_int_t)c->machine.nodes,
			 "toruses", toruses, "scheduler",
			 json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:o}",
				   "discipline", c->scheduler.discipline->name,
				   "order",
				   c->scheduler.order_by_priority ? "priority" :
								    "arrival",
				   "wait_limit_s",
				   c->scheduler.wait_limit_us == TORUS_NO_TIME ?
					   json_null() :
					   check_config_seconds(
						   c->scheduler.wait_limit_us),
				   "mean_hold_s",
				   c->scheduler.mean_hold_us > 0 ?
					   check_config_seconds(
						   c->scheduler.mean_hold_us) :
					   json_null(),
				   "backfill_places",
				   (json_int_t)c->scheduler.backfill_places,
				   "reservations",
				   (json_int_t)(c->scheduler.discipline->reserves ?
							c->scheduler.reservations :
							0),
				   "options",
				   options_json(&c->scheduler.options)),
			 "notices", notices);
}

/* Print the lines unchanged, so that an editor finds FILE:LINE. */
static int print_errors(const struct torus_error *err)
{
	fprintf(stderr, "%s\n", err->text);
	return errno == ENOMEM ? STORUS_TROUBLE : STORUS_USAGE;
}

#define SHOWN 5 /* missing nodes that are named */

/* Report each torus with nodes that slurm.conf lacks. */
static void find_missing(const struct torus_config *c,
			 const struct torus_slurm_conf *names, const char *conf,
			 struct torus_error *err)
{
	for (uint32_t p = 0; p < c->machine.pods; p++) {
		const struct torus *t = &c->machine.pod[p].torus;
		char list[SHOWN * HOSTLIST_NAME_SIZE] = "";
		uint32_t missing = 0;

		for (uint32_t i = 0; c->names[p] && i < t->nodes; i++) {
			const char *name = c->names[p][i];
			size_t used = strlen(list);

			if (!name || torus_slurm_conf_has(names, name))
				continue;
			if (missing++ < SHOWN)
				snprintf(list + used, sizeof(list) - used,
					 "%s%s", used ? "," : "", name);
		}
		if (missing)
			torus_error_add(err,
					"%s: nodes: torus %s has %u node%s that %s does not have: %s%s",
					c->path, t->name, missing,
					missing == 1 ? "" : "s", conf, list,
					missing > SHOWN ? ",..." : "");
	}
}

/* Files and directories, as slurmctld finds them */

/* Find SlurmUser in the user database; NULL: unknown. */
static const struct passwd *slurm_user(const struct torus_slurm_conf *conf)
{
	const char *name = conf->setting[SLURM_CONF_USER].value;
	const struct passwd *user = getpwnam(name ? name : "root");
	uint64_t id;

	if (user || !name)
		return user;
	return torus_number_whole(name, 0, UINT32_MAX, &id) ?
		       getpwuid((uid_t)id) :
		       NULL;
}

#define GROUPS 256

static bool user_may_write(const struct passwd *user, const struct stat *st)
{
	gid_t group[GROUPS];
	int n = GROUPS;

	if (user->pw_uid == 0)
		return true;
	if (st->st_uid == user->pw_uid)
		return (st->st_mode & 0300) == 0300;
	getgrouplist(user->pw_name, user->pw_gid, group, &n);
	for (int i = 0; i < n && i < GROUPS; i++) {
		if (group[i] == st->st_gid)
			return (st->st_mode & 0030) == 0030;
	}
	return (st->st_mode & 0003) == 0003;
}

/* Check the directory of the file. user NULL: unknown, any may write. */
static void check_directory(const struct torus_config *c, const char *key,
			    const char *file, const struct passwd *user,
			    struct torus_error *err)
{
	const char *owner = user ? user->pw_name : "SlurmUser";
	char dir[TORUS_PATH_SIZE];
	struct stat st;

	if (!*file)
		return;
	snprintf(dir, sizeof(dir), "%s", file);
	strrchr(dir, '/')[dir[1] && strrchr(dir, '/') == dir] = '\0';
	if (stat(dir, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			torus_error_add(err,
					"%s: %s: got \"%s\", but there is no directory %s: expected one that SlurmUser can write to; run install -d -o %s %s",
					c->path, key, file, dir, owner, dir);
	} else if (!S_ISDIR(st.st_mode)) {
		torus_error_add(err,
				"%s: %s: got \"%s\", but %s is no directory: expected one that SlurmUser can write to",
				c->path, key, file, dir);
	} else if (user && !user_may_write(user, &st)) {
		torus_error_add(err,
				"%s: %s: got \"%s\", but %s belongs to user %u and has the mode %04o: expected a directory that SlurmUser (%u) can write to; run chown %s %s",
				c->path, key, file, dir, (unsigned)st.st_uid,
				(unsigned)(st.st_mode & 07777),
				(unsigned)user->pw_uid, owner, dir);
	} else if (stat(file, &st) == 0 && !S_ISREG(st.st_mode)) {
		torus_error_add(err,
				"%s: %s: got \"%s\": expected a regular file",
				c->path, key, file);
	}
}

/* Return true if slurmctld with this slurm.conf reads this torus.yaml. */
static bool is_in_force(const char *path, const char *conf)
{
	char beside[PATH_MAX];
	struct stat a, b;

	torus_slurm_conf_beside(conf, "torus.yaml", beside, sizeof(beside));
	return stat(path, &a) == 0 && stat(beside, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * Check owner and mode of torus.yaml and the links files, if slurmctld reads this
 * torus.yaml (of another one, whether everybody can write to it), and the directories
 * of the files that slurmctld writes. user NULL: unknown.
 */
static void check_files(const struct torus_config *c, const char *path,
			bool in_force, const struct passwd *user,
			struct torus_error *err)
{
	struct stat st;

	if (in_force && user) {
		torus_file_check_owner(path, user->pw_uid, err);
		for (uint32_t p = 0; p < c->machine.pods; p++) {
			if (c->links[p])
				torus_file_check_owner(c->links[p],
						       user->pw_uid, err);
		}
	} else if (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		   st.st_mode & S_IWOTH) {
		torus_file_check_owner(path, st.st_uid, err);
	}
	check_directory(c, "plan_file", c->live.plan_file, user, err);
	check_directory(c, "journal", c->live.journal, user, err);
}

/*
 * Compare with slurm.conf and the files of this host. What keeps a torus.yaml from
 * working that slurmctld does not read (yet) is a notice. -1 with lines in err.
 */
static int check_config_compare(struct torus_config *c,
				const struct torus_slurm_conf *conf,
				const struct check_config_words *w,
				struct torus_error *err)
{
	bool in_force = w->conf && is_in_force(w->path, w->conf);

	if (w->conf) {
		find_missing(c, conf, w->conf, err);
		torus_slurm_conf_check(conf, w->conf, w->own_conf, err);
	}
	check_files(c, w->path, in_force, w->conf ? slurm_user(conf) : NULL,
		    in_force ? err : &c->notices);
	errno = EINVAL;
	return err->count ? -1 : 0;
}

/* Write the toruses; as sentences also the scheduler and the notices. */
static int check_config_print(const struct torus_config *c,
			      struct check_config_words *w)
{
	bool asked = storus_table_asked(&w->table);
	const char *line = c->notices.text;
	int status;
	char text[32] = "none";

	if (!asked && !w->table.json)
		storus_print("%s: no mistakes, %u node%s in %u torus%s\n",
			     c->path, c->machine.nodes,
			     c->machine.nodes == 1 ? "" : "s", c->machine.pods,
			     c->machine.pods == 1 ? "" : "es");
	w->table.gap = 2;
	w->table.narrow = true;
	for (uint32_t p = 0; p < c->machine.pods; p++)
		storus_table_row(&w->table, divided_pod_json(c, p));
	if (w->table.json)
		return storus_json_write(&storus_check_config,
					 check_config_json(c,
							   storus_table_rows(
								   &w->table)),
					 w->table.json);
	status = storus_table_end(&storus_check_config, &w->table);
	if (asked)
		return status;
	/* a line for each torus with a unit, grain or several nodes per vertex */
	for (uint32_t p = 0; p < c->machine.pods; p++) {
		const struct torus *t = &c->machine.pod[p].torus;

		if (torus_plain(t))
			continue;
		storus_print("%s: ", t->name);
		if (t->per_vertex > 1)
			storus_print("%u nodes at each vertex", t->per_vertex);
		else
			print_box("a node is ", t->unit, t->dims);
		print_box(", regions are multiples of ", t->grain, t->dims);
		storus_print("\n");
	}
	if (c->scheduler.wait_limit_us != TORUS_NO_TIME)
		torus_duration_format(c->scheduler.wait_limit_us, text,
				      sizeof(text));
	storus_print("scheduler: %s, order %s, wait limit %s",
		     c->scheduler.discipline->name,
		     c->scheduler.order_by_priority ? "priority" : "arrival",
		     text);
	if (c->scheduler.backfill_places != 1)
		storus_print(", backfill places %u",
			     c->scheduler.backfill_places);
	if (c->scheduler.discipline->reserves && c->scheduler.reservations != 1)
		storus_print(", reservations %u", c->scheduler.reservations);
	if (c->scheduler.mean_hold_us > 0) {
		torus_duration_format(c->scheduler.mean_hold_us, text,
				      sizeof(text));
		storus_print(", mean hold %s", text);
	}
	for (uint32_t i = 0; i < c->scheduler.options.used; i++)
		storus_print(", %s %s", c->scheduler.options.item[i].key,
			     c->scheduler.options.item[i].value);
	storus_print("\n");
	while (*line) {
		size_t n = strcspn(line, "\n");

		storus_print("notice: %.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
	return status;
}

/* Return the only_in of torus/policy.h: the directories of policies, if slurm.conf says
 * them and slurmctld reads this torus.yaml. */
static const char *policy_directories(const struct torus_slurm_conf *conf,
				      const struct check_config_words *w)
{
	const char *set = conf->setting[SLURM_CONF_PLUGINS].value;

	return set && is_in_force(w->path, w->conf) ? set : "";
}

static int check_config_check(struct check_config_words *w)
{
	struct torus_error err = { 0 }, conf_err = { 0 };
	struct torus_slurm_conf names = { 0 };
	struct torus_config *c;
	int status = STORUS_DONE;

	if (w->conf)
		torus_slurm_conf_read(&names, w->conf, &conf_err);
	c = torus_config_read_live(w->path, policy_directories(&names, w), &err);
	if (c)
		torus_scheduler_live(&c->scheduler);
	if (!c) {
		status = print_errors(&err);
	} else if (conf_err.count) {
		errno = EINVAL;
		status = print_errors(&conf_err);
	} else if (check_config_compare(c, &names, w, &err)) {
		status = print_errors(&err);
	} else {
		status = check_config_print(c, w);
		if (w->conf && status == STORUS_DONE && !w->table.json &&
		    !storus_table_asked(&w->table)) {
			char shown[PATH_MAX];
			uint32_t named = 0;

			for (size_t i = 0; i < names.names; i++)
				named += torus_config_node(c, names.name[i]) !=
					 UINT32_MAX;
			snprintf(shown, sizeof(shown), "%s", w->conf);
			torus_error_plain(shown);
			storus_print("%s: %zu node%s, %zu of them in no torus\n",
				     shown, names.names,
				     names.names == 1 ? "" : "s",
				     names.names - named);
		}
	}
	torus_slurm_conf_free(&names);
	torus_config_destroy(c);
	return status;
}

static int check_config_run(void *words)
{
	struct check_config_words *w = words;
	char path[PATH_MAX];

	if (!w->path)
		w->path = storus_config_path(path, sizeof(path));
	w->own_conf = !w->conf && access(torus_slurm_conf_path(), R_OK) == 0;
	if (w->own_conf)
		w->conf = torus_slurm_conf_path();
	return check_config_check(w);
}

const struct storus_command storus_check_config = {
	.name = "check-config",
	.summary = "check a torus.yaml: report every mistake, or print a summary",
	.usage = "[FILE] [OPTION]...",
	.about =
		"FILE: a torus.yaml, or a topology.yaml of Slurm with a torus3d block; without\n"
		"it, torus.yaml beside $SLURM_CONF, else /etc/slurm/torus.yaml. With a slurm.conf\n"
		"it also checks that slurm.conf has the nodes, that its plugins and\n"
		"plugstack.conf agree, and for the torus.yaml beside it owner, mode and the\n"
		"directories of plan_file, journal and policies. A policy in a shared object is\n"
		"checked as slurmctld does. Mistakes go to stderr, one line each with file, line\n"
		"and key (exit status 2). See torus.yaml(5).",
	.options = options,
	STORUS_WORDS(struct check_config_words, .table.column = columns),
	.operand = { .value = "file",
		     STORUS_TO(struct check_config_words, path) },
	.examples = "  storus check-config\n"
		    "  storus check-config new.yaml --slurm-conf slurm.conf\n"
		    "  storus check-config /etc/slurm/torus.yaml\n"
		    "  storus check-config topology.yaml --json=machine.json\n",
	.run = check_config_run,
};
