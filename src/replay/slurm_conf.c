/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads settings (slurm_conf.h) as slurm.conf(5) describes them: keys in
 * any case, # begins a comment, a backslash at the end joins two lines, Include
 * names a file, in the directory of slurm.conf unless it is absolute.
 * O(names log names).
 */
#include "replay/slurm_conf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/file.h"
#include "config/hostlist.h"
#include "torus/alloc.h"

#define DEFAULT_PATH "/etc/slurm/slurm.conf"
#define INCLUDES 8 /* depth of Include */
#define NODES_MOST (1u << 20)

struct slurm_conf_reader {
	const char *top; /* slurm.conf: relative names start in its directory */
	torus_slurm_each *each;
	void *arg;
	struct torus_error *err;
};

/* For check-config. */
struct slurm_conf_names {
	struct torus_slurm_conf *names;
	bool node; /* in a NodeName line, of which only the names count */
};

static const char *const setting_key[SLURM_CONF_SETTINGS] = {
	[SLURM_CONF_SELECT] = "SelectType",
	[SLURM_CONF_SUBMIT] = "JobSubmitPlugins",
	[SLURM_CONF_SCHEDULER] = "SchedulerType",
	[SLURM_CONF_PARAMETERS] = "SchedulerParameters",
	[SLURM_CONF_PLUGSTACK] = "PlugStackConfig",
	[SLURM_CONF_USER] = "SlurmUser",
};

const char *torus_slurm_conf_path(void)
{
	const char *path = getenv("SLURM_CONF");

	return path && *path ? path : DEFAULT_PATH;
}

void torus_slurm_conf_beside(const char *conf, const char *name, char *path,
			     size_t size)
{
	const char *slash = strrchr(conf, '/');

	if (*name == '/' || !slash)
		snprintf(path, size, "%s", name);
	else
		snprintf(path, size, "%.*s%s", (int)(slash - conf + 1), conf,
			 name);
}

static int slurm_conf_add_name(void *arg, const char *name)
{
	struct torus_slurm_conf *n = arg;

	if (TORUS_GROW(n->name, n->room, n->names + 1))
		return -1;
	n->name[n->names] = strdup(name);
	return n->name[n->names] ? (n->names++, 0) : -1;
}

static int slurm_conf_add_nodes(struct torus_slurm_conf *n,
				const struct torus_slurm_pair *pair,
				struct torus_error *err)
{
	struct torus_error why = { 0 };
	uint32_t count;

	if (strcasecmp(pair->value, "DEFAULT") == 0)
		return 0;
	if (torus_hostlist_count(pair->value, &count, &why))
		return torus_error_add(err, "%s:%u: NodeName: %s", pair->file,
				       pair->line, why.text);
	if (count > NODES_MOST - n->names)
		return torus_error_add(err,
				       "%s:%u: NodeName: got \"%.60s\", expected at most %u nodes in all (Slurm takes 65536)",
				       pair->file, pair->line, pair->value,
				       NODES_MOST);
	if (torus_hostlist_each(pair->value, slurm_conf_add_name, n) == 0)
		return 0;
	torus_error_add(err, "out of memory");
	errno = ENOMEM;
	return -1;
}

static int slurm_conf_read_file(struct slurm_conf_reader *r, const char *path,
				int depth);

static int slurm_conf_include(struct slurm_conf_reader *r, char *name, int depth)
{
	char path[4096];

	name[strcspn(name, " \t\r")] = '\0';
	torus_slurm_conf_beside(r->top, name, path, sizeof(path));
	return slurm_conf_read_file(r, path, depth + 1);
}

/* Hand on the settings of a line, KEY=VALUE or KEY = "VALUE" each. */
static int slurm_conf_take_settings(struct slurm_conf_reader *r, char *at,
				    const char *file, unsigned line)
{
	static const char blank[] = " \t\r";
	struct torus_slurm_pair pair = { .file = file,
					 .line = line,
					 .first = true };
	int rc = 0;

	while (rc == 0 && *(at += strspn(at, blank))) {
		char *end = at + strcspn(at, " \t\r=");
		char *value = end + strspn(end, blank);
		bool quoted;

		if (*value != '=') { /* no setting */
			at = value;
			continue;
		}
		pair.key = at;
		value += 1 + strspn(value + 1, blank);
		*end = '\0';
		quoted = *value == '"';
		value += quoted;
		end = value + strcspn(value, quoted ? "\"" : blank);
		at = end + (*end != '\0');
		*end = '\0';
		pair.value = value;
		rc = r->each(r->arg, &pair, r->err);
		pair.first = false;
	}
	return rc;
}

