#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A dry run of sched/torus beside sched/backfill: the journal tells what would
# have been started where, storus parity --dry-run what would have been
# different, and the cluster does what it does without.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='a dry run beside sched/backfill'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
storus=$top_builddir/storus
MACHINE=4x2x2

# dry [DISCIPLINE]: torus.yaml, with a dry run of that discipline
dry() {
	if [ $# -eq 0 ]; then
		sched_yaml '4, 2, 2' easy
	else
		sched_yaml '4, 2, 2' "$1" "journal: $PWD/journal.csv" "dry_run: true"
	fi
}
change() {
	dry "$@" >"$CLUSTER_DIR/torus.yaml" && scontrol reconfigure &&
		cluster wait && sleep 1
}
verdict() {
	"$storus" parity --dry-run --json journal.csv >verdict.json
	jq -r "$1" verdict.json
}
would() { # ID: lines of the journal
	grep "^$1,.*,would,$" journal.csv
}
# judged OPTION...: runs a job that the dry run has judged, $judged. (One that slurmctld
# starts before the dry run has seen it waiting is not.)
judged() {
	for try in 1 2 3 4 5; do
		judged=$(submit -t 10 "$@") && wait_state "$judged" RUNNING 60 && sleep 1 || return 1
		! would "$judged" || return 0
		cancel "$judged"
	done
	return 1
}

dry easy >torus.yaml
cluster_start --nodes 16 --select torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

test_expect_success 'the journal has the place where slurmctld starts the job' '
	judged --geometry=2x2x2 && a=$judged &&
	would $a | grep -F "$(scontrol show job $a | sed -n "s/.*torus:place=\([^; ]*\).*/\1/p")" &&
	"$storus" parity --dry-run --within 5 journal.csv >out && cat out &&
	grep "^1 jobs judged: sched/torus would have done the same" out
'

test_expect_success 'nothing but the journal is written' '
	grep "dry run: the jobs that it would start are written to" "$log" &&
	! grep "sched/torus: started" "$log" &&
	[ ! -e "$CLUSTER_DIR/state/torus_plan" ] &&
	! ls "$CLUSTER_DIR"/state | grep -i promise &&
	grep "^,.*scheduler easy .* dry_run\",state,$" journal.csv
'

# (the main loop of 23.11 and 24.05 has no association without accounting, and says InvalidAccount)
waits_as_stock() {
	squeue -h -j "$1" -o "%r" | grep -xE "Resources|InvalidAccount" &&
		scontrol show job "$1" | grep "SchedNodeList=node\[00-15\]"
}
test_expect_success 'a job that waits: its reason and start are those of sched/backfill' '
	b=$(submit --geometry=4x2x2 -t 10) && sleep 4 &&
	[ "$(job_state $b)" = PENDING ] && ! would $b &&
	wait_for 10 waits_as_stock $b
'

test_expect_success 'fcfs would not start jobs that sched/backfill starts' '
	change fcfs && c=$(submit --geometry=2x2 -t 1) &&
	wait_state $c RUNNING 15 && sleep 2 && ! would $c &&
	test_expect_code 1 "$storus" parity --dry-run --within 5 journal.csv >out &&
	cat out && grep "1  later: not yet started" out && grep "^$c  .* later$" out
'

test_expect_success 'easy would start it: one line per place, not per cycle' '
	cancel_all && change easy &&
	printf "SchedulerParameters=sched_interval=-1,defer,bf_interval=20\n" >slow &&
	sed -i "/^SchedulerParameters/d; 1r slow" "$CLUSTER_DIR/slurm.conf" &&
	cluster restart-ctld && : >journal.csv.new && mv journal.csv.new journal.csv &&
	scontrol reconfigure && cluster wait && sleep 2 &&
	d=$(submit --geometry=2x2x2 -t 10) && wait_for 10 would $d &&
	e=$(submit --geometry=2x2 -t 10) && wait_for 10 would $e &&
	wait_state $d RUNNING 60 && wait_state $e RUNNING 60 && sleep 1 &&
	[ "$(would $d | wc -l)" -le 2 ]
'

test_expect_success 'parity --dry-run prints how much earlier jobs would start' '
	[ "$(verdict .judged)" = 2 ] && cat verdict.json &&
	[ "$(verdict .same)" = false ] && [ "$(verdict .earlier)" -ge 1 ] &&
	[ "$(verdict ".max_earlier_s | floor")" -ge 2 ] &&
	[ "$(verdict ".max_earlier_s | floor")" -le 60 ]
'

test_expect_success 'plain parity refuses the journal of a dry run' '
	test_expect_code 2 "$storus" parity --torus "$CLUSTER_DIR/torus.yaml" \
		journal.csv 2>err && grep "journal of a dry run" err
'

test_expect_success 'switched off by a reconfigure, and on again' '
	cancel_all && change && wc -l <journal.csv >before &&
	f=$(submit --geometry=2x2x2 -t 10) && wait_state $f RUNNING 60 && sleep 1 &&
	wc -l <journal.csv >after && test_cmp before after && cancel $f &&
	change easy && judged --geometry=2x2x2 && cancel $judged
'

# load FILE: a queue that runs, waits for nodes, for another job and for its
# time; what Slurm says of all its jobs goes to FILE
load() {
	sed -i 's/,bf_interval=20/,bf_interval=1/' "$CLUSTER_DIR/slurm.conf" &&
		cluster restart-ctld &&
		load_a=$(submit --geometry=4x2x1 --no-rotate -t 5) && wait_state "$load_a" RUNNING 20 &&
		load_b=$(submit --geometry=2x2x2 -t 5) && load_c=$(submit -N9 -t 5) &&
		load_d=$(submit --geometry=2x2 -t 2) && wait_state "$load_d" RUNNING 20 &&
		load_e=$(submit --array=0-1 --geometry=2x1 -t 2) && wait_for 20 array_runs &&
		load_f=$(submit --dependency=afterok:"$load_a" -t 1) &&
		load_g=$(submit --begin=now+1hour -t 1) && sleep 6 &&
		for load_id in $(squeue -h -o %A | sort -n); do
			scontrol --oneliner show job "$load_id" | tr ' ' '\n' |
				grep -E '^(JobState|Reason|NumNodes|NodeList|SchedNodeList|AdminComment|Comment|Requeue|TimeLimit|torus:place)='
		done >"$1" &&
		cancel_all
}
array_runs() {
	[ "$(squeue -h -r -j "$load_e" -t R | wc -l)" = 2 ]
}

test_expect_success 'the same load with the dry run and without: the same cluster' '
	change easy && load with && change && load without &&
	[ -s with ] && test_cmp without with && cat with
'

test_expect_success 'jobs without a shape take nodes that no torus has: so does the dry run' '
	printf "toruses:\n  - name: pod0\n    dims: [4, 2]\n    nodes: node[00-07]\n" >torus.yaml &&
	printf "scheduler:\n  journal: %s/journal.csv\n  dry_run: true\n" "$PWD" >>torus.yaml &&
	cp torus.yaml "$CLUSTER_DIR/torus.yaml" && cluster restart-ctld && cluster wait && sleep 1 &&
	judged -N12 && cancel $judged
'

test_expect_success 'with sched/torus it is refused' '
	cluster stop-ctld && sed -i "s,^SchedulerType=.*,SchedulerType=sched/torus," \
		"$CLUSTER_DIR/slurm.conf" && ! cluster start-ctld 2>err; cat err;
	grep "dry_run: got true, but SchedulerType is sched/torus" "$log"
'

test_done
