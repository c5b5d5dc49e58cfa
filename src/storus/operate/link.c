/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus link: show and edit the links files of a machine. An edit replaces the whole
 * file (link.c) and keeps all other lines and comments.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/link_file.h"
#include "format/snapshot.h"
#include "storus/machine/source.h"
#include "storus/base/table.h"
#include "torus/alloc.h"
#include "torus/config.h"
#include "torus/machine.h"
#include "config/file.h"

/* One link of a links file, changed in the file. */

static int link_edit_wrong(const char *path, struct torus_error *err)
{
	return torus_error_add(err, "%s: %s", path, strerror(errno));
}

/* Lock the file that has the name now: another edit may have replaced the one
 * that was opened. -1 with errno. */
static int link_edit_lock(const char *path)
{
	for (;;) {
		int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
		struct stat mine, now;

		if (fd < 0)
			return -1;
		errno = 0;
		if (flock(fd, LOCK_EX) == 0 && fstat(fd, &mine) == 0 &&
		    stat(path, &now) == 0 && mine.st_ino == now.st_ino &&
		    mine.st_dev == now.st_dev)
			return fd;
		close(fd);
		if (errno != 0 && errno != ENOENT && errno != EINTR)
			return -1;
	}
}

/* Write the text to a file beside it, with the old one's owner and mode. */
static int link_edit_write(int like, const char *path,
			   const struct torus_text *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct stat st;
	int rc = fd < 0 ? -1 : 0;

	for (size_t at = 0; rc == 0 && at < text->length;) {
		ssize_t n = write(fd, text->data + at, text->length - at);

		if (n < 0 && errno != EINTR)
			rc = -1;
		at += n > 0 ? (size_t)n : 0;
	}
	if (rc == 0 && (fstat(like, &st) || fchmod(fd, st.st_mode & 07777)))
		rc = -1;
	if (rc == 0 && fchown(fd, st.st_uid, st.st_gid) && errno != EPERM)
		rc = -1;
	if (rc == 0)
		rc = fsync(fd);
	if (fd >= 0 && close(fd))
		rc = -1;
	return rc;
}

/* The file is locked. */
static int link_edit_locked(const struct torus_machine *m, int fd,
			    const char *path, const struct torus_link *link,
			    struct torus_error *err)
{
	struct torus_link_list list = { 0 };
	struct torus_text edited = { 0 };
	size_t length;
	char *text = torus_file_text(path, &length, err);
	int rc = text ? 0 : -1;

	if (rc == 0)
		rc = torus_link_file_parse(m, path, text, length, &list, err);
	if (rc == 0)
		rc = torus_link_file_edit(m, text, length, link, &edited);
	if (rc == 0 && (edited.length != length ||
			memcmp(edited.data, text, length) != 0)) {
		struct torus_text beside = { 0 };

		rc = torus_text_add(&beside, "%s.new", path);
		if (rc == 0) {
			unlink(beside.data); /* of an edit that was killed */
			rc = link_edit_write(fd, beside.data, &edited) ||
					     rename(beside.data, path) ?
				     link_edit_wrong(beside.data, err) :
				     0;
			if (rc)
				unlink(beside.data);
		}
		torus_text_free(&beside);
	}
	if (rc && err->count == 0)
		torus_error_add(err, "out of memory");
	torus_link_list_free(&list);
	torus_text_free(&edited);
	torus_free(text);
	return rc;
}

/*
 * Set the link's line to its health; create the file if it does not exist. The file is
 * replaced as a whole: a reader sees the old or the new one. Edits wait for each other.
 * -1 with lines in err, and the file unchanged.
 */
static int link_edit_file(const struct torus_machine *m, const char *path,
			  const struct torus_link *link, struct torus_error *err)
{
	/* a symbolic link stays one: what it names is replaced */
	char *real = realpath(path, NULL);
	const char *name = real ? real : path;
	int fd = link_edit_lock(name), rc = -1;

	if (fd < 0)
		link_edit_wrong(path, err);
	else
		rc = link_edit_locked(m, fd, name, link, err);
	if (fd >= 0)
		close(fd);
	free(real);
	return rc;
}

