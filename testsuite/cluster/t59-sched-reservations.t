#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus and Slurm's reservations that are to come: what is promised does
# not run into them, to the second, whatever plans.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: maintenance windows and other reservations'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' easy

low='node[00-07]' # the layer z = 0

# reserve NAME OPTION...
reserve() {
	reserve_name=$1
	shift
	scontrol create "reservation=$reserve_name" "$@" >/dev/null
}

drop() {
	scontrol delete "reservation=$1"
}

# tidy: what a case that failed has left is not there for the next one.
tidy() {
	scancel -u "$(id -un)" 2>/dev/null
	for tidy_name in $(scontrol -o show reservation |
		sed -n 's/^ReservationName=\([^ ]*\) .*/\1/p'); do
		drop "$tidy_name" 2>/dev/null
	done
	wait_for 15 nobody_there
}
nobody_there() {
	[ -z "$(squeue -h)" ]
}

# resv_time NAME FIELD: StartTime or EndTime
resv_time() {
	scontrol -o show reservation "$1" | sed -n "s/.* $2=\([^ ]*\).*/\1/p"
}

# promised_at ID TIME: to the second
promised_at() {
	promised "$1" && [ "$(seconds "$start_time")" = "$(seconds "$2")" ]
}

# promised_on ID PATTERN: all nodes that it is promised match
promised_on() {
	promised "$1" && ! grep -Evq -e "$2" planned
}

not_promised() {
	[ "$(squeue -h --start -j "$1" -o %S)" = N/A ]
}

# began_near ID TIME SECONDS
began_near() {
	near "$(job_field "$1" StartTime)" "$2" "$3"
}

for discipline in easy conservative dedf; do
	late="--geometry=4x2x2 -t 5"
	lines=
	if [ "$discipline" = dedf ]; then
		late="$late --deadline=now+3hours"
		lines="mean_hold: 5h"
	fi
	# shellcheck disable=SC2086
	test_expect_success "$discipline: maintenance of all: short jobs before, long ones after" '
		tidy &&
		sched_change "4, 2, 2" $discipline ${lines:+"$lines"} &&
		reserve maint starttime=now+100 duration=30 flags=MAINT,IGNORE_JOBS users=root nodes=ALL &&
		a=$(submit $late) &&
		wait_for 5 promised_at $a "$(resv_time maint EndTime)" &&
		reason_is $a "reserved: maint" &&
		b=$(submit --geometry=4x2x2 -t 1) &&
		wait_state $b RUNNING 3 &&
		promised_at $a "$(resv_time maint EndTime)" &&
		cancel $b &&
		drop maint &&
		wait_state $a RUNNING 5 &&
		cancel $a
	'
	test_expect_success "$discipline: maintenance of half the machine: jobs run on the other half, or after it" '
		tidy &&
		reserve maint starttime=now+100 duration=30 flags=MAINT,IGNORE_JOBS users=root nodes=$low &&
		a=$(submit $late) &&
		wait_for 5 promised_at $a "$(resv_time maint EndTime)" &&
		b=$(submit --geometry=4x2x1 --no-rotate -t 20) &&
		wait_state $b RUNNING 3 &&
		! job_nodes $b | grep -E "node0[0-7]" &&
		promised_at $a "$(resv_time maint EndTime)" &&
		cancel $a $b &&
		drop maint
	'
	test_expect_success "$discipline: when it ends the nodes are back at once" '
		tidy &&
		reserve brief_$discipline starttime=now endtime=now+12 flags=MAINT,IGNORE_JOBS users=root nodes=ALL &&
		end=$(resv_time brief_$discipline EndTime) &&
		a=$(submit $late) &&
		wait_for 5 promised_at $a "$end" &&
		wait_state $a RUNNING 15 &&
		began_near $a "$end" 1 &&
		cancel $a
	'
done

test_expect_success 'dedf: a deadline that a reservation makes impossible is refused; the reservation is named' '
	tidy &&
	reserve upgrade starttime=now+100 duration=60 flags=MAINT users=root nodes=ALL &&
	mark &&
	a=$(submit --geometry=2x2x2 -t 3 --deadline=now+20minutes) &&
	wait_state $a DEADLINE 5 &&
	wait_for 5 logged "not admitted.*reserved: upgrade" &&
	b=$(submit --geometry=2x2x2 -t 1 --deadline=now+20minutes) &&
	wait_state $b RUNNING 5 &&
	cancel $b &&
	drop upgrade
