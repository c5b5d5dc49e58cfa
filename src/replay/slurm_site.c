/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm.conf for slurm-backfill (slurm_site.h). Tables say what each key sets; keys that
 * change how Slurm schedules but are in no table are listed as not modelled, unless their
 * value is the one that does nothing. What slurmctld does not start with is refused.
 */
#include "replay/slurm_site.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/metrics.h"
#include "replay/slurm_site_nodes.h"
#include "request/quote.h"
#include "torus/alloc.h"
#include "torus/bits.h"
#include "torus/number.h"
#include "trace/formats/slurm_words.h"

/* Other settings. */
static const struct site_key settings[] = {
	{ "PriorityWeightAge", SITE_WEIGHT, SITE_MEMBER(weight_age), 0,
	  UINT32_MAX },
	{ "PriorityWeightFairshare", SITE_WEIGHT, SITE_MEMBER(weight_fairshare),
	  0, UINT32_MAX },
	{ "PriorityWeightJobSize", SITE_WEIGHT, SITE_MEMBER(weight_size), 0,
	  UINT32_MAX },
	{ "PriorityWeightPartition", SITE_WEIGHT, SITE_MEMBER(weight_partition),
	  0, UINT32_MAX },
	{ "PriorityWeightQOS", SITE_WEIGHT, SITE_MEMBER(weight_qos), 0,
	  UINT32_MAX },
	{ "PriorityMaxAge", SITE_SPAN, SITE_MEMBER(max_age), 0, 0 },
	{ "PriorityCalcPeriod", SITE_SPAN, SITE_MEMBER(calc_period), 0, 0 },
	{ "PriorityDecayHalfLife", SITE_SPAN_REAL, SITE_MEMBER(half_life), 0,
	  0 },
	{ "PriorityFavorSmall", SITE_YES, SITE_MEMBER(favor_small), 0, 0 },
	{ "FairShareDampeningFactor", SITE_WEIGHT, SITE_MEMBER(damping), 1,
	  UINT16_MAX },
	{ "MaxJobCount", SITE_COUNT, SITE_MEMBER(max_jobs), 0, UINT32_MAX },
	{ NULL, SITE_FLAG, 0, 0, 0 },
};

static const struct site_lack lacks[] = {
	{ "AccountingStorageEnforce", "|none|0|associations|1|" },
	{ "BurstBufferType", "||none|" },
	{ "CompleteWait", "|0|" },
	{ "DownNodes", "||" },
	{ "EpilogSlurmctld", "||" },
	{ "FederationParameters", "||" },
	{ "JobSubmitPlugins", "||" },
	{ "Licenses", "||" },
	{ "MCSPlugin", "||mcs/none|none|" },
	{ "PreemptMode", "|off|" },
	{ "PreemptType", "|preempt/none|none|" },
	{ "PrioritySiteFactorPlugin", "||" },
	{ "PriorityUsageResetPeriod", "|none|" },
	{ "PriorityWeightAssoc", "|0|" },
	{ "PriorityWeightTRES", "||" },
	{ "PrologSlurmctld", "||" },
	{ "SuspendTime", "|-1|infinite|" },
	{ "TopologyPlugin", "||topology/none|topology/default|topology/flat|" },
	{ NULL, NULL },
};

static const struct site_lack partition_lacks[] = {
	{ "Exclusive", "|no|node|user|" },
	{ "ExclusiveTopo", "|no|" },
	{ "ExclusiveUser", "|no|" },
	{ "LLN", "|no|" },
	{ "OverSubscribe", "|no|exclusive|" },
	{ "PreemptMode", "|off|" },
	{ "QOS", "||" },
	{ "ReqResv", "|no|" },
	{ "Shared", "|no|exclusive|" },
	{ "SuspendTime", "|-1|infinite|" },
	{ "TRESBillingWeights", "||" },
	{ "Topology", "||" },
	{ NULL, NULL },
};

/* Where jobs share nodes, also these. */
static const struct site_lack parts_lacks[] = {
	{ "DefCpuPerGPU", "|0|" },
	{ "DefMemPerGPU", "|0|" },
	{ "JobDefaults", "||" },
	{ "MaxMemPerCPU", "|unlimited|infinite|0|" },
	{ "MaxMemPerNode", "|unlimited|infinite|0|" },
	{ NULL, NULL },
};

