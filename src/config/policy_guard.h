/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guard of policies in slurmctld (torus/policy.h). A function of a policy that crashes
 * or does not end, or a strategy whose place is wrong, is given up: the policy is not asked
 * again, one line is reported, and what is built in decides from then on, until the
 * process ends. What is contained is a signal of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL;
 * a recursion without end, too) and a call that lasts TORUS_GUARD_CALL_MS. A policy that
 * can end the process on purpose is refused when it is loaded. What is not contained:
 * memory of others that a policy has written to, and a crash or a hang inside the
 * allocator, whose lock stays taken.
 */
#ifndef CONFIG_POLICY_GUARD_H
#define CONFIG_POLICY_GUARD_H

#include "torus/policy.h"

#define TORUS_GUARD_CALL_MS 1000 /* longest call of a function of a policy */
#define TORUS_GUARD_POLICIES 8   /* most policies that one process loads */

/*
 * Let the functions of a descriptor, which stays where it is, be called under guard.
 * `path` names the file in lines, and stays valid. -1 with a line in err.
 */
int torus_guard_discipline(struct torus_discipline *d, const char *path,
			   struct torus_error *err);
int torus_guard_strategy(struct torus_strategy *s, const char *path,
			 struct torus_error *err);

/* Return why the policy of this descriptor is not asked any more, or NULL. */
const char *torus_guard_failure(const void *descriptor);

/* Report failures from now on: once for each policy, in the thread that called it, which
 * may hold any lock. */
void torus_guard_report(void (*report)(const char *line));

/*
 * Check what a shared object imports (policy_imports.c): nothing that ends, replaces or
 * copies the process, starts a thread or changes what signals do, and no other library
 * than those of C. -1 with a line in err.
 */
int torus_policy_check_imports(const char *path, struct torus_error *err);

#endif
