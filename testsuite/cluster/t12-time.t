#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# When a shape will start: squeue --start and sbatch --test-only tell the truth,
# nodes included.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='start times: squeue --start and sbatch --test-only'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x2x2
torus_yaml '4, 2, 2' >torus.yaml
cluster_start --nodes 16 --select torus --torus torus.yaml

# seconds TIME: 2026-11-21T12:00:00 in seconds
seconds() {
	date -d "$1" +%s
}

# near A B: times at most 3 seconds apart (backfill looks ahead from its own now)
near() {
	near_gap=$(($(seconds "$1") - $(seconds "$2")))
	[ "${near_gap#-}" -le 3 ] || {
		echo "$1 is not near $2"
		return 1
	}
}

# test_only OPTION...: sets test_time and test_nodes from sbatch --test-only
test_only() {
	sbatch --test-only --wrap true "$@" >test_only.out 2>&1
	cat test_only.out
	test_time=$(sed -n "s/.* to start at \([^ ]*\) .*/\1/p" test_only.out)
	test_nodes=$(sed -n "s/.* on nodes \([^ ]*\) .*/\1/p" test_only.out)
	[ -n "$test_time" ] && [ -n "$test_nodes" ]
}

start_is_known() {
	start_time=$(squeue -h --start -j "$1" -o %S)
	[ -n "$start_time" ] && [ "$start_time" != N/A ]
}

test_expect_success '--test-only on the idle machine: now, a box' '
	test_only --geometry=2x2x2 -t 1 &&
	near "$test_time" now &&
	expand_nodes "$test_nodes" | box_extent $MACHINE | grep -x 2x2x2 &&
	test_only --no-rotate --geometry=1x2x2 -t 1 &&
	expand_nodes "$test_nodes" | box_extent $MACHINE | grep -x 1x2x2
'

test_expect_success 'three jobs leave room for no 2x2x2' '
	# layers z=0 (until +10 min), and of z=1 the half x 0..1 (until +5 min)
	a=$(submit --geometry=4x2x1 --no-rotate -t 10 -w node00) &&
	wait_state $a RUNNING &&
	assert_box $a 4x2x1 exactly &&
	b=$(submit --geometry=2x2x1 --no-rotate -t 5 --exclude=node[10-11,14-15]) &&
	wait_state $b RUNNING &&
	assert_box $b 2x2x1 exactly &&
	a_end=$(job_field $a EndTime) &&
	b_end=$(job_field $b EndTime)
'

test_expect_success '--test-only: a shape that fits starts now' '
	test_only --geometry=2x2 -t 1 &&
	near "$test_time" now &&
	expand_nodes "$test_nodes" | paste -sd, | grep -x node10,node11,node14,node15
'

test_expect_success '--test-only: a shape that waits for one end' '
	test_only --geometry=4x2 -t 1 &&
	near "$test_time" "$b_end" &&
	expand_nodes "$test_nodes" | box_extent $MACHINE | grep -x 4x2x1
'

test_expect_success '--test-only: a shape that enough free nodes do not help' '
	# at b_end eight nodes are free, but no 2x2x2 before a_end
	test_only --geometry=2x2x2 -t 1 &&
	near "$test_time" "$a_end" &&
	expand_nodes "$test_nodes" | box_extent $MACHINE | grep -x 2x2x2 &&
	test_only --geometry=4x2x2 -t 1 &&
	near "$test_time" "$a_end"
'

test_expect_success 'squeue --start prints the same for a waiting job' '
	id=$(submit --geometry=2x2x2 -t 1) &&
	wait_for 15 start_is_known $id &&
	near "$start_time" "$a_end" &&
	expand_nodes "$(squeue -h --start -j $id -o %Y)" >planned &&
	box_extent $MACHINE <planned | grep -x 2x2x2
'

test_expect_success 'and the reason is true: the job starts at that end' '
	stays_state $id PENDING 2 &&
	cancel $a &&
	wait_state $id RUNNING &&
	assert_box $id 2x2x2 &&
	cancel_all
'

test_expect_success 'a job without a shape has a start time, too' '
	a=$(submit --geometry=4x2x1 -t 3) &&
	wait_state $a RUNNING &&
	test_only -N 12 -t 1 &&
	near "$test_time" "$(job_field $a EndTime)" &&
	test_only -N 8 -t 1 &&
	near "$test_time" now &&
	cancel_all
'

test_expect_success '--test-only leaves no job' '
	[ -z "$(squeue -h)" ] &&
	[ "$(sinfo -h -N -o %T | sort -u)" = idle ] &&
	id=$(submit --geometry=4x2x2) &&
	wait_state $id RUNNING &&
	cancel_all
'

test_done
