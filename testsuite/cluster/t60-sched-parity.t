#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Parity: 150 jobs (shapes, ladders, counts, jobs without a shape; limits that
# end early or are overrun, deadlines, priorities; some may use only some of the
# nodes, or share nodes; some are cancelled, held, changed or requeued; nodes are drained) go
# through a live cluster with sched/torus, for each discipline. `storus parity`
# replays what it wrote down, and compares job by job: order of starts, regions
# and times must be identical. Replayed with the others' disciplines the same jobs
# go otherwise, so there is something to see.
#
# Four clusters run at a time. TORUS_TEST_LONG=1: 600 jobs each.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: live against replay'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
# shellcheck source=testsuite/cluster/lib-parity.sh
. "$cluster_lib/lib-parity.sh"
skip_without_plugins torus
jobs=${PARITY_JOBS:-150}
[ -z "${TORUS_TEST_LONG:-}" ] || [ "$TORUS_TEST_LONG" = 0 ] || jobs=600

boxes='1x1 2x1 2x2 2x2x2 4x1 4x2 4x4 4x2x2 4x4x2 8 12 5 4x4x2,2x2@2s 4x4,4x2@1s,2@4s -N1 -N3 -N5 -N2-4 -N3-14'
shares='4x4_-n16_--gres=gpu:1 4x2_-n32 4x4_-n32_-c2 4x4x2_-n32 -n40_-c3 -N16_-n16_-c4 -N8_-n8_--gres=gpu:2
	-N2-6 -N2-4_-n20 -N3-12_--exclusive -n4_--gres=gpu:2 -N12_-n24 -N16_-n16_--mem=3000 -N8_--exclusive -n60 -n1_-c3 -n1_--gres=gpu:1'
cubes='1 2 4 8 16 2^2 2^3 2^4 2^5 2^4,2^2@2s 16,4@3s -N2 -N2-6'
disciplines='fcfs fpfs fpmpfs easy conservative dedf'

# prepare NAME DIMS SHAPES DISCIPLINE [LINE...]: ./NAME, with torus.yaml and
# load; STRATEGY, where set, is the torus's.
prepare() {
	mkdir "$1" && echo "$2" >"$1/dims" &&
		parity_load 7 "$jobs" "$3" >"$1/load" &&
		{
			torus_yaml "$2" ${STRATEGY:+"strategy: $STRATEGY"}
			printf 'scheduler:\n  discipline: %s\n  journal: JOURNAL\n' "$4"
			shift 4
			[ $# -eq 0 ] || printf '  %s\n' "$@"
		} >"$1/torus.yaml"
}

# shared NAME: of nodes that jobs share
shared() {
	cat >"$1/options" <<-END
		--select torus_cons_tres --cpus 8 --gres gpu:4 --node RealMemory=8000
		--set SelectTypeParameters=CR_Core_Memory --set DefMemPerCPU=200
	END
}

# go NAME...: all at the same time
go() {
	for name in "$@"; do
		(parity_run "$name" "$(cat "$name/dims")" >"$name/out" 2>&1) &
	done
	wait
	for name in "$@"; do
		[ -f "$name/done" ] || {
			tail -n 20 "$name/cluster.out" "$name/out"
			return 1
		}
	done
}

# same NAME: the replay says so, of nearly all of the jobs
same() {
	ids=$(tail -n +3 "$1/journal.csv" | cut -d, -f1 | grep . | sort -u | wc -l)
	[ "$ids" -ge $((jobs * 9 / 10)) ] &&
		replays_as "$1" >"$1/same" &&
		grep -x "regions: 0 of [1-9][0-9]* differ" "$1/same" || {
		cat "$1/same"
		return 1
	}
}

for discipline in $disciplines; do
	hold=
	[ $discipline != dedf ] || hold="mean_hold: 10s"
	prepare $discipline "4, 4, 2" "$boxes" $discipline ${hold:+"$hold"} || exit 1
done
STRATEGY=subcube-buddy prepare cubes "2, 2, 2, 2, 2" "$cubes" easy "order: priority"
for discipline in fcfs easy conservative; do
	prepare shared-$discipline "4, 4, 2" "$shares" $discipline &&
		shared shared-$discipline || exit 1
done
STRATEGY=submesh-tbl prepare busylist "4, 4, 2" "$boxes" fpmpfs "order: priority" "wait_limit: 20s"

test_expect_success 'four clusters: fcfs, fpfs, fpmpfs, easy' '
	go fcfs fpfs fpmpfs easy
'
test_expect_success 'four clusters: conservative, dedf; subcube-buddy, submesh-tbl' '
	go conservative dedf cubes busylist
'
test_expect_success 'three clusters whose jobs share nodes: fcfs, easy, conservative' '
	go shared-fcfs shared-easy shared-conservative
'
for name in $disciplines cubes busylist shared-fcfs shared-easy shared-conservative; do
	test_expect_success "$name: $jobs jobs live, and again in a replay" '
		same $name
	'
done

for name in $disciplines; do
	test_expect_success "$name: the other disciplines decide otherwise" '
		for other in $disciplines; do
			[ $other != $name ] || continue
			test_expect_code 1 replays_as $name $other/live.yaml --discipline $other >other.out || {
				echo "$name is as $other"
				return 1
			}
		done
	'
done

# cuts NAME N: at any line of that journal the replay says so
cuts() {
	total=$(wc -l <"$1/journal.csv")
	for line in $(awk -v n="$2" -v total="$total" 'BEGIN {
		srand(4)
		while (n-- > 0)
			print 1 + int(rand() * total)
	}'); do
		mkdir -p cut && head -n "$line" "$1/journal.csv" >cut/journal.csv
		replays_as cut "$1/live.yaml" >cut/out ||
			grep -q "nothing to compare" cut/out || {
			echo "$1: line $line of $total"
			cat cut/out
			return 1
		}
		grep "^certain" cut/out
	done
}

test_expect_success 'journals that are cut at 100 random lines are judged the same' '
	for name in $disciplines cubes busylist; do
		cuts $name 13 || return 1
	done >cuts.out || { cat cuts.out; return 1; }
	[ "$(grep -c "certain: 100.0 %" cuts.out)" -gt 90 ]
'

test_expect_success 'the load has used every kind of job' '
	cat */journal.csv >all.csv &&
	for state in completed rejected withdrawn undone shared; do
		grep -c ",$state,[0-9]*\$" all.csv || return 1
	done &&
	grep -E "=[0-9.]+,.*,completed,[0-9]*\$" all.csv &&
	grep -E ",\"pod0:\{[0-9,-]*\}\",[0-9.]+,.*,completed,[0-9]*\$" all.csv &&
	grep -E ",\"pod0:\{[0-9,-]*\}\",out,\$" all.csv
'

test_expect_success 'a trace with other results is told apart' '
	region="\"pod0:[0-9,]*+[0-9x]*\"" &&
	sed "0,/$region,completed,/s//\"pod0:3,3,1+1x1x1\",completed,/" fcfs/journal.csv >other.csv &&
	test_expect_code 1 "$top_builddir/storus" parity --torus fcfs/live.yaml other.csv >out &&
	grep "regions: 1 of" out &&
	head -n 2 fcfs/journal.csv >other.csv &&
	test_expect_code 1 "$top_builddir/storus" parity --torus fcfs/live.yaml other.csv &&
	sed "5s/,/,,/" fcfs/journal.csv >other.csv &&
	test_expect_code 2 "$top_builddir/storus" parity --torus fcfs/live.yaml other.csv &&
	test_expect_code 2 "$top_builddir/storus" parity other.csv
'

test_done
