#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random days at random sites, under stock Slurm with sched/backfill, then under
# select/torus with sched/backfill, with easy and with conservative, on equal clusters. Half
# of the jobs ask for a shape that any nodes of that number form, as the machine has no
# topology; under stock Slurm they ask for as many exclusive nodes. stock-day.awk compares
# the runs by rules that know the site and nothing of our code.
#
# Only with TORUS_TEST_LONG=1: five minutes for each of DAY_SEEDS. What a seed gave remains
# in DAY_KEEP/SEED, if that is set, and a line for each run of it in DAY_KEEP/table.
# DAY_FAULT=weights: easy is not told of the weights, which the judge has to find.
# DAY_STRETCH=N: all jobs are N times as long, and so are the times between them.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='a random day beside stock Slurm'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus_cons_tres
skip_without_accounting
[ "${TORUS_TEST_LONG:-0}" != 0 ] || {
	skip_all='takes five minutes; TORUS_TEST_LONG=1 runs it'
	test_done
}
jobs=${DAY_JOBS:-150}
stretch=${DAY_STRETCH:-1}
modes=${DAY_MODES:-stock backfill easy conservative}

# make_site SEED: lines of facts
#
#     machine NODES CPUS MEMORY GPUS PREEMPTION GRACE SELECT TORUS PROLOG PRIORITY MODE
#     part NAME TIER MINUTES NODES FIRST LAST    at most so long, so many; its nodes
#     weight FIRST LAST WEIGHT, feature NAME FIRST LAST
#     qos NAME PRIORITY JOBS                     at most so many at once, 0: any number
#     reserve NAME FIRST LAST AFTER              begins so many seconds later, for a minute
#                                                or, at once, for the day
make_site() {
	awk -v seed="$1" '
	function some(list,	words) {
		return words[1 + int(rand() * split(list, words))]
	}
	function from_to(	a, b) {
		a = int(rand() * nodes / 2)
		b = a + nodes / 4 + int(rand() * (nodes * 3 / 4 - a))
		return a " " b
	}
	BEGIN {
		srand(seed)
		for (i = 0; i < 5; i++)
			rand()
		nodes = some("24 28 32")
		tres = rand() < 0.65
		preempt = some("none partition partition qos")
		print "machine", nodes, 4, 1000, tres && rand() < 0.7 ? 2 : 0, preempt,
			some("0 0 2 4"), tres ? "cons_tres" : "linear", some("flat line"), some("0 0 0.3 0.8"),
			some("basic multifactor multifactor"), some("REQUEUE REQUEUE CANCEL")
		print "part main 1 0 0 0", nodes - 1
		print "part mid", some("1 2 5"), some("0 2 5"), some("0 8"), from_to()
		print "part high", some("2 5 10"), some("0 3"), some("0 6 12"), rand() < 0.5 ? "0 " nodes - 1 : from_to()
		for (i = int(rand() * 4); i > 0; i--)
			print "weight", from_to(), some("1 5 20 100")
		print "feature fast", from_to()
		print "feature big", from_to()
		print "qos normal 500 0"
		print "qos high 1000 0"
		print "qos low 0", some("0 0 4 8")
		if (rand() < 0.5)
			print "reserve mine 0 1 0"
		if (rand() < 0.4)
			print "reserve later", nodes - 4, nodes - 2, 75
	}'
}

