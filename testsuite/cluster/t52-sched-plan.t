#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus: slurmctld restarts and reconfigures in the middle of a plan,
# wrong settings, ladders of alternatives, storus reservations.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: restart, reconfigure, ladders, storus reservations'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' conservative
storus=$top_builddir/storus

# plan_of ID: its line in storus reservations
plan_of() {
	"$storus" reservations | grep "^$1 "
}

two_run() {
	[ "$(squeue -h -t R -j "$1" -o %D | paste -sd,)" = 4,4 ]
}

test_expect_success 'a plan: one runs, two wait' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	c=$(submit --geometry=2x2x2 -t 5) &&
	wait_state $a RUNNING 3 &&
	wait_for 5 promised $c &&
	cp planned c.nodes &&
	c_start=$start_time &&
	promised $b && b_start=$start_time
'

test_expect_success 'storus reservations prints job, region, start and reason' '
	"$storus" reservations -v >out && cat out &&
	grep "discipline conservative, 2 queued" out &&
	grep -E "^$b .* pod0:0,0,0\+4x2x2 .*8 are free" out &&
	grep -E "^$c .* pod0:" out &&
	grep "$b_start" out &&
	"$storus" reservations --json >json &&
	jq -e ".plan | length == 2" json &&
	jq -e ".plan[0] | .job == $b and .region == \"pod0:0,0,0+4x2x2\"" json &&
	jq -e ".cycle.long_lock_holds == 0" json
'

test_expect_success 'storus reservations: a file that is none, and none at all' '
	test_expect_code 2 "$storus" reservations --file torus.yaml 2>err &&
	grep "torus.yaml:1: " err &&
	test_expect_code 3 "$storus" reservations --file /nonexistent 2>err &&
	grep "sched/torus" err
'

test_expect_success 'reconfigure with the same file: the plan is the same' '
	scontrol reconfigure && cluster wait && sleep 1 &&
	promised $c && near "$start_time" "$c_start" 1 &&
	test_cmp c.nodes planned
'

test_expect_success 'reconfigure with another setting: what was reserved still holds' '
	sched_change "4, 2, 2" conservative "pass_budget: 1s" && sleep 1 &&
	promised $c && near "$start_time" "$c_start" 1 &&
	test_cmp c.nodes planned &&
	promised $b && near "$start_time" "$b_start" 1
'

# wrong PATTERN LINE...: this scheduler: block is refused by line and key, and
# the plan stays
wrong() {
	wrong_pattern=$1
	shift
	cp "$CLUSTER_DIR/torus.yaml" good.yaml &&
		torus_yaml "4, 2, 2" >"$CLUSTER_DIR/torus.yaml" &&
		{ echo scheduler:; printf '  %s\n' "$@"; } >>"$CLUSTER_DIR/torus.yaml" &&
		mark && { scontrol reconfigure || :; } &&
		wait_for 5 logged "$wrong_pattern" &&
		cp good.yaml "$CLUSTER_DIR/torus.yaml" &&
		cluster wait &&
		promised "$c" && near "$start_time" "$c_start" 1
}

test_expect_success 'reconfigure with wrong settings: the line, the key, the old plan' '
	wrong "torus.yaml:6: discipline: .*esay.*easy" "discipline: esay" &&
	wrong "torus.yaml:7: wait_limit" "discipline: easy" "wait_limit: soon" &&
	wrong "torus.yaml:6: .*colour" "colour: red" &&
	wrong "torus.yaml:7: .*tries" "discipline: easy" "options: {tries: 0}" &&
	wrong "torus.yaml:7: plan_file" "discipline: easy" "plan_file: here"
'

