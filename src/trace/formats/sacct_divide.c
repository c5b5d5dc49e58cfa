/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of sacct into columns (sacct.h). sacct does not escape: a name or a
 * comment may hold the separator and line ends. A record with more pieces than
 * columns is divided so that every recognizable column (ids, dates, spans,
 * counts, states) is valid and only free text takes several pieces:
 *
 *	JobID|JobName|User|Submit                 columns
 *	101  |a|2024-..|b|alice|2024-03-01T..     pieces: the name takes three
 *
 * The number of divisions is counted from the last column to the first, by
 * dynamic programming over (column, surplus so far). Two that differ only in
 * columns that are not read count as one. Several are gone through, at most
 * MOST_STEPS of them: those with the same values are one, and if one alone agrees
 * with itself (ids, nodes and spans that are written twice, End - Start = Elapsed,
 * no Start before Submit, no job that ran without its times), it is taken; so is one alone
 * that is submitted in the order of ids, where the file has it. Else the record is not read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "torus/alloc.h"
#include "trace/formats/sacct.h"
#include "trace/formats/slurm_words.h"

#define MOST_SURPLUS 1024
#define MOST_STEPS 20000
#define ORDER_LEAST                                                            \
	50 /* records in the order of ids, before it tells readings apart */

/* A record that is divided. */
struct divide {
	const struct torus_sacct_layout *l;
	char *text;
	bool late;    /* of more separators in a row, the last ones part */
	bool comment; /* AdminComment is used */
	uint32_t pieces, surplus;
	uint32_t *at, *end; /* offsets of the pieces */
	/* readings from column c on, the first c of them with surplus s: 0, 1 or 2
	 * (more); [c x (surplus + 1) + s] */
	uint8_t *readings;
	bool *reach; /* scratch: surpluses behind a block of columns */
};

static bool divide_used(const struct divide *d, uint32_t c)
{
	return d->l->column[c] < SACCT_CONSTRAINTS &&
	       (d->l->kind[c] != SACCT_FREE || d->comment);
}

/* Return true if column c, no free text, may have piece p. */
static bool divide_fits(const struct divide *d, uint32_t c, uint32_t p)
{
	const char *text = d->text + d->at[p];
	size_t n = d->end[p] - d->at[p];
	char edge = *d->l->delimiter;

	if (n && d->l->delimiter[1] && (*text == edge || text[n - 1] == edge))
		return false; /* which separator parts is not known */
	return torus_sacct_value_fits((enum torus_sacct_kind)d->l->kind[c],
				      text, n);
}

/* Set reach[s] for each surplus that the unused columns c.. can end with, from
 * surplus `from`. Return the next used column, or the number of columns. */
static uint32_t divide_reach(struct divide *d, uint32_t c, uint32_t from)
{
	const struct torus_sacct_layout *l = d->l;
	uint32_t s, least = from;

	memset(d->reach, 0, d->surplus + 1);
	d->reach[from] = true;
	for (; c < l->fields && !divide_used(d, c); c++) {
		if (l->kind[c] == SACCT_FREE) {
			for (s = least; s <= d->surplus && !d->reach[s]; s++)
				;
			least = s;
			for (; s <= d->surplus; s++)
				d->reach[s] = true;
		} else {
			for (s = least; s <= d->surplus; s++)
				if (d->reach[s] && !divide_fits(d, c, c + s))
					d->reach[s] = false;
		}
	}
	return c;
}

static uint8_t divide_sum(uint32_t n, uint8_t more)
{
	return n + more > 2 ? 2 : (uint8_t)(n + more);
}

/* Count the readings of the columns from c on, behind c + s pieces. Needs those of
 * the later used columns. */
static uint8_t divide_after(struct divide *d, uint32_t c, uint32_t s)
{
	uint32_t next = divide_reach(d, c, s), width = d->surplus + 1;
	uint8_t sum = 0;

	if (next == d->l->fields)
		return d->reach[d->surplus];
	for (uint32_t k = s; k <= d->surplus; k++)
		if (d->reach[k])
			sum = divide_sum(sum, d->readings[next * width + k]);
	return sum;
}

