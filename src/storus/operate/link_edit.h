/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One link of a links file, changed in the file. */
#ifndef STORUS_LINK_EDIT_H
#define STORUS_LINK_EDIT_H

#include "torus/machine.h"

bool link_file_exists(const char *path);

/*
 * Set the link's line to its health; create the file if it does not exist. The file is
 * replaced as a whole: a reader sees the old or the new one. Edits wait for each other.
 * -1 with lines in err, and the file unchanged.
 */
int link_edit_file(const struct torus_machine *m, const char *path,
		   const struct torus_link *link, struct torus_error *err);

#endif
