/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has used how much (shares.h). */
#include "discipline/disciplines.h"

#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"
#include "torus/usage.h"

#define LN_2 0.69314718055994530942
#define TERMS 24 /* of exp(x) for |x| < 0.7, to the last bit */

double torus_shares_power(double base, int64_t n)
{
	double power = 1;

	for (; n > 0; n /= 2, base *= base)
		power *= n % 2 ? base : 1;
	return power;
}

double torus_shares_halved(double x)
{
	double fraction, term = 1, sum = 1;
	int64_t whole;

	if (x > 2000)
		return 0;
	whole = (int64_t)x;
	fraction = -(x - (double)whole) * LN_2;
	for (int i = 1; i < TERMS; i++) {
		term *= fraction / i;
		sum += term;
	}
	return sum * torus_shares_power(0.5, whole);
}

void torus_shares_free(struct torus_shares *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		torus_free(s->share[i]);
	torus_free(s->share);
	torus_names_free(&s->names);
}

/* Return the number of a name's share, from 1; a new one has used nothing. 0 with
 * ENOMEM. */
static uint32_t shares_number(struct torus_shares *s, const char *name,
			      int64_t now_us)
{
	struct name_entry *e = torus_names_find(&s->names, name);
	struct torus_share *share;

	if (e)
		return e->index + 1;
	share = TORUS_GROW(s->share, s->room, s->count + 1) ?
			NULL :
			torus_alloc(1, sizeof(*share));
	if (!share)
		return 0;
	snprintf(share->name, sizeof(share->name), "%s", name);
	share->at_us = now_us;
	share->ranked_us = INT64_MIN;
	e = torus_names_add(&s->names, share->name);
	if (!e) {
		torus_free(share);
		return 0;
	}
	e->index = s->count;
	s->share[s->count] = share;
	return ++s->count;
}

int torus_shares_enter(struct torus_shares *s, struct torus_job *job)
{
	const struct torus_job_owner *o = job->owner;

	job->share = 0;
	if (!s->on)
		return 0;
	job->share = shares_number(s,
				   !o       ? "" :
				   *o->user ? o->user :
					      o->account,
				   job->submit_us);
	return job->share ? 0 : -1;
}

/* Return what the share has used until now. */
static double share_used(const struct torus_shares *s,
			 const struct torus_share *h, int64_t now_us)
{
	double half = (double)s->half_life_us, past, left;

	if (now_us <= h->at_us)
		return h->used;
	past = (double)(now_us - h->at_us);
	if (s->half_life_us == TORUS_NO_TIME)
		return h->used + (double)h->nodes * past;
	left = torus_shares_halved(past / half);
	return h->used * left + (double)h->nodes * half / LN_2 * (1 - left);
}

void torus_shares_charge(struct torus_shares *s, struct torus_job *job,
			 uint32_t nodes, int64_t now_us)
{
	struct torus_share *h;

	if (!job->share || job->charged == nodes)
		return;
	h = s->share[job->share - 1];
	h->used = share_used(s, h, now_us);
	if (now_us > h->at_us)
		h->at_us = now_us;
	h->nodes += (uint64_t)nodes - job->charged;
	job->charged = nodes;
}

int64_t torus_shares_rank(const struct torus_shares *s, uint32_t share,
			  int64_t now_us)
{
	struct torus_share *h;
	double used;

	if (!share)
		return 0;
	h = s->share[share - 1];
	if (h->ranked_us != now_us) {
		used = share_used(s, h, now_us);
		/* the bits of doubles from 0 on grow with them */
		memcpy(&h->rank, &used, sizeof(h->rank));
		h->ranked_us = now_us;
	}
	return h->rank;
}

void torus_scheduler_adopt(struct torus_scheduler *s, struct torus_job *job,
			   int64_t now_us)
{
	if (!s->shares.on || job->charged)
		return;
	s->lacked_memory |= torus_shares_enter(&s->shares, job) != 0;
	torus_shares_charge(&s->shares, job,
			    torus_state_hold(s->state, job->slot)->place.granted,
			    now_us);
}

bool torus_scheduler_usage(const struct torus_scheduler *s, uint32_t number,
			   struct torus_usage *usage)
{
	const struct torus_share *h;

	if (number >= s->shares.count)
		return false;
	h = s->shares.share[number];
	*usage = (struct torus_usage){ .user = h->name,
				       .used = h->used,
				       .at_us = h->at_us,
				       .nodes = h->nodes };
	return true;
}

/* Set what the n-th share has used by the same expression. */
static void share_take(struct torus_shares *s, uint32_t n,
		       const struct torus_share *then, int64_t now_us)
{
	struct torus_share *h = s->share[n];

	h->used = share_used(s, then, now_us);
	h->at_us = now_us;
	h->ranked_us = INT64_MIN;
}

int torus_scheduler_take_usage(struct torus_scheduler *s,
			       const struct torus_usage *usage, int64_t now_us)
{
	const struct torus_share then = { .used = usage->used,
					  .at_us = usage->at_us,
					  .nodes = usage->nodes };
	uint32_t n;

	for (n = 0; !usage->user && n < s->shares.count; n++)
		share_take(&s->shares, n, &then, now_us);
	if (!s->shares.on || !usage->user)
		return 0;
	n = shares_number(&s->shares, usage->user, now_us);
	if (!n)
		return -1;
	share_take(&s->shares, n - 1, &then, now_us);
	return 0;
}
