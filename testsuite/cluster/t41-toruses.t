#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two toruses in one cluster: a node count means the same number of nodes in
# each; shapes go where they fit; a running shape cannot be cut down, and
# defaults of the environment leave jobs without a shape alone.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='two toruses, and what may not be changed'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
cat >torus.yaml <<'YAML'
toruses:
  - name: pod0
    dims: [4, 2]
    nodes: node[00-07]
  - name: pod1
    dims: [5]
    nodes: node[08-12]
YAML
cluster_start --nodes 13 --select torus --torus torus.yaml

nodes_of() {
	job_nodes "$1" | wc -l
}

test_expect_success 'a count of 5 goes to the torus that has exactly 5 as a box' '
	a=$(submit --geometry=5 -t 20) && wait_state $a RUNNING &&
	[ "$(nodes_of $a)" -eq 5 ] &&
	b=$(submit --geometry=5 -t 20) && stays_state $b PENDING 2 &&
	cancel $a && wait_state $b RUNNING && [ "$(nodes_of $b)" -eq 5 ] &&
	cancel $b
'

test_expect_success 'a count of 7: the next that either can, 8' '
	a=$(submit --geometry=7 -t 20) && wait_state $a RUNNING &&
	[ "$(nodes_of $a)" -eq 8 ] && cancel $a
'

test_expect_success 'shapes of one axis go to either' '
	a=$(submit --geometry=4x1 -t 20) && b=$(submit --geometry=4x1 -t 20) &&
	c=$(submit --geometry=4x1 -t 20) &&
	for id in $a $b $c; do wait_state $id RUNNING || return 1; done &&
	assert_disjoint $a $b $c && cancel $a $b $c
'

test_expect_success 'a running shape cannot be cut down' '
	a=$(submit --geometry=2x2 -t 20) && wait_state $a RUNNING &&
	test_must_fail scontrol update jobid=$a nodelist=node00 &&
	test_must_fail scontrol update jobid=$a numnodes=2 &&
	[ "$(nodes_of $a)" -eq 4 ] && cancel $a
'

test_expect_success 'defaults for shapes do not apply to other jobs' '
	a=$(SBATCH_NO_ROTATE=1 SBATCH_CONN_TYPE=torus SBATCH_GEOMETRY= submit -N1 -t 1) &&
	wait_state $a RUNNING && [ "$(nodes_of $a)" -eq 1 ] && cancel $a &&
	test_must_fail sbatch --no-rotate -N1 --wrap true &&
	a=$(SBATCH_GEOMETRY=2x2 submit -t 1) &&
	wait_state $a RUNNING && [ "$(nodes_of $a)" -eq 4 ] && cancel $a
'

test_done