static int divide_count(struct divide *d)
{
	uint32_t width = d->surplus + 1;

	for (uint32_t c = d->l->fields; c-- > 0;) {
		uint8_t *here = d->readings + c * width;

		if (!divide_used(d, c))
			continue;
		if (d->l->kind[c] != SACCT_FREE) {
			for (uint32_t s = 0; s < width; s++)
				here[s] = divide_fits(d, c, c + s) ?
						  divide_after(d, c + 1, s) :
						  0;
			continue;
		}
		for (uint32_t s = width, sum = 0; s-- > 0;)
			sum = here[s] = divide_sum(sum,
						   divide_after(d, c + 1, s));
	}
	return divide_after(d, 0, 0);
}

/* Divide the text at its separators. Return false without memory. */
static bool divide_pieces(struct divide *d)
{
	const char *delimiter = d->l->delimiter;
	size_t n = strlen(delimiter);
	const char *p = d->text, *next;
	uint32_t room = torus_sacct_pieces(p, delimiter), k = 0;

	d->at = torus_alloc(room, sizeof(*d->at));
	d->end = torus_alloc(room, sizeof(*d->end));
	if (!d->at || !d->end)
		return false;
	for (; k < room; p = next + n, k++) {
		d->at[k] = (uint32_t)(p - d->text);
		next = strstr(p, delimiter);
		while (d->late && next && !strncmp(next + 1, delimiter, n))
			next++;
		d->end[k] = next ? (uint32_t)(next - d->text) :
				   (uint32_t)strlen(d->text);
		if (!next)
			break;
	}
	d->pieces = k + (k < room);
	return true;
}

static void divide_end(struct divide *d)
{
	torus_free(d->at);
	torus_free(d->end);
	torus_free(d->readings);
	torus_free(d->reach);
	*d = (struct divide){ .l = d->l, .text = d->text };
}

/* Return the number of readings, or -1 without memory. */
static int divide_begin(struct divide *d)
{
	if (!divide_pieces(d))
		return -1;
	if (d->pieces < d->l->fields || d->pieces - d->l->fields > MOST_SURPLUS)
		return 0;
	d->surplus = d->pieces - d->l->fields;
	d->comment = strstr(d->text, "torus:") != NULL;
	d->readings = torus_alloc((size_t)d->l->fields * (d->surplus + 1), 1);
	d->reach = torus_alloc(d->surplus + 1, sizeof(*d->reach));
	return d->readings && d->reach ? divide_count(d) : -1;
}

/* The readings of a record one by one. */
struct choose {
	struct divide *d;
	bool agree;   /* only those that agree with themselves */
	bool in_turn; /* and only those in the order of ids */
	uint32_t steps;
	uint64_t known;                /* columns with a number: bits */
	int64_t number[SACCT_COLUMNS]; /* seconds, or as written */
	uint32_t from[SACCT_COLUMNS], until[SACCT_COLUMNS]; /* pieces, + 1 */
	uint32_t found; /* different ones; 2: more */
	uint64_t hash;  /* of the first one's values */
	uint32_t first_from[SACCT_COLUMNS], first_until[SACCT_COLUMNS];
	bool *reach; /* of each level */
};

/* Read the number of a column that is compared with others. */
static bool choose_number(enum torus_sacct_column column, const char *p,
			  size_t n, int64_t *value)
{
	char text[48];
	uint64_t whole;

	if (n >= sizeof(text))
		return false;
	memcpy(text, p, n);
	text[n] = '\0';
	switch (column) {
	case SACCT_SUBMIT:
	case SACCT_ELIGIBLE:
	case SACCT_START:
	case SACCT_END:
		if (!torus_slurm_date(text, value))
			return false;
		*value /= 1000000;
		return true;
	case SACCT_ELAPSED:
	case SACCT_TIMELIMIT:
		if (!torus_slurm_span(text, value))
			return false;
		*value /= 1000000;
		return true;
	case SACCT_JOBID:
	case SACCT_JOBIDRAW:
	case SACCT_NNODES:
	case SACCT_ALLOCNODES:
	case SACCT_ALLOCCPUS:
	case SACCT_NCPUS:
	case SACCT_ELAPSEDRAW:
	case SACCT_TIMELIMITRAW:
		if (!torus_number_whole(text, 0, INT64_MAX / 60, &whole))
			return false;
		*value = (int64_t)whole *
			 (column == SACCT_TIMELIMITRAW ? 60 : 1);
		return true;
	default:
		return false;
	}
}

