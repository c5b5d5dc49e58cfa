#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nodes that Slurm has leaked: the job table and sinfo call them idle, but Slurm
# allocates them to nobody. A job with --no-kill loses a node, which comes back and
# is used by another job, and both end; or a suspended job outlives a restart.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: idle nodes that Slurm refuses to allocate'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
case $(slurmctld -V) in
*" 22."*) ;;
*)
	skip_all="only Slurm 22.05 is known to leak nodes in these ways"
	test_done
	;;
esac
sched_start '4, 2' easy

node_is() {
	[ "$(sinfo -h -N -n "$1" -o %t)" = "$2" ]
}

# reason_names ID WORD...
reason_names() {
	names_id=$1
	shift
	for names_word in "$@"; do
		reason_of "$names_id" | grep -q -e "$names_word" || return 1
	done
}

# leak NODE
leak() {
	k=$(submit --no-kill -N8 -t 5) && wait_state $k RUNNING 10 &&
		scontrol update nodename=$1 state=down reason=test &&
		sleep 1 && scontrol update nodename=$1 state=resume &&
		wait_for 20 node_is $1 idle &&
		j=$(submit -N1 -w $1 -t 5) && wait_state $j RUNNING 15 &&
		cancel $j $k && wait_for 20 node_is $1 idle
}

# runs_or_names ID WORD...: the job runs, so that nothing was leaked, or its reason
# has these words
runs_or_names() {
	[ "$(squeue -h -j "$1" -o %T)" = RUNNING ] || reason_names "$@"
}

# waits_for_leaked NODE [WORD]: a job waits for it, in j, and its reason has that word. On a busy machine it depends on
# the order of Slurm's own events whether it leaks the node, so try again.
waits_for_leaked() {
	for leak_try in 1 2 3; do
		leak "$1" && mark && j=$(submit --geometry=4x2 -t 5) &&
			wait_for 30 runs_or_names $j "${2-$1}" "Slurm refuses" \
				"scontrol reconfigure" || return 1
		[ "$(squeue -h -j $j -o %T)" = PENDING ] && return 0
		echo "try $leak_try: Slurm did not leak $1"
		cancel $j && wait_for 20 node_is "$1" idle || return 1
	done
	return 1
}

test_expect_success 'a job that waits for a leaked node names it and the remedy' '
	waits_for_leaked node03 && reason_of $j && stays_state $j PENDING 3
'
test_expect_success '... storus and the log, too, the log once' '
	"$top_builddir/storus" reservations | tee res && grep node03 res &&
	[ "$(logged "error: sched/torus: does not use node03.*scontrol reconfigure" | wc -l)" -eq 1 ]
'
test_expect_success 'jobs start on the other nodes' '
	i=$(submit -N7 -t 5) && wait_state $i RUNNING 15 &&
	job_nodes $i >nodes && ! grep node03 nodes && cancel $i
'
test_expect_success 'after scontrol reconfigure the node is used again' '
	scontrol reconfigure && wait_state $j RUNNING 30 && cancel $j
'
test_expect_success 'select/linear counts a job that was suspended over a restart' '
	mark
	k=$(submit --geometry=2x2 -t 5) && wait_state $k RUNNING 15 &&
	job_nodes $k >leaked && scontrol suspend $k && wait_state $k SUSPENDED 10 &&
	cluster restart-ctld && scontrol resume $k && wait_state $k RUNNING 10 &&
	cancel $k && j=$(submit --geometry=4x2 -t 5) &&
	wait_for 30 reason_names $j "Slurm refuses" "scontrol reconfigure" &&
	i=$(submit --geometry=2x2 -t 5) && wait_state $i RUNNING 15 &&
	job_nodes $i >nodes && ! grep -xF -f leaked nodes && cancel $i &&
	scontrol reconfigure && wait_state $j RUNNING 30 && cancel $j
'
test_expect_success 'a node that a job has just released is not called leaked' '
	mark
	for n in 1 2 3 4 5; do
		a=$(submit --geometry=4x2 -t 5) && wait_state $a RUNNING 10 &&
			b=$(submit --geometry=4x2 -t 5) && scancel $a &&
			wait_state $b RUNNING 20 && cancel $b || return 1
	done
	! logged "does not use"
'
test_expect_success 'PrivateData=nodes: the reason counts the nodes and names none' '
	echo PrivateData=nodes >>"$SLURM_CONF" && scontrol reconfigure && cluster wait &&
	waits_for_leaked node03 "not used: 1 node " &&
	! reason_of $j | grep node03 && logged "error: sched/torus: does not use node03"
'

test_done
