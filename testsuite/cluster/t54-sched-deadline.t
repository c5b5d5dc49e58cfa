#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus with dedf: a job with --deadline is admitted, and ends in time, or
# it is cancelled with state DEADLINE and a sentence.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: deadlines'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' dedf

test_expect_success 'answers at once' '
	sched_change "4, 2, 2" dedf "mean_hold: 10h"
'

test_expect_success 'an admitted job starts, and so does one without a deadline' '
	a=$(submit --geometry=4x2x2 -t 2 --deadline=now+10minutes) &&
	wait_state $a RUNNING 5 &&
	b=$(submit --geometry=2x2 -t 1) &&
	c=$(submit --geometry=4x2x2 -t 2 --deadline=now+9minutes) &&
	wait_for 5 promised $c &&
	near "$start_time" "$(job_field $a EndTime)" &&
	[ "$(job_state $b)" = PENDING ]
'

test_expect_success 'a job that cannot be admitted is cancelled with a reason' '
	mark &&
	d=$(submit --geometry=4x2x2 -t 2 --deadline=now+5minutes) &&
	wait_state $d DEADLINE 5 &&
	scontrol show job $d | grep -i "Reason=.*no_place_in_time" &&
	logged "JobId=$d is not admitted" &&
	promised $c
'

# tasks_of ID: how many tasks of the array in which states
tasks_of() {
	scontrol -o show job "$1" | tr " " "\\n" | sed -n "s/^JobState=//p" |
		sort | uniq -c | awk "{ printf \"%s %s \", \$1, \$2 }"
}
tasks_are() {
	[ "$(tasks_of "$1")" = "$2 " ] || { echo "tasks: $(tasks_of "$1")"; return 1; }
}
test_expect_success 'of an array as many tasks as there is time for' '
	e=$(submit --array=1-4 --geometry=4x2x2 -t 2 --deadline=now+17minutes) &&
	sleep 2 && tasks_are $e "1 PENDING" && promised $e &&
	f=$(submit --array=1-6 --geometry=4x2x2 -t 2 --deadline=now+16minutes) &&
	wait_for 5 tasks_are $f "4 DEADLINE 1 PENDING" && promised $f &&
	[ "$(squeue -h -r -j $f -o %K | paste -sd" ")" = "1 2" ] &&
	[ "$(squeue -h -r -j $e -o %K | paste -sd" ")" = "1 2 3 4" ] &&
	scancel $e $f && wait_for 5 promised $c
'

test_expect_success 'admitted jobs stay admitted over a reconfigure' '
	sched_change "4, 2, 2" dedf "mean_hold: 9h" && sleep 1 &&
	[ "$(job_state $c)" = PENDING ] &&
	wait_for 5 promised $c &&
	cancel $a &&
	wait_state $c RUNNING 5 &&
	cancel $c && wait_state $b RUNNING 5 && cancel $b
'

test_expect_success 'phase2 is refused: Slurm cannot move a job that runs' '
	mark &&
	cp "$CLUSTER_DIR/torus.yaml" good.yaml &&
	sched_yaml "4, 2, 2" dedf "options: {phase2: true}" >"$CLUSTER_DIR/torus.yaml" &&
	{ scontrol reconfigure || :; } &&
	wait_for 10 logged "sched/torus.*(preempt|phase2)" &&
	cp good.yaml "$CLUSTER_DIR/torus.yaml" &&
	scontrol reconfigure && cluster wait &&
	a=$(submit --geometry=2x2 -t 1 --deadline=now+5minutes) &&
	wait_state $a RUNNING 5 && cancel $a
'

test_expect_success 'a job without an answer keeps its nodes; best effort waits with a reason' '
	sched_change "4, 2, 2" dedf "mean_hold: 2s" &&
	d=$(run 2 --geometry=4x2x2 -t 1 --deadline=now+80) && sleep 1 &&
	a=$(run 2 --geometry=2x2 -t 1) &&
	wait_for 5 reason_is $d "its deadline is accepted or refused by ....-..-..T..:..:.." &&
	wait_for 5 reason_is $a "kept for deadline jobs, which are accepted or refused by" &&
	wait_state $d COMPLETED 40 && wait_state $a COMPLETED 20
'

test_expect_success '... best-effort jobs may use its later nodes before' '
	d=$(submit --geometry=4x2x2 -t 1 --deadline=now+4minutes) && sleep 1 &&
	a=$(submit --geometry=2x2 -t 1) && wait_state $a RUNNING 5 &&
	b=$(submit --geometry=2x2 -t 9) && sleep 2 &&
	[ "$(job_state $b)" = PENDING ] && [ "$(job_state $d)" = PENDING ] &&
	cancel $a $d && wait_state $b RUNNING 5 && cancel $b
'

test_expect_success 'best_effort: takes' '
	sched_change "4, 2, 2" dedf "mean_hold: 2s" "options: {best_effort: takes}" &&
	d=$(submit --geometry=4x2x2 -t 1 --deadline=now+90) && sleep 1 &&
	a=$(submit --geometry=2x2 -t 1) && wait_state $a RUNNING 5 &&
	wait_state $d DEADLINE 40 && cancel $a
'

test_done
