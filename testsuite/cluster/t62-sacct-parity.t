#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a site has of its past is sacct's: whole seconds, jobs that Slurm alone
# placed, jobs that were cancelled or requeued. Jobs go through sched/torus on a
# cluster with slurmdbd, and storus parity, replay and report read what
# sacct -P says of them.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sacct of a live cluster against its replay'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
skip_without_accounting
sched_start '4, 2, 2' easy --accounting
storus=$top_builddir/storus

# dump OPTION...: as storus help parity says
dump() {
	SLURM_TIME_FORMAT=%s sacct -a -P -S now-1hour -o JobID,User,Submit,Eligible,Start,End,ElapsedRaw,NNodes,TimelimitRaw,State,Priority,AdminComment "$@"
}

# quiet: everything has ended, and slurmdbd knows; then a pause that parts busy
# periods
quiet() {
	wait_for 40 nobody_runs && wait_for 10 all_told && sleep 5
}
nobody_runs() {
	[ -z "$(squeue -h -o %i)" ]
}
all_told() {
	! dump -X | grep -E "PENDING|RUNNING"
}

parity() {
	"$storus" parity --torus "$CLUSTER_DIR/torus.yaml" "$@"
}

# one after the other, so that seconds suffice
test_expect_success 'shapes, a ladder, an array, a dependency, steps: the same' '
	a=$(JOB_SCRIPT="srun -N1 -n1 true; exec sleep 3" submit --geometry=4x2x2 -t 1) &&
	b=$(run 3 --geometry=4x2x2,2x2@1h -t 2) &&
	c=$(run 2 --array=0-1 --geometry=2x2x2 -t 1) &&
	d=$(run 2 --geometry=4x2x2 -t 1 --dependency=afterok:$b) &&
	quiet &&
	dump -X -D >first.txt && cat first.txt &&
	parity --check first.txt >out; code=$?; cat out && [ "$code" = 0 ] &&
	grep "^5 jobs compared" out &&
	grep "^regions: 0 of 5 differ" out &&
	grep "^starts: 0 differ" out &&
	grep "^busy periods: 1 the same, 0 differ, 0 unclear; 5 of 5" out &&
	dump -D >steps.txt &&
	[ "$(wc -l <steps.txt)" -gt "$(wc -l <first.txt)" ] &&
	parity steps.txt >steps.out && test_cmp out steps.out
'

test_expect_success 'begin time, a job without a shape, one cancelled in the queue, one requeued' '
	a=$(run 2 --geometry=4x2x2 -t 1 --begin=now+2) &&
	quiet &&
	b=$(run 3 -N2 -t 1) && c=$(run 3 --geometry=2x2x2 -t 1) &&
	quiet &&
	d=$(run 2 --geometry=4x2x2 -t 1) && e=$(submit --geometry=4x2x2 -t 9) && sleep 1 &&
	scancel $e &&
	quiet &&
	f=$(submit --geometry=2x2x1 -t 1) && wait_state $f RUNNING && sleep 1 &&
	scontrol requeue $f && wait_state $f RUNNING 30 && sleep 1 && scancel $f &&
	quiet &&
	dump -X -D >all.txt && cat all.txt &&
	parity --json all.txt >out; cat out
	parity all.txt >out; code=$?; cat out && [ "$code" = 0 ] &&
	[ "$(grep -c "^$f|" all.txt)" = 2 ] &&
	grep "^11 jobs compared" out &&
	grep "^not replayed: 1 without run time" out &&
	grep "^without a region: 1 jobs" out &&
	grep " 0 differ, " out
'

test_expect_success 'parity sorts a journal itself and reports other regions' '
	{ head -n 1 all.txt && tail -n +2 all.txt | sort -r; } >reversed.txt &&
	parity all.txt >out && parity reversed.txt >reversed.out &&
	test_cmp out reversed.out &&
	last=$(sed -n "s/|.*torus:place=\(pod0:[^;]*\).*/ \1/p" all.txt | tail -n 1) &&
	place=${last#* } && id=${last%% *} &&
	sed "s/^\($id|.*\)$place/\1pod0:0,0,1+1x1x1/" all.txt >other.txt &&
	! cmp all.txt other.txt &&
	test_expect_code 1 parity other.txt >out &&
	grep "^first difference: job $id" out
'

test_expect_success 'replay and report read it, too' '
	"$storus" replay --torus "$CLUSTER_DIR/torus.yaml" --check --json=out.json all.txt >/dev/null &&
	jq -e ".completed == 11 and .skipped == 1" out.json &&
	"$storus" replay --torus "$CLUSTER_DIR/torus.yaml" --schedule s.csv all.txt >/dev/null &&
	{ "$storus" report s.csv --torus "$CLUSTER_DIR/torus.yaml" --output page.html 2>err || grep -i chart err; }
'

test_expect_success 'weekly writes a page from it' '
	if "$storus" weekly --torus "$CLUSTER_DIR/torus.yaml" --output week.html all.txt 2>err; then
		sed -n "/id=.data.>/,/<.script>/p" week.html |
			sed "1s/.*id=.data.>//; s/<.script>.*//" >week.json &&
			jq -e ".schedules | length == 4" week.json &&
			jq -e ".weekly.parity.compared == 11" week.json &&
			jq -e ".schedules[0].users == [\"$(id -un)\"]" week.json
	else
		cat err && grep libjs-chart err
	fi
'

test_done
