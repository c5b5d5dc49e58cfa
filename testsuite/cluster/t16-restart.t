#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld goes and comes back: by an orderly restart, and by kill -9. Shaped
# jobs run on where they are, what waits goes on waiting, and new jobs respect
# both. (Slurm writes its state at most 5 seconds after a change; a kill before
# that loses the change, with any plugin.)

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='slurmctld restarts with running shaped jobs'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x2x2
torus_yaml '4, 2, 2' >torus.yaml
cluster_start --nodes 16 --select torus --torus torus.yaml

# picture ID...: what must be the same before and after
picture() {
	for id in "$@"; do
		echo "$id $(job_state "$id") $(job_nodes "$id" | paste -sd,) $(job_region "$id")"
	done
}

test_expect_success 'two shaped jobs run, a third waits' '
	a=$(submit --geometry=2x2x2 -t 20) &&
	b=$(submit --geometry=2x2x1 --no-rotate -t 20) &&
	wait_state $a RUNNING && wait_state $b RUNNING &&
	assert_box $a 2x2x2 && assert_box $b 2x2x1 exactly &&
	w=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	stays_state $w PENDING 2 &&
	picture $a $b >before
'

for how in orderly killed; do
	test_expect_success "$how: the jobs run on, on the same nodes" '
		if [ $how = orderly ]; then
			cluster restart-ctld
		else
			sleep 6 && cluster kill9-ctld && cluster start-ctld
		fi &&
		picture $a $b >after &&
		test_cmp before after &&
		[ "$(job_state $w)" = PENDING ]
	'

	test_expect_success "$how: a new shape is placed beside them" '
		c=$(submit --geometry=2x2x1 --no-rotate -t 1) &&
		wait_state $c RUNNING &&
		assert_box $c 2x2x1 exactly &&
		assert_disjoint $a $b $c &&
		cancel $c
	'

	test_expect_success "$how: a job without a shape, too" '
		d=$(submit -N4 -t 1) &&
		wait_state $d RUNNING &&
		assert_disjoint $a $b $d &&
		cancel $d
	'
done

test_expect_success 'the job that has waited all the time gets its shape at last' '
	cancel $a &&
	wait_state $w RUNNING 30 &&
	assert_box $w 4x2x1 exactly &&
	assert_disjoint $b $w &&
	cancel_all
'

test_expect_success 'a restart with the machine empty: the whole machine can be allocated' '
	cluster restart-ctld &&
	id=$(submit --geometry=4x2x2) &&
	wait_state $id RUNNING &&
	assert_box $id 4x2x2 &&
	cancel $id
'

test_done
