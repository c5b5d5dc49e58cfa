# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# process.sh - ending processes without ever hitting somebody else's.
#
# A pid from a file may have been given to another process since. So a process
# counts as ours only when /proc shows the program we started there, with a word
# that nobody else has (our own configuration file, socket or link).

# process_matches PID PROGRAM WORD: is PID alive, running a program of that name,
# with exactly this word on its command line?
process_matches() {
	local pid=$1 program=$2 wanted=$3 word first=
	[[ $pid =~ ^[1-9][0-9]*$ && -r /proc/$pid/cmdline ]] || return 1
	while IFS= read -r -d '' word; do
		if [[ -z $first ]]; then
			first=${word##*/}
			[[ $first == "$program" ]] || return 1
		fi
		[[ $word != "$wanted" ]] || return 0
	done 2>/dev/null </proc/"$pid"/cmdline
	return 1
}

# process_from FILE PROGRAM WORD: prints the pid kept in FILE when that
# process is ours and alive.
process_from() {
	local pid
	[[ -r $1 ]] || return 1
	read -r pid <"$1" || [[ -n $pid ]] || return 1
	process_matches "$pid" "$2" "$3" && printf '%s\n' "$pid"
}

# process_alive PID: alive, and not a zombie.
process_alive() {
	local stat
	{ read -r stat </proc/"$1"/stat; } 2>/dev/null || return 1
	stat=${stat##*) }
	[[ ${stat%% *} != Z ]]
}

# processes_wait SECONDS PID...: waits until all have vanished; prints those
# that have not, and is false then.
processes_wait() {
	local end=$((SECONDS + $1)) left=() pid
	shift
	while :; do
		left=()
		for pid in "$@"; do
			! process_alive "$pid" || left+=("$pid")
		done
		((${#left[@]})) || return 0
		((SECONDS < end)) || break
		sleep 0.1
	done
	printf '%s\n' "${left[@]}"
	return 1
}

# process_tree PID...: prints these and all their descendants.
process_tree() {
	local stat pid rest
	for stat in /proc/[0-9]*/stat; do
		{ read -r rest <"$stat"; } 2>/dev/null || continue
		pid=${stat#/proc/}
		rest=${rest##*) }
		rest=${rest#* }
		printf '%s %s\n' "${pid%/stat}" "${rest%% *}"
	done | awk -v roots="$*" '
		{ parent[$1] = $2 }
		END {
			n = split(roots, root, " ")
			for (i = 1; i <= n; i++) wanted[root[i]] = 1
			for (p in parent) {
				for (q = p; q > 1 && !(q in wanted); q = parent[q]) ;
				if (q in wanted) print p
			}
		}'
}
