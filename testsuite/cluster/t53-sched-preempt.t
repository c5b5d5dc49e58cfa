#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus: preemption clears the place where the least is lost, and the
# job that preempts gets it, whoever else waits.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: preemption'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' easy --set PreemptType=preempt/partition_prio \
	--set PreemptMode=REQUEUE

test_expect_success 'a partition whose jobs may preempt' '
	scontrol create partitionname=urgent nodes=ALL state=up prioritytier=10 preemptmode=off
'

test_expect_success 'four jobs fill the machine; the youngest loses its place' '
	a=$(submit --geometry=2x2x1 --no-rotate -t 9) && wait_state $a RUNNING 3 && sleep 1 &&
	b=$(submit --geometry=2x2x1 --no-rotate -t 9) && wait_state $b RUNNING 3 && sleep 1 &&
	c=$(submit --geometry=2x2x1 --no-rotate -t 9) && wait_state $c RUNNING 3 && sleep 1 &&
	d=$(submit --geometry=2x2x1 --no-rotate -t 9) && wait_state $d RUNNING 3 &&
	job_nodes $d >d.nodes &&
	w=$(submit --geometry=1x1 -t 1) &&
	e=$(submit -p urgent --geometry=2x2x1 --no-rotate -t 5) &&
	wait_state $e RUNNING 20 &&
	job_nodes $e >e.nodes &&
	test_cmp d.nodes e.nodes &&
	[ "$(job_state $d)" = PENDING ] &&
	[ "$(job_state $w)" = PENDING ] &&
	for id in $a $b $c; do [ "$(job_state $id)" = RUNNING ] || return 1; done
'

test_expect_success 'a job without a shape preempts, too' '
	f=$(submit -p urgent -N4 -t 5) &&
	wait_state $f RUNNING 20 &&
	[ "$(job_nodes $f | wc -l)" = 4 ] &&
	assert_disjoint $e $f &&
	[ "$(squeue -h -t R -p main -o %i | wc -l)" -le 3 ] &&
	cancel $e $f
'

test_expect_success 'those that were preempted run again' '
	scancel $w &&
	wait_state $d RUNNING 40 &&
	cancel_all
'

test_expect_success 'of young jobs few are ended: one rather than four younger ones' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 9) && b=$(submit --geometry=2x2x1 --no-rotate -t 9) &&
	wait_state $b RUNNING 5 && sleep 3 &&
	for i in 1 2 3 4; do submit -N1 -t 9 || return 1; done >young &&
	wait_state $(tail -n 1 young) RUNNING 5 && job_nodes $b >b.nodes &&
	e=$(submit -p urgent --geometry=2x2x1 --no-rotate -t 5) &&
	wait_state $e RUNNING 20 &&
	job_nodes $e >e.nodes && test_cmp b.nodes e.nodes &&
	for id in $(cat young); do [ "$(job_state $id)" = RUNNING ] || return 1; done &&
	cancel_all
'

test_expect_success 'a range of nodes keeps its claim while the nodes become idle one by one' '
	for range in 2-4 2-14; do
		for i in $(seq 16); do submit -N1 -t 9 || return 1; done >fill &&
		wait_state $(tail -n 1 fill) RUNNING 20 &&
		e=$(submit -p urgent -N$range -t 5) &&
		wait_state $e RUNNING 30 &&
		[ "$(job_nodes $e | wc -l)" = ${range#*-} ] &&
		cancel_all || return 1
	done
'

test_expect_success 'nobody starts on free nodes that the first of the queue takes at once' '
	mark &&
	n=$(run 4 -p urgent --geometry=4x2x1 --no-rotate -t 9) && wait_state $n RUNNING 5 &&
	a=$(submit --geometry=4x2x1 --no-rotate -t 9) && wait_state $a RUNNING 5 &&
	h=$(submit -p urgent --geometry=4x2x2 -t 5) && w=$(submit --geometry=2x2x1 -t 1) &&
	wait_state $h RUNNING 20 &&
	[ "$(job_state $n)" = COMPLETED ] && [ "$(job_state $a)" = PENDING ] &&
	! logged "started JobId=$w in" &&
	cancel_all
'

test_done
