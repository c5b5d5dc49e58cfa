#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# EASY with other orders of queue and backfilling and a bound of 20 h, against results
# that independent implementations agree on: three logs on flat machines.

# shellcheck source=testsuite/papers/lib-traces.sh
. "$(dirname "$0")/lib-traces.sh"

# reference LOG NODES ORDER MEAN_WAIT MEAN_BOUNDED_SLOWDOWN
reference()
{
	need_trace "$1"
	got=$("$storus" replay --torus "flat:$2" --option queue_order="$3" \
		--option backfill_order="$3" --option bound=20h --json \
		"$trace" | awk -F '[:,]' '
		/"mean_wait_s"/ { wait = $2 }
		/"mean_bounded_slowdown"/ { slowdown = $2 }
		END { printf "%.0f %.1f\n", wait, slowdown }')
	[ "$got" = "$4 $5" ]
	tap_result $? "$1, easy by $3: $got" "expected $4 $5"
}
reference SDSC-SP2-1998-4.2 128 sjf 20668 78.0
reference KTH-SP2-1996-2.1 100 sjf 5440 53.9
reference CTC-SP2-1996-3.1 338 sjf 12627 36.7
reference SDSC-SP2-1998-4.2 128 saf 21499 87.7
reference KTH-SP2-1996-2.1 100 saf 5372 52.4
reference CTC-SP2-1996-3.1 338 saf 11898 31.0
tap_done
