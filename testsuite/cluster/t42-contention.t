#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# subtorus in a live slurmctld: AdminComment says what sharing links will cost.
# On 4x4, subtori of 2x2 fill every other row and column; two of them share no
# link, the third lies in the rows of one and the columns of the other.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='contention for links, predicted in AdminComment'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
torus_yaml '4, 4' 'strategy: subtorus' >torus.yaml
cluster_start --nodes 16 --select torus --torus torus.yaml

# mark ID: our word of its AdminComment
mark() {
	scontrol --oneliner show job "$1" | sed -n 's/.* \(torus:place=[^ ]*\).*/\1/p'
}

# told ID KEY: what it says of that
told() {
	mark "$1" | tr ';' '\n' | sed -n "s/^$2=//p"
}

test_expect_success 'two subtori that share no link' '
	a=$(submit --geometry=2x2 -t 20) && wait_state $a RUNNING &&
	b=$(submit --geometry=2x2 -t 20) && wait_state $b RUNNING &&
	mark $b &&
	[ "$(told $a dilation)" = 1 ] && [ "$(told $b dilation)" = 1 ] &&
	[ -z "$(told $a disturbs)" ] && [ -z "$(told $b disturbs)" ]
'

test_expect_success 'a third file shares half of its lines with each of them' '
	c=$(submit --geometry=2x2 -t 20) && wait_state $c RUNNING &&
	mark $c &&
	[ "$(told $c dilation)" = 2 ] &&
	[ "$(told $c disturbs | tr , "\n" | sort -n | paste -sd,)" = $a:1.5,$b:1.5 ]
'

test_expect_success 'a fourth job after a restart: two become twice as slow' '
	cluster restart-ctld &&
	d=$(submit --geometry=2x2 -t 20) && wait_state $d RUNNING &&
	mark $d &&
	[ "$(told $d dilation)" = 2 ] &&
	[ "$(told $d disturbs | tr , "\n" | sort -n | paste -sd,)" = $a:2,$b:2 ] &&
	[ "$(told $c dilation)" = 2 ]
'

test_expect_success 'storus place predicts the same' '
	"$top_builddir/storus" place --torus torus.yaml --geometry 2x2 \
		--busy $(told $a "torus:place") --busy $(told $b "torus:place") \
		--json >place.json &&
	cat place.json &&
	grep "^    \"dilation\": 2.0" place.json &&
	[ $(grep -c "^        \"dilation\": 1.5" place.json) = 2 ] &&
	cancel_all
'

test_done
