/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine of a journal (journal.h): nodes of no torus, and jobs without a
 * shape on any nodes. */
#include "storus/lab/journal.h"

#include <errno.h>

#include "format/journal_file.h"

int storus_allow_anywhere(struct torus_machine *m, struct torus_error *err)
{
	const struct torus_strategy *any = torus_strategy_find("flat");

	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		uint32_t i = 0;

		while (i < pod->strategies && pod->strategy[i] != any)
			i++;
		if (i == pod->strategies && torus_machine_allow(m, p, any, err))
			return -1;
	}
	return 0;
}

int storus_journal_machine(struct torus_trace *trace,
			   struct torus_config *config, struct torus_error *err)
{
	struct torus_trace_head head;

	switch (torus_trace_head(trace, &head, err)) {
	case TORUS_TRACE_REFUSED:
		errno = EINVAL;
		return -1;
	case TORUS_TRACE_FAILED:
		errno = errno ? errno : ENOMEM;
		return -1;
	default:
		break;
	}
	if (head.links)
		torus_config_allow_links(config);
	if (!head.journal)
		return 0;
	config->scheduler.as_live = true; /* as its scheduler did */
	if (head.settings)
		journal_settings_complete(head.settings, &config->scheduler);
	return storus_allow_anywhere(&config->machine, err) ||
			       torus_config_outside(config, head.outside, NULL,
						    err) ?
		       -1 :
		       0;
}
