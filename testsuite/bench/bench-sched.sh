#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench-sched.sh - sched/torus in a live slurmctld, beside sched/backfill.
#
# usage: bench-sched.sh [PART...]      (from the build tree; initially all)
#
#   long    10,000 pending shaped jobs on 512 node records: the longest cycle
#           with what it spent inside Slurm, the longest stretch of locks, the
#           latency of sbatch meanwhile; sched/backfill with select/torus on the
#           same queue
#   counts  2,000 jobs that ask for a number of nodes, of which none can start,
#           and one more each second: what the scheduler's thread takes (from
#           the kernel's accounts) per job and interval; sched/backfill with
#           select/linear on the same queue
#   idle    300 short jobs on 64 slurmd: the longest time for which a place was
#           free that a waiting job could have used, by the jobs' own clocks
#
# JOBS, COUNTS, NODES, SHORT, DISCIPLINES in the environment change the sizes.
#
# The nodes of the first two are records of slurmctld, all answered for by one
# slurmd: jobs start there, which is what is measured, but would not end. The
# queue is filled once per select plugin, behind a closed door; every scheduler
# then starts from a copy of that state.

set -eu
jobs=${JOBS:-10000}
counts=${COUNTS:-2000}
nodes=${NODES:-512}
short=${SHORT:-300}
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
export SLURM_TORUS_PLUGIN_DIR=${SLURM_TORUS_PLUGIN_DIR:-$top_builddir/plugins/.libs}
dir=$(mktemp -d "${TMPDIR:-/tmp}/bench-sched.XXXXXX")
ours=sched_interval=-1,defer
cluster() {
	"$top_srcdir/contribs/private-cluster" "$@" --dir "$dir/c"
}
trap 'cluster stop >/dev/null 2>&1 || :; rm -rf "$dir"' EXIT

# torus_yaml DISCIPLINE
torus_yaml() {
	printf 'toruses:\n- {name: pod0, dims: [8, 8, %d], nodes: "node[1000-%d]"}\n- {name: one, flat: 1, nodes: node00}\nscheduler: {discipline: %s}\n' \
		$((nodes / 64)) $((1000 + nodes - 1)) "$1"
}

# records SELECT: a cluster of one slurmd, then all nodes; the door is closed
records() {
	printf 'toruses: [{name: pod0, dims: [1], nodes: node00}]\n' >"$dir/one.yaml"
	cluster start --nodes 1 --port-base auto --sched backfill --select "$1" \
		--torus "$dir/one.yaml" --set MaxJobCount=$((jobs + counts + 2000)) \
		--set TreeWidth=65533 --set "SchedulerParameters=defer" >/dev/null
	export SLURM_CONF=$dir/c/slurm.conf
	cluster stop-ctld
	sed -i -e "s/^NodeName=node\[00-00\]/NodeName=node00,node[1000-$((1000 + nodes - 1))]/" \
		-e '/^PartitionName=/s/State=UP/State=DOWN/' "$SLURM_CONF"
	torus_yaml easy >"$dir/c/torus.yaml"
	controller
}

controller() {
	cluster start-ctld >/dev/null 2>&1 || :
	scontrol ping | grep -q ' is UP' || {
		tail -n 20 "$dir/c/log/slurmctld.log"
		exit 1
	}
	for _ in $(seq 60); do
		[ "$(sinfo -h -t idle -o %D | awk '{ n += $1 } END { print n + 0 }')" -lt "$nodes" ] || break
		sleep 1
	done
}

# keep: what `again` starts from
keep() {
	cluster stop-ctld
	cp -r "$dir/c/state" "$dir/kept"
}

# again SCHED PARAMETERS [DISCIPLINE]
again() {
	cluster stop-ctld >/dev/null 2>&1 || :
	rm -rf "$dir/c/state"
	cp -r "$dir/kept" "$dir/c/state"
	sed -i -e "s|^SchedulerType=.*|SchedulerType=sched/$1|" \
		-e "s|^SchedulerParameters=.*|SchedulerParameters=$2|" "$SLURM_CONF"
	torus_yaml "${3:-easy}" >"$dir/c/torus.yaml"
	controller
}

finish() {
	cluster stop >/dev/null 2>&1 || :
	rm -rf "$dir/c" "$dir/kept"
}

# latency N OPTION: seconds per sbatch, mean of N and the longest
latency() {
	for _ in $(seq "$1"); do
		a=$(date +%s%N)
		timeout 20 sbatch --parsable -o /dev/null -t 1 "$2" --wrap true >/dev/null || break
		echo $(($(date +%s%N) - a))
	done | sort -n | awk '{ a[NR] = $1 / 1e6; s += a[NR] }
		END { printf "mean %.1f ms, median %.1f ms, longest %.1f ms\n", s / NR, a[int((NR + 1) / 2)], a[NR] }'
}