'

test_expect_success 'conservative: a Slurm reservation over promised nodes is created and moved' '
	tidy &&
	sched_change "4, 2, 2" conservative &&
	a=$(submit --geometry=4x2x2 -t 2) &&
	wait_state $a RUNNING 5 &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	c=$(submit --geometry=2x2x2 -t 5) &&
	wait_for 5 promised $c &&
	promised_near $b "$(job_field $a EndTime)" &&
	reserve maint starttime=now+180 duration=30 flags=MAINT,IGNORE_JOBS users=root nodes=ALL &&
	wait_for 5 promised_at $b "$(resv_time maint EndTime)" &&
	promised_near $c "$(later "$(resv_time maint EndTime)" 5)" &&
	scontrol update reservation=maint duration=60 &&
	wait_for 5 promised_at $b "$(resv_time maint EndTime)" &&
	drop maint &&
	wait_for 5 promised_near $b "$(job_field $a EndTime)" &&
	promised_near $c "$(later "$(job_field $a EndTime)" 5)" &&
	cancel $c $b $a
'

test_expect_success 'a daily reservation: jobs fit between, or have no promise' '
	tidy &&
	reserve daily starttime=now duration=23:30:00 flags=DAILY users=root nodes=ALL &&
	a=$(submit --geometry=2x2x2 -t 20) &&
	b=$(submit --geometry=2x2x2 -t 20) &&
	wait_for 5 promised_at $a "$(resv_time daily EndTime)" &&
	wait_for 5 promised_at $b "$(resv_time daily EndTime)" &&
	c=$(submit --geometry=4x2x2 -t 20) &&
	wait_for 5 promised_near $c "$(later "$(resv_time daily EndTime)" 1440)" &&
	d=$(submit --geometry=2x2x2 -t 40) &&
	wait_for 5 reason_is $d "reserved: daily" &&
	not_promised $d &&
	cancel $a $b $c $d &&
	drop daily
'

