#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is decided about shapes when a job is submitted or changed: partitions that
# make jobs share nodes, and places around the nodes of -w under each strategy.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='shapes at submission: shared partitions, -w, what could start'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus_cons_tres
MACHINE=4x4
sched_yaml '4, 4' easy >torus.yaml
cluster_start --nodes 16 --cpus 4 --set SelectTypeParameters=CR_Core \
	--select torus_cons_tres --sched torus --torus torus.yaml

# partition_of ID: where it runs, or waits
partition_of() {
	squeue --noheader --jobs "$1" --format %P
}

test_expect_success 'partitions that share nodes by force' '
	for part in force2=force:2 force3=force:3 yes4=yes:4; do
		scontrol create partitionname=${part%%=*} nodes=ALL state=up \
			maxtime=infinite oversubscribe=${part#*=} || return 1
	done
'

test_expect_success 'a shape is refused if all partitions force it to share' '
	test_must_fail submit --geometry=2x2 -p force2 2>err &&
	grep "partition force2 makes jobs share nodes" err &&
	test_must_fail submit --geometry=2x2 -p force2,force3 2>err &&
	grep "partition force3 is left out" err
'

test_expect_success 'several partitions: those that force the job to share are not used' '
	for parts in force2,main main,force2 force2,main,force3; do
		id=$(submit -t 5 --geometry=2x2 -p $parts 2>err) &&
		grep "partition force2 is left out: it makes jobs share nodes" err &&
		wait_state $id RUNNING && [ "$(partition_of $id)" = main ] &&
		assert_box $id 2x2 || return 1
	done &&
	cancel_all
'

test_expect_success 'a waiting shape cannot be moved to such a partition' '
	id=$(submit -t 5 --geometry=2x2 -H) &&
	test_must_fail scontrol update jobid=$id partition=force2 &&
	[ "$(partition_of $id)" = main ] &&
	scontrol update jobid=$id partition=force2,yes4 &&
	[ "$(partition_of $id)" = yes4 ] &&
	cancel_all
'

test_expect_success 'a partition begins to force sharing while a shape waits: the reason says so, and it starts elsewhere' '
	scontrol create partitionname=later nodes=ALL state=down maxtime=infinite &&
	id=$(submit -t 5 --geometry=2x2 -p later) && two=$(submit -t 5 --geometry=2x2 -p later,main -H) &&
	scontrol update partitionname=later oversubscribe=force:2 state=up &&
	wait_for 10 reason_is $id "partition later makes jobs share nodes .*scontrol update job=$id partition=NAME" &&
	stays_state $id PENDING 2 && scontrol release $two &&
	wait_state $two RUNNING && [ "$(partition_of $two)" = main ] &&
	scontrol update jobid=$id partition=main && wait_state $id RUNNING && assert_box $id 2x2 &&
	scontrol requeue $two && wait_state $two RUNNING 30 && [ "$(partition_of $two)" = main ] &&
	cancel_all
'

test_expect_success 'a sharing partition becomes exclusive' '
	scontrol update partitionname=later oversubscribe=no &&
	id=$(submit -t 5 --geometry=4x4 -p later -H) &&
	scontrol update partitionname=later oversubscribe=force:2 && scontrol release $id &&
	wait_for 10 reason_is $id "partition later makes jobs share nodes" &&
	scontrol update partitionname=later oversubscribe=no &&
	wait_state $id RUNNING && assert_box $id 4x4 && cancel_all
'

# on_same_nodes ID...
on_same_nodes() {
	for same_id in "$@"; do
		wait_state "$same_id" RUNNING 10 && job_nodes "$same_id" | paste -sd,
	done | sort -u >same.nodes
	[ "$(wc -l <same.nodes)" = 1 ]
}

test_expect_success 'jobs of several such partitions share nodes, shapes do not' '
	a=$(submit -t 5 -N8 -n32 -p force2) &&
	shape=$(submit -t 5 --geometry=4x2) &&
	b=$(submit -t 5 -N8 -n32 -p force2) &&
	c=$(submit -t 5 -N8 -n32 -p force3) &&
	on_same_nodes $a $b $c &&
	assert_box $shape 4x2 && assert_disjoint $shape $a &&
	more=$(submit -t 5 -N16 -n64 -p force3) &&
	sleep 2 && [ "$(job_state $more)" = PENDING ] &&
	cancel_all
'

test_expect_success 'a shape waits for nodes that such jobs share' '
	a=$(submit -t 5 -N14 -n56 -p force2) && b=$(submit -t 5 -N14 -n56 -p force2) &&
	on_same_nodes $a $b &&
	shape=$(submit -t 5 --geometry=2x2) &&
	sleep 2 && [ "$(job_state $shape)" = PENDING ] &&
	scancel $a $b && wait_state $shape RUNNING &&
	assert_box $shape 2x2 &&
	cancel_all
'

test_expect_success 'what could start now: the largest free box of each partition' '
	scontrol create partitionname=corner nodes=node[00,01,04,05] state=up &&
	a=$(submit -t 5 --geometry=4x2 --no-rotate -w node08,node15) &&
	wait_state $a RUNNING &&
	"$top_builddir/storus" slots --noheader -o "%P %f %l" >slots.out &&
	grep -x "main *8 *pod0:0,0+4x2" slots.out &&
	grep -x "corner *4 *pod0:0,0+2x2" slots.out &&
	grep -x -- "- *8 *pod0:0,0+4x2" slots.out &&
	"$top_builddir/storus" reservations -v >plan.out &&
	grep -x "main *pod0 *8 *pod0:0,0+4x2" plan.out &&
	grep -x "corner *pod0 *4 *pod0:0,0+2x2" plan.out &&
	"$top_builddir/storus" reservations -v --json | jq -r ".free[] | select(.partition == \"corner\") | .torus, .free, .largest.nodes" |
		paste -sd " " | grep -x "pod0 4 4" &&
	"$top_builddir/storus" reservations --json | jq -e ".free == null" &&
	cancel_all
'

# around STRATEGY NODES OPTION...: a place for these options holds the nodes
around() {
	sched_yaml '4, 4' easy >"$CLUSTER_DIR/torus.yaml" &&
		sed -i "s/^    dims:.*/&\n    strategy: $1/" "$CLUSTER_DIR/torus.yaml" &&
		scontrol reconfigure && cluster wait || return 1
	around_nodes=$2
	shift 2
	around_id=$(submit -t 5 -w "$around_nodes" "$@") &&
		wait_state "$around_id" RUNNING || return 1
	job_nodes "$around_id" >got
	scontrol show hostnames "$around_nodes" | while read -r around_node; do
		grep -qx "$around_node" got || return 1
	done && cancel_all
}

for strategy in submesh submesh-tbl submesh-bl submesh-tff submesh-ff; do
	test_expect_success "$strategy: -w of nodes far from where it would begin" "
		around $strategy node15 --geometry=2x2 &&
		around $strategy node10,node11 --geometry=2x2
	"
done
for strategy in semitorus-nep semitorus-ep semitorus-buddy subtorus; do
	test_expect_success "$strategy: -w of a node far from where it would begin" "
		around $strategy node14 --geometry=4
	"
done

test_done