static const struct site_lack parts_partition_lacks[] = {
	{ "CpuBind", "||" },
	{ "JobDefaults", "||" },
	{ "MaxCPUsPerNode", "|unlimited|infinite|0|" },
	{ "MaxCPUsPerSocket", "|unlimited|infinite|0|" },
	{ "MaxMemPerCPU", "|unlimited|infinite|0|" },
	{ "MaxMemPerNode", "|unlimited|infinite|0|" },
	{ "SelectTypeParameters", "|none|" },
	{ NULL, NULL },
};

int slurm_site_wrong(const struct torus_slurm_pair *pair, const char *key,
		     const char *got, const char *expected,
		     struct torus_error *err)
{
	return torus_error_add(err, "%s:%u: %s: got \"%.80s\", expected %s",
			       pair->file, pair->line, key, got, expected);
}

int slurm_site_lacks(struct site_reader *r, const char *what, const char *key)
{
	struct torus_text *t = &r->site->not_modelled;
	char line[256];

	snprintf(line, sizeof(line), "%s%.200s\n", what, key);
	for (const char *p = t->data; p && *p; p = strchr(p, '\n') + 1) {
		if (!strncmp(p, line, strlen(line)))
			return 0;
	}
	return torus_text_add(t, "%s", line);
}

int slurm_site_check_lacks(struct site_reader *r, const struct site_lack *list,
			   const char *what, const struct torus_slurm_pair *p)
{
	char value[256];

	for (; list->name; list++) {
		if (strcasecmp(list->name, p->key))
			continue;
		snprintf(value, sizeof(value), "|%.200s|", p->value);
		for (char *c = value; *c; c++)
			*c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') :
						      *c;
		return strstr(list->harmless, value) ?
			       0 :
			       slurm_site_lacks(r, what, list->name);
	}
	return 0;
}

/* YES or NO, in the words that Slurm takes. */
static int site_yes(const struct torus_slurm_pair *pair, const char *name,
		    const char *text, bool *yes, struct torus_error *err)
{
	static const char *const words[][2] = { { "YES", "NO" },
						{ "UP", "DOWN" },
						{ "TRUE", "FALSE" },
						{ "1", "0" } };

	for (int i = 0; i < 4; i++) {
		*yes = !strcasecmp(text, words[i][0]);
		if (*yes || !strcasecmp(text, words[i][1]))
			return 0;
	}
	return slurm_site_wrong(pair, name, text, "YES or NO", err);
}

bool slurm_site_number(const char *text, uint64_t most, uint64_t *n)
{
	char *end;

	*n = most;
	if (!strcasecmp(text, "UNLIMITED") || !strcasecmp(text, "INFINITE"))
		return true;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*n = strtoull(text, &end, 0);
	if (errno || *n > most)
		return false;
	if (most > UINT16_MAX && (*end == 'k' || *end == 'K')) {
		if (*n > most / 1024)
			return false;
		*n *= 1024;
		end++;
	}
	return *end == '\0';
}

/* Read a duration of slurm.conf, which has two words that the others refuse: -1, without
 * end, and 3-, three days. */
static bool site_duration(const char *text, int64_t *us)
{
	char days[32];
	size_t length = strlen(text);

	if (!strcmp(text, "-1"))
		text = "UNLIMITED";
	if (length < 2 || length > 20 || text[length - 1] != '-')
		return torus_slurm_duration(text, us);
	snprintf(days, sizeof(days), "%s0", text);
	return torus_slurm_duration(days, us);
}

/* Set a member from a setting. */
static int site_set(struct torus_slurm *to, const struct site_key *key,
		    const struct torus_slurm_pair *pair, struct torus_error *err)
{
	const char *text = pair->value;
	void *at = (char *)to + key->member;
	char expected[96];
	uint64_t n;
	int64_t us;

	if (key->kind == SITE_YES)
		return site_yes(pair, key->name, text, at, err);
	if (key->kind == SITE_SPAN || key->kind == SITE_SPAN_REAL) {
		if (!site_duration(text, &us))
			return slurm_site_wrong(pair, key->name, text,
						TORUS_SLURM_DURATION, err);
		n = us == TORUS_NO_TIME ? INT32_MAX : (uint64_t)us / 1000000;
		if (key->kind == SITE_SPAN_REAL)
			*(double *)at = us == TORUS_NO_TIME ? 0 : (double)n;
		else
			*(int64_t *)at = n < 1 ? 1 : (int64_t)n;
		return 0;
	}
	if (!slurm_site_number(text, (uint64_t)key->most, &n) ||
	    (int64_t)n < key->least) {
		snprintf(expected, sizeof(expected),
			 "a whole number from %lld to %lld",
			 (long long)key->least, (long long)key->most);
		return slurm_site_wrong(pair, key->name, text, expected, err);
	}
	slurm_site_put(to, key, (int64_t)n);
	return 0;
}

