#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus and select/torus_cons_tres on nodes of several CPUs, GPUs and
# memory: jobs that name tasks, CPUs or GRES find all of the machine, share nodes
# as under select/cons_tres, and break no promise.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: jobs that share nodes'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus_cons_tres
MACHINE=4x4
sched_yaml '4, 4' easy >torus.yaml
cluster_start --nodes 16 --cpus 8 --gres gpu:4 --node RealMemory=8000 \
	--set SelectTypeParameters=CR_Core_Memory --set DefMemPerCPU=500 \
	--select torus_cons_tres --sched torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

# all_run ID...: within ten seconds
all_run() {
	for run_id in "$@"; do
		wait_state "$run_id" RUNNING 10 || return 1
	done
}

# twice OPTION...: two such jobs run at the same time
twice() {
	twice_a=$(submit -t 5 "$@") &&
		twice_b=$(submit -t 5 "$@") &&
		all_run "$twice_a" "$twice_b"
}

for options in '-N4 -n4 --mem=1000' '-n1 -c4' '-n1 --gres=gpu:1' '-n2' \
	'--gpus=8' '-n16' '-N2 --ntasks-per-node=4' '-n2 --cpus-per-gpu=2 --gpus=2' \
	'-n4 --gpus-per-task=1' '-N2 --exclusive'; do
	test_expect_success "twice: $options" "
		cancel_all; twice $options &&
		cancel_all
	"
done

test_expect_success 'a shape with tasks and GRES' '
	a=$(submit -t 5 --geometry=2x2 -n4 --gres=gpu:1) &&
	b=$(submit -t 5 --geometry=2x2 -n8 -c2 --gres=gpu:4) &&
	c=$(submit -t 5 --geometry=2x2 -n4 --mem=1000) &&
	all_run $a $b $c &&
	assert_box $a 2x2 && assert_box $b 2x2 && assert_box $c 2x2 &&
	assert_disjoint $a $b $c &&
	cancel_all
'

test_expect_success 'alternatives with --ntasks-per-gpu: tasks for the GPUs of the nodes that it got' '
	a=$(submit -t 5 -N1 -w node15 --exclusive) && all_run $a &&
	b=$(submit -t 5 --geometry=4x4,2x1@1s --gpus-per-node=2 --ntasks-per-gpu=2) &&
	all_run $b && assert_box $b 2x1 &&
	[ "$(job_field $b NumTasks) $(job_field $b NumCPUs)" = "8 8" ] &&
	cancel_all
'

# three nodes become idle while a job of 2 to 4 waits, with one idle node
test_expect_success 'a range of nodes takes idle ones, with tasks, and where jobs share' '
	a=$(submit -t 5 -N13 -w "node[00-12]" --exclusive) && all_run $a &&
	for options in "-N2-4" "-N2-4 -n16" "-N2-4 -n16 --exclusive" "-N2-4 --ntasks-per-node=2 --exclusive" \
		"-N2-4 -n4 -c5" "-N2-4 -w node15" "-N2-4 -n16 -w node14,node15"; do
		c=$(submit -t 8 -N2 -w "node[13-14]" --exclusive) && all_run $c &&
		b=$(submit -t 5 $options) && stays_state $b PENDING 3 && cancel $c &&
		case $options in
		*-c5) stays_state $b PENDING 3 ;;
		*) wait_state $b RUNNING 8 && [ "$(job_nodes $b | wc -l)" -ge 2 ] ;;
		esac && cancel $b || { echo "$options"; return 1; }
	done &&
	d=$(submit -t 8 -n1 --mem=1000 -w node14) && all_run $d &&
	b=$(submit -t 5 -N2-4 --mem=1000 -w node14) && all_run $b &&
	[ "$(job_nodes $b | paste -sd " " -)" = "node13 node14 node15" ] &&
	cancel_all
'

# same_node ID...: they run on one node, all on the same
same_node() {
	all_run "$@" || return 1
	for same_id in "$@"; do
		job_nodes "$same_id"
	done | sort -u >same.nodes
	[ "$(wc -l <same.nodes)" = 1 ] || {
		echo "jobs $* are on $(paste -sd, same.nodes)"
		return 1
	}
}

# submit_all N OPTION...: N such jobs; their ids
submit_all() {
	submit_count=$1
	shift
	for submit_n in $(seq "$submit_count"); do
		submit -t 5 "$@" || return 1
	done
}

test_expect_success 'CPUs, GPUs and memory of one node are shared' '
	cancel_all &&
	same_node $(submit_all 4 -n1 -c2) && cancel_all &&
	same_node $(submit_all 4 -n1 --gres=gpu:1) && cancel_all &&
	same_node $(submit_all 2 -n1 --mem=4000) && cancel_all &&
	same_node $(submit_all 2 -n2 --cpus-per-gpu=1 --gpus=2) && cancel_all
'

test_expect_success 'resources that one node lacks come from others' '
	cancel_all &&
	ids=$(submit_all 6 -n1 -c3) &&
	all_run $ids &&
	for id in $ids; do job_nodes $id; done | sort | uniq -c >per &&
	cat per && [ "$(wc -l <per)" = 3 ] && ! grep -v "^ *2 " per &&
	ids="$ids $(submit_all 32 -N1 -n1 --gres=gpu:2)" &&
	sleep 3 && [ "$(squeue -h -t R -o %i | wc -l)" = 38 ] &&
	cancel_all
'

