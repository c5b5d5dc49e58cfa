#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# DebugFlags: Backfill logs why the jobs of sched/torus wait, SelectType why a shape gets
# no place; neither logs anything when it is off.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='one line per job passed over, under DebugFlags'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2' easy --set SlurmctldDebug=info

nothing_more() { # since the latest mark
	sleep 3
	! logged "(BACKFILL|SELECT_TYPE): .*torus: " || return 1
}
another_cycle() {
	scontrol update jobid="$b" comment="$(date +%N)"
	sleep 0.5
	logged "$1"
}

# the mark may stand within a cycle: its lines end twice
whole_cycle() {
	another_cycle "$1" && [ "$(logged "$1" | wc -l)" -ge 2 ]
}

test_expect_success 'without the flag nothing is logged' '
	a=$(submit --geometry=4x1 -t5) && wait_state $a RUNNING && mark &&
	b=$(submit --geometry=4x2 -t5) && c=$(submit --geometry=4x2 -t5) &&
	wait_for 20 reason_is $b "job $a holds" && nothing_more
'

test_expect_success '+Backfill: each waiting job has a line with its reason in each cycle' '
	scontrol setdebugflags +Backfill && mark &&
	wait_for 20 another_cycle "BACKFILL: sched/torus: JobId=$b \(4x2\) is passed over: .*job $a holds" &&
	logged "BACKFILL: sched/torus: JobId=$c \(4x2\) is passed over: .*job $a holds" &&
	! logged "BACKFILL: sched/torus: JobId=$a "
'

test_expect_success '... a record of an array once, a hundred jobs at most' '
	d=$(submit --array=1-9 --geometry=4x2 -t5) && mark &&
	wait_for 30 another_cycle "BACKFILL: sched/torus: JobId=$d \(4x2\) is passed over: " &&
	! logged "more waiting" && scancel $d &&
	for i in $(seq 99); do
		submit --geometry=4x2 -t5 >/dev/null || return 1
	done && mark &&
	wait_for 60 whole_cycle "BACKFILL: sched/torus: and 1 more waiting jobs" &&
	logged "BACKFILL" >said &&
	[ "$(awk "/more waiting/ { if (ends++) { print n; exit } n = -1 } { n++ }" said)" -ge 100 ]
'

test_expect_success '-Backfill: nothing more' '
	scontrol setdebugflags -Backfill && sleep 1 && mark &&
	scontrol update jobid=$b comment=again && nothing_more
'

cluster stop --now >/dev/null 2>&1
rm -rf "$CLUSTER_DIR"
cluster_start --nodes 8 --cpus 2 --select torus_cons_tres --sched backfill --torus torus.yaml \
	--set SlurmctldDebug=info --set SchedulerParameters=bf_interval=1,sched_interval=2
log=$CLUSTER_DIR/log/slurmctld.log

# (without accounting the main loop of 23.11 and 24.05 finds no association, and tries no job)
{ slurm_at_least 23.11 && ! slurm_at_least 24.11; } || test_set_prereq MAIN_LOOP
test_expect_success MAIN_LOOP 'under sched/backfill +SelectType has a line for each shape without a place' '
	a=$(submit --geometry=4x1 -t5) && wait_state $a RUNNING && mark &&
	b=$(submit --geometry=4x2 -t5) && nothing_more &&
	scontrol setdebugflags +SelectType && mark &&
	wait_for 30 another_cycle "SELECT_TYPE: torus: JobId=$b is passed over: 4x2: no place among 4 usable nodes of [48] candidates"
'

test_expect_success '-SelectType: nothing more' '
	scontrol setdebugflags -SelectType && sleep 1 && mark && nothing_more
'
test_done
