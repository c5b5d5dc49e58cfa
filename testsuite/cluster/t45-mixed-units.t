#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A machine of two toruses, one whose nodes are vertices and one whose nodes are boxes
# of them: the same shape has 16 nodes in one and 4 in the other. Slurm fixes a job's
# number of nodes at submission; sched/torus changes it with the torus.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='toruses with nodes of different sizes'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
cat >torus.yaml <<'EOS'
toruses:
- name: chips
  dims: [4, 4]
  nodes: node[00-15]
- name: hosts
  dims: [4, 4]
  unit: [2, 2]
  nodes: node[16-19]
scheduler: {discipline: easy}
EOS

# has_nodes ID NUMBER
has_nodes() {
	[ "$(job_nodes "$1" | wc -l)" -eq "$2" ]
}

start_is_known() {
	[ "$(squeue -h -j "$1" -o %S)" != N/A ]
}

required() {
	test_expect_success "$1: nodes of either torus may be required" '
		a=$(submit --geometry=4x4 -w node17 -t 5) &&
		b=$(submit --geometry=4x4 -w node03 -t 5) &&
		wait_state $a RUNNING 40 && has_nodes $a 4 &&
		wait_state $b RUNNING 40 && has_nodes $b 16 &&
		cancel_all
	'
}

cluster_start --nodes 20 --select torus --torus torus.yaml
required backfill
test_expect_success 'backfill: a job that waits for its torus has an expected start' '
	a=$(submit --geometry=4x4 -t 5) &&
	wait_state $a RUNNING 40 && has_nodes $a 16 &&
	b=$(submit --geometry=4x4 -t 5) &&
	wait_for 40 start_is_known $b &&
	[ "$(squeue -h -j $b -o %T)" = PENDING ] &&
	scancel $a && wait_state $b RUNNING 40 && has_nodes $b 16 &&
	! grep "is JobSubmitPlugins=torus set" "$CLUSTER_DIR/log/slurmctld.log" &&
	cancel_all
'
cluster stop --now >/dev/null && rm -rf "$CLUSTER_DIR"

cluster_start --nodes 20 --select torus --sched torus --torus torus.yaml
required easy
test_expect_success 'easy: a job takes the torus that is free, with the nodes that it needs there' '
	a=$(submit --geometry=4x4 -t 5) && b=$(submit --geometry=4x4 -t 5) &&
	wait_state $a RUNNING 20 && has_nodes $a 16 &&
	wait_state $b RUNNING 20 && has_nodes $b 4 &&
	cancel_all
'
test_expect_success 'easy: so does one with alternatives' '
	a=$(submit --geometry=4x4,4x2 -t 5) && b=$(submit --geometry=4x4,4x2 -t 5) &&
	wait_state $a RUNNING 20 && has_nodes $a 16 &&
	wait_state $b RUNNING 20 && has_nodes $b 4 &&
	! grep "is JobSubmitPlugins=torus set" "$CLUSTER_DIR/log/slurmctld.log" &&
	cancel_all
'
test_done
