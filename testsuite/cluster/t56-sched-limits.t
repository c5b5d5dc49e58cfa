#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus and the limits of associations and QOS, with a slurmdbd of the
# cluster's own. In each case a job that a limit keeps waits with Slurm's own
# reason, those behind it do not wait for it (the discipline is fcfs, where they
# would for any job in the queue), and it starts when the limit allows it.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: limits of associations and QOS'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
skip_without_accounting
sched_start '4, 2, 2' fcfs --accounting --cpus 2

# limit WORD...: of account lim, in place of what it had
limit() {
	sacctmgr -i modify account where name=lim set MaxJobs=-1 GrpJobs=-1 \
		GrpTRES=node=-1,cpu=-1 MaxTRES=node=-1 MaxWall=-1 MaxSubmitJobs=-1 \
		>/dev/null &&
		sacctmgr -i modify account where name=lim set "$@" >/dev/null
}
# the same of the QOS
limit_qos() {
	limit_qos_more MaxTRESPerUser=node=-1 GrpTRES=node=-1 &&
		limit_qos_more "$@"
}
limit_qos_more() {
	sacctmgr -i modify qos where name=small set "$@" >/dev/null
}
limited() {
	submit -A lim "$@"
}
small() {
	submit -q small "$@"
}

# begun COMMAND OPTION...: the id of a job of these (limited, small) that runs
begun() {
	begun_id=$("$@" -t 5) &&
	wait_state "$begun_id" RUNNING 5 >&2 &&
	echo "$begun_id"
}

# kept ID REASON: it waits for that, and a job behind it does not
kept() {
	kept_by=$(submit --geometry=1x1 -t 5) &&
	wait_state "$kept_by" RUNNING 5 &&
	wait_for 5 reason_is "$1" "$2" &&
	[ "$(job_state "$1")" = PENDING ] &&
	stays_state "$1" PENDING 1 &&
	reason_is "$1" "$2" &&
	[ "$(squeue -h --start -j "$1" -o %S)" = N/A ] &&
	cancel "$kept_by"
}

# nodes_in_use: by the account. A completing job has its nodes, but no limit
# counts it any more: Slurm takes it off when it begins to complete.
nodes_in_use() {
	squeue -h -A lim -t R -o %D | awk '{ n += $1 } END { print n + 0 }'
}

# most_of COMMAND...: the highest number that it says, until the account has no
# job any more; at most 30 seconds
most_of() {
	most=0
	most_end=$(($(date +%s) + 30))
	while [ -n "$(squeue -h -A lim -o %i)" ] && [ "$(date +%s)" -lt $most_end ]; do
		n=$("$@")
		[ "$n" -le "$most" ] || most=$n
		sleep 0.1
	done
	echo "at most $most of $*"
}
# eight_told: slurmdbd knows that they have all run
eight_told() {
	[ "$(sacct -X -n -P -A lim -o State,NNodes -j "$(paste -sd, ids)" |
		grep -cx "COMPLETED|2")" = 8 ]
}
tasks_in_use() {
	squeue -h -A lim -t R -o %i | wc -l
}

test_expect_success 'the cluster has its slurmdbd; an account and a QOS' '
	cluster status >status &&
	grep "slurmdbd up, mariadbd up" status &&
	sacctmgr -i add account lim &&
	sacctmgr -i add user "$(id -un)" account=lim &&
	sacctmgr -i add qos small &&
	sacctmgr -i modify user "$(id -un)" set qos=normal,small
'

test_expect_success 'MaxJobs: starts when the one before it has ended' '
	cancel_all && limit MaxJobs=1 &&
	a=$(begun limited --geometry=2x1) &&
	b=$(limited --geometry=2x1 -t 5) &&
	kept $b AssocMaxJobsLimit &&
	cancel $a &&
	wait_state $b RUNNING 3 &&
	cancel $b
'

test_expect_success 'GrpJobs: starts when the limit is raised' '
	cancel_all && limit GrpJobs=1 &&
	a=$(begun limited --geometry=2x1) &&
	b=$(limited --geometry=2x1 -t 5) &&
	kept $b AssocGrpJobsLimit &&
	limit GrpJobs=2 &&
	wait_state $b RUNNING 4 &&
	cancel $a $b
'

test_expect_success 'GrpTRES=node: whether or not there would be room' '
	cancel_all && limit GrpTRES=node=4 &&
	a=$(begun limited --geometry=2x1) &&
	b=$(limited --geometry=2x2 -t 5) &&
	kept $b AssocGrpNodeLimit &&
	c=$(submit --geometry=3x2x2 --no-rotate -t 5) &&
	wait_state $c RUNNING 3 &&
	kept $b AssocGrpNodeLimit &&
	d=$(limited -N2 -t 5) &&
	wait_state $d RUNNING 3 &&
	cancel $c &&
	stays_state $b PENDING 1 &&
	[ "$(nodes_in_use)" = 4 ] &&
	limit GrpTRES=node=8 &&
	wait_state $b RUNNING 4 &&
	cancel $a $b $d
