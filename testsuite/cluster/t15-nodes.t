#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nodes out of service: drained and down nodes are in no box; a shape that they
# rule out for now waits for them, and is not refused.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='drained and down nodes'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x2x2
torus_yaml '4, 2, 2' >torus.yaml
# down is down until an admin says otherwise, whatever the node's slurmd says
cluster_start --nodes 16 --select torus --torus torus.yaml --set ReturnToService=0

test_expect_success 'a drained node is in no box' '
	scontrol update nodename=node05 state=drain reason=test &&
	for i in 1 2 3; do
		submit --geometry=2x2x1 --no-rotate || return 1
	done >ids &&
	for id in $(cat ids); do
		wait_state $id RUNNING &&
		assert_box $id 2x2x1 exactly &&
		job_nodes $id >nodes &&
		! grep -x node05 nodes || return 1
	done &&
	cancel_all
'

test_expect_success 'a shape that needs the node waits, and starts when the node is back' '
	id=$(submit --geometry=4x2x2) &&
	stays_state $id PENDING 3 &&
	scontrol update nodename=node05 state=resume &&
	wait_state $id RUNNING &&
	assert_box $id 4x2x2 &&
	cancel $id
'

test_expect_success 'enough nodes that hold no box are not enough' '
	# one of each 2x2x1 is down: 12 nodes are left
	scontrol update nodename=node[00,02,08,10] state=down reason=test &&
	id=$(submit --geometry=2x2x1 --no-rotate --exclude=node[03,07,11,15]) &&
	stays_state $id PENDING 3 &&
	other=$(submit -N8) &&
	wait_state $other RUNNING &&
	cancel $other &&
	scontrol update nodename=node[08] state=resume &&
	wait_state $id RUNNING 30 &&
	assert_box $id 2x2x1 exactly &&
	job_nodes $id | grep -x node08 &&
	cancel_all &&
	scontrol update nodename=node[00,02,10] state=resume &&
	wait_for 20 eval "[ \"\$(sinfo -h -N -o %T | sort -u)\" = idle ]"
'

test_expect_success 'draining: the job that runs there stays, the next avoids it' '
	a=$(submit --geometry=2x2x2) &&
	wait_state $a RUNNING &&
	node=$(job_nodes $a | head -n 1) &&
	scontrol update nodename=$node state=drain reason=test &&
	stays_state $a RUNNING 2 &&
	assert_box $a 2x2x2 &&
	cancel $a &&
	b=$(submit --geometry=2x2x2) &&
	wait_state $b RUNNING &&
	job_nodes $b >nodes &&
	! grep -x $node nodes &&
	cancel $b &&
	scontrol update nodename=$node state=resume
'

test_expect_success 'a node of a running job goes down: the job is requeued and gets another box' '
	a=$(submit --requeue --geometry=2x2x1 --no-rotate) &&
	wait_state $a RUNNING &&
	node=$(job_nodes $a | head -n 1) &&
	scontrol update nodename=$node state=down reason=test &&
	wait_state $a PENDING &&
	[ -z "$(job_region $a)" ] &&
	wait_state $a RUNNING 40 &&
	assert_box $a 2x2x1 exactly &&
	job_nodes $a >nodes &&
	! grep -x $node nodes &&
	cancel $a &&
	scontrol update nodename=$node state=resume
'

test_expect_success 'a shape inside a reservation, and beside it' '
	scontrol create reservation reservationname=r users=$(id -un) starttime=now \
		duration=10 nodes=node[00-07] flags=ignore_jobs &&
	in=$(submit --reservation=r --geometry=2x2) &&
	wait_state $in RUNNING &&
	assert_box $in 2x2 &&
	job_nodes $in >nodes &&
	! grep -vx "node0[0-7]" nodes &&
	out=$(submit --geometry=4x2) &&
	wait_state $out RUNNING &&
	assert_box $out 4x2 &&
	job_nodes $out | paste -sd" " >nodes &&
	[ "$(cat nodes)" = "$(seq -f node%02g -s" " 8 15)" ] &&
	cancel $in $out &&
	scontrol delete reservation=r
'

test_done
