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

test_expect_success '--time-min: the job is submitted, and the user told' '
	for shape in --geometry=2x2 -N2; do
		sbatch --parsable -o /dev/null --wrap "exec sleep 300" -t 5 \
			--time-min=1 $shape >id 2>err && cat err &&
		grep "torus: --time-min has no effect: .* write .* in --time" err &&
		wait_state $(cat id) RUNNING 10 || return 1
	done
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

test_expect_success 'a journal that is no regular file is said at start, and left alone' '
	mkfifo pipe && cp "$CLUSTER_DIR/torus.yaml" . &&
	echo "  journal: $PWD/pipe" >>"$CLUSTER_DIR/torus.yaml" && mark &&
	cluster restart-ctld && wait_for 10 logged "error: sched/torus: .*pipe" &&
	[ -p pipe ] && [ ! -e pipe.old ]
'

test_done