test_expect_success 'a restart in the middle of the plan: the running job stays, the others follow' '
	sleep 6 && cluster restart-ctld &&
	[ "$(job_state $a)" = RUNNING ] &&
	assert_box $a 4x2x1 exactly &&
	wait_for 5 promised $b && near "$start_time" "$b_start" 3 &&
	mark &&
	cancel $a &&
	wait_state $b RUNNING 5 &&
	cancel $b && wait_state $c RUNNING 5 &&
	started_is $b $c &&
	cancel $c
'

test_expect_success 'kill -9: the same, and reservations that a new search would place elsewhere' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	c=$(submit --geometry=2x2x2 --no-rotate -x node00,node03 -t 5) &&
	wait_state $a RUNNING 3 &&
	wait_for 5 promised $c && cp planned c.nodes && c_start=$start_time &&
	scontrol update jobid=$c excnodelist= &&
	sleep 6 && cluster kill9-ctld && cluster start-ctld &&
	[ "$(job_state $a)" = RUNNING ] &&
	wait_for 5 promised $b && wait_for 5 promised $c &&
	test_cmp c.nodes planned && near "$start_time" "$c_start" 1 &&
	cancel $c &&
	cancel $a && wait_state $b RUNNING 5 &&
	cancel $b
'

test_expect_success 'reconfigure: reservations that a new search would place elsewhere' '
	sched_change "4, 2, 2" conservative &&
	a=$(submit --geometry=4x2x2 -t 5) &&
	wait_state $a RUNNING 3 &&
	b=$(submit --geometry=2x2x2 --no-rotate -x node00,node03 -t 5) &&
	wait_for 5 promised $b &&
	cp planned b.nodes &&
	scontrol update jobid=$b excnodelist= &&
	c=$(submit -N1 -t 1) &&
	wait_for 5 promised $c && promised $b && test_cmp b.nodes planned &&
	sched_change "4, 2, 2" conservative "pass_budget: 1s" && sleep 1 &&
	promised $b && test_cmp b.nodes planned &&
	cancel $c $b $a
'

# link_is_gone NAME: the file was written anew, and not through the link
link_is_gone() {
	[ ! -L "$CLUSTER_DIR/state/$1.new" ] && [ -f "$CLUSTER_DIR/state/$1" ] &&
		[ ! -L "$CLUSTER_DIR/state/$1" ]
}

test_expect_success 'state files are private and not written through a link' '
	for name in torus_promises torus_plan; do
		ln -sfn "$PWD/elsewhere" "$CLUSTER_DIR/state/$name.new" || return 1
	done &&
	a=$(submit --geometry=4x2x2 -t 5) && b=$(submit --geometry=4x2x2 -t 5) &&
	wait_for 5 promised $b &&
	wait_for 5 grep "{\"job\": $b," "$CLUSTER_DIR/state/torus_promises" &&
	wait_for 10 link_is_gone torus_plan && link_is_gone torus_promises &&
	[ ! -e elsewhere ] &&
	[ "$(stat -c %a "$CLUSTER_DIR/state/torus_promises")" = 600 ] &&
	[ "$(stat -c %a "$CLUSTER_DIR/state/torus_state")" = 600 ] &&
	cancel $b $a
'

test_expect_success 'another discipline, another machine: waiting jobs start' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	wait_for 5 promised $b &&
	sched_change "4, 2, 2" fcfs &&
	wait_for 5 promised $b &&
	cancel $a && wait_state $b RUNNING 5 && cancel $b &&
	MACHINE=2x2x4 &&
	sched_change "2, 2, 4" easy &&
	a=$(submit --geometry=1x1x4 --no-rotate -t 5) &&
	wait_state $a RUNNING 5 &&
	assert_box $a 1x1x4 exactly &&
	cancel $a &&
	MACHINE=4x2x2 &&
	sched_change "4, 2, 2" easy
'

# has_used SECONDS: the saved node seconds of a user are as many, at least
has_used() {
	used=$(sed -n 's/.*"node_s": \([0-9]*\).*/\1/p' "$CLUSTER_DIR/state/torus_promises") &&
		[ "${used:-0}" -ge "$1" ]
}

