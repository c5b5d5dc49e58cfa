/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger (ledger.h): a growing array of accounts, and the users' names in
 * order. Adding costs O(log users), and O(users) for a new name; the measures
 * are one pass.
 */
#include "replay/ledger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/request.h"

struct ledger_entry {
	struct torus_account account;
	uint32_t user; /* in the order of first appearance */
};

/* A name and its number; sorted by name. */
struct name {
	char text[TORUS_TRACE_USER_SIZE];
	uint32_t number;
};

struct torus_ledger {
	struct ledger_entry *entry;
	size_t entries;
	uint32_t entry_room;
	struct name *name;
	uint32_t names, name_room;
	struct torus_ledger_user *user; /* result of the latest query */
};

bool torus_trim_parse(const char *p, struct torus_trim *trim)
{
	int i;

	for (i = 0; i < 2; i++) {
		size_t n = strcspn(p, ",");
		char word[32];
		int64_t us;

		if (!n || n >= sizeof(word))
			return false;
		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		trim->share[i] = word[n - 1] == '%';
		if (trim->share[i])
			word[n - 1] = '\0';
		if (torus_duration_read(word, &us, NULL) ||
		    (trim->share[i] && !torus_number_seconds(word, &us)) ||
		    us > TORUS_TRACE_MAX_SECONDS * 1000000)
			return false;
		trim->amount[i] = (double)us * (trim->share[i] ? 1e-8 : 1);
		p += n;
		if (*p != ',' || i)
			break;
		p++;
	}
	if (*p)
		return false;
	if (!i) {
		trim->amount[1] = trim->amount[0];
		trim->share[1] = trim->share[0];
	}
	return true;
}

struct torus_ledger *torus_ledger_create(void)
{
	return torus_alloc(1, sizeof(struct torus_ledger));
}

void torus_ledger_destroy(struct torus_ledger *ledger)
{
	if (!ledger)
		return;
	torus_free(ledger->entry);
	torus_free(ledger->name);
	torus_free(ledger->user);
	torus_free(ledger);
}

/* Return the index at which the name is or belongs; *found: it is there. */
static uint32_t name_seek(const struct torus_ledger *l, const char *text,
			  bool *found)
{
	uint32_t low = 0, high = l->names;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(l->name[middle].text, text);

		if (!order) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*found = false;
	return low;
}

/* Return the user's number; UINT32_MAX with ENOMEM. */
static uint32_t name_number(struct torus_ledger *l, const char *text)
{
	struct name *name;
	bool found;
	uint32_t at = name_seek(l, text, &found);

	if (found)
		return l->name[at].number;
	if (TORUS_GROW(l->name, l->name_room, l->names + 1))
		return UINT32_MAX;
	name = &l->name[at];
	memmove(name + 1, name, (l->names - at) * sizeof(*name));
	memset(name, 0, sizeof(*name));
	strncpy(name->text, text, sizeof(name->text) - 1);
	name->number = l->names;
	return l->names++;
}

int torus_ledger_add(struct torus_ledger *l,
		     const struct torus_account *account, const char *user)
{
	uint32_t number;

	if (TORUS_GROW(l->entry, l->entry_room, l->entries + 1))
		return -1;
	number = name_number(l, user);
	if (number == UINT32_MAX)
		return -1;
	l->entry[l->entries++] = (struct ledger_entry){ *account, number };
	return 0;
}

void torus_trim_window(const struct torus_trim *trim, int64_t first_us,
		       int64_t last_us, int64_t *from_us, int64_t *to_us)
{
	double span = last_us > first_us ? (double)(last_us - first_us) : 0;
	int64_t cut[2];

	for (int i = 0; i < 2; i++)
		cut[i] = (int64_t)fmin(span, trim->share[i] ?
						     trim->amount[i] * span :
						     trim->amount[i]);
	*from_us = first_us + cut[0];
	*to_us = last_us - cut[1];
}

/* Compute the ends of the window. Return 0, or -1 with a line in err. */
static int ledger_window(const struct torus_ledger *l,
			 const struct torus_trim *trim, int64_t *from_us,
			 int64_t *to_us, struct torus_error *err)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	double span;
	size_t i;

	for (i = 0; i < l->entries; i++) {
		int64_t submit = l->entry[i].account.submit_us;

		first = submit < first ? submit : first;
		last = submit > last ? submit : last;
	}
	span = l->entries ? (double)(last - first) : 0;
	torus_trim_window(trim, first, last, from_us, to_us);
	if (l->entries && *from_us < *to_us)
		return 0;
	return torus_error_add(err,
			       "--trim: nothing is left of %g s between "
			       "the first and the last submit",
			       span * 1e-6);
}

