#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What later releases of Slurm changed about where and when a job runs, with the plugins:
# the table "Since Slurm 22.05" of doc/slurm-features.md, a case per row; a case is skipped
# on a Slurm that does not have the change. (t17 reconfigures, t51 requeues with expedite,
# t56 has several QOS, t99-ranks steps.)

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='what Slurm changed since 22.05'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
slurm_at_least 23.02 || {
	skip_all="this Slurm has none of it"
	test_done
}
for release in 23.02 24.05 24.11 25.05 25.11 26.05; do
	! slurm_at_least $release || test_set_prereq "SINCE_$(echo $release | tr . _)"
done
sched_start '4, 2, 2' easy --cpus 4 --set Licenses=tape:2,disk:2 \
	--set PrologFlags=contain --set SlurmctldParameters=enable_stepmgr
conf=$CLUSTER_DIR/slurm.conf
# topology.yaml and resources.yaml are read by a plugin
for directory in $(sed -n 's/^PluginDir=//p' "$conf" | tr : ' '); do
	! slurm_at_least 25.05 || [ ! -f "$directory/serializer_yaml.so" ] || test_set_prereq YAML
done
backfill=bf_interval=1,bf_resolution=1,bf_continue,sched_interval=2,sched_min_interval=0,batch_sched_delay=0

