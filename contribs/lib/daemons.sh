# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# daemons.sh - a private cluster's munged, slurmctld and slurmd: started, found
# again, waited for, and ended with all that they have started.
#
# Needs say.sh, process.sh, programs.sh, accounting.sh and the words of
# private-cluster.

# launch NAME COMMAND...: starts a daemon, in its foreground mode, detached, with
# nothing of the caller's environment and open files, and keeps its pid in
# run/NAME.pid (which Slurm's daemons write, too: slurmctld may change its pid at
# a reconfigure; so ours is there before).
launch() {
	local name=$1 fd
	shift
	[[ ! -e $cluster_dir/run/$name.pid ]] || rm -f "$cluster_dir/run/$name.pid"
	(
		for fd in /proc/self/fd/*; do
			fd=${fd##*/}
			((fd <= 2)) || eval "exec $fd>&-"
		done
		echo "$BASHPID" >"$cluster_dir/run/$name.pid"
		exec env -i PATH="$PATH" HOME="${HOME:-/}" ${TZ:+"TZ=$TZ"} \
			SLURM_CONF="$conf" LD_PRELOAD="$cluster_dir/bin/loopback.so" \
			setsid "$@"
	) </dev/null >"$cluster_dir/log/$name.out" 2>&1 &
	launched_pid=$!
}

# start_munged: --force, because the directory may lie in one that is closed to
# others (/run/user/UID); then only the caller can use the cluster.
start_munged() {
	local i
	head -c 128 /dev/urandom >"$cluster_dir/munge/munge.key" &&
		chmod 400 "$cluster_dir/munge/munge.key" || exit 1
	launch munged "$(command -v munged)" --foreground --force --num-threads=2 \
		"--socket=$munge_socket" --key-file="$cluster_dir/munge/munge.key" \
		--pid-file="$cluster_dir/munge/munged.pid" \
		--seed-file="$cluster_dir/munge/munged.seed"
	for ((i = 0; i < 100; i++)); do
		[[ ! -S $munge_socket ]] || return 0
		process_alive "$launched_pid" || break
		sleep 0.1
	done
	show_log munged
	return 1
}

# start_ctld: and wait until it answers, or has given up. From 23.11 on a
# slurmctld replaces itself at a reconfigure; only one that has made itself a
# daemon lives on when its successor refuses to start. The daemon's pid is in the
# file a moment after the one that was launched has ended.
start_ctld() {
	local end=$((SECONDS + timeout)) foreground=-D gone=0
	! version_at_least 23.11 || foreground=
	launch slurmctld "$cluster_dir/bin/slurmctld" ${foreground:+-D} -f "$conf"
	while ((SECONDS < end)); do
		process_alive "$launched_pid" || process_ctld >/dev/null ||
			((gone++ < 20)) || break
		! scontrol ping 2>/dev/null | grep -q ' is UP' || return 0
		sleep 0.1
	done
	say "slurmctld did not start"
	show_log slurmctld
	return 1
}

# start_nodes NODE...
start_nodes() {
	local node
	mkdir -p "${@/#/$cluster_dir/spool/}" || return 1
	for node in "$@"; do
		launch "slurmd-$node" "$cluster_dir/bin/slurmd" -D -f "$conf" -N "$node" \
			-d "$cluster_dir/bin/slurmstepd"
	done
}

process_munged() {
	process_from "$cluster_dir/run/munged.pid" munged "--socket=$munge_socket"
}

process_ctld() {
	process_from "$cluster_dir/run/slurmctld.pid" slurmctld "$conf"
}

process_node() {
	process_from "$cluster_dir/run/slurmd-$1.pid" slurmd "$conf"
}

# daemons_alive: the pids of everything that start has started and still runs.
daemons_alive() {
	local node
	process_munged
	process_ctld
	process_dbd
	process_database
	for node in "${node_names[@]}"; do
		process_node "$node"
	done
}

# show_log NAME: the end of the file that a daemon wrote last, its log or its standard
# error, for a failure's message: a daemon in the background logs why it ends, one that
# cannot read slurm.conf has no log yet.
show_log() {
	local file=$cluster_dir/log/$1.out
	[[ ! -s $cluster_dir/log/$1.log || $file -nt $cluster_dir/log/$1.log ]] ||
		file=$cluster_dir/log/$1.log
	[[ -s $file ]] || return 0
	say "the end of $file:"
	tail -n 12 "$file" | sed 's/^/    /' >&2
}

