#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus, with a slurmdbd of the cluster's own: preemption by QOS clears the
# place where the least is lost, and passes by nobody of its own rank; the
# priorities of priority/multifactor are the order of the queue.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: preemption by QOS, priority/multifactor'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
skip_without_accounting
sched_start '4, 2, 2' easy --accounting \
	--set PreemptType=preempt/qos --set PreemptMode=REQUEUE \
	--set PriorityType=priority/multifactor --set PriorityWeightQOS=10000

quarter=--geometry=2x2x1

# begun QOS OPTION...: the id of a job that runs, a second after it has begun
begun() {
	begun_qos=$1
	shift
	begun_id=$(submit -q "$begun_qos" "$@" -t 9) || return 1
	wait_state "$begun_id" RUNNING 5 >&2 || return 1
	sleep 1
	echo "$begun_id"
}

all_run() {
	for id in "$@"; do
		[ "$(job_state "$id")" = RUNNING ] || {
			echo "job $id is $(job_state "$id")"
			return 1
		}
	done
}

test_expect_success 'a preemptable QOS, and one that may preempt it' '
	sched_change "4, 2, 2" easy "order: arrival" &&
	sacctmgr -i add qos cheap &&
	sacctmgr -i add qos urgent Preempt=cheap Priority=100 &&
	sacctmgr -i modify qos where name=normal set Priority=50 && # (top lowers no priority of 1)
	sacctmgr -i modify user "$(id -un)" set qos=normal,cheap,urgent &&
	wait_for 5 sbatch -q urgent --test-only -N1 --wrap true
'

test_expect_success 'REQUEUE: of those that may be, the one with the least to lose' '
	a=$(begun cheap $quarter --no-rotate) && b=$(begun cheap $quarter --no-rotate) &&
	c=$(begun cheap $quarter --no-rotate) && d=$(begun normal $quarter --no-rotate) &&
	job_nodes $c >c.nodes &&
	w=$(submit -q cheap --geometry=1x1 -t 1) &&
	e=$(submit -q urgent $quarter --no-rotate -t 5) &&
	wait_state $e RUNNING 20 &&
	job_nodes $e >e.nodes &&
	test_cmp c.nodes e.nodes &&
	all_run $a $b $d &&
	[ "$(job_state $c)" = PENDING ] &&
	[ "$(job_state $w)" = PENDING ]
'

test_expect_success 'CANCEL: the job ends' '
	scancel $c &&
	sacctmgr -i modify qos where name=cheap set PreemptMode=cancel &&
	f=$(submit -q urgent -N3 -t 5) &&
	wait_state $f RUNNING 20 &&
	wait_state $b PREEMPTED 5 &&
	all_run $a $d $e &&
	assert_disjoint $a $d $e $f &&
	cancel_all
'

test_expect_success 'grace time: only the preempting job waits for it' '
	sacctmgr -i modify qos where name=cheap set PreemptMode=cancel GraceTime=10 &&
	a=$(begun cheap --geometry=4x2x2) &&
	job=$(submit -q urgent $quarter -t 5) &&
	wait_for 5 logged "JobId=$job preempts" &&
	w=$(submit -q cheap --geometry=1x1 -t 1) &&
	stays_state $a RUNNING 2 &&
	wait_state $job RUNNING 20 &&
	[ "$(job_state $a)" = PREEMPTED ] &&
	sacctmgr -i modify qos where name=cheap set PreemptMode=cancel GraceTime=0 &&
	cancel_all
'

test_expect_success 'a job that need not preempt waits for its turn among its equals' '
	a=$(begun normal --geometry=2x2x1 --no-rotate) && b=$(begun cheap --geometry=1x1) &&
	u=$(submit -q urgent --geometry=4x2x2 -t 9) &&
	wait_for 5 promised $u &&
	v=$(submit -q urgent --geometry=1x1 -t 60) &&
	stays_state $v PENDING 3 &&
	all_run $a $b &&
	cancel $u && wait_state $v RUNNING 5 &&
	cancel_all
