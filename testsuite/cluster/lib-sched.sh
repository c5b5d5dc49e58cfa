# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# lib-sched.sh - what the tests of sched/torus share, after lib-cluster.sh.

# sched_start DIMS DISCIPLINE [OPTION...]: a cluster with sched/torus; LINES,
# where set, are further lines of the scheduler: block.
sched_start() {
	MACHINE=$(echo "$1" | tr -d ' ' | tr , x)
	sched_yaml "$1" "$2" >torus.yaml
	sched_nodes=$(echo "$1" | awk -F, '{ n = 1; for (i = 1; i <= NF; i++) n *= $i; print n }')
	shift 2
	cluster_start --nodes "$sched_nodes" --select torus --sched torus \
		--torus torus.yaml "$@"
	log=$CLUSTER_DIR/log/slurmctld.log
}

# sched_yaml DIMS DISCIPLINE [LINE...]: torus.yaml with a scheduler: block.
sched_yaml() {
	torus_yaml "$1"
	printf 'scheduler:\n  discipline: %s\n' "$2"
	shift 2
	for sched_line in "$@"; do
		printf '  %s\n' "$sched_line"
	done
}

# sched_change DIMS DISCIPLINE [LINE...]: another torus.yaml, and reconfigure.
sched_change() {
	sched_yaml "$@" >"$CLUSTER_DIR/torus.yaml"
	scontrol reconfigure && cluster wait
}

# run SECONDS OPTION...: a job that ends by itself.
run() {
	run_seconds=$1
	shift
	JOB_SCRIPT="exec sleep $run_seconds" submit "$@"
}

# hold_queue, let_go: jobs submitted in between are seen at once, together.
hold_queue() {
	scontrol update partition=main state=down
}
let_go() {
	scontrol update partition=main state=up
}

# started: the ids of jobs in the order in which slurmctld started them, on one
# line; since the latest `mark`.
mark() {
	mark_lines=$(wc -l <"$log")
}
logged() {
	tail -n +$((mark_lines + 1)) "$log" | grep -E -e "$1"
}
started() {
	tail -n +$((mark_lines + 1)) "$log" |
		sed -n 's/.*sched\/torus: started JobId=\([0-9]*\).*/\1/p' |
		paste -sd ' ' -
}

# started_is ID...: exactly these, in this order; within 20 seconds.
started_is() {
	wait_for 20 started_equals "$*" || {
		echo "started: $(started); expected: $*"
		return 1
	}
}
started_equals() {
	[ "$(started)" = "$1" ]
}

# seconds TIME, near A B [SECONDS]
seconds() {
	date -d "$1" +%s
}
near() {
	near_gap=$(($(seconds "$1") - $(seconds "$2")))
	[ "${near_gap#-}" -le "${3:-3}" ] || {
		echo "$1 is not near $2"
		return 1
	}
}

# later TIME MINUTES
later() {
	date -d "@$(($(seconds "$1") + 60 * $2))" +%FT%T
}

# promised ID: sets start_time and writes the nodes of squeue --start to file
# `planned`; fails where there is no promise.
promised() {
	start_time=$(squeue -h --start -j "$1" -o %S)
	expand_nodes "$(squeue -h --start -j "$1" -o %Y)" >planned
	[ -n "$start_time" ] && [ "$start_time" != N/A ] && [ -s planned ]
}

promised_near() {
	promised "$1" && near "$start_time" "$2"
}

reason_of() {
	squeue -h -j "$1" -o %r
}

# reason_is ID PATTERN
reason_is() {
	reason_of "$1" | grep -Eq -e "$2" || {
		echo "job $1 waits for: $(reason_of "$1")"
		return 1
	}
}

squeue_is_empty() {
	[ -z "$(squeue -h -o %i)" ]
}