/* PriorityFlags: as in Slurm a word counts wherever it is; a later line replaces an earlier
 * one. */
static int site_priority_flags(struct site_reader *r,
			       const struct torus_slurm_pair *pair)
{
	static const char *const modelled[] = {
		"ACCRUE_ALWAYS",  "FAIR_TREE",
		"INCR_ONLY",      "NO_FAIR_TREE",
		"NO_NORMAL_ALL",  "NO_NORMAL_ASSOC",
		"NO_NORMAL_PART", "NO_NORMAL_QOS",
		"NO_NORMAL_TRES", NULL,
	};
	struct torus_slurm *s = &r->site->slurm;
	const char *flags = pair->value;
	bool no_normal = strcasestr(flags, "NO_NORMAL_ALL");
	char *copy = strdup(flags), *rest = copy, *word;
	int rc = copy ? 0 : -1;

	s->fair_tree = !strcasestr(flags, "NO_FAIR_TREE") &&
		       !strcasestr(flags, "DEPTH_OBLIVIOUS");
	s->incr_only = strcasestr(flags, "INCR_ONLY");
	s->no_normal_part = no_normal || strcasestr(flags, "NO_NORMAL_PART");
	s->no_normal_qos = no_normal || strcasestr(flags, "NO_NORMAL_QOS");
	while (rc == 0 && (word = slurm_site_next_word(&rest))) {
		if (*word && !slurm_site_among(modelled, word))
			rc = slurm_site_lacks(r, "PriorityFlags=", word);
	}
	free(copy);
	return rc;
}

static bool site_ends(const char *text, const char *word)
{
	size_t n = strlen(text), m = strlen(word);

	return n >= m && !strcasecmp(text + n - m, word);
}

/* SelectTypeParameters: CR_Core, CR_Core_Memory, .. and flags. */
static int site_select(struct site_reader *r,
		       const struct torus_slurm_pair *pair)
{
	char *copy = strdup(pair->value), *rest = copy, *word;
	int rc = copy ? 0 : -1;

	r->parts = r->by_socket = r->least_loaded = false;
	r->has_select_parameters = true;
	r->site->slurm.memory = false;
	while (rc == 0 && (word = slurm_site_next_word(&rest))) {
		bool memory = site_ends(word, "_Memory");

		if (!strncasecmp(word, "CR_", 3))
			r->parts = true;
		r->site->slurm.memory |= memory;
		if (!strncasecmp(word, "CR_Socket", 9))
			r->by_socket = true;
		else if (!strcasecmp(word, "CR_LLN"))
			r->least_loaded = true;
		else if (r->by_cpus && strcasecmp(word, "CR_CPU") &&
			 strcasecmp(word, "CR_Core") &&
			 strcasecmp(word, "CR_CPU_Memory") &&
			 strcasecmp(word, "CR_Core_Memory") &&
			 strcasecmp(word, "CR_CORE_DEFAULT_DIST_BLOCK"))
			rc = slurm_site_lacks(r, "SelectTypeParameters=", word);
	}
	free(copy);
	return rc;
}

/* DefMemPerNode or DefMemPerCPU, which the former overrules. */
static int site_memory(const struct torus_slurm_pair *pair,
		       struct site_partition *p, struct torus_error *err)
{
	bool per_cpu = site_ends(pair->key, "CPU");
	uint64_t mb;

	if (!slurm_site_number(pair->value, UINT64_MAX, &mb))
		return slurm_site_wrong(pair, pair->key, pair->value,
					"a whole number of MB or UNLIMITED",
					err);
	if (per_cpu && p->node_memory)
		return 0;
	p->node_memory |= !per_cpu;
	p->is.per_cpu = per_cpu;
	p->is.memory_mb = mb == UINT64_MAX ? 0 : mb;
	return 0;
}

