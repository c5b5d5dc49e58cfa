#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched/torus and jobs without a shape, on two toruses and two nodes that are in
# none: such a job stays in one torus where it can, and else gets nodes of
# several, now or as promised; shapes beside it; a restart; a reservation; and
# the replay of the journal finds it all again.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: jobs without a shape, several toruses'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus

site_yaml() { # DISCIPLINE
	cat <<YAML
toruses:
  - name: pod0
    dims: [4, 2]
    nodes: node[00-07]
  - name: pod1
    dims: [4, 2]
    nodes: node[08-15]
scheduler:
  discipline: $1
  journal: $PWD/journal.csv
YAML
}
site_yaml easy >torus.yaml
cluster_start --nodes 18 --select torus --sched torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

# nodes_are ID NODE...: the numbers of its nodes
nodes_are() {
	nodes_id=$1
	shift
	[ "$(job_nodes "$nodes_id" | sed 's/^node//' | paste -sd ' ' -)" = "$*" ] || {
		echo "job $nodes_id has $(job_nodes "$nodes_id" | paste -sd ' ' -)"
		return 1
	}
}

state_is() {
	[ "$(job_state "$1")" = "$2" ]
}

# clean: nothing of the case before is left.
clean() {
	cancel_all
	scontrol update nodename=node[16-17] state=resume 2>/dev/null
	scontrol delete reservation=maint 2>/dev/null
	true
}

end_of() {
	squeue -h -j "$1" -o %e
}

test_expect_success 'a job that fits on one torus runs there' '
	clean &&
	a=$(submit -N8 -t 5) && wait_state $a RUNNING 3 &&
	b=$(submit -N3 -t 5) && wait_state $b RUNNING 3 &&
	nodes_are $a 00 01 02 03 04 05 06 07 && nodes_are $b 08 09 10 &&
	cancel $a $b
'

test_expect_success 'more nodes: over toruses and outside of them; a shape at the same time' '
	clean &&
	a=$(submit -N12 -t 5) && wait_state $a RUNNING 3 &&
	nodes_are $a 00 01 02 03 04 05 06 07 08 09 16 17 &&
	b=$(submit --geometry=2x2 -t 5) && wait_state $b RUNNING 3 &&
	c=$(submit -N2 -t 5) && wait_state $c RUNNING 3 &&
	cancel $a $b $c &&
	a=$(submit -N18 -t 5) && wait_state $a RUNNING 3 && cancel $a
'

test_expect_success 'nodes that no torus has: for plain jobs, never for shapes' '
	clean &&
	a=$(submit -N1 -t 5 -w node17) && wait_state $a RUNNING 3 &&
	b=$(submit -N8 -t 5) && c=$(submit -N8 -t 5) &&
	wait_state $b RUNNING 3 && wait_state $c RUNNING 3 &&
	d=$(submit --geometry=1 -t 5) && wait_for 5 reason_is $d "needs 1 node, 0 are free" &&
	e=$(submit -N1 -t 1) && wait_state $e RUNNING 3 && nodes_are $e 16 &&
	state_is $d PENDING &&
	cancel $a $b $c $d $e
'

test_expect_success 'free nodes of several toruses together are enough' '
	clean &&
	a=$(submit -N5 -t 5) && wait_state $a RUNNING 3 &&
	b=$(submit -N8 -t 5) && wait_state $b RUNNING 3 &&
	c=$(submit -N5 -t 5) && wait_state $c RUNNING 3 &&
	nodes_are $c 05 06 07 16 17 &&
	cancel $a $b $c
'

test_expect_success 'a promise over several toruses; running jobs and the promise outlive a restart' '
	clean &&
	a=$(submit -N12 -t 6) && wait_state $a RUNNING 3 &&
	b=$(submit --geometry=2x1 -t 9) && wait_state $b RUNNING 3 &&
	c=$(submit -N14 -t 5) &&
	wait_for 10 promised_near $c "$(end_of $a)" &&
	[ "$(wc -w <planned)" -eq 14 ] &&
	cluster restart-ctld &&
	wait_for 30 promised_near $c "$(end_of $a)" &&
	state_is $a RUNNING && state_is $b RUNNING &&
	d=$(submit -N4 -t 2) && wait_state $d RUNNING 5 &&
	! job_nodes $d | grep -F -x "$(job_nodes $a)" &&
	e=$(submit -N9 -t 2) && sleep 2 && state_is $e PENDING &&
	wait_for 5 promised_near $c "$(end_of $a)" &&
	cancel $a $e && wait_state $d RUNNING 1 &&
	cancel $d && wait_state $c RUNNING 5 && cancel $b $c
'

