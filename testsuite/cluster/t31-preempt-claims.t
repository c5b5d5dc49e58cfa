#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus: nodes that are being cleared for one job are not cleared for another, nor
# counted on by jobs that wait.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: two jobs that preempt, and what waits behind them'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
# shellcheck source=testsuite/cluster/lib-preempt.sh
. "$cluster_lib/lib-preempt.sh"
skip_without_plugins torus
MACHINE=4x4
preempt_start torus torus 8

# fill: four jobs of 2x2 in the lowest tier, whose ids are in file `lo`
fill() {
	cancel_all || return 1
	# shellcheck disable=SC2094  # the option is no file
	for fill_i in 1 2 3 4; do
		submit -p lo --geometry=2x2 -t 30 || return 1
	done >lo &&
		wait_state "$(tail -n 1 lo)" RUNNING 30
}
# count_lo COMMAND...: for how many of them is it true?
count_lo() {
	count=0
	while read -r count_id; do
		"$@" "$count_id" </dev/null && count=$((count + 1))
	done <lo
	echo $count
}
is_running() {
	[ "$(job_state "$1")" = RUNNING ]
}
# running_tasks N: of the array $a, these many run
running_tasks() {
	[ "$(squeue -h -r -t R -j "$a" -o %i | wc -l)" = "$1" ]
}

test_expect_success 'the second job that preempts leaves the claimed nodes, and their victims, alone' '
	fill && a=$(submit -p hi --geometry=4x2 -t 1) && sleep 2 &&
	[ "$(count_lo has_preempted)" = 2 ] &&
	b=$(submit -p hi --geometry=4x4 -t 1) && small=$(submit -p lo --geometry=1x1 -t 1) &&
	wait_state $a RUNNING 70 && assert_box $a 4x2 &&
	[ "$(count_lo has_preempted) $(job_state $b)" = "2 PENDING" ] &&
	[ "$(count_lo is_running)" = 2 ]
'

test_expect_success 'what waits for claimed nodes expects them after the job that they are cleared for' '
	fill && a=$(submit -p hi --geometry=4x4 -t 10) &&
	w=$(submit -p lo --geometry=1x1 -t 1) && sleep 4 &&
	[ "$(job_state $a)" = PENDING ] && reason_is $a "jobs on 16 nodes are being preempted for it" &&
	near "$(squeue -h --start -j $a -o %S)" "$(date +%FT%T)" 8 && promised $w &&
	[ $(($(seconds "$start_time") - $(date +%s))) -ge 500 ] &&
	wait_state $a RUNNING 70 && sleep 2 && promised $w &&
	[ $(($(seconds "$start_time") - $(date +%s))) -ge 500 ] && cancel_all
'

test_expect_success 'a job preempts behind a dozen that can preempt nobody' '
	fill && for i in 1 2 3 4 5 6 7 8 9 10 11 12; do submit -p lo --geometry=2x2 -t 1 || return 1; done &&
	a=$(submit -p hi --geometry=2x2 -t 1) && sleep 3 && [ "$(count_lo has_preempted)" = 1 ] &&
	wait_state $a RUNNING 70 && cancel_all
'

test_expect_success 'two that preempt at a time get a half each, without another victim' '
	fill && a=$(submit -p hi --geometry=4x2 -t 1) && b=$(submit -p hi --geometry=4x2 -t 1) &&
	wait_state $a RUNNING 70 && wait_state $b RUNNING 70 &&
	assert_disjoint $a $b && nobody_shares && cancel_all
'

test_expect_success 'a victim that is larger than the place: the rest of its nodes costs no other victim' '
	cancel_all && a=$(submit -p lo --geometry=4x2 -t 30) && wait_state $a RUNNING && sleep 3 &&
	c=$(submit -p lo --geometry=4x2 -t 30) && wait_state $c RUNNING &&
	b=$(submit -p hi --geometry=2x2 -t 1) && sleep 2 && has_preempted $c &&
	d=$(submit -p hi --geometry=2x2 -t 1) &&
	wait_state $b RUNNING 70 && wait_state $d RUNNING 70 &&
	! has_preempted $a && is_running $a && assert_disjoint $a $b $d && cancel_all
'

