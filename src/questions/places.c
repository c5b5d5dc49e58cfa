/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All places of a question as a list (packing.h). */
#include "torus/state_find.h"
#include "questions/packing.h"

#include <errno.h>
#include <string.h>

#include "torus/alloc.h"

struct places_reader {
	struct places *list;
	int error; /* errno */
};

static bool places_add(void *arg, const struct torus_placement *place)
{
	struct places_reader *r = arg;
	struct places *list = r->list;

	if (list->count == PLACES_MOST)
		r->error = E2BIG;
	else if (TORUS_GROW(list->place, list->room, list->count + 1))
		r->error = ENOMEM;
	if (r->error)
		return false;
	list->place[list->count] = *place;
	list->place[list->count++].nodes = NULL;
	return true;
}

void places_free(struct places *list)
{
	torus_free(list->place);
	*list = (struct places){ 0 };
}

/* Find the strategy that lists the places of every torus: *name. Return -1 if a
 * torus has none. */
static int places_strategy(const struct torus_machine *m, const char **name,
			   bool *scattered, uint32_t *pod)
{
	bool stand_in = false;

	*scattered = true;
	for (*pod = 0; *pod < m->pods; ++*pod) {
		int i = torus_pod_strategy(&m->pod[*pod], *name);
		const struct torus_strategy *s;

		if (i < 0 || m->pod[*pod].outside)
			continue;
		s = m->pod[*pod].strategy[i];
		*scattered = *scattered && s->scatters;
		if (s->find_all || s->scatters)
			continue;
		if (!s->complete || !s->occupancy_only)
			return -1;
		stand_in = true;
	}
	if (stand_in)
		*name = "submesh";
	return 0;
}

bool places_depend(const struct torus_machine *m, const struct torus_ask *ask)
{
	for (uint32_t p = 0; p < m->pods; p++) {
		int i = torus_pod_strategy(&m->pod[p], ask->strategy);

		if (i >= 0 && !m->pod[p].strategy[i]->occupancy_only &&
		    !m->pod[p].strategy[i]->by_nodes)
			return true;
	}
	return false;
}

int places_find(struct torus_state *s, const struct torus_ask *ask,
		struct places *list, uint32_t *pod)
{
	struct places_reader r = { .list = list };
	struct torus_ask one = *ask;

	*list = (struct places){ 0 };
	*pod = UINT32_MAX;
	if (torus_ask_several(ask)) {
		errno = ENOSYS;
		return -1;
	}
	if (places_strategy(torus_state_machine(s), &one.strategy,
			    &list->scattered, pod)) {
		errno = ENOSYS;
		return -1;
	}
	if (list->scattered)
		return 0;
	if (torus_state_find_all(s, &one, places_add, &r) == 0 && !r.error)
		return 0;
	if (r.error)
		errno = r.error;
	places_free(list);
	return -1;
}