static int site_setting(struct site_reader *r,
			const struct torus_slurm_pair *pair,
			struct torus_error *err)
{
	struct torus_slurm *s = &r->site->slurm;

	for (const struct site_key *k = settings; k->name; k++) {
		if (!strcasecmp(k->name, pair->key))
			return site_set(s, k, pair, err);
	}
	if (!strcasecmp(pair->key, "SchedulerParameters"))
		return slurm_site_parameters(r, pair, err);
	if (!strcasecmp(pair->key, "PriorityFlags"))
		return site_priority_flags(r, pair);
	if (!strcasecmp(pair->key, "PriorityType")) {
		s->multifactor = site_ends(pair->value, "multifactor");
		r->has_priority = true;
		r->other_priority = !s->multifactor &&
				    !site_ends(pair->value, "basic");
		return 0;
	}
	if (!strcasecmp(pair->key, "SchedulerType")) {
		r->builtin = site_ends(pair->value, "builtin");
		return r->builtin || site_ends(pair->value, "backfill") ?
			       0 :
			       slurm_site_lacks(r, "", "SchedulerType");
	}
	if (!strcasecmp(pair->key, "Epilog")) {
		s->epilog = *pair->value != '\0';
		return 0;
	}
	if (!strcasecmp(pair->key, "AccountingStorageType")) {
		r->no_database = !site_ends(pair->value, "slurmdbd");
		r->has_database = !r->no_database;
		return 0;
	}
	if (!strcasecmp(pair->key, "SelectType")) {
		s->consumable = strstr(pair->value, "cons_") != NULL;
		r->has_select = true;
		return 0;
	}
	if (!strcasecmp(pair->key, "SelectTypeParameters"))
		return site_select(r, pair);
	if (!strcasecmp(pair->key, "GresTypes")) {
		if (!*pair->value || !strcasecmp(pair->value, "none") ||
		    (r->by_cpus && !strcasecmp(pair->value, "gpu")))
			return 0;
		return slurm_site_lacks(r, "", "GresTypes");
	}
	if (!strcasecmp(pair->key, "DefMemPerNode") ||
	    !strcasecmp(pair->key, "DefMemPerCPU"))
		return site_memory(pair, &r->all, err);
	if (r->by_cpus && slurm_site_check_lacks(r, parts_lacks, "", pair))
		return -1;
	return slurm_site_check_lacks(r, lacks, "", pair);
}

static int site_limit(const struct torus_slurm_pair *pair, int64_t *minutes,
		      struct torus_error *err)
{
	int64_t us;

	*minutes = TORUS_SLURM_NO_LIMIT;
	if (!strcasecmp(pair->value, "NONE"))
		return 0;
	if (!site_duration(pair->value, &us))
		return slurm_site_wrong(pair, pair->key, pair->value,
					TORUS_SLURM_DURATION, err);
	if (us != TORUS_NO_TIME)
		*minutes = us / 60000000;
	return 0;
}

static int site_count(const struct torus_slurm_pair *pair, uint32_t most,
		      uint32_t *n, struct torus_error *err)
{
	char expected[64];
	uint64_t value;

	snprintf(expected, sizeof(expected),
		 "a whole number to %u or UNLIMITED", most);
	if (!slurm_site_number(pair->value, most, &value))
		return slurm_site_wrong(pair, pair->key, pair->value, expected,
					err);
	*n = (uint32_t)value;
	return 0;
}

/* Begin a partition, as DEFAULT has it, or go back to DEFAULT. */
static int site_partition_begin(struct site_reader *r,
				const struct torus_slurm_pair *pair,
				struct torus_error *err)
{
	struct site_partition *p;
	uint32_t k;

