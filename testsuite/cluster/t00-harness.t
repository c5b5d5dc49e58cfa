#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test harness itself, with stock Slurm: none of our plugins is loaded, so
# what fails here is not theirs.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='the private cluster that the other tests run on (stock select/linear)'
export TORUS_PATIENCE="${TORUS_PATIENCE:-2}"
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_slurm
cluster_start --nodes 8 --gres gpu:2 --node Feature=blue --set SlurmctldDebug=debug
MACHINE=4x2

# listening: local addresses of every listening socket of this cluster's ports
listening() {
	base=$(sed -n 's/^SlurmctldPort=//p' "$SLURM_CONF")
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
		awk '$4 == "0A" { print $2 }' | while IFS=: read -r address port; do
		port=$(printf '%d' "0x$port")
		[ "$port" -lt "$base" ] || [ "$port" -gt $((base + 8)) ] || echo "$address"
	done
}

# processes: of this cluster, by the directory on their command lines (which is
# not to be on grep's own)
processes() {
	echo "$CLUSTER_DIR" >pattern
	grep -slF -f pattern /proc/[0-9]*/cmdline
}

test_expect_success 'the patience of the caller reaches the tests and multiplies their waits' '
	start=$(date +%s) && ! wait_for 1 false && [ $(($(date +%s) - start)) -ge "$cluster_patience" ] &&
	[ -z "$(env | grep PATIENCE)" ]
'

test_expect_success 'all nodes are idle, with the requested features' '
	[ "$(sinfo -h -N -o %T | sort | uniq -c | tr -s " ")" = " 8 idle" ] &&
	[ "$(sinfo -h -o "%f %G" | sort -u)" = "blue gpu:2" ] &&
	scontrol show config >config &&
	grep -Eq "^SlurmctldDebug *= *debug$" config &&
	grep -Eq "^SelectType *= *select/linear$" config
'

test_expect_success 'the daemons listen on the loopback address only' '
	listening >addresses &&
	[ "$(wc -l <addresses)" -eq 9 ] &&
	[ "$(sort -u addresses)" = 0100007F ]
'

test_expect_success 'a job runs on its nodes, with steps, untouched by our environment' '
	script="srun --mpi=none printenv SLURMD_NODENAME | sort >steps;
		env | grep \"^LD_PRELOAD=\" >private; exec sleep 60" &&
	id=$(JOB_SCRIPT=$script submit -N4) &&
	wait_state "$id" RUNNING &&
	wait_for 10 test -e private &&
	job_nodes "$id" >nodes &&
	test_cmp nodes steps &&
	test_must_be_empty private &&
	cancel "$id"
'

test_expect_success 'box_extent recognizes boxes, also wrapped ones, and rejects others' '
	check_extent() {
		expected=$1
		shift
		actual=$(printf "%s\n" "$@" | box_extent "$machine")
		[ "$actual" = "$expected" ] || { echo "$*: $actual, not $expected"; return 1; }
	} &&
	machine=4x4x4 &&
	check_extent 1x1x1 node17 &&
	check_extent 2x1x1 node00 node03 &&
	check_extent 1x2x1 node00 node12 &&
	check_extent 2x2x2 node00 node01 node04 node05 node16 node17 node20 node21 &&
	check_extent 2x2x2 node63 node60 node51 node48 node15 node12 node03 node00 &&
	check_extent "no box" node00 node02 &&
	check_extent "no box" node00 node05 &&
	check_extent "no box" node00 node00 node64 &&
	check_extent "no box" "" &&
	machine=4x4x4:MTT &&
	check_extent "no box" node00 node03 &&
	check_extent 1x2x1 node00 node12
'

test_expect_success 'box_region lists the nodes of a region' '
	box_region 4x4x4 pod0:3,0,0+2x1x1 | paste -sd" " >actual &&
	box_region 4x4 pod0:1,0+2x4/2x1 | paste -sd" " >>actual &&
	echo "AdminComment=x;pod0:3,1+2x1 y" | box_of_text >>actual &&
	printf "%s\n" "0 3" "1 3 5 7 9 11 13 15" "pod0:3,1+2x1" >expect &&
	test_cmp expect actual &&
	box_is_shape 2x1x4 4x2 && box_is_shape 2x1x1 2x1 && box_is_shape 1x1x1 1 &&
	! box_is_shape 2x2x2 4x2 && ! box_is_shape "no box" 2
'

test_expect_success 'a second start in the same directory is refused, and harmless' '
	test_must_fail cluster start --port-base auto 2>err &&
	grep "already running" err &&
	cluster status
'

test_expect_success 'a busy port is refused; no process or file remains' '
	port=$(sed -n "s/^SlurmctldPort=//p" "$SLURM_CONF") &&
	test_must_fail "$top_srcdir/contribs/private-cluster" start --nodes 2 \
		--port-base "$port" --dir "$CLUSTER_DIR.other" 2>err &&
	grep "port $port is in use" err &&
	! test -e "$CLUSTER_DIR.other"
'

