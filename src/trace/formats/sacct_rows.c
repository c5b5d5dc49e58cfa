/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of sacct and lines that are divided at each separator (sacct.h): what a value
 * of each column looks like, the line of names, the separator. A record whose free text has
 * separators or line ends: sacct_divide.c.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "torus/alloc.h"
#include "trace/formats/sacct.h"
#include "trace/formats/slurm_words.h"

const char *const torus_sacct_columns[SACCT_COLUMNS] = {
	"JobID",      "JobIDRaw", "Cluster",     "Partition",    "User",
	"Submit",     "Eligible", "Start",       "End",          "ElapsedRaw",
	"Elapsed",    "NNodes",   "AllocNodes",  "ReqNodes",     "AllocCPUS",
	"NCPUS",      "ReqCPUS",  "AllocTRES",   "ReqTRES",      "TimelimitRaw",
	"Timelimit",  "State",    "Priority",    "AdminComment", "Account",
	"QOS",        "ReqMem",   "Constraints", "Reservation",  "Licenses",
	"SubmitLine",
};

/* All columns of sacct --helpformat whose values are not just words. */
static const struct {
	const char *name;
	enum torus_sacct_kind kind;
} kinds[] = {
	{ "Account", SACCT_FREE },
	{ "AdminComment", SACCT_FREE },
	{ "Comment", SACCT_FREE },
	{ "Constraints", SACCT_FREE },
	{ "Container", SACCT_FREE },
	{ "Extra", SACCT_FREE },
	{ "JobName", SACCT_FREE },
	{ "Reason", SACCT_FREE },
	{ "StdErr", SACCT_FREE },
	{ "StdIn", SACCT_FREE },
	{ "StdOut", SACCT_FREE },
	{ "SubmitLine", SACCT_FREE },
	{ "SystemComment", SACCT_FREE },
	{ "WCKey", SACCT_FREE },
	{ "WorkDir", SACCT_FREE },
	{ "JobID", SACCT_IS_ID },
	{ "JobIDRaw", SACCT_IS_ID },
	{ "Submit", SACCT_IS_DATE },
	{ "Eligible", SACCT_IS_DATE },
	{ "Start", SACCT_IS_DATE },
	{ "End", SACCT_IS_DATE },
	{ "Elapsed", SACCT_IS_SPAN },
	{ "CPUTime", SACCT_IS_SPAN },
	{ "Planned", SACCT_IS_SPAN },
	{ "Reserved", SACCT_IS_SPAN },
	{ "Suspended", SACCT_IS_SPAN },
	{ "SystemCPU", SACCT_IS_SPAN },
	{ "Timelimit", SACCT_IS_SPAN },
	{ "TotalCPU", SACCT_IS_SPAN },
	{ "UserCPU", SACCT_IS_SPAN },
	{ "AllocCPUS", SACCT_IS_COUNT },
	{ "AllocNodes", SACCT_IS_COUNT },
	{ "AssocID", SACCT_IS_COUNT },
	{ "CPUTimeRAW", SACCT_IS_COUNT },
	{ "ElapsedRaw", SACCT_IS_COUNT },
	{ "GID", SACCT_IS_COUNT },
	{ "NCPUS", SACCT_IS_COUNT },
	{ "NNodes", SACCT_IS_COUNT },
	{ "NTasks", SACCT_IS_COUNT },
	{ "PlannedCPURAW", SACCT_IS_COUNT },
	{ "Priority", SACCT_IS_COUNT },
	{ "QOSRAW", SACCT_IS_COUNT },
	{ "ReqCPUS", SACCT_IS_COUNT },
	{ "ReqNodes", SACCT_IS_COUNT },
	{ "ReservationId", SACCT_IS_COUNT },
	{ "Restarts", SACCT_IS_COUNT },
	{ "TimelimitRaw", SACCT_IS_COUNT },
	{ "UID", SACCT_IS_COUNT },
	{ "State", SACCT_IS_STATE },
	{ "AllocTRES", SACCT_IS_TRES },
	{ "ReqTRES", SACCT_IS_TRES },
	{ "Cluster", SACCT_IS_NAME },
	{ "Partition", SACCT_IS_NAME },
	{ "QOS", SACCT_IS_NAME },
	{ "User", SACCT_IS_NAME },
	{ "DerivedExitCode", SACCT_IS_EXIT },
	{ "ExitCode", SACCT_IS_EXIT },
};

