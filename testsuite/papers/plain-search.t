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

# compare TITLE TRACE MACHINE OPTION...
compare()
{
	title=$1 jobs=$2
	shift 2
	"$storus" replay --torus "$@" --schedule "$work/fast.csv" "$jobs" \
		>"$work/said" 2>&1 &&
		"$plain" replay --torus "$@" --schedule "$work/plain.csv" \
			"$jobs" >"$work/said" 2>&1 &&
		[ "$(wc -l <"$work/fast.csv")" -gt 10000 ] &&
		cmp "$work/fast.csv" "$work/plain.csv" >"$work/said" 2>&1
	tap_result $? "$title" "$(cat "$work/said")"
}

# same NAME MACHINE OPTION...: a log's node counts
same()
{
	name=$1
	shift
	compare "$name $*" "$traces/$name-cln.swf.gz" "$@"
}

# shaped NAME MACHINE OPTION...: a log's jobs with shapes, four times as dense
shaped()
{
	name=$1
	shift
	"$storus" generate --from "$traces/$name-cln.swf.gz" --torus "$1" \
		--shapes weighted --seed 1 >"$work/shaped.csv" 2>/dev/null
	compare "$name $* with shapes" "$work/shaped.csv" "$@" --load-scale 4
}

# every MACHINE TIMES OPTION...: all logs, and those of machines of at most 512
# nodes scaled to TIMES as many
every()
{
	machine=$1 times=$2
	shift 2
	same SDSC-SP2-1998-4.2 "$machine" --scale "$((4 * times))" "$@"
	same CTC-SP2-1996-3.1 "$machine" --scale "$times" "$@"
	same KTH-SP2-1996-2.1 "$machine" --scale "$((5 * times))" "$@"
	same NASA-iPSC-1993-3.1 "$machine" --scale "$((4 * times))" "$@"
	for log in SDSC-SP2-1998-4.2 CTC-SP2-1996-3.1 KTH-SP2-1996-2.1 \
		NASA-iPSC-1993-3.1 LANL-CM5-1994-4.1; do
		shaped $log "$machine" "$@"
	done
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
