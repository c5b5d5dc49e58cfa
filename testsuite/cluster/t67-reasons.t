#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a waiting job says: the nodes out of service, the jobs and the Slurm
# reservation that block it by name, and when it is expected to start; in squeue,
# and longer in storus reservations JOB. A torus.yaml that is not used.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: reasons that name what blocks'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' easy
storus=$top_builddir/storus

# plan [OPTION...]: storus reservations, of this cluster
plan() {
	"$storus" reservations --file "$CLUSTER_DIR/state/torus_plan" "$@"
}

# plan_says PATTERN [OPTION...]
plan_says() {
	plan_pattern=$1
	shift
	plan "$@" >said 2>&1 || :
	grep -Eq -e "$plan_pattern" said || {
		cat said
		return 1
	}
}

# minute_of TIME: without its seconds
minute_of() {
	date -d "$1" +%FT%H:%M
}

test_expect_success 'the job that holds the place, and when it is expected to start' '
	a=$(submit --geometry=2x2x2 -t 5) && wait_state $a RUNNING 5 &&
	b=$(submit --geometry=4x2x2,4x2@1h -t 5) && wait_for 5 promised $b &&
	wait_for 5 reason_is $b "; job $a holds its place; expected $(minute_of $start_time)$" &&
	job_field $b Reason && scontrol show job $b | grep "job_${a}_holds_its_place"
'

test_expect_success '... longer: alternatives, region, the job and its end' '
	plan_says "^ask +4x2x2,4x2@1h \(alternative 1\)" $b &&
	plan_says "^start +....-..-..T..:..:.. \(promised\)" $b &&
	near "$(sed -n "s/^start *\([^ ]*\).*/\1/p" said)" "$start_time" &&
	plan_says "^region +pod0:" $b &&
	plan_says "^held by +job $a until ....-..-..T..:..:..$" $b &&
	[ "$(sed -n "s/^held by .* until //p" said)" = "$(job_field $a EndTime)" ] &&
	plan_says "^reason +4x2x2 needs 16 nodes" $b &&
	plan --json | tr -d " \n" | grep "\"holders\":\[{[^}]*\"job\":$a[,}]"
'

test_expect_success 'a job after it: an estimate' '
	c=$(submit --geometry=4x2x2 -t 5) &&
	wait_for 5 reason_is $c "expected $(later $start_time 5 | cut -c 1-16)" &&
	plan_says "\(estimate\)" $c &&
	test_must_fail "$storus" reservations --file "$CLUSTER_DIR/state/torus_plan" 99999 2>err &&
	grep "job 99999 is not in the plan" err &&
	cancel $a $b $c
'

test_expect_success 'five jobs: three are named, and a count' '
	cancel_all
	ids= && for i in 1 2 3 4 5; do
		a=$(submit --geometry=2x1 -t $i) && wait_state $a RUNNING 5 && ids="$ids $a" || return 1
	done &&
	set -- $ids &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	wait_for 5 reason_is $b "; jobs $1, $2, $3 and 2 more hold its place; expected" &&
	cancel $ids $b
'

test_expect_success 'nodes out of service: three are named, and a count' '
	cancel_all
	scontrol update nodename=node[03,05,08,10-11] state=drain reason=test &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	wait_for 5 reason_is $b "; node03, node05, node08 and 2 more are out of service$" &&
	plan_says "^out +node03, node05, node08, node10, node11" $b &&
	scontrol update nodename=node[05,08,10-11] state=resume &&
	wait_for 5 reason_is $b "; node03 is out of service$" &&
	cancel $b && scontrol update nodename=node03 state=resume
'

test_expect_success 'nodes out of service that it may not use are not counted as held' '
	cancel_all
	scontrol update nodename=node[03,05] state=drain reason=test &&
	a=$(submit -N1 -w node15 -t 5) && wait_state $a RUNNING 5 &&
	b=$(submit -N14 -x node03,node05 -t 5) &&
	wait_for 5 reason_is $b "are free; job $a holds its place; expected" &&
	cancel $a && wait_state $b RUNNING 5 && cancel $b &&
	scontrol update nodename=node[03,05] state=resume
'

test_expect_success 'a reservation is named' '
	scontrol create reservation=maint start=now+2minutes duration=10 \
		users=root flags=maint nodes=node[00-03] &&
	b=$(submit --geometry=4x2x2 -t 10) &&
	wait_for 5 reason_is $b "reserved: maint" &&
	cancel $b && scontrol delete reservation=maint
'

test_expect_success 'a shape that cannot contain the nodes of -w is refused with a reason' '
	assert_refused "2x2 fits the machine, but no place for it holds node\[00,15\] \(-w\)" \
		submit --geometry=2x2 -w node00,node15 -t 5 &&
	a=$(submit --geometry=2x2 -w node00,node05 -t 5) && wait_state $a RUNNING 5 &&
	cancel $a
'

# From 23.11 on a reconfigure starts another slurmctld; it refuses, and the one
# that goes on has not heard of that file.
slurm_at_least 23.11 || test_set_prereq SAME_SLURMCTLD

test_expect_success !SAME_SLURMCTLD 'a torus.yaml that is wrong: the reconfigure fails' '
	yaml=$CLUSTER_DIR/torus.yaml && cp "$yaml" good.yaml &&
	sed "s/dims:.*/dims: [4, 0, 2]/" good.yaml >"$yaml" &&
	test_must_fail scontrol reconfigure &&
	grep "torus.yaml:[0-9]*: dims:" "$CLUSTER_DIR/log/slurmctld.log" &&
	cp good.yaml "$yaml" && cluster wait &&
	plan_says "^configuration $yaml, in force since ....-..-..T..:..:.." -v
'

test_expect_success SAME_SLURMCTLD 'a torus.yaml that is wrong: which file is in force, since when, and why' '
	yaml=$CLUSTER_DIR/torus.yaml && cp "$yaml" good.yaml &&
	plan_says "^configuration $yaml, in force since ....-..-..T..:..:.." -v &&
	since=$(sed -n "s/.*in force since //p" said) &&
	sed "s/dims:.*/dims: [4, 0, 2]/" good.yaml >"$yaml" && sleep 1 &&
	{ scontrol reconfigure || :; } && cluster wait &&
	wait_for 10 plan_says "the file of ....-..-..T..:..:.. is not used: .*torus.yaml:[0-9]+: dims:" -v &&
	grep "in force since $since" said &&
	"$storus" reservations -v >said 2>&1 && [ "$(grep -c "torus.yaml:[0-9]*: dims:" said)" = 1 ] &&
	plan --json | tr -d " \n" | grep "\"errors\":\[\"" &&
	cp good.yaml "$yaml" && scontrol reconfigure && cluster wait &&
	wait_for 10 plan_says "in force since" -v &&
	wait_for 5 test -z "$(plan -v | grep "is not used")"
'

test_done