	r->current = 0;
	if (!strcasecmp(pair->value, "DEFAULT"))
		return 0;
	if (strlen(pair->value) >= TORUS_SLURM_NAME)
		return slurm_site_wrong(pair, "PartitionName", pair->value,
					"at most 63 characters", err);
	for (k = 1; k < r->partitions; k++) { /* the latest line counts */
		if (!strcmp(r->partition[k].is.name, pair->value))
			break;
	}
	if (TORUS_GROW(r->partition, r->room, r->partitions + 1))
		return -1;
	p = &r->partition[k];
	if (k < r->partitions) {
		free(p->nodes);
		free(p->file);
	}
	*p = r->partition[0];
	snprintf(p->is.name, sizeof(p->is.name), "%s", pair->value);
	p->nodes = p->nodes ? strdup(p->nodes) : NULL;
	p->is.exclusive_user = false; /* Slurm takes it of no DEFAULT line */
	p->file = strdup(pair->file);
	p->line = pair->line;
	r->partitions += k == r->partitions;
	r->current = k;
	return p->file ? 0 : -1;
}

/* OverSubscribe, Shared, Exclusive; in Slurm each overrules those before it, in any order
 * in the line. */
static int site_partition_share(struct site_partition *p,
				const struct torus_slurm_pair *pair,
				struct torus_error *err)
{
	static const char *const words[] = { "NO", "NODE", "USER", "TOPO" };
	bool *alone = !strcasecmp(pair->key, "Shared") ? &p->shared_alone :
							 &p->alone;

	if (strcasecmp(pair->key, "Exclusive") != 0) {
		*alone = !strcasecmp(pair->value, "EXCLUSIVE");
		p->has_oversubscribe |= alone == &p->alone;
		return 0;
	}
	if (!strcasecmp(pair->value, "NONE")) {
		p->exclusive = EXCLUSIVE_NO;
		return 0;
	}
	for (int i = 0; i < 4; i++) {
		if (!strcasecmp(pair->value, words[i])) {
			p->exclusive = EXCLUSIVE_NO + (unsigned)i;
			return 0;
		}
	}
	return slurm_site_wrong(pair, pair->key, pair->value,
				"NO, NODE, USER or TOPO", err);
}

/* Set what the keys of a partition decide together. */
static void site_partition_settle(struct site_partition *p)
{
	struct torus_slurm_partition *is = &p->is;

	is->exclusive = p->has_oversubscribe ? p->alone : p->shared_alone;
	if (p->exclusive != EXCLUSIVE_UNSET) {
		is->exclusive = (is->exclusive &&
				 p->exclusive == EXCLUSIVE_USER) ||
				p->exclusive == EXCLUSIVE_NODE ||
				p->exclusive == EXCLUSIVE_TOPO;
		is->exclusive_user = p->exclusive == EXCLUSIVE_USER;
	}
	if (p->has_priority)
		is->tier = is->factor = p->priority;
	if (is->max_minutes != TORUS_SLURM_NO_LIMIT &&
	    (is->default_minutes == TORUS_SLURM_NO_LIMIT ||
	     is->default_minutes > is->max_minutes))
		is->default_minutes = TORUS_SLURM_NO_LIMIT; /* MaxTime */
}

/* DOWN, DRAIN and INACTIVE: nothing starts. Slurm looks at the first letters. */
static int site_partition_state(struct site_partition *p,
				const struct torus_slurm_pair *pair,
				struct torus_error *err)
{
	static const char *const states[] = { "UP", "DOWN", "DRAIN",
					      "INACTIVE" };

	for (int i = 0; i < 4; i++) {
		if (strncasecmp(pair->value, states[i], strlen(states[i])) != 0)
			continue;
		p->is.up = i == 0;
		return 0;
	}
	return slurm_site_wrong(pair, pair->key, pair->value,
				"UP, DOWN, DRAIN or INACTIVE", err);
}

static int site_partition_set(struct site_reader *r,
			      const struct torus_slurm_pair *pair,
			      struct torus_error *err)
{
	struct site_partition *p = &r->partition[r->current];
	const char *key = pair->key, *value = pair->value;

