/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of a campaign: an SQLite file with a row per finished cell.
 *
 *	cells: key, trace, machine, strategy, discipline, scale, seed,
 *	       options, version, finished (UTC), summary (JSON), checksum
 *	results: a view of cells with the summary's measures as columns
 *
 * A row is written in one transaction when its cell is finished, so an
 * interrupted program leaves only complete rows. It replaces a row with the
 * same words but another key: of a changed file or another version. One program
 * writes at a time; any number may read meanwhile.
 */
#ifndef CAMPAIGN_RESULT_FILE_H
#define CAMPAIGN_RESULT_FILE_H

#include "campaign/campaign.h"

struct torus_result_file;

/*
 * Open for writing (created if missing) or for reading. Return NULL with a line
 * in err and errno: EBUSY if another program writes it, EINVAL if it is no
 * result file, or as open() and so on.
 */
struct torus_result_file *torus_result_file_open(const char *path, bool write,
						 struct torus_error *err);
void torus_result_file_close(struct torus_result_file *file);

/* Return 1 if the cell has a result, else 0, or -1 with a line in err. */
int torus_result_file_has(struct torus_result_file *file, const char *key,
			  struct torus_error *err);

/* Add a result; an existing one is kept. Return -1 with a line in err on
 * failure. */
int torus_result_file_put(struct torus_result_file *file,
			  const struct torus_campaign *c,
			  const struct torus_cell *cell, const char *summary,
			  struct torus_error *err);

/* Notes of the program itself, e.g. the job array it waits for. value NULL
 * deletes the note. read_note: malloc()ed, or NULL if there is none. */
int torus_result_file_note(struct torus_result_file *file, const char *name,
			   const char *value, struct torus_error *err);
char *torus_result_file_read_note(struct torus_result_file *file,
				  const char *name);

/* A finished cell as stored in the file. */
struct torus_result {
	const char *word[TORUS_AXES];
	const char *summary;
};

/* Call each() for all rows, ordered by axes; it returns 0 to continue. Return
 * its last result, or -1 with a line in err, also for a row with a wrong
 * checksum. */
int torus_result_file_each(struct torus_result_file *file,
			   int (*each)(void *arg,
				       const struct torus_result *row),
			   void *arg, struct torus_error *err);

#endif
