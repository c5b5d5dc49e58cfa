/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in Slurm's StateSaveLocation (format/stream.h): the machine state
 * (torus_state_save()), and the promises of sched/torus (saved_promises_save()).
 *
 * They may be minutes old, and are used only where the job table agrees (job_table.c,
 * live/promises/saved_promises.c). They have what no other record has: how a partition tree
 * splits its free nodes, and the promised start of each queued job.
 */
#include "torus/state_text.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/state_file.h"

#include <errno.h>

#include "format/stream.h"
#include "torus/alloc.h"

#define STATE_NAME "torus_state"
#define PROMISES_NAME "torus_promises"

/* The first line is stream.h's. A failure is logged once (*failing), and so is its
 * end. */
static int state_file_save(const char *directory, const char *name,
			   const char *first, const char *text, bool *failing)
{
	bool durable = xstrcmp(name, STATE_NAME) == 0;
	char *path = xstrdup_printf("%s/%s", directory, name);
	int rc = saved_file_write(path, first, text, durable);

	if (rc && !*failing)
		error("torus: %s cannot be written: %s; it will be tried again",
		      path, strerror(errno));
	else if (rc == 0 && *failing)
		info("torus: %s can be written again", path);
	*failing = rc != 0;
	xfree(path);
	return rc;
}

int state_file_write(const char *directory, const char *text)
{
	static bool failing;

	return state_file_save(directory, STATE_NAME, SAVED_FILE_STATE, text,
			       &failing);
}

int state_file_write_promises(const char *directory, const char *text)
{
	static bool failing;

	return state_file_save(directory, PROMISES_NAME, SAVED_FILE_PROMISES,
			       text, &failing);
}

void state_file_restore(struct instance *in, const char *directory)
{
	char *path = xstrdup_printf("%s/" STATE_NAME, directory), *text;
	struct torus_error err;

	torus_error_clear(&err);
	text = saved_file_read(path, SAVED_FILE_STATE, &err);
	if (text && torus_state_restore(in->state, text, &err) && err.count == 0)
		torus_error_add(&err, "%s", strerror(errno));
	if (err.count > 0)
		error("torus: %s is ignored: %s; running jobs keep their nodes, and their placements are derived from these",
		      path, err.text);
	else if (text)
		info("torus: %s: %u places known", path,
		     torus_state_holds(in->state));
	torus_free(text);
	xfree(path);
}

void state_file_read_promises(const char *directory, struct torus_text *promises)
{
	char *path = xstrdup_printf("%s/" PROMISES_NAME, directory), *text;
	struct torus_error err;

	torus_error_clear(&err);
	text = saved_file_read(path, SAVED_FILE_PROMISES, &err);
	if (text && torus_text_add(promises, "%s", text))
		torus_error_add(&err, "out of memory");
	if (err.count > 0)
		error("torus: %s is ignored: %s; queued jobs get new promises",
		      path, err.text);
	torus_free(text);
	xfree(path);
}
