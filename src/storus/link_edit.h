/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One link of a links file, changed in the file. */
#ifndef STORUS_LINK_EDIT_H
#define STORUS_LINK_EDIT_H

#include "torus/machine.h"

bool link_file_exists(const char *path);

/*
 * Change the link's line to its health; the file is made if it does not exist.
 * It is replaced as a whole: who reads it sees the old or the new one. Edits
 * wait for each other. -1 with lines in err; the file is as it was.
 */
int link_edit_file(const struct torus_machine *m, const char *path,
		   const struct torus_link *link, struct torus_error *err);

#endif
