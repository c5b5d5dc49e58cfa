/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a trace is used (select.h). O(1) per record: hashes of its run and of its
 * submission are stored, 32 to 64 bytes. */
#include "trace/select.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "torus/alloc.h"
#include "trace/formats/slurm_words.h"

#define NAMES 256 /* different clusters, partitions that are told apart */
#define LIMITS 64 /* partitions with a default limit of their own */
#define FIRST_ROOM 1024u
/* Lowest bits of a hash: a record that had not ended counts; one that ended does. */
#define OPEN UINT64_C(1)
#define OVER UINT64_C(2)
#define FLAGS (OPEN | OVER)

struct names {
	uint32_t count, latest;
	char name[NAMES][TORUS_TRACE_USER_SIZE];
};

struct limit {
	char partition[TORUS_TRACE_USER_SIZE]; /* "": any other */
	int64_t us;
};

struct torus_select {
	const struct torus_trace_choice *choice;
	const struct torus_trace_header *header;
	bool history;
	uint64_t *run; /* hashes, open addressing; 0: empty */
	uint64_t room, used;
	struct names clusters, partitions;
	bool in_window;
	int64_t first_us,
		last_us; /* submissions outside the window; first after last:
				      none */
	uint64_t users; /* bits of the words of choice->users that some job has */
	struct limit limit[LIMITS];
	uint32_t limits;
};

/* Options */

const char *const torus_trace_choice_keys[] = {
	"columns",       "cluster", "partition", "users", "arrivals",
	"default-limit", "size",    "from",      "to",    NULL,
};

/* Read a limit: 24h, 7200 (seconds), 1-00:00:00; UNLIMITED is a year, as in Slurm's
 * backfill. */
static bool limit_read(const char *text, int64_t *us)
{
	if (!strcasecmp(text, "UNLIMITED"))
		*us = 365 * INT64_C(86400000000);
	else if (torus_duration_read(text, us, NULL))
		return false;
	return *us > 0;
}

/* Return true if the partition of the n-th limit has one before. */
static bool limit_is_twice(const struct limit *limit, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(limit[i].partition, limit[n].partition))
			return true;
	return false;
}

/* Read DURATION and PARTITION=DURATION,.. Return 0, or -1 with EINVAL and a line
 * in err. */
static int limits_read(const char *text, struct limit limit[LIMITS],
		       uint32_t *limits, struct torus_error *err)
{
	*limits = 0;
	for (const char *next = text; next;) {
		size_t length = strcspn(next, ",");
		char word[2 * TORUS_TRACE_USER_SIZE] = "", *duration = word,
			      *equals;
		struct limit *l = &limit[*limits];

		if (*limits == LIMITS)
			return torus_error_add(err, "more than %d partitions",
					       LIMITS);
		if (length < sizeof(word))
			snprintf(word, sizeof(word), "%.*s", (int)length, next);
		equals = strchr(word, '=');
		*l->partition = '\0';
		if (equals) {
			*equals = '\0';
			duration = equals + 1;
			snprintf(l->partition, sizeof(l->partition), "%.*s",
				 (int)sizeof(l->partition) - 1, word);
		}
		if (!limit_read(duration, &l->us) ||
		    (equals && !*l->partition) || limit_is_twice(limit, *limits))
			return torus_error_add(err,
					       "got \"%.*s\", expected a duration or PARTITION=DURATION, each partition once, for example 24h, UNLIMITED or debug=1h,24h",
					       (int)(length < 60 ? length : 60),
					       next);
		++*limits;
		next = next[length] ? next + length + 1 : NULL;
	}
	return 0;
}

static int choice_word(const char *value, const char *const *words,
		       struct torus_error *err)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], value))
			return i;
	torus_error_add(err, "got \"%.60s\", expected %s, %s%s%s", value,
			words[0], words[1], words[2] ? " or " : "",
			words[2] ? words[2] : "");
	return -1;
}

#define DATES_US                                                               \
	(INT64_C(100000000) * 1000000) /* earlier: seconds of a trace */

