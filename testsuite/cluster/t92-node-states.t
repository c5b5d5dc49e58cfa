#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nodes that do not answer: awaited for seconds, then out of service until they do.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: a node that does not answer stops nobody'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
MACHINE=4x2x2
sched_yaml '4, 2, 2' easy "journal: $PWD/journal.csv" >torus.yaml
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml
storus=$top_builddir/storus

test_expect_success 'a shape over all nodes waits, and the jobs behind it start in seconds' '
	cluster stop-node node05 && scontrol update nodename=node05 state=noresp &&
	all=$(submit --geometry=4x2x2 -t 1) &&
	JOB_SCRIPT="exec sleep 5" &&
	a=$(submit --geometry=2x2 -t 10) && b=$(submit -N3 -t 10) &&
	JOB_SCRIPT= &&
	wait_state $a RUNNING 15 && wait_state $b RUNNING 15 &&
	[ "$(job_state $all)" = PENDING ]
'

test_expect_success 'its reason names the node as Slurm does' '
	wait_for 15 reason_is $all "node05 is not responding" &&
	! reason_is $all "expected"
'

test_expect_success 'everything that shows nodes calls it not responding' '
	[ "$(sinfo -h -n node05 -o %t)" = "idle*" ] &&
	"$storus" snapshot >now.snap && grep "{\"place\": \"pod0:{5}\", \"reason\": \"not responding\"}" now.snap &&
	"$storus" map >map && cat map && grep ", 1 out of service" map &&
	"$storus" slots 4x2x2 1x1x1 --noheader -o "%s %p %f" >slots && cat slots &&
	grep "^4x2x2 0" slots && ! "$storus" place --geometry 4x2x2 >place 2>&1 && cat place && grep "out of service" place &&
	"$storus" explain $all >explained; cat explained &&
	grep "node05" explained
'

test_expect_success 'the shape runs when the node answers again' '
	cluster start-node node05 &&
	wait_state $all RUNNING 60 && cancel_all
'

test_expect_success 'nor does one that is dead when slurmctld starts' '
	cluster stop-node node05 && { cluster restart-ctld --timeout 5; true; } &&
	all=$(submit --geometry=4x2x2 -t 1) && a=$(submit -N3 -t 10) &&
	wait_state $a RUNNING 30 && [ "$(job_state $all)" = PENDING ] &&
	wait_for 10 reason_is $all "node05 is not responding" && cancel_all
'

test_expect_success 'a replay of the journal sees the same nodes out of service' '
	"$storus" parity --torus "$CLUSTER_DIR/torus.yaml" --within 0.001 --check \
		journal.csv >replayed && cat replayed && grep "^certain: 100.0 %" replayed &&
	grep "^regions: 0 of" replayed && grep "pod0:{5}.,out" journal.csv
'

test_done
