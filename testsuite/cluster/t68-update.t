#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# storus update: a waiting job gets another shape, checked as at submission, and
# only by its owner or an operator.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='storus update: another shape for a waiting job'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 4, 2' easy
cp "$top_builddir/storus" "$CLUSTER_DIR/storus"
storus=$CLUSTER_DIR/storus
prereq_root

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# running_are ID N: so many tasks of the array run
running_are() {
	[ "$(squeue -h -r -t R -j "$1" | wc -l)" -eq "$2" ]
}

# asks ID TEXT: what AdminComment says that the job asks for
asks() {
	[ "$(scontrol show job "$1" |
		sed -n 's/^ *AdminComment=torus:ask=\([^ ]*\).*/\1/p')" = "$2" ]
}

test_expect_success 'a smaller shape starts at once, with its node and task counts' '
	a=$(submit --geometry=4x4x1 -t5) && wait_state $a RUNNING &&
	b=$(submit --geometry=4x4x2 -t5 --comment "mine; stays") &&
	stays_state $b PENDING 2 &&
	"$storus" update $b --geometry=4x4x2 --conn-type=torus &&
	asks $b "4x4x2;conn-type=torus" &&
	"$storus" update $b --geometry=4x2 --conn-type=mesh &&
	wait_state $b RUNNING &&
	assert_box $b 4x2x1 && assert_disjoint $a $b &&
	[ $(job_field $b NumNodes) -eq 8 ] &&
	[ $(job_field $b NumTasks) -eq 8 ] &&
	scontrol show job $b | grep -F "Comment=mine; stays" &&
	asks $b "4x2;conn-type=mesh" &&
	[ $(scontrol show job $b | grep -c "torus:ask") -eq 1 ]
'

test_expect_success 'a running job is refused' '
	test_expect_code 1 "$storus" update $b --geometry=2x2 2>err && cat err &&
	grep "job $b is RUNNING" err &&
	asks $b "4x2;conn-type=mesh" &&
	test_must_fail scontrol update JobId=$b "Comment=torus:update=1;geometry=2x2" &&
	scontrol show job $b | grep -F "Comment=mine; stays"
'

test_expect_success 'refused as at submission, and nothing changes' '
	c=$(submit --geometry=4x4x2 -t5) && stays_state $c PENDING 1 &&
	test_expect_code 2 "$storus" update $c --geometry=4xx2 2>err && cat err &&
	grep "extent is missing" err &&
	test_expect_code 1 "$storus" update $c --geometry=8x8x8 2>err && cat err &&
	test_expect_code 2 "$storus" update $c 2>err &&
	test_expect_code 2 "$storus" update x --geometry=2x2 2>err &&
	test_expect_code 1 "$storus" update 99999 --geometry=2x2 2>err && cat err &&
	for text in "1;geometry=8x8x8" "1;geometry=4xx2" "2;geometry=2x2" \
		"1;geometry=2x2;NumNodes=1" "1" "" "1;geometry=2x2;placement=nobody"; do
		test_must_fail scontrol update JobId=$c "Comment=torus:update=$text" || return 1
	done &&
	asks $c 4x4x2 &&
	[ "$(job_field $c Comment)" = "" ] &&
	[ "$(squeue -h -j $c -o %D)" -eq 32 ] &&
	mark_lines=0 && logged "update of .*refused: .*8x8x8"
'

test_expect_success 'a job without a shape is refused' '
	d=$(submit -N32 -t5) && stays_state $d PENDING 1 &&
	test_expect_code 1 "$storus" update $d --geometry=2x2
'

test_expect_success ROOT 'another user is refused' '
	chmod a+x "$CLUSTER_DIR" "$CLUSTER_DIR/munge" &&
	as_nobody squeue -h -j $c &&
	test_expect_code 1 as_nobody "$storus" update $c --geometry=2x2 2>err && cat err &&
	test_must_fail as_nobody scontrol update JobId=$c "Comment=torus:update=1;geometry=2x2" &&
	asks $c 4x4x2 && stays_state $c PENDING 1
'

test_expect_success 'the new shape outlives a restart of slurmctld' '
	"$storus" update $c --geometry=4x4x2,4x4@1h &&
	sleep 6 && cluster restart-ctld && cluster wait &&
	asks $c "4x4x2,4x4@1h" && stays_state $c PENDING 1 &&
	"$storus" update $c --geometry=4x2 && wait_state $c RUNNING &&
	assert_box $c 4x2x1
'

test_expect_success 'a whole array: running tasks keep their shape' '
	cancel_all &&
	e=$(submit --array=1-4 --geometry=4x2x2 -t5) &&
	wait_for 20 running_are $e 2 &&
	"$storus" update $e --geometry=2x2 &&
	scancel ${e}_1 && wait_for 20 running_are $e 3 &&
	squeue -h -r -j $e -o "%i %D" | sort >sizes && cat sizes &&
	grep "_2 16" sizes && grep "_3 4" sizes && grep "_4 4" sizes &&
	cancel_all
'

# cpus_refused ID TEXT WORDS: scontrol update NumCPUs=TEXT is refused, with these words in the log
cpus_refused() {
	mark
	test_must_fail scontrol update JobId="$1" NumCPUs="$2" && logged "update of JobId=$1 refused: .*$3"
}

test_expect_success 'NumCPUs of a waiting shape: no fewer than its nodes; of a ladder none' '
	f=$(submit --geometry=4x2 -t5 -H) && g=$(submit --geometry=4x2,2x2 -t5 -H) &&
	cpus_refused $f 1 "storus update $f --geometry=SHAPE" &&
	cpus_refused $f 7 "the 8 nodes of --geometry=4x2" &&
	cpus_refused $f 1-1 "NumCPUs=1" &&
	cpus_refused $g 16 "change NumTasks" &&
	scontrol update JobId=$f NumCPUs=8 && scontrol update JobId=$g NumCPUs=8 &&
	[ $(job_field $f NumCPUs) -eq 8 ] && scontrol release $f && wait_state $f RUNNING &&
	assert_box $f 4x2x1 && cancel_all
'
test_done
