#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a state of a node means for jobs, on stock Slurm and on sched/torus at the same
# time: two nodes and a partition of their own for each state, one of them in the
# state. The outcomes are the last section of doc/slurm-features.md.
# TORUS_REGENERATE=1 rewrites it: look at the difference before you keep it.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='states of a node: as stock, and no job behind waits for ever'
regenerate=${TORUS_REGENERATE:-0}
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
case $(slurmctld -V) in
*" 22.05."*) ;;
*)
	skip_all="doc/slurm-features.md is about Slurm 22.05"
	test_done
	;;
esac
doc=$top_srcdir/doc/slurm-features.md
storus=$top_builddir/storus

# STATE | WHAT IT MEANS | COMMANDS, with the node $n; those of `last` run at the end.
# Those of `: WORD` are in the state since a start of slurmctld (start_again).
cat >states <<'S'
IDLE | usable | :
ALLOCATED | busy until the job ends | hold $n
IDLE+COMPLETING | busy until the epilog ends | hold $n && : >"$files/slow.$n" && last scancel $held
IDLE+RESERVED | usable in the reservation | reserve ignore_jobs
IDLE+MAINTENANCE+RESERVED | usable in the reservation | reserve maint
IDLE+DRAIN | out of service | set_state drain
ALLOCATED+DRAIN | out of service | hold $n && set_state drain
IDLE+FAIL | out of service | set_state fail
DOWN | out of service | set_state down
FUTURE | not there | set_state future
IDLE+NOT_RESPONDING | out of service after 5 s | silence
ALLOCATED+NOT_RESPONDING | out of service after 5 s | hold $n && silence
IDLE+POWERED_DOWN | powered up on demand | set_state power_down
IDLE+POWERING_DOWN | busy until it is down | last set_state power_down
ALLOCATED+POWER_DOWN | busy until the job ends and it is down | hold $n && set_state power_down
IDLE+NOT_RESPONDING+POWERING_UP | usable; the job waits for the boot | set_state power_down && last set_state power_up
DOWN+REBOOT_ISSUED | busy until it has booted | last reboot nextstate=resume
ALLOCATED+REBOOT_REQUESTED | busy until the job ends and it has booted | hold $n && reboot
ALLOCATED+DRAIN+REBOOT_REQUESTED | the same (`scontrol reboot asap`) | hold $n && reboot asap nextstate=resume
UNKNOWN+NOT_RESPONDING | out of service after 5 s | : silent
IDLE+DRAIN+INVALID_REG | out of service | : State=UNKNOWN RealMemory=100000000
IDLE+CLOUD+POWERED_DOWN | powered up on demand | : State=CLOUD
S
count=$(wc -l <states)
files=$(mktemp -d "${TMPDIR:-/tmp}/slurm-torus-files.XXXXXX") || exit 1
printf '#!/bin/sh\n[ ! -e "%s/slow.$SLURMD_NODENAME" ] || sleep 300\n' "$files" >"$files/epilog"
chmod +x "$files/epilog"

hold() {
	held=$(submit -N1 -t 60 -p "$p" -w "$1") && wait_state "$held" RUNNING
}
set_state() {
	scontrol update nodename="$n" state="$1" reason=test
}
silence() {
	cluster stop-node "$n" && last set_state noresp
}
reserve() {
	scontrol create reservation reservationname="r$p" users=nobody starttime=now \
		duration=60 nodes="$n" flags="$1"
}
reboot() {
	scontrol reboot "$@" "$n"
}
last() {
	echo "n=$n; p=$p; $*" >>later
}

# each COMMAND: with each state's node, its other node and its partition
each() {
	each_i=0
	while IFS='|' read -r state means commands <&5; do
		n=$(printf node%02d $((2 * each_i)))
		other=$(printf node%02d $((2 * each_i + 1)))
		p=p$each_i
		eval "$1" || echo "failed: $state: $1"
		each_i=$((each_i + 1))
	done 5<../states
}

# start_again: slurmctld without memory of its nodes, and slurm.conf with a line for
# each of them.
start_again() {
	conf=$CLUSTER_DIR/slurm.conf
	cluster stop-ctld && rm -f "$CLUSTER_DIR"/state/node_state* || return
	line=$(sed -n '/^NodeName=/s/^NodeName=[^ ]* //p' "$conf")
	sed -i -e '/^NodeName=/d' -e '/^SlurmdParameters=/d' "$conf"
	port=$(sed -n 's/^SlurmctldPort=//p' "$conf")
	each 'word=${commands#*: }
		[ "$word" != silent ] || cluster stop-node "$n"
		case $word in State=*) ;; *) word=State=UNKNOWN ;; esac
		start_line "$n" "$word"
		start_line "$other" State=UNKNOWN'
	cluster start-ctld --timeout 10 || scontrol ping
}
start_line() { # NODE WORDS
	port=$((port + 1))
	echo "NodeName=$1 $line" | sed "s/Port=[^ ]*/Port=$port/; s/State=UNKNOWN/$2/" >>"$conf"
}

