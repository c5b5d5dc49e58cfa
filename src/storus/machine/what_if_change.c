/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The changes of `storus what-if` (source.h). */
#include "storus/machine/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hostlist.h"
#include "storus/machine/question.h"
#include "storus/machine/cluster.h"
#include "storus/machine/source.h"
#include "torus/alloc.h"
#include "torus/request.h"
#include "trace/formats/slurm_words.h"

#define NAME &storus_what_if
#define WHAT_IF_NODES "nodes of this machine, for example node[00-03]"

struct what_if_nodes {
	const struct snapshot *s;
	uint64_t *map;
};

static int what_if_mark(void *arg, const char *name)
{
	struct what_if_nodes *n = arg;
	uint32_t bit = torus_config_node(n->s->config, name);

	if (bit == UINT32_MAX)
		return -1;
	torus_bits_set(n->map, bit);
	return 0;
}

/* Read node[00-03] or a region. */
static int what_if_read_nodes(struct what_if_nodes *n, const char *option,
			      const char *value)
{
	const struct torus_machine *m = &n->s->config->machine;
	struct torus_error err = { 0 };
	uint64_t *one = torus_alloc(m->words, sizeof(*one));
	uint32_t count;
	int rc = -1;

	if (!one)
		return storus_no_memory(NAME);
	if (strpbrk(value, ":+{"))
		rc = storus_regions_paint(m, value, one, n->map, &err);
	else if (torus_hostlist_count(value, &count, NULL) == 0)
		rc = torus_hostlist_each(value, what_if_mark, n);
	torus_free(one);
	if (rc == 0)
		return STORUS_DONE;
	if (err.count)
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	return storus_say(NAME, STORUS_USAGE,
			  "--%s: got \"%s\", expected nodes of this machine, for example node[00-03] or %s:{0-3}",
			  option, value, m->pod[0].torus.name);
}

static int what_if_service(struct snapshot *s, const char *option,
			   const char *value)
{
	bool drain = !strcmp(option, "drain");
	uint32_t words = s->config->machine.words;
	struct what_if_nodes n = { .s = s,
				   .map = torus_alloc(words, sizeof(*n.map)) };
	int status = n.map ? what_if_read_nodes(&n, option, value) :
			     storus_no_memory(NAME);

	if (status == STORUS_DONE && drain &&
	    snapshot_add_out(s, n.map, "drained by what-if"))
		status = storus_no_memory(NAME);
	if (status == STORUS_DONE && !drain) {
		torus_bits_andnot(s->out, n.map, words);
		for (uint32_t i = 0; i < s->outages; i++)
			torus_bits_andnot(s->outage[i].map, n.map, words);
	}
	torus_free(n.map);
	return status;
}

/* An option of sbatch that what-if reads. */
struct what_if_word {
	const char *name, *letter;
	char **to;
};

/* Split "--geometry=4x4 -t 30" into the request's words and the expected ones. Return NULL,
 * or what is wrong. */
static const char *what_if_words(char *text, const struct what_if_word *expected,
				 struct torus_request_words *words)
{
	char *next = text, *word, *value;

	while ((word = strsep(&next, " "))) {
		const struct what_if_word *k = expected;
		enum torus_word w = 0;
		size_t length = strcspn(word, "=");

		if (!*word)
			continue;
		if (*word != '-' && !words->geometry) { /* a shape alone */
			words->geometry = word;
			continue;
		}
		while (k->name &&
		       !(strncmp(word, k->name, length) == 0 &&
			 strlen(k->name) == length) &&
		       strncmp(word, k->letter, 2) != 0)
			k++;
		for (; w < TORUS_WORDS; w++) {
			const char *name = torus_request_word[w].name;

			if (length == 2 + strlen(name) &&
			    strncmp(word, "--", 2) == 0 &&
			    strncmp(word + 2, name, length - 2) == 0)
				break;
		}
		if (!k->name && w == TORUS_WORDS)
			return word;
		if (w < TORUS_WORDS && torus_word_is_flag(w)) {
			if (word[length])
				return word;
			value = word;
		} else if (word[1] != '-' && word[2]) {
			value = word + 2;
		} else if (word[length] == '=') {
			value = word + length + 1;
		} else if (next) {
			value = strsep(&next, " ");
		} else {
			return word;
		}
		if (k->name)
			*k->to = value;
		else
			torus_request_words_set(words, w, value);
	}
	return NULL;
}

/* Say that a value of --submit is wrong. Return true if it is not. */
static bool what_if_number(const char *option, const char *value, bool wrong,
			   const char *expected)
{
	bool time = strcmp(option, "--time (-t)") == 0;
	char hint[TORUS_SLURM_HINT_SIZE];

	if (wrong)
		storus_say(NAME, STORUS_USAGE,
			   "--submit: %s: got \"%s\", expected %s%s", option,
			   value, expected,
			   time ? torus_slurm_duration_hint(value, hint) : "");
	return !wrong;
}

/* Add the job with Slurm's lists of nodes (NULL: none). */
static int what_if_add(struct snapshot *s, struct snapshot_job *job,
		       const char *required, const char *excluded)
{
	uint32_t words = s->config->machine.words;
	uint64_t *map = torus_alloc(2 * (size_t)words, sizeof(*map));
	int status = map ? STORUS_DONE : storus_no_memory(NAME);

	if (map &&
	    (!what_if_number("--nodelist (-w)", required,
			     required &&
				     storus_question_nodes(s->config, required,
							   map, true),
			     WHAT_IF_NODES) ||
	     !what_if_number("--exclude (-x)", excluded,
			     excluded &&
				     storus_question_nodes(s->config, excluded,
							   map + words, true),
			     WHAT_IF_NODES)))
		status = STORUS_USAGE;
	if (map && required && !job->words.geometry && !job->count)
		job->count = job->least = torus_bits_count(map, words);
	job->required = required ? map : NULL;
	job->excluded = excluded ? map + words : NULL;
	if (status == STORUS_DONE && snapshot_add_job(s, job, NULL))
		status = storus_no_memory(NAME);
	torus_free(map);
	return status;
}

