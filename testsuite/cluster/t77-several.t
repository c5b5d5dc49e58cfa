#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several regions of one shape, --geometry=2x2*3: together or not at all, each
# task with its TORUS_SLICE, under stock Slurm's scheduler and sched/torus.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='several regions of one shape'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus

cat >torus.yaml <<'EOS'
toruses:
- name: pod0
  dims: [4, 4]
  nodes: node[00-15]
  allow: [semitorus-nep]
scheduler: {discipline: easy}
EOS

# job_regions ID: all regions in its AdminComment.
job_regions() {
	scontrol --oneliner show job "$1" |
		sed -n 's/.* AdminComment=.*torus:place=\([^; ]*\).*/\1/p'
}

# What a job of two 2x2 on an idle 4x4 tells its tasks.
two_slices() {
	srun --mpi=none --geometry='2x2*2' --no-rotate -n 8 sh -c \
		'echo $TORUS_SLICE $TORUS_COORD $SLURMD_NODENAME' |
		sort >got &&
	cat >want <<-EOS &&
	0 0,0 node00
	0 0,1 node04
	0 1,0 node01
	0 1,1 node05
	1 0,0 node08
	1 0,1 node12
	1 1,0 node09
	1 1,1 node13
	EOS
	test_cmp want got
}

cases() {
	test_expect_success "$1: each task has its region and its coordinate" '
		two_slices
	'

	test_expect_success "$1: the job and the cluster know the regions" '
		rm -f env &&
		a=$(JOB_SCRIPT="env | grep ^TORUS; exec sleep 300" submit --output="$PWD/env" --geometry="2x2*3" -n 12 -t 5) &&
		wait_state $a RUNNING 5 &&
		[ "$(job_nodes $a | wc -l)" -eq 12 ] &&
		job_regions $a >regions &&
		grep "^pod0:0,0+2x2,pod0:0,2+2x2,pod0:2,0+2x2$" regions &&
		wait_for 5 test -s env &&
		grep "^TORUS_GEOMETRY=2x2$" env &&
		grep "^TORUS_BASE=0,0/0,2/2,0$" env &&
		grep "^TORUS_RING=TT$" env &&
		grep "^TORUS_SLICES=0(x2),2(x2),0(x2),2(x2),1(x4)$" env &&
		"$top_builddir/storus" map >map &&
		grep "$(cat regions)" map
	'

	test_expect_success "$1: all together or not at all" '
		b=$(submit --geometry="2x2*2" -n 8 -t 5) &&
		c=$(submit --geometry=2x2 -n 4 -t 1) &&
		wait_state $c RUNNING 40 &&
		stays_state $b PENDING 2 &&
		scancel $a $c &&
		wait_state $b RUNNING 40 &&
		[ "$(job_nodes $b | wc -l)" -eq 8 ] &&
		cancel_all
	'

	test_expect_success "$1: more than the machine holds is refused" '
		test_must_fail submit --geometry="2x2*5" -t 1 2>err &&
		grep "5 regions of 4 nodes: this machine has nodes for only 4" err &&
		test_must_fail submit --geometry="3x3*2" -t 1 2>err &&
		grep "2 .* the .*room for only 1\|nodes for only 1" err &&
		test_must_fail submit --geometry="2x2*2" --placement=semitorus-nep -t 1 2>err &&
		grep "one region at a time.*submesh" err &&
		test_must_fail submit --geometry="16*2" -t 1 2>err &&
		grep "repeats a shape" err
	'
}

cluster_start --nodes 16 --select torus --torus torus.yaml
cases backfill
test_expect_success 'a restart of slurmctld keeps the regions of a running job' '
	a=$(submit --geometry="2x2*3" -n 12 -t 5) &&
	wait_state $a RUNNING 5 &&
	job_regions $a >before &&
	cluster restart-ctld &&
	wait_state $a RUNNING 20 &&
	job_regions $a >after &&
	test_cmp before after &&
	test_must_fail srun --mpi=none -I1 --geometry="2x2*2" true &&
	srun --mpi=none --geometry=2x2 true &&
	cancel_all
'
cluster stop --now >/dev/null && rm -rf "$CLUSTER_DIR"
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml
cases easy
test_expect_success 'alternatives of several regions: the first that fits' '
	a=$(submit --geometry=2x4 --no-rotate -n 8 -t 5) &&
	b=$(submit --geometry="2x2*3,2x2*2" -t 5) &&
	wait_state $b RUNNING 5 &&
	[ "$(job_nodes $b | wc -l)" -eq 8 ] &&
	cancel_all
'

# A brick of 5x5x5 whose nodes never answer. Whether it holds 31 of 2x2x1 takes
# more than the 10 ms of a search under Slurm's locks.
add_brick() {
	cat >>torus.yaml <<-EOS
	- name: brick
	  dims: [5, 5, 5]
	  wrap: MMM
	  nodes: cell[000-124]
	EOS
	sed -i "/^scheduler/{h;d};\${G}" torus.yaml &&
		cp torus.yaml "$CLUSTER_DIR/torus.yaml" &&
		printf "%s\n" TreeWidth=999 "NodeName=cell[000-124] NodeAddr=127.0.0.1 Port=50000-50124 CPUs=1 State=DOWN" \
			>>"$CLUSTER_DIR/slurm.conf" && # (no slurmd forwards to nodes that it does not know)
		cluster restart-ctld
}

test_expect_success 'a question that submission cannot answer in time is accepted with a notice' '
	add_brick &&
	a=$(submit --geometry="2x2x1*31" -t 1 2>err) &&
	grep "the search for a place has not ended" err &&
	b=$(submit --geometry=2x2 -t 1) && wait_state $b RUNNING 10 && # it holds up nobody
	[ "$(job_state $a)" = PENDING ] &&
	cancel_all
'
test_done
