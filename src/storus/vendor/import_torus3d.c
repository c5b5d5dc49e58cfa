/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus import torus3d: Slurm 26.05's topology.yaml. Its torus3d block is read
 * as torus.yaml's own form; nodes are written in the order of their cells, runs
 * of consecutive numbers in short.
 */
#include "storus/vendor/import.h"

#include <stdlib.h>
#include <string.h>

#include "torus/config.h"

/* Node names on their way to Slurm's short form: prefix[first-last]. */
struct name_run {
	FILE *out;
	bool begun;
	char prefix[128];
	int width; /* digits of the first number */
	unsigned long first, last;
	bool numbered;
};

static void name_run_flush(struct name_run *r)
{
	if (!r->prefix[0])
		return;
	fputs(r->begun ? "," : "", r->out);
	if (!r->numbered)
		fputs(r->prefix, r->out);
	else if (r->first == r->last)
		fprintf(r->out, "%s%0*lu", r->prefix, r->width, r->first);
	else
		fprintf(r->out, "%s[%0*lu-%0*lu]", r->prefix, r->width,
			r->first, r->width, r->last);
	r->begun = true;
	r->prefix[0] = '\0';
}

static void name_run_add(struct name_run *r, const char *name)
{
	size_t length = strlen(name), digits = 0;
	uint64_t number;

	while (digits < length && digits < 9 &&
	       name[length - digits - 1] >= '0' &&
	       name[length - digits - 1] <= '9')
		digits++;
	number = torus_number_of(name + length - digits);
	if (r->prefix[0] && r->numbered && digits == (size_t)r->width &&
	    number == r->last + 1 && strlen(r->prefix) == length - digits &&
	    strncmp(r->prefix, name, length - digits) == 0) {
		r->last = number;
		return;
	}
	name_run_flush(r);
	r->numbered = digits > 0 && digits < length;
	snprintf(r->prefix, sizeof(r->prefix), "%.*s",
		 (int)(r->numbered ? length - digits : length), name);
	r->width = (int)digits;
	r->first = r->last = number;
}

static void write_absent(FILE *out, const struct torus *t, char **names)
{
	uint32_t x[TORUS_MAX_DIMS];
	bool any = false;

	for (uint32_t i = 0; i < t->nodes; i++) {
		if (names[i])
			continue;
		torus_coord(t, i, x);
		fputs(any ? ", \"" : "  absent: [\"", out);
		for (uint32_t d = 0; d < t->dims; d++)
			fprintf(out, "%s%u", d ? "," : "", x[d]);
		fputc('"', out);
		any = true;
	}
	if (any)
		fputs("]\n", out);
}

static int torus3d_run(const struct import_words *words, FILE *out,
		       struct torus_error *err)
{
	struct torus_config *c = torus_config_read(words->operand, err);
	bool good = c != NULL;

	for (uint32_t p = 0; good && p < c->machine.pods; p++) {
		/* Refuse what a torus3d block cannot say, which would be lost here. */
		const struct torus *t = &c->machine.pod[p].torus;
		bool wraps = true;

		for (uint32_t d = 0; d < t->dims; d++)
			wraps &= t->wrap[d];
		if (!c->names || !c->names[p])
			torus_error_add(err, "%s: nodes: missing", t->name);
		else if (t->flat || t->dims > 3 || !wraps || !torus_plain(t))
			torus_error_add(err,
					"%s: expected dims x, y and z that wrap, as in a torus3d block; this is a torus.yaml already",
					t->name);
		good = err->count == 0;
	}
	if (!good) {
		torus_config_destroy(c);
		return STORUS_USAGE;
	}
	fputs("# From a torus3d block of topology.yaml. All dimensions wrap; jobs may ask for\n"
	      "# any shape, not only for the block's placements.\n"
	      "toruses:\n",
	      out);
	for (uint32_t p = 0; p < c->machine.pods; p++) {
		const struct torus *t = &c->machine.pod[p].torus;
		struct name_run run = { .out = out };

		fprintf(out, "- name: \"%s\"\n  dims: {x: %u, y: %u, z: %u}\n",
			t->name, t->size[0], t->dims > 1 ? t->size[1] : 1,
			t->dims > 2 ? t->size[2] : 1);
		write_absent(out, t, c->names[p]);
		fputs("  nodes: \"", out);
		for (uint32_t i = 0; i < t->nodes; i++) {
			if (c->names[p][i])
				name_run_add(&run, c->names[p][i]);
		}
		name_run_flush(&run);
		fputs("\"\n", out);
	}
	*err = c->notices;
	torus_config_destroy(c);
	return STORUS_DONE;
}

const struct importer import_torus3d = {
	.name = "torus3d",
	.operand = "FILE (topology.yaml)",
	.summary = "Slurm's topology.yaml with a torus3d block",
	.run = torus3d_run,
};
