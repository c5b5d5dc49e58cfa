#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench-large.sh - sched/torus in a live slurmctld with thousands of node records,
# beside stock Slurm: sched/backfill with select/linear, and no plugin of ours.
#
# usage: bench-large.sh [PART...]             (from the build tree; initially all)
#
#   queue   10,000 pending shaped jobs: the longest cycle, the longest lock hold
#           and the most work in one, the latency of sbatch meanwhile, the RSS of
#           slurmctld
#   start   5,000 running shaped jobs: how long slurmctld takes to start
#   worst   3,000 pending jobs of one user, each of 8 alternatives of as many axes
#           as the machine has, no two alike: lock holds, work, submissions
#
# MACHINES in the environment names the machines (initially 16x16x16 32x32x32; of
# worst 4^8 and 64x32x32 in full), JOBS, RUNNING and REQUESTS change the sizes,
# DISCIPLINES the disciplines of sched/torus, ROUNDS and SPAN how often and for how
# many seconds sbatch is timed. QUEUE names a directory where filled queues are
# kept for the next time.
#
# All nodes are in state CLOUD, powered down, and nothing powers them up: a job
# that has started waits for its nodes (CF) until it is cancelled, so that no slurmd
# is needed. The queue is filled once per machine, behind a closed door; every
# scheduler then starts from a copy of that state, stock Slurm too, for which a
# shape is its number of nodes.
#
# Each figure is a line that begins with "ok" or "NOT" and ends with what is
# allowed; with a NOT the exit status is 1. Times by the clock count waits for a
# core as well: look at `vmstat 1` first.

set -eu
jobs=${JOBS:-10000}
running=${RUNNING:-5000}
requests=${REQUESTS:-3000}
rounds=${ROUNDS:-1}
span=${SPAN:-6}
disciplines=${DISCIPLINES:-easy}
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
export SLURM_TORUS_PLUGIN_DIR=${SLURM_TORUS_PLUGIN_DIR:-$top_builddir/plugins/.libs}
dir=$(mktemp -d "${TMPDIR:-/tmp}/bench-large.XXXXXX")
# shellcheck source=testsuite/bench/lib-live.sh
. "$top_srcdir/testsuite/bench/lib-live.sh"
trap 'cluster stop >/dev/null 2>&1 || :; rm -rf "$dir"' EXIT

