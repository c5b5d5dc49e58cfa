/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots that a test has written as text. */
#ifndef TESTSUITE_SNAPSHOT_TEXT_H
#define TESTSUITE_SNAPSHOT_TEXT_H

#include "format/snapshot.h"

/* Read the snapshot; an error fails the test. */
static struct snapshot *snapshot_of_text(const struct torus_text *text)
{
	struct torus_error err = { 0 };
	struct snapshot *s = snapshot_read("snapshot", text->data, text->length,
					   &err);

	if (!s)
		fail_msg("%s", err.text);
	return s;
}

#endif
