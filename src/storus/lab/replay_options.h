/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of storus replay. */
#ifndef STORUS_REPLAY_OPTIONS_H
#define STORUS_REPLAY_OPTIONS_H

#include "replay/ledger.h"
#include "replay/replay.h"
#include "storus/storus.h"
#include "torus/config.h"

/* The row of --option, into a struct torus_options. */
#define STORUS_POLICY_OPTION(type, member)                                                \
	{                                                                                 \
		"option", "KEY=VALUE",                                                    \
			"an option of the discipline or the strategy, as in torus.yaml\n" \
			"(storus list shows them); once for each option",                 \
			STORUS_TAKE_TO(type, member, storus_replay_take_option)           \
	}

int storus_replay_take_option(const struct storus_args *args, void *options);

/* Set the options of --option in the configuration. Return -1 with lines in err. */
int storus_replay_set_options(struct torus_config *config,
			      const struct torus_options *options,
			      struct torus_error *err);

/* Let jobs without a shape use any nodes, as in a live cluster. 0, or -1 with errno and
 * a line in err. */
int storus_replay_anywhere(struct torus_machine *m, struct torus_error *err);

/* If the trace is a journal, add the nodes of its cluster that are in no torus. Call it
 * before the replay. 0, or -1 with errno and lines in err. */
int storus_replay_journal(struct torus_trace *trace,
			  struct torus_config *config, struct torus_error *err);

extern const struct storus_option storus_replay_options[];
extern const struct storus_option storus_validate_options[];

/* What was asked for. */
struct storus_replay_options {
	const struct storus_command *self; /* whose messages they are */
	const char *trace, *command;
	int processors, estimate; /* 0: as requested */
	const char *torus, *link_file, *strategy, *discipline;
	const char *slurm_conf, *shares;
	const char *json, *schedule;        /* files, "-", or NULL */
	int64_t wait_limit_us;              /* -1: not given */
	int64_t mean_hold_us;               /* -1: not given */
	struct torus_options of_discipline; /* as words of its options */
	struct torus_options of_policy;     /* --option */
	uint64_t seed;
	bool trimmed; /* --trim */
	struct torus_trim trim;
	bool per_user;
	bool recorded;
	bool quiet; /* no notices: another replay of the trace gives them */
	struct torus_trace_options input;
	struct torus_replay_options options;
};

/* Check that the options are complete and do not contradict each other: STORUS_GO,
 * or STORUS_USAGE after a line on stderr. */
int storus_replay_check(struct storus_replay_options *opts);

/* Put the options of the chosen discipline into the settings. STORUS_DONE, or
 * STORUS_USAGE after a line on stderr. */
int storus_replay_deadlines(const struct storus_replay_options *opts,
			    struct torus_scheduler_settings *settings);

/* The outcome of a job, and whose it was. */
struct storus_replay_outcome {
	struct torus_account account;
	char user[TORUS_TRACE_USER_SIZE];
	bool known; /* the replay has the job */
};

/* A replay whose result is the outcome of each job. */
struct storus_replay_outcomes {
	struct storus_replay_outcome *job; /* of job i of the trace, from 0 */
	uint64_t jobs;
	uint32_t room;
	uint32_t nodes; /* of the machine */
	bool recorded;  /* the history */
	bool growing;   /* the queue grows to the end */
	char machine[256];
	const char *discipline;
	char digest[TORUS_TRACE_DIGEST_SIZE];
};

/* Replay without outputs. Exit status, after a line on stderr; torus_free() frees the
 * list. */
int storus_replay_outcomes(const struct storus_replay_options *opts,
			   struct storus_replay_outcomes *outcomes);

#endif
