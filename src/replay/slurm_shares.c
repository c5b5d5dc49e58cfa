/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the shares of accounts and users (slurm_site.h): `sacctmgr -P show assoc`, any
 * columns, of which Account, User and Share are needed. An account's parent is in the
 * column "Par Name" (format=...,ParentName), or the account above with less indentation
 * (option `tree`), else the root. A table with the columns Name and Priority, from
 * `sacctmgr -P show qos`, may follow in the same file. O(lines x accounts).
 */
#include "replay/slurm_site.h"

#include <stdio.h>
#include <string.h>

#include "config/file.h"
#include "torus/alloc.h"
#include "torus/number.h"

#define FIELDS 64
#define DEPTH 32

enum share_column {
	COLUMN_ACCOUNT,
	COLUMN_USER,
	COLUMN_PARTITION,
	COLUMN_SHARE,
	COLUMN_PARENT,
	COLUMN_NAME,
	COLUMN_PRIORITY,
	COLUMN_FACTOR,
	COLUMNS
};

static const char *const column_names[COLUMNS][3] = {
	{ "Account" },
	{ "User" },
	{ "Partition" },
	{ "Share", "RawShares", "Fairshare" },
	{ "Par Name", "ParentName", "Parent" },
	{ "Name" },
	{ "Priority" },
	{ "UsageFactor" },
};

struct share_reader {
	struct torus_slurm *slurm;
	const char *path;
	unsigned line;
	int at[COLUMNS]; /* field; -1: not in this table */
	bool qos;        /* the table is of QOS */
	bool begun;
	uint32_t room, qos_room;
	struct {
		size_t indent;
		uint32_t account;
	} above[DEPTH];
	uint32_t depth;
	struct torus_error *err;
};

static int share_wrong(struct share_reader *r, const char *what,
		       const char *got, const char *expected)
{
	return torus_error_add(r->err, "%s:%u: %s: got \"%.60s\", expected %s",
			       r->path, r->line, what, got, expected);
}

/* Read a header. Return false if the line is none. */
static bool share_header(struct share_reader *r, char *const field[], uint32_t n)
{
	int at[COLUMNS];

	for (int c = 0; c < COLUMNS; c++) {
		at[c] = -1;
		for (uint32_t f = 0; f < n; f++) {
			for (int k = 0; k < 3 && column_names[c][k]; k++) {
				if (!strcasecmp(column_names[c][k], field[f]))
					at[c] = (int)f;
			}
		}
	}
	if (at[COLUMN_ACCOUNT] >= 0 && at[COLUMN_USER] >= 0 &&
	    at[COLUMN_SHARE] >= 0)
		r->qos = false;
	else if (at[COLUMN_NAME] >= 0 && at[COLUMN_PRIORITY] >= 0)
		r->qos = true;
	else
		return false;
	memcpy(r->at, at, sizeof(at));
	r->begun = true;
	return true;
}

/* Return the account by name; UINT32_MAX: not listed yet. */
static uint32_t share_account(const struct torus_slurm *s, const char *name)
{
	for (uint32_t i = 0; i < s->associations; i++) {
		if (!*s->association[i].user &&
		    !strcmp(s->association[i].account, name))
			return i;
	}
	return UINT32_MAX;
}

static int share_add(struct share_reader *r,
		     const struct torus_slurm_association *a)
{
	struct torus_slurm *s = r->slurm;

	if (TORUS_GROW(s->association, r->room, s->associations + 1))
		return -1;
	s->association[s->associations++] = *a;
	return 0;
}

/* Find the parent of an account that stands `indent` blanks to the right. */
static int share_parent(struct share_reader *r, const char *parent,
			size_t indent, uint32_t *to)
{
	*to = 0;
	if (parent && *parent) {
		*to = share_account(r->slurm, parent);
		return *to != UINT32_MAX ?
			       0 :
			       share_wrong(r, "Par Name", parent,
					   "an account of a line above");
	}
	while (r->depth > 0 && r->above[r->depth - 1].indent >= indent)
		r->depth--;
	if (r->depth > 0)
		*to = r->above[r->depth - 1].account;
	if (r->depth < DEPTH) {
		r->above[r->depth].indent = indent;
		r->above[r->depth++].account = r->slurm->associations;
	}
	return 0;
}

