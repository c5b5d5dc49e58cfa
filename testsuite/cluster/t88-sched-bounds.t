#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus: what users may type does not keep slurmctld busy.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: requests that must not keep slurmctld busy'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 4, 2' easy

# quiet: nothing happens, so that nothing is planned; a cluster that has just
# started may take some seconds to become so
cycles() {
	"$top_builddir/storus" reservations -v | sed -n "s/^\([0-9]*\) cycles:.*/\1/p"
}
quiet() {
	quiet_from=$(cycles) && sleep 4 && echo "$quiet_from cycles, then $(cycles)" &&
		[ $(($(cycles) - quiet_from)) -lt 3 ]
}

test_expect_success 'a begin time in 300,000 years wakes no thread' '
	a=$(submit --geometry=2x2 -t 5 --begin=now+16000000weeks) &&
	b=$(submit -N1 -t 5 --begin=now+16000000weeks) &&
	c=$(submit --geometry=2x2 -t 5) &&
	wait_state $c RUNNING 15 &&
	wait_for 30 quiet &&
	reason_is $a BeginTime && reason_is $b BeginTime &&
	cancel $a $b $c
'

# (Slurm 24.11 refuses such a number itself.)
test_expect_success 'tasks times CPUs beyond 32 bits do not become a small number' '
	test_must_fail submit --geometry=4x4x2 -n 131072 -c 32768 2>err &&
	grep -E "CPU count per node can not be satisfied|asks for 32768 CPUs of a node" err
'

test_done