/* Other names by which a separator is found. */
static const char *const words[] = {
	"Group",  "Flags",    "NodeList", "ReqMem",
	"Layout", "McsLabel", "BlockID",  "DBIndex",
};

/* Values */

static bool value_is_id(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && isdigit((unsigned char)p[i]))
		i++;
	if (!i)
		return false;
	if (i < n && (p[i] == '_' || p[i] == '+'))
		for (i++; i < n && strchr("0123456789[]-,%:", p[i]); i++)
			;
	if (i < n && p[i] == '+') /* a part of a het job, of an array */
		for (i++; i < n && isdigit((unsigned char)p[i]); i++)
			;
	if (i == n)
		return true;
	return p[i] == '.' && i + 1 < n &&
	       strspn(p + i + 1, "0123456789abcdefghijklmnopqrstuvwxyz+_") >=
		       n - i - 1;
}

bool torus_sacct_is_one_of(const char *p, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == n && !strncasecmp(p, *list, n))
			return true;
	return false;
}

static bool value_is_state(const char *p, size_t n)
{
	static const char *const states[] = {
		"BOOT_FAIL",  "CANCELLED",     "COMPLETED",
		"COMPLETING", "CONFIGURING",   "DEADLINE",
		"FAILED",     "NODE_FAIL",     "OUT_OF_MEMORY",
		"PENDING",    "PREEMPTED",     "RECONFIG_FAIL",
		"REQUEUED",   "REQUEUE_FED",   "REQUEUE_HOLD",
		"RESIZING",   "RESV_DEL_HOLD", "REVOKED",
		"RUNNING",    "SIGNALING",     "SPECIAL_EXIT",
		"STAGE_OUT",  "STOPPED",       "SUSPENDED",
		"TIMEOUT",    "LAUNCH_FAILED", "EXPEDITING",
		NULL,
	};
	size_t word = 0;

	while (word < n && p[word] != ' ' && p[word] != '+')
		word++;
	return torus_sacct_is_one_of(p, word, states) &&
	       (word == n || p[word] == '+' ||
		(n - word > 4 && !strncmp(p + word, " by ", 4)));
}

static bool value_is_exit(const char *p, size_t n)
{
	size_t colon = strcspn(p, ":");

	return !n || (colon && colon + 1 < n && strspn(p, "0123456789:") >= n);
}

static bool value_is_count(const char *p, size_t n)
{
	size_t digits = 0;

	while (digits < n && (isdigit((unsigned char)p[digits]) ||
			      (digits && p[digits] == '.')))
		digits++;
	if (digits == n)
		return true; /* empty, too */
	return digits && digits + 1 == n && strchr("KMGTPE", p[digits]);
}

bool torus_sacct_value_fits(enum torus_sacct_kind kind, const char *p, size_t n)
{
	static const char *const never[] = { "", "Unknown", "None", "N/A",
					     NULL };
	static const char *const limits[] = { "", "UNLIMITED", "Partition_Limit",
					      "INVALID", NULL };
	char text[48];
	int64_t us;

	if (kind == SACCT_WORD)
		return n == 0 || !memchr(p, '\n', n);
	if (kind == SACCT_IS_NAME)
		return strspn(p, TORUS_SACCT_LETTERS "-.,@$+\\") >= n &&
		       !value_is_state(p, n);
	if (kind == SACCT_IS_ID)
		return value_is_id(p, n);
	if (kind == SACCT_IS_STATE)
		return value_is_state(p, n);
	if (kind == SACCT_IS_EXIT)
		return value_is_exit(p, n);
	if (kind == SACCT_IS_TRES)
		return !n || (isalpha((unsigned char)*p) && memchr(p, '=', n) &&
			      !memchr(p, '\n', n));
	if (kind == SACCT_IS_COUNT)
		return value_is_count(p, n) ||
		       torus_sacct_is_one_of(p, n, limits);
	if (n >= sizeof(text))
		return false;
	memcpy(text, p, n);
	text[n] = '\0';
	if (kind == SACCT_IS_DATE)
		return torus_sacct_is_one_of(p, n, never) ||
		       torus_slurm_date(text, &us);
	return torus_sacct_is_one_of(p, n, limits) ||
	       torus_slurm_span(text, &us);
}

