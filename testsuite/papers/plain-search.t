#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Replays of all logs with the search that knows what changed, beside those of
# the plain search (storus_plain.c): the same schedules, byte for byte. Machines
# have 512 nodes or more, since smaller ones have no list of free boxes; logs of
# smaller machines are scaled. TORUS_TEST_LONG: conservative as well, larger
# machines and other shapes.

# shellcheck source=testsuite/papers/lib-traces.sh
. "$(dirname "$0")/lib-traces.sh"
plain=${top_builddir:-.}/testsuite/papers/storus_plain
[ -d "$traces" ] || skip_all "no $traces"
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-plain-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# same NAME MACHINE OPTION...
same()
{
	trace=$traces/$1-cln.swf.gz name="$*"
	shift
	"$storus" replay --torus "$@" --schedule "$work/fast.csv" "$trace" \
		>"$work/said" 2>&1 &&
		"$plain" replay --torus "$@" --schedule "$work/plain.csv" \
			"$trace" >"$work/said" 2>&1 &&
		[ "$(wc -l <"$work/fast.csv")" -gt 10000 ] &&
		cmp "$work/fast.csv" "$work/plain.csv" >"$work/said" 2>&1
	tap_result $? "$name" "$(cat "$work/said")"
}

# every MACHINE TIMES OPTION...: all logs, scaled to TIMES 512 nodes. (NASA has
# 128 nodes, KTH 100, SDSC 128, CTC 430, LANL 1,024.)
every()
{
	machine=$1 times=$2
	shift 2
	same SDSC-SP2-1998-4.2 "$machine" --scale "$((4 * times))" "$@"
	same CTC-SP2-1996-3.1 "$machine" --scale "$times" "$@"
	same KTH-SP2-1996-2.1 "$machine" --scale "$((5 * times))" "$@"
	same NASA-iPSC-1993-3.1 "$machine" --scale "$((4 * times))" "$@"
}

every 8x8x8 1 --discipline easy
same LANL-CM5-1994-4.1 8x8x16 --discipline easy
same LANL-CM5-1994-4.1 8x8x16:MMM --discipline easy
if [ "${TORUS_TEST_LONG:-0}" != 0 ]; then
	every 8x8x8:MMM 1 --discipline easy
	every 4x4x4x8:TMTM 1 --discipline easy
	every 2x2x2x2x2x4x4x2 1 --discipline fpfs
	every 24x20x9:TMT 8 --discipline easy
	every 8x8x8 1 --discipline conservative
	same LANL-CM5-1994-4.1 16x16x16 --scale 4 --discipline easy
	same LANL-CM5-1994-4.1 8x8x16 --discipline conservative
	same LANL-CM5-1994-4.1 4x4x8x8:MTMT --discipline easy
fi
tap_done
