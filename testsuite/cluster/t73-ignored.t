#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What Slurm offers and sched/torus does not do is said: at start, or to whom asks
# for it.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: what has no effect is said'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2' easy --set PreemptType=preempt/partition_prio \
	--set PreemptMode=SUSPEND,GANG --node Feature=fast

test_expect_success 'PreemptMode=SUSPEND: in the log, once, and in storus reservations -v' '
	[ "$(grep -c "sched/torus: PreemptMode=SUSPEND has no effect" "$log")" -eq 1 ] &&
	j=$(submit --geometry=2x2 -t 5) && wait_state $j RUNNING 10 && sleep 1 &&
	"$top_builddir/storus" reservations -v | grep "PreemptMode=SUSPEND has no effect" &&
	cancel $j
'

test_expect_success '--time-min: a job starts with the longest limit that delays no job' '
	a=$(submit -N6 -t 5) && wait_state $a RUNNING 10 &&
	b=$(submit -N8 -t 5) && c=$(submit -N2 -t 30 --time-min=10) && sleep 3 &&
	[ "$(job_field $c JobState)" = PENDING ] &&
	d=$(submit --geometry=2 -t 30 --time-min=2) && wait_state $d RUNNING 10 &&
	[ "$(job_field $d TimeLimit)" = 00:04:00 ] &&
	grep "time limit of JobId=$d is 4 instead of 30 minutes" "$log" &&
	[ "$(job_field $c JobState)" = PENDING ] &&
	[ "$(job_field $c TimeLimit)" = 00:30:00 ] &&
	cancel_all
'

test_expect_success 'a number of nodes of each kind is refused, with the way out' '
	assert_refused "constraint=.*nodes of each kind; submit a job for each kind" \
		submit -N3 -C "[fast*2&fast*1]" -t 5 &&
	assert_refused "nodes of each kind" submit -N3 -C "fast*2" -t 5 &&
	j=$(submit -N2 -C "fast*2" -t 5) && wait_state $j RUNNING 10 && cancel $j
'
test_expect_success '... by scontrol update, too' '
	j=$(submit -N3 -t 5 --begin=now+1hour) &&
	test_must_fail scontrol update jobid=$j features="[fast*2&fast*1]" &&
	[ "$(job_field $j Features)" = "(null)" ] && cancel $j
'

test_expect_success 'a journal that is no regular file is reported at start and not changed' '
	mkfifo pipe && cp "$CLUSTER_DIR/torus.yaml" . &&
	echo "  journal: $PWD/pipe" >>"$CLUSTER_DIR/torus.yaml" && mark &&
	cluster restart-ctld && wait_for 10 logged "error: sched/torus: .*pipe" &&
	[ -p pipe ] && [ ! -e pipe.old ]
'

test_done
