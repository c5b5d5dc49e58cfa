# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# slurm-source.sh - Slurm's source, of exactly the version of the installed
# slurmctld, configured so that plugins can be compiled against its internal
# headers.
#
# Debian's libslurm-dev holds the public headers only, so the source package is
# fetched, through a private list: the machine's own `deb` entries as `deb-src`,
# with private lists and caches. Nothing under /etc/apt or /var/lib/apt is
# touched and no privilege is needed.
#
# What comes out, in the cache directory (see cache.sh), is
#     slurm-VERSION/src      the unpacked source
#     slurm-VERSION/build    where its configure ran (config.h,
#                            slurm/slurm_version.h); nothing is compiled
# It is put together elsewhere and renamed, so it is there whole or not at all.
#
# Needs say.sh, cache.sh, and the packages dpkg-dev, gcc, make, libmunge-dev.

# slurm_source_dir: prints that directory; fetches and configures the source
# where it is not there yet (about 20 MB of download and half a minute).
slurm_source_dir() {
	slurm_version=$(dpkg-query -W -f '${source:Version}' slurm-smd 2>/dev/null)
	[ -z "$slurm_version" ] || die "Slurm is SchedMD's slurm-smd $slurm_version," \
		"whose source is in no archive: --with-slurm-src=DIR, the tree it was built from"
	slurm_package=$(dpkg-query -W -f '${source:Package}' slurmctld 2>/dev/null)
	slurm_version=$(dpkg-query -W -f '${source:Version}' slurmctld 2>/dev/null)
	[ -n "$slurm_version" ] || die "the package slurmctld is not installed"
	slurm_cache=$(cache_dir) || return 1
	# a Debian epoch (2:22.05...) has no place in a path
	slurm_dir=$slurm_cache/slurm-${slurm_version#*:}
	if [ ! -d "$slurm_dir" ]; then
		with_lock "$slurm_cache/slurm.lock" slurm_source_make >&2 || return 1
	fi
	printf '%s\n' "$slurm_dir"
}

# slurm_source_check DIR: Slurm's source, configured in place, in DIR/build or in DIR/obj-*
# (debhelper's), or as slurm_source_dir makes it; prints the version, the installed one.
slurm_source_check() {
	slurm_tree=$1
	[ ! -d "$1/src/src" ] || slurm_tree=$1/src
	[ -f "$slurm_tree/slurm/spank.h" ] || die "$1 is no source of Slurm (no slurm/spank.h)"
	for slurm_config in "$1/build/config.h" "$1"/obj-*/config.h "$1/config.h" ""; do
		[ -n "$slurm_config" ] ||
			die "$slurm_tree is not configured: run ./configure --with-munge --disable-debug there"
		[ ! -f "$slurm_config" ] || [ ! -f "${slurm_config%config.h}slurm/slurm_version.h" ] || break
	done
	[ -f "$slurm_tree/src/slurmctld/slurmctld.h" ] ||
		die "the source of Slurm in $1 is not whole (no src/slurmctld/slurmctld.h): unpack it again"
	slurm_number=$(sed -n 's/^#define SLURM_VERSION_STRING "\(.*\)"/\1/p' "$slurm_config")
	[ -n "$slurm_number" ] || die "$slurm_config names no version of Slurm: configure it again"
	slurm_meta=$(sed -n 's/^ *Version:[[:space:]]*//p' "$slurm_tree/META" 2>/dev/null)
	case $slurm_number in
	"${slurm_meta:-$slurm_number}" | "$slurm_meta"-*) ;;
	*) die "$slurm_tree is Slurm $slurm_meta, but it was configured from Slurm $slurm_number: configure it again" ;;
	esac
	slurm_version=$(slurmctld -V 2>/dev/null || /usr/sbin/slurmctld -V 2>/dev/null) ||
		die "no slurmctld is installed; install the Slurm that the plugins are for"
	[ "${slurm_version##* }" = "$slurm_number" ] ||
		die "$1 is Slurm $slurm_number, but Slurm ${slurm_version##* } is installed:" \
		    "take the source of ${slurm_version##* }"
	printf '%s\n' "$slurm_number"
}

# slurm_source_make: the work, under the lock.
slurm_source_make() {
	[ ! -d "$slurm_dir" ] || return 0
	slurm_tmp=$slurm_cache/slurm.partial
	rm -rf "$slurm_tmp" && mkdir -p "$slurm_tmp/apt" "$slurm_tmp/new" || return 1
	if slurm_source_lists "$slurm_tmp/apt" &&
		slurm_source_fetch &&
		slurm_source_configure &&
		mv "$slurm_tmp/new" "$slurm_dir"; then
		rm -rf "$slurm_tmp"
	else
		tail -n 15 "$slurm_tmp/log"
		say "all that was said is in $slurm_tmp/log"
		return 1
	fi
}

