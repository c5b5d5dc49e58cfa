# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# packages.sh - which Debian packages the project needs, and how to get the
# missing ones without starting or restarting any service.
#
# Needs say.sh. When everything is there, packages_install costs one call of
# dpkg-query and asks for no privilege. Otherwise apt-get runs as root, or
# through sudo; the lists are updated only when the first try fails.

# To build the library, the plugins and storus, and to run a private cluster.
# shellcheck disable=SC2034  # used by the scripts that source this file
packages_for_build="build-essential autoconf automake libtool pkg-config
	libyaml-dev zlib1g-dev libjansson-dev nettle-dev
	libsqlite3-dev libgsl-dev libgmp-dev libcairo2-dev libcmocka-dev
	libmunge-dev munge sharness jq sqlite3"

# Slurm is the distribution's, unless SchedMD's packages are here.
case $(dpkg-query -W -f '${db:Status-Status}' slurm-smd 2>/dev/null) in
installed) packages_for_build="$packages_for_build slurm-smd-slurmctld slurm-smd-slurmd slurm-smd-client" ;;
*) packages_for_build="$packages_for_build slurmctld slurmd slurm-client" ;;
esac

# ISA-L exists for few processors; without it zlib unpacks traces.
case $(dpkg --print-architecture 2>/dev/null) in
amd64 | arm64) packages_for_build="$packages_for_build libisal-dev" ;;
esac

# On top of these, to run every check; without promtool (prometheus, 330 MB) and
# MPICH (mpich, libmpich-dev, 112 MB), whose cases are skipped.
# shellcheck disable=SC2034
packages_for_check="clang libclang-rt-dev clang-format cppcheck gnuplot-nox chromium
	libjs-chart.js slurmdbd mariadb-server-core mariadb-client-core tmux zsh openmpi-bin libopenmpi-dev python3-mpi4py"

# packages_missing NAME...: prints the names that are not installed.
packages_missing() {
	for packages_name in "$@"; do
		packages_status=$(dpkg-query -W -f '${db:Status-Status}' \
			"$packages_name" 2>/dev/null) || packages_status=
		[ "$packages_status" = installed ] || printf '%s ' "$packages_name"
	done
}

# packages_as_root COMMAND...: runs it as root, through sudo where needed.
packages_as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# packages_install NAME...: installs what is missing of these; dies when it
# cannot. No service is started, whether or not the machine has an init system.
packages_install() {
	command -v dpkg-query >/dev/null 2>&1 ||
		die "this needs Debian or a descendant of it (no dpkg-query here);" \
		    "on other systems install the counterparts of: $*"
	packages_wanted=$(packages_missing "$@")
	[ -n "$packages_wanted" ] || return 0
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
		die "these packages are missing and there is no sudo; as root:" \
		    "apt-get install --no-install-recommends $packages_wanted"
	fi
	say "installing $packages_wanted"
	# shellcheck disable=SC2086  # a list of package names
	packages_install_quietly $packages_wanted ||
		die "apt-get could not install: $packages_wanted"
}

# packages_install_quietly NAME...: apt-get install under a policy-rc.d that
# forbids service starts. A policy that the machine already has is respected
# and left alone; ours is taken away again however this ends.
packages_install_quietly() (
	packages_policy=/usr/sbin/policy-rc.d
	if [ -e "$packages_policy" ] || [ -L "$packages_policy" ]; then
		packages_policy=
	else
		trap 'packages_as_root rm -f "$packages_policy"' EXIT
		trap 'exit 130' INT
		trap 'exit 143' TERM HUP
		printf '#!/bin/sh\n# slurm-torus: for the length of one apt-get\nexit 101\n' |
			packages_as_root tee "$packages_policy" >/dev/null || exit 1
		packages_as_root chmod 755 "$packages_policy" || exit 1
	fi
	packages_said=$(packages_apt install --no-install-recommends "$@" 2>&1) && exit 0
	say "not with the package lists as they are; updating them"
	if packages_said=$(packages_apt update 2>&1) &&
		packages_said=$(packages_apt install --no-install-recommends "$@" 2>&1); then
		exit 0
	fi
	printf '%s\n' "$packages_said" >&2
	exit 1
)

# packages_apt ARG...: apt-get that asks nothing and waits for another apt-get.
packages_apt() {
	packages_as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
		apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null
}
