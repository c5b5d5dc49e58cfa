#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench-sched.sh - sched/torus under a long queue: 10,000 pending shaped jobs on
# 512 node records, and the latency of sbatch meanwhile, beside sched/backfill
# with select/torus on the same queue.
#
# usage: bench-sched.sh [JOBS [NODES]]      (from the build tree)
#
# The nodes are records of slurmctld, all answered for by one slurmd: jobs start
# there, which is what is measured, but would not end. JOBS shaped jobs are
# queued while the partition is down; then it comes up, and the cycles begin.
# Printed: the longest cycle with what it spent inside Slurm, the longest
# stretch of locks, and the latency of 50 sbatch commands before and meanwhile.

set -eu
jobs=${1:-10000}
nodes=${2:-512}
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
export SLURM_TORUS_PLUGIN_DIR=${SLURM_TORUS_PLUGIN_DIR:-$top_builddir/plugins/.libs}
dir=$(mktemp -d "${TMPDIR:-/tmp}/bench-sched.XXXXXX")
cluster() {
	"$top_srcdir/contribs/private-cluster" "$@" --dir "$dir/c"
}
trap 'cluster stop >/dev/null 2>&1 || :; rm -rf "$dir"' EXIT

# start SCHED PARAMETERS: a cluster of one slurmd, then restarted with all nodes
start() {
	cluster start --nodes 1 --port-base auto --sched "$1" --select torus \
		--torus "$dir/one.yaml" --set MaxJobCount=$((jobs + 2000)) \
		--set TreeWidth=65533 --set "SchedulerParameters=$2" >/dev/null
	export SLURM_CONF=$dir/c/slurm.conf
	cluster stop-ctld
	sed -i "s/^NodeName=node\[00-00\]/NodeName=node00,node[1000-$((1000 + nodes - 1))]/" "$SLURM_CONF"
	cp "$dir/all.yaml" "$dir/c/torus.yaml"
	cluster start-ctld >/dev/null 2>&1 || :
	scontrol ping | grep -q ' is UP' || {
		tail -n 20 "$dir/c/log/slurmctld.log"
		exit 1
	}
	for _ in $(seq 60); do
		[ "$(sinfo -h -t idle -o %D | paste -sd+ | bc)" -lt "$nodes" ] || break
		sleep 1
	done
}

# latency N: seconds per sbatch, mean of N and the longest
latency() {
	for _ in $(seq "$1"); do
		a=$(date +%s%N)
		timeout 20 sbatch --parsable -o /dev/null -t 1 --geometry=2x2x2 --wrap true >/dev/null || break
		echo $(($(date +%s%N) - a))
	done | awk '{ s += $1; if ($1 > m) m = $1 } END { printf "mean %.1f ms, longest %.1f ms\n", s / NR / 1e6, m / 1e6 }'
}

# fill: the queue, behind a closed door
fill() {
	scontrol update partition=main state=down
	seq "$jobs" | awk 'BEGIN { srand(1); n = split("2x2x2 4x2x2 4x4x2 4x4x4 8x4x4 2x2x1 1x1x1 8x8x4", s, " ") }
		{ print s[1 + int(rand() * n)], 1 + int(rand() * 100) }' |
		xargs -P 4 -L 1 sh -c 'sbatch --parsable -o /dev/null --geometry=$0 -t $1 --wrap "sleep 3600" >/dev/null'
}

printf 'toruses: [{name: pod0, dims: [1], nodes: node00}]\n' >"$dir/one.yaml"
printf 'toruses:\n- {name: pod0, dims: [8, 8, %d], nodes: "node[1000-%d]"}\n- {name: one, flat: 1, nodes: node00}\nscheduler: {discipline: %s}\n' \
	$((nodes / 64)) $((1000 + nodes - 1)) "${DISCIPLINE:-easy}" >"$dir/all.yaml"

for sched in torus backfill; do
	parameters=sched_interval=-1,defer
	[ $sched = torus ] || parameters=bf_interval=1,bf_max_job_test=$jobs,bf_continue,sched_interval=2
	start $sched "$parameters"
	echo "sched/$sched: $(squeue -h | wc -l) jobs queued, sbatch $(latency 20)"
	fill
	echo "sched/$sched: $(squeue -h | wc -l) jobs queued, door closed: sbatch $(latency 20)"
	scontrol update partition=main state=up
	echo "sched/$sched: planning: sbatch $(latency 50)"
	sleep 10
	echo "sched/$sched: $(squeue -h -t R,CG,CF | wc -l) started"
	if [ $sched = torus ]; then
		"$top_builddir/storus" reservations -v | head -n 5
	else
		sdiag | grep -A 30 "Backfilling stats" | grep -E "Last cycle:|Max cycle:|Last depth cycle|depth Mean"
	fi
	cluster stop >/dev/null 2>&1 || :
	rm -rf "$dir/c"
done
