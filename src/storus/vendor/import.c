/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus import: write a torus.yaml from another system's description of the machine.
 * Before it is printed, the text is read back as slurmctld reads it.
 */
#include "storus/vendor/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "storus/base/json.h"
#include "torus/config.h"

#define NAME &storus_import

static const struct importer *const importers[] = {
	&import_torus3d,
	&import_mgd,
	&import_tpu,
	NULL,
};

static const struct storus_option options[] = {
	{ "nodes", "LIST",
	  "names of the nodes, first dimension fastest: host[000-255] (mgd\n"
	  "and tpu); default: the torus's name and a number",
	  STORUS_TO(struct import_words, nodes) },
	{ "dims", "XxY[xZ]", "chips of a slice instead of a whole pod (tpu)",
	  STORUS_TO(struct import_words, dims) },
	{ "cubes", NULL, "regions are made of whole cubes of 4x4x4 chips (tpu)",
	  STORUS_TO(struct import_words, cubes) },
	STORUS_TABLE_OPTIONS(struct import_words, table),
	{ 0 },
};

static const struct storus_column columns[] = {
	{ "torus", 't', "TORUS", .width = -12 },
	{ "machine", 'm', "MACHINE", .width = -16 },
	{ "unit", 'u', "UNIT", .width = -8 },
	{ "grain", 'g', "GRAIN", .width = -8 },
	{ "nodes", 'n', "NODES", .width = 8 },
	{ "first", 'f', "FIRST", .width = -16 },
	{ "last", 'l', "LAST", .width = -16 },
	{ 0 },
};

uint32_t import_torus_nodes(const struct import_torus *t,
			    struct torus_error *err)
{
	uint64_t n = 1;

	for (uint32_t d = 0; d < t->dims; d++) {
		if (t->size[d] % t->unit[d]) {
			torus_error_add(err,
					"%s: dimension %u has %u vertices: expected a multiple of %u, those of a node",
					t->name, d, t->size[d], t->unit[d]);
			return 0;
		}
		n *= t->size[d] / t->unit[d];
		if (n > TORUS_MAX_NODES) {
			torus_error_add(err, "%s: more than %u nodes", t->name,
					TORUS_MAX_NODES);
			return 0;
		}
	}
	return (uint32_t)n;
}

static void write_list(FILE *out, const char *key, const uint32_t *value,
		       uint32_t n)
{
	fprintf(out, "  %s: [", key);
	for (uint32_t i = 0; i < n; i++)
		fprintf(out, "%s%u", i ? ", " : "", value[i]);
	fputs("]\n", out);
}

void import_torus_write(FILE *out, const struct import_torus *t,
			const char *nodes)
{
	bool unit = false, grain = false;

	fprintf(out, "- name: \"%s\"\n", t->name);
	write_list(out, "dims", t->size, t->dims);
	fputs("  wrap: ", out);
	for (uint32_t d = 0; d < t->dims; d++) {
		fputc(t->wrap[d] ? 'T' : 'M', out);
		unit |= t->unit[d] > 1;
		grain |= t->grain[d] > 0;
	}
	fputc('\n', out);
	if (unit)
		write_list(out, "unit", t->unit, t->dims);
	if (grain)
		write_list(out, "grain", t->grain, t->dims);
	fprintf(out, "  nodes: \"%s\"\n", nodes);
}

void import_default_nodes(const struct import_torus *t, char *text, size_t size)
{
	uint32_t n = import_torus_nodes(t, NULL);

	if (n == 1)
		snprintf(text, size, "%s-0", t->name);
	else
		snprintf(text, size, "%s-[0-%u]", t->name, n - 1);
}

/* Print the toruses as rows, in place of the torus.yaml. */
static int import_rows(struct storus_table *table, const struct torus_config *c)
{
	for (uint32_t p = 0; p < c->machine.pods; p++) {
		const struct torus *t = &c->machine.pod[p].torus;
		char machine[TORUS_STRING_SIZE];

		torus_format(t, machine, sizeof(machine));
		storus_table_row(table,
				 json_pack("{s:s, s:s, s:o, s:o, s:i, s:s?, s:s?}",
					   "torus", t->name, "machine", machine,
					   "unit",
					   storus_json_counts(t->unit, t->dims),
					   "grain",
					   storus_json_counts(t->grain, t->dims),
					   "nodes", t->nodes, "first",
					   c->names[p][0], "last",
					   c->names[p][t->nodes - 1]));
	}
	return storus_table_end_rows(NAME, table, "toruses", TORUS_NO_TIME);
}

/* Report what is wrong with the torus.yaml that was not written: by the words that it
 * comes from, names of nodes or sizes. Return the status. */
static int import_refuse(const struct import_words *words,
			 const struct torus_error *err)
{
	static const char nodes[] = "nodes: ";
	const char *line = err->text;
	int status = STORUS_USAGE;

	for (size_t n; *line; line += n + (line[n] == '\n')) {
		const char *text = strstr(line, ": ");
		bool named;

		n = strcspn(line, "\n");
		text = text && text < line + n ? text + 2 : line;
		named = words->nodes && !strncmp(text, nodes, sizeof(nodes) - 1);
		text += named ? sizeof(nodes) - 1 : 0;
		status = storus_say(NAME, STORUS_USAGE, "%s: %.*s%s",
				    named ? "--nodes" : words->operand,
				    (int)(line + n - text), text,
				    named && words->whole_pod ?
					    "; --dims describes a part of a pod" :
					    "");
	}
	return status;
}

