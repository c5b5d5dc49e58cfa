#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus and what users of Slurm rely on: one case per feature.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: partitions, limits, dependencies, arrays...'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' easy --set Licenses=tape:2

low='node[00-07]' # the layer z = 0

tasks_run() {
	[ "$(squeue -h -t R -j "$1" -o %i | wc -l)" = "$2" ]
}

test_expect_success 'dependencies and begin times' '
	mark &&
	a=$(run 2 --geometry=2x2 -t 1) &&
	b=$(run 1 --geometry=2x2 -t 1 --dependency=afterok:$a) &&
	c=$(run 1 --geometry=2x2 -t 1 --begin=now+10) &&
	wait_for 5 reason_is $b Dependency &&
	reason_is $c BeginTime &&
	started_is $a $b $c &&
	wait_state $c COMPLETED
'

test_expect_success 'heterogeneous jobs are refused; the command says why once' '
	parts="-N1 : -N1 : -N2" &&
	for command in "sbatch --wrap true $parts" "salloc $parts true" "srun $parts true"; do
		test_must_fail $command 2>err || return 1
		cat err
		[ "$(grep -c "SchedulerType=sched/backfill.*--dependency" err)" = 1 ] || return 1
	done &&
	srun --mpi=none -N1 true 2>err &&
	! grep backfill err
'

test_expect_success 'holds: a held job blocks no other; after its release its turn comes' '
	mark &&
	a=$(run 1 -H --geometry=4x2x2 -t 1) &&
	b=$(run 1 --geometry=4x2x2 -t 1) &&
	wait_state $b RUNNING 3 &&
	reason_is $a JobHeld &&
	scontrol release $a &&
	started_is $b $a &&
	wait_state $a COMPLETED
'

test_expect_success 'a hold while it is queued' '
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	b=$(submit --geometry=4x2x2 -t 5) &&
	c=$(submit --geometry=2x2x1 -t 60) &&
	wait_for 5 promised $b &&
	scontrol hold $b &&
	wait_state $c RUNNING 3 &&
	cancel $a $b $c
'

test_expect_success 'job arrays, with a limit: no more tasks at a time' '
	id=$(run 1 --array=0-5%2 --geometry=2x1 -t 1) &&
	most=0 &&
	while squeue -h -j $id -o %T 2>/dev/null | grep -q .; do
		n=$(squeue -h -t R -j $id -o %i | wc -l)
		[ "$n" -le "$most" ] || most=$n
		sleep 0.1
	done &&
	echo "at most $most" &&
	[ "$most" = 2 ] &&
	[ "$(scontrol -o show job $id | grep -c JobState=COMPLETED)" = 6 ]
'

test_expect_success 'a job array fills the machine in one go' '
	id=$(submit --array=0-9 --geometry=2x1 -t 1) &&
	wait_for 5 tasks_run $id 8 &&
	assert_disjoint $(scontrol -o show job $id | grep JobState=RUNNING |
		sed -n "s/^JobId=\([0-9]*\) .*/\1/p") &&
	scancel $id &&
	wait_for 10 job_is_over $id
'

test_expect_success 'aftercorr: task by task' '
	a=$(run 1 --array=0-1 --geometry=2x2 -t 1) &&
	b=$(run 1 --array=0-1 --geometry=2x2 -t 1 --dependency=aftercorr:$a) &&
	wait_for 20 job_is_over $b &&
	[ "$(scontrol -o show job $b | grep -c JobState=COMPLETED)" = 2 ]
'

