#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same source around cons_tres: shapes with generic resources, and jobs
# without a shape that share nodes as they always have.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='select/torus_cons_tres: --gres and shared nodes'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus_cons_tres
MACHINE=4x2x2
torus_yaml '4, 2, 2' >torus.yaml
cluster_start --nodes 16 --cpus 4 --gres gpu:2 --select torus_cons_tres --torus torus.yaml

test_expect_success 'the plugin is in charge' '
	scontrol show config | grep -E "^SelectType *= *select/torus_cons_tres$"
'

test_expect_success 'a shape with a GPU on every node' '
	script="srun --mpi=none sh -c \"echo \\\$SLURMD_NODENAME \\\$CUDA_VISIBLE_DEVICES\" >gpus;
		echo >gpus.done; exec sleep 60" &&
	id=$(JOB_SCRIPT=$script submit --geometry=2x2x1 --no-rotate --gres=gpu:1) &&
	wait_state $id RUNNING &&
	assert_box $id 2x2x1 exactly &&
	wait_for 20 test -e gpus.done &&
	cat gpus &&
	[ $(wc -l <gpus) -eq 4 ] &&
	! grep -vE "^node[0-9]+ [0-9]$" gpus &&
	cancel $id
'

test_expect_success 'more GPUs than a node has: refused' '
	test_must_fail submit --geometry=2x2 --gres=gpu:3
'

test_expect_success '--ntasks-per-gpu: tasks for the GPUs of all nodes of the shape' '
	id=$(submit --geometry=2x2 --gpus-per-node=2 --ntasks-per-gpu=1) &&
	wait_state $id RUNNING && assert_box $id 2x2 &&
	[ "$(job_field $id NumTasks) $(job_field $id NumCPUs)" = "8 8" ] &&
	with=$(submit --geometry=2x2 -N4 --gpus-per-node=2 --ntasks-per-gpu=1) &&
	wait_state $with RUNNING &&
	[ "$(job_field $with NumTasks) $(job_field $with NumCPUs)" = "8 8" ] &&
	assert_refused "to --ntasks-per-gpu=1 --geometry=2x2 add -N 4" \
		srun --geometry=2x2 --gpus-per-node=2 --ntasks-per-gpu=1 true &&
	cancel_all
'

test_expect_success 'a task has one CPU of its host; tasks and CPUs as the guide asks for them' '
	id=$(submit --geometry=2x2) && wait_state $id RUNNING &&
	[ "$(job_field $id NumTasks) $(job_field $id NumCPUs)" = "4 4" ] &&
	options=$(sed -n "s/^sbatch \(--geometry=2x2 --ntasks-per-node=.*\) job.sh$/\1/p" "$top_srcdir/doc/guide-user.md") &&
	[ -n "$options" ] && id=$(submit $options) && wait_state $id RUNNING && assert_box $id 2x2 &&
	[ "$(job_field $id NumTasks) $(job_field $id NumCPUs)" = "8 16" ] &&
	cancel_all
'

test_expect_success 'two shaped jobs never lie on the same node' '
	a=$(submit --geometry=2x2x2 --gres=gpu:1) &&
	b=$(submit --geometry=2x2x2 --gres=gpu:1) &&
	wait_state $a RUNNING && wait_state $b RUNNING &&
	assert_box $a 2x2x2 && assert_box $b 2x2x2 &&
	assert_disjoint $a $b &&
	c=$(submit --geometry=2x2x1) &&
	stays_state $c PENDING 3 &&
	cancel $a &&
	wait_state $c RUNNING &&
	assert_box $c 2x2x1 &&
	assert_disjoint $b $c &&
	cancel_all
'

test_expect_success 'jobs without a shape share a node, and keep off the boxes' '
	a=$(submit --geometry=4x2x1 --no-rotate) &&
	wait_state $a RUNNING &&
	b=$(submit -n1 --gres=gpu:1) &&
	wait_state $b RUNNING &&
	c=$(submit -n1 --gres=gpu:1 -w "$(job_nodes $b)") &&
	wait_state $c RUNNING &&
	[ "$(job_nodes $b)" = "$(job_nodes $c)" ] &&
	assert_disjoint $a $b &&
	assert_disjoint $a $c
