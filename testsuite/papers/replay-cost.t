#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a replay of the SDSC-SP2 log costs with conservative, against easy in
# the same run: 9 times on a quiet machine since it reserves counts as the textbook
# does (`make bench` measures it), 14 times is wrong whatever else the machine does. User time, by the shell's `times`.

# shellcheck source=testsuite/papers/lib-traces.sh
. "$(dirname "$0")/lib-traces.sh"
need_trace SDSC-SP2-1998-4.2

# Seconds that N replays with a discipline take. The second line of `times` is
# about the children.
seconds()
{
	(
		for i in $(seq "$2"); do
			"$storus" replay --torus flat:128 --discipline "$1" \
				"$trace" >/dev/null || exit 1
		done
		times
	) | awk 'NR == 2 { split($1, t, "[ms]"); print t[1] * 60 + t[2] }'
}

easy=$(seconds easy 8)
conservative=$(seconds conservative 2)
echo "$conservative $easy" | awk '{ exit !($1 / 2 <= 14 * $2 / 8) }'
tap_result $? "conservative: 2 replays $conservative s, easy: 8 $easy s"
tap_done
