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
	sed '/^ *job /,$d' map | grep -E '^ *[A-Za-z.#?]+( +[A-Za-z.#?]+)*$' |
		tr -d ' \n' | tr -dc "$1" | wc -c
}

# runs ID: in the state that squeue shows, whatever the job's name is
runs() {
	[ "$(squeue -h -j "$1" -o %T)" = RUNNING ]
}

# as_nobody COMMAND...: as a user who owns no job
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
prereq_root

# row ID: the line of that job in the list below the planes
row() {
	awk -v id="$1" '$1 ~ /^[A-Za-z]$/ && $2 == id' map
}

test_expect_success 'the idle machine' '
	"$storus" map >map && cat map &&
	[ $(cells .) -eq 32 ] &&
	grep "^largest idle box: pod0:.*+4x4x2 (32 nodes)\$" map &&
	"$storus" map --json | grep "\"idle\": 32"
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
	test_expect_code 1 "$storus" map --fit 4x4x2 >fit && cat fit &&
	grep "4x4x2 needs 32 nodes, 15 are free (16 held by jobs, 1 out of service)" fit &&
	scontrol update nodename=$node state=resume &&
	cancel_all
'

test_expect_success 'names, comments and environments of users change nothing' '
	a=$(submit --geometry=2x2x2 -J "x JobState=PENDING") &&
	b=$(submit --geometry=2x2x2 -J "x NodeList=node00 AdminComment=torus:place=pod0:0,0,0+1x1x1;") &&
	c=$(submit --geometry=2x2x2 -J "$(printf "x|y\nJobState=PENDING")" \
		--comment "a|b JobState=COMPLETED NodeList=node31") &&
	for id in $a $b $c; do wait_for 20 runs $id || return 1; done &&
	scontrol update jobid=$c admincomment="$(squeue -h -j $c --Format=admin_comment:0) a|b
1|1|x|RUNNING" &&
	SQUEUE_STATES=PENDING SQUEUE_USERS=nobody SQUEUE_FORMAT=%A \
		SINFO_STATES=down "$storus" map >map && cat map &&
	[ $(cells .) -eq 8 ] && [ $(cells "?") -eq 0 ] &&
	grep "^largest idle box: pod0:.*+2x2x2 (8 nodes)\$" map &&
	for id in $a $b $c; do
		row $id >line && grep "pod0:.*+" line &&
		[ $(cells $(cut -c1 line)) -eq 8 ] || return 1
	done
'

test_expect_success ROOT 'PrivateData=jobs: nodes of jobs that are not shown are in use' '
	echo PrivateData=jobs >>"$SLURM_CONF" &&
	scontrol reconfigure && cluster wait &&
	chmod a+x "$CLUSTER_DIR" "$CLUSTER_DIR/munge" &&
	cp "$storus" "$CLUSTER_DIR/storus" &&
	test $(as_nobody squeue -h | wc -l) -eq 0 &&
	as_nobody "$CLUSTER_DIR/storus" map >map && cat map &&
	[ $(cells .) -eq 8 ] &&
	[ $(cells "?") -eq 24 ] &&
	grep "0 jobs; 0 nodes busy, 24 in use, not visible to you (?), 8 idle" map &&
	as_nobody "$CLUSTER_DIR/storus" map --fit 2x2x2 >fit && cat fit &&
	test_expect_code 1 as_nobody "$CLUSTER_DIR/storus" map --fit 4x2x2 &&
	"$storus" map >map &&
	[ $(cells "?") -eq 0 ] &&
	cancel_all
'

# mux WORD...: tmux, whose server holds none of the test's files
mux() {
	TERM=xterm tmux -S "$CLUSTER_DIR/tmux" -f /dev/null "$@" 3>&- 4>&- 5>&- 6>&-
}

# screen TEXT: the terminal shows it
screen() {
	mux capture-pane -p -t w >shown && grep -F -- "$1" shown
}

command -v tmux >/dev/null && test_set_prereq TMUX
test_expect_success TMUX 'a slurmctld that hangs does not hang --watch' '
	cancel_all && a=$(submit --geometry=2x2x2) && wait_for 20 runs $a &&
	ctld=$(cat "$CLUSTER_DIR/run/slurmctld.pid") &&
	mux new-session -d -s w -x 110 -y 30 "$storus map --watch=1" >/dev/null 2>&1 &&
	wait_for 10 screen " 8 nodes busy" &&
	kill -STOP $ctld &&
	{ wait_for 20 screen "no answer for"; said=$?; mux send-keys -t w j
	wait_for 5 screen "LEFT"; keys=$?; kill -CONT $ctld; } && cat shown &&
	[ $said -eq 0 ] && [ $keys -eq 0 ] && grep "s old" shown &&
	wait_for 30 eval "! screen \"no answer\"" && mux send-keys -t w q &&
	wait_for 10 eval "! mux has-session -t w" && cancel_all
'

mux kill-server 2>/dev/null

test_expect_success 'with no slurmctld: a clear no' '
	cluster stop-ctld &&
	test_must_fail "$storus" map >out 2>err &&
	test -s err &&
	cluster start-ctld
'

test_done
