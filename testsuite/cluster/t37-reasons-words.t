#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reasons of waiting jobs: names of array tasks, their length, constraints that leave no
# node, jobs that no nodes suit, dead links; the node count of a job with another shape.

# shellcheck disable=SC2004,SC2016,SC2034,SC2086,SC2154  # cases are evaluated by sharness
test_description='reasons: names, length, causes'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
long=node-with-a-name-as-long-as-those-of-some-sites-have-it
sched_start '4, 2, 2' easy --set SlurmctldDebug=verbose
storus=$top_builddir/storus

running_are() {
	[ "$(squeue -h -r -t R -j "$1" | wc -l)" -eq "$2" ]
}
plan() {
	"$storus" reservations --file "$CLUSTER_DIR/state/torus_plan" "$@"
}
plan_has() {
	plan_pattern=$1
	shift
	plan "$@" | tr -d ' \n' >said
	grep -Eq -e "$plan_pattern" said
}
# the reason as squeue has it
squeue_says() {
	squeue -h -j "$1" -o %r >said && cat said && grep -Eq -e "$2" said
}

test_expect_success 'tasks of an array are named as squeue names them' '
	a=$(submit --array=0-2 -N2 -t5) && wait_for 20 running_are $a 3 &&
	b=$(submit --geometry=4x2x2 -t5) &&
	wait_for 10 reason_is $b "; jobs ${a}_0, ${a}_1, ${a}_2 hold its place; expected" &&
	plan $b | grep -E "^held by +job ${a}_0 until .*, job ${a}_1 until .*, job ${a}_2 until" &&
	plan_has "\"task\":\"${a}_1\"" --json $b && grep "\"array\": $a, \"task\": 2," "$CLUSTER_DIR/state/torus_plan"
'

test_expect_success '... and a task that waits has an entry under its name' '
	scancel ${a}_1 && c=$(submit --array=5-6 --geometry=4x2x2 -t5) && sleep 1 &&
	scontrol update jobid=${c}_5 comment=split &&
	wait_for 10 plan ${c}_5 && plan ${c}_5 | grep -E "^job +${c}_5$" && cancel_all
'

test_expect_success 'storus metrics reads the plan where slurmctld writes it, and counts what the timer asks for' '
	shapes=$(sed -n "s/^Environment=\"STORUS_SHAPES=\(.*\)\"/\1/p" \
		"$top_srcdir/contribs/systemd/storus-metrics.service") && [ -n "$shapes" ] &&
	"$storus" metrics $shapes >said && grep -x "torus_plan_readable 1" said &&
	grep "^torus_plan_time_seconds" said && grep "^torus_slots{shape=\"2x2\"}" said
'

test_expect_success 'a reason is bounded, whatever blocks' '
	scontrol update nodename=node00 state=drain reason=test &&
	for i in 1 2 3 4 5; do
		scontrol create reservation=${long}_$i start=now+2minutes duration=9 \
			users=root nodes=ALL flags=maint,overlap || return 1
	done &&
	b=$(submit --geometry=2x2x2 -t 30) && c=$(submit --geometry=4x2x2 -t30) && sleep 3 &&
	squeue -h -o "%i %r" | awk "length(\$0) > 206 { print; bad = 1 } END { exit bad }" &&
	squeue_says $b "reserved: ${long}_1( and 4 more|.*and [0-9] more)" &&
	for i in 1 2 3 4 5; do scontrol delete reservation=${long}_$i || return 1; done &&
	cancel_all && scontrol update nodename=node00 state=resume
'

test_expect_success 'a job that no nodes suit: one line in the log, one reason' '
	for change in MinCPUsNode=2 MinTmpDiskNode=90000000; do
		b=$(submit -H --geometry=2x2 -t5) && scontrol update jobid=$b $change &&
		mark && scontrol release $b &&
		wait_for 10 squeue_says $b "Slurm finds no nodes that suit the job" && sleep 5 &&
		[ "$(logged "did not start" | wc -l)" = 1 ] &&
		[ "$(logged "No nodes satisfy" | wc -l)" = 1 ] &&
		squeue_says $b "Slurm finds no nodes that suit the job" || return 1
	done &&
	c=$(submit -N4 -t5) && wait_state $c RUNNING && cancel $c &&
	scontrol update jobid=$b MinTmpDiskNode=0 && wait_state $b RUNNING && cancel_all
'

test_expect_success 'constraints that leave no node are named' '
	scontrol update nodename=node[00-03] availablefeatures=gold activefeatures=gold &&
	a=$(submit -H --geometry=2x1 -C gold -t5) && b=$(submit -H -N3 -C gold -t5) &&
	c=$(submit -H --geometry=4x1 -C gold -t5) &&
	scontrol update nodename=node[01-03] availablefeatures=iron activefeatures=iron &&
	scontrol release $b $c && wait_for 10 squeue_says $c "needs 4 nodes, but may use only 1 .*-C" &&
	scontrol update nodename=node00 availablefeatures=iron activefeatures=iron &&
	scontrol release $a &&
	wait_for 10 squeue_says $a "partition main has no nodes that the job may use \(-C gold\)" &&
	wait_for 10 squeue_says $b "no nodes that the job may use \(-C gold\)" && cancel_all
'

test_expect_success 'squeue has the node count of the new shape, and of the alternative' '
	a=$(submit -N16 -t5) && wait_state $a RUNNING &&
	for shape in 2x2 4x2x2 4x2,2x2; do
		b=$(submit --geometry=4x2 -t5) && wait_for 10 promised $b &&
		"$storus" update $b --geometry=$shape &&
		want=$(echo ${shape%,*} | tr x "*") &&
		[ "$(squeue -h -j $b -o %D)" = $(($want)) ] && sleep 2 &&
		[ "$(squeue -h -j $b -o %D)" = $(($want)) ] && cancel $b || return 1
	done && cancel_all
'

test_expect_success 'a dead link that leaves a job no place is named' '
	torus_yaml "4, 2, 2" "links: $CLUSTER_DIR/links" >"$CLUSTER_DIR/torus.yaml" &&
	echo "scheduler: {discipline: easy}" >>"$CLUSTER_DIR/torus.yaml" &&
	: >"$CLUSTER_DIR/links" &&
	scontrol reconfigure && cluster wait &&
	a=$(submit -N1 -t5) && wait_state $a RUNNING &&
	b=$(submit --geometry=4x2x2 --conn-type=torus -t5) && sleep 1 &&
	echo "pod0:0,0,0 0 down" >"$CLUSTER_DIR/links.new" &&
	mv "$CLUSTER_DIR/links.new" "$CLUSTER_DIR/links" &&
	wait_for 30 squeue_says $b "avoids the link pod0:0,0,0 0 .down." && cancel_all
'

test_done