# Two starts at a time would find the same ports free. The lock is the same one
# for all, wherever their temporary files are.
test_expect_success 'starts look for ports one after the other, whatever their TMPDIR' '
	other=$CLUSTER_DIR.other && mkdir temporary &&
	{ flock /tmp sleep 4 & } && sleep 1 &&
	{ TMPDIR=$PWD/temporary "$top_srcdir/contribs/private-cluster" start --nodes 2 \
		--port-base auto --dir "$other" >other.out 2>&1 & } && other_pid=$! &&
	test_when_finished "\"$top_srcdir/contribs/private-cluster\" stop --purge --dir \"$other\"" &&
	sleep 2 && ! test -e "$other/slurm.conf" && # it has no ports
	wait $other_pid && [ "$(sinfo -h -o %D)" = 8 ] && [ "$(SLURM_CONF=$other/slurm.conf sinfo -h -o %D)" = 2 ]
'

test_expect_success 'the ports of a cluster are its own while its daemons are down' '
	base=$(sed -n "s/^SlurmctldPort=//p" "$SLURM_CONF") && other=$CLUSTER_DIR.other &&
	cluster stop-ctld && cluster stop-node $(cat "$CLUSTER_DIR/nodes") &&
	test_when_finished "\"$top_srcdir/contribs/private-cluster\" stop --purge --dir \"$other\"" &&
	"$top_srcdir/contribs/private-cluster" start --nodes 8 --port-base auto --dir "$other" &&
	port=$(sed -n "s/^SlurmctldPort=//p" "$other/slurm.conf") && echo "$base, then $port" &&
	{ [ "$port" -gt $((base + 8)) ] || [ "$port" -lt $((base - 8)) ]; } &&
	cluster start-node $(cat "$CLUSTER_DIR/nodes") && cluster start-ctld
'

test_expect_success 'a directory of another owner is refused and not changed' '
	mkdir "$CLUSTER_DIR.letters" &&
	test_when_finished "rm -rf \"$CLUSTER_DIR.letters\"" &&
	echo dear >"$CLUSTER_DIR.letters/a" &&
	test_must_fail "$top_srcdir/contribs/private-cluster" start \
		--port-base auto --dir "$CLUSTER_DIR.letters" 2>err &&
	grep "no private cluster" err &&
	[ "$(cat "$CLUSTER_DIR.letters/a")" = dear ]
'

test_expect_success 'wrong words on the command line' '
	for words in "" "frobnicate" "start --nodes 0" "start --nodes 1x" \
		"start --select nothing" "start --set NoValue" "start --gres gpu:9" \
		"start --port-base 80" "start --frob" "start --nodes" "status more"; do
		# shellcheck disable=SC2086
		test_expect_code 2 "$top_srcdir/contribs/private-cluster" $words \
			--dir "$CLUSTER_DIR.none" 2>err || return 1
		test -s err || return 1
	done &&
	! test -e "$CLUSTER_DIR.none"
'

test_expect_success 'a running job survives restart-ctld' '
	id=$(submit -N2) &&
	wait_state "$id" RUNNING &&
	job_nodes "$id" >before &&
	cluster restart-ctld &&
	[ "$(job_state "$id")" = RUNNING ] &&
	job_nodes "$id" >after &&
	test_cmp before after
'

test_expect_success 'and kill9-ctld, once the state is saved' '
	sleep 6 &&
	cluster kill9-ctld &&
	test_expect_code 3 cluster status &&
	cluster start-ctld &&
	cluster status &&
	[ "$(job_state "$id")" = RUNNING ] &&
	cancel "$id"
'

test_expect_success 'a node can be stopped and started' '
	cluster stop-node node05 &&
	test_expect_code 3 cluster status &&
	cluster start-node node05 &&
	cluster status
'

# tasks: how many processes run the steps of job_with_steps
job_with_steps() {
	echo $((100000 + $$)) >seconds &&
		id=$(JOB_SCRIPT="srun --mpi=none sleep $(cat seconds)" submit -N"$1") &&
		wait_state "$id" RUNNING &&
		wait_for 10 eval "[ \$(tasks) -gt $1 ]"
}
tasks() {
	grep -slzx -f seconds /proc/[0-9]*/cmdline | wc -l
}

test_expect_success 'stop ends everything, steps of running jobs included' '
	job_with_steps 8 &&
	cluster stop &&
	[ "$(tasks)" -eq 0 ] &&
	! processes
'

test_expect_success 'it can be started again in its directory, and stopped when idle' '
	cluster start --nodes 3 --port-base auto >line &&
	[ "$(tail -n 1 line)" = "export SLURM_CONF=$SLURM_CONF" ] &&
	[ "$(sinfo -h -N -o %N | paste -sd,)" = node00,node01,node02 ] &&
	cluster stop &&
	! processes
'

test_expect_success 'stop --now kills everything, steps of running jobs included' '
	cluster start --nodes 3 --port-base auto >line &&
	job_with_steps 3 &&
	cluster stop --now --purge &&
	[ "$(tasks)" -eq 0 ] &&
	! processes &&
	! test -e "$CLUSTER_DIR"
'

test_done
