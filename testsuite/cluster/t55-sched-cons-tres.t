#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus around select/torus_cons_tres: GRES are respected. And what the
# wrapped plugin refuses though each of the nodes would do: node06 and node07
# have four CPUs, the others two, and a job has more tasks than the CPUs of the
# place that torus would give it. No snapshot tells; the next best is tried.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus with select/torus_cons_tres'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus_cons_tres
MACHINE=4x2
sched_yaml '4, 2' easy >torus.yaml
cluster_start --nodes 8 --cpus 2 --gres gpu:2 --select torus_cons_tres \
	--sched torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

test_expect_success 'shapes with GRES' '
	a=$(submit --geometry=2x2 --gres=gpu:2 -t 5) &&
	wait_state $a RUNNING 5 &&
	assert_box $a 2x2 &&
	b=$(submit --geometry=2x2 --gres=gpu:1 -t 5) &&
	wait_state $b RUNNING 5 &&
	assert_box $b 2x2 &&
	assert_disjoint $a $b &&
	c=$(submit --geometry=2x1 --gres=gpu:1 -t 5) &&
	stays_state $c PENDING 1 &&
	cancel $a &&
	wait_state $c RUNNING 5 &&
	cancel $b $c
'

test_expect_success 'more than a node has is refused' '
	test_must_fail submit --geometry=2x2 --gres=gpu:3
'

test_expect_success 'jobs without a shape, and srun' '
	a=$(submit -n 6 -t 5) &&
	wait_state $a RUNNING 5 &&
	[ "$(job_field $a NumNodes)" = 3 ] &&
	srun -N2 --gres=gpu:1 hostname >out && [ "$(wc -l <out)" = 2 ] &&
	cancel $a
'

storus=$top_builddir/storus

# count KEY: of the cycles until now
count() {
	"$storus" reservations --json | jq ".cycle.$1"
}

# uneven: node06 and node07 get four CPUs
uneven() {
	cluster stop-ctld &&
		cluster stop-node node06 node07 &&
		sed -n "s/^NodeName=node\[00-07\]\(.*\)Port=\[\([0-9]*\)-\([0-9]*\)\]\(.*\) CPUs=2\(.*\)/\1 \2 \3 \4 \5/p" \
			"$CLUSTER_DIR/slurm.conf" >line &&
		read -r host addr first last rest <line &&
		{
			grep -v "^NodeName=\|^PartitionName=" "$CLUSTER_DIR/slurm.conf"
			echo "NodeName=node[00-05] $host $addr Port=[$first-$((last - 2))] CPUs=2 $rest"
			echo "NodeName=node[06-07] $host $addr Port=[$((last - 1))-$last] CPUs=4 $rest"
			grep "^PartitionName=" "$CLUSTER_DIR/slurm.conf"
		} >conf &&
		cp conf "$CLUSTER_DIR/slurm.conf" &&
		cluster start-node node06 node07 &&
		cluster start-ctld &&
		wait_for 30 all_idle
}
all_idle() {
	[ "$(sinfo -h -N -t idle -o %N | wc -l)" = 8 ] &&
		[ "$(sinfo -h -N -n node07 -o %c)" = 4 ]
}

test_expect_success 'two of the nodes have more CPUs' '
	uneven
'

test_expect_success 'a refused place: the next best is tried' '
	before=$(count unfit) &&
	a=$(submit --geometry=2x1 --no-rotate -n 8 -t 5) &&
	wait_state $a RUNNING 5 &&
	[ "$(job_nodes $a | paste -sd,)" = node06,node07 ] &&
	assert_box $a 2x1 exactly &&
	wait_for 5 test "$(count unfit)" -ge $((before + 1)) &&
	[ "$(count unfit)" -le $((before + 3)) ] &&
	"$storus" reservations -v >out && cat out &&
	grep "[1-9][0-9]* on unfit nodes" out
'

test_expect_success 'no place left: the job waits for places that it has not tried, with a reason' '
	b=$(submit --geometry=2x1 --no-rotate -n 8 -t 5) &&
	c=$(submit --geometry=2x1 -t 5) &&
	wait_state $c RUNNING 5 &&
	[ "$(job_state $b)" = PENDING ] &&
	cancel $a &&
	wait_state $b RUNNING 20 &&
	[ "$(job_nodes $b | paste -sd,)" = node06,node07 ] &&
	cancel $b $c
'

test_expect_success 'tries: 2; then the next job, and places that were not tried' '
	sched_change "4, 2" easy "options: {tries: 2}" &&
	before=$(count unfit) && mark &&
	a=$(submit --geometry=2x1 --no-rotate -n 8 -t 5) &&
	b=$(submit --geometry=4x1 --no-rotate -w node00 -t 5) &&
	wait_state $a RUNNING 20 &&
	started_is $b $a &&
	[ "$(job_nodes $a | paste -sd,)" = node06,node07 ] &&
	[ "$(count unfit)" -ge $((before + 2)) ] &&
	[ "$(count unfit)" -le $((before + 4)) ] &&
	cancel $a $b
'

test_expect_success 'a job that waits for usable nodes neither blocks others nor uses the processor' '
	big=$(submit --geometry=2x1 --no-rotate -w node06,node07 -t 5) &&
	wait_state $big RUNNING 5 &&
	a=$(submit --geometry=2x1 --no-rotate -n 8 -t 5) &&
	b=$(submit --geometry=4x1 --no-rotate -w node00 -t 5) &&
	wait_state $b RUNNING 5 &&
	[ "$(job_state $a)" = PENDING ] &&
	wait_for 5 reason_is $a "Slurm refused the nodes of all places" &&
	"$storus" reservations >out && cat out && grep "^$a .*refused the nodes" out &&
	before=$(count orders) && sleep 5 &&
	[ $(($(count orders) - before)) -le 8 ] &&
	cancel $big && wait_state $a RUNNING 30 &&
	cancel $a $b
'

test_expect_success 'more tasks than any place has CPUs: refused at once' '
	test_must_fail submit --geometry=2x1 -n 9
'

test_done
