/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a replay as JSON: those that differ from the default, with the
 * names of torus.yaml and of a campaign; durations in seconds. Options of the
 * strategy and of the discipline have an object each.
 */
#include "report/summary_options.h"

#include "report/summary.h"
#include "torus/discipline.h"

/* Add the option unless it has its default value. */
static void summary_options_factor(json_t *o, const char *key, double value,
				   double initial)
{
	if (value < initial || value > initial)
		json_object_set_new(o, key, json_real(value));
}

static void summary_options_words(json_t *o, const char *key,
				  const struct torus_options *from)
{
	json_t *all = json_object();

	for (uint32_t i = 0; i < from->used; i++)
		json_object_set_new(all, from->item[i].key,
				    json_string(from->item[i].value));
	if (from->used)
		json_object_set_new(o, key, all);
	else
		json_decref(all);
}

/* Add the options of the strategy; on several toruses an object per torus. */
static void summary_options_strategies(json_t *o, const struct torus_machine *m)
{
	json_t *all = json_object();

	if (m->pods == 1)
		summary_options_words(o, "strategy", &m->pod[0].options);
	else
		for (uint32_t p = 0; p < m->pods; p++)
			summary_options_words(all, m->pod[p].torus.name,
					      &m->pod[p].options);
	if (json_object_size(all))
		json_object_set_new(o, "strategy", all);
	else
		json_decref(all);
}

static void summary_options_replay(json_t *o,
				   const struct torus_replay_options *r)
{
	static const char *const overruns[] = { "raise", "kill", "extend" };

	if (r->processors_used)
		json_object_set_new(o, "processors", json_string("used"));
	if (r->estimate_run)
		json_object_set_new(o, "estimate", json_string("run"));
	if (r->overrun != TORUS_OVERRUN_RAISE)
		json_object_set_new(o, "overrun",
				    json_string(overruns[r->overrun]));
	summary_options_factor(o, "scale", r->scale, 1);
	if (r->round_up_pow2)
		json_object_set_new(o, "round_up_pow2", json_true());
	summary_options_factor(o, "run_scale", r->run_scale, 1);
	summary_options_factor(o, "load_scale", r->load_scale, 1);
	if (r->laxity >= 0)
		json_object_set_new(o, "laxity", json_real(r->laxity));
	if (r->pass_budget_us)
		json_object_set_new(o, "pass_budget",
				    json_real((double)r->pass_budget_us * 1e-6));
	if (r->pass_jobs)
		json_object_set_new(o, "pass_jobs",
				    json_integer((json_int_t)r->pass_jobs));
	for (int k = 0; k < TORUS_FAULT_KINDS; k++) {
		static const char *const keys[] = { "faults", "link_faults" };
		const struct torus_fault_rate *f = &r->faults[k];

		if (f->mtbf_us)
			json_object_set_new(o, keys[k],
					    json_pack("[f,f]",
						      (double)f->mtbf_us * 1e-6,
						      (double)f->mttr_us *
							      1e-6));
	}
	if (r->contention)
		json_object_set_new(o, "contention", json_true());
}

static void summary_options_scheduler(json_t *o,
				      const struct torus_scheduler_settings *s)
{
	if (s->wait_limit_us != TORUS_NO_TIME)
		json_object_set_new(o, "wait_limit",
				    json_real((double)s->wait_limit_us * 1e-6));
	if (s->mean_hold_us > 0)
		json_object_set_new(o, "mean_hold",
				    json_real((double)s->mean_hold_us * 1e-6));
	if (s->order_by_priority)
		json_object_set_new(o, "order", json_string("priority"));
	if (s->backfill_places != 1)
		json_object_set_new(o, "backfill_places",
				    json_integer(s->backfill_places));
	if (s->discipline->reserves && s->reservations != 1)
		json_object_set_new(o, "reservations",
				    json_integer(s->reservations));
	summary_options_words(o, "discipline", &s->options);
}

json_t *torus_summary_options(const struct torus_summary *s)
{
	json_t *o;

	if (!s->policy.machine)
		return json_null();
	o = json_object();
	if (s->policy.replay)
		summary_options_replay(o, s->policy.replay);
	if (s->policy.max_jobs)
		json_object_set_new(o, "max_jobs",
				    json_integer((json_int_t)s->policy.max_jobs));
	summary_options_scheduler(o, s->policy.scheduler);
	summary_options_strategies(o, s->policy.machine);
	return o;
}