'

test_expect_success '... and not for those that it would preempt' '
	a=$(begun normal --geometry=2x2x1 --no-rotate) && b=$(begun cheap --geometry=1x1) &&
	h=$(submit -q cheap --geometry=4x2x2 -t 9) &&
	wait_for 5 promised $h &&
	w=$(submit -q cheap --geometry=1x1 -t 90) &&
	v=$(submit -q urgent --geometry=1x1 -t 60) &&
	wait_state $v RUNNING 5 &&
	all_run $a $b &&
	[ "$(job_state $w)" = PENDING ] &&
	cancel_all
'

test_expect_success 'PreemptMode=WITHIN: priority decides, whoever waits before the job' '
	sched_change "4, 2, 2" easy "order: arrival" &&
	sacctmgr -i modify qos where name=cheap set PreemptMode=REQUEUE,WITHIN &&
	a=$(submit -q cheap --priority=100 --geometry=4x2x2 -t 9) && wait_state $a RUNNING 5 &&
	low=$(submit -q cheap --priority=50 --geometry=4x2x2 -t 9) && stays_state $low PENDING 2 &&
	job=$(submit -q cheap --priority=200 --geometry=4x2x2 -t 9) && wait_state $job RUNNING 20 &&
	[ "$(job_state $a)" = PENDING ] &&
	sacctmgr -i modify qos where name=cheap set PreemptMode=cancel && cancel_all
'

test_expect_success 'order: priority: a job is before those that it may preempt, as in Slurm' '
	sched_change "4, 2, 2" easy "order: priority" "journal: $PWD/ranks.csv" &&
	mark &&
	a=$(submit -q normal --geometry=4x2x2 -t 5) && wait_state $a RUNNING 5 &&
	b=$(run 1 -q cheap --priority=900 --geometry=4x2x2 -t 5) &&
	c=$(run 1 -q cheap --priority=800 --geometry=4x2x2 -t 5) &&
	d=$(run 1 -q urgent --priority=5 --geometry=4x2x2 -t 5) &&
	wait_for 5 promised $d && sleep 0.5 &&
	cancel $a &&
	started_is $a $d $b $c &&
	wait_state $c COMPLETED
'

# (a job of normal waits, which is apart from both)
test_expect_success '... if that ranks the QOS of all that wait: else by priority' '
	mark &&
	a=$(submit -q normal --geometry=4x2x2 -t 5) && wait_state $a RUNNING 5 &&
	submit -q normal --hold --geometry=4x2x2 -t 5 >held &&
	b=$(run 1 -q cheap --priority=900 --geometry=4x2x2 -t 5) &&
	d=$(run 1 -q urgent --priority=5 --geometry=4x2x2 -t 5) &&
	wait_for 5 promised $b && sleep 0.5 &&
	cancel $a &&
	wait_state $d COMPLETED 30 &&
	started_is $a $b $d &&
	cancel $(cat held)
'

test_expect_success 'order: priority, by the QOS and by scontrol top; replayed exactly' '
	sched_change "4, 2, 2" easy "order: priority" "journal: $PWD/journal.csv" &&
	mark &&
	a=$(submit -q normal --geometry=4x2x2 -t 5) &&
	wait_state $a RUNNING 5 &&
	b=$(run 1 -q normal --geometry=4x2x2 -t 5) &&
	c=$(run 1 -q normal --geometry=4x2x2 -t 5) &&
	d=$(run 1 -q urgent --geometry=4x2x2 -t 5) &&
	wait_for 5 promised $d &&
	scontrol top $c && sleep 0.5 &&
	cancel $a &&
	started_is $a $d $c $b &&
	wait_state $b COMPLETED &&
	wait_for 10 sh -c "[ \$(grep -c ,completed, journal.csv) = 4 ]" &&
	"$top_builddir/storus" parity --torus "$CLUSTER_DIR/torus.yaml" --within 0.001 --check journal.csv >same &&
	cat same && grep -x "regions: 0 of 4 differ" same
'

test_done