# wait_nodes IDLE: until all nodes have answered; with IDLE=yes until they are
# idle.
wait_nodes() {
	local end=$((SECONDS + timeout)) ready
	local good='^(idle|mixed|allocated|completing|drained|draining|reserved|planned|down)$'
	[[ $1 != yes ]] || good='^idle$'
	while :; do
		ready=$(sinfo -h -N -p main -o '%T' 2>/dev/null | grep -cE "$good")
		((ready < ${#node_names[@]})) || return 0
		((SECONDS < end)) || break
		sleep 0.2
	done
	say "only $ready of ${#node_names[@]} nodes are ready after $timeout seconds:"
	sinfo -o '%10T %.6D %E' >&2
	show_log slurmctld
	return 1
}

# end_processes SECONDS PID...: SIGTERM, and SIGKILL for those that stay on.
end_processes() {
	local seconds=$1 left
	shift
	(($#)) || return 0
	kill -TERM "$@" 2>/dev/null
	left=$(processes_wait "$seconds" "$@") && return 0
	# shellcheck disable=SC2086  # a list of pids
	kill_processes $left
}

kill_processes() {
	local left
	(($#)) || return 0
	kill -KILL "$@" 2>/dev/null
	left=$(processes_wait 5 "$@") || say "these processes do not end: $left"
}

# watch_owner: what --owner starts; nobody else calls it. Its standing order is
# void once the cluster has been stopped otherwise.
watch_owner() {
	while process_alive "$owner"; do
		sleep 1
		process_ctld >/dev/null || process_munged >/dev/null || exit 0
	done
	exec "$0" stop --purge --dir "$cluster_dir"
}

# cancel_jobs: so that no job step outlives its slurmd.
cancel_jobs() {
	local end=$((SECONDS + 8))
	process_ctld >/dev/null || return 0
	[[ -n $(timeout 5 squeue -h -o %i 2>/dev/null) ]] || return 0
	timeout 5 scancel -u "$(id -un)" 2>/dev/null
	while ((SECONDS < end)); do
		[[ -n $(timeout 5 squeue -h -o %i 2>/dev/null) ]] || return 0
		sleep 0.2
	done
}

# our_stepds: the pids of slurmstepd processes that our slurmd have left behind,
# by the log that they share. From 24.11 on their title overwrites their
# environment.
our_stepds() {
	local comm pid name
	for comm in /proc/[0-9]*/comm; do
		{ read -r name <"$comm"; } 2>/dev/null
		[[ $name == slurmstepd ]] || continue
		pid=${comm#/proc/}
		pid=${pid%/comm}
		readlink "/proc/$pid/fd/"* 2>/dev/null |
			grep -qF "$cluster_dir/log/slurmd-" && echo "$pid"
	done
}

# end_stepds COMMAND...: ends what slurmd have left behind, by that command.
end_stepds() {
	local pids
	mapfile -t pids < <(our_stepds)
	((${#pids[@]})) || return 0
	mapfile -t pids < <(process_tree "${pids[@]}")
	"$@" "${pids[@]}"
}

# stop_all: ends everything, jobs before slurmd before munged.
stop_all() {
	local node pid pids
	cancel_jobs
	mapfile -t pids < <(
		for node in "${node_names[@]}"; do process_node "$node"; done
		process_ctld
	)
	end_processes 10 ${pids[@]+"${pids[@]}"}
	end_stepds end_processes 2
	stop_accounting
	pid=$(process_munged) && end_processes 5 "$pid"
	stop_watch
}

# stop_now: as a power cut does.
stop_now() {
	local pids
	mapfile -t pids < <(daemons_alive)
	kill_processes ${pids[@]+"${pids[@]}"}
	end_stepds kill_processes
	stop_watch
}

# stop_watch: what --owner has started ends, too.
stop_watch() {
	local pid
	pid=$(process_from "$cluster_dir/run/watch.pid" bash "$cluster_dir") &&
		((pid != $$)) && end_processes 2 "$pid"
	rm -f "$cluster_dir"/run/*.pid
}