'

test_expect_success 'GrpTRES=cpu: a node is all of its CPUs' '
	cancel_all && limit GrpTRES=cpu=8 &&
	a=$(begun limited --geometry=3x1) &&
	b=$(limited --geometry=2x1 -t 5) &&
	kept $b AssocGrpCpuLimit &&
	c=$(limited --geometry=1x1 -t 5) &&
	wait_state $c RUNNING 3 &&
	cancel $a &&
	wait_state $b RUNNING 3 &&
	cancel $b $c
'

test_expect_success 'the alternative that the limit allows' '
	cancel_all && limit GrpTRES=node=4 &&
	a=$(begun limited --geometry=4x2,2x2,2x1) &&
	assert_box $a 2x2 &&
	b=$(limited --geometry=4x2,2x2 -t 5) &&
	kept $b AssocGrpNodeLimit &&
	cancel $a &&
	wait_state $b RUNNING 3 &&
	assert_box $b 2x2 &&
	cancel $b
'

test_expect_success 'MaxTRES per job, MaxWall: the job waits until it is changed' '
	cancel_all && limit MaxTRES=node=2 MaxWall=10 &&
	a=$(limited --geometry=2x2 -t 5) &&
	b=$(limited --geometry=2x1 -t 60) &&
	c=$(limited --geometry=2x1 -t 10) &&
	wait_state $c RUNNING 3 &&
	kept $a AssocMaxNodePerJobLimit &&
	kept $b AssocMaxWallDurationPerJobLimit &&
	scontrol update jobid=$b timelimit=9 &&
	wait_state $b RUNNING 4 &&
	limit MaxTRES=node=4 &&
	wait_state $a RUNNING 4 &&
	cancel $a $b $c
'

test_expect_success 'MaxSubmitJobs: refused at the command' '
	cancel_all && limit MaxSubmitJobs=1 &&
	a=$(limited --geometry=2x1 -t 5) &&
	assert_refused AssocMaxSubmitJobLimit limited --geometry=2x1 -t 5 &&
	cancel $a
'

test_expect_success 'QOS: MaxTRESPerUser=node, GrpTRES=node' '
	cancel_all && limit_qos MaxTRESPerUser=node=4 &&
	a=$(begun small --geometry=2x2) &&
	b=$(small --geometry=2x1 -t 5) &&
	kept $b QOSMaxNodePerUserLimit &&
	limit_qos_more GrpTRES=node=5 &&
	limit_qos_more MaxTRESPerUser=node=-1 &&
	kept $b QOSGrpNodeLimit &&
	cancel $a &&
	wait_state $b RUNNING 3 &&
	cancel $b
'

! slurm_at_least 24.11 || test_set_prereq SEVERAL_QOS
test_expect_success SEVERAL_QOS 'several QOS: the first of them that lets the job start' '
	cancel_all && limit GrpTRES=node=8 && limit_qos MaxTRESPerUser=node=4 Priority=10 &&
	a=$(begun small --geometry=2x2) &&
	b=$(small --geometry=2x1 -t 5) && kept $b QOSMaxNodePerUserLimit &&
	c=$(begun submit -q normal,small --geometry=2x1) && [ "$(job_field $c QOS)" = normal ] &&
	cancel $a && wait_state $b RUNNING 3 &&
	d=$(begun submit -q normal,small --geometry=2x1) && [ "$(job_field $d QOS)" = small ] &&
	cancel_all
'

test_expect_success 'many at once: never more than the limit, and all have their turn' '
	cancel_all && limit GrpTRES=node=6 &&
	hold_queue &&
	for i in 1 2 3 4 5 6 7 8; do
		JOB_SCRIPT="exec sleep 1" limited --geometry=2x1 -t 1 >>ids || return 1
	done &&
	let_go &&
	most_of nodes_in_use &&
	[ "$most" = 6 ] &&
	wait_for 10 eight_told
'

test_expect_success 'a job array: as many tasks as the limit allows' '
	cancel_all && limit MaxJobs=3 &&
	id=$(JOB_SCRIPT="exec sleep 1" limited --array=0-6 --geometry=2x1 -t 1) &&
	most_of tasks_in_use &&
	[ "$most" = 3 ] &&
	[ "$(scontrol -o show job $id | grep -c JobState=COMPLETED)" = 7 ]
'

test_expect_success 'slurmctld works, and ends with the cluster' '
	scontrol ping | grep " is UP" &&
	"$top_builddir/storus" reservations -v >out &&
	cat out &&
	cluster stop &&
	test_expect_code 3 cluster status >status &&
	grep "munged down, slurmdbd down, mariadbd down, slurmctld down, slurmd 0" status
'

test_done
