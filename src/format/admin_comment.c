/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of admin_comment.h: find, write and read entries. O(length of the
 * comment). */
#include "torus/state_text.h"
#include "torus/placement.h"
#include "format/admin_comment.h"
#include "torus/alloc.h"
#include "torus/contention.h"
#include "torus/regions.h"

#include <errno.h>
#include <string.h>

const char *admin_comment_entry(const char *comment, const char *mark)
{
	const char *at = comment;

	while (at && (at = strstr(at, mark))) {
		if (at == comment || at[-1] == ' ')
			return at;
		at++;
	}
	return NULL;
}

void admin_comment_remove(char *comment, const char *mark)
{
	const char *entry;

	while ((entry = admin_comment_entry(comment, mark))) {
		char *at = comment + (entry - comment);
		char *end = at + strcspn(at, " ");

		if (at > comment)
			at--;
		else if (*end == ' ')
			end++;
		memmove(at, end, strlen(end) + 1);
	}
}

int admin_comment_write(const struct torus_machine *m,
			const struct torus_placement *place,
			struct torus_text *text)
{
	const struct torus_pod *pod = &m->pod[place->pod];
	size_t before;

	if (torus_text_add(text, "%s", ADMIN_COMMENT_PLACE))
		return -1;
	before = text->length;
	if (torus_placement_format(m, place, text))
		return -1;
	if (place->scattered && !place->regions &&
	    text->length - before > ADMIN_COMMENT_SCATTERED_MAX) {
		text->data[before] = '\0';
		text->length = before;
		if (torus_text_add(text, "%s;nodes=%u",
				   m->pod[place->pod].torus.name,
				   place->granted))
			return -1;
	}
	if ((!place->scattered || place->regions) &&
	    (torus_text_add(text, ";orientation=") ||
	     torus_placement_orientation(m, place, text) ||
	     torus_text_add(text, ";ring=") ||
	     torus_placement_rings(place, text)))
		return -1;
	if (place->strategy == 0)
		return 0;
	return torus_text_add(text, ";strategy=%s",
			      pod->strategy[place->strategy]->name);
}

/* A growing list of slowed jobs. */
struct disturbed {
	const struct torus_state *s;
	struct torus_text *text;
	uint32_t n, most;
	int rc;
};

static double admin_comment_factor(int64_t millionths)
{
	return 1 + (double)millionths / (double)TORUS_CONTENTION_ONE;
}

static void add_disturbed(void *arg, uint32_t slot, int64_t millionths)
{
	struct disturbed *d = arg;
	const struct torus_hold *h = torus_state_hold(d->s, slot);

	if (d->n++ >= d->most || d->rc)
		return;
	millionths += torus_contention_rate(d->s, &h->place, NULL, NULL);
	d->rc = torus_text_add(d->text, "%s%llu:%.4g",
			       d->n == 1 ? ";disturbs=" : ",",
			       (unsigned long long)h->job,
			       admin_comment_factor(millionths));
}

int admin_comment_write_contention(const struct torus_state *s,
				   const struct torus_placement *place,
				   bool names, struct torus_text *text)
{
	const struct torus_pod *pod = &torus_state_machine(s)->pod[place->pod];
	struct disturbed d = { .s = s,
			       .text = text,
			       .most = names ? ADMIN_COMMENT_DISTURBED_MAX : 0 };
	int64_t rate;

	if (!pod->strategy[place->strategy]->interleaves)
		return 0;
	rate = torus_contention_rate(s, place, NULL, NULL);
	if (torus_text_add(text, ";dilation=%.4g", admin_comment_factor(rate)))
		return -1;
	torus_contention_rate(s, place, add_disturbed, &d);
	if (d.rc || d.n <= d.most)
		return d.rc;
	return torus_text_add(text, "%s+%u",
			      names ? "," : ";disturbs=", d.n - d.most);
}

/* Values of a place entry, cut out of a copy; "": missing. */
struct admin_comment_values {
	char *copy;
	const char *region, *orientation, *ring, *strategy;
};

static int admin_comment_cut(const char *comment, struct admin_comment_values *v)
{
	const char *at = admin_comment_entry(comment, ADMIN_COMMENT_PLACE);
	size_t length = at ? strcspn(at, " ") : 0;
	char *rest, *value;

	*v = (struct admin_comment_values){
		.region = "", .orientation = "", .ring = "", .strategy = ""
	};
	rest = v->copy = at ? torus_alloc(length + 1, 1) : NULL;
	if (!rest)
		return -1;
	memcpy(rest, at, length);
	v->region = strsep(&rest, ";") + strlen(ADMIN_COMMENT_PLACE);
	while ((value = strsep(&rest, ";"))) {
		if (strncmp(value, "orientation=", 12) == 0)
			v->orientation = value + 12;
		else if (strncmp(value, "ring=", 5) == 0)
			v->ring = value + 5;
		else if (strncmp(value, "strategy=", 9) == 0)
			v->strategy = value + 9;
	}
	return 0;
}

