#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus, every discipline live on the same five jobs: the order of starts,
# as worked out by hand; WaitLimit; a job that runs longer than its limit; an
# admitted job that is over before its deadline.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: the order of starts, WaitLimit, overruns'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' fcfs --set OverTimeLimit=10 --node RealMemory=1000

# names ID...: the letters of our jobs for their ids, which stand in $ids
names() {
	for names_id in "$@"; do
		echo "$ids" | tr ' ' '\n' | sed -n "s/=$names_id\$//p"
	done | paste -sd ' ' -
}

order_is() {
	# shellcheck disable=SC2046  # a list of numbers
	[ "$(names $(started))" = "$1" ]
}

# five_jobs: half of the machine is taken by a; b to e are submitted together.
# Jobs take two seconds, a takes five; limits are what disciplines go by.
five_jobs() {
	mark
	ids=a=$(run 5 --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state "${ids#a=}" RUNNING 5 &&
	hold_queue &&
	ids="$ids b=$(run 2 --geometry=4x2x2 -t 5)" &&
	ids="$ids c=$(run 2 --geometry=2x2x1 -t 60)" &&
	ids="$ids d=$(run 2 --geometry=2x1x1 -t 3)" &&
	ids="$ids e=$(run 2 --geometry=2x2x1 -t 2)" &&
	let_go
}

while read -r discipline order; do
	test_expect_success "$discipline: $order" '
		sched_change "4, 2, 2" $discipline &&
		five_jobs &&
		wait_for 25 order_is "$order" ||
		{ echo "started: $(names $(started))"; cancel_all; false; }
	'
	test_expect_success "$discipline: all of them end" '
		wait_for 10 squeue_is_empty
	'
done <<-EOF
	fcfs a b c d e
	mpfs a b c e d
	lpfs a d c e b
	sjf a e d b c
	lpt a c b d e
	fpfs a c d e b
	fpmpfs a c e d b
	fplpfs a d c e b
	easy a d e b c
	conservative a d e b c
EOF

test_expect_success 'WaitLimit: no job overtakes one that has waited that long' '
	sched_change "4, 2, 2" fpfs "wait_limit: 3s" &&
	mark &&
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state $a RUNNING 5 &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	c=$(submit --geometry=1x1x1 -t 1) &&
	wait_state $c RUNNING 3 &&
	sleep 3 &&
	d=$(submit --geometry=1x1x1 -t 1) &&
	stays_state $d PENDING 2 &&
	cancel $a $c &&
	wait_state $b RUNNING 5 &&
	cancel $b &&
	wait_state $d RUNNING 5 &&
	started_is $a $c $b $d &&
	cancel $d
'

test_expect_success 'without a WaitLimit it waits while others overtake' '
	sched_change "4, 2, 2" fpfs &&
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state $a RUNNING 5 &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	sleep 4 &&
	c=$(submit --geometry=1x1x1 -t 1) &&
	wait_state $c RUNNING 3 &&
	[ "$(job_state $b)" = PENDING ] &&
	cancel $a $b $c
'

test_expect_success 'an admitted job is over before its deadline' '
	sched_change "4, 2, 2" dedf "mean_hold: 10h" &&
	mark &&
	a=$(run 3 --geometry=4x2x2 -t 1) &&
	wait_state $a RUNNING 5 &&
	hold_queue && # what is answered alone keeps its time
	late=$(run 2 --geometry=4x2x2 -t 1 --deadline=now+8minutes) &&
	early=$(run 2 --geometry=4x2x2 -t 1 --deadline=now+5minutes) &&
	let_go &&
	wait_state $early COMPLETED 30 && wait_state $late COMPLETED 30 &&
	started_is $a $early $late &&
	for id in $early $late; do
		[ "$(seconds "$(job_field $id EndTime)")" -le \
			"$(seconds "$(job_field $id Deadline)")" ] || return 1
	done
'

test_expect_success 'a job that exceeds its limit: the head waits, and starts when the job ends' '
	sched_change "4, 2, 2" easy &&
	mark &&
	a=$(run 72 --geometry=4x2x1 --no-rotate -t 1) &&
	wait_state $a RUNNING 5 &&
	b=$(run 1 --geometry=4x2x2 -t 5) &&
	wait_for 5 promised $b &&
	near "$start_time" "$(job_field $a EndTime)" &&
	sleep 66 &&
	[ "$(job_state $a)" = RUNNING ] &&
	[ "$(job_state $b)" = PENDING ] &&
	wait_state $a COMPLETED 20 &&
	wait_state $b COMPLETED 10 &&
	started_is $a $b
'

test_expect_success 'slurmctld has logged no error' '
	! grep -E "error: (sched/)?torus|sched/torus.*did not start" "$log"
'

# Slurm writes the defaults of the partition that it looks at into the job's record
test_expect_success 'a job in partitions with different memory defaults starts in the first' '
	sched_change "4, 2, 2" easy &&
	scontrol create partitionname=a nodes=node[00-07] state=up defmempernode=100 &&
	scontrol create partitionname=b nodes=node[08-15] state=up defmempernode=200 &&
	full=$(submit -p b -N8 -t 5) && wait_state $full RUNNING 5 &&
	j=$(submit -p a,b -N1 -t 5) && wait_state $j RUNNING 8 &&
	[ "$(job_field $j Partition)" = a ] &&
	cancel $full $j
'

# a policy of one's own; slurmctld trusts root's files only
[ "$(id -u)" != 0 ] || test_set_prereq ROOT
test_expect_success ROOT 'a shared object of a plugin directory decides: a e d b c' '
	mkdir -m 755 "$CLUSTER_DIR/policies" "$CLUSTER_DIR/other" &&
	${CC:-cc} -shared -fPIC -I"$top_srcdir/include" \
		-o "$CLUSTER_DIR/policies/least_limit.so" \
		"$top_srcdir/contribs/examples/policies/least_limit.c" &&
	cp "$CLUSTER_DIR/policies/least_limit.so" "$CLUSTER_DIR/other/" &&
	sed -i "s,^PluginDir=.*,&:$CLUSTER_DIR/policies," "$SLURM_CONF" &&
	sched_yaml "4, 2, 2" "$CLUSTER_DIR/policies/least_limit.so" >"$CLUSTER_DIR/torus.yaml" &&
	cluster restart-ctld && cluster wait &&
	five_jobs && wait_for 25 order_is "a e d b c" && wait_for 10 squeue_is_empty
'

# refuses FILE PATTERN: torus.yaml names it; slurmctld says that, and keeps what it has
refuses() {
	mark
	sched_change "4, 2, 2" "$1" || cluster wait || return 1
	wait_for 60 logged "$2"
}

test_expect_success ROOT 'one of another directory, owner, mode or interface is refused, and the discipline stays' '
	refuses "$CLUSTER_DIR/other/least_limit.so" "loads a policy only from its plugin directory" &&
	refused=$CLUSTER_DIR/policies/refused.so &&
	cp "$CLUSTER_DIR/other/least_limit.so" "$refused" && chown 1 "$refused" &&
	refuses "$refused" "refused.so: file and directory must belong to root" &&
	chown 0 "$refused" && chmod 775 "$refused" &&
	refuses "$refused" "refused.so: file and directory must belong to root" &&
	sed "s/^TORUS_POLICY_D.*/struct torus_policy_module torus_policy = { .abi = 999 };/" \
		"$top_srcdir/contribs/examples/policies/least_limit.c" >older.c &&
	rm "$refused" &&
	${CC:-cc} -shared -fPIC -I"$top_srcdir/include" -o "$refused" older.c &&
	refuses "$refused" "refused.so: built for the policy interface 999 " &&
	five_jobs && wait_for 25 order_is "a e d b c" && wait_for 10 squeue_is_empty
'

# places LINE: a strategy of a plugin directory
places() {
	{
		torus_yaml "4, 2, 2" "strategy: $CLUSTER_DIR/policies/$1"
		printf "scheduler:\n  discipline: easy\n"
	} >"$CLUSTER_DIR/torus.yaml"
	scontrol reconfigure && cluster wait
}

test_expect_success ROOT 'a strategy of a plugin directory places jobs' '
	cp "$top_srcdir/contribs/examples/policies/first_nodes.c" . &&
	${CC:-cc} -shared -fPIC -I"$top_srcdir/include" \
		-o "$CLUSTER_DIR/policies/first_nodes.so" first_nodes.c &&
	places first_nodes.so &&
	a=$(submit --geometry=3) && wait_state $a RUNNING 60 &&
	b=$(submit --geometry=2) && wait_state $b RUNNING 60 &&
	[ "$(squeue -h -o %N -j $a)" = "node[00-02]" ] && [ "$(squeue -h -o %N -j $b)" = "node[03-04]" ] &&
	cancel $a $b
'

test_done
