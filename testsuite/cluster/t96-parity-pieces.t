#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The discipline changes while jobs run and wait: the journal has a piece for each
# scheduler, and storus parity judges each with the settings of that scheduler. Jobs that
# run on from piece to piece are taken over. A torus.yaml with other settings changes
# nothing; --discipline does, and says what the cluster had.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='storus parity: a journal over changes of discipline'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
# shellcheck source=testsuite/cluster/lib-parity.sh
. "$cluster_lib/lib-parity.sh"
skip_without_plugins torus

# Jobs that a later part does not know are neither held nor changed; a reconfigure
# drops the partition that lib-parity.sh adds.
mkdir run && {
	sched_yaml "4, 4" easy "journal: JOURNAL" >run/torus.yaml
	parity_load 11 75 "1x1 2x1 2x2 4x2 4x4 8 5 -N2" |
		grep -E -e ' (submit|drain|down|resume|partition) ' | grep -v 'node1[6-9]' |
		grep -v -e 'node[[]..-[23]' -e ' -p half' -e 'partition.*half' >all
	split -n l/3 all part.
} || exit 1

# change DISCIPLINE [LINE...]
change() {
	sched_change "4, 4" "$@" "journal: $PWD/run/journal.csv" &&
		cp "$CLUSTER_DIR/torus.yaml" run/live.yaml
}

test_expect_success 'jobs under easy, fcfs, then conservative' '
	parity_cluster run "4, 4" &&
	(parity_drain() { :; } && parity_drive part.aa) &&
	change fcfs &&
	(parity_drain() { :; } && parity_drive part.ab) &&
	change conservative &&
	parity_drive part.ac &&
	wait_for 60 parity_settled run || {
		cat run/cluster.out
		return 1
	}
'

test_expect_success 'each piece is as its own scheduler decided' '
	replays_as run >out && cat out &&
	grep -E "^pieces: ([3-9]), each begins with a start of the scheduler and is judged with its settings" out &&
	grep -E "^[1-9][0-9]* jobs compared .*easy, fcfs, conservative" out &&
	grep -E "^regions: 0 of [1-9][0-9]* differ" out &&
	grep "^certain: 100.0 %" out
'

test_expect_success 'the settings of torus.yaml do not matter' '
	sched_yaml "4, 4" fpfs >other.yaml &&
	replays_as run other.yaml >out &&
	grep "^certain: 100.0 %" out &&
	grep -E "^settings: ([0-9]+) of \1 pieces had other settings than other.yaml, first \"scheduler easy " out
'

test_expect_success 'a wrong --discipline is said' '
	test_expect_code 1 replays_as run run/live.yaml --discipline fcfs >out &&
	grep -E "^discipline: the cluster had easy, fcfs, conservative; --discipline fcfs differs from that of [2-9] of [3-9] pieces" out &&
	test_expect_code 2 replays_as run run/live.yaml --discipline easie 2>err &&
	grep -e "--discipline: got \"easie\"" err
'

cluster stop --now --purge >/dev/null 2>&1
test_done
