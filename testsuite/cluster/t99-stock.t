#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurm-backfill against stock Slurm: loads by seed go through a cluster with
# sched/backfill, and through replays from its slurm.conf and from what was submitted
# alone. When the loops of Slurm run depends on when it was started: the replays are of
# PHASES such phases, and the live waits are one draw of them. Each run takes 0.25 s
# longer: launch and end, on this kind of cluster. A table has live and replayed means and
# 95 % points, and the pairs of jobs that started in the same order.
#
# Then, on nodes that jobs share, the CPUs of each node that every job gets: the same.
#
# Only with TORUS_TEST_LONG=1: eight minutes for each of STOCK_LOADS, SEED:BF_INTERVAL.
# What a load gave remains in STOCK_KEEP/SEED, if that is set.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='stock Slurm in the replay, against the real one'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_slurm
[ "${TORUS_TEST_LONG:-0}" != 0 ] || {
	skip_all='takes three hours; TORUS_TEST_LONG=1 runs it'
	test_done
}
loads=${STOCK_LOADS:-1:3 2:10 3:30 4:3 5:10 6:30 7:3 8:10 9:30 10:3 11:10 12:30
	13:3 14:10 15:30 16:3 17:10 18:30 19:3 20:10}
jobs=${STOCK_JOBS:-84}
phases=20

# kind SEED: what the cluster and the load of a seed are like
kind() {
	case $(($1 % 4)) in
	0) echo shares ;;     # two users, fair share
	1) echo linear ;;     # select/linear, priority/basic
	2) echo partitions ;; # select/cons_tres, priority/multifactor, two partitions
	3) echo arrays ;;     # select/linear, priority/basic
	esac
}

# make_load SEED KIND: a line per submission: tenths of a second until the next one, tasks
# (of an array), nodes, seconds that it runs, minutes that it may run, nice, partition, user
make_load() {
	awk -v seed="$1" -v kind="$2" -v n="$jobs" 'BEGIN {
		srand(seed)
		split("1 1 2 3", limit); split("0 0 0 0 5 20", nice)
		for (; n > 0; n -= tasks) {
			nodes = rand() < 0.6 ? 2 ^ int(rand() * 7) : 1 + int(rand() * 40)
			tasks = 1
			if (kind == "arrays" && rand() < 0.15) {
				tasks = 2 + int(rand() * 5)
				if (tasks > n)
					tasks = n
				nodes = 1 + int(nodes / tasks)
			}
			low = nice[1 + int(rand() * 6)] * (kind == "shares" ? 100 : 1)
			small = kind == "partitions" && rand() < 0.4 && nodes <= 32
			print int(-40 * tasks * log(1 - rand())), tasks, nodes,
				4 + int(rand() * 29), limit[1 + int(rand() * 4)], low,
				small ? "small" : "main", rand() < 0.6 ? "daemon" : "bin"
		}
	}'
}

# start KIND INTERVAL: the cluster; the fair share of new users is 0 until it is calculated,
# as a new slurmctld does
start() {
	kind=$1
	set -- --nodes 64 --timeout 400 --set "SchedulerParameters=bf_interval=$2" \
		--set SlurmctldDebug=debug --set DebugFlags=Backfill
	[ "$kind" != partitions ] || set -- "$@" --select cons_tres \
		--set PriorityWeightJobSize=500 \
		--set "PartitionName=small Nodes=node[32-63] PriorityTier=2 MaxTime=30"
	[ "$kind" != shares ] || set -- "$@" --accounting --set PriorityWeightFairshare=10000 \
		--set PriorityDecayHalfLife=10
	case $kind in
	partitions | shares)
		set -- "$@" --set PriorityType=priority/multifactor --set PriorityMaxAge=10 \
			--set PriorityWeightAge=10000 --set PriorityCalcPeriod=1
		;;
	esac
	rm -f shares
	cluster_start "$@" || return 1
	cp "$SLURM_CONF" slurm.conf
	[ "$kind" = shares ] || return 0
	sacctmgr -i add account a description=x organization=x fairshare=3 &&
		sacctmgr -i add account b description=x organization=x fairshare=1 &&
		sacctmgr -i add user daemon account=a && sacctmgr -i add user bin account=b &&
		sacctmgr -P show assoc >shares && cluster restart-ctld && cluster wait
}

# submit_load: jobs.csv gets what was submitted
submit_load() {
	echo id,submit,run,nodes,limit,nice,partition,user,account >jobs.csv
	while read -r gap tasks nodes length limit nice partition user; do
		now=$(date +%s.%N)
		set -- -N "$nodes" -t "$limit" --nice="$nice" -p "$partition"
		[ "$tasks" = 1 ] || set -- "$@" --array="1-$tasks"
		[ ! -f shares ] || set -- "$@" --uid="$user"
		id=$(cd / && sbatch --parsable "$@" -o /dev/null --wrap "sleep $length") ||
			return 1
		task=0
		while [ $((task += 1)) -le "$tasks" ]; do
			[ "$tasks" = 1 ] && name=$id || name=${id}_$task
			[ "$user" = daemon ] && account=a || account=b
			echo "$name,$now,$length,$nodes,$((limit * 60)),$nice,$partition,$user,$account"
		done >>jobs.csv
		sleep "$((gap / 10)).$((gap % 10))"
	done <load
}

