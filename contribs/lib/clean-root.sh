# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# clean-root.sh - a fresh Debian in a directory, to try what an administrator
# does on a machine where nothing was installed before.
#
# Mounts, processes, host name and shared memory of what runs in it are its own
# (namespaces), its devices too: they are gone with the command, however that
# ends. What is left is a directory; clean_root_remove deletes it. The network is
# the machine's, for apt.
#
# Needs say.sh, root, debootstrap and unshare.

# clean_root_make RELEASE DIR: with Debian's updates, and nothing installed.
clean_root_make() {
	local mirror=${TORUS_MIRROR:-http://deb.debian.org/debian}
	[[ $(id -u) -eq 0 ]] || die "a clean root needs root"
	command -v debootstrap >/dev/null ||
		die "debootstrap is missing; apt-get install debootstrap"
	mkdir -p "$2" && chmod 755 "$2" || return 1
	debootstrap --variant=minbase "$1" "$2" "$mirror" || return 1
	printf 'deb %s %s main\n' "$mirror" "$1" "$mirror" "$1-updates" \
		"$mirror-security" "$1-security" >"$2/etc/apt/sources.list"
	printf '127.0.0.1 localhost clean-root\n' >"$2/etc/hosts"
	echo clean-root >"$2/etc/hostname"
	cp -L /etc/resolv.conf "$2/etc/resolv.conf"
}

# clean_root_copy FROM TO: FROM as it is, in a second directory.
clean_root_copy() {
	cp -a --reflink=auto "$1" "$2"
}

# clean_root_source DIR TARGET: the tree that this script is part of, without
# what was built in it, in TARGET of the root, readable by everybody.
# shellcheck disable=SC2154  # top_dir is the sourcing script's
clean_root_source() {
	mkdir -p "$1$2" || return 1
	if git -C "$top_dir" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$top_dir" ls-files -z --cached --others --exclude-standard |
			tar -C "$top_dir" --mode=u=rwX,go=rX --ignore-failed-read -c --null -T - -f -
	else
		tar -C "$top_dir" --mode=u=rwX,go=rX --exclude='./build*' -c -f - .
	fi | tar -C "$1$2" --no-same-owner -x -f -
}

# clean_root_run DIR USER COMMAND...: as that user, in the user's home.
clean_root_run() {
	clean_root_unshare "" "$@"
}

# clean_root_run_alone DIR USER COMMAND...: the same with a network of its own,
# which is the loopback device. Needs ip.
clean_root_run_alone() {
	clean_root_unshare --net "$@"
}

# clean_root_unshare "" | --net DIR USER COMMAND...: ends with the caller.
clean_root_unshare() {
	local net=$1 dir=$2 user=$3
	shift 3
	setpriv --pdeathsig KILL unshare --mount --pid --uts --ipc \
		${net:+"$net"} --fork --kill-child=KILL --propagation private -- \
		env ${net:+CLEAN_ROOT_ALONE=yes} \
		bash -c "$clean_root_enter" clean-root "$dir" "$user" "$@"
}

# What runs in the namespaces, on the way into the root.
# shellcheck disable=SC2016  # expanded there
clean_root_enter='
	set -e
	dir=$1 user=$2
	shift 2
	hostname clean-root
	# (without another address than 127.0.0.1 glibc resolves no name)
	[ -z "${CLEAN_ROOT_ALONE-}" ] ||
		{ ip link set lo up && ip addr add 192.0.2.1/32 dev lo; }
	mount -t proc proc "$dir/proc"
	mount -t sysfs -o ro sysfs "$dir/sys"
	mount -t tmpfs -o mode=755 tmpfs "$dir/dev"
	while read -r name minor; do
		mknod -m 666 "$dir/dev/$name" c 1 "$minor"
	done <<-EOT
		null 3
		zero 5
		full 7
		random 8
		urandom 9
	EOT
	mknod -m 666 "$dir/dev/tty" c 5 0
	mkdir "$dir/dev/pts" "$dir/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$dir/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$dir/dev/shm"
	ln -s pts/ptmx "$dir/dev/ptmx"
	ln -s /proc/self/fd "$dir/dev/fd"
	ln -s fd/0 "$dir/dev/stdin"
	ln -s fd/1 "$dir/dev/stdout"
	ln -s fd/2 "$dir/dev/stderr"
	# not exec: this shell reaps what daemons leave, thousands in a long check
	chroot "$dir" /usr/bin/env -i TERM=dumb LANG=C.UTF-8 \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		/bin/su -s /bin/bash -l "$user" -c "$*" || exit
	exit 0
'

# clean_root_remove DIR: nothing is mounted below it any more.
clean_root_remove() {
	[[ -d $1 ]] || return 0
	! grep -q " $1/" /proc/self/mounts || die "something is mounted below $1"
	rm -rf --one-file-system "$1"
}
