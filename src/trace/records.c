/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records in memory (records.h): an array that doubles. */
#include "trace/records.h"

#include <errno.h>

#include "torus/alloc.h"

struct torus_trace_record *
torus_records_add(struct torus_records *records,
		  const struct torus_trace_record *record)
{
	struct torus_request *request = NULL;
	struct torus_trace_record *to;

	if (TORUS_GROW(records->record, records->room, records->count + 1))
		return NULL;
	if (record->shaped) {
		request = torus_alloc(1, sizeof(*request));
		if (!request)
			return NULL;
		torus_request_copy(request, record->request);
	}
	to = &records->record[records->count++];
	*to = *record;
	to->request = request;
	to->only = to->text = (struct torus_text){ 0 };
	return to;
}

void torus_records_free(struct torus_records *records)
{
	int saved = errno;

	for (uint64_t i = 0; i < records->count; i++)
		torus_free(records->record[i].request);
	torus_free(records->record);
	*records = (struct torus_records){ 0 };
	errno = saved;
}