'

test_expect_success 'a shape gets no node that others use' '
	d=$(submit --geometry=4x2x1 --no-rotate) &&
	stays_state $d PENDING 3 &&
	e=$(submit --geometry=2x2x1 --no-rotate -t 1) &&
	wait_state $e RUNNING &&
	assert_box $e 2x2x1 exactly &&
	assert_disjoint $a $b $e &&
	cancel $b $c $e &&
	wait_state $d RUNNING &&
	assert_box $d 4x2x1 exactly &&
	cancel_all
'

test_expect_success '--test-only, and a restart with a shaped job' '
	a=$(submit --geometry=4x2x2 --gres=gpu:2 -t 5) &&
	wait_state $a RUNNING &&
	sbatch --test-only --geometry=2x2 --gres=gpu:1 -t 1 --wrap true >out 2>&1 &&
	grep " to start at " out &&
	job_nodes $a >before &&
	cluster restart-ctld &&
	[ "$(job_state $a)" = RUNNING ] &&
	job_nodes $a >after &&
	test_cmp before after &&
	b=$(submit --geometry=1x1) &&
	stays_state $b PENDING 3 &&
	cancel $a &&
	wait_state $b RUNNING &&
	cancel_all
'

test_expect_success 'a shape with -n and --gres is allocated that, and has the nodes alone' '
	a=$(submit --geometry=4x2x2 -n16 --gres=gpu:1) &&
	wait_state $a RUNNING &&
	job_tres $a | grep -E "^cpu=16,.*node=16," &&
	b=$(submit -n1 --gres=gpu:1) && c=$(submit --geometry=1x1 -n2) &&
	stays_state $b PENDING 3 && [ "$(job_state $c)" = PENDING ] &&
	cluster restart-ctld && stays_state $b PENDING 3 &&
	cancel $a && wait_state $b RUNNING 30 && wait_state $c RUNNING 30 &&
	assert_disjoint $b $c &&
	d=$(submit --geometry=2x2 -n4 --gres=gpu:2) && wait_state $d RUNNING 30 &&
	assert_box $d 2x2 && assert_disjoint $b $c $d &&
	cancel_all
'

# partition_of ID: where it runs, or waits
partition_of() {
	squeue --noheader --jobs "$1" --format %P
}

test_expect_success 'a partition that shares nodes by force: no shape, under sched/backfill too' '
	scontrol create partitionname=force2 nodes=ALL state=up maxtime=infinite oversubscribe=force:2 &&
	assert_refused "partition force2 makes jobs share nodes" submit --geometry=2x2 -p force2 &&
	a=$(submit -t 5 --geometry=2x2 -p force2,main 2>err) &&
	grep "partition force2 is left out" err &&
	wait_state $a RUNNING 60 && assert_box $a 2x2 && [ "$(partition_of $a)" = main ] &&
	b=$(submit -t 5 -N8 -n32 -p force2) && c=$(submit -t 5 -N8 -n32 -p force2) &&
	wait_state $b RUNNING 60 && wait_state $c RUNNING 60 &&
	assert_disjoint $a $b && assert_disjoint $a $c &&
	cancel_all
'

test_expect_success 'a partition begins to force sharing: a waiting shape stays queued and starts in another' '
	scontrol create partitionname=later nodes=ALL state=down maxtime=infinite &&
	a=$(submit -t 5 --geometry=2x2 -p later) &&
	scontrol update partitionname=later oversubscribe=force:2 state=up &&
	stays_state $a PENDING 5 && [ "$(job_field $a Reason)" != BadConstraints ] &&
	scontrol update jobid=$a partition=main &&
	wait_state $a RUNNING 60 && assert_box $a 2x2 &&
	cancel_all
'

test_done
