#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# select/linear counts a job on a node that it has left (suspended over a restart): the
# node is idle, but Slurm refuses it. Jobs are not preempted again and again for a place
# that has such a node.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: preemption around a leaked node'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
# shellcheck source=testsuite/cluster/lib-preempt.sh
. "$cluster_lib/lib-preempt.sh"
skip_without_plugins torus
MACHINE=4x4
preempt_start torus torus 0

test_expect_success 'the job that preempts gets another place' '
	k=$(submit -N1 -w node05 -t 9) && wait_state $k RUNNING && scontrol suspend $k &&
	wait_state $k SUSPENDED 10 && sleep 6 && cluster restart-ctld &&
	scontrol resume $k && wait_state $k RUNNING 10 && scancel $k && sleep 2 &&
	for i in $(seq 15); do submit -p lo -N1 -t 30 -x node05 || return 1; done >lo &&
	wait_state $(tail -n 1 lo) RUNNING 30 &&
	a=$(submit -p hi --geometry=2x2 -t 5) && wait_state $a RUNNING 90 &&
	assert_box $a 2x2 && ! job_nodes $a | grep -x node05 &&
	grep -c "preempts, and claims" "$log" && [ "$(grep -c "preempts, and claims" "$log")" -le 4 ]
'

test_done