/* Return how much of begin..end lies within from..to. */
static double ledger_overlap(int64_t begin, int64_t end_us, int64_t from_us,
			     int64_t to_us)
{
	int64_t low = begin > from_us ? begin : from_us;
	int64_t high = end_us < to_us ? end_us : to_us;

	return high > low ? (double)(high - low) : 0;
}

int torus_ledger_trim(const struct torus_ledger *l,
		      const struct torus_trim *trim, struct torus_metrics *m,
		      struct torus_error *err)
{
	double requested = 0, granted = 0, queued = 0, running = 0;
	int64_t from_us = 0, to_us = 0;
	size_t i;

	if (ledger_window(l, trim, &from_us, &to_us, err))
		return -1;
	for (i = 0; i < l->entries; i++) {
		const struct torus_account *a = &l->entry[i].account;
		bool started = a->granted > 0;
		double run = started ? ledger_overlap(a->start_us, a->end_us,
						      from_us, to_us) :
				       0;

		/* the times at which it ran before preemption are not
		 * recorded */
		if (started && a->start_us >= from_us && a->start_us <= to_us)
			run += (double)a->ran_us;
		requested += run * a->requested;
		granted += run * a->granted;
		running += run;
		queued += ledger_overlap(a->submit_us,
					 started ? a->start_us : a->end_us,
					 from_us, to_us);
		if (a->submit_us < from_us || a->submit_us > to_us)
			continue;
		torus_metrics_submit(m, a->submit_us);
		torus_metrics_add(m, a);
	}
	/* sums over time are those of the window */
	m->requested_us = requested;
	m->granted_us = granted;
	m->queued_us = queued;
	m->running_us = running;
	m->first_submit_us = from_us;
	m->last_end_us = to_us;
	return 0;
}

static void user_add(struct torus_ledger_user *user,
		     const struct torus_account *a)
{
	int64_t wait = torus_account_wait(a), held = torus_account_held(a);

	user->jobs++;
	if (a->granted)
		user->node_s += (double)a->requested * (double)held * 1e-6;
	if (a->outcome != TORUS_OUTCOME_COMPLETED)
		return;
	user->completed++;
	torus_moments_add(&user->wait, (double)wait * 1e-6);
	torus_moments_add(&user->response,
			  (double)(a->end_us - a->submit_us) * 1e-6);
	torus_moments_add(&user->slowdown, torus_account_slowdown(a));
}

int torus_ledger_users(struct torus_ledger *l, int64_t from_us, int64_t to_us,
		       const struct torus_ledger_user **users, size_t *count)
{
	struct torus_ledger_user *user = torus_alloc(l->names, sizeof(*user));
	uint32_t *place = torus_alloc(l->names, sizeof(*place)), i;
	size_t k;

	torus_free(l->user);
	l->user = user;
	if (!user || !place) {
		torus_free(place);
		return -1;
	}
	for (i = 0; i < l->names; i++) {
		memcpy(user[i].name, l->name[i].text, sizeof(user[i].name));
		place[l->name[i].number] = i;
	}
	for (k = 0; k < l->entries; k++) {
		const struct torus_account *a = &l->entry[k].account;

		if (a->submit_us >= from_us && a->submit_us <= to_us)
			user_add(&user[place[l->entry[k].user]], a);
	}
	torus_free(place);
	for (i = 0, k = 0; i < l->names; i++)
		if (user[i].jobs)
			user[k++] = user[i];
	*users = user;
	*count = k;
	return 0;
}

int torus_ledger_batches(const struct torus_ledger *l, int64_t from_us,
			 int64_t to_us, int64_t length_us,
			 struct torus_ledger_batch **batches, uint32_t *count)
{
	int64_t n = to_us > from_us ? (to_us - from_us) / length_us : 0;

	*count = n < TORUS_LEDGER_BATCHES ? (uint32_t)n : 0;
	*batches = torus_alloc(*count + 1, sizeof(**batches));
	if (!*batches)
		return -1;
	for (size_t i = 0; i < l->entries; i++) {
		const struct torus_account *a = &l->entry[i].account;
		int64_t wait = torus_account_wait(a), k;
		struct torus_ledger_batch *b;

		if (a->submit_us < from_us ||
		    a->outcome != TORUS_OUTCOME_COMPLETED)
			continue;
		k = (a->submit_us - from_us) / length_us;
		if (k >= *count)
			continue;
		b = &(*batches)[k];
		b->jobs++;
		b->wait_s += (double)wait * 1e-6;
		b->response_s += (double)(a->end_us - a->submit_us) * 1e-6;
		b->slowdown += torus_account_slowdown(a);
	}
	return 0;
}