test_expect_success 'a reservation of users: their jobs are planned inside, others outside' '
	tidy &&
	reserve ours starttime=now duration=60 users=$(id -un) nodes=$low &&
	a=$(submit --reservation=ours --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state $a RUNNING 3 &&
	b=$(submit --reservation=ours --geometry=2x2 -t 5) &&
	wait_for 5 promised_near $b "$(job_field $a EndTime)" &&
	promised_on $b "node0[0-7]" &&
	c=$(submit --geometry=4x2x2 -t 5) &&
	wait_for 5 promised_at $c "$(resv_time ours EndTime)" &&
	d=$(submit --reservation=ours -N2 -t 5) &&
	wait_for 5 promised_on $d "node0[0-7]" &&
	cancel $c $d $b $a &&
	drop ours
'

test_expect_success 'a job in a reservation avoids maintenance that overlaps it' '
	tidy &&
	reserve ours starttime=now duration=60 users=$(id -un) nodes=$low &&
	reserve maint starttime=now+100 duration=10 flags=MAINT,IGNORE_JOBS users=root nodes=ALL &&
	a=$(submit --reservation=ours --geometry=2x2 -t 5) &&
	wait_for 5 promised_at $a "$(resv_time maint EndTime)" &&
	promised_on $a "node0[0-7]" &&
	b=$(submit --reservation=ours --geometry=2x2 -t 1) &&
	wait_state $b RUNNING 3 &&
	cancel $a $b && drop maint && drop ours
'

test_expect_success 'FLEX: its jobs run before it and outside of it' '
	tidy &&
	reserve flex starttime=now+60 duration=60 flags=FLEX users=$(id -un) nodes=$low &&
	a=$(submit --reservation=flex --geometry=4x2x2 -t 5) &&
	wait_state $a RUNNING 3 &&
	cancel $a &&
	drop flex
'

test_expect_success 'a floating reservation: a longer job never gets its nodes' '
	tidy &&
	reserve float starttime=now+2minutes duration=60 flags=TIME_FLOAT,MAINT users=root nodes=$low &&
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state $a RUNNING 3 &&
	! job_nodes $a | grep -E "node0[0-7]" &&
	b=$(submit --geometry=2x2 -t 5) &&
	c=$(submit --geometry=2x2 -t 1) &&
	wait_state $c RUNNING 3 &&
	wait_for 5 promised_near $b "$(job_field $a EndTime)" &&
	cancel $a $b $c &&
	drop float
'

test_expect_success 'without a limit: the longest of the partition counts, as for Slurm' '
	tidy &&
	reserve maint starttime=now+10minutes duration=30 flags=MAINT users=root nodes=$low &&
	a=$(submit --geometry=4x2x1 --no-rotate) &&
	wait_state $a RUNNING 3 &&
	! job_nodes $a | grep -E "node0[0-7]" &&
	b=$(submit -w node00 -N1 -t 20) &&
	wait_for 5 promised_at $b "$(resv_time maint EndTime)" &&
	cancel $a $b &&
	drop maint
'

test_expect_success 'forty reservations of nodes that are not for the job' '
	tidy &&
	for i in $(seq 40); do
		reserve other$i starttime=now+60minutes duration=30 flags=MAINT,OVERLAP users=root nodes=node15 ||
			return 1
	done &&
	a=$(submit -w node00 -N1 -t 5) &&
	wait_state $a RUNNING 5 &&
	b=$(submit -w node00 -N1 -t 5) &&
	wait_for 5 promised_near $b "$(job_field $a EndTime)" &&
	cancel $a $b
'

test_expect_success 'fcfs: a job that cannot run before a reservation blocks no other until its end' '
	tidy &&
	sched_change "4, 2, 2" fcfs &&
	reserve maint starttime=now+100 duration=30 flags=MAINT users=root nodes=ALL &&
	a=$(submit --geometry=4x2x2 -t 5) &&
	b=$(submit --geometry=2x2x2 -t 1) &&
	wait_state $b RUNNING 3 &&
	wait_for 5 reason_is $a "reserved: maint" &&
	cancel $b &&
	drop maint &&
	wait_state $a RUNNING 5 &&
	cancel $a &&
	reserve brief starttime=now endtime=now+10 flags=MAINT users=root nodes=ALL &&
	end=$(resv_time brief EndTime) &&
	a=$(submit --geometry=4x2x2 -t 5) &&
	wait_state $a RUNNING 15 &&
	began_near $a "$end" 1 &&
	cancel $a
'

test_expect_success 'several reservations, several partitions: the one with nodes there, in force and idle' '
	scontrol create partitionname=lower nodes=$low state=up maxtime=60 >/dev/null &&
	scontrol create partitionname=upper "nodes=node[08-15]" state=up maxtime=60 >/dev/null &&
	reserve now starttime=now duration=60 users=$(id -un) "nodes=node[08-11]" &&
	reserve later starttime=now+10minutes duration=60 users=$(id -un) "nodes=node[12-13]" &&
	reserve also starttime=now duration=60 users=$(id -un) "nodes=node[14-15]" &&
	a=$(submit -N2 -t 5 -p lower,upper --reservation=now,later) && wait_state $a RUNNING 10 &&
	job_nodes $a >nodes && grep -x "node0[89]" nodes &&
	b=$(submit -N2 -t 5 -p lower,upper --reservation=later,now) && wait_state $b RUNNING 10 &&
	assert_disjoint $a $b &&
	c=$(submit -N2 -t 5 -p upper,lower --reservation=now,later,also) && wait_state $c RUNNING 10 &&
	[ "$(job_nodes $c | paste -sd,)" = node14,node15 ] &&
	d=$(submit -N2 -t 5 --reservation=now,later) && stays_state $d PENDING 2 &&
	cancel $a && wait_state $d RUNNING 10 && assert_disjoint $b $d &&
	cancel_all && drop now && drop later && drop also &&
	scontrol delete partitionname=lower && scontrol delete partitionname=upper
'

test_expect_success 'no job started outside of the plan, and no order failed' '
	! grep "sched/torus: .* did not start" "$log"
'

test_done