# submit_all: a job for each line (option of size, minutes)
submit_all() {
	xargs -P 4 -L 1 sh -c 'sbatch --parsable -o /dev/null "$0" -t $1 --wrap "sleep 3600" >/dev/null'
}

pending() {
	squeue -h -t PD | wc -l
}


backfill_numbers() {
	sdiag | sed -n '/Backfilling stats/,/Latency for/p' |
		grep -E "Total cycles|Max cycle:|Mean cycle:|Depth Mean:|Total backfilled jobs \(since last slurm start"
}

part_long() {
	records torus
	seq "$jobs" | awk 'BEGIN { srand(1); n = split("2x2x2 4x2x2 4x4x2 4x4x4 8x4x4 2x2x1 1x1x1 8x8x4", s, " ") }
		{ print "--geometry=" s[1 + int(rand() * n)], 1 + int(rand() * 100) }' | submit_all
	keep
	for d in ${DISCIPLINES:-easy fpfs} backfill; do
		if [ $d = backfill ]; then
			again backfill "bf_interval=1,bf_max_job_test=$jobs,bf_continue,sched_interval=2"
		else
			again torus $ours $d
		fi
		echo "$d: $(pending) pending, door closed: sbatch $(latency 50 --geometry=2x2x2)"
		scontrol update partition=main state=up
		echo "$d: planning: sbatch $(latency 100 --geometry=2x2x2)"
		sleep 5
		echo "$d: $(squeue -h -t R,CG,CF | wc -l) started, $(pending) pending"
		if [ $d = backfill ]; then
			backfill_numbers
		else
			"$top_builddir/storus" reservations -v | sed '/^$/q'
		fi
		a=$(date +%s%N)
		cluster stop-ctld
		echo "$d: slurmctld stopped in $((($(date +%s%N) - a) / 1000000)) ms"
	done
	finish
}

# threads: id, name, nanoseconds of CPU of slurmctld's threads
threads() {
	for t in /proc/"$(cat "$dir"/c/run/slurmctld.pid)"/task/*; do
		echo "${t##*/} $(tr ' ' _ <"$t/comm") $(cut -d ' ' -f 1 "$t/schedstat")"
	done 2>/dev/null
}

part_counts() {
	for select in torus linear; do
		records $select
		scontrol update nodename=node00 state=drain reason=bench
		{
			echo "-N$nodes 100"
			seq $((counts - 1)) | awk -v n=$((nodes - 1)) 'BEGIN { srand(2) } { print "-N" 1 + int(rand() * n), 1 + int(rand() * 100) }'
		} | submit_all
		keep
		if [ $select = torus ]; then schedulers=${DISCIPLINES:-easy conservative}; else schedulers=backfill; fi
		for d in $schedulers; do
			if [ $d = backfill ]; then
				again backfill "bf_interval=1,bf_max_job_test=$((counts + 100)),bf_continue,sched_interval=3600,defer"
			else
				again torus $ours $d
			fi
			scontrol update partition=main state=up
			sleep 10
			sdiag -r >/dev/null 2>&1 || :
			queue=$(pending)
			threads >"$dir/before"
			for _ in $(seq 20); do
				sbatch --parsable -o /dev/null -t 100 -N "$nodes" --wrap true >/dev/null
				sleep 1
			done
			threads >"$dir/after"
			echo "$d, select/$select: $(squeue -h -t R,CG,CF | wc -l) started, $queue pending; busiest threads in 20 intervals:"
			awk -v q="$queue" 'NR == FNR { t[$1] = $3; next } $1 in t && $3 > t[$1] {
				printf "%.1f ms %s: %.2f us per job and interval\n", ($3 - t[$1]) / 1e6, $2, ($3 - t[$1]) / 1e3 / 20 / q }' \
				"$dir/before" "$dir/after" | sort -rn | head -n 3
			if [ $d = backfill ]; then
				backfill_numbers
			else
				"$top_builddir/storus" reservations -v | sed '/^$/q'
			fi
		done
		finish
	done
}

