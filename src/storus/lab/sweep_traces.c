/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read the traces of a campaign once before its cells, so that the notices about each
 * trace are printed once, not by every cell.
 *
 * Cost: O(file) per trace that a cell is to be computed of.
 */
#include <string.h>

#include "storus/base/notices.h"
#include "storus/lab/sweep.h"

#define NAME &storus_sweep

static int sweep_traces_check_one(const struct torus_campaign *c,
				  const char *path)
{
	const struct torus_campaign_set *set = &c->set[0];
	struct torus_error err = { 0 };
	struct torus_trace *trace;
	int status = storus_trace_read(path, &set->input, NULL, NULL, &trace,
				       &err);

	if (trace)
		storus_trace_notices(NAME, path, trace, set->input.strict);
	if (status)
		storus_say_errors(NAME, status, &err);
	else
		status = storus_trace_usable(NAME, path, trace);
	if (!status)
		storus_trace_replayed(NAME, path, trace, &set->input.choice,
				      UINT32_MAX, !set->options.estimate_run,
				      set->slurm_conf);
	torus_trace_close(trace);
	return status;
}

/* Return true if a cell of the trace is to be computed. */
static bool sweep_traces_needed(const struct sweep *s, uint32_t trace)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct torus_cell cell = torus_campaign_cell(s->c, s->todo[i]);

		if (cell.at[TORUS_AXIS_TRACE] == trace)
			return true;
	}
	return false;
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
	int status = STORUS_DONE;

	for (uint32_t t = 0; t < s->c->axis[TORUS_AXIS_TRACE].n; t++) {
		const struct torus_axis_value *trace =
			&s->c->axis[TORUS_AXIS_TRACE].value[t];
		int one = STORUS_DONE;

		if (!sweep_traces_needed(s, t))
			continue;
		sweep_loads_say(s->c, trace);
		if (trace->path)
			one = sweep_traces_check_one(s->c, trace->path);
		status = status ? status : one;
	}
	return status;
}