	if (!strcasecmp(key, "Nodes")) {
		free(p->nodes);
		p->nodes = strdup(value);
		for (char *c = p->nodes; c && *c; c++)
			*c = *c == ' ' || *c == '\t' ? ',' : *c;
		return p->nodes ? 0 : -1;
	}
	if (!strcasecmp(key, "Default"))
		return site_yes(pair, key, value, &p->by_default, err);
	if (!strcasecmp(key, "PriorityTier"))
		return site_count(pair, UINT16_MAX, &p->is.tier, err);
	if (!strcasecmp(key, "PriorityJobFactor"))
		return site_count(pair, UINT16_MAX, &p->is.factor, err);
	if (!strcasecmp(key, "Priority")) {
		p->has_priority = true;
		return site_count(pair, UINT16_MAX, &p->priority, err);
	}
	if (!strcasecmp(key, "MaxNodes"))
		return site_count(pair, UINT32_MAX, &p->is.max_nodes, err);
	if (!strcasecmp(key, "MinNodes"))
		return site_count(pair, UINT32_MAX, &p->is.min_nodes, err);
	if (!strcasecmp(key, "MaxTime"))
		return site_limit(pair, &p->is.max_minutes, err);
	if (!strcasecmp(key, "DefaultTime"))
		return site_limit(pair, &p->is.default_minutes, err);
	if (!strcasecmp(key, "State"))
		return site_partition_state(p, pair, err);
	if ((!strcasecmp(key, "OverSubscribe") || !strcasecmp(key, "Shared") ||
	     !strcasecmp(key, "Exclusive")) &&
	    site_partition_share(p, pair, err))
		return -1;
	if (!strcasecmp(key, "DefMemPerNode") ||
	    !strcasecmp(key, "DefMemPerCPU"))
		return site_memory(pair, p, err);
	if (r->by_cpus &&
	    (!strcasecmp(key, "ExclusiveUser") || !strcasecmp(key, "LLN")))
		return site_yes(pair, key, value,
				strcasecmp(key, "LLN") ? &p->is.exclusive_user :
							 &p->is.least_loaded,
				err);
	if (r->by_cpus && slurm_site_check_lacks(r, parts_partition_lacks,
						 "PartitionName ", pair))
		return -1;
	return slurm_site_check_lacks(r, partition_lacks, "PartitionName ",
				      pair);
}

/* Return the key that matters which this one nearly is, or NULL. */
static const char *site_misspelt(const char *key)
{
	static const char *const others[] = {
		"AccountingStorageType",
		"Default",
		"DefaultTime",
		"DefMemPerCPU",
		"DefMemPerNode",
		"Epilog",
		"GresTypes",
		"MaxNodes",
		"MaxTime",
		"MinNodes",
		"NodeName",
		"NodeSet",
		"Nodes",
		"PartitionName",
		"PriorityFlags",
		"PriorityJobFactor",
		"PriorityTier",
		"PriorityType",
		"RealMemory",
		"SchedulerParameters",
		"SchedulerType",
		"SelectType",
		"SelectTypeParameters",
		"CoresPerSocket",
		"Sockets",
		"ThreadsPerCore",
	};
	const struct site_lack *const lists[] = { lacks, partition_lacks,
						  parts_lacks,
						  parts_partition_lacks };
	const char *valid[128], *near;
	size_t n = sizeof(others) / sizeof(*others);

	memcpy(valid, others, sizeof(others));
	for (const struct site_key *k = settings; k->name; k++)
		valid[n++] = k->name;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		for (const struct site_lack *l = lists[i]; l->name; l++)
			valid[n++] = l->name;
	}
	near = torus_nearest(key, valid, n);
	return near && strcasecmp(near, key) ? near : NULL;
}

static int site_pair(void *arg, const struct torus_slurm_pair *pair,
		     struct torus_error *err)
{
	struct site_reader *r = arg;
	const char *meant = site_misspelt(pair->key);

	if (meant) {
		char line[128];

		snprintf(line, sizeof(line), "%.40s (no key of Slurm: %s?)",
			 pair->key, meant);
		if (slurm_site_lacks(r, "", line))
			return -1;
	}
	if (pair->first) {
		r->kind = !strcasecmp(pair->key, "NodeName") ? LINE_NODE :
			  !strcasecmp(pair->key, "NodeSet")  ? LINE_NODE_SET :
			  !strcasecmp(pair->key, "PartitionName") ?
							      LINE_PARTITION :
							      LINE_OTHER;
		if (r->kind == LINE_NODE)
			return slurm_site_nodes_begin(r, pair, err);
		if (r->kind == LINE_PARTITION)
			return site_partition_begin(r, pair, err);
		if (r->kind == LINE_NODE_SET)
			return slurm_site_set_begin(r, pair);
	}
	if (r->kind == LINE_NODE)
		return slurm_site_nodes_set(r, pair, err);
	if (r->kind == LINE_PARTITION)
		return site_partition_set(r, pair, err);
	if (r->kind == LINE_NODE_SET)
		return slurm_site_set_set(r, pair);
	return site_setting(r, pair, err);
}

