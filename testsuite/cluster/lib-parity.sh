# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# lib-parity.sh - loads for clusters with sched/torus, and the comparison of
# what such a cluster did with a replay of its journal; after lib-sched.sh.
#
# Several clusters run side by side: jobs mostly sleep, so two cores carry
# four. Nothing here goes by time: a slow machine makes other schedules, which
# have to be found again in the replay all the same.

# parity_load SEED JOBS SHAPE...: a line each of: pause, then what to do:
#   submit SECONDS OPTION...
#   cancel|hold|release|requeue N      the N-th job, counted from 1
#   limit N MINUTES
#   drain|down|resume NODES            down: the jobs there are requeued
#   partition down|up                  a quarter of the jobs comes at once, so
#                                      that there is a queue on any machine
# A SHAPE that begins with "-" is options, with "_" for blanks.
# Some jobs may use only a part of the nodes: a partition with the first half of
# them, -x, -w.
# The first job has two minutes for a while, and runs over its limit of one;
# some lines come too late, or too early, which is as it should be.
parity_load() {
	load_seed=$1
	load_jobs=$2
	shift 2
	awk -v seed="$load_seed" -v jobs="$load_jobs" -v words="$*" '
	function chance(percent) {
		return rand() * 100 < percent
	}
	function latest(n) { # one of the latest n jobs
		return job - int(rand() * (job < n ? job : n))
	}
	function nodes(n,    first) { # that many of the first ones
		first = int(rand() * 24)
		return sprintf("node[%02d-%02d]", first, first + n - 1)
	}
	function part() {
		if (chance(50))
			return " -p half"
		return chance(70) ? " -x " nodes(2 + int(rand() * 7)) : " -w " nodes(1)
	}
	function options(    limit, text) {
		limit = 1 + int(rand() * 4)
		text = shape[1 + int(rand() * shapes)]
		text = (text ~ /^-/ ? text : "--geometry=" text) " -t " limit
		gsub("_", " ", text)
		if (chance(30))
			text = text " --deadline=now+" (limit + 1) "minutes"
		if (chance(20) && text !~ /4x4x2|2\^5/) # (refused at once)
			text = text part()
		if (chance(15))
			text = text sprintf(" --priority=%.0f", 4294901500 + int(rand() * 300))
		return text
	}
	BEGIN {
		srand(seed)
		shapes = split(words, shape, " ")
		print 0, "submit 66 -N1 -t 1"
		for (job = 2; job <= jobs; job++) {
			if (job == int(jobs * 0.2))
				print 0, "limit", 1, 2
			if (job == int(jobs * 0.25))
				print 0, "limit", 1, 1
			if (job == int(jobs * 0.3))
				print 0, "partition down"
			if (job == int(jobs * 0.55))
				print 0, "partition up"
			printf "%.2f submit %.1f %s\n", chance(60) ? 0 : rand() * 0.5,
				chance(10) ? 2 + rand() * 2 : 0.3 + rand(), options()
			if (job < 8)
				continue
			if (held && job > held + 6) {
				print 0, "release", held
				held = 0
			}
			if (chance(4))
				print 0.1, "cancel", latest(12)
			if (chance(3) && !held) {
				held = latest(4)
				print 0.1, "hold", held
			}
			if (chance(6))
				print 0.1, "limit", latest(6), 1 + int(rand() * 5)
			if (drained && job > back) {
				print 0, "resume", drained
				drained = 0
			}
			if (!drained && chance(12)) {
				drained = nodes(1 + int(rand() * 4))
				back = job + 3 + int(rand() * 9)
				print 0, chance(30) && job < jobs * 0.7 ? "down" : "drain", drained
			}
			if (chance(5) && job < jobs / 2)
				print 0, "requeue", latest(30)
		}
		if (held)
			print 0, "release", held
		if (drained)
			print 0, "resume", drained
	}'
}

# parity_drive LOAD: what it says, until nothing is queued or runs any more.
parity_drive() {
	drive_n=0
	while read -r pause what first rest; do
		[ "$pause" = 0 ] || [ "$pause" = 0.00 ] || sleep "$pause"
		if [ "$what" = submit ]; then
			# shellcheck disable=SC2086  # words
			drive_id=$(run "$first" $rest) || drive_id= # e.g. -w a drained node
			drive_n=$((drive_n + 1))
			eval "drive_id_$drive_n=\$drive_id"
			continue
		fi
		case $what in
		partition | drain | down | resume) ;;
		*) eval "drive_id=\${drive_id_$first:-}" ;;
		esac
		case $what in
		partition) scontrol update partition=main "state=$first" ;;
		drain | down | resume) scontrol update "nodename=$first" "state=$what" reason=parity ;;
		cancel) scancel "$drive_id" ;;
		limit) scontrol update "jobid=$drive_id" "timelimit=$rest" ;;
		*) scontrol "$what" "$drive_id" ;;
		esac 2>/dev/null
	done <"$1"
	parity_drain
}

