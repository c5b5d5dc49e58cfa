#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is killed after each line of its journal in turn, and after each write of one
# of its state files and of ours, while 60 jobs run; slurmd is killed after each step of a
# start and an end. No job is lost, no node has two jobs, and the journal over all crashes
# replays. With TORUS_TEST_LONG=1 only: some eight minutes for each of the three.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='slurmctld and slurmd are killed between any two steps'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
if [ "${TORUS_TEST_LONG-}" != 1 ]; then
	skip_all="it takes fifteen minutes: TORUS_TEST_LONG=1"
	test_done
fi
MACHINE=4x4
storus=$top_builddir/storus

# crash_load: a line each of: seconds, options
crash_load() {
	awk 'BEGIN {
		srand(7)
		n = split("4x4 2x2 4x1 2x1 4x2 1x1 3x2 2x1*2", shape, " ")
		for (i = 0; i < 60; i++)
			printf "%.1f %s -t %d%s\n", 5 + rand() * 10,
				rand() < 0.8 ? "--geometry=" shape[1 + int(rand() * n)] : "-N" 1 + int(rand() * 6),
				1 + int(rand() * 3), rand() < 0.1 ? sprintf(" -w node%02d", rand() * 16) : ""
	}'
}

# crash_submit: each of those jobs, which write when they ran; prints the numbers
crash_submit() {
	while read -r seconds options; do
		# shellcheck disable=SC2086
		JOB_SCRIPT="b=\$(date +%s.%N); sleep $seconds; e=\$(date +%s.%N)
			for n in \$(scontrol show hostnames \$SLURM_JOB_NODELIST); do
				echo end \$SLURM_JOB_ID \$n \$b \$e; done >>\"$PWD/ran\"" \
			submit $options </dev/null || echo lost
	done
}

# crash_run WORD FIRST: slurmctld is killed after the FIRST-th write of such a file since it
# began, the next time after the one behind it, up to five behind; until all jobs are over, or
# forty times.
crash_run() {
	crash_end=$(($(date +%s) + 900))
	crash_n=$2
	: >killed
	cluster stop-ctld >>boots 2>&1
	while [ "$(date +%s)" -lt "$crash_end" ] && [ "$(wc -l <killed)" -lt 40 ]; do
		echo "$crash_n $1" >"$CLUSTER_DIR/crash"
		rm -f "$CLUSTER_DIR/run/slurmctld.pid"
		cluster start-ctld --timeout 3 >>boots 2>&1
		# (Slurm ends what overruns its limit only once it has been up for half a minute)
		until dead || over || [ "$(date +%s)" -ge "$crash_end" ]; do
			sleep 0.5
		done
		dead || break
		echo "$1 $crash_n" >>killed
		crash_n=$(($2 + (crash_n - $2 + 1) % 5))
	done
	rm -f "$CLUSTER_DIR/crash"
	dead || cluster stop-ctld >>boots 2>&1
	cluster start-ctld >>boots 2>&1
}
# (killed, or there is no pid yet)
dead() {
	read -r dead_pid <"$CLUSTER_DIR/run/slurmctld.pid" 2>/dev/null && ! kill -0 "$dead_pid" 2>/dev/null
}
# (as by hand: jobs are released that slurmd failed to launch while slurmctld was away, and
# nodes resumed that Slurm drains when it starts a job again whose start a crash forgot; not
# before the forgotten run is over: no job takes longer than 15 seconds)
over() {
	over_left=$(squeue -h -o "%A %r" 2>/dev/null) || return 1
	for over_id in $(echo "$over_left" | sed -n 's/ launch failed requeued held$//p'); do
		scontrol release "$over_id"
	done
	mkdir -p drained
	for over_node in $(sinfo -h -N -t down,drained -o %N | sort -u); do
		[ -e "drained/$over_node" ] || touch "drained/$over_node"
		[ -z "$(find "drained/$over_node" ! -newermt "-20 seconds")" ] || {
			scontrol update nodename="$over_node" state=resume
			rm "drained/$over_node"
		}
	done
	[ -z "$over_left" ]
}

# twice: nodes with two jobs at once, by what the jobs themselves wrote: those that ran to
# their end.
twice() {
	awk '
	$1 == "end" { print $3, $4, $5, $2 }
	' ran | sort -k1,1 -k2,2n | awk '
	$1 == node && $2 < end - 0.05 { print node, "has jobs", job, "and", $4 }
	{ if ($1 != node || $3 > end) { end = $3; job = $4 } node = $1 }'
}

