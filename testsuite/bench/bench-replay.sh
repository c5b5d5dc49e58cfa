#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# storus replay end to end, no schedule written, beside `gzip -dc TRACE | wc
# -l` in the same run: ten repeats of each, taken in turn; the least processor
# time of each, their ratio, jobs per second of it, and whether the answers are
# right; and conservative beside easy in the same way. The logs are looked for
# in $TORUS_TRACES; without them there is nothing to measure.
top_srcdir=${top_srcdir:-%top_srcdir%} # filled in by make
traces=${TORUS_TRACES:-$top_srcdir/../shared/traces}
storus=${top_builddir:-.}/storus
repeats=${REPEATS:-10}
wrong=0

work=$(mktemp -d "${TMPDIR:-/tmp}/torus-bench-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# measure FILE COMMAND...: its processor time, user and system seconds, as a
# line of FILE.
TIMEFORMAT='%3U %3S'
measure()
{
	local file=$1
	shift
	{ time "$@" >"$work/output" 2>&1 || wrong=1; } 2>>"$file"
}

# least FILE: in milliseconds.
least()
{
	awk '{ t = ($1 + $2) * 1000 } NR == 1 || t < best { best = t }
		END { printf "%.1f", best }' "$1"
}

count_lines()
{
	gzip -dc "$1" | wc -l
}

# bench NAME FACTOR KEPT MEAN_WAIT OPTION...: FACTOR is the most that the
# project allows itself; MEAN_WAIT - is not checked.
bench()
{
	local trace=$traces/$1.swf.gz name=$1 factor=$2 kept=$3 wait=$4
	local i gzip took got verdict
	shift 4
	if [ ! -r "$trace" ]; then
		echo "$name: skipped, there is no $trace"
		return
	fi
	rm -f "$work"/*.times
	i=0
	while [ "$i" -lt "$repeats" ]; do
		measure "$work/gzip.times" count_lines "$trace"
		measure "$work/storus.times" "$storus" replay "$@" --json \
			"$trace"
		i=$((i + 1))
	done
	got=$(awk -F '[:,]' '/"kept"/ { k = $2 } /"mean_wait_s"/ { w = $2 }
		END { printf "%d %.2f", k, w }' "$work/output")
	case $got in
	"$kept $wait") verdict=right ;;
	"$kept "*) [ "$wait" = - ] && verdict="not checked" || verdict=WRONG ;;
	*) verdict=WRONG ;;
	esac
	[ "$verdict" != WRONG ] || wrong=1
	gzip=$(least "$work/gzip.times") took=$(least "$work/storus.times")
	echo "$name $*: $(echo "$took $gzip $kept $factor" | awk '{
		printf "%.1f ms, gzip|wc %.1f ms, ratio %.2f (at most %d), " \
		"%.0f jobs/s", $1, $2, $1 / $2, $4, $3 / $1 * 1000 }'), $verdict"
}

# compare NAME FACTOR OPTION...: conservative beside easy, FACTOR times as long
# at most.
compare()
{
	local trace=$traces/$1.swf.gz name=$1 factor=$2 i easy took discipline
	shift 2
	[ -r "$trace" ] || return
	rm -f "$work"/*.times
	i=0
	while [ "$i" -lt "$repeats" ]; do
		for discipline in easy conservative; do
			measure "$work/$discipline.times" "$storus" replay \
				"$@" --discipline "$discipline" "$trace"
		done
		i=$((i + 1))
	done
	easy=$(least "$work/easy.times") took=$(least "$work/conservative.times")
	echo "$name $*: conservative $(echo "$took $easy $factor" | awk '{
		printf "%.1f ms, easy %.1f ms, ratio %.2f (at most %d)", $1,
			$2, $1 / $2, $3 }')"
}

bench SDSC-SP2-1998-4.2-cln 3 54034 1551989.43 \
	--torus flat:128 --discipline fcfs
bench SDSC-SP2-1998-4.2-cln 3 54034 21183.67 \
	--torus flat:128 --discipline easy
bench LANL-CM5-1994-4.1-cln 12 122055 - \
	--torus 8x8x16 --discipline easy
compare SDSC-SP2-1998-4.2-cln 6 --torus flat:128
compare LANL-CM5-1994-4.1-cln 5 --torus 8x8x16
exit "$wrong"