static int choice_time(const char *value, bool *has, bool *is_date, int64_t *us,
		       struct torus_error *err)
{
	*has = torus_number_seconds(value, us);
	*is_date = !*has && torus_slurm_day(value, us);
	*has |= *is_date;
	return *has ? 0 :
		      torus_error_add(err,
				      "got \"%.60s\", expected a date such as 2024-01-02 or 2024-01-02T07:30:00, or seconds on the trace's clock",
				      value);
}

/* Return the word of a list (A*2,B or A=0-3,B) whose name is the `length` bytes at p, if it
 * comes before p; else NULL. */
static const char *name_before(const char *list, const char *p, size_t length)
{
	while (list < p) {
		if (strcspn(list, "*=,") == length && !strncmp(list, p, length))
			return list;
		list += strcspn(list, ",") + 1;
	}
	return NULL;
}

/* Return true if a name of the list is empty. */
static bool name_is_empty(const char *list)
{
	return *list == ',' || strstr(list, ",,") ||
	       list[strlen(list) - 1] == ',';
}

/* Return how often jobs of the user are taken; -1: the text is none. user NULL: of
 * any. *seen gets the bit of the user's word. */
static double users_factor(const char *text, const char *user, uint64_t *seen)
{
	double found = 1;
	uint64_t bit = 1;

	for (const char *p = text; p; bit <<= 1) {
		size_t n = strcspn(p, ","), name = strcspn(p, "*,");
		char word[32];
		double f;

		if (p[name] != '*' || !name || n - name > sizeof(word))
			return -1;
		snprintf(word, sizeof(word), "%.*s", (int)(n - name - 1),
			 p + name + 1);
		if (!torus_number_decimal(word, &f) || f < 0 || f > 1000 ||
		    (!user && name_before(text, p, name)))
			return -1;
		if (user && strlen(user) == name && !strncmp(p, user, name)) {
			found = f;
			*seen |= bit;
		}
		p = p[n] ? p + n + 1 : NULL;
	}
	return found;
}

static int users_check(const char *text, struct torus_error *err)
{
	return users_factor(text, NULL, NULL) >= 0 ?
		       0 :
		       torus_error_add(err,
				       "got \"%.60s\", expected USER*FACTOR, each user once, for example bob*5,ann*0.5",
				       text);
}

/* Return true if the text begins with a node or a range of nodes of n characters. */
static bool nodes_scan(const char *p, size_t n)
{
	uint64_t first, last;
	const char *end = torus_number_scan_whole(p, TORUS_MAX_NODES - 1,
						  &first);

	last = first;
	if (end && *end == '-')
		end = torus_number_scan_whole(end + 1, TORUS_MAX_NODES - 1,
					      &last);
	return end == p + n && first <= last;
}

/* A,B: only these partitions; A=0-15,32-47: the nodes of one, which others may use, too. */
static int partition_read(struct torus_trace_choice *c, const char *value,
			  struct torus_error *err)
{
	bool names = false, nodes = false, right = true;

	for (const char *p = value; p && right; p = strchr(p, ',')) {
		size_t n, name, begin = 0;

		p += *p == ',';
		n = strcspn(p, ",");
		name = strcspn(p, ",=");
		if (!nodes || n != strspn(p, "0123456789-")) {
			const char *same = name_before(value, p, name);

			/* debug,debug=0-3: only its jobs, on these nodes */
			right = name > 0 &&
				!(same && (same[name] == '=') == (name < n));
			nodes = name < n;
			begin = name + 1;
		} /* else more nodes of the partition before */
		if (nodes)
			right &= nodes_scan(p + begin, n - begin);
		else
			names = true;
	}
	if (!right)
		return torus_error_add(err,
				       "got \"%.60s\", expected NAME or NAME=NODES, each partition once, for example main or debug=0-15,32-47",
				       value);
	c->confine = strchr(value, '=') ? value : NULL;
	c->partition = names ? value : NULL;
	return 0;
}

