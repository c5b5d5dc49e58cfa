/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy of one's own in another process: `--discipline pipe:COMMAND` (doc/policy.md).
 * The command reads a line of JSON for each pass and answers with one.
 */
#ifndef REPLAY_PIPE_H
#define REPLAY_PIPE_H

#include "replay/jobs.h"
#include "torus/discipline.h"

#define TORUS_PIPE_PREFIX "pipe:"

struct torus_pipe;

/* Start `sh -c COMMAND` and send the line about the machine. The state outlives the
 * pipe; so does err, which gets a line for a wrong answer. NULL with errno. */
struct torus_pipe *torus_pipe_open(const char *command,
				   const struct torus_state *state,
				   uint64_t seed, struct torus_error *err);
/* End the command: its input ends, and what still runs a second later is killed. */
void torus_pipe_close(struct torus_pipe *pipe);

/* Return what a scheduler asks; return true if the command has failed, with a line in
 * err. */
const struct torus_policy_host *torus_pipe_host(struct torus_pipe *pipe);
bool torus_pipe_failed(const struct torus_pipe *pipe);

/*
 * A policy of one's own (doc/policy.md): return true if a word names one, as pipe:COMMAND
 * or the path of a shared object; set it as the discipline; -1 with a line in err.
 */
bool torus_policy_is_own(const char *word);
int torus_policy_set_discipline(const char *word,
				struct torus_scheduler_settings *settings,
				struct torus_replay_options *options,
				struct torus_error *err);

#define TORUS_POLICY_HASH 12 /* digits */
#define TORUS_POLICY_NAME_SIZE 256

/*
 * Write the name of a discipline or a strategy into the buffer and return it. That of a
 * policy of one's own ends with @ and the first digits of the SHA-256 of its file; of a
 * pipe, of the command and the files that it names.
 */
const char *
torus_policy_discipline_name(const struct torus_discipline *d,
			     const struct torus_replay_options *options,
			     char buffer[TORUS_POLICY_NAME_SIZE]);
const char *torus_policy_strategy_name(const struct torus_strategy *s,
				       char buffer[TORUS_POLICY_NAME_SIZE]);

/* Write into job->text what the command is told about the job; -1 with ENOMEM. */
int torus_pipe_describe(struct torus_replay_job *job,
			const struct torus_trace_record *record);

#endif
