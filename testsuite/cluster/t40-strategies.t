#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every strategy in a live slurmctld, with a restart in the middle: what runs
# stays where it is, and what comes after respects it. The machine changes its
# strategy by a reconfigure while it is idle.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='each strategy live, slurmctld restarting in the middle'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
torus_yaml '4, 4' >torus.yaml
cluster_start --nodes 16 --select torus --torus torus.yaml
conf_dir=$(dirname "$SLURM_CONF")

# place ID: what AdminComment says of the job's place
place() {
	scontrol --oneliner show job "$1" |
		sed -n 's/.* torus:place=\([^; ]*\).*/\1/p'
}

# picture ID...: what must be the same before and after
picture() {
	for id in "$@"; do
		echo "$id $(job_state "$id") $(job_nodes "$id" | paste -sd,) $(place "$id")"
	done
}

# holds ID N: it runs on N nodes and has a place
holds() {
	wait_state "$1" RUNNING &&
		[ "$(job_nodes "$1" | wc -l)" -eq "$2" ] &&
		[ -n "$(place "$1")" ]
}

while read -r strategy dims; do
	test_expect_success "$strategy on [$dims]: jobs of 4 and 2 nodes" '
		torus_yaml "$dims" "strategy: $strategy" >"$conf_dir/torus.yaml" &&
		"$top_builddir/storus" check-config "$conf_dir/torus.yaml" &&
		scontrol reconfigure &&
		a=$(submit --geometry=4 -t 20) && b=$(submit --geometry=2 -t 20) &&
		holds $a 4 && holds $b 2 && assert_disjoint $a $b &&
		picture $a $b >before
	'

	test_expect_success "$strategy: the same after a restart, and 4 more beside them" '
		cluster restart-ctld &&
		picture $a $b >after &&
		test_cmp before after &&
		c=$(submit --geometry=4 -t 20) &&
		holds $c 4 && assert_disjoint $a $b $c
	'

	test_expect_success "$strategy: the whole machine after they have ended" '
		w=$(submit --geometry=16 -t 1) &&
		stays_state $w PENDING 1 &&
		cancel $a $b $c &&
		holds $w 16 &&
		cancel $w
	'
done <<'LIST'
submesh 4, 4
submesh-tbl 4, 4
submesh-bl 2, 8
submesh-tff 2, 8
submesh-ff 4, 2, 2
semitorus-nep 4, 2, 2
semitorus-ep 2, 8
semitorus-buddy 2, 2, 2, 2
subtorus 4, 4
subcube-buddy 2, 2, 2, 2
LIST

test_done