test_expect_success 'the job with the claim is cancelled, or changed: others get the nodes soon' '
	fill && a=$(submit -p hi --geometry=4x4 -t 1) && sleep 2 && [ "$(count_lo has_preempted)" = 4 ] &&
	w=$(submit --geometry=4x4 -t 1) && scancel $a && wait_state $w RUNNING 70 && cancel_all &&
	fill && a=$(submit -p hi --geometry=4x4 -t 1) && sleep 2 && [ "$(count_lo has_preempted)" = 4 ] &&
	w=$(submit --geometry=4x4 -t 1) && scontrol hold $a && wait_state $w RUNNING 70 && cancel_all &&
	fill && a=$(submit -p hi --geometry=4x4 -t 1) && sleep 2 && [ "$(count_lo has_preempted)" = 4 ] &&
	scontrol update jobid=$a timelimit=3 && wait_state $a RUNNING 70 && cancel_all
'

test_expect_success 'a job of a higher tier takes over nodes that are being cleared for one that it may preempt' '
	scontrol create partitionname=top nodes=ALL state=up maxtime=infinite prioritytier=20 &&
	fill && a=$(submit -p hi --geometry=4x4 -t 1) && sleep 2 && [ "$(count_lo has_preempted)" = 4 ] &&
	b=$(submit -p top --geometry=4x4 -t 1) && wait_state $b RUNNING 70 && [ "$(job_state $a)" = PENDING ] &&
	cancel $b && wait_state $a RUNNING 70 && cancel_all
'

test_expect_success 'a claimed node goes out of service: the job gets others, and holds none' '
	fill && a=$(submit -p hi --geometry=2x2 -t 1) && sleep 2 && [ "$(count_lo has_preempted)" = 1 ] &&
	for v in $(cat lo); do ! has_preempted $v || job_nodes $v >victim; done &&
	scontrol update nodename=$(head -n 1 victim) state=drain reason=test &&
	wait_state $a RUNNING 90 && ! job_nodes $a | grep -x $(head -n 1 victim) && nobody_shares &&
	scontrol update nodename=$(head -n 1 victim) state=resume && cancel_all
'

test_expect_success 'several regions: the job shows them after it has preempted' '
	fill && sleep 1 && JOB_SCRIPT="env >env.out; exec sleep 100" &&
	a=$(submit -p hi --geometry=2x1*3 -t 1) && wait_state $a RUNNING 70 &&
	[ "$(job_nodes $a | wc -l)" = 6 ] &&
	job_field $a AdminComment && scontrol show job $a | grep "place=pod0:.*,pod0:.*,pod0:" &&
	wait_for 20 grep TORUS_SLICES env.out && grep -E "^TORUS_SLICES=.*2" env.out &&
	grep -E "^TORUS_GEOMETRY=(2|2x1|1x2)$" env.out && unset JOB_SCRIPT && cancel_all
'

test_expect_success 'a job preempts behind eight that find no place' '
	cancel_all && submit -p hi --geometry=4x1 -t 30 >top && wait_state $(cat top) RUNNING &&
	v=$(submit -p lo --geometry=4x3 -t 30) && wait_state $v RUNNING &&
	for i in 1 2 3 4 5 6 7 8; do submit -p hi --geometry=4x4 -t 1 || return 1; done >tall &&
	sleep 3 && ! has_preempted $v &&
	a=$(submit -p hi --geometry=2x2 -t 1) && wait_for 10 has_preempted $v &&
	wait_state $a RUNNING 70 && cancel_all
'

test_expect_success 'a victim that is larger than the place: others expect each part when it is left' '
	cancel_all && a=$(submit -p lo --geometry=4x2 -t 30) && wait_state $a RUNNING && sleep 3 &&
	c=$(submit -p lo --geometry=4x2 -t 30) && wait_state $c RUNNING &&
	b=$(submit -p hi --geometry=2x2 -t 10) && sleep 2 && has_preempted $c &&
	w=$(submit -p lo --geometry=4x2 -t 1) && sleep 3 && [ "$(job_state $b)" = PENDING ] && promised $w &&
	left=$(($(seconds "$start_time") - $(date +%s))) && echo "$left s" &&
	[ $left -ge 500 ] && [ $left -le 700 ] && cancel_all
'

test_expect_success 'a task of an array preempts: the others go on waiting for nodes, and get free ones' '
	fill && a=$(submit -p hi --array=0-2 --geometry=2x2 -t 10) && sleep 3 && [ "$(count_lo has_preempted)" = 1 ] &&
	for v in $(cat lo); do has_preempted $v || other=$v; done && cancel $other &&
	wait_for 5 running_tasks 1 && wait_for 90 running_tasks 3 && nobody_shares && cancel_all
'

test_expect_success 'all of that shared no node' '
	! grep -E "has its nodes to itself|misused" "$log"
'

test_done
