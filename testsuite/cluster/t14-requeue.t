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
	scontrol show job $b | grep "AdminComment=torus:ask=2x2x2 ticket-4711" &&
	scontrol release $b &&
	wait_state $b RUNNING &&
	assert_box $a 2x2x2 && assert_box $b 2x2x2 && assert_disjoint $a $b &&
	scontrol show job $b | grep "AdminComment=.*ticket-4711"
'

test_expect_success 'an AdminComment that replaces the text keeps the shape and the place' '
	region=$(job_region $b) && [ -n "$region" ] &&
	for text in ticket-4712 "ticket-4711 torus:place=pod0:0,0,0+1x1x1"; do
		scontrol update jobid=$b admincomment="$text" &&
		scontrol show job $b | grep "AdminComment=torus:ask=2x2x2 torus:place=.* ${text%% *}" &&
		[ "$(job_region $b)" = "$region" ] || return 1
	done &&
	"$top_builddir/storus" explain $b | grep "runs on pod0:.*2x2x2"
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

test_expect_success 'the tasks of an array whose AdminComment is replaced keep their places' '
	a=$(submit --array=0-1 --geometry=2x2x2) && wait_state ${a}_0 RUNNING && wait_state ${a}_1 RUNNING &&
	first=$(job_region ${a}_0) && second=$(job_region ${a}_1) && [ "$first" != "$second" ] &&
	scontrol update jobid=$a admincomment=both &&
	[ "$(job_region ${a}_0)" = "$first" ] && [ "$(job_region ${a}_1)" = "$second" ] &&
	[ $(scontrol --oneliner show job $a | grep -c "AdminComment=torus:ask=2x2x2 torus:.* both") -eq 2 ] &&
	cancel_all
'

test_done
