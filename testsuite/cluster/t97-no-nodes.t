#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# -N0-2: a job of no node is refused, however it comes; slurmctld starts no job on no
# node. With PrivateData=jobs AdminComment counts the jobs that a job slows down.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='jobs of no node, and names that are not shown'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
torus_yaml '4, 4' 'strategy: subtorus' >torus.yaml
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml

# refused COMMAND...: with our sentence (before 24.11 an update shows Slurm's alone)
refused() {
	test_must_fail "$@" 2>err >out && cat err out
}

test_expect_success 'sbatch, an array and parts of a job of several are refused' '
	for words in -N0-2 -N0 "-N0-2 --array=1-3" "-N0-2 -n2" "-N0-2 --exclusive"; do
		refused sbatch -o /dev/null -t 1 $words --wrap true &&
			grep "torus: --nodes: got at least 0 nodes" err || return 1
	done &&
	refused sbatch -o /dev/null -t 1 -N1 : -N0-2 --wrap true &&
	refused sbatch -o /dev/null -t 1 -N0-2 : -N1 --wrap true &&
	refused sbatch -o /dev/null -t 1 -N0-2 --geometry=2x2 --wrap true &&
	refused sbatch -o /dev/null -t 1 --geometry=0x2 --wrap true &&
	[ -z "$(squeue -h)" ] && scontrol ping | grep UP
'

test_expect_success 'an update to no node is refused' '
	a=$(sbatch --parsable -o /dev/null -H -t 1 -N2-3 --wrap true) &&
	for words in numnodes=0-2 numnodes=0 minnodes=0; do
		refused scontrol update jobid=$a $words || return 1
	done &&
	scontrol show job $a | grep "NumNodes=2-3" &&
	b=$(sbatch --parsable -o /dev/null -H -t 1 --geometry=2x2 --wrap true) &&
	refused scontrol update jobid=$b numnodes=0 &&
	scancel $a $b && scontrol ping | grep UP
'

test_expect_success 'PrivateData=jobs: the jobs that share links are counted' '
	echo "PrivateData=jobs" >>"$SLURM_CONF" && scontrol reconfigure && cluster wait &&
	a=$(submit --geometry=2x2 -t 20) && wait_state $a RUNNING &&
	b=$(submit --geometry=2x2 -t 20) && wait_state $b RUNNING &&
	c=$(submit --geometry=2x2 -t 20) && wait_state $c RUNNING &&
	scontrol --oneliner show job $c >said && cat said &&
	grep -o "torus:place=[^ ]*" said | grep -q ";dilation=2;disturbs=+2$" &&
	scancel $a $b $c
'

test_done