int torus_trace_choice_set(struct torus_trace_choice *c, const char *key,
			   const char *value, struct torus_error *err)
{
	static const char *const sizes[] = { "nodes", "cpus", "gpus", NULL };
	static const char *const arrivals[] = { "eligible", "submit", NULL };
	struct limit limit[LIMITS];
	uint32_t limits;
	int word;

	if (!strncmp(key, "default", 7)) {
		c->default_limit = value;
		return limits_read(value, limit, &limits, err);
	}
	if (!strcmp(key, "arrivals")) {
		word = choice_word(value, arrivals, err);
		c->eligible = word == 0;
		c->by_submit = word == 1;
		return word < 0 ? -1 : 0;
	}
	if (!strcmp(key, "size")) {
		word = choice_word(value, sizes, err);
		c->size = word < 0 ? TORUS_TRACE_SIZE_NODES :
				     (enum torus_trace_size)word;
		return word < 0 ? -1 : 0;
	}
	if (!strcmp(key, "from") || !strcmp(key, "to")) {
		if (*key == 'f' ?
			    choice_time(value, &c->has_from, &c->from_is_date,
					&c->from_us, err) :
			    choice_time(value, &c->has_to, &c->to_is_date,
					&c->to_us, err))
			return -1;
		/* a date and seconds of the trace are not compared */
		return c->has_from && c->has_to && c->to_us <= c->from_us &&
				       (c->to_us < DATES_US) ==
					       (c->from_us < DATES_US) ?
			       torus_error_add(err,
					       "got \"%s\": the window ends before it begins; write a later end",
					       value) :
			       0;
	}
	if (!*value || (!strcmp(key, "cluster") && name_is_empty(value)))
		return torus_error_add(err, "got \"%.60s\", expected a name",
				       value);
	if (!strcmp(key, "users")) {
		c->users = value;
		return users_check(value, err);
	}
	if (!strcmp(key, "partition"))
		return partition_read(c, value, err);
	if (!strcmp(key, "cluster"))
		c->cluster = value;
	else
		c->columns = value;
	return 0;
}

/* Runs */

/* FNV-1a over the run that began then, mixed (Murmur3's finalizer); the lowest bits are
 * free. */
static uint64_t run_hash(const struct torus_trace_record *r, int64_t start_us)
{
	const int64_t times[] = { r->submit_us, start_us };
	uint64_t h = torus_hash_text(torus_hash_text(TORUS_HASH_START, r->id),
				     r->cluster);

	for (int k = 0; k < 2; k++) {
		h = (h ^ (uint64_t)times[k]) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 33;
	}
	h = (h ^ h >> 29) * UINT64_C(0xc4ceb9fe1a85ec53);
	return ((h ^ h >> 33) | (FLAGS + 1)) & ~FLAGS;
}

/* Return the slot of the run, or the empty one where it belongs. */
static uint64_t *run_seek(const struct torus_select *s, uint64_t hash)
{
	uint64_t at = hash >> 3 & (s->room - 1);

	while (s->run[at] && (s->run[at] & ~FLAGS) != hash)
		at = (at + 1) & (s->room - 1);
	return &s->run[at];
}

/* Note the run that began then. *waited: a record of it that had not ended counted until
 * now. Return false without memory. */
static bool run_add(struct torus_select *s, const struct torus_trace_record *r,
		    int64_t start_us, uint64_t flag, bool *twice, bool *waited)
{
	uint64_t hash = run_hash(r, start_us), *slot;

	if (2 * s->used >= s->room) {
		struct torus_select more = *s;

		more.room = s->room ? 2 * s->room : FIRST_ROOM;
		more.run = torus_alloc(more.room, sizeof(*more.run));
		if (!more.run)
			return false;
		for (uint64_t i = 0; i < s->room; i++)
			if (s->run[i])
				*run_seek(&more, s->run[i] & ~FLAGS) = s->run[i];
		torus_free(s->run);
		s->run = more.run;
		s->room = more.room;
	}
	slot = run_seek(s, hash);
	*twice = *slot && ((flag & OPEN) || (*slot & flag));
	s->used += !*slot;
	if (!*twice) {
		*waited |= *slot & OPEN;
		*slot = hash | flag | (*slot & OVER);
	}
	return true;
}

