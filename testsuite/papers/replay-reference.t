#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus replay against results that independent implementations agree on: the
# SDSC-SP2 log on a flat machine of 128 nodes.

# shellcheck source=testsuite/papers/lib-traces.sh
. "$(dirname "$0")/lib-traces.sh"
need_trace SDSC-SP2-1998-4.2

# reference DISCIPLINE MEAN_WAIT MEAN_BOUNDED_SLOWDOWN LAST_END, to the digits
# given (the slowdown as %.2f or %.3f).
reference()
{
	got=$("$storus" replay --torus flat:128 --discipline "$1" --json \
		"$trace" | awk -F '[:,]' '
		/"kept"/ { kept = $2 }
		/"skipped"/ { skipped = $2 }
		/"mean_wait_s"/ { wait = $2 }
		/"mean_bounded_slowdown"/ { slowdown = $2 }
		/"last_end_s"/ { end = $2 }
		END {
			printf "%d %d %.2f '"$3"' %d\n",
				kept, skipped, wait, slowdown, end
		}')
	want="54034 5681 $2 $4 $5"
	[ "$got" = "$want" ]
	tap_result $? "SDSC-SP2, $1: $got" "expected $want"
}
reference fcfs 1551989.43 %.2f 13993.26 68440542
reference easy 21183.67 %.3f 92.629 63025400
tap_done
