#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The shape of a running job without a place in its AdminComment is recognized in its
# nodes, whichever of its alternatives it got. The journal's first lines show it: a job
# that runs is there with a region, or with its nodes only.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='a running job is recognized by its nodes'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 4' easy

# without_place ID: replace AdminComment; the plugin job_submit/torus would keep the place
without_place() {
	sed -i.all /^JobSubmitPlugins=/d "$CLUSTER_DIR/slurm.conf" &&
		scontrol reconfigure && cluster wait &&
		scontrol update jobid="$1" admincomment=changed &&
		! scontrol show job "$1" | grep torus:place= &&
		mv "$CLUSTER_DIR/slurm.conf.all" "$CLUSTER_DIR/slurm.conf"
}

# journal_region ID: of a new journal
journal_region() {
	without_place "$1" &&
		sched_change '4, 4' easy "journal: $PWD/journal-$1.csv" &&
		wait_for 20 grep -q "^$1," "journal-$1.csv" &&
		grep "^$1," "journal-$1.csv"
}

test_expect_success 'the first alternative' '
	a=$(submit --geometry=2x2,4x1 -t 5) && wait_state $a RUNNING && assert_box $a 2x2 &&
	journal_region $a >line && cat line && grep "pod0:.*2x2" line && cancel_all
'

test_expect_success 'the second alternative, and the third' '
	b=$(submit -t 5 -N1 -w node05) && wait_state $b RUNNING &&
	a=$(submit --geometry=4x4,2x2@1s -t 5) && wait_state $a RUNNING && assert_box $a 2x2 &&
	journal_region $a >line && cat line && grep "pod0:.*2x2" line &&
	c=$(submit --geometry=4x4,4x3@1s,2x1@1s -t 5) && wait_state $c RUNNING && assert_box $c 2x1 &&
	journal_region $c >line && cat line && grep -E "pod0:.*(2x1|1x2)" line && cancel_all
'

test_expect_success 'a count' '
	b=$(submit -t 5 -N1 -w node05) && wait_state $b RUNNING &&
	a=$(submit --geometry=4x4,3@1s -t 5) && wait_state $a RUNNING &&
	journal_region $a >line && cat line && grep -E "pod0:.*(3x1|1x3|2x2)" line && cancel_all
'

test_done
