/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the readers of a campaign's parts. */
#ifndef CAMPAIGN_READ_H
#define CAMPAIGN_READ_H

#include "campaign/campaign.h"
#include "config/reader.h"
#include "trace/log.h"

struct campaign_reader {
	struct reader r; /* for messages; it builds no configuration */
	struct torus_campaign *c;
	struct name_table words[TORUS_AXES]; /* of its values */
};

/* Read `options:` into the campaign's sets and the values of their axis; t NULL: one
 * set without options. */
void campaign_options_read(struct campaign_reader *cr, const struct tree *t);

/* Add a value to an axis, or NULL. */
struct torus_axis_value *campaign_value_add(struct campaign_reader *cr,
					    enum torus_axis axis, uint32_t line);

/* Read {model: NAME, jobs: N, machine: M, PARAMETER: X} as a value of
 * `traces:`. */
void campaign_model_read(struct campaign_reader *cr, const struct tree *t,
			 struct torus_axis_value *v);

/* The same for {like: FILE, by: users, load: F, jobs: N, machine: M}; false if
 * it is something else. */
bool campaign_like_read(struct campaign_reader *cr, const struct tree *t,
			struct torus_axis_value *v);

/* The jobs of a trace file in memory, or the log to draw from (`like:`). */
struct campaign_input {
	struct torus_records records;
	struct torus_trace_counts counts; /* counts of the whole file */
	struct torus_log *log;
};

void campaign_input_free(struct campaign_input *input);

/* A log, if it is not the value's own, and the jobs drawn from it. */
struct campaign_drawn {
	struct torus_log *log;
	struct torus_resample *like;
};

/* Read the log of a value with `like`. Return NULL with errno and lines in err. */
struct torus_log *campaign_like_log(const struct torus_axis_value *v,
				    const struct torus_trace_options *input,
				    struct torus_error *err);

#define CAMPAIGN_LIKE_ITSELF UINT64_MAX

/* Draw the jobs of a seed, or take those of the log itself. Return NULL with errno and
 * lines in err; in any case free `drawn`, after closing the trace. */
struct torus_trace *campaign_like_open(const struct torus_campaign_set *c,
				       const struct torus_axis_value *v,
				       uint64_t seed,
				       struct campaign_drawn *drawn,
				       struct torus_error *err);
void campaign_drawn_free(struct campaign_drawn *drawn);

/* Return a path of the file, relative to the file's directory, in the arena. */
const char *campaign_path(struct campaign_reader *cr, const char *word);

/* Report each line of `why` as a message about `key`. */
void campaign_wrong_lines(struct campaign_reader *cr, uint32_t line,
			  const char *key, const struct torus_error *why);

/* Report a word that is none of valid[n]; noun: "model". Return -1. */
int campaign_unknown(struct reader *r, uint32_t line, const char *key,
		     const char *noun, const char *word,
		     const char *const *valid, size_t n);

/* After all axes: check that the policies fit the machines. */
void campaign_pairs_check(struct campaign_reader *cr);

/* Write the SHA-256 of texts, each with its NUL, so that "ab", "c" differs from "a",
 * "bc". */
void campaign_texts_digest(const char *const *text, size_t n,
			   char hex[TORUS_CELL_KEY_SIZE]);

/* Add the settings of slurm.conf, with those of the files that it includes. -1 with a line
 * in err. */
int campaign_conf_text(const char *path, struct torus_text *text,
		       struct torus_error *err);

/* Return the number of a cell's choice of options, machine, strategy and discipline, of
 * which the options change slowest. */
uint32_t campaign_pair(const struct torus_campaign *c,
		       const struct torus_cell *cell);
/* Return the SHA-256 of a file in hexadecimal, in the arena, and add both to the list, if
 * not NULL. NULL with errno. */
const char *campaign_file_digest(struct arena *arena, const char *path,
				 const struct campaign_file **files);
/* Return 0 if the files are what they were; else -1 with a line in err. One is read only if its
 * inode, size or times have changed, or might not show a change. */
int campaign_files_unchanged(const struct campaign_file *files,
			     struct torus_error *err);

#endif