test_expect_success 'nodes out of service: the reason says so, and the job starts later' '
	clean &&
	scontrol update nodename=node[16-17] state=drain reason=test &&
	a=$(submit -N17 -t 5) && sleep 1 &&
	b=$(submit -N16 -t 5) && wait_state $b RUNNING 5 &&
	scontrol update nodename=node[16-17] state=resume &&
	cancel $b && wait_state $a RUNNING 10 && cancel $a
'

test_expect_success 'a future reservation: jobs get other nodes, or start after it' '
	clean &&
	scontrol create reservation=maint start=now+3minutes duration=10 \
		users=root flags=maint nodes=node[00-07] >/dev/null &&
	until=$(scontrol -o show reservation maint |
		sed -n "s/.* EndTime=\([^ ]*\).*/\1/p") &&
	a=$(submit -N12 -t 10) && wait_for 10 promised_near $a "$until" 5 &&
	b=$(submit -N10 -t 10) && wait_state $b RUNNING 5 &&
	nodes_are $b 08 09 10 11 12 13 14 15 16 17 &&
	c=$(submit -N7 -t 1) && wait_state $c RUNNING 5 &&
	cancel $a $b $c && scontrol delete reservation=maint
'

test_expect_success 'conservative: each job has its promise, and shapes start between them' '
	clean &&
	site_yaml conservative >"$CLUSTER_DIR/torus.yaml" &&
	scontrol reconfigure && cluster wait &&
	a=$(submit -N12 -t 3) && wait_state $a RUNNING 5 &&
	b=$(submit -N13 -t 4) && wait_for 10 promised_near $b "$(end_of $a)" &&
	c=$(submit -N10 -t 5) &&
	wait_for 10 promised_near $c "$(later "$(end_of $a)" 4)" &&
	d=$(submit --geometry=2x1 -t 2) && wait_state $d RUNNING 5 &&
	e=$(submit --geometry=4x2 -t 2) && wait_for 10 promised $e &&
	[ "$(wc -w <planned)" -eq 8 ] &&
	cancel $a && wait_state $b RUNNING 5 &&
	cancel $b $d && wait_state $c RUNNING 5 && cancel $c $e
'

test_expect_success 'the journal, replayed, is the same' '
	clean &&
	site_yaml conservative >torus.yaml &&
	run 1 -N12 -t 1 >/dev/null && run 1 -N11 -t 1 >/dev/null &&
	run 1 --geometry=2x2 -t 1 >/dev/null && run 2 -N6 -t 1 >/dev/null &&
	run 1 -N18 -t 1 >/dev/null && run 1 -N2 -t 1 >/dev/null &&
	wait_for 30 squeue_is_empty && sleep 2 &&
	cat journal.csv &&
	grep -q "anywhere+2,.*pod0:{.*},pod1:{.*},outside:{" journal.csv &&
	awk "/,begin,\$/ { text = \"\" } { text = text \$0 \"\n\" } END { printf \"%s\", text }" \
		journal.csv >tail.csv &&
	{ head -n 2 journal.csv && cat tail.csv; } >last.csv &&
	"$top_builddir/storus" parity --check --within 0.001 \
		--torus torus.yaml last.csv
'

test_expect_success 'a journal that is no regular file is reported and not changed' '
	clean && mkfifo other && site_yaml easy >torus.yaml &&
	sed -i "s|journal:.*|journal: $PWD/other|" torus.yaml &&
	cp torus.yaml "$CLUSTER_DIR/torus.yaml" &&
	scontrol reconfigure && cluster wait &&
	run 1 -N1 -t 1 >/dev/null &&
	wait_for 20 grep "$PWD/other: it is no regular file; it is not changed" "$log" &&
	[ -p other ] && [ ! -e other.old ] &&
	run 1 -N1 -t 1 >/dev/null && wait_for 30 squeue_is_empty &&
	"$top_builddir/storus" reservations -v >said && cat said &&
	grep "other: it is no regular file" said
'

test_expect_success 'PrivateData=jobs: the journal and the plan are for Slurm alone' '
	site_yaml easy >torus.yaml &&
	sed -i "s|journal:.*|journal: $PWD/private.csv|" torus.yaml &&
	cp torus.yaml "$CLUSTER_DIR/torus.yaml" &&
	echo PrivateData=jobs >>"$SLURM_CONF" &&
	scontrol reconfigure && cluster wait &&
	run 1 -N1 -t 1 >/dev/null && wait_for 30 squeue_is_empty && sleep 1 &&
	plan=$(scontrol show config | sed -n "s/^StateSaveLocation *= //p")/torus_plan &&
	ls -l private.csv "$plan" &&
	[ "$(stat -c %a private.csv)" = 600 ] && [ "$(stat -c %a "$plan")" = 600 ]
'

test_done
