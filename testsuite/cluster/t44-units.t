#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nodes that are boxes of 2x2x1 vertices: shapes are in vertices, and each task
# learns which vertices are its own.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='nodes of several vertices: shapes, coordinates of tasks'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
cat >torus.yaml <<'EOS'
toruses:
- name: pod0
  dims: [4, 4, 2]
  unit: [2, 2, 1]
  nodes: node[00-07]
EOS
cluster_start --nodes 8 --cpus 4 --select torus --torus torus.yaml

test_expect_success 'one task per node has all vertices of its node' '
	srun --mpi=none --geometry=2x4 --no-rotate -n 2 sh -c \
		"echo \$SLURMD_NODENAME \$TORUS_COORD \$TORUS_VERTICES \$TORUS_UNIT \$TORUS_GEOMETRY" |
		sort >got &&
	cat >want <<-EOS &&
	node00 0,0 0,0;0,1;1,0;1,1 2x2 2x4
	node02 0,2 0,2;0,3;1,2;1,3 2x2 2x4
	EOS
	test_cmp want got
'

test_expect_success 'one task per vertex has its own' '
	srun --mpi=none --geometry=2x4 --no-rotate -n 8 sh -c \
		"echo \$SLURM_PROCID \$TORUS_COORD \$TORUS_VERTICES" |
		sort -n >got &&
	cat >want <<-EOS &&
	0 0,0 0,0
	1 0,1 0,1
	2 1,0 1,0
	3 1,1 1,1
	4 0,2 0,2
	5 0,3 0,3
	6 1,2 1,2
	7 1,3 1,3
	EOS
	test_cmp want got
'

test_expect_success 'other numbers of tasks: the vertices of a node are divided evenly' '
	show="echo \$SLURM_PROCID \$TORUS_COORD \$TORUS_VERTICES" &&
	srun --mpi=none --geometry=2x4 --no-rotate -n 4 --ntasks-per-node=2 sh -c "$show" |
		sort -n >got &&
	srun --mpi=none --geometry=2x2 --no-rotate -n 3 sh -c "$show" | sort -n >>got &&
	srun --mpi=none --geometry=2x2 --no-rotate -n 6 -O sh -c "$show" | sort -n >>got &&
	cat >want <<-EOS &&
	0 0,0 0,0;0,1
	1 1,0 1,0;1,1
	2 0,2 0,2;0,3
	3 1,2 1,2;1,3
	0 0,0 0,0
	1 0,1 0,1
	2 1,0 1,0;1,1
	0 0,0 0,0
	1 0,0 0,0
	2 0,1 0,1
	3 1,0 1,0
	4 1,0 1,0
	5 1,1 1,1
	EOS
	test_cmp want got
'

test_expect_success 'less than a node, or parts of nodes, is refused' '
	test_must_fail srun --mpi=none --geometry=1x1x1 true 2>err &&
	grep "a node is 2x2x1" err &&
	test_must_fail srun --mpi=none --geometry=3x4 true 2>err &&
	grep "ask for 4x4" err
'

test_expect_success 'whole nodes are allocated: --gres changes nothing' '
	test_must_fail submit --geometry=1x1x1 --gres=chip:1 2>err
'

cluster stop --now >/dev/null && rm -rf "$CLUSTER_DIR"
cluster_start --nodes 8 --cpus 4 --gres chip:4 --select torus_cons_tres \
	--sched torus --torus torus.yaml

test_expect_success 'less than a node with --gres: several jobs share a node' '
	a=$(submit --geometry=1x1x1 --gres=chip:1 -n1 -t 5) &&
	b=$(submit --geometry=2x1 --gres=chip:2 -n2 -t 5) &&
	wait_state $a RUNNING 10 && wait_state $b RUNNING 10 &&
	[ "$(job_nodes $a)" = "$(job_nodes $b)" ] &&
	c=$(submit --geometry=4x4x2 -t 5) &&
	stays_state $c PENDING 2 &&
	scancel $a $b && wait_state $c RUNNING 10 && cancel $c
'

test_expect_success 'without --gres, or with more nodes, it is refused' '
	test_must_fail submit --geometry=1x1x1 2>err &&
	grep "a node is 2x2x1" err &&
	test_must_fail submit --geometry=1x1x1 --gres=chip:1 -N2 2>err &&
	grep "a node is 2x2x1" err &&
	test_must_fail submit --geometry=1x1x1 --gres=chip:0 2>err &&
	grep "a node is 2x2x1" err &&
	a=$(submit --geometry=2x2 --gres=chip:4 -t 5) &&
	wait_state $a RUNNING 10 && job_region $a | grep "+2x2x1" && cancel $a
'

test_done
