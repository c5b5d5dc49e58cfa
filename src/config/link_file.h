/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A links file: a line for each link that is down or weak.
 *
 *	# cabinet 4, cable 17
 *	pod0:2,0,4 1 down      the link from that vertex to its + neighbour along
 *	pod0:3,0,4 0 weak      dimension 1; along dimension 0
 */
#ifndef TORUS_LINK_FILE_H
#define TORUS_LINK_FILE_H

#include "torus/machine.h"
#include "torus/text.h"

/*
 * Read a text (`name` is for messages) and add its links to the list, which stays
 * sorted. err gets a line for each error:
 * links:3: got "pod9:0,0 1 down": "pod9" is no torus of this machine (pod0).
 * Then -1 with EINVAL, or ENOMEM, and the list unchanged.
 */
int torus_link_file_parse(const struct torus_machine *m, const char *name,
			  const char *text, size_t length,
			  struct torus_link_list *list, struct torus_error *err);

/* Read one link as typed: "pod0:2,0,4 1". Its health is up. -1 with a line in err
 * without a position. */
int torus_link_parse(const struct torus_machine *m, const char *text,
		     struct torus_link *link, struct torus_error *err);

/* The same with the new health: "pod0:2,0,4 1 down", or weak, or up. */
int torus_link_parse_change(const struct torus_machine *m, const char *text,
			    struct torus_link *link, struct torus_error *err);

/*
 * Append the text with the line of this link changed to its health. A new line
 * comes last; the line of a link that is up is removed. Other lines, and a comment
 * after the link, stay. The text must be valid for torus_link_file_parse(). -1
 * with ENOMEM.
 */
int torus_link_file_edit(const struct torus_machine *m, const char *text,
			 size_t length, const struct torus_link *link,
			 struct torus_text *out);

#endif
