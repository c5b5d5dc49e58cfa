# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an administrator sees of sched/torus: the counters of sdiag, reasons that
# name nodes, jobs and reservations, the file in force, and what is not honoured.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: what an administrator sees'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' easy --set PreemptType=preempt/partition_prio \
	--set PreemptMode=SUSPEND,GANG
storus=$top_builddir/storus

# diag PART LABEL: a number of sdiag's part Main or Backfilling
diag() {
	sdiag | sed -n "/^$1/,/^$/p" | sed -n "s/^[[:space:]]*$2: *\([0-9]*\).*/\1/p" | head -n 1
}

test_expect_success 'sdiag: cycles, queue length, depth, backfilled jobs' '
	a=$(submit --geometry=2x2x2 -t 5) && wait_state $a RUNNING 5 &&
	b=$(submit --geometry=4x2x2 -t 5) && wait_for 5 promised $b &&
	c=$(submit --geometry=2x1 -t 2) && wait_state $c RUNNING 5 && sleep 1 &&
	sdiag && [ "$(diag Main "Total cycles")" -ge 3 ] &&
	[ "$(diag Main "Last cycle")" -gt 0 ] && [ "$(diag Main "Max cycle")" -gt 0 ] &&
	[ "$(diag Main "Last queue length")" = 1 ] &&
	[ "$(diag Backfilling "Total cycles")" -ge 3 ] &&
	[ "$(diag Backfilling "Last cycle")" -ge "$(diag Main "Last cycle")" ] &&
	[ "$(diag Backfilling "Last queue length")" = 1 ] &&
	[ "$(diag Backfilling "Last depth cycle")" = 1 ] &&
	[ "$(diag Backfilling "Last table size")" = 1 ] &&
	[ "$(diag Backfilling "Total backfilled jobs (since last slurm start)")" = 1 ] &&
	[ "$(diag Backfilling "Total backfilled jobs (since last stats cycle start)")" = 1 ] &&
	sdiag -r && [ "$(diag Backfilling "Total backfilled jobs (since last slurm start)")" -le 1 ] &&
	cancel $a $b $c
'

test_done