/* Return true if the columns are the same number, or one is not known. */
static bool choose_same(const struct choose *c, enum torus_sacct_column a,
			enum torus_sacct_column b)
{
	return !(c->known >> a & c->known >> b & 1) ||
	       c->number[a] == c->number[b];
}

/* Return true if time a is not known to be later than b. A local time may go back by an
 * hour. */
static bool choose_order(const struct choose *c, enum torus_sacct_column a,
			 enum torus_sacct_column b)
{
	return !(c->known >> a & c->known >> b & 1) ||
	       c->number[a] <= c->number[b] + 3600;
}

/* Return true if the state is one of a job that has ended. */
static bool choose_ended(const struct choose *c)
{
	static const char *const open[] = {
		"PENDING",  "RUNNING",     "SUSPENDED", "COMPLETING",
		"RESIZING", "CONFIGURING", "REQUEUED",  "REQUEUE_HOLD",
		"STOPPED",  "SIGNALING",   "STAGE_OUT", NULL
	};
	const struct divide *d = c->d;
	const char *state;
	size_t n;

	if (!c->until[SACCT_STATE])
		return false;
	state = d->text + d->at[c->from[SACCT_STATE]];
	n = strspn(state, TORUS_SACCT_LETTERS);
	return n && !torus_sacct_is_one_of(state, n, open);
}

/* Return true if Submit is known, and Start and End where the job ran and ended. */
static bool choose_has_times(const struct choose *c,
			     enum torus_sacct_column elapsed)
{
	bool ran = c->known >> elapsed & 1 && c->number[elapsed] > 0;

	if ((c->until[SACCT_SUBMIT] && !(c->known >> SACCT_SUBMIT & 1)) ||
	    (ran && c->until[SACCT_START] && !(c->known >> SACCT_START & 1)))
		return false;
	return !ran || !c->until[SACCT_END] || c->known >> SACCT_END & 1 ||
	       !choose_ended(c);
}

/* Return true if the job was not submitted before one with a lower id, in a file in which ids
 * are in order. */
static bool choose_in_turn(const struct choose *c)
{
	const struct torus_sacct_layout *l = c->d->l;

	return !c->in_turn || l->out_of_order || l->in_order < ORDER_LEAST ||
	       !(c->known >> SACCT_JOBID & 1) ||
	       !(c->known >> SACCT_SUBMIT & 1) ||
	       c->number[SACCT_JOBID] < l->last_id ||
	       c->number[SACCT_SUBMIT] >= l->last_submit_s;
}

/* Return true if the numbers so far agree. */
static bool choose_agrees(const struct choose *c)
{
	const int64_t *n = c->number;
	uint64_t run = UINT64_C(1) << SACCT_START | UINT64_C(1) << SACCT_END;
	enum torus_sacct_column elapsed = c->known >> SACCT_ELAPSEDRAW & 1 ?
						  SACCT_ELAPSEDRAW :
						  SACCT_ELAPSED;

	if ((c->known & run) == run && c->known >> elapsed & 1 &&
	    n[SACCT_END] - n[SACCT_START] != n[elapsed])
		return false;
	return choose_has_times(c, elapsed) && choose_in_turn(c) &&
	       choose_order(c, SACCT_SUBMIT, SACCT_START) &&
	       choose_order(c, SACCT_SUBMIT, SACCT_ELIGIBLE) &&
	       choose_order(c, SACCT_ELIGIBLE, SACCT_START) &&
	       choose_order(c, SACCT_START, SACCT_END) &&
	       choose_same(c, SACCT_JOBID, SACCT_JOBIDRAW) &&
	       choose_same(c, SACCT_NNODES, SACCT_ALLOCNODES) &&
	       choose_same(c, SACCT_ALLOCCPUS, SACCT_NCPUS) &&
	       choose_same(c, SACCT_ELAPSED, SACCT_ELAPSEDRAW) &&
	       choose_same(c, SACCT_TIMELIMIT, SACCT_TIMELIMITRAW);
}

