/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SchedulerParameters of slurm.conf (slurm_site.h), read as Slurm reads them: it searches
 * the whole text for each KEY=, so the first place counts, wherever it is, and takes its
 * default in place of a number outside the range. What a site may not have meant is noted.
 */
#include "replay/slurm_site.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/slurm_site_nodes.h"
#include "torus/alloc.h"

/* Of SchedulerParameters. */
static const struct site_key parameters[] = {
	{ "sched_interval", SITE_SECONDS, SITE_MEMBER(sched_interval), -1,
	  INT32_MAX },
	{ "sched_min_interval", SITE_MICRO, SITE_MEMBER(sched_min_interval_us),
	  0, INT32_MAX },
	{ "batch_sched_delay", SITE_SECONDS, SITE_MEMBER(batch_sched_delay), 0,
	  INT32_MAX },
	{ "default_queue_depth", SITE_COUNT, SITE_MEMBER(default_queue_depth),
	  0, INT32_MAX },
	{ "partition_job_depth", SITE_COUNT, SITE_MEMBER(partition_job_depth),
	  0, INT32_MAX },
	{ "sched_max_job_start", SITE_COUNT, SITE_MEMBER(sched_max_job_start),
	  0, INT32_MAX },
	{ "defer", SITE_FLAG, SITE_MEMBER(defer), 0, 0 },
	{ "bf_interval", SITE_INTERVAL, SITE_MEMBER(bf_interval), -1, 10800 },
	{ "bf_window", SITE_MINUTES, SITE_MEMBER(bf_window), 1, 43200 },
	{ "bf_resolution", SITE_SECONDS, SITE_MEMBER(bf_resolution), 1, 3600 },
	{ "bf_max_job_test", SITE_COUNT, SITE_MEMBER(bf_max_job_test), 1,
	  1000000 },
	{ "bf_node_space_size", SITE_COUNT, SITE_MEMBER(bf_node_space_size), 2,
	  2000000 },
	{ "bf_max_job_part", SITE_COUNT, SITE_MEMBER(bf_max_job_part), 0,
	  INT32_MAX },
	{ "bf_max_job_user", SITE_COUNT, SITE_MEMBER(bf_max_job_user), 0,
	  INT32_MAX },
	{ "bf_max_job_user_part", SITE_COUNT, SITE_MEMBER(bf_max_job_user_part),
	  0, INT32_MAX },
	{ "bf_max_job_assoc", SITE_COUNT, SITE_MEMBER(bf_max_job_assoc), 0,
	  INT32_MAX },
	{ "bf_max_job_start", SITE_COUNT, SITE_MEMBER(bf_max_job_start), 0,
	  10000 },
	{ "bf_max_job_array_resv", SITE_COUNT,
	  SITE_MEMBER(bf_max_job_array_resv), 0, 1000 },
	{ "bf_job_part_count_reserve", SITE_COUNT,
	  SITE_MEMBER(bf_job_part_count_reserve), 0, 100000 },
	{ "bf_min_age_reserve", SITE_SECONDS, SITE_MEMBER(bf_min_age_reserve),
	  0, 2592000 },
	{ "bf_min_prio_reserve", SITE_COUNT, SITE_MEMBER(bf_min_prio_reserve),
	  1, UINT32_MAX },
	{ "bf_running_job_reserve", SITE_FLAG,
	  SITE_MEMBER(bf_running_job_reserve), 0, 0 },
	{ "bf_window_linear", SITE_SECONDS, SITE_MEMBER(bf_window_scale), 1,
	  INT32_MAX },
	{ NULL, SITE_FLAG, 0, 0, 0 },
};

/* SchedulerParameters that change nothing here. */
static const char *const quiet_parameters[] = {
	"bf_continue",
	"bf_one_resv_per_job",
	"defer_batch",
	"enable_user_top",
	"max_array_tasks",
	"max_switch_wait",
	"max_script_size",
	"nohold_on_prolog_fail",
	"no_backup_scheduling",
	"Ignore_NUMA",
	"requeue_setup_env_fail",
	"salloc_wait_nodes",
	"sbatch_wait_nodes",
	"whole_hetjob",
	"whole_pack",
	"max_submit_line_size",
	"ignore_prefer_validation",
	NULL,
};

void slurm_site_put(struct torus_slurm *to, const struct site_key *key,
		    int64_t n)
{
	void *at = (char *)to + key->member;

	if (key->kind == SITE_COUNT)
		*(uint32_t *)at = (uint32_t)n;
	else if (key->kind == SITE_WEIGHT)
		*(double *)at = (double)n;
	else
		*(int64_t *)at = key->kind == SITE_MINUTES ? n * 60 : n;
}

