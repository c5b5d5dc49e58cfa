#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus: the order of starts under each discipline, promises in squeue
# --start, jobs that end early, jobs that overrun.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: disciplines'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' fcfs

test_expect_success 'one job starts at once, in its shape' '
	mark &&
	a=$(submit --geometry=2x2x2 -t 5) &&
	wait_state $a RUNNING 3 &&
	assert_box $a 2x2x2 &&
	started_is $a &&
	cancel $a
'

test_expect_success 'a job without a shape starts, too, and srun' '
	a=$(submit -N3 -t 5) &&
	wait_state $a RUNNING 3 &&
	[ "$(job_nodes $a | wc -l)" -eq 3 ] &&
	srun -N2 hostname >out &&
	[ "$(wc -l <out)" -eq 2 ] &&
	srun --geometry=2x2 hostname >out &&
	[ "$(wc -l <out)" -eq 4 ] &&
	cancel $a
'

test_expect_success 'fcfs: no job overtakes the head' '
	mark &&
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	c=$(submit --geometry=1x1x1 -t 1) &&
	wait_state $a RUNNING 3 &&
	stays_state $c PENDING 2 &&
	promised $b &&
	near "$start_time" "$(job_field $a EndTime)" &&
	[ "$(wc -l <planned)" -eq 16 ] &&
	reason_is $b "needs 16 nodes, 8 are free" &&
	cancel $a &&
	wait_state $b RUNNING 3 &&
	cancel $b &&
	wait_state $c RUNNING 3 &&
	started_is $a $b $c &&
	cancel $c
'

test_expect_success 'a job that waits only for its turn says so' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	c=$(submit --geometry=1x1x1 -t 1) &&
	wait_for 5 reason_is $c Priority &&
	scancel $b &&
	wait_state $c RUNNING 3 &&
	cancel $a $c
'

test_expect_success 'easy: jobs that do not delay the head overtake it' '
	sched_change "4, 2, 2" easy &&
	mark &&
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	c=$(submit --geometry=2x2x1 -t 60) &&
	d=$(submit --geometry=2x2x1 --no-rotate -t 2) &&
	wait_state $d RUNNING 3 &&
	stays_state $c PENDING 2 &&
	promised $b &&
	near "$start_time" "$(job_field $a EndTime)" &&
	started_is $a $d &&
	cancel $a &&
	stays_state $b PENDING 1 &&
	cancel $d &&
	wait_state $b RUNNING 3 &&
	started_is $a $d $b &&
	cancel $b $c
'

test_expect_success 'suggest: the shape that would start now starts, the other is expected when it says' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) && wait_state $a RUNNING 3 &&
	suggestion_holds 4x2 2x2x2 && cancel $a
'

test_expect_success 'conservative: every job has a promise' '
	sched_change "4, 2, 2" conservative &&
	mark &&
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	c=$(submit --geometry=4x2x2 -t 5) &&
	d=$(submit --geometry=4x2x1 -t 6) &&
	wait_for 5 promised $d &&
	near "$start_time" "$(later "$(job_field $a EndTime)" 10)" &&
	promised $c &&
	near "$start_time" "$(later "$(job_field $a EndTime)" 5)" &&
	cancel $a &&
	wait_state $b RUNNING 3 &&
	promised $d &&
	near "$start_time" "$(later "$(job_field $b EndTime)" 5)" &&
	cancel $b && wait_state $c RUNNING 3 &&
	cancel $c && wait_state $d RUNNING 3 &&
	started_is $a $b $c $d &&
	cancel $d
'

for discipline in fcfs easy conservative; do
	test_expect_success "$discipline: early ends, one after the other" '
		sched_change "4, 2, 2" $discipline &&
		mark &&
		a=$(run 1 --geometry=4x2x2 -t 9) &&
		b=$(run 1 --geometry=4x2x1 -t 9) &&
		c=$(run 1 --geometry=4x2x1 -t 9) &&
		d=$(run 1 --geometry=4x2x2 -t 9) &&
		e=$(run 1 -N 9 -t 9) &&
		started_is $a $b $c $d $e &&
		wait_state $e COMPLETED 10
	'
done

test_expect_success 'a running job gets more time: the promise moves, and holds' '
	a=$(submit --geometry=4x2x2 -t 1) &&
	wait_state $a RUNNING 3 &&
	b=$(submit --geometry=2x2x2 -t 1) &&
	wait_for 5 promised $b &&
	near "$start_time" "$(job_field $a EndTime)" &&
	scontrol update jobid=$a timelimit=7 &&
	wait_for 5 promised_near $b "$(job_field $a EndTime)" &&
	cancel $a &&
	wait_state $b RUNNING 3 &&
	cancel $b
'

test_expect_success 'slurmctld has logged no error' '
	! grep -E "error: (sched/)?torus|sched/torus.*did not start" "$log"
'

test_done