test_expect_success 'another machine: what users have used is not forgotten' '
	sched_change "4, 2, 2" easy "options: {queue_order: fairshare}" &&
	a=$(run 3 --geometry=4x2x2 -t 1) && wait_state $a COMPLETED 10 &&
	wait_for 5 has_used 40 &&
	MACHINE=2x2x4 &&
	sched_change "2, 2, 4" easy "options: {queue_order: fairshare}" &&
	a=$(run 1 --geometry=1 -t 1) && wait_state $a COMPLETED 10 && sleep 1 &&
	has_used 40 &&
	MACHINE=4x2x2 &&
	sched_change "4, 2, 2" easy
'

test_expect_success 'the ladder: the first alternative that fits is granted' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state $a RUNNING 3 &&
	b=$(JOB_SCRIPT="env >ladder.env; exec sleep 300" submit \
		--geometry=4x2x2,2x2x2,4x2x1 --no-rotate -t 5 -D "$PWD") &&
	wait_state $b RUNNING 3 &&
	assert_box $b 4x2x1 exactly &&
	[ "$(job_field $b NumNodes)" = 8 ] &&
	wait_for 5 test -s ladder.env &&
	grep -x TORUS_GEOMETRY=4x2x1 ladder.env &&
	grep -x SLURM_NNODES=8 ladder.env &&
	cancel $a $b
'

test_expect_success 'the ladder: an alternative becomes acceptable with time' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state $a RUNNING 3 &&
	b=$(submit --geometry=4x2x2,2x2@3s -t 5) &&
	stays_state $b PENDING 1 &&
	wait_state $b RUNNING 6 &&
	assert_box $b 2x2x1 &&
	[ "$(job_field $b NumTasks)" = 4 ] &&
	cancel $b &&
	c=$(submit --array=0-1 --geometry=4x2x2,2x2@1s -t 5) &&
	wait_state ${c} RUNNING 6 &&
	wait_for 5 two_run $c &&
	scancel $c && wait_for 10 job_is_over $c &&
	cancel $a
'
test_expect_success 'the ladder: impossible alternatives are named, and refused if none is left' '
	a=$(submit --geometry=2x2,9x9x9 2>notice) &&
	grep "9x9x9 needs 729 nodes" notice &&
	grep "alternative 2 is left out" notice &&
	cancel $a &&
	assert_refused "9x9x9" submit --geometry=9x9x9,8x8x8 &&
	assert_refused "contradicts" submit -N4 --geometry=2x2,2x2x2
'

test_expect_success 'requeue of a job that was granted its second alternative' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state $a RUNNING 3 &&
	b=$(submit --geometry=4x2x2,2x2 -t 5) &&
	wait_state $b RUNNING 3 &&
	cancel $a &&
	scontrol requeue $b &&
	wait_state $b RUNNING 30 &&
	assert_box $b 4x2x2 &&
	cancel $b
'

test_expect_success 'slurmctld ends quickly, with jobs queued' '
	a=$(submit --geometry=4x2x2 -t 5) &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	wait_for 5 promised $b &&
	begin=$(date +%s) &&
	cluster stop-ctld &&
	[ $(($(date +%s) - begin)) -le 8 ]
'

test_expect_success 'missing settings of slurm.conf are named, and slurmctld does not start' '
	cp "$CLUSTER_DIR/slurm.conf" slurm.conf.good &&
	sed -i "s/^SchedulerParameters=.*/SchedulerParameters=bf_interval=5/" "$CLUSTER_DIR/slurm.conf" &&
	mark &&
	test_must_fail cluster start-ctld &&
	logged "sched_interval=-1" && logged "defer" &&
	cp slurm.conf.good "$CLUSTER_DIR/slurm.conf" &&
	cluster start-ctld &&
	[ "$(job_state $a)" = RUNNING ] &&
	cancel $b $a
'

test_done