# make_day SEED: a line per job
#
#     job NUMBER GAP SECONDS KIND NODES TASKS MEMORY CPUMEMORY GPUS MINUTES PARTITION QOS
#     FEATURE RESERVATION NICE
#
# GAP: tenths of a second until the next. KIND: shape, whole (nodes) or cpus (shared nodes).
# NODES 0: not said. MEMORY is of a node. A job asks for no more than its partition has.
make_day() {
	awk -v seed="$1" -v n="$jobs" -v stretch="$stretch" '
	function some(list,	words) {
		return words[1 + int(rand() * split(list, words))]
	}
	function min(a, b) { return a < b ? a : b }
	function max(a, b) { return a > b ? a : b }
	$1 == "machine" { gpus = $5; tres = $8 == "cons_tres" }
	$1 == "part" { minutes[$2] = $4; most[$2] = $5
		first[$2] = $6; last[$2] = $7 }
	$1 == "feature" { from[$2] = $3; to[$2] = $4 }
	$1 == "reserve" && $2 == "mine" { mine = 1 }
	END {
		srand(seed + 1000)
		for (i = 0; i < 5; i++)
			rand()
		for (k = 1; k <= n; k++) {
			kind = rand() < 0.5 ? "shape" : tres && rand() < 0.8 ? "cpus" : "whole"
			part = some("main main main main mid mid high")
			qos = some("normal normal normal low low high")
			limit = some("1 1 1 2 3")
			if (minutes[part] && limit > minutes[part])
				limit = minutes[part]
			nodes = kind == "shape" ? some("1 1 2 2 3 4 6") : some("1 1 2 3")
			if (rand() < 0.025)
				nodes = some("8 10 14")
			feature = reservation = "-"
			mem = cpu_mem = gpu = 0
			reservation = mine && part == "main" && rand() < 0.08 ? "mine" : "-"
			a = mine && first[part] < 2 ? 2 : first[part] # (the first two are reserved)
			b = last[part]
			if (rand() < 0.1) {
				feature = some("fast big")
				if (min(b, to[feature]) - max(a, from[feature]) < 1)
					feature = "-"
				else {
					a = max(a, from[feature])
					b = min(b, to[feature])
				}
			}
			if (reservation == "mine") {
				feature = "-"
				a = 0
				b = 1
			}
			room = most[part] ? min(most[part], b - a + 1) : b - a + 1
			if (nodes > room)
				nodes = room
			tasks = nodes
			if (kind == "cpus") {
				tasks = some("1 1 2 3 4 6 8")
				if (tasks < nodes)
					tasks = nodes
				if (rand() < 0.4) {
					nodes = 0
					if (tasks > 2 * room)
						tasks = 2 * room
				} else if (tasks > 4 * nodes)
					tasks = 4 * nodes
				if (rand() < 0.5)
					cpu_mem = some("50 100 200")
				else
					mem = some("100 300 500")
				if (gpus && nodes && rand() < 0.4)
					gpu = some("1 1 2")
			} else if (gpus && rand() < 0.2)
				gpu = 2
			if (k == 40) { # refused
				kind = "shape"; nodes = tasks = 2; feature = "none"
				mem = cpu_mem = gpu = 0; reservation = "-"
			}
			print "job", k, stretch * int(-2.5 * log(1 - rand())),
				stretch * some(qos == "low" ? "2 2 3 4" : "1 1 2 2 3 4"), kind, nodes, tasks,
				mem, cpu_mem, gpu, limit, part, qos, feature, reservation, some("0 0 0 50 200")
		}
	}' site
}

nodes_text() {
	printf 'node[%02d-%02d]' "$1" "$2"
}

# site_options MODE: words for cluster_start
site_options() {
	case $1 in
	stock) echo "--select $select --sched backfill" ;;
	*)
		{
			printf 'toruses:\n  - name: pod0\n    '
			[ "$torus" = flat ] && echo "flat: $nodes" || echo "dims: [$nodes]"
			[ "$torus" = flat ] || echo '    strategy: flat'
			echo "    nodes: $(nodes_text 0 $((nodes - 1)))"
			[ "$1" = backfill ] || printf 'scheduler:\n  discipline: %s\n' "$1"
		} >torus.yaml
		[ "$select" = linear ] && select=torus || select=torus_cons_tres
		[ "$1" = backfill ] && echo --sched backfill || echo --sched torus
		echo "--select $select --torus torus.yaml"
		;;
	esac
	echo "--nodes $nodes --cpus $cpus --node RealMemory=$memory --accounting --timeout $((200 * stretch))"
	[ "$gpus" = 0 ] || echo "--gres gpu:$gpus --set AccountingStorageTRES=gres/gpu"
	case $select in *cons_tres) echo --set SelectTypeParameters=CR_Core_Memory ;; esac
	case $preempt in
	partition) echo "--set PreemptType=preempt/partition_prio --set PreemptMode=$how" ;;
	qos) echo "--set PreemptType=preempt/qos --set PreemptMode=$how" ;;
	esac
	[ "$priority" = basic ] ||
		echo '--set PriorityType=priority/multifactor --set PriorityWeightQOS=1000 --set PriorityWeightJobSize=300'
}