static int admin_comment_read_strategy(const struct torus_pod *pod,
				       const char *name,
				       struct torus_placement *place)
{
	place->strategy = 0;
	if (!*name)
		return 0;
	for (uint32_t i = 0; i < pod->strategies; i++) {
		if (strcmp(pod->strategy[i]->name, name) == 0) {
			place->strategy = (uint8_t)i;
			return 0;
		}
	}
	return -1;
}

static int admin_comment_read_region(const char *text,
				     const struct torus_machine *m,
				     struct torus_placement *place)
{
	char name[TORUS_NAME_SIZE];
	size_t length = strcspn(text, ":");
	const struct torus *t;
	bool scattered;

	if (length >= sizeof(name) || strchr(text, '{'))
		return -1;
	memcpy(name, text, length);
	name[length] = '\0';
	place->pod = torus_machine_named(m, name);
	if (place->pod == UINT32_MAX)
		return -1;
	t = &m->pod[place->pod].torus;
	if (torus_region_parse(&place->region, &scattered, NULL, t, text, NULL) ||
	    scattered)
		return -1;
	place->granted = torus_region_nodes(&place->region, t);
	return 0;
}

int admin_comment_read(const char *comment, const struct torus_machine *m,
		       const struct torus_placement_room *room,
		       struct torus_placement *place)
{
	struct admin_comment_values v;
	int rc = admin_comment_cut(comment, &v);

	memset(place, 0, sizeof(*place));
	if (rc == 0 && torus_regions_several(v.region)) {
		uint32_t axes;

		if (!*v.orientation ||
		    torus_regions_parse(m, v.region, v.orientation,
					room->regions, NULL) ||
		    torus_regions_rings(room->regions, v.ring, &axes)) {
			rc = -1;
		} else {
			*place = torus_regions_place(m, room->regions,
						     room->nodes);
			place->axes = axes;
			rc = 0;
		}
	} else if (rc == 0) {
		rc = admin_comment_read_region(v.region, m, place);
		if (rc == 0) {
			/* Set orientation and rings. If the values are invalid (any user may
			 * write a comment), the place is a region without axes. */
			bool wrong =
				torus_rings_parse(v.ring, 1, &place->ring,
						  &place->axes) ||
				torus_orientation_parse(&place->orientation,
							&m->pod[place->pod].torus,
							v.orientation, NULL);

			for (uint32_t d = 0;
			     d < m->pod[place->pod].torus.dims && !wrong; d++)
				wrong = place->orientation.axis[d] >=
					(int)place->axes;
			if (wrong) {
				place->axes = place->ring = 0;
				place->orientation.folded = false;
				memset(place->orientation.axis, -1,
				       sizeof(place->orientation.axis));
			}
		}
	}
	if (rc == 0)
		rc = admin_comment_read_strategy(&m->pod[place->pod],
						 v.strategy, place);
	torus_free(v.copy);
	return rc;
}

/*
 * The new shape of a pending job, as `storus update` sends it to slurmctld. Job
 * updates have no field for it, so it travels in the Comment:
 *
 *   torus:update=1;geometry=4x4x2;conn-type=TTM;no-rotate;placement=submesh
 *
 * Only geometry is required. job_submit/torus removes the text from the update,
 * so the job's own comment is unchanged. Any user may send such a text: it is
 * parsed strictly, and proves nothing about its sender.
 */

#define VERSION "1"

bool job_update_is(const char *comment)
{
	return comment &&
	       strncmp(comment, JOB_UPDATE_MARK, strlen(JOB_UPDATE_MARK)) == 0;
}

static bool job_update_plain(const char *word)
{
	for (; word && *word; word++) {
		if (*word == ';' || (unsigned char)*word < ' ')
			return false;
	}
	return true;
}

int job_update_write(const struct torus_request_words *words,
		     struct torus_text *text)
{
	for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
		if (!job_update_plain(torus_request_words_get(words, w))) {
			errno = EINVAL;
			return -1;
		}
	}
	if (torus_text_add(text, JOB_UPDATE_MARK VERSION) ||
	    (words->geometry && *words->geometry &&
	     torus_text_add(text, ";geometry=%s", words->geometry)))
		return -1;
	return torus_request_words_write(words, text);
}

int job_update_read(char *text, struct torus_request_words *words,
		    struct torus_error *err)
{
	char *rest = text + strlen(JOB_UPDATE_MARK), *item;

	*words = (struct torus_request_words){ 0 };
	item = strsep(&rest, ";");
	if (strcmp(item, VERSION) != 0)
		return torus_error_add(
			err,
			"update: got version \"%.20s\", expected " VERSION
			"; storus and slurmctld's plugins differ in their version",
			item);
	while ((item = strsep(&rest, ";"))) {
		if (!torus_request_words_read(words, item))
			return torus_error_add(err,
					       "update: unexpected \"%.60s\"",
					       item);
	}
	if (!words->geometry)
		return torus_error_add(err, "update: geometry is missing");
	return 0;
}
