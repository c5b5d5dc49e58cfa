/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records in memory (log.h). */
#include "trace/log.h"

#include <errno.h>

#include "torus/alloc.h"

void torus_trace_record_free(struct torus_trace_record *r)
{
	torus_free(r->request);
	torus_text_free(&r->only);
	torus_text_free(&r->text);
	*r = (struct torus_trace_record){ 0 };
}

int torus_trace_record_copy(struct torus_trace_record *to,
			    const struct torus_trace_record *from)
{
	*to = *from;
	to->request = NULL;
	to->only = to->text = (struct torus_text){ 0 };
	if ((from->only.length &&
	     torus_text_add(&to->only, "%s", from->only.data)) ||
	    (from->text.length &&
	     torus_text_add(&to->text, "%s", from->text.data)))
		return -1;
	if (from->kind || !from->shaped)
		return 0;
	to->request = torus_alloc(1, sizeof(*to->request));
	if (!to->request)
		return -1;
	torus_request_copy(to->request, from->request);
	return 0;
}

struct torus_trace_record *
torus_records_add(struct torus_records *records,
		  const struct torus_trace_record *record)
{
	struct torus_trace_record *to;

	if (TORUS_GROW(records->record, records->room, records->count + 1))
		return NULL;
	to = &records->record[records->count];
	if (torus_trace_record_copy(to, record)) {
		torus_trace_record_free(to);
		return NULL;
	}
	records->count++;
	return to;
}

void torus_records_free(struct torus_records *records)
{
	int saved = errno;

	for (uint64_t i = 0; i < records->count; i++)
		torus_trace_record_free(&records->record[i]);
	torus_free(records->record);
	*records = (struct torus_records){ 0 };
	errno = saved;
}