# open_site MODE: boots it, and makes what slurm.conf does not hold
open_site() {
	read -r _ nodes cpus memory gpus preempt grace select torus prolog priority how <<-END
		$(grep '^machine ' site)
	END
	# shellcheck disable=SC2046  # words
	set -- $(site_options "$1")
	while read -r _ name tier minutes most first last; do
		line="PartitionName=$name Nodes=$(nodes_text "$first" "$last") PriorityTier=$tier"
		[ "$minutes" = 0 ] || line="$line MaxTime=$minutes"
		[ "$most" = 0 ] || line="$line MaxNodes=$most"
		[ "$grace" = 0 ] || line="$line GraceTime=$grace"
		[ "$name" = main ] || set -- "$@" --set "$line"
	done <<-END
		$(grep '^part ' site)
	END
	cluster_start "$@" || return 1
	[ "$prolog" = 0 ] || {
		printf '#!/bin/sh\nexec sleep %s\n' "$prolog" >"$CLUSTER_DIR/prolog" &&
			chmod +x "$CLUSTER_DIR/prolog" &&
			echo "Prolog=$CLUSTER_DIR/prolog" >>"$CLUSTER_DIR/slurm.conf" &&
			scontrol reconfigure && cluster wait || return 1
	}
	while read -r what a b c; do
		case $what in
		weight) [ "$mode:${DAY_FAULT-}" = "easy:weights" ] || scontrol update nodename="$(nodes_text "$a" "$b")" weight="$c" ;;
		feature) echo "$a $b $c" ;;
		qos)
			[ "$a" = normal ] || sacctmgr -i add qos "$a" >/dev/null
			sacctmgr -i modify qos where name="$a" set Priority="$b" \
				MaxJobsPerUser="$([ "$c" = 0 ] && echo -1 || echo "$c")" >/dev/null
			;;
		esac || return 1
	done <site >features
	for node in $(seq 0 $((nodes - 1))); do
		names=$(awk -v v="$node" '$2 <= v && v <= $3 { print $1 }' features | paste -sd, -)
		[ -z "$names" ] || scontrol update nodename="$(printf 'node%02d' "$node")" \
			availablefeatures="$names" activefeatures="$names" || return 1
	done
	[ "$preempt" != qos ] ||
		sacctmgr -i modify qos where name=high set Preempt=low >/dev/null
	[ "$preempt:$grace" = "qos:0" ] || [ "$preempt" != qos ] ||
		sacctmgr -i modify qos where name=low set GraceTime="$grace" >/dev/null
	sacctmgr -i modify user "$(id -un)" set qos=normal,high,low defaultqos=normal >/dev/null &&
		wait_for 30 sbatch -q high --test-only -N1 --wrap true && reserve
}

reserve() {
	while read -r what name first last after; do
		[ "$what" = reserve ] || continue
		begin=now+${after}seconds
		length=1
		[ "$after" != 0 ] || { begin=now && length=60; }
		scontrol create reservation="$name" starttime="$begin" duration="$length" \
			users="$(id -un)" nodes="$(nodes_text "$first" "$last")" >/dev/null || return 1
	done <site
}

# submit_day MODE: the jobs; "refused" lines
submit_day() {
	while read -r _ k gap length kind n tasks mem cpu_mem gpu limit part qos feature reservation nice; do
		set -- -J "$k" -t "$limit" -p "$part" -q "$qos" --nice="$nice"
		case $kind in
		shape) set -- "$@" --exclusive "$([ "$mode" = stock ] && echo -N || echo --geometry=)$n" ;;
		whole) set -- "$@" -N "$n" --exclusive ;;
		cpus) set -- "$@" -n "$tasks" ;;
		esac
		[ "$kind" != cpus ] || [ "$n" = 0 ] || set -- "$@" -N "$n"
		[ "$mem" = 0 ] || set -- "$@" --mem="$mem"
		[ "$cpu_mem" = 0 ] || set -- "$@" --mem-per-cpu="$cpu_mem"
		[ "$gpu" = 0 ] || set -- "$@" --gres="gpu:$gpu"
		[ "$feature" = - ] || set -- "$@" -C "$feature"
		[ "$reservation" = - ] || set -- "$@" --reservation="$reservation"
		run "$length" "$@" >/dev/null 2>refusal </dev/null || {
			sed "s/^/job $k: $*: /" refusal >&2
			echo "refused $mode $k" >&5
		}
		sleep "$((gap / 10)).$((gap % 10))"
	done <day 5>>"record.$mode"
}

# (slurmdbd may be late)
all_recorded() {
	sleep 1
	records | awk -v all="$(($(grep -c "^job " day) - $(grep -c "^refused $mode" "record.$mode")))" '
		$5 ~ /RUNNING|PENDING|COMPLETING|RESIZING|SUSPENDED/ { open++ }
		!seen[$3]++ { n++ } END { exit open > 0 || n < all }'
}

