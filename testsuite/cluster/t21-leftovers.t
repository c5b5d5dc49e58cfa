#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nothing stays behind: after jobs that end, are cancelled while they run or
# wait, fail, time out, or come as arrays, the whole machine is one free box.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='no leftovers of jobs that are gone'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x4x2
torus_yaml '4, 4, 2' >torus.yaml
cluster_start --nodes 32 --select torus --torus torus.yaml

queue_is_empty() {
	[ -z "$(squeue -h)" ]
}

# whole: the machine can be had in one piece
whole() {
	wait_for 30 queue_is_empty &&
		id=$(submit --geometry=4x4x2) &&
		wait_state "$id" RUNNING &&
		assert_box "$id" 4x4x2 exactly &&
		cancel "$id"
}

test_expect_success 'sixty small jobs come and go' '
	JOB_SCRIPT="sleep 0.\$((SLURM_JOB_ID % 7))" &&
	for i in $(seq 10); do
		for shape in 2x2x2 4x2 3x1 1x1 2^2 5; do
			submit --geometry=$shape || return 1
		done
	done >ids &&
	JOB_SCRIPT= &&
	wait_for 45 queue_is_empty &&
	for id in $(cat ids); do
		[ "$(job_state $id)" = COMPLETED ] || return 1
	done &&
	whole
'

test_expect_success 'cancelled while running, while waiting, and at once' '
	for i in $(seq 12); do submit --geometry=2x2x2 || return 1; done >ids &&
	scancel $(sed -n "1~3p" ids) &&
	wait_state $(sed -n 2p ids) RUNNING &&
	scancel $(cat ids) &&
	whole
'

test_expect_success 'an array of more tasks than fit' '
	id=$(JOB_SCRIPT="sleep 0.2" submit --array=1-20 --geometry=2x2x2) &&
	whole
'

test_expect_success 'jobs that fail, and a script that cannot be run' '
	JOB_SCRIPT="exit 3" submit --geometry=2x2x2 >fail.id &&
	printf "#!/nonexistent\n" >bad.sh &&
	sbatch --parsable -o /dev/null --geometry=2x2 bad.sh &&
	wait_for 20 queue_is_empty &&
	[ "$(job_state $(cat fail.id))" = FAILED ] &&
	whole
'

test_expect_success 'salloc that ends at once, srun that is interrupted' '
	salloc --geometry=2x2x2 true &&
	{ timeout -s INT -k 2 2 srun --mpi=none --geometry=2x2 sleep 60 || :; } &&
	scancel -u "$(id -un)" &&
	whole
'

test_expect_success 'nothing has happened that no test requested' '
	log=$CLUSTER_DIR/log/slurmctld.log &&
	! grep -iE "fatal|assert|segfault|backtrace|xmalloc|corrupt" "$log" &&
	! grep -E "error: [^/]*torus" "$log" &&
	cluster status
'

test_done
