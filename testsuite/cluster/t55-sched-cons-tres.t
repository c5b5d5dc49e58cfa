#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus around select/torus_cons_tres: GRES are respected.

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

test_done