# live SEED INTERVAL: the load through a cluster; times in jobs.csv begin at 10 s; `waits`
# has each job, its submission and its wait, from slurmctld's log
live() {
	start "$(kind "$1")" "$2" && make_load "$1" "$(kind "$1")" >load &&
		submit_load && wait_for 1500 squeue_is_empty || return 1
	cp "$CLUSTER_DIR/log/slurmctld.log" slurmctld.log
	sed -n 's/^\[\([^]]*\)\] .*\(Allocate\|Started\) JobId=\([0-9_]*\).*/\1 \3/p' slurmctld.log |
		while read -r at id; do
			echo "$id $(date -d "$at" +%s.%3N)"
		done >began
	awk -F, -v OFS=, 'NR == 1 { print; next }
		NR == 2 { first = int($2) - 10; print first >"first" }
		{ $2 = sprintf("%.2f", $2 - first); print }' jobs.csv >sooner.csv
	awk 'FILENAME == "first" { first = $1; next }
		FILENAME == "began" { at[$1] = $2 - first; next }
		FNR > 1 { split($0, f, ","); printf "%s %.2f %.2f\n", f[1], f[2], at[f[1]] - f[2] }' \
		first began sooner.csv >waits
	mv sooner.csv jobs.csv
	cluster stop --now && rm -rf "$CLUSTER_DIR"
	CLUSTER_DIR=
	[ -z "${STOCK_KEEP-}" ] || {
		mkdir -p "$STOCK_KEEP/$1" &&
			cp -p jobs.csv waits slurm.conf slurmctld.log "$STOCK_KEEP/$1" &&
			{ [ ! -f shares ] || cp shares "$STOCK_KEEP/$1"; }
	}
}
# replays: the waits of each phase in a file of its own; a first job, up to a minute
# before the load, sets the phase
replays() {
	k=0
	[ ! -f shares ] && unset shares || shares=shares
	while [ $((k += 1)) -le $phases ]; do
		awk -F, -v OFS=, -v k=$k 'NR == 2 { print 0, 90 - k * 3.07, 1, 1, 60, 0, "main", "root", "main" }
			NR > 1 { $2 += 90 + k * 0.37; $3 += 0.25 } { print }' jobs.csv >phase.csv
		"$top_builddir/storus" replay --torus flat:64 --discipline slurm-backfill \
			--slurm-conf slurm.conf ${shares+--shares "$shares"} \
			--schedule - phase.csv |
			awk -F, '{ print $1, $2, $(NF - 2) }' | sed -e 1d -e '/^0 /d' >phase.$k
	done
}

# table NAME: a row; and "LIVE MEAN LEAST MOST" to `means`
table() {
	cat waits phase.* | awk -v name="$1" -v n="$jobs" -v phases=$phases '
	function sorted_at(a, m, p,	i, j, t) {
		for (i = 2; i <= m; i++)
			for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
				t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
			}
		return a[int(1 + p * (m - 1) + 0.5)]
	}
	{ f = int((NR - 1) / n); id[f, $1] = $2 + $3; sum[f] += $3; all[f, (NR - 1) % n + 1] = $3
	  if (!f) order[NR] = $1 }
	END {
		for (f = 0; f <= phases; f++) {
			for (i = 1; i <= n; i++)
				one[i] = all[f, i]
			p95 = sorted_at(one, n, 0.95)
			if (!f) { live95 = p95; continue }
			total += sum[f] / n; total95 += p95
			if (f == 1 || sum[f] / n < least) least = sum[f] / n
			if (sum[f] / n > most) most = sum[f] / n
			for (i = 1; i <= n; i++)
				for (j = 1; j < i; j++) {
					x = id[0, order[i]] - id[0, order[j]]
					y = id[f, order[i]] - id[f, order[j]]
					same += x * y >= 0; pairs++
				}
		}
		mean = total / phases
		printf "# %-6s live %.1f s, replays %.1f s (%.1f to %.1f), %+.1f %%; 95 %% point %.0f and %.0f s; %.1f %% of pairs\n",
			name, sum[0] / n, mean, least, most, 100 * (mean * n / sum[0] - 1),
			live95, total95 / phases, 100 * same / pairs
		print sum[0] / n, mean, least, most >>"means"
	}'
}

: >means
for load in $loads; do
	test_expect_success "load ${load%:*}, bf_interval ${load#*:}" '
		live "${load%:*}" "${load#*:}" && [ $(wc -l <waits) -eq $jobs ] && replays
	'
	table "$load"
done
test_expect_success 'the live waits are those of some phase, and in the mean those of all' '
	awk "{ live += \$1; mean += \$2; if (\$1 < 0.9 * \$3 || \$1 > 1.1 * \$4) exit 1 }
		END { exit !(live < 1.1 * mean && live > 0.9 * mean) }" means
'

