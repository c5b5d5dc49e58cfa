# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# cache.sh - the directory where what costs a download or minutes is kept
# between runs, and a lock so that two runs never work on the same thing.
#
# Needs say.sh and flock (util-linux).

# cache_dir: prints the directory, made if need be.
cache_dir() {
	cache_path=${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/slurm-torus
	mkdir -p "$cache_path" || die "cannot make the directory $cache_path"
	printf '%s\n' "$cache_path"
}

# with_lock FILE COMMAND [ARG...]: runs it while holding FILE's lock, waiting at
# most 20 minutes for another holder. The lock ends with the process, so a
# killed run never leaves one behind.
with_lock() {
	lock_file=$1
	shift
	(
		flock -n 8 || {
			say "another run is busy with $lock_file; waiting for it"
			flock -w 1200 8 || die "still busy after 20 minutes: $lock_file"
		}
		"$@"
	) 8>"$lock_file"
}
