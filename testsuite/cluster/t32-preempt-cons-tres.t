#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Preemption where nodes are shared by core: a shape has its nodes to itself, under
# sched/torus and under sched/backfill, on nodes with free cores, too.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='select/torus_cons_tres: a shape preempts what is on its nodes'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
# shellcheck source=testsuite/cluster/lib-preempt.sh
. "$cluster_lib/lib-preempt.sh"
skip_without_plugins torus_cons_tres
MACHINE=4x4

for scheduler in torus backfill; do

preempt_start $scheduler

test_expect_success "$scheduler: a shape preempts a job of one core, and starts after its grace time" '
	a=$(submit -p lo -t 5 -n1 --mem=100 -w node05) && wait_state $a RUNNING &&
	b=$(submit -t 1 --mem=100 --geometry=4x4) &&
	wait_for 20 has_preempted $a &&
	[ "$(job_state $a) $(job_state $b)" = "RUNNING PENDING" ] &&
	wait_state $b RUNNING 60 && assert_box $b 4x4 &&
	[ "$(job_state $a)" = PENDING ] && nobody_shares &&
	cancel_all
'

test_expect_success "$scheduler: a place without victims is taken first, and nobody is preempted" '
	a=$(submit -p lo -t 5 -n1 --mem=100 -w node05) && wait_state $a RUNNING &&
	b=$(submit -t 5 --mem=100 --geometry=4x2) && wait_state $b RUNNING 30 &&
	assert_box $b 4x2 && assert_disjoint $a $b &&
	! has_preempted $a && [ "$(job_state $a)" = RUNNING ] &&
	cancel_all
'

test_expect_success "$scheduler: -w, a union of regions, several victims on a node" '
	for i in 1 2 3; do submit -p lo -t 5 -n1 --mem=100 -w node05 || return 1; done >lo &&
	wait_state $(tail -n 1 lo) RUNNING 30 &&
	b=$(submit -t 1 --mem=100 --geometry=2x1 --no-rotate -w node05) &&
	wait_state $b RUNNING 60 && job_nodes $b | grep -x node05 && assert_box $b 2x1 &&
	for i in $(cat lo); do [ "$(job_state $i)" != RUNNING ] || assert_disjoint $b $i || return 1; done &&
	nobody_shares && cancel_all &&
	c=$(submit -p lo -t 5 -N16 -n16 --mem=100) && wait_state $c RUNNING 30 &&
	d=$(submit -t 1 --mem=100 --geometry=2x2*3) && wait_state $d RUNNING 60 &&
	[ "$(job_nodes $d | wc -l)" = 12 ] && nobody_shares && cancel_all
'

test_expect_success "$scheduler: nodes that a job of its own tier shares are not cleared" '
	a=$(submit -p lo -t 5 -n1 --mem=100 -w node05) && wait_state $a RUNNING &&
	c=$(submit -t 5 -n1 --mem=100 -w node05) && wait_state $c RUNNING 30 &&
	[ "$(job_nodes $a)" = "$(job_nodes $c)" ] &&
	b=$(submit -t 1 --mem=100 --geometry=4x4) &&
	stays_state $b PENDING 12 && ! has_preempted $a &&
	cancel $c && wait_state $b RUNNING 60 && nobody_shares &&
	cancel_all
'

test_expect_success "$scheduler: a restart during the grace time" '
	a=$(submit -p lo -t 5 -n1 --mem=100 -w node05) && wait_state $a RUNNING && sleep 5 &&
	b=$(submit -t 1 --mem=100 --geometry=4x4) &&
	wait_for 20 has_preempted $a && cluster restart-ctld &&
	never_shared 12 && wait_state $b RUNNING 60 && assert_box $b 4x4 && nobody_shares &&
	cancel_all
'

test_expect_success "$scheduler: a suspended job keeps a shape off its nodes, and a suspended shape others" '
	a=$(submit -t 5 -n4 --mem=100 -w node05) && wait_state $a RUNNING &&
	scontrol suspend $a && b=$(submit -t 1 --mem=100 --geometry=4x4) &&
	stays_state $b PENDING 8 && scontrol resume $a && cancel $a &&
	wait_state $b RUNNING 60 && scontrol suspend $b &&
	c=$(submit -t 1 -n1 --mem=100) && stays_state $c PENDING 8 &&
	scontrol resume $b && nobody_shares && cancel_all
'

test_expect_success "$scheduler: no start was refused, since no plugin chose shared nodes" '
	! grep "has its nodes to itself" "$log"
'

preempt_stop

done

# preempt_all OPTION...: a job that needs all nodes for itself, beside one of a lower
# tier on one core: who runs then?
preempt_all() {
	all_a=$(submit -p lo -t 5 -n1 --mem=100 -w node05) && wait_state "$all_a" RUNNING 30 >&2 &&
		all_b=$(submit -t 5 --mem=100 "$@") && wait_state "$all_b" RUNNING 70 >&2 &&
		echo "$(job_state "$all_a") $(job_nodes "$all_b" | wc -l)" && cancel_all >&2
}

test_expect_success 'as stock Slurm: who preempts, and who shares, under sched/backfill' '
	preempt_start backfill cons_tres &&
	preempt_all -N16 --exclusive >stock && shares_with_lower_tier >>stock && preempt_stop &&
	preempt_start backfill &&
	preempt_all --geometry=4x4 >ours && shares_with_lower_tier >>ours && preempt_stop &&
	cat ours && test_cmp stock ours && grep -x "PENDING 16" ours
'

test_done
