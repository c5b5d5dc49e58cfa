/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --json[=FILE] (storus/base/json.h). */
#include "storus/base/json.h"

#include <errno.h>
#include <math.h>

#include "replay/replay.h"
#include "storus/base/clock.h"
#include "storus/base/output.h"
#include "torus_build.h"

json_t *storus_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *storus_json_counts(const uint32_t *value, uint32_t n)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(array, json_integer(value[i]));
	return array;
}

json_t *storus_json_origin(json_t *o, const char *command)
{
	json_object_set_new(o, "version", json_string(PACKAGE_VERSION));
	json_object_set_new(o, "build", json_string(torus_build));
	json_object_set_new(o, "command", json_string(command));
	return o;
}

int storus_json_write(const struct storus_command *command, json_t *o,
		      const char *path)
{
	struct storus_output out = { 0 };
	int status = STORUS_DONE;

	if (!o)
		return storus_no_memory(command);
	errno = 0;
	if (storus_output_open(&out, path ? path : "-") ||
	    json_dumpf(o, out.stream, JSON_INDENT(2)) ||
	    fputc('\n', out.stream) == EOF || storus_output_commit(&out))
		status = storus_output_failed(command, path);
	storus_output_discard(&out);
	json_decref(o);
	return status;
}

int storus_json_answer(const struct storus_command *command, json_t *o,
		       const struct snapshot *s, const char *path)
{
	return storus_json_write(command,
				 storus_age_json(o, storus_age_time_us(s)),
				 path);
}
