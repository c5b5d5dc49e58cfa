#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Node weights and nodes that power saving has switched off, beside stock Slurm in one
# run: without a shape the same nodes; a shape gets the place whose heaviest node weighs
# least, then the one that boots the fewest nodes, under sched/torus and sched/backfill.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='node weights beside stock Slurm'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus

# A node that Slurm wakes answers at once: its slurmd runs all the time.
power='--set SuspendTime=100000 --set SuspendProgram=/bin/true --set ResumeProgram=/bin/true --set SuspendTimeout=1 --set ResumeTimeout=600 --set SlurmctldParameters=power_save_interval=1,power_save_min_interval=1'

# stock Slurm first; then ours, in the same directory
requests='-N2
-N1
-N6
-N2-4
-N2 -w node00
-N3 -x node12
-N16'

weigh() {
	scontrol update nodename='node[00-11]' weight=100 &&
		scontrol update nodename='node[14-15]' weight=10
}

# answers FILE: the nodes of each request, alone on the machine
answers() {
	echo "$requests" | while read -r words; do
		# shellcheck disable=SC2086  # words
		id=$(submit -t 5 --exclusive $words </dev/null) && wait_state "$id" RUNNING 30 >&2 || exit 1
		echo "$words: $(job_nodes "$id" | paste -sd ' ' -)"
		cancel "$id" </dev/null || exit 1
	done >"$1"
}

nodes_are() {
	[ "$(job_nodes "$1" | paste -sd ' ' -)" = "$2" ] || {
		echo "job $1 has $(job_nodes "$1" | paste -sd ' ' -), not $2"
		return 1
	}
}

# shaped WORDS NODES: a job gets exactly these nodes
shaped() {
	# shellcheck disable=SC2086  # words
	id=$(submit -t 5 $1) && wait_state "$id" RUNNING 30 && nodes_are "$id" "$2" && cancel "$id"
}

sched_yaml '4, 2, 2' easy "journal: $PWD/journal.csv" >torus.yaml
# shellcheck disable=SC2086  # words
cluster_start --nodes 16 --cpus 2 --select cons_tres --sched backfill \
	--set SelectTypeParameters=CR_Core --set SchedulerParameters=bf_interval=2 $power
test_expect_success 'stock Slurm: the lightest nodes' '
	weigh && answers stock && cat stock &&
	grep -x -e "-N2: node12 node13" stock
'
test_expect_success 'stock Slurm takes a node that is up, whatever its weight, before one asleep' '
	scontrol update nodename="node[12-13]" state=power_down reason=t93 &&
	wait_for 30 eval "[ \$(sinfo -h -N -o %N -t powered_down | sort -u | wc -l) = 2 ]" &&
	id=$(submit -N3 -t 5 --exclusive) && wait_state $id RUNNING 30 &&
	job_nodes $id | paste -sd " " - >asleep.stock && cancel $id &&
	cat asleep.stock && ! grep -e node12 -e node13 asleep.stock
'
cluster stop --now >/dev/null 2>&1
rm -rf "$CLUSTER_DIR"

# shellcheck disable=SC2086  # words
cluster_start --nodes 16 --cpus 2 --select torus_cons_tres --sched torus --torus torus.yaml \
	--set SelectTypeParameters=CR_Core $power
MACHINE=4x2x2
test_expect_success 'sched/torus: without a shape the same nodes' '
	weigh && answers ours && diff stock ours
'
test_expect_success 'sched/torus: shapes get the place whose heaviest node is the lightest' '
	shaped --geometry=2 "node12 node13" &&
	shaped --geometry=2x1 "node12 node13" &&
	shaped --geometry=4 "node12 node13 node14 node15" &&
	shaped --geometry=2x1*2 "node12 node13 node14 node15" &&
	id=$(submit -t 5 --geometry=2 -w node00) && wait_state $id RUNNING 30 &&
	job_nodes $id | grep -x node00 && cancel $id
'
test_expect_success 'another weight counts at once' '
	scontrol update nodename="node[04-07]" weight=1 && scontrol update nodename="node[12-15]" weight=500 &&
	sleep 1 && shaped --geometry=4 "node04 node05 node06 node07" &&
	id=$(submit -t 5 -N2 --exclusive) && wait_state $id RUNNING 30 &&
	nodes_are $id "node04 node05" && cancel $id
'
test_expect_success 'a shape does not wait for light nodes' '
	a=$(submit -t 5 --geometry=4 ) && wait_state $a RUNNING 30 && nodes_are $a "node04 node05 node06 node07" &&
	b=$(submit -t 5 --geometry=4) && wait_state $b RUNNING 5 && cancel $a $b
'
test_expect_success 'without a shape a node that is up comes before one asleep, as in stock Slurm' '
	weigh && scontrol update nodename="node[04-07,12-13]" weight=100 &&
	scontrol update nodename="node[12-13]" weight=1 &&
	scontrol update nodename="node[12-13]" state=power_down reason=t93 &&
	wait_for 30 eval "[ \$(sinfo -h -N -o %N -t powered_down | sort -u | wc -l) = 2 ]" &&
	sleep 1 && id=$(submit -N3 -t 5 --exclusive) && wait_state $id RUNNING 30 &&
	job_nodes $id | paste -sd " " - >asleep.ours && cancel $id &&
	diff asleep.stock asleep.ours
'
test_expect_success 'among places of one weight, the one without a node asleep' '
	scontrol update nodename="node[00-15]" weight=1 && sleep 1 &&
	id=$(submit -t 5 --geometry=4x2) && wait_state $id RUNNING 30 &&
	! job_nodes $id | grep -e node12 -e node13 && cancel $id
'
test_expect_success 'a replay of the journal takes the same' '
	cancel_all && sleep 2 && grep -c ",weights,$" journal.csv &&
	"$top_builddir/storus" parity --torus torus.yaml --within 0.001 --check journal.csv >same &&
	grep -x "regions: 0 of [1-9][0-9]* differ" same || { cat same journal.csv; false; }
'
test_expect_success 'the snapshot has weights and nodes asleep' '
	scontrol update nodename="node[00-07]" weight=9 &&
	"$top_builddir/storus" snapshot >now.snap &&
	grep "\"weights\": \"1=pod0:{8-15} 9=pod0:{0-7} asleep=pod0:{12-13}\"" now.snap ||
	{ grep weights now.snap; sinfo -N; false; }
'
cluster stop --now >/dev/null 2>&1
rm -rf "$CLUSTER_DIR"

cluster_start --nodes 16 --cpus 2 --select torus_cons_tres --sched backfill --torus torus.yaml \
	--set SelectTypeParameters=CR_Core --set SchedulerParameters=bf_interval=2
test_expect_success 'under sched/backfill: shapes by weight, now and in time' '
	weigh && shaped --geometry=2 "node12 node13" && shaped --geometry=4 "node12 node13 node14 node15" &&
	a=$(submit -t 1 --exclusive -w "node[00-15]") && wait_state $a RUNNING 30 &&
	b=$(submit -t 5 --geometry=4) && sleep 4 && cancel $a && wait_state $b RUNNING 30 &&
	nodes_are $b "node12 node13 node14 node15" && cancel $b
'
test_done
