#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Jobs with alternatives whose first one cannot be had: after a requeue, after a
# node failure, under another scheduler, and where nodes that the user excludes
# or a smaller partition rule the first one out for good.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: jobs with alternatives'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' easy

# sizes_are ID NODES CPUS TASKS
sizes_are() {
	[ "$(job_field "$1" NumNodes) $(job_field "$1" NumCPUs) $(job_field "$1" NumTasks)" = "$2 $3 $4" ] || {
		scontrol show job "$1"
		return 1
	}
}


test_expect_success 'numbers of nodes as alternatives: a notice says that they are no box' '
	j=$(submit --geometry=8,4,2 -t 5 2>err) && wait_state $j RUNNING 20 && sizes_are $j 8 8 8 &&
	grep "notice: --geometry=8,4,2 is the first of these numbers of nodes .*; write 8x4x2 for one box" err &&
	cancel $j
'

# begin_second: job $a keeps job $j from its first alternative
begin_second() {
	cancel_all
	a=$(submit -N1 -w node15 -t 5) && wait_state $a RUNNING 20 &&
		j=$(submit --geometry=4x2x2,2x2@1s -t 5) && wait_state $j RUNNING 8
}

restarted() {
	[ "$(job_field "$1" Restarts)" = 1 ]
}

test_expect_success 'a requeued job gets its second alternative again' '
	begin_second && assert_box $j 2x2 &&
	scontrol requeue $j && sleep 1 &&
	wait_state $j RUNNING 40 && assert_box $j 2x2 && sizes_are $j 4 4 4
'

test_expect_success 'pending, its record is that of the first alternative' '
	scontrol requeuehold $j && wait_state $j PENDING 20 &&
	wait_for 5 sizes_are $j 16-16 16 16 &&
	scontrol release $j && wait_state $j RUNNING 40 && assert_box $j 2x2
'
test_expect_success '... the first one when that is free' '
	cancel $a && scontrol requeue $j && sleep 1 &&
	wait_state $j RUNNING 40 && assert_box $j 4x2x2 && sizes_are $j 16 16 16 &&
	cancel $j
'

test_expect_success 'after a node failure' '
	begin_second &&
	lost=$(job_nodes $j | head -n 1) &&
	scontrol update nodename=$lost state=down reason=test &&
	wait_for 10 restarted $j &&
	wait_state $j RUNNING 40 && assert_box $j 2x2 && sizes_are $j 4 4 4 &&
	cancel $a $j
'
test_expect_success 'after a restart in between: the sizes stay' '
	begin_second &&
	cluster restart-ctld && sizes_are $j 4 4 4 &&
	scontrol requeue $j && sleep 1 && wait_state $j RUNNING 40 && assert_box $j 2x2 &&
	cancel $a $j
'

test_expect_success 'an alternative that -x excludes is removed and named' '
	cancel_all
	sbatch --parsable -o /dev/null --wrap "exec sleep 300" -t 5 -x node13 \
		--geometry=4x2x2,2x2@1s >id 2>err && cat err && j=$(cat id) &&
	grep "4x2x2 fits the machine, but not the nodes of partition main without node13" err &&
	grep "alternative 1 is left out" err &&
	wait_state $j RUNNING 20 && assert_box $j 2x2 && cancel $j
'

test_expect_success 'without an alternative the job is refused with a reason' '
	assert_refused "2x2x2 fits the machine, but not the nodes of partition main without" \
		submit --geometry=4x2x2,2x2x2 -t 5 -x node[01,05,09,13,03,07,11,15]
'

test_expect_success 'moved to a partition that is too small for the first: the next' '
	scontrol create partition=small nodes=node[00-07] state=up &&
	a=$(submit -N1 -w node15 -t 5) && wait_state $a RUNNING 20 &&
	j=$(submit --geometry=4x2x2,2x2x1 --hold -t 5) &&
	scontrol update jobid=$j partition=small 2>err && cat err &&
	test_must_fail grep -v "torus: .*4x2x2 fits the machine\|torus: alternative 1 is left out" err &&
	[ "$(job_field $j Partition)" = small ] && scontrol release $j &&
	wait_state $j RUNNING 40 && assert_box $j 2x2x1 && cancel $a $j
'

test_expect_success 'a move that leaves no alternative is refused; the job is unchanged' '
	scontrol create partition=tiny nodes=node[00-01] state=up &&
	a=$(submit -N1 -w node15 -t 5) && wait_state $a RUNNING 20 &&
	j=$(submit --geometry=4x2x2,2x2x1 --begin=now+1hour -t 5) &&
	test_must_fail scontrol update jobid=$j partition=tiny &&
	[ "$(job_field $j Partition)" = main ] && sizes_are $j 16-16 16 16 &&
	cancel $a $j
'
test_expect_success 'several partitions: each alternative needs one that has it' '
	sbatch --parsable -o /dev/null --wrap "exec sleep 300" -t 5 -p tiny,small \
		--geometry=4x2x2,2x2x1 >id 2>err && cat err && j=$(cat id) &&
	grep "4x2x2 fits the machine, but not the nodes of partitions tiny,small" err &&
	grep "alternative 1 is left out" err &&
	wait_state $j RUNNING 20 && assert_box $j 2x2x1 && cancel $j &&
	assert_refused "4x2x2 fits the machine, but not the nodes of partitions tiny,small" \
		submit --geometry=4x2x2 -t 5 -p tiny,small
'

test_expect_success 'a shape larger than its reservation is refused with a reason' '
	scontrol create reservation=part start=now duration=30 users=root \
		nodes=node[00-07] &&
	assert_refused "4x2x2 fits the machine, but not the nodes of partition main in reservation part" \
		submit --geometry=4x2x2 --reservation=part -t 5 &&
	scontrol delete reservation=part
'

test_expect_success 'under sched/backfill a requeued job is its first alternative' '
	begin_second &&
	cluster stop-ctld &&
	sed -i "s|^SchedulerType=.*|SchedulerType=sched/backfill|
		s|^SchedulerParameters=.*|SchedulerParameters=bf_interval=1,sched_interval=1|" \
		"$CLUSTER_DIR/slurm.conf" &&
	cluster start-ctld &&
	scontrol requeue $j && wait_state $j PENDING 10 &&
	[ "$(job_field $j NumCPUs) $(job_field $j NumTasks)" = "16 16" ] &&
	cancel $a && wait_state $j RUNNING 60 &&
	assert_box $j 4x2x2 && cancel $j
'

test_done
