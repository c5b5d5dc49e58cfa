#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# storus sweep --slurm: the remaining cells as a job array. Half of the tasks
# are killed; the same command computes what is missing, nothing twice. A sweep
# that was interrupted waits for the array it had submitted.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='a campaign as a job array'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_slurm
cluster_start --nodes 8 --select linear

storus() {
	"$top_builddir/storus" "$@"
}

cells() {
	sqlite3 "$1" 'select count(*), count(distinct key) from cells'
}

# Cells of about a second: tasks can be killed in their middle.
cat >campaign.yaml <<-'YAML'
traces: [{model: aida-uniform, jobs: 600000, load: 0.7}]
machines: [flat:256]
seeds: 1-8
YAML

test_expect_success 'half of the tasks are killed: the other results are kept' '
	{ "$top_builddir/storus" sweep campaign.yaml --slurm --tasks 8 \
		>out 2>err & } &&
	sweep=$! &&
	for i in $(seq 100); do
		array=$(sed -n "s/.*job array \([0-9]*\):.*/\1/p" err) &&
		[ -n "$array" ] && break
		sleep 0.1
	done &&
	scancel "${array}_[4-7]" &&
	test_expect_code 3 wait $sweep &&
	grep "not complete: 4 of 8 cells have results" err &&
	[ "$(cells campaign.db)" = "4|4" ]
'

test_expect_success 'the same command submits only the missing cells' '
	storus sweep campaign.yaml --slurm --tasks 8 >out 2>err &&
	grep "job array [0-9]*: 4 tasks for 4 cells" err &&
	[ "$(cells campaign.db)" = "8|8" ] &&
	grep -E "^ +8 +0\." out &&
	[ ! -e campaign.db.tasks ] && [ ! -e campaign.db-lock ]
'

test_expect_success 'nothing is left to submit' '
	storus sweep campaign.yaml --slurm >out 2>err &&
	! grep array err
'

test_expect_success 'results are those of this machine' '
	storus sweep campaign.yaml --output local.db >local 2>err &&
	diff out local
'

test_expect_success 'an interrupted sweep waits for its array' '
	rm campaign.db &&
	{ "$top_builddir/storus" sweep campaign.yaml --slurm --tasks 8 \
		>out 2>err & } &&
	sweep=$! &&
	for i in $(seq 100); do grep -q "job array" err && break; sleep 0.1; done &&
	kill -TERM $sweep && test_expect_code 3 wait $sweep &&
	storus sweep campaign.yaml --slurm --tasks 8 >out 2>err &&
	grep "of an earlier run: collecting" err &&
	! grep "tasks for" err &&
	[ "$(cells campaign.db)" = "8|8" ] && diff out local
'

test_expect_success 'several cells per task, options for sbatch' '
	rm campaign.db && sed -i s/600000/1000/ campaign.yaml &&
	storus sweep campaign.yaml --slurm --tasks 3 \
		--sbatch "-J lab --time=5" >out 2>err &&
	grep "3 tasks for 8 cells" err && [ "$(cells campaign.db)" = "8|8" ]
'

test_done
