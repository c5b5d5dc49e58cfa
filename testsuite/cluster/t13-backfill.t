#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stock sched/backfill around a shaped job that waits: what does not delay it
# may overtake it, what would may not.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='backfill around a waiting shaped job'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x2x2
torus_yaml '4, 2, 2' >torus.yaml
cluster_start --nodes 16 --select torus --torus torus.yaml

planned_nodes() {
	expand_nodes "$(squeue -h --start -j "$1" -o %Y)" >planned
	[ -s planned ]
}

test_expect_success 'half of the machine is busy for five minutes, a 2x2x2 has to wait' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5 -w node00) &&
	wait_state $a RUNNING &&
	b=$(submit --geometry=2x2x2 -t 10) &&
	wait_for 15 planned_nodes $b &&
	[ "$(job_state $b)" = PENDING ] &&
	box_extent $MACHINE <planned | grep -x 2x2x2
'

test_expect_success 'one forecast: of squeue, explain and what-if, which names the scheduler' '
	one_forecast $b && "$top_builddir/storus" what-if |
		grep -x "Estimated, as scheduled by sched/backfill as conservative\."
'

test_expect_success 'suggest: the shape that would start now starts, the other is expected when it says' '
	suggestion_holds 4x2 2x2x2
'

test_expect_success 'sbatch --test-only: now beside the place that is planned for it, else later' '
	start=$(date -d "$(job_field $b StartTime)" +%s) && now=$(date +%s) &&
	[ $(tested --geometry=2x2x1 -t 2) -le $((now + 10)) ] && [ $(tested -N4 -t 2) -le $((now + 10)) ] &&
	[ $(tested --geometry=4x2x1 -t 60) -ge $start ] && [ $(tested -N8 -t 60) -ge $start ]
'

# suggest_as_tested SHAPE LIMIT: storus suggest and sbatch --test-only say one start
suggest_as_tested() {
	suggest_at=$("$top_builddir/storus" suggest "$1" -t "$2" --json | jq --arg shape "$1" \
		'.suggestions[] | select(.geometry == $shape) | .start | floor') &&
		suggest_apart=$(($(tested --geometry="$1" -t "$2") - suggest_at)) &&
		echo "$1 -t $2: $suggest_apart s apart" && [ $((suggest_apart * suggest_apart)) -le 9 ]
}
test_expect_success 'suggest: as --test-only, beside the places that Slurm plans for a queue' '
	queue=$(for job in "4x2 9" "2x2 4" "4x2x2 6" "2x2x1 14" "3x2x1 8" "4x2x1 11" "2x2x2 2" "2x1 20" \
		"4x1 7" "3x2x2 5"; do
		submit --geometry=${job% *} -t ${job#* } || exit 1
	done) && wait_for 60 forecast_known $queue &&
	for limit in 2 9 15; do
		for shape in 4x2 2x2 4x2x2 2x2x2 3x2; do
			suggest_as_tested $shape $limit || return 1
		done
	done && cancel $queue
'

test_expect_success 'a long job does not overtake it on the nodes that it will need' '
	c=$(submit --geometry=4x2x1 -t 60) &&
	stays_state $c PENDING 5 &&
	[ "$(job_state $b)" = PENDING ]
'

test_expect_success 'a short one does' '
	d=$(submit --geometry=2x2x1 --no-rotate -t 2) &&
	wait_state $d RUNNING &&
	assert_box $d 2x2x1 exactly &&
	[ "$(job_state $b)" = PENDING ]
'

test_expect_success 'and so does a long one beside its place' '
	cancel $c $d &&
	e=$(submit --geometry=2x2x1 --no-rotate -t 60) &&
	wait_state $e RUNNING &&
	assert_box $e 2x2x1 exactly &&
	wait_for 15 planned_nodes $b &&
	job_nodes $e >nodes &&
	sort planned | comm -12 - nodes >both &&
	test_must_be_empty both
'

test_expect_success 'jobs without a shape obey the same rule' '
	f=$(submit -N4 -t 60) &&
	stays_state $f PENDING 4 &&
	g=$(submit -N4 -t 2) &&
	wait_state $g RUNNING &&
	assert_disjoint $a $e $g &&
	cancel $f $g
'

test_expect_success 'when the half is free, the job that has waited starts' '
	cancel $a &&
	wait_state $b RUNNING &&
	assert_box $b 2x2x2 &&
	assert_disjoint $b $e &&
	scontrol show job $b | grep "ring=[TM]*;shape-wait=[1-9]" &&
	cancel_all
'

test_done