static int share_association(struct share_reader *r, char *const field[])
{
	struct torus_slurm_association a = { .shares = 1 };
	const char *account = field[r->at[COLUMN_ACCOUNT]];
	const char *user = field[r->at[COLUMN_USER]];
	const char *share = field[r->at[COLUMN_SHARE]];
	size_t indent = strspn(account, " ");
	uint64_t n = 1;

	account += indent;
	if (!strcmp(share, "parent"))
		a.use_parent = true;
	else if (*share && !torus_number_whole(share, 0, UINT32_MAX, &n))
		return share_wrong(r, "Share", share,
				   "a whole number or parent");
	a.shares = (uint32_t)n;
	snprintf(a.account, sizeof(a.account), "%s", account);
	snprintf(a.user, sizeof(a.user), "%s", user);
	if (!*account)
		return share_wrong(r, "Account", account, "a name");
	if (r->at[COLUMN_PARTITION] >= 0 && *field[r->at[COLUMN_PARTITION]])
		return 0; /* of one partition: beside that of all */
	if (!*user && !strcmp(account, "root"))
		return 0;
	if (*user) {
		a.parent = share_account(r->slurm, account);
		return a.parent != UINT32_MAX ?
			       share_add(r, &a) :
			       share_wrong(r, "Account", account,
					   "an account of a line above");
	}
	if (share_parent(r,
			 r->at[COLUMN_PARENT] >= 0 ? field[r->at[COLUMN_PARENT]] :
						     NULL,
			 indent, &a.parent))
		return -1;
	return share_add(r, &a);
}

static int share_qos(struct share_reader *r, char *const field[])
{
	struct torus_slurm *s = r->slurm;
	struct torus_slurm_qos q = { .usage_factor = 1 };
	const char *priority = field[r->at[COLUMN_PRIORITY]];
	uint64_t n = 0;

	snprintf(q.name, sizeof(q.name), "%s", field[r->at[COLUMN_NAME]]);
	if (*priority && !torus_number_whole(priority, 0, UINT32_MAX, &n))
		return share_wrong(r, "Priority", priority, "a whole number");
	q.priority = (uint32_t)n;
	if (r->at[COLUMN_FACTOR] >= 0 && *field[r->at[COLUMN_FACTOR]] &&
	    !torus_number_decimal(field[r->at[COLUMN_FACTOR]], &q.usage_factor))
		return share_wrong(r, "UsageFactor",
				   field[r->at[COLUMN_FACTOR]], "a number");
	if (TORUS_GROW(s->qos, r->qos_room, s->qoses + 1))
		return -1;
	s->qos[s->qoses++] = q;
	return 0;
}

static int share_line(struct share_reader *r, char *line)
{
	char *field[FIELDS];
	uint32_t n, most = 0;

	line[strcspn(line, "\r")] = '\0';
	if (!*line)
		return 0;
	n = 0;
	while (line && n < FIELDS)
		field[n++] = strsep(&line, "|");
	if (share_header(r, field, n))
		return 0;
	if (!r->begun)
		return torus_error_add(r->err,
				       "%s:%u: got \"%.60s\", expected the columns of sacctmgr -P show assoc: Account, User and Share are needed",
				       r->path, r->line, field[0]);
	for (int c = 0; c < COLUMNS; c++) {
		if (r->at[c] >= (int)most)
			most = (uint32_t)r->at[c] + 1;
	}
	if (n < most)
		return torus_error_add(r->err,
				       "%s:%u: got %u fields, expected at least %u",
				       r->path, r->line, n, most);
	return r->qos ? share_qos(r, field) : share_association(r, field);
}

int torus_slurm_shares_read(struct torus_slurm *slurm, const char *path,
			    struct torus_error *err)
{
	struct share_reader r = { .slurm = slurm, .path = path, .err = err };
	const struct torus_slurm_association root = { .account = "root",
						      .shares = 1 };
	size_t length;
	char *text = torus_file_text(path, &length, err), *rest = text, *line;
	int rc = 0;

	if (!text)
		return -1;
	rc = share_add(&r, &root);
	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		r.line++;
		rc = share_line(&r, line);
	}
	if (rc == 0 && !r.begun)
		rc = torus_error_add(err, "%s: the file is empty", path);
	torus_free(text);
	return rc;
}
