#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench-sched.sh - sched/torus in a live slurmctld, beside sched/backfill.
#
# usage: bench-sched.sh [--select TYPE] [PART...]
#                                      (from the build tree; initially all)
#
# TYPE is torus (the default: whole nodes) or torus_cons_tres: nodes of 8 CPUs,
# 4 GPUs and 8,000 MB, and a queue of which two thirds have no shape but tasks,
# CPUs, GPUs and memory, and share nodes.
#
#   long    10,000 pending shaped jobs on 512 node records: the longest cycle
#           with what it spent inside Slurm, the longest lock hold, the
#           latency of sbatch meanwhile; sched/backfill with the same select
#           plugin on the same queue, in turns
#   stop    such a queue with limits of up to 6,000 minutes: slurmctld is
#           stopped in the middle of a pass
#   counts  2,000 jobs that ask for a number of nodes, of which none can start,
#           and one more each second: what the scheduler's thread takes (from
#           the kernel's accounts) per job looked at; sched/backfill with
#           the stock select plugin on the same queue
#   idle    300 short jobs on 64 slurmd: the longest time for which a place was
#           free that a waiting job could have used, by the jobs' own clocks
#
# Each figure is a line that begins with "ok" or "NOT" and ends with what is
# allowed; with a NOT the exit status is 1. On a machine that has other work to
# do waits for a core count as well: look at `vmstat 1` first.
#
# JOBS, COUNTS, NODES, SHORT, DISCIPLINES in the environment change the sizes
# (BACKFILL=no: `long` without sched/backfill),
# LIMITS the minutes that jobs of `long` are limited to (at most 100: the more
# different limits there are, the longer a pass of conservative), ROUNDS and SPAN how often and for how many seconds sbatch is timed; QUEUE
# names a directory where filled queues are kept for the next time.
#
# The nodes of the first two are records of slurmctld, all answered for by one
# slurmd: jobs start there, which is what is measured, but would not end. The
# queue is filled once per select plugin, behind a closed door; every scheduler
# then starts from a copy of that state.

set -eu
select=torus
case ${1-} in
--select)
	select=${2:?TYPE is missing}
	shift 2
	;;
--select=*)
	select=${1#*=}
	shift
	;;
esac
case $select in
torus)
	stock=linear node_words=() probe=--geometry=2x2x2
	;;
torus_cons_tres)
	stock=cons_tres probe=-n16
	node_words=(--cpus 8 --gres gpu:4 --node RealMemory=8000
		--set SelectTypeParameters=CR_Core_Memory)
	;;
*)
	echo "bench-sched.sh: --select: got \"$select\", expected torus or torus_cons_tres" >&2
	exit 2
	;;
esac
jobs=${JOBS:-10000}
counts=${COUNTS:-2000}
nodes=${NODES:-512}
short=${SHORT:-300}
rounds=${ROUNDS:-3}
span=${SPAN:-6}
limits=${LIMITS:-100}
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
export SLURM_TORUS_PLUGIN_DIR=${SLURM_TORUS_PLUGIN_DIR:-$top_builddir/plugins/.libs}
dir=$(mktemp -d "${TMPDIR:-/tmp}/bench-sched.XXXXXX")
# shellcheck source=testsuite/bench/lib-live.sh
. "$top_srcdir/testsuite/bench/lib-live.sh"
ours=sched_interval=-1,defer
trap 'cluster stop >/dev/null 2>&1 || :; rm -rf "$dir"' EXIT

# torus_yaml DISCIPLINE
torus_yaml() {
	printf 'toruses:\n- {name: pod0, dims: [8, 8, %d], nodes: "node[1000-%d]"}\n- {name: one, flat: 1, nodes: node00}\nscheduler: {discipline: %s}\n' \
		$((nodes / 64)) $((1000 + nodes - 1)) "$1"
}

