/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policies in shared objects (torus/policy.h): by dlopen(), once per process. What is made
 * of a descriptor lies in the object itself, which is never closed, so that schedulers and
 * machines may keep pointers to it.
 */
#include "config/policy_guard.h"
#include "config/policy_watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "torus/alloc.h"
#include "torus/text.h"

bool torus_policy_is_path(const char *word)
{
	size_t n = strlen(word);

	return strchr(word, '/') || (n > 3 && strcmp(word + n - 3, ".so") == 0);
}

static bool policy_is_safe(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_uid == 0 &&
	       (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Find the file in the directories; `found` has PATH_MAX bytes. */
static int policy_trust(const char *path, const char *only_in, char *found,
			struct torus_error *err)
{
	char directory[PATH_MAX], *slash;

	if (*only_in && !strchr(path, '/')) {
		snprintf(directory, sizeof(directory), "%.*s/%s",
			 (int)strcspn(only_in, ":"), only_in, path);
		path = directory;
	}
	if (!realpath(path, found))
		return torus_error_add(err, "%s: %s", path, strerror(errno));
	if (!*only_in)
		return 0;
	slash = strrchr(found, '/');
	for (const char *d = only_in; *d; d += strspn(d, ":")) {
		size_t n = strcspn(d, ":");
		char one[PATH_MAX], real[PATH_MAX];

		snprintf(one, sizeof(one), "%.*s", (int)n, d);
		d += n;
		if (!realpath(one, real) ||
		    strlen(real) != (size_t)(slash - found) ||
		    strncmp(real, found, (size_t)(slash - found)) != 0)
			continue;
		if (policy_is_safe(real) && policy_is_safe(found))
			return 0;
		return torus_error_add(err,
				       "%s: file and directory must belong to root, and nobody else may write to them",
				       found);
	}
	return torus_error_add(err,
			       "%s: slurmctld loads a policy only from its plugin directory, %s",
			       found, only_in);
}

/* Return the module of a file, or NULL with a line in err. */
static struct torus_policy_module *
policy_open(const char *path, const char *only_in, struct torus_error *err)
{
	char file[PATH_MAX];
	struct torus_policy_module *module;
	struct stat st;
	void *object;

	if (only_in && policy_trust(path, only_in, file, err))
		return NULL;
	if (!only_in)
		snprintf(file, sizeof(file), "%s%s",
			 strchr(path, '/') ? "" : "./", path);
	if (stat(file, &st) == 0 &&
	    !S_ISREG(st.st_mode)) { /* a pipe would block */
		torus_error_add(err, "%s: expected a regular file", path);
		errno = EINVAL;
		return NULL;
	}
	if (only_in && torus_policy_check_imports(file, err))
		return NULL;
	torus_watch_enter(path, true);
	object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	torus_watch_leave();
	if (!object) {
		torus_error_add(err, "%s", dlerror());
		return NULL;
	}
	module = dlsym(object, "torus_policy");
	if (!module)
		torus_error_add(err,
				"%s: it has no symbol torus_policy; end it with TORUS_POLICY_DISCIPLINE(..) or TORUS_POLICY_STRATEGY(..) of torus/policy.h",
				path);
	else if (module->abi != TORUS_POLICY_ABI ||
		 module->size != TORUS_POLICY_SIZE)
		torus_error_add(err,
				"%s: built for the policy interface %u (%u bytes), this program has %d (%u bytes): build it again with the headers of this version",
				path, module->abi, module->size,
				TORUS_POLICY_ABI, TORUS_POLICY_SIZE);
	else
		return module;
	errno = EINVAL;
	return NULL;
}

static bool policy_named(const char *name)
{
	return name && *name && strlen(name) < TORUS_OPTION_KEY &&
	       strspn(name,
		      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
		       strlen(name);
}

/* Guard a discipline or a strategy, which stays loaded, as its path does then. */
static int policy_guard(const char *path, struct torus_discipline *discipline,
			struct torus_strategy *strategy, struct torus_error *err)
{
	char *copy = torus_text_copy(path);
	int rc = !copy      ? torus_error_add(err, "%s: out of memory", path) :
		 discipline ? torus_guard_discipline(discipline, copy, err) :
			      torus_guard_strategy(strategy, copy, err);

	if (rc)
		torus_free(copy);
	return rc;
}

const struct torus_discipline *
torus_policy_load_discipline(const char *path, const char *only_in,
			     struct torus_error *err)
{
	struct torus_policy_module *m = policy_open(path, only_in, err);
	const struct torus_discipline *d = m ? m->discipline : NULL;

	if (!m)
		return NULL;
	if (!d)
		torus_error_add(err, "%s: it is a strategy, no discipline",
				path);
	else if (!policy_named(d->name) || torus_discipline_find(d->name))
		torus_error_add(err,
				"%s: its name is \"%.40s\", expected letters, digits, - and _, and no name of storus list",
				path, d->name ? d->name : "");
	else if (!d->rank || d->pass || d->create)
		torus_error_add(err,
				"%s: %s must have rank(), and neither create() nor pass(), which need the library",
				path, d->name);
	else if (m->own_discipline.name)
		return &m->own_discipline;
	else {
		struct torus_discipline *own = &m->own_discipline;

		torus_policy_easy(d, own);
		if (!only_in || !policy_guard(path, own, NULL, err))
			return own;
		own->name = NULL;
	}
	return NULL;
}

const struct torus_strategy *torus_policy_load_strategy(const char *path,
							const char *only_in,
							struct torus_error *err)
{
	struct torus_policy_module *m = policy_open(path, only_in, err);
	const struct torus_strategy *s = m ? m->strategy : NULL;

	if (!m)
		return NULL;
	if (!s)
		torus_error_add(err, "%s: it is a discipline, no strategy",
				path);
	else if (!policy_named(s->name) || torus_strategy_find(s->name))
		torus_error_add(err,
				"%s: its name is \"%.40s\", expected letters, digits, - and _, and no name of storus list",
				path, s->name ? s->name : "");
	else if (!s->create || !s->destroy || !s->find)
		torus_error_add(err,
				"%s: %s needs create(), destroy() and find()",
				path, s->name);
	else if (m->own_strategy.name)
		return &m->own_strategy;
	else {
		m->own_strategy = *s;
		m->own_strategy.checked = true;
		if (!s->commit && !s->save)
			m->own_strategy.occupancy_only =
				m->own_strategy.by_nodes = true;
		if (!only_in || !policy_guard(path, NULL, &m->own_strategy, err))
			return &m->own_strategy;
		m->own_strategy.name = NULL;
	}
	return NULL;
}
