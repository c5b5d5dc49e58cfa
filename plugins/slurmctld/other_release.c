/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of the log where a plugin is opened by another Slurm than it was built for.
 * Slurm's loader refuses such a plugin before it calls a function of it, and names the
 * plugin's version alone. A constructor runs when the file is opened. It looks for the
 * function that it calls, which is the same in each release (spank.h): a missing one
 * would end the process. The running version is that of a plugin of Slurm itself, in
 * the directory of Slurm's library.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/spank.h>

#include "slurmctld/names.h"

extern const char plugin_type[];

/* The version of the Slurm whose library has `symbol`; 0: unknown. */
static unsigned running_release(const void *symbol)
{
	char path[PATH_MAX];
	const char *slash;
	unsigned number = 0;
	const unsigned *version;
	Dl_info library;
	void *stock;

	if (!dladdr(symbol, &library) || !library.dli_fname)
		return 0;
	slash = strrchr(library.dli_fname, '/');
	if (!slash || (size_t)snprintf(path, sizeof(path), "%.*s/hash_k12.so",
				       (int)(slash - library.dli_fname),
				       library.dli_fname) >= sizeof(path))
		return 0;
	stock = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!stock)
		return 0;
	version = dlsym(stock, "plugin_version");
	if (version)
		number = *version;
	dlclose(stock);
	return number;
}

__attribute__((constructor)) static void other_release_log(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "slurm_error");
	unsigned running = symbol ? running_release(symbol) : 0;
	/* a SPANK plugin serves all patches of a release */
	int ignored = strcmp(plugin_type, "spank") == 0 ? 8 : 0;
	unsigned built = SLURM_VERSION_NUMBER;
	void (*log_error)(const char *, ...);
	Dl_info file;

	if (!running || running >> ignored == built >> ignored ||
	    !dladdr(plugin_type, &file))
		return;
	/* Slurm opens a file several times: it stays, and there is one line */
	dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	memcpy(&log_error, &symbol, sizeof(symbol));
	log_error("torus: %s was built for Slurm " TORUS_RELEASE
		  ", but this is " TORUS_RELEASE
		  ": build all plugins with the source of " TORUS_RELEASE
		  " (contribs/package) and install them",
		  file.dli_fname, TORUS_RELEASE_PARTS(built),
		  TORUS_RELEASE_PARTS(running), TORUS_RELEASE_PARTS(running));
}
