#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How good are the start times that squeue --start gives? The same 200 jobs go
# through a cluster with sched/torus (easy) and through one with sched/backfill,
# both with select/torus. Of each job the first StartTime that squeue gave 2 s or
# later after its submission is compared with its real start. The tables say how
# many seconds the real start was after (+) or before (-) the one that was given.
# The jobs run for 3 to 13 s and may run for 1 to 3 minutes. In between 40 jobs wait for
# jobs that run on: all commands that tell a start say the same.
#
# Only with TORUS_TEST_LONG=1: ten minutes.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='starts that squeue --start gives, against the real ones'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
[ "${TORUS_TEST_LONG:-0}" != 0 ] || {
	skip_all='takes ten minutes; TORUS_TEST_LONG=1 runs it'
	test_done
}
jobs=${FORECAST_JOBS:-200}
MACHINE=4x4x2
sched_yaml '4, 4, 2' easy >torus.yaml

# make_load JOBS: a line per job: tenths of a second until the next one, seconds that it
# runs, minutes that it may run, options
make_load() {
	awk -v n="$1" 'BEGIN {
		srand(71)
		split("--geometry=1x1 --geometry=2x1 --geometry=2x2 --geometry=2x2x2 --geometry=4x2 " \
			"--geometry=4x2x2 --geometry=4x4 --geometry=4x4x2 --geometry=4x1 -N1 -N3 -N5", shape)
		while (n-- > 0)
			print int(1 + rand() * 9), int(3 + rand() * 11), int(1 + rand() * 3),
				shape[int(1 + rand() * 12)]
	}'
}

# sample FILE: once a second, the time and what squeue --start gives, until
# no file `going` is left
sample() {
	while [ -e going ]; do
		sample_now=$(date +%s)
		squeue -h --start -o "$sample_now %A %V %S" >>"$1"
		sleep 1
	done
}

# go NAME OPTION...: all jobs through a cluster of its own; their ids,
# submissions and starts go to NAME.real, what squeue gave to NAME.given
go() {
	go_name=$1
	shift
	cluster_start --nodes 32 --select torus --torus torus.yaml \
		--set MinJobAge=3600 "$@"
	one_forecast_of_a_queue || return 1
	go_before=$(squeue -h -t all -o %A | sort -n | tail -n 1)
	: >going
	: >"$go_name.given"
	sample "$go_name.given" &
	while read -r gap length limit shape; do
		run "$length" -t "$limit" "$shape" </dev/null >/dev/null || return 1
		sleep "$((gap / 10)).$((gap % 10))"
	done <load
	wait_for 900 squeue_is_empty || return 1
	rm going
	wait
	squeue -h -t all -o '%A %V %S' | awk -v before="$go_before" '$1 > before' >"$go_name.real"
	cluster stop --now && rm -rf "$CLUSTER_DIR"
	CLUSTER_DIR=
}

# one_forecast_of_a_queue: 40 jobs, of which those wait that have no place
one_forecast_of_a_queue() {
	make_load 40 | while read -r gap length limit shape; do
		submit -t $((limit * length)) "$shape" </dev/null >/dev/null || return 1
	done
	queue_ids=$(squeue -h -t PD -o %i | paste -sd ' ' -)
	# sched/backfill of 22.05 looks no further than to the first stretch without a free node
	# that is longer than the job's limit: those jobs have no time in squeue
	# shellcheck disable=SC2086
	wait_for 60 forecast_known $queue_ids || {
		[ "$go_name" = backfill ] &&
			queue_ids=$(squeue -h --start -o '%i %S' | awk '$2 != "N/A" { print $1 }' | paste -sd ' ' -)
	} && one_forecast $queue_ids && cancel_all && echo "$queue_ids" | wc -w >>queued
}

# errors NAME: real start minus the one given, in seconds, sorted; jobs that had
# started by then are left out, those without a time are "none"
errors() {
	awk '
	function clock(t) { gsub(/[-T:]/, " ", t); return mktime(t) }
	NR == FNR { real[$1] = clock($3); next }
	!($2 in seen) && $1 >= clock($3) + 2 {
		seen[$2] = 1
		print $4 == "N/A" ? "none" : real[$2] - clock($4)
	}' "$1.real" "$1.given" | sort -n >"$1.errors"
}

# table NAME: a row of the table
table() {
	grep -v none "$1.errors" >"$1.sorted"
	awk -v name="$1" -v none="$(grep -c none "$1.errors")" '
	function at(p) { return e[int(1 + p * (NR - 1) + 0.5)] }
	{ e[NR] = $1; early += $1 < -2; late += $1 > 2 }
	END {
		printf "# %-14s %4d waited 2 s, %d without a time; real start p10 %+d s, median %+d s, p90 %+d s; %d earlier, %d later by more than 2 s\n",
			name, NR + none, none, at(0.1), at(0.5), at(0.9), early, late
	}' "$1.sorted"
}

make_load "$jobs" >load

test_expect_success "$jobs jobs under sched/torus, easy" '
	go torus --sched torus && [ $(wc -l <torus.real) -eq $jobs ]
'
test_expect_success "the same jobs under sched/backfill" '
	go backfill --sched backfill &&
	[ $(wc -l <backfill.real) -eq $jobs ]
'
errors torus
errors backfill
table torus
table backfill
test_expect_success 'sched/torus gives a time for every job that waits' '
	[ $(wc -l <torus.errors) -ge $((jobs / 4)) ] &&
	! grep none torus.errors
'

test_done
