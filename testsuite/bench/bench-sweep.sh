#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench-sweep.sh - what a campaign costs beyond its replays: how busy the cores
# are with cells of tenths of a second, and the cost per cell with tiny ones.
#
# usage: bench-sweep.sh [WORKERS]     (initially one per core)
#
# Busy is the sum of the cells' wall times over workers x wall time. Checked:
# every cell is there once.

set -eu
storus=${top_builddir:-.}/storus
workers=${1:-$(getconf _NPROCESSORS_ONLN)}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

now() { date +%s.%N; }

# run NAME CELLS JOBS
run() {
	cat >"$tmp/$1.yaml" <<-YAML
	traces: [{model: aida-uniform, jobs: $3, load: 0.7}]
	machines: [flat:256]
	seeds: 1-$2
	YAML
	begin=$(now)
	"$storus" sweep "$tmp/$1.yaml" --workers "$workers" >/dev/null 2>&1
	end=$(now)
	sqlite3 "$tmp/$1.db" "select count(*), count(distinct key),
		sum(summary ->> 'replay_wall_s') from cells" |
		awk -F'|' -v name="$1" -v n="$2" -v k="$workers" \
		    -v wall="$(echo "$end $begin" | awk '{ print $1 - $2 }')" '
		$1 != n || $2 != n { print "cells are missing"; exit 1 }
		{ printf "%-6s %5d cells  wall %6.2f s  busy %5.1f %%  own cost %.2f ms per cell\n",
		  name, n, wall, 100 * $3 / (k * wall), 1000 * (k * wall - $3) / n }'
}

run large 60 150000
run tiny 2000 20