# --- nodes that jobs share: the very CPUs of each node that select/cons_tres gives

# choice_load SEED: a line per step: CPUs, nodes (0: any), memory, GPUs of each node; or
# "end" and a number that chooses a job
choice_load() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		split("1 1 2 3 4 6 8 10 12", cpus); split("100 200 50c 100c", memory)
		for (i = 1; i <= 60; i++) {
			if (rand() < 0.35) {
				print "end", int(1000 * rand())
				continue
			}
			n = cpus[1 + int(rand() * 9)]
			on = int(rand() * 6) - 2
			gpus = int(rand() * 5) - 2
			gpus = gpus < 0 ? 0 : gpus
			on = on < 0 || on > n ? 0 : on
			on = (on == 1 || (gpus && !on)) ? 1 + (n > 8) : on
			print n, on, memory[1 + int(rand() * 4)], gpus
		}
	}'
}

settled() {
	case $(job_state "$1"):$(job_field "$1" Reason) in
	RUNNING:* | *:Resources | *:Priority) ;;
	*) false ;;
	esac
}

# choose SEED OPTION...: the steps one by one, 1000 s apart in shared.csv; a job that does
# not fit is cancelled. `live` has the CPUs that each job got of each node
choose() {
	choice_load "$1" >load && shift
	cluster_start --nodes 6 --cpus 8 --gres gpu:2 --node RealMemory=1000 \
		--select cons_tres --timeout 400 "$@" || return 1
	cp "$SLURM_CONF" shared.conf
	: >running && : >ends && : >live && : >asked && step=0
	while read -r n on memory gpus; do
		step=$((step + 1000))
		if [ "$n" = end ]; then
			count=$(wc -l <running)
			[ "$count" -gt 0 ] || continue
			id=$(sed -n "$((on % count + 1))p" running)
			scancel "$id" && wait_for 120 job_is_over "$id" || return 1
			sed -i "/^$id\$/d" running
			echo "$id $((step - 500))" >>ends
			continue
		fi
		set -- -n "$n"
		[ "$on" = 0 ] || set -- "$@" -N "$on"
		[ "$gpus" = 0 ] || set -- "$@" --gres="gpu:$gpus"
		case $memory in
		*c) set -- "$@" --mem-per-cpu="${memory%c}" ;;
		*) set -- "$@" --mem="$memory" ;;
		esac
		id=$(cd / && sbatch --parsable "$@" -t 1000 -o /dev/null --wrap 'sleep 3000') &&
			wait_for 120 settled "$id" || return 1
		if [ "$(job_state "$id")" != RUNNING ]; then
			scancel "$id"
			continue
		fi
		echo "$id" >>running
		echo "$id $step $n ${on#0} $memory $gpus" | sed 's/  / - /' >>asked
		scontrol show job -d "$id" | awk -v id="$id" '/ Nodes=.* CPU_IDs=/ {
			sub(/.*Nodes=/, ""); nodes = $1
			sub(/.*CPU_IDs=/, ""); m = split($1, r, ",")
			for (c = 0; m > 0; m--) { k = split(r[m], e, "-"); c += e[k] - e[1] + 1 }
			print id, nodes, c }' |
			while read -r job nodes c; do
				for node in $(scontrol show hostnames "$nodes"); do
					echo "$job ${node#node0} $c"
				done
			done >>live
	done <load
	cluster stop --now && rm -rf "$CLUSTER_DIR"
	CLUSTER_DIR=
}

# chosen: what the replay gives, in the form of `live`
chosen() {
	awk -v OFS=, 'FILENAME == "ends" { end[$1] = $2; next }
		FNR == 1 { print "id,submit,run,nodes,cpus,memory,gpus,limit" }
		{ print $1, $2, (end[$1] ? end[$1] : 90000) - $2, ($4 == "-" ? "" : $4), $3, $5, $6, 3600000 }' \
		ends asked >shared.csv
	"$top_builddir/storus" replay --check --torus flat:48 --size cpus --schedule - \
		--discipline slurm-backfill --slurm-conf shared.conf shared.csv |
		awk -F, 'NR > 1 { id = $1; sub(/.*{/, ""); sub(/}.*/, ""); m = split($0, r, ",")
			for (k in c) delete c[k]
			for (i = 1; i <= m; i++) { l = split(r[i], e, "-"); for (u = e[1]; u <= e[l]; u++) c[int(u / 8)]++ }
			for (k in c) print id, k, c[k] }'
}

same_choices() {
	choose "$@" && chosen | sort >replayed && sort live | diff - replayed && [ "$(wc -l <asked)" -ge 15 ]
}
test_expect_success 'jobs share the nodes that select/cons_tres chooses' '
	same_choices 1 --set SelectTypeParameters=CR_Core_Memory
'
test_expect_success 'with CR_LLN, too' '
	same_choices 2 --set SelectTypeParameters=CR_Core_Memory,CR_LLN
'
test_expect_success 'with two threads of each core, too' '
	same_choices 3 --set SelectTypeParameters=CR_Core_Memory \
		--node CoresPerSocket=4 --node ThreadsPerCore=2
'

test_done