/* Put the partitions, one of all nodes if there are none, into the site. */
static int site_partitions(struct site_reader *r, struct torus_error *err)
{
	struct torus_slurm *s = &r->site->slurm;
	struct name_table order = { 0 };
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < r->names; i++) {
		struct name_entry *e = torus_names_find(&order, r->name[i]);

		if (!e)
			e = torus_names_add(&order, r->name[i]);
		if (e)
			e->index = i;
		else
			rc = -1;
	}
	for (uint32_t i = 1; i < r->partitions && rc == 0; i++) {
		site_partition_settle(&r->partition[i]);
		if (r->partition[i].by_default)
			s->default_partition = i - 1;
		rc = slurm_site_nodes_of(r, &r->partition[i], &order, err);
	}
	torus_names_free(&order);
	s->partitions = r->partitions > 1 ? r->partitions - 1 : 1;
	s->partition = torus_alloc(s->partitions, sizeof(*s->partition));
	if (!s->partition)
		return -1;
	for (uint32_t i = 0; i < s->partitions; i++) {
		s->partition[i] = r->partition[r->partitions > 1 ? i + 1 : 0].is;
		s->partition[i].least_loaded |= r->least_loaded;
		s->partition[i].exclusive |= !s->consumable;
		if (!s->partition[i].memory_mb) {
			s->partition[i].memory_mb = r->all.is.memory_mb;
			s->partition[i].per_cpu = r->all.is.per_cpu;
		}
	}
	return rc;
}

static void site_reader_free(struct site_reader *r)
{
	for (uint32_t i = 0; i < r->partitions; i++) {
		free(r->partition[i].nodes);
		free(r->partition[i].file);
	}
	for (uint32_t i = 0; i < r->names; i++)
		free(r->name[i]);
	for (uint32_t i = 0; i < r->texts; i++)
		free(r->text[i]);
	torus_free(r->partition);
	torus_free(r->line);
	torus_free(r->name);
	torus_free(r->text);
	torus_free(r->set);
}

/* Forget what is not modelled of the keys that begin so: they have no effect. Misspelt ones,
 * with words in parentheses, are kept: what they mean is unknown. */
static void site_forget_lacks(struct torus_slurm_site *site, const char *begin)
{
	struct torus_text *t = &site->not_modelled;
	size_t length = 0;

	for (const char *p = t->data, *end; p && *p; p = end) {
		size_t n = strcspn(p, "\n") + 1;

		end = p + n;
		if (strncmp(p, begin, strlen(begin)) != 0 || memchr(p, '(', n)) {
			memmove(t->data + length, p, n);
			length += n;
		}
	}
	if (t->data)
		t->data[t->length = length] = '\0';
}

/* Note a setting that is missing, and that versions of Slurm have another default for. */
static int site_assume(struct site_reader *r, const char *key, const char *value)
{
	return torus_text_add(&r->site->assumed,
			      "%s is not set: %s, the default since Slurm 23.11\n",
			      key, value);
}

/*
 * Settle SelectType. Only select/cons_tres has CR_Core and the like, and it has CR_Core_Memory
 * without parameters. Where jobs share nodes it is the default; with select/linear they
 * have whole nodes.
 */
static int site_settle_select(struct site_reader *r)
{
	struct torus_slurm *s = &r->site->slurm;
	int rc = 0;

	if (!r->has_select) {
		s->consumable = r->parts || r->by_cpus;
		if (r->by_cpus && !r->parts)
			rc = site_assume(r, "SelectType", "select/cons_tres");
	}
	if (s->consumable && !r->has_select_parameters)
		r->parts = s->memory = true;
	return rc;
}

/* Settle PriorityType: weights mean that it is multifactor. */
static int site_settle_priority(struct site_reader *r)
{
	struct torus_slurm *s = &r->site->slurm;

	if (r->has_priority || !(s->weight_age > 0 || s->weight_fairshare > 0 ||
				 s->weight_size > 0 ||
				 s->weight_partition > 0 || s->weight_qos > 0))
		return 0;
	s->multifactor = true;
	return site_assume(r, "PriorityType", "priority/multifactor");
}