static int what_if_submit_words(struct snapshot *s, const char *value,
				char *text, uint32_t number)
{
	char *limit = NULL, *nodes = NULL, *priority = NULL, id[16];
	char *required = NULL, *excluded = NULL;
	struct snapshot_job job = { .submit_us = s->time_us,
				    .start_us = SNAPSHOT_NO_TIME,
				    .end_us = SNAPSHOT_NO_TIME,
				    .limit_us = SNAPSHOT_NO_TIME };
	const struct what_if_word expected[] = {
		{ "--partition", "-p", &job.partition },
		{ "--reservation", "\n", &job.reservation },
		{ "--time", "-t", &limit },
		{ "--nodes", "-N", &nodes },
		{ "--priority", "\n", &priority },
		{ "--nodelist", "-w", &required },
		{ "--exclude", "-x", &excluded },
		{ NULL, NULL, NULL },
	};
	const char *wrong = what_if_words(text, expected, &job.words);

	if (wrong) {
		char list[256] = "";
		size_t used = 0;

		for (enum torus_word w = 0;
		     w < TORUS_WORDS && used < sizeof(list); w++)
			used += (size_t)snprintf(list + used,
						 sizeof(list) - used, "--%s, ",
						 torus_request_word[w].name);
		return storus_say(NAME, STORUS_USAGE,
				  "--submit: got \"%s\", expected a shape, %s-N, -t, -p, -w, -x, --reservation or --priority with their values",
				  wrong, list);
	}
	snprintf(id, sizeof(id), "new%u", number);
	job.id = id;
	if (s->usages) /* then it matters whose job it is */
		job.user = getenv("USER");
	if (!what_if_number("--time (-t)", limit,
			    limit && !torus_slurm_duration(limit, &job.limit_us),
			    TORUS_SLURM_DURATION) ||
	    !what_if_number("--nodes (-N)", nodes,
			    nodes && !torus_slurm_nodes(nodes, &job.least,
							&job.count),
			    TORUS_SLURM_NODES) ||
	    !what_if_number("--priority", priority,
			    priority && !torus_slurm_priority(priority,
							      &job.priority),
			    TORUS_SLURM_PRIORITY))
		return STORUS_USAGE;
	if (job.limit_us == 0) /* sbatch: no limit */
		job.limit_us = SNAPSHOT_NO_TIME;
	if (!job.partition && s->partitions)
		job.partition = s->partition[0].name;
	if (!job.words.geometry && !job.count && !required)
		return storus_say(NAME, STORUS_USAGE,
				  "--submit: got \"%s\", expected for example \"--geometry=4x4 -t 30\"",
				  value);
	return what_if_add(s, &job, required, excluded);
}

/* The words must be a request that sbatch would take. */
static int what_if_check_request(const struct snapshot *s,
				 const struct snapshot_job *job)
{
	struct torus_error err = { 0 };
	struct torus_request request;
	struct torus_ask ask;
	uint64_t nodes;
	int status = STORUS_GO;

	if (*job->partition && !strchr(job->partition, ','))
		status = storus_question_named(NAME, "partition", job->partition,
					       s->partition, s->partitions);
	if (status == STORUS_GO && *job->reservation)
		status = storus_question_named(NAME, "reservation",
					       job->reservation, s->reservation,
					       s->reservations);
	if (status != STORUS_GO)
		return status;
	if (!*job->words.geometry)
		return STORUS_DONE;
	if (torus_request_parse(&request, &job->words, &err))
		return storus_say_errors(NAME, STORUS_USAGE, &err);
	ask = request.alternative[0].ask;
	torus_machine_settle(&s->config->machine, &ask);
	nodes = torus_ask_nodes(&ask);
	if (!ask.by_count && job->count &&
	    (job->count < nodes || job->least > nodes))
		return storus_say(NAME, STORUS_USAGE,
				  "--submit: --nodes (-N) contradicts --geometry=%s, which is %" PRIu64
				  " node%s; omit --nodes",
				  job->words.geometry, nodes,
				  nodes == 1 ? "" : "s");
	return STORUS_DONE;
}

int what_if_change(struct snapshot *s, const char *option, const char *value,
		   uint32_t number)
{
	if (!strcmp(option, "cancel")) {
		size_t length = strlen(value);
		bool any = false;

		for (uint32_t j = s->jobs; j-- > 0;) {
			const char *name = s->job[j].id;

			if (strncmp(name, value, length) ||
			    (name[length] && name[length] != '_'))
				continue;
			snapshot_remove_job(s, &s->job[j]);
			any = true;
		}
		return any ? STORUS_DONE :
			     storus_say(NAME, STORUS_NO,
					"--cancel: there is no job %s, or it is hidden from you%s",
					value,
					strchr(value, ',') ?
						"; --cancel takes one job and may be repeated" :
						"");
	}
	if (!strcmp(option, "submit")) {
		char *text = strdup(value);
		int status = text ? what_if_submit_words(s, value, text,
							 number) :
				    storus_no_memory(NAME);

		free(text);
		return status == STORUS_DONE ?
			       what_if_check_request(s, &s->job[s->jobs - 1]) :
			       status;
	}
	return what_if_service(s, option, value);
}
