#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The disk of the journal, the plan file and StateSaveLocation is full for a while:
# jobs go on, each file is complained of once, and is whole again afterwards; the
# journal counts what it lost. The disk is a small tmpfs in a mount namespace of the
# test's own.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
if [ -z "${FULL_DISK_NAMESPACE-}" ]; then
	if ! unshare -m true 2>/dev/null; then
		echo "1..0 # SKIP no mount namespace of its own (root only)"
		exit 0
	fi
	FULL_DISK_NAMESPACE=yes exec unshare -m sh "$0" "$@"
fi
test_description='a full disk: journal, plan file, state'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
MACHINE=4x2x2
# (where the namespace is ours alone; slurm.conf wants a path without blanks)
disk=/mnt
mount -t tmpfs -o size=1m tmpfs $disk 2>/dev/null && mkdir $disk/state || {
	skip_all="no tmpfs here"
	test_done
}
cat >torus.yaml <<EOF
toruses:
  - {name: pod0, dims: [4, 2, 2], nodes: "node[00-15]", strategy: semitorus-nep}
scheduler: {discipline: conservative, journal: $disk/journal.csv, plan_file: $disk/plan}
EOF
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml \
	--set "StateSaveLocation=$disk/state"
log=$CLUSTER_DIR/log/slurmctld.log

fill_disk() {
	dd if=/dev/zero of=$disk/fill bs=4k 2>/dev/null
	[ "$(df --output=avail $disk | tail -n 1)" -eq 0 ]
}

# complaints FILE: how many lines of ours there are
complaints() {
	logged "error: .*(torus|sched/torus): .*$1.*No space left" | wc -l
}

# (sbatch of stock Slurm fails on a full disk: who starts then has waited before)
test_expect_success 'all is written while there is room' '
	a=$(submit --geometry=8 -t 5) && wait_state $a RUNNING &&
	b=$(submit --geometry=16 -t 5) && wait_for 10 promised $b &&
	c=$(run 2 --geometry=4 -t 1 -H) && c="$c $(run 2 --geometry=4 -t 1 -H)" &&
	d=$(submit --geometry=16 -t 7 -H) && e=$(run 1 --geometry=4 -t 1 -H) && sleep 2 &&
	ls -l $disk $disk/state && [ -s $disk/journal.csv ] && [ -s $disk/plan ] &&
	grep -q "{\"job\": $b," $disk/state/torus_promises
'

test_expect_success 'the disk is full: jobs start and end as ever' '
	mark && fill_disk &&
	for i in $c; do
		scontrol release $i && wait_state $i RUNNING && wait_state $i COMPLETED 30 || return 1
	done &&
	for i in $(seq 40); do # lines for the journal, until its last page is full
		scontrol hold $b && sleep 0.3 && scontrol release $b && sleep 0.3 || return 1
		! logged "journal.*No space" || break
	done &&
	cancel $b && scontrol release $d && wait_for 10 promised $d && sleep 3 &&
	scontrol ping | grep -q " is UP" && reason_is $d "holds its place"
'

test_expect_success 'each file is complained of once' '
	logged "No space" | cut -c 1-200
	[ "$(complaints journal.csv)" -eq 1 ] &&
	[ "$(complaints mnt/plan)" -eq 1 ] &&
	[ "$(complaints torus_promises)" -eq 1 ]
'

test_expect_success 'the former files are intact' '
	[ "$(tail -c 1 $disk/journal.csv | od -An -c | tr -d " ")" = "\\n" ] &&
	"$top_builddir/storus" reservations -v >plan.out && grep "^$b " plan.out &&
	tail -n 1 $disk/state/torus_promises | grep -x end
'

test_expect_success 'with space again all is written, without another change' '
	rm $disk/fill && wait_for 10 grep -q "{\"job\": $d," $disk/state/torus_promises &&
	wait_for 5 logged "torus_promises can be written again" &&
	scontrol release $e && wait_state $e COMPLETED 30 &&
	wait_for 5 logged "journal can be written again" &&
	"$top_builddir/storus" reservations >plan.out && grep "^$d " plan.out
'

test_expect_success 'a replay of the journal reports the lost lines and is exact after them' '
	cancel $a && wait_state $d RUNNING && sleep 1 && cancel $d && sleep 2 &&
	"$top_builddir/storus" replay --torus torus.yaml --check --schedule schedule.csv \
		$disk/journal.csv >replay 2>&1 && cat replay &&
	grep "[1-9][0-9]* lines that the journal lost" replay && grep "^$d,.*,completed," schedule.csv &&
	"$top_builddir/storus" parity --torus torus.yaml $disk/journal.csv >parity && cat parity &&
	grep "not replayed: [1-9][0-9]* lines that the journal lost" parity &&
	grep "none is known to differ" parity
'

test_expect_success 'a restart afterwards: the promise is kept' '
	a=$(submit --geometry=8 -t 5) && wait_state $a RUNNING &&
	b=$(submit --geometry=16 -t 5) && wait_for 10 promised $b && was=$start_time && sleep 6 &&
	cluster restart-ctld && cluster wait && wait_for 10 promised_near $b "$was"
'

test_done
