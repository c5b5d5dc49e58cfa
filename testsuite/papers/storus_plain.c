/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus with the plain search: it keeps no free boxes, so that each search
 * erodes the whole machine, and its erosions use no wide words. For
 * plain-search.t.
 */
#include "placement/submesh/erode.h"
#include "placement/state/state.h"
#include "storus/storus.h"

int __wrap_state_list_boxes(struct torus_state *s, uint32_t nodes);
struct torus_erode *__wrap_torus_erode_create(const struct torus *t);
struct torus_erode *__real_torus_erode_create(const struct torus *t);

int __wrap_state_list_boxes(struct torus_state *s, uint32_t nodes)
{
	(void)s;
	(void)nodes;
	return 0;
}

struct torus_erode *__wrap_torus_erode_create(const struct torus *t)
{
	struct torus_erode *e = __real_torus_erode_create(t);

	if (e)
		torus_erode_wide(e, false);
	return e;
}

int main(int argc, char **argv)
{
	return storus_main(argc, argv);
}
