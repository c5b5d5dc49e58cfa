#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The place in the prologs and epilogs of the nodes and of slurmctld, beside the request,
# for sbatch, srun and salloc.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='TORUS_* of a job in its prologs and epilogs'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' easy
# The slurmd of all nodes write here: each has its file at once, or not at all.
for name in Prolog Epilog PrologSlurmctld EpilogSlurmctld; do
	cat >"$CLUSTER_DIR/$name" <<-END && chmod +x "$CLUSTER_DIR/$name"
		#!/bin/sh
		env | grep ^SPANK_TORUS_ >"$CLUSTER_DIR/$name.new.\$\$"
		mv "$CLUSTER_DIR/$name.new.\$\$" "$CLUSTER_DIR/$name.\$SLURM_JOB_ID"
		exit 0
	END
	echo "$name=$CLUSTER_DIR/$name" >>"$CLUSTER_DIR/slurm.conf"
done
cluster restart-ctld >/dev/null 2>&1
scontrol reconfigure && cluster wait

# told ID NAME REQUEST: the script had the request and its place
told() {
	wait_for 20 test -s "$CLUSTER_DIR/$2.$1" && cat "$CLUSTER_DIR/$2.$1" &&
		grep -qx "SPANK_TORUS_REQ_GEOMETRY=$3" "$CLUSTER_DIR/$2.$1" &&
		for told_name in NAME BASE STRIDE ORIENTATION RING COORDS GEOMETRY; do
			grep -q "^SPANK_TORUS_$told_name=." "$CLUSTER_DIR/$2.$1" || return 1
		done
}

all_told() {
	for all_name in Prolog Epilog PrologSlurmctld EpilogSlurmctld; do
		told "$1" $all_name "$2" || { echo "$all_name"; return 1; }
	done
}

test_expect_success 'a script' '
	a=$(run 1 --geometry=2x2 -t5) && all_told $a 2x2 &&
	grep -x "SPANK_TORUS_NAME=pod0" "$CLUSTER_DIR/Prolog.$a" &&
	grep -x "SPANK_TORUS_GEOMETRY=2x2" "$CLUSTER_DIR/Prolog.$a"
'

test_expect_success 'srun, whose prologs run at its first step' '
	srun -t5 --geometry=2x1x2 sh -c "echo \$SLURM_JOB_ID; env | grep SPANK_TORUS_BASE" >out || : &&
	cat out && all_told "$(sort -n out | tail -n 1)" 2x1x2 && ! grep SPANK out
'

test_expect_success 'salloc, and a step in it' '
	salloc -t5 --geometry=4x1 sh -c "echo \$SLURM_JOB_ID >id; srun true" &&
	told "$(cat id)" PrologSlurmctld 4x1 && grep SPANK_TORUS_BASE= "$CLUSTER_DIR/Prolog.$(cat id)"
'

test_expect_success 'a requeued job has its new place, once' '
	rm -f "$CLUSTER_DIR"/*log*.[0-9]* && blocker=$(submit --geometry=4x2 -t5) &&
	a=$(submit --geometry=2x2 -t5 --requeue) && wait_state $a RUNNING && told $a Prolog 2x2 &&
	cp "$CLUSTER_DIR/PrologSlurmctld.$a" before && rm "$CLUSTER_DIR"/*Prolog*."$a" &&
	cancel $blocker && scontrol requeue $a && wait_for 20 test "$(job_state $a)" = PENDING &&
	scontrol update jobid=$a starttime=now && scontrol release $a 2>/dev/null
	wait_state $a RUNNING 150 && told $a PrologSlurmctld 2x2 &&
	[ "$(grep -c SPANK_TORUS_BASE "$CLUSTER_DIR/PrologSlurmctld.$a")" = 1 ] && cancel $a
'

test_expect_success 'a job without a shape has none' '
	a=$(run 1 -N1 -t5) && wait_for 20 test -e "$CLUSTER_DIR/EpilogSlurmctld.$a" &&
	! test -s "$CLUSTER_DIR/Prolog.$a"
'

test_done
