#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench-growth.sh - what a replay costs against the size of the machine, the
# length of the queue and the number of jobs, beside the plain search, and a
# sweep against the number of processes; what a search costs beside the plain
# one, prefix sums and a busy list; or which costs of replays differ between two
# builds.
#
# usage: bench-growth.sh              a page of the costs of ./storus
#        bench-growth.sh OLD NEW      two builds' storus, in turns
#
# User time, in seconds: for one build the least of ROUNDS runs (3), for two the
# median of the ratios new / old of ROUNDS pairs (7). A cost has moved if every
# pair's ratio is beyond LIMIT per cent (3) on the same side.
#
# Checked: each build starts every job, and both builds give the same schedule.
# Exit status: 0, or 1 if a cost got worse or a schedule differs.

set -eu
TIMEFORMAT=%U
old=${top_builddir:-.}/storus new=
plain=${top_builddir:-.}/testsuite/papers/storus_plain
[ $# = 0 ] || { old=$1 new=${2:?usage: bench-growth.sh [OLD NEW]}; }
rounds=${ROUNDS:-$([ -n "$new" ] && echo 7 || echo 3)}
limit=${LIMIT:-3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
worse=0

# user COMMAND...: its user time.
user() {
	{ time "$@" >/dev/null 2>"$tmp/err"; } 2>&1 || { cat "$tmp/err" >&2; exit 1; }
}

# check STORUS JOBS FILE ARGUMENT...: write the schedule; every job is in it.
check() {
	local storus=$1 jobs=$2 file=$3
	shift 3
	"$storus" replay "$@" --schedule "$file" >/dev/null
	[ "$(grep -c '^[0-9]' "$file")" = "$jobs" ] ||
		{ echo "$storus replay $*: jobs are missing" >&2; exit 1; }
}

# page NAME STORUS ARGUMENT...: one row of one build.
page() {
	local name=$1 storus=$2
	shift 2
	for ((i = 0; i < rounds; i++)); do user "$storus" replay "$@"; done |
		sort -n | awk -v name="$name" \
			'NR == 1 { printf "| %s | %.2f |\n", name, $1 }'
}

# compare NAME ARGUMENT...: one row of two builds.
compare() {
	local name=$1
	shift
	cmp -s "$tmp/old" "$tmp/new" ||
		{ echo "$name: the schedules differ" >&2; worse=1; }
	for ((i = 0; i < rounds; i++)); do
		echo "$(user "$old" replay "$@") $(user "$new" replay "$@")"
	done | awk '{ print ($1 > 0 ? $2 / $1 : 1), $0 }' | sort -n |
		awk -v name="$name" -v limit="$limit" '
		{ ratio[NR] = $1; before[NR] = $2; after[NR] = $3 }
		END { m = int((NR + 1) / 2); verdict = "same"
		      if (ratio[1] > 1 + limit / 100) verdict = "worse"
		      if (ratio[NR] < 1 - limit / 100) verdict = "better"
		      printf "| %s | %.2f | %.2f | %.2f (%.2f to %.2f) | %s |\n",
			name, before[m], after[m], ratio[m], ratio[1],
			ratio[NR], verdict }' | tee "$tmp/row"
	! grep -q '| worse |$' "$tmp/row" || worse=1
}

# cost NAME MACHINE JOBS LOAD ARGUMENT...: a replay of jobs for the machine.
cost() {
	local name=$1 machine=$2 jobs=$3 load=$4 trace="$tmp/$2-$3-$4.csv" shapes=
	shift 4
	case $machine in flat:*) ;; *) shapes="--shapes weighted" ;; esac
	# shellcheck disable=SC2086
	[ -e "$trace" ] || "$old" generate lublin --jobs "$jobs" --load "$load" \
		--seed 3 $shapes --torus "$machine" >"$trace" 2>"$tmp/err"
	set -- "$trace" --torus "$machine" --discipline easy "$@"
	check "$old" "$jobs" "$tmp/old" "$@"
	[ -z "$new" ] || check "$new" "$jobs" "$tmp/new" "$@"
	if [ -n "$new" ]; then
		compare "$name" "$@"
		return
	fi
	page "$name" "$old" "$@"
	case $name in *" submesh, 4,000 jobs")
		check "$plain" "$jobs" "$tmp/plain" "$@"
		cmp -s "$tmp/old" "$tmp/plain" ||
			{ echo "$name: the schedules differ" >&2; worse=1; }
		page "$name, the plain search" "$plain" "$@" ;;
	esac
}