#define NAME &storus_link

static const struct storus_column columns[] = {
	{ "link", 'L', "LINK", .width = -24 },
	{ "dim", 'd', "DIM", .width = 3 },
	{ "state", 't', "STATE", .width = -5 },
	{ "to", 'T', "TO", .width = -24 },
	{ "nodes", 'N', "NODES", .width = -1 },
	{ 0 },
};

struct link_options {
	const char *torus, *link_file;
	struct storus_list operand; /* list, down, weak or up first */
	struct storus_table table;
};

static const struct storus_option options[] = {
	{ "torus", "FILE|STRING",
	  "the machine (default: torus.yaml beside slurm.conf)",
	  STORUS_TO(struct link_options, torus) },
	{ "link-file", "FILE", "the links file, in place of torus.yaml's",
	  STORUS_TO(struct link_options, link_file) },
	STORUS_TABLE_OPTIONS(struct link_options, table),
	{ 0 },
};

static void link_vertex_text(const struct torus *t, const uint32_t *at,
			     char *text, size_t size)
{
	int used = snprintf(text, size, "%s", t->name);

	for (uint32_t d = 0; d < t->dims && used >= 0 && (size_t)used < size;
	     d++)
		used += snprintf(text + used, size - (size_t)used, "%c%u",
				 d ? ',' : ':', at[d]);
}

/* The name of the (first) node at a vertex; "": it has none. */
static const char *link_node(const struct torus_config *c, uint32_t p,
			     const uint32_t *at)
{
	const struct torus *t = &c->machine.pod[p].torus;
	uint32_t cell[TORUS_MAX_DIMS] = { 0 };
	const char *name;

	for (uint32_t d = 0; d < t->dims; d++)
		cell[d] = at[d] / t->unit[d];
	name = c->names[p] ? c->names[p][torus_index(t, cell)] : NULL;
	return name ? name : "";
}

/* The two words from operand i on as a link. */
static int link_operand(const struct torus_config *c,
			const struct link_options *w, uint32_t i,
			enum torus_link_health health, struct torus_link *link)
{
	struct torus_error why = { 0 };
	struct torus_text text = { 0 };
	int rc = STORUS_DONE;

	if (torus_text_add(&text, "%s %s", w->operand.word[i],
			   w->operand.word[i + 1]))
		return storus_no_memory(NAME);
	if (torus_link_parse(&c->machine, text.data, link, &why))
		rc = storus_say(NAME, STORUS_USAGE, "got \"%s\": %s", text.data,
				why.text);
	link->health = (uint8_t)health;
	torus_text_free(&text);
	return rc;
}

/* The file that has the link's line. */
static const char *link_path(const struct torus_config *c,
			     const struct link_options *w,
			     const struct torus_link *link)
{
	return w->link_file ? w->link_file : c->links[link->pod];
}

static int link_change(const struct torus_config *c,
		       const struct link_options *w,
		       enum torus_link_health health)
{
	struct torus_error err = { 0 };
	struct torus_link link;
	int rc = STORUS_DONE;

	if (w->operand.count < 3 || w->operand.count % 2 == 0)
		return storus_say(NAME, STORUS_USAGE,
				  "expected TORUS:COORD DIM, for example storus link %s %s:0,0 1",
				  w->operand.word[0],
				  c->machine.pod[0].torus.name);
	/* if one is wrong, nothing is changed */
	for (uint32_t i = 1; i < w->operand.count && rc == STORUS_DONE; i += 2) {
		rc = link_operand(c, w, i, health, &link);
		if (rc == STORUS_DONE && !link_path(c, w, &link))
			rc = storus_say(NAME, STORUS_USAGE,
					"%s: %s has no links file; set links: in torus.yaml",
					c->path,
					c->machine.pod[link.pod].torus.name);
	}
	for (uint32_t i = 1; i < w->operand.count && rc == STORUS_DONE; i += 2) {
		rc = link_operand(c, w, i, health, &link);
		if (rc == STORUS_DONE &&
		    link_edit_file(&c->machine, link_path(c, w, &link), &link,
				   &err))
			rc = storus_say_errors(NAME, STORUS_TROUBLE, &err);
	}
	return rc;
}

