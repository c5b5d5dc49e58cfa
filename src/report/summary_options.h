/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a replay as JSON, for its summary. */
#ifndef REPORT_SUMMARY_OPTIONS_H
#define REPORT_SUMMARY_OPTIONS_H

#include <jansson.h>

struct torus_summary;

/* Return a new object; null if the summary has no policy; NULL without
 * memory. */
json_t *torus_summary_options(const struct torus_summary *summary);

#endif