# restart SCHEDULER PARAMETERS [LINE...]: slurmctld with these, and further lines of slurm.conf
restart() {
	cluster stop-ctld && sed -i -e "s,^SchedulerType=.*,SchedulerType=sched/$1," \
		-e "s/^SchedulerParameters=.*/SchedulerParameters=$2/" "$conf" || return 1
	shift 2
	[ $# = 0 ] || printf '%s\n' "$@" >>"$conf"
	cluster start-ctld && cluster wait
}

# box SHAPE OPTION...: a job with the shape runs in such a box
box() {
	box_shape=$1
	shift
	box_id=$(submit --geometry="$box_shape" -t 5 "$@") && wait_state "$box_id" RUNNING &&
		assert_box "$box_id" "$box_shape" && cancel "$box_id"
}

# The rows, since_ROW, under the scheduler that runs

since_names() {
	a=$(submit -N2 -w "node[00-02]" -t 5) && wait_state "$a" RUNNING &&
		[ "$(job_nodes "$a" | wc -l)" = 2 ] && ! job_nodes "$a" | grep -v "node0[0-2]" &&
		cancel "$a" &&
		test_must_fail submit --geometry=2x1x1 -w "node[00-02]" -t 5 2>said && cat said &&
		grep -E "node\[00-02\]|3 nodes" said
}
since_segment() {
	box 2x2x2 --segment=3 && box 2x2x2 --segment=2 && box 2x2x1 --exclusive=topo
}
since_licences() {
	a=$(submit -L "tape:2" -N1 -t 5) && wait_state "$a" RUNNING &&
		b=$(submit --geometry=2x2x2 -L "tape:1|disk:2" -t 5) && wait_state "$b" RUNNING &&
		assert_box "$b" 2x2x2 &&
		c=$(submit --geometry=2x2x1 -L "tape:1|disk:2" -t 5) && stays_state "$c" PENDING 3 &&
		cancel "$b" && wait_state "$c" RUNNING 60 && assert_box "$c" 2x2x1 && cancel "$a" "$c"
}

# A job's steps: how many tasks, and the coordinates of their nodes.
cat >steps.sh <<'EOS'
#!/bin/sh
srun --mpi=none sh -c 'echo $TORUS_COORD' | sort -u >whole
srun --mpi=none --geometry=2x1x1 sh -c 'echo $TORUS_COORD' | sort -u >part
scontrol show job "$SLURM_JOB_ID" -o >record
EOS
since_stepmgr() {
	rm -f whole part record
	a=$(sbatch --parsable --stepmgr --geometry=2x2x2 --output=out -t 5 steps.sh) &&
		wait_state "$a" COMPLETED 60 && grep "StepMgrEnabled=Yes" record &&
		[ "$(wc -l <whole)" = 8 ] && [ "$(wc -l <part)" = 2 ] && awk -F, '
			NR == 1 { split($0, first) }
			{ for (i = 1; i <= 3; i++) d += ($i - first[i]) ^ 2 }
			END { exit d != 1 }' part
}

# Partitions have other topologies than the machine
topologies() {
	cat >"$CLUSTER_DIR/topology.yaml" <<-'END'
		---
		- topology: one
		  cluster_default: true
		  flat: true
		- topology: two
		  cluster_default: false
		  block:
		    block_sizes: [2, 4]
		    blocks:
		      - block: b1
		        nodes: node[00,03]
		      - block: b2
		        nodes: node[05,06]
		- topology: three
		  cluster_default: false
		  tree:
		    switches:
		      - switch: root
		        children: s[1-2]
		      - switch: s1
		        nodes: node[00,03,05,06,08,11,13,14]
		      - switch: s2
		        nodes: node[01,02,04,07,09,10,12,15]
	END
}
since_topologies() {
	box 2x2x2 -p main && box 2x2x2 -p blocks && box 2x2x2 -p tree && box 4x2x2 -p tree &&
		box 2x2x1 -p blocks --segment=2
}

since_resources() {
	a=$(submit --geometry=2x2x1 -L power:3 -t 5) && wait_state "$a" RUNNING && assert_box "$a" 2x2x1 &&
		b=$(submit --geometry=2x2x1 -L power:3 -t 5) && stays_state "$b" PENDING 3 &&
		c=$(submit --geometry=2x2x1 -L power:1 -t 5) && wait_state "$c" RUNNING && assert_box "$c" 2x2x1 &&
		cancel "$a" && wait_state "$b" RUNNING 60 && assert_box "$b" 2x2x1 && cancel "$b" "$c"
}

# rows: each under the scheduler that runs
rows() {
	test_expect_success SINCE_23_02 "$1: more names than nodes, as stock; with a shape refused" since_names
	test_expect_success SINCE_24_05 "$1: segments and an exclusive topology mean nothing beside a shape" since_segment
	test_expect_success SINCE_24_05 "$1: slurmstepd lays out the steps of a job with a shape" since_stepmgr
	test_expect_success SINCE_25_05 "$1: one licence or the other" since_licences
}
rows torus
test_expect_success 'sched/backfill' 'restart backfill $backfill'
rows backfill

# preempting [LINE...]: sched/backfill, jobs of the partition urgent preempt others
preempting() {
	cp "$conf" before.conf && test_when_finished "cp before.conf \"$conf\"" &&
		sed -i -e "s,^SelectType=.*,SelectType=select/torus_cons_tres," -e "/^SelectTypeParameters=/d" "$conf" &&
		restart backfill $backfill SelectTypeParameters=CR_Core PreemptType=preempt/partition_prio PreemptMode=CANCEL \
			"PartitionName=urgent Nodes=ALL PriorityTier=10" "$@" &&
		scontrol reconfigure && cluster wait # slurmd of 24.11 knows the select plugin, too
}

# Each box of 8 has nodes of b, which may end; a, which has the licences, may not.
since_no_licence() {
	a=$(submit -p urgent -L tape:2 -N1 -w node15 -t 5) && wait_state "$a" RUNNING &&
		b=$(submit -N12 -w "node[00-11]" -t 5) && wait_state "$b" RUNNING &&
		c=$(submit -p urgent --geometry=4x2x1 -L tape:1 -t 5) && stays_state "$c" PENDING 8 &&
		[ "$(job_state "$b")" = RUNNING ] && cancel "$a" && wait_state "$c" RUNNING 60 &&
		assert_box "$c" 4x2x1 && wait_state "$b" PREEMPTED 10 && cancel "$c"
}
test_expect_success SINCE_23_02 'sched/backfill: no job ends for a shape that has no licence' '
	preempting && since_no_licence
'

# A job of a partition of a higher tier asks for licences that a running job has. (The main
# scheduler alone preempts for them, and 23.02 to 24.05 have it start no job without accounting.)
since_reclaim() { # OPTION...: of that job
	a=$(submit -L tape:2 -N1 -w node15 -t 5) && wait_state "$a" RUNNING &&
		b=$(submit -p urgent -L tape:1 -t 5 "$@")
}
since_reclaimed() {
	since_reclaim "$@" && wait_state "$a" PREEMPTED 60 && wait_state "$b" RUNNING 60
}
test_expect_success SINCE_25_05 'reclaim_licenses, select/torus_cons_tres: sched/backfill preempts for a licence, sched/torus waits' '
	preempting PreemptParameters=reclaim_licenses &&
	since_reclaimed -N4 && cancel "$b" && since_no_licence &&
	beside=$(submit -N1 -w node14 -t 5) && wait_state $beside RUNNING &&
	since_reclaimed --geometry=2x2x1 && assert_box "$b" 2x2x1 && [ "$(job_state $beside)" = RUNNING ] &&
	cancel "$b" $beside && full=$(submit -N15 -w "node[00-14]" -t 5) && wait_state $full RUNNING &&
	since_reclaimed --geometry=2x2x1 && assert_box "$b" 2x2x1 && [ "$(job_state $full)" = PREEMPTED ] && cancel "$b" &&
	restart torus sched_interval=-1,defer && since_reclaim -N4 && stays_state "$b" PENDING 3 &&
	[ "$(job_state "$a")" = RUNNING ] && cancel "$a" && wait_state "$b" RUNNING 60 && cancel "$b"
'

# what slurm.conf and its files have from 25.05 and 26.05 on
test_expect_success YAML 'topologies for partitions, resources of nodes' '
	topologies &&
	printf "%s\n" "- resource: power" "  mode: MODE_1" "  layers:" "    - nodes: [\"node[00-15]\"]" \
		"      count: 4" >"$CLUSTER_DIR/resources.yaml" &&
	restart torus sched_interval=-1,defer "PartitionName=blocks Nodes=node[00-15] Topology=two" \
		"PartitionName=tree Nodes=node[00-15] Topology=three" &&
	scontrol show licenses | grep power
'
later_rows() {
	test_expect_success YAML "$1: whatever the topology of a partition, a shape is a box of torus.yaml" since_topologies
	test_expect_success YAML "$1: a job with a shape waits for a resource of its nodes" since_resources
}
later_rows torus
test_expect_success YAML 'sched/backfill again' 'restart backfill $backfill'
later_rows backfill
test_expect_success SINCE_24_11 'bf_topopt_enable: a job with a shape has its box' '
	restart backfill "$backfill,bf_topopt_enable,bf_topopt_iterations=2,bf_running_job_reserve" &&
	a=$(submit --geometry=4x2x1 -t 5) && wait_state $a RUNNING && assert_box $a 4x2x1 &&
	b=$(submit --geometry=4x2x2 -t 5) && c=$(submit --geometry=2x2x1 -t 1) && wait_state $c RUNNING 60 &&
	assert_box $c 2x2x1 && cancel $c && cancel $a && wait_state $b RUNNING 60 && assert_box $b 4x2x2 && cancel $b
'

# a job gives memory back
since_memory() {
	a=$(submit -N1 -n1 --mem=3000 -w node09 -t 5) && wait_state "$a" RUNNING &&
		b=$(submit -N1 -n1 --mem=3000 -w node09 -t 5) && stays_state "$b" PENDING 3 &&
		wait_for 20 scontrol update jobid="$a" MinMemoryNode=500 && wait_state "$b" RUNNING 60 && cancel "$a" "$b" &&
		a=$(submit --geometry=2x1x1 --no-rotate -n2 --mem=3000 -t 5) && wait_state "$a" RUNNING &&
		wait_for 20 scontrol update jobid="$a" MinMemoryNode=500 &&
		b=$(submit -N16 -n16 --mem=1000 -t 5) && stays_state "$b" PENDING 3 &&
		cancel "$a" && wait_state "$b" RUNNING 60 && cancel "$b"
}
test_expect_success SINCE_26_05 'memory that a running job gives back, select/torus_cons_tres' '
	sed -i -e "s,^SelectType=.*,SelectType=select/torus_cons_tres," -e "/^SelectTypeParameters=/d" \
		-e "/^NodeName=/s/\$/ RealMemory=4000/" "$conf" &&
	restart backfill $backfill SelectTypeParameters=CR_Core_Memory && since_memory &&
	restart torus sched_interval=-1,defer && since_memory
'

test_done