# cloud MACHINE: a cluster whose partition has that many nodes and is closed;
# slurmctld is not running
cloud() {
	nodes=$(($(echo "$1" | tr x '*')))
	dims=${1//x/, }
	last=$(printf '%05d' $((nodes - 1)))
	printf 'toruses: [{name: pod0, dims: [1], nodes: node00}]\n' >"$dir/one.yaml"
	cluster start --nodes 1 --port-base auto --sched backfill --select torus \
		--torus "$dir/one.yaml" --timeout 180 \
		--set MaxJobCount=$((jobs + running + requests + 5000)) --set SchedulerParameters=defer \
		--set ResumeProgram=/bin/true --set SuspendProgram=/bin/true --set ResumeRate=0 \
		--set SuspendTime=1000000 --set ResumeTimeout=60000 \
		--set BatchStartTimeout=60000 --set TreeWidth=65533 >/dev/null
	export SLURM_CONF=$dir/c/slurm.conf
	cluster stop-ctld
	sed -i -e "s/^PartitionName=.*/NodeName=n[00000-$last] CPUs=1 State=CLOUD\nPartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=DOWN/" \
		"$SLURM_CONF"
	rm -f "$dir/c/state/torus_"*
}

# with SCHEDULER: what slurm.conf and torus.yaml say; one of sched/torus by its
# discipline, or `stock`
with() {
	local type=torus parameters=sched_interval=-1,defer select=torus submit=torus
	local stack="required $SLURM_TORUS_PLUGIN_DIR/spank_torus.so"
	probe=--geometry=2x2x2
	if [ "$1" = stock ]; then
		type=backfill select=linear submit='' stack='' probe=-N8
		parameters="bf_interval=1,bf_max_job_test=$jobs,bf_continue,sched_interval=2,default_queue_depth=$jobs"
	fi
	sed -i -e "/^SchedulerType=/s|=.*|=sched/$type|" -e "/^SchedulerParameters=/s|=.*|=$parameters|" \
		-e "/^SelectType=/s|=.*|=select/$select|" -e '/^JobSubmitPlugins=/d' "$SLURM_CONF"
	[ -z "$submit" ] || sed -i "1iJobSubmitPlugins=$submit" "$SLURM_CONF"
	echo "$stack" >"$dir/c/plugstack.conf"
	printf 'toruses:\n- {name: pod0, dims: [%s], nodes: "n[00000-%s]"}\n- {name: one, flat: 1, nodes: node00}\nscheduler: {discipline: %s}\n' \
		"$dims" "$last" "${1/stock/easy}" >"$dir/c/torus.yaml"
}

# controller: starts it, and waits until it knows all nodes
controller() {
	cluster start-ctld >/dev/null 2>&1 || :
	scontrol ping | grep -q ' is UP' || {
		tail -n 20 "$dir/c/log/slurmctld.log"
		exit 1
	}
}

# again SCHEDULER: slurmctld with the kept state
again() {
	cluster stop-ctld >/dev/null 2>&1 || :
	rm -rf "$dir/c/state"
	cp -r "$dir/kept" "$dir/c/state"
	with "$1"
	: >"$dir/c/log/slurmctld.log"
	controller
}

# fill NAME FUNCTION: the kept state is a queue of what FUNCTION prints
fill() {
	kept "$1" && return
	with easy
	controller
	"$2" | submit_all
	[ "${3-}" != run ] || start_all
	sleep 6 # Slurm saves a job within 5 s
	keep
	lend "$1"
}

rss() {
	awk '$1 == "VmRSS:" { printf "%.1f\n", $2 / 1024 }' "/proc/$(cat "$dir/c/run/slurmctld.pid")/status"
}

# shapes of up to half of each dimension, and the minutes that they are limited to
queue() {
	seq "$jobs" | awk -v machine="$machine" '
	function upto(n) { return 1 + int(rand() * n) }
	BEGIN { srand(1); axes = split(machine, dim, "x") }
	{
		shape = ""
		for (a = 1; a <= axes; a++) {
			extent = 2 ^ int(rand() * log(dim[a]) / log(2))
			shape = shape (a > 1 ? "x" : "") extent
		}
		print upto(100), "--geometry=" shape
	}'
}

time_queue() {
	again "$1"
	time_sbatch "${1/stock/backfill}"
	rss=$(rss)
	echo "$1, $machine: RSS of slurmctld $rss MB"
	if [ "$1" = stock ]; then
		rss_stock=$rss
		backfill_numbers
	else
		cycle_figures "$1"
		echo "$rss" >"$dir/rss.$1"
	fi
}

part_queue() {
	for machine in ${MACHINES:-16x16x16 32x32x32}; do
		echo "== $machine, $jobs pending jobs"
		cloud "$machine"
		fill "large-$machine-$jobs" queue
		for _ in $(seq "$rounds"); do
			for d in $disciplines stock; do
				time_queue "$d"
			done
		done
		for d in $disciplines; do
			r=$(ratio "$(cat "$dir/rss.$d")" "$rss_stock")
			figure "$r" 1.3 "$d, $machine: RSS $r times stock Slurm's"
		done
		latency_figures "$disciplines" backfill
		rm -f "$dir"/open.* "$dir"/closed.*
		finish
	done
}

# small shapes, which fit all at once
small() {
	seq "$running" | awk 'BEGIN { srand(4); n = split("1x1x1 2x1x1 2x2x1 2x1x1 2x2x2", s, " ") }
		{ print 100, "--geometry=" s[1 + int(rand() * n)] }'
}

start_all() {
	scontrol update partition=main state=up
	for _ in $(seq 600); do
		[ "$(pending)" -gt 0 ] || break
		sleep 1
	done
	echo "$(squeue -h -t R,CF | wc -l) run, $(pending) wait"
}

# seconds_between BEGIN END: of the lines of slurmctld's log with these words
seconds_between() {
	awk -v from="$1" -v to="$2" '
	{ split(substr($1, 2), t, /[T:\]]/); s = t[2] * 3600 + t[3] * 60 + t[4] }
	index($0, from) && !begun { a = s; begun = 1 }
	begun && index($0, to) { printf "%.2f\n", s - a + (s < a ? 86400 : 0); exit }' \
		"$dir/c/log/slurmctld.log"
}

part_start() {
	machine=32x32x32
	cloud "$machine"
	fill "start-$machine-$running" small run
	for d in $disciplines stock; do
		again "$d"
		took=$(seconds_between "started on cluster" "Running as primary controller")
		cpu=$(awk '{ printf "%.2f\n", ($14 + $15) / 100 }' "/proc/$(cat "$dir/c/run/slurmctld.pid")/stat")
		echo "$d, $machine: $(squeue -h -t R,CF | wc -l) running jobs; state read in $took s, $cpu s of CPU time until it answers"
		[ "$d" = stock ] || echo "$took" >"$dir/took.$d"
	done
	for d in $disciplines; do
		r=$(ratio "$(cat "$dir/took.$d")" "$took")
		figure "$r" 1.3 "$d, $machine: slurmctld with $running running jobs started in $(cat "$dir/took.$d") s, $r times stock Slurm's $took s"
	done
	finish
}

# ladders MACHINE: eight shapes a job, each of one to all nodes in each dimension
ladders() {
	seq "$requests" | awk -v machine="$machine" '
	BEGIN { srand(5); axes = split(machine, dim, "x") }
	{
		line = ""
		for (k = 0; k < 8; k++)
			for (a = 1; a <= axes; a++)
				line = line (a > 1 ? "x" : k ? "," : "") 1 + int(rand() * dim[a]) (a == axes && k ? "@" k "s" : "")
		print 100, "--geometry=" line
	}'
}

part_worst() {
	for machine in ${MACHINES:-4x4x4x4x4x4x4x4 64x32x32}; do
		echo "== $machine, $requests jobs of 8 alternatives"
		cloud "$machine"
		fill "worst-$machine-$requests" ladders
		for d in $disciplines; do
			again "$d"
			probe=$(ladders | tail -n 1 | cut -d ' ' -f 2)
			time_sbatch "$d"
			cycle_figures "$d"
		done
		latency_figures "$disciplines" ""
		rm -f "$dir"/open.* "$dir"/closed.*
		finish
	done
}

for part in "${@:-queue}" $([ $# -gt 0 ] || echo start worst); do
	"part_$part"
done
exit $status
