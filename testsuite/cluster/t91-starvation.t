#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job at the head of the queue that must wait for long does not hold up the larger
# jobs behind it that need other nodes or end sooner: easy beside conservative and,
# in a cluster of its own, sched/backfill. And the queue is in the order of Slurm's
# priorities: tiers, --nice, scontrol top.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: no head starves larger jobs; the order of priority'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus

# yaml DISCIPLINE [LINE...]: two toruses of 16 nodes
yaml() {
	cat <<-YAML
		toruses:
		  - name: a
		    dims: [4, 4]
		    nodes: node[00-15]
		  - name: b
		    dims: [4, 4]
		    nodes: node[16-31]
		scheduler:
		  discipline: $1
	YAML
	shift
	for yaml_line in "$@"; do
		echo "  $yaml_line"
	done
}

# change DISCIPLINE [LINE...]
change() {
	yaml "$@" >"$CLUSTER_DIR/torus.yaml"
	scontrol reconfigure && cluster wait && partitions
}

# (a reconfigure drops partitions that are not in slurm.conf)
partitions() {
	scontrol create partition=a nodes='node[00-15]' state=up &&
		scontrol create partition=b nodes='node[16-31]' state=up &&
		scontrol create partition=hi nodes='node[16-31]' state=up prioritytier=9
}

tidy() {
	scancel -u "$(id -un)" 2>/dev/null
	scontrol delete reservation=maint 2>/dev/null
	wait_for 20 squeue_is_empty
}

# stream ID SECONDS: submit small jobs until the job has started; sets waited, and
# overtaken: how many of them started before it.
stream() {
	stream_ids=
	stream_begun=$(date +%s)
	while [ "$(job_state "$1")" = PENDING ]; do
		[ $(($(date +%s) - stream_begun)) -lt "$2" ] || break
		stream_ids="$stream_ids $(run 4 -p b --geometry=2x2 -t1)"
		sleep 0.5
	done
	waited=$(($(date +%s) - stream_begun))
	overtaken=0
	for stream_id in $stream_ids; do
		[ "$(job_state "$stream_id")" = PENDING ] || overtaken=$((overtaken + 1))
	done
	echo "# $name, $case: waited $waited s, $overtaken later jobs overtook" |
		tee -a waits
	[ "$(job_state "$1")" != PENDING ]
}

# Four small jobs fill torus b, then a job that needs half of it.
small_ones() {
	for small in 3 4 5 6; do
		run $small -p b --geometry=2x2 -t1 >/dev/null || return 1
	done
}

# The head waits for one node.
confined() {
	case='a head that waits for its node'
	tidy && run 50 -p b -N1 -w node16 -t60 >held && wait_state "$(cat held)" RUNNING 10 &&
		head=$(run 3 -p b -N1 -w node16 -t1) && small_ones &&
		victim=$(run 1 -p b --geometry=4x2 -t1) && stream "$victim" "$1"
}

# The head waits in the other torus.
other_torus() {
	case='a head in a full torus'
	tidy && run 50 -p a --geometry=4x4 -t60 >held && wait_state "$(cat held)" RUNNING 10 &&
		head=$(run 3 -p a --geometry=4x4 -t1) && small_ones &&
		victim=$(run 1 -p b --geometry=4x4 -t1) && stream "$victim" "$1"
}

# The head cannot end before a reservation of all nodes begins.
maintenance() {
	case='a head behind maintenance'
	tidy && scontrol create reservation=maint starttime=now+10minutes duration=30 \
		flags=MAINT,IGNORE_JOBS users=root nodes=ALL >/dev/null &&
		small_ones && head=$(run 3 -p b --geometry=4x2 -t30) &&
		victim=$(run 1 -p b --geometry=4x2 -t1) && stream "$victim" "$1"
}

name=backfill
yaml easy >torus.yaml
cluster_start --nodes 32 --select torus --sched backfill --torus torus.yaml \
	--set SchedulerParameters=bf_interval=1,bf_resolution=1,bf_continue
partitions

for scenario in confined other_torus maintenance; do
	$scenario 40 >&3 2>&1
done
# (sched/backfill is measured, not tested: what it does is its own)
tidy
cluster stop --now >&3 2>&1
sed 's/^# *//; s/^/# /' waits

cluster_start --nodes 32 --select torus --sched torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

for name in conservative easy; do
	test_expect_success "$name: a head that waits for its node starves no larger job" '
		change $name && confined 40 &&
		[ "$(job_state $head)" = PENDING ]
	'
	test_expect_success "$name: a head in a full torus starves no job of the other" '
		other_torus 40 && [ "$(job_state $head)" = PENDING ]
	'
	test_expect_success "$name: a head behind maintenance starves no shorter job" '
		maintenance 40 && [ "$(job_state $head)" = PENDING ] &&
		wait_for 10 reason_is $head "outside the nodes that are reserved: maint"
	'
done
grep -h '^#' waits | sort -u

test_expect_success 'easy: the further job with a reservation is promised its start' '
	tidy && run 40 -p b -N1 -w node16 -t60 >held && wait_state "$(cat held)" RUNNING 10 &&
	head=$(run 3 -p b -N1 -w node16 -t1) && small_ones &&
	victim=$(run 1 -p b --geometry=4x2 -t1) &&
	wait_for 5 promised $victim && [ "$(wc -l <planned)" -eq 8 ] &&
	"$top_builddir/storus" reservations >list &&
	grep -q "$victim .*b:" list && tidy
'

test_expect_success 'without `order` the queue is in the order of priority: tier, --nice, top' '
	tidy && change easy && mark &&
	full=$(run 4 -p b --geometry=4x4 -t1) && wait_state $full RUNNING 10 &&
	low=$(run 1 -p b --geometry=4x4 -t1) &&
	nice=$(run 1 -p b --geometry=4x4 -t1 --nice=-1000) &&
	hi=$(run 1 -p hi --geometry=4x4 -t1) &&
	top=$(run 1 -p b --geometry=4x4 -t1 --nice=500) &&
	scontrol update jobid=$top nice=-2000 &&
	started_is $full $hi $top $nice $low
'

test_expect_success '`order: arrival` is told in the log, and holds' '
	tidy && change easy "order: arrival" && mark &&
	grep -q "order: \"arrival\": slurmctld starts jobs in the order of submission" "$log" &&
	full=$(run 4 -p b --geometry=4x4 -t1) && wait_state $full RUNNING 10 &&
	low=$(run 1 -p b --geometry=4x4 -t1) &&
	hi=$(run 1 -p hi --geometry=4x4 -t1) &&
	started_is $full $low $hi
'

test_expect_success 'slurmctld has logged no error' '
	! grep -E "error: (sched/)?torus|sched/torus.*did not start" "$log"
'

test_done
