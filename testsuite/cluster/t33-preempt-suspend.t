#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# PreemptMode=SUSPEND,GANG under sched/backfill: a suspended job keeps its nodes, so
# nobody is suspended for a shape, and no shape for others.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='PreemptMode=SUSPEND: a shape has its nodes to itself'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
# shellcheck source=testsuite/cluster/lib-preempt.sh
. "$cluster_lib/lib-preempt.sh"
skip_without_plugins torus
skip_without_plugins torus_cons_tres
MACHINE=4x4
preempt_mode=SUSPEND,GANG

for select in torus_cons_tres torus; do

preempt_start backfill $select 0

test_expect_success "$select: a shape waits until the jobs of the lower tier have ended" '
	a=$(submit -p lo -t 5 -n1 --mem=100 -w node05) && wait_state $a RUNNING &&
	b=$(submit -t 1 --mem=100 --geometry=4x4) && stays_state $b PENDING 8 &&
	[ "$(job_state $a)" = RUNNING ] && c=$(submit -t 1 --mem=100 --geometry=4x2 -w node00) &&
	wait_state $c RUNNING 60 && assert_disjoint $a $c && cancel $c && nobody_shares && cancel $a && wait_state $b RUNNING 60 && nobody_shares && cancel_all
'

test_expect_success "$select: a shape of the lower tier is not suspended for a job without one" '
	a=$(submit -p lo -t 5 --mem=100 --geometry=4x4) && wait_state $a RUNNING &&
	b=$(submit -t 1 -N2 --mem=100) && stays_state $b PENDING 8 &&
	[ "$(job_state $a)" = RUNNING ] && nobody_shares &&
	cancel $a && wait_state $b RUNNING 60 && cancel_all
'

test_expect_success "$select: a job that an administrator suspends keeps its nodes from a shape, and a shape from all" '
	a=$(submit -t 5 -n4 --mem=100 -w node05) && wait_state $a RUNNING &&
	scontrol suspend $a && b=$(submit -t 1 --mem=100 --geometry=4x4) &&
	stays_state $b PENDING 8 && c=$(submit -t 1 --mem=100 --geometry=4x2) &&
	wait_state $c RUNNING 60 && assert_disjoint $a $c && cancel $c &&
	scontrol resume $a && cancel $a &&
	wait_state $b RUNNING 60 && scontrol suspend $b &&
	d=$(submit -t 1 -n1 --mem=100) && stays_state $d PENDING 8 && scontrol resume $b &&
	nobody_shares && cancel_all
'

test_expect_success "$select: no start had to be refused" '
	! grep "has its nodes to itself" "$log"
'

preempt_stop

done

test_done
