#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench-questions.sh - processor time of whole commands: storus what-if and storus
# metrics, with 10,000 and 12,500 jobs that wait. Goals: 2 s and 0.1 s.
#
# Checked: what-if has a row of each job; in metrics the nodes by state are all nodes,
# the reasons all waiting jobs, and the causes of idle nodes what no job holds.

set -eu
storus=${top_builddir:-.}/storus
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
TIMEFORMAT=%U+%S

# seconds FILE COMMAND...: its processor time, its output in the file
seconds() {
	file=$1
	shift
	{ time "$@" >"$file"; } 2>&1 | tail -n 1 | awk -F+ '{ printf "%.3f", $1 + $2 }'
}

for machine in 8x8x8 16x16x16 32x32x32 64x32x32; do
	for jobs in 10000 12500; do
		"${top_builddir:-.}/bench_what_if" $machine $jobs "$tmp/snap"
		what_if=$(seconds "$tmp/rows" "$storus" what-if --snapshot "$tmp/snap" --noheader)
		metrics=$(seconds "$tmp/prom" "$storus" metrics --snapshot "$tmp/snap")
		[ "$(wc -l <"$tmp/rows")" = $jobs ] || { echo "rows are missing"; exit 1; }
		awk -v jobs=$jobs -v nodes=$((${machine//x/*})) '
			/^torus_nodes/ { all += $2; if (/"idle"|"reserved"|"out"/) idle += $2 }
			/^torus_jobs_pending\{/ { pending += $2 }
			/^torus_idle_nodes/ { causes += $2 }
			END { exit all != nodes || pending != jobs || causes != idle }' "$tmp/prom" ||
			{ echo "wrong metrics"; exit 1; }
		printf '%-9s %5d jobs: what-if %s s (goal 2), metrics %s s (goal 0.1)\n' \
			$machine $jobs "$what_if" "$metrics"
	done
done