static int link_do(const struct torus_config *c, struct link_options *w)
{
	static const char *const verbs[] = { "up", "weak", "down", "list",
					     NULL };
	const char *verb = w->operand.count ? w->operand.word[0] : NULL;
	const char *near;

	for (int i = 0; verbs[i] && verb; i++) {
		if (strcmp(verb, verbs[i]))
			continue;
		if (i != 3)
			return link_change(c, w, (enum torus_link_health)i);
		if (w->operand.count > 1)
			return storus_say(NAME, STORUS_USAGE,
					  "unexpected operand \"%s\"",
					  w->operand.word[1]);
		for (uint32_t j = 0; j < c->machine.links.count; j++) {
			/* A link with its two vertices, and their nodes. */
			const struct torus_link *link =
				&c->machine.links.link[j];
			const struct torus *t = &c->machine.pod[link->pod].torus;
			uint32_t at[TORUS_MAX_DIMS], d = link->dim;
			char from[TORUS_LINK_SIZE], to[TORUS_LINK_SIZE];
			const char *node[2];

			torus_vertex_coord(t, link->vertex, at);
			link_vertex_text(t, at, from, sizeof(from));
			node[0] = link_node(c, link->pod, at);
			at[d] = (at[d] + 1) % (t->size[d] * t->unit[d]);
			link_vertex_text(t, at, to, sizeof(to));
			node[1] = link_node(c, link->pod, at);
			storus_table_row(&w->table,
					 json_pack("{s:s, s:i, s:s, s:s, s:[s, s]}",
						   "link", from, "dim", (int)d,
						   "state",
						   torus_link_health_name(
							   link->health),
						   "to", to, "nodes", node[0],
						   node[1]));
		}
		return storus_table_end_rows(NAME, &w->table, "links",
					     SNAPSHOT_NO_TIME);
	}
	near = verb ? storus_nearest(verb, verbs) : NULL;
	return storus_say(NAME, STORUS_USAGE,
			  "%s%s%s%s%s%s, expected list, down, weak or up",
			  verb ? "got \"" : "nothing given", verb ? verb : "",
			  verb ? "\"" : "", near ? " (did you mean \"" : "",
			  near ? near : "", near ? "\"?)" : "");
}

/* The machine, and what the links file says; a file that does not exist yet has
 * no link. */
static struct torus_config *link_open(const struct link_options *w,
				      struct torus_error *err)
{
	char path[4096];
	struct torus_config *c =
		torus_config_load(w->torus ?
					  w->torus :
					  storus_config_path(path, sizeof(path)),
				  err);

	if (c && w->link_file && access(w->link_file, F_OK) == 0 &&
	    torus_config_link_file(c, w->link_file, err)) {
		torus_config_destroy(c);
		c = NULL;
	}
	return c;
}

static int link_run(void *words)
{
	struct torus_error err = { 0 };
	struct torus_config *c = link_open(words, &err);
	int status = c ? link_do(c, words) :
			 storus_say_errors(NAME, STORUS_USAGE, &err);

	torus_config_destroy(c);
	return status;
}

const struct storus_command storus_link = {
	.name = "link",
	.summary = "list and change the links that are down or weak",
	.usage = "list|down|weak|up [TORUS:COORD DIM]... [OPTION]...",
	.about =
		"A link joins the vertex TORUS:COORD to its + neighbour along dimension DIM. down,\n"
		"weak and up change its line in the links file that torus.yaml names; slurmctld\n"
		"reads the file when it changes. Comments and all other lines stay. No place has a link\n"
		"that is down; weak links count as down unless the job says --links=weak.",
	.options = options,
	STORUS_WORDS(struct link_options, .table.column = columns),
	.operand = { .value = "link", STORUS_TO(struct link_options, operand) },
	.examples =
		"  storus link list\n"
		"  storus link down pod0:2,0,1 1\n"
		"  storus link up pod0:2,0,1 1 pod0:3,0,1 0\n"
		"  storus link weak torus:0,0 1 --torus 4x4 --link-file links.txt\n",
	.run = link_run,
};