# searches FILE TITLE: microseconds of a search that fails and of one that fits.
searches() {
	printf '\n| %s | submesh | score off | busy list (TBL) | prefix sums |\n' "$2"
	printf '| --- | --- | --- | --- | --- |\n'
	awk 'function us(fails, fits) {
		if ($fails == "-" && $fits == "-") return ""
		return sprintf("%s, %s",
			$fails == "-" ? "-" : sprintf("%.2f", $fails / 1000),
			$fits == "-" ? "-" : sprintf("%.2f", $fits / 1000)) }
		!/^#/ { printf "| %s | %s | %s | %s | %s |\n", $1, us(4, 10),
			us(2, 8), us(5, 11), us(7, 13) }' "$1"
}

# sweeps: the least time by the clock of a sweep of 40 cells, by its number of
# processes. Every cell is there.
sweeps() {
	local TIMEFORMAT=%R cells
	cat >"$tmp/sweep.yaml" <<-YAML
	traces: [{model: lublin, jobs: 20000, load: 0.7}]
	machines: [flat:256]
	seeds: 1-40
	YAML
	printf '\n| sweep of 40 cells, %s processors | seconds by the clock |\n' \
		"$(getconf _NPROCESSORS_ONLN)"
	printf '| --- | --- |\n'
	for workers in 1 2 4; do
		for ((i = 0; i < rounds; i++)); do
			rm -f "$tmp/sweep.db"
			user "$old" sweep "$tmp/sweep.yaml" --workers $workers
		done | sort -n | awk -v name="$workers processes" \
			'NR == 1 { printf "| %s | %.2f |\n", name, $1 }'
		cells=$(sqlite3 "$tmp/sweep.db" "select count(*) from cells")
		[ "$cells" = 40 ] || { echo "cells are missing" >&2; exit 1; }
	done
}

if [ -n "$new" ]; then
	printf '| replay of lublin, EASY | old | new | new / old | |\n'
	printf '| --- | --- | --- | --- | --- |\n'
else
	printf '%s\n\n' "$("$old" --version | head -1), user seconds"
	printf '| replay of lublin, EASY | |\n| --- | --- |\n'
fi
for machine in 8x8x8 16x16x16 32x32x32; do
	for strategy in submesh subtorus submesh-tbl; do
		cost "$machine $strategy, 4,000 jobs" $machine 4000 0.9 \
			--strategy $strategy
	done
done
for nodes in 128 4096 65536; do
	cost "flat:$nodes, 100,000 jobs" flat:$nodes 100000 0.7
done
for jobs in 25000 400000; do
	cost "flat:128, $jobs jobs" flat:128 $jobs 0.7
done
for load in 0.5 0.9 1.5; do # the higher, the longer the queue
	cost "8x8x8 submesh, 20,000 jobs, load $load" 8x8x8 20000 $load
done
cost "8x8x8 conservative, 4,000 jobs" 8x8x8 4000 0.9 --discipline conservative
for jobs in 1000 4000 16000; do # a thousand times the load: all come at once
	for machine in flat:512 8x8x8; do
		cost "$machine, a queue of $jobs jobs" $machine $jobs 0.9 \
			--load-scale 1000
	done
done
if [ -z "$new" ]; then
	sweeps
	"${top_builddir:-.}/bench_strategies" "$tmp" >"$tmp/said" ||
		{ cat "$tmp/said" >&2; exit 1; }
	searches "$tmp/size.dat" "us of a search that fails, that fits; nodes"
	searches "$tmp/jobs.dat" "8x8x8; jobs"
fi
exit $worse