/*
 * Note the run. One that had not ended when the file was written, and has in another one,
 * counts where it ends; so does a job that waited then, whichever stands first.
 */
static enum torus_trace_line run_note(struct torus_select *s,
				      enum torus_trace_line what,
				      const struct torus_trace_record *r,
				      struct torus_trace_counts *counts)
{
	uint64_t flag = what == TORUS_TRACE_LINE_UNFINISHED ? OPEN : OVER;
	bool began = r->start_us != TORUS_NO_TIME, twice, waited = false;

	/* of its submission: no flag says that it began */
	if (!run_add(s, r, TORUS_NO_TIME, began ? 0 : flag, &twice, &waited) ||
	    (began && !run_add(s, r, r->start_us, flag, &twice, &waited)))
		return TORUS_TRACE_LINE_FAILED;
	counts->unfinished -= waited;
	counts->repeated += waited;
	return twice ? TORUS_TRACE_LINE_REPEATED : what;
}

/* Names */

/* Return true if the list A,B has the name. */
static bool list_has(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (strncmp(p, name, n) == 0 &&
		    (p[n] == ',' || p[n] == '=' || !p[n]))
			return true;
	}
	return false;
}

/* Note a name. Return how many there are. */
static uint32_t names_note(struct names *names, const char *name)
{
	if (!*name ||
	    (names->count && !strcmp(names->name[names->latest], name)))
		return names->count;
	for (uint32_t i = 0; i < names->count; i++)
		if (!strcmp(names->name[i], name)) {
			names->latest = i;
			return names->count;
		}
	if (names->count < NAMES) {
		names->latest = names->count++;
		memcpy(names->name[names->latest], name, TORUS_TRACE_USER_SIZE);
	}
	return names->count;
}

/* Add a line if some name of the list A,B is none of the trace's. */
static void list_check(const char *option, const char *list,
		       const struct names *names, struct torus_error *err)
{
	struct torus_text has = { 0 };
	const uint32_t shown = names->count < 12 ? names->count : 12;
	int rc = 0;

	for (uint32_t i = 0; i < shown && !rc; i++)
		rc = torus_text_add(&has, "%s%s", i ? ", " : "", names->name[i]);
	for (const char *p = list; p && !rc; p = strchr(p, ',')) {
		size_t n;
		uint32_t i = 0;

		p += *p == ',';
		n = strcspn(p, ",=");
		/* 32-47 of debug=0-15,32-47 is no name */
		if (p[n] != '=' && strchr(list, '=') &&
		    strspn(p, "0123456789-") == n)
			continue;
		while (i < names->count &&
		       (strncmp(names->name[i], p, n) || names->name[i][n]))
			i++;
		if (i == names->count)
			torus_error_add(err,
					"--%s: no job of \"%.*s\"; the trace has %s%s",
					option, (int)n, p,
					shown ? has.data : "none",
					shown < names->count ? ", ..." : "");
	}
	torus_text_free(&has);
}

/* Write a time of the trace as the options have it. */
static const char *select_day(const struct torus_select *s, int64_t us,
			      char text[TORUS_SLURM_DAY_SIZE])
{
	int64_t start = s->header->unix_start;

	return torus_slurm_day_text(us + (start > 0 ? start * 1000000 : 0),
				    text);
}