/* Read a whole line with its continuations. */
static int slurm_conf_take_line(struct slurm_conf_reader *r, char *line,
				const char *path, unsigned number, int depth)
{
	static const char include[] = "Include";
	size_t length = strlen(include);

	line[strcspn(line, "#\n")] = '\0';
	line += strspn(line, " \t");
	if (!strncasecmp(line, include, length) &&
	    (isspace((unsigned char)line[length]) || line[length] == '=')) {
		line += length + strspn(line + length, " \t");
		line += *line == '=';
		return slurm_conf_include(r, line + strspn(line, " \t"), depth);
	}
	return slurm_conf_take_settings(r, line, path, number);
}

/* Cut the next line off *rest, with its continuations. NULL: no more. */
static char *slurm_conf_next_line(char **rest, unsigned *number)
{
	char *line = *rest, *to = line, *end;

	if (!line || !*line)
		return NULL;
	for (;;) {
		end = strchrnul(*rest, '\n');
		++*number;
		memmove(to, *rest, (size_t)(end - *rest));
		to += end - *rest;
		*rest = *end ? end + 1 : end;
		if (!*end || to == line || to[-1] != '\\')
			break;
		to--;
	}
	*to = '\0';
	return line;
}

static int slurm_conf_read_file(struct slurm_conf_reader *r, const char *path,
				int depth)
{
	char *text, *rest, *line;
	unsigned number = 0;
	size_t length;
	int rc = 0;

	if (depth == INCLUDES) {
		torus_error_add(r->err, "%s: %s", path, strerror(ELOOP));
		errno = ELOOP;
		return -1;
	}
	text = rest = torus_file_text(path, &length, r->err);
	if (!text)
		return -1;
	while (rc == 0 && (line = slurm_conf_next_line(&rest, &number)))
		rc = slurm_conf_take_line(r, line, path, number, depth);
	torus_free(text);
	return rc;
}

int torus_slurm_conf_each(const char *path, torus_slurm_each *each, void *arg,
			  struct torus_error *err)
{
	struct slurm_conf_reader r = {
		.top = path, .each = each, .arg = arg, .err = err
	};

	return slurm_conf_read_file(&r, path, 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Keep the nodes' names, and the settings that matter. */
static int slurm_conf_keep(void *arg, const struct torus_slurm_pair *pair,
			   struct torus_error *err)
{
	struct slurm_conf_names *to = arg;

	if (pair->first)
		to->node = !strcasecmp(pair->key, "NodeName");
	if (to->node)
		return pair->first ?
			       slurm_conf_add_nodes(to->names, pair, err) :
			       0;
	for (int i = 0; i < SLURM_CONF_SETTINGS; i++) {
		struct torus_slurm_setting *s = &to->names->setting[i];

		if (strcasecmp(setting_key[i], pair->key))
			continue;
		free(s->value);
		free(s->file);
		s->value = strdup(pair->value);
		s->file = strdup(pair->file);
		s->line = pair->line;
		if (!s->value || !s->file)
			return torus_error_add(err, "out of memory");
	}
	return 0;
}

int torus_slurm_conf_read(struct torus_slurm_conf *n, const char *path,
			  struct torus_error *err)
{
	struct slurm_conf_names to = { .names = n };

	if (torus_slurm_conf_each(path, slurm_conf_keep, &to, err))
		return -1;
	if (n->names)
		qsort(n->name, n->names, sizeof(*n->name), by_name);
	return 0;
}

bool torus_slurm_conf_has(const struct torus_slurm_conf *n, const char *name)
{
	return n->names &&
	       bsearch(&name, n->name, n->names, sizeof(*n->name), by_name);
}

void torus_slurm_conf_free(struct torus_slurm_conf *n)
{
	for (size_t i = 0; i < n->names; i++)
		free(n->name[i]);
	torus_free(n->name);
	for (int i = 0; i < SLURM_CONF_SETTINGS; i++) {
		free(n->setting[i].value);
		free(n->setting[i].file);
	}
	*n = (struct torus_slurm_conf){ 0 };
}
