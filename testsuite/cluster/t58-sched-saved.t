#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The scheduler's partition trees are those that are saved: after a restart it
# decides as it would have without (t43-saved.t has the same without
# sched/torus, and says how the tree is cut). The journal begins with them, so a
# file of it alone is replayed exactly.

# shellcheck disable=SC2016,SC2034,SC2119,SC2120,SC2154  # cases are evaluated by sharness
test_description='sched/torus: partition trees outlive slurmctld'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus

# yaml [LINE]: torus.yaml with a further line of the scheduler: block
yaml() {
	torus_yaml '4, 4' 'strategy: semitorus-nep'
	printf 'scheduler:\n  discipline: easy\n  journal: %s/journal.csv\n' "$PWD"
	[ $# -eq 0 ] || printf '  %s\n' "$1"
}
yaml >torus.yaml
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

# place ID: what AdminComment says of the job's place
place() {
	scontrol --oneliner show job "$1" |
		sed -n 's/.* torus:place=\([^; ]*\).*/\1/p'
}

# next FILE: where a job of 4 nodes would go now
next() {
	next_id=$(submit --geometry=4 -t 20) &&
		wait_state "$next_id" RUNNING 5 &&
		assert_disjoint "$b" "$next_id" &&
		place "$next_id" >"$1" &&
		cancel "$next_id"
}

test_expect_success 'jobs of 2 and 4 nodes, and the 2 end' '
	a=$(submit --geometry=2 -t 20) && wait_state "$a" RUNNING 5 &&
	b=$(submit --geometry=4 -t 20) && wait_state "$b" RUNNING 5 &&
	cancel "$a" &&
	next before && cat before
'

test_expect_success 'an orderly restart restores the tree' '
	cluster restart-ctld &&
	[ "$(job_state $b)" = RUNNING ] &&
	next after && test_cmp before after
'

test_expect_success 'another scheduler: block, a new plan: the same' '
	yaml "backfill_places: 3" >"$CLUSTER_DIR/torus.yaml" &&
	scontrol reconfigure && cluster wait && sleep 1 &&
	next after && test_cmp before after
'

test_expect_success 'killed: the file is as old as the last save, and enough' '
	sleep 6 && cluster kill9-ctld && cluster start-ctld &&
	[ "$(job_state $b)" = RUNNING ] &&
	next after && test_cmp before after &&
	! grep "cannot be taken over" "$log"
'

# replayed FILE...: the cluster did the same, in all that these files have
replayed() {
	cat "$@" | "$top_builddir/storus" parity --torus "$CLUSTER_DIR/torus.yaml" \
		--within 0.001 --check - >replayed.out && cat replayed.out &&
		grep "^certain: 100.0 %" replayed.out &&
		grep "^regions: 0 of" replayed.out
}

test_expect_success 'the journal is set aside while jobs run and wait; a restart' '
	w=$(submit --geometry=4x4 -t 5) && wait_for 5 promised $w &&
	mv journal.csv journal.1 && wait_for 5 test -s journal.csv &&
	c=$(run 1 --geometry=2 -t 1) && wait_state $c COMPLETED 10 &&
	cluster restart-ctld && d=$(run 1 --geometry=4 -t 1) &&
	wait_state $d COMPLETED 20 && mv journal.csv journal.2 &&
	wait_for 5 test -s journal.csv &&
	e=$(run 1 --geometry=2 -t 1) && wait_state $e COMPLETED 10 &&
	cancel $w && sleep 1
'

test_expect_success 'each file alone and all together are replayed exactly' '
	for n in 1 2 csv; do
		head -n 3 journal.$n | tail -n 1 | grep ",begin,$" || return 1
	done &&
	replayed journal.csv && grep "^2 jobs compared" replayed.out &&
	grep "^taken over: 1 jobs" replayed.out &&
	replayed journal.2 && replayed journal.2 journal.csv &&
	replayed journal.1 journal.2 journal.csv &&
	sed 1,10d journal.csv >torn.csv && test_must_fail replayed torn.csv
'

test_expect_success 'without the saved state the tree is recognized, and may differ' '
	cluster stop-ctld && rm "$CLUSTER_DIR/state/torus_state" &&
	cluster start-ctld &&
	[ "$(job_state $b)" = RUNNING ] &&
	next after && ! test_cmp before after >/dev/null &&
	cancel $b
'

test_done