# records: a "run" line for each start of each job
records() {
	SLURM_TIME_FORMAT=%s sacct -D -X -n -P -a --noconvert -S now-1hours \
		--format=JobName,JobIDRaw,State,Eligible,Start,End,NodeList,AllocTRES,Priority |
		awk -F'|' -v mode="$mode" '
		function value(key,	i, m, part) {
			m = split($8, part, ",")
			for (i = 1; i <= m; i++)
				if (index(part[i], key "=") == 1)
					return substr(part[i], length(key) + 2) + 0
			return 0
		}
		{
			sub(/ .*/, "", $3)
			print "run", mode, $1, $2, $3, $4 + 0, $5 + 0, $6 + 0, $5 + 0 ? $7 : "-", value("cpu"),
				value("mem"), value("node"), value("gres/gpu"), $9 # (a priority/basic has more digits than OFMT)
		}'
}

# live MODE: the day; record.MODE
live() {
	mode=$1
	: >"record.$mode"
	open_site "$mode" || return 1
	while read -r what name first last after; do
		[ "$what" = reserve ] || continue
		begin=$(scontrol -o show reservation "$name" | tr ' ' '\n' | sed -n 's/^StartTime=//p')
		finish=$(scontrol -o show reservation "$name" | tr ' ' '\n' | sed -n 's/^EndTime=//p')
		echo "resv $mode $name $(nodes_text "$first" "$last") $(date -d "$begin" +%s) $(date -d "$finish" +%s)"
	done <site >>"record.$mode"
	echo "began $mode $(date +%s)" >>"record.$mode"
	submit_day || return 1
	wait_for $((400 * stretch)) squeue_is_empty || {
		squeue
		return 1
	}
	wait_for 60 all_recorded || return 1
	records >>"record.$mode"
	[ -z "${DAY_KEEP-}" ] || cp "$CLUSTER_DIR/log/slurmctld.log" "$DAY_KEEP/$seed/$mode.log"
	cluster stop --now && rm -rf "$CLUSTER_DIR"
	CLUSTER_DIR=
}

# judge MODE [RECORD]
judge() {
	awk -v other="$1" -f "$cluster_lib/stock-day.awk" site day record.stock "${2-record.$1}"
}

# doctored FAULT RECORD: the record with a fault that the judge has to find
doctored() {
	awk -v fault="$1" -v nodes="$(awk '$1 == "machine" { print $2 }' site)" '
		$1 != "run" || $5 != "COMPLETED" { print; next }
		fault == "cpus" && !done++ { $10++ }
		fault == "lost" && !done++ { next }
		fault == "late" { if (++done == 30) { $7 += 300; $8 += 300 } }
		fault == "order" { $14 = 100000 - $14; $4 = 100000 - $4 }
		fault == "preempted" { if (++done % 10 == 0) $5 = "PREEMPTED" }
		fault == "shared" { $7 -= 2 }
		fault == "nodes" && $12 == 1 { $9 = sprintf("node%02d", nodes - 1 - substr($9, 5)) }
		{ print }' "$2"
}

for seed in ${DAY_SEEDS:-11}; do
	make_site "$seed" >site && make_day "$seed" >day
	sed 's/^/# /' site
	[ -z "${DAY_KEEP-}" ] || { mkdir -p "$DAY_KEEP/$seed" && cp site day "$DAY_KEEP/$seed"; }
	for mode in $modes; do
		test_expect_success "seed $seed: the day under $mode" "live $mode"
		[ -z "${DAY_KEEP-}" ] || cp "record.$mode" "$DAY_KEEP/$seed"
		[ "$mode" != stock ] || continue
		judge "$mode" >"verdict.$mode"
		test_expect_success "seed $seed: $mode is no worse than stock Slurm" '
			grep "^result .* FAIL 0 " verdict.$mode
		'
		grep -v '^result' "verdict.$mode"
		[ -z "${DAY_KEEP-}" ] || {
			cp "verdict.$mode" "$DAY_KEEP/$seed"
			echo "$seed $(sed -n 's/^result //p' "verdict.$mode")" >>"$DAY_KEEP/table"
		}
	done
done

for fault in cpus lost late order preempted shared nodes; do
	# (not every day has jobs that could be out of order)
	[ -z "${DAY_SEEDS-}" ] && [ -f record.easy ] || continue
	doctored "$fault" record.easy >"doctored.$fault"
	test_expect_success "the judge finds a record with a fault: $fault" '
		! judge easy "doctored.$fault"
	'
done
test_done
