#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# storus map of the live cluster: a letter per job, as many of each as the job
# has nodes, and the region that the job's own record has.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='storus map of the live cluster'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x4x2
torus_yaml '4, 4, 2' >torus.yaml
cluster_start --nodes 32 --select torus --torus torus.yaml
storus=$top_builddir/storus

# cells CHARACTER: how many nodes the planes in `map` show with it
cells() {
	sed '/^ *job /,$d' map | grep -E '^ *[A-Za-z.#]+( +[A-Za-z.#]+)*$' |
		tr -d ' \n' | tr -dc "$1" | wc -c
}

# row ID: the line of that job in the list below the planes
row() {
	awk -v id="$1" '$1 ~ /^[A-Za-z]$/ && $2 == id' map
}

test_expect_success 'the idle machine' '
	"$storus" map >map && cat map &&
	[ $(cells .) -eq 32 ]
'

test_expect_success 'two shaped jobs and one without a shape' '
	a=$(submit --geometry=2x2x2) &&
	b=$(submit --geometry=4x2) &&
	c=$(submit -N3) &&
	for id in $a $b $c; do wait_state $id RUNNING || return 1; done &&
	"$storus" map >map && cat map &&
	[ $(cells .) -eq 13 ] &&
	for id in $a $b $c; do
		row $id >line && [ -s line ] &&
		[ $(cells $(cut -c1 line)) -eq $(job_nodes $id | wc -l) ] || return 1
	done &&
	row $a | grep -F "$(job_region $a)" &&
	row $b | grep -F "$(job_region $b)"
'

test_expect_success 'where one more would go, as a picture' '
	"$storus" map --fit 2 --output map.svg >fit && cat fit &&
	grep "^2 fits: " fit &&
	grep -q "job $a," map.svg && grep -q "job $c," map.svg &&
	[ $(grep -c "in the place" map.svg) -eq 2 ] &&
	test_expect_code 1 "$storus" map --fit 4x4x2 >map &&
	grep "4x4x2 does not fit now" map
'

test_expect_success 'nodes out of service' '
	cancel $c &&
	node=$(sinfo -h -N -t idle -o %N | head -n 1) &&
	scontrol update nodename=$node state=drain reason=test &&
	"$storus" map >map && cat map &&
	[ $(cells "#") -eq 1 ] &&
	[ $(cells .) -eq 15 ] &&
	scontrol update nodename=$node state=resume &&
	cancel_all
'

test_expect_success 'with no slurmctld: a clear no' '
	cluster stop-ctld &&
	test_must_fail "$storus" map >out 2>err &&
	test -s err &&
	cluster start-ctld
'

test_done
