/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens libtorus_slurm.so from the directory that the calling plugin was
 * loaded from. It is never closed: other plugins may still use it, and its
 * state must outlive a reload of one of them.
 */
#include "slurmctld/torus_slurm.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "slurmctld/names.h"

#define LIBRARY "libtorus_slurm.so"

static bool library_path(int (*here)(void), char *path, size_t size)
{
	const char *slash;
	Dl_info info;
	void *address;

	memcpy(&address, &here, sizeof(address));
	if (!dladdr(address, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	return (size_t)snprintf(path, size, "%.*s/%s",
				(int)(slash - info.dli_fname), info.dli_fname,
				LIBRARY) < size;
}

const struct torus_slurm_api *torus_slurm_open(int (*here)(void))
{
	const struct torus_slurm_api *api;
	char path[PATH_MAX];
	void *library;

	if (!library_path(here, path, sizeof(path))) {
		error("torus: cannot tell where " LIBRARY " lies");
		return NULL;
	}
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!library) {
		error("torus: cannot open %s: %s", path, dlerror());
		return NULL;
	}
	api = dlsym(library, TORUS_SLURM_SYMBOL);
	if (!api || api->version != TORUS_SLURM_API) {
		error("torus: %s does not belong to these plugins; install all of them from one build",
		      path);
		return NULL;
	}
	/* Slurm has compared this plugin's number with its own */
	if (api->slurm >> 8 != SLURM_VERSION_NUMBER >> 8) {
		error("torus: %s was built for Slurm " TORUS_RELEASE
		      ", which has other records than the running " TORUS_RELEASE
		      "; install all plugins from one build for that",
		      path, TORUS_RELEASE_PARTS(api->slurm),
		      TORUS_RELEASE_PARTS(SLURM_VERSION_NUMBER));
		return NULL;
	}
	if (api->records() != SLURM_SUCCESS)
		return NULL;
	if (api->slurm != SLURM_VERSION_NUMBER)
		info("torus: %s was built for Slurm " TORUS_RELEASE
		     "; this is " TORUS_RELEASE
		     ", whose records have the same sizes: it is accepted",
		     path, TORUS_RELEASE_PARTS(api->slurm),
		     TORUS_RELEASE_PARTS(SLURM_VERSION_NUMBER));
	return api;
}