# records SELECT: a cluster of one slurmd, then all nodes; the door is closed
records() {
	printf 'toruses: [{name: pod0, dims: [1], nodes: node00}]\n' >"$dir/one.yaml"
	cluster start --nodes 1 --port-base auto --sched backfill --select "$1" "${node_words[@]}" \
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
	for _ in $(seq 180); do
		[ "$(sinfo -h -t idle -o %D | awk '{ n += $1 } END { print n + 0 }')" -lt "$nodes" ] || return 0
		sleep 1
	done
	echo "bench-sched.sh: the nodes are not idle after 180 s; is the machine too busy?"
	sinfo
	exit 1
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

# queue MINUTES: lines for submit_all; of jobs that share nodes the sizes differ,
# and hardly two of them ask for the same
queue() {
	seq "$jobs" | awk -v minutes="$1" -v select="$select" '
	function upto(n) { return 1 + int(rand() * n) }
	function shared(tasks, kind) {
		tasks = 16 * upto(24)
		kind = upto(6)
		if (kind == 1) return "-n" tasks
		if (kind == 2) return "-n" tasks " -c2"
		if (kind == 3) return "-N" 4 * upto(16) " --ntasks-per-node=4 --mem=" 1000 * upto(3)
		if (kind == 4) return "-N" 4 * upto(16) " --gres=gpu:" upto(4)
		if (kind == 5) return "--gpus=" tasks
		return "-n" tasks " --mem-per-cpu=" 100 * upto(8)
	}
	BEGIN { srand(1); n = split("2x2x2 4x2x2 4x4x2 4x4x4 8x4x4 2x2x1 1x1x1 8x8x4", s, " ") }
	{
		shape = "--geometry=" s[upto(n)]
		limit = upto(minutes)
		if (select == "torus")
			print limit, shape
		else if (NR % 3 == 0)
			print limit, shape, "--gres=gpu:" upto(4)
		else
			print limit, shared()
	}'
}

# fill_long MINUTES: their limits are up to so long
fill_long() {
	local name=long-$select-$nodes-$jobs-$1
	records "$select"
	kept "$name" && return
	queue "$1" | submit_all
	keep
	lend "$name"
}

# scheduler NAME: one of ours by its discipline, or backfill
scheduler() {
	if [ "$1" = backfill ]; then
		again backfill "bf_interval=1,bf_max_job_test=$jobs,bf_continue,sched_interval=2"
	else
		again torus $ours "$1"
	fi
}

# time_long NAME: one round
time_long() {
	scheduler "$1"
	time_sbatch "$1"
	if [ "$1" = backfill ]; then
		backfill_numbers
	else
		cycle_figures "$1"
	fi
}

part_long() {
	ours_now=${DISCIPLINES:-easy fpfs}
	theirs=backfill
	[ "${BACKFILL-}" != no ] || theirs=
	fill_long "$limits"
	for _ in $(seq "$rounds"); do
		for d in $ours_now $theirs; do
			time_long "$d"
		done
	done
	latency_figures "$ours_now" "$theirs"
	finish
}

# wait_busy PID: until one of its threads has not slept in ten looks, as in a
# long pass only; 1: none has within some seconds
wait_busy() {
	local -A looks
	local file state
	for _ in $(seq 300); do
		for file in /proc/"$1"/task/*/stat; do
			read -r _ _ state _ <"$file" || continue
			looks[$file]=$((${looks[$file]:-0} + 1))
			[ "$state" = R ] || looks[$file]=0
			[ "${looks[$file]}" -lt 10 ] || return 0
		done 2>/dev/null
		sleep 0.005
	done
	return 1
}

# Passes of most disciplines are too short to be caught in the middle.
part_stop() {
	fill_long 6000
	for d in ${DISCIPLINES:-easy fpfs conservative dedf}; do
		scheduler "$d"
		pid=$(cat "$dir/c/run/slurmctld.pid")
		scontrol update partition=main state=up
		where="in the middle of a pass"
		wait_busy "$pid" || where="between passes"
		a=$(date +%s%N)
		kill -TERM "$pid"
		while readlink -q "/proc/$pid/exe" >/dev/null; do sleep 0.01; done
		took=$((($(date +%s%N) - a) / 1000000))
		figure $took 3000 "$d: slurmctld stopped in $took ms, $where"
	done
	finish
}

# threads: id, name, nanoseconds of CPU of slurmctld's threads
threads() {
	for t in /proc/"$(cat "$dir"/c/run/slurmctld.pid)"/task/*; do
		echo "${t##*/} $(tr ' ' _ <"$t/comm") $(cut -d ' ' -f 1 "$t/schedstat")"
	done 2>/dev/null
}

