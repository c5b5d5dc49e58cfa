/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watch over policies of shared objects in storus: a program that runs one goes on in a
 * child, and its parent reports a policy that crashes, hangs, forks or ends the process, with
 * one line and the status 3, whatever the policy blocks or ignores:
 *
 *	storus ---- fork ----> loads the policy, replays ---- torus_watch_done(status)
 *	  waits; ticks         counts instants in shared memory
 *
 * Programs that do not call torus_watch_enable() (slurmctld, tests) have no watch.
 */
#ifndef CONFIG_POLICY_WATCH_H
#define CONFIG_POLICY_WATCH_H

#include <stdbool.h>

/* Let policies be watched in this process and in those that it forks. */
void torus_watch_enable(void);

/* Watch this process, forked by one that has loaded a policy, if it runs one. It must have a
 * single thread. */
void torus_watch_process(void);

/* A policy's code runs from now on, until as many calls of leave() follow. load: its file
 * `name` is loaded, by a process with a single thread; else a replay runs under `name`. */
void torus_watch_enter(const char *name, int load);
void torus_watch_leave(void);

/* Between enter() and leave(): storus itself reads or writes, which may take any time. */
void torus_watch_pause(bool paused);

/* Count an instant. If none is counted for TORUS_WATCH_S between enter() and leave(), the
 * policy hangs. */
#define TORUS_WATCH_S 10
void torus_watch_beat(void);

/* Note the path of output `slot` of TORUS_WATCH_FILES, which is not finished yet: the parent
 * removes it after any other end of the process. NULL: it is finished. */
#define TORUS_WATCH_FILES 8
void torus_watch_file(int slot, const char *path);

/* Return the status of a process that ends now as it should. */
int torus_watch_done(int status);

#endif
