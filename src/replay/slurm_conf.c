/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads settings (slurm_conf.h) as slurm.conf(5) describes them: keys in
 * any case, # begins a comment, a backslash at the end joins two lines (not in a comment),
 * elsewhere it stands before a character that means nothing special; Include names a file,
 * in the directory of the file that includes it unless it is absolute; %c is ClusterName.
 * O(names log names).
 */
#include "replay/slurm_conf.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
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
	char cluster[64]; /* ClusterName, if it came already */
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
	[SLURM_CONF_PLUGINS] = "PluginDir",
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
	int n = *name == '/' || !slash ?
			snprintf(path, size, "%s", name) :
			snprintf(path, size, "%.*s%s", (int)(slash - conf + 1),
				 conf, name);

	if (n < 0 || (size_t)n >= size)
		*path = '\0'; /* no file has a name so long */
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

static int slurm_conf_include(struct slurm_conf_reader *r, char *name,
			      const char *file, unsigned line, int depth)
{
	char path[4096], full[4096], *format;

	name[strcspn(name, " \t\r")] = '\0';
	format = strstr(name, "%c");
	if (format && !*r->cluster)
		return torus_error_add(r->err,
				       "%s:%u: Include: got \"%.80s\", expected ClusterName in a line before it, for %%c",
				       file, line, name);
	snprintf(full, sizeof(full), "%.*s%s%s",
		 (int)(format ? format - name : (ptrdiff_t)strlen(name)), name,
		 format ? r->cluster : "", format ? format + 2 : "");
	torus_slurm_conf_beside(file, full, path, sizeof(path));
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
		if (!strcasecmp(pair.key, "ClusterName")) {
			snprintf(r->cluster, sizeof(r->cluster), "%s", value);
			for (char *c = r->cluster; *c; c++)
				*c = (char)tolower((unsigned char)*c);
		}
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

	line += strspn(line, " \t");
	if (!strncasecmp(line, include, length) &&
	    (isspace((unsigned char)line[length]) || line[length] == '=')) {
		line += length + strspn(line + length, " \t");
		line += *line == '=';
		return slurm_conf_include(r, line + strspn(line, " \t"), path,
					  number, depth);
	}
	return slurm_conf_take_settings(r, line, path, number);
}

/* Return the length of a line without its comment: # behind an even number of
 * backslashes begins one. */
static size_t slurm_conf_without_comment(const char *line, size_t length)
{
	bool escaped = false;

	for (size_t i = 0; i < length; i++) {
		if (line[i] == '#' && !escaped)
			return i;
		escaped = line[i] == '\\' && !escaped;
	}
	return length;
}

/* Return the length up to the backslash with which the line goes on in the next one;
 * SIZE_MAX: it ends. Blanks may follow the backslash. */
static size_t slurm_conf_goes_on(const char *line, size_t length)
{
	size_t end, from;

	while (length && isspace((unsigned char)line[length - 1]))
		length--;
	for (from = end = length; from && line[from - 1] == '\\';)
		from--;
	return (end - from) % 2 ? end - 1 : SIZE_MAX;
}

/* Remove each backslash that makes the next character an ordinary one. */
static void slurm_conf_unescape(char *line)
{
	char *to = line;

	for (const char *from = line; *from; from++) {
		from += *from == '\\' && from[1];
		*to++ = *from;
	}
	*to = '\0';
}

/* Cut the next line off *rest, with its continuations, without comments. NULL: no more. */
static char *slurm_conf_next_line(char **rest, unsigned *number)
{
	char *line = *rest, *to = line;

	if (!line || !*line)
		return NULL;
	for (;;) {
		char *from = *rest, *end = strchrnul(from, '\n');
		size_t n = slurm_conf_without_comment(from,
						      (size_t)(end - from));
		size_t more = slurm_conf_goes_on(from, n);

		++*number;
		*rest = *end ? end + 1 : end;
		memmove(to, from, more == SIZE_MAX ? n : more);
		to += more == SIZE_MAX ? n : more;
		if (more == SIZE_MAX || !*end)
			break;
	}
	*to = '\0';
	slurm_conf_unescape(line);
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
	if (!strncmp(text, "\xef\xbb\xbf", 3)) /* a byte order mark */
		rest += 3;
	while (rc == 0 && (line = slurm_conf_next_line(&rest, &number)))
		rc = slurm_conf_take_line(r, line, path, number, depth);
	torus_free(text);
	return rc;
}

int torus_slurm_conf_each(const char *path, torus_slurm_each *each, void *arg,
			  struct torus_error *err)
{
	struct slurm_conf_reader r = { .each = each, .arg = arg, .err = err };

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
