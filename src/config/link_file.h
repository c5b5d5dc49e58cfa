/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A links file: a line for each link that is not healthy.
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
 * Read a text (name is for messages only). Its links are added to the list,
 * which stays sorted. All errors are in err, a line each:
 * links:3: got "pod9:0,0 1 down": "pod9" is no torus of this machine (pod0).
 * -1 then, with EINVAL, or ENOMEM; the list is as it was.
 */
int torus_link_file_parse(const struct torus_machine *m, const char *name,
			  const char *text, size_t length,
			  struct torus_link_list *list, struct torus_error *err);

/* One link as it is typed: "pod0:2,0,4 1". Its health is up. -1 with a line in
 * err that does not say where. */
int torus_link_parse(const struct torus_machine *m, const char *text,
		     struct torus_link *link, struct torus_error *err);

/*
 * Append the text with this link's line changed to its health; new lines come
 * last, and the line of a link that is up goes. All other lines, and a comment
 * behind the link, stay as they are. The text must be one that
 * torus_link_file_parse() accepts. -1 with ENOMEM.
 */
int torus_link_file_edit(const struct torus_machine *m, const char *text,
			 size_t length, const struct torus_link *link,
			 struct torus_text *out);

#endif