/* Print a comment of YAML, folded between its words. */
static void import_comment(const char *begin, const char *text, size_t bytes)
{
	size_t width = storus_table_width(false), at = strlen(begin), n;
	bool first = true;

	fputs(begin, stdout);
	for (const char *end = text + bytes; text < end; text += n + 1) {
		size_t wide;

		n = strcspn(text, " \n");
		n = n < (size_t)(end - text) ? n : (size_t)(end - text);
		wide = storus_text_columns(text, n);
		if (!first && width && at + 1 + wide > width) {
			fputs("\n# ", stdout);
			at = 2;
			first = true;
		}
		printf("%s%.*s", first ? "" : " ", (int)n, text);
		at += wide + !first;
		first = false;
	}
	putchar('\n');
}

/* Print what the importer wrote, if it is a valid torus.yaml. */
static int import_print_text(struct import_words *words, const char *text,
			     size_t length, const struct torus_error *notices)
{
	struct torus_error err = { 0 };
	struct torus_config *c = torus_config_parse("torus.yaml", text, length,
						    &err);
	int status = STORUS_DONE;

	if (!c)
		return import_refuse(words, &err);
	if (words->table.json || storus_table_asked(&words->table)) {
		status = import_rows(&words->table, c);
	} else {
		static const char prefix[] = "notice: ";
		const char *line = notices->text;

		/* What the importer could not translate, as comments. */
		while (*line) {
			size_t bytes = strcspn(line, "\n");

			if (strncmp(line, prefix, strlen(prefix)) == 0) {
				line += strlen(prefix);
				bytes -= strlen(prefix);
			}
			import_comment("# Notice: ", line, bytes);
			line += bytes;
			line += *line == '\n';
		}
		/* main() reports what cannot be written */
		for (line = text; (size_t)(line - text) < length;) {
			size_t bytes = strcspn(line, "\n");

			if (strncmp(line, "# ", 2) == 0)
				import_comment("# ", line + 2, bytes - 2);
			else
				printf("%.*s\n", (int)bytes, line);
			line += bytes + 1;
		}
	}
	torus_config_destroy(c);
	return status;
}

static int import_print(const struct importer *importer,
			struct import_words *words)
{
	struct torus_error err = { 0 };
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int status;

	if (!out)
		return storus_no_memory(NAME);
	errno = 0;
	status = importer->run(words, out, &err);
	if (status == STORUS_USAGE && errno == ENOMEM)
		status = STORUS_TROUBLE;
	if (fclose(out) != 0)
		status = storus_no_memory(NAME);
	if (err.text[0])
		storus_say_errors(NAME, status, &err);
	if (status == STORUS_DONE)
		status = import_print_text(words, text, length, &err);
	free(text);
	return status;
}

/* FORMAT and its operand. */
static int import_run(void *typed)
{
	struct import_words *words = typed;
	const struct storus_list *operands = &words->operands;
	const char *format = operands->count ? operands->word[0] : NULL;
	const struct importer *importer = NULL;

	for (size_t i = 0; format && importers[i]; i++)
		importer = strcmp(importers[i]->name, format) ? importer :
								importers[i];
	if (operands->count > 2)
		return storus_say(NAME, STORUS_USAGE,
				  "unexpected operand \"%s\"",
				  operands->word[2]);
	if (format && !importer)
		return storus_say(NAME, STORUS_USAGE,
				  "unknown format \"%s\"; expected torus3d, mgd or tpu",
				  format);
	if (operands->count < 2)
		return storus_say(NAME, STORUS_USAGE,
				  "%s is missing; see storus import --help",
				  importer ? importer->operand :
					     "the format (torus3d, mgd or tpu)");
	if ((words->nodes && !importer->takes_nodes) ||
	    ((words->dims || words->cubes) && !importer->takes_dims))
		return storus_say(NAME, STORUS_USAGE, "%s takes no %s", format,
				  words->nodes && !importer->takes_nodes ?
					  "--nodes" :
				  words->dims ? "--dims" :
						"--cubes");
	words->operand = operands->word[1];
	words->whole_pod = importer->takes_dims && !words->dims;
	return import_print(importer, words);
}

const struct storus_command storus_import = {
	.name = "import",
	.summary = "write a torus.yaml from another description of the machine",
	.usage = "torus3d FILE | mgd FILE | tpu TYPE [OPTION]...",
	.about =
		"torus3d: Slurm's topology.yaml with a torus3d block. mgd: a mesh graph descriptor of\n"
		"Tenstorrent, as .textproto. tpu: v4, v5p, tpu7x, v5e (v5litepod), v6e, trn2 or trn2u,\n"
		"a whole pod or --dims of it, with hosts of 2x2 chips (trn2: 4x4). The torus.yaml goes\n"
		"to the standard output; parts of the description that it cannot express are listed on\n"
		"the standard error and in comments. A table's options print a row per torus instead.",
	.options = options,
	STORUS_WORDS(struct import_words, .table.column = columns),
	.operand = { .value = "operand",
		     STORUS_TO(struct import_words, operands) },
	.examples =
		"  storus import torus3d /etc/slurm/topology.yaml > torus.yaml\n"
		"  storus import mgd mesh_graph.textproto --nodes 'galaxy[0-7]' > torus.yaml\n"
		"  storus import tpu v4 --dims 8x8x8 --cubes --nodes 'tpu[000-127]' > torus.yaml\n",
	.run = import_run,
};
