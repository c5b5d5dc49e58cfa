# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# release.sh - README's two commands on fresh machines of a Debian release: as
# root, and as a user with sudo, each in a clean root of its own.
#
# Needs say.sh, steps.sh, clean-root.sh; top_dir is the source tree's top.
# shellcheck disable=SC2154  # top_dir is the sourcing script's

release_user=torus

# release_remove_stale: roots of a run that was killed; a run that lives holds
# the lock of its directory.
release_remove_stale() {
	local dir
	for dir in "$release_parent"/slurm-torus-release.*/; do
		[[ -d $dir ]] || continue
		(
			exec 7<"$dir"
			flock -n 7 && clean_root_remove "${dir%/}"
		)
	done
}

release_begin() {
	release_parent=${TMPDIR:-/var/tmp}
	release_remove_stale
	release_dir=$(mktemp -d "$release_parent/slurm-torus-release.XXXXXX") ||
		die "cannot write in $release_parent"
	chmod 755 "$release_dir"
	exec 6<"$release_dir"
	flock -n 6 || die "$release_dir is taken"
	trap 'clean_root_remove "$release_dir"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	steps_dir=$top_dir/build-check/release-$1/log
	mkdir -p "$steps_dir" && rm -f "$steps_dir"/*
}

# release_add_user ROOT: one who may use sudo.
release_add_user() {
	clean_root_run "$1" root "
		apt-get -q -y update && apt-get -q -y install --no-install-recommends sudo &&
		useradd -m -s /bin/bash $release_user &&
		echo '$release_user ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/$release_user &&
		chown -R $release_user: /home/$release_user"
}

# release_as USER HOME: the two commands.
release_as() {
	local root=$release_dir/$1 rc=0
	clean_root_copy "$release_dir/base" "$root" &&
		clean_root_source "$root" "$2/slurm-torus" || return 1
	[[ $1 == root ]] || run_step "add a user" release_add_user "$root" || return 1
	run_step "demo as $1" \
		clean_root_run "$root" "$1" "cd slurm-torus && ./contribs/demo" || rc=1
	run_step "check as $1" \
		clean_root_run "$root" "$1" "cd slurm-torus && ./contribs/check" || rc=1
	printf '%-28s %s\n' "" "$(tail -n 1 "$steps_dir/check-as-$1.log")"
	clean_root_remove "$root"
	return $rc
}

# release_check NAME WHO: WHO is root, user or both; false where anything failed.
release_check() {
	local rc=0 who
	[[ $1 =~ ^[a-z]+$ ]] || usage_error "--release: got \"$1\", expected a name such as trixie"
	[[ $2 =~ ^(root|user|root user)$ ]] ||
		usage_error "--release $1: got \"$2\", expected root or user"
	release_begin "$1"
	run_step "clean root of $1" clean_root_make "$1" "$release_dir/base" || return 1
	for who in $2; do
		if [[ $who == root ]]; then
			release_as root /root || rc=1
		else
			release_as "$release_user" "/home/$release_user" || rc=1
		fi
	done
	return $rc
}