test_expect_success 'partitions: nodes, state, and a job that may run although the head is blocked' '
	scontrol create partitionname=low nodes=$low state=up maxtime=10 &&
	a=$(submit -p low --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state $a RUNNING 3 &&
	assert_box $a 4x2x1 exactly &&
	job_nodes $a | head -n 1 | grep node00 &&
	b=$(submit -p low -N1 -t 5) &&
	stays_state $b PENDING 1 &&
	c=$(submit -N1 -t 60) &&
	wait_state $c RUNNING 3 &&
	d=$(submit -p low,main -N1 -t 5) &&
	wait_state $d RUNNING 3 &&
	[ "$(job_field $d Partition)" = main ] &&
	scontrol update partitionname=low state=down &&
	cancel $a &&
	stays_state $b PENDING 1 &&
	reason_is $b PartitionDown &&
	scontrol update partitionname=low state=up &&
	wait_state $b RUNNING 3 &&
	cancel $b $c $d
'

test_expect_success 'partition limits: a job beyond them waits and says so' '
	a=$(submit -p low --geometry=2x2 -t 60) &&
	wait_for 5 reason_is $a PartitionTimeLimit &&
	b=$(submit -p low --geometry=2x2 -t 6) &&
	wait_state $b RUNNING 3 &&
	cancel $a $b
'

test_expect_success 'licenses: a job that waits for one blocks no other' '
	a=$(submit -L tape:2 --geometry=2x1 -t 5) &&
	b=$(submit -L tape:1 --geometry=2x1 -t 5) &&
	c=$(submit --geometry=2x1 -t 5) &&
	wait_state $c RUNNING 3 &&
	wait_for 5 reason_is $b Licenses &&
	cancel $a &&
	wait_state $b RUNNING 3 &&
	cancel $b $c
'

test_expect_success 'node features, -w and -x' '
	scontrol update nodename=node[08-09,12-13] features=fast &&
	a=$(submit -C fast --geometry=2x2 -t 5) &&
	wait_state $a RUNNING 3 &&
	job_nodes $a | paste -sd, | grep -x node08,node09,node12,node13 &&
	b=$(submit -w node05 --geometry=2x2 -t 5) &&
	wait_state $b RUNNING 3 &&
	job_nodes $b | grep -x node05 &&
	c=$(submit -w node15 -N2 -t 5) &&
	wait_state $c RUNNING 3 &&
	job_nodes $c | grep -x node15 &&
	d=$(submit -x node[00-03] --geometry=1x1 -t 5) &&
	wait_state $d RUNNING 3 &&
	! job_nodes $d | grep -E "node0[0-3]" &&
	assert_disjoint $a $b $c $d &&
	cancel $a $b $c $d
'

test_expect_success 'one of several features for all nodes: the one with idle nodes' '
	scontrol update nodename=node[00-07] availablefeatures=low activefeatures=low &&
	scontrol update nodename=node[08-15] availablefeatures=high activefeatures=high &&
	a=$(submit -N5 -C "[low|high]" -t 5) && wait_state $a RUNNING 3 &&
	[ -z "$(job_nodes $a | grep -E "node0[89]|node1")" ] &&
	b=$(submit -N5 -C "[low|high]" -t 5) && wait_state $b RUNNING 3 &&
	[ -z "$(job_nodes $b | grep "node0[0-7]")" ] &&
	c=$(submit -N5 -C "[low|high]" -t 5) && stays_state $c PENDING 2 &&
	d=$(submit -N2 -C "[low|high]" -t 1) && wait_state $d RUNNING 3 &&
	cancel $b && wait_state $c RUNNING 5 &&
	cancel $a $c $d &&
	e=$(submit --geometry=4x2 -C "[low|high]" -t 5) && wait_state $e RUNNING 3 &&
	cancel $e
'

test_expect_success 'drained and down nodes: places avoid them; a job that needs them blocks no other' '
	scontrol update nodename=node00 state=drain reason=test &&
	a=$(submit --geometry=4x2x2 -t 5) &&
	b=$(submit --geometry=4x2x1 --no-rotate -t 500) &&
	wait_state $b RUNNING 3 &&
	! job_nodes $b | grep -x node00 &&
	wait_for 5 reason_is $a "out of service" &&
	cancel $b &&
	stays_state $a PENDING 1 &&
	scontrol update nodename=node00 state=resume &&
	wait_state $a RUNNING 5 &&
	cancel $a
'

test_expect_success 'reservations: their own jobs get the nodes, other jobs do not' '
	scontrol create reservation=layer starttime=now duration=10 users=$(id -un) nodes=$low &&
	a=$(submit --geometry=4x2x1 --no-rotate -t 1) &&
	wait_state $a RUNNING 3 &&
	! job_nodes $a | grep -E "node0[0-7]" &&
	b=$(submit --reservation=layer --geometry=2x2 -t 1) &&
	wait_state $b RUNNING 3 &&
	job_nodes $b | grep -cE "node0[0-7]" | grep -x 4 &&
	cancel $a $b &&
	scontrol delete reservation=layer
'

test_expect_success 'a future reservation: only jobs that end before it start' '
	scontrol create reservation=soon starttime=now+3minutes duration=10 users=daemon nodes=$low &&
	a=$(submit --geometry=4x2x1 --no-rotate -t 5) &&
	wait_state $a RUNNING 3 &&
	! job_nodes $a | grep -E "node0[0-7]" &&
	b=$(submit --geometry=4x2x1 --no-rotate -t 1) &&
	wait_state $b RUNNING 3 &&
	c=$(submit --geometry=1x1 -t 5) &&
	stays_state $c PENDING 1 &&
	scontrol delete reservation=soon &&
	cancel $b &&
	wait_state $c RUNNING 3 &&
	cancel $a $c
'

test_expect_success '--exclusive, and requeue' '
	a=$(submit --exclusive -N2 -t 5) &&
	wait_state $a RUNNING 3 &&
	b=$(submit --geometry=2x2 -t 5) &&
	wait_state $b RUNNING 3 &&
	scontrol requeue $b &&
	wait_state $b PENDING 10 &&
	[ -z "$(job_region $b)" ] &&
	wait_state $b RUNNING 30 &&
	assert_box $b 2x2x1 &&
	cancel $a $b
'

test_expect_success 'srun -N1 inside of a job, and salloc' '
	id=$(JOB_SCRIPT="srun -N1 -n1 true && srun hostname >out && sleep 1" submit --geometry=2x2 -t 1 -D "$PWD") &&
	wait_state $id COMPLETED 15 &&
	salloc --geometry=2x1 srun hostname >out 2>/dev/null &&
	[ "$(wc -l <out)" = 2 ]
'

test_expect_success '--immediate without a time is refused; the message says what to write' '
	assert_refused "torus: --immediate: .*--immediate=5" srun --mpi=none -N2 -I true &&
	srun --mpi=none -N2 --immediate=5 true &&
	a=$(submit -N16 -t 5) && wait_state $a RUNNING 3 &&
	assert_refused "Unable to allocate" srun --mpi=none -N2 --immediate=2 true &&
	cancel $a
'

test_expect_success 'order: priority' '
	sched_change "4, 2, 2" fcfs "order: priority" &&
	mark &&
	a=$(submit --geometry=4x2x2 -t 5) &&
	wait_state $a RUNNING 3 &&
	b=$(run 1 --geometry=4x2x2 -t 5) &&
	c=$(run 1 --geometry=4x2x2 -t 5) &&
	d=$(run 1 --geometry=4x2x2 -t 5) &&
	scontrol update jobid=$b priority=2000 &&
	scontrol update jobid=$c priority=1000 &&
	scontrol update jobid=$d priority=4294967000 &&
	wait_for 5 promised $d &&
	cancel $a &&
	started_is $a $d $b $c &&
	wait_state $c COMPLETED
'

test_expect_success 'a deadline that passes while the job waits: cancelled then' '
	a=$(submit -N16 -t 5) && wait_state $a RUNNING 3 &&
	b=$(submit -N1 -t 1 --deadline=now+66) && wait_state $b DEADLINE 12 &&
	cancel $a
'

test_expect_success 'a changed limit keeps its turn' '
	sched_change "4, 2, 2" fcfs &&
	mark &&
	a=$(submit --geometry=4x2x2 -t 5) &&
	b=$(run 1 --geometry=4x2x2 -t 5) &&
	c=$(run 1 --geometry=4x2x2 -t 5) &&
	wait_for 5 promised $b &&
	scontrol update jobid=$b timelimit=9 &&
	sleep 1 &&
	cancel $a &&
	started_is $a $b $c &&
	wait_state $c COMPLETED
'

# quiet: nothing happens, so that nothing is planned
cycles() {
	"$top_builddir/storus" reservations -v | sed -n "s/^\([0-9]*\) cycles:.*/\1/p"
}
quiet() {
	quiet_from=$(cycles) && sleep 6 && echo "$quiet_from $(cycles)" &&
		[ $(($(cycles) - quiet_from)) -lt 3 ]
}
test_expect_success 'several partitions: one reason, and no further attempt without an event' '
	scontrol create partitionname=other nodes=ALL &&
	a=$(submit -N16 -t 60) &&
	wait_state $a RUNNING 15 &&
	b=$(submit -N4 -t 5 -p main,other) &&
	wait_for 5 promised $b &&
	sleep 2 && quiet &&
	scontrol update partition=other state=down &&
	sleep 2 && quiet &&
	reason_is $b "needs 4 nodes" &&
	promised $b &&
	cancel $a $b &&
	scontrol delete partition=other
'

test_expect_success 'nodes that a running job releases are free for others' '
	a=$(submit -N16 -t 60) &&
	wait_state $a RUNNING 3 &&
	b=$(submit --geometry=2x2 -t 5) &&
	wait_for 5 promised $b &&
	scontrol update jobid=$a numnodes=4 &&
	wait_state $b RUNNING 5 &&
	cancel $a $b
'

# range_takes DISCIPLINE: three nodes are idle, then one; the promise of a range
# stays when nodes become idle that are too few for it
range_takes() {
	sched_change "4, 2, 2" "$1" &&
	a=$(submit -N13 -t 5) &&
	wait_state $a RUNNING 15 &&
	b=$(submit -N2-4 -t 5) &&
	wait_state $b RUNNING 5 &&
	nodes_are $b 3 &&
	cancel $b && b=$(submit -N2-12 -t 5) &&
	wait_state $b RUNNING 5 &&
	nodes_are $b 2 3 &&
	cancel $b && b=$(submit -N2 -t 8) && c=$(submit -N1 -t 8) &&
	wait_state $c RUNNING 5 &&
	d=$(submit -N2-4 -t 5) &&
	wait_for 5 promised $d && cp planned first && first_time=$start_time &&
	cancel $c && sleep 2 &&
	promised $d && cmp planned first && [ "$start_time" = "$first_time" ] &&
	cancel $b && wait_state $d RUNNING 5 &&
	nodes_are $d 3 &&
	cancel $a $d
}
nodes_are() {
	nodes_got=$(scontrol -o show job "$1" | sed -n "s/.* NumNodes=\([0-9]*\).*/\1/p")
	echo "job $1 got $nodes_got nodes"
	case " $2 ${3-} " in *" $nodes_got "*) ;; *) return 1 ;; esac
}
test_expect_success 'a range of nodes takes the idle ones, whatever the discipline' '
	for discipline in easy conservative dedf; do
		range_takes $discipline || { echo "$discipline"; return 1; }
	done