test_expect_success 'on 16 nodes: sharing, --exclusive, shapes' '
	cancel_all &&
	a=$(submit -t 5 -N8 -n8) && b=$(submit -t 5 -N8 -n8) &&
	all_run $a $b &&
	[ "$(job_nodes $a | paste -sd,)" = "$(job_nodes $b | paste -sd,)" ] &&
	c=$(submit -t 5 -N4 --exclusive) && d=$(submit -t 5 --geometry=4x1) &&
	all_run $c $d && assert_disjoint $a $c $d &&
	e=$(submit -t 5 --geometry=4x1) &&
	stays_state $e PENDING 2 &&
	f=$(submit -t 5 -N9 -n9) &&
	stays_state $f PENDING 1 &&
	cancel $f &&
	cancel $a && stays_state $e PENDING 2 &&
	cancel $b && wait_state $e RUNNING 10 &&
	cancel_all
'

# tres ID KEY: what it is allocated of that
tres() {
	job_tres "$1" | tr , "\n" | sed -n "s/^$2=//p"
}

test_expect_success 'a shape is allocated what it asks for, and alone' '
	cancel_all &&
	a=$(submit -t 5 --geometry=4x4 -n16 --gres=gpu:1 --mem=1000) &&
	all_run $a &&
	[ "$(tres $a cpu)" = 16 ] && [ "$(tres $a mem)" = 16000M ] &&
	b=$(submit -t 5 -n1) && c=$(submit -t 5 --geometry=1x1) &&
	stays_state $b PENDING 2 && [ "$(job_state $c)" = PENDING ] &&
	cancel $a && all_run $b $c && assert_disjoint $b $c &&
	cancel_all &&
	a=$(submit -t 5 --geometry=2x2 --exclusive) && all_run $a &&
	[ "$(tres $a cpu)" = 32 ] && cancel_all
'

test_expect_success 'a job that shares does not delay the head of the queue' '
	cancel_all &&
	part=$(submit -t 2 -n1 -c4 -w node00) &&
	all=$(submit -t 3 -N15 --exclusive) &&
	all_run $part $all &&
	head=$(submit -t 5 -N16 --exclusive) &&
	wait_for 10 promised $head && before=$start_time &&
	long=$(submit -t 60 -n1 -c2) &&
	stays_state $long PENDING 2 &&
	short=$(submit -t 2 -n1 -c2) &&
	same_node $part $short &&
	[ "$(job_state $long)" = PENDING ] &&
	promised $head && near "$start_time" "$before" 2 &&
	cancel $all $part $short && wait_state $head RUNNING 10 &&
	cancel_all
'

test_expect_success 'other jobs get a node when one of its jobs ends' '
	cancel_all &&
	full=$(submit -t 9 -N16 -n16 -c6 --mem=100) &&
	more=$(submit -t 9 -N16 -n16 -c2 --mem=100) &&
	all_run $full $more &&
	one=$(submit -t 5 -n1 -c2) && stays_state $one PENDING 2 &&
	cancel $more && wait_state $one RUNNING 10 &&
	cancel_all
'

test_expect_success 'slurmctld restarts: shared nodes stay shared' '
	cancel_all &&
	a=$(submit -t 5 -n1 -c2) && b=$(submit -t 9 -n1 -c2) &&
	same_node $a $b &&
	cluster restart-ctld && sleep 1 &&
	c=$(submit -t 5 -n1 -c2) && same_node $a $b $c &&
	box=$(submit -t 5 --geometry=4x4) && stays_state $box PENDING 2 &&
	cancel $a $c && stays_state $box PENDING 2 &&
	cancel $b && wait_state $box RUNNING 10 &&
	cancel_all
'

test_expect_success 'storus reservations -v counts them' '
	"$top_builddir/storus" reservations -v >out && cat out &&
	grep " [1-9][0-9]* jobs started beside others" out
'

# partition NAME OPTION...: another partition of all nodes
partition() {
	partition_name=$1
	shift
	scontrol create "partitionname=$partition_name" nodes=ALL state=up "$@"
}

test_expect_success 'partitions with OverSubscribe' '
	cancel_all && partition force oversubscribe=force:2 &&
	ids=$(submit_all 32 -p force -n8 -N1 --mem=100) && all_run $ids &&
	one=$(submit -t 5 -p force -n8 -N1 --mem=100) && stays_state $one PENDING 2 &&
	cancel_all && partition yes oversubscribe=yes:2 &&
	ids=$(submit_all 32 -p yes -n8 -N1 --mem=100 --oversubscribe) &&
	all_run $ids && one=$(submit -t 5 -p yes -n1) &&
	stays_state $one PENDING 2 &&
	cancel_all && partition alone oversubscribe=exclusive &&
	ids=$(submit_all 16 -p alone -n1) && all_run $ids &&
	one=$(submit -t 5 -p alone -n1) && stays_state $one PENDING 2 &&
	cancel_all
'

test_expect_success '--exclusive=user' '
	cancel_all &&
	same_node $(submit_all 2 -n1 --exclusive=user) &&
	a=$(submit -t 5 --geometry=2x2 --exclusive=user) && all_run $a &&
	cancel_all
'

test_expect_success 'arrays, requeue and changed limits of jobs that share' '
	cancel_all &&
	a=$(submit -t 5 -n1 -c2 --array=0-5) &&
	wait_for 10 eval "[ \$(squeue -h -t R -o %i | wc -l) = 6 ]" &&
	squeue -h -o %N | sort -u >nodes && cat nodes && [ "$(wc -l <nodes)" = 2 ] &&
	scontrol update "jobid=${a}_1" timelimit=20 &&
	box=$(submit -t 5 --geometry=4x4) && wait_for 10 promised $box &&
	near "$start_time" "$(squeue -h -j "${a}_1" -o %e)" 5 &&
	scontrol requeue "${a}_1" && scancel $a && wait_state $box RUNNING 20 &&
	cancel_all
'

test_done
