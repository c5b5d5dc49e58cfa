#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus and select/torus_cons_tres on nodes of several CPUs, GPUs and
# memory: jobs that name tasks, CPUs or GRES find all of the machine.

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

test_done
