/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read the traces of a campaign once before its cells, so that the notices about each
 * trace are printed once, not by every cell.
 *
 * Cost: O(file) for each trace that a cell is to be computed of, and each way to read it.
 */
#include <stdlib.h>
#include <string.h>

#include "storus/base/notices.h"
#include "storus/lab/sweep.h"
#include "trace/select.h"

#define NAME &storus_sweep

/* Return true if some set of options takes time limits as estimates. */
static bool sweep_uses_limits(const struct torus_campaign *c)
{
	uint32_t k = 0;

	while (k < c->axis[TORUS_AXIS_OPTIONS].n &&
	       c->set[k].options.estimate_run)
		k++;
	return k < c->axis[TORUS_AXIS_OPTIONS].n;
}

/* Read a trace as set k of the options does. Say what there is to say; of a further way
 * to read it only what matches no job, but for `said`. Return an exit status. */
static int sweep_traces_read(const struct torus_campaign *c, const char *path,
			     uint32_t k, bool further, struct torus_error *said,
			     struct torus_trace_counts *counts)
{
	const struct torus_campaign_set *set = &c->set[k];
	struct torus_error err = { 0 };
	struct torus_trace *trace;
	int status = storus_trace_read(path, &set->input, NULL, NULL, &trace,
				       &err);

	if (trace && further) {
		/* Say which names and windows of a set of options match no job, but each only
		 * once. */
		struct torus_error missing = { 0 };
		char *next = missing.text;

		torus_trace_missing(trace, &missing);
		for (char *line = strsep(&next, "\n"); line && *line;
		     line = strsep(&next, "\n")) {
			if (strstr(said->text, line))
				continue;
			torus_error_add(said, "%s", line);
			storus_say(NAME, 0, "notice: %s with %s: %s", path,
				   c->axis[TORUS_AXIS_OPTIONS].value[k].word,
				   line);
		}
	} else if (trace) {
		storus_trace_notices(NAME, path, trace, set->input.strict);
		torus_trace_missing(trace, said);
	}
	if (status)
		storus_say_errors(NAME, status, &err);
	else
		*counts = *torus_trace_counts(trace);
	if (!status && counts->jobs && !further)
		storus_trace_replayed(NAME, path, trace, &set->input.choice,
				      UINT32_MAX, sweep_uses_limits(c),
				      set->slurm_conf);
	torus_trace_close(trace);
	return status;
}

/* Read a trace in each way in which cells to compute read it: first[i] is one more than
 * the first set of options of reading i, or 0. Without a job in any of them the trace is
 * a wrong input. */
static int sweep_traces_check(const struct torus_campaign *c, const char *path,
			      const uint32_t *first)
{
	struct torus_trace_counts counts = { 0 };
	struct torus_error said = { 0 };
	int status = STORUS_DONE;
	uint32_t ways = 0;
	bool any = false;

	for (uint32_t i = 0; i < c->readings && !status; i++) {
		if (!first[i])
			continue;
		status = sweep_traces_read(c, path, first[i] - 1, ways++ > 0,
					   &said, &counts);
		any |= counts.jobs > 0;
	}
	return status || any ? status : storus_trace_usable(NAME, path, &counts);
}

/* The load of a drawn trace counts on another number of nodes than a machine has:
 * say so, of the first such machine. */
static void sweep_loads_say(const struct torus_campaign *c,
			    const struct torus_axis_value *trace)
{
	for (uint32_t i = 0; i < c->axis[TORUS_AXIS_MACHINE].n; i++) {
		const struct torus_axis_value *machine =
			&c->axis[TORUS_AXIS_MACHINE].value[i];

		if (!trace->nodes || trace->nodes == machine->nodes)
			continue;
		storus_say(NAME, 0,
			   "notice: %s:%u: the load counts on %u nodes, but %s has %u; state the machine, as in {..., load: 0.9, machine: flat:%u}",
			   c->path, trace->line, trace->nodes, machine->word,
			   machine->nodes, machine->nodes);
		return;
	}
}

int sweep_traces(const struct sweep *s)
{
	const struct torus_campaign *c = s->c;
	uint32_t *first = calloc(c->readings, sizeof(*first));
	int status = STORUS_DONE;

	if (!first)
		return storus_no_memory(NAME);
	for (uint32_t t = 0; t < c->axis[TORUS_AXIS_TRACE].n; t++) {
		const struct torus_axis_value *trace =
			&c->axis[TORUS_AXIS_TRACE].value[t];
		bool needed = false;
		int one = STORUS_DONE;

		memset(first, 0, c->readings * sizeof(*first));
		for (uint32_t i = 0; i < s->n; i++) {
			struct torus_cell cell =
				torus_campaign_cell(c, s->todo[i]);
			uint32_t k = cell.at[TORUS_AXIS_OPTIONS];
			uint32_t *way = &first[c->set[k].reading];

			if (cell.at[TORUS_AXIS_TRACE] != t)
				continue;
			needed = true;
			*way = !*way || k < *way ? k + 1 : *way;
		}
		if (needed)
			sweep_loads_say(c, trace);
		if (needed && trace->path)
			one = sweep_traces_check(c, trace->path, first);
		status = status ? status : one;
	}
	free(first);
	return status;
}
