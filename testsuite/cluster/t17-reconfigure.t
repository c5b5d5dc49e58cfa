#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# scontrol reconfigure: a good torus.yaml takes effect; a broken one is kept out,
# with the reason in the log. At start a broken one stops slurmctld.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='reconfigure, and a torus.yaml that is wrong'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x2x2
torus_yaml '4, 2, 2' >torus.yaml
cluster_start --nodes 16 --select torus --torus torus.yaml
yaml=$CLUSTER_DIR/torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

# logged PATTERN: in what slurmctld has said since mark
mark() {
	mark_lines=$(wc -l <"$log")
}
logged() {
	tail -n +$((mark_lines + 1)) "$log" | grep -E -e "$1"
}

test_expect_success 'running jobs and the same file: nothing changes' '
	a=$(submit --geometry=2x2x2 -t 20) &&
	wait_state $a RUNNING &&
	job_nodes $a >before &&
	scontrol reconfigure &&
	cluster wait &&
	[ "$(job_state $a)" = RUNNING ] &&
	job_nodes $a >after &&
	test_cmp before after &&
	assert_box $a 2x2x2 &&
	b=$(submit --geometry=2x2x2) &&
	wait_state $b RUNNING &&
	assert_box $b 2x2x2 &&
	assert_disjoint $a $b &&
	cancel $b
'

# broken TEXT PATTERN: this torus.yaml is kept out, and the log says why; the
# machine is what it was, with job $a running there
# shellcheck disable=SC2154
broken() {
	cp "$yaml" good.yaml &&
		printf '%b' "$1" >"$yaml" &&
		mark &&
		{ scontrol reconfigure || :; } &&
		wait_for 10 logged "$2" &&
		cp good.yaml "$yaml" &&
		cluster wait &&
		[ "$(job_state "$a")" = RUNNING ] &&
		id=$(submit --no-rotate --geometry=2x2x2) &&
		wait_state "$id" RUNNING &&
		assert_box "$id" 2x2x2 exactly &&
		assert_disjoint "$a" "$id" &&
		cancel "$id"
}

test_expect_success 'broken: a wrong number of nodes' '
	broken "toruses:\n  - name: pod0\n    dims: [4, 2, 2]\n    nodes: node[00-14]\n" \
		"torus\.yaml:4: nodes: .*15.*16"
'

test_expect_success 'broken: a dimension of 0, and an unknown key; both are reported' '
	broken "toruses:\n  - name: pod0\n    dims: [4, 0, 2]\n    colour: red\n    nodes: node[00-15]\n" \
		"torus\.yaml:3: dims" &&
	logged "torus\.yaml:4: .*colour"
'

test_expect_success 'broken: a node twice' '
	broken "toruses:\n  - name: pod0\n    dims: [4, 2, 2]\n    nodes: node[00-14],node03\n" \
		"torus\.yaml:4: nodes: .*node03"
'

test_expect_success 'broken: no YAML at all, and an empty file' '
	broken "toruses: [\n" "torus\.yaml" &&
	broken "" "torus\.yaml"
'

test_expect_success 'a missing file changes nothing' '
	mv "$yaml" good.yaml &&
	mark &&
	{ scontrol reconfigure || :; } &&
	wait_for 10 logged "torus\.yaml" &&
	mv good.yaml "$yaml" &&
	scontrol ping | grep " is UP" &&
	[ "$(job_state $a)" = RUNNING ]
'

test_expect_success 'a good change takes effect: the machine is 2x2x4 now' '
	cancel $a &&
	test_must_fail submit --no-rotate --geometry=2x2x4 &&
	torus_yaml "2, 2, 4" >"$yaml" &&
	scontrol reconfigure &&
	cluster wait &&
	MACHINE=2x2x4 &&
	test_must_fail submit --no-rotate --geometry=4x2x2 &&
	id=$(submit --no-rotate --geometry=2x1x4) &&
	wait_state $id RUNNING &&
	assert_box $id 2x1x4 exactly &&
	cancel $id &&
	MACHINE=4x2x2 &&
	torus_yaml "4, 2, 2" >"$yaml" &&
	scontrol reconfigure &&
	cluster wait &&
	id=$(submit --no-rotate --geometry=4x2x1) &&
	wait_state $id RUNNING &&
	assert_box $id 4x2x1 exactly &&
	cancel $id
'

test_expect_success 'at start a broken file stops slurmctld, and the log has its line' '
	cluster stop-ctld &&
	cp "$yaml" good.yaml &&
	torus_yaml "4, 2, 3" >"$yaml" &&
	sed -i "s/node\[00-23\]/node[00-15]/" "$yaml" &&
	mark &&
	test_must_fail cluster start-ctld 2>err &&
	logged "torus\.yaml:4: nodes: .*16.*24" &&
	cp good.yaml "$yaml" &&
	cluster start-ctld &&
	id=$(submit --geometry=4x2x2) &&
	wait_state $id RUNNING &&
	cancel $id
'

test_expect_success 'a torus.yaml that others may write or own is refused' '
	mark && chmod 664 "$yaml" &&
	{ scontrol reconfigure || :; } &&
	wait_for 5 logged "torus.yaml: its mode is 0664: expected a file that only its owner can write to" &&
	chmod 644 "$yaml" && cluster wait &&
	if [ "$(id -u)" -eq 0 ]; then
		mark && chown 65534 "$yaml" &&
		{ scontrol reconfigure || :; } &&
		wait_for 5 logged "torus.yaml: it belongs to user 65534: expected root or SlurmUser" &&
		chown 0 "$yaml" && cluster wait
	fi &&
	scontrol reconfigure && cluster wait &&
	a=$(submit --geometry=2x2) && wait_state $a RUNNING && cancel $a
'

test_done