/* Return true if the job does not depend on the column: another one, or that it ended, says
 * the same. */
static bool choose_ignores(const struct choose *c, int column)
{
	const uint64_t sizes = UINT64_C(1) << SACCT_ALLOCNODES |
			       UINT64_C(1) << SACCT_REQNODES |
			       UINT64_C(1) << SACCT_ALLOCCPUS |
			       UINT64_C(1) << SACCT_NCPUS |
			       UINT64_C(1) << SACCT_REQCPUS |
			       UINT64_C(1) << SACCT_ALLOCTRES |
			       UINT64_C(1) << SACCT_REQTRES |
			       UINT64_C(1) << SACCT_REQMEM;
	const struct divide *d = c->d;
	const char *state;

	if (sizes >> column & 1)
		return !d->l->shared && c->known >> SACCT_NNODES & 1 &&
		       c->number[SACCT_NNODES] > 0;
	if (column == SACCT_JOBIDRAW)
		return c->until[SACCT_JOBID] &&
		       d->end[c->until[SACCT_JOBID] - 1] >
			       d->at[c->from[SACCT_JOBID]];
	if (column == SACCT_ELAPSED)
		return c->known >> SACCT_ELAPSEDRAW & 1;
	if (column == SACCT_TIMELIMIT)
		return c->known >> SACCT_TIMELIMITRAW & 1;
	state = d->text + d->at[c->from[column]];
	return column == SACCT_STATE && strncmp(state, "PEND", 4) &&
	       strncmp(state, "RUN", 3) && strncmp(state, "SUSP", 4) &&
	       strncmp(state, "RESIZ", 5);
}

/* Take the reading if its values are new. */
static void choose_take(struct choose *c)
{
	const struct divide *d = c->d;
	uint64_t hash = TORUS_HASH_START;

	for (int k = 0; k < SACCT_COLUMNS; k++) {
		if (!c->until[k] || choose_ignores(c, k))
			continue;
		if (k >= SACCT_SUBMIT && k <= SACCT_END &&
		    !(c->known >> k & 1)) /* Unknown, None: one value */
			continue;
		hash = (hash ^ (uint32_t)k) * UINT64_C(0x100000001b3);
		for (uint32_t i = d->at[c->from[k]];
		     i < d->end[c->until[k] - 1]; i++)
			hash = (hash ^ (uint8_t)d->text[i]) *
			       UINT64_C(0x100000001b3);
		hash = (hash ^ 0x100u) * UINT64_C(0x100000001b3);
	}
	if (c->found && hash == c->hash)
		return;
	c->found++;
	c->hash = hash;
	memcpy(c->first_from, c->from, sizeof(c->from));
	memcpy(c->first_until, c->until, sizeof(c->until));
}