bool slurm_site_among(const char *const *list, const char *word)
{
	for (; *list; list++) {
		if (!strcasecmp(*list, word))
			return true;
	}
	return false;
}

char *slurm_site_next_word(char **rest)
{
	return strsep(rest, ",| \t");
}

/* A later line replaces an earlier one as a whole. */
static void site_parameters_reset(struct site_reader *r)
{
	struct torus_slurm fresh, *s = &r->site->slurm;

	torus_slurm_defaults(&fresh);
	for (const struct site_key *k = parameters; k->name; k++) {
		size_t size = k->kind == SITE_FLAG  ? sizeof(bool) :
			      k->kind == SITE_COUNT ? sizeof(uint32_t) :
						      sizeof(int64_t);

		memcpy((char *)s + k->member, (const char *)&fresh + k->member,
		       size);
	}
	r->has_space = false;
}

/* Set a number of SchedulerParameters as Slurm does: the text may go on behind it, and
 * one outside the range counts as if it were not there. Both are noted. */
static int site_parameter(struct site_reader *r, const struct site_key *key,
			  const char *text)
{
	bool wide = key->most > INT32_MAX;
	int length = (int)strcspn(text, ", \t");
	int64_t n = (int64_t)strtoull(text, NULL, 10);
	char *end;

	(void)strtol(text, &end, 10);
	if (!wide) /* as atoi() */
		n = (int)strtol(text, NULL, 10);
	if (n < key->least || n > key->most ||
	    (key->kind == SITE_INTERVAL && n == 0))
		return torus_text_add(&r->site->assumed,
				      "SchedulerParameters: %s=%.*s is no number from %lld to %lld%s: Slurm takes its default\n",
				      key->name, length < 60 ? length : 60,
				      text, (long long)key->least,
				      (long long)key->most,
				      key->kind == SITE_INTERVAL ? ", not 0" :
								   "");
	slurm_site_put(&r->site->slurm, key, n);
	r->has_space |= key->member == SITE_MEMBER(bf_node_space_size);
	if (end == text + length)
		return 0;
	return torus_text_add(&r->site->assumed,
			      "SchedulerParameters: Slurm reads %s=%.*s as %lld\n",
			      key->name, length < 60 ? length : 60, text,
			      (long long)n);
}

/* Note a word of SchedulerParameters that has no effect in Slurm, or none here. */
static int site_parameter_word(struct site_reader *r, const char *word)
{
	size_t length = strcspn(word, "=");
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)length, word);
	for (const struct site_key *k = parameters; k->name; k++) {
		if (strcasecmp(k->name, name) != 0)
			continue;
		return k->kind == SITE_FLAG || word[length] ?
			       0 :
			       torus_text_add(&r->site->assumed,
					      "SchedulerParameters: %s has no value: Slurm takes its default\n",
					      k->name);
	}
	if (!*word || slurm_site_among(quiet_parameters, name))
		return 0;
	return slurm_site_lacks(r, "SchedulerParameters=", name);
}

/* SchedulerParameters: as in Slurm the first place of KEY= counts, wherever it is. */
int slurm_site_parameters(struct site_reader *r,
			  const struct torus_slurm_pair *pair,
			  struct torus_error *err)
{
	struct torus_slurm *s = &r->site->slurm;
	char *copy = strdup(pair->value), *rest = copy, *word;
	int rc = copy ? 0 : -1;

	site_parameters_reset(r);
	for (const struct site_key *k = parameters; k->name && rc == 0; k++) {
		char name[64];
		const char *at;

		snprintf(name, sizeof(name), "%s%s", k->name,
			 k->kind == SITE_FLAG ? "" : "=");
		at = strcasestr(pair->value, name);
		if (at && k->kind == SITE_FLAG)
			*(bool *)((char *)s + k->member) = true;
		else if (at)
			rc = site_parameter(r, k, at + strlen(name));
	}
	/* defer_batch is for batch jobs, which are never tried when they are submitted */
	if (strcasestr(pair->value, "defer_batch"))
		s->defer = false;
	if (strcasestr(pair->value, "bf_licenses"))
		s->bf_running_job_reserve = true;
	if (strcasestr(pair->value, "max_job_bf=") &&
	    !strcasestr(pair->value, "bf_max_job_test="))
		rc = slurm_site_wrong(pair, "SchedulerParameters", "max_job_bf",
				      "bf_max_job_test: slurmctld no longer starts with the old name",
				      err);
	while (rc == 0 && (word = slurm_site_next_word(&rest)))
		rc = site_parameter_word(r, word);
	free(copy);
	return rc;
}
