/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines, small enough for many steps (state_machines.h). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "state_machines.h"

const struct pod_text state_machines[][MOST_PODS] = {
	{ { "flat:70", { "flat" }, 0 } },
	{ { "4x4x4", { "submesh" }, 0 } },
	{ { "3x5x2:TMT", { "submesh" }, 0 } },
	{ { "5x13:MT", { "submesh", "flat" }, 0 } },
	{ { "4x4x4", { "semitorus-nep" }, 0 } },
	{ { "2x4x4x8", { "semitorus-nep" }, 0 } },
	{ { "2x2x2x6x2", { "semitorus-nep" }, 0 } },
	{ { "64", { "semitorus-nep" }, 0 } },
	{ { "8x8", { "submesh", "semitorus-nep", "flat" }, 0 } },
	{ { "4x4x4", { "submesh" }, 0x8000400020001 } },
	{ { "8x4", { "semitorus-nep", "submesh" }, 0x10200 } },
	{ { "flat:10", { "flat" }, 0 }, { "flat:200", { "flat" }, 0x700 } },
	{ { "4x4", { "submesh", "flat" }, 0 },
	  { "2x2x6", { "semitorus-nep", "submesh" }, 0 },
	  { "flat:66", { "flat" }, 0 } },
	{ { "3x4", { "flat" }, 0x10 },
	  { "4x4x2", { "submesh", "flat" }, 0 },
	  { "flat:70", { "flat" }, 0x7 } },
	{ { "2x4x4x8", { "semitorus-ep" }, 0 } },
	{ { "2x2x2x6x2", { "semitorus-ep identify=largest convert=pair" }, 0 } },
	{ { "2x4x4x8", { "semitorus-nep identify=largest convert=pair" }, 0 } },
	{ { "2x4x4x8", { "semitorus-buddy" }, 0 } },
	{ { "7x8",
	    { "semitorus-buddy", "semitorus-ep", "semitorus-nep" },
	    0x1000200 } },
	{ { "4x4x4", { "submesh-tbl" }, 0 } },
	{ { "5x4x3:MTM", { "submesh-tbl", "submesh-bl", "flat" }, 0 } },
	{ { "4x4x4:MMM", { "submesh-bl" }, 0x20000001 } },
	{ { "4x6x3", { "submesh-tff", "submesh-ff" }, 0 } },
	{ { "4x3x4:TMM", { "submesh-ff" }, 0x2040 } },
	{ { "4x4:MT", { "submesh-ff", "submesh-tbl" }, 0 } },
	{ { "3x3:TM", { "submesh-tff" }, 0 } },
	{ { "4x4", { "submesh-bl", "submesh-tbl" }, 0 } },
	{ { "8x8", { "subtorus" }, 0 } },
	{ { "4x4", { "subtorus", "flat" }, 0 } },
	{ { "4x6x4:TMT", { "subtorus" }, 0x40100 } },
	{ { "8x8", { "subtorus link_disjoint=true" }, 0 } },
	{ { "4x4x4", { "subtorus max_dilation=1.25", "submesh" }, 0 } },
	{ { "2^7", { "subcube-buddy", "flat" }, 0 } },
	{ { "2^4", { "subcube-buddy", "submesh" }, 0x8 } },
	{ { "4x4x4", { "submesh", "submesh-tbl", "subtorus" }, 0 } },
	{ { NULL, { NULL }, 0 } },
};

/* For a strategy that no row names. */
static const char *const any_torus[] = {
	"4x4x4", "3x5x2:TMT", "8x8", "2^5", "flat:70", NULL,
};

bool machine_for_any(const struct torus_strategy *strategy, uint32_t k,
		     struct pod_text *pod)
{
	const struct torus_options none = { 0 };

	for (size_t i = 0; any_torus[i]; i++) {
		struct torus t;

		assert_int_equal(torus_parse(&t, any_torus[i], NULL), 0);
		if (torus_strategy_supports(strategy, &t, &none, NULL) ||
		    k-- > 0)
			continue;
		pod[0] = (struct pod_text){ any_torus[i], { strategy->name }, 0 };
		pod[1] = (struct pod_text){ 0 };
		return true;
	}
	return false;
}

static const struct torus_strategy *read_strategy(const char *text,
						  struct torus_options *options)
{
	char name[64];
	int used;

	*options = (struct torus_options){ 0 };
	assert_int_equal(sscanf(text, "%63s%n", name, &used), 1);
	text += used;
	while (sscanf(text, " %31[^=]=%63s%n", options->item[options->used].key,
		      options->item[options->used].value, &used) == 2) {
		options->used++;
		text += used;
	}
	return torus_strategy_find(name);
}

const struct torus_strategy *machine_strategy(const struct pod_text *pod)
{
	struct torus_options options;

	return read_strategy(pod->strategy[0], &options);
}

void machine_build(struct torus_machine *m, const struct pod_text *pod)
{
	*m = (struct torus_machine){ 0 };
	for (int p = 0; p < MOST_PODS && pod[p].torus; p++) {
		uint64_t present[MOST_WORDS] = { 0 };
		struct torus_options options;
		const struct torus_strategy *first =
			read_strategy(pod[p].strategy[0], &options);
		struct torus t;

		assert_int_equal(torus_parse(&t, pod[p].torus, NULL), 0);
		snprintf(t.name, sizeof(t.name), "pod%d", p);
		torus_bits_set_range(present, 0, t.nodes);
		present[0] &= ~pod[p].absent;
		assert_int_equal(torus_machine_add(m, &t,
						   pod[p].absent ? present :
								   NULL,
						   first, &options, NULL),
				 0);
		for (int i = 1; i < 3 && pod[p].strategy[i]; i++)
			assert_int_equal(torus_machine_allow(m, (uint32_t)p,
							     torus_strategy_find(
								     pod[p].strategy
									     [i]),
							     NULL),
					 0);
	}
	assert_true(m->words <= MOST_WORDS);
}