# begun ID: starts, or waits
begun() {
	case $(job_state "$1") in
	PENDING) echo waits ;;
	*) echo starts ;;
	esac
}

# A job on the node. Where it waits, one that needs both nodes, and behind that a long
# one on the other node alone, which starts if the node is out of service.
try_states() {
	each 'scontrol create partitionname=$p nodes=$n,$other state=up' &&
		each 'eval "$commands"'
	sleep 70
	# shellcheck disable=SC1091
	. ./later
	sleep 8
	each 'scontrol --oneliner show node $n | sed -n "s/.* State=\([^ ]*\) .*/\1/p" >state.$p
		[ -s state.$p ] || echo FUTURE >state.$p # (not shown)
		submit -N1 -t 1 -p $p -w $n --no-requeue >there.$p'
	[ ! -e torus.yaml ] || "$storus" snapshot >now.snap
	sleep 10
	each 'there=$(cat there.$p); begun $there >there.$p; echo - >behind.$p
		scancel $there; [ $(cat there.$p) = starts ] || {
			submit -N2 -t 1 -p $p && submit -N1 -t 50 -p $p -w $other >behind.$p
		}'
	sleep 20
	each '[ $(cat behind.$p) = - ] || begun $(cat behind.$p) >behind && [ ! -e behind ] || mv behind behind.$p'
	touch ./done
}

run_cluster() ( # NAME OPTION...
	mkdir "$1" && cd "$1" || exit 1
	EXIT_OK=t
	[ "$1" != ours ] || sched_yaml "2, $count" conservative >torus.yaml
	shift
	cluster_start --nodes $((2 * count)) --set ReturnToService=0 --timeout 180 \
		--set "Epilog=$files/epilog" --set RebootProgram=/bin/true --set PrivateData=cloud \
		--set SuspendProgram=/bin/true --set ResumeProgram=/bin/true \
		--set SuspendTime=100000 --set SuspendTimeout=60 --set ResumeTimeout=600 \
		--set SlurmctldParameters=power_save_interval=1,power_save_min_interval=1 "$@"
	: >later
	start_again && try_states
)

test_expect_success 'each state on stock Slurm and on sched/torus' '
	run_cluster stock >stock.out 2>&1 & 
	run_cluster ours --select torus --sched torus --torus torus.yaml >ours.out 2>&1
	wait; cat stock.out ours.out && [ -e stock/done ] && [ -e ours/done ]
'

# shown NUMBER: how storus shows the node with that number
shown() {
	for shown_word in out hidden; do
		sed -n "/^ \"$shown_word\":/,/^ []\"]/s/.*\"pod0:{\([0-9,-]*\)}\".*/\1/p" ours/now.snap | tr , '\n' |
			awk -F- -v k="$1" '$1 <= k && k <= $NF { f = 1 } END { exit !f }' &&
			echo "$shown_word" && return
	done
	echo "in service"
}

# The row has the state that the node really had.
table() {
	sed '/^## States of a node$/,$d' "$doc"
	sed -n '/^## States of a node$/,/^| --- /p' "$doc"
	i=0
	while IFS='|' read -r state means commands; do
		means=${means# } means=${means% }
		printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$(cat ours/state.p$i)" \
			"$means" "$(cat stock/there.p$i)" "$(cat ours/there.p$i)" \
			"$(cat stock/behind.p$i)" "$(cat ours/behind.p$i)" "$(shown $((2 * i)))"
		i=$((i + 1))
	done <states
	sed -n '/^## States of a node$/,$p' "$doc" | sed -e '/^## /d' -e '1,/^| --- /d' -e '/^|/d'
}

test_expect_success 'both clusters had the states' '
	for i in $(seq 0 $((count - 1))); do
		cat stock/state.p$i
	done >stock.states &&
	cut -d " " -f 1 states >wanted && diff -u wanted stock.states &&
	for i in $(seq 0 $((count - 1))); do
		cat ours/state.p$i
	done >ours.states && diff -u wanted ours.states
'

test_expect_success 'doc/slurm-features.md has these results' '
	table >table.md &&
	if [ "$regenerate" = 1 ]; then cp table.md "$doc"; fi &&
	diff -u "$doc" table.md
'

rm -rf "$files"
test_done