# Places of the 4x4x4 torus and who had their nodes when. Lines: `job ID TOLD
# START AxBxC` (as asked), `ran ID START END REGION`, in seconds.
find_idle() {
	awk '
	function each(j, a, b, c,    x, y, z, u, v, w, n, k, t, from, list) {
		if (turned[j, a, b, c]++) return
		for (x = 0; x < (a < 4 ? 4 : 1); x++)
		for (y = 0; y < (b < 4 ? 4 : 1); y++)
		for (z = 0; z < (c < 4 ? 4 : 1); z++) {
			list = ""
			for (u = 0; u < a; u++) for (v = 0; v < b; v++) for (w = 0; w < c; w++)
				list = list " " ((x + u) % 4 * 16 + (y + v) % 4 * 4 + (z + w) % 4)
			look(j, list)
		}
	}
	# the longest stretch in [told, start) in which nobody has the nodes
	function look(j, list,    n, m, i, k, node, s, e, at, from, to, q) {
		n = split(list, node, " "); m = 0
		for (i = 1; i <= n; i++) for (k = 1; k <= runs[node[i]]; k++) {
			split(run[node[i], k], q, " ")
			if (q[2] > told[j] && q[1] < start[j]) { m++; s[m] = q[1]; e[m] = q[2] }
		}
		at = told[j]
		for (;;) { # the next start from `at` on, behind what covers it
			to = start[j]; from = at
			for (i = 1; i <= m; i++) if (s[i] <= at && e[i] > from) from = e[i]
			if (from > at) { at = from; continue }
			for (i = 1; i <= m; i++) if (s[i] > at && s[i] < to) to = s[i]
			if (to - at > idle[j]) { idle[j] = to - at; when[j] = at }
			if (to >= start[j]) break
			at = to
		}
	}
	$1 == "job" { told[$2] = $3; start[$2] = $4; shape[$2] = $5 }
	$1 == "ran" {
		split($5, r, /[:,+x]/)
		for (u = 0; u < r[5]; u++) for (v = 0; v < r[6]; v++) for (w = 0; w < r[7]; w++) {
			n = (r[2] + u) % 4 * 16 + (r[3] + v) % 4 * 4 + (r[4] + w) % 4
			run[n, ++runs[n]] = $3 " " $4
		}
	}
	END {
		for (j in told) {
			n = split(shape[j], d, shape[j] ~ /\^/ ? "^" : "x")
			if (shape[j] ~ /\^/) { n = d[2]; d[2] = d[3] = d[1] }
			while (n < 3) d[++n] = 1
			each(j, d[1], d[2], d[3]); each(j, d[1], d[3], d[2])
			each(j, d[2], d[1], d[3]); each(j, d[2], d[3], d[1])
			each(j, d[3], d[1], d[2]); each(j, d[3], d[2], d[1])
			total++; over += idle[j] > 2; sum += idle[j]
			if (idle[j] > max) { max = idle[j]; worst = j }
		}
		if (!total) { print "no jobs"; exit 1 }
		printf "%d jobs: a place stood idle for a waiting job at most %.2f s (job %s of %s, at %.2f), mean %.2f s; longer than 2 s: %d\n",
			total, max, worst, shape[worst], when[worst], sum / total, over
	}'
}

part_idle() {
	printf 'toruses:\n- {name: pod0, dims: [4, 4, 4], nodes: "node[00-63]"}\nscheduler: {discipline: %s, journal: %s}\n' \
		fpfs "$dir/journal" >"$dir/64.yaml"
	cluster start --nodes 64 --port-base auto --sched torus --select torus --torus "$dir/64.yaml" \
		--set "SchedulerParameters=$ours" --timeout 120 >/dev/null
	export SLURM_CONF=$dir/c/slurm.conf
	rm -f "$dir/journal" "$dir/clock"
	seq "$short" | awk 'BEGIN { srand(3); n = split("1x1x1 2x1x1 2x2x1 2x2x2 2x2x2 4x2x2 4x2x1 4x4x1 4x4x2", s, " ") }
		{ printf "%s %.1f\n", s[1 + int(rand() * n)], 1 + rand() * 4 }' >"$dir/load"
	while read -r shape seconds; do
		sbatch --parsable -o /dev/null -t 1 --geometry="$shape" --wrap \
			"a=\$(date +%s.%N); sleep $seconds; echo \$SLURM_JOB_ID \$a \$(date +%s.%N) >>$dir/clock" </dev/null >/dev/null
	done <"$dir/load"
	for _ in $(seq 300); do
		[ -n "$(squeue -h -o %i)" ] || break
		sleep 1
	done
	sleep 1
	# id told start end asked region
	sed -n 's/^\([0-9]*\),\([0-9.]*\),[^,]*,,"\([^"]*\)",.*,\([0-9.]*\),\([0-9.]*\),"\([^"]*\)",completed$/\1 \2 \4 \5 \3 \6/p' \
		"$dir/journal" >"$dir/jobs"
	echo "fpfs, 64 slurmd, by what sched/torus was told:"
	awk '{ print "job", $1, $2, $3, $5; print "ran", $1, $3, $4, $6 }' "$dir/jobs" | find_idle
	echo "fpfs, 64 slurmd, by the scripts' first and last acts:"
	awk 'NR == FNR { a[$1] = $2; e[$1] = $3; next } $1 in a { print "job", $1, $2, a[$1], $5; print "ran", $1, a[$1], e[$1], $6 }' \
		"$dir/clock" "$dir/jobs" | find_idle
	"$top_builddir/storus" reservations -v | sed '/^$/q'
	[ -z "${KEEP:-}" ] || cp "$dir/journal" "$dir/clock" "$dir/c/log/slurmctld.log" "$KEEP"
	finish
}

for part in "${@:-long}" $([ $# -gt 0 ] || echo counts idle); do
	"part_$part"
done
