#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random jobs of three tiers that preempt each other, with and without a shape, while
# jobs are cancelled, suspended, held and changed, nodes drained, unresponsive or of another
# weight and slurmctld restarted: no shape ever shares a node, and every job ends. Some jobs
# are arrays. TORUS_TEST_LONG=1: for 20 minutes. The
# seed is printed; TORUS_SEED sets it.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='preemption at random: a shape has its nodes to itself'
seed=${TORUS_SEED:-$(date +%s)} # (lib-cluster.sh unsets it)
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
# shellcheck source=testsuite/cluster/lib-preempt.sh
. "$cluster_lib/lib-preempt.sh"
skip_without_plugins torus_cons_tres
MACHINE=4x4
storus=$top_builddir/storus
seconds_each=30
kinds='torus:torus_cons_tres backfill:torus_cons_tres' # (CHAOS_KINDS: others)
if [ "${TORUS_TEST_LONG-}" = 1 ]; then
	seconds_each=300
	kinds="$kinds torus:torus backfill:torus"
fi
kinds=${CHAOS_KINDS:-$kinds}
echo "# TORUS_SEED=$seed"

# chaos_script SEED LADDERS: a line each, without an end
chaos_script() {
	awk -v seed="$1" -v ladders="$2" '
	function chance(percent) {
		return rand() * 100 < percent
	}
	BEGIN {
		srand(seed)
		shapes = split("1x1 2x1 2x2 2x2 4x1 4x2 2x1*2 2x2*2 4x4 3x2", shape, " ")
		tiers = split("lo lo lo main main hi", tier, " ")
		for (i = 0; i < 20000; i++) {
			if (chance(72)) {
				what = "--geometry=" shape[1 + int(rand() * shapes)]
				if (ladders && chance(10))
					what = "--geometry=4x2,2x2"
				if (chance(35))
					what = (chance(70) ? "-n" : "-N") (1 + int(rand() * 6))
				if (chance(5))
					what = what " --array=0-2"
				printf "submit %d -p %s -t 1 --mem=100 %s%s\n", 2 + rand() * 9, tier[1 + int(rand() * tiers)],
					what, (chance(10) ? sprintf(" -w node%02d", rand() * 16) : "")
			} else {
				verbs = split("cancel suspend resume hold release requeue drain idle restart" \
					" noresp weigh limit reshape", verb, " ")
				k = 1 + int(rand() * verbs)
				if (verb[k] == "restart" && chance(70))
					k = 3
				print verb[k], verb[k] ~ /drain|idle|noresp|weigh/ ? sprintf("node%02d", rand() * 4) : rand()
			}
		}
	}'
}
# some_job FRACTION STATE: the id of one of them
some_job() {
	squeue -h -t "$2" -o %A | awk -v f="$1" '{ id[NR] = $1 } END { if (NR) print id[1 + int(f * NR)] }'
}
chaos_act() {
	act_what=$1
	act_first=$2
	shift 2
	case $act_what in
	submit) run "$act_first" "$@" ;;
	cancel) scancel "$(some_job "$act_first" PD,R,S)" ;;
	suspend) scontrol suspend "$(some_job "$act_first" R)" ;;
	resume) scontrol resume "$(some_job "$act_first" S)" ;;
	hold) scontrol hold "$(some_job "$act_first" PD)" ;;
	release) chaos_release ;;
	requeue) scontrol requeue "$(some_job "$act_first" R)" ;;
	drain) scontrol update nodename="$act_first" state=drain reason=chaos ;;
	idle) scontrol update nodename="$act_first" state=resume ;;
	restart) cluster restart-ctld ;;
	noresp) scontrol update nodename="$act_first" state=noresp ;;
	weigh) scontrol update nodename="$act_first" weight=$(($(date +%s) % 9 + 1)) ;;
	limit) scontrol update jobid="$(some_job "$act_first" PD)" timelimit=2 ;;
	reshape) "$storus" update "$(some_job "$act_first" PD)" --geometry=2x1 ;;
	esac
}
chaos_release() {
	for release_id in $(squeue -h -t PD -o '%A %r' | awk '/Held/ { print $1 }'); do
		scontrol release "$release_id"
	done
}
# chaos SECONDS
chaos() {
	chaos_end=$(($(date +%s) + $1))
	while read -r line && [ "$(date +%s)" -lt "$chaos_end" ]; do
		[ "$(squeue -h -t PD -o %A | wc -l)" -lt 40 ] || case $line in submit*) continue ;; esac
		# shellcheck disable=SC2086  # words
		chaos_act $line </dev/null >/dev/null 2>&1
		nobody_shares || return 1
	done
}
# chaos_drained: all that may run does; what is left ends by itself
chaos_drained() {
	for drained_node in $(seq -f node%02g 0 3); do
		scontrol update nodename="$drained_node" state=resume
	done >/dev/null 2>&1
	wait_for 300 chaos_is_over || {
		squeue -o '%A %T %Q %N %r'
		sinfo -o '%T %N %E'
		return 1
	}
}
# (a job may have been suspended or requeued as held while slurmctld was away)
chaos_is_over() {
	nobody_shares || echo shared >shared
	for drained_id in $(squeue -h -t S -o %A); do
		scontrol resume "$drained_id"
	done
	chaos_release
	[ -z "$(squeue -h -o %A)" ]
}

for kind in $kinds; do

scheduler=${kind%:*}
preempt_journal=
[ "$scheduler" != torus ] || preempt_journal=$PWD/$(echo "$kind" | tr : -).csv
preempt_start "$scheduler" "${kind#*:}" 3
ladders=0
[ "$scheduler" = backfill ] || ladders=1

test_expect_success "$kind: no node of a shape has another job, at any moment" '
	chaos_script $seed $ladders >script && chaos $seconds_each <script && rm -f shared &&
	chaos_drained && [ ! -e shared ]
'

test_expect_success "$kind: jobs were preempted, and no start was refused" '
	! grep -E "has its nodes to itself|scratch bitmaps are misused|do not form the shape" "$log" &&
	grep -Ec "preempts, and claims|job_signal: 15 of running|requeued to reclaim" "$log"
'

[ "$scheduler" != torus ] || test_expect_success "$kind: a replay of the journal takes the same decisions" '
	"$storus" parity --torus "$CLUSTER_DIR/torus.yaml" "$preempt_journal" >parity 2>&1
	rc=$?; tail -n 20 parity; [ $rc = 0 ]
'

preempt_stop

done

test_done
