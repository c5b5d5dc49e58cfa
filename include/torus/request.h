/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The request of a job, and the grammar of --geometry and --conn-type:
 *
 *   SPEC := ALT{,ALT}   ALT := WHAT[@DUR]   WHAT := SHAPE[*N] | COUNT{:LIMIT}
 *   SHAPE := E{xE} | E^K   LIMIT := aspect=R | bisection=N   DUR := number(s|m|h|d)
 *
 * Numbers are whole, >= 1, without sign or leading zero. No spaces. At most 8
 * axes and 8 alternatives. *N: N disjoint regions of the shape, at most 64.
 * @DUR: the alternative is acceptable after that wait, counted from
 * eligibility; waits do not decrease. No alternative is equal to another. The limits of a
 * count are those of torus/ask.h.
 */
#ifndef TORUS_REQUEST_H
#define TORUS_REQUEST_H

#include <string.h>

#include "torus/ask.h"
#include "torus/request_words.h"

#define TORUS_MAX_ALTERNATIVES 8
#define TORUS_GEOMETRY_SIZE 1024 /* longest --geometry accepted, with NUL */
#define TORUS_CONNECTION_SIZE (TORUS_MAX_DIMS + 1) /* of a --conn-type */

/* The order of a job's tasks in its shape (--rank-order); format/ranks.h says how. */
enum torus_rank_order {
	TORUS_ORDER_UNASKED, /* Slurm's */
	TORUS_ORDER_ROW_MAJOR,
	TORUS_ORDER_SNAKE,
	TORUS_ORDER_MORTON,
	TORUS_ORDER_HILBERT,
	TORUS_ORDERS
};

extern const char *const torus_rank_order_name[TORUS_ORDERS]; /* [0] is "" */

/* Read a word of --rank-order (`option` is for the message). 0, or -1 with a line in
 * err. */
int torus_rank_order_parse(const char *option, const char *word,
			   enum torus_rank_order *order,
			   struct torus_error *err);

struct torus_alternative {
	struct torus_ask ask;
	int64_t after_us; /* acceptable after this wait; 0 for the first */
};

/* Only the first `alternatives` of them have contents. */
struct torus_request {
	struct torus_alternative alternative[TORUS_MAX_ALTERNATIVES];
	uint32_t alternatives;
	bool rotate;
	enum torus_rank_order rank_order;
};

/* The request of a job: only the alternatives that it has. Their memory is the
 * host's (torus/job.h), and the scheduler writes into them. */
struct torus_job_request {
	struct torus_alternative *alternative;
	uint32_t alternatives;
	bool rotate;
	enum torus_rank_order rank_order;
};

/*
 * Read the words into a request. Messages name the option, the text that was
 * read and the text that was expected, with an example:
 *   --geometry: got "4xx2": an extent is missing after "4x"; write for example 4x4x2, 2^3 or 64
 * 0, or -1 with EINVAL and lines in err.
 */
int torus_request_parse(struct torus_request *request,
			const struct torus_request_words *words,
			struct torus_error *err);

/* Copy only what has contents: most requests have one alternative of eight. */
static inline void torus_request_copy(struct torus_request *to,
				      const struct torus_request *from)
{
	memcpy(to->alternative, from->alternative,
	       from->alternatives * sizeof(*to->alternative));
	to->alternatives = from->alternatives;
	to->rotate = from->rotate;
	to->rank_order = from->rank_order;
}

/* Return a request for n nodes: any box, NAV. */
void torus_request_count(struct torus_request *request, uint32_t n);

/* The same of a range of nodes: an alternative for each number, the largest first; if
 * there are too few alternatives, numbers spread over the range. */
void torus_request_range(struct torus_request *request, uint32_t least,
			 uint32_t most);

/* The same for a job, in the memory of one alternative. */
struct torus_job_request
torus_job_request_count(struct torus_alternative *alternative, uint32_t n);

/* Return the request as a job's. The alternatives stay where they are. */
static inline struct torus_job_request
torus_job_request_of(struct torus_request *request)
{
	return (struct torus_job_request){ .alternative = request->alternative,
					   .alternatives = request->alternatives,
					   .rotate = request->rotate,
					   .rank_order = request->rank_order };
}

/* Return true if it is a number of nodes, without limits and alternatives. */
static inline bool
torus_job_request_is_number(const struct torus_job_request *request)
{
	return request->alternatives == 1 &&
	       request->alternative[0].ask.by_count &&
	       !torus_ask_limited(&request->alternative[0].ask);
}

/* Copy a job's request into `alternative`, which has room for its alternatives. */
static inline struct torus_job_request
torus_job_request_put(struct torus_alternative *alternative,
		      const struct torus_job_request *from)
{
	memcpy(alternative, from->alternative,
	       from->alternatives * sizeof(*alternative));
	return (struct torus_job_request){ .alternative = alternative,
					   .alternatives = from->alternatives,
					   .rotate = from->rotate,
					   .rank_order = from->rank_order };
}

/* Copy a job's request into new memory, which the caller frees: torus_free() of
 * to->alternative. -1 with ENOMEM, and *to unchanged. */
int torus_job_request_copy(struct torus_job_request *to,
			   const struct torus_job_request *from);

/* Write the geometry in canonical form (4x4x2 or 64 or 8x8@2h,64@4h), with its axes of
 * 1. Reading it gives the same request. */
int torus_request_format(const struct torus_request *request, char *buffer,
			 size_t size);
int torus_job_request_format(const struct torus_job_request *request,
			     char *buffer, size_t size);

/* Write the connection: "" for nav, the word that all axes have, or a letter for each
 * axis as typed. */
void torus_connection_format(const struct torus_job_request *request,
			     char out[TORUS_CONNECTION_SIZE]);

/* Read "90s", "2h" ... (s, m, h, d; up to 6 decimals) as microseconds. */
int torus_duration_parse(const char *string, int64_t *us,
			 struct torus_error *err);

/* The same, or seconds without a unit (7200, 0.5), or as Slurm prints them (1-12:30:00,
 * 30:00): as options, campaigns and torus.yaml have durations. */
int torus_duration_read(const char *string, int64_t *us,
			struct torus_error *err);

/* Write a duration with the longest unit that leaves a whole number: 90m, 1.5s;
 * us >= 0. Return its length, as snprintf(). */
int torus_duration_format(int64_t us, char *buffer, size_t size);

/* The same in words: 90 minutes, 1 hour, 1.5 seconds. */
int torus_duration_words(int64_t us, char *buffer, size_t size);

#endif
