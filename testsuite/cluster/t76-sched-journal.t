#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The journal beside Slurm's reservations: one to come, one that is active with
# jobs inside, one that is released, one that ends; and jobs with --time-min. What
# it says is replayed, and every job goes as it went; also where passes are cut.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: the journal beside reservations'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus

sched_start '4, 4' easy

# begin NAME DISCIPLINE [LINE...]: another scheduler, with the journal NAME.csv
begin() {
	begin_name=$1
	begin_discipline=$2
	shift 2
	sched_change '4, 4' "$begin_discipline" "journal: $PWD/$begin_name.csv" "$@" &&
		cp "$CLUSTER_DIR/torus.yaml" "$begin_name.yaml"
}

reserve() {
	reserve_name=$1
	shift
	scontrol create "reservation=$reserve_name" users="$(id -un)" "$@" >/dev/null
}

# load SEED: 36 jobs, of which two begin in a second. A third is shorter than the
# time until the reservation that is to come; every sixth is inside the active one.
load() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		split("1x1 2x1 2x2 4x1 4x2 2x4 4x4 -N1 -N3 5 4x2,2x2@2s", shape, " ")
		for (job = 1; job <= 36; job++) {
			what = shape[1 + int(rand() * 11)]
			limit = 1 + int(rand() * 4)
			text = (what ~ /^-/ ? what : "--geometry=" what) " -t " limit
			if (job % 6 == 0)
				text = "--reservation=ours --geometry=" (rand() < 0.5 ? "2x1" : "1x1") " -t 1"
			else if (limit > 2 && rand() < 0.6)
				text = text " --time-min=1"
			printf "%.1f %s\n", 0.3 + rand() * 2, text
		}
	}' >load
	load_n=0
	while read -r seconds options; do
		load_n=$((load_n + 1))
		# shellcheck disable=SC2086  # words
		run "$seconds" $options >/dev/null || return 1
		[ $((load_n % 2)) = 0 ] || sleep 0.4
		[ $load_n != 18 ] || scontrol delete reservation=gone
		[ $load_n != 24 ] || scontrol update reservation=soon duration=20
	done <load
}

# live NAME SEED: the load beside reservations; what cannot run before one of them
# is over is cancelled
live() {
	reserve soon starttime=now+150 duration=10 flags=MAINT,IGNORE_JOBS nodes='node[00-03]' &&
		reserve gone starttime=now+100 duration=10 flags=MAINT nodes='node[04-09]' &&
		reserve ours starttime=now duration=30 nodes='node[12-15]' &&
		reserve brief starttime=now endtime=now+8 flags=MAINT nodes='node[10-11]' &&
		load "$2" && sleep 15 &&
		scancel -u "$(id -un)" && wait_for 30 squeue_is_empty &&
		for name in soon ours brief; do
			scontrol delete reservation=$name 2>/dev/null # or it is over
		done
	sleep 1 && [ -z "$(squeue -h)" ] && grep -q ",completed," "$1.csv"
}

# exact NAME: the replay says so
exact() {
	"$top_builddir/storus" parity --torus "$1.yaml" --within 0.001 --check "$1.csv" >same &&
		grep -x "regions: 0 of [1-9][0-9]* differ" same || {
		cat same
		return 1
	}
}

for discipline in fcfs fpfs easy conservative; do
	test_expect_success "$discipline: jobs beside reservations, and inside" '
		begin $discipline $discipline && live $discipline 5
	'
	test_expect_success "$discipline: a replay of the journal goes the same way" '
		exact $discipline
	'
done

test_expect_success 'the load has used every kind of job' '
	cat fcfs.csv fpfs.csv easy.csv conservative.csv >all.csv &&
	grep -E "\"[0-9]+ -[0-9.]+\",outages," all.csv &&
	grep -E "\"[0-9]+ - pod0:[^ ]*=[0-9.]+-[0-9.]+ pod0:.*\",outages," all.csv &&
	grep -E ",\"all![0-9]+\",[0-9.]+,[0-9.]+,\"pod0:.*,completed," all.csv &&
	grep -E ",\"all![0-9]+ [0-9.]+=all(![0-9]+)?[ \"].*,completed," all.csv &&
	grep -E ",\"pod0:\{12-15\}![0-9]+\".*,completed," all.csv
'

test_expect_success 'without the outages the replay decides otherwise' '
	n=0 &&
	for discipline in fcfs fpfs easy conservative; do
		sed "/,outages,/d" $discipline.csv >other.csv &&
		"$top_builddir/storus" parity --torus $discipline.yaml --within 0.001 other.csv >out ||
			n=$((n + 1))
	done &&
	[ $n -ge 3 ]
'

# Each pass looks at one job at least, and at no more.
for discipline in fpfs easy conservative; do
	test_expect_success "$discipline: passes are cut, and go on" '
		begin cut-$discipline $discipline "pass_budget: 0.000001s" &&
		hold_queue &&
		for seconds in 1 2 1 2 1 2 1 2; do
			run $seconds --geometry=2x2 -t 2 || return 1
			run $seconds --geometry=4x$seconds -t 1 || return 1
		done >ids &&
		let_go && sleep 2 &&
		"$top_builddir/storus" reservations -v >status &&
		grep -E "^[1-9][0-9]* passes were cut by pass_budget; the latest pass left [1-9][0-9]* jobs" status &&
		wait_for 180 squeue_is_empty && sleep 1 &&
		[ "$(grep -c ",completed," cut-$discipline.csv)" = 16 ] &&
		[ "$(grep -c ",cut," cut-$discipline.csv)" -gt 5 ]
	'
	test_expect_success "$discipline: a replay ends them at the same times" '
		exact cut-$discipline &&
		sed "/,cut,/d" cut-$discipline.csv >other.csv &&
		test_expect_code 1 "$top_builddir/storus" parity --torus cut-$discipline.yaml --within 0.001 other.csv
	'
done

test_done
