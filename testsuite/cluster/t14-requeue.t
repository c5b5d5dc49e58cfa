#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Requeue: the region is gone from AdminComment while the job waits again, what
# others have written there is not, and the job gets a box once more.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='requeue of shaped jobs'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x2x2
torus_yaml '4, 2, 2' >torus.yaml
cluster_start --nodes 16 --select torus --torus torus.yaml

test_expect_success 'two shaped jobs run, one with an AdminComment of its own' '
	a=$(submit --geometry=2x2x2) &&
	wait_state $a RUNNING &&
	b=$(submit --hold --geometry=2x2x2) &&
	scontrol update jobid=$b admincomment=ticket-4711 &&
	scontrol release $b &&
	wait_state $b RUNNING &&
	assert_box $a 2x2x2 && assert_box $b 2x2x2 && assert_disjoint $a $b &&
	scontrol show job $b | grep "AdminComment=.*ticket-4711"
'

test_expect_success 'requeued, they have no region any more, and the nodes are free' '
	scontrol requeue $a && scontrol requeue $b &&
	wait_state $a PENDING && wait_state $b PENDING &&
	[ -z "$(job_region $a)" ] && [ -z "$(job_region $b)" ] &&
	scontrol show job $b | grep "AdminComment=.*ticket-4711" &&
	c=$(submit --geometry=4x2x2) &&
	wait_state $c RUNNING &&
	cancel $c
'

test_expect_success 'they start again, each with a box, and one region in AdminComment' '
	wait_state $a RUNNING 40 && wait_state $b RUNNING 40 &&
	assert_box $a 2x2x2 && assert_box $b 2x2x2 && assert_disjoint $a $b &&
	scontrol show job $b | grep "AdminComment=.*ticket-4711" &&
	scontrol --oneliner show job $b | grep -o "pod0:[0-9]" >regions &&
	[ $(wc -l <regions) -eq 1 ]
'

test_expect_success 'requeuehold and release' '
	scontrol requeuehold $a &&
	wait_state $a PENDING &&
	[ -z "$(job_region $a)" ] &&
	scontrol release $a &&
	wait_state $a RUNNING 40 &&
	assert_box $a 2x2x2 &&
	assert_disjoint $a $b &&
	cancel_all
'

test_done