/* Header */

/* Return the length of the longest known name at p, or 0. */
static size_t name_length(const char *p)
{
	size_t best = 0, n;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		n = strlen(kinds[i].name);
		if (n > best && !strncasecmp(p, kinds[i].name, n))
			best = n;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		n = strlen(words[i]);
		if (n > best && !strncasecmp(p, words[i], n))
			best = n;
	}
	return best;
}

/*
 * Find the text between the first two known names that are neighbours. A text with
 * letters may be a column that is not known, and is taken only if there is none
 * without; then that behind the first word.
 */
static bool delimiter_find(const char *line,
			   char delimiter[TORUS_SACCT_DELIMITER])
{
	size_t best = 0, n;
	const char *from = line;

	for (const char *p = line; *p; p++) {
		size_t name = name_length(p);

		if (!name || (p > line && isalnum((unsigned char)p[-1])))
			continue;
		for (n = 1; n < TORUS_SACCT_DELIMITER && p[name + n - 1]; n++)
			if (name_length(p + name + n))
				break;
		if (n == TORUS_SACCT_DELIMITER || !p[name + n - 1])
			continue;
		if (!best || strcspn(p + name, TORUS_SACCT_LETTERS) >= n) {
			best = n;
			from = p + name;
		}
		if (strcspn(from, TORUS_SACCT_LETTERS) >= best)
			break;
	}
	if (!best) {
		from = line + strspn(line, TORUS_SACCT_LETTERS);
		best = strcspn(from, TORUS_SACCT_LETTERS);
	}
	snprintf(delimiter, TORUS_SACCT_DELIMITER, "%.*s", (int)best, from);
	return *delimiter != '\0';
}

/* Add a column. Return false if it comes twice, or there are too many. */
static bool layout_add(struct torus_sacct_layout *l, const char *name)
{
	int c = 0;
	size_t k = 0;

	name += strspn(name, " \t");
	while (c < SACCT_COLUMNS &&
	       strcasecmp(torus_sacct_columns[c], name) != 0)
		c++;
	while (k < sizeof(kinds) / sizeof(*kinds) &&
	       strcasecmp(kinds[k].name, name) != 0)
		k++;
	if (l->fields == TORUS_SACCT_FIELDS ||
	    (c < SACCT_COLUMNS && l->seen >> c & 1))
		return false;
	l->seen |= c < SACCT_COLUMNS ? 1u << c : 0;
	l->column[l->fields] = (uint16_t)c;
	l->kind[l->fields] = k < sizeof(kinds) / sizeof(*kinds) ?
				     (uint8_t)kinds[k].kind :
				     SACCT_WORD;
	l->free_end = l->kind[l->fields] == SACCT_FREE ||
		      (l->free_end && !*name);
	l->free |= l->kind[l->fields] == SACCT_FREE;
	l->fields++;
	return true;
}

static bool names_add(struct torus_sacct_layout *l, char *names,
		      const char *delimiter, char *why)
{
	size_t n = strlen(delimiter);

	l->fields = l->seen = 0;
	l->free = l->free_end = false;
	/* --parsable has a delimiter after the last field, too: an empty field,
	 * in the header and in the rows */
	for (char *next; names; names = next) {
		next = n ? strstr(names, delimiter) : NULL;
		if (next) {
			*next = '\0';
			next += n;
		}
		if (!layout_add(l, names)) {
			snprintf(why, TORUS_TRACE_WHY_SIZE,
				 "a column comes twice, or there are too many");
			return false;
		}
	}
	return true;
}

bool torus_sacct_header(struct torus_sacct_layout *l, char *line, char *why)
{
	if (!delimiter_find(line, l->delimiter))
		*l->delimiter = '\0';
	return names_add(l, line, l->delimiter, why);
}

uint32_t torus_sacct_pieces(const char *line, const char *delimiter)
{
	uint32_t n = 1;

	while ((line = strstr(line, delimiter))) {
		line += strlen(delimiter);
		n++;
	}
	return n;
}

