#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurm-backfill against stock Slurm: loads by seed go through a cluster with
# sched/backfill and select/linear, and through replays from its slurm.conf and from
# what was submitted alone. When the loops of Slurm run depends on when it was started:
# the replays are of PHASES such phases, and the live waits are one draw of them. A
# table has live and replayed means and 95 % points, and the pairs of jobs that started
# in the same order. 0.2 s are added to each run: the launch and the end, on this kind
# of cluster.
#
# Only with TORUS_TEST_LONG=1: eight minutes for each of STOCK_LOADS, SEED:BF_INTERVAL.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='stock Slurm in the replay, against the real one'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_slurm
[ "${TORUS_TEST_LONG:-0}" != 0 ] || {
	skip_all='takes half an hour; TORUS_TEST_LONG=1 runs it'
	test_done
}
loads=${STOCK_LOADS:-1:3 2:3 3:10 4:30}
jobs=${STOCK_JOBS:-84}
phases=20

# make_load SEED: a line per job: tenths of a second until the next one, nodes, seconds
# that it runs, minutes that it may run, nice
make_load() {
	awk -v seed="$1" -v n="$jobs" 'BEGIN {
		srand(seed)
		split("1 1 2 3", limit); split("0 0 0 0 5 20", nice)
		while (n-- > 0) {
			nodes = rand() < 0.6 ? 2 ^ int(rand() * 7) : 1 + int(rand() * 40)
			print int(-40 * log(1 - rand())), nodes, 4 + int(rand() * 29),
				limit[1 + int(rand() * 4)], nice[1 + int(rand() * 6)]
		}
	}'
}

# live SEED INTERVAL: the load through a cluster; jobs.csv has what was submitted, waits
# each job and its wait
live() {
	cluster_start --nodes 64 --timeout 200 \
		--set "SchedulerParameters=bf_interval=$2"
	cp "$SLURM_CONF" slurm.conf
	mkdir -p began
	rm -f began/*
	echo id,submit,run,nodes,limit,nice >jobs.csv
	make_load "$1" >load
	while read -r gap nodes length limit nice; do
		now=$(date +%s.%N)
		id=$(sbatch --parsable -N "$nodes" -t "$limit" --nice="$nice" -o /dev/null \
			--wrap "date +%s.%N >$PWD/began/\$SLURM_JOB_ID; sleep $length") || return 1
		echo "$id,$now,$length,$nodes,$((limit * 60)),$nice" >>jobs.csv
		sleep "$((gap / 10)).$((gap % 10))"
	done <load
	wait_for 1200 squeue_is_empty || return 1
	awk -F, -v OFS=, 'NR == 1 { print; next }
		NR == 2 { first = int($2) - 10 }
		{ $2 = sprintf("%.2f", $2 - first); print }' jobs.csv >sooner.csv
	awk -F, 'NR > 1 { getline at < ("began/" $1); printf "%s %.2f %.2f\n", $1, $2, at - $2 }' \
		jobs.csv >waits
	mv sooner.csv jobs.csv
	cluster stop --now && rm -rf "$CLUSTER_DIR"
	CLUSTER_DIR=
}

# replays: the waits of each phase in a file of its own
replays() {
	k=0
	while [ $((k += 1)) -le $phases ]; do
		awk -F, -v OFS=, -v k=$k 'NR > 1 { $2 += k * 7.37; $3 += 0.2 } { print }' \
			jobs.csv >phase.csv
		"$top_builddir/storus" replay --torus flat:64 --discipline slurm-backfill \
			--slurm-conf slurm.conf --schedule - phase.csv |
			awk -F, '{ print $1, $2, $(NF - 2) }' | sed 1d >phase.$k
	done
}

# table NAME: a row; and "LIVE MEAN LEAST MOST" to `means`
table() {
	cat waits phase.* | awk -v name="$1" -v n="$jobs" -v phases=$phases '
	function sorted_at(a, m, p,	i, j, t) {
		for (i = 2; i <= m; i++)
			for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
				t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
			}
		return a[int(1 + p * (m - 1) + 0.5)]
	}
	{ f = int((NR - 1) / n); id[f, $1] = $2 + $3; sum[f] += $3; all[f, (NR - 1) % n + 1] = $3
	  if (!f) order[NR] = $1 }
	END {
		for (f = 0; f <= phases; f++) {
			for (i = 1; i <= n; i++)
				one[i] = all[f, i]
			p95 = sorted_at(one, n, 0.95)
			if (!f) { live95 = p95; continue }
			total += sum[f] / n; total95 += p95
			if (f == 1 || sum[f] / n < least) least = sum[f] / n
			if (sum[f] / n > most) most = sum[f] / n
			for (i = 1; i <= n; i++)
				for (j = 1; j < i; j++) {
					x = id[0, order[i]] - id[0, order[j]]
					y = id[f, order[i]] - id[f, order[j]]
					same += x * y >= 0; pairs++
				}
		}
		mean = total / phases
		printf "# %-6s live %.1f s, replays %.1f s (%.1f to %.1f), %+.1f %%; 95 %% point %.0f and %.0f s; %.1f %% of pairs\n",
			name, sum[0] / n, mean, least, most, 100 * (mean * n / sum[0] - 1),
			live95, total95 / phases, 100 * same / pairs
		print sum[0] / n, mean, least, most >>"means"
	}'
}

: >means
for load in $loads; do
	test_expect_success "load ${load%:*}, bf_interval ${load#*:}" '
		live "${load%:*}" "${load#*:}" && [ $(wc -l <waits) -eq $jobs ] && replays
	'
	table "$load"
done
test_expect_success 'the live waits are those of some phase, and in the mean those of all' '
	awk "{ live += \$1; mean += \$2; if (\$1 < 0.9 * \$3 || \$1 > 1.1 * \$4) exit 1 }
		END { exit !(live < 1.1 * mean && live > 0.9 * mean) }" means
'

test_done
