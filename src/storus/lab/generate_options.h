/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of storus generate. */
#ifndef STORUS_GENERATE_OPTIONS_H
#define STORUS_GENERATE_OPTIONS_H

#include "storus/storus.h"
#include "trace/models/resample.h"
#include "trace/models/model.h"
#include "trace/writer.h"

extern const struct storus_option storus_generate_options[];

/* What was asked for. */
struct storus_generate_options {
	struct torus_model_options model; /* model.model NULL: --from */
	const char *name;                 /* of the model, as typed */
	const char *from_trace, *like_trace;
	const char *from;          /* either of them, or NULL */
	bool like;                 /* jobs like those of the trace */
	enum torus_resample_by by; /* in what pieces */
	int pieces;                /* the same as typed; -1: not */
	int format; /* of the output: 0 SWF, 1 CSV; -1: not given */
	struct torus_trace_options input; /* of that trace */
	uint64_t jobs;                    /* 0: not given */
	bool machine_given;
	const char *output; /* a file, or "-" */
	const char *command;
	const struct torus_writer *writer;
	bool bare; /* no provenance */
};

/*
 * The options are read twice: for the model, which has the parameters and their
 * defaults, and for their values. Both return STORUS_GO, or an exit status.
 */
/* After the first reading: find the model. */
int storus_generate_first(void *opts);
/* After the second: check that the options fit each other. */
int storus_generate_check(struct storus_generate_options *opts);

#endif