bool torus_sacct_names(struct torus_sacct_layout *l, const char *names,
		       const char *first, char *why)
{
	static const char *const usual[] = { "|||", "^|^", "|", ";", "\t",
					     ",",   "^",   ":", NULL };
	char copy[4096];
	int i = 0;

	if (strlen(names) >= sizeof(copy)) {
		snprintf(why, TORUS_TRACE_WHY_SIZE, "--columns: too many names");
		return false;
	}
	strcpy(copy, names);
	if (!names_add(l, copy, ",", why))
		return false;
	/* times have a : and lists a comma: no separators beside a | */
	while (usual[i] &&
	       ((strchr(first, '|') && !strchr(usual[i], '|')) ||
		(torus_sacct_pieces(first, usual[i]) != l->fields &&
		 torus_sacct_pieces(first, usual[i]) != l->fields + 1)))
		i++;
	strcpy(l->delimiter, usual[i] ? usual[i] : "|");
	/* --parsable: a separator after the last field */
	if (usual[i] && torus_sacct_pieces(first, usual[i]) == l->fields + 1 &&
	    !strcmp(first + strlen(first) - strlen(usual[i]), usual[i]))
		layout_add(l, "");
	return true;
}

bool torus_sacct_is_header(const char *line)
{
	struct torus_sacct_layout l;
	char copy[4096], why[TORUS_TRACE_WHY_SIZE];
	const char *submit = strcasestr(line, "Submit");

	if (!isalpha((unsigned char)*line) || !submit ||
	    !strcasestr(line, "JobID") || strlen(line) >= sizeof(copy))
		return false;
	strcpy(copy, line);
	return torus_sacct_header(&l, copy, why) &&
	       l.seen >> SACCT_SUBMIT & 1 &&
	       l.seen & (1u << SACCT_JOBID | 1u << SACCT_JOBIDRAW) &&
	       l.delimiter[strspn(l.delimiter, " \t")];
}

/* Rows */

void torus_sacct_row_clear(struct torus_sacct_row *row)
{
	for (int i = 0; i <= SACCT_COLUMNS; i++)
		row->field[i] = "";
}

uint32_t torus_sacct_split(const struct torus_sacct_layout *l, char *line,
			   struct torus_sacct_row *row)
{
	size_t n = strlen(l->delimiter);
	uint32_t fields = n ? torus_sacct_pieces(line, l->delimiter) : 1;

	torus_sacct_row_clear(row);
	if (fields != l->fields)
		return fields;
	for (uint32_t i = 0; i < fields; i++) {
		char *next = i + 1 < fields ? strstr(line, l->delimiter) : NULL;

		row->field[l->column[i]] = line;
		if (next) {
			*next = '\0';
			line = next + n;
		}
	}
	return fields;
}

void torus_sacct_note_order(struct torus_sacct_layout *l,
			    const struct torus_sacct_row *row)
{
	const char *id = row->field[SACCT_JOBID],
		   *submit = row->field[SACCT_SUBMIT];
	int64_t us;
	uint64_t number;

	if (torus_number_whole(id, 0, INT64_MAX, &number) &&
	    torus_slurm_date(submit, &us)) {
		bool later = (int64_t)number > l->last_id;

		l->out_of_order |= l->in_order &&
				   (int64_t)number != l->last_id &&
				   later != (us / 1000000 >= l->last_submit_s) &&
				   us / 1000000 != l->last_submit_s;
		if (later) {
			l->in_order++;
			l->last_id = (int64_t)number;
			l->last_submit_s = us / 1000000;
		}
	}
}

bool torus_sacct_is_id(const struct torus_sacct_row *row)
{
	const char *id = row->field[SACCT_JOBID];

	id = *id ? id : row->field[SACCT_JOBIDRAW];
	return value_is_id(id, strlen(id));
}

bool torus_sacct_begins(const struct torus_sacct_layout *l, const char *line)
{
	for (uint32_t i = 0; i < l->fields && l->kind[i] != SACCT_FREE; i++) {
		const char *next = strstr(line, l->delimiter);
		size_t n = next ? (size_t)(next - line) : strlen(line);

		if (!torus_sacct_value_fits((enum torus_sacct_kind)l->kind[i],
					    line, n))
			return false;
		if (!next) /* a line end in a field that cannot have one */
			return !l->free;
		line = next + strlen(l->delimiter);
	}
	return true;
}