# slurm_source_lists DIR: the machine's `deb` entries, as `deb-src`, in DIR.
# One-line entries keep their [options], deb822 entries all their other fields
# (Signed-By among them, also where it is a key block of several lines).
slurm_source_lists() {
	mkdir -p "$1/parts" "$1/lists/partial" "$1/archives/partial" || return 1
	for slurm_list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -r "$slurm_list" ] || continue
		sed -n -e '/cdrom:/d' \
			-e 's/^[[:space:]]*deb\(-src\)\{0,1\}\([[:space:]]\)/deb-src\2/p' \
			"$slurm_list"
	done | sort -u >"$1/parts/machine.list"
	for slurm_list in /etc/apt/sources.list.d/*.sources; do
		[ -r "$slurm_list" ] || continue
		awk '
			function flush() {
				if (entry != "" && !disabled) print entry
				entry = ""; disabled = 0
			}
			/^#/ { next }
			/^[[:space:]]*$/ { flush(); next }
			tolower($1) == "types:" { $0 = "Types: deb-src" }
			tolower($1) == "enabled:" {
				disabled = tolower($2) ~ /^(no|false|off|without|disable)$/
			}
			{ entry = entry $0 "\n" }
			END { flush() }' "$slurm_list" \
			>"$1/parts/${slurm_list##*/}" || return 1
	done
}

# slurm_source_apt ARG...: apt-get with those lists and no other; what it says
# goes to the log.
slurm_source_apt() {
	apt-get -q -o Dir::Etc::sourcelist=/dev/null \
		-o Dir::Etc::sourceparts="$slurm_tmp/apt/parts" \
		-o Dir::State::lists="$slurm_tmp/apt/lists" \
		-o Dir::Cache="$slurm_tmp/apt" \
		-o Dir::Cache::archives="$slurm_tmp/apt/archives" \
		-o APT::Sandbox::User="$(id -un)" \
		-o APT::Get::List-Cleanup=false \
		-o Acquire::Languages=none \
		"$@" </dev/null >>"$slurm_tmp/log" 2>&1
}

# slurm_source_fetch: the unpacked source becomes new/src. apt checks the
# signatures and sums. Where the archive has moved on from the installed Debian
# revision, any revision of the same Slurm release does, and where their packaging
# is gone, too, their upstream tarball alone: they share the structs.
slurm_source_fetch() {
	say "fetching the source of $slurm_package $slurm_version"
	# An entry that has no sources, or a dead third-party host, makes update
	# fail; what counts is whether the source is found afterwards.
	slurm_source_apt update || say "some of the lists could not be had; going on"
	mkdir -p "$slurm_tmp/unpack" || return 1
	slurm_revisions="$slurm_version $(slurm_source_other_revisions)"
	for slurm_way in slurm_source_unpack slurm_source_tarball; do
		for slurm_revision in $slurm_revisions; do
			(cd "$slurm_tmp/unpack" && $slurm_way "$slurm_revision") || continue
			slurm_source_take
			return
		done
	done
	say "no source of $slurm_package $slurm_version in the machine's archives"
	return 1
}

# slurm_source_unpack REVISION: that source package, unpacked, in this directory.
slurm_source_unpack() {
	slurm_source_apt --only-source source "$slurm_package=$1" || return 1
	[ "$1" = "$slurm_version" ] || say "took revision $1 instead"
}

# slurm_source_tarball REVISION: its upstream tarball alone, unpacked here.
slurm_source_tarball() {
	slurm_source_apt --only-source --tar-only source "$slurm_package=$1" || return 1
	for slurm_tar in "$slurm_package"_*.orig.tar.*; do
		case $slurm_tar in *.asc) continue ;; esac
		tar -xf "$slurm_tar" >>"$slurm_tmp/log" 2>&1 || return 1
		say "took the upstream tarball of revision $1 alone"
		return 0
	done
	return 1
}

# slurm_source_take: the tree in unpack/ that looks like Slurm.
slurm_source_take() {
	for slurm_tree in "$slurm_tmp"/unpack/*/; do
		if [ -x "$slurm_tree/configure" ] && [ -d "$slurm_tree/src/slurmctld" ]; then
			mv "$slurm_tree" "$slurm_tmp/new/src"
			return
		fi
	done
	say "the source package does not look like Slurm"
	return 1
}

# slurm_source_other_revisions: of the same upstream version, the newest first.
slurm_source_other_revisions() {
	slurm_upstream=${slurm_version%-*}
	apt_showsrc=$(apt-cache -o Dir::Etc::sourcelist=/dev/null \
		-o Dir::Etc::sourceparts="$slurm_tmp/apt/parts" \
		-o Dir::State::lists="$slurm_tmp/apt/lists" \
		-o Dir::Cache="$slurm_tmp/apt" \
		showsrc --only-source "$slurm_package" 2>/dev/null)
	printf '%s\n' "$apt_showsrc" | sed -n 's/^Version: //p' | sort -urV |
		awk -v up="$slurm_upstream-" -v installed="$slurm_version" \
			'index($0, up) == 1 && $0 != installed'
}

# slurm_source_configure: the options of Debian's build that the headers depend
# on. Without --disable-debug config.h lacks NDEBUG, and plugins would refer to
# functions that the packaged slurmctld does not have.
slurm_source_configure() {
	say "configuring it"
	mkdir "$slurm_tmp/new/build" || return 1
	(cd "$slurm_tmp/new/build" &&
		../src/configure --prefix=/usr --sysconfdir=/etc/slurm --with-munge \
			--disable-debug --enable-multiple-slurmd --without-rpath \
			>>"$slurm_tmp/log" 2>&1) || {
		say "Slurm's configure failed"
		return 1
	}
	grep -q '^#define NDEBUG' "$slurm_tmp/new/build/config.h" &&
	[ -f "$slurm_tmp/new/build/slurm/slurm_version.h" ]
}
