#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Parity: 200 jobs go through a live cluster with sched/torus, discipline after
# discipline; `storus parity` replays what it wrote down and compares job by
# job: order of starts and regions must be identical, times within one cycle.
# With TORUS_TEST_LONG=1 it is 200 jobs per discipline.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: live against replay'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
jobs=34
[ -z "${TORUS_TEST_LONG:-}" ] || [ "$TORUS_TEST_LONG" = 0 ] || jobs=200
sched_start '4, 4, 2' fcfs
journal=$CLUSTER_DIR/journal.csv

# workload SEED N: a line each of: pause, run, options of sbatch
workload() {
	awk -v seed="$1" -v n="$2" -v deadlines="$3" 'BEGIN {
		srand(seed)
		shapes = split("1x1 2x1 2x2 2x2x2 4x1 4x2 4x4 4x2x2 4x4x2 8 12 4x4x2,2x2@1s", shape, " ")
		for (i = 0; i < n; i++) {
			limit = 1 + int(rand() * 3)
			deadline = deadlines && rand() < 0.4 ? " --deadline=now+" int(limit + 1 + rand() * 4) "minutes" : ""
			printf "%.2f %.1f --geometry=%s -t %d%s\n", rand() < 0.5 ? 0 : rand() * 0.3,
				0.2 + rand() * 0.8, shape[1 + int(rand() * shapes)], limit, deadline
		}
	}'
}

# drained: nothing is queued or running any more
drained() {
	[ -z "$(squeue -h -o %i)" ]
}

for discipline in fcfs fpfs fpmpfs easy conservative dedf; do
	storus_has() {
		"$top_builddir/storus" list disciplines | grep -q "^ *$1 "
	}
	storus_has "$discipline" || continue
	test_expect_success "$discipline: $jobs jobs live, and again in a replay" '
		rm -f "$journal" &&
		deadlines=0 && hold= &&
		{ [ $discipline != dedf ] || { deadlines=1; hold="mean_hold: 10h"; }; } &&
		sched_change "4, 4, 2" $discipline "journal: $journal" ${hold:+"$hold"} &&
		workload 7$discipline $jobs $deadlines >load &&
		while read -r pause seconds options; do
			sleep $pause
			run $seconds $options >/dev/null || return 1
		done <load &&
		wait_for $((jobs * 3 + 30)) drained &&
		sleep 1 &&
		{ head -n 1 "$journal" && tail -n +2 "$journal" | sort -t, -k2,2n -k1,1n; } >sorted.csv &&
		[ "$(wc -l <sorted.csv)" = $((jobs + 1)) ] &&
		"$top_builddir/storus" parity --torus "$CLUSTER_DIR/torus.yaml" --within 0.3 --check sorted.csv >out &&
		cat out && grep -x "regions: 0 of [1-9][0-9]* differ" out ||
		{ cat out; cp sorted.csv $discipline.csv; false; }
	'
done

test_expect_success 'a trace that says otherwise is told apart' '
	sed "5s/\"pod0:[0-9,]*+[0-9x]*\"/\"pod0:3,3,1+1x1x1\"/" sorted.csv >other.csv &&
	test_expect_code 1 "$top_builddir/storus" parity --torus "$CLUSTER_DIR/torus.yaml" other.csv >out &&
	grep "regions: 1 of" out &&
	head -n 1 sorted.csv >other.csv &&
	test_expect_code 1 "$top_builddir/storus" parity --torus "$CLUSTER_DIR/torus.yaml" other.csv &&
	sed "5s/,/,,/" sorted.csv >other.csv &&
	test_expect_code 2 "$top_builddir/storus" parity --torus "$CLUSTER_DIR/torus.yaml" other.csv &&
	test_expect_code 2 "$top_builddir/storus" parity sorted.csv
'

test_done