'

! slurm_at_least 25.11 || test_set_prereq EXPEDITE
test_expect_success EXPEDITE 'an expedited job whose epilog failed starts before all others' '
	printf "#!/bin/sh\n[ %sSLURMD_NODENAME != node00 ] || [ ! -e %s/broken ]\n" "\$" "$CLUSTER_DIR" >"$CLUSTER_DIR/epilog" &&
	chmod 755 "$CLUSTER_DIR/epilog" &&
	printf "Epilog=%s/epilog\nSlurmctldParameters=enable_expedited_requeue\n" "$CLUSTER_DIR" >>"$CLUSTER_DIR/slurm.conf" &&
	sched_change "4, 2, 2" easy &&
	a=$(JOB_SCRIPT="until [ -e $CLUSTER_DIR/broken ]; do sleep 0.2; done
		[ -n \"\$SLURM_RESTART_COUNT\" ] || exit 3
		exec sleep 300" submit --requeue=expedite --geometry=4x2x1 --no-rotate -t 10) &&
	wait_state $a RUNNING && [ "$(job_field $a NodeList)" = "$low" ] &&
	b=$(submit --geometry=4x2x1 --no-rotate -t 10) && wait_state $b RUNNING &&
	c=$(submit --geometry=4x2x1 --no-rotate -t 10 --priority=4000000000) &&
	wait_for 20 promised $c && : >"$CLUSTER_DIR/broken" &&
	wait_state $a EXPEDITING 60 && cancel $b && wait_state $a RUNNING 60 &&
	[ "$(job_state $c)" = PENDING ] && rm "$CLUSTER_DIR/broken" &&
	cancel_all && scontrol update nodename=node00 state=resume
'

test_expect_success 'slurmctld works, and no lock was held for long' '
	scontrol ping | grep " is UP" &&
	"$top_builddir/storus" reservations -v >out &&
	cat out &&
	awk "/^the longest lock hold: /{ own = \$5 } END { exit !(own != \"\" && own < 50) }" out
'

test_done
