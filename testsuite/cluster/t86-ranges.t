#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus and a range of nodes (-N2-4) around the nodes of -w, under each
# discipline: it takes what is idle with these nodes, waits for them, keeps its
# promise, preempts for them; of several toruses, too. Ranges and shapes.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: a range of nodes with -w'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' easy --set PreemptType=preempt/partition_prio --set PreemptMode=REQUEUE
disciplines='fcfs fpfs fpmpfs easy conservative dedf'

nodes_are() {
	[ "$(job_nodes "$1" | paste -sd ' ' -)" = "$2" ] || {
		echo "job $1 has $(job_nodes "$1" | paste -sd ' ' -), not $2"
		return 1
	}
}
has_node() {
	job_nodes "$1" | grep -qx "$2" && [ "$(job_nodes "$1" | wc -l)" = "$3" ] || {
		echo "job $1 has $(job_nodes "$1" | paste -sd ' ' -), not $3 with $2"
		return 1
	}
}

# begin DISCIPLINE
begin() {
	cancel_all && rm -f journal.csv &&
		sched_change '4, 2, 2' "$1" "journal: $PWD/journal.csv" &&
		cp "$CLUSTER_DIR/torus.yaml" now.yaml
}

# three nodes are idle, one of them is required, at submission or later; then one
# that is required is busy, though enough others are idle
around() {
	begin "$1" &&
		a=$(submit -N13 -w 'node[00-12]' -t 5) && wait_state $a RUNNING 15 &&
		b=$(submit -N2-4 -w node14 -t 5) && wait_state $b RUNNING 5 &&
		nodes_are $b 'node13 node14 node15' &&
		cancel $b &&
		b=$(submit -N2-12 -w node15 -t 5) && wait_state $b RUNNING 5 &&
		has_node $b node15 3 && cancel $b &&
		c=$(submit -N2 -w 'node[13-14]' -t 8) && wait_state $c RUNNING 5 &&
		b=$(submit -N2-4 -w node14 -t 5) && stays_state $b PENDING 3 &&
		cancel $c && wait_state $b RUNNING 5 &&
		nodes_are $b 'node13 node14 node15' && cancel $b &&
		c=$(submit -N2 -w 'node[13-14]' -t 8) && wait_state $c RUNNING 5 &&
		b=$(submit -N2-4 -n3 -t 5) && d=$(submit -N2-4 -n4 -t 8) && stays_state $b PENDING 3 &&
		cancel $c && wait_state $b RUNNING 5 &&
		nodes_are $b 'node13 node14 node15' && [ "$(job_state $d)" = PENDING ] &&
		cancel $d $a $b &&
		a=$(submit -N1 -w node05 -t 5) && wait_state $a RUNNING 5 &&
		b=$(submit -N2-4 -w node05,node06 -t 5) && stays_state $b PENDING 3 &&
		cancel $a && wait_state $b RUNNING 5 && has_node $b node05 4 &&
		has_node $b node06 4 && cancel $b
}
exact() { # [JOURNAL]
	wait_for 20 squeue_is_empty && sleep 1 &&
		"$top_builddir/storus" parity --torus now.yaml --within 0.001 --check "${1:-journal.csv}" >same &&
		grep -x "regions: 0 of [1-9][0-9]* differ" same || {
		cat same "${1:-journal.csv}"
		return 1
	}
}
for discipline in $disciplines; do
	test_expect_success "$discipline: the idle nodes around the required ones" '
		around $discipline
	'
	test_expect_success "$discipline: a replay of the journal takes the same" '
		exact
	'
done

test_expect_success 'wider ranges, as many alternatives as there are numbers or not' '
	for discipline in easy conservative dedf; do
		begin $discipline || return 1
		a=$(submit -N12 -w "node[00-11]" -t 5) && wait_state $a RUNNING 15 &&
		b=$(submit -N1-16 -w node13 -t 5) && wait_state $b RUNNING 5 &&
		has_node $b node13 4 && cancel $a $b || { echo $discipline; return 1; }
	done
'

test_expect_success 'conservative: a promise that is held, until more is idle' '
	begin conservative &&
	a=$(submit -N12 -w "node[00-11]" -t 5) && wait_state $a RUNNING 15 &&
	c=$(submit -N3 -w "node[12-14]" -t 8) && wait_state $c RUNNING 5 &&
	b=$(submit -N2-4 -w node14 -t 5) && wait_for 5 promised $b &&
	grep -x node14 planned && first_time=$start_time &&
	d=$(submit -N16 -t 5) && wait_for 5 promised $d &&
	scontrol update jobid=$a timelimit=4 && sleep 3 && promised $b &&
	[ "$(seconds "$start_time")" -le "$(seconds "$first_time")" ] &&
	cancel $c && wait_state $b RUNNING 5 && has_node $b node14 4 &&
	cancel $a $b $d
'

test_expect_success 'a range that preempts takes the required node, and no more victims than it must' '
	for discipline in easy conservative; do
		begin $discipline &&
		scontrol create partition=high nodes=ALL prioritytier=10 state=up &&
		a=$(submit -N12 -w "node[00-11]" -t 5) && c=$(submit -N3 -w "node[12-14]" -t 5) &&
		wait_state $a RUNNING 15 && wait_state $c RUNNING 5 &&
		b=$(submit -N2-4 -w node13 -p high -t 5) && wait_state $b RUNNING 20 &&
		has_node $b node13 4 && [ "$(job_state $a)" = RUNNING ] &&
		cancel_all && scontrol delete partition=high || { echo $discipline; return 1; }
	done
'

# (a journal of their own: the machine of before may write into a removed one once
# more, until it is reconfigured)
test_expect_success 'two toruses: the required nodes lie in both' '
	cat >"$CLUSTER_DIR/torus.yaml" <<-EOF &&
	toruses:
	  - {name: pod0, dims: [4, 2], nodes: "node[00-07]"}
	  - {name: pod1, dims: [4, 2], nodes: "node[08-15]"}
	scheduler: {discipline: DISCIPLINE, journal: $PWD/two.csv}
	EOF
	cp "$CLUSTER_DIR/torus.yaml" two.yaml &&
	for discipline in easy conservative; do
		cancel_all && rm -f two.csv &&
		sed "s/DISCIPLINE/$discipline/" two.yaml >"$CLUSTER_DIR/torus.yaml" &&
		cp "$CLUSTER_DIR/torus.yaml" now.yaml && scontrol reconfigure && cluster wait &&
		a=$(submit -N11 -w "node[00-04,08-13]" -t 5) && wait_state $a RUNNING 15 &&
		b=$(submit -N3-8 -w node06,node15 -t 5) && wait_state $b RUNNING 5 &&
		has_node $b node06 5 && has_node $b node15 5 && cancel $b &&
		b=$(submit -N2-4 -w node08 -t 5) && stays_state $b PENDING 3 &&
		cancel $a && wait_state $b RUNNING 5 && has_node $b node08 4 && cancel $b &&
		exact two.csv || { echo $discipline; return 1; }
	done
'

test_expect_success 'a shape has its own number: a range without it is refused' '
	begin easy &&
	assert_refused "N .--nodes. contradicts --geometry=2x2, which is 4 nodes" \
		submit --geometry=2x2 -N5-8 &&
	assert_refused "contradicts" submit --geometry=2x2,4x2@5s -N2-4 &&
	a=$(submit --geometry=2x2 -N1-32 -t 5) && wait_state $a RUNNING 5 &&
	test "$(job_field $a NumNodes)" = 4 && cancel $a
'

test_done
