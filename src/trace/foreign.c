/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are no trace, by their beginning, and what to do with them
 * (select.h). O(1). */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "trace/select.h"

/* The beginning of a file. */
struct foreign {
	const char *mark;
	uint8_t length;
	bool binary;
	const char *what;
};

static const struct foreign foreign[] = {
	{ "\xfd"
	  "7zXZ",
	  5, true,
	  "this is compressed by xz: xz -dc FILE | storus replay ... -" },
	{ "\x28\xb5\x2f\xfd", 4, true,
	  "this is compressed by zstd: zstd -dc FILE | storus replay ... -" },
	{ "BZh", 3, true,
	  "this is compressed by bzip2: bzip2 -dc FILE | storus replay ... -" },
	{ "PK\x03\x04", 4, true,
	  "this is a zip archive, or a workbook (.xlsx): unzip -p FILE | storus replay ... -; save a workbook as CSV" },
	{ "PK\x05\x06", 4, true, "this is an empty zip archive" },
	{ "\x1f\x8b\x08", 3, true,
	  "this is compressed by gzip twice: zcat FILE | storus replay ... -" },
	{ "\x04\x22\x4d\x18", 4, true,
	  "this is compressed by lz4: lz4 -dc FILE | storus replay ... -" },
	{ "\x1f\x9d", 2, true,
	  "this is compressed by compress: zcat FILE | storus replay ... -" },
	{ "7z\xbc\xaf", 4, true,
	  "this is a 7z archive: 7z x -so FILE | storus replay ... -" },
	{ "PAR1", 4, true,
	  "this is a Parquet file: write it as CSV, for example python3 -c 'import pandas; pandas.read_parquet(\"FILE\").to_csv(\"FILE.csv\", index=False)'" },
	{ "SQLite format 3", 15, true,
	  "this is an SQLite database: sqlite3 -csv -header FILE 'select ...' | storus replay --columns NAME=COLUMN,... -" },
	{ "%PDF", 4, true, "this is a PDF document, no trace" },
	{ "<", 1, false,
	  "this is HTML or XML, no trace: was it saved from a browser instead of downloaded?" },
	{ "[", 1, true,
	  "this is JSON, but not of sacct --json: write it as CSV with the columns id,submit,run,nodes,limit,user (jq -r, @csv)" },
	{ "JobId=", 6, false,
	  "this is the log of Slurm's jobcomp/filetxt or of scontrol show job, which storus does not read: write sacct's output, as `storus examples sacct` shows" },
	{ "\"JOB_", 5, false,
	  "this is LSF's lsb.acct or lsb.events, which storus does not read: convert it to CSV with the columns id,submit,run,nodes,limit,user" },
};

/* 01/31/2024 23:59:59;E;12.server;... */
static bool foreign_is_pbs(const char *p)
{
	static const char form[] = "dd/dd/dddd dd:dd:dd;";

	for (const char *f = form; *f; f++, p++)
		if (*f == 'd' ? !isdigit((unsigned char)*p) : *p != *f)
			return false;
	return isupper((unsigned char)*p) && p[1] == ';';
}

const char *torus_foreign_what(const char *first, bool *binary)
{
	size_t length = strcspn(first, "\r\n");
	size_t colons = 0;
	size_t word;

	*binary = false;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++) {
		const struct foreign *f = &foreign[i];

		if (!strncmp(first, f->mark, f->length)) {
			*binary = f->binary;
			return f->what;
		}
	}
	if (foreign_is_pbs(first))
		return "this is an accounting log of PBS or Torque, which storus does not read: convert its E records to CSV with the columns id,submit,run,nodes,limit,user";
	for (size_t i = 0; i < length; i++)
		colons += first[i] == ':';
	if (colons >= 40 && !memchr(first, '|', length))
		return "this is an accounting file of Grid Engine, which storus does not read: convert it to CSV with the columns id,submit,run,nodes,limit,user";
	/* JobID JobName Partition ...: columns in blanks or quotes, of sacct or squeue */
	word = strcspn(first, " \t|,;\r\n");
	if (*first == '"' && memmem(first, length, "\"JobID", 6))
		return "these are sacct's columns in quotes, as a spreadsheet or pandas writes them: tr -d '\"' <FILE | storus replay ... -";
	if (memchr(first, '|', length) || first[word] != ' ')
		return NULL;
	if (!strncasecmp(first, "JOBID ", 6) &&
	    memmem(first, length, "PARTITION", 9) &&
	    memmem(first, length, "NODELIST", 8))
		return "this is squeue's output, which has no end times: write sacct's, as `storus examples sacct` shows";
	if (memmem(first, length, "JobID", 5) || !strncmp(first, "User ", 5) ||
	    !strncmp(first, "Account ", 8))
		return "this is sacct's output without -P (--parsable2), with names cut to the width of the columns: write it again with -P, as `storus examples sacct` shows";
	if (!strncmp(first, "Job id ", 7) || !strncmp(first, "Job ID ", 7))
		return "this is qstat's output, which has no end times: convert the accounting log to CSV with the columns id,submit,run,nodes,limit,user";
	return NULL;
}