# crash_slurmd FIRST SECONDS: the slurmd of node00 ends at its FIRST-th step from now, that of
# node01 at the next, and so on (a start has some 30 steps, an end 13); all that did are
# started again every so many seconds, until all jobs are over.
crash_slurmd() {
	crash_end=$(($(date +%s) + 300))
	crash_at=$1
	for crash_node in $(scontrol show hostnames 'node[00-15]'); do
		# shellcheck disable=SC2059
		printf "\\$(printf %o "$crash_at")\0\0\0" |
			dd of="$CLUSTER_DIR/crash-$crash_node" conv=notrunc 2>/dev/null
		crash_at=$((crash_at + 1))
	done
	let_go
	until over || [ "$(date +%s)" -ge "$crash_end" ]; do
		sleep "$2"
		for crash_node in $(dead_nodes); do
			echo "$crash_node" >>killed
			cluster start-node "$crash_node" >>boots 2>&1
		done
	done
}
dead_nodes() {
	for dead_node in $(scontrol show hostnames 'node[00-15]'); do
		read -r dead_pid <"$CLUSTER_DIR/run/slurmd-$dead_node.pid" 2>/dev/null &&
			kill -0 "$dead_pid" 2>/dev/null || echo "$dead_node"
	done
}

# crash_cluster: with crash-at.c in its daemons
crash_cluster() {
	: >ran
	rm -f journal.csv
	sched_yaml '4, 4' conservative "journal: $PWD/journal.csv" >torus.yaml
	cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml
	cc -shared -fPIC -O1 -o "$CLUSTER_DIR/bin/new.so" "$top_srcdir/contribs/lib/loopback.c" \
		"$top_srcdir/testsuite/cluster/crash-at.c" -ldl &&
		mv "$CLUSTER_DIR/bin/new.so" "$CLUSTER_DIR/bin/loopback.so"
}

# expect_all_well WORD: what holds once all jobs are over
expect_all_well() {
	test_expect_success "$1: no node had two jobs" '
		twice >twice.out && test_must_be_empty twice.out &&
		! grep -E "has its nodes to itself|do not form the shape|get new promises" "$CLUSTER_DIR/log/slurmctld.log"
	'

	test_expect_success "$1: the journal replays" '
		"$storus" parity --torus torus.yaml journal.csv >parity 2>&1
		rc=$?; tail -n 20 parity; [ $rc = 0 ]
	'

	cluster stop --now >/dev/null 2>&1
	rm -rf "$CLUSTER_DIR"
}

for what in journal:2 state:3; do

crash_cluster

test_expect_success "60 jobs wait, and Slurm has saved them" '
	hold_queue && crash_load | crash_submit >ids && [ "$(grep -c "^[0-9]*$" ids)" -eq 60 ] && sleep 7 && let_go
'

test_expect_success "killed after each write of ${what%:*}: every job runs to its end" '
	case $what in
	journal*) crash_run journal.csv 2 ;;
	state*) crash_run /state/ 3 ;;
	esac
	{ wait_for 300 over || { squeue; false; }; } &&
	echo "$(wc -l <killed) kills" && [ "$(wc -l <killed)" -ge 20 ] &&
	cut -d " " -f 2 ran | sort -un >ended && sort -n ids >all && test_cmp all ended
'

expect_all_well "${what%:*}"

done

crash_cluster
for node in $(scontrol show hostnames 'node[00-15]'); do
	printf '\0\0\0\0' >"$CLUSTER_DIR/crash-$node"
done
: >killed

test_expect_success "every slurmd can be killed after a step" '
	cluster stop-node $(scontrol show hostnames "node[00-15]") &&
	cluster start-node $(scontrol show hostnames "node[00-15]") && cluster wait
'

# (A job of one node on each, then shapes. Slurm may not notice that slurmd has accepted a job
# without beginning it, mostly if slurmd is back within BatchStartTimeout, ten seconds: it
# then ends the job at its limit.)
for round in 1:2 17:2 33:2 1:20 17:20; do
	first=${round%:*} pause=${round#*:}
	test_expect_success "slurmd away for $pause s after step $first to $((first + 15)): no job is lost" '
		hold_queue &&
		{
			for node in $(scontrol show hostnames "node[00-15]"); do
				echo "3 --geometry=1x1 -w $node -t 1"
			done
			crash_load | head -n 8
		} | crash_submit >ids && [ "$(grep -c "^[0-9]*$" ids)" -eq 24 ] &&
		crash_slurmd $first $pause &&
		{ wait_for 100 over || { squeue; sinfo -N; false; }; } &&
		sed -n "s/.*Time limit exhausted for JobId=//p" "$CLUSTER_DIR/log/slurmctld.log" >late &&
		echo "$(wc -l <late) ended at their limits" &&
		[ "$(wc -l <late)" -le "$(wc -l <killed)" ] && cut -d " " -f 2 ran | sort - late >ended &&
		sort ids | comm -23 - ended >lost && test_must_be_empty lost
	'
done

test_expect_success "slurmd: most steps were met" '
	echo "$(wc -l <killed) kills" && [ "$(wc -l <killed)" -ge 60 ]
'

expect_all_well slurmd

test_done