/* What several settings decide together. */
static int site_settle(struct site_reader *r)
{
	struct torus_slurm *s = &r->site->slurm;
	int rc = site_settle_priority(r);

	if (r->builtin)
		s->bf_interval = -1;
	if (!r->has_space)
		s->bf_node_space_size = s->bf_max_job_test < 2 ?
						2 :
						s->bf_max_job_test;
	if (s->sched_interval == 0)
		s->sched_interval = 1;
	if (s->multifactor && !r->no_database && !r->has_database &&
	    (s->weight_age > 0 || s->weight_fairshare > 0))
		rc |= torus_text_add(
			&r->site->assumed,
			"AccountingStorageType is not set: accounting_storage/slurmdbd, without which Slurm ignores the weights of age and fair share\n");
	if (r->no_database) /* Slurm ignores them, and says so in its log */
		s->weight_age = s->weight_fairshare = 0;
	if (!s->multifactor)
		site_forget_lacks(r->site, "Priority");
	if (r->other_priority)
		rc |= slurm_site_lacks(r, "", "PriorityType");
	if (!s->multifactor || s->weight_fairshare == 0)
		site_forget_lacks(r->site, "PartitionName TRESBillingWeights");
	if (s->consumable && r->parts && !s->nodes && slurm_site_shares(r))
		rc |= slurm_site_lacks(r, "",
				       r->has_select_parameters ?
					       "SelectTypeParameters" :
					       "SelectType");
	if (s->multifactor && s->weight_qos > 0 && !s->qoses)
		rc |= slurm_site_lacks(r, "", "PriorityWeightQOS");
	return rc;
}

int torus_slurm_site_read(struct torus_slurm_site *site, const char *conf,
			  const char *shares, const struct torus_config *config,
			  bool by_cpus, struct torus_error *err)
{
	struct site_reader r = { .site = site,
				 .config = config,
				 .by_cpus = by_cpus };
	int rc = -1;

	torus_slurm_defaults(&site->slurm);
	if (TORUS_GROW(r.partition, r.room, 1) == 0) {
		r.partitions = 1;
		r.partition[0] = (struct site_partition){
			.is = { .tier = 1,
				.factor = 1,
				.max_nodes = UINT32_MAX,
				.max_minutes = TORUS_SLURM_NO_LIMIT,
				.default_minutes = TORUS_SLURM_NO_LIMIT,
				.up = true },
		};
		rc = torus_slurm_conf_each(conf, site_pair, &r, err);
	}
	if (rc == 0)
		rc = site_settle_select(&r);
	if (rc == 0)
		rc = slurm_site_nodes_share(&r, conf, err);
	if (rc == 0)
		rc = site_partitions(&r, err);
	if (rc == 0 && shares)
		rc = torus_slurm_shares_read(&site->slurm, shares, err);
	if (rc == 0)
		rc = site_settle(&r);
	if (rc && !err->count)
		torus_error_add(err, "%s: %s", conf, strerror(ENOMEM));
	site_reader_free(&r);
	return rc ? -1 : 0;
}

int torus_slurm_site_replayed(struct torus_slurm_site *site,
			      const struct torus_metrics *metrics)
{
	const struct {
		const char *what;
		uint64_t jobs;
	} lack[] = {
		{ "MaxJobCount", metrics->crowded },
		{ "--exclusive", metrics->wholes },
		{ "GPUs in different numbers on a job's nodes",
		  metrics->unequal },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(lack) / sizeof(*lack) && rc == 0; i++) {
		if (lack[i].jobs)
			rc = torus_text_add(&site->not_modelled,
					    "%s (%llu job%s)\n", lack[i].what,
					    (unsigned long long)lack[i].jobs,
					    lack[i].jobs == 1 ? "" : "s");
	}
	return rc;
}

void torus_slurm_site_free(struct torus_slurm_site *site)
{
	for (uint32_t i = 0; i < site->slurm.partitions; i++)
		torus_free(site->slurm.partition[i].nodes);
	torus_free(site->slurm.partition);
	torus_free(site->slurm.node);
	torus_free(site->slurm.association);
	torus_free(site->slurm.qos);
	torus_text_free(&site->not_modelled);
	torus_text_free(&site->assumed);
}
