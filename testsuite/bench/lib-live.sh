# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib-live.sh - what the benchmarks of a live slurmctld share: submissions,
# latencies of sbatch, what schedulers say of their cycles, and lines of figures.
#
# Needs `dir`, a directory whose c/ becomes a private cluster, and top_srcdir.
# shellcheck disable=SC2154,SC2034,SC2016  # of and for the sourcing script; words for sh

# Of all figures: 1 when one is NOT as it should be.
status=0

cluster() {
	"$top_srcdir/contribs/private-cluster" "$@" --dir "$dir/c"
}

# latency SECONDS OPTION FILE: sbatch again and again; the file gets the
# milliseconds that each took
latency() {
	over=$(($(date +%s%N) + $1 * 1000000000))
	a=0
	while [ "$a" -lt $over ]; do
		a=$(date +%s%N)
		timeout 20 sbatch --parsable -o /dev/null -t 1 "$2" --wrap true >/dev/null || break
		awk -v ns=$(($(date +%s%N) - a)) 'BEGIN { print ns / 1e6 }' >>"$3"
	done
}

# mean, median, longest of a file's numbers
numbers() {
	sort -n "$1" | awk '{ a[NR] = $1; s += $1 }
		END { printf "%.2f %.2f %.1f %d\n", s / NR, (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2, a[NR], NR }'
}

# figure VALUE MOST WORDS...: a line with its verdict
figure() {
	if awk -v x="$1" -v most="$2" 'BEGIN { exit !(x <= most) }'; then
		echo "ok   ${*:3} (at most $2)"
	else
		echo "NOT  ${*:3} (at most $2)"
		status=1
	fi
}

# ratio A B
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f\n", b ? a / b : 999 }'
}

# plan NAME: that line of what sched/torus wrote of its cycles, as milliseconds
plan() {
	awk -v name="$1" '$1 == name { printf "%.1f\n", $2 / 1000 }' "$dir/c/state/torus_plan"
}

# submit_all: a job for each line (minutes, options)
submit_all() {
	xargs -P 4 -L 1 sh -c 'sbatch --parsable -o /dev/null -t "$0" "$@" --wrap "sleep 3600" >/dev/null'
}

pending() {
	squeue -h -t PD | wc -l
}

# cycles SCHEDULER: how many there were
cycles() {
	if [ "$1" = backfill ]; then
		sdiag | sed -n '/Backfilling stats/,$s/.*Total cycles: //p'
	else
		awk '$1 == "cycles" { print $2 }' "$dir/c/state/torus_plan"
	fi
}

backfill_numbers() {
	sdiag | sed -n '/Backfilling stats/,/Latency for/p' |
		grep -E "Total cycles|Max cycle:|Mean cycle:|Depth Mean:|Total backfilled jobs \(since last slurm start"
}

# keep: what `again` starts from
keep() {
	cluster stop-ctld
	cp -r "$dir/c/state" "$dir/kept"
}

# kept NAME: is it there from another time?
kept() {
	[ -n "${QUEUE:-}" ] && [ -d "$QUEUE/$1" ] && cp -r "$QUEUE/$1" "$dir/kept"
}

# lend NAME: to another time
lend() {
	[ -z "${QUEUE:-}" ] || { mkdir -p "$QUEUE" && cp -r "$dir/kept" "$QUEUE/$1"; }
}

finish() {
	cluster stop >/dev/null 2>&1 || :
	rm -rf "$dir/c" "$dir/kept"
}

# time_sbatch NAME: sbatch is timed behind the closed door, then from the first
# cycle of that scheduler on
time_sbatch() {
	latency 3 "$probe" "$dir/closed.$1"
	first=$(cycles "$1")
	scontrol update partition=main state=up
	for _ in $(seq 100); do
		[ "$(cycles "$1")" -le $((first + 1)) ] || break
		sleep 0.1
	done
	first=$(cycles "$1")
	latency "$span" "$probe" "$dir/open.$1"
	echo "$1: $(($(cycles "$1") - first)) cycles in the $span s while sbatch was timed, $(squeue -h -t R,CG,CF | wc -l) started, $(pending) pending"
}

# cycle_figures NAME: of sched/torus since slurmctld's start, from the head of its
# plan file (`storus reservations` asks sinfo for each node, which takes minutes
# for 32,768 of them)
cycle_figures() {
	sed '/^job /Q' "$dir/c/state/torus_plan" | paste -sd ' ' - | fold -sw 110
	figure "$(plan cycle_max_us)" 1000 "$1: the longest cycle took $(plan cycle_max_us) ms"
	figure "$(plan lock_hold_max_us)" 50 "$1: the longest lock hold took $(plan lock_hold_max_us) ms, of which $(plan lock_hold_max_core_us) ms waiting for a core"
	figure "$(plan lock_hold_work_max_us)" 10 "$1: the most work in a lock hold was $(plan lock_hold_work_max_us) ms of CPU time"
}

# latency_figures OURS THEIRS: sbatch beside each of OURS and beside THEIRS
latency_figures() {
	local d when mean median longest n mean0 median0
	for d in $1 $2; do
		for when in closed open; do
			read -r mean median longest n <<<"$(numbers "$dir/$when.$d")"
			echo "$d, door $when: $n sbatch, mean $mean ms, median $median ms, longest $longest ms"
		done
	done
	[ -n "$2" ] || return 0
	read -r mean0 median0 longest n <<<"$(numbers "$dir/open.$2")"
	for d in $1; do
		read -r mean median longest n <<<"$(numbers "$dir/open.$d")"
		figure "$(ratio "$mean" "$mean0")" 1.05 "$d: sbatch took $(ratio "$mean" "$mean0") times as long as beside $2 in the mean"
		figure "$(ratio "$median" "$median0")" 1.05 "$d: sbatch took $(ratio "$median" "$median0") times as long as beside $2 in the median"
	done
}