/* Go through the readings of the columns from `column` on, behind column + s pieces. */
static void choose_from(struct choose *c, uint32_t column, uint32_t s)
{
	struct divide *d = c->d;
	const struct torus_sacct_layout *l = d->l;
	uint32_t width = d->surplus + 1, next = divide_reach(d, column, s);
	bool *reach = c->reach + (size_t)column * width;

	if (next == l->fields) {
		if (d->reach[d->surplus])
			choose_take(c);
		return;
	}
	memcpy(reach, d->reach, width);
	for (uint32_t k = s; k < width && c->found < 2; k++) {
		enum torus_sacct_column is = l->column[next];
		uint32_t most = l->kind[next] == SACCT_FREE ? d->surplus : k;

		if (!reach[k] || !d->readings[next * width + k])
			continue;
		for (uint32_t u = k; u <= most && c->found < 2; u++) {
			uint64_t known = c->known;
			const char *p = d->text + d->at[next + k];

			if (c->steps++ == MOST_STEPS)
				c->found = 2;
			c->from[is] = next + k;
			c->until[is] = next + u + 1;
			if (choose_number(is, p,
					  d->end[next + u] - d->at[next + k],
					  &c->number[is]))
				c->known |= UINT64_C(1) << is;
			if (c->found < 2 && (!c->agree || choose_agrees(c)))
				choose_from(c, next + 1, u);
			c->known = known;
			c->until[is] = 0;
		}
	}
}

/* Fill in the row of the reading that was found. *evidence: how much of it is recognized
 * before its first line ends, a job's number among it. */
static void choose_fill(const struct choose *c, struct torus_sacct_row *row,
			uint32_t *evidence)
{
	static const uint8_t weight[SACCT_IS_NAME + 1] = {
		[SACCT_IS_ID] = 1,    [SACCT_IS_DATE] = 2,  [SACCT_IS_SPAN] = 2,
		[SACCT_IS_COUNT] = 1, [SACCT_IS_STATE] = 2, [SACCT_IS_TRES] = 2,
		[SACCT_IS_EXIT] = 2,
	};
	const struct divide *d = c->d;
	const struct torus_sacct_layout *l = d->l;
	size_t line = strcspn(d->text, "\n");
	uint32_t last = 0;
	bool id = false;

	torus_sacct_row_clear(row);
	*evidence = 0;
	for (uint32_t i = 0; i < l->fields; i++) {
		uint16_t k = l->column[i];

		if (k == SACCT_COLUMNS || !c->first_until[k])
			continue;
		row->field[k] = d->text + d->at[c->first_from[k]];
		d->text[d->end[c->first_until[k] - 1]] = '\0';
		if (d->at[c->first_from[k]] < line)
			last = i + 1;
	}
	while (last < l->fields && l->kind[last] != SACCT_FREE)
		last++;
	for (uint32_t i = 0; i < last; i++) {
		*evidence += weight[l->kind[i]];
		id |= l->kind[i] == SACCT_IS_ID;
	}
	if (!id) /* dates and counts stand in texts, too */
		*evidence = 0;
}

/* Choose the reading that is alone, or alone agrees with itself. Return 1 with the row
 * filled in, or 2. */
static int divide_choose(struct divide *d, bool agree,
			 struct torus_sacct_row *row, uint32_t *evidence)
{
	struct choose c = { .d = d, .agree = agree };

	c.reach = torus_alloc((size_t)d->l->fields * (d->surplus + 1),
			      sizeof(*c.reach));
	if (!c.reach)
		return 2;
	choose_from(&c, 0, 0);
	if (c.found != 1 && !agree) {
		c.agree = true;
		c.steps = c.found = 0;
		choose_from(&c, 0, 0);
	}
	if (c.found > 1) {
		c.agree = c.in_turn = true;
		c.steps = c.found = 0;
		choose_from(&c, 0, 0);
		c.found = c.found == 1 ? 1 : 2;
	}
	torus_free(c.reach);
	if (c.found == 1)
		choose_fill(&c, row, evidence);
	return c.found == 1 ? 1 : agree ? (int)c.found : 2;
}

int torus_sacct_readings(const struct torus_sacct_layout *l, char *text,
			 bool agree, struct torus_sacct_row *row,
			 uint32_t *evidence)
{
	struct divide d = { .l = l, .text = text };
	int n;

	if (!*l->delimiter)
		return 0;
	n = divide_begin(&d);
	if (n == 0 && l->delimiter[1]) {
		divide_end(&d);
		d.late = true;
		n = divide_begin(&d);
	}
	if (n > 0)
		n = divide_choose(&d, agree, row, evidence);
	divide_end(&d);
	return n < 0 ? 0 : n;
}