# time_counts NAME SELECT: microseconds per job looked at, into the file NAME
time_counts() {
	if [ "$1" = backfill ]; then
		again backfill "bf_interval=1,bf_max_job_test=$((counts + 100)),bf_continue,sched_interval=3600,defer"
	else
		again torus $ours "$1"
	fi
	scontrol update partition=main state=up
	sleep 10
	sdiag -r >/dev/null 2>&1 || :
	looked=$(($(pending) * 20))
	threads >"$dir/before"
	for _ in $(seq 20); do
		sbatch --parsable -o /dev/null -t 100 -N "$nodes" --wrap true >/dev/null
		sleep 1
	done
	threads >"$dir/after"
	if [ "$1" = backfill ]; then
		backfill_numbers
		looked=$(sdiag | sed -n '/Backfilling stats/,$p' |
			awk -F: '/Total cycles/ { n = $2 } /Depth Mean:/ { d = $2 } END { print int(n * d) }')
	else
		"$top_builddir/storus" reservations -v | sed '/^$/q'
	fi
	awk 'NR == FNR { t[$1] = $3; next } $1 in t && $3 - t[$1] > most { most = $3 - t[$1] } END { print most / 1e3 }' \
		"$dir/before" "$dir/after" >"$dir/busiest"
	ratio "$(cat "$dir/busiest")" "$looked" >"$dir/counts.$1"
	echo "$1, select/$2: $(squeue -h -t R,CG,CF | wc -l) started, $(pending) pending; the busiest thread took $(awk '{ printf "%.0f", $1 / 1e3 }' "$dir/busiest") ms in 20 s, $(cat "$dir/counts.$1") us per job looked at"
}

part_counts() {
	ours_now=${DISCIPLINES:-easy conservative}
	local plugin first="-N$nodes --exclusive"
	for plugin in "$select" "$stock"; do
		records "$plugin"
		scontrol update nodename=node00 state=drain reason=bench
		kept "counts-$plugin-$nodes-$counts" || {
			{
				echo "100 $first"
				seq $((counts - 1)) | awk -v n=$((nodes - 1)) 'BEGIN { srand(2) } { print "-N" 1 + int(rand() * n), 1 + int(rand() * 100) }'
			} | submit_all
			keep
			lend "counts-$plugin-$nodes-$counts"
		}
		if [ "$plugin" = "$select" ]; then schedulers=$ours_now; else schedulers=backfill; fi
		for d in $schedulers; do
			time_counts "$d" "$plugin"
		done
		finish
	done
	for d in $ours_now; do
		r=$(ratio "$(cat "$dir/counts.$d")" "$(cat "$dir/counts.backfill")")
		figure "$r" 1 "$d: a job looked at cost $r times what it costs backfill"
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
		exit over > 0
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
	sed -n 's/^\([0-9]*\),\([0-9.]*\),[^,]*,,"\([^"]*\)",.*,\([0-9.]*\),\([0-9.]*\),"\([^"]*\)",completed,[0-9]*$/\1 \2 \4 \5 \3 \6/p' \
		"$dir/journal" >"$dir/jobs"
	awk '{ print "job", $1, $2, $3, $5; print "ran", $1, $3, $4, $6 }' "$dir/jobs" >"$dir/told"
	awk 'NR == FNR { a[$1] = $2; e[$1] = $3; next } $1 in a { print "job", $1, $2, a[$1], $5; print "ran", $1, a[$1], e[$1], $6 }' \
		"$dir/clock" "$dir/jobs" >"$dir/own"
	for by in told own; do
		over=0
		echo "fpfs, 64 slurmd, by $([ $by = told ] && echo "what sched/torus was told" || echo "the scripts' first and last acts"):"
		find_idle <"$dir/$by" || over=1
		figure $over 0 "places idle for longer than 2 s: $([ $over = 0 ] && echo none || echo some)"
	done
	"$top_builddir/storus" reservations -v | sed '/^$/q'
	[ -z "${KEEP:-}" ] || cp "$dir/journal" "$dir/clock" "$dir/c/log/slurmctld.log" "$KEEP"
	finish
}

for part in "${@:-long}" $([ $# -gt 0 ] || echo stop counts idle); do
	"part_$part"
done
exit $status