void torus_select_missing(const struct torus_select *s, struct torus_error *err)
{
	const struct torus_trace_choice *c = s->choice;
	char first[TORUS_SLURM_DAY_SIZE], last[TORUS_SLURM_DAY_SIZE];
	uint32_t k = 0;

	list_check("cluster", c->cluster, &s->clusters, err);
	list_check("partition", c->partition ? c->partition : c->confine,
		   &s->partitions, err);
	for (uint32_t i = 0; i < s->limits; i++)
		if (*s->limit[i].partition)
			list_check("default-limit", s->limit[i].partition,
				   &s->partitions, err);
	for (const char *p = s->in_window ? c->users : NULL; p && k < 64; k++) {
		if (!(s->users >> k & 1))
			torus_error_add(err, "--users: no job of \"%.*s\"",
					(int)strcspn(p, "*"), p);
		p = strchr(p, ',');
		p = p ? p + 1 : NULL;
	}
	if (!s->in_window && s->first_us <= s->last_us)
		torus_error_add(err,
				"%s: no job of the trace is in the window; its jobs were submitted from %s to %s",
				!c->has_to  ? "--from" :
				c->has_from ? "--from, --to" :
					      "--to",
				select_day(s, s->first_us, first),
				select_day(s, s->last_us, last));
}

/* Jobs */

/* Convert a date of the options to the trace's clock. */
static int64_t select_clock(const struct torus_select *s, int64_t us,
			    bool is_date)
{
	int64_t start_us = s->header->unix_start * 1000000;

	return s->header->unix_start > 0 && (is_date || us >= start_us) ?
		       us - start_us :
		       us;
}

/*
 * Restrict a job to the window. A job that runs when it begins arrives then,
 * before all others, for the rest of its run; one that waits then arrives then,
 * in the order of submission. Return false if it is outside.
 */
static bool window_apply(const struct torus_select *s,
			 struct torus_trace_record *r)
{
	int64_t from_us = select_clock(s, s->choice->from_us,
				       s->choice->from_is_date);
	int64_t late_us = from_us - r->submit_us;

	if (s->choice->has_to &&
	    r->submit_us >=
		    select_clock(s, s->choice->to_us, s->choice->to_is_date))
		return false;
	if (!s->choice->has_from || late_us <= 0)
		return true;
	if (r->start_us == TORUS_NO_TIME || r->start_us + r->run_us <= from_us)
		return false;
	r->turn = -late_us;
	if (r->start_us < from_us) {
		int64_t ran_us = from_us - r->start_us;

		r->run_us -= ran_us;
		if (r->limit_us >= 0)
			r->limit_us = r->limit_us > ran_us ?
					      r->limit_us - ran_us :
					      r->run_us;
		r->turn = INT64_MIN;
	}
	r->submit_us = from_us;
	r->held_us += late_us;
	return true;
}

static void limit_apply(const struct torus_select *s,
			struct torus_trace_record *r)
{
	for (uint32_t i = 0; i < s->limits; i++)
		if (!*s->limit[i].partition && r->limit_us < 0)
			r->limit_us = s->limit[i].us;
	for (uint32_t i = 0; i < s->limits; i++)
		if (*s->limit[i].partition &&
		    !strcmp(s->limit[i].partition, r->partition))
			r->limit_us = s->limit[i].us;
}

enum torus_trace_line torus_select_take(struct torus_select *s,
					enum torus_trace_line what,
					struct torus_trace_record *r,
					struct torus_trace_counts *counts)
{
	const struct torus_trace_choice *c = s->choice;
	bool in_window;

