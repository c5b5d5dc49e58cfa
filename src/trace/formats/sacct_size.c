/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a row of sacct's output says of a job's size: its nodes, CPUs or GPUs, and what it
 * needs of nodes that it shares. */
#include "trace/formats/sacct.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "trace/formats/slurm_words.h"
#include "trace/select.h"

enum torus_trace_line torus_sacct_error(char *why,
					enum torus_sacct_column column,
					const char *got, const char *expected)
{
	snprintf(why, TORUS_TRACE_WHY_SIZE, "%s: got \"%.*s\", expected %s",
		 torus_sacct_columns[column], 60, got, expected);
	return TORUS_TRACE_LINE_BAD;
}

const char *torus_sacct_first_of(const struct torus_sacct_row *row,
				 enum torus_sacct_column a,
				 enum torus_sacct_column b)
{
	return *row->field[a] ? row->field[a] : row->field[b];
}

/* Read 12, 12K (of 1024) and so on; 0 if empty. */
static bool sacct_nodes_read(const char *text, uint32_t *nodes)
{
	struct torus_number n = { 0 };
	const char *end = torus_number_scan(text, &n);
	double value = (double)n.whole + n.micro * 1e-6;

	*nodes = 0;
	if (!*text)
		return true;
	if (!end || *text == '-')
		return false;
	if (*end == 'K' || *end == 'M') {
		value *= *end == 'K' ? 1024 : 1024 * 1024;
		end++;
	}
	if (*end || value > TORUS_TRACE_MAX_PROCESSORS)
		return false;
	*nodes = (uint32_t)(value + 0.5);
	return true;
}

/* Read the count of a resource in cpu=64,gres/gpu:a100=8,node=2; *n is 0 without
 * it. Types of GPUs are counted in the sum that stands beside them, if it does. */
static bool tres_read(const char *text, const char *name, uint32_t *n)
{
	size_t length = strlen(name);
	uint32_t one, typed = 0;
	char value[32];

	*n = 0;
	for (const char *p = text; p && *p; p = strchr(p, ',')) {
		const char *equals;
		size_t size;

		p += *p == ',';
		equals = p + strcspn(p, "=,");
		if (strncmp(p, name, length) != 0 || *equals != '=' ||
		    (p[length] != '=' && p[length] != ':'))
			continue;
		size = strcspn(equals + 1, ",");
		snprintf(value, sizeof(value), "%.*s", (int)size, equals + 1);
		if (!sacct_nodes_read(value, &one))
			return false;
		if (p[length] == ':')
			typed += one;
		else
			*n = one;
	}
	if (!*n)
		*n = typed;
	return true;
}

bool torus_sacct_size_read(enum torus_trace_size size,
			   const struct torus_sacct_row *row,
			   struct torus_trace_record *record, char *why)
{
	static const enum torus_sacct_column from[3][3] = {
		{ SACCT_NNODES, SACCT_ALLOCNODES, SACCT_REQNODES },
		{ SACCT_ALLOCCPUS, SACCT_NCPUS, SACCT_REQCPUS },
		{ SACCT_COLUMNS, SACCT_COLUMNS, SACCT_COLUMNS },
	};
	static const char *const tres[] = { "node", "cpu", "gres/gpu" };
	static const char *const expected[] = { "a number of nodes",
						"a number of CPUs", "" };
	uint32_t n = 0;

	for (int i = 0; i < 3 && !n; i++) {
		enum torus_sacct_column c = from[size][i];

		if (c < SACCT_COLUMNS && !sacct_nodes_read(row->field[c], &n)) {
			torus_sacct_error(why, c, row->field[c], expected[size]);
			return false;
		}
	}
	for (int i = 0; i < 2 && !n; i++) {
		enum torus_sacct_column c = i ? SACCT_REQTRES : SACCT_ALLOCTRES;

		if (!tres_read(row->field[c], tres[size], &n)) {
			torus_sacct_error(why, c, row->field[c],
					  "counts such as cpu=64,node=2");
			return false;
		}
	}
	record->requested = record->used = n;
	return true;
}

/* Return the value of NAME=VALUE in AllocTRES, else in ReqTRES, or NULL. */
static const char *tres_text(const struct torus_sacct_row *row,
			     const char *name, char value[32])
{
	size_t length = strlen(name);

	for (int i = 0; i < 2; i++) {
		const char *p = row->field[i ? SACCT_REQTRES : SACCT_ALLOCTRES];

		for (; p && *p; p = strchr(p, ',')) {
			p += *p == ',';
			if (strncmp(p, name, length) || p[length] != '=')
				continue;
			p += length + 1;
			snprintf(value, 32, "%.*s", (int)strcspn(p, ","), p);
			return value;
		}
	}
	return NULL;
}

/* Cut the next word off *rest. */
static bool submit_word(const char **rest, char word[64])
{
	const char *p = *rest + strspn(*rest, " \t\n");
	size_t n = strcspn(p, " \t\n");

	snprintf(word, 64, "%.*s", (int)n, p);
	*rest = p + n;
	return n > 0;
}

/* Return true if the option takes no value, or none from the next word: an optional value
 * stands behind =. */
