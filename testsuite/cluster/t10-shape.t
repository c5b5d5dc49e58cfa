#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Exact shapes: a job gets a box of the shape that it asked for and no other,
# turned as --no-rotate and --conn-type allow, across the edges of dimensions
# that wrap; and its AdminComment names the nodes that it really has.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='a job gets exactly the shape that it asked for'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x4x4
torus_yaml '4, 4, 4' >torus.yaml
cluster_start --nodes 64 --select torus --torus torus.yaml

# one_job SHAPE MODE OPTION...: submit, wait, assert_box, cancel
one_job() {
	one_shape=$1
	one_mode=$2
	shift 2
	one_id=$(submit "$@") &&
		wait_state "$one_id" RUNNING &&
		assert_box "$one_id" "$one_shape" "$one_mode" &&
		cancel "$one_id"
}

test_expect_success 'boxes of one, two and three axes' '
	one_job 4x4x2 any --geometry=4x4x2 &&
	one_job 2x2x2 any --geometry=2x2x2 &&
	one_job 3x2 any --geometry=3x2 &&
	one_job 4 any --geometry=4x1x1
'

test_expect_success 'powers, axes of 1, one node, the whole machine' '
	one_job 2x2x2 any --geometry=2^3 &&
	one_job 3x3 any --geometry=1x3x3 &&
	one_job 1 any --geometry=1x1 &&
	one_job 4x4x4 any --geometry=4x4x4 &&
	one_job 4x4x4 any --geometry=4^3
'

test_expect_success '--no-rotate keeps every axis in its dimension' '
	one_job 1x4x2 exactly --no-rotate --geometry=1x4x2 &&
	one_job 4x1x2 exactly --no-rotate --geometry=4x1x2 &&
	one_job 1x1x3 exactly --no-rotate --geometry=1x1x3 &&
	one_job 2x3x1 exactly --no-rotate --geometry=2x3
'

test_expect_success 'a node count is a box of exactly that many nodes' '
	for n in 1 2 6 12 18 64; do
		id=$(submit --geometry=$n) &&
		wait_state "$id" RUNNING &&
		assert_volume "$id" $n &&
		cancel "$id" || return 1
	done
'

test_expect_success 'and without such a box the smallest larger one' '
	id=$(submit --geometry=5) &&
	wait_state "$id" RUNNING &&
	assert_volume "$id" 6 &&
	cancel "$id" &&
	id=$(submit --geometry=13) &&
	wait_state "$id" RUNNING &&
	assert_volume "$id" 16 &&
	cancel "$id"
'

test_expect_success '-N that agrees with the shape is fine' '
	one_job 2x2 any -N4 --geometry=2x2 &&
	one_job 2x2 any -n4 --geometry=2x2
'

test_expect_success 'a box is turned if it fits only so' '
	# what is left: x 0, y 0..3, z 0..1
	free="$(seq -f node%02g 0 4 12) $(seq -f node%02g 16 4 28)" &&
	id=$(submit --geometry=4x2 --exclude="$(all_but $free)") &&
	wait_state "$id" RUNNING &&
	assert_box "$id" 1x4x2 exactly &&
	cancel "$id" &&
	id=$(submit --geometry=2x4 --exclude="$(all_but $free)") &&
	wait_state "$id" RUNNING &&
	assert_box "$id" 1x4x2 exactly &&
	cancel "$id"
'

test_expect_success 'a box wraps around the edge if it fits only so' '
	# (3,0,0) and (0,0,0)
	id=$(submit --geometry=2 --exclude="$(all_but node03 node00)") &&
	wait_state "$id" RUNNING &&
	assert_box "$id" 2x1x1 exactly &&
	job_region "$id" | grep "^pod0:3,0,0+2x1x1$" &&
	cancel "$id" &&
	# the eight corners
	corners="node00 node03 node12 node15 node48 node51 node60 node63" &&
	id=$(submit --geometry=2x2x2 --exclude="$(all_but $corners)") &&
	wait_state "$id" RUNNING &&
	assert_box "$id" 2x2x2 exactly &&
	job_region "$id" | grep "^pod0:3,3,3+2x2x2$" &&
	cancel "$id"
'

test_expect_success 'connections: rings, open lines, letters' '
	one_job 4x4 any --conn-type=torus --geometry=4x4 &&
	one_job 4x2 any --conn-type=torus --geometry=4x2 &&
	one_job 3x3 any --conn-type=mesh --geometry=3x3 &&
	one_job 3x2 any --conn-type=nav --geometry=3x2 &&
	one_job 4x3 any --conn-type=TM --geometry=4x3 &&
	one_job 3x4 any --conn-type=MT --geometry=3x4 &&
	one_job 4x2x3 any --conn-type=TNM --geometry=4x2x3
'

test_expect_success 'jobs side by side never share a node' '
	a=$(submit --geometry=4x4x2) &&
	b=$(submit --geometry=2x2x2) &&
	c=$(submit --geometry=2x2x2) &&
	d=$(submit --geometry=4x1x1) &&
	for id in $a $b $c $d; do wait_state $id RUNNING || return 1; done &&
	assert_box $a 4x4x2 && assert_box $b 2x2x2 && assert_box $c 2x2x2 &&
	assert_box $d 4 &&
	assert_disjoint $a $b $c $d &&
	cancel_all
'

test_expect_success 'sixteen 2x2x1 fill the machine, the next one waits for a hole' '
	ids= &&
	for i in $(seq 16); do
		ids="$ids $(submit --no-rotate --geometry=2x2x1)" || return 1
	done &&
	for id in $ids; do wait_state $id RUNNING || return 1; done &&
	for id in $ids; do assert_box $id 2x2x1 exactly || return 1; done &&
	assert_disjoint $ids &&
	late=$(submit --no-rotate --geometry=2x2x1) &&
	stays_state $late PENDING 3 &&
	set -- $ids &&
	job_nodes $7 >hole &&
	cancel $7 &&
	wait_state $late RUNNING &&
	job_nodes $late >nodes &&
	test_cmp hole nodes &&
	cancel_all
'

test_expect_success 'a job without a shape runs on any free nodes' '
	a=$(submit --geometry=4x4x2) &&
	wait_state $a RUNNING &&
	b=$(submit -N20) &&
	wait_state $b RUNNING &&
	[ $(job_nodes $b | wc -l) -eq 20 ] &&
	assert_disjoint $a $b &&
	[ -z "$(job_region $b)" ] &&
	c=$(submit -N3 -w node63) &&
	wait_for 10 test "$(job_state $c)" &&
	cancel_all
'

test_expect_success '-w names nodes that must be in the box' '
	id=$(submit --geometry=2x2x2 -w node42) &&
	wait_state $id RUNNING &&
	assert_box $id 2x2x2 &&
	job_nodes $id | grep -x node42 &&
	cancel $id &&
	id=$(submit --no-rotate --geometry=2x1x1 -w node00,node03) &&
	wait_state $id RUNNING &&
	assert_box $id 2x1x1 exactly &&
	job_nodes $id | paste -sd, | grep -x node00,node03 &&
	cancel $id
'

test_expect_success 'an array: each task gets a box of its own' '
	id=$(submit --array=0-3 --geometry=2x2x2) &&
	for i in 0 1 2 3; do wait_state ${id}_$i RUNNING || return 1; done &&
	for i in 0 1 2 3; do assert_box ${id}_$i 2x2x2 || return 1; done &&
	assert_disjoint ${id}_0 ${id}_1 ${id}_2 ${id}_3 &&
	scancel $id &&
	wait_for 20 job_is_over $id
'

test_done