	if (what != TORUS_TRACE_LINE_JOB && what != TORUS_TRACE_LINE_NO_RUN &&
	    what != TORUS_TRACE_LINE_NO_PROCESSORS &&
	    what != TORUS_TRACE_LINE_UNFINISHED)
		return what;
	if (s->history) {
		what = run_note(s, what, r, counts);
		if (what == TORUS_TRACE_LINE_REPEATED ||
		    what == TORUS_TRACE_LINE_FAILED)
			return what;
	}
	if (c->cluster)
		names_note(&s->clusters, r->cluster);
	if (c->cluster && !list_has(c->cluster, r->cluster))
		return TORUS_TRACE_LINE_OTHER;
	if (c->partition || c->confine)
		names_note(&s->partitions, r->partition);
	if (c->partition && !list_has(c->partition, r->partition))
		return TORUS_TRACE_LINE_OTHER;
	if (what != TORUS_TRACE_LINE_JOB && !r->open)
		return what;
	if (!c->by_submit && r->eligible_us != TORUS_NO_TIME) {
		int64_t arrival_us = r->eligible_us;

		/* it started, so it was eligible: held jobs may say otherwise */
		if (r->start_us != TORUS_NO_TIME && arrival_us > r->start_us)
			arrival_us = r->start_us;
		if (arrival_us > r->submit_us) {
			r->held_us = r->late_us = arrival_us - r->submit_us;
			r->submit_us = arrival_us;
		}
	}
	if (r->limit_us > 0)
		r->limit_used = (double)r->run_us / (double)r->limit_us;
	else
		limit_apply(s, r);
	in_window = window_apply(s, r);
	if (what != TORUS_TRACE_LINE_JOB && in_window)
		return what;
	if (!in_window) {
		s->first_us = r->submit_us < s->first_us ? r->submit_us :
							   s->first_us;
		s->last_us = r->submit_us > s->last_us ? r->submit_us :
							 s->last_us;
		return TORUS_TRACE_LINE_OTHER;
	}
	s->in_window = true;
	return what;
}

uint32_t torus_select_copies(struct torus_select *s,
			     const struct torus_trace_record *r)
{
	double factor = s->choice->users && *r->user ?
				users_factor(s->choice->users, r->user,
					     &s->users) :
				1;
	uint32_t whole = (uint32_t)factor;
	/* Weyl's sequence: of each 1/f lines about one */
	double at = fmod((double)r->line * 0.6180339887498949, 1);

	return whole + (at < factor - whole);
}

void torus_select_name_copy(struct torus_trace_record *copy, const char *id,
			    uint32_t number)
{
	snprintf(copy->id, sizeof(copy->id), "%.20s~%u", id, number);
}

void torus_select_count(struct torus_select *s,
			const struct torus_trace_record *r,
			struct torus_trace_counts *counts)
{
	counts->no_limit += r->limit_us < 0;
	counts->limited += r->limit_used > 0;
	counts->limit_used += r->limit_used;
	counts->early += r->early;
	counts->shifted += r->shifted;
	counts->held += r->late_us > 0;
	counts->held_s += (double)r->late_us * 1e-6;
	counts->wait_limited += r->wait_limit_us >= 0;
	counts->featured += r->featured;
	counts->reserved += r->reserved;
	counts->licensed += r->licensed;
	if (!s->choice->cluster)
		counts->clusters = names_note(&s->clusters, r->cluster);
	if (!s->choice->partition && !s->choice->confine)
		counts->partitions = names_note(&s->partitions, r->partition);
}

void torus_select_uncount(const struct torus_trace_record *piece,
			  struct torus_trace_counts *counts)
{
	counts->jobs--;
	counts->components -= piece->component;
	counts->no_limit -= piece->limit_us < 0;
	counts->limited -= piece->limit_used > 0; /* the share counts */
	counts->early -= piece->early;
	counts->shifted -= piece->shifted;
	counts->held -= piece->late_us > 0;
	counts->held_s -= (double)piece->late_us * 1e-6;
	counts->wait_limited -= piece->wait_limit_us >= 0;
	counts->featured -= piece->featured;
	counts->reserved -= piece->reserved;
	counts->licensed -= piece->licensed;
}

struct torus_select *
torus_select_create(const struct torus_trace_choice *choice,
		    const struct torus_trace_header *header, bool history)
{
	struct torus_select *s = torus_alloc(1, sizeof(*s));
	struct torus_error err = { 0 };

	if (!s)
		return NULL;
	s->choice = choice;
	s->header = header;
	s->first_us = INT64_MAX;
	s->last_us = INT64_MIN;
	s->history = history;
	if (choice->default_limit)
		limits_read(choice->default_limit, s->limit, &s->limits, &err);
	return s;
}

void torus_select_destroy(struct torus_select *s)
{
	if (!s)
		return;
	torus_free(s->run);
	torus_free(s);
}