static bool submit_is_flag(const char *word, bool srun)
{
	static const char *const flags[] = {
		"async",
		"bcast",
		"bell",
		"compress",
		"consolidate-segments",
		"contiguous",
		"debugger-test",
		"disable-status",
		"exact",
		"exclusive",
		"external",
		"external-launcher",
		"get-user-env",
		"hold",
		"ignore-pbs",
		"immediate",
		"interactive",
		"kill-command",
		"kill-on-bad-exit",
		"label",
		"multi-prog",
		"nice",
		"no-allocate",
		"no-bell",
		"no-kill",
		"no-requeue",
		"no-shell",
		"oom-kill-step",
		"overcommit",
		"overlap",
		"oversubscribe",
		"parsable",
		"preserve-env",
		"propagate",
		"pty",
		"quiet",
		"quit-on-interrupt",
		"reboot",
		"requeue",
		"resv-ports",
		"send-libs",
		"spread-job",
		"spread-segments",
		"stepmgr",
		"test-only",
		"unbuffered",
		"use-min-nodes",
		"verbose",
		"wait-for-children",
		"whole",
		"x11",
	};

	if (!strcmp(word, "-W") || !strcmp(word, "--wait"))
		return !srun;
	if (word[1] != '-')
		return word[2] || strchr("EHIKklOQsuvXZ", word[1]);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(word + 2, flags[i]))
			return true;
	return strchr(word, '=');
}

/* Read --exclusive and --cpus-per-task of a SubmitLine, up to the name of the script; what
 * the script asks for in #SBATCH lines stands nowhere. */
static void submit_read(const char *rest, struct torus_job_parts *p)
{
	static const char task[] = "--cpus-per-task";
	char word[64], value[64];
	const char *number;
	bool srun;
	uint64_t n;

	submit_word(&rest, word); /* sbatch, or with its path */
	number = strrchr(word, '/');
	srun = !strcmp(number ? number + 1 : word, "srun");
	while (submit_word(&rest, word) && *word == '-' && word[1] &&
	       strncmp(word, "--wrap", 6) != 0 && strcmp(word, "--") != 0) {
		p->whole |= !strcmp(word, "--exclusive");
		*value = '\0';
		if (!submit_is_flag(word, srun) && !submit_word(&rest, value))
			return;
		if (!strncmp(word, task, strlen(task)))
			number = word[strlen(task)] == '=' ?
					 word + strlen(task) + 1 :
					 value;
		else if (!strncmp(word, "-c", 2))
			number = word[2] ? word + 2 : value;
		else
			continue;
		if (torus_number_whole(number, 1, UINT16_MAX, &n))
			p->task = (uint32_t)n;
	}
}

bool torus_sacct_parts_read(const struct torus_sacct_row *row,
			    struct torus_trace_record *record, char *why)
{
	struct torus_job_parts *p = &record->parts;
	const char *memory = row->field[SACCT_REQMEM], *total;
	uint32_t had = 0, gpus = 0, asked = 0;
	char value[32], each = 0;

	*p = (struct torus_job_parts){ 0 };
	submit_read(row->field[SACCT_SUBMITLINE], p);
	if (!sacct_nodes_read(torus_sacct_first_of(row, SACCT_ALLOCNODES,
						   SACCT_NNODES),
			      &had) ||
	    !sacct_nodes_read(row->field[SACCT_REQNODES], &p->nodes) ||
	    (!had && !tres_read(row->field[SACCT_ALLOCTRES], "node", &had)) ||
	    (!p->nodes &&
	     !tres_read(row->field[SACCT_REQTRES], "node", &p->nodes)) ||
	    !sacct_nodes_read(row->field[SACCT_REQCPUS], &p->asked) ||
	    (!p->asked &&
	     !tres_read(row->field[SACCT_REQTRES], "cpu", &p->asked)) ||
	    !tres_read(row->field[SACCT_ALLOCTRES], "gres/gpu", &gpus) ||
	    !tres_read(row->field[SACCT_REQTRES], "gres/gpu", &asked)) {
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "AllocNodes, ReqNodes, ReqCPUS, AllocTRES and ReqTRES: expected counts, in TRES such as cpu=64,node=2,gres/gpu=4");
		return false;
	}
	/* Beyond what it asked for a job has the rest of a core, less than a task, or whole
	 * nodes, which need be no whole tasks. */
	if (p->asked && record->requested >= p->asked + p->task)
		p->task = 0;
	record->requested = record->used =
		torus_job_parts_tasks(p, record->requested);
	p->nodes = p->nodes ? p->nodes : had;
	p->most_nodes = had > p->nodes ? had : p->nodes;
	had = p->most_nodes ? p->most_nodes : 1;
	if (gpus && gpus == asked) /* of all nodes together */
		p->nodes = had;
	gpus = gpus ? gpus : asked;
	p->gpus = gpus / had + (gpus % had != 0);
	p->unequal = gpus % had != 0;
	if (*memory && !torus_slurm_memory(memory, &p->memory_mb, &each)) {
		torus_sacct_error(why, SACCT_REQMEM, memory, TORUS_SLURM_MEMORY);
		return false;
	}
	p->per_cpu = each == 'c';
	if (each)
		return true;
	total = tres_text(row, "mem", value);
	if (total && (!torus_slurm_memory(total, &p->memory_mb, &each) || each)) {
		torus_sacct_error(why, SACCT_ALLOCTRES, total,
				  "memory such as mem=16G");
		return false;
	}
	p->per_cpu = had > 1;
	if (p->per_cpu && record->requested)
		p->memory_mb = p->memory_mb / record->requested +
			       (p->memory_mb % record->requested != 0);
	return true;
}
