/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of a campaign in SQLite (result_file.h).
 *
 * Write-ahead logging: a row costs no sync, and other programs can read
 * meanwhile. A power failure may lose the latest rows, never the file; they are
 * computed again. A separate lock on the file ensures a single writer, because
 * SQLite's locks last for a transaction, not for a campaign.
 *
 * Each row has a checksum, verified on every read: SQLite detects a damaged
 * tree, but not a changed digit.
 */
#include "campaign/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/read.h"
#include "torus/alloc.h"
#include "torus_build.h"

/* Identifies the file for file(1) and for storus: "stor" */
#define APPLICATION 0x73746f72
#define SCHEMA 2
#define WAIT_MS 5000

static const char schema[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE IF NOT EXISTS cells ("
	" key TEXT PRIMARY KEY, trace TEXT NOT NULL, machine TEXT NOT NULL,"
	" strategy TEXT NOT NULL, discipline TEXT NOT NULL,"
	" scale TEXT NOT NULL, seed INTEGER NOT NULL, options TEXT NOT NULL,"
	" version TEXT NOT NULL, finished TEXT NOT NULL,"
	" summary TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE INDEX IF NOT EXISTS words ON cells (trace, machine, strategy,"
	" discipline, scale, seed, options);"
	"CREATE TRIGGER IF NOT EXISTS latest BEFORE INSERT ON cells BEGIN"
	" DELETE FROM cells WHERE trace = new.trace AND machine = new.machine"
	" AND strategy = new.strategy AND discipline = new.discipline"
	" AND scale = new.scale AND seed = new.seed"
	" AND options = new.options AND key <> new.key; END;"
	"CREATE TABLE IF NOT EXISTS notes ("
	" name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE VIEW IF NOT EXISTS results AS SELECT trace, machine,"
	" strategy, discipline, scale, seed,"
	" summary ->> 'completed' AS completed,"
	" summary ->> 'rejected' AS rejected,"
	" summary ->> 'utilization' AS utilization,"
	" summary ->> 'mean_wait_s' AS mean_wait_s,"
	" summary ->> 'mean_response_s' AS mean_response_s,"
	" summary ->> 'mean_bounded_slowdown' AS mean_bounded_slowdown,"
	" summary ->> 'last_end_s' AS last_end_s,"
	" summary ->> 'job_miss_ratio' AS job_miss_ratio,"
	" options, version, finished FROM cells;"
	"PRAGMA application_id = 1937010546;"
	"PRAGMA user_version = 2;"
	"COMMIT;";
_Static_assert(APPLICATION == 1937010546, "as in the schema");

struct torus_result_file {
	sqlite3 *db;
	sqlite3_stmt *has, *put;
	char *path;
	int lock;
};

/* Add SQLite's message as a line; set errno from its code. Return -1. */
static int result_file_failed(const struct torus_result_file *file,
			      struct torus_error *err)
{
	int code = file->db ? sqlite3_errcode(file->db) : SQLITE_NOMEM;

	if (code == SQLITE_NOTADB)
		torus_error_add(err,
				"%s: is not a result file of storus sweep (not an SQLite database)",
				file->path);
	else
		torus_error_add(err, "%s: %s", file->path,
				file->db ? sqlite3_errmsg(file->db) :
					   "out of memory");
	errno = code == SQLITE_NOMEM  ? ENOMEM :
		code == SQLITE_FULL   ? ENOSPC :
		code == SQLITE_BUSY   ? EBUSY :
		code == SQLITE_NOTADB ? EINVAL :
					EIO;
	return -1;
}

static int pragma_number(struct torus_result_file *file, const char *sql)
{
	sqlite3_stmt *statement;
	int value = -1;

	if (sqlite3_prepare_v2(file->db, sql, -1, &statement, NULL) ==
		    SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

/* Check that the file is a result file of a known version. An empty file
 * becomes one. */
static int check_kind(struct torus_result_file *file, struct torus_error *err)
{
	int application = pragma_number(file, "PRAGMA application_id");
	int version = pragma_number(file, "PRAGMA user_version");
	int tables = pragma_number(file, "SELECT count(*) FROM sqlite_master");

	if (application < 0 || version < 0 || tables < 0)
		return result_file_failed(file, err);
	if (tables == 0 || (application == APPLICATION && version == SCHEMA))
		return 0;
	if (application == APPLICATION)
		return torus_error_add(err,
				       "%s: has format %d of another version, expected %d; use another file",
				       file->path, version, SCHEMA);
	return torus_error_add(err,
			       "%s: is a database, but not one of storus sweep; use another file",
			       file->path);
}

/* Check the trees and that each index has each row: through a changed byte in one, SQLite
 * would omit rows without a word. O(file). */
static int check_whole(struct torus_result_file *file, struct torus_error *err)
{
	sqlite3_stmt *s;
	const char *found;
	int code;

	if (sqlite3_prepare_v2(file->db, "PRAGMA integrity_check(1)", -1, &s,
			       NULL) != SQLITE_OK)
		return result_file_failed(file, err);
	code = sqlite3_step(s);
	found = code == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) :
				     NULL;
	if (!found)
		result_file_failed(file, err);
	else if (strcmp(found, "ok") == 0)
		code = SQLITE_OK;
	else
		torus_error_add(err,
				"%s: the file is damaged (%.200s); sqlite3 FILE REINDEX may mend it; otherwise delete it and run the campaign again",
				file->path, found);
	sqlite3_finalize(s);
	if (code == SQLITE_OK)
		return 0;
	if (found)
		errno = EIO;
	return -1;
}

/*
 * Lock the file itself, whatever its path, until it is closed, so that there is
 * one writer. (The lock is on the first byte, which SQLite never locks. It is a
 * lock of the open file, which SQLite's process locks neither see nor release.)
 */
static int result_file_lock(struct torus_result_file *file,
			    struct torus_error *err)
{
	struct flock first = { .l_type = F_WRLCK,
			       .l_whence = SEEK_SET,
			       .l_len = 1 };
	int saved;

	file->lock = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (file->lock >= 0 && fcntl(file->lock, F_OFD_SETLK, &first) == 0)
		return 0;
	saved = errno;
	if (file->lock < 0)
		torus_error_add(err, "%s: cannot be opened for writing: %s",
				file->path, strerror(saved));
	else if (saved == EAGAIN || saved == EACCES)
		torus_error_add(err,
				"%s: another storus sweep is writing it; wait for that one, or name another file with --output",
				file->path);
	else
		torus_error_add(err, "%s: cannot be locked: %s", file->path,
				strerror(saved));
	errno = file->lock >= 0 && saved != ENOLCK ? EBUSY : saved;
	return -1;
}

static int result_file_prepare(struct torus_result_file *file, bool write,
			       struct torus_error *err)
{
	static const char has[] = "SELECT 1 FROM cells WHERE key = ?";
	static const char put[] =
		"INSERT OR IGNORE INTO cells VALUES"
		" (?, ?, ?, ?, ?, ?, ?, ?, ?, datetime('now'), ?, ?)";

	sqlite3_busy_timeout(file->db, WAIT_MS);
	if (check_kind(file, err) || check_whole(file, err))
		return -1;
	if (write &&
	    (sqlite3_exec(file->db,
			  "PRAGMA journal_mode = WAL;"
			  "PRAGMA synchronous = NORMAL;",
			  NULL, NULL, NULL) != SQLITE_OK ||
	     sqlite3_exec(file->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
	     sqlite3_prepare_v2(file->db, put, -1, &file->put, NULL) !=
		     SQLITE_OK))
		return result_file_failed(file, err);
	if (sqlite3_prepare_v2(file->db, has, -1, &file->has, NULL) != SQLITE_OK)
		return result_file_failed(file, err);
	return 0;
}

struct torus_result_file *torus_result_file_open(const char *path, bool write,
						 struct torus_error *err)
{
	int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE :
			    SQLITE_OPEN_READONLY;
	struct torus_result_file *file = torus_alloc(1, sizeof(*file));
	int saved;

	if (file) {
		file->lock = -1;
		file->path = strdup(path);
	}
	if (!file || !file->path) {
		torus_error_add(err, "%s: out of memory", path);
		errno = ENOMEM;
	} else if (!write && access(path, R_OK)) {
		saved = errno;
		torus_error_add(err, "%s: cannot be read: %s%s", path,
				strerror(saved),
				saved == ENOENT ?
					"; storus sweep CAMPAIGN.yaml makes it" :
					"");
		errno = saved;
	} else if (write && result_file_lock(file, err)) {
		;
	} else if (sqlite3_open_v2(path, &file->db, flags, NULL) != SQLITE_OK) {
		result_file_failed(file, err);
	} else if (result_file_prepare(file, write, err) == 0) {
		return file;
	}
	saved = errno;
	torus_result_file_close(file);
	errno = saved;
	return NULL;
}

void torus_result_file_close(struct torus_result_file *file)
{
	if (!file)
		return;
	sqlite3_finalize(file->has);
	sqlite3_finalize(file->put);
	/* Leave one plain file that can be copied. */
	if (file->lock >= 0 && file->db)
		sqlite3_exec(file->db, "PRAGMA journal_mode = DELETE", NULL,
			     NULL, NULL);
	sqlite3_close(file->db);
	if (file->lock >= 0) /* after SQLite has released its locks */
		close(file->lock);
	free(file->path);
	torus_free(file);
}

int torus_result_file_has(struct torus_result_file *file, const char *key,
			  struct torus_error *err)
{
	int code;

	sqlite3_reset(file->has);
	sqlite3_bind_text(file->has, 1, key, -1, SQLITE_TRANSIENT);
	code = sqlite3_step(file->has);
	sqlite3_reset(file->has);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return result_file_failed(file, err);
	return code == SQLITE_ROW;
}

/* Texts covered by a checksum: key, axes, version, summary. */
#define COVERED (TORUS_AXES + 3)

/* The place of an axis in the table's order: the options stand behind the seed. */
static int result_file_place(int axis)
{
	return axis == TORUS_AXIS_OPTIONS ? 1 + TORUS_AXIS_SEED :
	       axis == TORUS_AXIS_SEED    ? TORUS_AXIS_SEED :
					    1 + axis;
}

int torus_result_file_put(struct torus_result_file *file,
			  const struct torus_campaign *c,
			  const struct torus_cell *cell, const char *summary,
			  struct torus_error *err)
{
	char key[TORUS_CELL_KEY_SIZE], sum[TORUS_CELL_KEY_SIZE];
	sqlite3_stmt *put = file->put;
	const char *text[COVERED];
	int n = 0;

	torus_cell_key(c, cell, key);
	text[n++] = key;
	for (int a = 0; a < TORUS_AXES; a++, n++)
		text[result_file_place(a)] =
			torus_cell_value(c, cell, (enum torus_axis)a)->word;
	text[n++] = PACKAGE_VERSION;
	text[n++] = summary;
	campaign_texts_digest(text, COVERED, sum);
	sqlite3_reset(put);
	for (n = 0; n < COVERED; n++)
		sqlite3_bind_text(put, n + 1, text[n], -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(put, n + 1, sum, -1, SQLITE_TRANSIENT);
	if (sqlite3_step(put) != SQLITE_DONE) {
		result_file_failed(file, err);
		sqlite3_reset(put);
		return -1;
	}
	sqlite3_reset(put);
	return 0;
}

int torus_result_file_note(struct torus_result_file *file, const char *name,
			   const char *value, struct torus_error *err)
{
	const char *sql = value ? "INSERT OR REPLACE INTO notes VALUES (?, ?)" :
				  "DELETE FROM notes WHERE name = ?";
	sqlite3_stmt *statement;
	int code;

	if (sqlite3_prepare_v2(file->db, sql, -1, &statement, NULL) != SQLITE_OK)
		return result_file_failed(file, err);
	sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
	if (value)
		sqlite3_bind_text(statement, 2, value, -1, SQLITE_TRANSIENT);
	code = sqlite3_step(statement);
	sqlite3_finalize(statement);
	return code == SQLITE_DONE ? 0 : result_file_failed(file, err);
}

char *torus_result_file_read_note(struct torus_result_file *file,
				  const char *name)
{
	sqlite3_stmt *statement;
	char *value = NULL;

	if (sqlite3_prepare_v2(file->db,
			       "SELECT value FROM notes WHERE name = ?", -1,
			       &statement, NULL) != SQLITE_OK)
		return NULL;
	sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
	if (sqlite3_step(statement) == SQLITE_ROW)
		value = strdup((const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return value;
}

/* Check a row as selected by torus_result_file_each(). */
static int check_row(const struct torus_result_file *file,
		     const char *const *text, const char *stored,
		     struct torus_error *err)
{
	char sum[TORUS_CELL_KEY_SIZE];

	campaign_texts_digest(text, COVERED, sum);
	if (strcmp(sum, stored) == 0)
		return 0;
	torus_error_add(err,
			"%s: the row with key %.16s... (trace %s, machine %s, strategy %s, discipline %s, scale %s, seed %s) does not match its checksum: the file was damaged or changed; delete that row or the file, and run the campaign again",
			file->path, text[0], text[1], text[2], text[3], text[4],
			text[5], text[6]);
	errno = EIO;
	return -1;
}

int torus_result_file_each(struct torus_result_file *file,
			   int (*each)(void *arg,
				       const struct torus_result *row),
			   void *arg, struct torus_error *err)
{
	static const char sql[] =
		"SELECT key, trace, machine, strategy, discipline, scale, seed,"
		" options, version, summary, checksum FROM cells ORDER BY trace,"
		" machine, strategy, discipline, scale, options, seed";
	const char *text[COVERED + 1];
	struct torus_result row;
	sqlite3_stmt *s;
	int code, rc = 0;

	if (sqlite3_prepare_v2(file->db, sql, -1, &s, NULL) != SQLITE_OK)
		return result_file_failed(file, err);
	while (rc == 0 && (code = sqlite3_step(s)) == SQLITE_ROW) {
		for (int i = 0; i <= COVERED; i++) {
			const char *column =
				(const char *)sqlite3_column_text(s, i);

			/* never NULL: without memory the checksum does not match */
			text[i] = column ? column : "";
		}
		for (int a = 0; a < TORUS_AXES; a++)
			row.word[a] = text[result_file_place(a)];
		row.summary = text[TORUS_AXES + 2];
		rc = check_row(file, text, text[COVERED], err);
		if (rc == 0)
			rc = each(arg, &row);
	}
	if (rc == 0 && code != SQLITE_DONE)
		rc = result_file_failed(file, err);
	sqlite3_finalize(s);
	return rc;
}
