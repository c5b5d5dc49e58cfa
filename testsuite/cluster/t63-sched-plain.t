#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus and jobs without a shape, on two toruses and a node that is in
# none: what fits into one torus runs; of the others the reason says why not.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: jobs without a shape, several toruses'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
cat >torus.yaml <<'YAML'
toruses:
  - name: pod0
    dims: [4, 2]
    nodes: node[00-07]
  - name: pod1
    dims: [4]
    nodes: node[08-11]
scheduler:
  discipline: easy
YAML
cluster_start --nodes 13 --select torus --sched torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

test_expect_success 'what one torus can hold runs there' '
	a=$(submit -N8 -t 5) && wait_state $a RUNNING 3 &&
	b=$(submit -N4 -t 5) && wait_state $b RUNNING 3 &&
	! job_nodes $a | grep node12 && ! job_nodes $b | grep node12 &&
	cancel $a $b
'

test_expect_success 'more nodes than any torus has: the reason says so' '
	a=$(submit -N9 -t 5) &&
	wait_for 5 reason_is $a "no torus has so many nodes.*nodes of one torus" &&
	b=$(submit -N2 -t 5) && wait_state $b RUNNING 3 &&
	cancel $a $b
'

test_expect_success 'only nodes that no torus has: the reason says so' '
	a=$(submit -N1 -t 5 -w node12) &&
	wait_for 5 reason_is $a "nodes of torus.yaml only" &&
	cancel $a
'

test_expect_success 'some of them, but no torus has enough that are for it' '
	a=$(submit -N4 -t 5 -x node[00-04,08]) &&
	wait_for 5 reason_is $a "no torus has its nodes" &&
	b=$(submit -N3 -t 5 -x node[00-04,08]) && wait_state $b RUNNING 3 &&
	cancel $a $b
'

test_done