# Until nothing is queued or runs any more. That may take as long as it goes on: a
# cluster where nothing happens for five minutes is stuck. (Slurm lets a requeued
# job wait for two. On a busy machine slurmd may fail to launch one; Slurm then holds
# it, and it is released as an administrator would.)
parity_drain() {
	drain_before=none
	drain_since=0
	while [ "$drain_since" -lt 300 ]; do
		if squeue -h -o '%i %T' >"$CLUSTER_DIR/drain"; then
			drain_left=$(sort "$CLUSTER_DIR/drain")
			[ -n "$drain_left" ] || return 0
			[ "$drain_left" = "$drain_before" ] || drain_since=0
			drain_before=$drain_left
			for drain_id in $(squeue -h -t PD -o '%A %r' |
				sed -n 's/ launch failed requeued held$//p'); do
				scontrol release "$drain_id"
			done
		fi
		drain_since=$((drain_since + 1))
		sleep 1
	done
	squeue
	return 1
}

# parity_cluster NAME DIMS OPTION...: a cluster for one run, in ./NAME
parity_cluster() {
	parity_name=$1
	parity_nodes=$(echo "$2" | awk -F, '{ n = 1; for (i = 1; i <= NF; i++) n *= $i; print n }')
	shift 2
	CLUSTER_DIR=$(mktemp -d "${TMPDIR:-/tmp}/slurm-torus-test.XXXXXX") || return 1
	echo "$CLUSTER_DIR" >"$parity_name/dir"
	sed "s|JOURNAL|$PWD/$parity_name/journal.csv|" "$parity_name/torus.yaml" >"$parity_name/live.yaml"
	SLURM_CONF=$CLUSTER_DIR/slurm.conf
	export SLURM_CONF
	cluster start --port-base auto --owner $$ --nodes "$parity_nodes" \
		--select torus --sched torus \
		--torus "$parity_name/live.yaml" \
		--set OverTimeLimit=UNLIMITED "$@" >"$parity_name/cluster.out" 2>&1 &&
		scontrol create partitionname=half state=up \
			"nodes=node[00-$(printf %02d $((parity_nodes / 2 - 1)))]"
}

# parity_run NAME DIMS: the load ./NAME/load on a cluster of its own with
# ./NAME/torus.yaml, and options of private-cluster in ./NAME/options; leaves ./NAME/journal.csv, and ./NAME/done if all went well.
parity_run() {
	rm -f "$1/journal.csv" "$1/done"
	# shellcheck disable=SC2046  # words
	parity_cluster "$1" "$2" $(cat "$1/options" 2>/dev/null) && parity_drive "$1/load" &&
		wait_for 60 parity_settled "$1" && : >"$1/done"
	cp "$CLUSTER_DIR/log/slurmctld.log" "$1/"
	cluster stop --now --purge >/dev/null 2>&1
}

# parity_settled NAME: what was started has been written down, and since the last
# start of the scheduler each job that ran has its end, too. (The end of a job that
# ended while there was no scheduler is in no piece. A job whose order Slurm refused
# may start beside others on nodes that turn out to be its own.)
parity_settled() {
	awk -F, -v started="$(grep 'sched/torus: started ' "$CLUSTER_DIR/log/slurmctld.log" |
		grep -vc ' beside others')" '
	/,begin,/ { split("", runs) }
	$1 ~ /^[0-9]/ { delete runs[$1] }
	/,running,/ { runs[$1] = 1; written++ }
	END {
		for (id in runs)
			exit 1
		exit written < started
	}' "$1/journal.csv"
}

# replays_as NAME [YAML [OPTION...]]: the journal of that run, replayed with its own
# torus.yaml, or with another.
replays_as() {
	replay_name=$1
	replay_yaml=${2:-$1/live.yaml}
	shift $(($# < 2 ? $# : 2))
	# shellcheck disable=SC2154  # lib-cluster.sh sets it
	"$top_builddir/storus" parity --torus "$replay_yaml" \
		--within 0.001 --check "$@" "$replay_name/journal.csv"
}
