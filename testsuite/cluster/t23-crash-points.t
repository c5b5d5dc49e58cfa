#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is killed after each line of its journal in turn, and after each write of one
# of its state files and of ours, while 60 jobs run: none is lost, no node has two jobs,
# and the journal over all crashes replays. With TORUS_TEST_LONG=1 only: some eight minutes
# for each of the two.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='slurmctld is killed between any two steps'
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

for what in journal:2 state:3; do

: >ran
rm -f journal.csv
sched_yaml '4, 4' conservative "journal: $PWD/journal.csv" >torus.yaml
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml
cc -shared -fPIC -O1 -o "$CLUSTER_DIR/bin/new.so" "$top_srcdir/contribs/lib/loopback.c" \
	"$top_srcdir/testsuite/cluster/crash-at.c" -ldl &&
	mv "$CLUSTER_DIR/bin/new.so" "$CLUSTER_DIR/bin/loopback.so"

test_expect_success "60 jobs wait, and Slurm has saved them" '
	hold_queue &&
	crash_load | while read -r seconds options; do
		JOB_SCRIPT="b=\$(date +%s.%N); sleep $seconds; e=\$(date +%s.%N)
			for n in \$(scontrol show hostnames \$SLURM_JOB_NODELIST); do
				echo end \$SLURM_JOB_ID \$n \$b \$e; done >>\"$PWD/ran\"" \
			submit $options </dev/null || echo lost
	done >ids && [ "$(grep -c "^[0-9]*$" ids)" -eq 60 ] && sleep 7 && let_go
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

test_expect_success "${what%:*}: no node had two jobs" '
	twice >twice.out && test_must_be_empty twice.out &&
	! grep -E "has its nodes to itself|do not form the shape|get new promises" "$CLUSTER_DIR/log/slurmctld.log"
'

test_expect_success "${what%:*}: the journal over all crashes replays" '
	"$storus" parity --torus torus.yaml journal.csv >parity 2>&1
	rc=$?; tail -n 20 parity; [ $rc = 0 ]
'

cluster stop --now >/dev/null 2>&1
rm -rf "$CLUSTER_DIR"

done

test_done
